//! Several programs, descriptions, clause numbers and enablings.

use super::{Machine, check, compile_all, outcome};
use crate::ir::Program;
use crate::options::Options;

fn compiled(programs: &[&str]) -> Program {
    compile_all(programs, &mut Options::default(), &Machine::new()).expect("valid programs")
}

#[test]
fn programs_share_names() {
    let check_all = |programs: &[&str], expect: &str| {
        assert_eq!(outcome(programs, &mut Options::default()), expect, "{programs:?}");
    };
    check_all(&["-n BEGIN { g = 1; }", "-n END { trace(g); }"], "ok");
    check_all(&["-n END { trace(g); }", "-n BEGIN { g = 1; }"], "D_IDENT_UNDEF 1:13");
    check_all(&["-n BEGIN { x = 1; }", "-n long x; BEGIN { }"], "D_DECL_IDRED 1:6");
    check_all(&["-n BEGIN { x = 1; }", "-n int x; BEGIN { }"], "ok");
    check_all(&["-n BEGIN { x = 1; }", "-n BEGIN { x(); }"], "D_FUNC_IDKIND 1:9");
    check_all(&["-n BEGIN { @a = count(); }", "-n END { @a = sum(1); }"], "D_AGG_REDEF 1:7");
    check_all(&["-n BEGIN", "-n END { trace(1); }"], "ok");
}

#[test]
fn descriptions() {
    for (source, expect) in [
        ("ghost:::x { }", "D_PDESC_ZERO 1:1"),
        ("a:b:c:d:e { }", "D_PDESC_INVAL 1:1"),
        ("dtrace:::[BE]* { }", "ok"),
        ("dtrace:::!BEGIN { }", "D_PDESC_ZERO 1:1"),
        ("1 { }", "ok"),
        ("999999 { }", "D_PDESC_INVAL 1:1"),
        // A description is checked before its body, and a clause before the next one.
        ("BEGIN { x = y; }\nghost:::x { }", "D_IDENT_UNDEF 1:13"),
        ("ghost:::x { x = y; }", "D_PDESC_ZERO 1:1"),
    ] {
        check(source, expect);
    }
    let mut options = Options { zdefs: true, ..Options::default() };
    assert_eq!(outcome(&["ghost:::x { }"], &mut options), "ok");
}

#[test]
fn one_enabling_for_each_description() {
    let program = compiled(&["BEGIN, BEGIN { x++; }", "syscall:::entry, END { } dtrace:::E* { }"]);
    let number = |clause: crate::ir::ClauseId| program.clauses[clause.index()].number;
    let enablings: Vec<_> =
        program.enablings.iter().map(|e| (e.clause.0, e.probes.len(), number(e.clause))).collect();
    assert_eq!(enablings, [(0, 1, 0), (0, 1, 0), (1, 5, 1), (1, 1, 1), (2, 2, 2)]);
    assert_eq!(program.clauses.len(), 3);
    assert_eq!(program.probes.len(), 8, "each probe once");
}

#[test]
fn signatures_that_differ_make_versions() {
    let source = "syscall::read:entry, syscall::openat:entry, syscall::write:entry { trace(args[0]); }";
    let program = compiled(&[source]);
    let clauses: Vec<_> = program.enablings.iter().map(|e| e.clause.0).collect();
    assert_eq!(clauses, [0, 1, 0], "read and write have the same arguments");
    assert_eq!(program.clauses.iter().map(|c| c.number).collect::<Vec<_>>(), [0, 0]);
    // Without args[] the signature does not matter.
    let program = compiled(&["syscall::read:entry, syscall::openat:entry { trace(arg0); }"]);
    assert_eq!(program.clauses.len(), 1);
}

#[test]
fn matched_probes_are_counted_by_program() {
    let mut sources = crate::source::SourceMap::default();
    for text in ["BEGIN { } BEGIN, END { x = 1; }", "syscall::re*:entry { }"] {
        let kind = crate::source::SourceKind::Script;
        sources.add(crate::source::Source { name: "a.d".into(), kind, text: text.into() });
    }
    let args = ["a.d".to_string()];
    let compiled = crate::compile(&sources, &Machine::new(), &mut Options::default(), &args);
    assert_eq!(compiled.expect("valid programs").matched, [3, 1]);
}
