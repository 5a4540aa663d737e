//! What pointers point into, now that all assignments are known: scratch memory or anything else.
//!
//! In: an expression, the checker's tables and the frame it stands in. Out: its [`Provenance`], and the memory that a load
//! through it reads. Lowers nothing.

use std::collections::BTreeSet;

use super::build::{Fits, Val};
use super::clause::Lower;
use super::formula::{Binding, Bound, Frame};
use crate::ast::{Expr, ExprKind, UnaryOp};
use crate::check::flows::held_as;
use crate::check::{Checked, ExprInfo, Meaning, Provenance};
use crate::diag::{Diagnostic, Tag};
use crate::ir::{AddrSpace, Reg, VarId};
use crate::types::{Type, TypeId};

impl Lower<'_> {
    /// What memory a load through a pointer reads.
    pub(super) fn space(&self, pointer: &Expr, info: ExprInfo) -> Result<AddrSpace, Diagnostic> {
        let bound = match info.meaning {
            Meaning::Param(index) => self.frame.bindings.get(index as usize),
            _ => None,
        };
        if info.userland || bound.is_some_and(|binding| binding.userland) {
            return Ok(AddrSpace::User);
        }
        match self.provenance(pointer) {
            // An address that is none of a variable is none of scratch memory either, and faults there: nothing needs the event.
            Provenance::Scratch | Provenance::Variable => Ok(AddrSpace::Scratch),
            Provenance::Mixed => Err(Diagnostic::new(
                Tag::AllocaIncompat,
                pointer.span,
                "?: may not choose between a pointer to scratch memory and another pointer",
            )),
            Provenance::Null | Provenance::Other | Provenance::Unknown => Ok(AddrSpace::ByAddress),
        }
    }

    /// What a pointer points into.
    pub(super) fn provenance(&self, expr: &Expr) -> Provenance {
        let addressed = self.tables.layout.addressed();
        View { checked: self.checked, addressed, frame: &self.frame }.provenance(expr)
    }
}

/// A frame as far as what pointers point into depends on it.
struct View<'v, 'a> {
    checked: &'a Checked,
    addressed: &'v BTreeSet<VarId>,
    frame: &'v Frame<'a>,
}

impl View<'_, '_> {
    fn info_of(&self, expr: &Expr) -> ExprInfo {
        let default = || ExprInfo::value(self.checked.types.common().int).meaning(Meaning::Operator);
        self.frame.info.get(expr).unwrap_or_else(default)
    }

    fn is_pointer(&self, info: ExprInfo) -> bool {
        matches!(self.checked.types.resolve(info.ty), Type::Pointer(_))
    }

    fn is_array(&self, info: ExprInfo) -> bool {
        matches!(self.checked.types.resolve(info.ty), Type::Array(..))
    }

    fn refers(&self, expr: &Expr) -> bool {
        self.checked.types.target(self.info_of(expr).ty).is_some()
    }

    fn provenance(&self, expr: &Expr) -> Provenance {
        let info = self.info_of(expr);
        match info.meaning {
            Meaning::PartAddress(_) => return Provenance::Variable,
            Meaning::Variable(_) | Meaning::Element(_) | Meaning::Part(_) if self.is_array(info) => {
                return Provenance::Variable;
            }
            Meaning::Variable(id) | Meaning::Element(id) | Meaning::Part(id) => {
                return self.checked.vars[id.index()].provenance;
            }
            Meaning::Param(index) => {
                let binding = self.frame.bindings.get(index as usize);
                return binding.map_or(Provenance::Other, |binding| binding.provenance);
            }
            Meaning::Formula(id) if info.provenance == Provenance::Unknown => {
                return self.of_formula(expr, id);
            }
            Meaning::Formula(_) => return info.provenance,
            Meaning::Memory if self.is_pointer(info) => return self.held(expr, self.read_through(expr)),
            Meaning::PartOfValue => return self.of_part(expr, info),
            _ => {}
        }
        match &expr.kind {
            ExprKind::Cast { operand, .. } if info.provenance == Provenance::Unknown => {
                self.provenance(operand)
            }
            ExprKind::Binary { lhs, rhs, .. } if info.provenance == Provenance::Unknown => {
                self.provenance(if self.refers(lhs) { lhs } else { rhs })
            }
            ExprKind::Cond { then, otherwise, .. } if info.provenance == Provenance::Unknown => {
                self.provenance(then).join(self.provenance(otherwise))
            }
            ExprKind::Comma(_, rhs) | ExprKind::Assign { op: None, rhs, .. } => self.provenance(rhs),
            ExprKind::Unary { op: UnaryOp::AddressOf, operand } => match self.info_of(operand).meaning {
                Meaning::StringByte => Provenance::Scratch,
                _ => self.read_through(operand),
            },
            // An array or struct lies where the struct lies that it is a member of.
            ExprKind::Member { base, .. } if info.provenance == Provenance::Unknown => self.provenance(base),
            ExprKind::Index { base, keys } if info.provenance == Provenance::Unknown => match keys.first() {
                Some(key) if !self.refers(base) => self.provenance(key),
                _ => self.provenance(base),
            },
            ExprKind::Unary { operand, .. }
            | ExprKind::Postfix { operand, .. }
            | ExprKind::Assign { lhs: operand, .. }
                if info.provenance == Provenance::Unknown =>
            {
                self.provenance(operand)
            }
            _ => info.provenance,
        }
    }

    /// A pointer that is read behind another one.
    fn held(&self, expr: &Expr, behind: Provenance) -> Provenance {
        match behind {
            Provenance::Scratch => {}
            Provenance::Variable => return self.in_variables(),
            _ => return Provenance::Other,
        }
        let known = |expr: &Expr| self.frame.info.get(expr);
        self.checked.flows.held(&held_as(&self.checked.types, expr, &known))
    }

    /// A pointer that some variable holds of which an address is kept.
    fn in_variables(&self) -> Provenance {
        let held = self.addressed.iter().map(|var| self.checked.vars[var.index()].provenance);
        held.filter(|&held| held != Provenance::Unknown).reduce(Provenance::join).map_or(
            Provenance::Variable,
            |held| if held == Provenance::Mixed { Provenance::Other } else { held },
        )
    }

    /// A part of what an operator or a definition gives: a pointer as the place of the struct tells, an array or struct where
    /// that lies.
    fn of_part(&self, expr: &Expr, info: ExprInfo) -> Provenance {
        let mut root = expr;
        while self.info_of(root).meaning == Meaning::PartOfValue {
            root = match &root.kind {
                ExprKind::Index { base, keys } if !self.refers(base) && !keys.is_empty() => &keys[0],
                ExprKind::Member { base, .. } | ExprKind::Index { base, .. } => base,
                ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => operand,
                _ => return info.provenance,
            };
        }
        self.of_value(root, expr, self.is_pointer(info))
    }

    fn of_value(&self, root: &Expr, part: &Expr, pointer: bool) -> Provenance {
        let info = self.info_of(root);
        match (info.meaning, &root.kind) {
            (Meaning::Operator, ExprKind::Cond { then, otherwise, .. }) => {
                self.of_value(then, part, pointer).join(self.of_value(otherwise, part, pointer))
            }
            (
                Meaning::Operator,
                ExprKind::Comma(_, inner)
                | ExprKind::Assign { lhs: inner, .. }
                | ExprKind::Cast { operand: inner, .. },
            ) => self.of_value(inner, part, pointer),
            (Meaning::Memory, _) if pointer => self.held(part, self.provenance(root)),
            (Meaning::Param(index), _) if pointer => {
                let binding = self.frame.bindings.get(index as usize);
                match binding.map(|binding| (binding.in_memory(), binding.provenance)) {
                    Some((true, provenance)) => self.held(part, provenance),
                    Some((false, provenance)) => provenance,
                    None => Provenance::Other,
                }
            }
            _ => self.provenance(root),
        }
    }

    /// What a definition gives with the arguments of one use.
    fn of_formula(&self, expr: &Expr, id: crate::check::formula::FormulaId) -> Provenance {
        let formula = &self.checked.formulas[id.index()];
        let arguments: Vec<(&Expr, TypeId)> = match &expr.kind {
            ExprKind::Index { keys, .. } => {
                keys.iter().zip(formula.params.iter().map(|param| param.ty.ty)).collect()
            }
            ExprKind::Member { base, .. } => match (&base.kind, self.info_of(base).meaning) {
                (ExprKind::Xlate { operand, .. }, Meaning::Translation(made)) => {
                    vec![(operand, self.checked.translators[made.translator.index()].input.ty)]
                }
                _ => return Provenance::Unknown,
            },
            _ => return Provenance::Unknown,
        };
        let none = Val::new(Reg(0), Fits::ANY);
        let bound = |(argument, to): (&Expr, TypeId)| {
            let types = &self.checked.types;
            let copied = types.is_string(self.info_of(argument).ty) && !types.is_string(to);
            let provenance = if copied { Provenance::Scratch } else { self.provenance(argument) };
            Binding { value: Bound::Val(none), provenance, userland: self.info_of(argument).userland }
        };
        let (tree, early) = formula.tree(&self.checked.programs);
        let bindings = arguments.into_iter().map(bound).collect();
        let frame = Frame { early, info: &formula.info, bindings };
        View { frame: &frame, ..*self }.provenance(tree)
    }

    /// What the pointer that a place in memory is read through points into.
    fn read_through(&self, operand: &Expr) -> Provenance {
        let mut at = operand;
        loop {
            let next: &Expr = match &at.kind {
                ExprKind::Member { base, .. } => base,
                ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => operand,
                ExprKind::Index { base, keys } => match keys.first() {
                    Some(key) if !self.refers(base) => key,
                    _ => base,
                },
                _ => return Provenance::Other,
            };
            let info = self.info_of(next);
            if info.meaning != Meaning::Memory || self.is_pointer(info) {
                return self.provenance(next);
            }
            at = next;
        }
    }
}
