//! The user stack of a stopped thread by its frame pointers: registers and memory in, addresses out. What the kernel does
//! for `bpf`: the first address is the program counter, each frame is the caller's frame pointer and a return address, and
//! the walk ends at what cannot be read.

use dtrail_vm::names::Process;

use super::sys::{self, Registers};
use crate::host;
use crate::symbols::{Start, Symbols};
use crate::sys::{page_size, process_memory};

/// Appends the addresses of a thread's stack, at most so many.
pub(super) fn frame_pointers(tid: u32, most: usize, out: &mut Vec<u64>) {
    let Ok(registers) = sys::registers(tid) else { return };
    let mut memory = Memory { tid, page: u64::MAX, bytes: vec![0; page_size()] };
    let end = out.len().saturating_add(most);
    if out.len() < end {
        out.push(registers.pc);
    }
    let mut frame = registers.fp;
    while out.len() < end {
        let (Some(next), Some(caller)) = (memory.word(frame), memory.word(frame.wrapping_add(8))) else {
            break;
        };
        out.push(caller);
        // A chain that does not go up would not end.
        if next <= frame {
            break;
        }
        frame = next;
    }
}

/// Appends the addresses of a thread's stack by the unwind tables of what its process has mapped.
pub(super) fn tables(tid: u32, pid: u32, symbols: &Symbols, most: usize, out: &mut Vec<u64>) {
    let Ok(Registers { pc, sp, fp, .. }) = sys::registers(tid) else { return };
    symbols.stopped_at(pid, &[pc]);
    let process = Process { pid, seen: host::monotonic(), ..Process::default() };
    let mut memory = Memory { tid, page: u64::MAX, bytes: vec![0; page_size()] };
    symbols.unwind_from(&process, Start { pc, sp, fp }, &mut |addr| memory.word(addr), most, out);
}

/// Memory of a stopped thread, a page at a time: a chain of frames mostly stays in few.
struct Memory {
    tid: u32,
    /// The page that `bytes` holds.
    page: u64,
    bytes: Vec<u8>,
}

impl Memory {
    fn word(&mut self, addr: u64) -> Option<u64> {
        let size = self.bytes.len() as u64;
        if addr == 0 || !addr.is_multiple_of(8) {
            return None;
        }
        let page = addr - addr % size;
        if page != self.page {
            self.page = u64::MAX;
            let read = process_memory::read(self.tid, page, &mut self.bytes).ok()?;
            if read < self.bytes.len() {
                return None;
            }
            self.page = page;
        }
        let at = (addr - page) as usize;
        Some(u64::from_le_bytes(*self.bytes.get(at..)?.first_chunk()?))
    }
}
