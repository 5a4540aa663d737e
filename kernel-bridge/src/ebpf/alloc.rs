//! Where a clause's virtual registers live: liveness over the acyclic code, then one linear scan.
//!
//! Takes a kernel clause and what the emitter says of each op (does it clobber the caller-saved registers), gives a home
//! for every integer and every string register. Emits nothing.
//!
//! Since blocks stand in topological order and there are no loops, a register is live at most from its first to its
//! last mention, and that interval is what is allocated.

use dtrail_lang::ir::{Clause, Op, Reg, RegKind, StrId, Terminator};

use super::asm::{Mreg, R2, R3, R4, R5};
use dtrail_lang::builtins::{BuiltinVar, Func};

/// Where an integer register lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// Nowhere: it is never written, or its comparison is part of the branch.
    None,
    /// It is this constant everywhere.
    Const(i64),
    /// A machine register.
    Reg(Mreg),
    /// A slot of the frame, by number; the numbers beyond [`STACK_SLOTS`] are words of scratch.
    Slot(u32),
}

/// Where a string register lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StrHome {
    /// Nowhere: it is never written.
    None,
    /// NULL everywhere.
    Null,
    /// A constant everywhere.
    Const(StrId),
    /// The command name in the context.
    Comm,
    /// A component of the firing probe's name.
    Probe(BuiltinVar),
    /// A buffer in scratch, by number.
    Buffer(u32),
}

/// How many slots a frame has: the stack is short.
pub(super) const STACK_SLOTS: u32 = 16;

/// The result for one clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Allocation {
    /// By register; [`Home::None`] for strings.
    pub(super) homes: Vec<Home>,
    /// By register; [`StrHome::None`] for integers.
    pub(super) strings: Vec<StrHome>,
    /// By block: the instruction whose comparison its branch decides by itself.
    pub(super) fused: Vec<Option<usize>>,
    /// Slots in use.
    pub(super) slots: u32,
    /// String buffers in use.
    pub(super) buffers: u32,
    /// Callee-saved registers in use, of those offered.
    pub(super) callee_saved: Vec<Mreg>,
}

/// What the emitter says about an op.
pub(super) trait OpFacts {
    /// Whether its code clobbers `R2` to `R5`. All ops may clobber `R0` and `R1`.
    fn clobbers(&self, op: &Op) -> bool;
}

/// Registers that hold values which no clobbering op interrupts.
const CALLER_SAVED: [Mreg; 4] = [R2, R3, R4, R5];

/// A live interval, in the positions of [`Positions`].
#[derive(Clone, Copy, Debug)]
struct Interval {
    start: u32,
    end: u32,
}

/// Allocates. `offered` are the callee-saved registers the emitter does not need for itself.
pub(super) fn allocate(clause: &Clause, facts: &impl OpFacts, offered: &[Mreg]) -> Allocation {
    let mentions = Mentions::of(clause);
    let fused = fuse(clause, &mentions);
    let roots = string_roots(clause, &mentions);
    let (intervals, clobbers) = intervals(clause, facts, &fused, &roots);

    let mut result = Allocation {
        homes: vec![Home::None; clause.regs.len()],
        strings: vec![StrHome::None; clause.regs.len()],
        fused,
        slots: 0,
        buffers: 0,
        callee_saved: Vec::new(),
    };
    let mut order: Vec<usize> = (0..clause.regs.len()).filter(|&r| intervals[r].is_some()).collect();
    order.sort_by_key(|&r| intervals[r].map_or(0, |i| i.start));

    let mut registers = Pool::default();
    let mut slots = Pool::default();
    let mut buffers = Pool::default();
    for r in order {
        let Some(interval) = intervals[r] else { continue };
        match clause.regs[r] {
            RegKind::Int => {
                if let Some(value) = mentions.constant(clause, r) {
                    result.homes[r] = Home::Const(value);
                    continue;
                }
                // They are in the order of the code: of those that come late enough the first decides.
                let late = clobbers.partition_point(|&c| c + 2 <= interval.start);
                let interrupted = clobbers.get(late).is_some_and(|&c| interval.end > c);
                let caller_saved = if interrupted { &[][..] } else { &CALLER_SAVED[..] };
                let wanted = caller_saved.iter().chain(offered).map(|m| u32::from(m.0));
                result.homes[r] = match registers.take_one_of(wanted, interval) {
                    Some(m) => {
                        let m = Mreg(m as u8);
                        if offered.contains(&m) && !result.callee_saved.contains(&m) {
                            result.callee_saved.push(m);
                        }
                        Home::Reg(m)
                    }
                    None => Home::Slot(slots.take(interval)),
                };
            }
            RegKind::Str if roots[r] == r => {
                result.strings[r] = match mentions.alias(clause, r) {
                    Some(home) => home,
                    None => StrHome::Buffer(buffers.take(interval)),
                };
            }
            RegKind::Str => {}
        }
    }
    for (r, &root) in roots.iter().enumerate() {
        result.strings[r] = result.strings[root];
    }
    result.slots = slots.count;
    result.buffers = buffers.count;
    result
}

/// Things handed out for intervals; a thing is free again after its interval's end.
#[derive(Default)]
struct Pool {
    busy: Vec<(u32, u32)>,
    count: u32,
}

impl Pool {
    fn is_free(&self, thing: u32, interval: Interval) -> bool {
        self.busy.iter().all(|&(t, end)| t != thing || end < interval.start)
    }

    fn take_one_of(&mut self, mut wanted: impl Iterator<Item = u32>, interval: Interval) -> Option<u32> {
        let thing = wanted.find(|&t| self.is_free(t, interval))?;
        self.busy.retain(|&(_, end)| end >= interval.start);
        self.busy.push((thing, interval.end));
        Some(thing)
    }

    fn take(&mut self, interval: Interval) -> u32 {
        let count = self.count;
        match self.take_one_of(0..count, interval) {
            Some(thing) => thing,
            None => {
                self.count += 1;
                self.busy.push((count, interval.end));
                count
            }
        }
    }
}

/// Where each register is written and read.
struct Mentions {
    /// The writes: block and instruction.
    defs: Vec<Vec<(usize, usize)>>,
    /// How often it is read.
    uses: Vec<u32>,
}

impl Mentions {
    fn of(clause: &Clause) -> Mentions {
        let mut mentions =
            Mentions { defs: vec![Vec::new(); clause.regs.len()], uses: vec![0; clause.regs.len()] };
        for (b, block) in clause.blocks.iter().enumerate() {
            for (i, inst) in block.insts.iter().enumerate() {
                inst.op.for_each_src(|r| mentions.uses[r.index()] += 1);
                if let Some(dst) = inst.op.dst() {
                    mentions.defs[dst.index()].push((b, i));
                }
            }
            if let Terminator::Branch { cond, .. } = block.end {
                mentions.uses[cond.index()] += 1;
            }
        }
        mentions
    }

    /// The only op that writes a register.
    fn only_def<'c>(&self, clause: &'c Clause, r: usize) -> Option<&'c Op> {
        match self.defs[r][..] {
            [(b, i)] => Some(&clause.blocks[b].insts[i].op),
            _ => None,
        }
    }

    fn constant(&self, clause: &Clause, r: usize) -> Option<i64> {
        match self.only_def(clause, r) {
            Some(&Op::Const { value, .. }) => Some(value),
            _ => None,
        }
    }

    /// A home that needs no copy, if what the register is read from cannot change while the clause runs.
    fn alias(&self, clause: &Clause, r: usize) -> Option<StrHome> {
        match *self.only_def(clause, r)? {
            Op::Str { value, .. } => Some(StrHome::Const(value)),
            Op::Null { .. } => Some(StrHome::Null),
            Op::Builtin { var: BuiltinVar::Execname, .. } => Some(StrHome::Comm),
            Op::Builtin { var, .. } => Some(StrHome::Probe(var)),
            _ => None,
        }
    }
}

/// Finds comparisons that only the branch at their block's end reads.
fn fuse(clause: &Clause, mentions: &Mentions) -> Vec<Option<usize>> {
    let mut fused = Vec::with_capacity(clause.blocks.len());
    for (b, block) in clause.blocks.iter().enumerate() {
        let candidate = match block.end {
            Terminator::Branch { cond, .. } if mentions.uses[cond.index()] == 1 => {
                match mentions.defs[cond.index()][..] {
                    [(at, i)] if at == b => Some(i),
                    _ => None,
                }
            }
            _ => None,
        };
        fused.push(candidate.filter(|&i| {
            let op = &block.insts[i].op;
            let mut unchanged = true;
            op.for_each_src(|src| {
                unchanged &= block.insts[i + 1..].iter().all(|later| later.op.dst() != Some(src));
            });
            unchanged && matches!(op, Op::Compare { .. } | Op::StrCompare { .. })
        }));
    }
    fused
}

/// For each string register the one whose home it shares: moves of single-definition registers copy nothing.
fn string_roots(clause: &Clause, mentions: &Mentions) -> Vec<usize> {
    let mut roots: Vec<usize> = (0..clause.regs.len()).collect();
    for block in &clause.blocks {
        for inst in &block.insts {
            if let Op::Move { dst, src } = inst.op
                && clause.regs[dst.index()] == RegKind::Str
                && mentions.defs[dst.index()].len() == 1
                && mentions.defs[src.index()].len() == 1
            {
                roots[dst.index()] = roots[src.index()];
            }
        }
    }
    roots
}

/// Live intervals by register, and the positions of clobbering ops in ascending order.
///
/// Instruction number `n` reads at `4n` what it may overwrite, at `4n + 1` what must survive its own code, and writes at
/// `4n + 2`; a string that it still reads when it has begun to write its result, it reads at `4n + 2` too.
fn intervals(
    clause: &Clause,
    facts: &impl OpFacts,
    fused: &[Option<usize>],
    roots: &[usize],
) -> (Vec<Option<Interval>>, Vec<u32>) {
    let mut intervals: Vec<Option<Interval>> = vec![None; clause.regs.len()];
    let mut clobbers = Vec::new();
    let mut touch = |r: Reg, at: u32| {
        let r = if clause.regs[r.index()] == RegKind::Str { roots[r.index()] } else { r.index() };
        let interval = intervals[r].get_or_insert(Interval { start: at, end: at });
        interval.start = interval.start.min(at);
        interval.end = interval.end.max(at);
    };
    let mut at = 0;
    for (b, block) in clause.blocks.iter().enumerate() {
        for (i, inst) in block.insts.iter().enumerate() {
            if fused[b] != Some(i) {
                let clobbering = facts.clobbers(&inst.op);
                if clobbering {
                    clobbers.push(at);
                }
                inst.op.for_each_src(|r| {
                    let string = clause.regs[r.index()] == RegKind::Str;
                    let joined = string && matches!(inst.op, Op::Call { func: Func::Strjoin, .. });
                    touch(r, at + if joined { 2 } else { u32::from(clobbering || string) });
                });
                if let Some(dst) = inst.op.dst() {
                    touch(dst, at + 2);
                }
            }
            at += 4;
        }
        match (&block.end, fused[b]) {
            (Terminator::Branch { .. }, Some(i)) => {
                let op = &block.insts[i].op;
                let clobbering = facts.clobbers(op);
                if clobbering {
                    clobbers.push(at);
                }
                op.for_each_src(|r| touch(r, at + 1));
            }
            (Terminator::Branch { cond, .. }, None) => touch(*cond, at),
            _ => {}
        }
        at += 4;
    }
    (intervals, clobbers)
}
