//! The reference engine: walks a clause's blocks, one arm per op, and leaves the work to [`crate::runtime`]. In: code,
//! a run. Out: how it ended. It knows nothing of formats, sources or plans.

use dtrail_lang::ir::{self, BinOp, ClauseId, CmpOp, Op, Reg, Terminator, UnOp};

use crate::engine::Engine;
use crate::fault::{FaultKind, Raised};
use crate::runtime::{NULL, Run, extend, table};

#[cfg(test)]
mod tests;

/// See the module. Holds buffers only.
#[derive(Debug, Default)]
pub struct Interp {
    regs: Vec<u64>,
    args: Vec<u64>,
}

impl Engine for Interp {
    fn run(&mut self, _: ClauseId, code: &ir::Clause, run: &mut Run<'_>) -> Option<u32> {
        self.begin(code.regs.len());
        let mut block = code.blocks.first();
        while let Some(ir::Block { insts, end }) = block {
            for inst in insts {
                self.step(inst, run);
                if run.stopped() {
                    return Some(inst.point);
                }
            }
            let next = match *end {
                Terminator::Goto(to) => to,
                Terminator::Branch { cond, then, otherwise, .. } => {
                    if self.get(cond) != 0 {
                        then
                    } else {
                        otherwise
                    }
                }
                Terminator::Return => return None,
                Terminator::Attempt { .. } => {
                    run.bug("an attempt in user code");
                    return Some(0);
                }
            };
            block = code.blocks.get(next.index());
        }
        run.bug("a jump to a block that is not there");
        Some(0)
    }
}

impl Interp {
    /// The value of a register.
    #[inline]
    pub(crate) fn get(&self, reg: Reg) -> u64 {
        self.regs.get(reg.index()).copied().unwrap_or(0)
    }

    #[inline]
    fn set(&mut self, reg: Reg, value: u64) {
        if let Some(slot) = self.regs.get_mut(reg.index()) {
            *slot = value;
        }
    }

    /// The values of registers, in a buffer that is used again.
    fn gather(&mut self, regs: &[Reg]) -> &[u64] {
        let Interp { regs: values, args } = self;
        args.clear();
        args.extend(regs.iter().map(|reg| values.get(reg.index()).copied().unwrap_or(0)));
        args
    }

    /// Begins a clause of so many registers.
    pub(crate) fn begin(&mut self, registers: usize) {
        self.regs.clear();
        self.regs.resize(registers, 0);
    }

    /// So many registers at least, with whatever they hold: for compiled code, which stores before it lets anyone read.
    #[inline]
    pub(crate) fn registers(&mut self, least: usize) -> &mut [u64] {
        if self.regs.len() < least {
            self.grow(least);
        }
        &mut self.regs
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, least: usize) {
        self.regs.resize(least, 0);
    }

    /// Carries out one instruction.
    pub(crate) fn step(&mut self, inst: &ir::Inst, run: &mut Run<'_>) {
        match &inst.op {
            Op::Const { dst, value } => self.set(*dst, *value as u64),
            Op::Str { dst, value } => self.set(*dst, run.constant(*value)),
            Op::Null { dst } => self.set(*dst, NULL),
            Op::Move { dst, src } => self.set(*dst, self.get(*src)),
            Op::Binary { op, dst, lhs, rhs } => match binary(*op, self.get(*lhs), self.get(*rhs)) {
                Some(value) => self.set(*dst, value),
                None => {
                    run.raise(Raised::plain(FaultKind::DivZero));
                }
            },
            Op::Unary { op, dst, src } => {
                let value = self.get(*src);
                self.set(
                    *dst,
                    match op {
                        UnOp::Neg => value.wrapping_neg(),
                        UnOp::Not => !value,
                    },
                );
            }
            Op::Compare { op, dst, lhs, rhs } => {
                self.set(*dst, u64::from(compare(*op, self.get(*lhs), self.get(*rhs))));
            }
            Op::Extend { dst, src, bits, signed } => self.set(*dst, extend(self.get(*src), *bits, *signed)),
            Op::StrCompare { op, dst, lhs, rhs } => {
                let order = run.compare(self.get(*lhs), self.get(*rhs));
                let holds = match op {
                    CmpOp::Eq => order.is_eq(),
                    CmpOp::Ne => order.is_ne(),
                    CmpOp::LtU | CmpOp::LtS => order.is_lt(),
                    CmpOp::LeU | CmpOp::LeS => order.is_le(),
                };
                self.set(*dst, u64::from(holds));
            }
            Op::Builtin { dst, var, index } => self.set(*dst, run.builtin(*var, *index)),
            Op::Load { dst, addr, size, signed, space } => {
                let value = run.load(self.get(*addr), *size, *signed, *space);
                self.set(*dst, value);
            }
            Op::LoadStr { dst, addr, limit, space } => {
                let value = run.load_string(self.get(*addr), *limit, *space);
                self.set(*dst, value);
            }
            Op::Store { addr, src, size } => run.store(self.get(*addr), self.get(*src), *size),
            Op::GetVar { dst, var } => self.set(*dst, run.get(*var, &[])),
            Op::SetVar { var, src } => run.set(*var, &[], self.get(*src)),
            Op::GetElem { dst, var, keys } => {
                let value = run.get(*var, self.gather(keys));
                self.set(*dst, value);
            }
            Op::SetElem { var, keys, src } => {
                let value = self.get(*src);
                run.set(*var, self.gather(keys), value);
            }
            Op::Assemble { dst, size, pieces, text } => {
                let value = run.assemble(*size, pieces, *text, |reg| self.get(reg));
                self.set(*dst, value);
            }
            Op::Aggregate { site, keys, value, weight } => {
                let value = value.map_or(0, |reg| self.get(reg));
                let weight = weight.map_or(1, |reg| self.get(reg));
                run.aggregate(*site, self.gather(keys), value, weight);
            }
            Op::Call { dst, func, args } => {
                let value = table::call(run, *func, self.gather(args));
                self.set(*dst, value);
            }
            Op::Record { site, args } => run.record(*site, self.gather(args)),
            Op::Recv { dst, slot } => self.set(*dst, run.receive(*slot)),
            Op::Bit { dst, bit } => self.set(*dst, run.branch_bit(*bit)),
            Op::FaultPoint { attempt } => run.fault_point(inst.point, *attempt),
            Op::Send { .. } | Op::Work | Op::SetBit { .. } | Op::Control { .. } => {
                run.bug("an op of the kernel part in user code");
            }
        }
    }
}

/// `None`: a divisor of 0.
fn binary(op: BinOp, a: u64, b: u64) -> Option<u64> {
    let (signed_a, signed_b) = (a as i64, b as i64);
    Some(match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::DivS | BinOp::RemS if b == 0 => return None,
        BinOp::DivS => signed_a.wrapping_div(signed_b) as u64,
        BinOp::RemS => signed_a.wrapping_rem(signed_b) as u64,
        BinOp::DivU => a.checked_div(b)?,
        BinOp::RemU => a.checked_rem(b)?,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl => a.wrapping_shl(b as u32),
        BinOp::ShrS => signed_a.wrapping_shr(b as u32) as u64,
        BinOp::ShrU => a.wrapping_shr(b as u32),
    })
}

fn compare(op: CmpOp, a: u64, b: u64) -> bool {
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::LtS => (a as i64) < b as i64,
        CmpOp::LeS => a as i64 <= b as i64,
        CmpOp::LtU => a < b,
        CmpOp::LeU => a <= b,
    }
}
