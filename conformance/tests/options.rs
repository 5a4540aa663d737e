//! Every option of the compiler's table has three cases of its own in `suite/options`: the plain one, the edge and the
//! error. An option means the same whoever sets it: `-x`, the environment, a pragma, and `setopt` where it may.

use dtrail_conformance::case::{self, Case, Kind};
use dtrail_conformance::engine::Engine;
use dtrail_conformance::judge::as_in_a_file;
use dtrail_conformance::run::{Ran, run};
use dtrail_conformance::suite_dir;
use dtrail_lang::options::{self, OptionError, Options, SetBy};

fn cases() -> Vec<Case> {
    let mut cases = case::load_all(&suite_dir()).unwrap_or_else(|e| panic!("{e}"));
    cases.retain(|case| case.name.starts_with("options/"));
    cases
}

/// The option and the kind (`plain`, `edge`, `error`) that a case's name says.
fn shown(case: &Case) -> (&str, &str) {
    let name = case.name.strip_prefix("options/").unwrap_or_default();
    let (_, mut rest) = name.split_once('.').unwrap_or_default();
    if let Kind::Refused(tag) = &case.kind {
        rest = rest.strip_prefix(tag.as_str()).unwrap_or(rest).trim_start_matches('.');
    }
    rest.split_once('.').unwrap_or_default()
}

/// Options that are known and refused whatever their value: there is none to advise.
fn refused(name: &str) -> bool {
    options::advice(name, &OptionError::InvalidValue).is_none()
}

#[test]
fn every_option_has_its_three_cases() {
    let cases = cases();
    let has = |name: &str, kind: &str| cases.iter().any(|case| shown(case) == (name, kind));
    let mut missing = Vec::new();
    for name in options::names().filter(|name| !refused(name)) {
        let kinds = ["plain", "edge", "error"].into_iter().filter(|kind| !has(name, kind));
        missing.extend(kinds.map(|kind| format!("no case options/KIND.{name}.{kind}")));
    }
    for case in &cases {
        let (name, _) = shown(case);
        if options::may_set(name, SetBy::CommandLine).is_none() {
            missing.push(format!("{} names no option", case.name));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// The plain case of an option without the `-x` that sets it, and what that says.
struct Plain {
    case: Case,
    name: String,
    value: Option<String>,
}

/// The plain cases that can run here.
fn plain() -> Vec<Plain> {
    let cases = cases().into_iter().filter(|case| shown(case).1 == "plain" && case.lacks().is_none());
    let split = |mut case: Case| {
        let set = case.args.pop().unwrap_or_default();
        assert_eq!(case.args.pop().as_deref(), Some("-x"), "{} ends in its option", case.name);
        let (name, value) = match set.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (set, None),
        };
        assert_eq!(name, shown(&case).0, "{}", case.name);
        Plain { case, name, value }
    };
    cases.map(split).collect()
}

/// What a run of a case on the interpreter gives: output, messages, status.
fn outcome(case: &Case) -> (String, String, u8) {
    let Ran { out, err, status, .. } = run(case, Engine::Interp);
    (String::from_utf8_lossy(&out).into_owned(), as_in_a_file(case, &err), status)
}

/// A case with the program as another text, which is `edit`'s of the old one, in a file of its own.
fn rewritten(mut case: Case, edit: impl FnOnce(&str) -> String) -> Case {
    let text = std::fs::read_to_string(&case.program).unwrap_or_default();
    let name = format!("dtrail-{}-{}.d", std::process::id(), case.name.replace('/', "-"));
    case.program = std::env::temp_dir().join(name);
    std::fs::write(&case.program, edit(&text)).unwrap_or_else(|e| panic!("{}: {e}", case.name));
    case
}

/// The text behind a name's `=`, if there is one.
fn assigned(name: &str, value: Option<&str>) -> String {
    value.map_or(name.to_owned(), |value| format!("{name}={value}"))
}

#[test]
fn the_environment_sets_what_x_sets() {
    for Plain { mut case, name, value } in plain() {
        case.env.push((format!("DTRACE_OPT_{}", name.to_uppercase()), value.unwrap_or_default()));
        let expected = (String::from_utf8_lossy(&case.out).into_owned(), case.status);
        let (out, err, status) = outcome(&case);
        assert_eq!((out, status), expected, "{name}: {err}");
    }
}

/// Options that say how a program is read come too late in its first lines, or count in them.
const BEFORE_THE_PROGRAM: &[&str] = &["cpp", "nolibs", "empty"];

#[test]
fn a_pragma_sets_what_x_sets_or_says_that_it_may_not() {
    for Plain { case, name, value } in plain() {
        if BEFORE_THE_PROGRAM.contains(&&*name) {
            continue;
        }
        let expected = (String::from_utf8_lossy(&case.out).into_owned(), case.status);
        let set = assigned(&name, value.as_deref());
        let may = options::may_set(&name, SetBy::Program) == Some(true);
        let mut case = rewritten(case, |text| {
            format!("#pragma D option {set}\n{}", if may { text } else { "BEGIN { exit(0); }\n" })
        });
        if !may {
            case.args = vec!["-q".into()];
        }
        let (out, err, status) = outcome(&case);
        let _ = std::fs::remove_file(&case.program);
        if may {
            assert_eq!((out, status), expected, "{name}: {err}");
            continue;
        }
        let to = value.map_or(String::new(), |value| format!(" to '{value}'"));
        let why =
            format!("failed to set option '{name}'{to}: Option cannot be used from within a D program\n");
        assert!(err.ends_with(&why) && status == 1, "{name}: {err}");
    }
}

/// Of these the row that calls `setopt` shows the difference; their cases of kind `edge` call it.
const SEEN_IN_ROWS: &[&str] = &["flowindent", "quiet"];

#[test]
fn setopt_sets_what_x_sets_or_says_that_it_is_too_late() {
    for Plain { mut case, name, value } in plain() {
        if SEEN_IN_ROWS.contains(&&*name) {
            continue;
        }
        let settable = options::may_set(&name, SetBy::Setopt) == Some(true);
        let arguments = match &value {
            Some(value) => format!("\"{name}\", \"{value}\""),
            None => format!("\"{name}\""),
        };
        let call = format!("BEGIN {{ setopt({arguments}); }}\n");
        if settable && name != "quietresize" {
            let expected = (String::from_utf8_lossy(&case.out).into_owned(), case.status);
            let case = rewritten(case, |text| {
                // A type must come before the clauses that use it, and so this clause goes before the first clause.
                let at =
                    ["BEGIN {", "syscall::"].iter().filter_map(|word| text.find(word)).min().unwrap_or(0);
                format!("{}{call}{}", &text[..at], &text[at..])
            });
            let (out, err, status) = outcome(&case);
            let _ = std::fs::remove_file(&case.program);
            assert_eq!((out, status), expected, "{name}: {err}");
        } else if !settable {
            case.operands.clear();
            case.args = vec!["-q".into()];
            case.events = None;
            let case = rewritten(case, |_| format!("{call}BEGIN {{ exit(0); }}\n"));
            let (_, err, status) = outcome(&case);
            let _ = std::fs::remove_file(&case.program);
            let value = value.unwrap_or("1".into());
            let why = format!(
                "couldn't set option \"{name}\" to \"{value}\": Operation illegal when tracing is active\n\n"
            );
            assert!(err.ends_with(&why) && status == 0, "{name}: {err}");
        }
    }
}

#[test]
fn what_is_refused_is_refused_whoever_sets_it() {
    for name in options::names().filter(|name| refused(name)) {
        for by in [SetBy::CommandLine, SetBy::Setopt] {
            let set = |value| Options::default().set(name, value, by);
            for value in [None, Some(""), Some("1"), Some("yes")] {
                assert!(set(value).is_err(), "{name} {value:?}");
            }
        }
    }
}
