//! How runs begin, go on and end: commands, rates, exits, signals, closed pipes.

use std::io::Read;
use std::process::{Command, Stdio};

use dtrail_conformance::workload::{skipped, steps};
use dtrail_kernel_bridge::caps;

use super::everybody::{DTRAIL, ForEverybody};
use super::{Who, dtrail, everybody, printed, table};

#[test]
fn exit_stops_tracing_and_gives_the_status() {
    let Some(steps) = steps() else { return };
    let program = "syscall::read:entry /pid == $target/ { @ = count(); } syscall::openat:entry /pid == $target/ { exit(7); }";
    for who in everybody() {
        let output = dtrail(who, &["-qn", program, "-c", &format!("{steps} read=3 open=/etc/passwd read=5")]);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "\n                3\n", "{who:?}");
        assert_eq!(output.status.code(), Some(7), "{who:?}");
    }
}

#[test]
fn the_target_s_end_is_told() {
    let Some(steps) = steps() else { return };
    for who in everybody() {
        for (step, told) in
            [("exit=3", "exited with status 3"), ("die=9", "terminated by SIGKILL"), ("exit=0", "")]
        {
            let output = dtrail(who, &["-n", "syscall::getuid:entry { }", "-c", &format!("{steps} {step}")]);
            let err = String::from_utf8_lossy(&output.stderr);
            assert_eq!(err.contains(": pid "), !told.is_empty(), "{who:?} {step}: {err}");
            assert!(err.contains(told), "{who:?} {step}: {err}");
            assert_eq!(output.status.code(), Some(0), "{who:?} {step}");
        }
    }
}

/// Rates so short that something is always due leave time for events, and for the end of the command.
#[test]
fn what_is_always_due_starves_nothing() {
    let Some(steps) = steps() else { return };
    let program = "syscall::getpid:entry /pid == $target/ { @ = count(); } tick-30s { exit(7); }";
    for who in everybody() {
        for rates in
            [&["switchrate"][..], &["aggrate"], &["switchrate", "aggrate", "statusrate", "cleanrate"]]
        {
            let rates: Vec<String> = rates.iter().map(|rate| format!("-x{rate}=1ns")).collect();
            let command = format!("{steps} getpid=100");
            let mut args: Vec<&str> = rates.iter().map(String::as_str).collect();
            args.extend(["-qn", program, "-c", &command]);
            let output = dtrail(who, &args);
            let out = String::from_utf8_lossy(&output.stdout);
            assert_eq!(
                (&*out, output.status.code()),
                ("\n              100\n", Some(0)),
                "{who:?} {rates:?}"
            );
        }
        let ticks =
            format!("{program} tick-200us {{ }} tick-200us {{ @ticks = count(); }} END {{ trunc(@ticks); }}");
        let output = dtrail(who, &["-qn", &ticks, "-c", &format!("{steps} getpid=100")]);
        let out = String::from_utf8_lossy(&output.stdout);
        assert!(out.starts_with("\n              100\n"), "{who:?}: {out}");
        assert_eq!(output.status.code(), Some(0), "{who:?}");
    }
}

/// Nothing counts between the firing that exits and the cut that follows in it.
#[test]
fn exit_in_a_tick_stops_the_kernel_part_at_once() {
    if let Err(e) = caps::can_bpf() {
        return skipped(&e.message);
    }
    // More kinds of system calls than are kept.
    let mut busy = Command::new("sh")
        .args(["-c", "while :; do grep -rqs 'no such word' /etc; done"])
        .stdout(Stdio::null())
        .spawn()
        .expect("it starts");
    for actions in ["trunc(@, 5); exit(0);", "exit(0); trunc(@, 5);"] {
        let program = format!("syscall:::entry {{ @[probefunc] = count(); }} tick-300ms {{ {actions} }}");
        let text = printed(Who::Bpf, &["-qn", &program]);
        assert_eq!(table(&text).len(), 5, "{actions}: {text}");
    }
    busy.kill().expect("it runs");
    busy.wait().expect("it ends");
}

/// Trace events take long to be taken away: the results are there before.
#[test]
fn results_come_before_probes_are_taken_away() {
    if let Err(e) = caps::can_bpf() {
        return skipped(&e.message);
    }
    // The notice is of more than 50.
    let listed = dtrail(Who::Bpf, &["-ln", "sdt:writeback::,sdt:jbd2::"]);
    let count = String::from_utf8_lossy(&listed.stdout).lines().count().saturating_sub(1);
    if !listed.status.success() || count <= 50 {
        return skipped("this kernel has too few trace events of writeback and jbd2");
    }
    let program = "sdt:writeback::,sdt:jbd2:: /pid == -1/ { @ = count(); } BEGIN { @ = count(); } tick-10ms { exit(3); }";
    // Both streams through one pipe show what comes first.
    let (mut reader, writer) = std::io::pipe().expect("a pipe");
    let child = Command::new(DTRAIL)
        .args(["--source=bpf", "-n", program])
        .stdin(Stdio::null())
        .stdout(writer.try_clone().expect("a descriptor"))
        .stderr(writer)
        .spawn();
    let mut text = String::new();
    reader.read_to_string(&mut text).expect("text");
    let seconds = (count * 60).div_ceil(1000);
    let notice = format!(
        "dtrail: detaching {count} probes, which takes the kernel some 60 ms each, {seconds} s in all\n"
    );
    assert!(text.ends_with(&format!("\n\n                1\n{notice}")), "{text}");
    assert_eq!(child.expect("it starts").wait().expect("it ends").code(), Some(3));
}

/// A signal ends tracing with `END` and the aggregations; the command itself goes on or ends with its tracer.
#[test]
fn an_interrupt_ends_tracing() {
    let Some(steps) = steps() else { return };
    for who in everybody() {
        for signal in ["INT", "TERM"] {
            let mut command = Command::new(DTRAIL);
            command.args(["--source", if who == Who::Bpf { "bpf" } else { "ptrace" }]);
            if who == Who::Nobody {
                continue;
            }
            let program = r#"syscall::getpid:entry /pid == $target/ { @ = count(); } syscall::pause:entry /pid == $target/ { printf("waiting\n"); } END { printf("end\n"); }"#;
            let mut child = command
                .args(["-qn", program, "-c", &format!("{steps} getpid=5 wait")])
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("it starts");
            let mut out = child.stdout.take().expect("a pipe");
            let mut first = [0; 8];
            out.read_exact(&mut first).expect("its first line");
            assert_eq!(&first, b"waiting\n", "rows come at once");
            let kill = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status();
            assert!(kill.expect("it starts").success());
            let mut rest = String::new();
            out.read_to_string(&mut rest).expect("text");
            assert_eq!(rest, "\nend\n\n                5\n", "{who:?} {signal}");
            assert_eq!(child.wait().expect("it ends").code(), Some(0), "{who:?} {signal}");
        }
    }
}

/// Whoever runs it: one line, and nothing before it.
#[test]
fn a_command_that_cannot_start_is_told_first() {
    for who in everybody() {
        for (command, why) in [
            ("/nonexistent", "No such file or directory"),
            ("nosuchprogram", "No such file or directory"),
            ("/etc/passwd", "Permission denied"),
        ] {
            let output = dtrail(who, &["-n", "syscall::read:entry", "-c", command]);
            assert_eq!(
                (String::from_utf8_lossy(&output.stderr).as_ref(), output.status.code()),
                (format!("dtrail: failed to execute {command}: {why}\n").as_str(), Some(1)),
                "{who:?}"
            );
        }
    }
}

/// The folders of `PATH` that may not be searched hold nothing.
#[test]
fn folders_out_of_reach_hold_no_commands() {
    if !everybody().contains(&Who::Nobody) {
        return;
    }
    let locked = std::env::temp_dir().join(format!("dtrail-locked-{}", std::process::id()));
    std::fs::create_dir_all(&locked).expect("a folder");
    std::fs::set_permissions(&locked, std::os::unix::fs::PermissionsExt::from_mode(0o700)).expect("ours");
    let output = ForEverybody::new()
        .command()
        .args(["-n", "syscall::read:entry", "-c", "nosuchprogram"])
        .env("PATH", format!("{}:/usr/bin:/bin", locked.display()))
        .output()
        .expect("it starts");
    let _ = std::fs::remove_dir(&locked);
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "dtrail: failed to execute nosuchprogram: No such file or directory\n"
    );
}

#[test]
fn a_closed_pipe_ends_the_run_quietly() {
    let Some(steps) = steps() else { return };
    for who in [Who::Ptrace, Who::Bpf].into_iter().filter(|who| everybody().contains(who)) {
        let mut child = Command::new(DTRAIL)
            .args(["--source", if who == Who::Bpf { "bpf" } else { "ptrace" }])
            // The command does not end by itself; what is lost before the reader goes is not told before the end.
            .args([
                "-xstatusrate=0hz",
                "-qn",
                "syscall:::entry /pid == $target/ { printf(\"%s\\n\", probefunc); }",
                "-c",
            ])
            .arg(format!("{steps} getpid=1000000000"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut out = child.stdout.take().expect("a pipe");
        let mut first = [0; 4];
        out.read_exact(&mut first).expect("its first bytes");
        drop(out);
        let output = child.wait_with_output().expect("it ends by itself");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!((&*err, output.status.code()), ("", Some(0)), "{who:?}");
    }
}

/// A program that writes 4 bytes in an initialiser and 6 in `main`.
const INITIALISED: &str = "#include <unistd.h>
__attribute__((constructor)) static void before(void) { write(1, \"abc\\n\", 4); }
int main(void) { return write(1, \"defgh\\n\", 6) != 6; }
";

#[test]
fn a_command_runs_to_where_it_is_to_stand() {
    let folder = std::env::temp_dir().join(format!("dtrail-evaltime-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (source, program, stripped) = (folder.join("p.c"), folder.join("p"), folder.join("s"));
    std::fs::write(&source, INITIALISED).expect("there is room");
    for (to, more) in [(&program, None), (&stripped, Some("-s"))] {
        let made = Command::new("cc").args(more).arg("-o").arg(to).arg(&source).status();
        if !made.is_ok_and(|status| status.success()) {
            let _ = std::fs::remove_dir_all(&folder);
            return skipped("no C compiler");
        }
    }
    let script = "BEGIN { printf(\"begin\\n\"); }
        syscall::write:entry /pid == $target && arg0 == 1/ { @ = sum(arg2); }
        END { printa(\"%@d bytes\\n\", @); }";
    let (program, stripped) = (program.display().to_string(), stripped.display().to_string());
    for who in everybody() {
        for (when, expect) in [
            ("exec", "begin\nabc\ndefgh\n10 bytes\n\n"),
            ("preinit", "begin\nabc\ndefgh\n10 bytes\n\n"),
            ("postinit", "abc\nbegin\ndefgh\n6 bytes\n\n"),
            ("main", "abc\nbegin\ndefgh\n6 bytes\n\n"),
        ] {
            let when = format!("-xevaltime={when}");
            assert_eq!(printed(who, &["-q", &when, "-c", &program, "-n", script]), expect, "{who:?} {when}");
        }
        let output = dtrail(who, &["-q", "-xevaltime=main", "-c", &stripped, "-n", script]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.ends_with(" has no symbol main: evaltime is preinit\n"), "{told}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "begin\nabc\ndefgh\n10 bytes\n\n");
    }
    let _ = std::fs::remove_dir_all(&folder);
}

/// What fired until a tick's `exit` stopped the kernel's programs is printed as it is counted.
#[test]
fn no_row_is_lost_to_an_exit_of_a_tick() {
    let Some(steps) = steps() else { return };
    let program = r#"syscall::getpid:entry /pid == $target/ { printf("row\n"); @ = count(); }
        tick-30ms { exit(0); }"#;
    // All that it can do fits the buffer, however late the tick is.
    for who in everybody() {
        let options = ["-qx", "bufsize=64m", "-x", "switchrate=1s", "-n", program];
        let output = dtrail(who, &[&options[..], &["-c", &format!("{steps} getpid=500000")]].concat());
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let rows = out.lines().filter(|line| *line == "row").count();
        let counted = out.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        assert!(rows > 0, "{who:?}: {err}");
        // A busy machine may miss ticks, which is told too.
        assert!(!err.contains("drop"), "{who:?}: {err}");
        assert_eq!(counted, rows.to_string(), "{who:?}: {err}");
    }
}
