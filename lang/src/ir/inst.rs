//! The one list of operations. Interpreter, JIT and emitter each have one arm per [`Op`]; its comment is its meaning.

use super::{AggSiteId, RegKind, SiteId, StrId, VarId};
use crate::builtins::{BuiltinVar, Func};
use crate::source::Span;

/// A virtual register of a clause: an index in [`super::Clause::regs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(pub u32);

impl Reg {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A block of a clause: an index in [`super::Clause::blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

impl BlockId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A capture slot of a clause's record area: an index in [`super::slots::ClauseLayout::slots`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SlotId(pub u32);

/// An operation with its place in the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Inst {
    /// What it does.
    pub op: Op,
    /// Its number in the clause, given by the lowering and kept by the planner in both parts: a fault names it.
    pub point: u32,
    /// Statement number within the clause, from 1; 0 is the predicate.
    pub stmt: u32,
    /// The expression it came from.
    pub span: Span,
}

/// Two-operand arithmetic on 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinOp {
    /// Modulo 2^64.
    Add,
    /// Modulo 2^64.
    Sub,
    /// Modulo 2^64.
    Mul,
    /// Signed, toward zero; `i64::MIN / -1` is `i64::MIN`; a divisor of 0 faults `DIVZERO`.
    DivS,
    /// Unsigned; a divisor of 0 faults `DIVZERO`.
    DivU,
    /// Signed, with the dividend's sign; `i64::MIN % -1` is 0; a divisor of 0 faults `DIVZERO`.
    RemS,
    /// Unsigned; a divisor of 0 faults `DIVZERO`.
    RemU,
    /// Bitwise.
    And,
    /// Bitwise.
    Or,
    /// Bitwise.
    Xor,
    /// Left by the count modulo 64.
    Shl,
    /// Arithmetic right by the count modulo 64.
    ShrS,
    /// Logical right by the count modulo 64.
    ShrU,
}

impl BinOp {
    /// Whether a zero right operand faults.
    pub fn may_fault(self) -> bool {
        matches!(self, BinOp::DivS | BinOp::DivU | BinOp::RemS | BinOp::RemU)
    }
}

/// One-operand arithmetic on 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnOp {
    /// Modulo 2^64.
    Neg,
    /// Bitwise complement.
    Not,
}

/// Comparisons; the result is 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it; S is signed, U unsigned")]
pub enum CmpOp {
    Eq,
    Ne,
    LtS,
    LeS,
    LtU,
    LeU,
}

/// Width of a memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum MemSize {
    B1,
    B2,
    B4,
    B8,
}

impl MemSize {
    /// In bytes.
    pub fn bytes(self) -> u32 {
        match self {
            MemSize::B1 => 1,
            MemSize::B2 => 2,
            MemSize::B4 => 4,
            MemSize::B8 => 8,
        }
    }
}

/// What an address points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddrSpace {
    /// Decided by the address when it is used: below [`USER_END`] the traced process's memory, else the kernel's
    /// (language spec §5.5).
    ByAddress,
    /// The traced process's memory, whatever the address.
    User,
    /// `copyin` and `alloca` memory of this clause: addresses from [`SCRATCH_BASE`]; anything else faults `BADADDR`.
    Scratch,
}

/// First address that is not user memory on x86-64 (and, as an upper bound, on aarch64).
pub const USER_END: u64 = 1 << 47;

/// Where scratch memory appears, equal in all engines: a non-canonical address, so no real one collides.
/// Blocks are allocated upwards from it, each rounded up to 8 bytes, anew for each clause.
pub const SCRATCH_BASE: u64 = 0x00d0_0000_0000_0000;

/// Where the addresses of parts of variables appear, of which a program keeps some: likewise. The variable's number is in
/// the next 16 bits, the bytes from its start in the last 32.
pub const VARIABLES_BASE: u64 = 0x00d8_0000_0000_0000;

/// Whether an address is one of those that stand for scratch memory and parts of variables, or is what counting a little
/// forward and back made of one. None is told to anybody as where a fault was.
pub fn is_made_up(addr: u64) -> bool {
    (0x00cf..0x00e0).contains(&(addr >> 48))
}

/// An operation. `dst` is written, everything else is read.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "each op's comment names its operands")]
pub enum Op {
    /// `dst` (Int) = a constant.
    Const { dst: Reg, value: i64 },
    /// `dst` (Str) = a constant, cut at `strsize`.
    Str { dst: Reg, value: StrId },
    /// `dst` (Str) = NULL.
    Null { dst: Reg },
    /// `dst` = `src`, of either kind.
    Move { dst: Reg, src: Reg },
    /// `dst` (Int) = `lhs` op `rhs`.
    Binary { op: BinOp, dst: Reg, lhs: Reg, rhs: Reg },
    /// `dst` (Int) = op `src`.
    Unary { op: UnOp, dst: Reg, src: Reg },
    /// `dst` (Int) = 0 or 1.
    Compare { op: CmpOp, dst: Reg, lhs: Reg, rhs: Reg },
    /// `dst` (Int) = the low `bits` (8, 16, 32) of `src`, extended by sign or zero.
    Extend { dst: Reg, src: Reg, bits: u8, signed: bool },
    /// `dst` (Int) = 0 or 1 from two strings: bytewise, unsigned, `strcmp` order; NULL equals NULL only and is below
    /// every string. Only `Eq`, `Ne`, `LtU` and `LeU`.
    StrCompare { op: CmpOp, dst: Reg, lhs: Reg, rhs: Reg },
    /// `dst` (either kind, as the row says) = a built-in variable; `index` is the number of `arg0`…`arg9`.
    Builtin { dst: Reg, var: BuiltinVar, index: u32 },
    /// `dst` (Int) = memory, extended. Unreadable: fault `BADADDR` with the address.
    Load { dst: Reg, addr: Reg, size: MemSize, signed: bool, space: AddrSpace },
    /// `dst` (Str) = the bytes at `addr` up to a NUL or `limit` (at most `strsize`) bytes. Unreadable at the first
    /// byte: fault `BADADDR`. Unreadable later: what was read.
    LoadStr { dst: Reg, addr: Reg, limit: u32, space: AddrSpace },
    /// Scratch memory at `addr` = the low bytes of `src`. Outside: fault `BADADDR` with the address.
    Store { addr: Reg, src: Reg, size: MemSize },
    /// `dst` = a scalar variable. A missing dynamic one reads 0 or NULL.
    GetVar { dst: Reg, var: VarId },
    /// A scalar variable = `src`. Dynamic: zero or NULL removes it; a full store drops the value, counts it and ends
    /// the clause (language spec §8.1).
    SetVar { var: VarId, src: Reg },
    /// `dst` = an element of an associative array; missing: 0 or NULL.
    GetElem { dst: Reg, var: VarId, keys: Vec<Reg> },
    /// An element = `src`, under the rules of `SetVar`.
    SetElem { var: VarId, keys: Vec<Reg>, src: Reg },
    /// `dst` (Str) = a block of `size` bytes, zero but for its pieces: the parts of a struct, union or array that lies in
    /// variables. `text`: only what stands before the first NUL. Made in user space only.
    Assemble { dst: Reg, size: u32, pieces: Vec<BlockPiece>, text: bool },
    /// Updates an aggregation with `value` (absent for `count`) weighted by `weight` (1 if absent). Never faults; a
    /// full table is an aggregation drop.
    Aggregate { site: AggSiteId, keys: Vec<Reg>, value: Option<Reg>, weight: Option<Reg> },
    /// `dst` = a subroutine of the arguments. Absent optional arguments are absent here too.
    Call { dst: Reg, func: Func, args: Vec<Reg> },
    /// Appends the values of an action to the clause's record. `exit` also ends tracing when the clause ends, by a fault
    /// too: later clauses of the firing do not run (language spec §11.3). The last `exit` that runs gives the status.
    /// `speculate`, `commit` and `discard` have one more argument, the turn of the speculation ([`Func::SpecTurn`]).
    Record { site: SiteId, args: Vec<Reg> },

    // The rest is made by the planner only (see `plan`).
    /// Kernel part: stores `src` in a slot of the record.
    Send { slot: SlotId, src: Reg },
    /// Kernel part: this path has work for the user part, so the record must be sent (outcome `RAN`). Never undone.
    Work,
    /// Kernel part: sets bit `bit` of the clause's branch word: a branch that the user part must follow was taken.
    SetBit { bit: u32 },
    /// Kernel part: a control effect decided in the kernel: `exit` shuts the gate at once (`status` is the register
    /// with its status) or, without `status`, a cut, which flips the generation of the aggregations once when the firing
    /// ends.
    Control { status: Option<Reg> },
    /// User part: `dst` = the value of a slot of kind `Int` or `Str`. The kernel part has sent it on every path that
    /// comes here.
    Recv { dst: Reg, slot: SlotId },
    /// User part: `dst` (Int) = bit `bit` of the branch word.
    Bit { dst: Reg, bit: u32 },
    /// User part: the kernel part ran an op here that may end the clause, with this instruction's [`Inst::point`].
    /// Without `attempt`: if the record's outcome is `FAULTED` at this point, raises the fault of the record; if it is
    /// `DROPPED` at this point, ends the clause as dropped. With `attempt`, a slot of kind `Fault`: if that says that
    /// its attempt faulted at this point, raises the fault of the slot.
    FaultPoint { attempt: Option<SlotId> },
}

/// One value within an assembled block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockPiece {
    /// The value: an integer, or a string, of which nothing is copied beyond its bytes.
    pub src: Reg,
    /// Whether that is a string register.
    pub string: bool,
    /// Where it begins, in bits, the lowest of each byte first. A string begins at a whole byte.
    pub bit: u32,
    /// How many bits it has: of an integer its low ones, at most 64; of a string whole bytes.
    pub bits: u32,
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "each variant's comment names its operands")]
pub enum Terminator {
    /// The only successor.
    Goto(BlockId),
    /// To `then` if `cond` is non-zero, else to `otherwise`. Both arms reach `merge` (which may be an arm itself), or
    /// return if the branch stands in no other.
    Branch { cond: Reg, then: BlockId, otherwise: BlockId, merge: BlockId },
    /// The end of the clause.
    Return,
    /// Kernel part only, rule 4 of [`crate::plan`]: runs the blocks from `body` up to `merge`. A fault in them does not
    /// end the clause: its point, code and value are stored in `slot` (of kind `Fault`), the rest of the body is skipped
    /// and control goes on at `merge`. The body has captures and no effects: no variable, aggregation or scratch store,
    /// no `Control`, no `Return`. Registers assigned in it are unassigned at `merge`, and scratch memory allocated in it
    /// is free again. Attempts nest; a fault belongs to the innermost.
    Attempt { body: BlockId, slot: SlotId, merge: BlockId },
}

/// The register that an operation writes, borrowed as the operation is.
macro_rules! written_register {
    ($op:expr) => {
        match $op {
            Op::Const { dst, .. }
            | Op::Str { dst, .. }
            | Op::Null { dst }
            | Op::Move { dst, .. }
            | Op::Binary { dst, .. }
            | Op::Unary { dst, .. }
            | Op::Compare { dst, .. }
            | Op::Extend { dst, .. }
            | Op::StrCompare { dst, .. }
            | Op::Builtin { dst, .. }
            | Op::Load { dst, .. }
            | Op::LoadStr { dst, .. }
            | Op::GetVar { dst, .. }
            | Op::GetElem { dst, .. }
            | Op::Assemble { dst, .. }
            | Op::Call { dst, .. }
            | Op::Recv { dst, .. }
            | Op::Bit { dst, .. } => Some(dst),
            Op::Store { .. }
            | Op::SetVar { .. }
            | Op::SetElem { .. }
            | Op::Aggregate { .. }
            | Op::Record { .. }
            | Op::Send { .. }
            | Op::Work
            | Op::SetBit { .. }
            | Op::Control { .. }
            | Op::FaultPoint { .. } => None,
        }
    };
}

impl Op {
    /// The register it writes.
    pub fn dst(&self) -> Option<Reg> {
        written_register!(self).copied()
    }

    /// The register it writes, to be replaced.
    pub fn dst_mut(&mut self) -> Option<&mut Reg> {
        written_register!(self)
    }

    /// The variable it reads or writes.
    pub fn var(&self) -> Option<VarId> {
        match self {
            Op::GetVar { var, .. }
            | Op::SetVar { var, .. }
            | Op::GetElem { var, .. }
            | Op::SetElem { var, .. } => Some(*var),
            _ => None,
        }
    }

    /// The same, to change it for another of its type.
    pub fn var_mut(&mut self) -> Option<&mut VarId> {
        match self {
            Op::GetVar { var, .. }
            | Op::SetVar { var, .. }
            | Op::GetElem { var, .. }
            | Op::SetElem { var, .. } => Some(var),
            _ => None,
        }
    }

    /// Calls `f` with every register it reads, in order.
    pub fn for_each_src(&self, mut f: impl FnMut(Reg)) {
        match self {
            Op::Const { .. }
            | Op::Str { .. }
            | Op::Null { .. }
            | Op::Builtin { .. }
            | Op::GetVar { .. }
            | Op::Work
            | Op::SetBit { .. }
            | Op::Recv { .. }
            | Op::Bit { .. }
            | Op::FaultPoint { .. } => {}
            Op::Move { src, .. }
            | Op::Unary { src, .. }
            | Op::Extend { src, .. }
            | Op::SetVar { src, .. } => f(*src),
            Op::Binary { lhs, rhs, .. } | Op::Compare { lhs, rhs, .. } | Op::StrCompare { lhs, rhs, .. } => {
                f(*lhs);
                f(*rhs);
            }
            Op::Load { addr, .. } | Op::LoadStr { addr, .. } => f(*addr),
            Op::Store { addr, src, .. } => {
                f(*addr);
                f(*src);
            }
            Op::GetElem { keys, .. } => keys.iter().copied().for_each(f),
            Op::SetElem { keys, src, .. } => {
                keys.iter().copied().for_each(&mut f);
                f(*src);
            }
            Op::Assemble { pieces, .. } => pieces.iter().for_each(|piece| f(piece.src)),
            Op::Aggregate { keys, value, weight, .. } => {
                keys.iter().copied().for_each(&mut f);
                value.iter().copied().for_each(&mut f);
                weight.iter().copied().for_each(f);
            }
            Op::Call { args, .. } | Op::Record { args, .. } => args.iter().copied().for_each(f),
            Op::Send { src, .. } => f(*src),
            Op::Control { status } => status.iter().copied().for_each(f),
        }
    }

    /// Calls `f` with every register it names, to be replaced: sources first, then what it writes.
    pub fn for_each_reg_mut(&mut self, mut f: impl FnMut(&mut Reg)) {
        match self {
            Op::Work | Op::SetBit { .. } | Op::FaultPoint { .. } => {}
            Op::Const { dst, .. }
            | Op::Str { dst, .. }
            | Op::Null { dst }
            | Op::Builtin { dst, .. }
            | Op::GetVar { dst, .. }
            | Op::Recv { dst, .. }
            | Op::Bit { dst, .. } => f(dst),
            Op::Move { dst, src } | Op::Unary { dst, src, .. } | Op::Extend { dst, src, .. } => {
                f(src);
                f(dst);
            }
            Op::Load { dst, addr, .. } | Op::LoadStr { dst, addr, .. } => {
                f(addr);
                f(dst);
            }
            Op::Binary { dst, lhs, rhs, .. }
            | Op::Compare { dst, lhs, rhs, .. }
            | Op::StrCompare { dst, lhs, rhs, .. } => {
                f(lhs);
                f(rhs);
                f(dst);
            }
            Op::Store { addr, src, .. } => {
                f(addr);
                f(src);
            }
            Op::SetVar { src, .. } | Op::Send { src, .. } => f(src),
            Op::GetElem { dst, keys: regs, .. } | Op::Call { dst, args: regs, .. } => {
                regs.iter_mut().for_each(&mut f);
                f(dst);
            }
            Op::SetElem { keys, src, .. } => {
                keys.iter_mut().for_each(&mut f);
                f(src);
            }
            Op::Assemble { dst, pieces, .. } => {
                pieces.iter_mut().for_each(|piece| f(&mut piece.src));
                f(dst);
            }
            Op::Aggregate { keys, value, weight, .. } => {
                keys.iter_mut().chain(value).chain(weight).for_each(f);
            }
            Op::Record { args, .. } => args.iter_mut().for_each(f),
            Op::Control { status } => status.iter_mut().for_each(f),
        }
    }

    /// The kind of register it writes, where that does not depend on the clause's tables. `Move`, `GetVar`, `GetElem`
    /// and `Recv` take the kind of what they read.
    pub fn result_kind(&self) -> Option<RegKind> {
        match self {
            Op::Str { .. } | Op::Null { .. } | Op::LoadStr { .. } | Op::Assemble { .. } => Some(RegKind::Str),
            Op::Builtin { var, .. } if var.row().string => Some(RegKind::Str),
            Op::Call { func, .. } if func.row().result == crate::builtins::Proto::String => {
                Some(RegKind::Str)
            }
            Op::Move { .. } | Op::GetVar { .. } | Op::GetElem { .. } | Op::Recv { .. } => None,
            _ => self.dst().map(|_| RegKind::Int),
        }
    }

    /// Whether it can end the clause with a fault (or, for a dynamic store, silently).
    pub fn may_fault(&self) -> bool {
        match self {
            Op::Binary { op, .. } => op.may_fault(),
            Op::Load { .. }
            | Op::LoadStr { .. }
            | Op::Store { .. }
            | Op::SetElem { .. }
            | Op::FaultPoint { .. } => true,
            Op::Call { func, .. } => func.row().may_fault,
            // A `self->` store can end the clause too; the caller knows the scope.
            _ => false,
        }
    }
}

impl Inst {
    /// See [`Op::may_fault`].
    pub fn may_fault(&self) -> bool {
        self.op.may_fault()
    }
}
