//! Stability reports (`-v`, `-ev`; runtime spec §13.4): how far a program's probes and names may change under it.

use dtrail_lang::env::{Probe, ProviderStability, Stability};
use dtrail_lang::ir::{Clause, Op};

use crate::describe::Described;

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

const fn triple_of(name: &'static str, data: &'static str, class: &'static str) -> Stability {
    Stability { name, data, class }
}

const EVOLVING: Stability = triple_of("Evolving", "Evolving", "Common");
const PRIVATE: Stability = triple_of("Private", "Private", "Unknown");

/// The triples of a provider's four components: provider, module, function, name.
const COMPONENTS: &[(&str, [Stability; 4])] = &[
    ("dtrace", [STABLE; 4]),
    ("proc", [EVOLVING, PRIVATE, PRIVATE, EVOLVING]),
    ("profile", [EVOLVING; 4]),
    ("syscall", [EVOLVING, PRIVATE, triple_of("Private", "Private", "ISA"), EVOLVING]),
];

/// Of a description, from the first probe it matches: the least of the components it names. One that leaves the provider
/// out says nothing about whose probes it gets.
pub(crate) fn of_description(described: &Described) -> ProviderStability {
    let unspecified = ProviderStability { description: UNSPECIFIED, args: UNSPECIFIED };
    let Some(first) = described.found.as_ref().ok().and_then(|probes| probes.first()) else {
        return unspecified;
    };
    let Some(pattern) = &described.pattern else { return first.stability };
    if pattern.provider.is_empty() {
        return unspecified;
    }
    let named = [true, !pattern.module.is_empty(), !pattern.function.is_empty(), !pattern.name.is_empty()];
    ProviderStability { description: of_components(first, named), args: first.stability.args }
}

fn of_components(probe: &Probe, named: [bool; 4]) -> Stability {
    match COMPONENTS.iter().find(|(provider, _)| *provider == &*probe.provider) {
        Some((_, triples)) => triples
            .iter()
            .zip(named)
            .filter(|(_, named)| *named)
            .map(|(triple, _)| *triple)
            .fold(STABLE, least),
        None => probe.stability.description,
    }
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
    fn components_that_are_left_out_do_not_count() {
        let private = |class| Stability { name: "Private", data: "Private", class };
        let probe = Probe {
            id: dtrail_lang::env::ProbeId(9),
            provider: "syscall".into(),
            module: "vmlinux".into(),
            function: "read".into(),
            name: "entry".into(),
            fired_by: dtrail_lang::env::FiredBy::Source,
            args: [].into(),
            stability: ProviderStability { description: private("Unknown"), args: private("ISA") },
        };
        assert_eq!(of_components(&probe, [true, false, true, true]), private("ISA"));
        assert_eq!(of_components(&probe, [true, true, true, true]), private("Unknown"));
        assert_eq!(of_components(&probe, [true, false, false, true]), EVOLVING);
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
