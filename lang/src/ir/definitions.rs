//! Which instruction alone assigns a register: a clause in, an answer for each register out. One pass over the clause,
//! so that asking costs nothing.

use super::{Clause, Inst, Reg};

/// See the module.
#[derive(Debug)]
pub struct Definitions<'a> {
    /// By register; the flag tells that there is more than one.
    found: Vec<(Option<&'a Inst>, bool)>,
}

impl<'a> Definitions<'a> {
    /// Looks at every instruction of a clause.
    pub fn new(clause: &'a Clause) -> Definitions<'a> {
        let mut found = vec![(None, false); clause.regs.len()];
        for inst in clause.blocks.iter().flat_map(|block| &block.insts) {
            // Registers out of range are the verifier's affair.
            if let Some((first, more)) = inst.op.dst().and_then(|dst| found.get_mut(dst.index())) {
                *more |= first.is_some();
                first.get_or_insert(inst);
            }
        }
        Definitions { found }
    }

    /// The only instruction that assigns a register, if there is exactly one.
    pub fn only(&self, reg: Reg) -> Option<&'a Inst> {
        match self.found.get(reg.index()) {
            Some((inst, false)) => *inst,
            _ => None,
        }
    }
}
