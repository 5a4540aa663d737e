//! Strings: constants, comparisons, subroutines, captures.

use proptest::prelude::*;

use super::*;

/// Where the tests keep the process's strings.
const AT: u64 = 0x2000_0000;

/// A program whose clause reads the string at `arg0`, and maybe the one at `arg1`, and runs `body` on `s0` and `s1`.
fn text(body: &str, second: bool) -> String {
    let second = if second { "i1 = builtin arg1\ns1 = loadstr user [i1] limit 256\n" } else { "" };
    one_block("", &format!("i0 = builtin arg0\ns0 = loadstr user [i0] limit 256\n{second}{body}\nwork"))
}

/// Runs it on strings; at most 4096 bytes of them.
fn on(bench: &mut Bench, a: &str, b: &str) -> Sent {
    let mut bytes = vec![0; 4096];
    bytes[..a.len()].copy_from_slice(a.as_bytes());
    bytes[2048..2048 + b.len()].copy_from_slice(b.as_bytes());
    bench.memory(&[(AT, &bytes)], &[]);
    bench.sent(&TestEvent::args(&[AT as i64, AT as i64 + 2048]))
}

fn string(text: &str) -> Sent {
    Sent::Ran(vec![Value::Str(text.to_owned())])
}

fn number(value: i64) -> Sent {
    Sent::Ran(vec![Value::Int(value)])
}

/// The lengths where words and limits end.
const LENGTHS: [usize; 10] = [0, 1, 7, 8, 9, 15, 16, 255, 256, 300];

fn letters(len: usize) -> String {
    ('a'..='z').cycle().take(len).collect()
}

#[test]
fn strings_are_read_up_to_a_nul_or_the_limit() {
    for limit in [5, 256] {
        let body = format!("i0 = builtin arg0\ns0 = loadstr user [i0] limit {limit}\nsend $0 = s0\nwork");
        let mut bench = Bench::new(&one_block("", &body));
        for len in LENGTHS {
            let full = letters(len);
            assert_eq!(on(&mut bench, &full, ""), string(&full[..len.min(limit)]), "{len}");
        }
    }
}

#[test]
fn a_string_may_end_where_memory_does() {
    let mut bench = Bench::new(&text("send $0 = s0", false));
    let page = vec![b'x'; 4096];
    bench.memory(&[(AT, &page)], &[]);
    for before in [1, 8, 100, 255, 256, 257] {
        let event = TestEvent::args(&[AT as i64 + 4096 - before]);
        assert_eq!(bench.sent(&event), string(&"x".repeat(before.min(256) as usize)), "{before}");
    }
    let beyond = AT + 4096;
    assert_eq!(bench.sent(&TestEvent::args(&[beyond as i64])), Sent::Fault(1, beyond, 1));
}

#[test]
fn addresses_choose_their_memory() {
    let kernel = 0xffff_8880_0000_0000u64;
    let mut bench = Bench::rbpf(&one_block(
        "",
        "i0 = builtin arg0\ns0 = loadstr any [i0] limit 256\ni1 = load u32 any [i0]\nsend $0 = s0\nsend $1 = i1\nwork",
    ));
    bench.memory(&[(AT, b"user\0")], &[(kernel, b"kernel\0")]);
    let expect = |s: &str, word: &[u8; 4]| {
        Sent::Ran(vec![Value::Str(s.to_owned()), Value::Int(i64::from(u32::from_le_bytes(*word)))])
    };
    assert_eq!(bench.sent(&TestEvent::args(&[AT as i64])), expect("user", b"user"));
    assert_eq!(bench.sent(&TestEvent::args(&[kernel as i64])), expect("kernel", b"kern"));
    assert_eq!(bench.sent(&TestEvent::args(&[1 << 47])), Sent::Fault(1, 1 << 47, 1));
}

#[test]
fn constants_null_and_the_command_name_are_captured() {
    let sent = run(
        "s0 = \"hello\"\ns1 = null\ns2 = builtin execname\ns3 = \"\"\nsend $0 = s0\nsend $1 = s1\nsend $2 = s2\nsend $3 = s3\nwork",
        &TestEvent { comm: "123456789012345", ..TestEvent::default() },
    );
    let s = |text: &str| Value::Str(text.to_owned());
    assert_eq!(sent, Sent::Ran(vec![s("hello"), Value::Null, s("123456789012345"), s("")]));
}

#[test]
fn command_names_of_every_length() {
    let mut bench = Bench::new(&one_block(
        "",
        "s0 = builtin execname\ni0 = call strlen(s0)\nsend $0 = s0\nsend $1 = i0\nwork",
    ));
    let name = "abcdefghijklmno";
    for len in 0..=15 {
        let comm = &name[..len];
        let sent = bench.sent(&TestEvent { comm, ..TestEvent::default() });
        assert_eq!(sent, Sent::Ran(vec![Value::Str(comm.to_owned()), Value::Int(len as i64)]));
    }
}

#[test]
fn probe_names() {
    let mut bench = Bench::new(
        "p0 = probe 9 syscall:vmlinux:read:entry\np1 = probe 10 proc::longerthaneight:exec\nenable c0 on p0, p1\n\
         clause c0 {\nb0:\ns0 = builtin probeprov\ns1 = builtin probemod\ns2 = builtin probefunc\n\
         s3 = builtin probename\ns4 = \"read\"\ni0 = streq s2, s4\ni1 = call strlen(s2)\n\
         send $0 = s0\nsend $1 = s1\nsend $2 = s2\nsend $3 = s3\nsend $4 = i0\nsend $5 = i1\nwork\nreturn\n}\n",
    );
    let expect = |parts: [&str; 4], equal, length| {
        let mut values: Vec<Value> = parts.iter().map(|p| Value::Str((*p).to_owned())).collect();
        values.extend([Value::Int(equal), Value::Int(length)]);
        Sent::Ran(values)
    };
    assert_eq!(bench.sent(&TestEvent::default()), expect(["syscall", "vmlinux", "read", "entry"], 1, 4));
    let second = TestEvent { probe: 1, ..TestEvent::default() };
    assert_eq!(bench.sent(&second), expect(["proc", "", "longerthaneight", "exec"], 0, 15));
}

#[test]
fn comparisons_with_a_constant() {
    let long = letters(200);
    for constant in ["", "a", "passwd", "12345678", "123456789", "123456789012345", "1234567890123456", &long]
    {
        let code =
            format!("s2 = \"{constant}\"\ni2 = streq s0, s2\ni3 = strne s2, s0\nsend $0 = i2\nsend $1 = i3");
        let mut bench = Bench::new(&text(&code, false));
        let mut comm =
            Bench::new(&one_block("", &format!("s0 = builtin execname\n{}\nwork", code.replace("s2", "s1"))));
        let mut others = vec![constant.to_owned(), format!("{constant}x"), "zzz".to_owned(), String::new()];
        if let Some((shorter, _)) = constant.char_indices().next_back().map(|(i, _)| constant.split_at(i)) {
            others.push(shorter.to_owned());
        }
        for other in others {
            let equal = i64::from(other == constant);
            let expected = Sent::Ran(vec![Value::Int(equal), Value::Int(1 - equal)]);
            assert_eq!(on(&mut bench, &other, ""), expected, "{other} and {constant}");
            if other.len() <= 15 {
                let name: &'static str = String::leak(other.clone());
                let event = TestEvent { comm: name, ..TestEvent::default() };
                assert_eq!(comm.sent(&event), expected, "execname {other} and {constant}");
            }
        }
    }
}

#[test]
fn comparisons_of_two_values() {
    let ops = ["streq", "strne", "strltu", "strleu"];
    let body: String = ops
        .iter()
        .enumerate()
        .map(|(i, op)| format!("i{} = {op} s0, s1\nsend ${i} = i{}\n", i + 2, i + 2))
        .collect();
    let mut bench = Bench::new(&text(&body, true));
    let long = letters(256);
    let changed = format!("{}~", &long[..255]);
    let words = [
        "",
        "a",
        "b",
        "ab",
        "abcdefgh",
        "abcdefghi",
        "abcdefgi",
        "zz",
        "\u{ff}",
        &long,
        &long[..250],
        &changed,
    ];
    for a in words {
        for b in words {
            let order = a.as_bytes().cmp(b.as_bytes());
            let values = [order.is_eq(), order.is_ne(), order.is_lt(), order.is_le()];
            let expected = values.map(|v| Value::Int(i64::from(v))).to_vec();
            assert_eq!(on(&mut bench, a, b), Sent::Ran(expected), "{a} and {b}");
        }
    }
}

#[test]
fn null_equals_null_only_and_is_below_every_string() {
    let ops = ["streq", "strne", "strltu", "strleu"];
    // A string that is NULL at run time only: what a search does not find.
    let head = "s9 = \"?\"\ns8 = \"abc\"\ns2 = call strstr(s8, s9)\ns3 = null\ns4 = \"\"\n";
    let mut body = head.to_owned();
    let mut expected = Vec::new();
    let mut slot = 0;
    for (a, b, order) in
        [("s2", "s3", 0), ("s2", "s4", -1), ("s4", "s2", 1), ("s3", "s4", -1), ("s2", "s2", 0)]
    {
        for op in ops {
            body.push_str(&format!("i{slot} = {op} {a}, {b}\nsend ${slot} = i{slot}\n"));
            let holds = match op {
                "streq" => order == 0,
                "strne" => order != 0,
                "strltu" => order < 0,
                _ => order <= 0,
            };
            expected.push(Value::Int(i64::from(holds)));
            slot += 1;
        }
    }
    // Registers of the other kind need names of their own.
    let body = body.replace("s9", "s100").replace("s8", "s101");
    let body = body.replace("s2", "s102").replace("s3", "s103").replace("s4", "s104");
    let regs: Vec<String> = (slot..100).map(|i| format!("i{i}")).collect();
    let text = one_block("", &format!("{body}work"))
        .replace("clause c0 {\n", &format!("clause c0 {{\nregs {}\n", regs.join(" ")));
    let mut bench = Bench::new(&text);
    assert_eq!(bench.sent(&TestEvent::default()), Sent::Ran(expected));
}

#[test]
fn lengths_and_joins() {
    let mut bench = Bench::new(&text(
        "i2 = call strlen(s0)\ns2 = call strjoin(s0, s1)\ni3 = call strlen(s2)\nsend $0 = i2\nsend $1 = s2\nsend $2 = i3",
        true,
    ));
    for a in LENGTHS {
        for b in LENGTHS {
            let (x, y) = (letters(a.min(256)), letters(b.min(256)).to_uppercase());
            let joined: String = format!("{x}{y}").chars().take(256).collect();
            let expected = Sent::Ran(vec![
                Value::Int(x.len() as i64),
                Value::Str(joined.clone()),
                Value::Int(joined.len() as i64),
            ]);
            assert_eq!(on(&mut bench, &x, &y), expected, "{a}, {b}");
        }
    }
}

#[test]
fn substrings() {
    let mut bench = Bench::new(&one_block(
        "",
        "i0 = builtin arg0\ns0 = loadstr user [i0] limit 256\ni1 = builtin arg1\ni2 = builtin arg2\n\
         s1 = call substr(s0, i1, i2)\ns2 = call substr(s0, i1)\nsend $0 = s1\nsend $1 = s2\nwork",
    ));
    for (whole, start, count, with, without) in [
        ("abcdefghijklmnop", 2, -10, "cdef", "cdefghijklmnop"),
        ("abcde", -7, 3, "a", "abcde"),
        ("abcde", -2, 256, "de", "de"),
        ("abcde", -8, 3, "", "abcde"),
        ("abcde", 5, 256, "", ""),
        ("abcde", -9, 8, "abcd", "abcde"),
        ("abcde", 1, -4, "", "bcde"),
        ("abcde", 1, -3, "b", "bcde"),
        ("abcde", -7, -1, "", "abcde"),
        ("abcde", 0, 0, "", "abcde"),
        ("", 0, 1, "", ""),
        ("abcde", i64::MIN, i64::MAX, "abcd", ""),
        ("abcde", i64::MAX, i64::MIN, "", ""),
        ("abcde", 2, i64::MAX, "cde", "cde"),
    ] {
        let mut bytes = whole.as_bytes().to_vec();
        bytes.push(0);
        bench.memory(&[(AT, &bytes)], &[]);
        let sent = bench.sent(&TestEvent::args(&[AT as i64, start, count]));
        let expected = [with, without].map(|s| Value::Str(s.to_owned())).to_vec();
        assert_eq!(sent, Sent::Ran(expected), "substr({whole:?}, {start}, {count})");
    }
}

#[test]
fn suffixes_and_bytes() {
    let mut bench = Bench::new(&one_block(
        "",
        "i0 = builtin arg0\ns0 = loadstr user [i0] limit 256\ni1 = builtin arg1\ni2 = 0\ni3 = 1\n\
         s1 = call <suffix>(s0, i1)\ni4 = call <byte>(s0, i1, i2)\nsend $0 = s1\nsend $1 = i4\nwork\n\
         i5 = call <byte>(s0, i1, i3) #77\nsend $2 = i5",
    ));
    bench.memory(&[(AT, b"ab\xe9d\0")], &[]);
    for (at, suffix, byte) in [(0, "ab\u{fffd}d", 97), (2, "\u{fffd}d", -23), (4, "", 0), (255, "", 0)] {
        let sent = bench.sent(&TestEvent::args(&[AT as i64, at]));
        let expected = vec![Value::Str(suffix.to_owned()), Value::Int(byte), Value::Int(byte)];
        assert_eq!(sent, Sent::Ran(expected), "{at}");
    }
    for at in [256, -1, i64::MIN] {
        assert_eq!(bench.sent(&TestEvent::args(&[AT as i64, at])), Sent::Fault(11, at as u64, 77), "{at}");
    }
}

#[test]
fn searches() {
    for (needle, texts) in [
        ("bar", vec!["foobarbar", "bar", "ba", "", "xxbaxbar"]),
        ("a", vec!["bba", "", "a"]),
        ("aab", vec!["aaab", "ab", "aabaab"]),
        ("", vec!["", "abc"]),
        ("abcabd", vec!["abcabcabd"]),
    ] {
        let mut bench = Bench::new(&one_block(
            "",
            &format!(
                "i0 = builtin arg0\ns0 = loadstr user [i0] limit 256\ns1 = \"{needle}\"\ni1 = builtin arg1\n\
                 s2 = call strstr(s0, s1)\ni2 = call index(s0, s1)\ni3 = call index(s0, s1, i1)\n\
                 send $0 = s2\nsend $1 = i2\nsend $2 = i3\nwork"
            ),
        ));
        for text in texts {
            for start in [-5, 0, 1, 4, 100] {
                let mut bytes = text.as_bytes().to_vec();
                bytes.push(0);
                bench.memory(&[(AT, &bytes)], &[]);
                let sent = bench.sent(&TestEvent::args(&[AT as i64, start]));
                let found = text.find(needle);
                let from = start.max(0) as usize;
                let later = text.get(from..).and_then(|t| t.find(needle)).map(|at| at + from);
                let int = |at: Option<usize>| Value::Int(at.map_or(-1, |at| at as i64));
                let suffix = found.map_or(Value::Null, |at| Value::Str(text[at..].to_owned()));
                assert_eq!(
                    sent,
                    Sent::Ran(vec![suffix, int(found), int(later)]),
                    "{needle} in {text}, {start}"
                );
            }
        }
    }
}

#[test]
fn a_search_reaches_the_end_of_the_longest_string() {
    let mut bench =
        Bench::new(&text("s2 = \"yz\"\ni2 = call index(s0, s2)\nsend $0 = i2", false).replace("s2", "s1"));
    let at_end = format!("{}yz", "x".repeat(254));
    assert_eq!(on(&mut bench, &at_end, ""), number(254));
    let cut = format!("{}yz", "x".repeat(255));
    assert_eq!(on(&mut bench, &cut, ""), number(-1));
}

#[test]
fn path_components() {
    let mut bench =
        Bench::new(&text("s1 = call basename(s0)\ns2 = call dirname(s0)\nsend $0 = s1\nsend $1 = s2", false));
    let long = format!("/{}/{}", "d".repeat(200), "f".repeat(100));
    for (path, base, dir) in [
        ("/foo/bar/", "bar", "/foo"),
        ("foo", "foo", "."),
        ("/foo", "foo", "/"),
        ("/", "/", "/"),
        ("///", "/", "/"),
        ("", ".", "."),
        ("foo/", "foo", "."),
        ("a//b//", "b", "a"),
        ("//a", "a", "/"),
        ("a/b/c", "c", "a/b"),
        ("/etc/passwd", "passwd", "/etc"),
        (&long, &long[202..256], &long[..201]),
    ] {
        let expected = [base, dir].map(|s| Value::Str(s.to_owned())).to_vec();
        assert_eq!(on(&mut bench, path, ""), Sent::Ran(expected), "{path}");
    }
}

#[test]
fn copyinstr_counts_the_nul() {
    let mut bench = Bench::new(&one_block(
        "",
        "i0 = builtin arg0\ni1 = builtin arg1\ns0 = call copyinstr(i0)\ns1 = call copyinstr(i0, i1) #9\n\
         send $0 = s0\nsend $1 = s1\nwork",
    ));
    let full = letters(300);
    bench.memory(&[(AT, full.as_bytes())], &[]);
    for (max, len) in [(1, 0), (4, 3), (256, 255), (1000, 255), (-1, 255)] {
        let sent = bench.sent(&TestEvent::args(&[AT as i64, max]));
        let expected = vec![Value::Str(full[..255].to_owned()), Value::Str(full[..len].to_owned())];
        assert_eq!(sent, Sent::Ran(expected), "{max}");
    }
    assert_eq!(bench.sent(&TestEvent::args(&[AT as i64, 0])), Sent::Fault(1, AT, 9));
    assert_eq!(bench.sent(&TestEvent::args(&[16, 5])), Sent::Fault(1, 16, 2), "nothing is there");
}

#[test]
fn null_arguments_fault() {
    for call in [
        "i9 = call strlen(s0)",
        "s9 = call strjoin(s0, s0)",
        "s9 = call basename(s0)",
        "s9 = call substr(s0, i0)",
    ] {
        let call = call.replace("i9", "i1").replace("s9", "s1");
        let body = format!("i0 = 1\ns0 = null\n{call} #5\nwork");
        assert_eq!(run(&body, &TestEvent::default()), Sent::Fault(1, 0, 5), "{call}");
    }
}

#[test]
fn a_string_of_two_sources_is_the_one_that_was_taken() {
    let mut bench = Bench::new(
        "p0 = probe 1 a:b:c:d\nenable c0 on p0\nclause c0 {\nb0:\ni0 = builtin arg0\n\
         branch i0 ? b1 : b2 merge b3\nb1:\ns0 = \"yes\"\ngoto b3\nb2:\ns0 = builtin execname\ngoto b3\n\
         b3:\ns1 = s0\nsend $0 = s1\nwork\nreturn\n}\n",
    );
    assert_eq!(bench.sent(&TestEvent::args(&[1])), string("yes"));
    assert_eq!(bench.sent(&TestEvent::args(&[0])), string("bash"));
}

#[test]
fn short_strings_are_cut_everywhere() {
    let body = "s0 = builtin execname\ns1 = \"abcdefgh\"\ns2 = builtin probefunc\ns3 = call strjoin(s0, s1)\n\
                i0 = streq s0, s1\nsend $0 = s0\nsend $1 = s1\nsend $2 = s2\nsend $3 = s3\nsend $4 = i0\nwork";
    let text = one_block("limits strsize 4 scratchsize 256", body);
    let event = TestEvent { comm: "abcdef", ..TestEvent::default() };
    let sent = Bench::new(&text).sent(&event);
    let s = |text: &str| Value::Str(text.to_owned());
    assert_eq!(sent, Sent::Ran(vec![s("abcd"), s("abcd"), s("read"), s("abcd"), Value::Int(1)]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn random_paths(path in "[/a.]{0,40}", other in "[/a.]{0,40}") {
        let mut bench = Bench::rbpf(&text(
            "s2 = call basename(s0)\ns3 = call dirname(s0)\ni2 = strltu s0, s1\ns4 = call strjoin(s2, s3)\n\
             send $0 = s2\nsend $1 = s3\nsend $2 = i2\nsend $3 = s4",
            true,
        ));
        let trimmed = path.trim_end_matches('/');
        let base = match (path.is_empty(), trimmed.is_empty()) {
            (true, _) => ".",
            (_, true) => "/",
            _ => trimmed.rsplit('/').next().unwrap(),
        };
        let dir = match (path.is_empty(), trimmed.is_empty(), trimmed.rfind('/')) {
            (true, ..) => ".",
            (_, true, _) => "/",
            (_, _, None) => ".",
            (_, _, Some(at)) => match trimmed[..at].trim_end_matches('/') {
                "" => "/",
                dir => dir,
            },
        };
        let expected = vec![
            Value::Str(base.to_owned()),
            Value::Str(dir.to_owned()),
            Value::Int(i64::from(path < other)),
            Value::Str(format!("{base}{dir}")),
        ];
        prop_assert_eq!(on(&mut bench, &path, &other), Sent::Ran(expected));
    }
}
