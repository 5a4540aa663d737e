//! Programs to IR text, checked against language spec §5.11, §6.1, §6.4.

use crate::check::tests::{Machine, compile_all};
use crate::ir::{ClauseId, Program, print, print::Spans};
use crate::options::Options;

fn lowered(source: &str) -> Program {
    match compile_all(&[source], &mut Options::default(), &Machine::new()) {
        Ok(program) => program,
        Err((_, error)) => panic!("{}: {source}", error.message),
    }
}

/// The code of the first clause: instructions and terminators, block labels kept, notes and numbers dropped.
fn code(source: &str) -> String {
    let program = lowered(source);
    let text = print::clause(&program, ClauseId(0), &program.clauses[0], Spans::Omit);
    let lines = text.lines().skip(1).map(|line| {
        let line = line.split("  ;").next().unwrap_or(line);
        let line = line.rsplit_once(" #").map_or(line, |(line, _)| line);
        line.trim()
    });
    let is_code = |line: &&str| !(line.starts_with("stmt ") || line.starts_with("regs ") || *line == "}");
    lines.filter(is_code).collect::<Vec<_>>().join("\n")
}

/// Checks the code of a clause, given line by line.
#[track_caller]
fn check(source: &str, expect: &[&str]) {
    assert_eq!(code(source).lines().collect::<Vec<_>>(), expect, "{source}");
}

/// Checks the code of a body without branches.
#[track_caller]
fn check_body(body: &str, expect: &[&str]) {
    let source = format!(
        "int i; char c; unsigned u; long l; unsigned long w; short h; string s; int a[int]; int *p; \
         BEGIN {{ {body} }}"
    );
    let mut lines = vec!["b0:"];
    lines.extend(expect);
    lines.push("return");
    assert_eq!(code(&source).lines().collect::<Vec<_>>(), lines, "{body}");
}

#[test]
fn a_predicate_is_the_first_branch() {
    check(
        "BEGIN /pid/ { trace(1); }",
        &[
            "b0:",
            "i0 = builtin pid",
            "branch i0 ? b1 : b2 merge b2",
            "b1:",
            "i1 = 1",
            "record k0 (i1)",
            "goto b2",
            "b2:",
            "return",
        ],
    );
    check("BEGIN /1/ { trace(1); }", &["b0:", "i0 = 1", "record k0 (i0)", "return"]);
    check("BEGIN /0/ { trace(1); }", &["b0:", "return"]);
}

#[test]
fn empty_bodies_record() {
    check("BEGIN { }", &["b0:", "record k0 ()", "return"]);
    check("BEGIN { ; ; }", &["b0:", "record k0 ()", "return"]);
    check("BEGIN { x = 1; }", &["b0:", "i0 = 1", "set x = i0", "return"]);
    check(
        "BEGIN /pid/ { }",
        &[
            "b0:",
            "i0 = builtin pid",
            "branch i0 ? b1 : b2 merge b2",
            "b1:",
            "record k0 ()",
            "goto b2",
            "b2:",
            "return",
        ],
    );
}

#[test]
fn values_are_cut_where_they_are_stored_recorded_or_used_as_keys() {
    // `m + 1 > 0` holds for the largest int, since intermediate results keep their 64 bits.
    check_body(
        "trace(i + 1 > 0);",
        &["i0 = get i", "i1 = 1", "i2 = add i0, i1", "i3 = 0", "i4 = lts i3, i2", "record k0 (i4)"],
    );
    check_body("i = i + 1;", &["i0 = get i", "i1 = 1", "i2 = add i0, i1", "i3 = sext32 i2", "set i = i3"]);
    check_body(
        "trace(i + 1);",
        &["i0 = get i", "i1 = 1", "i2 = add i0, i1", "i3 = sext32 i2", "record k0 (i3)"],
    );
    check_body(
        "a[i + 1] = 2;",
        &["i0 = 2", "i1 = get i", "i2 = 1", "i3 = add i1, i2", "i4 = sext32 i3", "set a[i4] = i0"],
    );
    check_body("l = l + 1;", &["i0 = get l", "i1 = 1", "i2 = add i0, i1", "set l = i2"]);
    // What fits already is not cut again.
    check_body("l = i;", &["i0 = get i", "set l = i0"]);
    check_body("i = c;", &["i0 = get c", "set i = i0"]);
    check_body("i = h & 0xff;", &["i0 = get h", "i1 = 255", "i2 = and i0, i1", "set i = i2"]);
    check_body("u = i;", &["i0 = get i", "i1 = zext32 i0", "set u = i1"]);
    check_body("i = u;", &["i0 = get u", "i1 = sext32 i0", "set i = i1"]);
    check_body("c = i == 1;", &["i0 = get i", "i1 = 1", "i2 = eq i0, i1", "set c = i2"]);
    check_body("c = 'A' + 256;", &["i0 = 65", "set c = i0"]);
    check_body("trace(2147483647 + 1);", &["i0 = -2147483648", "record k0 (i0)"]);
    check_body("exit(256 + 3);", &["i0 = 259", "record k0 (i0)"]);
    check_body(
        "@ = sum(i + 1);",
        &["i0 = get i", "i1 = 1", "i2 = add i0, i1", "i3 = sext32 i2", "aggregate g0 [] (i3)"],
    );
    // The value of an assignment is what was stored.
    check_body(
        "trace((c = 300) == 44);",
        &["i0 = 44", "set c = i0", "i1 = 44", "i2 = eq i0, i1", "record k0 (i2)"],
    );
    check_body("l = c = i;", &["i0 = get i", "i1 = sext8 i0", "set c = i1", "set l = i1"]);
}

#[test]
fn casts() {
    check_body("trace((uint8_t)-1);", &["i0 = 255", "record k0 (i0)"]);
    check_body(
        "trace((int)execname[0]);",
        &["s0 = builtin execname", "i1 = 0", "i2 = 0", "i3 = call <byte>(s0, i1, i2)", "record k0 (i3)"],
    );
    check_body("l = (char)i;", &["i0 = get i", "i1 = sext8 i0", "set l = i1"]);
    check_body("l = (unsigned)c;", &["i0 = get c", "i1 = zext32 i0", "set l = i1"]);
    // Widening to a signed type leaves the register as it is.
    check_body("l = (long)(i + 1);", &["i0 = get i", "i1 = 1", "i2 = add i0, i1", "set l = i2"]);
    check_body("l = (int)(i + 1);", &["i0 = get i", "i1 = 1", "i2 = add i0, i1", "set l = i2"]);
}

#[test]
fn signs_decide_comparisons_divisions_and_shifts() {
    check_body("l = i < l;", &["i0 = get i", "i1 = get l", "i2 = lts i0, i1", "set l = i2"]);
    check_body("l = i >= u;", &["i0 = get i", "i1 = get u", "i2 = leu i1, i0", "set l = i2"]);
    check_body("l = l <= w;", &["i0 = get l", "i1 = get w", "i2 = leu i0, i1", "set l = i2"]);
    check_body("l = p > p;", &["i0 = get p", "i1 = get p", "i2 = ltu i1, i0", "set l = i2"]);
    check_body("l = i / l;", &["i0 = get i", "i1 = get l", "i2 = divs i0, i1", "set l = i2"]);
    check_body("l = i % w;", &["i0 = get i", "i1 = get w", "i2 = remu i0, i1", "set l = i2"]);
    check_body("l = i >> w;", &["i0 = get i", "i1 = get w", "i2 = shrs i0, i1", "set l = i2"]);
    check_body("l = w >> i;", &["i0 = get w", "i1 = get i", "i2 = shru i0, i1", "set l = i2"]);
    check_body("l = -u;", &["i0 = get u", "i1 = neg i0", "set l = i1"]);
    check_body("l = !i;", &["i0 = get i", "i1 = 0", "i2 = eq i0, i1", "set l = i2"]);
    check_body(
        "l = i ^^ l;",
        &[
            "i0 = get i",
            "i1 = 0",
            "i2 = ne i0, i1",
            "i3 = get l",
            "i4 = 0",
            "i5 = ne i3, i4",
            "i6 = ne i2, i5",
            "set l = i6",
        ],
    );
}

#[test]
fn constants_are_folded() {
    for (expression, value) in [
        ("7 / (4 - 2)", 3),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("7 % -2", 1),
        ("1 << 63 < 0", 1),
        ("-1 >> 1", -1),
        ("-1 == 4294967295U", 0),
        ("~0u == 4294967295u", 0),
        ("-1u == 4294967295u", 1),
        ("(uint32_t)-1 == 4294967295", 1),
        ("(unsigned long)(char)-1 == 18446744073709551615u", 1),
        ("1 & 2 == 2", 1),
        ("2 ^^ 0", 1),
        ("1 || 0 ^^ 1", 1),
        ("sizeof (\"abc\") + sizeof (int)", 8),
        ("1 ? 5 : ghost", 5),
        ("'ab'", 24930),
        ("DTRACEFLT_BADINDEX + NULL", 11),
    ] {
        let expect = format!("i0 = {value}");
        check_body(&format!("l = {expression};"), &[&expect, "set l = i0"]);
    }
    check_body("1 ? trace(1) : ghost;", &["i0 = 1", "record k0 (i0)"]);
    check_body(
        "trace(sizeof (i)); trace(sizeof execname);",
        &["i0 = 4", "record k0 (i0)", "i1 = 256", "record k1 (i1)"],
    );
}

#[test]
fn logic_branches() {
    check(
        "BEGIN { x = pid && tid; }",
        &[
            "b0:",
            "i0 = builtin pid",
            "i1 = 0",
            "branch i0 ? b1 : b2 merge b2",
            "b1:",
            "i2 = builtin tid",
            "i3 = 0",
            "i1 = ne i2, i3",
            "goto b2",
            "b2:",
            "set x = i1",
            "return",
        ],
    );
    check(
        "BEGIN { x = pid || tid == 1; }",
        &[
            "b0:",
            "i0 = builtin pid",
            "i1 = 1",
            "branch i0 ? b2 : b1 merge b2",
            "b1:",
            "i2 = builtin tid",
            "i3 = 1",
            "i1 = eq i2, i3",
            "goto b2",
            "b2:",
            "set x = i1",
            "return",
        ],
    );
    // As a condition the right side need not become 0 or 1.
    check(
        "BEGIN /pid && tid/ { trace(1); }",
        &[
            "b0:",
            "i0 = builtin pid",
            "i1 = 0",
            "branch i0 ? b1 : b2 merge b2",
            "b1:",
            "i1 = builtin tid",
            "goto b2",
            "b2:",
            "branch i1 ? b3 : b4 merge b4",
            "b3:",
            "i2 = 1",
            "record k0 (i2)",
            "goto b4",
            "b4:",
            "return",
        ],
    );
    check(
        "BEGIN { s = pid ? \"a\" : NULL; }",
        &[
            "b0:",
            "i0 = builtin pid",
            "branch i0 ? b1 : b2 merge b3",
            "b1:",
            "s1 = \"a\"",
            "goto b3",
            "b2:",
            "s1 = null",
            "goto b3",
            "b3:",
            "set s = s1",
            "return",
        ],
    );
}

#[test]
fn conditional_statements() {
    check(
        "BEGIN { if (pid) trace(1); else if (tid) trace(2); trace(3); }",
        &[
            "b0:",
            "i0 = builtin pid",
            "branch i0 ? b1 : b2 merge b5",
            "b1:",
            "i1 = 1",
            "record k0 (i1)",
            "goto b5",
            "b2:",
            "i2 = builtin tid",
            "branch i2 ? b3 : b4 merge b4",
            "b3:",
            "i3 = 2",
            "record k1 (i3)",
            "goto b4",
            "b4:",
            "goto b5",
            "b5:",
            "i4 = 3",
            "record k2 (i4)",
            "return",
        ],
    );
    check("BEGIN { if (0) trace(1); else trace(2); }", &["b0:", "i0 = 2", "record k0 (i0)", "return"]);
}

#[test]
fn statements_are_numbered_in_source_order() {
    let program = lowered("BEGIN /pid/ { x = 1; if (0) { trace(1); } else { trace(2); } ; trace(3); }");
    let stmts: Vec<_> = program.sites.iter().map(|site| site.stmt).collect();
    assert_eq!(stmts, [4, 5], "x = 1 is 1, if is 2, the arm not taken is 3");
    let points: Vec<_> =
        program.clauses[0].blocks.iter().flat_map(|b| &b.insts).map(|inst| inst.point).collect();
    assert_eq!(points, (0..points.len() as u32).collect::<Vec<_>>());
}

#[test]
fn assignments_evaluate_right_then_left_and_keys_once() {
    check_body(
        "a[i++] = l;",
        &[
            "i0 = get l",
            "i1 = sext32 i0",
            "i2 = get i",
            "i3 = 1",
            "i4 = add i2, i3",
            "i5 = sext32 i4",
            "set i = i5",
            "set a[i2] = i1",
        ],
    );
    check_body(
        "a[i++] += 5;",
        &[
            "i0 = get i",
            "i1 = 1",
            "i2 = add i0, i1",
            "i3 = sext32 i2",
            "set i = i3",
            "i4 = get a[i0]",
            "i5 = 5",
            "i6 = add i4, i5",
            "i7 = sext32 i6",
            "set a[i0] = i7",
        ],
    );
    // x op= e reads x before e is evaluated.
    check_body(
        "l += l += 2;",
        &[
            "i0 = get l",
            "i1 = get l",
            "i2 = 2",
            "i3 = add i1, i2",
            "set l = i3",
            "i4 = add i0, i3",
            "set l = i4",
        ],
    );
    check_body(
        "trace(l++); trace(++l);",
        &[
            "i0 = get l",
            "i1 = 1",
            "i2 = add i0, i1",
            "set l = i2",
            "record k0 (i0)",
            "i3 = get l",
            "i4 = 1",
            "i5 = add i3, i4",
            "set l = i5",
            "record k1 (i5)",
        ],
    );
    check_body("c++;", &["i0 = get c", "i1 = 1", "i2 = add i0, i1", "i3 = sext8 i2", "set c = i3"]);
    check_body(
        "@[i] = quantize(l, c);",
        &["i0 = get l", "i1 = get c", "i2 = get i", "aggregate g0 [i2] (i0) weight i1"],
    );
}

#[test]
fn pointers() {
    check_body(
        "p = p + i;",
        &["i0 = get p", "i1 = get i", "i2 = 4", "i3 = mul i1, i2", "i4 = add i0, i3", "set p = i4"],
    );
    check_body("p -= 2;", &["i0 = get p", "i1 = 8", "i2 = sub i0, i1", "set p = i2"]);
    check_body("p++;", &["i0 = get p", "i1 = 4", "i2 = add i0, i1", "set p = i2"]);
    check_body(
        "l = p - p;",
        &["i0 = get p", "i1 = get p", "i2 = sub i0, i1", "i3 = 4", "i4 = divs i2, i3", "set l = i4"],
    );
    check_body("l = *p;", &["i0 = get p", "i1 = load i32 any [i0]", "set l = i1"]);
    check_body(
        "l = p[0]; l = p[3];",
        &[
            "i0 = get p",
            "i1 = load i32 any [i0]",
            "set l = i1",
            "i2 = get p",
            "i3 = 12",
            "i4 = add i2, i3",
            "i5 = load i32 any [i4]",
            "set l = i5",
        ],
    );
    check_body("l = *(char *)p;", &["i0 = get p", "i1 = load i8 any [i0]", "set l = i1"]);
    check_body(
        "l = 1[p]; l = i[execname];",
        &[
            "i0 = get p",
            "i1 = 4",
            "i2 = add i0, i1",
            "i3 = load i32 any [i2]",
            "set l = i3",
            "i4 = get i",
            "s5 = builtin execname",
            "i6 = 1",
            "i7 = call <byte>(s5, i4, i6)",
            "set l = i7",
        ],
    );
    check_body("trace(&p[1]);", &["i0 = get p", "i1 = 4", "i2 = add i0, i1", "record k0 (i2)"]);
    check_body("trace((string)p);", &["i0 = get p", "s1 = loadstr any [i0] limit 256", "record k0 (s1)"]);
}

#[test]
fn scratch_memory_is_known_by_its_variables() {
    // The first clause reads through the variable before the second says what it holds.
    check(
        "char *q; END { trace(*q); } BEGIN { q = copyin(arg0, 8); *q = 1; }",
        &["b0:", "i0 = get q", "i1 = load i8 scratch [i0]", "record k0 (i1)", "return"],
    );
    // The address of an element points where the pointer does.
    check(
        "int *q; END { trace(*&q[1]); } BEGIN { q = (int *)copyin(arg0, 8); }",
        &[
            "b0:",
            "i0 = get q",
            "i1 = 4",
            "i2 = add i0, i1",
            "i3 = load i32 scratch [i2]",
            "record k0 (i3)",
            "return",
        ],
    );
    check_body(
        "*(short *)copyin(arg0, 2) = i;",
        &[
            "i0 = get i",
            "i1 = sext16 i0",
            "i2 = builtin arg0",
            "i3 = 2",
            "i4 = call alloca(i3)",
            "i5 = 1",
            "s6 = call <block>(i2, i3, i5)",
            "i7 = call <fill>(s6, i4, i3)",
            "store u16 [i4] = i1",
        ],
    );
}

#[test]
fn strings() {
    check_body("s = NULL; s = 0;", &["s0 = null", "set s = s0", "s1 = null", "set s = s1"]);
    check_body(
        "trace(s + 1); trace(s - i);",
        &[
            "s0 = get s",
            "i1 = 1",
            "s2 = call <suffix>(s0, i1)",
            "record k0 (s2)",
            "s3 = get s",
            "i4 = get i",
            "i5 = neg i4",
            "s6 = call <suffix>(s3, i5)",
            "record k1 (s6)",
        ],
    );
    check_body(
        "l = s[i]; l = *s;",
        &[
            "s0 = get s",
            "i1 = get i",
            "i2 = 1",
            "i3 = call <byte>(s0, i1, i2)",
            "set l = i3",
            "s4 = get s",
            "i5 = 0",
            "i6 = 0",
            "i7 = call <byte>(s4, i5, i6)",
            "set l = i7",
        ],
    );
    check_body(
        "l = s > \"x\"; l = s == NULL;",
        &[
            "s0 = get s",
            "s1 = \"x\"",
            "i2 = strltu s1, s0",
            "set l = i2",
            "s3 = get s",
            "s4 = null",
            "i5 = streq s3, s4",
            "set l = i5",
        ],
    );
    check_body(
        "l = s == (char *)l;",
        &["s0 = get s", "i1 = get l", "s2 = loadstr any [i1] limit 256", "i3 = streq s0, s2", "set l = i3"],
    );
    check_body("l = (char *)8 == (char *)9;", &["i0 = 8", "i1 = 9", "i2 = eq i0, i1", "set l = i2"]);
    check_body(
        "l = strlen((char *)l); l = strlen(0);",
        &[
            "i0 = get l",
            "s1 = loadstr any [i0] limit 256",
            "i2 = call strlen(s1)",
            "set l = i2",
            "s3 = null",
            "i4 = call strlen(s3)",
            "set l = i4",
        ],
    );
    check_body("s = (char *)l;", &["i0 = get l", "s1 = loadstr any [i0] limit 256", "set s = s1"]);
}

#[test]
fn arguments() {
    check(
        "syscall::read:entry { trace(args[0]); }",
        &["b0:", "i0 = builtin arg0", "i1 = zext32 i0", "record k0 (i1)", "return"],
    );
    check(
        "syscall::read:entry { trace(args[2]); }",
        &["b0:", "i0 = builtin arg2", "record k0 (i0)", "return"],
    );
    check(
        "syscall::read:entry { trace(stringof(args[1])); trace(args[1][2]); }",
        &[
            "b0:",
            "i0 = builtin arg1",
            "s1 = loadstr user [i0] limit 256",
            "record k0 (s1)",
            "i2 = builtin arg1",
            "i3 = 2",
            "i4 = add i2, i3",
            "i5 = load i8 user [i4]",
            "record k1 (i5)",
            "return",
        ],
    );
    check(
        "proc:::exec { trace(args[0]); }",
        &["b0:", "i0 = builtin arg0", "s1 = loadstr user [i0] limit 256", "record k0 (s1)", "return"],
    );
}

#[test]
fn ordinary_arrays() {
    check("int a[4]; BEGIN { a[2] = 1; }", &["b0:", "i0 = 1", "i1 = 2", "set a[i1] = i0", "return"]);
    check(
        "int a[2][3]; BEGIN { trace(a[pid][1]); }",
        &[
            "b0:",
            "i0 = builtin pid",
            "i1 = 2",
            "i2 = call <index>(i0, i1)",
            "i3 = 1",
            "i4 = 3",
            "i5 = mul i2, i4",
            "i6 = add i5, i3",
            "i7 = get a[i6]",
            "record k0 (i7)",
            "return",
        ],
    );
}

#[test]
fn actions_record_their_values() {
    let program = lowered(
        "BEGIN { @[1] = count(); printf(\"%*d %s\\n\", 4, (short)pid, execname); printa(\"%d\", @); trunc(@, 5); trunc(@); \
         clear(@); printa(@, @); }",
    );
    let text = print::program(&program, Spans::Omit);
    let sites: Vec<_> = text.lines().filter(|line| line.starts_with('k')).collect();
    assert_eq!(
        sites,
        [
            "k0 = printf in c0 stmt 2 (i32, i16, string) format %*d16 \" \" %s \"\\n\"",
            "k1 = printa in c0 stmt 3 () aggs @_ format %d32",
            "k2 = trunc in c0 stmt 4 (i64) agg @_",
            "k3 = trunc in c0 stmt 5 () agg @_",
            "k4 = clear in c0 stmt 6 () agg @_",
            "k5 = printa in c0 stmt 7 () aggs @_, @_",
        ]
    );
}

#[test]
fn keys_take_the_type_of_their_slot() {
    let program = lowered(
        "BEGIN { q[1] = 5; q[(char)1] = 6; q[pid + 1L] = 7; @[execname, arg0] = count(); @[\"x\", 2] = count(); }",
    );
    assert_eq!(print::value_type(program.vars[0].keys.as_ref().expect("an array")[0]), "i32");
    let code = code("BEGIN { q[1] = 5; q[arg0] = 6; }");
    assert!(code.contains("i3 = builtin arg0\ni4 = sext32 i3\nset q[i4] = i2"), "{code}");
}

#[test]
fn whole_structs_are_read_before_they_are_stored() {
    // The order of loads, stores and variables alone.
    let order = |body: &str| {
        let source = format!("struct e {{ int a; int b; }}; struct e v, w, m[int]; BEGIN {{ {body} }}");
        let text = code(&source);
        let words = ["load", "store", "get", "set"];
        let mut found = Vec::new();
        for line in text.lines() {
            // `i0 = load …`, `store …`
            let mut line = line.split(' ');
            let (first, third) = (line.next().unwrap_or(""), line.nth(1).unwrap_or(""));
            found.extend(words.into_iter().find(|&word| word == first || word == third));
        }
        found.join(" ")
    };
    for (body, expect) in [
        // A variable cannot fault and does not overlap.
        ("v = w;", "get set get set"),
        ("v = *(struct e *)16;", "load load set set"),
        ("m[(v.a = 7)] = v;", "get get set set set"),
    ] {
        assert_eq!(order(body), expect, "{body}");
    }
}
