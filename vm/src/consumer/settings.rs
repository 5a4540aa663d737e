//! What options and the environment decide about a run.

use crate::format::printa::AggStyle;
use crate::runtime::Space;

/// What the output stream holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputFormat {
    /// DTrace's text.
    #[default]
    Text,
    /// A JSON object a line (docs/json.md).
    Json,
    /// Stacks and keys of aggregations as lines of a flame graph's input.
    Folded,
}

/// What becomes of records (runtime spec §12.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// They are printed as they come; what finds the buffer full is lost.
    #[default]
    Switch,
    /// They are printed at the end, and a full buffer is the end.
    Fill,
    /// They are printed at the end; a full buffer loses its oldest.
    Ring,
}

/// Run-time settings (runtime spec §12.4). Rates are periods in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Before every message on standard error: `dtrace` or `dtrail`.
    pub program: String,
    /// `--format`
    pub format: OutputFormat,
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
    /// `bufpolicy`
    pub policy: Policy,
    /// `bufsize`: bytes of a CPU's buffer. How much of it a record takes is counted where records wait for the end; else
    /// the source has the buffer.
    pub bufsize: u64,
    /// `temporal`: records that waited for the end are printed by time, not by CPU.
    pub temporal: bool,
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
            format: OutputFormat::Text,
            quiet: false,
            testing: false,
            droptags: false,
            aggs: AggStyle::default(),
            stackindent: 14,
            noresolve: false,
            space: Space::default(),
            policy: Policy::Switch,
            bufsize: 4 << 20,
            temporal: false,
            statusrate: 1_000_000_000,
            switchrate: 0,
            aggrate: 0,
        }
    }
}
