//! The source of made-up events. In: an [`EventFile`] and a plan. Out: events, in the order of the file, with ticks between
//! them; whole, or through a [`KernelPart`] that runs the plan's kernel clauses on them.
//!
//! Time is the file's. It moves only from step to step, so that output is the same on every machine and every run; no
//! clock is read. `tick` probes fire when the file's time reaches a multiple of their period after the start: all that
//! are due up to a moment fire before the event of that moment, in order of time and then of number.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::builtins::rates::{TimerKind, parse_timer};
use dtrail_lang::builtins::vars::REGISTERS;
use dtrail_lang::env::Environment;
use dtrail_lang::ir::{AddrSpace, ProbeIndex};
use dtrail_lang::options::Options;
use dtrail_lang::plan::{Capabilities, Overflow, Plan};
use dtrail_vm::event::{
    Error, Event, EventContext, EventSink, EventSource, Flow, KernelState, StackSide, Wait,
};
use dtrail_vm::fault::{Drops, Raised};
use dtrail_vm::host::{Facts, Host, LocalTime, TaskInfo};
use dtrail_vm::names::Names;

use super::event_file::{EventFile, Step};
use super::event_memory::{read, read_string};
use super::event_names::EventNames;
use super::kernel_part::KernelPart;
use super::synthetic_event::{MemoryRegion, ProbeName, SyntheticEvent};

/// Delivers the events of a file.
#[derive(Debug)]
pub struct SyntheticSource {
    file: EventFile,
    clock: Rc<VirtualClock>,
    /// By step: the probe that it fires in the plan.
    probes: Vec<Option<ProbeIndex>>,
    ticks: Vec<Tick>,
    /// The next step.
    next: usize,
    /// What the context of ticks is made from.
    tick_event: SyntheticEvent,
    kernel: Option<Box<dyn KernelPart>>,
    /// By probe of the plan: whether its events go through the kernel part.
    injected: Vec<bool>,
    stopped: bool,
    /// A probe has appeared that the consumer has not been told of.
    appeared: bool,
    /// `cpu`: the only one whose events are delivered.
    only_cpu: Option<u32>,
}

/// A `tick` probe of the plan.
#[derive(Debug)]
struct Tick {
    probe: ProbeIndex,
    period: u64,
    /// When it fires next; `None` if that is past the end of time.
    due: Option<u64>,
}

/// The file's clock.
#[derive(Debug)]
struct VirtualClock {
    now: Cell<u64>,
    start: u64,
    /// Wall clock at `start`.
    wall: i64,
    /// What [`Host::instant`] says at `start`.
    instant: Instant,
}

impl VirtualClock {
    fn wall(&self, time: u64) -> i64 {
        self.wall.saturating_add((time - self.start) as i64)
    }
}

/// The machine of a file of events: its clock, its tracer, UTC.
#[derive(Clone, Debug)]
pub struct SyntheticHost {
    clock: Rc<VirtualClock>,
    tracer: TaskInfo,
    cpu: u32,
    registers: Arc<[u64]>,
    names: Rc<EventNames>,
}

/// Deliveries between two looks at whether the caller wants something: a file may make a fast tick fire for hours.
const BATCH: u32 = 10_000;

impl SyntheticSource {
    /// A source that delivers each event once.
    pub fn new(file: EventFile) -> SyntheticSource {
        let clock = VirtualClock {
            now: Cell::new(file.start),
            start: file.start,
            wall: file.wall,
            instant: Instant::now(),
        };
        let tick_event = SyntheticEvent {
            task: file.tracer.clone(),
            cpu: file.tracer_cpu,
            registers: file.tracer_registers.clone(),
            ..SyntheticEvent::default()
        };
        SyntheticSource {
            clock: Rc::new(clock),
            probes: Vec::new(),
            ticks: Vec::new(),
            next: 0,
            tick_event,
            kernel: None,
            injected: Vec::new(),
            stopped: false,
            appeared: false,
            only_cpu: None,
            file,
        }
    }

    /// A source whose events go through a kernel part.
    pub fn with_kernel(file: EventFile, mut kernel: Box<dyn KernelPart>) -> SyntheticSource {
        kernel.set_cpus(file.cpus);
        SyntheticSource { kernel: Some(kernel), ..SyntheticSource::new(file) }
    }

    /// The machine that goes with the events; the consumer must use it, or time is not the file's.
    pub fn host(&self) -> SyntheticHost {
        SyntheticHost {
            clock: self.clock.clone(),
            tracer: self.file.tracer.clone(),
            cpu: self.file.tracer_cpu,
            registers: self.file.tracer_registers.clone(),
            names: Rc::new(self.file.names.clone()),
        }
    }

    /// Fires one tick that is due at or before `time`; `None` if there is none.
    fn fire_tick(&mut self, time: u64, sink: &mut dyn EventSink) -> Option<Flow> {
        let due = |tick: &Tick| tick.due.filter(|&due| due <= time);
        let tick = self.ticks.iter_mut().filter(|tick| due(tick).is_some()).min_by_key(|tick| tick.due)?;
        let now = tick.due?;
        tick.due = now.checked_add(tick.period);
        self.clock.now.set(now);
        self.tick_event.time = now;
        self.tick_event.wall = self.clock.wall(now);
        let mut context = SyntheticContext::new(&self.tick_event);
        let kernel = self.kernel.as_mut().and_then(|kernel| kernel.state());
        Some(sink.event(Event::Live { probe: tick.probe, context: &mut context, kernel }))
    }

    /// Delivers one thing that happens at or before `limit`: a tick, or the next step. `None` if nothing does.
    fn deliver_one(&mut self, limit: u64, sink: &mut dyn EventSink) -> Result<Option<Flow>, Error> {
        let step = self.file.steps.get(self.next);
        let time = step.map_or(limit, |step| step.time().min(limit));
        // After the last step time stands still: it ends there.
        let time = if step.is_none() { self.clock.now.get() } else { time };
        if let Some(flow) = self.fire_tick(time, sink) {
            return Ok(Some(flow));
        }
        let step = self.file.steps.get(self.next).filter(|step| step.time() <= limit);
        let Some(step) = step else { return Ok(None) };
        self.clock.now.set(step.time());
        let probe = self.probes.get(self.next).copied().flatten();
        self.next += 1;
        if let Step::Appear(_, place) = *step {
            self.file.environment.appear(place);
            self.appeared = true;
            return Ok(Some(Flow::Continue));
        }
        let (Step::Fire(event), Some(probe)) = (step, probe) else { return Ok(Some(Flow::Continue)) };
        if self.only_cpu.is_some_and(|only| only != event.cpu) {
            return Ok(Some(Flow::Continue));
        }
        match &mut self.kernel {
            Some(kernel) if self.injected.get(probe.index()) == Some(&true) => {
                let flow = kernel.fire(probe, event, sink)?;
                // An `exit` that the kernel part decided ends tracing, record or not.
                let exited = kernel.state().is_some_and(|state| state.exit_status().is_some());
                Ok(Some(if exited { Flow::Stop } else { flow }))
            }
            kernel => {
                let kernel = kernel.as_mut().and_then(|kernel| kernel.state());
                let mut context = SyntheticContext::new(event);
                Ok(Some(sink.event(Event::Live { probe, context: &mut context, kernel })))
            }
        }
    }
}

impl EventSource for SyntheticSource {
    fn name(&self) -> &'static str {
        "synthetic"
    }

    fn environment(&self) -> &dyn Environment {
        &self.file.environment
    }

    fn capabilities(&self) -> Capabilities {
        self.kernel.as_ref().map_or(Capabilities::NONE, |kernel| kernel.capabilities())
    }

    fn cpus(&self) -> u32 {
        self.file.cpus
    }

    fn fires_ticks(&self) -> bool {
        true
    }

    fn configure(&mut self, options: &Options) {
        self.only_cpu = options.cpu;
        if let Some(kernel) = &mut self.kernel {
            kernel.configure(options);
        }
    }

    fn overflow(&mut self, plan: &Plan) -> Option<Overflow> {
        self.kernel.as_mut()?.overflow(plan)
    }

    fn verifier_log(&mut self, plan: &Plan, line: &mut dyn FnMut(&str)) -> Result<(), Error> {
        self.kernel.as_mut().map_or(Ok(()), |kernel| kernel.verifier_log(plan, line))
    }

    fn attach(&mut self, plan: &Plan) -> Result<(), Error> {
        // An event of a probe that the program does not enable fires nothing.
        let enabled = plan.program.probes.iter().enumerate();
        let enabled: HashMap<_, _> =
            enabled.map(|(i, probe)| (ProbeName::of(probe), ProbeIndex(i as u32))).collect();
        let fires = |step: &Step| match step {
            Step::Fire(event) => enabled.get(&event.probe).copied(),
            Step::Pass(_) | Step::Appear(..) => None,
        };
        self.probes = self.file.steps.iter().map(fires).collect();
        self.ticks = ticks(plan, self.file.start, self.clock.now.get());
        self.injected = plan.probe_groups.iter().map(Option::is_some).collect();
        self.kernel.as_mut().map_or(Ok(()), |kernel| kernel.attach(plan))
    }

    fn may_appear(&self) -> bool {
        self.file.environment.may_appear()
    }

    fn renew(&mut self, plan: &Plan) -> Result<(), Error> {
        // Nothing of the plan is in the kernel part, now as before.
        self.attach(plan)?;
        self.open()
    }

    fn open(&mut self) -> Result<(), Error> {
        if let Some(kernel) = &mut self.kernel {
            kernel.open();
        }
        Ok(())
    }

    fn wait(&mut self, deadline: Option<Instant>, sink: &mut dyn EventSink) -> Result<Wait, Error> {
        if self.stopped {
            return Ok(Wait::Stopped);
        }
        let start = self.clock.instant;
        let offset = deadline.map(|deadline| deadline.saturating_duration_since(start).as_nanos());
        let limit = offset.map_or(u64::MAX, |offset| {
            self.clock.start.saturating_add(u64::try_from(offset).unwrap_or(u64::MAX))
        });
        for delivered in 0..BATCH {
            // A deadline that has passed already must not stop the world: one thing happens at least.
            let limit = if delivered == 0 { u64::MAX } else { limit };
            match self.deliver_one(limit, sink)? {
                Some(Flow::Continue) if std::mem::take(&mut self.appeared) => return Ok(Wait::Appeared),
                Some(Flow::Continue) => {}
                Some(Flow::Stop) => {
                    self.stopped = true;
                    return Ok(Wait::Stopped);
                }
                None if self.next == self.file.steps.len() => return Ok(Wait::TargetsGone),
                None => {
                    // Nothing until the deadline: time passes up to it, so that the consumer's timers are the file's.
                    self.clock.now.set(limit.max(self.clock.now.get()));
                    break;
                }
            }
        }
        Ok(Wait::Again)
    }

    fn drain(&mut self, _sink: &mut dyn EventSink) -> Result<Wait, Error> {
        Ok(if self.stopped { Wait::Stopped } else { Wait::Again })
    }

    fn shut(&mut self, _sink: &mut dyn EventSink) -> Result<(), Error> {
        self.stopped = true;
        if let Some(kernel) = &mut self.kernel {
            kernel.shut();
        }
        Ok(())
    }

    fn detach(&mut self, _impatient: &dyn Fn() -> bool) -> Result<(), Error> {
        Ok(())
    }

    fn kernel(&mut self) -> Option<&mut dyn KernelState> {
        self.kernel.as_mut()?.state()
    }

    fn drops(&mut self) -> Drops {
        self.kernel.as_mut().map_or_else(Drops::default, |kernel| kernel.drops())
    }
}

/// The `tick` probes that a plan's clauses name, in order of their numbers, each due at the first multiple of its period
/// after the start that has not come yet.
fn ticks(plan: &Plan, start: u64, now: u64) -> Vec<Tick> {
    let first = |period: u64| {
        let passed = (now - start) / period.max(1);
        start.checked_add(period.checked_mul(passed + 1)?)
    };
    let mut ticks: Vec<_> = plan
        .program
        .probes
        .iter()
        .enumerate()
        .filter(|(_, probe)| &*probe.provider == "profile")
        .filter_map(|(i, probe)| match parse_timer(&probe.name)? {
            (TimerKind::Tick, period) => {
                Some((probe.id, Tick { probe: ProbeIndex(i as u32), period, due: first(period) }))
            }
            (TimerKind::Profile, _) => None,
        })
        .collect();
    ticks.sort_by_key(|(id, _)| *id);
    ticks.into_iter().map(|(_, tick)| tick).collect()
}

/// A made-up event, as whole clauses see it.
#[derive(Clone, Debug)]
pub struct SyntheticContext<'a> {
    /// The event.
    pub event: &'a SyntheticEvent,
    /// What clauses of the firing have written (`copyout`): the rest of the firing reads it.
    written: Vec<(u64, Vec<u8>)>,
}

impl<'a> SyntheticContext<'a> {
    /// The event as its first clause finds it.
    pub fn new(event: &'a SyntheticEvent) -> SyntheticContext<'a> {
        SyntheticContext { event, written: Vec::new() }
    }
}

impl SyntheticContext<'_> {
    fn memory(&self) -> &[MemoryRegion] {
        &self.event.memory
    }
}

impl EventContext for SyntheticContext<'_> {
    fn int(&mut self, var: BuiltinVar, index: u32) -> Result<i64, Raised> {
        let SyntheticEvent { time, wall, task, cpu, errno, args, .. } = self.event;
        Ok(match var {
            BuiltinVar::Arg => args.get(index as usize).copied().unwrap_or(0),
            BuiltinVar::Pid => i64::from(task.pid),
            BuiltinVar::Tid => i64::from(task.tid),
            BuiltinVar::Ppid => i64::from(task.ppid),
            BuiltinVar::Uid => i64::from(task.uid),
            BuiltinVar::Gid => i64::from(task.gid),
            BuiltinVar::Cpu => i64::from(*cpu),
            // Made-up CPUs are all in one place.
            BuiltinVar::Chip | BuiltinVar::Lgrp => 0,
            BuiltinVar::Timestamp => *time as i64,
            BuiltinVar::Walltimestamp => *wall,
            BuiltinVar::Errno => i64::from(*errno),
            BuiltinVar::TaskStart => task.start as i64,
            BuiltinVar::Curthread => task.task_struct as i64,
            BuiltinVar::Vtimestamp => task.on_cpu as i64,
            BuiltinVar::Uregs => self.event.registers.get(index as usize).map_or(0, |&value| value as i64),
            BuiltinVar::Caller => second(&self.event.kernel_stack),
            BuiltinVar::Ucaller => second(&self.event.user_stack),
            BuiltinVar::Stackdepth => self.event.kernel_stack.len() as i64,
            BuiltinVar::Ustackdepth => self.event.user_stack.len() as i64,
            // Of the probe, not of the event, or a string: never asked for here.
            BuiltinVar::Execname
            | BuiltinVar::Probeprov
            | BuiltinVar::Probemod
            | BuiltinVar::Probefunc
            | BuiltinVar::Probename
            | BuiltinVar::Id
            | BuiltinVar::Epid
            | BuiltinVar::Ipl => 0,
        })
    }

    fn string(&mut self, var: BuiltinVar, out: &mut Vec<u8>) -> Result<(), Raised> {
        if var == BuiltinVar::Execname {
            out.extend_from_slice(&self.event.task.execname);
        }
        Ok(())
    }

    fn read(&mut self, space: AddrSpace, addr: u64, buf: &mut [u8]) -> Result<(), Raised> {
        read(self.memory(), space, addr, buf)?;
        for (start, bytes) in &self.written {
            for (i, &byte) in bytes.iter().enumerate() {
                let at = start.wrapping_add(i as u64).wrapping_sub(addr);
                if let Some(to) = usize::try_from(at).ok().and_then(|at| buf.get_mut(at)) {
                    *to = byte;
                }
            }
        }
        Ok(())
    }

    fn write(&mut self, addr: u64, bytes: &[u8]) -> Result<(), Raised> {
        // Only what is there can be written.
        let mut old = vec![0; bytes.len()];
        read(self.memory(), AddrSpace::User, addr, &mut old)?;
        self.written.push((addr, bytes.to_vec()));
        Ok(())
    }

    fn read_string(
        &mut self,
        space: AddrSpace,
        addr: u64,
        limit: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), Raised> {
        if self.written.is_empty() {
            return read_string(self.memory(), space, addr, limit, out);
        }
        let start = out.len();
        let mut byte = [0];
        while out.len() - start < limit {
            match self.read(space, addr.wrapping_add((out.len() - start) as u64), &mut byte) {
                Ok(()) if byte == [0] => break,
                Ok(()) => out.extend_from_slice(&byte),
                Err(raised) if out.len() == start => return Err(raised),
                Err(_) => break,
            }
        }
        Ok(())
    }

    fn stack(&mut self, side: StackSide, frames: usize, out: &mut Vec<u64>) {
        let stack = match side {
            StackSide::Kernel => &self.event.kernel_stack,
            StackSide::User => &self.event.user_stack,
        };
        out.extend(stack.iter().take(frames));
    }
}

/// The caller of the function that a stack is in.
fn second(stack: &[u64]) -> i64 {
    stack.get(1).map_or(0, |&addr| addr as i64)
}

impl Host for SyntheticHost {
    fn names(&self) -> &dyn Names {
        &*self.names
    }

    fn monotonic(&self) -> u64 {
        self.clock.now.get()
    }

    fn instant(&self) -> Instant {
        self.clock.instant + Duration::from_nanos(self.clock.now.get() - self.clock.start)
    }

    fn wall_clock(&self) -> i64 {
        self.clock.wall(self.clock.now.get())
    }

    fn cpu(&self) -> u32 {
        self.cpu
    }

    fn own_task(&self) -> TaskInfo {
        self.tracer.clone()
    }

    fn registers(&self) -> [u64; REGISTERS as usize] {
        std::array::from_fn(|index| self.registers.get(index).copied().unwrap_or(0))
    }

    fn facts(&self) -> Facts {
        let local_time =
            std::rc::Rc::new(|seconds| crate::host::local_time(&jiff::tz::TimeZone::UTC, seconds));
        Facts { syscall_name: crate::host::syscall_name, local_time }
    }

    fn parent(&self, _: u32) -> Option<u32> {
        None
    }

    fn system(&self, command: &[u8], given_up: &dyn Fn() -> bool) -> Option<u32> {
        crate::host::system(command, given_up)
    }

    fn local_time(&self, unix_seconds: i64) -> LocalTime {
        crate::host::local_time(&jiff::tz::TimeZone::UTC, unix_seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::bare_plan;
    use dtrail_lang::env::ProbePattern;
    use dtrail_lang::ir::Program;

    /// A plan that enables probes and does nothing; the source looks at nothing else.
    fn plan(source: &SyntheticSource, probes: &[&str]) -> Plan {
        let find = |name: &&str| {
            let parts: Vec<&str> = name.split(':').collect();
            let part = |i: usize| parts.iter().rev().nth(i).copied().unwrap_or("").to_owned();
            let pattern =
                ProbePattern { provider: part(3), module: part(2), function: part(1), name: part(0) };
            source.environment().match_probes(&pattern).expect("it exists").remove(0)
        };
        bare_plan(Program { probes: probes.iter().map(find).collect(), ..Program::default() })
    }

    /// Notes what fires: index of the probe, time, thread.
    struct Notes {
        fired: Vec<(u32, i64, i64)>,
        stop_after: usize,
    }

    impl EventSink for Notes {
        fn event(&mut self, event: Event<'_>) -> Flow {
            let Event::Live { probe, context, .. } = event else { panic!("only live events here") };
            let mut int = |var| context.int(var, 0).expect("never faults");
            self.fired.push((probe.0, int(BuiltinVar::Timestamp), int(BuiltinVar::Tid)));
            if self.fired.len() == self.stop_after { Flow::Stop } else { Flow::Continue }
        }
    }

    fn source(text: &str) -> SyntheticSource {
        SyntheticSource::new(EventFile::parse(text).expect("a good file"))
    }

    fn run(source: &mut SyntheticSource, probes: &[&str], stop_after: usize) -> (Vec<(u32, i64, i64)>, Wait) {
        source.attach(&plan(source, probes)).expect("always");
        source.open().expect("always");
        let mut notes = Notes { fired: Vec::new(), stop_after };
        loop {
            match source.wait(None, &mut notes).expect("always") {
                Wait::Again => {}
                end => return (notes.fired, end),
            }
        }
    }

    const FILE: &str = "start 1s\ntracer tid=7\nthread 5\nat +1ms read:entry\nat +2ms write:entry\nat +0 read:entry\nat +4ms\n";

    #[test]
    fn enabled_events_in_order() {
        let (fired, end) = run(&mut source(FILE), &["write:entry", "read:entry"], 0);
        assert_eq!(fired, [(1, 1_001_000_000, 5), (0, 1_003_000_000, 5), (1, 1_003_000_000, 5)]);
        assert_eq!(end, Wait::TargetsGone);
    }

    #[test]
    fn ticks_fire_before_the_event_of_their_moment() {
        let (fired, _) = run(&mut source(FILE), &["read:entry", "tick-3ms", "tick-1500us"], 0);
        assert_eq!(
            fired,
            [
                (0, 1_001_000_000, 5),
                (2, 1_001_500_000, 7),
                (1, 1_003_000_000, 7),
                (2, 1_003_000_000, 7),
                (0, 1_003_000_000, 5),
                (2, 1_004_500_000, 7),
                (1, 1_006_000_000, 7),
                (2, 1_006_000_000, 7),
            ]
        );
    }

    #[test]
    fn stop_is_final() {
        let mut source = source(FILE);
        let (fired, end) = run(&mut source, &["read:entry", "tick-1ms"], 2);
        assert_eq!(fired, [(1, 1_001_000_000, 7), (0, 1_001_000_000, 5)]);
        assert_eq!(end, Wait::Stopped);
        let mut notes = Notes { fired: Vec::new(), stop_after: 0 };
        assert_eq!(source.wait(None, &mut notes), Ok(Wait::Stopped));
        assert_eq!(notes.fired, []);
    }

    #[test]
    fn deadlines_are_on_the_files_clock() {
        let mut source = source(FILE);
        let host = source.host();
        source.attach(&plan(&source, &["read:entry"])).expect("always");
        let mut notes = Notes { fired: Vec::new(), stop_after: 0 };
        let deadline = host.instant() + Duration::from_millis(2);
        assert_eq!(source.wait(Some(deadline), &mut notes), Ok(Wait::Again));
        assert_eq!((notes.fired.len(), host.monotonic()), (1, 1_002_000_000));
        assert_eq!(
            source.wait(Some(deadline), &mut notes),
            Ok(Wait::Again),
            "a late deadline: one step all the same"
        );
        assert_eq!((notes.fired.len(), host.monotonic()), (1, 1_003_000_000));
        assert_eq!(source.wait(None, &mut notes), Ok(Wait::TargetsGone));
        assert_eq!((notes.fired.len(), host.monotonic()), (2, 1_007_000_000));
        assert_eq!(host.wall_clock(), 7_000_000);
    }

    #[test]
    fn a_flood_of_ticks_lets_the_caller_in() {
        let mut source = source("at 3600s\n");
        source.attach(&plan(&source, &["tick-200us"])).expect("always");
        let mut notes = Notes { fired: Vec::new(), stop_after: 0 };
        assert_eq!(source.wait(None, &mut notes), Ok(Wait::Again));
        assert_eq!(notes.fired.len(), BATCH as usize);
    }

    #[test]
    fn local_time_is_utc() {
        let time = source("").host().local_time(0);
        assert_eq!((time.year, time.hour, time.zone), (1970, 0, "UTC".into()));
    }
}
