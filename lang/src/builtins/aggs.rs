//! Aggregating functions (language spec §9.3, runtime spec §7.1).

pub use super::shapes::{Linear, LogLinear, QUANTIZE_BUCKETS, QUANTIZE_ZERO, Shape};

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
