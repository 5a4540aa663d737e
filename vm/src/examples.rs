//! The examples of runtime spec §19 that are within reach, from D text to bytes: compiled by `lang`, run by the
//! interpreter without a kernel part. Their numbers are the specification's.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use dtrail_lang::env::{
    Environment, FiredBy, NoMatch, Probe, ProbeId, ProbePattern, ProviderStability, Stability, glob_match,
};
use dtrail_lang::options::Options;
use dtrail_lang::source::{Source, SourceKind, SourceMap};

use crate::agg::sort::SortOptions;
use crate::consumer::{self, Settings};
use crate::format::printa::AggStyle;
use crate::interp::Interp;
use crate::output::CaptureOutput;
use crate::testing::{ListSource, user_plan};

/// The probes of `dtrace`.
struct Dtrace;

impl Dtrace {
    fn probes() -> Vec<Probe> {
        const STABLE: Stability = Stability { name: "Stable", data: "Stable", class: "Common" };
        let probe = |id, name: &str, fired_by| Probe {
            id: ProbeId(id),
            provider: "dtrace".into(),
            module: "".into(),
            function: "".into(),
            name: name.into(),
            fired_by,
            args: Arc::new([]),
            stability: ProviderStability { description: STABLE, args: STABLE },
        };
        vec![
            probe(1, "BEGIN", FiredBy::Tracer),
            probe(2, "END", FiredBy::Tracer),
            probe(3, "ERROR", FiredBy::Fault),
        ]
    }
}

impl Environment for Dtrace {
    fn match_probes(&self, pattern: &ProbePattern) -> Result<Vec<Probe>, NoMatch> {
        let matches = |pattern: &str, text: &str| pattern.is_empty() || glob_match(pattern, text);
        let fits = |probe: &Probe| {
            matches(&pattern.provider, &probe.provider) && matches(&pattern.name, &probe.name)
        };
        let probes: Vec<_> = Dtrace::probes().into_iter().filter(fits).collect();
        if probes.is_empty() { Err(NoMatch::Zero) } else { Ok(probes) }
    }

    fn probe_by_id(&self, id: ProbeId) -> Option<Probe> {
        Dtrace::probes().into_iter().find(|probe| probe.id == id)
    }

    fn macro_variable(&self, _: &str) -> Option<i64> {
        None
    }

    fn suggest(&self, _: &ProbePattern) -> Vec<String> {
        Vec::new()
    }
}

/// Runs a program text and gives both streams and the exit status.
fn run(text: &str, settings: &Settings) -> (String, String, u8) {
    let mut sources = SourceMap::default();
    sources.add(Source { name: text.to_owned(), kind: SourceKind::Name, text: text.to_owned() });
    let args = ["dtrace".to_owned()];
    let compiled = dtrail_lang::compile(&sources, &Dtrace, &mut Options::default(), &args);
    let compiled = compiled.unwrap_or_else(|error| panic!("{} in {text}", error.message));
    let plan = user_plan(compiled.program);
    let mut source = ListSource::default();
    let host = source.host.clone();
    let mut output = CaptureOutput::default();
    let none = AtomicU32::new(0);
    let outcome =
        consumer::run(&plan, &mut source, &mut Interp::default(), &host, &mut output, settings, &none, None);
    let status = outcome.unwrap_or_else(|error| panic!("{error} in {text}")).status;
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (text(output.out), text(output.err), status)
}

fn quiet() -> Settings {
    Settings { quiet: true, ..Settings::default() }
}

/// A fragment of a quiet `BEGIN` that exits: `printed` comes before the newline of the end, `aggregations` after it.
fn check_with(settings: &Settings, fragment: &str, printed: &str, aggregations: &str) {
    let (out, err, status) = run(&format!("BEGIN {{ {fragment} exit(0); }}"), settings);
    assert_eq!(out, format!("{printed}\n{aggregations}"), "{fragment}");
    assert_eq!((err.as_str(), status), ("", 0), "{fragment}");
}

fn prints(fragment: &str, expected: &str) {
    check_with(&quiet(), fragment, expected, "");
}

fn leaves(fragment: &str, expected: &str) {
    check_with(&quiet(), fragment, "", expected);
}

/// A whole program that is not quiet: its rows.
fn rows(program: &str, expected: &str) {
    let (out, err, status) = run(program, &Settings::default());
    let heading = "CPU     ID                    FUNCTION:NAME\n";
    assert_eq!(out, format!("{heading}{expected}"), "{program}");
    assert_eq!((err.as_str(), status), ("", 0), "{program}");
}

#[test]
fn formatting_1_to_16() {
    prints(r#"printf("%d %i %u %x %X %o", 97, 97, 97, 171, 171, 97);"#, "97 97 97 ab AB 141");
    prints(r#"printf("%x %d %d", (char)0xef, (char)0xef, (unsigned char)0xef);"#, "ef -17 239");
    prints(r#"printf("%u %x %x", (short)-1, -1, (long long)-1);"#, "65535 ffffffff ffffffffffffffff");
    prints(r#"printf("[%5d|%-5d|%05d|%+d|% d]", 42, 42, 42, 42, 42);"#, "[   42|42   |00042|+42| 42]");
    prints(r##"printf("%#x %#o %#8x|", 255, 8, 0x123);"##, "0xff 010    0x123|");
    prints(r#"printf("%*d|%-*d|%*d|", 5, 7, 5, 7, -5, 7);"#, "    7|7    |7    |");
    let hello = r#"printf("%.2s|%5.1s|%.0s|%.*s", "hello", "hello", "hello", 3, "hello");"#;
    prints(hello, "he|    h|hello|hel");
    prints(r#"printf("%-8s|%8s|", "ab", "ab");"#, "ab      |      ab|");
    prints(r#"printf("%c%c %C%C", 'a', 66, 'x', 10);"#, "aB x\\n");
    prints(r#"printf("%S", "a\tb\"c");"#, "a\\tb\\\"c\\0");
    prints(r##"printf("%p %#p %p", 0x1234, 0x1234, (void *)0);"##, "1234 0x1234 0");
    prints(r#"printf("%?d|%-?x|", 7, 255);"#, "               7|ff              |");
    prints(r#"printf("%Y", (int64_t)0);"#, "1970 Jan  1 00:00:00");
    prints(r#"printf("%T", (int64_t)1075064400000000000);"#, "Sun, 25 Jan 2004 21:00:00 UTC");
    prints(r#"printf("%-08d|%0-8d|", 5, 5);"#, "00000005|5       |");
    prints(r#"printf("a"); printf("b\n"); trace(1); trace("c");"#, "ab\n1c");
}

#[test]
fn rows_17_to_25() {
    let begin = "  0      1                           :BEGIN";
    rows("BEGIN { exit(0); }", &format!("{begin} \n\n"));
    rows("BEGIN { trace(42); exit(0); }", &format!("{begin}          42\n\n"));
    let values = "BEGIN { trace((char)-1); trace((short)7); trace(-1LL); exit(0); }";
    rows(values, &format!("{begin}   -1     7                  -1\n\n"));
    let strings = format!("{begin}   {:33}  {:33}\n\n", "ab", "cd");
    rows(r#"BEGIN { trace("ab"); trace("cd"); exit(0); }"#, &strings);
    rows("BEGIN { } BEGIN { x = 1; exit(0); }", &format!("{begin} \n{begin} \n\n"));
    rows(
        "BEGIN { x = 1; } BEGIN { @ = count(); } BEGIN { exit(0); }",
        &format!("{begin} \n\n                1\n"),
    );
    rows(r#"BEGIN { printf("hi\n"); exit(0); }"#, &format!("{begin} hi\n\n\n"));
    assert_eq!(run("BEGIN { exit(3); }", &quiet()), ("\n".to_owned(), String::new(), 3));
}

#[test]
fn strings_26_to_34() {
    prints(
        r#"printf("%s|%s|%s", substr("abcdefghijklmnop", 2, -10), substr("abcde", -7, 3), substr("abcde", -2));"#,
        "cdef|a|de",
    );
    prints(
        r#"printf("%s|%s|%s|", substr("abcde", -8, 3), substr("abcde", 5), substr("abcde", -9));"#,
        "||abcde|",
    );
    prints(
        r#"printf("%d %d %d %d", index("foobarbar","bar"), index("foobarbar","bar",4), index("foo","x"), index("foo","",2));"#,
        "3 6 -1 2",
    );
    prints(r#"printf("%s %s %s", basename("/foo/bar/"), basename("/"), basename(""));"#, "bar / .");
    prints(r#"printf("%s %s %s", dirname("/foo/bar/"), dirname("foo"), dirname("/foo"));"#, "/foo . /");
    prints(
        r#"printf("%s|%s|%d", strstr("foobar", "ob"), strstr("foobar", ""), strstr("foobar", "x") == NULL);"#,
        "obar|foobar|1",
    );
}

#[test]
fn aggregations_43_to_60() {
    let one = |value: i64| format!("{value:17}\n");
    leaves("@ = sum(5); @ = sum(-7);", &one(-2));
    leaves("@ = avg(0); @ = avg(-900);", &one(-450));
    leaves("@ = min(3); @ = min(-4); @a = max(3); @a = max(-4);", &format!("{}{}", one(-4), one(3)));
    let letters = |key: &str, value| format!("  {key:50}{}", one(value));
    leaves(
        r#"@["b"] = sum(2); @["a"] = sum(1); @["c"] = sum(1);"#,
        &[letters("a", 1), letters("c", 1), letters("b", 2)].concat(),
    );
    leaves(r#"@[1, (char)-1, "k"] = sum(7);"#, &format!("        1 255{}", letters("k", 7)));
    let number = |key: i64, value| format!(" {key:8}{}", one(value));
    leaves(
        "@[3] = sum(1); @[-1] = sum(1); @[2] = sum(1);",
        &[number(2, 1), number(3, 1), number(-1, 1)].concat(),
    );
    let sorted = |sort| Settings { aggs: AggStyle { sort, ..AggStyle::default() }, ..quiet() };
    check_with(
        &sorted(SortOptions { reverse: true, ..SortOptions::default() }),
        "@[1] = sum(1); @[2] = sum(5); @[3] = sum(3);",
        "",
        &[number(2, 5), number(3, 3), number(1, 1)].concat(),
    );
    let two = |a: i64, b: i64| format!(" {a:8} {b:8}{}", one(0));
    check_with(
        &sorted(SortOptions { key_position: 1, ..SortOptions::default() }),
        "@[1,3] = sum(0); @[2,2] = sum(0); @[3,1] = sum(0);",
        "",
        &[two(3, 1), two(2, 2), two(1, 3)].concat(),
    );
    let three = "@a[1] = sum(3); @a[2] = sum(9); @a[3] = sum(6);";
    leaves(&format!("{three} trunc(@a, 2);"), &[number(3, 6), number(2, 9)].concat());
    leaves(&format!("{three} trunc(@a, -1);"), &number(1, 3));
    leaves(&format!("{three} trunc(@a);"), "");
    leaves("@a[1] = sum(3); clear(@a);", &number(1, 0));
    prints(
        r#"@a["x"] = count(); @b["x"] = sum(4); @b["y"] = sum(9); printa("%s %@d %@d\n", @a, @b);"#,
        "y 0 9\nx 1 4\n",
    );
    prints(r#"@a = sum(90); printa("%@d %@x %@8d|%@-5d|", @a);"#, "90 5a       90|90   |");
    prints(r#"@a[1,2] = count(); printa("%@u: %d\n", @a); printa("%@u: %d %d\n", @a);"#, "1: 1\n1: 1 2\n");
    prints(
        "@a[7] = count(); @b[7] = sum(3); printa(@a, @b);",
        "\n        7                1                3\n",
    );
}

#[test]
fn messages_76_and_77() {
    for (fragment, fault) in
        [("x = *(int *)0;", "invalid address (0x0)"), ("x = 1; x = 1 / (x - x);", "divide-by-zero")]
    {
        let (out, err, status) = run(&format!("BEGIN {{ {fragment} }} BEGIN {{ exit(0); }}"), &quiet());
        // Which instruction it is, is the lowering's affair.
        let (message, _) = err.split_once(" at insn ").unwrap_or((&err, ""));
        let expected = format!("dtrace: error in dt_clause_0 for probe ID 1 (dtrace:::BEGIN): {fault}");
        assert_eq!((out.as_str(), message, status), ("\n", &*expected, 0), "{fragment}");
    }
}

/// A histogram as it is left at the end: `body` are its rows without their trailing blanks.
fn histogram(fragment: &str, key: &str, body: &[&str]) {
    let heading = "           value  ------------- Distribution ------------- count    ";
    let rows: String = body.iter().map(|row| format!("{row:<68}\n")).collect();
    leaves(fragment, &format!("{key}\n{heading}\n{rows}\n"));
}

#[test]
fn layouts_82_to_88_and_92() {
    let updates = |call: &str, values: &[i64]| {
        values
            .iter()
            .map(|value| format!("@ = {} ", call.replace('v', &value.to_string())))
            .collect::<String>()
    };
    histogram(
        &updates("quantize(v);", &[0, 1, 1, 2, 3, 4, 100]),
        "",
        &[
            "              -1 |                                         0",
            "               0 |@@@@@@                                   1",
            "               1 |@@@@@@@@@@@                              2",
            "               2 |@@@@@@@@@@@                              2",
            "               4 |@@@@@@                                   1",
            "               8 |                                         0",
            "              16 |                                         0",
            "              32 |                                         0",
            "              64 |@@@@@@                                   1",
            "             128 |                                         0",
        ],
    );
    histogram(
        &updates("quantize(v);", &[-5, -1, 0, 3]),
        "",
        &[
            "              -8 |                                         0",
            "              -4 |@@@@@@@@@@                               1",
            "              -2 |                                         0",
            "              -1 |@@@@@@@@@@                               1",
            "               0 |@@@@@@@@@@                               1",
            "               1 |                                         0",
            "               2 |@@@@@@@@@@                               1",
            "               4 |                                         0",
        ],
    );
    histogram(
        "@ = quantize(1, 2); @ = quantize(4, -2);",
        "",
        &[
            "               0                     |                     0",
            "               1                     |@@@@@@@@@@           2",
            "               2                     |                     0",
            "               4           @@@@@@@@@@|                     -2",
            "               8                     |                     0",
        ],
    );
    histogram(
        "@ = quantize(1, 1); @ = quantize(1, -1);",
        "",
        &[
            "              -1 |                                         0",
            "               0 |                                         0",
            "               1 |                                         0",
        ],
    );
    histogram(
        r#"@["x"] = quantize(1, 12345678901);"#,
        &format!("  {:50}", "x"),
        &[
            "               0 |                                         0",
            "               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 12345678901",
            "               2 |                                         0",
        ],
    );
    histogram(
        &updates("lquantize(v, 0, 10, 5);", &[-3, 0, 5, 9, 10, 99]),
        "",
        &[
            "             < 0 |@@@@@@@                                  1",
            "               0 |@@@@@@@                                  1",
            "               5 |@@@@@@@@@@@@@                            2",
            "           >= 10 |@@@@@@@@@@@@@                            2",
        ],
    );
    histogram(
        &updates("lquantize(v, -10, 10, 5);", &[-7, -12, 3]),
        "",
        &[
            "           < -10 |@@@@@@@@@@@@@                            1",
            "             -10 |@@@@@@@@@@@@@                            1",
            "              -5 |                                         0",
            "               0 |@@@@@@@@@@@@@                            1",
            "               5 |                                         0",
        ],
    );
    let bar = "@".repeat(40);
    prints(
        r#"@ = quantize(4); printa("%@d", @); printf("end");"#,
        &format!(
            "\n           value  ------------- Distribution ------------- count    
               2 |                                         0        
               4 |{bar} 1        
               8 |                                         0        \nend"
        ),
    );
}
