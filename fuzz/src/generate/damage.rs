//! Small damages to a text: what a tired user or a broken editor makes of a program.

use proptest::prelude::*;

/// One damage, by relative position in the text.
#[derive(Clone, Debug)]
pub enum Damage {
    /// Drops some characters.
    Delete(prop::sample::Index, usize),
    /// Puts text in.
    Insert(prop::sample::Index, String),
    /// Repeats a part.
    Repeat(prop::sample::Index, usize),
    /// Ends the text early.
    Cut(prop::sample::Index),
}

/// Any damage.
pub fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        (at(), 1..4usize).prop_map(|(at, n)| Damage::Delete(at, n)),
        (at(), fragment()).prop_map(|(at, text)| Damage::Insert(at, text)),
        (at(), 1..30usize).prop_map(|(at, n)| Damage::Repeat(at, n)),
        at().prop_map(Damage::Cut),
    ]
}

/// A piece of D, or something that is none.
fn fragment() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "/",
        "/*",
        "*/",
        "//",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ";",
        ",",
        "?",
        ":",
        "\"",
        "'",
        "\\",
        "\n",
        "#",
        "\n#pragma D ",
        "\n#line 7\n",
        "@",
        "$1",
        "$$1",
        "$2",
        "$9",
        "$pid",
        "$",
        "self->",
        "this",
        "->",
        ".",
        "...",
        "int ",
        "struct ",
        "size_t",
        "xlate<",
        "offsetof(",
        "sizeof ",
        "stringof ",
        "if (",
        "else ",
        "while",
        "1.5",
        "08",
        "0x",
        "'ab'",
        "=",
        "==",
        "+",
        "++",
        "BEGIN",
        "inline ",
        "translator ",
        "provider ",
        "typedef ",
        "userland ",
        "\u{1}",
        "\0",
        "é",
    ]);
    pieces.prop_map(str::to_string)
}

/// The text after some damages.
pub fn damaged(text: &str, damages: &[Damage]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for damage in damages {
        let place = |at: &prop::sample::Index| at.index(chars.len() + 1);
        match damage {
            Damage::Delete(at, n) => {
                let start = place(at);
                chars.drain(start..(start + n).min(chars.len()));
            }
            Damage::Insert(at, text) => {
                let start = place(at);
                chars.splice(start..start, text.chars());
            }
            Damage::Repeat(at, n) => {
                let start = place(at);
                let part: Vec<char> = chars[start..(start + n).min(chars.len())].to_vec();
                chars.splice(start..start, part);
            }
            Damage::Cut(at) => {
                let start = place(at);
                chars.truncate(start);
            }
        }
    }
    chars.into_iter().collect()
}
