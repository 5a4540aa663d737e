//! Becoming the tracer of a process that runs already (`-p`), and letting it go as it was.
//!
//! No filter can be put into another process, so its threads stop at each system call if any is traced. It is not ended
//! with the tracer.

use std::io;

use dtrail_vm::event::{Error, reason};

use super::OPTIONS;
use super::command::scope_help;
use super::sys;
use crate::shortage;
use crate::source::targets::{leading, nobody};

/// What is asked of the kernel for its threads.
const ATTACHED: libc::c_int =
    OPTIONS & !libc::PTRACE_O_EXITKILL & !libc::PTRACE_O_TRACESECCOMP | libc::PTRACE_O_TRACEEXIT;

/// Becomes the tracer of all threads of a process, which go on running; their IDs.
pub(super) fn seize(pid: u32) -> Result<Vec<u32>, Error> {
    leading(pid)?;
    let intent = format!("failed to grab process {pid}");
    let mut seized: Vec<u32> = Vec::new();
    // Threads may be made while this goes on, by one that is not traced yet: until a look finds no new one.
    loop {
        let found = match threads(pid) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound || !seized.is_empty() => Vec::new(),
            Err(error) => return Err(refused(pid, &error).context(&intent)),
        };
        let found: Vec<u32> = found.into_iter().filter(|tid| !seized.contains(tid)).collect();
        let before = seized.len();
        for tid in found {
            match sys::seize(tid, ATTACHED) {
                Ok(()) => seized.push(tid),
                // It ended meanwhile, or its maker's tracer has it already.
                Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {}
                Err(_) if !seized.is_empty() => {}
                Err(error) => return Err(refused(pid, &error).context(&intent)),
            }
        }
        if seized.len() == before {
            break;
        }
    }
    if seized.is_empty() {
        return Err(nobody(pid));
    }
    Ok(seized)
}

/// The threads of a process now.
fn threads(pid: u32) -> io::Result<Vec<u32>> {
    let entries = std::fs::read_dir(format!("/proc/{pid}/task"))?.flatten();
    Ok(entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect())
}

/// Why the kernel says no, and which setting decides.
fn refused(pid: u32, error: &io::Error) -> Error {
    if error.raw_os_error() != Some(libc::EPERM) {
        let told = Error::new(reason(error));
        return shortage::help(told, error);
    }
    if let Some(tracer) = tracer(pid) {
        return Error::new(format!("process {tracer} traces it already"));
    }
    let scope = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    Error::new("permission denied").help(match scope.trim() {
        "1" => {
            "kernel.yama.ptrace_scope (/proc/sys/kernel/yama/ptrace_scope) is 1: only its own parent may trace it; set \
             it to 0, run as root, or start the command with -c"
        }
        "2" | "3" => scope_help(&scope),
        _ => "only the user that a process belongs to may trace it, and no set-uid program: run as root",
    })
}

/// The process that traces a process.
fn tracer(pid: u32) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("TracerPid:"))?;
    line.trim().parse().ok().filter(|&tracer| tracer != 0)
}
