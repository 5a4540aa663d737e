//! Programs that are compiled anew while they run, since probes have appeared that a description (`-Z`) was waiting for
//! (language spec §4.2). In: the source's word that there are new probes. Out: the next plan; what variables and
//! aggregations hold goes over to it by their names. Compiling is the caller's, who has the texts.

use std::cell::OnceCell;

use dtrail_lang::builtins::Action;
use dtrail_lang::env::Environment;
use dtrail_lang::plan::Plan;

use super::{Policy, Settings};

/// Makes the next plan of a run.
pub trait Renewal {
    /// The plan of the same programs over what can be probed now; `None` if they match what they matched before. An
    /// error is a text for standard error, and tracing goes on as it was.
    fn renew(&mut self, environment: &dyn Environment) -> Result<Option<Plan>, String>;
}

/// The plans of a run after its first, each of which lives as long as the run.
#[derive(Debug, Default)]
pub(super) struct Later(OnceCell<Box<(Plan, Later)>>);

impl Later {
    /// Keeps a plan.
    pub(super) fn keep(&self, plan: Plan) -> &Plan {
        let mut last = self;
        while let Some(kept) = last.0.get() {
            last = &kept.1;
        }
        &last.0.get_or_init(|| Box::new((plan, Later::default()))).0
    }
}

/// Why a run cannot take over another plan: what waits to be printed speaks of the statements of the plan at hand.
pub(super) fn obstacle(plan: &Plan, settings: &Settings) -> Option<&'static str> {
    let speculates = plan.program.sites.iter().any(|site| site.action == Action::Speculate);
    match settings.policy {
        Policy::Switch if speculates => Some("the program speculates"),
        Policy::Switch => None,
        _ => Some("records wait for the end (bufpolicy)"),
    }
}
