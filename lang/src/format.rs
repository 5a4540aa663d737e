//! Format strings of `printf` and `printa`, parsed and checked at compile time (runtime spec §5).
//!
//! The checker fills these types; `vm::format` prints from them. Nothing parses a format at run time.

use crate::builtins::Symbolic;

/// A parsed format string.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Format {
    /// Text and conversions, in order.
    pub pieces: Vec<Piece>,
}

/// A stretch of a format string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Literal bytes, `%%` already undone.
    Text(Vec<u8>),
    /// A conversion.
    Conversion(Conversion),
}

/// One conversion, with its argument's type already settled.
///
/// It consumes, in this order: a width argument if `width` is [`Width::Arg`], a precision argument likewise, its value.
/// In `printa` the value of an `aggregation` conversion is the next aggregation's, and all else are key elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// What is printed.
    pub kind: ConversionKind,
    /// `-`
    pub left: bool,
    /// `0`
    pub zero: bool,
    /// `+`
    pub plus: bool,
    /// blank
    pub space: bool,
    /// `#`
    pub alternate: bool,
    /// `'`
    pub grouping: bool,
    /// `@`
    pub aggregation: bool,
    /// The minimum field width; `%?` is `Fixed(16)`.
    pub width: Width,
    /// The precision; 0 and negative count as none.
    pub precision: Width,
}

/// A width or a precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Width {
    /// Not given.
    #[default]
    None,
    /// Digits.
    Fixed(u32),
    /// `*`
    Arg,
}

/// The conversion's name, its size prefix resolved against the argument's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConversionKind {
    /// `d i u o x X p`: an integer of so many bits (8, 16, 32, 64) in a base. `signed` holds for `d` and `i` of a
    /// signed argument: the bits are then sign-extended and printed with a minus.
    Integer {
        /// 8, 10 or 16.
        base: u8,
        /// `X`
        upper: bool,
        /// Print as signed.
        signed: bool,
        /// How many low bits of the value count. For aggregation values 64.
        bits: u8,
    },
    /// `c`
    Char,
    /// `C`
    EscapedChar,
    /// `s`
    Str,
    /// `S`
    EscapedStr,
    /// `S` of an array of characters, whose NUL shows only if the array has one.
    EscapedArray,
    /// `T`
    Time,
    /// `Y`
    Date,
    /// `a`
    KernelAddress,
    /// `A`
    UserAddress,
    /// `k`
    Stack,
    /// `a` or `A` of a value that `sym()` or its kin took.
    Symbolic(Symbolic),
    /// `lc wc`: a character of any alphabet by its number.
    WideChar,
    /// `ls ws`: such characters up to a 0, four bytes each.
    WideStr,
    /// `e E f g G` by their letter.
    Float(char),
}
