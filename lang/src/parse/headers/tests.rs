//! What becomes of headers, and what of those that end too early.

use super::*;

/// What becomes of a header, its lines joined and its blanks squeezed.
fn header(text: &str) -> String {
    let whole = format!("# 1 \"a.d\"\n# 1 \"h.h\" 1 3\n{text}\n# 2 \"a.d\" 2\nstatic int __inline;\n");
    let (read, unfinished) = readable(&whole);
    assert_eq!((read.len(), unfinished), (whole.len(), None), "{text}");
    let lines = |text: &str| text.bytes().filter(|&b| b == b'\n').count();
    assert_eq!(lines(&read), lines(&whole));
    let rest = read.strip_prefix("# 1 \"a.d\"\n# 1 \"h.h\" 1 3\n").unwrap();
    let rest = rest.strip_suffix("\n# 2 \"a.d\" 2\nstatic int __inline;\n").unwrap();
    rest.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn words_of_compilers() {
    for (text, expected) in [
        ("int x;", "int x;"),
        ("typedef __signed__ char s8;", "typedef signed char s8;"),
        (
            "extern int f (char *__restrict s) __attribute__ ((__nothrow__ , leaf(\")\")));",
            "extern int f (char * s) ;",
        ),
        (
            "static __inline int f (int a) { if (a) { return '}'; } return 0; } int x;",
            "int f (int a) ; int x;",
        ),
        ("_Static_assert (sizeof (int) == 4, \"; no\"); int x;", "int x;"),
        ("__extension__ typedef long long int q;", "typedef long long int q;"),
        ("int f (void) __asm__ (\"\" \"g\");", "int f (void) ;"),
        ("static const int a[] = { 1, 2 }, b = 3; int c;", "const int a[] , b ; int c;"),
        ("extern double _Complex c (double _Complex z); int x;", "int x;"),
        ("enum e { A = 1, B, }; int x;", "enum e { A = 1, B };  int x;"),
        ("struct s { int a; struct { } b; char c[]; };", "struct s { int a; char c[]; };"),
        ("struct s { char a; int b; } __attribute__((packed)); int x;", "int x;"),
        (";;int x;", "int x;"),
        ("typedef int r_t __attribute__ ((__mode__ (__word__))); r_t x;", "typedef signed long r_t ; r_t x;"),
        ("typedef unsigned int u __attribute__((mode(QI)));", "typedef unsigned char u ;"),
        ("typedef int __attribute__((mode(DI))) q; q x;", "typedef signed long q; q x;"),
        ("typedef float t __attribute__((mode(TF))); t f(void); int x;", "int x;"),
        ("typedef int v __attribute__((vector_size(16))); v f(void); int x;", "int x;"),
        ("typedef int v __attribute__((unused)); int x __attribute__((unused));", "typedef int v ; int x ;"),
        ("typedef struct { char a; _Alignas(8) char b; } s; s f(s *); int x;", "int x;"),
        (
            "#pragma pack(push, 1)\nstruct s { char a; int b; };\n#pragma pack(pop)\nstruct t { char a; int b; };",
            "#pragma pack(push, 1) #pragma pack(pop) struct t { char a; int b; };",
        ),
        (
            "#pragma pack(1)\nstruct s { int a; }; enum e { A };\n#pragma pack()\nstruct t { int b; };",
            "#pragma pack(1) enum e { A }; #pragma pack() struct t { int b; };",
        ),
        (
            "int f(int n, int m[n], int b[*], int c[static 2][n]);",
            "int f(int n, int m[ ], int b[ ], int c[ ][1]);",
        ),
        ("typedef int (*a[3])(int b[4]); int x[5];", "typedef int (*a[3])(int b[ ]); int x[5];"),
        (
            "enum e { A, B = 0x100000000 }; enum { C = 1ULL << 32 }; enum { D = 1U << 31 };",
            "enum { D = 1U << 31 };",
        ),
        ("char a[sizeof (int[2])];", "char a[sizeof (int[2])];"),
        ("struct s { ; int a;; int b; };", "struct s { int a; int b; };"),
        ("int f(a) int a; { return a; } int x;", "int x;"),
        ("extern int cpu; extern int other; struct cpu;", "extern int other; struct cpu;"),
        ("struct s { int n; char data[0]; int m[10]; };", "struct s { int n; char data[ ]; int m[10]; };"),
        ("typedef float _Float32; extern _Float32 f(_Float32); int x;", "int x;"),
        ("typedef struct { _Atomic int a; } a_t; a_t *f(int); struct t { a_t *a; }; int x;", "int x;"),
    ] {
        assert_eq!(header(text), expected.split_whitespace().collect::<Vec<_>>().join(" "), "{text}");
    }
}

#[test]
fn line_marks_stay() {
    assert_eq!(header("int f (int a)\n{\n# 7 \"h.h\" 3\n  return a;\n}"), "int f (int a) ; # 7 \"h.h\" 3");
}

#[test]
fn nothing_else_is_changed() {
    for text in ["int x;\n", "# 1 \"a.d\"\nstatic int x = 1;\n# 2 \"b.d\" 2\ninline int y = 1;\n"] {
        assert!(matches!(readable(text), (Cow::Borrowed(_), None)), "{text}");
    }
}

#[test]
fn unfinished_headers() {
    for (text, at) in [
        ("int f(void) {", Some(12)),
        ("int y; int f(void) { \"", Some(19)),
        ("int f(void)\n{\n# 3 \"i.h\" 1 3\nint a;\n# 4 \"h.h\" 2 3\n", Some(12)),
        ("struct s {", None),
        ("_Static_assert(", Some(0)),
        ("_Static_assert(1, \"\")", Some(0)),
        ("int x; __attribute__((", Some(7)),
        ("int x = 5", Some(6)),
        ("int x = {", Some(6)),
        ("int x", None),
        ("'é", None),
    ] {
        for rest in ["", "\n# 2 \"a.d\" 2\nEND { trace((1)); }; int f(int) { } }\n"] {
            let start = "# 1 \"h.h\" 1 3\n";
            let whole = format!("{start}{text}{rest}");
            let (read, unfinished) = readable(&whole);
            assert_eq!(unfinished.map(|(_, at)| at), at.map(|at| at + start.len()), "{text}");
            assert_eq!(read.len(), whole.len());
            assert!(read.ends_with(rest), "{text}");
        }
    }
}
