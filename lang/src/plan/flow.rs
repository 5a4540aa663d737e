//! Facts about the control and data flow of a clause that do not depend on where anything runs: a verified clause in,
//! a [`Flow`] out.

use crate::ir::structure::{Arm, Structure, Within, structure};
use crate::ir::{BlockId, Clause, Inst, Op, Reg, Terminator};

/// A place in a clause. The index of a terminator is the number of instructions before it. Ordered as the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct At {
    pub block: BlockId,
    pub index: usize,
}

/// A block and the branch that ends it, if one does.
#[derive(Debug)]
pub(super) struct Step {
    pub block: BlockId,
    /// What stands in the arms `then` and `otherwise`.
    pub arms: Option<[Vec<Step>; 2]>,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Flow<'a> {
    pub clause: &'a Clause,
    pub structure: Structure,
    /// The clause as a tree of steps.
    pub steps: Vec<Step>,
    definitions: Assigned,
    /// By block: the last block that every path to it goes through; itself for the entry.
    dominators: Vec<BlockId>,
    /// Branches with an arm that returns.
    pub returning: Vec<Returning>,
    /// Whether the clause writes to the process's memory.
    pub writes_process: bool,
}

/// A branch with an arm that returns: what follows it depends on it.
#[derive(Debug)]
pub(super) struct Returning {
    pub head: BlockId,
    /// Whether `then` and `otherwise` return.
    pub arms: [bool; 2],
    /// By block: whether it can run after an arm that does not return; that arm included.
    after: Vec<bool>,
}

impl Returning {
    /// Whether a block runs only if the branch did not return.
    pub(super) fn controls(&self, block: BlockId) -> bool {
        self.after[block.index()]
    }

    /// Whether an arm goes on while the other returns.
    pub(super) fn goes_on(&self, arm: Arm) -> bool {
        match arm {
            Arm::Then => !self.arms[0] && self.arms[1],
            Arm::Otherwise => self.arms[0] && !self.arms[1],
            Arm::Body => false,
        }
    }
}

impl<'a> Flow<'a> {
    /// Analyses a clause; the error is that of [`structure`].
    pub(super) fn new(clause: &'a Clause) -> Result<Flow<'a>, String> {
        let structure = structure(&clause.blocks)?;
        let definitions = Assigned::new(clause, &structure);
        let steps = steps(clause, &structure, BlockId(0), None);
        let dominators = dominators(clause, &structure);
        let returning = returning(clause, &structure);
        let insts = clause.blocks.iter().flat_map(|block| &block.insts);
        let writes = |inst: &Inst| matches!(inst.op, Op::Call { func, .. } if func.writes_process());
        let writes_process = insts.into_iter().any(writes);
        Ok(Flow { clause, structure, steps, definitions, dominators, returning, writes_process })
    }

    /// Every instruction that a path leads to, in the order of the text.
    pub(super) fn insts(&self) -> impl Iterator<Item = (At, &'a Inst)> + '_ {
        let blocks = self.clause.blocks.iter().enumerate();
        blocks.filter(|(i, _)| self.structure.reachable(BlockId(*i as u32))).flat_map(|(i, block)| {
            let at = move |index| At { block: BlockId(i as u32), index };
            block.insts.iter().enumerate().map(move |(index, inst)| (at(index), inst))
        })
    }

    /// Every block that a path leads to.
    pub(super) fn blocks(&self) -> impl Iterator<Item = BlockId> + '_ {
        (0..self.clause.blocks.len() as u32).map(BlockId).filter(|&block| self.structure.reachable(block))
    }

    /// The instruction at a place; `None` for a terminator.
    pub(super) fn inst(&self, at: At) -> Option<&'a Inst> {
        inst_at(self.clause, at)
    }

    /// Where a register is assigned.
    pub(super) fn definitions(&self, reg: Reg) -> &[At] {
        self.definitions.of(reg)
    }

    /// The instruction that something at the end of a block stands for in messages.
    pub(super) fn at_end(&self, block: BlockId) -> Inst {
        let made = self.condition(block).and_then(|cond| self.definitions(cond).last().copied());
        let made = made.and_then(|at| self.inst(at)).or(self.clause.blocks[block.index()].insts.last());
        made.cloned().unwrap_or(Inst { op: Op::Work, point: 0, stmt: 0, span: self.clause.span })
    }

    /// The instruction that alone assigns a register.
    pub(super) fn only_definition(&self, reg: Reg) -> Option<(At, &'a Inst)> {
        match self.definitions(reg) {
            [at] => self.inst(*at).map(|inst| (*at, inst)),
            _ => None,
        }
    }

    /// The condition of the branch that ends a block.
    pub(super) fn condition(&self, head: BlockId) -> Option<Reg> {
        match self.clause.blocks[head.index()].end {
            Terminator::Branch { cond, .. } => Some(cond),
            _ => None,
        }
    }

    /// The branch with a returning arm that a block ends with.
    pub(super) fn returning_at(&self, head: BlockId) -> Option<&Returning> {
        self.returning.iter().find(|r| r.head == head)
    }

    /// The last block that every path to each of `blocks` goes through.
    pub(super) fn common_dominator(&self, blocks: impl IntoIterator<Item = BlockId>) -> Option<BlockId> {
        blocks.into_iter().reduce(|a, b| meet(&self.dominators, a, b))
    }

    /// Every branch that decides whether a block runs: those around it, innermost first, and those that may return
    /// before it.
    pub(super) fn controllers(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        let around = self.structure.around(block).map(|within: Within| within.head);
        around.chain(self.returning.iter().filter(move |r| r.controls(block)).map(|r| r.head))
    }
}

/// Where each register is assigned.
#[derive(Debug)]
struct Assigned {
    /// All places, by register and in the order of the text.
    all: Vec<At>,
    /// By register: where its places begin; one more at the end.
    starts: Vec<u32>,
}

impl Assigned {
    fn new(clause: &Clause, structure: &Structure) -> Assigned {
        let assigning = || {
            let reached = places(clause).filter(|at| structure.reachable(at.block));
            reached.filter_map(|at| Some((inst_at(clause, at)?.op.dst()?, at)))
        };
        let mut starts = vec![0u32; clause.regs.len() + 1];
        assigning().for_each(|(dst, _)| starts[dst.index() + 1] += 1);
        let mut count = 0;
        for start in &mut starts {
            count += *start;
            *start = count;
        }
        let nowhere = At { block: BlockId(0), index: 0 };
        let mut all = vec![nowhere; count as usize];
        let mut next = starts.clone();
        for (dst, at) in assigning() {
            all[next[dst.index()] as usize] = at;
            next[dst.index()] += 1;
        }
        Assigned { all, starts }
    }

    fn of(&self, reg: Reg) -> &[At] {
        &self.all[self.starts[reg.index()] as usize..self.starts[reg.index() + 1] as usize]
    }
}

fn places(clause: &Clause) -> impl Iterator<Item = At> + '_ {
    clause.blocks.iter().enumerate().flat_map(|(i, block)| {
        (0..block.insts.len()).map(move |index| At { block: BlockId(i as u32), index })
    })
}

fn inst_at(clause: &Clause, at: At) -> Option<&Inst> {
    clause.blocks[at.block.index()].insts.get(at.index)
}

fn steps(clause: &Clause, structure: &Structure, from: BlockId, stop: Option<BlockId>) -> Vec<Step> {
    let mut out = Vec::new();
    let mut next = Some(from).filter(|from| Some(*from) != stop);
    while let Some(block) = next {
        let (arms, after) = match clause.blocks[block.index()].end {
            Terminator::Return => (None, None),
            Terminator::Goto(to) => (None, Some(to)),
            Terminator::Branch { then, otherwise, merge, .. } => {
                let arms = [then, otherwise].map(|arm| steps(clause, structure, arm, Some(merge)));
                (Some(arms), Some(merge).filter(|merge| structure.reachable(*merge)))
            }
            Terminator::Attempt { body, merge, .. } => {
                (Some([steps(clause, structure, body, Some(merge)), Vec::new()]), Some(merge))
            }
        };
        out.push(Step { block, arms });
        next = after.filter(|after| Some(*after) != stop);
    }
    out
}

/// Immediate dominators. Blocks come after their predecessors, so one pass is enough.
fn dominators(clause: &Clause, structure: &Structure) -> Vec<BlockId> {
    let mut found: Vec<BlockId> = (0..clause.blocks.len() as u32).map(BlockId).collect();
    let mut seen = vec![false; clause.blocks.len()];
    for (i, block) in clause.blocks.iter().enumerate() {
        let here = BlockId(i as u32);
        if !structure.reachable(here) {
            continue;
        }
        // The merge block of a branch is named by it, but only its arms lead there.
        let successors = block.end.targets().take(if block.end.merge().is_some() { 2 } else { 1 });
        for to in successors {
            let known = seen[to.index()].then(|| meet(&found, found[to.index()], here));
            found[to.index()] = known.unwrap_or(here);
            seen[to.index()] = true;
        }
    }
    found
}

fn meet(dominators: &[BlockId], mut a: BlockId, mut b: BlockId) -> BlockId {
    while a != b {
        // A dominator has a lower index, so the higher one steps up.
        if a > b {
            a = dominators[a.index()];
        } else {
            b = dominators[b.index()];
        }
    }
    a
}

fn returning(clause: &Clause, structure: &Structure) -> Vec<Returning> {
    let mut out: Vec<Returning> = Vec::new();
    for (i, block) in clause.blocks.iter().enumerate() {
        let here = BlockId(i as u32);
        let (Terminator::Return, true) = (&block.end, structure.reachable(here)) else { continue };
        let Some(Within { head, arm }) = structure.within(here) else { continue };
        let which = usize::from(arm == Arm::Otherwise);
        match out.iter_mut().find(|r| r.head == head) {
            Some(known) => known.arms[which] = true,
            None => {
                let mut arms = [false; 2];
                arms[which] = true;
                out.push(Returning { head, arms, after: Vec::new() });
            }
        }
    }
    for r in &mut out {
        let Terminator::Branch { then, otherwise, .. } = clause.blocks[r.head.index()].end else { continue };
        let mut after = vec![false; clause.blocks.len()];
        for (arm, returns) in [(then, r.arms[0]), (otherwise, r.arms[1])] {
            after[arm.index()] |= !returns;
        }
        for (i, block) in clause.blocks.iter().enumerate() {
            if after[i] {
                block.end.targets().for_each(|to| after[to.index()] = true);
            }
        }
        r.after = after;
    }
    out
}
