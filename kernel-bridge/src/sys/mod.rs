//! System calls that no crate offers with run-time sizes: bpf(2) on maps and programs, perf events, shared mappings, the ring
//! buffer.
//!
//! Comes in: descriptors that aya opened. Goes out: safe types; every `unsafe` of the live path stands in this folder or
//! in `child.rs`. Never: anything about D.

#![allow(unsafe_code, reason = "system calls that no crate offers as safe functions")]

pub mod bpf;
pub(crate) mod breakpoint;
pub(crate) mod cpu_clock;
pub mod cpus;
pub mod grace;
pub mod hidden_files;
pub(crate) mod inherited;
pub mod mapping;
mod perf;
pub(crate) mod process_events;
pub(crate) mod process_memory;
pub(crate) mod registers;
pub(crate) mod remains;
pub mod ring;
pub(crate) mod signals;
pub mod user_memory;

/// The process group and the session of this process. 0: its leader is in another PID namespace (which is why these are not
/// asked of rustix, whose `Pid` cannot be 0).
pub(crate) fn group_and_session() -> (libc::pid_t, libc::pid_t) {
    // SAFETY: no preconditions, no memory, and neither can fail for the caller itself.
    unsafe { (libc::getpgrp(), libc::getsid(0)) }
}

/// Lets the kernel write core files of this process as large as it may at all. That it may not is nobody's business.
pub fn raise_core_limit() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Core);
    limit.current = limit.maximum;
    let _ = setrlimit(Resource::Core, limit);
}

/// Bytes of a page of memory.
pub fn page_size() -> usize {
    rustix::param::page_size()
}
