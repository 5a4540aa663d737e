//! Formats of `printf` and `printa` (runtime spec §5, §7.8).

use super::{Machine, check_body, compile_all, message};
use crate::format::{Conversion, ConversionKind, Format, Piece, Width};
use crate::ir::Detail;
use crate::options::Options;

#[test]
fn arguments() {
    for (body, expect) in [
        ("printf(\"%d %s\", 1);", "D_PRINTF_ARG_PROTO 1:1"),
        ("printf(\"%d\", \"x\");", "D_PRINTF_ARG_TYPE 1:14"),
        ("printf(\"%d\", 1, 2);", "D_PRINTF_ARG_EXTRA 1:1"),
        ("printf(\"\");", "D_PRINTF_FMT_EMPTY 1:1"),
        ("printf(execname);", "D_PRINTF_ARG_FMT 1:1"),
        ("printf(5);", "D_PROTO_ARG 1:1"),
        ("printf();", "D_PROTO_LEN 1:1"),
        ("printf(\"%*d\");", "D_PRINTF_DYN_PROTO 1:1"),
        ("printf(\"%*d\", \"x\", 1);", "D_PRINTF_DYN_TYPE 1:15"),
        ("printf(\"%.*d\", \"x\", 1);", "D_PRINTF_DYN_TYPE 1:16"),
        ("printf(\"%*.*d\", 1, 2, 3);", "ok"),
        ("printf(\"%@d\", 1);", "D_PRINTF_AGG_CONV 1:1"),
        ("printf(\"%s %S\", \"x\", execname);", "ok"),
        ("printf(\"%s\", (char *)8);", "D_PRINTF_ARG_TYPE 1:14"),
        ("printf(\"%p %a\", (char *)8, 8);", "ok"),
        ("printf(\"%d\", (char *)8);", "D_PRINTF_ARG_TYPE 1:14"),
        ("printf(\"%c %C\", 'a', (short)1);", "ok"),
        ("printf(\"%c\", 1LL);", "D_PRINTF_ARG_TYPE 1:14"),
        ("printf(\"%Y %T\", walltimestamp, timestamp);", "ok"),
        ("printf(\"%Y\", 1);", "D_PRINTF_ARG_TYPE 1:14"),
        ("printf(\"%hd\", 1);", "D_PRINTF_ARG_TYPE 1:15"),
        ("printf(\"%hd %hu\", (short)1, (unsigned short)1);", "ok"),
        ("printf(\"%hx %hX\", (short)1, (unsigned short)1);", "ok"),
        ("printf(\"%ld %lld\", 1L, 1L); printf(\"%ld %lld\", 1LL, 1LL);", "ok"),
        ("printf(\"%ld\", 1);", "D_PRINTF_ARG_TYPE 1:15"),
        ("printf(\"%ld\", 1UL);", "D_PRINTF_ARG_TYPE 1:15"),
        ("printf(\"%lu %llu\", 1UL, 1ULL);", "ok"),
        ("printf(\"%lx %llx\", 1UL, timestamp);", "ok"),
        ("printf(\"%llx\", 1UL);", "D_PRINTF_ARG_TYPE 1:16"),
        ("printf(\"%lX\", 3ULL);", "D_PRINTF_ARG_TYPE 1:15"),
        ("printf(\"%f\", 1);", "D_PRINTF_ARG_TYPE 1:14"),
        ("printf(\"%k\", 1);", "D_PRINTF_ARG_TYPE 1:14"),
        ("printf(\"%A\", 1);", "D_PRINTF_ARG_TYPE 1:14"),
        ("printf(\"%lc %wc\", 1, 0x20ac);", "ok"),
        ("printf(\"%lc\", 1L);", "D_PRINTF_ARG_TYPE 1:15"),
        ("printf(\"%z\");", "D_SYNTAX 1:1"),
        ("printf(\"%\");", "D_SYNTAX 1:1"),
        ("printf(\"%d %%|%d\", 1, 2);", "ok"),
        ("@[1, \"x\"] = count(); printa(\"%d %s %@d\", @);", "ok"),
        ("@[1] = count(); printa(\"%d %d\", @);", "D_PRINTF_ARG_PROTO 1:17"),
        ("@[1] = count(); printa(\"%s\", @);", "D_PRINTF_ARG_TYPE 1:17"),
        ("@[1] = count(); printa(\"%@s\", @);", "D_PRINTF_ARG_TYPE 1:17"),
        ("@[1] = quantize(1); printa(\"%@d\", @); printa(\"x\", @);", "ok"),
        ("@[1] = count(); printa(\"\", @);", "D_PRINTF_FMT_EMPTY 1:17"),
        ("@[1, 2] = count(); printa(\"%*d\", @);", "ok"),
    ] {
        check_body(body, expect);
    }
}

/// The table of runtime spec §5.1: each conversion name takes these types and no others.
#[test]
fn each_conversion_takes_its_types() {
    let values = [
        ("char", "(char)1"),
        ("unsigned char", "(unsigned char)1"),
        ("short", "(short)1"),
        ("unsigned short", "(unsigned short)1"),
        ("int", "1"),
        ("unsigned int", "1u"),
        ("long", "1L"),
        ("unsigned long", "1UL"),
        ("long long", "1LL"),
        ("unsigned long long", "1ULL"),
        ("int64_t", "(int64_t)1"),
        ("uint64_t", "(uint64_t)1"),
        ("string", "\"x\""),
        ("void *", "(void *)1"),
        ("char *", "(char *)1"),
    ];
    let small = ["char", "unsigned char", "short", "unsigned short", "int", "unsigned int"].as_slice();
    let large =
        ["long", "unsigned long", "long long", "unsigned long long", "int64_t", "uint64_t"].as_slice();
    let pointers = ["void *", "char *"].as_slice();
    let signed = ["long", "long long", "int64_t"].as_slice();
    let unsigned = ["unsigned long", "unsigned long long", "uint64_t"].as_slice();
    let rows: &[(&str, &[&[&str]])] = &[
        ("d i o u x X", &[small, large]),
        ("c C", &[small]),
        ("a p", &[small, large, pointers]),
        ("hd hi", &[&["short"]]),
        ("ho hu", &[&["unsigned short"]]),
        ("hx hX", &[&["short", "unsigned short"]]),
        ("ld li lld lli", &[signed]),
        ("lo lu llo llu", &[unsigned]),
        ("lx lX", &[&["long", "unsigned long", "int64_t", "uint64_t"]]),
        ("llx llX", &[&["long long", "unsigned long long", "int64_t", "uint64_t"]]),
        ("lc wc", &[&["int"]]),
        ("s S", &[&["string"]]),
        ("T Y", &[large]),
        ("A k ls ws", &[]),
    ];
    for (names, takes) in rows {
        for name in names.split(' ') {
            for (ty, value) in values {
                let fits = takes.iter().any(|types| types.contains(&ty));
                let wrong = format!("D_PRINTF_ARG_TYPE 1:{}", 13 + name.len());
                let expect = if fits { "ok" } else { &wrong };
                check_body(&format!("printf(\"%{name}\", {value});"), expect);
            }
        }
    }
}

#[test]
fn a_target_process_makes_user_addresses_printable() {
    let mut machine = Machine::new();
    machine.target = 99;
    let compiled = compile_all(&["BEGIN { printf(\"%A\", arg0); }"], &mut Options::default(), &machine);
    assert!(compiled.is_ok());
}

#[test]
fn messages() {
    let prototype = "is incompatible with conversion #1 prototype:\n\tconversion:";
    let integers = "\n\t prototype: char, short, int, long, or long long\n\t  argument:";
    for (call, expect) in [
        (
            "printf(\"%d %s\", 1)",
            "printf( ) prototype mismatch: conversion #2 (%s) is missing a corresponding value argument"
                .into(),
        ),
        (
            "printf(\"%*d\")",
            "printf( ) prototype mismatch: conversion #1 (%d) is missing a corresponding \"*\" argument"
                .into(),
        ),
        (
            "printf(\"%.*d\")",
            "printf( ) prototype mismatch: conversion #1 (%d) is missing a corresponding \".*\" argument"
                .into(),
        ),
        (
            "printf(\"%*d\", 1)",
            "printf( ) prototype mismatch: conversion #1 (%d) is missing a corresponding value argument"
                .into(),
        ),
        (
            "printf(\"%d\", 1, 2)",
            "printf( ) prototype mismatch: only 1 arguments required by this format string".into(),
        ),
        (
            "printf(\"%@d\", 1)",
            "%@ conversion requires an aggregation and is not for use with printf( )".into(),
        ),
        ("printf(\"%d\", \"x\")", format!("printf( ) argument #2 {prototype} %d{integers} string")),
        ("printf(\"%d\", (void *)16)", format!("printf( ) argument #2 {prototype} %d{integers} void *")),
        ("printf(\"%d\", (void)0)", format!("printf( ) argument #2 {prototype} %d{integers} void")),
        (
            "printf(\"%*d\", \"x\", 1)",
            format!("printf( ) argument #2 {prototype} % * d\n\t prototype: int\n\t  argument: string"),
        ),
        (
            "printf(\"%.*d\", \"x\", 1)",
            format!("printf( ) argument #2 {prototype} % .* d\n\t prototype: int\n\t  argument: string"),
        ),
        (
            "printf(\"%hu\", (short)1)",
            format!(
                "printf( ) argument #2 {prototype} %hu\n\t prototype: unsigned short\n\t  argument: short"
            ),
        ),
        (
            "printf(\"%llX\", (unsigned long)3)",
            format!(
                "printf( ) argument #2 {prototype} %llX\n\t prototype: long long\n\t  argument: unsigned long"
            ),
        ),
        (
            "printf(\"%ls\", \"a\")",
            format!("printf( ) argument #2 {prototype} %ls\n\t prototype: wchar_t []\n\t  argument: string"),
        ),
        (
            "printf(\"%Y\", 1)",
            format!("printf( ) argument #2 {prototype} %Y\n\t prototype: int64_t\n\t  argument: int"),
        ),
        ("printf(\"%1$d\", 1)", "format conversion #1 uses unsupported positional format (%n$)".into()),
        (
            "printf(\"%**d\", 1, 2, 3)",
            "format conversion #1 has more than one '*' specified for the output width".into(),
        ),
        (
            "printf(\"%.**d\", 1, 2, 3)",
            "format conversion #1 has more than one '*' specified for the output precision".into(),
        ),
        ("printf(\"%1.2.3d\", 1)", "format conversion #1 has more than one '.' specified".into()),
        ("printf(\"a%5\")", "format conversion #1 name expected before end of format string".into()),
        ("printf(\"%hhd\", 1)", "format conversion #1 is undefined: %hhd".into()),
        ("printf(\"%-5zd\", 1)", "format conversion #1 is undefined: %z".into()),
        (
            "printf(\"%d%-%\", 1)",
            "format conversion #2 cannot be combined with other format flags: %%".into(),
        ),
        ("printf(\"\")", "printf( ) format string is empty".into()),
    ] {
        message(&format!("BEGIN {{ {call}; }}"), &expect);
    }
    message(
        "BEGIN { @ = count(); printa(\"%@s\", @); }",
        "printa( ) aggregating action is incompatible with conversion #1 prototype:\n\tconversion: %s\n\t prototype: \
         char [] or string (or use stringof)\n\t  argument: uint64_t",
    );
}

/// The format of the first action of a program.
fn format(call: &str) -> Format {
    let source = format!("BEGIN {{ {call}; }}");
    let program = compile_all(&[&source], &mut Options::default(), &Machine::new()).expect("a valid program");
    match &program.sites[0].detail {
        Detail::Format(format) => format.clone(),
        Detail::Printa { format: Some(format), .. } => format.clone(),
        other => panic!("no format: {other:?}"),
    }
}

#[test]
fn pieces() {
    let plain = Conversion {
        kind: ConversionKind::Str,
        left: false,
        zero: false,
        plus: false,
        space: false,
        alternate: false,
        grouping: false,
        aggregation: false,
        width: Width::None,
        precision: Width::None,
    };
    let integer = |base, upper, signed, bits| ConversionKind::Integer { base, upper, signed, bits };
    let text = |text: &str| Piece::Text(text.as_bytes().to_vec());
    for (call, expected) in [
        ("printf(\"100%%!\\n\")", vec![text("100%!\n")]),
        (
            "printf(\"a%-8.3sb\", \"x\")",
            vec![
                text("a"),
                Piece::Conversion(Conversion {
                    left: true,
                    width: Width::Fixed(8),
                    precision: Width::Fixed(3),
                    ..plain.clone()
                }),
                text("b"),
            ],
        ),
        (
            "printf(\"%x\", (char)1)",
            vec![Piece::Conversion(Conversion { kind: integer(16, false, false, 8), ..plain.clone() })],
        ),
        (
            "printf(\"%+05i\", -1LL)",
            vec![Piece::Conversion(Conversion {
                kind: integer(10, false, true, 64),
                zero: true,
                plus: true,
                width: Width::Fixed(5),
                ..plain.clone()
            })],
        ),
        (
            "printf(\"%-0d%0-d\", 1u, (uint8_t)2)",
            vec![
                Piece::Conversion(Conversion {
                    kind: integer(10, false, false, 32),
                    zero: true,
                    ..plain.clone()
                }),
                Piece::Conversion(Conversion {
                    kind: integer(10, false, false, 8),
                    left: true,
                    ..plain.clone()
                }),
            ],
        ),
        (
            "printf(\"%?p|%#X|%' u\", (void *)1, 2, 3)",
            vec![
                Piece::Conversion(Conversion {
                    kind: integer(16, false, false, 64),
                    width: Width::Fixed(16),
                    ..plain.clone()
                }),
                text("|"),
                Piece::Conversion(Conversion {
                    kind: integer(16, true, false, 32),
                    alternate: true,
                    ..plain.clone()
                }),
                text("|"),
                Piece::Conversion(Conversion {
                    kind: integer(10, false, false, 32),
                    grouping: true,
                    space: true,
                    ..plain.clone()
                }),
            ],
        ),
        (
            "@[pid, \"k\"] = sum(1); printa(\"%@*d %s\", @)",
            vec![
                Piece::Conversion(Conversion {
                    kind: integer(10, false, true, 64),
                    aggregation: true,
                    width: Width::Arg,
                    ..plain.clone()
                }),
                text(" "),
                Piece::Conversion(plain.clone()),
            ],
        ),
    ] {
        assert_eq!(format(call).pieces, expected, "{call}");
    }
}
