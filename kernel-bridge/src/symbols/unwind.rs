//! Stacks of code without frame pointers, by the unwind tables (`.eh_frame`) of what a process has mapped. Registers and a
//! way to read the stack come in, addresses go out. Only on x86-64; elsewhere the first address is all.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use framehop::x86_64::{CacheX86_64, UnwindRegsX86_64, UnwinderX86_64};
use framehop::{ExplicitModuleSectionInfo, Module, Unwinder as _};

use super::elf::{self, Elf};
use super::expressions;
use super::image::Image;
use super::objects::Key;
use super::spaces::{Mapping, Space};

/// The registers that unwinding begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Start {
    /// The program counter.
    pub(crate) pc: u64,
    /// The stack pointer.
    pub(crate) sp: u64,
    /// The frame pointer, whatever it holds.
    pub(crate) fp: u64,
}

/// The tables of a file.
#[derive(Clone)]
pub(super) struct Tables {
    pub(super) text: Part,
    pub(super) eh_frame: Part,
    pub(super) eh_frame_hdr: Part,
    pub(super) segments: Vec<elf::Segment>,
}

/// Unwinders by process and address space.
#[derive(Default)]
pub(super) struct Unwinders {
    spaces: HashMap<(u32, u64), Known>,
    files: HashMap<Key, Option<Tables>>,
    /// Bytes of the tables of files.
    bytes: usize,
    cache: Option<Box<CacheX86_64>>,
}

/// An unwinder, and how often the space had changed when it was made.
type Known = (u64, UnwinderX86_64<Rc<[u8]>>);

/// What a mapping is of, and the way to open it.
pub(super) type Opener<'o> = &'o dyn Fn(&Mapping) -> (Key, Box<dyn FnOnce() -> Option<Image> + 'o>);

/// A part of a file: its addresses in the file's own layout, its bytes.
type Part = Option<(Range<u64>, Rc<[u8]>)>;

impl std::fmt::Debug for Unwinders {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Unwinders").field("spaces", &self.spaces.len()).finish_non_exhaustive()
    }
}

/// Address spaces whose tables are remembered, and files.
const MOST_SPACES: usize = 256;
const MOST_FILES: usize = 1 << 12;
/// The longest table of a file that is read, and the longest code: it is looked at only where there are no tables.
const MOST_TABLE: u64 = 256 << 20;
const MOST_TEXT: u64 = 16 << 20;
/// Most bytes of tables that are kept of all files together.
const MOST_BYTES: usize = 512 << 20;

impl Tables {
    /// The parts of an object that unwinding reads. Tables that it would not end with are left out.
    pub(super) fn read(elf: &Elf) -> Option<Tables> {
        let part = |name: &[u8], most: u64| {
            let section = elf.section(name)?;
            let bytes = elf.data(section, most)?;
            Some((section.addr..section.addr.checked_add(section.size)?, Rc::from(bytes)))
        };
        let (eh_frame, eh_frame_hdr) = (part(b".eh_frame", MOST_TABLE), part(b".eh_frame_hdr", MOST_TABLE));
        let sound = eh_frame.as_ref().is_some_and(|frames| expressions::end(frames, eh_frame_hdr.as_ref()));
        let (eh_frame, eh_frame_hdr) = if sound { (eh_frame, eh_frame_hdr) } else { (None, None) };
        Some(Tables {
            text: part(b".text", MOST_TEXT),
            eh_frame,
            eh_frame_hdr,
            segments: elf.segments.clone(),
        })
    }
}

impl Tables {
    /// Bytes that they take in memory.
    fn bytes(&self) -> usize {
        let part = |part: &Part| part.as_ref().map_or(0, |(_, bytes)| bytes.len());
        part(&self.text) + part(&self.eh_frame) + part(&self.eh_frame_hdr) + size_of_val(&*self.segments)
    }
}

impl Unwinders {
    /// Appends the addresses of a stack, at most so many. `key` and `open` name and open what a mapping is of.
    pub(super) fn unwind(
        &mut self,
        pid: u32,
        space: &Space,
        start: Start,
        read: &mut dyn FnMut(u64) -> Option<u64>,
        open: Opener<'_>,
        (most, out): (usize, &mut Vec<u64>),
    ) {
        let count = space.changes();
        let key = (pid, space.since());
        if self.spaces.get(&key).is_none_or(|(known, _)| *known != count) {
            if self.spaces.len() >= MOST_SPACES {
                self.spaces.clear();
            }
            let unwinder = self.unwinder(space, open);
            self.spaces.insert(key, (count, unwinder));
        }
        let Some((_, unwinder)) = self.spaces.get(&key) else { return };
        let cache = self.cache.get_or_insert_with(|| Box::new(CacheX86_64::new()));
        let registers = UnwindRegsX86_64::new(start.pc, start.sp, start.fp);
        let mut read = |addr| read(addr).ok_or(());
        let mut frames = unwinder.iter_frames(start.pc, registers, cache, &mut read);
        for _ in 0..most {
            match frames.next() {
                Ok(Some(frame)) => out.push(frame.address()),
                Ok(None) | Err(_) => break,
            }
        }
    }

    fn unwinder(&mut self, space: &Space, open: Opener<'_>) -> UnwinderX86_64<Rc<[u8]>> {
        if self.files.len() >= MOST_FILES || self.bytes >= MOST_BYTES / 2 {
            // The unwinders have tables, too.
            self.spaces.clear();
            self.files.clear();
            self.bytes = 0;
        }
        let mut unwinder = UnwinderX86_64::new();
        for mapping in space.mappings().filter(|mapping| Key::names_object(&mapping.path)) {
            let (key, open) = open(mapping);
            // Those that find no room are not followed.
            let full = self.files.len() >= 2 * MOST_FILES || self.bytes >= MOST_BYTES;
            if full && !self.files.contains_key(&key) {
                continue;
            }
            let tables = self.files.entry(key).or_insert_with(|| {
                let tables = Tables::read(&Elf::open(open()?)?);
                self.bytes += tables.as_ref().map_or(0, Tables::bytes);
                tables
            });
            let Some(tables) = tables else { continue };
            let inside = |s: &&elf::Segment| {
                mapping.offset.checked_sub(s.offset & !0xfff).is_some_and(|at| at <= s.size) && s.size > 0
            };
            let Some(segment) = tables.segments.iter().rev().find(inside) else { continue };
            let addr = mapping.offset.wrapping_sub(segment.offset).wrapping_add(segment.addr);
            let bias = mapping.start.wrapping_sub(addr);
            let part = |part: &Part| part.clone().unzip();
            let (text_svma, text) = part(&tables.text);
            let (eh_frame_svma, eh_frame) = part(&tables.eh_frame);
            let (eh_frame_hdr_svma, eh_frame_hdr) = part(&tables.eh_frame_hdr);
            let sections = ExplicitModuleSectionInfo {
                base_svma: 0,
                text_svma,
                text,
                eh_frame_svma,
                eh_frame,
                eh_frame_hdr_svma,
                eh_frame_hdr,
                ..ExplicitModuleSectionInfo::default()
            };
            let range = mapping.start..mapping.end;
            unwinder.add_module(Module::new(mapping.path.to_string(), range, bias, sections));
        }
        unwinder
    }
}
