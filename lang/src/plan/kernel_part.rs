//! The kernel part of a clause: what has been decided in, code out. It has the effects that are in K, what computes
//! their operands, captures, and the marks for U. A branch that U decides becomes both its arms, one after the other.

use super::Side;
use super::captures::{Captures, Decided};
use super::classify::may_end;
use super::flow::{At, Step};
use super::pieces::{Piece, assemble, beside};
use crate::builtins::Action;
use crate::ir::definitions::Definitions;
use crate::ir::facts::{acts, changes_scratch};
use crate::ir::structure::{Arm, Within, structure};
use crate::ir::{BlockId, Clause, Inst, Op, Reg, Terminator};

/// Builds the kernel part; `None` if it would have no code.
pub(super) fn kernel_part(cx: &Decided<'_>, captures: &Captures, controls: &[bool]) -> Option<Clause> {
    let needs = kernel_needs(cx, captures, controls);
    let pieces = Builder { cx, captures, controls, needs: &needs }.steps(&cx.flow.steps);
    let nothing = pieces.iter().all(|piece| matches!(piece, Piece::Return));
    (!nothing).then(|| assemble(pieces, &cx.flow.clause.regs, cx.flow.clause))
}

/// Whether the record needs room for a fault of the clause. The emitter judges one instruction at a time, so what the
/// planner knows never to fault counts too.
pub(super) fn can_fault(code: &Clause) -> bool {
    let Ok(structure) = structure(&code.blocks) else { return true };
    let definitions = Definitions::new(code);
    let faults = |inst: &Inst| match inst.op {
        Op::SetElem { .. } => false,
        Op::Binary { rhs, .. } if inst.may_fault() => !matches!(
            definitions.only(rhs),
            Some(Inst { op: Op::Const { value, .. }, .. }) if *value != 0
        ),
        _ => inst.may_fault(),
    };
    code.blocks.iter().enumerate().any(|(i, block)| {
        let attempted = structure.around(BlockId(i as u32)).any(|within| within.arm == Arm::Body);
        !attempted && block.insts.iter().any(faults)
    })
}

/// The control effect that K carries out for an action.
fn control(cx: &Decided<'_>, controls: &[bool], inst: &Inst) -> Option<Op> {
    let Op::Record { site, args } = &inst.op else { return None };
    let exit = cx.program.sites[site.index()].action == Action::Exit;
    controls[site.index()].then(|| Op::Control { status: if exit { args.first().copied() } else { None } })
}

/// What the kernel part consists of.
struct KernelNeeds {
    insts: Vec<Vec<bool>>,
    branches: Vec<bool>,
}

enum Need {
    Inst(At),
    /// That K comes to the block exactly when it should.
    Place(BlockId),
    Branch(BlockId),
    Reg(Reg),
}

fn kernel_needs(cx: &Decided<'_>, captures: &Captures, controls: &[bool]) -> KernelNeeds {
    let blocks = &cx.flow.clause.blocks;
    let mut needs = KernelNeeds {
        insts: blocks.iter().map(|b| vec![false; b.insts.len()]).collect(),
        branches: vec![false; blocks.len()],
    };
    let mut worklist = Vec::new();
    for (at, inst) in cx.flow.insts() {
        let effect = matches!(
            inst.op,
            Op::SetVar { .. } | Op::SetElem { .. } | Op::Aggregate { .. } | Op::Store { .. }
        ) || acts(&inst.op)
            || changes_scratch(&inst.op);
        if cx.sides.inst(at) == Side::Kernel && (effect || may_end(cx.program, cx.flow, inst)) {
            worklist.push(Need::Inst(at));
        }
        if let Some(op) = control(cx, controls, inst) {
            worklist.push(Need::Place(at.block));
            op.for_each_src(|reg| worklist.push(Need::Reg(reg)));
        }
    }
    for (at, transfer) in captures.all_transfers() {
        worklist.push(Need::Place(at.block));
        if cx.sides.reg(transfer.reg) == Side::Kernel {
            worklist.push(Need::Reg(transfer.reg));
        } else {
            // A value that U assigns crosses where K makes it.
            worklist.push(Need::Inst(At { index: at.index.saturating_sub(1), ..at }));
        }
    }
    for block in cx.flow.blocks() {
        if cx.needs.work[block.index()].is_some() {
            worklist.push(Need::Place(block));
        }
        if captures.bits[block.index()].is_some() {
            worklist.push(Need::Branch(block));
        }
    }
    while let Some(need) = worklist.pop() {
        match need {
            Need::Inst(at) => {
                if !std::mem::replace(&mut needs.insts[at.block.index()][at.index], true)
                    && let Some(inst) = cx.flow.inst(at)
                {
                    worklist.push(Need::Place(at.block));
                    inst.op.for_each_src(|reg| worklist.push(Need::Reg(reg)));
                }
            }
            Need::Place(block) => worklist.extend(cx.flow.controllers(block).map(Need::Branch)),
            Need::Branch(head) => {
                let decided = cx.sides.branch(head) == Side::Kernel;
                if decided && !std::mem::replace(&mut needs.branches[head.index()], true) {
                    worklist.extend(cx.flow.condition(head).map(Need::Reg));
                    worklist.push(Need::Place(head));
                }
            }
            Need::Reg(reg) => worklist.extend(cx.flow.definitions(reg).iter().copied().map(Need::Inst)),
        }
    }
    needs
}

struct Builder<'a> {
    cx: &'a Decided<'a>,
    captures: &'a Captures,
    controls: &'a [bool],
    needs: &'a KernelNeeds,
}

impl Builder<'_> {
    fn steps(&self, steps: &[Step]) -> Vec<Piece> {
        let mut out = Vec::new();
        for step in steps {
            self.block(step.block, &mut out);
            match &step.arms {
                None => {
                    let within = self.cx.flow.structure.within(step.block);
                    let returns = self.cx.flow.clause.blocks[step.block.index()].end == Terminator::Return;
                    let decided = within.is_some_and(|w| self.cx.sides.branch(w.head) == Side::Kernel);
                    if returns && decided {
                        out.push(Piece::Return);
                    }
                }
                Some(arms) => self.branch(step.block, arms, &mut out),
            }
        }
        out
    }

    fn branch(&self, head: BlockId, arms: &[Vec<Step>; 2], out: &mut Vec<Piece>) {
        let flow = self.cx.flow;
        if self.cx.sides.branch(head) == Side::Kernel {
            let (true, Some(cond)) = (self.needs.branches[head.index()], flow.condition(head)) else {
                return;
            };
            let [mut then, otherwise] = [self.steps(&arms[0]), self.steps(&arms[1])];
            if let Some(bit) = self.captures.bits[head.index()] {
                then.insert(0, beside(&self.cx.flow.at_end(head), Op::SetBit { bit }));
            }
            out.push(Piece::Branch { cond, then, otherwise });
            return;
        }
        // The arm that goes on while the other returns comes last: what follows the branch belongs to it.
        let mut order = [(&arms[0], Arm::Then), (&arms[1], Arm::Otherwise)];
        let goes_on = |arm| flow.returning_at(head).is_some_and(|r| r.goes_on(arm));
        order.sort_by_key(|(_, arm)| goes_on(*arm));
        for (steps, arm) in order {
            let body = self.steps(steps);
            match self.captures.attempt(Within { head, arm }) {
                Some(slot) => out.push(Piece::Attempt { slot, body }),
                None => out.extend(body),
            }
        }
    }

    fn block(&self, block: BlockId, out: &mut Vec<Piece>) {
        let insts = &self.cx.flow.clause.blocks[block.index()].insts;
        for index in 0..=insts.len() {
            let at = At { block, index };
            for transfer in self.captures.transfers(at) {
                let op = Op::Send { slot: transfer.slot, src: transfer.reg };
                let made =
                    self.cx.flow.definitions(transfer.reg).last().and_then(|at| self.cx.flow.inst(*at));
                let like = made.map_or_else(|| self.cx.flow.at_end(block), Clone::clone);
                out.push(beside(&like, op));
            }
            if self.cx.needs.work[block.index()] == Some(index) {
                let like = insts.get(index).map_or_else(|| self.cx.flow.at_end(block), Clone::clone);
                out.push(beside(&like, Op::Work));
            }
            let Some(inst) = insts.get(index) else { break };
            if self.cx.sides.inst(at) == Side::Kernel && self.needs.insts[block.index()][index] {
                out.push(Piece::Inst(inst.clone()));
            }
            if let Some(op) = control(self.cx, self.controls, inst) {
                out.push(beside(inst, op));
            }
        }
    }
}
