//! The CPU time of other processes' threads: a perf event each, which counts nanoseconds of CPU and says by a signal that
//! so many have passed; and, where perf events are refused, a process's clock, which only counts. Threads and processes
//! in, nanoseconds out.

use std::io::{self, Read as _};
use std::mem;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

use super::perf::{self, Attributes, EXCLUDE_KERNEL, SOFTWARE};
use super::signals;

/// `PERF_COUNT_SW_TASK_CLOCK`
const TASK_CLOCK: u64 = 1;

/// The clock of one thread. It goes on counting through `exec`, and keeps its count when the thread has ended.
#[derive(Debug)]
pub(crate) struct ThreadClock {
    file: std::fs::File,
}

/// A bit for each descriptor: its clock has rung and nobody has looked. Set by the signal handler. Descriptors beyond are
/// only looked at when it is time.
static RUNG: [AtomicU64; 1024] = [const { AtomicU64::new(0) }; 1024];

/// The signal in use, which nothing else should use.
fn signal() -> libc::c_int {
    libc::SIGRTMIN() + 6
}

extern "C" fn ring(_signal: libc::c_int, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    /// The part of `siginfo_t` that a descriptor's signal fills.
    #[repr(C)]
    struct Polled {
        signo: libc::c_int,
        errno: libc::c_int,
        code: libc::c_int,
        band: libc::c_long,
        fd: libc::c_int,
    }
    // SAFETY: the kernel passes a valid `info`, which is larger than this part of it.
    let Polled { code, fd, .. } = unsafe { info.cast::<Polled>().read() };
    if code > 0
        && let Some(word) = usize::try_from(fd / 64).ok().and_then(|at| RUNG.get(at))
    {
        word.fetch_or(1 << (fd % 64), Ordering::Relaxed);
    }
}

/// Lets the signal through to the calling thread, and makes it harmless everywhere.
fn listen() {
    static HANDLER: Once = Once::new();
    HANDLER.call_once(|| {
        // SAFETY: the handler only reads its argument and stores to an atomic.
        unsafe { signals::handle(signal(), ring) };
        // When too many signals wait, the kernel sends this one instead, which would end the process.
        if signals::disposition(libc::SIGIO) == Some(libc::SIG_DFL) {
            // SAFETY: as above.
            unsafe { signals::handle(libc::SIGIO, ring) };
        }
    });
    signals::let_through(&[signal(), libc::SIGIO]);
}

impl ThreadClock {
    /// A clock that begins at 0 now and rings each `period` nanoseconds of the thread's CPU time, by a signal that
    /// interrupts a call of the calling thread. If the kernel shows its own time to nobody without privilege, the clock
    /// counts all the same, but is silent where the thread is in the kernel.
    pub(crate) fn new(tid: u32, period: u64) -> io::Result<ThreadClock> {
        let attributes = |flags| Attributes {
            kind: SOFTWARE,
            config: TASK_CLOCK,
            sample_period: period.max(1),
            flags,
            wakeup: 1,
            ..Attributes::default()
        };
        let fd = perf::open(attributes(0), tid as i32, -1)
            .or_else(|_| perf::open(attributes(EXCLUDE_KERNEL), tid as i32, -1))?;
        listen();
        own(&fd)?;
        Ok(ThreadClock { file: fd.into() })
    }

    /// Nanoseconds of CPU since it was made.
    pub(crate) fn read(&self) -> u64 {
        let mut count = [0; 8];
        match (&self.file).read(&mut count) {
            Ok(8) => u64::from_ne_bytes(count),
            _ => 0,
        }
    }

    /// Whether it has rung since it was last asked.
    pub(crate) fn take_rung(&self) -> bool {
        let fd = self.file.as_raw_fd();
        let Some(word) = usize::try_from(fd / 64).ok().and_then(|at| RUNG.get(at)) else { return false };
        let bit = 1 << (fd % 64);
        word.load(Ordering::Relaxed) & bit != 0 && word.fetch_and(!bit, Ordering::Relaxed) & bit != 0
    }
}

impl Drop for ThreadClock {
    fn drop(&mut self) {
        // The number may come to mean another one's descriptor.
        self.take_rung();
    }
}

/// Has a descriptor send its signals to the calling thread.
fn own(fd: &OwnedFd) -> io::Result<()> {
    /// `struct f_owner_ex`
    #[repr(C)]
    struct Owner {
        kind: libc::c_int,
        id: libc::pid_t,
    }
    /// `F_SETOWN_EX`
    const SET_OWNER: libc::c_int = 15;
    /// `F_SETSIG`
    const SET_SIGNAL: libc::c_int = 10;
    /// `F_OWNER_TID`
    const THREAD: libc::c_int = 0;
    let fd = fd.as_raw_fd();
    // SAFETY: no preconditions.
    let owner = Owner { kind: THREAD, id: unsafe { libc::gettid() } };
    // SAFETY: the owner is alive; the other arguments are numbers.
    let results = unsafe {
        [
            libc::fcntl(fd, SET_OWNER, &raw const owner),
            libc::fcntl(fd, SET_SIGNAL, signal()),
            libc::fcntl(fd, libc::F_SETFL, libc::O_ASYNC),
        ]
    };
    if results.iter().any(|&result| result < 0) { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Nanoseconds of CPU that all threads of a process have had, ended ones included. Anybody may ask; `None` when the process
/// is gone.
pub(crate) fn process_time(pid: u32) -> Option<u64> {
    /// `CPUCLOCK_SCHED`: what the scheduler counts, in nanoseconds.
    const SCHEDULER: libc::clockid_t = 2;
    let clock = (!(pid as libc::clockid_t)) << 3 | SCHEDULER;
    // SAFETY: `time` is a valid place for the answer; a clock that is not there is refused.
    unsafe {
        let mut time: libc::timespec = mem::zeroed();
        (libc::clock_gettime(clock, &raw mut time) == 0)
            .then(|| time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    /// Uses CPU until a clock says that it is enough.
    fn work(until: impl Fn() -> bool) {
        let patience = Instant::now() + Duration::from_secs(60);
        while !until() && Instant::now() < patience {
            std::hint::black_box((0..10_000).sum::<u64>());
        }
    }

    #[test]
    fn a_clock_counts_cpu_time_and_rings() {
        // SAFETY: no preconditions.
        let tid = unsafe { libc::gettid() } as u32;
        let clock = match ThreadClock::new(tid, 2_000_000) {
            Ok(clock) => clock,
            Err(error) => return println!("skipped: {error}"),
        };
        let before = clock.read();
        std::thread::sleep(Duration::from_millis(30));
        assert!(clock.read() - before < 20_000_000, "it does not count sleep");
        work(|| clock.take_rung());
        assert!(clock.read() >= 2_000_000);
        let (rung, at) = (std::cell::Cell::new(0), clock.read());
        work(|| {
            rung.set(rung.get() + u32::from(clock.take_rung()));
            rung.get() == 5
        });
        assert!(clock.read() - at >= 8_000_000, "five times 2 ms, the first under way");
    }

    #[test]
    fn a_process_has_a_clock() {
        let own = std::process::id();
        let before = process_time(own).expect("it is there");
        work(|| process_time(own).is_some_and(|time| time > before + 5_000_000));
        assert!(process_time(own).expect("it is there") > before + 5_000_000);
        assert_eq!(process_time(u32::MAX >> 4), None);
    }
}
