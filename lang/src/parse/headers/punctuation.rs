//! What punctuation says of a declaration: where bodies, values and bounds stand that D has not, and where it ends.

use super::super::errors;
use super::layout::NATURAL;
use super::{Declaration, Reader, Where};
use crate::ast::Layout;
use crate::types::TagKind;

impl Reader<'_> {
    /// Takes one mark of punctuation, with what it opens if that is left out.
    pub(super) fn punctuation(&mut self, b: u8) {
        let at = self.pos;
        let before = self.declaration.last;
        self.solid(b);
        self.pos += 1;
        let outermost = self.declaration.braces.is_empty() && self.declaration.parens == 0;
        match b {
            b'[' if outermost => {
                self.declaration.brackets += 1;
                if let Some(why) = self.declaration.hollow.take() {
                    self.declaration.left_out.get_or_insert(why);
                }
            }
            b']' if outermost => self.declaration.brackets = self.declaration.brackets.saturating_sub(1),
            _ => {}
        }
        match b {
            b'(' => {
                if self.declaration.parens == 0 {
                    self.declaration.grouping = self.byte(self.next_token(self.pos)) == Some(b'*');
                }
                self.declaration.has_parens = true;
                self.declaration.parens += 1;
            }
            b')' => self.declaration.parens = self.declaration.parens.saturating_sub(1),
            b'{' if outermost && before.0 == b')' => {
                let Some(end) = self.balanced(at) else {
                    return self.has_no_end(at);
                };
                self.blank(at, end);
                self.out[at] = b';';
                self.pos = end;
                self.ends(at + 1);
            }
            // The body of a function whose parameters were declared as C did once.
            b'{' if before.0 == 0 => {
                let Some(end) = self.balanced(at) else {
                    return self.has_no_end(at);
                };
                self.blank(at, end);
                self.pos = end;
                self.declaration = Declaration::default();
            }
            b'{' => {
                let (kind, keyword) = self.declaration.keyword.unwrap_or((TagKind::Enum, at));
                if kind != TagKind::Enum && self.pack < NATURAL {
                    self.note(keyword, Where::Definition, Layout { pack: self.pack, ..Layout::default() });
                }
                self.declaration.tags.extend(self.declaration.tag.map(|tag| (kind, tag)));
                self.declaration.braces.push(keyword);
            }
            b'}' => {
                let keyword = self.declaration.braces.pop();
                self.declaration.closed = keyword.unwrap_or(at);
                match before.0 {
                    b',' => self.blank(before.1, before.1 + 1),
                    b'{' => {
                        let braces = self.declaration.braces.len();
                        if braces == 0 {
                            self.leave_out(at, || errors::NO_EMPTY_STRUCT.to_string());
                        }
                        self.declaration.empty = keyword.map(|keyword| (keyword, braces));
                    }
                    _ => {}
                }
            }
            // How large an array of parameters is does not matter; what C says there may be no constant.
            b'[' if self.declaration.parens > usize::from(self.declaration.grouping)
                && self.declaration.braces.is_empty()
                && self.declaration.brackets == 0 =>
            {
                let Some(end) = self.balanced(at) else {
                    return self.has_no_end(at);
                };
                self.blank(at + 1, end - 1);
                if before.0 == b']' && end - at > 2 {
                    self.out[at + 1] = b'1';
                }
                self.pos = end;
                self.declaration.last = (b']', end - 1);
            }
            // An array of no elements is one of as many as there are.
            b']' if before.0 == b'0'
                && self.text[..before.1].trim_end().ends_with('[')
                && self.text[before.1 + 1..at].trim().is_empty() =>
            {
                self.blank(before.1, before.1 + 1);
            }
            b'=' if outermost => {
                let Some(end) = self.end_of_value(self.pos, b",;") else {
                    return self.has_no_end(at);
                };
                self.blank(at, end);
                self.pos = end;
            }
            b',' if outermost => self.declaration.names.push(self.declaration.name),
            b':' if outermost => self.leave_out(at, || errors::NO_ENUM_OF_ANOTHER_SIZE.to_string()),
            b';' if outermost => self.ends(self.pos),
            b';' if self.declaration.parens == 0 && matches!(before.0, b';' | b'{') => {
                self.blank(at, self.pos);
                self.declaration.last = before;
            }
            b';' => {
                let braces = self.declaration.braces.len();
                if let Some((from, _)) = self.declaration.empty.take_if(|(_, level)| *level == braces) {
                    self.blank(from, self.pos);
                }
            }
            _ if !b.is_ascii() => {
                // The rest of the character.
                while self.byte(self.pos).is_some_and(|b| b & 0xc0 == 0x80) {
                    self.pos += 1;
                }
            }
            _ => {}
        }
    }
}
