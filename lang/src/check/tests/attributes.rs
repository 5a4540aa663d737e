//! Stability and versions: `amin`, `version`, `#pragma D attributes` and `binding`, and what `-v` reports.

use super::*;
use crate::options::SetBy;

fn with(settings: &[(&str, &str)], source: &str) -> String {
    let mut options = Options::default();
    for (name, value) in settings {
        options.set(name, Some(value), SetBy::CommandLine).expect("a good value");
    }
    outcome(&[source], &mut options)
}

#[test]
fn the_least_that_is_wanted() {
    for (amin, source, expected) in [
        ("Stable/Stable/Common", "BEGIN { trace(pid); }", "ok"),
        ("Standard", "BEGIN { trace(pid); }", "D_ATTR_MIN 1:9"),
        ("Evolving/Evolving", "syscall::read:entry { trace(arg0); }", "ok"),
        ("Evolving/Evolving", "syscall::read:entry { trace(args[0]); }", "D_ATTR_MIN 1:29"),
        ("Evolving/Evolving", "syscall::read:entry { trace(probename); }", "ok"),
        ("Evolving/Evolving", "syscall::read:entry { trace(probefunc); }", "D_ATTR_MIN 1:29"),
        ("Stable/Stable", "BEGIN { trace(getmajor(0)); }", "D_ATTR_MIN 1:15"),
        (
            "Stable/Stable",
            "#pragma D attributes Private/Private/Unknown n\ninline int n = pid; BEGIN { n; }",
            "D_ATTR_MIN 2:29",
        ),
        ("Stable/Stable", "inline int n = getmajor(0); BEGIN { }", "D_ATTR_MIN 1:16"),
        (
            "Stable/Stable",
            "#pragma D attributes Evolving/Unstable/ISA n\nint n; BEGIN { trace(n); }",
            "D_ATTR_MIN 2:22",
        ),
        // A program's own variables are Stable/Stable/Common, whatever they are, when they are made and when they are read.
        ("Standard/Standard/Common", "BEGIN { x = 1; }", "D_ATTR_MIN 1:9"),
        ("Standard/Standard/Common", "BEGIN { self->x = 1; }", "D_ATTR_MIN 1:9"),
        ("Standard/Standard/Common", "BEGIN { a[1] = 1; }", "D_ATTR_MIN 1:9"),
        ("Standard/Standard/Common", "this int x; BEGIN { this->x; }", "D_ATTR_MIN 1:21"),
        ("Standard/Standard/Common", "BEGIN { @ = count(); }", "D_ATTR_MIN 1:9"),
        ("Standard/Standard/Common", "BEGIN { 1 + 2; }", "ok"),
        ("Stable/Stable/Common", "BEGIN { x = 1; self->y = x; @[x] = count(); }", "ok"),
        // Descriptions are reported and not judged.
        ("Stable/Stable/Common", "syscall::read:entry { trace(arg0); }", "ok"),
        (
            "Stable/Stable",
            "#pragma D attributes Evolving n\ninline int n = 4; BEGIN { trace(n + 1); }",
            "D_ATTR_MIN 2:33",
        ),
        ("Stable/Stable", "struct own { int a; }; BEGIN { trace(((struct own *)arg0)->a); }", "ok"),
        (
            "Stable/Stable",
            "struct o { int a; };\n#pragma D attributes Evolving translator\n\
             translator struct o < int i > { a = i; };\nBEGIN { trace(xlate<struct o>(4).a); }",
            "D_ATTR_MIN 4:15",
        ),
    ] {
        assert_eq!(with(&[("amin", amin)], source), expected, "{amin}: {source}");
    }
}

#[test]
fn versions_hide_what_came_later() {
    for (version, source, expected) in [
        ("1.0", "BEGIN { trace(strlen(\"a\")); }", "ok"),
        ("1.0", "BEGIN { trace(index(\"a\", \"b\")); }", "D_FUNC_UNDEF 1:15"),
        ("1.1", "BEGIN { trace(index(\"a\", \"b\")); }", "ok"),
        ("1.6", "BEGIN { @ = llquantize(1, 10, 0, 6, 20); }", "D_FUNC_UNDEF 1:13"),
        ("1.6.1", "BEGIN { @ = llquantize(1, 10, 0, 6, 20); }", "ok"),
        ("1.5", "#pragma D binding \"1.6\" n\ninline int n = pid; BEGIN { n; }", "D_IDENT_UNDEF 2:29"),
        ("1.6", "#pragma D binding \"1.6\" n\ninline int n = pid; BEGIN { n; }", "ok"),
        ("2.0", "#pragma D option version=1.0\nBEGIN { trace(index(\"a\", \"b\")); }", "D_FUNC_UNDEF 2:15"),
        (
            "2.0",
            "BEGIN { trace(index(\"a\", \"b\")); }\n#pragma D option version=1.0\n",
            "D_PRAGMA_OPTSET 2:18",
        ),
        ("2.0", "BEGIN { trace(strlen(\"a\")); }\n#pragma D option version=1.0\n", "ok"),
    ] {
        assert_eq!(with(&[("version", version)], source), expected, "{version}: {source}");
    }
}

/// Programs share their names, so what one uses a later one cannot hide.
#[test]
fn a_version_hides_nothing_that_is_in_use() {
    let older = "#pragma D option version=1.0\nBEGIN { }";
    for (sources, expected) in [
        (["BEGIN { trace(htons(1)); }", older], "D_PRAGMA_OPTSET 1:18"),
        (["BEGIN { trace(strlen(\"htons\")); }", older], "ok"),
        ([older, "BEGIN { trace(htons(1)); }"], "D_FUNC_UNDEF 1:15"),
        (["BEGIN { trace(htons(1)); }", "#pragma D option version=1.3\nBEGIN { }"], "ok"),
    ] {
        assert_eq!(outcome(&sources, &mut Options::default()), expected, "{sources:?}");
    }
}

#[test]
fn pragmas_that_define_nothing() {
    for (source, expected) in [
        ("#pragma D attributes Stable/Stable/Common ghost\nBEGIN { }", "D_PRAGMA_UNUSED 1:1"),
        ("BEGIN { }\n#pragma D binding \"1.0\" ghost\n", "D_PRAGMA_UNUSED 2:1"),
        ("#pragma D attributes Stable/Stable/Common pid\nBEGIN { }", "D_PRAGMA_SCOPE 1:1"),
        ("#pragma D attributes Stable/Stable/Common provider dtrace name\nBEGIN { }", "ok"),
        ("#pragma D attributes Stable/Stable/Common provider zork name\nBEGIN { }", "D_PRAGMA_UNUSED 1:1"),
        ("#pragma D attributes Stable/Stable/Common translator\nBEGIN { }", "D_PRAGMA_UNUSED 1:1"),
        ("int x;\n#pragma D attributes Stable/Stable/Common x\nBEGIN { }", "ok"),
    ] {
        check(source, expected);
    }
}

/// The triples of a program's probe descriptions and statements.
fn report(text: &str) -> (String, String) {
    let machine = Machine::new();
    let mut sources = SourceMap::default();
    sources.add(Source { name: "a.d".into(), kind: SourceKind::Script, text: text.into() });
    let compiled =
        crate::compile(&sources, &machine, &mut Options::default(), &["a.d".into()]).expect("it is D");
    let crate::check::Attributes { probes, statements } = compiled.attributes[0];
    let show = |triple: crate::env::Stability| format!("{}/{}/{}", triple.name, triple.data, triple.class);
    (show(probes), show(statements))
}

#[test]
fn reports() {
    let text = "#pragma D attributes Private/Stable/CPU n\ninline int n = pid; syscall::read:entry { n; trace(args[0]); }";
    assert_eq!(report(text), ("Private/Private/ISA".into(), "Private/Private/Unknown".into()));
    let mut translated = String::from("struct o { int a; int b; };\n");
    translated.push_str("#pragma D attributes Evolving/Unstable/ISA translator\n");
    translated.push_str("translator struct o < int i > { a = i; };\n");
    // The pragma is of the next translator only.
    translated.push_str("translator struct o < string s > { a = 1; };\n");
    for (rest, statements) in [
        ("BEGIN { trace(xlate<struct o>(4).a); }", "Evolving/Unstable/ISA"),
        ("inline int i = xlate<struct o>(4).a; BEGIN { trace(i); }", "Evolving/Unstable/ISA"),
        ("BEGIN { trace(xlate<struct o>(\"\").a); }", "Stable/Stable/Common"),
        ("BEGIN { trace((struct o *)arg0 == NULL); }", "Stable/Stable/Common"),
        ("BEGIN { trace((uint64_t)arg0); }", "Stable/Stable/Common"),
        (
            "#pragma D attributes Evolving/Unstable/ISA q\ninline int q = 4; BEGIN { trace(q * 2); }",
            "Evolving/Unstable/ISA",
        ),
    ] {
        assert_eq!(report(&format!("{translated}{rest}")).1, statements, "{rest}");
    }
}

/// Files of provider definitions end in such lines, or begin with them.
#[test]
fn attributes_of_providers_that_the_program_declares() {
    let provider = "provider zz { probe a(int); };\n";
    for part in ["provider", "module", "function", "name", "args"] {
        let pragma = format!("#pragma D attributes Evolving/Evolving/Common provider zz {part}\n");
        check(&format!("{provider}{pragma}BEGIN {{ }}"), "ok");
        check(&format!("{pragma}{provider}BEGIN {{ }}"), "ok");
    }
    let other = "#pragma D attributes Evolving/Evolving/Common provider yy name\n";
    check(&format!("{provider}{other}BEGIN {{ }}"), "D_PRAGMA_UNUSED 2:1");
}
