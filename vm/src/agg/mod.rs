//! Aggregations in user space: mergeable states and keyed tables. Updates from the user part and sweeps of kernel maps
//! meet here.

mod fns;
pub mod sort;
pub mod table;

use dtrail_lang::builtins::{AggFn, aggs::Shape};

pub(crate) use fns::divided;
pub use table::{AggTable, AggTables};

/// The value of one entry: what an aggregating function keeps (runtime spec §7.1). `fns` updates and merges it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AggState {
    /// Updates.
    Count(u64),
    /// Wrapping sum.
    Sum(i64),
    /// Minimum; `None` while nothing came since a clear.
    Min(Option<i64>),
    /// Maximum; likewise.
    Max(Option<i64>),
    /// Count and wrapping sum.
    Avg {
        /// Number of values.
        count: u64,
        /// Their sum.
        sum: i64,
    },
    /// Buckets of `quantize` (127) or `lquantize` (levels + 2).
    Buckets(Box<[i64]>),
}

impl AggState {
    /// The state before any update.
    pub fn new(func: AggFn, shape: Shape) -> AggState {
        match func {
            AggFn::Count => AggState::Count(0),
            AggFn::Sum => AggState::Sum(0),
            AggFn::Min => AggState::Min(None),
            AggFn::Max => AggState::Max(None),
            AggFn::Avg => AggState::Avg { count: 0, sum: 0 },
            AggFn::Quantize => {
                AggState::Buckets(vec![0; dtrail_lang::builtins::aggs::QUANTIZE_BUCKETS].into())
            }
            AggFn::Lquantize => AggState::Buckets(vec![0; shape.levels() as usize + 2].into()),
        }
    }
}
