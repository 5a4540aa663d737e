//! The counts of a histogram: only those from the first to the last that were ever added to, so that a million narrow
//! histograms of a wide function need little memory. In: bucket indices and weights. Out: counts.

/// Counts by bucket; those outside the window are 0.
#[derive(Clone, Debug, Default)]
pub struct Buckets {
    first: u32,
    counts: Vec<i64>,
}

impl Buckets {
    /// Adds to one bucket; sums wrap.
    pub fn add(&mut self, bucket: usize, weight: i64) {
        let Ok(bucket) = u32::try_from(bucket) else { return };
        if self.counts.is_empty() {
            self.first = bucket;
        }
        let missing = self.first.saturating_sub(bucket) as usize;
        if missing > 0 {
            self.counts.splice(0..0, std::iter::repeat_n(0, missing));
            self.first = bucket;
        }
        let place = (bucket - self.first) as usize;
        if place >= self.counts.len() {
            self.counts.resize(place + 1, 0);
        }
        self.counts[place] = self.counts[place].wrapping_add(weight);
    }

    /// The count of one bucket.
    pub fn get(&self, bucket: usize) -> i64 {
        bucket.checked_sub(self.first as usize).and_then(|i| self.counts.get(i)).copied().unwrap_or(0)
    }

    /// Buckets and counts that are not 0, in ascending order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (usize, i64)> {
        let counts = self.counts.iter().enumerate().filter(|(_, count)| **count != 0);
        counts.map(|(i, &count)| (self.first as usize + i, count))
    }

    /// Adds the counts of another histogram of the same function.
    pub fn merge(&mut self, other: &Buckets) {
        // The ends first: the window grows at most twice.
        let mut ends = other.iter();
        for (bucket, _) in [ends.next(), ends.next_back()].into_iter().flatten() {
            self.add(bucket, 0);
        }
        other.iter().for_each(|(bucket, count)| self.add(bucket, count));
    }

    /// All counts are 0 again.
    pub fn clear(&mut self) {
        self.counts = Vec::new();
    }
}

impl FromIterator<(usize, i64)> for Buckets {
    fn from_iter<I: IntoIterator<Item = (usize, i64)>>(counts: I) -> Buckets {
        let mut buckets = Buckets::default();
        counts.into_iter().filter(|(_, count)| *count != 0).for_each(|(i, count)| buckets.add(i, count));
        buckets.counts.shrink_to_fit();
        buckets
    }
}

impl PartialEq for Buckets {
    fn eq(&self, other: &Buckets) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Buckets {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_grows_both_ways() {
        let mut buckets = Buckets::default();
        for (bucket, weight) in [(70, 1), (63, 2), (80, 3), (70, -1), (64, i64::MAX), (64, 1)] {
            buckets.add(bucket, weight);
        }
        assert_eq!(buckets.iter().collect::<Vec<_>>(), [(63, 2), (64, i64::MIN), (80, 3)]);
        assert_eq!([62, 63, 70, 80, 81].map(|i| buckets.get(i)), [0, 2, 0, 3, 0]);
        assert_eq!(buckets, [(80, 3), (63, 2), (64, i64::MIN), (5, 0)].into_iter().collect());
        buckets.clear();
        assert_eq!(buckets, Buckets::default());
    }
}
