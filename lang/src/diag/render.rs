//! Diagnostics as text: DTrace's own one-line form, and the long form with the source line and a caret.
//!
//! In: a diagnostic and the texts it speaks of. Out: lines, without the program's name. Colours nothing, prints nothing.

use std::fmt::Write as _;

use super::{Diagnostic, Part};
use crate::parse::place;
use crate::source::{SourceKind, SourceMap, Span};

/// DTrace's form (language spec §13.1): one line, unless the message has several. `tags`: the option `errtags`.
pub fn classic(diagnostic: &Diagnostic, sources: &SourceMap, tags: bool) -> String {
    let source = sources.get(diagnostic.span.source);
    let tag = if tags { format!("[{}] ", diagnostic.tag.text()) } else { String::new() };
    let message = &diagnostic.message;
    if source.kind.is_string() {
        let part = match diagnostic.part {
            Part::None => "",
            Part::ActionList => "in action list: ",
            Part::Predicate => "in predicate: ",
        };
        return format!("invalid probe specifier {}: {tag}{part}{message}", source.name);
    }
    let at = place(&source.text, diagnostic.span.start);
    let file = at.file.map_or(String::new(), |file| format!("\"{file}\", "));
    let what = if source.kind == SourceKind::Library { "library" } else { "script" };
    format!("failed to compile {what} {}: {tag}{file}line {}: {message}", source.name, at.line)
}

/// For a person: what is wrong, then [`excerpt`].
pub fn long(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    format!("error[{}]: {}\n{}", diagnostic.tag.text(), diagnostic.message, excerpt(diagnostic, sources))
}

/// The places of a diagnostic with their source lines, and the advice. Every line ends in a newline.
pub fn excerpt(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let mut out = String::new();
    let span = diagnostic.span;
    let source = sources.get(span.source);
    let at = place(&source.text, span.start);
    let name = at.file.clone().unwrap_or_else(|| option_name(source.kind, &source.name));
    let _ = writeln!(out, "  --> {name}:{}:{}", at.line, at.column);
    let mut marks: Vec<(Span, char, &str)> = vec![(span, '^', "")];
    marks.extend(diagnostic.labels.iter().map(|(span, text)| (*span, '-', text.as_str())));
    marks.sort_by_key(|(span, ..)| (span.source, span.start));
    let gutter =
        marks.iter().map(|(span, ..)| line_number(sources, *span).to_string().len()).max().unwrap_or(1);
    for (span, mark, text) in marks {
        source_line(&mut out, sources, span, mark, text, gutter);
    }
    if let Some(help) = &diagnostic.help {
        let _ = writeln!(out, "  help: {help}");
    }
    out
}

/// How a place in a text is called: the file, or the option that gave the text.
fn option_name(kind: SourceKind, name: &str) -> String {
    match kind {
        SourceKind::Script | SourceKind::Library => name.to_string(),
        SourceKind::Name => "-n".into(),
        SourceKind::Provider => "-P".into(),
        SourceKind::Module => "-m".into(),
        SourceKind::Function => "-f".into(),
        SourceKind::Id => "-i".into(),
    }
}

fn line_number(sources: &SourceMap, span: Span) -> u32 {
    place(&sources.get(span.source).text, span.start).line
}

/// The line a span starts on, and a line with its marks below.
fn source_line(out: &mut String, sources: &SourceMap, span: Span, mark: char, label: &str, gutter: usize) {
    let text = &sources.get(span.source).text;
    let start = floor_boundary(text, span.start as usize);
    let end = floor_boundary(text, span.end as usize).max(start);
    let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
    let (before, marked) = (show(&text[line_start..start]), show(&text[start..end.min(line_end)]));
    let after = show(&text[end.min(line_end)..line_end]);
    let number = line_number(sources, span);
    let _ = writeln!(out, "  {number:>gutter$} | {before}{marked}{after}");
    let blank = " ".repeat(before.chars().count());
    let marks = mark.to_string().repeat(marked.chars().count().max(1));
    let label = if label.is_empty() { String::new() } else { format!(" {label}") };
    let _ = writeln!(out, "  {:gutter$} | {blank}{marks}{label}", "");
}

/// Program text as it can be shown on one line: tabs as four blanks, other control characters replaced.
fn show(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => shown.push_str("    "),
            '\r' => {}
            c if c.is_control() => shown.push('\u{fffd}'),
            c => shown.push(c),
        }
    }
    shown
}

fn floor_boundary(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Tag;
    use crate::source::{Source, SourceId};

    fn one(kind: SourceKind, name: &str, text: &str) -> SourceMap {
        let mut sources = SourceMap::default();
        sources.add(Source { name: name.into(), kind, text: text.into() });
        sources
    }

    /// The span of the last occurrence of `part`.
    fn span(sources: &SourceMap, part: &str) -> Span {
        let at = sources.get(SourceId(0)).text.rfind(part).expect("the part occurs") as u32;
        Span { source: SourceId(0), start: at, end: at + part.len() as u32 }
    }

    #[test]
    fn classic_forms() {
        let script = one(SourceKind::Script, "a.d", "BEGIN\n{\n\tx = y;\n}\n");
        let error = Diagnostic::new(Tag::IdentUndef, span(&script, "y"), "no y").in_part(Part::ActionList);
        assert_eq!(classic(&error, &script, false), "failed to compile script a.d: line 3: no y");
        assert_eq!(
            classic(&error, &script, true),
            "failed to compile script a.d: [D_IDENT_UNDEF] line 3: no y"
        );
        let renumbered = one(SourceKind::Script, "a.d", "# 7 \"b.h\"\nBEGIN { x = y; }\n");
        let error = Diagnostic::new(Tag::IdentUndef, span(&renumbered, "y"), "no y");
        assert_eq!(
            classic(&error, &renumbered, false),
            "failed to compile script a.d: \"b.h\", line 7: no y"
        );
        let text = "BEGIN /x/ { }";
        let clause = one(SourceKind::Name, text, text);
        let error = Diagnostic::new(Tag::IdentUndef, span(&clause, "x"), "no x").in_part(Part::Predicate);
        assert_eq!(
            classic(&error, &clause, true),
            "invalid probe specifier BEGIN /x/ { }: [D_IDENT_UNDEF] in predicate: no x"
        );
    }

    #[test]
    fn the_long_form_points() {
        let text = "BEGIN\n{\n\t@a = count();\n\t@a = max(1);\n}\n";
        let sources = one(SourceKind::Script, "reads.d", text);
        let error = Diagnostic::new(Tag::AggRedef, span(&sources, "max(1)"), "aggregation redefined: @a")
            .label(span(&sources, "count()"), "first used as `count()` here")
            .help("give this one another name");
        let expected = "\
error[D_AGG_REDEF]: aggregation redefined: @a
  --> reads.d:4:7
  3 |     @a = count();
    |          ------- first used as `count()` here
  4 |     @a = max(1);
    |          ^^^^^^
  help: give this one another name
";
        assert_eq!(long(&error, &sources), expected);
    }

    #[test]
    fn places_beyond_the_text_are_its_end() {
        let sources = one(SourceKind::Name, "BEGIN", "BEGIN");
        let span = Span { source: SourceId(0), start: 5, end: 9 };
        let error = Diagnostic::new(Tag::Syntax, span, "unexpected end");
        assert_eq!(excerpt(&error, &sources), "  --> -n:1:6\n  1 | BEGIN\n    |      ^\n");
    }
}
