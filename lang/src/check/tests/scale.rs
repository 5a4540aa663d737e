//! Sizes that a program may have: many clauses in linear time, deep trees in a small stack.

use super::{Machine, compile_all};
use crate::options::Options;
use crate::parse::{MAX_DEPTH, MAX_NESTING};

#[test]
fn ten_thousand_clauses() {
    let source: String = (0..10_000)
        .map(|i| {
            format!("BEGIN /pid == {i}/ {{ x{i} = {i}; @a[x{i}] = count(); printf(\"%d\\n\", x{i}); }}\n")
        })
        .collect();
    let program = compile_all(&[&source], &mut Options::default(), &Machine::new()).expect("a valid program");
    assert_eq!(program.clauses.len(), 10_000);
    assert_eq!(program.clauses[9_999].number, 9_999);
}

#[test]
fn deep_expressions() {
    let (depth, nesting) = (MAX_DEPTH - 10, MAX_NESTING - 10);
    for source in [
        format!("BEGIN {{ x = 1; trace({}x); }}", "x + ".repeat(depth)),
        format!("BEGIN {{ x = 1; trace({}x{}); }}", "(x + ".repeat(nesting), ")".repeat(nesting)),
        format!("BEGIN {{ x = 1; trace({}x); }}", "x && ".repeat(depth)),
        format!("BEGIN {{ x = 1; trace({}x); }}", "!".repeat(depth)),
        format!("BEGIN {{ x = 1; trace({}x); }}", "x ? 1 : ".repeat(nesting)),
        format!("BEGIN {{ {} }}", "if (pid) x = 1; else ".repeat(nesting) + "x = 2;"),
    ] {
        let compiled = compile_all(&[&source], &mut Options::default(), &Machine::new());
        let error = compiled.err().map(|(_, error)| error.message);
        assert_eq!(error, None, "{}…", &source[..60]);
    }
}
