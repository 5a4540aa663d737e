//! From one firing to its text: runs the clauses of an event in program order, `ERROR` clauses at once after a fault, and
//! when all have run prints what they recorded, in order. In: events. Out: rows and messages on the output, state in the
//! world.

mod numbered;
mod speculated;
mod unprinted;

use std::ops::ControlFlow;

use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::builtins::actions::ActionKind;
use dtrail_lang::env::{FiredBy, ProbeId};
use dtrail_lang::ir::{ActionSite, ClauseId, Detail, ProbeIndex, SiteId, ValueType};
use dtrail_lang::plan::layout::{header, outcome};
use dtrail_lang::plan::{Plan, Side};

use super::advice::{Advice, Faulted};
use super::contexts::{ErrorContext, RecordContext};
use super::held::Held;
use super::ordered::{Look, Ordered};
use super::{Interrupts, OutputFormat, Settings};
use crate::engine::{Ending, Engine, Input};
use crate::event::{Event, EventContext, EventSink, Flow, KernelState};
use crate::fault::Raised;
use crate::format::symbols::Symbols;
use crate::format::{flow, row};
use crate::host::Host;
use crate::output::Output;
use crate::record::{Records, Row};
use crate::runtime::{Run, World, kernel_ending, word_at};
use crate::stacks::{self, StackTable};
use crate::vars::Thread;

/// One run's state between source and output.
pub(super) struct Session<'a> {
    pub(super) plan: &'a Plan,
    pub(super) engine: &'a mut dyn Engine,
    pub(super) host: &'a dyn Host,
    pub(super) output: Ordered<'a>,
    pub(super) interrupts: &'a dyn Interrupts,
    pub(super) settings: Settings,
    pub(super) world: World,
    /// Rows were left out, because the end was asked for twice.
    pub(super) cut: bool,
    /// The status of an `exit` that has run: no further event is looked at.
    pub(super) exit: Option<i64>,
    /// The exit was of a clause that the tracer fired: what the kernel part let through until it was stopped is looked at.
    drains: bool,
    /// A mistake of ours, which ends the run.
    pub(super) bug: Option<&'static str>,
    error_probe: Option<ProbeIndex>,
    /// Whether the heading was printed or decided against.
    heading_decided: bool,
    /// Rows show their CPU, or may do so when a `setopt` has been carried out.
    cpu_shown: bool,
    /// The source reads only memory that is resident.
    only_resident: bool,
    /// What helps against faults and has not been said.
    advice: Advice,
    /// What the current firing has to say, in order; and what of it comes after the rest (`ERROR` within `BEGIN`).
    items: Vec<Item>,
    late_items: Vec<Item>,
    pub(super) text: Vec<u8>,
    /// The line of a row that is no text.
    pub(super) line: Vec<u8>,
    /// Some aggregation has a key that prints as a symbol.
    symbolic: bool,
    /// Some value is the number of a stack.
    stacks_used: bool,
    /// Numbers of stacks may be kept where nobody looks for them ([`stacks::kept`]).
    stacks_kept: bool,
    /// Whether a clause of this firing cut aggregations of K and came to no end.
    cut_taken_back: bool,
    /// What is printed at the end.
    held: Option<Held>,
}

/// Whether a row has a cut, and then whether it is one of an aggregation in K ([`dtrail_lang::plan::Rooms::cuts`]).
fn cuts(plan: &Plan, records: &Records, row: Row) -> Option<bool> {
    cut_by(plan, records.actions(row).map(|(site, _)| site))
}

/// The same of statements.
fn cut_by(plan: &Plan, sites: impl Iterator<Item = SiteId>) -> Option<bool> {
    let is_cut =
        |site: &SiteId| plan.program.sites.get(site.index()).is_some_and(|site| site.action.row().cut);
    sites.filter(is_cut).map(|site| plan.rooms.cuts(site)).reduce(|one, other| one | other)
}

/// The same of all that a firing has to print.
fn cut_of(plan: &Plan, records: &Records, items: &[Item]) -> Option<bool> {
    let rows = items.iter().filter_map(|item| match item {
        Item::Row { row, .. } => cuts(plan, records, *row),
        Item::Fault(_) | Item::Help(_) => None,
    });
    rows.reduce(|one, other| one | other)
}

/// Something that a firing leaves for its end.
pub(super) enum Item {
    /// A row, of this CPU if it is not the firing's.
    Row {
        row: Row,
        probe: ProbeIndex,
        cpu: Option<u32>,
    },
    Fault(Fault),
    Help(String),
}

impl Item {
    /// The CPU of a row that is not the firing's.
    pub(super) fn cpu(&self) -> Option<u32> {
        match self {
            Item::Row { cpu, .. } => *cpu,
            Item::Fault(_) | Item::Help(_) => None,
        }
    }
}

/// A fault of a clause of a probe.
pub(super) struct Fault {
    pub(super) probe: ProbeIndex,
    /// The clause's number in the program.
    pub(super) clause: u32,
    pub(super) raised: Raised,
    pub(super) point: u32,
}

/// What all clauses of a firing share.
struct Firing<'k> {
    probe: ProbeIndex,
    /// Known once a row needs it: a source may have to look for it.
    cpu: Option<u32>,
    kernel: Option<&'k mut dyn KernelState>,
    /// It comes as a record of the kernel part.
    recorded: bool,
    /// The status that an `exit` of an earlier clause has set; only `END` goes on behind one.
    exit: Option<i64>,
    /// When it fired, if anyone asks.
    time: u64,
}

/// Whether some aggregation has a key that prints as a symbol.
fn has_symbolic_key(plan: &Plan) -> bool {
    let symbolic = |ty: &ValueType| matches!(ty, ValueType::Symbolic(_));
    plan.program.aggs.iter().any(|agg| agg.keys.iter().any(symbolic))
}

/// Whether the prefix of some row may name a CPU, or its JSON object.
fn shows_cpu(plan: &Plan, settings: &Settings) -> bool {
    let shown = |site: &ActionSite| match &site.detail {
        Detail::Option { name, .. } => matches!(name.as_str(), "quiet" | "flowindent"),
        _ => false,
    };
    !settings.quiet
        || settings.flowindent
        || settings.format == OutputFormat::Json
        || plan.program.sites.iter().any(shown)
}

impl EventSink for Session<'_> {
    fn event(&mut self, event: Event<'_>) -> Flow {
        let looked_at = self.exit.is_none() || self.drains && matches!(event, Event::Record { .. });
        if looked_at && self.bug.is_none() && !self.full() {
            match event {
                Event::Live { probe, context, kernel } => self.live(probe, context, kernel),
                Event::Record { record, kernel, left } => self.record(record, kernel, left),
            }
        }
        let over = self.exit.is_some() && !self.drains || self.bug.is_some() || self.full();
        if over { Flow::Stop } else { Flow::Continue }
    }

    fn thread_ended(&mut self, thread: Thread) {
        self.world.vars.thread_ended(thread);
    }
}

impl<'a> Session<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        engine: &'a mut dyn Engine,
        host: &'a dyn Host,
        output: &'a mut dyn Output,
        interrupts: &'a dyn Interrupts,
        settings: &'a Settings,
        only_resident: bool,
    ) -> Session<'a> {
        let error = plan.program.probes.iter().position(|probe| probe.id == ProbeId::ERROR);
        let mut world = World::new(plan, settings.space);
        world.facts = host.facts();
        if settings.aggs.per_cpu {
            world.aggs.keep_cpus();
        }
        Session {
            plan,
            engine,
            host,
            output: Ordered::new(output),
            interrupts,
            settings: settings.clone(),
            world,
            cut: false,
            exit: None,
            drains: false,
            bug: None,
            error_probe: error.map(|index| ProbeIndex(index as u32)),
            heading_decided: false,
            cpu_shown: shows_cpu(plan, settings),
            only_resident,
            advice: Advice::default(),
            items: Vec::new(),
            late_items: Vec::new(),
            text: Vec::new(),
            line: Vec::new(),
            symbolic: has_symbolic_key(plan),
            stacks_used: stacks::used(plan),
            stacks_kept: stacks::kept(plan),
            cut_taken_back: false,
            held: Held::new(settings.policy, settings.bufsize, settings.temporal, &plan.program),
        }
    }

    /// Goes on with another plan of the same programs.
    pub(super) fn renew(&mut self, plan: &'a Plan) {
        self.world.renew(plan, self.plan, self.settings.space, self.settings.aggs.per_cpu);
        self.engine.renew();
        self.plan = plan;
        let error = plan.program.probes.iter().position(|probe| probe.id == ProbeId::ERROR);
        self.error_probe = error.map(|index| ProbeIndex(index as u32));
        self.cpu_shown |= shows_cpu(plan, &self.settings);
        self.symbolic = has_symbolic_key(plan);
        self.stacks_used = stacks::used(plan);
        // What an earlier plan kept is there still.
        self.stacks_kept |= stacks::kept(plan);
    }

    /// Says something on standard error, behind the program's name.
    pub(super) fn say(&mut self, message: &str) {
        let text = format!("{}: {message}", self.settings.program);
        self.output.diagnostic(text.as_bytes());
    }

    /// Says what helps against what was said, to who wants that.
    pub(super) fn help(&mut self, help: &str) {
        if self.settings.help {
            self.say(&format!("help: {help}"));
        }
    }

    /// Runs a firing of which nothing was captured: whole clauses, here and now.
    pub(super) fn live(
        &mut self,
        probe: ProbeIndex,
        context: &mut dyn EventContext,
        kernel: Option<&mut dyn KernelState>,
    ) {
        let plan = self.plan;
        let Some(clauses) = plan.probe_clauses.get(probe.index()) else { return };
        let mut ask = |var| self.held.as_ref().map(|_| context.int(var, 0).unwrap_or(0) as u64);
        let time = ask(BuiltinVar::Timestamp).unwrap_or(0);
        let cpu = ask(BuiltinVar::Cpu).map(|cpu| cpu as u32);
        let mut firing = Firing { probe, cpu, kernel, recorded: false, exit: None, time };
        self.begin();
        for &clause in clauses {
            let Some(code) = plan.program.clauses.get(clause.index()) else { continue };
            let kernel = reborrow(&mut firing.kernel);
            let mut run = Run::new(plan, &mut self.world, Input::Live(context), kernel, probe, clause);
            let stopped = self.engine.run(clause, code, &mut run);
            let ending = run.ending(stopped);
            self.ended(ending, clause, context, &mut firing);
            firing.exit = self.world.exit;
            if firing.exit.is_some() && !self.is_end(probe) || self.bug.is_some() {
                break;
            }
        }
        context.settle();
        // A tracer-fired clause has not flipped the generation; the kernel part of another one has.
        self.finish(&mut firing, None);
    }

    /// Runs the user parts of a kernel record's clauses.
    fn record(&mut self, record: &[u8], kernel: &mut dyn KernelState, left: Option<&mut dyn EventContext>) {
        let plan = self.plan;
        let Some((group, probe, cpu, generation)) = self.header(record) else {
            self.bug = Some("a record that no group of the plan has sent");
            return;
        };
        let time = word_at(record, header::TIME).unwrap_or(0);
        let mut firing =
            Firing { probe, cpu: Some(cpu), kernel: Some(kernel), recorded: true, exit: None, time };
        self.begin();
        let mut context = RecordContext { plan, record, left };
        for (&clause, &area) in group.clauses.iter().zip(&group.layout.areas) {
            let Some(layout) = plan.clause_layouts.get(clause.index()) else { continue };
            let decided = word_at(record, area).map(|word| word as u32);
            if decided.is_none_or(|decided| decided == outcome::NONE) {
                continue;
            }
            // Without user code there is nothing to replay, and a fault is reported at once.
            let ending = match plan.user.get(clause.index()) {
                Some(Some(code)) => {
                    let input = Input::Record { record, area };
                    let mut run = Run::new(plan, &mut self.world, input, None, probe, clause);
                    let stopped = self.engine.run(clause, code, &mut run);
                    run.ending(stopped)
                }
                _ => kernel_ending(record, area, layout).map_or(Ending::Done, |(_, ending)| ending),
            };
            self.ended(ending, clause, &mut context, &mut firing);
            if self.world.exit.is_some() || self.bug.is_some() {
                break;
            }
        }
        self.finish(&mut firing, Some(generation));
    }

    fn header(&self, record: &[u8]) -> Option<(&'a dtrail_lang::plan::Group, ProbeIndex, u32, u32)> {
        let first = word_at(record, header::EPOCH)?;
        let plan = self.plan;
        let group = plan.groups.get((first >> 16 & 0xffff) as usize)?;
        let probe = ProbeIndex((first >> 32) as u32);
        let last = word_at(record, header::CPU)?;
        let known = first as u16 == plan.epoch && probe.index() < plan.program.probes.len();
        known.then_some((group, probe, last as u32, (last >> 32) as u32))
    }

    fn begin(&mut self) {
        self.world.begin_firing(self.plan);
        self.items.clear();
        self.late_items.clear();
    }

    /// Settles one clause: keeps or drops its row, reports its fault.
    fn ended(
        &mut self,
        ending: Ending,
        clause: ClauseId,
        context: &mut dyn EventContext,
        firing: &mut Firing<'_>,
    ) {
        match ending {
            Ending::Done => {
                let row = self.world.commit_row(self.plan, firing.probe);
                if row.is_some() {
                    self.know_cpu(context, firing);
                }
                self.items.extend(row.map(|row| Item::Row { row, probe: firing.probe, cpu: None }));
                self.take_committed();
            }
            Ending::Dropped => self.take_back(firing),
            Ending::Bug(what) => self.bug = Some(what),
            Ending::Fault { raised, point } => {
                self.take_back(firing);
                self.take_committed();
                self.fault(raised, point, clause, context, firing);
            }
        }
    }

    /// Whether a probe is `END`, where an `exit` only sets the status (language spec §11.3).
    fn is_end(&self, probe: ProbeIndex) -> bool {
        self.plan.program.probes.get(probe.index()).is_some_and(|probe| probe.id == ProbeId::END)
    }

    /// Drops what a clause recorded that came to no end. If it was to end tracing it does; the status was in the record, so
    /// that in `END` an earlier one stands. If it was to cut aggregations of K, it has: K does so on its way.
    fn take_back(&mut self, firing: &Firing<'_>) {
        self.cut_taken_back |= cut_by(self.plan, self.world.records.open()) == Some(true);
        self.world.records.rollback();
        if self.world.exit.is_some() {
            self.world.exit = if self.is_end(firing.probe) { firing.exit } else { Some(0) };
        }
    }

    /// What the clause committed follows its own row, which it then has not got.
    fn take_committed(&mut self) {
        let rows = self.world.committed.drain(..);
        self.items.extend(rows.map(|of| Item::Row { row: of.row, probe: of.probe, cpu: Some(of.cpu) }));
    }

    /// Looks for the CPU that the prefix of a row shows, unless no row shows one.
    fn know_cpu(&self, context: &mut dyn EventContext, firing: &mut Firing<'_>) {
        if self.cpu_shown && firing.cpu.is_none() {
            firing.cpu = Some(context.int(BuiltinVar::Cpu, 0).unwrap_or(0) as u32);
        }
    }

    /// Reports a fault and runs the `ERROR` clauses over the same event.
    fn fault(
        &mut self,
        raised: Raised,
        point: u32,
        clause: ClauseId,
        context: &mut dyn EventContext,
        firing: &mut Firing<'_>,
    ) {
        let plan = self.plan;
        let raised = raised.told();
        let number = plan.program.clauses.get(clause.index()).map_or(0, |clause| clause.number);
        let Some(probe) = plan.program.probes.get(firing.probe.index()) else { return };
        self.items.push(Item::Fault(Fault { probe: firing.probe, clause: number, raised, point }));
        let only_resident = self.only_resident && firing.recorded;
        let fault = Faulted { probe, raised, only_resident, scratch: plan.program.limits.scratchsize };
        self.advice.of(fault, |help| self.items.push(Item::Help(help)));
        let Some(error_probe) = self.error_probe else { return };
        let clauses = plan.probe_clauses.get(error_probe.index()).map_or(&[][..], Vec::as_slice);
        let kind = raised.kind as u32;
        let args = [
            0,
            i64::from(probe.id.0),
            i64::from(number),
            i64::from(point),
            i64::from(kind),
            raised.value as i64,
        ];
        let mut context = ErrorContext { event: context, args };
        for &clause in clauses {
            let Some(code) = plan.program.clauses.get(clause.index()) else { continue };
            let kernel = reborrow(&mut firing.kernel);
            let input = Input::Live(&mut context);
            let mut run = Run::new(plan, &mut self.world, input, kernel, error_probe, clause);
            let stopped = self.engine.run(clause, code, &mut run);
            match run.ending(stopped) {
                Ending::Done => {
                    let row = self.world.commit_row(plan, error_probe);
                    let row = row.map(|row| Item::Row { row, probe: error_probe, cpu: None });
                    if row.is_some() {
                        self.know_cpu(&mut context, firing);
                    }
                    // The records of BEGIN come before those of ERROR (language spec §12.2).
                    let items =
                        if probe.id == ProbeId::BEGIN { &mut self.late_items } else { &mut self.items };
                    items.extend(row);
                    self.take_committed();
                }
                Ending::Fault { .. } => {
                    self.world.records.rollback();
                    self.world.drops.double_error += 1;
                }
                Ending::Dropped => self.world.records.rollback(),
                Ending::Bug(what) => self.bug = Some(what),
            }
            if self.world.exit.is_some() || self.bug.is_some() {
                break;
            }
        }
    }

    /// The end of a firing: prints what it recorded. `generation` is that of a kernel record.
    fn finish(&mut self, firing: &mut Firing<'_>, generation: Option<u32>) {
        if let Some(status) = self.world.exit {
            self.drains = self.exit.is_none() && firing.kernel.is_some() && !firing.recorded;
            self.exit = self.exit.or(Some(status));
            if self.drains {
                self.world.exit = None;
            }
        }
        self.free_speculations(firing);
        // Before anything is printed or cut: what the kernel part did meanwhile would come after the exit.
        if self.exit.is_some()
            && let Some(kernel) = &mut firing.kernel
        {
            kernel.stop();
        }
        if std::mem::take(&mut self.cut_taken_back) {
            let probe = self.plan.program.probes.get(firing.probe.index());
            if probe.is_some_and(|probe| probe.fired_by == FiredBy::Source) {
                self.world.aggs.cut_kernel();
                // K has begun another generation, and wants those before it back for the next.
                if let (Some(_), Some(kernel)) = (generation, reborrow(&mut firing.kernel)) {
                    self.sweep(kernel, generation);
                }
            }
        }
        let mut items = std::mem::take(&mut self.items);
        items.append(&mut self.late_items);
        // What is held is printed later, but cut now: rooms begin anew, and the kernel part has generations for the next.
        if self.held.is_some()
            && let Some(in_kernel) = cut_of(self.plan, &self.world.records, &items)
        {
            self.snapshot(firing, generation, in_kernel);
        }
        match &mut self.held {
            Some(held) if !items.is_empty() => {
                let records = std::mem::take(&mut self.world.records);
                let probe = self.plan.program.probes.get(firing.probe.index());
                let probe = probe.map_or(ProbeId::ERROR, |probe| probe.id);
                let cpu = firing.cpu.unwrap_or(0);
                let before = held.taken(cpu);
                held.keep(probe, cpu, firing.time, (records, items), &self.plan.program);
                if let Some(kernel) = &mut firing.kernel {
                    let taken = held.taken(cpu).saturating_sub(before);
                    match held.full() {
                        true => kernel.stop(),
                        false if taken > 0 && !firing.recorded => kernel.kept(cpu, taken),
                        false => {}
                    }
                }
            }
            Some(_) => self.items = items,
            None => self.print(items, firing, generation),
        }
    }

    /// Whether a buffer is full that ends tracing.
    pub(super) fn full(&self) -> bool {
        self.held.as_ref().is_some_and(Held::full)
    }

    /// Takes note that the source lost records.
    pub(super) fn lost_records(&mut self) {
        if let Some(held) = &mut self.held {
            held.lost();
        }
    }

    /// Prints what waited for the end of tracing.
    pub(super) fn release(&mut self, mut kernel: Option<&mut dyn KernelState>) {
        let Some(mut held) = self.held.take() else { return };
        if let Some(kernel) = reborrow(&mut kernel) {
            self.sweep(kernel, None);
        }
        for kept in held.release() {
            self.world.records = kept.records;
            // Everything is swept: no row has to ask for it.
            let cpu = Some(kept.cpu);
            let mut firing = Firing {
                probe: ProbeIndex(0),
                cpu,
                kernel: None,
                recorded: false,
                exit: None,
                time: kept.time,
            };
            self.print(kept.items, &mut firing, None);
        }
        self.output.settle();
    }

    /// Prints what a firing recorded.
    fn print(&mut self, items: Vec<Item>, firing: &mut Firing<'_>, generation: Option<u32>) {
        let records = std::mem::take(&mut self.world.records);
        let mut cut = cut_of(self.plan, &records, &items);
        for item in &items {
            match item {
                Item::Help(help) => self.help(help),
                Item::Fault(fault) => self.tell_fault(fault),
                Item::Row { row, probe, cpu } => {
                    if let Some(kernel) = cut.take_if(|_| cuts(self.plan, &records, *row).is_some()) {
                        self.snapshot(firing, generation, kernel);
                    }
                    self.know_stacks(&records, *row, firing);
                    self.consume(&records, *row, *probe, cpu.or(firing.cpu).unwrap_or(0));
                }
            }
        }
        self.world.records = records;
        self.items = items;
    }

    /// Prints a row, which is the next record of its CPU.
    fn consume(&mut self, records: &Records, row: Row, probe: ProbeIndex, cpu: u32) {
        self.output.follow(cpu, (probe, self.clause_of(records, row)));
        match self.settings.format {
            OutputFormat::Text => self.row(records, row, probe, cpu),
            OutputFormat::Json => self.json_row(records, row, probe, cpu),
            OutputFormat::Folded => self.folded_row(records, row, probe),
        }
    }

    /// Whether the look of a row depends on what follows: a return that other clauses have too. What is done at once is
    /// done at once.
    fn waits(&self, records: &Records, row: Row, probe: ProbeIndex) -> bool {
        let name = self.plan.program.probes.get(probe.index()).map_or("", |probe| &probe.name);
        let several = self.plan.probe_clauses.get(probe.index()).is_some_and(|clauses| clauses.len() > 1);
        let data = |site: SiteId| {
            let site = self.plan.program.sites.get(site.index());
            site.is_some_and(|site| site.action.row().kind != ActionKind::Consumer)
        };
        several && flow::kind(name) == flow::Kind::Return && records.actions(row).all(|(site, _)| data(site))
    }

    /// The clause that recorded a row.
    fn clause_of(&self, records: &Records, row: Row) -> Option<ClauseId> {
        let (site, _) = records.actions(row).next()?;
        self.plan.program.sites.get(site.index()).map(|site| site.clause)
    }

    /// Brings the aggregations of user space up to the cut of this firing: once for all its actions, so that what comes
    /// between a `printa` and the `clear` after it is not lost. `in_kernel`: one of them cuts an aggregation in K.
    fn snapshot(&mut self, firing: &mut Firing<'_>, generation: Option<u32>, in_kernel: bool) {
        let probe = self.plan.program.probes.get(firing.probe.index()).map(|probe| probe.id);
        if probe != Some(ProbeId::BEGIN) {
            self.world.aggs.cut(in_kernel);
        }
        let Some(kernel) = reborrow(&mut firing.kernel) else { return };
        match probe {
            // The gate has not opened: there is nothing to take.
            Some(ProbeId::BEGIN) => return,
            // The gate is shut: there is nothing to keep apart.
            Some(ProbeId::END) => {}
            _ if generation.is_none() && in_kernel => kernel.cut(),
            _ => {}
        }
        self.sweep(kernel, generation);
    }

    /// Takes aggregations out of the kernel; see [`KernelState::sweep`].
    pub(super) fn sweep(&mut self, kernel: &mut dyn KernelState, generation: Option<u32>) {
        if self.plan.agg_sites.iter().any(|site| site.side == Side::Kernel) {
            let aggs = &mut self.world.aggs;
            kernel.sweep(generation, &mut |agg, cpu, key, state| aggs.merge(agg, cpu, &key, state));
        }
        // Last: what keys are numbers of is then there.
        self.take_stacks(kernel);
        // Without cuts the kernel part keeps its keys to the end.
        if generation.is_none() && self.plan.cuts.any() {
            self.forget_stacks();
        }
    }

    /// Prints a row as text and carries out its actions.
    fn row(&mut self, records: &Records, row: Row, probe: ProbeIndex, cpu: u32) {
        let Settings { quiet, flowindent, testing, .. } = self.settings;
        let escape = self.escapes();
        self.text.clear();
        if !std::mem::replace(&mut self.heading_decided, true) {
            match (flowindent, quiet) {
                (true, _) => flow::heading(&mut self.text),
                (false, false) => row::heading(&mut self.text, testing),
                (false, true) => {}
            }
        }
        let by = self.clause_of(records, row);
        let mut other = None;
        if let Some(of) = self.plan.program.probes.get(probe.index()) {
            if flowindent {
                let clause = by.unwrap_or(ClauseId(0));
                let mut stream = *self.output.stream(cpu);
                if self.waits(records, row, probe) {
                    let (mut stream, mut text) = (stream, self.text.clone());
                    stream.prefix(&mut text, cpu, of, (probe, clause), true, escape);
                    other = Some(Look { stream, text });
                }
                stream.prefix(&mut self.text, cpu, of, (probe, clause), false, escape);
                *self.output.stream(cpu) = stream;
            } else if !quiet {
                row::prefix(&mut self.text, cpu, of, testing, escape);
            }
        }
        let prefix = self.text.len();
        for index in row.indices() {
            if let Some((site, first)) = records.get(index) {
                self.action(records, site, first, probe);
            }
        }
        // `setopt` may have changed it just now.
        if !self.settings.quiet {
            self.text.push(b'\n');
        }
        match other {
            Some(mut followed) => {
                // Its actions make text, and take none away.
                followed.text.extend_from_slice(self.text.get(prefix..).unwrap_or_default());
                let last = Look { stream: *self.output.stream(cpu), text: self.text.clone() };
                self.output.wait(cpu, (probe, by), followed, last);
            }
            None => self.output.write(&self.text),
        }
    }

    /// Whether control characters in traced data are escaped where text is made. JSON does so itself.
    pub(super) fn escapes(&self) -> bool {
        self.settings.format != OutputFormat::Json && self.output.is_terminal()
    }
}

/// Writes text that has grown long, and says whether anyone wants more of it: not if the output takes nothing any more,
/// which the consumer's next flush tells, and not if the end was asked for twice.
pub(super) fn pass_on(
    output: &mut dyn Output,
    interrupts: &dyn Interrupts,
    text: &mut Vec<u8>,
) -> ControlFlow<()> {
    output.write(text);
    text.clear();
    match output.flush() {
        Ok(()) if interrupts.count() < 2 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    }
}

/// What addresses print from.
pub(super) fn symbols<'s>(host: &'s dyn Host, stacks: &'s StackTable, settings: &Settings) -> Symbols<'s> {
    let Settings { stackindent, noresolve, .. } = *settings;
    Symbols { names: host.names(), stacks, indent: stackindent, noresolve }
}

/// The kernel's state for a part of the firing.
fn reborrow<'s>(kernel: &'s mut Option<&mut dyn KernelState>) -> Option<&'s mut dyn KernelState> {
    match kernel {
        Some(kernel) => Some(&mut **kernel),
        None => None,
    }
}
