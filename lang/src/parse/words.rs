//! The words of D: keywords (language spec §2.6), and which names are types and globals before a program starts.
//!
//! [`PREDEFINED_TYPES`] is the parser's own list, kept until the checker's type table answers [`Names`] itself.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::builtins::{Action, AggFn, BuiltinVar, Func};

/// What is known before a program is parsed. The compiler's symbol tables implement it; [`Predefined`] is the least
/// there is.
pub trait Names {
    /// Whether `name` is a type visible to the program: predefined, declared earlier or a kernel type. Tags of
    /// structures do not count.
    fn is_type(&self, name: &str) -> bool;
    /// The type whose name is near to one that is none.
    fn near_type(&self, _name: &str) -> Option<String> {
        None
    }
    /// Whether `name` is a variable, built-in, function, action or inline known before this program.
    fn is_global(&self, name: &str) -> bool;
}

/// The predefined type names (language spec §5.1) and the names of the built-in tables.
#[derive(Clone, Copy, Debug, Default)]
pub struct Predefined;

/// The predefined typedefs of language spec §5.1, and those whose built-in variables need no kernel type data.
pub const PREDEFINED_TYPES: &[&str] = &[
    "_Bool",
    "boolean_t",
    "caddr_t",
    "chipid_t",
    "ctid_t",
    "dev_t",
    "gid_t",
    "hrtime_t",
    "id_t",
    "in_addr_t",
    "in_port_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "int8_t",
    "intmax_t",
    "intptr_t",
    "ipaddr_t",
    "k_sigset_t",
    "kthread_t",
    "lgrp_id_t",
    "longlong_t",
    "offset_t",
    "pgcnt_t",
    "pid_t",
    "poolid_t",
    "processorid_t",
    "projid_t",
    "psetid_t",
    "ptrdiff_t",
    "size_t",
    "ssize_t",
    "taskid_t",
    "u_char",
    "u_int",
    "u_long",
    "u_longlong_t",
    "u_offset_t",
    "u_short",
    "uchar_t",
    "uid_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint8_t",
    "uint_t",
    "uintmax_t",
    "uintptr_t",
    "ulong_t",
    "ushort_t",
    "zoneid_t",
];

static TYPES: LazyLock<HashSet<&str>> = LazyLock::new(|| PREDEFINED_TYPES.iter().copied().collect());

impl Names for Predefined {
    fn is_type(&self, name: &str) -> bool {
        TYPES.contains(name)
    }

    fn is_global(&self, name: &str) -> bool {
        BuiltinVar::by_name(name).is_some()
            || Func::by_name(name).is_some()
            || AggFn::by_name(name).is_some()
            || Action::ROWS.iter().any(|row| !row.name.is_empty() && row.name == name)
    }
}

/// How a keyword matters to the scanner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    /// `int`, `string`, …: a type specifier; starts a declaration in OUTER mode.
    Type,
    /// `struct`, `union`, `enum`: a tag follows; starts a declaration.
    Tag,
    /// Storage classes and qualifiers; start a declaration.
    Declares,
    /// `inline`, `translator`, `provider`, …; start a definition.
    Defines,
    /// `if`
    If,
    /// `else`
    Else,
    /// `offsetof`
    Offsetof,
    /// Any other, the words that are never valid included.
    Other,
}

impl Keyword {
    /// Whether the word switches from OUTER to INNER mode (language spec §2.1).
    pub(super) fn leaves_outer(self) -> bool {
        matches!(self, Keyword::Type | Keyword::Tag | Keyword::Declares | Keyword::Defines)
    }

    /// Whether the word `userland` before this one is the specifier.
    pub(super) fn may_follow_userland(self) -> bool {
        matches!(self, Keyword::Type | Keyword::Tag | Keyword::Declares)
    }
}

/// The keyword with this spelling. `userland` is none: it depends on where it stands.
pub(super) fn keyword(word: &[u8]) -> Option<Keyword> {
    Some(match word {
        b"char" | b"double" | b"float" | b"int" | b"long" | b"short" | b"signed" | b"string"
        | b"unsigned" | b"void" => Keyword::Type,
        b"struct" | b"union" | b"enum" => Keyword::Tag,
        b"auto" | b"const" | b"extern" | b"register" | b"restrict" | b"self" | b"static" | b"this"
        | b"typedef" | b"volatile" => Keyword::Declares,
        b"counter" | b"import" | b"inline" | b"provider" | b"translator" => Keyword::Defines,
        b"if" => Keyword::If,
        b"else" => Keyword::Else,
        b"offsetof" => Keyword::Offsetof,
        b"break" | b"case" | b"continue" | b"default" | b"do" | b"for" | b"goto" | b"probe" | b"return"
        | b"sizeof" | b"stringof" | b"switch" | b"while" | b"xlate" => Keyword::Other,
        _ => return None,
    })
}

/// Whether a keyword is one of D alone: in C's headers it is a name like any other.
pub(super) fn is_keyword_of_d_only(word: &str) -> bool {
    matches!(
        word,
        "counter"
            | "import"
            | "offsetof"
            | "probe"
            | "provider"
            | "self"
            | "string"
            | "stringof"
            | "this"
            | "translator"
            | "xlate"
    )
}

/// Whether a byte can start an identifier; the backquote is the scoping operator.
pub(super) fn starts_identifier(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_' || b == b'`'
}

/// Whether a byte can continue an identifier.
pub(super) fn continues_identifier(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'`'
}

/// Whether a byte can start a probe description (language spec §2.3).
pub(super) fn starts_description(b: u8) -> bool {
    b.is_ascii_alphabetic()
        || matches!(b, b'_' | b'-' | b'$' | b':' | b'.' | b'?' | b'*' | b'\\' | b'[' | b']' | b'!')
}

/// Whether a byte can continue a probe description.
pub(super) fn continues_description(b: u8) -> bool {
    starts_description(b) || b.is_ascii_digit() || b == b'`'
}

/// The length of the punctuator at the start of `bytes`, longest match; 1 for any other byte.
pub(super) fn punctuator(bytes: &[u8]) -> usize {
    const LONG: [&[u8]; 23] = [
        b"<<=", b">>=", b"...", b"->", b"++", b"--", b"&&", b"||", b"^^", b"<<", b">>", b"<=", b">=", b"==",
        b"!=", b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"^=", b"|=",
    ];
    LONG.iter().find(|long| bytes.starts_with(long)).map_or(1, |long| long.len())
}

/// Whether a byte is white space (language spec §2.2).
pub(super) fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 11 | 12)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_known_without_a_program() {
        for name in ["uint64_t", "size_t", "pid_t"] {
            assert!(Predefined.is_type(name) && !Predefined.is_global(name), "{name}");
        }
        for name in ["pid", "arg3", "copyinstr", "printf", "count"] {
            assert!(Predefined.is_global(name) && !Predefined.is_type(name), "{name}");
        }
        assert!(!Predefined.is_global(""));
        assert!(PREDEFINED_TYPES.is_sorted());
    }
}
