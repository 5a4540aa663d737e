//! What each option takes, who may set it, and what is said otherwise.

use super::*;

fn set(name: &str, value: Option<&str>) -> Result<Options, OptionError> {
    let mut options = Options::default();
    options.set(name, value, SetBy::CommandLine).map(|()| options)
}

#[test]
fn booleans() {
    for (value, expected) in [
        (None, Ok(true)),
        (Some("yes"), Ok(true)),
        (Some("ON"), Ok(true)),
        (Some("1"), Ok(true)),
        (Some("0"), Ok(false)),
        (Some("disabled"), Ok(false)),
        (Some("maybe"), Err(OptionError::InvalidValue)),
        (Some(""), Err(OptionError::InvalidValue)),
    ] {
        assert_eq!(set("quiet", value).map(|o| o.quiet), expected, "{value:?}");
    }
}

#[test]
fn sizes() {
    for (value, expected) in [
        ("4096", Ok(4096)),
        ("0x1000", Ok(4096)),
        ("010", Ok(8)),
        ("64k", Ok(65536)),
        ("2M", Ok(2 << 20)),
        ("1g", Ok(1 << 30)),
        ("1t", Ok(1 << 40)),
        ("12q", Err(OptionError::InvalidValue)),
        ("k", Err(OptionError::InvalidValue)),
        ("-1", Err(OptionError::InvalidValue)),
        ("+1", Err(OptionError::InvalidValue)),
        ("99999999999t", Err(OptionError::InvalidValue)),
    ] {
        assert_eq!(set("bufsize", Some(value)).map(|o| o.bufsize), expected, "{value}");
    }
}

#[test]
fn rates() {
    for (value, expected) in [("10ms", 10_000_000), ("10hz", 100_000_000), ("7", 7), ("0hz", 0)] {
        assert_eq!(set("switchrate", Some(value)).map(|o| o.switchrate), Ok(expected), "{value}");
    }
}

#[test]
fn bounds() {
    assert_eq!(set("strsize", Some("1")), Err(OptionError::InvalidValue));
    assert_eq!(set("strsize", Some("1k")).map(|o| o.strsize), Ok(1024));
    assert_eq!(set("strsize", None), Err(OptionError::InvalidValue));
    // From 8 to 65536 once rounded up to a multiple of 8.
    for (value, expected) in [("1", 8), ("8", 8), ("9", 16), ("64k", 65536)] {
        assert_eq!(set("printsize", Some(value)).map(|o| o.printsize), Ok(expected), "{value}");
    }
    for value in ["0", "65537", "-8"] {
        assert_eq!(set("printsize", Some(value)), Err(OptionError::InvalidValue), "{value}");
    }
}

#[test]
fn who_may_set_what() {
    let mut options = Options::default();
    assert_eq!(options.set("ldpath", Some("/x"), SetBy::Program), Err(OptionError::NotInProgram));
    assert_eq!(options.set("lockmem", Some("unlimited"), SetBy::CommandLine), Ok(()));
    assert_eq!(options.set("nosuch", None, SetBy::CommandLine), Err(OptionError::UnknownName));
    assert_eq!(options.set("bufpolicy", Some("rink"), SetBy::Program), Err(OptionError::InvalidValue));
    assert_eq!(options.set("bufpolicy", Some("switch"), SetBy::Program), Ok(()));
    assert_eq!(options.set("zdefs", Some("yes"), SetBy::CommandLine), Err(OptionError::InvalidValue));
    assert_eq!(options, Options::default());
}

#[test]
fn words_and_versions() {
    for (name, value, expected) in [
        ("linkmode", "dynamic", Ok(())),
        ("linkmode", "zork", Err("Invalid value for specified option")),
        ("late", "static", Ok(())),
        ("linktype", "elf", Ok(())),
        ("linktype", "dof", Err("Linux has no loader of DOF; -G writes ELF")),
        ("linktype", "coff", Err("Invalid value for specified option")),
        ("procfspath", "/proc", Ok(())),
        ("tree", "1", Ok(())),
        ("tree", "0", Err("Invalid value for specified option")),
        ("disasm", "15", Ok(())),
        ("disasm", "16", Err("Invalid value for specified option")),
        ("core", "1", Err("Invalid value for specified option")),
        ("kdefs", "yes", Err("Invalid value for specified option")),
        ("ctypes", "", Err("Invalid value for specified option")),
        ("stdc", "a", Ok(())),
        ("stdc", "x", Err("Invalid value for specified option")),
        ("evaltime", "exec", Ok(())),
        ("evaltime", "main", Ok(())),
        ("cpu", "0", Ok(())),
        ("cpu", "one", Err("Invalid value for specified option")),
        ("evaltime", "never", Err("Invalid value for specified option")),
        ("version", "2.0", Ok(())),
        ("version", "1.6.3", Ok(())),
        ("amin", "Stable/Evolving/Common", Ok(())),
        ("amin", "Firm", Err("Invalid value for specified option")),
        ("version", "99.0", Err("Requested version is not supported by compiler")),
        ("version", "1.x", Err("Invalid value for specified option")),
    ] {
        let outcome = set(name, Some(value)).map(drop).map_err(|error| error.to_string());
        assert_eq!(outcome, expected.map_err(str::to_string), "{name}={value}");
    }
}

/// Every compile-time option of the language's table: what it takes without a value.
#[test]
fn compile_time_options() {
    let flags = [
        "argref",
        "core",
        "cpp",
        "cpphdrs",
        "debug",
        "debugassert",
        "defaultargs",
        "droptags",
        "empty",
        "errtags",
        "kdefs",
        "knodefs",
        "lazyload",
        "linknommap",
        "nolibs",
        "pspec",
        "strip",
        "udefs",
        "verbose",
        "zdefs",
    ];
    let valued = [
        "amin",
        "cppargs",
        "cpppath",
        "ctfpath",
        "ctypes",
        "define",
        "disasm",
        "dofstashpath",
        "dtypes",
        "evaltime",
        "incdir",
        "iregs",
        "late",
        "ldpath",
        "libdir",
        "linkmode",
        "linktype",
        "modpath",
        "pgmax",
        "preallocate",
        "procfspath",
        "stdc",
        "syslibdir",
        "sysslice",
        "tree",
        "tregs",
        "undef",
        "useruid",
        "version",
    ];
    for name in flags {
        assert!(set(name, None).is_ok(), "{name}");
        assert_eq!(set(name, Some("1")), Err(OptionError::InvalidValue), "{name}");
    }
    for name in valued {
        assert_eq!(set(name, None), Err(OptionError::InvalidValue), "{name}");
    }
    assert!(matches!(set("unodefs", None), Err(OptionError::Unsupported(_))));
    assert!(set("knodefs", None).is_ok_and(|options| options.knodefs));
    let mut options = Options::default();
    assert_eq!(options.set("knodefs", None, SetBy::CommandLine), Ok(()));
    assert_eq!(options.set("kdefs", None, SetBy::Program), Ok(()));
    assert!(!options.knodefs, "the last one holds");
}

#[test]
fn advice_names_what_there_is() {
    for (name, error, expected) in [
        ("strsiz", OptionError::UnknownName, Some("did you mean strsize?")),
        ("qiuet", OptionError::UnknownName, Some("did you mean quiet?")),
        // Nearer to `printsize`.
        ("stringsize", OptionError::UnknownName, Some("did you mean strsize?")),
        ("zork", OptionError::UnknownName, None),
        ("", OptionError::UnknownName, None),
        ("bufpolicy", OptionError::InvalidValue, Some("bufpolicy takes switch, fill or ring")),
        ("nspec", OptionError::InvalidValue, Some("nspec takes a number from 0 to 16")),
        ("stackframes", OptionError::InvalidValue, Some("stackframes takes a number from 0")),
        ("zdefs", OptionError::InvalidValue, Some("zdefs takes no value")),
        ("late", OptionError::InvalidValue, Some("late takes dynamic or static")),
        (
            "strsize",
            OptionError::InvalidValue,
            Some("strsize takes a number of bytes, or one with k, m, g or t, from 2 to 65536"),
        ),
        ("bufsize", OptionError::TracingActive, None),
    ] {
        assert_eq!(advice(name, &error).as_deref(), expected, "{name} {error}");
    }
}

#[test]
fn names_are_unique() {
    let mut all: Vec<_> = names().collect();
    all.sort_unstable();
    let count = all.len();
    all.dedup();
    assert_eq!(all.len(), count);
}

/// What is no number for any option, and no size or rate either.
const NO_NUMBERS: &[&str] = &[
    "",
    "-1",
    "+1",
    "-0",
    " 1",
    "1 ",
    "1.5",
    "1e3",
    "1x",
    "0x",
    "0xg",
    "08",
    "1_000",
    "one",
    "k",
    "1kk",
    "1 k",
    "0x1z",
    "--1",
    "1-",
    "18446744073709551616",
    "0x10000000000000000",
    "99999999999999999999999",
    "17179869184g",
    "١",
];

/// Every option that takes a number of any kind: nothing that only looks like one, and nothing out of its bounds.
#[test]
fn numbers_of_all_options() {
    let unfit = Err(OptionError::InvalidValue);
    let outcome = |name: &str, value: Option<&str>| set(name, value).map(drop);
    let mut seen = 0;
    for row in ROWS {
        let name = row.name;
        let bounds = match row.kind {
            Kind::Number(low, high, _) | Kind::SmallSize(low, high, _) => (low.into(), high.into()),
            Kind::Cpu => (0, i32::MAX as u64),
            Kind::Tree => (1, u32::MAX.into()),
            Kind::PrintSize => (1, 1 << 16),
            Kind::Size(_) | Kind::Rate(_) => (0, u64::MAX),
            Kind::Unused(Shape::Number | Shape::Size | Shape::Limit) => (0, u64::MAX),
            _ => continue,
        };
        seen += 1;
        // Rates are decimal, as in `tick-010ms`; all others are read as C reads numbers.
        let rate = matches!(row.kind, Kind::Rate(_));
        for value in NO_NUMBERS.iter().filter(|&&value| !rate || value != "08") {
            assert_eq!(outcome(name, Some(value)), unfit, "{name}={value}");
        }
        assert_eq!(outcome(name, None), unfit, "{name}");
        let (low, high): (u64, u64) = bounds;
        for value in [low, high] {
            assert_eq!(outcome(name, Some(&value.to_string())), Ok(()), "{name}={value}");
            assert_eq!(outcome(name, Some(&format!("{value:#x}"))) == Ok(()), !rate, "{name}={value:#x}");
        }
        let outside = [low.checked_sub(1), high.checked_add(1)];
        for value in outside.into_iter().flatten() {
            assert_eq!(outcome(name, Some(&value.to_string())), unfit, "{name}={value}");
        }
        // Units belong to sizes and rates.
        let units = matches!(row.kind, Kind::Size(_) | Kind::Unused(Shape::Size | Shape::Limit));
        assert_eq!(outcome(name, Some("1g")) == Ok(()), units, "{name}=1g");
        assert_eq!(outcome(name, Some("10hz")) == Ok(()), rate, "{name}=10hz");
        assert_eq!(outcome(name, Some("10ms")) == Ok(()), rate, "{name}=10ms");
        // Whoever gets it wrong is told what there is.
        assert!(
            advice(name, &OptionError::InvalidValue).is_some_and(|text| text.starts_with(name)),
            "{name}"
        );
    }
    assert!(seen >= 30, "{seen}");
}

/// The bounds that the specification and the README name.
#[test]
fn bounds_by_name() {
    for (name, good, bad) in [
        ("pcapsize", ["0", "64k"], ["-1", "65537"]),
        ("strsize", ["2", "64k"], ["1", "65537"]),
        ("nspec", ["0", "16"], ["-1", "17"]),
        ("scratchsize", ["0", "1m"], ["-1", "1048577"]),
        ("stackframes", ["0", "4294967295"], ["-1", "4294967296"]),
        ("stackindent", ["0", "1024"], ["-1", "1025"]),
        ("cpu", ["0", "2147483647"], ["-1", "2147483648"]),
        ("disasm", ["1", "15"], ["0", "16"]),
        ("lockmem", ["unlimited", "16m"], ["Unlimited", "16q"]),
        ("switchrate", ["0hz", "1ns"], ["-1hz", "1parsec"]),
    ] {
        for value in good {
            assert_eq!(set(name, Some(value)).map(drop), Ok(()), "{name}={value}");
        }
        for value in bad {
            assert_eq!(set(name, Some(value)).map(drop), Err(OptionError::InvalidValue), "{name}={value}");
        }
    }
}
