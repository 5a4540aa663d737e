//! The wording of the parser, and where the grammar's failures stand: pest's errors in, diagnostics that name the token
//! a user typed out. Rules never leave this module.

use pest::error::{Error, ErrorVariant, InputLocation};

use super::hints::{self, Place};
use super::scan::{Class, Item};
use super::words::{PREDEFINED_TYPES, punctuator};
use super::{MAX_DEPTH, MAX_NESTING, Rule};
use crate::builtins::elsewhere;
use crate::diag::{Diagnostic, Tag};
use crate::source::{SourceId, Span};

/// Longest token quoted in a message.
const SHOWN: usize = 60;

/// `syntax error near "TOKEN"`
pub(super) fn near(token: &str, span: Span) -> Diagnostic {
    let mut shown: String = token.chars().take(SHOWN).flat_map(visible).collect();
    if token.chars().nth(SHOWN).is_some() {
        shown.push_str("...");
    }
    Diagnostic::new(Tag::Syntax, span, format!("syntax error near \"{shown}\""))
}

/// A character as a message shows it.
fn visible(c: char) -> Box<dyn Iterator<Item = char>> {
    if c.is_control() { Box::new(c.escape_default()) } else { Box::new(std::iter::once(c)) }
}

/// The error for brackets, `?:` and `if` inside each other beyond [`MAX_NESTING`], or for a tree beyond [`MAX_DEPTH`].
pub(super) fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::new(Tag::Syntax, span, "expressions or statements are nested too deeply").help(format!(
        "at most {MAX_NESTING} levels of brackets and {MAX_DEPTH} operators in a row are accepted; use variables or more \
         clauses"
    ))
}

/// The character at a byte offset, as a string; empty at the end.
pub(super) fn character_at(text: &str, at: usize) -> &str {
    let rest = text.get(at..).unwrap_or("");
    &rest[..rest.chars().next().map_or(0, char::len_utf8)]
}

/// The diagnostic for an item that the grammar refuses, or that the scanner could not finish.
pub(super) fn refused(source: SourceId, text: &str, mut item: Item, error: &Error<Rule>) -> Diagnostic {
    let within = match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    };
    let blanks =
        item.text.as_bytes()[within.min(item.text.len())..].iter().take_while(|&&b| b == b' ').count();
    let at = item.start + within + blanks;
    let span = |start: usize, end: usize| Span { source, start: start as u32, end: end as u32 };
    if matches!(error.variant, ErrorVariant::CustomError { .. }) {
        return too_deep(span(item.start, item.start + 1));
    }
    if item.failure.as_ref().is_none_or(|failure| failure.at > at)
        && let Some(unknown) = unknown_type(source, text, &item, at, error)
    {
        return unknown;
    }
    let (diagnostic, prepared) = match item.failure.take_if(|failure| failure.at <= at) {
        // The poison that stands for the failure is no token.
        Some(failure) => (failure.diagnostic, &item.text.as_bytes()[..failure.at - item.start]),
        None if at >= item.start + item.text.len() => {
            return at_end(text, span(text.len(), text.len()), &item.unclosed, source, error);
        }
        None => {
            let end = at + token_length(&item.text.as_bytes()[at - item.start..]);
            (near(&text[at..end], span(at, end)), item.text.as_bytes())
        }
    };
    if diagnostic.tag != Tag::Syntax || diagnostic.help.is_some() {
        return diagnostic;
    }
    let (before, after) = prepared.split_at((at - item.start).min(prepared.len()));
    match hints::hint(&Place { text, at, before, after }) {
        Some(advice) => diagnostic.help(advice),
        None => diagnostic,
    }
}

fn at_end(text: &str, end: Span, unclosed: &[usize], source: SourceId, error: &Error<Rule>) -> Diagnostic {
    if expects(error, Rule::predicate) && unclosed.is_empty() {
        return Diagnostic::new(
            Tag::Syntax,
            end,
            "expected predicate and/or actions following probe description",
        );
    }
    let mut diagnostic = Diagnostic::new(Tag::Syntax, end, "syntax error near end of input");
    if let Some(&open) = unclosed.last() {
        let span = Span { source, start: open as u32, end: open as u32 + 1 };
        let bracket = character_at(text, open);
        diagnostic = diagnostic.label(span, format!("this `{bracket}` is not closed"));
    }
    diagnostic
}

fn expects(error: &Error<Rule>, rule: Rule) -> bool {
    matches!(&error.variant, ErrorVariant::ParsingError { positives, .. } if positives.contains(&rule))
}

/// What the grammar says it wants where a type must stand.
const WANTS_TYPE: [Rule; 5] =
    [Rule::type_word, Rule::type_name, Rule::type_specifiers, Rule::specifiers, Rule::struct_member];

/// A name that stands where only a type's name would make sense: `(NAME *)…`, `(NAME)x`, or wherever the grammar wants a
/// type. DTrace gives it the tag of a syntax error, since which words are types decides how a text is read.
fn unknown_type(
    source: SourceId,
    text: &str,
    item: &Item,
    at: usize,
    error: &Error<Rule>,
) -> Option<Diagnostic> {
    let prepared = item.text.as_bytes();
    let within = at.checked_sub(item.start).filter(|&within| within <= prepared.len())?;
    let (before, after) = prepared.split_at(within);
    let name_at = |start: usize| {
        let len = token_length(&prepared[start..]);
        (item.start + start, item.start + start + len)
    };
    let is_name = |b: u8| b == Class::Name as u8;
    let last = |bytes: &[u8]| bytes.iter().rposition(|&b| b != b' ');
    // The name that ends a piece of prepared text.
    let ending = |bytes: &[u8]| {
        let end = last(bytes)?;
        let start = bytes[..=end].iter().rposition(|&b| b != b'_')?;
        is_name(bytes[start]).then_some(start)
    };
    let opened = |start: usize| last(&before[..start]).is_some_and(|i| before[i] == b'(');
    let start = match after.first() {
        Some(b')') => {
            let stars = before.iter().rposition(|&b| b != b' ' && b != b'*')?;
            let starred = before[stars..].contains(&b'*');
            ending(&before[..=stars]).filter(|&start| starred && opened(start))?
        }
        Some(&first) if is_name(first) && WANTS_TYPE.iter().any(|&rule| expects(error, rule)) => before.len(),
        Some(&first) if is_name(first) || matches!(first, 3 | 4) => {
            let close = last(before).filter(|&i| before[i] == b')')?;
            ending(&before[..close]).filter(|&start| opened(start))?
        }
        _ => return None,
    };
    let (from, to) = name_at(start);
    let name = &text[from..to];
    // A variable that hides a type is no unknown type.
    if PREDEFINED_TYPES.contains(&name) {
        return None;
    }
    let span = Span { source, start: from as u32, end: to as u32 };
    let diagnostic = Diagnostic::new(Tag::Syntax, span, format!("unknown type name {name}"));
    Some(match elsewhere::of_type(name) {
        Some(advice) => diagnostic.help(advice),
        None => diagnostic,
    })
}

/// The length of the token at the start of prepared text.
fn token_length(prepared: &[u8]) -> usize {
    match prepared.first() {
        None => 0,
        Some(1..=8) => 1 + prepared[1..].iter().take_while(|&&b| b == b'_').count(),
        Some(b) if b.is_ascii_alphabetic() => prepared.iter().take_while(|b| b.is_ascii_alphabetic()).count(),
        Some(_) => punctuator(prepared),
    }
}
