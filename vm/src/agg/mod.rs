//! Aggregations in user space: mergeable states and keyed tables. Updates from the user part and sweeps of kernel maps
//! meet here.

mod buckets;
mod distinct;
mod entries;
mod fns;
mod key;
#[cfg(test)]
mod merging;
mod sketch;
pub mod sort;
pub mod table;
mod tags;
mod top;

use dtrail_lang::builtins::AggFn;

pub use buckets::Buckets;
pub use distinct::Distinct;
pub(crate) use fns::divided;
pub use sketch::Sketch;
pub use table::{AggTable, AggTables};
pub use top::Top;

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
    /// Count, wrapping sum and 128-bit sum of squares. Boxed, as all that would widen every state.
    Stddev(Box<Deviation>),
    /// Counts of a histogram, whose function's [`Shape`](dtrail_lang::builtins::shapes::Shape) says what each bucket holds.
    Buckets(Buckets),
    /// What percentiles are taken from.
    Sketch(Box<Sketch>),
    /// Different values.
    Distinct(Box<Distinct>),
    /// Frequent values.
    Top(Box<Top>),
}

/// What `stddev` keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deviation {
    /// Number of values.
    pub count: u64,
    /// Their sum, which wraps.
    pub sum: i64,
    /// The sum of their squares, which wraps.
    pub squares: u128,
}

impl AggState {
    /// The state before any update.
    pub fn new(func: AggFn) -> AggState {
        match func {
            AggFn::Count => AggState::Count(0),
            AggFn::Sum => AggState::Sum(0),
            AggFn::Min => AggState::Min(None),
            AggFn::Max => AggState::Max(None),
            AggFn::Avg => AggState::Avg { count: 0, sum: 0 },
            AggFn::Stddev => AggState::Stddev(Box::default()),
            AggFn::Quantize | AggFn::Lquantize | AggFn::Llquantize => AggState::Buckets(Buckets::default()),
            AggFn::Percentile => AggState::Sketch(Box::default()),
            AggFn::Distinct => AggState::Distinct(Box::default()),
            AggFn::Topk => AggState::Top(Box::default()),
        }
    }
}
