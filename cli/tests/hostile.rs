//! Scripts made to hurt, through the whole command: a clear error or success, in bounded time and memory; never a panic, an
//! overflow of the stack or a signal. Needs no privilege.

#![allow(clippy::expect_used, reason = "a test fails by a panic, and its parts are no `#[test]` functions")]
#![allow(clippy::print_stdout, reason = "a test says why it was skipped")]

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Memory that no such script may need, in bytes: a script of 4 MiB is the largest.
const MOST_MEMORY: u64 = 2 << 30;

/// Without optimisation everything takes some thirty times as long: the largest scripts are smaller then.
const FULL: bool = !cfg!(debug_assertions);

/// The first line of what the command says about a script, and whether it accepted it.
fn outcome(name: &str, script: &[u8], args: &[&str]) -> (String, Option<i32>) {
    let path = std::env::temp_dir().join(format!("dtrail-hostile-{}-{name}.d", std::process::id()));
    std::fs::write(&path, script).expect("a temporary file");
    let start = Instant::now();
    // The shell limits memory and the stack: what needs more ends with a signal or an error of its own.
    let limits = format!("ulimit -v {}; ulimit -s 8192; exec \"$@\"", MOST_MEMORY >> 10);
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
