//! The wording of the parser, and where the grammar's failures stand: pest's errors in, diagnostics that name the token
//! a user typed out. Rules never leave this module.

use std::ops::Range;

use pest::error::{Error, ErrorVariant, InputLocation};

use super::characters;
use super::hints::{self, Place};
use super::resolve::{Meaning, Scope};
use super::scan::{Class, Item};
use super::words::{continues_identifier, punctuator};
use super::{MAX_DEPTH, MAX_NESTING, Rule};
use crate::builtins::funcs::UNIMPLEMENTED;
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

/// Why a declaration of a header is left out: an enum that is no `int`.
pub(super) const NO_ENUM_OF_ANOTHER_SIZE: &str = "D has no enum of another size";

/// Why a declaration of a header is left out.
pub(super) const NO_EMPTY_STRUCT: &str = "D has no struct without members";

/// Why a declaration of a header is left out.
pub(super) const NOTHING_BEHIND_PARAMETERS: &str = "D has nothing behind the parameters of a function";

/// Why a declaration of a header is left out: a word of C or of a compiler.
pub(super) fn no_word(word: &str) -> String {
    format!("D has no `{word}`")
}

/// The error for what starts at a byte of a header of the system and is not finished where the header ends.
pub(super) fn unfinished_header((source, text): (SourceId, &str), at: usize) -> Diagnostic {
    let word = text.as_bytes()[at..].iter().take_while(|&&b| continues_identifier(b)).count();
    let end = at + word.max(1);
    let span = Span { source, start: at as u32, end: end as u32 };
    near(text.get(at..end).unwrap_or(""), span).label(span, "the header ends before what starts here does")
}

/// A character as a message shows it.
fn visible(c: char) -> Box<dyn Iterator<Item = char>> {
    if c.is_control() || characters::unseen(c).is_some() {
        Box::new(c.escape_default())
    } else {
        Box::new(std::iter::once(c))
    }
}

/// A clause in a library file (language spec §1).
pub(super) fn clause_of_a_library(span: Span) -> Diagnostic {
    Diagnostic::new(Tag::Unknown, span, "a library file holds definitions, no clauses")
        .help("give the file with `-s` to enable its clauses")
}

/// The error for brackets, `?:` and `if` inside each other beyond [`MAX_NESTING`], or for a tree beyond [`MAX_DEPTH`].
pub(super) fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::new(Tag::Syntax, span, "expressions or statements are nested too deeply").help(format!(
        "at most {MAX_NESTING} levels of brackets and {MAX_DEPTH} operators in a row are accepted; use variables or more \
         clauses"
    ))
}

/// The error where the system has no thread for reading deep brackets.
pub(super) fn no_thread(span: Span, why: &std::io::Error) -> Diagnostic {
    Diagnostic::new(Tag::Unknown, span, format!("no thread to read deep brackets with: {}", why.kind()))
}

/// The character at a byte offset, as a string; empty at the end.
pub(super) fn character_at(text: &str, at: usize) -> &str {
    let rest = text.get(at..).unwrap_or("");
    &rest[..rest.chars().next().map_or(0, char::len_utf8)]
}

/// The syntax error at the first token of an item from a byte of the source on.
pub(super) fn near_token((source, text): (SourceId, &str), item: &Item, at: usize) -> Diagnostic {
    let prepared = &item.text.as_bytes()[(at - item.start).min(item.text.len())..];
    let blanks = prepared.iter().take_while(|&&b| b == b' ').count();
    let start = at + blanks;
    let end = start + token_length(&prepared[blanks..]);
    near(text.get(start..end).unwrap_or(""), Span { source, start: start as u32, end: end as u32 })
}

/// The error for a word that names no type where only a type can stand. DTrace gives it the tag of a syntax error, since
/// which words are types decides how a text is read.
///
/// What stands before it decides if it is in the first argument of a subroutine that other systems have, and their types with
/// it: then it is the subroutine that is not there.
pub(super) fn unknown_type(text: &str, scope: &Scope<'_>, name: &str, span: Span) -> Diagnostic {
    let before = text.get(..span.start as usize).unwrap_or("");
    let called = before.trim_end_matches(|c: char| c == '(' || c.is_ascii_whitespace());
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let callee = &called[called.trim_end_matches(word).len()..];
    let opened = before[called.len()..].contains('(');
    if let Some((_, why, _)) = UNIMPLEMENTED.iter().find(|row| opened && row.0 == callee) {
        let span = Span { start: (called.len() - callee.len()) as u32, end: called.len() as u32, ..span };
        return Diagnostic::new(Tag::Unknown, span, *why);
    }
    let diagnostic = Diagnostic::new(Tag::Syntax, span, format!("unknown type name {name}"));
    match scope.no_type(name) {
        Some(advice) => diagnostic.help(advice),
        None => diagnostic,
    }
}

/// The error for a type whose name the program has given to a variable.
pub(super) fn hidden_type(name: &str, span: Span) -> Diagnostic {
    let help = format!("`{name}` is a variable here, which hides the type of that name");
    near(name, span).help(help)
}

/// The diagnostic for an item that the grammar refuses, or that the scanner could not finish.
pub(super) fn refused(
    (source, text): (SourceId, &str),
    item: &mut Item,
    scope: &Scope<'_>,
    error: &Error<Rule>,
) -> Diagnostic {
    let within = stop(error);
    let blanks =
        item.text.as_bytes()[within.min(item.text.len())..].iter().take_while(|&&b| b == b' ').count();
    let at = item.start + within + blanks;
    let span = |start: usize, end: usize| Span { source, start: start as u32, end: end as u32 };
    if matches!(error.variant, ErrorVariant::CustomError { .. }) {
        return too_deep(span(item.start, item.start + 1));
    }
    let (diagnostic, prepared) = match item.failure.take_if(|failure| failure.at <= at) {
        // The poison that stands for the failure is no token.
        Some(failure) => (failure.diagnostic, &item.text.as_bytes()[..failure.at - item.start]),
        None if at >= item.start + item.text.len() => {
            let diagnostic = at_end(text, span(text.len(), text.len()), &item.unclosed, source, error);
            return match hints::at_end(item.text.as_bytes()) {
                Some(advice) => diagnostic.help(advice),
                None => diagnostic,
            };
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
    // A statement ends within brackets.
    let open = hints::innermost(before).filter(|&open| matches!(before[open], b'(' | b'['));
    if let Some(open) = open.filter(|_| matches!(text.as_bytes().get(at), Some(b';' | b'{' | b'}'))) {
        let open = item.start + open;
        let bracket = character_at(text, open);
        return diagnostic.label(span(open, open + 1), format!("this `{bracket}` is not closed"));
    }
    match hints::hint(&Place { text, at, before, after, scope }) {
        Some(advice) => diagnostic.help(advice),
        None => diagnostic,
    }
}

/// The byte of the prepared text at which the grammar stopped.
pub(super) fn stop(error: &Error<Rule>) -> usize {
    let (InputLocation::Pos(stop) | InputLocation::Span((stop, _))) = error.location;
    stop
}

/// The part of a clause that is complete, as a clause of its own, and where it ends; nothing of a declaration.
pub(super) fn complete_statements(prepared: &str) -> Option<(String, usize)> {
    let bytes = prepared.as_bytes();
    if !matches!(bytes.first(), Some(&first) if first == Class::Probe as u8 || first == Class::Integer as u8)
    {
        return None;
    }
    let mut open: Vec<u8> = Vec::new();
    let mut whole = None;
    for (at, &b) in bytes.iter().enumerate() {
        match b {
            b'(' | b'[' | b'{' => open.push(b),
            b')' | b']' | b'}' => drop(open.pop()),
            b';' => {}
            _ => continue,
        }
        if matches!(b, b';' | b'{' | b'}') && open.iter().all(|&b| b == b'{') {
            whole = Some((at + 1, open.len()));
        }
    }
    let (end, braces) = whole?;
    Some((format!("{}{}", &prepared[..end], "}".repeat(braces)), end))
}

/// The first cast to what is no type in a part of an item that the grammar did not get through: `(w *)`, or `(w)` before
/// a name or a constant.
pub(super) fn unknown_cast(
    (source, text): (SourceId, &str),
    item: &Item,
    scope: &Scope<'_>,
    part: Range<usize>,
) -> Option<Diagnostic> {
    let bytes = &item.text.as_bytes()[part.clone()];
    let solid = |from: usize| from + bytes[from..].iter().take_while(|&&b| b == b' ').count();
    for (at, _) in bytes.iter().enumerate().filter(|&(_, &b)| b == b'(') {
        let start = solid(at + 1);
        if bytes.get(start) != Some(&(Class::Name as u8)) {
            continue;
        }
        let end = start + token_length(&bytes[start..]);
        let mut next = solid(end);
        let starred = bytes.get(next) == Some(&b'*');
        while bytes.get(next) == Some(&b'*') {
            next = solid(next + 1);
        }
        let closed = bytes.get(next) == Some(&b')');
        // `f(w) x` and `if (w) x` are no casts.
        let before = bytes[..at].iter().rfind(|&&b| b != b' ');
        let begins = before.is_some_and(|b| b"=+-*/%&|^~!<>?:,;{([".contains(b));
        let operand = || begins && matches!(bytes.get(solid(next + 1)), Some(1 | 3 | 4));
        let from = item.start + part.start;
        let span = Span { source, start: (from + start) as u32, end: (from + end) as u32 };
        let word = &text[span.start as usize..span.end as usize];
        if closed && (starred || operand()) && !word.starts_with('$') {
            // A variable that hides a type may have another error than this.
            if scope.meaning(word) == Meaning::Other {
                return Some(unknown_type(text, scope, word, span));
            }
        }
    }
    None
}

fn at_end(text: &str, end: Span, unclosed: &[usize], source: SourceId, error: &Error<Rule>) -> Diagnostic {
    if expects(error, Rule::predicate) && unclosed.is_empty() {
        return Diagnostic::new(
            Tag::Syntax,
            end,
            "expected predicate and/or actions following probe description",
        );
    }
    let predicate = text.get(..end.start as usize).is_some_and(|before| before.trim_end().ends_with('/'));
    if predicate && expects_body(error) && unclosed.is_empty() {
        let missing = "expected actions { } following probe description and predicate";
        return Diagnostic::new(Tag::Syntax, end, missing);
    }
    let mut diagnostic = Diagnostic::new(Tag::Syntax, end, "syntax error near end of input");
    if let Some(&open) = unclosed.last() {
        let span = Span { source, start: open as u32, end: open as u32 + 1 };
        let bracket = character_at(text, open);
        diagnostic = diagnostic.label(span, format!("this `{bracket}` is not closed"));
    }
    diagnostic
}

/// Whether a clause's `{` could stand where the error is.
fn expects_body(error: &Error<Rule>) -> bool {
    expects(error, Rule::body) || expects(error, Rule::brace_open)
}

fn expects(error: &Error<Rule>, rule: Rule) -> bool {
    matches!(&error.variant, ErrorVariant::ParsingError { positives, .. } if positives.contains(&rule))
}

/// The length of the token at the start of prepared text.
pub(super) fn token_length(prepared: &[u8]) -> usize {
    match prepared.first() {
        None => 0,
        Some(1..=8) => 1 + prepared[1..].iter().take_while(|&&b| b == b'_').count(),
        Some(b) if b.is_ascii_alphabetic() => prepared.iter().take_while(|b| b.is_ascii_alphabetic()).count(),
        Some(_) => punctuator(prepared),
    }
}
