//! Translations: the input is evaluated, and members' formulas are lowered with it (language spec §7.4).

use super::build::{Fits, Val};
use super::clause::Lower;
use super::expr::not_yet;
use super::formula::Binding;
use super::storage::RecordAt;
use crate::ast::{Expr, ExprKind};
use crate::check::session::value_type;
use crate::check::translator::{From, Translation};
use crate::check::{ExprInfo, Marked, Meaning, Provenance};
use crate::diag::Diagnostic;
use crate::ir::{Op, RegKind, ValueType};
use crate::source::Span;
use crate::types::parts::parts;

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
        Binding { val, provenance: Provenance::Other, userland: input.userland }
    }

    /// Puts all members of a translation into a struct; those without a definition become zero.
    pub(super) fn translate_into(
        &mut self,
        target: &RecordAt,
        made: Translation,
        rhs: &Expr,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let input = self.translation_input(rhs)?;
        let translator = &self.checked.translators[made.translator.index()];
        let ty = translator.output;
        let parts = parts(&self.checked.types, ty);
        let parts = parts.ok_or_else(|| not_yet(span, "assignments of so large structs"))?;
        let record = self.checked.types.record(ty);
        let members = record.and_then(|record| record.members.clone()).unwrap_or_default();
        for part in &parts {
            let member = part.path.first().and_then(|&number| members.get(number as usize));
            let name = member.and_then(|member| member.name.as_deref());
            let formula = name.and_then(|name| translator.members.get(name)).copied();
            let plain = part.path.len() == 1 && part.dimensions.is_empty() && !part.words;
            let (Some(id), true) = (formula, plain) else {
                if formula.is_some() {
                    return Err(not_yet(span, "assignments of translations with structs or arrays in them"));
                }
                for number in 0..part.count() {
                    self.copy_part(ty, part, number, None, target, span)?;
                }
                continue;
            };
            let stored = value_type(&self.checked.types, part.ty).unwrap_or(super::INDEX);
            let val = self.inside(id, vec![input], |lower, tree| match stored {
                ValueType::Str if lower.frame.early.constant(tree).is_some() => {
                    let dst = lower.build.reg(RegKind::Str);
                    lower.build.emit(span, Op::Null { dst });
                    Ok(Val::new(dst, Fits::ANY))
                }
                stored => lower.stored_val(tree, stored),
            })?;
            for (place, _) in self.part_of(target, ty, part, 0, span)? {
                self.write(&place, val, span);
            }
        }
        Ok(())
    }
}
