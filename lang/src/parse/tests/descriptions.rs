//! Expansion of probe descriptions (language spec §2.13, §4.1, §4.3).

use super::*;

fn expand(kind: SourceKind, args: &[&str], text: &str) -> Result<String, String> {
    let args: Vec<String> = std::iter::once(&"a.d").chain(args).map(ToString::to_string).collect();
    let macros = Macros { args: &args, env: &Machine };
    let span = Span { source: SourceId(0), start: 0, end: text.len() as u32 };
    let numeric = text.starts_with(|c: char| c.is_ascii_digit());
    let desc = ProbeDesc { text: text.to_string(), numeric, span };
    match description::expand(&desc, kind, &macros) {
        Ok(Target::Pattern(p)) => Ok(format!("{}:{}:{}:{}", p.provider, p.module, p.function, p.name)),
        Ok(Target::Id(id)) => Ok(format!("{id:?}")),
        Err(error) => {
            assert_eq!((error.tag, error.span), (Tag::PdescInval, span));
            Err(error.message)
        }
    }
}

#[track_caller]
fn check(kind: SourceKind, text: &str, expected: Result<&str, &str>) {
    let expected = expected.map(str::to_string).map_err(str::to_string);
    assert_eq!(expand(kind, &[], text), expected, "{text}");
}

#[test]
fn components_fill_from_the_right() {
    use SourceKind::{Function, Module, Name, Provider, Script};
    for (text, expected) in [
        ("BEGIN", ":::BEGIN"),
        ("read:entry", "::read:entry"),
        ("libc.so:read:entry", ":libc.so:read:entry"),
        ("syscall::read:entry", "syscall::read:entry"),
        ("syscall:::", "syscall:::"),
        (":::entry", ":::entry"),
        (":", ":::"),
    ] {
        check(Script, text, Ok(expected));
        check(Name, text, Ok(expected));
    }
    check(Provider, "dtrace", Ok("dtrace:::"));
    check(Module, "sd", Ok(":sd::"));
    check(Module, "io:sd", Ok("io:sd::"));
    check(Function, "read", Ok("::read:"));
    check(Function, "syscall::read", Ok("syscall::read:"));
    let over = |text| format!("invalid probe description \"{text}\": Overspecified probe description");
    check(Script, "a:b:c:d:e", Err(&over("a:b:c:d:e")));
    check(Provider, "a:b", Err(&over("a:b")));
    check(Module, "a:b:c", Err(&over("a:b:c")));
    check(Function, "a:b:c:d", Err(&over("a:b:c:d")));
}

#[test]
fn lengths_are_limited() {
    let text = |n: [usize; 4]| n.map(|n| "p".repeat(n)).join(":");
    assert!(expand(SourceKind::Script, &[], &text([63, 63, 127, 63])).is_ok());
    for (lengths, limit) in
        [([64, 1, 1, 1], 63), ([1, 64, 1, 1], 63), ([1, 1, 128, 1], 127), ([1, 1, 1, 64], 63)]
    {
        let error = expand(SourceKind::Script, &[], &text(lengths)).expect_err("too long");
        assert!(error.ends_with(&format!("component is longer than {limit} bytes")), "{error}");
    }
}

#[test]
fn macros_in_descriptions() {
    let check = |args: &[&str], text: &str, expected: Result<&str, &str>| {
        let expected = expected.map(str::to_string).map_err(str::to_string);
        assert_eq!(expand(SourceKind::Script, args, text), expected, "{text}");
    };
    check(&[], "pid$target:::entry", Ok("pid0:::entry"));
    check(&[], "pid$$pid:::entry", Ok("pid123:::entry"));
    check(&["5"], "tick-$1s", Ok(":::tick-5s"));
    check(&["libc"], "pid1:$$1::entry", Ok("pid1:libc::entry"));
    check(&["BE", "GIN"], "$1$2", Ok(":::BE$2"));
    check(&["a:b"], "x:$1", Ok("::x:a:b"));
    let undefined = |text, what| {
        format!("invalid probe description \"{text}\": Undefined macro {what} in probe description")
    };
    check(&[], "$1", Err(&undefined("$1", "$1")));
    check(&[], "$nosuch", Err(&undefined("$nosuch", "$nosuch")));
    check(&[], "pid$targetx", Err(&undefined("pid$targetx", "$targetx")));
    check(&[], "a$target-b", Err(&undefined("a$target-b", "$target-b")));
    check(&[], "a$", Err(&undefined("a$", "$")));
}

#[test]
fn numbers() {
    use SourceKind::{Function, Id, Module, Name, Provider, Script};
    for kind in [Script, Name, Id] {
        check(kind, "1", Ok("ProbeId(1)"));
        check(kind, "0x1", Ok("ProbeId(1)"));
        for unknown in ["999999", "4294967297", "99999999999999999999", "09"] {
            let message = format!("invalid probe identifier {unknown}: Unknown probe identifier");
            check(kind, unknown, Err(&message));
        }
    }
    check(Provider, "1", Err("probe identifier 1 not permitted when specifying providers"));
    check(Module, "1", Err("probe identifier 1 not permitted when specifying modules"));
    check(Function, "4", Err("probe identifier 4 not permitted when specifying functions"));
    check(Id, "BEGIN", Err("invalid probe identifier BEGIN: not a number"));
}
