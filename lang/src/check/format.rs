//! Format strings of `printf` and `printa`: parsed, then checked against their arguments (runtime spec §5, §7.8).
//!
//! In: the bytes of the format and the types of the arguments. Out: a [`Format`] with every conversion settled, or the
//! message of runtime spec §5.2. Prints nothing; `vm::format` does.

use super::errors;
use crate::builtins::Symbolic;
use crate::bytes;
use crate::diag::Diagnostic;
use crate::format::{Conversion, ConversionKind, Format, Piece, Width};
use crate::source::Span;
use crate::types::{IntType, LONG, LONG_LONG, SHORT, Type, TypeId, TypeTable};
use crate::types::{UNSIGNED_LONG, UNSIGNED_LONG_LONG, UNSIGNED_SHORT};

/// A format string cut into pieces; the kinds of its conversions still depend on the arguments.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    pieces: Vec<ParsedPiece>,
}

#[derive(Clone, Debug)]
enum ParsedPiece {
    Text(Vec<u8>),
    Percent,
    Conversion { row: &'static Row, flags: Conversion },
}

/// What an argument must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    /// Any integer of 8 to 64 bits.
    Integer,
    /// An integer of at most 32 bits.
    Character,
    /// An integer of exactly 64 bits.
    Time,
    /// A pointer or an integer.
    Address,
    /// The same, while a target process exists.
    UserAddress,
    /// A string.
    String,
    /// A stack.
    Stack,
    /// One of these integer types.
    Exactly(&'static [IntType]),
    /// A floating-point type.
    Float,
    /// `long double`
    LongDouble,
    /// An array of 32-bit integers.
    WideString,
}

/// How the value is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Prints {
    /// Base, upper case, whether a signed argument shows its sign.
    Integer(u8, bool, bool),
    Kind(ConversionKind),
}

/// A conversion name (runtime spec §5.1).
#[derive(Debug)]
struct Row {
    name: &'static str,
    prototype: &'static str,
    takes: Takes,
    prints: Prints,
}

const INTEGERS: &str = "char, short, int, long, or long long";
const FLOATS: &str = "float, double, or long double";
const ADDRESS: &str = "pointer or integer";
const STRINGS: &str = "char [] or string (or use stringof)";
const SIGNED_64: &[IntType] = &[LONG, LONG_LONG];
const UNSIGNED_64: &[IntType] = &[UNSIGNED_LONG, UNSIGNED_LONG_LONG];
/// `int64_t` and `uint64_t` are these types here, so `%llx` takes `long` only by those names.
const EITHER_LONG: &[IntType] = &[LONG, UNSIGNED_LONG];
const EITHER_LONG_LONG: &[IntType] = &[LONG_LONG, UNSIGNED_LONG_LONG];

const fn row(name: &'static str, prototype: &'static str, takes: Takes, prints: Prints) -> Row {
    Row { name, prototype, takes, prints }
}

const SIGNED: Prints = Prints::Integer(10, false, true);
const DECIMAL: Prints = Prints::Integer(10, false, false);
const OCTAL: Prints = Prints::Integer(8, false, false);
const HEX: Prints = Prints::Integer(16, false, false);
const UPPER_HEX: Prints = Prints::Integer(16, true, false);

const fn float(letter: char) -> Prints {
    Prints::Kind(ConversionKind::Float(letter))
}

static ROWS: &[Row] = &[
    row("a", ADDRESS, Takes::Address, Prints::Kind(ConversionKind::KernelAddress)),
    row(
        "A",
        "pointer or integer (with -p/-c) or _usymaddr (without -p/-c)",
        Takes::UserAddress,
        Prints::Kind(ConversionKind::UserAddress),
    ),
    row("c", "char, short, or int", Takes::Character, Prints::Kind(ConversionKind::Char)),
    row("C", "char, short, or int", Takes::Character, Prints::Kind(ConversionKind::EscapedChar)),
    row("d", INTEGERS, Takes::Integer, SIGNED),
    row("e", FLOATS, Takes::Float, float('e')),
    row("E", FLOATS, Takes::Float, float('E')),
    row("f", FLOATS, Takes::Float, float('f')),
    row("g", FLOATS, Takes::Float, float('g')),
    row("G", FLOATS, Takes::Float, float('G')),
    row("hd", "short", Takes::Exactly(&[SHORT]), SIGNED),
    row("hi", "short", Takes::Exactly(&[SHORT]), SIGNED),
    row("ho", "unsigned short", Takes::Exactly(&[UNSIGNED_SHORT]), OCTAL),
    row("hu", "unsigned short", Takes::Exactly(&[UNSIGNED_SHORT]), DECIMAL),
    row("hx", "short", Takes::Exactly(&[SHORT, UNSIGNED_SHORT]), HEX),
    row("hX", "short", Takes::Exactly(&[SHORT, UNSIGNED_SHORT]), UPPER_HEX),
    row("i", INTEGERS, Takes::Integer, SIGNED),
    row("k", "stack", Takes::Stack, Prints::Kind(ConversionKind::Stack)),
    row("lc", "int", Takes::Exactly(&[crate::types::INT]), Prints::Kind(ConversionKind::WideChar)),
    row("ld", "long", Takes::Exactly(SIGNED_64), SIGNED),
    row("li", "long", Takes::Exactly(SIGNED_64), SIGNED),
    row("lo", "unsigned long", Takes::Exactly(UNSIGNED_64), OCTAL),
    row("lu", "unsigned long", Takes::Exactly(UNSIGNED_64), DECIMAL),
    row("ls", "wchar_t []", Takes::WideString, Prints::Kind(ConversionKind::WideStr)),
    row("lx", "long", Takes::Exactly(EITHER_LONG), HEX),
    row("lX", "long", Takes::Exactly(EITHER_LONG), UPPER_HEX),
    row("lld", "long long", Takes::Exactly(SIGNED_64), SIGNED),
    row("lli", "long long", Takes::Exactly(SIGNED_64), SIGNED),
    row("llo", "unsigned long long", Takes::Exactly(UNSIGNED_64), OCTAL),
    row("llu", "unsigned long long", Takes::Exactly(UNSIGNED_64), DECIMAL),
    row("llx", "long long", Takes::Exactly(EITHER_LONG_LONG), HEX),
    row("llX", "long long", Takes::Exactly(EITHER_LONG_LONG), UPPER_HEX),
    row("Le", "long double", Takes::LongDouble, float('e')),
    row("LE", "long double", Takes::LongDouble, float('E')),
    row("Lf", "long double", Takes::LongDouble, float('f')),
    row("Lg", "long double", Takes::LongDouble, float('g')),
    row("LG", "long double", Takes::LongDouble, float('G')),
    row("o", INTEGERS, Takes::Integer, OCTAL),
    row("p", ADDRESS, Takes::Address, HEX),
    row("s", STRINGS, Takes::String, Prints::Kind(ConversionKind::Str)),
    row("S", STRINGS, Takes::String, Prints::Kind(ConversionKind::EscapedStr)),
    row("T", "int64_t", Takes::Time, Prints::Kind(ConversionKind::Time)),
    row("u", INTEGERS, Takes::Integer, DECIMAL),
    row("wc", "int", Takes::Exactly(&[crate::types::INT]), Prints::Kind(ConversionKind::WideChar)),
    row("ws", "wchar_t []", Takes::WideString, Prints::Kind(ConversionKind::WideStr)),
    row("x", INTEGERS, Takes::Integer, HEX),
    row("X", INTEGERS, Takes::Integer, UPPER_HEX),
    row("Y", "int64_t", Takes::Time, Prints::Kind(ConversionKind::Date)),
];

/// A conversion without flags.
const PLAIN: Conversion = Conversion {
    kind: ConversionKind::Str,
    left: false,
    zero: false,
    plus: false,
    space: false,
    alternate: false,
    grouping: false,
    aggregation: false,
    width: Width::None,
    precision: Width::None,
};

/// Cuts a format string into pieces.
pub fn parse(format: &[u8], function: &str, span: Span) -> Result<Parsed, Diagnostic> {
    if format.is_empty() {
        return Err(errors::format_empty(span, function));
    }
    let mut parsed = Parsed::default();
    let mut text = Vec::new();
    let mut conversions = 0;
    let mut rest = format;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            text.push(byte);
            continue;
        }
        conversions += 1;
        if !text.is_empty() {
            parsed.pieces.push(ParsedPiece::Text(std::mem::take(&mut text)));
        }
        let (piece, after) = conversion(rest, conversions, span)?;
        parsed.pieces.push(piece);
        rest = after;
    }
    if !text.is_empty() {
        parsed.pieces.push(ParsedPiece::Text(text));
    }
    Ok(parsed)
}

/// Reads one conversion after its `%`; gives what follows it.
fn conversion(format: &[u8], number: usize, span: Span) -> Result<(ParsedPiece, &[u8]), Diagnostic> {
    let mut flags = PLAIN;
    let mut dot = false;
    // Digits or a `*` were seen where the width stands; the flag `?` is none.
    let mut wide = false;
    let mut name_start = None;
    let mut i = 0;
    loop {
        let Some(&byte) = format.get(i) else { return Err(errors::format_cut_off(span, number)) };
        if name_start.is_none() {
            match byte {
                b'0' if !dot && !wide => {
                    (flags.zero, flags.left) = (true, false);
                    i += 1;
                    continue;
                }
                b'0'..=b'9' => {
                    let digits = format[i..].iter().take_while(|b| b.is_ascii_digit()).count();
                    let value = format[i..i + digits].iter().fold(0u32, |value, digit| {
                        value.saturating_mul(10).saturating_add(u32::from(digit - b'0'))
                    });
                    i += digits;
                    if format.get(i) == Some(&b'$') {
                        return Err(errors::format_positional(span, number));
                    }
                    wide = true;
                    *(if dot { &mut flags.precision } else { &mut flags.width }) = Width::Fixed(value);
                    continue;
                }
                b'#' => flags.alternate = true,
                b'\'' => flags.grouping = true,
                b'+' => flags.plus = true,
                b' ' => flags.space = true,
                b'-' => (flags.left, flags.zero) = (true, false),
                b'@' => flags.aggregation = true,
                b'?' => flags.width = Width::Fixed(16),
                b'.' if dot => return Err(errors::format_two_dots(span, number)),
                b'.' => dot = true,
                b'*' => {
                    let (slot, what) = match dot {
                        true => (&mut flags.precision, "precision"),
                        false => (&mut flags.width, "width"),
                    };
                    if *slot == Width::Arg {
                        return Err(errors::format_two_stars(span, number, what));
                    }
                    *slot = Width::Arg;
                    wide = true;
                }
                _ => name_start = Some(i),
            }
            if name_start.is_none() {
                i += 1;
                continue;
            }
        }
        if matches!(byte, b'h' | b'l' | b'L' | b'w') {
            i += 1;
            continue;
        }
        let name = &format[name_start.unwrap_or(i)..=i];
        let after = &format[i + 1..];
        if name == b"%" {
            if i > 0 {
                return Err(errors::format_percent_with_flags(span, number));
            }
            return Ok((ParsedPiece::Percent, after));
        }
        return match ROWS.iter().find(|row| row.name.as_bytes() == name) {
            Some(row) => Ok((ParsedPiece::Conversion { row, flags }, after)),
            None => Err(errors::format_undefined(span, number, &bytes::to_text(name))),
        };
    }
}

/// Whether a format is for `printf` or for `printa`.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    /// The function's name in messages.
    pub function: &'static str,
    /// The types of the values, in order, and what messages call them. For `printa` the key elements.
    pub values: &'a [(TypeId, String)],
    /// Where they are written, if anywhere.
    pub spans: &'a [Span],
    /// The number of the first of them in messages.
    pub first: usize,
    /// For `printa`: the type of each aggregation's result.
    pub results: &'a [TypeId],
    /// Whether surplus values are an error.
    pub exact: bool,
    /// Whether a target process exists, for `%A`.
    pub target: bool,
}

/// Settles the conversions of a format against its values. The result consumes values in the order of [`Conversion`].
pub fn resolve(
    parsed: &Parsed,
    types: &TypeTable,
    values: Values<'_>,
    span: Span,
) -> Result<Format, Diagnostic> {
    let function = values.function;
    let written = |index: usize| values.spans.get(index).copied().unwrap_or(span);
    let mut pieces: Vec<Piece> = Vec::with_capacity(parsed.pieces.len());
    let mut next = 0;
    let mut results = 0;
    let mut number = 0;
    for piece in &parsed.pieces {
        let (row, mut conversion) = match piece {
            ParsedPiece::Text(text) => {
                push_text(&mut pieces, text);
                continue;
            }
            ParsedPiece::Percent => {
                number += 1;
                push_text(&mut pieces, b"%");
                continue;
            }
            ParsedPiece::Conversion { row, flags } => (*row, flags.clone()),
        };
        number += 1;
        for (width, star) in [(conversion.width, "*"), (conversion.precision, ".*")] {
            if width != Width::Arg {
                continue;
            }
            let Some((ty, shown)) = values.values.get(next) else {
                return Err(errors::format_star_missing(span, function, number, row.name, star));
            };
            if !types.is_integer(*ty) {
                let at = next + values.first;
                let what = (star, row.name);
                return Err(errors::format_star_type(written(next), function, at, number, what, shown));
            }
            next += 1;
        }
        let (ty, what, shown) = if conversion.aggregation {
            let Some(&ty) = values.results.get(results).or(values.results.last()) else {
                return Err(errors::format_aggregation(span, function));
            };
            results += 1;
            (ty, "aggregating action".to_owned(), types.show(ty))
        } else {
            let Some((ty, shown)) = values.values.get(next) else {
                let error = errors::format_value_missing(span, function, number, row.name);
                let unused = !values.results.is_empty() && results == 0;
                return Err(if unused { error.help(errors::aggregated(row.name)) } else { error });
            };
            next += 1;
            (*ty, format!("argument #{}", next - 1 + values.first), shown.clone())
        };
        if !accepts(row.takes, types, ty, values.target) {
            let named = (row.name, row.prototype);
            let span = if conversion.aggregation { span } else { written(next - 1) };
            let error = errors::format_value_type(span, function, &what, number, named, &shown);
            let help = match conversion.aggregation {
                true => None,
                false => misfit(row, types, ty, shown.starts_with("userland ")),
            };
            let printa = (ty == types.common().aggregation).then(|| errors::PRINTA.to_owned());
            return Err(Diagnostic { help: printa.or(help), ..error });
        }
        let (bits, signed) = types.width(ty);
        let symbolic = types.symbolic(ty);
        conversion.kind = match row.prints {
            Prints::Kind(ConversionKind::KernelAddress | ConversionKind::UserAddress)
                if let Some(kind) = symbolic =>
            {
                ConversionKind::Symbolic(kind)
            }
            Prints::Kind(ConversionKind::EscapedStr) if values.exact && !types.is_string(ty) => {
                ConversionKind::EscapedArray
            }
            Prints::Integer(base, upper, shows_sign) => {
                ConversionKind::Integer { base, upper, signed: shows_sign && signed, bits }
            }
            Prints::Kind(kind) => kind,
        };
        pieces.push(Piece::Conversion(conversion));
    }
    if values.exact && next < values.values.len() {
        return Err(errors::format_surplus(span, function, next));
    }
    Ok(Format { pieces })
}

/// What helps where a value of a type does not fit a conversion.
fn misfit(row: &Row, types: &TypeTable, ty: TypeId, userland: bool) -> Option<String> {
    let int = types.int_type(ty);
    let pointer = types.target(ty).is_some();
    // As wide as an address: most likely one of the traced process.
    let address = int.is_some_and(|int| int.bits == 64) || pointer && userland;
    let prints = |name: &str, what: &str| Some(format!("`%{name}` prints {what}"));
    match row.takes {
        Takes::String if address => Some(errors::STRING_AT_ADDRESS.to_owned()),
        Takes::String if types.target(ty).is_some_and(|target| types.is_char(target)) => {
            Some(errors::STRING_AT_POINTER.to_owned())
        }
        Takes::Exactly(_) if int.is_some() && matches!(row.name, "lc" | "wc") => {
            Some("use a cast to `int`".to_owned())
        }
        Takes::Exactly(_) if int.is_some() => {
            prints(row.name.trim_start_matches(['h', 'l']), "an integer of any size")
        }
        Takes::Character if int.is_some() => Some("use a cast to `char`".to_owned()),
        Takes::Time if int.is_some() => {
            Some("it takes 64 bits, nanoseconds since 1970 as `walltimestamp` has them".to_owned())
        }
        Takes::String | Takes::Float | Takes::LongDouble | Takes::WideString if int.is_some() => {
            prints("d", "an integer")
        }
        _ if accepts(Takes::String, types, ty, false) => prints("s", "a string"),
        _ if accepts(Takes::Float, types, ty, false) => prints("f", "a floating-point number"),
        _ if accepts(Takes::Stack, types, ty, false) => prints("k", "a stack"),
        _ if pointer => prints("p", "a pointer"),
        _ => None,
    }
}

fn push_text(pieces: &mut Vec<Piece>, text: &[u8]) {
    match pieces.last_mut() {
        Some(Piece::Text(before)) => before.extend_from_slice(text),
        _ => pieces.push(Piece::Text(text.to_vec())),
    }
}

fn accepts(takes: Takes, types: &TypeTable, ty: TypeId, target: bool) -> bool {
    if types.is_unknown(ty) {
        return true;
    }
    let address = || types.is_scalar(ty);
    match takes {
        Takes::Integer => types.is_integer(ty),
        Takes::Character => types.int_type(ty).is_some_and(|int| int.bits <= 32),
        Takes::Time => types.int_type(ty).is_some_and(|int| int.bits == 64),
        Takes::Address => address() || matches!(types.symbolic(ty), Some(Symbolic::Sym | Symbolic::Mod)),
        Takes::UserAddress => match types.symbolic(ty) {
            Some(kind) => matches!(kind, Symbolic::Usym | Symbolic::Umod | Symbolic::Uaddr),
            None => target && address(),
        },
        Takes::Stack => types.symbolic(ty) == Some(Symbolic::Stack),
        Takes::String => {
            types.is_string(ty)
                || matches!(types.resolve(ty), Type::Array(element, _) if types.is_char(*element))
        }
        Takes::Exactly(EITHER_LONG_LONG) => {
            matches!(types.resolve(ty), Type::Int(int) if EITHER_LONG_LONG.contains(int))
                || is_named_64(types, ty)
        }
        Takes::Exactly(ints) => matches!(types.resolve(ty), Type::Int(int) if ints.contains(int)),
        Takes::Float => matches!(types.resolve(ty), Type::Float(..)),
        Takes::LongDouble => matches!(types.resolve(ty), Type::Float("long double", _)),
        Takes::WideString => {
            matches!(types.resolve(ty), Type::Array(element, _)
                if types.int_type(*element).is_some_and(|int| int.bits == 32))
        }
    }
}

/// `int64_t`, `uint64_t`, or a typedef of one of them.
fn is_named_64(types: &TypeTable, mut ty: TypeId) -> bool {
    while let Type::Typedef(name, target) = types.get(ty) {
        if matches!(&**name, "int64_t" | "uint64_t") {
            return true;
        }
        ty = *target;
    }
    false
}
