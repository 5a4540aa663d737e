//! The programs of process events and of timer interrupts, and the one that tells of threads that end.

use dtrail_lang::plan::Group;

use super::{Program, tells_thread_ends, thread_end};
use crate::ebpf::abi::ABI;
use crate::ebpf::asm::{Alu, FP, Jmp, Label, R0, R1, R2, R3, R4, R6, R8, Size};
use crate::ebpf::context::Needs;
use crate::ebpf::emit::{EmitError, Subprograms};
use crate::ebpf::{Hook, Select, control, helper, record, thread};

impl Program<'_, '_> {
    pub(super) fn plain(&mut self, typed: bool, subprograms: &mut Subprograms) -> Result<(), EmitError> {
        self.asm.mov(R6, R1);
        self.gate();
        if self.env.context.is_used() && self.wants_identity() {
            self.asm.call(helper::GET_CURRENT_TASK_BTF);
        }
        let at_end = self.hook.hook == thread_end();
        let threads = self.env.state.task.filter(|_| at_end);
        let tells = at_end && tells_thread_ends(self.env.plan, self.env.target, &self.env.facts);
        if tells || !self.hook.probes.is_empty() {
            self.start_context();
        }
        // That a thread ends counts on every CPU.
        let fired = self.asm.label();
        self.only_cpu(fired);
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
                    Select::Arguments(count) => p.hook_arguments(*count, &needs),
                    Select::Always if matches!(p.hook.hook, Hook::Profile { .. }) => {
                        p.program_counters(&needs);
                    }
                    _ => {}
                }
                Ok(())
            };
            let last = i + 1 == self.hook.probes.len() && threads.is_none() && !tells;
            self.run_group(*group, next, last, subprograms, &arguments)?;
            self.asm.bind(next);
        }
        self.asm.bind(fired);
        if tells {
            self.tell_thread_end()?;
        }
        if let Some(map) = threads {
            self.thread_ends(map);
        }
        Ok(())
    }

    /// Tells user space that the current thread is gone, after all that its end fired.
    fn tell_thread_end(&mut self) -> Result<(), EmitError> {
        let done = self.asm.label();
        if !self.found {
            self.find_scratch(done);
        }
        record::thread_ended(&mut self.asm, self.env, self.base)?;
        self.asm.bind(done);
        Ok(())
    }

    /// The current thread's room for `self->` variables becomes free, if it has any, for good.
    fn thread_ends(&mut self, map: u32) {
        self.asm.call(helper::GET_CURRENT_TASK_BTF);
        self.asm.map(R1, map);
        self.asm.mov(R2, R0);
        self.asm.mov_imm(R3, 0);
        self.asm.mov_imm(R4, 0);
        self.asm.call(helper::TASK_STORAGE_GET);
        self.asm.jmp_imm(Jmp::Eq, R0, 0, self.out);
        self.asm.ldx(Size::W, R1, R0, thread::ROOM as i16);
        self.asm.jmp_imm(Jmp::Eq, R1, 0, self.out);
        self.asm.st_imm(Size::W, R0, thread::CELLS as i16, thread::ENDED as i32);
        self.asm.map_value(R1, self.env.state.control, control::THREADS * 8);
        self.asm.mov_imm(R2, -1);
        self.asm.atomic_add(R1, 0, R2);
    }

    /// Goes to `next` unless the event is what a probe selects.
    fn process_event(&mut self, select: &Select, typed: bool, next: Label) -> Result<(), EmitError> {
        let offsets = self.env.target.offsets;
        match select {
            Select::Always | Select::Arguments(_) => {}
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

    /// The hook's own arguments, each as a plain number; see [`Self::child_argument`].
    fn hook_arguments(&mut self, count: u8, needs: &Needs) {
        for arg in (0..u32::from(count).min(10)).filter(|arg| needs.args & 1 << arg != 0) {
            self.read_kernel(R6, 8 * arg, self.key(), 8);
            self.asm.ldx(Size::D, R0, FP, self.key());
            self.base.store(&mut self.asm, self.env.context.arg(arg), R0);
        }
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
}
