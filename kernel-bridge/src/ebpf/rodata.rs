//! Constants of the generated code: strings, tables and automata, interned into the value of one read-only array.

use std::collections::HashMap;

/// The growing value.
#[derive(Clone, Debug, Default)]
pub(super) struct Rodata {
    bytes: Vec<u8>,
    interned: HashMap<Vec<u8>, u32>,
}

impl Rodata {
    /// Puts bytes at a multiple of 8 and gives their offset; equal bytes are put once.
    pub(super) fn intern(&mut self, bytes: &[u8]) -> u32 {
        if let Some(&at) = self.interned.get(bytes) {
            return at;
        }
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        let at = self.bytes.len() as u32;
        self.bytes.extend_from_slice(bytes);
        self.interned.insert(bytes.to_vec(), at);
        at
    }

    /// Puts a string cell (length + 1, bytes, zero-padded to a word) and gives its offset.
    pub(super) fn cell(&mut self, text: &[u8]) -> u32 {
        self.intern(&cell(text, text.len().next_multiple_of(8)))
    }

    /// The value, with `slack` readable bytes after the last constant, or `None` if there is nothing in it.
    pub(super) fn finish(mut self, slack: u32) -> Option<Vec<u8>> {
        if self.bytes.is_empty() {
            return None;
        }
        let size = self.bytes.len().next_multiple_of(8) + slack as usize;
        self.bytes.resize(size.next_multiple_of(8), 0);
        Some(self.bytes)
    }
}

/// A string cell whose bytes take `room`.
pub(super) fn cell(text: &[u8], room: usize) -> Vec<u8> {
    let mut bytes = (text.len() as u64 + 1).to_le_bytes().to_vec();
    bytes.extend_from_slice(text);
    bytes.resize(8 + room.max(text.len()), 0);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_constants_are_put_once() {
        let mut rodata = Rodata::default();
        assert_eq!(rodata.cell(b"abc"), 0);
        assert_eq!(rodata.cell(b"12345678"), 16);
        assert_eq!(rodata.cell(b"abc"), 0);
        assert_eq!(rodata.intern(&[7]), 32);
        let bytes = rodata.finish(8).unwrap();
        assert_eq!(bytes.len(), 48);
        assert_eq!(bytes[..16], [4, 0, 0, 0, 0, 0, 0, 0, b'a', b'b', b'c', 0, 0, 0, 0, 0]);
    }
}
