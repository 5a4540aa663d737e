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
        ("zork", OptionError::UnknownName, None),
        ("", OptionError::UnknownName, None),
        ("bufpolicy", OptionError::InvalidValue, Some("bufpolicy takes switch, fill or ring")),
        ("nspec", OptionError::InvalidValue, Some("nspec takes a number from 1 to 16")),
        ("stackframes", OptionError::InvalidValue, Some("stackframes takes a number from 1")),
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
