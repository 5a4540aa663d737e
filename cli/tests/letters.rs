//! Every option of the command line (runtime spec §13) has three runs of its own: the plain one, the edge and the error.
//! Options and files in; standard output, the first line of standard error and the status out. That no option is without
//! them is found out from `--help`. Nothing here needs a privilege.

#![allow(clippy::expect_used, reason = "a test fails by a panic, and its parts are no `#[test]` functions")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const DTRAIL: &str = env!("CARGO_BIN_EXE_dtrail");

/// A clause that prints `x` and ends.
const X: &str = "BEGIN { printf(\"x\"); exit(0); }";
const NO_PREPROCESSOR: &str =
    "dtrail: -D, -U and -I are for the C preprocessor, which runs over scripts of -s with -C";
const OPEN: &str = "syscall::read:entry { printf(\"%d\", arg0); }";
const TARGET: &str = "BEGIN { printf(\"%d\", $target == PID); exit(0); }";
const HEADING: &str = "   ID   PROVIDER            MODULE                          FUNCTION NAME\n";
const LISTED: &str = "   ID   PROVIDER            MODULE                          FUNCTION NAME\n    1     dtrace                                                     BEGIN\n";
const NOTHING: &str = "dtrail: no probes specified";
const REPORT: &str = "\nStability attributes for description BEGIN:\n\n…";

/// The option, what a run of it shows, the arguments, standard output (what ends in `…` is its beginning), the first line of
/// standard error, the status. `PID` is a process that sleeps.
type Row = (&'static str, &'static str, &'static [&'static str], &'static str, &'static str, i32);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    ("-64", "plain", &["-64", "-qn", X], "x\n", "", 0),
    ("-64", "edge", &["-q64", "-n", X], "x\n", "", 0),
    ("-64", "error", &["-63", "-n", X], "", "dtrail: illegal option -- 6", 2),
    ("-b", "plain", &["-b", "64k", "-qn", X], "x\n", "", 0),
    ("-b", "edge", &["-b1", "-qn", X], "x\n", "bufsize increased to 4096", 0),
    ("-b", "error", &["-b", "1x", "-qn", X], "", "dtrail: failed to set -b 1x: Invalid value for specified option", 1),
    ("-B", "plain", &["-B", "-qn", X], "x\n", "", 0),
    ("-B", "edge", &["-BBqn", X], "x\n", "", 0),
    ("-B", "error", &["-Bl"], "", "dtrail: -B not valid in combination with [-Gl] options", 2),
    ("-c", "plain", &["-c", "true", "-qn", "BEGIN { printf(\"%d\", $target > 0); exit(0); }"], "1\n", "", 0),
    ("-c", "edge", &["-c", " sh\t-c exit ", "-qn", "END { printf(\"x\"); }"], "x\n", "", 0),
    ("-c", "error", &["-c", "/nowhere/command", "-qn", X], "", "dtrail: failed to execute /nowhere/command: No such file or directory", 1),
    ("-C", "plain", &["-C", "-qs", "cpp.d"], "3\n", "", 0),
    ("-C", "edge", &["-C", "-D", "A=5", "-qn", "inline int A = 1; BEGIN { trace(A); exit(0); }"], "1\n", NO_PREPROCESSOR, 0),
    ("-C", "error", &["-qs", "cpp.d"], "", "dtrail: failed to compile script cpp.d: line 1: invalid control directive: #ifndef", 1),
    ("-D", "plain", &["-C", "-D", "A=5", "-qs", "cpp.d"], "5\n", "", 0),
    ("-D", "edge", &["-CDA", "-qs", "cpp.d"], "1\n", "", 0),
    ("-D", "error", &["-D"], "", "dtrail: option requires an argument -- D", 2),
    ("-e", "plain", &["-e", "-n", X], "", "", 0),
    ("-e", "edge", &["-ev", "-n", "BEGIN"], REPORT, "", 0),
    ("-e", "error", &["-e", "-n", "BEGIN { trace(); }"], "", "dtrail: invalid probe specifier BEGIN { trace(); }: in action list: trace( ) prototype mismatch: 0 args passed, 1 expected", 1),
    ("-f", "plain", &["-qf", "dtrace:: /probename == \"BEGIN\"/ { printf(\"f\"); exit(0); }"], "f\n", "", 0),
    ("-f", "edge", &["-q", "-fdtrace::", "-n", X], "x\n", "", 0),
    ("-f", "error", &["-f", "a:b:c:d"], "", "dtrail: invalid probe specifier a:b:c:d: invalid probe description \"a:b:c:d\": Overspecified probe description", 1),
    ("-F", "plain", &["-Fn", X], "CPU FUNCTION                                 \n  0 | :BEGIN                                  x\n\n", "dtrail: description 'BEGIN ' matched 1 probe", 0),
    ("-F", "edge", &["-Fqn", X], "CPU FUNCTION                                 \n  0 | :BEGIN                                  x\n", "", 0),
    ("-F", "error", &["-F"], "", NOTHING, 1),
    ("-G", "plain", &["-G", "-s", "provider.d"], "", "", 0),
    ("-G", "edge", &["-Gs", "plain.d"], "", "dtrail: failed to link script plain.d: an object that enables probes when it is run has no counterpart on Linux", 1),
    ("-G", "error", &["-G"], "", "dtrail: -G requires one or more scripts or enabling options", 2),
    ("-h", "plain", &["-h", "-o", "plain.h", "-s", "provider.d"], "", "", 0),
    ("-h", "edge", &["-hs", "plain.d", "-o", "edge.h"], "", "", 0),
    ("-h", "error", &["-h"], "", "dtrail: -h requires one or more scripts or enabling options", 2),
    ("-H", "plain", &["-CHqs", "inc.d", "-I", "include"], "4\n", ". include/n.h", 0),
    ("-H", "edge", &["-Hqn", X], "x\n", "", 0),
    ("-H", "error", &["-H"], "", NOTHING, 1),
    ("-i", "plain", &["-qi", "1 { printf(\"i\"); exit(0); }"], "i\n", "", 0),
    ("-i", "edge", &["-qi1", "-n", X], "x\n", "", 0),
    ("-i", "error", &["-i", "0"], "", "dtrail: invalid probe specifier 0: invalid probe identifier 0: Unknown probe identifier", 1),
    ("-I", "plain", &["-CqIinclude", "-s", "inc.d"], "4\n", "", 0),
    ("-I", "edge", &["-I", "/nowhere", "-qn", X], "x\n", NO_PREPROCESSOR, 0),
    ("-I", "error", &["-I"], "", "dtrail: option requires an argument -- I", 2),
    ("-l", "plain", &["-ln", "BEGIN"], LISTED, "", 0),
    ("-l", "edge", &["-ln", "nosuch"], HEADING, "dtrail: failed to match :::nosuch: No probe matches description", 0),
    ("-l", "error", &["-l", "word"], "", "dtrail: extraneous argument 'word' ($1 is not referenced)", 1),
    ("-L", "plain", &["-L", "library", "-qn", "BEGIN { trace(mine); exit(0); }"], "7\n", "", 0),
    ("-L", "edge", &["-Linclude", "-qn", X], "x\n", "", 0),
    ("-L", "error", &["-L", "none", "-qn", X], "", "dtrail: failed to open none: No such file or directory", 1),
    ("-m", "plain", &["-qm", "dtrace: /probename == \"BEGIN\"/ { printf(\"m\"); exit(0); }"], "m\n", "", 0),
    ("-m", "edge", &["-q", "-mdtrace:", "-n", X], "x\n", "", 0),
    ("-m", "error", &["-m", "a:b:c"], "", "dtrail: invalid probe specifier a:b:c: invalid probe description \"a:b:c\": Overspecified probe description", 1),
    ("-n", "plain", &["-n", X, "-q"], "x\n", "", 0),
    ("-n", "edge", &["-qndtrace:::BEGIN { exit(0); }"], "\n", "", 0),
    ("-n", "error", &["-n", "a:b:c:d:e"], "", "dtrail: invalid probe specifier a:b:c:d:e: invalid probe description \"a:b:c:d:e\": Overspecified probe description", 1),
    ("-o", "plain", &["-o", "plain.out", "-qn", X], "", "", 0),
    ("-o", "edge", &["-oplain.out", "-ln", "BEGIN"], "", "", 0),
    ("-o", "error", &["-o", "/nowhere/out", "-qn", X], "", "dtrail: failed to open output file '/nowhere/out': No such file or directory", 1),
    ("-p", "plain", &["-ep", "PID", "-n", TARGET], "", "", 0),
    ("-p", "edge", &["--source=synthetic=one.ev", "-ep", "PID", "-n", TARGET], "", "dtrail: made-up events have no processes: leave -c and -p out", 2),
    ("-p", "error", &["-p", "x", "-qn", X], "", "dtrail: invalid pid: x", 1),
    ("-P", "plain", &["-qP", "dtrace /probename == \"BEGIN\"/ { printf(\"p\"); exit(0); }"], "p\n", "", 0),
    ("-P", "edge", &["-q", "-Pdtrace", "-n", X], "x\n", "", 0),
    ("-P", "error", &["-P", "dtrace:x"], "", "dtrail: invalid probe specifier dtrace:x: invalid probe description \"dtrace:x\": Overspecified probe description", 1),
    ("-q", "plain", &["-q", "-n", "BEGIN { trace(1); exit(0); }"], "1\n", "", 0),
    ("-q", "edge", &["-qqn", X], "x\n", "", 0),
    ("-q", "error", &["-q=1", "-n", X], "", "dtrail: illegal option -- =", 2),
    ("-s", "plain", &["-qs", "plain.d"], "p\n", "", 3),
    ("-s", "edge", &["-n", "END { printf(\"e\"); }", "-qs", "plain.d"], "pe\n", "", 3),
    ("-s", "error", &["-s", "none.d"], "", "dtrail: failed to open none.d: No such file or directory", 1),
    ("-S", "plain", &["-Sqn", X], "x\n", "", 0),
    ("-S", "edge", &["-Seqn", X], "", "", 0),
    ("-S", "error", &["-Sn", "BEGIN { trace(); }"], "", "dtrail: invalid probe specifier BEGIN { trace(); }: in action list: trace( ) prototype mismatch: 0 args passed, 1 expected", 1),
    ("-U", "plain", &["-CqU", "__linux", "-s", "linux.d"], "\n", "", 2),
    ("-U", "edge", &["-U", "A", "-qn", X], "x\n", NO_PREPROCESSOR, 0),
    ("-U", "error", &["-U"], "", "dtrail: option requires an argument -- U", 2),
    ("-v", "plain", &["-ven", "BEGIN"], REPORT, "", 0),
    ("-v", "edge", &["-vln", "BEGIN"], "   ID   PROVIDER            MODULE                          FUNCTION NAME\n    1     dtrace                                                     BEGIN\n\n\tProbe Description Attributes\n…", "", 0),
    ("-v", "error", &["-v"], "", NOTHING, 1),
    ("-V", "plain", &["-V"], "dtrail: dtrail D 2.0\n", "", 0),
    ("-V", "edge", &["-VV", "-n", "no program"], "dtrail: dtrail D 2.0\n", "", 0),
    ("-V", "error", &["-Vl"], "", "dtrail: only one of the [-GhlV] options can be specified at a time", 2),
    ("-w", "plain", &["-wqn", "BEGIN { system(\"echo hi\"); exit(0); }"], "hi\n\n", "", 0),
    ("-w", "edge", &["-wwqn", X], "x\n", "", 0),
    ("-w", "error", &["-qn", "BEGIN { system(\"echo hi\"); exit(0); }"], "", "dtrail: could not enable tracing: Destructive actions not allowed", 1),
    ("-x", "plain", &["-x", "quiet", "-n", X], "x\n", "", 0),
    ("-x", "edge", &["-xquiet=0", "-xquiet=1", "-n", X], "x\n", "", 0),
    ("-x", "error", &["-x", "nosuch", "-n", X], "", "dtrail: failed to set -x nosuch: Invalid option name", 1),
    ("-X", "plain", &["-CXs", "-qs", "cpp.d"], "3\n", "", 0),
    ("-X", "edge", &["-Xt", "-Xa", "-qn", X], "x\n", "", 0),
    ("-X", "error", &["-X", "z", "-qn", X], "", "dtrail: failed to set -X z: Invalid value for specified option", 1),
    ("-Z", "plain", &["-Zqn", "nosuch", "-n", X], "x\n", "", 0),
    ("-Z", "edge", &["-Zln", "nosuch"], HEADING, "dtrail: failed to match :::nosuch: No probe matches description", 0),
    ("-Z", "error", &["-qn", "nosuch"], "", "dtrail: invalid probe specifier nosuch: probe description :::nosuch does not match any probes", 1),
    ("--source", "plain", &["--source=synthetic=one.ev", "-qn", OPEN], "5\n", "", 0),
    ("--source", "edge", &["--source", "ptrace", "-qn", X], "x\n", "", 0),
    ("--source", "error", &["--source=none", "-qn", X], "", "dtrail: invalid source 'none' for --source: use auto, bpf, ptrace or synthetic=FILE", 2),
    ("--engine", "plain", &["--engine=jit", "-qn", X], "x\n", "", 0),
    ("--engine", "edge", &["--engine", "rbpf", "--source=synthetic=one.ev", "-qn", OPEN], "5\n", "", 0),
    ("--engine", "error", &["--engine=rbpf", "-qn", X], "", "dtrail: engine 'rbpf' runs made-up events only: give --source=synthetic=FILE", 2),
    ("--explain", "plain", &["--explain", "--source=synthetic=one.ev", "--engine=interp", "-n", OPEN], "source synthetic\n…", "", 0),
    ("--explain", "edge", &["--explain", "--source=synthetic=one.ev", "--engine=rbpf", "-n", "syscall::read:entry { }"], "source synthetic\nclause 0 (line 1): syscall:vmlinux:read:entry\n  kernel: tells that it fired\n  user:   default\n…", "", 0),
    ("--explain", "error", &["--explain"], "", NOTHING, 1),
    ("--dump", "plain", &["--dump=ast", "-n", "BEGIN{exit(0);}"], "BEGIN\n{\n\texit(0);\n}\n", "", 0),
    ("--dump", "edge", &["--dump", "clif", "-n", "BEGIN{exit(0);}"], "# clause c0\n…", "", 0),
    ("--dump", "error", &["--dump=asm", "-n", X], "", "dtrail: invalid form 'asm' for --dump: use ast, ir, ebpf or clif", 2),
    ("--format", "plain", &["--format=json", "--source=synthetic=one.ev", "-qn", "syscall::read:entry { @ = count(); }"], "{\"type\":\"aggregation\",\"name\":\"_\",\"function\":\"count\",\"key\":[],\"value\":1}\n", "", 0),
    ("--format", "edge", &["--format", "text", "-qn", X], "x\n", "", 0),
    ("--format", "error", &["--format=xml", "-qn", X], "", "dtrail: invalid format 'xml' for --format: use text, json or folded", 2),
    ("--help", "plain", &["--help"], "Usage: dtrail [OPTIONS] [ARGS]\n\n…", "", 0),
    ("--help", "edge", &["-n", "no program", "--help"], "Usage: dtrail [OPTIONS] [ARGS]\n\n…", "", 0),
    ("--help", "error", &["--help=x"], "", "dtrail: option takes no argument -- help", 2),
    ("--version", "plain", &["--version"], concat!("dtrail ", env!("CARGO_PKG_VERSION"), "\n"), "", 0),
    ("--version", "edge", &["--version", "-q"], concat!("dtrail ", env!("CARGO_PKG_VERSION"), "\n"), "", 0),
    ("--version", "error", &["--version=1"], "", "dtrail: option takes no argument -- version", 2),
];

const FILES: &[(&str, &str)] = &[
    ("cpp.d", "#ifndef A\n#define A 3\n#endif\nBEGIN { trace(A); exit(0); }\n"),
    ("inc.d", "#include <n.h>\nBEGIN { trace(N); exit(0); }\n"),
    ("include/n.h", "#define N 4\n"),
    ("library/mine.d", "inline int mine = 7;\n"),
    ("linux.d", "#ifdef __linux\nBEGIN { exit(1); }\n#else\nBEGIN { exit(2); }\n#endif\n"),
    ("one.ev", "thread 7 execname=x\nat 1ms syscall::read:entry args=5\n"),
    ("plain.d", "BEGIN { printf(\"p\"); exit(3); }\n"),
    ("provider.d", "provider p { probe a(int); };\n"),
];

/// The files and a process that sleeps, both gone with the value.
struct Place {
    folder: PathBuf,
    sleeps: Child,
}

impl Place {
    fn new() -> Place {
        let folder = std::env::temp_dir().join(format!("dtrail-letters-{}", std::process::id()));
        for (name, text) in FILES {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a temporary folder");
            std::fs::write(path, text).expect("a temporary file");
        }
        let sleeps = Command::new("sleep").arg("100").spawn().expect("it starts");
        Place { folder, sleeps }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = self.sleeps.kill();
        let _ = self.sleeps.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Rows show the CPU that they were made on.
fn on_cpu_0(text: &str) -> String {
    let line = |line: &str| match line.get(..3).and_then(|cpu| cpu.trim().parse::<u32>().ok()) {
        Some(_) => format!("  0{}", &line[3..]),
        None => line.to_owned(),
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Runs a row; what it left, if that is not what it should.
fn wrong(folder: &Path, pid: u32, row: &Row) -> Option<String> {
    let (option, kind, args, out, err, status) = *row;
    let args: Vec<String> = args.iter().map(|arg| arg.replace("PID", &pid.to_string())).collect();
    let output = Command::new(DTRAIL).args(&args).current_dir(folder).stdin(Stdio::null()).output();
    let output = output.expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said.lines().next().unwrap_or_default();
    let printed = on_cpu_0(&String::from_utf8_lossy(&output.stdout));
    let fits = match out.strip_suffix('…') {
        Some(beginning) => printed.starts_with(beginning),
        None => printed == out,
    };
    (!fits || first != err || output.status.code() != Some(status))
        .then(|| format!("{option} {kind}: {args:?}: {:?} {printed:?} {said:?}", output.status.code()))
}

#[test]
fn every_option_has_its_three_runs() {
    let place = Place::new();
    // Rows that need a C preprocessor have a `C` among their first letters.
    let has_cpp = Command::new("cpp").arg("--version").output().is_ok_and(|output| output.status.success());
    if !has_cpp {
        println!("skipped: rows with -C, as there is no cpp");
    }
    let runs = |row: &&Row| has_cpp || !row.2.first().is_some_and(|arg| arg.starts_with("-C"));
    let wrong: Vec<String> =
        ROWS.iter().filter(runs).filter_map(|row| wrong(&place.folder, place.sleeps.id(), row)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let written = std::fs::read_to_string(place.folder.join("plain.out")).expect("-o makes it");
    assert_eq!(written, format!("x\n{LISTED}"), "the second run appends");
    let header = std::fs::read_to_string(place.folder.join("plain.h")).expect("-h makes it");
    assert!(header.contains("P_A_ENABLED"), "{header}");
    assert!(place.folder.join("provider.o").exists(), "-G makes it");
}

#[test]
fn no_option_is_without_its_three_runs() {
    let output = Command::new(DTRAIL).arg("--help").output().expect("it starts");
    let help = String::from_utf8_lossy(&output.stdout).into_owned();
    let words = help.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    let is_option = |word: &&str| {
        let letters = word.trim_start_matches('-');
        match word.len() - letters.len() {
            1 => letters.len() == 1 || letters == "64",
            2 => letters.len() > 1,
            _ => false,
        }
    };
    let mut kinds: BTreeMap<&str, Vec<&str>> =
        words.filter(is_option).map(|word| (word, Vec::new())).collect();
    assert!(kinds.len() > 30, "{kinds:?}");
    for (option, kind, args, ..) in ROWS {
        kinds.entry(option).or_default().push(kind);
        let letter = option.trim_start_matches('-');
        assert!(
            *kind == "error" || args.iter().any(|arg| arg.contains(letter)),
            "{option} {kind} has no {letter}"
        );
    }
    for (option, kinds) in kinds {
        assert_eq!(kinds, ["plain", "edge", "error"], "{option}");
    }
}
