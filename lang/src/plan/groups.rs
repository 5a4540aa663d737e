//! Rule 7: the groups of clauses that probes run, the record of each group, and the packed keys of rule 5. The split
//! clauses in, layouts out.

use super::homes::Settled;
use super::roles::Roles;
use super::{
    AggPlacement, ClauseLayout, Group, GroupId, GroupLayout, Home, KeyPart, PlanError, Side, refusal,
};
use crate::builtins::BuiltinVar;
use crate::ir::definitions::Definitions;
use crate::ir::verify::is_pinned;
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
    let error_vars = error_builtins(program, roles);
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
                let Ok(id) = u16::try_from(groups.len()) else {
                    return Err(vec![refusal(None, "more than 65536 sequences of clauses".to_owned())]);
                };
                let shared = shared(program, clauses, layouts, user, &error_vars);
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

/// Rule 10: the built-ins that `ERROR` clauses read of the event. Their `arg1`…`arg5` are the fault's.
fn error_builtins(program: &Program, roles: &Roles) -> Vec<BuiltinVar> {
    let mut vars = Vec::new();
    for (i, clause) in program.clauses.iter().enumerate() {
        if !roles.clause(ClauseId(i as u32)).fault {
            continue;
        }
        for inst in clause.blocks.iter().flat_map(|b| &b.insts) {
            match inst.op {
                Op::Builtin { var, .. } if is_pinned(&inst.op) && var != BuiltinVar::Arg => vars.push(var),
                _ if uses_threads(program, &inst.op) => vars.push(BuiltinVar::TaskStart),
                _ => {}
            }
        }
    }
    vars
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

/// The built-ins that every record of a group carries.
fn shared(
    program: &Program,
    clauses: &[ClauseId],
    layouts: &[ClauseLayout],
    user: &[Option<Clause>],
    error_vars: &[BuiltinVar],
) -> Vec<BuiltinVar> {
    let user_ops = || {
        let code = clauses.iter().filter_map(|clause| user[clause.index()].as_ref());
        code.flat_map(|clause| &clause.blocks).flat_map(|block| &block.insts).map(|inst| &inst.op)
    };
    let faults = clauses.iter().any(|c| layouts[c.index()].fault.is_some()) || user_ops().any(Op::may_fault);
    let mut vars: Vec<BuiltinVar> = if faults { error_vars.to_vec() } else { Vec::new() };
    if user_ops().any(|op| uses_threads(program, op)) {
        vars.push(BuiltinVar::TaskStart);
    }
    vars.sort_unstable();
    vars.dedup();
    vars
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

/// By aggregation site: where it updates, with the key as its code builds it.
pub(super) fn placements(program: &Program, settled: &Settled) -> Vec<AggPlacement> {
    let mut out: Vec<AggPlacement> =
        settled.decisions.agg_sites.iter().map(|&side| AggPlacement { side, key: Vec::new() }).collect();
    let mut seen = vec![false; out.len()];
    for clause in &program.clauses {
        let definitions = Definitions::new(clause);
        for inst in clause.blocks.iter().flat_map(|b| &b.insts) {
            let Op::Aggregate { site, keys, .. } = &inst.op else { continue };
            let AggSiteId(i) = *site;
            let placement = &mut out[i as usize];
            if placement.side == Side::User {
                continue;
            }
            let types = &program.aggs[program.agg_sites[i as usize].agg.index()].keys;
            let strsize = program.limits.strsize;
            let parts = keys.iter().zip(types).map(|(&reg, &ty)| part(&definitions, reg, ty, strsize));
            let key: Vec<KeyPart> = parts.collect();
            // One site has one layout: where its code differs, the plain form serves both.
            placement.key = match std::mem::replace(&mut seen[i as usize], true) {
                true if placement.key != key => types.iter().map(|&ty| KeyPart::of(ty)).collect(),
                _ => key,
            };
        }
    }
    out
}

fn part(definitions: &Definitions<'_>, reg: Reg, ty: ValueType, strsize: u32) -> KeyPart {
    match definitions.only(reg).map(|inst| &inst.op) {
        // A short string limit cuts the name, and then two names can be one key.
        Some(Op::Builtin { var: BuiltinVar::Execname, .. }) if strsize >= 15 => KeyPart::Execname,
        Some(Op::Builtin {
            var:
                var @ (BuiltinVar::Probeprov
                | BuiltinVar::Probemod
                | BuiltinVar::Probefunc
                | BuiltinVar::Probename),
            ..
        }) => KeyPart::Probe(*var),
        _ => KeyPart::of(ty),
    }
}
