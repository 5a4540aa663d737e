//! Probes of processes, threads and signals, and whose numbers they have.

use std::process::{Command, Stdio};

use dtrail_conformance::engine::is_root;
use dtrail_conformance::workload::{skipped, steps};
use dtrail_kernel_bridge::caps;

use super::everybody::DTRAIL;
use super::{Who, by_bpf, dtrail, everybody, printed, table};

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

#[test]
fn arguments_of_process_probes_are_translated() {
    let Some(steps) = steps() else { return };
    let program = r#"
        proc:::create /pid == $target/
        { printf("create %d %s %d\n", args[0]->pr_ppid == pid, args[0]->pr_fname, args[0]->pr_lwp.pr_lwpid == args[0]->pr_pid); }
        proc:::lwp-create /pid == $target/ { printf("lwp %d\n", args[1]->pr_pid == pid || args[0]->pr_lwpid == args[1]->pr_pid); }
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
        // Once, however many there are.
        let twice =
            "BEGIN { trace((uint64_t)curthread); } BEGIN { x = (uint64_t)curthread; } BEGIN { exit(0); }";
        let err = String::from_utf8_lossy(&dtrail(Who::Nobody, &["-qn", twice]).stderr).into_owned();
        let help = "dtrail: help: only source bpf reads the kernel's memory: run as root, or with CAP_BPF and CAP_PERFMON";
        assert_eq!(err.lines().filter(|line| *line == help).count(), 1, "{err}");
        assert_eq!(output.status.code(), Some(6), "DTRACEFLT_KPRIV");
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
            printf("lwp %d %d %d|", args[0]->pr_lwpid != pid, args[1]->pr_pid == pid, args[1]->pr_ppid == ppid);
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
