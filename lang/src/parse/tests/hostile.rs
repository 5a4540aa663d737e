//! Texts made to hurt: they give a tree or a clear error, without overflow, and in linear time.

use std::time::{Duration, Instant};

use super::*;

/// How text of this shape ends: accepted, or refused with a tag.
pub(super) fn outcome(text: &str) -> Result<(), Tag> {
    script().parse(text).map(|_| ()).map_err(|error| error.tag)
}

fn nested(open: &str, middle: &str, close: &str, n: usize) -> String {
    format!("BEGIN {{ {}{middle}{}; }}", open.repeat(n), close.repeat(n))
}

#[test]
fn nesting_is_accepted_up_to_the_limit() {
    // The body's brace is a level too.
    let most = MAX_NESTING - 1;
    for (open, middle, close) in [
        ("(", "1", ")"),
        ("a[", "1", "]"),
        ("f(", "1", ")"),
        ("a ? ", "1", " : b"),
        ("if (a) ", "x", ""),
        ("if (a) x; else if (b) ", "y", ""),
    ] {
        assert_eq!(outcome(&nested(open, middle, close, most / 2)), Ok(()), "{open}");
        let deep = outcome(&nested(open, middle, close, 10 * most));
        assert_eq!(deep, Err(Tag::Syntax), "{open}");
    }
    assert_eq!(outcome(&nested("(", "1", ")", most)), Ok(()));
    assert_eq!(outcome(&nested("(", "1", ")", most + 1)), Err(Tag::Syntax));
    let message = "expressions or statements are nested too deeply";
    let text = nested("(", "1", ")", 10_000);
    script().refuses(&text, Tag::Syntax, "1:208", message);
}

#[test]
fn chains_are_accepted_up_to_the_limit() {
    for link in ["1 + ", "a = ", "a ? b : ", "!", "(int)", "sizeof ", "1, ", "if (a) x; else "] {
        let chain = |n: usize| format!("BEGIN {{ {}1; }}", link.repeat(n));
        assert_eq!(outcome(&chain(MAX_DEPTH - 50)), Ok(()), "{link}");
        assert_eq!(outcome(&chain(MAX_DEPTH + 50)), Err(Tag::Syntax), "{link}");
    }
    for link in ["[1]", ".b", "->b", "(1)", "++"] {
        let chain = |n: usize| format!("BEGIN {{ a{}; }}", link.repeat(n));
        assert_eq!(outcome(&chain(MAX_DEPTH - 50)), Ok(()), "{link}");
        assert_eq!(outcome(&chain(MAX_DEPTH + 50)), Err(Tag::Syntax), "{link}");
    }
    assert_eq!(outcome(&format!("int {}x;", "*".repeat(40))), Ok(()));
    assert_eq!(outcome(&format!("int {}x;", "*".repeat(400))), Err(Tag::Syntax));
    assert_eq!(outcome(&format!("int x{};", "[1]".repeat(400))), Err(Tag::Syntax));
}

#[test]
fn lists_have_no_limit() {
    assert_eq!(outcome(&format!("BEGIN {{ f({}1); }}", "1, ".repeat(10_000))), Ok(()));
    assert_eq!(outcome(&format!("BEGIN {{ {} }}", "x = 1;".repeat(10_000))), Ok(()));
    assert_eq!(outcome(&format!("BEGIN{} {{ }}", ", BEGIN".repeat(10_000))), Ok(()));
}

/// The time for `n` repetitions of a text, at least a millisecond.
fn time(n: usize, text: impl Fn(usize) -> String) -> Duration {
    let text = text(n);
    let start = Instant::now();
    let _ = script().parse(&text);
    start.elapsed().max(Duration::from_millis(1))
}

#[test]
fn time_is_linear() {
    type Shape = (&'static str, usize, fn(usize) -> String);
    let shapes: [Shape; 17] = [
        ("groups", 2_000, |n| format!("BEGIN {{ x = {}1; }}", "(a)".repeat(n))),
        ("groups in groups", 60, |n| format!("BEGIN {{ x = {}", "(a)((a)(".repeat(n))),
        ("starred groups", 2_000, |n| format!("BEGIN {{ x = {}1; }}", "(a)*".repeat(n))),
        ("stars in parentheses", 60, |n| format!("BEGIN {{ x = {}", "(a (*".repeat(n))),
        ("casts to nested functions", 40, |n| format!("BEGIN {{ x = {}", "(a (*[(int (*[".repeat(n))),
        ("clauses", 500, |n| "BEGIN { x = 1; }\n".repeat(n)),
        ("an error after clauses", 500, |n| "BEGIN { x = 1; }\n".repeat(n) + "x y"),
        ("open parentheses", 50_000, |n| "BEGIN { ".to_string() + &"(".repeat(n)),
        ("prefixes", 2_000, |n| format!("BEGIN {{ {}1; }}", "!".repeat(n))),
        ("sums", 1_000, |n| format!("BEGIN {{ {}1; }}", "1 + ".repeat(n))),
        ("conditionals", 500, |n| format!("BEGIN {{ {}1; }}", "a ? b : ".repeat(n))),
        ("else if", 300, |n| format!("BEGIN {{ {}1; }}", "if (a) x; else ".repeat(n))),
        ("slashes", 4_000, |n| format!("BEGIN {{ x = 1 {} }}", "/ ".repeat(n))),
        ("a control line far to the right", 100_000, |n| {
            " ".repeat(n) + "#\n" + &" ".repeat(n) + "#\nBEGIN { }"
        }),
        ("comments", 100_000, |n| "/**/".repeat(n) + "BEGIN { }"),
        ("type names", 4_000, |n| format!("BEGIN {{ {} }}", "size_t ".repeat(n))),
        ("bodies of structures", 200, |n| "struct s { ".repeat(n)),
    ];
    for (name, n, shape) in shapes {
        // Quadratic time would be sixteen times as long; the noise of a busy machine is less than that.
        let ratio = || time(4 * n, shape).as_secs_f64() / time(n, shape).as_secs_f64();
        let ratios: Vec<f64> = (0..5).map(|_| ratio()).take_while(|&ratio| ratio >= 10.0).collect();
        assert!(ratios.len() < 5, "{name}: four times the text takes {ratios:.1?} times as long");
    }
}

#[test]
fn arbitrary_bytes_give_an_answer() {
    let alphabet: Vec<char> =
        "BEGIN{}()[];,/?:\"'\\#@$`.->+*=!&|^%<>~ \n\t019axu_é\u{0}\u{1}\u{f}".chars().collect();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..2_000 {
        let mut text = String::new();
        for _ in 0..40 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            text.push(alphabet[(state % alphabet.len() as u64) as usize]);
        }
        for case in [script(), string()] {
            let mut case = case;
            if let Err(error) = case.parse(&text) {
                assert!(
                    error.span.start <= error.span.end && error.span.end as usize <= text.len(),
                    "{text:?}"
                );
                assert!(text.get(error.span.start as usize..error.span.end as usize).is_some(), "{text:?}");
            }
        }
        let mut body = script();
        let _ = body.parse(&format!("BEGIN {{ {text} }}"));
    }
}
