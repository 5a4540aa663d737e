//! What the kernel says when it refuses a program, put so that a user can act on it.

use std::io;

use aya::EbpfError;
use aya::programs::ProgramError;
use dtrail_lang::plan::{Overflow, Plan, Side};
use dtrail_vm::event::{Error, plain, reason};

use crate::ebpf::{Hook, ProgramSpec};
use crate::{caps, readers, shortage};

/// A signal came before tracing began.
pub(super) fn interrupted() -> Error {
    Error::new("interrupted")
}

/// Lines of a verifier's log that are shown.
const LINES: usize = 4;

/// A map could not be made or mapped.
pub(super) fn maps(error: &io::Error) -> Error {
    with_help(Error::new(format!("cannot create a map: {}", reason(error))), error.raw_os_error())
}

/// The object could not be turned into maps and code.
pub(super) fn object(error: &EbpfError) -> Error {
    with_help(Error::new(chain(error)), os_error(error))
}

/// The kernel's own types cannot be read.
pub(crate) fn no_types(why: &(dyn std::error::Error + 'static)) -> Error {
    let vmlinux = readers::btf::VMLINUX;
    let told = Error::new(format!("cannot read the kernel's types from {vmlinux}: {}", chain(why)));
    match advice_for_types(why) {
        Some(advice) => told.help(advice),
        None => told,
    }
}

/// What helps where the kernel's types cannot be read: it depends on whether they are there.
fn advice_for_types(why: &(dyn std::error::Error + 'static)) -> Option<&'static str> {
    let error = why.downcast_ref::<io::Error>()?;
    match error.kind() {
        io::ErrorKind::NotFound if !std::path::Path::new("/sys/kernel").exists() => {
            Some("/sys must be mounted; `--source ptrace` works without")
        }
        io::ErrorKind::NotFound => {
            Some("the kernel must be built with CONFIG_DEBUG_INFO_BTF=y; `--source ptrace` works without")
        }
        _ => shortage::advice(error),
    }
}

/// The verifier, or the kernel before it, refused a program.
pub(super) fn program(plan: &Plan, spec: &ProgramSpec, error: &ProgramError) -> Error {
    let name = shown(plan, spec);
    let mut clauses: Vec<String> = Vec::new();
    for group in spec.groups.iter().filter_map(|g| plan.groups.get(usize::from(g.0))) {
        for clause in group.clauses.iter().filter_map(|c| plan.program.clauses.get(c.index())) {
            let name = format!("dt_clause_{}", clause.number);
            if !clauses.contains(&name) {
                clauses.push(name);
            }
        }
    }
    let os = os_error(error);
    let (why, log) = match error {
        ProgramError::LoadError { io_error, verifier_log } => {
            (reason(io_error), verdict(&verifier_log.to_string()))
        }
        other => (chain(other), Vec::new()),
    };
    let mut text = format!("BPF program load for '{name}' failed: {why}");
    for line in &log {
        text.push_str("\n  BPF: ");
        text.push_str(line);
    }
    if !log.is_empty() && !clauses.is_empty() {
        text.push_str(&format!("\n  in {}", first_few(&clauses)));
    }
    let error = Error::new(text);
    if log.is_empty() {
        return with_help(error, os);
    }
    if exceeds_limit(&log) {
        let kept = plan.homes.iter().map(|home| home.side).chain(plan.agg_sites.iter().map(|site| site.side));
        let advice = match kept.into_iter().any(|side| side == Side::Kernel) {
            true => {
                "the program is larger than the kernel allows: use fewer clauses, variables or aggregations at a time, or \
                 `-x placement=user`"
            }
            // What is left is what can be taken at the event only.
            false => {
                "the program is larger than the kernel allows: use fewer clauses and fewer stacks on one probe"
            }
        };
        return error.help(advice).overflow(Overflow::Refused);
    }
    error.help(
        "this is a defect of dtrail: please report it with these lines; `-x placement=user` keeps the clause out of the kernel",
    )
}

/// What a program is called: the first of its probes.
pub(super) fn shown(plan: &Plan, spec: &ProgramSpec) -> String {
    let probe = spec.probes.first().and_then(|p| plan.program.probes.get(p.index()));
    probe.map_or_else(
        || spec.name.clone(),
        |p| format!("{}:{}:{}:{}", p.provider, p.module, p.function, p.name),
    )
}

/// Names, cut short where they would fill the screen.
fn first_few(names: &[String]) -> String {
    const FEW: usize = 4;
    match names.len().checked_sub(FEW) {
        None | Some(0) => names.join(", "),
        Some(more) => format!("{} and {more} more", names[..FEW].join(", ")),
    }
}

/// Whether the verifier says that one of its limits was met, as against a mistake in the code.
fn exceeds_limit(log: &[String]) -> bool {
    const LIMITS: [&str; 6] = [
        "has reached the limit",
        // A jump over more code than its offset holds, when the kernel has put its own in.
        "16-bit range",
        "is too large",
        "sequence of 8193 jumps",
        "combined stack size",
        "too many subprograms",
    ];
    log.iter().any(|line| LIMITS.iter().any(|limit| line.contains(limit)))
}

/// A program could not be hung on its hook.
pub(super) fn attach(hook: &Hook, error: &ProgramError) -> Error {
    let os = os_error(error);
    let told = Error::new(format!("cannot attach to {hook}: {}", chain(error)));
    match os {
        // Programs have been loaded, so it is not for want of capabilities.
        Some(libc::EPERM | libc::EACCES | libc::ENOSYS) if !caps::locked_down() => {
            told.help("a container's seccomp profile or a security module may forbid it; `--source ptrace` works without")
        }
        _ => with_help(told, os),
    }
}

/// Advice for an error of the machine, by its number.
fn with_help(error: Error, os: Option<i32>) -> Error {
    match os {
        Some(libc::EPERM | libc::EACCES) if caps::locked_down() => {
            error.help("kernel lockdown is in confidentiality mode; `--source ptrace` works with it")
        }
        Some(libc::EPERM | libc::EACCES) => {
            error.help("run as root, or with CAP_BPF and CAP_PERFMON; or use `--source ptrace` with -c")
        }
        Some(libc::ENOMEM) => error.help(format!(
            "make buffers smaller with -x bufsize=, aggsize= and dynvarsize=, or {}",
            shortage::MEMORY
        )),
        _ => match os {
            Some(number) => shortage::help(error, &io::Error::from_raw_os_error(number)),
            None => error,
        },
    }
}

/// An error and its causes, from intent to cause, each once.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = plain(&error.to_string());
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = plain(&cause.to_string());
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        next = cause.source();
    }
    text
}

/// The number of the system's error among an error and its causes.
fn os_error(error: &(dyn std::error::Error + 'static)) -> Option<i32> {
    let mut next = Some(error);
    while let Some(e) = next {
        if let Some(io) = e.downcast_ref::<io::Error>() {
            return io.raw_os_error();
        }
        next = e.source();
    }
    None
}

/// The last meaningful lines of a verifier's log: what was refused, and the instructions before it.
fn verdict(log: &str) -> Vec<String> {
    let noise = |line: &str| {
        line.is_empty()
            || ["processed ", "verification time", "stack depth", "mark_precise", "max_states", "func#"]
                .iter()
                .any(|start| line.starts_with(start))
            // A dump of all registers.
            || (line.contains(": R") && line.contains("=") && !line.contains(": ("))
    };
    let lines: Vec<&str> = log.lines().map(str::trim).filter(|line| !noise(line)).collect();
    lines[lines.len().saturating_sub(LINES)..].iter().map(|line| (*line).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_cut_to_its_verdict() {
        let log = "func#0 @0\n0: R1=ctx() R10=fp0\n0: (b7) r0 = 1\n1: R0_w=1\n1: (bf) r6 = r1\n2: (79) r0 = *(u64 *)(r6 \
                   +800)\ninvalid bpf_context access off=800 size=8\nverification time 12 usec\nstack depth 0\nprocessed 3 \
                   insns (limit 1000000) max_states_per_insn 0 total_states 0 peak_states 0 mark_read 0\n";
        assert_eq!(
            verdict(log),
            [
                "0: (b7) r0 = 1",
                "1: (bf) r6 = r1",
                "2: (79) r0 = *(u64 *)(r6 +800)",
                "invalid bpf_context access off=800 size=8"
            ]
        );
        assert_eq!(verdict(""), Vec::<String>::new());
    }

    #[test]
    fn limits_and_mistakes_are_told_apart() {
        let limit = "The total number of maps per program has reached the limit of 64";
        assert!(exceeds_limit(&verdict(limit)));
        assert!(exceeds_limit(&verdict("BPF program is too large. Processed 1000001 insn")));
        assert!(exceeds_limit(&verdict("insn 16445 cannot be patched due to 16-bit range")));
        assert!(!exceeds_limit(&verdict("R1 invalid mem access 'scalar'")));
        let names = ["a", "b", "c", "d", "e", "f"].map(str::to_owned);
        assert_eq!(first_few(&names), "a, b, c, d and 2 more");
        assert_eq!(first_few(&names[..4]), "a, b, c, d");
    }

    #[test]
    fn causes_are_told_once_and_without_numbers() {
        let error = ProgramError::SyscallError(aya::sys::SyscallError {
            call: "bpf_raw_tracepoint_open",
            io_error: io::Error::from_raw_os_error(libc::EPERM),
        });
        let error = attach(&Hook::SysEnter, &error);
        assert_eq!(
            error.message,
            "cannot attach to system call entries: `bpf_raw_tracepoint_open` failed: \
             Operation not permitted"
        );
        assert_eq!(
            error.help.as_deref().map(|help| help.split(';').next().unwrap_or(help)),
            Some(match caps::locked_down() {
                true => "kernel lockdown is in confidentiality mode",
                false => "a container's seccomp profile or a security module may forbid it",
            })
        );
    }

    #[test]
    fn advice_about_types_is_for_those_that_are_missing() {
        let of = |error: io::Error| no_types(&error).help;
        let help = of(io::Error::from_raw_os_error(libc::ENOENT)).expect("it is known");
        assert!(help.starts_with("the kernel must be built with CONFIG_DEBUG_INFO_BTF=y;"), "{help}");
        assert_eq!(of(io::ErrorKind::OutOfMemory.into()).as_deref(), Some(shortage::MEMORY));
        let files = shortage::advice(&io::Error::from_raw_os_error(libc::EMFILE));
        assert_eq!(of(io::Error::from_raw_os_error(libc::EMFILE)).as_deref(), files);
        assert_eq!(of(io::Error::from_raw_os_error(libc::EIO)), None);
    }

    #[test]
    fn a_map_too_many_names_its_limit() {
        let error = maps(&io::Error::from_raw_os_error(libc::EMFILE));
        assert_eq!(error.message, "cannot create a map: Too many open files");
        let help = "raise `ulimit -n`: each map, program and probe takes a descriptor";
        assert_eq!(error.help.as_deref(), Some(help));
    }
}
