//! Types of what pointers lead to (language spec §5.4, §6.3): `*`, `&`, and where a place in memory is. In: operands that have
//! types. Out: types, with what is known of where the value lies.

use super::errors;
use super::expr::{Body, Checked, is_value};
use super::info::{ExprInfo, Meaning};
use super::names::Provenance;
use crate::ast::{BinaryOp, Expr, ExprKind};
use crate::diag::Diagnostic;
use crate::ir::{Scope, ValueType};
use crate::source::Span;
use crate::types::{Type, TypeId};

impl Body<'_, '_> {
    /// `*(a + n)` of an array is `a[n]`: a constant beyond its end is refused.
    pub(super) fn sum_within(&self, operand: &Expr, span: Span) -> Result<(), Diagnostic> {
        let ExprKind::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), lhs, rhs } = &operand.kind else {
            return Ok(());
        };
        let length = |expr: &Expr| match self.session.types.resolve(self.info.get(expr)?.ty) {
            Type::Array(_, length) => Some(*length),
            _ => None,
        };
        let constant = |expr: &Expr| self.info.get(expr)?.constant;
        let (length, index) = match (length(lhs), length(rhs)) {
            (Some(length), _) => (length, constant(rhs)),
            (None, Some(length)) => (length, constant(lhs)),
            (None, None) => return Ok(()),
        };
        let index = if *op == BinaryOp::Sub { index.map(i64::wrapping_neg) } else { index };
        within(length, index, span)
    }

    /// `*p`, also of the sum that `p[n]` stands for.
    pub(super) fn dereference(&mut self, pointer: ExprInfo, span: Span) -> Checked {
        let types = &self.session.types;
        if types.is_unknown(pointer.ty) {
            return Ok(self.unknown());
        }
        if types.is_string(pointer.ty) {
            let info = ExprInfo { lvalue: true, ..ExprInfo::value(types.common().char) };
            return Ok(info.meaning(Meaning::StringByte));
        }
        let target = types.target(pointer.ty).ok_or_else(|| errors::deref_non_pointer(span))?;
        match types.resolve(target) {
            Type::Void => return Err(errors::deref_void(span)),
            Type::Function(..) => return Err(errors::deref_function(span)),
            _ => {}
        }
        self.session.complete(target);
        if matches!(self.session.types.resolve(pointer.ty), Type::Array(..)) && is_value(pointer) {
            let defined = matches!(pointer.meaning, Meaning::Formula(_) | Meaning::Param(_));
            let info = self.part_of_value(pointer, target);
            // Of an array of characters a definition gives the copy.
            let copied = defined && self.session.value_type(pointer.ty) == Some(ValueType::Str);
            return Ok(if copied { info.meaning(Meaning::StringByte) } else { info });
        }
        let info = ExprInfo { userland: pointer.userland, lvalue: true, ..ExprInfo::value(target) };
        if let Meaning::Variable(id) | Meaning::Element(id) | Meaning::Part(id) | Meaning::PartAddress(id) =
            pointer.meaning
            && (matches!(self.session.types.resolve(pointer.ty), Type::Array(..))
                || matches!(pointer.meaning, Meaning::PartAddress(_)))
        {
            let provenance = self.session.names.vars[id.index()].provenance;
            return Ok(ExprInfo { writable: true, provenance, ..info }.meaning(Meaning::Part(id)));
        }
        let is_array = matches!(self.session.types.resolve(pointer.ty), Type::Array(..));
        let writable = match is_array {
            true => pointer.writable,
            false => matches!(pointer.provenance, Provenance::Scratch | Provenance::Unknown),
        };
        // An array in scratch memory is scratch memory.
        let provenance = self.behind(pointer, target);
        Ok(ExprInfo { writable, provenance, ..info }.meaning(Meaning::Memory))
    }

    /// What is read behind a pointer, or in a struct: what lies there lies where the struct does; what a pointer in scratch
    /// memory points into is settled by what is put there.
    pub(super) fn behind(&self, holder: ExprInfo, ty: TypeId) -> Provenance {
        match (self.session.types.resolve(ty), holder.provenance) {
            (Type::Array(..) | Type::Tagged(..), provenance) => provenance,
            (Type::Pointer(_), Provenance::Scratch | Provenance::Unknown) => Provenance::Unknown,
            _ => Provenance::Other,
        }
    }

    /// A member or element of a struct or array that is a value. It is as much of an lvalue as that is: a parameter and an
    /// arm that is known beforehand are storage.
    pub(super) fn part_of_value(&self, whole: ExprInfo, ty: TypeId) -> ExprInfo {
        // Where a pointer in it points to, its sources say.
        let is_pointer = matches!(self.session.types.resolve(ty), Type::Pointer(_));
        let provenance = if is_pointer { Provenance::Unknown } else { whole.provenance };
        ExprInfo {
            userland: whole.userland,
            lvalue: whole.lvalue,
            writable: whole.lvalue && whole.writable,
            provenance,
            ..ExprInfo::value(ty)
        }
        .meaning(Meaning::PartOfValue)
    }

    pub(super) fn address_of(&mut self, operand: &Expr, span: Span) -> Checked {
        let info = match &operand.kind {
            ExprKind::Name(name)
                if name.contains('`') && self.session.names.var(Scope::Global, name).is_none() =>
            {
                let info = self.symbol(name, operand.span, false)?;
                self.info.set(operand, info);
                info
            }
            _ => self.expr(operand)?,
        };
        if info.bit_field {
            return Err(errors::address_of_bit_field(span));
        }
        let meaning = match info.meaning {
            Meaning::Variable(_)
            | Meaning::Element(_)
            | Meaning::Builtin(..)
            | Meaning::Argument(..)
            | Meaning::Param(_)
            | Meaning::Formula(_)
            | Meaning::Translation(_)
            | Meaning::Aggregation(_) => return Err(errors::address_of_variable(span)),
            Meaning::Part(id) => Meaning::PartAddress(id),
            Meaning::Memory | Meaning::Symbol(..) | Meaning::StringByte => Meaning::Operator,
            Meaning::PartOfValue if info.lvalue && !self.is_defined_part(operand) => Meaning::Operator,
            Meaning::PartOfValue if info.lvalue => return Err(errors::address_of_variable(span)),
            _ => return Err(errors::address_of_value(span)),
        };
        let provenance = match info.meaning {
            Meaning::Memory => {
                let pointer = self.read_through(operand).and_then(|pointer| self.info.get(pointer));
                pointer.map_or(Provenance::Other, |pointer| pointer.provenance)
            }
            // A string is a value; what has an address is a copy of it.
            Meaning::StringByte => Provenance::Scratch,
            Meaning::Part(_) => Provenance::Variable,
            _ => Provenance::Other,
        };
        let ty = self.session.types.pointer_to(info.ty);
        Ok(ExprInfo { userland: info.userland, provenance, ..ExprInfo::value(ty) }.meaning(meaning))
    }

    /// Whether a part is one of what an inline gives, which is nowhere.
    pub(super) fn is_defined_part(&self, part: &Expr) -> bool {
        let mut at = part;
        while self.info.get(at).is_some_and(|info| info.meaning == Meaning::PartOfValue) {
            at = match &at.kind {
                ExprKind::Member { base, .. } => base,
                ExprKind::Index { base, keys } => match self.info.get(base) {
                    Some(info) if self.is_integer(info) => keys.first().unwrap_or(base),
                    _ => base,
                },
                ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => operand,
                _ => return false,
            };
        }
        self.info.get(at).is_some_and(|info| matches!(info.meaning, Meaning::Formula(_)))
    }

    /// The pointer that a place in memory is read through: the `p` of `*p`, `p[n]`, `p->m.x[2]`.
    pub(super) fn read_through<'e>(&self, operand: &'e Expr) -> Option<&'e Expr> {
        let mut at = operand;
        loop {
            let next: Option<&'e Expr> = match &at.kind {
                ExprKind::Member { base, .. } => Some(base),
                ExprKind::Unary { operand, .. } => Some(operand),
                ExprKind::Index { base, keys } => match self.info.get(base) {
                    Some(info) if self.session.types.target(info.ty).is_some() => Some(base),
                    _ => keys.first(),
                },
                _ => None,
            };
            let next = next?;
            let info = self.info.get(next)?;
            // A struct or array that lies in memory is no pointer: its own address counts.
            let in_memory = info.meaning == Meaning::Memory
                && !matches!(self.session.types.resolve(info.ty), Type::Pointer(_));
            if !in_memory {
                return Some(next);
            }
            at = next;
        }
    }

    /// Pointer arithmetic needs to know what one step is.
    pub(super) fn known_size(&mut self, pointer: ExprInfo, span: Span) -> Result<(), Diagnostic> {
        let Some(target) = self.session.types.target(pointer.ty) else { return Ok(()) };
        self.session.complete(target);
        match self.session.types.size(target, self.session.limits.strsize) {
            Some(_) => Ok(()),
            None => Err(self.session.incomplete_type(span, target)),
        }
    }
}

/// A constant index of an array of a declared length (language spec §6.3).
pub(super) fn within(length: u64, index: Option<i64>, span: Span) -> Result<(), Diagnostic> {
    match index {
        Some(index) if length > 1 && index as u64 >= length => Err(errors::array_bounds(span, index, length)),
        _ => Ok(()),
    }
}
