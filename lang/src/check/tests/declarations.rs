//! Declarations (language spec §7.1).

use super::check;

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
        ("int a[sizeof (\"abc\")]; BEGIN { a[3] = 1; }", "ok"),
        ("int a[-(-3)], b[!0], c[~0 & 7], d[(char)3]; BEGIN { a[2] = 1; }", "ok"),
        ("this int v[int]; BEGIN { }", "D_DECL_LOCASSC 1:10"),
        ("int x[3][int]; BEGIN { }", "D_DECL_DYNOBJ 1:5"),
        ("int a[void]; BEGIN { }", "D_DECL_PROTO_TYPE 1:7"),
        ("int a[int x, int x]; BEGIN { }", "D_DECL_PROTO_FORM 1:18"),
        ("int x[int]; int x[string]; BEGIN { }", "D_DECL_IDRED 1:17"),
        ("int x[int]; int x[int]; BEGIN { }", "ok"),
        ("int a`b; BEGIN { }", "D_DECL_SCOPE 1:5"),
        ("int f(int, char *); BEGIN { }", "D_UNKNOWN 1:5"),
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
        ("this int a[4]; BEGIN { }", "D_UNKNOWN 1:10"),
        ("int x[int][3]; BEGIN { }", "D_UNKNOWN 1:5"),
        ("int a[4]; BEGIN { trace(*(a + 3)); }", "D_UNKNOWN 1:27"),
    ] {
        check(source, expect);
    }
}
