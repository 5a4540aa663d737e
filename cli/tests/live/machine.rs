//! What the machine allows: privilege, sizes, the kernel's verifier.

use std::process::{Command, Stdio};

use dtrail_conformance::engine::is_root;
use dtrail_conformance::workload::skipped;
use dtrail_kernel_bridge::caps;

use super::everybody::DTRAIL;
use super::{Who, dtrail, everybody, table};

/// Without privilege, what is missing and what can be done instead.
#[test]
fn help_without_privilege() {
    if !everybody().contains(&Who::Nobody) {
        return;
    }
    let needs = "tracing the kernel needs root, or CAP_BPF and CAP_PERFMON";
    let help = "run as root, or give a command with -c to trace only that";
    let output = dtrail(Who::Nobody, &["-n", "syscall::read:entry"]);
    assert_eq!(
        (String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code()),
        (format!("dtrail: {needs}\n  help: {help}\n"), Some(1)),
    );
    // A plan says so too, but not of a program that traces nothing.
    for (program, missing) in [
        (
            "syscall::read:entry",
            format!("cannot run here: {needs}; with -c, source ptrace needs no privilege"),
        ),
        ("BEGIN { exit(0); }", String::new()),
        ("tick-1s { trace(1); }", String::new()),
    ] {
        let output = dtrail(Who::Nobody, &["--explain", "-n", program]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let told = text.lines().filter(|line| line.starts_with("cannot run here: ")).collect::<Vec<_>>();
        assert_eq!((told.concat(), output.status.code()), (missing, Some(0)), "{program}: {text}");
    }
    // Of another user's process: what decides depends on the machine, and is named.
    let output = dtrail(Who::Nobody, &["-n", "syscall::read:entry", "-p", "1"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.starts_with("dtrail: failed to grab process 1: permission denied\n  help: "), "{text}");
    assert_eq!(output.status.code(), Some(1));
}

/// A size that no machine has, and one that a pragma sets although the command is started before the program is read.
#[test]
fn sizes_hold_for_the_kernel_part() {
    if !everybody().contains(&Who::Bpf) {
        return;
    }
    let program = "syscall:::entry /pid == $target/ { @[probefunc] = count(); x[probefunc] = 1; }";
    let output =
        dtrail(Who::Bpf, &["-xaggsize=1t", "-xdynvarsize=1t", "-xquietresize", "-qn", program, "-c", "true"]);
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!((&*err, output.status.code()), ("", Some(0)));
    assert!(!table(&String::from_utf8_lossy(&output.stdout)).is_empty());
    // 16 bytes of bookkeeping, 8 of a key, 8 of a value: room for two.
    let program = "#pragma D option aggsize=64\n#pragma D option quiet\n\
                   syscall:::entry /pid == $target/ { @[arg0] = count(); }";
    let path = std::env::temp_dir().join(format!("dtrail-sizes-{}.d", std::process::id()));
    std::fs::write(&path, program).expect("a temporary file");
    let output = dtrail(Who::Bpf, &["-s", path.to_str().expect("a plain path"), "-c", "true"]);
    let _ = std::fs::remove_file(&path);
    assert_eq!(table(&String::from_utf8_lossy(&output.stdout)).len(), 2, "the pragma's size holds");
    assert!(String::from_utf8_lossy(&output.stderr).contains("aggregation drop"));
}

/// What the verifier says of programs that it takes, and how much of it.
#[test]
fn the_verifier_is_heard_when_asked_for() {
    if !everybody().contains(&Who::Bpf) {
        return;
    }
    // Two hooks, one of them called with a subprogram a clause, and one by the CPU clock.
    let program = "syscall::getpid:entry, syscall::getpid:return /pid == $target/ { @[probename] = count(); }\n\
                   syscall::getpid:entry { x[pid] = timestamp; } profile-1 { @[\"p\"] = count(); } BEGIN { exit(0); }";
    let run = |options: &[&str]| {
        let output = dtrail(Who::Bpf, &[options, &["-qn", program, "-c", "true"]].concat());
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stderr).expect("text")
    };
    assert_eq!(run(&["-xbpflogsize=1m"]), "", "nobody asked");
    let log = run(&["-xbpflog"]);
    assert!(log.lines().all(|line| line.starts_with("BPF: ")), "{log}");
    let count = |log: &str, start: &str| log.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!(count(&log, "BPF: program '"), 3, "{log}");
    assert_eq!(count(&log, "BPF: processed "), 3, "each was taken: {log}");
    assert_eq!(count(&log, "BPF: refused"), 0);
    assert!(log.contains("' for 'syscall:vmlinux:getpid:return':"), "{log}");
    assert!(log.contains("(95) exit"), "the instructions are shown");
    let cut = run(&["-xbpflog", "-xbpflogsize=1k"]);
    assert_eq!(count(&cut, "BPF: (cut to 1024 bytes: "), 3, "{cut}");
    assert!(cut.contains("-x bpflogsize"), "{cut}");
    assert!(cut.len() < 3 * 2048, "what was cut is not there");
}

/// A user namespace gives all capabilities, and none that counts for bpf(2).
#[test]
fn who_is_root_in_a_user_namespace_only_traces_by_ptrace() {
    let namespace = |args: &[&str]| {
        let output = Command::new("unshare").arg("-Ur").args(args).stdin(Stdio::null()).output();
        output.expect("unshare(1) is part of every system")
    };
    if !namespace(&["true"]).status.success() {
        return skipped("no user namespaces here");
    }
    let why = "the kernel refuses eBPF programs: a user namespace has no say over the kernel, and a container's seccomp \
               profile may forbid it";
    let program = "syscall::exit_group:entry { printf(\"%d\\n\", pid == $target); }";
    let without = "dtrail: /proc is not mounted: names, parents and users of processes are empty and 0, and code has no names\n";
    let hidden: &[&str] = &["sh", "-c", "mount -t tmpfs none /proc && exec \"$0\" \"$@\""];
    for (before, lacks) in [(&[][..], ""), (hidden, without)] {
        // Without /proc too: what the process may do is asked of the kernel.
        let mount: &[&str] = if before.is_empty() { &[] } else { &["-m"] };
        let args = [mount, before, &[DTRAIL, "-n", program, "-c", "true"]].concat();
        let output = namespace(&args);
        let err = String::from_utf8_lossy(&output.stderr);
        let expected = format!(
            "dtrail: description 'syscall::exit_group:entry ' matched 1 probe\ndtrail: source ptrace ({why})\n{lacks}"
        );
        assert_eq!((&*err, output.status.code()), (&*expected, Some(0)), "{args:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains(" 1\n"), "{args:?}");
    }
    let output = namespace(&[DTRAIL, "-qn", "syscall:::entry { }"]);
    let expected =
        format!("dtrail: {why}\n  help: run as root, or give a command with -c to trace only that\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
}

/// What a machine may lack, as a mount namespace shows it, and what is said of it.
#[test]
fn what_the_machine_lacks_is_told() {
    let can = is_root()
        && caps::can_bpf().is_ok()
        && Command::new("unshare").args(["-m", "true"]).status().is_ok_and(|status| status.success());
    if !can {
        return skipped("it takes root and mount namespaces");
    }
    let no_tracefs = "umount -l /sys/kernel/debug 2>/dev/null; umount -l /sys/kernel/tracing 2>/dev/null";
    let no_types = "mount -t tmpfs none /sys/kernel/btf";
    let no_proc = "umount -l /proc";
    let group = "which group a tracepoint is in only /sys/kernel/tracing tells, which root may read: leave it out, \
                 `rawtp:::sched_switch`, and have CAP_BPF and CAP_PERFMON to trace it\n";
    let types = "the kernel's types cannot be read from /sys/kernel/btf/vmlinux: No such file or directory; \
                 they need a kernel built with CONFIG_DEBUG_INFO_BTF\n";
    for (lacks, options, program, told) in [
        (
            no_tracefs,
            "-e",
            "sdt:::sched_switch { }",
            "provider `sdt` needs /sys/kernel/tracing, which root may read",
        ),
        (no_tracefs, "-e", "rawtp:sched::sched_switch { }", group),
        (
            no_tracefs,
            "-l",
            ":sched::",
            "`sched` is a group of trace events, which /sys/kernel/tracing lists and root may read\n",
        ),
        (no_tracefs, "-e", "rawtp:::sched_switch { }", ""),
        (no_types, "-e", "rawtp:::sched_switch { }", types),
        (no_types, "-e", "BEGIN { trace(sizeof(struct task_struct)); }", types),
        (
            no_types,
            "",
            "syscall::getpid:entry { exit(0); }",
            "CONFIG_DEBUG_INFO_BTF=y; `--source ptrace` works without\n",
        ),
        (
            no_proc,
            "--source ptrace -c true",
            "proc:::exit { }",
            "dtrail: /proc is not mounted: names, parents and users of processes are empty and 0, and code has no names\n",
        ),
        (
            no_proc,
            "--source bpf -c true",
            "proc:::exit { }",
            "dtrail: /proc is not mounted: code of processes has no names\n",
        ),
    ] {
        let script = format!("{lacks}; exec {DTRAIL} -q {options} -n '{program}'");
        let output = Command::new("unshare").args(["-m", "sh", "-c", &script]).output().expect("it starts");
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(err.contains(told) && (!told.is_empty() || err.is_empty()), "{script}: {err}");
    }
}
