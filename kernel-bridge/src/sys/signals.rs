//! Signals that a source of events uses for itself: a handler set once for the process, and let through to a thread; and
//! those that it sends to processes it has a descriptor of.

use std::os::fd::{AsRawFd, BorrowedFd};
use std::{mem, ptr};

/// What runs when the signal comes: its number, what the kernel says of it, and the interrupted registers.
pub(crate) type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

/// Sets a handler; calls that the signal interrupts end, since there is no SA_RESTART.
///
/// # Safety
///
/// The handler does only what is safe within a signal's handler.
pub(crate) unsafe fn handle(signal: libc::c_int, handler: Handler) {
    // SAFETY: the structure is valid, and the caller answers for the handler.
    unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(signal, &raw const action, ptr::null_mut());
    }
}

/// Sends a signal to the process of a descriptor (pidfd). A failure is ignored.
pub(crate) fn send(process: BorrowedFd<'_>, signal: libc::c_int) {
    let no_information: *const libc::siginfo_t = ptr::null();
    // SAFETY: the descriptor is open while it is borrowed, and no memory is passed.
    unsafe { libc::syscall(libc::SYS_pidfd_send_signal, process.as_raw_fd(), signal, no_information, 0) };
}

/// What a signal does now: `SIG_DFL`, `SIG_IGN` or a handler's address; `None` if there is no such signal.
pub(crate) fn disposition(signal: libc::c_int) -> Option<libc::sighandler_t> {
    // SAFETY: the structure is valid, and nothing is set.
    unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        (libc::sigaction(signal, ptr::null(), &raw mut action) == 0).then_some(action.sa_sigaction)
    }
}

/// Lets signals through to the calling thread.
pub(crate) fn let_through(signals: &[libc::c_int]) {
    // SAFETY: the set is valid.
    unsafe {
        let mut set: libc::sigset_t = mem::zeroed();
        libc::sigemptyset(&raw mut set);
        for &signal in signals {
            libc::sigaddset(&raw mut set, signal);
        }
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const set, ptr::null_mut());
    }
}
