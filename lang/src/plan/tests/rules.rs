//! The rules, each on a program where it matters. Expectations are worked out by hand from `plan/mod.rs`.

use super::oracle::{Event, execute};
use super::*;

fn check(text: &str, expect_homes: &str, expect_parts: &str) {
    check_with(PlanOptions::default(), text, expect_homes, expect_parts);
}

fn check_with(options: PlanOptions, text: &str, expect_homes: &str, expect_parts: &str) {
    let plan = planned(text, options);
    let found = parts(&plan);
    same_as_whole(&plan);
    assert!(found == dedent(expect_parts), "found:\n{found}\nexpected:\n{}", dedent(expect_parts));
    assert_eq!(homes(&plan), expect_homes);
}

/// Every probe, by several threads, with many different values.
fn same_as_whole(plan: &Plan) {
    let probes = [0, 1, 2, 0, 1, 5, 0, 2, 1, 1, 0, 5, 2, 1, 0, 0];
    let event =
        |(i, &probe): (usize, &usize)| Event { probe, tid: 1 + (i as i64 % 3), seed: 7 * i as i64 + 3 };
    let events: Vec<Event> = probes.iter().enumerate().map(event).collect();
    for first in 0..probes.len() {
        let expected = execute(&plan.program, None, &events[first..], false);
        for lag in [false, true] {
            assert_eq!(execute(&plan.program, Some(plan), &events[first..], lag), expected);
        }
    }
}

/// `syscall::read:entry { self->t = timestamp; }
/// syscall::read:return /self->t/ { @[execname] = quantize(timestamp - self->t); self->t = 0; }`
pub(super) const LATENCY: &str = "
    var self->t: u64
    agg @_[string]: quantize
    g0 = @_ in c1
    enable c0 on p0
    enable c1 on p1
    clause c0 {
    b0:
      stmt 1
        i0 = builtin timestamp
        set self->t = i0
        return
    }
    clause c1 {
    b0:
        i0 = get self->t
        i1 = 0
        i2 = ne i0, i1
        branch i2 ? b1 : b2 merge b2
    b1:
      stmt 1
        s3 = builtin execname
        i4 = builtin timestamp
        i5 = get self->t
        i6 = sub i4, i5
        aggregate g0 [s3] (i6)
      stmt 2
        i7 = 0
        set self->t = i7
        goto b2
    b2:
        return
    }
";

#[test]
fn rule_1_entry_and_return_pairs_stay_whole_in_the_kernel() {
    check(
        LATENCY,
        "vars k, sites k",
        "
        kernel clause c0 {
        b0:
          stmt 1
            i0 = builtin timestamp
            set self->t = i0
            return
        }
        kernel clause c1 {
        b0:
            i0 = get self->t
            i1 = 0
            i2 = ne i0, i1
            branch i2 ? b1 : b2 merge b2
        b1:
          stmt 1
            s3 = builtin execname
            i4 = builtin timestamp
            i5 = get self->t
            i6 = sub i4, i5
            aggregate g0 [s3] (i6)  ; @_ quantize
          stmt 2
            i7 = 0
            set self->t = i7
            goto b2
        b2:
            return
        }
        ",
    );
}

/// `syscall::openat:entry /basename(copyinstr(arg1)) == "passwd"/ { self->p = arg1; }
/// syscall::openat:return /self->p/ { printf("%s %d\n", copyinstr(self->p), arg1); self->p = 0; }`
#[test]
fn rule_1_a_fault_in_the_kernel_is_reported_from_the_record() {
    check(
        "
        var self->p: ptr
        k0 = printf in c1 stmt 1 (string, i64) format %s
        enable c0 on p0
        enable c1 on p1
        clause c0 {
        b0:
            i0 = builtin arg1
            s1 = call copyinstr(i0)
            s2 = call strjoin(s1, s1)
            s3 = \"path1path1\"
            i4 = streq s2, s3
            branch i4 ? b1 : b2 merge b1
        b1:
          stmt 1
            i5 = builtin arg1
            set self->p = i5
            return
        b2:
            return
        }
        clause c1 {
        b0:
            i0 = get self->p
            branch i0 ? b1 : b2 merge b2
        b1:
          stmt 1
            i1 = get self->p
            s2 = call copyinstr(i1)
            i3 = builtin arg1
            record k0 (s2, i3)
          stmt 2
            i4 = 0
            set self->p = i4
            goto b2
        b2:
            return
        }
        ",
        "vars k, sites ",
        "
        kernel clause c0 {
        b0:
            i0 = builtin arg1
            s1 = call copyinstr(i0) #1
            s2 = call strjoin(s1, s1) #2
            s3 = \"path1path1\"
            i4 = streq s2, s3
            branch i4 ? b2 : b1 merge b2
        b1:
            return
        b2:
          stmt 1
            i5 = builtin arg1
            set self->p = i5
            return
        }
        kernel clause c1 {
        b0:
            i0 = get self->p
            branch i0 ? b1 : b2 merge b2
        b1:
          stmt 1
            i1 = get self->p
            s2 = call copyinstr(i1) #2
            send $0 = s2
            i3 = builtin arg1
            send $1 = i3
            work
          stmt 2
            i4 = 0
            set self->p = i4
            goto b2
        b2:
            return
        }
        user clause c1 {
        b0:
          stmt 1
            faultpoint #2
            s0 = recv $0
            i1 = recv $1
            record k0 (s0, i1)  ; printf
            return
        }
        captures Str copyinstr(), Int arg1
        ",
    );
}

#[test]
fn rule_1_an_effect_after_a_possible_fault_in_user_space_is_there_too() {
    check(
        "
        var x: i64
        agg @c[]: count
        g0 = @c in c0
        k0 = trace in c0 stmt 1 (i32)
        enable c0 on p0
        clause c0 {
        b0:
          stmt 1
            s0 = builtin execname
            s1 = builtin probefunc
            i2 = call index(s0, s1)
            i4 = divs i2, i2
            record k0 (i2)
          stmt 2
            i3 = 1
            set x = i3
          stmt 3
            aggregate g0 []
            return
        }
        ",
        "vars u, sites u",
        "
        kernel clause c0 {
        b0:
          stmt 1
            s0 = builtin execname
            send $0 = s0
            work
            return
        }
        user clause c0 {
        b0:
          stmt 1
            s0 = recv $0
            s1 = builtin probefunc
            i2 = call index(s0, s1) #2
            i3 = divs i2, i2 #3
            record k0 (i2)  ; trace
          stmt 2
            i4 = 1
            set x = i4
          stmt 3
            aggregate g0 []  ; @c count
            return
        }
        captures Str execname
        ",
    );
}

#[test]
fn rule_1_an_effect_after_user_space_cannot_have_faulted_stays_in_the_kernel() {
    // `index` faults on NULL only, and neither argument can be that.
    check(
        "
        var x: i64
        k0 = trace in c0 stmt 1 (i32)
        enable c0 on p0
        clause c0 {
        b0:
          stmt 1
            s0 = builtin execname
            s1 = builtin probefunc
            i2 = call index(s0, s1)
            record k0 (i2)
          stmt 2
            i3 = 1
            set x = i3
            return
        }
        ",
        "vars k, sites ",
        "
        kernel clause c0 {
        b0:
          stmt 1
            s0 = builtin execname
            send $0 = s0
            work
          stmt 2
            i1 = 1
            set x = i1
            return
        }
        user clause c0 {
        b0:
          stmt 1
            s0 = recv $0
            s1 = builtin probefunc
            i2 = call index(s0, s1) #2
            record k0 (i2)  ; trace
            return
        }
        captures Str execname
        ",
    );
}

#[test]
fn rule_1_an_effect_after_a_possible_fault_that_user_space_comes_to_is_there_too() {
    // `u` lives in user space; the load is the kernel's, but whether it counts is decided by `u`.
    check(
        "
        var u: i64
        var x: i64
        var y: i64
        k0 = trace in c0 stmt 2 (i32)
        enable c0 on p0
        enable c1 on p4
        clause c0 {
        b0:
          stmt 1
            i0 = builtin pid
            set y = i0
          stmt 2
            i1 = get u
            branch i1 ? b1 : b2 merge b2
        b1:
            i2 = builtin arg0
            i3 = load i32 any [i2]
            record k0 (i3)
            goto b2
        b2:
          stmt 3
            i4 = 1
            set x = i4
            set u = i4
            return
        }
        clause c1 {
        b0:
            i0 = 1
            set u = i0
            return
        }
        ",
        "vars uuk, sites ",
        "
        kernel clause c0 {
        b0:
          stmt 1
            i0 = builtin pid
            set y = i0
          stmt 2
            work
            attempt b1 -> $1 merge b2
        b1:
            i1 = builtin arg0
            i2 = load i32 any [i1] #4
            send $0 = i2
            goto b2
        b2:
            return
        }
        user clause c0 {
        b0:
          stmt 2
            i0 = get u
            branch i0 ? b1 : b2 merge b2
        b1:
            faultpoint $1 #4
            i1 = recv $0
            record k0 (i1)  ; trace
            goto b2
        b2:
          stmt 3
            i2 = 1
            set x = i2
            set u = i2
            return
        }
        captures Int memory, Fault fault
        ",
    );
}

#[test]
fn rule_2_homes_follow_from_each_other() {
    // `a` is read by a key that only user space has; `x` is written with what was read; `g` is only written by a
    // clause that the tracer fires, and `t` is a thread's variable in such a clause.
    check(
        "
        var a[i64]: i64
        var x: i64
        var g: i64
        var self->t: i64
        var never: i64
        k0 = trace in c1 stmt 2 (i64)
        enable c0 on p0
        enable c1 on p1
        enable c2 on p5
        clause c0 {
        b0:
          stmt 1
            i0 = builtin arg0
            i1 = builtin pid
            set a[i0] = i1
            return
        }
        clause c1 {
        b0:
          stmt 1
            s0 = builtin execname
            s1 = builtin probefunc
            i2 = call index(s0, s1)
            i3 = get a[i2]
            set x = i3
          stmt 2
            i4 = get g
            record k0 (i4)
          stmt 3
            i5 = get self->t
            set self->t = i5
            return
        }
        clause c2 {
        b0:
          stmt 1
            i0 = 7
            set g = i0
            set self->t = i0
            set never = i0
            return
        }
        ",
        "vars uukuu, sites ",
        "
        kernel clause c0 {
        b0:
          stmt 1
            i0 = builtin arg0
            send $0 = i0
            work
            return
        }
        user clause c0 {
        b0:
          stmt 1
            i0 = recv $0
            i1 = builtin pid
            set a[i0] = i1 #2
            return
        }
        captures Int arg0
        kernel clause c1 {
        b0:
          stmt 1
            s0 = builtin execname
            send $0 = s0
            work
          stmt 2
            i1 = get g
            send $1 = i1
            return
        }
        user clause c1 {
        b0:
          stmt 1
            s0 = recv $0
            s1 = builtin probefunc
            i2 = call index(s0, s1) #2
            i3 = get a[i2]
            set x = i3
          stmt 2
            i4 = recv $1
            record k0 (i4)  ; trace
          stmt 3
            i5 = get self->t
            set self->t = i5
            return
        }
        captures Str execname, Int g
        ",
    );
}

#[test]
fn rule_3_user_space_sees_a_kernel_variable_as_it_was_there() {
    check(
        "
        var x: i64
        k0 = printf in c0 stmt 2 (i64) format %d64
        k1 = printf in c0 stmt 4 (i64, i64) format %d64
        enable c0 on p0
        clause c0 {
        b0:
          stmt 1
            i0 = builtin arg0
            set x = i0
          stmt 2
            i1 = get x
            record k0 (i1)
          stmt 3
            i2 = 2
            set x = i2
          stmt 4
            i3 = get x
            record k1 (i3, i2)
            return
        }
        ",
        "vars k, sites ",
        "
        kernel clause c0 {
        b0:
          stmt 1
            i0 = builtin arg0
            set x = i0
          stmt 2
            i1 = get x
            send $0 = i1
            work
          stmt 3
            i2 = 2
            set x = i2
          stmt 4
            i3 = get x
            send $1 = i3
            return
        }
        user clause c0 {
        b0:
          stmt 2
            i0 = recv $0
            record k0 (i0)  ; printf
          stmt 3
            i1 = 2
          stmt 4
            i2 = recv $1
            record k1 (i2, i1)  ; printf
            return
        }
        captures Int x, Int x
        ",
    );
}

#[test]
fn rule_4_what_user_space_may_not_come_to_is_captured_with_its_fault() {
    check(
        "
        var u: i64
        k0 = printf in c0 stmt 1 (string) format %s
        k1 = printf in c0 stmt 2 (i64) format %d64
        k2 = printf in c0 stmt 3 (i64) format %d64
        enable c0 on p0
        enable c1 on p4
        clause c0 {
        b0:
            i0 = get u
            branch i0 ? b1 : b2 merge b5
        b1:
          stmt 1
            i1 = builtin arg0
            s2 = call copyinstr(i1)
            record k0 (s2)
            i3 = 0
            set u = i3
            goto b5
        b2:
          stmt 2
            i4 = builtin arg1
            i5 = load u64 any [i4]
            branch i5 ? b3 : b4 merge b4
        b3:
            i6 = load u64 any [i5]
            record k1 (i6)
            goto b4
        b4:
            i7 = 1
            set u = i7
            goto b5
        b5:
          stmt 3
            i8 = builtin arg2
            i9 = load u64 any [i8]
            record k2 (i9)
            return
        }
        clause c1 {
        b0:
            i0 = 1
            set u = i0
            return
        }
        ",
        "vars u, sites ",
        "
        kernel clause c0 {
        b0:
            work
            attempt b1 -> $3 merge b2
        b1:
          stmt 1
            i0 = builtin arg0
            s1 = call copyinstr(i0) #2
            send $0 = s1
            goto b2
        b2:
            attempt b3 -> $4 merge b6
        b3:
          stmt 2
            i2 = builtin arg1
            i3 = load u64 any [i2] #7
            branch i3 ? b4 : b5 merge b5
        b4:
            setbit 0
            i4 = load u64 any [i3] #8
            send $1 = i4
            goto b5
        b5:
            goto b6
        b6:
          stmt 3
            i5 = builtin arg2
            i6 = load u64 any [i5] #13
            send $2 = i6
            return
        }
        user clause c0 {
        b0:
            i0 = get u
            branch i0 ? b1 : b2 merge b5
        b1:
          stmt 1
            faultpoint $3 #2
            s1 = recv $0
            record k0 (s1)  ; printf
            i2 = 0
            set u = i2
            goto b5
        b2:
          stmt 2
            faultpoint $4 #7
            i3 = bit 0
            branch i3 ? b3 : b4 merge b4
        b3:
            faultpoint $4 #8
            i4 = recv $1
            record k1 (i4)  ; printf
            goto b4
        b4:
            i5 = 1
            set u = i5
            goto b5
        b5:
          stmt 3
            faultpoint #13
            i6 = recv $2
            record k2 (i6)  ; printf
            return
        }
        captures Str copyinstr(), Int memory, Int memory, Fault fault, Fault fault
        ",
    );
}

#[test]
fn rule_4_of_two_arms_the_one_that_returns_comes_first() {
    // What follows a predicate that user space decides is evaluated after the arm that returns, and its faults end K's
    // clause: user space either returned before or raises them itself.
    check(
        "
        var u: i64
        k0 = printf in c0 stmt 1 (i64) format %d64
        k1 = printf in c0 stmt 2 (i64) format %d64
        enable c0 on p0
        enable c1 on p4
        clause c0 {
        b0:
            i0 = get u
            branch i0 ? b1 : b2 merge b1
        b1:
          stmt 2
            i1 = builtin arg0
            i2 = load i64 any [i1]
            record k1 (i2)
            i3 = 0
            set u = i3
            return
        b2:
          stmt 1
            i4 = builtin arg1
            i5 = load i64 any [i4]
            record k0 (i5)
            i6 = 1
            set u = i6
            return
        }
        clause c1 {
        b0:
            i0 = 1
            set u = i0
            return
        }
        ",
        "vars u, sites ",
        "
        kernel clause c0 {
        b0:
            work
            attempt b1 -> $2 merge b2
        b1:
          stmt 1
            i0 = builtin arg1
            i1 = load i64 any [i0] #7
            send $1 = i1
            goto b2
        b2:
          stmt 2
            i2 = builtin arg0
            i3 = load i64 any [i2] #2
            send $0 = i3
            return
        }
        user clause c0 {
        b0:
            i0 = get u
            branch i0 ? b2 : b1 merge b2
        b1:
          stmt 1
            faultpoint $2 #7
            i1 = recv $1
            record k0 (i1)  ; printf
            i2 = 1
            set u = i2
            return
        b2:
          stmt 2
            faultpoint #2
            i3 = recv $0
            record k1 (i3)  ; printf
            i4 = 0
            set u = i4
            return
        }
        captures Int memory, Int memory, Fault fault
        ",
    );
}

#[test]
fn rule_5_keys_are_packed_as_their_code_allows() {
    let plan = planned(
        "
        var a[i32, string]: i64
        agg @f[string, string, string, u8]: count
        g0 = @f in c0
        g1 = @f in c1
        enable c0 on p0
        enable c1 on p1
        clause c0 {
        b0:
          stmt 1
            s0 = builtin execname
            s1 = builtin probefunc
            s2 = call strjoin(s0, s1)
            i3 = builtin arg0
            aggregate g0 [s0, s1, s2, i3]
            set a[i3, s2] = i3
            return
        }
        clause c1 {
        b0:
          stmt 1
            s0 = \"x\"
            i3 = 1
            aggregate g1 [s0, s0, s0, i3]
            return
        }
        ",
        PlanOptions::default(),
    );
    same_as_whole(&plan);
    use KeyPart::{Execname, Int, Probe, Str};
    assert_eq!(plan.agg_sites[0].key, [Execname, Probe(crate::builtins::BuiltinVar::Probefunc), Str, Int]);
    assert_eq!(plan.agg_sites[1].key, [Str, Str, Str, Int]);
    assert_eq!(plan.homes[0].key, [Int, Str]);
    assert_eq!(homes(&plan), "vars k, sites kk");
}

#[test]
fn rule_5_a_histogram_must_fit_a_value_of_a_map() {
    let text = |limit: u32| {
        format!(
            "
            agg @l[]: lquantize(0, {limit}, 1)
            g0 = @l in c0
            enable c0 on p0
            clause c0 {{
            b0:
                i0 = builtin arg0
                aggregate g0 [] (i0)
                return
            }}
            "
        )
    };
    assert_eq!(homes(&planned(&text(4092), PlanOptions::default())), "vars , sites k");
    assert_eq!(homes(&planned(&text(4093), PlanOptions::default())), "vars , sites u");
}

#[test]
fn rule_6_without_a_kernel_part_everything_is_in_user_space() {
    let plan = plan(program(LATENCY), Capabilities::NONE, &PlanOptions::default()).unwrap();
    assert_eq!(parts(&plan), "");
    assert_eq!(homes(&plan), "vars u, sites u");
    assert_eq!(plan.groups, []);
    assert_eq!(plan.probe_groups, [None; 7]);
    assert_eq!(plan.probe_clauses[0], [ClauseId(0)]);
    assert_eq!(plan.probe_clauses[1], [ClauseId(1)]);
}

#[test]
fn rule_7_probes_that_run_the_same_clauses_are_a_group() {
    let plan = planned(
        "
        k0 = trace in c0 stmt 1 (i64)
        enable c0 on p0, p1, p2
        enable c1 on p0, p2
        enable c0 on p5
        clause c0 {
        b0:
          stmt 1
            i0 = builtin arg0
            record k0 (i0)
            return
        }
        clause c1 {
        b0:
          stmt 1
            i0 = builtin arg0
            i1 = load u8 any [i0]
            return
        }
        ",
        PlanOptions::default(),
    );
    same_as_whole(&plan);
    let sequences: Vec<_> = plan.groups.iter().map(|group| group.clauses.clone()).collect();
    assert_eq!(sequences, [vec![ClauseId(0), ClauseId(1)], vec![ClauseId(0)]]);
    let of_probe = |p: usize| plan.probe_groups[p].map(|group| group.0);
    assert_eq!((0..7).map(of_probe).collect::<Vec<_>>(), [Some(0), Some(1), Some(0), None, None, None, None]);
    // Header, then outcome and one slot, then outcome and the fields of a fault.
    assert_eq!(plan.groups[0].layout.areas, [32, 48]);
    assert_eq!(plan.groups[0].layout.fixed_size, 72);
    // The second clause has nothing for user space but a fault.
    assert!(plan.kernel[1].is_some() && plan.user[1].is_none());
    assert_eq!(plan.clause_layouts[1].fault, Some(8));
}

#[test]
fn rule_7_user_space_replays_up_to_the_fault() {
    // Under which condition K faulted does not matter to user space: one of the points is the one.
    check(
        "
        var u: i64
        var x: i64
        k0 = trace in c0 stmt 4 (i64)
        enable c0 on p0
        enable c1 on p4
        clause c0 {
        b0:
          stmt 1
            i0 = 5
            set u = i0
          stmt 2
            i1 = builtin arg0
            branch i1 ? b1 : b2 merge b3
        b1:
            i2 = load u64 any [i1]
            set x = i2
            goto b3
        b2:
            i3 = builtin arg1
            i4 = load u64 any [i3]
            set x = i4
            goto b3
        b3:
          stmt 4
            record k0 (i1)
            return
        }
        clause c1 {
        b0:
            i0 = get u
            i1 = builtin arg4
            set u = i1
            return
        }
        ",
        "vars uk, sites ",
        "
        kernel clause c0 {
        b0:
          stmt 1
            work
          stmt 2
            i0 = builtin arg0
            branch i0 ? b1 : b2 merge b3
        b1:
            i1 = load u64 any [i0] #3
            set x = i1
            goto b3
        b2:
            i2 = builtin arg1
            i3 = load u64 any [i2] #6
            set x = i3
            goto b3
        b3:
            send $0 = i0
            return
        }
        user clause c0 {
        b0:
          stmt 1
            i0 = 5
            set u = i0
          stmt 2
            faultpoint #3
            faultpoint #6
            i1 = recv $0
          stmt 4
            record k0 (i1)  ; trace
            return
        }
        captures Int arg0
        ",
    );
}

/// A value that only user space computes, and a division by it.
pub(super) const FAULTY: &str = "i2 = call index(s0, s1)\ni2 = divs i2, i2";

/// `p0 { x = arg0; } p1 { trace(x); exit(arg0); }` with something before the exit.
pub(super) fn exit_after(before: &str) -> String {
    format!(
        "
        var x: i64
        agg @c[]: count
        g0 = @c in c0
        k0 = exit in c1 stmt 2 (i32)
        enable c0 on p0
        enable c1 on p1
        clause c0 {{
        b0:
          stmt 1
            i0 = builtin arg0
            set x = i0
            aggregate g0 []
            return
        }}
        clause c1 {{
        b0:
          stmt 1
            s0 = builtin execname
            s1 = builtin probefunc
            {before}
          stmt 2
            i3 = builtin arg0
            record k0 (i3)
            return
        }}
        "
    )
}

#[test]
fn rule_8_exit_in_the_kernel() {
    check(
        &exit_after(""),
        "vars k, sites k",
        "
        kernel clause c0 {
        b0:
          stmt 1
            i0 = builtin arg0
            set x = i0
            aggregate g0 []  ; @c count
            return
        }
        kernel clause c1 {
        b0:
          stmt 2
            i0 = builtin arg0
            send $0 = i0
            work
            control exit i0
            return
        }
        user clause c1 {
        b0:
          stmt 2
            i0 = recv $0
            record k0 (i0)  ; exit
            return
        }
        captures Int arg0
        ",
    );
}

#[test]
fn rule_8_exit_in_user_space_takes_all_state_with_it() {
    let text = exit_after(FAULTY);
    check(
        &text,
        "vars u, sites u",
        "
        kernel clause c0 {
        b0:
          stmt 1
            i0 = builtin arg0
            send $0 = i0
            work
            return
        }
        user clause c0 {
        b0:
          stmt 1
            i0 = recv $0
            set x = i0
            aggregate g0 []  ; @c count
            return
        }
        captures Int arg0
        kernel clause c1 {
        b0:
          stmt 1
            s0 = builtin execname
            send $0 = s0
            work
          stmt 2
            i1 = builtin arg0
            send $1 = i1
            return
        }
        user clause c1 {
        b0:
          stmt 1
            s0 = recv $0
            s1 = builtin probefunc
            i2 = call index(s0, s1) #2
            i2 = divs i2, i2 #3
          stmt 2
            i3 = recv $1
            record k0 (i3)  ; exit
            return
        }
        captures Str execname, Int arg0
        ",
    );
    let relaxed = planned(&text, PlanOptions { relaxed_exit: true, ..PlanOptions::default() });
    assert_eq!(homes(&relaxed), "vars k, sites k");
    assert!(!parts(&relaxed).contains("control"));
}

#[test]
fn rule_8_exit_of_the_tracer_moves_nothing() {
    let text = exit_after(FAULTY).replace("enable c1 on p1", "enable c1 on p5");
    assert_eq!(homes(&planned(&text, PlanOptions::default())), "vars k, sites k");
    let text = exit_after("").replace("enable c1 on p1", "enable c1 on p4");
    assert_eq!(homes(&planned(&text, PlanOptions::default())), "vars u, sites u");
}

/// `p0 { @c = count(); } p1 { …; printa(@c); clear(@c); }`
pub(super) fn cut_after(before: &str, probe: &str) -> String {
    format!(
        "
        agg @c[]: count
        agg @d[]: count
        g0 = @c in c0
        g1 = @d in c0
        k0 = printa in c1 stmt 2 () aggs @c
        k1 = clear in c1 stmt 3 () agg @c
        enable c0 on p0
        enable c1 on {probe}
        clause c0 {{
        b0:
          stmt 1
            aggregate g0 []
            aggregate g1 []
            return
        }}
        clause c1 {{
        b0:
          stmt 1
            s0 = builtin execname
            s1 = builtin probefunc
            {before}
          stmt 2
            record k0 ()
          stmt 3
            record k1 ()
            return
        }}
        "
    )
}

#[test]
fn rule_9_a_cut_in_the_kernel() {
    check(
        &cut_after("", "p1"),
        "vars , sites kk, kernel cuts",
        "
        kernel clause c0 {
        b0:
          stmt 1
            aggregate g0 []  ; @c count
            aggregate g1 []  ; @d count
            return
        }
        kernel clause c1 {
        b0:
          stmt 2
            work
            control cut
          stmt 3
            control cut
            return
        }
        user clause c1 {
        b0:
          stmt 2
            record k0 ()  ; printa
          stmt 3
            record k1 ()  ; clear
            return
        }
        ",
    );
}

#[test]
fn rule_9_a_cut_in_user_space_takes_what_it_names_with_it() {
    check(
        &cut_after(FAULTY, "p1"),
        "vars , sites uk",
        "
        kernel clause c0 {
        b0:
          stmt 1
            work
            aggregate g1 []  ; @d count
            return
        }
        user clause c0 {
        b0:
          stmt 1
            aggregate g0 []  ; @c count
            return
        }
        kernel clause c1 {
        b0:
          stmt 1
            s0 = builtin execname
            send $0 = s0
            work
            return
        }
        user clause c1 {
        b0:
          stmt 1
            s0 = recv $0
            s1 = builtin probefunc
            i2 = call index(s0, s1) #2
            i2 = divs i2, i2 #3
          stmt 2
            record k0 ()  ; printa
          stmt 3
            record k1 ()  ; clear
            return
        }
        captures Str execname
        ",
    );
}

#[test]
fn rule_9_a_cut_of_the_tracer() {
    assert_eq!(homes(&planned(&cut_after("", "p5"), PlanOptions::default())), "vars , sites kk, tracer cuts");
    assert_eq!(homes(&planned(&cut_after("", "p6"), PlanOptions::default())), "vars , sites kk");
    assert_eq!(homes(&planned(&cut_after("", "p3"), PlanOptions::default())), "vars , sites kk");
    assert_eq!(homes(&planned(&cut_after("", "p4"), PlanOptions::default())), "vars , sites uk");
}

#[test]
fn rule_10_what_error_clauses_read_is_in_every_record_that_may_lead_to_a_fault() {
    use crate::builtins::BuiltinVar::{Execname, TaskStart, Uid};
    let text = |body: &str| {
        format!(
            "
            var self->e: i64
            k0 = trace in c0 stmt 1 (i64)
            k1 = printf in c1 stmt 1 (string, i64, i64) format %s
            enable c0 on p0
            enable c1 on p4
            clause c0 {{
            b0:
              stmt 1
                {body}
                record k0 (i0)
                return
            }}
            clause c1 {{
            b0:
              stmt 1
                s0 = builtin execname
                i1 = builtin uid
                i2 = builtin arg4
                i3 = builtin pid
                set self->e = i3
                record k1 (s0, i1, i2)
                return
            }}
            "
        )
    };
    let shared = |text: &str| {
        let plan = planned(text, PlanOptions::default());
        same_as_whole(&plan);
        let slots = &plan.groups[0].layout.shared_slots;
        slots.iter().map(|slot| (slot.var, slot.offset)).collect::<Vec<_>>()
    };
    assert_eq!(shared(&text("i0 = builtin arg0")), []);
    let faulty = text("i0 = builtin arg0\ni0 = load u8 any [i0]");
    // Header 32, outcome 8, fault 16, slot 8.
    assert_eq!(shared(&faulty), [(Execname, 64), (Uid, 72), (TaskStart, 80)]);
    // A thread's variable in user space needs to know the thread, fault or not.
    assert_eq!(shared(&text("i0 = get self->e")), [(TaskStart, 40)]);
}

fn refused(text: &str, options: PlanOptions) -> String {
    let errors = plan(program(text), Capabilities::BASELINE, &options).unwrap_err();
    let show = |error: &Diagnostic| {
        let labels: Vec<_> =
            error.labels.iter().map(|(span, text)| format!("\n  {}: {text}", span.start)).collect();
        format!("{}: {}{}\n", error.span.start, error.message, labels.concat())
    };
    errors.iter().map(show).collect()
}

#[test]
fn rule_11_a_chain_of_dependence() {
    let found = refused(
        "
        var x: i64
        k0 = trace in c1 stmt 1 (string)
        enable c0 on p0
        enable c1 on p1
        clause c0 {
        b0:
          stmt 1
            s0 = builtin execname @1..2
            s1 = builtin probefunc @3..4
            i2 = call index(s0, s1) @10..20
            set x = i2 @5..20
            return
        }
        clause c1 {
        b0:
          stmt 1
            i0 = get x @40..41
            i1 = 8 @44..45
            i2 = add i0, i1 @40..45
            s3 = call copyinstr(i2) @30..46
            record k0 (s3)
            return
        }
        ",
        PlanOptions::default(),
    );
    assert_eq!(
        found,
        "30: `copyinstr` needs the event itself, but uses a value computed in user space
  40: `x` lives in user space
  10: `x` is there because of a write: a value it uses is computed in user space: `index` runs in the kernel only if argument 2 is a constant of at most 64 bytes\n"
    );
}

#[test]
fn rule_11_memory_in_an_error_clause() {
    let found = refused(
        "
        enable c0 on p4
        clause c0 {
        b0:
          stmt 1
            i0 = builtin arg5 @1..5
            s1 = call copyinstr(i0) @1..9
            return
        }
        ",
        PlanOptions::default(),
    );
    let expected =
        "1: `copyinstr` needs the event itself, but an `ERROR` clause runs in user space after it\n";
    assert_eq!(found, expected);
}

#[test]
fn placement_kernel_refuses_what_the_rules_put_in_user_space() {
    let options = PlanOptions { placement: Placement::Kernel, relaxed_exit: false };
    assert_eq!(homes(&planned(LATENCY, options)), "vars k, sites k");
    assert_eq!(
        refused(&cut_after(&format!("{FAULTY} @7..9"), "p1"), options),
        "7: placement=kernel: `@c` is updated in user space because `printa` of it is decided in user space: it stands \
         after an operation in user space that may fault\n"
    );
}

#[test]
fn placement_user_takes_only_what_is_pinned() {
    let options = PlanOptions { placement: Placement::User, relaxed_exit: false };
    check_with(
        options,
        LATENCY,
        "vars u, sites u",
        "
        kernel clause c0 {
        b0:
          stmt 1
            work
            return
        }
        user clause c0 {
        b0:
          stmt 1
            i0 = builtin timestamp
            set self->t = i0
            return
        }
        kernel clause c1 {
        b0:
            work
          stmt 1
            s0 = builtin execname
            send $0 = s0
            return
        }
        user clause c1 {
        b0:
            i0 = get self->t
            i1 = 0
            i2 = ne i0, i1
            branch i2 ? b1 : b2 merge b2
        b1:
          stmt 1
            s3 = recv $0
            i4 = builtin timestamp
            i5 = get self->t
            i6 = sub i4, i5
            aggregate g0 [s3] (i6)  ; @_ quantize
          stmt 2
            i7 = 0
            set self->t = i7
            goto b2
        b2:
            return
        }
        captures Str execname
        ",
    );
}

#[test]
fn captures_are_the_cheapest_cut() {
    // One result of two leaves; two results of one leaf; the length of a string instead of the string; a predicate that
    // is implied; a condition that is told by a bit, and one that user space can compute for nothing.
    check(
        "
        k0 = trace in c0 stmt 1 (i64)
        k1 = printf in c0 stmt 2 (i64, i64, i64) format %d64
        k2 = trace in c0 stmt 3 (i64)
        k3 = trace in c0 stmt 4 (i64)
        enable c0 on p0
        clause c0 {
        b0:
            i0 = builtin uid
            branch i0 ? b1 : b6 merge b6
        b1:
          stmt 1
            i1 = builtin arg0
            i2 = builtin arg1
            i3 = sub i1, i2
            record k0 (i3)
          stmt 2
            i4 = builtin arg2
            i5 = 1
            i6 = and i4, i5
            i7 = shru i4, i5
            s8 = builtin execname
            i9 = call strlen(s8)
            record k1 (i6, i7, i9)
          stmt 3
            i10 = builtin gid
            branch i10 ? b2 : b3 merge b3
        b2:
            record k2 (i5)
            goto b3
        b3:
          stmt 4
            s11 = builtin probefunc
            s12 = \"read\"
            i13 = streq s11, s12
            branch i13 ? b4 : b5 merge b5
        b4:
            record k3 (i5)
            goto b5
        b5:
            goto b6
        b6:
            return
        }
        ",
        "vars , sites ",
        "
        kernel clause c0 {
        b0:
            i0 = builtin uid
            branch i0 ? b1 : b4 merge b4
        b1:
          stmt 1
            i1 = builtin arg0
            i2 = builtin arg1
            i3 = sub i1, i2
            send $0 = i3
            work
          stmt 2
            i4 = builtin arg2
            send $1 = i4
            s5 = builtin execname
            i6 = call strlen(s5) #10
            send $2 = i6
          stmt 3
            i7 = builtin gid
            branch i7 ? b2 : b3 merge b3
        b2:
            setbit 0
            goto b3
        b3:
            goto b4
        b4:
            return
        }
        user clause c0 {
        b0:
          stmt 1
            i0 = recv $0
            record k0 (i0)  ; trace
          stmt 2
            i1 = recv $1
            i2 = 1
            i3 = and i1, i2
            i4 = shru i1, i2
            i5 = recv $2
            record k1 (i3, i4, i5)  ; printf
          stmt 3
            i6 = bit 0
            branch i6 ? b1 : b2 merge b2
        b1:
            record k2 (i2)  ; trace
            goto b2
        b2:
          stmt 4
            s7 = builtin probefunc
            s8 = \"read\"
            i9 = streq s7, s8
            branch i9 ? b3 : b4 merge b4
        b3:
            record k3 (i2)  ; trace
            goto b4
        b4:
            return
        }
        captures Int value, Int arg2, Int strlen()
        ",
    );
}

#[test]
fn a_value_crosses_only_on_paths_that_need_it() {
    // The path is read for the predicate, but sent only where it is printed; a value that two arms select is sent
    // where it is used.
    check(
        "
        k0 = printf in c0 stmt 2 (string, i64) format %s
        enable c0 on p0
        clause c0 {
        b0:
            i0 = builtin arg1
            s1 = call copyinstr(i0)
            i2 = call strlen(s1)
            branch i2 ? b1 : b2 merge b3
        b1:
            i3 = builtin uid
            goto b3
        b2:
            i3 = builtin gid
            goto b3
        b3:
            i4 = 5
            i5 = lts i3, i4
            branch i5 ? b4 : b5 merge b5
        b4:
          stmt 2
            record k0 (s1, i3)
            goto b5
        b5:
            return
        }
        ",
        "vars , sites ",
        "
        kernel clause c0 {
        b0:
            i0 = builtin arg1
            s1 = call copyinstr(i0) #1
            i2 = call strlen(s1) #2
            branch i2 ? b1 : b2 merge b3
        b1:
            i3 = builtin uid
            goto b3
        b2:
            i3 = builtin gid
            goto b3
        b3:
            i4 = 5
            i5 = lts i3, i4
            branch i5 ? b4 : b5 merge b5
        b4:
            send $0 = s1
            send $1 = i3
          stmt 2
            work
            goto b5
        b5:
            return
        }
        user clause c0 {
        b0:
            faultpoint #1
            s0 = recv $0
            i1 = recv $1
          stmt 2
            record k0 (s0, i1)  ; printf
            return
        }
        captures Str copyinstr(), Int value
        ",
    );
}

#[test]
fn a_clause_with_no_more_than_its_line_sends_only_that() {
    check(
        "
        k0 = default in c0 ()
        enable c0 on p0
        clause c0 {
        b0:
            record k0 ()
            return
        }
        ",
        "vars , sites ",
        "
        kernel clause c0 {
        b0:
            work
            return
        }
        user clause c0 {
        b0:
            record k0 ()  ; default
            return
        }
        ",
    );
}
