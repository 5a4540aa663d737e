//! Stand-ins for the machine in this crate's tests: a fixed host, events from a list, a plan without a kernel part.

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::time::{Duration, Instant};

use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::env::{Environment, NoMatch, Probe, ProbeId, ProbePattern};
use dtrail_lang::ir::{self, AddrSpace, AggId, ProbeIndex, VarId};
use dtrail_lang::plan::{self, Capabilities, Plan, PlanOptions};

use crate::agg::AggState;
use crate::event::{Error, Event, EventContext, EventSink, EventSource, Exited, Flow, KernelState, Wait};
use crate::fault::{Drops, FaultKind, Raised};
use crate::format::symbols::Symbols;
use crate::host::{Host, LocalTime, TaskInfo};
use crate::names::NoNames;
use crate::speculation::words::{OwnWords, Words};
use crate::stacks::StackTable;
use crate::value::Value;

/// A plan that leaves everything to user space.
pub(crate) fn user_plan(program: ir::Program) -> Plan {
    plan::plan(program, Capabilities::NONE, &PlanOptions::default())
        .expect("without a kernel part all is placed")
}

/// Addresses without names.
pub(crate) fn no_symbols(stacks: &StackTable) -> Symbols<'_> {
    Symbols { names: &NoNames, stacks, indent: 14, noresolve: false }
}

/// A host whose clock stands still unless moved.
#[derive(Clone, Debug)]
pub(crate) struct FixedHost {
    pub(crate) clock: Rc<Cell<u64>>,
    base: Instant,
    pub(crate) commands: Rc<std::cell::RefCell<Vec<Vec<u8>>>>,
}

impl Default for FixedHost {
    fn default() -> FixedHost {
        FixedHost { clock: Rc::default(), base: Instant::now(), commands: Rc::default() }
    }
}

impl FixedHost {
    /// The clock's reading at a deadline.
    pub(crate) fn at(&self, deadline: Instant) -> u64 {
        deadline.duration_since(self.base).as_nanos() as u64
    }
}

impl Host for FixedHost {
    fn monotonic(&self) -> u64 {
        self.clock.get()
    }

    fn instant(&self) -> Instant {
        self.base + Duration::from_nanos(self.clock.get())
    }

    fn wall_clock(&self) -> i64 {
        1_700_000_000_000_000_000
    }

    fn cpu(&self) -> u32 {
        0
    }

    fn own_task(&self) -> TaskInfo {
        TaskInfo {
            pid: 100,
            tid: 101,
            ppid: 1,
            uid: 0,
            gid: 0,
            execname: b"dtrace".to_vec(),
            start: 5,
            task_struct: 0,
            on_cpu: 0,
        }
    }

    fn parent(&self, pid: u32) -> Option<u32> {
        (pid == 1).then_some(0)
    }

    fn system(&self, command: &[u8], _given_up: &dyn Fn() -> bool) -> Option<u32> {
        self.commands.borrow_mut().push(command.to_vec());
        None
    }

    /// UTC of two moments that tests name.
    fn local_time(&self, unix_seconds: i64) -> LocalTime {
        let (year, month, day, weekday, hour) = match unix_seconds {
            0 => (1970, 1, 1, 4, 0),
            1_075_064_400 => (2004, 1, 25, 0, 21),
            _ => (0, 0, 0, 0, 0),
        };
        LocalTime { year, month, day, weekday, hour, minute: 0, second: 0, zone: "UTC".into() }
    }
}

/// A made-up event: integers by name, memory at one address.
#[derive(Clone, Debug, Default)]
pub(crate) struct FakeEvent {
    pub(crate) probe: u32,
    pub(crate) at: u64,
    pub(crate) ints: Vec<(BuiltinVar, u32, i64)>,
    pub(crate) execname: &'static str,
    pub(crate) memory: Vec<(u64, &'static [u8])>,
}

impl FakeEvent {
    fn bytes(&self, addr: u64) -> Result<&'static [u8], Raised> {
        let inside = |&(start, bytes): &(u64, &'static [u8])| {
            bytes.get(usize::try_from(addr.checked_sub(start)?).ok()?..).filter(|rest| !rest.is_empty())
        };
        self.memory.iter().find_map(inside).ok_or(Raised::new(FaultKind::BadAddr, addr))
    }
}

impl EventContext for FakeEvent {
    fn int(&mut self, var: BuiltinVar, index: u32) -> Result<i64, Raised> {
        let found = self.ints.iter().find(|&&(v, i, _)| (v, i) == (var, index));
        Ok(found.map_or(0, |&(_, _, value)| value))
    }

    fn string(&mut self, _: BuiltinVar, out: &mut Vec<u8>) -> Result<(), Raised> {
        out.extend_from_slice(self.execname.as_bytes());
        Ok(())
    }

    fn read(&mut self, _: AddrSpace, addr: u64, buf: &mut [u8]) -> Result<(), Raised> {
        let bytes = self.bytes(addr)?.get(..buf.len()).ok_or(Raised::new(FaultKind::BadAddr, addr))?;
        buf.copy_from_slice(bytes);
        Ok(())
    }

    fn read_string(
        &mut self,
        _: AddrSpace,
        addr: u64,
        limit: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), Raised> {
        let bytes = self.bytes(addr)?;
        out.extend(bytes.iter().take_while(|&&byte| byte != 0).take(limit));
        Ok(())
    }
}

/// What a [`ListSource`] delivers.
pub(crate) enum Script {
    Event(FakeEvent),
    Record(Vec<u8>),
    /// Time passes.
    Until(u64),
    /// A signal arrives.
    Interrupt,
    Exited(Exited),
    Drops(Drops),
}

/// A source that plays a script; at its end the targets are gone, or nothing ever happens again (`endless`).
#[derive(Default)]
pub(crate) struct ListSource {
    pub(crate) host: FixedHost,
    pub(crate) script: VecDeque<Script>,
    pub(crate) endless: bool,
    pub(crate) calls: Vec<&'static str>,
    pub(crate) interrupts: Rc<std::sync::atomic::AtomicU32>,
    pub(crate) kernel: Option<Box<dyn KernelState>>,
    pub(crate) fail_attach: bool,
    pub(crate) only_resident: bool,
    pub(crate) exited: Vec<Exited>,
    pub(crate) drops: Drops,
    /// What the script's end is: the machine fails.
    pub(crate) fails: Option<&'static str>,
}

impl ListSource {
    pub(crate) fn new(script: Vec<Script>) -> ListSource {
        ListSource { script: script.into(), ..ListSource::default() }
    }

    fn deliver(&mut self, sink: &mut dyn EventSink) -> Flow {
        match self.script.pop_front() {
            Some(Script::Event(mut event)) => {
                self.host.clock.set(self.host.clock.get().max(event.at));
                let probe = ProbeIndex(event.probe);
                return sink.event(Event::Live { probe, context: &mut event, kernel: None });
            }
            Some(Script::Record(record)) => {
                let kernel = self.kernel.as_deref_mut().expect("a test with records has a kernel");
                return sink.event(Event::Record { record: &record, kernel, left: None });
            }
            Some(Script::Interrupt) => {
                self.interrupts.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            }
            Some(Script::Until(time)) => self.host.clock.set(time),
            Some(Script::Exited(process)) => self.exited.push(process),
            Some(Script::Drops(drops)) => self.drops.add(&drops),
            None => {}
        }
        Flow::Continue
    }
}

impl EventSource for ListSource {
    fn name(&self) -> &'static str {
        "list"
    }

    fn environment(&self) -> &dyn Environment {
        &NoProbes
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::NONE
    }

    fn reads_only_resident_memory(&self) -> bool {
        self.only_resident
    }

    fn attach(&mut self, _: &Plan) -> Result<(), Error> {
        self.calls.push("attach");
        if self.fail_attach { Err(Error::new("no such thing").help("try another")) } else { Ok(()) }
    }

    fn open(&mut self) -> Result<(), Error> {
        self.calls.push("open");
        Ok(())
    }

    fn wait(&mut self, deadline: Option<Instant>, sink: &mut dyn EventSink) -> Result<Wait, Error> {
        let due = deadline.map_or(u64::MAX, |deadline| self.host.at(deadline));
        let now = self.host.clock.get();
        match self.script.front_mut() {
            Some(Script::Event(event)) if event.at > due => self.host.clock.set(due.max(now)),
            Some(Script::Until(time)) if *time > due => self.host.clock.set(due.max(now)),
            Some(Script::Interrupt) => {
                self.deliver(sink);
                return Ok(Wait::Woken);
            }
            Some(_) => {
                if self.deliver(sink) == Flow::Stop {
                    return Ok(Wait::Stopped);
                }
            }
            None if self.fails.is_some() => return Err(Error::new(self.fails.unwrap_or_default())),
            None if self.endless => self.host.clock.set(due.max(now)),
            None => return Ok(Wait::TargetsGone),
        }
        Ok(Wait::Again)
    }

    fn drain(&mut self, _: &mut dyn EventSink) -> Result<Wait, Error> {
        Ok(Wait::Again)
    }

    fn shut(&mut self, sink: &mut dyn EventSink) -> Result<(), Error> {
        self.calls.push("shut");
        while matches!(self.script.front(), Some(Script::Event(_) | Script::Record(_))) {
            if self.deliver(sink) == Flow::Stop {
                break;
            }
        }
        Ok(())
    }

    fn detach(&mut self, _impatient: &dyn Fn() -> bool) -> Result<(), Error> {
        self.calls.push("detach");
        Ok(())
    }

    fn kernel(&mut self) -> Option<&mut dyn KernelState> {
        match &mut self.kernel {
            Some(kernel) => Some(&mut **kernel),
            None => None,
        }
    }

    fn drops(&mut self) -> Drops {
        std::mem::take(&mut self.drops)
    }

    fn exited(&mut self) -> Vec<Exited> {
        std::mem::take(&mut self.exited)
    }
}

pub(crate) struct NoProbes;

impl Environment for NoProbes {
    fn match_probes(&self, _: &ProbePattern) -> Result<Vec<Probe>, NoMatch> {
        Err(NoMatch::Zero)
    }

    fn probe_by_id(&self, _: ProbeId) -> Option<Probe> {
        None
    }

    fn macro_variable(&self, _: &str) -> Option<i64> {
        None
    }

    fn suggest(&self, _: &ProbePattern) -> Vec<String> {
        Vec::new()
    }
}

/// Kernel-homed state in memory.
#[derive(Default)]
pub(crate) struct FakeKernel {
    /// By variable and key.
    pub(crate) vars: HashMap<(u32, Vec<Value>), Value>,
    /// What generations hold: generation, aggregation, key, state.
    pub(crate) held: Vec<(u32, AggId, Vec<Value>, AggState)>,
    pub(crate) generation: u32,
    /// Refuses stores.
    pub(crate) full: bool,
    pub(crate) exit: Option<i64>,
    /// Which speculations are in use.
    pub(crate) words: OwnWords,
}

impl KernelState for FakeKernel {
    fn get(&mut self, var: VarId, keys: &[Value]) -> Value {
        self.vars.get(&(var.0, keys.to_vec())).cloned().unwrap_or(Value::Int(0))
    }

    fn set(&mut self, var: VarId, keys: &[Value], value: &Value) -> bool {
        if !self.full {
            self.vars.insert((var.0, keys.to_vec()), value.clone());
        }
        !self.full
    }

    fn cut(&mut self) {
        self.generation += 1;
    }

    fn sweep(&mut self, generation: Option<u32>, take: &mut dyn FnMut(AggId, u32, Box<[Value]>, AggState)) {
        // `None` takes what was current before the last cut, or without a cut everything.
        let before = generation.unwrap_or(if self.generation == 0 { u32::MAX } else { self.generation });
        for (_, agg, key, state) in self.held.extract_if(.., |(held_in, ..)| *held_in < before) {
            take(agg, 0, key.into(), state);
        }
    }

    fn speculations(&mut self) -> Option<&mut dyn Words> {
        Some(&mut self.words)
    }

    fn exit_status(&mut self) -> Option<i64> {
        self.exit
    }
}
