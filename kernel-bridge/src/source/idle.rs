//! The source of programs that trace nothing: only `BEGIN`, `END` and `tick` clauses. Nothing is loaded or attached, and
//! no privilege is needed; it only waits.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::Instant;

use dtrail_lang::env::Environment;
use dtrail_lang::plan::{Capabilities, Plan};
use dtrail_vm::event::{Error, EventSink, EventSource, Wait};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::env::SourceEnvironment;
use crate::sys::cpus;

/// Waits for timers and signals.
#[derive(Debug)]
pub struct IdleSource {
    environment: SourceEnvironment,
    /// Becomes readable when the caller wants [`EventSource::wait`] to return.
    wake: Option<Arc<OwnedFd>>,
}

impl IdleSource {
    /// A source with the probes that a program was compiled against.
    pub fn new(environment: SourceEnvironment, wake: Option<Arc<OwnedFd>>) -> IdleSource {
        IdleSource { environment, wake }
    }
}

impl EventSource for IdleSource {
    fn name(&self) -> &'static str {
        "none"
    }

    fn environment(&self) -> &dyn Environment {
        &self.environment
    }

    fn cpus(&self) -> u32 {
        cpus::possible().unwrap_or(1)
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::NONE
    }

    fn attach(&mut self, _plan: &Plan) -> Result<(), Error> {
        Ok(())
    }

    fn open(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn wait(&mut self, deadline: Option<Instant>, _sink: &mut dyn EventSink) -> Result<Wait, Error> {
        let timeout = deadline.map(|deadline| {
            let left = deadline.saturating_duration_since(Instant::now());
            Timespec {
                tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
                tv_nsec: i64::from(left.subsec_nanos()),
            }
        });
        let mut fds: Vec<PollFd<'_>> =
            self.wake.iter().map(|fd| PollFd::from_borrowed_fd(fd.as_fd(), PollFlags::IN)).collect();
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) if fds.iter().any(|fd| !fd.revents().is_empty()) => Ok(Wait::Woken),
            // A signal that is handled elsewhere makes the descriptor readable, if it wants anything.
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(Wait::Again),
            Err(e) => Err(Error::from(std::io::Error::from(e)).context("waiting")),
        }
    }

    fn drain(&mut self, _sink: &mut dyn EventSink) -> Result<Wait, Error> {
        Ok(Wait::Again)
    }

    fn shut(&mut self, _sink: &mut dyn EventSink) -> Result<(), Error> {
        Ok(())
    }

    fn detach(&mut self, _impatient: &dyn Fn() -> bool) -> Result<(), Error> {
        Ok(())
    }
}
