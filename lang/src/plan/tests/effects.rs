//! Rules 1 to 3: what may be in K, where variables live, and what U sees of them. Expectations are worked out by hand
//! from `plan/mod.rs`.

use super::*;

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
fn rule_16_no_firing_has_both_kinds_of_a_this_variable() {
    // `v` is used in `read:entry` and in a timer; `w` in `ERROR`, too, which runs in the firings of both; `x` in a clause
    // that both fire.
    let clauses = |names: &[&str]| -> String {
        names.iter().enumerate().fold(String::new(), |text, (i, name)| {
            text + &format!(
                "clause c{i} {{\nb0:\n  stmt 1\n    i0 = 5\n    set this->{name} = i0\n    return\n}}\n"
            )
        })
    };
    let vars = "var this->v: i64\nvar this->w: i64\nvar this->x: i64\n";
    let enables = "enable c0 on p0\nenable c1 on p5\nenable c2 on p0\nenable c3 on p6\nenable c4 on p4\nenable c5 on p0\n\
                   enable c6 on p3, p1\n";
    let plan = planned(
        &format!("{vars}{enables}{}", clauses(&["v", "v", "w", "w", "w", "x", "x"])),
        PlanOptions::default(),
    );
    let all: Vec<_> = plan.program.vars.iter().map(|var| var.name.as_str()).collect();
    assert_eq!(all, ["v", "w", "x", "v (tracer)"]);
    assert_eq!(homes(&plan), "vars kuuu, sites ");
    let sets = |clause: usize| plan.program.clauses[clause].blocks[0].insts[1].op.var();
    let used: Vec<_> = (0..7).filter_map(sets).map(ir::VarId::index).collect();
    assert_eq!(used, [0, 3, 1, 1, 1, 2, 2]);
}
