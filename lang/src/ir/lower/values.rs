//! Structs, unions and arrays as values: where what an assignment, a `?:`, an inline or a parameter gives lies, and the
//! parts of it.
//!
//! In: an expression of such a type, or a member or element of one. Out: a place of variables, one in memory, or, where
//! `?:` decides it while the clause runs, a choice of two. Nothing is copied: a part is read where it lies.

use super::build::{Fits, Val};
use super::clause::Lower;
use super::expr::not_yet;
use super::formula::Bound;
use super::place::{MemoryAt, Place, field};
use super::storage::VarAt;
use super::whole::Wanted;
use crate::ast::{Expr, ExprKind};
use crate::check::session::value_type;
use crate::check::{ExprInfo, Meaning};
use crate::diag::Diagnostic;
use crate::ir::{Op, Reg, RegKind};
use crate::source::Span;
use crate::types::records::Found;
use crate::types::{Type, TypeId};

/// Where a struct lies: in a variable, in memory, or, as a condition says, in one of two places.
#[derive(Clone)]
pub(super) enum RecordAt {
    Variable(VarAt),
    Memory(MemoryAt),
    Choice { cond: Reg, arms: Box<[RecordAt; 2]> },
}

/// A part of such a value.
pub(super) struct Spot {
    pub(super) at: RecordAt,
    pub(super) ty: TypeId,
    /// Of a bit-field in memory: how many bits behind the place it begins, and its width.
    field: Option<(u64, u8)>,
}

impl Lower<'_> {
    /// Where a struct lies.
    pub(super) fn record_at(&mut self, expr: &Expr) -> Result<RecordAt, Diagnostic> {
        match (&expr.kind, self.info_of(expr).meaning) {
            (ExprKind::Cast { operand, .. }, _) => self.record_at(operand),
            (_, Meaning::Variable(_) | Meaning::Element(_) | Meaning::Part(_)) => {
                self.var_at(expr).map(RecordAt::Variable)
            }
            (_, Meaning::Memory | Meaning::Symbol(..)) => self.memory_at(expr).map(RecordAt::Memory),
            (_, Meaning::PartOfValue) => self.spot(expr).map(|spot| spot.at),
            (_, Meaning::Param(index)) => Ok(self.param_record(index, expr)),
            (_, Meaning::Formula(id)) => {
                let bindings = self.formula_bindings(expr, id)?;
                self.inside(id, bindings, Lower::record_at)
            }
            (ExprKind::Assign { op: None, lhs, rhs }, _) => self.copy(lhs, rhs, expr.span),
            (ExprKind::Comma(first, second), _) => {
                self.effect(first)?;
                self.record_at(second)
            }
            (ExprKind::Cond { cond, then, otherwise }, _) => self.choice(cond, then, otherwise, expr.span),
            _ => Err(not_yet(expr.span, "such structs")),
        }
    }

    /// One of two places. What each depends on is evaluated where it is chosen, and is 0 where it is not.
    fn choice(
        &mut self,
        cond: &Expr,
        then: &Expr,
        otherwise: &Expr,
        span: Span,
    ) -> Result<RecordAt, Diagnostic> {
        let cond = self.condition(cond)?;
        let before = self.build.current();
        let old = self.build.mark();
        let then_first = self.build.begin();
        let then = self.record_at(then)?;
        let then_last = self.build.current();
        let first = self.build.begin();
        self.zeros(&then, old, None, span);
        let old = self.build.mark();
        let otherwise = self.record_at(otherwise)?;
        let last = self.build.current();
        self.zeros(&otherwise, old, Some(then_last), span);
        self.merge(before, cond, (then_first, then_last), Some((first, last)));
        Ok(RecordAt::Choice { cond, arms: Box::new([then, otherwise]) })
    }

    /// Gives the registers that a place was made from since `old` a value where the place is not that chosen.
    fn zeros(&mut self, record: &RecordAt, old: Reg, block: Option<crate::ir::BlockId>, span: Span) {
        let mut regs = Vec::new();
        record.regs(&mut regs);
        regs.sort_unstable();
        regs.dedup();
        for dst in regs.into_iter().filter(|&reg| reg >= old) {
            let op = match self.build.kind(dst) {
                RegKind::Int => Op::Const { dst, value: 0 },
                RegKind::Str => Op::Null { dst },
            };
            match block {
                Some(block) => self.build.emit_in(block, span, op),
                None => self.build.emit(span, op),
            }
        }
    }

    /// Does something at the place where a struct lies, in the arms of a choice at each of them.
    pub(super) fn at_each(
        &mut self,
        record: &RecordAt,
        work: &mut dyn FnMut(&mut Self, &RecordAt) -> Result<(), Diagnostic>,
    ) -> Result<(), Diagnostic> {
        let RecordAt::Choice { cond, arms } = record else { return work(self, record) };
        let before = self.build.current();
        let mut blocks = Vec::with_capacity(2);
        for arm in arms.iter() {
            let first = self.build.begin();
            self.at_each(arm, work)?;
            blocks.push((first, self.build.current()));
        }
        self.merge(before, *cond, blocks[0], Some(blocks[1]));
        Ok(())
    }

    /// The same for a value that is read there.
    pub(super) fn read_at_each(
        &mut self,
        record: &RecordAt,
        kind: RegKind,
        span: Span,
        read: &mut dyn FnMut(&mut Self, &RecordAt) -> Result<Val, Diagnostic>,
    ) -> Result<Val, Diagnostic> {
        if !matches!(record, RecordAt::Choice { .. }) {
            return read(self, record);
        }
        let dst = self.build.reg(kind);
        let mut fits: Option<Fits> = None;
        self.at_each(record, &mut |lower, leaf| {
            let mark = lower.build.mark();
            let val = read(lower, leaf)?;
            lower.build.put(span, dst, val.reg, mark);
            fits = Some(fits.map_or(val.fits, |fits| fits.join(val.fits)));
            Ok(())
        })?;
        Ok(Val::new(dst, fits.unwrap_or(Fits::ANY)))
    }

    /// Where a part of a value is.
    fn spot(&mut self, expr: &Expr) -> Result<Spot, Diagnostic> {
        let info = self.info_of(expr);
        let part = info.meaning == Meaning::PartOfValue;
        match &expr.kind {
            ExprKind::Member { base, member, .. } if part => {
                let spot = self.spot(base)?;
                self.member_spot(&spot, &member.name, expr.span)
            }
            ExprKind::Index { base, keys } if part => {
                let Some(key) = keys.first() else { return Err(not_yet(expr.span, "such elements")) };
                // `3[a]` is `a[3]`.
                let swapped = self.points_to(self.info_of(base)).is_none();
                let (array, key) = if swapped { (key, &**base) } else { (&**base, key) };
                let spot = self.spot(array)?;
                let index = self.checked_index(array, key)?;
                Ok(self.element_spot(spot, index, expr.span))
            }
            ExprKind::Unary { operand, .. } if part => {
                let spot = self.spot(operand)?;
                let first = self.build.constant(expr.span, 0);
                Ok(self.element_spot(spot, first, expr.span))
            }
            ExprKind::Cast { operand, .. } if part => self.spot(operand),
            _ => Ok(Spot { at: self.record_at(expr)?, ty: info.ty, field: None }),
        }
    }

    fn member_spot(&self, spot: &Spot, member: &str, span: Span) -> Result<Spot, Diagnostic> {
        let found = self.checked.types.member(spot.ty, member);
        let found = found.ok_or_else(|| not_yet(span, "such members"))?;
        Ok(self.step_into(&spot.at, &found))
    }

    /// From a struct to a member of it.
    pub(super) fn step_into(&self, record: &RecordAt, found: &Found) -> Spot {
        let width = found.member.width;
        let field = width.map(|width| (found.bit_offset, width));
        let mut spot = Spot { at: record.clone(), ty: found.member.ty, field };
        spot.at.for_each(&mut |leaf| match leaf {
            RecordAt::Variable(at) => self.step_to_member(at, found),
            RecordAt::Memory(at) if width.is_none() => *at = at.plus((found.bit_offset / 8) as i64),
            _ => {}
        });
        spot
    }

    /// From a struct of a type along members, each in the one before.
    pub(super) fn spot_within(&self, record: &RecordAt, ty: TypeId, path: &[Found]) -> Spot {
        let whole = Spot { at: record.clone(), ty, field: None };
        path.iter().fold(whole, |spot, found| self.step_into(&spot.at, found))
    }

    fn element_spot(&mut self, mut spot: Spot, index: Val, span: Span) -> Spot {
        let Type::Array(element, _) = *self.checked.types.resolve(spot.ty) else { return spot };
        let size = self.checked.types.size(element, self.checked.limits.strsize).unwrap_or(1) as i64;
        spot.at.for_each(&mut |leaf| match leaf {
            RecordAt::Variable(at) => self.step_to_element(at, index, span),
            RecordAt::Memory(at) => *at = self.steps_behind(*at, index, size, span),
            RecordAt::Choice { .. } => {}
        });
        spot.ty = element;
        spot
    }

    /// The value of a part.
    pub(super) fn part_of_value(&mut self, expr: &Expr, info: ExprInfo) -> Result<Val, Diagnostic> {
        let span = expr.span;
        let spot = self.spot(expr)?;
        if let (Type::Array(..), RecordAt::Memory(at)) = (self.checked.types.resolve(spot.ty), &spot.at) {
            return Ok(self.address(*at, span));
        }
        let kind = match value_type(&self.checked.types, info.ty) {
            Some(ty) if !matches!(self.checked.types.resolve(spot.ty), Type::Array(..)) => ty.reg_kind(),
            _ => return Err(not_yet(span, "addresses in what an operator gives")),
        };
        let fits = self.fits(info.ty);
        self.read_at_each(&spot.at, kind, span, &mut |lower, leaf| {
            let place = lower.place_at(leaf, &spot, span)?;
            Ok(lower.read_kind(&place, kind, fits, span))
        })
    }

    /// The place of a part of what a condition known beforehand gives.
    pub(super) fn place_of_value(&mut self, expr: &Expr) -> Result<Place, Diagnostic> {
        let spot = self.spot(expr)?;
        self.place_at(&spot.at, &spot, expr.span)
    }

    pub(super) fn place_at(&mut self, leaf: &RecordAt, spot: &Spot, span: Span) -> Result<Place, Diagnostic> {
        match (leaf, spot.field) {
            (RecordAt::Variable(at), _) => {
                let place = self.scalar_place(at, span)?;
                place.ok_or_else(|| self.no_scalar(spot.ty, span))
            }
            (RecordAt::Memory(at), Some((bit_offset, width))) => {
                let signed = self.checked.types.width(spot.ty).1;
                Ok(field(at, bit_offset, width, signed))
            }
            (RecordAt::Memory(at), None) => self.scalar_in_memory(*at, spot.ty, span),
            (RecordAt::Choice { .. }, _) => Err(self.no_scalar(spot.ty, span)),
        }
    }

    /// All bytes of a value, or the text that its characters are.
    pub(super) fn whole_of_value(&mut self, expr: &Expr, wanted: Wanted) -> Result<Reg, Diagnostic> {
        let span = expr.span;
        let spot = self.spot(expr)?;
        let length = self.text_length(expr);
        let block = self.read_at_each(&spot.at, RegKind::Str, span, &mut |lower, leaf| {
            let reg = match leaf {
                RecordAt::Variable(at) => lower.assemble(at, wanted, span)?,
                RecordAt::Memory(at) => lower.whole_in_memory(*at, wanted, length, span)?,
                RecordAt::Choice { .. } => return Err(not_yet(span, "such structs")),
            };
            Ok(Val::new(reg, Fits::ANY))
        })?;
        Ok(block.reg)
    }

    /// Where the struct lies that a parameter stands for.
    fn param_record(&mut self, index: u32, expr: &Expr) -> RecordAt {
        match self.frame.bindings.get(index as usize).map(|binding| &binding.value) {
            Some(Bound::Record(record)) => record.clone(),
            _ => RecordAt::Memory(self.param_at(index, expr)),
        }
    }
}

impl RecordAt {
    /// Calls `f` with every place that is no choice.
    fn for_each(&mut self, f: &mut dyn FnMut(&mut RecordAt)) {
        match self {
            RecordAt::Choice { arms, .. } => arms.iter_mut().for_each(|arm| arm.for_each(f)),
            leaf => f(leaf),
        }
    }

    /// The registers that the place depends on.
    fn regs(&self, out: &mut Vec<Reg>) {
        match self {
            RecordAt::Variable(at) => at.regs(out),
            RecordAt::Memory(at) => out.extend(at.base),
            RecordAt::Choice { cond, arms } => {
                out.push(*cond);
                arms.iter().for_each(|arm| arm.regs(out));
            }
        }
    }
}
