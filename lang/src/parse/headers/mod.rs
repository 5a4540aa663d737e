//! C headers as D can read them: a text that `cpp` has made in, a text of equal length out, with what could not be written
//! into it beside it (language spec §2.14).
//!
//! Headers of the system are written for C compilers, in words that D has not: `__attribute__`, `__asm__`, inline
//! functions, initial values. Line marks tell what came from a header of the system, and only there such words are blanked out,
//! spelt as D spells them, or the declaration is left out that cannot be said in D. Text of the script itself
//! is never changed. No byte moves, so every place stays true; line marks stay too.
//!
//! `words.rs` has the words, `punctuation.rs` what braces, brackets and semicolons say, `functions.rs` functions as C wrote
//! them once, `layout.rs` attributes and `#pragma pack`, `absent.rs` what follows from a type that is left out, `skip.rs` how
//! parts are stepped over and blanked out. Here is the reader, one declaration after the other.

mod absent;
mod functions;
mod layout;
mod punctuation;
mod skip;
mod words;

use std::borrow::Cow;

use super::control::{self, Control};
use super::errors;
use super::words::{Names, Predefined, is_space, starts_identifier};
use crate::ast::LeftOut;
use crate::source::SourceId;
use crate::types::TagKind;
use absent::Absent;
use layout::NATURAL;
pub(super) use layout::{Noted, Where};
use words::{Treatment, treatment};

/// A text whose headers D can read.
pub(super) struct Readable<'a> {
    /// The text.
    pub(super) text: Cow<'a, str>,
    /// What a header does not finish, if one does so: where the declaration starts, and where in it the part that has no
    /// end. Nothing behind was read.
    pub(super) unfinished: Option<(usize, usize)>,
    /// What attributes say of layouts, in the order of their places.
    pub(super) layouts: Vec<Noted>,
    /// The types that were left out.
    pub(super) left_out: Vec<LeftOut>,
}

impl Readable<'_> {
    /// What was noted of layouts between two bytes.
    pub(super) fn layouts_in(&self, from: usize, to: usize) -> Vec<Noted> {
        let start = self.layouts.partition_point(|noted| noted.at < from);
        self.layouts[start..].iter().take_while(|noted| noted.at < to).copied().collect()
    }
}

/// Makes what came from headers of the system readable. `cpp` says whether the preprocessor made the text.
pub(super) fn readable(source: SourceId, text: &str, cpp: bool) -> Readable<'_> {
    let enters = |line: &str| system(line, cpp) == Some(true);
    if !text.lines().any(enters) {
        let (layouts, left_out) = (Vec::new(), Vec::new());
        return Readable { text: Cow::Borrowed(text), unfinished: None, layouts, left_out };
    }
    let mut reader = Reader {
        source,
        text,
        cpp,
        out: text.as_bytes().to_vec(),
        pos: 0,
        depth: 0,
        declaration: Declaration::default(),
        absent: Absent::default(),
        pack: NATURAL,
        packs: Vec::new(),
        layouts: Vec::new(),
        left_out: Vec::new(),
        unfinished: None,
    };
    reader.read();
    let mut layouts = reader.layouts;
    layouts.sort_by_key(|noted| noted.at);
    // Whole characters are replaced by blanks, so that this is text still.
    let read = String::from_utf8(reader.out).unwrap_or_else(|_| text.to_string());
    Readable { text: Cow::Owned(read), unfinished: reader.unfinished, layouts, left_out: reader.left_out }
}

/// Whether a line mark says that a header of the system follows (its flag 3): others may be D. `None` if it does not say, as
/// one that only renumbers: without a file, or, where no preprocessor wrote it, with a lone flag 3.
pub(super) fn system(line: &str, cpp: bool) -> Option<bool> {
    let marks = line
        .strip_prefix('#')
        .is_some_and(|rest| rest.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    let Some(Control::Line(mark)) = marks.then(|| control::read(line).ok()).flatten() else { return None };
    mark.file?;
    // The file is the only string of the line.
    let flags = line.rsplit('"').next().unwrap_or("");
    let system = flags.split_whitespace().any(|flag| flag == "3");
    let moves = matches!(mark.state, Some(1 | 2));
    (cpp || moves || !system).then_some(system)
}

/// Why a declaration is left out, and what in it says so.
#[derive(Clone, Debug)]
struct Why {
    at: usize,
    message: String,
}

/// The declaration being read.
#[derive(Debug, Default)]
struct Declaration<'a> {
    /// Where it starts.
    start: usize,
    /// Its first word.
    first: &'a str,
    /// The last word outside of brackets, or that in `(*name)`: what is declared, once a comma or a semicolon follows.
    name: &'a str,
    /// What it declares up to the last comma.
    names: Vec<&'a str>,
    /// It cannot be said in D.
    left_out: Option<Why>,
    /// It can, but what it declares has no size there: a typedef of a struct that was left out.
    hollow: Option<Why>,
    /// The tags that it gives bodies to.
    tags: Vec<(TagKind, &'a str)>,
    parens: usize,
    /// Where the keyword of each open struct, union or enum stands, or its brace.
    braces: Vec<usize>,
    /// The last keyword `struct`, `union` or `enum`, and the tag behind it.
    keyword: Option<(TagKind, usize)>,
    tag: Option<&'a str>,
    /// The keyword of the body that was closed last.
    closed: usize,
    /// An empty struct that must go with the member it is the type of: where it starts, and at how many braces.
    empty: Option<(usize, usize)>,
    /// It has parentheses, and they are open around a declarator such as `(*name[2])`, not around parameters.
    has_parens: bool,
    grouping: bool,
    /// The square brackets that are open around constants.
    brackets: usize,
    /// The last byte that is not blank, and where.
    last: (u8, usize),
}

struct Reader<'a> {
    source: SourceId,
    text: &'a str,
    /// The preprocessor made the text.
    cpp: bool,
    out: Vec<u8>,
    pos: usize,
    depth: usize,
    declaration: Declaration<'a>,
    /// The types that were left out so far.
    absent: Absent<'a>,
    /// What `#pragma pack` has set, and what was set before its `push`.
    pack: u8,
    packs: Vec<u8>,
    layouts: Vec<Noted>,
    left_out: Vec<LeftOut>,
    /// Where a declaration starts that a header does not finish, and the part that has no end. Reading ends there.
    unfinished: Option<(usize, usize)>,
}

impl<'a> Reader<'a> {
    fn read(&mut self) {
        let mut line_start = true;
        while self.unfinished.is_none()
            && let Some(b) = self.byte(self.pos)
        {
            if line_start && (b == b'#' || self.depth == 0) {
                let line = self.text[self.pos..].split('\n').next().unwrap_or("");
                if let Some(system) = system(line, self.cpp) {
                    self.depth = usize::from(system);
                }
                self.pragma(line);
                if self.depth == 0 {
                    self.declaration = Declaration::default();
                }
                self.pos += line.len() + 1;
                continue;
            }
            line_start = b == b'\n';
            match b {
                _ if is_space(b) => self.pos += 1,
                b'"' | b'\'' => {
                    self.solid(b);
                    self.pos += self.quoted();
                }
                _ if starts_identifier(b) => self.word(),
                _ if b.is_ascii_digit() => {
                    self.solid(b);
                    self.pos += self.word_len();
                }
                _ => self.punctuation(b),
            }
        }
    }

    /// Takes note of a token of the declaration.
    fn solid(&mut self, b: u8) {
        if self.declaration.last.0 == 0 {
            self.declaration.start = self.pos;
        }
        self.declaration.last = (b, self.pos);
    }

    /// The declaration cannot be said in D; the first reason counts.
    fn leave_out(&mut self, at: usize, message: impl FnOnce() -> String) {
        self.declaration.left_out.get_or_insert_with(|| Why { at, message: message() });
    }

    fn word(&mut self) {
        let (start, len) = (self.pos, self.word_len());
        let word: &'a str = &self.text[start..start + len];
        let treatment = treatment(word);
        if matches!(treatment, None | Some(Treatment::Spell(_) | Treatment::LeaveOut)) {
            let last = self.declaration.last;
            let outermost = self.declaration.braces.is_empty() && self.declaration.parens == 0;
            if outermost && last.0 == b')' && self.old_function(start) {
                return;
            }
            if last.0 == 0 {
                self.declaration.first = word;
            }
            self.type_word(word, start + len);
            let grouped = self.declaration.braces.is_empty()
                && self.declaration.parens == 1
                && self.declaration.grouping
                && last.0 == b'*';
            if (outermost || grouped) && self.declaration.brackets == 0 {
                self.declaration.name = word;
            }
            self.solid(b'a');
        }
        self.pos = start + len;
        match treatment {
            None => {}
            Some(Treatment::Drop) => self.blank(start, self.pos),
            Some(Treatment::Spell(other)) => {
                self.blank(start, self.pos);
                self.out[start..start + other.len()].copy_from_slice(other.as_bytes());
            }
            Some(Treatment::LeaveOut) => self.leave_out(start, || errors::no_word(word)),
            Some(Treatment::DropCall) => {
                let open = self.next_token(self.pos);
                // `__asm__ volatile (…)` stands in bodies only.
                if self.byte(open) == Some(b'(') {
                    let Some(end) = self.balanced(open) else {
                        return self.has_no_end(start);
                    };
                    self.pos = end;
                    self.blank(start, end);
                    match word {
                        "_Alignas" => self.alignas(start, open, end),
                        _ if word.contains("attribute") => self.attributes(start, open, end),
                        _ => {}
                    }
                    return;
                }
                self.blank(start, self.pos);
            }
            Some(Treatment::DropStatement) => {
                let Some(end) = self.end_of_value(self.pos, b";") else {
                    return self.has_no_end(start);
                };
                self.pos = end + 1;
                self.blank(start, self.pos);
            }
        }
    }

    /// The header ends before what starts at a byte.
    fn has_no_end(&mut self, at: usize) {
        let start = if self.declaration.last.0 == 0 { at } else { self.declaration.start };
        self.unfinished = Some((start, at));
    }

    /// The declaration ends before `end`.
    fn ends(&mut self, end: usize) {
        let mut declaration = std::mem::take(&mut self.declaration);
        declaration.names.push(declaration.name);
        // D's own variables stay what they are.
        let of_d = declaration.first == "extern"
            && !declaration.has_parens
            && Predefined.is_global(declaration.name);
        if declaration.left_out.is_some() || of_d || declaration.start + 1 == end {
            self.blank(declaration.start, end);
        }
        self.follow(declaration);
    }
}

#[cfg(test)]
mod tests;
