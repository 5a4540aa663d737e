//! Tracing one's own commands and processes without any privilege: a plan and targets in, events out, each delivered while
//! the thread that fired it stands still.
//!
//! A seccomp filter, installed before the command is executed, stops it at the system calls of interest and nowhere else
//! (`filter`); where a return is wanted too, the thread is let go to the end of that call only. Processes and threads
//! that it makes inherit filter and tracer. Signals, stops and continuations reach them as if nobody watched, and nothing
//! of theirs outlives the tracer: a filter without a tracer would fail their calls.
//!
//! Everything happens in the thread that made the source: the kernel accepts ptrace requests from no other.

mod advance;
mod alarm;
mod attach;
mod calls;
mod command;
mod context;
mod filter;
mod sampling;
mod stops;
mod sys;
mod tasks;
mod threads;
mod unwind;

use std::marker::PhantomData;
use std::os::fd::{AsRawFd, OwnedFd};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dtrail_lang::env::Environment;
use dtrail_lang::ir::ProbeIndex;
use dtrail_lang::options::{EvalTime, Options, TypeData};
use dtrail_lang::plan::{Capabilities, Plan};
use dtrail_vm::event::{Error, Event, EventSink, EventSource, Exited, Flow, Wait};
use dtrail_vm::fault::Drops;
use dtrail_vm::stacks;

use self::alarm::Alarm;
use self::calls::Calls;
use self::command::Command;
use self::context::StopContext;
use self::sampling::Sampler;
use self::sys::{Resume, Waited};
use self::tasks::Tasks;
use self::threads::{Thread, Threads};
use super::targets::Target;
use crate::child::split_command;
use crate::env::SourceEnvironment;
use crate::host;
use crate::symbols::Symbols;
use crate::sys::cpus;

/// What is asked of the kernel for every traced thread.
const OPTIONS: libc::c_int = libc::PTRACE_O_EXITKILL
    | libc::PTRACE_O_TRACESECCOMP
    | libc::PTRACE_O_TRACECLONE
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK
    | libc::PTRACE_O_TRACEEXEC
    | libc::PTRACE_O_TRACESYSGOOD;

/// How long events may pile up before the caller gets its turn to write output.
const FLUSH_AFTER: Duration = Duration::from_millis(10);

/// How long to sleep while nothing happens, so that a wake-up that no signal announces is noticed.
const IDLE: Duration = Duration::from_millis(100);

/// How long to wait for killed processes to be gone.
const LAST_BREATH: Duration = Duration::from_secs(2);

/// Traces commands.
#[derive(Debug)]
pub struct PtraceSource {
    environment: SourceEnvironment,
    /// Forked, not yet executed.
    commands: Vec<Command>,
    /// The processes of the commands, by the order in which they were given; `None` once gone.
    roots: Vec<Option<u32>>,
    calls: Rc<Calls>,
    threads: Threads,
    tasks: Tasks,
    exited: Vec<Exited>,
    /// Whether events are delivered.
    open: bool,
    /// Whether the sink has said stop.
    stopped: bool,
    /// Whether anything was delivered since the flush timer was last set.
    delivered: bool,
    alarm: Alarm,
    wake: Option<Arc<OwnedFd>>,
    symbols: Rc<Symbols>,
    /// Numbers are printed as addresses of processes: what each has mapped is read before it ends.
    printed: bool,
    sampler: Sampler,
    /// `unwind=dwarf`
    dwarf: bool,
    /// `cpu`: the only one that fires.
    only_cpu: Option<u32>,
    evaltime: EvalTime,
    notices: Vec<String>,
    /// Bound to its thread.
    _thread: PhantomData<*const ()>,
}

impl PtraceSource {
    /// Forks the commands and becomes their tracer. They are executed when the plan is attached, and run when tracing
    /// opens. When `wake` is readable, waiting ends.
    pub fn new(targets: &[Target], wake: Option<Arc<OwnedFd>>) -> Result<PtraceSource, Error> {
        let alarm = Alarm::new().map_err(|error| Error::from(error).context("cannot create a timer"))?;
        let mut threads = Threads::default();
        let mut commands = Vec::new();
        let mut roots = Vec::new();
        for target in targets {
            match target {
                Target::Command(command) => {
                    let command = command::start(&split_command(command), OPTIONS)?;
                    threads.add(command.pid, command.pid).born = true;
                    roots.push(Some(command.pid));
                    commands.push(command);
                }
                Target::Process(pid) => {
                    for tid in attach::seize(*pid)? {
                        let thread = threads.add(tid, *pid);
                        (thread.born, thread.attached) = (true, true);
                    }
                    roots.push(Some(*pid));
                }
            }
        }
        // Only now: the commands inherit what this process was given.
        sys::notice_children();
        Ok(PtraceSource {
            environment: SourceEnvironment::ptrace(roots.iter().copied().flatten().next()),
            roots,
            commands,
            calls: Rc::default(),
            threads,
            tasks: Tasks::default(),
            exited: Vec::new(),
            open: false,
            stopped: false,
            delivered: false,
            alarm,
            wake,
            symbols: Rc::default(),
            printed: false,
            sampler: Sampler::default(),
            dwarf: false,
            only_cpu: None,
            evaltime: EvalTime::Exec,
            notices: Vec::new(),
            _thread: PhantomData,
        })
    }

    /// The same, telling these names what it learns of processes.
    #[must_use]
    pub fn with_symbols(mut self, symbols: Rc<Symbols>) -> PtraceSource {
        symbols.set_target(self.roots.iter().copied().flatten().next());
        self.symbols = symbols;
        self
    }

    /// The same, with the kernel's types read from elsewhere.
    #[must_use]
    pub fn with_types(mut self, data: &TypeData) -> PtraceSource {
        self.environment.read_types_from(data);
        self
    }

    /// The process IDs of the commands that have not ended.
    pub fn targets(&self) -> Vec<u32> {
        self.roots.iter().copied().flatten().collect()
    }

    /// Fires probes in a stopped thread, one after the other.
    fn fire(
        &mut self,
        tid: u32,
        probes: impl IntoIterator<Item = ProbeIndex>,
        args: [u64; 6],
        errno: i32,
        sink: &mut dyn EventSink,
    ) -> Flow {
        let mut probes = probes.into_iter().peekable();
        if !self.open || probes.peek().is_none() {
            return Flow::Continue;
        }
        let Some(thread) = self.threads.get(tid) else { return Flow::Continue };
        if self.only_cpu.is_some_and(|only| only != thread.cpu(tid)) {
            return Flow::Continue;
        }
        self.delivered = true;
        let mut context = StopContext {
            tid,
            thread,
            symbols: &self.symbols,
            dwarf: self.dwarf,
            time: host::monotonic(),
            wall: None,
            args,
            errno,
            registers: None,
            tasks: &self.tasks,
            environment: &self.environment,
            signals: Vec::new(),
        };
        let mut flow = Flow::Continue;
        for probe in probes {
            flow = sink.event(Event::Live { probe, context: &mut context, kernel: None });
            if flow == Flow::Stop {
                self.stopped = true;
                self.open = false;
                break;
            }
        }
        flow
    }
}

impl EventSource for PtraceSource {
    fn name(&self) -> &'static str {
        "ptrace"
    }

    fn environment(&self) -> &dyn Environment {
        &self.environment
    }

    fn cpus(&self) -> u32 {
        cpus::possible().unwrap_or(1)
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::NONE
    }

    fn configure(&mut self, options: &Options) {
        self.symbols.set_demangle(options.demangle);
        self.symbols.set_inlined(options.inlined);
        self.dwarf = options.dwarf;
        self.only_cpu = options.cpu;
        self.evaltime = options.evaltime;
    }

    fn attach(&mut self, plan: &Plan) -> Result<(), Error> {
        let calls = Calls::of(&plan.program)?;
        if self.roots.is_empty() && calls.fires_anything() {
            return Err(Error::new(
                "the ptrace source traces processes that it is told of, and there is none",
            )
            .help("give a command with -c or a process with -p, or run as root to trace the whole system"));
        }
        // The exit event costs a stop for each thread, so it is asked for only when it says something.
        // The names of a process's own code are looked at then, and samples that come too late for it are taken.
        self.symbols.set_made(stacks::names_made(plan));
        self.printed = stacks::addresses_printed(plan);
        let named = stacks::names_made(plan) || self.printed;
        let exits = calls.wants_exits() || named || !calls.profile.is_empty();
        let exits = if exits { libc::PTRACE_O_TRACEEXIT } else { 0 };
        let filter = filter::filter(calls.numbers());
        let mut executed = Vec::with_capacity(self.commands.len());
        for command in self.commands.drain(..) {
            let pid = command.pid;
            command.execute(&filter)?;
            sys::set_options(pid, OPTIONS | exits)
                .map_err(|error| Error::from(error).context("cannot trace the command"))?;
            executed.push(pid);
        }
        if !calls.profile.is_empty() {
            self.notices.extend(self.roots.iter().flatten().next().and_then(|&tid| sampling::refusal(tid)));
        }
        self.calls = Rc::new(calls);
        if self.evaltime != EvalTime::Exec {
            for pid in executed {
                self.advance(pid)?;
            }
        }
        Ok(())
    }

    fn notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    fn open(&mut self) -> Result<(), Error> {
        self.open = true;
        self.sampler = Sampler::new(&self.calls.profile, host::monotonic());
        for (tid, thread) in self.threads.iter_mut() {
            thread.clock = self.sampler.begin(tid);
        }
        let attached: Vec<u32> =
            self.threads.iter_mut().filter(|(_, thread)| thread.attached).map(|(tid, _)| tid).collect();
        for pid in self.targets().into_iter().filter(|pid| !attached.contains(pid)) {
            sys::resume(pid, Resume::Run, 0);
        }
        // From this stop on they stop at their calls.
        attached.into_iter().for_each(sys::interrupt);
        Ok(())
    }

    fn wait(&mut self, deadline: Option<Instant>, sink: &mut dyn EventSink) -> Result<Wait, Error> {
        if self.stopped {
            return Ok(Wait::Stopped);
        }
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if self.roots.is_empty() {
            return Ok(if self.woken(left) { Wait::Woken } else { Wait::Again });
        }
        if self.woken(Some(Duration::ZERO)) {
            return Ok(Wait::Woken);
        }
        let mut patience = if self.delivered { FLUSH_AFTER } else { IDLE };
        self.delivered = false;
        if let Some(next) = self.sample() {
            patience = patience.min(Duration::from_nanos(next.saturating_sub(host::monotonic())));
        }
        self.alarm.set(left.map_or(patience, |left| left.min(patience)));
        let result = self.wait_until_alarm(left, sink);
        self.alarm.stop();
        result
    }

    fn drain(&mut self, sink: &mut dyn EventSink) -> Result<Wait, Error> {
        // A busy command never ceases to have something: what every thread has to say now is what counts.
        for _ in 0..self.threads.len() {
            match self.wait_once(false, sink)? {
                Some(Wait::Again) => {}
                Some(end) => return Ok(end),
                None => break,
            }
        }
        Ok(Wait::Again)
    }

    fn shut(&mut self, _sink: &mut dyn EventSink) -> Result<(), Error> {
        self.open = false;
        Ok(())
    }

    fn detach(&mut self, _impatient: &dyn Fn() -> bool) -> Result<(), Error> {
        self.end_all();
        Ok(())
    }

    fn drops(&mut self) -> Drops {
        Drops { mappings: self.symbols.take_forgotten(), ..Drops::default() }
    }

    fn exited(&mut self) -> Vec<Exited> {
        std::mem::take(&mut self.exited)
    }
}

impl PtraceSource {
    /// Delivers events until the alarm rings or something ends the wait.
    fn wait_until_alarm(&mut self, left: Option<Duration>, sink: &mut dyn EventSink) -> Result<Wait, Error> {
        let short = left.is_none_or(|left| left > FLUSH_AFTER);
        let mut quiet = true;
        loop {
            // A deadline that has passed already must not stop the world: one thing happens at least.
            match self.wait_once(!self.alarm.rung(), sink)? {
                Some(Wait::Again) => {}
                Some(end) => return Ok(end),
                None => break,
            }
            if quiet && self.delivered && short {
                // The first event after a rest: from now on the caller wants its turn sooner.
                quiet = false;
                self.alarm.set(FLUSH_AFTER);
            }
            if self.alarm.rung() {
                break;
            }
        }
        Ok(if self.woken(Some(Duration::ZERO)) { Wait::Woken } else { Wait::Again })
    }

    /// Handles one change of one thread. `None`: there was none, or a signal came first.
    fn wait_once(&mut self, block: bool, sink: &mut dyn EventSink) -> Result<Option<Wait>, Error> {
        let waited = sys::wait_any(block)
            .map_err(|error| Error::from(error).context("cannot wait for the command"))?;
        match waited {
            Waited::Changed(tid, status) => {
                if self.changed(tid, status, sink) == Flow::Stop {
                    return Ok(Some(Wait::Stopped));
                }
                let gone = self.roots.iter().all(Option::is_none) && !self.roots.is_empty();
                Ok(Some(if gone { Wait::TargetsGone } else { Wait::Again }))
            }
            Waited::Nothing | Waited::Interrupted => Ok(None),
            Waited::NoChildren => Ok(Some(Wait::TargetsGone)),
        }
    }

    /// Interrupts the threads of which a sample is due, so that they fire. When to do so again; never without samples.
    fn sample(&mut self) -> Option<u64> {
        self.sampler.next()?;
        let all = self.sampler.looks(host::monotonic());
        // Without clocks of their own they take turns.
        let mut turns: Vec<(u64, u32)> = Vec::new();
        for (tid, thread) in self.threads.iter_mut() {
            // One that has not stopped since the last time is still on its way to it.
            let sampled = thread.due.is_empty() && thread.born && !thread.exiting;
            if !sampled || !self.sampler.is_due(thread.pid, thread.clock.as_ref(), all) {
                continue;
            }
            match thread.clock {
                Some(_) => sample_thread(&mut self.sampler, tid, thread),
                None => turns.push((thread.turn, tid)),
            }
        }
        turns.sort_unstable();
        for (_, tid) in turns {
            let Some(thread) = self.threads.get(tid) else { continue };
            sample_thread(&mut self.sampler, tid, thread);
        }
        self.sampler.next()
    }

    /// Whether the wake-up descriptor becomes readable within a time; without one, sleeps.
    fn woken(&self, timeout: Option<Duration>) -> bool {
        let fd = self.wake.as_ref().map(AsRawFd::as_raw_fd);
        if fd.is_none() && timeout == Some(Duration::ZERO) { false } else { sys::readable(fd, timeout) }
    }

    /// Lets processes of `-p` go on without a tracer.
    fn let_go(&mut self) {
        let attached: Vec<u32> =
            self.threads.iter_mut().filter(|(_, thread)| thread.attached).map(|(tid, _)| tid).collect();
        attached.iter().for_each(|&tid| sys::interrupt(tid));
        let mut left = attached.len();
        self.alarm.set(LAST_BREATH);
        while left > 0 && !self.alarm.rung() {
            match sys::wait_any(true) {
                Ok(Waited::Changed(tid, status)) if libc::WIFSTOPPED(status) => {
                    let (event, signal) = (status >> 16, libc::WSTOPSIG(status));
                    match self.threads.get(tid) {
                        Some(thread) if !thread.attached => sys::resume(tid, Resume::Run, 0),
                        known => {
                            // Made by one of them, or one of them; a signal that was on its way arrives.
                            left -= usize::from(known.is_some());
                            let own = event != 0 || signal == libc::SIGTRAP | 0x80;
                            sys::detach(tid, if own { 0 } else { signal });
                            drop(self.threads.remove(tid));
                        }
                    }
                }
                Ok(Waited::Changed(tid, status)) => {
                    left -= usize::from(self.threads.get(tid).is_some_and(|thread| thread.attached));
                    self.note_gone(tid, status);
                }
                Ok(Waited::Interrupted | Waited::Nothing) => {}
                Ok(Waited::NoChildren) | Err(_) => break,
            }
        }
        self.alarm.stop();
        // One that did not stop in time is the kernel's to let go when this process ends.
        attached.iter().for_each(|&tid| drop(self.threads.remove(tid)));
    }

    /// Kills whatever is still traced and waits until it is gone.
    fn end_all(&mut self) {
        self.open = false;
        self.commands.clear();
        self.let_go();
        for pid in self.threads.processes().into_iter().chain(self.threads.early()) {
            sys::kill(pid);
        }
        // One that stands at its end is past being killed: it waits to be let go.
        self.threads.iter_mut().for_each(|(tid, _)| sys::resume(tid, Resume::Run, 0));
        self.alarm.set(LAST_BREATH);
        while !self.threads.is_empty() && !self.alarm.rung() {
            match sys::wait_any(true) {
                Ok(Waited::Changed(tid, status)) if libc::WIFSTOPPED(status) => {
                    // A dying thread may stop once more on its way; one that was just born has not been killed yet.
                    if self.threads.get(tid).is_none() {
                        sys::kill(tid);
                    }
                    sys::resume(tid, Resume::Run, 0);
                }
                Ok(Waited::Changed(tid, status)) => self.note_gone(tid, status),
                Ok(Waited::Interrupted | Waited::Nothing) => {}
                Ok(Waited::NoChildren) | Err(_) => break,
            }
        }
        self.alarm.stop();
        self.threads = Threads::default();
    }
}

/// Interrupts a thread, if it runs, to fire the probes that are due.
fn sample_thread(sampler: &mut Sampler, tid: u32, thread: &mut Thread) {
    if !thread.is_running(tid) {
        return;
    }
    thread.due = sampler.take(thread.pid, &mut thread.clock);
    if !thread.due.is_empty() {
        thread.turn += 1;
        sys::interrupt(tid);
    }
}

impl Drop for PtraceSource {
    fn drop(&mut self) {
        self.end_all();
    }
}
