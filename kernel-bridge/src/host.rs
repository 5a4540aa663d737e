//! The machine as the consumer sees it: clocks, the tracer's own identity, local time, memory of the kernel. Reads `/proc/self` once and the
//! time zone once; never NSS, so that a static binary works everywhere.

use std::io::Write as _;
use std::process::Stdio;
use std::rc::Rc;

use dtrail_lang::builtins::vars::REGISTERS;
use dtrail_vm::fault::{FaultKind, Raised};
use dtrail_vm::host::{CpuPlace, Facts, Host, LocalTime, TaskInfo};
use dtrail_vm::names::Names;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use rustix::time::{ClockId, clock_gettime};

use crate::child;
use crate::procfs;
use crate::providers::syscall_table;
use crate::readers::memory::KernelMemory;
use crate::symbols::Symbols;
use crate::sys::{cpus, process_memory, registers};

/// This machine.
#[derive(Debug)]
pub struct LinuxHost {
    task: TaskInfo,
    zone: TimeZone,
    symbols: Rc<Symbols>,
    kernel: KernelMemory,
}

impl LinuxHost {
    /// Identity of the calling thread, and the time zone of `TZ` or `/etc/localtime` (UTC if neither can be read).
    pub fn new() -> LinuxHost {
        let (pid, tid) = (std::process::id(), rustix::thread::gettid().as_raw_nonzero().get() as u32);
        let task = procfs::task(pid, tid).unwrap_or(TaskInfo { pid, tid, ..TaskInfo::default() });
        let zone = TimeZone::try_system().unwrap_or(TimeZone::UTC);
        LinuxHost { task, zone, symbols: Rc::default(), kernel: KernelMemory::default() }
    }

    /// The same, with names that a source feeds.
    #[must_use]
    pub fn with_symbols(self, symbols: Rc<Symbols>) -> LinuxHost {
        LinuxHost { symbols, ..self }
    }
}

impl Default for LinuxHost {
    fn default() -> LinuxHost {
        LinuxHost::new()
    }
}

impl Host for LinuxHost {
    fn monotonic(&self) -> u64 {
        monotonic()
    }

    fn wall_clock(&self) -> i64 {
        clock(ClockId::Realtime)
    }

    fn cpu(&self) -> u32 {
        u32::try_from(rustix::thread::sched_getcpu()).unwrap_or(0)
    }

    fn place(&self, cpu: u32) -> CpuPlace {
        cpus::place(cpu)
    }

    fn own_task(&self) -> TaskInfo {
        self.task.clone()
    }

    fn curthread(&self) -> Result<u64, Raised> {
        self.kernel.current_task().ok_or(Raised::plain(FaultKind::KPriv))
    }

    fn on_cpu(&self) -> u64 {
        clock(ClockId::ThreadCPUTime) as u64
    }

    fn registers(&self) -> [u64; REGISTERS as usize] {
        registers::own()
    }

    fn read_kernel(&self, addr: u64, into: &mut [u8]) -> Result<(), Raised> {
        match self.kernel.read(addr, into) {
            Some(true) => Ok(()),
            Some(false) => Err(Raised::new(FaultKind::BadAddr, addr)),
            None => Err(Raised::plain(FaultKind::KPriv)),
        }
    }

    fn read_own(&self, addr: u64, into: &mut [u8]) -> Result<(), Raised> {
        match process_memory::read(self.task.pid, addr, into) {
            Ok(read) if read == into.len() => Ok(()),
            _ => Err(Raised::new(FaultKind::BadAddr, addr)),
        }
    }

    fn names(&self) -> &dyn Names {
        &*self.symbols
    }

    fn facts(&self) -> Facts {
        let zone = self.zone.clone();
        Facts { syscall_name, local_time: Rc::new(move |seconds| local_time(&zone, seconds)) }
    }

    fn parent(&self, pid: u32) -> Option<u32> {
        procfs::parent(pid, pid)
    }

    fn system(&self, command: &[u8], given_up: &dyn Fn() -> bool) -> Option<u32> {
        system(command, given_up)
    }

    fn decode(&self, capture: &[u8]) -> Option<Vec<u8>> {
        decode("tshark", capture)
    }

    fn local_time(&self, unix_seconds: i64) -> LocalTime {
        local_time(&self.zone, unix_seconds)
    }
}

/// Runs a command with `/bin/sh` and waits for it, or until the caller gives it up: then its process, which goes on. Its
/// standard output is this process's.
pub(crate) fn system(command: &[u8], given_up: &dyn Fn() -> bool) -> Option<u32> {
    // The status is ignored, and so is that there is no shell.
    let mut child = child::shell(command).ok()?;
    let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let ends = process.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    while let Some(ends) = &ends {
        match poll(&mut [PollFd::new(ends, PollFlags::IN)], Some(&LOOK)) {
            // A signal may come just before the wait begins.
            Ok(0) | Err(Errno::INTR) if given_up() => return Some(child.id()),
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) | Err(_) => break,
        }
    }
    let _ = child.wait();
    None
}

/// How long a wait lasts before the caller is asked whether it gives up.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

/// What a program that reads a capture file from its standard input prints; `None` if it cannot be run.
fn decode(program: &str, capture: &[u8]) -> Option<Vec<u8>> {
    let mut child = std::process::Command::new(program)
        .args(["-n", "-r", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    // One packet is less than a pipe holds: it is written before anything is read.
    let written = child.stdin.take().map(|mut input| input.write_all(capture));
    let output = child.wait_with_output().ok()?;
    (written.is_some_and(|written| written.is_ok()) && output.status.success()).then_some(output.stdout)
}

/// Monotonic nanoseconds, the clock of `timestamp` under every source that watches this machine.
pub(crate) fn monotonic() -> u64 {
    clock(ClockId::Monotonic) as u64
}

/// Nanoseconds since 1970 UTC.
pub(crate) fn wall_clock() -> i64 {
    clock(ClockId::Realtime)
}

fn clock(id: ClockId) -> i64 {
    let now = clock_gettime(id);
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}

/// The name of a system call by its number on this machine.
pub(crate) fn syscall_name(number: i64) -> Option<&'static str> {
    syscall_table::by_number(u32::try_from(number).ok()?).map(|call| call.name)
}

/// Broken-down time in a zone; moments outside the calendar (years beyond ±9999) are shown as its nearest end.
pub(crate) fn local_time(zone: &TimeZone, unix_seconds: i64) -> LocalTime {
    let moment = Timestamp::from_second(unix_seconds).unwrap_or(if unix_seconds < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    });
    let info = zone.to_offset_info(moment);
    let local = info.offset().to_datetime(moment);
    LocalTime {
        year: i64::from(local.year()),
        month: local.month() as u8,
        day: local.day() as u8,
        weekday: local.weekday().to_sunday_zero_offset() as u8,
        hour: local.hour() as u8,
        minute: local.minute() as u8,
        second: local.second() as u8,
        zone: info.abbreviation().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(zone: &str, seconds: i64, expected: &str) {
        let zone = TimeZone::posix(zone).expect("a valid POSIX zone");
        let t = local_time(&zone, seconds);
        let got = format!(
            "{:04}-{:02}-{:02} {} {:02}:{:02}:{:02} {}",
            t.year, t.month, t.day, t.weekday, t.hour, t.minute, t.second, t.zone
        );
        assert_eq!(got, expected);
    }

    #[test]
    fn local_times() {
        check("UTC0", 0, "1970-01-01 4 00:00:00 UTC");
        check("UTC0", 951_782_399, "2000-02-28 1 23:59:59 UTC");
        check("UTC0", -1, "1969-12-31 3 23:59:59 UTC");
        // 2024-07-01 12:00 UTC is summer in Berlin, 2024-01-01 is not.
        check("CET-1CEST,M3.5.0,M10.5.0/3", 1_719_835_200, "2024-07-01 1 14:00:00 CEST");
        check("CET-1CEST,M3.5.0,M10.5.0/3", 1_704_110_400, "2024-01-01 1 13:00:00 CET");
        check("UTC0", i64::MAX, "9999-12-30 4 22:00:00 UTC");
    }

    #[test]
    fn own_identity() {
        let host = LinuxHost::new();
        let task = host.own_task();
        assert_eq!(task.pid, std::process::id());
        let tid = rustix::thread::gettid().as_raw_nonzero().get() as u32;
        assert_eq!((task.tid, task.ppid), (tid, std::os::unix::process::parent_id()));
        let (uid, gid) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
        assert_eq!((task.uid, task.gid), (uid, gid));
        let mut comm = std::fs::read("/proc/thread-self/comm").expect("proc is mounted");
        comm.pop();
        assert_eq!(task.execname, comm);
        assert!(task.start > 0);
    }

    #[test]
    fn clocks_go_forward() {
        let host = LinuxHost::new();
        let (before, wall) = (host.monotonic(), host.wall_clock());
        assert!(host.monotonic() >= before);
        let system = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
        assert!((system.as_nanos() as i64 - wall).abs() < 5_000_000_000);
    }
}
