//! Rule 14: which variables a full store loses values of without ending its clause. A program in, variables out; nothing
//! is decided about homes.
//!
//! A store that finds no room ends its clause (language spec §8.5), so that K, which cannot know how a store in U will
//! end, may do nothing behind one: `self->n = rindex(s, t); self->path = arg1;` could not be traced. Such a store
//! loses its value and counts it, and its clause goes on, on every engine and with every option.

use std::collections::BTreeSet;

use super::classify::{Sides, drops};
use super::flow::{At, Flow};
use super::homes::{Analysed, Room, Settled, settle};
use super::roles::Roles;
use super::rooms::reference;
use super::{PlanError, PlanOptions, Side, flows};
use crate::ir::facts::acts;
use crate::ir::{Clause, ClauseId, Inst, Op, Program, VarId};

/// What was found, and on the way.
#[derive(Default)]
pub(super) struct Found<'a> {
    pub vars: BTreeSet<VarId>,
    /// If there are no such variables, as in most programs, all this holds for the plan, and nothing is done twice.
    pub flows: Option<Vec<Option<Flow<'a>>>>,
    /// The homes of the plan that all engines have in common ([`super::rooms::reference`]).
    pub settled: Option<Settled>,
}

/// Finds them.
pub(super) fn lossy<'a>(
    program: &'a Program,
    roles: &Roles,
    options: &PlanOptions,
) -> Result<Found<'a>, PlanError> {
    let mut clauses = program.clauses.iter().enumerate();
    if !clauses.any(|(i, clause)| roles.clause(ClauseId(i as u32)).source && may_matter(program, clause)) {
        return Ok(Found::default());
    }
    let flows = flows(program, roles)?;
    let cx = Analysed { program, roles, flows: &flows };
    let (least, common) = reference(options);
    let settled = settle(&cx, least, &common, Room::Supposed);
    let mut vars = BTreeSet::new();
    for (flow, sides) in flows.iter().zip(&settled.sides) {
        if let (Some(flow), Some(sides)) = (flow, sides) {
            before_effects(program, flow, sides, &mut vars);
        }
    }
    if !vars.is_empty() {
        return Ok(Found { vars, ..Found::default() });
    }
    Ok(Found { vars, flows: Some(flows), settled: Some(settled) })
}

/// Whether a clause has an effect behind a store that may find no room.
fn may_matter(program: &Program, clause: &Clause) -> bool {
    let mut insts = clause.blocks.iter().flat_map(|block| &block.insts);
    insts.any(|inst| drops(program, &inst.op)) && insts.any(|inst| is_effect(&inst.op))
}

/// What K may not do for a clause that has ended.
fn is_effect(op: &Op) -> bool {
    matches!(op, Op::SetVar { .. } | Op::SetElem { .. } | Op::Aggregate { .. } | Op::Record { .. })
        || acts(op)
}

/// Adds the variables that a clause stores to in U ahead of an effect in K: one pass, as edges go forwards.
fn before_effects(program: &Program, flow: &Flow<'_>, sides: &Sides, found: &mut BTreeSet<VarId>) {
    let mut entry: Vec<BTreeSet<VarId>> = vec![BTreeSet::new(); flow.clause.blocks.len()];
    for block in flow.blocks() {
        let mut stored = std::mem::take(&mut entry[block.index()]);
        for (index, inst) in flow.clause.blocks[block.index()].insts.iter().enumerate() {
            let at = At { block, index };
            let in_kernel = match &inst.op {
                // Its values are recorded in U; what else it does is done in K, unless something stands against that.
                Op::Record { .. } => sides.blocker(at).is_none(),
                op => is_effect(op) && sides.inst(at) == Side::Kernel,
            };
            if in_kernel {
                found.append(&mut stored);
            }
            if let (Side::User, Some(var)) = (sides.inst(at), store(program, inst)) {
                stored.insert(var);
            }
        }
        for to in flow.clause.blocks[block.index()].end.targets() {
            entry[to.index()].extend(&stored);
        }
    }
}

/// The variable of a store that may find no room.
fn store(program: &Program, inst: &Inst) -> Option<VarId> {
    match inst.op {
        Op::SetVar { var, .. } | Op::SetElem { var, .. } if drops(program, &inst.op) => Some(var),
        _ => None,
    }
}
