//! Another process's memory, by `process_vm_readv` and `process_vm_writev`. Comes in: a thread's ID and an address. Goes
//! out: bytes, either way.

use std::io;

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
