//! Translations: the input is evaluated, and members' formulas are lowered with it (language spec §7.4).

use super::build::{Fits, Val};
use super::clause::Lower;
use super::expr::not_yet;
use super::formula::{Binding, Bound};
use super::storage::MAX_COPIED;
use super::values::{RecordAt, Spot};
use crate::ast::{Expr, ExprKind};
use crate::builtins::Func;
use crate::check::formula::FormulaId;
use crate::check::translator::{From, Translation};
use crate::check::{ExprInfo, Marked, Meaning, Provenance};
use crate::diag::Diagnostic;
use crate::ir::{Op, Reg, RegKind};
use crate::source::Span;
use crate::types::TypeId;
use crate::types::parts::{Part, has_parts, parts};
use crate::types::records::Found;

/// A store of a translation, whose value is known. None is made before all values are, for what a member is made from may
/// be what another one is stored to, or fault.
enum Store {
    /// A scalar or string.
    Value(Spot, Val),
    /// A part of a struct or array; `None` clears it.
    Part { target: RecordAt, ty: TypeId, part: Part, number: u64, val: Option<Val> },
}

/// Where the parts of a struct or array come from.
enum Source {
    /// The same type, somewhere.
    Record(RecordAt),
    /// A string, for an array of characters.
    Text(Reg),
}

impl Lower<'_> {
    /// The input of the translation that an expression stands for.
    pub(super) fn translation_input(&mut self, expr: &Expr) -> Result<Binding, Diagnostic> {
        let Meaning::Translation(made) = self.info_of(expr).meaning else {
            return Err(not_yet(expr.span, "such translations"));
        };
        let input = self.checked.translators[made.translator.index()].input;
        match (made.from, &expr.kind) {
            (_, ExprKind::Unary { operand, .. }) => self.translation_input(operand),
            (From::Operand, ExprKind::Xlate { operand, .. }) => self.bind(operand, input),
            (From::Operand, _) => Err(not_yet(expr.span, "such translations")),
            (From::Argument(index), _) => Ok(self.native_argument(index, input, expr.span)),
            (From::Formula(id), ExprKind::Member { base, .. }) => {
                let outer = self.translation_input(base)?;
                self.inside(id, vec![outer], Lower::translation_input)
            }
            (From::Formula(id), _) => {
                let bindings = self.arguments(expr, id)?;
                self.inside(id, bindings, Lower::translation_input)
            }
        }
    }

    /// An argument of the probe as a translator takes it.
    fn native_argument(&mut self, index: u32, input: Marked, span: Span) -> Binding {
        let info = ExprInfo { userland: input.userland, ..ExprInfo::value(input.ty) };
        let val = self.argument(index, info, span);
        Binding { value: Bound::Val(val), provenance: Provenance::Other, userland: input.userland }
    }

    /// Puts all members of a translation into a struct; those without a definition become zero.
    pub(super) fn translate_into(
        &mut self,
        target: &RecordAt,
        made: Translation,
        rhs: &Expr,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let mut stores = Vec::new();
        self.translate(target, made, rhs, span, &mut stores)?;
        for store in stores {
            match store {
                Store::Value(spot, val) => {
                    let place = self.place_at(&spot.at, &spot, span)?;
                    match self.checked.types.is_string(spot.ty) {
                        true => self.write(&place, val, span),
                        false => drop(self.store_back(&place, ExprInfo::value(spot.ty), val, span)),
                    }
                }
                Store::Part { target, ty, part, number, val: Some(val) } => {
                    self.put_part(&target, ty, &part, number, val, span)?;
                }
                Store::Part { target, ty, part, number, val: None } => {
                    self.copy_part(ty, &part, number, None, &target, span)?;
                }
            }
        }
        Ok(())
    }

    /// The values of all members of a translation, and where they are to be stored.
    fn translate(
        &mut self,
        target: &RecordAt,
        made: Translation,
        rhs: &Expr,
        span: Span,
        stores: &mut Vec<Store>,
    ) -> Result<(), Diagnostic> {
        let input = self.translation_input(rhs)?;
        let translator = &self.checked.translators[made.translator.index()];
        let ty = translator.output;
        let parts = parts(&self.checked.types, ty);
        let parts = parts.ok_or_else(|| not_yet(span, "assignments of so large structs"))?;
        let total = parts.iter().fold(0u64, |n, part| n.saturating_add(part.count()));
        if total > MAX_COPIED {
            return Err(not_yet(span, "assignments of so large structs"));
        }
        let mut defined: Vec<(Found, FormulaId)> = translator
            .members
            .iter()
            .filter_map(|(name, &id)| Some((self.checked.types.member(ty, name)?, id)))
            .collect();
        defined.sort_unstable_by_key(|(_, id)| *id);
        // A union is cleared before its members are made, for they are in it; the rest is cleared when all that may be made
        // of it has been.
        let zeros = |stores: &mut Vec<Store>, holding: bool| {
            for part in &parts {
                let made = |found: &Found| part.path.starts_with(&found.path);
                let holds = |found: &Found| found.path.starts_with(&part.path);
                if defined.iter().any(|(found, _)| made(found))
                    || defined.iter().any(|(found, _)| holds(found)) != holding
                {
                    continue;
                }
                for number in 0..part.count() {
                    let (target, part) = (target.clone(), part.clone());
                    stores.push(Store::Part { target, ty, part, number, val: None });
                }
            }
        };
        zeros(stores, true);
        for (found, id) in &defined {
            self.translate_member(target, found, *id, input.clone(), span, stores)?;
        }
        zeros(stores, false);
        Ok(())
    }

    /// The value of one member of a translation.
    fn translate_member(
        &mut self,
        target: &RecordAt,
        found: &Found,
        id: FormulaId,
        input: Binding,
        span: Span,
        stores: &mut Vec<Store>,
    ) -> Result<(), Diagnostic> {
        let spot = self.step_into(target, found);
        let ty = spot.ty;
        if let Some(inner) = self.checked.formulas[id.index()].translation.filter(|inner| !inner.pointer) {
            return self
                .inside(id, vec![input], |lower, tree| lower.translate(&spot.at, inner, tree, span, stores));
        }
        let types = &self.checked.types;
        if has_parts(types, ty) {
            let source = self.inside(id, vec![input], Lower::member_source)?;
            let parts = parts(&self.checked.types, ty);
            for part in parts.ok_or_else(|| not_yet(span, "assignments of so large structs"))? {
                for number in 0..part.count() {
                    let val = Some(self.take_from(&source, ty, &part, number, span)?);
                    stores.push(Store::Part { target: spot.at.clone(), ty, part: part.clone(), number, val });
                }
            }
            return Ok(());
        }
        let text = types.is_string(ty);
        let val = self.inside(id, vec![input], |lower, tree| match text {
            true if lower.frame.early.constant(tree).is_some() => {
                let dst = lower.build.reg(RegKind::Str);
                lower.build.emit(span, Op::Null { dst });
                Ok(Val::new(dst, Fits::ANY))
            }
            _ => lower.assigned_val(tree, ty),
        })?;
        stores.push(Store::Value(spot, val));
        Ok(())
    }

    /// What a struct or an array of a translation is made from.
    fn member_source(&mut self, tree: &Expr) -> Result<Source, Diagnostic> {
        match self.checked.types.is_string(self.info_of(tree).ty) {
            true => self.string(tree).map(Source::Text),
            false => self.record_at(tree).map(Source::Record),
        }
    }

    /// One scalar of what a member is made from.
    fn take_from(
        &mut self,
        source: &Source,
        ty: TypeId,
        part: &Part,
        number: u64,
        span: Span,
    ) -> Result<Val, Diagnostic> {
        match source {
            Source::Record(record) => self.part_from(record, ty, part, number, span),
            // Characters of a string; behind its end they are 0.
            Source::Text(text) => {
                let index = self.build.constant(span, number as i64).reg;
                let computed = self.build.constant(span, 0).reg;
                let dst = self.build.reg(RegKind::Int);
                let args = vec![*text, index, computed];
                self.build.emit(span, Op::Call { dst, func: Func::StrByte, args });
                let (bits, signed) = self.checked.types.width(part.ty);
                Ok(self.build.narrow(span, Val::new(dst, Fits { bits: 8, signed: true }), bits, signed))
            }
        }
    }
}
