//! Every shape by hand, against the layouts of runtime spec §4.

use std::sync::Arc;

use super::*;
use crate::stacks::StackTable;
use crate::testing::{FixedHost, no_symbols};

fn shape(name: &str, size: u64, kind: TypeShapeKind) -> Arc<TypeShape> {
    Arc::new(TypeShape { name: name.to_owned(), size, kind })
}

fn int(name: &str, size: u64, signed: bool) -> Arc<TypeShape> {
    shape(name, size, TypeShapeKind::Int { signed })
}

fn member(name: &str, offset: u64, bits: Option<u8>, shape: &Arc<TypeShape>) -> TypeMember {
    TypeMember { name: name.to_owned(), offset, bits, shape: shape.clone() }
}

fn check(shape: &TypeShape, bytes: &[u8], expect: &[&str]) {
    let mut out = Vec::new();
    target(&mut out, 0x1f0, shape, bytes, false);
    let margin = " ".repeat(INDENT);
    let expect: String = expect.iter().map(|line| format!("{margin}{line}\n")).collect();
    assert_eq!(String::from_utf8_lossy(&out), format!("0x1f0 = *\n{expect}"));
}

fn check_value(shape: &TypeShape, value: ValueRef<'_>, expect: &str) {
    let host = FixedHost::default();
    let mut out = Vec::new();
    let stacks = StackTable::new();
    let style = Style { host: &host, escape: false, symbols: no_symbols(&stacks) };
    super::value(&mut out, shape, value, style);
    assert_eq!(String::from_utf8_lossy(&out), expect);
}

fn point() -> TypeShape {
    let int = int("int", 4, true);
    let char = shape("char", 1, TypeShapeKind::Char { signed: true });
    let name = shape("char [5]", 5, TypeShapeKind::Array(char, 5));
    let pointer = shape("void *", 8, TypeShapeKind::Pointer);
    let hue = shape("enum hue", 4, TypeShapeKind::Enum([(1, "RED".to_owned())].into()));
    let members = [
        member("x", 0, None, &int),
        member("name", 32, None, &name),
        member("p", 128, None, &pointer),
        member("color", 192, None, &hue),
    ];
    TypeShape { name: "struct point".to_owned(), size: 32, kind: TypeShapeKind::Members(members.into()) }
}

#[test]
fn members_by_name_and_zeros_left_out() {
    let mut bytes = vec![0; 32];
    bytes[0] = 1;
    bytes[4..6].copy_from_slice(b"te");
    bytes[16..24].copy_from_slice(&0xffff_9b7a_ca7e_0010_u64.to_le_bytes());
    bytes[24] = 1;
    check(
        &point(),
        &bytes,
        &[
            "(struct point) {",
            " .x = (int)1,",
            " .name = (char [5]) [",
            "  (char)'t',",
            "  (char)'e',",
            " ],",
            " .p = (void *)0xffff9b7aca7e0010,",
            " .color = (enum hue)RED,",
            "}",
        ],
    );
    bytes.fill(0);
    check(&point(), &bytes, &["(struct point) {", "}"]);
    // A text that begins with a NUL but has bytes after it is opened and closed.
    bytes[6] = b'x';
    check(&point(), &bytes, &["(struct point) {", " .name = (char [5]) [", " ],", "}"]);
}

#[test]
fn what_was_not_captured_is_three_dots() {
    let bytes = [1, 0, 0, 0];
    check(&point(), &bytes, &["(struct point) {", " .x = (int)1,", " ...", "}"]);
}

#[test]
fn arrays_nest_and_bit_fields_are_integers() {
    let inner =
        shape("struct i", 4, TypeShapeKind::Members([member("a", 0, None, &int("int", 4, true))].into()));
    let array = shape("struct i [2]", 8, TypeShapeKind::Array(inner, 2));
    let members = [
        member("a", 0, Some(3), &int("unsigned int", 4, false)),
        member("b", 3, Some(5), &int("int", 4, true)),
        member("x", 32, None, &array),
        member(
            "",
            96,
            None,
            &shape("struct", 4, TypeShapeKind::Members([member("u", 0, None, &int("int", 4, true))].into())),
        ),
    ];
    let outer =
        TypeShape { name: "struct s".to_owned(), size: 16, kind: TypeShapeKind::Members(members.into()) };
    let mut bytes = [0; 16];
    bytes[0] = 5 | (0x1e << 3);
    bytes[8] = 5;
    bytes[12] = 7;
    check(
        &outer,
        &bytes,
        &[
            "(struct s) {",
            " .a = (unsigned int)5,",
            " .b = (int)-2,",
            " .x = (struct i [2]) [",
            "  (struct i) {",
            "   .a = (int)5,",
            "  },",
            " ],",
            " (struct) {",
            "  .u = (int)7,",
            " },",
            "}",
        ],
    );
}

#[test]
fn single_values() {
    check(&int("uint32_t", 4, false), &[255; 4], &["(uint32_t)4294967295,"]);
    check(&int("long", 8, true), &(-3_i64).to_le_bytes(), &["(long)-3,"]);
    check(&int("__int128", 16, true), &[1; 16], &["(__int128)?(128 bit value),"]);
    check(&shape("char", 1, TypeShapeKind::Char { signed: true }), b"q", &["(char)'q',"]);
    check(&shape("double", 8, TypeShapeKind::Float), &0.5_f64.to_le_bytes(), &["(double)0.5,"]);
    check(&shape("int [0]", 0, TypeShapeKind::Array(int("int", 4, true), 0)), &[0], &["(int [0]) [],"]);
    check(&shape("enum e", 4, TypeShapeKind::Enum([].into())), &[9, 0, 0, 0], &["(enum e)9,"]);
    let far = TypeShapeKind::Enum([(200, "FAR".to_owned())].into());
    check(&shape("enum e", 1, far), &[200], &["(enum e)FAR,"]);
}

#[test]
fn nesting_ends() {
    let mut nested = int("int", 4, true);
    for _ in 0..12 {
        nested = shape("struct n", 4, TypeShapeKind::Members([member("n", 0, None, &nested)].into()));
    }
    let mut out = Vec::new();
    target(&mut out, 0, &nested, &[1, 0, 0, 0], false);
    let text = String::from_utf8_lossy(&out).into_owned();
    assert_eq!(text.matches('{').count(), DEPTH);
    assert_eq!(text.matches('}').count(), DEPTH);
    assert!(text.contains(&format!("\n{}...\n", " ".repeat(INDENT + DEPTH))), "{text}");
}

#[test]
fn numbers_as_c_writes_them() {
    for (value, short, long) in [
        (0.5, "0.5", "+5.0000000e-01"),
        (100_000.0, "100000", "+1.0000000e+05"),
        (1_000_000.0, "1e+06", "+1.0000000e+06"),
        (-0.000_012_345, "-1.2345e-05", "-1.2345000e-05"),
        (0.0, "0", "+0.0000000e+00"),
        (f64::INFINITY, "inf", "+inf"),
    ] {
        let number = Number::read(&f64::to_le_bytes(value)).expect("8 bytes");
        assert_eq!(short_float(number), short);
        assert_eq!(scientific(number), long);
    }
}

#[test]
fn values() {
    check_value(&int("int64_t", 8, true), ValueRef::Int(0x7b), "int64_t 0x7b");
    check_value(&int("int", 4, true), ValueRef::Int(-1), "int 0xffffffff");
    check_value(&int("int", 4, true), ValueRef::Int(0), "int 0");
    let char = shape("char", 1, TypeShapeKind::Char { signed: true });
    check_value(&char, ValueRef::Int(i64::from(b'c')), "char 'c'");
    check_value(&char, ValueRef::Int(0), "char '\\0'");
    check_value(&char, ValueRef::Int(-1), "char '\\377'");
    check_value(&shape("string", 256, TypeShapeKind::Text), ValueRef::Str(Some(b"hi")), "string \"hi\"");
    let text = shape("char [4]", 4, TypeShapeKind::Array(char, 4));
    check_value(&text, ValueRef::Str(Some(b"ab\0\0")), "char [4] \"ab\"");
    check_value(&text, ValueRef::Str(Some(b"a\x01\0\0")), "char [4] [ 'a', '\\001', '\\0', '\\0' ]");
    let members = [
        member("x", 0, None, &int("int", 4, true)),
        member("f", 32, Some(3), &int("unsigned int", 4, false)),
        member("t", 64, None, &text),
    ];
    let outer =
        TypeShape { name: "struct s".to_owned(), size: 12, kind: TypeShapeKind::Members(members.into()) };
    let bytes = [3, 0, 0, 0, 5, 0, 0, 0, b'h', b'i', 0, 0];
    check_value(
        &outer,
        ValueRef::Str(Some(&bytes)),
        "struct s {\n    int x = 0x3\n    unsigned int :3 f = 0x5\n    char [4] t = [ \"hi\" ]\n}",
    );
}

#[test]
fn unnamed_members_and_many_parts() {
    let int = int("int", 4, true);
    let members = |name: &str, size, members: Vec<TypeMember>| {
        shape(name, size, TypeShapeKind::Members(members.into()))
    };
    let inner = members("union", 4, vec![member("i", 0, None, &int)]);
    let outer = members("struct s", 8, vec![member("x", 0, None, &int), member("", 32, None, &inner)]);
    check_value(
        &outer,
        ValueRef::Str(Some(&[1, 0, 0, 0, 2, 0, 0, 0])),
        "struct s {\n    int x = 0x1\n    union {\n        int i = 0x2\n    }\n}",
    );
    // A value is shown to its last part, what is pointed to ten types deep.
    let mut deep = int.clone();
    for _ in 0..12 {
        deep = members("union", 4, vec![member("", 0, None, &deep)]);
    }
    let value = |shape: &TypeShape| {
        let (host, stacks, mut out) = (FixedHost::default(), StackTable::new(), Vec::new());
        let style = Style { host: &host, escape: false, symbols: no_symbols(&stacks) };
        super::value(&mut out, shape, ValueRef::Str(Some(&[7, 0, 0, 0])), style);
        String::from_utf8(out).expect("text")
    };
    assert!(value(&deep).contains("int 0x7\n"), "{}", value(&deep));
    // 10^9 parts in four bytes.
    let mut wide = int;
    for _ in 0..9 {
        wide = members("union", 4, (0..10).map(|_| member("m", 0, None, &wide)).collect());
    }
    assert_eq!(value(&wide).matches(" m = ").count(), PARTS as usize - 1);
    let mut out = Vec::new();
    target(&mut out, 0, &wide, &[7, 0, 0, 0], false);
    let text = String::from_utf8(out).expect("text");
    assert_eq!(text.lines().filter(|line| line.contains('(')).count(), PARTS as usize);
    assert!(text.contains("...\n"), "the end is marked");
}
