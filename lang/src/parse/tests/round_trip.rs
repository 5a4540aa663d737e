//! Printing a tree and parsing the text gives the same tree, places and ids apart.

use super::*;

#[track_caller]
fn check(text: &str) -> String {
    let first = script().accepts(text);
    let printed = print::program(&first);
    let second = script().accepts(&printed);
    assert_eq!(first.without_places(), second.clone().without_places(), "{text:?}\n{printed}");
    assert_eq!(print::program(&second), printed);
    printed
}

#[test]
fn programs() {
    let printed = check(
        "#pragma D binding \"1.2\" x\nint x, *p[3]; self string s; BEGIN,END/*c*/\n/ x==1&&y /{ if(x)y=1;else if(z){} else{w;;}\
         @[1,\"a\\n\\377\\\"\"]=count() }",
    );
    assert_eq!(
        printed,
        "#pragma D binding \"1.2\" x\nint x, *p[3];\nself string s;\nBEGIN,\nEND\n/ x == 1 && y /\n{\n\tif (x) {\n\t\t\
         y = 1;\n\t} else if (z) {\n\t} else {\n\t\tw;\n\t\t;\n\t}\n\t@[1, \"a\\n\\377\\\"\"] = count();\n}\n"
    );
}

#[test]
fn declarations() {
    for text in [
        "struct s { int a, *b; unsigned c : 3, : 0; int : 2; struct t { char d[3]; } e; union { int f; } g[2]; };",
        "struct s *x, *f(struct t), (*g)(int, char *, ...), h(...);",
        "typedef const struct { string name; int (*f)(void); char rest[]; } s_t;",
        "enum hue { RED = 1, BLUE, GREEN = RED + (BLUE ? 2 : 3) } h;",
        "extern volatile int jiffies;",
        "self struct s { int a; } x;",
        "this union u x[3];",
        "struct s { int a; } struct t { int b; } x;",
        "int x[struct s { int a; }, enum { A }];",
        "const userland struct s *p;",
        "struct mod`s *p;",
        "# 1 \"h.h\" 1 3\nstruct s { union { int a; struct { int b, c; }; }; int d; };\n# 2 \"a.d\" 2\nstruct t { int a; };",
        "BEGIN { x = offsetof (struct s, while) + sizeof (struct { int a : 3; } *[2]); y = (struct s *(*)(int))z; }",
    ] {
        check(text);
    }
}

#[test]
fn parentheses_only_where_needed() {
    for (text, expected) in [
        ("((a)+(b*c))", "a + b * c"),
        ("(a+b)*c", "(a + b) * c"),
        ("a-(b-c)", "a - (b - c)"),
        ("(a-b)-c", "a - b - c"),
        ("(a=b)=c", "(a = b) = c"),
        ("a=(b=c)", "a = b = c"),
        ("a?(b,c):(d?e:f)", "a ? b, c : d ? e : f"),
        ("(a?b:c)?d:e", "(a ? b : c) ? d : e"),
        ("a?b:(c=d)", "a ? b : (c = d)"),
        ("-(-x)", "- -x"),
        ("-(--x)", "- --x"),
        ("+(+x)", "+ +x"),
        ("-(+x)", "-+x"),
        ("&(&x)", "& &x"),
        ("!(!x)", "!!x"),
        ("*(*x)", "**x"),
        ("a&(&b)", "a & &b"),
        ("a - -1", "a - -1"),
        ("(int)(-x)", "(int)-x"),
        ("-((int)x)", "-(int)x"),
        ("++(*p)", "++*p"),
        ("((int)x)++", "((int)x)++"),
        ("(-x)++", "(-x)++"),
        ("sizeof ((int)x)", "sizeof ((int)x)"),
        ("(sizeof (int))[1]", "(sizeof (int))[1]"),
        ("f((a,b),c=d)", "f((a, b), c = d)"),
        ("(1).x", "(1).x"),
        ("(*p).x", "(*p).x"),
        ("(f)(x)", "f(x)"),
        ("(f+g)(x)", "(f + g)(x)"),
        ("1u+0x10UL+010+'a'", "1u + 0x10ul + 0x8 + 97"),
        ("*p/ *q", "*p / *q"),
    ] {
        let printed = check(&format!("BEGIN {{ {text} }}"));
        assert_eq!(printed, format!("BEGIN\n{{\n\t{expected};\n}}\n"), "{text}");
    }
    check("BEGIN /*c*/ / *p / { }");
}

#[test]
fn definitions() {
    let text = "inline int n = 5, 2;";
    assert!(script().parse(text).is_err(), "{text}");
    for (text, expected) in [
        ("inline int n=(5,2)*x;", "inline int n = (5, 2) * x;\n"),
        (
            "inline self string s[int a,char*b]=a?\"x\":b;",
            "inline self string s[int a, char *b] = a ? \"x\" : b;\n",
        ),
        (
            "translator struct s<struct t*T>{a=T->b;b=1;};",
            "translator struct s < struct t *T > {\n\ta = T->b;\n\tb = 1;\n};\n",
        ),
        ("translator struct s < int i > {};", "translator struct s < int i > {\n};\n"),
        (
            "provider p{probe a(int,char*c):(string s);probe b();};",
            "provider p {\n\tprobe a(int, char *c) : (string s);\n\tprobe b();\n};\n",
        ),
        ("BEGIN { xlate<struct s *>((a, b))->m }", "BEGIN\n{\n\txlate<struct s *>(a, b)->m;\n}\n"),
        ("inline int x = xlate<const size_t>(y);", "inline int x = xlate<const size_t>(y);\n"),
    ] {
        assert_eq!(check(text), expected, "{text}");
    }
}
