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

#[test]
fn reports() {
    let machine = Machine::new();
    let mut sources = SourceMap::default();
    let text = "#pragma D attributes Private/Stable/CPU n\ninline int n = pid; syscall::read:entry { n; trace(args[0]); }";
    sources.add(Source { name: "a.d".into(), kind: SourceKind::Script, text: text.into() });
    let compiled =
        crate::compile(&sources, &machine, &mut Options::default(), &["a.d".into()]).expect("it is D");
    let crate::check::Attributes { probes, statements } = compiled.attributes[0];
    assert_eq!((probes.name, probes.data, probes.class), ("Private", "Private", "ISA"));
    assert_eq!((statements.name, statements.data, statements.class), ("Private", "Private", "Unknown"));
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
