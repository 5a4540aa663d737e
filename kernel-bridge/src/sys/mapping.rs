//! Memory shared with the kernel: read and written as atomic words, so that no torn or stale access is undefined; or read
//! as bytes that never change.

use std::ffi::c_void;
use std::io;
use std::os::fd::AsFd;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// A shared mapping of a descriptor; unmapped on drop.
#[derive(Debug)]
pub struct Mapping {
    start: NonNull<c_void>,
    len: usize,
    writable: bool,
}

// SAFETY: the mapping belongs to the process, not to a thread, and is accessed through atomics only, or through the
// slices of `Mapping::bytes`, whose contract is the caller's.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Maps `len` bytes from `offset`, both multiples of the page size.
    pub fn new(fd: impl AsFd, offset: u64, len: usize, writable: bool) -> io::Result<Mapping> {
        let prot = if writable { ProtFlags::READ | ProtFlags::WRITE } else { ProtFlags::READ };
        // SAFETY: the kernel picks the address, so nothing that exists is replaced.
        let start = unsafe { mmap(std::ptr::null_mut(), len, prot, MapFlags::SHARED, fd, offset)? };
        let start = NonNull::new(start).ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))?;
        Ok(Mapping { start, len, writable })
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no bytes at all, which the kernel does not allow.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The word at a byte offset, a multiple of 8; 0 outside the mapping.
    pub fn load(&self, offset: usize, order: Ordering) -> u64 {
        self.word(offset).map_or(0, |word| word.load(order))
    }

    /// Sets the word at a byte offset; nothing outside the mapping or if it is read-only.
    pub fn store(&self, offset: usize, value: u64, order: Ordering) {
        if let (true, Some(word)) = (self.writable, self.word(offset)) {
            word.store(value, order);
        }
    }

    /// Sets the word at a byte offset to `new` if it is `old`, in one step that the kernel's programs cannot come between;
    /// whether it was. Nothing outside the mapping or if it is read-only.
    pub fn replace(&self, offset: usize, old: u64, new: u64) -> bool {
        let word = self.word(offset).filter(|_| self.writable);
        word.is_some_and(|word| word.compare_exchange(old, new, Ordering::SeqCst, Ordering::SeqCst).is_ok())
    }

    fn word(&self, offset: usize) -> Option<&AtomicU64> {
        if !offset.is_multiple_of(8) || offset.checked_add(8)? > self.len {
            return None;
        }
        // SAFETY: in bounds (above), aligned (pages are, and the offset is a multiple of 8), mapped while `self` lives,
        // and accessed by everyone as an atomic. A store to a read-only mapping is excluded by `store` and `replace`.
        Some(unsafe { AtomicU64::from_ptr(self.start.as_ptr().cast::<u8>().add(offset).cast::<u64>()) })
    }

    /// Bytes of the mapping as a slice.
    ///
    /// # Safety
    /// Nobody writes to these bytes while the slice lives.
    pub unsafe fn bytes(&self, offset: usize, len: usize) -> Option<&[u8]> {
        if offset.checked_add(len)? > self.len {
            return None;
        }
        // SAFETY: in bounds, mapped while `self` lives; the caller vouches for the rest.
        Some(unsafe { std::slice::from_raw_parts(self.start.as_ptr().cast::<u8>().add(offset), len) })
    }
}

/// What the kernel publishes about itself once and for all, without a copy.
#[derive(Debug)]
pub struct Published {
    start: NonNull<c_void>,
    len: usize,
}

// SAFETY: the bytes never change, so any thread may read them.
unsafe impl Send for Published {}
// SAFETY: likewise.
unsafe impl Sync for Published {}

impl Published {
    /// Maps the kernel's own BTF. Kernels before 6.16 refuse.
    pub fn vmlinux_btf(path: &str) -> io::Result<Published> {
        let file = std::fs::File::open(path)?;
        let len = usize::try_from(file.metadata()?.len()).unwrap_or(0);
        // SAFETY: the kernel picks the address, so nothing that exists is replaced.
        let start = unsafe { mmap(std::ptr::null_mut(), len, ProtFlags::READ, MapFlags::PRIVATE, file, 0)? };
        let start = NonNull::new(start).ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))?;
        Ok(Published { start, len })
    }
}

impl std::ops::Deref for Published {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: mapped and readable while `self` lives; the kernel's types are part of its read-only image.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr().cast::<u8>(), self.len) }
    }
}

impl Drop for Published {
    fn drop(&mut self) {
        // SAFETY: `start` and `len` are those that mmap gave; no reference outlives `self`.
        let _ = unsafe { munmap(self.start.as_ptr(), self.len) };
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: `start` and `len` are those that mmap gave; no reference outlives `self`.
        let _ = unsafe { munmap(self.start.as_ptr(), self.len) };
    }
}
