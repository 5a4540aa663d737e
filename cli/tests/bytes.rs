//! Arguments, scripts, file names and messages whose bytes are no UTF-8 come out as they went in. Needs no privilege.

#![allow(clippy::expect_used, reason = "a test fails by a panic, and its parts are no `#[test]` functions")]

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A character of Latin-1, a lone byte, and a character that the compiler itself has a use for.
const ODD: &[u8] = b"\xe9\xff\xf4\x8f\x9f\xbf";

/// Runs with these arguments: standard output, standard error, status.
fn run(args: &[&[u8]]) -> (Vec<u8>, Vec<u8>, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dtrail"));
    let output = command.args(args.iter().map(|arg| OsStr::from_bytes(arg))).stdin(Stdio::null()).output();
    let output = output.expect("it starts");
    (output.stdout, output.stderr, output.status.code())
}

fn joined(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

/// A directory of its own for a test, gone with the value; its name has odd bytes, too.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Directory {
        let name = joined(&[format!("dtrail-{}-{name}-", std::process::id()).as_bytes(), ODD]);
        let path = std::env::temp_dir().join(OsString::from_vec(name));
        fs::create_dir_all(&path).expect("a temporary directory");
        Directory(path)
    }

    fn file(&self, name: &[u8]) -> PathBuf {
        self.0.join(OsStr::from_bytes(name))
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn programs_and_macro_arguments() {
    let program = joined(&[b"BEGIN { printf(\"", ODD, b"|%s|%s\", $$1, \"", ODD, b"\"); exit(0); }"]);
    let expected = joined(&[ODD, b"|", ODD, b"|", ODD, b"\n"]);
    assert_eq!(run(&[b"-qn", &program, ODD]), (expected, Vec::new(), Some(0)));
    // An argument that is no word is a string.
    let expected = joined(&[b"<", ODD, b">\n"]);
    assert_eq!(
        run(&[b"-qn", b"BEGIN { printf(\"<%s>\", $1); exit(0); }", ODD]),
        (expected, Vec::new(), Some(0))
    );
}

#[test]
fn scripts_and_their_names() {
    let directory = Directory::new("scripts");
    let script = directory.file(b"a\xff.d");
    fs::write(&script, joined(&[b"BEGIN { printf(\"%s ", ODD, b"\", $$0); exit(0); }"])).expect("it is ours");
    let name = script.as_os_str().as_bytes();
    let expected = joined(&[name, b" ", ODD, b"\n"]);
    assert_eq!(run(&[b"-qs", name]), (expected, Vec::new(), Some(0)));

    let gone = joined(&[name, b"\x80"]);
    let message = joined(&[b"dtrail: failed to open ", &gone, b": No such file or directory\n"]);
    assert_eq!(run(&[b"-s", &gone]), (Vec::new(), message, Some(1)));

    // `-o`, and a library of a directory.
    let output = directory.file(b"out\xe9");
    fs::write(directory.file(b"lib\xff.d"), b"inline string odd = \"\xfe\";").expect("it is ours");
    let program: &[u8] = b"BEGIN { printf(\"%s\", odd); exit(0); }";
    let into = output.as_os_str().as_bytes();
    let from = directory.0.as_os_str().as_bytes();
    // The script is a library file here, which `-L` would compile, too.
    fs::remove_file(&script).expect("it is there");
    assert_eq!(run(&[b"-q", b"-o", into, b"-L", from, b"-n", program]), (Vec::new(), Vec::new(), Some(0)));
    assert_eq!(fs::read(&output).expect("it was written"), b"\xfe\n");
}

#[test]
fn messages() {
    let program: &[u8] = b"BEGIN { trace(\"\xe9\xff\" + nosuch); }";
    let (out, err, status) = run(&[b"-n", program]);
    let line = joined(&[
        b"dtrail: invalid probe specifier ",
        program,
        b": in action list: failed to resolve nosuch: Unknown variable name\n",
    ]);
    assert!(err.starts_with(&line), "{}", err.escape_ascii());
    // A column for each byte that is no character.
    let excerpt = joined(&[b"  1 | ", program, b"\n    | ", &[b' '; 21], b"^^^^^^\n"]);
    let place = b"--> -n:1:22\n";
    assert!(err.windows(place.len()).any(|part| part == place), "{}", err.escape_ascii());
    assert!(err.windows(excerpt.len()).any(|part| part == excerpt), "{}", err.escape_ascii());
    assert_eq!((out, status), (Vec::new(), Some(1)));
    // A file that `#line` names.
    let directory = Directory::new("messages");
    let script = directory.file(b"a.d");
    fs::write(&script, b"#line 7 \"\xe9.h\"\nBEGIN { trace(nosuch); }\n").expect("it is ours");
    let (_, err, _) = run(&[b"-s", script.as_os_str().as_bytes()]);
    let part = b": \"\xe9.h\", line 7: ";
    assert!(err.windows(part.len()).any(|found| found == part), "{}", err.escape_ascii());
}

#[test]
fn commands_and_shells() {
    let (out, err, status) =
        run(&[b"-qw", b"-n", b"BEGIN { system(\"printf %%s '\xff' | od -An -tx1\"); exit(0); }"]);
    assert_eq!((out.as_slice(), err.as_slice(), status), (&b" ff\n\n"[..], &b""[..], Some(0)));
    let (_, err, status) = run(&[b"-c", b"/nonexistent/\xe9 x", b"-n", b"BEGIN { exit(0); }"]);
    let message = b"dtrail: failed to execute /nonexistent/\xe9: No such file or directory\n";
    assert_eq!((err.as_slice(), status), (&message[..], Some(1)));
}
