//! The command on programs whose system calls are known: as root through eBPF, as an ordinary user through ptrace, with the
//! same answer. What cannot run here says `skipped: why`.

#![allow(clippy::expect_used, reason = "a test fails by a panic, and its parts are no `#[test]` functions")]

use std::collections::BTreeMap;
use std::process::{Command, Output, Stdio};

use dtrail_conformance::engine::is_root;
use dtrail_conformance::workload::skipped;
use dtrail_kernel_bridge::caps;

use everybody::{DTRAIL, ForEverybody};

#[path = "../everybody/mod.rs"]
mod everybody;
mod machine;
mod processes;
mod runs;
mod tables;
mod values;

/// Who traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    /// eBPF, with privilege.
    Bpf,
    /// ptrace, as whoever runs the tests.
    Ptrace,
    /// ptrace, as a user without any right; only root can become one.
    Nobody,
}

/// Those that can run here.
fn everybody() -> Vec<Who> {
    let mut who = vec![Who::Ptrace];
    match caps::can_bpf() {
        Ok(()) => who.push(Who::Bpf),
        Err(e) => skipped(&e.message),
    }
    match is_root() {
        true => who.push(Who::Nobody),
        false => skipped("only root can run a program as another user"),
    }
    who
}

fn dtrail(who: Who, args: &[&str]) -> Output {
    let copy = (who == Who::Nobody).then(ForEverybody::new);
    let mut command = match &copy {
        Some(copy) => copy.command(),
        None => Command::new(DTRAIL),
    };
    match who {
        Who::Bpf => command.arg("--source=bpf"),
        Who::Ptrace => command.arg("--source=ptrace"),
        Who::Nobody => &mut command,
    };
    command.args(args).current_dir("/").stdin(Stdio::null()).output().expect("it starts")
}

/// What it printed, with nothing on standard error and status 0.
fn printed(who: Who, args: &[&str]) -> String {
    let output = dtrail(who, args);
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*err), (Some(0), ""), "{who:?} {args:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// Lines of `name count`.
fn table(text: &str) -> BTreeMap<String, u64> {
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        Some((words.next()?.to_owned(), words.next()?.parse().ok()?))
    };
    text.lines().filter_map(row).collect()
}

/// Runs a program by eBPF over a command; `None` where that cannot be.
fn by_bpf(program: &str, command: &str) -> Option<String> {
    everybody().contains(&Who::Bpf).then(|| printed(Who::Bpf, &["-qn", program, "-c", command]))
}
