//! What the command says, prints and returns: dtrace(1)'s options, errors and exit statuses. Needs no privilege.

#![allow(clippy::expect_used, reason = "a test fails by a panic, and its parts are no `#[test]` functions")]

mod running;

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use running::{DTRAIL, Scratch, check, run};

/// What a file holds.
fn written(file: &Scratch) -> String {
    std::fs::read_to_string(file.path()).expect("it is there")
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
fn output_goes_to_a_file_and_is_appended() {
    let file = Scratch::new("out", "before\n");
    check(&["-q", "-o", file.path(), "-n", "BEGIN { printf(\"x\\n\"); exit(0); }"], "", "", 0);
    assert_eq!(written(&file), "before\nx\n\n");
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
    // Where nothing is known that was meant.
    check(
        &["-xerrtags", "-qn", "syscall::nosuchcall:entry { }"],
        "",
        "dtrail: invalid probe specifier syscall::nosuchcall:entry { }: [D_PDESC_ZERO] probe description \
         syscall::nosuchcall:entry does not match any probes\n  --> -n:1:1\n  1 | syscall::nosuchcall:entry { }\n    \
         | ^^^^^^^^^^^^^^^^^^^^^^^^^\n  help: `-Z` permits descriptions that match nothing\n",
        1,
    );
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
    // A process is named without being traced: `$target` is its number, or with a command that is not started some number.
    let own = std::process::id().to_string();
    let of_target = "BEGIN { printf(\"%A\", ucaller); trace(100 / $target); }";
    for target in [&["-p", own.as_str()][..], &["-c", "/bin/false"]] {
        check(&[&["-e", "-n", of_target], target].concat(), "", "", 0);
    }
    let constant = run(&["--dump=ir", "-n", "BEGIN { trace($target); }", "-p", &own]);
    assert!(String::from_utf8_lossy(&constant.stdout).contains(&format!(" = {own}\n")), "{constant:?}");
    let nobody =
        "dtrail: No such process\n  help: `-p 4194999`: `ps -e` shows the numbers that processes have\n";
    check(&["-e", "-n", "BEGIN", "-p", "4194999"], "", nobody, 1);
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
    let too_many = "\nall state is kept in user space: one probe runs 4096 clauses, more than one kernel program takes\n";
    let out = explained(4096);
    assert!(out.starts_with("source bpf\n") && out.contains(too_many), "{}", &out[..200]);
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

/// A closed standard output is not `/dev/null`: what was to go there is told as lost. A file of `-o` takes its place.
#[test]
fn a_closed_standard_output_is_told() {
    let file = std::env::temp_dir().join(format!("dtrail-closed-{}", std::process::id()));
    let run = |rest: &str| {
        let script = format!("exec {DTRAIL} {rest}");
        let output = Command::new("sh").args(["-c", &script]).output().expect("it starts");
        (String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code())
    };
    let program = "-qn 'BEGIN { printf(\"x\"); exit(3); }'";
    let aborted = "dtrail: processing aborted: Bad file descriptor\n";
    assert_eq!(run(&format!("{program} >&-")), (aborted.to_owned(), Some(1)));
    let failed = "dtrail: failed to write to standard output: Bad file descriptor\n";
    assert_eq!(run("-ln BEGIN >&-"), (failed.to_owned(), Some(1)));
    assert_eq!(run(&format!("{program} >/dev/null")), (String::new(), Some(3)));
    assert_eq!(run(&format!("-o {} {program} >&-", file.display())), (String::new(), Some(3)));
    assert_eq!(std::fs::read_to_string(&file).expect("it was written"), "x\n");
    let _ = std::fs::remove_file(&file);
}

/// What people write who expect `-c` to read as a shell does.
#[test]
fn commands_are_one_word_without_quotes() {
    for (args, expected) in [
        (
            &["-qn", "END", "-c", "true", "/etc/hosts"][..],
            "a command with arguments is one word: -c 'true /etc/hosts'",
        ),
        (&["-qn", "END", "/etc/hosts"], "`-x argref` allows arguments that the program does not use"),
        (
            &["--source=ptrace", "-qn", "END", "-c", "'true'"],
            "-c knows no quotes: words are what blanks part; put what needs them into a script",
        ),
    ] {
        let output = Command::new(DTRAIL).args(args).output().expect("it starts");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            (err.lines().last(), output.status.code()),
            (Some(&*format!("  help: {expected}")), Some(1))
        );
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
fn ticks_in_the_tracer() {
    let program = "BEGIN { n = 0; } tick-20ms { n++; printf(\"%d\\n\", n); } tick-20ms /n == 3/ { exit(0); }";
    let output = run(&["-qn", program]);
    assert_eq!((&*output.stdout, output.status.code()), (&b"1\n2\n3\n\n"[..], Some(0)));
    // A busy machine may leave ticks out, and says so.
    let err = String::from_utf8_lossy(&output.stderr);
    let ticks = [" tick firing", "help: they were due while"];
    assert!(err.lines().all(|line| ticks.iter().any(|tick| line.contains(tick))), "{err}");
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

/// One rule for what is said before, at and after a run: lines of help are for those who did not call dtrace(1).
#[test]
fn help_follows_every_kind_of_message_and_none_of_dtrace() {
    use std::os::unix::process::CommandExt;
    let fault = "error in dt_clause_0 for probe ID 1 (dtrace:::BEGIN): out of scratch space at insn";
    let cases: [(&[&str], &str, &str); 6] = [
        (&["--explian"], "illegal option -- explian", "did you mean --explain?"),
        (
            &["-x", "bufsize=4q"],
            "failed to set -x bufsize: Invalid value for specified option",
            "bufsize takes a number of bytes, or one with k, m, g or t",
        ),
        (&["-qn", "BEGIN { trace(exename); }"], "Unknown variable name", "did you mean execname?"),
        (
            &["-b", "4k", "-qx", "strsize=8k", "-n", "BEGIN { trace(execname); exit(0); }"],
            "could not enable tracing: Enabling exceeds size of buffer",
            "raise `-x bufsize`",
        ),
        (
            &["-qx", "scratchsize=0", "-n", "BEGIN { x = 1; trace(alloca(x)); } BEGIN { exit(0); }"],
            fault,
            "a clause has 0 bytes of it; `-x scratchsize=256` has room for more",
        ),
        (
            &["-qx", "nspec=0", "-n", "BEGIN { speculation(); exit(0); }"],
            "1 failed speculation (no speculative buffer available)",
            "a larger `-x nspec` allows more speculations at a time",
        ),
    ];
    for (args, message, help) in cases {
        for name in ["dtrail", "dtrace"] {
            let args = [&["--source=ptrace"], args].concat();
            let output = Command::new(DTRAIL).arg0(name).args(&args).stdin(Stdio::null()).output();
            let said = String::from_utf8_lossy(&output.expect("it starts").stderr).into_owned();
            assert!(said.contains(message), "{name} {args:?}: {said}");
            let advice: Vec<&str> =
                said.lines().filter_map(|line| Some(line.split_once("help: ")?.1)).collect();
            let expected: &[&str] = if name == "dtrail" { &[help] } else { &[] };
            assert_eq!(advice, expected, "{name} {args:?}: {said}");
        }
    }
}
