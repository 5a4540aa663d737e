//! What clauses change: variables of either home, aggregations, the clause's row of records.

use dtrail_lang::builtins::Action;
use dtrail_lang::builtins::aggs::Shape;
use dtrail_lang::env::FiredBy;
use dtrail_lang::ir::{AggSiteId, ProbeIndex, RegKind, SiteId, ValueType, VarId};
use dtrail_lang::plan::{Plan, Side, SiteRoom};

use super::arena::{Arena, NULL};
use super::{Run, Status, World};
use crate::record::Row;
use crate::speculation::words::Verdict;
use crate::speculation::{Committed, Kept, Turn};
use crate::value::{Value, ValueRef};
use crate::vars::Thread;

impl Run<'_> {
    fn kind_of(&self, var: VarId) -> RegKind {
        self.plan.program.vars.get(var.index()).map_or(RegKind::Int, |var| var.ty.reg_kind())
    }

    fn in_kernel(&self, var: VarId) -> bool {
        self.kernel.is_some()
            && self.plan.homes.get(var.index()).is_some_and(|home| home.side == Side::Kernel)
    }

    /// A variable, or with `keys` an element.
    pub fn get(&mut self, var: VarId, keys: &[u64]) -> u64 {
        if self.in_kernel(var) {
            let keys = self.key_values(var, keys);
            let value = self.kernel.as_mut().map(|kernel| kernel.get(var, &keys));
            return value.map_or(0, |value| self.word(value.as_ref()));
        }
        let kind = self.kind_of(var);
        let thread = self.variable_key(var, keys);
        let World { vars, arena, key, .. } = &mut *self.world;
        let word = match vars.get(var, kind, thread, key) {
            ValueRef::Int(value) => Some(value as u64),
            ValueRef::Str(None) => Some(NULL),
            ValueRef::Str(Some(bytes)) => arena.push(bytes),
        };
        self.filed(word)
    }

    /// Sets a variable or an element. A full store counts a drop and ends the clause, unless the variable is lossy.
    pub fn set(&mut self, var: VarId, keys: &[u64], value: u64) {
        let kind = self.kind_of(var);
        let stored = if self.in_kernel(var) {
            let keys = self.key_values(var, keys);
            let value = value_of(&self.world.arena, kind, value).to_value();
            self.kernel.as_mut().is_none_or(|kernel| kernel.set(var, &keys, &value))
        } else {
            let thread = self.variable_key(var, keys);
            let World { vars, arena, key, .. } = &mut *self.world;
            vars.set(var, thread, key, value_of(arena, kind, value)).is_ok()
        };
        if !stored {
            self.world.drops.dynamic += 1;
            if !self.plan.program.vars.get(var.index()).is_some_and(|var| var.lossy) {
                self.status = Status::Dropped;
            }
        }
    }

    /// Builds the canonical key of an element in the world's buffer, behind the thread for `self->` arrays.
    fn variable_key(&mut self, var: VarId, keys: &[u64]) -> Thread {
        let per_thread = self.world.vars.per_thread(var);
        let thread = if per_thread { self.thread() } else { Thread::default() };
        let types = self.plan.program.vars.get(var.index()).and_then(|var| var.keys.as_deref());
        let World { arena, key, .. } = &mut *self.world;
        key.clear();
        if let Some(types) = types {
            if per_thread {
                key.extend_from_slice(&thread.prefix());
            }
            encode_key(arena, types, keys, key);
        }
        thread
    }

    fn key_values(&self, var: VarId, keys: &[u64]) -> Vec<Value> {
        let types =
            self.plan.program.vars.get(var.index()).and_then(|var| var.keys.as_deref()).unwrap_or(&[]);
        types
            .iter()
            .zip(keys)
            .map(|(ty, &word)| value_of(&self.world.arena, ty.reg_kind(), word).to_value())
            .collect()
    }

    /// Updates an aggregation. A full one counts a drop.
    pub fn aggregate(&mut self, site: AggSiteId, keys: &[u64], value: u64, weight: u64) {
        let program = &self.plan.program;
        let second = match self.plan.rooms.agg_site(site) {
            SiteRoom::First => false,
            SiteRoom::Second => true,
            SiteRoom::ByFiring => {
                let probe = program.probes.get(self.probe.index());
                probe.is_some_and(|probe| probe.fired_by != FiredBy::Source)
            }
        };
        let Some(site) = program.agg_sites.get(site.index()) else { return };
        let World { aggs, arena, key, .. } = &mut *self.world;
        let Some(table) = aggs.get_mut(site.agg) else { return };
        let updated = match *keys {
            _ if second => false,
            [] => table.update_only(value as i64, weight as i64),
            [one] => table.update_one(one, value as i64, weight as i64),
            [one, two] => table.update_two(one, two, value as i64, weight as i64),
            _ => false,
        };
        if updated {
            return;
        }
        key.clear();
        encode_key(arena, table.types(), keys, key);
        let shape = table.shape();
        let integer = value.to_le_bytes();
        let item: Option<&[u8]> = match shape {
            shape if shape.strings() => Some(arena.get(value).unwrap_or_default()),
            Shape::Distinct { .. } | Shape::Top { .. } => Some(&integer),
            _ => None,
        };
        let taken = match (item, second) {
            (Some(item), false) => table.update_item(key, item),
            (None, false) => table.update(key, value as i64, weight as i64),
            (Some(item), true) => table.update_item_second(key, item),
            (None, true) => table.update_second(key, value as i64, weight as i64),
        };
        if taken && !table.keeps_cpus() {
            return;
        }
        let cpu = self.cpu();
        if !taken {
            return self.world.drops.add_aggregation(cpu, 1);
        }
        let World { aggs, arena, key, .. } = &mut *self.world;
        let Some(table) = aggs.get_mut(site.agg) else { return };
        match shape {
            shape if shape.strings() => table.update_item_on(cpu, key, arena.get(value).unwrap_or_default()),
            Shape::Distinct { .. } | Shape::Top { .. } => table.update_item_on(cpu, key, &integer),
            _ => table.update_on(cpu, key, value as i64, weight as i64),
        }
    }

    /// Appends an action's values to the clause's row; `exit` also sets the status. The records of speculations are moved
    /// here.
    pub fn record(&mut self, id: SiteId, args: &[u64]) {
        let Some(site) = self.plan.program.sites.get(id.index()) else { return };
        match (site.action, args) {
            (Action::Speculate, &[number, turn]) => return self.speculate(id, number, turn),
            (Action::Commit, &[number, turn]) => return self.settle(number, turn, Verdict::Committed),
            (Action::Discard, &[number, turn]) => return self.settle(number, turn, Verdict::Discarded),
            _ => {}
        }
        let World { records, arena, exit, .. } = &mut *self.world;
        records.action(id);
        for (ty, &word) in site.args.iter().zip(args) {
            match value_of(arena, ty.reg_kind(), word) {
                ValueRef::Int(value) => records.int(value),
                ValueRef::Str(value) => records.string(value),
            }
        }
        if site.action == Action::Exit {
            *exit = Some(args.first().map_or(0, |&status| status as i64));
        }
    }
}

impl Run<'_> {
    /// What follows goes to a speculation, which is in use.
    fn speculate(&mut self, site: SiteId, number: u64, turn: u64) {
        self.world.speculating = Some((Turn { number: number as u32, turn }, self.cpu()));
        // The row is there even if nothing follows.
        self.world.records.action(site);
        self.world.records.int(number as i64);
    }

    /// What is done with the records of a turn that `commit` or `discard` has ended; 0: it has ended none.
    fn settle(&mut self, number: u64, turn: u64, verdict: Verdict) {
        if let Some(row) = self.world.keep_speculated(self.plan, self.probe) {
            let (probe, cpu) = (self.probe, self.cpu());
            self.world.committed.push(Committed { row, probe, cpu });
        }
        let World { speculations, records, committed, .. } = &mut *self.world;
        if turn != 0 {
            let of = Turn { number: number as u32, turn };
            speculations.settle(self.plan, of, verdict, records, committed);
        }
    }
}

impl World {
    /// The end of a clause that ran to it: its row, unless it goes to a speculation.
    pub fn commit_row(&mut self, plan: &Plan, probe: ProbeIndex) -> Option<Row> {
        match self.speculating {
            Some(_) => self.keep_speculated(plan, probe),
            None => self.records.commit(),
        }
    }

    /// Moves the open row to the speculation it is meant for, if it is for one. Gives the row if it is printed at once.
    fn keep_speculated(&mut self, plan: &Plan, probe: ProbeIndex) -> Option<Row> {
        let (of, cpu) = self.speculating.take()?;
        let row = self.records.commit()?;
        match self.speculations.keep(plan, of, &self.records, (row, probe, cpu)) {
            Kept::Prints => return Some(row),
            Kept::Dropped => self.drops.speculative += 1,
            Kept::Waits | Kept::Forgotten => {}
        }
        None
    }
}

fn value_of(arena: &Arena, kind: RegKind, word: u64) -> ValueRef<'_> {
    match kind {
        RegKind::Int => ValueRef::Int(word as i64),
        RegKind::Str => ValueRef::Str(arena.get(word)),
    }
}

fn encode_key(arena: &Arena, types: &[ValueType], keys: &[u64], out: &mut Vec<u8>) {
    for (ty, &word) in types.iter().zip(keys) {
        value_of(arena, ty.reg_kind(), word).encode(out);
    }
}
