//! The control structure of a clause: blocks in, for each the arms it stands in, or why the blocks are not structured
//! as [`super`] demands. Says nothing about the code in them.

use super::{Block, BlockId, Terminator};

/// Which part of a construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arm {
    /// Of a branch, taken when the condition is not zero.
    Then,
    /// Of a branch, taken when it is zero.
    Otherwise,
    /// Of an attempt.
    Body,
}

/// The innermost arm around a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Within {
    /// The block that ends with the branch or attempt.
    pub head: BlockId,
    /// The arm.
    pub arm: Arm,
}

/// Where each block of a clause stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    /// By block; `None`: outside of all constructs.
    within: Vec<Option<Within>>,
    /// By block: whether a path from the entry leads there.
    reachable: Vec<bool>,
}

impl Structure {
    /// The innermost arm around a block.
    pub fn within(&self, block: BlockId) -> Option<Within> {
        self.within[block.index()]
    }

    /// Whether a path from the entry leads to the block.
    pub fn reachable(&self, block: BlockId) -> bool {
        self.reachable[block.index()]
    }

    /// All arms around a block, from the innermost outwards.
    pub fn around(&self, block: BlockId) -> impl Iterator<Item = Within> + '_ {
        std::iter::successors(self.within(block), |within| self.within(within.head))
    }
}

impl Terminator {
    /// Where the arms of a branch or an attempt meet.
    pub fn merge(&self) -> Option<BlockId> {
        match *self {
            Terminator::Branch { merge, .. } | Terminator::Attempt { merge, .. } => Some(merge),
            Terminator::Goto(_) | Terminator::Return => None,
        }
    }

    /// The blocks it names, a merge block last.
    pub fn targets(&self) -> impl Iterator<Item = BlockId> + use<> {
        let targets = match *self {
            Terminator::Goto(to) => [Some(to), None, None],
            Terminator::Branch { then, otherwise, merge, .. } => [Some(then), Some(otherwise), Some(merge)],
            Terminator::Attempt { body, merge, .. } => [Some(body), Some(merge), None],
            Terminator::Return => [None; 3],
        };
        targets.into_iter().flatten()
    }
}

/// Finds the structure of a clause, or the first thing that is wrong with it.
pub fn structure(blocks: &[Block]) -> Result<Structure, String> {
    let mut within: Vec<Option<Within>> = vec![None; blocks.len()];
    let mut reachable = vec![false; blocks.len()];
    // A block is owned once something decided where it stands: a second owner is an error.
    let mut owned = vec![false; blocks.len()];
    let Some(first) = owned.first_mut() else { return Err("no blocks".to_owned()) };
    *first = true;
    reachable[0] = true;

    for (i, block) in blocks.iter().enumerate() {
        let here = BlockId(i as u32);
        for to in block.end.targets() {
            if to <= here || to.index() >= blocks.len() {
                return Err(format!("b{i} leads to b{}, which is not a later block", to.0));
            }
        }
        if !reachable[i] {
            continue;
        }
        let around = within[i];
        let mut own = |to: BlockId, place: Option<Within>| {
            if std::mem::replace(&mut owned[to.index()], true) {
                return Err(format!("b{i} leads to b{}, which another block leads to", to.0));
            }
            within[to.index()] = place;
            Ok(())
        };
        match block.end {
            Terminator::Return => {
                let nested = around.is_some_and(|w| within[w.head.index()].is_some());
                if nested {
                    return Err(format!("b{i} returns from inside a nested arm"));
                }
            }
            Terminator::Goto(to) => {
                let ends_arm = around.and_then(|w| blocks[w.head.index()].end.merge()) == Some(to);
                if !ends_arm {
                    own(to, around)?;
                }
                reachable[to.index()] = true;
            }
            Terminator::Branch { then, otherwise, merge, .. } => {
                own(merge, around)?;
                for (to, arm) in [(then, Arm::Then), (otherwise, Arm::Otherwise)] {
                    if to != merge {
                        own(to, Some(Within { head: here, arm }))?;
                    }
                    reachable[to.index()] = true;
                }
            }
            Terminator::Attempt { body, merge, .. } => {
                own(merge, around)?;
                own(body, Some(Within { head: here, arm: Arm::Body }))?;
                (reachable[body.index()], reachable[merge.index()]) = (true, true);
            }
        }
    }
    Ok(Structure { within, reachable })
}
