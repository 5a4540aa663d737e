//! Declarations: variables, typedefs, external symbols (language spec §3.3, §7.1).
//!
//! In: the nodes of a declaration, in source order, while a program is read. Out: variables, typedefs and symbols in the
//! session. What specifiers and declarators say of types is [`super::typenames`].

use super::errors;
use super::fold::Early;
use super::names::{Marked, Provenance, VarInfo, VarShape};
use super::session::Session;
use super::typenames::is_dynamic;
use crate::ast::{DEFINITION, Declaration, Declarator, Derived, Ident, Layout, Storage, TypeName};
use crate::builtins::{Action, AggFn, BuiltinVar, Func, actions, funcs};
use crate::diag::Diagnostic;
use crate::ir::Scope;
use crate::source::Span;
use crate::types::parts::{MAX_LOCAL, MAX_PARTS, Part, parts};
use crate::types::{MAX_DEPTH, TagKind, Type, TypeId};

impl Session<'_> {
    /// Declares the variables of a declaration.
    pub(super) fn declare(&mut self, early: &mut Early, declaration: &Declaration) -> Result<(), Diagnostic> {
        let span = declaration.span;
        let scope = match declaration.storage {
            None | Some(Storage::Extern | Storage::Typedef) => Scope::Global,
            Some(Storage::SelfLocal) => Scope::ThreadLocal,
            Some(Storage::ThisLocal) => Scope::ClauseLocal,
            Some(Storage::Auto | Storage::Register | Storage::Static) => {
                return Err(errors::storage_class(span));
            }
        };
        let base = self.specifiers(early, &declaration.specs, declaration.storage.is_some())?;
        if declaration.declarators.is_empty() {
            let declares_tag = declaration.specs.words.iter().any(|word| {
                word.name == DEFINITION
                    || word.name.split_once(' ').is_some_and(|(w, _)| TagKind::of_word(w).is_some())
            });
            return match declaration.storage {
                None if declares_tag => Ok(()),
                _ => Err(errors::useless_declaration(span)),
            };
        }
        for declarator in &declaration.declarators {
            let Some(name) = &declarator.name else {
                return Err(errors::useless_declaration(declarator.span));
            };
            match declaration.storage {
                Some(Storage::Typedef) => self.define_typedef(early, base, name, declarator)?,
                Some(Storage::Extern) => {
                    let (ty, keys) = self.declared_type(early, base.ty, name, declarator)?;
                    if keys.is_some() {
                        return Err(errors::dynamic_element(name.span, &name.name));
                    }
                    self.declare_extern(name, Marked { ty, ..base })?;
                }
                _ => self.declare_one(early, scope, base, name, declarator)?,
            }
        }
        Ok(())
    }

    /// The type of a declarator, and the signature if it is an associative array.
    #[allow(clippy::type_complexity, reason = "a type and perhaps a signature")]
    fn declared_type(
        &mut self,
        early: &mut Early,
        base: TypeId,
        name: &Ident,
        declarator: &Declarator,
    ) -> Result<(TypeId, Option<Vec<Marked>>), Diagnostic> {
        if name.name.contains('`') {
            return Err(errors::scoped_name(name.span, &name.name));
        }
        let mut ty = base;
        let mut keys: Option<Vec<Marked>> = None;
        for (i, step) in declarator.derived.iter().enumerate() {
            if keys.is_some() {
                return Err(errors::dynamic_element(name.span, &name.name));
            }
            match step {
                // What has such a type has its length elsewhere, or a pointer leads there.
                Derived::Array(None)
                    if matches!(declarator.derived.get(i + 1), None | Some(Derived::Pointer)) =>
                {
                    ty = self.array_of(ty, 0, name.span)?;
                }
                Derived::Array(None) => return Err(errors::array_bound_missing(name.span, &name.name)),
                Derived::Assoc(params) => keys = Some(self.signature(early, params)?),
                _ => ty = self.derive(early, ty, step, name.span)?,
            }
        }
        Ok((ty, keys))
    }

    fn define_typedef(
        &mut self,
        early: &mut Early,
        base: Marked,
        name: &Ident,
        declarator: &Declarator,
    ) -> Result<(), Diagnostic> {
        let (ty, keys) = self.declared_type(early, base.ty, name, declarator)?;
        if keys.is_some() {
            return Err(errors::dynamic_element(name.span, &name.name));
        }
        if self.included || self.c_typedefs.contains(&name.name) {
            return self.define_c_typedef(ty, name, declarator.layout);
        }
        self.name_is_free(name, &format!("typedef {}", self.types.show(ty)))?;
        self.typedefs.insert(name.name.clone());
        let ty = self.types.define_name(&name.name, ty);
        self.declared_types.push((self.included, ty));
        match self.types.depth(ty) > MAX_DEPTH {
            true => Err(errors::type_too_deep(name.span)),
            false => Ok(()),
        }
    }

    /// A typedef of an included file, or one of D that such a one hides: the former come first (language spec §5.6), and
    /// variables hide both.
    fn define_c_typedef(&mut self, ty: TypeId, name: &Ident, layout: Layout) -> Result<(), Diagnostic> {
        if self.types.depth(ty) >= MAX_DEPTH {
            return Err(errors::type_too_deep(name.span));
        }
        if !self.included {
            return Ok(());
        }
        if !self.c_typedefs.insert(name.name.clone())
            && self.types.named(&name.name).is_some_and(|previous| !self.types.same(previous, ty))
        {
            let current = format!("typedef {}", self.types.show(ty));
            return Err(errors::redeclared(name.span, &name.name, &current, "typedef"));
        }
        self.typedefs.insert(name.name.clone());
        let ty = self.types.define_name(&name.name, ty);
        if layout.align > 0 {
            self.types.set_align(ty, layout.align);
        }
        self.declared_types.push((self.included, ty));
        Ok(())
    }

    /// `extern T sym;` and `T f(…);`: gives a symbol its type.
    fn declare_extern(&mut self, name: &Ident, ty: Marked) -> Result<(), Diagnostic> {
        if let Some(previous) = self.externs.get(&name.name) {
            if self.types.same(previous.ty, ty.ty) {
                return Ok(());
            }
            let shown = |ty: &Marked| format!("external {}", ty.show(&self.types));
            return Err(errors::redeclared(name.span, &name.name, &shown(&ty), &shown(previous)));
        }
        self.externs.insert(name.name.clone(), ty);
        Ok(())
    }

    fn declare_one(
        &mut self,
        early: &mut Early,
        scope: Scope,
        base: Marked,
        name: &Ident,
        declarator: &Declarator,
    ) -> Result<(), Diagnostic> {
        let (ty, keys) = self.declared_type(early, base.ty, name, declarator)?;
        if matches!(self.types.resolve(ty), Type::Function(..)) {
            return match scope == Scope::Global && keys.is_none() {
                true => self.declare_extern(name, Marked { ty, ..base }),
                false => Err(errors::function_object(name.span, &name.name)),
            };
        }
        // The files of C declare what is defined elsewhere.
        if matches!(self.types.resolve(ty), Type::Array(_, 0)) && !self.included {
            return Err(errors::array_bound_missing(name.span, &name.name));
        }
        self.check_object(scope, ty, name)?;
        let shape = match keys {
            Some(_) if scope == Scope::ClauseLocal => {
                return Err(errors::local_associative_declaration(name.span, &name.name));
            }
            Some(keys) => VarShape::Associative(keys),
            None => VarShape::Scalar,
        };
        let info = VarInfo {
            name: name.name.clone(),
            scope,
            shape,
            ty: Some(Marked { ty, ..base }),
            provenance: Provenance::Unknown,
            span: name.span,
        };
        self.declare_variable(info)
    }

    /// What a variable or an element may not be.
    fn check_object(&mut self, scope: Scope, ty: TypeId, name: &Ident) -> Result<(), Diagnostic> {
        if self.types.is_void(ty) {
            return Err(errors::void_object(name.span, &name.name));
        }
        self.complete(ty);
        if self.types.size(ty, self.limits.strsize).is_none() {
            let error = errors::incomplete_object(name.span, &self.types.show(ty), &name.name);
            return Err(self.about_undefined(error, ty));
        }
        self.check_parts(scope, ty, &name.name, name.span)
    }

    /// A variable is kept as its parts; there must not be too many.
    pub(super) fn check_parts(
        &mut self,
        scope: Scope,
        ty: TypeId,
        name: &str,
        span: Span,
    ) -> Result<(), Diagnostic> {
        if let Ok(kernel) = self.env.kernel_types() {
            self.types.load_deeply(kernel, ty);
        }
        let parts = parts(&self.types, ty);
        let count = |parts: &[Part]| parts.iter().fold(0u64, |n, part| n.saturating_add(part.count()));
        match parts {
            Some(parts) if scope == Scope::ClauseLocal && count(&parts) > MAX_LOCAL => {
                Err(errors::variable_too_large(span, name, MAX_LOCAL as usize))
            }
            Some(_) => Ok(()),
            None => Err(errors::variable_too_large(span, name, MAX_PARTS)),
        }
    }

    /// The key types of `T x[K1, K2]`.
    pub(super) fn signature(
        &mut self,
        early: &mut Early,
        params: &[TypeName],
    ) -> Result<Vec<Marked>, Diagnostic> {
        let mut keys = Vec::with_capacity(params.len());
        let mut seen: Vec<&str> = Vec::new();
        for (i, param) in params.iter().enumerate() {
            if is_dynamic(param) {
                return Err(errors::function_parameter_type(param.span, i + 1));
            }
            let key = self.type_name(early, param)?;
            if self.types.is_void(key.ty) {
                return Err(errors::parameter_void(param.span, i + 1));
            }
            if let Some(name) = &param.declarator.name {
                if seen.contains(&name.name.as_str()) {
                    return Err(errors::parameter_repeated(name.span, &name.name, i + 1));
                }
                seen.push(&name.name);
            }
            let keyed = self.key_type(key.ty).is_some();
            if self.is_incomplete(key.ty) {
                let shown = self.types.show(key.ty);
                let name = param.declarator.name.as_ref().map_or("", |name| name.name.as_str());
                let error = errors::incomplete_object(param.span, &shown, name);
                return Err(self.about_undefined(error, key.ty));
            }
            if !keyed {
                let what = format!("keys of type {}", self.types.show(key.ty));
                return Err(errors::are_not_supported_yet(param.span, &what));
            }
            keys.push(key);
        }
        Ok(keys)
    }

    fn declare_variable(&mut self, info: VarInfo) -> Result<(), Diagnostic> {
        let (span, name) = (info.span, info.name.clone());
        if info.scope == Scope::Global
            && let Some(inline) = self.inline(&name)
        {
            let same = match (&inline.params, &info.shape) {
                (None, VarShape::Scalar) => true,
                (Some(params), VarShape::Associative(keys)) => {
                    params.len() == keys.len()
                        && params.iter().zip(keys).all(|(a, b)| self.types.same(a.ty.ty, b.ty))
                }
                _ => false,
            };
            if same && info.ty.is_some_and(|ty| self.types.same(ty.ty, inline.ty.ty)) {
                return Ok(());
            }
        }
        if let Some(id) = self.names.var(info.scope, &name) {
            let previous = &self.names.vars[id.index()];
            let same = self.same_shape(&previous.shape, &info.shape)
                && previous.ty.zip(info.ty).is_some_and(|(a, b)| self.types.same(a.ty, b.ty));
            if same {
                return Ok(());
            }
            if info.scope != Scope::Global {
                let (current, before) = (self.describe(&info), self.describe(previous));
                let error = errors::redeclared(span, &name, &current, &before);
                return Err(error.label(previous.span, "first declared or assigned here"));
            }
        }
        if info.scope == Scope::Global {
            self.name_is_free(&Ident { name, span }, &self.describe(&info))?;
        }
        let shown = info.shown();
        self.names.add_var(info).map(|_| ()).ok_or_else(|| errors::too_many_variables(span, &shown))
    }

    /// A new name of the global space, which variables, inlines, enumerators, typedefs and what the language has share, is
    /// that of nothing else. `new` says what it is to be.
    pub(super) fn name_is_free(&self, name: &Ident, new: &str) -> Result<(), Diagnostic> {
        let Ident { name, span } = name;
        if self.is_built_in(name) {
            return Err(errors::built_in_redeclared(*span, name));
        }
        let redeclared = |previous: &str| errors::redeclared(*span, name, new, previous);
        if let Some(id) = self.names.var(Scope::Global, name) {
            let previous = &self.names.vars[id.index()];
            let error = redeclared(&self.describe(previous));
            return Err(error.label(previous.span, "first declared or assigned here"));
        }
        if let Some(inline) = self.inline(name) {
            let before = format!("inline {}", inline.ty.show(&self.types));
            return Err(redeclared(&before).label(inline.span, "defined here"));
        }
        if self.enumerators.contains_key(name) {
            return Err(redeclared("enumerator"));
        }
        // What an included file defines is in a space of its own.
        match self.typedefs.contains(name) && !self.c_typedefs.contains(name) {
            true => Err(redeclared("typedef")),
            false => Ok(()),
        }
    }

    fn same_shape(&self, a: &VarShape, b: &VarShape) -> bool {
        match (a, b) {
            (VarShape::Associative(a), VarShape::Associative(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.types.same(a.ty, b.ty))
            }
            _ => a == b,
        }
    }

    /// A variable as the message about a redeclaration describes it.
    fn describe(&self, info: &VarInfo) -> String {
        let ty = info.ty.map_or_else(|| "<undeclared>".into(), |ty| ty.show(&self.types));
        match &info.shape {
            VarShape::Scalar => format!("scalar {ty}"),
            VarShape::Associative(keys) => match keys.first() {
                Some(key) => format!("associative array, key #1 of type {}", key.show(&self.types)),
                None => "associative array".into(),
            },
        }
    }

    /// Whether a name of the global space belongs to the language or its libraries.
    pub(super) fn is_built_in(&self, name: &str) -> bool {
        is_scope(name)
            || BuiltinVar::by_name(name).is_some()
            || Func::by_name(name).is_some()
            || Action::by_name(name).is_some()
            || AggFn::by_name(name).is_some()
            || self.library_constant(name).is_some()
            || super::BUILTIN_ARRAYS.contains(&name)
            || crate::builtins::vars::UNIMPLEMENTED.contains(&name)
            || funcs::UNIMPLEMENTED.iter().any(|row| row.0 == name)
            || actions::UNIMPLEMENTED.contains(&name)
    }
}

/// Whether a name is one of the words that variables of threads and clauses begin with, which alone have no value.
pub(super) fn is_scope(name: &str) -> bool {
    matches!(name, "self" | "this")
}
