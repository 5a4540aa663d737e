//! What options and the environment decide about a run.

use crate::format::printa::AggStyle;
use crate::runtime::Space;

/// Run-time settings (runtime spec §12.4). Rates are periods in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Before every message on standard error: `dtrace` or `dtrail`.
    pub program: String,
    /// `quiet`: rows without prefix and newline.
    pub quiet: bool,
    /// `_DTRACE_TESTING` is set: no CPU and ID columns.
    pub testing: bool,
    /// `droptags`: loss reports carry their tag.
    pub droptags: bool,
    /// How aggregations print: `agg…`, `encoding`.
    pub aggs: AggStyle,
    /// `stackindent`: blanks before a frame.
    pub stackindent: usize,
    /// `noresolve`: frames of user stacks print as file and offset.
    pub noresolve: bool,
    /// `aggsize`, `dynvarsize`
    pub space: Space,
    /// `statusrate`: how often losses are reported; 0 only at the end.
    pub statusrate: u64,
    /// `switchrate`: how often rows become visible; 0 as soon as there are any.
    pub switchrate: u64,
    /// `aggrate`: how often aggregations are taken out of the kernel besides on demand; 0 never. Only where the program
    /// cuts at all, since only then the kernel keeps generations apart.
    pub aggrate: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            program: "dtrace".to_owned(),
            quiet: false,
            testing: false,
            droptags: false,
            aggs: AggStyle::default(),
            stackindent: 14,
            noresolve: false,
            space: Space::default(),
            statusrate: 1_000_000_000,
            switchrate: 0,
            aggrate: 0,
        }
    }
}
