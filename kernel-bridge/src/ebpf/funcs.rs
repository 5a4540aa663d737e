//! Subroutines: one arm a row of [`dtrail_lang::builtins::funcs`], bounded by `strsize`.
//!
//! Results that depend on a scan leave the loop through memory: the verifier would else follow each length on its own.

use dtrail_lang::builtins::Func;
use dtrail_lang::ir::{AddrSpace, Reg};

use super::alloc::StrHome;
use super::asm::{Alu, FP, Jmp, Label, R0, R1, R2, R3, R4, R5, R7, Size};
use super::clause::Gen;
use super::emit::EmitError;
use super::memory::Limit;
use super::strings::{constant, pad};
use super::{fault, helper};

/// The subroutines that the emitter knows.
#[cfg(test)]
const EMITTED: &[Func] = &[
    Func::Copyin,
    Func::Copyinstr,
    Func::Strlen,
    Func::Strjoin,
    Func::Strstr,
    Func::Index,
    Func::Substr,
    Func::Basename,
    Func::Dirname,
    Func::StrSuffix,
    Func::StrByte,
];

impl Gen<'_> {
    pub(super) fn call(&mut self, dst: Reg, func: Func, args: &[Reg]) -> Result<(), EmitError> {
        match (func, args) {
            (Func::Copyin, &[addr, size]) => self.copyin(dst, addr, size),
            (Func::Copyinstr, &[addr]) => {
                let limit = self.env.strsize().saturating_sub(1);
                self.read_string(dst, addr, Limit::Const(limit), AddrSpace::User)
            }
            (Func::Copyinstr, &[addr, max]) => self.copyinstr(dst, addr, max),
            (Func::Strlen, &[text]) => self.strlen(dst, text),
            (Func::Strjoin, &[a, b]) => self.strjoin(dst, a, b),
            (Func::Strstr, &[text, needle]) => self.strstr(dst, text, needle),
            (Func::Index, &[text, needle]) => self.index(dst, text, needle, None),
            (Func::Index, &[text, needle, start]) => self.index(dst, text, needle, Some(start)),
            (Func::Substr, &[text, start]) => self.substr(dst, text, start, None),
            (Func::Substr, &[text, start, count]) => self.substr(dst, text, start, Some(count)),
            (Func::Basename, &[path]) => self.component(dst, path, true),
            (Func::Dirname, &[path]) => self.component(dst, path, false),
            (Func::StrSuffix, &[text, from]) => self.suffix(dst, text, from),
            (Func::StrByte, &[text, at, computed]) => self.byte(dst, text, at, computed),
            _ => Err(self.inconsistent("a subroutine has the wrong number of arguments")),
        }
    }

    fn copyinstr(&mut self, dst: Reg, addr: Reg, max: Reg) -> Result<(), EmitError> {
        let word = self.stack(8)?;
        let some = self.asm.label();
        self.load(max, R0);
        self.asm.jmp_imm(Jmp::Ne, R0, 0, some);
        let at = self.fault(fault::BADADDR, None)?;
        self.load(addr, R1);
        self.asm.ja(at);
        self.asm.bind(some);
        self.asm.clamp(R0, self.env.strsize());
        self.asm.alu_imm(Alu::Sub, R0, 1);
        self.asm.stx(Size::D, FP, word, R0);
        self.read_string(dst, addr, Limit::Word(word), AddrSpace::User)
    }

    /// Prepares a string argument: `R4` = the address of its cell. `false`: it is NULL, and the clause ends there.
    fn text_argument(&mut self, text: Reg) -> Result<bool, EmitError> {
        if !self.not_null(text)? {
            return Ok(false);
        }
        let home = self.str_home(text);
        self.prepare(home);
        self.cell_address(R4, home);
        Ok(true)
    }

    /// `R0` = the length of the cell at `R4`, at most `strsize`.
    fn length(&mut self) {
        self.asm.ldx(Size::D, R0, R4, 0);
        self.asm.alu_imm(Alu::Sub, R0, 1);
        self.asm.clamp(R0, self.env.strsize());
    }

    fn strlen(&mut self, dst: Reg, text: Reg) -> Result<(), EmitError> {
        if self.text_argument(text)? {
            self.length();
            self.define(dst, R0);
        }
        Ok(())
    }

    /// The buffer at `to` = `R2` bytes from `R3`; the count is at most `strsize`. Clobbers `R0` to `R5`.
    fn fill(&mut self, to: u32) {
        self.asm.mov(R0, R2);
        self.asm.alu_imm(Alu::Add, R0, 1);
        self.asm.stx(Size::D, R7, to as i16, R0);
        self.scratch_address(R1, to + 8);
        self.asm.call(helper::PROBE_READ_KERNEL);
        self.asm.ldx(Size::D, R0, R7, to as i16);
        self.asm.alu_imm(Alu::Sub, R0, 1);
        pad(&mut self.asm, self.env, to);
    }

    fn strjoin(&mut self, dst: Reg, a: Reg, b: Reg) -> Result<(), EmitError> {
        let to = self.buffer_of(dst)?;
        let strsize = self.env.strsize();
        if !self.not_null(a)? || !self.not_null(b)? {
            return Ok(());
        }
        let (first, second) = (self.str_home(a), self.str_home(b));
        self.prepare(first);
        self.cell_address(R3, first);
        self.scratch_address(R1, to);
        super::strings::copy_cell(&mut self.asm, self.env);
        self.prepare(second);
        self.cell_address(R3, second);
        // R4 = bytes so far, R2 = bytes to come: the second's, as far as there is room.
        self.asm.ldx(Size::D, R4, R7, to as i16);
        self.asm.alu_imm(Alu::Sub, R4, 1);
        self.asm.clamp(R4, strsize);
        self.asm.ldx(Size::D, R2, R3, 0);
        self.asm.alu_imm(Alu::Sub, R2, 1);
        self.asm.mov_imm(R0, i64::from(strsize));
        self.asm.alu(Alu::Sub, R0, R4);
        let fits = self.asm.label();
        self.asm.jmp(Jmp::Le, R2, R0, fits);
        self.asm.mov(R2, R0);
        self.asm.bind(fits);
        self.asm.clamp(R2, strsize);
        self.asm.mov(R0, R4);
        self.asm.alu(Alu::Add, R0, R2);
        self.asm.alu_imm(Alu::Add, R0, 1);
        self.asm.stx(Size::D, R7, to as i16, R0);
        self.scratch_address(R1, to + 8);
        self.asm.alu(Alu::Add, R1, R4);
        self.asm.alu_imm(Alu::Add, R3, 8);
        self.asm.call(helper::PROBE_READ_KERNEL);
        self.asm.ldx(Size::D, R0, R7, to as i16);
        self.asm.alu_imm(Alu::Sub, R0, 1);
        pad(&mut self.asm, self.env, to);
        Ok(())
    }

    fn substr(&mut self, dst: Reg, text: Reg, start: Reg, count: Option<Reg>) -> Result<(), EmitError> {
        let to = self.buffer_of(dst)?;
        let strsize = self.env.strsize();
        if !self.text_argument(text)? {
            return Ok(());
        }
        let (inside, empty, given, done) =
            (self.asm.label(), self.asm.label(), self.asm.label(), self.asm.label());
        // R0 = length, R1 = start, R2 = count.
        self.length();
        match count {
            Some(count) => self.load(count, R2),
            None => self.asm.mov_imm(R2, i64::from(strsize)),
        }
        self.load(start, R1);
        self.asm.jmp_imm(Jmp::Sge, R1, 0, inside);
        self.asm.alu(Alu::Add, R1, R0);
        self.asm.jmp_imm(Jmp::Sge, R1, 0, inside);
        // Before the beginning: what lies there is taken off the count.
        self.asm.mov(R3, R1);
        self.asm.neg(R3);
        self.asm.jmp(Jmp::Sle, R2, R3, empty);
        self.asm.alu(Alu::Add, R2, R1);
        self.asm.mov_imm(R1, 0);
        self.asm.bind(inside);
        self.asm.jmp(Jmp::Ge, R1, R0, empty);
        self.asm.alu(Alu::Sub, R0, R1);
        self.asm.jmp_imm(Jmp::Sge, R2, 0, given);
        self.asm.alu(Alu::Add, R2, R0);
        self.asm.jmp_imm(Jmp::Sle, R2, 0, empty);
        self.asm.bind(given);
        let short = self.asm.label();
        self.asm.jmp(Jmp::Le, R2, R0, short);
        self.asm.mov(R2, R0);
        self.asm.bind(short);
        self.asm.clamp(R2, strsize);
        self.asm.mov(R3, R4);
        self.asm.alu_imm(Alu::Add, R3, 8);
        self.asm.clamp(R1, strsize);
        self.asm.alu(Alu::Add, R3, R1);
        self.fill(to);
        self.asm.ja(done);
        self.asm.bind(empty);
        self.empty_string(to);
        self.asm.bind(done);
        Ok(())
    }

    fn empty_string(&mut self, to: u32) {
        self.asm.st_imm(Size::D, R7, to as i16, 1);
    }

    fn suffix(&mut self, dst: Reg, text: Reg, from: Reg) -> Result<(), EmitError> {
        let to = self.buffer_of(dst)?;
        if !self.text_argument(text)? {
            return Ok(());
        }
        self.length();
        self.load(from, R1);
        self.suffix_from(to);
        Ok(())
    }

    /// The buffer at `to` = the string at `R4` of length `R0`, from byte `R1` on.
    fn suffix_from(&mut self, to: u32) {
        let fits = self.asm.label();
        self.asm.jmp(Jmp::Le, R1, R0, fits);
        self.asm.mov(R1, R0);
        self.asm.bind(fits);
        self.asm.clamp(R1, self.env.strsize());
        self.asm.mov(R2, R0);
        self.asm.alu(Alu::Sub, R2, R1);
        self.asm.clamp(R2, self.env.strsize());
        self.asm.mov(R3, R4);
        self.asm.alu_imm(Alu::Add, R3, 8);
        self.asm.alu(Alu::Add, R3, R1);
        self.fill(to);
    }

    fn byte(&mut self, dst: Reg, text: Reg, at: Reg, computed: Reg) -> Result<(), EmitError> {
        if !self.text_argument(text)? {
            return Ok(());
        }
        let (none, done, checked) = (self.asm.label(), self.asm.label(), self.asm.label());
        self.length();
        self.load(at, R1);
        if self.constant(computed) != Some(0) {
            let bad = self.fault(fault::BADINDEX, None)?;
            if self.constant(computed).is_none() {
                let computed = self.operand(computed, R2);
                self.asm.jmp_imm(Jmp::Eq, computed, 0, checked);
            }
            self.asm.jmp_value(Jmp::Ge, R1, i64::from(self.env.strsize()), R2, bad);
            self.asm.bind(checked);
        } else {
            self.asm.bind(checked);
        }
        self.asm.jmp(Jmp::Ge, R1, R0, none);
        self.asm.clamp(R1, self.env.strsize());
        self.asm.alu(Alu::Add, R4, R1);
        self.asm.ldx(Size::B, R0, R4, 8);
        super::clause::extend_in_place(&mut self.asm, R0, 8, true);
        self.asm.ja(done);
        self.asm.bind(none);
        self.asm.mov_imm(R0, 0);
        self.asm.bind(done);
        self.define(dst, R0);
        Ok(())
    }

    // ---- searches ----

    /// The constant that is searched for.
    fn needle(&self, needle: Reg) -> Result<Vec<u8>, EmitError> {
        match self.str_home(needle) {
            StrHome::Const(id) => Ok(constant(self.env, id).to_vec()),
            _ => Err(self.inconsistent("a search in the kernel is for a string that is no constant")),
        }
    }

    fn strstr(&mut self, dst: Reg, text: Reg, needle: Reg) -> Result<(), EmitError> {
        let to = self.buffer_of(dst)?;
        let needle = self.needle(needle)?;
        if !self.text_argument(text)? {
            return Ok(());
        }
        let (missing, done) = (self.asm.label(), self.asm.label());
        self.search(&needle, None, missing);
        // The scan moved R4: it is set anew.
        self.asm.mov(R1, R0);
        let home = self.str_home(text);
        self.cell_address(R4, home);
        self.length();
        self.suffix_from(to);
        self.asm.ja(done);
        self.asm.bind(missing);
        self.asm.st_imm(Size::D, R7, to as i16, 0);
        self.asm.bind(done);
        Ok(())
    }

    fn index(&mut self, dst: Reg, text: Reg, needle: Reg, start: Option<Reg>) -> Result<(), EmitError> {
        let needle = self.needle(needle)?;
        if !self.text_argument(text)? {
            return Ok(());
        }
        let (missing, done) = (self.asm.label(), self.asm.label());
        self.search(&needle, start, missing);
        self.asm.ja(done);
        self.asm.bind(missing);
        self.asm.mov_imm(R0, -1);
        self.asm.bind(done);
        self.define(dst, R0);
        Ok(())
    }

    /// `R0` = where the needle first occurs in the cell at `R4`, at or after `start`; goes to `missing` if nowhere.
    /// Clobbers `R0` to `R5`.
    ///
    /// Words are fed to the automaton byte by byte, without a branch; it stays where it has matched, and the byte where
    /// it did is found by feeding the word once more. What follows the string in its last word is NULs, which match
    /// nothing; what precedes `start` is made so.
    fn search(&mut self, needle: &[u8], start: Option<Reg>, missing: Label) {
        let temps = self.env.scratch.temps as i16;
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

    // ---- paths ----

    /// `basename` (`last`) or `dirname`.
    fn component(&mut self, dst: Reg, path: Reg, last: bool) -> Result<(), EmitError> {
        let to = self.buffer_of(dst)?;
        if !self.text_argument(path)? {
            return Ok(());
        }
        let home = self.str_home(path);
        let (bare, root, dot, copy, done) =
            (self.asm.label(), self.asm.label(), self.asm.label(), self.asm.label(), self.asm.label());
        // The last byte of the last component, then the slash before that.
        self.length();
        self.asm.mov(R5, R0);
        self.last_byte(Match::Other, bare);
        let end = self.key_word()?;
        self.asm.stx(Size::D, FP, end, R0);
        self.asm.mov(R5, R0);
        self.cell_address(R4, home);
        if last {
            // R1 = where it begins, R2 = its length.
            let first = self.asm.label();
            self.asm.mov_imm(R1, 0);
            self.last_byte(Match::Slash, first);
            self.asm.mov(R1, R0);
            self.asm.alu_imm(Alu::Add, R1, 1);
            self.asm.ja(copy);
            self.asm.bind(first);
            self.asm.mov_imm(R1, 0);
            self.asm.bind(copy);
            self.asm.clamp(R1, self.env.strsize());
            self.asm.ldx(Size::D, R2, FP, end);
            self.asm.alu(Alu::Sub, R2, R1);
        } else {
            // What is before that slash and no slash is the end of the directory.
            self.last_byte(Match::Slash, dot);
            self.asm.mov(R5, R0);
            self.cell_address(R4, home);
            self.last_byte(Match::Other, root);
            self.asm.mov(R2, R0);
            self.asm.mov_imm(R1, 0);
            self.asm.bind(copy);
        }
        self.asm.alu_imm(Alu::Add, R2, 1);
        self.asm.clamp(R2, self.env.strsize());
        self.cell_address(R3, home);
        self.asm.alu_imm(Alu::Add, R3, 8);
        self.asm.alu(Alu::Add, R3, R1);
        self.fill(to);
        self.asm.ja(done);
        // No component at all: the root if there is a slash.
        self.asm.bind(bare);
        self.cell_address(R4, home);
        self.length();
        self.asm.jmp_imm(Jmp::Eq, R0, 0, dot);
        self.asm.bind(root);
        self.one_byte(to, b'/');
        self.asm.ja(done);
        self.asm.bind(dot);
        self.one_byte(to, b'.');
        self.asm.bind(done);
        Ok(())
    }

    /// `R0` = the place of the last byte among the first `R5` of the cell at `R4` that matches; goes to `none` if there
    /// is none. Clobbers `R0` to `R5`.
    ///
    /// Word by word from the end, by a mask that has the high bit of each byte that matches. The verifier sees the place
    /// shrink, which bounds the loop.
    fn last_byte(&mut self, what: Match, none: Label) {
        let place = self.env.scratch.temps as i16;
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

    fn one_byte(&mut self, to: u32, byte: u8) {
        self.asm.st_imm(Size::D, R7, to as i16, 2);
        self.asm.st_imm(Size::D, R7, to as i16 + 8, i32::from(byte));
    }
}

/// What [`Gen::last_byte`] looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Match {
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

    #[test]
    fn every_subroutine_of_the_kernel_is_emitted() {
        use dtrail_lang::builtins::funcs::FuncRow;
        let in_kernel = |row: &&FuncRow| row.kernel != dtrail_lang::builtins::Kernel::No;
        let rows: Vec<Func> = Func::ROWS.iter().filter(in_kernel).map(|row| row.id).collect();
        assert_eq!(EMITTED, rows);
    }
}
