//! Tests of the planner on programs in the text form of IR.

mod effects;
mod explained;
mod oracle;
mod programs;
mod random;
mod records;
mod refusals;
mod speculations;
mod state;

use oracle::{Event, execute};

use super::*;
use crate::ir::parse;
use crate::ir::print::{self, Spans};

/// Probes that every test may enable: `p0`, `p1` and `p2` of the traced system, `p3` is `BEGIN`, `p4` `ERROR`, `p5` a
/// timer, `p6` `END`.
const PROBES: &str = "
    p0 = probe 10 syscall::read:entry
    p1 = probe 11 syscall::read:return
    p2 = probe 12 syscall::write:entry
    p3 = probe 1 dtrace:::BEGIN tracer
    p4 = probe 3 dtrace:::ERROR fault
    p5 = probe 20 profile:::tick-1s tracer
    p6 = probe 2 dtrace:::END tracer
";

fn program(text: &str) -> ir::Program {
    let program = parse::program(&format!("{PROBES}{text}")).unwrap();
    verify::program(&program).unwrap();
    program
}

fn planned(text: &str, options: PlanOptions) -> Plan {
    plan(program(text), Capabilities::BASELINE, &options).unwrap()
}

/// Both parts of each clause that has any, and the captures.
fn parts(plan: &Plan) -> String {
    let mut out = String::new();
    for (i, _) in plan.program.clauses.iter().enumerate() {
        let id = ClauseId(i as u32);
        let layout = &plan.clause_layouts[i];
        for (name, code) in [("kernel", &plan.kernel[i]), ("user", &plan.user[i])] {
            if let Some(code) = code {
                out += &format!("{name} {}", print::clause(&plan.program, id, code, Spans::Omit));
            }
        }
        if !layout.slots.is_empty() {
            let slots: Vec<_> =
                layout.slots.iter().map(|slot| format!("{:?} {}", slot.kind, slot.what)).collect();
            out += &format!("captures {}\n", slots.join(", "));
        }
    }
    out
}

/// Where variables and aggregation sites live: `k` or `u` each, and the cuts.
fn homes(plan: &Plan) -> String {
    let side = |side: Side| if side == Side::Kernel { 'k' } else { 'u' };
    let vars: String = plan.homes.iter().map(|home| side(home.side)).collect();
    let sites: String = plan.agg_sites.iter().map(|site| side(site.side)).collect();
    let cuts = match (plan.cuts.kernel, plan.cuts.tracer) {
        (false, false) => "",
        (true, false) => ", kernel cuts",
        (false, true) => ", tracer cuts",
        (true, true) => ", both cut",
    };
    format!("vars {vars}, sites {sites}{cuts}")
}

/// Text without the indentation that the test's source gives it.
fn dedent(text: &str) -> String {
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let least = text.lines().filter(|l| !l.trim().is_empty()).map(|l| indent(&l)).min().unwrap_or(0);
    let lines = text.lines().map(|l| l.get(least..).unwrap_or(""));
    let joined: Vec<_> = lines.collect();
    joined.join("\n").trim_matches('\n').trim_end().to_owned() + "\n"
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

/// A value that only user space computes, and a division by it.
const FAULTY: &str = "i2 = call index(s0, s1)\ni2 = divs i2, i2";

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
