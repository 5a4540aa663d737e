//! perf_event_open(2): attributes in, a descriptor out. Nothing here decides what is watched.

use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

/// `struct perf_event_attr`, version 5.
#[repr(C)]
#[derive(Default)]
pub(super) struct Attributes {
    pub(super) kind: u32,
    pub(super) size: u32,
    pub(super) config: u64,
    pub(super) sample_period: u64,
    pub(super) sample_type: u64,
    pub(super) read_format: u64,
    pub(super) flags: u64,
    pub(super) wakeup: u32,
    pub(super) breakpoint: u32,
    pub(super) config1: u64,
    pub(super) config2: u64,
    pub(super) branch_sample_type: u64,
    pub(super) sample_regs_user: u64,
    pub(super) sample_stack_user: u32,
    pub(super) clock: i32,
    pub(super) sample_regs_intr: u64,
    pub(super) aux_watermark: u32,
    pub(super) sample_max_stack: u16,
    pub(super) reserved: u16,
}

/// `PERF_TYPE_SOFTWARE`
pub(super) const SOFTWARE: u32 = 1;
/// Among the flags: what happens in the kernel is left out, so that less privilege is needed.
pub(super) const EXCLUDE_KERNEL: u64 = 1 << 5;

/// Opens an event of a thread on all CPUs (`cpu` -1), or of all threads on one CPU (`tid` -1).
pub(super) fn open(mut attributes: Attributes, tid: i32, cpu: i32) -> io::Result<OwnedFd> {
    /// `PERF_FLAG_FD_CLOEXEC`
    const CLOSE_ON_EXEC: u64 = 1 << 3;
    attributes.size = size_of::<Attributes>() as u32;
    // SAFETY: the attributes are alive and as long as they say; the rest are numbers.
    let fd = unsafe {
        libc::syscall(libc::SYS_perf_event_open, &raw const attributes, tid, cpu, -1, CLOSE_ON_EXEC)
    };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was just opened and is nobody else's.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as libc::c_int) })
}
