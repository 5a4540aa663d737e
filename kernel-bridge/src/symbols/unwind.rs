//! Stacks of code without frame pointers, by the unwind tables (`.eh_frame`) of what a process has mapped. Registers and a
//! way to read the stack come in, addresses go out. Only on x86-64; elsewhere the first address is all.

use std::collections::HashMap;
use std::fs::File;
use std::ops::Range;
use std::rc::Rc;

use framehop::x86_64::{CacheX86_64, UnwindRegsX86_64, UnwinderX86_64};
use framehop::{ExplicitModuleSectionInfo, Module, Unwinder as _};

use super::elf;
use super::spaces::Space;

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
    files: HashMap<Rc<str>, Option<Tables>>,
    cache: Option<Box<CacheX86_64>>,
}

/// An unwinder, and how many mappings the space had when it was made.
type Known = (usize, UnwinderX86_64<Rc<[u8]>>);

/// A part of a file: its addresses in the file's own layout, its bytes.
type Part = Option<(Range<u64>, Rc<[u8]>)>;

impl std::fmt::Debug for Unwinders {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Unwinders").field("spaces", &self.spaces.len()).finish_non_exhaustive()
    }
}

/// Address spaces whose tables are remembered.
const MOST_SPACES: usize = 256;

impl Unwinders {
    /// Appends the addresses of a stack, at most so many. `open` opens a file by its path in the process's view.
    pub(super) fn unwind(
        &mut self,
        pid: u32,
        space: &Space,
        start: Start,
        read: &mut dyn FnMut(u64) -> Option<u64>,
        open: &dyn Fn(&str) -> Option<File>,
        (most, out): (usize, &mut Vec<u64>),
    ) {
        let count = space.mappings().count();
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

    fn unwinder(&mut self, space: &Space, open: &dyn Fn(&str) -> Option<File>) -> UnwinderX86_64<Rc<[u8]>> {
        let mut unwinder = UnwinderX86_64::new();
        for mapping in space.mappings().filter(|mapping| mapping.path.starts_with('/')) {
            let tables = self
                .files
                .entry(mapping.path.clone())
                .or_insert_with(|| open(&mapping.path).and_then(|file| elf::tables(&file)));
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
