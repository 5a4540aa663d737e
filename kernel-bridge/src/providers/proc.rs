//! `proc:vmlinux::create` and its kin: the lives of processes.

use std::sync::Arc;

use dtrail_lang::env::{FiredBy, Probe, ProviderStability};

use super::syscall::numbers;
use super::{Listing, Provider, args, no_aliases, none_on_demand, stability};
use crate::ebpf::{Hook, HookSite, Select, SignalEvent};

/// Its row.
pub static PROVIDER: Provider = Provider {
    name: "proc",
    module: "vmlinux",
    stability: ProviderStability {
        description: stability("Private", "Private", "Unknown"),
        args: stability("Evolving", "Evolving", "ISA"),
    },
    list,
    on_demand: none_on_demand,
    alias: no_aliases,
    hook_site,
    missing: &[],
};

/// The calls that make processes; the child's own return from one of them, with 0, is its start.
pub const FORKS: &[&str] = &["clone", "clone3", "fork", "vfork"];

/// The calls that replace a process's image, and which argument of each is the path.
pub const EXECS: &[(&str, u8)] = &[("execve", 0), ("execveat", 1)];

/// Those of the probes that only the kernel sees.
pub const ONLY_BPF: &[&str] = &["fault", "signal-discard", "signal-handle", "signal-send"];

/// The calls that take a signal instead of having it handled.
pub const WAITS: &[&str] = &["rt_sigtimedwait"];

/// Name, types of `args[]`, and whether pointers and strings among them are the traced process's.
const PROBES: &[(&str, &[&str])] = &[
    ("create", &["psinfo_t *"]),
    ("exec", &["string"]),
    ("exec-failure", &["int"]),
    ("exec-success", &[]),
    ("exit", &["int"]),
    ("fault", &["int", "siginfo_t *"]),
    ("lwp-create", &["lwpsinfo_t *", "psinfo_t *"]),
    ("lwp-exit", &[]),
    ("lwp-start", &[]),
    ("signal-clear", &["int"]),
    ("signal-discard", &["lwpsinfo_t *", "psinfo_t *", "int"]),
    ("signal-handle", &["int", "siginfo_t *", "void *"]),
    ("signal-send", &["lwpsinfo_t *", "psinfo_t *", "int"]),
    ("start", &[]),
];

fn list(listing: &mut Listing<'_>) {
    let function = Arc::from("");
    for (name, types) in PROBES {
        let mut types = args(types).to_vec();
        for ty in types.iter_mut().filter(|ty| &*ty.ty == "string") {
            ty.userland = true;
        }
        listing.add(&function, &(*name).into(), FiredBy::Source, &types.into());
    }
}

fn hook_site(probe: &Probe) -> Option<HookSite> {
    let execs = || EXECS.iter().filter_map(|&(name, arg)| Some((*numbers(&[name]).first()?, arg)));
    let raw = |name: &str| Hook::RawTracepoint(name.into());
    let (hook, select) = match &*probe.name {
        "create" => (raw("sched_process_fork"), Select::ForkedProcess),
        "exec" => (Hook::SysEnter, Select::SyscallArg(execs().collect())),
        "exec-failure" => (Hook::SysExit, Select::SyscallFailed(execs().map(|(number, _)| number).collect())),
        "exec-success" => (raw("sched_process_exec"), Select::Always),
        "exit" => (raw("sched_process_exit"), Select::LastThread),
        "fault" => (raw("signal_generate"), Select::Signal(SignalEvent::Fault)),
        "lwp-create" => (raw("sched_process_fork"), Select::ForkedThread),
        "lwp-exit" => (raw("sched_process_exit"), Select::Always),
        "lwp-start" => (Hook::SysExit, Select::SyscallBorn(numbers(FORKS))),
        "signal-clear" => (Hook::SysExit, Select::SyscallGave(numbers(WAITS))),
        "signal-discard" => (raw("signal_generate"), Select::Signal(SignalEvent::Discarded)),
        "signal-handle" => (raw("signal_deliver"), Select::Signal(SignalEvent::Handled)),
        "signal-send" => (raw("signal_generate"), Select::Signal(SignalEvent::Sent)),
        "start" => (Hook::SysExit, Select::SyscallChild(numbers(FORKS))),
        _ => return None,
    };
    Some(HookSite { hook, select })
}
