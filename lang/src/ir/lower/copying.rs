//! Assignments of whole structs, unions and arrays: the right side is complete before anything is stored (language spec
//! §6.1), so that a fault on the way leaves the left side as it was, and what overlaps is read as it was.
//!
//! In: the two sides. Out: reads of all parts, the place on the left, then the stores. What lies in a variable cannot fault
//! and, outside of unions, overlaps with nothing else, so it is copied part by part where finding the left side changes nothing: few values are
//! in flight then. Translations are [`super::translation`].

use super::build::{Fits, Val};
use super::clause::Lower;
use super::expr::not_yet;
use super::storage::MAX_COPIED;
use super::values::RecordAt;
use crate::ast::{Expr, ExprKind, UnaryOp};
use crate::check::Meaning;
use crate::diag::Diagnostic;
use crate::ir::{Reg, RegKind};
use crate::source::Span;
use crate::types::TypeId;
use crate::types::parts::{Part, parts};

/// Most strings that one assignment keeps in flight; where there are more, they are read twice, the first time for faults
/// only.
const HELD_STRINGS: u64 = 16;

/// The scalars of parts: each with the part that it is of and its number in it.
fn scalars(parts: &[Part]) -> impl Iterator<Item = (&Part, u64)> {
    parts.iter().flat_map(|part| (0..part.count()).map(move |number| (part, number)))
}

impl Lower<'_> {
    /// `lhs = rhs` of structs or unions, and `lhs = 0` of what may be removed. Gives the place on the left.
    pub(super) fn copy(&mut self, lhs: &Expr, rhs: &Expr, span: Span) -> Result<RecordAt, Diagnostic> {
        let ty = self.info_of(lhs).ty;
        if let Meaning::Translation(made) = self.info_of(rhs).meaning {
            let stores = self.translated(made, rhs, span)?;
            let target = self.record_at(lhs)?;
            self.put_translated(&target, ty, stores, span)?;
            return Ok(target);
        }
        let zero = self.frame.early.constant(rhs).is_some();
        let source = if zero { None } else { Some(self.record_at(rhs)?) };
        let parts = parts(&self.checked.types, ty);
        let total = |parts: &[Part]| parts.iter().fold(0u64, |n, part| n.saturating_add(part.count()));
        let parts = parts.filter(|parts| total(parts) <= MAX_COPIED);
        let parts = parts.ok_or_else(|| not_yet(span, "assignments of so large structs"))?;
        let Some(source) = source else {
            let target = self.record_at(lhs)?;
            for (part, number) in scalars(&parts) {
                self.copy_part(ty, part, number, None, &target, span)?;
            }
            return Ok(target);
        };
        let settled = self.changes_nothing(lhs);
        if source.may_change_or_fault() || !settled {
            let strings = parts.iter().filter(|part| self.is_string_part(part));
            let few = strings.map(Part::count).sum::<u64>() <= HELD_STRINGS;
            let held = self.hold(&source, ty, &parts, span)?;
            let target = self.record_at(lhs)?;
            // What is stored to may be what would be read once more.
            if few || !settled || target.may_change_or_fault() {
                for ((part, number), val) in scalars(&parts).zip(held) {
                    self.put_part(&target, ty, part, number, val, span)?;
                }
                return Ok(target);
            }
        }
        let target = self.record_at(lhs)?;
        self.at_each(&source, &mut |lower, leaf| {
            scalars(&parts)
                .try_for_each(|(part, number)| lower.copy_part(ty, part, number, Some(leaf), &target, span))
        })?;
        Ok(target)
    }

    /// Reads all scalars of what lies somewhere.
    fn hold(
        &mut self,
        source: &RecordAt,
        ty: TypeId,
        parts: &[Part],
        span: Span,
    ) -> Result<Vec<Val>, Diagnostic> {
        if !matches!(source, RecordAt::Choice { .. }) {
            let read = |(part, number): (&Part, u64)| self.part_from(source, ty, part, number, span);
            return scalars(parts).map(read).collect();
        }
        // Whichever arm is chosen fills the same registers.
        let kind = |part: &Part| if self.is_string_part(part) { RegKind::Str } else { RegKind::Int };
        let kinds: Vec<RegKind> = scalars(parts).map(|(part, _)| kind(part)).collect();
        let regs: Vec<Reg> = kinds.into_iter().map(|kind| self.build.reg(kind)).collect();
        self.at_each(source, &mut |lower, leaf| {
            for ((part, number), &dst) in scalars(parts).zip(&regs) {
                let mark = lower.build.mark();
                let val = lower.part_from(leaf, ty, part, number, span)?;
                lower.build.put(span, dst, val.reg, mark);
            }
            Ok(())
        })?;
        Ok(regs.into_iter().map(|reg| Val::new(reg, Fits::ANY)).collect())
    }

    /// Whether a part is a string.
    fn is_string_part(&self, part: &Part) -> bool {
        !part.words && self.is_string(part.ty)
    }

    /// Whether to find the place that an expression names changes no variable and no memory, and has no other effect.
    fn changes_nothing(&self, expr: &Expr) -> bool {
        if matches!(self.info_of(expr).meaning, Meaning::Formula(_)) {
            return false;
        }
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Str(_)
            | ExprKind::Name(_)
            | ExprKind::SelfVar(_)
            | ExprKind::ThisVar(_)
            | ExprKind::SizeofType(_) => true,
            ExprKind::Member { base: operand, .. } | ExprKind::Cast { operand, .. } => {
                self.changes_nothing(operand)
            }
            ExprKind::Unary { op, operand } => {
                !matches!(op, UnaryOp::Increment | UnaryOp::Decrement) && self.changes_nothing(operand)
            }
            ExprKind::Binary { lhs, rhs, .. } => self.changes_nothing(lhs) && self.changes_nothing(rhs),
            ExprKind::Index { base, keys } => {
                self.changes_nothing(base) && keys.iter().all(|key| self.changes_nothing(key))
            }
            _ => false,
        }
    }
}

impl RecordAt {
    /// Whether any of it lies in memory, where a read may fault, or in a union: there what is stored to may be what is read.
    fn may_change_or_fault(&self) -> bool {
        match self {
            RecordAt::Variable(at) => at.union.is_some(),
            RecordAt::Memory(_) => true,
            RecordAt::Choice { arms, .. } => arms.iter().any(RecordAt::may_change_or_fault),
        }
    }
}
