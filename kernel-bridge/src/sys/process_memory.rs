//! Another process's memory, by `process_vm_readv` and `process_vm_writev`. Comes in: a thread's ID and an address. Goes
//! out: bytes, either way. [`Opened`] is the memory of a process whose ID may become another's.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;

use super::page_size;

/// Reads memory of a thread's process into `buf`; how many bytes, from the start, could be read. The range is asked for in
/// two parts, split where a page may end, because a part is read as a whole or not at all.
pub(crate) fn read(tid: u32, addr: u64, buf: &mut [u8]) -> io::Result<usize> {
    let page = page_size() as u64;
    let to_page_end = ((page - addr % page) as usize).min(buf.len());
    let local = libc::iovec { iov_base: buf.as_mut_ptr().cast(), iov_len: buf.len() };
    let remote = [
        libc::iovec { iov_base: addr as *mut libc::c_void, iov_len: to_page_end },
        libc::iovec {
            iov_base: addr.wrapping_add(to_page_end as u64) as *mut libc::c_void,
            iov_len: buf.len() - to_page_end,
        },
    ];
    // SAFETY: the local vector is `buf`, alive and writable; remote addresses are checked by the kernel.
    let read =
        unsafe { libc::process_vm_readv(tid as libc::pid_t, &raw const local, 1, remote.as_ptr(), 2, 0) };
    usize::try_from(read).map_err(|_| io::Error::last_os_error())
}

/// Writes to the memory of a thread's process; how many bytes, from the start, could be written.
pub(crate) fn write(tid: u32, addr: u64, bytes: &[u8]) -> io::Result<usize> {
    let local = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let remote = libc::iovec { iov_base: addr as *mut libc::c_void, iov_len: bytes.len() };
    // SAFETY: the local vector is `bytes`, alive and only read; remote addresses are checked by the kernel, and a process
    // that is this one is the caller's to leave out.
    let written =
        unsafe { libc::process_vm_writev(tid as libc::pid_t, &raw const local, 1, &raw const remote, 1, 0) };
    usize::try_from(written).map_err(|_| io::Error::last_os_error())
}

/// The memory that a process has when it is opened: no other one's, whatever becomes of its ID.
pub(crate) struct Opened {
    memory: File,
    maps: File,
}

impl Opened {
    /// The memory of a process. Whether it was the one that is meant is to be asked behind this.
    pub(crate) fn of(pid: u32) -> io::Result<Opened> {
        let maps = File::open(format!("/proc/{pid}/maps"))?;
        Ok(Opened { memory: OpenOptions::new().write(true).open(format!("/proc/{pid}/mem"))?, maps })
    }

    /// Writes where the process itself may. The file alone would also write to what is read-only, as debuggers do.
    pub(crate) fn write(&self, addr: u64, bytes: &[u8]) -> io::Result<()> {
        let mut maps = Vec::new();
        (&self.maps).read_to_end(&mut maps)?;
        match is_writable(&maps, addr, bytes.len() as u64) {
            true => self.memory.write_all_at(bytes, addr),
            false => Err(io::Error::from_raw_os_error(libc::EFAULT)),
        }
    }
}

/// Whether a text of mappings, in the order of their addresses, has all of a range as writable.
fn is_writable(maps: &[u8], addr: u64, len: u64) -> bool {
    let Some(end) = addr.checked_add(len) else { return false };
    let writable = maps.split(|&byte| byte == b'\n').filter_map(|line| {
        let mut words = line.split(|&byte| byte == b' ');
        let (range, rights) = (str::from_utf8(words.next()?).ok()?, words.next()?);
        let (start, end) = range.split_once('-')?;
        let hex = |text| u64::from_str_radix(text, 16).ok();
        (rights.get(1) == Some(&b'w')).then_some((hex(start)?, hex(end)?))
    });
    writable.fold(addr, |at, (start, end)| if (start..end).contains(&at) { end } else { at }) >= end
}

/// Whether two threads have the same memory; `false` if the kernel does not say.
pub(crate) fn is_shared(tid: u32, other: u32) -> bool {
    const KCMP_VM: libc::c_int = 1;
    // SAFETY: kcmp(2) takes numbers only.
    unsafe { libc::syscall(libc::SYS_kcmp, tid, other, KCMP_VM, 0, 0) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_writable() {
        let maps = b"1000-2000 rw-p 00000000 08:01 12    /a\n2000-3000 rw-p 0 08:01 12 /\xff\n3000-4000 r-xp 0 0 0\n\
            5000-6000 -w-p 00000000 08:01 12\n6000-7000 rw-s 0 0 0\njunk\n";
        for (addr, len, expected) in [
            (0x1000, 0x1000, true),
            (0x1fff, 2, true),
            (0x1000, 0x2000, true),
            (0x2fff, 2, false),
            (0x3000, 1, false),
            (0x4fff, 1, false),
            (0x4fff, 2, false),
            (0x5000, 0x2000, true),
            (0x6fff, 2, false),
            (0xfff, 2, false),
            (u64::MAX, 1, false),
            (u64::MAX, 2, false),
        ] {
            assert_eq!(is_writable(maps, addr, len), expected, "{addr:#x}, {len}");
        }
    }

    #[test]
    fn this_process_reads_itself() {
        let (tid, bytes) = (std::process::id(), *b"some bytes");
        let mut into = [0; 5];
        assert_eq!(
            (read(tid, bytes.as_ptr() as u64 + 5, &mut into).expect("own memory"), into),
            (5, *b"bytes")
        );
        assert!(read(tid, 16, &mut into).is_err());
    }
}
