//! Where a byte of a source text stands for the user: `#line` and the preprocessor's line marks renumber what follows
//! (language spec §2.12). A pure function of the text, so nothing need be remembered while parsing.

use super::control::{self, Control};
use super::literal::{self, Quoted};

/// A place as messages name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file that a control line named last, if any did.
    pub file: Option<String>,
    /// The line's number, control lines obeyed.
    pub line: u32,
    /// The line's number in the text itself, from 1.
    pub physical_line: u32,
    /// In characters, from 1.
    pub column: u32,
}

/// The place of a byte offset. Offsets beyond the end count as the end.
pub fn place(text: &str, offset: u32) -> Place {
    let mut offset = (offset as usize).min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let bytes = text.as_bytes();
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    let physical = before.bytes().filter(|&b| b == b'\n').count() as u32 + 1;
    let mut place = Place {
        file: None,
        line: physical,
        physical_line: physical,
        column: text[line_start..offset].chars().count() as u32 + 1,
    };
    // Most texts have no control line at all, or none that counts.
    if !bytes[..line_start].contains(&b'#') {
        return place;
    }
    let mut number = 1i64;
    let mut i = 0;
    let mut blank = true;
    while i < line_start {
        match bytes[i] {
            b'\n' => {
                number += 1;
                blank = true;
                i += 1;
                continue;
            }
            b'#' if blank => {
                let end = text[i..].find('\n').map_or(text.len(), |n| i + n);
                if let Ok(Control::Line(directive)) = control::read(&text[i..end]) {
                    number = i64::from(directive.line) - 1;
                    if let Some(file) = directive.file {
                        place.file = Some(file.to_string());
                    }
                }
                i = end;
                continue;
            }
            b'/' if bytes.get(i + 1) == Some(&b'*') => {
                let end = text[i + 2..].find("*/").map_or(text.len(), |n| i + 2 + n + 2);
                let end = end.min(line_start);
                number += bytes[i..end].iter().filter(|&&b| b == b'\n').count() as i64;
                i = end;
            }
            b'"' | b'\'' => match literal::quoted(&bytes[i..]) {
                Quoted::Closed(len) => i += len,
                Quoted::Newline(at, _) => i += at,
                Quoted::Open => i = line_start,
            },
            b if b.is_ascii_whitespace() || b == 11 => {
                i += 1;
                continue;
            }
            _ => i += 1,
        }
        blank = false;
    }
    place.line = u32::try_from(number).unwrap_or(u32::MAX);
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, file: Option<&str>, line: u32, column: u32) {
        let at = text.find('^').expect("the text marks a place");
        let place = place(text, at as u32);
        let found = (place.file.as_deref(), place.line, place.column);
        assert_eq!(found, (file, line, column), "{text:?}");
    }

    #[test]
    fn places() {
        check("^", None, 1, 1);
        check("a\n b^", None, 2, 3);
        check("é^", None, 1, 2);
        check("#line 40\n^", None, 40, 1);
        check("# 40\n\n ^", None, 41, 2);
        check("x\n# 3 \"b.h\" 1\n^\n", Some("b.h"), 3, 1);
        check("# 3 \"b.h\" 1\n# 9 \"a.d\" 2\n^", Some("a.d"), 9, 1);
        // Not control lines: inside a comment, inside a string, behind a token.
        check("/*\n# 40\n*/^", None, 3, 3);
        check("x # 40\n^", None, 2, 1);
        check("\"/*\"\n# 40\n^", None, 40, 1);
        check("#pragma D option quiet\n^", None, 2, 1);
        check("# 0\n^", None, 0, 1);
    }
}
