//! Speculations (runtime spec §10): what clauses record for a number is kept until the number is committed or discarded.
//!
//! In: rows, by number and turn ([`dtrail_lang::plan::speculations`]). Out: the same rows in order when their turn is
//! committed. Which numbers are in use is said by [`words`], ours or the kernel part's; here is what they hold, and which of
//! their turns are over. A number is free again when the firing that ended its turn is over.

pub mod words;

use std::collections::VecDeque;

use dtrail_lang::ir::{ProbeIndex, SiteId, ValueType};
use dtrail_lang::plan::Plan;
use dtrail_lang::plan::speculations::{UNTOLD, turn};

use crate::record::{Records, Row};
use words::{OwnWords, Verdict, Words, free};

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

/// A turn of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// From 1.
    pub number: u32,
    /// From 1.
    pub turn: u64,
}

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It waits for the end of its turn.
    Waits,
    /// Its turn is committed already, on another CPU: it is printed where it stands.
    Prints,
    /// Its turn is discarded already.
    Forgotten,
    /// There is no room for it.
    Dropped,
}

/// What was recorded in a turn.
#[derive(Clone, Debug, Default)]
struct Held {
    turn: u64,
    records: Records,
    rows: Vec<Committed>,
    bytes: u64,
}

impl Held {
    fn begin(&mut self, turn: u64) {
        self.turn = turn;
        self.records.clear();
        self.rows.clear();
        self.bytes = 0;
    }
}

/// A number.
#[derive(Clone, Debug, Default)]
struct Buffer {
    /// What its turns hold that are not over here: one, but where records of two CPUs come in another order than the turns.
    held: Vec<Held>,
    /// One that is over, whose memory the next turn takes.
    spare: Held,
    /// The last turns that are over, in order, and how they ended.
    over: VecDeque<(u64, Verdict)>,
}

/// Of so many turns of a number it is known how they ended. What is recorded in one before, and comes so late, is dropped.
const KNOWN: usize = 64;

impl Buffer {
    fn verdict(&self, turn: u64) -> Option<Verdict> {
        self.over.iter().find(|(over, _)| *over == turn).map(|(_, verdict)| *verdict)
    }

    fn forgot(&self, turn: u64) -> bool {
        self.over.len() == KNOWN && self.over.front().is_some_and(|(first, _)| turn < *first)
    }

    fn held(&mut self, turn: u64) -> &mut Held {
        let at = self.held.iter().position(|held| held.turn == turn);
        let at = at.unwrap_or_else(|| {
            let mut held = std::mem::take(&mut self.spare);
            held.begin(turn);
            self.held.push(held);
            self.held.len() - 1
        });
        &mut self.held[at]
    }
}

/// All speculations of a session.
#[derive(Clone, Debug, Default)]
pub struct Speculations {
    buffers: Vec<Buffer>,
    space: SpeculationSpace,
    own: OwnWords,
    /// The turns that this firing has ended.
    ended: Vec<Turn>,
}

impl Speculations {
    /// All numbers free.
    pub fn new(space: SpeculationSpace) -> Speculations {
        Speculations {
            buffers: vec![Buffer::default(); space.count as usize],
            space,
            own: OwnWords::new(space.count),
            ended: Vec::new(),
        }
    }

    /// The words, where the kernel part does not have them.
    pub fn own(&mut self) -> &mut OwnWords {
        &mut self.own
    }

    /// Whether the clock is needed to tell what is free.
    pub fn wants_time(&self) -> bool {
        self.space.cleanrate > 0
    }

    /// Until when a number is busy whose turn ends now; 0 without `cleanrate`.
    pub fn until(&self, now: u64) -> u64 {
        if self.space.cleanrate == 0 { 0 } else { now.saturating_add(self.space.cleanrate) }
    }

    /// Whether there is such a number, in use or not. 0 is none, and no mistake.
    pub fn exists(&self, id: i64) -> bool {
        usize::try_from(id).is_ok_and(|id| id <= self.buffers.len())
    }

    fn buffer(&mut self, number: u32) -> Option<&mut Buffer> {
        self.buffers.get_mut((number as usize).checked_sub(1)?)
    }

    /// Keeps a row.
    pub fn keep(
        &mut self,
        plan: &Plan,
        of: Turn,
        records: &Records,
        (row, probe, cpu): (Row, ProbeIndex, u32),
    ) -> Kept {
        let (limit, types) = (self.space.bytes, types(plan));
        let Some(buffer) = self.buffer(of.number) else { return Kept::Forgotten };
        match buffer.verdict(of.turn) {
            Some(Verdict::Committed) => return Kept::Prints,
            Some(Verdict::Discarded) => return Kept::Forgotten,
            None if buffer.forgot(of.turn) => return Kept::Dropped,
            None => {}
        }
        let held = buffer.held(of.turn);
        let strsize = plan.program.limits.strsize;
        let bytes: u64 = RECORD_HEADER
            + records
                .actions(row)
                .flat_map(|(site, _)| types(site))
                .map(|ty| recorded_bytes(*ty, strsize))
                .sum::<u64>();
        if held.bytes + bytes > limit {
            return Kept::Dropped;
        }
        held.bytes += bytes;
        if let Some(row) = held.records.append(records, row, types) {
            held.rows.push(Committed { row, probe, cpu });
        }
        Kept::Waits
    }

    /// The turn of a number is over: what it holds moves to the end of `records`, or is forgotten.
    pub fn settle(
        &mut self,
        plan: &Plan,
        of: Turn,
        verdict: Verdict,
        records: &mut Records,
        out: &mut Vec<Committed>,
    ) {
        let Some(buffer) = self.buffer(of.number).filter(|buffer| buffer.verdict(of.turn).is_none()) else {
            return;
        };
        if let Some(at) = buffer.held.iter().position(|held| held.turn == of.turn) {
            let held = buffer.held.swap_remove(at);
            if verdict == Verdict::Committed {
                for committed in &held.rows {
                    let row = records.append(&held.records, committed.row, types(plan));
                    out.extend(row.map(|row| Committed { row, ..*committed }));
                }
            }
            buffer.spare = held;
        }
        // By turn: one that nobody was told of may be known ahead of others.
        let at = buffer.over.partition_point(|(turn, _)| *turn < of.turn);
        buffer.over.insert(at, (of.turn, verdict));
        if buffer.over.len() > KNOWN {
            buffer.over.pop_front();
        }
        self.ended.push(of);
    }

    /// The end of a firing: frees the numbers whose turns it has ended in `words`. `None`: it was the kernel part that ended
    /// them, and frees them itself.
    pub fn end_firing(&mut self, words: Option<&mut dyn Words>) {
        if let Some(words) = words {
            self.ended.iter().for_each(|of| free(words, of.number, of.turn));
        }
        self.ended.clear();
    }

    /// The same, in the words of this session.
    pub fn end_own_firing(&mut self) {
        let Speculations { own, ended, .. } = self;
        ended.drain(..).for_each(|of| free(own, of.number, of.turn));
    }
}

/// The turns that the kernel part has ended without telling anybody, and how.
pub fn untold(words: &mut dyn Words) -> Vec<(Turn, Verdict)> {
    let numbers = 1..=words.count();
    let turn_of = |number| {
        let word = words.word(number);
        let verdict = Verdict::of(word).filter(|_| word & UNTOLD != 0)?;
        Some((Turn { number, turn: turn(word) }, verdict))
    };
    numbers.filter_map(turn_of).collect()
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
