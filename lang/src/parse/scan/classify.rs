//! Words of INNER mode: keyword, identifier or type name (language spec §2.6, §2.7)?

use super::{Class, Failure, Previous, Scanner};
use crate::parse::words::{Keyword, continues_identifier, keyword};

impl Scanner<'_, '_> {
    /// An identifier, type name or keyword of `len` bytes.
    pub(super) fn word(&mut self, len: usize) -> Result<(), Failure> {
        let end = self.pos + len;
        let word = &self.text[self.pos..end];
        if let Some(kind) = keyword(word.as_bytes()) {
            if kind == Keyword::If && self.previous != Previous::Else {
                self.nest(len)?;
                self.level().ifs += 1;
            }
            self.keyword(kind, len);
            return Ok(());
        }
        if word == "userland" && self.previous != Previous::Tag && self.is_userland(end) {
            self.copy(len);
        } else {
            let class = self.classify(word, end);
            self.put(class, len);
        }
        self.previous = Previous::Other;
        Ok(())
    }

    pub(super) fn keyword(&mut self, kind: Keyword, len: usize) {
        self.copy(len);
        if kind == Keyword::Type {
            self.level().has_type = true;
        }
        self.previous = match kind {
            Keyword::Tag => Previous::Tag,
            Keyword::Xlate => Previous::Xlate,
            Keyword::Offsetof => Previous::Offsetof,
            Keyword::Else => Previous::Else,
            // `xlate<const T>`
            Keyword::Declares if self.previous == Previous::XlateAngle => Previous::XlateAngle,
            _ => Previous::Other,
        };
    }

    /// Whether the word `userland` before `end` is the specifier: a type follows it, or stands before it.
    pub(super) fn is_userland(&mut self, end: usize) -> bool {
        let next = self.next_solid(end);
        let len = next.iter().take_while(|&&b| continues_identifier(b)).count();
        let word = &next[..len];
        if word.is_empty() {
            return self.level().has_type && next.first() == Some(&b'*');
        }
        match keyword(word) {
            Some(kind) => matches!(kind, Keyword::Type | Keyword::Tag | Keyword::Declares),
            None => std::str::from_utf8(word).is_ok_and(|word| self.is_type(word)),
        }
    }

    /// Identifier or type name (§2.7)? `end` is where the word ends.
    pub(super) fn classify(&mut self, word: &str, end: usize) -> Class {
        if self.previous == Previous::Tag {
            self.level().has_type = true;
            return Class::Name;
        }
        if self.previous == Previous::XlateAngle {
            return if self.is_type(word) { Class::Type } else { Class::Name };
        }
        if self.identifiers.contains(word) || self.cx.names.is_global(word) {
            return Class::Name;
        }
        let level = *self.level();
        let signature = self.definition && level.open == b'[';
        let next = self.next_solid(end);
        let used_as_name = match next {
            [b'+', b'+', ..] | [b'-', b'-', ..] | [b'[' | b';', ..] => true,
            [b'=', rest @ ..] => rest.first() != Some(&b'='),
            [b',', ..] => self.parens == 0 && !signature,
            [b'>', ..] => self.translator,
            _ => false,
        };
        if used_as_name {
            // What a declaration names is known when it is complete: members and typedefs are no identifiers.
            if !self.definition {
                self.identifiers.insert(word.to_string());
            }
            return Class::Name;
        }
        // The machine's types are asked last: that costs a look-up.
        if level.has_type || !self.is_type(word) {
            return Class::Name;
        }
        self.level().has_type = true;
        Class::Type
    }
}
