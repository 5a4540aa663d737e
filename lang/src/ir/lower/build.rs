//! Blocks, registers and instruction numbers of one clause under construction.
//!
//! Blocks get their numbers when they are begun, arms before their merge, which makes the order topological.

use crate::ir::{Block, BlockId, Inst, Op, Reg, RegKind, Terminator};
use crate::source::Span;
use crate::types::classes::truncate;

/// An integer's width as far as it is known: the register holds what these bits extend to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fits {
    pub(super) bits: u8,
    pub(super) signed: bool,
}

impl Fits {
    /// 0 or 1.
    pub(super) const TRUTH: Fits = Fits { bits: 1, signed: false };
    /// Nothing is known.
    pub(super) const ANY: Fits = Fits { bits: 64, signed: true };

    /// The width of a constant.
    fn of(value: i64) -> Fits {
        match value {
            0 | 1 => Fits::TRUTH,
            v if v > 0 => Fits { bits: 64 - v.leading_zeros() as u8, signed: false },
            v => Fits { bits: 65 - (!v).leading_zeros() as u8, signed: true },
        }
    }

    /// Whether a value of this width is unchanged by cutting it to another.
    pub(super) fn within(self, bits: u8, signed: bool) -> bool {
        if bits >= 64 {
            return true;
        }
        match (self.signed, signed) {
            (true, true) | (false, false) => self.bits <= bits,
            (false, true) => self.bits < bits,
            (true, false) => false,
        }
    }

    /// A width that covers both.
    pub(super) fn join(self, other: Fits) -> Fits {
        if self.signed == other.signed {
            return Fits { bits: self.bits.max(other.bits), signed: self.signed };
        }
        let (signed, unsigned) = if self.signed { (self, other) } else { (other, self) };
        match unsigned.bits >= 64 {
            true => Fits::ANY,
            false => Fits { bits: signed.bits.max(unsigned.bits + 1), signed: true },
        }
    }
}

/// A lowered value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Val {
    pub(super) reg: Reg,
    /// For an integer register.
    pub(super) fits: Fits,
    /// If it is a constant.
    pub(super) constant: Option<i64>,
}

impl Val {
    pub(super) fn new(reg: Reg, fits: Fits) -> Val {
        Val { reg, fits, constant: None }
    }
}

/// A function being built.
pub(super) struct Builder {
    regs: Vec<RegKind>,
    blocks: Vec<Block>,
    points: u32,
    /// The statement that instructions are now made for.
    pub(super) stmt: u32,
}

impl Builder {
    pub(super) fn new() -> Builder {
        let entry = Block { insts: Vec::new(), end: Terminator::Return };
        Builder { regs: Vec::new(), blocks: vec![entry], points: 0, stmt: 0 }
    }

    pub(super) fn finish(self) -> (Vec<RegKind>, Vec<Block>) {
        (self.regs, self.blocks)
    }

    pub(super) fn reg(&mut self, kind: RegKind) -> Reg {
        self.regs.push(kind);
        Reg(self.regs.len() as u32 - 1)
    }

    /// What a register holds.
    pub(super) fn kind(&self, reg: Reg) -> RegKind {
        self.regs.get(reg.index()).copied().unwrap_or(RegKind::Int)
    }

    /// The block that instructions go to.
    pub(super) fn current(&self) -> BlockId {
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// Begins the next block.
    pub(super) fn begin(&mut self) -> BlockId {
        self.blocks.push(Block { insts: Vec::new(), end: Terminator::Return });
        self.current()
    }

    /// Says how a block ends.
    pub(super) fn end(&mut self, block: BlockId, end: Terminator) {
        self.blocks[block.index()].end = end;
    }

    pub(super) fn emit(&mut self, span: Span, op: Op) {
        self.emit_in(self.current(), span, op);
    }

    /// Puts an instruction at the end of an earlier block.
    pub(super) fn emit_in(&mut self, block: BlockId, span: Span, op: Op) {
        let inst = Inst { op, point: self.points, stmt: self.stmt, span };
        self.points += 1;
        self.blocks[block.index()].insts.push(inst);
    }

    pub(super) fn constant(&mut self, span: Span, value: i64) -> Val {
        let dst = self.reg(RegKind::Int);
        self.emit(span, Op::Const { dst, value });
        Val { reg: dst, fits: Fits::of(value), constant: Some(value) }
    }

    /// Cuts a value to a width, if it may not fit.
    pub(super) fn narrow(&mut self, span: Span, val: Val, bits: u8, signed: bool) -> Val {
        if let Some(value) = val.constant {
            let cut = truncate(value, bits, signed);
            if cut == value {
                return val;
            }
            self.drop_constant(val.reg);
            return self.constant(span, cut);
        }
        if val.fits.within(bits, signed) {
            return val;
        }
        let dst = self.reg(RegKind::Int);
        self.emit(span, Op::Extend { dst, src: val.reg, bits, signed });
        Val::new(dst, Fits { bits, signed })
    }

    /// Takes back a constant that was the last thing emitted.
    fn drop_constant(&mut self, reg: Reg) {
        let current = self.current();
        let insts = &mut self.blocks[current.index()].insts;
        if insts.last().is_some_and(|inst| matches!(inst.op, Op::Const { dst, .. } if dst == reg)) {
            insts.pop();
            self.points -= 1;
            if reg.index() + 1 == self.regs.len() {
                self.regs.pop();
            }
        }
    }

    /// The number that the next new register will have: what is at or above it was made since.
    pub(super) fn mark(&self) -> Reg {
        Reg(self.regs.len() as u32)
    }

    /// Puts a value in a given register. A register made since `mark` whose only instruction is the last one is
    /// replaced instead of copied.
    pub(super) fn put(&mut self, span: Span, dst: Reg, src: Reg, mark: Reg) {
        if src == dst {
            return;
        }
        let current = self.current();
        if src >= mark
            && let Some(inst) = self.blocks[current.index()].insts.last_mut()
            && inst.op.dst() == Some(src)
            && let Some(slot) = inst.op.dst_mut()
        {
            *slot = dst;
            if src.index() + 1 == self.regs.len() {
                self.regs.pop();
            }
            return;
        }
        self.emit(span, Op::Move { dst, src });
    }
}
