//! What crosses from K to U, and where: a clause with its [`UserNeeds`] in, [`Captures`] out.
//!
//! U needs values that K has. It may recompute such a value if it has the operands, so what is captured is a cheapest
//! cut of the clause's values: `arg1 - arg0` is one capture, `arg0 & 1` and `arg0 >> 1` are one capture of `arg0`.
//! Constants and what every record's header tells are never captured.

use std::collections::{BTreeMap, HashMap};

use super::classify::{Sides, may_end};
use super::flow::{At, Flow};
use super::mincut::{Graph, cheapest_cut};
use super::needs::{Follow, UserNeeds};
use super::{Side, Slot, SlotKind};
use crate::builtins::{BuiltinVar, Func};
use crate::ir::facts::{BRANCH_BITS, acts, touches_scratch};
use crate::ir::structure::Within;
use crate::ir::{Inst, Op, Program, Reg, RegKind, SlotId, print};

/// A value that crosses: K sends the register and U receives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Transfer {
    pub reg: Reg,
    pub slot: SlotId,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Captures {
    /// Not laid out yet.
    pub slots: Vec<Slot>,
    /// Before the instruction at a place.
    transfers: BTreeMap<At, Vec<Transfer>>,
    /// By block and index: a value of side K that U computes again.
    recomputed: Vec<Vec<bool>>,
    /// By block: the bit in which K says how the branch at its end went.
    pub bits: Vec<Option<u32>>,
    /// The slot for a fault in an arm that K runs for U.
    attempts: HashMap<Within, SlotId>,
}

impl Captures {
    pub(super) fn transfers(&self, at: At) -> &[Transfer] {
        self.transfers.get(&at).map_or(&[], Vec::as_slice)
    }

    /// Every place with what crosses there.
    pub(super) fn all_transfers(&self) -> impl Iterator<Item = (At, Transfer)> + '_ {
        self.transfers.iter().flat_map(|(at, all)| all.iter().map(|transfer| (*at, *transfer)))
    }

    pub(super) fn recomputed(&self, at: At) -> bool {
        self.recomputed[at.block.index()][at.index]
    }

    pub(super) fn attempt(&self, within: Within) -> Option<SlotId> {
        self.attempts.get(&within).copied()
    }
}

/// A clause with everything that has been decided about it so far.
#[derive(Clone, Copy)]
pub(super) struct Decided<'a> {
    pub program: &'a Program,
    pub flow: &'a Flow<'a>,
    pub sides: &'a Sides,
    pub needs: &'a UserNeeds,
}

/// Decides what is captured.
pub(super) fn captures(cx: &Decided<'_>) -> Captures {
    let blocks = &cx.flow.clause.blocks;
    let mut bits = vec![None; blocks.len()];
    let uses = uses(cx, &mut bits);
    let captured = choose(cx, &uses);
    let mut recomputed: Vec<Vec<bool>> = blocks.iter().map(|b| vec![false; b.insts.len()]).collect();
    let taken = take(cx, uses, &captured, &mut recomputed);
    let places = places(cx, &taken);

    let mut slots: Vec<Slot> = Vec::new();
    let mut slot = |kind, what| {
        slots.push(Slot { kind, offset: 0, what });
        SlotId(slots.len() as u32 - 1)
    };
    let mut transfers: BTreeMap<At, Vec<Transfer>> = BTreeMap::new();
    // What is the same all through a firing has one slot, wherever K comes by it first.
    let mut firing: Vec<((BuiltinVar, u32), SlotId)> = Vec::new();
    for (at, reg) in places {
        let same = of_firing(cx.flow, reg);
        let known = same.and_then(|same| firing.iter().find(|(known, _)| *known == same));
        if let Some(&(_, slot)) = known {
            transfers.entry(at).or_default().push(Transfer { reg, slot });
            continue;
        }
        let kind = match cx.flow.clause.regs[reg.index()] {
            RegKind::Int => SlotKind::Int,
            RegKind::Str if is_block(cx.flow, reg) => SlotKind::Bytes,
            RegKind::Str => SlotKind::Str,
        };
        let slot = slot(kind, what(cx, reg));
        firing.extend(same.map(|same| (same, slot)));
        transfers.entry(at).or_default().push(Transfer { reg, slot });
    }
    let mut attempts: HashMap<Within, SlotId> = HashMap::new();
    for (at, inst) in cx.flow.insts() {
        let ends = cx.sides.inst(at) == Side::Kernel && may_end(cx.program, cx.flow, inst);
        if let Some(within) = cx.sides.region(at.block).filter(|_| ends) {
            attempts.entry(within).or_insert_with(|| slot(SlotKind::Fault, "fault".to_owned()));
        }
    }
    Captures { slots, transfers, recomputed, bits, attempts }
}

/// Where U uses a register that K has.
type Uses = Vec<(Reg, At)>;

/// Every such use, and the bits for branches that need no value.
fn uses(cx: &Decided<'_>, bits: &mut [Option<u32>]) -> Uses {
    let mut uses = Uses::new();
    let mut note = |reg: Reg, at: At| {
        if cx.sides.reg(reg) == Side::Kernel {
            uses.push((reg, at));
        }
    };
    for (at, inst) in cx.flow.insts() {
        let wanted = cx.needs.inst(at) && cx.sides.inst(at) == Side::User;
        if wanted && !cx.needs.left_out(cx.flow, at.block) {
            inst.op.for_each_src(|reg| note(reg, at));
        }
    }
    let mut next_bit = 0;
    for head in cx.flow.blocks() {
        let Some(cond) = cx.flow.condition(head) else { continue };
        let end = At { block: head, index: cx.flow.clause.blocks[head.index()].insts.len() };
        match cx.needs.follow(head) {
            _ if cx.needs.left_out(cx.flow, head) => {}
            None | Some(Follow::Only(_)) => {}
            Some(Follow::Decide) => note(cond, end),
            Some(Follow::Told) if next_bit == BRANCH_BITS || for_free(cx, cond) => note(cond, end),
            Some(Follow::Told) => {
                bits[head.index()] = Some(next_bit);
                next_bit += 1;
            }
        }
    }
    uses
}

/// The instruction by which U can compute a register again if it has the operands.
fn recomputable<'a>(cx: &Decided<'a>, reg: Reg) -> Option<(At, &'a Inst)> {
    let (at, inst) = cx.flow.only_definition(reg)?;
    let known_to_both = match inst.op {
        Op::Load { .. } | Op::LoadStr { .. } => false,
        _ => !cx.sides.only_in_kernel(&inst.op) && !touches_scratch(&inst.op) && !acts(&inst.op),
    };
    (known_to_both && !may_end(cx.program, cx.flow, inst)).then_some((at, inst))
}

/// Whether U can compute a register from constants and the header alone.
fn for_free(cx: &Decided<'_>, reg: Reg) -> bool {
    let Some((_, inst)) = recomputable(cx, reg) else { return false };
    let mut free = true;
    inst.op.for_each_src(|src| free = free && for_free(cx, src));
    free
}

/// By register: whether it is captured.
fn choose(cx: &Decided<'_>, uses: &Uses) -> Vec<bool> {
    let regs = cx.flow.clause.regs.len();
    let mut vertex: Vec<Option<usize>> = vec![None; regs];
    let mut graph = Graph::default();
    let mut order: Vec<Reg> = Vec::new();
    let mut visit = |reg: Reg, graph: &mut Graph, order: &mut Vec<Reg>| match vertex[reg.index()] {
        Some(known) => known,
        None => {
            // A string counts with its longest length, as its own is not known.
            graph.costs.push(match cx.flow.clause.regs[reg.index()] {
                RegKind::Int => 8,
                RegKind::Str => 8 + u64::from(cx.program.limits.strsize),
            });
            order.push(reg);
            vertex[reg.index()] = Some(order.len() - 1);
            order.len() - 1
        }
    };
    for (reg, _) in uses {
        let sink = visit(*reg, &mut graph, &mut order);
        graph.sinks.push(sink);
    }
    let mut done = 0;
    while let Some(&reg) = order.get(done) {
        match recomputable(cx, reg) {
            None => graph.sources.push(done),
            Some((_, inst)) => inst.op.for_each_src(|src| {
                let from = visit(src, &mut graph, &mut order);
                graph.edges.push((from, done));
            }),
        }
        done += 1;
    }
    let mut captured = vec![false; regs];
    for (reg, chosen) in order.iter().zip(cheapest_cut(&graph)) {
        captured[reg.index()] = chosen;
    }
    captured
}

/// Where U needs each captured register, by register; notes what it computes again.
fn take(
    cx: &Decided<'_>,
    uses: Uses,
    captured: &[bool],
    recomputed: &mut [Vec<bool>],
) -> BTreeMap<Reg, Vec<At>> {
    let mut taken: BTreeMap<Reg, Vec<At>> = BTreeMap::new();
    let mut worklist = uses;
    while let Some((reg, at)) = worklist.pop() {
        match recomputable(cx, reg) {
            Some((made_at, inst)) if !captured[reg.index()] => {
                if !std::mem::replace(&mut recomputed[made_at.block.index()][made_at.index], true) {
                    inst.op.for_each_src(|src| worklist.push((src, made_at)));
                }
            }
            _ => taken.entry(reg).or_default().push(at),
        }
    }
    taken
}

/// The places where values cross, in the order of the text.
fn places(cx: &Decided<'_>, taken: &BTreeMap<Reg, Vec<At>>) -> Vec<(At, Reg)> {
    let mut out: Vec<(At, Reg)> = Vec::new();
    for (&reg, uses) in taken {
        match cx.flow.only_definition(reg) {
            Some((made_at, _)) => out.extend(once(cx, made_at, uses).map(|at| (at, reg))),
            None => out.extend(each(cx, reg, uses).into_iter().map(|at| (at, reg))),
        }
    }
    // What only K can have, but U assigns: where it is made.
    for (at, inst) in cx.flow.insts() {
        let received = cx.needs.inst(at) && cx.sides.inst(at) == Side::Kernel;
        if let (true, Some(dst)) = (received && !cx.needs.left_out(cx.flow, at.block), inst.op.dst()) {
            out.push((At { index: at.index + 1, ..at }, dst));
        }
    }
    out.sort_unstable();
    out
}

/// A register that is assigned once crosses once, as late as all uses allow: not at all on paths that need it nowhere.
fn once(cx: &Decided<'_>, made_at: At, uses: &[At]) -> Option<At> {
    let block = cx.flow.common_dominator(uses.iter().map(|at| at.block))?;
    if block == made_at.block {
        return Some(At { index: made_at.index + 1, ..made_at });
    }
    let first = uses.iter().filter(|at| at.block == block).min().copied();
    Some(first.unwrap_or(At { block, index: cx.flow.clause.blocks[block.index()].insts.len() }))
}

/// A register that is assigned in several places crosses before its first use in each block, and again after it has
/// been assigned there.
fn each(cx: &Decided<'_>, reg: Reg, uses: &[At]) -> Vec<At> {
    let mut sorted = uses.to_vec();
    sorted.sort_unstable();
    let mut out: Vec<At> = Vec::new();
    for at in sorted {
        let valid = out.last().is_some_and(|last| {
            let assigned =
                |made: &&At| made.block == at.block && made.index >= last.index && made.index < at.index;
            last.block == at.block && cx.flow.definitions(reg).iter().find(assigned).is_none()
        });
        if !valid {
            out.push(at);
        }
    }
    out
}

/// The built-in variable that an integer is, wherever it is assigned: the same all through a firing.
fn of_firing(flow: &Flow<'_>, reg: Reg) -> Option<(BuiltinVar, u32)> {
    match flow.only_definition(reg)?.1.op {
        Op::Builtin { var, index, .. } if flow.clause.regs[reg.index()] == RegKind::Int => Some((var, index)),
        _ => None,
    }
}

/// Whether a register holds the bytes of a block.
fn is_block(flow: &Flow<'_>, reg: Reg) -> bool {
    let block = |inst: &Inst| matches!(inst.op, Op::Call { func: Func::Block | Func::Scratch, .. });
    flow.only_definition(reg).is_some_and(|(_, inst)| block(inst))
}

/// What a captured register is, in a word or two.
fn what(cx: &Decided<'_>, reg: Reg) -> String {
    match cx.flow.only_definition(reg).map(|(_, inst)| &inst.op) {
        Some(Op::Builtin { var, index, .. }) => print::builtin(*var, *index),
        Some(Op::GetVar { var, .. } | Op::GetElem { var, .. }) => {
            super::why::var_name(cx.program, *var).trim_matches('`').to_owned()
        }
        Some(Op::Call { func: Func::Block | Func::Scratch, .. }) => "memory".to_owned(),
        Some(Op::Call { func, .. }) => match func.row().name {
            internal if internal.starts_with('<') => func.described(),
            name => format!("{name}()"),
        },
        Some(Op::Load { .. } | Op::LoadStr { .. }) => "memory".to_owned(),
        _ => "value".to_owned(),
    }
}
