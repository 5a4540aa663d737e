//! `-l`: one line a probe, and with `-v` its attributes and arguments (runtime spec §13.3).

use std::io::{self, Write};

use dtrail_lang::env::{Probe, ProviderStability, Stability};

/// The heading.
pub(crate) fn heading(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{:>5} {:>10} {:>17} {:>33} NAME", "ID", "PROVIDER", "MODULE", "FUNCTION")
}

/// One probe.
pub(crate) fn probe(out: &mut dyn Write, probe: &Probe, verbose: bool) -> io::Result<()> {
    writeln!(
        out,
        "{:>5} {:>10} {:>17} {:>33} {}",
        probe.id.0, probe.provider, probe.module, probe.function, probe.name
    )?;
    if verbose { details(out, probe, &probe.stability) } else { Ok(()) }
}

/// What `-lv` and `-ev` say of a probe, or of a description whose first probe it is.
pub(crate) fn details(out: &mut dyn Write, probe: &Probe, of: &ProviderStability) -> io::Result<()> {
    writeln!(out, "\n\tProbe Description Attributes")?;
    stability(out, &of.description)?;
    writeln!(out, "\n\tArgument Attributes")?;
    stability(out, &of.args)?;
    writeln!(out, "\n\tArgument Types")?;
    if probe.args.is_empty() {
        writeln!(out, "\t\tNone")?;
    }
    for (i, arg) in probe.args.iter().enumerate() {
        writeln!(out, "\t\targs[{i}]: {}", arg.ty)?;
    }
    writeln!(out)
}

/// A triple, three lines.
pub(crate) fn stability(out: &mut dyn Write, triple: &Stability) -> io::Result<()> {
    writeln!(out, "\t\tIdentifier Names: {}", triple.name)?;
    writeln!(out, "\t\tData Semantics:   {}", triple.data)?;
    writeln!(out, "\t\tDependency Class: {}", triple.class)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dtrail_lang::env::{FiredBy, ProbeArg, ProbeId};

    #[test]
    fn lines_are_dtraces() {
        let private = Stability { name: "Private", data: "Private", class: "Unknown" };
        let evolving = Stability { name: "Evolving", data: "Evolving", class: "ISA" };
        let read = Probe {
            id: ProbeId(12),
            provider: "syscall".into(),
            module: "vmlinux".into(),
            function: "read".into(),
            name: "entry".into(),
            fired_by: FiredBy::Source,
            args: [ProbeArg { ty: "char *".into(), userland: true }].into(),
            stability: ProviderStability { description: private, args: evolving },
        };
        let mut out = Vec::new();
        heading(&mut out).and_then(|()| probe(&mut out, &read, true)).expect("a vector takes everything");
        let expected = "   ID   PROVIDER            MODULE                          FUNCTION NAME\n   \
                        12    syscall           vmlinux                              read entry\n\n\
                        \tProbe Description Attributes\n\t\tIdentifier Names: Private\n\t\tData Semantics:   Private\n\
                        \t\tDependency Class: Unknown\n\n\tArgument Attributes\n\t\tIdentifier Names: Evolving\n\
                        \t\tData Semantics:   Evolving\n\t\tDependency Class: ISA\n\n\tArgument Types\n\
                        \t\targs[0]: char *\n\n";
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }
}
