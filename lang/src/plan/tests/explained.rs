//! Explanations, on D texts with the IR that stands for them.

use super::state::{cut_after, exit_after};
use super::*;
use crate::source::{Source, SourceKind, SourceMap};

fn check(d: &str, ir: &str, options: PlanOptions, expect: &str) {
    let mut sources = SourceMap::default();
    sources.add(Source { name: "x.d".to_owned(), kind: SourceKind::Script, text: dedent(d) });
    let found = explain(&planned(ir, options), &sources);
    assert!(found == dedent(expect), "found:\n{found}\nexpected:\n{}", dedent(expect));
}

#[test]
fn whole_in_the_kernel() {
    let d = "
        syscall::read:entry { self->t = timestamp; }
        syscall::read:return /self->t/ { @[execname] = quantize(timestamp - self->t); self->t = 0; }
        ";
    let ir = LATENCY
        .replace("clause c0 {", "clause c0 @0..44 {")
        .replace("clause c1 {", "clause c1 @45..137 {")
        .replace("g0 = @_ in c1", "g0 = @_ in c1 @78..122");
    check(
        d,
        &ir,
        PlanOptions::default(),
        "
        clause 0 (line 1): syscall::read:entry
          kernel: sets self->t
          sends:  nothing
        clause 1 (line 2): syscall::read:return
          kernel: decides 1 branch, updates @, sets self->t
          sends:  nothing
        variables
          self->t: kernel, 8 bytes a thread
        aggregations
          @ quantize() (line 2): kernel, key (execname) of 16 bytes, 1024 bytes a CPU
        records
          syscall::read:entry: clause 0: none
          syscall::read:return: clause 1: none
        ",
    );
    check(
        d,
        &ir,
        PlanOptions { placement: Placement::User, ..PlanOptions::default() },
        "
        clause 0 (line 1): syscall::read:entry
          kernel: tells that it fired
          user:   sets self->t
          sends:  8 bytes
        clause 1 (line 2): syscall::read:return
          kernel: captures 1 value
          user:   updates @, sets self->t
          sends:  16 bytes
            $0 string: execname, 8 bytes and its bytes
        variables
          self->t: user space, because placement=user
        aggregations
          @ quantize() (line 2): user space, because placement=user
        records
          syscall::read:entry: clause 0: 48 bytes an event
            with <task start> for all clauses
          syscall::read:return: clause 1: 56 bytes an event and up to 1 string
            with <task start> for all clauses
        ",
    );
    let mut sources = SourceMap::default();
    sources.add(Source { name: "x.d".to_owned(), kind: SourceKind::Script, text: dedent(d) });
    let none = plan(program(&ir), Capabilities::NONE, &PlanOptions::default()).unwrap();
    let found = explain(&none, &sources);
    let expected = dedent("
        no part of this program runs in the kernel: the source of events has none, or no probe of the traced system is enabled
        clause 0 (line 1): syscall::read:entry
          user:   sets self->t
        clause 1 (line 2): syscall::read:return
          user:   updates @, sets self->t
        ");
    assert!(found == expected, "found:\n{found}\nexpected:\n{expected}");
}

#[test]
fn what_forced_something_is_shown() {
    let d = "
        syscall::read:entry { x = arg0; @c = count(); }
        syscall::read:return { index(execname, probefunc); exit(arg0); }
        ";
    let ir = exit_after(&format!("{FAULTY} @71..97"))
        .replace("clause c0 {", "clause c0 @0..47 {")
        .replace("clause c1 {", "clause c1 @48..112 {")
        .replace("g0 = @c in c0", "g0 = @c in c0 @32..44")
        .replace("stmt 2 (i32)", "stmt 2 (i32) @99..109")
        .replace("i3 = builtin arg0", "i3 = builtin arg0 @104..108")
        .replace("s0 = builtin execname", "s0 = builtin execname @77..85");
    check(d, &ir, PlanOptions::default(), "
        `exit` is decided in user space, so what shows behind it is kept there: it stands after an operation in user space that may fault: `index(execname, probefunc)` (line 2)
        clause 0 (line 1): syscall::read:entry
          kernel: sets x
          user:   updates @c
          sends:  8 bytes
        clause 1 (line 2): syscall::read:return
          kernel: captures 2 values
          user:   exit
          sends:  24 bytes
            $0 string: `execname`, 8 bytes and its bytes
            $1 integer: `arg0`, 8 bytes
        variables
          x: kernel, 8 bytes
        aggregations
          @c count() (line 1): user space, because `exit` is decided in user space: `exit(arg0)` (line 2)
        records
          syscall::read:entry: clause 0: 40 bytes an event
          syscall::read:return: clause 1: 56 bytes an event and up to 1 string
        ");
    check(
        d,
        &ir,
        PlanOptions { relaxed_exit: true, ..PlanOptions::default() },
        "
        clause 0 (line 1): syscall::read:entry
          kernel: sets x, updates @c
          sends:  nothing
        clause 1 (line 2): syscall::read:return
          kernel: captures 2 values
          user:   exit
          sends:  24 bytes
            $0 string: `execname`, 8 bytes and its bytes
            $1 integer: `arg0`, 8 bytes
        variables
          x: kernel, 8 bytes
        aggregations
          @c count() (line 1): kernel, 8 bytes a CPU
        records
          syscall::read:entry: clause 0: none
          syscall::read:return: clause 1: 56 bytes an event and up to 1 string
        ",
    );
}

#[test]
fn cuts_and_who_fires() {
    let d = "
        syscall::read:entry { @c = count(); @d = count(); }
        profile:::tick-1s { printa(@c); clear(@c); }
        ";
    let ir = cut_after("", "p5")
        .replace("clause c0 {", "clause c0 @0..51 {")
        .replace("clause c1 {", "clause c1 @52..96 {")
        .replace("g0 = @c in c0", "g0 = @c in c0 @22..34")
        .replace("g1 = @d in c0", "g1 = @d in c0 @36..48");
    check(
        d,
        &ir,
        PlanOptions::default(),
        "
        cuts are made by the tracer: the kernel's aggregations are kept in 2 generations
        clause 0 (line 1): syscall::read:entry
          kernel: updates @c, updates @d
          sends:  nothing
        clause 1 (line 2): profile:::tick-1s
          fired by the tracer: all in user space: printa(@c), clear(@c)
        aggregations
          @c count() (line 1): kernel, 8 bytes a CPU
          @d count() (line 1): kernel, 8 bytes a CPU
        records
          syscall::read:entry: clause 0: none
        ",
    );
}

#[test]
fn captures_with_their_bytes() {
    let d = "
        syscall::read:return /uid/ { printf(\"%s %d\", copyinstr(arg1), arg0); }
        ERROR { printf(\"%s\", execname); }
        ";
    let ir = "
        k0 = printf in c0 stmt 1 (string, i64) format %s \" \" %d64
        k1 = printf in c1 stmt 1 (string) format %s
        enable c0 on p0, p1
        enable c1 on p4
        clause c0 @0..70 {
        b0:
            i0 = builtin uid
            branch i0 ? b1 : b2 merge b2
        b1:
          stmt 1
            i1 = builtin arg1
            s2 = call copyinstr(i1) @45..60
            i3 = builtin arg0 @62..66
            record k0 (s2, i3)
            goto b2
        b2:
            return
        }
        clause c1 @71..105 {
        b0:
          stmt 1
            s0 = builtin execname
            record k1 (s0)
            return
        }
        ";
    check(
        d,
        ir,
        PlanOptions::default(),
        "
        clause 0 (line 1): syscall::read:entry and 1 more
          kernel: decides 1 branch, captures 2 values
          user:   printf
          sends:  40 bytes
            $0 string: `copyinstr(arg1)`, 8 bytes and its bytes
            $1 integer: `arg0`, 8 bytes
        clause 1 (line 2): dtrace:::ERROR
          fired by a fault: all in user space: printf
        records
          syscall::read:entry and 1 more: clause 0: 80 bytes an event and up to 1 string
            with execname for all clauses
        ",
    );
}
