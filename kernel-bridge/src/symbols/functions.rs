//! The functions of an object by address: symbol tables in, for each address the best name of what covers it out.
//!
//! Names stay where they are, in the object's own tables of strings: those that are large are not kept in memory but read
//! again when a name is asked for.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};
use std::rc::Rc;

use super::debug::Separate;
use super::elf::{self, DYNSYM, Elf, SYMTAB, Segment};
use super::image::Image;

/// The functions of an object, by their addresses in its own layout.
#[derive(Debug, Default)]
pub(super) struct Functions {
    symbols: Vec<Function>,
    /// Which symbol counts from an address on; in order of address.
    spans: Vec<Span>,
    strings: Vec<Strings>,
    segments: Vec<Segment>,
}

/// A symbol that is the best one somewhere.
#[derive(Clone, Copy, Debug)]
struct Function {
    start: u64,
    stub: bool,
    table: u8,
    name: u32,
}

#[derive(Clone, Copy, Debug)]
struct Span {
    start: u64,
    /// Index of the symbol; none beyond the last.
    symbol: u32,
}

/// An entry of a symbol table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) start: u64,
    /// Where it ends, or where its section does if it has no size.
    pub(super) end: u64,
    pub(super) sized: bool,
    /// 2 global, 1 weak, 0 local.
    pub(super) binding: u8,
    /// Of no type: a label of an assembler's text may be no function.
    pub(super) plain: bool,
    /// A stub through which the function of this name is called, which another object has.
    pub(super) stub: bool,
    /// Number of its table of strings.
    pub(super) table: u8,
    /// Where its name begins there.
    pub(super) name: u32,
}

/// A table of strings.
#[derive(Debug)]
enum Strings {
    Here(Vec<u8>),
    There { image: Image, offset: u64, size: u64 },
}

/// The longest table of strings that is kept in memory.
const MOST_STRINGS: u64 = 16 << 20;
/// Longest name that is kept whole; C++ has long ones.
const LONGEST: usize = 4096;
/// So many bytes of names of one length are compared.
const COMPARED: usize = 256;
/// So many symbols that cover one place are compared.
const MOST_COVERING: usize = 4096;
/// What a stub's name has behind that of its function.
const STUB: &[u8] = b"@plt";

impl Strings {
    fn of(elf: &Elf, section: elf::Section) -> Strings {
        let there = Strings::There { image: elf.image.clone(), offset: section.offset, size: section.size };
        match section.size <= MOST_STRINGS {
            true => elf.data(section, MOST_STRINGS).map_or(there, Strings::Here),
            false => there,
        }
    }

    /// Calls with the name at an offset, or so many bytes that it begins with. It may go on for the whole table, and be asked
    /// for by every symbol.
    fn with<T>(&self, at: u32, longest: usize, then: impl FnOnce(&[u8]) -> T) -> T {
        match self {
            Strings::Here(bytes) => {
                let rest = bytes.get(at as usize..).unwrap_or_default();
                then(elf::text_at(&rest[..rest.len().min(longest)], 0))
            }
            Strings::There { image, offset, size } => {
                let left = size.saturating_sub(u64::from(at));
                // Most names are short.
                for most in [COMPARED as u64, longest as u64] {
                    let Some(bytes) =
                        offset.checked_add(u64::from(at)).and_then(|from| image.read(from, left.min(most)))
                    else {
                        break;
                    };
                    let name = elf::text_at(&bytes, 0);
                    if name.len() < bytes.len() || most == longest as u64 || left <= most {
                        return then(name);
                    }
                }
                then(&[])
            }
        }
    }
}

/// A symbol among those that cover an address. The greatest is taken (runtime spec §6.2).
struct Candidate<'s> {
    named: Named,
    index: u32,
    strings: &'s [Strings],
    looks: OnceCell<Looks>,
}

/// What of a name decides before its bytes do; found once, since many may be compared with it.
#[derive(Clone, Copy)]
struct Looks {
    underscores: usize,
    length: usize,
}

impl Candidate<'_> {
    fn name<T>(&self, then: impl FnOnce(&[u8]) -> T) -> T {
        name_of(self.strings, self.named.table, self.named.name, then)
    }

    /// The first bytes of the name, which are compared.
    fn beginning<T>(&self, then: impl FnOnce(&[u8]) -> T) -> T {
        match self.strings.get(usize::from(self.named.table)) {
            Some(strings) => strings.with(self.named.name, COMPARED, then),
            None => then(&[]),
        }
    }

    /// What the name has behind that in the table of strings.
    fn suffix(&self) -> &'static [u8] {
        if self.named.stub { STUB } else { &[] }
    }

    fn looks(&self) -> Looks {
        *self.looks.get_or_init(|| {
            self.name(|name| Looks {
                underscores: name.iter().take_while(|&&byte| byte == b'_').count(),
                length: name.len() + self.suffix().len(),
            })
        })
    }

    /// Compares the first bytes of two names.
    fn compare_names(&self, other: &Self) -> Ordering {
        let place = |it: &Self| (it.named.table, it.named.name, it.named.stub);
        if place(self) == place(other) {
            return Ordering::Equal;
        }
        self.beginning(|a| {
            other.beginning(|b| {
                let (a, b) = (a.iter().chain(self.suffix()), b.iter().chain(other.suffix()));
                a.take(COMPARED).cmp(b.take(COMPARED))
            })
        })
    }
}

impl Ord for Candidate<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b) = (&self.named, &other.named);
        // Names are read only where the binding does not decide.
        let names = || {
            let (x, y) = (self.looks(), other.looks());
            y.underscores
                .cmp(&x.underscores)
                .then(a.sized.cmp(&b.sized))
                .then(y.length.cmp(&x.length))
                .then_with(|| other.compare_names(self))
        };
        a.binding.cmp(&b.binding).then_with(names).then(b.start.cmp(&a.start))
    }
}

impl PartialOrd for Candidate<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate<'_> {}

fn name_of<T>(strings: &[Strings], table: u8, at: u32, then: impl FnOnce(&[u8]) -> T) -> T {
    match strings.get(usize::from(table)) {
        Some(strings) => strings.with(at, LONGEST, then),
        None => then(&[]),
    }
}

/// The address of a global function and the object's entry, both in its own layout.
pub(super) fn address(elf: &Elf, name: &[u8], separate: Separate<'_>) -> Option<(u64, u64)> {
    let (found, strings) = named(elf, separate);
    let is = |symbol: &&Named| !symbol.stub && name_of(&strings, symbol.table, symbol.name, |of| of == name);
    let function = found.iter().filter(is).max_by_key(|symbol| symbol.binding)?;
    Some((function.start, elf.entry))
}

/// The symbols of an object with those of its debug file, and the tables of their names.
fn named(elf: &Elf, separate: Separate<'_>) -> (Vec<Named>, Vec<Strings>) {
    let (mut found, mut strings) = (Vec::new(), Vec::new());
    let mut add = |elf: &Elf, kind| {
        let Some(table) = elf.table(kind, strings.len() as u8) else { return false };
        found.extend(table.symbols);
        strings.push(Strings::of(elf, table.strings));
        true
    };
    let first = add(elf, DYNSYM);
    if !add(elf, SYMTAB)
        && let Some(debug) = separate(elf)
    {
        add(&debug, SYMTAB);
    }
    if first {
        found.extend(elf.stubs(0));
    }
    (found, strings)
}

impl Functions {
    /// Reads an object's functions. `separate` opens its debug file.
    pub(super) fn read(elf: &Elf, separate: Separate<'_>) -> Functions {
        let (found, strings) = named(elf, separate);
        Functions::new(found, strings, elf.segments.clone())
    }

    fn new(mut found: Vec<Named>, strings: Vec<Strings>, segments: Vec<Segment>) -> Functions {
        // Labels of the assembler and marks of code and data are no functions.
        found.retain(|symbol| {
            !symbol.plain
                || name_of(&strings, symbol.table, symbol.name, |name| {
                    !name.is_empty() && !name.starts_with(b"$") && !name.starts_with(b".L")
                })
        });
        found.sort_by_key(|symbol| symbol.start);
        // What has no size ends where another symbol begins.
        let mut next = u64::MAX;
        for i in (0..found.len()).rev() {
            if !found[i].sized {
                found[i].end = found[i].end.min(next);
            }
            if i > 0 && found[i - 1].start != found[i].start {
                next = found[i].start;
            }
        }
        let mut functions = Functions { strings, segments, ..Functions::default() };
        functions.sweep(&found);
        functions
    }

    /// Finds the best symbol of each stretch between two places where one begins or ends.
    fn sweep(&mut self, found: &[Named]) {
        let mut covering: BinaryHeap<Candidate<'_>> = BinaryHeap::new();
        // Where symbols that cover the place end, and how many do there.
        let (mut ends, mut live) = (BTreeMap::<u64, usize>::new(), 0);
        let (mut spans, mut symbols, mut known) = (Vec::<Span>::new(), Vec::new(), vec![NONE; found.len()]);
        let mut next = 0;
        loop {
            let place = match (found.get(next), ends.first_key_value()) {
                (Some(symbol), Some((&end, _))) => symbol.start.min(end),
                (Some(symbol), None) => symbol.start,
                (None, Some((&end, _))) => end,
                (None, None) => break,
            };
            live -= ends.remove(&place).unwrap_or(0);
            while let Some(&named) = found.get(next).filter(|symbol| symbol.start == place) {
                // Beyond so many that cover one place an object is none that a compiler made.
                if named.end > place && live < MOST_COVERING {
                    live += 1;
                    *ends.entry(named.end).or_default() += 1;
                    let strings = &self.strings;
                    covering.push(Candidate { named, index: next as u32, strings, looks: OnceCell::new() });
                }
                next += 1;
            }
            while covering.peek().is_some_and(|best| best.named.end <= place) {
                covering.pop();
            }
            let symbol = covering.peek().map_or(NONE, |best| {
                let number = &mut known[best.index as usize];
                if *number == NONE {
                    *number = symbols.len() as u32;
                    let Named { start, stub, table, name, .. } = best.named;
                    symbols.push(Function { start, stub, table, name });
                }
                *number
            });
            if spans.last().map_or(NONE, |last| last.symbol) != symbol {
                spans.push(Span { start: place, symbol });
            }
        }
        spans.shrink_to_fit();
        (self.spans, self.symbols) = (spans, symbols);
    }

    /// The address in the object's own layout of what is at an offset of it.
    pub(super) fn address_at(&self, offset: u64) -> Option<u64> {
        let inside =
            |segment: &&Segment| offset.checked_sub(segment.offset).is_some_and(|at| at < segment.size);
        let segment = self.segments.iter().find(inside)?;
        (offset - segment.offset).checked_add(segment.addr)
    }

    /// The function at an offset of the object: its name, and how far behind its start the offset is.
    pub(super) fn at_offset(&self, offset: u64) -> Option<(Rc<str>, u64)> {
        let addr = self.address_at(offset)?;
        let after = self.spans.partition_point(|span| span.start <= addr);
        let span = self.spans.get(after.checked_sub(1)?)?;
        let symbol = self.symbols.get(span.symbol as usize)?;
        let name = name_of(&self.strings, symbol.table, symbol.name, |name| {
            let shown = || match symbol.stub {
                true => String::from_utf8_lossy(&[name, STUB].concat()).into(),
                false => String::from_utf8_lossy(name).into(),
            };
            (!name.is_empty()).then(shown)
        })?;
        Some((name, addr - symbol.start))
    }

    /// Bytes that they take in memory, about.
    pub(super) fn bytes(&self) -> usize {
        let strings = self.strings.iter().map(|strings| match strings {
            Strings::Here(bytes) => bytes.len(),
            Strings::There { .. } => 0,
        });
        size_of_val(&*self.symbols)
            + size_of_val(&*self.spans)
            + size_of_val(&*self.segments)
            + strings.sum::<usize>()
    }

    /// How many functions there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.symbols.len()
    }
}

/// No symbol.
const NONE: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    /// Symbols by start, size, binding and name, as lines `OFFSET NAME+BY`.
    fn functions(symbols: &[(u64, u64, u8, &str)]) -> Functions {
        let mut names = vec![0];
        let named = symbols.iter().map(|&(start, size, binding, name)| {
            let at = names.len() as u32;
            names.extend_from_slice(name.as_bytes());
            names.push(0);
            let end = if size == 0 { 0x40_2000 } else { start + size };
            Named { start, end, sized: size != 0, binding, plain: false, stub: false, table: 0, name: at }
        });
        let named = named.collect();
        let segments = vec![Segment { offset: 0x1000, size: 0x1000, addr: 0x40_1000 }];
        Functions::new(named, vec![Strings::Here(names)], segments)
    }

    fn show(functions: &Functions, offset: u64) -> Option<String> {
        functions.at_offset(offset).map(|(name, by)| format!("{name}+{by:#x}"))
    }

    #[test]
    fn the_best_name_of_what_covers() {
        let functions = functions(&[
            (0x40_1000, 0x100, 0, "outer"),
            (0x40_1010, 0x10, 2, "inner"),
            (0x40_1040, 0x10, 0, "longer_inner"),
            (0x40_1100, 0x100, 2, "whole"),
            (0x40_1110, 0, 0, "label"),
            (0x40_1200, 0, 0, "_start"),
            (0x40_1300, 0x10, 1, "weak"),
            (0x40_1300, 0x10, 2, "__strong"),
            (0x40_1300, 0x10, 2, "strong"),
            (0x40_1300, 0x10, 2, "strength"),
            (0x40_1300, 0x20, 0, "s"),
            (0x40_1400, 0x10, 2, "bb"),
            (0x40_1400, 0, 2, "a"),
            (0x40_1400, 0x10, 2, "ba"),
            (0x40_1500, 0, 2, "last"),
        ]);
        for (offset, expected) in [
            (0x1000, Some("outer+0x0")),
            (0x1010, Some("inner+0x0")),
            (0x1020, Some("outer+0x20")),
            (0x1044, Some("outer+0x44")),
            (0x1104, Some("whole+0x4")),
            (0x1110, Some("whole+0x10")),
            (0x1250, Some("_start+0x50")),
            (0x12ff, Some("_start+0xff")),
            (0x1305, Some("strong+0x5")),
            (0x1310, Some("s+0x10")),
            (0x1320, None),
            (0x1404, Some("ba+0x4")),
            (0x1410, Some("a+0x10")),
            (0x1ff0, Some("last+0xaf0")),
            (0x2000, None),
            (0x10, None),
        ] {
            assert_eq!(show(&functions, offset).as_deref(), expected, "{offset:#x}");
        }
    }

    #[test]
    fn this_program_has_functions() {
        let file = std::fs::File::open("/proc/self/exe").expect("the test itself");
        let elf = Elf::open(Image::File(file.into())).expect("it is an ELF file");
        assert!(Functions::read(&elf, &|_| None).len() > 100);
        let text = std::fs::File::open("/proc/self/maps").expect("always");
        assert!(Elf::open(Image::File(text.into())).is_none());
    }

    #[test]
    fn the_kernels_code_in_each_process_has_functions() {
        if cfg!(not(target_arch = "x86_64")) {
            return;
        }
        let Some(image) = super::super::image::vdso() else { return println!("skipped: no vdso is mapped") };
        let functions = Functions::read(&Elf::open(image).expect("it is an object"), &|_| None);
        let names: Vec<Rc<str>> = functions
            .symbols
            .iter()
            .filter_map(|f| functions.at_offset(f.start))
            .map(|(name, _)| name)
            .collect();
        assert!(names.iter().any(|name| &**name == "__vdso_clock_gettime"), "{names:?}");
        assert!(!names.iter().any(|name| &**name == "clock_gettime"), "the weak alias loses");
    }

    #[test]
    fn names_that_are_not_in_memory_are_read() {
        let long = "n".repeat(1000);
        let bytes = [b"\0short\0", long.as_bytes(), b"\0end"].concat();
        let size = bytes.len() as u64;
        let there = Strings::There { image: Image::Bytes(bytes.clone().into()), offset: 0, size };
        let here = Strings::Here(bytes);
        for (at, expected) in [(0, ""), (1, "short"), (7, &long), (1008, "end"), (5000, "")] {
            for strings in [&here, &there] {
                let text =
                    |longest| strings.with(at, longest, |name| String::from_utf8_lossy(name).into_owned());
                assert_eq!(text(LONGEST), expected, "{at}");
                assert_eq!(text(COMPARED), expected[..expected.len().min(COMPARED)], "{at}");
            }
        }
    }

    /// Many that end before the next begins are no many that cover one place.
    #[test]
    fn symbols_that_cover_one_place_are_compared_up_to_a_bound() {
        let name = |i: usize| format!("function{i:05}");
        let names: Vec<String> = (0..2 * MOST_COVERING).map(name).collect();
        let mut symbols: Vec<(u64, u64, u8, &str)> = vec![(0x40_0000, 0x2000, 0, "all")];
        symbols
            .extend(names.iter().zip(0x40_0000..).map(|(name, start)| (start / 8 * 8, 8, 0, name.as_str())));
        symbols.push((0x40_1ff8, 8, 2, "last"));
        symbols.sort_by_key(|symbol| symbol.0);
        let found = functions(&symbols);
        assert_eq!(found.at_offset(0x1000).map(|(name, _)| name), Some("all".into()), "the shortest");
        assert_eq!(found.at_offset(0x1ff9), Some(("last".into(), 1)), "a global one");
        let mut crowd: Vec<(u64, u64, u8, &str)> =
            names.iter().map(|name| (0x40_1000, 0x100, 0, name.as_str())).collect();
        crowd.push((0x40_1200, 8, 0, "behind"));
        let found = functions(&crowd);
        assert!(found.at_offset(0x1010).is_some());
        assert_eq!(found.at_offset(0x1204), Some(("behind".into(), 4)));
    }
}
