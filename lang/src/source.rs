//! Source texts and places in them.

/// Identifies one text of a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(pub u32);

/// A half-open byte range of one source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The text.
    pub source: SourceId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that covers both; `other` must lie in the same text.
    pub fn to(self, other: Span) -> Span {
        debug_assert_eq!(self.source, other.source);
        Span { source: self.source, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// Which option gave the text. The lexical rules depend on it (language spec §2.4, §3.2, §4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// The file of `-s`.
    Script,
    /// The string of `-n`.
    Name,
    /// The string of `-P`.
    Provider,
    /// The string of `-m`.
    Module,
    /// The string of `-f`.
    Function,
    /// The string of `-i`.
    Id,
    /// A file of a library directory or of the embedded library.
    Library,
}

impl SourceKind {
    /// Whether the text is the argument of `-n`, `-P`, `-m`, `-f` or `-i`.
    pub fn is_string(self) -> bool {
        !matches!(self, SourceKind::Script | SourceKind::Library)
    }
}

/// One source text.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file name as given, or for a string option the whole argument.
    pub name: String,
    /// Where it came from.
    pub kind: SourceKind,
    /// The bytes, as [`crate::bytes`] makes text of any.
    pub text: String,
}

/// All texts of one invocation, in compilation order: libraries first, then programs in command-line order.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    /// Each with where its lines begin: places are asked for once a clause and more, and texts may be long.
    sources: Vec<(Source, Vec<u32>)>,
}

impl SourceMap {
    /// Adds a text.
    pub fn add(&mut self, source: Source) -> SourceId {
        let ends = source.text.match_indices('\n').map(|(at, _)| at as u32 + 1);
        let lines = std::iter::once(0).chain(ends).collect();
        self.sources.push((source, lines));
        SourceId(self.sources.len() as u32 - 1)
    }

    /// The text behind an id of this map.
    pub fn get(&self, id: SourceId) -> &Source {
        &self.sources[id.0 as usize].0
    }

    /// Every id, in compilation order.
    pub fn ids(&self) -> impl Iterator<Item = SourceId> + use<> {
        (0..self.sources.len() as u32).map(SourceId)
    }

    /// The bytes of a span.
    pub fn text(&self, span: Span) -> &str {
        self.get(span.source).text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Line and column of a byte offset, both from 1; the column counts characters.
    pub fn line_column(&self, source: SourceId, offset: u32) -> (u32, u32) {
        let (Source { text, .. }, lines) = &self.sources[source.0 as usize];
        let mut end = (offset as usize).min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        // The first line begins at 0, so that one at least does not begin behind `end`.
        let line = lines.partition_point(|&start| start as usize <= end);
        let column = text[lines[line - 1] as usize..end].chars().count() as u32 + 1;
        (line as u32, column)
    }
}
