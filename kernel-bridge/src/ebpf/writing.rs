//! Writing to the traced process (`copyout`), and the scratch memory that what is written is made in: such clauses have
//! it in the kernel, since a process is written to at the event.
//!
//! Sizes are constants but for `copyoutstr`'s. What cannot be written faults with the address, whatever part of it was
//! written before.

use dtrail_lang::ir::Reg;
use dtrail_lang::ir::inst::SCRATCH_BASE;

use super::asm::{Alu, FP, Jmp, R0, R1, R2, R3, R4, R7, Size};
use super::clause::Gen;
use super::emit::EmitError;
use super::{fault, helper};

impl Gen<'_> {
    /// The constant size of an op on memory.
    fn constant_size(&self, size: Reg) -> Result<u32, EmitError> {
        let size = self.constant(size).and_then(|size| u32::try_from(size).ok());
        size.ok_or_else(|| self.inconsistent("memory is written in a size that is not known"))
    }

    /// Writes `R3` bytes, more than none, from `R2` on to the process's memory at an address, or faults.
    fn write_out(&mut self, addr: Reg) -> Result<(), EmitError> {
        let done = self.asm.label();
        self.load(addr, R1);
        self.asm.call(helper::PROBE_WRITE_USER);
        self.asm.jmp_imm(Jmp::Eq, R0, 0, done);
        self.bad_address(addr)?;
        self.asm.bind(done);
        Ok(())
    }

    /// A block to the process's memory.
    pub(super) fn copyout(&mut self, dst: Reg, block: Reg, addr: Reg, size: Reg) -> Result<(), EmitError> {
        let bytes = self.constant_size(size)?;
        if bytes > 0 {
            let from = self.buffer_of(block)?;
            self.scratch_address(R2, from + 8);
            self.asm.mov_imm(R3, i64::from(bytes));
            self.write_out(addr)?;
        }
        self.zero(dst);
        Ok(())
    }

    /// A string and its NUL to the process's memory, at most so many bytes. They are written one after the other: what
    /// follows a string in its cell need not be zero.
    pub(super) fn copyoutstr(&mut self, dst: Reg, text: Reg, addr: Reg, size: Reg) -> Result<(), EmitError> {
        if !self.text_argument(text)? {
            return Ok(());
        }
        let length = self.stack(8)?;
        let nul = self.key_word()?;
        let (cut, whole, ended) = (self.asm.label(), self.asm.label(), self.asm.label());
        self.length();
        self.asm.stx(Size::D, FP, length, R0);
        self.load(size, R3);
        self.asm.jmp(Jmp::Le, R3, R0, cut);
        self.asm.mov(R3, R0);
        self.asm.bind(cut);
        self.asm.clamp(R3, self.env.strsize());
        self.asm.jmp_imm(Jmp::Lt, R3, 1, whole);
        self.asm.mov(R2, R4);
        self.asm.alu_imm(Alu::Add, R2, 8);
        self.write_out(addr)?;
        self.asm.bind(whole);
        self.asm.ldx(Size::D, R0, FP, length);
        self.load(size, R3);
        self.asm.jmp(Jmp::Le, R3, R0, ended);
        self.asm.st_imm(Size::D, FP, nul, 0);
        self.load(addr, R1);
        self.asm.alu(Alu::Add, R1, R0);
        self.asm.mov(R2, FP);
        self.asm.alu_imm(Alu::Add, R2, nul);
        self.asm.mov_imm(R3, 1);
        self.asm.call(helper::PROBE_WRITE_USER);
        self.asm.jmp_imm(Jmp::Eq, R0, 0, ended);
        self.bad_address(addr)?;
        self.asm.bind(ended);
        self.zero(dst);
        Ok(())
    }

    fn zero(&mut self, dst: Reg) {
        self.asm.mov_imm(R0, 0);
        self.define(dst, R0);
    }

    /// `dst` = the address of a new block of zeros.
    pub(super) fn alloca(&mut self, dst: Reg, size: Reg) -> Result<(), EmitError> {
        let bytes = self.constant_size(size)?;
        let used = self.memory_used()?;
        let full = self.fault(fault::NOSCRATCH, Some(-1))?;
        let room = self.memory_size();
        if bytes > self.env.plan.program.limits.scratchsize {
            self.asm.ja(full);
            return Ok(());
        }
        let rounded = bytes.next_multiple_of(8);
        let word = self.key_word()?;
        self.asm.ldx(Size::D, R4, FP, used);
        self.asm.jmp_imm(Jmp::Gt, R4, (room - rounded) as i32, full);
        self.asm.stx(Size::D, FP, word, R4);
        self.asm.mov(R0, R4);
        self.asm.alu_imm(Alu::Add, R0, rounded as i32);
        self.asm.stx(Size::D, FP, used, R0);
        if rounded > 0 {
            self.scratch_address(R1, self.env.scratch.memory);
            self.asm.alu(Alu::Add, R1, R4);
            self.clear(rounded);
        }
        self.asm.ldx(Size::D, R1, FP, word);
        self.asm.mov_imm(R0, SCRATCH_BASE as i64);
        self.asm.alu(Alu::Add, R0, R1);
        self.define(dst, R0);
        Ok(())
    }

    /// Zeroes so many bytes at `R1`: what the kernel cannot read it gives as zeros, and at address 0 it has nothing.
    fn clear(&mut self, bytes: u32) {
        self.asm.mov_imm(R2, i64::from(bytes));
        self.asm.mov_imm(R3, 0);
        self.asm.call(helper::PROBE_READ_KERNEL);
    }

    /// `dst` = so many bytes of scratch memory.
    pub(super) fn scratch_block(&mut self, dst: Reg, addr: Reg, size: Reg) -> Result<(), EmitError> {
        let bytes = self.constant_size(size)?;
        let to = self.buffer_of(dst)?;
        if bytes > self.memory_size() {
            return self.bad_address(addr);
        }
        if bytes > 0 {
            self.scratch_place(addr, bytes)?;
            self.asm.mov(R3, R2);
            self.asm.alu_imm(Alu::Add, R3, self.env.scratch.memory as i32);
            self.scratch_address(R1, to + 8);
            self.asm.mov_imm(R2, i64::from(bytes));
            self.asm.call(helper::PROBE_READ_KERNEL);
        }
        self.asm.st_imm(Size::D, R7, to as i32, bytes as i32 + 1);
        Ok(())
    }

    /// The bytes of a block or string, and zeros after its end, to scratch memory.
    pub(super) fn fill_memory(&mut self, dst: Reg, from: Reg, addr: Reg, size: Reg) -> Result<(), EmitError> {
        let bytes = self.constant_size(size)?;
        if !self.not_null(from)? {
            return Ok(());
        }
        if bytes > self.memory_size() {
            return self.bad_address(addr);
        }
        if bytes > 0 {
            self.scratch_place(addr, bytes)?;
            let place = self.stack(8)?;
            self.asm.alu_imm(Alu::Add, R2, self.env.scratch.memory as i32);
            self.asm.stx(Size::D, FP, place, R2);
            self.asm.mov(R1, R2);
            self.clear(bytes);
            let home = self.str_home(from);
            self.prepare(home);
            self.cell_address(R3, home);
            self.asm.ldx(Size::D, R2, R3, 0);
            self.asm.alu_imm(Alu::Sub, R2, 1);
            self.asm.clamp(R2, bytes);
            self.asm.alu_imm(Alu::Add, R3, 8);
            self.asm.ldx(Size::D, R1, FP, place);
            self.asm.call(helper::PROBE_READ_KERNEL);
        }
        self.zero(dst);
        Ok(())
    }
}
