//! Which speculations are in use: the words of the control map and the steps on them, those of `dtrail_vm::speculation::words`
//! in the kernel ([`dtrail_lang::plan::speculations`] has their form).

use dtrail_lang::ir::Reg;
use dtrail_lang::plan::speculations::{ACTIVE, FREE, STATE, TURN_SHIFT, UNTOLD};
use dtrail_vm::speculation::words::Verdict;

use super::asm::{Alu, Asm, Jmp, Label, R0, R1, R2, R3, R4, R7, Size};
use super::clause::Gen;
use super::context::{ContextBase, Field};
use super::emit::{EmitError, Env};
use super::{SpeculationWords, counter};

/// What a word grows by when its number is taken: the next turn, and in use.
const TAKEN: i32 = (1 << TURN_SHIFT) + ACTIVE as i32;

impl Gen<'_> {
    fn speculation_words(&self) -> Result<SpeculationWords, EmitError> {
        let words = self.env.state.speculations;
        words.ok_or_else(|| self.inconsistent("a kernel clause speculates but nothing says what is in use"))
    }

    /// `R1` = the address of the words.
    fn speculation_address(&mut self, words: SpeculationWords) {
        self.asm.map_value(R1, self.env.state.control, words.first * 8);
    }

    /// `dst` = a number that was free and is taken, 0 if there is none.
    pub(super) fn speculation(&mut self, dst: Reg) -> Result<(), EmitError> {
        let words = self.speculation_words()?;
        let by_time = self.env.target.cleanrate > 0;
        if by_time {
            self.field(Field::Time);
            self.asm.mov(R4, R0);
        }
        let (taken, out) = (self.asm.label(), self.asm.label());
        // The number leaves through memory: the verifier would else follow the rest of the clause once for each.
        let number = self.env.scratch.temps as i32;
        self.speculation_address(words);
        // R0 = the word, R1 = where they are, R2 = temporary, R3 = whether a number is busy, R4 = the time.
        self.asm.mov_imm(R3, 0);
        for i in 0..words.count as i32 {
            let (at, until) = (8 * i, 8 * (words.count as i32 + i));
            let (free, busy, next) = (self.asm.label(), self.asm.label(), self.asm.label());
            self.asm.ldx(Size::D, R0, R1, at);
            self.asm.mov(R2, R0);
            self.asm.alu_imm(Alu::And, R2, STATE as i32);
            self.asm.jmp_imm(Jmp::Eq, R2, ACTIVE as i32, next);
            self.asm.jmp_imm(Jmp::Eq, R2, FREE as i32, free);
            self.asm.bind(busy);
            self.asm.mov_imm(R3, 1);
            self.asm.ja(next);
            self.asm.bind(free);
            if by_time {
                self.asm.ldx(Size::D, R2, R1, until);
                self.asm.jmp(Jmp::Lt, R4, R2, busy);
            }
            self.asm.mov(R2, R0);
            self.asm.alu_imm(Alu::Add, R2, TAKEN);
            self.asm.compare_exchange(R1, at, R2);
            self.asm.alu_imm(Alu::Add, R0, TAKEN);
            // Somebody else took it in this instant.
            self.asm.jmp(Jmp::Ne, R0, R2, next);
            self.asm.st_imm(Size::D, R7, number, i + 1);
            self.asm.ja(taken);
            self.asm.bind(next);
        }
        let in_use = self.asm.label();
        self.asm.jmp_imm(Jmp::Eq, R3, 0, in_use);
        self.count(counter::SPECULATIONS_BUSY)?;
        let none = self.asm.label();
        self.asm.ja(none);
        self.asm.bind(in_use);
        self.count(counter::SPECULATIONS_UNAVAILABLE)?;
        self.asm.bind(none);
        self.asm.mov_imm(R0, 0);
        self.asm.ja(out);
        self.asm.bind(taken);
        self.asm.ldx(Size::D, R0, R7, number);
        self.asm.bind(out);
        self.define(dst, R0);
        Ok(())
    }

    /// `dst` = the turn that a number is in; in none, the clause ends.
    pub(super) fn speculation_turn(&mut self, dst: Reg, number: Reg) -> Result<(), EmitError> {
        let words = self.speculation_words()?;
        let none = self.ended();
        self.speculation_word(words, number, none);
        self.asm.mov(R2, R0);
        self.asm.alu_imm(Alu::And, R2, STATE as i32);
        self.asm.jmp_imm(Jmp::Ne, R2, ACTIVE as i32, none);
        self.asm.alu_imm(Alu::Rsh, R0, TURN_SHIFT as i32);
        self.define(dst, R0);
        Ok(())
    }

    /// `dst` = the turn of a number, which ends; 0 if it was in none.
    pub(super) fn end_turn(&mut self, dst: Reg, number: Reg, verdict: Verdict) -> Result<(), EmitError> {
        let words = self.speculation_words()?;
        let (none, out) = (self.asm.label(), self.asm.label());
        self.speculation_word(words, number, none);
        self.asm.mov(R2, R0);
        self.asm.alu_imm(Alu::And, R2, STATE as i32);
        self.asm.jmp_imm(Jmp::Ne, R2, ACTIVE as i32, none);
        self.asm.mov(R2, R0);
        self.asm.alu_imm(Alu::Xor, R2, (ACTIVE ^ verdict.state()) as i32);
        self.asm.mov(R3, R0);
        self.asm.compare_exchange(R1, 0, R2);
        // Somebody else ended it in this instant.
        self.asm.jmp(Jmp::Ne, R0, R3, none);
        self.load(number, R1);
        self.asm.alu_imm(Alu::Sub, R1, 1);
        self.asm.mov_imm(R2, 1);
        self.asm.alu(Alu::Lsh, R2, R1);
        self.base.load(&mut self.asm, R0, self.env.context.turns);
        self.asm.alu(Alu::Or, R0, R2);
        self.base.store(&mut self.asm, self.env.context.turns, R0);
        let cleanrate = self.env.target.cleanrate;
        if cleanrate > 0 {
            let (turn, place) = (self.env.scratch.temps as i32, self.env.scratch.temps as i32 + 8);
            self.asm.stx(Size::D, R7, turn, R3);
            self.load(number, R1);
            self.asm.stx(Size::D, R7, place, R1);
            self.field(Field::Time);
            self.asm.mov_imm(R1, cleanrate as i64);
            self.asm.alu(Alu::Add, R1, R0);
            let fits = self.asm.label();
            self.asm.jmp(Jmp::Ge, R1, R0, fits);
            self.asm.mov_imm(R1, -1);
            self.asm.bind(fits);
            self.asm.mov(R4, R1);
            self.asm.ldx(Size::D, R2, R7, place);
            self.word_address(words, none);
            self.asm.stx(Size::D, R1, 8 * words.count as i32, R4);
            self.asm.ldx(Size::D, R3, R7, turn);
        }
        self.asm.alu_imm(Alu::Rsh, R3, TURN_SHIFT as i32);
        self.asm.mov(R0, R3);
        self.asm.ja(out);
        self.asm.bind(none);
        self.asm.mov_imm(R0, 0);
        self.asm.bind(out);
        self.define(dst, R0);
        Ok(())
    }

    /// `R1` = where the word of a number is, `R0` = the word; goes to `none` if there is no such number. Clobbers `R2`.
    fn speculation_word(&mut self, words: SpeculationWords, number: Reg, none: Label) {
        self.load(number, R2);
        self.word_address(words, none);
        self.asm.ldx(Size::D, R0, R1, 0);
    }

    /// `R1` = where the word of the number in `R2` is; goes to `none` if there is no such number.
    fn word_address(&mut self, words: SpeculationWords, none: Label) {
        self.asm.alu_imm(Alu::Sub, R2, 1);
        self.asm.jmp_imm(Jmp::Ge, R2, words.count as i32, none);
        self.asm.alu_imm(Alu::Lsh, R2, 3);
        self.speculation_address(words);
        self.asm.alu(Alu::Add, R1, R2);
    }
}

/// What becomes of the numbers whose turns this firing has ended: they are free if its record is on its way (`told`), and
/// else wait for user space to see their words. Clobbers `R0` to `R5`.
pub(super) fn end_firing(asm: &mut Asm, env: &Env<'_>, base: ContextBase, told: bool) {
    let Some(words) = env.state.speculations else { return };
    let done = asm.label();
    base.load(asm, R4, env.context.turns);
    asm.jmp_imm(Jmp::Eq, R4, 0, done);
    asm.map_value(R1, env.state.control, words.first * 8);
    for i in 0..words.count as i32 {
        let next = asm.label();
        asm.mov(R2, R4);
        asm.alu_imm(Alu::And, R2, 1 << i);
        asm.jmp_imm(Jmp::Eq, R2, 0, next);
        // Nobody else changes the word of a number that this firing made busy, user space neither: it frees those that are
        // marked as not told, and those it made busy itself.
        asm.ldx(Size::D, R0, R1, 8 * i);
        match told {
            true => asm.alu_imm(Alu::And, R0, !(STATE as i32)),
            false => asm.alu_imm(Alu::Or, R0, UNTOLD as i32),
        }
        asm.stx(Size::D, R1, 8 * i, R0);
        asm.bind(next);
    }
    asm.bind(done);
}
