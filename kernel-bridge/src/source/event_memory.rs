//! Made-up memory: bytes at addresses. Written by the reader of event files, read by the context of an event. As on a
//! machine, memory comes in pages: what is on a page with bytes and was given none is zero, what is on another page cannot
//! be read.

use std::sync::Arc;

use dtrail_lang::ir::AddrSpace;
use dtrail_lang::ir::inst::USER_END;
use dtrail_vm::fault::{FaultKind, Raised};

use super::synthetic_event::MemoryRegion;

/// First kernel address; those between [`USER_END`] and this one are not canonical.
const KERNEL_START: u64 = 0xffff_8000_0000_0000;

/// Bytes of a page, the same for every engine and machine.
const PAGE: u64 = 4096;

/// Memory that changes from event to event. Regions are kept sorted, apart and as long as they can be, so that an access
/// across a border that the file's author happened to draw is no special case for anyone.
#[derive(Default)]
pub(super) struct EventMemory {
    regions: Vec<MemoryRegion>,
    /// The last snapshot, valid until the next change.
    snapshot: Option<Arc<[MemoryRegion]>>,
}

impl EventMemory {
    /// The most bytes that may exist at a time.
    pub(super) const LIMIT: usize = 16 << 20;

    /// Puts bytes at an address, over what was there.
    pub(super) fn write(&mut self, addr: u64, bytes: &[u8]) -> Result<(), String> {
        let Some(end) = addr.checked_add(bytes.len() as u64) else {
            return Err("the bytes reach beyond the last address".to_owned());
        };
        if !(end <= USER_END || addr >= KERNEL_START) {
            return Err(format!("no machine has memory between {USER_END:#x} and {KERNEL_START:#x}"));
        }
        if bytes.is_empty() {
            return Ok(());
        }
        self.unmap(addr, bytes.len() as u64);
        let total: u64 = self.regions.iter().map(|region| span(region.addr, region.bytes.len())).sum();
        if total + span(addr, bytes.len()) > EventMemory::LIMIT as u64 {
            return Err(format!("more than {} bytes of memory", EventMemory::LIMIT));
        }
        let at = self.regions.partition_point(|region| region.addr < addr);
        self.regions.insert(at, MemoryRegion { addr, bytes: bytes.into() });
        self.join(at + 1);
        self.join(at);
        Ok(())
    }

    /// Joins region `i` to the one before it if they touch.
    fn join(&mut self, i: usize) {
        let (Some(before), Some(region)) =
            (i.checked_sub(1).and_then(|b| self.regions.get(b)), self.regions.get(i))
        else {
            return;
        };
        if before.addr + before.bytes.len() as u64 == region.addr {
            let bytes = [&before.bytes[..], &region.bytes[..]].concat().into();
            self.regions[i - 1].bytes = bytes;
            self.regions.remove(i);
        }
    }

    /// Makes `size` bytes at `addr` unreadable.
    pub(super) fn unmap(&mut self, addr: u64, size: u64) {
        self.snapshot = None;
        let end = addr.saturating_add(size);
        let mut kept = Vec::with_capacity(self.regions.len() + 1);
        for region in self.regions.drain(..) {
            let region_end = region.addr + region.bytes.len() as u64;
            if region_end <= addr || region.addr >= end {
                kept.push(region);
                continue;
            }
            if region.addr < addr {
                let bytes = region.bytes[..(addr - region.addr) as usize].into();
                kept.push(MemoryRegion { addr: region.addr, bytes });
            }
            if region_end > end {
                kept.push(MemoryRegion {
                    addr: end,
                    bytes: region.bytes[(end - region.addr) as usize..].into(),
                });
            }
        }
        self.regions = kept;
    }

    /// The memory as it is now; shared with the snapshot before if nothing has changed.
    pub(super) fn snapshot(&mut self) -> Arc<[MemoryRegion]> {
        self.snapshot.get_or_insert_with(|| pages(&self.regions).into()).clone()
    }
}

/// Bytes of the pages that so many bytes at an address lie on.
fn span(addr: u64, bytes: usize) -> u64 {
    (addr % PAGE + bytes as u64).next_multiple_of(PAGE)
}

/// The pages that regions lie on, joined where they touch.
fn pages(regions: &[MemoryRegion]) -> Vec<MemoryRegion> {
    let mut runs: Vec<(u64, Vec<u8>)> = Vec::new();
    for region in regions {
        let start = region.addr - region.addr % PAGE;
        let touching = runs.pop_if(|(addr, bytes)| start <= addr.saturating_add(bytes.len() as u64));
        let (addr, mut bytes) = touching.unwrap_or((start, Vec::new()));
        let at = (region.addr - addr) as usize;
        bytes.resize(bytes.len().max((at + region.bytes.len()).next_multiple_of(PAGE as usize)), 0);
        bytes[at..at + region.bytes.len()].copy_from_slice(&region.bytes);
        runs.push((addr, bytes));
    }
    runs.into_iter().map(|(addr, bytes)| MemoryRegion { addr, bytes: bytes.into() }).collect()
}

/// The bytes from an address to the end of its region; `None` if it is not readable through this address space.
pub(super) fn readable(memory: &[MemoryRegion], space: AddrSpace, addr: u64) -> Option<&[u8]> {
    if space == AddrSpace::User && addr >= USER_END {
        return None;
    }
    let at = memory.partition_point(|region| region.addr <= addr).checked_sub(1)?;
    let region = &memory[at];
    region.bytes.get(usize::try_from(addr - region.addr).ok()?..).filter(|bytes| !bytes.is_empty())
}

/// Fills `buf`, or raises `BADADDR` with the address.
pub(super) fn read(
    memory: &[MemoryRegion],
    space: AddrSpace,
    addr: u64,
    buf: &mut [u8],
) -> Result<(), Raised> {
    if buf.is_empty() {
        return Ok(());
    }
    match readable(memory, space, addr).and_then(|bytes| bytes.get(..buf.len())) {
        Some(bytes) => {
            buf.copy_from_slice(bytes);
            Ok(())
        }
        None => Err(Raised::new(FaultKind::BadAddr, addr)),
    }
}

/// Appends bytes up to a NUL, the limit or the end of what is readable; raises `BADADDR` if not even one is.
pub(super) fn read_string(
    memory: &[MemoryRegion],
    space: AddrSpace,
    addr: u64,
    limit: usize,
    out: &mut Vec<u8>,
) -> Result<(), Raised> {
    let bytes = readable(memory, space, addr).ok_or(Raised::new(FaultKind::BadAddr, addr))?;
    let bytes = &bytes[..bytes.len().min(limit)];
    out.extend(bytes.split(|&b| b == 0).next().unwrap_or(bytes));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regions(memory: &mut EventMemory) -> Vec<(u64, Vec<u8>)> {
        memory.regions.iter().map(|region| (region.addr, region.bytes.to_vec())).collect()
    }

    #[test]
    fn writes_join_and_overwrite() {
        let mut memory = EventMemory::default();
        memory.write(10, b"abc").expect("room");
        memory.write(16, b"xyz").expect("room");
        assert_eq!(regions(&mut memory), [(10, b"abc".to_vec()), (16, b"xyz".to_vec())]);
        memory.write(13, b"def").expect("room");
        assert_eq!(regions(&mut memory), [(10, b"abcdefxyz".to_vec())]);
        memory.write(11, b"--").expect("room");
        assert_eq!(regions(&mut memory), [(10, b"a--defxyz".to_vec())]);
        memory.unmap(12, 3);
        assert_eq!(regions(&mut memory), [(10, b"a-".to_vec()), (15, b"fxyz".to_vec())]);
        memory.unmap(0, u64::MAX);
        assert_eq!(regions(&mut memory), []);
    }

    #[test]
    fn snapshots_are_shared_until_a_change() {
        let mut memory = EventMemory::default();
        memory.write(1, b"a").expect("room");
        let first = memory.snapshot();
        assert!(Arc::ptr_eq(&first, &memory.snapshot()));
        memory.write(1, b"b").expect("room");
        assert_eq!((&first[0].bytes[..3], &memory.snapshot()[0].bytes[..3]), (&b"\0a\0"[..], &b"\0b\0"[..]));
    }

    #[test]
    fn memory_comes_in_pages() {
        let mut memory = EventMemory::default();
        memory.write(0x1ffe, b"ab").expect("room");
        memory.write(0x2004, b"c").expect("room");
        memory.write(0x2fff, b"de").expect("room");
        memory.write(0x5000, b"f").expect("room");
        let pages = memory.snapshot();
        let shape: Vec<(u64, usize)> = pages.iter().map(|p| (p.addr, p.bytes.len())).collect();
        assert_eq!(shape, [(0x1000, 0x3000), (0x5000, 0x1000)]);
        assert_eq!(&pages[0].bytes[0xffe..0x1006], b"ab\0\0\0\0c\0");
        assert_eq!(&pages[0].bytes[0x1ffe..0x2001], b"\0de");
        memory.unmap(0x2fff, 1);
        memory.unmap(0x3000, 1);
        let shape: Vec<(u64, usize)> = memory.snapshot().iter().map(|p| (p.addr, p.bytes.len())).collect();
        assert_eq!(shape, [(0x1000, 0x2000), (0x5000, 0x1000)]);
    }

    #[test]
    fn limits() {
        let mut memory = EventMemory::default();
        assert_eq!(memory.write(u64::MAX, b"ab"), Err("the bytes reach beyond the last address".to_owned()));
        assert!(memory.write(USER_END - 1, b"ab").is_err());
        assert!(memory.write(0, &vec![0; EventMemory::LIMIT]).is_ok());
        assert!(memory.write(0, &vec![0; EventMemory::LIMIT]).is_ok(), "overwriting needs no room");
        assert!(memory.write(1 << 32, b"a").is_err());
    }

    #[test]
    fn reads() {
        let mut memory = EventMemory::default();
        memory.write(0x1000, b"hello\0rest").expect("room");
        memory.write(0xffff_8000_0000_0000, b"kernel").expect("room");
        let memory = memory.snapshot();
        let string = |space, addr, limit| {
            let mut out = Vec::new();
            read_string(&memory, space, addr, limit, &mut out)
                .map(|()| String::from_utf8_lossy(&out).into_owned())
        };
        let bad = |addr| Err(Raised::new(FaultKind::BadAddr, addr));
        assert_eq!(string(AddrSpace::User, 0x1000, 256), Ok("hello".into()));
        assert_eq!(string(AddrSpace::User, 0x1001, 3), Ok("ell".into()));
        assert_eq!(string(AddrSpace::User, 0x1006, 256), Ok("rest".into()));
        assert_eq!(string(AddrSpace::User, 0x1005, 256), Ok(String::new()));
        assert_eq!(string(AddrSpace::User, 0x100a, 256), Ok(String::new()), "the rest of the page is zero");
        assert_eq!(string(AddrSpace::User, 0x1fff, 256), Ok(String::new()));
        assert_eq!(string(AddrSpace::User, 0x2000, 256), bad(0x2000));
        assert_eq!(string(AddrSpace::User, 0xfff, 256), bad(0xfff));
        assert_eq!(string(AddrSpace::User, 0, 256), bad(0));
        assert_eq!(string(AddrSpace::ByAddress, 0xffff_8000_0000_0000, 256), Ok("kernel".into()));
        assert_eq!(string(AddrSpace::User, 0xffff_8000_0000_0000, 256), bad(0xffff_8000_0000_0000));
        let mut buf = [0; 4];
        assert_eq!(read(&memory, AddrSpace::ByAddress, 0x1006, &mut buf), Ok(()));
        assert_eq!(&buf, b"rest");
        assert_eq!(
            read(&memory, AddrSpace::ByAddress, 0x1ffd, &mut buf),
            Err(Raised::new(FaultKind::BadAddr, 0x1ffd))
        );
    }
}
