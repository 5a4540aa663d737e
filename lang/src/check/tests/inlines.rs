//! Inlines: their definitions, their uses, and what they may come to.

use super::*;

#[test]
fn definitions() {
    for (source, expected) in [
        ("inline int n = 3; BEGIN { trace(n); }", "ok"),
        ("inline int n = \"x\"; BEGIN { }", "D_OP_INCOMPAT 1:1"),
        ("inline string s = 5; BEGIN { }", "D_OP_INCOMPAT 1:1"),
        ("inline int f(int a) = 1; BEGIN { }", "D_OP_INCOMPAT 1:1"),
        ("inline int loop = loop + 1; BEGIN { }", "D_IDENT_UNDEF 1:19"),
        ("inline int n = self->x; BEGIN { }", "D_VAR_UNDEF 1:16"),
        ("static inline int n = 1; BEGIN { }", "D_SYNTAX 1:8"),
        ("inline static int n = 1; BEGIN { }", "D_DECL_BADCLASS 1:1"),
        ("inline void n = 1; BEGIN { }", "D_DECL_VOIDOBJ 1:13"),
        ("inline int x[3] = 1; BEGIN { }", "D_DECL_ARRNULL 1:12"),
        ("inline int x[] = 1; BEGIN { }", "D_DECL_ARRNULL 1:12"),
        ("inline int x[int] = 1; BEGIN { }", "D_DECL_PROTO_NAME 1:14"),
        ("inline int x[int a, ...] = 1; BEGIN { }", "D_DECL_PROTO_VARARGS 1:21"),
        ("inline int x[int a, int a] = 1; BEGIN { }", "D_DECL_PROTO_FORM 1:25"),
        ("inline int x[void] = 1; BEGIN { }", "D_DECL_PROTO_TYPE 1:14"),
        ("inline int x = 1; inline int x = 1; BEGIN { }", "D_DECL_IDRED 1:30"),
        ("int x; inline int x = 1; BEGIN { }", "D_DECL_IDRED 1:19"),
        ("inline int pid = 1; BEGIN { }", "D_DECL_IDRED 1:12"),
        ("inline int strlen = 1; BEGIN { }", "D_DECL_IDRED 1:12"),
        ("inline int x = 1; int x; BEGIN { }", "ok"),
        ("inline int x = 1; string x; BEGIN { }", "D_DECL_IDRED 1:26"),
        ("inline int x[int a] = a; int x[int]; BEGIN { }", "ok"),
        ("inline int a`b = 1; BEGIN { }", "D_DECL_SCOPE 1:12"),
        ("inline int n; BEGIN { }", "D_SYNTAX 1:13"),
        ("inline n = 1; BEGIN { }", "D_SYNTAX 1:10"),
        ("inline long n = args[0]; BEGIN { }", "D_ARGS_NONE 1:17"),
        ("inline int n = exit(1); BEGIN { }", "D_OP_INCOMPAT 1:1"),
        ("inline int n = count(); BEGIN { }", "D_OP_INCOMPAT 1:1"),
        ("inline struct ghost n = 0; BEGIN { }", "D_DECL_INCOMPLETE 1:21"),
        ("inline int n[int a[int]] = 1; BEGIN { }", "D_DECL_PROTO_TYPE 1:14"),
        ("inline int n = 1 / 0; BEGIN { }", "D_DIV_ZERO 1:16"),
        ("BEGIN { x = 1; } inline int n = x;", "D_IDENT_UNDEF 1:33"),
        ("inline int *p = 0; BEGIN { }", "ok"),
        ("inline string s = copyinstr(arg0); BEGIN { trace(s); }", "ok"),
    ] {
        check(source, expected);
    }
}

#[test]
fn uses() {
    for (source, expected) in [
        ("inline int f[int a] = a; BEGIN { trace(f); }", "D_IDENT_BADREF 1:40"),
        ("inline int f[int a] = a; BEGIN { trace(f[1, 2]); }", "D_PROTO_LEN 1:40"),
        ("inline int f[int a] = a; BEGIN { trace(f[\"x\"]); }", "D_PROTO_ARG 1:40"),
        ("inline int f[int a] = a; BEGIN { f[1] = 2; }", "D_OP_WRITE 1:34"),
        ("inline int f[int a] = a = 1; BEGIN { }", "D_OP_WRITE 1:23"),
        ("inline int f = pid; BEGIN { trace(f[1]); }", "D_DEREF_NONPTR 1:35"),
        ("inline int n = 5; BEGIN { n = 2; }", "D_OP_LVAL 1:27"),
        ("inline int n = 5; BEGIN { n++; }", "D_OP_LVAL 1:27"),
        ("inline int n = pid + 1; BEGIN { n = 2; }", "D_OP_WRITE 1:33"),
        ("inline int n = pid + 1; BEGIN { n += 2; }", "D_OP_WRITE 1:33"),
        ("inline int n = pid; BEGIN { n = 2; }", "D_OP_WRITE 1:29"),
        ("int z; inline int n = z; BEGIN { n = 2; n++; n += 3; }", "ok"),
        ("inline int n = pid; BEGIN { trace(&n); }", "D_ADDROF_VAR 1:35"),
        ("inline int n = 1; BEGIN { n(); }", "D_FUNC_IDKIND 1:27"),
        ("inline int n = 4; int a[n]; BEGIN { a[4] = 1; }", "D_ARR_BOUNDS 1:37"),
        ("inline int q = 1; BEGIN { q ? printf(\"%d\", 1) : 1; }", "ok"),
        // A parameter hides a constant of its name.
        ("inline int n = 4; inline int f[int n] = n; int a[f[3]]; BEGIN { }", "D_DECL_ARRSUB 1:50"),
    ] {
        check(source, expected);
    }
}

#[test]
fn growth_is_limited() {
    let mut doubling = "inline int d0 = pid;".to_string();
    let mut chain = "inline int c0 = pid;".to_string();
    for i in 1..600 {
        if i < 40 {
            doubling += &format!("inline int d{i} = d{} + d{};", i - 1, i - 1);
        }
        chain += &format!("inline int c{i} = c{} + 1;", i - 1);
    }
    assert_eq!(outcome(&[&doubling], &mut Options::default()), "D_UNKNOWN 1:339");
    assert_eq!(outcome(&[&chain], &mut Options::default()).split(' ').next(), Some("D_UNKNOWN"));
}

#[test]
fn small_definitions_are_used_as_often_as_one_likes() {
    let small = "inline int f[int k] = k + 1; BEGIN { ".to_string() + &"x = f[pid]; ".repeat(6_000) + "}";
    assert_eq!(outcome(&[&small], &mut Options::default()), "ok");
    // `h` comes to 99 operations, `f` to 9 and 5 * 99, of which 64 are not counted: 37 uses come to 16280, 38 to more
    // than 16384.
    let large = |clauses: &[usize]| {
        let uses = clauses.iter().map(|&uses| format!("BEGIN {{ {}}} ", "x = f; ".repeat(uses)));
        let h = format!("inline int h = pid{};", " + pid".repeat(49));
        format!("{h} inline int f = h + h + h + h + h; {}", uses.collect::<String>())
    };
    let told = |source: &str| {
        let compiled = compile_all(&[source], &mut Options::default(), &Machine::new());
        compiled.err().map(|(_, error)| error.message)
    };
    assert_eq!(told(&large(&[37, 37])), None);
    let message = "with f the definitions used here come to more than 16384 operations";
    assert_eq!(told(&large(&[37, 38])).as_deref(), Some(message));
    let doubling = "inline int a = pid; ".to_string()
        + &(1..20)
            .map(|i| {
                format!(
                    "inline int d{i} = {0} + {0}; ",
                    if i == 1 { "a".into() } else { format!("d{}", i - 1) }
                )
            })
            .collect::<String>()
        + "BEGIN { }";
    let message = "with d12 the definitions used here come to more than 16384 operations";
    assert_eq!(told(&doubling).as_deref(), Some(message));
}
