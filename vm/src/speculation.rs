//! Speculations (runtime spec §10): what clauses record for a number is kept until the number is committed or discarded.
//!
//! In: rows, by number. Out: the same rows in order when they are committed. A number is busy from its commit or discard
//! until its firing has ended, and if `cleanrate` is set until that time has passed, by the clock of the events.

use dtrail_lang::ir::{ProbeIndex, SiteId, ValueType};
use dtrail_lang::plan::Plan;

use crate::record::{Records, Row};

/// Bytes that a record takes besides its values.
const RECORD_HEADER: u64 = 16;

/// How many, how large, how long busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpeculationSpace {
    /// `nspec`
    pub count: u32,
    /// `specsize`: bytes of each.
    pub bytes: u64,
    /// `cleanrate` in nanoseconds; 0: unset.
    pub cleanrate: u64,
}

impl Default for SpeculationSpace {
    fn default() -> SpeculationSpace {
        SpeculationSpace { count: 1, bytes: 4 << 20, cleanrate: 0 }
    }
}

/// A row that a speculation held, with where it was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Committed {
    /// In the records it was put back into.
    pub row: Row,
    /// What fired.
    pub probe: ProbeIndex,
    /// Where.
    pub cpu: u32,
}

/// Why there is no free number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unavailable {
    /// One will be free soon.
    Busy,
    /// All are in use.
    InUse,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Free,
    Active,
    /// Since this firing, and until this moment.
    Busy {
        firing: u64,
        until: u64,
    },
}

#[derive(Clone, Debug, Default)]
struct Buffer {
    state: State,
    records: Records,
    rows: Vec<Committed>,
    bytes: u64,
}

impl Buffer {
    fn empty(&mut self, state: State) {
        self.state = state;
        self.records.clear();
        self.rows.clear();
        self.bytes = 0;
    }
}

/// All speculations of a session.
#[derive(Clone, Debug, Default)]
pub struct Speculations {
    buffers: Vec<Buffer>,
    space: SpeculationSpace,
    firing: u64,
}

impl Speculations {
    /// All numbers free.
    pub fn new(space: SpeculationSpace) -> Speculations {
        Speculations { buffers: vec![Buffer::default(); space.count as usize], space, firing: 0 }
    }

    /// Begins a firing.
    pub fn begin_firing(&mut self) {
        self.firing += 1;
    }

    /// Whether the clock is needed to tell what is free.
    pub fn wants_time(&self) -> bool {
        self.space.cleanrate > 0
    }

    /// Takes a free number, from 1; `now` is the moment of the event.
    pub fn reserve(&mut self, now: u64) -> Result<u32, Unavailable> {
        let firing = self.firing;
        let free = |buffer: &Buffer| match buffer.state {
            State::Free => true,
            State::Active => false,
            State::Busy { firing: since, until } => since != firing && now >= until,
        };
        match self.buffers.iter().position(free) {
            Some(index) => {
                self.buffers[index].empty(State::Active);
                Ok(index as u32 + 1)
            }
            None if self.buffers.iter().any(|b| matches!(b.state, State::Busy { .. })) => {
                Err(Unavailable::Busy)
            }
            None => Err(Unavailable::InUse),
        }
    }

    /// Whether there is such a number, in use or not. 0 is none, and no mistake.
    pub fn exists(&self, id: i64) -> bool {
        usize::try_from(id).is_ok_and(|id| id <= self.buffers.len())
    }

    fn active(&mut self, id: i64) -> Option<&mut Buffer> {
        let index = usize::try_from(id).ok()?.checked_sub(1)?;
        self.buffers.get_mut(index).filter(|buffer| buffer.state == State::Active)
    }

    /// Whether records can be kept under a number.
    pub fn is_active(&mut self, id: i64) -> bool {
        self.active(id).is_some()
    }

    /// Keeps a row; `false`: it was dropped, for there is no room.
    pub fn keep(
        &mut self,
        plan: &Plan,
        id: i64,
        records: &Records,
        (row, probe, cpu): (Row, ProbeIndex, u32),
    ) -> bool {
        let (limit, types) = (self.space.bytes, types(plan));
        // Committed or discarded since `speculate`: the row goes where the others went.
        let Some(buffer) = self.active(id) else { return true };
        let strsize = plan.program.limits.strsize;
        let bytes: u64 = RECORD_HEADER
            + records
                .actions(row)
                .flat_map(|(site, _)| types(site))
                .map(|ty| recorded_bytes(*ty, strsize))
                .sum::<u64>();
        if buffer.bytes + bytes > limit {
            return false;
        }
        buffer.bytes += bytes;
        if let Some(row) = buffer.records.append(records, row, types) {
            buffer.rows.push(Committed { row, probe, cpu });
        }
        true
    }

    /// Moves what a number holds to the end of `records`, and begins to free it. `now` as in [`Speculations::reserve`].
    pub fn commit(
        &mut self,
        plan: &Plan,
        id: i64,
        now: u64,
        records: &mut Records,
        out: &mut Vec<Committed>,
    ) {
        let busy = self.busy(now);
        let Some(buffer) = self.active(id) else { return };
        for committed in &buffer.rows {
            let row = records.append(&buffer.records, committed.row, types(plan));
            out.extend(row.map(|row| Committed { row, ..*committed }));
        }
        buffer.empty(busy);
    }

    /// Forgets what a number holds, and begins to free it.
    pub fn discard(&mut self, id: i64, now: u64) {
        let busy = self.busy(now);
        if let Some(buffer) = self.active(id) {
            buffer.empty(busy);
        }
    }

    fn busy(&self, now: u64) -> State {
        State::Busy { firing: self.firing, until: now.saturating_add(self.space.cleanrate) }
    }
}

/// The types of a statement's values.
fn types<'p>(plan: &'p Plan) -> impl Fn(SiteId) -> &'p [ValueType] + Copy {
    move |site| plan.program.sites.get(site.index()).map_or(&[][..], |site| &site.args)
}

/// Bytes of a value in DTrace's records, which `specsize` counts: a string always has room for the longest.
fn recorded_bytes(ty: ValueType, strsize: u32) -> u64 {
    match ty {
        ValueType::Int { bits, .. } => u64::from(bits / 8),
        ValueType::Pointer | ValueType::Symbolic(_) => 8,
        ValueType::Str => u64::from(strsize) + 1,
        ValueType::Bytes(bytes) => u64::from(bytes),
        ValueType::Float(bytes) => u64::from(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_busy_until_its_firing_has_ended() {
        let mut all = Speculations::new(SpeculationSpace { count: 2, ..SpeculationSpace::default() });
        all.begin_firing();
        assert_eq!((all.reserve(0), all.reserve(0)), (Ok(1), Ok(2)));
        assert_eq!(all.reserve(0), Err(Unavailable::InUse));
        all.discard(1, 0);
        all.discard(1, 0);
        assert!(!all.is_active(1) && all.is_active(2));
        assert_eq!(all.reserve(0), Err(Unavailable::Busy));
        all.begin_firing();
        assert_eq!(all.reserve(0), Ok(1));
        assert!(all.exists(0) && all.exists(2) && !all.exists(3) && !all.exists(-1));
    }

    #[test]
    fn a_number_is_busy_for_the_cleaning_period() {
        let mut all = Speculations::new(SpeculationSpace { cleanrate: 100, ..SpeculationSpace::default() });
        assert!(all.wants_time());
        assert_eq!(all.reserve(5), Ok(1));
        all.discard(1, 10);
        all.begin_firing();
        assert_eq!(all.reserve(109), Err(Unavailable::Busy));
        assert_eq!(all.reserve(110), Ok(1));
    }
}
