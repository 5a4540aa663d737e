//! The harness as a machine for made-up events: engine `rbpf`. Comes in: a plan's programs and events. Goes out: what the
//! kernel would give, without a kernel and without privilege.

use std::sync::Arc;

use dtrail_lang::ir::AddrSpace;
use dtrail_lang::plan::{Overflow, Plan};
use dtrail_vm::event::Error;

use super::{Cpus, Machine};
use crate::ebpf::EbpfProgram;
use crate::ebpf::harness::{Harness, HarnessError, NoMemory, SyntheticMemory, TOO_LONG};
use crate::source::event_memory::{read, readable};
use crate::source::synthetic_event::MemoryRegion;

/// The memory of an event, as the helpers read it.
#[derive(Debug)]
struct EventRegions(Arc<[MemoryRegion]>);

impl SyntheticMemory for EventRegions {
    fn read(&mut self, user: bool, addr: u64, buf: &mut [u8]) -> usize {
        let space = if user { AddrSpace::User } else { AddrSpace::ByAddress };
        let mut count = 0;
        while count < buf.len() {
            let Some(bytes) = addr.checked_add(count as u64).and_then(|at| readable(&self.0, space, at))
            else {
                break;
            };
            let taken = bytes.len().min(buf.len() - count);
            buf[count..count + taken].copy_from_slice(&bytes[..taken]);
            count += taken;
        }
        count
    }

    /// Of this event: the next one has its own memory again.
    fn write(&mut self, addr: u64, bytes: &[u8]) -> bool {
        if read(&self.0, AddrSpace::User, addr, &mut vec![0; bytes.len()]).is_err() {
            return false;
        }
        let written = |region: &MemoryRegion| {
            let mut region = region.clone();
            let at = addr.checked_sub(region.addr).and_then(|at| usize::try_from(at).ok());
            if let Some(at) =
                at.filter(|at| at.checked_add(bytes.len()).is_some_and(|end| end <= region.bytes.len()))
            {
                let mut all = region.bytes.to_vec();
                all[at..at + bytes.len()].copy_from_slice(bytes);
                region.bytes = all.into();
            }
            region
        };
        self.0 = self.0.iter().map(written).collect();
        true
    }
}

/// What the harness objects to is a defect of the emitter, unless rbpf takes no code of that length.
fn defect(error: &HarnessError) -> Error {
    if error.0.starts_with(TOO_LONG) {
        return Error::new(error.to_string())
            .help("engines interp, jit and bpf have no such limit; or use fewer clauses on a probe")
            .overflow(Overflow::Refused);
    }
    Error::new(format!("internal error: generated code does not run in rbpf: {error}"))
        .help("this is a defect of dtrail itself; please report it with the program")
}

impl Machine for Harness {
    const WRITES_USER: Option<bool> = Some(true);

    fn load(_plan: &Plan, program: &EbpfProgram, cpus: Cpus) -> Result<Harness, Error> {
        Harness::new(program, cpus.count.max(1), Box::new(NoMemory)).map_err(|e| defect(&e))
    }

    fn place(&mut self, memory: &Arc<[MemoryRegion]>) -> Result<(), Error> {
        self.set_memory(Box::new(EventRegions(memory.clone())));
        Ok(())
    }

    /// The harness takes the CPU from the event.
    fn run(&mut self, _cpu: u32) -> Result<(), Error> {
        Harness::run(self).map_err(|e| defect(&e))
    }

    fn records(&mut self) -> Vec<Vec<u8>> {
        Harness::records(self)
    }
}
