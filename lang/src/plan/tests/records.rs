//! Rules 4, 7 and 10: what records carry, faults among it. Expectations are worked out by hand from `plan/mod.rs`.

use super::*;

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
            branch i0 ? b1 : b2 merge b3
        b1:
          stmt 2
            i1 = builtin arg0
            i2 = load i64 any [i1]
            record k1 (i2)
            i3 = 0
            set u = i3
            goto b3
        b2:
          stmt 1
            i4 = builtin arg1
            i5 = load i64 any [i4]
            record k0 (i5)
            i6 = 1
            set u = i6
            return
        b3:
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
            branch i0 ? b1 : b2 merge b3
        b1:
          stmt 2
            faultpoint #2
            i1 = recv $0
            record k1 (i1)  ; printf
            i2 = 0
            set u = i2
            goto b3
        b2:
          stmt 1
            faultpoint $2 #7
            i3 = recv $1
            record k0 (i3)  ; printf
            i4 = 1
            set u = i4
            return
        b3:
            return
        }
        captures Int memory, Int memory, Fault fault
        ",
    );
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
        slots.iter().map(|slot| (slot.builtin().expect("a variable"), slot.offset)).collect::<Vec<_>>()
    };
    assert_eq!(shared(&text("i0 = builtin arg0")), []);
    let faulty = text("i0 = builtin arg0\ni0 = load u8 any [i0]");
    // Header 32, outcome 8, fault 16, slot 8.
    assert_eq!(shared(&faulty), [(Execname, 64), (Uid, 72), (TaskStart, 80)]);
    // A thread's variable in user space needs to know the thread, fault or not.
    assert_eq!(shared(&text("i0 = get self->e")), [(TaskStart, 40)]);
}

#[test]
fn rule_10_stacks_of_error_clauses_are_captured() {
    let text = "
        enable c0 on p0
        enable c1 on p4
        clause c0 {
        b0:
          stmt 1
            i0 = builtin arg0
            i1 = load u8 any [i0]
            return
        }
        clause c1 {
        b0:
          stmt 1
            i0 = 20
            i1 = 5
            i2 = call <stack>(i0)
            i3 = call <ustack>(i1, i0)
            i4 = call <ustack>(i1, i0)
            i5 = call <signal>(i1)
            return
        }
        ";
    let plan = planned(text, PlanOptions::default());
    let slots = plan.groups[0].layout.shared_slots.iter().map(|slot| (slot.stack(), slot.offset));
    let kernel = AskedStack { user: false, frames: 20, strsize: 0 };
    let user = AskedStack { user: true, frames: 5, strsize: 20 };
    // Header 32, outcome 8, fault 16.
    assert_eq!(slots.collect::<Vec<_>>(), [(Some(kernel), 56), (Some(user), 64)]);
}

#[test]
fn rule_10_made_up_memory_that_error_clauses_share_is_in_user_space() {
    let text = |of_clause: &str, of_error: &str| {
        format!(
            "
            enable c0 on p0
            enable c1 on p4
            clause c0 {{
            b0:
              stmt 1
                i0 = builtin arg0
                i1 = load u8 any [i0]
                {of_clause}
                return
            }}
            clause c1 {{
            b0:
              stmt 1
                i0 = builtin arg5
                {of_error}
                return
            }}
            "
        )
    };
    let (read, write) = ("s2 = call copyinstr(i0)", "s2 = \"x\"\ni3 = 2\ni4 = call copyoutstr(s2, i0, i3)");
    let made_up = Capabilities {
        afterwards: Afterwards::Everything,
        writes_user: Some(true),
        ..Capabilities::BASELINE
    };
    for (of_clause, of_error, whole) in
        [("", read, false), (write, "", false), (write, read, true), ("", write, true), (read, write, true)]
    {
        let text = text(of_clause, of_error);
        let groups = |caps| {
            let plan = plan(program(&text), caps, &PlanOptions::default());
            plan.unwrap_or_else(|e| panic!("{e:?}")).groups.len()
        };
        assert_eq!(groups(made_up), usize::from(!whole), "{text}");
        let live = Capabilities { afterwards: Afterwards::Memory, ..made_up };
        assert_eq!(groups(live), 1, "{text}");
    }
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

#[test]
fn what_is_the_same_all_through_a_firing_is_sent_once() {
    let program = program(
        "
        k0 = printf in c0 stmt 1 (i64, i64, i64) format %d64 %d64 %d64
        k1 = printf in c0 stmt 2 (i64, i64) format %d64 %d64
        enable c0 on p0
        clause c0 {
        b0:
          stmt 1
            i0 = builtin arg0
            i1 = builtin timestamp
            i2 = builtin arg0
            record k0 (i0, i1, i2)
          stmt 2
            i3 = builtin arg1
            i4 = builtin timestamp
            record k1 (i3, i4)
            return
        }
        ",
    );
    let plan = plan(program, Capabilities::BASELINE, &PlanOptions::default()).unwrap();
    let slots: Vec<&str> = plan.clause_layouts[0].slots.iter().map(|slot| &*slot.what).collect();
    assert_eq!(slots, ["arg0", "arg1"], "a record's header has the time");
}
