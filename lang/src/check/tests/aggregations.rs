//! Aggregations (language spec §9) and the actions that take them.

use super::{check, check_body};

#[test]
fn statements() {
    for (body, expect) in [
        ("@ = count(); @_ = count(); printa(@);", "ok"),
        ("@a = count(); @a = sum(1);", "D_AGG_REDEF 1:15"),
        ("@a = 5;", "D_AGG_FUNC 1:1"),
        ("@a = strlen(\"x\");", "D_AGG_FUNC 1:1"),
        ("@a[1] = count(); @a[1, 2] = count();", "D_PROTO_LEN 1:18"),
        ("@a[1] = count(); @a = count();", "D_PROTO_LEN 1:18"),
        ("@a[\"x\"] = count(); @a[1] = count();", "D_PROTO_ARG 1:20"),
        ("@a[1][2] = count();", "D_AGG_MDIM 1:1"),
        ("@a = count(); @a;", "D_AGG_NULL 1:15"),
        ("@a[1] = count(); @a[1];", "D_AGG_NULL 1:18"),
        ("@a;", "D_IDENT_UNDEF 1:1"),
        ("@a = sum(\"x\");", "D_AGG_SCALAR 1:1"),
        ("@a = quantize(1, \"x\");", "D_PROTO_ARG 1:1"),
        ("@a = quantize(1, 2, 3);", "D_PROTO_LEN 1:6"),
        ("@a = count(1);", "D_PROTO_LEN 1:6"),
        ("@a = avg();", "D_PROTO_LEN 1:6"),
        ("@a = stddev(1);", "ok"),
        ("@a = stddev();", "D_PROTO_LEN 1:6"),
        ("@a = stddev(\"x\");", "D_AGG_SCALAR 1:1"),
        ("@a = llquantize(1, 10, 0, 5, 10, \"x\");", "D_PROTO_ARG 1:1"),
        ("@a = count(); x = @a + 1;", "D_OP_INCOMPAT 1:19"),
        ("@a = count(); x = !@a;", "D_OP_SCALAR 1:19"),
        ("@a = count(); x = -@a;", "D_OP_ARITH 1:19"),
        ("@a = count(); @a++;", "D_OP_SCALAR 1:15"),
        ("@a += 5;", "D_VAR_UNDEF 1:1"),
        ("@a = count(); @a += 5;", "D_OP_INCOMPAT 1:15"),
        ("@a = count(); trace(@a);", "D_TRACE_DYN 1:15"),
        ("@a = count(); trace(&@a);", "D_ADDROF_VAR 1:21"),
        ("@a = count(); @[@a] = count();", "D_KEY_TYPE 1:17"),
        ("@[1, trace(1)] = count();", "D_KEY_TYPE 1:6"),
        ("(@a = count()) = count();", "D_OP_LVAL 1:1"),
        ("x = (@a = count());", "D_OP_INCOMPAT 1:1"),
        ("(void)(@a = count());", "D_CG_EXPR 1:13"),
        ("@a = sum((char *)8); @a = sum(pid);", "ok"),
        ("x = @a;", "D_IDENT_UNDEF 1:5"),
    ] {
        check_body(body, expect);
    }
}

#[test]
fn lquantize_constants() {
    for (body, expect) in [
        ("@a = lquantize(1, 10, 5);", "D_LQUANT_MISMATCH 1:1"),
        ("@a = lquantize(1, 5, 5);", "D_LQUANT_MISMATCH 1:1"),
        ("@a = lquantize(1, pid, 5);", "D_LQUANT_BASETYPE 1:1"),
        ("@a = lquantize(1, 0, pid);", "D_LQUANT_LIMTYPE 1:1"),
        ("@a = lquantize(1, 2147483648, 5);", "D_LQUANT_BASEVAL 1:1"),
        ("@a = lquantize(1, 0, 2147483648);", "D_LQUANT_LIMVAL 1:1"),
        ("@a = lquantize(1, -2147483647 - 1, 0, 65535);", "ok"),
        ("@a = lquantize(1, 0, 10, 0);", "D_LQUANT_STEPTYPE 1:1"),
        ("@a = lquantize(1, 0, 10, -1);", "D_LQUANT_STEPTYPE 1:1"),
        ("@a = lquantize(1, 0, 10, pid);", "D_LQUANT_STEPTYPE 1:1"),
        ("@a = lquantize(1, 0, 500000, 65536);", "D_LQUANT_STEPVAL 1:30"),
        ("@a = lquantize(1, 0, 5, 6);", "D_LQUANT_STEPLARGE 1:1"),
        ("@a = lquantize(1, 0, 100000);", "D_LQUANT_STEPSMALL 1:1"),
        ("@a = lquantize(1, 0, 65535);", "ok"),
        ("@a = lquantize(1, 0, 10, 3);", "ok"),
        ("@a = lquantize(1, \"a\", 5);", "D_PROTO_ARG 1:6"),
        ("@a = lquantize(1, 2);", "D_PROTO_LEN 1:6"),
        ("@a = lquantize(1, 0, 10, 1, \"x\");", "D_PROTO_ARG 1:1"),
        ("@a = lquantize(1, 0, 10); @a = lquantize(1, 1, 10);", "D_LQUANT_MATCHBASE 1:27"),
        ("@a = lquantize(1, 0, 10); @a = lquantize(1, 0, 11);", "D_LQUANT_MATCHLIM 1:27"),
        ("@a = lquantize(1, 0, 10); @a = lquantize(1, 0, 10, 2);", "D_LQUANT_MATCHSTEP 1:27"),
        ("@a = lquantize(1, 0, 10); @a = lquantize(2, 0, 10, 1, 5);", "ok"),
    ] {
        check_body(body, expect);
    }
}

#[test]
fn llquantize_constants() {
    for (body, expect) in [
        ("@a = llquantize(1, pid, 0, 6, 20);", "D_LLQUANT_FACTORTYPE 1:1"),
        ("@a = llquantize(1, 10, pid, 6, 20);", "D_LLQUANT_LMAGTYPE 1:1"),
        ("@a = llquantize(1, 10, 0, pid, 20);", "D_LLQUANT_HMAGTYPE 1:1"),
        ("@a = llquantize(1, 10, 0, 6, pid);", "D_LLQUANT_STEPTYPE 1:1"),
        ("@a = llquantize(1, 1, 0, 6, 20);", "D_LLQUANT_FACTORVAL 1:1"),
        ("@a = llquantize(1, 65536, 0, 6, 20);", "D_LLQUANT_FACTORVAL 1:1"),
        ("@a = llquantize(1, 10, -1, 6, 20);", "D_LLQUANT_LMAGVAL 1:1"),
        ("@a = llquantize(1, 10, 0, 65536, 20);", "D_LLQUANT_HMAGVAL 1:1"),
        ("@a = llquantize(1, 10, 6, 5, pid);", "D_LLQUANT_HMAGVAL 1:1"),
        ("@a = llquantize(1, 10, 0, 19, 10);", "D_LLQUANT_HMAGVAL 1:1"),
        ("@a = llquantize(1, 2, 0, 63, 2);", "D_LLQUANT_HMAGVAL 1:1"),
        ("@a = llquantize(1, 2, 0, 62, 2);", "ok"),
        ("@a = llquantize(1, 10, 0, 6, 0);", "D_LLQUANT_STEPVAL 1:1"),
        ("@a = llquantize(1, 10, 0, 6, 65536);", "D_LLQUANT_STEPVAL 1:1"),
        ("@a = llquantize(1, 10, 0, 6, 7);", "D_LLQUANT_STEPVAL 1:1"),
        ("@a = llquantize(1, 10, 0, 6, 30);", "D_LLQUANT_STEPVAL 1:1"),
        ("@a = llquantize(1, 10, 0, 6, 100);", "ok"),
        ("@a = llquantize(1, 10, 1, 6, 1000);", "D_LLQUANT_STEPVAL 1:1"),
        ("@a = llquantize(1, 10, 2, 6, 1000);", "ok"),
        ("@a = llquantize(1, 10, 0, 6);", "D_PROTO_LEN 1:6"),
        ("@a = llquantize(1, \"x\", 0, 6, 10);", "D_PROTO_ARG 1:6"),
        ("@ = llquantize(1, 10, 0, 6, 20); @ = llquantize(1, 2, 0, 6, 4);", "D_LLQUANT_MATCHFACTOR 1:34"),
        ("@ = llquantize(1, 10, 0, 6, 20); @ = llquantize(1, 10, 1, 6, 20);", "D_LLQUANT_MATCHLMAG 1:34"),
        ("@ = llquantize(1, 10, 0, 6, 20); @ = llquantize(1, 10, 0, 7, 20);", "D_LLQUANT_MATCHHMAG 1:34"),
        ("@ = llquantize(1, 10, 0, 6, 20); @ = llquantize(1, 10, 0, 6, 10);", "D_LLQUANT_MATCHSTEPS 1:34"),
        ("@ = llquantize(1, 10, 0, 6, 20); @ = llquantize(2, 10, 0, 6, 20, -3);", "ok"),
    ] {
        check_body(body, expect);
    }
}

#[test]
fn actions_on_aggregations() {
    for (body, expect) in [
        ("printa(5);", "D_PRINTA_AGGARG 1:1"),
        ("printa(\"%d\", 5);", "D_PRINTA_AGGARG 1:1"),
        ("printa(\"x\");", "D_PRINTA_PROTO 1:1"),
        ("printa();", "D_PROTO_LEN 1:1"),
        ("printa(@a);", "D_IDENT_UNDEF 1:8"),
        ("printa(@a[1]);", "D_PRINTA_AGGBAD 1:1"),
        ("clear(@a);", "D_IDENT_UNDEF 1:7"),
        ("clear(@a[1]);", "D_CLEAR_AGGBAD 1:1"),
        ("clear(5);", "D_CLEAR_AGGARG 1:1"),
        ("trunc(5);", "D_TRUNC_AGGARG 1:1"),
        ("trunc(@a[1]);", "D_TRUNC_AGGBAD 1:1"),
        ("@a = count(); trunc(@a, \"x\");", "D_PROTO_ARG 1:15"),
        ("@a[1] = count(); trunc(@a); trunc(@a, 5); clear(@a); printa(@a); printa(@a[1]);", "ok"),
        ("@a[1] = count(); @b = count(); printa(@a, @b);", "D_PRINTA_AGGKEY 1:32"),
        ("@a[1] = count(); @b[\"x\"] = count(); printa(@a, @b);", "D_PRINTA_AGGPROTO 1:37"),
        ("@a[1] = count(); @b[1L] = count(); printa(@a, @b);", "ok"),
        ("@a[pid] = count(); @b[arg0] = count(); @c[(char)1] = count(); printa(@a, @b, @c);", "ok"),
        ("@a[1] = count(); @b[stack()] = count(); printa(@a, @b);", "D_PRINTA_AGGPROTO 1:41"),
        ("@a[1] = count(); @b[2] = sum(1); printa(\"%d %@d %@d\\n\", @a, @b);", "ok"),
        ("@a[1] = count(); printa(execname, @a);", "D_PRINTF_ARG_FMT 1:18"),
    ] {
        check_body(body, expect);
    }
    check("BEGIN { printa(@a); } END { @a = count(); }", "D_IDENT_UNDEF 1:16");
}
