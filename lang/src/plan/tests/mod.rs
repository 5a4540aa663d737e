//! Tests of the planner on programs in the text form of IR.

mod explained;
mod oracle;
mod programs;
mod random;
mod rules;

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
