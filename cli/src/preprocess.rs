//! The C preprocessor over scripts (`-C`; language spec §2.14): a script's text in, what the system's `cpp` makes of it
//! out. Its line marks stay in the text, so that messages name the lines that were written.
//!
//! The text goes to `cpp` by standard input, and its result is read whole; what it says on standard error is handed back.
//! Nothing of the C language is known here, but for what headers of the system put into scripts ([`SPELLINGS`]).

mod headers;

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use dtrail_kernel_bridge::readers::whole::Content;
use dtrail_lang::bytes;
use dtrail_lang::options::Preprocessor;
use dtrail_vm::event::reason;

use crate::native;

/// What `cpp` calls the text that it reads from standard input.
const STANDARD_INPUT: &str = "<stdin>";

/// Definitions that scripts of all systems test for. The version is that of the language, 2.0.
const DEFINITIONS: &[&str] = &[
    "-D__linux",
    "-D__unix",
    "-D__SVR4",
    "-D__SUNW_D=1",
    "-D__SUNW_D_64",
    "-D__SUNW_D_VERSION=0x2000000",
    "-D__Linux",
    NO_COMPILER,
];

/// Scripts are read by no C compiler; headers are read once more without it, see [`headers`].
const NO_COMPILER: &str = "-U__GNUC__";

/// What macros of headers put into scripts instead of words that D has, too. Behind a line of `<errno.h>`, `errno` is the first.
const SPELLINGS: &[(&str, &str)] = &[
    ("(*__errno_location ())", "errno"),
    ("__builtin_offsetof", "offsetof"),
    ("__builtin_alloca", "alloca"),
];

/// Most bytes that are kept of what `cpp` says on standard error.
const SAID_MAX: u64 = 16 << 20;

/// What this machine is called.
const MACHINE: &str = if cfg!(target_arch = "aarch64") { "-D__aarch64" } else { "-D__amd64" };

/// A preprocessed script.
pub(crate) struct Preprocessed {
    /// The text.
    pub(crate) text: String,
    /// What `cpp` said beside it.
    pub(crate) said: Vec<u8>,
}

/// Why a script was not preprocessed.
pub(crate) struct Refused {
    /// In DTrace's words where it has some.
    pub(crate) why: String,
    /// What helps, if that is known.
    pub(crate) help: Option<&'static str>,
    /// What `cpp` said.
    pub(crate) said: Vec<u8>,
}

/// Runs `cpp` over the text of the script `name`.
pub(crate) fn run(name: &str, text: &str, options: &Preprocessor) -> Result<Preprocessed, Refused> {
    let program = options.path.as_deref().unwrap_or("cpp");
    let arguments: Vec<OsString> =
        arguments(name, options).iter().map(|argument| native::word(argument)).collect();
    let program_path = native::word(program);
    let input = &*bytes::of_text(interpreter_line_removed(text));
    match filter(Command::new(&program_path).args(&arguments), input) {
        Ok((out, said, true)) => {
            let read = |out: &[u8]| headers::marked_by_file(&bytes::to_text(out));
            let mut text = read(&out);
            if headers::has_headers(&text) {
                let known = arguments.iter().filter(|&argument| argument != NO_COMPILER);
                if let Ok((out, _, true)) = filter(Command::new(&program_path).args(known), input) {
                    text = headers::with_headers_of(&text, &read(&out)).unwrap_or(text);
                }
            }
            Ok(Preprocessed { text: in_words_of_d(&with_name(&text, name)), said })
        }
        Ok((_, said, false)) => {
            Err(Refused { why: "Preprocessor failed to process input program".to_string(), help: None, said })
        }
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            let why = format!("cannot take the text of the C preprocessor {program}: {}", reason(&error));
            Err(Refused { why, help: None, said: Vec::new() })
        }
        Err(error) => {
            let help = "install a C preprocessor, or name one with -x cpppath=PATH";
            let why = format!("cannot run the C preprocessor {program}: {}", reason(&error));
            Err(Refused { why, help: Some(help), said: Vec::new() })
        }
    }
}

fn arguments(name: &str, options: &Preprocessor) -> Vec<String> {
    let mut arguments: Vec<String> = DEFINITIONS.iter().chain([&MACHINE]).map(|&word| word.into()).collect();
    if options.traditional {
        arguments.push("-traditional-cpp".into());
    }
    if options.show_includes {
        arguments.push("-H".into());
    }
    arguments.extend(options.arguments.iter().cloned());
    // `#include "x.h"` looks beside the script, which cpp cannot know.
    let beside = Path::new(name).parent().and_then(Path::to_str).filter(|dir| !dir.is_empty() && name != "-");
    if let Some(dir) = beside {
        arguments.extend(["-iquote".into(), dir.into()]);
    }
    arguments.push("-".into());
    arguments
}

/// A first line `#!…` is no directive; its newline stays, so that lines keep their numbers.
fn interpreter_line_removed(text: &str) -> &str {
    match text.starts_with("#!") {
        true => &text[text.find('\n').unwrap_or(text.len())..],
        false => text,
    }
}

/// Runs a command with a text as its input: its output, its standard error, and whether it succeeded.
fn filter(command: &mut Command, input: &[u8]) -> io::Result<(Vec<u8>, Vec<u8>, bool)> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let mut said = Vec::new();
    // All three at once: the child may write before it has read everything. A pipe that is read no further is closed, which
    // ends a child that has no end of its own.
    // Where there can be no thread, all pipes close with the attempt, and the child ends.
    let read = std::thread::scope(|scope| {
        let thread = |name: &str| std::thread::Builder::new().name(name.into());
        let writes = move || stdin.map_or(Ok(()), |mut pipe| pipe.write_all(input));
        thread("cpp's input").spawn_scoped(scope, writes)?;
        let said = &mut said;
        let reads = move || stderr.map_or(Ok(0), |pipe| pipe.take(SAID_MAX).read_to_end(said));
        let errors = thread("cpp's errors").spawn_scoped(scope, reads)?;
        let read = stdout.map_or(Ok(Vec::new()), |pipe| Content::SCRIPT.read_from(pipe));
        // A thread that panicked has read nothing that matters.
        let _ = errors.join();
        read
    });
    let status = child.wait()?;
    let out = read?;
    Ok((out, said, status.success()))
}

/// Spells what macros of headers made in the words that the script has.
fn in_words_of_d(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut of_headers = false;
    for line in text.split_inclusive('\n') {
        of_headers = headers::of_headers(line).unwrap_or(of_headers);
        let spelt = SPELLINGS.iter().any(|(theirs, _)| line.contains(theirs));
        if of_headers || !spelt {
            out.push_str(line);
            continue;
        }
        let mut line = line.to_string();
        for (theirs, ours) in SPELLINGS {
            line = line.replace(theirs, ours);
        }
        out.push_str(&line);
    }
    out
}

/// Gives line marks of standard input the script's name.
fn with_name(text: &str, name: &str) -> String {
    let mark = format!("\"{STANDARD_INPUT}\"");
    let name = format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""));
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.starts_with("# ") && line.contains(&mark) {
            true => out.push_str(&line.replacen(&mark, &name, 1)),
            false => out.push_str(line),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_numbers() {
        assert_eq!(interpreter_line_removed("#!/usr/sbin/dtrace -Cs\nBEGIN\n"), "\nBEGIN\n");
        assert_eq!(interpreter_line_removed("#!x"), "");
        assert_eq!(interpreter_line_removed("BEGIN\n#!x\n"), "BEGIN\n#!x\n");
    }

    #[test]
    fn marks_name_the_script() {
        let text = "# 0 \"<stdin>\"\n# 1 \"a.h\" 1\nint x;\n# 3 \"<stdin>\" 2\n\"<stdin>\"\n";
        let expected = "# 0 \"d/a.d\"\n# 1 \"a.h\" 1\nint x;\n# 3 \"d/a.d\" 2\n\"<stdin>\"\n";
        assert_eq!(with_name(text, "d/a.d"), expected);
    }

    #[test]
    fn words_are_those_of_d() {
        let text = "# 1 \"e.h\" 1 3\nint *__builtin_offsetof;\n# 2 \"a.d\" 2\n";
        let script = "{ trace((*__errno_location ()) == 2); trace(__builtin_offsetof (struct s, m)); }\n";
        let expected = "{ trace(errno == 2); trace(offsetof (struct s, m)); }\n";
        assert_eq!(in_words_of_d(&format!("{text}{script}")), format!("{text}{expected}"));
    }

    #[test]
    fn arguments_keep_their_order() {
        let options = Preprocessor {
            arguments: vec!["-DX=1".into(), "-UY".into(), "-Iinc".into()],
            traditional: true,
            show_includes: true,
            ..Preprocessor::default()
        };
        let all = arguments("dir/a.d", &options);
        let ours = &all[DEFINITIONS.len() + 1..];
        assert_eq!(ours, ["-traditional-cpp", "-H", "-DX=1", "-UY", "-Iinc", "-iquote", "dir", "-"]);
        assert_eq!(arguments("a.d", &Preprocessor::default()).len(), DEFINITIONS.len() + 2);
    }

    #[test]
    fn a_missing_preprocessor_is_named() {
        let options = Preprocessor { path: Some("/nonexistent/cpp".into()), ..Preprocessor::default() };
        let why = run("a.d", "BEGIN", &options).map(|_| ()).map_err(|refused| (refused.why, refused.help));
        let expected = "cannot run the C preprocessor /nonexistent/cpp: No such file or directory";
        let help = "install a C preprocessor, or name one with -x cpppath=PATH";
        assert_eq!(why, Err((expected.to_string(), Some(help))));
    }
}
