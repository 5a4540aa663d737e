//! The constants of aggregating functions (runtime spec §7.3, §7.4): arguments in, a [`Shape`] or the reason why not out.

use super::errors;
use super::expr::Body;
use super::fold::Folded;
use super::info::ExprInfo;
use crate::ast::Expr;
use crate::builtins::aggs::{LogLinear, Percentiles, Shape};
use crate::diag::{Diagnostic, Tag};
use crate::source::Span;

impl Body<'_, '_> {
    /// The constants of `lquantize(value, base, limit [, step [, increment]])`.
    pub(super) fn lquantize(
        &self,
        args: &[Expr],
        infos: &[ExprInfo],
        span: Span,
    ) -> Result<Shape, Diagnostic> {
        let constant = |i: usize, tag: Tag| match infos.get(i).map(|info| info.constant) {
            Some(Some(value)) => Ok(value),
            _ => Err(errors::not_integer_constant(tag, span, "lquantize", i)),
        };
        let base = constant(1, Tag::LquantBasetype)?;
        let limit = constant(2, Tag::LquantLimtype)?;
        let narrow = |value: i64, i: usize, tag: Tag| {
            i32::try_from(value).map_err(|_| errors::lquantize_not_32_bits(tag, span, i))
        };
        let base = narrow(base, 1, Tag::LquantBaseval)?;
        let limit = narrow(limit, 2, Tag::LquantLimval)?;
        if base >= limit {
            return Err(errors::lquantize_order(span));
        }
        let step = match infos.get(3) {
            None => 1,
            Some(info) => match info.constant {
                Some(value) if self.session.is_beyond_signed(Folded { value, ty: info.ty }) => {
                    return Err(errors::lquantize_step_value(args[3].span));
                }
                Some(step) if step > 0 && self.session.types.is_integer(info.ty) => {
                    u16::try_from(step).map_err(|_| errors::lquantize_step_value(args[3].span))?
                }
                _ => return Err(errors::lquantize_step_type(span)),
            },
        };
        let levels = (i64::from(limit) - i64::from(base)) / i64::from(step);
        if levels == 0 {
            return Err(errors::lquantize_step_large(span));
        }
        if levels > i64::from(u16::MAX) {
            return Err(errors::lquantize_step_small(span));
        }
        Ok(Shape::linear(base, limit, step))
    }

    /// The constants of `llquantize(value, factor, low, high, steps [, increment])`.
    pub(super) fn llquantize(&self, infos: &[ExprInfo], span: Span) -> Result<Shape, Diagnostic> {
        let constant = |i: usize, tag: Tag| match infos.get(i).map(|info| info.constant) {
            Some(Some(value)) => Ok(value),
            _ => Err(errors::not_integer_constant(tag, span, "llquantize", i)),
        };
        let narrow = |i: usize, not_constant: Tag, tag: Tag, otherwise: &str| {
            let value = constant(i, not_constant)?;
            u16::try_from(value).map_err(|_| errors::llquantize_value(tag, span, i, otherwise))
        };
        const UNSIGNED: &str = "must be an unsigned 16-bit quantity";
        let factor = narrow(1, Tag::LlquantFactortype, Tag::LlquantFactorval, errors::LLQUANTIZE_FACTOR)?;
        let low = narrow(2, Tag::LlquantLmagtype, Tag::LlquantLmagval, UNSIGNED)?;
        let high = narrow(3, Tag::LlquantHmagtype, Tag::LlquantHmagval, UNSIGNED)?;
        let check = |steps: u16| {
            let shape = LogLinear { factor, low, high, steps };
            shape.check().map(|()| shape).map_err(|error| errors::llquantize(span, error))
        };
        // As many steps as the factor are always right: what is wrong now is the range, which is judged first.
        check(factor)?;
        let steps = narrow(4, Tag::LlquantSteptype, Tag::LlquantStepval, UNSIGNED)?;
        check(steps).map(Shape::LogLinear)
    }
}

impl Body<'_, '_> {
    /// The constants of `percentile(value, percentage, …)`.
    pub(super) fn percentile(&self, infos: &[ExprInfo], span: Span) -> Result<Shape, Diagnostic> {
        let mut percentiles = Percentiles::NONE;
        for (i, info) in infos.iter().enumerate().skip(1) {
            let Some(written) = info.constant else {
                return Err(errors::not_integer_constant(Tag::ProtoArg, span, "percentile", i + 1));
            };
            percentiles = percentiles.and(written).ok_or_else(|| errors::percentage(span, i + 1))?;
        }
        Ok(Shape::Percentiles(percentiles))
    }

    /// The constant of `topk(number, value)`.
    pub(super) fn topk(&self, infos: &[ExprInfo], strings: bool, span: Span) -> Result<Shape, Diagnostic> {
        match infos.first().map(|info| info.constant) {
            Some(Some(wanted @ 1..=1000)) => Ok(Shape::Top { wanted: wanted as u16, strings }),
            _ => Err(errors::top_number(span)),
        }
    }
}

/// Every statement on an aggregation has the same constants.
pub(super) fn same(before: Shape, now: Shape, span: Span) -> Result<(), Diagnostic> {
    type Pair = (Tag, &'static str, i64, i64);
    let pairs: [Pair; 4] = match (before, now) {
        (Shape::Linear(before), Shape::Linear(now)) => {
            let step = (i64::from(before.step), i64::from(now.step));
            [
                (
                    Tag::LquantMatchbase,
                    "lquantize( ) base (argument #1)",
                    before.base.into(),
                    now.base.into(),
                ),
                (
                    Tag::LquantMatchlim,
                    "lquantize( ) limit (argument #2)",
                    before.limit.into(),
                    now.limit.into(),
                ),
                (Tag::LquantMatchstep, "lquantize( ) step (argument #3)", step.0, step.1),
                (Tag::LquantMatchstep, "", 0, 0),
            ]
        }
        (Shape::LogLinear(before), Shape::LogLinear(now)) => [
            (
                Tag::LlquantMatchfactor,
                "llquantize() factor (argument #1)",
                before.factor.into(),
                now.factor.into(),
            ),
            (Tag::LlquantMatchlmag, "llquantize() lmag (argument #2)", before.low.into(), now.low.into()),
            (Tag::LlquantMatchhmag, "llquantize() hmag (argument #3)", before.high.into(), now.high.into()),
            (
                Tag::LlquantMatchsteps,
                "llquantize() steps (argument #4)",
                before.steps.into(),
                now.steps.into(),
            ),
        ],
        _ if before == now => return Ok(()),
        _ => return Err(errors::arguments_differ(span)),
    };
    match pairs.into_iter().find(|(_, _, expected, found)| expected != found) {
        Some((tag, what, expected, found)) => Err(errors::shape_differs(tag, span, what, expected, found)),
        None => Ok(()),
    }
}
