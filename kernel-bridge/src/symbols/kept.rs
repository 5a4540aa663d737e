//! What was read of files, kept for the next question: bytes of memory are counted over all, and when they are more than
//! the budget what was put there first goes. A traced program says how many files there are and how long each is, and so no
//! bound of one file is a bound of all. Comes in: a key, a value and its size. Goes out: the value, while it is kept.

use std::borrow::Borrow;
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// Values by key.
#[derive(Debug)]
pub(super) struct Kept<K, V> {
    known: HashMap<K, (V, usize)>,
    /// The keys, oldest first.
    order: VecDeque<K>,
    bytes: usize,
    /// Most bytes and most values.
    budget: (usize, usize),
}

impl<K: Clone + Eq + Hash, V> Kept<K, V> {
    /// Nothing, and room for so many bytes and so many values.
    pub(super) fn new(bytes: usize, values: usize) -> Kept<K, V> {
        Kept { known: HashMap::new(), order: VecDeque::new(), bytes: 0, budget: (bytes, values) }
    }

    /// The value of a key.
    pub(super) fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.known.get(key).map(|(value, _)| value)
    }

    /// Keeps a value that takes so many bytes. Older ones make room; it is kept even if it is larger than all the room.
    pub(super) fn insert(&mut self, key: K, value: V, bytes: usize) {
        self.remove(&key);
        self.known.insert(key.clone(), (value, bytes));
        self.bytes = self.bytes.saturating_add(bytes);
        self.order.push_back(key);
        self.fit();
    }

    /// A value has come to take so many bytes.
    pub(super) fn weigh<Q: Eq + Hash + ?Sized>(&mut self, key: &Q, bytes: usize)
    where
        K: Borrow<Q>,
    {
        if let Some((_, known)) = self.known.get_mut(key) {
            self.bytes = (self.bytes - *known).saturating_add(bytes);
            *known = bytes;
            self.fit();
        }
    }

    /// Takes a value out.
    pub(super) fn remove(&mut self, key: &K) -> Option<V> {
        let (value, bytes) = self.known.remove(key)?;
        self.bytes -= bytes;
        // What is kept is seldom taken out.
        self.order.retain(|other| other != key);
        Some(value)
    }

    /// Has the oldest go while there are too many, all but the last.
    fn fit(&mut self) {
        while (self.bytes > self.budget.0 || self.known.len() > self.budget.1) && self.known.len() > 1 {
            let Some(oldest) = self.order.pop_front() else { return };
            if let Some((_, bytes)) = self.known.remove(&oldest) {
                self.bytes -= bytes;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_make_room() {
        let mut kept: Kept<u32, &str> = Kept::new(100, 3);
        for (key, bytes, left) in [
            (1, 40, &[1][..]),
            (2, 50, &[1, 2]),
            // 40 + 50 + 20: the first goes.
            (3, 20, &[2, 3]),
            (4, 0, &[2, 3, 4]),
            // Four values.
            (5, 0, &[3, 4, 5]),
            // Put there anew, it is the youngest.
            (3, 20, &[4, 5, 3]),
            (6, 90, &[6]),
            // Larger than all room.
            (7, 1000, &[7]),
            (8, 1, &[8]),
        ] {
            kept.insert(key, "value", bytes);
            let there: Vec<u32> = kept.order.iter().copied().collect();
            assert_eq!(there, left, "{key}");
            assert!(there.iter().all(|key| kept.get(key).is_some()) && kept.known.len() == left.len());
        }
    }

    #[test]
    fn what_grows_makes_others_go() {
        let mut kept: Kept<u32, ()> = Kept::new(100, 9);
        kept.insert(1, (), 10);
        kept.insert(2, (), 10);
        kept.weigh(&2, 95);
        assert_eq!((kept.get(&1), kept.get(&2), kept.bytes), (None, Some(&()), 95));
        kept.weigh(&3, 50);
        kept.weigh(&2, 5);
        assert_eq!((kept.remove(&2), kept.bytes, kept.order.len()), (Some(()), 0, 0));
    }
}
