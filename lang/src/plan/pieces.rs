//! Code as a tree, and the blocks it becomes: [`Piece`]s in, an [`ir::Clause`](crate::ir::Clause) out whose blocks are
//! structured, whose registers are numbered as they come, and which has no branch without code in its arms.

use crate::ir::{Block, BlockId, Clause, Inst, Op, Reg, RegKind, SlotId, Terminator};

/// Code.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    /// One instruction.
    Inst(Inst),
    /// Either of two arms.
    Branch { cond: Reg, then: Vec<Piece>, otherwise: Vec<Piece> },
    /// See [`Terminator::Attempt`].
    Attempt { slot: SlotId, body: Vec<Piece> },
    /// The end of the clause; nothing follows.
    Return,
}

/// Makes a clause of the code. `regs` are the kinds of the registers that the pieces name; `of` gives the rest.
pub(super) fn assemble(pieces: Vec<Piece>, regs: &[RegKind], of: &Clause) -> Clause {
    let mut blocks = Vec::new();
    if lay(pieces, &mut blocks) {
        set_end(&mut blocks, Terminator::Return);
    }
    let mut clause = Clause { number: of.number, regs: Vec::new(), blocks, span: of.span };
    renumber(&mut clause, regs);
    clause
}

fn new_block(blocks: &mut Vec<Block>) -> BlockId {
    blocks.push(Block { insts: Vec::new(), end: Terminator::Return });
    BlockId(blocks.len() as u32 - 1)
}

fn set_end(blocks: &mut [Block], end: Terminator) {
    if let Some(block) = blocks.last_mut() {
        block.end = end;
    }
}

/// Appends the blocks of some pieces; the last one is still open. False if they end the clause.
fn lay(pieces: Vec<Piece>, blocks: &mut Vec<Block>) -> bool {
    new_block(blocks);
    for piece in pieces {
        match piece {
            Piece::Inst(inst) => {
                if let Some(block) = blocks.last_mut() {
                    block.insts.push(inst);
                }
            }
            Piece::Return => {
                set_end(blocks, Terminator::Return);
                return false;
            }
            Piece::Branch { then, otherwise, .. } if then.is_empty() && otherwise.is_empty() => {}
            Piece::Branch { cond, then, otherwise } => {
                let head = blocks.len() - 1;
                let mut open = Vec::new();
                let mut arm = |pieces: Vec<Piece>, blocks: &mut Vec<Block>| {
                    let start = BlockId(blocks.len() as u32);
                    if lay(pieces, blocks) {
                        open.push(blocks.len() - 1);
                    }
                    start
                };
                let then = (!then.is_empty()).then(|| arm(then, blocks));
                let otherwise = (!otherwise.is_empty()).then(|| arm(otherwise, blocks));
                let falls_through = !open.is_empty() || then.is_none() || otherwise.is_none();
                let merge = new_block(blocks);
                for block in open {
                    blocks[block].end = Terminator::Goto(merge);
                }
                blocks[head].end = Terminator::Branch {
                    cond,
                    then: then.unwrap_or(merge),
                    otherwise: otherwise.unwrap_or(merge),
                    merge,
                };
                if !falls_through {
                    return false;
                }
            }
            Piece::Attempt { body, .. } if body.is_empty() => {}
            Piece::Attempt { slot, body } => {
                let head = blocks.len() - 1;
                let start = BlockId(blocks.len() as u32);
                lay(body, blocks);
                let last = blocks.len() - 1;
                let merge = new_block(blocks);
                blocks[last].end = Terminator::Goto(merge);
                blocks[head].end = Terminator::Attempt { body: start, slot, merge };
            }
        }
    }
    true
}

/// Numbers the registers in the order in which the code names them.
fn renumber(clause: &mut Clause, kinds: &[RegKind]) {
    let mut numbers: Vec<Option<Reg>> = vec![None; kinds.len()];
    let mut regs = Vec::new();
    let mut rename = |reg: &mut Reg| {
        let number = numbers[reg.index()].get_or_insert_with(|| {
            regs.push(kinds[reg.index()]);
            Reg(regs.len() as u32 - 1)
        });
        *reg = *number;
    };
    for block in &mut clause.blocks {
        for inst in &mut block.insts {
            inst.op.for_each_reg_mut(&mut rename);
        }
        if let Terminator::Branch { cond, .. } = &mut block.end {
            rename(cond);
        }
    }
    clause.regs = regs;
}

/// An instruction that the planner adds: it stands for `like` in messages.
pub(super) fn beside(like: &Inst, op: Op) -> Piece {
    Piece::Inst(Inst { op, ..like.clone() })
}
