//! Advice for syntax errors that people from C, awk or bpftrace make: the place of an error in, one sentence out. Guesses
//! from the tokens around the place; says nothing where it does not know.

use super::characters;
use super::resolve::Scope;
use super::scan::Class;
use super::words::{Keyword, keyword, punctuator};
use crate::builtins::{BuiltinVar, foreign};

/// What is known about the place of a syntax error.
pub(super) struct Place<'a> {
    /// The source, and the byte at which the error stands.
    pub(super) text: &'a str,
    /// See `text`.
    pub(super) at: usize,
    /// The prepared text of the item up to the error.
    pub(super) before: &'a [u8],
    /// The prepared text from the error on; empty if the error ended it.
    pub(super) after: &'a [u8],
    /// What words mean there.
    pub(super) scope: &'a Scope<'a>,
}

/// Advice by token.
const TOKENS: &[(&[&str], &str)] = &[
    (&["while", "for", "do"], "D has no loops: a probe such as `tick-1s` fires again and again"),
    (&["switch", "case"], "D has no `switch`: use `if` or a chain of `? :`"),
    (
        &["goto", "break", "continue", "return"],
        "D has no jumps: put the rest of the clause under an `if`, or in another clause",
    ),
];

/// The longest condition that is quoted.
const LONGEST_CONDITION: usize = 60;

/// The advice for a place, if there is any.
pub(super) fn hint(place: &Place<'_>) -> Option<String> {
    let Place { text, at, before, after, scope } = *place;
    let rest = &text[at..];
    let token = &rest[..token_len(rest)];
    let previous = last_solid(before);
    if rest.starts_with("//") || (rest.starts_with('/') && text[..at].ends_with('/')) {
        return Some("comments are written `/* … */`".to_string());
    }
    if let Some(advice) = token.chars().next().and_then(characters::advice) {
        return Some(advice);
    }
    if let Some((_, advice)) = TOKENS.iter().find(|(tokens, _)| tokens.contains(&token)) {
        return Some((*advice).to_string());
    }
    let item = &text[at - before.len()..];
    if let Some(advice) = foreign::unreadable(item) {
        return Some(advice.to_string());
    }
    let is_clause = of_clause(before);
    // `TYPE x`: the type is read as a variable, so that the error stands at the word behind it.
    let declares = match after.first() == Some(&(Class::Name as u8)) {
        true => last_word(before).is_some_and(|(start, end)| {
            let offset = at - before.len();
            matches!(last_solid(&before[..start]), Some(b'{' | b'}' | b';'))
                && scope.is_type(&text[offset + start..offset + end])
        }),
        false => {
            matches!(keyword(token.as_bytes()), Some(Keyword::Type | Keyword::Tag))
                && matches!(previous, Some(b'{' | b'}' | b';'))
        }
    };
    match token {
        ";" if before.is_empty() => Some("a clause ends with its `}`: no `;` follows".to_string()),
        "{" if before.is_empty() => Some("a clause begins with the probes that it is for, such as `BEGIN`".to_string()),
        "%" if previous == Some(b'(') => {
            Some("a format stands in double quotes, which a shell takes away outside of single ones".to_string())
        }
        "{" if previous == Some(b',') && is_clause => Some("no comma follows the last probe".to_string()),
        "=" if !is_clause && !before.is_empty() => {
            Some("a declaration gives no value: assign one in a `BEGIN` clause".to_string())
        }
        // An operator binds closer than `=`: `a && b = c` would assign to `a && b`.
        "=" if is_clause
            && (in_predicate(before) || innermost(before).is_some_and(|at| before[at] == b'('))
            && previous.is_some_and(|b| is_value(b) || b")]_".contains(&b)) =>
        {
            Some("did you mean `==`?".to_string())
        }
        "{" if is_clause && in_predicate(before) => {
            Some("the predicate is not closed: `/` ends it".to_string())
        }
        _ if ends_with_if(before) => Some("the condition stands in parentheses: `if (…)`".to_string()),
        _ if is_clause && behind_declarator(place) => Some(
            "a variable needs no declaration: `x = 1` makes it, and `this->x = 1` one of the clause"
                .to_string(),
        ),
        _ if is_clause && declares => {
            Some("variables are declared outside of clauses, or made by assigning to them".to_string())
        }
        _ if token.starts_with('"')
            && before.contains(&(Class::String as u8))
            && text[..at].trim_end().ends_with('"') =>
        {
            Some("strings that stand side by side are not joined: use `strjoin`".to_string())
        }
        "/" if is_clause && in_predicate(before) && previous.is_some_and(|b| b"=<>&|+-*%^!".contains(&b)) => Some(
            "the predicate ends behind an operator; a shell takes `$target` out of a program in double quotes, not in \
             single ones"
                .to_string(),
        ),
        _ => after_probe(place).or_else(|| behind_declaration(place)).or_else(|| separator(place)),
    }
}

/// What is missing between two values that stand side by side, or behind the last member of a struct.
fn separator(place: &Place<'_>) -> Option<String> {
    let Place { before, after, .. } = *place;
    let end = before.iter().rposition(|&b| b != b' ')?;
    let word = before[..=end].iter().rposition(|&b| b != b'_')?;
    let next = *after.first()?;
    if !is_value(before[word]) && !matches!(before[word], b')' | b']') {
        return None;
    }
    let is_clause = of_clause(before);
    let text = match innermost(before).map(|at| before[at])? {
        b'{' if !is_clause => (next == b'}').then_some("a `;` ends each member, the last one too"),
        _ if !is_clause || !(is_value(next) || next.is_ascii_alphabetic()) => None,
        b'{' => Some("a `;` stands between two statements"),
        b'(' => Some("a `,` stands between two arguments"),
        _ => Some("a `,` stands between two keys"),
    };
    text.map(str::to_owned)
}

/// What is missing behind a declaration.
const DECLARATION_END: &str = "a `;` ends each declaration";

/// The `;` that a declaration lacks: the next item begins at the place, or with the word before it, which was taken for the
/// name of a variable.
fn behind_declaration(place: &Place<'_>) -> Option<String> {
    let Place { text, at, before, after, .. } = *place;
    let taken = last_word(before).is_some_and(|(start, _)| last_solid(&before[..start]) == Some(b'}'))
        && after.first().is_some_and(|b| b"{/:-".contains(b));
    let next = text[at..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let blanks = before.iter().rev().take_while(|&&b| b == b' ').count();
    let apart = text[at - blanks..at].contains('\n') || begins_clause(&text[at..]);
    let missing = is_declaration(before) && (taken || next && apart);
    missing.then(|| DECLARATION_END.to_string())
}

/// What is missing of an item that ends with the text, if it is a declaration.
pub(super) fn at_end(prepared: &[u8]) -> Option<&'static str> {
    is_declaration(prepared).then_some(DECLARATION_END)
}

/// Whether prepared text may be a declaration up to its `;`.
fn is_declaration(prepared: &[u8]) -> bool {
    let last = prepared.trim_ascii_end().iter().rfind(|&&b| b != b'_');
    let complete = last.is_some_and(|&b| is_value(b) || b")]}".contains(&b));
    complete && !of_clause(prepared) && innermost(prepared).is_none()
}

/// Whether a text begins with what is a probe for certain.
fn begins_clause(text: &str) -> bool {
    let word = text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "_*?-".contains(c));
    word.starts_with(':') || matches!(&text[..text.len() - word.len()], "BEGIN" | "END" | "ERROR")
}

/// Whether an item is a clause.
fn of_clause(prepared: &[u8]) -> bool {
    prepared.first().is_some_and(|&first| first == Class::Probe as u8 || first == Class::Integer as u8)
}

/// Whether a byte of prepared text begins a value.
fn is_value(b: u8) -> bool {
    [Class::Name, Class::Integer, Class::String, Class::Aggregation].iter().any(|&class| class as u8 == b)
}

/// Whether prepared text ends with the keyword `if`.
fn ends_with_if(prepared: &[u8]) -> bool {
    let solid = prepared.trim_ascii_end();
    solid.strip_suffix(b"if").is_some_and(|rest| !rest.last().is_some_and(u8::is_ascii_alphanumeric))
}

/// Where the innermost bracket is that a piece of prepared text leaves open.
pub(super) fn innermost(prepared: &[u8]) -> Option<usize> {
    let mut closed = 0;
    prepared.iter().rposition(|b| match b {
        b')' | b']' | b'}' => {
            closed += 1;
            false
        }
        b'(' | b'[' | b'{' if closed == 0 => true,
        b'(' | b'[' | b'{' => {
            closed -= 1;
            false
        }
        _ => false,
    })
}

/// Whether a predicate has begun and not ended.
fn in_predicate(before: &[u8]) -> bool {
    let opens = before.contains(&b'/');
    opens && !before.iter().any(|&b| b == Class::PredicateEnd as u8 || b == b'{')
}

/// Whether a word follows what declares a variable in other languages, at the start of a statement.
fn behind_declarator(place: &Place<'_>) -> bool {
    const DECLARATORS: &[&str] = &["let", "var", "auto", "my", "local", "const"];
    let Place { text, at, before, .. } = *place;
    let Some((start, end)) = last_word(before) else { return false };
    let offset = at - before.len();
    matches!(last_solid(&before[..start]), Some(b'{' | b'}' | b';'))
        && DECLARATORS.contains(&&text[offset + start..offset + end])
}

/// The last byte of prepared text that is not blank.
fn last_solid(prepared: &[u8]) -> Option<u8> {
    prepared.iter().rfind(|&&b| b != b' ').copied()
}

/// Where the word stands that ends a piece of prepared text.
fn last_word(prepared: &[u8]) -> Option<(usize, usize)> {
    let end = prepared.iter().rposition(|&b| b != b' ')? + 1;
    let start = prepared[..end].iter().rposition(|&b| b != b'_')?;
    (prepared[start] == Class::Name as u8).then_some((start, end))
}

/// A word that was taken for a probe although a declaration was meant.
fn after_probe(place: &Place<'_>) -> Option<String> {
    let probe = Class::Probe as u8;
    let (&first, rest) = place.before.split_first()?;
    let len = 1 + rest.iter().take_while(|&&b| b == b'_').count();
    let alone = first == probe && place.before[len..].iter().all(|&b| b == b' ');
    if !alone {
        return None;
    }
    let start = place.at - place.before.len();
    let word = &place.text[start..start + len];
    let certain = begins_clause(word) || word.contains('-');
    if certain && let Some(condition) = condition(&place.text[place.at..]) {
        return Some(format!("a predicate stands between slashes: `/{condition}/`"));
    }
    if place.after.first() != Some(&probe) {
        return None;
    }
    if matches!(word, "BEGIN" | "END" | "ERROR") || certain && begins_clause(&place.text[place.at..]) {
        return Some("probes are separated by commas".to_string());
    }
    let is_word = word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if !is_word {
        return None;
    }
    // Of a program on the command line, and under `pspec`, the first word is a probe whatever it could be else.
    if place.scope.is_type(word) {
        return Some(format!(
            "`{word}` is a type, but the word that begins a clause of `-n` is a probe: declare it in a script (`-s`), without \
             `-x pspec`"
        ));
    }
    let no_type = || format!("`{word}` is not the name of a type, so it was read as a probe");
    Some(place.scope.no_type(word).unwrap_or_else(no_type))
}

/// What stands up to a clause's `{`, if it is a condition and no probe. It is quoted if it is short.
fn condition(text: &str) -> Option<&str> {
    const OPERATORS: [&str; 9] = ["==", "!=", "<", ">", "&&", "||", "!", "$", "("];
    let condition = text[..text.find(['{', ';', '}'])?].trim();
    let condition =
        condition.strip_prefix("if").filter(|rest| rest.starts_with([' ', '('])).unwrap_or(condition).trim();
    let is_variable = BuiltinVar::by_name(condition).is_some();
    let is_condition = is_variable || OPERATORS.iter().any(|operator| condition.contains(operator));
    let plain = condition.len() <= LONGEST_CONDITION && !condition.contains(['/', '\n']);
    is_condition.then_some(if plain { condition } else { "…" })
}

/// The length of a word, of a quote, or of a punctuator.
fn token_len(text: &str) -> usize {
    let word = text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    let one = text.chars().next().map_or(0, char::len_utf8);
    if word > 0 { word } else { punctuator(text.as_bytes()).max(one).min(text.len()) }
}
