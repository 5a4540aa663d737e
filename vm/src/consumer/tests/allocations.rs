//! Events cost no allocation: once every buffer has its size, a thousand firings more ask for no memory at all, on either
//! engine, live and from records.

use super::records::{Record, kernel_plan};
use super::*;
use crate::consumer::session::Session;
use crate::counting::allocations;
use crate::engine::Engine;
use crate::event::{Event, EventSink as _};
use crate::jit::Jit;
use crate::output::WriteError;
use crate::testing::{FakeKernel, FixedHost};
use dtrail_lang::plan::layout::outcome;
use dtrail_lang::plan::{Plan, SlotKind};

/// Output that goes nowhere.
struct Nowhere {
    bytes: usize,
    terminal: bool,
}

impl Output for Nowhere {
    fn write(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len();
    }

    fn flush(&mut self) -> Result<(), WriteError> {
        Ok(())
    }

    fn diagnostic(&mut self, _: &[u8]) {}

    fn is_terminal(&self) -> bool {
        self.terminal
    }

    fn reopen(&mut self, _: &[u8]) -> Result<(), String> {
        Ok(())
    }

    fn redirected(&self) -> Option<bool> {
        None
    }

    fn truncate(&mut self) {}
}

/// A probe whose rows take the indentation of `read:entry` back.
const RETURN: &str = "p5 = probe 43 syscall:vmlinux:read:return source\n";

/// How often memory is asked for by a thousand firings, after as many that nobody counts; they must print something.
fn counted(
    plan: &Plan,
    engine: &mut dyn Engine,
    settings: &Settings,
    terminal: bool,
    fire: &mut dyn FnMut(&mut Session<'_>, u64),
) -> u64 {
    let host = FixedHost::default();
    let mut output = Nowhere { bytes: 0, terminal };
    let none = std::sync::atomic::AtomicU32::new(0);
    let mut session = Session::new(plan, engine, &host, &mut output, &none, settings, false);
    (0..1000).for_each(|n| fire(&mut session, n));
    let before = allocations();
    (0..1000).for_each(|n| fire(&mut session, n));
    let after = allocations();
    assert_eq!((session.bug, session.exit), (None, None));
    assert!(output.bytes > 2000 * 10, "{} bytes", output.bytes);
    after - before
}

fn everywhere(what: &str, plan: &Plan, fire: &mut dyn FnMut(&mut Session<'_>, u64)) {
    let text = Settings::default();
    let json = Settings { format: OutputFormat::Json, ..Settings::default() };
    let flow = Settings { flowindent: true, ..Settings::default() };
    for (look, settings, terminal) in [
        ("text", &text, false),
        ("quiet", &quiet(), false),
        ("terminal", &text, true),
        ("flow", &flow, false),
        ("json", &json, false),
    ] {
        let engines: [(&str, Box<dyn Engine>); 2] =
            [("interp", Box::<Interp>::default()), ("jit", Box::new(Jit::after(0)))];
        for (name, mut engine) in engines {
            let count = counted(plan, &mut *engine, settings, terminal, fire);
            assert_eq!(count, 0, "allocations of a thousand events: {what}, {look}, {name}");
        }
    }
}

/// `printf`, `trace`, variables, subroutines, and aggregations by integers, by strings, by both and by none.
const LIVE: &str = "\
k0 = printf in c0 stmt 1 (i64, string, i32, i64) format %d64 \" \" %-8s \" \" %d32 \" \" %x64 \"\\n\"
k1 = trace in c0 stmt 2 (string)
k2 = trace in c0 stmt 3 (i64)
var g: i64
var s: string
var this->l: i64
var self->t: i64
var a[i64]: i64
agg @n[]: count
agg @i[i64]: sum
agg @j[i64, i64]: avg
agg @k[i64, i64, i64]: max
agg @s[string]: min
agg @m[string, i64]: quantize
agg @d[i64]: stddev
agg @t[i64]: topk(3, string)
g0 = @n in c0
g1 = @i in c0
g2 = @j in c0
g3 = @k in c0
g4 = @s in c0
g5 = @m in c0
g6 = @d in c0
g7 = @t in c0
enable c0 on p4
enable c1 on p4
enable c1 on p5
clause c0 {
b0:
    i0 = builtin pid
    s1 = builtin execname
    i2 = builtin arg0
    s3 = \"-\"
    s4 = call strjoin(s1, s3)
    i5 = call strlen(s4)
    set g = i5
    set s = s4
    set this->l = i0
    set self->t = i0
    set a[i2] = i0
    i6 = get self->t
    i7 = get a[i2]
    record k0 (i0, s4, i5, i6)
    record k1 (s1)
    record k2 (i7)
    aggregate g0 []
    aggregate g1 [i2] (i0)
    aggregate g2 [i2, i0] (i5)
    aggregate g3 [i2, i0, i0] (i5)
    aggregate g4 [s4] (i5)
    aggregate g5 [s4, i2] (i0)
    aggregate g6 [i2] (i0)
    aggregate g7 [i2] (s4)
    return
}
clause c1 {
b0:
    s0 = builtin probefunc
    record k1 (s0)
    return
}
";

#[test]
fn live_events_allocate_nothing() {
    let program =
        parse::program(&format!("{PROBES}{RETURN}{LIVE}")).unwrap_or_else(|error| panic!("{error}"));
    let plan = user_plan(program);
    let ints = |n: i64| vec![(BuiltinVar::Pid, 0, 4711), (BuiltinVar::Tid, 0, 4712), (BuiltinVar::Arg, 0, n)];
    let mut events: Vec<_> = (0..50)
        .map(|n| FakeEvent { probe: 4, ints: ints(n), execname: "ca\x1bt", ..FakeEvent::default() })
        .collect();
    everywhere("live", &plan, &mut |session, n| {
        let event = &mut events[n as usize % 50];
        session.live(ProbeIndex(4), event, None);
        session.live(ProbeIndex(5), event, None);
    });
}

const RECORDED: &str = "\
k0 = printf in c0 stmt 1 (i64, string, i32, string) format %d64 \" \" %s \" \" %d32 \" \" %s \" \"
agg @i[i64, i64]: sum
agg @s[string]: count
g0 = @i in c0
g1 = @s in c0
k1 = trace in c1 stmt 1 (i64)
enable c0 on p4
enable c1 on p5
clause c0 {
b0:
    return
}
clause c1 {
b0:
    i0 = 3
    record k1 (i0)
    return
}
";

const RECORDED_USER: &str = "clause c0 {
b0:
    i0 = recv $0
    s1 = recv $1
    i2 = builtin tid
    s3 = builtin probefunc
    record k0 (i0, s1, i2, s3)
    aggregate g0 [i0, i2] (i0)
    aggregate g1 [s1]
    return
}";

#[test]
fn records_allocate_nothing() {
    let program = format!("{RETURN}{RECORDED}");
    let plan = kernel_plan(&program, &[RECORDED_USER], &[SlotKind::Int, SlotKind::Str], &[]);
    let record = |n| {
        let record = Record::of(&plan).slot(0, 0, &[n]).string(0, 1, b"na\x1bme");
        record.outcome(0, outcome::RAN, 0).bytes
    };
    let records: Vec<_> = (0..50).map(record).collect();
    let mut kernel = FakeKernel::default();
    // On the CPU of the records.
    let mut back = FakeEvent { ints: vec![(BuiltinVar::Cpu, 0, 3)], ..FakeEvent::default() };
    everywhere("records", &plan, &mut |session, n| {
        session.event(Event::Record { record: &records[n as usize % 50], kernel: &mut kernel, left: None });
        session.live(ProbeIndex(5), &mut back, None);
    });
}
