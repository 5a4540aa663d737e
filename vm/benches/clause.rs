//! What a hot clause costs: a predicate and a two-key aggregation, by both engines and written in Rust, over records and
//! over live events. `cargo bench -p dtrail-vm`. What counts is this thread's CPU time, so neighbours matter little.
#![allow(missing_docs, reason = "criterion's macros make public functions")]

use std::collections::HashMap;
use std::hint::black_box;

use criterion::measurement::{Measurement, ValueFormatter};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::ir::{AddrSpace, ClauseId, ProbeIndex, parse};
use dtrail_lang::plan::layout::{HEADER_SIZE, header, outcome};
use dtrail_lang::plan::{self, Capabilities, Placement, Plan, PlanOptions};
use dtrail_vm::engine::{Engine, Input};
use dtrail_vm::event::EventContext;
use dtrail_vm::fault::Raised;
use dtrail_vm::interp::Interp;
use dtrail_vm::jit::Jit;
use dtrail_vm::runtime::{Run, Space, World};
use foldhash::fast::RandomState;
use rustix::time::{ClockId, clock_gettime};

/// `syscall::read:entry /pid == 4711/ { @[arg0, arg1] = sum(arg2); }`
const CLAUSE: &str = "\
p0 = probe 42 syscall:vmlinux:read:entry source
agg @_[i64, i64]: sum
g0 = @_ in c0
enable c0 on p0
clause c0 {
b0:
    i0 = builtin pid
    i1 = 4711
    i2 = eq i0, i1
    branch i2 ? b1 : b2 merge b2
b1:
    i3 = builtin arg0
    i4 = builtin arg1
    i5 = builtin arg2
    aggregate g0 [i3, i4] (i5)
    goto b2
b2:
    return
}";

const PID: u64 = 4711;
/// Distinct keys: 32 of each kind.
const KEYS: u64 = 32 * 32;

fn planned(caps: Capabilities) -> Plan {
    let program = parse::program(CLAUSE).unwrap_or_else(|error| panic!("{error}"));
    let options = PlanOptions { placement: Placement::User, ..PlanOptions::default() };
    plan::plan(program, caps, &options).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// An event whose arguments are the two keys and a value.
fn args(event: u64) -> [u64; 3] {
    [event % KEYS / 32, event % 32, 3]
}

/// The records of all keys.
fn records(plan: &Plan) -> Vec<Vec<u8>> {
    let group = &plan.groups[0].layout;
    let (area, slots) = (group.areas[0] as usize, &plan.clause_layouts[0].slots);
    let record = |event: u64| {
        let mut record = vec![0; group.fixed_size as usize];
        let mut put = |at: usize, word: u64| record[at..at + 8].copy_from_slice(&word.to_le_bytes());
        put(header::PID_TGID as usize, PID << 32);
        put(area, u64::from(outcome::RAN));
        // The predicate stays in the kernel; what is captured are the arguments, in order.
        for (slot, word) in slots.iter().zip(args(event)) {
            put(area + slot.offset as usize, word);
        }
        record
    };
    (0..KEYS).map(record).collect()
}

struct Live([u64; 3]);

impl EventContext for Live {
    fn int(&mut self, var: BuiltinVar, index: u32) -> Result<i64, Raised> {
        Ok(match var {
            BuiltinVar::Pid => PID as i64,
            _ => self.0[index as usize % 3] as i64,
        })
    }

    fn string(&mut self, _: BuiltinVar, _: &mut Vec<u8>) -> Result<(), Raised> {
        Ok(())
    }

    fn read(&mut self, _: AddrSpace, _: u64, _: &mut [u8]) -> Result<(), Raised> {
        Ok(())
    }

    fn read_string(&mut self, _: AddrSpace, _: u64, _: usize, _: &mut Vec<u8>) -> Result<(), Raised> {
        Ok(())
    }
}

/// Nanoseconds of CPU.
struct CpuTime;

impl Measurement for CpuTime {
    type Intermediate = u64;
    type Value = u64;

    fn start(&self) -> u64 {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
    }

    fn end(&self, start: u64) -> u64 {
        self.start() - start
    }

    fn add(&self, a: &u64, b: &u64) -> u64 {
        a + b
    }

    fn zero(&self) -> u64 {
        0
    }

    fn to_f64(&self, value: &u64) -> f64 {
        *value as f64
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        self
    }
}

impl ValueFormatter for CpuTime {
    fn scale_values(&self, _: f64, _: &mut [f64]) -> &'static str {
        "ns CPU"
    }

    fn scale_throughputs(&self, _: f64, _: &Throughput, _: &mut [f64]) -> &'static str {
        "per ns CPU"
    }

    fn scale_for_machines(&self, _: &mut [f64]) -> &'static str {
        "ns CPU"
    }
}

/// The same work by hand, for this one program: the values are read from the record, or asked of the event through the
/// same interface, the arguments at once; the predicate is decided; two integers are looked up in a table by the hash
/// function that dtrail's table of strings has, and the sum is added to, wrapping. A new key is taken while there is room
/// for it (`aggsize`), and counted as lost if not. All else that D wants of an aggregation (order, ties, printing,
/// merging) is done when it is printed, here as there. What this program has no need of is not done by hand: cuts, values
/// of other functions, keys of other kinds, faults. So the native side is the least that gives the same result, and no
/// more.
struct Native {
    sums: HashMap<(u64, u64), i64, RandomState>,
    room: usize,
    lost: u64,
}

impl Native {
    fn new() -> Native {
        let entry = 2 * size_of::<u64>() + size_of::<i64>();
        let room = Space::default().aggsize as usize / entry;
        Native { sums: HashMap::default(), room, lost: 0 }
    }

    fn event(&mut self, pid: u64, [a, b, value]: [u64; 3]) {
        if pid != PID {
            return;
        }
        if let Some(sum) = self.sums.get_mut(&(a, b)) {
            *sum = sum.wrapping_add(value as i64);
        } else if self.sums.len() < self.room {
            self.sums.insert((a, b), value as i64);
        } else {
            self.lost += 1;
        }
    }

    /// What came of all events.
    fn check(&self) {
        assert!(matches!(self.sums.len() as u64, 0 | KEYS) && self.lost == 0);
    }
}

fn word(record: &[u8], at: usize) -> u64 {
    record.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes)
}

fn over_records(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("two keys, records");
    let plan = planned(Capabilities::BASELINE);
    let (records, area) = (records(&plan), plan.groups[0].layout.areas[0]);
    let Some(code) = &plan.user[0] else { panic!("no user part") };
    let engines: [(&str, Box<dyn Engine>); 2] =
        [("interp", Box::<Interp>::default()), ("jit", Box::new(Jit::after(0)))];
    for (name, mut engine) in engines {
        let mut world = World::new(&plan, Space::default());
        let mut next = records.iter().cycle();
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter(|| {
                let record = next.next().map_or(&[][..], Vec::as_slice);
                let input = Input::Record { record, area };
                let mut run = Run::new(&plan, &mut world, input, None, ProbeIndex(0), ClauseId(0));
                assert_eq!(engine.run(ClauseId(0), code, &mut run), None);
            });
        });
    }
    let mut native = Native::new();
    let mut next = records.iter().cycle();
    let at: Vec<usize> =
        plan.clause_layouts[0].slots.iter().map(|slot| (area + slot.offset) as usize).collect();
    group.bench_function(BenchmarkId::from_parameter("native"), |bencher| {
        bencher.iter(|| {
            let record = black_box(next.next().map_or(&[][..], Vec::as_slice));
            let pid = word(record, header::PID_TGID as usize) >> 32;
            native.event(pid, [word(record, at[0]), word(record, at[1]), word(record, at[2])]);
        });
    });
    native.check();
    assert!(HEADER_SIZE <= area);
}

fn over_live_events(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("two keys, live");
    let plan = planned(Capabilities::NONE);
    let code = &plan.program.clauses[0];
    let engines: [(&str, Box<dyn Engine>); 2] =
        [("interp", Box::<Interp>::default()), ("jit", Box::new(Jit::after(0)))];
    for (name, mut engine) in engines {
        let mut world = World::new(&plan, Space::default());
        let mut event = 0;
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter(|| {
                event += 1;
                let mut live = Live(args(event));
                let input = Input::Live(&mut live);
                let mut run = Run::new(&plan, &mut world, input, None, ProbeIndex(0), ClauseId(0));
                assert_eq!(engine.run(ClauseId(0), code, &mut run), None);
            });
        });
    }
    let (mut native, mut event) = (Native::new(), 0);
    group.bench_function(BenchmarkId::from_parameter("native"), |bencher| {
        bencher.iter(|| {
            event += 1;
            let mut live = Live(args(event));
            let live: &mut dyn EventContext = black_box(&mut live);
            let pid = live.int(BuiltinVar::Pid, 0).unwrap_or(0) as u64;
            let mut args = [0; 3];
            if live.args(0, &mut args) {
                // One by one, as they were stored: a wider read of them would wait for the stores.
                native.event(pid, args.map(|arg| black_box(arg) as u64));
            }
        });
    });
    native.check();
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CpuTime);
    targets = over_records, over_live_events
}
criterion_main!(benches);
