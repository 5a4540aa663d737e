//! A command that is to stand at its entry or at `main` when tracing begins runs there: its stops are seen to as ever, but
//! fire nothing, for the gate is shut.

use std::time::Duration;

use dtrail_vm::event::{Error, Event, EventSink, Flow};

use super::PtraceSource;
use super::sys::{self, Resume, Waited};
use crate::evaltime;
use crate::sys::breakpoint;

/// How long a wish of the caller may wait for its turn.
const LOOK: Duration = Duration::from_millis(100);

/// What takes nothing.
struct Nobody;

impl EventSink for Nobody {
    fn event(&mut self, _: Event<'_>) -> Flow {
        Flow::Continue
    }
}

impl PtraceSource {
    /// Lets a command that stands at its exec event run to the place that `evaltime` names. If it ends before, that is
    /// noted like every end.
    pub(super) fn advance(&mut self, pid: u32) -> Result<(), Error> {
        let fail = |error: std::io::Error| Error::from(error).context("cannot obey evaltime");
        let Some(mut addr) = self.aim(pid).map_err(fail)? else { return Ok(()) };
        sys::resume(pid, Resume::Run, 0);
        loop {
            // A process that never gets there must not hold this one: the alarm ends the wait, to look at the caller.
            self.alarm.set(LOOK);
            let waited = sys::wait_any(true);
            self.alarm.stop();
            let (tid, status) = match waited.map_err(fail)? {
                Waited::Changed(tid, status) => (tid, status),
                Waited::Interrupted if self.woken(Some(Duration::ZERO)) => {
                    return Err(Error::new("interrupted").context("cannot obey evaltime"));
                }
                Waited::Interrupted | Waited::Nothing => continue,
                Waited::NoChildren => return Ok(()),
            };
            let stopped = libc::WIFSTOPPED(status) && tid == pid;
            let event = status >> 16;
            let trapped = stopped && event == 0 && libc::WSTOPSIG(status) == libc::SIGTRAP;
            if trapped && breakpoint::program_counter(tid).ok() == Some(addr) {
                return breakpoint::clear(tid).map_err(fail);
            }
            if stopped && event == libc::PTRACE_EVENT_EXEC {
                // Another program: its own place counts.
                addr = self.aim(pid).map_err(fail)?.unwrap_or(addr);
            }
            self.changed(tid, status, &mut Nobody);
            if !self.roots.contains(&Some(pid)) {
                return Ok(());
            }
        }
    }

    /// Sets the breakpoint in a process that stands after `execve`.
    fn aim(&mut self, pid: u32) -> std::io::Result<Option<u64>> {
        let Some(place) = evaltime::place(pid, self.evaltime)? else { return Ok(None) };
        breakpoint::set(pid, place.addr)?;
        self.notices.extend(place.notice);
        Ok(Some(place.addr))
    }
}
