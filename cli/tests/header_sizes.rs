//! The types of the system's headers are as large under `-C` as the machine's compiler says (language spec §2.14, §5.12). Needs
//! `cpp` and `gcc`; a header that is not installed is left out. Needs no privilege.

#![allow(clippy::expect_used, reason = "a test fails by a panic, and its parts are no `#[test]` functions")]
#![allow(clippy::print_stdout, reason = "a test says why it was skipped")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

#[rustfmt::skip]
const HEADERS: &[&str] = &[
    "arpa/inet.h", "dirent.h", "elf.h", "fcntl.h", "link.h", "linux/bpf.h", "linux/cdrom.h", "linux/fuse.h", "linux/input.h",
    "linux/io_uring.h", "linux/kvm.h", "linux/netlink.h", "linux/perf_event.h", "linux/rtnetlink.h", "linux/tcp.h",
    "linux/usb/ch9.h", "linux/virtio_net.h", "net/if.h", "netdb.h", "netinet/in.h", "netinet/ip6.h", "netinet/tcp.h", "poll.h",
    "pthread.h", "pwd.h", "sched.h", "setjmp.h", "signal.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "sys/epoll.h",
    "sys/ipc.h", "sys/ptrace.h", "sys/resource.h", "sys/select.h", "sys/shm.h", "sys/socket.h", "sys/stat.h", "sys/statvfs.h",
    "sys/sysinfo.h", "sys/time.h", "sys/types.h", "sys/un.h", "sys/user.h", "sys/utsname.h", "termios.h", "time.h",
    "ucontext.h", "unistd.h", "wchar.h",
];

/// Runs a command with a text as its input; the output of a command that is not there is no success.
fn filter(command: &mut Command, input: &str) -> Option<Output> {
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().ok()?;
    child.stdin.take()?.write_all(input.as_bytes()).ok()?;
    child.wait_with_output().ok()
}

/// Names in a preprocessed header that may be types: tags behind their keyword, and the words that typedefs end with.
fn candidates(text: &str) -> BTreeSet<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let text = lines.join(" ");
    let mut names = BTreeSet::new();
    let (mut words, mut before): (Vec<&str>, &str) = (Vec::new(), "");
    for token in text.split_inclusive(|c: char| !is_word(c)) {
        let word = token.trim_end_matches(|c: char| !is_word(c));
        let mark = &token[word.len()..];
        words.extend(Some(word).filter(|word| !word.is_empty()));
        if mark == "{"
            && let [.., kind @ ("struct" | "union" | "enum"), tag] = words[..]
        {
            names.insert(format!("{kind} {tag}"));
        }
        if matches!(mark, ";" | ")" | "[") && !before.is_empty() || mark == ";" {
            names.extend(
                words
                    .last()
                    .filter(|word| word.starts_with(|c: char| !c.is_ascii_digit()))
                    .map(ToString::to_string),
            );
        }
        before = mark;
        if mark == ";" || mark == "}" {
            words.clear();
        }
    }
    names
}

/// What the compiler says of the size of each name that is a type for it.
fn compiled(header: &str, names: &BTreeSet<String>, folder: &Path) -> BTreeMap<String, String> {
    let program = folder.join("sizes");
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    // Each refusal names lines with no type; some are seen only when others are gone.
    for _ in 0..8 {
        let lines = names.iter().map(|name| {
            format!("{{ {name} *p = 0; (void)p; printf(\"%s %zu\\n\", \"{name}\", sizeof ({name})); }}\n")
        });
        let text: String = lines.collect();
        let text = format!("#include <{header}>\n#include <stdio.h>\nint main(void) {{\n{text}}}\n");
        let mut gcc = Command::new("gcc");
        // Without its extensions: a size of `void`, an `int` that is not written.
        gcc.args(["-pedantic-errors", "-fmax-errors=0", "-xc", "-", "-o"]).arg(&program);
        let Some(output) = filter(&mut gcc, &text) else { break };
        if output.status.success() {
            let ran = Command::new(&program).output().expect("what was compiled runs");
            let sizes = String::from_utf8_lossy(&ran.stdout).into_owned();
            let rows = sizes.lines().filter_map(|line| line.rsplit_once(' '));
            return rows.map(|(name, size)| (name.to_string(), size.to_string())).collect();
        }
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let places = errors.lines().filter_map(|line| line.strip_prefix("<stdin>:"));
        let wrong: BTreeSet<usize> =
            places.filter_map(|rest| rest.split(':').next()?.parse::<usize>().ok()?.checked_sub(4)).collect();
        let mut at = 0..;
        names.retain(|_| !wrong.contains(&at.next().unwrap_or(0)));
    }
    BTreeMap::new()
}

/// What dtrail says, and the names that it refuses with a reason.
fn traced(header: &str, names: &[String], folder: &Path) -> (BTreeMap<String, String>, Vec<String>) {
    let (mut names, mut refused) = (names.to_vec(), Vec::new());
    let script = folder.join("a.d");
    loop {
        let lines = names.iter().map(|name| format!("printf(\"%s %d\\n\", \"{name}\", sizeof ({name}));\n"));
        let text: String = lines.collect();
        std::fs::write(&script, format!("#include <{header}>\nBEGIN {{\n{text}exit(0); }}\n"))
            .expect("a script");
        let mut command = Command::new(env!("CARGO_BIN_EXE_dtrail"));
        let output =
            command.args(["-q", "-C", "-s"]).arg(&script).stdin(Stdio::null()).output().expect("it starts");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            let out = String::from_utf8_lossy(&output.stdout).into_owned();
            let rows = out.lines().filter_map(|line| line.rsplit_once(' '));
            return (rows.map(|(name, size)| (name.to_string(), size.to_string())).collect(), refused);
        }
        let line = err.split(": line ").nth(1).and_then(|rest| rest.split(':').next()?.parse::<usize>().ok());
        let at = line.and_then(|line| line.checked_sub(3)).filter(|&at| at < names.len());
        let Some(at) = at else { panic!("<{header}>: {err}") };
        let name = names.remove(at);
        assert!(err.contains(&format!("`{name}` is left out: D has no ")), "<{header}>: {name}: {err}");
        refused.push(name);
    }
}

#[test]
fn sizes_are_the_compilers() {
    let there = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !there("cpp") || !there("gcc") {
        println!("skipped: there is no cpp or no gcc");
        return;
    }
    let folder = std::env::temp_dir().join(format!("dtrail-header-sizes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary directory");
    let (mut compared, mut left_out) = (0, Vec::new());
    for header in HEADERS {
        let include = format!("#include <{header}>\n");
        let Some(output) = filter(Command::new("cpp").arg("-"), &include).filter(|it| it.status.success())
        else {
            println!("skipped: {header} is not installed");
            continue;
        };
        let names = candidates(&String::from_utf8_lossy(&output.stdout));
        let expected = compiled(header, &names, &folder);
        // `stdio.h` is there for `printf` only.
        let own = |name: &String| *header == "stdio.h" || !name.contains("FILE");
        let names: Vec<String> = expected.keys().filter(|name| own(name)).cloned().collect();
        let (got, refused) = traced(header, &names, &folder);
        for (name, size) in &got {
            assert_eq!(Some(size), expected.get(name), "<{header}>: {name}");
        }
        compared += got.len();
        left_out.extend(refused.into_iter().map(|name| format!("<{header}> {name}")));
    }
    let _ = std::fs::remove_dir_all(&folder);
    println!("{compared} types compared; left out: {}", left_out.join(", "));
    // Few are left out, whatever the machine: vectors, variable arguments and the like.
    assert!(left_out.len() * 50 <= compared, "{left_out:?} of {compared}");
}
