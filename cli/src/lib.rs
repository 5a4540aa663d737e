//! The `dtrail` command as a library: an [`Invocation`] in, text on its streams and an [`Outcome`] out. It wires the
//! crates together and decides nothing about programs, placement or output.
//!
//! [`run`] touches neither the process's own streams nor its environment unless the invocation says so (`-s -` does), so that tests run
//! whole sessions in one process, side by side.

// `closed` and `interrupts` allow it, and a test of the latter; nothing else does.
#![deny(unsafe_code)]

use std::ffi::OsString;
use std::io::{IsTerminal as _, Write};

mod closed;
mod describe;
mod dump;
mod failure;
mod files;
mod header;
mod interrupts;
mod library;
mod link;
mod list;
mod machine;
mod messages;
mod native;
mod options;
mod patience;
mod planning;
mod preprocess;
mod renewal;
mod session;
mod sizes;
mod usage;

pub use closed::closed_output;
pub use interrupts::Interrupts;
pub use patience::Patience;

use failure::Failure;
use messages::Messages;
use options::Mode;

/// Everything a run depends on besides the machine.
pub struct Invocation<'a> {
    /// The name in front of messages, as [`dtrail_lang::bytes`] makes text of any bytes; as `dtrace`, errors are terse and nothing is traced without privilege.
    pub progname: String,
    /// The command line without the name.
    pub args: Vec<OsString>,
    /// Where `DTRACE_OPT_…` and `_DTRACE_TESTING` are looked up.
    pub environment: Environment,
    /// What the program prints.
    pub stdout: &'a mut dyn Write,
    /// Notices and errors.
    pub stderr: &'a mut dyn Write,
    /// Whether control characters in traced data must be escaped.
    pub stdout_is_terminal: bool,
    /// Whether errors are for a person.
    pub stderr_is_terminal: bool,
    /// What asks tracing to end; without it only the program and its targets do.
    pub interrupts: Option<Interrupts>,
}

/// Environment variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Environment {
    /// This process's.
    Process,
    /// These, name and value.
    Fixed(Vec<(String, String)>),
}

impl Environment {
    /// All of them.
    fn all(&self) -> Vec<(String, String)> {
        match self {
            Environment::Process => {
                std::env::vars_os().map(|(name, value)| (native::text(&name), native::text(&value))).collect()
            }
            Environment::Fixed(all) => all.clone(),
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The exit status (runtime spec §13.5).
    pub status: u8,
    /// Whether the plan had a kernel part.
    pub kernel_part: bool,
}

impl Outcome {
    fn status(status: u8) -> Outcome {
        Outcome { status, kernel_part: false }
    }
}

/// Says on standard error what keeps a run from beginning, and what helps, if that is known.
pub fn say(progname: &str, text: &str, help: Option<&str>) {
    let mut stderr = std::io::stderr();
    let terminal = stderr.is_terminal();
    Messages::new(progname, &mut stderr, terminal).say(progname, text, help);
}

/// Stack that a run may need: the passes recurse as deeply as programs nest, within the language's limits.
const STACK: usize = 16 << 20;

/// Whoever has less than this left gets a stack of [`STACK`] bytes.
const STACK_ENOUGH: usize = 2 << 20;

/// Runs the command, in this thread; on a stack of its own if the limit of this one (`ulimit -s`) is small.
pub fn run(invocation: Invocation<'_>) -> Outcome {
    stacker::maybe_grow(STACK_ENOUGH, STACK, || run_here(invocation))
}

fn run_here(invocation: Invocation<'_>) -> Outcome {
    let Invocation {
        progname,
        args,
        environment,
        stdout,
        stderr,
        stdout_is_terminal,
        stderr_is_terminal,
        interrupts,
    } = invocation;
    let mut stderr = Messages::new(&progname, stderr, stderr_is_terminal);
    let options = match options::parse(args) {
        Ok(options) => options,
        Err(error) => {
            stderr.say(&progname, &error.message, error.help.as_deref());
            if error.show_usage {
                let _ = stderr.write_all(usage::short(&progname).as_bytes());
            }
            return Outcome::status(2);
        }
    };
    let text = match options.mode {
        Mode::Help => Some(usage::long(&progname)),
        Mode::Version => Some(usage::version(&progname, options.verbose)),
        Mode::LongVersion => Some(format!("dtrail {}\n", env!("CARGO_PKG_VERSION"))),
        _ => None,
    };
    if let Some(text) = text {
        return match session::print_to(stdout, session::STANDARD_OUTPUT, text.as_bytes()) {
            Err(Failure::Message { text, help, status }) => {
                stderr.say(&progname, &text, help.as_deref());
                Outcome::status(status)
            }
            _ => Outcome::status(0),
        };
    }
    let streams = session::Streams {
        stdout_is_process: matches!(environment, Environment::Process),
        stdout: &mut *stdout,
        stderr,
        stdout_is_terminal,
    };
    session::run(&progname, &options, &environment.all(), streams, interrupts.as_ref())
}
