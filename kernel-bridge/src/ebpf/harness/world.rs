//! The machine around generated code: maps, the ring, and the helpers that reach them.
//!
//! rbpf's helpers are plain functions, so the world waits in a thread-local while a program runs. A helper that is
//! given what the kernel would refuse (a wrong map, an address outside) stops the run with a message.

#![allow(unsafe_code, reason = "the stack of the program that calls a helper")]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;

use dtrail_lang::plan::layout::KERNEL_MEMORY;
use rbpf::ebpf::Helper;

use super::SyntheticMemory;
use super::arena::{Arena, read_stack, write_stack};
use super::link::{HANDLE, STACK_HELPER};
use crate::ebpf::{MapKind, MapSpec, helper};

/// Most bytes of one map's values.
const MAP_BYTES: usize = 256 << 20;
/// Bytes that a ring puts before each record.
const RING_HEADER: usize = 8;
/// The stack of a program and all it calls.
const STACK: u64 = 512;
/// The most bytes that a helper copies for a program.
const MOST: u64 = KERNEL_MEMORY as u64;

/// Error numbers as helpers return them.
mod errno {
    pub(super) const NOENT: i64 = -2;
    pub(super) const E2BIG: i64 = -7;
    pub(super) const AGAIN: i64 = -11;
    pub(super) const NOMEM: i64 = -12;
    pub(super) const FAULT: i64 = -14;
    pub(super) const EXIST: i64 = -17;
}

/// One map.
#[derive(Debug)]
pub(super) struct Map {
    pub(super) spec: MapSpec,
    /// The values: entry by entry, each with a copy per CPU if the kind has them.
    pub(super) values: Arena,
    /// Of a hash: which entry a key has.
    entries: BTreeMap<Box<[u8]>, usize>,
    /// Of a hash: entries that were used and are free again, and how many were ever used.
    free: Vec<usize>,
    used: usize,
    most: usize,
}

impl Map {
    fn new(spec: &MapSpec, cpus: usize) -> Option<Map> {
        let stride = stride(spec, cpus);
        let most = match spec.kind {
            MapKind::Ring => 0,
            _ => (spec.max_entries as usize).min(MAP_BYTES / stride.max(1)),
        };
        let values = Arena::new(most * stride)?;
        if let Some(init) = &spec.init {
            values.write(0, &init[..init.len().min(spec.value_size as usize)]);
        }
        Some(Map { spec: spec.clone(), values, entries: BTreeMap::new(), free: Vec::new(), used: 0, most })
    }

    fn is_hash(&self) -> bool {
        matches!(self.spec.kind, MapKind::Hash | MapKind::FullHash | MapKind::PerCpuHash { .. })
    }

    /// Whether a new entry asks the kernel for memory.
    fn asks_for_memory(&self) -> bool {
        matches!(self.spec.kind, MapKind::Hash | MapKind::PerCpuHash { full: false })
    }

    /// The entry of a key.
    pub(super) fn find(&self, key: &[u8]) -> Option<usize> {
        if self.is_hash() {
            return self.entries.get(key).copied();
        }
        let index = u32::from_le_bytes(key.try_into().ok()?) as usize;
        (index < self.most).then_some(index)
    }

    /// The entry of a key, made if it is a new one of a hash that has room.
    pub(super) fn find_or_make(&mut self, key: &[u8], cpus: usize) -> Option<usize> {
        if let Some(entry) = self.find(key) {
            return Some(entry);
        }
        if !self.is_hash() || key.len() != self.spec.key_size as usize || self.entries.len() >= self.most {
            return None;
        }
        let entry = self.free.pop().unwrap_or_else(|| {
            self.used += 1;
            self.used - 1
        });
        let stride = stride(&self.spec, cpus);
        self.values.write(entry * stride, &vec![0; stride]);
        self.entries.insert(key.into(), entry);
        Some(entry)
    }

    /// Removes a key of a hash.
    pub(super) fn remove(&mut self, key: &[u8]) -> bool {
        match self.entries.remove(key) {
            Some(entry) => {
                self.free.push(entry);
                true
            }
            None => false,
        }
    }

    /// The keys of a hash.
    pub(super) fn keys(&self) -> impl Iterator<Item = &[u8]> {
        self.entries.keys().map(|key| &**key)
    }

    /// Whether a value has a copy per CPU.
    pub(super) fn per_cpu(&self) -> bool {
        per_cpu(self.spec.kind)
    }
}

fn per_cpu(kind: MapKind) -> bool {
    matches!(kind, MapKind::PerCpuArray | MapKind::PerCpuHash { .. })
}

/// Bytes from one entry to the next.
pub(super) fn stride(spec: &MapSpec, cpus: usize) -> usize {
    spec.value_size as usize * if per_cpu(spec.kind) { cpus } else { 1 }
}

/// Maps, ring, CPU at hand.
#[derive(Debug)]
pub(super) struct World {
    pub(super) maps: Vec<Map>,
    pub(super) cpus: usize,
    /// The CPU that the event happens on.
    pub(super) cpu: usize,
    /// What the ring holds.
    pub(super) records: Vec<Vec<u8>>,
    ring_used: usize,
    /// The kernel has no memory at hand for entries that ask for some.
    pub(super) starved: bool,
    pub(super) memory: Box<dyn SyntheticMemory>,
    stack: Range<u64>,
    /// What a helper refused.
    pub(super) refused: Option<String>,
}

impl World {
    pub(super) fn new(specs: &[MapSpec], cpus: usize, memory: Box<dyn SyntheticMemory>) -> Option<World> {
        let maps = specs.iter().map(|spec| Map::new(spec, cpus)).collect::<Option<Vec<_>>>()?;
        Some(World {
            maps,
            cpus,
            cpu: 0,
            records: Vec::new(),
            ring_used: 0,
            starved: false,
            memory,
            stack: 0..0,
            refused: None,
        })
    }

    /// Takes what was sent, oldest first.
    pub(super) fn take_records(&mut self) -> Vec<Vec<u8>> {
        self.ring_used = 0;
        std::mem::take(&mut self.records)
    }

    fn refuse(&mut self, what: String) -> i64 {
        self.refused.get_or_insert(what);
        0
    }

    /// The arena and offset behind an address.
    fn locate(&self, addr: u64, len: usize) -> Option<(&Arena, usize)> {
        let arena = self.maps.iter().map(|m| &m.values).find(|a| a.range().contains(&addr))?;
        let at = (addr - arena.address()) as usize;
        arena.holds(at, len).then_some((arena, at))
    }

    /// Reads what the program may read: maps and its stack.
    fn read(&self, addr: u64, buf: &mut [u8]) -> bool {
        if let Some((arena, at)) = self.locate(addr, buf.len()) {
            return arena.read(at, buf);
        }
        // SAFETY: a helper runs, so the program and its stack are live.
        unsafe { read_stack(&self.stack, addr, buf) }
    }

    fn write(&self, addr: u64, bytes: &[u8]) -> bool {
        if let Some((arena, at)) = self.locate(addr, bytes.len()) {
            return arena.write(at, bytes);
        }
        // SAFETY: as above.
        unsafe { write_stack(&self.stack, addr, bytes) }
    }

    fn map(&mut self, handle: u64) -> Option<usize> {
        let index = handle.checked_sub(HANDLE).map(|i| i as usize).filter(|&i| i < self.maps.len());
        if index.is_none() {
            self.refuse(format!("{handle:#x} is no map"));
        }
        index
    }

    /// Reads a map's key.
    fn key(&mut self, map: usize, addr: u64) -> Option<Vec<u8>> {
        let mut key = vec![0; self.maps[map].spec.key_size as usize];
        if self.read(addr, &mut key) {
            return Some(key);
        }
        self.refuse(format!(
            "the key of map {} is outside of what a program may read",
            self.maps[map].spec.name
        ));
        None
    }

    fn lookup(&mut self, handle: u64, key: u64) -> i64 {
        let Some(map) = self.map(handle) else { return 0 };
        let Some(key) = self.key(map, key) else { return 0 };
        let (cpus, cpu) = (self.cpus, self.cpu);
        let map = &self.maps[map];
        let Some(entry) = map.find(&key) else { return 0 };
        let copy = if map.per_cpu() { cpu * map.spec.value_size as usize } else { 0 };
        (map.values.address() + (entry * stride(&map.spec, cpus) + copy) as u64) as i64
    }

    fn update(&mut self, handle: u64, key: u64, value: u64, flags: u64) -> i64 {
        let Some(map) = self.map(handle) else { return 0 };
        let Some(key) = self.key(map, key) else { return 0 };
        let mut bytes = vec![0; self.maps[map].spec.value_size as usize];
        if !self.read(value, &mut bytes) {
            let name = self.maps[map].spec.name.clone();
            return self.refuse(format!("a value for map {name} is outside of what a program may read"));
        }
        let (cpus, cpu, starved) = (self.cpus, self.cpu, self.starved);
        let map = &mut self.maps[map];
        if flags == 1 && map.find(&key).is_some() {
            return errno::EXIST;
        }
        if starved && map.asks_for_memory() && map.find(&key).is_none() {
            return errno::NOMEM;
        }
        let Some(entry) = map.find_or_make(&key, cpus) else { return errno::E2BIG };
        let copy = if map.per_cpu() { cpu * bytes.len() } else { 0 };
        map.values.write(entry * stride(&map.spec, cpus) + copy, &bytes);
        0
    }

    fn delete(&mut self, handle: u64, key: u64) -> i64 {
        let Some(map) = self.map(handle) else { return 0 };
        let Some(key) = self.key(map, key) else { return 0 };
        if self.maps[map].remove(&key) { 0 } else { errno::NOENT }
    }

    /// How many bytes from an address can be read, up to the buffer's length: of the program's own memory for the
    /// kernel's helper, else of the event's.
    fn readable(&mut self, user: bool, addr: u64, buf: &mut [u8]) -> usize {
        if !user && self.read(addr, buf) {
            return buf.len();
        }
        self.memory.read(user, addr, buf).min(buf.len())
    }

    fn probe_read(&mut self, user: bool, dst: u64, len: u64, src: u64) -> i64 {
        let Some(mut buf) = self.destination(dst, len) else { return errno::FAULT };
        let whole = self.readable(user, src, &mut buf) == buf.len();
        if !whole {
            buf.fill(0);
        }
        self.write(dst, &buf);
        if whole { 0 } else { errno::FAULT }
    }

    fn probe_write(&mut self, dst: u64, src: u64, len: u64) -> i64 {
        let mut bytes = vec![0; len.min(MOST) as usize];
        if !self.read(src, &mut bytes) {
            return self.refuse("what is written is outside of what a program may read".to_owned());
        }
        if self.memory.write(dst, &bytes) { 0 } else { errno::FAULT }
    }

    fn probe_read_str(&mut self, user: bool, dst: u64, len: u64, src: u64) -> i64 {
        let Some(mut buf) = self.destination(dst, len) else { return errno::FAULT };
        let Some(last) = buf.len().checked_sub(1) else { return 0 };
        // Byte by byte, since a string of the program's own may end before its memory does.
        let mut count = 0;
        for i in 0..buf.len() {
            let mut byte = [0];
            if self.readable(user, src.wrapping_add(i as u64), &mut byte) == 0 {
                buf.fill(0);
                self.write(dst, &buf);
                return errno::FAULT;
            }
            buf[i] = byte[0];
            count = i + 1;
            if byte[0] == 0 {
                break;
            }
        }
        buf[count.min(last + 1) - 1] = 0;
        self.write(dst, &buf[..count]);
        count as i64
    }

    /// A buffer for what goes to an address, which must be the program's.
    fn destination(&mut self, dst: u64, len: u64) -> Option<Vec<u8>> {
        let mut buf = vec![0; usize::try_from(len).ok().filter(|&len| len <= MOST as usize)?];
        if !self.read(dst, &mut buf) {
            self.refuse(format!("{len} bytes at {dst:#x} are outside of what a program may write"));
            return None;
        }
        Some(buf)
    }

    fn output(&mut self, handle: u64, data: u64, len: u64) -> i64 {
        let Some(map) = self.map(handle) else { return 0 };
        let Some(mut record) = usize::try_from(len).ok().map(|len| vec![0; len.min(MOST as usize)]) else {
            return 0;
        };
        if !self.read(data, &mut record) {
            return self.refuse("a record is outside of what a program may read".to_owned());
        }
        let takes = RING_HEADER + record.len().next_multiple_of(8);
        if self.ring_used + takes > self.maps[map].spec.max_entries as usize {
            return errno::AGAIN;
        }
        self.ring_used += takes;
        self.records.push(record);
        0
    }
}

thread_local! {
    static RUNNING: RefCell<Option<Box<World>>> = const { RefCell::new(None) };
}

/// Runs `body` with the world where helpers find it.
pub(super) fn with_world<T>(world: Box<World>, body: impl FnOnce() -> T) -> (Box<World>, T) {
    let outer = RUNNING.replace(Some(world));
    let result = body();
    let world = RUNNING.replace(outer);
    // What was put there is taken out: helpers only borrow it.
    let Some(world) = world else { unreachable!("the world of a run is where it was put") };
    (world, result)
}

/// What a helper does.
fn helped(act: impl FnOnce(&mut World) -> i64) -> u64 {
    RUNNING.with_borrow_mut(|world| world.as_mut().map_or(0, |world| act(world) as u64))
}

/// The helpers: number, how many arguments they read, what they do.
pub(super) const HELPERS: &[(i32, u32, Helper)] = &[
    (STACK_HELPER, 1, |top, _, _, _, _| {
        helped(|w| {
            w.stack = top - STACK..top;
            0
        })
    }),
    (helper::MAP_LOOKUP_ELEM, 2, |map, key, _, _, _| helped(|w| w.lookup(map, key))),
    (helper::MAP_UPDATE_ELEM, 4, |map, key, value, flags, _| helped(|w| w.update(map, key, value, flags))),
    (helper::MAP_DELETE_ELEM, 2, |map, key, _, _, _| helped(|w| w.delete(map, key))),
    (helper::PROBE_READ_USER, 3, |dst, len, src, _, _| helped(|w| w.probe_read(true, dst, len, src))),
    (helper::PROBE_READ_KERNEL, 3, |dst, len, src, _, _| helped(|w| w.probe_read(false, dst, len, src))),
    (helper::PROBE_READ_USER_STR, 3, |dst, len, src, _, _| helped(|w| w.probe_read_str(true, dst, len, src))),
    (helper::PROBE_READ_KERNEL_STR, 3, |dst, len, src, _, _| {
        helped(|w| w.probe_read_str(false, dst, len, src))
    }),
    (helper::PROBE_WRITE_USER, 3, |dst, src, len, _, _| helped(|w| w.probe_write(dst, src, len))),
    (helper::RINGBUF_OUTPUT, 4, |ring, data, len, _, _| helped(|w| w.output(ring, data, len))),
    (helper::RINGBUF_QUERY, 2, |_, _, _, _, _| helped(|w| w.ring_used as i64)),
    (helper::GET_STACK, 4, |_, _, _, _, _| live("bpf_get_stack")),
    (helper::SEND_SIGNAL, 1, |_, _, _, _, _| live("bpf_send_signal")),
    (helper::KTIME_GET_NS, 0, |_, _, _, _, _| live("bpf_ktime_get_ns")),
    // One program runs at a time, on whatever CPU: this chooses memory, and events have a CPU of their own.
    (helper::GET_SMP_PROCESSOR_ID, 0, |_, _, _, _, _| 0),
    (helper::GET_CURRENT_PID_TGID, 0, |_, _, _, _, _| live("bpf_get_current_pid_tgid")),
    (helper::GET_CURRENT_UID_GID, 0, |_, _, _, _, _| live("bpf_get_current_uid_gid")),
    (helper::GET_CURRENT_COMM, 2, |_, _, _, _, _| live("bpf_get_current_comm")),
    (helper::GET_CURRENT_TASK, 0, |_, _, _, _, _| live("bpf_get_current_task")),
    (helper::GET_CURRENT_TASK_BTF, 0, |_, _, _, _, _| live("bpf_get_current_task_btf")),
    (helper::TASK_PT_REGS, 1, |_, _, _, _, _| live("bpf_task_pt_regs")),
    (helper::TASK_STORAGE_GET, 4, |_, _, _, _, _| live("bpf_task_storage_get")),
];

/// A helper that asks the live machine: an injected event has all of it.
fn live(name: &str) -> u64 {
    helped(|w| w.refuse(format!("{name} is called, but the event is injected")))
}
