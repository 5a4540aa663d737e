//! The constants of aggregating functions, and the histograms they describe: which bucket a value falls into, and what a
//! bucket stands for (runtime spec §7.2 to §7.4, §7.7). In: constants and values. Out: indices and numbers.

/// How `percentile` is given what lies between two whole percentages.
pub const PERCENTAGES: &str = "999 is 99.9 percent, 9999 is 99.99 percent";

/// Number of buckets of `quantize`.
pub const QUANTIZE_BUCKETS: usize = 127;
/// Index of its zero bucket.
pub const QUANTIZE_ZERO: usize = 63;

/// The constants of an aggregation's function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shape {
    /// No constants. As a histogram: the powers of two of `quantize`.
    #[default]
    Plain,
    /// Of `lquantize`.
    Linear(Linear),
    /// Of `llquantize`.
    LogLinear(LogLinear),
    /// Of `percentile`. As a histogram: see [`FineBuckets`].
    Percentiles(Percentiles),
    /// Of `distinct`.
    Distinct {
        /// Whether it counts strings; else integers.
        strings: bool,
    },
    /// Of `topk`.
    Top {
        /// How many values it shows.
        wanted: u16,
        /// Whether they are strings; else integers.
        strings: bool,
    },
}

/// The percentages of `percentile`, in hundredths, in the order of the arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Percentiles {
    hundredths: [u16; Percentiles::MOST],
    count: u8,
}

impl Percentiles {
    /// How many an aggregation can have.
    pub const MOST: usize = 8;

    /// No percentages.
    pub const NONE: Percentiles = Percentiles { hundredths: [0; Percentiles::MOST], count: 0 };

    /// One percentage more, as programs write it: 1 to 100 are whole ones; longer numbers have their decimals behind the
    /// second digit, 999 for 99.9 and 9995 for 99.95. `None`: it is none, or there are enough.
    pub fn and(mut self, written: i64) -> Option<Percentiles> {
        let hundredths = match written {
            1..=100 => written * 100,
            101..=999 => written * 10,
            1000..=9999 => written,
            _ => return None,
        };
        *self.hundredths.get_mut(usize::from(self.count))? = hundredths as u16;
        self.count += 1;
        Some(self)
    }

    /// Hundredths of a percent.
    pub fn hundredths(&self) -> &[u16] {
        &self.hundredths[..usize::from(self.count)]
    }

    /// As programs write them.
    pub fn written(&self) -> impl Iterator<Item = u16> {
        self.hundredths().iter().map(|&h| match h {
            h if h % 100 == 0 => h / 100,
            h if h % 10 == 0 => h / 10,
            h => h,
        })
    }
}

/// Buckets so fine that the middle of one is within 1 % of every value in it: those of absolute values below 128 hold one
/// value each, and each power of two from there on is cut into 64 of equal width. Negative values mirror positive ones.
#[derive(Clone, Copy, Debug)]
pub struct FineBuckets;

impl FineBuckets {
    /// Buckets of one sign, with that of 0.
    const HALF: usize = 128 + 56 * 64;

    fn distance(value: u64) -> usize {
        match value.checked_ilog2() {
            Some(log) if log >= 7 => {
                let shift = log - 6;
                128 + (shift as usize - 1) * 64 + ((value >> shift) as usize - 64)
            }
            _ => value as usize,
        }
    }

    /// The bucket of a value.
    pub fn bucket(value: i64) -> usize {
        let away = FineBuckets::distance(value.unsigned_abs());
        if value < 0 { FineBuckets::HALF - away } else { FineBuckets::HALF + away }
    }

    /// The value in the middle of a bucket.
    pub fn middle(bucket: usize) -> i64 {
        let away = bucket.abs_diff(FineBuckets::HALF);
        let value = match away.checked_sub(128) {
            None => away as u64,
            Some(above) => {
                let shift = (above / 64 + 1).min(57) as u32;
                let low = (64 + above as u64 % 64) << shift;
                low + ((1 << shift) - 1) / 2
            }
        };
        let value = i64::try_from(value).unwrap_or(i64::MAX);
        if bucket < FineBuckets::HALF { -value } else { value }
    }
}

/// The constants of `lquantize`: `base < limit`, and at least one step between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Linear {
    /// Lower end of the first bucket.
    pub base: i32,
    /// Upper end.
    pub limit: i32,
    /// Width of a bucket, 1 to 65535.
    pub step: u16,
}

/// The constants of `llquantize`. [`LogLinear::check`] says what they must satisfy; the other methods rely on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LogLinear {
    /// The ratio of one magnitude to the one before.
    pub factor: u16,
    /// The lowest magnitude.
    pub low: u16,
    /// The highest magnitude.
    pub high: u16,
    /// Steps from 0 to the end of a magnitude.
    pub steps: u16,
}

/// What is wrong with the constants of `llquantize`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLinearError {
    /// A factor below 2.
    Factor,
    /// The high magnitude is below the low one.
    Order,
    /// `factor^(high + 1)` needs more than 64 bits.
    Overflow,
    /// No steps.
    NoSteps,
    /// Fewer steps than the factor that do not divide it.
    Divide,
    /// More steps than the factor that are no multiple of it.
    Multiple,
    /// More steps than the factor that do not divide its square, from magnitude 0 on.
    DivideSquare,
    /// More steps than the factor that do not divide the end of the lowest magnitude.
    DividePower,
}

/// What the bucket of a histogram holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bucket {
    /// Values below this one.
    Below(i64),
    /// Values from this one on, up to the next bucket; for a negative one of `quantize` and `llquantize`, from this one
    /// down.
    From(i128),
    /// This value and all above.
    AtLeast(i128),
    /// This value and all below.
    AtMost(i128),
    /// Values whose absolute value is below this one.
    Within(i128),
    /// No value at all: an index between those in use.
    Ghost,
}

impl Shape {
    /// The shape of `lquantize(…, base, limit, step)`.
    pub const fn linear(base: i32, limit: i32, step: u16) -> Shape {
        Shape::Linear(Linear { base, limit, step })
    }

    /// Whether the values are strings.
    pub fn strings(self) -> bool {
        matches!(self, Shape::Distinct { strings: true } | Shape::Top { strings: true, .. })
    }

    /// How many numbers an entry has, of those that have any.
    pub fn results(self) -> usize {
        match self {
            Shape::Percentiles(percentiles) => percentiles.hundredths().len(),
            _ => 1,
        }
    }

    /// Number of buckets of the histogram.
    pub fn buckets(self) -> u32 {
        match self {
            Shape::Plain => QUANTIZE_BUCKETS as u32,
            Shape::Linear(linear) => linear.levels() + 2,
            Shape::LogLinear(shape) => shape.buckets(),
            Shape::Percentiles(_) => 2 * FineBuckets::HALF as u32 + 1,
            Shape::Distinct { .. } | Shape::Top { .. } => 0,
        }
    }

    /// The bucket of a value.
    pub fn bucket(self, value: i64) -> usize {
        match self {
            Shape::Plain => quantize_bucket(value),
            Shape::Linear(linear) => linear.bucket(value),
            Shape::LogLinear(shape) => shape.bucket(value),
            Shape::Percentiles(_) => FineBuckets::bucket(value),
            Shape::Distinct { .. } | Shape::Top { .. } => 0,
        }
    }

    /// What a bucket holds.
    pub fn holds(self, bucket: usize) -> Bucket {
        match self {
            Shape::Plain => Bucket::From(quantize_value(bucket).into()),
            Shape::Linear(linear) => linear.holds(bucket),
            Shape::LogLinear(shape) => shape.holds(bucket),
            Shape::Percentiles(_) => Bucket::From(FineBuckets::middle(bucket).into()),
            Shape::Distinct { .. } | Shape::Top { .. } => Bucket::Ghost,
        }
    }

    /// The value that stands for a bucket when histograms are compared.
    pub fn stands_for(self, bucket: usize) -> i128 {
        match (self, self.holds(bucket)) {
            (_, Bucket::From(value))
            | (Shape::LogLinear(_), Bucket::AtLeast(value) | Bucket::AtMost(value)) => value,
            (_, Bucket::Below(base)) => i128::from(base) - 1,
            (_, Bucket::AtLeast(limit)) => limit + 1,
            (_, Bucket::AtMost(limit)) => limit - 1,
            (_, Bucket::Within(_) | Bucket::Ghost) => 0,
        }
    }

    /// The bucket that decides between histograms of equal sums: that of 0; there may be none.
    pub fn tie(self) -> Option<usize> {
        match self {
            Shape::Plain => Some(QUANTIZE_ZERO),
            Shape::Percentiles(_) | Shape::Distinct { .. } | Shape::Top { .. } => None,
            // The overflow and underflow buckets of small numbers can stand for 0, too.
            Shape::Linear(_) => {
                let near = self.bucket(0);
                let range = near.saturating_sub(1)..(near + 2).min(self.buckets() as usize);
                range.into_iter().find(|&bucket| self.stands_for(bucket) == 0)
            }
            Shape::LogLinear(shape) => Some(shape.middle() as usize),
        }
    }

    /// The bucket around which the first three are shown if all are empty.
    pub fn origin(self) -> usize {
        match self {
            Shape::Plain => QUANTIZE_ZERO,
            Shape::Linear(_) => 1,
            Shape::LogLinear(shape) => shape.middle() as usize + 1,
            Shape::Percentiles(_) | Shape::Distinct { .. } | Shape::Top { .. } => 0,
        }
    }
}

impl Linear {
    /// Number of buckets between the underflow and the overflow bucket.
    pub fn levels(self) -> u32 {
        ((i64::from(self.limit) - i64::from(self.base)) / i64::from(self.step.max(1))).max(0) as u32
    }

    /// 0 is the underflow, `levels + 1` the overflow.
    fn bucket(self, value: i64) -> usize {
        let offset = i128::from(value) - i128::from(self.base);
        if offset < 0 {
            return 0;
        }
        let bucket = offset / i128::from(self.step.max(1));
        1 + bucket.min(i128::from(self.levels())) as usize
    }

    fn holds(self, bucket: usize) -> Bucket {
        let (base, step, levels) = (i64::from(self.base), i64::from(self.step), i64::from(self.levels()));
        match bucket as i64 {
            0 => Bucket::Below(base),
            i if i > levels => Bucket::AtLeast((base + levels * step).into()),
            i => Bucket::From((base + (i - 1) * step).into()),
        }
    }
}

impl LogLinear {
    /// Why these constants do not describe a histogram, if they do not.
    pub fn check(self) -> Result<(), LogLinearError> {
        let (factor, steps) = (u64::from(self.factor), u64::from(self.steps));
        if factor < 2 {
            return Err(LogLinearError::Factor);
        }
        if self.high < self.low {
            return Err(LogLinearError::Order);
        }
        if factor.checked_pow(u32::from(self.high) + 1).is_none() {
            return Err(LogLinearError::Overflow);
        }
        if steps == 0 {
            return Err(LogLinearError::NoSteps);
        }
        if steps < factor && !factor.is_multiple_of(steps) {
            return Err(LogLinearError::Divide);
        }
        if steps > factor {
            if !steps.is_multiple_of(factor) {
                return Err(LogLinearError::Multiple);
            }
            if self.low == 0 && !(factor * factor).is_multiple_of(steps) {
                return Err(LogLinearError::DivideSquare);
            }
            if self.low > 0 && !self.power(u32::from(self.low) + 1).is_multiple_of(steps) {
                return Err(LogLinearError::DividePower);
            }
        }
        Ok(())
    }

    /// `factor` to a power of at most `high + 1`.
    pub fn power(self, exponent: u32) -> u64 {
        u64::from(self.factor).saturating_pow(exponent)
    }

    /// Number of magnitudes.
    pub fn magnitudes(self) -> u32 {
        u32::from(self.high).saturating_sub(u32::from(self.low)) + 1
    }

    /// Steps that lie below a magnitude, in the one before.
    pub fn skipped(self) -> u32 {
        u32::from(self.steps) / u32::from(self.factor.max(1))
    }

    /// Buckets of one magnitude.
    pub fn width(self) -> u32 {
        u32::from(self.steps) - self.skipped()
    }

    /// The bucket of what is below all magnitudes.
    pub fn middle(self) -> u32 {
        1 + self.magnitudes() * self.width()
    }

    fn buckets(self) -> u32 {
        2 * self.magnitudes() * self.width() + 3
    }

    fn bucket(self, value: i64) -> usize {
        let middle = self.middle() as usize;
        let away = self.distance(value.unsigned_abs()) as usize;
        if value < 0 { middle - away } else { middle + away }
    }

    /// How many buckets from the middle an absolute value lies.
    fn distance(self, value: u64) -> u64 {
        let (low, high) = (u32::from(self.low), u32::from(self.high));
        let width = u64::from(self.width());
        if value < self.power(low) {
            return 0;
        }
        let Some(magnitude) = (low..=high).find(|&m| value < self.power(m + 1)) else {
            return u64::from(self.magnitudes()) * width + 1;
        };
        let (multiplier, divisor) = self.scale(magnitude);
        let step = value * multiplier / divisor;
        u64::from(magnitude - low) * width + (step - u64::from(self.skipped())) + 1
    }

    /// A value of a magnitude times the first, divided by the second, is the number of its step.
    pub fn scale(self, magnitude: u32) -> (u64, u64) {
        let steps = u64::from(self.steps.max(1));
        match magnitude {
            0 => (steps, self.power(1)),
            _ => (1, (self.power(magnitude + 1) / steps).max(1)),
        }
    }

    fn holds(self, bucket: usize) -> Bucket {
        let (bucket, middle) = (bucket as i64, i64::from(self.middle()));
        let sign = i128::from((bucket - middle).signum());
        let away = (bucket - middle).unsigned_abs();
        if away == 0 {
            return Bucket::Within(self.power(u32::from(self.low)).into());
        }
        let (width, skipped) = (u64::from(self.width()).max(1), u64::from(self.skipped()));
        let place = (away - 1) / width;
        let magnitude = u32::from(self.low) + place as u32;
        if place >= u64::from(self.magnitudes()) {
            let limit = sign * i128::from(self.power(magnitude));
            return if sign < 0 { Bucket::AtMost(limit) } else { Bucket::AtLeast(limit) };
        }
        let step = (away - 1) % width;
        if step == 0 {
            return Bucket::From(sign * i128::from(self.power(magnitude)));
        }
        // From magnitude 0 on, more steps than the factor leave indices that no integer reaches.
        if magnitude == 0 && skipped > 1 {
            return match step % skipped {
                0 => Bucket::From(sign * i128::from(1 + step / skipped)),
                _ => Bucket::Ghost,
            };
        }
        let (multiplier, divisor) = self.scale(magnitude);
        Bucket::From(sign * i128::from((skipped + step) * divisor / multiplier))
    }
}

/// The `quantize` bucket of a value.
fn quantize_bucket(value: i64) -> usize {
    match value {
        0 => QUANTIZE_ZERO,
        v if v > 0 => QUANTIZE_ZERO + 1 + v.ilog2() as usize,
        i64::MIN => 0,
        v => QUANTIZE_ZERO - 1 - v.unsigned_abs().ilog2() as usize,
    }
}

/// The value that stands for a `quantize` bucket.
fn quantize_value(bucket: usize) -> i64 {
    match bucket.checked_sub(QUANTIZE_ZERO) {
        Some(0) => 0,
        Some(above) => 1 << (above - 1).min(62),
        None => -(1 << (QUANTIZE_ZERO - 1 - bucket).min(62)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn log_linear(factor: u16, low: u16, high: u16, steps: u16) -> Shape {
        Shape::LogLinear(LogLinear { factor, low, high, steps })
    }

    #[test]
    fn quantize_buckets_follow_the_table() {
        for (value, bucket) in [
            (0, 63),
            (1, 64),
            (2, 65),
            (3, 65),
            (4, 66),
            (i64::MAX, 126),
            (-1, 62),
            (-2, 61),
            (-3, 61),
            (-4, 60),
            (i64::MIN + 1, 0),
            (i64::MIN, 0),
        ] {
            assert_eq!(Shape::Plain.bucket(value), bucket, "{value}");
        }
        assert_eq!(Shape::Plain.stands_for(0), -(1 << 62));
        assert_eq!(Shape::Plain.stands_for(126), 1 << 62);
    }

    #[test]
    fn lquantize_buckets_follow_the_table() {
        let shape = Shape::linear(0, 10, 5);
        for (value, bucket) in
            [(-3, 0), (0, 1), (4, 1), (5, 2), (9, 2), (10, 3), (99, 3), (i64::MAX, 3), (i64::MIN, 0)]
        {
            assert_eq!(shape.bucket(value), bucket, "{value}");
        }
        let uneven = Shape::linear(0, 10, 3);
        assert_eq!(uneven.bucket(9), 4, "a partial last step counts as overflow");
        assert_eq!(uneven.holds(4), Bucket::AtLeast(9));
    }

    #[test]
    fn the_bucket_of_zero_decides_ties() {
        for (shape, tie) in [
            (Shape::Plain, Some(63)),
            (Shape::linear(-10, 10, 5), Some(3)),
            (Shape::linear(1, 10, 1), Some(0)),
            (Shape::linear(-10, -1, 1), Some(10)),
            (Shape::linear(5, 10, 1), None),
            (Shape::linear(-3, 9, 2), None),
            (log_linear(10, 1, 2, 10), Some(19)),
        ] {
            assert_eq!(shape.tie(), tie, "{shape:?}");
        }
    }

    #[test]
    fn llquantize_buckets_follow_the_table() {
        // Magnitudes 1 and 2 in 9 buckets each: the middle is 19, the overflows 0 and 38.
        let shape = log_linear(10, 1, 2, 10);
        assert_eq!(shape.buckets(), 39);
        for (value, bucket) in [
            (0, 19),
            (9, 19),
            (-9, 19),
            (10, 20),
            (19, 20),
            (20, 21),
            (99, 28),
            (100, 29),
            (999, 37),
            (1000, 38),
            (i64::MAX, 38),
            (-10, 18),
            (-30, 16),
            (-1000, 0),
            (i64::MIN, 0),
        ] {
            assert_eq!(shape.bucket(value), bucket, "{value}");
        }
        // Fewer steps than the factor: 1, 5, 10, 50, >= 100.
        let few = log_linear(10, 0, 1, 2);
        for (value, bucket) in [(0, 5), (1, 6), (4, 6), (5, 7), (9, 7), (10, 8), (49, 8), (50, 9), (100, 10)]
        {
            assert_eq!(few.bucket(value), bucket, "{value}");
        }
        // More steps than the factor from magnitude 0 on: 18 indices, of which 9 are hit.
        let fine = log_linear(10, 0, 2, 20);
        for (value, holds) in [(1, 1), (2, 2), (9, 9), (10, 10), (14, 10), (15, 15), (99, 95), (100, 100)] {
            assert_eq!(fine.holds(fine.bucket(value)), Bucket::From(holds), "{value}");
        }
        assert_eq!(fine.holds(fine.bucket(1) + 1), Bucket::Ghost);
    }

    #[test]
    fn each_llquantize_value_is_in_the_bucket_that_says_so() {
        for (factor, low, high, steps) in [
            (2, 0, 62, 2),
            (10, 0, 17, 10),
            (10, 0, 2, 20),
            (2, 3, 10, 4),
            (6, 0, 2, 12),
            (3, 2, 9, 27),
            (10, 0, 1, 2),
        ] {
            let constants = LogLinear { factor, low, high, steps };
            assert_eq!(constants.check(), Ok(()));
            let shape = Shape::LogLinear(constants);
            for bucket in 0..shape.buckets() as usize {
                match shape.holds(bucket) {
                    Bucket::From(value) | Bucket::AtLeast(value) | Bucket::AtMost(value) => {
                        if let Ok(value) = i64::try_from(value) {
                            assert_eq!(shape.bucket(value), bucket, "{constants:?} {value}");
                            assert_ne!(shape.bucket(value - value.signum()), bucket, "{constants:?} {value}");
                        }
                    }
                    Bucket::Within(_) => assert_eq!(shape.bucket(0), bucket),
                    Bucket::Below(_) => panic!("not of llquantize"),
                    Bucket::Ghost => assert!(steps > factor && low == 0),
                }
            }
        }
    }

    #[test]
    fn fine_buckets_are_within_one_percent() {
        let powers = (0..63).flat_map(|k| [(1_i64 << k) - 1, 1 << k, (1 << k) + (1 << k) / 3]);
        for value in powers.chain([i64::MAX, 0, 127, 128, 129, 191, 1_000_003]).flat_map(|v| [v, -v]) {
            let bucket = FineBuckets::bucket(value);
            let error = FineBuckets::middle(bucket).abs_diff(value);
            assert!(u128::from(error) * 100 <= u128::from(value.unsigned_abs()), "{value}: {error}");
            assert_eq!(FineBuckets::bucket(FineBuckets::middle(bucket)), bucket, "{value}");
        }
        let (low, high) = (FineBuckets::bucket(i64::MIN), FineBuckets::bucket(i64::MAX));
        assert_eq!((low, high), (0, 2 * FineBuckets::HALF - 1));
        let all = Shape::Percentiles(Percentiles::NONE);
        assert!((1..all.buckets() as usize).all(|i| FineBuckets::middle(i - 1) <= FineBuckets::middle(i)));
    }

    #[test]
    fn percentages() {
        let all = [1, 50, 100, 999, 9999, 995].into_iter().try_fold(Percentiles::NONE, Percentiles::and);
        let all = all.expect("percentages");
        assert_eq!(all.hundredths(), [100, 5000, 10000, 9990, 9999, 9950]);
        assert_eq!(all.written().collect::<Vec<_>>(), [1, 50, 100, 999, 9999, 995]);
        assert!([0, -1, 10000].iter().all(|&p| Percentiles::NONE.and(p).is_none()));
    }

    #[test]
    fn constants_that_make_no_histogram() {
        for (factor, low, high, steps, error) in [
            (1, 0, 3, 10, LogLinearError::Factor),
            (10, 2, 1, 10, LogLinearError::Order),
            (10, 0, 19, 10, LogLinearError::Overflow),
            (2, 0, 63, 2, LogLinearError::Overflow),
            (10, 0, 3, 0, LogLinearError::NoSteps),
            (10, 0, 3, 7, LogLinearError::Divide),
            (10, 0, 3, 25, LogLinearError::Multiple),
            (10, 0, 3, 40, LogLinearError::DivideSquare),
            (10, 1, 3, 30, LogLinearError::DividePower),
        ] {
            let constants = LogLinear { factor, low, high, steps };
            assert_eq!(constants.check(), Err(error), "{constants:?}");
        }
    }
}
