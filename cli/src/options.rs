//! The command line: arguments in, [`Options`] out, with dtrace(1)'s meanings (runtime spec §13).
//!
//! Options and operands may be interleaved; operands become `$1`, `$2`, … of every program. Only syntax is judged here:
//! whether a file, a probe or the value of `-x` exists is found out later. Nothing is printed and nothing is opened. Arguments
//! are bytes: they become texts that hold any bytes, of which [`crate::native`] makes names and words again.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command};
use dtrail_lang::source::SourceKind;
use dtrail_vm::consumer::OutputFormat;

use crate::native;

/// What the invocation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Enable the programs and print what they record.
    Trace,
    /// `-e`: compile, print reports, enable nothing.
    Compile,
    /// `-l`: list probes.
    List,
    /// `-h`: write a C header of the programs' providers.
    Header,
    /// `-G`: write the objects that go with it.
    Link,
    /// `-V`
    Version,
    /// `--help`
    Help,
    /// `--version`
    LongVersion,
    /// `--explain`: print the plan.
    Explain,
    /// `--dump=`: print an intermediate form.
    Dump(Form),
}

/// An intermediate form that `--dump` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The parsed program, printed back as D.
    Ast,
    /// The unsplit IR, then the kernel and user parts of the plan.
    Ir,
    /// The generated eBPF programs and maps.
    Ebpf,
    /// What the JIT makes of the code that runs in user space.
    Clif,
}

/// One D program of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProgramArg {
    /// The option that gave it.
    pub(crate) kind: SourceKind,
    /// A file name for [`SourceKind::Script`], else the program text.
    pub(crate) text: String,
}

/// One option of the D run time, to be set in command-line order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    /// How messages name it: `x bufsize`, `b 4q`.
    pub(crate) shown: String,
    /// Its name.
    pub(crate) name: String,
    /// Its value, if one was given.
    pub(crate) value: Option<String>,
}

/// A process to trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TargetArg {
    /// `-c`
    Command(String),
    /// `-p`, not yet checked to be a number.
    Pid(String),
}

/// `--source`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum SourceChoice {
    /// Chosen by what the process may do.
    #[default]
    Auto,
    /// eBPF.
    Bpf,
    /// ptrace of one's own processes.
    Ptrace,
    /// Made-up events from a file.
    Synthetic(String),
}

/// `--engine`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EngineChoice {
    /// Everything in user space, interpreted.
    Interp,
    /// Everything in user space, compiled.
    Jit,
    /// Kernel parts in rbpf.
    Rbpf,
    /// Kernel parts in the kernel.
    Bpf,
}

/// A parsed command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// What to do.
    pub(crate) mode: Mode,
    /// In command-line order.
    pub(crate) programs: Vec<ProgramArg>,
    /// In command-line order.
    pub(crate) settings: Vec<Setting>,
    /// In command-line order.
    pub(crate) targets: Vec<TargetArg>,
    /// `-o`
    pub(crate) output: Option<String>,
    /// `-v`
    pub(crate) verbose: bool,
    /// `-S`
    pub(crate) disassemble: bool,
    /// `--source`
    pub(crate) source: SourceChoice,
    /// `--engine`
    pub(crate) engine: Option<EngineChoice>,
    /// `--format`
    pub(crate) format: OutputFormat,
    /// `$1`, `$2`, …
    pub(crate) operands: Vec<String>,
}

/// A command line that cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UsageError {
    /// One line, without the program's name.
    pub(crate) message: String,
    /// What helps, if that is known.
    pub(crate) help: Option<String>,
    /// Whether the usage text follows.
    pub(crate) show_usage: bool,
}

impl UsageError {
    fn plain(message: impl Into<String>) -> UsageError {
        UsageError { message: message.into(), help: None, show_usage: false }
    }

    /// One that the usage text follows.
    fn of_option(message: impl Into<String>) -> UsageError {
        UsageError { message: message.into(), help: None, show_usage: true }
    }

    fn help(mut self, help: String) -> UsageError {
        self.help = Some(help);
        self
    }
}

/// Options of dtrace(1) that are known and not available, with the reason.
const REFUSED: &[(&str, &str)] =
    &[("a", "anonymous tracing is not supported"), ("A", "anonymous tracing is not supported")];

/// The same for options that take a value.
const REFUSED_WITH_VALUE: &[(&str, &str)] = &[("3", "only 64-bit programs are supported")];

/// Options that give a program, and the kind of source each gives.
const PROGRAMS: &[(&str, SourceKind)] = &[
    ("s", SourceKind::Script),
    ("n", SourceKind::Name),
    ("P", SourceKind::Provider),
    ("m", SourceKind::Module),
    ("f", SourceKind::Function),
    ("i", SourceKind::Id),
];

/// Flags that stand for an option of the run time.
const FLAG_SETTINGS: &[(&str, &str)] = &[
    ("F", "flowindent"),
    ("q", "quiet"),
    ("w", "destructive"),
    ("Z", "zdefs"),
    ("C", "cpp"),
    ("H", "cpphdrs"),
];

/// Options with a value that stand for one.
const VALUE_SETTINGS: &[(&str, &str)] =
    &[("b", "bufsize"), ("D", "define"), ("U", "undef"), ("I", "incdir"), ("L", "libdir"), ("X", "stdc")];

/// Parses everything after the program's name.
pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Options, UsageError> {
    let args = args.into_iter().map(|arg| native::text(&arg));
    let args = spelt_for_clap(args)?;
    let matches = command().try_get_matches_from(args).map_err(|e| usage_error(&e))?;
    for &(letter, why) in REFUSED {
        if given(&matches, letter) {
            return Err(UsageError::plain(why));
        }
    }
    for &(letter, why) in REFUSED_WITH_VALUE {
        if matches.contains_id(letter) {
            return Err(UsageError::plain(why));
        }
    }
    if all(&matches, "6").iter().any(|v| v != "4") {
        return Err(UsageError::of_option("illegal option -- 6"));
    }
    let output = all(&matches, "o").pop();
    let mode = mode(&matches)?;
    if given(&matches, "B") {
        if matches!(mode, Mode::List | Mode::Link) {
            return Err(UsageError::plain("-B not valid in combination with [-Gl] options"));
        }
        if output.is_some() {
            return Err(UsageError::plain("-B not valid in combination with -o option"));
        }
    }
    let options = Options {
        mode,
        programs: ordered(&matches, PROGRAMS, |&kind, text| ProgramArg { kind, text }),
        settings: settings(&matches),
        targets: ordered(&matches, &[("c", false), ("p", true)], |&pid, text| match pid {
            true => TargetArg::Pid(text),
            false => TargetArg::Command(text),
        }),
        output,
        verbose: given(&matches, "v"),
        disassemble: given(&matches, "S"),
        source: source(&matches)?,
        engine: engine(&matches)?,
        format: format(&matches)?,
        operands: all(&matches, "operands"),
    };
    Ok(options)
}

/// Letters of options that take a value.
const WITH_VALUE: &str = "bcDILopUxX63snPmfi";

/// To clap a `=` between a letter and its value is none of the value, to getopt(3) it is: `-p=1` names the process `=1`.
/// So clap is given two. A `=` behind a letter without a value is no option.
fn spelt_for_clap(args: impl Iterator<Item = String>) -> Result<Vec<String>, UsageError> {
    let (mut spelt, mut ended, mut value) = (Vec::new(), false, false);
    for mut arg in args {
        // What follows `--`, or is the value of the option before it, is no option.
        let letters = arg.strip_prefix('-').filter(|rest| !ended && !value && !rest.starts_with('-'));
        value = false;
        if let Some(letters) = letters {
            match letters.find(|c| WITH_VALUE.contains(c) || c == '=') {
                Some(at) if letters[at..].starts_with('=') && at > 0 => {
                    return Err(UsageError::of_option("illegal option -- ="));
                }
                Some(at) => {
                    value = letters.len() == at + 1;
                    if letters[at + 1..].starts_with('=') {
                        arg.insert(at + 2, '=');
                    }
                }
                None => {}
            }
        }
        ended |= arg == "--";
        spelt.push(arg);
    }
    Ok(spelt)
}

/// What clap must know. Values may begin with a dash, as with getopt(3).
fn command() -> Command {
    let short = |name: &'static str| Arg::new(name).short(name.chars().next());
    let flag = |name| short(name).action(ArgAction::Count);
    let value = |name| short(name).action(ArgAction::Append).num_args(1).allow_hyphen_values(true);
    let long_flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::Count);
    let long_value = |name: &'static str| Arg::new(name).long(name).action(ArgAction::Append).num_args(1);
    let mut command = Command::new("dtrail")
        .disable_help_flag(true)
        .disable_version_flag(true)
        .no_binary_name(true)
        .args(["B", "C", "e", "F", "G", "h", "H", "l", "q", "S", "v", "V", "w", "Z"].map(flag))
        .args(REFUSED.iter().map(|r| flag(r.0)))
        .args(["b", "c", "D", "I", "L", "o", "p", "U", "x", "X", "6"].map(value))
        .args(PROGRAMS.iter().map(|p| value(p.0)))
        .args(REFUSED_WITH_VALUE.iter().map(|r| value(r.0)));
    command = command
        .args(["explain", "help", "version"].map(long_flag))
        .args(["source", "engine", "dump", "format"].map(long_value));
    command.arg(Arg::new("operands").action(ArgAction::Append).num_args(0..))
}

/// clap's complaint in getopt's words.
fn usage_error(error: &clap::Error) -> UsageError {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(s)) => s.clone(),
        Some(ContextValue::Strings(s)) => s.join(" "),
        _ => String::new(),
    };
    // Only long options are near each other.
    if let Some(near) = Some(text(ContextKind::SuggestedArg)).filter(|near| near.starts_with("--")) {
        let near = near.split([' ', '=']).next().unwrap_or_default();
        let wrong = text(ContextKind::InvalidArg);
        let wrong = wrong.split([' ', '=']).next().unwrap_or_default().trim_start_matches('-');
        let error = UsageError::of_option(format!("illegal option -- {wrong}"));
        return error.help(format!("did you mean {near}?"));
    }
    // `-n <n>` or `--source <source>` for a known option, `-y` or `--bogus` for an unknown one.
    let arg = text(ContextKind::InvalidArg);
    let name =
        arg.split([' ', '=']).next().unwrap_or("").trim_start_matches('-').trim_end_matches('.').to_string();
    match error.kind() {
        ErrorKind::InvalidValue | ErrorKind::WrongNumberOfValues | ErrorKind::TooFewValues => {
            UsageError::of_option(format!("option requires an argument -- {name}"))
        }
        ErrorKind::TooManyValues => UsageError::of_option(format!("option takes no argument -- {name}")),
        _ => {
            let error = UsageError::of_option(format!("illegal option -- {name}"));
            match name.starts_with(|c: char| c.is_ascii_digit()) {
                true => error.help(format!("operands come behind `--` if one begins with `-`: `-- -{name}`")),
                false => error,
            }
        }
    }
}

/// Whether a flag was given.
fn given(matches: &ArgMatches, name: &str) -> bool {
    matches.get_count(name) > 0
}

/// Every value of an option, in order.
fn all(matches: &ArgMatches, id: &str) -> Vec<String> {
    matches.get_many::<String>(id).map(|v| v.cloned().collect()).unwrap_or_default()
}

/// The values of several options in command-line order, each made into an item.
fn ordered<T, R>(matches: &ArgMatches, ids: &[(&str, T)], make: impl Fn(&T, String) -> R) -> Vec<R> {
    let mut found = Vec::new();
    for (id, tag) in ids {
        let indices = matches.indices_of(id).into_iter().flatten();
        found.extend(indices.zip(all(matches, id)).map(|(at, text)| (at, make(tag, text))));
    }
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, item)| item).collect()
}

/// `-x`, `-b` and the flags that stand for options.
fn settings(matches: &ArgMatches) -> Vec<Setting> {
    let mut found: Vec<(usize, Setting)> = Vec::new();
    for &(letter, name) in FLAG_SETTINGS {
        if given(matches, letter) {
            let at = matches.indices_of(letter).and_then(Iterator::last).unwrap_or(0);
            found.push((at, Setting { shown: letter.to_string(), name: name.into(), value: None }));
        }
    }
    let values = |id: &'static str| matches.indices_of(id).into_iter().flatten().zip(all(matches, id));
    for &(letter, name) in VALUE_SETTINGS {
        for (at, value) in values(letter) {
            let setting =
                Setting { shown: format!("{letter} {value}"), name: name.into(), value: Some(value) };
            found.push((at, setting));
        }
    }
    for (at, text) in values("x") {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name.to_string(), Some(value.to_string())),
            None => (text, None),
        };
        found.push((at, Setting { shown: format!("x {name}"), name, value }));
    }
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, setting)| setting).collect()
}

fn mode(matches: &ArgMatches) -> Result<Mode, UsageError> {
    if given(matches, "help") {
        return Ok(Mode::Help);
    }
    if given(matches, "version") {
        return Ok(Mode::LongVersion);
    }
    let only = [("G", Mode::Link), ("h", Mode::Header), ("l", Mode::List), ("V", Mode::Version)];
    let mut only = only.into_iter().filter(|(letter, _)| given(matches, letter));
    if let Some((letter, mode)) = only.next() {
        let shows = [("explain", given(matches, "explain")), ("dump", !all(matches, "dump").is_empty())];
        if let Some((name, _)) = shows.into_iter().find(|(_, shows)| *shows) {
            return Err(UsageError::plain(format!(
                "--{name} shows the plan of a run, and -{letter} runs nothing"
            )));
        }
        return match only.next() {
            None => Ok(mode),
            Some(_) => Err(UsageError::plain("only one of the [-GhlV] options can be specified at a time")),
        };
    }
    match all(matches, "dump").pop().as_deref() {
        None => {}
        Some("ast") => return Ok(Mode::Dump(Form::Ast)),
        Some("ir") => return Ok(Mode::Dump(Form::Ir)),
        Some("ebpf") => return Ok(Mode::Dump(Form::Ebpf)),
        Some("clif") => return Ok(Mode::Dump(Form::Clif)),
        Some(other) => {
            return Err(UsageError::plain(format!(
                "invalid form '{other}' for --dump: use ast, ir, ebpf or clif"
            )));
        }
    }
    if given(matches, "explain") {
        return Ok(Mode::Explain);
    }
    Ok(if given(matches, "e") { Mode::Compile } else { Mode::Trace })
}

fn source(matches: &ArgMatches) -> Result<SourceChoice, UsageError> {
    let Some(text) = all(matches, "source").pop() else { return Ok(SourceChoice::Auto) };
    match text.split_once('=') {
        Some(("synthetic", file)) if !file.is_empty() => Ok(SourceChoice::Synthetic(file.into())),
        None if text == "auto" => Ok(SourceChoice::Auto),
        None if text == "bpf" => Ok(SourceChoice::Bpf),
        None if text == "ptrace" => Ok(SourceChoice::Ptrace),
        _ => Err(UsageError::plain(format!(
            "invalid source '{text}' for --source: use auto, bpf, ptrace or synthetic=FILE"
        ))),
    }
}

fn format(matches: &ArgMatches) -> Result<OutputFormat, UsageError> {
    match all(matches, "format").pop().as_deref() {
        None | Some("text") => Ok(OutputFormat::Text),
        Some("json") => Ok(OutputFormat::Json),
        Some("folded") => Ok(OutputFormat::Folded),
        Some(other) => {
            Err(UsageError::plain(format!("invalid format '{other}' for --format: use text, json or folded")))
        }
    }
}

fn engine(matches: &ArgMatches) -> Result<Option<EngineChoice>, UsageError> {
    match all(matches, "engine").pop().as_deref() {
        None => Ok(None),
        Some("interp") => Ok(Some(EngineChoice::Interp)),
        Some("rbpf") => Ok(Some(EngineChoice::Rbpf)),
        Some("bpf") => Ok(Some(EngineChoice::Bpf)),
        Some("jit") => Ok(Some(EngineChoice::Jit)),
        Some(other) => Err(UsageError::plain(format!(
            "invalid engine '{other}' for --engine: use interp, jit, rbpf or bpf"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(args: &[&str]) -> Options {
        match parse(args.iter().map(OsString::from)) {
            Ok(options) => options,
            Err(e) => panic!("{args:?}: {}", e.message),
        }
    }

    fn refusal(args: &[&str]) -> (String, bool) {
        match parse(args.iter().map(OsString::from)) {
            Ok(options) => panic!("{args:?} gave {options:?}"),
            Err(e) => {
                let help = e.help.map_or(String::new(), |help| format!("\n  help: {help}"));
                (e.message + &help, e.show_usage)
            }
        }
    }

    fn shown(options: &Options) -> Vec<(String, Option<String>)> {
        options.settings.iter().map(|s| (s.name.clone(), s.value.clone())).collect()
    }

    #[test]
    fn flags_and_values_share_a_word() {
        let o = options(&["-qn", "BEGIN { exit(0); }"]);
        assert_eq!(o.programs, [ProgramArg { kind: SourceKind::Name, text: "BEGIN { exit(0); }".into() }]);
        assert_eq!(shown(&o), [("quiet".into(), None)]);
        let o = options(&["-qnBEGIN", "-xbufsize=1m"]);
        assert_eq!(o.programs[0].text, "BEGIN");
        assert_eq!(shown(&o), [("quiet".into(), None), ("bufsize".into(), Some("1m".into()))]);
    }

    /// As getopt(3) has it: what follows the letter is the value, a `=` too.
    #[test]
    fn equal_signs_belong_to_values() {
        let o = options(&[
            "-p=1", "-o=f.out", "-qn=x", "-b=4k", "-s", "-n=y", "-D", "A=1", "-DB=2", "--", "-p=2",
        ]);
        assert_eq!(o.targets, [TargetArg::Pid("=1".into())]);
        assert_eq!(o.output.as_deref(), Some("=f.out"));
        let texts: Vec<&str> = o.programs.iter().map(|program| &*program.text).collect();
        assert_eq!(texts, ["=x", "-n=y"]);
        let set = |name: &str, value: &str| (name.to_owned(), Some(value.to_owned()));
        let quiet = ("quiet".to_owned(), None);
        let expected = [quiet, set("bufsize", "=4k"), set("define", "A=1"), set("define", "B=2")];
        assert_eq!(shown(&o), expected);
        assert_eq!(o.operands, ["-p=2"]);
    }

    #[test]
    fn arguments_hold_any_bytes() {
        use std::os::unix::ffi::OsStringExt;
        let odd = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
        let args = [
            odd(b"-qn"),
            odd(b"BEGIN\xff"),
            odd(b"-ca\x80 \xe9"),
            odd(b"-o"),
            odd(b"\xc3"),
            odd(b"\xf0\x9f"),
        ];
        let options = parse(args).unwrap_or_else(|error| panic!("{}", error.message));
        assert_eq!(native::word(&options.programs[0].text), odd(b"BEGIN\xff"));
        let TargetArg::Command(command) = &options.targets[0] else { panic!("-c gives a command") };
        assert_eq!(native::word(command), odd(b"a\x80 \xe9"));
        assert_eq!(options.output.as_deref().map(native::word), Some(odd(b"\xc3")));
        assert_eq!(native::word(&options.operands[0]), odd(b"\xf0\x9f"));
    }

    #[test]
    fn operands_may_stand_anywhere() {
        let o = options(&["-s", "a.d", "one", "-q", "two", "--", "-n", "three"]);
        assert_eq!(o.operands, ["one", "two", "-n", "three"]);
        assert_eq!(o.programs.len(), 1);
    }

    #[test]
    fn programs_keep_their_order() {
        let o = options(&["-n", "a", "-s", "b", "-n", "c", "-P", "d", "-m", "e", "-f", "f", "-i", "7"]);
        let kinds: Vec<_> = o.programs.iter().map(|p| (p.kind, p.text.as_str())).collect();
        assert_eq!(
            kinds,
            [
                (SourceKind::Name, "a"),
                (SourceKind::Script, "b"),
                (SourceKind::Name, "c"),
                (SourceKind::Provider, "d"),
                (SourceKind::Module, "e"),
                (SourceKind::Function, "f"),
                (SourceKind::Id, "7"),
            ]
        );
    }

    #[test]
    fn settings_keep_their_order() {
        let o = options(&["-x", "quiet=no", "-b", "8m", "-q", "-x", "strsize=64"]);
        assert_eq!(
            shown(&o),
            [
                ("quiet".into(), Some("no".into())),
                ("bufsize".into(), Some("8m".into())),
                ("quiet".into(), None),
                ("strsize".into(), Some("64".into())),
            ]
        );
        assert_eq!(o.settings[1].shown, "b 8m");
        let o = options(&["-C", "-DX=1", "-U", "Y", "-I", "inc", "-DZ", "-L/lib", "-Xs", "-H"]);
        let given: Vec<_> = o.settings.iter().map(|s| (s.name.as_str(), s.value.as_deref())).collect();
        assert_eq!(
            given,
            [
                ("cpp", None),
                ("define", Some("X=1")),
                ("undef", Some("Y")),
                ("incdir", Some("inc")),
                ("define", Some("Z")),
                ("libdir", Some("/lib")),
                ("stdc", Some("s")),
                ("cpphdrs", None),
            ]
        );
    }

    #[test]
    fn values_may_begin_with_a_dash() {
        let o = options(&["-c", "-odd name", "-o", "-x"]);
        assert_eq!(o.targets, [TargetArg::Command("-odd name".into())]);
        assert_eq!(o.output.as_deref(), Some("-x"));
    }

    #[test]
    fn modes() {
        for (args, mode) in [
            (&["-l"] as &[&str], Mode::List),
            (&["-lv"], Mode::List),
            (&["-V"], Mode::Version),
            (&["-h", "-s", "a.d"], Mode::Header),
            (&["-G", "-s", "a.d", "a.o"], Mode::Link),
            (&["-e", "-n", "BEGIN"], Mode::Compile),
            (&["--explain", "-n", "BEGIN"], Mode::Explain),
            (&["--dump=ir", "-n", "BEGIN"], Mode::Dump(Form::Ir)),
            (&["--dump", "ebpf", "-n", "BEGIN"], Mode::Dump(Form::Ebpf)),
            (&["--help"], Mode::Help),
            (&["-n", "BEGIN"], Mode::Trace),
            (&["-64", "-n", "BEGIN"], Mode::Trace),
        ] {
            assert_eq!(options(args).mode, mode, "{args:?}");
        }
    }

    #[test]
    fn sources_and_engines() {
        assert_eq!(options(&["--source=bpf"]).source, SourceChoice::Bpf);
        assert_eq!(
            options(&["--source", "synthetic=a.events"]).source,
            SourceChoice::Synthetic("a.events".into())
        );
        assert_eq!(options(&["--engine=rbpf"]).engine, Some(EngineChoice::Rbpf));
        assert_eq!(options(&["--engine=jit"]).engine, Some(EngineChoice::Jit));
        assert_eq!(options(&["--dump=clif"]).mode, Mode::Dump(Form::Clif));
        assert_eq!(
            refusal(&["--engine=fast"]).0,
            "invalid engine 'fast' for --engine: use interp, jit, rbpf or bpf"
        );
        assert_eq!(
            refusal(&["--source=synthetic"]).0,
            "invalid source 'synthetic' for --source: use auto, bpf, ptrace or synthetic=FILE"
        );
    }

    #[test]
    fn refusals() {
        for (args, message, usage) in [
            (&["-y"] as &[&str], "illegal option -- y", true),
            (&["--bogus"], "illegal option -- bogus", true),
            (
                &["-n", "BEGIN { trace($1); }", "-5"],
                "illegal option -- 5\n  help: operands come behind `--` if one begins with `-`: `-- -5`",
                true,
            ),
            (&["--sourc=bpf"], "illegal option -- sourc\n  help: did you mean --source?", true),
            (&["--explian"], "illegal option -- explian\n  help: did you mean --explain?", true),
            (&["-n"], "option requires an argument -- n", true),
            (&["-q=1"], "illegal option -- =", true),
            (&["--source"], "option requires an argument -- source", true),
            (&["-32"], "only 64-bit programs are supported", false),
            (&["-a"], "anonymous tracing is not supported", false),
            (&["-l", "--explain"], "--explain shows the plan of a run, and -l runs nothing", false),
            (&["--dump=ir", "-h"], "--dump shows the plan of a run, and -h runs nothing", false),
            (&["-l", "-V"], "only one of the [-GhlV] options can be specified at a time", false),
            (&["-B", "-l"], "-B not valid in combination with [-Gl] options", false),
            (&["-B", "-o", "f"], "-B not valid in combination with -o option", false),
            (&["-hG"], "only one of the [-GhlV] options can be specified at a time", false),
            (&["-B", "-G"], "-B not valid in combination with [-Gl] options", false),
            (&["-D"], "option requires an argument -- D", true),
        ] {
            assert_eq!(refusal(args), (message.to_string(), usage), "{args:?}");
        }
    }
}
