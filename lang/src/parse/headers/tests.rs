//! What becomes of headers, and what of those that end too early.

use super::*;
use crate::ast::Layout;

/// What becomes of a header, its lines joined and its blanks squeezed.
fn header(text: &str) -> String {
    let whole = format!("# 1 \"a.d\"\n# 1 \"h.h\" 1 3\n{text}\n# 2 \"a.d\" 2\nstatic int __inline;\n");
    let Readable { text: read, unfinished, .. } = readable(SourceId(0), &whole, false);
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
        (
            "struct s { char a; int b; } __attribute__((packed)); int x;",
            "struct s { char a; int b; } ; int x;",
        ),
        (";;int x;", "int x;"),
        ("typedef int r_t __attribute__ ((__mode__ (__word__))); r_t x;", "typedef signed long r_t ; r_t x;"),
        ("typedef unsigned int u __attribute__((mode(QI)));", "typedef unsigned char u ;"),
        ("typedef int __attribute__((mode(DI))) q; q x;", "typedef signed long q; q x;"),
        ("typedef float t __attribute__((mode(TF))); t f(void); int x;", "int x;"),
        ("typedef int v __attribute__((vector_size(16))); v f(void); int x;", "int x;"),
        ("typedef int v __attribute__((unused)); int x __attribute__((unused));", "typedef int v ; int x ;"),
        ("typedef struct { char a; _Alignas(8) char b; } s;", "typedef struct { char a; char b; } s;"),
        ("struct s { char a; _Alignas(struct t) char b; }; int x;", "int x;"),
        (
            "#pragma pack(push, 1)\nstruct s { char a; int b; };\n#pragma pack(pop)\nstruct t { char a; int b; };",
            "#pragma pack(push, 1) struct s { char a; int b; }; #pragma pack(pop) struct t { char a; int b; };",
        ),
        (
            "#pragma pack(1)\nstruct s { int a; }; enum e { A };\n#pragma pack()\nstruct t { int b; };",
            "#pragma pack(1) struct s { int a; }; enum e { A }; #pragma pack() struct t { int b; };",
        ),
        (
            "int f(int n, int m[n], int b[*], int c[static 2][n]);",
            "int f(int n, int m[ ], int b[ ], int c[ ][1]);",
        ),
        ("typedef int (*a[3])(int b[4]); int x[5];", "typedef int (*a[3])(int b[ ]); int x[5];"),
        ("enum e { A, B = 0x100000000 };", "enum e { A, B = 0x100000000 };"),
        ("enum __attribute__((packed)) e { A }; enum f { B } __attribute__((packed)); int x;", "int x;"),
        ("enum e : char { A }; int x;", "int x;"),
        ("char a[sizeof (int[2])];", "char a[sizeof (int[2])];"),
        ("struct s { ; int a;; int b; };", "struct s { int a; int b; };"),
        ("int f(a) int a; { return a; } int x;", "int x;"),
        ("int f(a, b, c) int a; char *b, **c; struct s *d; { int e; } int x;", "int x;"),
        (
            "int f(a) char a[sizeof (int)]; int (*b)(int);\n# 9 \"h.h\" 3\n{ ; } int x;",
            "# 9 \"h.h\" 3 int x;",
        ),
        ("int f(void) NOTHROW; struct s { int a; }; int x;", "struct s { int a; }; int x;"),
        ("int f(void) NOTHROW { return 0; } int x;", "int x;"),
        ("int f(void) NOTHROW; int x; int main(void) { } int y;", "int x; int main(void) ; int y;"),
        ("extern int cpu; extern int other; struct cpu;", "extern int other; struct cpu;"),
        ("struct s { int n; char data[0]; int m[10]; };", "struct s { int n; char data[ ]; int m[10]; };"),
        ("typedef float _Float32; extern _Float32 f(_Float32); int x;", "int x;"),
        ("typedef struct { _Atomic int a; } a_t; a_t *f(int); struct t { a_t *a; }; int x;", "int x;"),
        ("typedef _Atomic int (*f_t)(int), *g_t; f_t f; struct s { g_t g; }; int x;", "int x;"),
        (
            "struct s { _Atomic int a; }; struct t { struct s *a; }; int x;",
            "struct t { struct s *a; }; int x;",
        ),
        (
            "struct s { _Atomic int a; }; struct t { struct s a; }; struct u { struct t a[2]; }; int x;",
            "int x;",
        ),
        (
            "struct s { _Atomic int a; }; typedef struct s s_t, *p_t; s_t *f(s_t); struct t { s_t a; }; int x;",
            "typedef struct s s_t, *p_t; s_t *f(s_t); int x;",
        ),
        ("struct s { _Atomic int a; }; typedef struct s s_t[2]; s_t f; int x;", "int x;"),
        (
            "union u { _Atomic int a; }; struct u { int a; }; struct v { struct u a; };",
            "struct u { int a; }; struct v { struct u a; };",
        ),
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
        let read = readable(SourceId(0), text, false);
        assert!(matches!(read.text, Cow::Borrowed(_)) && read.unfinished.is_none(), "{text}");
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
            let Readable { text: read, unfinished, .. } = readable(SourceId(0), &whole, false);
            assert_eq!(unfinished.map(|(_, at)| at), at.map(|at| at + start.len()), "{text}");
            assert_eq!(read.len(), whole.len());
            assert!(read.ends_with(rest), "{text}");
        }
    }
}

/// A layout, and the text where it is noted.
type Placed = (&'static str, Where, Layout);

/// What stands beside the text: each layout with the text at its place.
fn layouts(text: &str) -> Vec<(String, Where, Layout)> {
    let whole = format!("# 1 \"h.h\" 1 3\n{text}\n# 2 \"a.d\" 2\n");
    let read = readable(SourceId(0), &whole, false);
    let at = |noted: &Noted| whole[noted.at..].chars().take(6).collect();
    read.layouts.iter().map(|noted| (at(noted), noted.place, noted.layout)).collect()
}

#[test]
fn layouts_of_attributes() {
    let none = Layout::default();
    let packed = Layout { packed: true, ..none };
    let pack = |pack| Layout { pack, ..none };
    let align = |align| Layout { align, ..none };
    use Where::{Declarator, Definition};
    #[rustfmt::skip]
    let table: &[(&str, &[Placed])] = &[
        ("struct s { int a; } __attribute__((packed));", &[("struct", Definition, packed)]),
        ("struct __attribute__((__packed__, aligned(2))) s { int a; };", &[("struct", Definition, packed), ("struct", Definition, align(2))]),
        ("struct s { int a; struct { int b; } __attribute__((packed)) c; };", &[("struct", Definition, packed)]),
        ("struct s { int a __attribute__((aligned(8))); };", &[("__attr", Declarator, align(8))]),
        ("struct s { __attribute__((aligned)) int a; };", &[("int a;", Declarator, align(16))]),
        ("struct s { _Alignas(32) int a; };", &[("int a;", Declarator, align(32))]),
        ("typedef long t __attribute__((aligned(0x4)));", &[("__attr", Declarator, align(4))]),
        ("struct s { int a; } __attribute__((aligned(sizeof(__u64))));", &[("struct", Definition, align(8))]),
        ("struct s { int a; } __attribute__((aligned(__alignof__ (struct t *))));", &[("struct", Definition, align(8))]),
        ("int f(int a __attribute__((aligned(8)))) __attribute__((format(printf, 1, 2)));", &[]),
        ("#pragma pack(2)\nunion u { int a; }; enum e { A };", &[("union ", Definition, pack(2))]),
        ("void f(void) __attribute__((deprecated(\"packed)\"), unused));", &[]),
        ("enum e { A } __attribute__((packed));", &[]),
    ];
    for (text, expected) in table {
        let expected: Vec<_> =
            expected.iter().map(|&(at, place, layout)| (at.to_string(), place, layout)).collect();
        assert_eq!(layouts(text), expected, "{text}");
    }
}

#[test]
fn what_is_left_out_is_told() {
    for (text, expected) in [
        (
            "struct s { int a;\n_Atomic int b; } v; typedef struct s s_t;",
            "struct s:D has no `_Atomic`:_Atomi",
        ),
        ("typedef __int128 a_t, *b_t;", "a_t:D has no `__int128`:__int1 b_t:D has no `__int128`:__int1"),
        (
            "union u { _Complex float a; }; struct s { union u b; };",
            "union u:D has no `_Complex`:_Compl struct s:D has no `_Complex`:u b; }",
        ),
        (
            "typedef int v_t __attribute__((vector_size(16)));",
            "v_t:D has no `__attribute__((vector_size(16)))`:__attr",
        ),
        (
            "struct s { int a; } __attribute__((aligned(sizeof(struct t))));",
            "struct s:D has no `__attribute__((aligned(sizeof(struct t))))`:__attr",
        ),
        ("enum e { A } __attribute__((packed));", "enum e:D has no enum of another size:__attr"),
        ("struct s { };", "struct s:D has no struct without members:};\n# 2"),
        ("int f(a) UNKNOWN; int x;", ""),
    ] {
        let whole = format!("# 1 \"h.h\" 1 3\n{text}\n# 2 \"a.d\" 2\n");
        let read = readable(SourceId(0), &whole, false);
        let shown = read.left_out.iter().map(|it| {
            let keyword = it.kind.map_or(String::new(), |kind| format!("{} ", kind.word()));
            let at: String = whole[it.span.start as usize..].chars().take(6).collect();
            format!("{keyword}{}:{}:{at}", it.name, it.why)
        });
        assert_eq!(shown.collect::<Vec<_>>().join(" "), expected, "{text}");
    }
}

#[test]
fn marks_of_headers() {
    for (line, written, by_cpp) in [
        ("# 1 \"h.h\" 1 3", Some(true), Some(true)),
        ("# 1 \"h.h\" 1 3 4", Some(true), Some(true)),
        ("# 2 \"a.d\" 2", Some(false), Some(false)),
        ("# 2 \"a.d\"", Some(false), Some(false)),
        ("# 9 \"h.h\" 3", None, Some(true)),
        // What only renumbers, and what is no mark.
        ("# 3", None, None),
        ("#line 3", None, None),
        ("#line 3 \"h.h\" 1 3", None, None),
        ("# 3 \"h.h", None, None),
        ("#pragma x \"h.h\" 1 3", None, None),
        (" # 1 \"h.h\" 1 3", None, None),
        ("#", None, None),
    ] {
        assert_eq!((system(line, false), system(line, true)), (written, by_cpp), "{line}");
    }
}
