//! Tests of the checker on whole programs: `ok`, or the tag and place of the error.

mod aggregations;
mod attributes;
mod beginnings;
mod declarations;
mod expressions;
mod formats;
mod hints;
mod hostile;
mod inlines;
mod later;
mod messages;
mod paths;
mod programs;
mod scale;
mod tags;
mod translators;

use std::sync::Arc;

use crate::diag::{Diagnostic, Part};
use crate::env::{
    Environment, FiredBy, KernelSymbol, NoMatch, Probe, ProbeArg, ProbeId, ProbePattern, ProviderStability,
    Stability, glob_match,
};
use crate::ir::Program;
use crate::options::Options;
use crate::source::{Source, SourceKind, SourceMap};

/// A machine with a handful of probes.
pub(crate) struct Machine {
    probes: Vec<Probe>,
    /// The process of `-c`, or 0.
    pub(crate) target: i64,
}

const COMMON: Stability = Stability { name: "Stable", data: "Stable", class: "Common" };
const EVOLVING: Stability = Stability { name: "Evolving", data: "Evolving", class: "Common" };
const PRIVATE: Stability = Stability { name: "Private", data: "Private", class: "Unknown" };

impl Machine {
    pub(crate) fn new() -> Machine {
        let mut machine = Machine { probes: Vec::new(), target: 0 };
        let stable = ProviderStability { description: COMMON, args: COMMON };
        machine.add(["dtrace", "", "", "BEGIN"], FiredBy::Tracer, &[], stable);
        machine.add(["dtrace", "", "", "END"], FiredBy::Tracer, &[], stable);
        machine.add(["dtrace", "", "", "ERROR"], FiredBy::Fault, &[], stable);
        let syscall = ProviderStability { description: EVOLVING, args: PRIVATE };
        for (call, args) in [
            ("read", &["unsigned int", "char * user", "size_t"][..]),
            ("write", &["unsigned int", "char * user", "size_t"]),
            ("openat", &["int", "char * user", "int", "umode_t"]),
            ("close", &["unsigned int"]),
            ("strange", &["ghost_t", "struct ghost *"]),
        ] {
            machine.add(["syscall", "vmlinux", call, "entry"], FiredBy::Source, args, syscall);
            machine.add(["syscall", "vmlinux", call, "return"], FiredBy::Source, &["long"], syscall);
        }
        machine.add(["proc", "vmlinux", "", "exec"], FiredBy::Source, &["string user"], syscall);
        let private = ProviderStability { description: PRIVATE, args: PRIVATE };
        machine.add(["sdt", "sched", "", "wake_idle"], FiredBy::Source, &["int", "char *"], private);
        machine.add(["sdt", "sched", "", "wake_new"], FiredBy::Source, &["int", "long"], private);
        let profile = ProviderStability { description: EVOLVING, args: EVOLVING };
        machine.add(["profile", "", "", "tick-1s"], FiredBy::Tracer, &[], profile);
        machine
    }

    fn add(&mut self, parts: [&str; 4], fired_by: FiredBy, args: &[&str], stability: ProviderStability) {
        let [provider, module, function, name] = parts.map(Arc::from);
        let argument = |spelling: &&str| match spelling.strip_suffix(" user") {
            Some(ty) => ProbeArg { ty: ty.into(), userland: true },
            None => ProbeArg { ty: (*spelling).into(), userland: false },
        };
        self.probes.push(Probe {
            id: ProbeId(self.probes.len() as u32 + 1),
            provider,
            module,
            function,
            name,
            fired_by,
            args: args.iter().map(argument).collect(),
            stability,
        });
    }
}

impl Environment for Machine {
    fn match_probes(&self, pattern: &ProbePattern) -> Result<Vec<Probe>, NoMatch> {
        if pattern.provider == "fbt" {
            return Err(NoMatch::OtherSource("the bpf source has it".into()));
        }
        let fits = |glob: &str, text: &str| glob.is_empty() || glob_match(glob, text);
        let found: Vec<_> = self
            .probes
            .iter()
            .filter(|probe| {
                fits(&pattern.provider, &probe.provider)
                    && fits(&pattern.module, &probe.module)
                    && fits(&pattern.function, &probe.function)
                    && fits(&pattern.name, &probe.name)
            })
            .cloned()
            .collect();
        if found.is_empty() { Err(NoMatch::Zero) } else { Ok(found) }
    }

    fn probe_by_id(&self, id: ProbeId) -> Option<Probe> {
        self.probes.iter().find(|probe| probe.id == id).cloned()
    }

    fn macro_variable(&self, name: &str) -> Option<i64> {
        match name {
            "target" => Some(self.target),
            "pid" => Some(4242),
            "uid" => Some(0),
            _ => None,
        }
    }

    fn kernel_symbol(&self, module: Option<&str>, name: &str) -> Result<Option<KernelSymbol>, String> {
        let known = matches!(name, "do_it" | "do_that") && module.is_none_or(|module| module == "vmlinux");
        let symbol =
            KernelSymbol { ty: None, address: Some(0x1000), per_cpu: None, function: true, size: 64 };
        Ok(known.then_some(symbol))
    }

    fn suggest(&self, _: &ProbePattern) -> Vec<String> {
        Vec::new()
    }
}

/// Compiles programs in order; each is a script, or the argument of `-n` if it starts with `-n `.
pub(crate) fn compile_all(
    programs: &[&str],
    options: &mut Options,
    machine: &Machine,
) -> Result<Program, (SourceMap, Diagnostic)> {
    let mut sources = SourceMap::default();
    for text in programs {
        let (kind, text) = match text.strip_prefix("-n ") {
            Some(text) => (SourceKind::Name, text),
            None => (SourceKind::Script, *text),
        };
        sources.add(Source { name: "a.d".into(), kind, text: text.into() });
    }
    match crate::compile(&sources, machine, options, &["a.d".into()]) {
        Ok(compiled) => Ok(compiled.program),
        Err(error) => Err((sources, error)),
    }
}

/// `ok`, or `D_TAG line:column` of the error; for several programs with the number of the program before the line.
fn outcome(programs: &[&str], options: &mut Options) -> String {
    match compile_all(programs, options, &Machine::new()) {
        Ok(_) => "ok".into(),
        Err((sources, error)) => {
            let (line, column) = sources.line_column(error.span.source, error.span.start);
            format!("{} {line}:{column}", error.tag.text())
        }
    }
}

/// Checks a script.
#[track_caller]
fn check(source: &str, expect: &str) {
    assert_eq!(outcome(&[source], &mut Options::default()), expect, "{source}");
}

/// Checks the statements of a `BEGIN` clause; columns count from the first of them.
#[track_caller]
fn check_body(body: &str, expect: &str) {
    let source = format!("BEGIN {{\n{body}\n}}");
    let expect = expect.replace(" 1:", " 2:");
    assert_eq!(outcome(&[&source], &mut Options::default()), expect, "{body}");
}

/// Checks the message about a script.
#[track_caller]
fn message(source: &str, expect: &str) {
    match compile_all(&[source], &mut Options::default(), &Machine::new()) {
        Ok(_) => panic!("accepted: {source}"),
        Err((_, error)) => {
            let part = match error.part {
                Part::None => "",
                Part::ActionList => "in action list: ",
                Part::Predicate => "in predicate: ",
            };
            assert_eq!(format!("{part}{}", error.message), expect, "{source}");
        }
    }
}
