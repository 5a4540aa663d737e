//! Aggregating functions (language spec §9.3, runtime spec §7.1).

pub use super::shapes::{
    FineBuckets, Linear, LogLinear, Percentiles, QUANTIZE_BUCKETS, QUANTIZE_ZERO, Shape,
};

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
    /// Count, sum and sum of squares; prints the standard deviation.
    Stddev = "stddev", (1, 1), None, true;
    /// Power-of-two histogram, 127 buckets.
    Quantize = "quantize", (1, 2), Some(1), true;
    /// Linear histogram.
    Lquantize = "lquantize", (3, 5), Some(4), true;
    /// Log-linear histogram.
    Llquantize = "llquantize", (5, 6), Some(5), true;
    /// Percentiles, each within 1 %.
    Percentile = "percentile", (2, 9), None, false;
    /// Number of different values.
    Distinct = "distinct", (1, 1), None, false;
    /// Most frequent values.
    Topk = "topk", (2, 2), None, false;
}

impl AggFn {
    /// The row of a function.
    pub fn row(self) -> &'static AggRow {
        &AggFn::ROWS[self as usize]
    }

    /// The function of a name that D itself has.
    pub fn by_name(name: &str) -> Option<AggFn> {
        AggFn::called(name, true)
    }

    /// The function that a call names. Those that D does not have are found by nothing but calls, which would be mistakes
    /// there, so that programs may use their names for variables; and not at all if `strict`.
    pub fn called(name: &str, strict: bool) -> Option<AggFn> {
        let row = AggFn::ROWS.iter().find(|row| row.name == name)?;
        (!strict || !row.id.is_extension()).then_some(row.id)
    }

    /// Whether D does not have it.
    pub fn is_extension(self) -> bool {
        matches!(self, AggFn::Percentile | AggFn::Distinct | AggFn::Topk)
    }

    /// Which argument (from 0) is the value.
    pub fn value_argument(self) -> usize {
        usize::from(self == AggFn::Topk)
    }
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
}
