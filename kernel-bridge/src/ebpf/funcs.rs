//! Subroutines: one arm a row of [`dtrail_lang::builtins::funcs`], bounded by `strsize`.
//!
//! Results that depend on a scan leave the loop through memory: the verifier would else follow each length on its own.

use dtrail_lang::builtins::Func;
use dtrail_lang::ir::{AddrSpace, Reg};
use dtrail_vm::speculation::words::Verdict;

use super::alloc::StrHome;
use super::asm::{Alu, FP, Jmp, R0, R1, R2, R3, R4, R5, R7, Size};
use super::clause::Gen;
use super::emit::EmitError;
use super::ints::extend_in_place;
use super::memory::Limit;
use super::scan::Match;
use super::strings::{constant, pad};
use super::{fault, helper, stacks};

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
    Func::Htons,
    Func::Htonl,
    Func::Htonll,
    Func::Ntohs,
    Func::Ntohl,
    Func::Ntohll,
    Func::Getmajor,
    Func::Getminor,
    Func::Alloca,
    Func::Copyout,
    Func::Copyoutstr,
    Func::Progenyof,
    Func::Speculation,
    Func::Signal,
    Func::Block,
    Func::Path,
    Func::Scratch,
    Func::Size,
    Func::Fill,
    Func::StrSuffix,
    Func::StrByte,
    Func::StrWord,
    Func::ArrayIndex,
    Func::SpecNumber,
    Func::SpecTurn,
    Func::SpecCommit,
    Func::SpecDiscard,
    Func::Stack,
    Func::Ustack,
    Func::Uaddr,
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
            (Func::Htons | Func::Ntohs, &[value]) => self.network_order(dst, value, 16),
            (Func::Htonl | Func::Ntohl, &[value]) => self.network_order(dst, value, 32),
            (Func::Htonll | Func::Ntohll, &[value]) => self.network_order(dst, value, 64),
            (Func::Getmajor, &[device]) => self.device_part(dst, device, true),
            (Func::Getminor, &[device]) => self.device_part(dst, device, false),
            (Func::Progenyof, &[pid]) => self.progenyof(dst, pid),
            (Func::Alloca, &[size]) => self.alloca(dst, size),
            (Func::Scratch, &[addr, size]) => self.scratch_block(dst, addr, size),
            (Func::Fill, &[from, addr, size]) => self.fill_memory(dst, from, addr, size),
            (Func::Copyout, &[block, addr, size]) => self.copyout(dst, block, addr, size),
            (Func::Copyoutstr, &[text, addr, size]) => self.copyoutstr(dst, text, addr, size),
            (Func::Signal, &[signal]) => self.signal(dst, signal),
            (Func::Block, &[addr, size, user]) => self.load_block(dst, addr, size, user),
            (Func::Size, &[size]) => self.scratch_size(dst, size),
            (Func::Path, &[addr, root, places]) => self.path(dst, addr, root, places),
            (Func::StrSuffix, &[text, from]) => self.suffix(dst, text, from),
            (Func::Stack, &[frames]) => self.stack_number(dst, stacks::Side::Kernel, frames, None),
            (Func::Ustack, &[frames, strsize]) => {
                self.stack_number(dst, stacks::Side::User, frames, Some(strsize))
            }
            (Func::Uaddr, &[addr]) => self.process_address(dst, addr),
            (Func::StrByte, &[text, at, computed]) => self.byte(dst, text, at, computed),
            (Func::StrWord, &[text, at]) => self.word(dst, text, at),
            (Func::Speculation, &[]) => self.speculation(dst),
            (Func::SpecNumber, &[number]) => self.speculation_number(dst, number),
            (Func::SpecTurn, &[number]) => self.speculation_turn(dst, number),
            (Func::SpecCommit, &[number]) => self.end_turn(dst, number, Verdict::Committed),
            (Func::SpecDiscard, &[number]) => self.end_turn(dst, number, Verdict::Discarded),
            (Func::ArrayIndex, &[index, length]) => self.array_index(dst, index, length),
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
    pub(super) fn text_argument(&mut self, text: Reg) -> Result<bool, EmitError> {
        if !self.not_null(text)? {
            return Ok(false);
        }
        let home = self.str_home(text);
        self.prepare(home);
        self.cell_address(R4, home);
        Ok(true)
    }

    /// `R0` = the length of the cell at `R4`, at most `strsize`.
    pub(super) fn length(&mut self) {
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
        self.asm.stx(Size::D, R7, to as i32, R0);
        self.scratch_address(R1, to + 8);
        self.asm.call(helper::PROBE_READ_KERNEL);
        self.asm.ldx(Size::D, R0, R7, to as i32);
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
        self.asm.ldx(Size::D, R4, R7, to as i32);
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
        self.asm.stx(Size::D, R7, to as i32, R0);
        self.scratch_address(R1, to + 8);
        self.asm.alu(Alu::Add, R1, R4);
        self.asm.alu_imm(Alu::Add, R3, 8);
        self.asm.call(helper::PROBE_READ_KERNEL);
        self.asm.ldx(Size::D, R0, R7, to as i32);
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
        self.asm.st_imm(Size::D, R7, to as i32, 1);
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
        extend_in_place(&mut self.asm, R0, 8, true);
        self.asm.ja(done);
        self.asm.bind(none);
        self.asm.mov_imm(R0, 0);
        self.asm.bind(done);
        self.define(dst, R0);
        Ok(())
    }

    /// Bytes of the cell lie in whole words, zeros behind them, so a place between two words takes some of each.
    fn word(&mut self, dst: Reg, text: Reg, at: Reg) -> Result<(), EmitError> {
        let at = self.constant(at).and_then(|at| u32::try_from(at).ok());
        let at = at.ok_or_else(|| self.inconsistent("a place in a string is no constant in the kernel"))?;
        let home = self.str_home(text);
        self.prepare(home);
        self.cell_address(R4, home);
        self.asm.ldx(Size::D, R1, R4, 0);
        let below = at % 8 * 8;
        let done = self.asm.label();
        self.asm.mov_imm(R0, 0);
        for (word, shift) in [(at / 8, Alu::Rsh), (at / 8 + 1, Alu::Lsh)] {
            let by = if shift == Alu::Rsh { below } else { 64 - below };
            if word * 8 >= self.env.strsize() || by == 64 {
                continue;
            }
            // The length and one more; of NULL 0.
            self.asm.jmp_imm(Jmp::Le, R1, (word * 8 + 1) as i32, done);
            self.asm.ldx(Size::D, R2, R4, (8 + word * 8) as i32);
            if by > 0 {
                self.asm.alu_imm(shift, R2, by as i32);
            }
            self.asm.alu(Alu::Or, R0, R2);
        }
        self.asm.bind(done);
        self.define(dst, R0);
        Ok(())
    }

    fn array_index(&mut self, dst: Reg, index: Reg, length: Reg) -> Result<(), EmitError> {
        let bad = self.fault(fault::BADINDEX, None)?;
        self.load(index, R1);
        match self.constant(length) {
            Some(length) => self.asm.jmp_value(Jmp::Ge, R1, length, R2, bad),
            None => {
                self.load(length, R2);
                self.asm.jmp(Jmp::Ge, R1, R2, bad);
            }
        }
        self.define(dst, R1);
        Ok(())
    }

    /// `dst` = the number of a speculation that there is, or of none; another one faults.
    fn speculation_number(&mut self, dst: Reg, number: Reg) -> Result<(), EmitError> {
        let bad = self.fault(fault::ILLOP, Some(-1))?;
        self.load(number, R1);
        self.asm.jmp_value(Jmp::Gt, R1, i64::from(self.env.target.speculations), R2, bad);
        self.define(dst, R1);
        Ok(())
    }

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
        self.asm.st_imm(Size::D, R7, to as i32, 0);
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

    fn one_byte(&mut self, to: u32, byte: u8) {
        self.asm.st_imm(Size::D, R7, to as i32, 2);
        self.asm.st_imm(Size::D, R7, to as i32 + 8, i32::from(byte));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subroutine_of_the_kernel_is_emitted() {
        use dtrail_lang::builtins::funcs::FuncRow;
        let in_kernel = |row: &&FuncRow| row.kernel != dtrail_lang::builtins::Kernel::No;
        let rows: Vec<Func> = Func::ROWS.iter().filter(in_kernel).map(|row| row.id).collect();
        assert_eq!(EMITTED, rows);
    }
}
