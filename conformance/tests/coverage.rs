//! Every action, subroutine and aggregating function of the compiler's tables has three cases of its own in
//! `suite/functions`: the plain one, the edge and the error. Every test line of the runtime specification's §19 has its
//! case in `suite/spec`.

use std::collections::BTreeSet;

use dtrail_conformance::case::{self, Case, Kind};
use dtrail_conformance::suite_dir;
use dtrail_lang::builtins::{Action, AggFn, Func, funcs};

/// Names that a program can call; rows without one are internal, and those that begin with `dtrail_` are for the library,
/// whose members show what they do.
fn callable() -> Vec<&'static str> {
    let actions = Action::ROWS.iter().map(|row| row.name);
    let subroutines = Func::ROWS.iter().map(|row| row.name);
    let aggregating = AggFn::ROWS.iter().map(|row| row.name);
    let names = actions.chain(subroutines).chain(aggregating);
    let own =
        |name: &&str| !name.starts_with("dtrail_") && name.starts_with(|c: char| c.is_ascii_alphabetic());
    names.filter(own).collect()
}

fn cases() -> Vec<Case> {
    case::load_all(&suite_dir()).unwrap_or_else(|e| panic!("{e}"))
}

/// Whether a program has a call of a function: its name as a word and a bracket.
fn calls(program: &str, name: &str) -> bool {
    program.match_indices(name).any(|(at, _)| {
        let before = program[..at].chars().next_back();
        let after = program[at + name.len()..].trim_start();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_') && after.starts_with('(')
    })
}

/// Why a case is not what its name says; `None` if it is.
fn mistake(case: &Case, function: &str, kind: &str) -> Option<String> {
    let program = std::fs::read_to_string(&case.program).unwrap_or_default();
    if !calls(&program, function) {
        return Some(format!("{} does not call {function}()", case.name));
    }
    let told = case.err.as_deref().is_some_and(|err| !err.is_empty());
    if kind == "error" && !told {
        return Some(format!("{} expects no message", case.name));
    }
    if kind == "plain" && !told && case.out.iter().all(u8::is_ascii_whitespace) {
        return Some(format!("{} expects no output", case.name));
    }
    None
}

#[test]
fn every_function_has_its_three_cases() {
    let cases = cases();
    let mut missing = Vec::new();
    for function in callable() {
        for kind in ["plain", "edge", "error"] {
            let wanted = format!("{function}.{kind}");
            let found = cases.iter().find(|case| {
                let name = case.name.strip_prefix("functions/").and_then(|name| name.split_once('.'));
                let name = name.map(|(_, rest)| match &case.kind {
                    Kind::Refused(tag) => {
                        rest.strip_prefix(tag.as_str()).unwrap_or(rest).trim_start_matches('.')
                    }
                    Kind::Runs | Kind::Drops => rest,
                });
                name == Some(wanted.as_str())
            });
            match found {
                None => missing.push(format!("no case functions/KIND.{wanted}")),
                Some(case) => missing.extend(mistake(case, function, kind)),
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// D has them elsewhere; a call says so.
#[test]
fn every_subroutine_that_is_not_there_says_so() {
    let cases = cases();
    for (name, message, _) in funcs::UNIMPLEMENTED {
        let wanted = format!("functions/err.D_UNKNOWN.{name}.error");
        let case = cases.iter().find(|case| case.name == wanted).unwrap_or_else(|| panic!("no {wanted}"));
        assert!(case.err.as_deref().is_some_and(|err| err.contains(message)), "{wanted}: {:?}", case.err);
    }
}

#[test]
fn every_test_line_of_the_specification_has_its_case() {
    let numbered = |case: &Case| -> Option<u32> {
        let name = case.name.strip_prefix("spec/")?;
        name.rsplit('.').next()?.split('-').next()?.parse().ok()
    };
    let found: BTreeSet<u32> = cases().iter().filter_map(numbered).collect();
    let missing: Vec<u32> = (1..=95).filter(|line| !found.contains(line)).collect();
    assert_eq!(missing, [0_u32; 0], "lines of §19 without a case");
}

#[test]
fn calls_are_told_from_other_words() {
    for (program, name, expect) in [
        ("BEGIN { trace(1); }", "trace", true),
        ("BEGIN { tracemem(1, 2); }", "trace", false),
        ("BEGIN { x = strstr (a, b); }", "strstr", true),
        ("BEGIN { my_index(1); }", "index", false),
        ("/* trace */ BEGIN { }", "trace", false),
    ] {
        assert_eq!(calls(program, name), expect, "{program}");
    }
}
