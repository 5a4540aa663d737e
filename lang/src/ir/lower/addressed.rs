//! Pointers to parts of variables: reads through an address that a program keeps.
//!
//! In: an address that may be one of a part of a variable: any but those of the traced process's memory. Out: a read of the
//! variable if it is, else of memory. A variable of which an address is kept is laid out as its words
//! ([`super::layout`]), so that each byte of it has a place; which variables these are is known when all is lowered once.
//! Nothing is ever stored through such a pointer.

use super::build::{Fits, Val};
use super::clause::Lower;
use super::expr::not_yet;
use super::place::MemoryAt;
use super::storage::{MAX_COPIED, VarAt};
use crate::ast::Expr;
use crate::diag::Diagnostic;
use crate::ir::inst::VARIABLES_BASE;
use crate::ir::{AddrSpace, BinOp, BlockPiece, CmpOp, MemSize, Op, Reg, RegKind, Scope, VarId};
use crate::source::Span;
use crate::types::parts::{MAX_LOCAL, words};

/// Where the addresses of parts of variables seem to be: no memory is there.
const VARIABLES: i64 = VARIABLES_BASE as i64;

/// What of an address is the variable's.
const VARIABLE_BITS: i64 = 32;

/// What an address leads to if it leads to a variable: that, and the bytes from its start.
type OfVariable<'f> = dyn FnMut(&mut Lower<'_>, VarId, Reg) -> Reg + 'f;

impl Lower<'_> {
    /// The number that stands for the address of a part.
    pub(super) fn address_of_part(&mut self, expr: &Expr) -> Result<Val, Diagnostic> {
        let span = expr.span;
        let at = match self.is_array(expr) {
            true => self.var_at(expr)?,
            false => self.pointed(expr)?,
        };
        let base = VARIABLES + (i64::from(at.var.0) << VARIABLE_BITS);
        if !at.has_keys() {
            self.check_addressable(&at, span)?;
            self.tables.kept.insert(at.var);
        }
        if let (Some(union), true) = (at.union, self.tables.layout.is_addressed(at.var)) {
            let start = self.build.constant(span, base + (union.bit_offset as i64).div_euclid(8));
            return Ok(match union.dynamic {
                Some(bytes) => self.arithmetic(BinOp::Add, start.reg, bytes, span),
                None => start,
            });
        }
        // Of an element of an associative array it is good for comparisons only.
        let offset = self.checked.vars[at.var.index()].ty.map_or(0, |ty| self.offset_in(ty.ty, &at.path));
        let base = self.build.constant(span, base + offset as i64);
        let Some(index) = at.index else { return Ok(base) };
        let size = self.checked.types.size(at.ty, self.checked.limits.strsize).unwrap_or(1);
        let size = self.build.constant(span, size as i64);
        let bytes = self.sum(BinOp::Mul, index, size, span);
        Ok(self.sum(BinOp::Add, base, bytes, span))
    }

    /// The words of a variable may be more than its parts are.
    fn check_addressable(&self, at: &VarAt, span: Span) -> Result<(), Diagnostic> {
        let var = &self.checked.vars[at.var.index()];
        let size = var.ty.and_then(|ty| self.checked.types.size(ty.ty, self.checked.limits.strsize));
        let most = if var.scope == Scope::ClauseLocal { MAX_LOCAL } else { u64::from(u32::MAX) / 8 };
        match size.is_none_or(|size| words(size) > most) {
            true => Err(not_yet(span, &format!("addresses in variables of more than {} bytes", most * 8))),
            false => Ok(()),
        }
    }

    /// A number in memory, or in a variable.
    pub(super) fn load(&mut self, at: MemoryAt, size: MemSize, signed: bool, span: Span) -> Reg {
        let addr = self.address(at, span).reg;
        let memory = |lower: &mut Self| {
            let dst = lower.build.reg(RegKind::Int);
            lower.build.emit(span, Op::Load { dst, addr, size, signed, space: at.space });
            dst
        };
        let variable: &mut OfVariable<'_> = &mut |lower, var, offset| {
            let word = lower.words_of_variable(var, offset, 1, span).into_iter().next();
            let word = word.unwrap_or(Val::new(offset, Fits::ANY));
            lower.cut(word, (size.bytes() * 8) as u8, signed, span).reg
        };
        self.either(addr, at.space, RegKind::Int, span, variable, memory)
    }

    /// The text at a place in memory or in a variable, of at most so many bytes.
    pub(super) fn load_text(&mut self, addr: Reg, limit: u32, space: AddrSpace, span: Span) -> Reg {
        let memory = |lower: &mut Self| {
            let dst = lower.build.reg(RegKind::Str);
            lower.build.emit(span, Op::LoadStr { dst, addr, limit, space });
            dst
        };
        let variable: &mut OfVariable<'_> = &mut |lower, var, offset| {
            let size = lower.size_of_variable(var).min(u64::from(limit)).min(MAX_COPIED * 8) as u32;
            lower.bytes_of_variable(var, offset, size, true, span)
        };
        self.either(addr, space, RegKind::Str, span, variable, memory)
    }

    /// So many bytes of memory or of a variable; of a variable as many as a constant says.
    pub(super) fn load_block(
        &mut self,
        addr: Reg,
        (size, known): (Reg, Option<i64>),
        space: AddrSpace,
        span: Span,
    ) -> Reg {
        let known = known.and_then(|known| u32::try_from(known).ok());
        let Some(bytes) = known.filter(|&known| u64::from(known) <= MAX_COPIED * 8) else {
            return self.block(addr, size, space, span);
        };
        let memory = |lower: &mut Self| lower.block(addr, size, space, span);
        let variable: &mut OfVariable<'_> =
            &mut |lower, var, offset| lower.bytes_of_variable(var, offset, bytes, false, span);
        self.either(addr, space, RegKind::Str, span, variable, memory)
    }

    /// Reads a variable if an address leads to one, else memory.
    fn either(
        &mut self,
        addr: Reg,
        space: AddrSpace,
        kind: RegKind,
        span: Span,
        variable: &mut OfVariable<'_>,
        memory: impl FnOnce(&mut Self) -> Reg,
    ) -> Reg {
        let vars = match space {
            AddrSpace::ByAddress | AddrSpace::Scratch => {
                self.tables.layout.addressed().iter().copied().collect()
            }
            AddrSpace::User => Vec::new(),
        };
        if vars.is_empty() {
            return memory(self);
        }
        let dst = self.build.reg(kind);
        let bits = self.build.constant(span, VARIABLE_BITS).reg;
        let high = self.arithmetic(BinOp::ShrU, addr, bits, span).reg;
        let mask = self.build.constant(span, (1 << VARIABLE_BITS) - 1).reg;
        let offset = self.arithmetic(BinOp::And, addr, mask, span).reg;
        // Each variable is an arm, in the other arm of the one before.
        let mut outer = Vec::with_capacity(vars.len());
        for var in vars {
            let number = (VARIABLES >> VARIABLE_BITS) + i64::from(var.0);
            let number = self.build.constant(span, number).reg;
            let cond = self.compare(CmpOp::Eq, high, number, span).reg;
            let before = self.build.current();
            let first = self.build.begin();
            let mark = self.build.mark();
            let val = variable(self, var, offset);
            self.build.put(span, dst, val, mark);
            let last = self.build.current();
            outer.push((before, cond, (first, last), self.build.begin()));
        }
        let mark = self.build.mark();
        let val = memory(self);
        self.build.put(span, dst, val, mark);
        for (before, cond, then, otherwise) in outer.into_iter().rev() {
            let last = self.build.current();
            self.merge(before, cond, then, Some((otherwise, last)));
        }
        dst
    }

    fn size_of_variable(&self, var: VarId) -> u64 {
        let ty = self.checked.vars[var.index()].ty;
        ty.and_then(|ty| self.checked.types.size(ty.ty, self.checked.limits.strsize)).unwrap_or(0)
    }

    /// So many bytes of a variable from a computed one on, zeros behind its end, or the text that they begin with.
    fn bytes_of_variable(&mut self, var: VarId, offset: Reg, size: u32, text: bool, span: Span) -> Reg {
        let count = u64::from(size).div_ceil(8).min(words(self.size_of_variable(var)));
        let values = self.words_of_variable(var, offset, count, span);
        let piece = |(number, val): (usize, Val)| {
            let bit = number as u32 * 64;
            BlockPiece { src: val.reg, string: false, bit, bits: (size * 8 - bit).min(64) }
        };
        let pieces = values.into_iter().enumerate().map(piece).collect();
        let dst = self.build.reg(RegKind::Str);
        self.build.emit(span, Op::Assemble { dst, size, pieces, text });
        dst
    }

    /// So many times eight bytes of a variable, from a computed one on.
    fn words_of_variable(&mut self, var: VarId, offset: Reg, count: u64, span: Span) -> Vec<Val> {
        let at = self.whole_variable(var, Vec::new());
        let Some(union) = at.union else { return Vec::new() };
        let three = self.build.constant(span, 3);
        let first = self.arithmetic(BinOp::ShrU, offset, three.reg, span);
        let seven = self.build.constant(span, 7);
        let byte = self.arithmetic(BinOp::And, offset, seven.reg, span);
        let below = self.arithmetic(BinOp::Shl, byte.reg, three.reg, span);
        // 64 less the bits below, in two steps: a count of 64 would be 0.
        let most = self.build.constant(span, 63);
        let above = self.arithmetic(BinOp::Sub, most.reg, below.reg, span);
        let one = self.build.constant(span, 1);
        let mut words = Vec::new();
        for number in 0..=count {
            let number = self.build.constant(span, number as i64);
            let word = self.arithmetic(BinOp::Add, first.reg, number.reg, span);
            let place = self.word_of_union(&at, union, word, span);
            words.push(self.read_kind(&place, RegKind::Int, Fits::ANY, span));
        }
        let pairs = words.windows(2).map(|pair| (pair[0], pair[1])).collect::<Vec<_>>();
        let joined = pairs.into_iter().map(|(low, high)| {
            let low = self.arithmetic(BinOp::ShrU, low.reg, below.reg, span);
            let high = self.arithmetic(BinOp::Shl, high.reg, one.reg, span);
            let high = self.arithmetic(BinOp::Shl, high.reg, above.reg, span);
            self.arithmetic(BinOp::Or, low.reg, high.reg, span)
        });
        joined.collect()
    }
}
