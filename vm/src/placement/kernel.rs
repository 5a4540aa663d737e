//! The kernel part of a plan, run by reading its ops: an event source whose programs are the planner's kernel clauses.
//! Shared ops go through the interpreter; what is the kernel's alone (records, attempts, generations, the gate) is here.

use std::collections::VecDeque;
use std::time::Instant;

use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::env::Environment;
use dtrail_lang::ir::{AggId, BlockId, Clause, ClauseId, Op, ProbeIndex, RegKind, Terminator, VarId};
use dtrail_lang::plan::layout::{header, outcome};
use dtrail_lang::plan::speculations::turn;
use dtrail_lang::plan::{Capabilities, ClauseLayout, Plan, SlotKind};

use super::programs::Step;
use crate::agg::AggState;
use crate::engine::{Ending, Input};
use crate::event::{Error, Event, EventContext, EventSink, EventSource, Exited, Flow, KernelState, Wait};
use crate::fault::Drops;
use crate::interp::Interp;
use crate::runtime::{Run, Space, World};
use crate::speculation::words::{Words, free};
use crate::stacks::StackTable;
use crate::testing::{FakeEvent, FixedHost, NoProbes};
use crate::value::{self, Value};
use crate::vars::Thread;

/// A source that runs kernel parts over a script's events; records are delivered `batch` events late.
pub(super) struct KernelSource<'p> {
    pub(super) host: FixedHost,
    steps: VecDeque<Step>,
    batch: usize,
    /// Records, each with its event.
    ring: Vec<(Vec<u8>, FakeEvent)>,
    waiting: usize,
    kernel: Kernel<'p>,
}

impl<'p> KernelSource<'p> {
    pub(super) fn new(plan: &'p Plan, steps: &[Step], batch: usize, space: Space) -> KernelSource<'p> {
        KernelSource {
            host: FixedHost::default(),
            steps: steps.iter().cloned().collect(),
            batch,
            ring: Vec::new(),
            waiting: 0,
            kernel: Kernel {
                plan,
                world: World::new(plan, space),
                open: false,
                exit: None,
                generation: 0,
                held: Vec::new(),
            },
        }
    }
}

impl EventSource for KernelSource<'_> {
    fn name(&self) -> &'static str {
        "kernel"
    }

    fn environment(&self) -> &dyn Environment {
        &NoProbes
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::BASELINE
    }

    fn attach(&mut self, _: &Plan) -> Result<(), Error> {
        Ok(())
    }

    fn open(&mut self) -> Result<(), Error> {
        self.kernel.open = true;
        Ok(())
    }

    fn wait(&mut self, deadline: Option<Instant>, sink: &mut dyn EventSink) -> Result<Wait, Error> {
        let due = deadline.map_or(u64::MAX, |deadline| self.host.at(deadline));
        match self.steps.front_mut() {
            Some(step) if step.time() > due => self.host.clock.set(due.max(self.host.clock.get())),
            Some(_) => {
                match self.steps.pop_front() {
                    Some(Step::Event(mut event)) => {
                        self.host.clock.set(self.host.clock.get().max(event.at));
                        let record = self.kernel.fire(&mut event);
                        self.ring.extend(record.map(|record| (record, event)));
                        self.waiting += 1;
                    }
                    Some(Step::Until(time)) => self.host.clock.set(time),
                    None => {}
                }
                if self.waiting >= self.batch {
                    return self.drain(sink);
                }
            }
            None => {
                self.drain(sink)?;
                return Ok(Wait::TargetsGone);
            }
        }
        Ok(Wait::Again)
    }

    fn drain(&mut self, sink: &mut dyn EventSink) -> Result<Wait, Error> {
        self.waiting = 0;
        for (record, mut left) in std::mem::take(&mut self.ring) {
            let event = Event::Record { record: &record, kernel: &mut self.kernel, left: Some(&mut left) };
            if sink.event(event) == Flow::Stop {
                return Ok(Wait::Stopped);
            }
        }
        Ok(if self.kernel.exit.is_some() { Wait::Stopped } else { Wait::Again })
    }

    fn shut(&mut self, sink: &mut dyn EventSink) -> Result<(), Error> {
        self.kernel.open = false;
        self.drain(sink).map(|_| ())
    }

    fn detach(&mut self, _impatient: &dyn Fn() -> bool) -> Result<(), Error> {
        Ok(())
    }

    fn kernel(&mut self) -> Option<&mut dyn KernelState> {
        Some(&mut self.kernel)
    }

    fn drops(&mut self) -> Drops {
        std::mem::take(&mut self.kernel.world.drops)
    }

    fn exited(&mut self) -> Vec<Exited> {
        Vec::new()
    }
}

/// Programs and state.
struct Kernel<'p> {
    plan: &'p Plan,
    world: World,
    open: bool,
    exit: Option<i64>,
    generation: u32,
    /// Aggregations of frozen generations.
    held: Vec<(u32, AggId, Box<[Value]>, AggState)>,
}

/// The record under construction.
struct Sending {
    bytes: Vec<u8>,
    work: bool,
    cut: bool,
    exit: Option<i64>,
    /// Where the clause ended before its end.
    point: u32,
}

impl Sending {
    fn put(&mut self, at: u32, word: u64) {
        self.bytes[at as usize..at as usize + 8].copy_from_slice(&word.to_le_bytes());
    }

    /// Appends a string to the tail; the word that finds it.
    fn string(&mut self, text: Option<&[u8]>) -> u64 {
        let Some(text) = text else { return 0 };
        let offset = self.bytes.len() as u64;
        self.bytes.extend_from_slice(text);
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        offset | (text.len() as u64) << 32
    }
}

/// How a stretch of kernel code ended.
enum Reached {
    Merge,
    Return,
    Ended(Ending),
}

impl Kernel<'_> {
    /// One firing: the record it sends, if any.
    fn fire(&mut self, event: &mut FakeEvent) -> Option<Vec<u8>> {
        let plan = self.plan;
        let probe = ProbeIndex(event.probe);
        let group_id = plan.probe_groups[probe.index()]?;
        if !self.open || self.exit.is_some() {
            return None;
        }
        let group = &plan.groups[group_id.0 as usize];
        self.world.begin_firing(plan);
        let bytes = vec![0; group.layout.fixed_size as usize];
        let mut sending = Sending { bytes, work: false, cut: false, exit: None, point: 0 };
        let mut any = false;
        for (&clause, &area) in group.clauses.iter().zip(&group.layout.areas) {
            let Some(code) = &plan.kernel[clause.index()] else { continue };
            let layout = &plan.clause_layouts[clause.index()];
            sending.work = false;
            let what = self.clause(clause, code, layout, area, event, probe, &mut sending);
            any |= what != outcome::NONE;
            if sending.exit.is_some() {
                break;
            }
        }
        self.end_turns();
        self.exit = sending.exit;
        if sending.cut {
            self.cut();
        }
        if !any {
            return None;
        }
        let mut int = |var| event.int(var, 0).unwrap_or(0) as u64;
        sending.put(
            header::EPOCH,
            u64::from(plan.epoch) | u64::from(group_id.0) << 16 | u64::from(probe.0) << 32,
        );
        sending.put(header::TIME, int(BuiltinVar::Timestamp));
        sending.put(header::PID_TGID, int(BuiltinVar::Pid) << 32 | int(BuiltinVar::Tid));
        sending.put(header::CPU, 3 | u64::from(self.generation) << 32);
        for slot in &group.layout.shared_slots {
            let Some(var) = slot.builtin() else { continue };
            let word = if var.row().string {
                let mut text = Vec::new();
                event.string(var, &mut text).ok()?;
                sending.string(Some(&text))
            } else {
                event.int(var, 0).ok()? as u64
            };
            sending.put(slot.offset, word);
        }
        Some(sending.bytes)
    }

    #[allow(clippy::too_many_arguments, reason = "one caller, which has all of these at hand")]
    fn clause(
        &mut self,
        id: ClauseId,
        code: &Clause,
        layout: &ClauseLayout,
        area: u32,
        event: &mut FakeEvent,
        probe: ProbeIndex,
        sending: &mut Sending,
    ) -> u32 {
        let mut run = Run::new(self.plan, &mut self.world, Input::Live(event), None, probe, id);
        let mut interp = Interp::default();
        interp.begin(code.regs.len());
        let mut body = Body { code, layout, area, interp: &mut interp, run: &mut run, sending };
        let (what, point) = match body.blocks(BlockId(0), None) {
            Reached::Merge => panic!("a clause without a merge came to one"),
            Reached::Return if sending.work => (outcome::RAN, 0),
            Reached::Return => (outcome::NONE, 0),
            Reached::Ended(Ending::Fault { raised, point }) => {
                let at = area + layout.fault.expect("a layout of a clause that faults has the fields");
                sending.put(at, raised.kind as u64);
                sending.put(at + 8, raised.value);
                (outcome::FAULTED, point)
            }
            Reached::Ended(Ending::Dropped) if sending.work => (outcome::DROPPED, sending.point),
            Reached::Ended(Ending::Dropped) => (outcome::NONE, 0),
            Reached::Ended(ending) => panic!("{ending:?} in a kernel part"),
        };
        sending.put(area, u64::from(what) | u64::from(point) << 32);
        what
    }
}

/// A clause while it runs.
struct Body<'b, 'r> {
    code: &'b Clause,
    layout: &'b ClauseLayout,
    area: u32,
    interp: &'b mut Interp,
    run: &'b mut Run<'r>,
    sending: &'b mut Sending,
}

impl Body<'_, '_> {
    /// Runs from a block to the end, or up to the merge of an attempt.
    fn blocks(&mut self, from: BlockId, until: Option<BlockId>) -> Reached {
        let mut at = from;
        while Some(at) != until {
            let block = &self.code.blocks[at.index()];
            for inst in &block.insts {
                self.op(inst);
                if self.run.stopped() {
                    self.sending.point = inst.point;
                    return Reached::Ended(self.run.ending(Some(inst.point)));
                }
            }
            at = match block.end {
                Terminator::Goto(to) => to,
                Terminator::Branch { cond, then, otherwise, .. } => {
                    if self.interp.get(cond) != 0 {
                        then
                    } else {
                        otherwise
                    }
                }
                Terminator::Return => return Reached::Return,
                Terminator::Attempt { body, slot, merge } => {
                    let scratch = self.run.scratch_used();
                    match self.blocks(body, Some(merge)) {
                        Reached::Merge => {}
                        Reached::Ended(Ending::Fault { raised, point }) => {
                            let at = self.area + self.layout.slots[slot.0 as usize].offset;
                            let code = u64::from(raised.kind as u32) + 1;
                            self.sending.put(at, code | u64::from(point) << 32);
                            self.sending.put(at + 8, raised.value);
                        }
                        Reached::Return => panic!("a return in an attempt"),
                        other => return other,
                    }
                    self.run.resume(scratch);
                    merge
                }
            };
        }
        Reached::Merge
    }

    fn op(&mut self, inst: &dtrail_lang::ir::Inst) {
        match &inst.op {
            Op::Send { slot, src } => {
                let slot = &self.layout.slots[slot.0 as usize];
                let value = self.interp.get(*src);
                let word = match slot.kind {
                    SlotKind::Int => value,
                    SlotKind::Str | SlotKind::Bytes => self.sending.string(self.run.bytes(value)),
                    SlotKind::Fault => panic!("a value sent to a fault slot"),
                };
                self.sending.put(self.area + slot.offset, word);
            }
            Op::Work => self.sending.work = true,
            Op::SetBit { bit } => {
                let at = self.area + self.layout.bits.expect("a layout of a clause with bits has the word");
                let bytes = self.sending.bytes[at as usize..].first_chunk().expect("8 bytes");
                let word = u64::from_le_bytes(*bytes) | 1 << bit;
                self.sending.put(at, word);
            }
            Op::Control { status: Some(status) } => {
                self.sending.exit = Some(self.interp.get(*status) as i64);
            }
            Op::Control { status: None } => self.sending.cut = true,
            Op::Recv { .. } | Op::Bit { .. } | Op::FaultPoint { .. } | Op::Record { .. } => {
                panic!("an op of the user part in a kernel part");
            }
            _ => self.interp.step(inst, self.run),
        }
    }
}

impl Kernel<'_> {
    /// Frees the speculations that this firing has committed or discarded.
    fn end_turns(&mut self) {
        let words = self.world.speculations.own();
        for number in 1..=words.count() {
            let word = words.word(number);
            free(words, number, turn(word));
        }
    }

    fn key(keys: &[Value]) -> Vec<u8> {
        let mut bytes = Vec::new();
        keys.iter().for_each(|key| key.as_ref().encode(&mut bytes));
        bytes
    }

    fn kind(&self, var: VarId) -> RegKind {
        self.plan.program.vars[var.index()].ty.reg_kind()
    }

    /// Moves what is counted to the frozen generations.
    fn freeze(&mut self) {
        for i in 0..self.plan.program.aggs.len() {
            let agg = AggId(i as u32);
            let table = self.world.aggs.get_mut(agg).expect("in the program");
            for (key, state) in table.entries() {
                let key = value::decode(key, table.types()).map(value::ValueRef::to_value).collect();
                self.held.push((self.generation, agg, key, state.clone()));
            }
            table.trunc(0, &StackTable::new());
        }
    }
}

impl KernelState for Kernel<'_> {
    fn get(&mut self, var: VarId, keys: &[Value]) -> Value {
        self.world.vars.get(var, self.kind(var), Thread::default(), &Kernel::key(keys)).to_value()
    }

    fn set(&mut self, var: VarId, keys: &[Value], value: &Value) -> bool {
        self.world.vars.set(var, Thread::default(), &Kernel::key(keys), value.as_ref()).is_ok()
    }

    fn cut(&mut self) {
        self.freeze();
        self.world.aggs.cut(true);
        self.generation += 1;
    }

    fn sweep(&mut self, generation: Option<u32>, take: &mut dyn FnMut(AggId, u32, Box<[Value]>, AggState)) {
        if !self.open && generation.is_none() {
            self.freeze();
        }
        let before = generation.unwrap_or(u32::MAX);
        for (_, agg, key, state) in self.held.extract_if(.., |(held_in, ..)| *held_in < before) {
            take(agg, 0, key, state);
        }
    }

    fn speculations(&mut self) -> Option<&mut dyn Words> {
        Some(self.world.speculations.own())
    }

    fn exit_status(&mut self) -> Option<i64> {
        self.exit
    }
}
