//! Constants (language spec §2.8–§2.10): bytes of the source in, values or the exact error out. Knows no context.

use crate::ast::IntLit;
use crate::bytes;
use crate::diag::Tag;

/// Why a constant is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LiteralError {
    /// The kind of mistake.
    pub(super) tag: Tag,
    /// DTrace's wording.
    pub(super) message: String,
}

/// Reads the integer constant at the start of `bytes`, which starts with a digit.
///
/// Gives its length, suffix included, and its value.
pub(super) fn integer(bytes: &[u8]) -> (usize, Result<IntLit, LiteralError>) {
    let hex = bytes[0] == b'0'
        && matches!(bytes.get(1), Some(b'x' | b'X'))
        && bytes.get(2).is_some_and(u8::is_ascii_hexdigit);
    let first = if hex { 2 } else { 0 };
    let is_digit = |b: &u8| if hex { b.is_ascii_hexdigit() } else { b.is_ascii_digit() };
    let digits = bytes[first..].iter().take_while(|b| is_digit(b)).count();
    let end = first + digits;
    let mut len = end;
    let unsigned = matches!(bytes.get(len), Some(b'u' | b'U'));
    len += usize::from(unsigned);
    let longs = bytes[len..].iter().take(2).take_while(|b| matches!(b, b'l' | b'L')).count();
    len += longs;

    let text = || bytes::to_text(&bytes[..len]);
    let decimal = bytes[0] != b'0' || end == 1;
    let radix = if hex {
        16
    } else if decimal {
        10
    } else {
        8
    };
    let mut value: Option<u64> = Some(0);
    for &b in &bytes[first..end] {
        let digit = u64::from((b as char).to_digit(16).unwrap_or(0));
        if digit >= radix {
            let message = format!("constant {} contains invalid digit {}", text(), b as char);
            return (len, Err(LiteralError { tag: Tag::IntDigit, message }));
        }
        value = value.and_then(|v| v.checked_mul(radix)).and_then(|v| v.checked_add(digit));
    }
    let Some(value) = value else {
        let message = format!("constant {} results in integer overflow", text());
        return (len, Err(LiteralError { tag: Tag::IntOflow, message }));
    };
    if decimal && !unsigned && value > i64::MAX as u64 {
        return (len, Err(no_type(value)));
    }
    (len, Ok(IntLit { value, decimal, unsigned, longs: longs as u8 }))
}

/// The error for a value that no candidate type of its form can hold.
pub(super) fn no_type(value: u64) -> LiteralError {
    LiteralError {
        tag: Tag::IntOflow,
        message: format!("integer constant {value:#x} cannot be represented in any built-in integral type"),
    }
}

/// The length of the floating-point constant at the start of `bytes`, if that is what stands there.
pub(super) fn float(bytes: &[u8]) -> Option<usize> {
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = digits(0);
    let mut len = whole;
    let mut is_float = false;
    if bytes.get(len) == Some(&b'.') && bytes.get(len + 1) != Some(&b'.') {
        let fraction = digits(len + 1);
        if whole + fraction > 0 {
            is_float = true;
            len += 1 + fraction;
        }
    }
    if len > 0 && matches!(bytes.get(len), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(len + 1), Some(b'+' | b'-')));
        let exponent = digits((len + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            is_float = true;
            len += 1 + sign + exponent;
        }
    }
    if len > 0 && matches!(bytes.get(len), Some(b'f' | b'F')) {
        is_float = true;
        len += 1;
    }
    is_float.then_some(len)
}

/// How a quoted constant ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoted {
    /// Its length, both quotes included.
    Closed(usize),
    /// At a newline, at this offset; the flag says whether a backslash stands before it.
    Newline(usize, bool),
    /// At the end of the text.
    Open,
}

/// Finds the end of the quoted constant at the start of `bytes`, which starts with the quote.
pub(super) fn quoted(bytes: &[u8]) -> Quoted {
    let quote = bytes[0];
    let mut i = 1;
    while let Some(&b) = bytes.get(i) {
        match b {
            b'\n' => return Quoted::Newline(i, false),
            b'\\' => match bytes.get(i + 1) {
                Some(b'\n') => return Quoted::Newline(i + 1, true),
                _ => i += 1,
            },
            _ if b == quote => return Quoted::Closed(i + 1),
            _ => {}
        }
        i += 1;
    }
    Quoted::Open
}

/// Processes the escapes of the text between the quotes, and gives its bytes. NUL bytes are kept.
pub(super) fn unescape(text: &[u8]) -> Vec<u8> {
    let text = &*bytes::of_utf8(text);
    let mut out = Vec::with_capacity(text.len());
    let mut i = 0;
    while let Some(&b) = text.get(i) {
        i += 1;
        if b != b'\\' {
            out.push(b);
            continue;
        }
        let Some(&escape) = text.get(i) else {
            out.push(b);
            break;
        };
        i += 1;
        match escape {
            b'a' => out.push(7),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'v' => out.push(11),
            b'"' | b'\\' => out.push(escape),
            b'0'..=b'7' => {
                let mut value = u32::from(escape - b'0');
                for _ in 0..2 {
                    let Some(&digit @ b'0'..=b'7') = text.get(i) else { break };
                    value = value * 8 + u32::from(digit - b'0');
                    i += 1;
                }
                out.push(value as u8);
            }
            b'x' if text.get(i).is_some_and(u8::is_ascii_hexdigit) => {
                let mut value = 0u8;
                while let Some(digit) = text.get(i).and_then(|&b| (b as char).to_digit(16)) {
                    value = (value << 4) | digit as u8;
                    i += 1;
                }
                out.push(value);
            }
            _ => out.extend([b'\\', escape]),
        }
    }
    out
}

/// The value of a string constant: escapes processed, cut at the first NUL.
pub(super) fn string(text: &[u8]) -> Vec<u8> {
    let mut bytes = unescape(text);
    if let Some(nul) = bytes.iter().position(|&b| b == 0) {
        bytes.truncate(nul);
    }
    bytes
}

/// The value of a character constant, given the text between its quotes; the first byte is the most significant.
pub(super) fn character(text: &[u8]) -> Result<IntLit, LiteralError> {
    let bytes = unescape(text);
    let error = |tag, message: &str| Err(LiteralError { tag, message: message.to_string() });
    match bytes.len() {
        0 => return error(Tag::ChrNull, "empty character constant"),
        1..=8 => {}
        _ => return error(Tag::ChrOflow, "character constant is too long"),
    }
    let value = bytes.iter().fold(0u64, |value, &b| (value << 8) | u64::from(b));
    if value > i64::MAX as u64 {
        return Err(no_type(value));
    }
    Ok(IntLit { value, decimal: true, unsigned: false, longs: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(text: &str) -> (usize, Result<u64, Tag>) {
        let (len, value) = integer(text.as_bytes());
        (len, value.map(|lit| lit.value).map_err(|error| error.tag))
    }

    #[test]
    fn integers() {
        for (text, expected) in [
            ("0", (1, Ok(0))),
            ("42;", (2, Ok(42))),
            ("010", (3, Ok(8))),
            ("0x1fU", (5, Ok(31))),
            ("0x", (1, Ok(0))),
            ("1ul", (3, Ok(1))),
            ("1LL", (3, Ok(1))),
            ("1lll", (3, Ok(1))),
            ("1lu", (2, Ok(1))),
            ("019", (3, Err(Tag::IntDigit))),
            ("08ul", (4, Err(Tag::IntDigit))),
            ("18446744073709551615u", (21, Ok(u64::MAX))),
            ("18446744073709551616", (20, Err(Tag::IntOflow))),
            ("9223372036854775807", (19, Ok(i64::MAX as u64))),
            ("9223372036854775808", (19, Err(Tag::IntOflow))),
            ("9223372036854775808l", (20, Err(Tag::IntOflow))),
            ("0xffffffffffffffff", (18, Ok(u64::MAX))),
            ("01777777777777777777777", (23, Ok(u64::MAX))),
            ("02000000000000000000000", (23, Err(Tag::IntOflow))),
            // An invalid digit counts even where the value has overflowed already.
            ("07777777777777777777777779", (26, Err(Tag::IntDigit))),
        ] {
            assert_eq!(int(text), expected, "{text}");
        }
        let (_, lit) = integer(b"0x10ul");
        assert_eq!(lit, Ok(IntLit { value: 16, decimal: false, unsigned: true, longs: 1 }));
        let (_, lit) = integer(b"0");
        assert_eq!(lit, Ok(IntLit { value: 0, decimal: true, unsigned: false, longs: 0 }));
    }

    #[test]
    fn messages() {
        let message = |text: &str| integer(text.as_bytes()).1.unwrap_err().message;
        assert_eq!(message("019"), "constant 019 contains invalid digit 9");
        assert_eq!(
            message("18446744073709551616"),
            "constant 18446744073709551616 results in integer overflow"
        );
        assert_eq!(
            message("9223372036854775808"),
            "integer constant 0x8000000000000000 cannot be represented in any built-in integral type"
        );
    }

    #[test]
    fn floats() {
        for (text, expected) in [
            ("1.5;", Some(3)),
            (".5", Some(2)),
            ("1.", Some(2)),
            ("1e3", Some(3)),
            ("1e-3", Some(4)),
            ("1.5e+3f", Some(7)),
            ("12f", Some(3)),
            ("12", None),
            (".", None),
            ("1e", None),
            ("1ex", None),
            ("1...", None),
        ] {
            assert_eq!(float(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn ends_of_quoted_constants() {
        assert_eq!(quoted(b"\"ab\" "), Quoted::Closed(4));
        assert_eq!(quoted(br#""a\"b""#), Quoted::Closed(6));
        assert_eq!(quoted(br"'\''"), Quoted::Closed(4));
        assert_eq!(quoted(b"\"a\nb\""), Quoted::Newline(2, false));
        assert_eq!(quoted(b"\"a\\\nb\""), Quoted::Newline(3, true));
        assert_eq!(quoted(b"\"abc"), Quoted::Open);
        assert_eq!(quoted(b"\"abc\\"), Quoted::Open);
    }

    #[test]
    fn escapes() {
        for (text, expected) in [
            (r"a\tb", &b"a\tb"[..]),
            (r"\a\b\f\n\r\v", &[7, 8, 12, 10, 13, 11]),
            (r#"q\"q\\"#, b"q\"q\\"),
            (r"\1012", b"A2"),
            (r"\777", &[0xff]),
            (r"v\x4944", b"vD"),
            (r"\xg", br"\xg"),
            (r"\?\'\c", br"\?\'\c"),
            (r"\0a", &[0, b'a']),
            ("\\", b"\\"),
        ] {
            assert_eq!(unescape(text.as_bytes()), expected, "{text}");
        }
        assert_eq!(string(br"ab\0cd"), b"ab");
    }

    #[test]
    fn characters() {
        let value = |text: &str| character(text.as_bytes()).map(|lit| lit.value).map_err(|e| e.tag);
        assert_eq!(value("ab"), Ok(0x6162));
        assert_eq!(value(r"\q"), Ok(23665));
        assert_eq!(value(r"\'"), Ok(23591));
        assert_eq!(value(r"\0103"), Ok(2099));
        assert_eq!(value(r"\0"), Ok(0));
        assert_eq!(value(r"\377"), Ok(255));
        assert_eq!(value("abcde"), Ok(0x61_6263_6465));
        assert_eq!(value(""), Err(Tag::ChrNull));
        assert_eq!(value("123456789"), Err(Tag::ChrOflow));
        assert_eq!(value("12345678"), Ok(0x3132_3334_3536_3738));
        assert_eq!(value(r"\3771234567"), Err(Tag::IntOflow));
    }
}
