//! Brackets: elements of associative and ordinary arrays, of strings, through pointers, and `args[n]` (language spec
//! §8.3, §8.4.1, §9.1).
//!
//! In: a base and its keys. Out: the element's [`ExprInfo`]; an unknown name that may be created becomes an associative
//! array with the signature of its first use.

use super::errors;
use super::expr::{Body, Checked, as_variable};
use super::info::{ExprInfo, Meaning};
use super::inline::{InlineInfo, Value};
use super::names::{Marked, Provenance, VarInfo, VarShape, shown};
use super::pointers::within;
use super::provider::Shown;
use super::session::kept_as_bytes;
use super::translator::{From, Translation};
use crate::ast::{BinaryOp, Expr, ExprKind};
use crate::builtins::BuiltinVar;
use crate::builtins::vars::REGISTERS;
use crate::bytes;
use crate::diag::Diagnostic;
use crate::ir::{Scope, VarId};
use crate::source::Span;
use crate::stability;
use crate::types::Type;
use crate::types::classes::Operand;

impl Body<'_, '_> {
    pub(super) fn index(&mut self, base: &Expr, keys: &[Expr], span: Span) -> Checked {
        match &base.kind {
            ExprKind::Agg(name) => {
                let id = self.aggregation_with_keys(name, keys, span)?;
                let info = ExprInfo::value(self.session.types.common().aggregation);
                return Ok(info.meaning(Meaning::Aggregation(id)));
            }
            ExprKind::Index { base: inner, .. } => {
                if let ExprKind::Agg(name) = &inner.kind {
                    return Err(errors::multi_dimensional(span, name));
                }
            }
            ExprKind::Name(name) if name == "args" => return self.argument(keys, span),
            ExprKind::Name(name) if super::BUILTIN_ARRAYS.contains(&name.as_str()) => {
                return self.register(name, keys, span);
            }
            _ => {}
        }
        if let ExprKind::Name(name) = &base.kind
            && self.is_array_inline(name)
        {
            return self.array_inline(name, keys, span);
        }
        if let Some((scope, name)) = as_variable(base)
            && let Some(id) = self.associative(scope, name, base.span, false)?
        {
            return self.element(id, keys, span);
        }
        let base_info = self.expr(base)?;
        let [key] = keys else {
            return Err(errors::not_associative(span, &self.describe(base, base_info)));
        };
        let key_info = self.expr(key)?;
        if self.session.types.is_unknown(base_info.ty) {
            return Ok(self.unknown());
        }
        if let Type::Array(_, length) = *self.session.types.resolve(base_info.ty) {
            if !self.is_integer(key_info) {
                return Err(self.incompatible(span, base_info, "+", key_info));
            }
            within(length, key_info.constant, span)?;
            return self.dereference(base_info, span);
        }
        // `3[a]` is `a[3]`.
        if let Type::Array(_, length) = *self.session.types.resolve(key_info.ty)
            && self.is_integer(base_info)
        {
            within(length, base_info.constant, span)?;
            return self.dereference(key_info, span);
        }
        let sum = self.add(base_info, key_info, BinaryOp::Add, span)?;
        self.dereference(sum, span)
    }

    /// Whether brackets after a name are the arguments of an inline.
    pub(super) fn is_array_inline(&self, name: &str) -> bool {
        self.param(name).is_none()
            && self.session.hidden(name).is_none()
            && self.session.inline(name).is_some_and(|inline| inline.params.is_some())
    }

    /// `name[arguments]` of an inline with parameters.
    fn array_inline(&mut self, name: &str, keys: &[Expr], span: Span) -> Checked {
        let infos = self.exprs(keys)?;
        let Some(InlineInfo { params: Some(params), value: Value::Formula(id), .. }) =
            self.session.inline(name).cloned()
        else {
            return Err(errors::bad_reference(span, "scalar", name, "associative array"));
        };
        let signature: Vec<Marked> = params.iter().map(|param| param.ty).collect();
        self.check_keys(&signature, name, &infos, span)?;
        self.use_inline(id, name, span)
    }

    /// The associative array behind a name with brackets: a known one, or one to be created. `None` if the name is
    /// something else, to which the rules of pointers apply.
    pub(super) fn associative(
        &mut self,
        scope: Scope,
        name: &str,
        span: Span,
        may_create: bool,
    ) -> Result<Option<VarId>, Diagnostic> {
        if let Some(id) = self.session.names.var(scope, name) {
            let associative = matches!(self.session.names.vars[id.index()].shape, VarShape::Associative(_));
            return Ok(associative.then_some(id));
        }
        if scope == Scope::Global
            && (self.param(name).is_some()
                || self.session.inline(name).is_some()
                || super::decl::is_scope(name))
        {
            return Ok(None);
        }
        if scope == Scope::Global && self.session.is_built_in(name) {
            return match self.session.function_arity(name) {
                // Brackets on a function are a call without arguments to DTrace.
                Some((required, exact)) if required > 0 => {
                    let expected = match exact {
                        true => errors::Expected::Exactly(required),
                        false => errors::Expected::AtLeast(required),
                    };
                    Err(errors::prototype_length(span, name, errors::ProtoKind::Call, 0, expected))
                }
                _ => Ok(None),
            };
        }
        if name.contains('`') {
            return Ok(None);
        }
        if scope == Scope::ClauseLocal {
            return Err(errors::local_associative(span, name));
        }
        if !may_create {
            let error = errors::undefined_variable(span, &shown(scope, name));
            return Err(self.session.suggest_variable(error, scope, name));
        }
        let shape = VarShape::Associative(Vec::new());
        self.create(scope, name, shape, span).map(Some)
    }

    pub(super) fn create(
        &mut self,
        scope: Scope,
        name: &str,
        shape: VarShape,
        span: Span,
    ) -> Result<VarId, Diagnostic> {
        let name = name.to_owned();
        let provenance = Provenance::Unknown;
        let info = VarInfo { name, scope, shape, ty: None, provenance, span };
        let shown = info.shown();
        self.session.names.add_var(info).ok_or_else(|| errors::too_many_variables(span, &shown))
    }

    /// Checks the keys of an associative array, giving it its signature if it has none, and reads the element.
    fn element(&mut self, id: VarId, keys: &[Expr], span: Span) -> Checked {
        self.mention_variable(id, span)?;
        self.element_keys(id, keys, span)?;
        let shown = self.session.names.vars[id.index()].shown();
        let read = self.read(id).ok_or_else(|| errors::undefined_variable(span, &shown))?;
        Ok(read.meaning(Meaning::Element(id)))
    }

    pub(super) fn element_keys(&mut self, id: VarId, keys: &[Expr], span: Span) -> Result<(), Diagnostic> {
        let infos = self.exprs(keys)?;
        let var = &self.session.names.vars[id.index()];
        let VarShape::Associative(signature) = &var.shape else { return Ok(()) };
        let (signature, name) = (signature.clone(), var.name.clone());
        if signature.is_empty() {
            let signature = self.new_signature(keys, &infos, "associative array")?;
            self.session.names.vars[id.index()].shape = VarShape::Associative(signature);
            return Ok(());
        }
        self.check_keys(&signature, &name, &infos, span)?;
        self.check_kept_keys(&signature, &infos, span)
    }

    pub(super) fn exprs(&mut self, exprs: &[Expr]) -> Result<Vec<ExprInfo>, Diagnostic> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    /// The signature that a first use gives (language spec §9.1).
    pub(super) fn new_signature(
        &mut self,
        keys: &[Expr],
        infos: &[ExprInfo],
        index_of: &str,
    ) -> Result<Vec<Marked>, Diagnostic> {
        let mut signature = Vec::with_capacity(infos.len());
        for (i, (key, info)) in keys.iter().zip(infos).enumerate() {
            let types = &self.session.types;
            if types.is_void(info.ty) || types.is_dynamic(info.ty) {
                return Err(errors::bad_key(key.span, &types.show(info.ty), index_of, i + 1));
            }
            let keyed = self.session.key_type(info.ty).is_some();
            if self.session.is_incomplete(info.ty) {
                return Err(self.session.incomplete_type(key.span, info.ty));
            }
            if !keyed {
                let what = format!("keys of type {}", self.session.types.show(info.ty));
                return Err(errors::are_not_supported_yet(key.span, &what));
            }
            signature.push(self.marked(*info));
        }
        Ok(signature)
    }

    pub(super) fn check_keys(
        &self,
        signature: &[Marked],
        name: &str,
        infos: &[ExprInfo],
        span: Span,
    ) -> Result<(), Diagnostic> {
        if signature.len() != infos.len() {
            let expected = errors::Expected::Exactly(signature.len());
            let kind = errors::ProtoKind::Keys;
            return Err(errors::prototype_length(span, name, kind, infos.len(), expected));
        }
        for (i, (slot, info)) in signature.iter().zip(infos).enumerate() {
            let to = Operand { ty: slot.ty, userland: slot.userland, zero: false };
            // An array that is kept as its bytes is one of the same length.
            let types = &self.session.types;
            let whole = kept_as_bytes(types, slot.ty);
            let same = types.same(slot.ty, info.ty);
            let float = matches!(types.resolve(slot.ty), Type::Float(..));
            let fits = (types.assignable(to, Self::operand(*info)) && (!whole || same)) || (float && same);
            if !fits {
                let slot = slot.show(&self.session.types);
                return Err(errors::key_type_mismatch(span, name, i + 1, &slot, &self.show(*info)));
            }
        }
        Ok(())
    }

    /// Keys that are kept: none is the address of a string, which is a value. A parameter is given that of a copy.
    pub(super) fn check_kept_keys(
        &self,
        signature: &[Marked],
        infos: &[ExprInfo],
        span: Span,
    ) -> Result<(), Diagnostic> {
        signature.iter().zip(infos).try_for_each(|(slot, info)| self.check_not_address(slot.ty, *info, span))
    }

    /// `args[n]` (language spec §8.4.1).
    fn argument(&mut self, keys: &[Expr], span: Span) -> Checked {
        let [key] = keys else {
            let expected = errors::Expected::Exactly(1);
            return Err(errors::prototype_length(
                span,
                "args",
                errors::ProtoKind::Args,
                keys.len(),
                expected,
            ));
        };
        let info = self.expr(key)?;
        let Some(index) = info.constant else {
            return Err(errors::index_not_constant(span, "args", &self.show(info)));
        };
        let signature = self.signature;
        self.mention("array", "args", signature.args_triple, span)?;
        if signature.outside {
            return Err(errors::args_outside(span));
        }
        if signature.unstable {
            return Err(errors::args_unstable(span, &signature.description));
        }
        if let Some(interface) = &signature.interface {
            let shown = usize::try_from(index).ok().and_then(|i| interface.shown.get(i));
            let Some(&Shown { ty, native, translator }) = shown else {
                return Err(errors::args_out_of_range(span, index, &signature.description));
            };
            if let Some(translator) = translator {
                let pointer = matches!(self.session.types.resolve(ty.ty), Type::Pointer(_));
                let from = From::Argument(native);
                return Ok(self.translation(Translation { translator, pointer, from }));
            }
            let info = ExprInfo { userland: ty.userland, lvalue: true, ..ExprInfo::value(ty.ty) };
            let from = interface.native.get(native as usize).map_or(ty.ty, |from| from.ty);
            return Ok(info.meaning(Meaning::Argument(native, from)));
        }
        if signature.unknown {
            return Ok(self.unknown());
        }
        let argument = usize::try_from(index).ok().and_then(|i| signature.args.get(i));
        let Some(argument) = argument else {
            return Err(errors::args_out_of_range(span, index, &signature.description));
        };
        if let Some((_, other)) = signature.differing.iter().find(|(i, _)| i64::try_from(*i) == Ok(index)) {
            return Err(errors::args_differ(span, &signature.description, index, &argument.ty, other));
        }
        let ty = self.session.spelt_type(&argument.ty);
        let ty = ty.filter(|&ty| self.session.value_type(ty).is_some());
        let ty = ty.ok_or_else(|| {
            let base = argument.ty.trim_end_matches(['*', ' ']);
            let why =
                self.session.of_library_left_out(base).unwrap_or_else(|| errors::type_to_come(&argument.ty));
            errors::args_type_unknown(span, index, &argument.ty).help(why)
        })?;
        let types = &self.session.types;
        let userland = argument.userland && (types.target(ty).is_some() || types.is_string(ty));
        let info = ExprInfo { userland, lvalue: true, ..ExprInfo::value(ty) };
        Ok(info.meaning(Meaning::Argument(index as u32, ty)))
    }

    /// `uregs[n]` (language spec §8.4).
    fn register(&mut self, name: &str, keys: &[Expr], span: Span) -> Checked {
        let [key] = keys else {
            let (kind, expected) = (errors::ProtoKind::Args, errors::Expected::Exactly(1));
            return Err(errors::prototype_length(span, name, kind, keys.len(), expected));
        };
        let info = self.expr(key)?;
        let Some(index) = info.constant else {
            return Err(errors::index_not_constant(span, name, &self.show(info)));
        };
        let row = BuiltinVar::Uregs.row();
        self.mention("array", name, stability::parse(row.stability).unwrap_or(stability::STABLE), span)?;
        let Some(index) = u32::try_from(index).ok().filter(|&index| index < REGISTERS) else {
            return Err(errors::register_out_of_range(span, index));
        };
        if !cfg!(target_arch = "x86_64") {
            return Err(errors::not_supported_yet(span, "uregs[] on this processor"));
        }
        let info = ExprInfo { lvalue: true, ..ExprInfo::value(self.session.spelt(row.ty)) };
        Ok(info.meaning(Meaning::Builtin(BuiltinVar::Uregs, index)))
    }

    /// A node as the message about several keys names it.
    fn describe(&self, expr: &Expr, info: ExprInfo) -> String {
        match &expr.kind {
            ExprKind::Str(bytes) => format!("string constant \"{}\"", bytes::to_text(bytes)),
            _ => match (info.constant, as_variable(expr)) {
                (Some(value), _) => format!("integer constant {value:#x}"),
                (None, Some((_, name))) => format!("scalar {name}"),
                (None, None) => "expression".into(),
            },
        }
    }
}
