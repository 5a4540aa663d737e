//! Per-CPU maps with the CPUs of made-up events. In: the kernel's maps, and the CPU of each event before it is run. Out: the
//! maps as if the programs had run on those CPUs, however many this machine has.
//!
//! All programs run on one CPU of the machine; when the CPU of events changes, what lies there in the maps that count by CPU
//! is put aside, and what was put aside of the other one comes back. Never: an entry added or removed, so that a store is as
//! full as it was.

use std::collections::HashMap;

use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

use super::Cpus;
use crate::ebpf::{AggPlace, EbpfProgram, MapAccess, MapKind, MapSpec};
use crate::maps::KernelMaps;

/// See the module.
#[derive(Debug)]
pub(super) struct MapsByCpu {
    maps: KernelMaps,
    /// By map: its bytes of a CPU and its entries, if it counts by CPU. Those of an array come by their index.
    counted: Vec<Option<Counted>>,
    /// Of the events at hand.
    cpu: u32,
    /// Of this machine, where programs run.
    home: usize,
    /// Where this thread may run between events.
    allowed: Option<CpuSet>,
    /// How many CPUs there are, this machine's among them.
    cpus: u32,
    /// By map and key: what other CPUs counted.
    aside: HashMap<(u32, Vec<u8>), Aside>,
}

/// What CPUs counted that are not at hand.
type Aside = Vec<(u32, Vec<u8>)>;

#[derive(Clone, Copy, Debug)]
struct Counted {
    bytes: usize,
    array: Option<u32>,
}

impl MapsByCpu {
    /// Takes the maps of a program over.
    pub(super) fn new(maps: KernelMaps, program: &EbpfProgram, cpus: Cpus) -> MapsByCpu {
        let counts = |map: u32, spec: &MapSpec| {
            let state = &program.state;
            let wanted = map == state.counters
                || cpus.aggregations && state.aggs.iter().flat_map(AggPlace::maps).any(|held| held == map);
            let array = match spec.kind {
                MapKind::PerCpuArray => Some(spec.max_entries),
                MapKind::PerCpuHash { .. } => None,
                _ => return None,
            };
            wanted.then_some(Counted { bytes: spec.value_size as usize, array })
        };
        let counted = (0..).zip(&program.maps).map(|(map, spec)| counts(map, spec)).collect();
        let (home, cpus) = (sched_getcpu(), maps.cpus().max(cpus.count));
        let allowed = sched_getaffinity(None).ok();
        MapsByCpu { maps, counted, cpu: home as u32, home, allowed, cpus, aside: HashMap::new() }
    }

    /// Does something on the CPU where programs run, for an event of this CPU.
    pub(super) fn on<T>(&mut self, cpu: u32, run: impl FnOnce() -> T) -> T {
        if cpu != self.cpu {
            self.change(cpu);
        }
        let mut only = CpuSet::new();
        only.set(self.home);
        // A thread that may not be bound runs where it is: that is its own CPU for as long as it is not moved.
        let _ = sched_setaffinity(None, &only);
        let done = run();
        if let Some(allowed) = &self.allowed {
            let _ = sched_setaffinity(None, allowed);
        }
        done
    }

    /// Puts aside what the CPU so far has counted, for what the next one had.
    fn change(&mut self, cpu: u32) {
        for map in 0..self.counted.len() as u32 {
            let Some(counted) = self.counted(map) else { continue };
            let keys = match counted.array {
                Some(entries) => (0..entries).map(|entry| entry.to_le_bytes().to_vec()).collect(),
                None => self.maps.keys(map),
            };
            for key in keys {
                self.exchange(map, counted.bytes, key, cpu);
            }
        }
        self.cpu = cpu;
    }

    /// The same for one entry.
    fn exchange(&mut self, map: u32, bytes: usize, key: Vec<u8>, cpu: u32) {
        let Some(mut value) = self.maps.lookup(map, &key) else { return };
        let Some(own) = value.get_mut(self.home * bytes..(self.home + 1) * bytes) else { return };
        let before = own.to_vec();
        let counted = before.iter().any(|byte| *byte != 0);
        let mut aside = self.aside.remove(&(map, key.clone())).unwrap_or_default();
        let next = aside.iter().position(|(of, _)| *of == cpu).map(|at| aside.swap_remove(at).1);
        let changed = counted || next.is_some();
        own.copy_from_slice(&next.unwrap_or_else(|| vec![0; bytes]));
        if counted {
            aside.push((self.cpu, before));
        }
        if changed {
            self.maps.update(map, &key, &value);
        }
        if !aside.is_empty() {
            self.aside.insert((map, key), aside);
        }
    }

    fn counted(&self, map: u32) -> Option<Counted> {
        self.counted.get(map as usize).copied().flatten()
    }
}

/// An entry with what each CPU of the events has counted, of the entry as it is in the kernel.
fn by_cpu(
    value: &[u8],
    bytes: usize,
    home: usize,
    (cpu, cpus): (u32, u32),
    aside: Option<&Aside>,
) -> Vec<u8> {
    let mut all = vec![0; bytes * cpus as usize];
    let own = value.get(home * bytes..(home + 1) * bytes).map(|own| (cpu, own));
    let others = aside.into_iter().flatten().map(|(cpu, other)| (*cpu, other.as_slice()));
    for (cpu, counted) in own.into_iter().chain(others) {
        if let Some(place) = all.get_mut(cpu as usize * bytes..(cpu as usize + 1) * bytes) {
            place.copy_from_slice(counted);
        }
    }
    all
}

impl MapAccess for MapsByCpu {
    fn cpus(&self) -> u32 {
        self.cpus
    }

    fn lookup(&mut self, map: u32, key: &[u8]) -> Option<Vec<u8>> {
        let value = self.maps.lookup(map, key)?;
        let Some(counted) = self.counted(map) else { return Some(value) };
        let aside = self.aside.get(&(map, key.to_vec()));
        Some(by_cpu(&value, counted.bytes, self.home, (self.cpu, self.cpus), aside))
    }

    fn update(&mut self, map: u32, key: &[u8], value: &[u8]) -> bool {
        let Some(counted) = self.counted(map) else { return self.maps.update(map, key, value) };
        let mut kept = vec![0; counted.bytes * self.maps.cpus() as usize];
        let mut aside = Vec::new();
        for (cpu, of) in (0..).zip(value.chunks_exact(counted.bytes)) {
            if cpu == self.cpu {
                if let Some(own) = kept.get_mut(self.home * counted.bytes..(self.home + 1) * counted.bytes) {
                    own.copy_from_slice(of);
                }
            } else if of.iter().any(|byte| *byte != 0) {
                aside.push((cpu, of.to_vec()));
            }
        }
        match aside.is_empty() {
            true => drop(self.aside.remove(&(map, key.to_vec()))),
            false => drop(self.aside.insert((map, key.to_vec()), aside)),
        }
        self.maps.update(map, key, &kept)
    }

    fn delete(&mut self, map: u32, key: &[u8]) {
        self.aside.remove(&(map, key.to_vec()));
        self.maps.delete(map, key);
    }

    fn read(&mut self, map: u32, offset: u32, buf: &mut [u8]) {
        self.maps.read(map, offset, buf);
    }

    fn write(&mut self, map: u32, offset: u32, bytes: &[u8]) {
        self.maps.write(map, offset, bytes);
    }

    fn keys(&mut self, map: u32) -> Vec<Vec<u8>> {
        self.maps.keys(map)
    }

    fn take(&mut self, map: u32, which: &mut dyn FnMut(&[u8]) -> bool, out: &mut dyn FnMut(&[u8], &[u8])) {
        let Some(Counted { bytes, .. }) = self.counted(map) else { return self.maps.take(map, which, out) };
        let MapsByCpu { maps, aside, home, cpu, cpus, .. } = self;
        maps.take(map, which, &mut |key, value| {
            let aside = aside.remove(&(map, key.to_vec()));
            out(key, &by_cpu(value, bytes, *home, (*cpu, *cpus), aside.as_ref()));
        });
    }

    fn show(&mut self, map: u32, out: &mut dyn FnMut(&[u8], &[u8])) {
        let Some(Counted { bytes, .. }) = self.counted(map) else { return self.maps.show(map, out) };
        let MapsByCpu { maps, aside, home, cpu, cpus, .. } = self;
        maps.show(map, &mut |key, value| {
            let aside = aside.get(&(map, key.to_vec()));
            out(key, &by_cpu(value, bytes, *home, (*cpu, *cpus), aside));
        });
    }

    fn control(&mut self, word: u32) -> u64 {
        self.maps.control(word)
    }

    fn set_control(&mut self, word: u32, value: u64) {
        self.maps.set_control(word, value);
    }

    fn replace_control(&mut self, word: u32, old: u64, new: u64) -> bool {
        self.maps.replace_control(word, old, new)
    }

    /// Programs run only when they are told to, and whoever tells them waits.
    fn quiesce(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_has_each_cpu_at_its_place() {
        // Two CPUs of this machine, of which the second runs programs; the events are on CPU 3 of 5.
        let value = [9, 9, 7, 8];
        let aside = vec![(0, vec![1, 2]), (4, vec![5, 6])];
        assert_eq!(by_cpu(&value, 2, 1, (3, 5), Some(&aside)), [1, 2, 0, 0, 0, 0, 7, 8, 5, 6]);
        assert_eq!(by_cpu(&value, 2, 0, (1, 2), None), [0, 0, 9, 9]);
    }
}
