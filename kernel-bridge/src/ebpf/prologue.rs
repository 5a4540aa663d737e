//! One program a hook: decide whether the event concerns anyone, fill the context, run the groups, send their records.
//!
//! Everything that depends on the hook is here; clause bodies do not know where they run. The order of the tests is by
//! cost: the gate, the table of system call numbers, then (with the task at hand) compat calls.
//!
//! `R6` is the hook's argument; `R7` the scratch memory; `R8` the entry of the dispatch table.

mod event;
mod inject;
mod syscall;

use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::builtins::vars::ARGS;
use dtrail_lang::ir::{ClauseId, ProbeIndex};
use dtrail_lang::plan::{Group, GroupId, Plan};

use super::abi::ABI;
use super::asm::{Alu, Asm, FP, Jmp, Label, Mreg, R0, R1, R2, R3, R6, R7, R9, Size};
use super::context::{ContextBase, Field, Fields, Needs};
use super::emit::{EmitError, Env, HookProbes, Subprograms};
use super::survey::ClauseFacts;
use super::{Hook, Machinery, ProgramSpec, Select, Target, clause, control, helper, maps, record};

/// Bytes of `pt_regs` that hold the arguments of a system call.
const REGS: u32 = 64;

/// Up to how many groups the program of a hook has the code of their clauses in it, if they have one each.
const FEW_GROUPS: usize = 4;

/// Frames at the top of the kernel stack of a raw tracepoint that are ours or the tracepoint's, without that of a
/// subprogram: the program and `bpf_trace_runN`. What else may be there: see [`Machinery`](super::Machinery).
const TRACEPOINT_FRAMES: i32 = 2;

/// Bytes of frame below the context: a word for keys, and where the hook's arguments must be copied, the registers.
pub(super) fn frame(target: &Target) -> u32 {
    if target.inject || target.typed { 16 } else { 16 + REGS }
}

/// Whether a hook must know of returns from `rt_sigreturn`, whose number is gone when it returns.
pub(super) fn watches_sigreturn(hook: &HookProbes) -> bool {
    hook.hook == Hook::SysExit && hook.probes.iter().any(|p| p.2 == Select::Syscall(ABI.rt_sigreturn))
}

/// The hook at which threads give their room for `self->` variables back, and user space is told that they end.
pub(super) fn thread_end() -> Hook {
    Hook::RawTracepoint("sched_process_exit".to_owned())
}

/// The hook at which the times that threads have been on a CPU are kept.
pub(super) fn switch() -> Hook {
    Hook::RawTracepoint("sched_switch".to_owned())
}

/// Whether user space keeps `self->` variables of threads that fire, and so must be told when they end.
pub(super) fn tells_thread_ends(plan: &Plan, target: &Target, facts: &[ClauseFacts]) -> bool {
    let keeps = plan.groups.iter().any(|group| {
        let of_thread =
            group.layout.shared_slots.iter().any(|slot| slot.builtin() == Some(BuiltinVar::TaskStart));
        of_thread && group.clauses.iter().any(|clause| facts[clause.index()].sends)
    });
    keeps && !target.inject
}

/// A program under construction.
struct Program<'a, 'b> {
    env: &'a Env<'b>,
    hook: &'a HookProbes,
    number: u32,
    asm: Asm,
    base: ContextBase,
    /// Whether `R7` holds the scratch memory already.
    found: bool,
    out: Label,
}

/// Emits the program of a hook.
pub(super) fn program(
    env: &Env<'_>,
    hook: &HookProbes,
    number: usize,
    subprograms: &mut Subprograms,
) -> Result<ProgramSpec, EmitError> {
    let mut asm = Asm::new();
    let out = asm.label();
    let base = ContextBase::program(&env.context, env.context_at);
    let mut program = Program { env, hook, number: number as u32, asm, base, found: false, out };
    let typed = env.target.typed && hook.hook.raw_tracepoint().is_some();
    match hook.hook {
        Hook::Inject => program.inject(subprograms)?,
        Hook::SysEnter | Hook::SysExit => program.syscall(typed, subprograms)?,
        Hook::RawTracepoint(_) | Hook::Tracepoint { .. } | Hook::Profile { .. } => {
            program.plain(typed, subprograms)?;
        }
    }
    program.asm.bind(out);
    program.asm.mov_imm(R0, 0);
    program.asm.exit();
    let code = program.asm.finish().map_err(|e| EmitError::TooBig { clause: None, insns: e.insns })?;
    let mut groups: Vec<GroupId> = hook.probes.iter().map(|p| p.1).collect();
    groups.sort_unstable();
    groups.dedup();
    Ok(ProgramSpec {
        name: maps::program_name(&hook.hook, number),
        hook: hook.hook.clone(),
        typed,
        code,
        groups,
        probes: hook.probes.iter().map(|p| p.0).collect(),
    })
}

impl Program<'_, '_> {
    fn key(&self) -> i32 {
        -((self.env.program_frame() - frame(self.env.target) + 8) as i32)
    }

    fn regs(&self) -> i32 {
        self.key() - 8 - REGS as i32
    }

    /// Leaves if the gate is shut.
    fn gate(&mut self) {
        self.asm.map_value(R1, self.env.state.control, control::GATE * 8);
        self.asm.ldx(Size::D, R0, R1, 0);
        self.asm.jmp_imm(Jmp::Eq, R0, 0, self.out);
    }

    /// Goes to `other` on another CPU than the only one that is traced.
    fn only_cpu(&mut self, other: Label) {
        if let Some(cpu) = self.env.target.only_cpu {
            self.asm.call(helper::GET_SMP_PROCESSOR_ID);
            self.asm.jmp_imm(Jmp::Ne, R0, cpu as i32, other);
        }
    }

    /// Whether a clause of this hook asks who runs.
    fn wants_identity(&self) -> bool {
        let mut fields = Fields::default();
        for group in self.hook.probes.iter().filter_map(|(_, group, _)| self.env.group(*group).ok()) {
            fields = fields.or(self.env.group_needs(group).fields);
        }
        // In a PID namespace the numbers at hand are not the ones that count.
        fields.has(Field::PidTgid) && self.env.target.namespace.is_none()
    }

    /// Begins the context: nothing is filled but [`Env::filled_at_start`]. If someone asks who runs, the task must be in
    /// `R0`. Clobbers `R0` to `R5` and `R9`.
    fn start_context(&mut self) {
        if !self.env.context.is_used() {
            return;
        }
        let identity = self.wants_identity();
        if identity {
            self.asm.ldx(Size::W, R9, R0, self.env.target.offsets.task_tgid as i32);
            self.asm.ldx(Size::W, R1, R0, self.env.target.offsets.task_pid as i32);
            self.asm.alu_imm(Alu::Lsh, R9, 32);
            self.asm.alu(Alu::Or, R9, R1);
        }
        self.find_context();
        if identity {
            self.base.store(&mut self.asm, self.env.context.field(Field::PidTgid), R9);
        }
        if self.any_needs().hook {
            self.base.store(&mut self.asm, self.env.context.hook, R6);
            self.skip_frames(true);
        }
        let flags = if identity { Field::PidTgid.flag() } else { 0 };
        self.env.filler().start(&mut self.asm, self.base, flags);
    }

    /// Says how many frames of the kernel stack are not the traced code's, for code in a subprogram or in the program
    /// itself.
    fn skip_frames(&mut self, subprogram: bool) {
        let of_syscall =
            self.env.target.syscall_frame && matches!(self.hook.hook, Hook::SysEnter | Hook::SysExit);
        let skipped = match self.hook.hook {
            Hook::Profile { .. } | Hook::Tracepoint { .. } => 0,
            _ => TRACEPOINT_FRAMES + i32::from(subprogram) + i32::from(of_syscall),
        };
        let known = self.env.target.machinery.iter().find(|(hook, _)| *hook == self.hook.hook);
        let Machinery { bridge, iterator } = known.map_or(Machinery::default(), |(_, machinery)| *machinery);
        let word = i64::from(skipped) | i64::from(bridge.1 & 0xff_ffff) << 8 | i64::from(iterator.1) << 32;
        for (at, value) in [(0, word), (8, bridge.0 as i64), (16, iterator.0 as i64)] {
            self.asm.mov_imm(R0, value);
            self.base.store(&mut self.asm, self.env.context.skip + at, R0);
        }
    }

    /// Finds the scratch memory if the context lies there.
    fn find_context(&mut self) {
        if self.env.context_at.is_some() {
            self.find_scratch(self.out);
            self.found = true;
        }
        if self.env.context_at.is_some() && self.any_needs().fields.has(Field::Task) {
            // The verifier does not know that it is not filled.
            self.base.store_imm(&mut self.asm, self.env.context.field(Field::Task), 0);
        }
    }

    /// `R7` = the scratch memory of this program; goes to `none` if there is none.
    fn find_scratch(&mut self, none: Label) {
        let scratch = &self.env.scratch;
        if scratch.by_cpu() {
            self.asm.call(helper::GET_SMP_PROCESSOR_ID);
            self.asm.alu_imm(Alu::Mul, R0, scratch.programs() as i32);
            self.asm.alu_imm(Alu::Add, R0, self.number as i32);
            self.asm.stx(Size::W, FP, self.key(), R0);
        } else {
            self.asm.st_imm(Size::W, FP, self.key(), self.number as i32);
        }
        self.asm.map(R1, scratch.map);
        self.key_address();
        self.asm.call(helper::MAP_LOOKUP_ELEM);
        self.asm.jmp_imm(Jmp::Eq, R0, 0, none);
        self.asm.mov(R7, R0);
    }

    /// What any group needs.
    fn any_needs(&self) -> Needs {
        let mut needs = Needs::default();
        for group in &self.env.plan.groups {
            needs.merge(&self.env.group_needs(group));
        }
        needs
    }

    /// `R2` = the address of the key word.
    fn key_address(&mut self) {
        self.asm.mov(R2, FP);
        self.asm.alu_imm(Alu::Add, R2, self.key());
    }

    /// Copies kernel memory at `from + offset` to the frame; clobbers `R0` to `R5`.
    fn read_kernel(&mut self, from: Mreg, offset: u32, to: i32, bytes: u32) {
        self.asm.mov(R3, from);
        self.asm.alu_imm(Alu::Add, R3, offset as i32);
        self.asm.mov(R1, FP);
        self.asm.alu_imm(Alu::Add, R1, to);
        self.asm.mov_imm(R2, i64::from(bytes));
        self.asm.call(helper::PROBE_READ_KERNEL);
    }

    /// Stores the probe's index, no error and no arguments: what a probe begins with that is no system call's.
    fn fixed_arguments(&mut self, probe: ProbeIndex, needs: &Needs) {
        if needs.probe {
            self.base.store_imm(&mut self.asm, self.env.context.probe, probe.0 as i32);
        }
        if needs.errno {
            self.base.store_imm(&mut self.asm, self.env.context.errno, 0);
        }
        for arg in (0..ARGS).filter(|arg| needs.args & 1 << arg != 0) {
            self.base.store_imm(&mut self.asm, self.env.context.arg(arg), 0);
        }
    }

    /// Runs the group whose number plus one is in `R0`, then goes to `done`.
    fn dispatch(
        &mut self,
        groups: &[GroupId],
        done: Label,
        last: bool,
        subprograms: &mut Subprograms,
        arguments: &impl Fn(&mut Self, &Group) -> Result<(), EmitError>,
    ) -> Result<(), EmitError> {
        let last = last && groups.len() <= FEW_GROUPS;
        let labels: Vec<Label> = groups.iter().map(|_| self.asm.label()).collect();
        self.search(groups, &labels, done);
        for (group, label) in groups.iter().zip(labels) {
            self.asm.bind(label);
            self.run_group(*group, done, last, subprograms, arguments)?;
            self.asm.ja(done);
        }
        Ok(())
    }

    /// A binary search over sorted groups.
    fn search(&mut self, groups: &[GroupId], labels: &[Label], none: Label) {
        if groups.len() <= 3 {
            for (group, label) in groups.iter().zip(labels) {
                self.asm.jmp_imm(Jmp::Eq, R0, i32::from(group.0) + 1, *label);
            }
            self.asm.ja(none);
            return;
        }
        let middle = groups.len() / 2;
        let upper = self.asm.label();
        self.asm.jmp_imm(Jmp::Ge, R0, i32::from(groups[middle].0) + 1, upper);
        self.search(&groups[..middle], &labels[..middle], none);
        self.asm.bind(upper);
        self.search(&groups[middle..], &labels[middle..], none);
    }

    /// The clause of a group that is all there is to do: nothing comes after it, no record either.
    fn only_clause(&self, group: &Group) -> Option<ClauseId> {
        let mut clauses = group.clauses.iter().filter(|c| self.env.plan.kernel[c.index()].is_some());
        let only = clauses.next().filter(|_| clauses.next().is_none())?;
        let needs = self.env.group_needs(group);
        (!needs.area && !needs.cut).then_some(*only)
    }

    /// Runs the clauses of a group and sends its record; goes to `done` if there is no scratch memory, else falls through
    /// to it. `last` tells that the program does nothing afterwards: then the code of a single clause stands here instead
    /// of a call.
    fn run_group(
        &mut self,
        id: GroupId,
        done: Label,
        last: bool,
        subprograms: &mut Subprograms,
        arguments: &impl Fn(&mut Self, &Group) -> Result<(), EmitError>,
    ) -> Result<(), EmitError> {
        let env = self.env;
        let group = env.group(id)?;
        arguments(self, group)?;
        let last = if last { self.only_clause(group) } else { None };
        let key = self.key();
        let sends = env.group_sends(group);
        let needs = env.group_needs(group);
        if env.group_has_scratch(group) && !self.found {
            self.find_scratch(done);
        }
        self.start_firing(group);
        let after = self.asm.label();
        for (i, clause) in group.clauses.iter().enumerate() {
            let facts = &env.facts[clause.index()];
            if env.plan.kernel[clause.index()].is_none() {
                continue;
            }
            if facts.needs.area {
                let area = *group.layout.areas.get(i).ok_or_else(|| {
                    EmitError::inconsistent(Some(*clause), "a group has no area for a clause")
                })?;
                self.asm.mov(R1, R7);
                self.asm.alu_imm(Alu::Add, R1, (env.scratch.record_at + area) as i32);
                self.base.store(&mut self.asm, env.context.area, R1);
            }
            if facts.context {
                self.base.whole(&mut self.asm, R1);
            }
            if facts.scratch {
                self.asm.mov(R2, R7);
            }
            if last == Some(*clause) {
                if facts.needs.hook && !env.target.inject {
                    self.skip_frames(false);
                }
                let copy = if facts.copies { self.number } else { 0 };
                self.asm = clause::emit_last(env, *clause, copy, std::mem::take(&mut self.asm))?;
                return Ok(());
            }
            let callee = subprograms.of(env, *clause, self.number)?;
            if let Some(number) = callee.number {
                self.asm.mov_imm(R3, i64::from(number));
            }
            self.asm.call_subprogram(callee.subprogram);
            if facts.exits && i + 1 < group.clauses.len() {
                self.base.load(&mut self.asm, R0, env.context.exit);
                self.asm.jmp_imm(Jmp::Ne, R0, 0, after);
            }
        }
        self.asm.bind(after);
        if needs.cut {
            record::cut(&mut self.asm, env, self.base, key);
        }
        if sends {
            self.any_outcome(group, done);
            if group.layout.shared_slots.iter().any(|slot| super::stacks::shared_words(slot) > 0)
                && !env.target.inject
            {
                self.skip_frames(false);
            }
            record::output(&mut self.asm, env, self.base, id, group, key)?;
        }
        Ok(())
    }

    /// Goes to `none` if no clause has anything for user space. The outcomes are read back from memory, since the verifier
    /// would follow each combination of results that clauses give.
    fn any_outcome(&mut self, group: &Group, none: Label) {
        let sending = group.clauses.iter().zip(&group.layout.areas);
        let sending =
            sending.filter(|(clause, _)| self.env.facts[clause.index()].sends).map(|(_, area)| *area);
        for (i, area) in sending.collect::<Vec<_>>().into_iter().enumerate() {
            let into = if i == 0 { R0 } else { R1 };
            self.asm.ldx(Size::W, into, R7, self.env.scratch.in_record(area) as i32);
            if i > 0 {
                self.asm.alu(Alu::Or, R0, R1);
            }
        }
        self.asm.jmp_imm(Jmp::Eq, R0, 0, none);
    }

    /// Clears what a firing begins with.
    fn start_firing(&mut self, group: &Group) {
        let env = self.env;
        let needs = env.group_needs(group);
        if env.group_sends(group) {
            for &area in &group.layout.areas {
                self.asm.st_imm(Size::D, R7, env.scratch.in_record(area) as i32, 0);
            }
            if env.group_has_tail(group) {
                self.asm.st_imm(Size::D, R7, env.scratch.tail as i32, group.layout.fixed_size as i32);
                if let Some(sent) = env.scratch.sent_name {
                    self.asm.st_imm(Size::D, R7, sent as i32, 0);
                }
            }
        }
        if needs.exit {
            self.base.store_imm(&mut self.asm, env.context.exit, 0);
        }
        if needs.cut {
            self.base.store_imm(&mut self.asm, env.context.cut, 0);
        }
        if needs.turns {
            self.base.store_imm(&mut self.asm, env.context.turns, 0);
        }
        for (var, at) in &env.context.firing {
            if needs.firing.contains(var) {
                self.base.store_imm(&mut self.asm, *at, 0);
            }
        }
        for (var, at) in &env.scratch.firing {
            if group.clauses.iter().any(|c| env.facts[c.index()].firing_strings.contains(var)) {
                // The empty string, not NULL.
                self.asm.st_imm(Size::D, R7, *at as i32, 1);
            }
        }
    }
}
