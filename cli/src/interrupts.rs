//! SIGINT and SIGTERM as a counter and a descriptor that becomes readable, so that the one event loop notices them.
//!
//! The first asks tracing to end (END clauses and aggregations still come), the second to end at once (runtime spec §1.5).
//! SIGPIPE needs nothing: Rust ignores it, and a closed pipe shows as an error of the write.

use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

static COUNT: AtomicU32 = AtomicU32::new(0);
/// The descriptor for the handler; -1 until there is one.
static DESCRIPTOR: AtomicI32 = AtomicI32::new(-1);
static EVENT: OnceLock<Arc<OwnedFd>> = OnceLock::new();

/// The signals of this process.
#[derive(Clone, Debug)]
pub struct Interrupts {
    event: Arc<OwnedFd>,
}

impl Interrupts {
    /// Installs the handlers. Children get the default actions back when they execute a program.
    pub fn install() -> std::io::Result<Interrupts> {
        use rustix::event::{EventfdFlags, eventfd};
        let event = match EVENT.get() {
            Some(event) => event,
            None => {
                let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
                EVENT.get_or_init(|| Arc::new(event))
            }
        };
        DESCRIPTOR.store(event.as_raw_fd(), Ordering::SeqCst);
        for signal in [libc::SIGINT, libc::SIGTERM] {
            install(signal)?;
        }
        Ok(Interrupts { event: event.clone() })
    }

    /// Readable once a signal has come.
    pub fn descriptor(&self) -> Arc<OwnedFd> {
        self.event.clone()
    }
}

impl dtrail_vm::consumer::Interrupts for Interrupts {
    fn count(&self) -> u32 {
        COUNT.load(Ordering::SeqCst)
    }
}

fn install(signal: i32) -> std::io::Result<()> {
    // SAFETY: a zeroed sigaction is a valid one without flags and mask.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handler as extern "C" fn(i32) as usize;
    action.sa_flags = libc::SA_RESTART;
    // SAFETY: `action` is complete, and `handler` only does what a signal handler may.
    match unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

/// Counts and wakes: an atomic and one write, both allowed in a signal handler. `errno` is put back.
extern "C" fn handler(_signal: i32) {
    COUNT.fetch_add(1, Ordering::SeqCst);
    let one = 1u64;
    // SAFETY: errno is this thread's own.
    let saved = unsafe { *libc::__errno_location() };
    // SAFETY: eight readable bytes; a closed or missing descriptor only makes the call fail.
    unsafe { libc::write(DESCRIPTOR.load(Ordering::SeqCst), (&raw const one).cast(), 8) };
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = saved };
}
