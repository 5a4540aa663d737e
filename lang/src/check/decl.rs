//! Declarations and type names: specifiers and declarators into types and variables (language spec §3.3, §7.1).
//!
//! In: the nodes of a declaration, in source order, while a program is read. Out: variables in the session's names,
//! types in its table. Struct, union, enum and typedef declarations never get here: the parser refuses them.

use super::errors;
use super::fold::Early;
use super::names::{Marked, Provenance, VarInfo, VarShape};
use super::session::Session;
use crate::ast::{Declaration, Declarator, Derived, Ident, Storage, TypeName, TypeSpecs};
use crate::builtins::{Action, AggFn, BuiltinVar, Func, actions, consts, funcs};
use crate::diag::Diagnostic;
use crate::ir::Scope;
use crate::source::Span;
use crate::types::{Type, TypeId, combine};

impl Session<'_> {
    /// The type of a type name.
    pub(super) fn type_name(&mut self, early: &mut Early, name: &TypeName) -> Result<Marked, Diagnostic> {
        let base = self.specifiers(&name.specs, false)?;
        let userland = name.specs.qualifiers.iter().any(|q| q.name == "userland");
        let mut ty = base;
        for step in &name.declarator.derived {
            ty = match step {
                Derived::Pointer => self.types.pointer_to(ty),
                Derived::Array(Some(bound)) => {
                    let length = self.bound(early, bound)?;
                    self.array_of(ty, length, name.span)?
                }
                Derived::Array(None) => self.array_of(ty, 0, name.span)?,
                Derived::Function(params) => {
                    self.parameters(early, params)?;
                    self.types.add(Type::Function(ty))
                }
                Derived::Assoc(_) => return Err(errors::dynamic_element(name.span, "type name")),
            };
        }
        Ok(Marked { ty, userland })
    }

    /// The types of a function's parameters are looked up for their errors only (language spec §5.8).
    fn parameters(&mut self, early: &mut Early, params: &[TypeName]) -> Result<(), Diagnostic> {
        params.iter().try_for_each(|param| self.type_name(early, param).map(|_| ()))
    }

    fn bound(&mut self, early: &mut Early, bound: &crate::ast::Expr) -> Result<u64, Diagnostic> {
        self.fold(early, bound)?;
        match early.constant(bound) {
            Some(c) if c.value > i64::from(u32::MAX) => Err(errors::array_too_big(bound.span)),
            Some(c) if c.value > 0 => Ok(c.value as u64),
            _ => Err(errors::array_bound(bound.span)),
        }
    }

    fn array_of(&mut self, element: TypeId, length: u64, span: Span) -> Result<TypeId, Diagnostic> {
        if self.types.is_void(element) {
            return Err(errors::void_array(span));
        }
        Ok(self.types.add(Type::Array(element, length)))
    }

    /// The base type of a list of specifiers.
    fn specifiers(&mut self, specs: &TypeSpecs, stored: bool) -> Result<TypeId, Diagnostic> {
        let words: Vec<&str> = specs.words.iter().map(|w| w.name.as_str()).collect();
        if words.is_empty() {
            // A storage class alone means `int`; a qualifier alone names no type.
            return match stored {
                true => Ok(self.types.common().int),
                false => Err(errors::unknown_type(specs.span, "")),
            };
        }
        let is_attribute = |w: &&&str| matches!(**w, "signed" | "unsigned" | "short" | "long");
        let bases: Vec<&str> = words.iter().filter(|w| !is_attribute(w)).copied().collect();
        match bases[..] {
            [] => {}
            [base] => self.attributes(base, &words, specs.span)?,
            _ => return Err(errors::type_combination(specs.span)),
        }
        if let [one] = words[..] {
            if let Some(ty) = self.types.named(one) {
                return Ok(ty);
            }
            if let Some(ty) = ["struct ", "union ", "enum "]
                .iter()
                .any(|prefix| one.starts_with(prefix))
                .then(|| self.types.spelt(one))
                .flatten()
            {
                return Ok(ty);
            }
        }
        let mut words_in_order = words.clone();
        if let Some(ty) = combine(&mut words_in_order).and_then(|name| self.types.named(name)) {
            return Ok(ty);
        }
        Err(errors::unknown_type(specs.span, &words.join(" ")))
    }

    /// `signed`, `unsigned`, `short` and `long` beside a base type.
    fn attributes(&self, base: &str, words: &[&str], span: Span) -> Result<(), Diagnostic> {
        let has = |word: &str| words.contains(&word);
        let (sign, length) = (has("signed") || has("unsigned"), has("long") || has("short"));
        let is_integer = self.types.named(base).is_some_and(|ty| self.types.is_integer(ty));
        match base {
            "char" if length => Err(errors::char_attribute(span)),
            "void" if sign || length => Err(errors::void_attribute(span)),
            "int" | "char" | "void" => Ok(()),
            "double" if sign => Err(errors::sign_attribute(span)),
            "double" if has("short") => Err(errors::long_attribute(span)),
            "double" => Ok(()),
            _ if sign && !is_integer => Err(errors::sign_attribute(span)),
            _ if length && !is_integer => Err(errors::long_attribute(span)),
            _ => Ok(()),
        }
    }

    /// Declares the variables of a declaration.
    pub(super) fn declare(&mut self, early: &mut Early, declaration: &Declaration) -> Result<(), Diagnostic> {
        let span = declaration.span;
        let scope = match declaration.storage {
            None => Scope::Global,
            Some(Storage::SelfLocal) => Scope::ThreadLocal,
            Some(Storage::ThisLocal) => Scope::ClauseLocal,
            Some(Storage::Auto | Storage::Register | Storage::Static) => {
                return Err(errors::storage_class(span));
            }
            Some(Storage::Extern) if declaration.declarators.is_empty() => {
                return Err(errors::useless_declaration(span));
            }
            Some(Storage::Extern) => return Err(errors::are_not_supported_yet(span, "extern declarations")),
            Some(Storage::Typedef) => return Err(errors::are_not_supported_yet(span, "typedefs")),
        };
        let base = self.specifiers(&declaration.specs, declaration.storage.is_some())?;
        if declaration.declarators.is_empty() {
            return Err(errors::useless_declaration(span));
        }
        let userland = declaration.specs.qualifiers.iter().any(|q| q.name == "userland");
        for declarator in &declaration.declarators {
            self.declare_one(early, scope, Marked { ty: base, userland }, declarator)?;
        }
        Ok(())
    }

    fn declare_one(
        &mut self,
        early: &mut Early,
        scope: Scope,
        base: Marked,
        declarator: &Declarator,
    ) -> Result<(), Diagnostic> {
        let Some(name) = &declarator.name else { return Err(errors::useless_declaration(declarator.span)) };
        if name.name.contains('`') {
            return Err(errors::scoped_name(name.span, &name.name));
        }
        let mut ty = base.ty;
        let mut keys: Option<Vec<Marked>> = None;
        for step in &declarator.derived {
            if keys.is_some() {
                return Err(errors::dynamic_element(name.span, &name.name));
            }
            match step {
                Derived::Pointer => ty = self.types.pointer_to(ty),
                Derived::Array(bound) => {
                    let bound =
                        bound.as_ref().ok_or_else(|| errors::array_bound_missing(name.span, &name.name))?;
                    let length = self.bound(early, bound)?;
                    ty = self.array_of(ty, length, name.span)?;
                }
                Derived::Assoc(params) => keys = Some(self.signature(early, params)?),
                Derived::Function(params) => {
                    // A prototype declares an external symbol, which no program can call or read yet.
                    return self.parameters(early, params);
                }
            }
        }
        let mut dimensions = Vec::new();
        while let Type::Array(element, length) = *self.types.get(ty) {
            dimensions.push(length);
            ty = element;
        }
        self.check_object(ty, name)?;
        let shape = match keys {
            Some(_) if scope == Scope::ClauseLocal => {
                return Err(errors::local_associative_declaration(name.span, &name.name));
            }
            Some(_) if !dimensions.is_empty() => {
                return Err(errors::are_not_supported_yet(name.span, "associative arrays of arrays"));
            }
            Some(keys) => VarShape::Associative(keys),
            None if dimensions.is_empty() => VarShape::Scalar,
            None if scope == Scope::ClauseLocal => {
                return Err(errors::are_not_supported_yet(name.span, "clause-local arrays"));
            }
            None => VarShape::Array(dimensions),
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
    fn check_object(&self, ty: TypeId, name: &Ident) -> Result<(), Diagnostic> {
        match self.types.resolve(ty) {
            Type::Void => Err(errors::void_object(name.span, &name.name)),
            Type::Tagged(..) => Err(errors::incomplete_object(name.span, &self.types.show(ty), &name.name)),
            Type::Float(..) => Err(errors::are_not_supported_yet(name.span, "floating-point variables")),
            _ => Ok(()),
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
            if self.value_type(key.ty).is_none() {
                let what = format!("keys of type {}", self.types.show(key.ty));
                return Err(errors::are_not_supported_yet(param.span, &what));
            }
            keys.push(key);
        }
        Ok(keys)
    }

    fn declare_variable(&mut self, info: VarInfo) -> Result<(), Diagnostic> {
        let (span, name) = (info.span, info.name.clone());
        if info.scope == Scope::Global && is_built_in(&name) {
            return Err(errors::built_in_redeclared(span, &name));
        }
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
            let before = format!("inline {}", inline.ty.show(&self.types));
            return Err(errors::redeclared(span, &name, &self.describe(&info), &before)
                .label(inline.span, "defined here"));
        }
        if let Some(id) = self.names.var(info.scope, &name) {
            let previous = &self.names.vars[id.index()];
            let same = self.same_shape(&previous.shape, &info.shape)
                && previous.ty.zip(info.ty).is_some_and(|(a, b)| self.types.same(a.ty, b.ty));
            if same {
                return Ok(());
            }
            let (current, before) = (self.describe(&info), self.describe(previous));
            return Err(errors::redeclared(span, &name, &current, &before)
                .label(previous.span, "first declared or assigned here"));
        }
        let shown = info.shown();
        self.names.add_var(info).map(|_| ()).ok_or_else(|| errors::too_many_variables(span, &shown))
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
            VarShape::Array(dimensions) => {
                let dimensions: String = dimensions.iter().map(|n| format!("[{n}]")).collect();
                format!("scalar {ty} {dimensions}")
            }
            VarShape::Associative(keys) => match keys.first() {
                Some(key) => format!("associative array, key #1 of type {}", key.show(&self.types)),
                None => "associative array".into(),
            },
        }
    }
}

/// Whether a name of the global space belongs to the language.
pub(super) fn is_built_in(name: &str) -> bool {
    BuiltinVar::by_name(name).is_some()
        || Func::by_name(name).is_some()
        || Action::by_name(name).is_some()
        || AggFn::by_name(name).is_some()
        || consts::constant(name).is_some()
        || super::BUILTIN_ARRAYS.contains(&name)
        || crate::builtins::vars::UNIMPLEMENTED.contains(&name)
        || funcs::UNIMPLEMENTED.iter().any(|(n, _)| *n == name)
        || actions::UNIMPLEMENTED.contains(&name)
}
