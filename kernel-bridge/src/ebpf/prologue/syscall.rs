//! The programs of system calls: dispatched by number through a table, compat calls left out.

use dtrail_lang::builtins::vars::ARGS;
use dtrail_lang::ir::ProbeIndex;
use dtrail_lang::plan::{Group, GroupId};

use super::{Program, REGS};
use crate::ebpf::abi::ABI;
use crate::ebpf::asm::{Alu, FP, Jmp, Label, R0, R1, R2, R3, R4, R6, R8, Size};
use crate::ebpf::context::Needs;
use crate::ebpf::emit::{EmitError, Subprograms};
use crate::ebpf::{Hook, Select, helper};

/// The largest error number.
const MAX_ERRNO: i32 = 4095;
/// Length of the table of system call numbers.
const SYSCALLS: u32 = 512;
/// Where the bytes of `pt_regs` begin that hold the arguments.
const REGS_FROM: u32 = 56;
/// In a table entry: bits 0 to 31 the probe, 32 to 47 the group plus one (0: none), from here a bit for each further
/// probe of the call.
const FURTHER: u32 = 48;

impl Program<'_, '_> {
    pub(super) fn syscall(&mut self, typed: bool, subprograms: &mut Subprograms) -> Result<(), EmitError> {
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
        let (entries, groups) = self.syscall_table(&further, remembers);
        // Every call that is let through has a group to run, and nothing after it.
        let alone = further.is_empty() && entries.iter().all(|&e| e == 0 || e << 16 >> 48 != 0);
        let table: Vec<u8> = entries.iter().flat_map(|e| e.to_le_bytes()).collect();
        self.asm.jmp_imm(Jmp::Ge, R8, SYSCALLS as i32, self.out);
        let at = self.env.rodata.borrow_mut().intern(&table);
        self.asm.map_value(R1, self.env.rodata_map, at);
        self.asm.alu_imm(Alu::Lsh, R8, 3);
        self.asm.alu(Alu::Add, R1, R8);
        self.asm.ldx(Size::D, R8, R1, 0);
        self.asm.jmp_imm(Jmp::Eq, R8, 0, self.out);

        self.asm.call(helper::GET_CURRENT_TASK_BTF);
        self.asm.ldx(Size::W, R1, R0, self.env.target.offsets.task_status as i32);
        self.asm.alu_imm(Alu::And, R1, ABI.compat);
        self.asm.jmp_imm(Jmp::Ne, R1, 0, self.out);
        self.start_context();
        if remembers {
            self.remember_sigreturn();
        }
        // Not before: a call that is entered on one CPU may return on another.
        self.only_cpu(self.out);
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
            self.asm.ldx(Size::D, R8, R1, ABI.number as i32);
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
                Select::SyscallBorn(numbers) => add(When::Born, numbers.clone()),
                Select::SyscallGave(numbers) => add(When::Gave, numbers.clone()),
                Select::SyscallArg(numbers) => {
                    let mut args: Vec<u8> = numbers.iter().map(|n| n.1).collect();
                    args.sort_unstable();
                    args.dedup();
                    for arg in args {
                        let with = numbers.iter().filter(|n| n.1 == arg).map(|n| n.0);
                        add(When::Argument(arg), with.collect());
                    }
                }
                Select::Always | Select::Arguments(_) => add(When::Always, (0..SYSCALLS).collect()),
                Select::ForkedProcess
                | Select::ForkedThread
                | Select::LastThread
                | Select::Signal(_)
                | Select::Fields(_) => {
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
    fn syscall_table(&self, further: &[Further], remembers: bool) -> (Vec<u64>, Vec<GroupId>) {
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
        (entries, groups)
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
            self.run_group(groups[0], done, true, subprograms, &arguments)?;
        } else if !groups.is_empty() {
            self.asm.mov(R0, R8);
            self.asm.alu_imm(Alu::Rsh, R0, 32);
            self.asm.alu_imm(Alu::And, R0, 0xffff);
            self.dispatch(groups, done, alone, subprograms, &arguments)?;
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
        for arg in (0..ARGS).filter(wanted) {
            let to = self.env.context.arg(arg);
            match ABI.args.get(arg as usize) {
                Some(&at) => {
                    if typed {
                        self.asm.ldx(Size::D, R0, R1, at as i32);
                    } else {
                        self.asm.ldx(Size::D, R0, FP, self.regs() + (at - REGS_FROM) as i32);
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
        for arg in (0..ARGS).filter(|arg| needs.args & 1 << arg != 0) {
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
            When::Gave => {
                self.asm.ldx(Size::D, R0, R6, 8);
                self.asm.jmp_imm(Jmp::Sle, R0, 0, next);
            }
            When::Born => {
                self.asm.ldx(Size::D, R0, R6, 8);
                self.asm.jmp_imm(Jmp::Ne, R0, 0, next);
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
                    When::Gave => {
                        p.asm.ldx(Size::D, R0, R6, 8);
                        p.base.store(&mut p.asm, p.env.context.arg(0), R0);
                    }
                    When::Argument(arg) => p.argument_at_entry(typed, arg)?,
                    When::Always | When::Child | When::Born => {}
                }
            }
            Ok(())
        };
        self.run_group(probe.group, next, false, subprograms, &arguments)
    }

    /// `arg0` = argument `arg` of the call that is entered.
    fn argument_at_entry(&mut self, typed: bool, arg: u8) -> Result<(), EmitError> {
        let Some(&at) = ABI.args.get(usize::from(arg)) else {
            return Err(EmitError::inconsistent(None, "a system call has no such argument"));
        };
        self.asm.ldx(Size::D, R1, R6, 0);
        if typed {
            self.asm.ldx(Size::D, R0, R1, at as i32);
        } else {
            self.read_kernel(R1, at, self.key(), 8);
            self.asm.ldx(Size::D, R0, FP, self.key());
        }
        self.base.store(&mut self.asm, self.env.context.arg(0), R0);
        Ok(())
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
    /// The result is 0, in any thread.
    Born,
    /// The result is above 0 and `arg0`.
    Gave,
}
