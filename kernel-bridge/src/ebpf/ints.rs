//! Integer arithmetic and comparisons, with the immediate forms where the instruction set has them.

use dtrail_lang::ir::{BinOp, CmpOp, Reg};

use super::alloc::Home;
use super::asm::{Alu, Asm, Jmp, Label, Mreg, R0, R1, R2, R3};
use super::clause::Gen;
use super::emit::EmitError;
use super::fault;

impl Gen<'_> {
    pub(super) fn move_int(&mut self, dst: Reg, src: Reg) {
        if let Home::Reg(m) = self.home(dst) {
            self.load(src, m);
        } else {
            let from = self.operand(src, R0);
            self.define(dst, from);
        }
    }

    pub(super) fn binary(&mut self, op: BinOp, dst: Reg, lhs: Reg, rhs: Reg) -> Result<(), EmitError> {
        let alu = match op {
            BinOp::DivS | BinOp::RemS => return self.divide_signed(op == BinOp::RemS, dst, lhs, rhs),
            BinOp::DivU => Alu::Div,
            BinOp::RemU => Alu::Mod,
            BinOp::Add => Alu::Add,
            BinOp::Sub => Alu::Sub,
            BinOp::Mul => Alu::Mul,
            BinOp::And => Alu::And,
            BinOp::Or => Alu::Or,
            BinOp::Xor => Alu::Xor,
            BinOp::Shl => Alu::Lsh,
            BinOp::ShrS => Alu::Arsh,
            BinOp::ShrU => Alu::Rsh,
        };
        let mut rhs_value = self.constant(rhs);
        if matches!(op, BinOp::Shl | BinOp::ShrS | BinOp::ShrU) {
            rhs_value = rhs_value.map(|v| v & 63);
        }
        if op.may_fault() {
            match rhs_value {
                Some(0) => {
                    let at = self.fault(fault::DIVZERO, Some(-1))?;
                    self.asm.ja(at);
                    return Ok(());
                }
                Some(_) => {}
                None => {
                    let at = self.fault(fault::DIVZERO, Some(-1))?;
                    let divisor = self.operand(rhs, R1);
                    self.asm.jmp_imm(Jmp::Eq, divisor, 0, at);
                }
            }
        }
        let mut target = self.target(dst);
        if self.home(rhs) == Home::Reg(target) && self.home(lhs) != Home::Reg(target) {
            target = R0;
        }
        // The right operand first: loading the left one may overwrite nothing but the target.
        let imm = rhs_value.and_then(|v| i32::try_from(v).ok());
        let right = if imm.is_none() { Some(self.operand(rhs, R1)) } else { None };
        self.load(lhs, target);
        match (imm, right) {
            (Some(imm), _) => self.asm.alu_imm(alu, target, imm),
            (None, Some(right)) => self.asm.alu(alu, target, right),
            (None, None) => {}
        }
        self.define(dst, target);
        Ok(())
    }

    /// Signed division by unsigned division of the absolute values: the instruction set has no other, and so
    /// `i64::MIN / -1` is `i64::MIN` by itself.
    fn divide_signed(&mut self, rem: bool, dst: Reg, lhs: Reg, rhs: Reg) -> Result<(), EmitError> {
        self.load(rhs, R1);
        if self.constant(rhs).is_none_or(|v| v == 0) {
            let at = self.fault(fault::DIVZERO, Some(-1))?;
            self.asm.jmp_imm(Jmp::Eq, R1, 0, at);
        }
        self.load(lhs, R0);
        // R2 and R3 become -1 for a negative operand, else 0; (x ^ sign) - sign is the absolute value.
        let signs = [(R0, R2), (R1, R3)];
        for (value, sign) in signs {
            self.asm.mov(sign, value);
            self.asm.alu_imm(Alu::Arsh, sign, 63);
            self.asm.alu(Alu::Xor, value, sign);
            self.asm.alu(Alu::Sub, value, sign);
        }
        if rem {
            self.asm.alu(Alu::Mod, R0, R1);
        } else {
            self.asm.alu(Alu::Div, R0, R1);
            self.asm.alu(Alu::Xor, R2, R3);
        }
        self.asm.alu(Alu::Xor, R0, R2);
        self.asm.alu(Alu::Sub, R0, R2);
        self.define(dst, R0);
        Ok(())
    }

    pub(super) fn extend(&mut self, dst: Reg, src: Reg, bits: u8, signed: bool) {
        let target = self.target(dst);
        if !signed && bits == 32 {
            let from = self.operand(src, R0);
            self.asm.mov32(target, from);
        } else {
            self.load(src, target);
            extend_in_place(&mut self.asm, target, bits, signed);
        }
        self.define(dst, target);
    }

    /// Goes to `to` if the comparison holds or, unless `holds`, if it does not; else on.
    pub(super) fn compare(&mut self, op: CmpOp, lhs: Reg, rhs: Reg, holds: bool, to: Label) {
        let (mut lhs, mut rhs) = (lhs, rhs);
        let mut jmp = match op {
            CmpOp::Eq => Jmp::Eq,
            CmpOp::Ne => Jmp::Ne,
            CmpOp::LtS => Jmp::Slt,
            CmpOp::LeS => Jmp::Sle,
            CmpOp::LtU => Jmp::Lt,
            CmpOp::LeU => Jmp::Le,
        };
        if self.constant(lhs).is_some() && self.constant(rhs).is_none() {
            (lhs, rhs) = (rhs, lhs);
            jmp = match jmp {
                Jmp::Slt => Jmp::Sgt,
                Jmp::Sle => Jmp::Sge,
                Jmp::Lt => Jmp::Gt,
                Jmp::Le => Jmp::Ge,
                same => same,
            };
        }
        let jmp = if holds { jmp } else { jmp.negated() };
        let left = self.operand(lhs, R0);
        match self.constant(rhs) {
            Some(value) => self.asm.jmp_value(jmp, left, value, R1, to),
            None => {
                let right = self.operand(rhs, R1);
                self.asm.jmp(jmp, left, right, to);
            }
        }
    }
}

/// Extends the low bits of a machine register.
pub(super) fn extend_in_place(asm: &mut Asm, reg: Mreg, bits: u8, signed: bool) {
    if bits >= 64 {
        return;
    }
    match (signed, bits) {
        (false, 32) => asm.mov32(reg, reg),
        (false, _) if bits < 32 => asm.alu_imm(Alu::And, reg, (1i32 << bits) - 1),
        _ => {
            let shift = 64 - i32::from(bits);
            asm.alu_imm(Alu::Lsh, reg, shift);
            asm.alu_imm(if signed { Alu::Arsh } else { Alu::Rsh }, reg, shift);
        }
    }
}
