//! What is left of an event when its record is looked at: its process, and the kernel's memory, as they are by then. Comes
//! in: the record. Goes out: bytes, and what is done to the process, for `ERROR` clauses, which run after the event. Never:
//! anything to a process that has got the number since, or to the tracer itself.

use std::os::fd::AsFd;

use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::ir::AddrSpace;
use dtrail_lang::ir::inst::USER_END;
use dtrail_lang::plan::layout::header;
use dtrail_vm::event::EventContext;
use dtrail_vm::fault::{FaultKind, Raised};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use rustix::time::{ClockId, clock_gettime};

use crate::procfs;
use crate::readers::memory::KernelMemory;
use crate::sys::process_memory::Opened;
use crate::sys::{process_memory, signals};

/// See the module. A process that is gone has no memory, and one without a number in this PID namespace none that can be
/// reached.
#[derive(Debug, Default)]
pub(super) struct LeftContext {
    pid: u32,
    /// Monotonic nanoseconds of the event.
    time: u64,
    kernel: KernelMemory,
}

impl LeftContext {
    /// Turns to the event of a record.
    pub(super) fn set_event(&mut self, record: &[u8]) {
        let word = |at: u32| {
            let bytes = record.get(at as usize..at as usize + 8).and_then(|bytes| bytes.try_into().ok());
            bytes.map_or(0, u64::from_le_bytes)
        };
        self.pid = (word(header::PID_TGID) >> 32) as u32;
        self.time = word(header::TIME);
    }

    /// Whether the process of the event is still the one of its number: it then had it all the time.
    fn is_same(&self) -> bool {
        let nanos = |clock| {
            let now = clock_gettime(clock);
            now.tv_sec.wrapping_mul(1_000_000_000).wrapping_add(now.tv_nsec)
        };
        let suspended = nanos(ClockId::Boottime).saturating_sub(nanos(ClockId::Monotonic));
        let event = self.time.saturating_add(u64::try_from(suspended).unwrap_or(0));
        self.pid != 0 && procfs::started(self.pid).is_some_and(|started| started <= event)
    }

    /// Whether it is, and another one than the tracer.
    fn is_there(&self) -> bool {
        self.pid != std::process::id() && self.is_same()
    }

    fn read_kernel(&self, addr: u64, buf: &mut [u8]) -> Result<(), Raised> {
        match self.kernel.read(addr, buf) {
            Some(true) => Ok(()),
            Some(false) => Err(Raised::new(FaultKind::BadAddr, addr)),
            None => Err(Raised::plain(FaultKind::KPriv)),
        }
    }
}

impl EventContext for LeftContext {
    fn int(&mut self, _: BuiltinVar, _: u32) -> Result<i64, Raised> {
        // The record has them.
        Ok(0)
    }

    fn string(&mut self, _: BuiltinVar, _: &mut Vec<u8>) -> Result<(), Raised> {
        Ok(())
    }

    fn read(&mut self, space: AddrSpace, addr: u64, buf: &mut [u8]) -> Result<(), Raised> {
        if space == AddrSpace::ByAddress && addr >= USER_END {
            return self.read_kernel(addr, buf);
        }
        match process_memory::read(self.pid, addr, buf) {
            // Asked after the read: what was read is then surely the process's.
            Ok(read) if read == buf.len() && self.is_same() => Ok(()),
            _ => {
                buf.fill(0);
                Err(Raised::new(FaultKind::BadAddr, addr))
            }
        }
    }

    fn write(&mut self, addr: u64, bytes: &[u8]) -> Result<(), Raised> {
        // What is written to is the memory of the process that is looked at next.
        let memory = Opened::of(self.pid).ok().filter(|_| self.is_there());
        let written = memory.is_some_and(|memory| memory.write(addr, bytes).is_ok());
        if written { Ok(()) } else { Err(Raised::new(FaultKind::BadAddr, addr)) }
    }

    fn signal(&mut self, signal: i32) {
        // The descriptor is of the process that is looked at next.
        let process = Pid::from_raw(self.pid as i32);
        let process = process.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        if let Some(process) = process.filter(|_| self.is_there()) {
            signals::send(process.as_fd(), signal);
        }
    }

    fn parent(&mut self, pid: u32) -> Option<u32> {
        procfs::parent(pid, pid)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    /// What is read of this process, at an event of a time, and whether anything was.
    fn read_at(time: u64) -> (bool, u32) {
        let there = 0x1234_5678u32;
        let mut buf = [0xff; 4];
        let mut left = LeftContext { pid: std::process::id(), time, ..LeftContext::default() };
        let read = left.read(AddrSpace::User, &raw const there as u64, &mut buf);
        (read.is_ok(), u32::from_le_bytes(buf))
    }

    /// The first mapping of a process whose line has a text.
    fn mapping(pid: u32, text: &str) -> u64 {
        let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).expect("it is there");
        let line = maps.lines().find(|line| line.contains(text)).expect("every process has it");
        u64::from_str_radix(line.split('-').next().unwrap_or(""), 16).expect("an address")
    }

    #[test]
    fn what_is_written_goes_to_the_process_that_fired_where_it_may_write_itself() {
        // It ends with its input, and has been loaded once it has answered.
        let mut command = std::process::Command::new("cat");
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut child = command.spawn().expect("cat exists");
        let pid = child.id();
        let mut answer = [0; 1];
        let (mut input, mut output) =
            (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        input.write_all(b"x").and_then(|()| output.read_exact(&mut answer)).expect("it answers");
        let (stack, code) = (mapping(pid, "[stack]"), mapping(pid, "r-xp"));
        let write_at = |time, addr| {
            let mut left = LeftContext { pid, time, ..LeftContext::default() };
            left.write(addr, b"new").map_err(|raised| (raised.kind, raised.value))
        };
        let read = |addr| {
            let mut bytes = [0; 3];
            process_memory::read(pid, addr, &mut bytes).map(|_| bytes).expect("ours")
        };
        let before = read(code);
        let now = crate::host::monotonic();
        let written = write_at(now, stack);
        let refused = [write_at(now, code), write_at(0, stack + 8), write_at(now, 8)];
        let after = [read(stack), read(stack + 8), read(code)];
        let _ = child.kill().and_then(|()| child.wait());
        assert_eq!(written, Ok(()));
        let bad = |addr| Err((FaultKind::BadAddr, addr));
        assert_eq!(refused, [bad(code), bad(stack + 8), bad(8)]);
        assert_eq!(after, [*b"new", [0; 3], before]);
        assert_eq!(write_at(now, stack), bad(stack), "it is gone");
    }

    #[test]
    fn memory_is_that_of_the_process_that_fired_and_of_no_later_one() {
        assert_eq!(read_at(crate::host::monotonic()), (true, 0x1234_5678));
        // This process has begun later than the machine, so that whoever fired then is another one.
        assert_eq!(read_at(0), (false, 0));
    }
}
