//! A tiny reference executor: runs a program over made-up events whole, or through the parts of a plan, and tells what
//! a user would see. Machine state (memory, built-ins) is a function of the event, so both ways see the same machine.

use std::collections::BTreeMap;

use super::*;
use crate::builtins::{Action, BuiltinVar, Func};
use crate::env::{FiredBy, ProbeId};
use crate::ir::{
    AddrSpace, AggId, BinOp, BlockId, Clause, CmpOp, Detail, Op, Reg, RegKind, Scope, SiteId, Terminator,
    UnOp,
};
use crate::plan::homes::used_by_tracer;
use crate::plan::roles::Roles;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum V {
    Int(i64),
    Str(Option<String>),
}

impl V {
    fn int(&self) -> i64 {
        match self {
            V::Int(v) => *v,
            V::Str(_) => panic!("the verifier lets no string through"),
        }
    }

    fn str(&self) -> Option<&str> {
        match self {
            V::Str(s) => s.as_deref(),
            V::Int(_) => panic!("the verifier lets no integer through"),
        }
    }

    fn is_zero(&self) -> bool {
        matches!(self, V::Int(0) | V::Str(None))
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub probe: usize,
    pub tid: i64,
    pub seed: i64,
}

/// What a user sees.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Seen {
    Record(u32, Vec<V>),
    Printed(String, Vec<(Vec<V>, Values)>),
    Fault { clause: u32, stmt: u32, value: i64 },
    Exit(i64),
}

/// Entries of each dynamic variable: few, so that stores drop.
const ROOM: usize = 2;

/// What an aggregation was given, with weights, in any order.
type Values = Vec<(i64, i64)>;
type Table = BTreeMap<(AggId, Vec<V>), Values>;

#[derive(Clone, Debug, Default)]
struct Store {
    /// By variable, identity (thread or 0) and keys.
    vars: BTreeMap<(VarId, i64, Vec<V>), V>,
    /// By generation.
    aggs: BTreeMap<u32, Table>,
}

impl Store {
    fn table(&mut self, generation: u32) -> &mut Table {
        self.aggs.entry(generation).or_default()
    }
}

/// How a clause ended.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Done,
    Fault { point: u32, value: i64 },
    Drop { point: u32 },
}

/// The area of one clause in a record.
#[derive(Clone, Debug, Default)]
struct Area {
    outcome: Option<End>,
    bits: u64,
    slots: BTreeMap<u32, V>,
    attempts: BTreeMap<u32, (u32, i64)>,
}

struct Record {
    group: usize,
    event: Event,
    generation: u32,
    areas: Vec<Area>,
}

enum Part<'a> {
    Whole,
    Kernel(&'a mut Area),
    User(&'a Area),
}

/// The run of one clause.
struct Run<'a, 'b> {
    program: &'a ir::Program,
    clause: &'a Clause,
    event: Event,
    part: Part<'b>,
    /// What is read and written here.
    store: &'b mut Store,
    /// K's state, for tracer-fired clauses: globals and arrays that live there.
    kernel: Option<(&'b mut Store, &'b [Home])>,
    generation: &'b mut u32,
    cut: &'b mut bool,
    exit: &'b mut Option<i64>,
    out: Vec<(SiteId, Vec<V>)>,
    regs: Vec<Option<V>>,
    fault: Option<(u32, [i64; 5])>,
}

fn mix(a: i64, b: i64) -> i64 {
    let x = (a.wrapping_mul(0x9e37_79b9) ^ b.wrapping_mul(0x85eb_ca6b)).wrapping_add(b >> 3);
    (x ^ (x >> 15)).rem_euclid(1000)
}

fn builtin(program: &ir::Program, event: Event, var: BuiltinVar, index: u32) -> V {
    let probe = &program.probes[event.probe];
    match var {
        BuiltinVar::Execname => V::Str(Some(format!("comm{}", event.seed % 3))),
        BuiltinVar::Probefunc => V::Str(Some(probe.function.to_string())),
        BuiltinVar::Tid => V::Int(event.tid),
        BuiltinVar::TaskStart => V::Int(event.tid + 1000),
        BuiltinVar::Timestamp => V::Int(event.seed),
        _ => V::Int(mix(event.seed, var as i64 * 16 + i64::from(index)) % 7),
    }
}

/// Reads of addresses divisible by 5 fault.
fn readable(addr: i64) -> Result<(), i64> {
    if addr % 5 == 0 { Err(addr) } else { Ok(()) }
}

impl Run<'_, '_> {
    fn get(&self, reg: Reg) -> V {
        self.regs[reg.index()].clone().unwrap_or_else(|| panic!("register {} unassigned", reg.0))
    }

    fn key(&self, var: VarId, keys: &[Reg]) -> (VarId, i64, Vec<V>) {
        let tid = if self.program.vars[var.index()].scope == Scope::ThreadLocal { self.event.tid } else { 0 };
        (var, tid, keys.iter().map(|&reg| self.get(reg)).collect())
    }

    fn store_of(&mut self, var: VarId) -> &mut Store {
        match &mut self.kernel {
            Some((kernel, homes)) if homes[var.index()].side == Side::Kernel => kernel,
            _ => self.store,
        }
    }

    fn load(&mut self, var: VarId, keys: &[Reg]) -> V {
        let key = self.key(var, keys);
        let variable = &self.program.vars[var.index()];
        let dynamic = variable.is_dynamic();
        let empty = match variable.ty.reg_kind() {
            RegKind::Int => V::Int(0),
            RegKind::Str if dynamic => V::Str(None),
            RegKind::Str => V::Str(Some(String::new())),
        };
        self.store_of(var).vars.get(&key).cloned().unwrap_or(empty)
    }

    /// False: no room, and the clause ends.
    fn save(&mut self, var: VarId, keys: &[Reg], value: V) -> bool {
        let key = self.key(var, keys);
        let dynamic = self.program.vars[var.index()].is_dynamic();
        let lossy = self.program.vars[var.index()].lossy;
        let vars = &mut self.store_of(var).vars;
        if dynamic && value.is_zero() {
            vars.remove(&key);
            return true;
        }
        if dynamic && !vars.contains_key(&key) && vars.keys().filter(|(v, _, _)| *v == var).count() >= ROOM {
            return lossy;
        }
        vars.insert(key, value);
        true
    }

    fn run(&mut self) -> End {
        self.blocks(BlockId(0), None).unwrap_or(End::Done)
    }

    /// Runs up to a block, or to the end of the clause.
    fn blocks(&mut self, from: BlockId, stop: Option<BlockId>) -> Option<End> {
        let mut here = from;
        while Some(here) != stop {
            let block = &self.clause.blocks[here.index()];
            for inst in &block.insts {
                if let Err(end) = self.inst(inst) {
                    return Some(end);
                }
            }
            here = match block.end {
                Terminator::Goto(to) => to,
                Terminator::Return => return Some(End::Done),
                Terminator::Branch { cond, then, otherwise, .. } => {
                    if self.get(cond).int() != 0 {
                        then
                    } else {
                        otherwise
                    }
                }
                Terminator::Attempt { body, slot, merge } => {
                    let before = self.regs.clone();
                    if let Some(End::Fault { point, value }) = self.blocks(body, Some(merge)) {
                        let Part::Kernel(area) = &mut self.part else { panic!("an attempt outside of K") };
                        area.attempts.insert(slot.0, (point, value));
                    }
                    self.regs = before;
                    merge
                }
            };
        }
        None
    }

    fn inst(&mut self, inst: &ir::Inst) -> Result<(), End> {
        let fault = |value: i64| End::Fault { point: inst.point, value };
        let value = match &inst.op {
            Op::Const { value, .. } => V::Int(*value),
            Op::Str { value, .. } => {
                V::Str(Some(String::from_utf8(self.program.strings[value.index()].to_vec()).unwrap()))
            }
            Op::Null { .. } => V::Str(None),
            Op::Move { src, .. } => self.get(*src),
            Op::Binary { op, lhs, rhs, .. } => {
                let (a, b) = (self.get(*lhs).int(), self.get(*rhs).int());
                V::Int(match op {
                    BinOp::Add => a.wrapping_add(b),
                    BinOp::Sub => a.wrapping_sub(b),
                    BinOp::And => a & b,
                    BinOp::ShrU => (a as u64 >> (b & 63)) as i64,
                    BinOp::DivS if b == 0 => return Err(fault(-1)),
                    BinOp::DivS => a.wrapping_div(b),
                    _ => panic!("not generated"),
                })
            }
            Op::Unary { op: UnOp::Neg, src, .. } => V::Int(self.get(*src).int().wrapping_neg()),
            Op::Unary { op: UnOp::Not, src, .. } => V::Int(!self.get(*src).int()),
            Op::Compare { op, lhs, rhs, .. } => {
                let (a, b) = (self.get(*lhs).int(), self.get(*rhs).int());
                V::Int(i64::from(match op {
                    CmpOp::Eq => a == b,
                    CmpOp::Ne => a != b,
                    CmpOp::LtS => a < b,
                    _ => panic!("not generated"),
                }))
            }
            Op::StrCompare { lhs, rhs, .. } => V::Int(i64::from(self.get(*lhs) == self.get(*rhs))),
            Op::Builtin { var, index, .. } => self.builtin(*var, *index),
            Op::Load { addr, space: AddrSpace::ByAddress, .. } => {
                let addr = self.get(*addr).int();
                readable(addr).map_err(fault)?;
                V::Int(mix(addr, self.event.seed) % 11)
            }
            Op::GetVar { var, .. } => self.load(*var, &[]),
            Op::GetElem { var, keys, .. } => self.load(*var, keys),
            Op::SetVar { var, src } | Op::SetElem { var, src, .. } => {
                let keys: &[Reg] = if let Op::SetElem { keys, .. } = &inst.op { keys } else { &[] };
                let value = self.get(*src);
                return match self.save(*var, keys, value) {
                    true => Ok(()),
                    false => Err(End::Drop { point: inst.point }),
                };
            }
            Op::Aggregate { site, keys, value, .. } => {
                let agg = self.program.agg_sites[site.index()].agg;
                let keys = keys.iter().map(|&reg| self.get(reg)).collect();
                let value = value.map_or(1, |reg| self.get(reg).int());
                let generation = match self.part {
                    Part::Kernel(_) => *self.generation,
                    _ => 0,
                };
                let values = self.store.table(generation).entry((agg, keys)).or_default();
                values.push((value, 1));
                values.sort_unstable();
                return Ok(());
            }
            Op::Call { func, args, .. } => {
                let args: Vec<V> = args.iter().map(|&reg| self.get(reg)).collect();
                match func {
                    Func::Copyinstr => {
                        readable(args[0].int()).map_err(fault)?;
                        V::Str(Some(format!("path{}", args[0].int() % 3)))
                    }
                    Func::Strlen => V::Int(args[0].str().ok_or(fault(0))?.len() as i64),
                    Func::Strjoin => {
                        let (a, b) = (args[0].str().ok_or(fault(0))?, args[1].str().ok_or(fault(0))?);
                        V::Str(Some(format!("{a}{b}").chars().take(40).collect()))
                    }
                    Func::Index => {
                        let (a, b) = (args[0].str().ok_or(fault(0))?, args[1].str().ok_or(fault(0))?);
                        V::Int(a.find(b).map_or(-1, |at| at as i64))
                    }
                    _ => panic!("not generated"),
                }
            }
            Op::Record { site, args } => {
                let args: Vec<V> = args.iter().map(|&reg| self.get(reg)).collect();
                if self.program.sites[site.index()].action == Action::Exit {
                    *self.exit = Some(args[0].int());
                }
                self.out.push((*site, args));
                return Ok(());
            }
            _ => return self.planner_op(inst),
        };
        self.regs[inst.op.dst().unwrap().index()] = Some(value);
        Ok(())
    }

    fn builtin(&self, var: BuiltinVar, index: u32) -> V {
        match (var, self.fault) {
            (BuiltinVar::Arg, Some((_, args))) => V::Int(args.get(index as usize).copied().unwrap_or(0)),
            _ => builtin(self.program, self.event, var, index),
        }
    }

    fn planner_op(&mut self, inst: &ir::Inst) -> Result<(), End> {
        match (&inst.op, &mut self.part) {
            (Op::Work, Part::Kernel(area)) => area.outcome = Some(End::Done),
            (Op::Send { slot, src }, Part::Kernel(area)) => {
                area.slots.insert(slot.0, self.regs[src.index()].clone().unwrap());
            }
            (Op::SetBit { bit }, Part::Kernel(area)) => area.bits |= 1 << bit,
            (Op::Control { status: Some(status) }, Part::Kernel(_)) => {
                *self.exit = Some(self.regs[status.index()].as_ref().unwrap().int());
            }
            (Op::Control { status: None }, Part::Kernel(_)) => {
                *self.cut = true;
            }
            (Op::Recv { dst, slot }, Part::User(area)) => {
                let value = area.slots.get(&slot.0);
                let value = value.unwrap_or_else(|| panic!("slot {} was not sent", slot.0)).clone();
                self.regs[dst.index()] = Some(value);
            }
            (Op::Bit { dst, bit }, Part::User(area)) => {
                self.regs[dst.index()] = Some(V::Int((area.bits >> bit & 1) as i64));
            }
            (Op::FaultPoint { attempt: None }, Part::User(area)) => match area.outcome {
                Some(end @ (End::Fault { point, .. } | End::Drop { point })) if point == inst.point => {
                    return Err(end);
                }
                _ => {}
            },
            (Op::FaultPoint { attempt: Some(slot) }, Part::User(area)) => match area.attempts.get(&slot.0) {
                Some(&(point, value)) if point == inst.point => return Err(End::Fault { point, value }),
                _ => {}
            },
            _ => panic!("an op in the wrong part"),
        }
        Ok(())
    }
}

/// What a firing has to show when it ends.
enum Item {
    Action(SiteId, Vec<V>),
    Seen(Seen),
}

/// A session: everything that lives longer than a firing.
struct Session<'a> {
    program: &'a ir::Program,
    plan: Option<&'a Plan>,
    user: Store,
    kernel: Store,
    generation: u32,
    seen: Vec<Seen>,
    /// Of the firing under way.
    items: Vec<Item>,
    /// Set by an `exit` that the consumer has come to.
    exited: bool,
    /// Set by an `exit` in K.
    gate_shut: bool,
    pending: Vec<Record>,
}

/// What is left at the end; of variables, after an `exit`, those that something can still show.
#[derive(Debug, PartialEq)]
pub(super) struct Outcome {
    pub seen: Vec<Seen>,
    vars: BTreeMap<(VarId, i64, Vec<V>), V>,
    aggs: Table,
}

/// Runs a program whole, in user space, or by its plan. With `lag`, records are consumed only when they must be.
pub(super) fn execute(program: &ir::Program, plan: Option<&Plan>, events: &[Event], lag: bool) -> Outcome {
    let mut session = Session {
        program,
        plan,
        user: Store::default(),
        kernel: Store::default(),
        generation: 0,
        seen: Vec::new(),
        items: Vec::new(),
        exited: false,
        gate_shut: false,
        pending: Vec::new(),
    };
    for &event in events {
        session.event(event);
        if !lag {
            session.drain();
        }
    }
    session.drain();
    session.finish()
}

impl Session<'_> {
    fn event(&mut self, event: Event) {
        let source = self.program.probes[event.probe].fired_by == FiredBy::Source;
        match self.plan {
            Some(plan) if source => self.kernel_event(plan, event),
            _ => {
                self.drain();
                if !self.exited {
                    self.live(event);
                }
            }
        }
    }

    fn clauses(&self, probe: usize) -> Vec<ClauseId> {
        let enablings = self.program.enablings.iter();
        let of = enablings.filter(|e| e.probes.contains(&ProbeIndex(probe as u32)));
        of.map(|e| e.clause).collect()
    }

    /// Whole clauses at the moment of the event.
    fn live(&mut self, event: Event) {
        let mut this = Store::default();
        for id in self.clauses(event.probe) {
            if !self.exited {
                self.run_user(id, event, None, &mut this, None);
            }
        }
        self.gate_shut |= self.exited;
        self.end_firing(None);
    }

    /// One clause in user space: whole, or over an area of a record.
    fn run_user(
        &mut self,
        id: ClauseId,
        event: Event,
        area: Option<&Area>,
        this: &mut Store,
        fault: Option<(u32, [i64; 5])>,
    ) {
        let whole = &self.program.clauses[id.index()];
        let clause = match (area, self.plan) {
            (Some(_), Some(plan)) => plan.user[id.index()].as_ref(),
            _ => Some(whole),
        };
        let mut exit = None;
        let mut out = Vec::new();
        let mut end = area.and_then(|area| area.outcome).unwrap_or(End::Done);
        if let Some(clause) = clause {
            move_locals(self.program, this, &mut self.user);
            let mut run = Run {
                program: self.program,
                clause,
                event,
                part: area.map_or(Part::Whole, Part::User),
                store: &mut self.user,
                kernel: self.plan.filter(|_| area.is_none()).map(|plan| (&mut self.kernel, &plan.homes[..])),
                generation: &mut self.generation,
                cut: &mut false,
                exit: &mut exit,
                out: Vec::new(),
                regs: vec![None; clause.regs.len()],
                fault,
            };
            end = run.run();
            out = run.out;
            move_locals(self.program, &mut self.user, this);
        }
        match end {
            End::Done => self.items.extend(out.into_iter().map(|(site, args)| Item::Action(site, args))),
            End::Drop { .. } => {}
            End::Fault { .. } if fault.is_some() => {}
            End::Fault { point, value } => {
                let insts = whole.blocks.iter().flat_map(|b| &b.insts);
                let stmt = insts.clone().find(|inst| inst.point == point).map_or(99, |inst| inst.stmt);
                self.items.push(Item::Seen(Seen::Fault { clause: whole.number, stmt, value }));
                self.errors(event, stmt, value);
            }
        }
        if let Some(status) = exit {
            self.items.push(Item::Seen(Seen::Exit(status)));
            self.exited = true;
        }
    }

    fn errors(&mut self, event: Event, stmt: u32, value: i64) {
        let error = self.program.probes.iter().position(|probe| probe.id == ProbeId::ERROR);
        for id in error.map_or(Vec::new(), |error| self.clauses(error)) {
            if self.exited {
                return;
            }
            let fault = Some((0, [0, 0, i64::from(stmt), -1, value]));
            self.run_user(id, event, None, &mut Store::default(), fault);
        }
    }

    /// Shows what a firing recorded. A tracer-fired one cuts now; a record says up to which generation it cut.
    fn end_firing(&mut self, generation: Option<u32>) {
        let items = std::mem::take(&mut self.items);
        let cut = |item: &Item| match item {
            Item::Action(site, _) => self.program.sites[site.index()].action.row().cut,
            Item::Seen(_) => false,
        };
        if items.iter().any(cut) {
            self.generation += u32::from(generation.is_none());
            self.sweep(generation.unwrap_or(self.generation));
        }
        for item in items {
            match item {
                Item::Action(site, args) => self.act(site, args),
                Item::Seen(seen) => self.seen.push(seen),
            }
        }
    }

    fn act(&mut self, site: SiteId, args: Vec<V>) {
        let site_row = &self.program.sites[site.index()];
        let table = self.user.table(0);
        match (&site_row.detail, site_row.action) {
            (Detail::Printa { aggs, .. }, _) => {
                for agg in aggs {
                    let entries = table.iter().filter(|((a, _), _)| a == agg);
                    let entries = entries.map(|((_, keys), values)| (keys.clone(), values.clone())).collect();
                    self.seen.push(Seen::Printed(self.program.aggs[agg.index()].name.clone(), entries));
                }
            }
            (Detail::Agg(agg), Action::Clear) => {
                table.iter_mut().filter(|((a, _), _)| a == agg).for_each(|(_, values)| values.clear());
            }
            (Detail::Agg(agg), _) => table.retain(|(a, _), _| a != agg),
            _ => self.seen.push(Seen::Record(site.0, args)),
        }
    }

    /// Merges generations before one into the base.
    fn sweep(&mut self, upto: u32) {
        let later = self.kernel.aggs.split_off(&upto);
        for (_, table) in std::mem::replace(&mut self.kernel.aggs, later) {
            for (key, values) in table {
                let base = self.user.table(0).entry(key).or_default();
                base.extend(values);
                base.sort_unstable();
            }
        }
    }

    fn kernel_event(&mut self, plan: &Plan, event: Event) {
        let Some(GroupId(group)) = plan.probe_groups[event.probe] else { return };
        if self.gate_shut {
            return;
        }
        let mut this = Store::default();
        let mut cut = false;
        let mut areas = Vec::new();
        for &id in &plan.groups[group as usize].clauses {
            let mut area = Area::default();
            if let (Some(clause), false) = (&plan.kernel[id.index()], self.gate_shut) {
                let mut exit = None;
                move_locals(self.program, &mut this, &mut self.kernel);
                let mut run = Run {
                    program: self.program,
                    clause,
                    event,
                    part: Part::Kernel(&mut area),
                    store: &mut self.kernel,
                    kernel: None,
                    generation: &mut self.generation,
                    cut: &mut cut,
                    exit: &mut exit,
                    out: Vec::new(),
                    regs: vec![None; clause.regs.len()],
                    fault: None,
                };
                let end = run.run();
                move_locals(self.program, &mut self.kernel, &mut this);
                match end {
                    End::Done => {}
                    End::Drop { .. } if area.outcome.is_none() => {}
                    end => area.outcome = Some(end),
                }
                if let Some(End::Fault { .. }) = area.outcome {
                    assert!(plan.clause_layouts[id.index()].fault.is_some(), "a fault without fields for it");
                }
                self.gate_shut |= exit.is_some();
            }
            areas.push(area);
        }
        self.generation += u32::from(cut);
        if areas.iter().any(|area| area.outcome.is_some()) {
            let generation = self.generation;
            self.pending.push(Record { group: group as usize, event, generation, areas });
        }
    }

    fn drain(&mut self) {
        for record in std::mem::take(&mut self.pending) {
            let Some(plan) = self.plan else { return };
            let mut this = Store::default();
            for (&id, area) in plan.groups[record.group].clauses.iter().zip(&record.areas) {
                if self.exited || area.outcome.is_none() {
                    continue;
                }
                self.run_user(id, record.event, Some(area), &mut this, None);
            }
            self.end_firing(Some(record.generation));
        }
    }

    fn finish(mut self) -> Outcome {
        self.sweep(u32::MAX);
        let mut vars = self.user.vars;
        if let Some(plan) = self.plan {
            let at_home = |side: Side| {
                move |(key, _): &(&(VarId, i64, Vec<V>), &V)| plan.homes[key.0.index()].side == side
            };
            assert_eq!(vars.iter().filter(at_home(Side::Kernel)).count(), 0, "U stored what lives in K");
            assert_eq!(self.kernel.vars.iter().filter(at_home(Side::User)).count(), 0);
        }
        vars.extend(self.kernel.vars);
        vars.retain(|_, value| !value.is_zero() && *value != V::Str(Some(String::new())));
        if self.exited {
            // Nothing but `END` runs behind an `exit`.
            let shown = used_by_tracer(self.program, &Roles::new(self.program));
            vars.retain(|key, _| shown.contains(&key.0));
        }
        Outcome { seen: self.seen, vars, aggs: self.user.aggs.remove(&0).unwrap_or_default() }
    }
}

/// `this->` variables live for one firing: they are put into the store for a clause and taken out again.
fn move_locals(program: &ir::Program, from: &mut Store, to: &mut Store) {
    let local = |var: VarId| program.vars[var.index()].scope == Scope::ClauseLocal;
    let keys: Vec<_> = from.vars.keys().filter(|(var, _, _)| local(*var)).cloned().collect();
    for key in keys {
        if let Some(value) = from.vars.remove(&key) {
            to.vars.insert(key, value);
        }
    }
}
