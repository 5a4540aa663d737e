//! Blocks: so many bytes, whatever they are. Read from memory at the event or from scratch memory, written to scratch
//! memory and to the traced process.

use dtrail_lang::ir::inst::SCRATCH_BASE;
use dtrail_lang::ir::{AddrSpace, BlockPiece, Reg};

use super::Run;
use crate::engine::Input;
use crate::fault::{FaultKind, Raised};

/// No block is larger.
const MOST: u64 = 16 << 20;

impl Run<'_> {
    /// Bytes of the event's memory.
    pub(super) fn block(&mut self, addr: u64, size: u64, space: AddrSpace) -> u64 {
        if size > MOST {
            return self.raise(Raised::new(FaultKind::BadSize, size));
        }
        let mut bytes = std::mem::take(&mut self.world.key);
        bytes.clear();
        bytes.resize(size as usize, 0);
        let read = if size == 0 { Ok(()) } else { self.read(space, addr, &mut bytes) };
        let word = match read {
            Ok(()) => {
                let word = self.world.arena.push_block(&bytes);
                self.filed(word)
            }
            Err(raised) => self.raise(raised),
        };
        self.world.key = bytes;
        word
    }

    /// Bytes of scratch memory.
    pub(super) fn scratch_block(&mut self, addr: u64, size: u64) -> u64 {
        let range = self.scratch_range(addr, size);
        match range.and_then(|range| self.world.scratch.get(range)) {
            Some(bytes) => {
                let word = self.world.arena.push_block(bytes);
                self.filed(word)
            }
            None => self.raise(Raised::new(FaultKind::BadAddr, addr)),
        }
    }

    /// A block made of the values of registers, zero between them; `text`: only what stands before the first NUL.
    pub(crate) fn assemble(
        &mut self,
        size: u32,
        pieces: &[BlockPiece],
        text: bool,
        value: impl Fn(Reg) -> u64,
    ) -> u64 {
        let mut bytes = std::mem::take(&mut self.world.key);
        bytes.clear();
        bytes.resize(size as usize, 0);
        for piece in pieces {
            let start = (piece.bit / 8) as usize;
            let Some(room) = bytes.get_mut(start..) else { continue };
            let word = value(piece.src);
            if piece.string {
                let from = self.bytes(word).unwrap_or(&[]);
                let length = from.len().min((piece.bits / 8) as usize).min(room.len());
                room[..length].copy_from_slice(&from[..length]);
                continue;
            }
            let mask = if piece.bits >= 64 { u64::MAX } else { (1 << piece.bits) - 1 };
            let bits = u128::from(word & mask) << (piece.bit % 8);
            for (byte, more) in room.iter_mut().zip(bits.to_le_bytes().iter().take(9)) {
                *byte |= more;
            }
        }
        if text {
            let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len()).min(self.world.strsize);
            bytes.truncate(end);
        }
        let word = self.world.arena.push_block(&bytes);
        self.world.key = bytes;
        self.filed(word)
    }

    /// A size of scratch memory.
    pub(super) fn scratch_size(&mut self, size: u64) -> u64 {
        if size > self.world.scratchsize as u64 {
            return self.raise(Raised::new(FaultKind::BadSize, size));
        }
        size
    }

    /// Bytes, and zeros after their end, to scratch memory.
    pub(super) fn fill(&mut self, bytes: u64, addr: u64, size: u64) -> u64 {
        let Some(length) = self.bytes(bytes).map(<[u8]>::len) else {
            return self.raise(Raised::new(FaultKind::BadAddr, 0));
        };
        let range = self.scratch_range(addr, size);
        let super::World { arena, scratch, .. } = &mut *self.world;
        let (Some(range), Some(from)) = (range, arena.get(bytes)) else {
            return self.raise(Raised::new(FaultKind::BadAddr, addr));
        };
        let Some(to) = scratch.get_mut(range) else {
            return self.raise(Raised::new(FaultKind::BadAddr, addr));
        };
        let copied = length.min(to.len());
        to[..copied].copy_from_slice(&from[..copied]);
        to[copied..].fill(0);
        0
    }

    fn scratch_range(&self, addr: u64, size: u64) -> Option<std::ops::Range<usize>> {
        if size == 0 {
            return Some(0..0);
        }
        let start = usize::try_from(addr.checked_sub(SCRATCH_BASE)?).ok()?;
        let end = start.checked_add(usize::try_from(size).ok()?)?;
        (end <= self.world.scratch.len()).then_some(start..end)
    }

    /// The first bytes of a block to the process's memory.
    pub(super) fn copy_out(&mut self, bytes: u64, addr: u64, size: u64) -> u64 {
        let Some(bytes) = self.world.arena.get(bytes) else {
            return self.raise(Raised::new(FaultKind::BadAddr, 0));
        };
        let bytes = bytes[..bytes.len().min(usize::try_from(size).unwrap_or(usize::MAX))].to_vec();
        self.write_out(addr, &bytes)
    }

    /// A string and its NUL to the process's memory, at most `size` bytes.
    pub(super) fn copy_out_string(&mut self, text: u64, addr: u64, size: u64) -> u64 {
        let Some(text) = self.world.arena.get(text) else {
            return self.raise(Raised::new(FaultKind::BadAddr, 0));
        };
        let mut bytes = [text, b"\0"].concat();
        bytes.truncate(usize::try_from(size).unwrap_or(usize::MAX));
        self.write_out(addr, &bytes)
    }

    fn write_out(&mut self, addr: u64, bytes: &[u8]) -> u64 {
        if bytes.is_empty() {
            return 0;
        }
        let written = match &mut self.input {
            Input::Live(context) => context.write(addr, bytes),
            Input::Record { .. } => return self.bug("a store to the process in user code"),
        };
        self.ok(written.map(|()| 0))
    }
}
