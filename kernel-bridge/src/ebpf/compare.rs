//! String comparisons: by words, against constants without a loop; names of the probe by a table of answers.

use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::ir::{CmpOp, Reg, StrId};

use super::alloc::StrHome;
use super::asm::{Alu, Jmp, Label, Mreg, R0, R1, R2, R3, R4, R5, R7, Size};
use super::clause::Gen;
use super::context::Field;
use super::emit::EmitError;
use super::strings::{COMM, component, constant};

/// Longest constant that is compared by immediate words; a longer one is compared in a loop.
const INLINE_WORDS: usize = 16;

/// The words of a string, zero-padded.
fn words(text: &[u8], count: usize) -> Vec<i64> {
    let mut bytes = text.to_vec();
    bytes.resize(count * 8, 0);
    bytes.chunks_exact(8).map(|w| w.try_into().map_or(0, i64::from_le_bytes)).collect()
}

impl Gen<'_> {
    /// Goes to `yes` if the comparison holds, else to `no` or on.
    pub(super) fn compare_strings(
        &mut self,
        op: CmpOp,
        lhs: Reg,
        rhs: Reg,
        yes: Label,
        no: Label,
    ) -> Result<(), EmitError> {
        let (left, right) = (self.str_home(lhs), self.str_home(rhs));
        let equality = matches!(op, CmpOp::Eq | CmpOp::Ne);
        let (same, other) = if op == CmpOp::Ne { (no, yes) } else { (yes, no) };
        match (left, right) {
            (StrHome::Const(id), home) | (home, StrHome::Const(id)) if equality => {
                self.equals_constant(home, id, same, other);
            }
            (StrHome::Null, home) | (home, StrHome::Null) if equality => match home {
                StrHome::Null => self.asm.ja(same),
                StrHome::Buffer(number) => {
                    let at = self.env.scratch.buffer(number);
                    self.asm.ldx(Size::D, R0, R7, at as i32);
                    self.asm.jmp_imm(Jmp::Eq, R0, 0, same);
                    self.asm.ja(other);
                }
                _ => self.asm.ja(other),
            },
            _ => {
                self.prepare(left);
                self.prepare(right);
                self.cell_address(R4, left);
                self.cell_address(R5, right);
                if equality { self.equal_cells(same, other) } else { self.order_cells(op, yes, no) }
            }
        }
        Ok(())
    }

    /// Goes to `same` or `other` by a constant.
    fn equals_constant(&mut self, home: StrHome, id: StrId, same: Label, other: Label) {
        let env = self.env;
        let text = constant(env, id);
        match home {
            StrHome::Null | StrHome::None => self.asm.ja(other),
            StrHome::Const(id) => {
                let equal = constant(env, id) == text;
                self.asm.ja(if equal { same } else { other });
            }
            StrHome::Comm if env.strsize() >= COMM - 1 => {
                let comm = env.context.field(Field::Comm);
                if text.len() >= COMM as usize {
                    self.asm.ja(other);
                    return;
                }
                // A word with a NUL in it decides alone.
                for (i, word) in words(text, text.len() / 8 + 1).into_iter().enumerate() {
                    self.base.load(&mut self.asm, R0, comm + 8 * i as u32);
                    self.asm.jmp_value(Jmp::Ne, R0, word, R1, other);
                }
                self.asm.ja(same);
            }
            StrHome::Probe(var) => self.probe_equals(var, text, same, other),
            StrHome::Comm | StrHome::Buffer(_) => {
                self.prepare(home);
                self.cell_address(R4, home);
                let count = text.len().div_ceil(8);
                if count > INLINE_WORDS {
                    self.cell_address(R5, StrHome::Const(id));
                    self.equal_cells(same, other);
                    return;
                }
                self.asm.ldx(Size::D, R0, R4, 0);
                self.asm.jmp_imm(Jmp::Ne, R0, text.len() as i32 + 1, other);
                for (i, word) in words(text, count).into_iter().enumerate() {
                    self.asm.ldx(Size::D, R0, R4, 8 + 8 * i as i32);
                    self.asm.jmp_value(Jmp::Ne, R0, word, R1, other);
                }
                self.asm.ja(same);
            }
        }
    }

    /// A name of the firing probe against a constant: a table with the answers, by probe.
    fn probe_equals(&mut self, var: BuiltinVar, text: &[u8], same: Label, other: Label) {
        let env = self.env;
        let probes = &env.plan.program.probes;
        let cut = env.strsize() as usize;
        let answers: Vec<u8> = probes
            .iter()
            .map(|p| {
                let name = component(p, var);
                u8::from(&name[..name.len().min(cut)] == text)
            })
            .collect();
        let at = env.rodata.borrow_mut().intern(&answers);
        self.base.load(&mut self.asm, R0, env.context.probe);
        self.asm.clamp(R0, probes.len().saturating_sub(1) as u32);
        self.asm.map_value(R1, env.rodata_map, at);
        self.asm.alu(Alu::Add, R1, R0);
        self.asm.ldx(Size::B, R0, R1, 0);
        self.asm.jmp_imm(Jmp::Ne, R0, 0, same);
        self.asm.ja(other);
    }

    /// Compares the cells at `R4` and `R5` for equality. Clobbers `R0` to `R5`.
    fn equal_cells(&mut self, same: Label, other: Label) {
        self.asm.ldx(Size::D, R0, R4, 0);
        self.asm.ldx(Size::D, R1, R5, 0);
        self.asm.jmp(Jmp::Ne, R0, R1, other);
        // R0 is one more than the length: the words are those that begin below the length.
        self.asm.jmp_imm(Jmp::Le, R0, 1, same);
        self.asm.alu_imm(Alu::Sub, R0, 1);
        let differ = self.differing_words(R0, same);
        self.asm.bind(differ);
        self.asm.ja(other);
    }

    /// Goes through the words of the cells at `R4` and `R5` that begin below `length`. Words that differ are in `R1` and
    /// `R2` at the label returned (which is bound next); if none do, it goes to `equal`. Clobbers `R1` to `R5`.
    fn differing_words(&mut self, length: Mreg, equal: Label) -> Label {
        let (again, alike, differ) = (self.asm.label(), self.asm.label(), self.asm.label());
        self.asm.mov_imm(R3, 0);
        self.asm.bind(again);
        self.asm.ldx(Size::D, R1, R4, 8);
        self.asm.ldx(Size::D, R2, R5, 8);
        // What goes on is behind the jumps: the verifier puts that off, and comes to the ends once (see `stacks.rs`).
        self.asm.jmp(Jmp::Eq, R1, R2, alike);
        self.asm.ja(differ);
        self.asm.bind(alike);
        self.asm.alu_imm(Alu::Add, R3, 8);
        let room = self.env.string_room();
        self.asm.jmp_imm(Jmp::Ge, R3, room as i32, equal);
        self.asm.alu_imm(Alu::Add, R4, 8);
        self.asm.alu_imm(Alu::Add, R5, 8);
        self.asm.jmp(Jmp::Lt, R3, length, again);
        self.asm.ja(equal);
        differ
    }

    /// Compares the cells at `R4` and `R5` in `strcmp` order, NULL below all. Clobbers `R0` to `R5`.
    fn order_cells(&mut self, op: CmpOp, yes: Label, no: Label) {
        let jump = if matches!(op, CmpOp::LtS | CmpOp::LtU) { Jmp::Lt } else { Jmp::Le };
        let (by_length, shorter) = (self.asm.label(), self.asm.label());
        // R0 = the smaller length + 1; NULL is 0, and decides by the lengths alone, as does the empty string.
        self.asm.ldx(Size::D, R0, R4, 0);
        self.asm.ldx(Size::D, R1, R5, 0);
        self.keep_lengths();
        self.asm.jmp(Jmp::Le, R0, R1, shorter);
        self.asm.mov(R0, R1);
        self.asm.bind(shorter);
        self.asm.jmp_imm(Jmp::Le, R0, 1, by_length);
        self.asm.alu_imm(Alu::Sub, R0, 1);
        let differ = self.differing_words(R0, by_length);
        self.asm.bind(differ);
        self.asm.be64(R1);
        self.asm.be64(R2);
        self.asm.jmp(Jmp::Lt, R1, R2, yes);
        self.asm.ja(no);
        self.asm.bind(by_length);
        self.kept_lengths();
        self.asm.jmp(jump, R0, R1, yes);
        self.asm.ja(no);
    }

    /// Puts `R0` and `R1` where the loop does not reach: the headers' own places have moved out of sight.
    fn keep_lengths(&mut self) {
        let at = self.env.scratch.temps;
        self.asm.stx(Size::D, R7, at as i32, R0);
        self.asm.stx(Size::D, R7, at as i32 + 8, R1);
    }

    fn kept_lengths(&mut self) {
        let at = self.env.scratch.temps;
        self.asm.ldx(Size::D, R0, R7, at as i32);
        self.asm.ldx(Size::D, R1, R7, at as i32 + 8);
    }
}
