//! The driving loop of a run: attach, `BEGIN`, open, events and timers, shut, `END`, the last print (runtime spec §1.5).
//! In: a plan, a source of events, an engine. Out: rows on the output, messages on standard error, an exit status.
//!
//! One thread, no system call of its own: waiting is the source's, clocks are the host's.

mod actions;
mod advice;
mod canonical;
mod contexts;
mod held;
pub mod kept;
mod lines;
mod messages;
mod ordered;
mod renewal;
mod session;
mod settings;
#[cfg(test)]
mod tests;
mod timers;

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use dtrail_lang::env::ProbeId;
use dtrail_lang::ir::ProbeIndex;
use dtrail_lang::plan::Plan;

use crate::engine::Engine;
use crate::event::{Error, EventSource, Wait};
use crate::fault::Drops;
use crate::host::Host;
use crate::output::{Output, WriteError};
use contexts::TracerContext;
use renewal::Later;
pub use renewal::Renewal;
use session::Session;
pub use settings::{OutputFormat, Policy, Settings};
use timers::{Due, Timers};

/// Requests from outside to come to an end (`SIGINT`, `SIGTERM`): a signal handler counts them, and makes the source's
/// wake-up descriptor readable.
pub trait Interrupts {
    /// How many there were.
    fn count(&self) -> u32;
}

impl Interrupts for AtomicU32 {
    fn count(&self) -> u32 {
        self.load(Ordering::Relaxed)
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The exit status of the process: the low 8 bits of the last `exit`, else 0.
    pub status: u8,
}

/// Runs a plan from attaching to the last print. An error means that tracing could not start or go on; what was printed
/// before it is flushed.
#[allow(
    clippy::too_many_arguments,
    reason = "these are the parties of a run, and each is another crate's or a test's"
)]
pub fn run(
    plan: &Plan,
    source: &mut dyn EventSource,
    engine: &mut dyn Engine,
    host: &dyn Host,
    output: &mut dyn Output,
    settings: &Settings,
    interrupts: &dyn Interrupts,
    renewal: Option<&mut dyn Renewal>,
) -> Result<Outcome, Error> {
    let later = Later::default();
    if let Some(why) = held::too_large(&plan.program, settings.policy, settings.bufsize) {
        return Err(Error::new(format!("could not enable tracing: {why}")).help("raise `-x bufsize`"));
    }
    let told = source.verifier_log(plan, &mut |line| output.diagnostic(format!("BPF: {line}").as_bytes()));
    if let Err(error) = told.and_then(|()| source.attach(plan)) {
        let _ = detach(source, output, settings, settings.quiet, interrupts);
        return Err(error.context("could not enable tracing"));
    }
    for notice in source.notices() {
        output.diagnostic(format!("{}: {notice}", settings.program).as_bytes());
    }
    let mut consumer = Consumer {
        session: Session::new(
            plan,
            engine,
            host,
            output,
            interrupts,
            settings,
            source.reads_only_resident_memory(),
        ),
        timers: Timers::new(plan, settings, source.fires_ticks()),
        interrupts,
        closed: false,
        advised: Vec::new(),
        renewal: renewal.map(|renewal| renewal as &mut dyn Renewal),
        later: &later,
    };
    let ran = consumer.trace(source);
    let printed = ran.and_then(|()| consumer.print_last());
    let flushed = consumer.flush();
    let session = &mut consumer.session;
    let (quiet, status) = (session.settings.quiet, session.exit.unwrap_or(0) as u8);
    // Nothing stays attached even if the run failed. That may take minutes, and so the results come before it.
    let detached = detach(source, &mut session.output, settings, quiet, interrupts);
    printed.and(flushed).and(detached)?;
    Ok(Outcome { status })
}

/// Takes apart what the source built. One more request to end cuts that short: all that there is to see has been seen.
fn detach(
    source: &mut dyn EventSource,
    output: &mut dyn Output,
    settings: &Settings,
    quiet: bool,
    interrupts: &dyn Interrupts,
) -> Result<(), Error> {
    if let Some(notice) = source.detaching().filter(|_| !quiet) {
        output.diagnostic(format!("{}: {notice}", settings.program).as_bytes());
    }
    let before = interrupts.count();
    source.detach(&|| interrupts.count() > before)
}

/// Why tracing could not go on (runtime spec §11.3).
fn aborted(why: Error) -> Error {
    why.context("processing aborted")
}

/// A session and what drives it.
struct Consumer<'a> {
    session: Session<'a>,
    timers: Timers,
    interrupts: &'a dyn Interrupts,
    /// The reader of the output is gone.
    closed: bool,
    /// Advice about losses that was given.
    advised: Vec<String>,
    /// Compiles anew what waits for probes.
    renewal: Option<&'a mut dyn Renewal>,
    later: &'a Later,
}

impl Consumer<'_> {
    /// Everything from `BEGIN` to the state that the last print shows.
    fn trace(&mut self, source: &mut dyn EventSource) -> Result<(), Error> {
        self.fire(source, ProbeId::BEGIN);
        self.flush()?;
        if !self.over() {
            source.open().map_err(|error| error.context("could not enable tracing"))?;
            self.timers.start(self.session.host.monotonic());
            self.follow(source)?;
        }
        self.session.output.settle();
        let exited = self.session.exit;
        if exited.is_none() && self.interrupts.count() > 0 {
            self.session.blank_line();
        }
        source.shut(&mut self.session).map_err(aborted)?;
        self.check()?;
        if let Some(kernel) = source.kernel() {
            let untold = self.session.untold(kernel);
            self.session.settle_untold(kernel, untold);
        }
        let exited = self.session.exit.take();
        self.session.world.exit = None;
        self.fire(source, ProbeId::END);
        self.session.output.settle();
        self.session.exit = self.session.exit.or(exited);
        self.session.release(source.kernel());
        if let Some(kernel) = source.kernel() {
            self.session.sweep(kernel, None);
            let decided = kernel.exit_status();
            self.session.exit = self.session.exit.or(decided);
        }
        // Whether anyone is there to hear of losses.
        self.flush()?;
        self.report(source);
        self.check()
    }

    /// Waits and works until there is a reason to end.
    fn follow(&mut self, source: &mut dyn EventSource) -> Result<(), Error> {
        while !self.over() {
            let host = self.session.host;
            let now = host.monotonic();
            let deadline =
                self.timers.next().map(|due| host.instant() + Duration::from_nanos(due.saturating_sub(now)));
            let waited = source.wait(deadline, &mut self.session).map_err(aborted)?;
            self.say_exited(source);
            if let Some(kernel) = source.kernel()
                && kernel.stacks_waiting()
            {
                self.session.make_room_for_stacks(kernel);
            }
            self.settle_untold(source)?;
            self.session.output.settle();
            self.retime();
            self.after_drain()?;
            match waited {
                Wait::Stopped | Wait::TargetsGone => return Ok(()),
                Wait::Appeared => self.renew(source)?,
                Wait::Again | Wait::Woken => {}
            }
            let round = self.session.host.monotonic();
            while let Some(due) = self.timers.take(round, self.session.host.monotonic()) {
                if self.over() {
                    return Ok(());
                }
                match due {
                    Due::Tick { probe, late, skipped } => {
                        self.session.world.drops.ticks += skipped;
                        // What happened before the tick is seen before it.
                        if source.drain(&mut self.session).map_err(aborted)? == Wait::Stopped || self.over() {
                            return self.after_drain();
                        }
                        self.fire_probe(source, probe, late);
                        self.after_drain()?;
                    }
                    Due::Status => self.report(source),
                    Due::Switch => self.flush()?,
                    Due::Aggregations => {
                        if let Some(kernel) = source.kernel() {
                            kernel.cut();
                            self.session.sweep(kernel, None);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Commits and discards speculations whose records to say so found no room. What was recorded for them before is
    /// fetched first.
    fn settle_untold(&mut self, source: &mut dyn EventSource) -> Result<(), Error> {
        let untold = source.kernel().map_or(Vec::new(), |kernel| self.session.untold(kernel));
        if untold.is_empty() {
            return Ok(());
        }
        // That tracing is to end shows again at the next look.
        source.drain(&mut self.session).map_err(aborted)?;
        if let Some(kernel) = source.kernel() {
            self.session.settle_untold(kernel, untold);
        }
        Ok(())
    }

    /// Goes on with the plan that the programs have now that there are more probes.
    fn renew(&mut self, source: &mut dyn EventSource) -> Result<(), Error> {
        let Some(renewal) = &mut self.renewal else { return Ok(()) };
        let plan = match renewal.renew(source.environment()) {
            Ok(Some(plan)) => plan,
            Ok(None) => return Ok(()),
            Err(text) => {
                self.session.output.diagnostic(text.trim_end().as_bytes());
                return Ok(());
            }
        };
        let before = self.session.plan;
        let obstacle = renewal::obstacle(before, &self.session.settings);
        if let Some(why) = obstacle.or_else(|| renewal::obstacle(&plan, &self.session.settings)) {
            self.session.say(&format!("probes that have appeared are not enabled: {why}"));
            return Ok(());
        }
        self.session.output.settle();
        let plan = self.later.keep(plan);
        source.renew(plan).map_err(|error| error.context("could not enable probes that have appeared"))?;
        self.session.renew(plan);
        let now = self.session.host.monotonic();
        self.timers.renew(plan, before, &self.session.settings, source.fires_ticks(), now);
        Ok(())
    }

    /// Takes over rates that `setopt` has changed.
    fn retime(&mut self) {
        let Settings { switchrate, aggrate, .. } = self.session.settings;
        let now = self.session.host.monotonic();
        self.timers.set(Due::Switch, switchrate, now);
        if self.session.plan.cuts.any() {
            self.timers.set(Due::Aggregations, aggrate, now);
        }
    }

    /// Whether no further event is to be looked at.
    fn over(&self) -> bool {
        self.session.exit.is_some()
            || self.session.bug.is_some()
            || self.session.full()
            || self.closed
            || self.interrupts.count() > 0
    }

    /// Fires `BEGIN` or `END`, if the program has it.
    fn fire(&mut self, source: &mut dyn EventSource, id: ProbeId) {
        let probes = &self.session.plan.program.probes;
        if let Some(index) = probes.iter().position(|probe| probe.id == id) {
            self.fire_probe(source, ProbeIndex(index as u32), 0);
        }
    }

    fn fire_probe(&mut self, source: &mut dyn EventSource, probe: ProbeIndex, late: u64) {
        let mut context = TracerContext::new(self.session.host, late);
        self.session.live(probe, &mut context, source.kernel());
    }

    /// Makes rows visible, unless `switchrate` says when.
    fn after_drain(&mut self) -> Result<(), Error> {
        if self.session.settings.switchrate == 0 { self.flush() } else { self.check() }
    }

    fn flush(&mut self) -> Result<(), Error> {
        match self.session.output.flush() {
            Ok(()) => {}
            Err(WriteError::Closed) => self.closed = true,
            Err(WriteError::GivenUp) => (self.closed, self.session.cut) = (true, true),
            Err(WriteError::Failed(reason)) => {
                return Err(aborted(Error::new(reason)));
            }
        }
        self.check()
    }

    /// Ends the run on a mistake of ours.
    fn check(&self) -> Result<(), Error> {
        match self.session.bug {
            Some(what) => Err(aborted(Error::new(format!("internal error: {what}")))
                .help("this is a defect of dtrail itself; please report it with the program")),
            None => Ok(()),
        }
    }

    /// Tells what was lost since the last report, unless the reader is gone: what it leaves unread is no loss.
    fn report(&mut self, source: &mut dyn EventSource) {
        if self.closed {
            return;
        }
        let mut drops: Drops = source.drops();
        drops.add(&std::mem::take(&mut self.session.world.drops));
        drops.stacks += self.session.world.stacks.take_lost();
        drops.stack_strings += self.session.world.stacks.take_overflows();
        self.tell(&drops);
    }

    /// Tells losses, and what helps against them.
    fn tell(&mut self, drops: &Drops) {
        if !drops.principal.is_empty() {
            self.session.lost_records();
        }
        for loss in messages::losses(drops) {
            self.session.tell_loss(&loss);
        }
        // Each piece of advice once.
        for line in messages::advice(drops, &messages::suspects(self.session.plan)) {
            if !self.advised.contains(&line) {
                self.session.help(&line);
                self.advised.push(line);
            }
        }
    }

    /// Tells how processes of `-c` and `-p` ended.
    fn say_exited(&mut self, source: &mut dyn EventSource) {
        for process in source.exited() {
            if let Some(message) = messages::exited(process).filter(|_| !self.session.settings.quiet) {
                self.session.say(&message);
            }
        }
    }

    /// The newline that ends every run, and the aggregations nobody printed.
    fn print_last(&mut self) -> Result<(), Error> {
        self.session.blank_line();
        if self.closed && !self.session.cut {
            return Ok(());
        }
        let rows = self.session.cut;
        let left = if self.closed || self.interrupts.count() > 1 {
            self.session.unprinted()
        } else {
            let left = self.session.print_unprinted();
            // What only shows while stacks are printed.
            let stack_strings = self.session.world.stacks.take_overflows();
            self.tell(&Drops { stack_strings, ..Drops::default() });
            left
        };
        self.flush()?;
        let gone = self.closed && !self.session.cut;
        if let Some(text) = messages::left_out(rows, &left).filter(|_| !gone) {
            self.session.say(&text);
        }
        Ok(())
    }
}
