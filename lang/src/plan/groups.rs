//! Rule 7: the groups of clauses that probes run, the record of each group, and the packed keys of rule 5. The split
//! clauses in, layouts out.

use super::homes::Settled;
use super::layout::{AskedStack, Shared, thread_end};
use super::roles::Roles;
use super::{
    AggPlacement, ClauseLayout, Group, GroupId, GroupLayout, Home, KeyPart, PlanError, Side, refusal,
};
use crate::builtins::{BuiltinVar, Func};
use crate::ir::definitions::Definitions;
use crate::ir::facts::is_pinned;
use crate::ir::{AggSiteId, Clause, ClauseId, Op, Program, Reg, Scope, ValueType};

/// The groups, and the group of each probe.
pub(super) type Grouped = (Vec<Group>, Vec<Option<GroupId>>);

/// Groups the probes that the traced system fires by the sequence of clauses they run.
pub(super) fn groups(
    program: &Program,
    roles: &Roles,
    layouts: &[ClauseLayout],
    user: &[Option<Clause>],
) -> Result<Grouped, PlanError> {
    let of_errors = asked_by_errors(program, roles);
    let mut groups: Vec<Group> = Vec::new();
    let mut of_probe = vec![None; program.probes.len()];
    let mut known: std::collections::HashMap<&[ClauseId], GroupId> = std::collections::HashMap::new();
    for (probe, clauses) in roles.source_probes(program) {
        if clauses.is_empty() {
            continue;
        }
        let id = match known.get(clauses) {
            Some(id) => *id,
            None => {
                let free = u16::try_from(groups.len()).ok().filter(|&id| id != thread_end::GROUP);
                let Some(id) = free else {
                    return Err(vec![refusal(None, "more than 65535 sequences of clauses".to_owned())]);
                };
                let shared = shared(program, clauses, layouts, user, &of_errors);
                let areas = clauses.iter().map(|clause| &layouts[clause.index()]);
                let layout = GroupLayout::new(areas, &shared);
                groups.push(Group { clauses: clauses.to_vec(), layout });
                known.insert(clauses, GroupId(id));
                GroupId(id)
            }
        };
        of_probe[probe.index()] = Some(id);
    }
    Ok((groups, of_probe))
}

/// Rule 10: the built-ins and stacks that `ERROR` clauses ask of the event. Their `arg1`…`arg5` are the fault's.
fn asked_by_errors(program: &Program, roles: &Roles) -> Vec<Shared> {
    let mut asked = Vec::new();
    for (i, clause) in program.clauses.iter().enumerate() {
        if !roles.clause(ClauseId(i as u32)).fault {
            continue;
        }
        let definitions = Definitions::new(clause);
        for inst in clause.blocks.iter().flat_map(|b| &b.insts) {
            match &inst.op {
                Op::Builtin { var: BuiltinVar::Uregs, index, .. } => asked.push(Shared::Register(*index)),
                Op::Builtin { var, .. } if is_pinned(&inst.op) && *var != BuiltinVar::Arg => {
                    asked.push(Shared::Builtin(*var));
                }
                Op::Call { func: func @ (Func::Stack | Func::Ustack), args, .. } => {
                    let size = |reg: Option<&Reg>| match definitions.only(*reg?)?.op {
                        Op::Const { value, .. } => u32::try_from(value).ok(),
                        _ => None,
                    };
                    if let Some(frames) = size(args.first()) {
                        let user = *func == Func::Ustack;
                        let strsize = if user { size(args.get(1)).unwrap_or(0) } else { 0 };
                        asked.push(Shared::Stack(AskedStack { user, frames, strsize }));
                    }
                }
                // Whose progeny a process is, its parent says.
                Op::Call { func: Func::Progenyof, .. } => asked.push(Shared::Builtin(BuiltinVar::Ppid)),
                op if uses_threads(program, op) => asked.push(Shared::Builtin(BuiltinVar::TaskStart)),
                _ => {}
            }
        }
    }
    asked
}

/// Whether user code with this op must know which thread fired.
fn uses_threads(program: &Program, op: &Op) -> bool {
    match op {
        Op::GetVar { var, .. }
        | Op::SetVar { var, .. }
        | Op::GetElem { var, .. }
        | Op::SetElem { var, .. } => program.vars[var.index()].scope == Scope::ThreadLocal,
        _ => false,
    }
}

/// What every record of a group carries for all its clauses.
fn shared(
    program: &Program,
    clauses: &[ClauseId],
    layouts: &[ClauseLayout],
    user: &[Option<Clause>],
    of_errors: &[Shared],
) -> Vec<Shared> {
    let user_ops = || {
        let code = clauses.iter().filter_map(|clause| user[clause.index()].as_ref());
        code.flat_map(|clause| &clause.blocks).flat_map(|block| &block.insts).map(|inst| &inst.op)
    };
    let faults = clauses.iter().any(|c| layouts[c.index()].fault.is_some()) || user_ops().any(Op::may_fault);
    let mut shared: Vec<Shared> = if faults { of_errors.to_vec() } else { Vec::new() };
    if user_ops().any(|op| uses_threads(program, op)) {
        shared.push(Shared::Builtin(BuiltinVar::TaskStart));
    }
    shared.sort_unstable();
    shared.dedup();
    shared
}

/// By variable: its home.
pub(super) fn homes(program: &Program, settled: &Settled) -> Vec<Home> {
    let sides = &settled.decisions.vars;
    program
        .vars
        .iter()
        .zip(sides)
        .map(|(var, &side)| {
            let types = var.keys.as_deref().filter(|_| side == Side::Kernel).unwrap_or(&[]);
            Home { side, key: types.iter().map(|&ty| KeyPart::of(ty)).collect() }
        })
        .collect()
}

/// By aggregation site: where it updates, with the key as its code builds it. All sites of an aggregation in K have one
/// layout, the plain one if their code differs: then equal keys are one entry, and the entries can be bounded together.
pub(super) fn placements(program: &Program, settled: &Settled) -> Vec<AggPlacement> {
    let sides = &settled.decisions.agg_sites;
    let in_kernel = |i: &usize| sides[*i] == Side::Kernel;
    let layouts = if sides.contains(&Side::Kernel) { key_layouts(program) } else { Vec::new() };
    // By aggregation: its first site in the kernel, and whether all of them there build the same key.
    let mut alike: Vec<Option<(usize, bool)>> = vec![None; program.aggs.len()];
    for i in (0..sides.len()).filter(in_kernel) {
        let of = &mut alike[program.agg_sites[i].agg.index()];
        let (first, same) = of.unwrap_or((i, true));
        *of = Some((first, same && layouts[first] == layouts[i]));
    }
    let placed = (0..sides.len()).map(|i| {
        let agg = program.agg_sites[i].agg;
        let key = match () {
            () if !in_kernel(&i) => Vec::new(),
            () if alike[agg.index()].is_some_and(|(_, same)| same) => layouts[i].clone(),
            () => program.aggs[agg.index()].keys.iter().map(|&ty| KeyPart::of(ty)).collect(),
        };
        AggPlacement { side: sides[i], key }
    });
    placed.collect()
}

/// By aggregation site: the packed key that its code builds if it is in K.
pub(super) fn key_layouts(program: &Program) -> Vec<Vec<KeyPart>> {
    let mut out: Vec<Option<Vec<KeyPart>>> = vec![None; program.agg_sites.len()];
    for clause in &program.clauses {
        let definitions = Definitions::new(clause);
        for inst in clause.blocks.iter().flat_map(|b| &b.insts) {
            let Op::Aggregate { site: AggSiteId(i), keys, .. } = &inst.op else { continue };
            let types = &program.aggs[program.agg_sites[*i as usize].agg.index()].keys;
            let parts = keys.iter().zip(types).map(|(&reg, &ty)| part(&definitions, reg, ty, program));
            let key: Vec<KeyPart> = parts.collect();
            // One site has one layout: where its code differs, the plain form serves both.
            let layout = &mut out[*i as usize];
            *layout = Some(match layout.take() {
                Some(before) if before != key => types.iter().map(|&ty| KeyPart::of(ty)).collect(),
                _ => key,
            });
        }
    }
    out.into_iter().map(Option::unwrap_or_default).collect()
}

/// Whether a string holds every value of a built-in name whole. A short string limit cuts a name, and then two names can
/// be one key.
fn whole(program: &Program, var: BuiltinVar) -> bool {
    let strsize = program.limits.strsize as usize;
    let mut probes = program.probes.iter();
    match var {
        BuiltinVar::Execname => strsize >= 15,
        BuiltinVar::Probeprov => probes.all(|p| p.provider.len() <= strsize),
        BuiltinVar::Probemod => probes.all(|p| p.module.len() <= strsize),
        BuiltinVar::Probefunc => probes.all(|p| p.function.len() <= strsize),
        BuiltinVar::Probename => probes.all(|p| p.name.len() <= strsize),
        _ => false,
    }
}

fn part(definitions: &Definitions<'_>, reg: Reg, ty: ValueType, program: &Program) -> KeyPart {
    match definitions.only(reg).map(|inst| &inst.op) {
        Some(&Op::Builtin { var, .. }) if whole(program, var) => match var {
            BuiltinVar::Execname => KeyPart::Execname,
            name => KeyPart::Probe(name),
        },
        _ => KeyPart::of(ty),
    }
}
