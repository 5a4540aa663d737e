//! What is told of a type that nobody defines. In: the error that this leads to, and the type's name. Out: the error with what
//! the type was probably meant to be, where it is defined otherwise, or why nothing is known.

use super::errors;
use super::session::Session;
use super::suggest::nearest;
use crate::builtins::elsewhere;
use crate::diag::Diagnostic;
use crate::types::{TagKind, Type, TypeId, bare_tag};

impl Session<'_> {
    /// An error about a type of which only the tag is known.
    pub(super) fn about_undefined(&self, error: Diagnostic, ty: TypeId) -> Diagnostic {
        let error = self.left_out_of_headers(error, ty);
        if error.help.is_some() {
            return error;
        }
        match self.types.resolve(ty) {
            Type::Array(element, _) => self.about_undefined(error, *element),
            Type::Tagged(kind, tag) => {
                let help = bare_tag(tag).and_then(|tag| self.about_tag(*kind, tag, ty));
                Diagnostic { help, ..error }
            }
            _ => error,
        }
    }

    fn about_tag(&self, kind: TagKind, tag: &str, ty: TypeId) -> Option<String> {
        if let Some(advice) = elsewhere::of_tag(tag) {
            return Some(advice);
        }
        // It is being defined where it stands.
        if self.declared_types.iter().any(|(_, declared)| *declared == ty) {
            return None;
        }
        let kernel = format!("__kernel_{tag}");
        let known =
            self.env.kernel_types().is_ok_and(|types| types.find(None, Some(kind), &kernel).is_some());
        if known {
            let other = format!("{} {kernel}", kind.word());
            return Some(errors::no_such_type(&self.types.show(ty), Some(&other)));
        }
        Some(format!("did you mean {}?", self.near_tag(kind, tag)?))
    }

    /// The struct, union or enum whose tag is near to one that nobody defines: a program's, or else the kernel's.
    pub(super) fn near_tag(&self, kind: TagKind, tag: &str) -> Option<String> {
        let shown = |near: &str| format!("{} {near}", kind.word());
        if let Some(near) = nearest(tag, self.types.defined_tags(kind)) {
            return Some(shown(near));
        }
        let kernel = self.env.kernel_types().ok()?.names(Some(kind));
        nearest(tag, kernel.iter().map(String::as_str)).map(shown)
    }

    /// The type whose name is near to one that is none: predefined, a program's or the library's, or else the kernel's.
    pub(super) fn named_nearly(&self, name: &str) -> Option<String> {
        let offered = self.offered.iter().copied().filter(|name| name.ends_with("_t"));
        if let Some(near) = nearest(name, self.types.type_names().chain(offered)) {
            return Some(near.to_owned());
        }
        let kernel = self.env.kernel_types().ok()?.names(None);
        nearest(name, kernel.iter().map(String::as_str)).map(str::to_owned)
    }
}
