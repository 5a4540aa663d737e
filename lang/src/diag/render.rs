//! Diagnostics as text: DTrace's own one-line form, and the long form with the source line and a caret.
//!
//! In: a diagnostic and the texts it speaks of. Out: lines, without the program's name. Prints nothing, and asks no one
//! whether colours are wanted: that is a parameter. What it quotes is made fit for a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

use super::{Diagnostic, Part};
use crate::bytes;
use crate::parse::place;
use crate::source::{SourceKind, SourceMap, Span};

/// How the long form is dressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Plain text.
    #[default]
    Plain,
    /// With ANSI colours.
    Colour,
}

/// What a piece of the long form is, for its colour.
#[derive(Clone, Copy)]
enum Paint {
    Error,
    Message,
    Frame,
    Primary,
    Secondary,
    Help,
}

impl Style {
    fn paint(self, paint: Paint, text: &str) -> Cow<'_, str> {
        let code = match paint {
            Paint::Error | Paint::Primary => "1;31",
            Paint::Message => "1",
            Paint::Frame | Paint::Secondary => "1;34",
            Paint::Help => "1;32",
        };
        match self {
            Style::Colour if !text.is_empty() => Cow::Owned(format!("\x1b[{code}m{text}\x1b[0m")),
            _ => Cow::Borrowed(text),
        }
    }
}

/// Most characters of a source line that are shown, and how many of them before the mark.
const WIDTH: usize = 120;
const BEFORE: usize = 40;

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
    // The preprocessor names the script itself too.
    let file = at.file.filter(|file| *file != source.name);
    let file = file.map_or(String::new(), |file| format!("\"{file}\", "));
    if source.kind != SourceKind::Library {
        return format!("failed to compile script {}: {tag}{file}line {}: {message}", source.name, at.line);
    }
    // Libraries are compiled with the first program.
    let file = if file.is_empty() { format!("\"{}\", ", source.name) } else { file };
    let program = sources.ids().map(|id| sources.get(id)).find(|it| it.kind != SourceKind::Library);
    let what = match program {
        Some(program) if program.kind.is_string() => format!("invalid probe specifier {}", program.name),
        Some(program) => format!("failed to compile script {}", program.name),
        None => "failed to compile library".to_string(),
    };
    format!("{what}: {tag}{file}line {}: {message}", at.line)
}

/// For a person: what is wrong, then [`excerpt`].
pub fn long(diagnostic: &Diagnostic, sources: &SourceMap, style: Style) -> String {
    let error = format!("error[{}]", diagnostic.tag.text());
    let message = format!(": {}", show(&diagnostic.message, true));
    format!(
        "{}{}\n{}",
        style.paint(Paint::Error, &error),
        style.paint(Paint::Message, &message),
        excerpt(diagnostic, sources, style)
    )
}

/// The places of a diagnostic with their source lines, and the advice. Every line ends in a newline.
pub fn excerpt(diagnostic: &Diagnostic, sources: &SourceMap, style: Style) -> String {
    let mut marks = vec![Mark::new(sources, diagnostic.span, None)];
    marks.extend(diagnostic.labels.iter().map(|(span, label)| Mark::new(sources, *span, Some(label))));
    let gutter = marks.iter().map(|mark| mark.line.to_string().len()).max().unwrap_or(1);
    let home = diagnostic.span.source;
    let mut out = String::new();
    let _ = writeln!(out, "  {} {}", style.paint(Paint::Frame, "-->"), marks[0].place);
    if sources.get(home).text.trim().is_empty() && marks.len() == 1 {
        // There is nothing to point at.
        marks.clear();
    }
    marks.sort_by_key(|mark| (mark.span.source != home, mark.span.source, mark.span.start));

    let bar = style.paint(Paint::Frame, "|");
    let mut last = (home, None);
    let mut shown = (home, 0);
    for mark in &marks {
        if mark.span.source != last.0 {
            let _ = writeln!(out, "  {} {}", style.paint(Paint::Frame, "-->"), mark.place);
        }
        // A line is shown once, however many marks it has, unless each mark shows another part of it.
        let here = (mark.span.source, Some(mark.window_start));
        if here != last {
            let mut line = |number: u32, text: &str| {
                let number = format!("{number:>gutter$}");
                let line = format!("  {} {bar} {text}", style.paint(Paint::Frame, &number));
                let _ = writeln!(out, "{}", line.trim_end());
            };
            // A blank line says nothing: what was written before it does.
            if let Some((number, text)) = &mark.context
                && (mark.span.source, *number) != shown
            {
                line(*number, text);
            }
            line(mark.line, &mark.window);
        }
        shown = (mark.span.source, mark.line);
        last = here;
        let symbol = if mark.label.is_some() { "-" } else { "^" };
        let label = mark.label.map_or(String::new(), |label| format!(" {}", show(label, false)));
        let text = format!("{}{label}", symbol.repeat(mark.width));
        let paint = if mark.label.is_some() { Paint::Secondary } else { Paint::Primary };
        let _ = writeln!(
            out,
            "  {:gutter$} {bar} {:indent$}{}",
            "",
            "",
            style.paint(paint, &text),
            indent = mark.indent
        );
    }
    if let Some(help) = &diagnostic.help {
        let _ = writeln!(out, "  {} {}", style.paint(Paint::Help, "help:"), show(help, true));
    }
    out
}

/// One place with the part of its line that is shown.
struct Mark<'a> {
    span: Span,
    label: Option<&'a str>,
    /// `file:line:column`
    place: String,
    line: u32,
    /// If that line is blank, the last one before it that is not: its number and its text.
    context: Option<(u32, String)>,
    /// The byte at which `window` starts.
    window_start: usize,
    /// The shown part of the line.
    window: String,
    /// Columns before the mark.
    indent: usize,
    /// Columns under the mark, at least one.
    width: usize,
}

impl<'a> Mark<'a> {
    fn new(sources: &SourceMap, span: Span, label: Option<&'a str>) -> Mark<'a> {
        let source = sources.get(span.source);
        let text = source.text.as_str();
        let at = place(text, span.start);
        let name = at.file.unwrap_or_else(|| option_name(source.kind, &source.name));
        let start = floor_boundary(text, span.start as usize);
        let end = floor_boundary(text, span.end as usize).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
        let end = end.min(line_end);
        let long = text[line_start..line_end].chars().nth(WIDTH).is_some();
        let (from, to) = if long {
            let before = text[line_start..start].char_indices().rev().nth(BEFORE - 1);
            let from = before.map_or(line_start, |(i, _)| line_start + i);
            let after = text[from..line_end].char_indices().nth(WIDTH);
            (from, after.map_or(line_end, |(i, _)| from + i))
        } else {
            (line_start, line_end)
        };
        let end = end.min(to);
        let lead = if from > line_start { "..." } else { "" };
        let trail = if to < line_end { "..." } else { "" };
        let before = format!("{lead}{}", show(&text[from..start], false));
        let marked = show(&text[start..end], false);
        let window = format!("{before}{marked}{}{trail}", show(&text[end..to], false));
        let blank = text[line_start..line_end].trim().is_empty();
        let context = blank.then(|| text[..line_start].trim_end()).filter(|before| !before.is_empty());
        let context = context.map(|before| {
            let from = before.rfind('\n').map_or(0, |i| i + 1);
            let cut = before[from..].char_indices().nth(WIDTH).map(|(i, _)| from + i);
            let trail = if cut.is_some() { "..." } else { "" };
            let shown = format!("{}{trail}", show(&before[from..cut.unwrap_or(before.len())], false));
            (place(text, from as u32).line, shown)
        });
        Mark {
            span,
            label,
            context,
            place: format!("{}:{}:{}", show(&name, false), at.line, at.column),
            line: at.line,
            window_start: from,
            window,
            indent: before.width(),
            width: marked.width().max(1),
        }
    }
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

/// Text as a terminal can take it: tabs as four blanks, other control characters replaced; newlines only if wanted.
fn show(text: &str, newlines: bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' if newlines => shown.push('\n'),
            '\t' => shown.push_str("    "),
            '\r' => {}
            c if c.is_control() || is_control_byte(c) => shown.push('\u{fffd}'),
            c => shown.push(c),
        }
    }
    shown
}

/// A byte for itself that some terminals obey.
fn is_control_byte(character: char) -> bool {
    bytes::byte_of(character).is_some_and(|byte| byte < 0xa0)
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
        assert_eq!(long(&error, &sources, Style::Plain), expected);
    }

    #[test]
    fn marks_stand_below_wide_and_combining_characters() {
        for (text, mark, expected) in [
            ("trace(\"日本\", x)", "x", "    |               ^\n"),
            ("trace(\"e\u{301}\", x)", "x", "    |            ^\n"),
            ("f）;", "）", "    |  ^^\n"),
            ("f\u{200b};", "\u{200b}", "    |  ^\n"),
        ] {
            let sources = one(SourceKind::Name, text, text);
            let error = Diagnostic::new(Tag::Syntax, span(&sources, mark), "no");
            let shown = excerpt(&error, &sources, Style::Plain);
            assert!(shown.ends_with(&format!(" | {text}\n{expected}")), "{shown}");
        }
    }

    #[test]
    fn places_beyond_the_text_are_its_end() {
        let sources = one(SourceKind::Name, "BEGIN", "BEGIN");
        let span = Span { source: SourceId(0), start: 5, end: 9 };
        let error = Diagnostic::new(Tag::Syntax, span, "unexpected end");
        assert_eq!(excerpt(&error, &sources, Style::Plain), "  --> -n:1:6\n  1 | BEGIN\n    |      ^\n");
    }

    fn points(text: &str, marked: &str, labelled: &str) -> String {
        let sources = one(SourceKind::Script, "a.d", text);
        let error = Diagnostic::new(Tag::Syntax, span(&sources, marked), "no");
        excerpt(&error.label(span(&sources, labelled), "here"), &sources, Style::Plain)
    }

    #[test]
    fn a_blank_line_is_shown_with_what_comes_before_it() {
        let at_end = |text: &str| {
            let sources = one(SourceKind::Script, "a.d", text);
            let span = Span { source: SourceId(0), start: text.len() as u32, end: text.len() as u32 };
            excerpt(&Diagnostic::new(Tag::Syntax, span, "end"), &sources, Style::Plain)
        };
        assert_eq!(at_end("BEGIN\n{\n\n"), "  --> a.d:4:1\n  2 | {\n  4 |\n    | ^\n");
        assert_eq!(at_end("#line 40\nBEGIN\n"), "  --> a.d:41:1\n  40 | BEGIN\n  41 |\n     | ^\n");
        assert_eq!(at_end("BEGIN\n{"), "  --> a.d:2:2\n  2 | {\n    |  ^\n");
        assert_eq!(at_end(" \n"), "  --> a.d:2:1\n", "there is nothing to show");
        let long = format!("{}\n", "x".repeat(130));
        assert_eq!(at_end(&long), format!("  --> a.d:2:1\n  1 | {}...\n  2 |\n    | ^\n", "x".repeat(120)));
    }

    #[test]
    fn a_line_with_several_marks_is_shown_once() {
        let expected = "  --> a.d:2:9\n  2 | f(a, b, c)\n    |   - here\n    |         ^\n";
        assert_eq!(points("\nf(a, b, c)\n", "c", "a"), expected);
    }

    #[test]
    fn long_lines_are_cut_around_the_mark() {
        let text = format!("{}MARK{}LABEL{}", "x".repeat(500), "y".repeat(500), "z".repeat(4 << 20));
        let blanks = " ".repeat(43);
        let expected = format!(
            "  --> a.d:1:501\n  1 | ...{}MARK{}...\n    | {blanks}^^^^\n  1 | ...{}LABEL{}...\n    | {blanks}----- here\n",
            "x".repeat(40),
            "y".repeat(76),
            "y".repeat(40),
            "z".repeat(75),
        );
        assert_eq!(points(&text, "MARK", "LABEL"), expected);
    }

    #[test]
    fn a_library_is_told_with_the_first_program() {
        let add = |sources: &mut SourceMap, kind, name: &str| {
            sources.add(Source { name: name.into(), kind, text: "\nx = y;\n".into() })
        };
        for (kind, name, expected) in [
            (SourceKind::Name, "BEGIN", "invalid probe specifier BEGIN: \"lib/a.d\", line 2: no y"),
            (SourceKind::Script, "a.d", "failed to compile script a.d: \"lib/a.d\", line 2: no y"),
        ] {
            let mut sources = SourceMap::default();
            let library = add(&mut sources, SourceKind::Library, "lib/a.d");
            let alone = Diagnostic::new(Tag::IdentUndef, Span { source: library, start: 5, end: 6 }, "no y");
            assert_eq!(
                classic(&alone, &sources, false),
                "failed to compile library: \"lib/a.d\", line 2: no y"
            );
            add(&mut sources, kind, name);
            assert_eq!(classic(&alone, &sources, false), expected);
        }
    }

    #[test]
    fn a_file_that_the_preprocessor_names_is_the_script_itself() {
        let sources = one(SourceKind::Script, "a.d", "# 1 \"b.h\" 1\n# 9 \"a.d\" 2\nBEGIN { x = y; }\n");
        let error = Diagnostic::new(Tag::IdentUndef, span(&sources, "y"), "no y");
        assert_eq!(classic(&error, &sources, false), "failed to compile script a.d: line 9: no y");
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let sources = one(SourceKind::Script, "a\x1b.d", "\tx \x1b[31m y\r\n");
        let error = Diagnostic::new(Tag::Syntax, span(&sources, "y"), "a\x1b\n\tb").help("c\x07");
        assert_eq!(
            long(&error, &sources, Style::Plain),
            "error[D_SYNTAX]: a\u{fffd}\n    b\n  --> a\u{fffd}.d:1:10\n  1 |     x \u{fffd}[31m y\n    |             ^\n  help: \
             c\u{fffd}\n"
        );
    }

    #[test]
    fn colours_change_nothing_else() {
        let text = "BEGIN\n{\n\t@a = count();\n\t@a = max(1);\n}\n";
        let sources = one(SourceKind::Script, "reads.d", text);
        let error = Diagnostic::new(Tag::AggRedef, span(&sources, "max(1)"), "redefined")
            .label(span(&sources, "count()"), "first")
            .help("another name");
        let coloured = long(&error, &sources, Style::Colour);
        assert!(coloured.starts_with("\x1b[1;31merror[D_AGG_REDEF]\x1b[0m\x1b[1m: redefined\x1b[0m\n"));
        let mut plain = String::new();
        for (i, part) in coloured.split("\x1b[").enumerate() {
            let text = if i == 0 { part } else { part.split_once('m').map_or("", |(_, text)| text) };
            plain.push_str(text);
        }
        assert_eq!(plain, long(&error, &sources, Style::Plain));
    }
}
