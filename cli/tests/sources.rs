//! Where programs come from: scripts, their arguments, standard input, the preprocessor, libraries, and what of them is refused.
//! Needs no privilege.

#![allow(clippy::expect_used, reason = "a test fails by a panic, and its parts are no `#[test]` functions")]

mod running;

use std::io::Write;
use std::process::{Command, Stdio};

use running::{DTRAIL, Scratch, check, run};

#[test]
fn strict_d_has_no_extensions_and_says_so() {
    check(
        &["-x", "strict", "-n", "BEGIN { trace(strerror(1)); }"],
        "",
        "dtrail: invalid probe specifier BEGIN { trace(strerror(1)); }: undefined function name: strerror\n  --> -n:1:15\n  1 | BEGIN { trace(strerror(1)); }\n    |               ^^^^^^^^\n  help: strerror() is no part of D, and `-x strict` leaves it out\n",
        1,
    );
}

#[test]
fn scripts_and_their_arguments() {
    let script = Scratch::new(
        "args.d",
        "#!/usr/bin/env -S dtrail -qs\nBEGIN { printf(\"%d %s %s\\n\", $1, $$2, $0); exit(0); }\n",
    );
    check(
        &["-q", "-s", script.path(), "7", "two words"],
        &format!("7 two words {}\n\n", script.path()),
        "",
        0,
    );
    check(&["-s", script.path(), "7", "-q", "x"], &format!("7 x {}\n\n", script.path()), "", 0);
    check(
        &["-qs", script.path(), "7"],
        "",
        &format!(
            "dtrail: failed to compile script {p}: line 2: macro argument $$2 is not defined\n  --> {p}:2:34\n  2 | BEGIN {{ printf(\"%d %s %s\\n\", $1, $$2, $0); exit(0); }}\n    |                                  ^^^\n  help: give another operand, or set `-x defaultargs`\n",
            p = script.path()
        ),
        1,
    );
}

#[test]
fn programs_share_their_variables_in_order() {
    check(
        &["-qn", "BEGIN { g = 1; }", "-n", "END { printf(\"%d\\n\", g); }", "-n", "BEGIN { exit(0); }"],
        "1\n\n",
        "",
        0,
    );
}

#[test]
fn a_script_may_come_from_standard_input() {
    let mut child = Command::new(DTRAIL)
        .args(["-qs", "-", "5"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("piped");
    input.write_all(b"BEGIN { printf(\"%d %s\\n\", $1, $0); exit(0); }\n").expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(
        (String::from_utf8_lossy(&output.stdout).as_ref(), output.status.code()),
        ("5 -\n\n", Some(0))
    );
}

#[test]
fn a_text_without_end_is_refused() {
    check(
        &["-qs", "/dev/zero"],
        "",
        "dtrail: failed to open /dev/zero: it has more than 64 MiB, which is no D program\n",
        1,
    );
}

/// Every file that is read whole: what has no end, or no beginning, is refused by name.
#[test]
fn files_without_end_are_refused() {
    let folder = std::env::temp_dir().join(format!("dtrail-{}-endless", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let at = |name: &str| folder.join(name).to_str().expect("a plain path").to_owned();
    for name in ["zero", "fifo", "folder/x.d"] {
        std::fs::create_dir_all(folder.join(name)).expect("a temporary folder");
    }
    std::os::unix::fs::symlink("/dev/zero", at("zero/x.d")).expect("a link");
    assert!(Command::new("mkfifo").arg(at("fifo/x.d")).status().expect("it starts").success());
    let script = Scratch::new("endless.d", "BEGIN { exit(0); }");
    let probes = Scratch::new("endless-provider.d", "provider p { probe a(); };");
    let cpp = at("cpp");
    // Written by a process of its own: a file that a child of another test has open for writing cannot be run.
    let write = "printf '#!/bin/sh\\nexec cat /dev/zero\\n' > \"$1\" && chmod 755 \"$1\"";
    assert!(Command::new("sh").args(["-c", write, "sh", &cpp]).status().expect("it starts").success());

    let program = "BEGIN { exit(0); }";
    let plain = |name: &str, what: &str| {
        format!("dtrail: failed to open {name}: it is no plain file, as {what} has to be\n")
    };
    let events = "dtrail: failed to open /dev/zero: it has more than 256 MiB, which is no event file\n";
    check(&["--source=synthetic=/dev/zero", "-qn", program], "", events, 1);
    for name in ["zero", "fifo"] {
        let said = plain(&at(&format!("{name}/x.d")), "a D library");
        check(&["-L", &at(name), "-qn", program], "", &said, 1);
    }
    let said = format!("dtrail: failed to open {}: Is a directory\n", at("folder/x.d"));
    check(&["-L", &at("folder"), "-qn", program], "", &said, 1);
    let said = format!(
        "dtrail: failed to link script {}: failed to open /dev/zero: it is no plain file, as an object has to be\n",
        probes.path()
    );
    check(&["-G", "-s", probes.path(), "/dev/zero"], "", &said, 1);
    let said = format!(
        "dtrail: failed to compile script {}: cannot take the text of the C preprocessor {cpp}: it has more than 64 MiB, \
         which is no D program\n",
        script.path()
    );
    check(&["-C", "-x", &format!("cpppath={cpp}"), "-qs", script.path()], "", &said, 1);
    for name in ["/dev/zero".to_owned(), at("fifo/x.d")] {
        let output =
            run(&["-x", &format!("ctfpath={name}"), "-n", "BEGIN { trace(sizeof (struct ghost)); }"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let why = format!("cannot be read from {name} (ctfpath): it is no plain file, as BTF has to be\n");
        assert!(said.ends_with(&why), "{said}");
        assert_eq!(output.status.code(), Some(1));
    }

    // A script may come from a FIFO.
    let fifo = at("fifo/x.d");
    let writer = std::thread::spawn({
        let fifo = fifo.clone();
        move || std::fs::write(fifo, "BEGIN { trace(7); exit(0); }")
    });
    check(&["-qs", &fifo], "7\n", "", 0);
    writer.join().expect("it writes").expect("to a reader");
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn sizes_that_cannot_be_had_are_told() {
    let program = "BEGIN { @[1] = count(); x[1] = 1; printf(\"%d\", x[1]); exit(0); }";
    check(
        &["-xbufsize=1000", "-xbufsize=5000", "-qn", program],
        "1\n        1                1\n",
        "bufsize increased to 8192\n",
        0,
    );
    check(
        &["-xaggsize=1", "-xdynvarsize=3", "-qn", "BEGIN { exit(0); }"],
        "\n",
        "dtrail: aggregation size lowered to 1 \ndtrail: dynamic variable size lowered to 3 \n",
        0,
    );
    let pragma = "#pragma D option aggsize=1\n#pragma D option quietresize\nBEGIN { exit(0); }";
    let script = Scratch::new("quietresize.d", pragma);
    check(&["-qs", script.path()], "\n", "", 0);
}

#[test]
fn a_small_stack_is_enough() {
    let deep =
        format!("BEGIN {{ x = {}1{}; printf(\"%d\", x); exit(0); }}", "(".repeat(190), ")".repeat(190));
    let chain = format!("BEGIN {{ x = {}1; printf(\"%d\", x); exit(0); }}", "1 + ".repeat(490));
    for (program, out) in [(deep, "1\n"), (chain, "491\n")] {
        let output = Command::new("sh")
            .args(["-c", "ulimit -s 64 && exec \"$0\" \"$@\"", DTRAIL, "-qn", &program])
            .stdin(Stdio::null())
            .output()
            .expect("a shell");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!((&*err, String::from_utf8_lossy(&output.stdout)), ("", out.into()));
    }
}

#[test]
fn scripts_are_preprocessed() {
    if Command::new("cpp").arg("--version").output().is_err() {
        println!("skipped: there is no cpp");
        return;
    }
    let script = Scratch::new(
        "cpp.d",
        "#!/usr/sbin/dtrace -Cs\n// gone\n#include \"dtrail-cpp.h\"\n#define CLAUSE(p, n) p { printf(\"%d %d\\n\", n, N); }\n\
         #if defined(__linux) && __SUNW_D == 1 && !defined(__GNUC__)\nCLAUSE(BEGIN, ONE)\n#endif\nBEGIN { exit(0); }\n",
    );
    let header = std::env::temp_dir().join("dtrail-cpp.h");
    std::fs::write(&header, "#define ONE 1\n").expect("a temporary file");
    check(&["-q", "-C", "-D", "N=7", "-s", script.path()], "1 7\n\n", "", 0);
    check(&["-q", "-x", "cpp", "-x", "define=N=8", "-s", script.path()], "1 8\n\n", "", 0);
    // The name is the script's on its own lines, and the header's on the header's; numbers are those that were written.
    let path = script.path();
    let wrong =
        format!("failed to compile script {path}: line 6: failed to resolve N: Unknown variable name");
    let output = run(&["-C", "-s", path]);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.starts_with(&format!("dtrail: {wrong}\n")), "{err}");
    std::fs::write(&header, "#define ONE 1\n\nint int;\n").expect("a temporary file");
    let output = run(&["-C", "-DN=1", "-s", path]);
    let err = String::from_utf8_lossy(&output.stderr);
    let place = format!("failed to compile script {path}: \"{}\", line 3: ", header.display());
    assert!(err.starts_with(&format!("dtrail: {place}")), "{err}");
    let _ = std::fs::remove_file(&header);
    // What cpp refuses, and no cpp at all.
    let wrong = Scratch::new("cpp-error.d", "#error no luck\n");
    let output = run(&["-C", "-s", wrong.path()]);
    let err = String::from_utf8_lossy(&output.stderr);
    let last = format!(
        "dtrail: failed to compile script {}: Preprocessor failed to process input program\n",
        wrong.path()
    );
    assert!(err.contains("#error no luck") && err.ends_with(&last), "{err}");
    check(
        &["-C", "-x", "cpppath=/nonexistent/cpp", "-s", wrong.path()],
        "",
        &format!(
            "dtrail: failed to compile script {}: cannot run the C preprocessor /nonexistent/cpp: No such file or \
             directory\n  help: install a C preprocessor, or name one with -x cpppath=PATH\n",
            wrong.path()
        ),
        1,
    );
    // Strings are not preprocessed.
    check(
        &["-qC", "-DN=7", "-n", "inline int N = 2; BEGIN { trace(N); exit(0); }"],
        "2\n",
        "dtrail: -D, -U and -I are for the C preprocessor, which runs over scripts of -s with -C\n",
        0,
    );
}

#[test]
fn libraries_are_compiled_first() {
    let dir = std::env::temp_dir().join(format!("dtrail-{}-lib", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a temporary folder");
    let write = |name: &str, text: &str| std::fs::write(dir.join(name), text).expect("a temporary file");
    write("a.d", "#pragma D depends_on library b.d\ninline int two = one + one;\n");
    write("b.d", "inline int one = 1;\n");
    write("c.d", "#pragma D depends_on provider nosuch\ninline int three = 3;\n");
    let lib = dir.to_str().expect("a plain path");
    check(&["-q", "-L", lib, "-n", "BEGIN { trace(two); exit(0); }"], "2\n", "", 0);
    let unknown = |name: &str| {
        format!(
            "dtrail: invalid probe specifier BEGIN {{ trace({name}); }}: in action list: failed to resolve {name}: "
        )
    };
    for (args, name) in [(&["-L", lib][..], "three"), (&["-L", lib, "-x", "nolibs"], "two"), (&[], "two")] {
        let program = format!("BEGIN {{ trace({name}); }}");
        let output = run(&[args, &["-n", &program]].concat());
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(err.starts_with(&unknown(name)), "{err}");
    }
    write("d.d", "inline int four = x;\n");
    let output = run(&["-L", lib, "-n", "BEGIN"]);
    let err = String::from_utf8_lossy(&output.stderr);
    let expected =
        format!("dtrail: invalid probe specifier BEGIN: \"{lib}/d.d\", line 1: failed to resolve x: ");
    assert!(err.starts_with(&expected), "{err}");
    // What a library holds is there to be used: its clauses would be enabled by nobody.
    write("d.d", "inline int four = 4;\nBEGIN { trace(four); }\n");
    let no_clauses = format!(
        "dtrail: invalid probe specifier BEGIN: \"{lib}/d.d\", line 2: a library file holds definitions, no clauses\n"
    );
    let output = run(&["-L", lib, "-n", "BEGIN"]);
    assert!(String::from_utf8_lossy(&output.stderr).starts_with(&no_clauses), "{output:?}");
    assert_eq!((output.stdout.len(), output.status.code()), (0, Some(1)));
    let _ = std::fs::remove_dir_all(&dir);
    let missing = format!("dtrail: failed to open {lib}: No such file or directory\n");
    check(&["-L", lib, "-n", "BEGIN"], "", &missing, 1);
}

/// The library is compiled for who names what it defines; who misspells that is told.
#[test]
fn what_the_library_defines_is_suggested() {
    for (program, help) in [
        ("BEGIN { trace(curpsinf->pr_pid); }", "did you mean curpsinfo?"),
        ("BEGIN { trace(sizeof (psinf_t)); }", "did you mean psinfo_t?"),
        ("BEGIN { x = (psinf_t *)0; }", "did you mean psinfo_t?"),
        ("BEGIN { trace(xlate<psinf_t>(curthread).pr_pid); }", "did you mean psinfo_t?"),
        ("psinf_t *x; BEGIN { }", "did you mean psinfo_t?"),
    ] {
        let output = run(&["-en", program]);
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(err.lines().last(), Some(format!("  help: {help}").as_str()), "{program}");
    }
}

/// What only the libraries define is told with the reason.
#[test]
fn what_is_known_without_libraries() {
    let empty = std::env::temp_dir().join(format!("dtrail-{}-nothing", std::process::id()));
    std::fs::create_dir_all(&empty).expect("a temporary folder");
    let syslibdir = format!("syslibdir={}", empty.to_str().expect("a plain path"));
    let of_libraries = |name: &str, kind: &str| {
        format!("  help: {name} is a {kind} of the libraries, which `nolibs` and `syslibdir` leave out")
    };
    for (program, name, kind) in [
        ("BEGIN { trace(curpsinfo->pr_pid); }", "curpsinfo", "variable"),
        ("BEGIN { trace(fds[0].fi_name); }", "fds", "variable"),
        ("BEGIN { trace(cwd); }", "cwd", "variable"),
        ("BEGIN { x = (psinfo_t *)0; }", "psinfo_t", "type"),
        ("BEGIN { trace(xlate<psinfo_t>(curthread).pr_pid); }", "psinfo_t", "type"),
        ("BEGIN { trace(sizeof (psinfo_t)); }", "psinfo_t", "type"),
        ("psinfo_t *x; BEGIN { }", "psinfo_t", "type"),
        ("proc:::create { trace(args[0]->pr_pid); }", "psinfo_t", "type"),
        ("BEGIN { x = NULL; }", "NULL", "constant"),
    ] {
        for option in ["nolibs", &syslibdir] {
            let output = run(&["-x", option, "-en", program]);
            let err = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(err.lines().last(), Some(of_libraries(name, kind).as_str()), "{option}: {program}");
            assert_eq!(output.status.code(), Some(1));
        }
    }
    let _ = std::fs::remove_dir_all(&empty);
    // Members are no names by themselves.
    let output = run(&["-x", "nolibs", "-en", "BEGIN { trace(pr_pid); }"]);
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(err.lines().last(), Some("  help: did you mean ppid?"), "{err}");
    // What a program defines itself is known.
    check(&["-x", "nolibs", "-qn", "inline int cwd = 3; BEGIN { trace(cwd); exit(0); }"], "3\n", "", 0);
}

/// Editors put a mark before a script that says it is UTF-8.
#[test]
fn a_script_with_a_byte_order_mark() {
    let script = Scratch::new("mark.d", "\u{feff}#pragma D option quiet\nBEGIN { trace(1); exit(0); }\n");
    check(&["-s", script.path()], "1\n", "", 0);
    check(&["-C", "-s", script.path()], "1\n", "", 0);
    let wrong = Scratch::new("marked.d", "\u{feff}BEGIN { trace(ghost); }\n");
    let output = run(&["-es", wrong.path()]);
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    let place = format!("  --> {}:1:15", wrong.path());
    assert_eq!(err.lines().nth(1), Some(place.as_str()), "{err}");
}

/// The header is all that a C program needs to have probes; an object of `-G` may be linked beside it.
#[test]
fn headers_and_objects_for_probes() {
    let dir = std::env::temp_dir().join(format!("dtrail-{}-probes", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a temporary folder");
    let write = |name: &str, text: &str| std::fs::write(dir.join(name), text).expect("a temporary file");
    let tool = |name: &str, args: &[&str]| {
        let output = Command::new(name).args(args).current_dir(&dir).stdin(Stdio::null()).output();
        let output = output.expect("it starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr), output.status.code())
    };
    let said = |err: &str, status: i32| (String::new(), err.to_owned(), Some(status));
    write("p.d", "provider my_prov { probe go__here(int, char *, uint64_t); probe stop(); };\n");
    assert_eq!(tool(DTRAIL, &["-h", "-s", "p.d"]), said("", 0));
    let header = std::fs::read_to_string(dir.join("p.h")).expect("a header");
    for line in [
        "#ifndef\t_P_H",
        "#define\tMY_PROV_GO_HERE(arg0, arg1, arg2) \\",
        "#define\tMY_PROV_GO_HERE_ENABLED() \\",
        "#define\tMY_PROV_STOP()",
        "#define\tMY_PROV_STOP_ENABLED()\t(0)",
    ] {
        assert!(header.lines().any(|l| l == line), "{line}\n{header}");
    }
    assert_eq!(tool(DTRAIL, &["-h", "-s", "p.d", "-o", "other-name.h"]), said("", 0));
    assert!(std::fs::read_to_string(dir.join("other-name.h")).expect("a header").contains("_OTHER_NAME_H\n"));
    assert_eq!(tool(DTRAIL, &["-G", "-s", "p.d", "nosuch.o"]).1, {
        "dtrail: failed to link script p.d: failed to open nosuch.o: No such file or directory\n"
    });
    let clauses = "dtrail: failed to link description BEGIN: an object that enables probes when it is run has no \
                   counterpart on Linux\n  help: trace the program with the script, as -s SCRIPT -c COMMAND\n";
    assert_eq!(tool(DTRAIL, &["-G", "-n", "BEGIN"]), said(clauses, 1));
    if Command::new("gcc").arg("--version").output().is_err() {
        println!("skipped: there is no gcc");
        let _ = std::fs::remove_dir_all(&dir);
        return;
    }
    write(
        "m.c",
        "#include \"p.h\"\nint main(int argc, char **argv)\n{\n\tMY_PROV_GO_HERE(argc, argv[0], 7);\n\t\
         MY_PROV_STOP();\n\treturn MY_PROV_GO_HERE_ENABLED() ? 1 : 0;\n}\n",
    );
    for level in ["-O0", "-O2"] {
        assert_eq!(tool("gcc", &["-Wall", "-Wextra", "-Werror", level, "-c", "m.c"]), said("", 0));
        assert_eq!(tool(DTRAIL, &["-G", "-s", "p.d", "m.o"]), said("", 0));
        for objects in [&["m.o"][..], &["m.o", "p.o"]] {
            assert_eq!(tool("gcc", &[&["-o", "m"], objects].concat()), said("", 0));
            assert_eq!(tool(dir.join("m").to_str().expect("a plain path"), &[]), said("", 0));
        }
        let (notes, ..) = tool("readelf", &["-n", "m"]);
        let told: Vec<&str> = notes.lines().map(str::trim).filter(|l| !l.starts_with("Location")).collect();
        let at =
            |line: &str| told.iter().position(|l| *l == line).unwrap_or_else(|| panic!("{line}\n{notes}"));
        assert_eq!(told[at("Name: go__here") - 1], "Provider: my_prov");
        assert!(told[at("Name: go__here") + 1].starts_with("Arguments: -4@"), "{notes}");
        assert!(told[at("Name: go__here") + 1].contains(" 8@"), "{notes}");
        assert_eq!(told[at("Name: stop") + 1], "Arguments:");
    }
    // Parameters may have names, and must where their order is another for who traces.
    write(
        "named.d",
        "provider named {\n\tprobe a(int x, unsigned long conn_id, char *user);\n\tprobe b(string s);\n\t\
         probe c(int x, char *y) : (char *y, int x);\n\tprobe d(int (*f)(int), char a[4]);\n};\n",
    );
    assert_eq!(tool(DTRAIL, &["-h", "-s", "named.d"]), said("", 0));
    write(
        "n.c",
        "#include \"named.h\"\nstatic int f(int x) { return x; }\nint main(int argc, char **argv)\n{\n\t\
         NAMED_A(argc, 5, argv[0]);\n\tNAMED_B(argv[0]);\n\tNAMED_C(argc, argv[0]);\n\tNAMED_D(f, argv[0]);\n\t\
         return 0;\n}\n",
    );
    for level in ["-O0", "-O2"] {
        assert_eq!(tool("gcc", &["-Wall", "-Wextra", "-Werror", level, "-o", "n", "n.c"]), said("", 0));
        assert_eq!(tool(dir.join("n").to_str().expect("a plain path"), &[]), said("", 0));
        let (notes, ..) = tool("readelf", &["-n", "n"]);
        let sizes: Vec<Vec<&str>> = notes
            .lines()
            .filter_map(|line| line.trim().strip_prefix("Arguments: "))
            .map(|places| {
                places.split(' ').filter_map(|place| place.split_once('@')).map(|at| at.0).collect()
            })
            .collect();
        assert_eq!(sizes, [vec!["-4", "8", "8"], vec!["8"], vec!["-4", "8"], vec!["8", "8"]], "{notes}");
    }
    write(
        "old.c",
        "void __dtrace_my_prov___stop(void);\nint main(void) { __dtrace_my_prov___stop(); return 0; }\n",
    );
    assert_eq!(tool("gcc", &["-c", "old.c"]), said("", 0));
    let old = "dtrail: failed to link script p.d: old.o calls __dtrace_my_prov___stop, a probe of another system's \
               header\n  help: compile it with the header that `-h` makes here, whose probes need no -G\n";
    assert_eq!(tool(DTRAIL, &["-G", "-s", "p.d", "old.o"]), said(old, 1));
    let _ = std::fs::remove_dir_all(&dir);
}

/// What can be assigned needs no translator; what lies above the bits of an argument is none of it.
#[test]
fn a_library_says_what_arguments_are() {
    let dir = std::env::temp_dir().join(format!("dtrail-{}-interface", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a temporary folder");
    let text = "provider syscall { probe entry(unsigned char a, char *b) : (long a, string b); };\n";
    std::fs::write(dir.join("a.d"), text).expect("a temporary file");
    let lib = dir.to_str().expect("a plain path");
    let events = Scratch::new(
        "interface.events",
        "memory 0x1000 \"hello\\0\"\nthread 100 execname=a\nat 1000 syscall::read:entry args=0x1ff,0x1000\n",
    );
    let source = format!("--source=synthetic={}", events.path());
    let program =
        "syscall::read:entry { printf(\"%d %d %s\\n\", args[0], sizeof (args[0]), args[1]); exit(0); }";
    check(&["-q", "-L", lib, &source, "-n", program], "255 8 hello\n\n", "", 0);
    let _ = std::fs::remove_dir_all(&dir);
}
