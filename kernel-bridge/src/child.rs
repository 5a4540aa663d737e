//! Starting the process of `-c`: it is stopped at its first instruction and goes on when tracing has begun.
//!
//! Comes in: a command's words. Goes out: a [`Child`] that is stopped right after `execve`, under ptrace by the thread that
//! called [`start`]. Never: a shell. (The `ptrace` source starts its commands itself, since a filter comes between.)

#![allow(unsafe_code, reason = "what a child does before it executes a program, and ptrace(2)")]

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use dtrail_lang::bytes;
use dtrail_lang::options::EvalTime;
use dtrail_vm::event::{Error, ExitedHow, reason};
use rustix::process::{Pid, Signal, WaitOptions};

use crate::sys::{breakpoint, inherited};
use crate::{evaltime, search, shortage};

/// A started process that this one must wait for.
#[derive(Debug)]
pub struct Child {
    process: std::process::Child,
    /// Whether it still stands at its first instruction, under ptrace.
    stopped: bool,
    /// How it ended before tracing began.
    ended: Option<ExitedHow>,
}

/// Splits the argument of `-c`: at blanks, tabs, newlines, form feeds and vertical tabs, without quoting.
pub fn split_command(command: &[u8]) -> Vec<&[u8]> {
    command.split(|b| b" \t\n\x0b\x0c".contains(b)).filter(|word| !word.is_empty()).collect()
}

/// Says of a command that could not be executed what quotes do there, if its name has any.
pub(crate) fn unquoted(error: Error, name: &str) -> Error {
    match name.contains(['\'', '"']) {
        true => {
            error.help("-c knows no quotes: words are what blanks part; put what needs them into a script")
        }
        false => error,
    }
}

/// Starts a command, found by `PATH`, and waits until it has been executed and stands still. The calling thread is its
/// tracer; if it dies before [`Child::release`], so does the child.
pub fn start(command: &[u8]) -> Result<Child, Error> {
    let words = split_command(command);
    let name = bytes::to_text(words.first().copied().unwrap_or_default());
    let fail = |why: String| Error::new(format!("failed to execute {name}: {why}"));
    let Some((program, args)) = words.split_first() else {
        return Err(fail("no command".into()).help("give -c a program and its arguments"));
    };
    let mut builder = Command::new(OsStr::from_bytes(program));
    builder.args(args.iter().map(|a| OsStr::from_bytes(a)));
    let tracer = rustix::process::getpid();
    let hook = move || {
        // It dies with its tracer even if that is killed.
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // If that has happened before, no signal comes, the tracer would be whoever has taken the child in, and nobody is
        // there to be told.
        if rustix::process::getppid() != Some(tracer) {
            // SAFETY: it ends this process and nothing else.
            unsafe { libc::_exit(1) };
        }
        // The stop at the program's first instruction is this signal: blocked, it would not come.
        inherited::restore_but(libc::SIGTRAP)?;
        ptrace(libc::PTRACE_TRACEME, 0, 0)
    };
    // SAFETY: the hook makes system calls only; it touches no lock and no heap.
    unsafe { builder.pre_exec(hook) };
    // A failed `execve` comes back through the pipe that `spawn` keeps for it; a successful one stops the child.
    let process = builder.spawn().map_err(|e| {
        // `execvp` gives EACCES if it may not look into some folder of `PATH`, wherever it found nothing.
        let refused = e.raw_os_error() == Some(libc::EACCES);
        let known = search::candidates(program).ok().filter(|_| refused);
        let known = known.and_then(|paths| search::missing(&paths)).map(io::Error::from_raw_os_error);
        let why = known.unwrap_or(e);
        shortage::help(unquoted(fail(reason(&why)), &name), &why)
    })?;
    let pid = process.id();
    match wait_for_stop(pid) {
        Ok(()) => {}
        Err(e) => return Err(fail(reason(&e))),
    }
    ptrace(libc::PTRACE_SETOPTIONS, pid, libc::PTRACE_O_EXITKILL as usize).map_err(|e| fail(reason(&e)))?;
    block_as_inherited(pid).map_err(|e| fail(reason(&e)))?;
    Ok(Child { process, stopped: true, ended: None })
}

/// Blocks SIGTRAP too in a stopped child, if this process was started with it blocked.
fn block_as_inherited(pid: u32) -> io::Result<()> {
    let mask = inherited::blocked();
    if mask & 1 << (libc::SIGTRAP - 1) == 0 {
        return Ok(());
    }
    // SAFETY: the kernel reads a set of 8 bytes at the address, which lives through the call.
    match unsafe { libc::ptrace(libc::PTRACE_SETSIGMASK, pid as libc::pid_t, 8usize, &raw const mask) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Starts a command of `system`, which the shell reads; nobody traces it.
pub(crate) fn shell(command: &[u8]) -> io::Result<std::process::Child> {
    let mut builder = Command::new("/bin/sh");
    builder.arg("-c").arg(OsStr::from_bytes(command));
    // Without a hook it takes no copy of this process to start it.
    if inherited::is_unusual() {
        // SAFETY: the hook makes system calls only; it touches no lock and no heap.
        unsafe { builder.pre_exec(inherited::restore) };
    }
    builder.spawn()
}

fn wait_for_stop(pid: u32) -> io::Result<()> {
    let pid = as_pid(pid)?;
    match rustix::process::waitpid(Some(pid), WaitOptions::UNTRACED)? {
        Some((_, status)) if status.stopped() => Ok(()),
        _ => Err(io::Error::other("it ended before it began")),
    }
}

/// The longest that a change of a process which runs to its place is noticed late.
const LOOK: Duration = Duration::from_millis(20);

/// Waits until a process stops or ends. A process that never does must not hold this one, and `waitpid` knows nothing of
/// descriptors; so it is asked again and again, soon at first.
fn wait_unless(pid: u32, interrupted: &dyn Fn(Duration) -> bool) -> io::Result<ExitStatus> {
    let pid = as_pid(pid)?;
    let mut pause = Duration::from_micros(200);
    loop {
        let options = WaitOptions::UNTRACED | WaitOptions::NOHANG;
        if let Some((_, status)) = rustix::process::waitpid(Some(pid), options)? {
            return Ok(ExitStatus::from_raw(status.as_raw()));
        }
        if interrupted(pause) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        pause = (pause * 2).min(LOOK);
    }
}

fn as_pid(pid: u32) -> io::Result<Pid> {
    i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

fn ptrace(request: libc::c_uint, pid: u32, data: usize) -> io::Result<()> {
    // SAFETY: none of the requests used here reads or writes this process's memory.
    let result = unsafe { libc::ptrace(request, pid as libc::pid_t, 0usize, data) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

impl Child {
    /// Its process ID.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Lets it run to where it is to stand when tracing begins; what is to be told of that comes out. If it ends before,
    /// that is how it ended. `interrupted` sleeps for so long, or less if the caller wants no more of it, which is the
    /// error [`io::ErrorKind::Interrupted`].
    pub(crate) fn advance(
        &mut self,
        when: EvalTime,
        interrupted: &dyn Fn(Duration) -> bool,
    ) -> io::Result<Option<String>> {
        let pid = self.pid();
        let Some(mut place) = evaltime::place(pid, when)?.filter(|_| self.stopped) else { return Ok(None) };
        let options = libc::PTRACE_O_EXITKILL | libc::PTRACE_O_TRACEEXEC;
        ptrace(libc::PTRACE_SETOPTIONS, pid, options as usize)?;
        breakpoint::set(pid, place.addr)?;
        let mut signal = 0;
        loop {
            ptrace(libc::PTRACE_CONT, pid, signal as usize)?;
            let status = wait_unless(pid, interrupted)?;
            let Some(stop) = status.stopped_signal() else {
                (self.stopped, self.ended) = (false, Some(how(status)));
                return Ok(None);
            };
            signal = stop;
            match status.into_raw() >> 16 {
                libc::PTRACE_EVENT_EXEC => {
                    // Another program: its own place counts.
                    place = evaltime::place(pid, when)?.unwrap_or(place);
                    breakpoint::set(pid, place.addr)?;
                    signal = 0;
                }
                0 if stop == libc::SIGTRAP && breakpoint::program_counter(pid)? == place.addr => {
                    breakpoint::clear(pid)?;
                    return Ok(place.notice);
                }
                _ => {}
            }
        }
    }

    /// Lets it run, traced no longer. Nothing if it runs already.
    pub fn release(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.stopped) {
            ptrace(libc::PTRACE_DETACH, self.pid(), 0)?;
        }
        Ok(())
    }

    /// How it ended, if it has; it is reaped.
    pub fn ended(&mut self) -> Option<ExitedHow> {
        if self.ended.is_some() {
            return self.ended;
        }
        self.process.try_wait().ok().flatten().map(how)
    }
}

impl Drop for Child {
    /// A command ends with its tracer, as with dtrace(1).
    fn drop(&mut self) {
        if !self.stopped && self.ended().is_some() {
            return;
        }
        if let Ok(pid) = as_pid(self.pid()) {
            let _ = rustix::process::kill_process(pid, Signal::KILL);
        }
        let _ = self.process.wait();
    }
}

/// How a wait status says a process ended.
pub fn how(status: ExitStatus) -> ExitedHow {
    match (status.code(), status.signal()) {
        (Some(code), _) => ExitedHow::Status(code as u8),
        (None, signal) => ExitedHow::Signal(signal.unwrap_or(0) as u8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(pid: u32) -> String {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("it exists");
        stat.rsplit(") ").next().and_then(|s| s.get(..1)).expect("a state").to_owned()
    }

    fn wait(child: &mut Child) -> ExitedHow {
        loop {
            if let Some(how) = child.ended() {
                return how;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }

    #[test]
    fn it_stands_after_exec_and_runs_when_released() {
        let mut child = start(b" sleep\t0.01 ").expect("sleep exists");
        assert_eq!(state(child.pid()), "t");
        let comm = std::fs::read_to_string(format!("/proc/{}/comm", child.pid())).expect("it exists");
        assert_eq!(comm, "sleep\n", "it has been executed");
        assert_eq!(child.ended(), None);
        child.release().expect("it stands");
        assert_eq!(wait(&mut child), ExitedHow::Status(0));
    }

    #[test]
    fn its_end_is_known() {
        let mut child = start(b"false").expect("false exists");
        child.release().expect("it stands");
        assert_eq!(wait(&mut child), ExitedHow::Status(1));
        let mut child = start(b"sleep 100").expect("sleep exists");
        child.release().expect("it stands");
        rustix::process::kill_process(as_pid(child.pid()).expect("a pid"), Signal::TERM).expect("ours");
        assert_eq!(wait(&mut child), ExitedHow::Signal(15));
    }

    #[test]
    fn a_child_ends_with_its_tracer() {
        for released in [false, true] {
            let mut child = start(b"sleep 100").expect("sleep exists");
            let pid = child.pid();
            if released {
                child.release().expect("it stands");
            }
            drop(child);
            assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists(), "released: {released}");
        }
    }

    #[test]
    fn what_cannot_start_says_why() {
        for (command, message) in [
            (&b"/no/such/thing x"[..], "failed to execute /no/such/thing: No such file or directory"),
            (b"/etc/passwd", "failed to execute /etc/passwd: Permission denied"),
            (b"  ", "failed to execute : no command"),
            (b"\"true\"", "failed to execute \"true\": No such file or directory"),
        ] {
            let error = start(command).expect_err("it cannot start");
            assert_eq!(error.message, message);
        }
    }

    #[test]
    fn a_folder_that_may_not_be_searched_has_nothing_in_it() {
        use std::os::unix::fs::PermissionsExt;
        if !rustix::process::geteuid().is_root() || std::env::var_os("DTRAIL_SEARCH_TEST").is_some() {
            // As the child of this test: without the right to look into the folder.
            let error = start(b"no-such-program-anywhere").expect_err("it is not there");
            assert_eq!(
                error.message,
                "failed to execute no-such-program-anywhere: No such file or directory"
            );
            return;
        }
        let folder = std::env::temp_dir().join(format!("dtrail-search-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("closed")).expect("a folder");
        std::fs::set_permissions(folder.join("closed"), PermissionsExt::from_mode(0o700)).expect("ours");
        let copy = folder.join("test");
        std::fs::copy(std::env::current_exe().expect("this one"), &copy).expect("there is room for a copy");
        let path = format!("{}:/usr/bin:/bin", folder.join("closed").display());
        let output = Command::new("/usr/bin/setpriv")
            .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
            .arg(&copy)
            .args(["--exact", "child::tests::a_folder_that_may_not_be_searched_has_nothing_in_it"])
            .env("PATH", path)
            .env("DTRAIL_SEARCH_TEST", "1")
            .current_dir("/")
            .output();
        let _ = std::fs::remove_dir_all(&folder);
        let output = output.expect("setpriv is part of every system");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}
