//! How a run ends (runtime spec §1.5, §13.5): signals once and twice, targets that end, die or never begin, with the exact
//! output, messages and exit status. What cannot run here says `skipped: why`.

#![allow(clippy::expect_used, reason = "a test fails by a panic, and its parts are no `#[test]` functions")]

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use dtrail_conformance::workload::{skipped, sources, steps};
use dtrail_kernel_bridge::caps;

const DTRAIL: &str = env!("CARGO_BIN_EXE_dtrail");

/// Longer than any of these runs takes on the busiest machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A second signal counts from half a second after the first.
const BETWEEN_REQUESTS: Duration = Duration::from_millis(700);

/// A command under way.
struct Running {
    child: Child,
    out: BufReader<ChildStdout>,
}

/// Starts it as a shell at a terminal does, whoever runs the tests.
fn start(args: &[&str]) -> Running {
    start_with(args, libc::SIG_DFL)
}

/// Starts it where SIGINT does this.
fn start_with(args: &[&str], interrupt: libc::sighandler_t) -> Running {
    let mut command = Command::new(DTRAIL);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let set = move || {
        // SAFETY: two system calls that allocate nothing.
        unsafe {
            libc::signal(libc::SIGINT, interrupt);
            libc::signal(libc::SIGTERM, libc::SIG_DFL);
        }
        Ok(())
    };
    // SAFETY: as above.
    let mut child = unsafe { command.pre_exec(set) }.spawn().expect("it starts");
    let out = BufReader::new(child.stdout.take().expect("a pipe"));
    Running { child, out }
}

impl Running {
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).expect("a line");
        line
    }

    fn signal(&self, signal: i32) {
        // SAFETY: the child is ours and not yet waited for.
        unsafe { libc::kill(self.child.id() as i32, signal) };
    }

    /// The rest of its output, its standard error and how it ended.
    fn end(mut self) -> (String, String, ExitStatus) {
        drop(self.child.stdin.take());
        let mut err = self.child.stderr.take().expect("a pipe");
        let reader = std::thread::spawn(move || {
            let (mut out, mut text) = (self.out, String::new());
            out.read_to_string(&mut text).expect("text");
            let mut said = String::new();
            err.read_to_string(&mut said).expect("text");
            (text, said)
        });
        let started = Instant::now();
        let status = loop {
            match self.child.try_wait().expect("it can be waited for") {
                Some(status) => break status,
                None if started.elapsed() > PATIENCE => {
                    let _ = self.child.kill();
                    panic!("it did not end");
                }
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        let (text, said) = reader.join().expect("a reader");
        (text, said, status)
    }
}

/// Compares the rest of a run.
fn ends(running: Running, out: &str, err: &str, status: i32) {
    let (text, said, how) = running.end();
    assert_eq!((text.as_str(), said.as_str(), how.code()), (out, err, Some(status)));
}

/// Whether a process is there, and no zombie.
fn lives(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
}

const AGGREGATES: &str = "BEGIN { @[\"kept\"] = count(); printf(\"on\\n\"); } END { printf(\"end\\n\"); }";

#[test]
fn the_first_signal_ends_with_a_newline_then_end_then_aggregations() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        let mut running = start(&["-qn", AGGREGATES]);
        assert_eq!(running.line(), "on\n");
        running.signal(signal);
        let kept = "  kept                                                              1\n";
        ends(running, &format!("\nend\n\n{kept}"), "", 0);
    }
}

/// A script's `dtrail … &` ignores SIGINT: Ctrl-C is for what runs in the foreground. So does the command of `-c`.
#[test]
fn a_signal_that_was_ignored_stays_ignored() {
    let program =
        "BEGIN { printf(\"on\\n\"); } tick-300ms { printf(\"still\\n\"); } END { printf(\"end\\n\"); }";
    let mut running = start_with(&["-qn", program], libc::SIG_IGN);
    assert_eq!(running.line(), "on\n");
    running.signal(libc::SIGINT);
    assert_eq!((running.line(), running.line()), ("still\n".to_owned(), "still\n".to_owned()));
    running.signal(libc::SIGTERM);
    let (text, said, how) = running.end();
    assert!(text.trim_start_matches("still\n").starts_with("\nend\n"), "{text:?}");
    assert_eq!((said.as_str(), how.code()), ("", Some(0)));
    let (text, said, how) =
        start_with(&["-qn", "BEGIN { }", "-c", "grep SigIgn /proc/self/status"], libc::SIG_IGN).end();
    let ignored = text.trim().strip_prefix("SigIgn:\t").and_then(|mask| u64::from_str_radix(mask, 16).ok());
    assert_eq!(ignored.map(|mask| mask >> (libc::SIGINT - 1) & 1), Some(1), "{text}");
    assert_eq!((said.as_str(), how.code()), ("", Some(0)));
}

/// Commands begin as if whoever started dtrail had started them, whatever Rust's start and the sources ignore and block.
#[test]
fn commands_ignore_and_block_what_dtrail_was_started_to() {
    let set = |ignored: &'static [i32], blocked: &'static [i32]| {
        move || {
            // SAFETY: system calls that allocate nothing, on a valid set.
            unsafe {
                let mut mask: libc::sigset_t = std::mem::zeroed();
                libc::sigemptyset(&raw mut mask);
                for &signal in ignored {
                    libc::signal(signal, libc::SIG_IGN);
                }
                for &signal in blocked {
                    libc::sigaddset(&raw mut mask, signal);
                }
                libc::pthread_sigmask(libc::SIG_SETMASK, &raw const mask, std::ptr::null_mut());
            }
            Ok(())
        }
    };
    let show = "grep -E Sig(Ign|Blk) /proc/self/status";
    let cases: [(&[i32], &[i32]); 5] = [
        (&[], &[]),
        (&[libc::SIGPIPE], &[]),
        (&[libc::SIGALRM, libc::SIGIO, libc::SIGUSR1], &[libc::SIGUSR2, libc::SIGPIPE]),
        (&[libc::SIGPIPE, libc::SIGCHLD, libc::SIGHUP], &[libc::SIGALRM]),
        // With which a traced program stops when it begins.
        (&[], &[libc::SIGTRAP]),
    ];
    for (ignored, blocked) in cases {
        let run = |mut command: Command| {
            // SAFETY: see there.
            let output = unsafe { command.pre_exec(set(ignored, blocked)) }.output().expect("it starts");
            let masks = String::from_utf8_lossy(&output.stdout).into_owned();
            let mask = |line: &str| {
                let (name, mask) = line.split_once(":\t")?;
                // The C library keeps two signals to itself, and has the programs that it starts ignore them.
                Some((name.to_owned(), u64::from_str_radix(mask, 16).ok()? & !(3 << 31)))
            };
            masks.lines().filter_map(mask).collect::<Vec<_>>()
        };
        let mut plain = Command::new("grep");
        plain.args(["-E", "Sig(Ign|Blk)", "/proc/self/status"]);
        let expected = run(plain);
        assert_eq!(expected.len(), 2, "{expected:?}");
        for source in sources() {
            let mut traced = Command::new(DTRAIL);
            traced.args(["--source", source, "-qn", "BEGIN { }", "-c", show]);
            assert_eq!(run(traced), expected, "{source}: {ignored:?} {blocked:?}");
        }
        // A shell blocks nothing for itself or others.
        let show = "cat /proc/self/status | grep -E 'Sig(Ign|Blk)'";
        let mut plain = Command::new("/bin/sh");
        plain.args(["-c", show]);
        let mut shell = Command::new(DTRAIL);
        shell.args(["-qwn", &format!("BEGIN {{ system(\"{show}\"); exit(0); }}")]);
        assert_eq!(run(shell), run(plain), "system(): {ignored:?} {blocked:?}");
    }
}

/// The first signal leaves a command of `system` its time; the second leaves the command.
#[test]
fn the_second_signal_does_not_wait_for_a_command() {
    let command = "trap '' INT; echo $$; exec sleep 60 > /dev/null 2>&1";
    let program = format!("BEGIN {{ system(\"{command}\"); }} END {{ printf(\"end\\n\"); }}");
    let mut running = start(&["-qwn", &program]);
    let pid: u32 = running.line().trim().parse().expect("the shell's number");
    running.signal(libc::SIGINT);
    std::thread::sleep(BETWEEN_REQUESTS);
    assert!(running.child.try_wait().expect("it is ours").is_none(), "it waits");
    running.signal(libc::SIGINT);
    let started = Instant::now();
    let (text, said, how) = running.end();
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    let left = format!(
        "dtrail: process {pid} of system() is left running, because the end was asked for twice: {command}\n"
    );
    assert_eq!((text.as_str(), said.as_str(), how.code()), ("\nend\n\n", left.as_str(), Some(0)));
    assert!(lives(pid), "it is nobody's to end");
    // SAFETY: no memory is passed.
    unsafe { libc::kill(pid as i32, libc::SIGKILL) };
}

/// The first signal wakes a run whose reader takes nothing; the second ends it without the aggregations.
#[test]
fn the_second_signal_leaves_aggregations_out() {
    // 300 lines of 400 bytes are more than a pipe holds.
    let lines = "printf(\"%400d\\n\", 1);".repeat(300);
    let program = format!("BEGIN {{ @ = count(); printf(\"on\\n\"); }} END {{ {lines} }}");
    let mut running = start(&["-qn", &program]);
    assert_eq!(running.line(), "on\n");
    running.signal(libc::SIGINT);
    std::thread::sleep(BETWEEN_REQUESTS);
    running.signal(libc::SIGINT);
    // Nothing is read before it has ended: it cannot have printed all.
    let started = Instant::now();
    while running.child.try_wait().expect("it can be waited for").is_none() {
        assert!(started.elapsed() < PATIENCE, "it did not end");
        std::thread::sleep(Duration::from_millis(5));
    }
    let (text, said, how) = running.end();
    let left = "dtrail: output is incomplete, because the end was asked for twice: the rest of rows, @_\n";
    assert_eq!((said.as_str(), how.code()), (left, Some(0)));
    // Whole lines, and not all of them.
    let lines = text.strip_prefix('\n').expect("the newline of the signal");
    let line = format!("{:400}\n", 1);
    assert_eq!(lines, line.repeat(lines.len() / 401));
    assert!((100..300).contains(&(lines.len() / 401)), "{}", lines.len());
}

/// A second signal while a large table is printed to a reader that takes nothing: what has arrived are whole lines, and
/// the tables that are not whole are named.
#[test]
fn the_second_signal_cuts_tables_between_lines() {
    let keys = "syscall:::entry { @few = count(); @[arg0, probefunc] = count(); @last = count(); }";
    let events = (0..9000).map(|i| format!("at {} syscall::read:entry args={i}\n", i + 1));
    let events: String = std::iter::once("thread 100 execname=work\n".to_owned()).chain(events).collect();
    let file = std::env::temp_dir().join(format!("dtrail-lines-{}.events", std::process::id()));
    std::fs::write(&file, events).expect("a temporary file");
    let source = format!("--source=synthetic={}", file.display());
    let mut running = start(&[&source, "-qn", &format!("BEGIN {{ printf(\"on\\n\"); }} {keys}")]);
    assert_eq!(running.line(), "on\n");
    std::thread::sleep(BETWEEN_REQUESTS);
    running.signal(libc::SIGINT);
    std::thread::sleep(BETWEEN_REQUESTS);
    let asked = Instant::now();
    running.signal(libc::SIGINT);
    while running.child.try_wait().expect("it can be waited for").is_none() {
        assert!(asked.elapsed() < PATIENCE, "it did not end");
        std::thread::sleep(Duration::from_millis(5));
    }
    let (text, said, how) = running.end();
    let _ = std::fs::remove_file(&file);
    let left = "dtrail: output is incomplete, because the end was asked for twice: the rest of @_, @last\n";
    assert_eq!((said.as_str(), how.code()), (left, Some(0)));
    let table = text.strip_prefix("\n             9000\n").expect("the first table");
    assert!(table.ends_with("                1\n"), "{table}");
    for (i, line) in table.lines().enumerate() {
        assert_eq!(line, format!("{i:17}  {:50}{:17}", "read", 1));
    }
}

/// A pipe that nobody reads is waited for only until the end is asked for; one that has a reader gets the output.
#[test]
fn a_pipe_without_a_reader_is_waited_for_until_a_signal() {
    let dir = std::env::temp_dir().join(format!("dtrail-pipe-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a directory");
    let pipe = dir.join("pipe");
    let name = std::ffi::CString::new(pipe.to_str().expect("text")).expect("no NUL");
    // SAFETY: the name is a string of C.
    assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
    let path = pipe.display();
    let program = format!(
        "BEGIN {{ printf(\"on\\n\"); }} BEGIN {{ freopen(\"{path}\"); printf(\"sent\\n\"); exit(3); }}"
    );

    let mut running = start(&["-wqn", &program]);
    assert_eq!(running.line(), "on\n");
    // A request from before the wait is for tracing; the next one is for the wait.
    for _ in 0..2 {
        std::thread::sleep(BETWEEN_REQUESTS);
        running.signal(libc::SIGINT);
    }
    let (text, said, how) = running.end();
    let wanted = format!("couldn't freopen() \"{path}\": Interrupted system call\n");
    assert!(said.contains(&wanted), "{said}");
    assert_eq!((text.as_str(), how.code()), ("sent\n\n", Some(3)));

    let mut running = start(&["-wqn", &program]);
    assert_eq!(running.line(), "on\n");
    let sent = std::fs::read_to_string(&pipe).expect("what was sent");
    assert_eq!(sent, "sent\n\n");
    ends(running, "", "", 3);
    let _ = std::fs::remove_dir_all(&dir);
}

/// A process that fires its last probe stands at its end, where no signal reaches it: it is let go at once.
#[test]
fn an_exit_at_the_end_of_a_process_waits_for_nobody() {
    for source in sources() {
        let took = (0..5).map(|_| {
            let started = Instant::now();
            let program = "proc:::exit /pid == $target/ { exit(4); }";
            ends(start(&["--source", source, "-qn", program, "-c", "true"]), "\n", "", 4);
            started.elapsed()
        });
        // A process that could not be ended would be waited for for two seconds.
        assert!(took.min().expect("five of them") < Duration::from_millis(1500), "{source}");
    }
}

/// Signals that dtrace(1) leaves alone do what they do to any program, and a command ends with its tracer.
#[test]
fn a_hang_up_kills_the_tracer_and_its_command() {
    for source in sources() {
        let program = "BEGIN { printf(\"%d\\n\", $target); } syscall::nanosleep:entry /0/ { }";
        let mut running = start(&["--source", source, "-qn", program, "-c", "sleep 1000"]);
        let target: u32 = running.line().trim().parse().expect("its number");
        assert!(lives(target));
        running.signal(libc::SIGHUP);
        let (_, said, how) = running.end();
        assert_eq!((said.as_str(), how.signal()), ("", Some(libc::SIGHUP)), "{source}");
        let started = Instant::now();
        while lives(target) {
            assert!(started.elapsed() < PATIENCE, "{source}: the command goes on");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Before tracing begins a signal ends dtrail as it ends any program.
#[test]
fn a_signal_while_the_script_is_read_kills() {
    let mut running = start(&["-s", "-"]);
    let mut input = running.child.stdin.take().expect("a pipe");
    input.write_all(b"BEGIN {").expect("it reads");
    // It is executed and reads, or will: either way the signal kills it.
    std::thread::sleep(Duration::from_millis(100));
    running.signal(libc::SIGINT);
    let (text, said, how) = running.end();
    drop(input);
    assert_eq!((text.as_str(), said.as_str(), how.signal()), ("", "", Some(libc::SIGINT)));
}

#[test]
fn a_command_that_ignores_signals_ends_with_the_tracing() {
    for source in sources() {
        let program = "BEGIN { printf(\"%d\\n\", $target); } syscall::nanosleep:entry /0/ { }";
        let command = "env --ignore-signal=INT --ignore-signal=TERM sleep 1000";
        let mut running = start(&["--source", source, "-qn", program, "-c", command]);
        let target: u32 = running.line().trim().parse().expect("its number");
        running.signal(libc::SIGTERM);
        ends(running, "\n\n", "", 0);
        assert!(!lives(target), "{source}");
    }
}

#[test]
fn a_command_that_dies_is_told_unless_quiet() {
    let Some(steps) = steps() else { return };
    for source in sources() {
        for (step, told) in [
            ("die=9", "terminated by SIGKILL"),
            ("die=11", "terminated by SIGSEGV"),
            ("exit=3", "exited with status 3"),
        ] {
            let command = format!("{steps} {step}");
            let program = "BEGIN { printf(\"%d\\n\", $target); } syscall::getuid:entry /0/ { } END { printf(\"end\\n\"); }";
            let mut running = start(&["--source", source, "-qn", program, "-c", &command]);
            running.line();
            ends(running, "end\n\n", "", 0);
            let mut running = start(&["--source", source, "-xquiet=no", "-n", program, "-c", &command]);
            running.line();
            let (_, said, how) = running.end();
            let last = said.lines().last().unwrap_or_default();
            assert!(last.starts_with("dtrail: pid ") && last.ends_with(told), "{source} {step}: {said}");
            assert_eq!(how.code(), Some(0));
        }
    }
}

/// Tracing of `-p` ends with the process; how it ended is its parent's business.
#[test]
fn a_process_that_ends_ends_the_tracing() {
    for source in sources() {
        let mut other = Command::new("sleep").arg("1000").spawn().expect("sleep exists");
        let pid = other.id().to_string();
        let program =
            "BEGIN { printf(\"%d\\n\", $target); } syscall::getuid:entry /0/ { } END { printf(\"end\\n\"); }";
        let mut running = start(&["--source", source, "-qn", program, "-p", &pid]);
        assert_eq!(running.line(), format!("{pid}\n"));
        other.kill().expect("ours");
        if source == "bpf" {
            other.wait().expect("ours");
        }
        ends(running, "end\n\n", "", 0);
        let _ = other.wait();
    }
}

/// A process of `-p` goes on when tracing ends first.
#[test]
fn a_process_outlives_the_tracing() {
    for source in sources() {
        let mut other = Command::new("sleep").arg("1000").spawn().expect("sleep exists");
        let pid = other.id().to_string();
        let program = "BEGIN { printf(\"on\\n\"); } syscall::getuid:entry /0/ { }";
        let mut running = start(&["--source", source, "-qn", program, "-p", &pid]);
        assert_eq!(running.line(), "on\n");
        running.signal(libc::SIGINT);
        ends(running, "\n\n", "", 0);
        assert!(lives(other.id()), "{source}");
        other.kill().expect("ours");
        other.wait().expect("ours");
    }
}

/// A command that never comes to where it is to stand can be interrupted.
#[test]
fn waiting_for_evaltime_can_be_interrupted() {
    let folder = std::env::temp_dir().join(format!("dtrail-never-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (source, program, mark) = (folder.join("p.c"), folder.join("p"), folder.join("mark"));
    let text = format!(
        "#include <fcntl.h>\n#include <unistd.h>\n__attribute__((constructor)) static void never(void)\n\
         {{ close(open(\"{}\", O_CREAT | O_WRONLY, 0600)); for (;;) pause(); }}\nint main(void) {{ return 0; }}\n",
        mark.display()
    );
    std::fs::write(&source, text).expect("there is room");
    let made = Command::new("cc").arg("-o").arg(&program).arg(&source).status();
    if !made.is_ok_and(|status| status.success()) {
        let _ = std::fs::remove_dir_all(&folder);
        return skipped("no C compiler");
    }
    let command = program.display().to_string();
    for source in sources() {
        for signal in [libc::SIGINT, libc::SIGTERM] {
            let _ = std::fs::remove_file(&mark);
            let clause = "syscall::write:entry { } BEGIN { printf(\"never\"); }";
            let running = start(&["--source", source, "-q", "-xevaltime=main", "-c", &command, "-n", clause]);
            let started = Instant::now();
            while !mark.exists() {
                assert!(started.elapsed() < PATIENCE, "the command does not run");
                std::thread::sleep(Duration::from_millis(5));
            }
            running.signal(signal);
            let why = "dtrail: could not enable tracing: cannot obey evaltime: interrupted\n";
            ends(running, "", why, 1);
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
}

/// A second signal while probes are taken away, which takes the kernel some 60 ms each, ends dtrail at once.
#[test]
fn the_second_signal_leaves_probes_to_others() {
    if let Err(e) = caps::can_bpf() {
        return skipped(&e.message);
    }
    let listed =
        Command::new(DTRAIL).args(["-ln", "sdt:writeback::,sdt:jbd2::"]).output().expect("it starts");
    let count = String::from_utf8_lossy(&listed.stdout).lines().count().saturating_sub(1);
    if !listed.status.success() || count <= 50 {
        return skipped("this kernel has too few trace events of writeback and jbd2");
    }
    let program =
        "sdt:writeback::,sdt:jbd2:: /pid == -1/ { @ = sum(1); } BEGIN { @ = sum(7); printf(\"on\\n\"); }";
    let seconds = (count * 60).div_ceil(1000);
    let told = format!(
        "dtrail: detaching {count} probes, which takes the kernel some 60 ms each, {seconds} s in all"
    );
    // From the second signal on, or from where it would have come.
    let detach = |again: bool| {
        let mut running = start(&["--source=bpf", "-x", "switchrate=1ms", "-n", program]);
        while !running.line().contains(":BEGIN on") {}
        running.signal(libc::SIGINT);
        let mut err = BufReader::new(running.child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        while line.trim_end() != told {
            line.clear();
            assert_ne!(err.read_line(&mut line).expect("text"), 0, "no notice");
        }
        std::thread::sleep(BETWEEN_REQUESTS);
        if again {
            running.signal(libc::SIGINT);
        }
        let asked = Instant::now();
        let mut rest = String::new();
        err.read_to_string(&mut rest).expect("text");
        running.out.read_to_string(&mut rest).expect("text");
        let status = running.child.wait().expect("ours");
        assert_eq!((rest.as_str(), status.code()), ("\n\n\n                7\n", Some(0)), "again: {again}");
        asked.elapsed()
    };
    let (patient, impatient) = (detach(false), detach(true));
    // Half the time, at most; the machine may be busy with something else meanwhile.
    assert!(impatient * 4 < patient * 3, "{impatient:?} of {patient:?}");
}

/// While a program is planned and made ready for the kernel, a signal ends dtrail as it ends any program.
#[test]
fn a_signal_while_a_long_program_is_planned_kills() {
    if let Err(e) = caps::can_bpf() {
        return skipped(&e.message);
    }
    let clause = |n| {
        format!(
            "syscall::read:entry /pid == $target && arg0 == {n}/ {{ printf(\"%d\\n\", {n}); @[arg1, {n}] = quantize(arg2 + {n}); }}"
        )
    };
    let program: String = (0..100).map(clause).collect();
    // The command stands there before the program is planned. Where this test is slow the signal may come later; the
    // kernel takes the program in then, and tracing ends as it begins.
    let planned = || {
        let running = start(&["--source=bpf", "-qn", &program, "-c", "sleep 1000"]);
        let children = format!("/proc/{0}/task/{0}/children", running.child.id());
        let started = Instant::now();
        let mut command = String::new();
        while command.trim().is_empty() {
            assert!(started.elapsed() < PATIENCE, "no command");
            command = std::fs::read_to_string(&children).expect("it is there");
        }
        running.signal(libc::SIGINT);
        let (text, said, how) = running.end();
        assert!(how.signal().is_none() || (text.as_str(), said.as_str()) == ("", ""), "{text} {said}");
        let command = command.trim().parse().expect("a number");
        let started = Instant::now();
        while lives(command) {
            assert!(started.elapsed() < PATIENCE, "the command goes on");
            std::thread::sleep(Duration::from_millis(5));
        }
        how.signal() == Some(libc::SIGINT)
    };
    assert!((0..10).any(|_| planned()), "it was planned to the end each time");
}
