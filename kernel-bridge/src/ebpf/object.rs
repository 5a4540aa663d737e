//! The ELF object of a program, in memory: what aya loads.
//!
//! Comes in: an [`EbpfProgram`] in which no instruction names an address in a map's value any more (`load::bind` writes
//! those, since aya could not make the maps for them). Goes out: bytes. One section a program, subprograms in `.text`,
//! BTF-defined maps in `.maps` (task storage exists in no other form), license "Dual MIT/GPL", which the kernel's
//! memory helpers demand. Never: a system call.

mod btf;

use dtrail_vm::event::Error;
use object::write::{Object, Relocation, SectionId, StandardSection, Symbol, SymbolId, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, RelocationFlags, SectionKind, SymbolFlags, SymbolKind,
    SymbolScope,
};

use super::{Code, EbpfProgram, MapKind, MapSpec, RelocTarget};

const LICENSE: &[u8] = b"Dual MIT/GPL\0";
/// `BPF_F_NO_PREALLOC`
const NO_PREALLOC: u32 = 1;
/// `BPF_F_MMAPABLE`
const MMAPABLE: u32 = 1 << 10;
/// `R_BPF_64_64`
const R_BPF_64_64: u32 = 1;
/// `R_BPF_64_32`
const R_BPF_64_32: u32 = 10;

/// Writes the object.
pub fn write(program: &EbpfProgram) -> Result<Vec<u8>, Error> {
    let mut elf = Object::new(BinaryFormat::Elf, Architecture::Bpf, Endianness::Little);
    let license = elf.add_section(Vec::new(), b"license".to_vec(), SectionKind::Data);
    elf.append_section_data(license, LICENSE, 1);

    let maps = write_maps(&mut elf, &program.maps);
    let text = elf.section_id(StandardSection::Text);
    let mut subprograms = Vec::with_capacity(program.subprograms.len());
    let mut placed = Vec::new();
    for subprogram in &program.subprograms {
        let (symbol, at) = write_code(&mut elf, text, &subprogram.name, &subprogram.code);
        subprograms.push(symbol);
        placed.push((text, at, &subprogram.code));
    }
    for spec in &program.programs {
        let section =
            elf.add_section(Vec::new(), spec.hook.section(spec.typed).into_bytes(), SectionKind::Text);
        let (_, at) = write_code(&mut elf, section, &spec.name, &spec.code);
        placed.push((section, at, &spec.code));
    }
    for (section, at, code) in placed {
        for reloc in &code.relocs {
            let (symbol, r_type) = match reloc.target {
                RelocTarget::Map(map) => (maps.get(map as usize), R_BPF_64_64),
                RelocTarget::Subprogram(index) => (subprograms.get(index as usize), R_BPF_64_32),
                RelocTarget::MapValue { .. } => (None, R_BPF_64_64),
            };
            let Some(&symbol) = symbol else {
                return Err(Error::new("internal error: an instruction names what is not in the object"));
            };
            let offset = at + 8 * u64::from(reloc.insn);
            let relocation = Relocation { offset, symbol, addend: 0, flags: RelocationFlags::Elf { r_type } };
            elf.add_relocation(section, relocation).map_err(|e| failed(&e))?;
        }
    }
    elf.write().map_err(|e| failed(&e))
}

fn failed(error: &object::write::Error) -> Error {
    Error::new(format!("internal error: the object cannot be written: {error}"))
}

fn add_symbol(
    elf: &mut Object<'_>,
    name: &str,
    kind: SymbolKind,
    section: SectionId,
    value: u64,
    size: u64,
) -> SymbolId {
    elf.add_symbol(Symbol {
        name: name.as_bytes().to_vec(),
        value,
        size,
        kind,
        scope: SymbolScope::Dynamic,
        weak: false,
        section: SymbolSection::Section(section),
        flags: SymbolFlags::None,
    })
}

fn write_code(elf: &mut Object<'_>, section: SectionId, name: &str, code: &Code) -> (SymbolId, u64) {
    let bytes: Vec<u8> = code.insns.iter().flat_map(|insn| insn.to_le_bytes()).collect();
    let at = elf.append_section_data(section, &bytes, 8);
    (add_symbol(elf, name, SymbolKind::Text, section, at, bytes.len() as u64), at)
}

/// Writes `.maps` and the types that describe it; gives the symbol of each map.
fn write_maps(elf: &mut Object<'_>, maps: &[MapSpec]) -> Vec<SymbolId> {
    if maps.is_empty() {
        return Vec::new();
    }
    let mut types = btf::Types::new();
    let mut variables = Vec::with_capacity(maps.len());
    let section = elf.add_section(Vec::new(), b".maps".to_vec(), SectionKind::Data);
    let mut symbols = Vec::with_capacity(maps.len());
    for spec in maps {
        let (ty, members) = describe(&mut types, spec);
        // A pointer a member; the kernel checks the size against the type.
        let size = 8 * members;
        let at = elf.append_section_data(section, &vec![0; size as usize], 8);
        symbols.push(add_symbol(elf, &spec.name, SymbolKind::Data, section, at, u64::from(size)));
        variables.push((types.variable(&spec.name, ty), at as u32, size));
    }
    types.data_section(".maps", &variables);
    let btf = elf.add_section(Vec::new(), b".BTF".to_vec(), SectionKind::Other);
    elf.append_section_data(btf, &types.finish(), 4);
    symbols
}

/// The type of a map's definition, and its number of members.
fn describe(types: &mut btf::Types, spec: &MapSpec) -> (u32, u32) {
    let (kind, flags) = match spec.kind {
        MapKind::Array { mmap: false } => (2, 0),
        MapKind::Array { mmap: true } => (2, MMAPABLE),
        MapKind::PerCpuArray => (6, 0),
        MapKind::Hash => (1, NO_PREALLOC),
        MapKind::FullHash => (1, 0),
        MapKind::PerCpuHash { full } => (5, if full { 0 } else { NO_PREALLOC }),
        MapKind::TaskStorage => (29, NO_PREALLOC),
        MapKind::Ring => (27, 0),
    };
    let mut members = vec![("type", types.number(kind)), ("max_entries", types.number(spec.max_entries))];
    if flags != 0 {
        members.push(("map_flags", types.number(flags)));
    }
    match spec.kind {
        MapKind::Ring => {}
        MapKind::TaskStorage => {
            let value = types.words(spec.value_size / 8);
            members.push(("key", types.pointer(btf::INT)));
            members.push(("value", types.pointer(value)));
        }
        _ => {
            members.push(("key_size", types.number(spec.key_size)));
            members.push(("value_size", types.number(spec.value_size)));
        }
    }
    let count = members.len() as u32;
    (types.structure(&members), count)
}
