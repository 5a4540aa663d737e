//! The entries of a table and their index. In: canonical keys. Out: places of entries, which come in the order of their
//! first update. What an entry counts, and how many there may be, is the table's affair.
//!
//! An entry takes 64 bytes, one line of the processor's cache, and its index 8 to 16, so that a million take some 80 MB
//! beside longer keys. Integers of a key are hashed by one multiplication with numbers drawn at random, so that nobody can
//! choose keys that collide.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::RandomState;

use super::AggState;
use super::key::Key;
use super::tags::{SLOTS, Tags};

/// A key, its state, and when it was last updated here. To find its place takes a shift, and to update it touches one line.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Entry {
    pub(super) key: Key,
    pub(super) state: AggState,
    /// The generation of its last update; 0 if all it has was merged.
    pub(super) updated: u64,
}

/// Slots that are looked at together.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    tags: Tags,
    /// Where the entries are of the slots that are taken.
    places: [u32; SLOTS],
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Entries {
    entries: Vec<Entry>,
    /// Open addressing by groups. A power of two of them; a quarter of their slots at least is free.
    groups: Box<[Group]>,
    /// Numbers that integers are hashed with.
    seeds: [u64; 2],
    bytes: RandomState,
}

impl Default for Entries {
    fn default() -> Entries {
        let bytes = RandomState::default();
        let seed = |n: u64| bytes.hash_one(n) | 1;
        Entries { entries: Vec::new(), groups: Box::default(), seeds: [seed(0), seed(1)], bytes }
    }
}

/// Multiplies to 128 bits and adds the halves without carry: what every bit of both has had a part in.
#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

impl Entries {
    /// How many entries there are.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The entries in their order.
    pub(super) fn iter(&self) -> std::slice::Iter<'_, Entry> {
        self.entries.iter()
    }

    /// Their states, to change.
    pub(super) fn states_mut(&mut self) -> impl Iterator<Item = &mut AggState> {
        self.entries.iter_mut().map(|entry| &mut entry.state)
    }

    /// One entry.
    pub(super) fn get(&self, place: usize) -> Option<&Entry> {
        self.entries.get(place)
    }

    /// One entry, to change all but its key.
    #[inline]
    pub(super) fn get_mut(&mut self, place: usize) -> Option<&mut Entry> {
        self.entries.get_mut(place)
    }

    #[inline(always)]
    fn hash_one(&self, one: u64) -> u64 {
        fold(one ^ self.seeds[0], self.seeds[1])
    }

    #[inline(always)]
    fn hash_two(&self, one: u64, two: u64) -> u64 {
        fold(one ^ self.seeds[0], two ^ self.seeds[1])
    }

    fn hash(&self, key: &Key) -> u64 {
        match key {
            Key::One(one) => self.hash_one(one.word()),
            Key::Two(both) => {
                let [one, two] = both.words();
                self.hash_two(one, two)
            }
            Key::Any(bytes) => self.hash_bytes(bytes),
        }
    }

    // A table's keys have the types of the table, so no key is the front of another, and their lengths need not be hashed.
    fn hash_bytes(&self, bytes: &[u8]) -> u64 {
        let mut hasher = self.bytes.build_hasher();
        hasher.write(bytes);
        hasher.finish()
    }

    /// The place of the entry with a hash whose key `is` the one that is looked for.
    #[inline(always)]
    fn probe(&self, hash: u64, is: impl Fn(&Key) -> bool) -> Option<usize> {
        let last = self.groups.len().wrapping_sub(1);
        let mut at = (hash >> 32) as usize;
        loop {
            let group = self.groups.get(at & last)?;
            for slot in group.tags.hits(hash) {
                let place = group.places[slot] as usize;
                if self.entries.get(place).is_some_and(|entry| is(&entry.key)) {
                    return Some(place);
                }
            }
            if !group.tags.is_full() {
                return None;
            }
            at += 1;
        }
    }

    /// [`Entries::probe`], but of what is found where most are: at the first hit in the first group.
    #[inline(always)]
    fn glance(&mut self, hash: u64, is: impl Fn(&Key) -> bool) -> Option<&mut Entry> {
        let last = self.groups.len().wrapping_sub(1);
        let group = self.groups.get((hash >> 32) as usize & last)?;
        // Without a hit the place is one of those there, and its key another.
        let place = group.places[group.tags.hits(hash).first()] as usize;
        self.entries.get_mut(place).filter(|entry| is(&entry.key))
    }

    /// The entry of a key, whatever its length.
    #[inline]
    pub(super) fn find(&self, key: &[u8]) -> Option<usize> {
        match Key::short(key) {
            Some(Key::Two(both)) => {
                let [one, two] = both.words();
                self.find_two(one, two)
            }
            Some(Key::One(one)) => self.find_one(one.word()),
            _ => self.probe(self.hash_bytes(key), |own| matches!(own, Key::Any(bytes) if **bytes == *key)),
        }
    }

    /// The entry of a key of one integer.
    #[inline(always)]
    pub(super) fn find_one(&self, one: u64) -> Option<usize> {
        self.probe(self.hash_one(one), |key| matches!(key, Key::One(own) if own.word() == one))
    }

    /// The entry of a key of two.
    #[inline(always)]
    pub(super) fn find_two(&self, one: u64, two: u64) -> Option<usize> {
        self.probe(self.hash_two(one, two), |key| matches!(key, Key::Two(own) if own.words() == [one, two]))
    }

    /// The entry of a key of one integer, if it is where most are: nothing says that there is none.
    #[inline(always)]
    pub(super) fn glance_one(&mut self, one: u64) -> Option<&mut Entry> {
        self.glance(self.hash_one(one), |key| matches!(key, Key::One(own) if own.word() == one))
    }

    /// The same for a key of two.
    #[inline(always)]
    pub(super) fn glance_two(&mut self, one: u64, two: u64) -> Option<&mut Entry> {
        self.glance(self.hash_two(one, two), |key| matches!(key, Key::Two(own) if own.words() == [one, two]))
    }

    /// Adds an entry whose key has none. `false`: there are 2^32 - 2 already.
    pub(super) fn push(&mut self, entry: Entry) -> bool {
        let place = self.entries.len();
        if place >= u32::MAX as usize - 1 {
            return false;
        }
        let hash = self.hash(&entry.key);
        self.entries.push(entry);
        let groups = self.groups.len();
        if (place + 1) * 4 > groups * SLOTS * 3 {
            self.index((groups * 2).max(2));
        } else {
            file(&mut self.groups, hash, place);
        }
        true
    }

    /// Makes the index anew, with so many groups.
    fn index(&mut self, groups: usize) {
        // The old one goes first: two large ones are not needed at a time.
        self.groups = Box::default();
        let mut filed = vec![Group::default(); groups].into_boxed_slice();
        for (place, entry) in self.entries.iter().enumerate() {
            file(&mut filed, self.hash(&entry.key), place);
        }
        self.groups = filed;
    }

    /// Keeps those entries whose place `keep` is true for.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(usize) -> bool) {
        let mut places = 0..;
        self.entries.retain(|_| places.next().is_some_and(&mut keep));
        let mut groups = 2;
        while self.entries.len() * 4 > groups * SLOTS * 3 {
            groups *= 2;
        }
        self.index(groups);
    }

    /// Takes all entries out.
    pub(super) fn take(&mut self) -> Vec<Entry> {
        self.groups = Box::default();
        std::mem::take(&mut self.entries)
    }
}

/// Puts a place into the first free slot of the first group of a hash that has one.
fn file(groups: &mut [Group], hash: u64, place: usize) {
    let last = groups.len() - 1;
    let mut at = (hash >> 32) as usize & last;
    while groups[at].tags.is_full() {
        at = (at + 1) & last;
    }
    let slot = groups[at].tags.take(hash);
    groups[at].places[slot] = place as u32;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(key: &[u8]) -> Entry {
        Entry { key: key.into(), state: AggState::Count(1), updated: 1 }
    }

    #[test]
    fn a_key_is_found_by_its_bytes() {
        let mut entries = Entries::default();
        let keys: Vec<Vec<u8>> = [0, 7, 8, 9, 15, 16, 17, 40].map(|length| (0..length).collect()).into();
        assert!(keys.iter().all(|key| entries.find(key).is_none()));
        assert!(keys.iter().all(|key| entries.push(entry(key))));
        for (place, key) in keys.iter().enumerate() {
            assert_eq!(entries.get(place).map(|entry| entry.key.bytes()), Some(&key[..]));
            assert_eq!(entries.find(key), Some(place));
            let mut other = key.clone();
            if let Some(last) = other.last_mut() {
                *last ^= 1;
                assert_eq!(entries.find(&other), None);
            }
        }
        assert_eq!(entries.find_one(0x0706_0504_0302_0100), Some(2));
        assert_eq!(entries.find_two(0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908), Some(5));
    }

    #[test]
    fn many_keys_stay_found_while_the_index_grows_and_shrinks() {
        let mut entries = Entries::default();
        for n in 0..5000_u64 {
            let key = [(n << 40).to_le_bytes(), (n % 7).to_le_bytes()].concat();
            assert!(entries.push(entry(&key)));
            assert_eq!(entries.find(&key), Some(n as usize));
        }
        assert!(
            (entries.groups.len() * SLOTS) <= 8192
                && (0..5000).all(|n| entries.find_two(n << 40, n % 7) == Some(n as usize))
        );
        entries.retain(|place| place % 100 == 3);
        assert_eq!((entries.len(), (entries.groups.len() * SLOTS)), (50, 128));
        for n in 0..5000 {
            let kept = (n % 100 == 3).then_some(n as usize / 100);
            assert_eq!(entries.find_two(n << 40, n % 7), kept);
        }
        assert_eq!((entries.take().len(), entries.len(), entries.find_two(3 << 40, 3)), (50, 0, None));
    }

    #[test]
    fn an_entry_is_a_line_of_the_cache() {
        assert_eq!((size_of::<Entry>(), align_of::<Entry>()), (64, 64));
    }
}
