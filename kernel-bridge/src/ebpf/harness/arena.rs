//! Memory that generated code may address: fixed for its life, bounds-checked by its end, with a guard behind it.
//!
//! The only place of the harness that touches raw memory. The bytes are never behind a reference, since the code that
//! rbpf runs writes to them by address.

#![allow(unsafe_code, reason = "memory that generated code writes to")]

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::Range;
use std::ptr::NonNull;

/// Bytes behind the last one that must stay as they are: rbpf checks where an access starts, not where it ends.
const GUARD: usize = 8;
const GUARD_BYTE: u8 = 0xa5;

/// A stretch of zeroed memory, 8-aligned.
#[derive(Debug)]
pub(super) struct Arena {
    start: NonNull<u8>,
    len: usize,
    layout: Layout,
}

// SAFETY: an arena owns its memory and hands out copies only.
unsafe impl Send for Arena {}

impl Arena {
    /// `None` if there is no such layout.
    pub(super) fn new(len: usize) -> Option<Arena> {
        let layout = Layout::from_size_align(len.checked_add(GUARD)?, 8).ok()?;
        // SAFETY: the size is not zero, there is a guard.
        let start = unsafe { alloc_zeroed(layout) };
        let Some(start) = NonNull::new(start) else { handle_alloc_error(layout) };
        // SAFETY: the guard lies behind the `len` bytes, within the allocation.
        unsafe { start.as_ptr().add(len).write_bytes(GUARD_BYTE, GUARD) };
        Some(Arena { start, len, layout })
    }

    /// Where it begins, as generated code sees it.
    pub(super) fn address(&self) -> u64 {
        self.start.as_ptr().expose_provenance() as u64
    }

    /// Its addresses.
    pub(super) fn range(&self) -> Range<u64> {
        self.address()..self.address() + self.len as u64
    }

    /// Whether `len` bytes at an offset lie within.
    pub(super) fn holds(&self, at: usize, len: usize) -> bool {
        at.checked_add(len).is_some_and(|end| end <= self.len)
    }

    /// Copies bytes out; `false` if they do not lie within.
    pub(super) fn read(&self, at: usize, buf: &mut [u8]) -> bool {
        if !self.holds(at, buf.len()) {
            return false;
        }
        // SAFETY: checked to lie within; `buf` is no part of the arena, which is never behind a reference.
        unsafe { self.start.as_ptr().add(at).copy_to_nonoverlapping(buf.as_mut_ptr(), buf.len()) };
        true
    }

    /// Copies bytes in; `false` if they do not lie within.
    pub(super) fn write(&self, at: usize, bytes: &[u8]) -> bool {
        if !self.holds(at, bytes.len()) {
            return false;
        }
        // SAFETY: as for `read`.
        unsafe { self.start.as_ptr().add(at).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        true
    }

    /// Whether nothing was written behind the end.
    pub(super) fn intact(&self) -> bool {
        // SAFETY: the guard lies within the allocation.
        (0..GUARD).all(|i| unsafe { self.start.as_ptr().add(self.len + i).read() } == GUARD_BYTE)
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and nothing refers to it any more.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

/// Copies bytes from the running program's stack, whose bounds are known while it runs.
///
/// # Safety
/// `stack` is the live stack of the program that runs on this thread.
pub(super) unsafe fn read_stack(stack: &Range<u64>, addr: u64, buf: &mut [u8]) -> bool {
    if !within(stack, addr, buf.len()) {
        return false;
    }
    let from: *const u8 = std::ptr::with_exposed_provenance(addr as usize);
    // SAFETY: within the stack, which the caller vouches for; rbpf holds no reference to it while a helper runs.
    unsafe { from.copy_to_nonoverlapping(buf.as_mut_ptr(), buf.len()) };
    true
}

/// Copies bytes to the running program's stack.
///
/// # Safety
/// As for [`read_stack`].
pub(super) unsafe fn write_stack(stack: &Range<u64>, addr: u64, bytes: &[u8]) -> bool {
    if !within(stack, addr, bytes.len()) {
        return false;
    }
    let to: *mut u8 = std::ptr::with_exposed_provenance_mut(addr as usize);
    // SAFETY: as for `read_stack`.
    unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    true
}

fn within(range: &Range<u64>, addr: u64, len: usize) -> bool {
    addr >= range.start && addr.checked_add(len as u64).is_some_and(|end| end <= range.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_are_checked_by_their_ends() {
        let arena = Arena::new(16).unwrap();
        assert!(arena.write(8, &[1; 8]));
        assert!(!arena.write(9, &[1; 8]));
        let mut buf = [0; 4];
        assert!(arena.read(12, &mut buf));
        assert_eq!(buf, [1; 4]);
        assert!(!arena.read(usize::MAX, &mut buf));
        assert!(arena.intact());
    }

    #[test]
    fn a_write_behind_the_end_is_found() {
        let arena = Arena::new(16).unwrap();
        let beyond: *mut u8 = std::ptr::with_exposed_provenance_mut(arena.address() as usize + 17);
        // SAFETY: the guard is part of the allocation.
        unsafe { beyond.write(0) };
        assert!(!arena.intact());
    }
}
