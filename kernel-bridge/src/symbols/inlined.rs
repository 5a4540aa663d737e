//! Functions that a compiler put into others (`-x inlined`): an object's DWARF in, the names of the functions whose code is at
//! an address out. Read when first asked for; of an object whose tables are larger than what is spent on them, nothing.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use addr2line::Context;
use gimli::{Dwarf, EndianSlice, LittleEndian, SectionId};

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
            Context::from_dwarf(Dwarf::load(section).ok()?).ok()
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
                let name = frame.function.and_then(|function| Some(Rc::from(&*function.raw_name().ok()?)));
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
