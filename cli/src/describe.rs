//! The probe descriptions of programs, without compiling the clauses: what `-l` with programs and the stability reports
//! go through. Program texts in, descriptions with the probes they match out.

use dtrail_lang::ast::Item;
use dtrail_lang::diag::Diagnostic;
use dtrail_lang::env::{Environment, NoMatch, Probe, ProbePattern};
use dtrail_lang::options::Options as Settings;
use dtrail_lang::parse::Macros;
use dtrail_lang::parse::description::{self, Target};
use dtrail_lang::source::{SourceId, SourceMap};

/// One description of one clause.
pub(crate) struct Described {
    /// The program it stands in.
    pub(crate) source: SourceId,
    /// As `provider:module:function:name`, macros expanded; a number as it is.
    pub(crate) shown: String,
    /// Its components; `None` for a number, which names one probe by all of them.
    pub(crate) pattern: Option<ProbePattern>,
    /// What it matches.
    pub(crate) found: Result<Vec<Probe>, NoMatch>,
}

/// Every description of every program, in order.
pub(crate) fn descriptions(
    sources: &SourceMap,
    env: &dyn Environment,
    args: &[String],
    settings: &mut Settings,
) -> Result<Vec<Described>, Diagnostic> {
    let mut all = Vec::new();
    let trees = dtrail_lang::trees(sources, env, settings, args)?;
    for (source, program) in sources.ids().zip(trees) {
        let kind = sources.get(source).kind;
        for item in &program.items {
            let Item::Clause(clause) = item else { continue };
            for desc in &clause.probes {
                let described = match description::expand(desc, kind, &Macros { args, env })? {
                    Target::Pattern(pattern) => Described {
                        source,
                        shown: shown(&pattern),
                        found: env.match_probes(&pattern),
                        pattern: Some(pattern),
                    },
                    Target::Id(id) => Described {
                        source,
                        shown: id.0.to_string(),
                        pattern: None,
                        found: env.probe_by_id(id).map(|probe| vec![probe]).ok_or(NoMatch::Zero),
                    },
                };
                all.push(described);
            }
        }
    }
    Ok(all)
}

fn shown(pattern: &ProbePattern) -> String {
    let ProbePattern { provider, module, function, name } = pattern;
    format!("{provider}:{module}:{function}:{name}")
}
