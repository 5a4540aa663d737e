//! Stability triples and language versions (language spec §15): how far a name may change under a program, and since
//! when it exists.
//!
//! In: names. Out: their triples and versions, from tables, and the order of both. Which names a program uses is found
//! out by the checker.

use crate::env::{Probe, ProbePattern, ProviderStability, Stability};

/// Levels of names and data, lowest first.
pub const LEVELS: &[&str] =
    &["Internal", "Private", "Obsolete", "External", "Unstable", "Evolving", "Stable", "Standard"];

/// Dependency classes, lowest first.
pub const CLASSES: &[&str] = &["Unknown", "CPU", "Platform", "Group", "ISA", "Common"];

/// Parts of a provider that have attributes of their own, in the order of [`components`], then the arguments.
pub const PARTS: [&str; 5] = ["provider", "module", "function", "name", "args"];

const fn triple(name: &'static str, data: &'static str, class: &'static str) -> Stability {
    Stability { name, data, class }
}

/// What D itself, its operators and a program's own variables have.
pub const STABLE: Stability = triple("Stable", "Stable", "Common");

/// Of a description that leaves its provider out.
pub const UNSPECIFIED: Stability = triple("Unstable", "Unstable", "Common");

/// Of the kernel's own symbols and types.
pub const KERNEL: Stability = triple("Private", "Private", "Unknown");

const EVOLVING: Stability = triple("Evolving", "Evolving", "Common");

/// Of providers whose probes are another kernel's on another machine.
const EVOLVING_ISA: Stability = triple("Evolving", "Evolving", "ISA");
const PRIVATE_ISA: Stability = triple("Private", "Private", "ISA");

/// The level `Evolving`: names at or above it may be relied upon.
pub const EVOLVING_LEVEL: &str = "Evolving";

/// The triples of a provider's four components: provider, module, function, name.
const COMPONENTS: &[(&str, [Stability; 4])] = &[
    ("dtrace", [STABLE, KERNEL, KERNEL, STABLE]),
    ("fbt", [EVOLVING, KERNEL, PRIVATE_ISA, EVOLVING]),
    ("io", [EVOLVING_ISA, KERNEL, KERNEL, EVOLVING_ISA]),
    ("ip", [EVOLVING_ISA, KERNEL, KERNEL, EVOLVING_ISA]),
    ("lockstat", [EVOLVING_ISA, KERNEL, KERNEL, EVOLVING_ISA]),
    ("proc", [EVOLVING_ISA, KERNEL, KERNEL, EVOLVING_ISA]),
    ("profile", [EVOLVING, triple("Unstable", "Unstable", "Unknown"), KERNEL, EVOLVING]),
    ("rawtp", [EVOLVING_ISA, KERNEL, KERNEL, PRIVATE_ISA]),
    ("sched", [EVOLVING_ISA, KERNEL, KERNEL, EVOLVING_ISA]),
    ("sdt", [EVOLVING_ISA, KERNEL, KERNEL, PRIVATE_ISA]),
    ("syscall", [EVOLVING, KERNEL, PRIVATE_ISA, EVOLVING]),
    ("tcp", [EVOLVING_ISA, KERNEL, KERNEL, EVOLVING_ISA]),
    ("udp", [EVOLVING_ISA, KERNEL, KERNEL, EVOLVING_ISA]),
];

/// Names whose triple is not [`STABLE`] and that have no row of their own to say so.
const NAMES: &[(&str, Stability)] = &[
    ("curthread", triple("Stable", "Private", "Common")),
    ("getmajor", EVOLVING),
    ("getminor", EVOLVING),
    ("msgdsize", EVOLVING),
    ("msgsize", EVOLVING),
    ("mutex_owned", EVOLVING),
    ("mutex_owner", EVOLVING),
    ("mutex_type_adaptive", EVOLVING),
    ("mutex_type_spin", EVOLVING),
    ("progenyof", EVOLVING),
    ("rw_iswriter", EVOLVING),
    ("rw_read_held", EVOLVING),
    ("rw_write_held", EVOLVING),
];

/// The triple of a function, an action or a variable without a row.
pub fn of_name(name: &str) -> Stability {
    NAMES.iter().find(|row| row.0 == name).map_or(STABLE, |row| row.1)
}

/// The lower of two, part by part.
pub fn least(a: Stability, b: Stability) -> Stability {
    Stability {
        name: lower(LEVELS, a.name, b.name),
        data: lower(LEVELS, a.data, b.data),
        class: lower(CLASSES, a.class, b.class),
    }
}

fn rank(order: &[&str], word: &str) -> usize {
    order.iter().position(|o| *o == word).unwrap_or(0)
}

fn lower(order: &[&str], a: &'static str, b: &'static str) -> &'static str {
    if rank(order, b) < rank(order, a) { b } else { a }
}

/// Whether a triple falls short of the least that is wanted, in any part.
pub fn is_below(triple: Stability, wanted: Stability) -> bool {
    rank(LEVELS, triple.name) < rank(LEVELS, wanted.name)
        || rank(LEVELS, triple.data) < rank(LEVELS, wanted.data)
        || rank(CLASSES, triple.class) < rank(CLASSES, wanted.class)
}

/// Reads `name/data/class` in any case; parts that are left out are the highest there is.
pub fn parse(text: &str) -> Option<Stability> {
    let find = |list: &[&'static str], word: &str| {
        list.iter().find(|known| known.eq_ignore_ascii_case(word)).copied()
    };
    let parts: Vec<&str> = text.split('/').collect();
    if parts.len() > 3 {
        return None;
    }
    let level = |i: usize| parts.get(i).map_or(Some("Standard"), |word| find(LEVELS, word));
    let class = parts.get(2).map_or(Some("Common"), |word| find(CLASSES, word));
    Some(Stability { name: level(0)?, data: level(1)?, class: class? })
}

/// Whether a provider is one of those that DTrace has everywhere.
pub fn is_known_provider(name: &str) -> bool {
    COMPONENTS.iter().any(|(provider, _)| *provider == name)
}

/// The triples of the components of a probe's provider.
pub fn components(probe: &Probe) -> [Stability; 4] {
    match COMPONENTS.iter().find(|(provider, _)| *provider == &*probe.provider) {
        Some((_, triples)) => *triples,
        None => [probe.stability.description; 4],
    }
}

/// Of a description, from the first probe it matches: the least of the components it names. One that leaves the provider
/// out says nothing about whose probes it gets. Without a pattern the probe was named by its number.
pub fn of_description(first: Option<&Probe>, pattern: Option<&ProbePattern>) -> ProviderStability {
    let unspecified = ProviderStability { description: UNSPECIFIED, args: UNSPECIFIED };
    let Some(first) = first else { return unspecified };
    let Some(pattern) = pattern else { return first.stability };
    if pattern.provider.is_empty() {
        return unspecified;
    }
    let named = [true, !pattern.module.is_empty(), !pattern.function.is_empty(), !pattern.name.is_empty()];
    let triples = components(first).into_iter().zip(named).filter(|(_, named)| *named);
    ProviderStability {
        description: triples.map(|(triple, _)| triple).fold(STABLE, least),
        args: first.stability.args,
    }
}

/// A version of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u16, pub u16, pub u16);

impl Version {
    /// The newest.
    pub const NEWEST: Version = Version(2, 0, 1);

    /// Reads `N`, `N.N` or `N.N.N`, each of at most three digits.
    pub fn parse(text: &str) -> Option<Version> {
        let mut numbers = [0; 3];
        for (i, part) in text.split('.').enumerate() {
            let digits = matches!(part.len(), 1..=3) && part.bytes().all(|b| b.is_ascii_digit());
            *numbers.get_mut(i)? = part.parse().ok().filter(|_| digits)?;
        }
        Some(Version(numbers[0], numbers[1], numbers[2]))
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Version(major, minor, 0) => write!(f, "{major}.{minor}"),
            Version(major, minor, micro) => write!(f, "{major}.{minor}.{micro}"),
        }
    }
}

/// The versions that there were, oldest first.
pub const VERSIONS: [Version; 16] = [
    Version(1, 0, 0),
    Version(1, 1, 0),
    Version(1, 2, 0),
    Version(1, 2, 1),
    Version(1, 2, 2),
    Version(1, 3, 0),
    Version(1, 4, 0),
    Version(1, 4, 1),
    Version(1, 5, 0),
    Version(1, 6, 0),
    Version(1, 6, 1),
    Version(1, 6, 2),
    Version(1, 6, 3),
    Version(1, 6, 4),
    Version(2, 0, 0),
    Version(2, 0, 1),
];

/// Names that came after version 1.0, by the version that brought them. What other systems' versions above 1.6.4 brought
/// is here from 2.0 on.
const SINCE: &[(Version, &[&str])] = &[
    (Version(1, 1, 0), &["index", "rindex", "strchr", "strrchr", "strstr", "strtok", "substr"]),
    (
        Version(1, 2, 0),
        &["copyinto", "func", "mod", "setopt", "sym", "uaddr", "ucaller", "ufunc", "umod", "usym"],
    ),
    (Version(1, 3, 0), &["htonl", "htonll", "htons", "ntohl", "ntohll", "ntohs"]),
    (Version(1, 5, 0), &["d_path", "inet_ntoa", "inet_ntoa6", "inet_ntop", "link_ntop"]),
    (Version(1, 6, 0), &["stddev"]),
    (Version(1, 6, 1), &["llquantize"]),
    (Version(1, 6, 2), &["pcap"]),
    (Version(2, 0, 0), &["json", "print", "strtoll", "tolower", "toupper"]),
];

/// The version that brought a name of the language; names of a program are of no version.
pub fn since(name: &str) -> Version {
    SINCE.iter().find(|row| row.1.contains(&name)).map_or(Version(1, 0, 0), |row| row.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_each_part() {
        let private = triple("Stable", "Private", "Unknown");
        assert_eq!(least(private, UNSPECIFIED), triple("Unstable", "Private", "Unknown"));
        assert_eq!(least(STABLE, STABLE), STABLE);
        assert!(is_below(private, STABLE) && !is_below(STABLE, private));
        assert!(is_below(triple("Standard", "Standard", "ISA"), STABLE));
    }

    #[test]
    fn triples() {
        assert_eq!(parse("stable/EVOLVING/isa"), Some(triple("Stable", "Evolving", "ISA")));
        assert_eq!(parse("Private"), Some(triple("Private", "Standard", "Common")));
        for bad in
            ["", "Foo", "Stable/Foo", "Stable/Stable/Stable", "Stable/Stable/Common/Common", "Stable//Common"]
        {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn components_that_are_left_out_do_not_count() {
        let probe = Probe {
            id: crate::env::ProbeId(9),
            provider: "syscall".into(),
            module: "vmlinux".into(),
            function: "read".into(),
            name: "entry".into(),
            fired_by: crate::env::FiredBy::Source,
            args: [].into(),
            stability: ProviderStability { description: KERNEL, args: triple("Private", "Private", "ISA") },
        };
        let of = |text: [&str; 4]| {
            let [provider, module, function, name] = text.map(String::from);
            of_description(Some(&probe), Some(&ProbePattern { provider, module, function, name })).description
        };
        assert_eq!(of(["syscall", "", "read", "entry"]), triple("Private", "Private", "ISA"));
        assert_eq!(of(["syscall", "vmlinux", "read", "entry"]), KERNEL);
        assert_eq!(of(["syscall", "", "", "entry"]), EVOLVING);
        assert_eq!(of(["", "", "read", "entry"]), UNSPECIFIED);
        assert_eq!(of_description(None, None).description, UNSPECIFIED);
        assert_eq!(of_description(Some(&probe), None), probe.stability);
    }

    #[test]
    fn versions() {
        assert_eq!(Version::parse("1.6.3"), Some(Version(1, 6, 3)));
        assert_eq!(Version::parse("2"), Some(Version(2, 0, 0)));
        for bad in ["", "1.", "1.x", "1.2.3.4", "1234", "-1"] {
            assert_eq!(Version::parse(bad), None, "{bad}");
        }
        assert!(VERSIONS.is_sorted());
        assert_eq!((since("strlen"), since("index")), (Version(1, 0, 0), Version(1, 1, 0)));
        assert_eq!(
            (Version(2, 0, 0).to_string(), Version(1, 2, 1).to_string()),
            ("2.0".into(), "1.2.1".into())
        );
    }

    #[test]
    fn every_row_has_three_known_words() {
        for row in crate::builtins::BuiltinVar::ROWS {
            assert!(row.stability.split('/').count() == 3 && parse(row.stability).is_some(), "{}", row.name);
        }
    }
}
