//! What both engines call while a clause runs: built-ins, memory, strings, variables, aggregations, records.
//!
//! A register is a word: an integer, or for a string a place in the run's arena ([`NULL`] for NULL). An operation that
//! fails sets the run's status and returns 0; the engine looks at [`Run::stopped`] after every op that may fault.
//! Compiled code does the same with the routines of [`table`], whose signatures are C's; nothing unwinds.

mod addresses;
mod arena;
mod blocks;
mod capture;
mod json;
mod memory;
mod native;
mod numbers;
mod paths;
mod stack;
mod state;
mod strings;
pub mod table;

use std::collections::HashMap;

use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::ir::{ClauseId, ProbeIndex, StrId};
use dtrail_lang::plan::{Plan, Side};

use crate::agg::AggTables;
use crate::engine::{Ending, Input};
use crate::event::KernelState;
use crate::fault::{Drops, FaultKind, Raised};
use crate::host::Facts;
use crate::record::Records;
use crate::speculation::words::{self, Unavailable, Verdict, Words};
use crate::speculation::{Committed, SpeculationSpace, Speculations, Turn};
use crate::stacks::StackTable;
use crate::value::ValueRef;
use crate::vars::{Thread, Vars};
use arena::Arena;
pub use arena::NULL;
pub(crate) use capture::{group_slot, group_stack, kernel_ending, record_builtin, record_string, word_at};
pub(crate) use native::{Native, Reach};

/// Space for state, from options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// `aggsize`: bytes of each aggregation.
    pub aggsize: u64,
    /// `dynvarsize`: bytes of dynamic variables.
    pub dynvarsize: u64,
    /// `nspec`, `specsize`, `cleanrate`
    pub speculations: SpeculationSpace,
}

impl Default for Space {
    fn default() -> Space {
        Space { aggsize: 4 << 20, dynvarsize: 1 << 20, speculations: SpeculationSpace::default() }
    }
}

/// Everything that clauses change, and buffers that live as long as the session.
#[derive(Debug)]
pub struct World {
    /// Aggregations.
    pub aggs: AggTables,
    /// What the clauses of this firing recorded.
    pub records: Records,
    /// What the machine says to subroutines.
    pub facts: Facts,
    /// The status of the last `exit` that ran.
    pub exit: Option<i64>,
    /// What was lost in user space since it was last taken.
    pub drops: Drops,
    /// Stacks by number.
    pub stacks: StackTable,
    /// Words of the stack that is being taken.
    words: Vec<u64>,
    /// Speculations.
    pub speculations: Speculations,
    /// What the clause at hand has committed, in `records`.
    pub committed: Vec<Committed>,
    /// What the clause at hand records for, and the CPU it runs on.
    pub speculating: Option<(Turn, u32)>,
    pub(crate) vars: Vars,
    arena: Arena,
    /// By [`StrId`].
    strings: Box<[u64]>,
    /// By [`ProbeIndex`]: provider, module, function, name.
    names: Box<[[u64; 4]]>,
    scratch: Vec<u8>,
    key: Vec<u8>,
    /// Where `strtok` stands, by CPU.
    tokens: HashMap<u32, strings::Tokens>,
    random: numbers::Random,
    firing: Firing,
    /// What stopped the run at hand, by its status: a fault, or a mistake of ours.
    raised: Raised,
    bug: &'static str,
    strsize: usize,
    scratchsize: usize,
}

/// Facts of the current firing that are looked up at most once.
#[derive(Debug, Default)]
struct Firing {
    thread: Option<Thread>,
}

impl World {
    /// The world before `BEGIN`.
    pub fn new(plan: &Plan, space: Space) -> World {
        let program = &plan.program;
        let strsize = program.limits.strsize as usize;
        let mut arena = Arena::default();
        let mut fixed = |bytes: &[u8]| arena.push(&bytes[..bytes.len().min(strsize)]).unwrap_or(NULL);
        let strings = program.strings.iter().map(|text| fixed(text)).collect();
        let names = program
            .probes
            .iter()
            .map(|p| [&p.provider, &p.module, &p.function, &p.name].map(|part| fixed(part.as_bytes())))
            .collect();
        arena.fix();
        World {
            aggs: AggTables::new(program, &plan.rooms, space.aggsize),
            records: Records::default(),
            facts: Facts::default(),
            exit: None,
            drops: Drops::default(),
            stacks: StackTable::new(),
            words: Vec::new(),
            speculations: Speculations::new(space.speculations),
            committed: Vec::new(),
            speculating: None,
            vars: Vars::new(program, &plan.rooms, space.dynvarsize),
            arena,
            strings,
            names,
            scratch: Vec::new(),
            key: Vec::new(),
            tokens: HashMap::new(),
            random: numbers::Random::default(),
            firing: Firing::default(),
            raised: Raised::plain(FaultKind::Unknown),
            bug: "",
            strsize,
            scratchsize: program.limits.scratchsize as usize,
        }
    }

    /// The same world for another plan of the same programs: what is the same in both keeps what it holds.
    pub fn renew(&mut self, plan: &Plan, before: &Plan, space: Space, per_cpu: bool) {
        let mut next = World::new(plan, space);
        if per_cpu {
            next.aggs.keep_cpus();
        }
        next.aggs.take_over(std::mem::take(&mut self.aggs));
        next.vars.take_over(&plan.program, std::mem::take(&mut self.vars), &before.program);
        next.facts = std::mem::take(&mut self.facts);
        next.drops = std::mem::take(&mut self.drops);
        std::mem::swap(&mut next.stacks, &mut self.stacks);
        std::mem::swap(&mut next.tokens, &mut self.tokens);
        std::mem::swap(&mut next.random, &mut self.random);
        next.exit = self.exit;
        *self = next;
    }

    /// Begins a firing: `this->` variables are zero, nothing is recorded.
    pub fn begin_firing(&mut self, plan: &Plan) {
        self.vars.begin_firing(&plan.program);
        self.firing = Firing::default();
        self.records.clear();
    }
}

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Status {
    Running = 0,
    Faulted = 1,
    Dropped = 2,
    Bug = 3,
}

/// One clause running over one event.
#[repr(C)]
pub struct Run<'a> {
    /// First, so that compiled code finds it: anything but 0 ends the clause.
    status: Status,
    plan: &'a Plan,
    world: &'a mut World,
    input: Input<'a>,
    kernel: Option<&'a mut dyn KernelState>,
    probe: ProbeIndex,
    clause: ClauseId,
}

impl<'a> Run<'a> {
    /// A clause about to run for a probe. `kernel` is where K-homed variables are reached; a run over a record never
    /// touches them.
    pub fn new(
        plan: &'a Plan,
        world: &'a mut World,
        input: Input<'a>,
        kernel: Option<&'a mut dyn KernelState>,
        probe: ProbeIndex,
        clause: ClauseId,
    ) -> Run<'a> {
        world.arena.reset();
        world.scratch.clear();
        world.committed.clear();
        world.speculating = None;
        Run { status: Status::Running, plan, world, input, kernel, probe, clause }
    }

    /// Where the status is, for compiled code.
    pub(crate) const STATUS_OFFSET: usize = std::mem::offset_of!(Run<'static>, status);

    /// Whether the last op ended the clause.
    #[inline]
    pub fn stopped(&self) -> bool {
        self.status != Status::Running
    }

    /// How the clause ended, if an op at a point stopped it or none did.
    pub fn ending(&self, stopped: Option<u32>) -> Ending {
        let Some(point) = stopped else { return Ending::Done };
        match self.status {
            Status::Running => Ending::Done,
            Status::Faulted => Ending::Fault { raised: self.world.raised, point },
            Status::Dropped => Ending::Dropped,
            Status::Bug => Ending::Bug(self.world.bug),
        }
    }

    /// Ends the clause with a fault.
    #[cold]
    pub fn raise(&mut self, raised: Raised) -> u64 {
        self.status = Status::Faulted;
        self.world.raised = raised;
        0
    }

    /// Ends the clause with a mistake of ours.
    #[cold]
    pub fn bug(&mut self, what: &'static str) -> u64 {
        self.status = Status::Bug;
        self.world.bug = what;
        0
    }

    /// Goes on after a fault, with the scratch memory there was: what an attempt of the kernel part does.
    #[cfg(test)]
    pub(crate) fn resume(&mut self, scratch: usize) {
        self.status = Status::Running;
        self.world.scratch.truncate(scratch);
    }

    /// Bytes of scratch memory in use.
    #[cfg(test)]
    pub(crate) fn scratch_used(&self) -> usize {
        self.world.scratch.len()
    }

    fn ok(&mut self, result: Result<u64, Raised>) -> u64 {
        result.unwrap_or_else(|raised| self.raise(raised))
    }

    // Strings.

    /// The word of a string constant.
    pub fn constant(&self, id: StrId) -> u64 {
        self.world.strings.get(id.index()).copied().unwrap_or(NULL)
    }

    /// The bytes of a string register; `None` for NULL.
    pub fn bytes(&self, word: u64) -> Option<&[u8]> {
        self.world.arena.get(word)
    }

    /// Compares two strings in `strcmp` order, NULL below all.
    pub fn compare(&self, a: u64, b: u64) -> std::cmp::Ordering {
        self.bytes(a).cmp(&self.bytes(b))
    }

    /// The register word of a value, copied into the arena.
    fn word(&mut self, value: ValueRef<'_>) -> u64 {
        match value {
            ValueRef::Int(value) => value as u64,
            ValueRef::Str(None) => NULL,
            ValueRef::Str(Some(bytes)) => {
                let word = self.world.arena.push(&bytes[..bytes.len().min(self.world.strsize)]);
                self.filed(word)
            }
        }
    }

    /// The word, or a fault if the arena could not take the bytes.
    fn filed(&mut self, word: Option<u64>) -> u64 {
        match word {
            Some(word) => word,
            None => self.raise(Raised::plain(FaultKind::NoScratch)),
        }
    }

    // Speculations and the process.

    /// Takes a free speculation; 0 if there is none.
    pub(crate) fn speculation(&mut self) -> u64 {
        let now = self.speculation_time();
        match words::reserve(self.speculations(), now) {
            Ok(number) => u64::from(number),
            Err(Unavailable::Busy) => {
                self.world.drops.speculations_busy += 1;
                0
            }
            Err(Unavailable::InUse) => {
                self.world.drops.speculations_unavailable += 1;
                0
            }
        }
    }

    /// A number that there is, in use or not.
    pub(crate) fn speculation_number(&mut self, id: u64) -> u64 {
        if !self.world.speculations.exists(id as i64) {
            return self.raise(Raised::plain(FaultKind::IllOp));
        }
        id
    }

    /// The turn that a speculation is in. In none, the clause ends.
    pub(crate) fn speculation_turn(&mut self, id: u64) -> u64 {
        let turn = words::active(self.speculations(), id as i64);
        if turn == 0 {
            self.status = Status::Dropped;
        }
        turn
    }

    /// Ends the turn of a speculation: which, 0 if it was in none.
    pub(crate) fn end_turn(&mut self, id: u64, verdict: Verdict) -> u64 {
        let now = self.speculation_time();
        let until = self.world.speculations.until(now);
        words::settle(self.speculations(), id as i64, verdict, until)
    }

    /// Which speculations are in use, where that is kept.
    fn speculations(&mut self) -> &mut dyn Words {
        let in_kernel = self.plan.speculations == Side::Kernel;
        let words = self.kernel.as_mut().filter(|_| in_kernel).and_then(|kernel| kernel.speculations());
        match words {
            Some(words) => words,
            None => self.world.speculations.own(),
        }
    }

    /// The moment of the event, if speculations go by it.
    fn speculation_time(&mut self) -> u64 {
        match self.world.speculations.wants_time() {
            true => self.builtin(BuiltinVar::Timestamp, 0),
            false => 0,
        }
    }

    /// Sends a signal to the current process.
    fn signal(&mut self, signal: i32) -> u64 {
        match &mut self.input {
            Input::Live(context) => {
                context.signal(signal);
                0
            }
            Input::Record { .. } => self.bug("a signal in user code"),
        }
    }

    /// Whether the current process is another one or descends from it.
    fn descends_from(&mut self, ancestor: i32) -> bool {
        /// Processes nest no deeper.
        const MOST: u32 = 32;
        let Input::Live(context) = &mut self.input else {
            self.bug("a walk over processes in user code");
            return false;
        };
        let mut int = |var| context.int(var, 0).unwrap_or(0) as u32;
        let (pid, ppid) = (int(BuiltinVar::Pid), int(BuiltinVar::Ppid));
        let mut process = pid;
        for step in 0..MOST {
            if process as i32 == ancestor {
                return true;
            }
            let parent = if step == 0 { Some(ppid) } else { context.parent(process) };
            match parent {
                Some(parent) if parent != 0 && parent != process => process = parent,
                _ => return false,
            }
        }
        false
    }

    // The event.

    /// A built-in variable.
    pub fn builtin(&mut self, var: BuiltinVar, index: u32) -> u64 {
        if asks_event(var) {
            return self.event_int(var, index).unwrap_or(0);
        }
        let names = || self.world.names.get(self.probe.index()).copied().unwrap_or([NULL; 4]);
        let id = || self.plan.program.probes.get(self.probe.index()).map_or(0, |probe| probe.id.0);
        match var {
            BuiltinVar::Probeprov => names()[0],
            BuiltinVar::Probemod => names()[1],
            BuiltinVar::Probefunc => names()[2],
            BuiltinVar::Probename => names()[3],
            BuiltinVar::Id => u64::from(id()),
            BuiltinVar::Epid => {
                let clause = self.plan.program.clauses.get(self.clause.index());
                u64::from(id()) << 32 | u64::from(clause.map_or(0, |clause| clause.number))
            }
            BuiltinVar::Ipl => 0,
            _ => self.event_builtin(var, index),
        }
    }

    /// [`Run::builtin`] of one that [`asks_event`]; `None` if that has stopped the run.
    #[inline]
    pub(crate) fn event_int(&mut self, var: BuiltinVar, index: u32) -> Option<u64> {
        let Input::Live(context) = &mut self.input else { return self.event_int_recorded(var, index) };
        match context.int(var, index) {
            Ok(value) => Some(value as u64),
            Err(raised) => {
                self.raise(raised);
                None
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn event_int_recorded(&mut self, var: BuiltinVar, index: u32) -> Option<u64> {
        let value = self.event_builtin(var, index);
        (!self.stopped()).then_some(value)
    }

    /// [`EventContext::args`](crate::event::EventContext::args) of a live event.
    #[inline]
    pub(crate) fn event_args(&mut self, first: u32, values: &mut [i64]) -> bool {
        match &mut self.input {
            Input::Live(context) => context.args(first, values),
            Input::Record { .. } => false,
        }
    }

    fn event_builtin(&mut self, var: BuiltinVar, index: u32) -> u64 {
        match &mut self.input {
            Input::Live(context) if var.row().string => {
                let (start, buffer) = self.world.arena.begin();
                match context.string(var, buffer) {
                    Ok(()) => {
                        let word = self.world.arena.finish(start, self.world.strsize);
                        self.filed(word)
                    }
                    Err(raised) => self.raise(raised),
                }
            }
            Input::Live(context) => {
                let value = context.int(var, index).map(|value| value as u64);
                self.ok(value)
            }
            Input::Record { record, .. } => match record_builtin(record, var) {
                Some(value) => value,
                None => self.bug("a built-in in user code that no record carries"),
            },
        }
    }

    /// The CPU of the firing. A source may have to look for it, so it is asked for only when it is needed.
    fn cpu(&mut self) -> u32 {
        match &mut self.input {
            Input::Live(context) => context.int(BuiltinVar::Cpu, 0).unwrap_or(0) as u32,
            Input::Record { record, .. } => record_builtin(record, BuiltinVar::Cpu).unwrap_or(0) as u32,
        }
    }

    /// The thread that fired, which `self->` variables belong to.
    fn thread(&mut self) -> Thread {
        if let Some(thread) = self.world.firing.thread {
            return thread;
        }
        let thread = match &mut self.input {
            Input::Live(context) => {
                let mut int = |var| context.int(var, 0).unwrap_or(0);
                Thread { tid: int(BuiltinVar::Tid) as u32, start: int(BuiltinVar::TaskStart) as u64 }
            }
            Input::Record { record, .. } => {
                let start = group_slot(self.plan, record, BuiltinVar::TaskStart, 0).unwrap_or(0);
                Thread { tid: record_builtin(record, BuiltinVar::Tid).unwrap_or(0) as u32, start }
            }
        };
        self.world.firing.thread = Some(thread);
        thread
    }
}

/// Whether a built-in is an integer that the event alone knows: the common ones, which compiled code asks it for directly.
#[inline]
pub(crate) fn asks_event(var: BuiltinVar) -> bool {
    matches!(
        var,
        BuiltinVar::Arg
            | BuiltinVar::Pid
            | BuiltinVar::Tid
            | BuiltinVar::Ppid
            | BuiltinVar::Uid
            | BuiltinVar::Gid
            | BuiltinVar::Cpu
            | BuiltinVar::Timestamp
            | BuiltinVar::Walltimestamp
            | BuiltinVar::Errno
    )
}

/// The low `bits` of a value, extended by sign or zero.
#[inline]
pub fn extend(value: u64, bits: u8, signed: bool) -> u64 {
    let unused = 64 - u32::from(bits.clamp(1, 64));
    match signed {
        true => ((value << unused) as i64 >> unused) as u64,
        false => value << unused >> unused,
    }
}
