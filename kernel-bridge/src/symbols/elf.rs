//! The parts of an ELF object: bytes in, its sections, segments and symbol tables out. Reads the parts that it is asked for
//! and no more. Any bytes may come; what is not an ELF object of this machine's kind gives nothing.

use super::functions::Named;
use super::image::Image;

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

/// Most symbols of one table that are read.
const MOST_SYMBOLS: u64 = 1 << 23;
/// Most bytes of one header of a segment or section: they have 56 and 64.
const MOST_HEADER: u16 = 256;
/// Most bytes of the names of sections.
const MOST_NAMES: u64 = 1 << 24;
/// Most bytes of a note, and of the name of a debug file.
const MOST_NOTE: u64 = 1 << 12;

const FUNC: u8 = 2;
const NOTYPE: u8 = 0;
const IFUNC: u8 = 10;

/// Kinds of sections.
pub(super) const PROGBITS: u32 = 1;
pub(super) const SYMTAB: u32 = 2;
pub(super) const DYNSYM: u32 = 11;
const RELA: u32 = 4;
const NOTE: u32 = 7;
/// What x86-64 has for the kind of `.eh_frame`, besides the ordinary one.
const UNWIND: u32 = 0x7000_0001;

/// A section's bytes are compressed.
const COMPRESSED: u64 = 1 << 11;

/// An object and its section headers.
#[derive(Debug)]
pub(super) struct Elf {
    pub(super) image: Image,
    sections: Vec<Section>,
    pub(super) segments: Vec<Segment>,
    names: Vec<u8>,
    /// Where it begins to run.
    pub(super) entry: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    name: u32,
    kind: u32,
    flags: u64,
    pub(super) addr: u64,
    pub(super) offset: u64,
    pub(super) size: u64,
    link: u32,
}

/// A symbol table's entries and the section of their names.
pub(super) struct Table {
    pub(super) symbols: Vec<Named>,
    pub(super) strings: Section,
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

impl Elf {
    pub(super) fn open(image: Image) -> Option<Elf> {
        let mut header = [0; 64];
        image.fill(0, &mut header)?;
        // 64 bits, little endian.
        if !header.starts_with(b"\x7fELF\x02\x01") {
            return None;
        }
        let table = |at: Option<u64>, entry: Option<u16>, count: Option<u16>, least: u16| {
            let (at, entry, count) =
                (at?, entry.filter(|size| (least..=MOST_HEADER).contains(size))?, count?);
            Some((image.read(at, u64::from(entry) * u64::from(count))?, usize::from(entry)))
        };
        let mut segments = Vec::new();
        if let Some((bytes, entry)) = table(u64_at(&header, 32), u16_at(&header, 54), u16_at(&header, 56), 56)
        {
            for segment in bytes.chunks_exact(entry).filter(|s| u32_at(s, 0) == Some(1)) {
                segments.push(Segment {
                    offset: u64_at(segment, 8)?,
                    addr: u64_at(segment, 16)?,
                    size: u64_at(segment, 32)?,
                });
            }
        }
        let mut sections = Vec::new();
        if let Some((bytes, entry)) = table(u64_at(&header, 40), u16_at(&header, 58), u16_at(&header, 60), 64)
        {
            for section in bytes.chunks_exact(entry) {
                sections.push(Section {
                    name: u32_at(section, 0)?,
                    kind: u32_at(section, 4)?,
                    flags: u64_at(section, 8)?,
                    addr: u64_at(section, 16)?,
                    offset: u64_at(section, 24)?,
                    size: u64_at(section, 32)?,
                    link: u32_at(section, 40)?,
                });
            }
        }
        let names = u16_at(&header, 62).and_then(|index| sections.get(usize::from(index)).copied());
        let mut elf =
            Elf { image, sections, segments, names: Vec::new(), entry: u64_at(&header, 24).unwrap_or(0) };
        elf.names = names.and_then(|section| elf.data(section, MOST_NAMES)).unwrap_or_default();
        Some(elf)
    }

    /// A section's bytes, as they lie in the file, if they are at most so many.
    pub(super) fn data(&self, section: Section, most: u64) -> Option<Vec<u8>> {
        if section.size > most {
            return None;
        }
        self.image.read(section.offset, section.size)
    }

    /// Bytes that it takes in memory, about.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.sections) + size_of_val(&*self.segments) + self.names.len()
    }

    /// A section by name, if it has bytes in the file.
    pub(super) fn section(&self, name: &[u8]) -> Option<Section> {
        let is = |section: &&Section| {
            matches!(section.kind, PROGBITS | UNWIND) && text_at(&self.names, section.name) == name
        };
        self.sections.iter().find(is).copied()
    }

    /// The uncompressed bytes of a section that may be compressed, if they are at most so many.
    pub(super) fn debug_data(&self, name: &[u8], most: u64) -> Option<Vec<u8>> {
        /// `ELFCOMPRESS_ZLIB`
        const ZLIB: u32 = 1;
        let section = self.section(name)?;
        let bytes = self.data(section, most)?;
        if section.flags & COMPRESSED == 0 {
            return Some(bytes);
        }
        let size = u64_at(&bytes, 8).filter(|&size| size <= most)?;
        if u32_at(&bytes, 0)? != ZLIB {
            return None;
        }
        miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(bytes.get(24..)?, size as usize).ok()
    }

    /// The functions of a symbol table, which get this number.
    pub(super) fn table(&self, kind: u32, number: u8) -> Option<Table> {
        let section = *self.sections.iter().find(|section| section.kind == kind)?;
        let strings = *self.sections.get(section.link as usize)?;
        let mut symbols = Vec::new();
        let count = (section.size / SYMBOL).min(MOST_SYMBOLS);
        // A part at a time: the whole table may be large.
        for first in (0..count).step_by(1 << 12) {
            let part = self
                .image
                .read(section.offset.checked_add(first * SYMBOL)?, (count - first).min(1 << 12) * SYMBOL)?;
            symbols.extend(
                part.chunks_exact(SYMBOL as usize).filter_map(|symbol| self.function(symbol, number)),
            );
        }
        Some(Table { symbols, strings })
    }

    /// An entry of a symbol table, if it names code.
    fn function(&self, symbol: &[u8], table: u8) -> Option<Named> {
        let (info, index) = (*symbol.get(4)?, u16_at(symbol, 6)?);
        let (name, start, size) = (u32_at(symbol, 0)?, u64_at(symbol, 8)?, u64_at(symbol, 16)?);
        let kind = info & 15;
        if name == 0 || start == 0 || !matches!(kind, FUNC | IFUNC | NOTYPE) {
            return None;
        }
        // Not defined here, or a plain number (`SHN_ABS`): neither is in a section.
        let section = self.sections.get(usize::from(index)).filter(|_| index != 0)?;
        let binding = match info >> 4 {
            1 => 2,
            2 => 1,
            _ => 0,
        };
        // Without a size it ends with its section, if no symbol begins before.
        let end = match size {
            0 => section.addr.saturating_add(section.size).max(start),
            size => start.saturating_add(size),
        };
        Some(Named { start, end, sized: size != 0, binding, plain: kind == NOTYPE, stub: false, table, name })
    }

    /// The stubs through which functions of other objects are called, by what each jumps through. A stub has the name of
    /// its function, which is one of `.dynsym`: the number of that table is given.
    pub(super) fn stubs(&self, table: u8) -> Vec<Named> {
        self.named_stubs(table).unwrap_or_default()
    }

    fn named_stubs(&self, table: u8) -> Option<Vec<Named>> {
        /// Most bytes of a table of stubs or what belongs to them, and of all together.
        const MOST: u64 = 1 << 24;
        const MOST_TOGETHER: u64 = 4 * MOST;
        if cfg!(not(target_arch = "x86_64")) {
            return None;
        }
        let mut left = MOST_TOGETHER;
        // Sections may lie over one another, and so there may be more of them than the file has bytes.
        let mut small = |section: Section| {
            let bytes = self.data(section, left.min(MOST))?;
            left -= section.size;
            Some(bytes)
        };
        let symbols = small(*self.sections.iter().find(|section| section.kind == DYNSYM)?)?;
        // Which slot is whose.
        let mut slots: Vec<(u64, u32)> = Vec::new();
        for section in self.sections.iter().filter(|section| section.kind == RELA) {
            /// `R_X86_64_GLOB_DAT`, `R_X86_64_JUMP_SLOT`
            const SLOTS: [u32; 2] = [6, 7];
            let bytes = small(*section).unwrap_or_default();
            let entries = bytes.chunks_exact(24).filter_map(|entry| {
                let info = u64_at(entry, 8)?;
                SLOTS.contains(&(info as u32)).then_some((u64_at(entry, 0)?, (info >> 32) as u32))
            });
            slots.extend(entries);
        }
        slots.sort_unstable();
        let mut stubs: Vec<Named> = Vec::new();
        for name in [&b".plt"[..], b".plt.sec", b".plt.got"] {
            let Some(section) = self.section(name) else { continue };
            let code = small(section).unwrap_or_default();
            let size = if name == b".plt.got" && !code.starts_with(b"\xf3\x0f\x1e\xfa") { 8 } else { 16 };
            // Each place has one stub.
            let mut last = None;
            // `endbr64` may come first, `bnd` before the jump.
            for (i, jump) in code.windows(6).enumerate().filter(|(_, code)| code.starts_with(b"\xff\x25")) {
                let start = i as u64 / size * size;
                if last == Some(start) {
                    continue;
                }
                let after = section.addr.wrapping_add(i as u64 + 6);
                let by = i64::from(u32_at(jump, 2)? as i32);
                let Ok(at) = slots.binary_search_by_key(&after.wrapping_add_signed(by), |slot| slot.0) else {
                    continue;
                };
                let name = u32_at(&symbols, slots[at].1 as usize * SYMBOL as usize);
                let Some(name) = name.filter(|&name| name != 0) else { continue };
                last = Some(start);
                let start = section.addr.wrapping_add(start);
                let end = start.saturating_add(size);
                stubs.push(Named {
                    start,
                    end,
                    sized: true,
                    binding: 0,
                    plain: false,
                    stub: true,
                    table,
                    name,
                });
            }
        }
        Some(stubs)
    }

    /// Whether it has what a debug file is for.
    pub(super) fn has_symbols(&self) -> bool {
        self.sections.iter().any(|section| section.kind == SYMTAB) || self.section(b".debug_info").is_some()
    }

    /// The build ID, in hexadecimal.
    pub(super) fn build_id(&self) -> Option<String> {
        let is = |section: &&Section| {
            section.kind == NOTE && text_at(&self.names, section.name) == b".note.gnu.build-id"
        };
        let note = self.data(self.sections.iter().find(is).copied()?, MOST_NOTE)?;
        let (name, size) = (u32_at(&note, 0)? as usize, u32_at(&note, 4)? as usize);
        let id = note.get(name.checked_next_multiple_of(4)?.checked_add(12)?..)?.get(..size)?;
        Some(id.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// The file name of `.gnu_debuglink`, and the check sum of that file.
    pub(super) fn debug_link(&self) -> Option<(String, u32)> {
        let data = self.data(self.section(b".gnu_debuglink")?, MOST_NOTE)?;
        let name = text_at(&data, 0);
        let sum = u32_at(&data, (name.len() + 1).next_multiple_of(4))?;
        let plain = !name.is_empty() && !name.contains(&b'/');
        plain.then(|| (String::from_utf8_lossy(name).into_owned(), sum))
    }
}

/// Bytes of an entry of a symbol table.
const SYMBOL: u64 = 24;

/// The text at an offset up to its NUL.
pub(super) fn text_at(bytes: &[u8], at: u32) -> &[u8] {
    let rest = bytes.get(at as usize..).unwrap_or_default();
    &rest[..rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len())]
}
