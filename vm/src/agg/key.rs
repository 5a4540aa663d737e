//! The key of an entry: canonical bytes ([`crate::value`]), those of one or two integers in place and compared without a
//! call. Nothing here knows what the bytes say.

/// Canonical bytes at rest; equal bytes are in the same variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// 8 bytes, as one integer has.
    One(Short<8>),
    /// 16, as two have.
    Two(Short<16>),
    /// Any other number of bytes.
    Any(Box<[u8]>),
}

/// Bytes where words are, so that they are read as words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(8))]
pub(super) struct Short<const N: usize>([u8; N]);

impl Short<8> {
    #[inline(always)]
    pub(super) fn word(self) -> u64 {
        u64::from_le_bytes(self.0)
    }
}

impl Short<16> {
    #[inline(always)]
    pub(super) fn words(self) -> [u64; 2] {
        let both = u128::from_le_bytes(self.0);
        [both as u64, (both >> 64) as u64]
    }
}

impl Key {
    /// Bytes as a key that needs no memory of its own; `None` if they are as many as would.
    #[inline]
    pub(super) fn short(bytes: &[u8]) -> Option<Key> {
        match bytes.len() {
            8 => bytes.try_into().ok().map(|one| Key::One(Short(one))),
            16 => bytes.try_into().ok().map(|two| Key::Two(Short(two))),
            _ => None,
        }
    }

    /// The bytes.
    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Key::One(bytes) => &bytes.0,
            Key::Two(bytes) => &bytes.0,
            Key::Any(bytes) => bytes,
        }
    }
}

impl From<&[u8]> for Key {
    fn from(bytes: &[u8]) -> Key {
        Key::short(bytes).unwrap_or_else(|| Key::Any(bytes.into()))
    }
}
