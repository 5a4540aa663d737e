//! Programs that the checker must accept: every expression has the type its place wants, every name is declared.
//!
//! Integers, strings and pointers to `int` each have a strategy; each may hold the others where D allows it. Divisors
//! are never constant, so that no division by zero can be told before the program runs.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// What every program starts with.
const DECLARATIONS: &str = "int i; char c; unsigned u; long l; uint64_t w; string s; int *p; int a[int]; \
string m[int, string]; int r[4]; long g[2][3]; self int x; self string t; this int n; this string o; self int y[string];\n";

type Text = BoxedStrategy<String>;

fn one_of(words: &'static [&'static str]) -> Text {
    select(words).prop_map(str::to_string).boxed()
}

fn integer_leaf() -> Text {
    prop_oneof![
        one_of(&["i", "c", "u", "l", "w", "self->x", "this->n", "*p", "r[2]", "g[1][2]"]),
        one_of(&["pid", "tid", "timestamp", "arg0", "uid", "errno", "id", "EPERM", "NULL"]),
        one_of(&[
            "0",
            "1",
            "-1",
            "7u",
            "3L",
            "0x80000000",
            "4294967296",
            "'a'",
            "sizeof (int)",
            "sizeof (s)"
        ]),
    ]
    .boxed()
}

fn string_leaf() -> Text {
    one_of(&["s", "self->t", "this->o", "execname", "probefunc", "probename", "\"\"", "\"some text\""])
}

fn pointer_leaf() -> Text {
    one_of(&["p", "((int *)arg1)", "((int *)0)", "(&p[1])"])
}

/// A place for integers.
fn integer_place(integer: Text, string: Text) -> Text {
    prop_oneof![
        4 => one_of(&["i", "c", "u", "l", "w", "self->x", "this->n"]),
        1 => integer.clone().prop_map(|key| format!("a[{key}]")),
        1 => integer.clone().prop_map(|key| format!("r[{key}]")),
        1 => (integer.clone(), integer).prop_map(|(row, column)| format!("g[l + {row}][l + {column}]")),
        1 => string.prop_map(|key| format!("self->y[{key}]")),
    ]
    .prop_map(|place| if place.starts_with("r[") { place.replacen("r[", "r[l + ", 1) } else { place })
    .boxed()
}

fn string_place(integer: Text, string: Text) -> Text {
    prop_oneof![
        3 => one_of(&["s", "self->t", "this->o"]),
        1 => (integer, string).prop_map(|(a, b)| format!("m[{a}, {b}]")),
    ]
    .boxed()
}

/// Integers and strings of a depth; they need each other.
fn expressions(depth: u32) -> (Text, Text) {
    if depth == 0 {
        return (integer_leaf(), string_leaf());
    }
    let (int, text) = expressions(depth - 1);
    let place = integer_place(int.clone(), text.clone());
    let text_place = string_place(int.clone(), text.clone());
    let pointer = prop_oneof![
        pointer_leaf(),
        int.clone().prop_map(|n| format!("(p + {n})")),
        (int.clone(), pointer_leaf()).prop_map(|(c, q)| format!("({c} ? p : {q})")),
    ];
    let arithmetic = select(vec!["+", "-", "*", "&", "|", "^", "<<", ">>"]);
    let logic = select(vec!["<", "<=", ">", ">=", "==", "!=", "&&", "||", "^^"]);
    let compare = select(vec!["<", "<=", ">", ">=", "==", "!="]);
    let cast =
        select(vec!["char", "short", "int", "long", "unsigned", "uint8_t", "pid_t", "unsigned long long"]);
    let string = prop_oneof![
        2 => string_leaf(),
        1 => text_place.clone(),
        1 => (text.clone(), int.clone()).prop_map(|(s, n)| format!("({s} + {n})")),
        1 => (text.clone(), text.clone()).prop_map(|(a, b)| format!("strjoin({a}, {b})")),
        1 => (text.clone(), text.clone()).prop_map(|(a, b)| format!("strstr({a}, {b})")),
        1 => (text.clone(), int.clone()).prop_map(|(s, n)| format!("substr({s}, {n})")),
        1 => text.clone().prop_map(|s| format!("basename({s})")),
        1 => (int.clone(), text.clone()).prop_map(|(c, s)| format!("(l - {c} ? {s} : NULL)")),
        1 => (int.clone(), text.clone(), text.clone()).prop_map(|(c, a, b)| format!("({c} ? {a} : {b})")),
        1 => pointer.clone().prop_map(|p| format!("(stringof({p}))")),
        1 => (text_place, text.clone()).prop_map(|(place, s)| format!("({place} = {s})")),
    ]
    .boxed();
    let integer = prop_oneof![
        2 => integer_leaf(),
        1 => place.clone(),
        3 => (int.clone(), arithmetic, int.clone()).prop_map(|(a, op, b)| format!("({a} {op} {b})")),
        1 => int.clone().prop_map(|a| format!("({a} / l)")),
        1 => int.clone().prop_map(|a| format!("({a} % u)")),
        2 => (int.clone(), logic, int.clone()).prop_map(|(a, op, b)| format!("({a} {op} {b})")),
        1 => (text.clone(), compare.clone(), text.clone()).prop_map(|(a, op, b)| format!("({a} {op} {b})")),
        1 => (pointer.clone(), compare, pointer.clone()).prop_map(|(a, op, b)| format!("({a} {op} {b})")),
        1 => (pointer.clone(), pointer.clone()).prop_map(|(a, b)| format!("({a} - {b})")),
        1 => pointer.clone().prop_map(|p| format!("*{p}")),
        1 => (pointer, int.clone()).prop_map(|(p, n)| format!("{p}[{n}]")),
        1 => (text.clone(), int.clone()).prop_map(|(s, n)| format!("{s}[{n}]")),
        1 => (cast, int.clone()).prop_map(|(ty, a)| format!("({ty}){a}")),
        1 => int.clone().prop_map(|a| format!("(- {a})")),
        1 => int.clone().prop_map(|a| format!("(~{a})")),
        1 => int.clone().prop_map(|a| format!("(!{a})")),
        1 => (int.clone(), int.clone(), int.clone()).prop_map(|(c, a, b)| format!("({c} ? {a} : {b})")),
        1 => (int.clone(), int.clone()).prop_map(|(a, b)| format!("({a}, {b})")),
        1 => text.clone().prop_map(|s| format!("strlen({s})")),
        1 => (text.clone(), text).prop_map(|(a, b)| format!("index({a}, {b})")),
        1 => (place.clone(), int.clone()).prop_map(|(place, a)| format!("({place} = {a})")),
        1 => (place.clone(), select(vec!["+=", "-=", "*=", "|=", ">>="]), int)
            .prop_map(|(place, op, a)| format!("({place} {op} {a})")),
        1 => place.clone().prop_map(|place| format!("({place}++)")),
        1 => place.prop_map(|place| format!("(--{place})")),
    ]
    .boxed();
    (integer, string)
}

fn statement(depth: u32) -> Text {
    let (int, text) = expressions(2);
    let simple = prop_oneof![
        2 => int.clone().prop_map(|a| format!("{a};")),
        1 => text.clone().prop_map(|s| format!("{s};")),
        1 => int.clone().prop_map(|a| format!("trace({a});")),
        1 => text.clone().prop_map(|s| format!("trace({s});")),
        1 => (int.clone(), text.clone(), int.clone())
            .prop_map(|(a, s, b)| format!("printf(\"%d %s %*x\", {a}, {s}, 5, {b});")),
        1 => int.clone().prop_map(|a| format!("@n = sum({a});")),
        1 => (text.clone(), int.clone(), int.clone())
            .prop_map(|(s, k, a)| format!("@q[{s}, {k}] = quantize({a});")),
        1 => (int.clone(), int.clone()).prop_map(|(k, a)| format!("@h[{k}] = lquantize({a}, 0, 100, 10);")),
        1 => (int.clone(), int.clone()).prop_map(|(a, n)| format!("p = {a} ? (int *){n} : 0;")),
        1 => int.clone().prop_map(|a| format!("exit({a});")),
        1 => one_of(&["@n = sum(1); printa(@n);", "@n = sum(1); clear(@n);", "@n = sum(1); trunc(@n, i);"]),
    ];
    if depth == 0 {
        return simple.boxed();
    }
    prop_oneof![
        4 => simple,
        1 => (int, block(depth - 1), block(depth - 1))
            .prop_map(|(c, a, b)| format!("if ({c}) {{ {a} }} else {{ {b} }}")),
    ]
    .boxed()
}

fn block(depth: u32) -> Text {
    vec(statement(depth), 0..4).prop_map(|statements| statements.join(" ")).boxed()
}

fn clause(probes: &'static [&'static str]) -> Text {
    let (predicate, _) = expressions(2);
    (one_of(probes), proptest::option::of(predicate), block(1))
        .prop_map(|(probe, predicate, body)| match predicate {
            Some(predicate) => format!("{probe} / {predicate} / {{ {body} }}\n"),
            None => format!("{probe} {{ {body} }}\n"),
        })
        .boxed()
}

/// A script.
pub fn program() -> Text {
    program_on(&["BEGIN"])
}

/// A script whose clauses stand on some of these probes.
pub fn program_on(probes: &'static [&'static str]) -> Text {
    vec(clause(probes), 1..4).prop_map(|clauses| format!("{DECLARATIONS}{}", clauses.concat())).boxed()
}
