//! Stacks and names of a program whose frames are known, as root through eBPF and as an ordinary user through ptrace; what
//! is printed when the program is gone. What cannot run here says `skipped: why`.

#![allow(clippy::expect_used, reason = "a test fails by a panic, and its parts are no `#[test]` functions")]

use std::io::Read;
use std::process::{Command, Stdio};

use dtrail_conformance::engine::is_root;
use dtrail_conformance::workload::{built, skipped, spin, steps};
use dtrail_kernel_bridge::caps;

use everybody::{DTRAIL, ForEverybody};

mod everybody;

/// Who traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    /// eBPF, with privilege.
    Root,
    /// ptrace, as a user without any right; without root, as whoever runs the tests.
    User,
}

fn everybody() -> Vec<Who> {
    let mut who = vec![Who::User];
    match caps::can_bpf() {
        Ok(()) => who.push(Who::Root),
        Err(e) => skipped(&e.message),
    }
    who
}

/// The command for somebody, of a copy that lasts as long.
fn dtrail(copy: &ForEverybody, who: Who) -> Command {
    match who {
        Who::User if is_root() => copy.command(),
        Who::User => {
            let mut command = Command::new(DTRAIL);
            command.args(["--source", "ptrace"]);
            command
        }
        Who::Root => Command::new(DTRAIL),
    }
}

/// Runs a program on a command; its standard output and error.
fn run(who: Who, args: &[&str], program: &str, target: &str) -> (String, String) {
    let copy = ForEverybody::new();
    let out = dtrail(&copy, who).args(args).args(["-qn", program, "-c", target]).output().expect("it starts");
    (String::from_utf8_lossy(&out.stdout).into_owned(), String::from_utf8_lossy(&out.stderr).into_owned())
}

/// Whether some stack of the output has these symbols, one a line, in a row. An offset may follow each.
fn has_frames(text: &str, symbols: &[&str]) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines.windows(symbols.len()).any(|lines| {
        lines.iter().zip(symbols).all(|(line, symbol)| {
            line.strip_prefix(symbol).is_some_and(|rest| rest.is_empty() || rest.starts_with('+'))
        })
    })
}

#[test]
fn a_stack_at_a_call_has_names_when_the_process_is_gone() {
    let Some(spin) = spin(true) else { return };
    for who in everybody() {
        let program = "syscall::write:entry /pid == $target/ { self->s = ustack(); @[ustack(4)] = count(); } \
                       syscall::write:return /pid == $target/ { trace(self->s); }";
        let (out, err) = run(who, &[], program, &format!("{spin} 20"));
        // The frame of `write` itself is libc's, which keeps no frame pointer: its caller's frame is skipped.
        assert!(out.contains("libc.so.6`") && out.contains("write"), "{who:?}: {out}{err}");
        assert!(has_frames(&out, &["libc.so.6`__libc_start_call_main"]), "{who:?}: {out}{err}");
    }
}

#[test]
fn modules_as_keys_have_names_when_the_process_is_gone() {
    let Some(spin) = spin(true) else { return };
    for who in everybody() {
        let program = "syscall::write:entry /pid == $target/ { @[umod(ucaller)] = count(); }";
        let (out, err) = run(who, &["-q"], program, &format!("{spin} 20"));
        let words: Vec<&str> = out.split_whitespace().collect();
        assert!(matches!(words[..], ["libc.so.6", _]), "{who:?}: {out}{err}");
    }
}

/// `%A` of plain numbers, as the script hotuser has it: nothing else in the program says that names are wanted.
#[test]
fn addresses_of_samples_have_names_when_the_process_is_gone() {
    let Some(spin) = spin(true) else { return };
    for who in everybody() {
        let program =
            "profile-97 /pid == $target && arg1/ { @[arg1] = count(); } END { printa(\"%A\\n\", @); }";
        let (out, err) = run(who, &["-q"], program, &format!("{spin} 300"));
        let named = |line: &&str| line.contains("`leaf+0x");
        assert!(out.lines().any(|line| named(&line)), "{who:?}: {out}{err}");
    }
}

/// The stacks of an aggregation's output, frames without offsets, each with its count.
fn counted(text: &str) -> Vec<(Vec<String>, u64)> {
    let (mut stacks, mut frames) = (Vec::new(), Vec::new());
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match line.parse() {
            Ok(count) => stacks.push((std::mem::take(&mut frames), count)),
            Err(_) => frames.push(line.split('+').next().unwrap_or(line).to_owned()),
        }
    }
    stacks
}

/// Samples the program of known frames until it has had 400 ms of CPU, and judges what is printed when it is gone.
fn samples_have_exact_frames(frame_pointers: bool) {
    let Some(path) = spin(frame_pointers) else { return };
    let (name, options) = if frame_pointers { ("spin", &[][..]) } else { ("bare", &["-xunwind=dwarf"][..]) };
    let expected = ["leaf", "caller", "main"].map(|function| format!("{name}`{function}"));
    for who in everybody() {
        let program = "profile-199 /pid == $target/ { @[ustack(5)] = count(); }";
        let (out, err) = run(who, options, program, &format!("{path} 400"));
        let stacks = counted(&out);
        let sum = |wanted: &dyn Fn(&[String]) -> bool| {
            stacks.iter().filter(|(frames, _)| wanted(frames)).map(|(_, count)| count).sum::<u64>()
        };
        let leaf = sum(&|frames| frames.first() == expected.first());
        let exact = sum(&|frames| {
            frames.starts_with(&expected)
                && frames.get(3).is_some_and(|frame| frame.starts_with("libc.so.6`"))
        });
        // 80 are due; eBPF misses those of a CPU whose timer comes late.
        assert!(leaf >= 40, "{who:?}: {leaf}: {out}{err}");
        // At the first two instructions of a function its frame pointer is still the caller's.
        assert!(
            if frame_pointers { exact * 100 >= leaf * 95 } else { exact == leaf },
            "{who:?}: {exact} of {leaf}: {out}{err}"
        );
        assert_eq!(err, "", "{who:?}");
    }
}

#[test]
fn samples_name_leaf_caller_and_main_when_the_process_is_gone() {
    samples_have_exact_frames(true);
}

#[test]
fn samples_without_frame_pointers_do_so_by_unwind_tables() {
    samples_have_exact_frames(false);
}

/// How many samples there are of the program of known frames, under ptrace; `prepare` may change how dtrail is started.
fn samples_under_ptrace(prepare: impl FnOnce(&mut Command), target: &str) -> (u64, String) {
    let copy = ForEverybody::new();
    let mut command = dtrail(&copy, Who::User);
    let program = "profile-199 /pid == $target/ { @ = count(); }";
    prepare(command.args(["-qn", program, "-c", target]));
    let out = command.output().expect("it starts");
    let text = String::from_utf8_lossy(&out.stdout);
    (text.trim().parse().expect("a number"), String::from_utf8_lossy(&out.stderr).into_owned())
}

#[test]
fn samples_count_cpu_time_and_not_the_wait_for_it() {
    let Some(spin) = spin(true) else { return };
    // Both want the same CPU all the time.
    let status = std::fs::read_to_string("/proc/self/status").expect("always");
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let cpu = allowed.and_then(|list| list.trim().split([',', '-']).next()).unwrap_or("0");
    let taskset = |what: &str| format!("taskset -c {cpu} {what}");
    let mut other = match Command::new("taskset").args(["-c", cpu, spin, "20000"]).spawn() {
        Ok(other) => Running(other),
        Err(error) => return skipped(&format!("taskset: {error}")),
    };
    let (samples, err) = samples_under_ptrace(|_| {}, &taskset(&format!("{spin} 400")));
    assert!(other.0.try_wait().expect("ours").is_none(), "it was there all the time");
    // 400 ms of CPU are 80 samples, and as much time passes again while it waits.
    assert!((60..=100).contains(&samples), "{samples} {err}");
}

#[test]
fn each_rate_has_its_samples() {
    let Some(spin) = spin(true) else { return };
    let program = "profile-100,profile-250,profile-1000 /pid == $target/ { @[probename] = count(); }";
    let (out, err) = run(Who::User, &[], program, &format!("{spin} 400"));
    let counts: Vec<u64> =
        out.lines().filter_map(|line| line.split_whitespace().nth(1)?.parse().ok()).collect();
    // 40, 100 and 400 are due, and some of what it takes to begin; the last ones may find it gone.
    assert!(matches!(counts[..], [32..=50, 80..=120, 330..=470]), "{out}{err}");
}

#[test]
fn threads_have_samples_by_their_own_cpu_time() {
    let flags = ["-O1", "-pthread", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"];
    let Some(path) = built("threads", "threads.c", &flags) else { return };
    for who in everybody() {
        let program = "profile-499 /pid == $target && tid != pid/ { @[tid] = count(); }";
        let (out, err) = run(who, &[], program, &format!("{path} 100"));
        let counts: Vec<u64> =
            out.lines().filter_map(|line| line.split_whitespace().nth(1)?.parse().ok()).collect();
        // 50 and 150 are due.
        assert!(matches!(counts[..], [35..=65, 110..=190]), "{who:?}: {out}{err}");
    }
}

#[test]
fn many_short_lives_are_sampled_like_a_long_one() {
    let Some(spin) = spin(true) else { return };
    let folder = std::env::temp_dir().join(format!("dtrail-lives-{}", std::process::id()));
    std::fs::write(
        &folder,
        format!("for i in 1 2 3 4 5 6 7 8 9 10; do {spin} 3; {spin} 3; {spin} 3; {spin} 3; done"),
    )
    .expect("there is room");
    for who in everybody() {
        let program = "profile-199 /execname == \"spin\" && progenyof($target)/ { @ = count(); }";
        let (out, err) = run(who, &[], program, &format!("sh {}", folder.display()));
        // 40 times 3 ms are 24 samples, and no process lives for one; to begin takes each some more.
        let samples: u64 = out.trim().parse().unwrap_or(0);
        assert!((15..=120).contains(&samples), "{who:?}: {out}{err}");
    }
    std::fs::remove_file(folder).expect("it was made");
}

#[test]
fn folded_samples_are_lines_of_frames_and_a_number() {
    let Some(spin) = spin(true) else { return };
    for who in everybody() {
        let program = "profile-199 /pid == $target/ { @[ustack()] = count(); }";
        let (out, err) = run(who, &["--format", "folded"], program, &format!("{spin} 300"));
        let mut exact = 0;
        for line in out.lines() {
            let (stack, count) = line.rsplit_once(' ').expect("a number ends it");
            let frames: Vec<&str> = stack.split(';').collect();
            let count: u64 = count.parse().expect("a number");
            if frames.ends_with(&["spin`main", "spin`caller", "spin`leaf"])
                && frames[0] == "libc.so.6`__libc_start_call_main"
            {
                exact += count;
            }
        }
        assert!(exact >= 30, "{who:?}: {exact}: {out}{err}");
        let mut stacks: Vec<_> = out.lines().filter_map(|line| line.rsplit_once(' ')).collect();
        stacks.sort_unstable();
        assert!(stacks.windows(2).all(|two| two[0].0 != two[1].0), "{who:?}: no line is there twice: {out}");
    }
}

#[test]
fn a_process_that_lives_for_a_moment_has_names() {
    let script = std::env::temp_dir().join(format!("dtrail-moment-{}", std::process::id()));
    std::fs::write(&script, "for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done").expect("there is room");
    for who in everybody() {
        let program = "syscall::exit_group:entry /execname == \"true\" && progenyof($target)/ { @[ustack(1)] = count(); }";
        let (out, err) = run(who, &[], program, &format!("sh {}", script.display()));
        // Its other name, `_Exit`, is weak.
        let libc = counted(&out)
            .iter()
            .filter(|(frames, _)| frames == &["libc.so.6`_exit"])
            .map(|(_, n)| n)
            .sum::<u64>();
        assert_eq!(libc, 10, "{who:?}: {out}{err}");
    }
    std::fs::remove_file(script).expect("it was made");
}

#[test]
fn samples_without_perf_events_are_as_many() {
    let Some(spin) = spin(true) else { return };
    let (samples, err) = samples_under_ptrace(refuse_perf_events, &format!("{spin} 400"));
    assert!((60..=100).contains(&samples), "{samples} {err}");
    assert!(
        err.contains("profile samples are shared out among the threads of a process, without perf events: "),
        "{err}"
    );
}

/// Has a command started where perf_event_open fails with `EACCES`, as with `kernel.perf_event_paranoid` 3.
fn refuse_perf_events(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    let refuse = || {
        let load = |at| libc::sock_filter { code: 0x20, jt: 0, jf: 0, k: at };
        let give = |what| libc::sock_filter { code: 0x06, jt: 0, jf: 0, k: what };
        let number = libc::SYS_perf_event_open as u32;
        let mut code = [
            load(0),
            libc::sock_filter { code: 0x15, jt: 0, jf: 1, k: number },
            give(libc::SECCOMP_RET_ERRNO | libc::EACCES as u32),
            give(libc::SECCOMP_RET_ALLOW),
        ];
        let filter = libc::sock_fprog { len: code.len() as u16, filter: code.as_mut_ptr() };
        // SAFETY: the filter and its code are alive; the rest are numbers.
        let done = unsafe {
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
                && libc::prctl(libc::PR_SET_SECCOMP, 2, &raw const filter) == 0
        };
        if done { Ok(()) } else { Err(std::io::Error::last_os_error()) }
    };
    // SAFETY: only system calls are made between fork and exec.
    unsafe { command.pre_exec(refuse) };
}

#[test]
fn kernel_stacks_begin_at_the_traced_code() {
    let Some(spin) = spin(true) else { return };
    if !everybody().contains(&Who::Root) {
        return;
    }
    let program = "syscall::write:entry /pid == $target/ { stack(); printf(\"%a\", caller); }";
    let (out, err) = run(Who::Root, &[], program, &format!("{spin} 20"));
    assert!(out.contains("vmlinux`do_syscall_64+"), "{out}{err}");
    assert!(!out.contains("bpf"), "no frames of the tracer: {out}{err}");
    // The caller is the second frame; where someone else watches the tracepoint at the same time, the first.
    let frames: Vec<&str> = out.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert!(frames[..2].contains(&frames[frames.len() - 1]), "{out}{err}");
}

/// Starts the program of known frames as the user who will trace it; ended with the value.
struct Running(std::process::Child);

impl Running {
    fn start(who: Who, path: &str, millis: &str) -> Running {
        let mut command = match who {
            Who::User if is_root() => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid=65534", "--regid=65534", "--clear-groups", path]);
                command
            }
            _ => Command::new(path),
        };
        let child = command.arg(millis).stdout(std::process::Stdio::null()).spawn().expect("it starts");
        // It has executed itself by then.
        std::thread::sleep(std::time::Duration::from_millis(100));
        Running(child)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_process_that_runs_already_is_sampled_and_left_running() {
    let Some(spin) = spin(true) else { return };
    for who in everybody() {
        let mut running = Running::start(who, spin, "20000");
        let program = "profile-199 /pid == $target/ { @[ustack(5)] = count(); } tick-500ms { exit(0); }";
        let copy = ForEverybody::new();
        let pid = running.0.id().to_string();
        let mut command = dtrail(&copy, who);
        let out = command.args(["-qn", program, "-p", &pid]).output().expect("it starts");
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(has_frames(&text, &["spin`leaf", "spin`caller", "spin`main"]), "{who:?}: {text}{error}");
        assert_eq!(out.status.code(), Some(0));
        assert!(running.0.try_wait().expect("ours").is_none(), "{who:?}: it goes on");
        let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("it is there");
        assert!(state.contains(") R "), "{who:?}: not stopped: {state}");
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it is there");
        assert!(status.contains("TracerPid:\t0\n"), "{who:?}: nobody traces it any more");
    }
}

#[test]
fn calls_of_a_process_that_runs_already() {
    for who in everybody() {
        let mut command = match who {
            Who::User if is_root() => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "sh"]);
                command
            }
            _ => Command::new("sh"),
        };
        let child = command.args(["-c", "while :; do sleep 0.02; done"]).spawn().expect("it starts");
        let running = Running(child);
        std::thread::sleep(std::time::Duration::from_millis(100));
        let program = "syscall::wait4:entry,syscall::wait4:return /pid == $target/ { @[probename] = count(); } \
                       tick-500ms { exit(0); }";
        let copy = ForEverybody::new();
        let pid = running.0.id().to_string();
        let out = dtrail(&copy, who).args(["-qn", program, "-p", &pid]).output().expect("it starts");
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(text.contains("entry ") && text.contains("return "), "{who:?}: {text}{error}");
    }
}

#[test]
fn code_without_frame_pointers_is_unwound_by_its_tables() {
    let Some(bare) = spin(false) else { return };
    for who in everybody() {
        let program = "profile-199 /pid == $target/ { @[ustack(5)] = count(); } \
                       syscall::write:entry /pid == $target/ { ustack(); }";
        let (out, err) = run(who, &["-xunwind=dwarf"], program, &format!("{bare} 500"));
        assert!(has_frames(&out, &["bare`leaf", "bare`caller", "bare`main"]), "{who:?}: {out}{err}");
        assert!(has_frames(&out, &["libc.so.6`write", "bare`main"]), "{who:?}: {out}{err}");
        // One key a stack, although each sample was kept by itself.
        let heads = out.lines().filter(|line| line.trim_start().starts_with("bare`leaf")).count();
        let frames: std::collections::HashSet<&str> =
            out.lines().filter(|line| line.trim_start().starts_with("bare`leaf")).collect();
        assert_eq!(heads, frames.len(), "{who:?}: {out}");
    }
}

/// The function that a tracepoint is in comes first, and `caller` and `stackdepth` are its own, whoever else watches.
#[test]
fn kernel_stacks_begin_where_the_tracepoint_is() {
    let Some(steps) = steps() else { return };
    if !caps::can_bpf().is_ok_and(|()| is_root()) {
        return skipped("it takes root and eBPF");
    }
    let program = r#"
        proc:::exit /pid == $target/ { @["exit", stack(1), stackdepth, func(caller)] = count(); }
        sdt:sched::sched_process_exit /pid == $target/ { @["sdt", stack(1), stackdepth, func(caller)] = count(); }
        syscall::getpid: /pid == $target/ { @[probename, stack(2), stackdepth, func(caller)] = count(); }"#;
    let watched = || {
        let command = format!("{steps} getpid=1");
        let output = Command::new(DTRAIL).args(["--source=bpf", "-qn", program, "-c", &command]).output();
        let output = output.expect("it starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let words: Vec<String> =
            text.split_whitespace().map(|word| word.split('+').next().unwrap_or(word).to_owned()).collect();
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        words
    };
    let alone = watched();
    let at = |probe: &str| alone.iter().position(|word| word == probe).map(|at| alone[at + 1].clone());
    assert_eq!(at("exit").as_deref(), Some("vmlinux`do_exit"), "{alone:?}");
    assert_eq!(at("sdt").as_deref(), Some("vmlinux`do_exit"), "{alone:?}");
    let other = "syscall::read: /pid == $pid/ { @ = count(); } rawtp:::sched_process_exit /pid == $pid/ { @ = count(); } \
                 sdt:sched::sched_process_exit /pid == $pid/ { @ = count(); } BEGIN { printf(\"begun\"); }";
    let other = Command::new(DTRAIL).args(["--source=bpf", "-qn", other]).stdout(Stdio::piped()).spawn();
    let mut other = other.expect("it starts");
    let mut begun = [0; 5];
    other.stdout.take().expect("a pipe").read_exact(&mut begun).expect("it begins");
    let beside = watched();
    let _ = other.kill();
    let _ = other.wait();
    assert_eq!(beside, alone);
}
