//! Which maps a plan needs, and where in them each variable, aggregation and buffer lies.
//!
//! Takes the plan and the target, gives [`MapSpec`]s and a [`StateLayout`]; generates no code.

use std::collections::HashMap;

use dtrail_lang::builtins::AggFn;
use dtrail_lang::ir::{AggId, RegKind, Scope, ValueType, VarId};
use dtrail_lang::options::Options;
use dtrail_lang::plan::layout::{KERNEL_MEMORY, KERNEL_THREAD, agg_words, cell_bytes, entries, threads};
use dtrail_lang::plan::{Capabilities, KeyPart, Plan, Side};
use dtrail_vm::consumer::kept;

use super::emit::largest_record;
use super::stacks;
use super::survey::ClauseFacts;
use super::{
    AggPlace, EmitError, Fill, Hook, MapKind, MapSpec, Room, SpeculationWords, StateLayout, Target, VarPlace,
    control, counter, inject, on_cpu, thread,
};

/// Most bytes of one per-CPU map value.
pub(super) const VALUE_MAX: u32 = 32 * 1024;

/// Up to so many entries of all aggregations have their memory before tracing begins: each takes the kernel about a
/// microsecond. Who asks for a larger `aggsize` than the default waits for more.
const BEFOREHAND_ENTRIES: u64 = 4096;

/// The most memory that entries of aggregations take beforehand.
const BEFOREHAND_BYTES: u64 = 256 << 20;

/// The most entries of a spare map, and the most bytes that they take: enough for the keys that come before the kernel
/// has put memory by. It does so between events, for some fifty entries on each CPU.
const SPARE: (u64, u64) = (128, 1 << 20);

/// Bytes of the key of [`VarPlace::Task`]'s hash under injection.
pub(super) const TASK_KEY: u32 = 16;

/// Bytes of a string cell of a variable.
pub(super) fn string_cell(strsize: u32) -> u32 {
    cell_bytes(ValueType::Str, strsize)
}

/// Whether a function's state is no sum of words, so that each program needs a copy of its own.
pub(super) fn needs_copies(func: AggFn) -> bool {
    match func {
        AggFn::Min | AggFn::Max | AggFn::Stddev => true,
        AggFn::Count | AggFn::Sum | AggFn::Avg => false,
        AggFn::Quantize | AggFn::Lquantize | AggFn::Llquantize => false,
        // Never kept here.
        AggFn::Percentile | AggFn::Distinct | AggFn::Topk => false,
    }
}

/// The maps of a plan, growing.
pub(super) struct Placed {
    /// In order of their indices.
    pub(super) maps: Vec<MapSpec>,
    /// Where state lies.
    pub(super) state: StateLayout,
    /// The arrays of aggregations without keys.
    unkeyed: Vec<u32>,
}

impl Placed {
    /// Makes room for one more aggregation without keys; its map and first entry.
    fn add_unkeyed(&mut self, name: &str, value_size: u32, generations: u32) -> (u32, u32) {
        let shared = self.unkeyed.iter().find(|&&map| self.maps[map as usize].value_size == value_size);
        if let Some(&map) = shared {
            let first = &mut self.maps[map as usize].max_entries;
            *first += generations;
            return (map, *first - generations);
        }
        let map = self.add(array(name, MapKind::PerCpuArray, value_size, generations));
        self.unkeyed.push(map);
        (map, 0)
    }

    fn add(&mut self, spec: MapSpec) -> u32 {
        self.maps.push(spec);
        self.maps.len() as u32 - 1
    }
}

fn array(name: &str, kind: MapKind, value_size: u32, entries: u32) -> MapSpec {
    MapSpec { name: name.to_owned(), kind, key_size: 4, value_size, max_entries: entries, init: None }
}

/// Bytes that the kernel puts before each record of a ring.
const RING_HEADER: u32 = 8;

/// Places everything that user space knows of. `copies` is how many programs may hold a copy of a min, max or stddev.
pub(super) fn place(
    plan: &Plan,
    target: &Target,
    facts: &[ClauseFacts],
    copies: u32,
) -> Result<Placed, EmitError> {
    let mut placed = Placed { maps: Vec::new(), state: StateLayout::default(), unkeyed: Vec::new() };
    placed.state.control = placed.add(array("control", MapKind::Array { mmap: true }, control::WORDS * 8, 1));
    placed.state.counters = placed.add(array("counters", MapKind::PerCpuArray, counter::WORDS * 8, 1));
    let sends = plan.groups.iter().any(|g| g.clauses.iter().any(|c| facts[c.index()].sends));
    if sends {
        // However small it is asked for, any record fits, and the eight bytes before it: whether one that is allowed is
        // printed must not depend on where it is made.
        let record = largest_record(plan, facts);
        let bytes = target.ring_size.max(4096).max(record.saturating_add(RING_HEADER + 1));
        let ring = MapSpec {
            name: "ring".to_owned(),
            kind: MapKind::Ring,
            key_size: 0,
            value_size: 0,
            max_entries: bytes.checked_next_power_of_two().unwrap_or(1 << 31),
            init: None,
        };
        placed.state.ring = Some(placed.add(ring));
        placed.state.fill = target.fill_size.map(|size| {
            let control = &mut placed.maps[placed.state.control as usize];
            let word = control.value_size / 8;
            control.value_size += 16 * target.cpus;
            Fill { word, cpus: target.cpus, room: kept::room_to_fill(&plan.program, size) }
        });
    }
    if target.inject {
        placed.state.inject =
            Some(placed.add(array("inject", MapKind::Array { mmap: true }, inject::SIZE, 1)));
    }
    let of_errors = plan.groups.iter().flat_map(|group| &group.layout.shared_slots);
    if sends && of_errors.into_iter().any(|slot| slot.stack().is_some())
        || facts.iter().any(|facts| facts.numbers)
    {
        placed.state.stack_entries = stacks::entries(target);
        placed.state.stacks = Some(placed.add(MapSpec {
            name: "stacks".to_owned(),
            kind: MapKind::FullHash,
            key_size: 8,
            value_size: stacks::value(target),
            max_entries: stacks::entries(target),
            init: None,
        }));
    }
    if super::emit::reads_on_cpu(plan, target, facts) {
        placed.state.on_cpu = Some(placed.add(MapSpec {
            name: "on_cpu".to_owned(),
            kind: MapKind::TaskStorage,
            key_size: 4,
            value_size: on_cpu::SIZE,
            max_entries: 0,
            init: None,
        }));
    }
    if plan.speculations == Side::Kernel {
        let control = &mut placed.maps[placed.state.control as usize];
        let (first, count) = (control.value_size / 8, target.speculations);
        placed.state.speculations = Some(SpeculationWords { first, count });
        // With no numbers too, the address of the first must be one.
        control.value_size += 16 * count.max(1);
    }
    place_variables(plan, target, &mut placed)?;
    place_aggregations(plan, target, copies, &mut placed)?;
    take_beforehand(target, &mut placed.maps);
    add_spares(target, &mut placed);
    Ok(placed)
}

/// Has the maps of aggregations take memory for all their entries beforehand, as long as start-up does not suffer. Without
/// that each new key asks for memory where the kernel may not wait for any, and can be refused although memory is free.
fn take_beforehand(target: &Target, maps: &mut [MapSpec]) {
    let asked = target.agg_size > Options::default().aggsize;
    let (mut entries, mut bytes) = (0, 0);
    for spec in maps.iter_mut().filter(|spec| matches!(spec.kind, MapKind::PerCpuHash { .. })) {
        entries += u64::from(spec.max_entries);
        bytes += entry_bytes(target, spec) * u64::from(spec.max_entries);
        let full = bytes <= BEFOREHAND_BYTES && (asked || entries <= BEFOREHAND_ENTRIES);
        spec.kind = MapKind::PerCpuHash { full };
    }
}

/// Gives the maps of aggregations that ask for memory as they go spare ones ([`AggPlace::spare`]), the first of them where
/// the plan left a program fewer maps than it has aggregations.
fn add_spares(target: &Target, placed: &mut Placed) {
    let hash = |spec: &&MapSpec| matches!(spec.kind, MapKind::Hash | MapKind::PerCpuHash { .. });
    let tables = placed.maps.iter().filter(hash).count() + placed.unkeyed.len();
    let mut left = (Capabilities::BASELINE.max_tables as usize).saturating_sub(tables);
    for i in 0..placed.state.aggs.len() {
        let spec = &placed.maps[placed.state.aggs[i].map as usize];
        if spec.kind != (MapKind::PerCpuHash { full: false }) || left == 0 {
            continue;
        }
        left -= 1;
        let (most, bytes) = SPARE;
        let entries = (bytes / entry_bytes(target, spec)).clamp(1, most) as u32;
        let spare = MapSpec {
            name: format!("spare{i}"),
            kind: MapKind::PerCpuHash { full: true },
            max_entries: entries.min(spec.max_entries),
            ..spec.clone()
        };
        placed.state.aggs[i].spare = Some(placed.add(spare));
    }
}

/// What an entry of a per-CPU hash takes; the kernel's own part is 56 bytes with the address of its values.
fn entry_bytes(target: &Target, spec: &MapSpec) -> u64 {
    56 + u64::from(spec.key_size) + u64::from(spec.value_size) * u64::from(target.cpus)
}

fn place_variables(plan: &Plan, target: &Target, placed: &mut Placed) -> Result<(), EmitError> {
    let strsize = plan.program.limits.strsize;
    let in_kernel = |i: usize| plan.homes.get(i).is_some_and(|h| h.side == Side::Kernel);
    let (mut globals, mut task) = (0u32, thread::HEADER);
    placed.state.vars = vec![None; plan.program.vars.len()];
    let mut arrays = Vec::new();
    let mut scalars = Vec::new();
    for (i, var) in plan.program.vars.iter().enumerate().filter(|&(i, _)| in_kernel(i)) {
        let size = cell_bytes(var.ty, strsize);
        if var.keys.is_some() {
            arrays.push((i, size));
            continue;
        }
        let at = match var.scope {
            Scope::Global => &mut globals,
            Scope::ThreadLocal => &mut task,
            Scope::ClauseLocal => continue,
        };
        scalars.push((i, var.scope, *at));
        *at = at.saturating_add(size);
    }
    if globals > KERNEL_MEMORY {
        return Err(EmitError::Scratch { bytes: globals });
    }
    let slack = string_cell(strsize);
    // A global string that nothing was assigned to is empty, not NULL (language spec §5.4): its cell holds length + 1.
    let mut unassigned = vec![0; globals as usize];
    for (i, scope, offset) in &scalars {
        if *scope == Scope::Global && plan.program.vars[*i].ty.reg_kind() == RegKind::Str {
            unassigned[*offset as usize] = 1;
        }
    }
    let globals_map = (globals > 0).then(|| {
        let spec = array("globals", MapKind::Array { mmap: true }, globals + slack, 1);
        placed.add(MapSpec { init: Some(unassigned), ..spec })
    });
    let most = threads(&plan.program, target.dynvar_size);
    if task > KERNEL_THREAD {
        return Err(EmitError::Thread { bytes: task });
    }
    let task_map = (task > thread::HEADER).then(|| placed.add(task_spec(target, task, most)));
    placed.state.task = task_map;
    placed.state.threads = most;
    for (i, scope, offset) in scalars {
        placed.state.vars[i] = match scope {
            Scope::Global => globals_map.map(|map| VarPlace::Global { map, offset }),
            _ => task_map.map(|map| VarPlace::Task { map, offset }),
        };
    }
    for (n, (i, size)) in arrays.into_iter().enumerate() {
        let key = plan.homes[i].key.iter().copied();
        let key_size = key.clone().map(|p| p.size(strsize)).sum::<u32>().max(8);
        let map = placed.add(MapSpec {
            name: format!("array{n}"),
            kind: MapKind::Hash,
            key_size,
            value_size: size,
            max_entries: entries(target.dynvar_size, key, strsize, u64::from(size)),
            init: None,
        });
        placed.state.vars[i] = Some(VarPlace::Array { map });
    }
    Ok(())
}

/// Whether a thread has variables in storage of its own.
pub(super) fn has_task_storage(plan: &Plan, target: &Target) -> bool {
    let vars = plan.program.vars.iter().zip(&plan.homes);
    let mut of_thread = vars.filter(|(var, _)| var.scope == Scope::ThreadLocal && var.keys.is_none());
    !target.inject && of_thread.any(|(_, home)| home.side == Side::Kernel)
}

/// The per-thread value: in the kernel its own storage of each task, elsewhere a hash by thread identity.
fn task_spec(target: &Target, value_size: u32, max_entries: u32) -> MapSpec {
    let name = "task".to_owned();
    if target.inject {
        MapSpec { name, kind: MapKind::Hash, key_size: TASK_KEY, value_size, max_entries, init: None }
    } else {
        MapSpec { name, kind: MapKind::TaskStorage, key_size: 4, value_size, max_entries: 0, init: None }
    }
}

fn place_aggregations(
    plan: &Plan,
    target: &Target,
    copies: u32,
    placed: &mut Placed,
) -> Result<(), EmitError> {
    let strsize = plan.program.limits.strsize;
    let mut known: HashMap<(AggId, &[KeyPart]), usize> = HashMap::new();
    placed.state.agg_sites = vec![None; plan.program.agg_sites.len()];
    for (i, placement) in plan.agg_sites.iter().enumerate() {
        if placement.side != Side::Kernel {
            continue;
        }
        let agg = plan.program.agg_sites[i].agg;
        let wanted = (agg, placement.key.as_slice());
        let index = match known.get(&wanted) {
            Some(&index) => index,
            None => {
                let index = known.len();
                let place = aggregation(plan, target, copies, agg, &placement.key, index, strsize, placed)?;
                placed.state.aggs.push(place);
                known.insert(wanted, index);
                index
            }
        };
        placed.state.agg_sites[i] = Some(index as u32);
    }
    Ok(())
}

#[allow(clippy::too_many_arguments, reason = "one caller, and a struct would only rename them")]
fn aggregation(
    plan: &Plan,
    target: &Target,
    copies: u32,
    agg: AggId,
    key: &[KeyPart],
    index: usize,
    strsize: u32,
    placed: &mut Placed,
) -> Result<AggPlace, EmitError> {
    let declared = &plan.program.aggs[agg.index()];
    let words = agg_words(declared.func, declared.shape);
    let slots = if needs_copies(declared.func) { copies.max(1) } else { 1 };
    let value_size = words * slots * 8;
    if value_size > VALUE_MAX {
        return Err(EmitError::Aggregation { agg, bytes: value_size });
    }
    let name = format!("agg{index}");
    let mut room = None;
    let (map, first) = if key.is_empty() {
        placed.add_unkeyed(&name, value_size, plan.cuts.generations())
    } else {
        let generation = if plan.cuts.any() { 8 } else { 0 };
        let key_size = generation + key.iter().map(|p| p.size(strsize)).sum::<u32>();
        // Bounded by what the key is in D, so that every engine drops the same; old generations wait for their sweep.
        let types = declared.keys.iter().map(|&ty| KeyPart::of(ty));
        let most = entries(target.agg_size, types, strsize, 8 * u64::from(words));
        if plan.cuts.any() {
            let control = &mut placed.maps[placed.state.control as usize];
            room = Some(Room { word: control.value_size / 8, most });
            control.value_size += 8 * plan.cuts.generations();
        }
        let spec = MapSpec {
            name,
            kind: MapKind::PerCpuHash { full: false },
            key_size,
            value_size,
            max_entries: most.saturating_mul(plan.cuts.generations()),
            init: None,
        };
        (placed.add(spec), 0)
    };
    Ok(AggPlace { agg, key: key.to_vec(), map, first, spare: None, room, words, slots })
}

/// What the clauses of a plan ask of scratch memory at most.
pub(super) struct Demands {
    /// Bytes of a record with its tail.
    pub(super) record: u32,
    /// Clause-local strings.
    pub(super) firing: Vec<VarId>,
    /// String buffers.
    pub(super) buffers: u32,
    /// Bytes of the largest block.
    pub(super) block: u32,
    /// Bytes of a key.
    pub(super) key: u32,
    /// Words of values that the frame has no room for.
    pub(super) spilled: u32,
    /// Bytes of a context that does not lie on the stack.
    pub(super) context: u32,
    /// Whether `copyin` memory is used.
    pub(super) memory: bool,
    /// Whether paths are walked.
    pub(super) paths: bool,
    /// Whether a record may hold the command name more than once.
    pub(super) name: bool,
    /// Bytes of a stack.
    pub(super) stack: u32,
}

/// How the scratch memory of a program is divided; the same in all programs of a plan, so that clauses can be shared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Scratch {
    /// Map index; one entry a program.
    pub(super) map: u32,
    /// Where records are built: last, since their tails may be long.
    pub(super) record_at: u32,
    /// Bytes of the largest record.
    pub(super) record: u32,
    /// Programs that have some.
    programs: u32,
    /// Clause-local strings: their cells, emptied before a firing.
    pub(super) firing: Vec<(VarId, u32)>,
    /// Where string buffers begin.
    buffers: u32,
    /// Where the command name becomes a cell.
    pub(super) comm: u32,
    /// Three words that any op may use.
    pub(super) temps: u32,
    /// Offset in the record of the end of its tail. In memory, since the verifier would follow each value of a register.
    pub(super) tail: u32,
    /// Where in the record the command name is, as a slot says it; 0 until it is sent.
    pub(super) sent_name: Option<u32>,
    /// The context, if it does not lie on the stack.
    pub(super) context: u32,
    /// Where keys are built.
    pub(super) key: u32,
    /// Values that the frame has no room for.
    pub(super) spilled: u32,
    /// Where stacks are taken to, in the form of their map's values.
    pub(super) stack: u32,
    /// Where the walk of a path keeps what it needs.
    pub(super) path: u32,
    /// Where `copyin` memory begins.
    pub(super) memory: u32,
    /// Bytes of it all.
    pub(super) size: u32,
    strsize: u32,
    /// Bytes of the largest block.
    block: u32,
}

impl Scratch {
    /// Lays out the memory.
    pub(super) fn new(plan: &Plan, map: u32, programs: u32, demands: &Demands) -> Result<Scratch, EmitError> {
        let limits = plan.program.limits;
        let mut scratch =
            Scratch { map, programs, strsize: limits.strsize, block: demands.block, ..Scratch::default() };
        let mut at = 0u32;
        let mut take = |bytes: u32| {
            let here = at;
            at = at.saturating_add(bytes);
            here
        };
        // What is small comes first, where one instruction reaches it.
        scratch.comm = take(8 + 16 + 8);
        scratch.temps = take(24);
        scratch.tail = take(8);
        scratch.sent_name = demands.name.then(|| take(8));
        scratch.context = take(demands.context);
        scratch.path = take(if demands.paths { 8 * super::paths::WORDS } else { 0 });
        scratch.spilled = take(demands.spilled.saturating_mul(8));
        scratch.firing = demands.firing.iter().map(|&var| (var, take(string_cell(limits.strsize)))).collect();
        scratch.buffers = take(demands.buffers.saturating_mul(scratch.buffer_size()));
        scratch.key = take(demands.key);
        scratch.stack = take(demands.stack);
        let block = if demands.memory { limits.scratchsize.next_multiple_of(8) } else { 0 };
        scratch.memory = take(block);
        // What is copied to a computed place may be as long as the whole: the verifier adds the two bounds, whatever
        // their sum can be.
        take(block.max(scratch.slack()));
        scratch.record_at = take(demands.record);
        scratch.record = demands.record;
        // The verifier does not see that what is copied to the tail is whole words.
        take(8);
        scratch.size = at;
        if scratch.size > KERNEL_MEMORY {
            return Err(EmitError::Scratch { bytes: scratch.size });
        }
        Ok(scratch)
    }

    /// Bytes that must follow what string copies address.
    pub(super) fn slack(&self) -> u32 {
        self.buffer_size()
    }

    /// Bytes of one buffer: a cell of a string with room for the NUL that helpers write, or of the largest block.
    pub(super) fn buffer_size(&self) -> u32 {
        8 + (self.strsize + 1).max(self.block).next_multiple_of(8)
    }

    /// Where a string buffer lies.
    pub(super) fn buffer(&self, number: u32) -> u32 {
        self.buffers + number * self.buffer_size()
    }

    /// Where a byte of the record lies. Only those of its header are near enough for a displacement.
    pub(super) fn in_record(&self, offset: u32) -> u32 {
        self.record_at + offset
    }

    /// Whether it is too large for a value that each CPU has one of: then each CPU has entries of its own in an array, one
    /// a program.
    pub(super) fn by_cpu(&self) -> bool {
        self.size > VALUE_MAX
    }

    /// Programs that have some.
    pub(super) fn programs(&self) -> u32 {
        self.programs
    }

    /// Its map.
    pub(super) fn spec(&self, cpus: u32) -> MapSpec {
        match self.by_cpu() {
            true => array(
                "scratch",
                MapKind::Array { mmap: false },
                self.size.next_multiple_of(8),
                self.programs.saturating_mul(cpus.max(1)),
            ),
            false => array("scratch", MapKind::PerCpuArray, self.size, self.programs),
        }
    }
}

/// At most 15 bytes, unique: a program's name by its hook.
pub(super) fn program_name(hook: &Hook, number: usize) -> String {
    let base = hook.tracepoint().unwrap_or(match hook {
        Hook::Inject => "inject",
        _ => "profile",
    });
    let suffix = format!("_{number}");
    let keep = base.len().min(15 - suffix.len().min(15));
    format!("{}{suffix}", base.get(..keep).unwrap_or("p"))
}
