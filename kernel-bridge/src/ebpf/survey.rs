//! What a kernel clause needs, found by one look over its ops before any code is generated: context fields, scratch
//! memory, whether it can have something to send, whether it can end tracing.

use std::collections::BTreeMap;

use dtrail_lang::builtins::{BuiltinVar, Func};
use dtrail_lang::ir::definitions::Definitions;
use dtrail_lang::ir::{AddrSpace, Clause, ClauseId, CmpOp, Op, Reg, RegKind, Scope, Terminator, VarId};
use dtrail_lang::plan::{KeyPart, Plan, SlotKind};

use super::context::{Field, Needs};
use super::stacks;

/// The result for one clause.
#[derive(Clone, Debug, Default)]
pub(super) struct ClauseFacts {
    /// What it needs of the context.
    pub(super) needs: Needs,
    /// Whether its code reads the context at all.
    pub(super) context: bool,
    /// Whether its code reads scratch memory.
    pub(super) scratch: bool,
    /// Whether a path through it has something for user space.
    pub(super) sends: bool,
    /// Whether it can shut the gate.
    pub(super) exits: bool,
    /// Whether a path through it marks work for user space.
    pub(super) works: bool,
    /// Strings it may append to the record's tail, but for the command name.
    pub(super) tail_strings: u32,
    /// How many slots it may fill with the command name.
    pub(super) sent_names: u32,
    /// Bytes of blocks it may append there, each rounded up to a word.
    pub(super) tail_bytes: u32,
    /// The largest block it reads.
    pub(super) block: u32,
    /// By block: the bytes it may have.
    pub(super) blocks: BTreeMap<Reg, u32>,
    /// Whether it walks paths.
    pub(super) paths: bool,
    /// Whether it uses `copyin` memory.
    pub(super) memory: bool,
    /// Clause-local strings.
    pub(super) firing_strings: Vec<VarId>,
    /// Words of the largest stack that it takes.
    pub(super) stack_words: u32,
    /// Whether it gives stacks numbers.
    pub(super) numbers: bool,
    /// Whether it updates a state that has a copy for each program.
    pub(super) copies: bool,
}

/// Looks at every clause; clauses without a kernel part have the default facts.
pub(super) fn survey(plan: &Plan, inject: bool) -> Vec<ClauseFacts> {
    (0..plan.program.clauses.len().max(plan.kernel.len()))
        .map(|i| {
            let id = ClauseId(i as u32);
            match plan.kernel.get(i).and_then(Option::as_ref) {
                Some(clause) => survey_clause(plan, id, clause, inject),
                None => ClauseFacts::default(),
            }
        })
        .collect()
}

fn survey_clause(plan: &Plan, id: ClauseId, clause: &Clause, inject: bool) -> ClauseFacts {
    let mut facts = ClauseFacts::default();
    let layout = &plan.clause_layouts[id.index()];
    facts.sends |= layout.fault.is_some();
    facts.needs.area |= layout.bits.is_some();
    let definitions = Definitions::new(clause);
    facts.blocks = block_sizes(clause, &definitions, plan.program.limits.scratchsize);
    for block in &clause.blocks {
        for inst in &block.insts {
            facts.scratch |= reads_cells(plan, clause, &definitions, &inst.op);
            let dst = inst.op.dst().filter(|dst| clause.regs[dst.index()] == RegKind::Str);
            facts.scratch |= dst.is_some_and(|dst| needs_buffer(&definitions, dst));
        }
        facts.needs.area |= matches!(block.end, Terminator::Attempt { .. });
        for inst in &block.insts {
            op_needs(plan, id, &inst.op, inject, &mut facts);
            if let Op::Send { src, .. } = inst.op
                && matches!(only(&definitions, src), Some(Op::Builtin { var: BuiltinVar::Execname, .. }))
            {
                facts.tail_strings -= 1;
                facts.sent_names += 1;
            }
        }
    }
    facts.sends |= facts.works;
    facts.needs.area |= facts.sends;
    facts.needs.exit |= facts.exits;
    facts.context = facts.needs != Needs::default();
    facts
}

fn op_needs(plan: &Plan, id: ClauseId, op: &Op, inject: bool, facts: &mut ClauseFacts) {
    match op {
        Op::Builtin { var, index, .. } => {
            facts.needs.builtin(*var, *index);
            facts.stack_words = facts.stack_words.max(stacks::builtin_words(*var));
        }
        Op::Work => facts.works = true,
        Op::Send { slot, src } => {
            facts.needs.area = true;
            let slots = &plan.clause_layouts[id.index()].slots;
            if slots.get(slot.0 as usize).is_some_and(|slot| slot.kind == SlotKind::Bytes) {
                let size = facts.blocks.get(src).copied().unwrap_or(0);
                facts.tail_bytes += size.next_multiple_of(8);
                facts.scratch = true;
            }
            let is_string = plan.clause_layouts[id.index()]
                .slots
                .get(slot.0 as usize)
                .is_some_and(|slot| slot.kind == SlotKind::Str);
            if is_string {
                facts.tail_strings += 1;
                facts.scratch = true;
            }
        }
        Op::SetBit { .. } => facts.needs.area = true,
        Op::Control { status } => {
            facts.exits |= status.is_some();
            facts.needs.cut |= status.is_none();
        }
        Op::GetVar { var, .. } => var_needs(plan, *var, inject, facts),
        Op::SetVar { var, .. } => var_needs(plan, *var, inject, facts),
        Op::GetElem { var, .. } | Op::SetElem { var, .. } => elem_needs(plan, *var, facts),
        Op::Aggregate { site, .. } => {
            let placement = plan.agg_sites.get(site.index());
            let key = placement.map_or(&[][..], |p| &p.key);
            facts.scratch |= !super::keys::fits_stack(key, plan.program.limits.strsize);
            for part in key {
                match part {
                    KeyPart::Int | KeyPart::Str => {}
                    KeyPart::Execname => facts.needs.builtin(BuiltinVar::Execname, 0),
                    KeyPart::Probe(_) => facts.needs.probe = true,
                }
            }
            let func =
                plan.program.agg_sites.get(site.index()).map(|s| plan.program.aggs[s.agg.index()].func);
            facts.copies |= func.is_some_and(super::maps::needs_copies);
        }
        Op::Load { space, .. } if *space == AddrSpace::Scratch => facts.memory = true,
        Op::LoadStr { space, .. } => {
            facts.scratch = true;
            facts.memory |= *space == AddrSpace::Scratch;
        }
        Op::Store { .. } => facts.memory = true,
        Op::Call { dst, func, .. } => {
            facts.memory |= matches!(func, Func::Copyin | Func::Alloca | Func::Scratch | Func::Fill);
            facts.paths |= *func == Func::Path;
            if let Func::Stack | Func::Ustack | Func::Uaddr = func {
                facts.numbers = true;
                facts.stack_words = stacks::MOST_WORDS;
                facts.needs.hook |= *func != Func::Uaddr;
                facts.needs.fields.add(Field::Time);
                if *func != Func::Stack {
                    facts.needs.fields.add(Field::PidTgid);
                }
            }
            if func.speculates() && *func != Func::SpecTurn {
                facts.scratch = true;
                facts.needs.fields.add(Field::Time);
                facts.needs.turns |= *func != Func::Speculation;
            }
            if matches!(func, Func::Block | Func::Scratch) {
                let size = facts.blocks.get(dst).copied().unwrap_or(0);
                facts.block = facts.block.max(size);
                facts.scratch = true;
            }
            if *func == Func::Progenyof && inject {
                facts.needs.fields.add(Field::PidTgid);
                facts.needs.fields.add(Field::Ppid);
            }
        }
        // Nothing but their operands, or nothing that a kernel part has.
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
        | Op::Assemble { .. }
        | Op::Record { .. }
        | Op::Recv { .. }
        | Op::Bit { .. }
        | Op::FaultPoint { .. } => {}
    }
    facts.scratch |= facts.memory || facts.stack_words > 0;
}

fn var_needs(plan: &Plan, var: VarId, inject: bool, facts: &mut ClauseFacts) {
    let Some(variable) = plan.program.vars.get(var.index()) else { return };
    let string = variable.ty.reg_kind() == RegKind::Str;
    match variable.scope {
        Scope::Global => {}
        Scope::ThreadLocal => {
            facts.needs.fields.add(Field::Task);
            if inject {
                facts.needs.fields.add(Field::PidTgid);
                facts.needs.fields.add(Field::Start);
            }
        }
        Scope::ClauseLocal if string => {
            facts.scratch = true;
            facts.firing_strings.push(var);
        }
        Scope::ClauseLocal => {
            if !facts.needs.firing.contains(&var) {
                facts.needs.firing.push(var);
            }
        }
    }
}

/// An element's key is built in scratch unless it is small; its value lies there if it is a string.
fn elem_needs(plan: &Plan, var: VarId, facts: &mut ClauseFacts) {
    let key = plan.homes.get(var.index()).map_or(&[][..], |home| &home.key);
    facts.scratch |= !super::keys::fits_stack(key, plan.program.limits.strsize);
    facts.scratch |= plan.program.vars.get(var.index()).is_some_and(|v| v.ty.reg_kind() == RegKind::Str);
}

/// Whether an op reads a string as a cell, which the command name must be made into.
fn reads_cells(plan: &Plan, clause: &Clause, definitions: &Definitions<'_>, op: &Op) -> bool {
    // Only equality knows the command name and constants where they lie; order compares cells.
    if let Op::StrCompare { op: CmpOp::Eq | CmpOp::Ne, lhs, rhs, .. } = op {
        let simple = |r: &Reg| {
            let def = only(definitions, *r);
            matches!(def, Some(Op::Str { .. })) || matches!(def, Some(Op::Builtin { .. }))
        };
        let constant = |r: &Reg| matches!(only(definitions, *r), Some(Op::Str { .. }));
        let short = plan.program.limits.strsize < 16;
        return short || !(simple(lhs) && simple(rhs) && (constant(lhs) || constant(rhs)));
    }
    let mut reads = false;
    op.for_each_src(|r| reads |= clause.regs[r.index()] == RegKind::Str);
    reads
}

/// The only op that writes a register.
fn only<'a>(definitions: &Definitions<'a>, r: Reg) -> Option<&'a Op> {
    definitions.only(r).map(|inst| &inst.op)
}

/// Whether a string register can need memory of its own. Coarser than the allocation: it may say yes for nothing.
fn needs_buffer(definitions: &Definitions<'_>, r: Reg) -> bool {
    !matches!(only(definitions, r), Some(Op::Str { .. } | Op::Null { .. } | Op::Builtin { .. }))
}

/// How many bytes each block may have; nothing of those whose size is not known here. `most` is what scratch memory has.
fn block_sizes(clause: &Clause, definitions: &Definitions<'_>, most: u32) -> BTreeMap<Reg, u32> {
    let mut sizes = BTreeMap::new();
    for inst in clause.blocks.iter().flat_map(|block| &block.insts) {
        if let Op::Call { dst, func: Func::Block | Func::Scratch, args } = &inst.op
            && let Some(&size) = args.get(1)
        {
            let size = match only(definitions, size) {
                Some(Op::Const { value, .. }) => u32::try_from(*value).ok(),
                Some(Op::Call { func: Func::Size, .. }) => Some(most),
                _ => None,
            };
            if let Some(size) = size {
                sizes.entry(*dst).or_insert(size);
            }
        }
    }
    sizes
}
