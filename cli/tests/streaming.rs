//! Every event printed, to readers that are slow, gone or full: what is lost is counted to the last event, and nothing
//! hangs. What cannot run here says `skipped: why`.

#![allow(clippy::expect_used, reason = "a test fails by a panic, and its parts are no `#[test]` functions")]

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use dtrail_conformance::workload::{sources, steps};

const DTRAIL: &str = env!("CARGO_BIN_EXE_dtrail");

/// Starts the command over so many calls of a workload, each of which prints a line.
fn start(source: &str, options: &[&str], steps: &str, calls: u32, out: impl Into<Stdio>) -> Child {
    let program =
        r#"syscall::getpid:entry /pid == $target/ { printf("%d %d %s %40d\n", pid, tid, execname, 7); }"#;
    Command::new(DTRAIL)
        .args(["--source", source, "-qn", program])
        .args(options)
        .args(["-c", &format!("{steps} getpid={calls}")])
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts")
}

/// Its status and its standard error, within ten seconds.
fn ended(mut child: Child) -> (Option<i32>, String) {
    let started = Instant::now();
    let status = loop {
        match child.try_wait().expect("it can be waited for") {
            Some(status) => break status,
            None if started.elapsed() > Duration::from_secs(10) => {
                let _ = child.kill();
                panic!("it did not end");
            }
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    let mut err = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut err).expect("text");
    (status.code(), err)
}

#[test]
fn what_a_slow_reader_loses_is_counted() {
    const CALLS: u32 = 100_000;
    let Some(steps) = steps() else { return };
    if !sources().contains(&"bpf") {
        return;
    }
    let mut child = start("bpf", &["-xbufsize=64k"], steps, CALLS, Stdio::piped());
    let mut out = child.stdout.take().expect("a pipe");
    // The calls take less; the pipe and the ring hold few of the lines.
    std::thread::sleep(Duration::from_millis(700));
    let mut text = String::new();
    out.read_to_string(&mut text).expect("text");
    let (status, err) = ended(child);
    assert_eq!(status, Some(0), "{err}");
    let printed = text.lines().filter(|line| line.ends_with(" 7")).count() as u32;
    let number = |line: &str| line.strip_prefix("dtrail: ")?.split_once(" drop")?.0.parse::<u32>().ok();
    let lost: u32 = err.lines().filter_map(number).sum();
    assert!(lost > 0, "a ring of 64 KiB holds no {CALLS} records: {err}");
    assert_eq!(printed + lost, CALLS, "{err}");
}

#[test]
fn a_reader_that_takes_nothing_holds_nobody() {
    let Some(steps) = steps() else { return };
    for source in sources() {
        let mut child = start(source, &[], steps, 20_000, Stdio::piped());
        let out = child.stdout.take().expect("a pipe");
        std::thread::sleep(Duration::from_millis(1000));
        assert!(child.try_wait().expect("it can be waited for").is_none(), "{source} waits for its reader");
        for _ in 0..2 {
            let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
            assert!(killed.expect("it starts").success());
            std::thread::sleep(Duration::from_millis(800));
        }
        assert_eq!(ended(child).0, Some(0), "{source}");
        drop(out);
    }
}

#[test]
fn a_full_disk_ends_the_run_and_is_told() {
    let Some(steps) = steps() else { return };
    for source in sources() {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
        let (status, err) = ended(start(source, &[], steps, 2_000, full));
        assert_eq!(
            (status, err.as_str()),
            (Some(1), "dtrail: processing aborted: No space left on device\n"),
            "{source}"
        );
    }
}

/// The map of an aggregation holds as many keys as `aggsize` has room for; each update that finds it full is counted, on
/// the CPU it was made on, and nothing else is lost.
#[test]
fn what_finds_the_kernel_s_map_full_is_counted() {
    const CALLS: usize = 2000;
    const ENTRY: usize = 16 + 8 + 8;
    let Some(steps) = steps() else { return };
    if !sources().contains(&"bpf") {
        return;
    }
    for (room, kept) in [(500, 500), (CALLS, CALLS), (1 << 20, CALLS)] {
        let program = "long n; syscall::getpid:entry /pid == $target/ { @[n++] = count(); @all = count(); }";
        let out = Command::new(DTRAIL)
            .args(["--source", "bpf", "-qn", program])
            .args([format!("-xaggsize={}", room * ENTRY), "-c".into(), format!("{steps} getpid={CALLS}")])
            .output()
            .expect("it starts");
        let (text, err) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        assert_eq!(out.status.code(), Some(0), "{err}");
        let numbers =
            |line: &str| line.split_whitespace().map(str::parse::<usize>).collect::<Result<Vec<_>, _>>();
        let rows: Vec<_> =
            text.lines().filter_map(|line| numbers(line).ok()).filter(|row| !row.is_empty()).collect();
        let (keyed, all): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.len() == 2);
        assert!(keyed.iter().all(|row| row[1] == 1), "each key came once: {text}");
        assert_eq!((keyed.len(), all), (kept, vec![vec![CALLS]]), "with room for {room}: {err}");
        let lost = |line: &str| {
            line.strip_prefix("dtrail: ")?.split_once(" aggregation drop")?.0.parse::<usize>().ok()
        };
        assert_eq!(err.lines().filter_map(lost).sum::<usize>(), CALLS - kept, "{err}");
        assert_eq!(err.contains("aggsize"), kept < CALLS, "what would help: {err}");
    }
}
