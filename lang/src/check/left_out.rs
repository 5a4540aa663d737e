//! What a program is told that uses a type of a header which D cannot say: the error that the missing definition leads to in,
//! the same with the header's place and the reason out.

use super::errors;
use super::session::Session;
use crate::ast::LeftOut;
use crate::diag::Diagnostic;
use crate::parse;
use crate::types::{Type, TypeId, bare_tag};

impl Session<'_> {
    /// Takes note of what the headers of a program leave out.
    pub(super) fn note_left_out(&mut self, left_out: &[LeftOut]) {
        for it in left_out {
            let name = match it.kind {
                Some(kind) => format!("{} {}", kind.word(), it.name),
                None => it.name.clone(),
            };
            self.left_out.insert(name, it.clone());
        }
    }

    /// An error about a type without a definition, with the header that has one.
    pub(super) fn left_out_of_headers(&self, error: Diagnostic, ty: TypeId) -> Diagnostic {
        match self.types.resolve(ty) {
            Type::Tagged(kind, tag) => match bare_tag(tag) {
                Some(tag) => self.told_why_left_out(error, &format!("{} {tag}", kind.word())),
                None => error,
            },
            Type::Array(element, _) => self.left_out_of_headers(error, *element),
            _ => error,
        }
    }

    /// The same, for a type of this name, a tag with its keyword.
    pub(super) fn told_why_left_out(&self, error: Diagnostic, name: &str) -> Diagnostic {
        let Some(LeftOut { why, span, .. }) = self.left_out.get(name) else { return error };
        let place = parse::place(&self.sources.get(span.source).text, span.start);
        error.help(errors::left_out(place.file.as_deref(), place.line, name, why))
    }
}
