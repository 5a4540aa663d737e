//! Lines and tokens of IR text: a text in, tokens out, or what was expected where. Knows nothing of what they mean.

use super::ParseError;
use crate::builtins::Symbolic;
use crate::ir::ValueType;
use crate::ir::print::NO_SPAN;
use crate::source::{SourceId, Span};

/// Lines that hold something, comments removed.
pub(super) struct Lines<'a> {
    rest: std::iter::Enumerate<std::str::Lines<'a>>,
    number: u32,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Lines<'a> {
        Lines { rest: text.lines().enumerate(), number: 0 }
    }

    pub(super) fn next(&mut self) -> Option<Cursor<'a>> {
        for (i, line) in self.rest.by_ref() {
            self.number = i as u32 + 1;
            let cx = Cursor { rest: without_comment(line).trim() };
            if !cx.finished() {
                return Some(cx);
            }
        }
        None
    }

    pub(super) fn error(&self, message: String) -> ParseError {
        ParseError { line: self.number, message }
    }

    pub(super) fn located<T>(&self, result: Result<T, String>) -> Result<T, ParseError> {
        result.map_err(|message| self.error(message))
    }
}

pub(super) fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    let mut escaped = false;
    for (i, byte) in line.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b';' if !quoted => return &line[..i],
            _ => {}
        }
    }
    line
}

/// The rest of a line. Blanks before a token are skipped.
pub(super) struct Cursor<'a> {
    pub(super) rest: &'a str,
}

impl<'a> Cursor<'a> {
    pub(super) fn finished(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn expected<T>(&self, what: &str) -> Result<T, String> {
        Err(match self.rest {
            "" => format!("expected {what} before the end of the line"),
            rest => format!("expected {what} at `{rest}`"),
        })
    }

    pub(super) fn advance(&mut self, bytes: usize) -> &'a str {
        let (token, rest) = self.rest.split_at(bytes);
        self.rest = rest.trim_start();
        token
    }

    /// Takes `token` if it comes next; a word must end there.
    pub(super) fn eat(&mut self, token: &str) -> bool {
        let Some(after) = self.rest.strip_prefix(token) else { return false };
        let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        if token.bytes().last().is_some_and(is_word) && after.bytes().next().is_some_and(is_word) {
            return false;
        }
        self.rest = after.trim_start();
        true
    }

    pub(super) fn need(&mut self, token: &str) -> Result<(), String> {
        if self.eat(token) { Ok(()) } else { self.expected(&format!("`{token}`")) }
    }

    /// Takes the bytes for which `f` holds; at least one.
    pub(super) fn take_while(&mut self, what: &str, f: impl Fn(u8) -> bool) -> Result<&'a str, String> {
        match self.rest.bytes().position(|b| !f(b)).unwrap_or(self.rest.len()) {
            0 => self.expected(what),
            n => Ok(self.advance(n)),
        }
    }

    pub(super) fn word(&mut self, what: &str) -> Result<&'a str, String> {
        self.take_while(what, |b| b.is_ascii_alphanumeric() || b == b'_')
    }

    pub(super) fn number<T: std::str::FromStr>(&mut self, what: &str) -> Result<T, String> {
        let digits = self.take_while(what, |b| b.is_ascii_digit() || b == b'-')?;
        digits.parse().map_err(|_| format!("expected {what}, found `{digits}`"))
    }

    /// An id: a prefix directly followed by a number.
    pub(super) fn id(&mut self, prefix: &str, what: &str) -> Result<u32, String> {
        match self.rest.strip_prefix(prefix) {
            Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => {
                self.rest = rest;
                self.number(what)
            }
            _ => self.expected(what),
        }
    }

    /// The next id of a table.
    pub(super) fn next_id(&mut self, prefix: &str, len: usize) -> Result<(), String> {
        match self.id(prefix, "an id")? {
            id if id as usize == len => Ok(()),
            id => Err(format!("expected {prefix}{len}, found {prefix}{id}")),
        }
    }

    /// Items between commas, up to `close`, which is taken.
    pub(super) fn list<T>(
        &mut self,
        close: &str,
        item: impl FnMut(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        if self.eat(close) {
            return Ok(Vec::new());
        }
        let items = self.items(item)?;
        self.need(close)?;
        Ok(items)
    }

    /// One or more items between commas.
    pub(super) fn items<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        let mut items = vec![item(self)?];
        while self.eat(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    pub(super) fn quoted(&mut self) -> Result<Vec<u8>, String> {
        let Some(rest) = self.rest.strip_prefix('"') else { return self.expected("a quoted text") };
        let mut bytes = Vec::new();
        let mut at = 0;
        loop {
            let Some(&byte) = rest.as_bytes().get(at) else { return self.expected("a closed text") };
            at += 1;
            match byte {
                b'"' => break,
                b'\\' => {
                    let escape = rest.as_bytes().get(at).copied();
                    at += 1;
                    bytes.push(match escape {
                        Some(b'n') => b'\n',
                        Some(b't') => b'\t',
                        Some(c @ (b'"' | b'\\')) => c,
                        Some(b'x') => {
                            let byte = rest.get(at..at + 2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
                            at += 2;
                            match byte {
                                Some(byte) => byte,
                                None => return self.expected("two hexadecimal digits in the text"),
                            }
                        }
                        _ => return self.expected("a known escape in the text"),
                    });
                }
                _ => bytes.push(byte),
            }
        }
        match rest.get(at..) {
            Some(rest) => self.rest = rest.trim_start(),
            None => return self.expected("a closed text"),
        }
        Ok(bytes)
    }

    pub(super) fn quoted_string(&mut self) -> Result<String, String> {
        String::from_utf8(self.quoted()?).map_err(|_| "expected UTF-8 in the text".to_owned())
    }

    /// A span, if one is there.
    pub(super) fn span(&mut self) -> Result<Span, String> {
        if !self.eat("@") {
            return Ok(NO_SPAN);
        }
        let mut start = self.number("a start")?;
        let mut source = 0;
        if self.eat(":") {
            source = start;
            start = self.number("a start")?;
        }
        self.need("..")?;
        Ok(Span { source: SourceId(source), start, end: self.number("an end")? })
    }

    pub(super) fn value_type(&mut self) -> Result<ValueType, String> {
        Ok(match self.word("a type")? {
            "ptr" => ValueType::Pointer,
            "string" => ValueType::Str,
            word if word.starts_with("bytes") => match word[5..].parse() {
                Ok(size) => ValueType::Bytes(size),
                Err(_) => return Err(format!("expected a type, found `{word}`")),
            },
            word if word.starts_with("float") => match word[5..].parse() {
                Ok(size) => ValueType::Float(size),
                Err(_) => return Err(format!("expected a type, found `{word}`")),
            },
            word => {
                if let Some(kind) = Symbolic::ALL.into_iter().find(|kind| kind.word() == word) {
                    return Ok(ValueType::Symbolic(kind));
                }
                let bits = word.get(1..).and_then(|bits| bits.parse().ok());
                match (word.as_bytes().first(), bits) {
                    (Some(b'i'), Some(bits)) => ValueType::Int { bits, signed: true },
                    (Some(b'u'), Some(bits)) => ValueType::Int { bits, signed: false },
                    _ => return Err(format!("expected a type, found `{word}`")),
                }
            }
        })
    }

    pub(super) fn end(&self) -> Result<(), String> {
        if self.finished() { Ok(()) } else { self.expected("the end of the line") }
    }
}
