//! Aggregating functions (language spec §9.3, runtime spec §7.1).

/// One aggregating function.
#[derive(Clone, Copy, Debug)]
pub struct AggRow {
    /// Its id.
    pub id: AggFn,
    /// Its name in D.
    pub name: &'static str,
    /// Least and most arguments.
    pub args: (u8, u8),
    /// Which argument (from 0) is the increment, if given.
    pub increment: Option<u8>,
    /// Whether the kernel can keep it: its state merges by addition, minimum or maximum.
    pub kernel: bool,
}

macro_rules! aggs {
    ($($(#[$doc:meta])* $id:ident = $name:literal, $args:expr, $increment:expr, $kernel:literal;)*) => {
        /// An aggregating function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum AggFn { $($(#[$doc])* $id,)* }

        impl AggFn {
            /// Every row, in table order; `agg_fn as usize` indexes it.
            pub const ROWS: &'static [AggRow] = &[$(AggRow {
                id: AggFn::$id, name: $name, args: $args, increment: $increment, kernel: $kernel,
            },)*];
        }
    };
}

aggs! {
    /// Number of updates.
    Count = "count", (0, 0), None, true;
    /// Wrapping signed sum.
    Sum = "sum", (1, 1), None, true;
    /// Signed minimum.
    Min = "min", (1, 1), None, true;
    /// Signed maximum.
    Max = "max", (1, 1), None, true;
    /// Sum and count; prints their quotient.
    Avg = "avg", (1, 1), None, true;
    /// Power-of-two histogram, 127 buckets.
    Quantize = "quantize", (1, 2), Some(1), true;
    /// Linear histogram.
    Lquantize = "lquantize", (3, 5), Some(4), true;
}

impl AggFn {
    /// The row of a function.
    pub fn row(self) -> &'static AggRow {
        &AggFn::ROWS[self as usize]
    }

    /// The function of a D name.
    pub fn by_name(name: &str) -> Option<AggFn> {
        AggFn::ROWS.iter().find(|row| row.name == name).map(|row| row.id)
    }
}

/// Aggregating functions of D that come later; the checker says `X() is not implemented (yet)`.
pub const UNIMPLEMENTED: &[&str] = &["stddev", "llquantize"];

/// Shape of a histogram: the constants of `lquantize`. All zero for the other functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Lower end of the first bucket.
    pub base: i32,
    /// Upper end.
    pub limit: i32,
    /// Width of a bucket, 1 to 65535.
    pub step: u16,
}

impl Shape {
    /// Number of buckets between the underflow and the overflow bucket.
    pub fn levels(self) -> u32 {
        match self.step {
            0 => 0,
            step => ((i64::from(self.limit) - i64::from(self.base)) / i64::from(step)) as u32,
        }
    }
}

/// Number of buckets of `quantize`.
pub const QUANTIZE_BUCKETS: usize = 127;
/// Index of its zero bucket.
pub const QUANTIZE_ZERO: usize = 63;

/// The `quantize` bucket of a value (runtime spec §7.2).
pub fn quantize_bucket(value: i64) -> usize {
    match value {
        0 => QUANTIZE_ZERO,
        v if v > 0 => QUANTIZE_ZERO + 1 + v.ilog2() as usize,
        i64::MIN => 0,
        v => QUANTIZE_ZERO - 1 - v.unsigned_abs().ilog2() as usize,
    }
}

/// The `lquantize` bucket of a value (runtime spec §7.3): 0 is the underflow, `levels + 1` the overflow.
pub fn lquantize_bucket(shape: Shape, value: i64) -> usize {
    let offset = i128::from(value) - i128::from(shape.base);
    if offset < 0 {
        return 0;
    }
    let bucket = offset / i128::from(shape.step.max(1));
    1 + bucket.min(i128::from(shape.levels())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_indexed_by_id() {
        for (i, row) in AggFn::ROWS.iter().enumerate() {
            assert_eq!(row.id as usize, i, "{}", row.name);
        }
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
            assert_eq!(quantize_bucket(value), bucket, "{value}");
        }
    }

    #[test]
    fn lquantize_buckets_follow_the_table() {
        let shape = Shape { base: 0, limit: 10, step: 5 };
        for (value, bucket) in
            [(-3, 0), (0, 1), (4, 1), (5, 2), (9, 2), (10, 3), (99, 3), (i64::MAX, 3), (i64::MIN, 0)]
        {
            assert_eq!(lquantize_bucket(shape, value), bucket, "{value}");
        }
        let uneven = Shape { base: 0, limit: 10, step: 3 };
        assert_eq!(lquantize_bucket(uneven, 9), 4, "a partial last step counts as overflow");
    }
}
