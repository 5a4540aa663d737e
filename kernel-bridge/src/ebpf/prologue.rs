//! One program a hook: decide whether the event concerns anyone, fill the context, run the groups, send their records.
//!
//! Everything that depends on the hook is here; clause bodies do not know where they run. The order of the tests is by
//! cost: the gate, the table of system call numbers, then (with the task at hand) compat calls and the tracer itself.
//!
//! `R6` is the hook's argument; `R7` the scratch memory; `R8` the entry of the dispatch table.

use dtrail_lang::ir::ProbeIndex;
use dtrail_lang::plan::{Group, GroupId};

use super::abi::ABI;
use super::asm::{Alu, Asm, FP, Jmp, Label, Mreg, R0, R1, R2, R3, R4, R6, R7, R8, R9, Size};
use super::context::{ContextBase, Field, Fields, Needs};
use super::emit::{EmitError, Env, HookProbes, Subprograms};
use super::{Hook, ProgramSpec, Select, Target, control, helper, inject, maps, record};

/// The largest error number.
const MAX_ERRNO: i32 = 4095;
/// Length of the table of system call numbers.
const SYSCALLS: u32 = 512;
/// Bytes of `pt_regs` that hold the arguments, from [`REGS_FROM`].
const REGS: u32 = 64;
const REGS_FROM: u32 = 56;
/// In a table entry: bits 0 to 31 the probe, 32 to 47 the group plus one (0: none), from here a bit for each further
/// probe of the call.
const FURTHER: u32 = 48;

/// Bytes of frame below the context: a word for keys, and where the hook's arguments must be copied, the registers.
pub(super) fn frame(target: &Target) -> u32 {
    if target.inject || target.typed { 16 } else { 16 + REGS }
}

/// Whether a hook must know of returns from `rt_sigreturn`, whose number is gone when it returns.
pub(super) fn watches_sigreturn(hook: &HookProbes) -> bool {
    hook.hook == Hook::SysExit && hook.probes.iter().any(|p| p.2 == Select::Syscall(ABI.rt_sigreturn))
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
    let typed =
        env.target.typed && matches!(hook.hook, Hook::SysEnter | Hook::SysExit | Hook::RawTracepoint(_));
    match hook.hook {
        Hook::Inject => program.inject(subprograms)?,
        Hook::SysEnter | Hook::SysExit => program.syscall(typed, subprograms)?,
        Hook::RawTracepoint(_) | Hook::Profile { .. } => program.plain(typed, subprograms)?,
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
    fn key(&self) -> i16 {
        -((self.env.program_frame() - frame(self.env.target) + 8) as i16)
    }

    fn regs(&self) -> i16 {
        self.key() - 8 - REGS as i16
    }

    /// Leaves if the gate is shut.
    fn gate(&mut self) {
        self.asm.map_value(R1, self.env.state.control, control::GATE * 8);
        self.asm.ldx(Size::D, R0, R1, 0);
        self.asm.jmp_imm(Jmp::Eq, R0, 0, self.out);
    }

    /// Leaves if the event is the tracer's own; the task is in `R0`. Clobbers `R1`; `R2` = the thread-group ID.
    fn not_tracer(&mut self) {
        let other = self.asm.label();
        self.asm.map_value(R1, self.env.state.control, control::TRACER * 8);
        self.asm.ldx(Size::D, R1, R1, 0);
        self.asm.ldx(Size::W, R2, R0, self.env.target.offsets.task_tgid as i16);
        self.asm.jmp(Jmp::Ne, R1, R2, other);
        // The idle task has the ID that stands for no tracer.
        self.asm.jmp_imm(Jmp::Ne, R1, 0, self.out);
        self.asm.bind(other);
    }

    /// Begins the context: nothing is filled but the identity of the thread, if someone wants it, since its task is at
    /// hand in `R0` and its thread-group ID in `R2`. Clobbers `R0` to `R5` and `R9`.
    fn start_context(&mut self) {
        if !self.env.context.is_used() {
            return;
        }
        let mut fields = Fields::default();
        for group in self.hook.probes.iter().filter_map(|(_, group, _)| self.env.group(*group).ok()) {
            fields = fields.or(self.env.group_needs(group).fields);
        }
        let identity = fields.has(Field::PidTgid);
        if identity {
            self.asm.ldx(Size::W, R1, R0, self.env.target.offsets.task_pid as i16);
            self.asm.mov(R9, R2);
            self.asm.alu_imm(Alu::Lsh, R9, 32);
            self.asm.alu(Alu::Or, R9, R1);
        }
        self.find_context();
        if identity {
            self.base.store(&mut self.asm, self.env.context.field(Field::PidTgid), R9);
        }
        let flags = if identity { Field::PidTgid.flag() } else { 0 };
        self.env.filler().start(&mut self.asm, self.base, flags);
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
        self.asm.st_imm(Size::W, FP, self.key(), self.number as i32);
        self.asm.map(R1, self.env.scratch.map);
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

    // ---- injected events ----

    fn inject(&mut self, subprograms: &mut Subprograms) -> Result<(), EmitError> {
        let Some(map) = self.env.state.inject else {
            return Err(EmitError::inconsistent(None, "injection without a map for its events"));
        };
        self.gate();
        self.find_context();
        self.asm.map_value(R6, map, 0);
        self.fill_injected();
        let table: Vec<u8> = self
            .env
            .plan
            .probe_groups
            .iter()
            .flat_map(|group| group.map_or(0, |g| g.0 + 1).to_le_bytes())
            .collect();
        let probes = self.env.plan.probe_groups.len();
        self.asm.ldx(Size::D, R8, R6, inject::PROBE as i16);
        self.asm.jmp_value(Jmp::Ge, R8, probes as i64, R0, self.out);
        let at = self.env.rodata.borrow_mut().intern(&table);
        self.asm.map_value(R1, self.env.rodata_map, at);
        self.asm.alu(Alu::Add, R8, R8);
        self.asm.alu(Alu::Add, R1, R8);
        self.asm.ldx(Size::H, R0, R1, 0);
        let groups: Vec<GroupId> = (0..self.env.plan.groups.len() as u16).map(GroupId).collect();
        self.dispatch(&groups, self.out, subprograms, &|_, _| Ok(()))
    }

    fn fill_injected(&mut self) {
        if !self.env.context.is_used() {
            return;
        }
        let context = &self.env.context;
        let fields = [
            (Field::Time, inject::TIME),
            (Field::PidTgid, inject::PID_TGID),
            (Field::UidGid, inject::UID_GID),
            (Field::Cpu, inject::CPU),
            (Field::Ppid, inject::PPID),
            (Field::Start, inject::START),
            (Field::Wall, inject::WALL),
            (Field::Comm, inject::COMM),
        ];
        let mut copies = Vec::new();
        let needs = self.any_needs();
        let mut flags = 0;
        for (field, from) in fields.into_iter().filter(|(f, _)| needs.fields.has(*f)) {
            flags |= field.flag();
            copies.push((context.field(field), from));
            if field == Field::Comm {
                copies.push((context.field(field) + 8, from + 8));
            }
        }
        if needs.probe {
            copies.push((context.probe, inject::PROBE));
        }
        if needs.errno {
            copies.push((context.errno, inject::ERRNO));
        }
        for arg in (0..10).filter(|arg| needs.args & 1 << arg != 0) {
            copies.push((context.arg(arg), inject::ARGS + 8 * arg));
        }
        for (to, from) in copies {
            self.asm.ldx(Size::D, R0, R6, from as i16);
            self.base.store(&mut self.asm, to, R0);
        }
        self.env.filler().start(&mut self.asm, self.base, flags);
    }

    // ---- system calls ----

    fn syscall(&mut self, typed: bool, subprograms: &mut Subprograms) -> Result<(), EmitError> {
        let exit = self.hook.hook == Hook::SysExit;
        self.asm.mov(R6, R1);
        self.gate();
        if exit {
            self.number_at_exit(typed);
        } else {
            self.asm.ldx(Size::D, R8, R6, 8);
        }
        let further = self.further_probes()?;
        let remembers = !exit && self.env.sigreturn.is_some();
        let (table, groups) = self.syscall_table(&further, remembers);
        self.asm.jmp_imm(Jmp::Ge, R8, SYSCALLS as i32, self.out);
        let at = self.env.rodata.borrow_mut().intern(&table);
        self.asm.map_value(R1, self.env.rodata_map, at);
        self.asm.alu_imm(Alu::Lsh, R8, 3);
        self.asm.alu(Alu::Add, R1, R8);
        self.asm.ldx(Size::D, R8, R1, 0);
        self.asm.jmp_imm(Jmp::Eq, R8, 0, self.out);

        self.asm.call(helper::GET_CURRENT_TASK_BTF);
        self.asm.ldx(Size::W, R1, R0, self.env.target.offsets.task_status as i16);
        self.asm.alu_imm(Alu::And, R1, ABI.compat);
        self.asm.jmp_imm(Jmp::Ne, R1, 0, self.out);
        self.not_tracer();
        self.start_context();
        if remembers {
            self.remember_sigreturn();
        }
        let alone = further.is_empty() && !remembers;
        self.primary(exit, typed, alone, &groups, subprograms)?;
        for (i, probe) in further.iter().enumerate() {
            let next = self.asm.label();
            self.asm.mov(R0, R8);
            self.asm.alu_imm(Alu::Rsh, R0, (FURTHER + i as u32) as i32);
            self.asm.alu_imm(Alu::And, R0, 1);
            self.asm.jmp_imm(Jmp::Eq, R0, 0, next);
            self.further(probe, typed, next, subprograms)?;
            self.asm.bind(next);
        }
        Ok(())
    }

    /// `R8` = the number of the call that returns.
    fn number_at_exit(&mut self, typed: bool) {
        self.asm.ldx(Size::D, R1, R6, 0);
        if typed {
            self.asm.ldx(Size::D, R8, R1, ABI.number as i16);
        } else {
            self.read_kernel(R1, ABI.number, self.key(), 8);
            self.asm.ldx(Size::D, R8, FP, self.key());
        }
        let Some(map) = self.env.sigreturn else { return };
        let known = self.asm.label();
        self.asm.mov_imm(R0, -1);
        self.asm.jmp(Jmp::Ne, R8, R0, known);
        self.asm.call(helper::GET_CURRENT_PID_TGID);
        self.asm.stx(Size::D, FP, self.key(), R0);
        self.asm.map(R1, map);
        self.key_address();
        // Only a call that was entered can be deleted from the set.
        self.asm.call(helper::MAP_DELETE_ELEM);
        self.asm.jmp_imm(Jmp::Ne, R0, 0, self.out);
        self.asm.mov_imm(R8, i64::from(ABI.rt_sigreturn));
        self.asm.bind(known);
    }

    /// Puts the thread into the set of those inside `rt_sigreturn`, if that is the call.
    fn remember_sigreturn(&mut self) {
        let Some(map) = self.env.sigreturn else { return };
        let other = self.asm.label();
        // The mark is the sign.
        self.asm.jmp_imm(Jmp::Sge, R8, 0, other);
        self.asm.call(helper::GET_CURRENT_PID_TGID);
        self.asm.stx(Size::D, FP, self.key(), R0);
        self.asm.map(R1, map);
        self.key_address();
        self.asm.mov(R3, R2);
        self.asm.mov_imm(R4, 0);
        self.asm.call(helper::MAP_UPDATE_ELEM);
        self.asm.bind(other);
    }

    /// `R2` = the address of the key word.
    fn key_address(&mut self) {
        self.asm.mov(R2, FP);
        self.asm.alu_imm(Alu::Add, R2, i32::from(self.key()));
    }

    /// Copies kernel memory at `from + offset` to the frame; clobbers `R0` to `R5`.
    fn read_kernel(&mut self, from: Mreg, offset: u32, to: i16, bytes: u32) {
        self.asm.mov(R3, from);
        self.asm.alu_imm(Alu::Add, R3, offset as i32);
        self.asm.mov(R1, FP);
        self.asm.alu_imm(Alu::Add, R1, i32::from(to));
        self.asm.mov_imm(R2, i64::from(bytes));
        self.asm.call(helper::PROBE_READ_KERNEL);
    }

    /// The probes of the hook that are no plain entry or return of a call, by the bit that marks them in the table.
    fn further_probes(&self) -> Result<Vec<Further>, EmitError> {
        let mut further: Vec<Further> = Vec::new();
        for (probe, group, select) in &self.hook.probes {
            let (probe, group) = (*probe, *group);
            let mut add = |when, numbers| further.push(Further { probe, group, when, numbers });
            match select {
                Select::Syscall(_) => {}
                Select::SyscallFailed(numbers) => add(When::Failed, numbers.clone()),
                Select::SyscallChild(numbers) => add(When::Child, numbers.clone()),
                Select::SyscallArg(numbers) => {
                    let mut args: Vec<u8> = numbers.iter().map(|n| n.1).collect();
                    args.sort_unstable();
                    args.dedup();
                    for arg in args {
                        let with = numbers.iter().filter(|n| n.1 == arg).map(|n| n.0);
                        add(When::Argument(arg), with.collect());
                    }
                }
                Select::Always => add(When::Always, (0..SYSCALLS).collect()),
                Select::ForkedProcess | Select::LastThread => {
                    return Err(EmitError::inconsistent(
                        None,
                        "a process event is selected at a system call",
                    ));
                }
            }
        }
        if further.len() as u32 > 63 - FURTHER {
            return Err(EmitError::inconsistent(None, "too many probes share one system call"));
        }
        Ok(further)
    }

    /// The dispatch table, and the groups it names.
    fn syscall_table(&self, further: &[Further], remembers: bool) -> (Vec<u8>, Vec<GroupId>) {
        let mut entries = vec![0u64; SYSCALLS as usize];
        let mut groups = Vec::new();
        for (probe, group, select) in &self.hook.probes {
            if let Select::Syscall(number) = select
                && let Some(entry) = entries.get_mut(*number as usize)
            {
                *entry = u64::from(probe.0) | (u64::from(group.0) + 1) << 32;
                groups.push(*group);
            }
        }
        for (i, probe) in further.iter().enumerate() {
            for &number in &probe.numbers {
                if let Some(entry) = entries.get_mut(number as usize) {
                    *entry |= 1 << (FURTHER + i as u32);
                }
            }
        }
        if remembers {
            entries[ABI.rt_sigreturn as usize] |= 1 << 63;
        }
        groups.sort_unstable();
        groups.dedup();
        (entries.iter().flat_map(|e| e.to_le_bytes()).collect(), groups)
    }

    /// Runs the probe that the call's number selects; `alone` tells that every entry of the table has one.
    fn primary(
        &mut self,
        exit: bool,
        typed: bool,
        alone: bool,
        groups: &[GroupId],
        subprograms: &mut Subprograms,
    ) -> Result<(), EmitError> {
        let done = self.asm.label();
        let arguments = |p: &mut Self, group: &Group| {
            let needs = p.env.group_needs(group);
            if needs.probe {
                p.asm.mov32(R0, R8);
                p.base.store(&mut p.asm, p.env.context.probe, R0);
            }
            if exit {
                p.arguments_at_exit(&needs);
            } else {
                p.arguments_at_entry(typed, &needs);
            }
            Ok(())
        };
        if alone && groups.len() == 1 {
            self.run_group(groups[0], done, subprograms, &arguments)?;
        } else if !groups.is_empty() {
            self.asm.mov(R0, R8);
            self.asm.alu_imm(Alu::Rsh, R0, 32);
            self.asm.alu_imm(Alu::And, R0, 0xffff);
            self.dispatch(groups, done, subprograms, &arguments)?;
        }
        self.asm.bind(done);
        Ok(())
    }

    /// Stores the arguments that clauses read; those a call does not have are 0.
    fn arguments_at_entry(&mut self, typed: bool, needs: &Needs) {
        let wanted = |arg: &u32| needs.args & 1 << *arg != 0;
        let in_registers = (0..6).any(|arg| wanted(&arg));
        if in_registers {
            self.asm.ldx(Size::D, R1, R6, 0);
            if !typed {
                self.read_kernel(R1, REGS_FROM, self.regs(), REGS);
            }
        }
        for arg in (0..10).filter(wanted) {
            let to = self.env.context.arg(arg);
            match ABI.args.get(arg as usize) {
                Some(&at) => {
                    if typed {
                        self.asm.ldx(Size::D, R0, R1, at as i16);
                    } else {
                        self.asm.ldx(Size::D, R0, FP, self.regs() + (at - REGS_FROM) as i16);
                    }
                    self.base.store(&mut self.asm, to, R0);
                }
                None => self.base.store_imm(&mut self.asm, to, 0),
            }
        }
        if needs.errno {
            self.base.store_imm(&mut self.asm, self.env.context.errno, 0);
        }
    }

    /// Stores the result as `arg0` and `arg1`, and the error number.
    fn arguments_at_exit(&mut self, needs: &Needs) {
        if needs.args & 3 != 0 || needs.errno {
            self.asm.ldx(Size::D, R0, R6, 8);
        }
        for arg in (0..10).filter(|arg| needs.args & 1 << arg != 0) {
            let to = self.env.context.arg(arg);
            if arg < 2 {
                self.base.store(&mut self.asm, to, R0);
            } else {
                self.base.store_imm(&mut self.asm, to, 0);
            }
        }
        if needs.errno {
            let (error, done) = (self.asm.label(), self.asm.label());
            self.asm.mov(R1, R0);
            self.asm.alu_imm(Alu::Add, R1, MAX_ERRNO);
            self.asm.jmp_imm(Jmp::Lt, R1, MAX_ERRNO, error);
            self.base.store_imm(&mut self.asm, self.env.context.errno, 0);
            self.asm.ja(done);
            self.asm.bind(error);
            self.asm.neg(R0);
            self.base.store(&mut self.asm, self.env.context.errno, R0);
            self.asm.bind(done);
        }
    }

    /// Runs a further probe of a call if the event is one of its.
    fn further(
        &mut self,
        probe: &Further,
        typed: bool,
        next: Label,
        subprograms: &mut Subprograms,
    ) -> Result<(), EmitError> {
        if self.env.facts.iter().any(|f| f.exits) {
            // A clause of the probe before may have ended tracing.
            self.gate();
        }
        match probe.when {
            When::Always | When::Argument(_) => {}
            When::Failed => {
                self.asm.ldx(Size::D, R0, R6, 8);
                self.asm.jmp_imm(Jmp::Sge, R0, 0, next);
            }
            When::Child => {
                self.asm.ldx(Size::D, R0, R6, 8);
                self.asm.jmp_imm(Jmp::Ne, R0, 0, next);
                // A new thread returns with 0 as well.
                self.asm.call(helper::GET_CURRENT_PID_TGID);
                self.asm.mov32(R1, R0);
                self.asm.alu_imm(Alu::Rsh, R0, 32);
                self.asm.jmp(Jmp::Ne, R0, R1, next);
            }
        }
        let arguments = |p: &mut Self, group: &Group| {
            let needs = p.env.group_needs(group);
            p.fixed_arguments(probe.probe, &needs);
            if needs.args & 1 != 0 {
                match probe.when {
                    When::Failed => {
                        p.asm.ldx(Size::D, R0, R6, 8);
                        p.asm.neg(R0);
                        p.base.store(&mut p.asm, p.env.context.arg(0), R0);
                    }
                    When::Argument(arg) => p.argument_at_entry(typed, arg)?,
                    When::Always | When::Child => {}
                }
            }
            Ok(())
        };
        self.run_group(probe.group, next, subprograms, &arguments)
    }

    /// `arg0` = argument `arg` of the call that is entered.
    fn argument_at_entry(&mut self, typed: bool, arg: u8) -> Result<(), EmitError> {
        let Some(&at) = ABI.args.get(usize::from(arg)) else {
            return Err(EmitError::inconsistent(None, "a system call has no such argument"));
        };
        self.asm.ldx(Size::D, R1, R6, 0);
        if typed {
            self.asm.ldx(Size::D, R0, R1, at as i16);
        } else {
            self.read_kernel(R1, at, self.key(), 8);
            self.asm.ldx(Size::D, R0, FP, self.key());
        }
        self.base.store(&mut self.asm, self.env.context.arg(0), R0);
        Ok(())
    }

    /// Stores the probe's index, no error and no arguments: what a probe begins with that is no system call's.
    fn fixed_arguments(&mut self, probe: ProbeIndex, needs: &Needs) {
        if needs.probe {
            self.base.store_imm(&mut self.asm, self.env.context.probe, probe.0 as i32);
        }
        if needs.errno {
            self.base.store_imm(&mut self.asm, self.env.context.errno, 0);
        }
        for arg in (0..10).filter(|arg| needs.args & 1 << arg != 0) {
            self.base.store_imm(&mut self.asm, self.env.context.arg(arg), 0);
        }
    }

    // ---- other hooks ----

    fn plain(&mut self, typed: bool, subprograms: &mut Subprograms) -> Result<(), EmitError> {
        self.asm.mov(R6, R1);
        self.gate();
        self.asm.call(helper::GET_CURRENT_TASK_BTF);
        self.not_tracer();
        self.start_context();
        for (i, (probe, group, select)) in self.hook.probes.iter().enumerate() {
            let next = self.asm.label();
            if i > 0 && self.env.facts.iter().any(|f| f.exits) {
                self.gate();
            }
            self.process_event(select, typed, next)?;
            let arguments = |p: &mut Self, group: &Group| {
                let needs = p.env.group_needs(group);
                p.fixed_arguments(*probe, &needs);
                match select {
                    Select::ForkedProcess if needs.args & 1 != 0 => p.child_argument(),
                    Select::LastThread if needs.args & 1 != 0 => p.exit_reason(),
                    Select::Always if matches!(p.hook.hook, Hook::Profile { .. }) => {
                        p.program_counters(&needs);
                    }
                    _ => {}
                }
                Ok(())
            };
            self.run_group(*group, next, subprograms, &arguments)?;
            self.asm.bind(next);
        }
        Ok(())
    }

    /// Goes to `next` unless the event is what a probe selects.
    fn process_event(&mut self, select: &Select, typed: bool, next: Label) -> Result<(), EmitError> {
        let offsets = self.env.target.offsets;
        match select {
            Select::Always => {}
            Select::ForkedProcess => {
                self.asm.ldx(Size::D, R8, R6, 8);
                if typed {
                    self.asm.ldx(Size::W, R0, R8, offsets.task_pid as i16);
                    self.asm.ldx(Size::W, R1, R8, offsets.task_tgid as i16);
                } else {
                    self.read_kernel(R8, offsets.task_pid, self.key(), 4);
                    self.read_kernel(R8, offsets.task_tgid, self.key() + 4, 4);
                    self.asm.ldx(Size::W, R0, FP, self.key());
                    self.asm.ldx(Size::W, R1, FP, self.key() + 4);
                }
                self.asm.jmp(Jmp::Ne, R0, R1, next);
            }
            Select::LastThread => {
                self.asm.call(helper::GET_CURRENT_TASK_BTF);
                self.asm.mov(R8, R0);
                self.asm.ldx(Size::D, R1, R8, offsets.task_signal as i16);
                self.asm.ldx(Size::W, R1, R1, offsets.signal_live as i16);
                self.asm.jmp_imm(Jmp::Ne, R1, 0, next);
            }
            _ => return Err(EmitError::inconsistent(None, "a system call is selected at another hook")),
        }
        Ok(())
    }

    /// `arg0` = the child's task, as a plain number: read from the hook's arguments as memory, since the verifier would
    /// know the argument itself as a pointer, and forbid arithmetic.
    fn child_argument(&mut self) {
        self.read_kernel(R6, 8, self.key(), 8);
        self.asm.ldx(Size::D, R0, FP, self.key());
        self.base.store(&mut self.asm, self.env.context.arg(0), R0);
    }

    /// `arg0` = the CLD reason of the task in `R8`: 1 exited, 2 killed, 3 dumped core.
    fn exit_reason(&mut self) {
        let done = self.asm.label();
        self.asm.ldx(Size::W, R1, R8, self.env.target.offsets.task_exit_code as i16);
        self.asm.mov(R2, R1);
        self.asm.alu_imm(Alu::And, R2, 0x7f);
        self.asm.mov_imm(R0, 1);
        self.asm.jmp_imm(Jmp::Eq, R2, 0, done);
        self.asm.mov_imm(R0, 3);
        self.asm.jmp_imm(Jmp::Set, R1, 0x80, done);
        self.asm.mov_imm(R0, 2);
        self.asm.bind(done);
        self.base.store(&mut self.asm, self.env.context.arg(0), R0);
    }

    /// `arg0` = the program counter in the kernel, `arg1` the one in the process; one of them is 0.
    fn program_counters(&mut self, needs: &Needs) {
        let (kernel, done) = (self.asm.label(), self.asm.label());
        if needs.args & 3 == 0 {
            return;
        }
        self.asm.ldx(Size::D, R0, R6, ABI.pc as i16);
        self.asm.ldx(Size::D, R1, R6, ABI.mode.0 as i16);
        self.asm.alu_imm(Alu::And, R1, ABI.mode.1);
        self.asm.jmp_imm(Jmp::Eq, R1, 0, kernel);
        if needs.args & 2 != 0 {
            self.base.store(&mut self.asm, self.env.context.arg(1), R0);
        }
        self.asm.ja(done);
        self.asm.bind(kernel);
        if needs.args & 1 != 0 {
            self.base.store(&mut self.asm, self.env.context.arg(0), R0);
        }
        self.asm.bind(done);
    }

    // ---- groups ----

    /// Runs the group whose number plus one is in `R0`, then goes to `done`.
    fn dispatch(
        &mut self,
        groups: &[GroupId],
        done: Label,
        subprograms: &mut Subprograms,
        arguments: &impl Fn(&mut Self, &Group) -> Result<(), EmitError>,
    ) -> Result<(), EmitError> {
        let labels: Vec<Label> = groups.iter().map(|_| self.asm.label()).collect();
        self.search(groups, &labels, done);
        for (group, label) in groups.iter().zip(labels) {
            self.asm.bind(label);
            self.run_group(*group, done, subprograms, arguments)?;
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

    /// Runs the clauses of a group and sends its record; goes to `done` if there is no scratch memory, else falls through
    /// to it.
    fn run_group(
        &mut self,
        id: GroupId,
        done: Label,
        subprograms: &mut Subprograms,
        arguments: &impl Fn(&mut Self, &Group) -> Result<(), EmitError>,
    ) -> Result<(), EmitError> {
        let env = self.env;
        let group = env.group(id)?;
        arguments(self, group)?;
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
                self.asm.alu_imm(Alu::Add, R1, area as i32);
                self.base.store(&mut self.asm, env.context.area, R1);
            }
            if facts.context {
                self.base.whole(&mut self.asm, R1);
            }
            if facts.scratch {
                self.asm.mov(R2, R7);
            }
            let subprogram = subprograms.of(env, *clause, self.number)?;
            self.asm.call_subprogram(subprogram);
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
            self.asm.ldx(Size::W, into, R7, area as i16);
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
                self.asm.st_imm(Size::D, R7, area as i16, 0);
            }
            if env.group_has_tail(group) {
                self.asm.st_imm(Size::D, R7, env.scratch.tail as i16, group.layout.fixed_size as i32);
            }
        }
        if needs.exit {
            self.base.store_imm(&mut self.asm, env.context.exit, 0);
        }
        if needs.cut {
            self.base.store_imm(&mut self.asm, env.context.cut, 0);
        }
        for (var, at) in &env.context.firing {
            if needs.firing.contains(var) {
                self.base.store_imm(&mut self.asm, *at, 0);
            }
        }
        for (var, at) in &env.scratch.firing {
            if group.clauses.iter().any(|c| env.facts[c.index()].firing_strings.contains(var)) {
                // The empty string, not NULL.
                self.asm.st_imm(Size::D, R7, *at as i16, 1);
            }
        }
    }
}

/// A probe of a system call hook that is selected by more than the number.
struct Further {
    probe: ProbeIndex,
    group: GroupId,
    when: When,
    numbers: Vec<u32>,
}

/// What must be true besides the number, and what `arg0` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    /// Nothing more.
    Always,
    /// `arg0` is this argument.
    Argument(u8),
    /// The result is below 0; `arg0` is the error number.
    Failed,
    /// The result is 0, in the first thread of a process.
    Child,
}
