//! What a source of made-up events asks of a kernel part: the programs of a plan, fed with one event at a time.
//!
//! Comes in: a plan, then events. Goes out: records, as from a live source, and the state that the programs keep. Never: a
//! clause that user space runs whole.

use dtrail_lang::ir::ProbeIndex;
use dtrail_lang::options::Options;
use dtrail_lang::plan::{Capabilities, Overflow, Plan};
use dtrail_vm::event::{Error, EventSink, Flow, KernelState};
use dtrail_vm::fault::Drops;

use super::synthetic_event::SyntheticEvent;

/// A kernel part that a source of made-up events can feed.
pub trait KernelPart: std::fmt::Debug {
    /// What the planner may put in it.
    fn capabilities(&self) -> Capabilities;
    /// How many CPUs the events have.
    fn set_cpus(&mut self, cpus: u32);
    /// Takes the sizes that hold from the next `attach`.
    fn configure(&mut self, options: &Options);
    /// See [`EventSource::overflow`](dtrail_vm::event::EventSource::overflow).
    fn overflow(&mut self, plan: &Plan) -> Option<Overflow>;
    /// See [`EventSource::verifier_log`](dtrail_vm::event::EventSource::verifier_log).
    fn verifier_log(&mut self, plan: &Plan, line: &mut dyn FnMut(&str)) -> Result<(), Error>;
    /// Loads the programs of a plan.
    fn attach(&mut self, plan: &Plan) -> Result<(), Error>;
    /// Lets them run from now on.
    fn open(&mut self);
    /// Runs them no more.
    fn shut(&mut self);
    /// Runs the clauses of `probe` on an event and hands over what they send.
    fn fire(
        &mut self,
        probe: ProbeIndex,
        event: &SyntheticEvent,
        sink: &mut dyn EventSink,
    ) -> Result<Flow, Error>;
    /// Their state.
    fn state(&mut self) -> Option<&mut dyn KernelState>;
    /// What was lost since the last call.
    fn drops(&mut self) -> Drops;
}
