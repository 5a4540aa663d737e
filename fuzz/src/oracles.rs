//! What must hold for every input.

use dtrail_lang::ast::{Program, print};
use dtrail_lang::diag::Diagnostic;
use dtrail_lang::options::Options;
use dtrail_lang::parse::{Macros, ParseContext, Predefined, parse};
use dtrail_lang::source::{Source, SourceKind, SourceMap};

use crate::machine::OneProbe;

/// Parses a text as a script, or as the argument of `-n`, with the operands `5` and `word`.
pub fn parse_text(text: &str, kind: SourceKind) -> Result<Program, Diagnostic> {
    let mut sources = SourceMap::default();
    let id = sources.add(Source { name: "fuzz.d".to_string(), kind, text: text.to_string() });
    let args = ["fuzz.d", "5", "word"].map(str::to_string);
    let mut options = Options::default();
    let macros = Macros { args: &args, env: &OneProbe };
    options.argref = true;
    options.empty = true;
    let mut cx = ParseContext { macros, options: &mut options, names: &Predefined };
    parse(&sources, id, &mut cx)
}

/// A tree, printed and parsed, is the same tree but for places and ids.
pub fn parses_back(program: &Program) -> Result<(), String> {
    let text = print::program(program);
    let back = parse_text(&text, SourceKind::Script).map_err(|error| format!("{error:?}\nin:\n{text}"))?;
    if back.clone().without_places() == program.clone().without_places() {
        return Ok(());
    }
    Err(format!("printed:\n{text}\nparsed and printed again:\n{}", print::program(&back)))
}

/// Any text gives a tree that parses back, or an error that points into the text.
pub fn gives_an_answer(text: &str, kind: SourceKind) -> Result<(), String> {
    match parse_text(text, kind) {
        Ok(_) => Ok(()),
        Err(error) => {
            let (start, end) = (error.span.start as usize, error.span.end as usize);
            match text.get(start..end) {
                Some(_) => Ok(()),
                None => Err(format!("{error:?} does not point into the text")),
            }
        }
    }
}

/// Compiles a script; lowering verifies what it makes.
fn compile(text: &str) -> Result<(), Diagnostic> {
    let mut sources = SourceMap::default();
    sources.add(Source { name: "fuzz.d".to_string(), kind: SourceKind::Script, text: text.to_string() });
    let mut options = Options { argref: true, empty: true, ..Options::default() };
    dtrail_lang::compile(&sources, &OneProbe, &mut options, &["fuzz.d".to_string()]).map(|_| ())
}

/// A well-typed program compiles.
pub fn compiles(text: &str) -> Result<(), String> {
    compile(text).map_err(|error| format!("{error:?}\nin:\n{text}"))
}

/// Any text compiles, or gets an error that points into it and is the text's fault.
pub fn is_judged(text: &str) -> Result<(), String> {
    match compile(text) {
        Err(error) if error.message.starts_with("internal error") => Err(format!("{error:?}\nin:\n{text}")),
        Err(error) => match text.get(error.span.start as usize..error.span.end as usize) {
            Some(_) => Ok(()),
            None => Err(format!("{error:?} does not point into the text")),
        },
        Ok(()) => Ok(()),
    }
}
