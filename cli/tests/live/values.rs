//! What clauses read at live events: memory, paths, times, the kernel's variables, packets; and its faults.

use std::io::Read;
use std::process::{Command, Stdio};

use dtrail_conformance::workload::{skipped, steps};
use dtrail_kernel_bridge::caps;

use super::everybody::DTRAIL;
use super::{Who, by_bpf, dtrail, everybody, printed};

/// What a shell does: it sleeps, then counts, and says so by the writes in between.
const SLEEP_AND_WORK: &str = "echo; sleep 0.2; echo; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo";

#[test]
fn time_on_a_cpu_is_without_sleep() {
    let script = std::env::temp_dir().join(format!("dtrail-work-{}.sh", std::process::id()));
    std::fs::write(&script, SLEEP_AND_WORK).expect("a temporary file");
    let program = r#"
        self uint64_t t; self uint64_t v; self int n;
        syscall::write:entry /pid == $target/
        {
            this->wall = timestamp - self->t;
            this->cpu = vtimestamp - self->v;
            printf("%d %d %d\n", self->n, this->cpu <= this->wall, this->cpu < 100000000);
            self->n++; self->t = timestamp; self->v = vtimestamp;
        }
        BEGIN { printf("%d\n", vtimestamp > 0 && vtimestamp < timestamp); }"#;
    for who in everybody() {
        let text = printed(who, &["-qn", program, "-c", &format!("sh {}", script.display())]);
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines[0], "1", "{who:?}");
        assert!(lines.contains(&"1 1 1"), "while it slept: {who:?} {lines:?}");
        assert!(lines.iter().any(|line| line.starts_with("2 1 ")), "while it worked: {who:?} {lines:?}");
    }
    let _ = std::fs::remove_file(&script);
}

#[test]
fn variables_of_the_own_cpu() {
    let program = "syscall::read:entry /pid == $target/ { @[`runqueues.cpu == cpu] = count(); } \
                   BEGIN { printf(\"%d\\n\", `runqueues.cpu < 4096); } END { trace(sizeof (`runqueues) > 8); }";
    let Some(text) = by_bpf(program, "cat /etc/passwd /etc/group") else { return };
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty() && !line.contains(':')).collect();
    assert_eq!(lines[..2], ["1", "1"], "{text}");
    let counts: Vec<&str> = lines[2..].iter().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(counts, ["1"], "every read is on the CPU whose run queue it sees: {text}");
}

#[test]
fn files_have_paths() {
    let program = r#"
        syscall::read:entry /pid == $target && fds[arg0].fi_name == "passwd"/
        { @[fds[arg0].fi_pathname, fds[arg0].fi_dirname, cwd, root, getf(arg0) != NULL, getf(-1) == NULL] = count(); }
        BEGIN { printf("%s %s\n", cwd, root); }"#;
    let Some(text) = by_bpf(program, "cat /etc/../etc/passwd") else { return };
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty() && !line.contains(':')).collect();
    assert_eq!(lines[0], "/ /", "{text}");
    let words: Vec<&str> = lines[1].split_whitespace().collect();
    assert_eq!(words[..6], ["/etc/passwd", "/etc", "/", "/", "1", "1"], "{text}");
}

#[test]
fn a_path_kept_from_entry_to_return() {
    let Some(steps) = steps() else { return };
    let program = r#"syscall::openat:entry /basename(copyinstr(arg1)) == "passwd"/ { self->p = arg1; }
        syscall::openat:return /self->p/ { printf("%s %d\n", copyinstr(self->p), arg1); self->p = 0; }"#;
    for who in everybody() {
        let command = format!("{steps} open=/etc/group open=/etc/passwd open=/etc/passwd");
        assert_eq!(
            printed(who, &["-qn", program, "-c", &command]),
            "/etc/passwd 4\n/etc/passwd 5\n\n",
            "{who:?}"
        );
    }
}

#[test]
fn faults_on_live_events() {
    let Some(steps) = steps() else { return };
    let program = r#"syscall::openat:entry /pid == $target/ { printf("%s\n", copyinstr(arg1)); }
        syscall::openat:entry /pid == $target/ { @ = count(); }
        ERROR { printf("fault %d at %d\n", arg4, arg5); }"#;
    for who in everybody() {
        let output = dtrail(who, &["-qn", program, "-c", &format!("{steps} open=/etc/passwd badopen")]);
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(out, "/etc/passwd\nfault 1 at 16\n\n                2\n", "{who:?}");
        assert!(err.contains("error in dt_clause_0 for probe ID "), "{who:?}: {err}");
        assert!(err.contains("(syscall:vmlinux:openat:entry): invalid address (0x10)"), "{who:?}: {err}");
    }
}

/// In `BEGIN` the current process is the tracer, and its memory that of the process.
#[test]
fn the_tracer_s_own_memory_can_be_read_in_begin() {
    if let Err(e) = caps::can_bpf() {
        return skipped(&e.message);
    }
    let program = r#"BEGIN { printf("%s\n%s\n", copyinstr(curthread->mm->arg_start), curpsinfo->pr_psargs); exit(0); }"#;
    let text = printed(Who::Bpf, &["-qn", program]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], DTRAIL);
    assert!(lines[1].starts_with(&format!("{DTRAIL} --source=bpf -qn BEGIN ")), "{text}");
}

/// An `ERROR` clause reads the memory of the process that the fault was in, under eBPF a moment after.
#[test]
fn error_clauses_read_memory() {
    let Some(steps) = steps() else { return };
    let program = r#"syscall::openat:entry /pid == $target/ { self->p = arg1; this->x = *(int *)0x10; }
        ERROR /self->p != 0/ { printf("%d %s %s\n", arg5, execname, copyinstr(self->p)); self->p = 0; }
        ERROR { @ = sum(copyinstr(arg5) == "never"); }
        syscall::pause:entry /pid == $target/ { exit(0); }"#;
    for who in everybody() {
        let command = format!("{steps} open=/etc/passwd open=/etc/group wait");
        let output = dtrail(who, &["-qn", program, "-c", &command]);
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(out, "16 steps /etc/passwd\n16 steps /etc/group\n\n", "{who:?}: {err}");
        assert!(err.contains("dtrail: 2 errors in ERROR probe enabling\n"), "{who:?}: {err}");
    }
}

/// An `ERROR` clause takes the stacks that its event had: those that a clause of the same firing takes.
#[test]
fn error_clauses_take_stacks() {
    let Some(steps) = steps() else { return };
    let program = r#"syscall::openat:entry /pid == $target/ { @c[stack(4), ustack(3)] = count(); }
        syscall::openat:entry /pid == $target/ { this->x = *(int *)0x10; }
        ERROR { @e[stack(4), ustack(3)] = count(); }
        END { printa("%k%k%@d\n", @c); printf("--\n"); printa("%k%k%@d\n", @e); }"#;
    for who in everybody() {
        for unwind in ["fp", "dwarf"] {
            let command = format!("{steps} open=/etc/passwd open=/etc/group");
            let output = dtrail(who, &["-x", &format!("unwind={unwind}"), "-qn", program, "-c", &command]);
            let out = String::from_utf8_lossy(&output.stdout);
            let (clause, error) = out.split_once("--\n").expect("both are printed");
            assert_eq!(clause, error.strip_suffix('\n').expect("a line"), "{who:?} {unwind}");
            assert!(clause.contains("steps`start"), "{who:?} {unwind}: {clause}");
            assert_eq!(clause.contains("vmlinux`"), who == Who::Bpf, "{who:?} {unwind}: {clause}");
        }
    }
}

/// An `ERROR` clause writes to the process that the fault was in, and sends it signals: under eBPF a moment after.
#[test]
fn error_clauses_act_on_their_process() {
    let Some(steps) = steps() else { return };
    let command = format!("{steps} open=/etc/passwd getpid=1000000 wait");
    let faulty =
        "syscall::openat:entry /pid == $target/ { self->p = arg1; copyin(arg1 + 0x100000000000, 4); }
        tick-10s { printf(\"too late\"); exit(1); }";
    let (writes, ends, stops) = (
        r#"ERROR { copyoutstr("/dev/null!", arg5 - 0x100000000000, 10); }
        syscall::pause:entry /pid == $target/ { printf("%s\n", copyinstr(self->p)); exit(0); }"#,
        "ERROR { raise(SIGKILL); } syscall::pause:entry /pid == $target/ { printf(\"alive\\n\"); }",
        r#"ERROR { stop(); }
        tick-200ms { system("grep -c stop /proc/%d/status", $target); exit(0); }"#,
    );
    for who in everybody() {
        for (actions, expected) in [(writes, "/dev/null!d\n\n"), (ends, "\n"), (stops, "1\n\n")] {
            let output = dtrail(who, &["-wqn", &format!("{faulty} {actions}"), "-c", &command]);
            let (out, err) =
                (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert_eq!((&*out, output.status.code()), (expected, Some(0)), "{who:?} {actions}: {err}");
        }
    }
}

/// A signal that kills is sent at the event, which the firing's other actions still see whole.
#[test]
fn the_rest_of_a_firing_reads_a_process_that_it_kills() {
    let Some(steps) = steps() else { return };
    let program = r#"syscall::openat:entry /pid == $target/ { raise(SIGKILL); printf("%d ", ustackdepth > 0); }
        syscall::openat:entry /pid == $target/ { printf("%s\n", copyinstr(arg1)); }
        syscall::pause:entry /pid == $target/ { printf("alive\n"); }"#;
    for who in everybody() {
        let output =
            dtrail(who, &["-wqn", program, "-c", &format!("{steps} open=/etc/passwd getpid=1000000 wait")]);
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!((&*out, output.status.code()), ("1 /etc/passwd\n\n", Some(0)), "{who:?}: {err}");
    }
}

/// A command that the firing runs lets a process go on that the firing stopped: the stop does not come after it.
#[test]
fn a_command_of_the_firing_lets_the_process_go_on() {
    let Some(steps) = steps() else { return };
    let stops = r#"syscall::getpid:entry /pid == $target/ { stop(); system("kill -CONT %d", pid); }"#;
    let raises = r#"syscall::getpid:entry /pid == $target/ { raise(SIGSTOP); }
        syscall::getpid:entry /pid == $target/ { system("kill -CONT %d", pid); }"#;
    for who in everybody() {
        for program in [stops, raises] {
            let program = format!("{program} tick-20s {{ printf(\"it stands\"); exit(1); }}");
            let output = dtrail(who, &["-wqn", &program, "-c", &format!("{steps} getpid=2 print=on")]);
            let (out, err) =
                (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert_eq!((&*out, output.status.code()), ("on\n", Some(0)), "{who:?} {program}: {err}");
        }
    }
}

#[test]
fn one_cpu_alone() {
    let script = "syscall:::entry { @[cpu] = count(); } END { printa(\"%d %@d\\n\", @); }";
    for who in everybody() {
        let text = printed(who, &["-q", "-xcpu=0", "-c", "true", "-n", script]);
        let others = text.lines().filter(|line| !line.is_empty() && !line.starts_with("0 "));
        assert_eq!(others.collect::<Vec<_>>(), [""; 0], "{who:?}");
        let output = dtrail(who, &["-xcpu=100000", "-c", "true", "-n", script]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains("could not enable tracing: no CPU 100000: the last one is "), "{told}");
        assert_eq!(output.status.code(), Some(1));
    }
}

/// A packet that this process sends to itself, as the kernel hands it to the loopback device.
#[test]
fn packets_are_dumped_decoded_and_kept() {
    if caps::can_bpf().is_err() {
        return skipped("packets are the kernel's");
    }
    let folder = std::env::temp_dir().join(format!("dtrail-pcap-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("capture");
    let (tshark, kept) = (folder.join("tshark"), file.display().to_string());
    std::fs::write(&tshark, "#!/bin/sh\n/usr/bin/wc -c\n/bin/echo args: \"$@\"\n").expect("there is room");
    std::fs::set_permissions(&tshark, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("ours");
    let capture = |path: &str, before: &str| {
        let program = format!(
            "BEGIN {{ printf(\"on\\n\"); }} {before} rawtp:net::net_dev_queue /pid == $1/ {{ pcap(args[0], PCAP_ETHER); exit(0); }}"
        );
        let mut child = Command::new(DTRAIL)
            .args(["--source=bpf", "-qw", "-n", &program, &std::process::id().to_string()])
            .env("PATH", path)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut out = child.stdout.take().expect("a pipe");
        let mut first = [0; 3];
        out.read_exact(&mut first).expect("its first line");
        let socket = std::net::UdpSocket::bind("127.0.0.1:0").expect("a socket");
        let own = socket.local_addr().expect("bound");
        while child.try_wait().expect("it can be waited for").is_none() {
            socket.send_to(b"dtrail was here", own).expect("the loopback device is there");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let mut text = String::new();
        out.read_to_string(&mut text).expect("text");
        assert_eq!((&first, child.wait().expect("it ended").code()), (b"on\n", Some(0)));
        text
    };
    // 14 bytes of Ethernet, 20 of IP and 8 of UDP come before the 15 of ours.
    let dumped = capture("/nowhere", "");
    assert!(dumped.starts_with("\n             0  1  2  3"), "{dumped}");
    let digits =
        dumped.lines().filter_map(|line| Some(line.split_once(": ")?.1.get(..47)?.trim_end().split(' ')));
    let bytes: Vec<u8> =
        digits.flatten().map(|byte| u8::from_str_radix(byte, 16).expect("two digits")).collect();
    assert_eq!((bytes.len(), &bytes[12..14], &bytes[42..]), (57, &[8, 0][..], &b"dtrail was here"[..]));
    // 24 bytes of the file's header, 16 of the packet's.
    let decoded = capture(&folder.display().to_string(), "");
    assert_eq!(decoded, "pcap \t97\npcap \targs: -n -r -\n\n");
    assert_eq!(capture("/nowhere", &format!("BEGIN {{ freopen(\"{kept}\"); }}")), "");
    let written = std::fs::read(&file).expect("it is there");
    assert_eq!(written.len(), 97 + 1, "and the newline that ends a run");
    assert_eq!(&written[..4], &0xa1b2_c3d4_u32.to_ne_bytes());
    assert_eq!((&written[20..24], &written[32..40]), (&[1, 0, 0, 0][..], &[57, 0, 0, 0, 57, 0, 0, 0][..]));
    // The port, and with it the checksum, is another one.
    assert_eq!(written[82..97], bytes[42..]);
    let _ = std::fs::remove_dir_all(&folder);
}

/// What scratch memory has no room for is told with the option that has, whoever traces.
#[test]
fn sizes_beyond_scratch_memory() {
    let program = "syscall::write:entry /pid == $target/ { printf(\"%s\", stringof(copyin(arg1, arg2))); }";
    let command = format!("echo {}", "a".repeat(300));
    for who in everybody() {
        let output = dtrail(who, &["-qn", program, "-c", &command]);
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        let lines: Vec<&str> = err.lines().collect();
        assert_eq!(lines.len(), 2, "{who:?} {err}");
        assert!(lines[0].contains(": invalid size (0x12d) at insn "), "{who:?} {err}");
        assert_eq!(lines[1], "dtrail: help: `-x scratchsize=301` has room for that many bytes", "{who:?}");
        let output = dtrail(who, &["-x", "scratchsize=301", "-qn", program, "-c", &command]);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{who:?}");
    }
}

/// `print` shows the kernel's types as they are declared, in both its forms and in front of what a member points to.
#[test]
fn types_of_the_kernel_keep_their_qualifiers() {
    let program = "BEGIN { print(curthread); print(curthread->cred); print(*curthread->cred); exit(0); }";
    let Some(text) = by_bpf(program, "true") else { return };
    let member = |name: &str| {
        let line =
            text.lines().find(|line| line.trim_start().starts_with(&format!(".{name} = "))).unwrap_or("");
        line.split("0x").next().unwrap_or("").trim().to_owned()
    };
    assert_eq!(member("cred"), ".cred = (const struct cred *)");
    assert_eq!(member("stack"), ".stack = (void *)");
    let outermost = format!("{:44}(const struct cred) {{", "");
    assert_eq!(text.lines().filter(|line| *line == outermost).count(), 1, "{text}");
    assert_eq!(text.lines().filter(|line| line.ends_with("const struct cred {")).count(), 1, "{text}");
}
