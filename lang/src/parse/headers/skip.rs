//! Where things end in a header, and blanking them out: a place in the text in, another one out. What is in between is not
//! looked at, but that brackets, quotes and line marks count.

use super::super::control::{self, Control};
use super::super::literal::{self, Quoted};
use super::super::words::{continues_identifier, is_space};
use super::{Reader, system};

impl Reader<'_> {
    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    pub(super) fn word_len(&self) -> usize {
        self.text.as_bytes()[self.pos..].iter().take_while(|&&b| continues_identifier(b)).count()
    }

    pub(super) fn quoted(&self) -> usize {
        match literal::quoted(&self.text.as_bytes()[self.pos..]) {
            Quoted::Closed(len) => len,
            Quoted::Newline(at, _) => at.max(1),
            Quoted::Open => self.text.len() - self.pos,
        }
    }

    /// Whether a line mark leads out of the headers.
    fn leaves(&self, line: &str) -> bool {
        system(line, self.cpp) == Some(false)
    }

    /// The next byte that is neither white space nor in a line mark within headers.
    pub(super) fn next_token(&self, from: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while let Some(&b) = bytes.get(at) {
            match b {
                _ if is_space(b) => at += 1,
                b'#' if at > 0 && bytes[at - 1] == b'\n' => {
                    let line = self.text[at..].split('\n').next().unwrap_or("");
                    if self.leaves(line) || !matches!(control::read(line), Ok(Control::Line(_))) {
                        break;
                    }
                    at += line.len();
                }
                _ => break,
            }
        }
        at
    }

    /// Where the brackets end that open at a byte, if they do within headers.
    pub(super) fn balanced(&self, open: usize) -> Option<usize> {
        let mut level = 0usize;
        self.skip(open, &mut |b| {
            level = level_behind(level, b);
            level == 0
        })
        .map(|last| last + 1)
    }

    /// Where a value ends: at the first of some bytes outside of brackets, if headers have one.
    pub(super) fn end_of_value(&self, from: usize, ends: &[u8]) -> Option<usize> {
        let mut level = 0usize;
        self.skip(from, &mut |b| {
            level = level_behind(level, b);
            level == 0 && ends.contains(&b)
        })
    }

    /// Where the declaration of a parameter ends that has no parentheses around it: at its semicolon, or where a body begins.
    pub(super) fn end_of_parameter(&self, from: usize) -> Option<usize> {
        let mut level = 0usize;
        self.skip(from, &mut |b| {
            match b {
                b'(' | b'[' => level += 1,
                b')' | b']' => level = level.saturating_sub(1),
                _ => {}
            }
            level == 0 && matches!(b, b';' | b'{' | b'}')
        })
    }

    /// The first byte from `from` on, outside of strings and control lines, that `stop` says yes to. None is looked for
    /// behind the line mark that leads out of the headers of the system.
    fn skip(&self, from: usize, stop: &mut dyn FnMut(u8) -> bool) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while at < bytes.len() {
            match bytes[at] {
                b'\n' if bytes.get(at + 1) == Some(&b'#') => {
                    let line = self.text[at + 1..].split('\n').next().unwrap_or("");
                    if self.leaves(line) {
                        return None;
                    }
                    at += 1 + line.len();
                }
                b'"' | b'\'' => {
                    at += match literal::quoted(&bytes[at..]) {
                        Quoted::Closed(len) => len,
                        Quoted::Newline(len, _) => len.max(1),
                        Quoted::Open => return None,
                    };
                }
                b if stop(b) => return Some(at),
                _ => at += 1,
            }
        }
        None
    }

    /// Blanks bytes out, but no line mark.
    pub(super) fn blank(&mut self, from: usize, to: usize) {
        let mut at = from;
        while at < to {
            match self.text.as_bytes()[at] {
                b'\n' if self.byte(at + 1) == Some(b'#') => {
                    at += 1 + self.text.as_bytes()[at + 1..].iter().take_while(|&&b| b != b'\n').count();
                    continue;
                }
                b'\n' => {}
                _ => self.out[at] = b' ',
            }
            at += 1;
        }
    }
}

/// How deep in brackets the text is behind a byte.
fn level_behind(level: usize, byte: u8) -> usize {
    match byte {
        b'(' | b'[' | b'{' => level + 1,
        b')' | b']' | b'}' => level.saturating_sub(1),
        _ => level,
    }
}
