//! The most frequent values: the state of `topk()`. In: values as bytes. Out: the most frequent ones with their counts.
//!
//! Counts are exact while there are no more different values than there is room for. Then the smaller half goes: the
//! median is taken off every count, and what has nothing left is forgotten (Misra and Gries; the frequent items sketch of
//! DataSketches). What a count may lack is the sum of what was taken off, which [`Top::counts`] adds again: counts are
//! never too small.

use foldhash::fast::RandomState;
use indexmap::IndexMap;

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Top {
    counts: IndexMap<Box<[u8]>, u64, RandomState>,
    /// Taken off every count.
    lost: u64,
    room: usize,
}

impl Top {
    /// Takes a value, for the `wanted` most frequent ones.
    pub fn add(&mut self, wanted: u16, item: &[u8]) {
        self.room = (16 * usize::from(wanted)).max(256);
        self.add_many(item, 1);
    }

    fn add_many(&mut self, item: &[u8], count: u64) {
        match self.counts.get_mut(item) {
            Some(known) => *known += count,
            None => {
                self.counts.insert(item.into(), count);
                if self.counts.len() > self.room {
                    self.purge();
                }
            }
        }
    }

    fn purge(&mut self) {
        let mut counts: Vec<u64> = self.counts.values().copied().collect();
        let middle = counts.len() / 2;
        let median = *counts.select_nth_unstable(middle).1;
        self.lost += median;
        self.counts.retain(|_, count| {
            *count = count.saturating_sub(median);
            *count > 0
        });
    }

    /// Takes all that another has seen.
    pub fn merge(&mut self, other: &Top) {
        self.lost += other.lost;
        self.room = self.room.max(other.room);
        other.counts.iter().for_each(|(item, &count)| self.add_many(item, count));
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.counts.clear();
        self.lost = 0;
    }

    /// The `wanted` most frequent values with their counts, the most frequent first; equal counts by the order that
    /// `before` gives.
    pub fn counts(
        &self,
        wanted: u16,
        before: impl Fn(&[u8], &[u8]) -> std::cmp::Ordering,
    ) -> Vec<(&[u8], u64)> {
        let mut all: Vec<_> = self.counts.iter().map(|(item, &count)| (&**item, count + self.lost)).collect();
        all.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| before(a.0, b.0)));
        all.truncate(usize::from(wanted));
        all
    }

    /// The greatest count.
    pub fn most(&self) -> u64 {
        self.counts.values().max().map_or(0, |count| count + self.lost)
    }
}

impl PartialEq for Top {
    fn eq(&self, other: &Top) -> bool {
        self.lost == other.lost && self.counts == other.counts
    }
}

impl Eq for Top {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_exact_while_there_is_room() {
        let mut top = Top::default();
        for (item, times) in [("a", 3), ("b", 5), ("c", 3), ("d", 1)] {
            (0..times).for_each(|_| top.add(2, item.as_bytes()));
        }
        let expected: Vec<(&[u8], u64)> = vec![(b"b", 5), (b"a", 3)];
        assert_eq!(top.counts(2, <[u8]>::cmp), expected);
        assert_eq!(top.most(), 5);
    }

    #[test]
    fn frequent_values_are_found_among_many() {
        let mut top = Top::default();
        for i in 0_u32..30_000 {
            top.add(3, &i.to_le_bytes());
            if i % 10 == 0 {
                top.add(3, b"often");
            }
            if i % 20 == 0 {
                top.add(3, b"half as often");
            }
        }
        let found = top.counts(2, <[u8]>::cmp);
        assert_eq!(
            found.iter().map(|(item, _)| *item).collect::<Vec<_>>(),
            [&b"often"[..], b"half as often"]
        );
        assert!(found[0].1 >= 3000 && found[1].1 >= 1500, "never too small: {found:?}");
        assert!(top.counts.len() <= 256);
    }
}
