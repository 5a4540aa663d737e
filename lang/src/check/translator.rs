//! Translators and `xlate` (language spec §7.4).
//!
//! In: `translator` definitions, while a program is read; translations in expressions. Out: translators, whose members are
//! [`super::formula::Formula`]s of one parameter, the input; and for a translation what it makes from what. A translation
//! has no value: only its members have.

use std::collections::HashMap;
use std::sync::Arc;

use super::errors;
use super::expr::{Body, Checked};
use super::fold::Early;
use super::formula::{FormulaId, Origin, Param};
use super::info::{ExprInfo, Meaning};
use super::names::{Marked, Provenance};
use super::session::Session;
use super::suggest;
use crate::ast::{Expr, Ident, Translator};
use crate::diag::Diagnostic;
use crate::env::Stability;
use crate::source::{SourceKind, Span};
use crate::types::classes::Operand;
use crate::types::{Type, TypeId};

/// Index of a translator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TranslatorId(pub u32);

impl TranslatorId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A translator.
#[derive(Clone, Debug)]
pub struct TranslatorInfo {
    /// The struct or union it makes.
    pub output: TypeId,
    /// What it makes it from.
    pub input: Marked,
    /// The members it defines, by name.
    pub members: HashMap<String, FormulaId>,
    /// Of a library: those that cannot be had with the types of this kernel, and why.
    pub absent: HashMap<String, String>,
    /// How stable it is, if a pragma says; else each member is as stable as what it is made of.
    pub attributes: Option<Stability>,
}

/// Where the input of a translation comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// The operand of the `xlate`, behind any `*`.
    Operand,
    /// The translation that a formula stands for: an inline, or a member that is a translation itself.
    Formula(FormulaId),
    /// An argument of the probe.
    Argument(u32),
}

/// What a translation makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Translation {
    /// By what.
    pub translator: TranslatorId,
    /// Whether it stands for a pointer to the output.
    pub pointer: bool,
    /// From what.
    pub from: From,
}

impl Session<'_> {
    /// Defines a translator.
    pub(super) fn define_translator(
        &mut self,
        early: &mut Early,
        origin: Origin,
        translator: &mut Translator,
    ) -> Result<(), Diagnostic> {
        let attributes = self.translator_triple();
        let output = self.type_name(early, &translator.output)?.ty;
        let input = self.type_name(early, &translator.input)?;
        self.with_members(output);
        if self.types.record(output).is_none() {
            return Err(errors::translator_output(translator.output.span));
        }
        let same = |other: &TranslatorInfo| {
            self.alike(other.input.ty, input.ty) && other.input.userland == input.userland
        };
        let alike = self.translator_index.written_as(&self.types, output, input.ty);
        if self.those_making(output, alike).any(|(_, other)| same(other)) {
            let (from, to) = (input.show(&self.types), self.types.show(output));
            return Err(errors::translator_redeclared(translator.span, &from, &to));
        }
        let params: Arc<[Param]> = Arc::from([Param { name: translator.param.name.clone(), ty: input }]);
        let mut members = HashMap::new();
        let mut absent = HashMap::new();
        // The library is written for many kernels: what one does not have is told to who asks for it.
        let library = self.sources.get(translator.span.source).kind == SourceKind::Library;
        self.defining = Some((input, output));
        for (member, (name, value)) in translator.members.iter_mut().enumerate() {
            let Some(found) = self.types.member(output, &name.name) else {
                let error = errors::translator_member(name.span, &name.name, &self.types.show(output));
                let names = self.types.member_names(output);
                return Err(match suggest::nearest(&name.name, names.iter().map(|name| &**name)) {
                    Some(near) => error.help(format!("did you mean {near}?")),
                    None => error,
                });
            };
            let ty = Marked { ty: found.member.ty, userland: found.member.userland };
            let origin = Origin { member, ..origin };
            let defined = match self.define(early, origin, ty, params.clone(), value) {
                Err(why) if library => {
                    absent.insert(name.name.clone(), why.message);
                    continue;
                }
                defined => defined?,
            };
            let right = defined.value;
            let from = Operand { ty: right.ty, userland: right.userland, zero: right.constant == Some(0) };
            let to = Operand { ty: ty.ty, userland: ty.userland || right.userland, zero: false };
            let fits = match right.meaning {
                Meaning::Translation(made) => self.makes(made, ty.ty),
                _ => self.types.assignable(to, from),
            };
            if !fits {
                let (left, right) = (ty.show(&self.types), self.show_value(right));
                return Err(errors::translator_member_type(name.span, &name.name, &left, &right));
            }
            if let Some(error) = defined.deferred {
                return Err(error);
            }
            let mut formula = defined.formula;
            if self.types.is_string(right.ty) && matches!(self.types.resolve(ty.ty), Type::Pointer(_)) {
                formula.provenance = Provenance::Scratch;
            }
            formula.ty.userland = to.userland;
            if let Meaning::Translation(made) = right.meaning {
                formula.translation = Some(made);
            }
            let id = self.add_formula(formula);
            members.insert(name.name.clone(), id);
        }
        self.defining = None;
        let id = TranslatorId(self.translators.len() as u32);
        self.translator_index.add(&self.types, output, input.ty, id);
        self.translators.push(TranslatorInfo { output, input, members, absent, attributes });
        Ok(())
    }

    /// Whether two types are one, as written; one of the kernel's is so with and without its scope.
    fn alike(&self, a: TypeId, b: TypeId) -> bool {
        match (self.types.get(a), self.types.get(b)) {
            (Type::Pointer(a), Type::Pointer(b)) => self.alike(*a, *b),
            (Type::Tagged(..), Type::Tagged(..)) => self.types.same(a, b),
            _ => a == b,
        }
    }

    /// Those of some translators that make a type.
    fn those_making<'a>(
        &'a self,
        output: TypeId,
        some: &'a [TranslatorId],
    ) -> impl Iterator<Item = (TranslatorId, &'a TranslatorInfo)> {
        let all = some.iter().map(|id| (*id, &self.translators[id.index()]));
        all.filter(move |(_, other)| self.types.same(other.output, output))
    }

    /// Whether a translation stands for a type.
    pub(super) fn makes(&self, made: Translation, ty: TypeId) -> bool {
        let output = self.translators[made.translator.index()].output;
        match *self.types.resolve(ty) {
            Type::Pointer(target) => made.pointer && self.types.same(target, output),
            _ => !made.pointer && self.types.same(ty, output),
        }
    }

    /// The translator that makes a type, or what it points to, from a value: of exactly its type, of the same type, or of
    /// one that the value can be assigned to.
    pub(super) fn translator_for(&self, to: TypeId, from: Marked) -> Option<TranslatorId> {
        let output = self.made_of(to);
        let (index, types) = (&self.translator_index, &self.types);
        let exactly = index.written_as(types, output, from.ty);
        let same = index.akin(types, output, from.ty);
        let all = index.making(types, output);
        let found = self
            .those_making(output, exactly)
            .find(|(_, other)| other.input.ty == from.ty)
            .or_else(|| {
                self.those_making(output, same).find(|(_, other)| types.same(other.input.ty, from.ty))
            })
            .or_else(|| self.those_making(output, all).find(|(_, other)| self.takes(other.input, from)));
        found.map(|(id, _)| id)
    }

    /// The type itself, or what it points to.
    fn made_of(&self, to: TypeId) -> TypeId {
        match *self.types.resolve(to) {
            Type::Pointer(target) => target,
            _ => to,
        }
    }

    /// Whether a translator of some input takes a value.
    fn takes(&self, input: Marked, from: Marked) -> bool {
        let operand = Operand { ty: from.ty, userland: from.userland, zero: false };
        self.types.assignable(Operand { ty: input.ty, userland: from.userland, zero: false }, operand)
    }

    /// Whether the translator that is being defined would be the one for a translation.
    fn would_make_itself(&self, to: TypeId, from: Marked) -> bool {
        self.defining.is_some_and(|(input, output)| {
            self.types.same(self.made_of(to), output)
                && (self.types.same(input.ty, from.ty) || self.takes(input, from))
        })
    }

    /// The type of a value as messages show it.
    pub(super) fn show_value(&self, value: ExprInfo) -> String {
        Marked { ty: value.ty, userland: value.userland }.show(&self.types)
    }
}

impl Body<'_, '_> {
    /// `xlate<type>(operand)`
    pub(super) fn xlate(&mut self, expr: &Expr, operand: &Expr) -> Checked {
        let span = expr.span;
        let info = self.expr(operand)?;
        let int = Marked { ty: self.session.types.common().int, userland: false };
        // The type was looked up while the program was read.
        let to = self.early.cast(expr).unwrap_or(int);
        self.mention_type(to.ty, span)?;
        let from = Marked { ty: info.ty, userland: info.userland };
        let Some(translator) = self.session.translator_for(to.ty, from) else {
            let shown = self.session.types.show(to.ty);
            let error = errors::no_translator(span, &self.show(info), &shown);
            return Err(match self.session.would_make_itself(to.ty, from) {
                true => error.help(errors::translates_itself(&shown)),
                false => error,
            });
        };
        let TranslatorInfo { attributes, .. } = self.session.translators[translator.index()];
        if let Some(triple) = attributes {
            let shown = self.session.types.show(to.ty);
            self.note_triple(triple, span, || format!("translator {shown}"))?;
        }
        let pointer = matches!(self.session.types.resolve(to.ty), Type::Pointer(_));
        Ok(self.translation(Translation { translator, pointer, from: From::Operand }))
    }

    /// What a node that stands for a translation is.
    pub(super) fn translation(&self, translation: Translation) -> ExprInfo {
        ExprInfo::value(self.session.types.common().dynamic).meaning(Meaning::Translation(translation))
    }

    /// A member of a translation.
    pub(super) fn translated_member(
        &mut self,
        made: Translation,
        arrow: bool,
        member: &Ident,
        span: Span,
    ) -> Checked {
        if arrow && !made.pointer {
            return Err(errors::member_of_non_pointer(span));
        }
        if !arrow && made.pointer {
            let output = self.session.translators[made.translator.index()].output;
            let shown = format!("{} *", self.session.types.show(output));
            return Err(errors::member_of_non_struct(span, ".", &shown));
        }
        let translator = &self.session.translators[made.translator.index()];
        let Some(&id) = translator.members.get(&member.name) else {
            let error = errors::no_conversion(span, &member.name);
            if let Some(why) = translator.absent.get(&member.name) {
                return Err(error.help(format!("this kernel does not tell it: {why}")));
            }
            return Err(
                match suggest::nearest(&member.name, translator.members.keys().map(String::as_str)) {
                    Some(near) => error.help(format!("did you mean {near}?")),
                    None => error,
                },
            );
        };
        let formula = &self.session.formulas[id.index()];
        let inner = formula.translation;
        let triple = translator.attributes.unwrap_or(formula.attributes);
        self.note_triple(triple, span, || format!("member {}", member.name))?;
        let info = self.use_formula(id, &member.name, span)?;
        Ok(match inner {
            Some(inner) => self.translation(Translation { from: From::Formula(id), ..inner }),
            None => ExprInfo { lvalue: false, ..info },
        })
    }
}
