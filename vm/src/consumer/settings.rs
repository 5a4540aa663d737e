//! What options and the environment decide about a run.

use dtrail_lang::options::{BufPolicy, Encoding, OptionError, Options, SetBy};

use crate::agg::sort::SortOptions;
use crate::format::printa::AggStyle;
use crate::runtime::Space;
use crate::speculation::SpeculationSpace;

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
    /// Lines of help follow what is told of losses and faults.
    pub help: bool,
    /// `--format`
    pub format: OutputFormat,
    /// `quiet`: rows without prefix and newline.
    pub quiet: bool,
    /// `flowindent`: rows are indented by entries and returns.
    pub flowindent: bool,
    /// `rawbytes`: `trace` shows bytes.
    pub rawbytes: bool,
    /// `printsize`: most bytes that `print` shows.
    pub printsize: u32,
    /// All options as they stand, which `setopt` changes.
    pub options: Options,
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
            help: true,
            format: OutputFormat::Text,
            quiet: false,
            flowindent: false,
            rawbytes: false,
            printsize: 8192,
            options: Options::default(),
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

impl Settings {
    /// Settings as options say; `program` is what messages begin with.
    pub fn new(program: &str, options: Options) -> Settings {
        let space = Space {
            aggsize: options.aggsize,
            dynvarsize: options.dynvarsize,
            speculations: SpeculationSpace {
                count: options.nspec,
                bytes: options.specsize,
                cleanrate: options.cleanrate,
            },
        };
        let mut settings = Settings {
            program: program.to_owned(),
            droptags: options.droptags,
            noresolve: options.noresolve,
            policy: match options.bufpolicy {
                BufPolicy::Switch => Policy::Switch,
                BufPolicy::Fill => Policy::Fill,
                BufPolicy::Ring => Policy::Ring,
            },
            bufsize: options.bufsize,
            temporal: options.temporal,
            statusrate: options.statusrate,
            space,
            aggs: AggStyle { per_cpu: options.aggpercpu, ..AggStyle::default() },
            options,
            ..Settings::default()
        };
        settings.follow();
        settings
    }

    /// `setopt`: sets an option while tracing.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        self.options.set(name, Some(value), SetBy::Setopt)?;
        self.follow();
        Ok(())
    }

    /// Takes over what may change while tracing.
    fn follow(&mut self) {
        let options = &self.options;
        self.quiet = options.quiet;
        self.flowindent = options.flowindent;
        self.rawbytes = options.rawbytes;
        self.printsize = options.printsize;
        self.stackindent = options.stackindent as usize;
        self.switchrate = options.switchrate;
        self.aggrate = options.aggrate;
        self.aggs = AggStyle {
            sort: SortOptions {
                by_key: options.aggsortkey,
                reverse: options.aggsortrev,
                key_position: options.aggsortkeypos as usize,
                position: options.aggsortpos as usize,
            },
            pack: options.aggpack,
            hist: options.agghist,
            zoom: options.aggzoom,
            utf8: match options.encoding {
                Encoding::Unset => None,
                encoding => Some(encoding == Encoding::Utf8),
            },
            ..self.aggs
        };
    }
}
