//! The context-sensitive half of parsing: one external declaration at a time, source text in, prepared text for the
//! grammar out (language spec §2).
//!
//! The prepared text has the length of the source. A token whose class depends on where it stands becomes its
//! [`Class`] byte and underscores; comments, control lines and white space become blanks; keywords and punctuation stay.
//! Constants are checked here, macros expanded, brackets counted, slashes classified and control lines obeyed, because
//! each of these is an event at its place in the text. Where the text cannot go on, a poison byte ends the prepared text:
//! the grammar fails there, unless it fails earlier, and the earlier error is the one to report.
//!
//! It builds no tree and knows no grammar beyond what the classes need. This file has the item loop and what the modes
//! share; each mode has a file of its own.

mod inner;
mod outer;

use std::collections::BTreeSet;

use super::control::{self, Control};
use super::errors::{self, character_at};
use super::headers::{self, Noted};
use super::literal::{self, LiteralError};
use super::macros::MacroToken;
use super::resolve::Scope;
use super::words::is_space;
use super::{MAX_NESTING, ParseContext, pragma, prescan};
use crate::ast::Pragma;
use crate::builtins::shapes;
use crate::diag::{Diagnostic, Tag};
use crate::options::{self, OptionError, SetBy};
use crate::source::{SourceId, SourceKind, SourceMap, Span};
use crate::stability::{self, Version};

/// The classes that the grammar names by their byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Class {
    /// A word that is no keyword: the name of a variable, a type, a tag or a member.
    Name = 1,
    /// The name of a type for certain: it begins a declaration, or a macro stands for a keyword.
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
    /// The semicolon that ends a struct or union without a name, in a struct of an included file.
    Nameless = 8,
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
    /// It starts in an included file.
    pub(super) included: bool,
    /// What headers say of layouts in it; whoever reads headers fills it in.
    pub(super) layouts: Vec<Noted>,
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
    /// A word, or the name of a type: `userland` may follow.
    Word,
    /// `struct`, `union`, `enum`: a tag follows.
    Tag,
    /// The slash that ends a predicate.
    PredicateEnd,
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
        Level { open, at, offsetof: false, questions: 0, ifs: 0, statement_ended: false }
    }
}

/// Scans one source text.
pub(super) struct Scanner<'a, 'c> {
    /// All programs, of which those before this one have been compiled.
    sources: &'a SourceMap,
    source: SourceId,
    kind: SourceKind,
    text: &'a str,
    cx: &'a mut ParseContext<'c>,
    pos: usize,
    /// Arguments referenced so far.
    pub(super) args_used: BTreeSet<u32>,
    /// Control lines kept for the checker, since the last call.
    pub(super) pragmas: Vec<Pragma>,
    /// The last byte ended a clause.
    after_clause: bool,
    /// How many included files the place is in, by the line marks.
    inclusion: usize,
    /// The place is in a header of the system.
    system: bool,

    // The present item.
    start: usize,
    out: Vec<u8>,
    macros: Vec<(usize, MacroToken)>,
    inner: bool,
    /// A declaration or definition, not a clause.
    definition: bool,
    /// The brace that is open outside of all others is that of a clause's body.
    body: bool,
    previous: Previous,
    levels: Vec<Level>,
    nesting: usize,
    deepest: usize,
    parens: usize,
    brackets: usize,
    braces: usize,
}

impl<'a, 'c> Scanner<'a, 'c> {
    /// A scanner at the start of what is to be read of a source.
    pub(super) fn new(
        sources: &'a SourceMap,
        source: SourceId,
        text: &'a str,
        cx: &'a mut ParseContext<'c>,
    ) -> Scanner<'a, 'c> {
        Scanner {
            sources,
            source,
            kind: sources.get(source).kind,
            text,
            cx,
            pos: 0,
            args_used: BTreeSet::new(),
            pragmas: Vec::new(),
            after_clause: false,
            inclusion: 0,
            system: false,
            start: 0,
            out: Vec::new(),
            macros: Vec::new(),
            inner: false,
            definition: false,
            body: false,
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

    /// The next external declaration, or `None` at the end of the text. `scope` says whether its first word is a type:
    /// then it is a declaration, else a probe (§2.4).
    pub(super) fn next_item(&mut self, scope: &Scope<'_>) -> Result<Option<Item>, Diagnostic> {
        self.start = self.pos;
        self.out.clear();
        self.inner = false;
        self.definition = false;
        self.body = false;
        self.previous = Previous::Other;
        self.levels.clear();
        self.levels.push(Level::new(0, self.pos));
        (self.nesting, self.deepest) = (0, 0);
        (self.parens, self.brackets, self.braces) = (0, 0, 0);

        // Programs put a semicolon behind a clause as C does behind a struct: `};`.
        if self.after_clause && self.byte(0) == Some(b';') {
            self.skip(1);
        }
        self.after_clause = false;
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
        let included = self.inclusion > 0;

        let mut failure = None;
        while let Some(b) = self.byte(0) {
            let step = if self.inner { self.inner_token(b) } else { self.outer_token(b, scope) };
            match step {
                Ok(false) => {}
                Ok(true) => {
                    self.after_clause = !self.definition;
                    break;
                }
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
        let (start, depth, layouts) = (self.start, self.deepest, Vec::new());
        Ok(Some(Item { start, text, failure, macros, unclosed, depth, included, layouts }))
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
            let mut failure = self.fail(tag, message, start + from, start + to);
            if let Some(advice) = control::advice(line).filter(|_| tag == Tag::PragctlInval) {
                failure.diagnostic = failure.diagnostic.help(advice);
            }
            failure
        };
        match control::read(line).map_err(refuse)? {
            Control::Ignored => {}
            Control::Line(mark) => {
                let cpp = self.cx.options.preprocessor.run;
                self.system = headers::system(line, cpp).unwrap_or(self.system);
                match mark.state {
                    Some(1) => self.inclusion += 1,
                    Some(2) => self.inclusion = self.inclusion.saturating_sub(1),
                    _ => {}
                }
            }
            Control::Option(token) => {
                let (name, value) = match token.text.split_once('=') {
                    Some((name, value)) => (name, Some(value)),
                    None => (token.text, None),
                };
                let reduced = match (name, value.and_then(Version::parse)) {
                    ("version", Some(version)) => self.uses_later_than(version),
                    _ => false,
                };
                let set = match reduced {
                    true => Err(OptionError::Reduced),
                    false => self.cx.options.set(name, value, SetBy::Program),
                };
                if let Err(reason) = set {
                    let value = value.map_or(String::new(), |value| format!(" to '{value}'"));
                    let message = format!("failed to set option '{name}'{value}: {reason}");
                    let (from, to) = (start + token.start, start + token.end);
                    let mut failure = self.fail(Tag::PragmaOptset, message, from, to);
                    if let Some(advice) = options::advice(name, &reason) {
                        failure.diagnostic = failure.diagnostic.help(advice);
                    }
                    return Err(failure);
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

    /// Whether the text so far, or a program before it, uses a name of the language that came after a version. What the
    /// libraries use is theirs.
    fn uses_later_than(&self, version: Version) -> bool {
        let mut later = false;
        let before = self.sources.ids().take_while(|&id| id != self.source).map(|id| self.sources.get(id));
        let before = before.filter(|source| source.kind != SourceKind::Library).map(|source| &*source.text);
        for text in before.chain([&self.text[..self.pos]]) {
            prescan::words(text, &mut |word| later |= stability::since(word) > version);
        }
        later
    }

    fn integer(&mut self) -> Result<(), Failure> {
        if let Some(len) = literal::float(self.rest()) {
            let (start, end) = (self.pos, self.pos + len);
            let mut failure =
                self.fail(Tag::Syntax, "floating-point constants are not permitted", start, end);
            let statement = self.text[..start].rsplit([';', '{']).next().unwrap_or_default();
            if statement.contains("percentile") {
                failure.diagnostic = failure.diagnostic.help(shapes::PERCENTAGES);
            }
            return Err(failure);
        }
        let (len, value) = literal::integer(self.rest());
        value.map_err(|error| self.literal_error(error, len))?;
        self.put(Class::Integer, len);
        Ok(())
    }

    fn literal_error(&self, error: LiteralError, len: usize) -> Failure {
        self.fail(error.tag, error.message, self.pos, self.pos + len)
    }
}
