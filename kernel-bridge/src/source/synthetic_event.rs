//! One made-up event, as the reader of event files gives it and every engine takes it: `interp` through a live context,
//! `rbpf` and `bpf` through the `inject` map. Plain data; reads and writes nothing.

use std::sync::Arc;

use dtrail_lang::env::Probe;
use dtrail_vm::host::TaskInfo;

/// One firing of one probe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyntheticEvent {
    /// The four components of the probe that fires, as they are printed.
    pub probe: ProbeName,
    /// Monotonic nanoseconds.
    pub time: u64,
    /// Nanoseconds since 1970 UTC.
    pub wall: i64,
    /// The thread that fires it.
    pub task: TaskInfo,
    /// The CPU it runs on.
    pub cpu: u32,
    /// The error number of a failed system call, positive; 0 otherwise.
    pub errno: i32,
    /// `arg0` to `arg9`.
    pub args: [i64; 10],
    /// The addresses of the thread's kernel stack, innermost first. Events in a row share it.
    pub kernel_stack: Arc<[u64]>,
    /// Of its user stack.
    pub user_stack: Arc<[u64]>,
    /// The thread's registers, by their index in `uregs[]`; those beyond are 0. Events in a row share them.
    pub registers: Arc<[u64]>,
    /// The memory that exists at this event, user and kernel addresses alike; nothing else can be read. Regions do not
    /// overlap. Events in a row share it.
    pub memory: Arc<[MemoryRegion]>,
}

/// The components of a probe's name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ProbeName {
    /// `syscall`
    pub provider: String,
    /// `vmlinux`, or empty.
    pub module: String,
    /// `read`, or empty.
    pub function: String,
    /// `entry`
    pub name: String,
}

/// Bytes at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryRegion {
    /// Where they start.
    pub addr: u64,
    /// What is there.
    pub bytes: Box<[u8]>,
}

impl ProbeName {
    /// That of a probe.
    pub fn of(probe: &Probe) -> ProbeName {
        ProbeName {
            provider: probe.provider.to_string(),
            module: probe.module.to_string(),
            function: probe.function.to_string(),
            name: probe.name.to_string(),
        }
    }
}
