//! The kernel's maps of one loaded program, as [`MapAccess`]: bpf(2), and shared memory where a map is mmapped.
//!
//! Comes in: descriptors in the order of [`crate::ebpf::EbpfProgram::maps`]. Never: the meaning of a key or a value.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{Ordering, fence};

use crate::ebpf::{MapAccess, MapKind, MapSpec};
use crate::sys::bpf::Map;
use crate::sys::grace::Grace;
use crate::sys::mapping::Mapping;
use crate::sys::{cpus, page_size};

/// The maps of a loaded program.
#[derive(Debug)]
pub struct KernelMaps {
    maps: Vec<KernelMap>,
    control: usize,
    cpus: u32,
    grace: Grace,
}

#[derive(Debug)]
struct KernelMap {
    map: Map,
    /// Entry 0 of an mmapped array.
    memory: Option<Mapping>,
}

impl KernelMaps {
    /// Takes the descriptors over, maps what is mmapped, and writes the initial contents. `control` is the control map.
    pub fn new(
        descriptors: impl Iterator<Item = io::Result<OwnedFd>>,
        specs: &[MapSpec],
        control: u32,
    ) -> io::Result<KernelMaps> {
        let mut maps = Vec::with_capacity(specs.len());
        for (fd, spec) in descriptors.zip(specs) {
            let map = Map::new(fd?)?;
            let memory = match spec.kind {
                MapKind::Array { mmap: true } => {
                    let bytes = map.max_entries() as usize * map.value_size().next_multiple_of(8);
                    Some(Mapping::new(map.as_fd(), 0, bytes.next_multiple_of(page_size()), true)?)
                }
                _ => None,
            };
            if let Some(init) = &spec.init {
                let mut value = vec![0; map.value_size()];
                let len = init.len().min(value.len());
                value[..len].copy_from_slice(&init[..len]);
                map.update(&0u32.to_ne_bytes(), &value)?;
            }
            maps.push(KernelMap { map, memory });
        }
        Ok(KernelMaps { maps, control: control as usize, cpus: cpus::possible()?, grace: Grace::new()? })
    }

    /// A map's descriptor.
    pub fn fd(&self, map: u32) -> Option<BorrowedFd<'_>> {
        self.maps.get(map as usize).map(|m| m.map.as_fd())
    }

    /// A map's most entries; a ring's bytes.
    pub fn max_entries(&self, map: u32) -> u32 {
        self.maps.get(map as usize).map_or(0, |m| m.map.max_entries())
    }

    fn memory(&self, map: u32) -> Option<&Mapping> {
        self.maps.get(map as usize)?.memory.as_ref()
    }
}

impl MapAccess for KernelMaps {
    fn cpus(&self) -> u32 {
        self.cpus
    }

    fn lookup(&mut self, map: u32, key: &[u8]) -> Option<Vec<u8>> {
        let map = &self.maps.get(map as usize)?.map;
        let mut value = vec![0; map.value_size()];
        map.lookup(key, &mut value).ok()?.then_some(value)
    }

    fn update(&mut self, map: u32, key: &[u8], value: &[u8]) -> bool {
        self.maps.get(map as usize).is_some_and(|m| m.map.update(key, value).is_ok())
    }

    fn delete(&mut self, map: u32, key: &[u8]) {
        if let Some(m) = self.maps.get(map as usize) {
            // An entry that a program removed first is gone all the same.
            let _ = m.map.delete(key);
        }
    }

    fn read(&mut self, map: u32, offset: u32, buf: &mut [u8]) {
        let Some(memory) = self.memory(map) else { return buf.fill(0) };
        for (at, word) in (offset as usize..).step_by(8).zip(buf.chunks_mut(8)) {
            word.copy_from_slice(&memory.load(at, Ordering::Acquire).to_ne_bytes()[..word.len()]);
        }
    }

    fn write(&mut self, map: u32, offset: u32, bytes: &[u8]) {
        let Some(memory) = self.memory(map) else { return };
        // The first word is the value, or the length of the string behind it: it goes last, so that a program that reads
        // a new length finds the new bytes.
        for (i, word) in bytes.chunks_exact(8).enumerate().rev() {
            let value = word.try_into().map_or(0, u64::from_ne_bytes);
            memory.store(offset as usize + 8 * i, value, Ordering::Release);
        }
    }

    fn keys(&mut self, map: u32) -> Vec<Vec<u8>> {
        let mut keys = Vec::new();
        if let Some(m) = self.maps.get(map as usize) {
            // A map that cannot be walked has no keys to show.
            let _ = m.map.for_each_key(&mut |key| keys.push(key.to_vec()));
        }
        keys
    }

    fn take(&mut self, map: u32, which: &mut dyn FnMut(&[u8]) -> bool, out: &mut dyn FnMut(&[u8], &[u8])) {
        let Some(m) = self.maps.get_mut(map as usize) else { return };
        // What a walk that fails has not handed over comes with the next.
        let _ = m.map.take(which, out);
    }

    fn show(&mut self, map: u32, out: &mut dyn FnMut(&[u8], &[u8])) {
        if let Some(m) = self.maps.get_mut(map as usize) {
            // A map that cannot be walked has no entries to show.
            let _ = m.map.for_each(out);
        }
    }

    fn control(&mut self, word: u32) -> u64 {
        self.maps[self.control].memory.as_ref().map_or(0, |m| m.load(8 * word as usize, Ordering::SeqCst))
    }

    fn set_control(&mut self, word: u32, value: u64) {
        if let Some(memory) = &self.maps[self.control].memory {
            memory.store(8 * word as usize, value, Ordering::SeqCst);
        }
    }

    fn replace_control(&mut self, word: u32, old: u64, new: u64) -> bool {
        let memory = self.maps[self.control].memory.as_ref();
        memory.is_some_and(|memory| memory.replace(8 * word as usize, old, new))
    }

    fn quiesce(&mut self) {
        fence(Ordering::SeqCst);
        // The update fails only for want of memory; waiting longer than any program runs is then the next best.
        if self.grace.wait().is_err() {
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
    }
}
