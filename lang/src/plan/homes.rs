//! Rules 2, 5, 8, 9 and 10: where variables and aggregations live and who decides `exit` and cuts. A program in,
//! [`Settled`] out: starts with everything in K and moves to U until nothing moves any more.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};

use super::classify::{Blocker, Decisions, Sides, classify};
use super::flow::{At, Flow};
use super::groups::key_layouts;
use super::roles::Roles;
use super::why::{Because, Known, described, var_name};
use super::{Capabilities, Cuts, KeyPart, Placement, PlanOptions, Reason, Side, Subject};
use crate::builtins::aggs::Shape;
use crate::builtins::{Action, AggFn, Func};
use crate::ir::facts::{changes_scratch, speculates, touches_scratch};
use crate::ir::print::agg_name;
use crate::ir::{AggId, AggSiteId, Aggregation, ClauseId, Detail, Inst, Op, Program, Scope, SiteId, VarId};
use crate::source::Span;

/// Everything decided, nothing split yet.
pub(super) struct Settled {
    pub decisions: Decisions,
    /// By clause; `None` for those that no source-fired probe enables.
    pub sides: Vec<Option<Sides>>,
    /// By action site: whether K carries out its control effect.
    pub controls: Vec<bool>,
    pub cuts: Cuts,
    pub reasons: Vec<Reason>,
}

/// Whether a dynamic variable may find no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// It may.
    Bounded,
    /// It is supposed that none does, to see which stores matter ([`super::lossy`]).
    Supposed,
}

/// The program as the passes of the planner see it.
pub(super) struct Analysed<'a> {
    pub program: &'a Program,
    pub roles: &'a Roles,
    /// By clause; `None` for those that no source-fired probe enables.
    pub flows: &'a [Option<Flow<'a>>],
}

/// Decides.
pub(super) fn settle(cx: &Analysed<'_>, caps: Capabilities, options: &PlanOptions, room: Room) -> Settled {
    let mut state = State::new(cx, caps, options, room);
    let mut sides: Vec<Option<Sides>> = cx.flows.iter().map(|_| None).collect();
    // A clause is looked at again when something that it mentions has moved.
    let mut unsettled: BTreeSet<ClauseId> = clauses_with_code(cx).collect();
    let layouts = OnceCell::new();
    while !unsettled.is_empty() {
        while let Some(id) = unsettled.pop_first() {
            if let Some(flow) = &cx.flows[id.index()] {
                let found = classify(cx.program, flow, id, &state.decisions);
                state.move_effects(flow, &found);
                state.move_scratch(flow, id, &found);
                sides[id.index()] = Some(found);
                unsettled.extend(state.moved());
            }
        }
        if state.tables_at_most() > caps.max_tables as usize {
            state.fit_tables(caps, layouts.get_or_init(|| key_layouts(cx.program)));
        }
        if state.moved.is_empty() {
            state.keep_lossy_in_user();
        }
        unsettled.extend(state.moved());
    }
    let controls: Vec<bool> =
        (0..cx.program.sites.len()).map(|i| state.control(&sides, SiteId(i as u32))).collect();
    let cuts = state.cuts(&controls);
    Settled { decisions: state.decisions, sides, controls, cuts, reasons: state.reasons }
}

/// The fixed point under way.
struct State<'a> {
    cx: &'a Analysed<'a>,
    relaxed_exit: bool,
    decisions: Decisions,
    reasons: Vec<Reason>,
    /// By variable: the clauses that mention it.
    mentions: Vec<Vec<ClauseId>>,
    /// By aggregation: its sites.
    sites: Vec<Vec<AggSiteId>>,
    /// The clauses that speculate.
    speculating: Vec<ClauseId>,
    /// What has moved to U and not been followed up yet.
    moved: Vec<Subject>,
}

/// The clauses that some source-fired probe enables.
fn clauses_with_code<'a>(cx: &'a Analysed<'_>) -> impl Iterator<Item = ClauseId> + 'a {
    (0..cx.flows.len()).filter(|&i| cx.flows[i].is_some()).map(|i| ClauseId(i as u32))
}

impl<'a> State<'a> {
    /// What is in U from the start.
    fn new(cx: &'a Analysed<'a>, caps: Capabilities, options: &PlanOptions, room: Room) -> State<'a> {
        let program = cx.program;
        let decisions = Decisions {
            vars: vec![Side::Kernel; program.vars.len()],
            agg_sites: vec![Side::Kernel; program.agg_sites.len()],
            scratch: cx.flows.iter().map(|flow| scratch_at_first(flow.as_ref(), caps, options)).collect(),
            exit_in_user: false,
            speculations: Side::Kernel,
            writes_user: caps.writes_user == Some(true),
            pinned_only: options.placement == Placement::User || options.overflow.is_some(),
            room: room == Room::Supposed,
        };
        let mut mentions: Vec<Vec<ClauseId>> = vec![Vec::new(); program.vars.len()];
        for id in clauses_with_code(cx) {
            let insts = cx.flows[id.index()].iter().flat_map(Flow::insts);
            for var in insts.filter_map(|(_, inst)| inst.op.var()) {
                if mentions[var.index()].last() != Some(&id) {
                    mentions[var.index()].push(id);
                }
            }
        }
        let mut sites: Vec<Vec<AggSiteId>> = vec![Vec::new(); program.aggs.len()];
        for (i, site) in program.agg_sites.iter().enumerate() {
            sites[site.agg.index()].push(AggSiteId(i as u32));
        }
        let speculating = clauses_with_code(cx).filter(|id| {
            let mut insts = cx.flows[id.index()].iter().flat_map(Flow::insts);
            insts.any(|(_, inst)| speculates(&inst.op))
        });
        let speculating = speculating.collect();
        let (relaxed_exit, reasons, moved) = (options.relaxed_exit, Vec::new(), Vec::new());
        let mut state = State { cx, relaxed_exit, decisions, reasons, mentions, sites, speculating, moved };
        state.settle_unmentioned();
        if options.placement == Placement::User {
            state.all_to_user("placement=user", None);
        }
        if let Some(overflow) = options.overflow {
            let text = format!("all state is kept in user space: {overflow}");
            state.reasons.push(Reason { subject: Subject::Program, text, span: None });
            state.all_to_user(&overflow.to_string(), None);
        }
        for (i, agg) in program.aggs.iter().enumerate() {
            if let Some(why) = too_large(agg, caps) {
                state.agg_to_user(AggId(i as u32), &(why, None));
            }
        }
        for (i, var) in program.vars.iter().enumerate() {
            if var.scope == Scope::ThreadLocal && var.keys.is_some() {
                state.var_to_user(VarId(i as u32), "arrays of a thread live in user space", None);
            }
        }
        state.settle_by_role();
        state
    }

    /// What no clause of a traced probe touches has nothing to do in K.
    fn settle_unmentioned(&mut self) {
        if self.speculating.is_empty() {
            self.decisions.speculations = Side::User;
        }
        for i in 0..self.mentions.len() {
            if self.mentions[i].is_empty() {
                self.var_to_user(VarId(i as u32), "no clause of a traced probe uses it", None);
            }
        }
        for (i, site) in self.cx.program.agg_sites.iter().enumerate() {
            if self.cx.flows[site.clause.index()].is_none() {
                self.decisions.agg_sites[i] = Side::User;
            }
        }
    }

    /// Clauses that run in user space anyway: those of tracer-fired probes (rule 2) and of `ERROR` (rule 10).
    fn settle_by_role(&mut self) {
        let cx = self.cx;
        for (i, clause) in cx.program.clauses.iter().enumerate() {
            let role = cx.roles.clause(ClauseId(i as u32));
            for inst in clause.blocks.iter().flat_map(|b| &b.insts) {
                if let Some(var) = inst.op.var() {
                    let global = cx.program.vars[var.index()].scope == Scope::Global;
                    if role.fault {
                        self.var_to_user(var, "an `ERROR` clause uses it", Some(inst.span));
                    } else if role.tracer && !global {
                        let why = "a clause that the tracer itself fires uses it";
                        self.var_to_user(var, why, Some(inst.span));
                    }
                }
                if role.fault && speculates(&inst.op) {
                    self.speculations_to_user("an `ERROR` clause speculates", Some(inst.span));
                }
                if let (true, Op::Record { site, .. }) = (role.fault, &inst.op) {
                    self.control_to_user(*site, &("it stands in an `ERROR` clause".to_owned(), inst.span));
                }
            }
        }
    }

    /// Moves the effects of a clause that cannot be in K.
    fn move_effects(&mut self, flow: &Flow<'_>, sides: &Sides) {
        let known = Known { program: self.cx.program, flow, sides, decisions: &self.decisions };
        let found: Vec<(&Inst, Because)> = flow
            .insts()
            .filter_map(|(at, inst)| {
                let because = match &inst.op {
                    Op::GetElem { .. } => known.user_operand(inst).and_then(|_| known.effect(at, inst)),
                    Op::SetVar { .. } | Op::SetElem { .. } | Op::Aggregate { .. } => known.effect(at, inst),
                    // Whether an exit happens is decided by its place and its status; a cut's values are only recorded.
                    Op::Record { site, .. } if self.is_exit(*site) => known.effect(at, inst),
                    Op::Record { .. } => self.cut_blocked(&known, at),
                    op if speculates(op) => known.effect(at, inst),
                    _ => None,
                };
                because.map(|because| (inst, because))
            })
            .collect();
        for (inst, because) in &found {
            self.effect_to_user(inst, because);
        }
    }

    /// Why a cut at a place cannot be in K. What is recorded for a speculation happens when that is committed.
    fn cut_blocked(&self, known: &Known<'_>, at: At) -> Option<Because> {
        let speculate = |inst: &Inst| match inst.op {
            Op::Record { site, .. } => self.cx.program.sites[site.index()].action == Action::Speculate,
            _ => false,
        };
        let before = |place: At| (place.block, place.index) < (at.block, at.index);
        let mut speculated = known.flow.insts().filter(|(place, inst)| before(*place) && speculate(inst));
        known.sides.blocker(at).map(|blocker| known.blocked(blocker)).or_else(|| {
            let (_, inst) = speculated.next()?;
            Some(("it is recorded for a speculation".to_owned(), inst.span))
        })
    }

    /// Moves the scratch memory of a clause to U if an op on it cannot be in K, or if K would not know whether it runs.
    fn move_scratch(&mut self, flow: &Flow<'_>, id: ClauseId, sides: &Sides) {
        if self.decisions.scratch[id.index()] == Side::User || fills_at_event(flow) {
            return;
        }
        let known = Known { program: self.cx.program, flow, sides, decisions: &self.decisions };
        let because = flow.insts().filter(|(_, inst)| touches_scratch(&inst.op)).find_map(|(at, inst)| {
            let undecided = matches!(sides.blocker(at), Some(Blocker::Under(_)));
            match (sides.inst(at), undecided && changes_scratch(&inst.op)) {
                (Side::User, _) => Some(known.why_user(at, inst)),
                (Side::Kernel, true) => known.effect(at, inst),
                _ => None,
            }
        });
        if let Some((why, span)) = because {
            self.decisions.scratch[id.index()] = Side::User;
            let text = format!("its scratch memory lives in user space: {why}");
            self.reasons.push(Reason { subject: Subject::Clause(id), text, span: Some(span) });
            self.moved.push(Subject::Clause(id));
        }
    }

    /// The clauses that mention what has moved since the last call.
    fn moved(&mut self) -> Vec<ClauseId> {
        let mut out = Vec::new();
        for subject in self.moved.drain(..) {
            match subject {
                Subject::Var(var) => out.extend(&self.mentions[var.index()]),
                Subject::AggSite(site) => out.push(self.cx.program.agg_sites[site.index()].clause),
                Subject::Clause(clause) => out.push(clause),
                Subject::Speculations => out.extend(&self.speculating),
                Subject::Probe(_) | Subject::Program => {}
            }
        }
        out
    }

    fn is_exit(&self, site: SiteId) -> bool {
        self.cx.program.sites[site.index()].action == Action::Exit
    }

    fn effect_to_user(&mut self, inst: &Inst, because: &Because) {
        let (why, span) = because;
        match &inst.op {
            Op::GetElem { var, .. } => self.var_to_user(*var, &format!("of a read: {why}"), Some(*span)),
            Op::SetVar { var, .. } | Op::SetElem { var, .. } => {
                self.var_to_user(*var, &format!("of a write: {why}"), Some(*span));
            }
            Op::Aggregate { site, .. } => self.site_to_user(*site, why, Some(*span)),
            Op::Record { site, .. } => self.control_to_user(*site, because),
            op if speculates(op) => {
                let text = format!("{} is decided there: {why}", described(op));
                self.speculations_to_user(&text, Some(*span));
            }
            _ => {}
        }
    }

    /// An `exit` or a cut that K cannot carry out.
    fn control_to_user(&mut self, site: SiteId, (why, span): &Because) {
        let site = &self.cx.program.sites[site.index()];
        if site.action == Action::Exit && !self.relaxed_exit && !self.decisions.exit_in_user {
            self.decisions.exit_in_user = true;
            self.reasons.push(Reason {
                subject: Subject::Program,
                text: format!(
                    "`exit` is decided in user space, so what shows behind it is kept there: {why}"
                ),
                span: Some(*span),
            });
            self.shown_at_the_end_to_user("`exit` is decided in user space", site.span);
        }
        if site.action.row().cut {
            for agg in named(&site.detail) {
                let name = site.action.row().name;
                self.agg_to_user(
                    *agg,
                    &(format!("`{name}` of it is decided in user space: {why}"), Some(*span)),
                );
            }
        }
    }

    /// Rule 8: moves what the events behind an `exit` may not change: aggregations, speculations, and variables that clauses
    /// of the tracer's own probes use, of which `END` runs after it.
    fn shown_at_the_end_to_user(&mut self, why: &str, span: Span) {
        let cx = self.cx;
        for var in used_by_tracer(cx.program, cx.roles) {
            self.var_to_user(var, why, Some(span));
        }
        for i in 0..cx.program.agg_sites.len() {
            self.site_to_user(AggSiteId(i as u32), why, Some(span));
        }
        // How often one failed shows, too.
        self.speculations_to_user(why, Some(span));
    }

    fn all_to_user(&mut self, why: &str, span: Option<Span>) {
        for i in 0..self.cx.program.vars.len() {
            self.var_to_user(VarId(i as u32), why, span);
        }
        for i in 0..self.cx.program.agg_sites.len() {
            self.site_to_user(AggSiteId(i as u32), why, span);
        }
        self.speculations_to_user(why, span);
    }

    /// Rule 17: all of them or none, since they share the numbers.
    fn speculations_to_user(&mut self, why: &str, span: Option<Span>) {
        let side = &mut self.decisions.speculations;
        if std::mem::replace(side, Side::User) == Side::Kernel {
            self.reasons.push(Reason { subject: Subject::Speculations, text: why.to_owned(), span });
            self.moved.push(Subject::Speculations);
        }
    }

    fn var_to_user(&mut self, var: VarId, why: &str, span: Option<Span>) {
        let side = &mut self.decisions.vars[var.index()];
        if std::mem::replace(side, Side::User) == Side::Kernel {
            self.reasons.push(Reason { subject: Subject::Var(var), text: why.to_owned(), span });
            self.moved.push(Subject::Var(var));
        }
    }

    /// Rule 14: a store in K ends its clause if it finds no room, whatever this plan allows.
    fn keep_lossy_in_user(&mut self) {
        for (i, var) in self.cx.program.vars.iter().enumerate() {
            if var.lossy {
                self.var_to_user(VarId(i as u32), "its values are computed there by other plans", None);
            }
        }
    }

    fn site_to_user(&mut self, site: AggSiteId, why: &str, span: Option<Span>) {
        let side = &mut self.decisions.agg_sites[site.index()];
        if std::mem::replace(side, Side::User) == Side::Kernel {
            self.reasons.push(Reason { subject: Subject::AggSite(site), text: why.to_owned(), span });
            self.moved.push(Subject::AggSite(site));
        }
    }

    fn agg_to_user(&mut self, agg: AggId, (why, span): &(String, Option<Span>)) {
        for i in 0..self.sites[agg.index()].len() {
            self.site_to_user(self.sites[agg.index()][i], why, *span);
        }
    }

    /// How many tables the arrays and aggregations in K take, each with one of its own.
    fn tables_at_most(&self) -> usize {
        let vars = self.cx.program.vars.iter().zip(&self.decisions.vars);
        let arrays = vars.filter(|(var, side)| var.keys.is_some() && **side == Side::Kernel).count();
        arrays + self.decisions.agg_sites.iter().filter(|side| **side == Side::Kernel).count()
    }

    /// Moves the arrays and aggregations to U that the kernel part has no more tables for.
    fn fit_tables(&mut self, caps: Capabilities, layouts: &[Vec<KeyPart>]) {
        let program = self.cx.program;
        let why =
            format!("the kernel part has room for {} arrays and aggregations with keys", caps.max_tables);
        let mut taken = 0;
        for (i, var) in program.vars.iter().enumerate() {
            if var.keys.is_some() && self.decisions.vars[i] == Side::Kernel {
                taken += 1;
                if taken > caps.max_tables {
                    self.var_to_user(VarId(i as u32), &why, None);
                }
            }
        }
        // Those without keys share tables by the size of their values, which only `lquantize` and its kin have many of.
        let mut tables: HashSet<(Option<AggId>, Option<Shape>, &[KeyPart])> = HashSet::new();
        for (i, site) in program.agg_sites.iter().enumerate() {
            let agg = &program.aggs[site.agg.index()];
            let key = layouts.get(i).map_or(&[][..], Vec::as_slice);
            let shape = matches!(agg.func, AggFn::Lquantize | AggFn::Llquantize).then_some(agg.shape);
            if self.decisions.agg_sites[i] == Side::User || (key.is_empty() && shape.is_none()) {
                continue;
            }
            let table = (Some(site.agg).filter(|_| !key.is_empty()), shape, key);
            if !tables.contains(&table) && taken + tables.len() as u32 >= caps.max_tables {
                self.site_to_user(AggSiteId(i as u32), &why, Some(site.span));
            } else {
                tables.insert(table);
            }
        }
    }

    /// Whether a site has aggregations in K to cut.
    fn has_kernel_sites(&self, aggs: &[AggId]) -> bool {
        let mut sites = aggs.iter().flat_map(|agg| &self.sites[agg.index()]);
        sites.any(|site| self.decisions.agg_sites[site.index()] == Side::Kernel)
    }

    /// Whether K carries out the control effect of an action.
    fn control(&self, sides: &[Option<Sides>], id: SiteId) -> bool {
        let site = &self.cx.program.sites[id.index()];
        let (Some(flow), Some(sides)) = (&self.cx.flows[site.clause.index()], &sides[site.clause.index()])
        else {
            return false;
        };
        if self.decisions.pinned_only {
            return false;
        }
        let known = Known { program: self.cx.program, flow, sides, decisions: &self.decisions };
        // A site stands for one statement; code that stands for it twice must be decided in K each time.
        let mut all =
            flow.insts().filter(|(_, inst)| matches!(inst.op, Op::Record { site, .. } if site == id));
        match site.action {
            Action::Exit => {
                !self.decisions.exit_in_user && all.all(|(at, inst)| known.effect(at, inst).is_none())
            }
            action if action.row().cut => {
                self.has_kernel_sites(named(&site.detail))
                    && all.all(|(at, _)| self.cut_blocked(&known, at).is_none())
            }
            _ => false,
        }
    }

    fn cuts(&self, controls: &[bool]) -> Cuts {
        let mut cuts = Cuts::default();
        for (site, control) in self.cx.program.sites.iter().zip(controls) {
            let cut = site.action.row().cut && self.has_kernel_sites(named(&site.detail));
            cuts.kernel |= cut && *control;
            cuts.tracer |= cut && self.cx.roles.clause(site.clause).timer;
        }
        cuts
    }
}

/// Where the scratch memory of a clause is before anything is known.
fn scratch_at_first(flow: Option<&Flow<'_>>, caps: Capabilities, options: &PlanOptions) -> Side {
    let at_event =
        |flow: &Flow<'_>| fills_at_event(flow) || caps.writes_user == Some(true) && flow.writes_process;
    match flow {
        Some(flow) if options.placement == Placement::User && !at_event(flow) => Side::User,
        _ => Side::Kernel,
    }
}

/// Whether a clause has `copyin` in one op, which allocates where it reads: its scratch memory is at the event.
fn fills_at_event(flow: &Flow<'_>) -> bool {
    flow.insts().any(|(_, inst)| matches!(inst.op, Op::Call { func: Func::Copyin, .. }))
}

/// The variables that clauses of the tracer's own probes use.
pub(super) fn used_by_tracer(program: &Program, roles: &Roles) -> HashSet<VarId> {
    let clauses = program.clauses.iter().enumerate();
    let of_tracer = clauses.filter(|(i, _)| roles.clause(ClauseId(*i as u32)).tracer);
    let insts = of_tracer.flat_map(|(_, clause)| &clause.blocks).flat_map(|block| &block.insts);
    insts.filter_map(|inst| inst.op.var()).collect()
}

/// The aggregations an action names.
pub(super) fn named(detail: &Detail) -> &[AggId] {
    match detail {
        Detail::Printa { aggs, .. } => aggs,
        Detail::Agg(agg) => std::slice::from_ref(agg),
        Detail::None | Detail::Format(_) | Detail::Option { .. } | Detail::Shape(_) => &[],
    }
}

/// Why K cannot keep an aggregation at all.
fn too_large(agg: &Aggregation, caps: Capabilities) -> Option<String> {
    let buckets = match agg.func {
        AggFn::Quantize | AggFn::Lquantize | AggFn::Llquantize => agg.shape.buckets(),
        AggFn::Count | AggFn::Sum | AggFn::Min | AggFn::Max | AggFn::Avg | AggFn::Stddev => 0,
        AggFn::Percentile | AggFn::Distinct | AggFn::Topk => 0,
    };
    match () {
        () if !agg.func.row().kernel => Some(format!("`{}` is kept in user space only", agg.func.row().name)),
        () if buckets > caps.max_buckets => Some(format!(
            "its {buckets} buckets are more than the {} that fit in the kernel",
            caps.max_buckets
        )),
        () => None,
    }
}

/// The errors of `placement=kernel`: whatever the rules put in U although a traced probe uses it. Where a rule knows no
/// place, it is that of the first use.
pub(super) fn kernel_only(cx: &Analysed<'_>, settled: &Settled) -> super::PlanError {
    let use_of = |var| {
        let mut insts = cx.flows.iter().flatten().flat_map(Flow::insts);
        insts.find(|(_, inst)| inst.op.var() == Some(var)).map(|(_, inst)| inst.span)
    };
    let errors = settled.reasons.iter().filter_map(|reason| {
        let (what, span) = match reason.subject {
            Subject::Var(var) => {
                let first = use_of(var)?;
                (
                    format!("{} lives in user space because ", var_name(cx.program, var)),
                    Some(reason.span.unwrap_or(first)),
                )
            }
            Subject::AggSite(site) => {
                let site = &cx.program.agg_sites[site.index()];
                let agg = &cx.program.aggs[site.agg.index()];
                let what = format!("`{}` is updated in user space because ", agg_name(&agg.name));
                (what, Some(reason.span.unwrap_or(site.span)))
            }
            Subject::Speculations => {
                ("which speculations are in use is kept in user space because ".to_owned(), reason.span)
            }
            Subject::Clause(_) | Subject::Probe(_) | Subject::Program => (String::new(), reason.span),
        };
        Some(super::refusal(span, format!("placement=kernel: {what}{}", reason.text)))
    });
    errors.collect()
}
