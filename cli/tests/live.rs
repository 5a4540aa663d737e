//! The command on programs whose system calls are known: as root through eBPF, as an ordinary user through ptrace, with the
//! same answer. What cannot run here says `skipped: why`.

#![allow(clippy::expect_used, reason = "a test fails by a panic, and its parts are no `#[test]` functions")]

use std::collections::BTreeMap;
use std::io::Read;
use std::process::{Command, Output, Stdio};

use dtrail_conformance::engine::is_root;
use dtrail_conformance::workload::{skipped, steps};
use dtrail_kernel_bridge::caps;

use everybody::{DTRAIL, ForEverybody};

mod everybody;

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

/// Runs a program by eBPF over a command; `None` where that cannot be.
fn by_bpf(program: &str, command: &str) -> Option<String> {
    everybody().contains(&Who::Bpf).then(|| printed(Who::Bpf, &["-qn", program, "-c", command]))
}

#[test]
fn signals_from_sender_to_handler() {
    let Some(steps) = steps() else { return };
    let program = r#"
        proc:::signal-send, proc:::signal-discard
        /pid == $target && arg2 == SIGUSR1/
        { @[probename, arg2, arg0 == arg1 && arg0 == (uintptr_t)curthread] = count(); }
        proc:::signal-handle /pid == $target/ { @[probename, arg0, arg2 != 0] = count(); }
        proc:::fault /pid == $target/ { @[probename, arg0, (uint64_t)arg1 > 1] = count(); }"#;
    let Some(text) = by_bpf(program, &format!("{steps} signal=3")) else { return };
    let words: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    let rows: Vec<_> = words.into_iter().filter(|row| !row.is_empty()).collect();
    assert_eq!(rows, [["signal-handle", "10", "1", "3"], ["signal-send", "10", "1", "3"]]);
}

#[test]
fn ignored_signals_and_faults() {
    if !std::path::Path::new("/usr/bin/python3").exists() {
        return skipped("there is no python3");
    }
    let file = std::env::temp_dir().join(format!("dtrail-test-{}-signals.py", std::process::id()));
    let text = "import ctypes, os, signal\nsignal.signal(signal.SIGUSR2, signal.SIG_IGN)\n\
        os.kill(os.getpid(), signal.SIGUSR2)\nsignal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])\n\
        os.kill(os.getpid(), signal.SIGUSR1)\nsignal.sigtimedwait([signal.SIGUSR1], 9)\n\
        os.kill(os.getpid(), 0)\nctypes.string_at(0)\n";
    std::fs::write(&file, text).expect("there is room");
    // Other tests' timers send real-time signals, from an interrupt that may hit this process.
    let program = r#"
        proc:::signal-send /pid == $target && arg2 < 32/ { printf("send %d\n", arg2); }
        proc:::signal-discard /pid == $target && arg2 != SIGCHLD/ { printf("discard %d\n", arg2); }
        proc:::signal-clear /pid == $target/ { printf("clear %d\n", arg0); }
        proc:::fault /pid == $target/ { printf("fault %d %d\n", arg0, (uint64_t)arg1 > 1); }
        proc:::exit /pid == $target/ { printf("exit %d\n", arg0 != CLD_EXITED); }"#;
    let got = by_bpf(program, &format!("/usr/bin/python3 {}", file.display()));
    let _ = std::fs::remove_file(&file);
    let Some(got) = got else { return };
    let lines: Vec<&str> = got.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, ["discard 12", "send 10", "clear 10", "send 11", "fault 11 1", "exit 1"]);
}

/// What a shell does: it sleeps, then counts, and says so by the writes in between.
const SLEEP_AND_WORK: &str = "echo; sleep 0.2; echo; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo";

#[test]
fn time_on_a_cpu_is_without_sleep() {
    let script = std::env::temp_dir().join(format!("dtrail-work-{}.sh", std::process::id()));
    std::fs::write(&script, SLEEP_AND_WORK).expect("a temporary file");
    let program = r#"
        self uint64_t t; self uint64_t v; self int n;
        syscall::write:entry /pid == $target/
        {
            this->wall = timestamp - self->t;
            this->cpu = vtimestamp - self->v;
            printf("%d %d %d\n", self->n, this->cpu <= this->wall, this->cpu < 100000000);
            self->n++; self->t = timestamp; self->v = vtimestamp;
        }
        BEGIN { printf("%d\n", vtimestamp > 0 && vtimestamp < timestamp); }"#;
    for who in everybody() {
        let text = printed(who, &["-qn", program, "-c", &format!("sh {}", script.display())]);
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines[0], "1", "{who:?}");
        assert!(lines.contains(&"1 1 1"), "while it slept: {who:?} {lines:?}");
        assert!(lines.iter().any(|line| line.starts_with("2 1 ")), "while it worked: {who:?} {lines:?}");
    }
    let _ = std::fs::remove_file(&script);
}

#[test]
fn variables_of_the_own_cpu() {
    let program = "syscall::read:entry /pid == $target/ { @[`runqueues.cpu == cpu] = count(); } \
                   BEGIN { printf(\"%d\\n\", `runqueues.cpu < 4096); } END { trace(sizeof (`runqueues) > 8); }";
    let Some(text) = by_bpf(program, "cat /etc/passwd /etc/group") else { return };
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty() && !line.contains(':')).collect();
    assert_eq!(lines[..2], ["1", "1"], "{text}");
    let counts: Vec<&str> = lines[2..].iter().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(counts, ["1"], "every read is on the CPU whose run queue it sees: {text}");
}

#[test]
fn arguments_of_process_probes_are_translated() {
    let Some(steps) = steps() else { return };
    let program = r#"
        proc:::create /pid == $target/
        { printf("create %d %s %d\n", args[0]->pr_ppid == pid, args[0]->pr_fname, args[0]->pr_lwp.pr_lwpid == args[0]->pr_pid); }
        proc:::lwp-create /pid == $target/ { printf("lwp %d\n", args[0]->pr_lwpid >= args[1]->pr_pid); }
        proc:::signal-send /pid == $target && args[2] == SIGUSR1/
        { printf("send %d %s\n", args[1]->pr_pid == pid, args[0]->pr_name); }
        proc:::signal-handle /pid == $target && args[0] == SIGUSR1/
        { printf("handle %d %d %d\n", args[1]->si_signo, args[1]->si_pid == pid, args[1]->si_uid == uid); }
        proc:::exec-success /pid == $target/ { printf("exec %s\n", curpsinfo->pr_psargs); }
        syscall::getpid:entry /pid == $target/
        {
            printf("%d %d %d %d %d %d\n", curpsinfo->pr_argc, curpsinfo->pr_argv != 0, curpsinfo->pr_dmodel,
                curpsinfo->pr_size > 0, walltimestamp / 1000000000 - curpsinfo->pr_start.tv_sec < 60,
                curlwpsinfo->pr_time.tv_nsec < 1000000000);
        }"#;
    let Some(text) = by_bpf(program, &format!("{steps} signal=1 thread=1 fork getpid=1")) else { return };
    // Who sends itself a signal may ask for its number, too.
    let of_itself = "5 1 2 1 1 1";
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    assert!(lines.contains(&of_itself), "{text}");
    let lines: Vec<&str> = lines.into_iter().filter(|line| *line != of_itself).collect();
    assert_eq!(lines, ["send 1 steps", "handle 10 1 1", "lwp 1", "create 1 steps 1", "lwp 1"], "{text}");
}

/// The members of `psinfo_t` and `lwpsinfo_t` that a tracer of processes may know: of what a process makes, in all its ways,
/// and of the process itself.
#[test]
fn processes_are_described_the_same_whoever_traces() {
    let Some(steps) = steps() else { return };
    let program = r#"
        proc:::create /pid == $target/
        {
            printf("create %d %d %d %d %d %d %d|", args[0]->pr_ppid == pid, args[0]->pr_pid != pid, args[0]->pr_nlwp,
                args[0]->pr_uid == uid && args[0]->pr_euid == uid, args[0]->pr_gid == gid && args[0]->pr_egid == gid,
                args[0]->pr_pgid == curpsinfo->pr_pgid, args[0]->pr_sid == curpsinfo->pr_sid);
            printf("%s|%s|%d %d|", args[0]->pr_fname, args[0]->pr_psargs == curpsinfo->pr_psargs ? "same" :
                args[0]->pr_psargs, args[0]->pr_argc, args[0]->pr_argv == curpsinfo->pr_argv);
            printf("%d %d %d %s %s\n", args[0]->pr_dmodel, args[0]->pr_addr == arg0, args[0]->pr_lwp.pr_lwpid == args[0]->pr_pid,
                args[0]->pr_lwp.pr_clname, args[0]->pr_lwp.pr_name);
        }
        proc:::lwp-create /pid == $target/
        {
            printf("lwp %d %d %d|", args[0]->pr_lwpid > pid, args[1]->pr_pid == pid, args[1]->pr_ppid == ppid);
            printf("%s|%d %d %d %d\n", args[0]->pr_name, args[0]->pr_nice - curlwpsinfo->pr_nice,
                args[0]->pr_pri - args[0]->pr_nice, arg0 == arg1,
                walltimestamp / 1000000000 - args[0]->pr_start.tv_sec < 60);
        }
        syscall::getpid:entry /pid == $target/
        {
            printf("own %d %d %d|", curpsinfo->pr_pid == pid, curpsinfo->pr_ppid == ppid, curpsinfo->pr_nlwp);
            printf("%s|%d %d %d|", curpsinfo->pr_psargs, curpsinfo->pr_argc, curpsinfo->pr_size > 100,
                curpsinfo->pr_envp > curpsinfo->pr_argv);
            printf("%c %d %d %s|", curlwpsinfo->pr_sname, curlwpsinfo->pr_nice > 19,
                curlwpsinfo->pr_pri - curlwpsinfo->pr_nice, curlwpsinfo->pr_clname);
            printf("%d %d\n", curthread->pid == tid, curthread->tgid == pid);
        }
        syscall::getppid:entry /ppid == $target/ { @[curpsinfo->pr_fname, curpsinfo->pr_ppid == $target] = count(); }"#;
    let command = format!("{steps} getpid=1 thread=1 fork vfork clone clone3");
    let own = format!("own 1 1 1|{}|7 1 1|R 0 120 TS|1 1", command[..command.len().min(79)].trim_end());
    let forked = "create 1 1 1 1 1 1 1|steps|steps|0 1|2 1 1 TS steps";
    // Until it executes something, what vfork made has its maker's memory.
    let shared = "create 1 1 1 1 1 1 1|steps|same|7 1|2 1 1 TS steps";
    let (thread, first) = ("lwp 1 1 1|steps|0 120 1 1", "lwp 1 0 0|steps|0 120 1 1");
    let made = [thread, forked, first, shared, first, forked, first, forked, first];
    for who in everybody() {
        let text = printed(who, &["-qn", program, "-c", &command]);
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        let [first, lines @ .., last] = &lines[..] else { panic!("{who:?}: {text}") };
        assert_eq!((*first, lines), (&*own, &made[..]), "{who:?}");
        assert_eq!(last.split_whitespace().collect::<Vec<_>>(), ["steps", "1", "12"], "{who:?}");
    }
}

#[test]
fn files_have_paths() {
    let program = r#"
        syscall::read:entry /pid == $target && fds[arg0].fi_name == "passwd"/
        { @[fds[arg0].fi_pathname, fds[arg0].fi_dirname, cwd, root, getf(arg0) != NULL, getf(-1) == NULL] = count(); }
        BEGIN { printf("%s %s\n", cwd, root); }"#;
    let Some(text) = by_bpf(program, "cat /etc/../etc/passwd") else { return };
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty() && !line.contains(':')).collect();
    assert_eq!(lines[0], "/ /", "{text}");
    let words: Vec<&str> = lines[1].split_whitespace().collect();
    assert_eq!(words[..6], ["/etc/passwd", "/etc", "/", "/", "1", "1"], "{text}");
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
fn a_path_kept_from_entry_to_return() {
    let Some(steps) = steps() else { return };
    let program = r#"syscall::openat:entry /basename(copyinstr(arg1)) == "passwd"/ { self->p = arg1; }
        syscall::openat:return /self->p/ { printf("%s %d\n", copyinstr(self->p), arg1); self->p = 0; }"#;
    for who in everybody() {
        let command = format!("{steps} open=/etc/group open=/etc/passwd open=/etc/passwd");
        assert_eq!(
            printed(who, &["-qn", program, "-c", &command]),
            "/etc/passwd 4\n/etc/passwd 5\n\n",
            "{who:?}"
        );
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
    let other: Vec<&str> = err.lines().filter(|line| !line.contains(" tick firing")).collect();
    assert_eq!((other, output.status.code()), (vec![], Some(0)));
    let text = String::from_utf8(output.stdout).expect("text");
    let sum = |word: &str| {
        text.lines().filter_map(|line| line.strip_prefix(word)?.trim().parse::<u64>().ok()).sum::<u64>()
    };
    assert_eq!((sum("part "), sum("whole ")), (calls, calls));
    assert!(text.lines().filter(|line| line.starts_with("part ")).count() > 2, "several cuts: {text}");
}

#[test]
fn faults_on_live_events() {
    let Some(steps) = steps() else { return };
    let program = r#"syscall::openat:entry /pid == $target/ { printf("%s\n", copyinstr(arg1)); }
        syscall::openat:entry /pid == $target/ { @ = count(); }
        ERROR { printf("fault %d at %d\n", arg4, arg5); }"#;
    for who in everybody() {
        let output = dtrail(who, &["-qn", program, "-c", &format!("{steps} open=/etc/passwd badopen")]);
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(out, "/etc/passwd\nfault 1 at 16\n\n                2\n", "{who:?}");
        assert!(err.contains("error in dt_clause_0 for probe ID "), "{who:?}: {err}");
        assert!(err.contains("(syscall:vmlinux:openat:entry): invalid address (0x10)"), "{who:?}: {err}");
    }
}

#[test]
fn processes_and_their_ends() {
    let Some(steps) = steps() else { return };
    let program = r#"proc:::start /ppid == $target/ { printf("child starts\n"); }
        proc:::exit /ppid == $target/ { printf("child ends\n"); }
        proc:::exit /pid == $target/ { printf("parent ends\n"); }"#;
    for who in everybody() {
        let text = printed(who, &["-qn", program, "-c", &format!("{steps} fork")]);
        assert_eq!(text, "child starts\nchild ends\nparent ends\n\n", "{who:?}");
    }
}

#[test]
fn exit_stops_tracing_and_gives_the_status() {
    let Some(steps) = steps() else { return };
    let program = "syscall::read:entry /pid == $target/ { @ = count(); } syscall::openat:entry /pid == $target/ { exit(7); }";
    for who in everybody() {
        let output = dtrail(who, &["-qn", program, "-c", &format!("{steps} read=3 open=/etc/passwd read=5")]);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "\n                3\n", "{who:?}");
        assert_eq!(output.status.code(), Some(7), "{who:?}");
    }
}

#[test]
fn the_target_s_end_is_told() {
    let Some(steps) = steps() else { return };
    for who in everybody() {
        for (step, told) in
            [("exit=3", "exited with status 3"), ("die=9", "terminated by SIGKILL"), ("exit=0", "")]
        {
            let output = dtrail(who, &["-n", "syscall::getuid:entry { }", "-c", &format!("{steps} {step}")]);
            let err = String::from_utf8_lossy(&output.stderr);
            assert_eq!(err.contains(": pid "), !told.is_empty(), "{who:?} {step}: {err}");
            assert!(err.contains(told), "{who:?} {step}: {err}");
            assert_eq!(output.status.code(), Some(0), "{who:?} {step}");
        }
    }
}

/// Rates so short that something is always due leave time for events, and for the end of the command.
#[test]
fn what_is_always_due_starves_nothing() {
    let Some(steps) = steps() else { return };
    let program = "syscall::getpid:entry /pid == $target/ { @ = count(); } tick-30s { exit(7); }";
    for who in everybody() {
        for rates in
            [&["switchrate"][..], &["aggrate"], &["switchrate", "aggrate", "statusrate", "cleanrate"]]
        {
            let rates: Vec<String> = rates.iter().map(|rate| format!("-x{rate}=1ns")).collect();
            let command = format!("{steps} getpid=100");
            let mut args: Vec<&str> = rates.iter().map(String::as_str).collect();
            args.extend(["-qn", program, "-c", &command]);
            let output = dtrail(who, &args);
            let out = String::from_utf8_lossy(&output.stdout);
            assert_eq!(
                (&*out, output.status.code()),
                ("\n              100\n", Some(0)),
                "{who:?} {rates:?}"
            );
        }
        let ticks =
            format!("{program} tick-200us {{ }} tick-200us {{ @ticks = count(); }} END {{ trunc(@ticks); }}");
        let output = dtrail(who, &["-qn", &ticks, "-c", &format!("{steps} getpid=100")]);
        let out = String::from_utf8_lossy(&output.stdout);
        assert!(out.starts_with("\n              100\n"), "{who:?}: {out}");
        assert_eq!(output.status.code(), Some(0), "{who:?}");
    }
}

/// Nothing counts between the firing that exits and the cut that follows in it.
#[test]
fn exit_in_a_tick_stops_the_kernel_part_at_once() {
    if let Err(e) = caps::can_bpf() {
        return skipped(&e.message);
    }
    // More kinds of system calls than are kept.
    let mut busy = Command::new("sh")
        .args(["-c", "while :; do grep -rqs 'no such word' /etc; done"])
        .stdout(Stdio::null())
        .spawn()
        .expect("it starts");
    for actions in ["trunc(@, 5); exit(0);", "exit(0); trunc(@, 5);"] {
        let program = format!("syscall:::entry {{ @[probefunc] = count(); }} tick-300ms {{ {actions} }}");
        let text = printed(Who::Bpf, &["-qn", &program]);
        assert_eq!(table(&text).len(), 5, "{actions}: {text}");
    }
    busy.kill().expect("it runs");
    busy.wait().expect("it ends");
}

/// Trace events take long to be taken away: the results are there before.
#[test]
fn results_come_before_probes_are_taken_away() {
    if let Err(e) = caps::can_bpf() {
        return skipped(&e.message);
    }
    // The notice is of more than 50.
    let listed = dtrail(Who::Bpf, &["-ln", "sdt:writeback::,sdt:jbd2::"]);
    let count = String::from_utf8_lossy(&listed.stdout).lines().count().saturating_sub(1);
    if !listed.status.success() || count <= 50 {
        return skipped("this kernel has too few trace events of writeback and jbd2");
    }
    let program = "sdt:writeback::,sdt:jbd2:: /pid == -1/ { @ = count(); } BEGIN { @ = count(); } tick-10ms { exit(3); }";
    // Both streams through one pipe show what comes first.
    let (mut reader, writer) = std::io::pipe().expect("a pipe");
    let child = Command::new(DTRAIL)
        .args(["--source=bpf", "-n", program])
        .stdin(Stdio::null())
        .stdout(writer.try_clone().expect("a descriptor"))
        .stderr(writer)
        .spawn();
    let mut text = String::new();
    reader.read_to_string(&mut text).expect("text");
    let notice = format!("dtrail: detaching {count} probes, which takes the kernel some 60 ms each\n");
    assert!(text.ends_with(&format!("\n\n                1\n{notice}")), "{text}");
    assert_eq!(child.expect("it starts").wait().expect("it ends").code(), Some(3));
}

/// A signal ends tracing with `END` and the aggregations; the command itself goes on or ends with its tracer.
#[test]
fn an_interrupt_ends_tracing() {
    let Some(steps) = steps() else { return };
    for who in everybody() {
        for signal in ["INT", "TERM"] {
            let mut command = Command::new(DTRAIL);
            command.args(["--source", if who == Who::Bpf { "bpf" } else { "ptrace" }]);
            if who == Who::Nobody {
                continue;
            }
            let program = r#"syscall::getpid:entry /pid == $target/ { @ = count(); } syscall::pause:entry /pid == $target/ { printf("waiting\n"); } END { printf("end\n"); }"#;
            let mut child = command
                .args(["-qn", program, "-c", &format!("{steps} getpid=5 wait")])
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("it starts");
            let mut out = child.stdout.take().expect("a pipe");
            let mut first = [0; 8];
            out.read_exact(&mut first).expect("its first line");
            assert_eq!(&first, b"waiting\n", "rows come at once");
            let kill = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status();
            assert!(kill.expect("it starts").success());
            let mut rest = String::new();
            out.read_to_string(&mut rest).expect("text");
            assert_eq!(rest, "\nend\n\n                5\n", "{who:?} {signal}");
            assert_eq!(child.wait().expect("it ends").code(), Some(0), "{who:?} {signal}");
        }
    }
}

/// Whoever runs it: one line, and nothing before it.
#[test]
fn a_command_that_cannot_start_is_told_first() {
    for who in everybody() {
        for (command, why) in [
            ("/nonexistent", "No such file or directory"),
            ("nosuchprogram", "No such file or directory"),
            ("/etc/passwd", "Permission denied"),
        ] {
            let output = dtrail(who, &["-n", "syscall::read:entry", "-c", command]);
            assert_eq!(
                (String::from_utf8_lossy(&output.stderr).as_ref(), output.status.code()),
                (format!("dtrail: failed to execute {command}: {why}\n").as_str(), Some(1)),
                "{who:?}"
            );
        }
    }
}

/// The folders of `PATH` that may not be searched hold nothing.
#[test]
fn folders_out_of_reach_hold_no_commands() {
    if !everybody().contains(&Who::Nobody) {
        return;
    }
    let locked = std::env::temp_dir().join(format!("dtrail-locked-{}", std::process::id()));
    std::fs::create_dir_all(&locked).expect("a folder");
    std::fs::set_permissions(&locked, std::os::unix::fs::PermissionsExt::from_mode(0o700)).expect("ours");
    let output = ForEverybody::new()
        .command()
        .args(["-n", "syscall::read:entry", "-c", "nosuchprogram"])
        .env("PATH", format!("{}:/usr/bin:/bin", locked.display()))
        .output()
        .expect("it starts");
    let _ = std::fs::remove_dir(&locked);
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "dtrail: failed to execute nosuchprogram: No such file or directory\n"
    );
}

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
    // Of another user's process: what decides depends on the machine, and is named.
    let output = dtrail(Who::Nobody, &["-n", "syscall::read:entry", "-p", "1"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.starts_with("dtrail: failed to grab process 1: permission denied\n  help: "), "{text}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_closed_pipe_ends_the_run_quietly() {
    let Some(steps) = steps() else { return };
    for who in [Who::Ptrace, Who::Bpf].into_iter().filter(|who| everybody().contains(who)) {
        let mut child = Command::new(DTRAIL)
            .args(["--source", if who == Who::Bpf { "bpf" } else { "ptrace" }])
            // The command does not end by itself; what is lost before the reader goes is not told before the end.
            .args([
                "-xstatusrate=0hz",
                "-qn",
                "syscall:::entry /pid == $target/ { printf(\"%s\\n\", probefunc); }",
                "-c",
            ])
            .arg(format!("{steps} getpid=1000000000"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut out = child.stdout.take().expect("a pipe");
        let mut first = [0; 4];
        out.read_exact(&mut first).expect("its first bytes");
        drop(out);
        let output = child.wait_with_output().expect("it ends by itself");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!((&*err, output.status.code()), ("", Some(0)), "{who:?}");
    }
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
    for before in [&[][..], &["sh", "-c", "mount -t tmpfs none /proc && exec \"$0\" \"$@\""]] {
        // Without /proc too: what the process may do is asked of the kernel.
        let mount: &[&str] = if before.is_empty() { &[] } else { &["-m"] };
        let args = [mount, before, &[DTRAIL, "-n", program, "-c", "true"]].concat();
        let output = namespace(&args);
        let err = String::from_utf8_lossy(&output.stderr);
        let expected = format!(
            "dtrail: description 'syscall::exit_group:entry ' matched 1 probe\ndtrail: source ptrace ({why})\n"
        );
        assert_eq!((&*err, output.status.code()), (&*expected, Some(0)), "{args:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains(" 1\n"), "{args:?}");
    }
    let output = namespace(&[DTRAIL, "-qn", "syscall:::entry { }"]);
    let expected =
        format!("dtrail: {why}\n  help: run as root, or give a command with -c to trace only that\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
}

/// Threads that leave a variable behind: far more of them, one after the other, than there is room for.
/// The tracer's own `struct task_struct` is read where only the tracer fires, also in a run that traces nothing.
#[test]
fn the_tracer_is_a_thread_like_others() {
    let program = "BEGIN { self->p = curthread; kept = self->p; \
                   printf(\"%s %d\\n\", stringof(self->p->comm), self->p->group_leader->tgid == self->p->tgid); exit(0); } \
                   END { printf(\"%s\\n\", stringof(kept->comm)); }";
    match caps::can_bpf() {
        Ok(()) => {
            assert_eq!(printed(Who::Bpf, &["-qn", program]), "dtrail 1\ndtrail\n\n");
            assert_eq!(printed(Who::Bpf, &["-qc", "true", "-n", program]), "dtrail 1\ndtrail\n\n");
        }
        Err(e) => skipped(&e.message),
    }
    if is_root() {
        let program = "BEGIN { trace((uint64_t)curthread); } ERROR { exit(arg4); }";
        let output = dtrail(Who::Nobody, &["-qn", program]);
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(err.contains("dtrace:::BEGIN): invalid kernel access"), "{err}");
        assert_eq!(output.status.code(), Some(6), "DTRACEFLT_KPRIV");
    }
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

/// In a PID namespace processes have other numbers than the kernel's own, and everything the tracer names has those.
#[test]
fn numbers_are_those_of_the_pid_namespace() {
    let Some(steps) = steps() else { return };
    let namespace = |args: &[&str]| {
        let output = Command::new("unshare").args(args).stdin(Stdio::null()).output();
        output.expect("unshare(1) is part of every system")
    };
    if !is_root() || !namespace(&["-pf", "--mount-proc", "true"]).status.success() {
        return skipped("no PID namespaces here");
    }
    // A process of the namespace, of one inside it, and one that is in neither.
    let program = r#"syscall::getpid:entry /pid == $target/
        { printf("%d %d %d\n", tid == pid, ppid == $pid, pid < 100); self->x = pid; @ = count(); }
        syscall::getpid:return /self->x == $target/ { @r = count(); }
        syscall::getppid:entry /pid != $target/ { @other[pid < 100 && ppid < 100] = count(); }"#;
    let command = format!("{steps} getpid=1");
    let mut stranger = Command::new("sh")
        .args(["-c", &format!("while :; do {steps} fork; done")])
        .stdin(Stdio::null())
        .spawn()
        .expect("a shell");
    let mut outputs = Vec::new();
    for who in [Who::Ptrace, Who::Bpf].into_iter().filter(|who| everybody().contains(who)) {
        for nested in [&[][..], &["unshare", "-pf", "--mount-proc"]] {
            let source = if who == Who::Bpf { "--source=bpf" } else { "--source=ptrace" };
            let args = [&["-pf", "--mount-proc"], nested, &[DTRAIL, source, "-qn", program, "-c", &command]]
                .concat();
            outputs.push((who, args.len(), namespace(&args)));
        }
    }
    let _ = stranger.kill();
    let _ = stranger.wait();
    for (who, words, output) in outputs {
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!((&*err, output.status.code()), ("", Some(0)), "{who:?}, {words} words");
        assert!(out.starts_with("1 1 1\n"), "{who:?}, {words} words: {out}");
        let rest: Vec<&str> = out.split_whitespace().skip(3).collect();
        assert_eq!(rest[..2], ["1", "1"], "{who:?}, {words} words: {out}");
        // Others have the number 0 here.
        assert!(rest.len() == 2 || rest[2] == "1" && rest.len() == 4, "{who:?}, {words} words: {out}");
    }
}

/// A traced program whose own seccomp filter wants a tracer has none, whoever traces.
#[test]
fn a_filter_of_the_program_itself_gets_no_tracer() {
    let Some(steps) = steps() else { return };
    let command = format!("{steps} trap trap");
    for who in everybody() {
        for program in [
            "syscall::getppid:entry,syscall::getppid:return,syscall::getuid:entry /pid == $target/ { @[probefunc] = count(); }",
            "syscall::getuid:entry /pid == $target/ { @[probefunc] = count(); }",
        ] {
            let got = table(&printed(who, &["-qn", program, "-c", &command]));
            assert_eq!(got.get("getuid"), Some(&2), "{who:?} {program}: {got:?}");
        }
        let output = dtrail(who, &["-n", "syscall::getppid:entry /pid == $target/ { }", "-c", &command]);
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(!err.contains("exited with status"), "{who:?}: {err}");
        let out = String::from_utf8_lossy(&output.stdout);
        assert_eq!(out.matches("getppid:entry").count(), 0, "{who:?}: {out}");
    }
}

/// A program that writes 4 bytes in an initialiser and 6 in `main`.
const INITIALISED: &str = "#include <unistd.h>
__attribute__((constructor)) static void before(void) { write(1, \"abc\\n\", 4); }
int main(void) { return write(1, \"defgh\\n\", 6) != 6; }
";

#[test]
fn a_command_runs_to_where_it_is_to_stand() {
    let folder = std::env::temp_dir().join(format!("dtrail-evaltime-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (source, program, stripped) = (folder.join("p.c"), folder.join("p"), folder.join("s"));
    std::fs::write(&source, INITIALISED).expect("there is room");
    for (to, more) in [(&program, None), (&stripped, Some("-s"))] {
        let made = Command::new("cc").args(more).arg("-o").arg(to).arg(&source).status();
        if !made.is_ok_and(|status| status.success()) {
            let _ = std::fs::remove_dir_all(&folder);
            return skipped("no C compiler");
        }
    }
    let script = "BEGIN { printf(\"begin\\n\"); }
        syscall::write:entry /pid == $target && arg0 == 1/ { @ = sum(arg2); }
        END { printa(\"%@d bytes\\n\", @); }";
    let (program, stripped) = (program.display().to_string(), stripped.display().to_string());
    for who in everybody() {
        for (when, expect) in [
            ("exec", "begin\nabc\ndefgh\n10 bytes\n\n"),
            ("preinit", "begin\nabc\ndefgh\n10 bytes\n\n"),
            ("postinit", "abc\nbegin\ndefgh\n6 bytes\n\n"),
            ("main", "abc\nbegin\ndefgh\n6 bytes\n\n"),
        ] {
            let when = format!("-xevaltime={when}");
            assert_eq!(printed(who, &["-q", &when, "-c", &program, "-n", script]), expect, "{who:?} {when}");
        }
        let output = dtrail(who, &["-q", "-xevaltime=main", "-c", &stripped, "-n", script]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.ends_with(" has no symbol main: evaltime is preinit\n"), "{told}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "begin\nabc\ndefgh\n10 bytes\n\n");
    }
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn one_cpu_alone() {
    let script = "syscall:::entry { @[cpu] = count(); } END { printa(\"%d %@d\\n\", @); }";
    for who in everybody() {
        let text = printed(who, &["-q", "-xcpu=0", "-c", "true", "-n", script]);
        let others = text.lines().filter(|line| !line.is_empty() && !line.starts_with("0 "));
        assert_eq!(others.collect::<Vec<_>>(), [""; 0], "{who:?}");
        let output = dtrail(who, &["-xcpu=100000", "-c", "true", "-n", script]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains("could not enable tracing: no CPU 100000: the last one is "), "{told}");
        assert_eq!(output.status.code(), Some(1));
    }
}

/// A packet that this process sends to itself, as the kernel hands it to the loopback device.
#[test]
fn packets_are_dumped_decoded_and_kept() {
    if caps::can_bpf().is_err() {
        return skipped("packets are the kernel's");
    }
    let folder = std::env::temp_dir().join(format!("dtrail-pcap-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("capture");
    let (tshark, kept) = (folder.join("tshark"), file.display().to_string());
    std::fs::write(&tshark, "#!/bin/sh\n/usr/bin/wc -c\n/bin/echo args: \"$@\"\n").expect("there is room");
    std::fs::set_permissions(&tshark, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("ours");
    let capture = |path: &str, before: &str| {
        let program = format!(
            "BEGIN {{ printf(\"on\\n\"); }} {before} rawtp:net::net_dev_queue /pid == $1/ {{ pcap(args[0], PCAP_ETHER); exit(0); }}"
        );
        let mut child = Command::new(DTRAIL)
            .args(["--source=bpf", "-qw", "-n", &program, &std::process::id().to_string()])
            .env("PATH", path)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut out = child.stdout.take().expect("a pipe");
        let mut first = [0; 3];
        out.read_exact(&mut first).expect("its first line");
        let socket = std::net::UdpSocket::bind("127.0.0.1:0").expect("a socket");
        let own = socket.local_addr().expect("bound");
        while child.try_wait().expect("it can be waited for").is_none() {
            socket.send_to(b"dtrail was here", own).expect("the loopback device is there");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let mut text = String::new();
        out.read_to_string(&mut text).expect("text");
        assert_eq!((&first, child.wait().expect("it ended").code()), (b"on\n", Some(0)));
        text
    };
    // 14 bytes of Ethernet, 20 of IP and 8 of UDP come before the 15 of ours.
    let dumped = capture("/nowhere", "");
    assert!(dumped.starts_with("\n             0  1  2  3"), "{dumped}");
    let digits =
        dumped.lines().filter_map(|line| Some(line.split_once(": ")?.1.get(..47)?.trim_end().split(' ')));
    let bytes: Vec<u8> =
        digits.flatten().map(|byte| u8::from_str_radix(byte, 16).expect("two digits")).collect();
    assert_eq!((bytes.len(), &bytes[12..14], &bytes[42..]), (57, &[8, 0][..], &b"dtrail was here"[..]));
    // 24 bytes of the file's header, 16 of the packet's.
    let decoded = capture(&folder.display().to_string(), "");
    assert_eq!(decoded, "pcap \t97\npcap \targs: -n -r -\n\n");
    assert_eq!(capture("/nowhere", &format!("BEGIN {{ freopen(\"{kept}\"); }}")), "");
    let written = std::fs::read(&file).expect("it is there");
    assert_eq!(written.len(), 97 + 1, "and the newline that ends a run");
    assert_eq!(&written[..4], &0xa1b2_c3d4_u32.to_ne_bytes());
    assert_eq!((&written[20..24], &written[32..40]), (&[1, 0, 0, 0][..], &[57, 0, 0, 0, 57, 0, 0, 0][..]));
    // The port, and with it the checksum, is another one.
    assert_eq!(written[82..97], bytes[42..]);
    let _ = std::fs::remove_dir_all(&folder);
}
