//! What both engines call while a clause runs: built-ins, memory, strings, variables, aggregations, records.
//!
//! A register is a word: an integer, or for a string a place in the run's arena ([`NULL`] for NULL). An operation that
//! fails sets the run's status and returns 0; the engine looks at [`Run::stopped`] after every op that may fault.
//! Compiled code does the same with the routines of [`table`], whose signatures are C's; nothing unwinds.

mod arena;
mod strings;
pub mod table;

use dtrail_lang::builtins::{Action, BuiltinVar};
use dtrail_lang::ir::inst::SCRATCH_BASE;
use dtrail_lang::ir::{
    AddrSpace, AggSiteId, ClauseId, MemSize, ProbeIndex, RegKind, SiteId, SlotId, StrId, ValueType, VarId,
};
use dtrail_lang::plan::layout::{ClauseLayout, SlotKind, header, outcome};
use dtrail_lang::plan::{Plan, Side};

use crate::agg::AggTables;
use crate::engine::{Ending, Input};
use crate::event::KernelState;
use crate::fault::{Drops, FaultKind, Raised};
use crate::record::Records;
use crate::value::{Value, ValueRef};
use crate::vars::{Thread, Vars};
use arena::Arena;
pub use arena::NULL;

/// Space for state, from options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// `aggsize`: bytes of each aggregation.
    pub aggsize: u64,
    /// `dynvarsize`: bytes of dynamic variables.
    pub dynvarsize: u64,
}

impl Default for Space {
    fn default() -> Space {
        Space { aggsize: 4 << 20, dynvarsize: 1 << 20 }
    }
}

/// Everything that clauses change, and buffers that live as long as the session.
#[derive(Debug)]
pub struct World {
    /// Aggregations.
    pub aggs: AggTables,
    /// What the clauses of this firing recorded.
    pub records: Records,
    /// The status of the last `exit` that ran.
    pub exit: Option<i64>,
    /// What was lost in user space since it was last taken.
    pub drops: Drops,
    vars: Vars,
    arena: Arena,
    /// By [`StrId`].
    strings: Box<[u64]>,
    /// By [`ProbeIndex`]: provider, module, function, name.
    names: Box<[[u64; 4]]>,
    scratch: Vec<u8>,
    key: Vec<u8>,
    firing: Firing,
    strsize: usize,
    scratchsize: usize,
}

/// Facts of the current firing that are looked up at most once.
#[derive(Debug, Default)]
struct Firing {
    thread: Option<Thread>,
    cpu: u32,
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
            aggs: AggTables::new(program, space.aggsize),
            records: Records::default(),
            exit: None,
            drops: Drops::default(),
            vars: Vars::new(program, space.dynvarsize),
            arena,
            strings,
            names,
            scratch: Vec::new(),
            key: Vec::new(),
            firing: Firing::default(),
            strsize,
            scratchsize: program.limits.scratchsize as usize,
        }
    }

    /// Begins a firing on a CPU: `this->` variables are zero, nothing is recorded.
    pub fn begin_firing(&mut self, plan: &Plan, cpu: u32) {
        self.vars.begin_firing(&plan.program);
        self.firing = Firing { thread: None, cpu };
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
    raised: Raised,
    bug: &'static str,
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
        Run {
            status: Status::Running,
            raised: Raised::plain(FaultKind::Unknown),
            bug: "",
            plan,
            world,
            input,
            kernel,
            probe,
            clause,
        }
    }

    /// Whether the last op ended the clause.
    #[inline]
    pub fn stopped(&self) -> bool {
        self.status != Status::Running
    }

    /// How the clause ended, if an op at `point` ended it.
    pub fn ending(&self, point: u32) -> Ending {
        match self.status {
            Status::Running => Ending::Done,
            Status::Faulted => Ending::Fault { raised: self.raised, point },
            Status::Dropped => Ending::Dropped,
            Status::Bug => Ending::Bug(self.bug),
        }
    }

    /// Ends the clause with a fault.
    #[cold]
    pub fn raise(&mut self, raised: Raised) -> u64 {
        self.status = Status::Faulted;
        self.raised = raised;
        0
    }

    /// Ends the clause with a mistake of ours.
    #[cold]
    pub fn bug(&mut self, what: &'static str) -> u64 {
        self.status = Status::Bug;
        self.bug = what;
        0
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

    // The event.

    /// A built-in variable.
    pub fn builtin(&mut self, var: BuiltinVar, index: u32) -> u64 {
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
                let start = group_slot(self.plan, record, BuiltinVar::TaskStart).unwrap_or(0);
                Thread { tid: record_builtin(record, BuiltinVar::Tid).unwrap_or(0) as u32, start }
            }
        };
        self.world.firing.thread = Some(thread);
        thread
    }

    // Memory.

    /// Loads an integer, sign- or zero-extended.
    pub fn load(&mut self, addr: u64, size: MemSize, signed: bool, space: AddrSpace) -> u64 {
        let mut buf = [0; 8];
        let bytes = &mut buf[..size.bytes() as usize];
        let result = match space {
            AddrSpace::Scratch => self.scratch(addr, bytes.len()).map(|from| bytes.copy_from_slice(from)),
            _ => self.read(space, addr, bytes),
        };
        match result {
            Ok(()) => extend(u64::from_le_bytes(buf), (size.bytes() * 8) as u8, signed),
            Err(raised) => self.raise(raised),
        }
    }

    /// Loads a string of at most `limit` bytes.
    pub fn load_string(&mut self, addr: u64, limit: u32, space: AddrSpace) -> u64 {
        let limit = (limit as usize).min(self.world.strsize);
        if space == AddrSpace::Scratch {
            let scratch = scratch_tail(&self.world.scratch, addr);
            let Some(bytes) = scratch.filter(|bytes| !bytes.is_empty()) else {
                return self.raise(Raised::new(FaultKind::BadAddr, addr));
            };
            let word = self.world.arena.push(&bytes[..bytes.len().min(limit)]);
            return self.filed(word);
        }
        self.read_string(space, addr, limit)
    }

    /// Reads a string of at most `limit` bytes from outside; its first byte must be readable even if `limit` is 0.
    fn read_string(&mut self, space: AddrSpace, addr: u64, limit: usize) -> u64 {
        if is_scratch(addr) {
            return self.raise(Raised::new(FaultKind::BadAddr, addr));
        }
        let Input::Live(context) = &mut self.input else {
            return self.bug("a string load in user code");
        };
        let (start, buffer) = self.world.arena.begin();
        match context.read_string(space, addr, limit.max(1), buffer) {
            Ok(()) => {
                let word = self.world.arena.finish(start, limit);
                self.filed(word)
            }
            Err(raised) => self.raise(raised),
        }
    }

    fn read(&mut self, space: AddrSpace, addr: u64, buf: &mut [u8]) -> Result<(), Raised> {
        if is_scratch(addr) {
            return Err(Raised::new(FaultKind::BadAddr, addr));
        }
        match &mut self.input {
            Input::Live(context) => context.read(space, addr, buf),
            Input::Record { .. } => {
                self.bug("a load in user code");
                Ok(())
            }
        }
    }

    fn scratch(&self, addr: u64, size: usize) -> Result<&[u8], Raised> {
        scratch_tail(&self.world.scratch, addr)
            .and_then(|bytes| bytes.get(..size))
            .ok_or(Raised::new(FaultKind::BadAddr, addr))
    }

    /// Stores the low bytes of `value` in scratch memory.
    pub fn store(&mut self, addr: u64, value: u64, size: MemSize) {
        let size = size.bytes() as usize;
        let at = addr.checked_sub(SCRATCH_BASE).and_then(|at| usize::try_from(at).ok());
        match at.and_then(|at| self.world.scratch.get_mut(at..)?.get_mut(..size)) {
            Some(bytes) => bytes.copy_from_slice(&value.to_le_bytes()[..size]),
            None => {
                self.raise(Raised::new(FaultKind::BadAddr, addr));
            }
        }
    }

    /// Allocates zeroed scratch memory and gives its address.
    fn allocate(&mut self, size: u64) -> Result<u64, Raised> {
        if size > self.world.scratchsize as u64 {
            return Err(Raised::new(FaultKind::BadSize, size));
        }
        let start = self.world.scratch.len();
        let end = start + (size as usize).next_multiple_of(8);
        if end > self.world.scratchsize.next_multiple_of(8) {
            return Err(Raised::plain(FaultKind::NoScratch));
        }
        self.world.scratch.resize(end, 0);
        Ok(SCRATCH_BASE + start as u64)
    }

    // Variables.

    fn kind_of(&self, var: VarId) -> RegKind {
        self.plan.program.vars.get(var.index()).map_or(RegKind::Int, |var| var.ty.reg_kind())
    }

    fn in_kernel(&self, var: VarId) -> bool {
        self.kernel.is_some()
            && self.plan.homes.get(var.index()).is_some_and(|home| home.side == Side::Kernel)
    }

    /// A variable, or with `keys` an element.
    pub fn get(&mut self, var: VarId, keys: &[u64]) -> u64 {
        if self.in_kernel(var) {
            let keys = self.key_values(var, keys);
            let value = self.kernel.as_mut().map(|kernel| kernel.get(var, &keys));
            return value.map_or(0, |value| self.word(value.as_ref()));
        }
        let kind = self.kind_of(var);
        let thread = self.variable_key(var, keys);
        let World { vars, arena, key, .. } = &mut *self.world;
        let word = match vars.get(var, kind, thread, key) {
            ValueRef::Int(value) => Some(value as u64),
            ValueRef::Str(None) => Some(NULL),
            ValueRef::Str(Some(bytes)) => arena.push(bytes),
        };
        self.filed(word)
    }

    /// Sets a variable or an element. A full store counts a drop and ends the clause.
    pub fn set(&mut self, var: VarId, keys: &[u64], value: u64) {
        let kind = self.kind_of(var);
        let stored = if self.in_kernel(var) {
            let keys = self.key_values(var, keys);
            let value = value_of(&self.world.arena, kind, value).to_value();
            self.kernel.as_mut().is_none_or(|kernel| kernel.set(var, &keys, &value))
        } else {
            let thread = self.variable_key(var, keys);
            let World { vars, arena, key, .. } = &mut *self.world;
            vars.set(var, thread, key, value_of(arena, kind, value)).is_ok()
        };
        if !stored {
            self.world.drops.dynamic += 1;
            self.status = Status::Dropped;
        }
    }

    /// Builds the canonical key of an element in the world's buffer, behind the thread for `self->` arrays.
    fn variable_key(&mut self, var: VarId, keys: &[u64]) -> Thread {
        let per_thread = self.world.vars.per_thread(var);
        let thread = if per_thread { self.thread() } else { Thread::default() };
        let types = self.plan.program.vars.get(var.index()).and_then(|var| var.keys.as_deref());
        let World { arena, key, .. } = &mut *self.world;
        key.clear();
        if let Some(types) = types {
            if per_thread {
                key.extend_from_slice(&u64::from(thread.tid).to_le_bytes());
                key.extend_from_slice(&thread.start.to_le_bytes());
            }
            encode_key(arena, types, keys, key);
        }
        thread
    }

    fn key_values(&self, var: VarId, keys: &[u64]) -> Vec<Value> {
        let types =
            self.plan.program.vars.get(var.index()).and_then(|var| var.keys.as_deref()).unwrap_or(&[]);
        types
            .iter()
            .zip(keys)
            .map(|(ty, &word)| value_of(&self.world.arena, ty.reg_kind(), word).to_value())
            .collect()
    }

    // Aggregations and records.

    /// Updates an aggregation. A full one counts a drop.
    pub fn aggregate(&mut self, site: AggSiteId, keys: &[u64], value: u64, weight: u64) {
        let program = &self.plan.program;
        let Some(site) = program.agg_sites.get(site.index()) else { return };
        let Some(agg) = program.aggs.get(site.agg.index()) else { return };
        let World { aggs, arena, key, drops, firing, .. } = &mut *self.world;
        key.clear();
        encode_key(arena, &agg.keys, keys, key);
        let Some(table) = aggs.get_mut(site.agg) else { return };
        if !table.update(key, value as i64, weight as i64) {
            drops.add_aggregation(firing.cpu, 1);
        }
    }

    /// Appends an action's values to the clause's row; `exit` also sets the status.
    pub fn record(&mut self, id: SiteId, args: &[u64]) {
        let Some(site) = self.plan.program.sites.get(id.index()) else { return };
        let World { records, arena, exit, .. } = &mut *self.world;
        records.action(id);
        for (ty, &word) in site.args.iter().zip(args) {
            match value_of(arena, ty.reg_kind(), word) {
                ValueRef::Int(value) => records.int(value),
                ValueRef::Str(value) => records.string(value),
            }
        }
        if site.action == Action::Exit {
            *exit = Some(args.first().map_or(0, |&status| status as i64));
        }
    }

    // Records of the kernel part.

    /// What the kernel part captured in a slot.
    pub fn receive(&mut self, slot: SlotId) -> u64 {
        let Some((record, at, kind)) = self.slot(slot) else { return self.bug("an unknown capture slot") };
        let Some(word) = word_at(record, at) else { return self.bug("a record shorter than its layout") };
        match kind {
            SlotKind::Int => word,
            SlotKind::Str => match record_string(record, word) {
                Some(value) => self.word(ValueRef::Str(value)),
                None => self.bug("a captured string outside its record"),
            },
            SlotKind::Fault => self.bug("a fault taken for a value"),
        }
    }

    fn slot(&self, slot: SlotId) -> Option<(&'a [u8], u32, SlotKind)> {
        let (record, area, layout) = self.area()?;
        let slot = layout.slots.get(slot.0 as usize)?;
        Some((record, area + slot.offset, slot.kind))
    }

    /// A bit of the clause's branch word.
    pub fn branch_bit(&mut self, bit: u32) -> u64 {
        let word = self.area().and_then(|(record, area, layout)| word_at(record, area + layout.bits?));
        match word {
            Some(word) => word.checked_shr(bit).unwrap_or(0) & 1,
            None => self.bug("a branch bit without a branch word"),
        }
    }

    /// Ends the clause if the kernel part ended it at this point, or the attempt whose slot is given.
    pub fn fault_point(&mut self, point: u32, attempt: Option<SlotId>) {
        let ended = match attempt {
            Some(slot) => {
                let Some((record, at, SlotKind::Fault)) = self.slot(slot) else {
                    self.bug("an unknown fault slot");
                    return;
                };
                attempt_fault(record, at)
            }
            None => self.area().and_then(|(record, area, layout)| kernel_ending(record, area, layout)),
        };
        match ended {
            Some((at, Ending::Fault { raised, .. })) if at == point => {
                self.raise(raised);
            }
            Some((at, Ending::Dropped)) if at == point => self.status = Status::Dropped,
            _ => {}
        }
    }

    fn area(&self) -> Option<(&'a [u8], u32, &'a ClauseLayout)> {
        match self.input {
            Input::Record { record, area } => {
                Some((record, area, self.plan.clause_layouts.get(self.clause.index())?))
            }
            Input::Live(_) => None,
        }
    }
}

/// Where and how the kernel part ended a clause before its end, if it did.
pub(crate) fn kernel_ending(record: &[u8], area: u32, layout: &ClauseLayout) -> Option<(u32, Ending)> {
    let first = word_at(record, area)?;
    let point = (first >> 32) as u32;
    match first as u32 {
        outcome::FAULTED => {
            let at = area + layout.fault?;
            let kind = FaultKind::from_code(word_at(record, at)?);
            let raised = Raised::new(kind, word_at(record, at + 8)?);
            Some((point, Ending::Fault { raised, point }))
        }
        outcome::DROPPED => Some((point, Ending::Dropped)),
        _ => None,
    }
}

/// Where and how an attempt of the kernel part went wrong, if it did.
fn attempt_fault(record: &[u8], at: u32) -> Option<(u32, Ending)> {
    let first = word_at(record, at)?;
    let code = (first & 0xffff_ffff).checked_sub(1)?;
    let raised = Raised::new(FaultKind::from_code(code), word_at(record, at + 8)?);
    let point = (first >> 32) as u32;
    Some((point, Ending::Fault { raised, point }))
}

/// The word at an offset of a record.
pub(crate) fn word_at(record: &[u8], offset: u32) -> Option<u64> {
    let bytes = record.get(offset as usize..)?.first_chunk()?;
    Some(u64::from_le_bytes(*bytes))
}

/// The string that a string slot's word points to: `None` if it lies outside, `Some(None)` for NULL.
pub(crate) fn record_string(record: &[u8], word: u64) -> Option<Option<&[u8]>> {
    match word as u32 as usize {
        0 => Some(None),
        offset => record.get(offset..)?.get(..(word >> 32) as usize).map(Some),
    }
}

/// A built-in that every record's header carries.
pub(crate) fn record_builtin(record: &[u8], var: BuiltinVar) -> Option<u64> {
    let pid_tgid = || word_at(record, header::PID_TGID);
    match var {
        BuiltinVar::Pid => pid_tgid().map(|word| word >> 32),
        BuiltinVar::Tid => pid_tgid().map(|word| word & 0xffff_ffff),
        BuiltinVar::Cpu => word_at(record, header::CPU).map(|word| word & 0xffff_ffff),
        BuiltinVar::Timestamp => word_at(record, header::TIME),
        _ => None,
    }
}

/// A built-in that the records of this record's group carry for all clauses.
pub(crate) fn group_slot(plan: &Plan, record: &[u8], var: BuiltinVar) -> Option<u64> {
    let first = word_at(record, header::EPOCH)?;
    let group = plan.groups.get((first >> 16 & 0xffff) as usize)?;
    let slot = group.layout.shared_slots.iter().find(|slot| slot.var == var)?;
    word_at(record, slot.offset)
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

fn is_scratch(addr: u64) -> bool {
    addr.checked_sub(SCRATCH_BASE).is_some_and(|offset| offset < 1 << 32)
}

fn scratch_tail(scratch: &[u8], addr: u64) -> Option<&[u8]> {
    let offset = addr.checked_sub(SCRATCH_BASE)?;
    scratch.get(usize::try_from(offset).ok()?..)
}

fn value_of(arena: &Arena, kind: RegKind, word: u64) -> ValueRef<'_> {
    match kind {
        RegKind::Int => ValueRef::Int(word as i64),
        RegKind::Str => ValueRef::Str(arena.get(word)),
    }
}

fn encode_key(arena: &Arena, types: &[ValueType], keys: &[u64], out: &mut Vec<u8>) {
    for (ty, &word) in types.iter().zip(keys) {
        value_of(arena, ty.reg_kind(), word).encode(out);
    }
}
