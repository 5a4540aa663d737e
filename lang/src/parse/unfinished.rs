//! What can be read of an item that an error ends. In: a prepared item, and where its error is. Out: the tree of what is
//! complete before that, so that what is checked while parsing is checked there, and comes first (language spec §1.5).
//!
//! DTrace's parser makes a node as soon as its last token is read, or, where the node could go on, the token behind it.
//! So does this: the text up to the error is read by the same grammar, which knows where it is cut, and whatever the cut
//! leaves open is not in the tree. A good program never comes here; a wrong one is read at most [`ATTEMPTS`] times more.

use pest::Parser;

use super::build::{self, CUT};
use super::errors::token_length;
use super::resolve::Scope;
use super::scan;
use super::{Grammar, MAX_NESTING, Rule};
use crate::ast::Item;
use crate::diag::{Diagnostic, Tag};
use crate::source::SourceId;

/// How often an item is cut: words that are no types where one must stand, and storage classes that are not allowed, are
/// noticed only when the tree is made, and are errors ahead of the one that is known.
const ATTEMPTS: usize = 3;

/// Why there is no item.
#[derive(Debug)]
pub(super) struct Refusal {
    /// The error.
    pub(super) diagnostic: Diagnostic,
    /// What is complete before it.
    pub(super) beginning: Option<Box<Item>>,
}

impl From<Diagnostic> for Refusal {
    fn from(diagnostic: Diagnostic) -> Refusal {
        Refusal { diagnostic, beginning: None }
    }
}

/// Where the prepared text of an item is cut for an error at a byte of it.
pub(super) fn cut(item: &scan::Item, error: usize) -> usize {
    let text = item.text.as_bytes();
    let blanks = text[error.min(text.len())..].iter().take_while(|&&b| b == b' ').count();
    let failure = item.failure.as_ref().map(|failure| failure.at - item.start);
    match failure.filter(|&at| at <= error + blanks) {
        // The token that would follow is none, and the last one waits for it.
        Some(at) => last_token(&text[..at.min(text.len())]),
        None => error.min(text.len()),
    }
}

/// The first byte of the last token.
fn last_token(prepared: &[u8]) -> usize {
    let (mut at, mut last) = (0, 0);
    while at < prepared.len() {
        if prepared[at] != b' ' {
            last = at;
        }
        at += token_length(&prepared[at..]).max(1);
    }
    last
}

/// Reads what stands before the cut. An error of it is the error of the item.
pub(super) fn beginning(
    rule: Rule,
    source: (SourceId, &str),
    (item, mut cut): (&scan::Item, usize),
    mut diagnostic: Diagnostic,
    scope: &mut Scope<'_>,
    next_id: &mut u32,
) -> Refusal {
    // What nests too deeply is not read.
    let attempts = if item.depth < MAX_NESTING { ATTEMPTS } else { 0 };
    for _ in 0..attempts {
        let text = format!("{}{CUT}{CUT}", &item.text[..cut]);
        scope.begins_again();
        let Ok(pairs) = Grammar::parse(rule, &text) else { break };
        match build::item(pairs, source, (item, true), scope, next_id) {
            Ok(beginning) => return Refusal { diagnostic, beginning: Some(Box::new(beginning)) },
            Err(earlier) => {
                let at = (earlier.span.start as usize).saturating_sub(item.start);
                // A word that is read as a type is told where the grammar stops.
                if earlier.tag != Tag::Syntax {
                    diagnostic = earlier;
                }
                if at >= cut {
                    break;
                }
                cut = at;
            }
        }
    }
    diagnostic.into()
}
