//! What this process may do with eBPF, and if it may not, why.
//!
//! Comes in: the calling thread's capabilities (capget(2), so that `/proc` need not be mounted), the kernel's answer to one
//! small program, and sysctls. Goes out: yes, or an error that says what is missing. Nothing stays loaded.

use std::fs;
use std::sync::OnceLock;

use dtrail_vm::event::{Error, reason};
use rustix::thread::CapabilitySet;

use crate::ebpf::asm::{Alu, Asm, FP, R0, R1, R2, R3, Size};
use crate::ebpf::helper;
use crate::shortage;
use crate::sys::bpf;

/// A capability's bit in the effective set.
const SYS_ADMIN: u32 = 21;
const PERFMON: u32 = 38;
const BPF: u32 = 39;

/// Whether the `bpf` source can be used: effective root, or CAP_BPF and CAP_PERFMON, in the initial user namespace and
/// with nothing that forbids bpf(2). The error names what is missing. The kernel is asked once a run.
pub fn can_bpf() -> Result<(), Error> {
    can_bpf_or("run as root; or use `--source ptrace` with -c, which needs no privilege")
}

/// The same, with other words for what helps where privilege is missing. That is no help where descriptors or memory have
/// run out.
pub fn can_bpf_or(help: &str) -> Result<(), Error> {
    answer().clone().map_err(|missing| match missing {
        Missing::Privilege(message) => Error::new(message).help(help),
        Missing::Other(error) => error,
    })
}

/// Whether it is privilege that is missing, or a kernel that has eBPF.
pub fn lacks_privilege() -> bool {
    matches!(answer(), Err(Missing::Privilege(_)))
}

/// Why the `bpf` source cannot be used.
#[derive(Clone, Debug)]
enum Missing {
    /// This process may not, and the message says what it lacks.
    Privilege(String),
    /// It may, but this came up.
    Other(Error),
}

fn answer() -> &'static Result<(), Missing> {
    static ANSWER: OnceLock<Result<(), Missing>> = OnceLock::new();
    ANSWER.get_or_init(ask)
}

fn ask() -> Result<(), Missing> {
    let effective = rustix::thread::capabilities(None).map_or(CapabilitySet::empty(), |sets| sets.effective);
    if let Some(missing) = missing(effective.bits()) {
        return Err(Missing::Privilege(format!("tracing the kernel needs {missing}")));
    }
    // The capabilities of a user namespace do not count for bpf(2), and a seccomp profile may forbid it to anyone: whether
    // programs can be loaded, only loading one tells.
    match bpf::load_raw_tracepoint(&nothing()) {
        Ok(_) => Ok(()),
        Err(e) => Err(refused(&e)),
    }
}

/// A program that returns 0.
fn nothing() -> Vec<u64> {
    let mut asm = Asm::new();
    asm.mov_imm(R0, 0);
    asm.exit();
    // Two instructions without a jump: too far to jump is nothing.
    asm.finish().map(|code| code.insns).unwrap_or_default()
}

/// What to say when the kernel does not load a program although the capabilities are there.
fn refused(error: &std::io::Error) -> Missing {
    let why = match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => {
            "a user namespace has no say over the kernel, and a container's seccomp profile may forbid it"
        }
        Some(libc::ENOSYS) => "it has none (CONFIG_BPF_SYSCALL)",
        _ => {
            let told = Error::new(format!("cannot load an eBPF program: {}", reason(error)));
            return Missing::Other(shortage::help(told, error));
        }
    };
    Missing::Privilege(format!("the kernel refuses eBPF programs: {why}"))
}

/// What a set of effective capabilities lacks.
fn missing(effective: u64) -> Option<&'static str> {
    let has = |bit: u32| effective >> bit & 1 == 1;
    match (has(SYS_ADMIN) || has(BPF), has(SYS_ADMIN) || has(PERFMON)) {
        (true, true) => None,
        (false, true) => Some("CAP_BPF"),
        (true, false) => Some("CAP_PERFMON"),
        (false, false) => Some("root, or CAP_BPF and CAP_PERFMON"),
    }
}

/// Whether the running kernel lets programs write to processes: kernels under lockdown do not, nor do some builds. The
/// kernel may log the question, so it is asked once a run. `None` if this process may not ask.
pub fn writes_user() -> Option<bool> {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    can_bpf().ok()?;
    Some(*ANSWER.get_or_init(|| bpf::load_raw_tracepoint(&writing()).is_ok()))
}

/// A program that would write a word to address 0.
fn writing() -> Vec<u64> {
    let mut asm = Asm::new();
    asm.st_imm(Size::D, FP, -8, 0);
    asm.mov_imm(R1, 0);
    asm.mov(R2, FP);
    asm.alu_imm(Alu::Add, R2, -8);
    asm.mov_imm(R3, 8);
    asm.call(helper::PROBE_WRITE_USER);
    asm.mov_imm(R0, 0);
    asm.exit();
    asm.finish().map(|code| code.insns).unwrap_or_default()
}

/// Whether kernel lockdown forbids programs to read kernel memory (`confidentiality`).
pub fn locked_down() -> bool {
    fs::read_to_string("/sys/kernel/security/lockdown").is_ok_and(|s| s.contains("[confidentiality]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_capabilities_are_needed_unless_root() {
        for (effective, expected) in [
            (0x1ff_ffff_ffff, None),
            (1 << SYS_ADMIN, None),
            (1 << BPF | 1 << PERFMON, None),
            (1 << BPF, Some("CAP_PERFMON")),
            (1 << PERFMON, Some("CAP_BPF")),
            (0, Some("root, or CAP_BPF and CAP_PERFMON")),
        ] {
            assert_eq!(missing(effective), expected, "{effective:#x}");
        }
    }

    #[test]
    fn a_refusal_says_what_stands_in_the_way() {
        for (error, expected) in [
            (
                libc::EPERM,
                "the kernel refuses eBPF programs: a user namespace has no say over the kernel, and a container's \
                 seccomp profile may forbid it",
            ),
            (libc::ENOSYS, "the kernel refuses eBPF programs: it has none (CONFIG_BPF_SYSCALL)"),
        ] {
            match refused(&std::io::Error::from_raw_os_error(error)) {
                Missing::Privilege(message) => assert_eq!(message, expected),
                Missing::Other(error) => panic!("{error:?}"),
            }
        }
        for (error, message, help) in [
            (
                libc::EMFILE,
                "Too many open files",
                Some("raise `ulimit -n`: each map, program and probe takes a descriptor"),
            ),
            (libc::ENOMEM, "Cannot allocate memory", Some(shortage::MEMORY)),
            (libc::EINVAL, "Invalid argument", None),
        ] {
            match refused(&std::io::Error::from_raw_os_error(error)) {
                Missing::Privilege(message) => panic!("{message}"),
                Missing::Other(error) => {
                    assert_eq!(error.message, format!("cannot load an eBPF program: {message}"));
                    assert_eq!(error.help.as_deref(), help);
                }
            }
        }
    }

    #[test]
    fn the_program_that_asks_does_nothing() {
        assert_eq!(nothing(), [0xb7, 0x95]);
    }

    #[test]
    fn the_kernel_is_asked_for_the_helper_that_writes() {
        let with = |helper: i32| {
            let mut program = writing();
            let call = program.iter_mut().find(|insn| **insn & 0xff == 0x85).expect("it calls");
            *call = 0x85 | u64::from(helper as u32) << 32;
            program
        };
        assert_eq!(with(helper::PROBE_WRITE_USER), writing());
        if can_bpf().is_err() {
            println!("skipped: eBPF is not allowed");
            assert_eq!(writes_user(), None);
            return;
        }
        assert_eq!(writes_user(), Some(bpf::load_raw_tracepoint(&with(36)).is_ok()));
    }
}
