//! Memory as clauses see it: the event's through its context, scratch memory of the clause itself. Every address is
//! checked; a bad one raises `BADADDR`.

use dtrail_lang::ir::inst::{SCRATCH_BASE, is_made_up};
use dtrail_lang::ir::{AddrSpace, MemSize};

use super::{Run, extend};
use crate::engine::Input;
use crate::fault::{FaultKind, Raised};

impl Run<'_> {
    /// Loads an integer, sign- or zero-extended.
    pub fn load(&mut self, addr: u64, size: MemSize, signed: bool, space: AddrSpace) -> u64 {
        let mut buf = [0; 8];
        let bytes = &mut buf[..size.bytes() as usize];
        let result = match space {
            AddrSpace::Scratch => self.scratch(addr, bytes.len()).map(|from| bytes.copy_from_slice(from)),
            _ => self.read(space, addr, bytes),
        };
        match result {
            Ok(()) => extend(u64::from_le_bytes(buf), (size.bytes() * 8) as u8, signed),
            Err(raised) => self.raise(raised),
        }
    }

    /// Loads a string of at most `limit` bytes.
    pub fn load_string(&mut self, addr: u64, limit: u32, space: AddrSpace) -> u64 {
        let limit = (limit as usize).min(self.world.strsize);
        if space == AddrSpace::Scratch {
            // The end of it is where the bytes of an empty block are.
            let Some(bytes) = scratch_tail(&self.world.scratch, addr) else {
                return self.raise(Raised::new(FaultKind::BadAddr, addr));
            };
            let word = self.world.arena.push(&bytes[..bytes.len().min(limit)]);
            return self.filed(word);
        }
        self.read_string(space, addr, limit)
    }

    /// Reads a string of at most `limit` bytes from outside; its first byte must be readable even if `limit` is 0.
    pub(super) fn read_string(&mut self, space: AddrSpace, addr: u64, limit: usize) -> u64 {
        if is_made_up(addr) {
            return self.raise(Raised::new(FaultKind::BadAddr, addr));
        }
        let Input::Live(context) = &mut self.input else {
            return self.bug("a string load in user code");
        };
        let (start, buffer) = self.world.arena.begin();
        match context.read_string(space, addr, limit.max(1), buffer) {
            Ok(()) => {
                let word = self.world.arena.finish(start, limit);
                self.filed(word)
            }
            Err(raised) => self.raise(raised),
        }
    }

    pub(super) fn read(&mut self, space: AddrSpace, addr: u64, buf: &mut [u8]) -> Result<(), Raised> {
        if is_made_up(addr) {
            return Err(Raised::new(FaultKind::BadAddr, addr));
        }
        match &mut self.input {
            Input::Live(context) => context.read(space, addr, buf),
            Input::Record { .. } => {
                self.bug("a load in user code");
                Ok(())
            }
        }
    }

    fn scratch(&self, addr: u64, size: usize) -> Result<&[u8], Raised> {
        scratch_tail(&self.world.scratch, addr)
            .and_then(|bytes| bytes.get(..size))
            .ok_or(Raised::new(FaultKind::BadAddr, addr))
    }

    /// Stores the low bytes of `value` in scratch memory.
    pub fn store(&mut self, addr: u64, value: u64, size: MemSize) {
        let size = size.bytes() as usize;
        let at = addr.checked_sub(SCRATCH_BASE).and_then(|at| usize::try_from(at).ok());
        match at.and_then(|at| self.world.scratch.get_mut(at..)?.get_mut(..size)) {
            Some(bytes) => bytes.copy_from_slice(&value.to_le_bytes()[..size]),
            None => {
                self.raise(Raised::new(FaultKind::BadAddr, addr));
            }
        }
    }

    /// Allocates zeroed scratch memory and gives its address.
    pub(super) fn allocate(&mut self, size: u64) -> Result<u64, Raised> {
        if size > self.world.scratchsize as u64 {
            return Err(Raised::new(FaultKind::BadSize, size));
        }
        let start = self.world.scratch.len();
        let end = start + (size as usize).next_multiple_of(8);
        if end > self.world.scratchsize.next_multiple_of(8) {
            return Err(Raised::plain(FaultKind::NoScratch));
        }
        self.world.scratch.resize(end, 0);
        Ok(SCRATCH_BASE + start as u64)
    }
}

fn scratch_tail(scratch: &[u8], addr: u64) -> Option<&[u8]> {
    let offset = addr.checked_sub(SCRATCH_BASE)?;
    scratch.get(usize::try_from(offset).ok()?..)
}
