//! How much code the programs of a plan have at least, whatever the planner decides: a program of the language in, before
//! it is planned, and out what of it is more than the kernel takes. Nothing is planned or emitted for that.
//!
//! It counts what a clause adds to the program of each of its probes: its call, and the room in the record of one that has
//! something for user space. What the clause itself does is in a subprogram.

use dtrail_lang::env::FiredBy;
use dtrail_lang::ir::facts::{acts, is_pinned};
use dtrail_lang::ir::{Clause, Op, Program};
use dtrail_lang::plan::Overflow;

/// Clearing its area, the address of that, the arguments and the call, and the look whether anything came of it.
const SENDING: usize = 8;
/// The context, the number of the clause and the call.
const ASKING: usize = 4;
/// The number of the clause and the call.
const CALLED: usize = 2;

/// The furthest jump, which leaves a program when the gate is shut.
const FURTHEST: usize = i16::MAX as usize;

/// What no plan of a program can make fit, if there is something.
pub fn overflow(program: &Program) -> Option<Overflow> {
    if program.clauses.len() * SENDING <= FURTHEST {
        return None;
    }
    let of_probes = of_probes(program);
    let (clauses, _) = of_probes.into_iter().find(|(_, instructions)| *instructions > FURTHEST)?;
    Some(Overflow::Clauses(clauses))
}

/// By probe that the traced system fires: how many clauses it runs, and the least instructions of them in its program.
fn of_probes(program: &Program) -> Vec<(usize, usize)> {
    let clauses: Vec<usize> = program.clauses.iter().map(of_clause).collect();
    let mut found = vec![(0, 0); program.probes.len()];
    for enabling in &program.enablings {
        for probe in &enabling.probes {
            if program.probes[probe.index()].fired_by == FiredBy::Source {
                let (count, instructions) = &mut found[probe.index()];
                *count += 1;
                *instructions += clauses[enabling.clause.index()];
            }
        }
    }
    found
}

fn of_clause(clause: &Clause) -> usize {
    let ops = || clause.blocks.iter().flat_map(|block| &block.insts).map(|inst| &inst.op);
    let lasts = |op: &Op| {
        matches!(op, Op::SetVar { .. } | Op::SetElem { .. } | Op::Aggregate { .. } | Op::Store { .. })
    };
    match () {
        // What is recorded is recorded in user space.
        () if ops().any(|op| matches!(op, Op::Record { .. })) => SENDING,
        () if !ops().any(|op| lasts(op) || acts(op)) => 0,
        () if ops().any(|op| matches!(op, Op::Builtin { .. }) && is_pinned(op)) => ASKING,
        () => CALLED,
    }
}

#[cfg(test)]
mod tests {
    use dtrail_lang::plan::{self, Capabilities, Placement, PlanOptions};

    use super::*;
    use crate::ebpf::emit;
    use crate::ebpf::testing::injected;

    /// So many clauses of one probe.
    fn program(count: usize, tables: &str, body: &str) -> Program {
        let numbered = |text: &str, i: usize| text.replace('#', &i.to_string());
        let tables = (0..count).map(|i| numbered(tables, i)).collect::<String>();
        let enablings = (0..count).map(|i| format!("enable c{i} on p0\n")).collect::<String>();
        let clauses = (0..count).map(|i| format!("clause c{i} {{\nb0:\n{}return\n}}\n", numbered(body, i)));
        let text = format!(
            "p0 = probe 9 syscall:vmlinux:openat:entry source\nvar x: i64\n{tables}{enablings}{}",
            clauses.collect::<String>()
        );
        dtrail_lang::ir::parse::program(&text).unwrap_or_else(|e| panic!("{e}"))
    }

    const SENDS: (&str, &str) = ("k# = trace in c# stmt 1 (i64)\n", "i0 = 1\nrecord k# (i0)\n");
    const ASKS: (&str, &str) = ("", "i0 = builtin arg0\nset x = i0\n");
    const STORES: (&str, &str) = ("", "i0 = 1\nset x = i0\n");

    #[test]
    fn no_program_has_less() {
        for (tables, body) in [SENDS, ASKS, STORES] {
            let program = program(300, tables, body);
            let [(300, least)] = of_probes(&program)[..] else { panic!("one probe: {body}") };
            for placement in [Placement::Auto, Placement::User] {
                let options = PlanOptions { placement, ..PlanOptions::default() };
                let plan = plan::plan(program.clone(), Capabilities::BASELINE, &options);
                let plan = plan.unwrap_or_else(|e| panic!("{e:?}"));
                let emitted = emit(&plan, &injected()).unwrap_or_else(|e| panic!("{e}"));
                let found = emitted.programs[0].code.insns.len();
                assert!(found >= least, "{found} instructions, not {least}: {body}");
            }
        }
    }

    #[test]
    fn too_many_clauses() {
        for ((tables, body), most) in [(SENDS, 4095), (ASKS, 8191), (STORES, 16383)] {
            assert_eq!(overflow(&program(most, tables, body)), None, "{body}");
            let more = overflow(&program(most + 1, tables, body));
            assert_eq!(more, Some(Overflow::Clauses(most + 1)), "{body}");
        }
        assert_eq!(overflow(&program(20_000, "", "")), None);
    }
}
