//! Checks IR against the rules of [`super`] and [`super::inst`]: a program or a clause in, nothing out, or a report of
//! the first rule that is broken. A report means a mistake in the pass before, never in the user's text.
//!
//! Runs after lowering on the whole program and after planning on both parts of each clause. Never panics on what it
//! is given.

use std::collections::HashSet;

use super::definitions::Definitions;
use super::facts::{BRANCH_BITS, acts, changes_scratch, is_pinned, kernel_arguments, speculates};
use super::slots::{ClauseLayout, SlotKind};
use super::structure::{Arm, structure};
use super::{
    BlockId, Clause, ClauseId, CmpOp, Detail, Inst, Op, Program, Reg, RegKind, Scope, SlotId, Terminator,
    ValueType, VarId, print,
};
use crate::builtins::aggs::Shape;
use crate::builtins::symbolic::sampled;
use crate::builtins::{Action, ActionKind, AggFn, Class, Proto};

/// What a clause's code is for.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// As lowered.
    Whole,
    /// What runs in the kernel.
    Kernel(&'a ClauseLayout),
    /// What runs over a record.
    User(&'a ClauseLayout),
}

/// Checks the tables of a program and every clause of it.
pub fn program(program: &Program) -> Result<(), String> {
    tables(program)?;
    for (i, code) in program.clauses.iter().enumerate() {
        clause(program, ClauseId(i as u32), code, Part::Whole)?;
    }
    Ok(())
}

/// Checks one clause, or a part of it, against correct tables.
pub fn clause(program: &Program, id: ClauseId, clause: &Clause, part: Part<'_>) -> Result<(), String> {
    let what = match part {
        Part::Whole => "",
        Part::Kernel(_) => ", kernel part",
        Part::User(_) => ", user part",
    };
    let cx = Checker { program, id, clause, part, definitions: Definitions::new(clause) };
    cx.check().map_err(|why| format!("clause c{}{what}: {why}", id.0))
}

fn require(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

fn tables(program: &Program) -> Result<(), String> {
    let types = |types: &[ValueType]| {
        types.iter().all(|ty| match ty {
            ValueType::Int { bits, .. } => matches!(bits, 8 | 16 | 32 | 64),
            ValueType::Pointer | ValueType::Str | ValueType::Symbolic(_) | ValueType::Bytes(_) => true,
            ValueType::Float(bytes) => matches!(bytes, 4 | 8 | 16),
        })
    };
    let clauses = program.clauses.len();
    for (i, var) in program.vars.iter().enumerate() {
        let keys = var.keys.as_deref();
        require(types(&[var.ty]) && types(keys.unwrap_or(&[])), || format!("variable {i}: bad type"))?;
        require(keys != Some(&[]), || format!("variable {i}: an array without keys"))?;
        require(var.scope != Scope::ClauseLocal || keys.is_none(), || {
            format!("variable {i}: a local array")
        })?;
    }
    let mut names = HashSet::new();
    for (i, agg) in program.aggs.iter().enumerate() {
        require(types(&agg.keys), || format!("aggregation {i}: bad key type"))?;
        let fits = match (agg.func, agg.shape) {
            (AggFn::Lquantize, Shape::Linear(linear)) => linear.step != 0 && linear.levels() > 0,
            (AggFn::Llquantize, Shape::LogLinear(shape)) => shape.check().is_ok(),
            (AggFn::Percentile, Shape::Percentiles(percentiles)) => !percentiles.hundredths().is_empty(),
            (AggFn::Distinct, Shape::Distinct { .. }) => true,
            (AggFn::Topk, Shape::Top { wanted, .. }) => wanted > 0,
            (AggFn::Lquantize | AggFn::Llquantize, _) => false,
            (_, shape) => shape == Shape::Plain,
        };
        require(fits, || format!("aggregation {i}: shape does not fit its function"))?;
        require(names.insert(&agg.name), || format!("aggregation {i}: name used twice"))?;
    }
    for (i, string) in program.strings.iter().enumerate() {
        require(!string.contains(&0), || format!("string {i}: has a NUL"))?;
    }
    for (i, site) in program.agg_sites.iter().enumerate() {
        require(site.agg.index() < program.aggs.len() && site.clause.index() < clauses, || {
            format!("aggregation site {i}: names what does not exist")
        })?;
    }
    for (i, site) in program.sites.iter().enumerate() {
        require(site.clause.index() < clauses && types(&site.args), || format!("action site {i}: bad"))?;
        let aggs = match (&site.detail, site.action) {
            (
                Detail::None,
                Action::Default
                | Action::Trace
                | Action::Exit
                | Action::Tracemem
                | Action::Pcap
                | Action::Ftruncate
                | Action::Raise
                | Action::Stop
                | Action::Speculate
                | Action::Commit
                | Action::Discard,
            ) => &[][..],
            (Detail::Format(_), Action::Printf | Action::System | Action::Freopen)
            | (Detail::Option { .. }, Action::Setopt)
            | (Detail::Shape(_), Action::Print) => &[],
            (Detail::None, action) if sampled(action).is_some() => &[],
            (Detail::Printa { aggs, .. }, Action::Printa) if !aggs.is_empty() => aggs,
            (Detail::Agg(agg), Action::Clear | Action::Trunc | Action::Normalize | Action::Denormalize) => {
                std::slice::from_ref(agg)
            }
            _ => return Err(format!("action site {i}: detail does not fit the action")),
        };
        require(aggs.iter().all(|agg| agg.index() < program.aggs.len()), || {
            format!("action site {i}: names an aggregation that does not exist")
        })?;
        let arguments = match site.action {
            Action::Default
            | Action::Clear
            | Action::Denormalize
            | Action::Printa
            | Action::Ftruncate
            | Action::Setopt
            | Action::Raise
            | Action::Stop => site.args.is_empty(),
            Action::Trace => site.args.len() == 1,
            Action::Tracemem => {
                matches!(site.args[..], [ValueType::Bytes(_)] | [ValueType::Bytes(_), ValueType::Int { .. }])
            }
            // A pointer and what it points to, or a value.
            Action::Print => matches!(site.args[..], [_] | [ValueType::Pointer, ValueType::Bytes(_)]),
            Action::Exit | Action::Normalize | Action::Speculate | Action::Commit | Action::Discard => {
                matches!(site.args[..], [ValueType::Int { .. }])
            }
            Action::Trunc => matches!(site.args[..], [] | [ValueType::Int { .. }]),
            Action::Printf | Action::System | Action::Freopen => true,
            // Bytes, how many there were, how many are elsewhere, the time, the kind of packet.
            Action::Pcap => matches!(
                site.args[..],
                [
                    ValueType::Bytes(_),
                    ValueType::Int { .. },
                    ValueType::Int { .. },
                    ValueType::Int { .. },
                    ValueType::Int { .. }
                ]
            ),
            Action::Chill | Action::Panic | Action::Breakpoint => false,
            action => match (sampled(action), &site.args[..]) {
                (Some((kind, _)), [ValueType::Symbolic(recorded)]) => kind == *recorded,
                _ => false,
            },
        };
        require(arguments, || format!("action site {i}: wrong arguments"))?;
    }
    for (i, enabling) in program.enablings.iter().enumerate() {
        require(
            enabling.clause.index() < clauses
                && enabling.probes.iter().all(|probe| probe.index() < program.probes.len()),
            || format!("enabling {i}: names what does not exist"),
        )?;
    }
    Ok(())
}

struct Checker<'a> {
    program: &'a Program,
    id: ClauseId,
    clause: &'a Clause,
    part: Part<'a>,
    definitions: Definitions<'a>,
}

impl Checker<'_> {
    fn check(&self) -> Result<(), String> {
        let blocks = &self.clause.blocks;
        let structure = structure(blocks)?;
        for (i, block) in blocks.iter().enumerate() {
            let in_attempt = structure.around(BlockId(i as u32)).any(|within| within.arm == Arm::Body);
            for inst in &block.insts {
                let described = |why: String| format!("b{i}: `{}`: {why}", self.text(inst));
                self.inst(&inst.op).map_err(described)?;
                self.side(inst, in_attempt).map_err(described)?;
            }
            self.terminator(&block.end, in_attempt).map_err(|why| format!("b{i}: {why}"))?;
        }
        if let Part::Whole = self.part {
            self.points()?;
        }
        self.assigned()
    }

    fn text(&self, inst: &Inst) -> String {
        print::inst(self.program, self.clause, inst)
    }

    /// A fault names an instruction by its point, so points are unique.
    fn points(&self) -> Result<(), String> {
        let mut points: Vec<u32> =
            self.clause.blocks.iter().flat_map(|b| &b.insts).map(|inst| inst.point).collect();
        points.sort_unstable();
        match points.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("point {} is used twice", pair[0])),
            None => Ok(()),
        }
    }

    fn kind(&self, reg: Reg) -> Result<RegKind, String> {
        self.clause.regs.get(reg.index()).copied().ok_or_else(|| format!("register {} does not exist", reg.0))
    }

    fn is(&self, reg: Reg, kind: RegKind) -> Result<(), String> {
        let found = self.kind(reg)?;
        require(found == kind, || format!("register {} is {found:?}, not {kind:?}", reg.0))
    }

    fn are(&self, regs: &[Reg], types: &[ValueType]) -> Result<(), String> {
        require(regs.len() == types.len(), || format!("{} values for {}", regs.len(), types.len()))?;
        regs.iter().zip(types).try_for_each(|(&reg, ty)| self.is(reg, ty.reg_kind()))
    }

    fn slot(&self, slot: SlotId) -> Result<SlotKind, String> {
        let (Part::Kernel(layout) | Part::User(layout)) = self.part else {
            return Err("a slot outside of a plan".to_owned());
        };
        let slot = layout.slots.get(slot.0 as usize);
        slot.map(|slot| slot.kind).ok_or_else(|| "a slot that does not exist".to_owned())
    }

    /// A slot that holds a value of the register's kind.
    fn value_slot(&self, slot: SlotId, reg: Reg) -> Result<(), String> {
        let kind = match self.slot(slot)? {
            SlotKind::Int => RegKind::Int,
            SlotKind::Str | SlotKind::Bytes => RegKind::Str,
            SlotKind::Fault => return Err("a fault slot as a value".to_owned()),
        };
        self.is(reg, kind)
    }

    /// A variable with its value in `reg`, and with keys if it is an array.
    fn variable(&self, var: VarId, keys: Option<&[Reg]>, reg: Reg) -> Result<(), String> {
        let Some(variable) = self.program.vars.get(var.index()) else {
            return Err("a variable that does not exist".to_owned());
        };
        self.is(reg, variable.ty.reg_kind())?;
        match (&variable.keys, keys) {
            (None, None) => Ok(()),
            (Some(types), Some(keys)) => self.are(keys, types),
            _ => Err("an array as a scalar or the other way round".to_owned()),
        }
    }

    /// Operands, kinds and ids.
    fn inst(&self, op: &Op) -> Result<(), String> {
        use RegKind::{Int, Str};
        if let (Some(dst), Some(kind)) = (op.dst(), op.result_kind()) {
            self.is(dst, kind)?;
        }
        match op {
            Op::Const { .. } | Op::Null { .. } | Op::Work => Ok(()),
            Op::Str { value, .. } => require(value.index() < self.program.strings.len(), || {
                "a string constant that does not exist".to_owned()
            }),
            Op::Move { dst, src } => self.is(*src, self.kind(*dst)?),
            Op::Binary { lhs, rhs, .. } | Op::Compare { lhs, rhs, .. } => {
                self.is(*lhs, Int)?;
                self.is(*rhs, Int)
            }
            Op::Unary { src, .. } => self.is(*src, Int),
            Op::Extend { src, bits, .. } => {
                require(matches!(bits, 8 | 16 | 32), || format!("{bits} bits"))?;
                self.is(*src, Int)
            }
            Op::StrCompare { op, lhs, rhs, .. } => {
                let known = matches!(op, CmpOp::Eq | CmpOp::Ne | CmpOp::LtU | CmpOp::LeU);
                require(known, || "a signed comparison of strings".to_owned())?;
                self.is(*lhs, Str)?;
                self.is(*rhs, Str)
            }
            Op::Builtin { var, index, .. } => require(*index < var.indices(), || format!("index {index}")),
            Op::Load { addr, .. } => self.is(*addr, Int),
            Op::LoadStr { addr, limit, .. } => {
                require(*limit <= self.program.limits.strsize, || "a limit above strsize".to_owned())?;
                self.is(*addr, Int)
            }
            Op::Store { addr, src, .. } => {
                self.is(*addr, Int)?;
                self.is(*src, Int)
            }
            Op::GetVar { dst: reg, var } | Op::SetVar { var, src: reg } => self.variable(*var, None, *reg),
            Op::GetElem { dst: reg, var, keys } | Op::SetElem { var, keys, src: reg } => {
                self.variable(*var, Some(keys), *reg)
            }
            Op::Assemble { size, pieces, .. } => pieces.iter().try_for_each(|piece| {
                let fits = piece.bit.checked_add(piece.bits).is_some_and(|end| end.div_ceil(8) <= *size);
                let whole = piece.bit.is_multiple_of(8) && piece.bits.is_multiple_of(8);
                self.is(piece.src, if piece.string { Str } else { Int })?;
                let narrow = if piece.string { whole } else { (1..=64).contains(&piece.bits) };
                require(fits && narrow, || format!("a piece at bit {}", piece.bit))
            }),
            Op::Aggregate { site, keys, value, weight } => {
                let Some(site) = self.program.agg_sites.get(site.index()) else {
                    return Err("a site that does not exist".to_owned());
                };
                require(site.clause == self.id, || "a site of another clause".to_owned())?;
                let agg = &self.program.aggs[site.agg.index()];
                self.are(keys, &agg.keys)?;
                let row = agg.func.row();
                require(value.is_some() == (row.args.1 > 0), || "wrong number of values".to_owned())?;
                require(weight.is_none() || row.increment.is_some(), || "an unknown weight".to_owned())?;
                let kind = if agg.shape.strings() { RegKind::Str } else { Int };
                value.iter().try_for_each(|&reg| self.is(reg, kind))?;
                weight.iter().try_for_each(|&reg| self.is(reg, Int))
            }
            Op::Call { func, args, .. } => {
                let row = func.row();
                require((usize::from(row.required)..=row.params.len()).contains(&args.len()), || {
                    format!("{} arguments", args.len())
                })?;
                args.iter().zip(row.params).try_for_each(|(&reg, param)| {
                    let string = param.is_text() || matches!(param, Proto::Bytes(..));
                    self.is(reg, if string { Str } else { Int })
                })
            }
            Op::Record { site, args } => {
                let Some(site) = self.program.sites.get(site.index()) else {
                    return Err("a site that does not exist".to_owned());
                };
                require(site.clause == self.id, || "a site of another clause".to_owned())?;
                // Behind the number of a speculation stands its turn, which nobody records.
                let (args, turn) = match (site.action.row().kind, args.split_last()) {
                    (ActionKind::Speculation, Some((&turn, number))) => (number, Some(turn)),
                    _ => (&args[..], None),
                };
                self.are(args, &site.args)?;
                turn.map_or(Ok(()), |turn| self.is(turn, Int))
            }
            Op::Send { slot, src: reg } | Op::Recv { slot, dst: reg } => self.value_slot(*slot, *reg),
            Op::SetBit { bit } | Op::Bit { bit, .. } => {
                require(*bit < BRANCH_BITS, || format!("bit {bit}"))?;
                let (Part::Kernel(layout) | Part::User(layout)) = self.part else { return Ok(()) };
                require(layout.bits.is_some(), || "no branch word".to_owned())
            }
            Op::Control { status } => status.iter().try_for_each(|&reg| self.is(reg, Int)),
            Op::FaultPoint { attempt: None } => Ok(()),
            Op::FaultPoint { attempt: Some(slot) } => {
                require(self.slot(*slot)? == SlotKind::Fault, || "not a fault slot".to_owned())
            }
        }
    }

    /// Whether the op may stand in this part.
    fn side(&self, inst: &Inst, in_attempt: bool) -> Result<(), String> {
        let op = &inst.op;
        match (self.part, op) {
            (Part::Kernel(_), Op::Send { .. } | Op::Work | Op::SetBit { .. } | Op::Control { .. })
            | (Part::User(_), Op::Recv { .. } | Op::Bit { .. } | Op::FaultPoint { .. }) => {}
            (
                _,
                Op::Send { .. }
                | Op::Work
                | Op::SetBit { .. }
                | Op::Control { .. }
                | Op::Recv { .. }
                | Op::Bit { .. }
                | Op::FaultPoint { .. },
            ) => return Err("an op of the planner in the wrong part".to_owned()),
            (Part::Kernel(_), Op::Record { .. }) => return Err("an action in the kernel".to_owned()),
            (Part::Kernel(_), Op::Assemble { .. }) => {
                return Err("a block of variables in the kernel".to_owned());
            }
            (Part::Kernel(_), Op::Call { func, args, .. }) => {
                let row = func.row();
                require(row.class != Class::User, || "a user subroutine".to_owned())?;
                require(
                    kernel_arguments(self.program, *func, args, |reg| self.definitions.only(reg)),
                    || "arguments that the emitter does not know".to_owned(),
                )?;
            }
            (Part::User(_), _) => require(!is_pinned(op), || "needs the event itself".to_owned())?,
            _ => {}
        }
        let effect = matches!(
            op,
            Op::Store { .. }
                | Op::SetVar { .. }
                | Op::SetElem { .. }
                | Op::Aggregate { .. }
                | Op::Control { .. }
        ) || acts(op)
            || speculates(op)
            || changes_scratch(op);
        require(!(in_attempt && effect), || "an effect in an attempt".to_owned())
    }

    fn terminator(&self, end: &Terminator, in_attempt: bool) -> Result<(), String> {
        match *end {
            Terminator::Goto(_) => Ok(()),
            Terminator::Return => require(!in_attempt, || "a return in an attempt".to_owned()),
            Terminator::Branch { cond, .. } => self.is(cond, RegKind::Int),
            Terminator::Attempt { slot, .. } => {
                let kernel = matches!(self.part, Part::Kernel(_));
                require(kernel && self.slot(slot)? == SlotKind::Fault, || "a misplaced attempt".to_owned())
            }
        }
    }

    /// Every register is assigned on every path to a use.
    fn assigned(&self) -> Result<(), String> {
        let blocks = &self.clause.blocks;
        // By block: the registers assigned on every path seen so far, a bit each; `None`: no path seen.
        let mut at: Vec<Option<Vec<u64>>> = vec![None; blocks.len()];
        at[0] = Some(vec![0; self.clause.regs.len().div_ceil(64)]);
        // Merge blocks of attempts know only what was known before the body.
        let mut closed = vec![false; blocks.len()];
        for (i, block) in blocks.iter().enumerate() {
            let Some(mut known) = at[i].take() else { continue };
            let need = |known: &[u64], reg: Reg, text: &dyn Fn() -> String| {
                require(known[reg.index() / 64] >> (reg.index() % 64) & 1 == 1, || {
                    format!("b{i}: `{}`: register {} is not assigned on every path", text(), reg.0)
                })
            };
            for inst in &block.insts {
                let mut result = Ok(());
                inst.op.for_each_src(|reg| {
                    if result.is_ok() {
                        result = need(&known, reg, &|| self.text(inst));
                    }
                });
                result?;
                if let Some(dst) = inst.op.dst() {
                    known[dst.index() / 64] |= 1 << (dst.index() % 64);
                }
            }
            let mut flow = |to: BlockId| {
                let slot = &mut at[to.index()];
                if closed[to.index()] {
                    return;
                }
                match slot {
                    None => *slot = Some(known.clone()),
                    Some(have) => have.iter_mut().zip(&known).for_each(|(have, new)| *have &= new),
                }
            };
            match block.end {
                Terminator::Return => {}
                Terminator::Goto(to) => flow(to),
                Terminator::Branch { cond, then, otherwise, .. } => {
                    need(&known, cond, &|| "branch".to_owned())?;
                    flow(then);
                    flow(otherwise);
                }
                Terminator::Attempt { body, merge, .. } => {
                    flow(body);
                    flow(merge);
                    closed[merge.index()] = true;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use crate::ir::slots::Slot;

    const TABLES: &str = "
        p0 = probe 9 syscall::read:entry
        var x: i32
        var this->s: string
        var a[i32, string]: u64
        agg @n[string]: count
        agg @q[]: quantize
        string \"0123456789012345678901234567890123456789012345678901234567890123456789\"
        g0 = @n in c0
        g1 = @q in c0
        g2 = @n in c1
        k0 = printf in c0 stmt 1 (string, i32) format %s %d32
        k1 = exit in c1 (i32)
        enable c0 on p0
        clause c0 {
        b0:
        ";
    const OTHER: &str = "\n}\nclause c1 {\nb0:\n  return\n}\n";

    fn check(code: &str, expect: &str) {
        let program = parse::program(&format!("{TABLES}{code}{OTHER}")).unwrap();
        let report = super::program(&program).err().unwrap_or_default();
        assert_eq!(report, expect, "{code}");
    }

    #[test]
    fn correct_code_passes() {
        check("return", "");
        check("i0 = builtin pid\nbranch i0 ? b1 : b2 merge b2\nb1:\nreturn\nb2:\nreturn", "");
        check(
            "i0 = builtin pid\nbranch i0 ? b1 : b2 merge b3\nb1:\ni1 = 1\ngoto b3\nb2:\ni1 = i0\ngoto b3\nb3:\n
             s2 = builtin execname\ni1 = get a[i1, s2]\naggregate g0 [s2]\naggregate g1 [] (i1) weight i0\n
             record k0 (s2, i0)\nreturn",
            "",
        );
        // One arm returns, and the code after the branch is the other.
        check("i0 = builtin pid\nbranch i0 ? b2 : b1 merge b2\nb1:\nreturn\nb2:\nset x = i0\nreturn", "");
    }

    #[test]
    fn structure_is_checked() {
        check("goto b0", "clause c0: b0 leads to b0, which is not a later block");
        check("goto b7", "clause c0: b0 leads to b7, which is not a later block");
        let both_arms_one = "i0 = 1\nbranch i0 ? b1 : b1 merge b2\nb1:\ngoto b2\nb2:\nreturn";
        check(both_arms_one, "clause c0: b0 leads to b1, which another block leads to");
        let past_inner_merge =
            "i0 = 1\nbranch i0 ? b1 : b4 merge b4\nb1:\nbranch i0 ? b2 : b3 merge b3\nb2:\n
            goto b4\nb3:\ngoto b4\nb4:\nreturn";
        check(past_inner_merge, "clause c0: b2 leads to b4, which another block leads to");
        let shared_merge =
            "i0 = 1\nbranch i0 ? b1 : b2 merge b2\nb1:\nbranch i0 ? b2 : b2 merge b2\nb2:\nreturn";
        let nested_return = "i0 = 1\nbranch i0 ? b1 : b4 merge b4\nb1:\nbranch i0 ? b2 : b3 merge b3\nb2:\n
            return\nb3:\ngoto b4\nb4:\nreturn";
        check(nested_return, "clause c0: b2 returns from inside a nested arm");
        check(shared_merge, "clause c0: b1 leads to b2, which another block leads to");
    }

    #[test]
    fn kinds_and_ids_are_checked() {
        check(
            "i0 = add i1, i2\nreturn",
            "clause c0: b0: `i0 = add i1, i2`: register 1 is not assigned on every path",
        );
        check("i0 = 1\ns1 = i0\nreturn", "clause c0: b0: `s1 = i0`: register 0 is Int, not Str");
        check("s0 = 1\nreturn", "clause c0: b0: `s0 = 1`: register 0 is Str, not Int");
        check(
            "i0 = builtin execname\nreturn",
            "clause c0: b0: `i0 = builtin execname`: register 0 is Int, not Str",
        );
        check("i0 = 1\ni0 = sext64 i0\nreturn", "clause c0: b0: `i0 = sext64 i0`: 64 bits");
        check(
            "s0 = null\ni1 = strlts s0, s0\nreturn",
            "clause c0: b0: `i1 = strlts s0, s0`: a signed comparison of strings",
        );
        check("s0 = str 9\nreturn", "clause c0: b0: `s0 = str 9`: a string constant that does not exist");
        check("i0 = get %9\nreturn", "clause c0: b0: `i0 = get %9`: a variable that does not exist");
        check(
            "i0 = get a\nreturn",
            "clause c0: b0: `i0 = get a`: an array as a scalar or the other way round",
        );
        check("i0 = 1\ni0 = get a[i0]\nreturn", "clause c0: b0: `i0 = get a[i0]`: 1 values for 2");
        check(
            "i0 = 1\naggregate g0 [] (i0)\nreturn",
            "clause c0: b0: `aggregate g0 [] (i0)`: 0 values for 1",
        );
        check("aggregate g1 []\nreturn", "clause c0: b0: `aggregate g1 []`: wrong number of values");
        check(
            "s0 = null\ni1 = 1\naggregate g0 [s0] weight i1\nreturn",
            "clause c0: b0: `aggregate g0 [s0] weight i1`: an unknown weight",
        );
        check(
            "s0 = null\naggregate g2 [s0]\nreturn",
            "clause c0: b0: `aggregate g2 [s0]`: a site of another clause",
        );
        check("i0 = 1\nrecord k1 (i0)\nreturn", "clause c0: b0: `record k1 (i0)`: a site of another clause");
        check(
            "i0 = 1\nrecord k0 (i0, i0)\nreturn",
            "clause c0: b0: `record k0 (i0, i0)`: register 0 is Int, not Str",
        );
        check(
            "i0 = 1\ns1 = loadstr any [i0] limit 257\nreturn",
            "clause c0: b0: `s1 = loadstr any [i0] limit 257`: a limit above strsize",
        );
    }

    #[test]
    fn assignment_is_checked_on_every_path() {
        check(
            "i0 = 1\nbranch i0 ? b1 : b2 merge b2\nb1:\ni1 = 2\ngoto b2\nb2:\ni2 = i1\nreturn",
            "clause c0: b2: `i2 = i1`: register 1 is not assigned on every path",
        );
        // The arm that does not assign returns.
        check(
            "i0 = 1\nbranch i0 ? b1 : b2 merge b3\nb1:\ni1 = 2\ngoto b3\nb2:\nreturn\nb3:\ni2 = i1\nreturn",
            "",
        );
    }

    #[test]
    fn points_are_unique() {
        check("i0 = 1 #5\ni1 = 2 #5\nreturn", "clause c0: point 5 is used twice");
    }

    #[test]
    fn each_part_has_its_ops() {
        let slot = |kind| Slot { kind, offset: 0, what: String::new() };
        let layout = ClauseLayout::new(
            true,
            true,
            vec![slot(SlotKind::Int), slot(SlotKind::Str), slot(SlotKind::Fault)],
        );
        let mut program = parse::program(&format!("{TABLES}return{OTHER}")).unwrap();
        let mut check = |part: Part<'_>, code: &str, expect: &str| {
            let code = parse::clause(&format!("clause c0 {{\nb0:\n{code}\n}}"), &mut program).unwrap();
            assert_eq!(clause(&program, ClauseId(0), &code, part).err().unwrap_or_default(), expect);
        };
        let (kernel, user) = (Part::Kernel(&layout), Part::User(&layout));
        let send = "i0 = builtin arg0\nsend $0 = i0\nwork\nsetbit 3\ncontrol cut\ncontrol exit i0\nreturn";
        check(kernel, send, "");
        check(
            user,
            "i0 = recv $0\ns1 = recv $1\ni2 = bit 3\nfaultpoint\nfaultpoint $2\nrecord k0 (s1, i0)\nreturn",
            "",
        );
        check(
            user,
            "work\nreturn",
            "clause c0, user part: b0: `work`: an op of the planner in the wrong part",
        );
        check(Part::Whole, "work\nreturn", "clause c0: b0: `work`: an op of the planner in the wrong part");
        check(
            kernel,
            "s0 = null\ni1 = 1\nrecord k0 (s0, i1)\nreturn",
            "clause c0, kernel part: b0: `record k0 (s0, i1)`: an action in the kernel",
        );
        check(
            user,
            "i0 = builtin arg0\nreturn",
            "clause c0, user part: b0: `i0 = builtin arg0`: needs the event itself",
        );
        check(user, "i0 = builtin pid\nreturn", "");
        check(
            kernel,
            "s0 = builtin execname\nsend $0 = s0\nreturn",
            "clause c0, kernel part: b0: `send $0 = s0`: register 0 is Str, not Int",
        );
        check(
            kernel,
            "s0 = builtin execname\nsend $2 = s0\nreturn",
            "clause c0, kernel part: b0: `send $2 = s0`: a fault slot as a value",
        );
        check(
            kernel,
            "i0 = 1\nsend $7 = i0\nreturn",
            "clause c0, kernel part: b0: `send $7 = i0`: a slot that does not exist",
        );
        check(kernel, "setbit 64\nreturn", "clause c0, kernel part: b0: `setbit 64`: bit 64");
        let haystack = "s0 = builtin execname\ns1 = \"x\"\ns2 = call strstr(s0, s1)\nreturn";
        check(kernel, haystack, "");
        let long = "s0 = builtin execname\ns1 = str 0\ns2 = call strstr(s0, s1)\nreturn";
        check(
            kernel,
            long,
            "clause c0, kernel part: b0: `s2 = call strstr(s0, s1)`: arguments that the emitter does not know",
        );
        let attempt =
            |body: &str| format!("i0 = builtin arg0\nattempt b1 -> $2 merge b2\nb1:\n{body}\nb2:\nreturn");
        check(kernel, &attempt("i1 = load u8 user [i0]\nsend $0 = i1\ngoto b2"), "");
        check(
            kernel,
            &attempt("set x = i0\ngoto b2"),
            "clause c0, kernel part: b1: `set x = i0`: an effect in an attempt",
        );
        check(kernel, &attempt("return"), "clause c0, kernel part: b1: a return in an attempt");
        let leaks =
            "i0 = builtin arg0\nattempt b1 -> $2 merge b2\nb1:\ni1 = 1\ngoto b2\nb2:\nsend $0 = i1\nreturn";
        check(
            kernel,
            leaks,
            "clause c0, kernel part: b2: `send $0 = i1`: register 1 is not assigned on every path",
        );
        check(
            user,
            &attempt("goto b2"),
            "clause c0, user part: b0: `i0 = builtin arg0`: needs the event itself",
        );
    }
}
