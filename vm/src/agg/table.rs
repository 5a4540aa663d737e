//! A keyed table for each aggregation: the one place where updates of user clauses and sweeps of kernel maps end.
//! In: canonical keys ([`crate::value`]) and updates or states. Out: entries, in the order of their first update.

use std::collections::{BTreeMap, HashSet};

use dtrail_lang::builtins::{AggFn, aggs::Shape};
use dtrail_lang::ir::{self, AggId, RegKind, ValueType};
use dtrail_lang::plan::layout::{self, KeyPart};
use dtrail_lang::plan::{Rooms, Side};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::AggState;
use super::entries::{Entries, Entry};
use super::key::Key;
use super::sort;
use crate::stacks::StackTable;
use crate::value::Value;

/// All aggregations of a session, by [`AggId`].
#[derive(Clone, Debug, Default)]
pub struct AggTables {
    tables: Vec<AggTable>,
    /// Whether rooms are not told apart.
    alike: bool,
    key: Vec<u8>,
}

impl AggTables {
    /// Empty tables for a program. `aggsize` bounds what of each is updated between two cuts, in bytes, each room by
    /// itself.
    pub fn new(program: &ir::Program, rooms: &Rooms, aggsize: u64) -> AggTables {
        let strsize = program.limits.strsize;
        let tables = program.aggs.iter().enumerate();
        let tables = tables.map(|(i, agg)| AggTable::new(agg, rooms.agg(AggId(i as u32)), aggsize, strsize));
        AggTables { tables: tables.collect(), alike: *rooms == Rooms::default(), key: Vec::new() }
    }

    /// From now on each table also keeps what each CPU counted (`aggpercpu`).
    pub fn keep_cpus(&mut self) {
        self.tables.iter_mut().for_each(|table| {
            table.per_cpu = Some(PerCpu::default());
            table.integers = false;
            table.quick = NEVER;
        });
    }

    /// Goes on with the tables of another program that are the same here: by name, function, constants and keys.
    pub fn take_over(&mut self, old: AggTables) {
        for table in old.tables {
            let same = |new: &&mut AggTable| {
                (&new.name, new.func, new.shape, &new.types)
                    == (&table.name, table.func, table.shape, &table.types)
            };
            if let Some(new) = self.tables.iter_mut().find(same) {
                *new = table;
            }
        }
    }

    /// One aggregation.
    pub fn get(&self, agg: AggId) -> Option<&AggTable> {
        self.tables.get(agg.index())
    }

    /// One aggregation, to change.
    pub fn get_mut(&mut self, agg: AggId) -> Option<&mut AggTable> {
        self.tables.get_mut(agg.index())
    }

    /// All by their number, for compiled code.
    #[inline]
    pub(crate) fn tables(&mut self) -> &mut [AggTable] {
        &mut self.tables
    }

    /// All, in order of first appearance in the program.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &AggTable> {
        self.tables.iter()
    }

    /// A cut: what is updated from now on is bounded anew, in rooms of K only if it cuts there (`kernel`,
    /// [`Rooms::cuts`]).
    pub fn cut(&mut self, kernel: bool) {
        self.tables.iter_mut().for_each(|table| table.cut(kernel));
    }

    /// A cut of the rooms of K alone; of all, where rooms are not told apart.
    pub fn cut_kernel(&mut self) {
        for table in &mut self.tables {
            if self.alike {
                table.cut(true);
            } else if table.room == Side::Kernel {
                table.cut_first();
            }
        }
    }

    /// Merges what a kernel map held for a CPU.
    pub fn merge(&mut self, agg: AggId, cpu: u32, key: &[Value], state: AggState) {
        let AggTables { tables, key: bytes, .. } = self;
        bytes.clear();
        key.iter().for_each(|part| part.as_ref().encode(bytes));
        if let Some(table) = tables.get_mut(agg.index()) {
            if let Some(per_cpu) = &mut table.per_cpu {
                per_cpu.state(bytes, cpu, table.func).merge(&state);
            }
            table.merge(bytes, state);
        }
    }
}

/// A generation that never comes.
const NEVER: u64 = u64::MAX;

/// One aggregation.
#[derive(Clone, Debug)]
pub struct AggTable {
    name: Box<str>,
    func: AggFn,
    shape: Shape,
    types: Box<[ValueType]>,
    /// No part of a key is a string, and CPUs are not kept apart: [`AggTable::update_two`] serves.
    integers: bool,
    entries: Entries,
    /// Whose room is counted here; if it is K's, U's is `second`.
    room: Side,
    /// The keys that were updated in the second room since the last cut.
    second: HashSet<Box<[u8]>, RandomState>,
    /// How many keys can be updated between two cuts in each room, and how many were in the first since the last.
    capacity: usize,
    updated: usize,
    /// Cuts so far, plus 1.
    generation: u64,
    /// The same if `integers`, else [`NEVER`]: an entry that was updated then can be updated in few steps.
    quick: u64,
    printed: bool,
    normal: i64,
    per_cpu: Option<PerCpu>,
}

/// What each CPU counted.
#[derive(Clone, Debug, Default)]
struct PerCpu {
    entries: IndexMap<Box<[u8]>, BTreeMap<u32, AggState>, RandomState>,
    /// One more than the greatest CPU.
    cpus: u32,
}

impl PerCpu {
    fn state(&mut self, key: &[u8], cpu: u32, func: AggFn) -> &mut AggState {
        self.cpus = self.cpus.max(cpu.saturating_add(1));
        let at = match self.entries.get_index_of(key) {
            Some(at) => at,
            // A key takes memory the first time it comes, and no more.
            None => self.entries.insert_full(key.into(), BTreeMap::new()).0,
        };
        self.entries[at].entry(cpu).or_insert_with(|| AggState::new(func))
    }
}

impl AggTable {
    fn new(agg: &ir::Aggregation, room: Side, aggsize: u64, strsize: u32) -> AggTable {
        let value = u64::from(layout::agg_words(agg.func, agg.shape)) * 8;
        let parts = agg.keys.iter().map(|&ty| KeyPart::of(ty));
        let integers = agg.keys.iter().all(|ty| ty.reg_kind() == RegKind::Int)
            && !matches!(agg.shape, Shape::Distinct { .. } | Shape::Top { .. });
        AggTable {
            name: agg.name.as_str().into(),
            func: agg.func,
            shape: agg.shape,
            types: agg.keys.as_slice().into(),
            integers,
            entries: Entries::default(),
            room,
            second: HashSet::default(),
            capacity: layout::entries(aggsize, parts, strsize, value) as usize,
            updated: 0,
            generation: 1,
            quick: if integers { 1 } else { NEVER },
            printed: false,
            normal: 1,
            per_cpu: None,
        }
    }

    /// Updates an entry, or makes it. `false`: as many other keys as there is room for were updated since the last cut,
    /// and the update is lost.
    pub fn update(&mut self, key: &[u8], value: i64, weight: i64) -> bool {
        let shape = self.shape;
        self.change(key, |state| state.update(shape, value, weight))
    }

    /// The same for a function that tells values from each other.
    pub fn update_item(&mut self, key: &[u8], item: &[u8]) -> bool {
        let shape = self.shape;
        self.change(key, |state| state.update_item(shape, item))
    }

    #[inline]
    fn change(&mut self, key: &[u8], change: impl FnOnce(&mut AggState)) -> bool {
        let now = self.generation;
        match self.find(key).and_then(|place| self.entries.get_mut(place)) {
            Some(entry) if entry.updated == now => {
                change(&mut entry.state);
                true
            }
            _ => self.add(key, change),
        }
    }

    /// The same as [`AggTable::update`] in the second room.
    pub fn update_second(&mut self, key: &[u8], value: i64, weight: i64) -> bool {
        let shape = self.shape;
        self.change_second(key, |state| state.update(shape, value, weight))
    }

    /// The same as [`AggTable::update_item`] in the second room.
    pub fn update_item_second(&mut self, key: &[u8], item: &[u8]) -> bool {
        let shape = self.shape;
        self.change_second(key, |state| state.update_item(shape, item))
    }

    fn change_second(&mut self, key: &[u8], change: impl FnOnce(&mut AggState)) -> bool {
        if !self.second.contains(key) {
            if self.second.len() >= self.capacity {
                return false;
            }
            self.second.insert(key.into());
        }
        match self.find(key).and_then(|place| self.entries.get_mut(place)) {
            Some(entry) => {
                change(&mut entry.state);
                true
            }
            None => {
                let mut state = AggState::new(self.func);
                change(&mut state);
                // In the first room it was never updated.
                self.entries.push(Entry { key: key.into(), state, updated: 0 })
            }
        }
    }

    /// A cut: from now on there is room for as many keys as at the start. See [`AggTables::cut`].
    fn cut(&mut self, kernel: bool) {
        self.second.clear();
        if self.room == Side::User || kernel {
            self.cut_first();
        }
    }

    /// The same of the first room alone.
    fn cut_first(&mut self) {
        self.generation += 1;
        self.quick = if self.integers { self.generation } else { NEVER };
        self.updated = 0;
    }

    /// [`AggTable::update`] without keys. `false`: it is not done, and is to be done in full: the table has keys, or the
    /// entry was not updated since the last cut, or what it counts is to be told by CPU.
    #[inline]
    pub fn update_only(&mut self, value: i64, weight: i64) -> bool {
        self.types.is_empty() && self.update_found(Some(0), value, weight)
    }

    // For keys the entry is looked for where most are, without need of a stack frame; the rest is calls at the end.

    /// The same for a key of one integer, which need not be laid out then.
    #[inline(always)]
    pub fn update_one(&mut self, one: u64, value: i64, weight: i64) -> bool {
        match self.entries.glance_one(one) {
            Some(entry) if entry.updated == self.quick => {
                entry.state.update_words(value) || update_state(&mut entry.state, &self.shape, value, weight)
            }
            _ => self.update_one_elsewhere(one, value, weight),
        }
    }

    #[cold]
    #[inline(never)]
    fn update_one_elsewhere(&mut self, one: u64, value: i64, weight: i64) -> bool {
        self.update_found(self.entries.find_one(one), value, weight)
    }

    /// The same for a key of two. They come as they are, not in an array: to read a pair at once that was written one by
    /// one costs more than all the rest.
    #[inline(always)]
    pub fn update_two(&mut self, one: u64, two: u64, value: i64, weight: i64) -> bool {
        match self.entries.glance_two(one, two) {
            Some(entry) if entry.updated == self.quick => {
                entry.state.update_words(value) || update_state(&mut entry.state, &self.shape, value, weight)
            }
            _ => self.update_two_elsewhere(one, two, value, weight),
        }
    }

    #[cold]
    #[inline(never)]
    fn update_two_elsewhere(&mut self, one: u64, two: u64, value: i64, weight: i64) -> bool {
        self.update_found(self.entries.find_two(one, two), value, weight)
    }

    #[inline(always)]
    fn update_found(&mut self, found: Option<usize>, value: i64, weight: i64) -> bool {
        match found.and_then(|place| self.entries.get_mut(place)) {
            Some(entry) if entry.updated == self.quick => {
                entry.state.update_words(value) || update_state(&mut entry.state, &self.shape, value, weight)
            }
            _ => false,
        }
    }

    /// The first update of a key since the last cut.
    #[cold]
    fn add(&mut self, key: &[u8], change: impl FnOnce(&mut AggState)) -> bool {
        if self.updated >= self.capacity {
            return false;
        }
        let updated = self.generation;
        if let Some(entry) = self.find(key).and_then(|place| self.entries.get_mut(place)) {
            self.updated += 1;
            entry.updated = updated;
            change(&mut entry.state);
            return true;
        }
        let mut state = AggState::new(self.func);
        change(&mut state);
        let added = self.entries.push(Entry { key: key.into(), state, updated });
        self.updated += usize::from(added);
        added
    }

    /// Whether updates are to be told by CPU, too ([`AggTable::update_on`]).
    pub fn keeps_cpus(&self) -> bool {
        self.per_cpu.is_some()
    }

    /// Counts an update, which [`AggTable::update`] has taken, for its CPU.
    pub fn update_on(&mut self, cpu: u32, key: &[u8], value: i64, weight: i64) {
        if let Some(per_cpu) = &mut self.per_cpu {
            per_cpu.state(key, cpu, self.func).update(self.shape, value, weight);
        }
    }

    /// The same for [`AggTable::update_item`].
    pub fn update_item_on(&mut self, cpu: u32, key: &[u8], item: &[u8]) {
        if let Some(per_cpu) = &mut self.per_cpu {
            per_cpu.state(key, cpu, self.func).update_item(self.shape, item);
        }
    }

    /// What a CPU counted for a key.
    pub fn on_cpu(&self, key: &[u8], cpu: u32) -> Option<&AggState> {
        self.per_cpu.as_ref()?.entries.get(key)?.get(&cpu)
    }

    /// One more than the greatest CPU that counted anything, if CPUs are kept apart.
    pub fn cpus(&self) -> u32 {
        self.per_cpu.as_ref().map_or(0, |per_cpu| per_cpu.cpus)
    }

    /// The place of a key's entry. Without keys it is the only one: there is nothing to hash.
    #[inline]
    fn find(&self, key: &[u8]) -> Option<usize> {
        match self.types.is_empty() {
            true => Some(0),
            false => self.entries.find(key),
        }
    }

    /// Merges a state that was counted elsewhere: never refused, since its updates are done.
    pub fn merge(&mut self, key: &[u8], state: AggState) {
        self.merge_entry(Entry { key: key.into(), state, updated: 0 });
    }

    fn merge_entry(&mut self, other: Entry) {
        match self.find(other.key.bytes()).and_then(|place| self.entries.get_mut(place)) {
            Some(entry) => {
                entry.state.merge(&other.state);
                entry.updated = entry.updated.max(other.updated);
            }
            None => {
                self.entries.push(other);
            }
        }
    }

    /// Brings keys to the form that stands for all keys of the same meaning, and merges entries whose keys become equal.
    /// `canonical` gives the new key where it differs.
    pub fn rekey(&mut self, mut canonical: impl FnMut(&[u8]) -> Option<Vec<u8>>) {
        let renamed: Vec<_> = self.entries.iter().map(|entry| canonical(entry.key.bytes())).collect();
        if renamed.iter().all(Option::is_none) {
            return;
        }
        for (mut entry, renamed) in self.entries.take().into_iter().zip(renamed) {
            if let Some(key) = renamed {
                entry.key = Key::from(&key[..]);
            }
            self.merge_entry(entry);
        }
        if let Some(per_cpu) = &mut self.per_cpu {
            for (key, states) in std::mem::take(&mut per_cpu.entries) {
                let key = canonical(&key).map_or(key, Vec::into_boxed_slice);
                for (cpu, state) in states {
                    per_cpu.state(&key, cpu, self.func).merge(&state);
                }
            }
        }
    }

    /// `clear`: values back to none, keys kept.
    pub fn clear(&mut self) {
        self.entries.states_mut().for_each(AggState::clear);
        if let Some(per_cpu) = &mut self.per_cpu {
            per_cpu.entries.clear();
        }
    }

    /// `trunc`: keeps the `keep` largest entries by value (ties: the larger key), for a negative number the smallest,
    /// for 0 none. Options of sorting play no part (runtime spec §7.9).
    pub fn trunc(&mut self, keep: i64, stacks: &StackTable) {
        let count = usize::try_from(keep.unsigned_abs()).unwrap_or(usize::MAX);
        if count >= self.entries.len() {
            return;
        }
        let mut order = sort::default_order(self, stacks);
        let lost = if keep < 0 { order.split_off(count) } else { order[..order.len() - count].to_vec() };
        let mut kept = vec![true; self.entries.len()];
        lost.into_iter().for_each(|entry| kept[entry as usize] = false);
        self.entries.retain(|place| kept[place]);
        if let Some(per_cpu) = &mut self.per_cpu {
            per_cpu.entries.retain(|key, _| self.entries.find(key).is_some());
        }
    }

    /// `normalize`: divides what is printed from now on, instead of what was set before. 0 is ignored.
    pub fn normalize(&mut self, normal: i64) {
        if normal != 0 {
            self.normal = normal;
        }
    }

    /// What printed values are divided by: never 0.
    pub fn normal(&self) -> i64 {
        self.normal
    }

    /// Its name in the program, without `@`; `_` if it has none.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The aggregating function.
    pub fn func(&self) -> AggFn {
        self.func
    }

    /// The constants of the function.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The key types.
    pub fn types(&self) -> &[ValueType] {
        &self.types
    }

    /// Keys and states, in the order of their first update.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (&[u8], &AggState)> {
        self.entries.iter().map(|entry| (entry.key.bytes(), &entry.state))
    }

    /// One of [`AggTable::entries`], by its place.
    pub fn entry(&self, place: usize) -> Option<(&[u8], &AggState)> {
        self.entries.get(place).map(|entry| (entry.key.bytes(), &entry.state))
    }

    /// The entry of a key.
    pub fn get(&self, key: &[u8]) -> Option<&AggState> {
        self.entries.get(self.find(key)?).map(|entry| &entry.state)
    }

    /// Whether a `printa` printed any entry: then the end of the run does not.
    pub fn printed(&self) -> bool {
        self.printed
    }

    /// Notes that a `printa` printed an entry.
    pub fn set_printed(&mut self) {
        self.printed = true;
    }
}

/// [`AggState::update`], done out of line.
#[inline(never)]
fn update_state(state: &mut AggState, shape: &Shape, value: i64, weight: i64) -> bool {
    state.update(*shape, value, weight);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::ValueRef;

    const LONG: ValueType = ValueType::Int { bits: 64, signed: true };

    fn table(func: AggFn, aggsize: u64) -> AggTable {
        let agg = ir::Aggregation { name: "a".into(), func, shape: Shape::default(), keys: vec![LONG] };
        AggTable::new(&agg, Side::User, aggsize, 256)
    }

    fn sums(entries: &[(i64, i64)]) -> AggTable {
        let mut table = table(AggFn::Sum, 1 << 20);
        for &(key, value) in entries {
            assert!(table.update(&key.to_le_bytes(), value, 1));
        }
        table
    }

    fn keys(table: &AggTable) -> Vec<i64> {
        table.entries().flat_map(|(key, _)| crate::value::decode(key, &[LONG])).map(ValueRef::int).collect()
    }

    #[test]
    fn a_full_table_refuses_new_keys_only() {
        let mut table = table(AggFn::Count, 64);
        assert!(table.update(&[1; 8], 0, 1) && table.update(&[2; 8], 0, 1));
        assert!(!table.update(&[3; 8], 0, 1));
        assert!(table.update(&[1; 8], 0, 1));
        assert_eq!(table.get(&[1; 8]), Some(&AggState::Count(2)));
        table.merge(&[3; 8], AggState::Count(5));
        assert_eq!(table.entries().len(), 3, "what the kernel counted is never refused");
    }

    #[test]
    fn trunc_keeps_the_largest_or_smallest() {
        for (keep, expected) in
            [(2, vec![2, 3]), (-1, vec![1]), (0, vec![]), (9, vec![1, 2, 3]), (i64::MIN, vec![1, 2, 3])]
        {
            let mut table = sums(&[(1, 3), (2, 9), (3, 6)]);
            table.trunc(keep, &StackTable::new());
            assert_eq!(keys(&table), expected, "trunc({keep})");
        }
        let ties = [(1, 3), (2, 3), (3, 3)];
        let mut table = sums(&ties);
        table.trunc(2, &StackTable::new());
        assert_eq!(keys(&table), [2, 3], "ties: the larger keys");
        let mut table = sums(&ties);
        table.trunc(-2, &StackTable::new());
        assert_eq!(keys(&table), [1, 2], "ties: the smaller keys");
    }

    #[test]
    fn a_divisor_replaces_the_one_before_and_is_never_zero() {
        let mut table = sums(&[(1, 3)]);
        assert_eq!(table.normal(), 1);
        for (set, normal) in [(5, 5), (2, 2), (0, 2), (1, 1)] {
            table.normalize(set);
            assert_eq!(table.normal(), normal);
        }
    }

    #[test]
    fn clear_keeps_keys() {
        let mut table = sums(&[(1, 3)]);
        table.normalize(4);
        table.clear();
        assert_eq!(table.normal(), 4);
        assert_eq!(table.get(&1_i64.to_le_bytes()), Some(&AggState::Sum(0)));
    }
}
