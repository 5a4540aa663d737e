//! Symbols of an ELF file: a file in, a table of its functions out, with those of its separate debug file if it has one.
//! Reads the parts it needs and no more. Any bytes may come; what is not an ELF file of this machine's kind gives nothing.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::rc::Rc;

use super::unwind::Tables;

/// The functions of a file, by their addresses in the file's own layout.
#[derive(Debug, Default)]
pub(super) struct Functions {
    /// In order of address, then the best name first.
    symbols: Vec<Function>,
    names: Vec<u8>,
    segments: Vec<Segment>,
}

#[derive(Clone, Copy, Debug)]
struct Function {
    start: u64,
    /// 0: up to the next one.
    size: u64,
    name: u32,
    name_len: u32,
}

/// A part of the file that is loaded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    /// Where it begins in the file.
    pub(super) offset: u64,
    /// Bytes in the file.
    pub(super) size: u64,
    /// Its address in the file's own layout.
    pub(super) addr: u64,
}

/// Most bytes of one table of a file: what is larger is damaged, or nothing that names of functions are in.
const MOST: u64 = 1 << 30;
/// Longest name that is kept whole; C++ has long ones.
const LONGEST: usize = 4096;

const FUNC: u8 = 2;
const NOTYPE: u8 = 0;
const IFUNC: u8 = 10;

const SYMTAB: u32 = 2;
const NOTE: u32 = 7;
const DYNSYM: u32 = 11;
const PROGBITS: u32 = 1;

/// A file and its section headers.
struct Elf<'f> {
    file: &'f File,
    sections: Vec<Section>,
    segments: Vec<Segment>,
    names: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Section {
    name: u32,
    kind: u32,
    addr: u64,
    offset: u64,
    size: u64,
    link: u32,
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

impl<'f> Elf<'f> {
    fn open(file: &'f File) -> Option<Elf<'f>> {
        let mut header = [0; 64];
        file.read_exact_at(&mut header, 0).ok()?;
        // 64 bits, little endian.
        if !header.starts_with(b"\x7fELF\x02\x01") {
            return None;
        }
        let table = |at: Option<u64>, entry: Option<u16>, count: Option<u16>, least: u16| {
            let (at, entry, count) = (at?, entry.filter(|&size| size >= least)?, count?);
            Some((read(file, at, u64::from(entry) * u64::from(count))?, usize::from(entry)))
        };
        let mut elf = Elf { file, sections: Vec::new(), segments: Vec::new(), names: Vec::new() };
        if let Some((bytes, entry)) = table(u64_at(&header, 32), u16_at(&header, 54), u16_at(&header, 56), 56)
        {
            for segment in bytes.chunks_exact(entry).filter(|s| u32_at(s, 0) == Some(1)) {
                elf.segments.push(Segment {
                    offset: u64_at(segment, 8)?,
                    addr: u64_at(segment, 16)?,
                    size: u64_at(segment, 32)?,
                });
            }
        }
        if let Some((bytes, entry)) = table(u64_at(&header, 40), u16_at(&header, 58), u16_at(&header, 60), 64)
        {
            for section in bytes.chunks_exact(entry) {
                elf.sections.push(Section {
                    name: u32_at(section, 0)?,
                    kind: u32_at(section, 4)?,
                    addr: u64_at(section, 16)?,
                    offset: u64_at(section, 24)?,
                    size: u64_at(section, 32)?,
                    link: u32_at(section, 40)?,
                });
            }
        }
        let names = u16_at(&header, 62).and_then(|index| elf.sections.get(usize::from(index)).copied());
        elf.names = names.and_then(|section| elf.data(section)).unwrap_or_default();
        Some(elf)
    }

    fn data(&self, section: Section) -> Option<Vec<u8>> {
        read(self.file, section.offset, section.size)
    }

    fn section(&self, name: &[u8], kind: u32) -> Option<Section> {
        let is = |section: &&Section| section.kind == kind && text_at(&self.names, section.name) == name;
        self.sections.iter().find(is).copied()
    }

    /// Adds the functions of a symbol table.
    fn functions(&self, kind: u32, into: &mut Vec<Named>) -> Option<()> {
        let section = self.sections.iter().find(|section| section.kind == kind)?;
        let symbols = self.data(*section)?;
        let strings = self.data(*self.sections.get(section.link as usize)?)?;
        for symbol in symbols.chunks_exact(24) {
            let (info, index) = (symbol[4], u16_at(symbol, 6)?);
            let kind = info & 15;
            let start = u64_at(symbol, 8)?;
            let name = text_at(&strings, u32_at(symbol, 0)?);
            if index == 0 || start == 0 || name.is_empty() || !matches!(kind, FUNC | IFUNC | NOTYPE) {
                continue;
            }
            // Labels of the assembler and marks of code and data are no functions.
            if kind == NOTYPE && (name.starts_with(b"$") || name.starts_with(b".L")) {
                continue;
            }
            let binding = match info >> 4 {
                1 => 2,
                2 => 1,
                _ => 0,
            };
            let name = name[..name.len().min(LONGEST)].to_vec();
            into.push(Named { start, size: u64_at(symbol, 16)?, binding, name });
        }
        Some(())
    }

    /// The build ID, in hexadecimal.
    fn build_id(&self) -> Option<String> {
        let note = self.data(self.section(b".note.gnu.build-id", NOTE)?)?;
        let (name, size) = (u32_at(&note, 0)? as usize, u32_at(&note, 4)? as usize);
        let id = note.get(12 + name.next_multiple_of(4)..)?.get(..size)?;
        Some(id.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// The file name of `.gnu_debuglink`.
    fn debug_link(&self) -> Option<String> {
        let data = self.data(self.section(b".gnu_debuglink", PROGBITS)?)?;
        let name = text_at(&data, 0);
        let plain = !name.is_empty() && !name.contains(&b'/');
        plain.then(|| String::from_utf8_lossy(name).into_owned())
    }
}

/// The parts of a file that unwinding reads.
pub(super) fn tables(file: &File) -> Option<Tables> {
    /// What x86-64 has for the kind of `.eh_frame`, besides the ordinary one.
    const UNWIND: u32 = 0x7000_0001;
    let elf = Elf::open(file)?;
    let part = |name: &[u8]| {
        let section = elf.section(name, PROGBITS).or_else(|| elf.section(name, UNWIND))?;
        Some((section.addr..section.addr.checked_add(section.size)?, elf.data(section)?.into()))
    };
    Some(Tables {
        text: part(b".text"),
        eh_frame: part(b".eh_frame"),
        eh_frame_hdr: part(b".eh_frame_hdr"),
        segments: elf.segments.clone(),
    })
}

/// A function before names are packed.
struct Named {
    start: u64,
    size: u64,
    binding: u8,
    name: Vec<u8>,
}

impl Named {
    /// The greatest is taken among those that begin at one address (runtime spec §6.2).
    fn rank(&self) -> (u8, i32, bool, i32) {
        let underscores = self.name.iter().take_while(|&&byte| byte == b'_').count();
        (self.binding, -(underscores as i32), self.size != 0, -(self.name.len() as i32))
    }
}

fn read(file: &File, offset: u64, size: u64) -> Option<Vec<u8>> {
    // A size that the file does not have is not allocated.
    let length = file.metadata().ok()?.len();
    if size > MOST || offset.checked_add(size)? > length {
        return None;
    }
    let mut bytes = vec![0; size as usize];
    file.read_exact_at(&mut bytes, offset).ok()?;
    Some(bytes)
}

/// The text at an offset up to its NUL.
fn text_at(bytes: &[u8], at: u32) -> &[u8] {
    let rest = bytes.get(at as usize..).unwrap_or_default();
    &rest[..rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len())]
}

/// The address of a global function and the file's entry, both in the file's own layout.
pub(super) fn address(
    file: &File,
    name: &[u8],
    separate: &dyn Fn(Separate<'_>) -> Option<File>,
) -> Option<(u64, u64)> {
    let mut header = [0; 64];
    file.read_exact_at(&mut header, 0).ok()?;
    let found = named(&Elf::open(file)?, separate);
    let function =
        found.iter().filter(|function| function.name == name).max_by_key(|function| function.binding)?;
    Some((function.start, u64_at(&header, 24)?))
}

/// The functions of a file with those of its debug file.
fn named(elf: &Elf<'_>, separate: &dyn Fn(Separate<'_>) -> Option<File>) -> Vec<Named> {
    let mut found = Vec::new();
    elf.functions(DYNSYM, &mut found);
    if elf.functions(SYMTAB, &mut found).is_none() {
        let debug = elf
            .build_id()
            .and_then(|id| separate(Separate::BuildId(&id)))
            .or_else(|| elf.debug_link().and_then(|name| separate(Separate::Link(&name))));
        if let Some(debug) = &debug
            && let Some(debug) = Elf::open(debug)
        {
            debug.functions(SYMTAB, &mut found);
        }
    }
    found
}

impl Functions {
    /// Reads a file's functions. `separate` opens a debug file: by the build ID's path under `/usr/lib/debug`, or by the
    /// name that the file gives.
    pub(super) fn read(file: &File, separate: &dyn Fn(Separate<'_>) -> Option<File>) -> Option<Functions> {
        let elf = Elf::open(file)?;
        let found = named(&elf, separate);
        Some(Functions::new(found, elf.segments))
    }

    fn new(mut found: Vec<Named>, segments: Vec<Segment>) -> Functions {
        found.sort_by(|a, b| {
            a.start.cmp(&b.start).then_with(|| b.rank().cmp(&a.rank())).then_with(|| a.name.cmp(&b.name))
        });
        found.dedup_by_key(|function| function.start);
        let mut functions = Functions { segments, ..Functions::default() };
        for function in found {
            functions.symbols.push(Function {
                start: function.start,
                size: function.size,
                name: functions.names.len() as u32,
                name_len: function.name.len() as u32,
            });
            functions.names.extend_from_slice(&function.name);
        }
        functions
    }

    /// The function at an offset of the file: its name, and how far behind its start the offset is.
    pub(super) fn at_offset(&self, offset: u64) -> Option<(Rc<str>, u64)> {
        let inside =
            |segment: &&Segment| offset.checked_sub(segment.offset).is_some_and(|at| at < segment.size);
        let segment = self.segments.iter().find(inside)?;
        let addr = (offset - segment.offset).checked_add(segment.addr)?;
        let after = self.symbols.partition_point(|function| function.start <= addr);
        // What covers the address is near: the next ones before it may be shorter functions within a longer one.
        for index in (after.saturating_sub(8)..after).rev() {
            let function = self.symbols[index];
            let covers = match function.size {
                0 => index + 1 == after,
                size => addr - function.start < size,
            };
            if covers {
                let name = self.names.get(function.name as usize..)?.get(..function.name_len as usize)?;
                return Some((String::from_utf8_lossy(name).into(), addr - function.start));
            }
        }
        None
    }
}

/// How a file names its debug file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Separate<'n> {
    /// By its build ID, in hexadecimal.
    BuildId(&'n str),
    /// By a file name, to be looked for near it.
    Link(&'n str),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(start: u64, size: u64, binding: u8, name: &str) -> Named {
        Named { start, size, binding, name: name.as_bytes().to_vec() }
    }

    #[test]
    fn the_best_name_of_what_covers() {
        let segments = vec![Segment { offset: 0x1000, size: 0x1000, addr: 0x40_1000 }];
        let functions = Functions::new(
            vec![
                named(0x40_1000, 0x100, 2, "outer"),
                named(0x40_1010, 0x10, 0, "inner"),
                named(0x40_1200, 0, 0, "_start"),
                named(0x40_1300, 0x10, 1, "weak"),
                named(0x40_1300, 0x10, 2, "__strong"),
                named(0x40_1300, 0x10, 2, "strong"),
                named(0x40_1300, 0x10, 0, "s"),
            ],
            segments,
        );
        let show = |offset| functions.at_offset(offset).map(|(name, by)| format!("{name}+{by:#x}"));
        for (offset, expected) in [
            (0x1000, Some("outer+0x0")),
            (0x1010, Some("inner+0x0")),
            (0x1020, Some("outer+0x20")),
            (0x1100, None),
            (0x1250, Some("_start+0x50")),
            (0x1305, Some("strong+0x5")),
            (0x1310, None),
            (0x2000, None),
            (0x10, None),
        ] {
            assert_eq!(show(offset).as_deref(), expected, "{offset:#x}");
        }
    }

    #[test]
    fn this_program_has_functions() {
        let file = File::open("/proc/self/exe").expect("the test itself");
        let functions = Functions::read(&file, &|_| None).expect("it is an ELF file");
        assert!(functions.symbols.len() > 100);
        let text = File::open("/proc/self/maps").expect("always");
        assert!(Functions::read(&text, &|_| None).is_none());
    }
}
