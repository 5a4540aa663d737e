//! Syntax: what is printed parses back, and damaged text gets an answer. `PROPTEST_CASES` makes it longer.

#![allow(clippy::expect_used, reason = "a test fails by a panic, and its parts are no `#[test]` functions")]

use std::path::{Path, PathBuf};

use dtrail_fuzz::generate::{damage, tree};
use dtrail_fuzz::oracles;
use dtrail_lang::ast::print;
use dtrail_lang::source::SourceKind;
use proptest::collection::vec;
use proptest::prelude::*;

proptest! {
    #[test]
    fn trees_print_and_parse_back(program in tree::program()) {
        oracles::parses_back(&program).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn damaged_programs_get_an_answer(program in tree::program(), damages in vec(damage::damage(), 1..6)) {
        let text = damage::damaged(&print::program(&program), &damages);
        for kind in [SourceKind::Script, SourceKind::Name] {
            oracles::gives_an_answer(&text, kind).map_err(TestCaseError::fail)?;
        }
        // What a damage leaves whole parses back like anything else.
        if let Ok(program) = oracles::parse_text(&text, SourceKind::Script) {
            oracles::parses_back(&program).map_err(TestCaseError::fail)?;
        }
    }

    #[test]
    fn any_text_gets_an_answer(text in ".{0,200}") {
        for kind in [SourceKind::Script, SourceKind::Name] {
            oracles::gives_an_answer(&text, kind).map_err(TestCaseError::fail)?;
            oracles::gives_an_answer(&format!("BEGIN {{ {text} }}"), kind).map_err(TestCaseError::fail)?;
        }
    }
}

/// Every `.d` file below a folder.
fn scripts(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            scripts(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "d") {
            found.push(path);
        }
    }
}

#[test]
fn conformance_scripts_print_and_parse_back() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths = Vec::new();
    scripts(&root.join("conformance/suite"), &mut paths);
    scripts(&root.join("stdlib"), &mut paths);
    let mut checked = 0;
    for path in &paths {
        let text = dtrail_lang::bytes::to_text(&std::fs::read(path).expect("it can be read"));
        // What a script of errors is for may be its syntax.
        if let Ok(program) = oracles::parse_text(&text, SourceKind::Script) {
            oracles::parses_back(&program).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            checked += 1;
        }
    }
    assert!(checked > 100, "only {checked} of {} scripts are syntactically right", paths.len());
}
