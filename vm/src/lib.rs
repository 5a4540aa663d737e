//! The userspace half of dtrail: runs the user part of a plan, keeps variables and aggregations, formats and prints.
//!
//! It has not heard of eBPF, BTF or tracefs. Events come through [`event::EventSource`]; clocks, files and the tracer's
//! own identity through [`host::Host`]. It makes no system call of its own.

// Compiled code cannot be called without: `jit::code` and `jit::frame` allow it. So do `agg::tags`, which compares 16 bytes at
// once, and a test's allocator; nothing else does.
#![deny(unsafe_code)]

pub mod agg;
pub mod consumer;
#[cfg(test)]
mod counting;
pub mod engine;
pub mod event;
#[cfg(test)]
mod examples;
pub mod fault;
pub mod format;
pub mod host;
pub mod interp;
pub mod jit;
pub mod names;
pub mod output;
#[cfg(test)]
mod placement;
pub mod record;
pub mod runtime;
pub mod speculation;
pub mod stacks;
#[cfg(test)]
mod testing;
pub mod value;
pub mod vars;
