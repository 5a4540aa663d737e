//! Wording about translators and providers.

use super::error;
use crate::diag::{Diagnostic, Tag};
use crate::source::Span;

pub(crate) fn translator_output(span: Span) -> Diagnostic {
    error(Tag::XlateSou, span, "translator output type must be a struct or union")
}

pub(crate) fn translator_redeclared(span: Span, from: &str, to: &str) -> Diagnostic {
    error(Tag::XlateRedecl, span, format!("translator from {from} to {to} has already been declared"))
}

pub(crate) fn translator_member(span: Span, member: &str, ty: &str) -> Diagnostic {
    error(Tag::XlateMemb, span, format!("translator member {member} is not a member of {ty}"))
}

pub(crate) fn translator_member_type(span: Span, member: &str, left: &str, right: &str) -> Diagnostic {
    let message =
        format!("translator member {member} definition uses incompatible types: \"{left}\" = \"{right}\"");
    error(Tag::XlateIncompat, span, message)
}

pub(crate) fn no_translator(span: Span, from: &str, to: &str) -> Diagnostic {
    error(Tag::XlateNone, span, format!("cannot translate from \"{from}\" to \"{to}\""))
}

pub(crate) fn no_conversion(span: Span, member: &str) -> Diagnostic {
    error(Tag::XlateNoconv, span, format!("translator does not define conversion for member: {member}"))
}

pub(crate) fn provider_scoped(span: Span, name: &str) -> Diagnostic {
    error(Tag::ProvBadname, span, format!("provider name may not contain scoping operator: {name}"))
}

pub(crate) fn provider_too_long(span: Span, name: &str, most: usize) -> Diagnostic {
    error(Tag::ProvBadname, span, format!("provider name may not exceed {most} characters: {name}"))
}

pub(crate) fn provider_digit(span: Span, name: &str) -> Diagnostic {
    error(Tag::ProvBadname, span, format!("provider name may not end with a digit: {name}"))
}

pub(crate) fn probe_twice(span: Span, provider: &str, probe: &str) -> Diagnostic {
    error(Tag::ProvPrdup, span, format!("probe redefined: {provider}:::{probe}"))
}

pub(crate) fn interface_differs(
    span: Span,
    provider: &str,
    probe: &str,
    now: &str,
    before: &str,
) -> Diagnostic {
    let message = format!(
        "provider interface mismatch: {provider}\n\t current: probe {provider}:::{probe} {now}\n\tprevious: probe \
         {provider}:::{probe} {before}"
    );
    error(Tag::ProvIncompat, span, message)
}

pub(crate) fn interface_unknown(span: Span, provider: &str, probe: &str) -> Diagnostic {
    let message = format!(
        "provider interface mismatch: {provider}\n\t current: probe {provider}:::{probe} defined\n\tprevious: probe \
         {provider}:::{probe} not defined"
    );
    error(Tag::ProvIncompat, span, message)
}

pub(crate) fn argument_not_native(span: Span, name: &str) -> Diagnostic {
    error(
        Tag::DeclProtoForm,
        span,
        format!("parameter name {name} does not match any input parameter of the probe"),
    )
}

/// `index` counts from 0, as in `args[]`.
pub(crate) fn argument_without_translator(span: Span, index: usize, from: &str, to: &str) -> Diagnostic {
    let message = format!("translator from {from} to {to} is not defined for args[{index}] of the probe");
    error(Tag::ProvPrxlator, span, message)
}

pub(crate) fn parameter_void_among(span: Span) -> Diagnostic {
    error(Tag::DeclProtoVoid, span, "void must be sole parameter")
}

pub(crate) fn parameter_void_named(span: Span) -> Diagnostic {
    error(Tag::DeclProtoName, span, "void parameter may not have a name")
}

pub(crate) fn too_many_arguments(span: Span, probe: &str, count: usize) -> Diagnostic {
    let message = format!("probe ::{probe} input prototype exceeds 255 parameters: {count} params used");
    error(Tag::ProvPrarglen, span, message)
}
