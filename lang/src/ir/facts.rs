//! What is true of an operation wherever it stands, for the verifier and the planner: whether it touches scratch memory,
//! acts, must run at the event, may run in the kernel. Tables of [`crate::builtins`] decide; nothing is computed here.

use super::{AddrSpace, Inst, Op, Program, Reg};
use crate::builtins::funcs::BLOCK_MOST;
use crate::builtins::{Class, Func, Kernel};

/// Most bits of a branch word.
pub const BRANCH_BITS: u32 = 64;

/// Longest string constant that [`Kernel::ConstString`] accepts.
pub const CONST_STRING: usize = 64;

/// The longest strings that the kernel searches: its verifier follows every step, seconds long for longer ones.
pub const SEARCHED_MOST: u32 = 16 << 10;

/// Whether a subroutine is a search that the kernel does not do in strings of such a size.
pub fn searches_too_far(program: &Program, func: Func) -> bool {
    program.limits.strsize > SEARCHED_MOST
        && matches!(func, Func::Strstr | Func::Index | Func::Basename | Func::Dirname)
}

/// Whether the emitter's condition on a subroutine's arguments holds; `only` gives the instruction that alone assigns a
/// register.
pub fn kernel_arguments<'a>(
    program: &Program,
    func: Func,
    args: &[Reg],
    only: impl FnOnce(Reg) -> Option<&'a Inst>,
) -> bool {
    match func.row().kernel {
        Kernel::No => false,
        _ if searches_too_far(program, func) => false,
        Kernel::Yes => true,
        Kernel::Writing(None) => true,
        Kernel::ConstSize(n) | Kernel::Writing(Some(n)) => {
            let constant = args.get(usize::from(n)).and_then(|&reg| only(reg));
            match constant.map(|inst| &inst.op) {
                Some(Op::Const { value, .. }) => (0..=BLOCK_MOST).contains(value),
                // Checked to be no more than that.
                Some(Op::Call { func: Func::Size, .. })
                    if matches!(func.row().kernel, Kernel::ConstSize(_)) =>
                {
                    i64::from(program.limits.scratchsize) <= BLOCK_MOST
                }
                _ => false,
            }
        }
        Kernel::ConstString(n) => {
            let constant = args.get(usize::from(n)).and_then(|&reg| only(reg));
            let Some(Inst { op: Op::Str { value, .. }, .. }) = constant else { return false };
            program.strings.get(value.index()).is_some_and(|s| s.len() <= CONST_STRING)
        }
    }
}

/// Whether an op reads or changes the scratch memory of its clause: wherever that is, the op is too.
pub fn touches_scratch(op: &Op) -> bool {
    match op {
        Op::Load { space, .. } | Op::LoadStr { space, .. } => *space == AddrSpace::Scratch,
        Op::Store { .. } => true,
        Op::Call { func, .. } => func.changes_scratch() || *func == Func::Scratch,
        _ => false,
    }
}

/// Whether an op changes the scratch memory of its clause, other than by `copyin` in one op.
pub fn changes_scratch(op: &Op) -> bool {
    match op {
        Op::Store { .. } => true,
        Op::Call { func, .. } => func.changes_scratch(),
        _ => false,
    }
}

/// Whether an op does something to the world by itself: its value may be unused.
pub fn acts(op: &Op) -> bool {
    matches!(op, Op::Call { func, .. } if func.acts())
}

/// Whether an op reads or changes which speculations are in use.
pub fn speculates(op: &Op) -> bool {
    matches!(op, Op::Call { func, .. } if func.speculates())
}

/// Whether an op can only be carried out at the event: see [`Class::Pinned`].
pub fn is_pinned(op: &Op) -> bool {
    match op {
        Op::Builtin { var, .. } => {
            let row = var.row();
            row.class == Class::Pinned && !row.in_header
        }
        Op::Load { space, .. } | Op::LoadStr { space, .. } => *space != AddrSpace::Scratch,
        Op::Call { func, .. } => func.row().class == Class::Pinned,
        _ => false,
    }
}
