//! Whole runs from IR text to the bytes of both streams.

mod aborts;
mod allocations;
mod dumps;
mod rates;
mod records;
mod speculation;

use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::ir::parse;

use super::*;
use crate::agg::sort::SortOptions;
use crate::event::Exited;
use crate::event::ExitedHow;
use crate::format::printa::AggStyle;
use crate::interp::Interp;
use crate::output::CaptureOutput;
use crate::runtime::Space;
use crate::testing::{FakeEvent, ListSource, Script, user_plan};

/// Probes that every program here may use.
const PROBES: &str = "\
p0 = probe 1 dtrace:::BEGIN tracer
p1 = probe 2 dtrace:::END tracer
p2 = probe 3 dtrace:::ERROR fault
p3 = probe 9 profile:::tick-1s tracer
p4 = probe 42 syscall:vmlinux:read:entry source
";

struct Ran {
    result: Result<Outcome, Error>,
    output: CaptureOutput,
    calls: Vec<&'static str>,
}

fn run_with(program: &str, settings: &Settings, mut source: ListSource, mut output: CaptureOutput) -> Ran {
    let program = parse::program(&format!("{PROBES}{program}")).expect("IR of this test");
    let plan = user_plan(program);
    let host = source.host.clone();
    let interrupts = source.interrupts.clone();
    let result =
        run(&plan, &mut source, &mut Interp::default(), &host, &mut output, settings, &*interrupts, None);
    Ran { result, output, calls: source.calls }
}

fn quiet() -> Settings {
    Settings { quiet: true, ..Settings::default() }
}

/// Runs a program over a script and compares both streams and the exit status.
fn check(program: &str, settings: &Settings, script: Vec<Script>, out: &str, err: &str, status: u8) {
    let ran = run_with(program, settings, ListSource::new(script), CaptureOutput::default());
    assert_eq!(String::from_utf8_lossy(&ran.output.out), out, "the output stream");
    assert_eq!(String::from_utf8_lossy(&ran.output.err), err, "standard error");
    assert_eq!(ran.result, Ok(Outcome { status }));
}

fn read(at: u64, pid: i64) -> Script {
    let ints = vec![(BuiltinVar::Pid, 0, pid), (BuiltinVar::Cpu, 0, 3)];
    Script::Event(FakeEvent { probe: 4, at, ints, execname: "cat", ..FakeEvent::default() })
}

/// `BEGIN { exit(0); }`
const EXIT: &str = "\
k0 = exit in c0 stmt 1 (i32)
enable c0 on p0
clause c0 {
b0:
  stmt 1
    i0 = 0
    record k0 (i0)
    return
}
";

#[test]
fn exit_makes_a_row_and_every_run_ends_in_a_newline() {
    let rows =
        "CPU     ID                    FUNCTION:NAME\n  0      1                           :BEGIN \n\n";
    check(EXIT, &Settings::default(), vec![], rows, "", 0);
    check(EXIT, &quiet(), vec![], "\n", "", 0);
    let testing = Settings { testing: true, ..Settings::default() };
    check(
        EXIT,
        &testing,
        vec![],
        "                   FUNCTION:NAME\n                          :BEGIN \n\n",
        "",
        0,
    );
}

#[test]
fn sources_are_called_in_order() {
    let ran = run_with(EXIT, &quiet(), ListSource::default(), CaptureOutput::default());
    assert_eq!(ran.calls, ["attach", "shut", "detach"], "after an exit in BEGIN the gate stays shut");
    let ran = run_with("", &quiet(), ListSource::default(), CaptureOutput::default());
    assert_eq!(ran.calls, ["attach", "open", "shut", "detach"]);
    let source = ListSource { fail_attach: true, ..ListSource::default() };
    let ran = run_with(EXIT, &quiet(), source, CaptureOutput::default());
    assert_eq!(ran.result, Err(Error::new("could not enable tracing: no such thing").help("try another")));
    assert_eq!(ran.calls, ["attach", "detach"]);
    assert!(ran.output.out.is_empty());
}

/// Three clauses of `BEGIN`: one without a record, one that exits with 259, one that must not run; `END` replaces.
#[test]
fn exit_skips_later_clauses_and_the_last_status_counts() {
    let program = "\
k0 = exit in c1 stmt 1 (i32)
k1 = printf in c1 stmt 2 (i32) format \"x=\" %d32 \"|\"
k2 = printf in c2 stmt 1 () format \"never\"
k3 = printf in c3 stmt 1 () format \"end\"
var x: i32
enable c0 on p0
enable c1 on p0
enable c2 on p0
enable c3 on p1
enable c2 on p4
clause c0 {
b0:
    i0 = 7
    set x = i0
    return
}
clause c1 {
b0:
    i0 = 259
    record k0 (i0)
    i1 = get x
    record k1 (i1)
    return
}
clause c2 {
b0:
    record k2 ()
    return
}
clause c3 {
b0:
    record k3 ()
    return
}
";
    check(program, &quiet(), vec![read(1, 1)], "x=7|end\n", "", 3);
    let replaced = program.replace("record k3 ()", "record k3 ()\n    i0 = 6\n    record k0 (i0)");
    let replaced = replaced.replace("b0:\n    record k3", "  regs i0\nb0:\n    record k3");
    check(&replaced.replace("  regs i0\n", ""), &quiet(), vec![], "x=7|end\n", "", 6);
}

/// `syscall::read:entry /pid == 7/ { printf("%s %d\n", execname, ++n); }  tick-1s { exit(n); }`
#[test]
fn events_and_ticks_come_in_the_order_of_time() {
    let program = "\
var n: i32
k0 = printf in c0 stmt 1 (string, i32) format %s \" \" %d32 \"\\n\"
k1 = exit in c1 stmt 1 (i32)
enable c0 on p4
enable c1 on p3
clause c0 {
b0:
    i0 = builtin pid
    i1 = 7
    i2 = eq i0, i1
    branch i2 ? b1 : b2 merge b2
b1:
  stmt 1
    i3 = get n
    i4 = 1
    i5 = add i3, i4
    i6 = sext32 i5
    set n = i6
    s7 = builtin execname
    record k0 (s7, i6)
    goto b2
b2:
    return
}
clause c1 {
b0:
    i0 = get n
    record k1 (i0)
    return
}
";
    let script = || vec![read(5, 7), read(6, 8), read(999_999_999, 7), read(1_000_000_001, 7)];
    check(program, &quiet(), script(), "cat 1\ncat 2\n\n", "", 2);
    check(
        program,
        &Settings::default(),
        script(),
        "CPU     ID                    FUNCTION:NAME
  3     42                       read:entry cat 1\n
  3     42                       read:entry cat 2\n
  0      9                         :tick-1s \n\n",
        "",
        2,
    );
}

/// A fault drops its clause's record and nothing else; `ERROR` sees the arguments of language spec §12.3.
const FAULTY: &str = "\
var x: i32
var z: i32
k0 = printf in c0 stmt 1 () format \"lost\"
k1 = printf in c1 stmt 1 (i32) format \"x=\" %d32 \" \"
k2 = printf in c2 stmt 1 (i64, i64, i64, i64, i64, i32, string) format \"E\" %d64 \",\" %d64 \",\" %d64 \",\" %d64 \",\" %x64 \" id \" %d32 \" \" %s \" \"
enable c0 on p0, p4
enable c1 on p0, p4
enable c2 on p2
clause c0 {
b0:
  stmt 1
    record k0 ()
    i0 = 5
    set x = i0
    i1 = get z
    i2 = divs i0, i1
    set x = i2
    return
}
clause c1 {
b0:
    i0 = get x
    record k1 (i0)
    return
}
clause c2 {
b0:
    i0 = builtin arg1
    i1 = builtin arg2
    i2 = builtin arg3
    i3 = builtin arg4
    i4 = builtin arg5
    i5 = builtin id
    s6 = builtin execname
    record k2 (i0, i1, i2, i3, i4, i5, s6)
    return
}
";

#[test]
fn a_fault_fires_error_and_the_rest_goes_on() {
    check(
        FAULTY,
        &quiet(),
        vec![read(1, 1)],
        "x=5 E1,0,4,4,ffffffffffffffff id 3 dtrace E42,0,4,4,ffffffffffffffff id 3 cat x=5 \n",
        "dtrace: error in dt_clause_0 for probe ID 1 (dtrace:::BEGIN): divide-by-zero at insn 4\n\
         dtrace: error in dt_clause_0 for probe ID 42 (syscall:vmlinux:read:entry): divide-by-zero at insn 4\n",
        0,
    );
    let named = Settings { program: "dtrail".to_owned(), ..Settings::default() };
    let without = FAULTY.replace("enable c2 on p2\n", "");
    check(
        &without,
        &named,
        vec![],
        "CPU     ID                    FUNCTION:NAME\n  0      1                           :BEGIN x=5 \n\n",
        "dtrail: error in dt_clause_0 for probe ID 1 (dtrace:::BEGIN): divide-by-zero at insn 4\n",
        0,
    );
}

#[test]
fn rows_of_begin_come_before_those_of_error() {
    check(
        FAULTY,
        &Settings::default(),
        vec![],
        "CPU     ID                    FUNCTION:NAME
  0      1                           :BEGIN x=5 
  0      3                           :ERROR E1,0,4,4,ffffffffffffffff id 3 dtrace \n\n",
        "dtrace: error in dt_clause_0 for probe ID 1 (dtrace:::BEGIN): divide-by-zero at insn 4\n",
        0,
    );
}

#[test]
fn a_fault_in_error_is_counted_only() {
    let program = FAULTY.replace("    i0 = builtin arg1\n", "    i0 = 0\n    i0 = divu i0, i0\n");
    check(
        &program,
        &Settings { droptags: true, ..quiet() },
        vec![],
        "x=5 \n",
        "dtrace: error in dt_clause_0 for probe ID 1 (dtrace:::BEGIN): divide-by-zero at insn 4\n\
         dtrace: [DTRACEDROP_DBLERROR] 1 error in ERROR probe enabling\n",
        0,
    );
}

#[test]
fn an_exit_in_error_ends_the_run() {
    let program = "\
k0 = exit in c1 stmt 1 (i32)
k1 = printf in c2 stmt 1 () format \"never\"
enable c0 on p0
enable c1 on p2
enable c2 on p0
clause c0 {
b0:
    i0 = 32
    i1 = load i32 any [i0]
    return
}
clause c1 {
b0:
    i0 = 5
    record k0 (i0)
    return
}
clause c2 {
b0:
    record k1 ()
    return
}
";
    let message =
        "dtrace: error in dt_clause_0 for probe ID 1 (dtrace:::BEGIN): invalid address (0x20) at insn 1\n";
    check(program, &quiet(), vec![read(1, 1)], "\n", message, 5);
}

/// `syscall::read:entry { @[execname] = count(); @b = sum(pid); }`, then what a tick does with them.
fn counting(actions: &str) -> String {
    format!(
        "\
agg @_[string]: count
agg @b[]: sum
g0 = @_ in c0
g1 = @b in c0
k0 = printa in c1 stmt 1 () aggs @_
k1 = clear in c1 stmt 2 () agg @_
k2 = trunc in c1 stmt 2 () agg @_
k3 = trunc in c1 stmt 2 (i64) agg @b
k4 = printa in c1 stmt 1 () aggs @_ format %s \"=\" %@d64 \" \"
enable c0 on p4
enable c1 on p3
clause c0 {{
b0:
    s0 = builtin execname
    aggregate g0 [s0]
    i1 = builtin pid
    aggregate g1 [] (i1)
    return
}}
clause c1 {{
b0:
{actions}
    return
}}
"
    )
}

#[test]
fn unprinted_aggregations_come_at_the_end() {
    let script = || vec![read(1, 10), read(2, -3), read(1_500_000_000, 1)];
    let entry = |count| format!("  {:50}{count:17}\n", "cat");
    check(&counting(""), &quiet(), script(), &format!("\n{}{:17}\n", entry(3), 8), "", 0);
    check(&counting("    record k0 ()"), &quiet(), script(), &format!("\n{}\n{:17}\n", entry(2), 8), "", 0);
    let sort = SortOptions { reverse: true, ..SortOptions::default() };
    let reversed = Settings { aggs: AggStyle { sort, ..AggStyle::default() }, ..quiet() };
    check(&counting(""), &reversed, script(), &format!("\n{:17}\n{}", 8, entry(3)), "", 0);
}

#[test]
fn clear_and_trunc_act_in_the_order_of_records() {
    let script = || vec![read(1, 10), read(2, -3), read(1_500_000_000, 1), read(2_500_000_000, 1)];
    for (actions, expected) in [
        ("    record k4 ()\n    record k1 ()", "cat=2 cat=1 \n"),
        ("    record k1 ()\n    record k4 ()", "cat=0 cat=0 \n"),
        ("    record k2 ()\n    record k4 ()", "\n"),
    ] {
        let sum = format!("{:17}\n", 9);
        check(
            &counting(actions),
            &quiet(),
            script(),
            &format!("{expected}{}", entry_or(actions, &sum)),
            "",
            0,
        );
    }
    let actions = "    i0 = 0\n    record k3 (i0)\n    record k4 ()";
    check(&counting(actions), &quiet(), script(), &format!("cat=2 cat=3 \n{:17}\n", 1), "", 0);
}

/// After `trunc` alone nothing of `@` was printed, so its last entry comes at the end, before `@b`.
fn entry_or(actions: &str, sum: &str) -> String {
    match actions.contains("k2") {
        true => format!("  {:50}{:17}\n{sum}", "cat", 1),
        false => sum.to_owned(),
    }
}

/// `BEGIN { @b = sum(1); printa(@b); } BEGIN { @b = sum(5); }`: records are printed when the firing is over.
#[test]
fn printa_shows_what_its_whole_firing_counted() {
    let program = "\
agg @b[]: sum
g0 = @b in c0
k0 = printa in c0 stmt 2 () aggs @b
enable c0 on p0
enable c1 on p0
clause c0 {
b0:
    i0 = 1
    aggregate g0 [] (i0)
    record k0 ()
    return
}
clause c1 {
b0:
    i0 = 5
    aggregate g0 [] (i0)
    return
}
";
    check(program, &quiet(), vec![], "\n                6\n\n", "", 0);
}

#[test]
fn full_stores_are_reported_as_losses() {
    let program = counting("");
    let small = Settings { space: Space { aggsize: 1, ..Space::default() }, ..quiet() };
    let mut other = FakeEvent { probe: 4, at: 2, execname: "ls", ..FakeEvent::default() };
    other.ints = vec![(BuiltinVar::Cpu, 0, 1)];
    check(
        &program,
        &small,
        vec![read(1, 1), Script::Event(other)],
        &format!("\n  {:50}{:17}\n{:17}\n", "cat", 1, 1),
        "dtrace: 1 aggregation drop on CPU 1\ndtrace: help: a larger `-x aggsize` holds more keys\n",
        0,
    );

    let program = "\
var a[i32]: i32
k0 = printf in c0 stmt 2 (i32) format %d32 \" \"
enable c0 on p4
clause c0 {
b0:
    i0 = builtin pid
    i1 = 9
    set a[i0] = i1
    i2 = get a[i0]
    record k0 (i2)
    return
}
";
    let small = Settings { space: Space { dynvarsize: 1, ..Space::default() }, ..quiet() };
    let script = vec![read(1, 1), read(2, 2), read(3, 1), read(4, 3)];
    check(
        program,
        &small,
        script,
        "9 9 \n",
        "dtrace: 2 dynamic variable drops\ndtrace: help: set variables to 0 when they are done with, or raise `-x dynvarsize`\n",
        0,
    );
}

#[test]
fn losses_are_reported_at_the_status_rate() {
    let lost = |n| Script::Drops(Drops { principal: vec![(0, n)], ..Drops::default() });
    check(
        "",
        &quiet(),
        vec![lost(1), lost(2), Script::Until(1_500_000_000), lost(4)],
        "\n",
        "dtrace: 3 drops on CPU 0\ndtrace: help: a larger `-x bufsize` holds more records\ndtrace: 4 drops on CPU 0\n",
        0,
    );
}

#[test]
fn an_interrupt_ends_the_run_and_a_second_one_skips_the_last_print() {
    let print =
        format!("{}enable c2 on p1\nclause c2 {{\nb0:\n    record k5 ()\n    return\n}}\n", counting(""));
    let print =
        print.replace("enable c0 on p4\n", "k5 = printf in c2 stmt 1 () format \"e\"\nenable c0 on p4\n");
    let entries = format!("  {:50}{:17}\n{:17}\n", "cat", 1, 7);
    let script = || vec![read(1, 7), Script::Interrupt];
    check(&print, &quiet(), script(), &format!("\ne\n{entries}"), "", 0);

    // The first one came before the gate opened, the second makes it impatient.
    let left = "dtrace: output is incomplete, because the end was asked for twice: the rest of @_, @b\n";
    for (count, expected, said) in [(1, format!("\ne\n{entries}"), ""), (2, "\ne\n".to_owned(), left)] {
        let source = ListSource::new(vec![read(1, 7)]);
        source.interrupts.store(count, std::sync::atomic::Ordering::Relaxed);
        let ran = run_with(&print, &quiet(), source, CaptureOutput::default());
        assert_eq!(String::from_utf8_lossy(&ran.output.out), expected, "{count} interrupts");
        assert_eq!(String::from_utf8_lossy(&ran.output.err), said, "{count} interrupts");
        assert_eq!(ran.calls, ["attach", "shut", "detach"]);
    }
}

#[test]
fn commands_that_wait_do_not_run_when_the_end_was_asked_for_twice() {
    let program = "k0 = system in c0 stmt 0 () format \"true\"\nenable c0 on p4\nclause c0 {\nb0:\n    record k0 ()\n    return\n}\n";
    for (count, expected) in [(0, 2), (1, 2), (2, 0)] {
        let source = ListSource::new(vec![read(1, 7), read(2, 7)]);
        source.interrupts.store(count, std::sync::atomic::Ordering::Relaxed);
        let commands = source.host.commands.clone();
        let ran = run_with(program, &quiet(), source, CaptureOutput::default());
        assert_eq!((ran.result, commands.borrow().len()), (Ok(Outcome { status: 0 }), expected), "{count}");
    }
}

#[test]
fn ends_of_processes_are_told_unless_quiet() {
    let script = || {
        let ended = |pid, how| Script::Exited(Exited { pid, how: Some(how) });
        vec![ended(7, ExitedHow::Status(0)), ended(8, ExitedHow::Status(2)), ended(9, ExitedHow::Signal(11))]
    };
    check("", &quiet(), script(), "\n", "", 0);
    let told = "dtrace: pid 8 exited with status 2\ndtrace: pid 9 terminated by SIGSEGV\n";
    check("", &Settings::default(), script(), "\n", told, 0);
}

#[test]
fn a_closed_pipe_ends_the_run_quietly_and_a_full_disk_does_not() {
    for (failure, expected) in [
        (WriteError::Closed, Ok(Outcome { status: 0 })),
        (
            WriteError::Failed("No space left on device".to_owned()),
            Err(Error::new("processing aborted: No space left on device")),
        ),
    ] {
        let source = ListSource { endless: true, ..ListSource::new(vec![read(1, 7)]) };
        let output = CaptureOutput { failure: Some(failure), ..CaptureOutput::default() };
        let ran = run_with(&counting(""), &quiet(), source, output);
        assert_eq!(ran.result, expected);
        assert_eq!(ran.calls.last(), Some(&"detach"));
        assert!(ran.output.err.is_empty());
    }
}

#[test]
fn rows_become_visible_at_each_drain_or_at_the_switch_rate() {
    let program = counting("").replace("    aggregate g0 [s0]", "    record k4 ()");
    let flushes = |settings: &Settings| {
        let script = vec![read(1, 7), read(2, 7), read(3, 7), Script::Until(2_500_000_000)];
        let program = program.replace("k4 = printa in c1", "k4 = printa in c0");
        let program = program.replace("aggs @_ format %s \"=\" %@d64 \" \"", "aggs @b format %@d64 \" \"");
        let ran = run_with(&program, settings, ListSource::new(script), CaptureOutput::default());
        assert_eq!(String::from_utf8_lossy(&ran.output.out), "7 14 21 \n");
        ran.output.flushes
    };
    assert_eq!(flushes(&quiet()), 4);
    assert_eq!(flushes(&Settings { switchrate: 2_000_000_000, ..quiet() }), 2);
}

#[test]
fn terminals_get_traced_control_characters_escaped() {
    let program = "\
k0 = printf in c0 stmt 1 (string) format \"\\x1b[1m\" %-6s \"|\"
k1 = trace in c0 stmt 2 (string)
enable c0 on p4
clause c0 {
b0:
    s0 = builtin execname
    record k0 (s0)
    record k1 (s0)
    return
}
";
    let run = |terminal| {
        let event = FakeEvent { probe: 4, at: 1, execname: "a\x1bb", ..FakeEvent::default() };
        let output = CaptureOutput { terminal, ..CaptureOutput::default() };
        let ran = run_with(program, &quiet(), ListSource::new(vec![Script::Event(event)]), output);
        String::from_utf8(ran.output.out).expect("text")
    };
    assert_eq!(run(false), "\x1b[1ma\x1bb   |a\x1bb\n");
    assert_eq!(run(true), "\x1b[1ma\\033b|a\\033b\n", "the program's own text stays");
}
