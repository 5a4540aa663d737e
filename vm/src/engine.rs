//! What an engine is: something that runs one clause of user code over one event. `interp` (the reference) and later
//! `jit` implement it; both call the same run-time table, so they cannot disagree about strings, variables or
//! aggregations.

use dtrail_lang::ir::{self, ClauseId, SiteId};

use crate::event::EventContext;
use crate::fault::Raised;
use crate::value::Value;

/// What a clause takes from the world while it runs.
pub enum Input<'a> {
    /// The event itself: pinned ops are done now.
    Live(&'a mut dyn EventContext),
    /// What the kernel part captured: the bytes of the record, and where this clause's area starts.
    Record {
        /// The whole record.
        record: &'a [u8],
        /// The clause's area.
        area: u32,
    },
}

/// One data or consumer action that ran, with its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Which statement.
    pub site: SiteId,
    /// Its values, typed by the site's `args`.
    pub args: Vec<Value>,
}

/// How a clause ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// At its end: its record, if it has one, is committed.
    Done,
    /// By a fault at an instruction's point: its record is discarded.
    Fault {
        /// What was raised.
        raised: Raised,
        /// Where ([`ir::Inst::point`]).
        point: u32,
    },
    /// By a dynamic variable drop: its record is discarded, nothing fires.
    Dropped,
}

/// Runs clauses.
pub trait Engine {
    /// Runs one clause. `code` is the clause's code for this kind of input; `out` (empty at the start) receives the
    /// actions that ran, to be committed if the ending is [`Ending::Done`].
    fn run(
        &mut self,
        id: ClauseId,
        code: &ir::Clause,
        input: Input<'_>,
        state: &mut crate::engine::State<'_>,
        out: &mut Vec<Recorded>,
    ) -> Ending;
}

/// Placeholder for the mutable world of a clause: tables, variables, firing facts. Defined with the interpreter.
pub struct State<'a> {
    _world: std::marker::PhantomData<&'a mut ()>,
}
