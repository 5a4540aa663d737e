//! The words of a file of made-up events, each with its place. Text in, words or an error with line and column out.

use std::fmt;

use dtrail_lang::bytes;

/// What is wrong with a file of events, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// What was expected, and what was found.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Goes through a text line by line and word by word. Words end at blanks; blanks between double quotes belong to the
/// word; `#` where a word would start begins a comment.
pub(super) struct Cursor<'a> {
    lines: std::str::Lines<'a>,
    line: &'a str,
    number: u32,
    /// Byte offset in `line`.
    at: usize,
}

/// A word and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    /// As written, quotes and escapes included.
    pub(super) text: &'a str,
    line: u32,
    column: u32,
}

/// `key=value`
pub(super) struct Attribute<'a> {
    pub(super) key: Word<'a>,
    pub(super) value: Word<'a>,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Cursor<'a> {
        Cursor { lines: text.lines(), line: "", number: 0, at: 0 }
    }

    /// Goes to the next line; `false` at the end of the text.
    pub(super) fn next_line(&mut self) -> bool {
        self.at = 0;
        self.number = self.number.saturating_add(1);
        match self.lines.next() {
            Some(line) => self.line = line,
            None => return false,
        }
        true
    }

    /// The next word of the line.
    pub(super) fn word(&mut self) -> Result<Option<Word<'a>>, ParseError> {
        let rest = &self.line[self.at..];
        let text = rest.trim_start();
        self.at += rest.len() - text.len();
        if text.is_empty() || text.starts_with('#') {
            self.at = self.line.len();
            return Ok(None);
        }
        let start = self.at;
        let (mut quoted, mut escaped) = (false, false);
        let end = text.char_indices().find(|&(_, c)| {
            let ends = c.is_whitespace() && !quoted;
            quoted ^= c == '"' && !escaped;
            escaped = c == '\\' && quoted && !escaped;
            ends
        });
        let length = end.map_or(text.len(), |(i, _)| i);
        self.at += length;
        let word = Word { text: &text[..length], line: self.number, column: column(&self.line[..start]) };
        if quoted { Err(word.error("a string without its closing quote")) } else { Ok(Some(word)) }
    }

    /// The next word, which must be there.
    pub(super) fn expect(&mut self, what: &str) -> Result<Word<'a>, ParseError> {
        match self.word()? {
            Some(word) => Ok(word),
            None => Err(ParseError {
                line: self.number,
                column: column(self.line.trim_end()),
                message: format!("expected {what}, found the end of the line"),
            }),
        }
    }

    /// The next word, which must be `key=value` if it is there.
    pub(super) fn attribute(&mut self) -> Result<Option<Attribute<'a>>, ParseError> {
        let Some(word) = self.word()? else { return Ok(None) };
        match word.text.split_once('=') {
            Some((key, value)) if !key.is_empty() && !key.starts_with('"') => Ok(Some(Attribute {
                key: Word { text: key, ..word },
                value: Word {
                    text: value,
                    line: word.line,
                    column: word.column + key.chars().count() as u32 + 1,
                },
            })),
            _ => Err(word.error(format!("expected key=value, found `{}`", word.text))),
        }
    }

    /// The rest of the line as `key=value` pairs, no key twice.
    pub(super) fn attributes(&mut self) -> Result<Vec<Attribute<'a>>, ParseError> {
        let mut all: Vec<Attribute<'a>> = Vec::new();
        while let Some(attribute) = self.attribute()? {
            if all.iter().any(|other| other.key.text == attribute.key.text) {
                return Err(attribute.key.error(format!("`{}` given twice", attribute.key.text)));
            }
            all.push(attribute);
        }
        Ok(all)
    }

    /// Refuses further words.
    pub(super) fn end_of_line(&mut self) -> Result<(), ParseError> {
        match self.word()? {
            Some(word) => Err(word.error(format!("expected the end of the line, found `{}`", word.text))),
            None => Ok(()),
        }
    }
}

fn column(before: &str) -> u32 {
    before.chars().count() as u32 + 1
}

impl<'a> Word<'a> {
    pub(super) fn error(&self, message: impl Into<String>) -> ParseError {
        ParseError { line: self.line, column: self.column, message: message.into() }
    }

    /// The word as `parse` understands it.
    pub(super) fn parse<T>(
        &self,
        what: &str,
        parse: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<T, ParseError> {
        parse(self.text).ok_or_else(|| self.error(format!("expected {what}, found `{}`", self.text)))
    }

    /// A decimal number that fits 32 bits without a sign.
    pub(super) fn number(&self) -> Result<u32, ParseError> {
        self.parse("a number from 0 to 2147483647", |text| {
            text.parse::<i32>().ok().map(|n| n as u32).filter(|_| !text.starts_with(['-', '+']))
        })
    }

    /// Whether it is a string in quotes.
    pub(super) fn is_quoted(&self) -> bool {
        self.text.starts_with('"')
    }

    /// The bytes of a string in quotes, escapes resolved, or of a bare word.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, ParseError> {
        let Some(text) = self.text.strip_prefix('"') else {
            return Ok(bytes::of_text(self.text).into_owned());
        };
        let mut bytes = Vec::new();
        let mut rest = text.chars();
        loop {
            match rest.next() {
                Some('"') => break,
                Some('\\') => bytes.push(self.escape(&mut rest)?),
                Some(c) => bytes.extend_from_slice(&bytes::of_text(c.encode_utf8(&mut [0; 4]))),
                // The cursor has seen the closing quote.
                None => return Err(self.error("a string without its closing quote")),
            }
        }
        if rest.as_str().is_empty() { Ok(bytes) } else { Err(self.error("text after the closing quote")) }
    }

    fn escape(&self, rest: &mut std::str::Chars<'_>) -> Result<u8, ParseError> {
        match rest.next() {
            Some('n') => Ok(b'\n'),
            Some('t') => Ok(b'\t'),
            Some('r') => Ok(b'\r'),
            Some('0') => Ok(0),
            Some(c @ ('\\' | '"')) => Ok(c as u8),
            Some('x') => {
                let digit = |c: Option<char>| c.and_then(|c| c.to_digit(16));
                match (digit(rest.next()), digit(rest.next())) {
                    (Some(high), Some(low)) => Ok((high * 16 + low) as u8),
                    _ => Err(self.error("`\\x` needs two hexadecimal digits")),
                }
            }
            _ => Err(self.error("unknown escape; there are \\n \\t \\r \\0 \\\\ \\\" \\xHH")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Result<Vec<(String, u32)>, ParseError> {
        let mut cursor = Cursor::new(line);
        let mut all = Vec::new();
        while cursor.next_line() {
            while let Some(word) = cursor.word()? {
                all.push((word.text.to_owned(), word.column));
            }
        }
        Ok(all)
    }

    fn check(line: &str, expected: &[(&str, u32)]) {
        let expected: Vec<_> = expected.iter().map(|&(text, column)| (text.to_owned(), column)).collect();
        assert_eq!(words(line), Ok(expected), "{line}");
    }

    #[test]
    fn words_and_columns() {
        check("", &[]);
        check("  # all comment", &[]);
        check("a  b # c", &[("a", 1), ("b", 4)]);
        check("a#b", &[("a#b", 1)]);
        check("é ü", &[("é", 1), ("ü", 3)]);
        check(r#"x="a b" "c \" d""#, &[(r#"x="a b""#, 1), (r#""c \" d""#, 9)]);
        check(r#""a\\" b"#, &[(r#""a\\""#, 1), ("b", 7)]);
        assert_eq!(words("a \"b").map_err(|e| (e.line, e.column)), Err((1, 3)));
    }

    #[test]
    fn strings() {
        for (text, expected) in [
            (r#""a\0\n\x7f\\\"é""#, Ok(b"a\0\n\x7f\\\"\xc3\xa9".to_vec())),
            ("bare", Ok(b"bare".to_vec())),
            (r#""""#, Ok(vec![])),
            (r#""a"b"#, Err("text after the closing quote")),
            (r#""\q""#, Err(r#"unknown escape; there are \n \t \r \0 \\ \" \xHH"#)),
            (r#""\xg0""#, Err(r"`\x` needs two hexadecimal digits")),
            (r#""\x1""#, Err(r"`\x` needs two hexadecimal digits")),
        ] {
            let word = Word { text, line: 1, column: 1 };
            assert_eq!(word.bytes().map_err(|e| e.message), expected.map_err(str::to_owned), "{text}");
        }
    }
}
