//! Declarations (language spec §7.1).

use super::{check, message, outcome};
use crate::options::Options;

#[test]
fn what_may_be_declared() {
    for (source, expect) in [
        ("int t; string t;", "D_DECL_IDRED 1:15"),
        ("int t; int t; BEGIN { }", "ok"),
        ("int pid;", "D_DECL_IDRED 1:5"),
        ("int trace; BEGIN { }", "D_DECL_IDRED 1:5"),
        ("int NULL; BEGIN { }", "D_DECL_IDRED 1:5"),
        ("self int pid; this int pid; BEGIN { self->pid = 1; }", "ok"),
        ("static int s; BEGIN { }", "D_DECL_BADCLASS 1:1"),
        ("auto int s; BEGIN { }", "D_DECL_BADCLASS 1:1"),
        ("extern int;", "D_DECL_USELESS 1:1"),
        ("int; BEGIN { }", "D_DECL_USELESS 1:1"),
        ("char int c; BEGIN { }", "D_DECL_COMBO 1:1"),
        ("double double c; BEGIN { }", "D_DECL_COMBO 1:1"),
        ("long char c; BEGIN { }", "D_DECL_CHARATTR 1:1"),
        ("short char c; BEGIN { }", "D_DECL_CHARATTR 1:1"),
        ("unsigned void *p; BEGIN { }", "D_DECL_VOIDATTR 1:1"),
        ("unsigned string s; BEGIN { }", "D_DECL_SIGNINT 1:1"),
        ("signed double d; BEGIN { }", "D_DECL_SIGNINT 1:1"),
        ("long string s; BEGIN { }", "D_DECL_LONGINT 1:1"),
        ("short long x; BEGIN { }", "D_UNKNOWN 1:1"),
        ("const x; BEGIN { }", "D_UNKNOWN 1:1"),
        ("self n; this m; BEGIN { self->n = 1; this->m = 2; }", "ok"),
        ("long unsigned u; int short signed v; BEGIN { u = 1; v = 2; }", "ok"),
        ("void v; BEGIN { }", "D_DECL_VOIDOBJ 1:6"),
        ("void v[3]; BEGIN { }", "D_DECL_VOIDOBJ 1:6"),
        ("void *v; BEGIN { v = 0; }", "ok"),
        ("struct ghost g; BEGIN { }", "D_DECL_INCOMPLETE 1:14"),
        ("struct ghost *g; BEGIN { trace(g->x); }", "D_OP_INCOMPLETE 1:32"),
        ("enum ghost g; BEGIN { }", "D_DECL_INCOMPLETE 1:12"),
        ("int a[-1]; BEGIN { }", "D_DECL_ARRSUB 1:7"),
        ("int a[0]; BEGIN { }", "D_DECL_ARRSUB 1:7"),
        ("int n; int a[n]; BEGIN { }", "D_DECL_ARRSUB 1:14"),
        ("int a[4294967296]; BEGIN { }", "D_DECL_ARRBIG 1:7"),
        ("int a[]; BEGIN { }", "D_DECL_ARRNULL 1:5"),
        ("int a[3][]; BEGIN { }", "D_DECL_ARRNULL 1:5"),
        ("self int a[]; BEGIN { }", "D_DECL_ARRNULL 1:10"),
        ("int a[int][]; BEGIN { }", "D_DECL_ARRNULL 1:5"),
        ("typedef int t[]; t v; BEGIN { }", "D_DECL_ARRNULL 1:20"),
        ("typedef int t[]; t *v; BEGIN { trace(sizeof (v)); }", "ok"),
        ("extern int x[]; extern char *names[]; extern int y[][3]; BEGIN { }", "ok"),
        ("int (*p)[]; BEGIN { p = (int (*)[])8; trace((*p)[2]); }", "ok"),
        ("struct s { int (*p)[]; }; BEGIN { trace(sizeof (struct s)); }", "ok"),
        ("int a[sizeof (\"abc\")]; BEGIN { a[3] = 1; }", "ok"),
        ("int a[-(-3)], b[!0], c[~0 & 7], d[(char)3]; BEGIN { a[2] = 1; }", "ok"),
        ("this int v[int]; BEGIN { }", "D_DECL_LOCASSC 1:10"),
        ("int x[3][int]; BEGIN { }", "D_DECL_DYNOBJ 1:5"),
        ("int a[void]; BEGIN { }", "D_DECL_PROTO_TYPE 1:7"),
        ("int a[int x, int x]; BEGIN { }", "D_DECL_PROTO_FORM 1:18"),
        ("int x[int]; int x[string]; BEGIN { }", "D_DECL_IDRED 1:17"),
        ("int x[int]; int x[int]; BEGIN { }", "ok"),
        ("int a`b; BEGIN { }", "D_DECL_SCOPE 1:5"),
        ("int f(int, char *); BEGIN { }", "ok"),
        ("int f(int); BEGIN { f(1); }", "D_FUNC_UNDEF 1:21"),
        ("int (*a)[3]; int *b[3]; BEGIN { b[2] = 0; }", "ok"),
        ("uint64_t last[pid_t, string]; BEGIN { last[1, \"a\"] = 1; }", "ok"),
        ("uint64_t last[pid_t, string]; BEGIN { last[1] = 1; }", "D_PROTO_LEN 1:39"),
        // Declarations are checked before clauses.
        ("BEGIN { x = y; }\nint a[-1];", "D_DECL_ARRSUB 2:7"),
        ("BEGIN { x = \"s\"; } int x;", "D_OP_INCOMPAT 1:9"),
    ] {
        check(source, expect);
    }
}

#[test]
fn ordinary_arrays() {
    for (source, expect) in [
        ("int a[4]; BEGIN { a[4] = 1; }", "D_ARR_BOUNDS 1:19"),
        ("int a[4]; BEGIN { a[-1] = 1; }", "D_ARR_BOUNDS 1:19"),
        ("int a[1]; BEGIN { a[7] = 1; }", "ok"),
        ("int a[4]; BEGIN { i = 9; trace(a[i]); }", "ok"),
        ("int a[2][3]; BEGIN { a[1][2] = 1; trace(a[1][2]); }", "ok"),
        ("int a[2][3]; BEGIN { a[1][3] = 1; }", "D_ARR_BOUNDS 1:22"),
        ("int a[4]; BEGIN { trace(a[1, 2]); }", "D_ARR_BADREF 1:25"),
        ("int a[4]; BEGIN { a = 0; }", "D_OP_ARRFUN 1:19"),
        ("int a[4]; BEGIN { a[\"x\"] = 0; }", "D_OP_INCOMPAT 1:19"),
        ("int a[4]; BEGIN { trace(sizeof (a)); }", "ok"),
        ("self string a[4]; BEGIN { self->a[1] = \"x\"; }", "ok"),
        ("this int a[4]; BEGIN { this->a[i] = 1; }", "D_IDENT_UNDEF 1:32"),
        ("this int a[4]; BEGIN { this->a[2] = 1; trace(this->a[pid & 3]); }", "ok"),
        ("this int a[129]; BEGIN { }", "D_UNKNOWN 1:10"),
        ("int x[int][3]; BEGIN { x[7][2] = 1; trace(x[7][2]); }", "ok"),
        ("int x[int][3]; BEGIN { x[7][3] = 1; }", "D_ARR_BOUNDS 1:24"),
        ("int a[4]; BEGIN { trace(*(a + 3)); trace(*a); *a = 1; *&a[1] = 2; }", "ok"),
        ("int a[4]; BEGIN { trace(&a[1]); trace(&a[1] - a); }", "ok"),
        ("int a[4]; BEGIN { trace(&a); }", "D_ADDROF_VAR 1:25"),
        ("int a[4]; BEGIN { a++; }", "D_OP_SCALAR 1:19"),
    ] {
        check(source, expect);
    }
}

#[test]
fn typedefs_and_externs() {
    for (source, expect) in [
        ("typedef int num; num n; BEGIN { n = 1; trace((num)n); trace(sizeof (num)); }", "ok"),
        ("typedef struct q { int z; struct q *next; } q_t; q_t v; BEGIN { v.next = 0; v.z = 1; }", "ok"),
        ("typedef int a_t[3]; a_t v; BEGIN { v[2] = 1; trace(sizeof (v) + sizeof (a_t)); }", "ok"),
        ("typedef int a_t[3]; a_t v; BEGIN { v[3] = 1; }", "D_ARR_BOUNDS 1:36"),
        ("typedef int (*f_t)(int, char *, ...); f_t f; BEGIN { f = 0; }", "ok"),
        ("typedef int n; typedef int n; BEGIN { }", "D_DECL_IDRED 1:28"),
        ("int n; typedef int n; BEGIN { }", "D_DECL_IDRED 1:20"),
        ("typedef int n; int n; BEGIN { }", "D_DECL_IDRED 1:20"),
        ("typedef int pid; BEGIN { }", "D_DECL_IDRED 1:13"),
        ("typedef void vv; vv x; BEGIN { }", "D_DECL_VOIDOBJ 1:21"),
        ("typedef int n[int]; BEGIN { }", "D_DECL_DYNOBJ 1:13"),
        ("typedef int; BEGIN { }", "D_DECL_USELESS 1:1"),
        ("typedef int a`b; BEGIN { }", "D_DECL_SCOPE 1:13"),
        ("BEGIN { trace((ghost_t *)1); }", "D_SYNTAX 1:16"),
        ("extern int zork; extern int zork; BEGIN { }", "ok"),
        ("extern int zork; extern long zork; BEGIN { }", "D_DECL_IDRED 1:30"),
        ("extern int zork; BEGIN { trace(zork); }", "D_IDENT_UNDEF 1:32"),
        ("extern int; BEGIN { }", "D_DECL_USELESS 1:1"),
        ("int f(), f(void), f(int); int f(char *, ...); BEGIN { }", "ok"),
        ("int f(void, int); BEGIN { }", "D_DECL_PROTO_VOID 1:7"),
        ("int f(void x); BEGIN { }", "D_DECL_PROTO_NAME 1:12"),
        ("int f(int x, int x); BEGIN { }", "D_DECL_PROTO_FORM 1:18"),
        ("int f(int x[int]); BEGIN { }", "D_DECL_PROTO_TYPE 1:7"),
        ("int f(static int x); BEGIN { }", "D_DECL_PARMCLASS 1:7"),
        ("self int f(int); BEGIN { }", "D_DECL_INCOMPLETE 1:10"),
        // The portable names are there on every machine.
        (
            "boolean_t b; uint_t u; caddr_t c; hrtime_t h; zoneid_t z; BEGIN { c = 0; trace(sizeof (h)); }",
            "ok",
        ),
    ] {
        check(source, expect);
    }
}

#[test]
fn definitions() {
    for (source, expect) in [
        ("struct e { }; BEGIN { }", "D_SYNTAX 1:12"),
        ("struct s { int; }; BEGIN { }", "D_SYNTAX 1:15"),
        ("struct s { int a; int a; }; BEGIN { }", "D_UNKNOWN 1:23"),
        ("struct s { int a; }; struct s { int a; }; BEGIN { }", "D_DECL_TYPERED 1:22"),
        ("struct s { int a; }; union s { int a; }; enum s { A }; BEGIN { }", "ok"),
        ("struct s { void v; }; BEGIN { }", "D_DECL_VOIDOBJ 1:17"),
        ("struct s { void v[2]; }; BEGIN { }", "D_DECL_VOIDOBJ 1:17"),
        ("struct s { struct s x; }; BEGIN { }", "D_DECL_INCOMPLETE 1:21"),
        ("struct s { struct g x[2]; }; BEGIN { }", "D_DECL_INCOMPLETE 1:21"),
        ("struct s { int f(int); }; BEGIN { }", "D_DECL_INCOMPLETE 1:16"),
        ("struct s { int a[int]; }; BEGIN { }", "D_DECL_DYNOBJ 1:16"),
        ("struct s { int a`x; }; BEGIN { }", "D_DECL_SCOPE 1:16"),
        ("struct a`s { int x; }; BEGIN { }", "D_DECL_SCOPE 1:8"),
        ("struct s { int n; char rest[]; }; struct s v; BEGIN { v.rest[3] = 1; }", "ok"),
        ("struct s { char a[2][]; }; BEGIN { }", "D_DECL_ARRNULL 1:17"),
        ("struct b { int f : 33; }; BEGIN { }", "D_DECL_BFSIZE 1:20"),
        ("struct b { int f : 0; }; BEGIN { }", "D_DECL_BFCONST 1:20"),
        ("struct b { int f : pid; }; BEGIN { }", "D_DECL_BFCONST 1:20"),
        ("struct b { int : 0; int : 40; }; BEGIN { }", "D_DECL_BFSIZE 1:27"),
        ("struct b { char *f : 3; }; BEGIN { }", "D_DECL_BFTYPE 1:22"),
        ("enum e { A }; struct b { enum e f : 3; }; BEGIN { }", "D_DECL_BFTYPE 1:37"),
        ("struct b { int f : 3; } v; BEGIN { trace(&v.f); }", "D_ADDROF_BITFIELD 1:42"),
        ("struct b { int f : 3; } v; BEGIN { trace(sizeof (v.f)); }", "D_SIZEOF_BITFIELD 1:42"),
        ("struct b { int f : 3; }; BEGIN { trace(offsetof(struct b, f)); }", "D_OFFSETOF_BITFIELD 1:59"),
        ("struct b { int f; }; BEGIN { trace(offsetof(struct b, g)); }", "D_UNKNOWN 1:55"),
        ("BEGIN { trace(offsetof(int, g)); }", "D_OFFSETOF_TYPE 1:15"),
        ("BEGIN { trace(offsetof(struct ghost, g)); }", "D_OFFSETOF_TYPE 1:15"),
        ("int x[int a[int]]; BEGIN { }", "D_DECL_PROTO_TYPE 1:7"),
        ("provider pp { probe x(int a[int]); }; BEGIN { }", "D_DECL_PROTO_TYPE 1:23"),
        ("BEGIN { system(5); }", "D_PRINTF_ARG_FMT 1:9"),
        ("BEGIN { trace(ddi_pathname(1)); }", "D_PROTO_LEN 1:15"),
        ("BEGIN { trace(ddi_pathname(5, 1)); }", "D_PROTO_ARG 1:15"),
        ("BEGIN { trace(ddi_pathname((void *)5, 1)); }", "D_UNKNOWN 1:15"),
        ("BEGIN { trace(msgsize()); }", "D_PROTO_LEN 1:15"),
        ("BEGIN { trace(msgsize(5)); }", "D_PROTO_ARG 1:15"),
        ("BEGIN { trace(msgdsize(0)); }", "D_UNKNOWN 1:15"),
        ("BEGIN { freopen(curthread); }", "D_PRINTF_ARG_FMT 1:9"),
        ("enum e { A = \"x\" }; BEGIN { }", "D_DECL_ENCONST 1:14"),
        ("enum e { A = 0x80000000 }; BEGIN { }", "D_DECL_ENOFLOW 1:10"),
        ("enum e { A = -2147483649 }; BEGIN { }", "D_DECL_ENOFLOW 1:10"),
        ("enum e { A = 2147483647, B }; BEGIN { }", "D_DECL_ENOFLOW 1:26"),
        ("enum e { A, A }; BEGIN { }", "D_UNKNOWN 1:13"),
        ("enum e { A }; enum f { A }; BEGIN { }", "D_DECL_IDRED 1:24"),
        ("int A; enum e { A }; BEGIN { }", "D_DECL_IDRED 1:17"),
        ("enum e { A }; int A; BEGIN { }", "D_DECL_IDRED 1:19"),
        ("enum e { A`b }; BEGIN { }", "D_DECL_SCOPE 1:10"),
        ("enum e { pid }; BEGIN { }", "D_DECL_IDRED 1:10"),
        ("enum e { A = 3, B } v; int a[B]; BEGIN { v = A; trace(v == B); trace(A + B); a[3] = 1; }", "ok"),
        ("struct s { int a; } struct t { int b; }; BEGIN { }", "D_DECL_COMBO 1:1"),
        ("unsigned struct s { int a; } v; BEGIN { }", "D_DECL_SIGNINT 1:1"),
        ("long struct s { int a; } v; BEGIN { }", "D_DECL_LONGINT 1:1"),
        ("struct s; struct s *p; struct s { int a; }; struct s v; BEGIN { v.a = 1; trace(p->a); }", "ok"),
    ] {
        check(source, expect);
    }
}

#[test]
fn members() {
    const S: &str =
        "struct s { int a; struct { int x, y; } in[3]; char *p; string t; union { int i; char c[8]; } u; }; ";
    for (body, expect) in [
        ("struct s v; BEGIN { v.a = 1; v.in[2].y++; v.t = execname; v.u.c[3] = 1; trace(v.u.i); }", "ok"),
        ("struct s v; BEGIN { trace(v.zork); }", "D_TYPE_MEMBER"),
        ("struct s v; BEGIN { trace(v->a); }", "D_OP_PTR"),
        ("struct s *v; BEGIN { trace(v.a); }", "D_OP_SOU"),
        ("int v; BEGIN { trace(v.a); }", "D_OP_SOU"),
        ("int v; BEGIN { trace(v->a); }", "D_OP_PTR"),
        ("int *v; BEGIN { trace(v->a); }", "D_OP_SOU"),
        ("struct s v[3]; BEGIN { trace(v->a); }", "D_OP_PTR"),
        ("struct s v[3]; BEGIN { trace(v[1].a); trace((v + 1)->a); }", "ok"),
        ("struct s v; BEGIN { v.in[3].x = 1; }", "D_ARR_BOUNDS"),
        ("struct s v, w; BEGIN { w = v; self->w = v; self->w.a = 2; this->w = self->w; }", "ok"),
        ("struct s v[int]; BEGIN { v[3].a = 1; v[3] = 0; trace(v[3].in[1].x); }", "ok"),
        ("struct s v; int w; BEGIN { v = w; }", "D_OP_INCOMPAT"),
        ("struct s v; BEGIN { v = 0; }", "D_OP_INCOMPAT"),
        ("struct s v, w; BEGIN { trace(v == w); }", "D_OP_INCOMPAT"),
        ("struct s v; BEGIN { trace(&v); }", "D_ADDROF_VAR"),
        ("struct s v; BEGIN { trace(&v.a); trace(&v.in[1].y); }", "ok"),
        ("struct s v; BEGIN { v.in = 0; }", "D_OP_ARRFUN"),
        ("struct s *p; BEGIN { p = (struct s *)arg0; trace(p->in[1].y); trace(stringof(p->p)); }", "ok"),
        ("struct s *p; BEGIN { p = (struct s *)arg0; p->a = 1; }", "D_OP_WRITE"),
        ("struct s *p; BEGIN { p = (struct s *)arg0; p->u.c[1]++; }", "D_OP_WRITE"),
        ("BEGIN { this->p = (struct s *)copyin(1, 8); this->p->a = 1; this->p->in[pid & 1].x++; }", "ok"),
        ("BEGIN { trace(sizeof (struct s)); trace(sizeof (((struct s *)0)->in)); }", "ok"),
        ("BEGIN { x = *(struct s *)arg0; trace(x.a); }", "ok"),
        ("BEGIN { trace(((struct s)*(struct s *)arg0).a); }", "ok"),
        ("BEGIN { trace((int)*(struct s *)arg0); }", "D_CAST_INVAL"),
    ] {
        let source = format!("{S}{body}");
        let found = outcome(&[&source], &mut Options::default());
        assert_eq!(found.split(' ').next(), Some(expect), "{body}: {found}");
    }
}

/// Text that is hostile to a checker: an error with a tag, or success, in little time and memory.
#[test]
fn hostile_declarations() {
    let nested = |depth: usize| {
        let mut text = "struct s0 { char c[2147483647]; };".to_string();
        for i in 1..depth {
            text += &format!("struct s{i} {{ struct s{} a[2147483647], b; }};", i - 1);
        }
        text + " BEGIN { }"
    };
    let doubled = |depth: usize| {
        let mut text = "struct s0 { int : 3; };".to_string();
        for i in 1..depth {
            text += &format!("struct s{i} {{ struct s{0} a, b; }};", i - 1);
        }
        text + &format!("struct s{} v; BEGIN {{ }}", depth - 1)
    };
    let chained = |depth: usize| {
        let mut text = "typedef int t0;".to_string();
        for i in 1..depth {
            text += &format!("typedef t{} *t{i};", i - 1);
        }
        text + " BEGIN { }"
    };
    let wide = |members: usize| {
        let names: Vec<String> = (0..members).map(|i| format!("m{i}")).collect();
        format!("struct s {{ int {}; }} v; BEGIN {{ v.m0 = 1; }}", names.join(", "))
    };
    for (source, expect) in [
        ("int a[2147483648]; BEGIN { a[2147483647] = 1; }".to_string(), "ok"),
        ("int a[4294967295][4294967295]; BEGIN { }".to_string(), "D_DECL_ARRBIG"),
        ("BEGIN { trace(sizeof (char[4294967295][32767])); }".to_string(), "ok"),
        ("BEGIN { trace(sizeof (char[4294967295][4294967295][4294967295])); }".to_string(), "D_DECL_ARRBIG"),
        (nested(3), "D_DECL_ARRBIG"),
        // 2^40 members without a name, 2^59 bytes.
        (doubled(38), "D_UNKNOWN"),
        (doubled(60), "D_DECL_ARRBIG"),
        (doubled(2000), "D_DECL_ARRBIG"),
        (chained(45), "ok"),
        (chained(5000), "D_UNKNOWN"),
        (wide(500), "ok"),
        (wide(100_000), "D_UNKNOWN"),
        (format!("int {}x; BEGIN {{ }}", "*".repeat(60)), "ok"),
        (format!("int {}x; BEGIN {{ }}", "*".repeat(5000)), "D_SYNTAX"),
        (format!("int x{}; BEGIN {{ }}", "[1]".repeat(5000)), "D_SYNTAX"),
        (
            format!("{}int x;{} v; BEGIN {{ }}", "struct { ".repeat(150), "} m;".repeat(149) + "}"),
            "D_UNKNOWN",
        ),
        (
            format!("{}int x;{} v; BEGIN {{ }}", "struct { ".repeat(5000), "} m;".repeat(4999) + "}"),
            "D_SYNTAX",
        ),
    ] {
        let found = outcome(&[&source], &mut Options::default());
        assert_eq!(found.split(' ').next(), Some(expect), "{}: {found}", &source[..source.len().min(100)]);
    }
}

/// Variables, inlines, enumerators, typedefs and what the language has share one space of names (language spec §7.1, §7.3).
#[test]
fn a_name_is_one_thing() {
    let kinds = [
        ("variable", "int y;"),
        ("array", "int y[int];"),
        ("typedef", "typedef int y;"),
        ("enumerator", "enum { y };"),
        ("inline", "inline int y = 3;"),
        ("array inline", "inline int y[int a] = a;"),
    ];
    let fine =
        [("variable", "variable"), ("array", "array"), ("inline", "variable"), ("array inline", "array")];
    for (first, one) in kinds {
        for (second, other) in kinds {
            let at = one.len() + 1 + other.find(" y").map_or(0, |at| at + 2);
            let expect = match fine.contains(&(first, second)) {
                true => "ok".to_owned(),
                false => format!("D_DECL_IDRED 1:{at}"),
            };
            check(&format!("{one} {other} BEGIN {{ }}"), &expect);
        }
    }
    // Symbols, tags, members and the variables of threads and clauses have spaces of their own.
    for (_, one) in kinds {
        for other in ["extern int y;", "int y(int);", "struct y { int y; };", "self int y; this char y;"] {
            check(&format!("{one} {other} BEGIN {{ }}"), "ok");
            check(&format!("{other} {one} BEGIN {{ }}"), "ok");
        }
        check(&format!("{one} BEGIN {{ @y = count(); self->y = 1; this->y = 2; }}"), "ok");
    }
    // What the language has is nothing else, except the name of a symbol.
    for name in ["pid", "args", "fds2x", "strlen", "trace", "count", "NULL", "EINVAL", "curpsinfo"] {
        let expect = |at: usize| match name {
            // The library is not loaded here.
            "fds2x" | "curpsinfo" => "ok".to_owned(),
            _ => format!("D_DECL_IDRED 1:{at}"),
        };
        check(&format!("typedef int {name}; BEGIN {{ }}"), &expect(13));
        check(&format!("enum {{ {name} }}; BEGIN {{ }}"), &expect(8));
        check(&format!("inline int {name} = 1; BEGIN {{ }}"), &expect(12));
        check(&format!("int {name}; BEGIN {{ }}"), &expect(5));
        check(&format!("extern int {name}; BEGIN {{ }}"), "ok");
    }
    for (source, expect) in [
        ("extern int y; extern int y; BEGIN { }", "ok"),
        ("extern int y; extern long y; BEGIN { }", "D_DECL_IDRED 1:27"),
        ("extern int y; int y(int); BEGIN { }", "D_DECL_IDRED 1:19"),
        ("enum e { y }; enum f { y }; BEGIN { }", "D_DECL_IDRED 1:24"),
        ("enum e { y, y }; BEGIN { }", "D_UNKNOWN 1:13"),
        ("typedef int y; typedef int y; BEGIN { }", "D_DECL_IDRED 1:28"),
    ] {
        check(source, expect);
    }
}

/// The messages say what the name was and what it was to be.
#[test]
fn what_a_redeclaration_says() {
    for (source, message_of) in [
        ("enum e { y }; enum f { y };", "y\n\t current: enumerator\n\tprevious: enumerator"),
        ("enum e { y }; typedef int y;", "y\n\t current: typedef int\n\tprevious: enumerator"),
        ("typedef int y; inline long y = 1;", "y\n\t current: inline long\n\tprevious: typedef"),
        ("inline long y = 1; enum { y };", "y\n\t current: enumerator\n\tprevious: inline long"),
        ("char *y; enum { y };", "y\n\t current: enumerator\n\tprevious: scalar char *"),
    ] {
        message(source, &format!("identifier redeclared: {message_of}"));
    }
}

/// Nothing can be kept, recorded or used as a key of which only the tag is known.
#[test]
fn values_of_incomplete_types() {
    let known = "struct inc *p; ";
    for (source, expected) in [
        ("BEGIN { x = *p; }", "D_OP_INCOMPLETE 1:28"),
        ("BEGIN { trace(*p); }", "D_OP_INCOMPLETE 1:30"),
        ("BEGIN { q[*p] = 1; }", "D_OP_INCOMPLETE 1:26"),
        ("BEGIN { @[*p] = count(); }", "D_OP_INCOMPLETE 1:26"),
        ("int q[struct inc]; BEGIN { }", "D_DECL_INCOMPLETE 1:22"),
        ("BEGIN { x = p; @[p] = count(); trace(p); }", "ok"),
    ] {
        check(&format!("{known}{source}"), expected);
    }
}

/// What an included file declares is in a space of its own (language spec §5.6, §2.14).
#[test]
fn variables_with_the_name_of_a_type_of_an_included_file() {
    let included = "# 1 \"a.h\" 1\ntypedef int t;\n# 1 \"b.d\" 2\n";
    check(&format!("{included}int t; BEGIN {{ t = 1; }}"), "ok");
    check(&format!("{included}inline int t = 3; BEGIN {{ trace(t); }}"), "ok");
    check("typedef int t; int t; BEGIN { }", "D_DECL_IDRED 1:20");
}
