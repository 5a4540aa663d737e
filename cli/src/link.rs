//! `-G`: the object that goes with a program whose probes are the header's of `-h` (runtime spec §13). In: provider
//! definitions and the program's own objects. Out: an ELF object with the counters of the probes, which says to the linker
//! what the header says to the compiler. A build that calls for `-G` so works as it stands; one that does not needs it not.
//!
//! Never: a probe of its own, or a change to the objects. On other systems `-G` rewrites objects in which probes are calls
//! of undefined functions; such objects are refused by name.

use dtrail_kernel_bridge::readers::whole::Content;
use dtrail_lang::ast::{Item, Program};
use dtrail_vm::event::{Error, reason};
use object::write::{Object, Symbol, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, Object as _, ObjectSymbol as _, SectionKind, SymbolFlags,
    SymbolKind, SymbolScope,
};

use crate::header;
use crate::native;

/// Bytes of a counter.
const COUNTER: u64 = 2;

/// What calls of probes look like in objects that were compiled with another system's header.
const CALLS: [&str; 2] = ["__dtrace_", "__dtraceenabled_"];

/// The name of the object of the program with this name, the `number`th of so many of the command line.
pub(crate) fn object_name(program: &str, number: usize, of: usize) -> String {
    match program.strip_suffix(".d").map(|name| name.rsplit('/').next().unwrap_or(name)) {
        Some(name) => format!("{name}.o"),
        None if of == 1 => "d.out".to_owned(),
        None => format!("d.out.{number}"),
    }
}

/// The object of a program; the reason if there is none.
pub(crate) fn object(program: &Program, objects: &[String]) -> Result<Vec<u8>, Error> {
    let mut counters: Vec<String> = Vec::new();
    for item in &program.items {
        match item {
            Item::Provider(provider) => {
                counters.extend(provider.probes.iter().map(|probe| header::semaphore(provider, probe)));
            }
            Item::Clause(_) => {
                let why = "an object that enables probes when it is run has no counterpart on Linux";
                return Err(
                    Error::new(why).help("trace the program with the script, as -s SCRIPT -c COMMAND")
                );
            }
            _ => {}
        }
    }
    if counters.is_empty() {
        return Err(Error::new("No probe sites found for declared provider"));
    }
    for path in objects {
        let bytes = Content::OBJECT
            .read(&native::path(path))
            .map_err(|e| Error::new(format!("failed to open {path}: {}", reason(&e))))?;
        let file = object::File::parse(&*bytes)
            .map_err(|_| Error::new(format!("failed to open {path}: it is no ELF object")))?;
        let called = file.symbols().filter(object::ObjectSymbol::is_undefined).find_map(|symbol| {
            let name = symbol.name().ok()?;
            CALLS.iter().any(|start| name.starts_with(start)).then(|| name.to_owned())
        });
        if let Some(name) = called {
            let error = Error::new(format!("{path} calls {name}, a probe of another system's header"));
            return Err(
                error.help("compile it with the header that `-h` makes here, whose probes need no -G")
            );
        }
    }
    write(&counters).map_err(|e| Error::new(format!("the object cannot be written: {e}")))
}

/// An object with these counters.
fn write(counters: &[String]) -> Result<Vec<u8>, object::write::Error> {
    let architecture = match std::env::consts::ARCH {
        "aarch64" => Architecture::Aarch64,
        "riscv64" => Architecture::Riscv64,
        _ => Architecture::X86_64,
    };
    let mut elf = Object::new(BinaryFormat::Elf, architecture, Endianness::Little);
    let section = elf.add_section(Vec::new(), b".probes".to_vec(), SectionKind::Data);
    for counter in counters {
        let value = elf.append_section_data(section, &[0; COUNTER as usize], COUNTER);
        elf.add_symbol(Symbol {
            name: counter.clone().into_bytes(),
            value,
            size: COUNTER,
            kind: SymbolKind::Data,
            scope: SymbolScope::Linkage,
            weak: true,
            section: SymbolSection::Section(section),
            flags: SymbolFlags::None,
        });
    }
    // Without it linkers take the stack for executable.
    elf.add_section(Vec::new(), b".note.GNU-stack".to_vec(), SectionKind::Other);
    elf.write()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_have_the_names_of_their_scripts() {
        for (program, number, of, name) in [
            ("a.d", 0, 1, "a.o"),
            ("dir/a.d", 1, 2, "a.o"),
            ("BEGIN", 0, 1, "d.out"),
            ("BEGIN", 0, 2, "d.out.0"),
            ("BEGIN", 2, 3, "d.out.2"),
            ("script", 1, 2, "d.out.1"),
        ] {
            assert_eq!(object_name(program, number, of), name);
        }
    }
}
