//! What the userspace half needs of the machine, as a trait: clocks and the tracer's own identity.

use std::rc::Rc;
use std::time::Instant;

use dtrail_lang::builtins::vars::REGISTERS;

use crate::fault::{FaultKind, Raised};
use crate::names::{Names, NoNames};

/// The machine as the consumer sees it. `kernel-bridge` implements it for Linux; tests use a fixed one.
pub trait Host {
    /// Monotonic nanoseconds (`timestamp` of tracer-fired probes, the consumer's timers).
    fn monotonic(&self) -> u64;
    /// The same moment for deadlines; a test's clock starts from a fixed one.
    fn instant(&self) -> Instant {
        Instant::now()
    }
    /// Nanoseconds since 1970 UTC.
    fn wall_clock(&self) -> i64;
    /// The CPU this thread runs on.
    fn cpu(&self) -> u32;
    /// The physical package and the NUMA node of a CPU.
    fn place(&self, cpu: u32) -> CpuPlace {
        let _ = cpu;
        CpuPlace::default()
    }
    /// The tracer's identity: what `pid`, `execname` and their kin read in `BEGIN`, `END` and `tick`.
    fn own_task(&self) -> TaskInfo;
    /// Where the kernel's `struct task_struct` of the tracer's thread is (`curthread` in the same probes), or a fault if
    /// this user may not know.
    fn curthread(&self) -> Result<u64, Raised> {
        Ok(self.own_task().task_struct)
    }
    /// Nanoseconds that the tracer's thread has been on a CPU (`vtimestamp` in the same probes).
    fn on_cpu(&self) -> u64 {
        self.own_task().on_cpu
    }
    /// The registers of the tracer's thread, by their index in `uregs[]`: those that it has here; 0 where nobody knows.
    fn registers(&self) -> [u64; REGISTERS as usize] {
        [0; REGISTERS as usize]
    }
    /// Fills `into` from the kernel's memory, or raises `BADADDR` with the address, `KPRIV` if this user may read none.
    fn read_kernel(&self, addr: u64, into: &mut [u8]) -> Result<(), Raised> {
        let _ = into;
        Err(Raised::new(FaultKind::BadAddr, addr))
    }
    /// Fills `into` from the tracer's own memory, or raises `BADADDR` with the address.
    fn read_own(&self, addr: u64, into: &mut [u8]) -> Result<(), Raised> {
        let _ = into;
        Err(Raised::new(FaultKind::BadAddr, addr))
    }
    /// The names of code addresses.
    fn names(&self) -> &dyn Names {
        &NoNames
    }
    /// The parent of a process, if it can be told.
    fn parent(&self, pid: u32) -> Option<u32>;
    /// Runs a command with the shell and waits for it (`system`), until `given_up` is true, which is asked now and then and
    /// whenever a signal comes. What becomes of it is its own affair; out comes the process that is left running.
    fn system(&self, command: &[u8], given_up: &dyn Fn() -> bool) -> Option<u32>;
    /// What a decoder of captured packets makes of a capture file, if there is one (`pcap`).
    fn decode(&self, capture: &[u8]) -> Option<Vec<u8>> {
        let _ = capture;
        None
    }
    /// Local time of a moment, for `%Y` and `%T`.
    fn local_time(&self, unix_seconds: i64) -> LocalTime;
    /// What subroutines ask of the machine.
    fn facts(&self) -> Facts {
        Facts::default()
    }
}

/// What subroutines ask of the machine, apart from the event.
#[derive(Clone)]
pub struct Facts {
    /// The name of a system call by its number.
    pub syscall_name: fn(i64) -> Option<&'static str>,
    /// See [`Host::local_time`].
    pub local_time: Rc<dyn Fn(i64) -> LocalTime>,
}

impl Default for Facts {
    fn default() -> Facts {
        Facts { syscall_name: |_| None, local_time: Rc::new(|_| LocalTime::default()) }
    }
}

impl std::fmt::Debug for Facts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Facts")
    }
}

/// Where a CPU is in the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuPlace {
    /// Physical package (`chip`).
    pub chip: u32,
    /// NUMA node (`lgrp`).
    pub lgrp: u32,
}

/// Identity of a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskInfo {
    /// Thread-group ID.
    pub pid: u32,
    /// Thread ID.
    pub tid: u32,
    /// Parent's thread-group ID.
    pub ppid: u32,
    /// Real user ID.
    pub uid: u32,
    /// Real group ID.
    pub gid: u32,
    /// Command name, at most 15 bytes.
    pub execname: Vec<u8>,
    /// Start time, nanoseconds since boot; with `tid` the thread's identity.
    pub start: u64,
    /// Where the kernel's `struct task_struct` of the thread is; 0 if this user may not know.
    pub task_struct: u64,
    /// Nanoseconds that the thread has been on a CPU; 0 where [`Host::on_cpu`] says it better.
    pub on_cpu: u64,
}

/// Broken-down local time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalTime {
    /// Full year.
    pub year: i64,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
    /// 0 (Sunday) to 6.
    pub weekday: u8,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 60.
    pub second: u8,
    /// Zone abbreviation, such as `UTC`.
    pub zone: ZoneName,
}

/// A time zone's abbreviation, at most 15 bytes of it: a moment is printed without an allocation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ZoneName {
    bytes: [u8; 15],
    length: u8,
}

impl From<&str> for ZoneName {
    fn from(name: &str) -> ZoneName {
        let mut zone = ZoneName::default();
        let length = name.floor_char_boundary(zone.bytes.len());
        zone.bytes[..length].copy_from_slice(&name.as_bytes()[..length]);
        zone.length = length as u8;
        zone
    }
}

impl std::fmt::Display for ZoneName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // It was cut where a character ends.
        f.write_str(std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default())
    }
}
