//! Wording about actions and their formats.

use super::{count, error, prototype_text};
use crate::diag::{Diagnostic, Tag};
use crate::source::Span;

// Actions.

pub(crate) fn trace_void(span: Span) -> Diagnostic {
    error(Tag::TraceVoid, span, "trace( ) may not be applied to a void expression")
}

pub(crate) fn print_void(span: Span) -> Diagnostic {
    error(Tag::TraceVoid, span, "print( ) may not be applied to a void expression")
}

/// What prints an aggregation.
pub(crate) const PRINTA: &str = "`printa` prints aggregations";

/// How a format prints what an aggregation has counted.
pub(crate) fn aggregated(conversion: &str) -> String {
    format!("`%@{conversion}` prints the result of an aggregation, and `%{conversion}` one of its keys")
}

/// What to do with a struct that a translator makes, which is nowhere as a whole.
pub(crate) const ASSIGN_TRANSLATION: &str =
    "of a translated struct members have values; a variable takes all of it: `v = *curpsinfo; print(v)`";

pub(crate) fn print_dynamic(span: Span) -> Diagnostic {
    error(Tag::TraceDyn, span, "print( ) may not be applied to a dynamic expression")
}

/// `print` of a pointer to what has no size.
pub(crate) fn print_size(span: Span, ty: &str) -> Diagnostic {
    error(
        Tag::PrintSize,
        span,
        format!("print( ) argument #1 reference has type '{ty}' with size 0; cannot print( ) it."),
    )
}

pub(crate) fn tracemem_address(span: Span, argument: &str) -> Diagnostic {
    error(Tag::TracememAddr, span, prototype_text("tracemem", 1, "pointer or integer", argument))
}

pub(crate) fn tracemem_size(span: Span) -> Diagnostic {
    error(
        Tag::TracememSize,
        span,
        "tracemem( ) argument #2 must be a non-zero positive integral constant expression",
    )
}

pub(crate) fn freopen_dot(span: Span) -> Diagnostic {
    error(Tag::FreopenInvalid, span, "freopen( ) argument #1 cannot be \".\"")
}

/// An argument that must be a string constant and is a string.
pub(crate) fn not_a_string_constant(span: Span, function: &str, number: usize, argument: &str) -> Diagnostic {
    error(Tag::ProtoArg, span, prototype_text(function, number, "string constant", argument))
}

/// An argument that must point into scratch memory.
pub(crate) fn not_scratch(span: Span, function: &str, number: usize) -> Diagnostic {
    error(Tag::ProtoArg, span, prototype_text(function, number, "alloca pointer", "non-alloca pointer"))
}

pub(crate) fn not_an_integer_constant(span: Span, function: &str, number: usize) -> Diagnostic {
    error(Tag::ProtoArg, span, format!("{function}( ) argument #{number} must be an integer constant"))
}

/// Two statements of a clause in the wrong order.
pub(crate) fn may_not_follow(tag: Tag, span: Span, what: &str, after: &str) -> Diagnostic {
    error(tag, span, format!("{what} may not follow {after}"))
        .help("it can stand in a clause of its own, with the same probe and predicate")
}

pub(crate) fn trace_dynamic(span: Span) -> Diagnostic {
    error(Tag::TraceDyn, span, "trace( ) may not be applied to a dynamic expression")
}

pub(crate) fn not_an_aggregation(
    tag: Tag,
    span: Span,
    action: &str,
    number: usize,
    argument: &str,
) -> Diagnostic {
    error(tag, span, prototype_text(action, number, "aggregation", argument))
}

pub(crate) fn undefined_aggregation(tag: Tag, span: Span, name: &str) -> Diagnostic {
    error(tag, span, format!("undefined aggregation: @{name}"))
}

pub(crate) fn printa_without_aggregation(span: Span) -> Diagnostic {
    error(Tag::PrintaProto, span, "printa( ) prototype mismatch: 1 args passed, 2 expected")
}

pub(crate) fn printa_key_counts(
    span: Span,
    first: &str,
    keys: usize,
    other: &str,
    others: usize,
) -> Diagnostic {
    error(
        Tag::PrintaAggkey,
        span,
        format!(
            "printa( ): @{first} and @{other} do not have matching key signatures: @{first} has {}, @{other} has {}",
            count(keys, "key"),
            count(others, "key")
        ),
    )
}

/// The two aggregations by name with the type of their key `number`.
pub(crate) fn printa_key_types(
    span: Span,
    (first, first_type): (&str, &str),
    (other, other_type): (&str, &str),
    number: usize,
) -> Diagnostic {
    error(
        Tag::PrintaAggproto,
        span,
        format!(
            "printa( ): @{other}[ ] key #{number} is incompatible with @{first}:\n{first:>9} key #{number}: {first_type}\n{other:>9} key #{number}: {other_type}"
        ),
    )
}

// Formats.

pub(crate) fn format_not_constant(span: Span, function: &str, argument: &str) -> Diagnostic {
    error(Tag::PrintfArgFmt, span, prototype_text(function, 1, "string constant", argument))
}

pub(crate) fn format_empty(span: Span, function: &str) -> Diagnostic {
    error(Tag::PrintfFmtEmpty, span, format!("{function}( ) format string is empty"))
}

pub(crate) fn format_positional(span: Span, conversion: usize) -> Diagnostic {
    error(
        Tag::Syntax,
        span,
        format!("format conversion #{conversion} uses unsupported positional format (%n$)"),
    )
}

/// `what` is `width` or `precision`.
pub(crate) fn format_two_stars(span: Span, conversion: usize, what: &str) -> Diagnostic {
    error(
        Tag::Syntax,
        span,
        format!("format conversion #{conversion} has more than one '*' specified for the output {what}"),
    )
}

pub(crate) fn format_two_dots(span: Span, conversion: usize) -> Diagnostic {
    error(Tag::Syntax, span, format!("format conversion #{conversion} has more than one '.' specified"))
}

pub(crate) fn format_cut_off(span: Span, conversion: usize) -> Diagnostic {
    error(
        Tag::Syntax,
        span,
        format!("format conversion #{conversion} name expected before end of format string"),
    )
}

pub(crate) fn format_undefined(span: Span, conversion: usize, name: &str) -> Diagnostic {
    error(Tag::Syntax, span, format!("format conversion #{conversion} is undefined: %{name}"))
}

pub(crate) fn format_percent_with_flags(span: Span, conversion: usize) -> Diagnostic {
    error(
        Tag::Syntax,
        span,
        format!("format conversion #{conversion} cannot be combined with other format flags: %%"),
    )
}

pub(crate) fn format_value_missing(span: Span, function: &str, conversion: usize, name: &str) -> Diagnostic {
    error(
        Tag::PrintfArgProto,
        span,
        format!(
            "{function}( ) prototype mismatch: conversion #{conversion} (%{name}) is missing a corresponding value argument"
        ),
    )
}

/// `star` is `*` or `.*`.
pub(crate) fn format_star_missing(
    span: Span,
    function: &str,
    conversion: usize,
    name: &str,
    star: &str,
) -> Diagnostic {
    error(
        Tag::PrintfDynProto,
        span,
        format!(
            "{function}( ) prototype mismatch: conversion #{conversion} (%{name}) is missing a corresponding \"{star}\" argument"
        ),
    )
}

fn conversion_text(
    function: &str,
    what: &str,
    conversion: usize,
    shown: &str,
    prototype: &str,
    argument: &str,
) -> String {
    format!(
        "{function}( ) {what} is incompatible with conversion #{conversion} prototype:\n\tconversion: {shown}\n\t prototype: {prototype}\n\t  argument: {argument}"
    )
}

/// `star` is `*` or `.*`.
pub(crate) fn format_star_type(
    span: Span,
    function: &str,
    number: usize,
    conversion: usize,
    (star, name): (&str, &str),
    argument: &str,
) -> Diagnostic {
    let what = format!("argument #{number}");
    let shown = format!("% {star} {name}");
    error(Tag::PrintfDynType, span, conversion_text(function, &what, conversion, &shown, "int", argument))
}

/// `what` is `argument #N` or `aggregating action`.
pub(crate) fn format_value_type(
    span: Span,
    function: &str,
    what: &str,
    conversion: usize,
    (name, prototype): (&str, &str),
    argument: &str,
) -> Diagnostic {
    let shown = format!("%{name}");
    error(Tag::PrintfArgType, span, conversion_text(function, what, conversion, &shown, prototype, argument))
}

pub(crate) fn format_surplus(span: Span, function: &str, required: usize) -> Diagnostic {
    error(
        Tag::PrintfArgExtra,
        span,
        format!("{function}( ) prototype mismatch: only {required} arguments required by this format string"),
    )
}

pub(crate) fn format_aggregation(span: Span, function: &str) -> Diagnostic {
    error(
        Tag::PrintfAggConv,
        span,
        format!("%@ conversion requires an aggregation and is not for use with {function}( )"),
    )
}
