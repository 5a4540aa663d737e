//! Functions that a compiler put into others (`-x inlined`): an object's DWARF in, the names of the functions whose code is at
//! an address out. Read when first asked for; of an object whose tables are larger than what is spent on them, or nest or repeat
//! what no compiler writes so, nothing: whoever makes the object must not decide what its tracer spends.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use addr2line::Context;
use gimli::{AttributeSpecification, Dwarf, EndianSlice, LittleEndian, SectionId};

use super::elf::Elf;

/// The sections of an object, by name.
type Sections = HashMap<&'static str, Vec<u8>>;
type Lookup<'s> = Option<Context<EndianSlice<'s, LittleEndian>>>;

self_cell::self_cell!(
    /// Sections, and the way to look into them.
    struct Tables {
        owner: Sections,
        #[not_covariant]
        dependent: Lookup,
    }
);

/// What an object says of inlined functions.
pub(super) struct Inlined {
    tables: Tables,
    /// Answers, which mostly repeat.
    answers: RefCell<HashMap<u64, Rc<[Rc<str>]>>>,
}

/// Most bytes that are read of an object's tables.
const MOST: u64 = 512 << 20;
/// Answers that are remembered.
const MOST_ANSWERS: usize = 1 << 16;
/// The deepest nest of inlined functions that is shown.
const DEEPEST: usize = 64;
/// The deepest nest of entries in an object that is looked into: functions are read by recursion.
const MOST_DEPTH: isize = 500;
/// The most ranges of addresses that an object's entries have together: each takes memory.
const MOST_RANGES: usize = 4 << 20;
/// Bytes of a name that are shown.
const LONGEST: usize = 4096;

impl std::fmt::Debug for Inlined {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inlined").finish_non_exhaustive()
    }
}

impl Inlined {
    /// Reads the tables of the first of these objects that has them.
    pub(super) fn read(objects: &[&Elf]) -> Option<Inlined> {
        let elf = objects.iter().find(|elf| elf.section(b".debug_info").is_some())?;
        let (mut left, sections) = (MOST, std::cell::RefCell::new(Sections::new()));
        let mut load = |section: SectionId| {
            let bytes = elf.debug_data(section.name().as_bytes(), left).unwrap_or_default();
            left -= (bytes.len() as u64).min(left);
            sections.borrow_mut().insert(section.name(), bytes);
            Ok::<_, gimli::Error>(EndianSlice::new(&[], LittleEndian))
        };
        // The first pass tells which sections there may be.
        Dwarf::load(&mut load).ok()?;
        let tables = Tables::new(sections.into_inner(), |sections| {
            let section = |section: SectionId| {
                let bytes = sections.get(section.name()).map_or(&[][..], Vec::as_slice);
                Ok::<_, gimli::Error>(EndianSlice::new(bytes, LittleEndian))
            };
            let dwarf = Dwarf::load(section).ok()?;
            if !is_reasonable(&dwarf).unwrap_or(false) {
                return None;
            }
            Context::from_dwarf(dwarf).ok()
        });
        Some(Inlined { tables, answers: RefCell::default() })
    }

    /// Bytes that they take in memory, about: the tables, and what is made of them to look into them.
    pub(super) fn bytes(&self) -> usize {
        2 * self.tables.borrow_owner().values().map(Vec::len).sum::<usize>()
    }

    /// The functions at an address of the object's own layout, innermost first, without the one that they were put into.
    pub(super) fn at(&self, addr: u64) -> Rc<[Rc<str>]> {
        if let Some(answer) = self.answers.borrow().get(&addr) {
            return answer.clone();
        }
        let mut names: Vec<Rc<str>> = Vec::new();
        self.tables.with_dependent(|_, context| {
            let Some(context) = context else { return };
            let Ok(mut frames) = context.find_frames(addr).skip_all_loads() else { return };
            while let Ok(Some(frame)) = frames.next() {
                let name = frame.function.and_then(|function| {
                    let name = function.raw_name().ok()?;
                    Some(Rc::from(name.get(..name.floor_char_boundary(LONGEST))?))
                });
                names.push(name.unwrap_or_else(|| Rc::from("?")));
                if names.len() > DEEPEST {
                    break;
                }
            }
        });
        // The last one has a symbol.
        names.pop();
        let names: Rc<[Rc<str>]> = names.into();
        let mut answers = self.answers.borrow_mut();
        if answers.len() >= MOST_ANSWERS {
            answers.clear();
        }
        answers.insert(addr, names.clone());
        names
    }
}

/// Whether all entries of an object can be read without much of the stack, and their ranges without much memory.
fn is_reasonable(dwarf: &Dwarf<EndianSlice<'_, LittleEndian>>) -> gimli::Result<bool> {
    let mut ranges_left = MOST_RANGES;
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        let unit = dwarf.unit(header)?;
        let mut entries = unit.entries_raw(None)?;
        while !entries.is_empty() {
            if entries.next_depth() > MOST_DEPTH {
                return Ok(false);
            }
            let Some(abbreviation) = entries.read_abbreviation()? else { continue };
            let of_ranges = |spec: &AttributeSpecification| spec.name() == gimli::DW_AT_ranges;
            if !abbreviation.attributes().iter().any(of_ranges) {
                entries.skip_attributes(abbreviation.attributes())?;
                continue;
            }
            for spec in abbreviation.attributes() {
                let value = entries.read_attribute(*spec)?.value();
                let ranges = if of_ranges(spec) { dwarf.attr_ranges(&unit, value)? } else { None };
                let Some(mut ranges) = ranges else { continue };
                while ranges.next()?.is_some() {
                    let Some(left) = ranges_left.checked_sub(1) else { return Ok(false) };
                    ranges_left = left;
                }
            }
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use gimli::{Dwarf, EndianSlice, LittleEndian, SectionId};

    use super::{MOST_DEPTH, MOST_RANGES, is_reasonable};

    /// Abbreviations: 1 a unit with children, 2 an inlined function with children, 3 one without and with ranges.
    const ABBREVIATIONS: &[u8] = &[1, 0x11, 1, 0, 0, 2, 0x1d, 1, 0, 0, 3, 0x1d, 0, 0x55, 0x17, 0, 0, 0];

    /// Judges one unit of version 4 with these entries in it, and a list of so many ranges.
    fn judged(entries: &[u8], ranges: usize) -> gimli::Result<bool> {
        let mut unit = vec![4, 0, 0, 0, 0, 0, 8, 1];
        unit.extend(entries);
        unit.push(0);
        let mut info = (unit.len() as u32).to_le_bytes().to_vec();
        info.extend(unit);
        let mut list = [1u64, 2].map(u64::to_le_bytes).concat().repeat(ranges);
        list.extend([0; 16]);
        let dwarf = Dwarf::load(|section| {
            let bytes = match section {
                SectionId::DebugInfo => info.as_slice(),
                SectionId::DebugAbbrev => ABBREVIATIONS,
                SectionId::DebugRanges => list.as_slice(),
                _ => &[],
            };
            Ok::<_, gimli::Error>(EndianSlice::new(bytes, LittleEndian))
        });
        is_reasonable(&dwarf?)
    }

    #[test]
    fn entries_that_nest_too_deep_are_not_looked_into() {
        let nest = |depth: usize| [vec![2; depth], vec![0; depth]].concat();
        assert_eq!(judged(&nest(3), 0), Ok(true));
        assert_eq!(judged(&nest(MOST_DEPTH as usize - 1), 0), Ok(true), "the unit is one more");
        assert_eq!(judged(&nest(MOST_DEPTH as usize), 0), Ok(false));
        assert_eq!(judged(&nest(1 << 20), 0), Ok(false));
    }

    #[test]
    fn entries_that_share_too_many_ranges_are_not_looked_into() {
        let sharing = |count: usize| [3, 0, 0, 0, 0].repeat(count);
        assert_eq!(judged(&sharing(4), 1000), Ok(true));
        assert_eq!(judged(&sharing(MOST_RANGES / 1000), 1000), Ok(true));
        assert_eq!(judged(&sharing(MOST_RANGES / 1000 + 1), 1000), Ok(false));
    }

    #[test]
    fn entries_that_cannot_be_read_are_an_error() {
        assert!(judged(&[9], 0).is_err(), "an abbreviation that is not there");
        assert!(judged(&[3, 0, 0], 0).is_err(), "an entry that is cut off");
    }
}
