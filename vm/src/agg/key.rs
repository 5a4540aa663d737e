//! The key of an entry: canonical bytes ([`crate::value`]), those of one or two integers in place and compared without a
//! call. Nothing here knows what the bytes say.

use std::hash::{BuildHasher, Hash, Hasher};

use indexmap::{Equivalent, IndexMap};

/// Canonical bytes at rest; equal bytes are in the same variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Key {
    One([u8; 8]),
    Two([u8; 16]),
    Any(Box<[u8]>),
}

impl Key {
    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Key::One(bytes) => bytes,
            Key::Two(bytes) => bytes,
            Key::Any(bytes) => bytes,
        }
    }
}

impl From<&[u8]> for Key {
    fn from(bytes: &[u8]) -> Key {
        if let Ok(one) = bytes.try_into() {
            Key::One(one)
        } else if let Ok(two) = bytes.try_into() {
            Key::Two(two)
        } else {
            Key::Any(bytes.into())
        }
    }
}

/// Two integers of a key, in their order.
#[inline]
fn halves(bytes: [u8; 16]) -> [u64; 2] {
    let both = u128::from_le_bytes(bytes);
    [both as u64, (both >> 64) as u64]
}

// A table's keys have the types of the table, so no key is the front of another, and their lengths need not be hashed.
impl Hash for Key {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Key::One(bytes) => One(u64::from_le_bytes(*bytes)).hash(state),
            Key::Two(bytes) => Two(halves(*bytes)).hash(state),
            Key::Any(bytes) => Bytes(bytes).hash(state),
        }
    }
}

/// Bytes to look for, which are not as many as one or two integers have.
pub(super) struct Bytes<'b>(pub(super) &'b [u8]);

impl Hash for Bytes<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write(self.0);
    }
}

impl Equivalent<Key> for Bytes<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        matches!(key, Key::Any(bytes) if **bytes == *self.0)
    }
}

/// One integer to look for.
pub(super) struct One(pub(super) u64);

impl Hash for One {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0);
    }
}

impl Equivalent<Key> for One {
    #[inline]
    fn equivalent(&self, key: &Key) -> bool {
        matches!(key, Key::One(bytes) if u64::from_le_bytes(*bytes) == self.0)
    }
}

/// Two integers to look for.
pub(super) struct Two(pub(super) [u64; 2]);

impl Hash for Two {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0[0]);
        state.write_u64(self.0[1]);
    }
}

impl Equivalent<Key> for Two {
    #[inline]
    fn equivalent(&self, key: &Key) -> bool {
        matches!(key, Key::Two(bytes) if halves(*bytes) == self.0)
    }
}

/// The entry of a key in a map by [`Key`], whatever its length.
#[inline]
pub(super) fn find<V, S: BuildHasher>(map: &IndexMap<Key, V, S>, key: &[u8]) -> Option<usize> {
    if let Ok(two) = key.try_into() {
        map.get_index_of(&Two(halves(two)))
    } else if let Ok(one) = key.try_into() {
        map.get_index_of(&One(u64::from_le_bytes(one)))
    } else {
        map.get_index_of(&Bytes(key))
    }
}

#[cfg(test)]
mod tests {
    use foldhash::fast::RandomState;

    use super::*;

    #[test]
    fn a_key_is_found_by_its_bytes() {
        let mut map = IndexMap::<Key, (), RandomState>::default();
        let keys: Vec<Vec<u8>> = [0, 7, 8, 9, 15, 16, 17, 40].map(|length| (0..length).collect()).into();
        for key in &keys {
            map.insert(Key::from(&key[..]), ());
        }
        for (index, key) in keys.iter().enumerate() {
            assert_eq!(map.get_index(index).map(|(key, ())| key.bytes()), Some(&key[..]));
            assert_eq!(find(&map, key), Some(index));
            let mut other = key.clone();
            if let Some(last) = other.last_mut() {
                *last ^= 1;
                assert_eq!(find(&map, &other), None);
            }
        }
        assert_eq!(map.get_index_of(&One(0x0706_0504_0302_0100)), Some(2));
        assert_eq!(map.get_index_of(&Two([0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908])), Some(5));
    }
}
