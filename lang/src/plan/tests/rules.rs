//! The rules, each on a program where it matters. Expectations are worked out by hand from `plan/mod.rs`.

use super::*;

fn check(text: &str, expect_homes: &str, expect_parts: &str) {
    check_with(PlanOptions::default(), text, expect_homes, expect_parts);
}

fn check_with(options: PlanOptions, text: &str, expect_homes: &str, expect_parts: &str) {
    let plan = planned(text, options);
    let found = parts(&plan);
    assert!(found == dedent(expect_parts), "found:\n{found}\nexpected:\n{}", dedent(expect_parts));
    assert_eq!(homes(&plan), expect_homes);
}

/// `syscall::read:entry { self->t = timestamp; }
/// syscall::read:return /self->t/ { @[execname] = quantize(timestamp - self->t); self->t = 0; }`
const LATENCY: &str = "
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
