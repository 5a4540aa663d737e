//! Starting the command of `-c` under ptrace: a command's words and, later, a seccomp filter come in; a process that
//! stands right after `execve` goes out. Between the two the child waits, so that its process ID is known while the
//! program that decides the filter is compiled. Never: a shell, except for a script without an interpreter line, as
//! `execvp` has it.

#![allow(unsafe_code, reason = "fork(2), and what a child does before it executes a program")]

use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::FromRawFd;
use std::os::unix::ffi::OsStringExt;
use std::ptr;

use dtrail_lang::bytes;
use dtrail_vm::event::{Error, reason};
use libc::sock_filter;
use rustix::fs::Access;

use super::sys::{self, Resume, Waited};
use crate::child::unquoted;
use crate::search;
use crate::shortage;
use crate::sys::inherited;

/// A command that has been forked and not yet executed.
#[derive(Debug)]
pub(super) struct Command {
    /// Its process ID.
    pub(super) pid: u32,
    name: String,
    /// The filter goes this way.
    filter: File,
    /// The reason why it could not start comes this way; closed by `execve`.
    failure: File,
}

/// Where a child failed, as it reports it.
const STAGE_FILTER: i32 = 1;
const STAGE_EXEC: i32 = 2;

/// Forks a child that waits for its filter, and becomes its tracer. It dies with the calling thread's process.
pub(super) fn start(words: &[&[u8]], options: libc::c_int) -> Result<Command, Error> {
    let name = bytes::to_text(words.first().copied().unwrap_or_default());
    let intent = format!("failed to execute {name}");
    let fail = |error: io::Error| shortage::help(Error::new(reason(&error)).context(&intent), &error);
    let image = Image::new(words).map_err(|message| {
        let error = Error::new(message).context(&intent);
        if words.is_empty() { error.help("give -c a program and its arguments") } else { error }
    })?;
    // What can be known now is said now, before anything else comes of the run.
    if let Some(error) = search::missing(&image.paths) {
        return Err(unquoted(fail(io::Error::from_raw_os_error(error)), &name));
    }
    let (filter_out, filter_in) = pipe().map_err(fail)?;
    let (failure_out, failure_in) = pipe().map_err(fail)?;
    let mut buffer = vec![0u8; libc::BPF_MAXINSNS as usize * size_of::<sock_filter>()];
    // SAFETY: the child makes system calls on memory prepared here, takes no lock and allocates nothing.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        // The child's copy of the other end: while it is open, the end of the tracer would go unnoticed.
        drop(filter_in);
        child(&image, filter_out, failure_in, &mut buffer);
    }
    if pid < 0 {
        return Err(fail(io::Error::last_os_error()));
    }
    let pid = pid as u32;
    if let Err(error) = sys::seize(pid, options) {
        sys::kill(pid);
        let _ = sys::wait_one(pid);
        return Err(attach_error(&error).context(&intent));
    }
    Ok(Command { pid, name, filter: filter_in, failure: failure_out })
}

impl Command {
    /// Hands the filter over and waits until the command has been executed. It stands at its exec event.
    pub(super) fn execute(mut self, filter: &[sock_filter]) -> Result<(), Error> {
        let intent = format!("failed to execute {}", self.name);
        let fail = |error: io::Error| Error::new(reason(&error)).context(&intent).whole();
        let mut bytes = (filter.len() as u32).to_ne_bytes().to_vec();
        for insn in filter {
            bytes.extend(insn.code.to_ne_bytes());
            bytes.extend([insn.jt, insn.jf]);
            bytes.extend(insn.k.to_ne_bytes());
        }
        self.filter.write_all(&bytes).map_err(fail)?;
        loop {
            let status = match sys::wait_one(self.pid).map_err(fail)? {
                Waited::Changed(_, status) => status,
                Waited::Interrupted => continue,
                Waited::Nothing | Waited::NoChildren => return Err(self.failed(&intent)),
            };
            if !libc::WIFSTOPPED(status) {
                return Err(self.failed(&intent));
            }
            // Its own calls may stop at the filter already; a signal is passed on.
            match status >> 16 {
                libc::PTRACE_EVENT_EXEC => return Ok(()),
                0 => sys::resume(self.pid, Resume::Run, libc::WSTOPSIG(status)),
                _ => sys::resume(self.pid, Resume::Run, 0),
            }
        }
    }

    /// The reason that a dead child left behind.
    fn failed(&mut self, intent: &str) -> Error {
        let mut report = [0u8; 8];
        if self.failure.read_exact(&mut report).is_err() {
            return Error::new("it was killed before it began").context(intent);
        }
        let [a, b, c, d, e, f, g, h] = report;
        let (stage, code) = (i32::from_ne_bytes([a, b, c, d]), i32::from_ne_bytes([e, f, g, h]));
        let why = reason(&io::Error::from_raw_os_error(code));
        if stage != STAGE_FILTER {
            return Error::new(why).context(intent).whole();
        }
        let help = match code {
            libc::ENOSYS | libc::EINVAL => {
                Some("the kernel must have seccomp filters (CONFIG_SECCOMP_FILTER)")
            }
            libc::EPERM | libc::EACCES => {
                Some("a container's own seccomp profile or a security module may forbid seccomp filters")
            }
            _ => shortage::advice(&io::Error::from_raw_os_error(code)),
        };
        let told = Error::new(format!("cannot install a seccomp filter: {why}")).context(intent);
        match help {
            Some(help) => told.help(help),
            None => told,
        }
    }
}

/// Why the kernel does not let this process trace its own child.
fn attach_error(error: &io::Error) -> Error {
    let message = format!("cannot trace it: {}", reason(error));
    let told = Error::new(message);
    if !matches!(error.raw_os_error(), Some(libc::EPERM | libc::EACCES | libc::ENOSYS)) {
        return shortage::help(told, error);
    }
    let scope = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    told.help(scope_help(&scope))
}

/// What to do about a refusal, from the text of Yama's setting; empty without Yama.
pub(super) fn scope_help(scope: &str) -> &'static str {
    match scope.trim() {
        "3" => {
            "kernel.yama.ptrace_scope (/proc/sys/kernel/yama/ptrace_scope) is 3: ptrace is off until the next boot"
        }
        "2" => {
            "kernel.yama.ptrace_scope (/proc/sys/kernel/yama/ptrace_scope) is 2: only CAP_SYS_PTRACE may trace; set it to 1 or 0"
        }
        _ => "a container's seccomp profile or a security module may forbid ptrace",
    }
}

fn pipe() -> io::Result<(File, File)> {
    let mut fds = [0; 2];
    // SAFETY: `fds` has room for two descriptors.
    if unsafe { libc::pipe2(fds.as_mut_ptr(), libc::O_CLOEXEC) } < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: both are open and nobody else's.
    unsafe { Ok((File::from_raw_fd(fds[0]), File::from_raw_fd(fds[1]))) }
}

/// All that `execve` needs, made before the fork: the child must not allocate.
struct Image {
    /// Where the program may be, in the order of `PATH`.
    paths: Vec<CString>,
    /// The null-terminated arrays, and what they point into.
    argv: Vec<*const libc::c_char>,
    envp: Vec<*const libc::c_char>,
    /// By path: arguments of `/bin/sh` for a script without an interpreter line.
    script_argv: Vec<Vec<*const libc::c_char>>,
    _strings: Vec<CString>,
}

impl Image {
    fn new(words: &[&[u8]]) -> Result<Image, String> {
        let Some((&program, _)) = words.split_first() else { return Err("no command".to_owned()) };
        let c_string = |bytes: &[u8]| CString::new(bytes).map_err(|_| "a NUL in the command".to_owned());
        let args: Vec<CString> = words.iter().map(|word| c_string(word)).collect::<Result<_, _>>()?;
        let env: Vec<CString> = std::env::vars_os()
            .filter_map(|(name, value)| {
                CString::new([name.into_vec(), b"=".to_vec(), value.into_vec()].concat()).ok()
            })
            .collect();
        let paths = search::candidates(program)?;
        let pointers = |strings: &[CString]| {
            strings.iter().map(|s| s.as_ptr()).chain([ptr::null()]).collect::<Vec<*const libc::c_char>>()
        };
        // The heap blocks that the pointers lead to stay where they are when the vectors move.
        let argv = pointers(&args);
        let script_argv =
            paths.iter().map(|path| [&[c"/bin/sh".as_ptr(), path.as_ptr()], &argv[1..]].concat()).collect();
        Ok(Image {
            argv,
            envp: pointers(&env),
            script_argv,
            paths,
            _strings: args.into_iter().chain(env).collect(),
        })
    }

    /// Executes the first candidate that can be; the error number if none can.
    fn execute(&self) -> i32 {
        let mut worst = libc::ENOENT;
        for (path, script_argv) in self.paths.iter().zip(&self.script_argv) {
            // SAFETY: path and arrays are null-terminated and alive.
            unsafe { libc::execve(path.as_ptr(), self.argv.as_ptr(), self.envp.as_ptr()) };
            let mut error = errno();
            if error == libc::ENOEXEC {
                // SAFETY: as above.
                unsafe { libc::execve(c"/bin/sh".as_ptr(), script_argv.as_ptr(), self.envp.as_ptr()) };
                error = errno();
            }
            match error {
                libc::ENOENT | libc::ENOTDIR => {}
                // Found, but not for us: what is said if nothing else is found either.
                libc::EACCES if self.paths.len() == 1 || search::accessible(path, Access::EXISTS).is_ok() => {
                    worst = libc::EACCES;
                }
                libc::EACCES => {}
                _ => return error,
            }
        }
        worst
    }
}

fn errno() -> i32 {
    // SAFETY: the location is this thread's own.
    unsafe { *libc::__errno_location() }
}

/// The child from fork to exec: waits for the filter, installs it, executes. System calls only.
fn child(image: &Image, mut filter: File, mut failure: File, buffer: &mut [u8]) -> ! {
    // It makes system calls only.
    if inherited::restore().is_err() {
        exit_child();
    }
    let mut count = [0u8; 4];
    let wanted =
        filter.read_exact(&mut count).map(|()| u32::from_ne_bytes(count) as usize * size_of::<sock_filter>());
    let Some(bytes) = wanted.ok().and_then(|size| buffer.get_mut(..size)) else { exit_child() };
    if filter.read_exact(bytes).is_err() {
        // The tracer changed its mind.
        exit_child();
    }
    let (stage, error) = match install(bytes, u32::from_ne_bytes(count)) {
        0 => (STAGE_EXEC, image.execute()),
        error => (STAGE_FILTER, error),
    };
    let [a, b, c, d] = stage.to_ne_bytes();
    let [e, f, g, h] = error.to_ne_bytes();
    let _ = failure.write_all(&[a, b, c, d, e, f, g, h]);
    exit_child()
}

fn exit_child() -> ! {
    // SAFETY: no preconditions; the parent's exit handlers are not run.
    unsafe { libc::_exit(127) }
}

/// Installs a filter; the error number, 0 if it is in force. Who has the privilege keeps the right to execute set-uid
/// programs; who has not gives it up, as seccomp demands.
fn install(program: &mut [u8], count: u32) -> i32 {
    let filter = libc::sock_fprog { len: count as u16, filter: program.as_mut_ptr().cast() };
    let install = || {
        // SAFETY: the program is alive, and as long as it says; the buffer of a `Vec` is aligned for its 8-byte
        // entries, and the kernel would take any alignment.
        unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const filter) }
    };
    if install() == 0 {
        return 0;
    }
    if errno() != libc::EACCES {
        return errno();
    }
    // SAFETY: plain numbers.
    unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    if install() == 0 { 0 } else { errno() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_setting() {
        for (scope, help) in [
            (
                "3\n",
                "kernel.yama.ptrace_scope (/proc/sys/kernel/yama/ptrace_scope) is 3: ptrace is off until the next boot",
            ),
            (
                "2\n",
                "kernel.yama.ptrace_scope (/proc/sys/kernel/yama/ptrace_scope) is 2: only CAP_SYS_PTRACE may trace; set it to 1 or 0",
            ),
            ("1\n", "a container's seccomp profile or a security module may forbid ptrace"),
            ("", "a container's seccomp profile or a security module may forbid ptrace"),
        ] {
            assert_eq!(scope_help(scope), help);
        }
    }

    #[test]
    fn candidates_are_those_of_path() {
        let image = Image::new(&[b"a/b", b"c"]).map(|image| image.paths);
        assert_eq!(image, Ok(vec![c"a/b".to_owned()]));
        let image = Image::new(&[b"prog"]).expect("no NUL");
        assert!(image.paths.iter().all(|path| path.to_bytes().ends_with(b"prog")));
        assert!(Image::new(&[b"a\0b"]).is_err());
        assert!(Image::new(&[]).is_err());
    }
}
