//! What this process was started with to do about signals, noted before anything of it has run: Rust's own start has SIGPIPE
//! ignored, sources ignore and block signals for themselves, and a program is to begin as if whoever started this process had
//! started it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::{io, mem, ptr};

/// The signals that were ignored, and those that were blocked: bit N - 1 is signal N.
static IGNORED: AtomicU64 = AtomicU64::new(0);
static BLOCKED: AtomicU64 = AtomicU64::new(0);

/// The C library calls it before `main`, and so before Rust's start.
#[used]
#[unsafe(link_section = ".init_array")]
static NOTE: extern "C" fn() = note;

extern "C" fn note() {
    let mut blocked = none();
    // SAFETY: the set has room for what is blocked, and nothing is changed.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, ptr::null(), &raw mut blocked) };
    for signal in signals() {
        if super::signals::disposition(signal) == Some(libc::SIG_IGN) {
            IGNORED.fetch_or(bit(signal), Ordering::Relaxed);
        }
        // SAFETY: the set is valid.
        if unsafe { libc::sigismember(&raw const blocked, signal) } == 1 {
            BLOCKED.fetch_or(bit(signal), Ordering::Relaxed);
        }
    }
}

/// The signals that were blocked when this process was started, as the kernel has a set of them.
pub(crate) fn blocked() -> u64 {
    BLOCKED.load(Ordering::Relaxed)
}

/// Has signals ignored and blocked as they were when this process was started, in a child that is about to execute a program.
/// Makes system calls only.
pub(crate) fn restore() -> io::Result<()> {
    restore_but(0)
}

/// The same, but for one signal (0: none), which is not blocked.
pub(crate) fn restore_but(open: libc::c_int) -> io::Result<()> {
    let (ignored, blocked) = (IGNORED.load(Ordering::Relaxed), blocked());
    let mut mask = none();
    for signal in signals() {
        let was = ignored & bit(signal) != 0;
        // A handler is gone with `execve`. The C library keeps a few signals to itself and has them told as none.
        if super::signals::disposition(signal).is_some_and(|now| was != (now == libc::SIG_IGN)) {
            // SAFETY: no preconditions.
            unsafe { libc::signal(signal, if was { libc::SIG_IGN } else { libc::SIG_DFL }) };
        }
        if blocked & bit(signal) != 0 && signal != open {
            // SAFETY: the set is valid.
            unsafe { libc::sigaddset(&raw mut mask, signal) };
        }
    }
    // SAFETY: the set is valid.
    match unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const mask, ptr::null_mut()) } {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

/// Whether any child needs [`restore`]: something was ignored or blocked that a process started by Rust does not ignore or
/// block, or that sources have at its default.
pub(crate) fn is_unusual() -> bool {
    let changed = bit(libc::SIGPIPE) | bit(libc::SIGCHLD) | bit(libc::SIGALRM) | bit(libc::SIGIO);
    IGNORED.load(Ordering::Relaxed) & changed != 0 || blocked() != 0
}

/// All signals that there are.
fn signals() -> std::ops::RangeInclusive<libc::c_int> {
    1..=64
}

fn bit(signal: libc::c_int) -> u64 {
    1 << (signal - 1)
}

fn none() -> libc::sigset_t {
    // SAFETY: a set without signals is all zeros, and it is made one by the call besides.
    unsafe {
        let mut set: libc::sigset_t = mem::zeroed();
        libc::sigemptyset(&raw mut set);
        set
    }
}
