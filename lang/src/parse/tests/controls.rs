//! Control lines where they stand in a program (language spec §2.12); their own forms are tested in `control.rs`.

use super::*;

fn bad(text: &str, tag: Tag, at: &str, message: &str) {
    script().refuses(text, tag, at, message);
}

#[test]
fn control_lines_stand_anywhere() {
    script().accepts(
        "#!/usr/sbin/dtrace -qs\n  # \nBEGIN\n#ident \"x\"\n{\n\t#pragma ident \"y\"\n x = 1;\n#\n}\n",
    );
    bad("BEGIN {\n#define N 3\n}", Tag::PragctlInval, "2:2", "invalid control directive: #define");
    bad("#zork\nBEGIN { }", Tag::PragctlInval, "1:2", "invalid control directive: #zork");
    bad("\n#error no luck\nBEGIN { }", Tag::Pragerr, "2:1", "#error: no luck");
    let unended = "end-of-file encountered before end of control line";
    bad("BEGIN { }\n#pragma D option quiet", Tag::Syntax, "2:23", unended);
    string().accepts("#pragma D option quiet\nBEGIN");
}

#[test]
fn lines_of_the_preprocessor_name_its_option() {
    let help = |text: &str| script().parse(text).expect_err("it is refused").help;
    let advice = Some("`-C` runs the C preprocessor, and on scripts of `-s` only".to_string());
    for line in ["#define N 3", "# include <sys/types.h>", "#include \"x.h\"", "#if 1", "#ifdef N"] {
        assert_eq!(help(&format!("{line}\nBEGIN {{ }}\n")), advice, "{line}");
    }
    assert_eq!(help("#zork\nBEGIN { }\n"), None);
}

#[test]
fn options_are_set() {
    let mut case = script();
    case.parse("#pragma D option quiet\n #pragma\tD option strsize=1k\nBEGIN { }").expect("a program");
    assert!(case.options.quiet);
    assert_eq!(case.options.strsize, 1024);
    let failed = |text: &str, at: &str, message: &str| bad(text, Tag::PragmaOptset, at, message);
    failed(
        "#pragma D option bufsize=12q\nBEGIN { }",
        "1:18",
        "failed to set option 'bufsize' to '12q': Invalid value for specified option",
    );
    failed(
        "#pragma D option strsize=1\nBEGIN { }",
        "1:18",
        "failed to set option 'strsize' to '1': Invalid value for specified option",
    );
    failed(
        "#pragma D option nosuch\nBEGIN { }",
        "1:18",
        "failed to set option 'nosuch': Invalid option name",
    );
    failed(
        "#pragma D option define=X\nBEGIN { }",
        "1:18",
        "failed to set option 'define' to 'X': Option cannot be used from within a D program",
    );
    bad(
        "#pragma D option quiet now\nBEGIN { }",
        Tag::PragmaMalform,
        "1:24",
        "superfluous arguments specified for #pragma option",
    );
}

#[test]
fn options_take_effect_where_they_stand() {
    let text = "uint64_t* x;\n#pragma D option pspec\nuint64_t* { }";
    let program = script().accepts(text);
    assert!(matches!(&program.items[..], [Item::Declaration(_), Item::Clause(_)]));
}

#[test]
fn other_pragmas() {
    bad("#pragma D flavour mint\nBEGIN { }", Tag::PragmaInval, "1:11", "invalid pragma directive: flavour");
    script().accepts("#pragma flavour mint\nBEGIN { }");
    script().accepts("#pragma D attributes Stable/Stable/Common lim\nint lim; BEGIN { }");
    script().accepts("int lim; BEGIN { }\n#pragma D binding \"1.2\" lim\n");
    script().accepts("#pragma D attributes Stable provider dtrace module\nBEGIN { }");
    script().accepts("#pragma D depends_on provider dtrace\nBEGIN { }");
    for (line, tag, message) in [
        ("attributes Stable/Stable/Common ghost", Tag::PragmaUnused, "unused #pragma attributes"),
        ("binding \"9\" NAME", Tag::PragmaUnused, "unused #pragma binding"),
        ("attributes Stable provider zork provider", Tag::PragmaUnused, "unused #pragma attributes"),
        (
            "attributes Foo/Stable/Common n",
            Tag::PragmaInval,
            "invalid attributes specified by #pragma attributes",
        ),
        ("attributes Stable", Tag::PragmaMalform, "malformed #pragma attributes <attributes> <ident>"),
        (
            "attributes Stable provider dtrace zork",
            Tag::PragmaInval,
            "invalid component zork specified by #pragma attributes",
        ),
        ("binding 9 n", Tag::PragmaMalform, "malformed #pragma binding \"version\" <ident>"),
        ("binding \"x\" n", Tag::PragmaInval, "invalid version specified by #pragma binding"),
        (
            "attributes Stable pid",
            Tag::PragmaScope,
            "pid is defined outside the program, out of scope of #pragma attributes",
        ),
        ("depends_on provider nosuchprov", Tag::PragmaDepend, "program requires provider nosuchprov"),
        ("depends_on provider dtr*", Tag::PragmaDepend, "program requires provider dtr*"),
        ("depends_on library io.d", Tag::PragmaDepend, "main program may not explicitly depend on a library"),
        ("depends_on zork io.d", Tag::PragmaInval, "invalid class zork specified by #pragma depends_on"),
        ("depends_on module", Tag::PragmaMalform, "malformed #pragma depends_on <class> <name>"),
    ] {
        bad(&format!("\n#pragma D {line}\nBEGIN {{ }}\n"), tag, "2:1", message);
    }
}

#[test]
fn lines_are_renumbered() {
    bad("#line 40\nBEGIN { x y }", Tag::Syntax, "40:11", "syntax error near \"y\"");
    bad("# 7 \"b.h\" 1\n\nBEGIN { x y }", Tag::Syntax, "8:11", "syntax error near \"y\"");
    bad("#line x\nBEGIN { }", Tag::PragmaMalform, "1:1", "malformed #line <line> [ [\"file\"] state ]");
}
