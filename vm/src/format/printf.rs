//! `printf` (runtime spec §5): a parsed format and values in, text out, conversion by conversion as C does it.

use dtrail_lang::format::{Conversion, ConversionKind, Format, Piece, Width};

use super::float::{Look, Number};
use super::{Style, escape_byte, pad, show, show_padded, symbols, time};
use crate::runtime::extend;
use crate::value::ValueRef;

/// Appends the text of a format; `values` are its arguments in order. Missing ones read as 0 and the empty string.
pub fn printf<'v>(
    out: &mut Vec<u8>,
    format: &Format,
    values: &mut dyn Iterator<Item = ValueRef<'v>>,
    style: Style<'_>,
) {
    for piece in &format.pieces {
        match piece {
            Piece::Text(text) => out.extend_from_slice(text),
            Piece::Conversion(conversion) => {
                let field = Field::of(conversion, values);
                let value = values.next().unwrap_or(ValueRef::Int(0));
                convert(out, conversion.kind, &field, value, style);
            }
        }
    }
}

/// Flags, width and precision of a conversion, the `*` filled in.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Field {
    left: bool,
    zero: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    width: usize,
    /// `None` for none; a precision of 0 or below is none.
    precision: Option<usize>,
}

/// No field is wider: a width comes from traced data, and must not use up memory.
const MAX_WIDTH: i64 = 1 << 16;

impl Field {
    /// Takes a `*` width, then a `*` precision, from the values.
    pub(super) fn of<'v>(conversion: &Conversion, values: &mut dyn Iterator<Item = ValueRef<'v>>) -> Field {
        let mut number = |width| match width {
            Width::None => 0,
            Width::Fixed(number) => i64::from(number),
            Width::Arg => values.next().map_or(0, |value| extend(value.int() as u64, 32, true) as i64),
        };
        let (width, precision) = (number(conversion.width), number(conversion.precision));
        Field {
            left: conversion.left || width < 0,
            zero: conversion.zero,
            plus: conversion.plus,
            space: conversion.space,
            alternate: conversion.alternate,
            width: width.unsigned_abs().min(MAX_WIDTH as u64) as usize,
            precision: usize::try_from(precision.min(MAX_WIDTH)).ok().filter(|&precision| precision > 0),
        }
    }

    /// Appends text that is yet to be made, cut to the precision and padded to the width.
    fn made(&self, out: &mut Vec<u8>, make: impl FnOnce(&mut Vec<u8>)) {
        let start = out.len();
        make(out);
        let length = self.cut(&out[start..]).len();
        out.truncate(start + length);
        let blanks = self.width.saturating_sub(length);
        out.resize(start + length + blanks, b' ');
        if !self.left {
            out[start..].rotate_right(blanks);
        }
    }

    fn cut<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        &text[..self.precision.unwrap_or(text.len()).min(text.len())]
    }
}

/// Appends one value as a conversion says.
pub(super) fn convert(
    out: &mut Vec<u8>,
    kind: ConversionKind,
    field: &Field,
    value: ValueRef<'_>,
    style: Style<'_>,
) {
    let int = value.int();
    match kind {
        ConversionKind::Integer { base, upper, signed, bits } => {
            integer(out, field, extend(int as u64, bits, signed), base, upper, signed);
        }
        ConversionKind::Char => {
            show_padded(out, &[int as u8], style.escape, field.width, field.left);
        }
        ConversionKind::EscapedChar => {
            field.made(out, |out| escape_byte(out, int as u8));
        }
        ConversionKind::Str => {
            show_padded(out, field.cut(value.bytes()), style.escape, field.width, field.left);
        }
        ConversionKind::EscapedStr => {
            field.made(out, |out| {
                value.bytes().iter().chain([&0]).for_each(|&byte| escape_byte(out, byte));
            });
        }
        ConversionKind::EscapedArray => {
            field.made(out, |out| {
                let bytes = value.bytes();
                let end = bytes.iter().position(|&byte| byte == 0).map_or(bytes.len(), |at| at + 1);
                bytes[..end].iter().for_each(|&byte| escape_byte(out, byte));
            });
        }
        ConversionKind::Time => field.made(out, |out| time::stamp(out, &local_time(int, style))),
        ConversionKind::Date => field.made(out, |out| time::date(out, &local_time(int, style))),
        ConversionKind::KernelAddress => {
            field.made(out, |out| symbols::kernel_address(out, int as u64, style));
        }
        ConversionKind::UserAddress => {
            field.made(out, |out| symbols::target_address(out, int as u64, style));
        }
        ConversionKind::Symbolic(kind) => {
            field.made(out, |out| symbols::address(out, int as u64, kind, style));
        }
        ConversionKind::Stack => {
            // A width to the left is blanks before each frame; else each is made that wide.
            let indent = if field.left { field.width } else { 0 };
            let width = if field.left { 0 } else { field.width };
            symbols::lines(out, int as u64, style, indent, &mut |out, text| {
                pad(out, field.cut(text), width, false);
            });
        }
        // As in C, a precision says nothing of one character, and cuts a string between characters.
        ConversionKind::WideChar => {
            Field { precision: None, ..*field }.made(out, |out| wide(out, int as u32, style));
        }
        ConversionKind::WideStr => field.made(out, |out| {
            let words = value
                .bytes()
                .chunks_exact(4)
                .map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]));
            let start = out.len();
            for word in words.take_while(|&word| word != 0) {
                let whole = out.len();
                wide(out, word, style);
                if field.cut(&out[start..]).len() < out.len() - start {
                    out.truncate(whole);
                    break;
                }
            }
        }),
        ConversionKind::Float(letter) => {
            floating(out, field, Number::read(value.bytes()).unwrap_or(Number::ZERO), letter);
        }
    }
}

/// A character by its number, in UTF-8; what is none is a question mark.
fn wide(out: &mut Vec<u8>, number: u32, style: Style<'_>) {
    let mut buffer = [0; 4];
    let text = char::from_u32(number).unwrap_or('?').encode_utf8(&mut buffer);
    show(out, text.as_bytes(), style.escape);
}

fn floating(out: &mut Vec<u8>, field: &Field, value: Number, letter: char) {
    let Field { precision, plus, space, alternate, .. } = *field;
    let (sign, digits) = value.text(Look { letter, precision, plus, space, alternate });
    let blanks = field.width.saturating_sub(sign.len() + digits.len());
    let zeros = if field.zero && !field.left && value.is_finite() { blanks } else { 0 };
    if !field.left {
        out.resize(out.len() + blanks - zeros, b' ');
    }
    out.extend_from_slice(sign.as_bytes());
    out.resize(out.len() + zeros, b'0');
    out.extend_from_slice(digits.as_bytes());
    if field.left {
        out.resize(out.len() + blanks, b' ');
    }
}

/// Local time of nanoseconds since 1970, which count as unsigned.
fn local_time(nanoseconds: i64, style: Style<'_>) -> crate::host::LocalTime {
    style.host.local_time((nanoseconds as u64 / 1_000_000_000) as i64)
}

fn integer(out: &mut Vec<u8>, field: &Field, value: u64, base: u8, upper: bool, signed: bool) {
    let negative = signed && (value as i64) < 0;
    let magnitude = if negative { (value as i64).unsigned_abs() } else { value };
    let mut buffer = [0; MAX_DIGITS];
    let digits = digits(&mut buffer, magnitude, base, upper);
    let prefix = match (base, upper) {
        _ if negative => "-",
        (10, _) if signed && field.plus => "+",
        (10, _) if signed && field.space => " ",
        (16, false) if field.alternate && magnitude != 0 => "0x",
        (16, true) if field.alternate && magnitude != 0 => "0X",
        _ => "",
    };
    let mut zeros = field.precision.unwrap_or(0).saturating_sub(digits.len());
    if base == 8 && field.alternate && zeros == 0 && digits.first() != Some(&b'0') {
        zeros = 1;
    }
    let length = prefix.len() + zeros + digits.len();
    if field.zero && !field.left && field.precision.is_none() {
        zeros += field.width.saturating_sub(length);
    }
    let blanks = field.width.saturating_sub(prefix.len() + zeros + digits.len());
    if !field.left {
        out.resize(out.len() + blanks, b' ');
    }
    out.extend_from_slice(prefix.as_bytes());
    out.resize(out.len() + zeros, b'0');
    out.extend_from_slice(digits);
    if field.left {
        out.resize(out.len() + blanks, b' ');
    }
}

/// 64 bits in octal.
const MAX_DIGITS: usize = 22;

/// The digits of a number, at the end of a buffer.
fn digits(buffer: &mut [u8; MAX_DIGITS], mut value: u64, base: u8, upper: bool) -> &[u8] {
    let alphabet = if upper { b"0123456789ABCDEF" } else { b"0123456789abcdef" };
    let base = u64::from(base.clamp(8, 16));
    let mut start = MAX_DIGITS;
    for slot in buffer.iter_mut().rev() {
        *slot = alphabet[(value % base) as usize];
        value /= base;
        start -= 1;
        if value == 0 {
            break;
        }
    }
    &buffer[start..]
}

#[cfg(test)]
mod tests {
    use dtrail_lang::ir::{Detail, parse};

    use super::*;
    use crate::stacks::StackTable;
    use crate::testing::{FixedHost, no_symbols};

    /// Prints values by a format in the text form of IR: `%5d32 "|"`.
    fn check(format: &str, values: &[ValueRef<'_>], expected: &str) {
        let text = format!("k0 = printf in c0 stmt 1 () format {format}");
        let program = parse::program(&text).expect("IR of this test");
        let Detail::Format(format) = &program.sites[0].detail else { panic!("no format in {text}") };
        let host = FixedHost::default();
        let mut out = Vec::new();
        printf(
            &mut out,
            format,
            &mut values.iter().copied(),
            Style { host: &host, escape: false, symbols: no_symbols(&StackTable::new()) },
        );
        assert_eq!(String::from_utf8_lossy(&out), expected, "{text}");
    }

    fn int(value: i64) -> ValueRef<'static> {
        ValueRef::Int(value)
    }

    fn text(text: &str) -> ValueRef<'_> {
        ValueRef::Str(Some(text.as_bytes()))
    }

    #[test]
    fn integers() {
        let ints = |values: &[i64]| values.iter().map(|&value| int(value)).collect::<Vec<_>>();
        for (format, values, expected) in [
            (r#"%d32 " " %u32 " " %x32 " " %X32 " " %o32"#, &[97, 97, 171, 171, 97][..], "97 97 ab AB 141"),
            (r#"%x8 " " %d8 " " %u8"#, &[0xef, 0xef, 0xef], "ef -17 239"),
            (r#"%u16 " " %x32 " " %x64"#, &[-1, -1, -1], "65535 ffffffff ffffffffffffffff"),
            (r#"%5d32 "|" %-5d32 "|" %05d32 "|" %+d32 "|" %_d32"#, &[42; 5], "   42|42   |00042|+42| 42"),
            (r#"%#x32 " " %#o32 " " %#8x32 "|""#, &[255, 8, 0x123], "0xff 010    0x123|"),
            (r#"%0#8x32 "|" %08x32"#, &[0x123, 0x123], "0x000123|00000123"),
            (r#"%#x64 "|" %#o32 "|" %#X32"#, &[0, 0, 171], "0|0|0XAB"),
            (r#"%o64 "|" %#o64"#, &[-1, i64::MIN], "1777777777777777777777|01000000000000000000000"),
            (r#"%16x64 "|" %-8x64 "|" %016x64"#, &[0x12; 3], "              12|12      |0000000000000012"),
            (r#"%-+5d32 "|" %-_5d32 "|" %+5u32"#, &[3; 3], "+3   | 3   |    3"),
            (
                r#"%.4d32 "|" %08.4d32 "|" %-8.4x32 "|" %#.4o32"#,
                &[-7, 7, 7, 7],
                "-0007|    0007|0007    |0007",
            ),
            (r#"%.0d32 "|" %w0d32"#, &[0, 5], "0|5"),
            (
                r#"%d64 "|" %u64 "|" %d64"#,
                &[i64::MIN, -1, i64::MAX],
                "-9223372036854775808|18446744073709551615|9223372036854775807",
            ),
            (r#"%'d32"#, &[1_234_567], "1234567"),
            (r#"%-08d32 "|""#, &[5], "5       |"),
        ] {
            check(format, &ints(values), expected);
        }
    }

    #[test]
    fn widths_from_arguments() {
        let value = [5, 7, 5, 7, -5, 7, -6, 42].map(int);
        check(r#"%*d32 "|" %-*d32 "|" %*d32 "|" %-*d32 "|""#, &value, "    7|7    |7    |42    |");
        check(
            r#"%.*s "|" %.*s "|" %*.*s"#,
            &[int(3), text("hello"), int(-1), text("hello"), int(4), int(2), text("hello")],
            "hel|hello|  he",
        );
        check("%*s", &[int(i64::from(u32::MAX)), text("x")], "x");
        check("%0*d32", &[int(-4), int(1)], "1   ");
    }

    #[test]
    fn strings() {
        check(r#"%.2s "|" %5.1s "|" %.0s"#, &[text("hello"); 3], "he|    h|hello");
        check(r#"%-8s "|" %8s "|" %08s "|""#, &[text("ab"); 3], "ab      |      ab|      ab|");
        check(r#"%s "|" %4s"#, &[ValueRef::Str(None); 2], "|    ");
        check("%S", &[text("a\tb\"c")], "a\\tb\\\"c\\0");
        check(r#"%S "|" %S"#, &[text("\u{1}\u{7f}x?"), ValueRef::Str(None)], "\\001\\177x?\\0|\\0");
        check(r#"%8S "|" %-8S "|" %.3S"#, &[text("a\n"); 3], "   a\\n\\0|a\\n\\0   |a\\n");
    }

    #[test]
    fn characters() {
        check(r#"%c %c " " %C %C"#, &[int(97), int(66), int(120), int(10)], "aB x\\n");
        check(
            r#"%3c "|" %-3c "|" %4C "|" %C %C"#,
            &[int(97), int(97), int(0), int(1), int(-1)],
            "  a|a  |  \\0|\\001\\377",
        );
    }

    #[test]
    fn moments_and_addresses() {
        check("%Y", &[int(0)], "1970 Jan  1 00:00:00");
        check("%T", &[int(1_075_064_400_000_000_000)], "Sun, 25 Jan 2004 21:00:00 UTC");
        check(r#"%-22Y "|" %.4Y"#, &[int(1_075_064_400_000_000_000); 2], "2004 Jan 25 21:00:00  |2004");
        check(
            r#"%a "|" %10A "|" %a"#,
            &[int(0x1234), int(0), int(-1)],
            "0x1234|       0x0|0xffffffffffffffff",
        );
    }

    #[test]
    fn a_huge_width_is_bounded() {
        let host = FixedHost::default();
        let wide = Conversion {
            kind: ConversionKind::Str,
            left: false,
            zero: false,
            plus: false,
            space: false,
            alternate: false,
            grouping: false,
            aggregation: false,
            width: Width::Arg,
            precision: Width::None,
        };
        let format = Format { pieces: vec![Piece::Conversion(wide)] };
        let mut out = Vec::new();
        let values = [int(i64::from(i32::MAX)), text("x")];
        printf(
            &mut out,
            &format,
            &mut values.into_iter(),
            Style { host: &host, escape: false, symbols: no_symbols(&StackTable::new()) },
        );
        assert_eq!(out.len(), 1 << 16);
    }
}
