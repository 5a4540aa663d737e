//! The mappings of an address space, and the room that those of all take of together. In: mappings. Out: the same, as far as
//! there is room; what finds none is counted, since addresses in it have no names.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::spaces::Mapping;

/// Most mappings of one space: beyond that those at the lowest addresses go.
pub(super) const MOST_MAPPINGS: usize = 1 << 14;

/// Most mappings of all spaces, some 150 bytes each.
const MOST_OF_ALL: usize = 1 << 20;

/// What there is room for.
#[derive(Debug)]
pub(super) struct Room {
    most: usize,
    used: Cell<usize>,
    left_out: Cell<u64>,
}

impl Default for Room {
    fn default() -> Room {
        Room::of(MOST_OF_ALL)
    }
}

impl Room {
    /// Room for so many mappings.
    pub(super) fn of(most: usize) -> Room {
        Room { most, used: Cell::new(0), left_out: Cell::new(0) }
    }

    /// Whether it is nearly full: nine tenths of it are taken.
    pub(super) fn is_scarce(&self) -> bool {
        self.used.get() >= self.most - self.most / 10
    }

    fn is_full(&self) -> bool {
        self.used.get() >= self.most
    }

    fn take(&self, count: usize) {
        self.used.set(self.used.get() + count);
    }

    fn give_back(&self, count: usize) {
        self.used.set(self.used.get().saturating_sub(count));
    }

    /// Counts mappings that are known no longer.
    pub(super) fn leave_out(&self, count: usize) {
        self.left_out.set(self.left_out.get() + count as u64);
    }

    /// How many that was since the last call.
    pub(super) fn take_left_out(&self) -> u64 {
        self.left_out.take()
    }

    #[cfg(test)]
    pub(super) fn used(&self) -> usize {
        self.used.get()
    }
}

/// Mappings by their start.
#[derive(Debug)]
pub(super) struct Mappings {
    by_start: BTreeMap<u64, Mapping>,
    room: Rc<Room>,
}

impl Mappings {
    /// None yet.
    pub(super) fn new(room: &Rc<Room>) -> Mappings {
        Mappings { by_start: BTreeMap::new(), room: room.clone() }
    }

    /// All of them.
    pub(super) fn by_start(&self) -> &BTreeMap<u64, Mapping> {
        &self.by_start
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.by_start.len()
    }

    /// One more, in the place of another at the lowest address if there is no room.
    pub(super) fn insert(&mut self, mapping: Mapping) {
        if (self.len() >= MOST_MAPPINGS || self.room.is_full()) && self.by_start.pop_first().is_some() {
            self.room.give_back(1);
            self.room.leave_out(1);
        }
        if self.by_start.insert(mapping.start, mapping).is_none() {
            self.room.take(1);
        }
    }

    /// One is no longer there.
    pub(super) fn remove(&mut self, start: u64) {
        if self.by_start.remove(&start).is_some() {
            self.room.give_back(1);
        }
    }
}

impl Clone for Mappings {
    fn clone(&self) -> Mappings {
        self.room.take(self.len());
        Mappings { by_start: self.by_start.clone(), room: self.room.clone() }
    }
}

impl Drop for Mappings {
    fn drop(&mut self) {
        self.room.give_back(self.len());
    }
}
