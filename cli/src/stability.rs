//! Stability reports (`-v`, `-ev`; runtime spec §13.4): how far a program's probes and names may change under it.

use dtrail_lang::env::Stability;
use dtrail_lang::ir::{Clause, Op};

/// Levels of names and data, lowest first.
const LEVELS: &[&str] =
    &["Internal", "Private", "Obsolete", "External", "Unstable", "Evolving", "Stable", "Standard"];

/// Dependency classes, lowest first.
const CLASSES: &[&str] = &["Unknown", "CPU", "Platform", "Group", "ISA", "Common"];

/// What D itself, its operators and a program's own variables have.
pub(crate) const STABLE: Stability = Stability { name: "Stable", data: "Stable", class: "Common" };

/// Of a description that leaves its provider out.
pub(crate) const UNSPECIFIED: Stability = Stability { name: "Unstable", data: "Unstable", class: "Common" };

/// The lower of two, part by part.
pub(crate) fn least(a: Stability, b: Stability) -> Stability {
    Stability {
        name: lower(LEVELS, a.name, b.name),
        data: lower(LEVELS, a.data, b.data),
        class: lower(CLASSES, a.class, b.class),
    }
}

fn lower(order: &[&'static str], a: &'static str, b: &'static str) -> &'static str {
    let rank = |word| order.iter().position(|o| *o == word).unwrap_or(0);
    if rank(b) < rank(a) { b } else { a }
}

/// Of all that a clause reads.
pub(crate) fn of_statements(clause: &Clause) -> Stability {
    let insts = clause.blocks.iter().flat_map(|block| &block.insts);
    let builtins = insts.filter_map(|inst| match &inst.op {
        Op::Builtin { var, .. } => triple(var.row().stability),
        _ => None,
    });
    builtins.fold(STABLE, least)
}

/// `name/data/class`
fn triple(text: &'static str) -> Option<Stability> {
    let mut parts = text.split('/');
    Some(Stability { name: parts.next()?, data: parts.next()?, class: parts.next()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_each_part() {
        let private = triple("Stable/Private/Unknown").expect("three parts");
        let unstable = Stability { name: "Unstable", data: "Unstable", class: "Common" };
        assert_eq!(
            least(private, unstable),
            Stability { name: "Unstable", data: "Private", class: "Unknown" }
        );
        assert_eq!(least(STABLE, STABLE), STABLE);
    }

    #[test]
    fn every_row_has_three_known_words() {
        for row in dtrail_lang::builtins::BuiltinVar::ROWS {
            let of = triple(row.stability).expect("three parts");
            assert!(
                LEVELS.contains(&of.name) && LEVELS.contains(&of.data) && CLASSES.contains(&of.class),
                "{}",
                row.name
            );
        }
    }
}
