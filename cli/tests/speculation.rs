//! Speculations and faults of live events: processes on several CPUs add to one speculation; reads that a source may not do.
//! What cannot run here says `skipped: why`.

#![allow(clippy::expect_used, reason = "a test fails by a panic, and its parts are no `#[test]` functions")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use dtrail_conformance::workload::{skipped, sources, steps};

/// The command that was built with the test.
const DTRAIL: &str = env!("CARGO_BIN_EXE_dtrail");

fn dtrail(source: &str, args: &[&str]) -> Output {
    let mut command = Command::new(DTRAIL);
    command.arg(format!("--source={source}")).args(args).current_dir("/").stdin(Stdio::null());
    command.output().expect("it starts")
}

/// A script that is run by its path, gone with the value.
struct Script(PathBuf);

impl Script {
    fn new(name: &str, text: &str) -> Script {
        let path = std::env::temp_dir().join(format!("dtrail-speculation-{}-{name}", std::process::id()));
        std::fs::write(&path, text).expect("a temporary file");
        Script(path)
    }

    /// The command that runs it.
    fn command(&self) -> String {
        format!("/bin/sh {}", self.0.display())
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Whether processes can be bound to CPUs 0 and 1.
fn two_cpus() -> bool {
    let bound = |cpu: &str| {
        Command::new("taskset").args(["-c", cpu, "true"]).output().is_ok_and(|output| output.status.success())
    };
    let both = bound("0") && bound("1");
    if !both {
        skipped("processes cannot be bound to two CPUs");
    }
    both
}

#[test]
fn one_speculation_of_two_cpus() {
    let Some(steps) = steps() else { return };
    if !two_cpus() {
        return;
    }
    let script = Script::new(
        "cpus",
        &format!(
            "taskset -c 0 {steps} open=/nowhere/a\ntaskset -c 1 {steps} open=/nowhere/b\n\
             taskset -c 0 {steps} open=/nowhere/c getpid=1\ntaskset -c 1 {steps} open=/nowhere/d getpid=1\n"
        ),
    );
    // The second getpid commits what is no speculation any more; what came after the first vanishes.
    let program = r#"
        BEGIN { s = speculation(); }
        syscall::openat:entry /execname == "steps" && progenyof($target)/ { speculate(s); printf("%d %s\n", cpu, copyinstr(arg1)); }
        syscall::getpid:entry /execname == "steps" && progenyof($target)/ { commit(s); }"#;
    for source in sources() {
        let output = dtrail(source, &["-qn", program, "-c", &script.command()]);
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!((&*out, &*err), ("0 /nowhere/a\n1 /nowhere/b\n0 /nowhere/c\n\n", ""), "{source}");
    }
}

#[test]
fn each_thread_its_own_speculation_and_what_is_left_is_counted() {
    let Some(steps) = steps() else { return };
    let script = Script::new(
        "each",
        &format!(
            "{steps} getpid=1 open=/nowhere/a\n{steps} getpid=1 open=/nowhere/b print=x\n{steps} getpid=1\n"
        ),
    );
    // Two numbers for three that ask: the first is never given back, the second is, and so the third gets it.
    let program = r#"
        syscall::getpid:entry /execname == "steps" && progenyof($target)/ { self->s = speculation(); printf("%d\n", self->s); }
        syscall::getpid:entry /execname == "steps" && progenyof($target)/ { @[self->s != 0] = count(); }
        syscall::openat:entry /self->s/ { speculate(self->s); printf("%s\n", copyinstr(arg1)); }
        syscall::write:entry /self->s/ { commit(self->s); self->s = 0; }"#;
    for (source, nspec, expect, told) in sources().into_iter().flat_map(|source| {
        [
            (source, "2", "1\n2\nx/nowhere/b\n2\n\n        1                3\n", ""),
            (
                source,
                "1",
                "1\n0\nx0\n\n        1                1\n        0                2\n",
                "failed speculations (no speculative buffer available)",
            ),
        ]
    }) {
        let nspec = format!("nspec={nspec}");
        let output = dtrail(source, &["-qx", &nspec, "-n", program, "-c", &script.command()]);
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        // The traced program's own `x` goes to the same pipe at a moment of its own.
        assert_eq!(out.replace('x', ""), expect.replace('x', ""), "{source} {nspec}");
        assert!(err.contains(told) && err.is_empty() == told.is_empty(), "{source} {nspec}: {err}");
    }
}

/// What four processes on both CPUs record at once goes to the speculation that each has taken, all of it, and to no other.
#[test]
fn processes_at_once_each_their_own_speculation() {
    let Some(steps) = steps() else { return };
    const READS: usize = 500;
    let one = format!("{steps} read={READS} &\n");
    let script = Script::new("at-once", &format!("{}wait\n", one.repeat(4)));
    let program = r#"
        syscall::read:entry /execname == "steps" && progenyof($target)/ { self->s = speculation(); self->n++; }
        syscall::read:entry /self->s/ { speculate(self->s); printf("%d read %d\n", pid, self->n); }
        syscall::read:return /self->s/ { speculate(self->s); printf("%d failed with %d\n", pid, errno); }
        syscall::read:return /self->s && self->n % 2/ { commit(self->s); self->s = 0; }
        syscall::read:return /self->s/ { discard(self->s); self->s = 0; }"#;
    for source in sources() {
        let options = ["-qx", "nspec=16", "-x", "bufsize=16m", "-n", program, "-c", &script.command()];
        let output = dtrail(source, &options);
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(&*err, "", "{source}");
        let lines: Vec<&str> = out.lines().filter(|line| !line.is_empty()).collect();
        let mut read: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for pair in lines.chunks(2) {
            let (pid, number) = pair[0].split_once(" read ").unwrap_or_else(|| panic!("{source}: {pair:?}"));
            assert_eq!(pair[1..], [format!("{pid} failed with 9")], "{source}: {pair:?}");
            read.entry(pid).or_default().push(number);
        }
        let odd: Vec<String> = (1..=READS).step_by(2).map(|number| number.to_string()).collect();
        assert_eq!(read.len(), 4, "{source}");
        read.iter().for_each(|(pid, numbers)| assert_eq!(*numbers, odd, "{source}: {pid}"));
    }
}

/// Records are lost, those of commits and discards too: still no record goes to a speculation that is another's.
#[test]
fn what_is_discarded_is_not_printed_though_records_are_lost() {
    let Some(steps) = steps() else { return };
    let script = Script::new("lost", &format!("{}wait\n", format!("{steps} read=20000 &\n").repeat(4)));
    let program = r#"
        syscall::read:entry /execname == "steps" && progenyof($target)/ { self->s = speculation(); self->n++; }
        syscall::read:entry /self->s/ { speculate(self->s); printf("%d %d\n", pid, self->n); }
        syscall::read:return /self->s && self->n % 2/ { commit(self->s); self->s = 0; }
        syscall::read:return /self->s/ { discard(self->s); self->s = 0; }"#;
    // Only there do records go through a buffer that is full.
    for source in sources().into_iter().filter(|source| *source == "bpf") {
        for nspec in ["nspec=1", "nspec=4"] {
            let options = ["-qx", nspec, "-x", "bufsize=4k", "-n", program, "-c", &script.command()];
            let output = dtrail(source, &options);
            let out = String::from_utf8_lossy(&output.stdout);
            let mut seen: Vec<&str> = out.lines().filter(|line| !line.is_empty()).collect();
            let even = |line: &&&str| line.ends_with(['0', '2', '4', '6', '8']);
            assert_eq!(seen.iter().find(even), None, "{source} {nspec}");
            let count = seen.len();
            seen.sort_unstable();
            seen.dedup();
            assert!(count > 0 && seen.len() == count, "{source} {nspec}: {count} lines, {}", seen.len());
        }
    }
}

/// The number of a speculation decides what is done at the event: the process does nothing more.
#[test]
fn a_number_decides_a_signal() {
    let Some(steps) = steps() else { return };
    let program = r#"
        syscall::openat:entry /pid == $target/ { self->s = speculation(); speculate(self->s); printf("open %d\n", self->s); }
        syscall::openat:return /self->s && errno/ { commit(self->s); }
        syscall::openat:return /self->s && errno/ { raise(SIGKILL); printf("killed\n"); }
        syscall::openat:return /self->s/ { discard(self->s); self->s = 0; }
        syscall::getpid:entry /pid == $target/ { printf("it lives\n"); }"#;
    for source in sources() {
        let steps = format!("{steps} open=/dev/null getpid=1 open=/nowhere/a getpid=1");
        let output = dtrail(source, &["-qwn", program, "-c", &steps]);
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!((&*out, &*err), ("it lives\nopen 1\nkilled\n\n", ""), "{source}");
    }
}

#[test]
fn the_kernel_s_memory_is_closed_to_ptrace() {
    let Some(steps) = steps() else { return };
    let program = r#"
        syscall::getpid:entry /pid == $target/ { printf("lost"); trace(*(int *)0xffffffff81000000); }
        ERROR { printf("%d %d\n", arg4 == DTRACEFLT_KPRIV, arg2); }"#;
    let output = dtrail("ptrace", &["-qn", program, "-c", &format!("{steps} getpid=1")]);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(&*out, "1 0\n\n");
    let told = "dtrail: error in dt_clause_0 for probe ID ";
    let fault = "(syscall:vmlinux:getpid:entry): invalid kernel access at insn ";
    assert!(err.starts_with(told) && err.contains(fault), "{err}");
    let help = "dtrail: help: only source bpf reads the kernel's memory: run as root, or with CAP_BPF and CAP_PERFMON";
    assert_eq!(err.lines().skip(1).collect::<Vec<_>>(), [help]);
}
