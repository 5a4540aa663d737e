//! `switchrate`, `statusrate` and `aggrate` by a virtual clock: when rows are seen, losses told and aggregations fetched.
//! (`cleanrate` is the speculations' own: `speculation.rs`.)

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use dtrail_lang::ir::{AggId, VarId};
use dtrail_lang::plan::Side;

use super::*;
use crate::agg::AggState;
use crate::event::KernelState;
use crate::value::Value;

const MS: u64 = 1_000_000;

/// What happened, each with its milliseconds.
type Log = Rc<RefCell<Vec<(u64, String)>>>;

/// Notes what is flushed and said.
struct Timed {
    clock: Rc<Cell<u64>>,
    log: Log,
    waiting: Vec<u8>,
}

impl Timed {
    fn note(&self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes).trim_end().to_owned();
        self.log.borrow_mut().push((self.clock.get() / MS, text));
    }
}

impl Output for Timed {
    fn write(&mut self, bytes: &[u8]) {
        self.waiting.extend_from_slice(bytes);
    }

    fn flush(&mut self) -> Result<(), WriteError> {
        let waiting = std::mem::take(&mut self.waiting);
        if !waiting.is_empty() {
            self.note(&waiting);
        }
        Ok(())
    }

    fn diagnostic(&mut self, message: &[u8]) {
        if !message.starts_with(b"dtrace: help") {
            self.note(message);
        }
    }

    fn is_terminal(&self) -> bool {
        false
    }

    fn reopen(&mut self, _: &[u8]) -> Result<(), String> {
        Ok(())
    }

    fn truncate(&mut self) {}

    fn redirected(&self) -> Option<bool> {
        None
    }
}

/// Notes when it is cut and swept.
struct Swept {
    clock: Rc<Cell<u64>>,
    log: Log,
}

impl Swept {
    fn note(&self, what: &str) {
        self.log.borrow_mut().push((self.clock.get() / MS, what.to_owned()));
    }
}

impl KernelState for Swept {
    fn get(&mut self, _: VarId, _: &[Value]) -> Value {
        Value::Int(0)
    }

    fn set(&mut self, _: VarId, _: &[Value], _: &Value) -> bool {
        true
    }

    fn cut(&mut self) {
        self.note("cut");
    }

    fn sweep(&mut self, _: Option<u32>, _: &mut dyn FnMut(AggId, u32, Box<[Value]>, AggState)) {
        self.note("sweep");
    }

    fn exit_status(&mut self) -> Option<i64> {
        None
    }
}

/// `syscall::read:entry { printf("%d ", pid); }`, and an aggregation in the kernel that a `tick-1s` would print.
const PROGRAM: &str = "\
agg @_[]: count
g0 = @_ in c1
k0 = printf in c0 stmt 1 (i64) format %d64 \" \"
k1 = printa in c2 stmt 1 () aggs @_
enable c0 on p4
enable c1 on p5
enable c2 on p6
clause c0 {
b0:
    i0 = builtin pid
    record k0 (i0)
    return
}
clause c1 {
b0:
    aggregate g0 []
    return
}
clause c2 {
b0:
    record k1 ()
    return
}
";

/// How long a run lasts, in milliseconds.
const END: u64 = 1000;

/// What a run over a script did, with milliseconds.
fn timed(settings: &Settings, mut script: Vec<Script>) -> Vec<(u64, String)> {
    let probes = format!(
        "{PROBES}p5 = probe 43 syscall:vmlinux:write:entry source\np6 = probe 10 profile:::tick-1h tracer\n"
    );
    let mut plan = user_plan(parse::program(&format!("{probes}{PROGRAM}")).expect("IR of this test"));
    plan.agg_sites[0].side = Side::Kernel;
    plan.cuts.tracer = true;
    script.push(Script::Until(END * MS));
    let mut source = ListSource::new(script);
    let (host, interrupts, log) = (source.host.clone(), source.interrupts.clone(), Log::default());
    source.kernel = Some(Box::new(Swept { clock: host.clock.clone(), log: log.clone() }));
    let mut output = Timed { clock: host.clock.clone(), log: log.clone(), waiting: Vec::new() };
    let ran =
        run(&plan, &mut source, &mut Interp::default(), &host, &mut output, settings, &*interrupts, None);
    assert_eq!(ran, Ok(Outcome { status: 0 }));
    log.take()
}

/// Compares what a run did before its end.
fn check(settings: Settings, script: Vec<Script>, expected: &[(u64, &str)]) {
    let got = timed(&Settings { quiet: true, ..settings }, script);
    let got: Vec<_> = got.iter().map(|(at, what)| (*at, what.as_str())).filter(|(at, _)| *at < END).collect();
    assert_eq!(got, expected);
}

fn reads(at: &[u64]) -> Vec<Script> {
    at.iter().map(|&ms| read(ms * MS, ms as i64)).collect()
}

#[test]
fn rows_are_seen_at_once_or_at_multiples_of_the_switch_rate() {
    let events = || reads(&[3, 7, 95, 101, 305]);
    let at_once = [(3, "3"), (7, "7"), (95, "95"), (101, "101"), (305, "305")];
    check(Settings { statusrate: 0, ..Settings::default() }, events(), &at_once);
    // From the start on, counted from it; where nothing is new nothing is written.
    let held = [(100, "3 7 95"), (200, "101"), (400, "305")];
    check(Settings { switchrate: 100 * MS, statusrate: 0, ..Settings::default() }, events(), &held);
    // What is left at the end is seen then.
    let settings = Settings { quiet: true, switchrate: 600 * MS, statusrate: 0, ..Settings::default() };
    let seen = timed(&settings, reads(&[10, 700]));
    let rows: Vec<_> = seen.iter().filter(|(_, what)| what.ends_with('0')).collect();
    assert_eq!(rows, [&(600, "10".to_owned()), &(END, "700".to_owned())]);
}

#[test]
fn losses_are_told_at_multiples_of_the_status_rate() {
    let lost = |n| Script::Drops(Drops { principal: vec![(1, n)], ..Drops::default() });
    let script = || {
        let until = |ms| Script::Until(ms * MS);
        vec![until(10), lost(1), until(40), lost(2), until(260), lost(5), until(480), lost(1), until(490)]
    };
    let told = |rate, expected: &[(u64, &str)]| {
        check(Settings { statusrate: rate, ..Settings::default() }, script(), expected);
    };
    told(
        100 * MS,
        &[
            (100, "dtrace: 3 drops on CPU 1"),
            (300, "dtrace: 5 drops on CPU 1"),
            (500, "dtrace: 1 drop on CPU 1"),
        ],
    );
    told(
        30 * MS,
        &[
            (30, "dtrace: 1 drop on CPU 1"),
            (60, "dtrace: 2 drops on CPU 1"),
            (270, "dtrace: 5 drops on CPU 1"),
            (510, "dtrace: 1 drop on CPU 1"),
        ],
    );
    // By default every second, and with 0 at the end: not before.
    told(Settings::default().statusrate, &[]);
    told(0, &[]);
}

#[test]
fn aggregations_are_fetched_at_multiples_of_the_aggregation_rate() {
    let rate = |aggrate| Settings { aggrate, statusrate: 0, ..Settings::default() };
    check(rate(0), vec![], &[]);
    let fetched = [(300, "cut"), (300, "sweep"), (600, "cut"), (600, "sweep"), (900, "cut"), (900, "sweep")];
    check(rate(300 * MS), vec![], &fetched);
    check(
        Settings { switchrate: 400 * MS, ..rate(700 * MS) },
        reads(&[650]),
        &[(700, "cut"), (700, "sweep"), (800, "650")],
    );
}
