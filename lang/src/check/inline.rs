//! Inlines: names for expressions, with parameters or without (language spec §7.3).
//!
//! In: `inline` definitions, while a program is read. Out: entries in the session's table of inlines. An inline with a
//! constant value is folded where it is used, one that is a mere variable is that variable, and any other is a
//! [`super::formula::Formula`].

use std::collections::HashMap;
use std::sync::Arc;

use super::errors;
use super::fold::{Early, Folded};
use super::formula::{FormulaId, Origin, Param};
use super::info::Meaning;
use super::names::{Marked, Provenance};
use super::session::Session;
use crate::ast::{Derived, Ident, Inline, TypeName};
use crate::diag::Diagnostic;
use crate::ir::VarId;
use crate::source::Span;
use crate::types::Type;
use crate::types::classes::Operand;

/// What an inline stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    /// An integer constant with the type of its expression.
    Constant(Folded),
    /// A variable, read and written under another name.
    Alias(VarId),
    /// Anything else.
    Formula(FormulaId),
}

/// An inline.
#[derive(Clone, Debug)]
pub(super) struct InlineInfo {
    /// The declared type.
    pub ty: Marked,
    /// Its parameters; `None` for one that is used without brackets.
    pub params: Option<Arc<[Param]>>,
    /// What it stands for.
    pub value: Value,
    /// The name in its definition.
    pub span: Span,
}

/// The inlines of a session, by name.
pub(super) type Inlines = HashMap<String, InlineInfo>;

impl Session<'_> {
    /// The inline of a name.
    pub(super) fn inline(&self, name: &str) -> Option<&InlineInfo> {
        self.inlines.get(name)
    }

    /// The constant that a name stands for.
    pub(super) fn inline_constant(&self, name: &str) -> Option<Folded> {
        match self.inlines.get(name)? {
            InlineInfo { value: Value::Constant(c), params: None, .. } => Some(*c),
            _ => None,
        }
    }

    /// Defines an inline.
    pub(super) fn define_inline(
        &mut self,
        early: &mut Early,
        origin: Origin,
        inline: &mut Inline,
    ) -> Result<(), Diagnostic> {
        let span = inline.span;
        if inline.storage.is_some() {
            return Err(errors::inline_storage_class(span));
        }
        let Some(name) = &inline.declarator.name else { return Err(errors::useless_declaration(span)) };
        if name.name.contains('`') {
            return Err(errors::scoped_name(name.span, &name.name));
        }
        let (ty, params) = self.inline_type(early, inline, name)?;
        if self.types.is_void(ty.ty) {
            return Err(errors::void_object(name.span, &name.name));
        }
        self.complete(ty.ty);
        if self.is_incomplete(ty.ty) {
            let error = errors::incomplete_object(name.span, &self.types.show(ty.ty), &name.name);
            return Err(self.about_undefined(error, ty.ty));
        }
        self.name_is_free(name, &format!("inline {}", ty.show(&self.types)))?;
        let given = params.clone().unwrap_or_else(|| Arc::from([]));
        let defined = self.define(early, origin, ty, given, &mut inline.value)?;
        let value = defined.value;
        let from = Operand { ty: value.ty, userland: value.userland, zero: value.constant == Some(0) };
        let to = Operand { ty: ty.ty, userland: ty.userland || value.userland, zero: false };
        let fits = match value.meaning {
            Meaning::Translation(made) => self.makes(made, ty.ty),
            _ => !matches!(self.types.resolve(ty.ty), Type::Function(..)) && self.types.assignable(to, from),
        };
        if !fits {
            let right = Marked { ty: value.ty, userland: value.userland }.show(&self.types);
            let left = ty.show(&self.types);
            return Err(errors::inline_type(span, &name.name, &left, &right));
        }
        if let Some(error) = defined.deferred {
            return Err(error);
        }
        let copied = self.types.is_string(value.ty) && matches!(self.types.resolve(ty.ty), Type::Pointer(_));
        let ty = Marked { userland: to.userland, ..ty };
        let stands_for = match (defined.constant, defined.alias) {
            (Some(c), _) if params.is_none() => Value::Constant(c),
            (_, Some(id)) if !copied => Value::Alias(id),
            _ => {
                let mut formula = defined.formula;
                formula.ty = ty;
                if copied {
                    formula.provenance = Provenance::Scratch;
                }
                Value::Formula(self.add_formula(formula))
            }
        };
        let info = InlineInfo { ty, params, value: stands_for, span: name.span };
        self.inlines.insert(name.name.clone(), info);
        Ok(())
    }

    /// The declared type and the parameters.
    #[allow(clippy::type_complexity, reason = "a type, and parameters if there are any")]
    fn inline_type(
        &mut self,
        early: &mut Early,
        inline: &Inline,
        name: &Ident,
    ) -> Result<(Marked, Option<Arc<[Param]>>), Diagnostic> {
        let mut params = None;
        let mut base = inline.declarator.clone();
        if let Some(Derived::Assoc(list)) = base.derived.last() {
            let list = list.clone();
            base.derived.pop();
            params = Some(self.inline_params(early, &list)?);
        }
        if base.derived.iter().any(|step| matches!(step, Derived::Array(_))) {
            return Err(errors::inline_array(name.span, &name.name));
        }
        base.name = None;
        let type_name = TypeName { specs: inline.specs.clone(), declarator: base, span: inline.span };
        Ok((self.type_name(early, &type_name)?, params))
    }

    fn inline_params(&mut self, early: &mut Early, list: &[TypeName]) -> Result<Arc<[Param]>, Diagnostic> {
        let types = self.signature(early, list)?;
        let mut params = Vec::with_capacity(list.len());
        for (i, (param, ty)) in list.iter().zip(types).enumerate() {
            let Some(name) = &param.declarator.name else {
                return Err(errors::parameter_without_name(param.span, i + 1));
            };
            params.push(Param { name: name.name.clone(), ty });
        }
        Ok(params.into())
    }
}
