//! All of dtrail that touches the machine: the eBPF emitter (a pure function), loading through aya, providers, event
//! sources, and the [`dtrail_vm::host::Host`] of Linux.

// Modules that need it allow it: system calls (`sys` and a few beside it), and the memory of the harness that runs emitted
// programs. Nothing else does.
#![deny(unsafe_code)]

pub mod caps;
pub mod child;
pub mod ebpf;
pub mod env;
mod evaltime;
pub mod host;
pub mod load;
pub mod maps;
mod procfs;
pub mod providers;
pub mod readers;
mod search;
pub mod shortage;
pub mod source;
pub mod state;
pub mod symbols;
pub mod sys;
#[cfg(test)]
mod testing;
