//! What a program hangs on, and all that follows from it: names of tracepoints, of the section that tells the loader what
//! kind of program it is, and the words of messages.

use std::fmt;

/// What a program hangs on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Hook {
    /// Raw tracepoint `sys_enter`, dispatched by system call number.
    SysEnter,
    /// Raw tracepoint `sys_exit`, likewise.
    SysExit,
    /// A raw tracepoint by name, dispatched by the prologue its provider gives (`sched_process_fork`, …).
    RawTracepoint(String),
    /// A trace event of tracefs, `group:event`: the program is given the event's record.
    Tracepoint {
        /// Its folder.
        group: String,
        /// Its name.
        event: String,
    },
    /// A software CPU-clock event on every CPU, with its period in nanoseconds.
    Profile {
        /// The period.
        period: u64,
    },
    /// Events injected with `BPF_PROG_TEST_RUN`: any probe, its context from the `inject` map. Conformance only.
    Inject,
}

impl Hook {
    /// The raw tracepoint behind it: those alone can be typed.
    pub fn raw_tracepoint(&self) -> Option<&str> {
        match self {
            Hook::SysEnter => Some("sys_enter"),
            Hook::SysExit => Some("sys_exit"),
            Hook::RawTracepoint(name) => Some(name),
            Hook::Tracepoint { .. } | Hook::Profile { .. } | Hook::Inject => None,
        }
    }

    /// The tracepoint behind it, raw or as an event.
    pub fn tracepoint(&self) -> Option<&str> {
        match self {
            Hook::Tracepoint { event, .. } => Some(event),
            hook => hook.raw_tracepoint(),
        }
    }

    /// The section of its program, as loaders know it.
    pub fn section(&self, typed: bool) -> String {
        let kind = if typed { "tp_btf" } else { "raw_tp" };
        match self {
            Hook::Tracepoint { group, event } => format!("tracepoint/{group}/{event}"),
            Hook::Profile { .. } => "perf_event".to_owned(),
            Hook::Inject => format!("{kind}/inject"),
            hook => format!("{kind}/{}", hook.raw_tracepoint().unwrap_or_default()),
        }
    }
}

impl fmt::Display for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Hook::SysEnter => f.write_str("system call entries"),
            Hook::SysExit => f.write_str("system call returns"),
            Hook::RawTracepoint(name) => write!(f, "tracepoint {name}"),
            Hook::Tracepoint { group, event } => write!(f, "tracepoint {group}:{event}"),
            Hook::Profile { .. } => f.write_str("the CPU clock"),
            Hook::Inject => f.write_str("injected events"),
        }
    }
}
