//! Layouts that D's rules do not give: `__attribute__` and `#pragma pack` in, and out whether the declaration that they
//! belong to can be said in D. Other attributes say nothing that matters here.

use super::super::words::continues_identifier;
use super::Reader;

/// The attributes, without the underscores around them, that change how large a type is or where members stand.
const LAYOUT: &[&str] = &[
    "aligned",
    "ext_vector_type",
    "gcc_struct",
    "mode",
    "ms_struct",
    "packed",
    "scalar_storage_order",
    "vector_size",
];

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

/// The words that integer types are made of.
const INTEGERS: &[&str] = &["char", "int", "long", "short", "signed", "unsigned"];

/// The largest alignment that `#pragma pack` can leave as it is.
pub(super) const NATURAL: usize = 16;

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

    /// What attributes of a declaration, which stand at some bytes, say of its layout.
    pub(super) fn attributes(&mut self, start: usize, open: usize, end: usize) {
        let inside = &self.text[open..end];
        let words = || {
            let words = inside.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            words.filter(|word| !word.is_empty()).map(|word| word.trim_matches('_'))
        };
        if !words().any(|word| LAYOUT.contains(&word)) {
            return;
        }
        let mode = words().skip_while(|&word| word != "mode").nth(1);
        let integer = MODES.iter().find(|row| Some(row.0) == mode && words().count() == 2);
        let typedef = integer.and_then(|row| self.with_mode(start, row.1));
        match typedef {
            Some(typedef)
                if self.declaration.start + typedef.len() <= end
                    && !self.text[self.declaration.start..end].contains('\n') =>
            {
                let from = self.declaration.start;
                self.blank(from, end);
                self.out[from..from + typedef.len()].copy_from_slice(typedef.as_bytes());
            }
            _ => self.declaration.packed = true,
        }
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
