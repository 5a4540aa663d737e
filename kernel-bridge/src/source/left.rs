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

    /// Whether the process of the event is still the one of its number, and another one than the tracer.
    fn is_there(&self) -> bool {
        let nanos = |clock| {
            let now = clock_gettime(clock);
            now.tv_sec.wrapping_mul(1_000_000_000).wrapping_add(now.tv_nsec)
        };
        let suspended = nanos(ClockId::Boottime).saturating_sub(nanos(ClockId::Monotonic));
        let event = self.time.saturating_add(u64::try_from(suspended).unwrap_or(0));
        let another = self.pid != 0 && self.pid != std::process::id();
        another && procfs::started(self.pid).is_some_and(|started| started <= event)
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
            Ok(read) if self.pid != 0 && read == buf.len() => Ok(()),
            _ => Err(Raised::new(FaultKind::BadAddr, addr)),
        }
    }

    fn write(&mut self, addr: u64, bytes: &[u8]) -> Result<(), Raised> {
        match self.is_there() && process_memory::write(self.pid, addr, bytes).ok() == Some(bytes.len()) {
            true => Ok(()),
            false => Err(Raised::new(FaultKind::BadAddr, addr)),
        }
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
