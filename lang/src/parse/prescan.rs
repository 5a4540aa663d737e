//! What can be known of a text before it is parsed: its control lines, and the words it uses (language spec §2.12). For
//! whoever reads the texts in: which libraries go first, and which of them nobody needs.
//!
//! A text in, slices of it out. Wrong text gives fewer or odd slices, never an error: that is the parser's.

use super::control::{self, Control};
use super::literal::{self, Quoted};
use super::words::{continues_identifier, is_space, starts_identifier};

/// A library's or program's `#pragma D depends_on`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependency<'a> {
    /// `module`, `provider` or `library`, or anything else that was written.
    pub class: &'a str,
    /// What must be there.
    pub name: &'a str,
}

/// What stands at a place of a text.
enum Piece<'a> {
    /// A control line, without its newline.
    Control(&'a str),
    /// A run of letters, digits, `_` and backquotes that a letter or `_` begins.
    Word(&'a str),
}

/// The `depends_on` lines of a text, in order.
pub fn dependencies(text: &str) -> Vec<Dependency<'_>> {
    let mut found = Vec::new();
    pieces(text, &mut |piece| {
        if let Piece::Control(line) = piece
            && let Ok(Control::Pragma(word, args)) = control::read(line)
            && word.text == "depends_on"
            && let [class, name] = args[..]
        {
            found.push(Dependency { class: class.text, name: name.text });
        }
    });
    found
}

/// The names that the `attributes` and `binding` lines of a text speak of.
pub fn described(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    pieces(text, &mut |piece| {
        if let Piece::Control(line) = piece
            && let Ok(Control::Pragma(word, args)) = control::read(line)
            && matches!(word.text, "attributes" | "binding")
            && let [_, name] = args[..]
        {
            found.push(name.text);
        }
    });
    found
}

/// Whether a text has a `#pragma D option` line of this name.
pub fn sets_option(text: &str, name: &str) -> bool {
    let mut found = false;
    pieces(text, &mut |piece| {
        if let Piece::Control(line) = piece
            && let Ok(Control::Option(option)) = control::read(line)
        {
            found |= option.text.split('=').next() == Some(name);
        }
    });
    found
}

/// Whether a text names `$target`.
pub fn names_target(text: &str) -> bool {
    let mut found = false;
    words(text, &mut |word| {
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        found |= word == "target" && text[..at].ends_with('$');
    });
    found
}

/// Calls `f` with every word of a text outside of comments, strings and control lines; the words of scoped names singly.
pub fn words<'a>(text: &'a str, f: &mut dyn FnMut(&'a str)) {
    pieces(text, &mut |piece| {
        if let Piece::Word(word) = piece {
            word.split('`').filter(|part| !part.is_empty()).for_each(&mut *f);
        }
    });
}

fn pieces<'a>(text: &'a str, f: &mut dyn FnMut(Piece<'a>)) {
    let bytes = text.as_bytes();
    let (mut i, mut blank) = (0, true);
    while i < bytes.len() {
        let b = bytes[i];
        match b {
            b'\n' => blank = true,
            _ if is_space(b) => {}
            b'#' if blank => {
                let end = text[i..].find('\n').map_or(text.len(), |n| i + n);
                f(Piece::Control(&text[i..end]));
                i = end;
                continue;
            }
            b'/' if bytes.get(i + 1) == Some(&b'*') => {
                // A comment leaves a line as blank as it was.
                i = text[i + 2..].find("*/").map_or(text.len(), |n| i + n + 4);
                continue;
            }
            b'"' | b'\'' => {
                blank = false;
                i += match literal::quoted(&bytes[i..]) {
                    Quoted::Closed(len) => len,
                    Quoted::Newline(at, _) => at.max(1),
                    Quoted::Open => bytes.len() - i,
                };
                continue;
            }
            _ if starts_identifier(b) => {
                blank = false;
                let len = bytes[i..].iter().take_while(|&&b| continues_identifier(b)).count();
                f(Piece::Word(&text[i..i + len]));
                i += len;
                continue;
            }
            _ if b.is_ascii_digit() => {
                // The letters of a number are no word.
                blank = false;
                i += bytes[i..].iter().take_while(|&&b| continues_identifier(b)).count();
                continue;
            }
            _ => blank = false,
        }
        i += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_found_on_control_lines_only() {
        let text = "/*\n#pragma D depends_on library no.d\n*/ # pragma D depends_on library a.d\nx #pragma D depends_on \
                    library no.d\n\"\\\"\"\n#pragma D depends_on provider io\n#pragma D depends_on odd\n";
        let found: Vec<_> = dependencies(text).into_iter().map(|d| (d.class, d.name)).collect();
        assert_eq!(found, [("library", "a.d"), ("provider", "io")]);
    }

    #[test]
    fn names_of_lines_about_names() {
        let text = "#pragma D attributes Stable/Stable cwd\n#pragma D binding \"1.0\" fds\n#pragma D attributes Stable \
                    provider io args\n#pragma D option quiet\n/*\n#pragma D binding \"1.0\" no\n*/";
        assert_eq!(described(text), ["cwd", "fds"]);
    }

    #[test]
    fn words_are_those_of_the_program() {
        let mut found = Vec::new();
        words("io:::start /* a */ { x = `b`c + 0xab; \"d\\\"e\"; 'f'; }\n# g\n_h\u{e9}i \"open", &mut |w| {
            found.push(w);
        });
        assert_eq!(found, ["io", "start", "x", "b", "c", "_h", "i"]);
    }

    #[test]
    fn targets() {
        assert!(names_target("syscall:::entry /pid == $target/ { }"));
        assert!(names_target("pid$target:::entry"));
        assert!(!names_target("/* $target */ BEGIN { trace(\"$target\"); target = $targets; }"));
    }

    #[test]
    fn options() {
        assert!(sets_option("#pragma D option cpp\n", "cpp"));
        assert!(sets_option("BEGIN {}\n  #pragma D option bufsize=4m\n", "bufsize"));
        assert!(!sets_option("#pragma D option cppargs\n", "cpp"));
        assert!(!sets_option("/* #pragma D option cpp */", "cpp"));
    }
}
