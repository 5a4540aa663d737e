//! Whole programs made to hurt: a clear error or success, in bounded time, memory and stack.

use super::*;

/// What a program comes to: `ok`, or the tag of the error.
fn tag(source: &str) -> String {
    outcome(&[source], &mut Options::default()).split(' ').next().unwrap_or_default().to_string()
}

#[test]
fn long_texts() {
    // Without optimisation this takes seconds.
    let size = if cfg!(debug_assertions) { 1 << 20 } else { 4 << 20 };
    let megabytes = "BEGIN { x = 1; }\n".repeat(size / 17);
    assert_eq!(tag(&megabytes), "ok");
    let name = "a".repeat(1 << 20);
    assert_eq!(tag(&format!("BEGIN {{ {name} = 1; trace({name}); }}")), "ok");
    assert_eq!(tag(&format!("BEGIN {{ trace({name}); }}")), "D_IDENT_UNDEF");
    assert_eq!(tag(&format!("{name} {{ }}")), "D_PDESC_INVAL");
    assert_eq!(tag(&format!("inline int {name} = pid; BEGIN {{ trace({name}); }}")), "ok");
    let string = "x".repeat(1 << 20);
    assert_eq!(tag(&format!("BEGIN {{ trace(\"{string}\"); }}")), "ok");
}

#[test]
fn deep_texts() {
    for (open, close) in [("(", ")"), ("[", "]"), ("x[", "]"), ("f(", ")"), ("xlate<int>(", ")"), ("{", "}")]
    {
        let source = format!("BEGIN {{ trace({}1{}); }}", open.repeat(10_000), close.repeat(10_000));
        assert_eq!(tag(&source), "D_SYNTAX", "{open}");
    }
    let structs = format!("{}int a;{} BEGIN {{ }}", "struct { ".repeat(10_000), "} x; ".repeat(10_000));
    assert_eq!(tag(&structs), "D_SYNTAX");
}

#[test]
fn bytes_and_ends() {
    for text in [
        "\0",
        "BEGIN\0{ }",
        "BEGIN { \0 }",
        "BEGIN { \u{fffd} }",
        "\u{fffd}",
        "BEGIN { x = \"",
        "BEGIN { x = '",
        "BEGIN { /* ",
        "BEGIN /",
        "BEGIN { (",
        "BEGIN {",
        "inline",
        "inline int",
        "inline int x =",
        "inline int f[",
        "translator",
        "translator struct s <",
        "translator struct s < int i > {",
        "translator struct s < int i > { a =",
        "provider",
        "provider p {",
        "provider p { probe",
        "provider p { probe x(",
        "provider p { probe x() :",
        "struct s {",
        "#pragma",
        "#pragma D",
        "#pragma D option",
        "#line",
        "# 1 \"",
        "BEGIN { xlate",
        "BEGIN { xlate <",
        "BEGIN { if",
        "BEGIN { $",
        "BEGIN { @",
        "BEGIN { `",
        "typedef",
        "enum e {",
        "int x[",
        "`",
    ] {
        let got = tag(text);
        assert!(got.starts_with("D_") && got != "D_UNKNOWN", "{text:?}: {got}");
    }
}

#[test]
fn definitions_that_refer_to_themselves() {
    for (source, expected) in [
        ("inline int x = x; BEGIN { }", "D_IDENT_UNDEF"),
        ("inline int f[int n] = f[n - 1]; BEGIN { }", "D_VAR_UNDEF"),
        (
            "struct s { int a; }; translator struct s < int i > { a = xlate<struct s>(i).a; }; BEGIN { }",
            "D_XLATE_NONE",
        ),
        ("struct s { struct s a; }; BEGIN { }", "D_DECL_INCOMPLETE"),
        ("typedef x_t x_t; BEGIN { }", "D_SYNTAX"),
    ] {
        assert_eq!(tag(source), expected, "{source}");
    }
}

#[test]
fn translators_that_double() {
    let mut source = String::from("struct s { int a; };");
    for i in 0..40 {
        source += &format!("struct t{i} {{ int a; }};");
    }
    source += "translator struct t0 < int i > { a = i; };";
    for i in 1..40 {
        let before = i - 1;
        source += &format!(
            "translator struct t{i} < int i > {{ a = xlate<struct t{before}>(i).a + xlate<struct t{before}>(i).a; }};"
        );
    }
    assert_eq!(tag(&source), "D_UNKNOWN");
}

/// Each is found by its types, however many make the same.
#[test]
fn many_translators_to_one_type() {
    let one = |i: usize| {
        format!("struct i{i} {{ int x; }}; translator struct o < struct i{i} *I > {{ a = I->x; }};\n")
    };
    let all: String = (0..10_000).map(one).collect();
    let uses = "BEGIN { trace(xlate<struct o>((struct i9999 *)1).a + xlate<struct o>((struct i0 *)1).a); }";
    assert_eq!(tag(&format!("struct o {{ int a; }};\n{all}{uses}")), "ok");
    assert_eq!(tag(&format!("struct o {{ int a; }};\n{all}{}", one(5000))), "D_DECL_TYPERED");
    let again = "translator struct o < struct i77 *J > { a = 2; };";
    assert_eq!(tag(&format!("struct o {{ int a; }};\n{all}{again}")), "D_XLATE_REDECL");
}

#[test]
fn large_bounds() {
    assert_eq!(tag("int a[2147483648]; BEGIN { a[2147483647] = 1; }"), "ok");
    assert_eq!(tag("int a[4294967295][4294967295]; BEGIN { }"), "D_DECL_ARRBIG");
    assert_eq!(tag("struct s { char a[4294967295]; }; struct s x; BEGIN { x = x; }"), "D_UNKNOWN");
}
