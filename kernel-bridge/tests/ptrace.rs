//! The ptrace source on a program whose system calls are known one by one (`conformance/workloads/steps.c`): every event
//! that fires is compared, none may be missing and none may be too many. Needs gcc and no privilege.

#![allow(clippy::expect_used, reason = "a test fails by a panic, and its parts are no `#[test]` functions")]

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use dtrail_kernel_bridge::source::ptrace::PtraceSource;
use dtrail_kernel_bridge::source::targets::Target;
use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::env::ProbePattern;
use dtrail_lang::ir::{AddrSpace, Block, Clause, Inst, Op, Program, Reg, RegKind, Terminator};
use dtrail_lang::plan::{Capabilities, Plan, PlanOptions};
use dtrail_lang::source::{SourceId, Span};
use dtrail_vm::event::{Error, Event, EventContext, EventSink, EventSource, Exited, ExitedHow, Flow, Wait};

/// The workload, built by whichever test comes first.
fn steps() -> &'static str {
    static PATH: OnceLock<String> = OnceLock::new();
    PATH.get_or_init(|| {
        let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../conformance/workloads/steps.c");
        let text = std::fs::read(&source).expect("it is part of the repository");
        // The build folder may be another user's, so the program lies where everybody may write; its folder's name says
        // what it was built from and by whom.
        let mut hasher = std::hash::DefaultHasher::new();
        (text, rustix::process::getuid().as_raw()).hash(&mut hasher);
        let folder = std::env::temp_dir().join(format!("dtrail-workload-{:016x}", hasher.finish()));
        std::fs::create_dir_all(&folder).expect("everybody may write there");
        // Its command name is what tests look for.
        let target = folder.join("steps");
        if !target.exists() {
            // Tests run side by side: each builds under a name of its own, and the last one to finish wins.
            let own =
                target.with_extension(format!("{}-{:?}", std::process::id(), std::thread::current().id()));
            let flags = ["-O1", "-static", "-nostdlib", "-ffreestanding", "-fno-stack-protector", "-o"];
            let status =
                Command::new("gcc").args(flags).arg(&own).arg(source).status().expect("gcc is installed");
            assert!(status.success());
            std::fs::rename(own, &target).expect("a file of ours");
        }
        target.to_str().expect("a plain path").to_owned()
    })
}

/// A session, from start to end, and what happened in it.
struct Run {
    source: PtraceSource,
    plan: Plan,
    notes: Notes,
}

/// What a test wants to know of each event.
type Describe = fn(&mut dyn EventContext) -> String;

/// Notes `provider:function:name`, and what the test asks for, of each event.
struct Notes {
    names: Vec<String>,
    describe: Describe,
    fired: Vec<String>,
    /// Stop once this many events have fired.
    stop_after: Option<usize>,
}

impl EventSink for Notes {
    fn event(&mut self, event: Event<'_>) -> Flow {
        let Event::Live { probe, context, kernel: None } = event else { panic!("only live events") };
        let more = (self.describe)(context);
        let sep = if more.is_empty() { "" } else { " " };
        self.fired.push(format!("{}{sep}{more}", self.names[probe.index()]));
        if Some(self.fired.len()) == self.stop_after { Flow::Stop } else { Flow::Continue }
    }
}

/// A clause that reads `execname`: the source looks for that, to know which changes it must not miss.
fn reader_of_names() -> Clause {
    let span = Span { source: SourceId(0), start: 0, end: 0 };
    let op = Op::Builtin { dst: Reg(0), var: BuiltinVar::Execname, index: 0 };
    let block = Block { insts: vec![Inst { op, point: 0, stmt: 1, span }], end: Terminator::Return };
    Clause { number: 0, regs: vec![RegKind::Str], blocks: vec![block], span }
}

fn pattern(text: &str) -> ProbePattern {
    let parts: Vec<&str> = text.split(':').collect();
    let part = |i: usize| parts.iter().rev().nth(i).copied().unwrap_or("").to_owned();
    ProbePattern { provider: part(3), module: part(2), function: part(1), name: part(0) }
}

impl Run {
    fn new(steps_and_args: &str, probes: &[&str], describe: Describe) -> Run {
        let source =
            PtraceSource::new(&[Target::Command(format!("{} {steps_and_args}", steps()).into())], None)
                .expect("a child can be traced");
        Run::with(source, probes, describe)
    }

    fn with(source: PtraceSource, probes: &[&str], describe: Describe) -> Run {
        let mut program = Program::default();
        for text in probes {
            program.probes.extend(source.environment().match_probes(&pattern(text)).expect("they exist"));
        }
        program.clauses.push(reader_of_names());
        let names = program.probes.iter().map(|p| format!("{}:{}", p.function, p.name)).collect();
        let plan = dtrail_lang::plan::plan(program, Capabilities::NONE, &PlanOptions::default())
            .expect("nothing to refuse");
        Run { source, plan, notes: Notes { names, describe, fired: Vec::new(), stop_after: None } }
    }

    fn attach(&mut self) -> Result<(), Error> {
        self.source.attach(&self.plan)
    }

    /// Waits until tracing ends by itself; fails after a minute.
    fn wait_for_end(&mut self) -> Wait {
        let limit = Instant::now() + Duration::from_secs(60);
        while Instant::now() < limit {
            match self.source.wait(Some(limit), &mut self.notes).expect("it can wait") {
                Wait::Again => {}
                end => return end,
            }
        }
        panic!("it does not end; so far: {:?}", self.notes.fired);
    }

    fn finish(mut self) -> (Vec<String>, Vec<ExitedHow>) {
        self.source.shut(&mut self.notes).expect("it can shut");
        self.source.detach(&|| false).expect("it can detach");
        let how = self.source.exited().into_iter().filter_map(|Exited { how, .. }| how).collect();
        (self.notes.fired, how)
    }

    fn whole(mut self) -> (Vec<String>, Vec<ExitedHow>) {
        self.attach().expect("it can attach");
        self.source.open().expect("it can open");
        assert_eq!(self.wait_for_end(), Wait::TargetsGone);
        self.finish()
    }
}

fn nothing(_: &mut dyn EventContext) -> String {
    String::new()
}

fn int(context: &mut dyn EventContext, var: BuiltinVar, index: u32) -> i64 {
    context.int(var, index).expect("integers never fault here")
}

/// `arg0` and `errno`.
fn result(context: &mut dyn EventContext) -> String {
    format!("{} {}", int(context, BuiltinVar::Arg, 0), int(context, BuiltinVar::Errno, 0))
}

/// The events of a whole run, in order.
fn check(steps: &str, probes: &[&str], describe: Describe, expected: &[&str], how: ExitedHow) {
    let (fired, ended) = Run::new(steps, probes, describe).whole();
    assert_eq!(fired, expected, "{steps} with {probes:?}");
    assert_eq!(ended, [how], "{steps}");
}

/// How often each event of a whole run fired.
fn count(steps: &str, probes: &[&str], how: ExitedHow) -> Vec<String> {
    let (fired, ended) = Run::new(steps, probes, nothing).whole();
    assert_eq!(ended, [how], "{steps}");
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for name in fired {
        *counts.entry(name).or_default() += 1;
    }
    counts.into_iter().map(|(name, count)| format!("{name} {count}")).collect()
}

const OK: ExitedHow = ExitedHow::Status(0);

#[test]
fn entries_and_returns_in_order() {
    check(
        "read=2 getpid=1 exit=4",
        &["syscall::read:", "syscall::getpid:entry", "syscall::exit_group:entry"],
        result,
        &[
            "read:entry -1 0",
            "read:return -9 9",
            "read:entry -1 0",
            "read:return -9 9",
            "getpid:entry 0 0",
            "exit_group:entry 4 0",
        ],
        ExitedHow::Status(4),
    );
}

#[test]
fn returns_alone_and_results() {
    check(
        "badexec badopen write=1 getpid=3",
        &["syscall::execve:return", "syscall::openat:return", "syscall::write:return"],
        result,
        &["execve:return -2 2", "openat:return -14 14", "write:return 0 0"],
        OK,
    );
}

#[test]
fn every_call_is_counted() {
    assert_eq!(
        count(
            "getpid=2 read=3 fork vfork clone clone3 thread=3 signal=2 badexec exec=exit=5",
            &["syscall:::"],
            ExitedHow::Status(5)
        ),
        [
            // Three threads and one process; each return is seen on both sides.
            "clone3:entry 1",
            "clone3:return 2",
            "clone:entry 4",
            "clone:return 8",
            "execve:entry 2",
            "execve:return 2",
            "exit:entry 3",
            "exit_group:entry 5",
            "fork:entry 1",
            "fork:return 2",
            "futex:entry 3",
            "futex:return 3",
            "getpid:entry 4",
            "getpid:return 4",
            "getppid:entry 12",
            "getppid:return 12",
            "gettid:entry 15",
            "gettid:return 15",
            "kill:entry 2",
            "kill:return 2",
            "read:entry 3",
            "read:return 3",
            "rt_sigaction:entry 1",
            "rt_sigaction:return 1",
            "rt_sigreturn:entry 2",
            "rt_sigreturn:return 2",
            "vfork:entry 1",
            "vfork:return 2",
            "wait4:entry 4",
            "wait4:return 4",
        ]
    );
}

#[test]
fn many_events() {
    assert_eq!(
        count("getpid=20000", &["syscall::getpid:"], OK),
        ["getpid:entry 20000", "getpid:return 20000"]
    );
}

#[test]
fn lives_of_processes() {
    let describe = |context: &mut dyn EventContext| match int(context, BuiltinVar::Arg, 0) {
        // What stands for the task that is made.
        kernel if kernel < -1 => "task".to_owned(),
        arg => arg.to_string(),
    };
    check(
        "fork badexec exec=exit=7",
        &["proc:::create", "proc:::start", "proc:::exec-success", "proc:::exec-failure", "proc:::exit"],
        describe,
        &[":create task", ":start 0", ":exit 1", ":exec-failure 2", ":exec-success 0", ":exit 1"],
        ExitedHow::Status(7),
    );
}

#[test]
fn exec_has_its_path() {
    let describe = |context: &mut dyn EventContext| {
        let mut path = Vec::new();
        let addr = int(context, BuiltinVar::Arg, 0) as u64;
        context.read_string(AddrSpace::User, addr, 256, &mut path).expect("a path");
        String::from_utf8(path).expect("plain")
    };
    let own = format!(":exec {}", steps());
    check("badexec exec=getpid=1", &["proc:::exec"], describe, &[":exec /nonexistent/steps", &own], OK);
}

#[test]
fn exec_by_a_thread() {
    let describe = |context: &mut dyn EventContext| {
        format!("{}", int(context, BuiltinVar::Pid, 0) == int(context, BuiltinVar::Tid, 0))
    };
    check(
        "threadexec=getpid=1",
        &[
            "syscall::execve:",
            "proc:::exec-success",
            "syscall::getpid:entry",
            "proc:::exit",
            "syscall::gettid:entry",
        ],
        describe,
        // The new image's thread is the first one; that is who returns.
        &[
            "execve:entry false",
            ":exec-success true",
            "execve:return true",
            "getpid:entry true",
            ":exit true",
        ],
        OK,
    );
}

#[test]
fn the_last_thread_ends_the_process() {
    for (steps, reason, how) in
        [("thread=3", 1, OK), ("die=9", 2, ExitedHow::Signal(9)), ("die=15", 2, ExitedHow::Signal(15))]
    {
        check(steps, &["proc:::exit"], result, &[&format!(":exit {reason} 0")], how);
    }
}

#[test]
fn killed_in_a_call() {
    let killed = ExitedHow::Signal(9);
    check(
        "die=9",
        &["syscall::kill:return", "proc:::exit"],
        result,
        &["kill:return 0 0", ":exit 2 0"],
        killed,
    );
    let mut run = Run::new("wait", &["syscall::pause:"], result);
    run.attach().expect("it can attach");
    run.source.open().expect("it can open");
    let pid = run.source.targets()[0];
    let limit = Instant::now() + Duration::from_secs(60);
    while run.notes.fired.is_empty() && Instant::now() < limit {
        let soon = Instant::now() + Duration::from_millis(20);
        assert_eq!(run.source.wait(Some(soon), &mut run.notes), Ok(Wait::Again));
    }
    let sleeping =
        || std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") S "));
    while !sleeping() && Instant::now() < limit {
        let soon = Instant::now() + Duration::from_millis(1);
        assert_eq!(run.source.wait(Some(soon), &mut run.notes), Ok(Wait::Again));
    }
    // SAFETY: no preconditions; the process is a child of this test.
    unsafe { libc::kill(pid as i32, libc::SIGKILL) };
    assert_eq!(run.wait_for_end(), Wait::TargetsGone);
    let (fired, how) = run.finish();
    // ERESTARTNOHAND: what the kernel says when a signal ends the call.
    assert_eq!(fired, ["pause:entry 0 0", "pause:return -514 514"]);
    assert_eq!(how, [killed]);
}

#[test]
fn identities() {
    let describe = |context: &mut dyn EventContext| {
        let mut name = Vec::new();
        context.string(BuiltinVar::Execname, &mut name).expect("never faults");
        String::from_utf8_lossy(&name).into_owned()
    };
    check(
        "getpid=1 name=another getpid=1 fork",
        &["syscall::getpid:entry", "proc:::start"],
        describe,
        &["getpid:entry steps", "getpid:entry another", ":start another"],
        OK,
    );
    let describe = |context: &mut dyn EventContext| {
        let mut var = |var| int(context, var, 0);
        let (pid, tid, ppid) = (var(BuiltinVar::Pid), var(BuiltinVar::Tid), var(BuiltinVar::Ppid));
        // SAFETY: no preconditions.
        let own = unsafe { (libc::getuid(), libc::getgid()) };
        let ids = (var(BuiltinVar::Uid) as u32, var(BuiltinVar::Gid) as u32) == own;
        let child_of_tracer = ppid == i64::from(std::process::id());
        format!("{} {child_of_tracer} {ids}", pid == tid)
    };
    check(
        "getpid=1 fork thread=1",
        &["syscall::getpid:entry", "proc:::start", "syscall::exit:entry"],
        describe,
        &["getpid:entry true true true", ":start true false true", "exit:entry false true true"],
        OK,
    );
}

#[test]
fn threads_have_identities_of_their_own() {
    let describe = |context: &mut dyn EventContext| format!("{}", int(context, BuiltinVar::TaskStart, 0));
    let (fired, _) =
        Run::new("thread=2 fork", &["syscall::gettid:entry", "syscall::getppid:entry"], describe).whole();
    let mut distinct = fired.clone();
    distinct.dedup();
    assert_eq!((fired.len(), distinct.len()), (13, 3), "{fired:?}");
}

#[test]
fn time_goes_forward() {
    let describe = |context: &mut dyn EventContext| {
        let (time, wall) =
            (int(context, BuiltinVar::Timestamp, 0), int(context, BuiltinVar::Walltimestamp, 0));
        assert_eq!(int(context, BuiltinVar::Timestamp, 0), time, "one value for a firing");
        assert_eq!(int(context, BuiltinVar::Walltimestamp, 0), wall);
        assert!(wall > 1_700_000_000_000_000_000);
        format!("{time:020}")
    };
    let (fired, _) = Run::new("getpid=5", &["syscall::getpid:entry"], describe).whole();
    assert_eq!(fired.len(), 5);
    assert!(fired.windows(2).all(|pair| pair[0] < pair[1]), "{fired:?}");
}

#[test]
fn memory() {
    let describe = |context: &mut dyn EventContext| {
        let addr = int(context, BuiltinVar::Arg, 1) as u64;
        let mut string = Vec::new();
        let result = context.read_string(AddrSpace::User, addr, 6, &mut string);
        let string = String::from_utf8_lossy(&string).into_owned();
        let mut bytes = [0; 3];
        let read = context.read(AddrSpace::ByAddress, addr, &mut bytes);
        format!(
            "{:?} {string:?} {:?} {bytes:?}",
            result.map_err(|r| (r.kind as u32, r.value)),
            read.map_err(|r| r.value)
        )
    };
    check(
        "open=/etc open=/nonexistent badopen",
        &["syscall::openat:entry"],
        describe,
        &[
            r#"openat:entry Ok(()) "/etc" Ok(()) [47, 101, 116]"#,
            r#"openat:entry Ok(()) "/nonex" Ok(()) [47, 110, 111]"#,
            r#"openat:entry Err((1, 16)) "" Err(16) [0, 0, 0]"#,
        ],
        OK,
    );
    let describe = |context: &mut dyn EventContext| {
        let mut byte = [0];
        let mut read =
            |space, addr| context.read(space, addr, &mut byte).map_err(|r| (r.kind as u32, r.value));
        format!("{:?} {:?}", read(AddrSpace::ByAddress, u64::MAX), read(AddrSpace::User, 1 << 63))
    };
    let expected = format!("getpid:entry Err((6, {})) Err((1, {}))", u64::MAX, 1u64 << 63);
    check("getpid=1", &["syscall::getpid:entry"], describe, &[&expected], OK);
}

#[test]
fn signals_reach_the_program() {
    check(
        "signal=2 exit=3",
        &["syscall::rt_sigreturn:"],
        nothing,
        &["rt_sigreturn:entry", "rt_sigreturn:return", "rt_sigreturn:entry", "rt_sigreturn:return"],
        ExitedHow::Status(3),
    );
}

#[test]
fn a_stopped_program_stays_stopped_until_continued() {
    let mut run = Run::new("stop", &["syscall::kill:", "syscall::getuid:entry"], nothing);
    run.attach().expect("it can attach");
    run.source.open().expect("it can open");
    let pid = run.source.targets()[0];
    let limit = Instant::now() + Duration::from_secs(60);
    while run.notes.fired.len() < 2 && Instant::now() < limit {
        let soon = Instant::now() + Duration::from_millis(20);
        assert_eq!(run.source.wait(Some(soon), &mut run.notes), Ok(Wait::Again));
    }
    let soon = Instant::now() + Duration::from_millis(100);
    while Instant::now() < soon {
        assert_eq!(run.source.wait(Some(soon), &mut run.notes), Ok(Wait::Again));
    }
    assert_eq!(run.notes.fired, ["kill:entry", "kill:return"], "it stands");
    // SAFETY: no preconditions; the process is a child of this test.
    unsafe { libc::kill(pid as i32, libc::SIGCONT) };
    assert_eq!(run.wait_for_end(), Wait::TargetsGone);
    let (fired, how) = run.finish();
    assert_eq!(fired, ["kill:entry", "kill:return", "getuid:entry"]);
    assert_eq!(how, [OK]);
}

#[test]
fn stop_is_at_once_and_ends_the_program() {
    let mut run = Run::new("getpid=3 wait", &["syscall::getpid:entry"], nothing);
    run.notes.stop_after = Some(2);
    run.attach().expect("it can attach");
    run.source.open().expect("it can open");
    assert_eq!(run.wait_for_end(), Wait::Stopped);
    assert_eq!(run.source.wait(None, &mut run.notes), Ok(Wait::Stopped));
    let pid = run.source.targets()[0];
    let (fired, how) = run.finish();
    assert_eq!(fired.len(), 2);
    assert_eq!(how, [ExitedHow::Signal(9)]);
    assert!(!PathBuf::from(format!("/proc/{pid}")).exists());
}

#[test]
fn deadlines_and_wake_ups() {
    let mut fds = [0; 2];
    // SAFETY: room for two descriptors, which become ours.
    let (read, write) = unsafe {
        use std::os::fd::{FromRawFd, OwnedFd};
        assert_eq!(libc::pipe2(fds.as_mut_ptr(), libc::O_CLOEXEC), 0);
        (OwnedFd::from_raw_fd(fds[0]), std::fs::File::from_raw_fd(fds[1]))
    };
    let source = PtraceSource::new(&[Target::Command(format!("{} wait", steps()).into())], Some(read.into()))
        .expect("a child can be traced");
    let mut run = Run::with(source, &["syscall::getpid:entry"], nothing);
    run.attach().expect("it can attach");
    run.source.open().expect("it can open");
    let start = Instant::now();
    let deadline = start + Duration::from_millis(30);
    while Instant::now() < deadline {
        assert_eq!(run.source.wait(Some(deadline), &mut run.notes), Ok(Wait::Again));
    }
    assert!(start.elapsed() < Duration::from_secs(5));
    let writer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        std::io::Write::write_all(&mut &write, b"x").expect("a pipe");
        write
    });
    assert_eq!(run.wait_for_end(), Wait::Woken);
    drop(writer.join());
    let (_, how) = run.finish();
    assert_eq!(how, [ExitedHow::Signal(9)]);
}

#[test]
fn nothing_fires_before_it_opens() {
    let mut run = Run::new("getpid=1", &["syscall:::", "proc:::"], nothing);
    run.attach().expect("it can attach");
    let soon = Instant::now() + Duration::from_millis(30);
    while Instant::now() < soon {
        assert_eq!(run.source.wait(Some(soon), &mut run.notes), Ok(Wait::Again));
    }
    assert_eq!(run.notes.fired, [""; 0]);
    run.source.open().expect("it can open");
    assert_eq!(run.wait_for_end(), Wait::TargetsGone);
    assert_eq!(run.finish().0, ["getpid:entry", "getpid:return", "exit_group:entry", ":exit", ":lwp-exit"]);
}

#[test]
fn several_commands() {
    let command = |steps_and_args: &str| Target::Command(format!("{} {steps_and_args}", steps()).into());
    let source = PtraceSource::new(&[command("getpid=2 exit=1"), command("getpid=3 exit=2")], None)
        .expect("both start");
    let (fired, how) = Run::with(source, &["syscall::getpid:entry"], nothing).whole();
    assert_eq!(fired.len(), 5);
    let mut status: Vec<_> =
        how.into_iter().map(|how| matches!(how, ExitedHow::Status(s) if s == 1 || s == 2)).collect();
    status.dedup();
    assert_eq!(status, [true]);
}

#[test]
fn commands_that_cannot_start_say_why() {
    for (command, message) in [
        ("/no/such/thing x", "failed to execute /no/such/thing: No such file or directory"),
        ("no-such-thing-in-path", "failed to execute no-such-thing-in-path: No such file or directory"),
        ("/etc/passwd", "failed to execute /etc/passwd: Permission denied"),
        ("  ", "failed to execute : no command"),
    ] {
        let error = match PtraceSource::new(&[Target::Command(command.into())], None) {
            Ok(source) => Run::with(source, &["syscall::getpid:entry"], nothing).attach(),
            Err(error) => Err(error),
        };
        assert_eq!(error.map_err(|error| error.message), Err(message.to_owned()));
    }
}

#[test]
fn without_a_command() {
    let source = PtraceSource::new(&[], None).expect("nothing to start");
    let mut run = Run::with(source, &["tick-1s"], nothing);
    run.attach().expect("ticks need no process");
    let start = Instant::now();
    assert_eq!(run.source.wait(Some(start + Duration::from_millis(20)), &mut run.notes), Ok(Wait::Again));
    assert!(start.elapsed() >= Duration::from_millis(20));
    let source = PtraceSource::new(&[], None).expect("nothing to start");
    let error = Run::with(source, &["syscall::read:entry"], nothing).attach().expect_err("nobody to trace");
    assert_eq!(error.message, "the ptrace source traces processes that it is told of, and there is none");
    let error = PtraceSource::new(&[Target::Process(u32::MAX >> 1)], None).expect_err("no process has it");
    assert_eq!(error.message, "No such process");
}

#[test]
fn processes_killed_while_they_fork() {
    let (fired, how) =
        Run::new("storm=30", &["proc:::create", "proc:::start", "syscall::kill:return"], nothing).whole();
    assert_eq!(how, [OK]);
    assert_eq!(fired.iter().filter(|name| *name == "kill:return").count(), 30);
    // Each is made by the first process, which nobody kills; one that is killed at once never starts.
    assert!(fired.iter().filter(|name| *name == ":create").count() >= 30);
    let (_, how) = Run::new("storm=30", &["proc:::exit"], nothing).whole();
    assert_eq!(how, [OK]);
}

/// The tracer of the next test: says whom it traces, and waits.
#[test]
#[ignore = "run by another test"]
fn tracer_to_be_killed() {
    let mut run = Run::new("fork wait", &["syscall::getpid:entry"], nothing);
    run.attach().expect("it can attach");
    run.source.open().expect("it can open");
    println!("traces {}.", run.source.targets()[0]);
    run.wait_for_end();
}

#[test]
fn the_traced_die_with_their_tracer() {
    use std::io::{BufRead, BufReader};
    steps();
    let mut tracer = Command::new(std::env::current_exe().expect("it runs"))
        .args(["--exact", "tracer_to_be_killed", "--ignored", "--nocapture"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("it runs");
    let out = BufReader::new(tracer.stdout.take().expect("piped"));
    let line = out.lines().map_while(Result::ok).find(|line| line.contains("traces ")).expect("it traces");
    let pid =
        line.split("traces ").nth(1).and_then(|rest| rest.strip_suffix('.')).expect("a number").to_owned();
    assert!(PathBuf::from(format!("/proc/{pid}")).exists());
    tracer.kill().expect("ours");
    tracer.wait().expect("ours");
    // Nobody but init may be there to reap it, so a zombie counts as dead.
    let gone = || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.is_empty() || stat.contains(") Z ") || stat.contains(") X ")
    };
    let limit = Instant::now() + Duration::from_secs(10);
    while !gone() {
        assert!(Instant::now() < limit, "it is still there");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Runs other tests of this file as a user who may do nothing.
#[test]
fn without_privilege() {
    // SAFETY: no preconditions.
    if unsafe { libc::geteuid() } != 0 {
        println!("skipped: the other tests run without privilege already");
        return;
    }
    steps();
    let tests = ["every_call_is_counted", "lives_of_processes", "identities", "memory", "exec_by_a_thread"];
    let output = Command::new("setpriv")
        .args([
            "--reuid",
            "65534",
            "--regid",
            "65534",
            "--clear-groups",
            "--inh-caps",
            "-all",
            "--bounding-set",
            "-all",
        ])
        .arg(std::env::current_exe().expect("it runs"))
        .arg("--exact")
        .args(tests)
        .output()
        .expect("setpriv is installed");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("5 passed; 0 failed"), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn ends_are_known_although_children_were_ignored() {
    // Alone in its process: the setting is the whole process's, and another test would turn it back.
    let test = "ignored_children";
    let output = Command::new(std::env::current_exe().expect("it runs"))
        .args(["--exact", test, "--ignored"])
        .output()
        .expect("it runs");
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
}

#[test]
#[ignore = "run by another test"]
fn ignored_children() {
    steps();
    // SAFETY: no preconditions.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
    check("getpid=1 exit=3", &["syscall::getpid:entry"], nothing, &["getpid:entry"], ExitedHow::Status(3));
}
