//! Modes, comments, constants, words, slashes and brackets (language spec §2.1–§2.11).

use super::*;

fn bad(text: &str, tag: Tag, at: &str, message: &str) {
    script().refuses(text, tag, at, message);
}

fn near(text: &str, at: &str, token: &str) {
    script().refuses(text, Tag::Syntax, at, &format!("syntax error near \"{token}\""));
}

#[test]
fn integer_constants() {
    assert_eq!(tree("n = 0"), "(= n 0)");
    assert_eq!(tree("n = 010"), "(= n #8)");
    assert_eq!(tree("n = 0x1fUL"), "(= n #31ul)");
    assert_eq!(tree("n = 0xffffffffffffffff"), "(= n #18446744073709551615)");
    assert_eq!(tree("n = 9223372036854775808u"), "(= n 9223372036854775808u)");
    assert_eq!(tree("n = 1ll"), "(= n 1ll)");
    bad("BEGIN { n = 0779; }", Tag::IntDigit, "1:13", "constant 0779 contains invalid digit 9");
    bad("BEGIN { n = 019; }", Tag::IntDigit, "1:13", "constant 019 contains invalid digit 9");
    bad(
        "BEGIN { n = 18446744073709551616; }",
        Tag::IntOflow,
        "1:13",
        "constant 18446744073709551616 results in integer overflow",
    );
    bad(
        "BEGIN { n = -9223372036854775808; }",
        Tag::IntOflow,
        "1:14",
        "integer constant 0x8000000000000000 cannot be represented in any built-in integral type",
    );
    near("BEGIN { n = 0b11; }", "1:14", "b11");
    near("BEGIN { n = 1lu; }", "1:15", "u");
    near("BEGIN { n = 1_000; }", "1:14", "_000");
    near("BEGIN { n = 1abc; }", "1:14", "abc");
}

#[test]
fn floating_point_constants_are_refused() {
    let text = "floating-point constants are not permitted";
    for constant in ["1.5", ".5", "1.", "1e3", "12f"] {
        bad(&format!("BEGIN {{ n = {constant}; }}"), Tag::Syntax, "1:13", text);
    }
}

#[test]
fn character_constants() {
    assert_eq!(tree(r"trace('ab'); trace('\q')"), "(call trace 24930); (call trace 23665)");
    assert_eq!(tree(r"trace('\''); trace('\0103')"), "(call trace 23591); (call trace 2099)");
    assert_eq!(tree("trace('\"')"), "(call trace 34)");
    bad("BEGIN { c = ''; }", Tag::ChrNull, "1:13", "empty character constant");
    bad("BEGIN { c = '123456789'; }", Tag::ChrOflow, "1:13", "character constant is too long");
    bad("BEGIN { c = 'a }\n", Tag::ChrNl, "2:1", "newline encountered in character constant");
    bad("BEGIN { c = 'a", Tag::Syntax, "1:15", "end-of-file encountered in character constant");
}

#[test]
fn string_constants() {
    assert_eq!(tree(r#"trace("v\x4944")"#), r#"(call trace "vD")"#);
    assert_eq!(tree(r#"trace("ab\0cd")"#), r#"(call trace "ab")"#);
    assert_eq!(tree(r#"trace("$1 é /* */ // \"")"#), r#"(call trace "$1 \xc3\xa9 /* */ // \"")"#);
    near(r#"BEGIN { trace("a" "b"); }"#, "1:19", "\"b\"");
    let error = script().refuses(
        "BEGIN {\n s = \"a\n\";\n}",
        Tag::StrNl,
        "3:1",
        "newline encountered in string literal",
    );
    assert_eq!(error.labels.len(), 1);
    bad(
        "BEGIN { s = \"a\\\nb\"; }",
        Tag::Syntax,
        "2:1",
        "newline encountered after a backslash in string literal",
    );
    bad("BEGIN { s = \"abc", Tag::Syntax, "1:17", "end-of-file encountered in string literal");
}

#[test]
fn comments() {
    assert_eq!(tree("n /* a\n/ b */ = /**/ 1 /***/"), "(= n 1)");
    bad("/* x /* y */ BEGIN { }", Tag::Syntax, "1:6", "/* encountered inside a comment");
    let open = "end-of-file encountered before matching */";
    bad("BEGIN { trace(1); /* open\n", Tag::Syntax, "2:1", open);
    bad("syscall:::entry /*p == 1/ { }", Tag::Syntax, "1:30", open);
    near("BEGIN { n = 1; // no\n}", "1:16", "/");
    near("// no\nBEGIN { }", "1:1", "/");
}

#[test]
fn white_space() {
    assert_eq!(tree("a\t=\u{b}1\u{c};\r\nb = \\\n 2"), "(= a 1); (= b 2)");
    assert_eq!(tree("p -> \n m . /* c */ n"), "(. (-> p m) n)");
    near("BEGIN { a = \\ 2; }", "1:13", "\\");
}

#[test]
fn bytes_that_start_no_token() {
    near("BEGIN { a = \u{0}; }", "1:13", "\\u{0}");
    near("BEGIN { é = 1; }", "1:9", "é");
    near("é { }", "1:1", "é");
    near("BEGIN { a = 1 # 2; }", "1:15", "#");
    near("BEGIN { a = \u{1}; }", "1:13", "\\u{1}");
    near("@a { }", "1:1", "@");
    near("BEGIN { trace(1); } ; END { }", "1:21", ";");
    near(", BEGIN { }", "1:1", ",");
}

#[test]
fn identifiers() {
    assert_eq!(tree("_x1 = X1"), "(= _x1 X1)");
    assert_eq!(tree("x = mod`sym + ``u + 9p`sym + `k"), "(= x (+ (+ (+ mod`sym ``u) 9p`sym) `k))");
    assert_eq!(tree("@ = count(); @_ = count(); @a1 = count()"), {
        "(= @_ (call count)); (= @_ (call count)); (= @a1 (call count))"
    });
    near("BEGIN { @1 = count(); }", "1:10", "1");
    near("BEGIN { @a`b = count(); }", "1:11", "`b");
}

#[test]
fn keywords_are_members_but_not_names() {
    assert_eq!(tree("x = p->while + q.self + self->int"), "(= x (+ (+ (-> p while) (. q self)) self.int))");
    for word in [
        "while",
        "string",
        "counter",
        "default",
        "import",
        "return",
        "switch",
        "if",
        "translator",
        "inline",
        "for",
    ] {
        let text = format!("BEGIN {{ {word} = 1; }}");
        let error = script().parse(&text).expect_err("a keyword");
        assert_eq!(error.tag, Tag::Syntax, "{word}");
    }
    near("BEGIN { while = 1; }", "1:9", "while");
    near("BEGIN { sizeof = 1; }", "1:16", "=");
    near("BEGIN { p->+pid; }", "1:12", "+");
    near("BEGIN { p->\"x\"; }", "1:12", "\"");
    assert_eq!(tree("userland = 1"), "(= userland 1)");
}

#[test]
fn punctuation_is_longest_match() {
    assert_eq!(tree("x = x---1"), "(= x (- (post-- x) 1))");
    assert_eq!(tree("x = a+++b"), "(= x (+ (post++ a) b))");
    assert_eq!(tree("x = a- --b"), "(= x (- a (-- b)))");
    assert_eq!(tree("x = a&& &b"), "(= x (&& a (& b)))");
    assert_eq!(tree("x = a&&&b"), "(= x (&& a (& b)))");
    assert_eq!(tree("x = a-->b"), "(= x (> (post-- a) b))");
    assert_eq!(tree("a<<=b; a>>=b; a^=b; a|=b"), "(<<= a b); (>>= a b); (^= a b); (|= a b)");
    near("BEGIN { x = 1 ^^= 2; }", "1:17", "=");
    near("BEGIN { x = a..b; }", "1:15", ".");
    near("BEGIN { x = a...b; }", "1:14", "...");
}

#[test]
fn slashes() {
    assert_eq!(tree("n = 8 /2; m /= 2"), "(= n (/ 8 2)); (/= m 2)");
    near("BEGIN { n = 8 / /* half */ 2; }", "1:15", "/");
    near("BEGIN { n = 8 /; }", "1:15", "/");
    for text in [
        "BEGIN /1/ { }",
        "BEGIN /1/ /* note */ { }",
        "BEGIN / 1 /\n{ }",
        "BEGIN /1 / 1/ { }",
        "BEGIN /4 / 2 / 2 == 1/ { }",
        "BEGIN /* c */ /1/ { }",
    ] {
        script().accepts(text);
    }
    let bracket = "end of predicate encountered before matching )";
    let error = script().refuses("BEGIN /(pid > 1 / { }", Tag::Syntax, "1:17", bracket);
    assert_eq!(error.labels[0].0.start, 7);
    bad("BEGIN /a[1 / { }", Tag::Syntax, "1:12", "end of predicate encountered before matching ]");
    // A slash before anything else divides.
    near("BEGIN /1/ trace(1);\n{ }", "1:19", ";");
    near("BEGIN /1/ trace(1) { }", "1:20", "{");
    near("BEGIN // { }", "1:8", "/");
}

#[test]
fn brackets() {
    bad("BEGIN { trace(1)); }", Tag::Syntax, "1:17", "extra ) in input stream");
    bad("BEGIN { a]; }", Tag::Syntax, "1:10", "extra ] in input stream");
    near("BEGIN { } }", "1:11", "}");
    near("BEGIN { a[(1]); }", "1:13", "]");
    let error = script().refuses("BEGIN {\n trace(1;", Tag::Syntax, "2:9", "syntax error near \";\"");
    assert_eq!(error.labels[0].1, "this `(` is not closed");
    let error =
        script().refuses("BEGIN {\n if (1) { x = 1;\n", Tag::Syntax, "3:1", "syntax error near end of input");
    assert_eq!(
        error.labels,
        [(Span { source: SourceId(0), start: 16, end: 17 }, "this `{` is not closed".into())]
    );
}

#[test]
fn the_earlier_error_is_reported() {
    near("BEGIN { x y; n = 019; }", "1:11", "y");
    bad("BEGIN { n = 019; x y; }", Tag::IntDigit, "1:13", "constant 019 contains invalid digit 9");
    near("BEGIN { x y; $nosuch; }", "1:11", "y");
    for text in [
        "BEGIN { x = (ghost_t *)y; x y; }",
        "BEGIN { x = (ghost_t *)y; z = 019; }",
        "BEGIN { x = (ghost_t *)y; if (x) { z = \"",
        "BEGIN { x = (ghost_t *)y; $nosuch; }",
        "BEGIN { x = (ghost_t *)$nosuch; }",
        "BEGIN { x = (ghost_t)y + 019; }",
        "BEGIN { x = (ghost_t * *) y y; }",
    ] {
        script().refuses(text, Tag::Syntax, "1:14", "unknown type name ghost_t");
    }
    near("BEGIN { x = (size_t *)y y; }", "1:25", "y");
    near("BEGIN { f(w) x; }", "1:14", "x");
    near("BEGIN { if (w) x y; }", "1:18", "y");
    near("BEGIN { x = (w) + (w * y) y; }", "1:27", "y");
    near("BEGIN { x y; }\n#error late\n", "1:11", "y");
    near("BEGIN { x y; \"", "1:11", "y");
}

#[test]
fn probe_descriptions_and_type_names_at_the_top_level() {
    let first = |case: Case, text: &str| match &case.accepts(text).items[0] {
        Item::Clause(clause) => format!("probe {}", clause.probes[0].text),
        Item::Declaration(declaration) => format!("declares {:?}", declaration.declarators[0].derived.len()),
        Item::Inline(_) | Item::Translator(_) | Item::Provider(_) => "defines".to_string(),
        Item::Pragma(_) => "pragma".to_string(),
    };
    for (text, expected) in [
        ("int x; BEGIN { }", "declares 0"),
        ("int* { }", "probe int*"),
        ("integrity::: { }", "probe integrity:::"),
        ("uint64_t x;", "declares 0"),
        ("uint64_t*p;", "declares 1"),
        ("uint64_t **p;", "declares 2"),
        ("uint64_t* { }", "declares 1"),
        ("uint64_t:::x { }", "probe uint64_t:::x"),
        ("if { }", "probe if"),
        ("$1 { }", "probe $1"),
        ("[B]EGIN { }", "probe [B]EGIN"),
        ("*:::!x\\y { }", "probe *:::!x\\y"),
        ("userland { }", "probe userland"),
        ("userland char *s;", "declares 1"),
    ] {
        if text == "uint64_t* { }" {
            // The star belongs to a declarator.
            near(text, "1:11", "{");
        } else {
            assert_eq!(first(script().option("argref"), text), expected, "{text}");
        }
    }
    // In a string the token is always a description.
    assert_eq!(first(string(), "uint64_t* { }"), "probe uint64_t*");
    assert_eq!(first(script().option("pspec"), "uint64_t* { }"), "probe uint64_t*");
    assert_eq!(first(string(), "int v; BEGIN { v = 3; }"), "declares 0");
    string().refuses("myint_t x;", Tag::Syntax, "1:9", "syntax error near \"x\"");
    string().refuses("uint64_t*p; BEGIN { p = 0; }", Tag::Syntax, "1:11", "syntax error near \";\"");
}

#[test]
fn common_mistakes_are_explained() {
    for (text, help) in [
        ("ghost_t *p; BEGIN { }", "`ghost_t` is not the name of a type, so it was read as a probe"),
        (
            "proc_t *p; BEGIN { }",
            "`proc_t` is a type of another system's kernel; on Linux it is `struct task_struct`",
        ),
        ("BEGIN { x = 1; // one\n}", "comments are written `/* … */`"),
        ("// one\nBEGIN { }", "comments are written `/* … */`"),
        ("BEGIN // one\n{ }", "comments are written `/* … */`"),
        ("BEGIN { while (1) x++; }", "D has no loops: a probe such as `tick-1s` fires again and again"),
        ("BEGIN { switch (x) { } }", "D has no `switch`: use `if` or a chain of `? :`"),
        (
            "BEGIN { int x; x = 1; }",
            "variables are declared outside of clauses, or made by assigning to them",
        ),
        (
            "BEGIN { y = 1; size_t x; }",
            "variables are declared outside of clauses, or made by assigning to them",
        ),
        ("BEGIN { } ; END { }", "a clause ends with its `}`: no `;` follows"),
        ("BEGIN, { }", "no comma follows the last probe"),
        ("int x = 1;", "a declaration gives no value: assign one in a `BEGIN` clause"),
        ("BEGIN { trace(\"a\" \"b\"); }", "strings that stand side by side are not joined: use `strjoin`"),
        ("BEGIN { $x = 1; }", "`$` names macros; a variable of the clause is `this->x`"),
        ("BEGIN { trace($targt); }", "did you mean `$target`?"),
        (
            "BEGIN { trace($projid); }",
            "Linux has no projects and tasks; processes that belong together have a session, `$sid`",
        ),
        ("BEGIN { trace($1); }", "give another operand, or set `-x defaultargs`"),
        ("BEGIN /execname == \"a\" && pid = 3/ { }", "did you mean `==`?"),
        ("BEGIN { if (uid == 0 && pid = 3) { } }", "did you mean `==`?"),
        ("BEGIN { if (x[1] || y[2] = 3) { } }", "did you mean `==`?"),
        ("BEGIN { x = a && b = 3; }", ""),
        ("BEGIN { trace(1) trace(2); }", "a `;` stands between two statements"),
        ("BEGIN { x = 1 y = 2; }", "a `;` stands between two statements"),
        ("BEGIN { x = a[1] @b = count(); }", "a `;` stands between two statements"),
        ("BEGIN { printf(\"%d\" pid); }", "a `,` stands between two arguments"),
        ("BEGIN { @[pid tid] = count(); }", "a `,` stands between two keys"),
        ("struct x { int a } BEGIN { }", "a `;` ends each member, the last one too"),
        (
            "BEGIN /pid == / { }",
            "the predicate ends behind an operator; a shell takes `$target` out of a program in double quotes, not in \
             single ones",
        ),
        ("struct a { int x; } BEGIN { }", "a `;` ends each declaration"),
        ("struct a { int x; } BEGIN /1/ { }", "a `;` ends each declaration"),
        ("struct a { int x; } syscall::read:entry { }", "a `;` ends each declaration"),
        ("struct a { int x; } tick-1s { }", "a `;` ends each declaration"),
        ("int x BEGIN { }", "a `;` ends each declaration"),
        ("int x syscall::read:entry { }", "a `;` ends each declaration"),
        ("int x\nint y; BEGIN { }", "a `;` ends each declaration"),
        ("inline int x = 5 BEGIN { }", "a `;` ends each declaration"),
        ("inline int x = 5\ntick-1s { }", "a `;` ends each declaration"),
        ("struct a { int x; }\n", "a `;` ends each declaration"),
        ("inline int x =", ""),
        ("int f(int x) { return 1; }", ""),
        ("BEGIN { if 1 { } }", "the condition stands in parentheses: `if (…)`"),
        ("BEGIN { if (1) { } else if !x { } }", "the condition stands in parentheses: `if (…)`"),
        (
            "BEGIN { trace(1)\u{a0}; }",
            "the character here is a no-break space (U+00A0): D knows blanks, tabs and newlines only",
        ),
        (
            "BEGIN\u{200b} { }",
            "the character here is a zero-width space (U+200B): D knows blanks, tabs and newlines only",
        ),
        ("BEGIN { trace(1）; }", "`）` is a full-width character (U+FF09): write `)`"),
        ("BEGIN { x = 3 – 1; }", "`–` is an en dash (U+2013): write `-`"),
        ("BEGIN x == 1 { }", "a predicate stands between slashes: `/x == 1/`"),
        ("syscall:::entry pid == 3 { x = 1; }", "a predicate stands between slashes: `/pid == 3/`"),
        ("syscall:::entry arg0 { }", "a predicate stands between slashes: `/arg0/`"),
        ("tick-1s !self->x { }", "a predicate stands between slashes: `/!self->x/`"),
        ("BEGIN if (pid == 3) { }", "a predicate stands between slashes: `/(pid == 3)/`"),
        ("BEGIN x == 1 &&\n y { }", "a predicate stands between slashes: `/…/`"),
        ("BEGIN END { }", "probes are separated by commas"),
        ("syscall:::entry syscall:::return { }", "probes are separated by commas"),
        ("BEGIN { x = (ghost_t)y; }", ""),
        ("BEGIN { x = a = ; }", ""),
        ("BEGIN { printf(“hi”); }", "strings stand in plain double quotes: `\"…\"`"),
        ("BEGIN /execname == ‘cat’/ { }", "strings stand in plain double quotes: `\"…\"`"),
    ] {
        let error = script().parse(text).expect_err(text);
        assert_eq!(error.help.as_deref().unwrap_or(""), help, "{text}");
    }
    for (text, opened) in [
        ("BEGIN { printf(\"%d\", pid; }", "printf("),
        ("BEGIN { trace(pid }", "trace("),
        ("BEGIN { trace(a[(1 + 2); }", "a["),
        ("BEGIN { if (pid == 1 { trace(1); } }", "if ("),
    ] {
        let error = script().parse(text).expect_err(text);
        let at = (text.find(opened).expect("it is there") + opened.len()) as u32;
        let labels: Vec<_> = error.labels.iter().map(|(span, label)| (span.end, label.as_str())).collect();
        let label = if opened.ends_with('(') { "this `(` is not closed" } else { "this `[` is not closed" };
        assert_eq!(labels, [(at, label)], "{text}");
    }
    // Where the word is a probe whatever it could be else.
    let is_type = "`size_t` is a type, but the word that begins a clause of `-n` is a probe: declare it in a script (`-s`), \
                   without `-x pspec`";
    for (mut case, text, help) in [
        (string(), "size_t p; BEGIN { }", is_type),
        (string(), "size_t *p; BEGIN { }", is_type),
        (script().option("pspec"), "size_t p; BEGIN { }", is_type),
        (string(), "ghost_t p; BEGIN { }", "`ghost_t` is not the name of a type, so it was read as a probe"),
    ] {
        let error = case.parse(text).expect_err(text);
        assert_eq!(error.help.as_deref().unwrap_or(""), help, "{text}");
    }
}

#[test]
fn identifiers_and_type_names_inside() {
    // Rule 7: a known type is a type …
    assert_eq!(tree("x = (size_t)y"), "(= x (cast size_t y))");
    // … rules 5 and 6: unless the program uses it as a variable, from then on.
    assert_eq!(
        tree("x = (size_t)(y); size_t = 5; x = (size_t)(y)"),
        "(= x (cast size_t y)); (= size_t 5); (= x (call size_t y))"
    );
    near("BEGIN { size_t = 5; x = (size_t)x; }", "1:26", "size_t");
    assert_eq!(tree("size_t++; x = size_t + 1"), "(post++ size_t); (= x (+ size_t 1))");
    assert_eq!(tree("q[size_t, 1] = 1"), "(= ([] q size_t 1) 1)");
    // A built-in always wins.
    assert_eq!(tree("x = (pid)-1"), "(= x (- pid 1))");
    // `==` is no assignment.
    near("BEGIN { x = size_t == 1; }", "1:13", "size_t");
    assert_eq!(tree("x = sizeof (size_t) + sizeof (sz)"), "(= x (+ (sizeof-type size_t) (sizeof sz)))");
    script().accepts("size_t size_t; BEGIN { size_t = 1; }");
}
