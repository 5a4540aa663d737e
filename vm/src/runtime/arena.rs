//! Bytes of string registers. In: bytes. Out: register words that find them again. The front holds what lives as long as
//! the session (constants, probe names); the rest is forgotten before each clause, its memory is used again.

/// The register word of NULL. Any other is offset << 32 | length.
pub const NULL: u64 = u64::MAX;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arena {
    bytes: Vec<u8>,
    fixed: usize,
}

/// The word of a stretch of the arena.
fn word(offset: usize, length: usize) -> u64 {
    (offset as u64) << 32 | length as u64
}

impl Arena {
    /// Appends bytes; `None` if a word could not tell where.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Option<u64> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.finish(start, usize::MAX)
    }

    /// Appends bytes, NULs among them.
    pub(crate) fn push_block(&mut self, bytes: &[u8]) -> Option<u64> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        u32::try_from(self.bytes.len()).ok().map(|_| word(start, bytes.len()))
    }

    /// Keeps everything pushed so far for good.
    pub(crate) fn fix(&mut self) {
        self.fixed = self.bytes.len();
    }

    /// Forgets what is not fixed.
    pub(crate) fn reset(&mut self) {
        self.bytes.truncate(self.fixed);
    }

    /// The bytes of a word; `None` for NULL.
    pub(crate) fn get(&self, word: u64) -> Option<&[u8]> {
        if word == NULL {
            return None;
        }
        let start = (word >> 32) as usize;
        self.bytes.get(start..start + (word & 0xffff_ffff) as usize)
    }

    /// Where appending starts, and the buffer to append to; [`Arena::finish`] makes the word.
    pub(crate) fn begin(&mut self) -> (usize, &mut Vec<u8>) {
        (self.bytes.len(), &mut self.bytes)
    }

    /// The word of what was appended since `start`, cut at a NUL and at `limit` bytes.
    pub(crate) fn finish(&mut self, start: usize, limit: usize) -> Option<u64> {
        let appended = self.bytes.get(start..).unwrap_or(&[]);
        let length = appended.iter().position(|&byte| byte == 0).unwrap_or(appended.len()).min(limit);
        self.bytes.truncate(start + length);
        let end = self.bytes.len();
        u32::try_from(end).ok().map(|_| word(start, length))
    }

    /// The concatenation of two words' bytes, cut at `limit`.
    pub(crate) fn join(&mut self, a: u64, b: u64, limit: usize) -> Option<u64> {
        let start = self.bytes.len();
        for word in [a, b] {
            let from = (word >> 32) as usize;
            let to = from + (word & 0xffff_ffff) as usize;
            if word != NULL && to <= start {
                self.bytes.extend_from_within(from..to);
            }
        }
        self.finish(start, limit)
    }
}

/// The word of a part of a word's bytes. The range must lie within them; NULL stays NULL.
pub(crate) fn part(of: u64, range: std::ops::Range<usize>) -> u64 {
    match of {
        NULL => NULL,
        _ => word((of >> 32) as usize + range.start, range.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_find_their_bytes() {
        let mut arena = Arena::default();
        let fixed = arena.push(b"read").expect("room");
        arena.fix();
        let a = arena.push(b"ab\0cd").expect("room");
        let joined = arena.join(a, fixed, 4).expect("room");
        assert_eq!(arena.get(a), Some(&b"ab"[..]), "a NUL ends a string");
        assert_eq!(arena.get(joined), Some(&b"abre"[..]));
        assert_eq!(arena.get(part(joined, 1..3)), Some(&b"br"[..]));
        assert_eq!(arena.get(NULL), None);
        assert_eq!(part(NULL, 0..0), NULL);
        let empty = arena.push(b"").expect("room");
        assert_eq!(arena.get(empty), Some(&b""[..]));
        arena.reset();
        assert_eq!(arena.get(fixed), Some(&b"read"[..]));
        assert_eq!(arena.get(joined), None);
    }
}
