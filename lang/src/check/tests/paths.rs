//! The order of actions holds along each path through a clause's conditions (language spec §3.7, §11.5).

use super::check;

#[test]
fn arms_do_not_follow_each_other() {
    for (body, expected) in [
        ("if (pid) trace(1); else speculate(1);", "ok"),
        ("if (pid) { speculate(1); } else { speculate(2); }", "ok"),
        ("if (pid) { commit(1); } else { trace(2); }", "ok"),
        ("if (pid) trace(2); else commit(1);", "ok"),
        ("if (pid) exit(0); else speculate(1);", "ok"),
        ("if (pid) @ = count(); else commit(1);", "ok"),
        ("if (pid) { speculate(1); trace(1); } else { trace(2); exit(0); }", "ok"),
        ("if (pid) commit(1); else if (uid) speculate(1); else trace(1);", "ok"),
        ("if (pid) { if (uid) commit(1); } else trace(1);", "ok"),
        // Within an arm, before and behind a condition the order counts as ever.
        ("if (pid) { trace(1); commit(1); }", "D_COMM_DREC 1:30"),
        ("if (pid) { } else { trace(1); commit(1); }", "D_COMM_DREC 1:39"),
        ("trace(1); if (pid) { } else { commit(1); }", "D_COMM_DREC 1:39"),
        ("trace(1); if (pid) { if (uid) commit(1); }", "D_COMM_DREC 1:39"),
        ("if (pid) trace(1); commit(1);", "D_COMM_DREC 1:28"),
        ("if (pid) { } else trace(1); commit(1);", "D_COMM_DREC 1:37"),
        ("if (pid) speculate(1); else trace(1); speculate(2);", "D_SPEC_SPEC 1:47"),
        ("if (pid) commit(1); else { } if (uid) trace(1);", "D_DREC_COMM 1:47"),
        ("if (pid) { if (uid) speculate(1); } @ = count();", "D_AGG_SPEC 1:45"),
    ] {
        check(&format!("BEGIN {{ {body} }}"), expected);
    }
}
