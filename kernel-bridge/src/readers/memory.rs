//! The kernel's memory, for clauses that user space runs: `BEGIN`, `END` and `tick`. Comes in: an address. Goes out: bytes,
//! and where the calling thread's own `struct task_struct` is. Never: a write.
//!
//! One program reads, which hangs nowhere and runs when it is asked, with the request and the answer in the value of a map.
//! It is loaded when something is read for the first time: most programs read nothing.

use std::cell::OnceCell;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use crate::ebpf::asm::{Alu, Asm, R0, R1, R2, R3, R6, Size, opcode, pack};
use crate::ebpf::helper;
use crate::sys::bpf::{self, Map, MapType, NewMap};

/// Most bytes of one run of the program.
const CHUNK: usize = 256;

/// Where in the value of the map something lies; its bytes are behind all.
mod at {
    pub(super) const ADDRESS: usize = 0;
    pub(super) const SIZE: usize = 8;
    pub(super) const TASK: usize = 16;
    pub(super) const BYTES: usize = 24;
}

/// Reads memory of the kernel, if this process may.
#[derive(Debug, Default)]
pub struct KernelMemory {
    reader: OnceCell<Option<Reader>>,
}

#[derive(Debug)]
struct Reader {
    program: OwnedFd,
    request: Map,
}

impl KernelMemory {
    /// Where the kernel keeps the calling thread; `None` if this process may not know.
    pub fn current_task(&self) -> Option<u64> {
        let mut answer = [0; at::BYTES + CHUNK];
        self.ask(0, 0, &mut answer).ok()?;
        Some(word(&answer, at::TASK))
    }

    /// Fills `into` from an address on; `Some(false)` if not all of it can be read, `None` if this process may read nothing.
    pub fn read(&self, addr: u64, into: &mut [u8]) -> Option<bool> {
        let mut answer = [0; at::BYTES + CHUNK];
        let mut next = addr;
        for part in into.chunks_mut(CHUNK) {
            if !self.ask(next, part.len(), &mut answer).ok()? {
                return Some(false);
            }
            part.copy_from_slice(&answer[at::BYTES..at::BYTES + part.len()]);
            next = next.wrapping_add(part.len() as u64);
        }
        Some(true)
    }

    /// Runs the program for at most [`CHUNK`] bytes. `Ok(false)`: they cannot be read.
    fn ask(&self, addr: u64, size: usize, answer: &mut [u8; at::BYTES + CHUNK]) -> io::Result<bool> {
        let reader = self.reader.get_or_init(|| Reader::new().ok()).as_ref();
        let reader = reader.ok_or(io::ErrorKind::PermissionDenied)?;
        answer[at::ADDRESS..at::SIZE].copy_from_slice(&addr.to_ne_bytes());
        answer[at::SIZE..at::TASK].copy_from_slice(&(size as u64).to_ne_bytes());
        reader.request.update(&[0; 4], answer)?;
        let failed = bpf::test_run(reader.program.as_fd())? != 0;
        reader.request.lookup(&[0; 4], answer)?;
        Ok(!failed)
    }
}

impl Reader {
    fn new() -> io::Result<Reader> {
        let request = Map::new(bpf::create_map(&NewMap {
            name: "memory",
            kind: MapType::Array,
            key_size: 4,
            value_size: (at::BYTES + CHUNK) as u32,
            max_entries: 1,
            flags: 0,
            inner: None,
        })?)?;
        let program = bpf::load_raw_tracepoint(&code(request.as_fd().as_raw_fd())?)?;
        Ok(Reader { program, request })
    }
}

fn word(answer: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&answer[at..at + 8]);
    u64::from_ne_bytes(word)
}

/// Does what the value of a map asks for; its result is that of the helper, 0 if all was read.
fn code(map: i32) -> io::Result<Vec<u64>> {
    let mut asm = Asm::new();
    let value = asm.len();
    asm.map_value(R6, 0, 0);
    asm.call(helper::GET_CURRENT_TASK);
    asm.stx(Size::D, R6, at::TASK as i32, R0);
    asm.mov(R1, R6);
    asm.alu_imm(Alu::Add, R1, at::BYTES as i32);
    asm.ldx(Size::D, R2, R6, at::SIZE as i32);
    asm.clamp(R2, CHUNK as u32);
    asm.ldx(Size::D, R3, R6, at::ADDRESS as i32);
    asm.call(helper::PROBE_READ_KERNEL);
    asm.exit();
    let mut code = asm.finish().map_err(|_| io::ErrorKind::InvalidData)?;
    code.insns[value] = pack(opcode::LDDW, R6.0, opcode::PSEUDO_MAP_VALUE, 0, map);
    Ok(code.insns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::btf::{Btf, Kind};
    use crate::testing::privileged;

    #[test]
    fn the_own_task_has_the_own_name() {
        if !privileged() {
            return;
        }
        let memory = KernelMemory::default();
        let task = memory.current_task().expect("it may know");
        assert_eq!(task >> 63, 1, "an address of the kernel: {task:#x}");
        let types = Btf::of_kernel().expect("a kernel with types");
        let [of] = types.find_all(&[(Kind::Struct, "task_struct")]);
        let comm = types.member(of.expect("every kernel has it"), &["comm"]).expect("so it has this");
        let mut name = [0; 16];
        assert_eq!(memory.read(task + u64::from(comm), &mut name), Some(true));
        let own = std::fs::read("/proc/thread-self/comm").expect("proc is mounted");
        assert_eq!(name[..own.len() - 1], own[..own.len() - 1]);
        assert_eq!(name[own.len() - 1], 0);
        // More than a run of the program reads, and where nothing is.
        assert_eq!(memory.read(task, &mut [0; CHUNK + 100]), Some(true));
        assert_eq!(memory.read(u64::MAX - 4096, &mut name), Some(false));
    }
}
