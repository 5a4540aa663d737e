//! OUTER mode: probe descriptions, and the words that start declarations (language spec §2.1, §2.3, §2.4).

use super::{Class, Failure, Previous, Scanner};
use crate::parse::macros;
use crate::parse::resolve::Scope;
use crate::parse::words::{
    continues_description, continues_identifier, is_space, keyword, starts_description,
};

impl Scanner<'_, '_> {
    /// Reads one token at the top level; true ends the item.
    pub(super) fn outer_token(&mut self, b: u8, scope: &Scope<'_>) -> Result<bool, Failure> {
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
                self.body = true;
                self.open(b)?;
            }
            _ if starts_description(b) => self.description_or_word(scope),
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
    fn description_or_word(&mut self, scope: &Scope<'_>) {
        let len = self.rest().iter().take_while(|&&b| continues_description(b)).count();
        let word = &self.text[self.pos..self.pos + len];
        let first = self.pos == self.start;
        match keyword(word.as_bytes()) {
            Some(kind) if kind.leaves_outer() => {
                self.inner = true;
                self.definition = first;
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
            if name == "userland" && self.begins_userland(self.pos + star, scope) {
                self.inner = true;
                self.definition = first;
                self.copy(star);
                return;
            }
            if scope.is_type(name) {
                self.inner = true;
                self.definition = first;
                self.put(Class::Type, star);
                self.previous = Previous::Word;
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

    /// Whether the word `userland` at the top level, which ends at `end`, begins a declaration: a type follows.
    fn begins_userland(&self, end: usize, scope: &Scope<'_>) -> bool {
        let next = self.next_solid(end);
        let len = next.iter().take_while(|&&b| continues_identifier(b)).count();
        match keyword(&next[..len]) {
            Some(kind) => kind.may_follow_userland(),
            None => std::str::from_utf8(&next[..len]).is_ok_and(|word| scope.is_type(word)),
        }
    }
}
