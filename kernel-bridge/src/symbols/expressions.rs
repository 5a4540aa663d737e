//! Whether unwinding by a table comes to an end: `.eh_frame` and its index in, a judgement out. Entries may hold small
//! programs (DWARF expressions) that compute an address and can jump. Nothing that compilers and linkers write for stacks
//! jumps, and a table with what does is not followed. Nor is one with entries of a length that no compiler writes: they are
//! walked for each frame of a stack.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use gimli::{
    BaseAddresses, CallFrameInstruction, CieOrFde, EhFrame, EhFrameHdr, EndianSlice, LittleEndian, Operation,
    UnwindExpression, UnwindSection as _,
};

type Bytes<'b> = EndianSlice<'b, LittleEndian>;

/// A part of a file: its addresses in the file's own layout, its bytes.
type Part = (Range<u64>, Rc<[u8]>);

/// Whether all expressions of a table end, and all that its index leads to is part of the table.
pub(super) fn end(frames: &Part, index: Option<&Part>) -> bool {
    let table = EhFrame::new(&frames.1, LittleEndian);
    let bases = BaseAddresses::default().set_eh_frame(frames.0.start);
    let bases = index.map_or(bases.clone(), |index| bases.set_eh_frame_hdr(index.0.start));
    let Some(offsets) = walk(&table, &bases) else { return false };
    index.is_none_or(|index| leads_to(index, &bases, frames.0.start, &offsets))
}

/// Most bytes of an entry for a function, and of one that is common to several.
const MOST_OWN: usize = 1 << 18;
const MOST_COMMON: usize = 1 << 12;
/// Most entries that are common to several: linkers merge those that are equal.
const MOST_COMMONS: usize = 1 << 16;

/// Where the entries of a table are, ascending; `None` if an expression may not end, or not soon.
fn walk(table: &EhFrame<Bytes<'_>>, bases: &BaseAddresses) -> Option<Vec<u64>> {
    let mut offsets = Vec::new();
    // What is common is looked at once, however many have it.
    let mut commons = HashMap::new();
    let mut entries = table.entries(bases);
    // What cannot be read ends the table.
    while let Ok(Some(entry)) = entries.next() {
        let CieOrFde::Fde(partial) = entry else { continue };
        if commons.len() > MOST_COMMONS {
            return None;
        }
        let common = commons.entry(partial.cie_offset().0).or_insert_with_key(|&at| {
            let common = table.cie_from_offset(bases, at.into()).ok()?;
            let sound = common.entry_len() <= MOST_COMMON
                && all_end(common.instructions(table, bases), table, common.encoding());
            Some((common, sound))
        });
        let Some((common, sound)) = common else { continue };
        let Ok(fde) = partial.parse(|_, _, _| Ok(common.clone())) else { continue };
        offsets.push(fde.offset() as u64);
        if !*sound
            || fde.entry_len() > MOST_OWN
            || !all_end(fde.instructions(table, bases), table, common.encoding())
        {
            return None;
        }
    }
    Some(offsets)
}

/// Whether the expressions among instructions end.
fn all_end(
    mut instructions: gimli::CallFrameInstructionIter<'_, Bytes<'_>>,
    table: &EhFrame<Bytes<'_>>,
    encoding: gimli::Encoding,
) -> bool {
    while let Ok(Some(instruction)) = instructions.next() {
        let expression = match instruction {
            CallFrameInstruction::DefCfaExpression { expression }
            | CallFrameInstruction::Expression { expression, .. }
            | CallFrameInstruction::ValExpression { expression, .. } => expression,
            _ => continue,
        };
        if !ends(expression, table, encoding) {
            return false;
        }
    }
    true
}

fn ends(expression: UnwindExpression<usize>, table: &EhFrame<Bytes<'_>>, encoding: gimli::Encoding) -> bool {
    let Ok(expression) = expression.get(table) else { return true };
    let mut operations = expression.operations(encoding);
    while let Ok(Some(operation)) = operations.next() {
        if matches!(operation, Operation::Skip { .. } | Operation::Bra { .. }) {
            return false;
        }
    }
    true
}

/// Whether an index leads only to entries at these offsets of a table that begins at an address.
fn leads_to(index: &Part, bases: &BaseAddresses, start: u64, offsets: &[u64]) -> bool {
    let Ok(header) = EhFrameHdr::new(&index.1, LittleEndian).parse(bases, 8) else { return true };
    let Some(table) = header.table() else { return true };
    let mut entries = table.iter(bases);
    while let Ok(Some((_, to))) = entries.next() {
        let gimli::Pointer::Direct(at) = to else { return false };
        if offsets.binary_search(&at.wrapping_sub(start)).is_err() {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table of one entry whose address is computed by these operations.
    fn table(operations: &[u8]) -> Part {
        let mut bytes = Vec::new();
        let entry = |bytes: &mut Vec<u8>, body: &[u8]| {
            bytes.extend_from_slice(&(body.len() as u32).to_le_bytes());
            bytes.extend_from_slice(body);
        };
        // Version 1, no augmentation, alignments 1 and -8, return address in register 16.
        entry(&mut bytes, &[0, 0, 0, 0, 1, 0, 1, 0x78, 16, 0, 0, 0]);
        let mut fde = vec![20, 0, 0, 0];
        fde.extend_from_slice(&0x1000u64.to_le_bytes());
        fde.extend_from_slice(&0x100u64.to_le_bytes());
        // `DW_CFA_def_cfa_expression`
        fde.extend_from_slice(&[0x0f, operations.len() as u8]);
        fde.extend_from_slice(operations);
        entry(&mut bytes, &fde);
        bytes.extend_from_slice(&[0; 4]);
        (0x2000..0x2000 + bytes.len() as u64, bytes.into())
    }

    #[test]
    fn what_jumps_is_not_followed() {
        for (operations, expected) in [
            // `DW_OP_breg7 8`
            (&[0x77, 8][..], true),
            // `DW_OP_skip`, forwards and backwards; `DW_OP_bra` backwards.
            (&[0x2f, 1, 0, 0x96, 0x77, 8], false),
            (&[0x2f, 0xfd, 0xff], false),
            (&[0x77, 8, 0x31, 0x28, 0xf0, 0xff], false),
            // Cut off.
            (&[0x2f, 1], true),
        ] {
            assert_eq!(end(&table(operations), None), expected, "{operations:x?}");
        }
    }

    #[test]
    fn an_index_leads_to_entries() {
        let frames = table(&[0x77, 8]);
        let index = |at: u32| {
            // Version 1; pointer to the table, count and entries in 4 bytes, entries relative to the index.
            let mut bytes = vec![1, 0x03, 0x03, 0x3b];
            bytes.extend_from_slice(&0x2000u32.to_le_bytes());
            bytes.extend_from_slice(&1u32.to_le_bytes());
            bytes.extend_from_slice(&0u32.to_le_bytes());
            bytes.extend_from_slice(&at.to_le_bytes());
            (0x1000..0x1000 + bytes.len() as u64, Rc::from(bytes))
        };
        assert!(end(&frames, Some(&index(0x1010))), "the second entry, 16 bytes on");
        assert!(!end(&frames, Some(&index(0x1014))), "within it");
    }

    /// A table of one common entry with so many instructions that do nothing, and so many entries with as many each.
    fn long(common: usize, own: usize, entries: usize) -> Part {
        let mut bytes = Vec::new();
        let mut entry = |head: &[u8], nothing: usize| {
            bytes.extend_from_slice(&((head.len() + nothing) as u32).to_le_bytes());
            bytes.extend_from_slice(head);
            bytes.resize(bytes.len() + nothing, 0);
            bytes.len()
        };
        let mut at = entry(&[0, 0, 0, 0, 1, 0, 1, 0x78, 16], common);
        for _ in 0..entries {
            // How far back the common entry is from the second word.
            let mut head = ((at + 4) as u32).to_le_bytes().to_vec();
            head.extend_from_slice(&0x1000u64.to_le_bytes());
            head.extend_from_slice(&0x100u64.to_le_bytes());
            at = entry(&head, own);
        }
        bytes.extend_from_slice(&[0; 4]);
        (0x2000..0x2000 + bytes.len() as u64, bytes.into())
    }

    #[test]
    fn what_is_common_is_walked_once() {
        let begun = std::time::Instant::now();
        // 400 million steps, if each had the common ones for itself.
        assert!(end(&long(4000, 0, 100_000), None));
        assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
    }

    #[test]
    fn entries_that_no_compiler_writes_are_not_followed() {
        for (common, own, expected) in
            [(4087, 0, true), (4088, 0, false), (0, (1 << 18) - 20, true), (0, (1 << 18) - 19, false)]
        {
            assert_eq!(end(&long(common, own, 2), None), expected, "{common} {own}");
        }
    }

    #[test]
    fn this_programs_tables_are_honest() {
        let file = std::fs::File::open("/proc/self/exe").expect("the test itself");
        let elf =
            super::super::elf::Elf::open(super::super::image::Image::File(file.into())).expect("an ELF file");
        let part = |name: &[u8]| {
            let section = elf.section(name).expect("it has tables");
            (
                section.addr..section.addr + section.size,
                Rc::from(elf.data(section, u64::MAX).expect("it is there")),
            )
        };
        assert!(end(&part(b".eh_frame"), Some(&part(b".eh_frame_hdr"))));
    }
}
