//! What an engine is: something that runs one clause of user code over one event. `interp` (the reference) and later
//! `jit` implement it; both work on a [`Run`] and call the same run-time table ([`crate::runtime`]), so they cannot
//! disagree about strings, variables or aggregations.

use dtrail_lang::ir::{self, ClauseId};

use crate::event::EventContext;
use crate::fault::Raised;
use crate::runtime::Run;

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

/// How a clause ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// At its end: what it recorded may be committed.
    Done,
    /// By a fault at an instruction's point: what it recorded is to be dropped.
    Fault {
        /// What was raised.
        raised: Raised,
        /// Where ([`ir::Inst::point`]).
        point: u32,
    },
    /// By a dynamic variable drop: what it recorded is to be dropped, nothing fires.
    Dropped,
    /// By a mistake of ours: an op or a slot that the planner must not have put there.
    Bug(&'static str),
}

/// Runs clauses.
pub trait Engine {
    /// Runs one clause. `code` is the clause's code for the run's kind of input: the whole clause for
    /// [`Input::Live`], its user part for [`Input::Record`]. What it records and the effects it has are in the run's
    /// world. `None` if it came to its end, else the point of what stopped it: [`Run::ending`] tells how, who runs clauses
    /// by the million gets no more than goes into a machine register.
    fn run(&mut self, id: ClauseId, code: &ir::Clause, run: &mut Run<'_>) -> Option<u32>;
    /// Another plan is about to be run: what is known of the clauses of the last one holds no longer.
    fn renew(&mut self) {}
}
