//! What follows from types that are left out: a declaration that is, or that uses one in, and out what else must be left out,
//! and what a program is to be told when it uses such a type.

use std::collections::HashMap;

use super::{Declaration, Reader, Why};
use crate::ast::LeftOut;
use crate::source::Span;
use crate::types::TagKind;

/// The types that headers define and D has not.
#[derive(Debug, Default)]
pub(super) struct Absent<'a> {
    /// Typedefs, with whether a pointer to one can be said: those of structs that were left out.
    typedefs: HashMap<&'a str, (String, bool)>,
    /// Structs, unions and enums.
    tags: HashMap<(TagKind, &'a str), String>,
}

impl<'a> Reader<'a> {
    /// Takes note of a word where the name of a type may stand; `end` is where it ends.
    pub(super) fn type_word(&mut self, word: &'a str, end: usize) {
        let at = self.pos;
        if let Some(kind) = TagKind::of_word(word) {
            self.declaration.keyword = Some((kind, at));
            self.declaration.tag = None;
            return;
        }
        let behind_keyword = self.declaration.last.0 == b'a'
            && self.declaration.keyword.is_some_and(|(_, keyword)| keyword == self.declaration.last.1);
        let (why, pointable) = match self.declaration.keyword.filter(|_| behind_keyword) {
            Some((kind, _)) => {
                self.declaration.tag = Some(word);
                match self.absent.tags.get(&(kind, word)) {
                    Some(why) => (why.clone(), true),
                    None => return,
                }
            }
            None => match self.absent.typedefs.get(word) {
                Some(why) => why.clone(),
                None => return,
            },
        };
        if !pointable {
            return self.leave_out(at, || why);
        }
        let next = self.byte(self.next_token(end));
        if matches!(next, Some(b'*' | b'{')) || self.declaration.parens > 0 {
            return;
        }
        match self.declaration.braces.is_empty() {
            // A member without a size.
            false => self.leave_out(at, || why),
            true => self.declaration.hollow = Some(Why { at, message: why }),
        }
    }

    /// Takes note of what a declaration leaves without a definition.
    pub(super) fn follow(&mut self, declaration: Declaration<'a>) {
        let typedef = declaration.first == "typedef";
        let names = declaration.names.iter().filter(|name| typedef && !name.is_empty());
        if let Some(why) = declaration.left_out {
            for name in names {
                self.absent.typedefs.insert(name, (why.message.clone(), false));
                self.tell(None, name, &why);
            }
            for (kind, tag) in declaration.tags {
                self.absent.tags.insert((kind, tag), why.message.clone());
                self.tell(Some(kind), tag, &why);
            }
            return;
        }
        for tag in declaration.tags {
            self.absent.tags.remove(&tag);
        }
        for name in names {
            match &declaration.hollow {
                Some(why) => self.absent.typedefs.insert(name, (why.message.clone(), true)),
                None => self.absent.typedefs.remove(name),
            };
        }
    }

    fn tell(&mut self, kind: Option<TagKind>, name: &str, why: &Why) {
        let at = why.at as u32;
        let span = Span { source: self.source, start: at, end: at };
        self.left_out.push(LeftOut { kind, name: name.to_string(), why: why.message.clone(), span });
    }
}
