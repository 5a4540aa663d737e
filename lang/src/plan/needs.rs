//! What the user part of a clause consists of: which instructions it has, which branches it follows, and where the
//! kernel part marks that there is work for it. A classified clause in, [`UserNeeds`] out.

use super::Side;
use super::classify::{Sides, ends_silently, may_end};
use super::flow::{At, Flow, Step};
use crate::ir::facts::{acts, changes_scratch};
use crate::ir::structure::Arm;
use crate::ir::{BlockId, Inst, Op, Program, Reg, Terminator};

/// How the user part goes on at a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follow {
    /// It computes the condition.
    Decide,
    /// K decided, and says how.
    Told,
    /// K sends a record only if this arm was taken.
    Only(Arm),
}

/// See the module.
#[derive(Debug)]
pub(super) struct UserNeeds {
    /// By block and index: an instruction of side U that the user part has, or one of side K whose value U assigns.
    insts: Vec<Vec<bool>>,
    /// By block: how the branch at its end is followed; `None`: what stands in its arms is not needed.
    follow: Vec<Option<Follow>>,
    /// By block: before which instruction K marks work.
    pub work: Vec<Option<usize>>,
    /// Whether there is a user part: something besides reporting that K faulted.
    pub any: bool,
}

impl UserNeeds {
    pub(super) fn inst(&self, at: At) -> bool {
        self.insts[at.block.index()][at.index]
    }

    pub(super) fn follow(&self, head: BlockId) -> Option<Follow> {
        self.follow[head.index()]
    }

    /// Whether U never comes to a block, since K sends no record when it was there.
    pub(super) fn left_out(&self, flow: &Flow<'_>, block: BlockId) -> bool {
        flow.structure.around(block).any(|within| match self.follow(within.head) {
            Some(Follow::Only(arm)) => arm != within.arm,
            _ => false,
        })
    }
}

/// Whether an instruction of side U is there for itself and not for its value.
fn is_root(program: &Program, flow: &Flow<'_>, inst: &Inst) -> bool {
    matches!(
        inst.op,
        Op::SetVar { .. } | Op::SetElem { .. } | Op::Aggregate { .. } | Op::Record { .. } | Op::Store { .. }
    ) || acts(&inst.op)
        || changes_scratch(&inst.op)
        || may_end(program, flow, inst)
}

/// Finds what the user part needs.
pub(super) fn user_needs(program: &Program, flow: &Flow<'_>, sides: &Sides) -> UserNeeds {
    let blocks = &flow.clause.blocks;
    let mut needs = UserNeeds {
        insts: blocks.iter().map(|b| vec![false; b.insts.len()]).collect(),
        follow: vec![None; blocks.len()],
        work: vec![None; blocks.len()],
        any: false,
    };
    let mut worklist = Vec::new();
    let mut causes: Vec<Vec<bool>> = blocks.iter().map(|b| vec![false; b.insts.len()]).collect();
    for (at, inst) in flow.insts() {
        match sides.inst(at) {
            Side::User if is_root(program, flow, inst) => {
                causes[at.block.index()][at.index] = true;
                worklist.push(Need::Inst(at));
            }
            Side::Kernel if may_end(program, flow, inst) => {
                // A fault that K captured is raised when U comes there.
                if let Some(region) = sides.region(at.block) {
                    causes[at.block.index()][at.index] = true;
                    worklist.push(Need::Branch(region.head));
                }
            }
            _ => {}
        }
    }
    needs.any = !worklist.is_empty();
    close(flow, sides, &mut needs, worklist);
    mark_work(flow, sides, &causes, &mut needs.work, &flow.steps, false);
    skip_implied(program, flow, sides, &mut needs);
    needs
}

enum Need {
    Inst(At),
    Branch(BlockId),
    Reg(Reg),
}

fn close(flow: &Flow<'_>, sides: &Sides, needs: &mut UserNeeds, mut worklist: Vec<Need>) {
    while let Some(need) = worklist.pop() {
        match need {
            Need::Inst(at) => {
                if std::mem::replace(&mut needs.insts[at.block.index()][at.index], true) {
                    continue;
                }
                worklist.extend(flow.controllers(at.block).map(Need::Branch));
                if let (Side::User, Some(inst)) = (sides.inst(at), flow.inst(at)) {
                    inst.op.for_each_src(|reg| worklist.push(Need::Reg(reg)));
                }
            }
            Need::Branch(head) => {
                let follow = &mut needs.follow[head.index()];
                if follow.is_some() {
                    continue;
                }
                *follow = Some(match sides.branch(head) {
                    Side::User => Follow::Decide,
                    Side::Kernel => Follow::Told,
                });
                worklist.extend(flow.controllers(head).map(Need::Branch));
                if sides.branch(head) == Side::User {
                    worklist.extend(flow.condition(head).map(Need::Reg));
                }
            }
            // A register of side K is captured or recomputed; see `captures`.
            Need::Reg(reg) if sides.reg(reg) == Side::Kernel => {}
            Need::Reg(reg) => worklist.extend(flow.definitions(reg).iter().copied().map(Need::Inst)),
        }
    }
}

/// Places the marks: one before the first cause of work on each path. `marked`: the path has one already. Returns
/// whether every path that goes on has.
fn mark_work(
    flow: &Flow<'_>,
    sides: &Sides,
    causes: &[Vec<bool>],
    work: &mut [Option<usize>],
    steps: &[Step],
    mut marked: bool,
) -> bool {
    for step in steps {
        let here = &causes[step.block.index()];
        if let (false, Some(first)) = (marked, here.iter().position(|&cause| cause)) {
            work[step.block.index()] = Some(first);
            marked = true;
        }
        let Some(arms) = &step.arms else { continue };
        let returning = flow.returning_at(step.block);
        let goes_on = |arm| returning.is_some_and(|r| r.goes_on(arm));
        if sides.branch(step.block) == Side::Kernel {
            let after = [&arms[0], &arms[1]].map(|arm| mark_work(flow, sides, causes, work, arm, marked));
            marked = match returning {
                Some(r) if r.arms[0] => after[1],
                Some(_) => after[0],
                None => after[0] && after[1],
            };
            continue;
        }
        // K does not know which arm U takes, so it runs both: work in either is work here.
        for (steps, arm) in arms.iter().zip([Arm::Then, Arm::Otherwise]) {
            if !goes_on(arm) && !marked && any_cause(causes, steps) {
                work[step.block.index()] = Some(here.len());
                marked = true;
            }
        }
        for (steps, arm) in arms.iter().zip([Arm::Then, Arm::Otherwise]) {
            if goes_on(arm) {
                marked = mark_work(flow, sides, causes, work, steps, marked);
            }
        }
    }
    marked
}

fn any_cause(causes: &[Vec<bool>], steps: &[Step]) -> bool {
    steps.iter().any(|step| {
        causes[step.block.index()].contains(&true)
            || step.arms.iter().flatten().any(|arm| any_cause(causes, arm))
    })
}

/// A branch that K decides need not be followed if one arm never leads to a record: U runs only after the other.
fn skip_implied(program: &Program, flow: &Flow<'_>, sides: &Sides, needs: &mut UserNeeds) {
    let blocks = &flow.clause.blocks;
    // Whether the record may be due already when a block ends, and whether it may become due from its start on.
    let mut due = vec![false; blocks.len()];
    let mut sends = vec![false; blocks.len()];
    for block in flow.blocks() {
        let i = block.index();
        due[i] |= needs.work[i].is_some();
        if due[i] {
            blocks[i].end.targets().for_each(|to| due[to.index()] = true);
        }
    }
    for i in (0..blocks.len()).rev() {
        let block = BlockId(i as u32);
        let faults = |(index, inst): (usize, &Inst)| {
            sides.inst(At { block, index }) == Side::Kernel
                && may_end(program, flow, inst)
                && !ends_silently(program, &inst.op)
        };
        sends[i] = needs.work[i].is_some()
            || blocks[i].insts.iter().enumerate().any(faults)
            || blocks[i].end.targets().any(|to| sends[to.index()]);
    }
    for head in flow.blocks() {
        let Terminator::Branch { then, otherwise, .. } = blocks[head.index()].end else { continue };
        let told = needs.follow[head.index()] == Some(Follow::Told);
        if !told || due[head.index()] || sides.region(head).is_some() {
            continue;
        }
        if !sends[otherwise.index()] {
            needs.follow[head.index()] = Some(Follow::Only(Arm::Then));
        } else if !sends[then.index()] {
            needs.follow[head.index()] = Some(Follow::Only(Arm::Otherwise));
        }
    }
}
