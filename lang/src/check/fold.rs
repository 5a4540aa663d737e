//! What is decided while a program is read, before any clause is checked (language spec §1.5, §6.2): constant
//! expressions, division by a constant zero, the types of casts, and the names of functions.
//!
//! In: the tree of one program, in source order. Out: [`Early`], its side tables. Knows the names that declarations
//! and earlier programs made, never those that clauses of this program make.

use std::collections::HashMap;
use std::sync::Arc;

use super::errors;
use super::formula::Param;
use super::names::Marked;
use super::session::Session;
use super::typenames::is_dynamic;
use crate::ast::operands::{operands, operands_mut};
use crate::ast::{BinaryOp, Expr, ExprId, ExprKind, Ident, IntLit, Program, Stmt, UnaryOp};
use crate::builtins::{Action, AggFn, BuiltinVar, Func, actions, funcs};
use crate::diag::Diagnostic;
use crate::ir::Scope;
use crate::source::Span;
use crate::types::classes::truncate;
use crate::types::{
    INT, IntType, LONG, LONG_LONG, TypeId, TypeTable, UNSIGNED, UNSIGNED_LONG, UNSIGNED_LONG_LONG,
};

/// An integer constant expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Folded {
    /// Its 64 bits.
    pub value: i64,
    /// Its type.
    pub ty: TypeId,
}

/// The side tables of a program that do not depend on its probes.
#[derive(Clone, Debug, Default)]
pub struct Early {
    /// By [`ExprId`]: the constants.
    constants: Vec<Option<Folded>>,
    /// The types of casts.
    casts: HashMap<ExprId, Marked>,
    /// Whether some `?:` has a constant condition.
    chooses: bool,
    /// The parameters of the formula being checked.
    pub(super) params: Arc<[Param]>,
}

impl Early {
    /// Tables for a program, empty.
    pub fn new(program: &Program) -> Early {
        Early {
            constants: vec![None; program.expr_count as usize],
            casts: HashMap::new(),
            chooses: false,
            params: Arc::from([]),
        }
    }

    /// The value of an expression that is an integer constant.
    pub fn constant(&self, expr: &Expr) -> Option<Folded> {
        self.constants.get(expr.id.0 as usize).copied().flatten()
    }

    /// The type of a cast.
    pub fn cast(&self, expr: &Expr) -> Option<Marked> {
        self.casts.get(&expr.id).copied()
    }

    /// The arm that a `?:` with a constant condition becomes; any other expression itself.
    fn taken<'a>(&self, mut expr: &'a Expr) -> &'a Expr {
        while let ExprKind::Cond { cond, then, otherwise } = &expr.kind
            && let Some(c) = self.constant(cond)
        {
            expr = if c.value != 0 { then } else { otherwise };
        }
        expr
    }

    /// Puts the arms in the place of the `?:` with constant conditions: all that follows sees nothing else, and the other
    /// arms are not checked (language spec §6.2).
    pub(super) fn take_arms(&self, expr: &mut Expr) {
        if self.chooses {
            self.take_arms_of(expr);
        }
    }

    fn take_arms_of(&self, expr: &mut Expr) {
        while let ExprKind::Cond { cond, then, otherwise } = &mut expr.kind
            && let Some(c) = self.constant(cond)
        {
            let arm = if c.value != 0 { then } else { otherwise };
            let nothing = Expr { id: arm.id, span: arm.span, kind: ExprKind::Str(Default::default()) };
            *expr = std::mem::replace(&mut **arm, nothing);
        }
        operands_mut(expr, &mut |child| self.take_arms_of(child));
    }

    /// The same in statements.
    pub(super) fn take_arms_in(&self, stmts: &mut [Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Empty(_) => {}
                Stmt::Expr(expr) => self.take_arms(expr),
                Stmt::If { cond, then, otherwise, .. } => {
                    self.take_arms(cond);
                    self.take_arms_in(then);
                    self.take_arms_in(otherwise);
                }
            }
        }
    }

    fn set(&mut self, expr: &Expr, folded: Folded) {
        if let Some(slot) = self.constants.get_mut(expr.id.0 as usize) {
            *slot = Some(folded);
        }
    }
}

/// The type of an integer constant (language spec §2.8); `None` if none can hold it.
pub fn literal_type(types: &mut TypeTable, literal: IntLit) -> Option<TypeId> {
    const SIGNED: [IntType; 3] = [INT, LONG, LONG_LONG];
    const UNSIGNED_ONLY: [IntType; 3] = [UNSIGNED, UNSIGNED_LONG, UNSIGNED_LONG_LONG];
    const ANY: [IntType; 6] = [INT, UNSIGNED, LONG, UNSIGNED_LONG, LONG_LONG, UNSIGNED_LONG_LONG];
    let from = usize::from(literal.longs.min(2));
    let candidates: &[IntType] = match (literal.unsigned, literal.decimal) {
        (true, _) => &UNSIGNED_ONLY[from..],
        (false, true) => &SIGNED[from..],
        (false, false) => &ANY[2 * from..],
    };
    let fits = |int: &&IntType| {
        let most = u64::MAX >> (64 - int.bits + u8::from(int.signed));
        literal.value <= most
    };
    candidates.iter().find(fits).map(|&int| types.int(int))
}

impl Session<'_> {
    /// Walks the expressions of statements.
    pub(super) fn fold_stmts(&mut self, early: &mut Early, stmts: &[Stmt]) -> Result<(), Diagnostic> {
        for stmt in stmts {
            match stmt {
                Stmt::Empty(_) => {}
                Stmt::Expr(expr) => self.fold(early, expr)?,
                Stmt::If { cond, then, otherwise, .. } => {
                    self.fold(early, cond)?;
                    self.fold_stmts(early, then)?;
                    self.fold_stmts(early, otherwise)?;
                }
            }
        }
        Ok(())
    }

    /// Walks an expression, operands first. Trees are deep, so what one node takes of the stack is kept small here and
    /// the work is done in [`Session::fold_node`].
    pub(super) fn fold(&mut self, early: &mut Early, expr: &Expr) -> Result<(), Diagnostic> {
        let mut result = Ok(());
        operands(expr, &mut |child| {
            let is_callee = matches!(&expr.kind, ExprKind::Call { callee, .. } if callee.id == child.id);
            // What a constant condition chooses is called.
            if result.is_ok() && (!is_callee || matches!(child.kind, ExprKind::Cond { .. })) {
                result = self.fold(early, child);
            }
        });
        result.and_then(|()| self.fold_node(early, expr))
    }

    fn fold_node(&mut self, early: &mut Early, expr: &Expr) -> Result<(), Diagnostic> {
        let folded = match &expr.kind {
            ExprKind::Int(literal) => {
                let ty = literal_type(&mut self.types, *literal);
                let ty = ty.ok_or_else(|| errors::constant_too_large(expr.span, literal.value))?;
                Some(Folded { value: literal.value as i64, ty })
            }
            // A parameter hides whatever else has its name.
            ExprKind::Name(name) if early.params.iter().any(|param| param.name == *name) => None,
            ExprKind::Name(name) => {
                let ty = self.types.common().int;
                let inline = self.inline_constant(name).filter(|_| self.hidden(name).is_none());
                inline
                    .or_else(|| self.library_constant(name).map(|value| Folded { value, ty }))
                    .or_else(|| self.enumerators.get(name).copied())
            }
            ExprKind::Call { callee, .. } => {
                self.callee(early.taken(callee))?;
                None
            }
            ExprKind::Unary { op, operand } => {
                early.constant(operand).and_then(|c| fold_unary(&self.types, *op, c))
            }
            ExprKind::Binary { op, lhs, rhs } => {
                self.check_divisor(early, Some(*op), expr, rhs)?;
                match (early.constant(lhs), early.constant(rhs)) {
                    (Some(a), Some(b)) => fold_binary(&self.types, *op, a, b),
                    _ => None,
                }
            }
            ExprKind::Cond { cond, then, otherwise } => {
                let taken = early.constant(cond).map(|c| if c.value != 0 { then } else { otherwise });
                early.chooses |= taken.is_some();
                taken.and_then(|arm| early.constant(arm))
            }
            ExprKind::Assign { op, rhs, .. } => {
                self.check_divisor(early, *op, expr, rhs)?;
                None
            }
            ExprKind::Xlate { ty, .. } => {
                let to = self.type_name(early, ty)?;
                early.casts.insert(expr.id, to);
                None
            }
            ExprKind::Cast { ty, operand } => {
                let to = self.type_name(early, ty)?;
                early.casts.insert(expr.id, to);
                let c = early.constant(operand).filter(|_| self.types.is_integer(to.ty));
                c.map(|c| Folded { value: self.cut(c, to.ty), ty: to.ty })
            }
            ExprKind::SizeofType(ty) => {
                if is_dynamic(ty) {
                    return Err(errors::sizeof_type(expr.span));
                }
                let marked = self.type_name(early, ty)?;
                self.complete(marked.ty);
                let size = self.types.size(marked.ty, self.limits.strsize);
                let value = size.ok_or_else(|| self.unsized_operand(expr.span, marked.ty))? as i64;
                Some(Folded { value, ty: self.types.common().size })
            }
            ExprKind::Offsetof { ty, member } => {
                let ty = self.type_name(early, ty)?.ty;
                let value = self.offset_of(ty, member, expr.span)? as i64;
                Some(Folded { value, ty: self.types.common().size })
            }
            ExprKind::SizeofExpr(operand) => match &early.taken(operand).kind {
                ExprKind::Str(bytes) => {
                    Some(Folded { value: bytes.len() as i64 + 1, ty: self.types.common().size })
                }
                _ => None,
            },
            _ => None,
        };
        if let Some(folded) = folded {
            early.set(expr, folded);
        }
        Ok(())
    }

    /// The place of a member in bytes.
    fn offset_of(&mut self, ty: TypeId, member: &Ident, span: Span) -> Result<u64, Diagnostic> {
        if !self.types.is_record(ty) {
            return Err(errors::offsetof_type(span));
        }
        self.with_members(ty);
        if self.types.record(ty).is_none() {
            let why = self.incomplete_type(span, ty).help;
            return Err(Diagnostic { help: why, ..errors::offsetof_type(span) });
        }
        let found = self.types.member(ty, &member.name);
        let found =
            found.ok_or_else(|| errors::offsetof_member(member.span, &member.name, &self.types.show(ty)))?;
        match found.member.width {
            Some(_) => Err(errors::offsetof_bit_field(member.span, &member.name)),
            None => Ok(found.bit_offset / 8),
        }
    }

    /// A constant as a cast leaves it.
    fn cut(&self, c: Folded, to: TypeId) -> i64 {
        if self.types.is_bool(to) {
            return i64::from(c.value != 0);
        }
        match self.types.cast_cut(to, c.ty) {
            Some((bits, signed)) => truncate(c.value, bits, signed),
            None => c.value,
        }
    }

    fn check_divisor(
        &self,
        early: &Early,
        op: Option<BinaryOp>,
        expr: &Expr,
        divisor: &Expr,
    ) -> Result<(), Diagnostic> {
        let divides = matches!(op, Some(BinaryOp::Div | BinaryOp::Rem));
        if divides && early.constant(divisor).is_some_and(|c| c.value == 0) {
            return Err(errors::division_by_zero(expr.span));
        }
        Ok(())
    }

    /// The callee of a call must be the name of a function (language spec §6.3).
    fn callee(&self, callee: &Expr) -> Result<(), Diagnostic> {
        let ExprKind::Name(name) = &callee.kind else {
            return Err(errors::callee_not_a_name(callee.span));
        };
        let span = callee.span;
        let known = Func::called(name, self.strict).is_some()
            || Action::by_name(name).is_some()
            || AggFn::called(name, self.strict).is_some();
        if known && self.hidden(name).is_none() {
            return Ok(());
        }
        if let Some(id) = self.names.var(Scope::Global, name) {
            let kind = super::kind_of_shape(&self.names.vars[id.index()].shape);
            return Err(errors::not_a_function(span, kind, name));
        }
        if BuiltinVar::by_name(name).is_some() {
            return Err(errors::not_a_function(span, "scalar", name));
        }
        if super::BUILTIN_ARRAYS.contains(&name.as_str()) {
            return Err(errors::not_a_function(span, "associative array", name));
        }
        if self.library_constant(name).is_some() || self.inline(name).is_some() {
            return Err(errors::not_a_function(span, "inline", name));
        }
        if self.enumerators.contains_key(name) {
            return Err(errors::not_a_function(span, "enumerator", name));
        }
        // Their arguments are checked first.
        if funcs::UNIMPLEMENTED.iter().any(|row| row.0 == name) {
            return Ok(());
        }
        if actions::UNIMPLEMENTED.contains(&name.as_str()) {
            return Err(errors::not_implemented(span, name));
        }
        if known {
            return Err(self.hidden_help(errors::undefined_function(span, name), name));
        }
        Err(self.suggest_function(errors::undefined_function(span, name), name))
    }
}

fn fold_unary(types: &TypeTable, op: UnaryOp, c: Folded) -> Option<Folded> {
    let value = match op {
        UnaryOp::Plus => c.value,
        UnaryOp::Minus => match types.width(c.ty) {
            (bits, false) => truncate(c.value.wrapping_neg(), bits, false),
            _ => c.value.wrapping_neg(),
        },
        UnaryOp::BitNot => !c.value,
        UnaryOp::Not => i64::from(c.value == 0),
        UnaryOp::AddressOf | UnaryOp::Deref | UnaryOp::Increment | UnaryOp::Decrement => return None,
    };
    Some(Folded { value, ty: c.ty })
}

/// Whether an operation on two types is signed: the converted type is.
pub fn is_signed(types: &TypeTable, a: TypeId, b: TypeId) -> bool {
    types.arithmetic(a, b).is_some_and(|ty| types.width(ty).1)
}

fn fold_binary(types: &TypeTable, op: BinaryOp, a: Folded, b: Folded) -> Option<Folded> {
    let ty = types.arithmetic(a.ty, b.ty)?;
    let signed = types.width(ty).1;
    let (x, y) = (a.value, b.value);
    let (ux, uy) = (x as u64, y as u64);
    let int = types.common().int;
    let truth = |t: bool| Some(Folded { value: i64::from(t), ty: int });
    let less = |strict_swap: bool| {
        let (l, r, ul, ur) = if strict_swap { (y, x, uy, ux) } else { (x, y, ux, uy) };
        if signed { l < r } else { ul < ur }
    };
    let value = match op {
        BinaryOp::Mul => x.wrapping_mul(y),
        BinaryOp::Div | BinaryOp::Rem if y == 0 => return None,
        BinaryOp::Div if signed => x.wrapping_div(y),
        BinaryOp::Div => (ux / uy) as i64,
        BinaryOp::Rem if signed => x.wrapping_rem(y),
        BinaryOp::Rem => (ux % uy) as i64,
        BinaryOp::Add => x.wrapping_add(y),
        BinaryOp::Sub => x.wrapping_sub(y),
        BinaryOp::Shl => return Some(Folded { value: x.wrapping_shl(y as u32), ty: a.ty }),
        BinaryOp::Shr => {
            let count = y as u32;
            let value =
                if types.width(a.ty).1 { x.wrapping_shr(count) } else { ux.wrapping_shr(count) as i64 };
            return Some(Folded { value, ty: a.ty });
        }
        BinaryOp::BitAnd => x & y,
        BinaryOp::BitXor => x ^ y,
        BinaryOp::BitOr => x | y,
        BinaryOp::Lt => return truth(less(false)),
        BinaryOp::Gt => return truth(less(true)),
        BinaryOp::Le => return truth(!less(true)),
        BinaryOp::Ge => return truth(!less(false)),
        BinaryOp::Eq => return truth(x == y),
        BinaryOp::Ne => return truth(x != y),
        BinaryOp::LogAnd => return truth(x != 0 && y != 0),
        BinaryOp::LogXor => return truth((x != 0) != (y != 0)),
        BinaryOp::LogOr => return truth(x != 0 || y != 0),
    };
    Some(Folded { value, ty })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literal_types() {
        let mut types = TypeTable::new();
        for (value, decimal, unsigned, longs, expected) in [
            (2_147_483_647, true, false, 0, Some("int")),
            (2_147_483_648, true, false, 0, Some("long")),
            (0x8000_0000, false, false, 0, Some("unsigned int")),
            (0xffff_ffff_ffff_ffff, false, false, 0, Some("unsigned long")),
            (0x8000_0000_0000_0000, true, false, 0, None),
            (1, true, true, 0, Some("unsigned int")),
            (4_294_967_296, true, true, 0, Some("unsigned long")),
            (1, true, false, 1, Some("long")),
            (0xffff_ffff_ffff_ffff, false, false, 1, Some("unsigned long")),
            (1, true, false, 2, Some("long long")),
            (1, true, true, 1, Some("unsigned long")),
            (1, true, true, 2, Some("unsigned long long")),
            (0xffff_ffff_ffff_ffff, false, false, 2, Some("unsigned long long")),
        ] {
            let literal = IntLit { value, decimal, unsigned, longs };
            let ty = literal_type(&mut types, literal).map(|t| types.show(t));
            assert_eq!(ty.as_deref(), expected, "{literal:?}");
        }
    }
}
