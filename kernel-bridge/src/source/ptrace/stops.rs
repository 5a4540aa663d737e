//! What each stop of a traced thread means: which probes fire, and how the thread goes on.

use dtrail_lang::ir::ProbeIndex;
use dtrail_vm::event::{EventSink, Exited, ExitedHow, Flow};

use super::PtraceSource;
use super::calls::{EntryArgs, Of, ReturnArgs, of};
use super::sys::{self, CallInfo, Resume};
use super::threads::Thread;
use super::{filter, tasks};
use crate::procfs;
use std::rc::Rc;

/// Reasons of `proc:::exit` (`CLD_…`).
const EXITED: u64 = 1;
const KILLED: u64 = 2;
const DUMPED: u64 = 3;

impl PtraceSource {
    /// A thread has stopped or is gone.
    pub(super) fn changed(&mut self, tid: u32, status: libc::c_int, sink: &mut dyn EventSink) -> Flow {
        if !libc::WIFSTOPPED(status) {
            return self.gone(tid, status, sink);
        }
        let (event, signal) = (status >> 16, libc::WSTOPSIG(status));
        if self.threads.get(tid).is_none() {
            if event == libc::PTRACE_EVENT_STOP && self.threads.note_early(tid) {
                // Its maker's event has not been seen yet: it waits for it, so that `create` comes before `start`.
                return Flow::Continue;
            }
            // It was killed while it waited, and its maker too.
            self.threads.take_early(tid);
            self.adopt(tid).born = true;
        }
        let Some(&mut Thread { born, attached, .. }) = self.threads.get(tid) else { return Flow::Continue };
        // These two have their own place for samples.
        if !matches!(event, libc::PTRACE_EVENT_EXEC | libc::PTRACE_EVENT_EXIT)
            && self.due_samples(tid, sink) == Flow::Stop
        {
            return Flow::Stop;
        }
        match event {
            libc::PTRACE_EVENT_SECCOMP => self.entered(tid, sink),
            0 if signal == libc::SIGTRAP | 0x80 && attached => self.at_call(tid, sink),
            0 if signal == libc::SIGTRAP | 0x80 => self.returned(tid, sink),
            0 => self.go_on(tid, signal),
            libc::PTRACE_EVENT_STOP if !born => self.born(tid, signal, sink),
            libc::PTRACE_EVENT_STOP => self.stay_or_go_on(tid, signal),
            libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK | libc::PTRACE_EVENT_CLONE => {
                self.made(tid, event, sink)
            }
            libc::PTRACE_EVENT_EXEC => self.executed(tid, sink),
            libc::PTRACE_EVENT_EXIT => self.exiting(tid, sink),
            _ => self.go_on(tid, 0),
        }
    }

    /// Lets a thread go: to the end of its call, if its return is wanted.
    fn go_on(&mut self, tid: u32, signal: libc::c_int) -> Flow {
        let every_call = self.calls.stops_calls();
        let thread = self.threads.get(tid);
        let in_call = thread.is_some_and(|thread| thread.current.is_some() || thread.attached && every_call);
        sys::resume(tid, if in_call { Resume::ToReturn } else { Resume::Run }, signal);
        Flow::Continue
    }

    /// After a stop that is no signal's: in a group-stop, which a signal names, it stays as it would without a tracer.
    fn stay_or_go_on(&mut self, tid: u32, signal: libc::c_int) -> Flow {
        if signal == libc::SIGTRAP {
            return self.go_on(tid, 0);
        }
        sys::resume(tid, Resume::Listen, 0);
        Flow::Continue
    }

    /// Fires the samples for which a thread was interrupted, at whatever stop it comes to: any stop takes an interrupt
    /// back that has not taken effect (`ptrace_stop` in the kernel).
    fn due_samples(&mut self, tid: u32, sink: &mut dyn EventSink) -> Flow {
        let due = self.threads.get(tid).map(|thread| std::mem::take(&mut thread.due)).unwrap_or_default();
        self.fire_samples(tid, due, sink)
    }

    /// Fires the samples of a thread that are due.
    fn fire_samples(&mut self, tid: u32, due: Vec<ProbeIndex>, sink: &mut dyn EventSink) -> Flow {
        if due.is_empty() {
            return Flow::Continue;
        }
        // `arg0` is the program counter in the kernel, `arg1` the one in the process.
        let pc = sys::registers(tid).map_or(0, |registers| registers.pc);
        self.fire(tid, due, [0, pc, 0, 0, 0, 0], 0, sink)
    }

    /// The samples of a thread that begins to exit: those that it was too fast for.
    fn last_samples(&mut self, tid: u32) -> Vec<ProbeIndex> {
        let Some(thread) = self.threads.get(tid).filter(|thread| !thread.exiting) else { return Vec::new() };
        let mut due = std::mem::take(&mut thread.due);
        if self.sampler.next().is_some() && self.sampler.is_due(thread.pid, thread.clock.as_ref(), true) {
            due.extend(self.sampler.take(thread.pid, &mut thread.clock));
        }
        due
    }

    /// A thread that stops at every call is before one or behind it.
    fn at_call(&mut self, tid: u32, sink: &mut dyn EventSink) -> Flow {
        match sys::call_info(tid) {
            Ok(CallInfo::Entry { number, args }) => self.enters(tid, number, args, sink),
            _ => self.returned(tid, sink),
        }
    }

    /// The filter stopped it before a call.
    fn entered(&mut self, tid: u32, sink: &mut dyn EventSink) -> Flow {
        if sys::event_message(tid).is_ok_and(|mark| mark != u64::from(filter::MARK)) {
            // A filter of the program itself wants a tracer that it does not have: the call fails as it does without us,
            // and like there it is no event.
            sys::refuse_call(tid);
            return self.go_on(tid, 0);
        }
        let Ok(CallInfo::Entry { number, args }) = sys::call_info(tid) else {
            // Killed meanwhile.
            return self.go_on(tid, 0);
        };
        self.enters(tid, number, args, sink)
    }

    /// It is before a call.
    fn enters(&mut self, tid: u32, number: u32, args: [u64; 6], sink: &mut dyn EventSink) -> Flow {
        let calls = Rc::clone(&self.calls);
        let Some(call) = calls.get(number) else { return self.go_on(tid, 0) };
        for &(probe, kind) in &call.entry {
            let args = match kind {
                EntryArgs::All => args,
                EntryArgs::Only(i) => [args[usize::from(i)], 0, 0, 0, 0, 0],
            };
            if self.fire(tid, [probe], args, 0, sink) == Flow::Stop {
                return Flow::Stop;
            }
        }
        if let Some(thread) = self.threads.get(tid) {
            // What the call changes is read anew by the next event, which comes after it.
            if let Some(fact) = call.changes {
                thread.forget(fact);
            }
            thread.current = (!call.ret.is_empty()).then_some(number);
        }
        self.go_on(tid, 0)
    }

    /// A call whose return is wanted has returned.
    fn returned(&mut self, tid: u32, sink: &mut dyn EventSink) -> Flow {
        let number = self.threads.get(tid).and_then(|thread| thread.current.take());
        if let (Some(number), Ok(CallInfo::Return(result))) = (number, sys::call_info(tid))
            && self.fire_return(tid, number, result, sink) == Flow::Stop
        {
            return Flow::Stop;
        }
        self.go_on(tid, 0)
    }

    fn fire_return(&mut self, tid: u32, number: u32, result: i64, sink: &mut dyn EventSink) -> Flow {
        let calls = Rc::clone(&self.calls);
        let Some(call) = calls.get(number) else { return Flow::Continue };
        let errno = if (-4095..0).contains(&result) { -result as i32 } else { 0 };
        for &(probe, kind) in &call.ret {
            let (args, errno) = match kind {
                ReturnArgs::Result => ([result as u64, result as u64, 0, 0, 0, 0], errno),
                ReturnArgs::Failure if result < 0 => ([-result as u64, 0, 0, 0, 0, 0], 0),
                ReturnArgs::Positive if result > 0 => ([result as u64, 0, 0, 0, 0, 0], 0),
                ReturnArgs::Failure | ReturnArgs::Positive => continue,
            };
            if self.fire(tid, [probe], args, errno, sink) == Flow::Stop {
                return Flow::Stop;
            }
        }
        Flow::Continue
    }

    /// A thread has made another one, in its own or a new process.
    fn made(&mut self, maker: u32, event: libc::c_int, sink: &mut dyn EventSink) -> Flow {
        let Some(tid) = sys::event_message(maker).ok().and_then(|message| u32::try_from(message).ok()) else {
            return self.go_on(maker, 0);
        };
        if self.threads.get(tid).is_some() {
            // Adopted before.
            return self.go_on(maker, 0);
        }
        let makers_process = self.threads.get(maker).map_or(maker, |thread| thread.pid);
        // Only `clone` makes threads; one that is dead already is not worth the distinction.
        let pid = match event {
            libc::PTRACE_EVENT_CLONE => procfs::thread_group(tid).unwrap_or(makers_process),
            _ => tid,
        };
        self.threads.add_made(tid, pid, maker);
        if pid == tid {
            self.symbols.forked(tid, makers_process, crate::host::monotonic());
        }
        let calls = Rc::clone(&self.calls);
        let task = tasks::task(tid);
        for &(probe, whose) in calls.create.iter().filter(|(_, whose)| pid == tid || *whose == Of::Thread) {
            let of_process = if whose == Of::Thread { task } else { 0 };
            if self.fire(maker, [probe], [task, of_process, 0, 0, 0, 0], 0, sink) == Flow::Stop {
                return Flow::Stop;
            }
        }
        if self.threads.take_early(tid) && self.born(tid, libc::SIGTRAP, sink) == Flow::Stop {
            return Flow::Stop;
        }
        self.go_on(maker, 0)
    }

    /// A thread stands at its first stop, which lies after its own return, with 0, from the call that made it.
    fn born(&mut self, tid: u32, signal: libc::c_int, sink: &mut dyn EventSink) -> Flow {
        let Some(thread) = self.threads.get(tid) else { return Flow::Continue };
        thread.born = true;
        if thread.clock.is_none() {
            thread.clock = self.sampler.begin(tid);
        }
        let (pid, number) = (thread.pid, thread.current.take());
        let calls = Rc::clone(&self.calls);
        if let Some(number) = number
            && self.fire_return(tid, number, 0, sink) == Flow::Stop
        {
            return Flow::Stop;
        }
        if self.fire(tid, of(&calls.start, pid == tid), [0; 6], 0, sink) == Flow::Stop {
            return Flow::Stop;
        }
        self.stay_or_go_on(tid, signal)
    }

    /// A process runs a new image. Whichever thread asked for it, it is the first one now.
    fn executed(&mut self, pid: u32, sink: &mut dyn EventSink) -> Flow {
        let former = sys::event_message(pid).ok().and_then(|message| u32::try_from(message).ok());
        if let Some(identity) = self.threads.executed(pid, former.unwrap_or(pid)) {
            sink.thread_ended(identity);
        }
        self.symbols.executed(pid, crate::host::monotonic());
        let calls = Rc::clone(&self.calls);
        if self.due_samples(pid, sink) == Flow::Stop
            || self.fire(pid, calls.exec.iter().copied(), [0; 6], 0, sink) == Flow::Stop
            || self.adopt_orphans(pid, sink) == Flow::Stop
        {
            return Flow::Stop;
        }
        self.go_on(pid, 0)
    }

    /// A thread begins to exit; everything about it can still be read.
    fn exiting(&mut self, tid: u32, sink: &mut dyn EventSink) -> Flow {
        let code = sys::event_message(tid).unwrap_or(0);
        let due = self.last_samples(tid);
        if self.fire_samples(tid, due, sink) == Flow::Stop {
            return Flow::Stop;
        }
        // Killed in a call, it returns from it as far as the kernel is concerned, but does not stop there.
        let number = self.threads.get(tid).and_then(|thread| thread.current.take());
        if let (Some(number), Ok(result)) = (number, sys::result_register(tid))
            && self.fire_return(tid, number, result, sink) == Flow::Stop
        {
            return Flow::Stop;
        }
        if self.ends(tid, code as libc::c_int, sink) == Flow::Stop {
            return Flow::Stop;
        }
        self.go_on(tid, 0)
    }

    /// A thread ends, with an exit code or a wait status, unless that has been seen.
    fn ends(&mut self, tid: u32, code: libc::c_int, sink: &mut dyn EventSink) -> Flow {
        let Some(last) = self.threads.exiting(tid) else { return Flow::Continue };
        let pid = self.threads.get(tid).map_or(tid, |thread| thread.pid);
        let calls = Rc::clone(&self.calls);
        let mut flow = Flow::Continue;
        for (probe, whose) in calls.exit.iter().filter(|(_, whose)| last || *whose == Of::Thread) {
            let reason = if *whose == Of::Process { exit_reason(code) } else { 0 };
            if flow == Flow::Continue {
                flow = self.fire(tid, [*probe], [reason, 0, 0, 0, 0, 0], 0, sink);
            }
        }
        if last {
            if self.printed {
                self.symbols.stopped_at(pid, &[0]);
            }
            self.symbols.ended(pid);
        }
        flow
    }

    /// A thread is gone.
    fn gone(&mut self, tid: u32, status: libc::c_int, sink: &mut dyn EventSink) -> Flow {
        self.threads.take_early(tid);
        // Normally its exit event came before; a thread killed at a bad moment has none.
        let flow = self.ends(tid, status, sink);
        let identity = self.threads.get(tid).map(|thread| thread.identity(tid));
        self.note_gone(tid, status);
        if let Some(identity) = identity {
            sink.thread_ended(identity);
        }
        if flow == Flow::Continue { self.adopt_orphans(tid, sink) } else { flow }
    }

    /// Lets processes begin whose maker has been killed before its event could be seen: `pid` has just ended, or its
    /// other threads have.
    fn adopt_orphans(&mut self, pid: u32, sink: &mut dyn EventSink) -> Flow {
        for tid in self.threads.early() {
            // A thread shares the fate of its maker, and that comes as an event of its own.
            let parent = procfs::thread_group(tid)
                .filter(|&group| group == tid)
                .and_then(|_| procfs::parent(tid, tid));
            let orphan = parent.is_some_and(|parent| parent == pid || !self.threads.has_process(parent));
            if orphan && self.threads.take_early(tid) {
                self.adopt(tid);
                if self.born(tid, libc::SIGTRAP, sink) == Flow::Stop {
                    return Flow::Stop;
                }
            }
        }
        Flow::Continue
    }

    /// Adds a thread that nobody has announced.
    fn adopt(&mut self, tid: u32) -> &mut Thread {
        let pid = procfs::thread_group(tid).unwrap_or(tid);
        self.threads.add(tid, pid)
    }

    /// Takes a thread that is gone off the books.
    pub(super) fn note_gone(&mut self, tid: u32, status: libc::c_int) {
        if let Some(clock) = self.threads.remove(tid) {
            self.sampler.end(&clock);
        }
        self.sampler.end_process(tid);
        if let Some(root) = self.roots.iter_mut().find(|root| **root == Some(tid)) {
            *root = None;
            let how = if libc::WIFEXITED(status) {
                ExitedHow::Status(libc::WEXITSTATUS(status) as u8)
            } else {
                ExitedHow::Signal(libc::WTERMSIG(status) as u8)
            };
            self.exited.push(Exited { pid: tid, how: Some(how) });
        }
    }
}

/// Why a process ends, from its exit code or wait status.
fn exit_reason(code: libc::c_int) -> u64 {
    match code {
        _ if code & 0x7f == 0 => EXITED,
        _ if code & 0x80 != 0 => DUMPED,
        _ => KILLED,
    }
}
