//! The kernel part of a plan on made-up events, for the engines `bpf` and `rbpf` of the `synthetic` source.
//!
//! Comes in: a plan, then events. Goes out: records, as from a live source, and the kernel part's state. The programs are
//! those of [`Hook::Inject`](crate::ebpf::Hook::Inject): one program for all probes, its context from a map. What runs it is
//! a [`Machine`]: the kernel ([`KernelMachine`]), or the harness. Never: a clause that user space runs whole.

mod by_cpu;
mod rbpf;

use std::sync::Arc;

use dtrail_lang::ir::ProbeIndex;
use dtrail_lang::ir::inst::USER_END;
use dtrail_lang::options::{MAX_FRAMES, Options};
use dtrail_lang::plan::{Afterwards, Capabilities, Overflow, Plan};
use dtrail_vm::event::{Error, Event, EventSink, Flow, KernelState, reason};
use dtrail_vm::fault::Drops;

use by_cpu::MapsByCpu;

use super::bpf::{NotEmitted, Settings, load_program, target_without_kernel};
use super::kernel_part::KernelPart;
use super::losses::Losses;
use super::synthetic::SyntheticContext;
use super::synthetic_event::{MemoryRegion, SyntheticEvent};
use crate::ebpf::{self, EbpfProgram, MapAccess, inject};
use crate::load::{self, Loaded};
use crate::state::MappedState;
use crate::sys::bpf::test_run;
use crate::sys::ring::Ring;
use crate::sys::user_memory::UserMemory;

/// The program and maps that [`KernelPart::attach`] would load for a plan; for `--dump`.
pub fn emit(plan: &Plan, settings: Settings) -> Result<EbpfProgram, Error> {
    Ok(emitted(plan, settings, 1, false)?)
}

/// What a plan has more of than a kernel takes, if anything.
pub fn overflow(plan: &Plan, settings: Settings) -> Option<Overflow> {
    emitted(plan, settings, 1, false).err()?.overflow()
}

fn emitted(plan: &Plan, settings: Settings, cpus: u32, stands_in: bool) -> Result<EbpfProgram, NotEmitted> {
    let machine = target_without_kernel(settings)?;
    let cpus = machine.cpus.max(cpus);
    let target = ebpf::Target { inject: true, stands_in, typed: false, cpus, ..machine };
    Ok(ebpf::emit(plan, &target)?)
}

/// What runs an injection program: its maps, and the rest.
pub trait Machine: MapAccess + std::fmt::Debug + Sized {
    /// Whether it offers programs to write to a process; `None`: only the kernel knows.
    const WRITES_USER: Option<bool> = None;
    /// Whether user memory stands in for the kernel memory of events.
    const STANDS_IN: bool = false;
    /// Loads a program.
    fn load(plan: &Plan, program: &EbpfProgram, cpus: Cpus) -> Result<Self, Error>;
    /// Shows to `line` what the machine says of a program as it checks it: at most so many bytes.
    fn verifier_log(
        _plan: &Plan,
        _program: &EbpfProgram,
        _size: u64,
        _line: &mut dyn FnMut(&str),
    ) -> Result<(), Error> {
        Ok(())
    }
    /// Makes this memory, and nothing else, readable by programs.
    fn place(&mut self, memory: &Arc<[MemoryRegion]>) -> Result<(), Error>;
    /// Runs the program once, for an event of this CPU.
    fn run(&mut self, cpu: u32) -> Result<(), Error>;
    /// Takes what was sent since the last call out of the ring, oldest first.
    fn records(&mut self) -> Vec<Vec<u8>>;
}

/// The CPUs of made-up events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cpus {
    /// How many there are.
    pub count: u32,
    /// Whether it matters what aggregations count on which (`aggpercpu`).
    pub aggregations: bool,
}

/// A [`KernelPart`] on some machine.
#[derive(Debug)]
pub struct Injection<M> {
    settings: Settings,
    cpus: u32,
    /// For the plan that is to be loaded.
    emitted: Option<EbpfProgram>,
    loaded: Option<LoadedPlan<M>>,
}

#[derive(Debug)]
struct LoadedPlan<M> {
    state: MappedState<M>,
    losses: Losses,
    /// The map that events are written to.
    inject: u32,
}

impl<M> Injection<M> {
    /// Nothing loaded yet.
    pub fn new(options: &Options) -> Injection<M> {
        Injection { settings: Settings::from(options), cpus: 1, emitted: None, loaded: None }
    }
}

impl<M: Machine> KernelPart for Injection<M> {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            writes_user: M::WRITES_USER,
            afterwards: Afterwards::Everything,
            ..Capabilities::BASELINE
        }
    }

    fn set_cpus(&mut self, cpus: u32) {
        self.cpus = cpus;
    }

    fn configure(&mut self, options: &Options) {
        self.settings = options.into();
    }

    fn overflow(&mut self, plan: &Plan) -> Option<Overflow> {
        self.emitted = None;
        match emitted(plan, self.settings, self.cpus, M::STANDS_IN) {
            Ok(program) => {
                self.emitted = Some(program);
                None
            }
            Err(why) => why.overflow(),
        }
    }

    fn verifier_log(&mut self, plan: &Plan, line: &mut dyn FnMut(&str)) -> Result<(), Error> {
        let Some(size) = self.settings.log.filter(|_| !plan.groups.is_empty()) else { return Ok(()) };
        let program = match &mut self.emitted {
            Some(program) => program,
            none => none.insert(emitted(plan, self.settings, self.cpus, M::STANDS_IN)?),
        };
        M::verifier_log(plan, program, size, line)
    }

    fn attach(&mut self, plan: &Plan) -> Result<(), Error> {
        self.loaded = None;
        if plan.groups.is_empty() {
            return Ok(());
        }
        let program = match self.emitted.take() {
            Some(program) => program,
            None => emitted(plan, self.settings, self.cpus, M::STANDS_IN)?,
        };
        let Some(inject) = program.state.inject else { return Ok(()) };
        let machine = M::load(plan, &program, Cpus { count: self.cpus, aggregations: self.settings.by_cpu })?;
        let losses = Losses::new(program.state.counters);
        self.loaded =
            Some(LoadedPlan { state: MappedState::new(plan, program.state, machine), losses, inject });
        Ok(())
    }

    fn open(&mut self) {
        if let Some(loaded) = &mut self.loaded {
            loaded.state.open_gate();
        }
    }

    fn shut(&mut self) {
        if let Some(loaded) = &mut self.loaded {
            loaded.state.shut_gate();
        }
    }

    fn fire(
        &mut self,
        probe: ProbeIndex,
        event: &SyntheticEvent,
        sink: &mut dyn EventSink,
    ) -> Result<Flow, Error> {
        let Some(LoadedPlan { state, inject, .. }) = &mut self.loaded else { return Ok(Flow::Continue) };
        let maps = state.maps();
        maps.place(&event.memory)?;
        if !maps.update(*inject, &0u32.to_le_bytes(), &context(probe, event)) {
            return Err(Error::new("cannot write the event to be injected"));
        }
        maps.run(event.cpu)?;
        for record in maps.records() {
            let mut left = SyntheticContext::new(event);
            let event = Event::Record { record: &record, kernel: state, left: Some(&mut left) };
            if sink.event(event) == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }

    fn state(&mut self) -> Option<&mut dyn KernelState> {
        Some(&mut self.loaded.as_mut()?.state)
    }

    fn drops(&mut self) -> Drops {
        match &mut self.loaded {
            Some(LoadedPlan { state, losses, .. }) => losses.since_last(0, state),
            None => Drops::default(),
        }
    }
}

/// The bytes of an event in the inject map.
fn context(probe: ProbeIndex, event: &SyntheticEvent) -> [u8; inject::SIZE as usize] {
    let SyntheticEvent { time, wall, task, cpu, errno, args, kernel_stack, user_stack, registers, .. } =
        event;
    let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    let mut bytes = [0; inject::SIZE as usize];
    let mut put = |at: u32, word: u64| {
        bytes[at as usize..at as usize + 8].copy_from_slice(&word.to_le_bytes());
    };
    put(inject::PROBE, u64::from(probe.0));
    put(inject::TIME, *time);
    put(inject::PID_TGID, pair(task.pid, task.tid));
    put(inject::UID_GID, pair(task.gid, task.uid));
    put(inject::CPU, u64::from(*cpu));
    put(inject::PPID, u64::from(task.ppid));
    put(inject::START, task.start);
    put(inject::CURTHREAD, task.task_struct);
    put(inject::ON_CPU, task.on_cpu);
    put(inject::WALL, *wall as u64);
    put(inject::ERRNO, i64::from(*errno) as u64);
    for (i, arg) in args.iter().enumerate() {
        put(inject::ARGS + 8 * i as u32, *arg as u64);
    }
    for (at, stack) in [(inject::KERNEL_STACK, kernel_stack), (inject::USER_STACK, user_stack)] {
        put(at, stack.len() as u64);
        for (at, address) in (at + 8..).step_by(8).zip(stack.iter().take(MAX_FRAMES as usize)) {
            put(at, *address);
        }
    }
    for (at, value) in (inject::REGISTERS..inject::SIZE).step_by(8).zip(registers.iter()) {
        put(at, *value);
    }
    let comm = &mut bytes[inject::COMM as usize..inject::COMM as usize + 15];
    for (place, byte) in comm.iter_mut().zip(&task.execname) {
        *place = *byte;
    }
    bytes
}

/// Whether memory of the kernel and other memory would be at one place.
fn meet(memory: &[MemoryRegion]) -> bool {
    let kernel = || memory.iter().filter(|region| region.addr >= USER_END);
    let pages = |addr: u64, region: &MemoryRegion| {
        let last = addr.saturating_add((region.bytes.len() as u64).saturating_sub(1));
        addr / PAGE..=last / PAGE
    };
    kernel().any(|region| {
        let own = pages(inject::stand_in(region.addr), region);
        let meets = |other: &MemoryRegion, at: u64| {
            let theirs = pages(at, other);
            own.start() <= theirs.end() && theirs.start() <= own.end()
        };
        memory.iter().any(|other| match other.addr >= USER_END {
            true => {
                let high = |region: &MemoryRegion| region.addr >> inject::STAND_IN_BITS;
                high(other) != high(region) && meets(other, inject::stand_in(other.addr))
            }
            false => meets(other, other.addr),
        })
    })
}

/// The least page there is.
const PAGE: u64 = 4096;

/// The kernel of this machine: events go through `BPF_PROG_TEST_RUN`, made-up memory into this process.
#[derive(Debug)]
pub struct KernelMachine {
    maps: MapsByCpu,
    programs: Loaded,
    ring: Option<Ring>,
    memory: UserMemory,
    /// Whether programs write to it.
    written: bool,
    /// What `memory` holds.
    placed: Option<Arc<[MemoryRegion]>>,
}

impl Machine for KernelMachine {
    const STANDS_IN: bool = true;

    fn load(plan: &Plan, program: &EbpfProgram, cpus: Cpus) -> Result<KernelMachine, Error> {
        let (programs, maps, ring) = load_program(plan, program, None, &|| false)?;
        let maps = MapsByCpu::new(maps, program, cpus);
        let written = ebpf::writes_process(plan);
        Ok(KernelMachine { maps, programs, ring, memory: UserMemory::default(), written, placed: None })
    }

    fn verifier_log(
        plan: &Plan,
        program: &EbpfProgram,
        size: u64,
        line: &mut dyn FnMut(&str),
    ) -> Result<(), Error> {
        load::verifier_log(plan, program, None, size, line)
    }

    fn place(&mut self, memory: &Arc<[MemoryRegion]>) -> Result<(), Error> {
        if self.placed.as_ref().is_some_and(|placed| Arc::ptr_eq(placed, memory)) {
            return Ok(());
        }
        self.placed = None;
        let stand_in = |addr| if addr < USER_END { addr } else { inject::stand_in(addr) };
        let regions = memory.iter().map(|region| (stand_in(region.addr), &*region.bytes));
        let refused = |why: String| {
            Error::new(format!("made-up memory cannot be placed in this process: {why}"))
                .help("engine bpf can only make up memory at addresses that are free")
        };
        if meet(memory) {
            return Err(refused("two addresses of it would be one".to_owned()));
        }
        self.memory.place(regions).map_err(|e| refused(reason(&e)))?;
        // What is written is of one event: the next one finds its own memory.
        self.placed = (!self.written).then(|| memory.clone());
        Ok(())
    }

    fn run(&mut self, cpu: u32) -> Result<(), Error> {
        let Some(program) = self.programs.injector() else { return Ok(()) };
        let ran = self.maps.on(cpu, || test_run(program));
        ran.map(drop).map_err(|e| Error::from(e).context("cannot inject an event"))
    }

    fn records(&mut self) -> Vec<Vec<u8>> {
        let mut records = Vec::new();
        if let Some(ring) = &mut self.ring {
            ring.drain(&mut |record| {
                records.push(record.to_vec());
                true
            });
        }
        records
    }
}

impl MapAccess for KernelMachine {
    fn cpus(&self) -> u32 {
        self.maps.cpus()
    }
    fn lookup(&mut self, map: u32, key: &[u8]) -> Option<Vec<u8>> {
        self.maps.lookup(map, key)
    }
    fn update(&mut self, map: u32, key: &[u8], value: &[u8]) -> bool {
        self.maps.update(map, key, value)
    }
    fn delete(&mut self, map: u32, key: &[u8]) {
        self.maps.delete(map, key);
    }
    fn read(&mut self, map: u32, offset: u32, buf: &mut [u8]) {
        self.maps.read(map, offset, buf);
    }
    fn write(&mut self, map: u32, offset: u32, bytes: &[u8]) {
        self.maps.write(map, offset, bytes);
    }
    fn keys(&mut self, map: u32) -> Vec<Vec<u8>> {
        self.maps.keys(map)
    }
    fn take(&mut self, map: u32, which: &mut dyn FnMut(&[u8]) -> bool, out: &mut dyn FnMut(&[u8], &[u8])) {
        self.maps.take(map, which, out);
    }
    fn show(&mut self, map: u32, out: &mut dyn FnMut(&[u8], &[u8])) {
        self.maps.show(map, out);
    }
    fn control(&mut self, word: u32) -> u64 {
        self.maps.control(word)
    }
    fn set_control(&mut self, word: u32, value: u64) {
        self.maps.set_control(word, value);
    }
    fn replace_control(&mut self, word: u32, old: u64, new: u64) -> bool {
        self.maps.replace_control(word, old, new)
    }
    fn quiesce(&mut self) {
        self.maps.quiesce();
    }
}

#[cfg(test)]
mod tests {
    use dtrail_lang::ir::{AggId, parse};
    use dtrail_lang::plan::{self, PlanOptions};
    use dtrail_vm::agg::AggState;
    use dtrail_vm::host::TaskInfo;
    use dtrail_vm::value::Value;

    use super::*;
    use crate::ebpf::harness::Harness;
    use crate::testing::privileged;

    fn plan(text: &str) -> Plan {
        let program = parse::program(text).unwrap_or_else(|e| panic!("{e}"));
        plan::plan(program, Capabilities::BASELINE, &PlanOptions::default())
            .unwrap_or_else(|e| panic!("{e:?}"))
    }

    /// Counts records.
    #[derive(Default)]
    struct Count(usize);

    impl EventSink for Count {
        fn event(&mut self, event: Event<'_>) -> Flow {
            assert!(matches!(event, Event::Record { .. }));
            self.0 += 1;
            Flow::Continue
        }
    }

    #[test]
    fn a_plan_is_emitted_once() {
        let plan = plan(
            "p0 = probe 9 syscall:vmlinux:openat:entry source\nagg @a[]: count\ng0 = @a in c0\nenable c0 on p0\n\
             clause c0 {\nb0:\n aggregate g0 []\n return\n}\n",
        );
        let mut part = Injection::<Harness>::new(&Options::default());
        let emitted = || crate::ebpf::EMITTED.get();
        let before = emitted();
        assert_eq!(part.overflow(&plan), None);
        part.attach(&plan).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(emitted() - before, 1, "what the look for an overflow made is loaded");
        part.attach(&plan).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(emitted() - before, 2, "it is loaded once");
    }

    #[test]
    fn clauses_see_the_event_and_its_memory() {
        if !privileged() {
            return;
        }
        let plan = plan(
            "p0 = probe 9 syscall:vmlinux:openat:entry source\nagg @a[string, string, i64, i64]: sum\ng0 = @a in c0\n\
             k0 = trace in c0 stmt 2 (string)\nenable c0 on p0\nclause c0 {\nb0:\n i0 = builtin arg1\n \
             s1 = call copyinstr(i0)\n s2 = builtin execname\n i3 = builtin pid\n i4 = builtin timestamp\n \
             i5 = builtin walltimestamp\n aggregate g0 [s1, s2, i3, i5] (i4)\n record k0 (s1)\n return\n}\n",
        );
        let memory = |text: &[u8]| Arc::from([MemoryRegion { addr: 0x7e00_0000_1000, bytes: text.into() }]);
        let event = |time, memory: &Arc<[MemoryRegion]>| SyntheticEvent {
            time,
            wall: 77,
            task: TaskInfo { pid: 12, tid: 13, execname: b"made-up".to_vec(), ..TaskInfo::default() },
            args: [0, 0x7e00_0000_1000, 0, 0, 0, 0, 0, 0, 0, 0],
            memory: memory.clone(),
            ..SyntheticEvent::default()
        };
        let mut part = Injection::<KernelMachine>::new(&Options::default());
        part.attach(&plan).unwrap_or_else(|e| panic!("{e}"));
        let (first, second) = (memory(b"/etc/passwd\0"), memory(b"/tmp\0"));
        let mut sink = Count::default();
        let probe = ProbeIndex(0);
        part.fire(probe, &event(1, &first), &mut sink).expect("it can be injected");
        assert_eq!(sink.0, 0, "the gate is shut");
        part.open();
        for (time, memory) in [(1000, &first), (10, &first), (1, &second)] {
            part.fire(probe, &event(time, memory), &mut sink).expect("it can be injected");
        }
        assert_eq!(sink.0, 3);
        part.shut();
        let mut got = Vec::new();
        part.state().expect("it is attached").sweep(None, &mut |agg, _, keys, state| {
            assert_eq!(agg, AggId(0));
            got.push((keys.into_vec(), state));
        });
        got.sort_by_key(|(keys, _)| keys.clone());
        let keys = |path: &str| {
            let text = |s: &str| Value::Str(Some(s.as_bytes().into()));
            vec![text(path), text("made-up"), Value::Int(12), Value::Int(77)]
        };
        // Two events may have run on different CPUs: add them up.
        let sum = |path: &str| -> i64 {
            let states = got.iter().filter(|(k, _)| *k == keys(path)).map(|(_, state)| state);
            states.map(|state| if let AggState::Sum(sum) = state { *sum } else { panic!("a sum") }).sum()
        };
        assert_eq!((sum("/etc/passwd"), sum("/tmp")), (1010, 1));
        assert!(part.drops().is_empty());
    }

    #[test]
    fn memory_that_cannot_be_made_up_is_an_error() {
        if !privileged() {
            return;
        }
        let plan = plan(
            "p0 = probe 9 syscall:vmlinux:openat:entry source\nagg @a[]: count\ng0 = @a in c0\nenable c0 on p0\n\
             clause c0 {\nb0:\n aggregate g0 []\n return\n}\n",
        );
        let mut part = Injection::<KernelMachine>::new(&Options::default());
        part.attach(&plan).unwrap_or_else(|e| panic!("{e}"));
        part.open();
        let event = |addrs: &[u64]| {
            let regions = addrs.iter().map(|&addr| MemoryRegion { addr, bytes: [1].into() });
            SyntheticEvent { memory: regions.collect(), ..SyntheticEvent::default() }
        };
        let mut fire = |addrs: &[u64]| part.fire(ProbeIndex(0), &event(addrs), &mut Count::default());
        assert!(fire(&[0xffff_8880_0000_0000, 0xffff_ffff_8100_0000]).is_ok());
        // Of the kernel, and of a process: what stands in for both is one place.
        for addrs in
            [[0xffff_8880_0000_0000, 0xffff_c880_0000_0fff], [0xffff_8880_0000_0000, 0x2880_0000_0008]]
        {
            let error = fire(&addrs).expect_err("one place");
            let expected =
                "made-up memory cannot be placed in this process: two addresses of it would be one";
            assert_eq!(error.message, expected);
        }
        // The first page.
        assert!(fire(&[16]).expect_err("null").message.starts_with("made-up memory cannot be placed"));
    }
}
