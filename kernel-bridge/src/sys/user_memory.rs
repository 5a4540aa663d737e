//! Bytes at given addresses of this process's own memory, so that a program under `BPF_PROG_TEST_RUN` finds them as it
//! would find a traced process's.
//!
//! Granularity is a page: what is beyond the bytes of a region, on its last page, reads as zero.

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::io;

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

use super::page_size;

/// Pages placed at fixed addresses; taken away on drop.
#[derive(Debug, Default)]
pub struct UserMemory {
    /// Their page numbers.
    pages: BTreeSet<usize>,
}

impl UserMemory {
    /// Takes away what was there and places these regions, each an address and its bytes. Fails where this process has
    /// memory of its own, or an address cannot be user memory.
    pub fn place<'a>(&mut self, regions: impl Iterator<Item = (u64, &'a [u8])>) -> io::Result<()> {
        self.clear();
        let page = page_size();
        for (addr, bytes) in regions {
            let addr = usize::try_from(addr).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
            if addr < page {
                // A pointer into the first page may be null to the compiler.
                return Err(io::ErrorKind::InvalidInput.into());
            }
            let Some(end) = addr.checked_add(bytes.len()).filter(|_| !bytes.is_empty()) else { continue };
            for number in addr / page..end.div_ceil(page) {
                if !self.pages.contains(&number) {
                    self.add(number * page)?;
                    self.pages.insert(number);
                }
            }
            // SAFETY: all pages of `addr..end` were mapped writable by `add` and belong to `self`; no reference into
            // them exists, and `bytes` cannot lie in them, since they were not mapped when it was made.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), addr as *mut u8, bytes.len()) };
        }
        Ok(())
    }

    fn add(&mut self, addr: usize) -> io::Result<()> {
        let flags = MapFlags::PRIVATE | MapFlags::FIXED_NOREPLACE | MapFlags::POPULATE;
        let prot = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: with FIXED_NOREPLACE nothing that exists is replaced; the call fails instead.
        let got = unsafe { mmap_anonymous(addr as *mut c_void, page_size(), prot, flags)? };
        if got as usize == addr {
            return Ok(());
        }
        // A kernel that does not know the flag takes the address as a wish.
        // SAFETY: this page was mapped a moment ago and nobody uses it.
        let _ = unsafe { munmap(got, page_size()) };
        Err(io::ErrorKind::AddrInUse.into())
    }

    fn clear(&mut self) {
        for number in std::mem::take(&mut self.pages) {
            let start = (number * page_size()) as *mut c_void;
            // SAFETY: the page was mapped by `add`, and no reference into it exists.
            let _ = unsafe { munmap(start, page_size()) };
        }
    }
}

impl Drop for UserMemory {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads this process's memory through the kernel, so that what is not mapped is an error and no crash.
    fn read(addr: u64, len: usize) -> Option<Vec<u8>> {
        use std::os::unix::fs::FileExt;
        let mut bytes = vec![0; len];
        let memory = std::fs::File::open("/proc/self/mem").expect("our own");
        memory.read_exact_at(&mut bytes, addr).ok().map(|()| bytes)
    }

    #[test]
    fn bytes_lie_where_they_should() {
        let mut memory = UserMemory::default();
        let at = 0x5_1234_5000u64;
        let across = at + 4096 - 2;
        memory.place([(at, &b"abc"[..]), (across, b"wxyz")].into_iter()).expect("free addresses");
        assert_eq!(read(at, 4), Some(b"abc\0".to_vec()));
        assert_eq!(read(across, 4), Some(b"wxyz".to_vec()));
        memory.place([(at, &b"d"[..])].into_iter()).expect("free addresses");
        assert_eq!(read(at, 2), Some(b"d\0".to_vec()), "nothing is left of what was there");
        assert_eq!(read(across + 2, 1), None);
        drop(memory);
        assert_eq!(read(at, 1), None);
    }

    #[test]
    fn our_own_memory_is_never_replaced() {
        let own = vec![7u8; 10_000];
        let mut memory = UserMemory::default();
        let error = memory.place([(own.as_ptr() as u64, &b"x"[..])].into_iter()).expect_err("it is ours");
        assert_eq!(error.raw_os_error(), Some(libc::EEXIST));
        assert!(own.iter().all(|b| *b == 7));
        memory.place([(u64::MAX - 4096, &b"x"[..])].into_iter()).expect_err("no user address");
        memory.place([(8, &b"x"[..])].into_iter()).expect_err("null is never readable");
    }
}
