//! SIGINT and SIGTERM as a counter and a descriptor that becomes readable, so that the one event loop notices them.
//!
//! Until programs are loaded they do what they do to any program: nothing is there yet that would have to be put away (a
//! command of `-c` ends with dtrail), and whoever waits for a script to be read or compiled, or a slow reader of a listing,
//! can end that.
//!
//! A signal that was ignored when dtrail began (`nohup`, a job that a script starts with `&`) stays ignored, as with
//! dtrace(1), and the commands it starts ignore it too.
//!
//! The first asks tracing to end (END clauses and aggregations still come), the second to end at once (runtime spec §1.5).
//! One request may come as two signals: timeout(1) signals its child and then its own group, which the child is in.
//! SIGPIPE needs nothing: Rust ignores it, and a closed pipe shows as an error of the write. Commands get back what was set
//! before Rust did (kernel-bridge, `sys/inherited.rs`).

#![allow(unsafe_code, reason = "signal handlers")]

use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

static REQUESTS: Requests = Requests::new();
/// The descriptor for the handler; -1 until there is one.
static DESCRIPTOR: AtomicI32 = AtomicI32::new(-1);
static EVENT: OnceLock<Arc<OwnedFd>> = OnceLock::new();

/// A signal this soon after the first belongs to it, in nanoseconds.
const SAME_REQUEST: u64 = 500_000_000;

/// Counts requests to end, of which several signals may be one. Only atomics: a signal handler writes here.
struct Requests {
    count: AtomicU32,
    /// When the first came; 0 before it.
    first: AtomicU64,
    /// The first was looked at: whoever asks again has seen that it did not help.
    noticed: AtomicBool,
}

impl Requests {
    const fn new() -> Requests {
        Requests { count: AtomicU32::new(0), first: AtomicU64::new(0), noticed: AtomicBool::new(false) }
    }

    /// A signal at a time in nanoseconds, which is not 0.
    fn signal(&self, now: u64) {
        let first = self.first.load(Ordering::SeqCst);
        if first == 0 {
            self.first.store(now, Ordering::SeqCst);
            self.count.store(1, Ordering::SeqCst);
        } else if self.noticed.load(Ordering::SeqCst) && now.saturating_sub(first) >= SAME_REQUEST {
            self.count.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn count(&self) -> u32 {
        let count = self.count.load(Ordering::SeqCst);
        if count > 0 {
            self.noticed.store(true, Ordering::SeqCst);
        }
        count
    }
}

/// The signals of this process.
#[derive(Clone, Debug)]
pub struct Interrupts {
    event: Arc<OwnedFd>,
}

impl Interrupts {
    /// The descriptor, and no handlers yet.
    pub fn new() -> std::io::Result<Interrupts> {
        use rustix::event::{EventfdFlags, eventfd};
        let event = match EVENT.get() {
            Some(event) => event,
            None => {
                let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
                EVENT.get_or_init(|| Arc::new(event))
            }
        };
        Ok(Interrupts { event: event.clone() })
    }

    /// Installs the handlers. Children get the default actions back when they execute a program.
    pub(crate) fn watch(&self) -> std::io::Result<()> {
        DESCRIPTOR.store(self.event.as_raw_fd(), Ordering::SeqCst);
        replace_action(libc::SIG_DFL, handler as extern "C" fn(i32) as usize)
    }

    /// Gives the signals back what they do to any program, until [`Interrupts::watch`].
    pub(crate) fn leave(&self) -> std::io::Result<()> {
        replace_action(handler as extern "C" fn(i32) as usize, libc::SIG_DFL)
    }

    /// Readable once a signal has come.
    pub fn descriptor(&self) -> Arc<OwnedFd> {
        self.event.clone()
    }
}

impl dtrail_vm::consumer::Interrupts for Interrupts {
    fn count(&self) -> u32 {
        REQUESTS.count()
    }
}

/// Has the signals do `new` that do `old`: [`handler`], or what the system has them do. One that is ignored does neither.
fn replace_action(old: usize, new: usize) -> std::io::Result<()> {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: a zeroed sigaction is a valid one without flags and mask.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: nothing is set, and `action` has room for what is.
        let asked = unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut action) };
        if asked == 0 && action.sa_sigaction != old {
            continue;
        }
        // SAFETY: as above.
        action = unsafe { std::mem::zeroed() };
        action.sa_sigaction = new;
        action.sa_flags = libc::SA_RESTART;
        // SAFETY: `action` is complete, and `handler`, if it is that, only does what a signal handler may.
        if unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) } != 0 {
            return Err(std::io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Counts and wakes: atomics, the clock, a timer and one write, all allowed in a signal handler. `errno` is put back.
extern "C" fn handler(_signal: i32) {
    let one = 1u64;
    // SAFETY: errno is this thread's own.
    let saved = unsafe { *libc::__errno_location() };
    REQUESTS.signal(monotonic());
    dtrail_kernel_bridge::load::end_asked_for();
    // SAFETY: eight readable bytes; a closed or missing descriptor only makes the call fail.
    unsafe { libc::write(DESCRIPTOR.load(Ordering::SeqCst), (&raw const one).cast(), 8) };
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = saved };
}

/// Nanoseconds since some moment, never 0.
fn monotonic() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a whole timespec; if the call fails it stays as it is.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    ((time.tv_sec as u64).saturating_mul(1_000_000_000)).saturating_add(time.tv_nsec as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::{Requests, SAME_REQUEST};

    #[test]
    fn signals_of_one_request_count_once() {
        let requests = Requests::new();
        assert_eq!(requests.count(), 0);
        requests.signal(10);
        // Nobody has looked yet.
        requests.signal(10 + SAME_REQUEST);
        assert_eq!(requests.count(), 1);
        requests.signal(9 + SAME_REQUEST);
        assert_eq!(requests.count(), 1);
        requests.signal(10 + SAME_REQUEST);
        assert_eq!(requests.count(), 2);
        requests.signal(11 + SAME_REQUEST);
        assert_eq!(requests.count(), 3);
    }
}
