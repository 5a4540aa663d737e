//! Maps whose values are addressed directly. aya makes such maps from data sections only, and then not mmapped; so they
//! are made here, and their descriptors are written into the instructions before the object is.
//!
//! Comes in: an [`EbpfProgram`]. Goes out: the same program without those maps, and the maps.

use std::borrow::Cow;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use crate::ebpf::{Code, EbpfProgram, MapKind, MapSpec, RelocTarget};
use crate::sys::bpf::{self, MapType};

/// `BPF_PSEUDO_MAP_VALUE`, in an instruction's source register.
const MAP_VALUE: u64 = 2;
/// `BPF_F_MMAPABLE`
const MMAPABLE: u32 = 1 << 10;

/// A program whose direct addresses are bound.
pub(super) struct Bound<'a> {
    /// What is left for aya.
    pub(super) program: Cow<'a, EbpfProgram>,
    /// By the map's index in the program as it came in: those that were made here.
    pub(super) made: Vec<Option<OwnedFd>>,
}

/// Makes the maps that `program` addresses directly, and those that user space maps.
pub(super) fn bind(program: &EbpfProgram) -> io::Result<Bound<'_>> {
    let mut direct: Vec<bool> =
        program.maps.iter().map(|spec| spec.kind == MapKind::Array { mmap: true }).collect();
    let codes = program.programs.iter().map(|p| &p.code).chain(program.subprograms.iter().map(|s| &s.code));
    for reloc in codes.flat_map(|code| &code.relocs) {
        if let RelocTarget::MapValue { map, .. } = reloc.target
            && let Some(direct) = direct.get_mut(map as usize)
        {
            *direct = true;
        }
    }
    if !direct.contains(&true) {
        return Ok(Bound { program: Cow::Borrowed(program), made: direct.iter().map(|_| None).collect() });
    }
    let mut made = Vec::with_capacity(direct.len());
    let mut kept = Vec::with_capacity(direct.len());
    let mut bound = program.clone();
    bound.maps.clear();
    for (spec, direct) in program.maps.iter().zip(direct) {
        kept.push(bound.maps.len() as u32);
        if direct {
            made.push(Some(make(spec)?));
        } else {
            bound.maps.push(spec.clone());
            made.push(None);
        }
    }
    let codes = bound.programs.iter_mut().map(|p| &mut p.code);
    for code in codes.chain(bound.subprograms.iter_mut().map(|s| &mut s.code)) {
        bind_code(code, &made, &kept);
    }
    Ok(Bound { program: Cow::Owned(bound), made })
}

fn make(spec: &MapSpec) -> io::Result<OwnedFd> {
    let flags = if spec.kind == (MapKind::Array { mmap: true }) { MMAPABLE } else { 0 };
    let request = bpf::NewMap {
        name: &spec.name,
        kind: MapType::Array,
        key_size: spec.key_size,
        value_size: spec.value_size,
        max_entries: spec.max_entries,
        flags,
        inner: None,
    };
    bpf::create_map(&request)
}

/// Writes descriptors where `made` maps are named, and new numbers (`kept`) where others are.
fn bind_code(code: &mut Code, made: &[Option<OwnedFd>], kept: &[u32]) {
    let insns = &mut code.insns;
    code.relocs.retain_mut(|reloc| {
        let (map, offset) = match reloc.target {
            RelocTarget::Map(map) => (map, None),
            RelocTarget::MapValue { map, offset } => (map, Some(offset)),
            RelocTarget::Subprogram(_) => return true,
        };
        let Some(Some(fd)) = made.get(map as usize) else {
            reloc.target = RelocTarget::Map(kept[map as usize]);
            return true;
        };
        let at = reloc.insn as usize;
        let source = if offset.is_some() { MAP_VALUE } else { 1 };
        if let [first, second, ..] = &mut insns[at..] {
            // Opcode and destination stay; source register, offset and immediate are written.
            *first = *first & 0x0fff | source << 12 | (fd.as_raw_fd() as u64) << 32;
            *second = u64::from(offset.unwrap_or(0)) << 32;
        }
        false
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ebpf::{Reloc, StateLayout, Subprogram};
    use crate::testing::privileged;

    #[test]
    fn direct_addresses_are_bound_and_other_maps_renumbered() {
        if !privileged() {
            return;
        }
        let map = |name: &str, kind| MapSpec {
            name: name.into(),
            kind,
            key_size: 4,
            value_size: 64,
            max_entries: 1,
            init: None,
        };
        let array = |mmap| MapKind::Array { mmap };
        let lddw = 0x0000_0000_0000_0318; // r3
        let reloc = |insn, target| Reloc { insn, target };
        let code = Code {
            insns: vec![lddw, 0, lddw, 0, lddw, 0],
            relocs: vec![
                reloc(0, RelocTarget::MapValue { map: 2, offset: 24 }),
                reloc(2, RelocTarget::Map(3)),
                reloc(4, RelocTarget::Map(0)),
            ],
        };
        let program = EbpfProgram {
            maps: vec![
                map("a", array(true)),
                map("b", array(false)),
                map("c", array(false)),
                map("d", MapKind::Hash),
            ],
            programs: Vec::new(),
            subprograms: vec![Subprogram { name: "s".into(), code }],
            state: StateLayout::default(),
        };
        let bound = bind(&program).expect("maps can be made");
        let names: Vec<&str> = bound.program.maps.iter().map(|m| m.name.as_str()).collect();
        assert_eq!(names, ["b", "d"], "b is an array that is only looked up");
        let fd = |i: usize| bound.made[i].as_ref().map(|fd| fd.as_raw_fd() as u64).expect("it was made");
        let code = &bound.program.subprograms[0].code;
        assert_eq!(code.insns, [fd(2) << 32 | 0x2318, 24 << 32, lddw, 0, fd(0) << 32 | 0x1318, 0]);
        assert_eq!(code.relocs, [reloc(2, RelocTarget::Map(1))]);
    }
}
