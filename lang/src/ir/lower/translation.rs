//! Translations: the input is evaluated, and members' formulas are lowered with it (language spec §7.4).

use std::rc::Rc;

use super::build::{Fits, Val};
use super::clause::Lower;
use super::expr::not_yet;
use super::formula::{Binding, Bound};
use super::storage::MAX_COPIED;
use super::values::RecordAt;
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
/// be what another one is stored to, or fault; nor is the place on the left looked for before.
pub(super) struct Store {
    /// The member that it is in, and those that this one is in, the outermost first.
    path: Rc<[Found]>,
    what: Stored,
}

/// What is stored.
enum Stored {
    /// A scalar or string.
    Value(Val),
    /// A part of a struct or array of a type; `None` clears it.
    Part { ty: TypeId, part: Part, number: u64, val: Option<Val> },
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
        let val = self.argument((index, input.ty), info, span);
        Binding { value: Bound::Val(val), provenance: Provenance::Other, userland: input.userland }
    }

    /// The values of all members of a translation; those without a definition become zero.
    pub(super) fn translated(
        &mut self,
        made: Translation,
        rhs: &Expr,
        span: Span,
    ) -> Result<Vec<Store>, Diagnostic> {
        let mut stores = Vec::new();
        self.translate(&[], made, rhs, span, &mut stores)?;
        Ok(stores)
    }

    /// Puts all members of a translation into a struct.
    pub(super) fn put_translated(
        &mut self,
        target: &RecordAt,
        ty: TypeId,
        stores: Vec<Store>,
        span: Span,
    ) -> Result<(), Diagnostic> {
        for Store { path, what } in stores {
            let spot = self.spot_within(target, ty, &path);
            match what {
                Stored::Value(val) => {
                    let place = self.place_at(&spot.at, &spot, span)?;
                    match self.checked.types.is_string(spot.ty) {
                        true => self.write(&place, val, span),
                        false => drop(self.store_back(&place, ExprInfo::value(spot.ty), val, span)),
                    }
                }
                Stored::Part { ty, part, number, val: Some(val) } => {
                    self.put_part(&spot.at, ty, &part, number, val, span)?;
                }
                Stored::Part { ty, part, number, val: None } => {
                    self.copy_part(ty, &part, number, None, &spot.at, span)?;
                }
            }
        }
        Ok(())
    }

    /// The values of all members of a translation, and where they are to be stored.
    fn translate(
        &mut self,
        within: &[Found],
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
        let path: Rc<[Found]> = within.into();
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
                    let what = Stored::Part { ty, part: part.clone(), number, val: None };
                    stores.push(Store { path: path.clone(), what });
                }
            }
        };
        zeros(stores, true);
        for (found, id) in &defined {
            self.translate_member(within, found, *id, input.clone(), span, stores)?;
        }
        zeros(stores, false);
        Ok(())
    }

    /// The value of one member of a translation.
    fn translate_member(
        &mut self,
        within: &[Found],
        found: &Found,
        id: FormulaId,
        input: Binding,
        span: Span,
        stores: &mut Vec<Store>,
    ) -> Result<(), Diagnostic> {
        let path: Rc<[Found]> = within.iter().chain([found]).cloned().collect();
        let ty = found.member.ty;
        if let Some(inner) = self.checked.formulas[id.index()].translation.filter(|inner| !inner.pointer) {
            return self
                .inside(id, vec![input], |lower, tree| lower.translate(&path, inner, tree, span, stores));
        }
        let types = &self.checked.types;
        if has_parts(types, ty) {
            let source = self.inside(id, vec![input], Lower::member_source)?;
            let parts = parts(&self.checked.types, ty);
            for part in parts.ok_or_else(|| not_yet(span, "assignments of so large structs"))? {
                for number in 0..part.count() {
                    let val = Some(self.take_from(&source, ty, &part, number, span)?);
                    let what = Stored::Part { ty, part: part.clone(), number, val };
                    stores.push(Store { path: path.clone(), what });
                }
            }
            return Ok(());
        }
        let text = types.is_string(ty);
        let val = self.inside(id, vec![input], |lower, tree| match text {
            // What is kept outlives the copy.
            _ if lower.needs_address(tree, ty) => Err(not_yet(span, "addresses of strings in variables")),
            true if lower.frame.early.constant(tree).is_some() => {
                let dst = lower.build.reg(RegKind::Str);
                lower.build.emit(span, Op::Null { dst });
                Ok(Val::new(dst, Fits::ANY))
            }
            _ => lower.assigned_val(tree, ty),
        })?;
        stores.push(Store { path, what: Stored::Value(val) });
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
