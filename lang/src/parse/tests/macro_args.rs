//! Macro arguments and variables (language spec §2.13).

use super::*;

fn with(args: &[&str], text: &str) -> String {
    tree_in(script().args(args), text)
}

#[test]
fn arguments_become_tokens() {
    assert_eq!(with(&["-5"], "trace($1 * 2)"), "(call trace (* (- 5) 2))");
    assert_eq!(with(&["010"], "trace($1)"), "(call trace #8)");
    assert_eq!(with(&["a b"], "trace($1)"), "(call trace \"a b\")");
    assert_eq!(with(&["pid"], "trace($1)"), "(call trace pid)");
    assert_eq!(with(&["\"q\""], "trace($1)"), "(call trace \"q\")");
    assert_eq!(with(&["\"q\""], "trace($$1)"), "(call trace \"\\\"q\\\"\")");
    assert_eq!(with(&["0x10"], "trace($$1)"), "(call trace \"0x10\")");
    assert_eq!(with(&["a\\tb"], "trace($$1)"), "(call trace \"a\\tb\")");
    assert_eq!(with(&["12ab"], "trace($1)"), "(call trace \"12ab\")");
    assert_eq!(with(&["1.5"], "trace($1)"), "(call trace \"1.5\")");
    assert_eq!(with(&[""], "trace($1)"), "(call trace \"\")");
    assert_eq!(with(&["1", "2"], "trace($2)"), "(call trace 2)");
    assert_eq!(with(&[], "trace($0)"), "(call trace \"a.d\")");
    assert_eq!(with(&["prio"], "trace(curthread->$1)"), "(call trace (-> curthread prio))");
    assert_eq!(with(&["m"], "self->$1 = 1"), "(= self.m 1)");
    assert_eq!(with(&["int"], "x = ($1)y"), "(= x (cast int y))");
    assert_eq!(with(&["size_t"], "x = ($1)y"), "(= x (cast size_t y))");
    assert_eq!(with(&["s"], "x = (struct $1 *)y"), "(= x (cast struct s * y))");
}

#[test]
fn variables_become_constants() {
    assert_eq!(tree("trace($pid); trace($$pid)"), "(call trace 123); (call trace \"123\")");
    assert_eq!(tree("$pid++"), "(post++ 123)");
    assert_eq!(tree("x = 1 + $target"), "(= x (+ 1 0))");
}

#[test]
fn undefined_macros() {
    let undef = |text: &str, at: &str, message: &str| {
        script().refuses(text, Tag::MacroUndef, at, message);
    };
    undef("BEGIN { trace($1); }", "1:15", "macro argument $1 is not defined");
    undef("BEGIN { trace($$2); }", "1:15", "macro argument $$2 is not defined");
    undef("BEGIN { trace($99999999999); }", "1:15", "macro argument $99999999999 is not defined");
    undef("BEGIN { trace($nosuch); }", "1:15", "macro variable $nosuch is not defined");
    undef("BEGIN { trace($$projid); }", "1:15", "macro variable $$projid is not defined");
    let defaults = |text: &str| tree_in(script().option("defaultargs"), text);
    assert_eq!(defaults("trace($1)"), "(call trace 0)");
    assert_eq!(defaults("trace($$1)"), "(call trace \"\")");
    // The option works where its line stands.
    script().accepts("#pragma D option defaultargs\nBEGIN { trace($1); }");
    undef("BEGIN { trace($1); }\n#pragma D option defaultargs\n", "1:15", "macro argument $1 is not defined");
}

#[test]
fn too_large_numbers() {
    let message = "macro argument $1 constant 18446744073709551616 results in integer overflow";
    let case = script().args(&["18446744073709551616"]);
    case.refuses("BEGIN { trace($1); }", Tag::MacroOflow, "1:15", message);
}

#[test]
fn unused_arguments() {
    let message = "extraneous argument '2' ($2 is not referenced)";
    script().args(&["1", "2"]).refuses("BEGIN { trace($1); }\n", Tag::MacroUnused, "2:1", message);
    script().args(&["1", "2"]).accepts("BEGIN { trace($2); }");
    let message = "extraneous argument '7' ($1 is not referenced)";
    script().args(&["7"]).refuses("BEGIN { trace(\"$1\"); }", Tag::MacroUnused, "1:23", message);
    script().args(&["7"]).option("argref").accepts("BEGIN { trace(1); }");
    script().args(&["7"]).accepts("#pragma D option argref\nBEGIN { trace(1); }");
    // Before the text is found empty, after its syntax is.
    script().args(&["7"]).refuses("", Tag::MacroUnused, "1:1", message);
    script().args(&["7"]).refuses("BEGIN { a b }", Tag::Syntax, "1:11", "syntax error near \"b\"");
    // In descriptions too, the first of each component.
    script().args(&["GIN"]).accepts("dtrace:::BE$1 { }");
    script().args(&["dtrace", "BEGIN"]).accepts("$1:::$$2 { }");
    let message = "extraneous argument 'GIN' ($2 is not referenced)";
    script().args(&["BE", "GIN"]).refuses("dtrace:::$1$2 { }", Tag::MacroUnused, "1:18", message);
    assert_eq!(script().args(&["a", "b"]).accepts("BEGIN { $2 = $1 }").macro_args_used, [1, 2]);
}

#[test]
fn macros_are_tokens_of_their_own() {
    let near = |args: &[&str], text: &str, at: &str, token: &str| {
        script().args(args).refuses(text, Tag::Syntax, at, &format!("syntax error near \"{token}\""));
    };
    near(&[], "BEGIN { trace(1$pid); }", "1:16", "$pid");
    near(&["5"], "BEGIN { trace(curthread->$1); }", "1:26", "$1");
    near(&["a"], "BEGIN { trace(curthread->$$1); }", "1:26", "$$1");
    near(&[], "BEGIN { trace(curthread->$pid); }", "1:26", "$pid");
    near(&[], "BEGIN { trace($); }", "1:15", "$");
    near(&["a"], "BEGIN { $1 $1; }", "1:12", "$1");
}
