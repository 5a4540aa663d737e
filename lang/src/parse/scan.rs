//! The context-sensitive half of parsing: one external declaration at a time, source text in, prepared text for the
//! grammar out (language spec §2).
//!
//! The prepared text has the length of the source. A token whose class depends on where it stands becomes its
//! [`Class`] byte and underscores; comments, control lines and white space become blanks; keywords and punctuation stay.
//! Constants are checked here, macros expanded, brackets counted, slashes classified and control lines obeyed, because
//! each of these is an event at its place in the text. Where the text cannot go on, a poison byte ends the prepared text:
//! the grammar fails there, unless it fails earlier, and the earlier error is the one to report.
//!
//! It builds no tree and knows no grammar beyond what the classes need.

use std::collections::{BTreeSet, HashSet};

use super::control::{self, Control};
use super::errors::{self, character_at};
use super::literal::{self, LiteralError, Quoted};
use super::macros::{self, MacroToken};
use super::words::{
    Keyword, continues_description, continues_identifier, is_space, keyword, punctuator, starts_description,
    starts_identifier,
};
use super::{MAX_NESTING, ParseContext, pragma};
use crate::ast::Pragma;
use crate::diag::{Diagnostic, Tag};
use crate::options::SetBy;
use crate::source::{SourceId, SourceKind, Span};

/// The classes that the grammar names by their byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Class {
    /// An identifier, a tag or a member name.
    Name = 1,
    /// The name of a type.
    Type = 2,
    /// An integer or character constant.
    Integer = 3,
    /// A string constant.
    String = 4,
    /// The slash that ends a predicate.
    PredicateEnd = 5,
    /// A probe description.
    Probe = 6,
    /// `@name`
    Aggregation = 7,
}

/// Fits no rule of the grammar.
const POISON: u8 = 0x0f;

/// One external declaration, prepared.
#[derive(Debug)]
pub(super) struct Item {
    /// Its first byte in the source.
    pub(super) start: usize,
    /// The prepared text.
    pub(super) text: String,
    /// Why the text ends early, and at which byte of the source.
    pub(super) failure: Option<Failure>,
    /// What its macros stand for, by the byte they start at.
    pub(super) macros: Vec<(usize, MacroToken)>,
    /// Brackets that the end of the source found open, outermost first.
    pub(super) unclosed: Vec<usize>,
    /// How deep its brackets, open `?:` and `if`s nest.
    pub(super) depth: usize,
}

/// An error with the byte of the source at which it is noticed.
#[derive(Debug)]
pub(super) struct Failure {
    /// The token's first byte; its message may speak of another place.
    pub(super) at: usize,
    /// The message.
    pub(super) diagnostic: Diagnostic,
}

/// What the last token means for the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Previous {
    Other,
    /// `struct`, `union`, `enum`: a tag follows.
    Tag,
    /// `xlate`
    Xlate,
    /// The `<` of `xlate <`: a type follows.
    XlateAngle,
    /// `offsetof`
    Offsetof,
    /// `.` or `->`: MEMBER mode.
    Member,
    /// `else`
    Else,
}

/// An open bracket, or the level outside all of them.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// The bracket, 0 for the outermost level.
    open: u8,
    /// Where it stands.
    at: usize,
    /// Whether the present declaration has its type specifier.
    has_type: bool,
    /// It is the parenthesis of `offsetof`.
    offsetof: bool,
    /// `?` that wait for their `:`.
    questions: usize,
    /// `if`s whose statement is not complete.
    ifs: usize,
    /// A statement has just ended: only an `else` continues the `if` before it.
    statement_ended: bool,
}

impl Level {
    fn new(open: u8, at: usize) -> Level {
        Level { open, at, has_type: false, offsetof: false, questions: 0, ifs: 0, statement_ended: false }
    }
}

/// Scans one source text.
pub(super) struct Scanner<'a, 'c> {
    source: SourceId,
    kind: SourceKind,
    text: &'a str,
    cx: &'a mut ParseContext<'c>,
    pos: usize,
    /// Arguments referenced so far.
    pub(super) args_used: BTreeSet<u32>,
    /// Control lines kept for the checker, since the last call.
    pub(super) pragmas: Vec<Pragma>,
    /// Names of types that the program uses as identifiers (rule 6 of §2.7).
    identifiers: HashSet<String>,

    // The present item.
    start: usize,
    out: Vec<u8>,
    macros: Vec<(usize, MacroToken)>,
    inner: bool,
    /// A declaration or definition, not a clause.
    definition: bool,
    /// A translator's heading: its input is being declared.
    translator: bool,
    previous: Previous,
    levels: Vec<Level>,
    nesting: usize,
    deepest: usize,
    parens: usize,
    brackets: usize,
    braces: usize,
}

impl<'a, 'c> Scanner<'a, 'c> {
    /// A scanner at the start of a text.
    pub(super) fn new(
        source: SourceId,
        kind: SourceKind,
        text: &'a str,
        cx: &'a mut ParseContext<'c>,
    ) -> Scanner<'a, 'c> {
        Scanner {
            source,
            kind,
            text,
            cx,
            pos: 0,
            args_used: BTreeSet::new(),
            pragmas: Vec::new(),
            identifiers: HashSet::new(),
            start: 0,
            out: Vec::new(),
            macros: Vec::new(),
            inner: false,
            definition: false,
            translator: false,
            previous: Previous::Other,
            levels: Vec::new(),
            nesting: 0,
            deepest: 0,
            parens: 0,
            brackets: 0,
            braces: 0,
        }
    }

    /// The parse context, for what concerns the program as a whole.
    pub(super) fn context(&self) -> &ParseContext<'c> {
        self.cx
    }

    /// The next external declaration, or `None` at the end of the text.
    pub(super) fn next_item(&mut self) -> Result<Option<Item>, Diagnostic> {
        self.start = self.pos;
        self.out.clear();
        self.inner = false;
        self.definition = false;
        self.translator = false;
        self.previous = Previous::Other;
        self.levels.clear();
        self.levels.push(Level::new(0, self.pos));
        (self.nesting, self.deepest) = (0, 0);
        (self.parens, self.brackets, self.braces) = (0, 0, 0);

        // White space, comments and control lines before it belong to no item.
        while let Some(b) = self.byte(0) {
            if !self.blank(b).map_err(|failure| failure.diagnostic)? {
                break;
            }
        }
        if self.pos == self.text.len() {
            return Ok(None);
        }
        self.start = self.pos;
        self.out.clear();

        let mut failure = None;
        while let Some(b) = self.byte(0) {
            let step = if self.inner { self.inner_token(b) } else { self.outer_token(b) };
            match step {
                Ok(false) => {}
                Ok(true) => break,
                Err(error) => {
                    self.out.truncate(error.at - self.start);
                    self.out.push(POISON);
                    failure = Some(error);
                    break;
                }
            }
        }
        let unclosed = match failure {
            None => self.levels.iter().skip(1).map(|level| level.at).collect(),
            Some(_) => Vec::new(),
        };
        // Only ASCII is ever put out.
        let text = String::from_utf8(std::mem::take(&mut self.out)).unwrap_or_default();
        let macros = std::mem::take(&mut self.macros);
        Ok(Some(Item { start: self.start, text, failure, macros, unclosed, depth: self.deepest }))
    }

    // ---- Reading and writing

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.pos + ahead).copied()
    }

    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.pos..]
    }

    /// The first byte that is not white space, from `from` on.
    fn next_solid(&self, from: usize) -> &'a [u8] {
        let rest = &self.text.as_bytes()[from..];
        let blanks = rest.iter().take_while(|&&b| is_space(b)).count();
        &rest[blanks..]
    }

    /// Copies the next `len` bytes, which are ASCII.
    fn copy(&mut self, len: usize) {
        self.out.extend_from_slice(&self.text.as_bytes()[self.pos..self.pos + len]);
        self.pos += len;
    }

    /// Blanks the next `len` bytes out.
    fn skip(&mut self, len: usize) {
        self.out.resize(self.out.len() + len, b' ');
        self.pos += len;
    }

    /// Writes a token's class over it.
    fn put(&mut self, class: Class, len: usize) {
        self.out.push(class as u8);
        self.out.resize(self.out.len() + len - 1, b'_');
        self.pos += len;
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span { source: self.source, start: start as u32, end: end as u32 }
    }

    fn fail(&self, tag: Tag, message: impl Into<String>, start: usize, end: usize) -> Failure {
        Failure { at: self.pos, diagnostic: Diagnostic::new(tag, self.span(start, end), message) }
    }

    /// The syntax error at the next `len` bytes.
    fn unexpected(&self, len: usize) -> Failure {
        let span = self.span(self.pos, self.pos + len);
        Failure { at: self.pos, diagnostic: errors::near(&self.text[self.pos..self.pos + len], span) }
    }

    fn unexpected_character(&self) -> Failure {
        self.unexpected(character_at(self.text, self.pos).len())
    }

    /// Counts one more level; `len` is the length of the token that opens it.
    fn nest(&mut self, len: usize) -> Result<(), Failure> {
        if self.nesting >= MAX_NESTING {
            let span = self.span(self.pos, self.pos + len);
            return Err(Failure { at: self.pos, diagnostic: errors::too_deep(span) });
        }
        self.nesting += 1;
        self.deepest = self.deepest.max(self.nesting);
        Ok(())
    }

    fn level(&mut self) -> &mut Level {
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    // ---- What both modes share

    /// Reads one blank, comment or control line, if one is next.
    fn blank(&mut self, b: u8) -> Result<bool, Failure> {
        match b {
            _ if is_space(b) => self.skip(1),
            b'/' if self.byte(1) == Some(b'*') => self.comment()?,
            b'#' if self.at_line_start() => self.control_line()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn at_line_start(&self) -> bool {
        let before = &self.text.as_bytes()[..self.pos];
        before.iter().rev().find(|&&b| b == b'\n' || !is_space(b)).is_none_or(|&b| b == b'\n')
    }

    fn comment(&mut self) -> Result<(), Failure> {
        let bytes = self.text.as_bytes();
        let mut i = self.pos + 2;
        while i + 1 < bytes.len() {
            match [bytes[i], bytes[i + 1]] {
                [b'*', b'/'] => {
                    self.skip(i + 2 - self.pos);
                    return Ok(());
                }
                [b'/', b'*'] => {
                    return Err(self.fail(Tag::Syntax, "/* encountered inside a comment", i, i + 2));
                }
                _ => i += 1,
            }
        }
        let end = bytes.len();
        let mut failure = self.fail(Tag::Syntax, "end-of-file encountered before matching */", end, end);
        let open = self.span(self.pos, self.pos + 2);
        failure.diagnostic = failure.diagnostic.label(open, "the comment starts here");
        Err(failure)
    }

    /// Obeys a control line and blanks it out, without its newline.
    fn control_line(&mut self) -> Result<(), Failure> {
        let start = self.pos;
        let rest = &self.text[start..];
        let Some(len) = rest.find('\n') else {
            if rest.starts_with("#!") {
                self.skip(rest.len());
                return Ok(());
            }
            let end = self.text.len();
            return Err(self.fail(
                Tag::Syntax,
                "end-of-file encountered before end of control line",
                end,
                end,
            ));
        };
        let line = &rest[..len];
        let refuse = |(tag, message, (from, to)): control::ControlError| {
            self.fail(tag, message, start + from, start + to)
        };
        match control::read(line).map_err(refuse)? {
            Control::Ignored | Control::Line(_) => {}
            Control::Option(token) => {
                let (name, value) = match token.text.split_once('=') {
                    Some((name, value)) => (name, Some(value)),
                    None => (token.text, None),
                };
                if let Err(reason) = self.cx.options.set(name, value, SetBy::Program) {
                    let value = value.map_or(String::new(), |value| format!(" to '{value}'"));
                    let message = format!("failed to set option '{name}'{value}: {reason}");
                    return Err(self.fail(
                        Tag::PragmaOptset,
                        message,
                        start + token.start,
                        start + token.end,
                    ));
                }
            }
            Control::Pragma(word, args) => {
                let place = pragma::Place { source: self.source, line_start: start, line_len: len };
                let checked = pragma::check(word, &args, place, self.kind, self.cx.macros.env);
                self.pragmas.push(checked.map_err(|diagnostic| Failure { at: start, diagnostic })?);
            }
        }
        self.skip(len);
        Ok(())
    }

    fn integer(&mut self) -> Result<(), Failure> {
        if let Some(len) = literal::float(self.rest()) {
            let (start, end) = (self.pos, self.pos + len);
            return Err(self.fail(Tag::Syntax, "floating-point constants are not permitted", start, end));
        }
        let (len, value) = literal::integer(self.rest());
        value.map_err(|error| self.literal_error(error, len))?;
        self.put(Class::Integer, len);
        Ok(())
    }

    fn literal_error(&self, error: LiteralError, len: usize) -> Failure {
        self.fail(error.tag, error.message, self.pos, self.pos + len)
    }

    // ---- OUTER mode

    /// Reads one token at the top level; true ends the item.
    fn outer_token(&mut self, b: u8) -> Result<bool, Failure> {
        if self.blank(b)? {
            return Ok(false);
        }
        match b {
            b'0'..=b'9' => self.integer()?,
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
            if self.cx.names.is_type(name) {
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

    // ---- INNER and MEMBER mode

    /// Reads one token of a predicate, a body or a declaration; true ends the item.
    fn inner_token(&mut self, b: u8) -> Result<bool, Failure> {
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
            b'/' if self.byte(1) != Some(b'=') => self.slash()?,
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
        let token = macros::token(reference, &self.cx.macros, self.cx.options.defaultargs)
            .map_err(|(tag, message)| self.fail(tag, message, self.pos, self.pos + len))?;
        let class = match &token {
            MacroToken::Int(..) => Class::Integer,
            MacroToken::Str(_) => Class::String,
            MacroToken::Word(word) => match keyword(word.as_bytes()) {
                Some(Keyword::Type) => Class::Type,
                _ => self.classify(word, self.pos + len),
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

    /// An identifier, type name or keyword of `len` bytes.
    fn word(&mut self, len: usize) -> Result<(), Failure> {
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

    fn keyword(&mut self, kind: Keyword, len: usize) {
        self.copy(len);
        if kind == Keyword::Type {
            self.level().has_type = true;
        }
        self.previous = match kind {
            Keyword::Tag => Previous::Tag,
            Keyword::Xlate => Previous::Xlate,
            Keyword::Offsetof => Previous::Offsetof,
            Keyword::Else => Previous::Else,
            _ => Previous::Other,
        };
    }

    /// Whether the word `userland` before `end` is the specifier: a type follows it, or stands before it.
    fn is_userland(&mut self, end: usize) -> bool {
        let next = self.next_solid(end);
        let len = next.iter().take_while(|&&b| continues_identifier(b)).count();
        let word = &next[..len];
        if word.is_empty() {
            return self.level().has_type && next.first() == Some(&b'*');
        }
        match keyword(word) {
            Some(kind) => matches!(kind, Keyword::Type | Keyword::Tag | Keyword::Declares),
            None => std::str::from_utf8(word).is_ok_and(|word| self.cx.names.is_type(word)),
        }
    }

    /// Identifier or type name (§2.7)? `end` is where the word ends.
    fn classify(&mut self, word: &str, end: usize) -> Class {
        if self.previous == Previous::Tag {
            self.level().has_type = true;
            return Class::Name;
        }
        if !self.cx.names.is_type(word) {
            return Class::Name;
        }
        if self.previous == Previous::XlateAngle {
            return Class::Type;
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
            self.identifiers.insert(word.to_string());
            return Class::Name;
        }
        if level.has_type {
            return Class::Name;
        }
        self.level().has_type = true;
        Class::Type
    }

    fn open(&mut self, b: u8) -> Result<(), Failure> {
        self.nest(1)?;
        match b {
            b'(' => self.parens += 1,
            b'[' => self.brackets += 1,
            _ => {
                self.braces += 1;
                self.translator = false;
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
        Ok(b == b'}' && self.braces == 0 && !self.definition)
    }

    /// Division, or the end of the predicate (§2.11).
    fn slash(&mut self) -> Result<(), Failure> {
        let ends = matches!(self.next_solid(self.pos + 1).first(), None | Some(b';' | b'{' | b'/'));
        if !ends {
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
            b"<" if self.previous == Previous::Xlate => previous = Previous::XlateAngle,
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
                let level = self.level();
                level.has_type = false;
                level.statement_ended = true;
            }
            b"," => {
                let level = self.level();
                if matches!(level.open, b'(' | b'[') {
                    level.has_type = false;
                }
                if level.offsetof {
                    previous = Previous::Member;
                }
            }
            _ => {}
        }
        self.previous = previous;
        self.copy(len);
        Ok(token == b";" && self.definition && self.braces == 0)
    }
}
