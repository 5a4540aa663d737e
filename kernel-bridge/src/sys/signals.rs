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

/// SIGALRM interrupts system calls and does nothing else, as long as it lives; then it does what it did before, and no timer
/// sends it.
#[derive(Debug)]
pub(crate) struct Alarms {
    before: libc::sigaction,
}

impl Alarms {
    pub(crate) fn harmless() -> Alarms {
        extern "C" fn nothing(_: libc::c_int, _: *mut libc::siginfo_t, _: *mut libc::c_void) {}
        // SAFETY: the structures are valid, and the handler does nothing.
        unsafe {
            let mut before: libc::sigaction = mem::zeroed();
            libc::sigaction(libc::SIGALRM, ptr::null(), &raw mut before);
            handle(libc::SIGALRM, nothing);
            Alarms { before }
        }
    }

    /// Sends this process one after another. May be called in a signal's handler; nobody may call it without an [`Alarms`].
    pub(crate) fn every(pause: std::time::Duration) {
        let time = libc::timeval {
            tv_sec: pause.as_secs() as libc::time_t,
            tv_usec: libc::suseconds_t::from(pause.subsec_micros()),
        };
        set_timer(time);
    }
}

impl Drop for Alarms {
    fn drop(&mut self) {
        set_timer(libc::timeval { tv_sec: 0, tv_usec: 0 });
        // SAFETY: the structure is what the system gave.
        unsafe { libc::sigaction(libc::SIGALRM, &raw const self.before, ptr::null_mut()) };
    }
}

/// Has the real timer send SIGALRM after this time and from then on after each; of no length it stops.
fn set_timer(time: libc::timeval) {
    let timer = libc::itimerval { it_interval: time, it_value: time };
    // SAFETY: the structure is valid; one system call, which leaves nothing half done where a handler interrupts.
    unsafe { libc::setitimer(libc::ITIMER_REAL, &raw const timer, ptr::null_mut()) };
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
