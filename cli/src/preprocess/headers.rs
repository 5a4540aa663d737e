//! Headers of the system as the machine's compiler has them: two texts that `cpp` made of one script in, the script's parts of
//! the one with the headers' parts of the other out. What either part says is not known here, but for where it came from.
//!
//! A script is told by definitions that no compiler reads it: `__GNUC__` is not defined (language spec §2.14). But headers
//! that find no compiler they know leave out what a type's size depends on: `<sys/cdefs.h>` makes `__attribute__` nothing, so
//! that `struct epoll_event` is no longer packed, and `register_t` becomes an `int`.

/// A line that says where the next one came from: `# LINE "FILE" FLAGS`.
#[derive(Clone, Copy)]
struct Mark<'a> {
    /// `# LINE "FILE"`.
    place: &'a str,
    file: &'a str,
    /// Flag 1 or 2: another file begins, or the one that includes it goes on.
    moves: bool,
    /// Flag 3: a header of the system.
    system: bool,
}

fn mark(line: &str) -> Option<Mark<'_>> {
    let rest = line.strip_prefix("# ")?;
    if !rest.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (open, close) = (line.find('"')?, line.rfind('"')?);
    let has = |wanted: &str| line[close + 1..].split_whitespace().any(|flag| flag == wanted);
    Some(Mark {
        place: &line[..=close],
        file: line.get(open + 1..close)?,
        moves: has("1") || has("2"),
        system: has("3"),
    })
}

/// Whether what follows a line came from a header of the system, if the line says so.
pub(super) fn of_headers(line: &str) -> Option<bool> {
    mark(line).map(|mark| mark.system)
}

/// A text in which only headers have the mark of headers. `cpp` gives it also to what a macro of theirs became, in the middle
/// of a line of the script.
pub(super) fn marked_by_file(text: &str) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let marks: Vec<Option<Mark<'_>>> = lines.iter().map(|line| mark(line)).collect();
    // By line: whether the script goes on behind the next mark that is none of headers, which no header's end looks like.
    let mut goes_on = vec![None; lines.len()];
    let mut next = None;
    for (at, mark) in marks.iter().enumerate().rev() {
        goes_on[at] = next;
        if let Some(mark) = mark.filter(|mark| !mark.system) {
            next = (!mark.moves).then_some(mark.file);
        }
    }
    let mut out = String::with_capacity(text.len());
    let mut of_headers = false;
    for (at, line) in lines.iter().enumerate() {
        match marks[at] {
            Some(mark) if mark.system && !mark.moves && !of_headers && goes_on[at] == Some(mark.file) => {
                out.push_str(mark.place);
                out.push('\n');
            }
            mark => {
                of_headers = mark.map_or(of_headers, |mark| mark.system);
                out.push_str(line);
            }
        }
    }
    out
}

/// A run of lines that all come from headers of the system, or all not.
struct Part<'a> {
    of_headers: bool,
    text: &'a str,
}

/// Whether a text has anything from a header of the system.
pub(super) fn has_headers(text: &str) -> bool {
    text.lines().any(|line| of_headers(line) == Some(true))
}

/// `script` with the headers' parts of `compiler`, if both come from the same files in the same order.
pub(super) fn with_headers_of(script: &str, compiler: &str) -> Option<String> {
    let (own, other) = (parts(script), parts(compiler));
    let first = |part: &Part<'_>| part.text.lines().next().unwrap_or("").to_string();
    let alike = own.len() == other.len()
        && own.iter().zip(&other).all(|(a, b)| a.of_headers == b.of_headers && first(a) == first(b));
    alike.then(|| {
        let pairs = own.iter().zip(&other);
        pairs.map(|(a, b)| if a.of_headers { b.text } else { a.text }).collect()
    })
}

fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let (mut start, mut at, mut inside) = (0, 0, false);
    for line in text.split_inclusive('\n') {
        if let Some(system) = of_headers(line).filter(|&system| system != inside) {
            parts.push(Part { of_headers: inside, text: &text[start..at] });
            (start, inside) = (at, system);
        }
        at += line.len();
    }
    parts.push(Part { of_headers: inside, text: &text[start..] });
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "# 1 \"a.d\"\nint a;\n# 1 \"h.h\" 1 3\nint h;\n# 2 \"a.d\" 2\nint b;\n";

    #[test]
    fn headers_come_from_the_other_text() {
        let compiler =
            "# 1 \"a.d\"\nlong a;\n# 1 \"h.h\" 1 3\nlong h;\n\n# 7 \"h.h\" 3\n# 2 \"a.d\" 2\nlong b;\n";
        let both = "# 1 \"a.d\"\nint a;\n# 1 \"h.h\" 1 3\nlong h;\n\n# 7 \"h.h\" 3\n# 2 \"a.d\" 2\nint b;\n";
        assert_eq!(with_headers_of(SCRIPT, compiler).as_deref(), Some(both));
        assert_eq!(with_headers_of(SCRIPT, SCRIPT).as_deref(), Some(SCRIPT));
        assert!(has_headers(SCRIPT));
        assert!(!has_headers("# 1 \"a.d\"\n#pragma x \"\" 3\n\" 3\n"));
    }

    #[test]
    fn other_files_are_not_mixed() {
        for compiler in [
            "# 1 \"a.d\"\nint a;\nint b;\n",
            "# 1 \"a.d\"\nint a;\n# 1 \"i.h\" 1 3\nint h;\n# 2 \"a.d\" 2\nint b;\n",
            "# 1 \"a.d\"\nint a;\n# 1 \"h.h\" 1 3\nint h;\n# 3 \"a.d\" 2\nint b;\n",
            "",
        ] {
            assert_eq!(with_headers_of(SCRIPT, compiler), None, "{compiler}");
        }
    }

    #[test]
    fn macros_of_headers_are_the_scripts() {
        let text = "# 1 \"a.d\"\nx(\n# 1 \"a.d\" 3 4\nNULL\n# 1 \"a.d\" 3 4\n0\n# 1 \"a.d\"\n)\n";
        let expected = "# 1 \"a.d\"\nx(\n# 1 \"a.d\"\nNULL\n# 1 \"a.d\"\n0\n# 1 \"a.d\"\n)\n";
        assert_eq!(marked_by_file(text), expected);
        for unchanged in [
            SCRIPT,
            // `#pragma GCC system_header` in a file beside the script.
            "# 1 \"a.d\"\n# 1 \"h.h\" 1\nint a;\n# 2 \"h.h\" 3\nint b;\n# 2 \"a.d\" 2\nint c;\n",
            // Macros within a header.
            "# 1 \"h.h\" 1 3\nint a;\n# 7 \"h.h\" 3\nint b;\n# 2 \"a.d\" 2\n# 2 \"a.d\"\nint c;\n",
        ] {
            assert_eq!(marked_by_file(unchanged), unchanged);
        }
    }
}
