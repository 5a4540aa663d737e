//! Control lines (language spec §2.12): one line's text in, what it asks for or its error out. Carries nothing out:
//! the scanner does.

use super::literal;
use crate::diag::Tag;

/// One token of a control line, as byte offsets from the `#`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    /// The text; of a quoted string what is between the quotes.
    pub(super) text: &'a str,
    /// Integer, string or word.
    pub(super) kind: TokenKind,
    /// Where it starts, its quote included.
    pub(super) start: usize,
    /// One past its end.
    pub(super) end: usize,
}

/// The kinds of tokens on a control line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// Decimal digits only.
    Integer,
    /// `"…"`
    String,
    /// Any other run without white space or `"`.
    Word,
    /// A `"` without its fellow.
    Unclosed,
}

/// What a control line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Control<'a> {
    /// Nothing.
    Ignored,
    /// The next line gets another number and perhaps file; only [`super::lines`] cares.
    Line(LineDirective<'a>),
    /// `#pragma D option NAME[=VALUE]`
    Option(Token<'a>),
    /// `#pragma D attributes`, `binding` or `depends_on`, and the words that follow.
    Pragma(Token<'a>, Vec<Token<'a>>),
}

/// `#line N "F" S`, or the same without the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineDirective<'a> {
    /// The number of the following line.
    pub(super) line: u32,
    /// The file it is said to stand in.
    pub(super) file: Option<&'a str>,
    /// 1 enters an included file, 2 leaves it.
    pub(super) state: Option<u32>,
}

/// The error of a control line: tag, text, and the part of the line it is about.
pub(super) type ControlError = (Tag, String, (usize, usize));

const LINE_FORM: &str = "malformed #line <line> [ [\"file\"] state ]";

/// Reads a control line, which starts with its `#` and ends before its newline.
pub(super) fn read(line: &str) -> Result<Control<'_>, ControlError> {
    if line.starts_with("#!") {
        return Ok(Control::Ignored);
    }
    let tokens = tokens(line);
    let whole = (0, line.len());
    let Some(&first) = tokens.first() else { return Ok(Control::Ignored) };
    if first.kind == TokenKind::Integer {
        return line_directive(&tokens, whole);
    }
    if first.kind != TokenKind::Word {
        return Err((Tag::PragmaMalform, "malformed control line".to_string(), whole));
    }
    let rest = &tokens[1..];
    match first.text {
        "line" => line_directive(rest, whole),
        "ident" => Ok(Control::Ignored),
        "error" => Err(error_line(rest, whole)),
        "pragma" => pragma(rest, whole),
        word => {
            Err((Tag::PragctlInval, format!("invalid control directive: #{word}"), (first.start, first.end)))
        }
    }
}

/// What a refused control line was meant for: those of the C preprocessor. The line starts with its `#`.
pub(super) fn advice(line: &str) -> Option<&'static str> {
    const PREPROCESSOR: &[&str] =
        &["include", "include_next", "define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif"];
    let word = tokens(line).first()?.text;
    PREPROCESSOR.contains(&word).then_some("`-C` runs the C preprocessor, and on scripts of `-s` only")
}

fn pragma<'a>(tokens: &[Token<'a>], whole: (usize, usize)) -> Result<Control<'a>, ControlError> {
    let word = |i: usize| tokens.get(i).map_or("", |t| t.text);
    if word(0) == "error" {
        return Err(error_line(&tokens[1..], whole));
    }
    if word(0) != "D" || tokens.len() < 2 {
        return Ok(Control::Ignored);
    }
    let (name, args) = (tokens[1], &tokens[2..]);
    match name.text {
        "error" => Err(error_line(args, whole)),
        "option" => match args {
            [option] if option.kind == TokenKind::Word => Ok(Control::Option(*option)),
            [first, second, ..] if first.kind == TokenKind::Word => Err((
                Tag::PragmaMalform,
                "superfluous arguments specified for #pragma option".to_string(),
                (second.start, whole.1),
            )),
            _ => Err((Tag::PragmaMalform, "malformed #pragma option <option>=<val>".to_string(), whole)),
        },
        "attributes" | "binding" | "depends_on" => Ok(Control::Pragma(name, args.to_vec())),
        other => {
            Err((Tag::PragmaInval, format!("invalid pragma directive: {other}"), (name.start, name.end)))
        }
    }
}

fn error_line(tokens: &[Token<'_>], whole: (usize, usize)) -> ControlError {
    let words: Vec<&str> = tokens.iter().map(|t| t.text).collect();
    (Tag::Pragerr, format!("#error: {}", words.join(" ")), whole)
}

fn line_directive<'a>(tokens: &[Token<'a>], whole: (usize, usize)) -> Result<Control<'a>, ControlError> {
    let malformed = || (Tag::PragmaMalform, LINE_FORM.to_string(), whole);
    let number = |token: &Token<'_>| match token.kind {
        TokenKind::Integer => token.text.parse::<u32>().map_err(|_| malformed()),
        _ => Err(malformed()),
    };
    let (line, file, state) = match tokens {
        [line] => (line, None, None),
        [line, file] => (line, Some(file), None),
        // cpp adds more flags after the first.
        [line, file, state, ..] => (line, Some(file), Some(state)),
        [] => return Err(malformed()),
    };
    let file = match file {
        Some(token) if token.kind == TokenKind::String => Some(token.text),
        None => None,
        Some(_) => return Err(malformed()),
    };
    let state = state.map(number).transpose()?;
    Ok(Control::Line(LineDirective { line: number(line)?, file, state }))
}

/// Splits a control line after its `#`.
fn tokens(line: &str) -> Vec<Token<'_>> {
    let bytes = line.as_bytes();
    let mut out = Vec::new();
    let mut i = 1;
    while i < bytes.len() {
        let start = i;
        match bytes[i] {
            b if b.is_ascii_whitespace() || b == 11 => i += 1,
            b'"' => {
                let (kind, end) = match literal::quoted(&bytes[i..]) {
                    literal::Quoted::Closed(len) => (TokenKind::String, i + len),
                    _ => (TokenKind::Unclosed, bytes.len()),
                };
                let inner_end = if kind == TokenKind::String { end - 1 } else { end };
                out.push(Token { text: &line[i + 1..inner_end], kind, start, end });
                i = end;
            }
            _ => {
                while i < bytes.len() && !bytes[i].is_ascii_whitespace() && bytes[i] != 11 && bytes[i] != b'"'
                {
                    i += 1;
                }
                let text = &line[start..i];
                let digits = text.bytes().all(|b| b.is_ascii_digit());
                let kind = if digits { TokenKind::Integer } else { TokenKind::Word };
                out.push(Token { text, kind, start, end: i });
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(line: &str) -> Result<String, (Tag, String)> {
        match read(line) {
            Ok(Control::Ignored) => Ok("ignored".to_string()),
            Ok(Control::Line(l)) => Ok(format!("line {} {:?} {:?}", l.line, l.file, l.state)),
            Ok(Control::Option(token)) => Ok(format!("option {}", token.text)),
            Ok(Control::Pragma(name, args)) => {
                Ok(format!("{} {:?}", name.text, args.iter().map(|a| a.text).collect::<Vec<_>>()))
            }
            Err((tag, text, _)) => Err((tag, text)),
        }
    }

    #[test]
    fn lines() {
        let ok = |text: &str| Ok(text.to_string());
        let err = |tag, text: &str| Err((tag, text.to_string()));
        for (line, expected) in [
            ("#", ok("ignored")),
            ("#   ", ok("ignored")),
            ("#!/usr/sbin/dtrace -s", ok("ignored")),
            ("#ident \"x\"", ok("ignored")),
            ("#pragma ident \"x\"", ok("ignored")),
            ("#pragma", ok("ignored")),
            ("#pragma D", ok("ignored")),
            ("#pragma flavour mint", ok("ignored")),
            ("# 3", ok("line 3 None None")),
            ("# 3 \"b.h\" 1 3 4", ok("line 3 Some(\"b.h\") Some(1)")),
            ("#line 40", ok("line 40 None None")),
            ("#line x", err(Tag::PragmaMalform, LINE_FORM)),
            ("#line 3 4", err(Tag::PragmaMalform, LINE_FORM)),
            ("#line", err(Tag::PragmaMalform, LINE_FORM)),
            ("#line 3 \"b.h", err(Tag::PragmaMalform, LINE_FORM)),
            ("#error no luck", err(Tag::Pragerr, "#error: no luck")),
            ("#pragma error foo bar", err(Tag::Pragerr, "#error: foo bar")),
            ("#pragma D error x", err(Tag::Pragerr, "#error: x")),
            ("#zork", err(Tag::PragctlInval, "invalid control directive: #zork")),
            ("# define N 3", err(Tag::PragctlInval, "invalid control directive: #define")),
            ("#pragma D option quiet", ok("option quiet")),
            ("#\tpragma\tD option bufsize=1m", ok("option bufsize=1m")),
            (
                "#pragma D option quiet now",
                err(Tag::PragmaMalform, "superfluous arguments specified for #pragma option"),
            ),
            ("#pragma D option", err(Tag::PragmaMalform, "malformed #pragma option <option>=<val>")),
            ("#pragma D option 5", err(Tag::PragmaMalform, "malformed #pragma option <option>=<val>")),
            ("#pragma D option 5 6", err(Tag::PragmaMalform, "malformed #pragma option <option>=<val>")),
            (
                "#pragma D option \"quiet\"",
                err(Tag::PragmaMalform, "malformed #pragma option <option>=<val>"),
            ),
            ("#pragma D ident \"x\"", err(Tag::PragmaInval, "invalid pragma directive: ident")),
            ("#pragma D flavour mint", err(Tag::PragmaInval, "invalid pragma directive: flavour")),
            ("#pragma D binding \"1.2\" n", ok("binding [\"1.2\", \"n\"]")),
        ] {
            assert_eq!(outcome(line), expected, "{line}");
        }
    }
}
