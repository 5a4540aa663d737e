//! Type names: specifiers, definitions of structs, unions and enums, declarators (language spec §3.3, §5.6, §7.1).
//!
//! In: the nodes of a declaration or of a cast, in source order, while a program is read. Out: types in the session's
//! table; tags, typedefs and enumerators that definitions make. Variables are [`super::decl`].

use std::collections::HashSet;
use std::sync::Arc;

use super::errors;
use super::fold::{Early, Folded};
use super::names::Marked;
use super::session::Session;
use crate::ast::{
    DEFINITION, Definition, DefinitionBody, Derived, Enumerator, Ident, Layout, MemberDeclaration,
    MemberDeclarator, TypeName, TypeSpecs,
};
use crate::diag::Diagnostic;
use crate::source::{SourceKind, Span};
use crate::types::records::{BadRecord, EnumValue, Enumeration, MAX_SIZE, NewMember, Record};
use crate::types::{
    INT, IntType, LONG, MAX_DEPTH, Parameters, TagKind, Type, TypeId, UNSIGNED, bare_tag, combine,
};

impl Session<'_> {
    /// The type of a type name.
    pub(super) fn type_name(&mut self, early: &mut Early, name: &TypeName) -> Result<Marked, Diagnostic> {
        let base = self.specifiers(early, &name.specs, false)?;
        let mut ty = base.ty;
        for step in &name.declarator.derived {
            ty = match step {
                Derived::Array(None) => self.array_of(ty, 0, name.span)?,
                Derived::Assoc(_) => return Err(errors::dynamic_element(name.span, "type name")),
                _ => self.derive(early, ty, step, name.span)?,
            };
        }
        Ok(Marked { ty, ..base })
    }

    /// One step of a declarator that makes a type: a pointer, an array with its bound, a function.
    pub(super) fn derive(
        &mut self,
        early: &mut Early,
        ty: TypeId,
        step: &Derived,
        span: Span,
    ) -> Result<TypeId, Diagnostic> {
        let derived = match step {
            Derived::Pointer => self.types.pointer_to(ty),
            Derived::Array(Some(bound)) => {
                let length = self.bound(early, bound)?;
                self.array_of(ty, length, span)?
            }
            Derived::Function(params, more) => {
                let types = self.parameters(early, params)?;
                self.types.add(Type::Function(ty, Parameters { types: types.into(), more: *more }))
            }
            // Their callers know what these are for.
            Derived::Array(None) | Derived::Assoc(_) => ty,
        };
        match self.types.depth(derived) > MAX_DEPTH {
            true => Err(errors::type_too_deep(span)),
            false => Ok(derived),
        }
    }

    /// The types of the parameters of a function (language spec §7.1).
    fn parameters(&mut self, early: &mut Early, params: &[TypeName]) -> Result<Vec<TypeId>, Diagnostic> {
        let mut seen: Vec<&str> = Vec::new();
        let mut types = Vec::with_capacity(params.len());
        for (i, param) in params.iter().enumerate() {
            if is_dynamic(param) {
                return Err(errors::function_parameter_type(param.span, i + 1));
            }
            let ty = self.type_name(early, param)?.ty;
            let name = param.declarator.name.as_ref();
            if self.types.is_void(ty) {
                if params.len() > 1 {
                    return Err(errors::function_parameter_void(param.span));
                }
                if let Some(name) = name {
                    return Err(errors::function_parameter_void_named(name.span, &name.name));
                }
            }
            if let Some(name) = name {
                if seen.contains(&name.name.as_str()) {
                    return Err(errors::function_parameter_repeated(name.span, &name.name, i + 1));
                }
                seen.push(&name.name);
            }
            types.push(ty);
        }
        Ok(types)
    }

    fn bound(&mut self, early: &mut Early, bound: &crate::ast::Expr) -> Result<u64, Diagnostic> {
        self.fold(early, bound)?;
        match early.constant(bound) {
            Some(c) if c.value > i64::from(u32::MAX) || self.is_beyond_signed(c) => {
                Err(errors::array_too_big(bound.span))
            }
            Some(c) if c.value > 0 => Ok(c.value as u64),
            // What is left of a fixed room for headers, `char rest[20 - 2 * sizeof (long) - sizeof (int)]`.
            Some(c) if c.value == 0 && self.included => Ok(0),
            _ => Err(errors::array_bound(bound.span)),
        }
    }

    /// Whether a constant is of an unsigned type and beyond every signed one.
    pub(super) fn is_beyond_signed(&self, constant: Folded) -> bool {
        constant.value < 0 && !self.types.width(constant.ty).1
    }

    /// An array; its elements must be objects, and all of them together fit into memory.
    pub(super) fn array_of(
        &mut self,
        element: TypeId,
        length: u64,
        span: Span,
    ) -> Result<TypeId, Diagnostic> {
        if self.types.is_void(element) {
            return Err(errors::void_array(span));
        }
        self.complete(element);
        match self.types.resolve(element) {
            Type::Function(..) => return Err(errors::function_object(span, "array element")),
            Type::Tagged(..) if self.types.size(element, 0).is_none() => {
                let error = errors::incomplete_element(span, &self.types.show(element));
                return Err(self.about_undefined(error, element));
            }
            _ => {}
        }
        let ty = self.types.add(Type::Array(element, length));
        match self.types.size(ty, self.limits.strsize) {
            Some(size) if size <= MAX_SIZE => Ok(ty),
            _ => Err(errors::type_too_large(span)),
        }
    }

    /// The base type of a list of specifiers. `stored` says that a storage class stands beside them.
    pub(super) fn specifiers(
        &mut self,
        early: &mut Early,
        specs: &TypeSpecs,
        stored: bool,
    ) -> Result<Marked, Diagnostic> {
        let ty = self.base_type(early, specs, stored)?;
        let userland = specs.qualifiers.iter().any(|q| q.name == "userland");
        Ok(Marked { ty, userland })
    }

    fn base_type(
        &mut self,
        early: &mut Early,
        specs: &TypeSpecs,
        stored: bool,
    ) -> Result<TypeId, Diagnostic> {
        let words: Vec<&str> = specs.words.iter().map(|w| w.name.as_str()).collect();
        if words.is_empty() {
            // A storage class alone means `int`; a qualifier alone names no type.
            return match stored {
                true => Ok(self.types.common().int),
                false => {
                    let qualifiers: Vec<&str> = specs.qualifiers.iter().map(|q| q.name.as_str()).collect();
                    Err(errors::qualifiers_alone(specs.span, &qualifiers.join(" ")))
                }
            };
        }
        let is_attribute = |w: &&&str| matches!(**w, "signed" | "unsigned" | "short" | "long");
        let bases: Vec<&str> = words.iter().filter(|w| !is_attribute(w)).copied().collect();
        match bases[..] {
            [] => {}
            [base] => self.attributes(base, &words, specs.span)?,
            _ => return Err(errors::type_combination(specs.span)),
        }
        match words[..] {
            [DEFINITION] => {
                if let Some(definition) = specs.definitions.first() {
                    return self.define_tag(early, definition);
                }
            }
            [one] => {
                if let Some((word, tag)) = one.split_once(' ')
                    && let Some(kind) = TagKind::of_word(word)
                {
                    return self.tagged(kind, tag, specs.span);
                }
                if let Some(ty) = self.named_type(one) {
                    return Ok(ty);
                }
            }
            _ => {}
        }
        let mut words_in_order = words.clone();
        if let Some(ty) = combine(&mut words_in_order).and_then(|name| self.types.named(name)) {
            return Ok(ty);
        }
        let error = errors::unknown_type(specs.span, &words.join(" "));
        Err(match words[..] {
            [one] => self.told_why_left_out(error, one),
            _ => error,
        })
    }

    /// `signed`, `unsigned`, `short` and `long` beside a base type.
    fn attributes(&mut self, base: &str, words: &[&str], span: Span) -> Result<(), Diagnostic> {
        let has = |word: &str| words.contains(&word);
        let (sign, length) = (has("signed") || has("unsigned"), has("long") || has("short"));
        match base {
            "char" if length => Err(errors::char_attribute(span)),
            "void" if sign || length => Err(errors::void_attribute(span)),
            "int" | "char" | "void" => Ok(()),
            "double" if sign => Err(errors::sign_attribute(span)),
            "double" if has("short") => Err(errors::long_attribute(span)),
            "double" => Ok(()),
            _ if !sign && !length => Ok(()),
            _ => {
                let is_integer = self.named_type(base).is_some_and(|ty| self.types.is_integer(ty));
                match () {
                    () if sign && !is_integer => Err(errors::sign_attribute(span)),
                    () if length && !is_integer => Err(errors::long_attribute(span)),
                    () => Ok(()),
                }
            }
        }
    }

    /// The type behind a name: predefined, of a program, or of the kernel; `mod`name` of that module.
    pub(super) fn named_type(&mut self, name: &str) -> Option<TypeId> {
        if let Some(ty) = self.types.named(name) {
            return Some(self.predefined(name, ty));
        }
        if let Some(&known) = self.kernel_names.borrow().get(name) {
            let kernel = self.env.kernel_types().ok()?;
            return known.map(|id| self.types.import(kernel, id).ty);
        }
        let id = self.kernel_name(name)?;
        let kernel = self.env.kernel_types().ok()?;
        Some(self.types.import(kernel, id).ty)
    }

    /// What a predefined name of a struct means: the kernel's, whatever programs call so.
    fn predefined(&mut self, name: &str, ty: TypeId) -> TypeId {
        let tag = self.types.predefined_tag(ty).map(|(kind, tag)| (kind, tag.to_owned()));
        match tag.and_then(|(kind, tag)| self.kernel_tag(kind, &tag)) {
            Some(own) => self.types.define_name(name, own),
            None => ty,
        }
    }

    /// The type `struct tag` and its like. A tag that nobody defines is a forward declaration, unless it is scoped.
    fn tagged(&mut self, kind: TagKind, tag: &str, span: Span) -> Result<TypeId, Diagnostic> {
        let Some((module, bare)) = tag.split_once('`') else {
            let ty = self.types.add(Type::Tagged(kind, tag.into()));
            let library = self.sources.get(span.source).kind == SourceKind::Library;
            return Ok(match library && !self.is_defined(ty) {
                true => self.kernel_tag(kind, tag).unwrap_or(ty),
                false => ty,
            });
        };
        let shown = || format!("{} {tag}", kind.word());
        if bare.contains('`') {
            return Err(errors::improper_scope(span, &shown()));
        }
        let module = Some(module).filter(|module| !module.is_empty());
        let kernel = self.env.kernel_types();
        let found = kernel.as_ref().ok().and_then(|kernel| kernel.find(module, Some(kind), bare));
        match (kernel, found) {
            (Ok(kernel), Some(id)) => Ok(self.types.import(kernel, id).ty),
            (Ok(kernel), None) => {
                let error = errors::unknown_type(span, &shown());
                let names = kernel.names(Some(kind));
                Err(match super::suggest::nearest(bare, names.iter().map(String::as_str)) {
                    Some(near) => error.help(format!("did you mean {} {near}?", kind.word())),
                    None => error,
                })
            }
            (Err(why), _) => Err(errors::unknown_type(span, &shown()).help(why)),
        }
    }

    /// Completes a struct, union or enum that is known by its tag only, from the kernel's types; typedefs and arrays are
    /// looked through. Its members are not read yet.
    pub(super) fn complete(&mut self, ty: TypeId) {
        let mut ty = self.types.base(ty);
        while let Type::Array(element, _) = *self.types.get(ty) {
            ty = self.types.base(element);
        }
        let Type::Tagged(kind, tag) = self.types.get(ty).clone() else { return };
        let known = match kind {
            TagKind::Enum => self.types.enumeration(ty).is_some(),
            TagKind::Struct | TagKind::Union => self.types.record(ty).is_some(),
        };
        if known || self.absent.contains(&ty) {
            return;
        }
        let kernel = self.env.kernel_types().ok();
        let found = bare_tag(&tag)
            .zip(kernel)
            .and_then(|(tag, kernel)| kernel.find(None, Some(kind), tag).map(|id| (kernel, id)));
        if let Some((kernel, id)) = found {
            self.types.adopt(kernel, ty, id);
        }
        if self.types.size(ty, 0).is_none() {
            self.absent.insert(ty);
        }
    }

    /// Completes a struct or union and reads its members.
    pub(super) fn with_members(&mut self, ty: TypeId) {
        self.complete(ty);
        if let Ok(kernel) = self.env.kernel_types() {
            self.types.load_members(kernel, ty);
        }
    }

    // Definitions.

    fn define_tag(&mut self, early: &mut Early, definition: &Definition) -> Result<TypeId, Diagnostic> {
        let mut ty = match &definition.tag {
            None => self.types.anonymous(definition.kind),
            Some(tag) if tag.name.contains('`') => {
                return Err(errors::scoped_declaration(tag.span, "tag", &tag.name));
            }
            Some(tag) => self.types.add(Type::Tagged(definition.kind, tag.name.as_str().into())),
        };
        let by_program = self.is_defined(ty);
        let of_c = self.c_tags.contains(&ty);
        if by_program && !self.included && of_c {
            // C's is found first, so that D's is that of this declaration only.
            ty = self.types.anonymous(definition.kind);
        } else if by_program && self.included && !of_c {
            // From here on C's is found first; what D has declared before keeps its type.
            let kept = ty;
            let name = self.types.get(ty).clone();
            self.types.rename_tag(kept);
            ty = self.types.add(name);
        } else if by_program {
            return Err(errors::tag_redefined(definition.span, &self.types.show(ty)));
        }
        self.declared_types.push((self.included, ty));
        if self.included {
            self.c_tags.insert(ty);
        }
        match &definition.body {
            DefinitionBody::Members(declarations) => {
                // Within its body a struct is incomplete, also one that the kernel has, too.
                self.types.forget_record(ty);
                self.absent.insert(ty);
                let record = self.members(early, definition, declarations)?;
                for member in record.members.iter().flat_map(|members| members.iter()) {
                    if self.holds(member.ty, ty) {
                        let name = member.name.as_deref().unwrap_or("");
                        return Err(errors::incomplete_member(definition.span, &self.types.show(ty), name));
                    }
                }
                self.types.set_record(ty, record);
            }
            DefinitionBody::Enumerators(enumerators) => {
                let (int, values) = self.enumerators(early, enumerators)?;
                let enumeration = Enumeration { int, values: Some(values.into()), by_program: true };
                self.types.set_enumeration(ty, enumeration);
            }
        }
        self.absent.remove(&ty);
        Ok(ty)
    }

    /// Whether a program or a library says what a tag has in it.
    fn is_defined(&self, ty: TypeId) -> bool {
        self.types.enumeration(ty).is_some_and(|known| known.by_program)
            || self.types.record(ty).is_some_and(|known| known.by_program)
    }

    /// Whether a value of a type has one of another in it. A struct of the kernel may have one of a tag that the program
    /// defines anew.
    fn holds(&mut self, ty: TypeId, part: TypeId) -> bool {
        let mut seen = HashSet::new();
        let mut left = vec![ty];
        while let Some(ty) = left.pop() {
            let ty = self.types.base(ty);
            match self.types.get(ty) {
                Type::Array(element, _) => left.push(*element),
                Type::Tagged(..) if ty == part => return true,
                Type::Tagged(..) if seen.insert(ty) => {
                    self.with_members(ty);
                    let members = self.types.record(ty).and_then(|record| record.members.clone());
                    left.extend(members.iter().flat_map(|members| members.iter()).map(|member| member.ty));
                }
                _ => {}
            }
        }
        false
    }

    fn members(
        &mut self,
        early: &mut Early,
        definition: &Definition,
        declarations: &[MemberDeclaration],
    ) -> Result<Record, Diagnostic> {
        let mut members = Vec::new();
        let mut seen: HashSet<&str> = HashSet::new();
        for declaration in declarations {
            let base = self.specifiers(early, &declaration.specs, false)?;
            let definition = declaration.specs.definitions.first();
            if declaration.members.is_empty() && definition.is_some_and(|definition| definition.tag.is_none())
            {
                let layout = Layout::default();
                let (ty, userland) = (base.ty, base.userland);
                members.push(NewMember { name: None, ty, width: None, userland, layout });
            }
            for member in &declaration.members {
                let new = self.new_member(early, base, member)?;
                if let Some(name) = &member.declarator.name
                    && !seen.insert(&name.name)
                {
                    return Err(errors::member_repeated(name.span, &name.name));
                }
                members.push(new);
            }
        }
        let union = definition.kind == TagKind::Union;
        self.types.place(union, &members, self.limits.strsize, definition.layout).map_err(|bad| match bad {
            BadRecord::TooLarge => errors::type_too_large(definition.span),
            BadRecord::TooDeep => errors::type_too_deep(definition.span),
        })
    }

    fn new_member(
        &mut self,
        early: &mut Early,
        base: Marked,
        member: &MemberDeclarator,
    ) -> Result<NewMember, Diagnostic> {
        let declarator = &member.declarator;
        let span = declarator.span;
        let name = declarator.name.as_ref();
        let shown = name.map_or("", |name| name.name.as_str());
        if shown.contains('`') {
            return Err(errors::scoped_declaration(span, "member name", shown));
        }
        let mut ty = base.ty;
        for (i, step) in declarator.derived.iter().enumerate() {
            ty = match step {
                Derived::Assoc(_) => return Err(errors::member_not_an_object(span, shown)),
                // A flexible array, or what a pointer leads to.
                Derived::Array(None)
                    if matches!(declarator.derived.get(i + 1), None | Some(Derived::Pointer)) =>
                {
                    self.array_of(ty, 0, span)?
                }
                Derived::Array(None) => return Err(errors::array_bound_missing(span, shown)),
                _ => self.derive(early, ty, step, span)?,
            };
        }
        let width = match &member.width {
            Some(width) => Some(self.width(early, ty, shown, name.is_some(), width)?),
            None => None,
        };
        if self.types.is_void(ty) {
            return Err(errors::void_member(span, shown));
        }
        self.with_members(ty);
        match self.types.resolve(ty) {
            Type::Function(..) => return Err(errors::function_object(span, shown)),
            Type::Tagged(..) if self.types.size(ty, 0).is_none() => {
                let error = errors::incomplete_member(span, &self.types.show(ty), shown);
                return Err(self.about_undefined(error, ty));
            }
            _ => {}
        }
        let name = name.map(|name| Arc::from(name.name.as_str()));
        Ok(NewMember { name, ty, width, userland: base.userland, layout: declarator.layout })
    }

    /// The width of a bit-field.
    fn width(
        &mut self,
        early: &mut Early,
        ty: TypeId,
        name: &str,
        named: bool,
        width: &crate::ast::Expr,
    ) -> Result<u8, Diagnostic> {
        self.fold(early, width)?;
        let least = i64::from(named);
        let beyond = |c: Folded| if self.is_beyond_signed(c) { i64::MAX } else { c.value };
        let value = early.constant(width).map(beyond).filter(|&value| value >= least);
        let value = value.ok_or_else(|| errors::bit_field_width(width.span))?;
        let Type::Int(int) = *self.types.resolve(ty) else {
            return Err(errors::bit_field_type(width.span, name));
        };
        match u8::try_from(value) {
            Ok(bits) if bits <= int.bits => Ok(bits),
            _ => Err(errors::bit_field_size(width.span, name, u64::from(int.bits))),
        }
    }

    /// The enumerators of an enum, each a constant of the session from its place on, and what the enum behaves as. Those of
    /// headers may be larger than `int`, as compilers have it.
    fn enumerators(
        &mut self,
        early: &mut Early,
        enumerators: &[Enumerator],
    ) -> Result<(IntType, Vec<EnumValue>), Diagnostic> {
        let mut values: Vec<EnumValue> = Vec::with_capacity(enumerators.len());
        // Wider than any value, so that those of `unsigned long` are told from negative ones.
        let (mut next, mut least, mut most) = (0i128, 0i128, 0i128);
        let mut seen: HashSet<&str> = HashSet::new();
        for enumerator in enumerators {
            let Ident { name, span } = &enumerator.name;
            if name.contains('`') {
                return Err(errors::scoped_declaration(*span, "enumerator name", name));
            }
            if let Some(value) = &enumerator.value {
                self.fold(early, value)?;
                let constant = early.constant(value).filter(|c| self.types.is_integer(c.ty));
                let constant = constant.ok_or_else(|| errors::enumerator_not_constant(value.span, name))?;
                let (_, signed) = self.types.width(constant.ty);
                next = if signed { constant.value.into() } else { (constant.value as u64).into() };
            }
            let value = next as i64;
            let ty = match self.types.common() {
                common if i32::try_from(next).is_ok() => common.int,
                _ if !self.included => return Err(errors::enumerator_overflow(*span, name, value)),
                _ if u32::try_from(next).is_ok() => self.types.int(UNSIGNED),
                common if i64::try_from(next).is_ok() => common.int64,
                common => common.uint64,
            };
            (least, most) = (least.min(next), most.max(next));
            next += 1;
            if !seen.insert(name) {
                return Err(errors::enumerator_repeated(*span, name));
            }
            // Headers give names to what the language has a constant for.
            if self.is_built_in(name) && self.included {
                values.push((name.as_str().into(), value));
                continue;
            }
            self.name_is_free(&enumerator.name, "enumerator")?;
            self.enumerators.insert(name.clone(), Folded { value, ty });
            values.push((name.as_str().into(), value));
        }
        let int = match most {
            _ if least < i32::MIN.into() => LONG,
            ..=0x7fff_ffff => INT,
            ..=0xffff_ffff if least == 0 => UNSIGNED,
            _ => LONG,
        };
        Ok((int, values))
    }
}

/// Whether a type name is that of an associative array.
pub(super) fn is_dynamic(ty: &TypeName) -> bool {
    ty.declarator.derived.iter().any(|step| matches!(step, Derived::Assoc(_)))
}
