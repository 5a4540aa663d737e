//! The processes of `-c` and `-p`: started or found, let go, and watched until they end.
//!
//! Comes in: what the options name. Goes out: `$target`, descriptors to wait on, and how each process ended. Never: events.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use dtrail_lang::options::EvalTime;
use dtrail_vm::event::{Error, Exited, reason};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::child::{self, Child};
use crate::shortage;

/// One `-c` or `-p`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A command to run, as it was given.
    Command(Vec<u8>),
    /// A process that runs already.
    Process(u32),
}

/// The processes that are traced by name.
#[derive(Debug, Default)]
pub struct Targets {
    watched: Vec<Watched>,
    /// Those that have ended since they were asked for.
    ended: Vec<Exited>,
    /// What is to be told of where commands stand.
    notices: Vec<String>,
}

#[derive(Debug)]
struct Watched {
    pid: u32,
    /// Readable when it has ended; `None` once that was seen.
    alive: Option<OwnedFd>,
    child: Option<Child>,
}

impl Targets {
    /// Starts commands, which then stand at their first instruction, and finds processes, in the order of the options.
    pub fn start(targets: &[Target]) -> Result<Targets, Error> {
        let mut watched = Vec::with_capacity(targets.len());
        for target in targets {
            let (pid, child) = match target {
                Target::Command(command) => {
                    let child = child::start(command)?;
                    (child.pid(), Some(child))
                }
                Target::Process(pid) => (leading(*pid)?, None),
            };
            let alive = open(pid).map_err(|e| match e.raw_os_error() {
                // The number of a thread that leads no process is as good as none.
                Some(libc::ESRCH | libc::EINVAL | libc::ENOENT) => nobody(pid),
                _ => {
                    let told = Error::new(format!("failed to grab process {pid}: {}", reason(&e)));
                    shortage::help(told, &e)
                }
            })?;
            watched.push(Watched { pid, alive: Some(alive), child });
        }
        Ok(Targets { watched, ended: Vec::new(), notices: Vec::new() })
    }

    /// `$target`: the first of them.
    pub fn first(&self) -> Option<u32> {
        self.watched.first().map(|w| w.pid)
    }

    /// Lets commands that stand after `execve` run to where they are to stand when tracing begins. `interrupted` sleeps
    /// for so long, or less if the caller wants no more of it.
    pub fn advance(&mut self, when: EvalTime, interrupted: &dyn Fn(Duration) -> bool) -> Result<(), Error> {
        for child in self.watched.iter_mut().filter_map(|w| w.child.as_mut()) {
            let notice = child.advance(when, interrupted).map_err(|e| {
                let why = match e.kind() {
                    io::ErrorKind::Interrupted => "interrupted".to_owned(),
                    _ => format!("process {}: {}", child.pid(), reason(&e)),
                };
                Error::new(why).context("cannot obey evaltime")
            })?;
            self.notices.extend(notice);
        }
        Ok(())
    }

    /// What is to be told of [`Targets::advance`].
    pub fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    /// Lets the commands run.
    pub fn release(&mut self) -> Result<(), Error> {
        for child in self.watched.iter_mut().filter_map(|w| w.child.as_mut()) {
            child
                .release()
                .map_err(|e| Error::from(e).context(&format!("failed to resume process {}", child.pid())))?;
        }
        Ok(())
    }

    /// Descriptors that become readable when a process ends.
    pub fn descriptors(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.watched.iter().filter_map(|w| w.alive.as_ref()).map(AsFd::as_fd)
    }

    /// Takes note of those that have ended. `true`: there were some, and now there are none.
    pub fn all_ended(&mut self) -> bool {
        for watched in &mut self.watched {
            let Some(fd) = &watched.alive else { continue };
            let mut poll_fd = [PollFd::new(fd, PollFlags::IN)];
            if poll(&mut poll_fd, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok_and(|ready| ready > 0) {
                watched.alive = None;
                let how = watched.child.as_mut().and_then(Child::ended);
                self.ended.push(Exited { pid: watched.pid, how });
            }
        }
        !self.watched.is_empty() && self.watched.iter().all(|w| w.alive.is_none())
    }

    /// Those that have ended since the last call, in the order in which that was seen.
    pub fn take_ended(&mut self) -> Vec<Exited> {
        std::mem::take(&mut self.ended)
    }
}

/// The error for a process of `-p` that is not there (runtime spec §13).
pub(crate) fn nobody(pid: u32) -> Error {
    Error::new("No such process").help(format!("`-p {pid}`: `ps -e` shows the numbers that processes have"))
}

/// A number that may be a process's, but not that of a thread which leads none: `/proc` shows those under their numbers, too.
pub(crate) fn leading(pid: u32) -> Result<u32, Error> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let leader = status.lines().find_map(|line| line.strip_prefix("Tgid:")?.trim().parse::<u32>().ok());
    match leader {
        Some(leader) if leader != pid => {
            Err(Error::new(format!("failed to grab process {pid}: it is a thread of process {leader}"))
                .help(format!("`-p {leader}` traces all its threads, and `/tid == {pid}/` picks this one")))
        }
        _ => Ok(pid),
    }
}

/// The number of a process that must be there at this moment.
///
/// # Errors
///
/// If there is none.
pub fn existing(pid: u32) -> Result<u32, Error> {
    match open(pid) {
        Err(error) if error.raw_os_error() == Some(libc::ESRCH) => Err(nobody(pid)),
        // That it cannot be opened for another reason does not matter here.
        _ => leading(pid),
    }
}

fn open(pid: u32) -> io::Result<OwnedFd> {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::NotFound);
    match pid {
        Ok(pid) => Ok(pidfd_open(pid, PidfdFlags::empty())?),
        Err(_) => Err(io::Error::from_raw_os_error(libc::ESRCH)),
    }
}

#[cfg(test)]
mod tests {
    use dtrail_vm::event::ExitedHow;

    use super::*;

    #[test]
    fn they_are_watched_until_the_last_has_ended() {
        let mut other = std::process::Command::new("sleep").arg("100").spawn().expect("sleep exists");
        let mut targets =
            Targets::start(&[Target::Command(b"true".to_vec()), Target::Process(other.id())]).expect("both");
        assert!(targets.first().is_some_and(|pid| pid != other.id()));
        assert!(!targets.all_ended());
        targets.release().expect("it stands");
        let mut ended = Vec::new();
        while ended.is_empty() {
            assert!(!targets.all_ended());
            ended = targets.take_ended();
        }
        assert_eq!(ended.len(), 1);
        assert_eq!(Some(ended[0].pid), targets.first());
        assert_eq!(ended[0].how, Some(ExitedHow::Status(0)));
        other.kill().expect("ours");
        other.wait().expect("ours");
        assert!(targets.all_ended());
        assert_eq!(targets.take_ended(), [Exited { pid: other.id(), how: None }]);
        assert_eq!(targets.descriptors().count(), 0);
    }

    #[test]
    fn what_is_no_process_says_so() {
        for pid in [0, u32::MAX, 0x7fff_fffe] {
            let error = Targets::start(&[Target::Process(pid)]).expect_err("no such process");
            assert_eq!(error.message, "No such process", "{pid}");
        }
        let thread = std::thread::spawn(|| {
            let tid = rustix::thread::gettid().as_raw_nonzero().get() as u32;
            let error = Targets::start(&[Target::Process(tid)]).expect_err("a thread");
            (tid, error, existing(tid).expect_err("a thread"))
        });
        let (tid, error, other) = thread.join().expect("it returns");
        let leader = std::process::id();
        assert_eq!(
            error.message,
            format!("failed to grab process {tid}: it is a thread of process {leader}")
        );
        let help = format!("`-p {leader}` traces all its threads, and `/tid == {tid}/` picks this one");
        assert_eq!(error.help, Some(help));
        assert_eq!(other.message, error.message);
        assert_eq!(existing(leader).ok(), Some(leader));
        assert!(!Targets::default().all_ended(), "no targets: tracing goes on");
    }
}
