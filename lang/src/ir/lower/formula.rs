//! Uses of formulas: the arguments are evaluated once, left to right, and the formula's own tree is lowered in place
//! with its own tables (language spec §7.3).

use super::build::Val;
use super::clause::Lower;
use super::stored;
use crate::ast::{Expr, ExprKind};
use crate::check::fold::Early;
use crate::check::formula::FormulaId;
use crate::check::{Provenance, TypeInfo};
use crate::diag::Diagnostic;

/// A parameter's value while its formula is lowered.
#[derive(Clone, Copy)]
pub(super) struct Binding {
    pub(super) val: Val,
    /// What the argument points into, if it is a pointer.
    pub(super) provenance: Provenance,
}

/// Whose tree is being lowered: its tables, and the values of its parameters.
#[derive(Clone)]
pub(super) struct Frame<'a> {
    pub(super) early: &'a Early,
    pub(super) info: &'a TypeInfo,
    pub(super) bindings: Vec<Binding>,
}

impl Lower<'_> {
    /// The value of an expression that means a formula.
    pub(super) fn formula(&mut self, expr: &Expr, id: FormulaId) -> Result<Val, Diagnostic> {
        let checked = self.checked;
        let Some(formula) = checked.formulas.get(id.index()) else {
            return Ok(self.build.constant(expr.span, 0));
        };
        let arguments: &[Expr] = match &expr.kind {
            ExprKind::Index { keys, .. } => keys,
            _ => &[],
        };
        let mut bindings = Vec::with_capacity(arguments.len());
        for (argument, param) in arguments.iter().zip(formula.params.iter()) {
            let val = self.stored_val(argument, stored(&checked.types, param.ty))?;
            bindings.push(Binding { val, provenance: self.provenance(argument) });
        }
        let Some((tree, early)) = formula.tree(&checked.programs) else {
            return Ok(self.build.constant(expr.span, 0));
        };
        let caller = std::mem::replace(&mut self.frame, Frame { early, info: &formula.info, bindings });
        let value = match checked.types.is_string(formula.ty.ty) {
            true => self.stored_val(tree, stored(&checked.types, formula.ty)),
            false => self.value(tree),
        };
        self.frame = caller;
        value
    }

    /// The value of a parameter.
    pub(super) fn param(&mut self, index: u32, expr: &Expr) -> Val {
        match self.frame.bindings.get(index as usize) {
            Some(binding) => binding.val,
            // The checker has counted the arguments.
            None => self.build.constant(expr.span, 0),
        }
    }
}
