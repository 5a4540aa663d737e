//! Assignments, `++` and `--` (language spec §6.6, §6.7, §8.2).
//!
//! In: the two sides. Out: the type of the result; variables created by first assignment, and what the pointers they
//! hold point into.

use super::errors::{self, Wanted};
use super::expr::{Body, Checked, as_variable, binary_word, is_aggregation};
use super::info::{ExprInfo, Meaning};
use super::names::{Marked, Provenance, VarShape};
use crate::ast::{BinaryOp, Expr, ExprKind};
use crate::builtins::AggFn;
use crate::diag::Diagnostic;
use crate::ir::{Scope, ValueType, VarId};
use crate::source::Span;
use crate::types::{Type, TypeId};

impl Body<'_, '_> {
    /// The storage on the left of an assignment, created if it is new. `None` for its type means that the assignment
    /// gives it.
    fn place(&mut self, lhs: &Expr) -> Result<(ExprInfo, Option<VarId>), Diagnostic> {
        let untyped = |meaning: Meaning, ty: TypeId| ExprInfo {
            lvalue: true,
            writable: true,
            provenance: Provenance::Unknown,
            ..ExprInfo::value(ty).meaning(meaning)
        };
        let void = self.session.types.common().void;
        if let Some((scope, name)) = as_variable(lhs)
            && self.early.constant(lhs).is_none()
            && !(scope == Scope::Global && self.is_defined(name))
        {
            let known = self.session.names.var(scope, name);
            let creatable = scope != Scope::Global || !(self.session.is_built_in(name) || name.contains('`'));
            let id = match known {
                Some(id) => Some(id),
                None if creatable => Some(self.create(scope, name, VarShape::Scalar, lhs.span)?),
                None => None,
            };
            if let Some(id) = id
                && self.session.names.vars[id.index()].ty.is_none()
                && self.session.names.vars[id.index()].shape == VarShape::Scalar
            {
                return Ok((untyped(Meaning::Variable(id), void), Some(id)));
            }
        }
        if let ExprKind::Index { base, keys } = &lhs.kind
            && let Some((scope, name)) = as_variable(base)
            && name != "args"
            && !(scope == Scope::Global && self.is_defined(name))
            && let Some(id) = self.associative(scope, name, base.span, true)?
        {
            self.element_keys(id, keys, lhs.span)?;
            let info = match self.read(id) {
                Some(read) => read.meaning(Meaning::Element(id)),
                None => untyped(Meaning::Element(id), void),
            };
            self.info.set(lhs, info);
            let new = self.session.names.vars[id.index()].ty.is_none().then_some(id);
            return Ok((info, new));
        }
        Ok((self.expr(lhs)?, None))
    }

    /// Whether a name is an inline or a parameter of one, which no assignment makes a variable.
    fn is_defined(&self, name: &str) -> bool {
        self.param(name).is_some() || self.session.inline(name).is_some()
    }

    /// Gives a new variable its type.
    fn give_type(&mut self, lhs: &Expr, id: VarId, place: ExprInfo, ty: Marked) -> ExprInfo {
        self.session.names.vars[id.index()].ty = Some(ty);
        let info = ExprInfo { ty: ty.ty, userland: ty.userland, ..place };
        self.info.set(lhs, info);
        info
    }

    pub(super) fn assign(&mut self, lhs: &Expr, rhs: &Expr, span: Span) -> Checked {
        let (mut left, new) = self.place(lhs)?;
        if let Meaning::Variable(id) | Meaning::Element(id) = left.meaning {
            self.mention_variable(id, lhs.span)?;
        }
        if self.session.types.is_dynamic(left.ty) {
            return Err(errors::not_lvalue(span, "="));
        }
        let right = self.sample_or_expr(rhs, true).map_err(|error| match self.is_string(left) {
            true => self.session.unquoted(error, rhs),
            false => error,
        })?;
        // A translated struct is assigned whole: it has the type of the translator's output.
        let right = match right.meaning {
            Meaning::Translation(made) if !made.pointer => {
                let ty = self.session.translators[made.translator.index()].output;
                ExprInfo { ty, ..right }
            }
            _ => right,
        };
        if let Some(id) = new {
            let types = &self.session.types;
            if types.is_void(right.ty) || types.is_dynamic(right.ty) {
                let error = self.incompatible(span, right, "=", right);
                return Err(aggregates(error, lhs, rhs));
            }
            if matches!(types.resolve(right.ty), Type::Array(..)) {
                return Err(errors::assign_to_array(span, "=", &self.show(right)));
            }
            if self.session.is_incomplete(right.ty) {
                return Err(self.session.incomplete_type(rhs.span, right.ty));
            }
            if types.is_record(right.ty) {
                let var = &self.session.names.vars[id.index()];
                let (scope, name) = (var.scope, var.shown());
                self.session.check_parts(scope, right.ty, &name, span)?;
            }
            let mut given = self.marked(right);
            if matches!(self.session.types.resolve(right.ty), Type::Function(..)) {
                // The value of a function is its address.
                given.ty = self.session.types.pointer_to(right.ty);
            } else if self.session.types.size(right.ty, 1).is_none()
                && self.session.types.symbolic(right.ty).is_none()
                || matches!(self.session.types.resolve(right.ty), Type::Float(..))
            {
                return Err(self.incompatible(span, right, "=", right));
            }
            left = self.give_type(lhs, id, left, given);
        } else if let Meaning::Variable(id) | Meaning::Element(id) = left.meaning
            && self.session.types.is_unknown(left.ty)
            && self.session.value_type(right.ty).is_some()
        {
            // The first assignment that knows gives the type.
            left = self.give_type(lhs, id, left, self.marked(right));
        } else if !self.session.types.assignable(Self::operand(left), Self::operand(right))
            && (right.constant != Some(0) || !self.is_deletable(left))
        {
            return Err(aggregates(self.incompatible(span, left, "=", right), lhs, rhs));
        }
        self.check_target(left, "=", span)?;
        self.check_not_address(left.ty, right, span)?;
        self.note_flow((lhs, left), (rhs, right), span)?;
        Ok(ExprInfo { lvalue: false, writable: false, provenance: right.provenance, ..left }
            .meaning(Meaning::Operator))
    }

    /// The rules let a `string` go to a character pointer, but strings here are values without an address: a copy has one
    /// while its clause runs, which is not enough for what is kept.
    pub(super) fn check_not_address(&self, to: TypeId, from: ExprInfo, span: Span) -> Result<(), Diagnostic> {
        // An array of characters as a key is kept as its text.
        let text = self.session.types.is_string(from.ty);
        match text && self.session.value_type(to) != Some(ValueType::Str) {
            true => Err(errors::not_supported_yet(span, "the address of a string that is kept")),
            false => Ok(()),
        }
    }

    /// Dynamic variables are removed by a literal 0 whatever their type (language spec §6.7).
    fn is_deletable(&self, place: ExprInfo) -> bool {
        match place.meaning {
            Meaning::Element(_) => true,
            Meaning::Variable(id) => self.session.names.vars[id.index()].scope == Scope::ThreadLocal,
            _ => false,
        }
    }

    /// The left side must be a writable lvalue and no array.
    fn check_target(&self, left: ExprInfo, op: &str, span: Span) -> Result<(), Diagnostic> {
        if matches!(self.session.types.resolve(left.ty), Type::Array(..) | Type::Function(..)) {
            return Err(errors::assign_to_array(span, op, &self.show(left)));
        }
        if !left.lvalue {
            return Err(errors::not_lvalue(span, op));
        }
        if !left.writable {
            return Err(errors::not_writable(span, op));
        }
        Ok(())
    }

    pub(super) fn compound_assign(&mut self, op: BinaryOp, lhs: &Expr, rhs: &Expr, span: Span) -> Checked {
        self.compound(op, lhs, rhs, span).map_err(|error| self.aggregated(error, lhs))
    }

    fn compound(&mut self, op: BinaryOp, lhs: &Expr, rhs: &Expr, span: Span) -> Checked {
        let word = assign_word(op);
        let (left, right) = match is_aggregation(lhs) && self.unknown_aggregation(lhs) {
            true => {
                let ExprKind::Agg(name) = &lhs.kind else { return self.expr(lhs) };
                let shown = format!("@{name}");
                return Err(errors::undefined_variable(span, &shown));
            }
            false => {
                let left = self.compound_target(lhs)?;
                (left, self.expr(rhs)?)
            }
        };
        let integers = self.is_integer(left) && self.is_integer(right);
        match op {
            BinaryOp::Add | BinaryOp::Sub => {
                if self.is_string(left) || self.is_string(right) {
                    return Err(self.incompatible(span, left, word, right));
                }
                let types = &self.session.types;
                let pointer = types.target(left.ty).is_some();
                if types.is_void_or_function_pointer(left.ty) {
                    return Err(errors::add_assign_unknown_size(span, word));
                }
                let fits = integers || (pointer && types.is_integer(right.ty));
                if !fits {
                    return Err(self.incompatible(span, left, word, right));
                }
                self.known_size(left, span)?;
            }
            BinaryOp::Mul | BinaryOp::Div if !integers => {
                return Err(errors::operands_class(span, word, Wanted::Arithmetic));
            }
            _ if !integers => return Err(errors::operands_class(span, word, Wanted::Integral)),
            _ => {}
        }
        self.check_target(left, word, span)?;
        Ok(ExprInfo { lvalue: false, writable: false, ..left }.meaning(Meaning::Operator))
    }

    /// The left side of `op=` is read first, so it must exist: `D_VAR_UNDEF` if not.
    fn compound_target(&mut self, lhs: &Expr) -> Checked {
        if let ExprKind::Name(name) = &lhs.kind
            && self.session.names.var(Scope::Global, name).is_none()
            && !self.session.is_built_in(name)
            && !self.is_defined(name)
            && !name.contains('`')
        {
            let error = errors::undefined_variable(lhs.span, name);
            return Err(self.session.suggest_variable(error, Scope::Global, name));
        }
        self.expr(lhs)
    }

    fn unknown_aggregation(&self, lhs: &Expr) -> bool {
        matches!(&lhs.kind, ExprKind::Agg(name) if self.session.names.agg(name).is_none())
    }

    /// `++` and `--`.
    /// The error of an operator that stores, on what may be an aggregation.
    fn aggregated(&self, error: Diagnostic, place: &Expr) -> Diagnostic {
        match is_aggregation(place) && error.help.is_none() {
            true => error.help(errors::aggregate_instead(self.session.sources.text(place.span).trim())),
            false => error,
        }
    }

    pub(super) fn step(&mut self, increment: bool, operand: &Expr, span: Span) -> Checked {
        let word = if increment { "++" } else { "--" };
        let (mut info, new) = self.place(operand).map_err(|error| self.aggregated(error, operand))?;
        if let Some(id) = new {
            let ty = self.session.types.common().int64;
            info = self.give_type(operand, id, info, Marked { ty, userland: false });
        }
        let types = &self.session.types;
        if !types.is_scalar(info.ty) {
            return Err(self.aggregated(errors::step_not_scalar(span, word), operand));
        }
        if types.is_void_or_function_pointer(info.ty) {
            return Err(errors::step_unknown_size(span, word));
        }
        self.known_size(info, span)?;
        self.check_target(info, word, span)?;
        Ok(ExprInfo { lvalue: false, writable: false, ..info }.meaning(Meaning::Operator))
    }
}

fn assign_word(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Mul => "*=",
        BinaryOp::Div => "/=",
        BinaryOp::Rem => "%=",
        BinaryOp::Add => "+=",
        BinaryOp::Sub => "-=",
        BinaryOp::Shl => "<<=",
        BinaryOp::Shr => ">>=",
        BinaryOp::BitAnd => "&=",
        BinaryOp::BitXor => "^=",
        BinaryOp::BitOr => "|=",
        other => binary_word(other),
    }
}

/// Says how an aggregation is written, if an aggregating function was assigned to a variable.
fn aggregates(error: Diagnostic, lhs: &Expr, rhs: &Expr) -> Diagnostic {
    let (ExprKind::Call { callee, .. }, Some((_, name))) = (&rhs.kind, as_variable(lhs)) else {
        return error;
    };
    match &callee.kind {
        ExprKind::Name(function) if AggFn::by_name(function).is_some() => {
            error.help(errors::aggregation_sigil(name, function))
        }
        _ => error,
    }
}
