//! The user part of a clause: what has been decided in, code out. It runs over a record: it follows the path that K
//! took, receives what K captured, and raises what K ran into where the clause as written would.

use super::Side;
use super::captures::{Captures, Decided};
use super::classify::may_end;
use super::flow::{At, Step};
use super::needs::Follow;
use super::pieces::{Piece, assemble, beside};
use crate::ir::structure::Arm;
use crate::ir::{BlockId, Clause, Op, Reg, RegKind, Terminator};

/// Builds the user part; `None` if there is nothing to do but to report that K faulted.
pub(super) fn user_part(cx: &Decided<'_>, captures: &Captures) -> Option<Clause> {
    if !cx.needs.any {
        return None;
    }
    // One more register for each branch that K tells of.
    let mut regs = cx.flow.clause.regs.clone();
    let bit_regs = captures.bits.iter().map(|bit| {
        bit.map(|_| {
            regs.push(RegKind::Int);
            Reg(regs.len() as u32 - 1)
        })
    });
    let bit_regs: Vec<Option<Reg>> = bit_regs.collect();
    let (pieces, _) = Builder { cx, captures, bit_regs: &bit_regs }.steps(&cx.flow.steps);
    Some(assemble(pieces, &regs, cx.flow.clause))
}

struct Builder<'a> {
    cx: &'a Decided<'a>,
    captures: &'a Captures,
    bit_regs: &'a [Option<Reg>],
}

impl Builder<'_> {
    /// The code of some steps, and whether it may go on after them.
    fn steps(&self, steps: &[Step]) -> (Vec<Piece>, bool) {
        let mut out = Vec::new();
        for step in steps {
            self.block(step.block, &mut out);
            let goes_on = match &step.arms {
                None => self.end(step.block, &mut out),
                Some(arms) => self.branch(step.block, arms, &mut out),
            };
            if !goes_on {
                return (out, false);
            }
        }
        (out, true)
    }

    fn end(&self, block: BlockId, out: &mut Vec<Piece>) -> bool {
        let returns = self.cx.flow.clause.blocks[block.index()].end == Terminator::Return;
        // Where a branch is not followed, nothing after it is needed either.
        let followed = |head| self.cx.needs.follow(head).is_some();
        if returns && self.cx.flow.structure.within(block).is_none_or(|within| followed(within.head)) {
            out.push(Piece::Return);
            return false;
        }
        true
    }

    fn branch(&self, head: BlockId, arms: &[Vec<Step>; 2], out: &mut Vec<Piece>) -> bool {
        match self.cx.needs.follow(head) {
            // At most one of the points in the arms is the one that faulted.
            None => {
                for arm in arms {
                    out.extend(self.steps(arm).0);
                }
                true
            }
            Some(Follow::Only(arm)) => {
                let (pieces, goes_on) = self.steps(&arms[usize::from(arm == Arm::Otherwise)]);
                out.extend(pieces);
                goes_on
            }
            Some(Follow::Decide | Follow::Told) => {
                let mut cond = self.cx.flow.condition(head);
                if let (Some(bit), Some(dst)) =
                    (self.captures.bits[head.index()], self.bit_regs[head.index()])
                {
                    out.push(beside(&self.cx.flow.at_end(head), Op::Bit { dst, bit }));
                    cond = Some(dst);
                }
                let Some(cond) = cond else { return true };
                let [(then, then_goes_on), (otherwise, otherwise_goes_on)] =
                    [self.steps(&arms[0]), self.steps(&arms[1])];
                out.push(Piece::Branch { cond, then, otherwise });
                then_goes_on || otherwise_goes_on
            }
        }
    }

    fn block(&self, block: BlockId, out: &mut Vec<Piece>) {
        let insts = &self.cx.flow.clause.blocks[block.index()].insts;
        for index in 0..=insts.len() {
            let at = At { block, index };
            for transfer in self.captures.transfers(at) {
                let made =
                    self.cx.flow.definitions(transfer.reg).last().and_then(|at| self.cx.flow.inst(*at));
                let like = made.map_or_else(|| self.cx.flow.at_end(block), Clone::clone);
                out.push(beside(&like, Op::Recv { dst: transfer.reg, slot: transfer.slot }));
            }
            let Some(inst) = insts.get(index) else { break };
            match self.cx.sides.inst(at) {
                Side::User if self.cx.needs.inst(at) => out.push(Piece::Inst(inst.clone())),
                Side::User => {}
                Side::Kernel => {
                    if may_end(self.cx.program, self.cx.flow, inst) {
                        let attempt =
                            self.cx.sides.region(block).and_then(|within| self.captures.attempt(within));
                        out.push(beside(inst, Op::FaultPoint { attempt }));
                    }
                    if self.captures.recomputed(at) {
                        out.push(Piece::Inst(inst.clone()));
                    }
                }
            }
        }
    }
}
