//! Characters that pages, word processors and keyboards put where D has one of its own: such a character in, a sentence that
//! names it out. Looks at no context.

/// Characters that nobody sees, or sees as a blank.
const UNSEEN: &[(char, &str)] = &[
    ('\u{a0}', "a no-break space"),
    ('\u{ad}', "a soft hyphen"),
    ('\u{200b}', "a zero-width space"),
    ('\u{200c}', "a zero-width non-joiner"),
    ('\u{200d}', "a zero-width joiner"),
    ('\u{200e}', "a left-to-right mark"),
    ('\u{200f}', "a right-to-left mark"),
    ('\u{2028}', "a line separator"),
    ('\u{2029}', "a paragraph separator"),
    ('\u{202f}', "a narrow no-break space"),
    ('\u{2060}', "a word joiner"),
    ('\u{3000}', "an ideographic space"),
    ('\u{feff}', "a byte order mark"),
];

/// Characters that look like something of D, and what that is.
const ALIKE: &[(char, &str, &str)] = &[
    ('‐', "a hyphen", "-"),
    ('\u{2011}', "a no-break hyphen", "-"),
    ('‒', "a figure dash", "-"),
    ('–', "an en dash", "-"),
    ('—', "an em dash", "-"),
    ('―', "a horizontal bar", "-"),
    ('−', "a minus sign", "-"),
    ('×', "a multiplication sign", "*"),
    ('÷', "a division sign", "/"),
    ('≤', "a less-or-equal sign", "<="),
    ('≥', "a greater-or-equal sign", ">="),
    ('≠', "a not-equal sign", "!="),
    ('→', "an arrow", "->"),
    ('…', "an ellipsis", "..."),
];

/// Quotes that word processors and web pages make of plain ones.
const QUOTES: [char; 8] = ['“', '”', '„', '‟', '‘', '’', '‚', '‛'];

/// Full-width forms of ASCII, as input methods for Chinese and Japanese make, and how far each is from its own.
const FULL_WIDTH: std::ops::RangeInclusive<char> = '\u{ff01}'..='\u{ff5e}';
const TO_ASCII: u32 = 0xfee0;

/// What to do about a character that D does not have; nothing for one that is only foreign.
pub(super) fn advice(c: char) -> Option<String> {
    if QUOTES.contains(&c) {
        return Some("strings stand in plain double quotes: `\"…\"`".to_string());
    }
    let code = u32::from(c);
    if let Some(what) = unseen(c) {
        return Some(format!(
            "the character here is {what} (U+{code:04X}): D knows blanks, tabs and newlines only"
        ));
    }
    if let Some((_, what, plain)) = ALIKE.iter().find(|row| row.0 == c) {
        return Some(format!("`{c}` is {what} (U+{code:04X}): write `{plain}`"));
    }
    let plain = FULL_WIDTH.contains(&c).then(|| char::from_u32(code - TO_ASCII)).flatten()?;
    Some(format!("`{c}` is a full-width character (U+{code:04X}): write `{plain}`"))
}

/// The name of a character that nobody sees.
pub(super) fn unseen(c: char) -> Option<&'static str> {
    if ('\u{2000}'..='\u{200a}').contains(&c) {
        return Some("a space of typography");
    }
    UNSEEN.iter().find(|row| row.0 == c).map(|row| row.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_named() {
        let unseen =
            |what: &str| format!("the character here is {what}: D knows blanks, tabs and newlines only");
        for (c, expected) in [
            ('\u{a0}', Some(unseen("a no-break space (U+00A0)"))),
            ('\u{200b}', Some(unseen("a zero-width space (U+200B)"))),
            ('\u{2009}', Some(unseen("a space of typography (U+2009)"))),
            ('–', Some("`–` is an en dash (U+2013): write `-`".into())),
            ('）', Some("`）` is a full-width character (U+FF09): write `)`".into())),
            ('；', Some("`；` is a full-width character (U+FF1B): write `;`".into())),
            ('“', Some("strings stand in plain double quotes: `\"…\"`".into())),
            ('a', None),
            ('é', None),
            ('本', None),
        ] {
            assert_eq!(advice(c), expected, "{c:?}");
        }
    }
}
