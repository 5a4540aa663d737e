//! Rule 17: who keeps which speculations are in use, and what is refused for it.

use super::*;

/// `p0` takes a number into `self->s`; `p1` uses it, commits and discards; `more` stands behind.
fn speculating(condition: &str, more: &str) -> String {
    format!(
        "
        var self->s: i32
        k0 = speculate in c0 stmt 2 (i32)
        k1 = commit in c1 stmt 1 (i32)
        k2 = discard in c1 stmt 2 (i32)
        enable c0 on p0
        enable c1 on p1
        clause c0 {{
        b0:
            {condition}
            branch i0 ? b1 : b2 merge b2
        b1:
          stmt 1
            i1 = call speculation() @10..23
            set self->s = i1
          stmt 2
            i2 = get self->s
            i3 = call <turn>(i2)
            record k0 (i2, i3)
            goto b2
        b2:
            return
        }}
        clause c1 {{
        b0:
          stmt 1
            i0 = get self->s
            i1 = call <speculation>(i0)
            i2 = call <commit>(i1)
            record k1 (i1, i2)
          stmt 2
            i3 = call <speculation>(i0)
            i4 = call <discard>(i3)
            record k2 (i3, i4)
            return
        }}
        {more}
        "
    )
}

const OF_EVENT: &str = "i0 = builtin arg0";
const OF_USER: &str = "s5 = builtin execname\ns6 = builtin probefunc\ni0 = call index(s5, s6) @1..9";

/// Where that is kept, where the variable lives, and why the first is in U.
fn kept(text: &str, options: PlanOptions) -> String {
    let plan = planned(text, options);
    let reason = plan.reasons.iter().find(|reason| reason.subject == Subject::Speculations);
    let why = reason.map_or(String::new(), |reason| format!(": {}", reason.text));
    format!("{:?}, {}{why}", plan.speculations, homes(&plan))
}

#[test]
fn rule_17_numbers_are_kept_in_the_kernel() {
    let text = speculating(OF_EVENT, "");
    assert_eq!(kept(&text, PlanOptions::default()), "Kernel, vars k, sites ");
    let expected = "
        kernel clause c0 {
        b0:
            i0 = builtin arg0
            branch i0 ? b1 : b2 merge b2
        b1:
          stmt 1
            i1 = call speculation()
            set self->s = i1
          stmt 2
            i2 = get self->s
            send $0 = i2
            i3 = call <turn>(i2)
            send $1 = i3
            work
            goto b2
        b2:
            return
        }
        ";
    let found = parts(&planned(&text, PlanOptions::default()));
    let first = found.split("user ").next().unwrap_or_default();
    assert_eq!(first, dedent(expected), "{found}");
}

#[test]
fn rule_17_one_that_user_space_decides_takes_all_of_them_there() {
    let text = speculating(OF_USER, "");
    let why = "`speculation` is decided there: it stands under a condition that user space decides";
    assert_eq!(kept(&text, PlanOptions::default()), format!("User, vars u, sites : {why}"));
    let options = PlanOptions { placement: Placement::User, ..PlanOptions::default() };
    assert_eq!(kept(&speculating(OF_EVENT, ""), options), "User, vars u, sites : placement=user");
    let of_error = "enable c2 on p4\nclause c2 {\nb0:\ni0 = call speculation()\nreturn\n}";
    let text = speculating(OF_EVENT, of_error);
    let why = "an `ERROR` clause speculates";
    assert_eq!(kept(&text, PlanOptions::default()), format!("User, vars u, sites : {why}"));
}

#[test]
fn rule_17_clauses_of_the_tracer_reach_them_where_they_are() {
    for probe in ["p3", "p5", "p6"] {
        let of_tracer =
            format!("enable c2 on {probe}\nclause c2 {{\nb0:\ni0 = call speculation()\nreturn\n}}");
        let text = speculating(OF_EVENT, &of_tracer);
        assert_eq!(kept(&text, PlanOptions::default()), "Kernel, vars k, sites ", "{probe}");
    }
    // No event speculates.
    let text = "enable c0 on p5\nclause c0 {\nb0:\ni0 = call speculation()\nreturn\n}";
    assert_eq!(kept(text, PlanOptions::default()), "User, vars , sites ");
}

/// Rule 8: behind an `exit` that user space decides, events would go on taking numbers, or finding none.
#[test]
fn rule_17_nothing_is_taken_behind_an_exit() {
    let exit = format!(
        "k3 = exit in c2 stmt 1 (i32)\nenable c2 on p2\nclause c2 {{\nb0:\n{OF_USER}\n\
         branch i0 ? b1 : b2 merge b2\nb1:\ni1 = 1\nrecord k3 (i1)\ngoto b2\nb2:\nreturn\n}}\n"
    );
    let text = speculating(OF_EVENT, &exit);
    let why = "`exit` is decided in user space";
    assert_eq!(kept(&text, PlanOptions::default()), format!("User, vars u, sites : {why}"));
    let relaxed = PlanOptions { relaxed_exit: true, ..PlanOptions::default() };
    assert_eq!(kept(&text, relaxed), "Kernel, vars k, sites ");
}

/// What is printed for a speculation is printed when that is committed: there is nothing to cut at the event.
#[test]
fn rule_17_nothing_is_cut_behind_speculate() {
    let cut = |before: &str| {
        format!(
            "
            agg @a[]: count
            g0 = @a in c0
            k0 = speculate in c1 stmt 1 (i32)
            k1 = printa in c1 stmt 2 () aggs @a
            enable c0 on p0
            enable c1 on p1
            clause c0 {{
            b0:
                aggregate g0 []
                return
            }}
            clause c1 {{
            b0:
                i0 = 1
                {before}
                record k1 ()
                return
            }}
            "
        )
    };
    assert_eq!(kept(&cut(""), PlanOptions::default()), "User, vars , sites k, kernel cuts");
    let speculated = cut("i1 = call <turn>(i0)\nrecord k0 (i0, i1)");
    assert_eq!(kept(&speculated, PlanOptions::default()), "Kernel, vars , sites u");
}
