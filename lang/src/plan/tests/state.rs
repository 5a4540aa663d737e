//! Rules 5, 6, 8 and 9, and `placement=user`: keys, sources without a kernel part, `exit` and cuts. Expectations are
//! worked out by hand from `plan/mod.rs`.

use super::*;

#[test]
fn rule_5_keys_are_packed_as_their_code_allows() {
    let plan = planned(
        "
        var a[i32, string]: i64
        agg @f[string, string, string, u8]: count
        agg @g[string]: count
        agg @h[string]: count
        g0 = @f in c0
        g1 = @g in c0
        g2 = @g in c1
        g3 = @h in c1
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
            aggregate g1 [s0]
            set a[i3, s2] = i3
            return
        }
        clause c1 {
        b0:
          stmt 1
            s0 = \"x\"
            s1 = builtin execname
            aggregate g2 [s0]
            aggregate g3 [s1]
            return
        }
        ",
        PlanOptions::default(),
    );
    same_as_whole(&plan);
    use KeyPart::{Execname, Int, Probe, Str};
    assert_eq!(plan.agg_sites[0].key, [Execname, Probe(crate::builtins::BuiltinVar::Probefunc), Str, Int]);
    assert_eq!(plan.agg_sites[1].key, [Str], "the sites of an aggregation have one layout");
    assert_eq!(plan.agg_sites[2].key, [Str]);
    assert_eq!(plan.agg_sites[3].key, [Execname]);
    assert_eq!(plan.homes[0].key, [Int, Str]);
    assert_eq!(homes(&plan), "vars k, sites kkkk");
}

#[test]
fn rule_13_what_is_too_much_for_the_kernel_is_planned_again() {
    let text = "
        var n: i64
        agg @f[string]: count
        g0 = @f in c0
        enable c0 on p0
        clause c0 {
        b0:
          stmt 1
            i0 = builtin arg0
            s1 = call copyinstr(i0)
            aggregate g0 [s1]
            set n = i0
            return
        }
        ";
    assert_eq!(homes(&planned(text, PlanOptions::default())), "vars k, sites k");
    let overflow = Some(Overflow::Memory(20_000_000));
    let plan = planned(text, PlanOptions { overflow, ..PlanOptions::default() });
    same_as_whole(&plan);
    assert_eq!(homes(&plan), "vars u, sites u");
    assert_eq!(
        plan.reasons[0].text,
        "all state is kept in user space: strings, keys and records need 20000000 bytes of memory at once, and a program \
         in the kernel has 16777216"
    );
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
fn rule_8_exit_in_user_space_takes_along_what_shows_behind_it() {
    let text = exit_after(FAULTY);
    check(
        &text,
        "vars k, sites u",
        "
        kernel clause c0 {
        b0:
          stmt 1
            i0 = builtin arg0
            set x = i0
            work
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
    assert_eq!(homes(&planned(&text, PlanOptions::default())), "vars k, sites u");
}

/// `END` would show what the events behind the `exit` store.
#[test]
fn rule_8_exit_in_user_space_takes_along_what_the_tracer_uses() {
    let end = "enable c2 on p5\nclause c2 {\nb0:\n  i0 = get x\n  return\n}\n";
    let text = format!("{}{end}", exit_after(FAULTY));
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
fn placement_user_takes_only_what_is_pinned() {
    let options = PlanOptions { placement: Placement::User, ..PlanOptions::default() };
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

/// The kernel lets a program use so many maps: what finds no room is kept in user space, and said to be.
#[test]
fn more_tables_than_the_kernel_has_maps() {
    let mut text = String::new();
    let mut body = String::new();
    let count = Capabilities::BASELINE.max_tables as usize + 2;
    for i in 0..count {
        text += &format!("agg @a{i}[i64]: count\nagg @b{i}[]: count\n");
        text += &format!("g{} = @a{i} in c0\ng{} = @b{i} in c0\n", 2 * i, 2 * i + 1);
        body += &format!("aggregate g{} [i0]\naggregate g{} []\n", 2 * i, 2 * i + 1);
    }
    let text = format!("{text}enable c0 on p0\nclause c0 {{\nb0:\ni0 = builtin arg0\n{body}return\n}}\n");
    let plan = planned(&text, PlanOptions::default());
    let sides: String = homes(&plan);
    assert_eq!(sides, format!("vars , sites {}ukuk", "kk".repeat(count - 2)));
    let reasons: Vec<&str> = plan.reasons.iter().map(|reason| &*reason.text).collect();
    assert_eq!(reasons, ["the kernel part has room for 48 arrays and aggregations with keys"; 2]);
}

/// Two names that a short string cuts to one are one key.
#[test]
fn a_name_that_strings_cut_is_a_key_by_its_text() {
    for (strsize, key) in [(5, KeyPart::Probe(crate::builtins::BuiltinVar::Probefunc)), (4, KeyPart::Str)] {
        let text = format!(
            "limits strsize {strsize} scratchsize 256\nagg @a[string]: count\ng0 = @a in c0\nenable c0 on p0\n\
             clause c0 {{\nb0:\ns0 = builtin probefunc\naggregate g0 [s0]\nreturn\n}}\n"
        );
        assert_eq!(planned(&text, PlanOptions::default()).agg_sites[0].key, [key], "{strsize}");
    }
}

#[test]
fn rule_14_a_full_store_in_user_space_does_not_end_a_clause_that_goes_on_in_the_kernel() {
    let user = "s0 = builtin execname\ns1 = builtin probefunc\ni2 = call index(s0, s1)\nset self->r = i2\n";
    let kernel = "i3 = builtin arg1\nset self->p = i3\n";
    let array = "i4 = builtin arg0\nset self->a[i4] = i4\n";
    let count = "aggregate g0 []\n";
    let predicate = "i5 = get self->r\nbranch i5 ? b1 : b2 merge b2\nb1:\n";
    for (code, homes_then, lossy) in [
        ([user, kernel, "return"].concat(), "vars uku, sites k", ["self->r"].as_slice()),
        ([kernel, user, "return"].concat(), "vars uku, sites k", &[]),
        ([user, array, count, "return"].concat(), "vars uuu, sites k", &["self->r", "self->a"]),
        ([array, kernel, user, "return"].concat(), "vars uku, sites k", &["self->a"]),
        ([user, predicate, array, kernel, "goto b2\nb2:\nreturn"].concat(), "vars uuu, sites k", &[]),
    ] {
        let text = format!(
            "var self->r: i64\nvar self->p: i64\nvar self->a[i64]: i64\nagg @c[]: count\ng0 = @c in c0\nenable c0 on p0\nclause c0 {{\nb0:\n{code}\n}}"
        );
        let program = program(&text);
        let none = plan(program.clone(), Capabilities::NONE, &PlanOptions::default()).unwrap();
        let user = PlanOptions { placement: Placement::User, ..PlanOptions::default() };
        let user = plan(program.clone(), Capabilities::BASELINE, &user).unwrap();
        let auto = plan(program, Capabilities::BASELINE, &PlanOptions::default()).unwrap();
        assert_eq!(homes(&auto), homes_then, "{code}");
        same_as_whole(&auto);
        same_as_whole(&user);
        for plan in [auto, user, none] {
            let found = plan.program.vars.iter().filter(|var| var.lossy);
            let found: Vec<String> = found.map(|var| format!("self->{}", var.name)).collect();
            assert_eq!(found, lossy, "{code}");
        }
    }
}

#[test]
fn rule_15_what_is_counted_apart_in_a_kernel_is_counted_apart_everywhere() {
    use Side::{Kernel, User};
    use SiteRoom::{ByFiring, First, Second};
    let mixed = "var self->p: i64\nvar self->r: i64\nagg @a[i64]: count\nagg @u[i64]: count\nagg @k[i64]: count\n\
        g0 = @a in c0\ng1 = @a in c0\ng2 = @u in c0\ng3 = @k in c1\ng4 = @a in c2\n\
        k0 = clear in c2 stmt 1 () agg @u\nk1 = clear in c2 stmt 2 () agg @a\n\
        enable c0 on p0\nenable c1 on p0, p5\nenable c2 on p5\n\
        clause c0 {\nb0:\ni0 = builtin arg0\nset self->p = i0\naggregate g0 [i0]\n\
        s1 = builtin execname\ns2 = builtin probefunc\ni3 = call index(s1, s2)\nset self->r = i3\n\
        aggregate g1 [i3]\naggregate g2 [i3]\nreturn\n}\n\
        clause c1 {\nb0:\ni0 = builtin arg0\naggregate g3 [i0]\nreturn\n}\n\
        clause c2 {\nb0:\ni0 = 7\naggregate g4 [i0]\nrecord k0 ()\nrecord k1 ()\nreturn\n}\n";
    let program = program(mixed);
    let user = PlanOptions { placement: Placement::User, ..PlanOptions::default() };
    let overflow = PlanOptions { overflow: Some(Overflow::Values), ..PlanOptions::default() };
    for (caps, options) in [
        (Capabilities::NONE, PlanOptions::default()),
        (Capabilities::BASELINE, PlanOptions::default()),
        (Capabilities::BASELINE, user),
        (Capabilities::BASELINE, overflow),
    ] {
        let plan = plan(program.clone(), caps, &options).unwrap();
        let rooms = &plan.rooms;
        assert_eq!([rooms.var(VarId(0)), rooms.var(VarId(1))], [Kernel, User], "{caps:?} {options:?}");
        let sites: Vec<_> = (0..5).map(|i| rooms.agg_site(AggSiteId(i))).collect();
        assert_eq!(sites, [First, Second, First, ByFiring, Second]);
        assert_eq!([0, 1, 2].map(|i| rooms.agg(ir::AggId(i))), [Kernel, User, Kernel]);
        assert_eq!([0, 1].map(|i| rooms.cuts(ir::SiteId(i))), [false, true]);
        if (caps, options) == (Capabilities::BASELINE, PlanOptions::default()) {
            assert_eq!(homes(&plan), "vars ku, sites kuuku, tracer cuts", "as the plan has it");
        }
    }
}
