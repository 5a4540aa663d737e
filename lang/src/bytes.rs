//! Texts that may hold any bytes. D programs, arguments and file names are bytes on Linux; the grammar, and all that is
//! said about a program, is made of characters. In: bytes. Out: a text in which every byte is found again, and from such a
//! text, or any piece of it between characters, the same bytes.
//!
//! A byte that belongs to no character of UTF-8 is one character of a range that nobody uses; a character of that range in
//! the input is taken as four such bytes. So whoever reads bytes for the compiler calls [`to_text`], and [`of_text`] is
//! called wherever text becomes bytes: in string and character constants, file names, arguments of commands, messages.

use std::borrow::Cow;

/// Stands for byte 0; the bytes that stand alone are 0x80 to 0xff.
const FIRST: u32 = 0x10_f700;

/// How the UTF-8 of every such character begins; the third byte is 0x9e or 0x9f.
const LEAD: [u8; 2] = [0xf4, 0x8f];

/// The character that stands for a byte.
fn stand_in(byte: u8) -> char {
    char::from_u32(FIRST + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The byte that a character stands for.
pub fn byte_of(character: char) -> Option<u8> {
    let byte = u8::try_from(u32::from(character).checked_sub(FIRST)?).ok()?;
    (byte >= 0x80).then_some(byte)
}

/// The text of any bytes.
pub fn to_text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match byte_of(character) {
                None => text.push(character),
                Some(_) => {
                    let mut buffer = [0; 4];
                    text.extend(character.encode_utf8(&mut buffer).bytes().map(stand_in));
                }
            }
        }
        text.extend(chunk.invalid().iter().copied().map(stand_in));
    }
    text
}

/// A file without the mark of Windows editors that says it is UTF-8.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)
}

/// The bytes of a text that [`to_text`] has made, or of a piece of one.
pub fn of_text(text: &str) -> Cow<'_, [u8]> {
    of_utf8(text.as_bytes())
}

/// The same of a text in its own bytes. What else may be among them stays as it is.
pub fn of_utf8(text: &[u8]) -> Cow<'_, [u8]> {
    let at = |rest: &[u8]| rest.windows(4).position(|four| stands_for(four).is_some());
    let Some(first) = at(text) else { return text.into() };
    let mut bytes = Vec::with_capacity(text.len());
    let (mut rest, mut next) = (text, Some(first));
    while let Some(place) = next {
        bytes.extend_from_slice(&rest[..place]);
        bytes.extend(stands_for(&rest[place..]));
        rest = &rest[place + 4..];
        next = at(rest);
    }
    bytes.extend_from_slice(rest);
    bytes.into()
}

/// The byte that the character at the start of this UTF-8 stands for.
fn stands_for(utf8: &[u8]) -> Option<u8> {
    if utf8.first_chunk() != Some(&LEAD) {
        return None;
    }
    let character = str::from_utf8(utf8.get(..4)?).ok()?;
    character.chars().next().and_then(byte_of)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_of_characters_is_itself() {
        for text in ["", "BEGIN { }", "größer als 😀", "\u{10f6ff}\u{10f700}\u{10f77f}\u{10f800}"] {
            assert_eq!(to_text(text.as_bytes()), text);
            assert_eq!(of_text(text), text.as_bytes());
        }
    }

    #[test]
    fn other_bytes_are_a_character_each() {
        assert_eq!(to_text(b"a\xffb\x80"), "a\u{10f7ff}b\u{10f780}");
        // The start of a character, a surrogate, too long a form.
        for bytes in [&b"\xe2\x82"[..], b"\xed\xa0\x80", b"\xc0\xaf"] {
            assert_eq!(to_text(bytes).chars().count(), bytes.len());
        }
        // A character of the range itself.
        let text = to_text("\u{10f7ff}".as_bytes());
        assert_eq!(text, "\u{10f7f4}\u{10f78f}\u{10f79f}\u{10f7bf}");
        assert_eq!(of_text(&text), "\u{10f7ff}".as_bytes());
    }

    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            prop::collection::vec(any::<u8>(), 0..6),
            any::<char>().prop_map(|c| c.to_string().into_bytes()),
            (0x10_f6f0_u32..0x10_f810)
                .prop_map(|c| char::from_u32(c).expect("a character").to_string().into_bytes()),
            Just(LEAD.to_vec()),
        ];
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        /// Any bytes come back, from the whole and from any two pieces.
        #[test]
        fn bytes_come_back(bytes in bytes(), cut: prop::sample::Index) {
            let text = to_text(&bytes);
            prop_assert_eq!(&*of_text(&text), &bytes[..]);
            let at = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect::<Vec<_>>();
            let (before, after) = text.split_at(at[cut.index(at.len())]);
            prop_assert_eq!([of_text(before), of_text(after)].concat(), bytes);
        }
    }
}
