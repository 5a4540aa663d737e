//! The counts of a histogram: only those from the first to the last that were ever added to, in as few bytes each as the
//! largest needs, so that a million histograms of a wide function need little memory. In: bucket indices and weights.
//! Out: counts.

/// Counts by bucket; those outside the window are 0.
#[derive(Clone, Debug, Default)]
pub struct Buckets {
    /// Nothing, or the window: its first bucket in 4 bytes, the bytes of a count in 1, and signed counts.
    bytes: Box<[u8]>,
}

/// Bytes before the counts.
const HEAD: usize = 5;

/// Where a window is, and how wide its counts.
#[derive(Clone, Copy)]
struct Window {
    first: usize,
    length: usize,
    width: usize,
}

/// The bytes that a count takes: 1, 2, 4 or 8.
fn width_of(count: i64) -> usize {
    match count {
        -0x80..=0x7f => 1,
        -0x8000..=0x7fff => 2,
        -0x8000_0000..=0x7fff_ffff => 4,
        _ => 8,
    }
}

impl Buckets {
    #[inline]
    fn window(&self) -> Window {
        match self.bytes.split_first_chunk::<HEAD>() {
            Some((&[a, b, c, d, width], counts)) => {
                let width = usize::from(width.max(1));
                let first = u32::from_le_bytes([a, b, c, d]) as usize;
                Window { first, length: counts.len() / width, width }
            }
            None => Window { first: 0, length: 0, width: 1 },
        }
    }

    /// The count at a place of the window.
    #[inline]
    fn at(&self, window: Window, place: usize) -> i64 {
        let start = HEAD + place * window.width;
        match self.bytes.get(start..start + window.width) {
            Some(&[a]) => i64::from(a as i8),
            Some(&[a, b]) => i64::from(i16::from_le_bytes([a, b])),
            Some(&[a, b, c, d]) => i64::from(i32::from_le_bytes([a, b, c, d])),
            Some(eight) => eight.try_into().map_or(0, i64::from_le_bytes),
            None => 0,
        }
    }

    /// Sets the count at a place of the window, which is wide enough.
    #[inline]
    fn put(&mut self, window: Window, place: usize, count: i64) {
        let (start, count) = (HEAD + place * window.width, count.to_le_bytes());
        match self.bytes.get_mut(start..start + window.width) {
            Some([a]) => *a = count[0],
            Some(more) => more.copy_from_slice(&count[..window.width]),
            None => {}
        }
    }

    /// Lays the counts out anew, in a window that has the one there was within it.
    fn lay_out(&mut self, old: Window, new: Window) {
        let mut bytes = vec![0; HEAD + new.length * new.width].into_boxed_slice();
        bytes[..4].copy_from_slice(&(new.first as u32).to_le_bytes());
        bytes[4] = new.width as u8;
        let old_bytes = Buckets { bytes: std::mem::replace(&mut self.bytes, bytes) };
        for place in 0..old.length {
            self.put(new, old.first - new.first + place, old_bytes.at(old, place));
        }
    }

    /// The window that has this bucket in it; made larger if it has not.
    fn window_with(&mut self, bucket: usize) -> Window {
        let old = self.window();
        if bucket >= old.first && bucket < old.first + old.length {
            return old;
        }
        let new = if old.length == 0 {
            Window { first: bucket, length: 1, width: 1 }
        } else {
            // Some more where there are many already: not every bucket of a wide function moves all the others.
            let more = old.length / 8;
            let first = if bucket < old.first { bucket.saturating_sub(more) } else { old.first };
            let end = if bucket >= old.first { bucket + 1 + more } else { old.first + old.length };
            Window { first, length: end - first, ..old }
        };
        self.lay_out(old, new);
        new
    }

    /// Adds to one bucket; sums wrap.
    #[inline]
    pub fn add(&mut self, bucket: usize, weight: i64) {
        if u32::try_from(bucket).is_err() {
            return;
        }
        let mut window = self.window_with(bucket);
        let place = bucket - window.first;
        let count = self.at(window, place).wrapping_add(weight);
        let width = width_of(count);
        if width > window.width {
            let wider = Window { width, ..window };
            self.lay_out(window, wider);
            window = wider;
        }
        self.put(window, place, count);
    }

    /// The count of one bucket.
    pub fn get(&self, bucket: usize) -> i64 {
        let window = self.window();
        match bucket.checked_sub(window.first) {
            Some(place) if place < window.length => self.at(window, place),
            _ => 0,
        }
    }

    /// Buckets and counts that are not 0, in ascending order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (usize, i64)> {
        let window = self.window();
        let counts = (0..window.length).map(move |place| (window.first + place, self.at(window, place)));
        counts.filter(|(_, count)| *count != 0)
    }

    /// Adds the counts of another histogram of the same function.
    pub fn merge(&mut self, other: &Buckets) {
        // The ends first: the window grows at most twice.
        let mut ends = other.iter();
        for (bucket, _) in [ends.next(), ends.next_back()].into_iter().flatten() {
            self.window_with(bucket);
        }
        other.iter().for_each(|(bucket, count)| self.add(bucket, count));
    }

    /// All counts are 0 again.
    pub fn clear(&mut self) {
        self.bytes = Box::default();
    }
}

impl FromIterator<(usize, i64)> for Buckets {
    fn from_iter<I: IntoIterator<Item = (usize, i64)>>(counts: I) -> Buckets {
        let counts: Vec<_> = counts.into_iter().filter(|(_, count)| *count != 0).collect();
        let mut buckets = Buckets::default();
        let places = || counts.iter().map(|(bucket, _)| *bucket);
        if let (Some(first), Some(last)) = (places().min(), places().max()) {
            let width = counts.iter().map(|(_, count)| width_of(*count)).max().unwrap_or(1);
            let window = Window { first, length: last - first + 1, width };
            buckets.lay_out(buckets.window(), window);
        }
        counts.iter().for_each(|&(bucket, count)| buckets.add(bucket, count));
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

    #[test]
    fn counts_take_as_many_bytes_as_the_largest_needs() {
        let mut buckets = Buckets::default();
        for (weight, bytes) in [(127, 2), (1, 4), (32_639, 4), (1, 8), (i64::MAX, 16), (i64::MIN, 16)] {
            buckets.add(65, weight);
            buckets.add(66, -1);
            assert_eq!(buckets.bytes.len(), HEAD + bytes, "after {weight}");
        }
        assert_eq!(buckets.iter().collect::<Vec<_>>(), [(65, 32_767), (66, -6)]);
        let mut wide = Buckets::default();
        (0..1000).for_each(|bucket| wide.add(bucket * 3, 1));
        assert!(wide.iter().eq((0..1000).map(|bucket| (bucket * 3, 1))) && wide.bytes.len() < 3400);
    }
}
