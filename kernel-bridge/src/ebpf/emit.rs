//! A plan to [`EbpfProgram`]: the pass list of the emitter.
//!
//! Survey the clauses, place state in maps, lay out context and scratch, emit one subprogram a clause (or a few clauses) and one program a
//! hook, then close the read-only data. Pure: equal input gives equal output.

use std::cell::RefCell;
use std::collections::HashMap;

use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::ir::{AggId, ClauseId, ProbeIndex, Scope, VarId};
use dtrail_lang::plan::layout::KERNEL_MEMORY;
use dtrail_lang::plan::{Group, GroupId, KeyPart, Overflow, Plan, Shared, SharedSlot};

use super::alloc::{self, STACK_SLOTS};
use super::clause::{self, Baseline};
use super::context::{ContextLayout, Field, Fields, Filler, Needs};
use super::maps::{self, Demands, Scratch};
use super::rodata::Rodata;
use super::survey::{self, ClauseFacts};
use super::{
    EbpfProgram, Hook, HookSite, MapKind, MapSpec, Select, StateLayout, Subprogram, Target, prologue,
};

/// Why a plan gives no program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EmitError {
    /// A clause (or, without one, a program) has too many instructions for the 16 bits of a jump.
    TooBig {
        /// The clause.
        clause: Option<ClauseId>,
        /// Its instructions.
        insns: usize,
    },
    /// A clause has more values in flight than the stack has room for.
    Stack {
        /// The clause.
        clause: ClauseId,
    },
    /// Strings, keys and records need too much scratch memory, more than [`KERNEL_MEMORY`].
    Scratch {
        /// Bytes needed.
        bytes: u32,
    },
    /// The variables of a thread need too much of its storage, more than
    /// [`KERNEL_THREAD`](dtrail_lang::plan::layout::KERNEL_THREAD).
    Thread {
        /// Bytes needed.
        bytes: u32,
    },
    /// The value of an aggregation is larger than 32 KiB: the planner should have put it in user space.
    Aggregation {
        /// Which.
        agg: AggId,
        /// Bytes needed.
        bytes: u32,
    },
    /// The plan contradicts itself: a defect of dtrail.
    Inconsistent {
        /// The clause.
        clause: Option<ClauseId>,
        /// What is wrong.
        what: String,
    },
}

impl EmitError {
    pub(super) fn inconsistent(clause: Option<ClauseId>, what: &str) -> EmitError {
        EmitError::Inconsistent { clause, what: what.to_owned() }
    }

    /// What the plan has too much of, if that is why.
    pub fn overflow(&self) -> Option<Overflow> {
        match *self {
            EmitError::TooBig { insns, .. } => Some(Overflow::Instructions(insns)),
            EmitError::Stack { .. } => Some(Overflow::Values),
            EmitError::Scratch { bytes } => Some(Overflow::Memory(bytes)),
            EmitError::Thread { bytes } => Some(Overflow::Thread(bytes)),
            EmitError::Aggregation { .. } | EmitError::Inconsistent { .. } => None,
        }
    }

    /// The clause it is about, for a message with a place in the source.
    pub fn clause(&self) -> Option<ClauseId> {
        match self {
            EmitError::TooBig { clause, .. } | EmitError::Inconsistent { clause, .. } => *clause,
            EmitError::Stack { clause } => Some(*clause),
            EmitError::Scratch { .. } | EmitError::Thread { .. } | EmitError::Aggregation { .. } => None,
        }
    }
}

impl std::fmt::Display for EmitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            EmitError::TooBig { clause: Some(c), insns } => {
                write!(f, "clause {} is too big for the kernel: {insns} instructions", c.0)
            }
            EmitError::TooBig { clause: None, insns } => {
                write!(f, "too many clauses for one kernel program: {insns} instructions")
            }
            EmitError::Stack { clause } => {
                write!(f, "clause {} needs more stack than the kernel gives", clause.0)
            }
            EmitError::Scratch { bytes } => write!(f, "{}", Overflow::Memory(*bytes)),
            EmitError::Thread { bytes } => write!(f, "{}", Overflow::Thread(*bytes)),
            EmitError::Aggregation { agg, bytes } => {
                write!(f, "aggregation {} needs {bytes} bytes for one value, the kernel gives 32768", agg.0)
            }
            EmitError::Inconsistent { clause: Some(c), what } => {
                write!(f, "internal error in the plan of clause {}: {what}", c.0)
            }
            EmitError::Inconsistent { clause: None, what } => {
                write!(f, "internal error in the plan: {what}")
            }
        }
    }
}

impl std::error::Error for EmitError {}

impl From<EmitError> for dtrail_vm::event::Error {
    fn from(error: EmitError) -> dtrail_vm::event::Error {
        let told = dtrail_vm::event::Error::new(error.to_string());
        match error {
            // Effects are in user space by now, unless they were asked to be in the kernel.
            EmitError::TooBig { .. } => told.help("use fewer clauses on a probe, or shorter ones"),
            EmitError::Stack { .. } => told.help("use fewer values at once, or `-x placement=user`"),
            EmitError::Scratch { .. } => told.help(
                "record fewer values on one probe, or make `-x strsize=` (or `-x scratchsize=`) smaller",
            ),
            EmitError::Thread { .. } => {
                told.help("use fewer variables of threads, or make `-x strsize=` smaller")
            }
            EmitError::Aggregation { .. } => told.help("use fewer levels"),
            EmitError::Inconsistent { .. } => told.help("this is a defect of dtrail: please report it"),
        }
    }
}

/// What all parts of the emitter look things up in.
pub(super) struct Env<'a> {
    pub(super) plan: &'a Plan,
    pub(super) target: &'a Target,
    pub(super) facts: Vec<ClauseFacts>,
    /// Where in scratch memory the context lies but for its addresses, if it is kept
    /// from the verifier or is too much for the stack.
    pub(super) context_at: Option<u32>,
    pub(super) state: StateLayout,
    /// By map index, as far as placed before code generation.
    pub(super) maps: Vec<MapSpec>,
    pub(super) context: ContextLayout,
    pub(super) scratch: Scratch,
    /// Index of the read-only data.
    pub(super) rodata_map: u32,
    pub(super) rodata: RefCell<Rodata>,
    /// Index of the set of threads inside `rt_sigreturn`.
    pub(super) sigreturn: Option<u32>,
}

impl Env<'_> {
    /// The code that fills context fields.
    pub(super) fn filler(&self) -> Filler<'_> {
        Filler {
            layout: &self.context,
            offsets: &self.target.offsets,
            namespace: self.target.namespace.as_ref(),
            control: self.state.control,
            on_cpu: self.state.on_cpu,
        }
    }

    /// Which fields of the context every program fills before it runs a clause that needs them.
    pub(super) fn filled_at_start(&self) -> Fields {
        let mut filled = Fields::default();
        for field in Field::ALL {
            let identity = field == Field::PidTgid && self.target.namespace.is_none();
            if identity || (self.target.inject && field != Field::Task) {
                filled.add(field);
            }
        }
        filled
    }

    /// Bytes of stack a program's own frame takes: the context and what the prologue needs.
    pub(super) fn program_frame(&self) -> u32 {
        self.context.on_stack(self.context_at.is_some()) + prologue::frame(self.target)
    }

    /// What the clauses of a group need, the sending of its record included.
    pub(super) fn group_needs(&self, group: &Group) -> Needs {
        let mut needs = Needs::default();
        for clause in &group.clauses {
            needs.merge(&self.facts[clause.index()].needs);
        }
        if self.group_sends(group) {
            needs.merge(&record_needs(group));
        }
        needs
    }

    /// Whether a group may have a record to send.
    pub(super) fn group_sends(&self, group: &Group) -> bool {
        group.clauses.iter().any(|c| self.facts[c.index()].sends)
    }

    /// Whether the record of a group may have a tail.
    pub(super) fn group_has_tail(&self, group: &Group) -> bool {
        tail_strings(group, &self.facts) > 0 || tail_bytes(group, &self.facts) > 0
    }

    /// Whether a group uses scratch memory.
    pub(super) fn group_has_scratch(&self, group: &Group) -> bool {
        self.group_sends(group) || group.clauses.iter().any(|c| self.facts[c.index()].scratch)
    }

    /// A group by its number.
    pub(super) fn group(&self, id: GroupId) -> Result<&Group, EmitError> {
        let group = self.plan.groups.get(usize::from(id.0));
        group.ok_or_else(|| EmitError::inconsistent(None, "a group is not in the plan"))
    }
}

/// What heading and sending a record needs.
fn record_needs(group: &Group) -> Needs {
    let mut needs = Needs { area: true, probe: true, ..Needs::default() };
    needs.fields.add(Field::Time);
    needs.fields.add(Field::PidTgid);
    needs.fields.add(Field::Cpu);
    for slot in &group.layout.shared_slots {
        match slot.holds {
            Shared::Builtin(var) => needs.builtin(var, 0),
            Shared::Register(_) => {}
            Shared::Stack(_) => needs.hook = true,
        }
    }
    needs
}

/// Whether someone asks how long threads have been on a CPU, so that an account of it is kept. Made-up events say it.
pub(super) fn reads_on_cpu(plan: &Plan, target: &Target, facts: &[ClauseFacts]) -> bool {
    let asks = |group: &Group| {
        let clauses = group.clauses.iter().any(|c| facts[c.index()].needs.fields.has(Field::OnCpu));
        clauses || group.layout.shared_slots.iter().any(|slot| slot.builtin() == Some(BuiltinVar::Vtimestamp))
    };
    !target.inject && plan.groups.iter().any(asks)
}

fn tail_bytes(group: &Group, facts: &[ClauseFacts]) -> u32 {
    group.clauses.iter().map(|c| facts[c.index()].tail_bytes).sum()
}

/// Bytes of the largest record with its tail.
pub(super) fn largest_record(plan: &Plan, facts: &[ClauseFacts]) -> u32 {
    let strsize = plan.program.limits.strsize;
    let mut record = 0;
    for group in &plan.groups {
        if group.clauses.iter().any(|c| facts[c.index()].sends) {
            let strings = tail_strings(group, facts).saturating_mul(strsize.next_multiple_of(8));
            let tail = strings.saturating_add(tail_bytes(group, facts));
            record = record.max(group.layout.fixed_size.saturating_add(tail));
        }
    }
    record
}

fn tail_strings(group: &Group, facts: &[ClauseFacts]) -> u32 {
    let of_clauses: u32 = group.clauses.iter().map(|c| facts[c.index()].tail_strings).sum();
    let name = u32::from(sent_names(group, facts) > 0);
    let vars = group.layout.shared_slots.iter().filter_map(SharedSlot::builtin);
    let of_error = vars.filter(|var| var.row().string).count() as u32;
    of_clauses + name + of_error
}

/// How many slots of a group's record may hold the command name.
fn sent_names(group: &Group, facts: &[ClauseFacts]) -> u32 {
    group.clauses.iter().map(|c| facts[c.index()].sent_names).sum()
}

/// The probes of one hook; without any, a program of the tracer's own.
pub(super) struct HookProbes {
    pub(super) hook: Hook,
    /// Probe, its group, how it is told apart.
    pub(super) probes: Vec<(ProbeIndex, GroupId, Select)>,
}

/// Up to how many clauses of one probe the verifier may follow what each does to the context.
const FEW_CLAUSES: usize = 4;

/// Up to how many clause-local integers lie on the program's stack, with the rest of the context.
const FEW_LOCALS: usize = 24;

/// Whether the context is too much for the verifier, or for the stack, and so lies in scratch memory.
fn has_context_apart(plan: &Plan, facts: &[ClauseFacts]) -> bool {
    let mut locals: Vec<VarId> = facts.iter().flat_map(|f| &f.needs.firing).copied().collect();
    locals.sort_unstable();
    locals.dedup();
    locals.len() > FEW_LOCALS || plan.groups.iter().any(|group| group.clauses.len() > FEW_CLAUSES)
}

#[cfg(test)]
thread_local! {
    /// How often this thread has emitted a plan: to do it costs some of start-up.
    pub(crate) static EMITTED: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// Emits everything.
pub fn emit(plan: &Plan, target: &Target) -> Result<EbpfProgram, EmitError> {
    #[cfg(test)]
    EMITTED.set(EMITTED.get() + 1);
    let strsize = plan.program.limits.strsize;
    if strsize > KERNEL_MEMORY {
        return Err(EmitError::Scratch { bytes: strsize });
    }
    let mut facts = survey::survey(plan, target.inject);
    let apart = has_context_apart(plan, &facts);
    for facts in facts.iter_mut().filter(|f| apart && f.context) {
        facts.scratch = true;
    }
    let spilled = find_spills(plan, &mut facts);
    let mut hooks = hooks(plan, target);
    let watches = maps::has_task_storage(plan, target) || prologue::tells_thread_ends(plan, target, &facts);
    if watches && !hooks.iter().any(|h| h.hook == prologue::thread_end()) {
        hooks.push(HookProbes { hook: prologue::thread_end(), probes: Vec::new() });
    }
    if reads_on_cpu(plan, target, &facts) && !hooks.iter().any(|h| h.hook == prologue::switch()) {
        hooks.push(HookProbes { hook: prologue::switch(), probes: Vec::new() });
    }
    let placed = maps::place(plan, target, &facts, hooks.len() as u32)?;
    let mut all_maps = placed.maps;

    let mut needs = Needs::default();
    for group in &plan.groups {
        for clause in &group.clauses {
            needs.merge(&facts[clause.index()].needs);
        }
        if group.clauses.iter().any(|c| facts[c.index()].sends) {
            needs.merge(&record_needs(group));
        }
    }

    let mut next_map = all_maps.len() as u32;
    let mut take_map = |wanted: bool| {
        let index = next_map;
        next_map += u32::from(wanted);
        index
    };
    let uses_scratch = plan
        .groups
        .iter()
        .any(|g| g.clauses.iter().any(|c| facts[c.index()].scratch || facts[c.index()].sends));
    let scratch_map = take_map(uses_scratch);
    let remembers = hooks.iter().any(prologue::watches_sigreturn);
    let sigreturn = remembers.then(|| take_map(true));
    let rodata_map = take_map(true);
    let context = ContextLayout::new(&needs, target.namespace.is_some());
    let context_size = if apart { context.size } else { 0 };
    let programs = hooks.len().max(1) as u32;
    let scratch = scratch(plan, target, &facts, (scratch_map, programs), spilled, context_size)?;
    if uses_scratch {
        all_maps.push(scratch.spec(target.cpus));
    }
    if remembers {
        all_maps.push(MapSpec {
            name: "sigreturn".to_owned(),
            kind: MapKind::Hash,
            key_size: 8,
            value_size: 8,
            max_entries: 1024,
            init: None,
        });
    }

    let mut env = Env {
        plan,
        target,
        facts,
        context_at: (apart && context.is_used()).then_some(scratch.context),
        state: placed.state,
        maps: all_maps,
        context,
        scratch,
        rodata_map,
        rodata: RefCell::default(),
        sigreturn,
    };
    for (var, at) in &env.context.firing {
        env.state.vars[var.index()] = Some(super::VarPlace::Firing { offset: *at });
    }
    for (var, at) in &env.scratch.firing {
        env.state.vars[var.index()] = Some(super::VarPlace::Firing { offset: *at });
    }

    let mut subprograms = Subprograms::new(plan);
    let mut programs = Vec::new();
    for (number, hook) in hooks.iter().enumerate() {
        programs.push(prologue::program(&env, hook, number, &mut subprograms)?);
    }

    let Env { mut maps, rodata, state, scratch, .. } = env;
    let value = rodata.into_inner().finish(scratch.slack()).unwrap_or_else(|| vec![0; 8]);
    maps.push(MapSpec {
        name: "rodata".to_owned(),
        kind: MapKind::Array { mmap: false },
        key_size: 4,
        value_size: value.len() as u32,
        max_entries: 1,
        init: Some(value),
    });
    Ok(EbpfProgram { maps, programs, subprograms: subprograms.list, state })
}

/// Most subprograms of one program: the kernel takes 256 functions, the program among them.
const SUBPROGRAMS: usize = 255;

/// The subprograms emitted so far, by first clause and copy.
pub(super) struct Subprograms {
    /// By clause: which bundle it is in, and its number there. Clauses without a kernel part are in none.
    bundle_of: Vec<Option<(usize, u32)>>,
    /// Clauses that share a subprogram, one each unless a program would have more of them than the kernel takes.
    bundles: Vec<Vec<ClauseId>>,
    known: HashMap<(usize, u32), u32>,
    list: Vec<Subprogram>,
}

/// What to call for a clause.
pub(super) struct Callee {
    /// Index in [`EbpfProgram::subprograms`].
    pub(super) subprogram: u32,
    /// What tells the clause from others in it, for `R3`.
    pub(super) number: Option<u32>,
}

impl Subprograms {
    fn new(plan: &Plan) -> Subprograms {
        let kernel = (0..plan.kernel.len()).filter(|&i| plan.kernel[i].is_some());
        let clauses: Vec<ClauseId> = kernel.map(|i| ClauseId(i as u32)).collect();
        let bundles: Vec<Vec<ClauseId>> =
            clauses.chunks(clauses.len().div_ceil(SUBPROGRAMS).max(1)).map(<[_]>::to_vec).collect();
        let mut bundle_of = vec![None; plan.kernel.len()];
        for (b, bundle) in bundles.iter().enumerate() {
            for (number, clause) in bundle.iter().enumerate() {
                bundle_of[clause.index()] = Some((b, number as u32));
            }
        }
        Subprograms { bundle_of, bundles, known: HashMap::new(), list: Vec::new() }
    }

    /// The subprogram of a clause, emitted when first asked for. A clause that updates states with a copy a program has
    /// an instance a program.
    pub(super) fn of(&mut self, env: &Env<'_>, clause: ClauseId, program: u32) -> Result<Callee, EmitError> {
        let Some((index, number)) = self.bundle_of[clause.index()] else {
            return Err(EmitError::inconsistent(Some(clause), "a clause without a kernel part is called"));
        };
        let bundle = &self.bundles[index];
        let slot = if bundle.iter().any(|c| env.facts[c.index()].copies) { program } else { 0 };
        let number = (bundle.len() > 1).then_some(number);
        if let Some(&subprogram) = self.known.get(&(index, slot)) {
            return Ok(Callee { subprogram, number });
        }
        let code = clause::emit(env, bundle, slot)?;
        let subprogram = self.list.len() as u32;
        self.known.insert((index, slot), subprogram);
        self.list.push(Subprogram { name: format!("clause_{}_{slot}", bundle[0].0), code });
        Ok(Callee { subprogram, number })
    }
}

/// The hooks of a plan, in order of their first probes; under injection the one that stands for all.
fn hooks(plan: &Plan, target: &Target) -> Vec<HookProbes> {
    let mut hooks: Vec<HookProbes> = Vec::new();
    let injected = HookSite { hook: Hook::Inject, select: Select::Always };
    for (i, group) in plan.probe_groups.iter().enumerate() {
        let Some(group) = *group else { continue };
        let site = if target.inject { Some(&injected) } else { target.sites.get(i).and_then(Option::as_ref) };
        let Some(site) = site else { continue };
        let probe = (ProbeIndex(i as u32), group, site.select.clone());
        match hooks.iter_mut().find(|h| h.hook == site.hook) {
            Some(hook) => hook.probes.push(probe),
            None => hooks.push(HookProbes { hook: site.hook.clone(), probes: vec![probe] }),
        }
    }
    if hooks.iter().any(prologue::watches_sigreturn) && !hooks.iter().any(|h| h.hook == Hook::SysEnter) {
        hooks.push(HookProbes { hook: Hook::SysEnter, probes: Vec::new() });
    }
    hooks
}

/// Lays out the scratch memory for the largest demands of any group and clause.
fn scratch(
    plan: &Plan,
    target: &Target,
    facts: &[ClauseFacts],
    (map, programs): (u32, u32),
    spilled: u32,
    context: u32,
) -> Result<Scratch, EmitError> {
    let strsize = plan.program.limits.strsize;
    let record = largest_record(plan, facts);
    let mut firing: Vec<VarId> = Vec::new();
    let (mut buffers, mut key, mut block) = (0, 0, 0);
    let (mut memory, mut paths) = (false, false);
    for (i, clause) in plan.kernel.iter().enumerate() {
        let Some(clause) = clause else { continue };
        let facts = &facts[i];
        memory |= facts.memory;
        paths |= facts.paths;
        block = block.max(facts.block);
        if facts.scratch {
            buffers = buffers.max(alloc::allocate(clause, &Baseline, &clause::offered(facts)).buffers);
        }
        for &var in &facts.firing_strings {
            if !firing.contains(&var) {
                firing.push(var);
            }
        }
    }
    let of_error = plan.groups.iter().flat_map(|group| &group.layout.shared_slots);
    let words = facts.iter().map(|facts| facts.stack_words);
    let words = words.chain(of_error.map(super::stacks::shared_words)).max().unwrap_or(0);
    let stack = if words > 0 { super::stacks::value(target) } else { 0 };
    let size = |parts: &[KeyPart]| 8 + parts.iter().map(|p| p.size(strsize)).sum::<u32>();
    for placement in &plan.agg_sites {
        key = key.max(size(&placement.key));
    }
    for home in &plan.homes {
        key = key.max(size(&home.key));
    }
    let name = plan.groups.iter().any(|group| sent_names(group, facts) > 1);
    let demands =
        Demands { record, firing, buffers, block, key, spilled, context, memory, paths, name, stack };
    Scratch::new(plan, map, programs, &demands)
}

/// Clauses with more values in flight than a frame has room for use scratch memory for the rest. Gives the words the
/// worst of them needs there.
fn find_spills(plan: &Plan, facts: &mut [ClauseFacts]) -> u32 {
    let mut most = 0;
    for (clause, facts) in plan.kernel.iter().zip(facts).filter_map(|(c, f)| Some((c.as_ref()?, f))) {
        if alloc::allocate(clause, &Baseline, &clause::offered(facts)).slots > STACK_SLOTS {
            // One register fewer, since one holds the address of the scratch memory.
            facts.scratch = true;
            let slots = alloc::allocate(clause, &Baseline, &clause::offered(facts)).slots;
            most = most.max(slots.saturating_sub(STACK_SLOTS));
        }
    }
    most
}

/// Whether a variable is one a firing begins with at zero.
pub(super) fn is_clause_local(plan: &Plan, var: VarId) -> bool {
    plan.program.vars.get(var.index()).is_some_and(|v| v.scope == Scope::ClauseLocal)
}
