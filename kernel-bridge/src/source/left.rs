//! What is left of an event when its record is looked at: the memory of its process and the kernel's, as they are by then.
//! Comes in: the record. Goes out: bytes, for `ERROR` clauses, which run after the event.

use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::ir::AddrSpace;
use dtrail_lang::ir::inst::USER_END;
use dtrail_lang::plan::layout::header;
use dtrail_vm::event::EventContext;
use dtrail_vm::fault::{FaultKind, Raised};

use crate::procfs;
use crate::readers::memory::KernelMemory;
use crate::sys::process_memory;

/// See the module. A process that is gone has no memory, and one without a number in this PID namespace none that can be
/// reached.
#[derive(Debug, Default)]
pub(super) struct LeftContext {
    pid: u32,
    kernel: KernelMemory,
}

impl LeftContext {
    /// Turns to the event of a record.
    pub(super) fn set_event(&mut self, record: &[u8]) {
        let at = header::PID_TGID as usize;
        let word =
            record.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes);
        self.pid = (word >> 32) as u32;
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

    fn parent(&mut self, pid: u32) -> Option<u32> {
        procfs::parent(pid, pid)
    }
}
