//! INNER and MEMBER mode: constants, macros, brackets, slashes and punctuation of predicates, bodies and declarations
//! (language spec §2.8–§2.13).

use super::{Class, Failure, Level, Previous, Scanner};
use crate::diag::Tag;
use crate::parse::literal::{self, Quoted};
use crate::parse::macros::{self, MacroToken};
use crate::parse::words::{
    Keyword, continues_identifier, is_keyword_of_d_only, keyword, punctuator, starts_identifier,
};

impl Scanner<'_, '_> {
    /// Reads one token of a predicate, a body or a declaration; true ends the item.
    pub(super) fn inner_token(&mut self, b: u8) -> Result<bool, Failure> {
        if self.blank(b)? {
            return Ok(false);
        }
        if b == b'\\' && self.byte(1) == Some(b'\n') {
            self.skip(2);
            return Ok(false);
        }
        if self.previous == Previous::Member {
            self.member(b)?;
            return Ok(false);
        }
        if self.level().statement_ended && !self.at_else() {
            let ifs = std::mem::take(&mut self.level().ifs);
            self.nesting -= ifs;
        }
        self.level().statement_ended = false;
        match b {
            b'0'..=b'9' => self.number_or_word()?,
            b'.' if self.byte(1).is_some_and(|b| b.is_ascii_digit()) => self.integer()?,
            b'\'' | b'"' => self.quoted(b)?,
            b'@' => self.aggregation(),
            b'$' => self.macro_reference()?,
            _ if starts_identifier(b) => {
                let len = self.rest().iter().take_while(|&&b| continues_identifier(b)).count();
                return self.word(len).map(|()| false);
            }
            b'(' | b'[' | b'{' => return self.open(b).map(|()| false),
            b')' | b']' | b'}' => return self.close(b),
            b'/' if self.byte(1) != Some(b'=') => return self.slash().map(|()| false),
            _ => return self.punctuation(b),
        }
        self.previous = Previous::Other;
        Ok(false)
    }

    fn at_else(&self) -> bool {
        self.rest().starts_with(b"else") && !self.byte(4).is_some_and(continues_identifier)
    }

    /// A number, or an identifier of the form that starts with a digit and holds a backquote.
    fn number_or_word(&mut self) -> Result<(), Failure> {
        let rest = self.rest();
        let alnum = rest.iter().take_while(|&&b| b.is_ascii_alphanumeric() || b == b'_').count();
        if rest.get(alnum) == Some(&b'`') {
            let len = rest.iter().take_while(|&&b| continues_identifier(b)).count();
            return self.word(len);
        }
        self.integer()
    }

    /// An identifier, the name of a type, or a keyword of `len` bytes.
    fn word(&mut self, len: usize) -> Result<(), Failure> {
        let end = self.pos + len;
        let word = &self.text[self.pos..end];
        let of_c = self.system && is_keyword_of_d_only(word);
        if let Some(kind) = keyword(word.as_bytes()).filter(|_| !of_c) {
            if kind == Keyword::If && self.previous != Previous::Else {
                self.nest(len)?;
                self.level().ifs += 1;
            }
            self.keyword(kind, len);
            return Ok(());
        }
        if word == "userland" && self.is_userland(end) {
            self.copy(len);
        } else {
            self.put(Class::Name, len);
        }
        self.previous = Previous::Word;
        Ok(())
    }

    pub(super) fn keyword(&mut self, kind: Keyword, len: usize) {
        self.copy(len);
        self.previous = match kind {
            Keyword::Tag => Previous::Tag,
            Keyword::Offsetof => Previous::Offsetof,
            Keyword::Else => Previous::Else,
            Keyword::Type => Previous::Word,
            _ => Previous::Other,
        };
    }

    /// Whether the word `userland` before `end` is the specifier: another word follows it, which none does after a
    /// variable, or it stands between a word and a star.
    fn is_userland(&self, end: usize) -> bool {
        let next = self.next_solid(end);
        let len = next.iter().take_while(|&&b| continues_identifier(b)).count();
        match self.previous {
            Previous::Tag => false,
            _ if len > 0 => keyword(&next[..len]).is_none_or(Keyword::may_follow_userland),
            previous => previous == Previous::Word && next.first() == Some(&b'*'),
        }
    }

    fn quoted(&mut self, quote: u8) -> Result<(), Failure> {
        let (what, newline) = match quote {
            b'"' => ("string literal", Tag::StrNl),
            _ => ("character constant", Tag::ChrNl),
        };
        match literal::quoted(self.rest()) {
            Quoted::Closed(len) if quote == b'"' => self.put(Class::String, len),
            Quoted::Closed(len) => {
                let inner = &self.rest()[1..len - 1];
                literal::character(inner).map_err(|error| self.literal_error(error, len))?;
                self.put(Class::Integer, len);
            }
            Quoted::Newline(at, escaped) => {
                // Reported where the next line starts, as DTrace does.
                let at = self.pos + at + 1;
                let (tag, message) = match escaped {
                    false => (newline, format!("newline encountered in {what}")),
                    true => (Tag::Syntax, format!("newline encountered after a backslash in {what}")),
                };
                return Err(self.unterminated(tag, message, at));
            }
            Quoted::Open => {
                let message = format!("end-of-file encountered in {what}");
                return Err(self.unterminated(Tag::Syntax, message, self.text.len()));
            }
        }
        Ok(())
    }

    fn unterminated(&self, tag: Tag, message: String, at: usize) -> Failure {
        let mut failure = self.fail(tag, message, at, at);
        let open = self.span(self.pos, self.pos + 1);
        failure.diagnostic = failure.diagnostic.label(open, "it starts here");
        failure
    }

    fn aggregation(&mut self) {
        let rest = self.rest();
        let mut len = 1;
        if rest.get(1).is_some_and(|&b| b.is_ascii_alphabetic() || b == b'_') {
            len += rest[1..].iter().take_while(|&&b| b.is_ascii_alphanumeric() || b == b'_').count();
        }
        self.put(Class::Aggregation, len);
    }

    fn macro_reference(&mut self) -> Result<(), Failure> {
        let reference = macros::read(&self.text[self.pos..]);
        let len = reference.len;
        if reference.name.is_empty() {
            return Err(self.unexpected(len));
        }
        self.args_used.extend(reference.number());
        let token = macros::token(reference, &self.cx.macros, self.cx.options.defaultargs).map_err(
            |(tag, message)| {
                let mut failure = self.fail(tag, message, self.pos, self.pos + len);
                failure.diagnostic.help = match reference.number() {
                    None => Some(macros::unknown(reference.name)),
                    Some(_) if tag == Tag::MacroUndef => {
                        Some("give another operand, or set `-x defaultargs`".to_string())
                    }
                    Some(_) => None,
                };
                failure
            },
        )?;
        let class = match &token {
            MacroToken::Int(..) => Class::Integer,
            MacroToken::Str(_) => Class::String,
            MacroToken::Word(word) => match keyword(word.as_bytes()) {
                Some(Keyword::Type) => Class::Type,
                _ => Class::Name,
            },
        };
        self.macros.push((self.pos, token));
        self.put(class, len);
        Ok(())
    }

    /// What follows `.` or `->`: any word, or an argument that is one.
    fn member(&mut self, b: u8) -> Result<(), Failure> {
        if b == b'$' {
            let reference = macros::read(&self.text[self.pos..]);
            let number = reference.number().filter(|_| !reference.quoted);
            if number.is_none() {
                return Err(self.unexpected(reference.len));
            }
            self.args_used.extend(number);
            let token = macros::token(reference, &self.cx.macros, self.cx.options.defaultargs)
                .map_err(|(tag, message)| self.fail(tag, message, self.pos, self.pos + reference.len))?;
            if !matches!(token, MacroToken::Word(_)) {
                return Err(self.unexpected(reference.len));
            }
            self.macros.push((self.pos, token));
            self.put(Class::Name, reference.len);
        } else if starts_identifier(b) {
            let len = self.rest().iter().take_while(|&&b| continues_identifier(b)).count();
            self.put(Class::Name, len);
        } else {
            return Err(self.unexpected_character());
        }
        self.previous = Previous::Other;
        Ok(())
    }

    pub(super) fn open(&mut self, b: u8) -> Result<(), Failure> {
        self.nest(1)?;
        match b {
            b'(' => self.parens += 1,
            b'[' => self.brackets += 1,
            _ => {
                self.braces += 1;
                self.body |= self.previous == Previous::PredicateEnd;
            }
        }
        let offsetof = self.previous == Previous::Offsetof;
        self.levels.push(Level { offsetof, ..Level::new(b, self.pos) });
        self.previous = Previous::Other;
        self.copy(1);
        Ok(())
    }

    /// A closing bracket; true if it ends the clause.
    fn close(&mut self, b: u8) -> Result<bool, Failure> {
        let (open, count) = match b {
            b')' => (b'(', self.parens),
            b']' => (b'[', self.brackets),
            _ => (b'{', self.braces),
        };
        if count == 0 {
            let message = format!("extra {} in input stream", b as char);
            return Err(self.fail(Tag::Syntax, message, self.pos, self.pos + 1));
        }
        let level = *self.level();
        if level.open != open {
            return Err(self.unexpected(1));
        }
        match b {
            b')' => self.parens -= 1,
            b']' => self.brackets -= 1,
            _ => self.braces -= 1,
        }
        self.nesting -= 1 + level.questions + level.ifs;
        self.levels.pop();
        self.previous = Previous::Other;
        self.copy(1);
        if b == b'}' {
            self.level().statement_ended = true;
        }
        // Any other brace ends a struct.
        Ok(b == b'}' && self.body && self.levels.len() == 1)
    }

    /// Division, or the end of the predicate (§2.11).
    fn slash(&mut self) -> Result<(), Failure> {
        let ends = matches!(self.next_solid(self.pos + 1).first(), None | Some(b';' | b'{' | b'/'));
        if !ends {
            self.previous = Previous::Other;
            self.copy(1);
            return Ok(());
        }
        if let Some(missing) = [(self.parens, ')'), (self.brackets, ']')].iter().find(|(open, _)| *open > 0) {
            let message = format!("end of predicate encountered before matching {}", missing.1);
            let mut failure = self.fail(Tag::Syntax, message, self.pos, self.pos + 1);
            let at = self.level().at;
            failure.diagnostic = failure.diagnostic.label(self.span(at, at + 1), "this is not closed");
            return Err(failure);
        }
        self.put(Class::PredicateEnd, 1);
        self.previous = Previous::PredicateEnd;
        Ok(())
    }

    /// Any other punctuator, longest match; true if it ends the declaration.
    fn punctuation(&mut self, b: u8) -> Result<bool, Failure> {
        let rest = self.rest();
        let len = punctuator(rest);
        if len == 1 && !b";,.?:+-*%~!&|^<>=".contains(&b) {
            return Err(self.unexpected_character());
        }
        let token = &rest[..len];
        let mut previous = Previous::Other;
        match token {
            b"." | b"->" => previous = Previous::Member,
            b"?" => {
                self.nest(1)?;
                self.level().questions += 1;
            }
            b":" if self.level().questions > 0 => {
                self.nesting -= 1;
                self.level().questions -= 1;
            }
            b";" => {
                let questions = std::mem::take(&mut self.level().questions);
                self.nesting -= questions;
                self.level().statement_ended = true;
            }
            b"," if self.level().offsetof => previous = Previous::Member,
            _ => {}
        }
        self.previous = previous;
        let ends_struct = token == b";" && self.system && self.braces > 0;
        match ends_struct && self.out.iter().rfind(|&&b| b != b' ') == Some(&b'}') {
            true => self.put(Class::Nameless, 1),
            false => self.copy(len),
        }
        Ok(token == b";" && self.definition && self.braces == 0)
    }
}
