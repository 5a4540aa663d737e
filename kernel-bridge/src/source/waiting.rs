//! One wait for everything that can end a live source's idleness: a moment, the caller's wake-up, the end of a target, a
//! ring that fills.
//!
//! Comes in: descriptors. Goes out: which kind of them has something to say. Never: what they say.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use dtrail_vm::event::Error;
use rustix::event::{PollFd, PollFlags, Timespec, epoll, poll};
use rustix::io::Errno;

/// What ended a wait; all false if it was the moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Woken {
    /// The caller's descriptor is readable.
    pub(super) caller: bool,
    /// A target has ended.
    pub(super) target: bool,
    /// A program has said that the ring fills.
    pub(super) ring: bool,
}

/// Descriptors to wait on.
#[derive(Debug)]
pub(super) struct Waiting {
    epoll: OwnedFd,
    /// The caller's descriptor, open while it is waited on.
    wake: Option<Arc<OwnedFd>>,
}

const CALLER: u64 = 0;
const TARGET: u64 = 1;
const RING: u64 = 2;

impl Waiting {
    /// Waits on the caller's wake-up descriptor, if there is one.
    pub(super) fn new(wake: Option<Arc<OwnedFd>>) -> Result<Waiting, Error> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(failed)?;
        let waiting = Waiting { epoll, wake: wake.clone() };
        if let Some(wake) = wake {
            waiting.add(&*wake, CALLER, epoll::EventFlags::IN)?;
        }
        Ok(waiting)
    }

    /// Also waits on a target's descriptor, until it is closed.
    pub(super) fn add_target(&self, target: impl AsFd) -> Result<(), Error> {
        self.add(target, TARGET, epoll::EventFlags::IN)
    }

    /// Also waits on a ring, until it is closed: for the programs' own wake-ups, not for there being a record.
    pub(super) fn add_ring(&self, ring: impl AsFd) -> Result<(), Error> {
        self.add(ring, RING, epoll::EventFlags::IN | epoll::EventFlags::ET)
    }

    /// Waits for the caller alone, at most for a time: whether it wants something.
    pub(super) fn caller_within(&self, time: Duration) -> bool {
        let Some(wake) = &self.wake else {
            std::thread::sleep(time);
            return false;
        };
        let timeout = Timespec {
            tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(time.subsec_nanos()),
        };
        poll(&mut [PollFd::new(wake, PollFlags::IN)], Some(&timeout)).is_ok_and(|ready| ready > 0)
    }

    fn add(&self, fd: impl AsFd, kind: u64, flags: epoll::EventFlags) -> Result<(), Error> {
        epoll::add(&self.epoll, fd, epoll::EventData::new_u64(kind), flags).map_err(failed)
    }

    /// Waits until one of them has something to say, or `until`; without it, for ever.
    pub(super) fn sleep(&self, until: Option<Instant>) -> Result<Woken, Error> {
        let timeout = until.map(|until| {
            let left = until.saturating_duration_since(Instant::now());
            Timespec {
                tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
                tv_nsec: i64::from(left.subsec_nanos()),
            }
        });
        let nothing = epoll::Event { flags: epoll::EventFlags::empty(), data: epoll::EventData::new_u64(0) };
        let mut events = [nothing; 8];
        let mut woken = Woken::default();
        match epoll::wait(&self.epoll, &mut events[..], timeout.as_ref()) {
            Ok(count) => {
                for event in &events[..count] {
                    match event.data.u64() {
                        CALLER => woken.caller = true,
                        TARGET => woken.target = true,
                        _ => woken.ring = true,
                    }
                }
                Ok(woken)
            }
            // A signal that is handled elsewhere: its handler makes the descriptor readable, if it wants anything.
            Err(Errno::INTR) => Ok(woken),
            Err(e) => Err(failed(e)),
        }
    }
}

fn failed(e: Errno) -> Error {
    Error::from(io::Error::from(e)).context("waiting for events")
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn each_kind_is_told_apart() {
        let (caller, mut to_caller) = io::pipe().expect("a pipe");
        let (target, to_target) = io::pipe().expect("a pipe");
        let waiting = Waiting::new(Some(Arc::new(caller.into()))).expect("epoll works");
        waiting.add_target(&target).expect("epoll works");
        let soon = || Some(Instant::now() + Duration::from_millis(2));
        let started = Instant::now();
        assert_eq!(waiting.sleep(soon()), Ok(Woken::default()));
        assert!(started.elapsed() >= Duration::from_millis(2));
        drop(to_target);
        assert_eq!(waiting.sleep(None), Ok(Woken { target: true, ..Woken::default() }));
        drop(target);
        assert_eq!(waiting.sleep(soon()), Ok(Woken::default()), "a closed descriptor is forgotten");
        assert!(!waiting.caller_within(Duration::from_millis(2)));
        to_caller.write_all(b"x").expect("it has a reader");
        assert!(waiting.caller_within(Duration::from_secs(100)));
        for _ in 0..2 {
            assert_eq!(
                waiting.sleep(None),
                Ok(Woken { caller: true, ..Woken::default() }),
                "until it is read"
            );
        }
    }
}
