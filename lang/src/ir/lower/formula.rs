//! Uses of formulas: the arguments are evaluated once, left to right, and the formula's own tree is lowered in place
//! with its own tables (language spec §7.3, §7.4).

use super::build::{Fits, Val};
use super::clause::Lower;
use super::place::MemoryAt;
use super::values::RecordAt;
use crate::ast::{Expr, ExprKind};
use crate::check::fold::Early;
use crate::check::formula::FormulaId;
use crate::check::session::value_type;
use crate::check::{Marked, Meaning, Provenance, TypeInfo};
use crate::diag::Diagnostic;
use crate::ir::AddrSpace;

/// What a parameter stands for.
#[derive(Clone)]
pub(super) enum Bound {
    Val(Val),
    /// A struct, or an array that is none of characters, where it lies.
    Record(RecordAt),
}

/// A parameter while its formula is lowered.
#[derive(Clone)]
pub(super) struct Binding {
    pub(super) value: Bound,
    /// What the argument points into, if it is a pointer.
    pub(super) provenance: Provenance,
    /// Whether it points to the traced process's memory.
    pub(super) userland: bool,
}

impl Binding {
    /// Whether it is a struct that lies in memory.
    pub(super) fn in_memory(&self) -> bool {
        matches!(self.value, Bound::Record(RecordAt::Memory(_)))
    }
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
        let ty = self.checked.formulas[id.index()].ty;
        let width = self.member_width(expr);
        let bindings = self.formula_bindings(expr, id)?;
        self.inside(id, bindings, |lower, tree| match lower.is_string(ty.ty) {
            true => lower.string(tree).map(|reg| Val::new(reg, Fits::ANY)),
            false => match value_type(&lower.checked.types, ty.ty) {
                Some(crate::ir::ValueType::Str) => lower.stored_val(tree, crate::ir::ValueType::Str),
                _ if lower.needs_address(tree, ty.ty) => lower.address_of_text(tree),
                _ if lower.checked.types.is_bool(ty.ty) => lower.assigned_val(tree, ty.ty),
                _ => {
                    let val = lower.value(tree)?;
                    let signed = lower.checked.types.width(ty.ty).1;
                    Ok(width.map_or(val, |width| lower.cut(val, width, signed, tree.span)))
                }
            },
        })
    }

    /// The width of the bit-field that a member of a translation stands for.
    fn member_width(&self, expr: &Expr) -> Option<u8> {
        let ExprKind::Member { base, member, .. } = &expr.kind else { return None };
        let Meaning::Translation(made) = self.info_of(base).meaning else { return None };
        let output = self.checked.translators[made.translator.index()].output;
        self.checked.types.member(output, &member.name)?.member.width
    }

    /// What a use of a formula gives its parameters: of a member of a translation its input, of an inline the arguments.
    pub(super) fn formula_bindings(
        &mut self,
        expr: &Expr,
        id: FormulaId,
    ) -> Result<Vec<Binding>, Diagnostic> {
        match &expr.kind {
            ExprKind::Member { base, .. } => Ok(vec![self.translation_input(base)?]),
            _ => self.arguments(expr, id),
        }
    }

    /// The values that the uses of an inline give its parameters.
    pub(super) fn arguments(&mut self, expr: &Expr, id: FormulaId) -> Result<Vec<Binding>, Diagnostic> {
        let params = self.checked.formulas[id.index()].params.clone();
        let arguments: &[Expr] = match &expr.kind {
            ExprKind::Index { keys, .. } => keys,
            _ => &[],
        };
        arguments.iter().zip(params.iter()).map(|(argument, param)| self.bind(argument, param.ty)).collect()
    }

    /// The value that an argument gives to a parameter.
    pub(super) fn bind(&mut self, argument: &Expr, ty: Marked) -> Result<Binding, Diagnostic> {
        let userland = self.info_of(argument).userland;
        if self.needs_address(argument, ty.ty) {
            let value = Bound::Val(self.address_of_text(argument)?);
            return Ok(Binding { value, provenance: Provenance::Scratch, userland });
        }
        let provenance = self.provenance(argument);
        let value = match value_type(&self.checked.types, ty.ty) {
            Some(_) => Bound::Val(self.assigned_val(argument, ty.ty)?),
            None => Bound::Record(self.record_at(argument)?),
        };
        Ok(Binding { value, provenance, userland })
    }

    /// Lowers something in the frame of a formula.
    pub(super) fn inside<T>(
        &mut self,
        id: FormulaId,
        bindings: Vec<Binding>,
        work: impl FnOnce(&mut Self, &Expr) -> Result<T, Diagnostic>,
    ) -> Result<T, Diagnostic> {
        let checked = self.checked;
        let formula = &checked.formulas[id.index()];
        let (tree, early) = formula.tree(&checked.programs);
        let caller = std::mem::replace(&mut self.frame, Frame { early, info: &formula.info, bindings });
        let result = work(self, tree);
        self.frame = caller;
        result
    }

    /// The value of a parameter.
    pub(super) fn param(&mut self, index: u32, expr: &Expr) -> Val {
        match self.frame.bindings.get(index as usize).map(|binding| &binding.value) {
            Some(&Bound::Val(val)) => val,
            // The checker has counted the arguments, and a struct has no value.
            _ => self.build.constant(expr.span, 0),
        }
    }

    /// Where the struct lies that a parameter stands for.
    pub(super) fn param_at(&mut self, index: u32, expr: &Expr) -> MemoryAt {
        let binding = self.frame.bindings.get(index as usize).cloned();
        if let Some(Binding { value: Bound::Record(RecordAt::Memory(at)), .. }) = binding {
            return at;
        }
        let space = match binding {
            Some(binding) if binding.userland => AddrSpace::User,
            Some(Binding { provenance: Provenance::Scratch | Provenance::Variable, .. }) => {
                AddrSpace::Scratch
            }
            _ => AddrSpace::ByAddress,
        };
        let base = self.param(index, expr).reg;
        MemoryAt { base: Some(base), offset: 0, space }
    }
}
