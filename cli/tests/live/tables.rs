//! What is counted of programs whose system calls are known, whoever traces; many clauses, cuts under load, trace events.

use std::collections::BTreeMap;
use std::process::Command;

use dtrail_conformance::workload::{skipped, steps};
use dtrail_kernel_bridge::caps;

use super::{Who, by_bpf, dtrail, everybody, printed, table};

/// A workload's known table, and what each source itself must add: its entry into `execve` is seen by a source that
/// traces the child before it executes.
const KNOWN: &[(&str, u64)] = &[
    ("clone", 2),
    ("exit", 1),
    ("exit_group", 2),
    ("futex", 1),
    ("getpid", 1003),
    ("getppid", 3),
    ("gettid", 5),
    ("kill", 3),
    ("openat", 2),
    ("read", 7),
    ("rt_sigaction", 1),
    ("rt_sigreturn", 3),
    ("wait4", 1),
];

const SOURCES_MAY_ADD: &[&str] = &["execve"];

#[test]
fn one_table_whoever_traces() {
    let Some(steps) = steps() else { return };
    let command = format!("{steps} getpid=1000 read=7 open=/etc/passwd badopen clone thread=1 signal=3");
    for who in everybody() {
        let program = "syscall:::entry /pid == $target || ppid == $target/ { @[probefunc] = count(); }";
        let mut got = table(&printed(who, &["-qn", program, "-c", &command]));
        got.retain(|name, _| !SOURCES_MAY_ADD.contains(&name.as_str()));
        // How often a futex is waited for depends on who is faster.
        if let Some(count) = got.get_mut("futex") {
            *count = 1;
        }
        let known: BTreeMap<String, u64> = KNOWN
            .iter()
            .map(|&(name, count)| (name.to_owned(), count))
            .filter(|(n, _)| n != "futex" || got.contains_key(n))
            .collect();
        assert_eq!(got, known, "{who:?}");
    }
}

/// What the workload of [`every_probe_counts_the_same`] does, probe by probe.
const EVERY_PROBE: &[(&str, u64)] = &[
    ("clone3:entry", 1),
    // A call that makes a process or thread returns on both sides.
    ("clone3:return", 2),
    ("clone:entry", 3),
    ("clone:return", 6),
    ("execve:entry", 2),
    ("execve:return", 2),
    ("exit:entry", 1),
    ("exit_group:entry", 5),
    ("fork:entry", 1),
    ("fork:return", 2),
    ("getpid:entry", 4),
    ("getpid:return", 4),
    ("getppid:entry", 12),
    ("getppid:return", 12),
    ("gettid:entry", 5),
    ("gettid:return", 5),
    ("kill:entry", 2),
    ("kill:return", 2),
    ("proc:create", 4),
    ("proc:exec", 2),
    ("proc:exec-failure", 1),
    ("proc:exec-success", 1),
    ("proc:exit", 5),
    ("proc:lwp-create", 6),
    ("proc:lwp-exit", 7),
    ("proc:lwp-start", 6),
    ("proc:start", 4),
    ("read:entry", 3),
    ("read:return", 3),
    ("rt_sigaction:entry", 1),
    ("rt_sigaction:return", 1),
    ("rt_sigreturn:entry", 2),
    ("rt_sigreturn:return", 2),
    ("vfork:entry", 1),
    ("vfork:return", 2),
    ("wait4:entry", 4),
    ("wait4:return", 4),
];

#[test]
fn every_probe_counts_the_same() {
    let Some(steps) = steps() else { return };
    let command = format!(
        "{steps} getpid=2 read=3 fork vfork clone clone3 thread=1 signal=2 badexec threadexec=exit=0"
    );
    let program = r#"
        syscall::: /pid == $target || ppid == $target/ { @[strjoin(probefunc, strjoin(":", probename))] = count(); }
        proc:::create, proc:::e*, proc:::lwp-*, proc:::start
        /pid == $target || ppid == $target/
        { @[strjoin("proc:", probename)] = count(); }"#;
    for who in everybody() {
        let mut got = table(&printed(who, &["-qn", program, "-c", &command]));
        // Whether the first thread already waits when the other one executes is chance.
        got.retain(|name, _| !name.starts_with("futex"));
        let known: BTreeMap<String, u64> =
            EVERY_PROBE.iter().map(|&(name, n)| (name.to_owned(), n)).collect();
        assert_eq!(got, known, "{who:?}");
    }
}

#[test]
fn trace_events_have_their_fields() {
    let Some(steps) = steps() else { return };
    let program = r#"
        sdt:sched::sched_process_exec /pid == $target/
        { printf("%d %d\n", strlen(stringof(args[0])), args[1] == pid && arg2 == pid); }
        sdt:signal::signal_generate /pid == $target && args[0] == SIGUSR1/
        { printf("%d %d %s %d %d %d\n", args[1], args[2], stringof(args[3]), arg4 == pid, arg6, arg7); }
        sdt:task::task_newtask /pid == $target/ { printf("%s %d\n", stringof(args[1]), arg0 != pid); }"#;
    let Some(text) = by_bpf(program, &format!("{steps} signal=1 thread=1 fork exec=getpid=1")) else {
        return;
    };
    let expected = format!("0 0 steps 1 0 0\nsteps 1\nsteps 1\n{} 1\n", steps.len());
    assert_eq!(text.trim_end(), expected.trim_end());
}

#[test]
fn providers_that_share_a_tracepoint() {
    let Some(steps) = steps() else { return };
    // Three hooks of two tracepoints, then one whose type comes later in the kernel's data.
    let program = r#"
        rawtp:raw_syscalls::sys_enter, rawtp:raw_syscalls::sys_exit, syscall::getpid:
        /pid == $target && probeprov == "syscall"/ { @[probename] = count(); }
        rawtp:timer::timer_init /0/ { }
        rawtp:raw_syscalls::sys_enter /pid == $target && args[1] == 39/ { @["sys_enter"] = count(); }"#;
    let Some(text) = by_bpf(program, &format!("{steps} getpid=3")) else { return };
    let known = [("entry", 3), ("return", 3), ("sys_enter", 3)];
    assert_eq!(table(&text), known.map(|(name, n)| (name.to_owned(), n)).into());
}

#[test]
fn a_thousand_clauses_on_one_probe() {
    let Some(steps) = steps() else { return };
    // More clauses than the kernel has functions for, more aggregations than it has maps for, names in each record.
    let clause = |i: usize| match i % 4 {
        0 => format!("@a{i} = sum({i});"),
        1 => format!("@b[{i}] = count();"),
        2 => format!("@c{i}[execname] = sum({i});"),
        _ => format!("printf(\"%s {i} \", execname);"),
    };
    let clauses = (0..1000).map(|i| format!("syscall::getpid:entry /pid == $target/ {{ {} }}\n", clause(i)));
    let program: String = clauses.collect();
    let sums = |text: &str| -> u64 {
        let last = text.lines().filter_map(|line| line.split_whitespace().last()?.parse::<u64>().ok());
        last.sum()
    };
    let command = format!("{steps} getpid=1");
    let texts: Vec<String> =
        everybody().into_iter().map(|who| printed(who, &["-qn", &program, "-c", &command])).collect();
    // Each sum is its clause's number, each count 1; what `printf` prints is on the first line.
    let (named, counted): (Vec<u64>, Vec<u64>) =
        ((0..1000).filter(|i| i % 4 == 0 || i % 4 == 2).collect(), vec![1; 250]);
    let expected: u64 = named.iter().chain(&counted).sum();
    for text in &texts {
        assert_eq!(text.matches("steps ").count(), 500, "{text}");
        assert_eq!(sums(text.split_once('\n').map_or("", |(_, rest)| rest)), expected);
        assert_eq!(text, &texts[0]);
    }
}

#[test]
fn a_real_program_agrees_with_strace() {
    if Command::new("strace").arg("-V").output().is_err() {
        return skipped("strace is missing");
    }
    let summary = std::env::temp_dir().join(format!("dtrail-strace-{}", std::process::id()));
    let tree = "ls -lR /usr/share/doc/bash /usr/share/doc/coreutils /etc/apt";
    let status = Command::new("strace")
        .args(["-f", "-c", "-U", "name,calls", "-o"])
        .arg(&summary)
        .args(tree.split(' '))
        .output()
        .expect("it starts")
        .status;
    assert!(status.code().is_some(), "{status}");
    let text = std::fs::read_to_string(&summary).expect("its summary");
    let _ = std::fs::remove_file(&summary);
    let mut expected = table(&text);
    // strace counts calls that return, and exit_group does not.
    expected.insert("exit_group".into(), 1);
    expected
        .retain(|name, _| !matches!(name.as_str(), "syscall" | "total" | "execve") && !name.starts_with('-'));
    for who in everybody().into_iter().filter(|who| *who != Who::Nobody) {
        let program = "syscall:::entry /pid == $target/ { @[probefunc] = count(); }";
        let output = dtrail(who, &["-q", "-o", "/dev/stderr", "-n", program, "-c", tree]);
        let mut got = table(&String::from_utf8_lossy(&output.stderr));
        got.retain(|name, _| !SOURCES_MAY_ADD.contains(&name.as_str()));
        assert_eq!(got, expected, "{who:?}");
    }
}

#[test]
fn cuts_under_load_lose_and_double_nothing() {
    let Some(steps) = steps() else { return };
    let calls = if caps::can_bpf().is_ok() { 1_000_000u64 } else { 20_000 };
    let who = if caps::can_bpf().is_ok() { Who::Bpf } else { Who::Ptrace };
    let program = r#"syscall::getpid:entry /pid == $target/ { @part = count(); @whole = count(); }
        tick-10ms { printa("part %@d\n", @part); clear(@part); }
        END { printa("part %@d\n", @part); printa("whole %@d\n", @whole); }"#;
    let output = dtrail(who, &["-qn", program, "-c", &format!("{steps} getpid={calls}")]);
    let err = String::from_utf8_lossy(&output.stderr);
    // A busy machine may leave ticks out, and says so; it may lose nothing else.
    let ticks = [" tick firing", "help: they were due while"];
    let other: Vec<&str> = err.lines().filter(|line| !ticks.iter().any(|tick| line.contains(tick))).collect();
    assert_eq!((other, output.status.code()), (vec![], Some(0)));
    let text = String::from_utf8(output.stdout).expect("text");
    let sum = |word: &str| {
        text.lines().filter_map(|line| line.strip_prefix(word)?.trim().parse::<u64>().ok()).sum::<u64>()
    };
    assert_eq!((sum("part "), sum("whole ")), (calls, calls));
    assert!(text.lines().filter(|line| line.starts_with("part ")).count() > 2, "several cuts: {text}");
}

#[test]
fn variables_of_dead_threads_make_room() {
    let Some(steps) = steps() else { return };
    for who in everybody() {
        let program = "syscall::getpid:entry { self->x = 1; self->y[arg0] = 1; @ = count(); }";
        // A thread takes 40 bytes; there is room for a few.
        let sizes = ["-xdynvarsize=400", "-xstrsize=8"];
        let loops = format!("{steps} getpid=1");
        let script = std::env::temp_dir().join(format!("dtrail-many-{}.sh", std::process::id()));
        std::fs::write(&script, format!("for i in $(seq 30); do {loops}; done\n")).expect("a temporary file");
        let run = format!("sh {}", script.display());
        let text = printed(who, &[&sizes[..], &["-qn", program, "-c", &run]].concat());
        let _ = std::fs::remove_file(&script);
        let count: u64 = text.trim().parse().expect("a number");
        assert!(count >= 30, "{who:?}: {text}");
    }
}

/// Elements of `self->` arrays go with their threads, although user space hears of both later.
#[test]
fn elements_of_ten_thousand_threads() {
    let Some(steps) = steps() else { return };
    for who in [Who::Ptrace, Who::Bpf].into_iter().filter(|who| everybody().contains(who)) {
        // An element takes 48 bytes; there is room for 1365, since threads begin before the end of others is heard of. Room
        // for every record: losses are another matter.
        let sizes = ["-xdynvarsize=64k", "-xbufsize=64m"];
        let program = "syscall::gettid:entry /pid == $target/ { self->y[arg0] = tid; @[self->y[arg0] == tid] = count(); }";
        let run = format!("{steps} thread=10000");
        let text = printed(who, &[&sizes[..], &["-qn", program, "-c", &run]].concat());
        assert_eq!(table(&text), BTreeMap::from([("1".to_owned(), 50000)]), "{who:?}");
    }
}
