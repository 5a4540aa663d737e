//! Wording about aggregations: their names, keys, functions and the shapes of histograms.

use super::error;
use crate::builtins::shapes::{LogLinearError, PERCENTAGES};
use crate::diag::{Diagnostic, Tag};
use crate::source::Span;

pub(crate) fn aggregation_redefined(
    span: Span,
    name: &str,
    current: &str,
    previous: &str,
    line: u32,
) -> Diagnostic {
    error(
        Tag::AggRedef,
        span,
        format!(
            "aggregation redefined: @{name}\n\t current: @{name} = {current}( )\n\tprevious: @{name} = {previous}( ) : line {line}"
        ),
    )
}

pub(crate) fn not_aggregating(span: Span, name: &str) -> Diagnostic {
    let name_of_value = if name == "_" { "x" } else { name };
    error(Tag::AggFunc, span, format!("@{name} must be assigned the result of an aggregating function")).help(
        format!("`@` is for count(), sum() and their kin; a value is kept in `{name_of_value}`, `{name_of_value}[…]` or `self->{name_of_value}`"),
    )
}

pub(crate) fn multi_dimensional(span: Span, name: &str) -> Diagnostic {
    error(Tag::AggMdim, span, format!("improper attempt to reference @{name} as a multi-dimensional array"))
        .help(format!("write the keys in one pair of brackets: @{name}[…, …]"))
}

pub(crate) fn null_effect(span: Span, name: &str) -> Diagnostic {
    error(Tag::AggNull, span, format!("expression has null effect: @{name}"))
}

pub(crate) fn aggregated_value_not_scalar(span: Span, function: &str, number: usize) -> Diagnostic {
    error(Tag::AggScalar, span, format!("{function}( ) argument #{number} must be of scalar type"))
}

pub(crate) fn increment_not_scalar(span: Span, function: &str, number: usize) -> Diagnostic {
    error(
        Tag::ProtoArg,
        span,
        format!("{function}( ) increment value (argument #{number}) must be of scalar type"),
    )
}

pub(crate) fn not_integer_constant(tag: Tag, span: Span, function: &str, number: usize) -> Diagnostic {
    error(tag, span, format!("{function}( ) argument #{number} must be an integer constant"))
}

pub(crate) fn lquantize_not_32_bits(tag: Tag, span: Span, number: usize) -> Diagnostic {
    error(tag, span, format!("lquantize( ) argument #{number} must be a 32-bit quantity"))
}

pub(crate) fn lquantize_order(span: Span) -> Diagnostic {
    error(Tag::LquantMismatch, span, "lquantize( ) base (argument #1) must be less than limit (argument #2)")
}

pub(crate) fn lquantize_step_type(span: Span) -> Diagnostic {
    error(Tag::LquantSteptype, span, "lquantize( ) argument #3 must be a non-zero positive integer constant")
}

pub(crate) fn lquantize_step_value(span: Span) -> Diagnostic {
    error(Tag::LquantStepval, span, "lquantize( ) argument #3 must be a 16-bit quantity")
}

pub(crate) fn lquantize_step_large(span: Span) -> Diagnostic {
    error(
        Tag::LquantSteplarge,
        span,
        "lquantize( ) step (argument #3) too large: must have at least one quantization level",
    )
}

pub(crate) fn lquantize_step_small(span: Span) -> Diagnostic {
    error(
        Tag::LquantStepsmall,
        span,
        "lquantize( ) step (argument #3) too small: number of quantization levels must be a 16-bit quantity",
    )
}

/// `what` is `lquantize( ) base (argument #1)` and the like.
pub(crate) fn shape_differs(tag: Tag, span: Span, what: &str, expected: i64, found: i64) -> Diagnostic {
    let text = format!("{what} doesn't match previous declaration: expected {expected}, found {found}");
    error(tag, span, text)
}

pub(crate) fn percentage(span: Span, number: usize) -> Diagnostic {
    let text = format!("percentile( ) argument #{number} must be a percentage from 1 to 100");
    error(Tag::ProtoArg, span, text).help(PERCENTAGES)
}

pub(crate) fn top_number(span: Span) -> Diagnostic {
    error(Tag::ProtoArg, span, "topk( ) argument #1 must be an integer constant from 1 to 1000")
}

/// For functions that only this implementation has.
pub(crate) fn arguments_differ(span: Span) -> Diagnostic {
    error(
        Tag::ProtoArg,
        span,
        "the aggregation was used with other constants, or another type of value, before",
    )
}

/// What `llquantize` asks of its factor.
pub(crate) const LLQUANTIZE_FACTOR: &str = "must be an unsigned 16-bit quantity greater than or equal to 2";

/// `what` says what the constant must be.
pub(crate) fn llquantize_value(tag: Tag, span: Span, number: usize, what: &str) -> Diagnostic {
    error(tag, span, format!("llquantize( ) argument #{number} {what}"))
}

pub(crate) fn llquantize(span: Span, wrong: LogLinearError) -> Diagnostic {
    let steps =
        |text: &str| error(Tag::LlquantStepval, span, format!("llquantize() argument #4 (steps) {text}"));
    match wrong {
        LogLinearError::Factor => llquantize_value(Tag::LlquantFactorval, span, 1, LLQUANTIZE_FACTOR),
        LogLinearError::Order => llquantize_value(
            Tag::LlquantHmagval,
            span,
            3,
            "(high magnitude) must be at least argument #2 (low magnitude)",
        ),
        LogLinearError::Overflow => {
            llquantize_value(Tag::LlquantHmagval, span, 3, "(high magnitude) will cause overflow of 64 bits")
        }
        LogLinearError::NoSteps => {
            llquantize_value(Tag::LlquantStepval, span, 4, "must be a non-zero positive integer constant")
        }
        LogLinearError::Divide => steps("must evenly divide argument #1 (factor) when steps<factor"),
        LogLinearError::Multiple => steps("must be a multiple of argument #1 (factor) when steps>factor"),
        LogLinearError::DivideSquare => {
            steps("must evenly divide the square of argument #1 (factor) when steps>factor and lmag==0")
        }
        LogLinearError::DividePower => steps(
            "must evenly divide pow(argument #1 (factor), lmag (argument #2) + 1) when steps>factor and lmag>0",
        ),
    }
}
