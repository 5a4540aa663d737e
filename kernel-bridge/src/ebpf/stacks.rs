//! Stacks in the kernel: their addresses walked by a helper (or, of an injected event, copied from the event), their
//! number made, the words kept under it in a map that user space empties.
//!
//! The number is that of [`dtrail_lang::plan::stacks`]: of a process it contains the start of its first thread and how
//! often it has run `exec`. Under injection both are 0, as in the file's events. A stack that the map has already costs
//! no store.

use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::ir::Reg;
use dtrail_lang::options::MAX_FRAMES;
use dtrail_lang::plan::stacks::{ADDRESS, DUMP, DUMP_HEAD, FACTOR, FOLD, HEAD, KERNEL, USER};
use dtrail_lang::plan::{AskedStack, Shared, SharedSlot};

use super::abi::ABI;
use super::asm::{Alu, Asm, FP, Jmp, R0, R1, R2, R3, R4, R5, R7, Size};
use super::clause::Gen;
use super::context::{ContextBase, Field, Fields};
use super::emit::{EmitError, Env};
use super::{Target, control, counter, helper, inject};

/// Words of the largest stack.
pub(super) const MOST_WORDS: u32 = HEAD as u32 + MAX_FRAMES;
/// Bytes of a value of the map: when it was seen, the number of words, the words.
pub(super) const VALUE: u32 = 16 + 8 * MOST_WORDS;
/// Stacks that the map holds between two looks of user space.
pub(super) const ENTRIES: u32 = 1 << 14;
/// Under injection, where user space looks after each event.
pub(super) const ENTRIES_INJECTED: u32 = 1 << 10;

/// Bytes of a user stack that are kept whole, in pieces that are read one by one: what lies beyond the stack's end cannot
/// be read.
const DUMP_BYTES: u32 = 16 << 10;
const DUMP_PIECE: u32 = 1 << 10;
/// Stacks of that size between two looks.
const DUMP_ENTRIES: u32 = 1 << 11;

/// Bytes of a value of the map.
pub(super) fn value(env: &Target) -> u32 {
    let dump = if dumps(env) { 8 * DUMP_HEAD as u32 + DUMP_BYTES } else { 0 };
    VALUE.max(16 + 8 * HEAD as u32 + dump)
}

/// Entries of the map.
pub(super) fn entries(env: &Target) -> u32 {
    match (env.inject, dumps(env)) {
        (true, _) => ENTRIES_INJECTED,
        (_, true) => DUMP_ENTRIES,
        _ => ENTRIES,
    }
}

fn dumps(target: &Target) -> bool {
    target.dwarf && !target.inject
}

/// `BPF_F_USER_STACK`
const USER_STACK: i64 = 1 << 8;

/// Which stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Kernel,
    User,
}

/// Words that a built-in variable takes a stack of; 0 for those that take none.
pub(super) fn builtin_words(var: BuiltinVar) -> u32 {
    match var {
        BuiltinVar::Caller | BuiltinVar::Ucaller | BuiltinVar::Stackdepth | BuiltinVar::Ustackdepth => {
            MOST_WORDS
        }
        _ => 0,
    }
}

/// Where the addresses lie in scratch memory.
fn addresses_at(env: &Env<'_>) -> i32 {
    words_at(env) + 8 * HEAD as i32
}

fn words_at(env: &Env<'_>) -> i32 {
    env.scratch.stack as i32 + 16
}

/// Takes the addresses of a stack to scratch memory, at most so many; `R0` = how many. `R7` is the scratch memory.
/// Clobbers `R1` to `R5`.
pub(super) fn addresses(asm: &mut Asm, env: &Env<'_>, base: ContextBase, side: Side, frames: u32) {
    let frames = frames.min(MAX_FRAMES);
    if frames == 0 {
        return asm.mov_imm(R0, 0);
    }
    let some = asm.label();
    if env.target.inject {
        let Some(map) = env.state.inject else { return asm.mov_imm(R0, 0) };
        let from = match side {
            Side::Kernel => inject::KERNEL_STACK,
            Side::User => inject::USER_STACK,
        };
        asm.mov(R1, R7);
        asm.alu_imm(Alu::Add, R1, addresses_at(env));
        asm.mov_imm(R2, i64::from(8 * frames));
        asm.map_value(R3, map, from + 8);
        asm.call(helper::PROBE_READ_KERNEL);
        asm.map_value(R1, map, from);
        asm.ldx(Size::D, R0, R1, 0);
        asm.clamp(R0, frames);
        return;
    }
    base.load(asm, R1, env.context.hook);
    asm.mov(R2, R7);
    asm.alu_imm(Alu::Add, R2, addresses_at(env));
    asm.mov_imm(R3, i64::from(8 * frames));
    match side {
        Side::Kernel => skipped(asm, env, base),
        Side::User => asm.mov_imm(R4, USER_STACK),
    }
    asm.call(helper::GET_STACK);
    if side == Side::Kernel && !env.target.machinery.is_empty() {
        // At most two functions of the tracepoint may have a frame: then once more without.
        for more in 1..=2 {
            let ours = asm.label();
            asm.jmp_imm(Jmp::Slt, R0, 8, some);
            for (function, shift) in [(0, 8), (8, 32)] {
                asm.ldx(Size::D, R1, R7, addresses_at(env));
                base.load(asm, R2, env.context.machinery + function);
                asm.alu(Alu::Sub, R1, R2);
                base.load(asm, R2, env.context.skip);
                asm.alu_imm(Alu::Rsh, R2, shift);
                if shift == 8 {
                    asm.alu_imm(Alu::And, R2, 0xff_ffff);
                }
                asm.jmp(Jmp::Lt, R1, R2, ours);
            }
            asm.ja(some);
            asm.bind(ours);
            base.load(asm, R1, env.context.hook);
            asm.mov(R2, R7);
            asm.alu_imm(Alu::Add, R2, addresses_at(env));
            asm.mov_imm(R3, i64::from(8 * frames));
            skipped(asm, env, base);
            asm.alu_imm(Alu::Add, R4, more);
            asm.call(helper::GET_STACK);
        }
    }
    asm.bind(some);
    let counted = asm.label();
    asm.jmp_imm(Jmp::Sgt, R0, 0, counted);
    asm.mov_imm(R0, 0);
    asm.bind(counted);
    asm.alu_imm(Alu::Rsh, R0, 3);
}

/// `R4` = how many frames at the top of the kernel stack are not the traced code's.
fn skipped(asm: &mut Asm, env: &Env<'_>, base: ContextBase) {
    base.load(asm, R4, env.context.skip);
    asm.alu_imm(Alu::And, R4, 0xff);
}

/// `R0` = the second address of a stack, 0 if there is none. Clobbers `R1` to `R5`.
pub(super) fn caller(asm: &mut Asm, env: &Env<'_>, base: ContextBase, side: Side) {
    let (some, done) = (asm.label(), asm.label());
    addresses(asm, env, base, side, 2);
    asm.jmp_imm(Jmp::Ge, R0, 2, some);
    asm.mov_imm(R0, 0);
    asm.ja(done);
    asm.bind(some);
    asm.ldx(Size::D, R0, R7, addresses_at(env) + 8);
    asm.bind(done);
}

/// Words of scratch memory that a slot which all clauses share takes a stack of.
pub(super) fn shared_words(slot: &SharedSlot) -> u32 {
    match slot.holds {
        Shared::Builtin(var) => builtin_words(var),
        Shared::Register(_) => 0,
        Shared::Stack(_) => MOST_WORDS,
    }
}

impl Gen<'_> {
    /// `dst` = the number of a stack.
    pub(super) fn stack_number(
        &mut self,
        dst: Reg,
        side: Side,
        frames: Reg,
        strsize: Option<Reg>,
    ) -> Result<(), EmitError> {
        let constant = |of: Option<Reg>| of.map_or(Some(0), |reg| self.constant(reg));
        let (Some(frames), Some(strsize)) = (constant(Some(frames)), constant(strsize)) else {
            return Err(self.inconsistent("a stack of a computed size"));
        };
        let frames = u32::try_from(frames).unwrap_or(MAX_FRAMES).min(MAX_FRAMES);
        self.taking()?.stack(side, frames, strsize)?;
        self.define(dst, R0);
        Ok(())
    }

    /// `dst` = the number of an address of the current process.
    pub(super) fn process_address(&mut self, dst: Reg, addr: Reg) -> Result<(), EmitError> {
        let mut taking = self.taking()?;
        taking.word(0, i64::from(ADDRESS));
        taking.process_words();
        let addr = self.operand(addr, R0);
        self.asm.stx(Size::D, R7, addresses_at(self.env), addr);
        self.asm.mov_imm(R0, 1);
        self.taking()?.number(1, None)?;
        self.define(dst, R0);
        Ok(())
    }

    fn taking(&mut self) -> Result<Taking<'_, '_>, EmitError> {
        let key = self.key_word()?;
        Ok(Taking { asm: &mut self.asm, env: self.env, base: self.base, known: &mut self.known, key })
    }
}

/// Where stacks are taken: in a clause, or in a program that makes a record. `R7` is the scratch memory.
pub(super) struct Taking<'t, 'e> {
    pub(super) asm: &'t mut Asm,
    pub(super) env: &'t Env<'e>,
    pub(super) base: ContextBase,
    /// What of the context is known to be filled here.
    pub(super) known: &'t mut Fields,
    /// 8 bytes of the frame.
    pub(super) key: i32,
}

impl Taking<'_, '_> {
    /// `R0` = the number of a stack that `ERROR` clauses ask for.
    pub(super) fn shared(&mut self, asked: AskedStack) -> Result<(), EmitError> {
        let side = if asked.user { Side::User } else { Side::Kernel };
        self.stack(side, asked.frames.min(MAX_FRAMES), i64::from(asked.strsize))
    }

    /// `R0` = the number of a stack of at most so many frames.
    fn stack(&mut self, side: Side, frames: u32, strsize: i64) -> Result<(), EmitError> {
        match side {
            Side::Kernel => {
                self.word(0, i64::from(KERNEL));
                for word in 1..HEAD {
                    self.word(word, 0);
                }
            }
            Side::User if dumps(self.env.target) => return self.dump(frames, strsize),
            Side::User => {
                self.word(0, i64::from(USER) | strsize << 32);
                self.process_words();
            }
        }
        addresses(self.asm, self.env, self.base, side, frames);
        self.number(frames, None)
    }

    fn field(&mut self, field: Field) {
        self.env.filler().read(self.asm, self.base, field, self.known);
    }

    /// `R0` = the number of the user stack, kept with its registers and as much of its memory as can be read.
    fn dump(&mut self, frames: u32, strsize: i64) -> Result<(), EmitError> {
        let words = words_at(self.env);
        let head = words + 8 * HEAD as i32;
        self.word(0, i64::from(DUMP) | strsize << 32);
        self.process_words();
        self.field(Field::Time);
        self.asm.stx(Size::D, R7, head + 24, R0);
        self.asm.mov_imm(R0, i64::from(frames));
        self.asm.stx(Size::D, R7, head + 32, R0);
        self.asm.call(helper::GET_CURRENT_TASK_BTF);
        self.asm.mov(R1, R0);
        self.asm.call(helper::TASK_PT_REGS);
        for (i, from) in [ABI.pc, ABI.sp, ABI.fp].into_iter().enumerate() {
            self.asm.ldx(Size::D, R1, R0, from as i32);
            self.asm.stx(Size::D, R7, head + 8 * i as i32, R1);
        }
        let at = head + 8 * DUMP_HEAD as i32;
        let (end, copied) = (self.asm.label(), self.env.scratch.temps as i32);
        self.asm.st_imm(Size::D, R7, copied, 0);
        for piece in 0..DUMP_BYTES / DUMP_PIECE {
            let offset = (piece * DUMP_PIECE) as i32;
            self.asm.mov(R1, R7);
            self.asm.alu_imm(Alu::Add, R1, at + offset);
            self.asm.mov_imm(R2, i64::from(DUMP_PIECE));
            self.asm.ldx(Size::D, R3, R7, head + 8);
            self.asm.alu_imm(Alu::Add, R3, offset);
            self.asm.call(helper::PROBE_READ_USER);
            self.asm.jmp_imm(Jmp::Ne, R0, 0, end);
            self.asm.st_imm(Size::D, R7, copied, offset + DUMP_PIECE as i32);
        }
        self.asm.bind(end);
        self.asm.mov_imm(R0, DUMP_HEAD as i64);
        self.number(DUMP_HEAD as u32, Some(copied))
    }

    fn word(&mut self, word: usize, value: i64) {
        let at = words_at(self.env) + 8 * word as i32;
        self.asm.mov_imm(R0, value);
        self.asm.stx(Size::D, R7, at, R0);
    }

    /// The words that say whose the addresses are.
    fn process_words(&mut self) {
        let at = words_at(self.env);
        self.field(Field::PidTgid);
        self.asm.alu_imm(Alu::Rsh, R0, 32);
        self.asm.stx(Size::D, R7, at + 8, R0);
        if self.env.target.inject {
            self.word(2, 0);
            self.word(3, 0);
            return;
        }
        let offsets = self.env.target.offsets;
        self.asm.call(helper::GET_CURRENT_TASK_BTF);
        self.asm.ldx(Size::D, R1, R0, offsets.task_group_leader as i32);
        self.asm.ldx(Size::D, R1, R1, offsets.task_start as i32);
        self.asm.stx(Size::D, R7, at + 16, R1);
        self.asm.ldx(Size::D, R1, R0, offsets.task_self_exec_id as i32);
        self.asm.stx(Size::D, R7, at + 24, R1);
    }

    /// `R0` = the number of what lies in scratch memory, `R0` addresses of at most `most`; keeps the words under it. Where
    /// more bytes follow than the number is made from, how many is at `more` in scratch memory.
    fn number(&mut self, most: u32, more: Option<i32>) -> Result<(), EmitError> {
        let Some(map) = self.env.state.stacks else {
            return Err(EmitError::inconsistent(None, "a stack is taken but there is no map for it"));
        };
        let key = self.key;
        let (value, words) = (self.env.scratch.stack as i32, words_at(self.env));
        let (again, done, some) = (self.asm.label(), self.asm.label(), self.asm.label());
        let asm = &mut *self.asm;
        asm.alu_imm(Alu::Add, R0, HEAD as i32);
        asm.stx(Size::D, R7, value + 8, R0);
        // R1 = the number so far, R2 = words done, R3 = the next word's address, R4 = how many there are. Read back, since
        // the verifier would follow each count on its own.
        asm.ldx(Size::D, R4, R7, value + 8);
        asm.mov(R3, R7);
        asm.alu_imm(Alu::Add, R3, words);
        asm.mov_imm(R2, 0);
        asm.mov_imm(R1, 0);
        asm.mov_imm(R0, FACTOR as i64);
        asm.bind(again);
        asm.ldx(Size::D, R5, R3, 0);
        asm.alu(Alu::Xor, R1, R5);
        asm.alu(Alu::Mul, R1, R0);
        asm.mov(R5, R1);
        asm.alu_imm(Alu::Rsh, R5, FOLD as i32);
        asm.alu(Alu::Xor, R1, R5);
        asm.alu_imm(Alu::Add, R3, 8);
        asm.alu_imm(Alu::Add, R2, 1);
        asm.jmp_imm(Jmp::Ge, R2, (HEAD as u32 + most) as i32, done);
        // The verifier puts off what is jumped to, and has room for 8192 things put off: so what goes on is behind the jump
        // and what ends the loop is looked at once, not left over from each turn.
        asm.jmp(Jmp::Lt, R2, R4, again);
        asm.bind(done);
        asm.jmp_imm(Jmp::Ne, R1, 0, some);
        asm.mov_imm(R1, 1);
        asm.bind(some);
        asm.stx(Size::D, FP, key, R1);
        if let Some(more) = more {
            asm.ldx(Size::D, R0, R7, more);
            asm.alu_imm(Alu::Rsh, R0, 3);
            asm.ldx(Size::D, R1, R7, value + 8);
            asm.alu(Alu::Add, R0, R1);
            asm.stx(Size::D, R7, value + 8, R0);
        }

        let (known, kept) = (self.asm.label(), self.asm.label());
        self.asm.map(R1, map);
        self.asm.mov(R2, FP);
        self.asm.alu_imm(Alu::Add, R2, key);
        self.asm.call(helper::MAP_LOOKUP_ELEM);
        self.asm.jmp_imm(Jmp::Ne, R0, 0, known);
        // What is filled here is not known to be filled on the other way.
        let filled = *self.known;
        self.field(Field::Time);
        *self.known = filled;
        self.asm.stx(Size::D, R7, value, R0);
        self.asm.map(R1, map);
        self.asm.mov(R2, FP);
        self.asm.alu_imm(Alu::Add, R2, key);
        self.asm.mov(R3, R7);
        self.asm.alu_imm(Alu::Add, R3, value);
        self.asm.mov_imm(R4, 0);
        self.asm.call(helper::MAP_UPDATE_ELEM);
        self.asm.jmp_imm(Jmp::Eq, R0, 0, kept);
        // Counting leaves 0 in the key's word: the number of no stack.
        super::record::count(self.asm, self.env, key, counter::STACKS);
        self.asm.ja(known);
        self.asm.bind(kept);
        self.asm.map_value(R1, self.env.state.control, control::STACKS * 8);
        self.asm.mov_imm(R2, 1);
        self.asm.atomic_add(R1, 0, R2);
        self.asm.bind(known);
        self.asm.ldx(Size::D, R0, FP, key);
        Ok(())
    }
}
