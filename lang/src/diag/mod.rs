//! Diagnostics: the script is wrong. Collected by the passes, rendered by [`render`].

pub mod render;
pub mod tags;

pub use tags::Tag;

use crate::source::Span;

/// Which part of a clause of a string option a message speaks of (language spec §13.1): `in action list: `,
/// `in predicate: ` or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Part {
    /// Descriptions, syntax, and checks made by a single action.
    #[default]
    None,
    /// Name resolution and type checking in the body.
    ActionList,
    /// The same in the predicate.
    Predicate,
}

/// One message about a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// What kind of mistake.
    pub tag: Tag,
    /// DTrace's own wording, lower case, without a final period. May hold newlines and tabs where DTrace's does.
    pub message: String,
    /// The offending text.
    pub span: Span,
    /// See [`Part`].
    pub part: Part,
    /// Secondary places, each with a short label.
    pub labels: Vec<(Span, String)>,
    /// What to do instead, where one is known.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A message without labels or help.
    pub fn new(tag: Tag, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { tag, message: message.into(), span, part: Part::None, labels: Vec::new(), help: None }
    }

    /// The same, for the given part of the clause.
    #[must_use]
    pub fn in_part(mut self, part: Part) -> Diagnostic {
        self.part = part;
        self
    }

    /// Adds a secondary place.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push((span, text.into()));
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(text.into());
        self
    }
}
