//! What clauses ask of the current process and do to it, and integers in network order.

use dtrail_lang::ir::Reg;

use super::asm::{Alu, Jmp, R0, R1, R2, Size};
use super::clause::Gen;
use super::context::Field;
use super::emit::EmitError;
use super::helper;

/// Processes nest no deeper, as far as `progenyof` looks; the virtual machine looks as far.
const GENERATIONS: u32 = 32;

impl Gen<'_> {
    /// `dst` = the low bits of a value in network order.
    pub(super) fn network_order(&mut self, dst: Reg, value: Reg, bits: u8) -> Result<(), EmitError> {
        self.load(value, R0);
        self.asm.big_endian(R0, bits);
        self.define(dst, R0);
        Ok(())
    }

    /// `dst` = the major or minor number of a device in the kernel's encoding.
    pub(super) fn device_part(&mut self, dst: Reg, device: Reg, major: bool) -> Result<(), EmitError> {
        self.load(device, R0);
        if major {
            self.asm.mov32(R0, R0);
            self.asm.alu_imm(Alu::Rsh, R0, 20);
        } else {
            self.asm.alu_imm(Alu::And, R0, 0xf_ffff);
        }
        self.define(dst, R0);
        Ok(())
    }

    /// `dst` = whether the current process is `pid` or descends from it.
    pub(super) fn progenyof(&mut self, dst: Reg, pid: Reg) -> Result<(), EmitError> {
        let (yes, no, done) = (self.asm.label(), self.asm.label(), self.asm.label());
        if self.env.target.inject {
            // A made-up event tells of a process and its parent.
            self.field(Field::PidTgid);
            self.asm.alu_imm(Alu::Rsh, R0, 32);
            self.load(pid, R2);
            self.asm.mov32(R2, R2);
            self.asm.jmp(Jmp::Eq, R0, R2, yes);
            self.field(Field::Ppid);
            self.load(pid, R2);
            self.asm.mov32(R2, R2);
            self.asm.jmp_imm(Jmp::Eq, R0, 0, no);
            self.asm.jmp(Jmp::Eq, R0, R2, yes);
        } else {
            self.asm.call(helper::GET_CURRENT_TASK_BTF);
            self.load(pid, R2);
            self.asm.mov32(R2, R2);
            for _ in 0..GENERATIONS {
                self.asm.ldx(Size::W, R1, R0, self.env.target.offsets.task_tgid as i32);
                self.asm.jmp(Jmp::Eq, R1, R2, yes);
                self.asm.jmp_imm(Jmp::Le, R1, 1, no);
                self.asm.ldx(Size::D, R0, R0, self.env.target.offsets.task_real_parent as i32);
            }
        }
        self.asm.bind(no);
        self.asm.mov_imm(R0, 0);
        self.asm.ja(done);
        self.asm.bind(yes);
        self.asm.mov_imm(R0, 1);
        self.asm.bind(done);
        self.define(dst, R0);
        Ok(())
    }

    /// Sends a signal to the current process; a made-up event has none. A failure is ignored.
    pub(super) fn signal(&mut self, dst: Reg, signal: Reg) -> Result<(), EmitError> {
        if !self.env.target.inject {
            self.load(signal, R1);
            self.asm.call(helper::SEND_SIGNAL);
        }
        self.asm.mov_imm(R0, 0);
        self.define(dst, R0);
        Ok(())
    }
}
