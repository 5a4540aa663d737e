//! The context of a firing: a cache on the program's stack that clause bodies read built-in variables from.
//!
//! The prologue of a hook fills what only it knows (arguments, probe, errno). The rest is filled when first read, by
//! the body itself: a word of flags tells what is there. Under injection everything is filled beforehand, so a body is
//! the same live, in rbpf and under `BPF_PROG_TEST_RUN`.
//!
//! Where few clauses run on a probe, the context lies on the program's stack: the kernel's verifier follows its words, and
//! drops the tests that they decide. Where many do, it would follow each combination of them, and where clauses have many
//! `this->` variables, they would fill the stack; then all but the addresses lies in scratch memory, which it does not
//! follow.
//!
//! Takes which fields a plan needs, gives offsets and the code that reads a field; it knows no IR.

use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::ir::VarId;

use super::asm::{Alu, Asm, FP, Jmp, Label, Mreg, R0, R1, R2, R3, R4, R6, R7, Size};
use super::{KernelOffsets, PidNamespace, control, helper, on_cpu};

/// `BPF_LOCAL_STORAGE_GET_F_CREATE`
pub(super) const STORAGE_CREATE: i64 = 1;

/// A part of the context that the body fills when it first reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Field {
    /// Monotonic nanoseconds.
    Time,
    /// Thread-group ID << 32 | thread ID.
    PidTgid,
    /// Group ID << 32 | user ID.
    UidGid,
    /// CPU.
    Cpu,
    /// Parent's thread-group ID.
    Ppid,
    /// Start time of the thread.
    Start,
    /// Wall-clock nanoseconds.
    Wall,
    /// 16 bytes of command name.
    Comm,
    /// The address of the thread's variables, 0 if it has none.
    Task,
    /// The address of the kernel's `struct task_struct`.
    Curthread,
    /// Nanoseconds that the thread has been on a CPU.
    OnCpu,
}

impl Field {
    /// Every field, in the order of their flags.
    pub(super) const ALL: [Field; 11] = [
        Field::Time,
        Field::PidTgid,
        Field::UidGid,
        Field::Cpu,
        Field::Ppid,
        Field::Start,
        Field::Wall,
        Field::Comm,
        Field::Task,
        Field::Curthread,
        Field::OnCpu,
    ];

    /// Its bit in the flags word.
    pub(super) fn flag(self) -> i32 {
        1 << self as u8
    }

    /// Bytes. Numbers of a PID namespace (`namespace`) are looked up in room behind the field.
    fn size(self, namespace: bool) -> u32 {
        match self {
            Field::Comm => 16,
            Field::PidTgid | Field::Ppid if namespace => 8 + PidNamespace::UPID,
            _ => 8,
        }
    }
}

/// A set of [`Field`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fields(u16);

impl Fields {
    pub(super) fn has(self, field: Field) -> bool {
        self.0 & field.flag() as u16 != 0
    }

    pub(super) fn add(&mut self, field: Field) {
        self.0 |= field.flag() as u16;
    }

    pub(super) fn and(self, other: Fields) -> Fields {
        Fields(self.0 & other.0)
    }

    pub(super) fn or(self, other: Fields) -> Fields {
        Fields(self.0 | other.0)
    }
}

/// What clauses need of the context.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    /// The lazily filled fields.
    pub(super) fields: Fields,
    /// A bit for each of `arg0`…`arg9`.
    pub(super) args: u16,
    /// The probe's index.
    pub(super) probe: bool,
    /// The error number of a system call's return.
    pub(super) errno: bool,
    /// The address of the clause's record area.
    pub(super) area: bool,
    /// Whether a clause may shut the gate.
    pub(super) exit: bool,
    /// Whether a clause may ask for a cut.
    pub(super) cut: bool,
    /// Whether a clause may end the turn of a speculation.
    pub(super) turns: bool,
    /// The hook's argument, which stacks are walked from.
    pub(super) hook: bool,
    /// Clause-local integers that live here.
    pub(super) firing: Vec<VarId>,
}

impl Needs {
    /// What a built-in variable needs.
    pub(super) fn builtin(&mut self, var: BuiltinVar, index: u32) {
        match var {
            BuiltinVar::Arg => self.args |= 1 << index.min(15),
            BuiltinVar::Execname => self.fields.add(Field::Comm),
            BuiltinVar::Pid | BuiltinVar::Tid => self.fields.add(Field::PidTgid),
            BuiltinVar::Ppid => self.fields.add(Field::Ppid),
            BuiltinVar::Uid | BuiltinVar::Gid => self.fields.add(Field::UidGid),
            BuiltinVar::Cpu | BuiltinVar::Chip | BuiltinVar::Lgrp => self.fields.add(Field::Cpu),
            BuiltinVar::Timestamp => self.fields.add(Field::Time),
            BuiltinVar::Walltimestamp => {
                self.fields.add(Field::Time);
                self.fields.add(Field::Wall);
            }
            BuiltinVar::Vtimestamp => {
                self.fields.add(Field::Time);
                self.fields.add(Field::OnCpu);
            }
            BuiltinVar::Errno => self.errno = true,
            BuiltinVar::TaskStart => self.fields.add(Field::Start),
            BuiltinVar::Curthread => self.fields.add(Field::Curthread),
            BuiltinVar::Probeprov
            | BuiltinVar::Probemod
            | BuiltinVar::Probefunc
            | BuiltinVar::Probename
            | BuiltinVar::Id
            | BuiltinVar::Epid => self.probe = true,
            BuiltinVar::Caller | BuiltinVar::Ucaller | BuiltinVar::Stackdepth | BuiltinVar::Ustackdepth => {
                self.hook = true;
            }
            // Read from the task each time: the stack is short.
            BuiltinVar::Uregs | BuiltinVar::Ipl => {}
        }
    }

    /// Adds another's needs.
    pub(super) fn merge(&mut self, other: &Needs) {
        self.fields = self.fields.or(other.fields);
        self.args |= other.args;
        self.probe |= other.probe;
        self.errno |= other.errno;
        self.area |= other.area;
        self.exit |= other.exit;
        self.cut |= other.cut;
        self.turns |= other.turns;
        self.hook |= other.hook;
        for &var in &other.firing {
            if !self.firing.contains(&var) {
                self.firing.push(var);
            }
        }
    }
}

/// Offsets in the context, which is the same in all programs of a plan. What holds addresses comes first.
#[derive(Clone, Debug, Default)]
pub(super) struct ContextLayout {
    fields: [u32; Field::ALL.len()],
    /// The word of flags.
    flags: u32,
    /// Bytes of what holds addresses.
    pub(super) addresses: u32,
    /// The probe's index.
    pub(super) probe: u32,
    /// The error number.
    pub(super) errno: u32,
    /// Address of the running clause's record area.
    pub(super) area: u32,
    /// 1 once a clause of this firing ran `exit`.
    pub(super) exit: u32,
    /// 1 once a clause of this firing asked for a cut.
    pub(super) cut: u32,
    /// The speculations whose turns this firing has ended, a bit each.
    pub(super) turns: u32,
    args: u32,
    arg_count: u32,
    /// Address of the hook's argument.
    pub(super) hook: u32,
    /// Frames at the top of the kernel stack that are of no interest (8 bits), and the lengths of the two functions whose
    /// frames may come next: [`Machinery`](super::Machinery) (24 and 32 bits).
    pub(super) skip: u32,
    /// The addresses of these functions.
    pub(super) machinery: u32,
    /// Clause-local integers.
    pub(super) firing: Vec<(VarId, u32)>,
    /// Bytes.
    pub(super) size: u32,
}

impl ContextLayout {
    /// Lays out what is needed and nothing else: the stack is short.
    pub(super) fn new(needs: &Needs, namespace: bool) -> ContextLayout {
        let mut layout = ContextLayout::default();
        let mut at = 0;
        let mut take = |wanted: bool, bytes: u32| {
            let here = at;
            at += if wanted { bytes } else { 0 };
            here
        };
        layout.area = take(needs.area, 8);
        layout.fields[Field::Task as usize] = take(needs.fields.has(Field::Task), 8);
        layout.hook = take(needs.hook, 8);
        layout.flags = take(true, 8);
        layout.addresses = layout.flags;
        for field in Field::ALL.into_iter().filter(|f| *f != Field::Task) {
            layout.fields[field as usize] = take(needs.fields.has(field), field.size(namespace));
        }
        layout.probe = take(needs.probe, 8);
        layout.errno = take(needs.errno, 8);
        layout.exit = take(needs.exit, 8);
        layout.cut = take(needs.cut, 8);
        layout.turns = take(needs.turns, 8);
        layout.skip = take(needs.hook, 8);
        layout.machinery = take(needs.hook, 16);
        layout.arg_count = 16 - needs.args.leading_zeros();
        layout.args = take(true, 8 * layout.arg_count);
        layout.firing = needs.firing.iter().map(|&var| (var, take(true, 8))).collect();
        layout.size = at;
        layout
    }

    /// How many bytes of it lie on the stack.
    pub(super) fn on_stack(&self, rest_elsewhere: bool) -> u32 {
        if rest_elsewhere { self.addresses } else { self.size }
    }

    /// Whether it is used at all.
    pub(super) fn is_used(&self) -> bool {
        self.size > 8
    }

    /// Where a field lies.
    pub(super) fn field(&self, field: Field) -> u32 {
        self.fields[field as usize]
    }

    /// Where `arg<index>` lies; only for arguments that some clause reads.
    pub(super) fn arg(&self, index: u32) -> u32 {
        debug_assert!(index < self.arg_count);
        self.args + 8 * index
    }
}

/// How code reaches the context.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContextBase {
    /// Base register and displacement of what holds addresses, which the verifier must follow.
    addresses: (Mreg, i32),
    /// Of the rest.
    rest: (Mreg, i32),
    /// Where the rest begins.
    from: u32,
}

impl ContextBase {
    /// In a clause, where `R6` holds its address. `scratch`: where in scratch memory all but the addresses lies.
    pub(super) fn clause(layout: &ContextLayout, scratch: Option<u32>) -> ContextBase {
        ContextBase::of((R6, 0), layout, scratch)
    }

    /// In a program, where it lies at the top of the frame.
    pub(super) fn program(layout: &ContextLayout, scratch: Option<u32>) -> ContextBase {
        ContextBase::of((FP, -(layout.on_stack(scratch.is_some()) as i32)), layout, scratch)
    }

    fn of(stack: (Mreg, i32), layout: &ContextLayout, scratch: Option<u32>) -> ContextBase {
        let rest = scratch.map_or(stack, |at| (R7, at as i32));
        ContextBase { addresses: stack, rest, from: layout.addresses }
    }

    /// Base register and displacement of an offset.
    fn place(self, offset: u32) -> (Mreg, i32) {
        let (reg, at) = if offset < self.from { self.addresses } else { self.rest };
        (reg, at + offset as i32)
    }

    /// `dst` = the word at an offset.
    pub(super) fn load(self, asm: &mut Asm, dst: Mreg, offset: u32) {
        let (reg, at) = self.place(offset);
        asm.ldx(Size::D, dst, reg, at);
    }

    /// The word at an offset = `src`.
    pub(super) fn store(self, asm: &mut Asm, offset: u32, src: Mreg) {
        let (reg, at) = self.place(offset);
        asm.stx(Size::D, reg, at, src);
    }

    /// The word at an offset = a constant.
    pub(super) fn store_imm(self, asm: &mut Asm, offset: u32, imm: i32) {
        let (reg, at) = self.place(offset);
        asm.st_imm(Size::D, reg, at, imm);
    }

    /// `dst` = the address of an offset.
    pub(super) fn address(self, asm: &mut Asm, dst: Mreg, offset: u32) {
        let (reg, at) = self.place(offset);
        asm.mov(dst, reg);
        asm.alu_imm(Alu::Add, dst, at);
    }

    /// `dst` = the context's address, as clauses take it.
    pub(super) fn whole(self, asm: &mut Asm, dst: Mreg) {
        let (reg, at) = self.addresses;
        asm.mov(dst, reg);
        asm.alu_imm(Alu::Add, dst, at);
    }
}

/// What the code that fills a field must know.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filler<'a> {
    pub(super) layout: &'a ContextLayout,
    pub(super) offsets: &'a KernelOffsets,
    pub(super) namespace: Option<&'a PidNamespace>,
    /// Index of the control map.
    pub(super) control: u32,
    /// Index of the map of times on a CPU, if a clause reads them.
    pub(super) on_cpu: Option<u32>,
}

impl Filler<'_> {
    /// Makes sure that a field is filled, unless `known`; clobbers `R0` to `R5`. Afterwards `R0` holds the field
    /// (nothing for the command name). [`Field::Task`] has a way of its own.
    pub(super) fn read(&self, asm: &mut Asm, base: ContextBase, field: Field, known: &mut Fields) {
        let at = self.layout.field(field);
        if known.has(field) {
            if field != Field::Comm {
                base.load(asm, R0, at);
            }
            return;
        }
        if matches!(field, Field::Wall | Field::OnCpu) {
            // Before the test, so that the time is known on both ways out of it.
            self.read(asm, base, Field::Time, known);
        }
        let (filled, done) = (asm.label(), asm.label());
        self.go_if_filled(asm, base, field, filled);
        self.fill(asm, base, field);
        if field != Field::Comm {
            base.store(asm, at, R0);
        }
        self.set_filled(asm, base, field);
        if field != Field::Comm {
            asm.ja(done);
        }
        asm.bind(filled);
        if field != Field::Comm {
            base.load(asm, R0, at);
        }
        asm.bind(done);
        known.add(field);
    }

    /// Goes to `filled` if the field is; clobbers `R0`.
    pub(super) fn go_if_filled(&self, asm: &mut Asm, base: ContextBase, field: Field, filled: Label) {
        base.load(asm, R0, self.layout.flags);
        asm.jmp_imm(Jmp::Set, R0, field.flag(), filled);
    }

    /// Says that a field is filled; clobbers `R1`.
    pub(super) fn set_filled(&self, asm: &mut Asm, base: ContextBase, field: Field) {
        base.load(asm, R1, self.layout.flags);
        asm.alu_imm(Alu::Or, R1, field.flag());
        base.store(asm, self.layout.flags, R1);
    }

    /// Says which fields are filled when a firing begins.
    pub(super) fn start(&self, asm: &mut Asm, base: ContextBase, flags: i32) {
        base.store_imm(asm, self.layout.flags, flags);
    }

    fn fill(&self, asm: &mut Asm, base: ContextBase, field: Field) {
        match field {
            Field::Time => asm.call(helper::KTIME_GET_NS),
            Field::PidTgid => match self.namespace {
                None => asm.call(helper::GET_CURRENT_PID_TGID),
                Some(namespace) => {
                    let at = self.layout.field(field);
                    self.number(asm, base, namespace, at + 8, Whose::Process);
                    asm.alu_imm(Alu::Lsh, R0, 32);
                    base.store(asm, at, R0);
                    self.number(asm, base, namespace, at + 8, Whose::Thread);
                    base.load(asm, R1, at);
                    asm.alu(Alu::Or, R0, R1);
                }
            },
            Field::UidGid => asm.call(helper::GET_CURRENT_UID_GID),
            Field::Cpu => asm.call(helper::GET_SMP_PROCESSOR_ID),
            Field::Ppid if let Some(namespace) = self.namespace => {
                self.number(asm, base, namespace, self.layout.field(field) + 8, Whose::Parent);
            }
            Field::Ppid => {
                asm.call(helper::GET_CURRENT_TASK_BTF);
                asm.ldx(Size::D, R0, R0, self.offsets.task_real_parent as i32);
                asm.ldx(Size::W, R0, R0, self.offsets.task_tgid as i32);
            }
            Field::Start => {
                asm.call(helper::GET_CURRENT_TASK_BTF);
                asm.ldx(Size::D, R0, R0, self.offsets.task_start as i32);
            }
            Field::Wall => {
                base.load(asm, R0, self.layout.field(Field::Time));
                asm.map_value(R1, self.control, control::WALL_OFFSET * 8);
                asm.ldx(Size::D, R1, R1, 0);
                asm.alu(Alu::Add, R0, R1);
            }
            Field::Comm => {
                // Old kernels do not clear what follows the name's NUL.
                let at = self.layout.field(Field::Comm);
                base.store_imm(asm, at, 0);
                base.store_imm(asm, at + 8, 0);
                base.address(asm, R1, at);
                asm.mov_imm(R2, 16);
                asm.call(helper::GET_CURRENT_COMM);
            }
            Field::Curthread => asm.call(helper::GET_CURRENT_TASK),
            Field::OnCpu => self.on_cpu(asm, base),
            Field::Task => {}
        }
    }

    /// `R0` = how long the current thread has been on a CPU: from the account that the program at `sched_switch` keeps of
    /// it, which begins here with what the scheduler says. Clobbers `R0` to `R5`.
    fn on_cpu(&self, asm: &mut Asm, base: ContextBase) {
        let (at, time) = (self.layout.field(Field::OnCpu), self.layout.field(Field::Time));
        let (on, off, coarse, done) = (asm.label(), asm.label(), asm.label(), asm.label());
        let Some(map) = self.on_cpu else { return asm.mov_imm(R0, 0) };
        asm.call(helper::GET_CURRENT_TASK_BTF);
        asm.ldx(Size::D, R1, R0, self.offsets.task_sum_exec as i32);
        base.store(asm, at, R1);
        asm.map(R1, map);
        asm.mov(R2, R0);
        asm.mov_imm(R3, 0);
        asm.mov_imm(R4, STORAGE_CREATE);
        asm.call(helper::TASK_STORAGE_GET);
        asm.jmp_imm(Jmp::Eq, R0, 0, coarse);
        asm.ldx(Size::D, R1, R0, on_cpu::STATE as i32);
        asm.jmp_imm(Jmp::Eq, R1, on_cpu::ON, on);
        asm.jmp_imm(Jmp::Eq, R1, on_cpu::OFF, off);
        base.load(asm, R1, at);
        base.load(asm, R2, time);
        asm.alu(Alu::Sub, R1, R2);
        asm.stx(Size::D, R0, on_cpu::NANOS as i32, R1);
        asm.st_imm(Size::D, R0, on_cpu::STATE as i32, on_cpu::ON);
        asm.bind(on);
        asm.ldx(Size::D, R0, R0, on_cpu::NANOS as i32);
        base.load(asm, R1, time);
        asm.alu(Alu::Add, R0, R1);
        asm.ja(done);
        asm.bind(off);
        asm.ldx(Size::D, R0, R0, on_cpu::NANOS as i32);
        asm.ja(done);
        // No memory for an account: what the scheduler says, which it brings up to date at each tick.
        asm.bind(coarse);
        base.load(asm, R0, at);
        asm.bind(done);
    }

    /// `R0` = the number that a process or thread has in a namespace, 0 if it is not in it: what the kernel shows such a
    /// process of the others. `room`: where in the context 16 bytes can be read to. Clobbers `R0` to `R5`.
    fn number(&self, asm: &mut Asm, base: ContextBase, namespace: &PidNamespace, room: u32, whose: Whose) {
        let done = asm.label();
        asm.call(helper::GET_CURRENT_TASK_BTF);
        if whose == Whose::Parent {
            asm.ldx(Size::D, R0, R0, self.offsets.task_real_parent as i32);
        }
        if whose != Whose::Thread {
            asm.ldx(Size::D, R0, R0, namespace.task_group_leader as i32);
        }
        asm.ldx(Size::D, R3, R0, namespace.task_thread_pid as i32);
        asm.mov_imm(R0, 0);
        // Numbers beyond a process's own level are not its.
        asm.ldx(Size::W, R2, R3, namespace.pid_level as i32);
        asm.jmp_imm(Jmp::Lt, R2, namespace.level as i32, done);
        // Read as memory: the verifier of older kernels knows one number only.
        asm.alu_imm(Alu::Add, R3, namespace.number() as i32);
        base.address(asm, R1, room);
        asm.mov_imm(R2, i64::from(PidNamespace::UPID));
        asm.call(helper::PROBE_READ_KERNEL);
        base.load(asm, R1, room + PidNamespace::UPID_NS);
        asm.mov_imm(R0, 0);
        asm.mov_imm(R2, namespace.address as i64);
        asm.jmp(Jmp::Ne, R1, R2, done);
        base.load(asm, R0, room);
        asm.mov32(R0, R0);
        asm.bind(done);
    }
}

/// Whose number is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    /// The current thread's.
    Thread,
    /// Its process's.
    Process,
    /// Its parent process's.
    Parent,
}
