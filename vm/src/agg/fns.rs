//! What each aggregating function does with a value, how two states merge, and the number it prints (runtime spec §7.1).
//! All arithmetic wraps; merging is associative and commutative, so CPUs and generations may come in any order.

use dtrail_lang::builtins::aggs::Shape;

use super::{AggState, Deviation, Distinct, Sketch};

impl AggState {
    /// [`AggState::update`] of a state of one or two words, done in place; `false`: it is another.
    #[inline(always)]
    pub(super) fn update_words(&mut self, value: i64) -> bool {
        match self {
            AggState::Count(count) => *count = count.wrapping_add(1),
            AggState::Sum(sum) => *sum = sum.wrapping_add(value),
            AggState::Avg { count, sum } => {
                *count = count.wrapping_add(1);
                *sum = sum.wrapping_add(value);
            }
            _ => return false,
        }
        true
    }

    /// One update. `shape` has the constants of the function; `weight` is 1 where D has none.
    pub fn update(&mut self, shape: Shape, value: i64, weight: i64) {
        match self {
            AggState::Count(count) => *count = count.wrapping_add(1),
            AggState::Sum(sum) => *sum = sum.wrapping_add(value),
            AggState::Min(least) => *least = Some(least.map_or(value, |least| least.min(value))),
            AggState::Max(most) => *most = Some(most.map_or(value, |most| most.max(value))),
            AggState::Avg { count, sum } => {
                *count = count.wrapping_add(1);
                *sum = sum.wrapping_add(value);
            }
            AggState::Stddev(seen) => {
                seen.count = seen.count.wrapping_add(1);
                seen.sum = seen.sum.wrapping_add(value);
                let square = u128::from(value.unsigned_abs()).pow(2);
                seen.squares = seen.squares.wrapping_add(square);
            }
            AggState::Buckets(buckets) => buckets.add(shape.bucket(value), weight),
            AggState::Sketch(sketch) => sketch.add(value),
            AggState::Distinct(_) | AggState::Top(_) => self.update_item(shape, &value.to_le_bytes()),
        }
    }

    /// One update of a function that tells values from each other: the bytes of a string, or of an integer.
    pub fn update_item(&mut self, shape: Shape, item: &[u8]) {
        match (self, shape) {
            (AggState::Distinct(distinct), _) => distinct.add(item),
            (AggState::Top(top), Shape::Top { wanted, .. }) => top.add(wanted, item),
            (_, _) => debug_assert!(false, "a value for a function that does not count values"),
        }
    }

    /// Adds what another state of the same function saw. A state of another function changes nothing.
    pub fn merge(&mut self, other: &AggState) {
        match (self, other) {
            (AggState::Count(a), AggState::Count(b)) => *a = a.wrapping_add(*b),
            (AggState::Sum(a), AggState::Sum(b)) => *a = a.wrapping_add(*b),
            (AggState::Min(a), AggState::Min(b)) => *a = a.iter().chain(b).copied().min(),
            (AggState::Max(a), AggState::Max(b)) => *a = (*a).max(*b),
            (AggState::Avg { count: a, sum: x }, AggState::Avg { count: b, sum: y }) => {
                *a = a.wrapping_add(*b);
                *x = x.wrapping_add(*y);
            }
            (AggState::Stddev(a), AggState::Stddev(b)) => {
                a.count = a.count.wrapping_add(b.count);
                a.sum = a.sum.wrapping_add(b.sum);
                a.squares = a.squares.wrapping_add(b.squares);
            }
            (AggState::Buckets(a), AggState::Buckets(b)) => a.merge(b),
            (AggState::Sketch(a), AggState::Sketch(b)) => a.merge(b),
            (AggState::Distinct(a), AggState::Distinct(b)) => a.merge(b),
            (AggState::Top(a), AggState::Top(b)) => a.merge(b),
            (_, _) => debug_assert!(false, "states of two functions under one aggregation"),
        }
    }

    /// Back to the state before any update (`clear`).
    pub fn clear(&mut self) {
        match self {
            AggState::Count(count) => *count = 0,
            AggState::Sum(sum) => *sum = 0,
            AggState::Min(value) | AggState::Max(value) => *value = None,
            AggState::Avg { count, sum } => (*count, *sum) = (0, 0),
            AggState::Stddev(seen) => **seen = Deviation::default(),
            AggState::Buckets(buckets) => buckets.clear(),
            AggState::Sketch(sketch) => **sketch = Sketch::default(),
            AggState::Distinct(distinct) => **distinct = Distinct::default(),
            AggState::Top(top) => top.clear(),
        }
    }

    /// The number that is compared, and printed where nothing is normalized: see [`AggState::normalized`].
    pub fn number(&self) -> i64 {
        self.normalized(1)
    }

    /// The number that is printed: 0 for an empty `min`, `max` or `avg`, and for histograms and percentiles, which print otherwise. `normal`
    /// is not 0.
    pub fn normalized(&self, normal: i64) -> i64 {
        match self {
            AggState::Count(count) => divided(*count as i64, normal),
            AggState::Sum(sum) => divided(*sum, normal),
            AggState::Min(value) | AggState::Max(value) => divided(value.unwrap_or(0), normal),
            AggState::Avg { count: 0, .. } | AggState::Buckets(_) | AggState::Sketch(_) => 0,
            AggState::Stddev(seen) if seen.count == 0 => 0,
            AggState::Distinct(distinct) => divided(distinct.count() as i64, normal),
            AggState::Top(top) => divided(top.most() as i64, normal),
            AggState::Avg { count, sum } => (i128::from(divided(*sum, normal)) / i128::from(*count)) as i64,
            AggState::Stddev(seen) => {
                let Deviation { count, sum, squares } = &**seen;
                // The sum of squares is unsigned; the divisor is below 2^127.
                let divisor = u128::from(normal.unsigned_abs()).pow(2).max(1);
                let mean = i128::from(divided(*sum, normal)) / i128::from(*count);
                let squares = squares / divisor / u128::from(*count);
                // Below 0 only if a sum has wrapped.
                squares.saturating_sub(mean.unsigned_abs().pow(2)).isqrt() as i64
            }
        }
    }

    /// The number that is printed unless a format says how: [`AggState::normalized`], of `stddev` as unsigned.
    pub fn printed(&self, normal: i64) -> i128 {
        match self {
            AggState::Stddev(_) => i128::from(self.normalized(normal) as u64),
            _ => i128::from(self.normalized(normal)),
        }
    }
}

/// A value divided for printing, toward 0; by 0 it stays itself.
pub(crate) fn divided(value: i64, normal: i64) -> i64 {
    if normal == 0 { value } else { value.wrapping_div(normal) }
}

#[cfg(test)]
mod tests {
    use dtrail_lang::builtins::AggFn;
    use dtrail_lang::builtins::aggs::{LogLinear, Percentiles};

    use super::*;

    const LINEAR: Shape = Shape::linear(-10, 20, 7);

    fn shape_of(func: AggFn) -> Shape {
        match func {
            AggFn::Lquantize => LINEAR,
            AggFn::Llquantize => Shape::LogLinear(LogLinear { factor: 10, low: 0, high: 5, steps: 20 }),
            AggFn::Percentile => Shape::Percentiles(Percentiles::NONE.and(50).expect("a percentage")),
            AggFn::Distinct => Shape::Distinct { strings: false },
            AggFn::Topk => Shape::Top { wanted: 3, strings: false },
            _ => Shape::Plain,
        }
    }

    fn of(func: AggFn, updates: &[(i64, i64)]) -> AggState {
        let mut state = AggState::new(func);
        updates.iter().for_each(|&(value, weight)| state.update(shape_of(func), value, weight));
        state
    }

    #[test]
    fn numbers() {
        for (func, updates, number) in [
            (AggFn::Count, vec![(9, 1), (9, 1)], 2),
            (AggFn::Sum, vec![(5, 1), (-7, 1)], -2),
            (AggFn::Sum, vec![(i64::MAX, 1), (1, 1)], i64::MIN),
            (AggFn::Min, vec![(3, 1), (-4, 1)], -4),
            (AggFn::Max, vec![(3, 1), (-4, 1)], 3),
            (AggFn::Max, vec![], 0),
            (AggFn::Avg, vec![(0, 1), (-900, 1)], -450),
            (AggFn::Avg, vec![(0, 1), (-3, 1)], -1),
            (AggFn::Avg, vec![], 0),
            (AggFn::Stddev, vec![], 0),
            (AggFn::Stddev, vec![(1, 1), (2, 1), (3, 1), (4, 1), (5, 1)], 1),
            (AggFn::Stddev, [2, 4, 4, 4, 5, 5, 7, 9].map(|v| (v, 1)).to_vec(), 2),
            (AggFn::Stddev, (0..10).map(|i| (5_000_000_000 + 100 * i, 1)).collect(), 287),
            (AggFn::Stddev, vec![(-3, 1), (3, 1)], 3),
            (AggFn::Stddev, vec![(i64::MAX, 1)], 0),
            // Squares of 2^127 in all, and above; the sum wraps to 0, to 0, and to 2^63 - 3.
            (AggFn::Stddev, [i64::MIN, i64::MIN, 0, 0].map(|v| (v, 1)).to_vec(), 6_521_908_912_666_391_106),
            (AggFn::Stddev, vec![(i64::MIN, 1); 2], i64::MIN),
            (AggFn::Stddev, vec![(i64::MAX, 1); 3], 8_695_878_550_221_854_807),
        ] {
            assert_eq!(of(func, &updates).number(), number, "{func:?} of {updates:?}");
        }
    }

    #[test]
    fn normalized_numbers() {
        for (func, updates, normal, number) in [
            (AggFn::Count, vec![(9, 1), (9, 1), (9, 1)], 2, 1),
            (AggFn::Sum, vec![(-7, 1)], 2, -3),
            (AggFn::Sum, vec![(i64::MIN, 1)], -1, i64::MIN),
            (AggFn::Max, vec![(30, 1)], 10, 3),
            (AggFn::Min, vec![], 10, 0),
            (AggFn::Avg, vec![(35, 1), (37, 1)], 10, 3),
            (AggFn::Avg, vec![(0, 1), (-900, 1)], 7, -64),
            (AggFn::Stddev, [20, 40, 40, 40, 50, 50, 70, 90].map(|v| (v, 1)).to_vec(), 10, 2),
            (AggFn::Stddev, vec![(-30, 1), (30, 1)], -10, 3),
        ] {
            assert_eq!(of(func, &updates).normalized(normal), number, "{func:?} of {updates:?} by {normal}");
        }
    }

    #[test]
    fn buckets() {
        let AggState::Buckets(buckets) = of(AggFn::Quantize, &[(0, 1), (3, 2), (2, -5), (i64::MIN, 1)])
        else {
            panic!("quantize keeps buckets");
        };
        assert_eq!(buckets.iter().collect::<Vec<_>>(), [(0, 1), (63, 1), (65, -3)]);
        let state = of(AggFn::Lquantize, &[(-11, 1), (-10, 1), (10, 4), (11, 1), (i64::MAX, 1)]);
        let expected = [(0, 1), (1, 1), (3, 4), (4, 1), (5, 1)].into_iter().collect();
        assert_eq!(state, AggState::Buckets(expected), "levels are (20 + 10) / 7 = 4");
    }

    #[test]
    fn a_cleared_state_is_a_new_one() {
        for row in AggFn::ROWS {
            let mut state = of(row.id, &[(3, 2), (-4, 1)]);
            state.clear();
            assert_eq!(state, AggState::new(row.id), "{}", row.name);
        }
    }
}
