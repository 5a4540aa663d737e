//! The planner on D programs, from the text on.

use super::*;
use crate::check::tests::Machine;
use crate::options::Options;
use crate::source::{Source, SourceKind, SourceMap};

fn compiled(d: &str) -> (ir::Program, SourceMap) {
    let mut sources = SourceMap::default();
    sources.add(Source { name: "x.d".to_owned(), kind: SourceKind::Script, text: dedent(d) });
    let result = crate::compile(&sources, &Machine::new(), &mut Options::default(), &["x.d".to_owned()]);
    (result.unwrap().program, sources)
}

fn check(d: &str, expect: &str) {
    let (program, sources) = compiled(d);
    let plan = plan(program, Capabilities::BASELINE, &PlanOptions::default()).unwrap();
    let found = explain(&plan, &sources);
    assert!(found == dedent(expect), "found:\n{found}\nexpected:\n{}", dedent(expect));
}

#[test]
fn counting_calls() {
    check(
        "syscall:::entry /pid == $target/ { @[probefunc] = count(); }",
        "
        clause 0 (line 1): syscall:vmlinux:read:entry and 4 more
          kernel: decides 1 branch, updates @
          sends:  nothing
        aggregations
          @ count() (line 1): kernel, key (probefunc) of 8 bytes, 8 bytes a CPU
        records
          syscall:vmlinux:read:entry and 4 more: clause 0: none
        ",
    );
}

#[test]
fn a_path_between_entry_and_return() {
    check(
        "
        syscall::openat:entry /basename(copyinstr(arg1)) == \"passwd\"/ { self->p = arg1; }
        syscall::openat:return /self->p/ { printf(\"%s %d\", copyinstr(self->p), arg1); self->p = 0; }
        ",
        "
        clause 0 (line 1): syscall:vmlinux:openat:entry
          kernel: decides 1 branch, sets self->p
          sends:  24 bytes, only if it faults
        clause 1 (line 2): syscall:vmlinux:openat:return
          kernel: decides 1 branch, sets self->p, captures 2 values
          user:   printf
          sends:  40 bytes
            $0 string: `copyinstr(self->p)`, 8 bytes and its bytes
            $1 integer: `arg1`, 8 bytes
        variables
          self->p: kernel, 8 bytes a thread
        records
          syscall:vmlinux:openat:entry: clause 0: none unless it faults, then 56 bytes
          syscall:vmlinux:openat:return: clause 1: 72 bytes an event and up to 1 string
        ",
    );
}

#[test]
fn a_search_for_what_is_no_constant() {
    check(
        "
        syscall::write:entry { this->n = arg2; x++; a[execname, pid] = timestamp; }
        syscall::write:return /index(execname, probefunc) >= 0/
        {
            printf(\"%d\", a[execname, pid]);
            x++;
            @[strjoin(execname, \"!\")] = lquantize(arg0, 0, 100, 10);
        }
        tick-1s { printa(@); clear(@); }
        ",
        "
        clause 0 (line 1): syscall:vmlinux:write:entry
          kernel: sets this->n, sets a[string, i32]
          user:   sets x
          sends:  8 bytes
        clause 1 (line 2): syscall:vmlinux:write:return
          kernel: captures 4 values
          user:   printf, sets x, updates @
          sends:  56 bytes
            $0 string: `execname`, 8 bytes and its bytes
            $1 integer: `a[execname, pid]`, 8 bytes
            $2 integer: `arg0`, 8 bytes
            $3 string: `strjoin(execname, \"!\")`, 8 bytes and its bytes
        clause 2 (line 8): profile:::tick-1s
          fired by the tracer: all in user space: printa(@), clear(@)
        variables
          this->n: kernel, 8 bytes a firing
          x: user space, because of a write: it stands under a condition that user space decides: `index(execname, probefunc) >= 0` (line 2)
          a[string, i32]: kernel, 8 bytes and a key of 272 an element
        aggregations
          @ lquantize() (line 6): user space, because it stands under a condition that user space decides: `index(execname, probefunc) >= 0` (line 2)
        records
          syscall:vmlinux:write:entry: clause 0: 40 bytes an event
          syscall:vmlinux:write:return: clause 1: 88 bytes an event and up to 2 strings
        ",
    );
}

/// A chain of variables, each of which moves because the one before did: only clauses that mention what moved are
/// looked at again. Time is not measured; the test would take minutes otherwise.
#[test]
fn a_long_chain_of_demotions() {
    let declarations: String = (0..=2000).map(|i| format!("int z{i}; ")).collect();
    let chain: String =
        (0..2000).rev().map(|i| format!("syscall::read:return {{ z{} = z{i}; }} ", i + 1)).collect();
    let start = "syscall::read:entry { z0 = index(execname, probefunc); }";
    let (program, _) = compiled(&format!("{declarations} {chain} {start}"));
    let plan = plan(program, Capabilities::BASELINE, &PlanOptions::default()).unwrap();
    assert!(plan.homes.iter().all(|home| home.side == Side::User));
}
