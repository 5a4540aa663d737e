//! Rule 1: which instructions, registers and branches of a clause the kernel part can have, given the homes of
//! variables and aggregations. A [`Flow`] and [`Decisions`] in, [`Sides`] out; decides nothing about homes itself.

use super::Side;
use super::flow::{At, Flow};
use crate::builtins::{Class, Func, Kernel};
use crate::ir::facts::{is_pinned, kernel_arguments, speculates, touches_scratch};
use crate::ir::structure::Within;
use crate::ir::{BlockId, ClauseId, Inst, Op, Program, Reg, RegKind, VarId};

/// What has been decided so far about the whole program: the state of the fixed point. Things only move to U.
#[derive(Clone, Debug)]
pub(super) struct Decisions {
    /// By [`VarId`].
    pub vars: Vec<Side>,
    /// By [`AggSiteId`](crate::ir::AggSiteId).
    pub agg_sites: Vec<Side>,
    /// By clause: where its scratch memory is.
    pub scratch: Vec<Side>,
    /// Some `exit` is decided in U: then no `exit` is decided in K (rule 8).
    pub exit_in_user: bool,
    /// Who keeps which speculations are in use (rule 17).
    pub speculations: Side,
    /// K may write to a process.
    pub writes_user: bool,
    /// Only what is needed to carry out pinned ops is in K (`placement=user`).
    pub pinned_only: bool,
    /// Stores in U are supposed to find room ([`super::lossy`]).
    pub room: bool,
}

/// Where the parts of a clause run.
#[derive(Debug)]
pub(super) struct Sides {
    /// By block and index.
    insts: Vec<Vec<Side>>,
    /// By register: K if its value is at hand in K wherever it is assigned.
    regs: Vec<Side>,
    /// By block: who decides the branch at its end.
    branches: Vec<Side>,
    /// By block: the innermost arm around it whose branch U decides.
    regions: Vec<Option<Within>>,
    /// By block and index: why an effect there cannot be in K; `None`: it can.
    blockers: Vec<Vec<Option<Blocker>>>,
    /// Where the clause's scratch memory is.
    scratch: Side,
    /// By register: what put it in U.
    causes: Vec<Option<Cause>>,
}

/// Why a register is in U.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// The instruction that assigns it is.
    Inst(At),
    /// U decides the branch that selects its value.
    Branch(BlockId),
}

/// Why an effect cannot be in K.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blocker {
    /// It stands under a branch that U decides.
    Under(BlockId),
    /// The op before it may end the clause, and K does not know whether it does.
    After(At),
    /// A branch before it that U decides may end the clause.
    Return(BlockId),
}

impl Sides {
    /// Where an instruction runs. A value on side K is computed there; U may recompute it.
    pub(super) fn inst(&self, at: At) -> Side {
        self.insts[at.block.index()][at.index]
    }

    /// Whether K has the register's value.
    pub(super) fn reg(&self, reg: Reg) -> Side {
        self.regs[reg.index()]
    }

    /// Who decides the branch at the end of a block.
    pub(super) fn branch(&self, head: BlockId) -> Side {
        self.branches[head.index()]
    }

    /// The innermost arm around a block whose branch U decides: K evaluates its code whether U comes there or not.
    pub(super) fn region(&self, block: BlockId) -> Option<Within> {
        self.regions[block.index()]
    }

    /// Why an effect at this place cannot be in K.
    pub(super) fn blocker(&self, at: At) -> Option<Blocker> {
        self.blockers[at.block.index()][at.index]
    }

    /// Whether nothing but K has the value of an op on side K: a pinned op, a read of a variable or of scratch memory
    /// that is there.
    pub(super) fn only_in_kernel(&self, op: &Op) -> bool {
        is_pinned(op)
            || matches!(op, Op::GetVar { .. } | Op::GetElem { .. })
            || speculates(op)
            || (touches_scratch(op) && self.scratch == Side::Kernel)
    }

    /// What put a register in U.
    pub(super) fn cause(&self, reg: Reg) -> Option<Cause> {
        self.causes[reg.index()]
    }
}

/// Classifies a clause.
pub(super) fn classify(program: &Program, flow: &Flow<'_>, clause: ClauseId, decisions: &Decisions) -> Sides {
    let sides = |side: Side| flow.clause.blocks.iter().map(|b| vec![side; b.insts.len()]).collect();
    let blocks = flow.clause.blocks.len();
    let mut found = Sides {
        insts: sides(Side::Kernel),
        regs: vec![Side::Kernel; flow.clause.regs.len()],
        branches: vec![if decisions.pinned_only { Side::User } else { Side::Kernel }; blocks],
        regions: vec![None; blocks],
        blockers: flow.clause.blocks.iter().map(|b| vec![None; b.insts.len()]).collect(),
        scratch: decisions.scratch[clause.index()],
        causes: vec![None; flow.clause.regs.len()],
    };
    while demote_values(program, flow, decisions, &mut found) {}
    if decisions.pinned_only {
        keep_pinned(program, flow, decisions, &mut found);
    }
    found.regions = regions(flow, &found.branches);
    block_effects(program, flow, decisions.room, &mut found);
    found
}

/// One round: moves to U what cannot be in K given what is there already. True if anything moved.
fn demote_values(program: &Program, flow: &Flow<'_>, decisions: &Decisions, found: &mut Sides) -> bool {
    let mut changed = false;
    let to_user = |found: &mut Sides, reg: Reg, cause: Cause| {
        if found.regs[reg.index()] == Side::Kernel {
            found.regs[reg.index()] = Side::User;
            found.causes[reg.index()] = Some(cause);
            return true;
        }
        false
    };
    for (at, inst) in flow.insts() {
        if found.insts[at.block.index()][at.index] == Side::Kernel {
            let mut computable = kernel_knows(program, flow, decisions, inst);
            computable &= found.scratch == Side::Kernel || !touches_scratch(&inst.op);
            inst.op.for_each_src(|reg| computable &= found.regs[reg.index()] == Side::Kernel);
            // A value selected in U is assigned in U; what only K can have is captured where it is assigned.
            let assigned_in_user = inst.op.dst().is_some_and(|dst| found.regs[dst.index()] == Side::User);
            if !computable || (assigned_in_user && !found.only_in_kernel(&inst.op)) {
                found.insts[at.block.index()][at.index] = Side::User;
                changed = true;
                if let Some(dst) = inst.op.dst() {
                    to_user(found, dst, Cause::Inst(at));
                }
            }
        }
    }
    for head in flow.blocks() {
        let Some(cond) = flow.condition(head) else { continue };
        if found.branches[head.index()] == Side::Kernel && found.regs[cond.index()] == Side::User {
            found.branches[head.index()] = Side::User;
            changed = true;
        }
    }
    let regions = regions(flow, &found.branches);
    for reg in (0..flow.clause.regs.len() as u32).map(Reg) {
        let mut around = flow.definitions(reg).iter().map(|at| regions[at.block.index()]);
        let Some(first) = around.next() else { continue };
        if let Some(other) = around.find(|other| *other != first) {
            let head = first.or(other).map_or(BlockId(0), |within| within.head);
            changed |= to_user(found, reg, Cause::Branch(head));
        }
    }
    changed
}

/// Whether K could carry out the instruction if it had the operands.
pub(super) fn kernel_knows(program: &Program, flow: &Flow<'_>, decisions: &Decisions, inst: &Inst) -> bool {
    let home = |var: VarId| decisions.vars[var.index()] == Side::Kernel;
    match &inst.op {
        Op::GetVar { var, .. }
        | Op::GetElem { var, .. }
        | Op::SetVar { var, .. }
        | Op::SetElem { var, .. } => home(*var),
        Op::Aggregate { site, .. } => decisions.agg_sites[site.index()] == Side::Kernel,
        Op::Call { func, args, .. } => {
            let row = func.row();
            (matches!(row.class, Class::Pinned | Class::Free)
                || func.speculates() && decisions.speculations == Side::Kernel)
                && (!matches!(row.kernel, Kernel::Writing(_)) || decisions.writes_user && flow.writes_process)
                && kernel_arguments(program, *func, args, |reg| {
                    flow.only_definition(reg).map(|(_, inst)| inst)
                })
        }
        Op::Builtin { var, .. } => matches!(var.row().class, Class::Pinned | Class::Free),
        Op::Record { .. } | Op::Assemble { .. } => false,
        Op::Const { .. }
        | Op::Str { .. }
        | Op::Null { .. }
        | Op::Move { .. }
        | Op::Binary { .. }
        | Op::Unary { .. }
        | Op::Compare { .. }
        | Op::Extend { .. }
        | Op::StrCompare { .. }
        | Op::Load { .. }
        | Op::LoadStr { .. }
        | Op::Store { .. } => true,
        // The planner's own, which it puts where they belong.
        Op::Send { .. }
        | Op::Work
        | Op::SetBit { .. }
        | Op::Control { .. }
        | Op::Recv { .. }
        | Op::Bit { .. }
        | Op::FaultPoint { .. } => true,
    }
}

/// `placement=user`: moves to U what no pinned op needs.
fn keep_pinned(program: &Program, flow: &Flow<'_>, decisions: &Decisions, found: &mut Sides) {
    let mut keep: Vec<Vec<bool>> = flow.clause.blocks.iter().map(|b| vec![false; b.insts.len()]).collect();
    let mut work: Vec<At> = Vec::new();
    for (at, inst) in flow.insts() {
        if found.inst(at) == Side::Kernel
            && kernel_knows(program, flow, decisions, inst)
            && (is_pinned(&inst.op) || (touches_scratch(&inst.op) && found.scratch == Side::Kernel))
        {
            work.push(at);
        }
    }
    while let Some(at) = work.pop() {
        if !std::mem::replace(&mut keep[at.block.index()][at.index], true)
            && let Some(inst) = flow.inst(at)
        {
            inst.op.for_each_src(|reg| work.extend(flow.definitions(reg)));
        }
    }
    for (at, inst) in flow.insts() {
        if !keep[at.block.index()][at.index] {
            found.insts[at.block.index()][at.index] = Side::User;
            if let Some(dst) = inst.op.dst() {
                found.regs[dst.index()] = Side::User;
            }
        }
    }
}

/// By block: the innermost arm around it whose branch U decides. An arm that goes on while the other returns is not
/// counted: what follows the branch belongs to it.
fn regions(flow: &Flow<'_>, branches: &[Side]) -> Vec<Option<Within>> {
    let undecided = |within: &Within| {
        branches[within.head.index()] == Side::User
            && !flow.returning_at(within.head).is_some_and(|r| r.goes_on(within.arm))
    };
    (0..flow.clause.blocks.len() as u32)
        .map(|block| flow.structure.around(BlockId(block)).find(undecided))
        .collect()
}

/// Whether an instruction may end its clause, by a fault or by a full store.
pub(super) fn may_end(program: &Program, flow: &Flow<'_>, inst: &Inst) -> bool {
    match &inst.op {
        Op::Call { func, args, .. } if faults_on_null_only(flow, *func, args) => {
            !args.iter().all(|&arg| never_null(flow, arg, 8))
        }
        // Storing zero or NULL removes, for which there is always room.
        Op::SetVar { src, .. } | Op::SetElem { src, .. } => {
            let removes = matches!(
                flow.only_definition(*src),
                Some((_, Inst { op: Op::Const { value: 0, .. } | Op::Null { .. }, .. }))
            );
            drops(program, &inst.op) && !removes
        }
        // It ends the clause if there is nothing to record for.
        Op::Call { func: Func::SpecTurn, .. } => true,
        Op::Binary { op, rhs, .. } if op.may_fault() => !matches!(
            flow.only_definition(*rhs),
            Some((_, Inst { op: Op::Const { value, .. }, .. })) if *value != 0
        ),
        op => op.may_fault(),
    }
}

/// Whether nothing but a NULL string can make a subroutine fault (docs/functions.md).
fn faults_on_null_only(flow: &Flow<'_>, func: Func, args: &[Reg]) -> bool {
    match func {
        Func::Strlen
        | Func::Strjoin
        | Func::Strstr
        | Func::Strchr
        | Func::Strrchr
        | Func::Index
        | Func::Rindex
        | Func::Substr
        | Func::Basename
        | Func::Dirname
        | Func::Cleanpath
        | Func::Tolower
        | Func::Toupper => true,
        Func::Lltostr | Func::Strtoll => args.get(1).is_none_or(|&base| {
            matches!(flow.only_definition(base), Some((_, Inst { op: Op::Const { value: 2..=36, .. }, .. })))
        }),
        _ => false,
    }
}

/// Whether a register is an integer or a string that is not NULL. Follows `depth` moves at most.
fn never_null(flow: &Flow<'_>, reg: Reg, depth: u32) -> bool {
    let not_null = |inst: &Inst| match inst.op {
        Op::Str { .. } | Op::Builtin { .. } | Op::LoadStr { .. } | Op::Assemble { .. } => true,
        Op::Call { func, .. } => !func.may_be_null(),
        Op::Move { src, .. } => depth > 0 && never_null(flow, src, depth - 1),
        _ => false,
    };
    let definitions = flow.definitions(reg);
    flow.clause.regs[reg.index()] == RegKind::Int
        || !definitions.is_empty() && definitions.iter().all(|&at| flow.inst(at).is_some_and(not_null))
}

/// Whether an op is a store that ends the clause if it finds no room.
pub(super) fn drops(program: &Program, op: &Op) -> bool {
    match op {
        Op::SetVar { var, .. } | Op::SetElem { var, .. } => {
            let variable = &program.vars[var.index()];
            variable.is_dynamic() && !variable.lossy
        }
        _ => false,
    }
}

/// Whether an instruction ends its clause without a fault, so that nothing is told of it.
pub(super) fn ends_silently(program: &Program, op: &Op) -> bool {
    drops(program, op) || matches!(op, Op::Call { func: Func::SpecTurn, .. })
}

/// Finds for each instruction why an effect there cannot be in K: one pass, as edges go forwards.
fn block_effects(program: &Program, flow: &Flow<'_>, room: bool, found: &mut Sides) {
    let mut entry: Vec<Option<Blocker>> = vec![None; flow.clause.blocks.len()];
    for r in flow.returning.iter().filter(|r| found.branches[r.head.index()] == Side::User) {
        for block in flow.blocks().filter(|&block| r.controls(block)) {
            entry[block.index()].get_or_insert(Blocker::Return(r.head));
        }
    }
    for block in flow.blocks() {
        let region = found.regions[block.index()];
        let mut open = entry[block.index()];
        for (index, inst) in flow.clause.blocks[block.index()].insts.iter().enumerate() {
            found.blockers[block.index()][index] = region.map(|r| Blocker::Under(r.head)).or(open);
            let side = found.insts[block.index()][index];
            let undecided = region.is_some() || side == Side::User;
            let supposed = room && drops(program, &inst.op);
            if undecided && !supposed && may_end(program, flow, inst) {
                open = open.or(Some(Blocker::After(At { block, index })));
            }
        }
        for to in flow.clause.blocks[block.index()].end.targets() {
            if let Some(open) = open {
                entry[to.index()].get_or_insert(open);
            }
        }
    }
}
