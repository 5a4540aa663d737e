//! Expressions: language spec §5, §6, §8, and the items of §18 about them.

use super::{check, check_body};

#[test]
fn constants_and_names() {
    for (body, expect) in [
        ("n = 0xffffffffffffffff; trace(n > 0);", "ok"),
        ("trace('ab'); trace('\\q');", "ok"),
        ("trace(arg7);", "ok"),
        ("$pid++;", "D_OP_LVAL 1:1"),
        ("$pid = 1;", "D_OP_LVAL 1:1"),
        ("EPERM = 5;", "D_OP_LVAL 1:1"),
        ("trace(NULL == 0); trace(SIGKILL + O_RDWR + DTRACEFLT_BADADDR);", "ok"),
        ("x = y;", "D_IDENT_UNDEF 1:5"),
        ("x = self->y;", "D_VAR_UNDEF 1:5"),
        ("x = this->y;", "D_VAR_UNDEF 1:5"),
        ("x = x;", "D_VAR_UNDEF 1:5"),
        ("x = 1; self->x = \"a\"; this->x = 2; @x = count();", "ok"),
        ("pid = 2;", "D_OP_WRITE 1:1"),
        ("execname = 0;", "D_OP_WRITE 1:1"),
        ("arg0 = 0;", "D_OP_WRITE 1:1"),
        ("pid++ ++;", "D_OP_WRITE 1:1"),
        ("n++; trace(sizeof (n));", "ok"),
        ("self->n++; this->m--; trace(self->n + this->m);", "ok"),
        ("n += 1;", "D_VAR_UNDEF 1:1"),
        ("self->n += 1;", "D_VAR_UNDEF 1:1"),
        ("trace(strlen);", "D_IDENT_BADREF 1:7"),
        ("trace(args);", "D_IDENT_BADREF 1:7"),
        ("trace(curthread);", "ok"),
        ("trace(`jiffies);", "D_IDENT_UNDEF 1:7"),
        ("1 = 2;", "D_OP_LVAL 1:1"),
        ("5 = \"a\";", "D_OP_INCOMPAT 1:1"),
        ("strlen(\"a\") = 1;", "D_OP_LVAL 1:1"),
        ("x = 1; (x + 1) = 2;", "D_OP_LVAL 1:8"),
    ] {
        check_body(body, expect);
    }
}

#[test]
fn first_assignment_fixes_the_type_in_program_order() {
    for (source, expect) in [
        ("BEGIN { trace(k); } BEGIN { k = 1; }", "D_IDENT_UNDEF 1:15"),
        ("BEGIN { m = 1; } END { m = \"s\"; }", "D_OP_INCOMPAT 1:24"),
        ("BEGIN /self->q/ { self->q = 1; }", "ok"),
        ("BEGIN /x/ { x = 1; }", "ok"),
        ("BEGIN /x = 1/ { trace(x); }", "ok"),
        ("BEGIN /x/ { y = 1; }", "D_IDENT_UNDEF 1:8"),
        ("BEGIN /1/ { trace(x); }", "D_IDENT_UNDEF 1:19"),
        ("BEGIN { if (0) { x = 1; } else { x = \"s\"; } }", "D_OP_INCOMPAT 1:34"),
        ("BEGIN { if (x) { } }", "D_IDENT_UNDEF 1:13"),
    ] {
        check(source, expect);
    }
}

#[test]
fn operators_ask_for_classes() {
    for (body, expect) in [
        ("trace(execname && 1);", "D_OP_SCALAR 1:7"),
        ("trace(!\"a\");", "D_OP_SCALAR 1:7"),
        ("trace(-\"a\");", "D_OP_ARITH 1:7"),
        ("trace(\"a\" * 2);", "D_OP_ARITH 1:7"),
        ("trace(~\"a\");", "D_OP_INT 1:7"),
        ("trace(\"a\" & 1);", "D_OP_INT 1:7"),
        ("p = (int *)8; trace(p << 1);", "D_OP_INT 1:21"),
        ("p = (int *)8; trace(p % 2);", "D_OP_INT 1:21"),
        ("trace(\"a\" == pid);", "D_OP_INCOMPAT 1:7"),
        ("trace(\"a\" == 0);", "ok"),
        ("trace(\"a\" - \"b\");", "D_OP_INCOMPAT 1:7"),
        ("trace(1 - \"b\");", "D_OP_INCOMPAT 1:7"),
        ("trace(1 + \"b\");", "ok"),
        ("s = \"a\"; s++;", "D_OP_SCALAR 1:10"),
        ("s = \"a\"; s += 1;", "D_OP_INCOMPAT 1:10"),
        ("s = \"a\"; s[0] = 1;", "D_OP_WRITE 1:10"),
        ("p = (char *)8; p = \"a\";", "D_UNKNOWN 1:16"),
        ("p = (char *)8; a[p] = 1; a[\"x\"] = 1;", "D_UNKNOWN 1:26"),
        ("if (execname) { }", "D_OP_SCALAR 1:5"),
        ("trace(\"a\" ? 1 : 2);", "D_OP_SCALAR 1:7"),
        ("trace(1 ? \"x\" : 2);", "ok"),
        ("trace(pid ? \"x\" : 2);", "D_OP_INCOMPAT 1:7"),
        ("trace(pid ? \"x\" : NULL);", "ok"),
        ("trace(7 / (3 - 3));", "D_DIV_ZERO 1:7"),
        ("if (0) { x = 5; x %= 0; }", "D_DIV_ZERO 1:17"),
        ("z = 0; trace(7 / z);", "ok"),
        ("trace(2 ^^ 0); trace(1 || 0 ^^ 1);", "ok"),
        ("trace((1, 2));", "ok"),
    ] {
        check_body(body, expect);
    }
}

#[test]
fn pointers() {
    for (body, expect) in [
        ("p = 5; q = (int *)p; q = 0; q = p;", "D_OP_INCOMPAT 1:29"),
        ("v = (void *)8; trace(*v);", "D_DEREF_VOID 1:22"),
        ("v = (void *)8; trace(v + 1);", "D_OP_INCOMPAT 1:22"),
        ("v = (void *)8; v++;", "D_OP_VFPTR 1:16"),
        ("v = (void *)8; v += 1;", "D_OP_VFPTR 1:16"),
        ("v = (void *)8; v -= execname;", "D_OP_INCOMPAT 1:16"),
        ("x = 1; trace(x[0]);", "D_DEREF_NONPTR 1:14"),
        ("x = 1; trace(x[0, 1]);", "D_ARR_BADREF 1:14"),
        ("trace(*pid);", "D_DEREF_NONPTR 1:7"),
        ("trace(&pid);", "D_ADDROF_VAR 1:7"),
        ("x = 1; trace(&x);", "D_ADDROF_VAR 1:14"),
        ("trace(&(1 + 2));", "D_ADDROF_LVAL 1:7"),
        ("p = (int *)8; trace(&p[1]); trace(&*p);", "ok"),
        ("p = (int *)8; *p = 1;", "D_OP_WRITE 1:15"),
        ("*(int *)0 = 1;", "D_OP_WRITE 1:1"),
        ("p = (int *)copyin(arg0, 8); *p = 1; p[1] = 2; *p += 3; p[0]++;", "ok"),
        ("p = copyin(arg0, 8); p = (void *)arg1;", "D_ALLOCA_INCOMPAT 1:22"),
        ("p = copyin(arg0, 8); p = 0;", "ok"),
        ("copyin(arg0, 256);", "ok"),
        ("copyin(arg0, 257);", "D_ALLOCA_SIZE 1:1"),
        ("x = y; copyin(arg0, -1);", "D_IDENT_UNDEF 1:5"),
        ("p = (void *)arg0; q = pid ? copyin(arg0, 8) : p;", "D_ALLOCA_INCOMPAT 1:19"),
        ("p = (int *)8; q = (int *)8; trace(p - q);", "ok"),
        ("p = (int *)8; q = (int *)8; trace(p + q);", "D_OP_INCOMPAT 1:35"),
        ("p = (int *)8; q = (int *)8; p += q;", "D_OP_INCOMPAT 1:29"),
        ("p = (int *)8; q = (long *)8; trace(p == q);", "D_OP_INCOMPAT 1:36"),
        ("p = (int *)8; p *= 2;", "D_OP_ARITH 1:15"),
        ("p = (int *)8; p->x = 1;", "D_OP_SOU 1:15"),
        ("p = (int *)8; p.x = 1;", "D_OP_SOU 1:15"),
        ("trace(pid->x);", "D_OP_PTR 1:7"),
        ("p = (struct ghost *)8; trace(p->x);", "D_OP_INCOMPLETE 1:30"),
        ("fp = (int (*)(int))8; fp++;", "D_OP_VFPTR 1:23"),
        ("fp = (int (*)(int))8; trace(fp + 1);", "D_OP_INCOMPAT 1:29"),
        ("fp = (int (*)(int))8; trace(*fp);", "D_DEREF_FUNC 1:29"),
    ] {
        check_body(body, expect);
    }
}

#[test]
fn casts_and_sizes() {
    for (body, expect) in [
        ("trace((char *)execname);", "D_CAST_INVAL 1:7"),
        ("trace((int)execname);", "D_CAST_INVAL 1:7"),
        ("trace((char[4])1);", "D_CAST_INVAL 1:7"),
        ("trace((string)arg0);", "ok"),
        ("trace(stringof((char *)arg0)); trace(stringof(arg0));", "ok"),
        ("trace(stringof((void)1));", "D_STRINGOF_TYPE 1:7"),
        ("trace(sizeof (\"abc\")); trace(sizeof (NULL)); trace(sizeof execname);", "ok"),
        ("trace(sizeof (void));", "D_SIZEOF_TYPE 1:7"),
        ("trace(sizeof (int[int]));", "D_SIZEOF_TYPE 1:7"),
        ("@a = count(); trace(sizeof (@a));", "D_SIZEOF_TYPE 1:21"),
        ("trace((uint8_t)257); trace((pid_t)1); trace((unsigned long long)1);", "ok"),
        ("trace((int (*)[3])8);", "ok"),
    ] {
        check_body(body, expect);
    }
}

#[test]
fn functions() {
    for (body, expect) in [
        ("pid(1);", "D_FUNC_IDKIND 1:1"),
        ("ghost();", "D_FUNC_UNDEF 1:1"),
        ("(1)(2);", "D_FUNC_IDENT 1:2"),
        ("x = 1; x();", "D_FUNC_UNDEF 1:8"),
        ("trace(strlen(5));", "D_PROTO_ARG 1:7"),
        ("trace(strlen(0));", "ok"),
        ("trace(strlen((char *)8));", "ok"),
        ("trace(strlen(\"a\", \"b\"));", "D_PROTO_LEN 1:7"),
        ("trace(substr(\"a\"));", "D_PROTO_LEN 1:7"),
        ("trace(substr(\"a\", \"b\"));", "D_PROTO_ARG 1:7"),
        ("trace(copyinstr(\"a\"));", "D_PROTO_ARG 1:7"),
        ("trace(strlen[\"a\"]);", "D_PROTO_LEN 1:7"),
        ("panic();", "D_UNKNOWN 1:1"),
        ("trace(msgsize(0));", "D_UNKNOWN 1:7"),
        ("trace(1, 2);", "D_PROTO_LEN 1:1"),
        ("trace();", "D_PROTO_LEN 1:1"),
        ("exit(\"a\");", "D_PROTO_ARG 1:1"),
    ] {
        check_body(body, expect);
    }
    // The call is at fault, so its line is reported, not that of its arguments.
    check("BEGIN\n{\n trace(1,\n 2);\n}", "D_PROTO_LEN 3:2");
    // Names of functions are looked up before any clause is checked, and see declarations and earlier programs only.
    check("BEGIN { trace(y); } END { ghost(); }", "D_FUNC_UNDEF 1:27");
    check("int x; BEGIN { x(); }", "D_FUNC_IDKIND 1:16");
}

#[test]
fn actions_are_statements() {
    for (body, expect) in [
        ("pid ? exit(0) : exit(1);", "D_OP_ACT 1:1"),
        ("pid ? exit(0) : 1;", "D_OP_INCOMPAT 1:1"),
        ("1 ? exit(0) : 1;", "ok"),
        ("(exit(0));", "ok"),
        ("exit(0), 1;", "D_OP_ACT 1:1"),
        ("x = 1 + exit(0);", "D_OP_INCOMPAT 1:5"),
        ("x = trace(1);", "D_OP_INCOMPAT 1:1"),
        ("(void)exit(0);", "D_CG_EXPR 1:7"),
        ("trace((void)exit(0));", "D_TRACE_VOID 1:1"),
        ("strlen(exit(0));", "D_PROTO_ARG 1:1"),
        ("if (exit(0)) { }", "D_OP_SCALAR 1:5"),
        ("trace((void)1);", "D_TRACE_VOID 1:1"),
        ("count();", "D_CG_EXPR 1:1"),
        ("x = count();", "D_OP_INCOMPAT 1:1"),
    ] {
        check_body(body, expect);
    }
    check("BEGIN /exit(0)/ { }", "D_PRED_SCALAR 1:8");
    check("BEGIN /execname/ { }", "D_PRED_SCALAR 1:8");
}

#[test]
fn associative_arrays() {
    for (body, expect) in [
        ("q[0] = 1; q[1, 2] = 1;", "D_PROTO_LEN 1:11"),
        ("q[\"x\"] = 1; q[1] = 2;", "D_PROTO_ARG 1:13"),
        ("q[1] = 5; q[(char)1] = 6; trace(q[1L]);", "ok"),
        ("this->v[1] = 2;", "D_ARR_LOCAL 1:1"),
        ("q[1] = 1; trace(sizeof (q));", "D_IDENT_BADREF 1:25"),
        ("q[1] = 1; q = 2;", "D_IDENT_BADREF 1:11"),
        ("trace(a[1]);", "D_VAR_UNDEF 1:7"),
        ("a[a[1]] = 1;", "D_VAR_UNDEF 1:3"),
        ("a[1] = a[1];", "D_VAR_UNDEF 1:8"),
        ("a[1] = 1; a[1][2] = 3;", "D_DEREF_NONPTR 1:11"),
        ("self->a[\"x\", 1] = 3; trace(self->a[\"x\", 1]);", "ok"),
        ("n[pid]++; trace(sizeof (n[pid]));", "ok"),
        ("a[1] = \"v\"; a[1] = 0; a[2] = NULL;", "ok"),
        ("a[(void)1] = 1;", "D_KEY_TYPE 1:3"),
        ("x = 1; a[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16] = x;", "ok"),
        ("a = 1; a[1] = 2;", "D_DEREF_NONPTR 1:8"),
        ("trace(pid[1]);", "D_DEREF_NONPTR 1:7"),
    ] {
        check_body(body, expect);
    }
}

#[test]
fn zero_deletes_dynamic_variables_of_any_type() {
    for (source, expect) in [
        ("BEGIN { self->s = \"a\"; self->s = 0; }", "ok"),
        ("BEGIN { s = \"a\"; s = 0; s = NULL; }", "ok"),
        ("BEGIN { s = \"a\"; s = 5; }", "D_OP_INCOMPAT 1:18"),
        ("BEGIN { self->s = \"a\"; self->s = 5; }", "D_OP_INCOMPAT 1:24"),
    ] {
        check(source, expect);
    }
}

#[test]
fn arguments_of_probes() {
    for (source, expect) in [
        ("syscall::: { trace(args[0]); }", "D_ARGS_MULTI 1:20"),
        ("syscall::re*:entry { trace(args[0]); }", "ok"),
        ("sys*::read:entry { trace(args[0]); }", "ok"),
        ("syscall::read: { trace(args[0]); }", "D_ARGS_MULTI 1:24"),
        ("sys*:::entry { trace(args[0]); }", "D_ARGS_MULTI 1:22"),
        (":::entry { trace(args[0]); }", "D_ARGS_MULTI 1:18"),
        ("syscall:::entry { trace(arg0); }", "ok"),
        ("BEGIN { trace(args[0]); }", "D_ARGS_IDX 1:15"),
        ("BEGIN { i = 0; trace(args[i]); }", "D_PROTO_ARG 1:22"),
        ("BEGIN { trace(args[0, 1]); }", "D_PROTO_LEN 1:15"),
        ("syscall::write:entry { trace(args[5]); }", "D_ARGS_IDX 1:30"),
        ("syscall::write:entry { trace(args[-1]); }", "D_ARGS_IDX 1:30"),
        ("syscall::write:entry { args[0] = 1; }", "D_OP_WRITE 1:24"),
        ("syscall::strange:entry { trace(args[0]); }", "D_ARGS_TYPE 1:32"),
        ("syscall::strange:entry { trace(args[1]); }", "ok"),
        ("syscall::write:entry { trace(stringof(args[1])); }", "ok"),
        // A name that is open matches probes of several kinds.
        ("sdt:::wake_* { trace(args[0]); }", "ok"),
        ("sdt:::wake_* { trace(args[1]); }", "D_ARGS_MULTI 1:22"),
        ("sdt:::wake_idle { trace(args[1]); }", "ok"),
        ("sdt:::wake_idle, sdt:::wake_new { trace(args[1]); }", "ok"),
        // The mark makes the two kinds of pointer incompatible.
        ("syscall::write:entry { p = (char *)8; p = args[1]; }", "ok"),
        ("syscall::write:entry { p = (void **)8; trace(p == args[1]); }", "D_OP_INCOMPAT 1:46"),
        (
            "proc:::exec { printf(\"%s\", args[0]); s = args[0]; a[args[0]] = 1; } END { s = \"x\"; a[s] = 2; }",
            "ok",
        ),
        // Each description is checked with the types of its own probe.
        ("syscall::read:entry, BEGIN { trace(args[0]); }", "D_ARGS_IDX 1:36"),
        ("BEGIN, syscall::write:entry { trace(args[0]); }", "D_ARGS_IDX 1:37"),
        ("syscall::read:entry, syscall::write:entry { trace(args[2]); }", "ok"),
    ] {
        check(source, expect);
    }
}

/// A struct that an operator or a definition gives can be read, not written (language spec §6.3, §6.6).
#[test]
fn structs_as_values() {
    const HEAD: &str = "struct s { int a; int f : 2; int l[3]; char n[4]; }; struct s v, w; \
                        inline struct s same[struct s x] = x;\n";
    for (body, expect) in [
        ("trace((w = v).a);", "ok"),
        ("i = 1; trace((i ? v : w).a);", "ok"),
        ("trace((1 ? v : w).l[2]);", "ok"),
        ("trace((v, w).f);", "ok"),
        ("trace(same[v].n);", "ok"),
        ("trace((i = 1, same[i ? v : w]).l[1]);", "ok"),
        ("q[same[v]] = 1; @[(w = v)] = count();", "ok"),
        ("trace((w = v).b);", "D_TYPE_MEMBER 2:23"),
        ("trace((w = v)->a);", "D_OP_PTR 2:15"),
        ("trace(same[v].l[3]);", "D_ARR_BOUNDS 2:15"),
        ("trace(same[v].l[0, 1]);", "D_ARR_BADREF 2:15"),
        ("(w = v).a = 1;", "D_OP_LVAL 2:9"),
        ("i = 1; (i ? v : w).a++;", "D_OP_LVAL 2:16"),
        ("same[v].a = 1;", "D_OP_WRITE 2:9"),
        ("trace(&same[v].l[1]);", "D_ADDROF_VAR 2:15"),
        ("(1 ? v : w).a = 1;", "ok"),
        ("i = 1; (0 ? v.a : i) = 1;", "ok"),
        ("trace(&(w = v).a);", "D_ADDROF_LVAL 2:15"),
        ("trace(&(w = v).f);", "D_ADDROF_BITFIELD 2:15"),
        ("trace(sizeof (same[v].f));", "D_SIZEOF_BITFIELD 2:15"),
        ("trace(same[1].a);", "D_PROTO_ARG 2:15"),
        ("trace(v == w);", "D_OP_INCOMPAT 2:15"),
        ("trace((w = v) + 1);", "D_OP_INCOMPAT 2:15"),
    ] {
        check(&format!("{HEAD}BEGIN {{ {body} }}"), expect);
    }
}

/// A variable, and a member of what lies in scratch memory, holds pointers to scratch memory or others (language spec
/// §5.5), whichever clause comes first.
#[test]
fn pointers_to_scratch_memory() {
    const HEAD: &str = "struct n { struct n *next; int v; char *s; }; struct n *p, *q; struct n w, u;\n\
                        inline struct n *same[struct n *x] = x; inline struct n *after[struct n *x] = x->next;\n";
    const MADE: &str = "this->m = (struct n *)alloca(24);";
    for body in [
        "this->m->next = this->m; this->m->next->v = 1;",
        "this->m->next = this->m; p = this->m->next; p->v = 1;",
        "this->m->next = 0; this->m->next = this->m;",
        "this->m->next = this->m; ^this->m->next = (struct n *)arg0;",
        "this->m->next = (struct n *)arg0; ^this->m->next = this->m;",
        "this->m->next = (struct n *)arg0; trace(this->m->next->v); this->m->s = (char *)this->m;",
        "p = q; q = this->m; p->v = 1;",
        "p = q; p = (struct n *)arg0; ^q = this->m;",
        "p = q; q = this->m; ^p = (struct n *)arg0;",
        "p = this->m->next; this->m->next = this->m; ^p = (struct n *)8;",
        "w.next = this->m; u = w; ^u.next = (struct n *)8;",
        "*this->m = w; w.next = this->m; ^this->m->next = (struct n *)8;",
        "w = *this->m; this->m->next = this->m; ^w.next = (struct n *)8;",
        "p = same[q]; q = this->m; ^p = (struct n *)8;",
        "p = after[this->m]; this->m->next = this->m; ^p = (struct n *)8;",
        "p = (struct n *)(uintptr_t)this->m; ^p = (struct n *)8;",
        "q = this->m; i = 1; p = (i ? w : *q).next; w.next = (struct n *)8; ^q->next = q;",
    ] {
        let start = "BEGIN { ".len() + MADE.len() + 2;
        let expect = match body.find('^') {
            Some(at) => format!("D_ALLOCA_INCOMPAT 3:{}", start + at),
            None => "ok".to_owned(),
        };
        let body = body.replace('^', "");
        check(&format!("{HEAD}BEGIN {{ {MADE} {body} }}"), &expect);
    }
}

/// `n[a]`, `*(a + n)` and `*(n + a)` are `a[n]` (language spec §6.3).
#[test]
fn an_array_ends_however_it_is_indexed() {
    const HEAD: &str = "int a[3]; struct s { int l[2]; int o[1]; } v; struct s *p;\n";
    for (body, expect) in [
        ("x = 3[a];", "D_ARR_BOUNDS 2:13"),
        ("3[a] = 1;", "D_ARR_BOUNDS 2:9"),
        ("*(a + 3) = 1;", "D_ARR_BOUNDS 2:9"),
        ("*(3 + a) = 1;", "D_ARR_BOUNDS 2:9"),
        ("*(a - 1) = 1;", "D_ARR_BOUNDS 2:9"),
        ("trace(*(v.l + 2));", "D_ARR_BOUNDS 2:15"),
        ("trace(2[p->l]);", "D_ARR_BOUNDS 2:15"),
        ("trace(*(p->l + 2));", "D_ARR_BOUNDS 2:15"),
        ("2[a] = 1; *(a + 2) = 1; *(v.o + 7) = 1; trace(1[p->l]); trace(*(p->l - 0));", "ok"),
        ("x = a + 3;", "ok"),
    ] {
        check(&format!("{HEAD}BEGIN {{ {body} }}"), expect);
    }
}

/// `self` and `this` have no value but what follows `->` (language spec §8.1).
#[test]
fn scopes_alone_have_no_value() {
    for (body, expect) in [
        ("self = 1;", "D_OP_INCOMPAT 1:1"),
        ("this = 0;", "D_OP_INCOMPAT 1:1"),
        ("self++;", "D_OP_SCALAR 1:1"),
        ("this[1] = 1;", "D_OP_INCOMPAT 1:1"),
        ("x = self;", "D_OP_INCOMPAT 1:1"),
        ("trace(self);", "D_TRACE_VOID 1:1"),
        ("x = 1 + this;", "D_OP_INCOMPAT 1:5"),
        ("@[self] = count();", "D_KEY_TYPE 1:3"),
        ("self->x = 1; this->x = self->x;", "ok"),
    ] {
        check_body(body, expect);
    }
    check("BEGIN /self/ { }", "D_PRED_SCALAR 1:8");
}

/// Strings have no address that could be kept; what takes a pointer for a while is given that of a copy.
#[test]
fn addresses_that_are_refused_where_they_are_made() {
    for (source, expect) in [
        ("char *p; BEGIN { p = \"abc\"; }", "D_UNKNOWN 1:18"),
        ("inline char *l = \"abc\"; BEGIN { trace(stringof(l)); }", "ok"),
        ("int m[char *]; BEGIN { m[\"abc\"] = 1; }", "D_UNKNOWN 1:24"),
        ("inline int l[char *s] = strlen(s); BEGIN { trace(l[\"abc\"]); }", "ok"),
        ("struct s { char *p; }; translator struct s < int i > { p = \"abc\"; }; BEGIN { }", "ok"),
        (
            "struct s { string a; }; translator struct s < char *i > { a = i; }; \
             BEGIN { trace(xlate<struct s>(\"ab\").a); }",
            "ok",
        ),
        ("struct s { char c[4]; } v; inline int l[char *s] = strlen(s); BEGIN { trace(l[v.c]); }", "ok"),
        ("struct s { char c[4]; } v; inline int l[string s] = strlen(s); BEGIN { trace(l[v.c]); }", "ok"),
        ("int a[3]; inline int l[int *p] = p[1]; BEGIN { trace(l[&a[1]]); }", "ok"),
        (
            "struct t { int a; } v; struct s { int b; }; translator struct s < struct t *i > { b = i->a; }; \
          BEGIN { trace(xlate<struct s>(&v).b); }",
            "D_ADDROF_VAR 1:126",
        ),
        (
            "struct t { int a; } v[2]; struct s { int b; }; translator struct s < struct t *i > { b = i->a; }; \
          BEGIN { trace(xlate<struct s>(&v[1]).b); }",
            "ok",
        ),
        (
            "struct s { int a; }; translator struct s < int i > { a = i; }; BEGIN { x = &xlate<struct s>(5); }",
            "D_ADDROF_VAR 1:76",
        ),
    ] {
        check(source, expect);
    }
}

/// The value of a function of the kernel is its address, its size that of its code (language spec §6.3, §8.5).
#[test]
fn functions_of_the_kernel() {
    for (body, expect) in [
        ("trace(sizeof (`do_it));", "ok"),
        ("trace(`do_it);", "ok"),
        ("trace(`do_it == `do_that); trace(`do_it < vmlinux`do_that);", "ok"),
        ("@[`do_it] = count(); @[`do_that] = count(); q[`do_it] = 1; q[`do_that] = q[`do_it];", "ok"),
        ("x = `do_it; x = `do_that; trace(x == `do_it);", "ok"),
        ("trace(pid ? `do_it : `do_that);", "ok"),
        ("trace(`do_it == 4096);", "D_OP_INCOMPAT 1:7"),
        ("trace(`do_it + 1);", "D_OP_INCOMPAT 1:7"),
        ("trace(*`do_it);", "D_DEREF_NONPTR 1:7"),
        ("`do_it = 1;", "D_OP_INCOMPAT 1:1"),
        ("trace(`do_nothing);", "D_IDENT_UNDEF 1:7"),
    ] {
        check_body(body, expect);
    }
}

/// A cast gives the type that it names, which is marked as the user's only if it says so (language spec §5.5, §6.5).
#[test]
fn a_cast_takes_the_mark_away() {
    for (source, expect) in [
        ("userland int *p; BEGIN { x = (int *)p; q = (int *)1; q = x; }", "ok"),
        ("userland int *p; BEGIN { x = p; q = (int *)1; q = x; }", "D_OP_INCOMPAT 1:47"),
        ("userland int *p; BEGIN { p = (int *)8; }", "D_OP_INCOMPAT 1:26"),
        ("userland int *p; BEGIN { p = (userland int *)8; }", "ok"),
        ("syscall::write:entry { this->s = (char *)args[1]; this->s = (char *)arg1; }", "ok"),
        ("syscall::write:entry { this->s = args[1]; this->s = (char *)arg1; }", "ok"),
    ] {
        check(source, expect);
    }
}
