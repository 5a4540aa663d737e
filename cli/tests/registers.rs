//! `uregs[]` of a program whose registers are known (`conformance/workloads/registers.c`), under both sources of a live
//! machine. What cannot run here says `skipped: why`.

#![cfg(target_arch = "x86_64")]
#![allow(clippy::expect_used, reason = "a test fails by a panic, and its parts are no `#[test]` functions")]

use std::process::Command;
use std::sync::OnceLock;

use dtrail_conformance::workload::{built, sources};

/// What a program prints over the known system call, and standard error.
fn run(source: &str, program: &str) -> Option<(String, String)> {
    // Once, by whichever test comes first.
    static TARGET: OnceLock<Option<String>> = OnceLock::new();
    let target = TARGET.get_or_init(|| built("registers", "registers.c", &["-O1"])).as_deref()?;
    let out = Command::new(env!("CARGO_BIN_EXE_dtrail"))
        .args(["--source", source, "-qn", program, "-c", target])
        .output()
        .expect("it starts");
    Some((
        String::from_utf8_lossy(&out.stdout).into_owned(),
        String::from_utf8_lossy(&out.stderr).into_owned(),
    ))
}

#[test]
fn registers_are_those_at_the_call() {
    let program = "syscall::getpid: /pid == $target && uregs[R_R15] == 0x0123456789abcdef/ {
            printf(\"%s %d %d %d %d %d %d %d \", probename, uregs[R_R13], uregs[R_R12], uregs[R_R10], uregs[R_R9],
                uregs[R_R8], uregs[R_RBP], uregs[R_RBX]);
            printf(\"%x %x %x \", uregs[R_RDI], uregs[R_RSI], uregs[R_RDX]);
            printf(\"%d %d %d \", arg0 == uregs[R_RDI], arg1 == uregs[R_RSI], arg2 == uregs[R_RDX]);
            printf(\"%d %d \", uregs[R_ERR], uregs[R_RAX] == (probename == \"return\" ? pid : -38));
            printf(\"%d %d %d %x \", uregs[R_RSP] == uregs[R_R14], uregs[R_RCX] == uregs[R_RIP],
                uregs[R_R11] == uregs[R_RFL], *(unsigned short *)copyin(uregs[R_RIP] - 2, 2));
            printf(\"%x %x %d %d %d %d\\n\", uregs[R_CS], uregs[R_SS], uregs[R_DS], uregs[R_ES], uregs[R_FS], uregs[R_GS]);
        }";
    for source in sources() {
        let Some((out, err)) = run(source, program) else { return };
        // Registers are unsigned: -12 is 2^64 - 12.
        let registers = "13 18446744073709551604 10 9 8 5 11 d1 51 d";
        let rest = "39 1 1 1 1 50f 33 2b 0 0 0 0";
        let expected = format!("entry {registers} 1 1 1 {rest}\nreturn {registers} 0 0 0 {rest}");
        assert_eq!(out.trim_end(), expected, "{source}: {err}");
    }
}

#[test]
fn the_last_trap_takes_ebpf() {
    let program = "syscall::getpid:entry /pid == $target && uregs[R_R15] == 0x0123456789abcdef/ {
            trace(uregs[R_TRAPNO]);
        }
        ERROR { trace(arg4 == DTRACEFLT_KPRIV); }";
    for source in sources() {
        let Some((out, err)) = run(source, program) else { return };
        // 14: a page fault.
        assert_eq!(out.trim(), if source == "bpf" { "14" } else { "1" }, "{source}: {err}");
    }
}

/// The programs of other hooks than system calls reach them as well.
#[test]
fn registers_at_other_hooks() {
    let program = "proc:::signal-send /pid == $target/ { trace(uregs[R_CS]); }
        proc:::exit /pid == $target/ { printf(\"%x %d\", uregs[R_CS], uregs[R_ERR]); }";
    for source in sources().into_iter().filter(|&source| source == "bpf") {
        let Some((out, err)) = run(source, program) else { return };
        assert_eq!(out.trim(), "5133 231", "{source}: {out}{err}");
    }
}
