//! Compares what came out with what a case expects.

use crate::case::{Case, Kind};
use crate::engine::Engine;
use crate::run::Ran;

/// Every way in which a run misses its case; empty if it passes.
pub fn judge(case: &Case, engine: Engine, ran: &Ran) -> Vec<String> {
    let mut misses = Vec::new();
    if ran.out != case.out {
        misses.push(difference(
            "standard output",
            &String::from_utf8_lossy(&case.out),
            &String::from_utf8_lossy(&ran.out),
        ));
    }
    let err = as_in_a_file(case, &ran.err);
    match &case.err {
        Some(expected) if *expected != err => misses.push(difference("standard error", expected, &err)),
        Some(_) => {}
        None if matches!(case.kind, Kind::Refused(_)) => {}
        None => {
            let noise: String =
                err.lines().filter(|line| !is_notice(line)).map(|line| format!("{line}\n")).collect();
            if !noise.is_empty() {
                misses.push(difference("standard error", "", &noise));
            }
        }
    }
    if let Kind::Refused(tag) = &case.kind
        && !err.contains(&format!("[{tag}] "))
    {
        misses.push(format!("no [{tag}] in standard error: {err}"));
    }
    if ran.status != case.status {
        misses.push(format!("exit status {}, expected {}; standard error: {err}", ran.status, case.status));
    }
    if case.kernel && engine.has_kernel_part() && !ran.kernel {
        misses.push("the plan has no kernel part".into());
    }
    misses
}

/// What stands before the instruction that a fault names. It depends on how a clause is lowered, so a case's file does not
/// say it; but every engine must name the same.
const INSN: &str = "at insn ";

/// How a run differs from the same case's run on another engine, in what the case's files do not say.
pub fn disagreement(case: &Case, this: &Ran, other: &Ran) -> Option<String> {
    let (ours, theirs) = (tidy(case, &this.err), tidy(case, &other.err));
    (ours != theirs).then(|| difference("standard error of two engines", &theirs, &ours))
}

/// Standard error as a case's file has it.
pub fn as_in_a_file(case: &Case, err: &[u8]) -> String {
    without_numbers(&tidy(case, err), INSN)
}

/// Standard error without what differs from machine to machine: the case's path, the numbers of probes, the CPU that lost
/// something.
pub fn tidy(case: &Case, err: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(err).replace(&case.program.display().to_string(), "CASE");
    for word in ["probe ID ", "on CPU "] {
        text = without_numbers(&text, word);
    }
    text
}

/// The text with `N` for every number behind a word.
fn without_numbers(text: &str, word: &str) -> String {
    let mut tidied = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let digits = at + word.len();
        tidied.push_str(&rest[..digits]);
        tidied.push('N');
        rest = rest[digits..].trim_start_matches(|c: char| c.is_ascii_digit());
    }
    tidied + rest
}

/// What a run that is not quiet says on its own.
fn is_notice(line: &str) -> bool {
    line.starts_with("dtrace: script 'CASE' matched ")
}

fn difference(what: &str, expected: &str, got: &str) -> String {
    let show = |text: &str| text.lines().map(|line| format!("      |{line}|\n")).collect::<String>();
    format!("{what} differs\n    expected\n{}    got\n{}", show(expected), show(got))
}
