//! Which probes fire at which stop: a plan in, tables out. Pure.

use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::env::FiredBy;
use dtrail_lang::ir::{Op, ProbeIndex, Program};
use dtrail_vm::event::Error;

use crate::ebpf::{Hook, Select};
use crate::providers::{self, syscall_table};

/// The probes of a plan, by the stop that fires them.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// By system call number.
    by_number: Vec<Call>,
    /// `proc:::start`, `lwp-start`: the first stop of a process or thread.
    pub(super) start: Vec<(ProbeIndex, Of)>,
    /// `proc:::create`, `lwp-create`: a new process or thread, in its maker.
    pub(super) create: Vec<(ProbeIndex, Of)>,
    /// `proc:::exec-success`: a new image.
    pub(super) exec: Vec<ProbeIndex>,
    /// `proc:::exit`, `lwp-exit`: the end of a process's last thread, or of any.
    pub(super) exit: Vec<(ProbeIndex, Of)>,
    /// `profile-N`: its period in nanoseconds.
    pub(super) profile: Vec<(u64, ProbeIndex)>,
}

/// Whose beginning or end a probe is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// A process as a whole.
    Process,
    /// Any thread, the first of a process too.
    Thread,
}

/// Those of such probes that fire for a thread; `process` tells that the process begins or ends with it.
pub(super) fn of(probes: &[(ProbeIndex, Of)], process: bool) -> impl Iterator<Item = ProbeIndex> {
    probes.iter().filter(move |(_, of)| process || *of == Of::Thread).map(|(probe, _)| *probe)
}

/// What happens at one system call.
#[derive(Debug, Default)]
pub(super) struct Call {
    /// Fire when it is entered.
    pub(super) entry: Vec<(ProbeIndex, EntryArgs)>,
    /// Fire when it returns.
    pub(super) ret: Vec<(ProbeIndex, ReturnArgs)>,
    /// What the tracer knows of the thread and this call may change.
    pub(super) changes: Option<Fact>,
}

/// What `arg0`… of an entry probe are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryArgs {
    /// The call's own.
    All,
    /// One of the call's, as `arg0`.
    Only(u8),
}

/// What `arg0`… of a return probe are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReturnArgs {
    /// The result, as `arg0` and `arg1`; `errno` is set.
    Result,
    /// The positive error number as `arg0`; the probe does not fire on success.
    Failure,
    /// A result above 0, as `arg0`; the probe does not fire without one.
    Positive,
}

/// A fact about a thread that is kept because reading it takes longer than a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    /// `execname`
    Name,
    /// `uid` and `gid`
    Ids,
}

/// The calls that change a fact while a process goes on. A name written through `/proc/PID/task/TID/comm`
/// (`pthread_setname_np` of another thread) is noticed at the next `prctl`, `exec` or new thread only.
const CHANGES: &[(Fact, BuiltinVar, &[&str])] = &[
    (Fact::Name, BuiltinVar::Execname, &["prctl"]),
    (Fact::Ids, BuiltinVar::Uid, &["setuid", "setreuid", "setresuid"]),
    (Fact::Ids, BuiltinVar::Gid, &["setgid", "setregid", "setresgid"]),
];

impl Calls {
    /// The tables of a program; an error for a probe that needs another source.
    pub(super) fn of(program: &Program) -> Result<Calls, Error> {
        let mut calls = Calls::default();
        for (i, probe) in
            program.probes.iter().enumerate().filter(|(_, probe)| probe.fired_by == FiredBy::Source)
        {
            let index = ProbeIndex(i as u32);
            let Some(site) = providers::hook_site(probe) else { return Err(refused(probe)) };
            match (&site.hook, &site.select) {
                (Hook::SysEnter, Select::Syscall(number)) => {
                    calls.at(*number).entry.push((index, EntryArgs::All));
                }
                (Hook::SysExit, Select::Syscall(number)) => {
                    calls.at(*number).ret.push((index, ReturnArgs::Result));
                }
                (Hook::SysEnter, Select::SyscallArg(list)) => {
                    for &(number, arg) in list {
                        calls.at(number).entry.push((index, EntryArgs::Only(arg)));
                    }
                }
                (Hook::SysExit, Select::SyscallFailed(list)) => {
                    for &number in list {
                        calls.at(number).ret.push((index, ReturnArgs::Failure));
                    }
                }
                (Hook::Profile { period }, _) => calls.profile.push((*period, index)),
                (Hook::SysExit, Select::SyscallChild(_)) => calls.start.push((index, Of::Process)),
                (Hook::SysExit, Select::SyscallBorn(_)) => calls.start.push((index, Of::Thread)),
                (Hook::SysExit, Select::SyscallGave(list)) => {
                    for &number in list {
                        calls.at(number).ret.push((index, ReturnArgs::Positive));
                    }
                }
                (Hook::RawTracepoint(_), Select::ForkedProcess) => calls.create.push((index, Of::Process)),
                (Hook::RawTracepoint(_), Select::ForkedThread) => calls.create.push((index, Of::Thread)),
                (Hook::RawTracepoint(_), Select::LastThread) => calls.exit.push((index, Of::Process)),
                (Hook::RawTracepoint(name), Select::Always) if name == "sched_process_exit" => {
                    calls.exit.push((index, Of::Thread));
                }
                (Hook::RawTracepoint(name), Select::Always) if name == "sched_process_exec" => {
                    calls.exec.push(index);
                }
                _ => return Err(refused(probe)),
            }
        }
        // The order of the kernel part: the call's own probes first, each kind by the order of the program.
        for call in &mut calls.by_number {
            call.entry.sort_by_key(|(_, args)| *args != EntryArgs::All);
            call.ret.sort_by_key(|(_, args)| *args != ReturnArgs::Result);
        }
        if calls.fires_anything() {
            calls.note_changes(program);
        }
        Ok(calls)
    }

    fn at(&mut self, number: u32) -> &mut Call {
        let number = number as usize;
        if self.by_number.len() <= number {
            self.by_number.resize_with(number + 1, Call::default);
        }
        &mut self.by_number[number]
    }

    /// Whether any system call is of interest.
    pub(super) fn stops_calls(&self) -> bool {
        !self.by_number.is_empty()
    }

    /// Whether any probe needs a traced process.
    pub(super) fn fires_anything(&self) -> bool {
        let procs = [&self.start, &self.create, &self.exit];
        self.stops_calls()
            || !self.profile.is_empty()
            || !self.exec.is_empty()
            || procs.iter().any(|probes| !probes.is_empty())
    }

    /// Whether the exit event of a thread says something: a probe of its own, or the return from the call that it was
    /// killed in.
    pub(super) fn wants_exits(&self) -> bool {
        !self.exit.is_empty() || self.by_number.iter().any(|call| !call.ret.is_empty())
    }

    /// Adds the calls after which a fact that the program reads must be read anew.
    fn note_changes(&mut self, program: &Program) {
        let insts = program.clauses.iter().flat_map(|clause| &clause.blocks).flat_map(|block| &block.insts);
        let used: Vec<BuiltinVar> = insts
            .filter_map(|inst| match inst.op {
                Op::Builtin { var, .. } => Some(var),
                _ => None,
            })
            .collect();
        for (fact, _, names) in CHANGES.iter().filter(|(_, var, _)| used.contains(var)) {
            for number in names.iter().filter_map(|name| syscall_table::by_name(name)?.number()) {
                self.at(number).changes = Some(*fact);
            }
        }
    }

    /// The call with this number; `None` if the filter should not have stopped it.
    pub(super) fn get(&self, number: u32) -> Option<&Call> {
        self.by_number.get(number as usize)
    }

    /// The numbers that the filter must stop.
    pub(super) fn numbers(&self) -> Vec<u32> {
        let wanted = |call: &Call| !call.entry.is_empty() || !call.ret.is_empty() || call.changes.is_some();
        (0u32..).zip(&self.by_number).filter(|(_, call)| wanted(call)).map(|(number, _)| number).collect()
    }
}

fn refused(probe: &dtrail_lang::env::Probe) -> Error {
    let name = format!("{}:{}:{}:{}", probe.provider, probe.module, probe.function, probe.name);
    Error::new(format!("probe {name} cannot be had from the ptrace source"))
        .help("run as root, or with CAP_BPF and CAP_PERFMON, to use the bpf source")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::SourceEnvironment;
    use dtrail_lang::env::{Environment, ProbePattern};
    use dtrail_lang::ir::{Block, Clause, Inst, Reg, RegKind, Terminator};
    use dtrail_lang::source::{SourceId, Span};

    const SPAN: Span = Span { source: SourceId(0), start: 0, end: 0 };

    fn program(probes: &[(&str, &str, &str)], reads: Option<BuiltinVar>) -> Program {
        let environment = SourceEnvironment::bpf(None);
        let mut program = Program::default();
        for (provider, function, name) in probes {
            let pattern = ProbePattern {
                provider: (*provider).into(),
                function: (*function).into(),
                name: (*name).into(),
                ..ProbePattern::default()
            };
            program.probes.extend(environment.match_probes(&pattern).expect("it exists"));
        }
        if let Some(var) = reads {
            let op = Op::Builtin { dst: Reg(0), var, index: 0 };
            let block =
                Block { insts: vec![Inst { op, point: 0, stmt: 1, span: SPAN }], end: Terminator::Return };
            program.clauses.push(Clause {
                number: 0,
                regs: vec![RegKind::Int],
                blocks: vec![block],
                span: SPAN,
            });
        }
        program
    }

    fn numbers(names: &[&str]) -> Vec<u32> {
        let mut all: Vec<u32> = names
            .iter()
            .map(|name| syscall_table::by_name(name).and_then(syscall_table::Syscall::number).expect("known"))
            .collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn only_calls_of_interest_are_stopped() {
        for (probes, reads, expected) in [
            (
                &[("syscall", "read", "entry"), ("syscall", "write", "return")][..],
                None,
                &["read", "write"][..],
            ),
            (&[("proc", "", "exec"), ("proc", "", "exec-failure")], None, &["execve", "execveat"]),
            (&[("proc", "", "start"), ("proc", "", "create"), ("proc", "", "exit")], None, &[]),
            (&[("dtrace", "", "BEGIN"), ("profile", "", "tick-1")], Some(BuiltinVar::Execname), &[]),
            (&[("syscall", "read", "entry")], Some(BuiltinVar::Execname), &["read", "prctl"]),
            (&[("proc", "", "exit")], Some(BuiltinVar::Uid), &["setuid", "setreuid", "setresuid"]),
            (&[("syscall", "read", "entry")], Some(BuiltinVar::Pid), &["read"]),
        ] {
            let calls = Calls::of(&program(probes, reads)).expect("all can be had");
            assert_eq!(calls.numbers(), numbers(expected), "{probes:?}");
        }
    }

    #[test]
    fn tables() {
        let calls = Calls::of(&program(
            &[
                ("proc", "", "exec"),
                ("syscall", "execve", "entry"),
                ("syscall", "execve", "return"),
                ("proc", "", "exec-failure"),
            ],
            None,
        ))
        .expect("all can be had");
        let execve = calls.get(numbers(&["execve"])[0]).expect("wanted");
        assert_eq!(execve.entry, [(ProbeIndex(1), EntryArgs::All), (ProbeIndex(0), EntryArgs::Only(0))]);
        assert_eq!(execve.ret, [(ProbeIndex(2), ReturnArgs::Result), (ProbeIndex(3), ReturnArgs::Failure)]);
        let execveat = calls.get(numbers(&["execveat"])[0]).expect("wanted");
        assert_eq!(execveat.entry, [(ProbeIndex(0), EntryArgs::Only(1))]);
    }

    #[test]
    fn samples_are_due_by_their_rate() {
        let calls = Calls::of(&program(&[("profile", "", "profile-100")], None)).expect("it can be sampled");
        assert_eq!(calls.profile, [(10_000_000, ProbeIndex(0))]);
        assert!(calls.fires_anything() && !calls.stops_calls());
    }
}
