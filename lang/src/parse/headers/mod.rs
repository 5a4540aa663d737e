//! C headers as D can read them: a text that `cpp` has made in, a text of equal length out (language spec §2.14).
//!
//! Headers of the system are written for C compilers, in words that D has not: `__attribute__`, `__asm__`, inline
//! functions, initial values. Line marks tell what came from a header of the system, and only there such words are blanked out,
//! spelt as D spells them, or the declaration is left out that cannot be said in D. Text of the script itself
//! is never changed. No byte moves, so every place stays true; line marks stay too.
//!
//! `words.rs` has the words, `punctuation.rs` what braces, brackets and semicolons say, `layout.rs` attributes and
//! `#pragma pack`, `skip.rs` how parts are stepped over and blanked out. Here is the reader, one declaration after the other.

mod layout;
mod punctuation;
mod skip;
mod words;

use std::borrow::Cow;
use std::collections::HashSet;

use super::control::{self, Control};
use super::words::{Names, Predefined, is_space, starts_identifier};
use layout::NATURAL;
use words::{Treatment, treatment};

/// The text with what came from included files made readable, and what a header does not finish, if one does so: where the
/// declaration starts, and where in it the part that has no end. Nothing behind was read.
pub(super) fn readable(text: &str) -> (Cow<'_, str>, Option<(usize, usize)>) {
    let enters = |line: &str| system(line) == Some(true);
    if !text.lines().any(enters) {
        return (Cow::Borrowed(text), None);
    }
    let mut reader = Reader {
        text,
        out: text.as_bytes().to_vec(),
        pos: 0,
        depth: 0,
        declaration: Declaration::default(),
        absent: HashSet::new(),
        pack: NATURAL,
        packs: Vec::new(),
        unfinished: None,
    };
    reader.read();
    // Whole characters are replaced by blanks, so that this is text still.
    let read = String::from_utf8(reader.out).unwrap_or_else(|_| text.to_string());
    (Cow::Owned(read), reader.unfinished)
}

/// Whether a line mark says that a header of the system follows (its flag 3): others may be D.
pub(super) fn system(line: &str) -> Option<bool> {
    if !line.starts_with('#') || !matches!(control::read(line), Ok(Control::Line(_))) {
        return None;
    }
    Some(line.rsplit('"').next().is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "3")))
}

/// The declaration being read.
#[derive(Debug, Default)]
struct Declaration<'a> {
    /// Where it starts.
    start: usize,
    /// Its first word, and the last one outside of brackets.
    words: (&'a str, &'a str),
    /// It cannot be said in D.
    left_out: bool,
    /// A struct, union or enum in it has a place in memory that D cannot know: where its body starts.
    packed: bool,
    parens: usize,
    /// Where the keyword of each open struct, union or enum stands, or its brace.
    braces: Vec<usize>,
    /// The last keyword `struct`, `union` or `enum`.
    keyword: usize,
    /// An empty struct that must go with the member it is the type of: where it starts, and at how many braces.
    empty: Option<(usize, usize)>,
    /// It has parentheses, and they are open around a declarator such as `(*name[2])`, not around parameters.
    has_parens: bool,
    /// The square brackets that are open around constants.
    brackets: usize,
    grouping: bool,
    /// The last byte that is not blank, and where.
    last: (u8, usize),
}

struct Reader<'a> {
    text: &'a str,
    out: Vec<u8>,
    pos: usize,
    depth: usize,
    declaration: Declaration<'a>,
    /// The typedefs that were left out.
    absent: HashSet<&'a str>,
    /// What `#pragma pack` has set, and what was set before its `push`.
    pack: usize,
    packs: Vec<usize>,
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
                if let Some(system) = system(line) {
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
                    self.number();
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

    /// An enumerator beyond 32 bits has no type in D.
    fn number(&mut self) {
        let (start, len) = (self.pos, self.word_len());
        self.pos += len;
        let of_enum = self.declaration.braces.last().is_some_and(|&at| self.text[at..].starts_with("enum"));
        if !of_enum {
            return;
        }
        let digits = self.text[start..self.pos].trim_end_matches(['u', 'U', 'l', 'L']);
        let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(hex) => u64::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        let value = value.unwrap_or(u64::MAX);
        let shifts = self.text[..start].trim_end().ends_with("<<");
        self.declaration.left_out |= value > u64::from(u32::MAX) || (shifts && value >= 32);
    }

    fn word(&mut self) {
        let (start, len) = (self.pos, self.word_len());
        let word: &'a str = &self.text[start..start + len];
        let treatment = match self.absent.contains(word) {
            true => Some(Treatment::LeaveOut),
            false => treatment(word),
        };
        let outermost = self.declaration.braces.is_empty() && self.declaration.parens == 0;
        if matches!(word, "struct" | "union" | "enum") {
            self.declaration.keyword = start;
        }
        if matches!(treatment, None | Some(Treatment::Spell(_) | Treatment::LeaveOut)) {
            if self.declaration.last.0 == 0 {
                self.declaration.words.0 = word;
            }
            if outermost {
                self.declaration.words.1 = word;
                // The parameters of a function as C declared them once.
                if self.declaration.last.0 == b')' {
                    self.declaration.left_out = true;
                }
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
            Some(Treatment::LeaveOut) => self.declaration.left_out = true,
            Some(Treatment::DropCall) => {
                let open = self.next_token(self.pos);
                // `__asm__ volatile (…)` stands in bodies only.
                if self.byte(open) == Some(b'(') {
                    let Some(end) = self.balanced(open) else {
                        return self.has_no_end(start);
                    };
                    self.pos = end;
                    self.blank(start, end);
                    if word.contains("attribute") {
                        self.attributes(start, open, end);
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
        let declaration = std::mem::take(&mut self.declaration);
        // D's own variables stay what they are.
        let of_d = declaration.words.0 == "extern"
            && !declaration.has_parens
            && Predefined.is_global(declaration.words.1);
        let left_out = declaration.left_out || declaration.packed || of_d;
        if left_out || declaration.start + 1 == end {
            self.blank(declaration.start, end);
        }
        if left_out && declaration.words.0 == "typedef" {
            self.absent.insert(declaration.words.1);
        }
    }
}

#[cfg(test)]
mod tests;
