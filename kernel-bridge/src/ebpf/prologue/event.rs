//! The programs of process events and of timer interrupts, and the one that tells of threads that end.

use dtrail_lang::builtins::vars::ARGS;
use dtrail_lang::plan::Group;

use super::{Program, switch, tells_thread_ends, thread_end};
use crate::ebpf::abi::ABI;
use crate::ebpf::asm::{Alu, FP, Jmp, Label, Mreg, R0, R1, R2, R3, R4, R6, R8, Size};
use crate::ebpf::context::Needs;
use crate::ebpf::emit::{EmitError, Subprograms};
use crate::ebpf::{
    FieldHolds, Hook, RecordField, Select, SignalEvent, control, helper, on_cpu, record, thread,
};

/// Where the result lies among the arguments of `signal_generate`: number, information, task, group, result.
const GENERATE_RESULT: u32 = 32;

/// Where the code lies in `struct kernel_siginfo`.
const SIGNAL_CODE: u32 = 8;

/// The signals that faults of the machine become.
const FAULTS: [i32; 5] = [libc::SIGILL, libc::SIGTRAP, libc::SIGBUS, libc::SIGFPE, libc::SIGSEGV];

/// Where the lower half of a word lies in it.
const LOWER_HALF: i32 = if cfg!(target_endian = "big") { 2 } else { 0 };

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
        let switches = self.env.state.on_cpu.filter(|_| self.hook.hook == switch());
        if switches.is_some() && !typed {
            return Err(EmitError::inconsistent(None, "tasks are told apart without the kernel's types"));
        }
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
                    Select::ForkedThread => {
                        p.hook_argument(1, 0, &needs);
                        p.hook_argument(1, 1, &needs);
                    }
                    Select::Signal(event) => p.signal_arguments(*event, &needs),
                    Select::Arguments(count) => {
                        for arg in 0..u32::from(*count).min(ARGS) {
                            p.hook_argument(arg, arg, &needs);
                        }
                    }
                    Select::Fields(fields) => p.record_arguments(fields, &needs),
                    Select::Always if matches!(p.hook.hook, Hook::Profile { .. }) => {
                        p.program_counters(&needs);
                    }
                    _ => {}
                }
                Ok(())
            };
            let nothing_else = threads.is_none() && switches.is_none() && !tells;
            let last = i + 1 == self.hook.probes.len() && nothing_else;
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
        if let Some(map) = switches {
            self.threads_switch(map);
        }
        Ok(())
    }

    /// Keeps account of the time on the CPU of the thread that leaves it and the one that comes, if anyone has asked for
    /// theirs. Clobbers `R8`.
    fn threads_switch(&mut self, map: u32) {
        self.asm.call(helper::KTIME_GET_NS);
        self.asm.mov(R8, R0);
        // The tracepoint's arguments: whether it is a preemption, the thread that leaves, the one that comes.
        for (argument, from, to, change) in
            [(8, on_cpu::ON, on_cpu::OFF, Alu::Add), (16, on_cpu::OFF, on_cpu::ON, Alu::Sub)]
        {
            let next = self.asm.label();
            self.asm.ldx(Size::D, R2, R6, argument);
            self.asm.map(R1, map);
            self.asm.mov_imm(R3, 0);
            self.asm.mov_imm(R4, 0);
            self.asm.call(helper::TASK_STORAGE_GET);
            self.asm.jmp_imm(Jmp::Eq, R0, 0, next);
            self.asm.ldx(Size::D, R1, R0, on_cpu::STATE as i32);
            self.asm.jmp_imm(Jmp::Ne, R1, from, next);
            self.asm.ldx(Size::D, R1, R0, on_cpu::NANOS as i32);
            self.asm.alu(change, R1, R8);
            self.asm.stx(Size::D, R0, on_cpu::NANOS as i32, R1);
            self.asm.st_imm(Size::D, R0, on_cpu::STATE as i32, to);
            self.asm.bind(next);
        }
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
        self.asm.ldx(Size::W, R1, R0, thread::ROOM as i32);
        self.asm.jmp_imm(Jmp::Eq, R1, 0, self.out);
        self.asm.st_imm(Size::W, R0, thread::CELLS as i32, thread::ENDED as i32);
        self.asm.map_value(R1, self.env.state.control, control::THREADS * 8);
        self.asm.mov_imm(R2, -1);
        self.asm.atomic_add(R1, 0, R2);
    }

    /// Goes to `next` unless the event is what a probe selects.
    fn process_event(&mut self, select: &Select, typed: bool, next: Label) -> Result<(), EmitError> {
        let offsets = self.env.target.offsets;
        match select {
            Select::Always | Select::Arguments(_) | Select::Fields(_) | Select::ForkedThread => {}
            Select::Signal(event) => self.signal_event(*event, next),
            Select::ForkedProcess => {
                self.asm.ldx(Size::D, R8, R6, 8);
                if typed {
                    self.asm.ldx(Size::W, R0, R8, offsets.task_pid as i32);
                    self.asm.ldx(Size::W, R1, R8, offsets.task_tgid as i32);
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
                self.asm.ldx(Size::D, R1, R8, offsets.task_signal as i32);
                self.asm.ldx(Size::W, R1, R1, offsets.signal_live as i32);
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

    /// `argN`, if someone reads it, = an argument of the hook as a plain number; see [`Self::child_argument`].
    fn hook_argument(&mut self, from: u32, arg: u32, needs: &Needs) {
        if needs.args & 1 << arg == 0 {
            return;
        }
        self.read_kernel(R6, 8 * from, self.key(), 8);
        self.asm.ldx(Size::D, R0, FP, self.key());
        self.base.store(&mut self.asm, self.env.context.arg(arg), R0);
    }

    /// Goes to `next` unless a signal is what a probe selects. Clobbers `R8`.
    fn signal_event(&mut self, event: SignalEvent, next: Label) {
        match event {
            SignalEvent::Handled => {}
            SignalEvent::Sent | SignalEvent::Discarded => {
                self.read_kernel(R6, GENERATE_RESULT, self.key(), 8);
                self.asm.ldx(Size::W, R0, FP, self.key());
                self.asm.jmp_imm(Jmp::Ne, R0, i32::from(event == SignalEvent::Discarded), next);
            }
            SignalEvent::Fault => {
                let may_be = self.asm.label();
                self.read_kernel(R6, 0, self.key(), 8);
                self.asm.ldx(Size::W, R0, FP, self.key());
                for signal in FAULTS {
                    self.asm.jmp_imm(Jmp::Eq, R0, signal, may_be);
                }
                self.asm.ja(next);
                self.asm.bind(may_be);
                // Without information it was sent by a process; with it, the code is above 0 if the kernel sent it.
                self.read_kernel(R6, 8, self.key(), 8);
                self.asm.ldx(Size::D, R8, FP, self.key());
                self.asm.jmp_imm(Jmp::Eq, R8, 0, next);
                self.asm.jmp_imm(Jmp::Eq, R8, 1, next);
                self.read_kernel(R8, SIGNAL_CODE, self.key(), 4);
                self.asm.ldx(Size::W, R0, FP, self.key());
                self.asm.jmp_imm(Jmp::Eq, R0, 0, next);
                // Below 0: a sign bit in the lower half.
                self.asm.alu_imm(Alu::Rsh, R0, 31);
                self.asm.jmp_imm(Jmp::Ne, R0, 0, next);
            }
        }
    }

    /// The arguments of a probe of a signal.
    fn signal_arguments(&mut self, event: SignalEvent, needs: &Needs) {
        match event {
            SignalEvent::Sent | SignalEvent::Discarded => {
                self.hook_argument(2, 0, needs);
                self.hook_argument(2, 1, needs);
                self.hook_argument(0, 2, needs);
            }
            SignalEvent::Handled | SignalEvent::Fault => {
                self.hook_argument(0, 0, needs);
                self.hook_argument(1, 1, needs);
            }
        }
        if event == SignalEvent::Handled && needs.args & 4 != 0 {
            self.read_kernel(R6, 16, self.key(), 8);
            self.asm.ldx(Size::D, R8, FP, self.key());
            // The handler comes first in the kernel's record of an action.
            self.read_kernel(R8, 0, self.key(), 8);
            self.asm.ldx(Size::D, R0, FP, self.key());
            self.base.store(&mut self.asm, self.env.context.arg(2), R0);
        }
    }

    /// The fields of the event's record as arguments. Clobbers `R8`.
    fn record_arguments(&mut self, fields: &[RecordField], needs: &Needs) {
        for (arg, field) in (0u32..10).zip(fields).filter(|(arg, _)| needs.args & 1 << arg != 0) {
            match field.holds {
                FieldHolds::Value { size, signed } => {
                    self.read_kernel(R6, field.offset, self.key(), u32::from(size));
                    let bits = match size {
                        1 => self.load_field(Size::B, 56),
                        2 => self.load_field(Size::H, 48),
                        4 => self.load_field(Size::W, 32),
                        _ => self.load_field(Size::D, 0),
                    };
                    if signed && bits > 0 {
                        self.asm.alu_imm(Alu::Lsh, R0, bits);
                        self.asm.alu_imm(Alu::Arsh, R0, bits);
                    }
                }
                FieldHolds::Memory => {
                    self.record_address(R0);
                    self.asm.alu_imm(Alu::Add, R0, field.offset as i32);
                }
                FieldHolds::Location | FieldHolds::RelativeLocation => {
                    self.record_address(R8);
                    self.read_kernel(R6, field.offset, self.key(), 4);
                    self.asm.ldx(Size::H, R0, FP, self.key() + LOWER_HALF);
                    self.asm.alu(Alu::Add, R0, R8);
                    if field.holds == FieldHolds::RelativeLocation {
                        self.asm.alu_imm(Alu::Add, R0, field.offset as i32 + 4);
                    }
                }
            }
            self.base.store(&mut self.asm, self.env.context.arg(arg), R0);
        }
    }

    /// `R0` = what was read of a field; gives back `rest`, the bits of a register that it does not fill.
    fn load_field(&mut self, size: Size, rest: i32) -> i32 {
        self.asm.ldx(size, R0, FP, self.key());
        rest
    }

    /// A register = the address of the event's record as a plain number: through memory, as the verifier would know it as
    /// the program's context else, and forbid arithmetic.
    fn record_address(&mut self, to: Mreg) {
        self.asm.stx(Size::D, FP, self.key(), R6);
        self.asm.mov(R3, FP);
        self.asm.alu_imm(Alu::Add, R3, self.key());
        self.asm.mov(R1, R3);
        self.asm.mov_imm(R2, 8);
        self.asm.call(helper::PROBE_READ_KERNEL);
        self.asm.ldx(Size::D, to, FP, self.key());
    }

    /// `arg0` = the CLD reason of the task in `R8`: 1 exited, 2 killed, 3 dumped core.
    fn exit_reason(&mut self) {
        let done = self.asm.label();
        self.asm.ldx(Size::W, R1, R8, self.env.target.offsets.task_exit_code as i32);
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
        self.asm.ldx(Size::D, R0, R6, ABI.pc as i32);
        self.asm.ldx(Size::D, R1, R6, ABI.mode.0 as i32);
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
