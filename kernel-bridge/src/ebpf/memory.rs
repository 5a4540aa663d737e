//! Memory: loads from the kernel and the traced process, strings from there, and `copyin` memory in scratch.
//!
//! `copyin` memory appears at [`SCRATCH_BASE`] and lies in the program's scratch; how much of it the clause has allocated
//! is a word of its frame. Every access is checked against that word, so a wrong address faults and never reaches another
//! clause's bytes.

use dtrail_lang::ir::inst::{SCRATCH_BASE, USER_END};
use dtrail_lang::ir::{AddrSpace, BlockId, MemSize, Reg};

use super::asm::{Alu, FP, Jmp, Label, Mreg, R0, R1, R2, R3, R4, R7, Size};
use super::clause::Gen;
use super::emit::EmitError;
use super::ints::extend_in_place;
use super::strings::pad;
use super::{fault, helper, inject};

/// Bytes of the smallest pages: what is readable up to here may be unreadable after.
const PAGE: u32 = 4096;

/// The state of a clause's `copyin` memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// The word of the frame that holds the bytes allocated so far.
    used: Option<i32>,
    /// What `used` was before an attempt, to be put back at its merge block.
    kept: Vec<(BlockId, i32)>,
}

/// How many bytes a string may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    /// This many.
    Const(u32),
    /// As many as this word of the frame says, at most `strsize`.
    Word(i32),
}

fn size_of(size: MemSize) -> Size {
    match size {
        MemSize::B1 => Size::B,
        MemSize::B2 => Size::H,
        MemSize::B4 => Size::W,
        MemSize::B8 => Size::D,
    }
}

impl Gen<'_> {
    /// Begins a clause with no memory allocated.
    pub(super) fn start_memory(&mut self) -> Result<(), EmitError> {
        if self.facts.memory {
            let off = self.stack(8)?;
            self.asm.st_imm(Size::D, FP, off, 0);
            self.memory.used = Some(off);
        }
        Ok(())
    }

    /// At an attempt: what it allocates is free again at `merge`.
    pub(super) fn keep_memory(&mut self, merge: BlockId) -> Result<(), EmitError> {
        if let Some(used) = self.memory.used {
            let off = self.stack(8)?;
            self.asm.ldx(Size::D, R0, FP, used);
            self.asm.stx(Size::D, FP, off, R0);
            self.memory.kept.push((merge, off));
        }
        Ok(())
    }

    /// At the start of a block that may be an attempt's merge.
    pub(super) fn restore_memory(&mut self, block: BlockId) {
        let Some(used) = self.memory.used else { return };
        if let Some(&(_, off)) = self.memory.kept.iter().find(|(merge, _)| *merge == block) {
            self.asm.ldx(Size::D, R0, FP, off);
            self.asm.stx(Size::D, FP, used, R0);
        }
    }

    pub(super) fn memory_used(&self) -> Result<i32, EmitError> {
        self.memory.used.ok_or_else(|| self.inconsistent("scratch memory is used but was not announced"))
    }

    pub(super) fn memory_size(&self) -> u32 {
        self.env.plan.program.limits.scratchsize.next_multiple_of(8)
    }

    /// Faults with `BADADDR` at the address in a register.
    pub(super) fn bad_address(&mut self, addr: Reg) -> Result<(), EmitError> {
        let at = self.fault(fault::BADADDR, None)?;
        self.load(addr, R1);
        self.asm.ja(at);
        Ok(())
    }

    // ---- integers ----

    pub(super) fn load_memory(
        &mut self,
        dst: Reg,
        addr: Reg,
        size: MemSize,
        signed: bool,
        space: AddrSpace,
    ) -> Result<(), EmitError> {
        if space == AddrSpace::Scratch {
            self.scratch_place(addr, size.bytes())?;
            self.asm.ldx(size_of(size), R0, R2, self.env.scratch.memory as i32);
        } else {
            let word = self.key_word()?;
            self.read_at(addr, space, |emit, helper| emit.read_word(word, size, helper))?;
            self.asm.ldx(size_of(size), R0, FP, word);
        }
        if signed {
            extend_in_place(&mut self.asm, R0, (size.bytes() * 8) as u8, true);
        }
        self.define(dst, R0);
        Ok(())
    }

    /// Reads at an address by the helper for its side, which `read` calls with the address in `R3`; faults if it cannot.
    fn read_at(
        &mut self,
        addr: Reg,
        space: AddrSpace,
        read: impl Fn(&mut Self, i32),
    ) -> Result<(), EmitError> {
        let (kernel, check, done) = (self.asm.label(), self.asm.label(), self.asm.label());
        self.load(addr, R3);
        self.by_address(space, kernel);
        read(self, helper::PROBE_READ_USER);
        if space == AddrSpace::ByAddress {
            self.asm.ja(check);
            self.asm.bind(kernel);
            self.stand_in();
            let read_kernel = self.kernel_reader(helper::PROBE_READ_KERNEL);
            read(self, read_kernel);
        } else {
            self.asm.bind(kernel);
        }
        self.asm.bind(check);
        self.asm.jmp_imm(Jmp::Eq, R0, 0, done);
        self.bad_address(addr)?;
        self.asm.bind(done);
        Ok(())
    }

    /// The helper that reads kernel memory, given the one that does in the kernel's own.
    fn kernel_reader(&self, helper: i32) -> i32 {
        match helper {
            helper::PROBE_READ_KERNEL if self.env.target.stands_in => helper::PROBE_READ_USER,
            helper::PROBE_READ_KERNEL_STR if self.env.target.stands_in => helper::PROBE_READ_USER_STR,
            own => own,
        }
    }

    /// `R3` = where what lies at this kernel address is to be read; clobbers `R0`.
    fn stand_in(&mut self) {
        if !self.env.target.stands_in {
            return;
        }
        let (kernel, done) = (self.asm.label(), self.asm.label());
        self.asm.mov(R0, R3);
        self.asm.alu_imm(Alu::Arsh, R0, 47);
        self.asm.alu_imm(Alu::Add, R0, 1);
        self.asm.jmp_imm(Jmp::Eq, R0, 0, kernel);
        // What is neither the kernel's nor a process's is nowhere.
        self.asm.mov_imm(R3, 0);
        self.asm.ja(done);
        self.asm.bind(kernel);
        self.asm.mov_imm(R0, inject::LOW as i64);
        self.asm.alu(Alu::And, R3, R0);
        self.asm.mov_imm(R0, inject::STAND_IN as i64);
        self.asm.alu(Alu::Or, R3, R0);
        self.asm.bind(done);
    }

    /// Reads the kernel's memory at the address in `R3`, as the helper does.
    pub(super) fn read_kernel(&mut self, helper: i32) {
        self.stand_in();
        let reader = self.kernel_reader(helper);
        self.asm.call(reader);
    }

    /// Goes to `kernel` if the address in `R3` is to be read there; clobbers `R0`.
    fn by_address(&mut self, space: AddrSpace, kernel: Label) {
        if space == AddrSpace::ByAddress {
            self.asm.mov_imm(R0, USER_END as i64);
            self.asm.jmp(Jmp::Ge, R3, R0, kernel);
        }
    }

    /// Reads from `R3` into a word of the frame.
    fn read_word(&mut self, word: i32, size: MemSize, helper: i32) {
        self.asm.mov(R1, FP);
        self.asm.alu_imm(Alu::Add, R1, word);
        self.asm.mov_imm(R2, i64::from(size.bytes()));
        self.asm.call(helper);
    }

    pub(super) fn store_memory(&mut self, addr: Reg, src: Reg, size: MemSize) -> Result<(), EmitError> {
        self.scratch_place(addr, size.bytes())?;
        let value = self.operand(src, R0);
        self.asm.stx(size_of(size), R2, self.env.scratch.memory as i32, value);
        Ok(())
    }

    /// `R2` = `R7` + the offset in scratch memory of an address, checked to have `bytes` allocated bytes. Clobbers `R0`,
    /// `R1` and `R3`.
    pub(super) fn scratch_place(&mut self, addr: Reg, bytes: u32) -> Result<(), EmitError> {
        let used = self.memory_used()?;
        let size = self.memory_size();
        let (bad, good) = (self.asm.label(), self.asm.label());
        self.load(addr, R2);
        self.asm.mov_imm(R0, SCRATCH_BASE as i64);
        self.asm.alu(Alu::Sub, R2, R0);
        // The bound that the verifier sees; also keeps the sum below from wrapping.
        self.asm.jmp_imm(Jmp::Gt, R2, size.saturating_sub(bytes) as i32, bad);
        self.asm.mov(R3, R2);
        self.asm.alu_imm(Alu::Add, R3, bytes as i32);
        self.asm.ldx(Size::D, R0, FP, used);
        self.asm.jmp(Jmp::Le, R3, R0, good);
        self.asm.bind(bad);
        self.bad_address(addr)?;
        self.asm.bind(good);
        self.asm.alu(Alu::Add, R2, R7);
        Ok(())
    }

    /// `dst` = the address of a new block with `size` bytes from the process's memory at `addr`.
    pub(super) fn copyin(&mut self, dst: Reg, addr: Reg, size: Reg) -> Result<(), EmitError> {
        let used = self.memory_used()?;
        let most = self.env.plan.program.limits.scratchsize;
        let (large, empty, failed) = (self.asm.label(), self.asm.label(), self.asm.label());
        let (fits, done) = (self.asm.label(), self.asm.label());
        self.load(size, R2);
        self.asm.jmp_value(Jmp::Gt, R2, i64::from(most), R0, large);
        let full = self.fault(fault::NOSCRATCH, Some(-1))?;
        self.asm.ldx(Size::D, R4, FP, used);
        self.asm.mov(R0, R2);
        self.asm.alu_imm(Alu::Add, R0, 7);
        self.asm.alu_imm(Alu::And, R0, -8);
        self.asm.alu(Alu::Add, R0, R4);
        self.asm.jmp_value(Jmp::Gt, R0, i64::from(self.memory_size()), R1, full);
        // The block's offset is kept while the memory is read.
        let word = self.key_word()?;
        self.asm.stx(Size::D, FP, word, R4);
        self.asm.stx(Size::D, FP, used, R0);
        self.asm.jmp_imm(Jmp::Eq, R2, 0, empty);
        let room = self.memory_size();
        // What is read ends in the block's last word, and what other events left there is none of its bytes.
        self.asm.mov(R1, R0);
        self.asm.alu_imm(Alu::Sub, R1, 8);
        self.asm.clamp(R1, room.saturating_sub(8));
        self.asm.alu(Alu::Add, R1, R7);
        self.asm.st_imm(Size::D, R1, self.env.scratch.memory as i32, 0);
        self.asm.clamp(R4, room);
        self.scratch_address(R1, self.env.scratch.memory);
        self.asm.alu(Alu::Add, R1, R4);
        self.load(addr, R3);
        self.asm.call(helper::PROBE_READ_USER);
        self.asm.jmp_imm(Jmp::Ne, R0, 0, failed);
        self.asm.bind(empty);
        self.asm.ldx(Size::D, R1, FP, word);
        self.asm.mov_imm(R0, SCRATCH_BASE as i64);
        self.asm.alu(Alu::Add, R0, R1);
        self.asm.ja(fits);
        self.asm.bind(failed);
        self.bad_address(addr)?;
        self.asm.bind(large);
        let bad = self.fault(fault::BADSIZE, None)?;
        self.load(size, R1);
        self.asm.ja(bad);
        self.asm.bind(fits);
        self.define(dst, R0);
        self.asm.ja(done);
        self.asm.bind(done);
        Ok(())
    }

    // ---- blocks ----

    /// `dst` = so many bytes at an address, in a buffer of its own.
    pub(super) fn load_block(&mut self, dst: Reg, addr: Reg, size: Reg, user: Reg) -> Result<(), EmitError> {
        let most = self.facts.blocks.get(&dst).copied();
        let (Some(most), Some(user)) = (most, self.constant(user)) else {
            return Err(self.inconsistent("a block of a size that is not known"));
        };
        let at = self.buffer_of(dst)?;
        let space = if user != 0 { AddrSpace::User } else { AddrSpace::ByAddress };
        let empty = self.asm.label();
        if self.constant(size).is_none() {
            self.load(size, R0);
            self.asm.jmp_imm(Jmp::Eq, R0, 0, empty);
        }
        if most > 0 {
            self.read_at(addr, space, |emit, helper| emit.read_block(at, size, most, helper))?;
        }
        self.asm.bind(empty);
        self.load(size, R0);
        self.asm.alu_imm(Alu::Add, R0, 1);
        self.asm.stx(Size::D, R7, at as i32, R0);
        Ok(())
    }

    /// Reads from `R3` into a buffer.
    fn read_block(&mut self, at: u32, size: Reg, most: u32, helper: i32) {
        self.scratch_address(R1, at + 8);
        self.load(size, R2);
        if self.constant(size).is_none() {
            self.asm.clamp(R2, most);
        }
        self.asm.call(helper);
    }

    /// `dst` = a size of scratch memory; one that is too large faults.
    pub(super) fn scratch_size(&mut self, dst: Reg, size: Reg) -> Result<(), EmitError> {
        let bad = self.fault(fault::BADSIZE, None)?;
        self.load(size, R1);
        self.asm.jmp_value(Jmp::Gt, R1, i64::from(self.env.plan.program.limits.scratchsize), R0, bad);
        self.define(dst, R1);
        Ok(())
    }

    // ---- strings ----

    pub(super) fn load_string(
        &mut self,
        dst: Reg,
        addr: Reg,
        limit: u32,
        space: AddrSpace,
    ) -> Result<(), EmitError> {
        let limit = limit.min(self.env.strsize());
        if space == AddrSpace::Scratch {
            return self.string_from_scratch(dst, addr, limit);
        }
        self.read_string(dst, addr, Limit::Const(limit), space)
    }

    /// `dst` = the string at an address, at most `limit` bytes. Only the first byte must be readable.
    pub(super) fn read_string(
        &mut self,
        dst: Reg,
        addr: Reg,
        limit: Limit,
        space: AddrSpace,
    ) -> Result<(), EmitError> {
        let at = self.buffer_of(dst)?;
        let (kernel, short, read) = (self.asm.label(), self.asm.label(), self.asm.label());
        let ways = match space {
            AddrSpace::ByAddress => vec![
                (helper::PROBE_READ_USER_STR, helper::PROBE_READ_USER),
                (
                    self.kernel_reader(helper::PROBE_READ_KERNEL_STR),
                    self.kernel_reader(helper::PROBE_READ_KERNEL),
                ),
            ],
            _ => vec![(helper::PROBE_READ_USER_STR, helper::PROBE_READ_USER)],
        };
        self.load(addr, R3);
        self.by_address(space, kernel);
        for (i, (whole, part)) in ways.into_iter().enumerate() {
            if i == 1 {
                self.asm.bind(kernel);
            }
            if i == 1 {
                self.stand_in();
            }
            self.scratch_address(R1, at + 8);
            self.limit_to(R2, limit);
            self.asm.alu_imm(Alu::Add, R2, 1);
            self.asm.call(whole);
            self.asm.jmp_imm(Jmp::Sgt, R0, 0, read);
            // Before Linux 6.13 an empty user string counts 0 bytes, as if it had no NUL.
            let failed = self.asm.label();
            self.asm.jmp_imm(Jmp::Ne, R0, 0, failed);
            self.asm.mov_imm(R0, 1);
            self.asm.ja(read);
            self.asm.bind(failed);
            self.read_up_to_page(at, addr, limit, (part, i == 1), short)?;
            self.bad_address(addr)?;
        }
        if space != AddrSpace::ByAddress {
            self.asm.bind(kernel);
        }
        // R0 = length + 1, of which a helper may have written less than a word at the end.
        self.asm.bind(short);
        self.asm.alu_imm(Alu::Add, R0, 1);
        self.asm.bind(read);
        self.asm.clamp(R0, self.env.strsize() + 1);
        self.asm.stx(Size::D, R7, at as i32, R0);
        self.asm.alu_imm(Alu::Sub, R0, 1);
        pad(&mut self.asm, self.env, at);
        Ok(())
    }

    fn limit_to(&mut self, into: Mreg, limit: Limit) {
        match limit {
            Limit::Const(limit) => self.asm.mov_imm(into, i64::from(limit)),
            Limit::Word(off) => {
                self.asm.ldx(Size::D, into, FP, off);
                self.asm.clamp(into, self.env.strsize());
            }
        }
    }

    /// The whole string could not be read: tries to read up to each page boundary within it, the last one first. Goes to
    /// `short` with the bytes read in `R0`.
    fn read_up_to_page(
        &mut self,
        at: u32,
        addr: Reg,
        limit: Limit,
        (helper, kernel): (i32, bool),
        short: Label,
    ) -> Result<(), EmitError> {
        let most = match limit {
            Limit::Const(limit) => limit,
            Limit::Word(_) => self.env.strsize(),
        };
        for pages in (0..most.div_ceil(PAGE)).rev() {
            let beyond = self.asm.label();
            self.load(addr, R3);
            self.page_rest(R2, R3, pages);
            self.limit_to(R0, limit);
            self.asm.jmp(Jmp::Gt, R2, R0, beyond);
            // Both bounds again as numbers that the verifier can follow.
            self.asm.clamp(R2, most);
            if kernel {
                self.stand_in();
            }
            self.scratch_address(R1, at + 8);
            self.asm.call(helper);
            self.asm.jmp_imm(Jmp::Ne, R0, 0, beyond);
            self.load(addr, R3);
            self.page_rest(R0, R3, pages);
            self.asm.ja(short);
            self.asm.bind(beyond);
        }
        Ok(())
    }

    /// `into` = the bytes from the address in `addr` to the end of its page, plus whole pages.
    fn page_rest(&mut self, into: Mreg, addr: Mreg, pages: u32) {
        self.asm.mov(into, addr);
        self.asm.alu_imm(Alu::And, into, PAGE as i32 - 1);
        self.asm.alu_imm(Alu::Sub, into, (PAGE * (pages + 1)) as i32);
        self.asm.neg(into);
    }

    fn string_from_scratch(&mut self, dst: Reg, addr: Reg, limit: u32) -> Result<(), EmitError> {
        let at = self.buffer_of(dst)?;
        let used = self.memory_used()?;
        // The end of it is where the bytes of an empty block are.
        let (empty, done) = (self.asm.label(), self.asm.label());
        self.scratch_place(addr, 0)?;
        // R2 is in scratch: R1 = what is left there, at most the limit.
        self.asm.mov(R3, R2);
        self.asm.alu_imm(Alu::Add, R3, self.env.scratch.memory as i32);
        self.load(addr, R1);
        self.asm.mov_imm(R0, SCRATCH_BASE as i64);
        self.asm.alu(Alu::Sub, R0, R1);
        self.asm.ldx(Size::D, R2, FP, used);
        self.asm.alu(Alu::Add, R2, R0);
        self.asm.jmp_imm(Jmp::Eq, R2, 0, empty);
        self.asm.clamp(R2, limit);
        self.asm.alu_imm(Alu::Add, R2, 1);
        self.scratch_address(R1, at + 8);
        self.asm.call(helper::PROBE_READ_KERNEL_STR);
        self.asm.clamp(R0, limit + 1);
        self.asm.ja(done);
        self.asm.bind(empty);
        self.asm.mov_imm(R0, 1);
        self.asm.bind(done);
        self.asm.stx(Size::D, R7, at as i32, R0);
        self.asm.alu_imm(Alu::Sub, R0, 1);
        pad(&mut self.asm, self.env, at);
        Ok(())
    }
}
