//! The command line, row by row of runtime spec §13: arguments and files in; exact output, messages and exit status out.
//!
//! Runs are called `dtrace`, in this process, over no events, so that their messages are DTrace's own and nothing needs a
//! privilege. What needs processes, signals or a terminal is in `command.rs`, `ends.rs` and `live`.

#![allow(clippy::expect_used, reason = "a test fails by a panic, and its parts are no `#[test]` functions")]

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use dtrail::{Environment, Invocation};

/// What a run leaves.
#[derive(Debug, PartialEq, Eq)]
struct Left {
    out: String,
    err: String,
    status: u8,
}

fn run_in(env: &[(&str, &str)], args: &[&str]) -> Left {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let args = args.iter().chain(&["--source=synthetic=/dev/null"]);
    // Behind `--` an option is none: there the source comes first.
    let mut args: Vec<OsString> = args.map(OsString::from).collect();
    args.rotate_right(1);
    let env = env.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    let outcome = dtrail::run(Invocation {
        progname: "dtrace".into(),
        args,
        environment: Environment::Fixed(env),
        stdout: &mut out,
        stderr: &mut err,
        stdout_is_terminal: false,
        stderr_is_terminal: false,
        interrupts: None,
    });
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    Left { out: text(out), err: text(err), status: outcome.status }
}

/// One row of a table: what it shows, the arguments, output, messages and exit status. `DIR` is the folder of the test's
/// files, and the notice that there are no events is left out.
type Row = (&'static str, &'static [&'static str], &'static str, &'static str, u8);

/// Files of a test, in a folder of their own that goes with this value.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let path = std::env::temp_dir().join(format!("dtrail-options-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        for (name, text) in files {
            std::fs::write(path.join(name), text).expect("a temporary file");
        }
        Folder(path)
    }

    fn path(&self) -> String {
        self.0.display().to_string()
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Runs each row and compares all it leaves; says which rows differ.
    fn check(&self, rows: &[Row]) {
        let mut wrong = Vec::new();
        for &(what, args, out, err, status) in rows {
            let here = |text: &str| text.replace("DIR", &self.path());
            let args: Vec<String> = args.iter().map(|arg| here(arg)).collect();
            let mut left = run_in(&[], &args.iter().map(String::as_str).collect::<Vec<_>>());
            left.err = left.err.replace("dtrace: warning: no events in /dev/null\n", "");
            let expected = Left { out: here(out), err: here(err), status };
            if left != expected {
                wrong.push(format!("{what}: {args:?}\n     got {left:?}\nexpected {expected:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const HEADING: &str = "   ID   PROVIDER            MODULE                          FUNCTION NAME\n";

#[test]
fn options_of_the_table() {
    let files = [
        ("a.d", "BEGIN { printf(\"a\"); exit(3); }\n"),
        (
            "b.d",
            "#!/usr/sbin/dtrace -qs\n#pragma D option quiet\nBEGIN { printf(\"%d %s\", $1, $$2); exit(0); }\n",
        ),
    ];
    Folder::new("table", &files).check(&[
        ("-b sz sets bufsize", &["-b", "5000", "-qn", "BEGIN { exit(0); }"], "\n", "bufsize increased to 8192\n", 0),
        ("-b with what is no size", &["-b", "4q", "-n", "BEGIN"], "", "dtrace: failed to set -b 4q: Invalid value for specified option\n", 1),
        ("-b with nothing", &["-b", "", "-n", "BEGIN"], "", "dtrace: failed to set -b : Invalid value for specified option\n", 1),
        ("-B prints as ever", &["-B", "-qn", "BEGIN { printf(\"x\"); exit(0); }"], "x\n", "", 0),
        ("-C leaves command-line clauses alone", &["-C", "-q", "-D", "N=7", "-n", "inline int N = 2; BEGIN { printf(\"%d\", N); exit(0); }"], "2\n", "", 0),
        ("-e enables nothing and says nothing", &["-e", "-n", "BEGIN { printf(\"x\"); }"], "", "", 0),
        ("-e finds mistakes", &["-e", "-n", "BEGIN { trace(); }"], "", "dtrace: invalid probe specifier BEGIN { trace(); }: in action list: trace( ) prototype mismatch: 0 args passed, 1 expected\n", 1),
        ("-P p is p:::", &["-q", "-P", "dtrace", "-n", "BEGIN { exit(0); }"], "\n", "", 0),
        ("-P takes a predicate and actions", &["-q", "-P", "dtrace /probename == \"BEGIN\"/ { printf(\"p\"); exit(0); }"], "p\n", "", 0),
        ("-P takes one field", &["-P", "dtrace:x"], "", "dtrace: invalid probe specifier dtrace:x: invalid probe description \"dtrace:x\": Overspecified probe description\n", 1),
        ("-m may be p:m", &["-q", "-m", "dtrace:", "-n", "BEGIN { exit(0); }"], "\n", "", 0),
        ("-m takes actions", &["-q", "-m", "dtrace: /probename == \"BEGIN\"/ { printf(\"m\"); exit(0); }"], "m\n", "", 0),
        ("-m takes two fields", &["-m", "a:b:c"], "", "dtrace: invalid probe specifier a:b:c: invalid probe description \"a:b:c\": Overspecified probe description\n", 1),
        ("-f may be p:m:f", &["-q", "-f", "dtrace:: { exit(0); }"], "\n", "", 0),
        ("-f takes three fields", &["-f", "a:b:c:d"], "", "dtrace: invalid probe specifier a:b:c:d: invalid probe description \"a:b:c:d\": Overspecified probe description\n", 1),
        ("-n may be p:m:f:n", &["-q", "-n", "dtrace:::BEGIN { exit(0); }"], "\n", "", 0),
        ("-n takes four fields", &["-n", "a:b:c:d:e"], "", "dtrace: invalid probe specifier a:b:c:d:e: invalid probe description \"a:b:c:d:e\": Overspecified probe description\n", 1),
        ("-i takes a number", &["-q", "-i", "1 { printf(\"i\"); exit(0); }"], "i\n", "", 0),
        ("-i takes a predicate", &["-q", "-i", "1 /1/ { exit(4); }"], "\n", "", 4),
        ("-i without actions", &["-q", "-i", "1", "-n", "BEGIN { exit(0); }"], "\n", "", 0),
        ("-F indents", &["-F", "-n", "BEGIN { exit(0); }"], "CPU FUNCTION                                 \n  0 | :BEGIN                                  \n\n", "dtrace: description 'BEGIN ' matched 1 probe\n", 0),
        ("-F -q has no newlines", &["-Fq", "-n", "BEGIN { exit(0); }"], "CPU FUNCTION                                 \n  0 | :BEGIN                                  \n", "", 0),
        ("-q leaves rows and notices out", &["-q", "-n", "BEGIN { trace(1); exit(0); }"], "1\n", "", 0),
        ("-s compiles a file", &["-q", "-s", "DIR/a.d"], "a\n", "", 3),
        ("-s may be repeated, and mixed with -n in order", &["-q", "-n", "BEGIN { printf(\"1\"); }", "-s", "DIR/a.d", "-n", "END { printf(\"2\"); }"], "1a2\n", "", 3),
        ("-s and a first line of its own", &["-s", "DIR/b.d", "5", "six"], "5 six\n", "", 0),
        ("-U and -I without -C do nothing", &["-q", "-U", "X", "-I", "/nonexistent", "-n", "BEGIN { exit(0); }"], "\n", "", 0),
        ("-L with a folder that is not there", &["-L", "DIR/none", "-n", "BEGIN"], "", "dtrace: failed to open DIR/none: No such file or directory\n", 1),
        ("-w allows destructive actions", &["-w", "-n", "BEGIN { system(\"true\"); exit(0); }"], "CPU     ID                    FUNCTION:NAME\n  0      1                           :BEGIN \n\n", "dtrace: description 'BEGIN ' matched 1 probe\ndtrace: allowing destructive actions\n", 0),
        ("-wq does not tell", &["-wq", "-n", "BEGIN { exit(0); }"], "\n", "", 0),
        ("without -w", &["-n", "BEGIN { system(\"true\"); exit(0); }"], "", "dtrace: description 'BEGIN ' matched 1 probe\ndtrace: could not enable tracing: Destructive actions not allowed\n", 1),
        ("-x sets an option", &["-x", "quiet", "-n", "BEGIN { exit(0); }"], "\n", "", 0),
        ("-x knows its options", &["-x", "foo", "-n", "BEGIN"], "", "dtrace: failed to set -x foo: Invalid option name\n", 1),
        ("-x knows their values", &["-x", "quiet=maybe", "-n", "BEGIN"], "", "dtrace: failed to set -x quiet: Invalid value for specified option\n", 1),
        ("-x with nothing", &["-x", "", "-n", "BEGIN"], "", "dtrace: failed to set -x : Invalid option name\n", 1),
        ("-x with a value alone", &["-x", "=1", "-n", "BEGIN"], "", "dtrace: failed to set -x : Invalid option name\n", 1),
        ("-x strict, as dtrace is anyway", &["-xstrict", "-n", "BEGIN { trace(strerror(1)); }"], "", "dtrace: invalid probe specifier BEGIN { trace(strerror(1)); }: undefined function name: strerror\n", 1),
        ("-X a, c, s and t", &["-Xa", "-Xc", "-Xs", "-Xt", "-qn", "BEGIN { exit(0); }"], "\n", "", 0),
        ("-X with another letter", &["-Xz", "-n", "BEGIN"], "", "dtrace: failed to set -X z: Invalid value for specified option\n", 1),
        ("-Z allows what matches nothing", &["-Z", "-n", "syscall::nosuch:entry", "-n", "BEGIN { exit(0); }"], "CPU     ID                    FUNCTION:NAME\n  0      1                           :BEGIN \n\n", "dtrace: description 'syscall::nosuch:entry' matched 0 probes\ndtrace: description 'BEGIN ' matched 1 probe\n", 0),
        ("-V is the language's version", &["-V"], "dtrace: dtrail D 2.0\n", "", 0),
        ("-a", &["-a"], "", "dtrace: anonymous tracing is not supported\n", 2),
        ("-A", &["-A", "-n", "BEGIN"], "", "dtrace: anonymous tracing is not supported\n", 2),
        ("-64 is accepted", &["-64", "-qn", "BEGIN { exit(0); }"], "\n", "", 0),
        ("-32 is not", &["-32", "-n", "BEGIN"], "", "dtrace: only 64-bit programs are supported\n", 2),
        ("-H without -C does nothing", &["-H", "-qn", "BEGIN { exit(0); }"], "\n", "", 0),
    ]);
}

#[test]
fn combinations() {
    let only = "dtrace: only one of the [-GhlV] options can be specified at a time\n";
    Folder::new("combinations", &[]).check(&[
        ("-G -h", &["-Gh"], "", only, 2),
        ("-G -l", &["-G", "-l"], "", only, 2),
        ("-G -V", &["-GV"], "", only, 2),
        ("-h -l", &["-hl"], "", only, 2),
        ("-h -V", &["-h", "-V"], "", only, 2),
        ("-l -V", &["-lV"], "", only, 2),
        ("all four", &["-lVGh"], "", only, 2),
        ("-l twice is -l", &["-ll", "-n", "BEGIN"], "   ID   PROVIDER            MODULE                          FUNCTION NAME\n    1     dtrace                                                     BEGIN\n", "", 0),
        ("-B -G", &["-BG"], "", "dtrace: -B not valid in combination with [-Gl] options\n", 2),
        ("-B -l", &["-lB"], "", "dtrace: -B not valid in combination with [-Gl] options\n", 2),
        ("-B -o", &["-B", "-o", "DIR/x", "-n", "BEGIN"], "", "dtrace: -B not valid in combination with -o option\n", 2),
        ("-G alone", &["-G"], "", "dtrace: -G requires one or more scripts or enabling options\n", 2),
        ("-h alone", &["-h"], "", "dtrace: -h requires one or more scripts or enabling options\n", 2),
        ("-h with clauses alone", &["-h", "-n", "BEGIN"], "", "dtrace: -h requires one or more scripts or enabling options\n", 2),
        ("nothing to enable", &["-q"], "", "dtrace: no probes specified\n", 1),
        ("operands alone", &["one", "two"], "", "dtrace: no probes specified\n", 1),
        ("a dash alone is an operand", &["-qn", "BEGIN { printf(\"%s\", $$1); exit(0); }", "-"], "-\n", "", 0),
    ]);
}

#[test]
fn unusual_arguments() {
    let long = "x".repeat(100_000);
    let left = run_in(
        &[],
        &["-qn", "BEGIN { printf(\"%d\", strlen($$1)); exit(0); }", "-x", "strsize=65536", &long],
    );
    assert_eq!(left.out, "65536\n");
    let left = run_in(&[], &["-x", &format!("{long}=1"), "-n", "BEGIN"]);
    assert_eq!(left.err, format!("dtrace: failed to set -x {long}: Invalid option name\n"));
    Folder::new("unusual", &[("a.d", "BEGIN { printf(\"%s,%s\", $$1, $$2); exit(0); }\n")]).check(&[
        ("options after operands", &["-s", "DIR/a.d", "1", "-q", "2"], "1,2\n", "", 0),
        ("-- ends options", &["-qs", "DIR/a.d", "--", "-n", "--"], "-n,--\n", "", 0),
        ("an empty operand", &["-qs", "DIR/a.d", "", "x"], ",x\n", "", 0),
        ("letters share a word", &["-qwZFen", "BEGIN { exit(0); }"], "", "", 0),
        ("a value in the letter's word", &["-qnBEGIN { exit(0); }"], "\n", "", 0),
        (
            "an empty program",
            &["-n", ""],
            "",
            "dtrace: invalid probe specifier : empty D program translation unit\n",
            1,
        ),
        (
            "a program of blanks",
            &["-n", " \t"],
            "",
            "dtrace: invalid probe specifier  \t: empty D program translation unit\n",
            1,
        ),
        (
            "an empty name of a script",
            &["-s", ""],
            "",
            "dtrace: failed to open : No such file or directory\n",
            1,
        ),
        ("a folder as a script", &["-s", "DIR"], "", "dtrace: failed to open DIR: Is a directory\n", 1),
        (
            "an empty identifier",
            &["-i", ""],
            "",
            "dtrace: invalid probe specifier : empty D program translation unit\n",
            1,
        ),
        (
            "a word as identifier",
            &["-i", "abc"],
            "",
            "dtrace: invalid probe specifier abc: invalid probe identifier abc: not a number\n",
            1,
        ),
        (
            "several of an option: the last one counts",
            &[
                "-x",
                "strsize=8",
                "-x",
                "strsize=16",
                "-qn",
                "BEGIN { printf(\"%d\", sizeof (execname)); exit(0); }",
            ],
            "16\n",
            "",
            0,
        ),
        (
            "a flag and its opposite",
            &["-q", "-x", "quiet=no", "-x", "quiet", "-n", "BEGIN { exit(0); }"],
            "\n",
            "",
            0,
        ),
    ]);
    for (args, why) in [
        (&["-y"][..], "illegal option -- y"),
        (&["--bogus"], "illegal option -- bogus"),
        (&["--explian"], "illegal option -- explian"),
        (&["--help=x"], "option takes no argument -- help"),
        (&["--explain=yes", "-n", "BEGIN"], "option takes no argument -- explain"),
        (&["-6"], "option requires an argument -- 6"),
        (&["-65"], "illegal option -- 6"),
        (&["-n"], "option requires an argument -- n"),
        (&["-qx"], "option requires an argument -- x"),
        (&["-s"], "option requires an argument -- s"),
        (&["--engine"], "option requires an argument -- engine"),
        (&["--dump"], "option requires an argument -- dump"),
        (&["--format"], "option requires an argument -- format"),
    ] {
        let left = run_in(&[], args);
        let usage = format!("dtrace: {why}\nUsage: dtrace [-64] [-BCeFGhHlqSvVwZ] ");
        assert!(left.err.starts_with(&usage), "{args:?}: {}", left.err);
        assert_eq!((left.out.as_str(), left.status), ("", 2), "{args:?}");
    }
}

#[test]
fn notices_and_errors() {
    let files = [
        ("two.d", "BEGIN { exit(0); }\nEND { }\n"),
        ("wrong.d", "BEGIN {\n\n\ttrace(nosuch);\n}\n"),
        ("line.d", "# 7 \"b.h\"\nBEGIN { trace(nosuch); }\n"),
        ("empty.d", "/* nothing */\n"),
        ("args.d", "BEGIN { trace($1); exit(0); }\n"),
    ];
    let row = "CPU     ID                    FUNCTION:NAME\n  0      1                           :BEGIN \n\n";
    let two = "CPU     ID                    FUNCTION:NAME\n  0      1                           :BEGIN \n  0      2                             :END \n\n";
    Folder::new("notices", &files).check(&[
        ("each clause, one probe", &["-n", "BEGIN { exit(0); }"], row, "dtrace: description 'BEGIN ' matched 1 probe\n", 0),
        ("the text is cut at /", &["-n", "BEGIN/1/{ exit(0); }"], row, "dtrace: description 'BEGIN' matched 1 probe\n", 0),
        ("the text is cut at ;", &["-n", "int x; BEGIN { exit(0); }"], row, "dtrace: description 'int x' matched 1 probe\n", 0),
        ("several probes", &["-n", "BEGIN,END { exit(0); }"], two, "dtrace: description 'BEGIN,END ' matched 2 probes\n", 0),
        ("each script", &["-s", "DIR/two.d"], two, "dtrace: script 'DIR/two.d' matched 2 probes\n", 0),
        ("quiet by a pragma", &["-n", "#pragma D option quiet\nBEGIN { exit(0); }"], "\n", "", 0),
        ("a mistake in a script", &["-s", "DIR/wrong.d"], "", "dtrace: failed to compile script DIR/wrong.d: line 3: failed to resolve nosuch: Unknown variable name\n", 1),
        ("the same with tags", &["-xerrtags", "-s", "DIR/wrong.d"], "", "dtrace: failed to compile script DIR/wrong.d: [D_IDENT_UNDEF] line 3: failed to resolve nosuch: Unknown variable name\n", 1),
        ("a mistake after a line directive", &["-s", "DIR/line.d"], "", "dtrace: failed to compile script DIR/line.d: \"b.h\", line 7: failed to resolve nosuch: Unknown variable name\n", 1),
        ("a mistake in a clause", &["-n", "BEGIN { trace(nosuch); }"], "", "dtrace: invalid probe specifier BEGIN { trace(nosuch); }: in action list: failed to resolve nosuch: Unknown variable name\n", 1),
        ("a mistake in a predicate", &["-n", "BEGIN /nosuch/ { }"], "", "dtrace: invalid probe specifier BEGIN /nosuch/ { }: in predicate: failed to resolve nosuch: Unknown variable name\n", 1),
        ("syntax", &["-n", "BEGIN { trace(1) trace(2); }"], "", "dtrace: invalid probe specifier BEGIN { trace(1) trace(2); }: syntax error near \"trace\"\n", 1),
        ("an undefined function", &["-n", "BEGIN { nosuch(1); }"], "", "dtrace: invalid probe specifier BEGIN { nosuch(1); }: undefined function name: nosuch\n", 1),
        ("by -P", &["-P", "dtrace { trace(nosuch); }"], "", "dtrace: invalid probe specifier dtrace { trace(nosuch); }: in action list: failed to resolve nosuch: Unknown variable name\n", 1),
        ("by -m", &["-m", "dtrace: { trace(nosuch); }"], "", "dtrace: invalid probe specifier dtrace: { trace(nosuch); }: in action list: failed to resolve nosuch: Unknown variable name\n", 1),
        ("by -f", &["-f", "dtrace:: { trace(nosuch); }"], "", "dtrace: invalid probe specifier dtrace:: { trace(nosuch); }: in action list: failed to resolve nosuch: Unknown variable name\n", 1),
        ("by -i", &["-i", "1 { trace(nosuch); }"], "", "dtrace: invalid probe specifier 1 { trace(nosuch); }: in action list: failed to resolve nosuch: Unknown variable name\n", 1),
        ("no such file", &["-s", "DIR/none.d"], "", "dtrace: failed to open DIR/none.d: No such file or directory\n", 1),
        ("zero matches", &["-n", "syscall::nosuch:entry"], "", "dtrace: invalid probe specifier syscall::nosuch:entry: probe description syscall::nosuch:entry does not match any probes\n", 1),
        ("zero matches by -P", &["-P", "nosuch"], "", "dtrace: invalid probe specifier nosuch: probe description nosuch::: does not match any probes\n", 1),
        ("a bad identifier", &["-i", "0"], "", "dtrace: invalid probe specifier 0: invalid probe identifier 0: Unknown probe identifier\n", 1),
        ("an identifier where names are", &["-f", "4"], "", "dtrace: invalid probe specifier 4: probe identifier 4 not permitted when specifying functions\n", 1),
        ("an argument too many", &["-n", "BEGIN { exit(0); }", "10"], "", "dtrace: invalid probe specifier BEGIN { exit(0); }: extraneous argument '10' ($1 is not referenced)\n", 1),
        ("an argument too few", &["-s", "DIR/args.d"], "", "dtrace: failed to compile script DIR/args.d: line 1: macro argument $1 is not defined\n", 1),
        ("nothing enabled", &["-xempty", "-s", "DIR/empty.d"], "", "dtrace: no probes matched\n", 1),
        ("an empty script", &["-s", "DIR/empty.d"], "", "dtrace: failed to compile script DIR/empty.d: line 2: empty D program translation unit\n", 1),
        ("what exceeds the buffer", &["-b", "4k", "-x", "strsize=8k", "-qn", "BEGIN { trace(execname); exit(0); }"], "", "dtrace: could not enable tracing: Enabling exceeds size of buffer\n", 1),
        ("END exceeds a buffer that is filled", &["-b", "4k", "-x", "bufpolicy=fill", "-x", "strsize=3k", "-qn", "END { trace(execname); trace(execname); }", "-n", "BEGIN { exit(0); }"], "", "dtrace: could not enable tracing: Enabling exceeds size of buffer\n", 1),
        ("-o that cannot be opened comes before what matched", &["-o", "DIR/none/x", "-n", "BEGIN { exit(0); }"], "", "dtrace: failed to open output file 'DIR/none/x': No such file or directory\n", 1),
        ("a mistake comes before -o", &["-o", "DIR/none/x", "-n", "BEGIN { trace(); }"], "", "dtrace: invalid probe specifier BEGIN { trace(); }: in action list: trace( ) prototype mismatch: 0 args passed, 1 expected\n", 1),
    ]);
}

#[test]
fn listings() {
    const BEGIN: &str = "    1     dtrace                                                     BEGIN\n";
    const END: &str = "    2     dtrace                                                     END\n";
    const ERROR: &str = "    3     dtrace                                                     ERROR\n";
    let lines = |lines: &[&str]| [&[HEADING], lines].concat().concat();
    let folder = Folder::new("listings", &[("a.d", "BEGIN { trace(1); }\ndtrace:::E* { }\n")]);
    let path = folder.0.join("a.d").display().to_string();
    for (args, out, err) in [
        (&["-ln", "BEGIN"][..], &[BEGIN][..], ""),
        (&["-l", "-P", "dtrace"], &[BEGIN, END, ERROR], ""),
        (&["-l", "-n", "dtrace:::E*"], &[END, ERROR], ""),
        (&["-l", "-i", "2"], &[END], ""),
        (&["-l", "-s", &path], &[BEGIN, END, ERROR], ""),
        (&["-l", "-n", "END", "-n", "BEGIN,END"], &[END, BEGIN, END], ""),
        (&["-lq", "-n", "BEGIN /pid == 1/ { trace(pid); }"], &[BEGIN], ""),
        (&["-le", "-n", "BEGIN"], &[BEGIN], ""),
        (&["-l", "-P", "nosuch"], &[], "dtrace: failed to match nosuch:::: No probe matches description\n"),
        (
            &["-l", "-m", "nosuch", "-n", "BEGIN", "-f", "nosuch"],
            &[BEGIN],
            "dtrace: failed to match :nosuch::: No probe matches description\n\
             dtrace: failed to match ::nosuch:: No probe matches description\n",
        ),
    ] {
        assert_eq!(run_in(&[], args), Left { out: lines(out), err: err.into(), status: 0 }, "{args:?}");
    }
    // A program with a mistake lists nothing.
    for (program, why) in [
        ("BEGIN { trace(nosuch); }", "in action list: failed to resolve nosuch: Unknown variable name"),
        ("BEGIN /nosuch/ { }", "in predicate: failed to resolve nosuch: Unknown variable name"),
        ("BEGIN { strlen(); }", "in action list: strlen( ) prototype mismatch: 0 args passed, 1 expected"),
    ] {
        let err = format!("dtrace: invalid probe specifier {program}: {why}\n");
        assert_eq!(run_in(&[], &["-ln", program]), Left { out: String::new(), err, status: 1 });
    }
    // The whole list begins with these, in the order of their numbers.
    let all = run_in(&[], &["-l"]);
    assert!(all.out.starts_with(&lines(&[BEGIN, END, ERROR])), "{}", &all.out[..500]);
    let numbers: Vec<u32> = all
        .out
        .lines()
        .skip(1)
        .map(|line| line.split_whitespace().next().expect("a word").parse().expect("a number"))
        .collect();
    assert!(numbers.len() > 700, "{}", numbers.len());
    let wrong: Vec<_> = numbers.windows(2).filter(|pair| pair[0] >= pair[1]).collect();
    assert_eq!(wrong, [&[0_u32; 0]; 0]);
    assert_eq!((all.err.as_str(), all.status), ("", 0));
    // -v: the attributes and arguments of each.
    let stable = "\t\tIdentifier Names: Stable\n\t\tData Semantics:   Stable\n\t\tDependency Class: Common\n";
    let details = format!(
        "\n\tProbe Description Attributes\n{stable}\n\tArgument Attributes\n{stable}\n\tArgument Types\n\t\tNone\n\n"
    );
    assert_eq!(run_in(&[], &["-lvn", "BEGIN"]).out, lines(&[BEGIN, &details]));
    let private = |class| {
        format!(
            "\t\tIdentifier Names: Private\n\t\tData Semantics:   Private\n\t\tDependency Class: {class}\n"
        )
    };
    let details = format!(
        "\n\tProbe Description Attributes\n{}\n\tArgument Attributes\n{}\n\tArgument Types\n\
         \t\targs[0]: unsigned int\n\t\targs[1]: char *\n\t\targs[2]: size_t\n\n",
        private("Unknown"),
        private("ISA")
    );
    let read = run_in(&[], &["-lvn", "syscall::read:entry"]).out;
    assert!(
        read.ends_with(&format!(
            "    syscall           vmlinux                              read entry\n{details}"
        )),
        "{read}"
    );
    // A listing goes to the file of -o, behind what is there.
    let file = folder.0.join("list").display().to_string();
    std::fs::write(&file, "before\n").expect("a temporary file");
    assert_eq!(
        run_in(&[], &["-l", "-o", &file, "-n", "BEGIN"]),
        Left { out: String::new(), err: String::new(), status: 0 }
    );
    assert_eq!(folder.text("list"), format!("before\n{}", lines(&[BEGIN])));
}

#[test]
fn stability_reports() {
    let triple = |level: &str| {
        format!(
            "\t\tIdentifier Names: {level}\n\t\tData Semantics:   {level}\n\t\tDependency Class: Common\n"
        )
    };
    let report = |what: &str, probes: &str| {
        format!(
            "\nStability attributes for {what}:\n\n\tMinimum Probe Description Attributes\n{}\n\
             \tMinimum Statement Attributes\n{}\n",
            triple(probes),
            triple("Stable")
        )
    };
    let block = |shown: &str, level: &str| {
        format!(
            "{shown}\n\n\tProbe Description Attributes\n{0}\n\tArgument Attributes\n{0}\n\tArgument Types\n\t\tNone\n\n",
            triple(level)
        )
    };
    let folder = Folder::new("stability", &[("a.d", "dtrace:::BEGIN { exit(0); }\n")]);
    let path = folder.0.join("a.d").display().to_string();
    let run = |args: &[&str]| {
        let left = run_in(&[], args);
        assert_eq!((left.err.as_str(), left.status), ("", 0), "{args:?}");
        left.out
    };
    assert_eq!(run(&["-qvs", &path]), report(&format!("script {path}"), "Stable") + "\n");
    assert_eq!(run(&["-qvn", "BEGIN { exit(0); }"]), report("description BEGIN ", "Unstable") + "\n");
    assert_eq!(
        run(&["-evn", "BEGIN { x = 1; }"]),
        report("description BEGIN ", "Unstable") + &block(":::BEGIN", "Unstable")
    );
    // The blocks of one clause have one more line between them.
    assert_eq!(
        run(&["-evn", "BEGIN,END { x = 1; }"]),
        report("description BEGIN,END ", "Unstable")
            + &block(":::BEGIN", "Unstable")
            + "\n"
            + &block(":::END", "Unstable")
    );
    assert_eq!(
        run(&["-ev", "-n", "dtrace:::END", "-s", &path]),
        report("description dtrace:::END", "Stable")
            + &block("dtrace:::END", "Stable")
            + &report(&format!("script {path}"), "Stable")
            + &block("dtrace:::BEGIN", "Stable")
    );
}

#[test]
fn exit_statuses() {
    Folder::new("statuses", &[]).check(&[
        ("0", &["-qn", "BEGIN { exit(0); }"], "\n", "", 0),
        ("the status of exit()", &["-qn", "BEGIN { exit(77); }"], "\n", "", 77),
        ("its low byte", &["-qn", "BEGIN { exit(256 + 7); }"], "\n", "", 7),
        ("a negative one", &["-qn", "BEGIN { exit(-1); }"], "\n", "", 255),
        (
            "END runs, and its exit() counts",
            &["-qn", "BEGIN { exit(1); } END { printf(\"end\"); exit(2); }"],
            "end\n",
            "",
            2,
        ),
        (
            "the rest of the firing does not",
            &["-qn", "BEGIN { exit(5); } BEGIN { printf(\"never\"); }"],
            "\n",
            "",
            5,
        ),
        ("no exit(): the end of events", &["-qn", "BEGIN { printf(\"x\"); }"], "x\n", "", 0),
        (
            "-l without matches",
            &["-ln", "nosuch:::"],
            HEADING,
            "dtrace: failed to match nosuch:::: No probe matches description\n",
            0,
        ),
        (
            "a fault is no failure",
            &["-qn", "BEGIN { exit(*(int *)0); } BEGIN { exit(0); }"],
            "\n",
            "dtrace: error in dt_clause_0 for probe ID 1 (dtrace:::BEGIN): invalid address (0x0) at insn 1\n",
            0,
        ),
    ]);
}

#[test]
fn the_environment() {
    let program = ["-n", "BEGIN { printf(\"%d\", sizeof (execname)); exit(0); }"];
    let run = |env: &[(&str, &str)], args: &[&str]| {
        let mut left = run_in(env, &[&program[..], args].concat());
        left.err = left.err.replace("dtrace: warning: no events in /dev/null\n", "");
        left
    };
    let left = |out: &str, err: &str, status| Left { out: out.into(), err: err.into(), status };
    assert_eq!(run(&[("DTRACE_OPT_QUIET", "1")], &[]), left("256\n", "", 0));
    assert_eq!(run(&[("DTRACE_OPT_QUIET", "")], &[]), left("256\n", "", 0));
    let both = [("DTRACE_OPT_QUIET", "yes"), ("DTRACE_OPT_STRSIZE", "64")];
    assert_eq!(run(&both, &[]), left("64\n", "", 0));
    // The command line comes after it.
    assert_eq!(run(&both, &["-x", "strsize=16"]), left("16\n", "", 0));
    let why = "dtrace: failed to set option from DTRACE_OPT_NOSUCH: Invalid option name\n";
    assert_eq!(run(&[("DTRACE_OPT_NOSUCH", "1")], &[]), left("", why, 1));
    let why = "dtrace: failed to set option from DTRACE_OPT_STRSIZE: Invalid value for specified option\n";
    assert_eq!(run(&[("DTRACE_OPT_STRSIZE", "k")], &[]), left("", why, 1));
    // What takes no value by -x has one here: all booleans are alike.
    let quiet = ("DTRACE_OPT_QUIET", "1");
    let undefined =
        "dtrace: invalid probe specifier BEGIN { trace($1); exit(0); }: macro argument $1 is not defined\n";
    let argument = |env: &[(&str, &str)]| {
        let mut left = run_in(env, &["-n", "BEGIN { trace($1); exit(0); }"]);
        left.err = left.err.replace("dtrace: warning: no events in /dev/null\n", "");
        left
    };
    for (value, defined) in [("1", true), ("", true), ("yes", true), ("0", false), ("off", false)] {
        let expected = if defined { left("0\n", "", 0) } else { left("", undefined, 1) };
        assert_eq!(argument(&[quiet, ("DTRACE_OPT_DEFAULTARGS", value)]), expected, "{value}");
    }
    let tagged = undefined.replace(": macro", ": [D_MACRO_UNDEF] macro");
    assert_eq!(argument(&[quiet, ("DTRACE_OPT_ERRTAGS", "1")]), left("", &tagged, 1));
    let why = "dtrace: failed to set option from DTRACE_OPT_ERRTAGS: Invalid value for specified option\n";
    assert_eq!(argument(&[quiet, ("DTRACE_OPT_ERRTAGS", "perhaps")]), left("", why, 1));
    for (name, value) in [("LAZYLOAD", "no"), ("KNODEFS", "1"), ("PREALLOCATE", "1m")] {
        let name = format!("DTRACE_OPT_{name}");
        assert_eq!(run(&[quiet, (&name, value)], &[]), left("256\n", "", 0), "{name}");
    }
    // What the compiler made, in numbers; the same as by -x.
    let told = run(&[("DTRACE_DEBUG", "")], &["-q"]);
    assert!(told.err.starts_with("dtrace DEBUG: ") && told.out == "256\n", "{told:?}");
    assert_eq!(told, run(&[], &["-q", "-x", "debug"]));
    // No CPU and no ID for tests.
    let testing = run_in(&[("_DTRACE_TESTING", "1")], &["-n", "BEGIN { exit(0); }"]);
    assert_eq!(testing.out, "                   FUNCTION:NAME\n                          :BEGIN \n\n");
}

/// What the README's table of options and `--help` say is what there is.
#[test]
fn help_the_readme_and_the_parser_have_the_same_options() {
    let help = run_in(&[], &["--help"]).out;
    let readme =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md")).expect("it is there");
    let table = readme.split("## Options").nth(1).and_then(|rest| rest.split("`-x` takes what").next());
    let table = table.expect("a table of options");
    /// Every option in a text: a dash and a letter or digit, or two dashes and a word.
    fn options(text: &str) -> std::collections::BTreeSet<String> {
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
        let long = |word: &str| {
            word.strip_prefix("--").is_some_and(|w| w.len() > 1 && w.chars().all(|c| c.is_ascii_lowercase()))
        };
        let short = |word: &str| word.len() >= 2 && word.starts_with('-') && !word[1..].starts_with('-');
        words
            .filter_map(|word| match word {
                _ if long(word) => Some(word.to_owned()),
                "-64" => Some(word.to_owned()),
                _ if short(word) => Some(word[..2].to_owned()),
                _ => None,
            })
            .collect()
    }
    let (in_help, in_readme) = (options(&help), options(table));
    assert_eq!(in_help, in_readme, "--help and the README");
    // Each of them is taken; those with a value say that they want one.
    for option in &in_help {
        let left = run_in(&[], &[option]);
        assert!(!left.err.contains("illegal option"), "{option}: {}", left.err);
    }
    // And there is no other letter.
    for letter in ('a'..='z').chain('A'..='Z').chain('0'..='9') {
        let left = run_in(&[], &[&format!("-{letter}")]);
        let known = !left.err.contains("illegal option");
        let refused = "aA3".contains(letter);
        let listed =
            in_help.iter().any(|option| option[1..].starts_with(letter) && !option.starts_with("--"));
        assert_eq!(known, listed || refused, "-{letter}: {}", left.err);
    }
}

/// Every name of `-x` is in the README, as there or as not there.
#[test]
fn the_readme_names_every_option_of_x() {
    let readme =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md")).expect("it is there");
    let named = |name: &str| {
        readme
            .match_indices(&format!("`{name}"))
            .any(|(at, found)| readme[at + found.len()..].starts_with(['`', '=']))
    };
    let missing: Vec<&str> = dtrail_lang::options::names().filter(|name| !named(name)).collect();
    assert_eq!(missing, [""; 0]);
}

/// A terminal, a pipe that nobody reads and the like are other tests'; here the process itself has the last word.
#[test]
fn the_process_ends_as_the_library_says() {
    let output = Command::new(env!("CARGO_BIN_EXE_dtrail"))
        .args(["-qn", "BEGIN { exit(9); }"])
        .stdin(Stdio::null())
        .output()
        .expect("it starts");
    assert_eq!(
        (output.stdout.as_slice(), output.stderr.as_slice(), output.status.code()),
        (&b"\n"[..], &b""[..], Some(9))
    );
}
