//! OUTER mode: probe descriptions, and the words that start declarations (language spec §2.1, §2.3, §2.4).

use super::{Class, Failure, Scanner};
use crate::parse::macros;
use crate::parse::words::{Keyword, continues_description, is_space, keyword, starts_description};

impl Scanner<'_, '_> {
    /// Reads one token at the top level; true ends the item.
    pub(super) fn outer_token(&mut self, b: u8) -> Result<bool, Failure> {
        if self.blank(b)? {
            return Ok(false);
        }
        match b {
            b'0'..=b'9' => self.integer()?,
            // Programs end the last of several lines of probes with a comma too.
            b',' if self.is_last_comma() => self.skip(1),
            b',' => self.copy(1),
            b'/' => {
                self.copy(1);
                self.inner = true;
            }
            b'{' => {
                self.inner = true;
                self.open(b)?;
            }
            _ if starts_description(b) => self.description_or_word(),
            _ => return Err(self.unexpected_character()),
        }
        Ok(false)
    }

    /// Whether the comma here ends its line, and the body or a predicate comes next.
    fn is_last_comma(&self) -> bool {
        let rest = &self.rest()[1..];
        let blanks = rest.iter().take_while(|&&b| is_space(b)).count();
        rest[..blanks].contains(&b'\n') && rest.get(blanks) == Some(&b'{')
    }

    /// A probe description, unless the word starts a declaration (§2.4).
    fn description_or_word(&mut self) {
        let len = self.rest().iter().take_while(|&&b| continues_description(b)).count();
        let word = &self.text[self.pos..self.pos + len];
        let first = self.pos == self.start;
        match keyword(word.as_bytes()) {
            Some(kind) if kind.leaves_outer() => {
                self.inner = true;
                self.definition = first;
                self.translator = kind == Keyword::Translator;
                self.keyword(kind, len);
                return;
            }
            _ => {}
        }
        let pspec = self.kind.is_string() || self.cx.options.pspec;
        let certain = word.bytes().any(|b| matches!(b, b':' | b'-' | b'.' | b'?' | b'!' | b'`'))
            || matches!(word, "BEGIN" | "END" | "ERROR");
        if !pspec && !certain {
            let star = word.bytes().skip(1).position(|b| b == b'*').map_or(len, |i| i + 1);
            let name = &word[..star];
            if name == "userland" && self.is_userland(self.pos + star) {
                self.inner = true;
                self.definition = first;
                self.copy(star);
                return;
            }
            if self.is_type(name) {
                self.inner = true;
                self.definition = first;
                self.level().has_type = true;
                self.put(Class::Type, star);
                return;
            }
        }
        for component in word.split(':') {
            // A second macro of a component is literal text.
            let reference = component.find('$').map(|i| macros::read(&component[i..]));
            self.args_used.extend(reference.and_then(|r| r.number()));
        }
        self.put(Class::Probe, len);
    }
}
