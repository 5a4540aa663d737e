//! Histograms (runtime spec §7.5): buckets in, a heading and rows out. Bars are exact: all arithmetic is on integers.

use std::io::Write as _;
use std::ops::RangeInclusive;

use dtrail_lang::builtins::aggs::{QUANTIZE_ZERO, Shape};

use crate::agg::divided;
use crate::agg::sort::quantize_value;

/// Which bars a histogram draws, by the signs of its buckets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Signs {
    /// No bucket is below 0.
    Positive,
    /// No bucket is above 0, and one is below.
    Negative,
    /// Both.
    Mixed,
}

/// Appends a histogram, from the newline before its heading to that after its last row. A `shape` with a step is that of
/// `lquantize`, the empty one is `quantize`'s. `normal` divides the counts, not the bars.
pub fn histogram(out: &mut Vec<u8>, shape: Shape, buckets: &[i64], normal: i64) {
    heading(out);
    let total: u128 = buckets.iter().map(|bucket| u128::from(bucket.unsigned_abs())).sum();
    let signs = match (buckets.iter().any(|&n| n > 0), buckets.iter().any(|&n| n < 0)) {
        (true, true) => Signs::Mixed,
        (false, true) => Signs::Negative,
        (_, false) => Signs::Positive,
    };
    for index in shown_range(shape, buckets) {
        label(out, shape, index);
        bar(out, buckets[index], total, signs);
        let _ = writeln!(out, "{:<9}", divided(buckets[index], normal));
    }
}

/// Appends the heading and the newline before it.
fn heading(out: &mut Vec<u8>) {
    // Writing to a vector cannot fail.
    let _ =
        writeln!(out, "\n{:>16} {:>41} {:<9}", "value", "------------- Distribution -------------", "count");
}

/// One bucket more than the non-zero ones on each side, if there is one; if all are 0, the first three of `lquantize`
/// and the middle three of `quantize`.
fn shown_range(shape: Shape, buckets: &[i64]) -> RangeInclusive<usize> {
    let last = buckets.len().saturating_sub(1);
    let set = |&n: &i64| n != 0;
    let (first_set, last_set) = match (buckets.iter().position(set), buckets.iter().rposition(set)) {
        (Some(first), Some(end)) => (first, end),
        _ if shape.step == 0 => (QUANTIZE_ZERO, QUANTIZE_ZERO),
        _ => (1, 1),
    };
    if buckets.is_empty() {
        #[allow(clippy::reversed_empty_ranges, reason = "an empty range is meant")]
        return 1..=0;
    }
    first_set.saturating_sub(1)..=(last_set + 1).min(last)
}

fn label(out: &mut Vec<u8>, shape: Shape, index: usize) {
    let text = if shape.step == 0 {
        quantize_value(index).to_string()
    } else {
        let (base, step, levels) = (i64::from(shape.base), i64::from(shape.step), i64::from(shape.levels()));
        match index as i64 {
            0 => format!("< {base}"),
            i if i > levels => format!(">= {}", base + levels * step),
            i => (base + (i - 1) * step).to_string(),
        }
    };
    let _ = write!(out, "{text:>16} ");
}

fn bar(out: &mut Vec<u8>, value: i64, total: u128, signs: Signs) {
    let (at, blank) = (b'@', b' ');
    let mut push = |byte, times| out.resize(out.len() + times, byte);
    match signs {
        Signs::Positive => {
            let length = bar_length(value, total, 40);
            push(b'|', 1);
            push(at, length);
            push(blank, 40 - length + 1);
        }
        Signs::Negative => {
            let length = bar_length(value, total, 40);
            push(blank, 40 - length);
            push(at, length);
            push(b'|', 1);
            push(blank, 1);
        }
        Signs::Mixed if value <= 0 => {
            let length = bar_length(value, total, 20);
            push(blank, 20 - length);
            push(at, length);
            push(b'|', 1);
            push(blank, 20 + 1);
        }
        Signs::Mixed => {
            let length = bar_length(value, total, 20);
            push(blank, 20);
            push(b'|', 1);
            push(at, length);
            push(blank, 20 - length + 1);
        }
    }
}

/// `floor(|value| · cells / total + 1/2)`, at most `cells`.
fn bar_length(value: i64, total: u128, cells: u128) -> usize {
    if total == 0 {
        return 0;
    }
    let doubled = 2 * u128::from(value.unsigned_abs()) * cells + total;
    (doubled / (2 * total)).min(cells) as usize
}

#[cfg(test)]
mod tests {
    use dtrail_lang::builtins::AggFn;
    use proptest::prelude::*;

    use super::*;
    use crate::agg::AggState;

    const HEADING: &str = "\n           value  ------------- Distribution ------------- count    \n";

    /// Draws weighted values; `expected` is what follows the heading, `$` marking line ends.
    fn check(shape: Shape, updates: &[(i64, i64)], expected: &str) {
        let func = if shape.step == 0 { AggFn::Quantize } else { AggFn::Lquantize };
        let mut state = AggState::new(func, shape);
        updates.iter().for_each(|&(value, weight)| state.update(shape, value, weight));
        let AggState::Buckets(buckets) = state else { panic!("a histogram") };
        let mut out = Vec::new();
        histogram(&mut out, shape, &buckets, 1);
        let expected = format!("{HEADING}{}", expected.trim_start_matches('\n').replace("$\n", "\n"));
        assert_eq!(String::from_utf8_lossy(&out), expected, "{updates:?}");
    }

    fn ones(values: &[i64]) -> Vec<(i64, i64)> {
        values.iter().map(|&value| (value, 1)).collect()
    }

    #[test]
    fn quantize_of_positive_values() {
        check(
            Shape::default(),
            &ones(&[0, 1, 1, 2, 3, 4, 100]),
            "
              -1 |                                         0        $
               0 |@@@@@@                                   1        $
               1 |@@@@@@@@@@@                              2        $
               2 |@@@@@@@@@@@                              2        $
               4 |@@@@@@                                   1        $
               8 |                                         0        $
              16 |                                         0        $
              32 |                                         0        $
              64 |@@@@@@                                   1        $
             128 |                                         0        $
",
        );
    }

    #[test]
    fn quantize_of_negative_values() {
        check(
            Shape::default(),
            &ones(&[-5, -1, 0, 3]),
            "
              -8 |                                         0        $
              -4 |@@@@@@@@@@                               1        $
              -2 |                                         0        $
              -1 |@@@@@@@@@@                               1        $
               0 |@@@@@@@@@@                               1        $
               1 |                                         0        $
               2 |@@@@@@@@@@                               1        $
               4 |                                         0        $
",
        );
    }

    #[test]
    fn mixed_weights_draw_from_the_middle() {
        check(
            Shape::default(),
            &[(1, 2), (4, -2)],
            "
               0                     |                     0        $
               1                     |@@@@@@@@@@           2        $
               2                     |                     0        $
               4           @@@@@@@@@@|                     -2       $
               8                     |                     0        $
",
        );
        check(
            Shape { base: 0, limit: 5, step: 1 },
            &[(1, 5), (2, -3), (3, 0)],
            "
               0                     |                     0        $
               1                     |@@@@@@@@@@@@@        5        $
               2             @@@@@@@@|                     -3       $
               3                     |                     0        $
",
        );
    }

    #[test]
    fn negative_weights_draw_from_the_right() {
        check(
            Shape::default(),
            &[(5, -3), (100, 0)],
            "
               2                                         | 0        $
               4 @@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@| -3       $
               8                                         | 0        $
",
        );
    }

    #[test]
    fn cancelled_weights_show_three_rows() {
        check(
            Shape::default(),
            &[(1, 1), (1, -1)],
            "
              -1 |                                         0        $
               0 |                                         0        $
               1 |                                         0        $
",
        );
        check(
            Shape { base: 0, limit: 10, step: 10 },
            &[],
            "
             < 0 |                                         0        $
               0 |                                         0        $
           >= 10 |                                         0        $
",
        );
    }

    #[test]
    fn large_counts() {
        check(
            Shape::default(),
            &[(1, 12_345_678_901)],
            "
               0 |                                         0        $
               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 12345678901
               2 |                                         0        $
",
        );
    }

    #[test]
    fn the_ends_of_the_range() {
        check(
            Shape::default(),
            &[(i64::MIN, 1)],
            "
-4611686018427387904 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1        $
-2305843009213693952 |                                         0        $
",
        );
        check(
            Shape::default(),
            &[(1 << 62, 1)],
            "
2305843009213693952 |                                         0        $
4611686018427387904 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1        $
",
        );
    }

    #[test]
    fn lquantize() {
        check(
            Shape { base: 0, limit: 10, step: 5 },
            &ones(&[-3, 0, 5, 9, 10, 99]),
            "
             < 0 |@@@@@@@                                  1        $
               0 |@@@@@@@                                  1        $
               5 |@@@@@@@@@@@@@                            2        $
           >= 10 |@@@@@@@@@@@@@                            2        $
",
        );
        check(
            Shape { base: -10, limit: 10, step: 5 },
            &ones(&[-7, -12, 3]),
            "
           < -10 |@@@@@@@@@@@@@                            1        $
             -10 |@@@@@@@@@@@@@                            1        $
              -5 |                                         0        $
               0 |@@@@@@@@@@@@@                            1        $
               5 |                                         0        $
",
        );
        check(
            Shape { base: 0, limit: 10, step: 4 },
            &ones(&[9, 8, 7, 11]),
            "
               0 |                                         0        $
               4 |@@@@@@@@@@                               1        $
            >= 8 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           3        $
",
        );
        check(
            Shape { base: i32::MIN, limit: -2_147_483_000, step: 300 },
            &ones(&[i64::from(i32::MIN), 7]),
            "
   < -2147483648 |                                         0        $
     -2147483648 |@@@@@@@@@@@@@@@@@@@@                     1        $
     -2147483348 |                                         0        $
  >= -2147483048 |@@@@@@@@@@@@@@@@@@@@                     1        $
",
        );
    }

    #[test]
    fn bars_are_of_counts_before_they_are_divided() {
        let mut out = Vec::new();
        histogram(&mut out, Shape { base: 0, limit: 10, step: 5 }, &[0, 7, 0, -3], 2);
        let expected = format!(
            "{HEADING}{:>16} {:20}|{:21}0        \n{:>16} {:20}|{:14}{:7}3        \n{:>16} {:20}|{:21}0        \n{:>16} {:14}@@@@@@|{:21}-1       \n",
            "< 0", "", "", "0", "", "@@@@@@@@@@@@@@", "", "5", "", "", ">= 10", "", ""
        );
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }

    #[test]
    fn bars_round_half_up_exactly() {
        for (value, total, cells, length) in [
            (1, 80, 40, 1),
            (1, 81, 40, 0),
            (79, 80, 40, 40),
            (i64::MAX, 2 * i64::MAX as u128, 40, 20),
            (i64::MIN, 1 << 63, 20, 20),
            (0, 0, 40, 0),
        ] {
            assert_eq!(bar_length(value, total, cells), length, "{value} of {total}");
        }
    }

    proptest! {
        /// Every row keeps the columns of runtime spec §7.5, whatever the buckets.
        #[test]
        fn rows_keep_their_columns(
            set in prop::collection::vec((0_usize..127, prop_oneof![any::<i64>(), -9_i64..9]), 0..6),
        ) {
            let mut buckets = vec![0_i64; 127];
            set.iter().for_each(|&(i, n)| buckets[i] = n);
            let mut out = Vec::new();
            histogram(&mut out, Shape::default(), &buckets, 1);
            let text = String::from_utf8(out).expect("ASCII");
            let rows: Vec<&str> = text.strip_prefix(HEADING).expect("the heading").lines().collect();

            let indices: Vec<usize> = (0..127).filter(|&i| buckets[i] != 0).collect();
            let (low, high) = match (indices.first(), indices.last()) {
                (Some(&low), Some(&high)) => (low.max(1) - 1, (high + 1).min(126)),
                _ => (62, 64),
            };
            prop_assert_eq!(rows.len(), high - low + 1);
            let total: f64 = buckets.iter().map(|&n| n.unsigned_abs() as f64).sum();
            let any_above = buckets.iter().any(|&n| n > 0);
            let any_below = buckets.iter().any(|&n| n < 0);
            for (row, index) in rows.iter().zip(low..) {
                let value = buckets[index];
                let label = match index {
                    63 => "0".to_owned(),
                    64.. => (1_i128 << (index - 64)).to_string(),
                    _ => (-(1_i128 << (62 - index))).to_string(),
                };
                let width = label.len().max(16);
                prop_assert_eq!(row[..width].trim_start(), label);
                prop_assert_eq!(&row[width..=width], " ");
                let bar = &row[width + 1..width + 42];
                let count = &row[width + 42..];
                prop_assert_eq!(count, format!(" {:<9}", value));
                let axis = match (any_above, any_below) {
                    (true, true) => 20,
                    (false, true) => 40,
                    _ => 0,
                };
                prop_assert_eq!(bar.find('|'), Some(axis));
                let cells = bar.matches('@').count();
                prop_assert_eq!(bar.matches(' ').count() + cells + 1, 41);
                // The bar touches the axis, on the side of its sign.
                if cells > 0 {
                    let side = if any_below && (value <= 0 || !any_above) { axis - 1 } else { axis + 1 };
                    prop_assert_eq!(bar.as_bytes()[side], b'@');
                }
                let length = if any_above && any_below { 20.0 } else { 40.0 };
                if total > 0.0 {
                    let exact = value.unsigned_abs() as f64 * length / total;
                    prop_assert!((cells as f64 - exact).abs() <= 0.5 + 1e-9);
                }
            }
        }
    }
}
