//! What traced processes choose (their names, their strings, the symbols of their files) cannot command a terminal: every
//! path from an event to the screen. Files and pipes get the exact bytes. Needs no privilege.

#![allow(clippy::expect_used, reason = "a test fails by a panic, and its parts are no `#[test]` functions")]

use std::path::PathBuf;

use dtrail::{Environment, Invocation};

/// A machine whose processes, files and probes are hostile: each name holds an escape sequence.
const EVENTS: &str = r#"
probe sdt:m:bad:tell
mapping kernel 0xffffffff81000000 0x1000 "k\x1b[1m"
symbol kernel 0xffffffff81000000 0x100 "ks\x1b[2m"
mapping 100 0x400000 0x1000 "m\x1b[3m"
symbol 100 0x400000 0x100 "us\x1b[4m"
made 100 0x600000 0x100 "j\x1b[5m"
made 100 0x600100 0x100 "@a\x1b[6m"
memory 0x10000 "s\x1b[7m\xc2\x9b\x07\r\x7f\0"
thread 100 execname="x\x1b[2J"
stack 0xffffffff81000010 0xffffffff81000f00
ustack 0x400010 0x600010 0x600110 0x400f00
at 1000 tell args=0x10000,0xffffffff81000010,0x400010
at 2000 tell args=0x10000,0xffffffff81000010,0x400010
"#;

/// Bodies of a clause, each a path of its own.
const PATHS: &[&str] = &[
    "trace(execname);",
    "printf(\"%s|%20s|%.4s\", execname, execname, execname);",
    "printf(\"%c%c%c\", 27, 7, (char)0x9b);",
    "printf(\"%lc%wc\", 27, 0x9b);",
    "printf(\"%s\", copyinstr(arg0));",
    "printf(\"%s\", strjoin(execname, copyinstr(arg0)));",
    "print(execname);",
    "print((char *)arg0);",
    "print((struct text *)arg0);",
    "print(*(struct text *)arg0);",
    "trace(stringof(((struct text *)arg0)->c));",
    "printf(\"%s\", ((struct text *)arg0)->c);",
    "stack();",
    "ustack();",
    "ustack(9, 100);",
    "jstack();",
    "sym(arg1); func(arg1); mod(arg1);",
    "usym(arg2); ufunc(arg2); umod(arg2); uaddr(arg2);",
    "printf(\"%a\", arg1);",
    "@[execname] = count();",
    "@[execname, copyinstr(arg0)] = quantize(1);",
    "@[stack(), ustack(), jstack()] = count();",
    "@[sym(arg1), mod(arg1), usym(arg2), umod(arg2), uaddr(arg2)] = count();",
    "@[execname] = count(); printa(\"%s %@d\", @);",
    "@[execname] = count(); printa(@);",
    "@[stack()] = count(); printa(\"%k\", @);",
    "@[ustack(9, 100)] = count(); printa(\"%30k\", @);",
    "@[sym(arg1), usym(arg2)] = count(); printa(\"%a %A\", @);",
    "@ = topk(3, execname);",
    "@ = topk(3, execname); printa(\"%@d\", @);",
    "@ = llquantize(strlen(execname), 10, 0, 3, 10);",
];

/// A file of its own, gone with the value.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, text: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("dtrail-terminal-{}-{name}", std::process::id()));
        std::fs::write(&path, text).expect("a temporary file");
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// What a run writes to standard output and standard error.
fn run(args: &[&str], terminal: bool) -> (Vec<u8>, Vec<u8>) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    dtrail::run(Invocation {
        progname: "dtrail".into(),
        args: args.iter().map(std::ffi::OsString::from).collect(),
        environment: Environment::Fixed(vec![("NO_COLOR".into(), "1".into())]),
        stdout: &mut out,
        stderr: &mut err,
        stdout_is_terminal: terminal,
        stderr_is_terminal: terminal,
        interrupts: None,
    });
    (out, err)
}

/// Whether a terminal would take any of it for a command: anything but text, newlines and tabs.
fn commands(bytes: &[u8]) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')),
        Err(_) => true,
    }
}

/// Runs a program over the hostile machine; standard output for a terminal, and for a file.
fn both(name: &str, program: &str, options: &[&str]) -> [Vec<u8>; 2] {
    let events = Scratch::new(name, EVENTS);
    let source = format!("--source=synthetic={}", events.0.display());
    [true, false].map(|terminal| {
        let args = [&["-xstrict=no", &source][..], options, &["-n", program]].concat();
        let (out, err) = run(&args, terminal);
        let said = String::from_utf8_lossy(&err).into_owned();
        assert!(said.lines().all(|line| line.contains(" matched ")), "{program}: {said}");
        out
    })
}

fn harmless(name: &str, program: &str, options: &[&str]) {
    let [terminal, file] = both(name, program, options);
    let shown = String::from_utf8_lossy(&terminal).into_owned();
    assert!(!commands(&terminal), "{program} {options:?}: {shown:?}");
    assert!(!terminal.is_empty() && terminal.len() >= file.len(), "{program}: {shown:?}");
}

#[test]
fn no_path_from_an_event_commands_a_terminal() {
    // Each path in a clause of its own, with an aggregation of its own.
    let clauses = PATHS.iter().enumerate().map(|(i, body)| {
        let body = ["@[", "@ =", "@)"]
            .iter()
            .fold((*body).to_owned(), |body, place| body.replace(place, &format!("@a{i}{}", &place[1..])));
        format!("sdt:::tell {{ {body} }}\n")
    });
    let program = format!("struct text {{ char c[16]; }};\n{}", clauses.collect::<String>());
    harmless("paths", &program, &["-q"]);
    for options in [&["-F"][..], &["-xagghist"], &["-xaggpack"], &["-xaggpercpu"], &["-xnoresolve"]] {
        let program =
            "sdt:::tell { @c[execname] = count(); @q[execname] = quantize(1); trace(execname); ustack(); }";
        harmless("options", program, options);
    }
}

#[test]
fn files_get_the_exact_bytes() {
    for (body, expect) in [
        ("trace(execname);", &b"x\x1b[2Jx\x1b[2J\n"[..]),
        ("printf(\"%c\", 27);", b"\x1b\x1b\n"),
        ("printf(\"%s,\", copyinstr(arg0));", b"s\x1b[7m\xc2\x9b\x07\r\x7f,s\x1b[7m\xc2\x9b\x07\r\x7f,\n"),
    ] {
        let [_, file] = both("exact", &format!("sdt:::tell {{ {body} }}"), &["-q"]);
        assert_eq!(file, expect, "{body}");
    }
    let [_, file] = both("exact-stack", "sdt:::tell { stack(1); }", &["-q"]);
    let frame = b"\n              k\x1b[1m`ks\x1b[2m+0x10\n";
    assert_eq!(file, [&frame[..], frame, b"\n"].concat());
}

#[test]
fn a_program_s_own_text_may_command() {
    let [terminal, _] = both("own", "BEGIN { printf(\"\\033[H%s\", execname); exit(0); }", &["-q"]);
    assert_eq!(terminal, b"\x1b[Hdtrail\n");
}

#[test]
fn other_formats() {
    for (name, options) in [("folded", "--format=folded"), ("json", "--format=json")] {
        let program = "sdt:::tell { @[execname, ustack(9, 100), sym(arg1)] = count(); stack(); printf(\"%s\", execname); }";
        let [terminal, file] = both(name, program, &[options]);
        let shown = String::from_utf8_lossy(&terminal).into_owned();
        assert!(!commands(&terminal), "{name}: {shown:?}");
        if name == "json" {
            assert_eq!(terminal, file, "JSON escapes in files too");
            assert!(shown.contains("x\\u001b[2J"), "{shown}");
        }
        // A C1 control character, which is two bytes in UTF-8.
        let program = "sdt:::tell { @[copyinstr(arg0)] = count(); }";
        let [terminal, file] = both(name, program, &[options]);
        assert!(!commands(&terminal), "{name}: {:?}", String::from_utf8_lossy(&terminal));
        assert!(name == "json" || file == b"s_[7m\xc2\x9b___ 2\n", "{:?}", String::from_utf8_lossy(&file));
    }
}

#[test]
fn messages_quote_nothing_that_commands() {
    let events = Scratch::new("messages", EVENTS);
    let source = format!("--source=synthetic={}", events.0.display());
    let script = Scratch::new("script", "BEGIN { trace(\x1b[2J); }\n");
    let script = script.0.display().to_string();
    for args in [
        &["-qw", &source, "-n", "sdt:::tell { freopen(\"/nowhere/%s\", execname); }"][..],
        &[&source, "-s", &script],
        &[&source, "-n", "BEGIN { trace(\"\x1b[2J\" + nothing); }"],
        &[&source, "-P", "no\x1b[2J"],
        &["-x", "no\x1b[2J"],
        &["-s", "/nowhere/\x1b[2J"],
        &["-\x1b[2J"],
        &["--source=synthetic=/nowhere/\x1b[2J", "-n", "BEGIN"],
    ] {
        let (out, err) = run(args, true);
        let shown = String::from_utf8_lossy(&err).into_owned();
        assert!(!err.is_empty(), "{args:?}");
        assert!(!commands(&err) && !commands(&out), "{args:?}: {shown:?}");
    }
}

#[test]
fn lists() {
    let events = Scratch::new("list", EVENTS);
    let source = format!("--source=synthetic={}", events.0.display());
    let (out, err) = run(&[&source, "-lv", "-P", "sdt", "-m", "m"], true);
    assert!(!commands(&out) && !commands(&err));
}

/// The same through a real terminal, if a tool that makes one is there.
#[test]
fn a_real_terminal() {
    if !std::path::Path::new("/usr/bin/script").exists() {
        return dtrail_conformance::workload::skipped("there is no script(1)");
    }
    let events = Scratch::new("pty", EVENTS);
    let inner = format!(
        "{} -q --source=synthetic={} -n 'sdt:::tell {{ trace(execname); stack(1); }}'",
        env!("CARGO_BIN_EXE_dtrail"),
        events.0.display()
    );
    let output = std::process::Command::new("/usr/bin/script")
        .args(["-qec", &inner, "/dev/null"])
        .stdin(std::process::Stdio::null())
        .output()
        .expect("script(1) starts");
    // The terminal itself makes CR LF of newlines.
    let shown = String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n");
    let firing = "x\\033[2J\n              k\\033[1m`ks\\033[2m+0x10\n";
    assert_eq!(shown, format!("{firing}{firing}\n"));
}
