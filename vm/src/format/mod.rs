//! From values to bytes: the text of every action, exactly as DTrace lays it out. In: parsed formats, values, tables.
//! Out: bytes appended to a buffer. Nothing here writes anywhere, and no format string is parsed.

mod decimal;
pub mod dump;
pub(crate) mod float;
pub mod flow;
pub mod folded;
pub mod histogram;
pub mod json;
pub mod packed;
pub mod packet;
pub mod print;
pub mod printa;
pub mod printf;
pub mod row;
pub mod symbols;
pub(crate) mod time;
pub mod trace;

use crate::host::Host;
use symbols::Symbols;

/// What the text depends on besides the values.
#[derive(Clone, Copy)]
pub struct Style<'a> {
    /// Local time.
    pub host: &'a dyn Host,
    /// Whether control characters in traced strings are escaped: the output is a terminal.
    pub escape: bool,
    /// What addresses and stacks print from.
    pub symbols: Symbols<'a>,
}

/// Appends `text`, padded with blanks to `width`.
fn pad(out: &mut Vec<u8>, text: &[u8], width: usize, left: bool) {
    let blanks = width.saturating_sub(text.len());
    if !left {
        out.resize(out.len() + blanks, b' ');
    }
    out.extend_from_slice(text);
    if left {
        out.resize(out.len() + blanks, b' ');
    }
}

/// Appends bytes of a traced string as they are printed: themselves, or on a terminal with control characters as `\t`,
/// `\033`. Newline and tab stay, since they move no cursor that the next line does not.
fn show(out: &mut Vec<u8>, text: &[u8], escape: bool) {
    if !escape {
        return out.extend_from_slice(text);
    }
    let harmless = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    let mut buf = [0; 4];
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            let bytes = c.encode_utf8(&mut buf).bytes();
            match harmless(c) {
                true => out.extend(bytes),
                false => bytes.for_each(|byte| escape_byte(out, byte)),
            }
        }
        chunk.invalid().iter().for_each(|&byte| escape_byte(out, byte));
    }
}

/// The bytes of a traced string as they are printed, on a terminal if `escape`: without commands to it.
pub fn shown(text: &[u8], escape: bool) -> std::borrow::Cow<'_, [u8]> {
    if !escape {
        return text.into();
    }
    let mut out = Vec::with_capacity(text.len());
    show(&mut out, text, true);
    out.into()
}

/// [`show`], padded with blanks to `width` as [`pad`] does.
fn show_padded(out: &mut Vec<u8>, text: &[u8], escape: bool, width: usize, left: bool) {
    let start = out.len();
    show(out, text, escape);
    let blanks = width.saturating_sub(out.len() - start);
    out.resize(out.len() + blanks, b' ');
    if !left {
        out[start..].rotate_right(blanks);
    }
}

/// Appends a byte as C writes it in a string: `\n`, `\"`, `\\`, `\0`, `\001`, or itself if it is printable ASCII.
fn escape_byte(out: &mut Vec<u8>, byte: u8) {
    let letter = match byte {
        0x07 => b'a',
        0x08 => b'b',
        0x0c => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x0b => b'v',
        b'\\' | b'"' => byte,
        0 => b'0',
        b' '..=b'~' => return out.push(byte),
        _ => {
            let digit = |shift: u8| b'0' + (byte >> shift & 7);
            return out.extend_from_slice(&[b'\\', digit(6), digit(3), digit(0)]);
        }
    };
    out.extend_from_slice(&[b'\\', letter]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_get_no_control_characters_from_traced_data() {
        for (text, expected) in [
            (&b"plain\ttext\n"[..], &b"plain\ttext\n"[..]),
            (b"\x1b[2Jx", b"\\033[2Jx"),
            ("naïve".as_bytes(), "naïve".as_bytes()),
            (b"\xff\"a", b"\\377\"a"),
            ("\u{9b}x".as_bytes(), b"\\302\\233x"),
            (b"\r\x7f", b"\\r\\177"),
        ] {
            let shown = |escape, width, left| {
                let mut out = b"|".to_vec();
                show_padded(&mut out, text, escape, width, left);
                out.split_off(1)
            };
            assert_eq!((shown(true, 0, true), shown(false, 0, true)), (expected.to_vec(), text.to_vec()));
            let wide = expected.len() + 2;
            assert_eq!(shown(true, wide, true), [expected, b"  "].concat());
            assert_eq!(shown(true, wide, false), [&b"  "[..], expected].concat());
        }
    }
}
