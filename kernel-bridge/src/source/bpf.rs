//! The live source: programs in the kernel, records in a ring buffer.
//!
//! Comes in: a plan and what `-c`, `-p` and the options say. Goes out: records in the order in which the ring has them,
//! losses, and the kernel part's state. It waits on the ring's timer, the targets, the caller's wake-up and the deadline,
//! all in one call. Never: a wake-up per event; the programs wake nobody but for what shall not wait (`ebpf/record.rs`).

use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dtrail_lang::env::{Environment, FiredBy};
use dtrail_lang::ir;
use dtrail_lang::options::{BufPolicy, EvalTime, Options, TypeData};
use dtrail_lang::plan::layout::{header, thread_end};
use dtrail_lang::plan::{Capabilities, Overflow, Plan};
use dtrail_vm::event::{Error, Event, EventSink, EventSource, Exited, Flow, KernelState, Wait, reason};
use dtrail_vm::fault::Drops;
use dtrail_vm::stacks;
use dtrail_vm::vars::Thread;
use rustix::time::{ClockId, clock_gettime};

use super::left::LeftContext;
use super::losses::Losses;
use super::namespace;
use super::targets::{Target, Targets};
use super::waiting::Waiting;
use crate::ebpf::{
    self, EbpfProgram, EmitError, Hook, HookSite, KernelOffsets, Machinery, MapAccess, Select, control,
};
use crate::env::SourceEnvironment;
use crate::load::{self, Loaded};
use crate::maps::KernelMaps;
use crate::readers::btf::{Btf, Kind};
use crate::readers::{kallsyms, tracefs};
use crate::state::MappedState;
use crate::symbols::Symbols;
use crate::sys::cpus;
use crate::sys::process_events::ProcessEvents;
use crate::sys::ring::Ring;
use crate::{caps, providers};

/// How often the ring is looked at if nobody says otherwise.
const LOOK: Duration = Duration::from_millis(10);

/// So many trace events are taken away within some seconds; with more, the user is told why it takes so long.
const SOON_DETACHED: usize = 50;

/// Traces this machine through eBPF.
#[derive(Debug)]
pub struct BpfSource {
    environment: SourceEnvironment,
    targets: Targets,
    settings: Settings,
    waiting: Waiting,
    /// For the plan that is to be attached.
    emitted: Option<Emitted>,
    attached: Option<Attached>,
    /// Programs of an `attach` that failed, some of them on their hooks.
    left: Option<Loaded>,
    symbols: Rc<Symbols>,
    notices: Vec<String>,
}

/// What the kernel part may take; sizes in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Of the ring buffer: `bufsize`, or the default under the policies whose buffers are the consumer's, if that is more.
    pub ring: u64,
    /// Of a CPU's buffer whose filling ends tracing (`bufpolicy=fill`).
    pub fill: Option<u64>,
    /// Of an aggregation (`aggsize`).
    pub agg: u64,
    /// Of an associative array (`dynvarsize`).
    pub dynvar: u64,
    /// How many speculations there are (`nspec`).
    pub speculations: u32,
    /// Nanoseconds for which one is busy (`cleanrate`).
    pub cleanrate: u64,
    /// Whether aggregations print what each CPU counted (`aggpercpu`).
    pub by_cpu: bool,
    /// How often the ring is looked at (`switchrate`), since nobody says when there is something in it.
    pub look: Duration,
    /// Whether what a look finds is handed over by time (`temporal`), not as the ring has it.
    pub temporal: bool,
    /// Whether user stacks are kept whole and unwound by tables (`unwind=dwarf`).
    pub dwarf: bool,
    /// The only CPU that is traced (`cpu`).
    pub only_cpu: Option<u32>,
    /// Where commands stand when tracing begins.
    pub evaltime: EvalTime,
    /// How many bytes are told of what the verifier says of a program (`bpflogsize`), if anything (`bpflog`).
    pub log: Option<u64>,
}

impl From<&Options> for Settings {
    fn from(options: &Options) -> Settings {
        let look = match options.switchrate {
            0 => LOOK,
            nanos => Duration::from_nanos(nanos),
        };
        // Under the other policies the buffers of `bufsize` are the consumer's, and what fills them must come up to it.
        let ring = match options.bufpolicy {
            BufPolicy::Switch => options.bufsize,
            BufPolicy::Fill | BufPolicy::Ring => options.bufsize.max(Options::default().bufsize),
        };
        Settings {
            ring,
            fill: (options.bufpolicy == BufPolicy::Fill).then_some(options.bufsize),
            agg: options.aggsize,
            dynvar: options.dynvarsize,
            speculations: options.nspec,
            cleanrate: options.cleanrate,
            by_cpu: options.aggpercpu,
            look,
            temporal: options.temporal,
            dwarf: options.dwarf,
            only_cpu: options.cpu,
            evaltime: options.evaltime,
            log: options.bpflog.then_some(options.bpflogsize),
        }
    }
}

/// A plan's programs, at work.
#[derive(Debug)]
struct Attached {
    programs: Loaded,
    state: MappedState<KernelMaps>,
    ring: Option<Ring>,
    losses: Losses,
    /// Whether the kernel part may end tracing by itself.
    may_exit: bool,
    /// When the ring was looked at last.
    looked: Instant,
    /// What a look found, put in order, with [`Settings::temporal`].
    by_time: Option<ByTime>,
    /// What processes do, if addresses of theirs are taken.
    processes: Option<ProcessEvents>,
    /// What `ERROR` clauses can reach of the event of a record.
    left: LeftContext,
}

impl BpfSource {
    /// Starts the targets. `wake` becomes readable when the caller wants [`EventSource::wait`] to return. Fails if this process may not use eBPF, or a target cannot be started or found.
    pub fn new(targets: &[Target], wake: Option<Arc<OwnedFd>>) -> Result<BpfSource, Error> {
        caps::can_bpf()?;
        let targets = Targets::start(targets)?;
        let waiting = Waiting::new(wake)?;
        for target in targets.descriptors() {
            waiting.add_target(target)?;
        }
        Ok(BpfSource {
            environment: SourceEnvironment::bpf(targets.first()),
            targets,
            settings: Settings::from(&Options::default()),
            waiting,
            emitted: None,
            attached: None,
            left: None,
            symbols: Rc::default(),
            notices: Vec::new(),
        })
    }

    /// The same, telling these names what it learns of processes.
    #[must_use]
    pub fn with_symbols(self, symbols: Rc<Symbols>) -> BpfSource {
        symbols.set_target(self.targets.first());
        BpfSource { symbols, ..self }
    }

    /// The same, with the kernel's types read from elsewhere.
    #[must_use]
    pub fn with_types(mut self, data: &TypeData) -> BpfSource {
        self.environment.read_types_from(data);
        self
    }

    /// When the ring is looked at next; `None` if there is nothing to look at.
    fn next_look(&self) -> Option<Instant> {
        let attached = self.attached.as_ref()?;
        if attached.ring.as_ref().is_some_and(|ring| ring.pending() > ring.size() / 4) {
            return Some(attached.looked);
        }
        let busy = attached.ring.is_some() || attached.may_exit || attached.processes.is_some();
        busy.then(|| attached.looked + self.settings.look)
    }
}

/// Nanoseconds from the monotonic to the wall clock.
fn wall_offset() -> u64 {
    let nanos = |clock| {
        let t = clock_gettime(clock);
        t.tv_sec.wrapping_mul(1_000_000_000).wrapping_add(t.tv_nsec)
    };
    nanos(ClockId::Realtime).wrapping_sub(nanos(ClockId::Monotonic)) as u64
}

/// What is loaded for a plan.
#[derive(Debug)]
struct Emitted {
    program: EbpfProgram,
    /// The kernel's types, as the loader wants them, if a program is attached by one.
    types: Option<aya::Btf>,
}

impl Emitted {
    fn new(plan: &Plan, settings: Settings) -> Result<Emitted, NotEmitted> {
        let types = Btf::of_kernel().map_err(|e| load::no_types(&e))?;
        let target = ebpf::Target { namespace: namespace::own(&types)?, ..target(plan, settings, &types)? };
        let program = ebpf::emit(plan, &target)?;
        let types = load::types_for(&program, &types)?;
        Ok(Emitted { program, types })
    }
}

/// Why a plan has no programs.
#[derive(Debug)]
pub(super) enum NotEmitted {
    /// It lies with this machine.
    Machine(Error),
    /// It lies with the plan.
    Plan(EmitError),
}

impl NotEmitted {
    /// What the plan has too much of, if that is why.
    pub(super) fn overflow(&self) -> Option<Overflow> {
        match self {
            NotEmitted::Machine(_) => None,
            NotEmitted::Plan(why) => why.overflow(),
        }
    }
}

impl From<Error> for NotEmitted {
    fn from(why: Error) -> NotEmitted {
        NotEmitted::Machine(why)
    }
}

impl From<EmitError> for NotEmitted {
    fn from(why: EmitError) -> NotEmitted {
        NotEmitted::Plan(why)
    }
}

impl From<NotEmitted> for Error {
    fn from(why: NotEmitted) -> Error {
        match why {
            NotEmitted::Machine(why) => why,
            NotEmitted::Plan(why) => why.into(),
        }
    }
}

/// The programs and maps that [`EventSource::attach`] would load for a plan; for `--dump`.
pub fn emit(plan: &Plan, settings: Settings) -> Result<EbpfProgram, Error> {
    let types = Btf::of_kernel().map_err(|e| load::no_types(&e))?;
    Ok(ebpf::emit(plan, &target(plan, settings, &types)?)?)
}

/// What a plan has more of than a kernel takes, if anything. Where members of the kernel's structures lie makes no
/// difference to that, and so its types are not read.
pub fn overflow(plan: &Plan, settings: Settings) -> Option<Overflow> {
    let target = ebpf::Target { sites: sites(plan).ok()?, ..target_without_kernel(settings).ok()? };
    ebpf::emit(plan, &target).err()?.overflow()
}

/// What the emitter must know of this machine.
fn target(plan: &Plan, settings: Settings, types: &Btf) -> Result<ebpf::Target, Error> {
    let offsets = types.kernel_offsets().map_err(|member| {
        Error::new(format!("this kernel has no {member}"))
            .help("please report it with the output of `uname -r`")
    })?;
    let sites = sites(plan)?;
    let walks = ebpf::walks_kernel(plan);
    Ok(ebpf::Target {
        machinery: if walks { machinery(&sites) } else { Vec::new() },
        // The type came with the change that gave those functions their frame, whatever a distribution's version says.
        syscall_frame: walks && types.find(Kind::Struct, "tracepoint_ext").is_some(),
        sites,
        offsets,
        places: cpus::places().to_vec(),
        ..target_without_kernel(settings)?
    })
}

/// What the emitter must know besides the kernel's types.
pub(super) fn target_without_kernel(settings: Settings) -> Result<ebpf::Target, Error> {
    let cpus = cpus::possible().map_err(|e| Error::from(e).context("cannot count CPUs"))?;
    let page = crate::sys::page_size() as u64;
    // 1 GiB is the largest power of two that a ring's size fits in; half of it keeps both mappings addressable.
    let ring_size = settings.ring.clamp(page, 1 << 29).next_power_of_two() as u32;
    Ok(ebpf::Target {
        sites: Vec::new(),
        inject: false,
        stands_in: false,
        offsets: KernelOffsets::default(),
        namespace: None,
        cpus,
        only_cpu: settings.only_cpu,
        places: Vec::new(),
        typed: true,
        machinery: Vec::new(),
        syscall_frame: false,
        ring_size,
        fill_size: settings.fill,
        agg_size: settings.agg,
        dynvar_size: settings.dynvar,
        speculations: settings.speculations,
        cleanrate: settings.cleanrate,
        dwarf: settings.dwarf,
    })
}

/// Where the functions lie that stand between tracepoints and programs.
fn machinery(sites: &[Option<HookSite>]) -> Vec<(Hook, Machinery)> {
    let mut hooks: Vec<(&Hook, &str)> = Vec::new();
    for site in sites.iter().flatten() {
        let Some(tracepoint) = site.hook.tracepoint() else { continue };
        if hooks.iter().all(|(hook, _)| **hook != site.hook) {
            hooks.push((&site.hook, tracepoint));
        }
    }
    let names = |(_, name): &(&Hook, &str)| [format!("__bpf_trace_{name}"), format!("__traceiter_{name}")];
    let wanted: Vec<String> = hooks.iter().flat_map(names).collect();
    let found = kallsyms::extents(&wanted).unwrap_or_default();
    let place = |name: &str| found.iter().find(|(known, ..)| known == name).map_or((0, 0), |f| (f.1, f.2));
    hooks
        .iter()
        .map(|hook| {
            let [bridge, iterator] = names(hook);
            (hook.0.clone(), Machinery { bridge: place(&bridge), iterator: place(&iterator) })
        })
        .collect()
}

fn sites(plan: &Plan) -> Result<Vec<Option<HookSite>>, Error> {
    let site = |probe: &dtrail_lang::env::Probe| match probe.fired_by {
        FiredBy::Source => providers::hook_site(probe).map(with_fields).transpose(),
        FiredBy::Tracer | FiredBy::Fault => Ok(None),
    };
    plan.program.probes.iter().map(site).collect()
}

/// A site with the places of its fields, if it has fields.
fn with_fields(mut site: HookSite) -> Result<HookSite, Error> {
    if let (Hook::Tracepoint { group, event }, Select::Fields(fields)) = (&site.hook, &mut site.select) {
        let found = tracefs::event(group, event)
            .ok_or_else(|| Error::new(format!("tracefs does not describe the event {group}:{event}")))?;
        fields.extend(found.fields.iter().map(|field| field.place));
    }
    Ok(site)
}

/// Loads what was emitted for a plan, unless `interrupted` says meanwhile that nobody wants it any more.
pub(super) fn load_program(
    plan: &Plan,
    program: &EbpfProgram,
    types: Option<&aya::Btf>,
    interrupted: &dyn Fn() -> bool,
) -> Result<(Loaded, KernelMaps, Option<Ring>), Error> {
    let (programs, maps) = load::load_until(plan, program, types, interrupted)?;
    let ring = match program.state.ring.and_then(|map| Some((maps.fd(map)?, maps.max_entries(map)))) {
        Some((fd, size)) => {
            Some(Ring::new(fd, size).map_err(|e| Error::from(e).context("cannot map the ring buffer"))?)
        }
        None => None,
    };
    Ok((programs, maps, ring))
}

/// Whether any kernel clause ends tracing.
fn may_exit(plan: &Plan) -> bool {
    let exits = |inst: &ir::Inst| matches!(inst.op, ir::Op::Control { status: Some(_) });
    let clauses = plan.kernel.iter().flatten();
    clauses.flat_map(|clause| &clause.blocks).flat_map(|block| &block.insts).any(exits)
}

impl Attached {
    /// Hands over what is in the ring.
    fn drain(&mut self, sink: &mut dyn EventSink) -> (usize, Flow) {
        let Attached { ring, state, by_time, left, .. } = self;
        let Some(ring) = ring else { return (0, Flow::Continue) };
        let mut flow = Flow::Continue;
        if let Some(by_time) = by_time {
            by_time.clear();
            let count = ring.drain(&mut |record| {
                by_time.push(record);
                true
            });
            for record in by_time.in_order() {
                flow = hand_over(record, state, left, sink);
                if flow == Flow::Stop {
                    break;
                }
            }
            return (count, flow);
        }
        let count = ring.drain(&mut |record| {
            flow = hand_over(record, state, left, sink);
            flow == Flow::Continue
        });
        (count, flow)
    }
}

/// The records of one look at the ring, by time: a program that was interrupted has an earlier time than what interrupted it,
/// and its record comes after. Both lists are used again at the next look, so that no record takes memory of its own.
#[derive(Debug, Default)]
struct ByTime {
    bytes: Vec<u8>,
    /// Time of each record, and where its bytes begin and end.
    places: Vec<(u64, usize, usize)>,
}

impl ByTime {
    fn clear(&mut self) {
        /// What a look seldom finds more than: the rest of a burst's memory is given back.
        const KEPT: usize = 1 << 20;
        self.bytes.clear();
        self.bytes.shrink_to(KEPT);
        self.places.clear();
        self.places.shrink_to(KEPT / 64);
    }

    fn push(&mut self, record: &[u8]) {
        let at = header::TIME as usize;
        let time =
            record.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes);
        let start = self.bytes.len();
        self.bytes.extend_from_slice(record);
        self.places.push((time, start, self.bytes.len()));
    }

    /// Those of one time as they came.
    fn in_order(&mut self) -> impl Iterator<Item = &[u8]> {
        self.places.sort_unstable();
        self.places.iter().filter_map(|&(_, start, end)| self.bytes.get(start..end))
    }
}

/// Gives the sink one record, or the end of a thread that it tells of.
fn hand_over(
    record: &[u8],
    kernel: &mut MappedState<KernelMaps>,
    left: &mut LeftContext,
    sink: &mut dyn EventSink,
) -> Flow {
    match ended(record) {
        Some(thread) => {
            sink.thread_ended(thread);
            Flow::Continue
        }
        None => {
            left.set_event(record);
            sink.event(Event::Record { record, kernel, left: Some(left) })
        }
    }
}

/// The thread whose end a record tells of, if it is such a record.
fn ended(record: &[u8]) -> Option<Thread> {
    let bytes = |at: u32, count: usize| record.get(at as usize..at as usize + count);
    if bytes(header::GROUP, 2)? != thread_end::GROUP.to_le_bytes() {
        return None;
    }
    let word = |at| bytes(at, 8)?.try_into().ok().map(u64::from_le_bytes);
    Some(Thread { tid: word(header::PID_TGID)? as u32, start: word(thread_end::START)? })
}

impl BpfSource {
    /// Begins to follow what processes map, and looks at what they have mapped already. Without the kernel's events names
    /// are looked for when they are printed.
    fn watch_processes(&mut self) -> Option<ProcessEvents> {
        let events = ProcessEvents::open();
        self.symbols.snapshot(None);
        let why = events.as_ref().err().map(|why| {
            format!(
                "names of code are those of processes that are still there when they are printed: what processes map cannot \
                 be followed (perf_event_open): {}",
                reason(why)
            )
        });
        self.notices.extend(why);
        events.ok()
    }

    /// Delivers what is there; how many records, and whether tracing goes on.
    fn deliver(&mut self, sink: &mut dyn EventSink) -> (usize, Wait) {
        let Some(attached) = &mut self.attached else { return (0, Wait::Again) };
        attached.looked = Instant::now();
        if let Some(processes) = &mut attached.processes {
            self.symbols.follow(processes);
        }
        attached.state.maps().set_control(control::WALL_OFFSET, wall_offset());
        // Asked before the ring is: what led to an exit is then delivered.
        let exited = attached.may_exit && attached.state.exit_status().is_some();
        let exited = exited || attached.state.filled();
        match attached.drain(sink) {
            (count, Flow::Continue) if !exited => (count, Wait::Again),
            (count, _) => (count, Wait::Stopped),
        }
    }
}

impl EventSource for BpfSource {
    fn reads_only_resident_memory(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "bpf"
    }

    fn environment(&self) -> &dyn Environment {
        &self.environment
    }

    fn cpus(&self) -> u32 {
        cpus::possible().unwrap_or(1)
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::BASELINE
    }

    fn notices(&mut self) -> Vec<String> {
        let mut notices = std::mem::take(&mut self.notices);
        notices.extend(self.targets.take_notices());
        notices
    }

    fn configure(&mut self, options: &Options) {
        self.settings = options.into();
        self.symbols.set_demangle(options.demangle);
        self.symbols.set_inlined(options.inlined);
    }

    fn overflow(&mut self, plan: &Plan) -> Option<Overflow> {
        self.emitted = None;
        match Emitted::new(plan, self.settings) {
            Ok(emitted) => {
                self.emitted = Some(emitted);
                None
            }
            Err(why) => why.overflow(),
        }
    }

    fn verifier_log(&mut self, plan: &Plan, line: &mut dyn FnMut(&str)) -> Result<(), Error> {
        let Some(size) = self.settings.log.filter(|_| !plan.groups.is_empty()) else { return Ok(()) };
        let Emitted { program, types } = match &mut self.emitted {
            Some(emitted) => emitted,
            none => none.insert(Emitted::new(plan, self.settings)?),
        };
        load::verifier_log(plan, program, types.as_ref(), size, line)
    }

    fn attach(&mut self, plan: &Plan) -> Result<(), Error> {
        (self.attached, self.left) = (None, None);
        let waiting = &self.waiting;
        // A target's descriptor says that it has ended: that is found out by whoever waits for it.
        self.targets.advance(self.settings.evaltime, &|pause| waiting.caller_within(pause))?;
        if plan.groups.is_empty() {
            return Ok(());
        }
        let Emitted { program, types } = match self.emitted.take() {
            Some(emitted) => emitted,
            None => Emitted::new(plan, self.settings)?,
        };
        let interrupted = &|| waiting.caller_within(Duration::ZERO);
        let (mut programs, maps, ring) = load_program(plan, &program, types.as_ref(), interrupted)?;
        if let Some(ring) = program.state.ring.and_then(|map| maps.fd(map)) {
            self.waiting.add_ring(ring)?;
        }
        let losses = Losses::new(program.state.counters);
        let mut state = MappedState::new(plan, program.state, maps);
        state.maps().set_control(control::WALL_OFFSET, wall_offset());
        if let Err(why) = programs.attach(self.settings.only_cpu, interrupted) {
            self.left = Some(programs);
            return Err(why);
        }
        let may_exit = may_exit(plan);
        self.symbols.set_made(stacks::names_made(plan));
        let named = stacks::used(plan) || stacks::addresses_printed(plan);
        let processes = if named { self.watch_processes() } else { None };
        self.attached = Some(Attached {
            programs,
            state,
            ring,
            losses,
            may_exit,
            looked: Instant::now(),
            by_time: self.settings.temporal.then(ByTime::default),
            processes,
            left: LeftContext::default(),
        });
        Ok(())
    }

    fn open(&mut self) -> Result<(), Error> {
        if let Some(attached) = &mut self.attached {
            attached.state.open_gate();
        }
        self.targets.release()
    }

    fn wait(&mut self, deadline: Option<Instant>, sink: &mut dyn EventSink) -> Result<Wait, Error> {
        loop {
            let look = self.next_look();
            let until = [look, deadline].into_iter().flatten().min();
            let woken = self.waiting.sleep(until)?;
            if woken.caller {
                return Ok(Wait::Woken);
            }
            let now = Instant::now();
            let ended = woken.target && self.targets.all_ended();
            if ended || woken.ring || look.is_some_and(|look| look <= now) {
                // Whatever a target did before it ended is in the ring when its end is seen.
                match self.deliver(sink) {
                    (_, Wait::Again) if ended => return Ok(Wait::TargetsGone),
                    (0, Wait::Again) => {}
                    (_, wait) => return Ok(wait),
                }
            }
            if deadline.is_some_and(|deadline| deadline <= now) {
                return Ok(Wait::Again);
            }
        }
    }

    fn drain(&mut self, sink: &mut dyn EventSink) -> Result<Wait, Error> {
        Ok(self.deliver(sink).1)
    }

    fn shut(&mut self, sink: &mut dyn EventSink) -> Result<(), Error> {
        let Some(attached) = &mut self.attached else { return Ok(()) };
        attached.state.shut_gate();
        if let Some(processes) = &mut attached.processes {
            self.symbols.follow(processes);
        }
        while attached.drain(sink) != (0, Flow::Continue) {
            // A sink that has said stop still takes what is under way; it knows what to do with it.
        }
        Ok(())
    }

    fn detaching(&self) -> Option<String> {
        let programs = self.attached.as_ref().map(|attached| &attached.programs).or(self.left.as_ref())?;
        let slow = Some(programs.slow_to_detach()).filter(|&slow| slow > SOON_DETACHED)?;
        let seconds = (slow * 60).div_ceil(1000);
        Some(format!("detaching {slow} probes, which takes the kernel some 60 ms each, {seconds} s in all"))
    }

    fn detach(&mut self, impatient: &dyn Fn() -> bool) -> Result<(), Error> {
        let attached = self.attached.take().map(|attached| attached.programs);
        for programs in attached.into_iter().chain(self.left.take()) {
            programs.detach(impatient);
        }
        Ok(())
    }

    fn kernel(&mut self) -> Option<&mut dyn KernelState> {
        Some(&mut self.attached.as_mut()?.state)
    }

    fn drops(&mut self) -> Drops {
        let Some(attached) = &mut self.attached else { return Drops::default() };
        let Attached { programs, state, losses, .. } = attached;
        Drops { mappings: self.symbols.take_forgotten(), ..losses.since_last(programs.misses(), state) }
    }

    fn exited(&mut self) -> Vec<Exited> {
        self.targets.take_ended()
    }
}

#[cfg(test)]
mod tests;
