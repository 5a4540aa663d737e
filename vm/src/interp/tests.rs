//! Every op on its own: IR text and an event in, the recorded values and the ending out.

use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::ir::inst::SCRATCH_BASE;
use dtrail_lang::ir::{ClauseId, ProbeIndex, parse};
use dtrail_lang::plan::{Plan, Side};

use super::*;
use crate::engine::{Ending, Input};
use crate::event::KernelState;
use crate::jit::Jit;
use crate::runtime::{Space, World};
use crate::testing::{FakeEvent, FakeKernel, user_plan};
use crate::value::Value;

/// What a clause did.
#[derive(Debug, PartialEq)]
struct Ran {
    ending: Ending,
    recorded: Vec<Value>,
}

const STRSIZE: usize = 16;

/// Tables that every clause here may use.
const TABLES: &str = "\
limits strsize 16 scratchsize 32
p0 = probe 42 syscall:vmlinux:read:entry
var g: i64
var gs: string
var this->l: string
var self->t: i64
var self->s: string
var a[i32, string]: i64
var self->b[i32]: string
agg @_[string]: count
g0 = @_ in c0
";

/// Parses a clause that records its result registers with `record k0 (…)`.
fn plan(code: &str) -> Plan {
    let types = match code.rsplit_once("record k0 (") {
        Some((_, args)) => {
            let args = args.split(')').next().unwrap_or_default();
            let types = args.split(", ").filter(|arg| !arg.is_empty());
            types
                .map(|arg| if arg.starts_with('s') { "string" } else { "i64" })
                .collect::<Vec<_>>()
                .join(", ")
        }
        None => String::new(),
    };
    let site = format!("k0 = trace in c0 stmt 1 ({types})");
    let text = format!("{TABLES}{site}\nenable c0 on p0\nclause c0 number 5 {{\nb0:\n{code}\n    return\n}}");
    user_plan(parse::program(&text).unwrap_or_else(|error| panic!("{error} in\n{text}")))
}

fn run_in(plan: &Plan, world: &mut World, event: &mut FakeEvent, kernel: Option<&mut FakeKernel>) -> Ran {
    run_on(&mut Interp::default(), plan, world, event, kernel)
}

fn run_on(
    engine: &mut dyn Engine,
    plan: &Plan,
    world: &mut World,
    event: &mut FakeEvent,
    kernel: Option<&mut FakeKernel>,
) -> Ran {
    world.begin_firing(plan);
    let code = &plan.program.clauses[0];
    let kernel = kernel.map(|kernel| kernel as &mut dyn KernelState);
    let mut run = Run::new(plan, world, Input::Live(event), kernel, ProbeIndex(0), ClauseId(0));
    let stopped = engine.run(ClauseId(0), code, &mut run);
    let ending = run.ending(stopped);
    let mut recorded = Vec::new();
    if let Some(row) = world.records.commit() {
        for (site, first) in world.records.actions(row) {
            let types = &plan.program.sites[site.index()].args;
            let values = types.iter().zip(first..).map(|(ty, i)| world.records.value(i, ty.reg_kind()));
            recorded.extend(values.map(crate::value::ValueRef::to_value));
        }
    }
    Ran { ending, recorded }
}

/// Runs a clause on both engines, which must agree.
fn run(code: &str, event: &mut FakeEvent) -> Ran {
    let plan = plan(code);
    let mut on = |engine: &mut dyn Engine| {
        run_on(engine, &plan, &mut World::new(&plan, Space::default()), event, None)
    };
    let ran = on(&mut Interp::default());
    assert_eq!(on(&mut Jit::after(0)), ran, "compiled: {code}");
    ran
}

/// Checks what a clause records over an event.
fn check_event(code: &str, event: &mut FakeEvent, expected: &[Value]) {
    assert_eq!(run(code, event), Ran { ending: Ending::Done, recorded: expected.to_vec() }, "{code}");
}

fn check(code: &str, expected: &[Value]) {
    check_event(code, &mut FakeEvent::default(), expected);
}

/// Checks the fault that a clause ends with.
fn check_fault(code: &str, kind: FaultKind, value: u64, point: u32) {
    let ran = run(code, &mut memory());
    let raised = Raised { kind, value };
    assert_eq!(ran.ending, Ending::Fault { raised, point }, "{code}");
}

fn int(value: i64) -> Value {
    Value::Int(value)
}

fn text(bytes: &[u8]) -> Value {
    Value::Str(Some(bytes.into()))
}

const NULL_STRING: Value = Value::Str(None);

/// An event with a bit of memory at 4096.
fn memory() -> FakeEvent {
    FakeEvent { memory: vec![(4096, b"passwd\0\xff\xfe")], execname: "cat", ..FakeEvent::default() }
}

#[test]
fn arithmetic() {
    const MIN: i64 = i64::MIN;
    for (op, a, b, result) in [
        ("add", i64::MAX, 1, MIN),
        ("sub", MIN, 1, i64::MAX),
        ("mul", 1 << 62, 4, 0),
        ("divs", -7, 2, -3),
        ("divs", MIN, -1, MIN),
        ("divu", -1, 2, i64::MAX),
        ("rems", -19, 5, -4),
        ("rems", 19, -5, 4),
        ("rems", MIN, -1, 0),
        ("remu", -1, 10, 5),
        ("and", 12, 10, 8),
        ("or", 12, 10, 14),
        ("xor", 12, 10, 6),
        ("shl", 1, 65, 2),
        ("shl", 1, -1, MIN),
        ("shrs", -8, 1, -4),
        ("shru", -1, 63, 1),
        ("shru", -1, 64, -1),
        ("eq", 1, 1, 1),
        ("ne", 1, 1, 0),
        ("lts", -1, 1, 1),
        ("les", 1, 1, 1),
        ("ltu", -1, 1, 0),
        ("leu", 1, -1, 1),
    ] {
        check(
            &format!("    i0 = {a}\n    i1 = {b}\n    i2 = {op} i0, i1\n    record k0 (i2)"),
            &[int(result)],
        );
    }
    for (op, a, result) in [
        ("neg", MIN, MIN),
        ("not", 0, -1),
        ("sext8", 0xef, -17),
        ("zext8", -17, 0xef),
        ("sext16", 0x1_8000, -32768),
        ("zext32", -1, 0xffff_ffff),
        ("sext32", 0xffff_ffff, -1),
    ] {
        check(&format!("    i0 = {a}\n    i1 = {op} i0\n    i2 = i1\n    record k0 (i2)"), &[int(result)]);
    }
    for op in ["divs", "divu", "rems", "remu"] {
        check_fault(
            &format!("    i0 = 1\n    i1 = 0\n    i2 = {op} i0, i1"),
            FaultKind::DivZero,
            u64::MAX,
            2,
        );
    }
}

#[test]
fn branches() {
    for (condition, result) in [(0, 2), (1, 1), (1_i64 << 40, 1)] {
        let code = format!(
            "    i0 = {condition}
    branch i0 ? b1 : b2 merge b3
b1:
    i1 = 1
    goto b3
b2:
    i1 = 2
    goto b3
b3:
    record k0 (i1)"
        );
        check(&code, &[int(result)]);
    }
}

#[test]
fn string_comparison() {
    for (a, b, order) in [
        ("\"ab\"", "\"abc\"", -1),
        ("\"\"", "\"a\"", -1),
        ("\"b\"", "\"a\"", 1),
        ("\"a\"", "\"a\"", 0),
        ("null", "null", 0),
        ("null", "\"\"", -1),
        ("\"\\xff\"", "\"a\"", 1),
    ] {
        let holds = |op: &str| match op {
            "streq" => order == 0,
            "strne" => order != 0,
            "strltu" => order < 0,
            _ => order <= 0,
        };
        for op in ["streq", "strne", "strltu", "strleu"] {
            let code = format!("    s0 = {a}\n    s1 = {b}\n    i2 = {op} s0, s1\n    record k0 (i2)");
            check(&code, &[int(i64::from(holds(op)))]);
        }
    }
}

#[test]
fn constants_are_cut_at_strsize() {
    check(
        "    s0 = \"0123456789abcdefgh\"\n    s1 = null\n    record k0 (s0, s1)",
        &[text(b"0123456789abcdef"), NULL_STRING],
    );
}

#[test]
fn builtins() {
    let mut event = memory();
    event.ints = vec![(BuiltinVar::Arg, 3, -9), (BuiltinVar::Pid, 0, 7), (BuiltinVar::Arg, 0, 1)];
    check_event(
        "    i0 = builtin arg3\n    i1 = builtin pid\n    i2 = builtin id\n    i3 = builtin epid\n    i4 = builtin ipl\n    record k0 (i0, i1, i2, i3, i4)",
        &mut event,
        &[int(-9), int(7), int(42), int(42 << 32 | 5), int(0)],
    );
    check_event(
        "    s0 = builtin execname\n    s1 = builtin probeprov\n    s2 = builtin probemod\n    s3 = builtin probefunc\n    s4 = builtin probename\n    record k0 (s0, s1, s2, s3, s4)",
        &mut event,
        &[text(b"cat"), text(b"syscall"), text(b"vmlinux"), text(b"read"), text(b"entry")],
    );
}

#[test]
fn memory_of_the_event() {
    for (size, at, result) in
        [("u8", 4096, 0x70), ("i8", 4103, -1), ("u16", 4103, 0xfeff), ("u32", 4096, 0x7373_6170)]
    {
        let code = format!("    i0 = {at}\n    i1 = load {size} user [i0]\n    record k0 (i1)");
        check_event(&code, &mut memory(), &[int(result)]);
    }
    check_event(
        "    i0 = 4097\n    s1 = loadstr any [i0] limit 99\n    s2 = loadstr any [i0] limit 3\n    record k0 (s1, s2)",
        &mut memory(),
        &[text(b"asswd"), text(b"ass")],
    );
    check_fault("    i0 = 64\n    i1 = load i32 any [i0]", FaultKind::BadAddr, 64, 1);
    check_fault("    i0 = 64\n    s1 = loadstr user [i0] limit 5", FaultKind::BadAddr, 64, 1);
    let scratch = SCRATCH_BASE as i64;
    check_fault(
        &format!("    i0 = {scratch}\n    i1 = load u8 any [i0]"),
        FaultKind::BadAddr,
        SCRATCH_BASE,
        1,
    );
}

#[test]
fn scratch_memory() {
    let copied = "    i0 = 4096\n    i1 = 6\n    i2 = call copyin(i0, i1)\n";
    check_event(
        &format!(
            "{copied}    i3 = 4\n    i4 = call copyin(i0, i3)\n    i5 = 120\n    store u8 [i4] = i5\n    s6 = loadstr scratch [i2] limit 99\n    s7 = loadstr scratch [i4] limit 3\n    i8 = load u16 scratch [i4]\n    record k0 (i2, i4, s6, s7, i8)"
        ),
        &mut memory(),
        &[int(SCRATCH_BASE as i64), int(SCRATCH_BASE as i64 + 8), text(b"passwd"), text(b"xas"), int(0x6178)],
    );
    let beyond = SCRATCH_BASE + 8;
    check_fault(
        &format!("{copied}    i3 = {beyond}\n    i4 = load u8 scratch [i3]"),
        FaultKind::BadAddr,
        beyond,
        4,
    );
    let crossing = SCRATCH_BASE + 5;
    check_fault(
        &format!("{copied}    i3 = {crossing}\n    i4 = load u32 scratch [i3]"),
        FaultKind::BadAddr,
        crossing,
        4,
    );
    check_fault(&format!("{copied}    store u64 [i0] = i0"), FaultKind::BadAddr, 4096, 3);
    check_fault(&format!("{copied}    s3 = loadstr scratch [i0] limit 1"), FaultKind::BadAddr, 4096, 3);
    let size = "    i0 = 4096\n    i1 = 33\n    i2 = call copyin(i0, i1)";
    check_fault(size, FaultKind::BadSize, 33, 2);
    check_fault("    i0 = 64\n    i1 = 4\n    i2 = call copyin(i0, i1)", FaultKind::BadAddr, 64, 2);
    let twice = "    i0 = 4096\n    i1 = 8\n    i2 = call copyin(i0, i1)\n".repeat(5);
    check_fault(&twice, FaultKind::NoScratch, u64::MAX, 14);
}

#[test]
fn copyinstr() {
    for (max, result) in [("", "passwd"), (", i1", "pas")] {
        let code = format!("    i0 = 4096\n    i1 = 4\n    s2 = call copyinstr(i0{max})\n    record k0 (s2)");
        check_event(&code, &mut memory(), &[text(result.as_bytes())]);
    }
    let one = "    i0 = 4096\n    i1 = 1\n    s2 = call copyinstr(i0, i1)\n    record k0 (s2)";
    check_event(one, &mut memory(), &[text(b"")]);
    check_fault("    i0 = 4096\n    i1 = 0\n    s2 = call copyinstr(i0, i1)", FaultKind::BadAddr, 4096, 2);
    check_fault("    i0 = 64\n    i1 = 1\n    s2 = call copyinstr(i0, i1)", FaultKind::BadAddr, 64, 2);
    let mut long = FakeEvent { memory: vec![(4096, &[b'x'; 64])], ..FakeEvent::default() };
    check_event(
        "    i0 = 4096\n    s1 = call copyinstr(i0)\n    record k0 (s1)",
        &mut long,
        &[text(&[b'x'; STRSIZE - 1])],
    );
}

#[test]
fn string_subroutines() {
    let call = |setup: &str, call: &str, result: Value| {
        let kind = if matches!(result, Value::Int(_)) { 'i' } else { 's' };
        let register = format!("{kind}{}", setup.lines().count());
        check(&format!("{setup}\n    {register} = call {call}\n    record k0 ({register})"), &[result]);
    };
    let two = |a: &str, b: &str| format!("    s0 = {a}\n    s1 = {b}");
    call(&two("\"hello\"", "null"), "strlen(s0)", int(5));
    call(&two("\"ab\"", "\"cd\""), "strjoin(s0, s1)", text(b"abcd"));
    call(&two("\"0123456789\"", "\"0123456789\""), "strjoin(s0, s1)", text(b"0123456789012345"));
    call(&two("\"foobar\"", "\"ob\""), "strstr(s0, s1)", text(b"obar"));
    call(&two("\"foobar\"", "\"\""), "strstr(s0, s1)", text(b"foobar"));
    call(&two("\"foobar\"", "\"x\""), "strstr(s0, s1)", NULL_STRING);
    let from = |start: i64| format!("{}\n    i2 = {start}", two("\"foobarbar\"", "\"bar\""));
    call(&from(0), "index(s0, s1)", int(3));
    call(&from(4), "index(s0, s1, i2)", int(6));
    call(&from(-5), "index(s0, s1, i2)", int(3));
    call(&from(7), "index(s0, s1, i2)", int(-1));
    let part =
        |start: i64, count: i64| format!("    s0 = \"abcdefghijklmnop\"\n    i1 = {start}\n    i2 = {count}");
    call(&part(2, -10), "substr(s0, i1, i2)", text(b"cdef"));
    call(&part(14, 0), "substr(s0, i1)", text(b"op"));
    call(&part(16, 0), "<suffix>(s0, i1)", text(b""));
    call(&part(99, 0), "<suffix>(s0, i1)", text(b""));
    call(&part(-1, 0), "<suffix>(s0, i1)", text(b""));
    call(&part(14, 0), "<suffix>(s0, i1)", text(b"op"));
    call(&part(1, 1), "<byte>(s0, i1, i2)", int(98));
    call(&part(99, 0), "<byte>(s0, i1, i2)", int(0));
    call("    s0 = \"\\xff\"\n    i1 = 0", "<byte>(s0, i1, i1)", int(-1));
    call("    s0 = \"/a/b/\"", "basename(s0)", text(b"b"));
    call("    s0 = \"\"", "basename(s0)", text(b"."));
    call("    s0 = \"a//b/\"", "dirname(s0)", text(b"a"));
    call("    s0 = \"a\"", "dirname(s0)", text(b"."));
    check_fault(&format!("{}\n    i3 = call <byte>(s0, i1, i2)", part(16, 1)), FaultKind::BadIndex, 16, 3);
    check_fault(
        &format!("{}\n    i3 = call <byte>(s0, i1, i2)", part(-1, 1)),
        FaultKind::BadIndex,
        u64::MAX,
        3,
    );
}

#[test]
fn null_has_no_bytes() {
    let setup = "    s0 = null\n    s1 = \"x\"\n    i2 = 0\n";
    for call in [
        "i3 = call strlen(s0)",
        "s3 = call strjoin(s0, s1)",
        "s3 = call strjoin(s1, s0)",
        "s3 = call strstr(s1, s0)",
        "i3 = call index(s0, s1)",
        "s3 = call substr(s0, i2)",
        "s3 = call basename(s0)",
        "s3 = call dirname(s0)",
        "s3 = call <suffix>(s0, i2)",
        "i3 = call <byte>(s0, i2, i2)",
    ] {
        check_fault(&format!("{setup}    {call}"), FaultKind::BadAddr, 0, 3);
    }
}

#[test]
fn variables() {
    check(
        "    i0 = get g\n    s1 = get gs\n    s2 = get this->l\n    i3 = get self->t\n    s4 = get self->s\n    record k0 (i0, s1, s2, i3, s4)",
        &[int(0), text(b""), text(b""), int(0), NULL_STRING],
    );
    check(
        "    i0 = 5\n    set g = i0\n    set self->t = i0\n    s1 = \"v\"\n    set gs = s1\n    set self->s = s1\n    set this->l = s1\n    i2 = get g\n    i3 = get self->t\n    s4 = get gs\n    s5 = get self->s\n    s6 = get this->l\n    record k0 (i2, i3, s4, s5, s6)",
        &[int(5), int(5), text(b"v"), text(b"v"), text(b"v")],
    );
    check(
        "    i0 = 1\n    s1 = \"k\"\n    i2 = 9\n    set a[i0, s1] = i2\n    s3 = \"l\"\n    set self->b[i0] = s3\n    i4 = get a[i0, s1]\n    i5 = get a[i0, s3]\n    s6 = get self->b[i0]\n    s7 = get self->b[i2]\n    record k0 (i4, i5, s6, s7)",
        &[int(9), int(0), text(b"l"), NULL_STRING],
    );
}

#[test]
fn self_belongs_to_the_thread_and_this_to_the_firing() {
    let plan = plan(
        "    i0 = get self->t\n    i1 = 1\n    i2 = add i0, i1\n    set self->t = i2\n    s3 = get this->l\n    s4 = \"x\"\n    set this->l = s4\n    i5 = 7\n    s6 = get self->b[i5]\n    set self->b[i5] = s4\n    record k0 (i0, s3, s6)",
    );
    let mut world = World::new(&plan, Space::default());
    let mut fire = |tid, start| {
        let ints = vec![(BuiltinVar::Tid, 0, tid), (BuiltinVar::TaskStart, 0, start)];
        run_in(&plan, &mut world, &mut FakeEvent { ints, ..FakeEvent::default() }, None).recorded
    };
    assert_eq!(fire(1, 5), [int(0), text(b""), NULL_STRING]);
    assert_eq!(fire(1, 5), [int(1), text(b""), text(b"x")]);
    assert_eq!(fire(1, 6), [int(0), text(b""), NULL_STRING]);
    assert_eq!(fire(2, 5), [int(0), text(b""), NULL_STRING]);
    assert_eq!(fire(1, 5), [int(2), text(b""), text(b"x")]);
}

#[test]
fn kernel_homed_variables_are_reached_through_the_kernel() {
    let mut plan = plan(
        "    i0 = get g\n    i1 = 1\n    s2 = \"k\"\n    i3 = 9\n    set g = i3\n    set a[i1, s2] = i3\n    i4 = get a[i1, s2]\n    record k0 (i0, i4)",
    );
    for var in [0, 5] {
        plan.homes[var].side = Side::Kernel;
    }
    let mut kernel = FakeKernel::default();
    kernel.vars.insert((0, vec![]), int(4));
    let mut world = World::new(&plan, Space::default());
    let ran = run_in(&plan, &mut world, &mut memory(), Some(&mut kernel));
    assert_eq!(ran, Ran { ending: Ending::Done, recorded: vec![int(4), int(9)] });
    assert_eq!(kernel.vars[&(5, vec![int(1), text(b"k")])], int(9));
    kernel.full = true;
    let ran = run_in(&plan, &mut world, &mut memory(), Some(&mut kernel));
    assert_eq!(ran.ending, Ending::Dropped);
    assert_eq!(world.drops.dynamic, 1);
}

#[test]
fn aggregations_are_updated_by_key() {
    let plan = plan("    s0 = builtin execname\n    aggregate g0 [s0]");
    let mut world = World::new(&plan, Space::default());
    for execname in ["cat", "ls", "cat"] {
        let mut event = FakeEvent { execname, ..FakeEvent::default() };
        assert_eq!(run_in(&plan, &mut world, &mut event, None).ending, Ending::Done);
    }
    let table = world.aggs.get(dtrail_lang::ir::AggId(0)).expect("in the program");
    let counts: Vec<_> = table.entries().map(|(key, state)| (key[4..].to_vec(), state.number())).collect();
    assert_eq!(counts, [(b"cat".to_vec(), 2), (b"ls".to_vec(), 1)]);
}

#[test]
fn ops_of_the_kernel_part_are_a_defect() {
    for op in ["work", "setbit 1", "control cut", "i0 = recv $0", "i0 = bit 3", "send $0 = i1"] {
        let ending = run(&format!("    i0 = 0\n    i1 = 0\n    {op}"), &mut memory()).ending;
        assert!(matches!(ending, Ending::Bug(_)), "{op}: {ending:?}");
    }
}
