//! Scans of strings: an automaton for a constant, and the last byte that is a slash or none. Both go by words, so that
//! the kernel's verifier has few turns to follow, and leave their loops through memory: it would else follow each place
//! where they may end.

use dtrail_lang::ir::Reg;

use super::asm::{Alu, Jmp, Label, R0, R1, R2, R3, R4, R5, R7, Size};
use super::clause::Gen;

impl Gen<'_> {
    /// `R0` = where the needle first occurs in the cell at `R4`, at or after `start`; goes to `missing` if nowhere.
    /// Clobbers `R0` to `R5`.
    ///
    /// Words are fed to the automaton byte by byte, without a branch; it stays where it has matched, and the byte where
    /// it did is found by feeding the word once more. What follows the string in its last word is NULs, which match
    /// nothing; what precedes `start` is made so.
    pub(super) fn search(&mut self, needle: &[u8], start: Option<Reg>, missing: Label) {
        let temps = self.env.scratch.temps as i32;
        let (state, from, word) = (temps, temps + 8, temps + 16);
        self.length();
        self.asm.mov(R5, R0);
        self.asm.mov_imm(R1, 0);
        if let Some(start) = start {
            let forward = self.asm.label();
            self.load(start, R1);
            self.asm.jmp_imm(Jmp::Sge, R1, 0, forward);
            self.asm.mov_imm(R1, 0);
            self.asm.bind(forward);
            self.asm.jmp(Jmp::Gt, R1, R5, missing);
        }
        if needle.is_empty() {
            self.asm.mov(R0, R1);
            return;
        }
        let automaton = Automaton::new(needle);
        let table = self.env.rodata.borrow_mut().intern(&automaton.table);
        let (again, feed, next, found, hit) =
            (self.asm.label(), self.asm.label(), self.asm.label(), self.asm.label(), self.asm.label());
        // R0 = the word, R1 = its place, R3 = the state, R4 = the cell moved on by R1, R5 = the length.
        self.asm.stx(Size::D, R7, from, R1);
        self.asm.mov_imm(R3, 0);
        self.asm.mov_imm(R1, 0);
        self.asm.bind(again);
        self.asm.jmp(Jmp::Ge, R1, R5, missing);
        self.asm.ldx(Size::D, R0, R4, 8);
        if start.is_some() {
            self.asm.ldx(Size::D, R2, R7, from);
            self.asm.alu(Alu::Sub, R2, R1);
            self.asm.jmp_imm(Jmp::Sle, R2, 0, feed);
            self.asm.jmp_imm(Jmp::Sge, R2, 8, next);
            // Nothing was fed yet, so the state is free.
            self.asm.alu_imm(Alu::Lsh, R2, 3);
            self.asm.mov_imm(R3, -1);
            self.asm.alu(Alu::Lsh, R3, R2);
            self.asm.alu(Alu::And, R0, R3);
            self.asm.mov_imm(R3, 0);
        }
        self.asm.bind(feed);
        self.asm.stx(Size::D, R7, state, R3);
        self.asm.stx(Size::D, R7, word, R0);
        for _ in 0..8 {
            self.feed_byte(table, automaton.rows);
        }
        self.asm.jmp_imm(Jmp::Eq, R3, needle.len() as i32, found);
        self.asm.bind(next);
        self.asm.alu_imm(Alu::Add, R4, 8);
        self.asm.alu_imm(Alu::Add, R1, 8);
        let room = self.env.string_room();
        self.asm.jmp_imm(Jmp::Lt, R1, room as i32, again);
        self.asm.ja(missing);
        self.asm.bind(found);
        self.asm.stx(Size::D, R7, from, R1);
        self.asm.ldx(Size::D, R1, R7, from);
        self.asm.ldx(Size::D, R3, R7, state);
        self.asm.alu_imm(Alu::And, R3, automaton.rows as i32 - 1);
        self.asm.ldx(Size::D, R0, R7, word);
        for _ in 0..8 {
            self.feed_byte(table, automaton.rows);
            self.asm.alu_imm(Alu::Add, R1, 1);
            self.asm.jmp_imm(Jmp::Eq, R3, needle.len() as i32, hit);
        }
        self.asm.bind(hit);
        self.asm.mov(R0, R1);
        self.asm.alu_imm(Alu::Sub, R0, needle.len() as i32);
    }

    /// Feeds the lowest byte of `R0` to the automaton in state `R3`, and shifts it out. Clobbers `R2`.
    fn feed_byte(&mut self, table: u32, rows: u32) {
        self.asm.mov(R2, R0);
        self.asm.alu_imm(Alu::And, R2, 255);
        self.asm.alu_imm(Alu::Lsh, R3, 8);
        self.asm.alu(Alu::Add, R3, R2);
        self.asm.map_value(R2, self.env.rodata_map, table);
        self.asm.alu(Alu::Add, R2, R3);
        self.asm.ldx(Size::B, R3, R2, 0);
        // For the verifier: the table holds nothing else.
        self.asm.alu_imm(Alu::And, R3, rows as i32 - 1);
        self.asm.alu_imm(Alu::Rsh, R0, 8);
    }

    /// `R0` = the place of the last byte among the first `R5` of the cell at `R4` that matches; goes to `none` if there
    /// is none. Clobbers `R0` to `R5`.
    ///
    /// Word by word from the end, by a mask that has the high bit of each byte that matches. The verifier sees the place
    /// shrink, which bounds the loop.
    pub(super) fn last_byte(&mut self, what: Match, none: Label) {
        let place = self.env.scratch.temps as i32;
        let (again, found) = (self.asm.label(), self.asm.label());
        self.asm.jmp_imm(Jmp::Eq, R5, 0, none);
        self.asm.mov(R1, R5);
        self.asm.alu_imm(Alu::Sub, R1, 1);
        self.asm.alu_imm(Alu::And, R1, -8);
        self.asm.clamp(R1, self.env.strsize());
        // R5 = which bytes of the last word belong to the string.
        self.asm.mov_imm(R2, 8);
        self.asm.alu(Alu::Add, R2, R1);
        self.asm.alu(Alu::Sub, R2, R5);
        self.asm.alu_imm(Alu::Lsh, R2, 3);
        self.asm.mov_imm(R5, -1);
        self.asm.alu(Alu::Rsh, R5, R2);
        self.asm.bind(again);
        self.asm.mov(R2, R4);
        self.asm.alu(Alu::Add, R2, R1);
        self.asm.ldx(Size::D, R0, R2, 8);
        self.asm.mov_imm(R2, 0x2f2f_2f2f_2f2f_2f2f);
        self.asm.alu(Alu::Xor, R0, R2);
        // The high bit of a byte of R3 becomes 1 if the byte of R0 is not 0: by a carry, or if it is set there.
        self.asm.mov_imm(R2, 0x7f7f_7f7f_7f7f_7f7f);
        self.asm.mov(R3, R0);
        self.asm.alu(Alu::And, R3, R2);
        self.asm.alu(Alu::Add, R3, R2);
        self.asm.alu(Alu::Or, R3, R0);
        match what {
            Match::Slash => {
                self.asm.alu(Alu::Or, R3, R2);
                self.asm.alu_imm(Alu::Xor, R3, -1);
            }
            Match::Other => {
                self.asm.alu_imm(Alu::Xor, R2, -1);
                self.asm.alu(Alu::And, R3, R2);
            }
        }
        self.asm.alu(Alu::And, R3, R5);
        self.asm.jmp_imm(Jmp::Ne, R3, 0, found);
        self.asm.mov_imm(R5, -1);
        self.asm.alu_imm(Alu::Sub, R1, 8);
        self.asm.jmp_imm(Jmp::Sge, R1, 0, again);
        self.asm.ja(none);
        self.asm.bind(found);
        self.asm.stx(Size::D, R7, place, R1);
        self.asm.ldx(Size::D, R0, R7, place);
        for bytes in [4, 2, 1] {
            let low = self.asm.label();
            self.asm.mov(R1, R3);
            self.asm.alu_imm(Alu::Rsh, R1, 8 * bytes);
            self.asm.jmp_imm(Jmp::Eq, R1, 0, low);
            self.asm.mov(R3, R1);
            self.asm.alu_imm(Alu::Add, R0, bytes);
            self.asm.bind(low);
        }
    }
}

/// What [`Gen::last_byte`] looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Match {
    Slash,
    Other,
}

/// A matching automaton: a state is how much of the needle the text ends with; the last one is never left.
struct Automaton {
    /// The next state by state and byte.
    table: Vec<u8>,
    /// Rows of the table: a power of two, for the verifier.
    rows: u32,
}

impl Automaton {
    fn new(needle: &[u8]) -> Automaton {
        let rows = (needle.len() + 1).next_power_of_two();
        let mut table = vec![0u8; rows * 256];
        // The state that all but the first byte of what is matched so far leads to.
        let mut fallback = 0usize;
        for (state, &byte) in needle.iter().enumerate() {
            if state > 0 {
                table.copy_within(fallback * 256..(fallback + 1) * 256, state * 256);
                fallback = usize::from(table[fallback * 256 + usize::from(byte)]);
            }
            table[state * 256 + usize::from(byte)] = state as u8 + 1;
        }
        table[needle.len() * 256..(needle.len() + 1) * 256].fill(needle.len() as u8);
        Automaton { table, rows: rows as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(needle: &[u8], text: &[u8]) -> Option<usize> {
        let Automaton { table, rows } = Automaton::new(needle);
        assert_eq!(table.len(), rows as usize * 256);
        let mut state = 0usize;
        for (i, &byte) in text.iter().enumerate() {
            state = usize::from(table[state * 256 + usize::from(byte)]);
            if state == needle.len() {
                return Some(i + 1 - needle.len());
            }
        }
        None
    }

    #[test]
    fn automata_find_first_occurrences() {
        for (needle, text) in [
            ("a", "bba"),
            ("ab", "aab"),
            ("abab", "abaabab"),
            ("aaa", "aabaaa"),
            ("abcabd", "abcabcabd"),
            ("x", ""),
            ("abc", "ab"),
            ("aabaaab", "aabaabaaab"),
        ] {
            assert_eq!(find(needle.as_bytes(), text.as_bytes()), text.find(needle), "{needle} in {text}");
        }
    }
}
