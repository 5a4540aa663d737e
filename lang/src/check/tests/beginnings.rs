//! Items that an error ends: what is complete before it is checked as the parser comes to it, and its error is first
//! (language spec §1.5).
//!
//! A node is made when its last token is read, or, where it could go on, the token behind it; a definition of an inline, a
//! translator or a provider at its semicolon.

use super::*;

#[test]
fn what_is_complete_is_checked_first() {
    for (source, expected) in [
        ("BEGIN { x = 1 / 0; y = ; }", "D_DIV_ZERO 1:13"),
        ("BEGIN { x = 1 / 0; trace($nosuch); }", "D_DIV_ZERO 1:13"),
        ("BEGIN { x = 1 / 0; y = 08; }", "D_DIV_ZERO 1:13"),
        ("struct s { void v; int 5; };", "D_DECL_VOIDOBJ 1:17"),
        ("enum e { A = \"x\", };", "D_DECL_ENCONST 1:14"),
        ("enum e { A = \"x\" };", "D_DECL_ENCONST 1:14"),
        ("int a[-1], 5;", "D_DECL_ARRSUB 1:7"),
        ("int a[-1] 5;", "D_DECL_ARRSUB 1:7"),
        ("int a[-1", "D_SYNTAX 1:9"),
        ("inline int pid = ;", "D_SYNTAX 1:18"),
        ("inline int q = 1 / 0 + ;", "D_DIV_ZERO 1:16"),
        ("inline int q[int n] = 1 / n + ;", "D_SYNTAX 1:31"),
        ("provider p9 { probe ; };", "D_SYNTAX 1:21"),
        ("provider pp { probe x(int a, void); probe ; };", "D_DECL_PROTO_VOID 1:30"),
        ("struct s { int a; }; translator struct s < int i > { zz = 1; a = ; };", "D_SYNTAX 1:66"),
        ("struct s { int a; }; translator struct s < int i > { a = 1 / 0; a = ; };", "D_DIV_ZERO 1:58"),
        ("BEGIN { x = 1 / 0 + ; }", "D_DIV_ZERO 1:13"),
        ("BEGIN { x = (1 / 0) + $nosuch; }", "D_DIV_ZERO 1:14"),
        ("BEGIN { x = 1 / 0 $nosuch; }", "D_MACRO_UNDEF 1:19"),
        ("BEGIN { x = 1 / 0 5; }", "D_DIV_ZERO 1:13"),
        ("BEGIN { trace(1 / 0, ; }", "D_DIV_ZERO 1:15"),
        ("BEGIN { trace(5 / (0 ; }", "D_SYNTAX 1:22"),
        ("BEGIN { x = 5 / 0[ ; }", "D_SYNTAX 1:20"),
        ("BEGIN { ghost(1 ; }", "D_SYNTAX 1:17"),
        ("BEGIN { ghost(1) ; x = ; }", "D_FUNC_UNDEF 1:9"),
        ("BEGIN { pid(1) ; x = ; }", "D_FUNC_IDKIND 1:9"),
        ("BEGIN { x = 5 / (1 ? 0 : ; }", "D_SYNTAX 1:26"),
        ("BEGIN { x = 1 ? 5 / 0 : ; }", "D_DIV_ZERO 1:17"),
        ("BEGIN { x = 1 ? 5 / 0 ; }", "D_DIV_ZERO 1:17"),
        ("BEGIN { x = 5 / 0 ? ; }", "D_DIV_ZERO 1:13"),
        ("BEGIN { x = sizeof (void ; }", "D_SYNTAX 1:26"),
        ("BEGIN { x = sizeof (void) + ; }", "D_SIZEOF_TYPE 1:13"),
        ("BEGIN { if (1 / 0) { x = ; } }", "D_DIV_ZERO 1:13"),
        ("BEGIN { if (pid) { x = 1; } else { y = 1 / 0; } if ( }", "D_DIV_ZERO 1:40"),
        ("BEGIN /1 / 0/ { x = ; }", "D_DIV_ZERO 1:8"),
        ("BEGIN /1 / 0 $x/ { x = ; }", "D_MACRO_UNDEF 1:14"),
        ("BEGIN { x = 1 / 0;", "D_DIV_ZERO 1:13"),
        ("BEGIN { x = 1 / 0;\n#pragma D option nosuch\n }", "D_DIV_ZERO 1:13"),
        ("BEGIN { x = 1 / 0; /* /* */ }", "D_DIV_ZERO 1:13"),
        ("BEGIN { x = 1 / 0; \"abc }", "D_DIV_ZERO 1:13"),
        ("BEGIN { x = 1 / 0; y = (ghost_t *)5; }", "D_DIV_ZERO 1:13"),
        ("BEGIN { y = (ghost_t *)5; x = 1 / 0; }", "D_SYNTAX 1:14"),
        ("BEGIN { y = (ghost_t *)5; x = 1 / 0; y = ; }", "D_SYNTAX 1:14"),
        ("BEGIN { self->x = 1 / 0; self-> ; }", "D_DIV_ZERO 1:19"),
        ("BEGIN { x = 1 / 0; y = x->5; }", "D_DIV_ZERO 1:13"),
        ("BEGIN { x = offsetof(int, a) + ; }", "D_OFFSETOF_TYPE 1:13"),
        ("BEGIN { x = offsetof(int, a ; }", "D_SYNTAX 1:29"),
        ("struct s { int a; }; struct s { int 5; };", "D_DECL_TYPERED 1:22"),
        ("struct s { int a; }; struct s { ", "D_DECL_TYPERED 1:22"),
        ("struct s { int a : 0; int 5; };", "D_DECL_BFCONST 1:20"),
        ("struct s { int a : 0", "D_DECL_BFCONST 1:20"),
        ("struct s { float a : 2; int 5; };", "D_DECL_BFTYPE 1:22"),
        ("struct s { struct { void v; } a; int 5; };", "D_DECL_VOIDOBJ 1:26"),
        ("struct s { struct { void v; ", "D_DECL_VOIDOBJ 1:26"),
        ("typedef struct s { void v; 5", "D_DECL_VOIDOBJ 1:25"),
        ("struct s { struct ghost g; foo_t 5; };", "D_DECL_INCOMPLETE 1:25"),
        ("int pid, 5;", "D_DECL_IDRED 1:5"),
        ("void v, 5;", "D_DECL_VOIDOBJ 1:6"),
        ("static int x, 5;", "D_DECL_BADCLASS 1:1"),
        ("int", "D_SYNTAX 1:4"),
        ("int 5;", "D_SYNTAX 1:5"),
        ("int f(int a, 5);", "D_SYNTAX 1:14"),
        ("int f(int a, void), 5;", "D_DECL_PROTO_VOID 1:14"),
        ("self static int x; 5", "D_DECL_CLASS 1:6"),
        ("enum e { A = 2147483647, B, C = ; };", "D_DECL_ENOFLOW 1:26"),
        ("enum e { A, A = ; };", "D_SYNTAX 1:17"),
        ("enum e { A, A, C = ; };", "D_UNKNOWN 1:13"),
        ("enum e { A = 1 + ", "D_SYNTAX 1:18"),
        ("enum e { A = \"x\"", "D_DECL_ENCONST 1:14"),
        ("BEGIN { x = 1 / 0; } BEGIN { ; y = ", "D_DIV_ZERO 1:13"),
        ("BEGIN { x = 1 / 0 }}", "D_DIV_ZERO 1:13"),
        ("BEGIN { x = 1 / 0; )", "D_DIV_ZERO 1:13"),
        ("BEGIN { x = 1 / 0)", "D_SYNTAX 1:18"),
        ("BEGIN { @a = count(1 / 0; }", "D_DIV_ZERO 1:20"),
        ("BEGIN { x = (int)(1 / 0); y = (int; }", "D_DIV_ZERO 1:19"),
        ("BEGIN { x /= 0, y = ; }", "D_DIV_ZERO 1:9"),
        ("BEGIN { x = y ? 1 : z ? 8 % 0 : ; }", "D_DIV_ZERO 1:25"),
        ("BEGIN { x = xlate<int>(1/0 ; }", "D_DIV_ZERO 1:24"),
        ("BEGIN { x = xlate<int ; }", "D_SYNTAX 1:23"),
        ("BEGIN { x = 1.5; y = 1 / 0; }", "D_SYNTAX 1:13"),
        ("BEGIN { x = 1 / 0; y = 1.5; }", "D_DIV_ZERO 1:13"),
        ("BEGIN { x = 1 / 0; while (1) }", "D_DIV_ZERO 1:13"),
        ("BEGIN { x = 1 / 0; uint32_t y; }", "D_DIV_ZERO 1:13"),
        ("BEGIN, , { }", "D_SYNTAX 1:8"),
    ] {
        check(source, expected);
    }
}

#[test]
fn words_mean_what_they_meant() {
    // The second reading of the clause does not know that it uses `size_t` as a variable further on.
    check("BEGIN { ghost((size_t)(3)); size_t = 5; x = ; }", "D_FUNC_UNDEF 1:9");
    check("BEGIN { trace((size_t)(3)); size_t = 5; x = ; }", "D_SYNTAX 1:45");
}

#[test]
fn the_end_of_a_long_clause() {
    let many = "x = 1; ".repeat(2000);
    check(&format!("BEGIN {{ {many}y = 1 / 0;\nz = ; }}"), "D_DIV_ZERO 1:14013");
    check(&format!("BEGIN {{ {many}y = ((((1 / 2;\nz = ; }}"), "D_SYNTAX 1:14022");
}
