//! Which speculations are in use: the words of the control map, on rbpf and in the kernel.

use dtrail_lang::plan::speculations::{ACTIVE, COMMITTED, DISCARDED, FREE, UNTOLD, word};

use super::*;
use crate::ebpf::counter;
use crate::ebpf::testing::{injected, plan_of};
use dtrail_lang::plan::{Capabilities, PlanOptions};

/// Four clauses, by `arg0` a bit each: the first takes a number, the others use, commit and discard that in `arg1`.
fn program() -> String {
    let mut text = "p0 = probe 1 a:b:c:d\n".to_owned();
    for i in 0..4 {
        text += &format!("enable c{i} on p0\n");
    }
    let uses = ["", "call <turn>(i3)", "call <commit>(i3)", "call <discard>(i3)"];
    for (i, call) in uses.into_iter().enumerate() {
        let body = match i {
            0 => "i4 = call speculation()\nsend $0 = i4\nwork\n".to_owned(),
            _ => format!("i3 = builtin arg1\ni4 = {call} #5\nsend $0 = i4\nwork\n"),
        };
        text += &format!(
            "clause c{i} {{\nb0:\ni0 = builtin arg0\ni1 = {}\ni2 = and i0, i1\nbranch i2 ? b1 : b2 merge b2\n\
             b1:\n{body}goto b2\nb2:\nreturn\n}}\n",
            1 << i
        );
    }
    text
}

const TAKE: i64 = 1;
const USE: i64 = 2;
const COMMIT: i64 = 4;
const DISCARD: i64 = 8;

/// What each clause that ran sent.
fn fire(bench: &mut Bench, what: i64, number: i64) -> Vec<i64> {
    let records = bench.fire(&TestEvent::args(&[what, number]));
    let sent = |record: &Vec<u8>, i| match Sent::of(&bench.plan, record, i) {
        Sent::Ran(values) => match values[..] {
            [Value::Int(value)] => Some(value),
            ref other => panic!("{other:?}"),
        },
        Sent::Nothing => None,
        other => panic!("{other:?}"),
    };
    records.iter().flat_map(|record| (0..4).filter_map(|i| sent(record, i)).collect::<Vec<_>>()).collect()
}

fn words(bench: &mut Bench) -> Vec<u64> {
    let place = bench.program.state.speculations.expect("the program speculates");
    (0..place.count).map(|i| bench.control(place.first + i)).collect()
}

#[test]
fn numbers_are_taken_used_ended_and_free_again() {
    let mut bench = Bench::new(&program());
    for number in 1..=4 {
        assert_eq!(fire(&mut bench, TAKE, 0), [number]);
    }
    assert_eq!(fire(&mut bench, TAKE, 0), [0]);
    assert_eq!(bench.counter(counter::SPECULATIONS_UNAVAILABLE), 1);
    assert_eq!(words(&mut bench), [word(1, ACTIVE); 4]);
    assert_eq!(fire(&mut bench, USE, 3), [1], "its turn");
    assert_eq!(fire(&mut bench, COMMIT, 3), [1]);
    assert_eq!(fire(&mut bench, COMMIT, 3), [0], "it is over");
    assert_eq!(fire(&mut bench, DISCARD, 3), [0]);
    assert_eq!(fire(&mut bench, USE, 3), [], "the clause ends");
    assert_eq!(words(&mut bench)[2], word(1, FREE));
    assert_eq!(fire(&mut bench, TAKE | USE, 3), [3, 2]);
    assert_eq!(bench.counter(counter::DYNAMIC), 0, "an ended clause is no drop");
    assert_eq!(bench.counter(counter::SPECULATIONS_BUSY), 0);
}

/// A number is busy until the firing that ended its turn is over.
#[test]
fn a_number_is_busy_within_its_firing() {
    let mut bench = Bench::new(&program().replace("enable c0 on p0\n", "").replace(
        "enable c3 on p0\n",
        // Once more, behind those that end turns.
        "enable c3 on p0\nenable c0 on p0\n",
    ));
    for number in 1..=4 {
        assert_eq!(fire_last(&mut bench, TAKE, 0), number);
    }
    assert_eq!(fire_last(&mut bench, TAKE | COMMIT, 2), 0);
    assert_eq!(bench.counter(counter::SPECULATIONS_BUSY), 1);
    assert_eq!(bench.counter(counter::SPECULATIONS_UNAVAILABLE), 0);
    assert_eq!(fire_last(&mut bench, TAKE | DISCARD, 1), 2);
    assert_eq!(fire_last(&mut bench, TAKE, 0), 1);
}

/// What the last clause sent.
fn fire_last(bench: &mut Bench, what: i64, number: i64) -> i64 {
    let records = bench.fire(&TestEvent::args(&[what, number]));
    let [record] = &records[..] else { panic!("one record") };
    match Sent::of(&bench.plan, record, 3) {
        Sent::Ran(values) => match values[..] {
            [Value::Int(value)] => value,
            ref other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn numbers_that_there_are_not_are_in_no_turn() {
    let mut bench = Bench::new(&program());
    for _ in 1..=4 {
        fire(&mut bench, TAKE, 0);
    }
    for number in [0, 5, -1, 64, i64::MIN, i64::MAX, 1 << 32 | 1] {
        assert_eq!(fire(&mut bench, USE, number), [], "{number}");
        assert_eq!(fire(&mut bench, COMMIT | DISCARD, number), [0, 0], "{number}");
    }
    assert_eq!(words(&mut bench), [word(1, ACTIVE); 4]);
}

/// What the program has decided stands although nobody hears of it: the number stays busy, so that user space finds it.
#[test]
fn a_lost_record_leaves_its_number_busy() {
    let mut bench = Bench::rbpf(&program());
    fire(&mut bench, TAKE, 0);
    fire(&mut bench, TAKE, 0);
    // Records that nobody takes fill the ring.
    let event = TestEvent::args(&[USE, 1]);
    while bench.counter(counter::PRINCIPAL) == 0 {
        bench.rbpf.inject(&event.bytes()).unwrap();
    }
    for (what, number) in [(COMMIT, 1), (DISCARD, 2)] {
        bench.rbpf.inject(&TestEvent::args(&[what, number]).bytes()).unwrap();
    }
    assert_eq!(words(&mut bench)[..2], [word(1, COMMITTED | UNTOLD), word(1, DISCARDED | UNTOLD)]);
    bench.rbpf.records();
    assert_eq!(fire(&mut bench, TAKE | USE, 1), [3]);
}

#[test]
fn a_number_is_busy_for_the_cleaning_period() {
    for (cleanrate, time, free_at) in [(100, 1000, 1100), (u64::MAX, 1000, u64::MAX), (1 << 40, 0, 1 << 40)] {
        let target = crate::ebpf::Target { cleanrate, speculations: 1, ..injected() };
        let mut bench = Bench::of(plan_of(&program()), &target);
        let mut at = |time: u64, what: i64| {
            let records = bench.fire(&TestEvent { time, ..TestEvent::args(&[what, 1]) });
            let index = what.trailing_zeros() as usize;
            (Sent::of(&bench.plan, &records[0], index), bench.counter(counter::SPECULATIONS_BUSY))
        };
        let ran = |value| Sent::Ran(vec![Value::Int(value)]);
        assert_eq!(at(time, TAKE), (ran(1), 0));
        assert_eq!(at(time, DISCARD), (ran(1), 0));
        assert_eq!(at(free_at - 1, TAKE), (ran(0), 1), "{cleanrate}");
        assert_eq!(at(free_at, TAKE), (ran(1), 1), "{cleanrate}");
    }
}

#[test]
fn there_may_be_no_numbers_and_sixteen() {
    for count in [0, 16] {
        let target = crate::ebpf::Target { speculations: count, ..injected() };
        let mut bench = Bench::of(plan_of(&program()), &target);
        for number in (1..=i64::from(count)).chain([0]) {
            assert_eq!(fire(&mut bench, TAKE, 0), [number]);
        }
        for number in 1..=i64::from(count) {
            assert_eq!(fire(&mut bench, USE | COMMIT, number), [1, 1]);
        }
        assert_eq!(words(&mut bench), vec![word(1, FREE); count as usize]);
        assert_eq!(bench.counter(counter::SPECULATIONS_UNAVAILABLE), 1);
    }
}

/// What is lost with a record is a drop for each clause whose record it had; a commit has none, and is not lost.
#[test]
fn a_lost_commit_is_no_drop() {
    let text = "p0 = probe 1 a:b:c:d source\np1 = probe 2 a:b:c:e source\n\
                k0 = speculate in c0 stmt 1 (i32)\nk1 = commit in c1 stmt 1 (i32)\n\
                enable c0 on p0\nenable c1 on p1\n\
                clause c0 {\nb0:\ni0 = builtin arg0\ni1 = call <turn>(i0)\nrecord k0 (i0, i1)\nreturn\n}\n\
                clause c1 {\nb0:\ni0 = call speculation()\ni1 = call <commit>(i0)\nrecord k1 (i0, i1)\nreturn\n}\n";
    let program = dtrail_lang::ir::parse::program(text).unwrap();
    let plan = dtrail_lang::plan::plan(program, Capabilities::BASELINE, &PlanOptions::default()).unwrap();
    let mut bench = Bench::rbpf_of(plan, &injected());
    let mut fire = |probe, number| {
        let event = TestEvent { probe, ..TestEvent::args(&[number]) };
        bench.rbpf.inject(&event.bytes()).unwrap();
        bench.counter(counter::PRINCIPAL)
    };
    // Commits that nobody reads fill the ring; the last one of all is told by its word alone.
    let mut commits = 0;
    while commits < 3000 {
        assert_eq!(fire(1, 0), 0);
        commits += 1;
    }
    let busy = words(&mut bench).iter().filter(|word| *word & UNTOLD != 0).count();
    assert_eq!(busy, 4, "no number is left");
    assert!(bench.counter(counter::SPECULATIONS_BUSY) > 0);
}
