//! Records that are printed when tracing has ended: the buffer policies `fill` and `ring` (runtime spec §12.1). In: what
//! firings recorded, with CPU, size and time. Out: the same in the order of printing; whether a buffer is full.

use std::collections::{BTreeMap, VecDeque};

use dtrail_lang::env::ProbeId;
use dtrail_lang::ir::{Program, SiteId};

use super::kept;
use super::session::Item;
use super::settings::Policy;
use crate::record::Records;

/// What one firing leaves to be printed on one CPU.
pub(super) struct Kept {
    pub(super) cpu: u32,
    /// Monotonic nanoseconds, and what tells pieces of one moment apart.
    pub(super) time: u64,
    order: u64,
    pub(super) records: Records,
    pub(super) items: Vec<Item>,
    /// Bytes that it takes in its CPU's buffer.
    size: u64,
}

/// The buffers of a run, one a CPU.
pub(super) struct Held {
    policy: Policy,
    /// Bytes of a buffer that `END` does not need.
    room: u64,
    temporal: bool,
    /// The CPU that `BEGIN` ran on: its buffer is printed first.
    begin: Option<u32>,
    buffers: BTreeMap<u32, Buffer>,
    end: VecDeque<Kept>,
    full: bool,
    /// How many pieces were kept.
    count: u64,
}

#[derive(Default)]
struct Buffer {
    kept: VecDeque<Kept>,
    bytes: u64,
}

impl Held {
    /// Empty buffers of `size` bytes for a program; `None` if records are printed as they come.
    pub(super) fn new(policy: Policy, size: u64, temporal: bool, program: &Program) -> Option<Held> {
        let room = match policy {
            Policy::Switch => return None,
            Policy::Fill => kept::room_to_fill(program, size),
            Policy::Ring => size,
        };
        Some(Held {
            policy,
            room,
            temporal,
            begin: None,
            buffers: BTreeMap::new(),
            end: VecDeque::new(),
            full: false,
            count: 0,
        })
    }

    /// Whether a record did not fit: tracing ends.
    pub(super) fn full(&self) -> bool {
        self.full
    }

    /// Bytes that are taken of a CPU's buffer.
    pub(super) fn taken(&self, cpu: u32) -> u64 {
        self.buffers.get(&cpu).map_or(0, |buffer| buffer.bytes)
    }

    /// Keeps what a firing of a probe on a CPU recorded, or takes note that there is no room for it. What a speculation
    /// recorded elsewhere goes to the buffer of the CPU where that was.
    pub(super) fn keep(
        &mut self,
        probe: ProbeId,
        cpu: u32,
        time: u64,
        (records, items): (Records, Vec<Item>),
        program: &Program,
    ) {
        let elsewhere = |item: &Item| matches!(item, Item::Row { cpu: Some(own), .. } if *own != cpu);
        if !items.iter().any(elsewhere) {
            return self.keep_on(probe, cpu, time, (records, items), program);
        }
        let types = |site: SiteId| program.sites.get(site.index()).map_or(&[][..], |site| &site.args);
        let mut items = items.into_iter().peekable();
        while let Some(item) = items.next() {
            let on = item.cpu().unwrap_or(cpu);
            let mut own = Records::default();
            let mut moved = |item: Item| match item {
                Item::Row { row, probe, cpu } => {
                    own.append(&records, row, types).map(|row| Item::Row { row, probe, cpu })
                }
                other => Some(other),
            };
            let mut piece: Vec<Item> = moved(item).into_iter().collect();
            while let Some(item) = items.next_if(|item| item.cpu().unwrap_or(cpu) == on) {
                piece.extend(moved(item));
            }
            self.keep_on(probe, on, time, (own, piece), program);
        }
    }

    fn keep_on(
        &mut self,
        probe: ProbeId,
        cpu: u32,
        time: u64,
        (records, items): (Records, Vec<Item>),
        program: &Program,
    ) {
        let rows = items.iter().filter_map(|item| match item {
            Item::Row { row, .. } => Some(kept::row(&records, program, *row)),
            Item::Help(_) | Item::Fault(_) => None,
        });
        let size = rows.sum();
        self.count += 1;
        let kept = Kept { cpu, time, order: self.count, records, items, size };
        if probe == ProbeId::END {
            return self.end.push_back(kept);
        }
        let buffer = self.buffers.entry(kept.cpu).or_default();
        if self.policy == Policy::Fill && (self.full || buffer.bytes + kept.size > self.room) {
            self.full = true;
            return;
        }
        buffer.bytes += kept.size;
        if probe == ProbeId::BEGIN {
            self.begin.get_or_insert(kept.cpu);
        }
        buffer.kept.push_back(kept);
        while buffer.bytes > self.room {
            let Some(oldest) = buffer.kept.pop_front() else { break };
            buffer.bytes -= oldest.size;
        }
    }

    /// Takes note that the source lost a record for want of room: with `fill` that is the end, too.
    pub(super) fn lost(&mut self) {
        self.full |= self.policy == Policy::Fill;
    }

    /// Everything in the order of printing: CPU by CPU, that of `BEGIN` first, or by time; then `END`.
    pub(super) fn release(&mut self) -> impl Iterator<Item = Kept> + use<> {
        let mut buffers = std::mem::take(&mut self.buffers);
        let first = self.begin.and_then(|cpu| buffers.remove(&cpu));
        let buffers = first.into_iter().chain(buffers.into_values());
        let mut middle: Vec<Kept> = buffers.flat_map(|buffer| buffer.kept).collect();
        if self.temporal {
            middle.sort_by_key(|kept| (kept.time, kept.order));
        }
        middle.into_iter().chain(std::mem::take(&mut self.end))
    }
}

/// Why a program's records do not fit a buffer of `size` bytes, if they do not.
pub(super) fn too_large(program: &Program, policy: Policy, size: u64) -> Option<&'static str> {
    if kept::clauses(program).into_iter().any(|most| most > size) {
        return Some("Enabling exceeds size of buffer");
    }
    (policy == Policy::Fill && kept::end(program) > size)
        .then_some("END enablings exceed size of principal buffer")
}
