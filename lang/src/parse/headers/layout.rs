//! Layouts that D's rules do not give: `__attribute__` and `#pragma pack` in, and out notes of them for the declarations that
//! they belong to, or that such a declaration cannot be said in D. Other attributes say nothing that matters here.

use super::super::errors;
use super::super::words::continues_identifier;
use super::Reader;
use crate::ast::Layout;
use crate::types::TagKind;

/// What belongs to a layout that is noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Where {
    /// The struct or union whose keyword stands at the place.
    Definition,
    /// What is declared where the place is.
    Declarator,
}

/// A layout beside the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Noted {
    /// The byte that it belongs to.
    pub(in super::super) at: usize,
    /// To what there.
    pub(in super::super) place: Where,
    /// The layout.
    pub(in super::super) layout: Layout,
}

/// The attributes, without the underscores around them, that change how large a type is or where members stand in a way that
/// [`Layout`] has not.
const FOREIGN: &[&str] =
    &["ext_vector_type", "gcc_struct", "ms_struct", "scalar_storage_order", "vector_size"];

/// What `__attribute__((mode(…)))` makes of an integer, without the underscores around it.
const MODES: &[(&str, &str)] = &[
    ("QI", "char"),
    ("HI", "short"),
    ("SI", "int"),
    ("DI", "long"),
    ("byte", "char"),
    ("word", "long"),
    ("pointer", "long"),
];

/// Types that alignments are told by.
const SIZES: &[(&[&str], u64)] = &[
    (&["char", "__u8", "__uint8_t", "uint8_t"], 1),
    (&["short", "__u16", "__uint16_t", "uint16_t"], 2),
    (&["int", "unsigned int", "float", "__u32", "__uint32_t", "uint32_t"], 4),
    (&["long", "unsigned long", "long long", "unsigned long long", "double"], 8),
    (&["__u64", "__uint64_t", "uint64_t", "size_t"], 8),
    (&["long double"], 16),
];

/// The words that integer types are made of.
const INTEGERS: &[&str] = &["char", "int", "long", "short", "signed", "unsigned"];

/// The largest alignment that a type has by itself, that of `__attribute__((aligned))`: what `#pragma pack` sets is less, or
/// changes nothing.
pub(super) const NATURAL: u8 = 16;

/// The longest argument of an attribute that messages show.
const SHOWN: usize = 40;

/// The largest alignment that compilers know.
const MAX_ALIGN: u64 = 1 << 28;

impl Reader<'_> {
    /// Obeys `#pragma pack`.
    pub(super) fn pragma(&mut self, line: &str) {
        let mut words =
            line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        if (words.next(), words.next()) != (Some("pragma"), Some("pack")) {
            return;
        }
        let mut set = NATURAL;
        for word in words {
            match word {
                "push" => {
                    self.packs.push(self.pack);
                    set = self.pack;
                }
                "pop" => set = self.packs.pop().unwrap_or(NATURAL),
                word => set = word.parse().unwrap_or(set),
            }
        }
        self.pack = set;
    }

    /// Takes note of what attributes say of the layout of what they belong to. They stand between two bytes, the first of
    /// which is their keyword's, and `open` is that of their parenthesis.
    pub(super) fn attributes(&mut self, start: usize, open: usize, end: usize) {
        let text = self.text;
        let list = attributes(&text[open..end]);
        for &(name, argument) in &list {
            let name = name.trim_matches('_');
            let shown = Some(argument).filter(|argument| argument.len() <= SHOWN).unwrap_or("");
            let unknown = || errors::no_word(&format!("__attribute__(({name}{shown}))"));
            match name {
                "packed" => self.layout(start, Layout { packed: true, ..Layout::default() }),
                "aligned" => match alignment(argument) {
                    Some(align) => self.layout(start, Layout { align, ..Layout::default() }),
                    None => self.leave_out(start, unknown),
                },
                "mode" => {
                    let mode = argument.trim_matches(|c: char| !c.is_ascii_alphanumeric());
                    let integer = MODES.iter().find(|row| row.0 == mode).filter(|_| list.len() == 1);
                    let typedef = integer.and_then(|row| self.with_mode(start, row.1));
                    match typedef.filter(|typedef| {
                        let place = &text[self.declaration.start..end];
                        typedef.len() <= place.len() && !place.contains('\n')
                    }) {
                        Some(typedef) => {
                            let from = self.declaration.start;
                            self.blank(from, end);
                            self.out[from..from + typedef.len()].copy_from_slice(typedef.as_bytes());
                        }
                        None => self.leave_out(start, unknown),
                    }
                }
                name if FOREIGN.contains(&name) => self.leave_out(start, unknown),
                _ => {}
            }
        }
    }

    /// Takes note of what `_Alignas(…)` says; its parenthesis stands at `open`.
    pub(super) fn alignas(&mut self, start: usize, open: usize, end: usize) {
        match alignment(&self.text[open..end]) {
            Some(align) => self.layout(start, Layout { align, ..Layout::default() }),
            None => self.leave_out(start, || errors::no_word("_Alignas")),
        }
    }

    /// Takes note of a layout that stands at a byte, for what it belongs to.
    fn layout(&mut self, at: usize, layout: Layout) {
        let declaration = &self.declaration;
        let keyword = declaration.keyword.filter(|(_, keyword)| declaration.last == (b'a', *keyword));
        match (declaration.last.0, keyword) {
            _ if declaration.parens > usize::from(declaration.grouping) => {}
            (b'}', _) if self.text[declaration.closed..].starts_with("enum") => {
                self.leave_out(at, || errors::NO_ENUM_OF_ANOTHER_SIZE.to_string());
            }
            (b'}', _) => self.note(declaration.closed, Where::Definition, layout),
            (_, Some((TagKind::Enum, _))) => {
                self.leave_out(at, || errors::NO_ENUM_OF_ANOTHER_SIZE.to_string());
            }
            (_, Some((_, keyword))) => self.note(keyword, Where::Definition, layout),
            // What begins with it has not begun yet for D.
            (0 | b';' | b'{', _) => self.note(self.next_token(self.pos), Where::Declarator, layout),
            _ => self.note(at, Where::Declarator, layout),
        }
    }

    pub(super) fn note(&mut self, at: usize, place: Where, layout: Layout) {
        self.layouts.push(Noted { at, place, layout });
    }

    /// A typedef of an integer up to a byte, with another size; nothing if it is more than that.
    fn with_mode(&self, end: usize, integer: &str) -> Option<String> {
        let mut words = self.text[self.declaration.start..end].split_whitespace().peekable();
        if self.declaration.last.0 == 0 || words.next() != Some("typedef") {
            return None;
        }
        let mut sign = "signed";
        while let Some(word) = words.next_if(|word| INTEGERS.contains(&word.trim_matches('_'))) {
            if word == "unsigned" {
                sign = "unsigned";
            }
        }
        let name = words.next().unwrap_or("");
        let plain = words.next().is_none() && name.bytes().all(continues_identifier);
        plain.then(|| format!("typedef {sign} {integer} {name}"))
    }
}

/// The attributes in `((…))`, each with its argument and the parentheses around that.
fn attributes(text: &str) -> Vec<(&str, &str)> {
    let (bytes, mut list) = (text.as_bytes(), Vec::new());
    let (mut at, mut depth) = (0, 0usize);
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b if depth == 2 && continues_identifier(b) => {
                at += bytes[at..].iter().take_while(|&&b| continues_identifier(b)).count();
                let name = &text[start..at];
                let open = at + (text[at..].len() - text[at..].trim_start().len());
                if bytes.get(open) == Some(&b'(') {
                    at = open + argument_len(&text[open..]);
                    list.push((name, &text[open..at]));
                } else {
                    list.push((name, ""));
                }
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    list
}

/// The length of an argument in parentheses.
fn argument_len(text: &str) -> usize {
    let (mut depth, mut quoted) = (0usize, false);
    for (at, b) in text.bytes().enumerate() {
        match b {
            b'"' => quoted = !quoted,
            b'(' if !quoted => depth += 1,
            b')' if !quoted => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

/// The bytes that an argument of `aligned` says, if that can be told.
fn alignment(argument: &str) -> Option<u64> {
    let inside = argument.trim_matches(|c: char| matches!(c, '(' | ')') || c.is_whitespace());
    if inside.is_empty() {
        return Some(u64::from(NATURAL));
    }
    let digits = inside.trim_end_matches(['u', 'U', 'l', 'L']);
    let number = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    };
    let of_type = || {
        let (operator, ty) = inside.split_once(|c: char| c.is_whitespace() || c == '(')?;
        let ty = ty.trim_matches(|c: char| matches!(c, '(' | ')') || c.is_whitespace());
        match operator.trim_matches('_') {
            "sizeof" | "alignof" | "Alignof" if ty.ends_with('*') => Some(8),
            "sizeof" | "alignof" | "Alignof" => SIZES.iter().find(|row| row.0.contains(&ty)).map(|row| row.1),
            _ => None,
        }
    };
    number.or_else(of_type).filter(|&align| align.is_power_of_two() && align <= MAX_ALIGN)
}
