//! The context of a firing: a cache on the program's stack that clause bodies read built-in variables from.
//!
//! The prologue of a hook fills what only it knows (arguments, probe, errno). The rest is filled when first read, by
//! the body itself: a word of flags tells what is there. Under injection everything is filled beforehand, so a body is
//! the same live, in rbpf and under `BPF_PROG_TEST_RUN`. The kernel's verifier follows the flags as constants, so the
//! tests for them cost nothing where they are decided.
//!
//! Takes which fields a plan needs, gives offsets and the code that reads a field; it knows no IR.

use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::ir::VarId;

use super::asm::{Alu, Asm, FP, Jmp, Mreg, R0, R1, R2, R6, Size};
use super::{KernelOffsets, control, helper};

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
}

impl Field {
    /// Every field, in the order of their flags.
    pub(super) const ALL: [Field; 9] = [
        Field::Time,
        Field::PidTgid,
        Field::UidGid,
        Field::Cpu,
        Field::Ppid,
        Field::Start,
        Field::Wall,
        Field::Comm,
        Field::Task,
    ];

    /// Its bit in the flags word.
    pub(super) fn flag(self) -> i32 {
        1 << self as u8
    }

    fn size(self) -> u32 {
        if self == Field::Comm { 16 } else { 8 }
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
            BuiltinVar::Cpu => self.fields.add(Field::Cpu),
            BuiltinVar::Timestamp => self.fields.add(Field::Time),
            BuiltinVar::Walltimestamp => {
                self.fields.add(Field::Time);
                self.fields.add(Field::Wall);
            }
            BuiltinVar::Errno => self.errno = true,
            BuiltinVar::TaskStart => self.fields.add(Field::Start),
            BuiltinVar::Probeprov
            | BuiltinVar::Probemod
            | BuiltinVar::Probefunc
            | BuiltinVar::Probename
            | BuiltinVar::Id
            | BuiltinVar::Epid => self.probe = true,
            BuiltinVar::Ipl => {}
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
        for &var in &other.firing {
            if !self.firing.contains(&var) {
                self.firing.push(var);
            }
        }
    }
}

/// Offsets in the context, which is the same in all programs of a plan.
#[derive(Clone, Debug, Default)]
pub(super) struct ContextLayout {
    fields: [u32; Field::ALL.len()],
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
    args: u32,
    arg_count: u32,
    /// Clause-local integers.
    pub(super) firing: Vec<(VarId, u32)>,
    /// Bytes.
    pub(super) size: u32,
}

/// The flags word comes first.
pub(super) const FLAGS: u32 = 0;

impl ContextLayout {
    /// Lays out what is needed and nothing else: the stack is short.
    pub(super) fn new(needs: &Needs) -> ContextLayout {
        let mut layout = ContextLayout::default();
        let mut at = 8;
        let mut take = |wanted: bool, bytes: u32| {
            let here = at;
            at += if wanted { bytes } else { 0 };
            here
        };
        for field in Field::ALL {
            layout.fields[field as usize] = take(needs.fields.has(field), field.size());
        }
        layout.probe = take(needs.probe, 8);
        layout.errno = take(needs.errno, 8);
        layout.area = take(needs.area, 8);
        layout.exit = take(needs.exit, 8);
        layout.cut = take(needs.cut, 8);
        layout.arg_count = 16 - needs.args.leading_zeros();
        layout.args = take(true, 8 * layout.arg_count);
        layout.firing = needs.firing.iter().map(|&var| (var, take(true, 8))).collect();
        layout.size = at;
        layout
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
    reg: Mreg,
    at: i32,
}

impl ContextBase {
    /// In a clause: `R6` holds its address.
    pub(super) const CLAUSE: ContextBase = ContextBase { reg: R6, at: 0 };

    /// In a program: it lies at the top of the frame.
    pub(super) fn program(layout: &ContextLayout) -> ContextBase {
        ContextBase { reg: FP, at: -(layout.size as i32) }
    }

    /// The base register.
    pub(super) fn reg(self) -> Mreg {
        self.reg
    }

    /// The displacement of an offset.
    pub(super) fn off(self, offset: u32) -> i16 {
        // A context is smaller than the stack, so the displacement always fits.
        (self.at + offset as i32) as i16
    }

    /// `dst` = the word at an offset.
    pub(super) fn load(self, asm: &mut Asm, dst: Mreg, offset: u32) {
        asm.ldx(Size::D, dst, self.reg, self.off(offset));
    }

    /// The word at an offset = `src`.
    pub(super) fn store(self, asm: &mut Asm, offset: u32, src: Mreg) {
        asm.stx(Size::D, self.reg, self.off(offset), src);
    }

    /// The word at an offset = a constant.
    pub(super) fn store_imm(self, asm: &mut Asm, offset: u32, imm: i32) {
        asm.st_imm(Size::D, self.reg, self.off(offset), imm);
    }

    /// `dst` = the address of an offset.
    pub(super) fn address(self, asm: &mut Asm, dst: Mreg, offset: u32) {
        asm.mov(dst, self.reg);
        asm.alu_imm(Alu::Add, dst, self.at + offset as i32);
    }
}

/// What the code that fills a field must know.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filler<'a> {
    pub(super) layout: &'a ContextLayout,
    pub(super) offsets: &'a KernelOffsets,
    /// Index of the control map.
    pub(super) control: u32,
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
        if field == Field::Wall {
            // Before the test, so that the time is known on both ways out of it.
            self.read(asm, base, Field::Time, known);
        }
        let (filled, done) = (asm.label(), asm.label());
        base.load(asm, R0, FLAGS);
        asm.jmp_imm(Jmp::Set, R0, field.flag(), filled);
        self.fill(asm, base, field);
        if field != Field::Comm {
            base.store(asm, at, R0);
        }
        set_flag(asm, base, field);
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

    fn fill(&self, asm: &mut Asm, base: ContextBase, field: Field) {
        match field {
            Field::Time => asm.call(helper::KTIME_GET_NS),
            Field::PidTgid => asm.call(helper::GET_CURRENT_PID_TGID),
            Field::UidGid => asm.call(helper::GET_CURRENT_UID_GID),
            Field::Cpu => asm.call(helper::GET_SMP_PROCESSOR_ID),
            Field::Ppid => {
                asm.call(helper::GET_CURRENT_TASK_BTF);
                asm.ldx(Size::D, R0, R0, self.offsets.task_real_parent as i16);
                asm.ldx(Size::W, R0, R0, self.offsets.task_tgid as i16);
            }
            Field::Start => {
                asm.call(helper::GET_CURRENT_TASK_BTF);
                asm.ldx(Size::D, R0, R0, self.offsets.task_start as i16);
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
                asm.st_imm(Size::D, base.reg(), base.off(at), 0);
                asm.st_imm(Size::D, base.reg(), base.off(at + 8), 0);
                base.address(asm, R1, at);
                asm.mov_imm(R2, 16);
                asm.call(helper::GET_CURRENT_COMM);
            }
            Field::Task => {}
        }
    }
}

/// Sets a field's flag; clobbers `R1`.
pub(super) fn set_flag(asm: &mut Asm, base: ContextBase, field: Field) {
    base.load(asm, R1, FLAGS);
    asm.alu_imm(Alu::Or, R1, field.flag());
    base.store(asm, FLAGS, R1);
}
