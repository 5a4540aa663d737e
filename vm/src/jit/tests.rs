//! When a clause is compiled, what is compiled, and what stays with the interpreter. That both engines agree is tested with
//! the interpreter's operations (`interp::tests`) and by random programs (`placement`).

use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::ir::{AddrSpace, ProbeIndex, parse};
use dtrail_lang::plan::layout::{HEADER_SIZE, outcome};
use dtrail_lang::plan::{ClauseLayout, Slot, SlotKind};

use super::frame::Entry;
use super::*;
use crate::engine::{Ending, Input};
use crate::event::EventContext;
use crate::fault::{FaultKind, Raised};
use crate::runtime::{Space, World};
use crate::testing::{FakeEvent, user_plan};

/// A plan of one clause with a global `g` and a local `l`.
fn plan(code: &str) -> Plan {
    let text = format!(
        "p0 = probe 42 syscall:vmlinux:read:entry\nvar g: i64\nvar this->l: i64\nvar s: string\n\
         agg @_[i64, i64]: sum\ng0 = @_ in c0\nenable c0 on p0\nclause c0 {{\nb0:\n{code}\n}}"
    );
    user_plan(parse::program(&text).unwrap_or_else(|error| panic!("{error} in\n{text}")))
}

fn fire(jit: &mut Jit, plan: &Plan, world: &mut World) -> Ending {
    world.begin_firing(plan);
    let mut event = FakeEvent::default();
    let mut run = Run::new(plan, world, Input::Live(&mut event), None, ProbeIndex(0), ClauseId(0));
    let stopped = jit.run(ClauseId(0), &plan.program.clauses[0], &mut run);
    run.ending(stopped)
}

fn global(plan: &Plan, world: &mut World) -> u64 {
    let mut event = FakeEvent::default();
    let mut run = Run::new(plan, world, Input::Live(&mut event), None, ProbeIndex(0), ClauseId(0));
    run.get(ir::VarId(0), &[])
}

const COUNT: &str = "    i0 = get g\n    i1 = 1\n    i2 = add i0, i1\n    set g = i2\n    return";

#[test]
fn a_clause_is_compiled_when_it_is_hot() {
    for (threshold, runs, compiled) in [(3, 3, 0), (3, 4, 1), (0, 1, 1), (HOT, 10, 0)] {
        let plan = plan(COUNT);
        let (mut jit, mut world) = (Jit::after(threshold), World::new(&plan, Space::default()));
        for _ in 0..runs {
            assert_eq!(fire(&mut jit, &plan, &mut world), Ending::Done);
        }
        assert_eq!(jit.compiled(), compiled, "{runs} runs, hot after {threshold}");
        assert_eq!(global(&plan, &mut world), runs, "no run is lost where the engine changes");
    }
}

#[test]
fn other_code_under_the_same_number_is_compiled_anew() {
    let (first, second) = (plan(COUNT), plan("    i0 = 5\n    set g = i0\n    return"));
    let mut jit = Jit::after(0);
    for (plan, expected) in [(&first, 1), (&second, 5), (&first, 1)] {
        let mut world = World::new(plan, Space::default());
        fire(&mut jit, plan, &mut world);
        assert_eq!(global(plan, &mut world), expected);
    }
}

#[test]
fn a_local_that_compiled_code_wrote_is_zero_in_the_next_firing() {
    let plan = plan("    i0 = get this->l\n    set g = i0\n    i1 = 7\n    set this->l = i1\n    return");
    let (mut jit, mut world) = (Jit::after(0), World::new(&plan, Space::default()));
    for _ in 0..2 {
        fire(&mut jit, &plan, &mut world);
        assert_eq!(global(&plan, &mut world), 0);
    }
}

#[test]
fn too_large_a_clause_stays_with_the_interpreter() {
    let code = format!("    i0 = 1\n{}    set g = i0\n    return", "    i0 = add i0, i0\n".repeat(16384));
    let plan = plan(&code);
    let (mut jit, mut world) = (Jit::after(0), World::new(&plan, Space::default()));
    assert_eq!(fire(&mut jit, &plan, &mut world), Ending::Done);
    assert_eq!((jit.compiled(), global(&plan, &mut world)), (0, 0));
    assert_eq!(dump(&plan), "# clause c0\n; stays with the interpreter\n\n");
}

/// A record of one area with an integer slot that holds 9, `outcome` and a fault at point 2.
fn recorded(outcome: u32, bytes: usize) -> (Plan, Vec<u8>) {
    let mut plan = plan("    return");
    let user = plan_of_user(
        "    i0 = recv $0\n    set g = i0\n    faultpoint\n    i1 = bit 1\n    set g = i1\n    return",
    );
    let slot = Slot { kind: SlotKind::Int, offset: 0, what: String::new() };
    let layout = ClauseLayout::new(true, true, vec![slot]);
    let mut record = vec![0; HEADER_SIZE as usize];
    for word in [u64::from(outcome) | 2 << 32, 4, 77, 2, 9] {
        record.extend_from_slice(&u64::to_le_bytes(word));
    }
    record.truncate(bytes);
    plan.user[0] = Some(user);
    plan.clause_layouts[0] = layout;
    (plan, record)
}

/// The code of a clause, as it stands.
fn plan_of_user(code: &str) -> ir::Clause {
    plan(code).program.clauses.remove(0)
}

#[test]
fn user_parts_are_compiled_over_records() {
    for (outcome, bytes) in [
        (outcome::RAN, 99),
        (outcome::FAULTED, 99),
        (outcome::DROPPED, 99),
        (outcome::RAN, 64),
        (outcome::RAN, 40),
    ] {
        let (plan, record) = recorded(outcome, bytes);
        let run = |engine: &mut dyn Engine| {
            let mut world = World::new(&plan, Space::default());
            let code = plan.user[0].as_ref().expect("set");
            let input = Input::Record { record: &record, area: HEADER_SIZE };
            let mut run = Run::new(&plan, &mut world, input, None, ProbeIndex(0), ClauseId(0));
            let stopped = engine.run(ClauseId(0), code, &mut run);
            let ending = run.ending(stopped);
            (ending, global(&plan, &mut world))
        };
        let mut jit = Jit::after(0);
        assert_eq!(run(&mut jit), run(&mut Interp::default()), "outcome {outcome}, {bytes} bytes");
        assert_eq!(jit.compiled(), 1);
    }
}

#[test]
fn the_text_of_compiled_code() {
    let plan = plan("    i0 = get g\n    i1 = builtin pid\n    aggregate g0 [i0, i1] (i0)\n    return");
    let text = dump(&plan);
    let calls = text.lines().filter(|line| line.contains("call fn")).count();
    assert_eq!(calls, 3, "{text}");
    for part in [
        "# clause c0\nfunction %c0(i64, i64, i64, i64, i64, i64) -> i64",
        "= %event_pid sig",
        "= %update_two sig",
        "= %aggregate sig",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

/// Bytes of this process that are executable and of no file.
fn executable() -> Option<u64> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let size = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        let (range, rights) = (words.next()?, words.next()?);
        let (start, end) = range.split_once('-')?;
        let number = |text| u64::from_str_radix(text, 16).ok();
        // Behind them are an offset, a device and an inode, and then a path or nothing.
        (rights.contains('x') && words.nth(3).is_none()).then_some(number(end)? - number(start)?)
    };
    Some(maps.lines().filter_map(size).sum())
}

#[test]
fn compiled_code_is_freed_with_its_engine() {
    let Some(before) = executable() else { return println!("skipped: no /proc/self/maps") };
    let plan = plan(COUNT);
    let run = |runs| {
        let (mut jit, mut world) = (Jit::after(0), World::new(&plan, Space::default()));
        (0..runs).for_each(|_| assert_eq!(fire(&mut jit, &plan, &mut world), Ending::Done));
        assert_eq!((jit.compiled(), global(&plan, &mut world)), (1, runs));
        jit
    };
    let kept: Vec<_> = (0..200).map(|_| run(1)).collect();
    let during = executable().unwrap_or(0);
    assert!(during >= before + 200 * 4096, "a page of code each: {before}, then {during}");
    drop(kept);
    (0..200).for_each(|_| drop(run(2)));
    let after = executable().unwrap_or(0);
    // Other tests of this process may compile at the same time.
    assert!(after < before + 100 * 4096, "{before} before, {after} after");
}

#[test]
fn integers_of_the_event_are_asked_of_it_at_once() {
    for row in BuiltinVar::ROWS {
        let direct = Entry::of_event(row.id).is_some();
        assert_eq!(direct, crate::runtime::asks_event(row.id), "{}", row.name);
    }
    let indices: Vec<_> = Entry::all().map(Entry::index).collect();
    assert_eq!(indices, (0..indices.len()).collect::<Vec<_>>(), "each entry is at its place");
}

/// An event that has no `arg2`.
struct NoThird(FakeEvent);

impl EventContext for NoThird {
    fn int(&mut self, var: BuiltinVar, index: u32) -> Result<i64, Raised> {
        match (var, index) {
            (BuiltinVar::Arg, 2) => Err(Raised::new(FaultKind::BadIndex, 2)),
            (BuiltinVar::Arg, _) => Ok(i64::from(index) + 10),
            _ => self.0.int(var, index),
        }
    }

    fn string(&mut self, var: BuiltinVar, out: &mut Vec<u8>) -> Result<(), Raised> {
        self.0.string(var, out)
    }

    fn read(&mut self, space: AddrSpace, addr: u64, buf: &mut [u8]) -> Result<(), Raised> {
        self.0.read(space, addr, buf)
    }

    fn read_string(
        &mut self,
        space: AddrSpace,
        addr: u64,
        limit: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), Raised> {
        self.0.read_string(space, addr, limit, out)
    }
}

#[test]
fn arguments_in_their_order_are_asked_for_at_once() {
    let fault = |point| Ending::Fault { raised: Raised::new(FaultKind::BadIndex, 2), point };
    // What they are used for comes after all of them, so a fault leaves the variable as it was.
    for (indices, at_once, value, ending) in [
        (&[0, 1][..], true, 21, Ending::Done),
        (&[3, 4, 5], true, 42, Ending::Done),
        (&[1, 0], false, 21, Ending::Done),
        (&[0, 1, 1, 3, 4], true, 59, Ending::Done),
        (&[0, 1, 2, 3], true, 0, fault(2)),
        (&[2, 3], true, 0, fault(0)),
    ] {
        let mut code = String::new();
        for (at, index) in indices.iter().enumerate() {
            let _ = writeln!(code, "    i{at} = builtin arg{index}");
        }
        let mut sum = "i0".to_owned();
        for at in 1..indices.len() {
            let _ = writeln!(code, "    i{} = add {sum}, i{at}", at + 10);
            sum = format!("i{}", at + 10);
        }
        let _ = write!(code, "    set g = {sum}\n    return");
        let mut plan = plan(&code);
        (0..).zip(&mut plan.program.clauses[0].blocks[0].insts).for_each(|(point, inst)| inst.point = point);
        let text = dump(&plan);
        let calls = text.matches("= %event_args sig").count();
        assert_eq!(calls, usize::from(at_once), "{indices:?}: {text}");
        let engines: [&mut dyn Engine; 2] = [&mut Jit::after(0), &mut Interp::default()];
        for engine in engines {
            let (mut world, mut event) = (World::new(&plan, Space::default()), NoThird(FakeEvent::default()));
            let input = Input::Live(&mut event);
            let mut run = Run::new(&plan, &mut world, input, None, ProbeIndex(0), ClauseId(0));
            let stopped = engine.run(ClauseId(0), &plan.program.clauses[0], &mut run);
            let ended = run.ending(stopped);
            assert_eq!((ended, global(&plan, &mut world)), (ending, value), "{indices:?}");
        }
    }
}
