//! Runs over records of a kernel part: what was captured is replayed, aggregations are swept at the cut.

use std::fmt::Write as _;

use dtrail_lang::ir::{AggId, ClauseId};
use dtrail_lang::plan::layout::{header, outcome};
use dtrail_lang::plan::{ClauseLayout, Group, GroupId, GroupLayout, Shared, Side, Slot, SlotKind};

use super::*;
use crate::agg::AggState;
use crate::fault::FaultKind;
use crate::testing::FakeKernel;
use crate::value::Value;

/// A kernel part of one group: `read:entry` runs all clauses that are enabled on it, with these slots.
pub(super) fn kernel_plan(program: &str, user: &[&str], slots: &[SlotKind], shared: &[BuiltinVar]) -> Plan {
    let mut program = parse::program(&format!("{PROBES}{program}")).expect("IR of this test");
    let user: Vec<_> = user
        .iter()
        .map(|code| match *code {
            "" => None,
            code => {
                Some(parse::clause(code, &mut program).unwrap_or_else(|error| panic!("{error} in {code}")))
            }
        })
        .collect();
    let mut plan = user_plan(program);
    let clauses: Vec<ClauseId> = plan.probe_clauses[4].clone();
    for &clause in &clauses {
        let slots = slots.iter().map(|&kind| Slot { kind, offset: 0, what: String::new() }).collect();
        plan.clause_layouts[clause.index()] = ClauseLayout::new(true, true, slots);
        plan.user[clause.index()] = user[clause.index()].clone();
    }
    let shared: Vec<Shared> = shared.iter().copied().map(Shared::Builtin).collect();
    let layout = GroupLayout::new(clauses.iter().map(|clause| &plan.clause_layouts[clause.index()]), &shared);
    plan.groups = vec![Group { clauses, layout }];
    plan.probe_groups[4] = Some(GroupId(0));
    plan
}

/// The bytes of a record of that group.
pub(super) struct Record {
    pub(super) bytes: Vec<u8>,
    layout: GroupLayout,
    clauses: Vec<ClauseLayout>,
}

impl Record {
    pub(super) fn of(plan: &Plan) -> Record {
        let Group { clauses, layout } = &plan.groups[0];
        let clauses = clauses.iter().map(|clause| plan.clause_layouts[clause.index()].clone()).collect();
        let bytes = vec![0; layout.fixed_size as usize];
        let mut record = Record { bytes, layout: layout.clone(), clauses };
        record.put(header::EPOCH, u64::from(plan.epoch) | 4 << 32);
        record.put(header::TIME, 77);
        record.put(header::PID_TGID, 7 << 32 | 8);
        record.put(header::CPU, 3);
        record
    }

    fn put(&mut self, at: u32, word: u64) {
        self.bytes[at as usize..at as usize + 8].copy_from_slice(&word.to_le_bytes());
    }

    pub(super) fn outcome(mut self, clause: usize, what: u32, point: u32) -> Record {
        self.put(self.layout.areas[clause], u64::from(what) | u64::from(point) << 32);
        self
    }

    fn fault(mut self, clause: usize, kind: FaultKind, value: u64) -> Record {
        let at = self.layout.areas[clause] + self.clauses[clause].fault.expect("has fault fields");
        self.put(at, kind as u64);
        self.put(at + 8, value);
        self
    }

    fn bits(mut self, clause: usize, bits: u64) -> Record {
        let at = self.layout.areas[clause] + self.clauses[clause].bits.expect("has a branch word");
        self.put(at, bits);
        self
    }

    pub(super) fn slot(mut self, clause: usize, slot: usize, words: &[u64]) -> Record {
        let at = self.layout.areas[clause] + self.clauses[clause].slots[slot].offset;
        words.iter().zip(0..).for_each(|(&word, i)| self.put(at + i * 8, word));
        self
    }

    pub(super) fn string(mut self, clause: usize, slot: usize, text: &[u8]) -> Record {
        let word = self.tail(text);
        self.slot(clause, slot, &[word])
    }

    /// Appends a string to the tail; the word that finds it.
    fn tail(&mut self, text: &[u8]) -> u64 {
        let offset = self.bytes.len() as u64;
        self.bytes.extend_from_slice(text);
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        offset | (text.len() as u64) << 32
    }

    fn shared(mut self, slot: usize, word: u64) -> Record {
        self.put(self.layout.shared_slots[slot].offset, word);
        self
    }

    fn generation(mut self, generation: u32) -> Record {
        self.put(header::CPU, 3 | u64::from(generation) << 32);
        self
    }
}

fn run_records(plan: &Plan, settings: &Settings, script: Vec<Script>, kernel: FakeKernel) -> Ran {
    let mut source = ListSource { kernel: Some(Box::new(kernel)), ..ListSource::new(script) };
    run_source(plan, settings, &mut source)
}

/// The same, of a source that the test goes on to look at.
pub(super) fn run_source(plan: &Plan, settings: &Settings, source: &mut ListSource) -> Ran {
    let (host, interrupts) = (source.host.clone(), source.interrupts.clone());
    let mut output = CaptureOutput::default();
    let result = run(plan, source, &mut Interp::default(), &host, &mut output, settings, &*interrupts, None);
    Ran { result, output, calls: std::mem::take(&mut source.calls) }
}

fn check_records(
    plan: &Plan,
    settings: &Settings,
    records: Vec<Record>,
    kernel: FakeKernel,
    out: &str,
    err: &str,
) {
    let script = records.into_iter().map(|record| Script::Record(record.bytes)).collect();
    let ran = run_records(plan, settings, script, kernel);
    assert_eq!(String::from_utf8_lossy(&ran.output.out), out, "the output stream");
    assert_eq!(String::from_utf8_lossy(&ran.output.err), err, "standard error");
    assert_eq!(ran.result, Ok(Outcome { status: 0 }));
}

/// `printf("a"); printf("%d %s %d %s", …captures and header…)`, with a point at which K may have ended.
const CAPTURING: &str = "\
k0 = printf in c0 stmt 1 () format \"a\"
k1 = printf in c0 stmt 2 (i64, string, i32, string) format %d64 \" \" %s \" \" %d32 \" \" %s \" \"
k2 = printf in c1 stmt 1 () format \"second \"
enable c0 on p4
enable c1 on p4
clause c0 {
b0:
    return
}
clause c1 {
b0:
    return
}
";

const CAPTURING_USER: [&str; 2] = [
    "clause c0 {
b0:
    record k0 () #10
    i0 = bit 1
    branch i0 ? b1 : b2 merge b2
b1:
    faultpoint $2 #20
    faultpoint #30
    i1 = recv $0
    s2 = recv $1
    i3 = builtin tid
    s4 = builtin probefunc
    record k1 (i1, s2, i3, s4)
    goto b2
b2:
    return
}",
    "clause c1 {
b0:
    record k2 ()
    return
}",
];

fn capturing() -> Plan {
    let slots = [SlotKind::Int, SlotKind::Str, SlotKind::Fault];
    kernel_plan(CAPTURING, &CAPTURING_USER, &slots, &[])
}

#[test]
fn captures_are_replayed_by_outcome_and_branch() {
    let plan = capturing();
    let record = || Record::of(&plan).slot(0, 0, &[-5_i64 as u64]).string(0, 1, b"name");
    let ran = |record: Record| record.outcome(0, outcome::RAN, 0).bits(0, 2);
    check_records(&plan, &quiet(), vec![ran(record())], FakeKernel::default(), "a-5 name 8 read \n", "");
    check_records(&plan, &quiet(), vec![ran(record()).bits(0, 1)], FakeKernel::default(), "a\n", "");
    let null = ran(record()).slot(0, 1, &[0]);
    check_records(&plan, &quiet(), vec![null], FakeKernel::default(), "a-5  8 read \n", "");
    let second = record().outcome(1, outcome::RAN, 0);
    check_records(&plan, &quiet(), vec![second], FakeKernel::default(), "second \n", "");
    check_records(&plan, &quiet(), vec![record()], FakeKernel::default(), "\n", "");
    let both = || ran(record()).outcome(1, outcome::RAN, 0);
    check_records(
        &plan,
        &Settings::default(),
        vec![both()],
        FakeKernel::default(),
        "CPU     ID                    FUNCTION:NAME
  3     42                       read:entry a-5 name 8 read \n  3     42                       read:entry second \n\n",
        "",
    );
}

#[test]
fn faults_of_the_kernel_part_are_raised_where_they_happened() {
    let plan = capturing();
    let faulted = |point| {
        let record = Record::of(&plan).outcome(0, outcome::FAULTED, point).outcome(1, outcome::RAN, 0);
        record.bits(0, 2).fault(0, FaultKind::BadAddr, 0x10)
    };
    let message =
        |text| format!("dtrace: error in dt_clause_0 for probe ID 42 (syscall:vmlinux:read:entry): {text}\n");
    let bad = message("invalid address (0x10) at insn 30");
    check_records(&plan, &quiet(), vec![faulted(30)], FakeKernel::default(), "second \n", &bad);

    // A path of user space that does not come to the point reports nothing.
    let elsewhere = faulted(30).bits(0, 0);
    check_records(&plan, &quiet(), vec![elsewhere], FakeKernel::default(), "asecond \n", "");

    let attempt = |point: u64| {
        let code = FaultKind::BadSize as u64 + 1;
        Record::of(&plan).outcome(0, outcome::RAN, 0).bits(0, 2).string(0, 1, b"x").slot(
            0,
            2,
            &[code | point << 32, 9],
        )
    };
    check_records(
        &plan,
        &quiet(),
        vec![attempt(20)],
        FakeKernel::default(),
        "\n",
        &(message("invalid size (0x9) at insn 20")
            + "dtrace: help: `-x scratchsize=9` has room for that many bytes\n"),
    );
    check_records(&plan, &quiet(), vec![attempt(21)], FakeKernel::default(), "a0 x 8 read \n", "");

    let dropped = Record::of(&plan).outcome(0, outcome::DROPPED, 30).bits(0, 2).outcome(1, outcome::RAN, 0);
    check_records(&plan, &quiet(), vec![dropped], FakeKernel::default(), "second \n", "");

    let plan = kernel_plan(CAPTURING, &["", CAPTURING_USER[1]], &[], &[]);
    let bare = Record::of(&plan).outcome(0, outcome::FAULTED, 30).fault(0, FaultKind::DivZero, u64::MAX);
    check_records(
        &plan,
        &quiet(),
        vec![bare],
        FakeKernel::default(),
        "\n",
        &message("divide-by-zero at insn 30"),
    );
}

#[test]
fn what_helps_against_faults_is_told_once() {
    let plan = capturing();
    let error = |text: &str| {
        format!(
            "dtrace: error in dt_clause_0 for probe ID 42 (syscall:vmlinux:read:entry): {text} at insn 30\n"
        )
    };
    let page = error("invalid address (0x7f0000001000)");
    let away = "dtrace: help: the page was not in memory; save the address at entry and read it at return\n";
    let size = error("invalid size (0x340)");
    let room = "dtrace: help: `-x scratchsize=832` has room for that many bytes\n";
    let most = error("invalid size (0x100000)");
    let all = "dtrace: help: `-x scratchsize=1048576` has room for that many bytes\n";
    let more = error("invalid size (0x100001)");
    let out = error("out of scratch space");
    let twice = "dtrace: help: a clause has 256 bytes of it; `-x scratchsize=512` has room for more\n";
    for (kind, value, only_resident, expected) in [
        (FaultKind::BadAddr, 0x7f00_0000_1000, true, format!("{page}{away}{page}")),
        (FaultKind::BadAddr, 0x7f00_0000_1000, false, format!("{page}{page}")),
        (FaultKind::BadSize, 832, true, format!("{size}{room}{size}")),
        (FaultKind::BadSize, 832, false, format!("{size}{room}{size}")),
        (FaultKind::BadSize, 0x10_0000, true, format!("{most}{all}{most}")),
        (FaultKind::BadSize, 0x10_0001, true, format!("{more}{more}")),
        (FaultKind::NoScratch, u64::MAX, true, format!("{out}{twice}{out}")),
    ] {
        let faulted = || {
            let record = Record::of(&plan).outcome(0, outcome::FAULTED, 30).bits(0, 2);
            Script::Record(record.fault(0, kind, value).bytes)
        };
        let kernel = Some(Box::<FakeKernel>::default() as _);
        let mut source = ListSource { kernel, only_resident, ..ListSource::new(vec![faulted(), faulted()]) };
        let (host, interrupts) = (source.host.clone(), source.interrupts.clone());
        let mut output = CaptureOutput::default();
        let ran =
            run(&plan, &mut source, &mut Interp::default(), &host, &mut output, &quiet(), &*interrupts, None);
        assert_eq!(ran, Ok(Outcome { status: 0 }));
        assert_eq!(String::from_utf8_lossy(&output.err), expected);
    }
}

#[test]
fn error_clauses_read_what_every_record_carries() {
    let program = format!(
        "{CAPTURING}k3 = printf in c2 stmt 1 (i64, i32, string, i32, i64) format \"E\" %d64 \" \" %d32 \" \" %s \" \" %d32 \" \" %d64\nenable c2 on p2\nclause c2 {{\nb0:\n    i0 = builtin arg5\n    i1 = builtin pid\n    s2 = builtin execname\n    i3 = builtin uid\n    i4 = builtin timestamp\n    record k3 (i0, i1, s2, i3, i4)\n    return\n}}\n"
    );
    let plan = kernel_plan(&program, &["", "", ""], &[], &[BuiltinVar::Execname, BuiltinVar::Uid]);
    let mut record = Record::of(&plan).outcome(0, outcome::FAULTED, 1).fault(0, FaultKind::BadAddr, 16);
    let word = record.tail(b"cat");
    let record = record.shared(0, word).shared(1, 1000);
    let message = "dtrace: error in dt_clause_0 for probe ID 42 (syscall:vmlinux:read:entry): invalid address (0x10) at insn 1\n";
    check_records(&plan, &quiet(), vec![record], FakeKernel::default(), "E16 7 cat 1000 77\n", message);
}

#[test]
fn self_variables_of_user_space_are_keyed_by_the_threads_start() {
    let program = "\
var self->n: i64
k0 = printf in c0 stmt 1 (i64) format %d64 \" \"
enable c0 on p4
clause c0 {
b0:
    return
}
";
    let user = "clause c0 {
b0:
    i0 = get self->n
    i1 = 1
    i2 = add i0, i1
    set self->n = i2
    record k0 (i2)
    return
}";
    let plan = kernel_plan(program, &[user], &[], &[BuiltinVar::TaskStart]);
    let started = |at| Record::of(&plan).outcome(0, outcome::RAN, 0).shared(0, at);
    let records = vec![started(5), started(5), started(6), started(5)];
    check_records(&plan, &quiet(), records, FakeKernel::default(), "1 2 1 3 \n", "");
    assert_eq!(messages::suspects(&plan), ["self->n"], "a lost record would leave it wrong");
}

/// A kernel part that counts, and `read:entry` or a tick that prints and clears.
fn cutting(on: &str) -> Plan {
    let program = format!(
        "\
agg @a[string]: count
g0 = @a in c0
k0 = printa in c0 stmt 1 () aggs @a format %s \"=\" %@d64 \" \"
k1 = clear in c0 stmt 2 () agg @a
enable c0 on {on}
clause c0 {{
b0:
    record k0 ()
    record k1 ()
    return
}}
"
    );
    let mut plan = match on {
        "p4" => kernel_plan(
            &program,
            &["clause c0 {\nb0:\n    record k0 ()\n    record k1 ()\n    return\n}"],
            &[],
            &[],
        ),
        _ => kernel_plan(&program, &[""], &[], &[]),
    };
    plan.agg_sites[0].side = Side::Kernel;
    plan.cuts.tracer = on != "p4";
    plan.cuts.kernel = on == "p4";
    plan
}

fn held(generation: u32, key: &str, count: u64) -> (u32, AggId, Vec<Value>, AggState) {
    (generation, AggId(0), vec![Value::Str(Some(key.as_bytes().into()))], AggState::Count(count))
}

#[test]
fn a_record_with_a_cut_sweeps_what_came_before_it() {
    let plan = cutting("p4");
    let kernel = FakeKernel {
        held: vec![held(0, "x", 2), held(1, "x", 30), held(0, "y", 1), held(0, "x", 3), held(2, "z", 4)],
        ..FakeKernel::default()
    };
    let cut = |generation| Record::of(&plan).outcome(0, outcome::RAN, 0).generation(generation);
    let last = "y=1 x=5 y=0 x=30 ";
    // What is still held at the end was printed by nobody, but its aggregation was.
    check_records(&plan, &quiet(), vec![cut(1), cut(2)], kernel, &format!("{last}\n"), "");
}

#[test]
fn a_tick_with_a_cut_flips_the_generation_itself() {
    let plan = cutting("p3");
    let kernel = FakeKernel { held: vec![held(0, "x", 2), held(1, "y", 3)], ..FakeKernel::default() };
    let script = vec![Script::Until(1_500_000_000), Script::Until(2_500_000_000)];
    let ran = run_records(&plan, &quiet(), script, kernel);
    assert_eq!(String::from_utf8_lossy(&ran.output.out), "x=2 x=0 y=3 \n");

    // Nothing is to be had before the gate opens; after it is shut everything is.
    let kernel = || FakeKernel { held: vec![held(0, "x", 2), held(1, "y", 3)], ..FakeKernel::default() };
    let ran = run_records(&cutting("p0"), &quiet(), vec![], kernel());
    let entries = ["x", "y"].iter().zip([2, 3]).fold(String::new(), |mut text, (key, n)| {
        let _ = writeln!(text, "  {key:50}{n:17}");
        text
    });
    assert_eq!(String::from_utf8_lossy(&ran.output.out), format!("\n{entries}"));
    let ran = run_records(&cutting("p1"), &quiet(), vec![], kernel());
    assert_eq!(String::from_utf8_lossy(&ran.output.out), "x=2 y=3 \n");
}

#[test]
fn aggrate_takes_aggregations_out_of_the_kernel_between_prints() {
    let plan = cutting("p3");
    let kernel = FakeKernel { held: vec![held(0, "x", 2), held(1, "x", 3)], ..FakeKernel::default() };
    let settings = Settings { aggrate: 400_000_000, ..quiet() };
    let script = vec![Script::Until(1_100_000_000)];
    let ran = run_records(&plan, &settings, script, kernel);
    assert_eq!(String::from_utf8_lossy(&ran.output.out), "x=5 \n", "two sweeps before the tick");
}

#[test]
fn an_exit_of_the_kernel_part_counts_even_if_its_record_was_lost() {
    let plan = capturing();
    let kernel = FakeKernel { exit: Some(4), ..FakeKernel::default() };
    let ran = run_records(&plan, &quiet(), vec![], kernel);
    assert_eq!(ran.result, Ok(Outcome { status: 4 }));
}

#[test]
fn records_that_no_plan_sent_are_a_defect_and_not_a_panic() {
    let plan = capturing();
    let whole = Record::of(&plan).outcome(0, outcome::RAN, 0).bits(0, 2).string(0, 1, b"name").bytes;
    let internal = |bytes: Vec<u8>| {
        let ran = run_records(&plan, &quiet(), vec![Script::Record(bytes)], FakeKernel::default());
        ran.result.is_err_and(|error| error.message.contains("internal error"))
    };
    assert!(!internal(whole.clone()));
    assert!(internal(vec![]));
    for cut in 0..whole.len() {
        // Never a panic; an area that is cut off reads as one that has nothing to say.
        internal(whole[..cut].to_vec());
    }
    for (at, byte) in [(0, 9), (2, 1), (4, 5)] {
        let mut bytes = whole.clone();
        bytes[at] = byte;
        assert!(internal(bytes), "byte {at} of the header");
    }
}

/// Whatever a record's bytes are, a run over it comes to an end and says something: a kernel that is not as it should be, or
/// a fault of this program, does not end it in the middle.
#[test]
fn damaged_records_do_no_harm() {
    use proptest::prelude::*;
    let plan = capturing();
    let record =
        Record::of(&plan).slot(0, 0, &[5]).string(0, 1, b"name").outcome(0, outcome::RAN, 0).bits(0, 2);
    let good = record.outcome(1, outcome::RAN, 0).bytes;
    let length = good.len();
    let byte = prop_oneof![any::<u8>(), Just(0), Just(0xff), Just(0x7f), Just(0x80)];
    let damages = prop::collection::vec((0..length, byte, 1..9usize), 0..6);
    let cut = prop_oneof![4 => Just(length), 1 => 0..length];
    let config = ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(damages in damages, cut in cut)| {
        let mut bytes = good.clone();
        for (at, byte, count) in damages {
            bytes[at..(at + count).min(length)].fill(byte);
        }
        bytes.truncate(cut);
        // A good one behind it is understood as ever, unless the tracer has exited or gone before.
        let script = vec![Script::Record(bytes), Script::Record(good.clone())];
        let ran = run_records(&plan, &quiet(), script, FakeKernel::default());
        prop_assert!(ran.output.out.len() + ran.output.err.len() < 4096);
        if ran.result.is_ok() {
            prop_assert!(ran.output.out.ends_with(b"a5 name 8 read second \n"), "{:?}", ran.output);
        }
    });
}

/// What the kernel part let through until an `exit` of the tracer's own clause stopped it has happened, and is printed.
#[test]
fn records_under_way_at_an_exit_of_a_tick_are_printed() {
    let program = format!(
        "{CAPTURING}k3 = printf in c2 stmt 1 () format \"tick \"\nk4 = exit in c2 stmt 2 (i32)\nenable c2 on p3\n\
         clause c2 {{\nb0:\n record k3 ()\n i0 = 3\n record k4 (i0)\n return\n}}\n"
    );
    let slots = [SlotKind::Int, SlotKind::Str, SlotKind::Fault];
    let plan = kernel_plan(&program, &[CAPTURING_USER[0], CAPTURING_USER[1], ""], &slots, &[]);
    let second = || Script::Record(Record::of(&plan).outcome(1, outcome::RAN, 0).bytes);
    let script = vec![second(), Script::Until(1_000_000_000), second(), second()];
    let ran = run_records(&plan, &quiet(), script, FakeKernel::default());
    assert_eq!(String::from_utf8_lossy(&ran.output.out), "second tick second second \n");
    assert_eq!(ran.result, Ok(Outcome { status: 3 }));
}
