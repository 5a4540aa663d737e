//! A request to end, while the verifier is at work on a program, ends that at once. In: a signal, told by its handler. Out:
//! the kernel gives the program up.
//!
//! The verifier gives up when a signal is pending; but aya then asks once more, to hear the verifier's words, and that takes
//! as long again and longer. So the signal comes again, by a timer, for as long as programs are loaded. Never: a signal where
//! nobody has asked to end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::sys::signals::Alarms;

/// How long the verifier goes on after a signal.
const AGAIN: Duration = Duration::from_millis(50);

static LOADING: AtomicBool = AtomicBool::new(false);
static ASKED: AtomicBool = AtomicBool::new(false);

/// Whose turn it is: timer, signal and the two words above are the process's.
static TURN: Mutex<()> = Mutex::new(());

/// Programs are being loaded, as long as it lives. Of one thread at a time: another waits, as the threads of a test binary do.
pub(super) struct Loading {
    /// Stops the timer, after [`LOADING`] is down.
    _alarms: Alarms,
    /// Given up last.
    _turn: MutexGuard<'static, ()>,
}

impl Loading {
    pub(super) fn new() -> Loading {
        Loading::begin(TURN.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn begin(turn: MutexGuard<'static, ()>) -> Loading {
        let alarms = Alarms::harmless();
        ASKED.store(false, Ordering::SeqCst);
        LOADING.store(true, Ordering::SeqCst);
        Loading { _alarms: alarms, _turn: turn }
    }

    /// Whether the end was asked for since.
    pub(super) fn is_over(&self) -> bool {
        ASKED.load(Ordering::SeqCst)
    }
}

impl Drop for Loading {
    fn drop(&mut self) {
        LOADING.store(false, Ordering::SeqCst);
    }
}

/// The end was asked for by a signal: whoever handles it says so. To be called in the handler: atomics and one system call.
pub fn end_asked_for() {
    if LOADING.load(Ordering::SeqCst) {
        ASKED.store(true, Ordering::SeqCst);
        Alarms::every(AGAIN);
    }
}

#[cfg(test)]
#[allow(unsafe_code, reason = "a test looks at what signals do and when they come")]
mod tests {
    use std::{mem, ptr};

    use super::*;

    /// Microseconds until the real timer sends a signal; 0 if it does not run.
    fn until_alarm() -> i64 {
        // SAFETY: the structure is valid, and nothing is set.
        unsafe {
            let mut timer: libc::itimerval = mem::zeroed();
            libc::getitimer(libc::ITIMER_REAL, &raw mut timer);
            timer.it_value.tv_sec * 1_000_000 + timer.it_value.tv_usec
        }
    }

    /// What SIGALRM does.
    fn action() -> libc::sighandler_t {
        // SAFETY: the structure is valid, and nothing is set.
        unsafe {
            let mut action: libc::sigaction = mem::zeroed();
            libc::sigaction(libc::SIGALRM, ptr::null(), &raw mut action);
            action.sa_sigaction
        }
    }

    #[test]
    fn a_signal_comes_again_as_long_as_programs_are_loaded() {
        // Other tests of this binary load programs meanwhile: what is the process's is looked at when it is our turn.
        let turn = || TURN.lock().expect("no test panics in its turn");
        let ours = turn();
        let before = action();
        end_asked_for();
        assert_eq!(until_alarm(), 0, "nothing is loaded");
        let loading = Loading::begin(ours);
        assert!(!loading.is_over());
        end_asked_for();
        assert!(loading.is_over());
        assert!((1..=50_000).contains(&until_alarm()));
        // Longer than until the first: it is no end of this process.
        std::thread::sleep(Duration::from_millis(120));
        assert!((1..=50_000).contains(&until_alarm()), "one after another");
        drop(loading);
        let ours = turn();
        assert_eq!((until_alarm(), action()), (0, before));
        assert!(!Loading::begin(ours).is_over(), "the next time is another one");
    }
}
