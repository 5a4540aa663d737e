//! Speculations whose numbers the kernel part gives: rows of turns in whatever order CPUs send them, and commits that nobody
//! was told of.

use dtrail_lang::plan::speculations::{ACTIVE, COMMITTED, DISCARDED, FREE, UNTOLD, word};
use dtrail_lang::plan::{Plan, Side, SlotKind};

use super::records::{Record, kernel_plan, run_source};
use super::*;
use crate::speculation::words::{OwnWords, Words};
use crate::testing::FakeKernel;
use dtrail_lang::plan::layout::outcome;

/// One clause speculates and prints a number, one commits, one discards; number and turn are captured.
const PROGRAM: &str = "\
k0 = speculate in c0 stmt 1 (i32)
k1 = printf in c0 stmt 2 (i64) format %d64 \" \"
k2 = commit in c1 stmt 1 (i32)
k3 = discard in c2 stmt 1 (i32)
enable c0 on p4
enable c1 on p4
enable c2 on p4
clause c0 {
b0:
    return
}
clause c1 {
b0:
    return
}
clause c2 {
b0:
    return
}
";

fn plan() -> Plan {
    let captured = |id: usize, then: &str| {
        format!("clause c{id} {{\nb0:\n i0 = recv $0\n i1 = recv $1\n {then}\n return\n}}")
    };
    let user = [
        captured(0, "record k0 (i0, i1)\n i2 = recv $2\n record k1 (i2)"),
        captured(1, "record k2 (i0, i1)"),
        captured(2, "record k3 (i0, i1)"),
    ];
    let user = [&*user[0], &*user[1], &*user[2]];
    Plan { speculations: Side::Kernel, ..kernel_plan(PROGRAM, &user, &[SlotKind::Int; 3], &[]) }
}

/// What a record says: the row, commit or discard of a turn of number 1.
#[derive(Clone, Copy)]
enum Said {
    Row(u64, u64),
    Commit(u64),
    Discard(u64),
}
use Said::{Commit, Discard, Row};

/// The two streams, and the word of number 1 in the end.
fn run_said(said: &[Said], word: u64) -> (String, String, u64) {
    let plan = plan();
    let record = |clause: usize, turn: u64, value: u64| {
        let record = Record::of(&plan).outcome(clause, outcome::RAN, 0);
        record.slot(clause, 0, &[1]).slot(clause, 1, &[turn]).slot(clause, 2, &[value])
    };
    let script = said.iter().map(|said| match *said {
        Row(turn, value) => record(0, turn, value),
        Commit(turn) => record(1, turn, 0),
        Discard(turn) => record(2, turn, 0),
    });
    let script = script.map(|record| Script::Record(record.bytes)).collect();
    let mut words = OwnWords::new(1);
    assert!(words.replace_word(1, 0, word));
    let kernel = FakeKernel { words, ..FakeKernel::default() };
    let mut source = ListSource { kernel: Some(Box::new(kernel)), ..ListSource::new(script) };
    let ran = run_source(&plan, &quiet(), &mut source);
    assert_eq!(ran.result, Ok(Outcome { status: 0 }));
    let word = source.kernel.as_mut().and_then(|kernel| Some(kernel.speculations()?.word(1)));
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (text(ran.output.out), text(ran.output.err), word.unwrap_or_default())
}

fn printed(said: &[Said]) -> String {
    let (out, err, _) = run_said(said, word(9, ACTIVE));
    assert_eq!(err, "");
    out
}

#[test]
fn turns_of_a_number_are_told_apart() {
    assert_eq!(printed(&[Row(1, 10), Row(1, 11), Commit(1), Row(2, 20), Commit(2)]), "10 11 20 \n");
    assert_eq!(printed(&[Row(1, 10), Discard(1), Row(2, 20), Commit(2)]), "20 \n");
    // A row of the next turn overtakes the commit, and the discard.
    assert_eq!(printed(&[Row(1, 10), Row(2, 20), Commit(1), Row(2, 21), Commit(2)]), "10 20 21 \n");
    assert_eq!(printed(&[Row(1, 10), Row(2, 20), Discard(1), Commit(2)]), "20 \n");
    assert_eq!(printed(&[Row(1, 10), Row(2, 20), Commit(2), Commit(1)]), "20 10 \n");
    // No turn: nothing was in use.
    assert_eq!(printed(&[Row(1, 10), Commit(0), Discard(0)]), "\n");
}

/// Another CPU had seen the speculation in use, and recorded when its turn was over.
#[test]
fn a_row_that_comes_late_goes_where_its_turn_went() {
    assert_eq!(printed(&[Row(1, 10), Commit(1), Row(1, 11)]), "10 11 \n");
    assert_eq!(printed(&[Row(1, 10), Discard(1), Row(1, 11)]), "\n");
    assert_eq!(printed(&[Row(1, 10), Commit(1), Row(2, 20), Row(1, 11), Discard(2)]), "10 11 \n");
}

/// How turns ended is not known for ever, and what is lost for that is counted.
#[test]
fn a_row_that_comes_too_late_is_a_drop() {
    let later = |count: u64| {
        let mut said = vec![Row(1, 10), Commit(1)];
        said.extend((2..2 + count).map(Discard));
        said.push(Row(1, 11));
        run_said(&said, word(99, ACTIVE))
    };
    assert_eq!(later(63), ("10 11 \n".to_owned(), String::new(), word(99, ACTIVE)));
    let (out, err, _) = later(64);
    assert_eq!(out, "10 \n");
    assert_eq!(
        err,
        "dtrace: 1 speculative drop\n\
         dtrace: help: a larger `-x specsize` holds more records of a speculation\n"
    );
}

#[test]
fn what_the_kernel_part_decided_stands_though_its_record_is_lost() {
    let rows = [Row(1, 10), Commit(1), Row(2, 20), Row(2, 21)];
    for (state, out) in [(COMMITTED, "10 20 21 \n"), (DISCARDED, "10 \n")] {
        let seen = run_said(&rows, word(2, state | UNTOLD));
        assert_eq!(seen, (out.to_owned(), String::new(), word(2, FREE)));
    }
    // It is under way: it will be told.
    let seen = run_said(&rows, word(2, COMMITTED));
    assert_eq!(seen, ("10 \n".to_owned(), String::new(), word(2, COMMITTED)));
}

/// It may have been taken again when its record is looked at.
#[test]
fn the_kernel_part_frees_what_it_tells_of() {
    let told = [Row(2, 20), Commit(2)];
    for word in [word(2, COMMITTED), word(2, FREE), word(3, ACTIVE)] {
        assert_eq!(run_said(&told, word), ("20 \n".to_owned(), String::new(), word));
    }
}

/// A lost commit may be seen by its word while records of earlier turns are still to come, however many.
#[test]
fn a_turn_that_is_over_ahead_of_others_is_known_when_its_rows_come() {
    let mut said = vec![Row(1, 10)];
    said.extend((2..200).flat_map(|turn| [Row(turn, turn), Discard(turn)]));
    said.extend([Commit(1), Row(200, 7)]);
    let seen = run_said(&said, word(200, COMMITTED | UNTOLD));
    assert_eq!(seen, ("10 7 \n".to_owned(), String::new(), word(200, FREE)));
}
