//! Places: what a variable, an element or a dereference names, how it is read and how it is assigned to (language spec
//! §6.1, §6.7).

use super::build::{Fits, Val};
use super::clause::Lower;
use super::expr::not_yet;
use super::stored;
use crate::ast::{BinaryOp, Expr, ExprKind};
use crate::builtins::Func;
use crate::check::fold::is_signed;
use crate::check::{ExprInfo, Meaning, VarShape, session::value_type};
use crate::diag::Diagnostic;
use crate::ir::{AddrSpace, BinOp, MemSize, Op, Reg, RegKind, ValueType, VarId};
use crate::source::Span;

/// A place with its keys or address evaluated: it can be read and written without evaluating them again.
pub(super) enum Place {
    Variable(VarId),
    Element(VarId, Vec<Reg>),
    Memory {
        addr: Reg,
        size: MemSize,
        signed: bool,
        space: AddrSpace,
    },
    /// A `string` behind a pointer.
    Text {
        addr: Reg,
        space: AddrSpace,
    },
}

impl Lower<'_> {
    /// Evaluates what a place depends on.
    pub(super) fn place(&mut self, expr: &Expr) -> Result<Place, Diagnostic> {
        let info = self.info_of(expr);
        match info.meaning {
            Meaning::Variable(id) => match self.checked.vars[id.index()].shape {
                VarShape::Array(_) => Err(not_yet(expr.span, "arrays without an index")),
                _ => Ok(Place::Variable(id)),
            },
            Meaning::Element(id) => {
                let keys: &[Expr] = match &expr.kind {
                    ExprKind::Index { keys, .. } => keys,
                    _ => &[],
                };
                let signature = match &self.checked.vars[id.index()].shape {
                    VarShape::Associative(signature) => signature.clone(),
                    _ => Vec::new(),
                };
                let mut regs = Vec::with_capacity(keys.len());
                for (key, slot) in keys.iter().zip(signature) {
                    regs.push(self.stored_value(key, stored(&self.checked.types, slot))?);
                }
                Ok(Place::Element(id, regs))
            }
            Meaning::ArrayElement(id) => {
                if self.checked.types.target(info.ty).is_some()
                    && !matches!(self.checked.types.resolve(info.ty), crate::types::Type::Pointer(_))
                {
                    return Err(not_yet(expr.span, "rows of arrays"));
                }
                let index = self.flat_index(expr)?;
                Ok(Place::Element(id, vec![index.reg]))
            }
            _ => self.memory_place(expr, info),
        }
    }

    /// The index of an array element, row by row; each computed index is checked against its bound.
    fn flat_index(&mut self, expr: &Expr) -> Result<Val, Diagnostic> {
        let ExprKind::Index { base, keys } = &expr.kind else {
            return Ok(self.build.constant(expr.span, 0));
        };
        let Some(key) = keys.first() else { return Ok(self.build.constant(expr.span, 0)) };
        let length = match *self.checked.types.get(self.info_of(base).ty) {
            crate::types::Type::Array(_, length) => length as i64,
            _ => 0,
        };
        let outer = match self.info_of(base).meaning {
            Meaning::ArrayElement(_) => Some(self.flat_index(base)?),
            _ => None,
        };
        let index = match self.frame.early.constant(key) {
            Some(c) => self.build.constant(key.span, c.value),
            None => {
                let index = self.value(key)?;
                match length {
                    0 | 1 => index,
                    _ => {
                        let length = self.build.constant(key.span, length);
                        let dst = self.build.reg(RegKind::Int);
                        let args = vec![index.reg, length.reg];
                        self.build.emit(key.span, Op::Call { dst, func: Func::ArrayIndex, args });
                        Val::new(dst, Fits::ANY)
                    }
                }
            }
        };
        let Some(outer) = outer else { return Ok(index) };
        if let (Some(row), Some(column)) = (outer.constant, index.constant) {
            return Ok(self.build.constant(expr.span, row.wrapping_mul(length).wrapping_add(column)));
        }
        let length = self.build.constant(expr.span, length);
        let row = self.arithmetic(BinOp::Mul, outer.reg, length.reg, expr.span);
        Ok(self.arithmetic(BinOp::Add, row.reg, index.reg, expr.span))
    }

    /// `*p` and `p[n]`.
    fn memory_place(&mut self, expr: &Expr, info: ExprInfo) -> Result<Place, Diagnostic> {
        let (addr, space) = self.address(expr)?;
        if self.checked.types.is_string(info.ty) {
            return Ok(Place::Text { addr, space });
        }
        let (size, signed) = self.memory(info.ty).ok_or_else(|| {
            let what = format!("values of type {}", self.checked.types.show(info.ty));
            not_yet(expr.span, &what)
        })?;
        Ok(Place::Memory { addr, size, signed, space })
    }

    /// The address that a dereference reads, and what memory that is.
    fn address(&mut self, expr: &Expr) -> Result<(Reg, AddrSpace), Diagnostic> {
        let zero = |lower: &mut Self| lower.build.constant(expr.span, 0).reg;
        match &expr.kind {
            ExprKind::Index { base, keys } => {
                let Some(key) = keys.first() else { return Ok((zero(self), AddrSpace::ByAddress)) };
                // `n[p]` is `p[n]`.
                let swapped = self.points_to(self.info_of(base)).is_none();
                let (pointer, count) = if swapped { (key, &**base) } else { (&**base, key) };
                let info = self.info_of(pointer);
                let space = self.space(pointer, info)?;
                let size = self.element_size(info);
                let (address, bytes) = if swapped {
                    let bytes = self.scaled(count, size)?;
                    (self.value(pointer)?, bytes)
                } else {
                    let address = self.value(pointer)?;
                    (address, self.scaled(count, size)?)
                };
                if bytes.constant == Some(0) {
                    return Ok((address.reg, space));
                }
                Ok((self.arithmetic(BinOp::Add, address.reg, bytes.reg, expr.span).reg, space))
            }
            ExprKind::Unary { operand, .. } => {
                let space = self.space(operand, self.info_of(operand))?;
                Ok((self.value(operand)?.reg, space))
            }
            _ => Ok((zero(self), AddrSpace::ByAddress)),
        }
    }

    /// `&*p` and `&p[n]`.
    pub(super) fn address_of(&mut self, operand: &Expr) -> Result<Val, Diagnostic> {
        let (addr, _) = self.address(operand)?;
        Ok(Val::new(addr, Fits::ANY))
    }

    /// Reads a place.
    pub(super) fn read(&mut self, place: &Place, info: ExprInfo, span: Span) -> Result<Val, Diagnostic> {
        let info = self.place_type(place, info);
        let kind = match value_type(&self.checked.types, info.ty) {
            Some(ty) => ty.reg_kind(),
            None => {
                let what = format!("values of type {}", self.checked.types.show(info.ty));
                return Err(not_yet(span, &what));
            }
        };
        let dst = self.build.reg(kind);
        let op = match place {
            Place::Variable(var) => Op::GetVar { dst, var: *var },
            Place::Element(var, keys) => Op::GetElem { dst, var: *var, keys: keys.clone() },
            Place::Memory { addr, size, signed, space } => {
                Op::Load { dst, addr: *addr, size: *size, signed: *signed, space: *space }
            }
            Place::Text { addr, space } => {
                Op::LoadStr { dst, addr: *addr, limit: self.checked.limits.strsize, space: *space }
            }
        };
        self.build.emit(span, op);
        Ok(Val::new(dst, self.fits(info.ty)))
    }

    /// The type of what a place holds: an inline may give a variable another.
    fn place_type(&self, place: &Place, info: ExprInfo) -> ExprInfo {
        match place {
            Place::Variable(id) => {
                let ty = self.checked.vars[id.index()].ty.map_or(info.ty, |ty| ty.ty);
                ExprInfo { ty, ..info }
            }
            _ => info,
        }
    }

    fn write(&mut self, place: &Place, src: Reg, span: Span) {
        let op = match place {
            Place::Variable(var) => Op::SetVar { var: *var, src },
            Place::Element(var, keys) => Op::SetElem { var: *var, keys: keys.clone(), src },
            Place::Memory { addr, size, .. } => Op::Store { addr: *addr, src, size: *size },
            // A string behind a pointer is not writable.
            Place::Text { .. } => return,
        };
        self.build.emit(span, op);
    }

    /// How a place's values are stored.
    fn stored_type(&self, info: ExprInfo) -> ValueType {
        value_type(&self.checked.types, info.ty).unwrap_or(super::INDEX)
    }

    /// `lhs = rhs`: right side, then the place, then the store. The value is what was stored.
    pub(super) fn assign(&mut self, lhs: &Expr, rhs: &Expr, span: Span) -> Result<Val, Diagnostic> {
        let info = self.info_of(lhs);
        let val = self.stored_val(rhs, self.stored_type(info))?;
        let place = self.place(lhs)?;
        if self.is_string(info.ty) {
            self.write(&place, val.reg, span);
            return Ok(val);
        }
        Ok(self.store_back(&place, info, val, span))
    }

    /// `lhs op= rhs`: the place, its value, then the right side.
    pub(super) fn compound_assign(
        &mut self,
        op: BinaryOp,
        lhs: &Expr,
        rhs: &Expr,
        span: Span,
    ) -> Result<Val, Diagnostic> {
        let (left, right) = (self.info_of(lhs), self.info_of(rhs));
        let place = self.place(lhs)?;
        let old = self.read(&place, left, span)?;
        let new = if self.points_to(left).is_some() {
            let bytes = self.scaled(rhs, self.element_size(left))?;
            let op = if op == BinaryOp::Sub { BinOp::Sub } else { BinOp::Add };
            self.arithmetic(op, old.reg, bytes.reg, span)
        } else {
            let value = self.value(rhs)?;
            let types = &self.checked.types;
            let (signed, left_signed) = (is_signed(types, left.ty, right.ty), types.width(left.ty).1);
            self.integer_op(op, old, value, signed, left_signed, span)
        };
        Ok(self.store_back(&place, left, new, span))
    }

    /// `x++` and its kin.
    pub(super) fn step(
        &mut self,
        operand: &Expr,
        increment: bool,
        postfix: bool,
        span: Span,
    ) -> Result<Val, Diagnostic> {
        let info = self.info_of(operand);
        let place = self.place(operand)?;
        let old = self.read(&place, info, span)?;
        let size = if self.points_to(info).is_some() { self.element_size(info) } else { 1 };
        let size = self.build.constant(span, size);
        let op = if increment { BinOp::Add } else { BinOp::Sub };
        let new = self.arithmetic(op, old.reg, size.reg, span);
        let new = self.store_back(&place, info, new, span);
        Ok(if postfix { old } else { new })
    }

    fn store_back(&mut self, place: &Place, info: ExprInfo, new: Val, span: Span) -> Val {
        let (bits, signed) = self.checked.types.width(self.place_type(place, info).ty);
        let new = self.build.narrow(span, new, bits, signed);
        self.write(place, new.reg, span);
        new
    }
}
