//! The planner: splits every clause into a kernel part and a user part, like a database planner that pushes predicates
//! and partial aggregation down to where the data is.
//!
//! In: a verified [`ir::Program`] and the [`Capabilities`] of an event source. Out: a [`Plan`]. It decides where things
//! run; nothing outside this module asks that question. Placement changes speed, never output.
//!
//! # The rules (design §2; each has a test that carries its number)
//!
//! 1. A value is K-computable if its op is Pinned or Free, the emitter knows it, and all it reads is K-computable where
//!    it stands. An effect (variable write, aggregation update, control) may be in K only if every branch around it and
//!    every op before it in its clause that may fault or end the clause is decided in K.
//! 2. A variable's home is K or U: K if bounded in size and every write to it may be in K. Start from all-K and demote
//!    to a fixed point; a read that K cannot place (an element with a U key) demotes too. Clauses of tracer-fired probes
//!    (`BEGIN`, `END`, `tick`) never demote globals and associative arrays: they run in user space at the very moment of
//!    the event and reach K variables directly (`kernel_bridge` maps them); they do demote `self->` and, if
//!    `ERROR` uses it as well, `this->`.
//! 3. U reads a K variable only as a value captured at the event, at its place in program order.
//! 4. What stands under a branch that U decides is evaluated in K whether U will come there or not: K runs both arms one
//!    after the other, and a fault in an arm is captured as such ([`ir::Terminator::Attempt`]); U raises it when it
//!    comes to the op that faulted ([`ir::Op::FaultPoint`]). After an op that may fault in U, a fault in K ends K's
//!    clause as ever: U raises whichever comes first.
//! 5. Aggregation sites are placed one by one and merged when printed; each K site has a packed key layout.
//! 6. Without a kernel part everything is in U.
//! 7. All clauses of a probe run in one kernel program and send at most one record with one outcome per clause. U
//!    replays exactly the prefix up to the fault, then `ERROR`.
//! 8. `exit` decided in U (or in an `ERROR` clause) moves to U what the events behind it could still change and `END` or
//!    the last print would show: aggregations, speculations and the variables that tracer-fired clauses use, unless
//!    `relaxedexit`. In a tracer-fired clause it is decided at the event and moves nothing.
//! 9. `printa`, `clear` and `trunc` in a source-fired clause are a cut: in K ([`ir::Op::Control`]) if rule 1 lets them,
//!    and if not, the aggregations they name live in U. They take effect when the firing ends, on what all its clauses
//!    did, so a firing cuts once.
//! 10. `ERROR` clauses run in U: variables they write live in U; the built-ins they read and the stacks they take are
//!     captured in every record that can carry or lead to a fault ([`GroupLayout::shared_slots`]). Memory they read and
//!     write, and signals they send, when the record is looked at. Where it can be had at the event ([`Afterwards`]) and
//!     another clause may have written or may yet read meanwhile, everything is in U.
//! 11. A pinned op whose operand is not K-computable is an error that prints the chain of dependence; so is a signal that
//!     K would send although U decides whether the clause comes to it.
//! 12. The scratch memory of a clause is on one side: K, unless an op on it cannot be there or U decides whether it runs.
//!     `alloca` and its kin can be there only in a clause that writes to the process, which K must do.
//! 13. Where the code for a plan turns out to be more than the kernel takes ([`Overflow`]), the program is planned again
//!     with all effects in U, as if by `placement=user`; only `placement=kernel` makes it an error. Where that is known
//!     beforehand it is planned once.
//! 14. A variable that a clause stores to in U ahead of an effect in K is *lossy*: a store that finds no room for it does
//!     not end its clause, on any engine.
//! 15. What is kept in K and what is kept in U is counted in rooms of its own on every engine, also where all is in U, as
//!     the plan has it that all engines have in common.
//! 16. A `this->` variable that clauses of tracer-fired probes and clauses of others use is two, one for each kind.
//! 17. Which speculations are in use is kept in K if every clause of a traced probe that takes, uses, commits or discards
//!     one may do so in K, else in U; clauses of tracer-fired probes reach it where it is, as in rule 2, and `ERROR` clauses
//!     need it in U. What was recorded for them is in U always, by number and turn.
//!
//! # The files, in the order in which [`plan`] uses them
//!
//! | file | from | to |
//! |---|---|---|
//! | `roles` | enablings | who fires each clause |
//! | `apart` | a program | the same, its `this->` variables told apart (rule 16) |
//! | `flow` | a clause | its steps, definitions, dominators |
//! | `lossy` | a program | its lossy variables (rule 14) |
//! | `classify` | a clause, homes so far | what may be in K (rules 1 and 4) |
//! | `homes` | all of these | homes, sites, `exit`, cuts: the fixed point (rules 2, 5, 8, 9, 10) |
//! | `rooms` | homes | which room counts what (rule 15) |
//! | `pinned` | the decisions | the errors of rule 11 |
//! | `needs` | a clause, decided | what its user part has, and where K marks work |
//! | `captures`, `mincut` | that | what crosses, and where (rules 3 and 4) |
//! | `kernel_part`, `user_part`, `pieces` | that | the code of both parts |
//! | `groups` | layouts | records of groups, packed keys (rules 5 and 7) |
//! | `why`, `explain` | decisions | words |

pub mod explain;
pub mod layout;
pub mod speculations;
pub mod stacks;

mod apart;
mod captures;
mod classify;
mod flow;
mod groups;
mod homes;
mod kernel_part;
mod lossy;
mod mincut;
mod needs;
mod pieces;
mod pinned;
mod roles;
mod rooms;
#[cfg(test)]
mod tests;
mod user_part;
mod why;

pub use crate::ir::slots::{ClauseLayout, Slot, SlotKind};
pub use explain::explain;
pub use layout::{AskedStack, GroupLayout, KeyPart, Shared, SharedSlot};
pub use rooms::{Rooms, SiteRoom};

use crate::diag::{Diagnostic, Tag};
use crate::ir::verify::{self, Part};
use crate::ir::{self, AggSiteId, ClauseId, ProbeIndex, VarId};
use crate::source::{SourceId, Span};
use captures::Decided;
use flow::Flow;
use homes::{Analysed, Room, Settled};
use roles::Roles;

/// Plans a verified program for a source of events.
pub fn plan(mut program: ir::Program, caps: Capabilities, options: &PlanOptions) -> Result<Plan, PlanError> {
    let roles = Roles::new(&program);
    apart::tell_apart(&mut program, &roles);
    let lossy::Found { vars, flows: mut kept, settled: mut common } =
        lossy::lossy(&program, &roles, options)?;
    if !vars.is_empty() {
        drop((kept, common));
        vars.into_iter().for_each(|var| program.vars[var.index()].lossy = true);
        (kept, common) = (None, None);
    }
    let counted_apart = rooms::matter(&program, &roles);
    let in_order = caps.afterwards == Afterwards::Everything && roles.errors_share_memory(&program);
    let kernel_part = caps.kernel && !in_order;
    if !kernel_part && !counted_apart {
        drop(kept);
        return Ok(all_in_user(program, roles, Rooms::default()));
    }
    let flows = kept.map_or_else(|| flows(&program, &roles), Ok)?;
    let cx = Analysed { program: &program, roles: &roles, flows: &flows };
    let (least, options_in_common) = rooms::reference(options);
    let is_common = caps.places_like(least) && *options == options_in_common;
    let common = match common {
        None if counted_apart || is_common => {
            Some(homes::settle(&cx, least, &options_in_common, Room::Bounded))
        }
        known => known,
    };
    let rooms = match &common {
        Some(common) if counted_apart => rooms::rooms(&cx, common),
        _ => Rooms::default(),
    };
    if !kernel_part {
        drop(flows);
        return Ok(all_in_user(program, roles, rooms));
    }
    let settled = match common.filter(|_| is_common) {
        Some(settled) => settled,
        None => homes::settle(&cx, caps, options, Room::Bounded),
    };
    let mut errors = pinned::check(&cx, &settled, caps);
    if options.placement == Placement::Kernel {
        errors.extend(homes::kernel_only(&cx, &settled));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let clauses = program.clauses.len();
    let mut kernel = Vec::with_capacity(clauses);
    let mut user = Vec::with_capacity(clauses);
    let mut clause_layouts = Vec::with_capacity(clauses);
    for i in 0..clauses {
        let part = split(&cx, &settled, ClauseId(i as u32))?;
        kernel.push(part.kernel);
        user.push(part.user);
        clause_layouts.push(part.layout);
    }
    let (groups, probe_groups) = groups::groups(&program, &roles, &clause_layouts, &user)?;
    let homes = groups::homes(&program, &settled);
    let agg_sites = groups::placements(&program, &settled);
    let speculations = settled.decisions.speculations;
    let Settled { cuts, reasons, .. } = settled;
    drop(flows);
    let probe_clauses = roles.probe_clauses;
    Ok(Plan {
        epoch: 0,
        program,
        kernel,
        user,
        clause_layouts,
        groups,
        probe_groups,
        probe_clauses,
        homes,
        agg_sites,
        speculations,
        rooms,
        cuts,
        reasons,
    })
}

/// By clause: its flow; `None` for those that no source-fired probe enables.
fn flows<'a>(program: &'a ir::Program, roles: &Roles) -> Result<Vec<Option<Flow<'a>>>, PlanError> {
    let flows = program.clauses.iter().enumerate().map(|(i, clause)| {
        let id = ClauseId(i as u32);
        roles.clause(id).source.then(|| Flow::new(clause).map_err(|why| bug(clause, &why))).transpose()
    });
    flows.collect()
}

/// Rule 6: the plan for a source without a kernel part.
fn all_in_user(program: ir::Program, roles: Roles, rooms: Rooms) -> Plan {
    let clauses = program.clauses.len();
    let home = Home { side: Side::User, key: Vec::new() };
    let placement = AggPlacement { side: Side::User, key: Vec::new() };
    Plan {
        epoch: 0,
        kernel: vec![None; clauses],
        user: vec![None; clauses],
        clause_layouts: vec![ClauseLayout::default(); clauses],
        groups: Vec::new(),
        probe_groups: vec![None; program.probes.len()],
        probe_clauses: roles.probe_clauses,
        homes: vec![home; program.vars.len()],
        agg_sites: vec![placement; program.agg_sites.len()],
        speculations: Side::User,
        rooms,
        cuts: Cuts::default(),
        reasons: Vec::new(),
        program,
    }
}

/// A clause in two.
#[derive(Default)]
struct Parts {
    kernel: Option<ir::Clause>,
    user: Option<ir::Clause>,
    layout: ClauseLayout,
}

/// Splits a clause as decided and verifies both parts.
fn split(cx: &Analysed<'_>, settled: &Settled, id: ClauseId) -> Result<Parts, PlanError> {
    let (Some(flow), Some(sides)) = (&cx.flows[id.index()], &settled.sides[id.index()]) else {
        return Ok(Parts::default());
    };
    let needs = needs::user_needs(cx.program, flow, sides);
    let decided = Decided { program: cx.program, flow, sides, needs: &needs };
    let captures = captures::captures(&decided);
    let kernel = kernel_part::kernel_part(&decided, &captures, &settled.controls);
    let user = user_part::user_part(&decided, &captures);
    let can_fault = kernel.as_ref().is_some_and(kernel_part::can_fault);
    let layout = ClauseLayout::new(can_fault, captures.bits.iter().any(Option::is_some), captures.slots);
    for (code, part) in [(&kernel, Part::Kernel(&layout)), (&user, Part::User(&layout))] {
        if let Some(code) = code {
            verify::clause(cx.program, id, code, part).map_err(|why| bug(flow.clause, &why))?;
        }
    }
    Ok(Parts { kernel, user, layout })
}

/// A message of the planner. No tag of DTrace's is about placement.
fn refusal(span: Option<Span>, text: String) -> Diagnostic {
    Diagnostic::new(Tag::Unknown, span.unwrap_or(Span { source: SourceId(0), start: 0, end: 0 }), text)
}

/// What a pass of the planner did wrong.
fn bug(clause: &ir::Clause, why: &str) -> PlanError {
    vec![refusal(Some(clause.span), format!("internal error of the planner, please report: {why}"))]
}

/// What an event source can decide before an event leaves the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Whether there is a kernel part at all: `bpf`, and the synthetic source under `rbpf` and `bpf`.
    pub kernel: bool,
    /// Most buckets of one histogram that fit a per-CPU map value (32 KiB); wider ones live in U.
    pub max_buckets: u32,
    /// Most associative arrays, aggregations with keys and shapes of `lquantize` that K keeps: the kernel lets a program
    /// use 64 maps, and some are taken.
    pub max_tables: u32,
    /// Whether the kernel offers programs to write to a process (`bpf_probe_write_user`), on which `copyout` depends;
    /// `None` if it was not asked.
    pub writes_user: Option<bool>,
    /// What `ERROR` clauses, which run after the event, can still ask of it.
    pub afterwards: Afterwards,
}

/// What can be had of an event's memory when its record is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Afterwards {
    /// That of its process, as it is by then.
    Memory,
    /// All that there was: the event is made up, and its record is looked at before the next one.
    Everything,
}

impl Capabilities {
    /// Of a source without a kernel part (`ptrace`, `replay`, `synthetic` under `interp` and `jit`).
    pub const NONE: Capabilities =
        Capabilities { kernel: false, max_buckets: 0, max_tables: 0, ..Capabilities::BASELINE };
    /// Of the baseline instruction set that every promised kernel has.
    pub const BASELINE: Capabilities = Capabilities {
        kernel: true,
        max_buckets: 4094,
        max_tables: 48,
        writes_user: None,
        afterwards: Afterwards::Memory,
    };

    /// Whether everything has the same home under both.
    fn places_like(self, other: Capabilities) -> bool {
        let placing = |caps: Capabilities| Capabilities {
            writes_user: caps.writes_user.filter(|writes| *writes),
            afterwards: Afterwards::Memory,
            ..caps
        };
        placing(self) == placing(other)
    }
}

/// `-x placement=`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Placement {
    /// The rules decide.
    #[default]
    Auto,
    /// Everything that can be in the kernel must be: what the rules put in U is an error that names the reason.
    Kernel,
    /// Only pinned values are taken in the kernel; all effects are in U.
    User,
}

/// Options of the planner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PlanOptions {
    /// `-x placement=`
    pub placement: Placement,
    /// `-x relaxedexit`: see rule 8.
    pub relaxed_exit: bool,
    /// What an earlier plan of the program had more of than the kernel takes: then K takes only what is pinned.
    pub overflow: Option<Overflow>,
}

/// What a plan can have too much of for the kernel; only who generates the code can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// Strings, keys and records take so many bytes at once, of [`layout::KERNEL_MEMORY`].
    Memory(u32),
    /// The variables of a thread take so many bytes, of [`layout::KERNEL_THREAD`].
    Thread(u32),
    /// So many instructions are too far apart for a jump.
    Instructions(usize),
    /// One probe runs so many clauses.
    Clauses(usize),
    /// More values are in flight at once than there is room for.
    Values,
    /// What runs the code finds it too large or too branched to be judged.
    Refused,
}

impl std::fmt::Display for Overflow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Overflow::Memory(bytes) => write!(
                f,
                "strings, keys and records need {bytes} bytes of memory at once, and a program in the kernel has {}",
                layout::KERNEL_MEMORY
            ),
            Overflow::Thread(bytes) => write!(
                f,
                "the variables of a thread need {bytes} bytes, and the kernel keeps {} with it",
                layout::KERNEL_THREAD
            ),
            Overflow::Instructions(insns) => {
                write!(f, "the code has {insns} instructions, more than one kernel program takes")
            }
            Overflow::Clauses(clauses) => {
                write!(f, "one probe runs {clauses} clauses, more than one kernel program takes")
            }
            Overflow::Refused => f.write_str("the kernel's verifier finds the code too large"),
            Overflow::Values => f.write_str("a clause has more values at once than the kernel's stack takes"),
        }
    }
}

/// K or U.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The kernel part.
    Kernel,
    /// The user part.
    User,
}

/// A program with every decision made: complete before any code is generated.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Incremented by each plan of a session; stamped into every record.
    pub epoch: u16,
    /// The tables, and the unsplit code of every clause: what runs for tracer-fired and fault-fired probes, and for
    /// every event of a source without a kernel part.
    pub program: ir::Program,
    /// By [`ClauseId`]: the kernel code of a clause that some source-fired probe enables; `None` where K has nothing.
    pub kernel: Vec<Option<ir::Clause>>,
    /// By [`ClauseId`]: the user code that goes with an event record; `None` where U has nothing but the fault to
    /// report.
    pub user: Vec<Option<ir::Clause>>,
    /// By [`ClauseId`]: what the kernel code sends.
    pub clause_layouts: Vec<ClauseLayout>,
    /// The distinct clause sequences of source-fired probes.
    pub groups: Vec<Group>,
    /// By [`ProbeIndex`]: its group; `None` for a tracer- or fault-fired probe, and everywhere if there is no kernel part.
    pub probe_groups: Vec<Option<GroupId>>,
    /// By [`ProbeIndex`]: the clauses it runs, in program order.
    pub probe_clauses: Vec<Vec<ClauseId>>,
    /// By [`VarId`].
    pub homes: Vec<Home>,
    /// By [`AggSiteId`].
    pub agg_sites: Vec<AggPlacement>,
    /// Who keeps which speculations are in use: K's words are those of [`speculations`]. U if no traced probe's clause
    /// speculates.
    pub speculations: Side,
    /// Which room of a bounded store counts what, the same for every source and engine.
    pub rooms: Rooms,
    /// Whether any clause cuts (rule 9), in K or in a tracer-fired clause: aggregations in K then carry a generation.
    pub cuts: Cuts,
    /// Why each thing is where it is, for `--explain`.
    pub reasons: Vec<Reason>,
}

/// Index in [`Plan::groups`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupId(pub u16);

/// A distinct sequence of clauses that source-fired probes run: one dispatch target of a kernel program.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// In program order.
    pub clauses: Vec<ClauseId>,
    /// The record it sends.
    pub layout: GroupLayout,
}

/// Where a variable lives.
#[derive(Clone, Debug, PartialEq)]
pub struct Home {
    /// K or U. For a source without a kernel part always U.
    pub side: Side,
    /// The packed key of an associative array in K, one part a key: `Int` or `Str`.
    pub key: Vec<KeyPart>,
}

/// Where an aggregation site updates.
#[derive(Clone, Debug, PartialEq)]
pub struct AggPlacement {
    /// K or U.
    pub side: Side,
    /// The packed key of a K site. Sites of one aggregation with equal keys share a map.
    pub key: Vec<KeyPart>,
}

/// Who cuts time (design §2: "printa, clear, trunc, normalize are a cut in time").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cuts {
    /// A clause of a tracer-fired probe other than `BEGIN` and `END` does (before the gate opens and after it is shut
    /// there is nothing to cut): user space flips the generation itself, one cut at a time.
    pub tracer: bool,
    /// A kernel clause does ([`ir::Op::Control`]): several cuts may be unacknowledged.
    pub kernel: bool,
}

impl Cuts {
    /// Whether aggregations in K need generations.
    pub fn any(self) -> bool {
        self.tracer || self.kernel
    }

    /// How many generations an array-shaped aggregation keeps: a power of two.
    pub fn generations(self) -> u32 {
        match self {
            Cuts { kernel: true, .. } => 8,
            Cuts { tracer: true, .. } => 2,
            _ => 1,
        }
    }
}

/// One line of explanation.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// What it is about.
    pub subject: Subject,
    /// Why, naming the expression that forced it.
    pub text: String,
    /// That expression.
    pub span: Option<crate::source::Span>,
}

/// What a [`Reason`] speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A variable's home.
    Var(VarId),
    /// An aggregation site.
    AggSite(AggSiteId),
    /// A clause.
    Clause(ClauseId),
    /// A probe.
    Probe(ProbeIndex),
    /// Which speculations are in use.
    Speculations,
    /// The whole program.
    Program,
}

/// What planning can refuse: rule 11, and `placement=kernel`.
pub type PlanError = Vec<Diagnostic>;
