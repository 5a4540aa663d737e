//! What `percentile` keeps: counts in buckets so fine that the middle of one is within 1 % of every value in it, and the
//! least and greatest value, so that no percentile lies beyond them. In: values. Out: percentiles. Sketches merge without
//! any loss.

use dtrail_lang::builtins::aggs::{FineBuckets, Percentiles};

use super::Buckets;

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sketch {
    buckets: Buckets,
    /// The least and the greatest value; `None` before any.
    ends: Option<(i64, i64)>,
}

impl Sketch {
    /// Counts a value.
    pub fn add(&mut self, value: i64) {
        self.buckets.add(FineBuckets::bucket(value), 1);
        self.reach(value, value);
    }

    /// Adds what another sketch saw.
    pub fn merge(&mut self, other: &Sketch) {
        self.buckets.merge(&other.buckets);
        if let Some((least, most)) = other.ends {
            self.reach(least, most);
        }
    }

    /// How many values there were.
    pub(crate) fn count(&self) -> u128 {
        self.buckets.iter().map(|(_, count)| u128::from(count.unsigned_abs())).sum()
    }

    fn reach(&mut self, least: i64, most: i64) {
        let (low, high) = self.ends.unwrap_or((least, most));
        self.ends = Some((low.min(least), high.max(most)));
    }

    /// The percentiles that are asked for, in their order; 0 if nothing was counted. A percentile is the least value that
    /// at least so many values do not exceed: within 1 % of it, and between the least and the greatest.
    pub(crate) fn percentiles(&self, asked: Percentiles) -> impl Iterator<Item = i64> + '_ {
        let total = self.count();
        let (least, most) = self.ends.unwrap_or((0, 0));
        (0..asked.hundredths().len()).map(move |i| {
            let hundredths = asked.hundredths().get(i).copied().unwrap_or(0);
            let rank = (total * u128::from(hundredths)).div_ceil(10_000).max(1);
            let mut below = 0;
            let found = self.buckets.iter().find(|(_, count)| {
                below += u128::from(count.unsigned_abs());
                below >= rank
            });
            found.map_or(0, |(bucket, _)| FineBuckets::middle(bucket).clamp(least, most))
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(values: &[i64]) -> Sketch {
        let mut sketch = Sketch::default();
        values.iter().for_each(|&value| sketch.add(value));
        sketch
    }

    fn asked(written: &[i64]) -> Percentiles {
        written.iter().fold(Percentiles::NONE, |all, &one| all.and(one).expect("a percentage"))
    }

    #[test]
    fn percentiles_of_one_value_are_that_value() {
        for value in [0, 1, -1, 127, 128, 1000, -1000, 999_999, 123_456_789, i64::MAX, i64::MIN] {
            let sketch = of(&[value, value, value]);
            let got: Vec<_> = sketch.percentiles(asked(&[1, 50, 100])).collect();
            assert_eq!(got, [value; 3]);
        }
        assert_eq!(Sketch::default().percentiles(asked(&[1, 99])).collect::<Vec<_>>(), [0, 0]);
    }

    #[test]
    fn only_what_lies_beyond_the_ends_is_moved() {
        // The bucket of 1008 to 1015 has its middle at 1011.
        let of_all = |values: &[i64]| of(values).percentiles(asked(&[1, 50, 100])).collect::<Vec<_>>();
        assert_eq!(of_all(&[1008, 1012, 1015]), [1011; 3]);
        assert_eq!(of_all(&[1013, 1014, 1015]), [1013; 3]);
        assert_eq!(of_all(&[1008, 1009]), [1009; 3]);
        assert_eq!(of_all(&[-1008, -1009]), [-1009; 3]);
    }

    proptest! {
        /// A percentile is within 1 % of the value of its rank (the least that so many of all values do not exceed), and
        /// between the least and the greatest, whether one sketch saw all values or two that were merged.
        #[test]
        fn percentiles_are_within_one_percent_and_between_the_ends(
            values in prop::collection::vec(
                prop_oneof![-200_i64..200, -1_000_000_i64..1_000_000, any::<i64>(), (0_u32..63).prop_map(|k| 1_i64 << k)],
                1..200,
            ),
            cut in any::<prop::sample::Index>(),
            written in prop::sample::select(vec![1_i64, 25, 50, 90, 99, 999, 9999, 100]),
        ) {
            let (one, other) = values.split_at(cut.index(values.len()));
            let mut merged = of(other);
            merged.merge(&of(one));
            let whole = of(&values);
            prop_assert_eq!(&whole, &merged);
            let got = whole.percentiles(asked(&[written])).next().expect("one");
            // The fraction that the constant says: digits behind the second are decimals, but 100 is all.
            let (share, of) = match written {
                1..=100 => (written as usize, 100),
                101..=999 => (written as usize, 1000),
                _ => (written as usize, 10_000),
            };
            let mut sorted = values.clone();
            sorted.sort_unstable();
            let rank = (sorted.len() * share).div_ceil(of).max(1);
            let exact = sorted[rank - 1];
            let off = i128::from(got) - i128::from(exact);
            prop_assert!(off.abs() * 100 <= i128::from(exact.unsigned_abs()), "{got} for {exact}");
            prop_assert!((sorted[0]..=sorted[sorted.len() - 1]).contains(&got), "{got} beyond the ends");
        }
    }
}
