//! Histograms (runtime spec §7.5): buckets in, a heading and rows out. Bars are exact: all arithmetic is on integers.

use std::io::Write as _;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use dtrail_lang::builtins::aggs::Shape;
use dtrail_lang::builtins::shapes::{Bucket, QUANTIZE_BUCKETS};

use super::decimal;
use crate::agg::{Buckets, divided};

/// How bars are drawn (`aggzoom`, `encoding`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BarStyle {
    /// The longest bar takes 95 % of the room, instead of the sum of all taking the whole.
    pub zoom: bool,
    /// Bars of positive counts have eighths of a cell.
    pub utf8: bool,
}

/// Which bars a distribution draws, by the signs of its counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signs {
    /// No count is below 0.
    Positive,
    /// No count is above 0, and one is below.
    Negative,
    /// Both.
    Mixed,
}

/// What all bars of a distribution are drawn against.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// What fills the room, as a fraction; both 0 if every count is.
    whole: (u128, u128),
    signs: Signs,
    utf8: bool,
}

impl Scale {
    /// The scale of a distribution with these counts.
    pub(super) fn of(counts: impl Iterator<Item = i64>, style: BarStyle) -> Scale {
        let (mut total, mut most, mut above, mut below) = (0_u128, 0_u128, false, false);
        for count in counts {
            let size = u128::from(count.unsigned_abs());
            total += size;
            most = most.max(size);
            above |= count > 0;
            below |= count < 0;
        }
        let signs = match (above, below) {
            (true, true) => Signs::Mixed,
            (false, true) => Signs::Negative,
            (_, false) => Signs::Positive,
        };
        // 95 hundredths of the room for the largest.
        let whole = if style.zoom { (20 * most, 19) } else { (total, 1) };
        Scale { whole, signs, utf8: style.utf8 }
    }

    /// `floor(|value| · cells / whole + 1/2)`, at most `cells`.
    pub(super) fn rounded(self, value: i64, cells: u8) -> usize {
        let (above, below) = self.whole;
        let size = value.unsigned_abs();
        if above == 0 || size == 0 {
            return 0;
        }
        let most = usize::from(cells);
        // Two divisions of 128 bits a row would be most of a long print.
        if size < NARROW && above < u128::from(NARROW) {
            let (above, below) = (above as u64, below as u64);
            return ((2 * size * u64::from(cells) * below + above) / (2 * above)).min(u64::from(cells))
                as usize;
        }
        let doubled = 2 * u128::from(size) * u128::from(cells) * below + above;
        usize::try_from(doubled / (2 * above)).unwrap_or(most).min(most)
    }

    /// Eighths of a cell of a bar, rounded down.
    fn eighths(self, value: i64, cells: u128) -> usize {
        let (above, below) = self.whole;
        if above == 0 {
            return 0;
        }
        (u128::from(value.unsigned_abs()) * cells * below * 8 / above).min(8 * cells) as usize
    }

    /// Appends a bar, the blank behind it, a count and a newline.
    pub(super) fn row(self, out: &mut Vec<u8>, value: i64, count: i64) {
        self.bar(out, value);
        if count == 0 {
            // Most rows of most histograms.
            return out.extend_from_slice(b" 0        \n");
        }
        out.push(b' ');
        decimal::left(out, count, 9);
        out.push(b'\n');
    }

    fn bar(self, out: &mut Vec<u8>, value: i64) {
        let bars = match self.signs {
            Signs::Positive if self.utf8 => return self.fine_bar(out, value),
            Signs::Positive => &RIGHT,
            Signs::Negative => &LEFT,
            Signs::Mixed if value <= 0 => &HALF_LEFT,
            Signs::Mixed => &HALF_RIGHT,
        };
        let cells = if self.signs == Signs::Mixed { 20 } else { 40 };
        out.extend_from_slice(&bars[self.rounded(value, cells)]);
    }

    /// A bar to the right with eighths of a cell.
    fn fine_bar(self, out: &mut Vec<u8>, value: i64) {
        out.push(b'|');
        let eighths = self.eighths(value, 40);
        (0..eighths / 8).for_each(|_| out.extend_from_slice("\u{2588}".as_bytes()));
        let part = eighths % 8;
        if let Some(block) = PARTS.get(part.wrapping_sub(1)) {
            out.extend_from_slice(block.as_bytes());
        }
        out.resize(out.len() + 40 - eighths / 8 - usize::from(part > 0), b' ');
    }
}

/// Below this a bar's length is worked out in 64 bits: 2 · 40 · 19 of it and as much again fit.
const NARROW: u64 = 1 << 52;

/// A bar and the axis it begins at, in 41 characters.
type Bar = [u8; 41];

/// Bars of each length to the right of an axis at the left end, and to the left of one at the right end.
static RIGHT: [Bar; 41] = bars(0, false);
static LEFT: [Bar; 41] = bars(40, true);
/// The same for an axis in the middle; none is longer than 20.
static HALF_RIGHT: [Bar; 41] = bars(20, false);
static HALF_LEFT: [Bar; 41] = bars(20, true);

const fn bars(axis: usize, to_the_left: bool) -> [Bar; 41] {
    let mut bars = [[b' '; 41]; 41];
    let mut length = 0;
    while length < bars.len() {
        let mut cell = 1;
        while cell <= length && (if to_the_left { cell <= axis } else { axis + cell < 41 }) {
            bars[length][if to_the_left { axis - cell } else { axis + cell }] = b'@';
            cell += 1;
        }
        bars[length][axis] = b'|';
        length += 1;
    }
    bars
}

/// One to seven eighths of a cell.
const PARTS: [&str; 7] = ["\u{258f}", "\u{258e}", "\u{258d}", "\u{258c}", "\u{258b}", "\u{258a}", "\u{2589}"];

/// Appends a histogram, from the newline before its heading to that after its last row. `normal` divides the counts, not
/// the bars.
pub fn histogram(out: &mut Vec<u8>, shape: Shape, buckets: &Buckets, normal: i64, style: BarStyle) {
    let range = shown_range(shape, buckets);
    out.extend_from_slice(HEADING);
    out.reserve(ROW * (range.end() + 1 - range.start()));
    let scale = Scale::of(buckets.iter().map(|(_, count)| count), style);
    let first = *range.start();
    for index in range {
        if label(out, shape, index, first) {
            let count = buckets.get(index);
            scale.row(out, count, divided(count, normal));
        }
    }
}

/// About how long a row is.
const ROW: usize = 69;

/// The heading of a histogram and the newlines around it.
const HEADING: &[u8] = b"\n           value  ------------- Distribution ------------- count    \n";

/// Appends the heading of a distribution and the newline before it.
pub(super) fn heading(out: &mut Vec<u8>, title: &str, width: usize) {
    let distribution = "------------- Distribution -------------";
    // Writing to a vector cannot fail.
    let _ = writeln!(out, "\n{title:>width$} {distribution:>41} {:<9}", "count");
}

/// One bucket more than the non-zero ones on each side, if there is one; if all are 0, the three around the shape's
/// origin. Indices that no value reaches do not count.
fn shown_range(shape: Shape, buckets: &Buckets) -> RangeInclusive<usize> {
    let last = (shape.buckets() as usize).saturating_sub(1);
    let mut set = buckets.iter().map(|(index, _)| index);
    let first_set = set.next();
    let (low, high) = match (first_set, set.next_back().or(first_set)) {
        (Some(low), Some(high)) => (low, high),
        _ => (shape.origin(), shape.origin()),
    };
    let real = |index: &usize| shape.holds(*index) != Bucket::Ghost;
    let before = (0..low).rev().find(real).unwrap_or(low);
    let after = (high + 1..=last).find(real).unwrap_or(high.min(last));
    before..=after
}

/// What the rows of `quantize` begin with.
static POWERS: LazyLock<Vec<Box<[u8]>>> = LazyLock::new(|| {
    let power = |bucket| format!("{:>16} ", Shape::Plain.stands_for(bucket)).into_bytes().into();
    (0..QUANTIZE_BUCKETS).map(power).collect()
});

/// Appends what a row says of its bucket, at the right of 16 columns, and a blank; `false`: no value falls into it, and it
/// has no row. `first` is the index of the first row.
fn label(out: &mut Vec<u8>, shape: Shape, index: usize, first: usize) -> bool {
    if let (Shape::Plain, Some(power)) = (shape, POWERS.get(index)) {
        out.extend_from_slice(power);
        return true;
    }
    let (words, value) = match shape.holds(index) {
        Bucket::From(value) => ("", value),
        Bucket::Below(value) => ("< ", value.into()),
        Bucket::AtLeast(value) => (">= ", value),
        Bucket::AtMost(value) => ("<= ", value),
        Bucket::Within(1) => ("", 0),
        Bucket::Within(value) if index <= first => ("< ", value),
        Bucket::Within(value) => ("abs() < ", value),
        Bucket::Ghost => return false,
    };
    match i64::try_from(value) {
        Ok(value) if words.is_empty() => decimal::right(out, value, 16),
        // Writing to a vector cannot fail.
        _ => drop(write!(out, "{:>16}", format_args!("{words}{value}").to_string())),
    }
    out.push(b' ');
    true
}

#[cfg(test)]
mod tests {
    use dtrail_lang::builtins::AggFn;
    use dtrail_lang::builtins::aggs::{Linear, LogLinear};
    use proptest::prelude::*;

    use super::*;
    use crate::agg::AggState;

    const HEADING: &str = "\n           value  ------------- Distribution ------------- count    \n";

    /// Draws weighted values; `expected` is what follows the heading, `$` marking line ends.
    fn check(shape: Shape, updates: &[(i64, i64)], expected: &str) {
        let mut state = AggState::new(AggFn::Quantize);
        updates.iter().for_each(|&(value, weight)| state.update(shape, value, weight));
        let AggState::Buckets(buckets) = state else { panic!("a histogram") };
        let mut out = Vec::new();
        histogram(&mut out, shape, &buckets, 1, BarStyle::default());
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
            Shape::linear(0, 5, 1),
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
            Shape::linear(0, 10, 10),
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
            Shape::linear(0, 10, 5),
            &ones(&[-3, 0, 5, 9, 10, 99]),
            "
             < 0 |@@@@@@@                                  1        $
               0 |@@@@@@@                                  1        $
               5 |@@@@@@@@@@@@@                            2        $
           >= 10 |@@@@@@@@@@@@@                            2        $
",
        );
        check(
            Shape::linear(-10, 10, 5),
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
            Shape::linear(0, 10, 4),
            &ones(&[9, 8, 7, 11]),
            "
               0 |                                         0        $
               4 |@@@@@@@@@@                               1        $
            >= 8 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           3        $
",
        );
        check(
            Shape::linear(i32::MIN, -2_147_483_000, 300),
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
        let buckets = [(1, 7), (3, -3)].into_iter().collect();
        histogram(&mut out, Shape::linear(0, 10, 5), &buckets, 2, BarStyle::default());
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
            let scale = Scale { whole: (total, 1), signs: Signs::Positive, utf8: false };
            assert_eq!(scale.rounded(value, cells), length, "{value} of {total}");
        }
    }

    #[test]
    fn llquantize() {
        let shape = |factor, low, high, steps| Shape::LogLinear(LogLinear { factor, low, high, steps });
        check(
            shape(10, 0, 5, 5),
            &[(320, 8)],
            "
             100 |                                         0        $
             200 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 8        $
             400 |                                         0        $
",
        );
        check(
            shape(10, 1, 2, 10),
            &ones(&[-30, 0, 30]),
            "
             -40 |                                         0        $
             -30 |@@@@@@@@@@@@@                            1        $
             -20 |                                         0        $
             -10 |                                         0        $
      abs() < 10 |@@@@@@@@@@@@@                            1        $
              10 |                                         0        $
              20 |                                         0        $
              30 |@@@@@@@@@@@@@                            1        $
              40 |                                         0        $
",
        );
        check(
            shape(2, 0, 3, 2),
            &ones(&[1, 2, 3, 4, 5, 6, 7, 8, 16]),
            "
               0 |                                         0        $
               1 |@@@@                                     1        $
               2 |@@@@@@@@@                                2        $
               4 |@@@@@@@@@@@@@@@@@@                       4        $
               8 |@@@@                                     1        $
           >= 16 |@@@@                                     1        $
",
        );
        // From magnitude 0 on with more steps than the factor: indices that no value reaches have no row.
        check(
            shape(10, 0, 2, 20),
            &[(2, 1), (-1, 1)],
            "
              -2 |                                         0        $
              -1 |@@@@@@@@@@@@@@@@@@@@                     1        $
               0 |                                         0        $
               1 |                                         0        $
               2 |@@@@@@@@@@@@@@@@@@@@                     1        $
               3 |                                         0        $
",
        );
        check(
            shape(10, 1, 2, 10),
            &[],
            "
            < 10 |                                         0        $
              10 |                                         0        $
              20 |                                         0        $
",
        );
        check(
            shape(10, 1, 1, 10),
            &ones(&[-5000, 5]),
            "
         <= -100 |@@@@@@@@@@@@@@@@@@@@                     1        $
             -90 |                                         0        $
             -80 |                                         0        $
             -70 |                                         0        $
             -60 |                                         0        $
             -50 |                                         0        $
             -40 |                                         0        $
             -30 |                                         0        $
             -20 |                                         0        $
             -10 |                                         0        $
      abs() < 10 |@@@@@@@@@@@@@@@@@@@@                     1        $
              10 |                                         0        $
",
        );
    }

    #[test]
    fn zoomed_and_fine_bars() {
        let draw = |style, buckets: &[(usize, i64)]| {
            let mut out = Vec::new();
            let buckets = buckets.iter().copied().collect();
            histogram(&mut out, Shape::Plain, &buckets, 1, style);
            let text = String::from_utf8(out).expect("UTF-8");
            text.lines().skip(3).map(|row| row[17..].trim_end().to_owned()).collect::<Vec<_>>()
        };
        let zoom = BarStyle { zoom: true, utf8: false };
        let rows = draw(zoom, &[(64, 1), (65, 10)]);
        // 40 · 0.95 / 10 = 3.8, and 38.
        assert_eq!(rows[0], format!("|{:40} 1", "@@@@"));
        assert_eq!(rows[1], format!("|{:40} 10", "@".repeat(38)));
        let utf8 = BarStyle { zoom: false, utf8: true };
        let rows = draw(utf8, &[(64, 1), (65, 15), (66, 16)]);
        // 40 / 32 = 1.25, 18.75 and 20 cells.
        assert_eq!(rows[0], format!("|{:40} 1", "\u{2588}\u{258e}"));
        assert_eq!(rows[1], format!("|{:40} 15", "\u{2588}".repeat(18) + "\u{258a}"));
        assert_eq!(rows[2], format!("|{:40} 16", "\u{2588}".repeat(20)));
        let rows = draw(utf8, &[(64, 1), (65, -1)]);
        assert_eq!(rows[0], format!("{:20}|{:20} 1", "", "@".repeat(10)), "only positive bars are fine");
    }

    /// The labels of runtime spec §7.2 to §7.4 in ascending order, worked out from what the functions mean: the ends of
    /// the intervals, not the indices. Each label with the least and greatest value that belong under it.
    fn intervals(shape: Shape) -> Vec<(String, i128, i128)> {
        let (low, high) = (i128::from(i64::MIN), i128::from(i64::MAX));
        match shape {
            Shape::Plain => {
                let mut rows = vec![("0".to_owned(), 0, 0)];
                for k in 0..63 {
                    let power = 1_i128 << k;
                    rows.push((power.to_string(), power, 2 * power - 1));
                    let lowest = if k == 62 { low } else { 1 - 2 * power };
                    rows.insert(0, ((-power).to_string(), lowest, -power));
                }
                rows
            }
            Shape::Linear(Linear { base, limit, step }) => {
                let (base, step) = (i128::from(base), i128::from(step));
                let mut rows = vec![(format!("< {base}"), low, base - 1)];
                let mut at = base;
                while at + step <= i128::from(limit) {
                    rows.push((at.to_string(), at, at + step - 1));
                    at += step;
                }
                rows.push((format!(">= {at}"), at, high));
                rows
            }
            Shape::Percentiles(_) | Shape::Distinct { .. } | Shape::Top { .. } => Vec::new(),
            Shape::LogLinear(LogLinear { factor, low: from, high: to, steps }) => {
                let (factor, steps) = (i128::from(factor), i128::from(steps));
                let least = factor.pow(u32::from(from));
                let end = factor.pow(u32::from(to) + 1);
                let mut starts = vec![];
                for magnitude in u32::from(from)..=u32::from(to) {
                    let next = factor.pow(magnitude + 1);
                    // The whole numbers among the steps from this magnitude up to the next.
                    let whole =
                        (1..=steps).filter(|step| step * next % steps == 0).map(|step| step * next / steps);
                    starts.push(factor.pow(magnitude));
                    starts.extend(whole.filter(|&at| at > factor.pow(magnitude) && at < next));
                }
                starts.push(end);
                let mut above = Vec::new();
                for (i, &at) in starts.iter().enumerate() {
                    above.push((at, starts.get(i + 1).map_or(high, |next| next - 1)));
                }
                let label = |at: i128| if at == end { format!(">= {at}") } else { at.to_string() };
                let below = |at: i128| if at == end { format!("<= -{at}") } else { (-at).to_string() };
                let mut rows: Vec<_> = above
                    .iter()
                    .rev()
                    .map(|&(at, last)| (below(at), if at == end { low } else { -last }, -at))
                    .collect();
                rows.push(("underflow".to_owned(), 1 - least, least - 1));
                rows.extend(above.iter().map(|&(at, last)| (label(at), at, last)));
                rows
            }
        }
    }

    fn shapes() -> impl Strategy<Value = Shape> {
        let linear = (-50_i32..50, 1_i32..60, 1_u16..9)
            .prop_filter("a level", |&(_, width, step)| i32::from(step) <= width)
            .prop_map(|(base, width, step)| Shape::linear(base, base + width, step));
        let log = prop_oneof![
            Just((10, 0, 3, 10)),
            Just((10, 0, 2, 20)),
            Just((10, 1, 2, 5)),
            Just((2, 3, 8, 4)),
            Just((6, 0, 2, 12)),
            Just((3, 2, 4, 27)),
            Just((4, 0, 4, 2)),
        ]
        .prop_map(|(factor, low, high, steps)| Shape::LogLinear(LogLinear { factor, low, high, steps }));
        prop_oneof![Just(Shape::Plain), linear, log]
    }

    proptest! {
        /// Every row is where runtime spec §7.2 to §7.5 says, with the count of the values that its label covers and a
        /// bar of the length that exact fractions give; all of it worked out here from intervals.
        #[test]
        fn rows_follow_the_rules(
            shape in shapes(),
            values in prop::collection::vec(
                (
                    prop_oneof![-70_i64..70, -5000_i64..5000, any::<i64>(), (0_u32..64).prop_map(|k| (1_u64 << k) as i64)],
                    prop_oneof![Just(1_i64), -9_i64..9, any::<i64>()],
                ),
                0..12,
            ),
            normal in prop_oneof![Just(1_i64), 2_i64..9, Just(-3_i64)],
        ) {
            let mut state = AggState::new(AggFn::Quantize);
            values.iter().for_each(|&(value, weight)| state.update(shape, value, weight));
            let AggState::Buckets(buckets) = state else { panic!("a histogram") };
            let mut out = Vec::new();
            histogram(&mut out, shape, &buckets, normal, BarStyle::default());
            let text = String::from_utf8(out).expect("ASCII");
            let rows: Vec<&str> = text.strip_prefix(HEADING).expect("the heading").lines().collect();

            let all: Vec<(String, i64)> = intervals(shape)
                .into_iter()
                .map(|(label, least, most)| {
                    let inside = values.iter().filter(|(v, _)| (least..=most).contains(&i128::from(*v)));
                    (label, inside.fold(0_i64, |sum, (_, weight)| sum.wrapping_add(*weight)))
                })
                .collect();
            let set: Vec<usize> = (0..all.len()).filter(|&i| all[i].1 != 0).collect();
            let middle = all.iter().position(|(label, _)| label == "underflow");
            let (low, high) = match (set.first(), set.last()) {
                (Some(&low), Some(&high)) => (low.max(1) - 1, (high + 1).min(all.len() - 1)),
                _ => match (shape, middle) {
                    (Shape::Plain, _) => (62, 64),
                    (_, Some(middle)) => (middle, middle + 2),
                    _ => (0, 2),
                },
            };
            prop_assert_eq!(rows.len(), high - low + 1);
            let total: i128 = all.iter().map(|(_, n)| i128::from(n.unsigned_abs())).sum();
            let any_above = all.iter().any(|(_, n)| *n > 0);
            let any_below = all.iter().any(|(_, n)| *n < 0);
            for (row, (i, (label, count))) in rows.iter().zip(all.iter().enumerate().skip(low)) {
                let label = match (label.as_str(), shape) {
                    ("underflow", Shape::LogLinear(shape)) => match u64::from(shape.factor).pow(shape.low.into()) {
                        1 => "0".to_owned(),
                        least if i == low => format!("< {least}"),
                        least => format!("abs() < {least}"),
                    },
                    _ => label.clone(),
                };
                let width = label.len().max(16);
                prop_assert_eq!(row[..width].trim_start(), label);
                prop_assert_eq!(&row[width..=width], " ");
                let bar = &row[width + 1..width + 42];
                prop_assert_eq!(&row[width + 42..], format!(" {:<9}", count.wrapping_div(normal)));
                let (axis, cells) = match (any_above, any_below) {
                    (true, true) => (20, 20),
                    (false, true) => (40, 40),
                    _ => (0, 40),
                };
                prop_assert_eq!(bar.find('|'), Some(axis));
                // floor(x + 1/2) for a fraction: the whole number n with 2n - 1 <= 2x < 2n + 1.
                let length = bar.matches('@').count();
                if total > 0 {
                    let twice = 2 * i128::from(count.unsigned_abs()) * cells;
                    let n = length as i128;
                    prop_assert!((2 * n - 1) * total <= twice && twice < (2 * n + 1) * total);
                } else {
                    prop_assert_eq!(length, 0);
                }
                let left = any_below && (*count <= 0 || !any_above);
                let drawn = if left {
                    format!("{}{}|", " ".repeat(axis - length), "@".repeat(length))
                } else {
                    format!("{}|{}", " ".repeat(axis), "@".repeat(length))
                };
                prop_assert_eq!(bar, format!("{drawn:41}"));
            }
        }
    }
}
