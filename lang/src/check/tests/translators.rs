//! Translators, `xlate` and interfaces of providers.

use super::*;

const PAIR: &str =
    "struct s { int a; int b; string n; }; translator struct s < int i > { a = i; n = \"q\"; };\n";

#[track_caller]
fn check_pair(body: &str, expect: &str) {
    check(&format!("{PAIR}BEGIN {{ {body} }}"), expect);
}

#[test]
fn an_inline_of_a_translation_has_the_size_of_its_type() {
    let inlines = "inline struct s v = xlate <struct s> (3); inline struct s *p = xlate <struct s *> (3);";
    for size in ["sizeof (p) == 8", "sizeof (v) == sizeof (struct s)", "sizeof (*p) == sizeof (struct s)"] {
        check(&format!("{PAIR}{inlines} BEGIN {{ trace({size}); }}"), "ok");
    }
}

#[test]
fn uses() {
    for (body, expected) in [
        ("trace(xlate<struct s>(3).a);", "ok"),
        ("trace(xlate<struct s *>(3)->n);", "ok"),
        ("trace((*xlate<struct s *>(3)).n);", "ok"),
        ("trace(xlate<struct s>('x').a);", "ok"),
        ("trace(xlate<struct s>(3)->a);", "D_OP_PTR 2:15"),
        ("trace(xlate<struct s *>(3).a);", "D_OP_SOU 2:15"),
        ("trace(xlate<struct s>(3).b);", "D_XLATE_NOCONV 2:15"),
        ("trace(xlate<struct s>(3).zz);", "D_XLATE_NOCONV 2:15"),
        ("trace(xlate<struct s>(\"x\").a);", "D_XLATE_NONE 2:15"),
        ("trace(xlate<struct t>(3).a);", "D_XLATE_NONE 2:15"),
        ("trace(xlate<struct s>(3));", "D_TRACE_DYN 2:9"),
        ("xlate<struct s>(3);", "D_CG_DYN 2:9"),
        ("xlate<struct s>(3).a = 5;", "D_OP_LVAL 2:9"),
        ("x = xlate<struct s>(3); trace(x.n);", "ok"),
        ("x = xlate<struct s *>(3);", "D_OP_INCOMPAT 2:9"),
        ("x = 1; x = xlate<struct s>(3);", "D_OP_INCOMPAT 2:16"),
        ("trace(xlate<struct s>(3) + 1);", "D_OP_INCOMPAT 2:15"),
        ("trace(pid ? xlate<struct s>(3) : xlate<struct s>(4));", "D_OP_DYN 2:15"),
        ("y[xlate<struct s>(3)] = 1;", "D_KEY_TYPE 2:11"),
        ("trace(sizeof (xlate<struct s>(3)));", "D_SIZEOF_TYPE 2:15"),
        ("trace(sizeof (xlate<struct s>(3).a));", "ok"),
        ("trace(&xlate<struct s>(3).a);", "D_ADDROF_VAR 2:15"),
    ] {
        check_pair(body, expected);
    }
}

#[test]
fn definitions() {
    for (source, expected) in [
        (
            "struct s { int a; }; translator struct s < int i > { a = i; }; translator struct s < long i > { a = i; };",
            "ok",
        ),
        ("translator struct ghost < int i > { }; BEGIN { }", "D_XLATE_SOU 1:12"),
        ("struct s { int a; }; translator struct s * < int i > { a = 1; }; BEGIN { }", "D_XLATE_SOU 1:33"),
        ("struct s { int a; }; translator struct s < int i > { a = q; }; BEGIN { }", "D_IDENT_UNDEF 1:58"),
        (
            "struct s { int a; }; translator struct s < int i > { a = xlate<struct s>(i).a; }; BEGIN { }",
            "D_XLATE_NONE 1:58",
        ),
        (
            "struct s { int a; }; translator struct s < int i > { a = args[0]; }; BEGIN { }",
            "D_ARGS_NONE 1:58",
        ),
        (
            "struct i { int a; }; struct o { struct i in; }; translator struct i < int n > { a = n; };\n\
             translator struct o < int n > { in = xlate<struct i>(n + 1); }; BEGIN { trace(xlate<struct o>(3).in.a); }",
            "ok",
        ),
        (
            "struct s { int a; }; translator struct s < int i > { a = i; }; inline struct s *it = xlate<struct s *>(pid);\n\
             inline struct s all[int n] = xlate<struct s>(n); BEGIN { trace(it->a); trace(all[3].a); }",
            "ok",
        ),
        (
            "struct s { int a; }; translator struct s < int i > { a = i; }; inline int it = xlate<struct s *>(pid); BEGIN { }",
            "D_OP_INCOMPAT 1:64",
        ),
    ] {
        let source =
            if source.contains("BEGIN") { source.to_string() } else { format!("{source} BEGIN {{ }}") };
        check(&source, expected);
    }
}

#[test]
fn interfaces() {
    let zdefs = |source: &str| {
        let mut options = Options { zdefs: true, ..Options::default() };
        outcome(&[source], &mut options)
    };
    for (source, expected) in [
        (
            "provider pp { probe a__b(int, string s); }; pp123:::a-b { trace(args[0] + 1); trace(args[1]); }",
            "ok",
        ),
        ("provider pp { probe a(int x); }; pp:::a { trace(args[1]); }", "D_ARGS_IDX 1:49"),
        ("provider pp { probe a(void); }; pp:::a { trace(args[0]); }", "D_ARGS_IDX 1:48"),
        (
            "provider pp { probe a(int x, string y) : (string y); }; pp:::a { trace(args[0] + 1); trace(strlen(args[0])); }",
            "ok",
        ),
        ("provider pp { probe a(int x) : (int y); }; BEGIN { }", "D_DECL_PROTO_FORM 1:37"),
        ("provider pp { probe a(int x) : (int); }; BEGIN { }", "D_DECL_PROTO_NAME 1:33"),
        ("provider pp { probe a(int x, int x); }; BEGIN { }", "D_DECL_PROTO_FORM 1:34"),
        ("provider pp { probe a(int); }; provider pp { probe a(int); }; BEGIN { }", "ok"),
        (
            "provider pp { probe a(int); }; provider pp { probe a(string); }; BEGIN { }",
            "D_PROV_INCOMPAT 1:46",
        ),
        ("provider dtrace { probe BEGIN(); }; BEGIN { }", "ok"),
        ("provider p`p { probe a(int); }; BEGIN { }", "D_PROV_BADNAME 1:10"),
        (
            "struct s { int a; }; translator struct s < int i > { a = i; }; provider pp { probe a(int x) : (struct s *x); };\n\
             pp:::a { trace(args[0]->a); }",
            "ok",
        ),
        ("provider pp { probe a(int x) : (string x); }; BEGIN { }", "D_PROV_PRXLATOR 1:33"),
        ("provider pp { probe a(int *x) : (char *x); }; BEGIN { }", "D_PROV_PRXLATOR 1:34"),
        // What can be assigned needs no translator.
        ("provider pp { probe a(int x) : (long x); }; BEGIN { }", "ok"),
        ("provider pp { probe a(const char *x) : (string x); }; BEGIN { }", "ok"),
        ("provider pp { probe a(int *x) : (void *x); }; BEGIN { }", "ok"),
    ] {
        assert_eq!(zdefs(source), expected, "{source}");
    }
}

/// A translator for a typedef is another than that for its base type; the exact type comes first (language spec §7.4).
#[test]
fn translators_of_a_typedef_and_of_its_base() {
    const HEAD: &str =
        "typedef int my_t; struct s { int a; int b; }; translator struct s < my_t i > { a = 1; };\n";
    for (rest, expect) in [
        (
            "translator struct s < int i > { b = 2; }; my_t m; int n; BEGIN { trace(xlate<struct s>(m).a); }",
            "ok",
        ),
        (
            "translator struct s < int i > { b = 2; }; my_t m; int n; BEGIN { trace(xlate<struct s>(n).b); }",
            "ok",
        ),
        (
            "translator struct s < int i > { b = 2; }; BEGIN { trace(xlate<struct s>(1).a); }",
            "D_XLATE_NOCONV 2:57",
        ),
        ("translator struct s < my_t i > { b = 2; }; BEGIN { }", "D_XLATE_REDECL 2:1"),
        // The same type under another name comes before the first that takes the value.
        (
            "translator struct s < int i > { b = 2; }; typedef int other_t; typedef other_t third_t; third_t m; \
             BEGIN { trace(xlate<struct s>(m).a); }",
            "ok",
        ),
        (
            "struct i { int x; }; typedef struct i i_t; typedef i_t *p_t; translator struct s < void *v > { b = 3; }; \
             translator struct s < struct i *p > { a = p->x; }; p_t m; i_t list[2]; BEGIN { \
             trace(xlate<struct s>(m).a); trace(xlate<struct s>(list).b); trace(xlate<struct s>((char *)m).b); }",
            "ok",
        ),
        (
            "struct i { int x; }; translator struct s < struct i *p > { a = p->x; }; translator struct s < struct i **p > \
             { b = 1; }; struct i **m; BEGIN { trace(xlate<struct s>(m).a); }",
            "D_XLATE_NOCONV 2:150",
        ),
        ("long l; BEGIN { trace(xlate<struct s>(l).a); }", "ok"),
    ] {
        check(&format!("{HEAD}{rest}"), expect);
    }
}
