//! Compilation once more when probes have appeared (`-Z`): the same sources over another environment. Out: a plan, or what is
//! wrong, as a message.

use dtrail_lang::diag::Diagnostic;
use dtrail_lang::diag::render::{self, Style};
use dtrail_lang::env::Environment;
use dtrail_lang::options::Options as Settings;
use dtrail_lang::plan::{self, Capabilities, Plan, PlanOptions};
use dtrail_lang::source::SourceMap;
use dtrail_vm::consumer;

/// Compiles the programs again when probes have appeared.
pub(crate) struct Again<'a> {
    pub(crate) sources: &'a SourceMap,
    pub(crate) settings: Settings,
    pub(crate) arguments: Vec<String>,
    /// How many probes they matched the last time.
    pub(crate) matched: usize,
    /// What was last wrong: it is said once, however many probes appear.
    pub(crate) wrong: String,
    pub(crate) progname: &'a str,
    pub(crate) terse: bool,
}

impl consumer::Renewal for Again<'_> {
    fn renew(&mut self, environment: &dyn Environment) -> Result<Option<Plan>, String> {
        let said = |diagnostic: &Diagnostic| {
            let line = render::classic(diagnostic, self.sources, self.settings.errtags);
            let excerpt = match self.terse {
                true => String::new(),
                false => render::excerpt(diagnostic, self.sources, Style::Plain),
            };
            format!("{}: {line}\n{excerpt}", self.progname)
        };
        let mut settings = self.settings.clone();
        let compiled = dtrail_lang::compile(self.sources, environment, &mut settings, &self.arguments);
        let compiled = match compiled.map_err(|diagnostic| said(&diagnostic)) {
            Err(wrong) if wrong == self.wrong => return Ok(None),
            Err(wrong) => {
                self.wrong.clone_from(&wrong);
                return Err(wrong);
            }
            Ok(compiled) => compiled,
        };
        let matched = compiled.matched.iter().sum();
        if matched == self.matched {
            return Ok(None);
        }
        let options =
            PlanOptions { placement: settings.placement, relaxed_exit: settings.relaxedexit, overflow: None };
        let plan = plan::plan(compiled.program, Capabilities::NONE, &options)
            .map_err(|errors| errors.first().map_or_else(String::new, said))?;
        self.matched = matched;
        Ok(Some(plan))
    }
}
