//! K-homed variables and aggregations, as user space reaches them: one code for the kernel's maps and the harness's.
//!
//! Comes in: a [`MapAccess`], where things lie in it, and the plan. Goes out: [`KernelState`], in canonical values, so that
//! `@[probefunc]` and `@["read"]` are one entry. Never: a slot zeroed or removed that a program may still write to.
//!
//! # Sweeping
//!
//! A program reads the generation at each update, which carries it. A cut increments the number (atomically, since programs
//! of several CPUs and user space may cut at one moment), so what belongs to older generations changes only until the runs
//! that began before the cut have ended. A sweep waits for those ([`MapAccess::quiesce`]), hands over every entry of an older
//! generation, removes it, and moves [`control::ACKED`] up. An array keeps N generations and so at most N - 1 may be unacknowledged; a cut that finds no room
//! falls together with the one before it and is counted. Nothing is lost: what it would have cut off comes with the next.
//!
//! The last sweep, when no program runs any more, removes nothing: with many keys that would take longer than to read them,
//! and the maps go with the program.

use dtrail_lang::builtins::{AggFn, BuiltinVar, aggs::Shape};
use dtrail_lang::env::Probe;
use dtrail_lang::ir::{AggId, ValueType, VarId};
use dtrail_lang::plan::{KeyPart, Plan};
use dtrail_vm::agg::{AggState, Deviation};
use dtrail_vm::event::KernelState;
use dtrail_vm::speculation::words::Words;
use dtrail_vm::value::Value;

use crate::ebpf::{AggPlace, MapAccess, SpeculationWords, StateLayout, VarPlace, control, var_place};

/// The kernel part's state behind some maps.
#[derive(Debug)]
pub struct MappedState<M> {
    maps: M,
    layout: StateLayout,
    facts: Facts,
    /// Whether programs may have run since everything was swept.
    dirty: bool,
    /// Whether the hashes still hold what the last sweep handed over.
    spent: bool,
    /// Whether no program runs, and none will until the gate is opened.
    quiet: bool,
    /// Cuts of tracer-fired clauses that fell together, since they were last asked for.
    coalesced: u64,
    /// How many stacks had been put into their map when it was last emptied.
    stacks_taken: u64,
}

/// What of a plan is needed to understand the maps.
#[derive(Debug)]
struct Facts {
    strsize: u32,
    /// Whether keys carry a generation.
    cuts: bool,
    /// Generations that an array keeps.
    generations: u64,
    /// By variable.
    vars: Vec<VarFacts>,
    /// By aggregation.
    aggs: Vec<(AggFn, Shape)>,
    /// By probe, for [`KeyPart::Probe`].
    probes: Vec<Probe>,
}

#[derive(Debug)]
struct VarFacts {
    ty: ValueType,
    key: Vec<KeyPart>,
}

impl<M: MapAccess> MappedState<M> {
    /// The state of `plan`, emitted with `layout`, in `maps`.
    pub fn new(plan: &Plan, layout: StateLayout, maps: M) -> MappedState<M> {
        let program = &plan.program;
        let vars = program.vars.iter().zip(&plan.homes);
        let facts = Facts {
            strsize: program.limits.strsize,
            cuts: plan.cuts.any(),
            generations: u64::from(plan.cuts.generations()),
            vars: vars.map(|(var, home)| VarFacts { ty: var.ty, key: home.key.clone() }).collect(),
            aggs: program.aggs.iter().map(|agg| (agg.func, agg.shape)).collect(),
            probes: program.probes.clone(),
        };
        MappedState {
            maps,
            layout,
            facts,
            dirty: false,
            spent: false,
            quiet: true,
            coalesced: 0,
            stacks_taken: 0,
        }
    }

    /// The maps.
    pub fn maps(&mut self) -> &mut M {
        &mut self.maps
    }

    /// Where things lie in them.
    pub fn layout(&self) -> &StateLayout {
        &self.layout
    }

    /// Lets programs run from now on.
    pub fn open_gate(&mut self) {
        if std::mem::take(&mut self.spent) {
            for place in self.layout.aggs.iter().filter(|place| !place.key.is_empty()) {
                for map in place.maps() {
                    self.maps.take(map, &mut |_| true, &mut |_, _| {});
                }
            }
        }
        self.dirty = true;
        self.quiet = false;
        self.maps.set_control(control::GATE, 1);
    }

    /// Shuts the gate and waits until no program runs any more.
    pub fn shut_gate(&mut self) {
        self.maps.set_control(control::GATE, 0);
        if !self.quiet {
            self.maps.quiesce();
            self.quiet = true;
        }
    }

    /// Whether a program has shut the gate because a buffer is full.
    pub fn filled(&mut self) -> bool {
        !self.quiet && self.layout.fill.is_some() && self.maps.control(control::GATE) == 0
    }

    /// Cuts of tracer-fired clauses that fell together, since the last call.
    pub fn take_coalesced(&mut self) -> u64 {
        std::mem::take(&mut self.coalesced)
    }
}

impl<M: MapAccess> KernelState for MappedState<M> {
    fn get(&mut self, var: VarId, keys: &[Value]) -> Value {
        let Some(facts) = self.facts.vars.get(var.index()) else { return Value::Int(0) };
        let mut cell = vec![0; cell_size(facts.ty, self.facts.strsize)];
        match var_place(&self.layout, var) {
            Some(VarPlace::Global { map, offset }) => self.maps.read(map, offset, &mut cell),
            Some(VarPlace::Array { map }) => {
                let key = pack_key(&facts.key, self.facts.strsize, keys);
                if let Some(found) = self.maps.lookup(map, &key) {
                    cell = found;
                }
            }
            // A thread's or a firing's variables are nobody else's: reads as not there.
            Some(VarPlace::Task { .. } | VarPlace::Firing { .. }) | None => {}
        }
        unpack_cell(facts.ty, &cell)
    }

    fn set(&mut self, var: VarId, keys: &[Value], value: &Value) -> bool {
        let Some(facts) = self.facts.vars.get(var.index()) else { return false };
        let mut cell = vec![0; cell_size(facts.ty, self.facts.strsize)];
        pack_cell(value, &mut cell);
        match var_place(&self.layout, var) {
            Some(VarPlace::Global { map, offset }) => {
                self.maps.write(map, offset, &cell);
                true
            }
            Some(VarPlace::Array { map }) => {
                let key = pack_key(&facts.key, self.facts.strsize, keys);
                if matches!(value, Value::Int(0) | Value::Str(None)) {
                    self.maps.delete(map, &key);
                    return true;
                }
                self.maps.update(map, &key, &cell)
            }
            Some(VarPlace::Task { .. } | VarPlace::Firing { .. }) | None => false,
        }
    }

    fn stop(&mut self) {
        self.shut_gate();
    }

    fn kept(&mut self, cpu: u32, bytes: u64) {
        if let Some(fill) = self.layout.fill.filter(|fill| cpu < fill.cpus) {
            let word = fill.word + 2 * cpu + 1;
            let before = self.maps.control(word);
            self.maps.set_control(word, before + bytes);
        }
    }

    fn cut(&mut self) {
        if self.facts.generations < 2 {
            // The plan has no cuts, so its keys carry no generation: there is nothing to cut off before the end.
            return;
        }
        loop {
            let current = self.maps.control(control::GENERATION);
            let unacked = current.wrapping_sub(self.maps.control(control::ACKED));
            if unacked + 1 >= self.facts.generations {
                self.coalesced += 1;
                return;
            }
            // A program that cuts meanwhile takes room away, so this ends.
            if self.maps.replace_control(control::GENERATION, current, current + 1) {
                return;
            }
        }
    }

    fn sweep(&mut self, generation: Option<u32>, take: &mut dyn FnMut(AggId, u32, Box<[Value]>, AggState)) {
        let current = self.maps.control(control::GENERATION);
        let acked = self.maps.control(control::ACKED);
        let everything = generation.is_none() && self.maps.control(control::GATE) == 0;
        let before = match generation {
            // A record carries the low half of the generation.
            Some(low) => current.wrapping_sub(u64::from((current as u32).wrapping_sub(low))).min(current),
            None => current,
        };
        if everything && !self.dirty || !everything && before <= acked {
            return;
        }
        if !self.quiet {
            self.maps.quiesce();
            self.quiet = everything;
        }
        let last = everything && self.quiet;
        let mut buffer = Vec::new();
        for place in &self.layout.aggs {
            if place.key.is_empty() {
                let generations = if everything { acked..current + 1 } else { acked..before };
                sweep_array(&mut self.maps, &self.facts, place, generations, take);
            } else if !self.spent {
                let limit = match (last, everything) {
                    (true, _) => Limit::Last,
                    (false, true) => Limit::Below(u64::MAX),
                    (false, false) => Limit::Below(before),
                };
                sweep_hash(&mut self.maps, &self.facts, place, limit, &mut buffer, take);
            }
        }
        self.spent |= last;
        // What is removed makes room, before a generation can have its number again.
        let generations = if everything { acked..current + 1 } else { acked..before };
        for room in self.layout.aggs.iter().filter_map(|place| place.room) {
            for generation in generations.clone() {
                self.maps.set_control(room.word + (generation % self.facts.generations) as u32, 0);
            }
        }
        if everything {
            self.dirty = false;
        }
        self.maps.set_control(control::ACKED, if everything { current } else { before });
    }

    fn stacks(&mut self, take: &mut dyn FnMut(u64, &[u64], u64)) {
        let Some(map) = self.layout.stacks else { return };
        let put = self.maps.control(control::STACKS);
        if std::mem::replace(&mut self.stacks_taken, put) == put {
            return;
        }
        let mut words = Vec::new();
        self.maps.take(map, &mut |_| true, &mut |key, value| {
            let count = (word(value, 1) as usize).min(value.len() / 8 - 2);
            words.clear();
            words.extend((2..2 + count).map(|at| word(value, at)));
            take(word(key, 0), &words, word(value, 0));
        });
    }

    fn stacks_waiting(&mut self) -> bool {
        let put = self.layout.stacks.map_or(0, |_| self.maps.control(control::STACKS));
        // A quarter of the map.
        put.wrapping_sub(self.stacks_taken) > u64::from(self.layout.stack_entries / 4)
    }

    fn speculations(&mut self) -> Option<&mut dyn Words> {
        self.layout.speculations.is_some().then_some(self)
    }

    fn exit_status(&mut self) -> Option<i64> {
        match self.maps.control(control::EXITED) {
            0 => None,
            _ => Some(self.maps.control(control::STATUS) as i64),
        }
    }
}

impl<M: MapAccess> MappedState<M> {
    /// A word of a number, or behind all of those when it may be taken again.
    fn speculation_word(&self, number: u32, again: bool) -> u32 {
        let SpeculationWords { first, count } = self.layout.speculations.unwrap_or_default();
        // Numbers are asked for from 1 to the count.
        first + number - 1 + if again { count } else { 0 }
    }
}

impl<M: MapAccess> Words for MappedState<M> {
    fn count(&self) -> u32 {
        self.layout.speculations.map_or(0, |words| words.count)
    }

    fn word(&mut self, number: u32) -> u64 {
        self.maps.control(self.speculation_word(number, false))
    }

    fn replace_word(&mut self, number: u32, old: u64, new: u64) -> bool {
        self.maps.replace_control(self.speculation_word(number, false), old, new)
    }

    fn until(&mut self, number: u32) -> u64 {
        self.maps.control(self.speculation_word(number, true))
    }

    fn set_until(&mut self, number: u32, time: u64) {
        self.maps.set_control(self.speculation_word(number, true), time);
    }
}

/// Hands over and clears the entries of an array that belong to these generations, one entry each.
fn sweep_array(
    maps: &mut dyn MapAccess,
    facts: &Facts,
    place: &AggPlace,
    generations: std::ops::Range<u64>,
    take: &mut dyn FnMut(AggId, u32, Box<[Value]>, AggState),
) {
    for generation in generations {
        let index = (place.first + (generation % facts.generations) as u32).to_le_bytes();
        let Some(value) = maps.lookup(place.map, &index) else { continue };
        if value.iter().all(|byte| *byte == 0) {
            continue;
        }
        maps.update(place.map, &index, &vec![0; value.len()]);
        for (cpu, state) in states(facts, place, &value) {
            take(place.agg, cpu, Box::new([]), state);
        }
    }
}

/// What of a hash is swept.
#[derive(Clone, Copy)]
enum Limit {
    /// Entries of generations below.
    Below(u64),
    /// All, and they stay.
    Last,
}

/// Hands over the entries of an aggregation's hashes up to `limit`, and removes them.
fn sweep_hash(
    maps: &mut dyn MapAccess,
    facts: &Facts,
    place: &AggPlace,
    limit: Limit,
    buffer: &mut Vec<Value>,
    take: &mut dyn FnMut(AggId, u32, Box<[Value]>, AggState),
) {
    let prefix = if facts.cuts { 8 } else { 0 };
    let mut hand_over = |key: &[u8], value: &[u8]| {
        buffer.clear();
        unpack_key(facts, &place.key, key.get(prefix..).unwrap_or_default(), buffer);
        for (cpu, state) in states(facts, place, value) {
            take(place.agg, cpu, buffer.as_slice().into(), state);
        }
    };
    for map in place.maps() {
        match limit {
            Limit::Last => maps.show(map, &mut hand_over),
            Limit::Below(limit) => {
                let mut which = |key: &[u8]| !facts.cuts || word(key, 0) < limit;
                maps.take(map, &mut which, &mut hand_over);
            }
        }
    }
}

/// The states in a value that have seen an update, each with its CPU.
fn states<'a>(
    facts: &'a Facts,
    place: &'a AggPlace,
    value: &'a [u8],
) -> impl Iterator<Item = (u32, AggState)> + 'a {
    let (func, shape) = facts.aggs[place.agg.index()];
    let slots = place.slots.max(1);
    value.chunks_exact(place.words.max(1) as usize * 8).enumerate().filter_map(move |(i, words)| {
        let state = unpack_state(func, shape, words)?;
        Some((i as u32 / slots, state))
    })
}

/// One state; `None` if nothing was ever added to it.
fn unpack_state(func: AggFn, shape: Shape, words: &[u8]) -> Option<AggState> {
    let (first, second) = (word(words, 0), word(words, 1) as i64);
    if first == 0 {
        return None;
    }
    Some(match func {
        AggFn::Count => AggState::Count(first),
        AggFn::Sum => AggState::Sum(second),
        AggFn::Min => AggState::Min(Some(second)),
        AggFn::Max => AggState::Max(Some(second)),
        AggFn::Avg => AggState::Avg { count: first, sum: second },
        AggFn::Stddev => {
            let squares = u128::from(word(words, 3)) << 64 | u128::from(word(words, 2));
            AggState::Stddev(Box::new(Deviation { count: first, sum: second, squares }))
        }
        // Never in the kernel.
        AggFn::Percentile | AggFn::Distinct | AggFn::Topk => return None,
        AggFn::Quantize | AggFn::Lquantize | AggFn::Llquantize => {
            let counts = (0..shape.buckets() as usize).map(|i| (i, word(words, 1 + i) as i64));
            AggState::Buckets(counts.collect())
        }
    })
}

/// Packs a key as the emitter does.
fn pack_key(parts: &[KeyPart], strsize: u32, keys: &[Value]) -> Vec<u8> {
    let mut packed = Vec::new();
    for (part, key) in parts.iter().zip(keys) {
        let end = packed.len() + part.size(strsize) as usize;
        match part {
            KeyPart::Str => {
                packed.resize(end, 0);
                let start = end - part.size(strsize) as usize;
                pack_cell(key, &mut packed[start..]);
            }
            KeyPart::Int | KeyPart::Probe(_) => packed.extend(key.int().to_le_bytes()),
            KeyPart::Execname => packed.extend(key.bytes().iter().take(16)),
        }
        packed.resize(end, 0);
    }
    packed
}

/// Takes a packed key apart into canonical values.
fn unpack_key(facts: &Facts, parts: &[KeyPart], mut packed: &[u8], out: &mut Vec<Value>) {
    for part in parts {
        let size = (part.size(facts.strsize) as usize).min(packed.len());
        let (bytes, rest) = packed.split_at(size);
        packed = rest;
        out.push(match part {
            KeyPart::Int => Value::Int(word(bytes, 0) as i64),
            KeyPart::Str => unpack_cell(ValueType::Str, bytes),
            KeyPart::Execname => Value::Str(Some(until_nul(bytes).into())),
            KeyPart::Probe(var) => probe_component(facts.probes.get(word(bytes, 0) as usize), *var),
        });
    }
}

/// What a probe's own variable reads.
fn probe_component(probe: Option<&Probe>, var: BuiltinVar) -> Value {
    let Some(probe) = probe else { return Value::Str(None) };
    let text = match var {
        BuiltinVar::Id => return Value::Int(i64::from(probe.id.0)),
        BuiltinVar::Probeprov => &probe.provider,
        BuiltinVar::Probemod => &probe.module,
        BuiltinVar::Probename => &probe.name,
        _ => &probe.function,
    };
    Value::Str(Some(text.as_bytes().into()))
}

fn cell_size(ty: ValueType, strsize: u32) -> usize {
    dtrail_lang::plan::layout::cell_bytes(ty, strsize) as usize
}

/// Writes a value into a zeroed cell; a string is cut to what fits.
fn pack_cell(value: &Value, cell: &mut [u8]) {
    match value {
        Value::Int(v) => cell[..8].copy_from_slice(&v.to_le_bytes()),
        Value::Str(None) => {}
        Value::Str(Some(bytes)) => {
            let len = bytes.len().min(cell.len().saturating_sub(8));
            cell[..8].copy_from_slice(&(len as u64 + 1).to_le_bytes());
            cell[8..8 + len].copy_from_slice(&bytes[..len]);
        }
    }
}

fn unpack_cell(ty: ValueType, cell: &[u8]) -> Value {
    let first = word(cell, 0);
    match ty {
        ValueType::Str | ValueType::Bytes(_) | ValueType::Float(_) => {
            Value::Str(first.checked_sub(1).map(|len| {
                let bytes = cell.get(8..).unwrap_or_default();
                // A program may be writing it right now: length and bytes may not belong together.
                until_nul(&bytes[..bytes.len().min(len as usize)]).into()
            }))
        }
        ValueType::Int { .. } | ValueType::Pointer | ValueType::Symbolic(_) => Value::Int(first as i64),
    }
}

fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// The word at an index; 0 beyond the end.
fn word(bytes: &[u8], index: usize) -> u64 {
    bytes.get(8 * index..8 * index + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes)
}

#[cfg(test)]
mod tests;
