//! Names close to a misspelt component of a description. Probes and a description in, words out.

use std::collections::BTreeSet;

use dtrail_lang::builtins::rates::{Bare, MIN_TIMER_PERIOD, parse_rate};
use dtrail_lang::env::{Probe, ProbePattern, glob_match};

use crate::providers::{self, syscall_table::ALIASES};

/// How many names are worth printing.
const MOST: usize = 3;

/// A word of so many letters may be the beginning of a name.
const SHORTENED: usize = 3;

/// Names for the first component, from the left, that lets no probe through; best first.
pub(super) fn suggest(probes: &[Probe], pattern: &ProbePattern) -> Vec<String> {
    let accepts = |component: &str, text: &str| component.is_empty() || glob_match(component, text);
    let provider: Vec<&Probe> = probes.iter().filter(|p| accepts(&pattern.provider, &p.provider)).collect();
    if provider.is_empty() {
        return closest(&pattern.provider, probes.iter().map(|p| &*p.provider));
    }
    let module: Vec<&Probe> =
        provider.iter().copied().filter(|p| accepts(&pattern.module, &p.module)).collect();
    if module.is_empty() {
        return closest(&pattern.module, provider.iter().map(|p| &*p.module));
    }
    let function: Vec<&Probe> =
        module.iter().copied().filter(|p| providers::function_matches(&pattern.function, p)).collect();
    if function.is_empty() {
        let aliases = ALIASES.iter().filter(|_| module.iter().any(|p| &*p.provider == "syscall"));
        let names = module.iter().map(|p| &*p.function).chain(aliases.map(|(familiar, _)| *familiar));
        // The kernel's own symbols are a common slip: their probes have the bare name.
        let symbol = ["__x64_sys_", "__arm64_sys_", "__se_sys_", "__do_sys_", "ksys_", "sys_"];
        let bare = symbol.iter().find_map(|prefix| pattern.function.strip_prefix(prefix));
        return closest(bare.unwrap_or(&pattern.function), names);
    }
    let timer =
        function.iter().any(|p| &*p.provider == "profile").then(|| slowed_down(&pattern.name)).flatten();
    timer.map_or_else(|| closest(&pattern.name, function.iter().map(|p| &*p.name)), |name| vec![name])
}

/// The fastest timer of the kind that a name asks for, if the name asks for a faster one.
fn slowed_down(name: &str) -> Option<String> {
    let (kind, rate) = name.split_once('-')?;
    let period = parse_rate(rate, Bare::Hertz)?;
    (matches!(kind, "tick" | "profile") && period < MIN_TIMER_PERIOD)
        .then(|| format!("{kind}-{}us", MIN_TIMER_PERIOD / 1000))
}

/// The names at a small distance from `word`, nearest first, then in alphabetical order.
fn closest<'a>(word: &str, names: impl Iterator<Item = &'a str> + Clone) -> Vec<String> {
    let word = word.to_ascii_lowercase();
    let limit = match word.chars().count() {
        0 => return Vec::new(),
        1..=4 => 1,
        5..=7 => 2,
        _ => 3,
    };
    let mut found: BTreeSet<(usize, &str)> = BTreeSet::new();
    for name in names.clone().filter(|name| !name.is_empty()) {
        let distance = distance(word.as_bytes(), name.to_ascii_lowercase().as_bytes());
        if distance <= limit {
            found.insert((distance, name));
        }
    }
    if found.is_empty() && word.len() >= SHORTENED {
        // `ret` of `return`.
        found.extend(names.filter(|name| name.to_ascii_lowercase().starts_with(&word)).map(|name| (0, name)));
    }
    found.into_iter().take(MOST).map(|(_, name)| name.to_owned()).collect()
}

/// Edit distance: insertions, deletions, substitutions and swaps of neighbours cost 1 each.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let substituted = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = substituted.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (a, b, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("read", "read", 0),
            ("raed", "read", 1),
            ("reed", "read", 1),
            ("rea", "read", 1),
            ("reads", "read", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(a.as_bytes(), b.as_bytes()), expected, "{a} {b}");
        }
    }

    #[test]
    fn suggestions() {
        let probes = providers::listed();
        for (provider, function, name, expected) in [
            ("sycall", "read", "entry", vec!["syscall"]),
            ("SYSCALL", "read", "entry", vec!["syscall"]),
            ("syscall", "opne", "entry", vec!["open"]),
            ("syscall", "sys_openat", "entry", vec!["openat", "openat2"]),
            ("syscall", "raed", "entry", vec!["read"]),
            ("", "iter", "task", vec![]),
            ("syscall", "read", "enter", vec!["entry"]),
            ("syscall", "read", "ret", vec!["return"]),
            ("syscall", "read", "re", vec![]),
            ("", "", "begin", vec!["BEGIN"]),
            ("proc", "", "exec-sucess", vec!["exec-success"]),
            ("", "", "tick-1us", vec!["tick-200us"]),
            ("profile", "", "profile-10000", vec!["profile-200us"]),
            ("profile", "", "tick-sec", vec![]),
            ("qqqqqqqqq", "", "", vec![]),
        ] {
            let pattern = ProbePattern {
                provider: provider.into(),
                function: function.into(),
                name: name.into(),
                ..ProbePattern::default()
            };
            let mut got = suggest(&probes, &pattern);
            got.truncate(expected.len());
            assert_eq!(got, expected, "{provider}::{function}:{name}");
        }
    }
}
