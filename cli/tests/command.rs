//! What the command says, prints and returns: dtrace(1)'s options, errors and exit statuses. Needs no privilege.

#![allow(clippy::expect_used, reason = "a test fails by a panic, and its parts are no `#[test]` functions")]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const DTRAIL: &str = env!("CARGO_BIN_EXE_dtrail");

fn run(args: &[&str]) -> Output {
    Command::new(DTRAIL).args(args).stdin(Stdio::null()).output().expect("it starts")
}

/// Runs and compares standard output, standard error and status.
fn check(args: &[&str], out: &str, err: &str, status: i32) {
    let output = run(args);
    let got = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
        output.status.code(),
    );
    assert_eq!(got, (out.into(), err.into(), Some(status)), "{args:?}");
}

/// A file of its own for a test, gone with the value.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, text: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("dtrail-{}-{name}", std::process::id()));
        std::fs::write(&path, text).expect("a temporary file");
        Scratch(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("a plain path")
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.0).expect("it is there")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// `ctypes`, `dtypes`, `ctfpath`, `knodefs`, `tree`, `debug`, `verbose`.
#[test]
fn options_of_the_compiler() {
    let types = Scratch::new("types.btf", "");
    let program = "struct pair { int low : 3; struct pair *next; }; BEGIN { exit(0); }";
    check(&["-qx", &format!("dtypes={}", types.path()), "-n", program], "\n", "", 0);
    // What was written is read as the kernel's own types are.
    let path = format!("ctfpath={}", types.path());
    let sizes = "BEGIN { printf(\"%d %d\", sizeof (struct pair), offsetof(struct pair, next)); exit(0); }";
    check(&["-qx", &path, "-n", sizes], "16 8\n", "", 0);

    let unknown = "extern int ghost_of_nothing; BEGIN { trace(`ghost_of_nothing); }";
    assert_eq!(run(&["-ex", "knodefs", "-n", unknown]).status.code(), Some(0));
    assert_eq!(run(&["-ex", "kdefs", "-n", unknown]).status.code(), Some(1));

    check(&["-ex", "tree=1", "-n", "BEGIN { exit(0); }"], "", "BEGIN\n{\n\texit(0);\n}\n", 0);
    let debug = "dtrail DEBUG: program BEGIN: 5 bytes, 1 probes matched\ndtrail DEBUG: clause c0: 1 instructions in 1 \
                 blocks, 0 registers\ndtrail DEBUG: 0 variables, 0 aggregations, 1 enablings of 1 probes\n";
    check(&["-ex", "debug", "-n", "BEGIN"], "", debug, 0);
    let shown = |args: &[&str]| run(&[args, &["-e", "-n", "BEGIN { x = 1; }"]].concat()).stderr;
    assert_eq!(shown(&["-x", "verbose"]), shown(&["-S"]));
    assert_ne!(shown(&["-S"]), shown(&["-S", "-x", "disasm=2"]));
}

#[test]
fn a_target_that_is_nobody() {
    let output = run(&["-n", "BEGIN /pid == $target/ { } BEGIN { exit(0); }"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("dtrail: $target is 0: give a command with -c or a process with -p\n"), "{said}");
    // Where events of nobody would be waited for, -q does not hide it.
    let waits = run(&["-qn", "syscall:::entry /pid == $target/ { } tick-10ms { exit(0); }"]);
    match waits.status.code() {
        Some(0) => assert_eq!(
            String::from_utf8_lossy(&waits.stderr),
            "dtrail: $target is 0: give a command with -c or a process with -p\n"
        ),
        _ => println!("skipped: tracing system calls needs root here"),
    }
    check(&["-qn", "BEGIN /pid == $target/ { } BEGIN { exit(0); }"], "\n", "", 0);
    check(
        &["-p", "2147483646", "-n", "BEGIN"],
        "",
        "dtrail: No such process\n  help: `-p 2147483646`: `ps -e` shows the numbers that processes have\n",
        1,
    );
}

#[test]
fn rows_notices_and_statuses() {
    check(&["-qn", "BEGIN { printf(\"%d\\n\", 6 * 7); exit(3); }"], "42\n\n", "", 3);
    let output = run(&["-n", "BEGIN { exit(0); }", "-n", "dtrace:::END"]);
    // The CPU is whichever ran it.
    let rows: Vec<String> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| {
            line.char_indices().map(|(i, c)| if i < 3 && c.is_ascii_digit() { '#' } else { c }).collect()
        })
        .collect();
    assert_eq!(
        rows,
        [
            "CPU     ID                    FUNCTION:NAME",
            "  #      1                           :BEGIN ",
            "  #      2                             :END ",
            "",
        ]
    );
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "dtrail: description 'BEGIN ' matched 1 probe\ndtrail: description 'dtrace:::END' matched 1 probe\n"
    );
}

#[test]
fn scripts_and_their_arguments() {
    let script = Scratch::new(
        "args.d",
        "#!/usr/bin/env -S dtrail -qs\nBEGIN { printf(\"%d %s %s\\n\", $1, $$2, $0); exit(0); }\n",
    );
    check(
        &["-q", "-s", script.path(), "7", "two words"],
        &format!("7 two words {}\n\n", script.path()),
        "",
        0,
    );
    check(&["-s", script.path(), "7", "-q", "x"], &format!("7 x {}\n\n", script.path()), "", 0);
    check(
        &["-qs", script.path(), "7"],
        "",
        &format!(
            "dtrail: failed to compile script {p}: line 2: macro argument $$2 is not defined\n  --> {p}:2:34\n  2 | BEGIN {{ printf(\"%d %s %s\\n\", $1, $$2, $0); exit(0); }}\n    |                                  ^^^\n  help: give another operand, or set `-x defaultargs`\n",
            p = script.path()
        ),
        1,
    );
}

#[test]
fn programs_share_their_variables_in_order() {
    check(
        &["-qn", "BEGIN { g = 1; }", "-n", "END { printf(\"%d\\n\", g); }", "-n", "BEGIN { exit(0); }"],
        "1\n\n",
        "",
        0,
    );
}

#[test]
fn output_goes_to_a_file_and_is_appended() {
    let file = Scratch::new("out", "before\n");
    check(&["-q", "-o", file.path(), "-n", "BEGIN { printf(\"x\\n\"); exit(0); }"], "", "", 0);
    assert_eq!(file.text(), "before\nx\n\n");
    check(
        &["-q", "-o", "/nonexistent/file", "-n", "BEGIN { exit(0); }"],
        "",
        "dtrail: failed to open output file '/nonexistent/file': No such file or directory\n",
        1,
    );
}

#[test]
fn options_from_everywhere() {
    let quiet = Command::new(DTRAIL)
        .args(["-n", "BEGIN { printf(\"%d\", sizeof (execname)); exit(0); }"])
        .envs([("DTRACE_OPT_QUIET", "1"), ("DTRACE_OPT_STRSIZE", "64")])
        .output()
        .expect("it starts");
    assert_eq!((String::from_utf8_lossy(&quiet.stdout), quiet.stderr.len()), ("64\n".into(), 0));
    check(&["-x", "nosuch", "-n", "BEGIN"], "", "dtrail: failed to set -x nosuch: Invalid option name\n", 1);
    check(
        &["-b", "4q", "-n", "BEGIN"],
        "",
        "dtrail: failed to set -b 4q: Invalid value for specified option\n  help: bufsize takes a number of bytes, or one with k, m, g or t\n",
        1,
    );
}

#[test]
fn compile_errors_have_their_place() {
    check(
        &["-qn", "BEGIN { x = \"a\" + 1 * \"b\"; }"],
        "",
        "dtrail: invalid probe specifier BEGIN { x = \"a\" + 1 * \"b\"; }: in action list: operator * requires operands of arithmetic type\n  --> -n:1:19\n  1 | BEGIN { x = \"a\" + 1 * \"b\"; }\n    |                   ^^^^^^^\n",
        1,
    );
    let output = run(&["-xerrtags", "-qn", "syscall::nosuchcall:entry { }"]);
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        err.starts_with("dtrail: invalid probe specifier syscall::nosuchcall:entry { }: [D_PDESC_ZERO] probe description syscall::nosuchcall:entry does not match any probes\n"),
        "{err}"
    );
    assert_eq!(output.status.code(), Some(1));
    check(&["-Zqn", "syscall::nosuchcall:entry { }", "-n", "BEGIN { exit(0); }"], "\n", "", 0);
}

#[test]
fn what_cannot_be_done() {
    check(
        &["-s", "/nonexistent.d"],
        "",
        "dtrail: failed to open /nonexistent.d: No such file or directory\n",
        1,
    );
    let usage = "  help: usage: dtrail -n 'PROBE /PREDICATE/ { ACTIONS }', or dtrail -s SCRIPT [ARGS]; see dtrail --help\n";
    check(&[], "", &format!("dtrail: no probes specified\n{usage}"), 1);
    check(&["-c", "/bin/true"], "", &format!("dtrail: no probes specified\n{usage}"), 1);
    check(
        &["-e", "BEGIN { exit(0); }"],
        "",
        "dtrail: no probes specified\n  help: did you mean `-n 'PROGRAM'`?\n",
        1,
    );
    check(&["a.d"], "", "dtrail: no probes specified\n  help: did you mean `-s a.d`?\n", 1);
    check(
        &["-qn", "syscall::read:entry { }", "-c", "/nonexistent/program x"],
        "",
        "dtrail: failed to execute /nonexistent/program: No such file or directory\n",
        1,
    );
    check(&["-qn", "BEGIN", "-p", "0x"], "", "dtrail: invalid pid: 0x\n", 1);
    // Processes come before scripts.
    check(&["-s", "/nonexistent.d", "-p", "0x"], "", "dtrail: invalid pid: 0x\n", 1);
    check(
        &["--engine=rbpf", "-n", "BEGIN"],
        "",
        "dtrail: engine 'rbpf' runs made-up events only: give --source=synthetic=FILE\n",
        2,
    );
    let usage = run(&["-y"]);
    let err = String::from_utf8_lossy(&usage.stderr).into_owned();
    assert!(err.starts_with("dtrail: illegal option -- y\nUsage: dtrail "), "{err}");
    assert_eq!(usage.status.code(), Some(2));
}

#[test]
fn lists() {
    check(
        &["-l", "-n", "BEGIN", "-n", "dtrace:::E*"],
        "   ID   PROVIDER            MODULE                          FUNCTION NAME\n    1     dtrace                                                     BEGIN\n    2     dtrace                                                     END\n    3     dtrace                                                     ERROR\n",
        "",
        0,
    );
    const HEADING: &str = "   ID   PROVIDER            MODULE                          FUNCTION NAME\n";
    for (args, said, status) in [
        (
            &["-lP", "sycall"][..],
            "failed to match sycall:::: No probe matches description\n  help: did you mean syscall?\n",
            0,
        ),
        (
            &["-ln", "syscall::opnat:entry"],
            "failed to match syscall::opnat:entry: No probe matches description\n  help: did you mean openat?\n",
            0,
        ),
        (
            &["-ln", "syscall:openat:entry"],
            "failed to match :syscall:openat:entry: No probe matches description\n  \
             help: did you mean `syscall::openat:entry`?\n",
            0,
        ),
        (
            &["-l", "syscall::openat:*"],
            "extraneous argument 'syscall::openat:*' ($1 is not referenced)\n  \
             help: did you mean `-ln 'syscall::openat:*'`?\n",
            1,
        ),
        (
            &["-l", "syscall"],
            "extraneous argument 'syscall' ($1 is not referenced)\n  \
             help: did you mean `-lP syscall`, or `-lf syscall`?\n",
            1,
        ),
    ] {
        check(args, if status == 0 { HEADING } else { "" }, &format!("dtrail: {said}"), status);
    }
    check(
        &["-ln", "ghost:::x"],
        "   ID   PROVIDER            MODULE                          FUNCTION NAME\n",
        "dtrail: failed to match ghost:::x: No probe matches description\n",
        0,
    );
}

/// What a process's addresses and pointers need to become strings.
#[test]
fn strings_of_processes_get_advice() {
    let help = |program: &str| {
        let output = run(&["-en", program]);
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        err.lines().last().unwrap_or_default().to_owned()
    };
    for (program, expected) in [
        (
            "syscall::open*:entry { printf(\"%s\", arg0); }",
            "  help: copyinstr() reads the string at an address of the traced process",
        ),
        (
            "syscall::openat:entry { trace(copyinstr(args[1])); }",
            "  help: use `arg1`, or a cast to `uintptr_t`",
        ),
        ("BEGIN { p = (char *)8; trace(copyinstr(p)); }", "  help: use a cast to `uintptr_t`"),
    ] {
        assert_eq!(help(program), expected, "{program}");
    }
}

#[test]
fn descriptions_of_other_tracers_get_advice() {
    let heading = "   ID   PROVIDER            MODULE                          FUNCTION NAME\n";
    check(
        &["-ln", "tick-100us"],
        heading,
        "dtrail: failed to match :::tick-100us: No probe matches description\n  help: the shortest period is 200us: use `tick-200us`\n",
        0,
    );
    check(
        &["-n", "interval:s:5 { trace(1); }"],
        "",
        "dtrail: invalid probe specifier interval:s:5 { trace(1); }: probe description :interval:s:5 does not match any probes\n  --> -n:1:1\n  1 | interval:s:5 { trace(1); }\n    | ^^^^^^^^^^^^\n  help: timers are written `tick-5s`\n",
        1,
    );
}

#[test]
fn versions_and_help() {
    check(&["-V"], "dtrail: dtrail D 2.0\n", "", 0);
    check(&["--version"], &format!("dtrail {}\n", env!("CARGO_PKG_VERSION")), "", 0);
    let help = run(&["--help"]);
    assert!(String::from_utf8_lossy(&help.stdout).starts_with("Usage: dtrail [OPTIONS] [ARGS]\n"));
    assert_eq!(help.status.code(), Some(0));
}

#[test]
fn compiling_only() {
    check(&["-e", "-n", "BEGIN { trace(1); }"], "", "", 0);
    let report = run(&["-ev", "-n", "dtrace:::BEGIN { trace(1); }"]);
    let out = String::from_utf8_lossy(&report.stdout).into_owned();
    assert!(out.starts_with("\nStability attributes for description dtrace:::BEGIN :\n\n\tMinimum Probe Description Attributes\n\t\tIdentifier Names: Stable\n"), "{out}");
}

#[test]
fn plans_and_forms() {
    let program = "syscall::read:entry { self->t = timestamp; } syscall::read:return /self->t/ { @[execname] = quantize(timestamp - self->t); self->t = 0; } tick-2s { exit(0); }";
    let out = String::from_utf8(run(&["--source=bpf", "--explain", "-n", program]).stdout).expect("text");
    assert!(out.starts_with("source bpf\n"), "{out}");
    assert_eq!(out.matches("\n  user: ").count(), 0, "{out}");
    for record in ["read:entry: clause 0: none", "read:return: clause 1: none"] {
        assert!(out.contains(&format!("syscall:vmlinux:{record}")), "{out}");
    }
    assert!(out.contains("self->t: kernel, "), "{out}");
    let out = String::from_utf8(run(&["--source=ptrace", "--explain", "-n", program]).stdout).expect("text");
    assert!(out.starts_with("source ptrace\nno part of this program runs in the kernel: "), "{out}");
    for (form, word) in [("ast", "syscall::read:entry\n"), ("ir", "clause c0 {"), ("ebpf", "map_lookup_elem")]
    {
        let output = run(&["--source=bpf", &format!("--dump={form}"), "-n", program]);
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(out.contains(word), "{form}: {out} {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn more_clauses_than_a_kernel_program_takes() {
    let explained = |count: usize| {
        let script = Scratch::new("many.d", &"syscall::read:entry { trace(1); }\n".repeat(count));
        String::from_utf8(run(&["--source=bpf", "--explain", "-s", script.path()]).stdout).expect("text")
    };
    let too_many = "source bpf\nall state is kept in user space: one probe runs 4096 clauses, more than one kernel program takes\n";
    let out = explained(4096);
    assert!(out.starts_with(too_many), "{}", &out[..200]);
    let out = explained(300);
    assert!(!out.contains("all state is kept in user space"), "{}", &out[..200]);
}

#[test]
fn json_rows_name_the_cpu_in_quiet_mode_too() {
    let events = Scratch::new("cpu.events", "thread 7\nat 1 syscall::read:entry cpu=1\n");
    let source = format!("--source=synthetic={}", events.path());
    for engine in ["interp", "jit", "rbpf"] {
        let output =
            run(&[&source, "--engine", engine, "--format", "json", "-qn", "syscall::read:entry{trace(1);}"]);
        let out = String::from_utf8(output.stdout).expect("text");
        let rows: Vec<&str> = out.lines().filter(|line| line.starts_with("{\"type\":\"row\"")).collect();
        assert_eq!(rows.len(), 1, "{out}");
        assert!(rows[0].starts_with("{\"type\":\"row\",\"cpu\":1,"), "{engine}: {out}");
    }
}

#[test]
fn made_up_events_on_the_command_line() {
    let events = Scratch::new(
        "a.events",
        "thread 7 execname=cat\nat 1ms syscall::read:entry args=3,0,64\nat +1us syscall::read:return ret=64\n",
    );
    let program = "syscall::read:entry { @[execname] = sum(arg2); }";
    for engine in ["interp", "rbpf"] {
        let source = format!("--source=synthetic={}", events.path());
        check(
            &[&source, "--engine", engine, "-qn", program],
            "\n  cat                                                              64\n",
            "",
            0,
        );
        // What is shown is what runs: the program that made-up events go through.
        let output = run(&[&source, "--engine", engine, "--dump=ebpf", "-n", program]);
        let out = String::from_utf8(output.stdout).expect("text");
        let shown = if engine == "rbpf" { "\nprogram inject_0 on Inject:\n" } else { "no kernel part\n" };
        assert!(out.contains(shown) && !out.contains("SysEnter"), "{out}");
    }
    let bad = Scratch::new("bad.events", "at 1ms syscall::read:enter tid=1\n");
    let output = run(&[&format!("--source=synthetic={}", bad.path()), "-qn", program]);
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        err.contains(&format!("failed to read events from {}: line 1, column 8: no probe", bad.path())),
        "{err}"
    );
    assert_eq!(output.status.code(), Some(1));
}

/// Whatever is printed, a full disk is told; a reader that has gone is not.
#[test]
fn a_full_disk_is_told() {
    let program = "BEGIN { exit(0); }";
    let modes: &[&[&str]] = &[
        &["-ln", "BEGIN"],
        &["-evn", program],
        &["--explain", "-n", program],
        &["--dump=ast", "-n", program],
        &["--dump=ir", "-n", program],
        &["--help"],
        &["-V"],
        &["--version"],
    ];
    for args in modes {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
        let output = Command::new(DTRAIL).args(*args).stdout(full).output().expect("it starts");
        assert_eq!(
            (String::from_utf8_lossy(&output.stderr).as_ref(), output.status.code()),
            ("dtrail: failed to write to standard output: No space left on device\n", Some(1)),
            "{args:?}"
        );
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = Command::new(DTRAIL).args(*args).stdout(writer).output().expect("it starts");
        assert_eq!((output.stderr.as_slice(), output.status.code()), (&b""[..], Some(0)), "{args:?}");
    }
}

/// timeout(1) signals its child and, at once, its group: that is one request.
#[test]
fn two_signals_at_once_are_one_request() {
    let mut child = Command::new(DTRAIL)
        .args(["-qn", "BEGIN { @[\"kept\"] = count(); printf(\"on\\n\"); }"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut out = BufReader::new(child.stdout.take().expect("piped"));
    let mut text = String::new();
    out.read_line(&mut text).expect("a line");
    for _ in 0..2 {
        // SAFETY: the child is ours and not yet waited for.
        unsafe { libc::kill(child.id() as i32, libc::SIGTERM) };
    }
    out.read_to_string(&mut text).expect("the rest");
    assert_eq!(text, "on\n\n\n  kept                                                              1\n");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn events_that_are_not_there_are_missed() {
    let empty = Scratch::new("empty.events", "# nothing yet\n");
    check(
        &[&format!("--source=synthetic={}", empty.path()), "-n", "syscall::read:entry"],
        "\n",
        &format!(
            "dtrail: description 'syscall::read:entry' matched 1 probe\ndtrail: warning: no events in {}\n",
            empty.path()
        ),
        0,
    );
}

#[test]
fn a_script_may_come_from_standard_input() {
    let mut child = Command::new(DTRAIL)
        .args(["-qs", "-", "5"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("piped");
    input.write_all(b"BEGIN { printf(\"%d %s\\n\", $1, $0); exit(0); }\n").expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(
        (String::from_utf8_lossy(&output.stdout).as_ref(), output.status.code()),
        ("5 -\n\n", Some(0))
    );
}

#[test]
fn ticks_in_the_tracer() {
    let program = "BEGIN { n = 0; } tick-20ms { n++; printf(\"%d\\n\", n); } tick-20ms /n == 3/ { exit(0); }";
    let output = run(&["-qn", program]);
    assert_eq!((&*output.stdout, output.status.code()), (&b"1\n2\n3\n\n"[..], Some(0)));
    // A busy machine may leave ticks out, and says so.
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.lines().all(|line| line.contains(" tick firing")), "{err}");
}

/// Called `dtrace`, it is as terse as dtrace(1), and traces nothing without privilege.
#[test]
fn as_dtrace() {
    let link = std::env::temp_dir().join(format!("dtrail-{}-dir", std::process::id()));
    let _ = std::fs::create_dir(&link);
    let dtrace = link.join("dtrace");
    let _ = std::fs::remove_file(&dtrace);
    std::os::unix::fs::symlink(DTRAIL, &dtrace).expect("a link");
    let output = Command::new(&dtrace).args(["-qn", "BEGIN { x = y; }", "-e"]).output().expect("it starts");
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "dtrace: invalid probe specifier BEGIN { x = y; }: in action list: failed to resolve y: Unknown variable name\n"
    );
    if dtrail_kernel_bridge::caps::can_bpf().is_err() {
        let output = Command::new(&dtrace).args(["-qn", "BEGIN { exit(0); }"]).output().expect("it starts");
        assert_eq!(
            String::from_utf8_lossy(&output.stderr),
            "dtrace: run as root for tracing and listing probes\n"
        );
        assert_eq!(output.status.code(), Some(2));
    }
    let _ = std::fs::remove_dir_all(&link);
}

#[test]
fn a_text_without_end_is_refused() {
    check(
        &["-qs", "/dev/zero"],
        "",
        "dtrail: failed to open /dev/zero: it has more than 64 MiB, which is no D program\n",
        1,
    );
}

/// Every file that is read whole: what has no end, or no beginning, is refused by name.
#[test]
fn files_without_end_are_refused() {
    let folder = std::env::temp_dir().join(format!("dtrail-{}-endless", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let at = |name: &str| folder.join(name).to_str().expect("a plain path").to_owned();
    for name in ["zero", "fifo", "folder/x.d"] {
        std::fs::create_dir_all(folder.join(name)).expect("a temporary folder");
    }
    std::os::unix::fs::symlink("/dev/zero", at("zero/x.d")).expect("a link");
    assert!(Command::new("mkfifo").arg(at("fifo/x.d")).status().expect("it starts").success());
    let script = Scratch::new("endless.d", "BEGIN { exit(0); }");
    let probes = Scratch::new("endless-provider.d", "provider p { probe a(); };");
    let cpp = at("cpp");
    // Written by a process of its own: a file that a child of another test has open for writing cannot be run.
    let write = "printf '#!/bin/sh\\nexec cat /dev/zero\\n' > \"$1\" && chmod 755 \"$1\"";
    assert!(Command::new("sh").args(["-c", write, "sh", &cpp]).status().expect("it starts").success());

    let program = "BEGIN { exit(0); }";
    let plain = |name: &str, what: &str| {
        format!("dtrail: failed to open {name}: it is no plain file, as {what} has to be\n")
    };
    let events = "dtrail: failed to open /dev/zero: it has more than 256 MiB, which is no event file\n";
    check(&["--source=synthetic=/dev/zero", "-qn", program], "", events, 1);
    for name in ["zero", "fifo"] {
        let said = plain(&at(&format!("{name}/x.d")), "a D library");
        check(&["-L", &at(name), "-qn", program], "", &said, 1);
    }
    let said = format!("dtrail: failed to open {}: Is a directory\n", at("folder/x.d"));
    check(&["-L", &at("folder"), "-qn", program], "", &said, 1);
    let said = format!(
        "dtrail: failed to link script {}: failed to open /dev/zero: it is no plain file, as an object has to be\n",
        probes.path()
    );
    check(&["-G", "-s", probes.path(), "/dev/zero"], "", &said, 1);
    let said = format!(
        "dtrail: failed to compile script {}: cannot take the text of the C preprocessor {cpp}: it has more than 64 MiB, \
         which is no D program\n",
        script.path()
    );
    check(&["-C", "-x", &format!("cpppath={cpp}"), "-qs", script.path()], "", &said, 1);
    for name in ["/dev/zero".to_owned(), at("fifo/x.d")] {
        let output =
            run(&["-x", &format!("ctfpath={name}"), "-n", "BEGIN { trace(sizeof (struct ghost)); }"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let why = format!("cannot be read from {name} (ctfpath): it is no plain file, as BTF has to be\n");
        assert!(said.ends_with(&why), "{said}");
        assert_eq!(output.status.code(), Some(1));
    }

    // A script may come from a FIFO.
    let fifo = at("fifo/x.d");
    let writer = std::thread::spawn({
        let fifo = fifo.clone();
        move || std::fs::write(fifo, "BEGIN { trace(7); exit(0); }")
    });
    check(&["-qs", &fifo], "7\n", "", 0);
    writer.join().expect("it writes").expect("to a reader");
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn sizes_that_cannot_be_had_are_told() {
    let program = "BEGIN { @[1] = count(); x[1] = 1; printf(\"%d\", x[1]); exit(0); }";
    check(
        &["-xbufsize=1000", "-xbufsize=5000", "-qn", program],
        "1\n        1                1\n",
        "bufsize increased to 8192\n",
        0,
    );
    check(
        &["-xaggsize=1", "-xdynvarsize=3", "-qn", "BEGIN { exit(0); }"],
        "\n",
        "dtrail: aggregation size lowered to 1 \ndtrail: dynamic variable size lowered to 3 \n",
        0,
    );
    let pragma = "#pragma D option aggsize=1\n#pragma D option quietresize\nBEGIN { exit(0); }";
    let script = Scratch::new("quietresize.d", pragma);
    check(&["-qs", script.path()], "\n", "", 0);
}

#[test]
fn a_small_stack_is_enough() {
    let deep =
        format!("BEGIN {{ x = {}1{}; printf(\"%d\", x); exit(0); }}", "(".repeat(190), ")".repeat(190));
    let chain = format!("BEGIN {{ x = {}1; printf(\"%d\", x); exit(0); }}", "1 + ".repeat(490));
    for (program, out) in [(deep, "1\n"), (chain, "491\n")] {
        let output = Command::new("sh")
            .args(["-c", "ulimit -s 64 && exec \"$0\" \"$@\"", DTRAIL, "-qn", &program])
            .stdin(Stdio::null())
            .output()
            .expect("a shell");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!((&*err, String::from_utf8_lossy(&output.stdout)), ("", out.into()));
    }
}

#[test]
fn scripts_are_preprocessed() {
    if Command::new("cpp").arg("--version").output().is_err() {
        println!("skipped: there is no cpp");
        return;
    }
    let script = Scratch::new(
        "cpp.d",
        "#!/usr/sbin/dtrace -Cs\n// gone\n#include \"dtrail-cpp.h\"\n#define CLAUSE(p, n) p { printf(\"%d %d\\n\", n, N); }\n\
         #if defined(__linux) && __SUNW_D == 1 && !defined(__GNUC__)\nCLAUSE(BEGIN, ONE)\n#endif\nBEGIN { exit(0); }\n",
    );
    let header = std::env::temp_dir().join("dtrail-cpp.h");
    std::fs::write(&header, "#define ONE 1\n").expect("a temporary file");
    check(&["-q", "-C", "-D", "N=7", "-s", script.path()], "1 7\n\n", "", 0);
    check(&["-q", "-x", "cpp", "-x", "define=N=8", "-s", script.path()], "1 8\n\n", "", 0);
    // The name is the script's on its own lines, and the header's on the header's; numbers are those that were written.
    let path = script.path();
    let wrong =
        format!("failed to compile script {path}: line 6: failed to resolve N: Unknown variable name");
    let output = run(&["-C", "-s", path]);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.starts_with(&format!("dtrail: {wrong}\n")), "{err}");
    std::fs::write(&header, "#define ONE 1\n\nint int;\n").expect("a temporary file");
    let output = run(&["-C", "-DN=1", "-s", path]);
    let err = String::from_utf8_lossy(&output.stderr);
    let place = format!("failed to compile script {path}: \"{}\", line 3: ", header.display());
    assert!(err.starts_with(&format!("dtrail: {place}")), "{err}");
    let _ = std::fs::remove_file(&header);
    // What cpp refuses, and no cpp at all.
    let wrong = Scratch::new("cpp-error.d", "#error no luck\n");
    let output = run(&["-C", "-s", wrong.path()]);
    let err = String::from_utf8_lossy(&output.stderr);
    let last = format!(
        "dtrail: failed to compile script {}: Preprocessor failed to process input program\n",
        wrong.path()
    );
    assert!(err.contains("#error no luck") && err.ends_with(&last), "{err}");
    check(
        &["-C", "-x", "cpppath=/nonexistent/cpp", "-s", wrong.path()],
        "",
        &format!(
            "dtrail: failed to compile script {}: cannot run the C preprocessor /nonexistent/cpp: No such file or \
             directory\n  help: install a C preprocessor, or name one with -x cpppath=PATH\n",
            wrong.path()
        ),
        1,
    );
    // Strings are not preprocessed.
    check(&["-qC", "-DN=7", "-n", "inline int N = 2; BEGIN { trace(N); exit(0); }"], "2\n", "", 0);
}

#[test]
fn libraries_are_compiled_first() {
    let dir = std::env::temp_dir().join(format!("dtrail-{}-lib", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a temporary folder");
    let write = |name: &str, text: &str| std::fs::write(dir.join(name), text).expect("a temporary file");
    write("a.d", "#pragma D depends_on library b.d\ninline int two = one + one;\n");
    write("b.d", "inline int one = 1;\n");
    write("c.d", "#pragma D depends_on provider nosuch\ninline int three = 3;\n");
    let lib = dir.to_str().expect("a plain path");
    check(&["-q", "-L", lib, "-n", "BEGIN { trace(two); exit(0); }"], "2\n", "", 0);
    let unknown = |name: &str| {
        format!(
            "dtrail: invalid probe specifier BEGIN {{ trace({name}); }}: in action list: failed to resolve {name}: "
        )
    };
    for (args, name) in [(&["-L", lib][..], "three"), (&["-L", lib, "-x", "nolibs"], "two"), (&[], "two")] {
        let program = format!("BEGIN {{ trace({name}); }}");
        let output = run(&[args, &["-n", &program]].concat());
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(err.starts_with(&unknown(name)), "{err}");
    }
    write("d.d", "inline int four = x;\n");
    let output = run(&["-L", lib, "-n", "BEGIN"]);
    let err = String::from_utf8_lossy(&output.stderr);
    let expected =
        format!("dtrail: invalid probe specifier BEGIN: \"{lib}/d.d\", line 1: failed to resolve x: ");
    assert!(err.starts_with(&expected), "{err}");
    let _ = std::fs::remove_dir_all(&dir);
    let missing = format!("dtrail: failed to open {lib}: No such file or directory\n");
    check(&["-L", lib, "-n", "BEGIN"], "", &missing, 1);
}

/// What only the libraries define is told with the reason.
#[test]
fn what_is_known_without_libraries() {
    let empty = std::env::temp_dir().join(format!("dtrail-{}-nothing", std::process::id()));
    std::fs::create_dir_all(&empty).expect("a temporary folder");
    let syslibdir = format!("syslibdir={}", empty.to_str().expect("a plain path"));
    let of_libraries = |name: &str, kind: &str| {
        format!("  help: {name} is a {kind} of the libraries, which `nolibs` and `syslibdir` leave out")
    };
    for (program, name, kind) in [
        ("BEGIN { trace(curpsinfo->pr_pid); }", "curpsinfo", "variable"),
        ("BEGIN { trace(fds[0].fi_name); }", "fds", "variable"),
        ("BEGIN { trace(cwd); }", "cwd", "variable"),
        ("BEGIN { x = (psinfo_t *)0; }", "psinfo_t", "type"),
        ("BEGIN { trace(xlate<psinfo_t>(curthread).pr_pid); }", "psinfo_t", "type"),
        ("BEGIN { trace(sizeof (psinfo_t)); }", "psinfo_t", "type"),
        ("psinfo_t *x; BEGIN { }", "psinfo_t", "type"),
        ("proc:::create { trace(args[0]->pr_pid); }", "psinfo_t", "type"),
        ("BEGIN { x = NULL; }", "NULL", "constant"),
    ] {
        for option in ["nolibs", &syslibdir] {
            let output = run(&["-x", option, "-en", program]);
            let err = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(err.lines().last(), Some(of_libraries(name, kind).as_str()), "{option}: {program}");
            assert_eq!(output.status.code(), Some(1));
        }
    }
    let _ = std::fs::remove_dir_all(&empty);
    // Members are no names by themselves.
    let output = run(&["-x", "nolibs", "-en", "BEGIN { trace(pr_pid); }"]);
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(err.lines().last(), Some("  help: did you mean ppid?"), "{err}");
    // What a program defines itself is known.
    check(&["-x", "nolibs", "-qn", "inline int cwd = 3; BEGIN { trace(cwd); exit(0); }"], "3\n", "", 0);
}

/// Editors put a mark before a script that says it is UTF-8.
#[test]
fn a_script_with_a_byte_order_mark() {
    let script = Scratch::new("mark.d", "\u{feff}#pragma D option quiet\nBEGIN { trace(1); exit(0); }\n");
    check(&["-s", script.path()], "1\n", "", 0);
    check(&["-C", "-s", script.path()], "1\n", "", 0);
    let wrong = Scratch::new("marked.d", "\u{feff}BEGIN { trace(ghost); }\n");
    let output = run(&["-es", wrong.path()]);
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    let place = format!("  --> {}:1:15", wrong.path());
    assert_eq!(err.lines().nth(1), Some(place.as_str()), "{err}");
}

/// The header is all that a C program needs to have probes; an object of `-G` may be linked beside it.
#[test]
fn headers_and_objects_for_probes() {
    let dir = std::env::temp_dir().join(format!("dtrail-{}-probes", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a temporary folder");
    let write = |name: &str, text: &str| std::fs::write(dir.join(name), text).expect("a temporary file");
    let tool = |name: &str, args: &[&str]| {
        let output = Command::new(name).args(args).current_dir(&dir).stdin(Stdio::null()).output();
        let output = output.expect("it starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr), output.status.code())
    };
    let said = |err: &str, status: i32| (String::new(), err.to_owned(), Some(status));
    write("p.d", "provider my_prov { probe go__here(int, char *, uint64_t); probe stop(); };\n");
    assert_eq!(tool(DTRAIL, &["-h", "-s", "p.d"]), said("", 0));
    let header = std::fs::read_to_string(dir.join("p.h")).expect("a header");
    for line in [
        "#ifndef\t_P_H",
        "#define\tMY_PROV_GO_HERE(arg0, arg1, arg2) \\",
        "#define\tMY_PROV_GO_HERE_ENABLED() \\",
        "#define\tMY_PROV_STOP()",
        "#define\tMY_PROV_STOP_ENABLED()\t(0)",
    ] {
        assert!(header.lines().any(|l| l == line), "{line}\n{header}");
    }
    assert_eq!(tool(DTRAIL, &["-h", "-s", "p.d", "-o", "other-name.h"]), said("", 0));
    assert!(std::fs::read_to_string(dir.join("other-name.h")).expect("a header").contains("_OTHER_NAME_H\n"));
    assert_eq!(tool(DTRAIL, &["-G", "-s", "p.d", "nosuch.o"]).1, {
        "dtrail: failed to link script p.d: failed to open nosuch.o: No such file or directory\n"
    });
    let clauses = "dtrail: failed to link description BEGIN: an object that enables probes when it is run has no \
                   counterpart on Linux\n  help: trace the program with the script, as -s SCRIPT -c COMMAND\n";
    assert_eq!(tool(DTRAIL, &["-G", "-n", "BEGIN"]), said(clauses, 1));
    if Command::new("gcc").arg("--version").output().is_err() {
        println!("skipped: there is no gcc");
        let _ = std::fs::remove_dir_all(&dir);
        return;
    }
    write(
        "m.c",
        "#include \"p.h\"\nint main(int argc, char **argv)\n{\n\tMY_PROV_GO_HERE(argc, argv[0], 7);\n\t\
         MY_PROV_STOP();\n\treturn MY_PROV_GO_HERE_ENABLED() ? 1 : 0;\n}\n",
    );
    for level in ["-O0", "-O2"] {
        assert_eq!(tool("gcc", &["-Wall", "-Wextra", "-Werror", level, "-c", "m.c"]), said("", 0));
        assert_eq!(tool(DTRAIL, &["-G", "-s", "p.d", "m.o"]), said("", 0));
        for objects in [&["m.o"][..], &["m.o", "p.o"]] {
            assert_eq!(tool("gcc", &[&["-o", "m"], objects].concat()), said("", 0));
            assert_eq!(tool(dir.join("m").to_str().expect("a plain path"), &[]), said("", 0));
        }
        let (notes, ..) = tool("readelf", &["-n", "m"]);
        let told: Vec<&str> = notes.lines().map(str::trim).filter(|l| !l.starts_with("Location")).collect();
        let at =
            |line: &str| told.iter().position(|l| *l == line).unwrap_or_else(|| panic!("{line}\n{notes}"));
        assert_eq!(told[at("Name: go__here") - 1], "Provider: my_prov");
        assert!(told[at("Name: go__here") + 1].starts_with("Arguments: -4@"), "{notes}");
        assert!(told[at("Name: go__here") + 1].contains(" 8@"), "{notes}");
        assert_eq!(told[at("Name: stop") + 1], "Arguments:");
    }
    write(
        "old.c",
        "void __dtrace_my_prov___stop(void);\nint main(void) { __dtrace_my_prov___stop(); return 0; }\n",
    );
    assert_eq!(tool("gcc", &["-c", "old.c"]), said("", 0));
    let old = "dtrail: failed to link script p.d: old.o calls __dtrace_my_prov___stop, a probe of another system's \
               header\n  help: compile it with the header that `-h` makes here, whose probes need no -G\n";
    assert_eq!(tool(DTRAIL, &["-G", "-s", "p.d", "old.o"]), said(old, 1));
    let _ = std::fs::remove_dir_all(&dir);
}
