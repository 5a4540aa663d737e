//! Clauses, statements, expressions and declarations (language spec §3).

use super::hostile::outcome;
use super::*;

fn near(text: &str, at: &str, token: &str) {
    script().refuses(text, Tag::Syntax, at, &format!("syntax error near \"{token}\""));
}

#[test]
fn precedence() {
    for (text, expected) in [
        ("a + b * c", "(+ a (* b c))"),
        ("a * b + c", "(+ (* a b) c)"),
        ("10 - 3 - 2", "(- (- 10 3) 2)"),
        ("7 % 4 * 2", "(* (% 7 4) 2)"),
        ("1 << 2 << 1", "(<< (<< 1 2) 1)"),
        ("2 + 3 << 1", "(<< (+ 2 3) 1)"),
        ("a < b == c > d", "(== (< a b) (> c d))"),
        ("1 & 2 == 2", "(& 1 (== 2 2))"),
        ("1 | 2 ^ 3 & 4", "(| 1 (^ 2 (& 3 4)))"),
        ("a || b ^^ c && d", "(|| a (^^ b (&& c d)))"),
        ("a && b ^^ c || d", "(|| (^^ (&& a b) c) d)"),
        ("a ? b : c ? d : e", "(? a b (? c d e))"),
        ("a ? b ? c : d : e", "(? a (? b c d) e)"),
        ("a || b ? c, d : e", "(? (|| a b) (, c d) e)"),
        ("a ? x = 1 : 2", "(? a (= x 1) 2)"),
        ("a = b = c ? d : e", "(= a (= b (? c d e)))"),
        ("a += b -= c", "(+= a (-= b c))"),
        ("a, b = c, d", "(, (, a (= b c)) d)"),
        ("-a * -b", "(* (- a) (- b))"),
        ("- - 5", "(- (- 5))"),
        ("!~a", "(! (~ a))"),
        ("-a++", "(- (post++ a))"),
        ("*p++", "(* (post++ p))"),
        ("++*p", "(++ (* p))"),
        ("&p->m", "(& (-> p m))"),
        ("*p = 1", "(= (* p) 1)"),
        ("*p.q[1](2)", "(* (call ([] (. p q) 1) 2))"),
        ("sizeof p + 1", "(+ (sizeof p) 1)"),
        ("stringof p + 1", "(+ (stringof p) 1)"),
        ("stringof(p + 1)", "(stringof (+ p 1))"),
        ("sizeof sizeof x", "(sizeof (sizeof x))"),
        ("sizeof \"abcd\"", "(sizeof \"abcd\")"),
        ("sizeof (x)[1]", "(sizeof ([] x 1))"),
        ("sizeof -(int)x", "(sizeof (- (cast int x)))"),
        ("(a, b)", "(, a b)"),
        ("f(a, (b, c))", "(call f a (, b c))"),
        ("(f)(x)", "(call f x)"),
        ("(1)(2)", "(call 1 2)"),
        ("f()", "(call f)"),
        ("self->x = this->y", "(= self.x this.y)"),
        ("(self)->x", "self.x"),
        ("self->x->y", "(-> self.x y)"),
        ("@a[1, \"x\"] = sum(2)", "(= ([] @a 1 \"x\") (call sum 2))"),
        ("a ? b : c = d", ""),
        ("a + b = c", ""),
        ("(int)a = b", ""),
        ("a = (int)b = c", ""),
        ("stringof (char *)p", ""),
        ("sizeof (int)1", ""),
        ("++(int)x", ""),
        ("a[]", ""),
        ("f(a,)", ""),
        ("a ? b", ""),
        ("a ? : b", ""),
        ("()", ""),
        ("1 +", ""),
        ("a b", ""),
    ] {
        if expected.is_empty() {
            let error = script().parse(&format!("BEGIN {{ {text}; }}")).expect_err(text);
            assert_eq!(error.tag, Tag::Syntax, "{text}");
        } else {
            assert_eq!(tree(text), expected, "{text}");
        }
    }
}

#[test]
fn places_of_syntax_errors() {
    near("BEGIN { a + b = c; }", "1:15", "=");
    near("BEGIN { a ? b : c = d; }", "1:19", "=");
    near("BEGIN { x = (int)a = b; }", "1:20", "=");
    near("BEGIN { x = a ? b; }", "1:18", ";");
    near("BEGIN { x = stringof (char *)p; }", "1:23", "char");
    near("BEGIN { trace(sizeof (int)1); }", "1:27", "1");
    near("BEGIN { f(a,); }", "1:13", ")");
    near("BEGIN { a[]; }", "1:11", "]");
    near("BEGIN { trace(1) trace(2); }", "1:18", "trace");
    near("BEGIN {\n\ttrace(1)\n\ttrace(2);\n}", "3:2", "trace");
    near("BEGIN { for (;;) ; }", "1:9", "for");
    near("BEGIN { int x = 1; }", "1:9", "int");
    near("BEGIN { { } }", "1:9", "{");
    near("BEGIN { else x; }", "1:9", "else");
    near("BEGIN { if x; }", "1:12", "x");
}

#[test]
fn casts() {
    for (text, expected) in [
        ("(int)x", "(cast int x)"),
        ("(int)(x)", "(cast int x)"),
        ("(int)-x", "(cast int (- x))"),
        ("(int)*x", "(cast int (* x))"),
        ("(int)&x", "(cast int (& x))"),
        ("(int)x + 1", "(+ (cast int x) 1)"),
        ("(int)x[1]", "(cast int ([] x 1))"),
        ("(int)(char)x", "(cast int (cast char x))"),
        ("-(int)x", "(- (cast int x))"),
        ("(size_t)(x)", "(cast size_t x)"),
        ("(size_t)-x", "(cast size_t (- x))"),
        ("(W)(x)", "(call W x)"),
        ("(W)-x", "(- W x)"),
        ("(W)*x", "(* W x)"),
        ("(W)&x", "(& W x)"),
        ("(struct s *)p", "(cast struct s * p)"),
        ("(union u)p", "(cast union u p)"),
        ("(enum e)p", "(cast enum e p)"),
        ("(unsigned long int)1", "(cast unsigned long int 1)"),
        ("(const char *)p", "(cast const char * p)"),
        ("(char * const *)p", "(cast char ** p)"),
        ("(userland char *)p", "(cast userland char * p)"),
        ("(string)p", "(cast string p)"),
        ("(void (*)(int, char *))p", "(cast void (*)(int, char *) p)"),
        ("(int (*)[3])p", "(cast int (*)[3] p)"),
        ("(int *[3])p", "(cast int *[3] p)"),
        ("sizeof (struct s)", "(sizeof-type struct s)"),
        ("sizeof (char *[4])", "(sizeof-type char *[4])"),
        ("*(uint32_t *)copyin(arg1, 4)", "(* (cast uint32_t * (call copyin arg1 4)))"),
        ("((struct s *)copyin(a, b))->m", "(-> (cast struct s * (call copyin a b)) m)"),
        ("(uintptr_t)&`x", "(cast uintptr_t (& `x))"),
    ] {
        assert_eq!(tree(text), expected, "{text}");
    }
}

#[test]
fn statements() {
    assert_eq!(tree(""), "");
    assert_eq!(tree("x = 1;; y = 2; ; z"), "(= x 1); empty; (= y 2); empty; z");
    assert_eq!(tree("1; self->x;"), "1; self.x");
    assert_eq!(tree("W * x;"), "(* W x)");
    assert_eq!(tree("if (a) x; y"), "if a {x} {}; y");
    assert_eq!(tree("if (a) { x; y } else z; w"), "if a {x; y} {z}; w");
    assert_eq!(tree("if (a) if (b) x; else y;"), "if a {if b {x} {y}} {}");
    assert_eq!(tree("if (a) { if (b) x; } else y;"), "if a {if b {x} {}} {y}");
    assert_eq!(tree("if (a) x; else if (b) y; else z;"), "if a {x} {if b {y} {z}}");
    assert_eq!(tree("if (a) ; else { }"), "if a {empty} {}");
    assert_eq!(
        tree("if (0) trace(\"a\"); else if (1) trace(\"b\"); else trace(\"c\"); trace(\"d\")"),
        "if 0 {(call trace \"a\")} {if 1 {(call trace \"b\")} {(call trace \"c\")}}; (call trace \"d\")"
    );
    near("BEGIN { if (a) x }", "1:18", "}");
    near("BEGIN { if (a) }", "1:16", "}");
}

#[test]
fn clauses() {
    let program = script().accepts("BEGIN,\n tick-1s , 3 /x/ { a } END { }");
    let [Item::Clause(first), Item::Clause(second)] = program.items.as_slice() else { panic!("two clauses") };
    let probes: Vec<_> = first.probes.iter().map(|p| (p.text.as_str(), p.numeric, p.span.start)).collect();
    assert_eq!(probes, [("BEGIN", false, 0), ("tick-1s", false, 8), ("3", true, 18)]);
    assert_eq!((first.span.start, first.span.end), (0, 29));
    assert_eq!((second.span.start, second.span.end), (30, 37));
    assert_eq!(second.body.as_deref(), Some(&[][..]));
    assert!(second.predicate.is_none());

    script().accepts("io:::start /* each */ { } BEGIN{}");
    near("BEGIN, { }", "1:8", "{");
    near("BEGIN END { }", "1:7", "END");
    near("BEGIN { } }", "1:11", "}");
}

#[test]
fn a_body_may_be_missing_in_a_string_only() {
    let program = string().accepts("BEGIN");
    assert!(matches!(&program.items[..], [Item::Clause(Clause { body: None, predicate: None, .. })]));
    string().accepts("BEGIN, END");
    string().accepts("BEGIN { x = 1 } END");
    string().accepts("3");
    let missing = "expected predicate and/or actions following probe description";
    script().refuses("BEGIN", Tag::Syntax, "1:6", missing);
    script().refuses("BEGIN { }\nEND\n", Tag::Syntax, "3:1", missing);
    let actions = "expected actions { } following probe description and predicate";
    string().refuses("BEGIN /1/", Tag::Syntax, "1:10", actions);
    script().refuses("BEGIN { }\nEND /1/\n", Tag::Syntax, "3:1", actions);
    string().refuses("BEGIN /1/ ;", Tag::Syntax, "1:11", "syntax error near \";\"");
    string().refuses("BEGIN {", Tag::Syntax, "1:8", "syntax error near end of input");
    string().refuses("BEGIN,", Tag::Syntax, "1:7", "syntax error near end of input");
}

#[test]
fn empty_programs() {
    let empty = "empty D program translation unit";
    script().refuses("", Tag::Empty, "1:1", empty);
    script().refuses("/* only\n */\n", Tag::Empty, "3:1", empty);
    script().refuses("#!/usr/sbin/dtrace -s\n#pragma D option quiet\n", Tag::Empty, "3:1", empty);
    string().refuses("  ", Tag::Empty, "1:3", empty);
    script().option("empty").accepts("/* */");
}

fn declared(text: &str) -> String {
    let program = script().accepts(text);
    crate::ast::print::program(&program)
}

#[test]
fn declarations() {
    for (text, expected) in [
        ("int x;", "int x;\n"),
        ("self int depth;", "self int depth;\n"),
        ("this string s;", "this string s;\n"),
        ("self n;", "self n;\n"),
        ("const n;", "const n;\n"),
        ("int *const p, q[3];", "int *p, q[3];\n"),
        ("uint64_t last[dev_t, int];", "uint64_t last[dev_t, int];\n"),
        ("int x[int][3];", "int x[int][3];\n"),
        ("int x[3][int];", "int x[3][int];\n"),
        ("int a[2 + 3], b[];", "int a[2 + 3], b[];\n"),
        ("int a[N];", "int a[N];\n"),
        ("int (*f)(int, ...), (x);", ""),
        ("int (*f[3])(void *p);", "int (*f[3])(void *p);\n"),
        ("struct s *p; union u *q; enum e v;", "struct s *p;\nunion u *q;\nenum e v;\n"),
        ("long unsigned u; int short signed v;", "long unsigned u;\nint short signed v;\n"),
        ("auto int x;", "auto int x;\n"),
        ("int;", "int;\n"),
        ("extern int;", "extern int;\n"),
        ("char int c;", "char int c;\n"),
        ("int x[struct s *, string];", "int x[struct s *, string];\n"),
        ("userland char *s; char userland *t;", "userland char *s;\nuserland char *t;\n"),
    ] {
        if !expected.is_empty() {
            assert_eq!(declared(text), expected, "{text}");
        }
    }
    let program = script().accepts("int *a[3], (*b)[3], (*c[2])(int);");
    let [Item::Declaration(declaration)] = program.items.as_slice() else { panic!("a declaration") };
    let shape = |derived: &[Derived]| {
        derived
            .iter()
            .map(|d| match d {
                Derived::Pointer => '*',
                Derived::Array(_) => '[',
                Derived::Assoc(_) => 'a',
                Derived::Function(..) => '(',
            })
            .collect::<String>()
    };
    let shapes: Vec<_> = declaration.declarators.iter().map(|d| shape(&d.derived)).collect();
    assert_eq!(shapes, ["*[", "[*", "(*["]);
}

#[test]
fn declarations_that_are_refused() {
    near("int x = 5; BEGIN { }", "1:7", "=");
    near("int x, string y; BEGIN { }", "1:8", "string");
    near("int x int y; BEGIN { }", "1:7", "int");
    near("int x, ; BEGIN { }", "1:8", ";");
    near("int\nBEGIN { }", "2:7", "{");
    near("int x[self int];", "1:12", "int");
    let class = "only one storage class allowed in a declaration";
    script().refuses("self static int x;", Tag::DeclClass, "1:6", class);
    script().refuses("self this int x;", Tag::DeclClass, "1:6", class);
    let parameter = "inappropriate storage class for function or associative array parameter";
    script().refuses("int x[static int];", Tag::DeclParmclass, "1:7", parameter);
    script().accepts("int x[register int];");
    let varargs = "associative array signature may not be of variable length";
    script().refuses("int x[int, ...];", Tag::DeclProtoVarargs, "1:12", varargs);
    script().refuses("int x[...];", Tag::DeclProtoVarargs, "1:7", varargs);
}

#[test]
fn malformed_definitions() {
    near("enum e { };", "1:10", "}");
    near("enum e { A, };", "1:13", "}");
    near("struct s { };", "1:12", "}");
    near("struct s { int; };", "1:15", ";");
    near("struct s { struct t { int a; }; int b; int c d; };", "1:31", ";");
    script().refuses(
        "int x[size_t typedef y, int];",
        Tag::DeclParmclass,
        "1:14",
        "inappropriate storage class for function or associative array parameter",
    );
    near("struct s { int (*)(int); };", "1:18", ")");
    near("inline int x;", "1:13", ";");
    near("translator struct s < int > { };", "1:27", ">");
    near("translator struct s < size_t > { };", "1:30", ">");
    let end = "syntax error near end of input";
    script().refuses("translator struct s < int i > { }", Tag::Syntax, "1:34", end);
}

#[test]
fn spans_cover_what_was_written() {
    let text = "BEGIN { x = (a + b) * f(c)[1]; }";
    let program = script().accepts(text);
    let mut sources = SourceMap::default();
    sources.add(Source { name: String::new(), kind: SourceKind::Script, text: text.to_string() });
    let [Item::Clause(Clause { body: Some(body), .. })] = program.items.as_slice() else {
        panic!("a clause")
    };
    let [Stmt::Expr(assign)] = body.as_slice() else { panic!("a statement") };
    let ExprKind::Assign { rhs: product, .. } = &assign.kind else { panic!("an assignment") };
    let ExprKind::Binary { lhs, rhs, .. } = &product.kind else { panic!("a product") };
    assert_eq!(sources.text(assign.span), "x = (a + b) * f(c)[1]");
    assert_eq!(sources.text(product.span), "(a + b) * f(c)[1]");
    assert_eq!(sources.text(lhs.span), "a + b");
    assert_eq!(sources.text(rhs.span), "f(c)[1]");
}

#[test]
fn ids_are_unique_and_below_the_count() {
    fn walk(expr: &Expr, ids: &mut Vec<u32>) {
        ids.push(expr.id.0);
        match &expr.kind {
            ExprKind::Binary { lhs, rhs, .. } | ExprKind::Assign { lhs, rhs, .. } => {
                walk(lhs, ids);
                walk(rhs, ids);
            }
            _ => {}
        }
    }
    let program = script().accepts("BEGIN { x = a + b * c } END { y = d - 1 }");
    let mut ids = Vec::new();
    for item in &program.items {
        let Item::Clause(Clause { body: Some(body), .. }) = item else { continue };
        for statement in body {
            let Stmt::Expr(expr) = statement else { continue };
            walk(expr, &mut ids);
        }
    }
    ids.sort_unstable();
    assert_eq!(ids, (0..program.expr_count).collect::<Vec<_>>());
    assert_eq!(ids.len(), 12);
}

#[test]
fn what_stands_before_an_error_is_there_for_the_checker() {
    let mut sources = SourceMap::default();
    let text = "void v; BEGIN { x } int y; BEGIN { y z }".to_string();
    let id = sources.add(Source { name: String::new(), kind: SourceKind::Script, text });
    let mut options = Options::default();
    let macros = Macros { args: &[], env: &Machine };
    let mut cx = ParseContext { macros, options: &mut options, names: &Predefined };
    let (program, error) = parse_prefix(&sources, id, &mut cx);
    assert_eq!(program.items.len(), 3);
    assert_eq!(error.map(|error| error.message).as_deref(), Some("syntax error near \"z\""));
}

#[test]
fn punctuation_that_programs_have_too_much_of() {
    for text in ["a:b:c:d,\n{ }", "a:b:c:d,  \n\t\n { x = 1; };", "BEGIN {};END {};\n", "BEGIN {\n};"] {
        script().accepts(text);
    }
    near("BEGIN, { }", "1:8", "{");
    near("BEGIN,\n/1/ { }", "2:1", "/");
    near("BEGIN,,\n{ }", "2:1", "{");
    near("BEGIN { } ;", "1:11", ";");
    near("BEGIN { };;", "1:11", ";");
    near("int x;;", "1:7", ";");
    near(";", "1:1", ";");
}

/// What can be a type or an expression is decided by the type environment (language spec §3.6).
#[test]
fn neutral_forms() {
    for (text, as_variable, as_type) in [
        ("x = (W)(y)", "(= x (call W y))", "(= x (cast W y))"),
        ("x = (W)*y", "(= x (* W y))", "(= x (cast W (* y)))"),
        ("x = (W)-y", "(= x (- W y))", "(= x (cast W (- y)))"),
        ("x = (W)&y", "(= x (& W y))", "(= x (cast W (& y)))"),
        ("x = (W)+y * z", "(= x (+ W (* y z)))", "(= x (* (cast W (+ y)) z))"),
        ("x = (W)(y)->a[1]", "(= x ([] (-> (call W y) a) 1))", "(= x (cast W ([] (-> y a) 1)))"),
        ("x = (W)(y, z)", "(= x (call W y z))", "(= x (cast W (, y z)))"),
        ("x = (W)(uint8_t)(y)", "", "(= x (cast W (cast uint8_t y)))"),
        ("x = (W)(W)(y) + 1", "(= x (+ (call (call W W) y) 1))", "(= x (+ (cast W (cast W y)) 1))"),
        ("x = (W)(W)-y", "(= x (- (call W W) y))", "(= x (cast W (cast W (- y))))"),
        ("x = (W)++ * y", "(= x (* (post++ W) y))", "(= x (cast W (++ (* y))))"),
        ("x = (W)++y", "", "(= x (cast W (++ y)))"),
        ("x = -(W)(y)", "(= x (- (call W y)))", "(= x (- (cast W y)))"),
        ("x = -(W)-y", "(= x (- (- W) y))", "(= x (- (cast W (- y))))"),
        ("x = a ? (W)(y) : (W)*z", "(= x (? a (call W y) (* W z)))", "(= x (? a (cast W y) (cast W (* z))))"),
        ("x = sizeof (W)", "(= x (sizeof W))", "(= x (sizeof-type W))"),
        ("x = sizeof (W) - 1", "(= x (- (sizeof W) 1))", "(= x (- (sizeof-type W) 1))"),
        ("x = sizeof (W)->a", "(= x (sizeof (-> W a)))", ""),
        ("x = stringof (W)(y)", "(= x (stringof (call W y)))", ""),
        ("(W)(y) = 1", "(= (call W y) 1)", ""),
        ("x = (W) + 1", "(= x (+ W 1))", "(= x (cast W (+ 1)))"),
        ("x = (W) == 1", "(= x (== W 1))", ""),
        ("x = (W)", "(= x W)", ""),
        ("x = (W) ? 1 : 2", "(= x (? W 1 2))", ""),
        ("x = (W)()", "(= x (call W))", ""),
        ("x = (W)[1]", "(= x ([] W 1))", ""),
        ("x = (W)y", "", "(= x (cast W y))"),
        ("x = (W)~y", "", "(= x (cast W (~ y)))"),
        ("x = (W)sizeof y", "", "(= x (cast W (sizeof y)))"),
        ("x = (W *)y", "", "(= x (cast W * y))"),
        ("x = (W **[3])y", "", "(= x (cast W **[3] y))"),
        ("x = (W *(int))y", "", "(= x (cast W *(int) y))"),
        ("x = (W (*)(int))y", "", "(= x (cast W (*)(int) y))"),
        ("x = (W * y)", "(= x (* W y))", ""),
        ("x = (W * (int)y)", "(= x (* W (cast int y)))", ""),
        ("x = (W(y))", "(= x (call W y))", ""),
        ("x = (W())", "(= x (call W))", ""),
        ("x = W + 1", "(= x (+ W 1))", ""),
        ("x = sizeof (char [W])", "(= x (sizeof-type char [W]))", "(= x (sizeof-type char [W]))"),
    ] {
        let with = |word: &str, expected: &str| {
            let text = text.replace('W', word);
            let expected = expected.replace('W', word);
            match expected.is_empty() {
                true => assert_eq!(outcome(&format!("BEGIN {{ {text} }}")), Err(Tag::Syntax), "{text}"),
                false => assert_eq!(tree(&text), expected, "{text}"),
            }
        };
        with("w", as_variable);
        with("size_t", as_type);
        // A variable hides a type, from its first use on.
        let hidden = format!("size_t = 1; {}", text.replace('W', "size_t"));
        match as_variable.replace('W', "size_t") {
            expected if expected.is_empty() => {
                assert_eq!(outcome(&format!("BEGIN {{ {hidden} }}")), Err(Tag::Syntax), "{hidden}");
            }
            expected => assert_eq!(tree(&hidden), format!("(= size_t 1); {expected}"), "{hidden}"),
        }
    }
}

#[test]
fn neutral_declarators() {
    let first = |text: &str| print::program(&script().accepts(text));
    for (text, expected) in [
        ("int x[w];", "int x[w];\n"),
        ("int x[size_t];", "int x[size_t];\n"),
        ("int x[size_t, w_t];", ""),
        ("int x[size_t, int];", "int x[size_t, int];\n"),
        ("int x[w * y];", "int x[w * y];\n"),
        ("int x[size_t * y];", "int x[size_t *y];\n"),
        ("int x[size_t * y, int];", "int x[size_t *y, int];\n"),
        ("int x[size_t *];", "int x[size_t *];\n"),
        ("int x[w * const y];", ""),
        ("int x[w * **y];", "int x[w * **y];\n"),
        ("int x[size_t **y];", "int x[size_t **y];\n"),
        ("self size_t x;", "self size_t x;\n"),
        ("self x;", "self x;\n"),
        ("self w x;", ""),
        ("const size_t x;", "const size_t x;\n"),
        ("self size_t;", "self size_t;\n"),
        ("extern f(int);", "extern f(int);\n"),
        ("self unsigned size_t;", "self unsigned size_t;\n"),
        (
            "struct s { size_t size_t; const size_t *b; size_t : 3; };",
            "struct s { size_t size_t; const size_t *b; size_t  : 3; };\n",
        ),
        ("struct s { w a; };", ""),
        (
            "typedef size_t a, b; a c; BEGIN { d = (b)e; }",
            "typedef size_t a, b;\na c;\nBEGIN\n{\n\td = (b)e;\n}\n",
        ),
        ("inline size_t x = size_t;", "inline size_t x = size_t;\n"),
    ] {
        match expected {
            "" => assert_eq!(outcome(text), Err(Tag::Syntax), "{text}"),
            _ => assert_eq!(first(text), expected, "{text}"),
        }
    }
    let keys = |text: &str| match &script().accepts(text).items[0] {
        Item::Declaration(declaration) => format!("{:?}", declaration.declarators[0].derived),
        _ => String::new(),
    };
    assert!(keys("int x[size_t * y];").starts_with("[Assoc"));
    assert!(keys("int x[w * y];").starts_with("[Array"));
}

#[test]
fn names_of_included_files() {
    let header = |text: &str| format!("# 1 \"h.h\" 1 3\n{text}\n# 2 \"a.d\" 2\nBEGIN {{ }}");
    for text in [
        "struct s { int counter, string; struct t *self; } this;",
        "int f(char *probe, int provider, int import);",
        "struct s { union { int a; }; int b; };",
        "static inline int f(int a) { return a; }",
    ] {
        script().accepts(&header(text));
        assert_eq!(outcome(text), Err(Tag::Syntax), "{text}");
    }
}

#[test]
fn a_structs_body_in_a_predicate() {
    for text in [
        "BEGIN / xlate <struct { int a; } *>(y)->a / { x = 1; } END { }",
        "BEGIN / sizeof (struct { int a; }) == 4 / { } END { }",
        "BEGIN / offsetof(struct { int a; struct { int c; } b; }, b) / { if (x) { y; } } END { }",
        "BEGIN / xlate <enum { A, B }>(y) / { } END { }",
    ] {
        assert_eq!(script().accepts(text).items.len(), 2, "{text}");
    }
    assert_eq!(string().accepts("BEGIN { } END").items.len(), 2);
    string().refuses(
        "BEGIN / xlate<struct { int a; } *>(y)->a /",
        Tag::Syntax,
        "1:43",
        "expected actions { } following probe description and predicate",
    );
}

#[test]
fn names_of_no_type() {
    for (text, at, name) in [
        ("BEGIN { x = (ghost_t *)arg0; }", "1:14", "ghost_t"),
        ("BEGIN { x = ((ghost_t * *)arg0)->a; }", "1:15", "ghost_t"),
        ("BEGIN { x = (ghost_t)y; }", "1:14", "ghost_t"),
        ("BEGIN { x = (ghost_t)5; }", "1:14", "ghost_t"),
        ("BEGIN { x = xlate<ghost_t>(y); }", "1:19", "ghost_t"),
        ("BEGIN { x = offsetof(ghost_t, a); }", "1:22", "ghost_t"),
        ("struct s { ghost_t a; };", "1:12", "ghost_t"),
        ("inline ghost_t n = 1;", "1:8", "ghost_t"),
        ("translator struct s < ghost_t i > { };", "1:23", "ghost_t"),
    ] {
        script().refuses(text, Tag::Syntax, at, &format!("unknown type name {name}"));
    }
    // Their subroutines are not there, whatever the types that go with them.
    for (text, at, name) in [
        ("BEGIN { trace(msgsize((mblk_t *)0)); }", "1:15", "msgsize"),
        ("BEGIN { trace(msgdsize( ((mblk_t *)arg0))); }", "1:15", "msgdsize"),
        ("BEGIN { trace(ddi_pathname((dev_info_t *)arg0, 1)); }", "1:15", "ddi_pathname"),
    ] {
        script().refuses(text, Tag::Unknown, at, &format!("unimplemented subroutine: {name}"));
    }
    for text in ["BEGIN { x = xmsgsize((mblk_t *)0); }", "BEGIN { xxx = strlen((mblk_t *)0); }"] {
        script().refuses(text, Tag::Syntax, "1:23", "unknown type name mblk_t");
    }
    let error = script().parse("BEGIN { x = ((vnode_t *)arg0)->v_path; }").expect_err("no type of Linux");
    assert_eq!(
        error.help.as_deref(),
        Some(
            "`vnode_t` is a type of another system's kernel; on Linux it is `struct inode`, or `struct dentry` for its name"
        )
    );
}
