//! Translations: the input is evaluated, and members' formulas are lowered with it (language spec §7.4).

use std::collections::HashMap;

use super::build::{Fits, Val};
use super::clause::Lower;
use super::expr::not_yet;
use super::formula::{Binding, Bound};
use super::storage::MAX_COPIED;
use super::values::RecordAt;
use crate::ast::{Expr, ExprKind};
use crate::builtins::Func;
use crate::check::session::value_type;
use crate::check::translator::{From, Translation};
use crate::check::{ExprInfo, Marked, Meaning, Provenance};
use crate::diag::Diagnostic;
use crate::ir::{Op, Reg, RegKind, ValueType};
use crate::source::Span;
use crate::types::TypeId;
use crate::types::parts::{Part, parts};

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
        let input = self.translation_input(rhs)?;
        let translator = &self.checked.translators[made.translator.index()];
        let ty = translator.output;
        let parts = parts(&self.checked.types, ty);
        let parts = parts.ok_or_else(|| not_yet(span, "assignments of so large structs"))?;
        let record = self.checked.types.record(ty);
        let members = record.and_then(|record| record.members.clone()).unwrap_or_default();
        let total = parts.iter().fold(0u64, |n, part| n.saturating_add(part.count()));
        if total > MAX_COPIED {
            return Err(not_yet(span, "assignments of so large structs"));
        }
        // What the members that are structs or arrays are made from: each formula is evaluated once.
        let mut sources: HashMap<u32, Source> = HashMap::new();
        for part in &parts {
            let member = part.path.first().and_then(|&number| members.get(number as usize));
            let name = member.and_then(|member| member.name.as_deref());
            let formula = name.and_then(|name| translator.members.get(name)).copied();
            let plain = part.path.len() == 1 && part.dimensions.is_empty() && !part.words;
            let (Some(id), true) = (formula, plain) else {
                let (Some(id), Some(&number), Some(member)) = (formula, part.path.first(), member) else {
                    for number in 0..part.count() {
                        self.copy_part(ty, part, number, None, target, span)?;
                    }
                    continue;
                };
                let source = match sources.remove(&number) {
                    Some(source) => source,
                    None => self.inside(id, vec![input.clone()], Lower::member_source)?,
                };
                let within = Part { path: part.path[1..].to_vec(), ..part.clone() };
                for number in 0..part.count() {
                    let val = self.take_from(&source, member.ty, &within, number, span)?;
                    self.put_part(target, ty, part, number, val, span)?;
                }
                sources.insert(number, source);
                continue;
            };
            let stored = value_type(&self.checked.types, part.ty).unwrap_or(super::INDEX);
            let val = self.inside(id, vec![input.clone()], |lower, tree| match stored {
                ValueType::Str if lower.frame.early.constant(tree).is_some() => {
                    let dst = lower.build.reg(RegKind::Str);
                    lower.build.emit(span, Op::Null { dst });
                    Ok(Val::new(dst, Fits::ANY))
                }
                _ => lower.assigned_val(tree, part.ty),
            })?;
            self.put_part(target, ty, part, 0, val, span)?;
        }
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
