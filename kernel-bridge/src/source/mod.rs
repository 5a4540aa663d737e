//! Event sources: each turns what happens on a machine, or in a file, into calls of an event sink.

pub mod bpf;
pub mod event_file;
mod event_memory;
mod event_names;
mod event_words;
pub mod idle;
pub mod inject;
pub mod kernel_part;
mod left;
mod losses;
mod namespace;
pub mod ptrace;
pub mod synthetic;
pub mod synthetic_event;
pub mod targets;
mod waiting;
