//! The words that say which speculations are in use, as the emitter, user space and every engine read and change them
//! (runtime spec §10): one word a number. Who takes a number or ends its turn does so by compare-and-exchange; while it is
//! busy, who made it so alone changes it.
//!
//! A number is taken, fills, is committed or discarded, and is busy until the firing that did so is over; each time round is
//! a *turn*. What is recorded carries its turn, so that records that come late, from another CPU, are never taken for those
//! of the next. The word has the turn above its lowest three bits, which are one of the states here. A number whose commit or
//! discard nobody was told of, since its record was lost, stays busy until user space has done by its word what it says.

/// Free: the turn is over, or 0 if there was none yet.
pub const FREE: u64 = 0;
/// Taken: records are kept for it.
pub const ACTIVE: u64 = 1;
/// Committed, and busy: its records are to be printed.
pub const COMMITTED: u64 = 2;
/// Discarded, and busy: its records are to be forgotten.
pub const DISCARDED: u64 = 3;
/// With one of the last two: user space was not told.
pub const UNTOLD: u64 = 4;

/// The bits of the state.
pub const STATE: u64 = 7;
/// How far the turn is shifted.
pub const TURN_SHIFT: u32 = 3;

/// The word of a number in a turn.
pub fn word(turn: u64, state: u64) -> u64 {
    turn << TURN_SHIFT | state
}

/// The turn that a word says.
pub fn turn(word: u64) -> u64 {
    word >> TURN_SHIFT
}

/// The state that a word says.
pub fn state(word: u64) -> u64 {
    word & STATE
}
