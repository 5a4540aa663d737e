//! Scripts made to hurt, through the whole command: a clear error or success, in bounded time and memory; never a panic, an
//! overflow of the stack or a signal. Needs no privilege.

#![allow(clippy::expect_used, reason = "a test fails by a panic, and its parts are no `#[test]` functions")]
#![allow(clippy::print_stdout, reason = "a test says why it was skipped")]

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Memory that no such script may need, in bytes: a script of 4 MiB is the largest.
const MOST_MEMORY: u64 = 2 << 30;

/// The stack that the shell leaves, in KiB: far less than usual.
const STACK: u32 = 256;

/// Without optimisation everything takes some thirty times as long: the largest scripts are smaller then.
const FULL: bool = !cfg!(debug_assertions);

/// The first line of what the command says about a script, and whether it accepted it.
fn outcome(name: &str, script: &[u8], args: &[&str]) -> (String, Option<i32>) {
    let path = std::env::temp_dir().join(format!("dtrail-hostile-{}-{name}.d", std::process::id()));
    std::fs::write(&path, script).expect("a temporary file");
    let start = Instant::now();
    // The shell limits memory and the stack: what needs more ends with a signal or an error of its own.
    let limits = format!("ulimit -v {}; ulimit -s {STACK}; exec \"$@\"", MOST_MEMORY >> 10);
    let output = Command::new("sh")
        .args(["-c", &limits, "sh", env!("CARGO_BIN_EXE_dtrail"), "-x", "errtags", "-e"])
        .args(args)
        .arg("-s")
        .arg(&path)
        .stdin(Stdio::null())
        .output()
        .expect("it starts");
    let took = start.elapsed();
    let _ = std::fs::remove_file(&path);
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.signal(), None, "{name}: {err}");
    assert!(!err.contains("panicked") && !err.contains("internal error"), "{name}: {err}");
    assert!(took < Duration::from_secs(120), "{name}: {took:?}");
    (err.lines().next().unwrap_or("").to_string(), output.status.code())
}

/// Runs a script and compares its tag, `ok` for none.
fn check(name: &str, script: &str, expected: &str) {
    let (line, status) = outcome(name, script.as_bytes(), &[]);
    let tag = line.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(tag, _)| tag);
    let tag = if status == Some(0) { "ok" } else { tag.unwrap_or("no tag") };
    assert_eq!(tag, expected, "{name}: {line}");
}

#[test]
fn deep_scripts() {
    let n = 10_000;
    let nest = |open: &str, middle: &str, close: &str| {
        format!("BEGIN {{ x = {}{middle}{}; }}", open.repeat(n), close.repeat(n))
    };
    for (name, script) in [
        ("parentheses", nest("(", "1", ")")),
        ("brackets", nest("a[", "1", "]")),
        ("calls", nest("f(", "1", ")")),
        ("ternaries in the middle", nest("a ? ", "1", " : 2")),
        ("ternaries at the end", nest("a ? 1 : ", "2", "")),
        ("unary operators", nest("!", "1", "")),
        ("signs", nest("- ", "1", "")),
        ("casts", nest("(int)", "1", "")),
        ("groups", nest("(size_t)", "1", "")),
        ("sums", nest("1 + ", "1", "")),
        ("commas", nest("(1), ", "1", "")),
        ("assignments", nest("a = ", "1", "")),
        ("sizeof", nest("sizeof ", "1", "")),
        ("else if", format!("BEGIN {{ {}z; }}", "if (x) y; else ".repeat(n))),
        ("ifs", format!("BEGIN {{ {}z; }}", "if (x) ".repeat(n))),
        ("braces", format!("BEGIN {{ {}{} }}", "if (x) { ".repeat(n), "}".repeat(n))),
        ("open braces", format!("BEGIN {}", "{".repeat(n))),
        ("open parentheses", format!("BEGIN {{ {}", "(".repeat(n))),
        ("structs", format!("{}int a; {}", "struct s { ".repeat(n), "} x; ".repeat(n))),
        ("declarators", format!("int {}x{};", "(".repeat(n), ")".repeat(n))),
        ("stars", format!("int {}x;", "*".repeat(n))),
        ("arrays", format!("int x{};", "[2]".repeat(n))),
        ("functions", format!("int x{};", "()".repeat(n))),
        ("parameters", format!("int x{}{};", "(int ".repeat(n), ")".repeat(n))),
        ("abstract declarators", format!("BEGIN {{ x = (int {}{})0; }}", "(*".repeat(n), ")".repeat(n))),
    ] {
        check(name, &script, "D_SYNTAX");
    }
}

#[test]
fn unterminated_scripts() {
    for (i, script) in [
        "BEGIN { x = \"abc",
        "BEGIN { x = 'a",
        "/* abc",
        "BEGIN {",
        "BEGIN { x = (",
        "BEGIN { x[1",
        "BEGIN / x",
        "BEGIN / x /",
        "#pragma D option quiet",
        "#line 5",
        "struct s { int a;",
        "enum e { A",
        "translator struct s < int i > { a =",
        "provider p { probe",
        "inline int x =",
        "BEGIN { x = $",
        "BEGIN { @",
        "BEGIN { x = \"\\",
        "BEGIN { x = 1 \\",
        "BEGIN { x.",
        "BEGIN { if",
        "BEGIN { if (x) y; else",
        "BEGIN { x ?",
        "BEGIN { x = sizeof",
        "BEGIN { x = (int",
        "BEGIN { xlate<",
        "BEGIN { offsetof(",
        "typedef",
        "int",
        "int x[",
        "int f(",
        "self",
        "BEGIN,",
        "BEGIN { x = 0x",
    ]
    .iter()
    .enumerate()
    {
        check(&format!("unterminated-{i}"), script, "D_SYNTAX");
    }
}

#[test]
fn bytes_that_are_no_text() {
    for (name, script) in [
        ("a NUL", b"BEGIN { x = \0 1; }".to_vec()),
        ("NULs", vec![0; 1 << 20]),
        ("no UTF-8", vec![0xff; 1 << 20]),
        ("no UTF-8 in a name", b"BEGIN { \xc3\x28 = 1; }".to_vec()),
        ("all bytes", (0..=255).cycle().take(1 << 16).collect()),
    ] {
        let (line, status) = outcome(name, &script, &[]);
        assert!(line.contains("[D_SYNTAX]") && status == Some(1), "{name}: {line}");
    }
    let (line, status) = outcome("no UTF-8 in a string", b"BEGIN { x = \"\xff\xfe\"; /* \xff */ }", &[]);
    assert_eq!((line.as_str(), status), ("", Some(0)));
}

#[test]
fn large_numbers_and_names() {
    let name = "a".repeat(1 << 20);
    for (case, script, expected) in [
        ("bound 31", "int a[2147483648]; BEGIN { }".to_string(), "ok"),
        ("bound 32", "int a[4294967296]; BEGIN { }".to_string(), "D_DECL_ARRBIG"),
        ("bounds", "struct s { char a[65535][65535][65535][65535]; }; BEGIN { }".to_string(), "D_UNKNOWN"),
        (
            "element",
            "int a[2147483648]; BEGIN { a[2147483647] = 1; trace(a[2147483647]); }".to_string(),
            "ok",
        ),
        ("name", format!("BEGIN {{ {name} = 1; }}"), "ok"),
        ("unknown name", format!("BEGIN {{ trace({name}); }}"), "D_IDENT_UNDEF"),
        ("probe", format!("{name}:::x {{ }}"), "D_PDESC_INVAL"),
        ("member", format!("BEGIN {{ trace(curthread->{name}); }}"), "D_TYPE_MEMBER"),
        ("string", format!("BEGIN {{ trace(\"{name}\"); }}"), "ok"),
        ("number", format!("BEGIN {{ trace({}); }}", "9".repeat(1 << 20)), "D_INT_OFLOW"),
        ("line", format!("#line 4294967295 \"{name}\"\nBEGIN {{ x = ; }}\n"), "D_SYNTAX"),
        ("comment", format!("/*{name}*/ BEGIN {{ }}"), "ok"),
        ("option", format!("#pragma D option {name}\nBEGIN {{ }}\n"), "D_PRAGMA_OPTSET"),
    ] {
        let (line, status) = outcome(case, script.as_bytes(), &[]);
        assert!(line.len() < (3 << 20), "{case}");
        let tag = line.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map_or("", |(tag, _)| tag);
        let tag = if status == Some(0) { "ok" } else { tag };
        // Types of the machine may not be there.
        if case == "member" && tag != expected {
            println!("skipped: {line:.80}");
            continue;
        }
        if case == "bounds" {
            assert_ne!(tag, "ok", "{case}");
            continue;
        }
        assert_eq!(tag, expected, "{case}: {line:.200}");
    }
}

#[test]
fn long_scripts() {
    let scale = if FULL { 16 } else { 1 };
    let all = |n: usize, text: &dyn Fn(usize) -> String| (0..n * scale).map(text).collect::<String>();
    for (name, script, expected) in [
        ("4 MiB", "BEGIN { x = 1; }\n".repeat((4 << 20) / 17 / 16 * scale), "ok"),
        ("clauses", all(6_250, &|i| format!("BEGIN /x == {i}/ {{ x = {i}; }}\n")), "ok"),
        ("an error at the end", "BEGIN { x = 1; }\n".repeat(1_000 * scale) + "BEGIN { x y; }", "D_SYNTAX"),
        ("statements", format!("BEGIN {{ {} }}", "x = 1; ".repeat(2_000 * scale)), "ok"),
        (
            "structs",
            all(1_000, &|i| format!("typedef struct t{i} {{ int a; struct t{i} *p; }} t{i}_t;\n"))
                + "BEGIN { }",
            "ok",
        ),
        ("enumerators", format!("enum e {{ {}Z }}; BEGIN {{ }}", all(5_000, &|i| format!("A{i}, "))), "ok"),
        ("line marks", "#line 5\n".repeat(20_000 * scale) + "BEGIN { x = ; }", "D_SYNTAX"),
        (
            "inlines",
            (1..60).fold("inline int i0 = 1;\n".to_string(), |text, i| {
                text + &format!("inline int i{i} = i{0} + i{0};\n", i - 1)
            }) + "BEGIN { trace(i59); }",
            "ok",
        ),
        (
            "inlines that are no constants",
            (1..60).fold("inline int i0 = pid;\n".to_string(), |text, i| {
                text + &format!("inline int i{i} = i{0} + i{0};\n", i - 1)
            }) + "BEGIN { trace(i59); }",
            "D_UNKNOWN",
        ),
        (
            "a translator of itself",
            "struct s { int a; }; translator struct s < struct s *p > { a = xlate<struct s *>(p)->a; }; \
                                    BEGIN { trace(xlate<struct s>((struct s *)0).a); }"
                .to_string(),
            "D_XLATE_NONE",
        ),
    ] {
        let (line, status) = outcome(name, script.as_bytes(), &[]);
        let tag = line.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map_or("", |(tag, _)| tag);
        let tag = if status == Some(0) { "ok" } else { tag };
        match expected {
            // Which error it is does not matter here.
            "D_UNKNOWN" => assert_ne!(tag, "ok", "{name}: {line:.200}"),
            _ => assert_eq!(tag, expected, "{name}: {line:.200}"),
        }
    }
}

#[test]
fn expansions() {
    if Command::new("cpp").arg("--version").output().is_err() {
        println!("skipped: there is no cpp");
        return;
    }
    let doublings = if FULL { 17 } else { 12 };
    let macros: String = (1..=doublings).map(|i| format!("#define A{i} A{0} A{0}\n", i - 1)).collect();
    let script = format!("#define A0 x = 1;\n{macros}BEGIN {{ A{doublings} }}\n");
    let (line, status) = outcome("macros", script.as_bytes(), &["-C"]);
    assert_eq!((line.as_str(), status), ("", Some(0)));
    let script = "#define A B\n#define B A\nBEGIN { A = 1; }\n#include __FILE__\n";
    let (_, status) = outcome("includes", script.as_bytes(), &["-C"]);
    assert_eq!(status, Some(1));
}

/// Headers of the system, by line marks and by `#include`: whatever they say, they are read in time that grows with them.
#[test]
fn headers() {
    let scale = if FULL { 16 } else { 1 };
    let all = |n: usize, text: &dyn Fn(usize) -> String| (0..n * scale).map(text).collect::<String>();
    let n = 10_000;
    let long = "a".repeat(1 << 18);
    for (name, header, expected) in [
        ("left out", all(1_500, &|i| format!("struct s{i} {{ _Atomic int a; }};\n")), "ok"),
        (
            "a chain of what is left out",
            "struct s0 { _Complex int a; };\n".to_string()
                + &all(1_500, &|i| format!("struct s{} {{ struct s{i} a; }};\n", i + 1)),
            "ok",
        ),
        ("functions of once", all(1_500, &|i| format!("int f{i}(a, b) int a; char b; {{ }}\n")), "ok"),
        ("words behind functions", all(1_500, &|i| format!("int f{i}(void) UNKNOWN;\n")), "ok"),
        (
            "layouts",
            all(500, &|i| {
                format!("struct s{i} {{ int a __attribute__((packed)); }} __attribute__((aligned(8)));\n")
            }),
            "ok",
        ),
        ("packs", "#pragma pack(push, 1)\n".repeat(5_000 * scale) + "struct s { int a; };\n", "ok"),
        ("a long attribute", format!("typedef int t __attribute__((vector_size({long})));"), "ok"),
        ("a long name", format!("struct {long} {{ _Atomic int {long}; }};"), "ok"),
        (
            "the largest alignment",
            "struct s { int a; } __attribute__((aligned(268435456)));".to_string(),
            "ok",
        ),
        (
            "more than that",
            "struct s { int a; } __attribute__((aligned(18446744073709551615)));".to_string(),
            "ok",
        ),
        (
            "aligned arrays",
            "typedef struct { char c[2147483647]; } __attribute__((aligned(268435456))) s;".to_string(),
            "ok",
        ),
        (
            "no bounds",
            "struct s { char c[0]; char d[1 - 1]; }; struct t { struct s s[4294967295]; };".to_string(),
            "ok",
        ),
        (
            "values",
            "enum e { A = 0xffffffffffffffff, B, C }; enum f { D = -1, E = 0x7fffffffffffffff, F };"
                .to_string(),
            "ok",
        ),
        (
            "attributes in attributes",
            format!("int a {}x{};", "__attribute__((".repeat(n), "))".repeat(n)),
            "ok",
        ),
        ("deep attributes", format!("int a __attribute__{}x{};", "(".repeat(n), ")".repeat(n)), "ok"),
        ("no end", format!("int f(void) {{ {}", "{ ".repeat(n)), "D_SYNTAX"),
        ("no end of an attribute", format!("int a __attribute__((x({}", "(".repeat(n)), "D_SYNTAX"),
        ("braces", format!("{}int a; {}", "struct { ".repeat(n), "} x; ".repeat(n)), "D_SYNTAX"),
    ] {
        let script = format!("# 1 \"h.h\" 1 3\n{header}\n# 2 \"a.d\" 2\nBEGIN {{ }}\n");
        check(&format!("header-{}", name.replace(' ', "-")), &script, expected);
        if Command::new("cpp").arg("--version").output().is_err() {
            println!("skipped: there is no cpp");
            continue;
        }
        let path = std::env::temp_dir().join(format!("dtrail-hostile-{}.h", std::process::id()));
        std::fs::write(&path, format!("#pragma GCC system_header\n{header}\n")).expect("a temporary file");
        let script = format!("#include \"{}\"\nBEGIN {{ }}\n", path.display());
        let (line, status) = outcome("included", script.as_bytes(), &["-C"]);
        let _ = std::fs::remove_file(&path);
        assert_eq!(status == Some(0), expected == "ok", "{name}: {line:.200}");
        assert!(expected == "ok" || line.contains(expected), "{name}: {line:.200}");
    }
}

/// Library files as hostile as scripts: `-L` reads them before the script.
#[test]
fn libraries() {
    let scale = if FULL { 16 } else { 1 };
    let name = "a".repeat(1 << 20);
    let n = 10_000;
    let folder = std::env::temp_dir().join(format!("dtrail-hostile-lib-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary directory");
    let inlines: String = (0..1_000 * scale).map(|i| format!("inline int lib_{i} = {i};\n")).collect();
    for (case, files, expected) in [
        ("many inlines", vec![inlines.into_bytes()], "ok"),
        ("an empty file", vec![Vec::new()], "ok"),
        ("4 MiB of comments", vec![format!("/*{}*/", "x".repeat(4 << 20)).into_bytes()], "ok"),
        ("a long name", vec![format!("inline int {name} = 1;").into_bytes()], "ok"),
        (
            "deep parentheses",
            vec![format!("inline int x = {}1{};", "(".repeat(n), ")".repeat(n)).into_bytes()],
            "D_SYNTAX",
        ),
        ("NULs", vec![vec![0; 1 << 20]], "D_SYNTAX"),
        ("no UTF-8", vec![vec![0xff; 1 << 20]], "D_SYNTAX"),
        ("no end of a string", vec![b"inline string x = \"".to_vec()], "D_SYNTAX"),
        ("no end of a comment", vec![b"/* ".to_vec()], "D_SYNTAX"),
        ("an array without end", vec![b"int x[2147483648]; int y[4294967296];".to_vec()], "D_DECL_ARRBIG"),
        (
            // Members of a library's translator may be impossible here: only who uses one is told.
            "a translator of itself",
            vec![
                b"struct s { int a; }; translator struct s < struct s *p > { a = xlate<struct s *>(p)->a; };"
                    .to_vec(),
            ],
            "ok",
        ),
        (
            "files that depend on each other",
            vec![
                b"#pragma D depends_on library l1.d\n".to_vec(),
                b"#pragma D depends_on library l0.d\n".to_vec(),
            ],
            "",
        ),
        (
            "a chain of files",
            (0..500)
                .map(|i| {
                    format!("#pragma D depends_on library l{}.d\ninline int v{i} = 1;\n", i + 1).into_bytes()
                })
                .collect(),
            "",
        ),
    ] {
        for (i, file) in files.iter().enumerate() {
            std::fs::write(folder.join(format!("l{i}.d")), file).expect("a temporary file");
        }
        let library = folder.to_str().expect("a path in UTF-8");
        let (line, status) = outcome("library", b"BEGIN { trace(1); }", &["-L", library]);
        for i in 0..files.len() {
            let _ = std::fs::remove_file(folder.join(format!("l{i}.d")));
        }
        match expected {
            "ok" => assert_eq!((line.as_str(), status), ("", Some(0)), "{case}: {line:.200}"),
            // What is said of dependencies is tested elsewhere.
            "" => assert!(matches!(status, Some(0 | 1)), "{case}: {line:.200}"),
            tag => assert!(line.contains(&format!("[{tag}]")) && status == Some(1), "{case}: {line:.200}"),
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
}
