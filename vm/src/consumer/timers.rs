//! When the consumer has to do something by itself: `tick` probes, loss reports, delayed flushes and sweeps. Pure
//! arithmetic on the host's monotonic nanoseconds.

use dtrail_lang::builtins::rates::{self, TimerKind};
use dtrail_lang::env::FiredBy;
use dtrail_lang::ir::ProbeIndex;
use dtrail_lang::plan::Plan;

use super::Settings;

/// Something whose time has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// A `tick` probe fires.
    Tick {
        /// Which.
        probe: ProbeIndex,
        /// Nanoseconds beyond its moment.
        late: u64,
        /// How many later firings were due as well and are left out.
        skipped: u64,
    },
    /// `statusrate`
    Status,
    /// `switchrate`
    Switch,
    /// `aggrate`
    Aggregations,
}

/// All timers of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Timers {
    timers: Vec<Timer>,
}

#[derive(Clone, Copy, Debug)]
struct Timer {
    what: Due,
    period: u64,
    due: u64,
}

impl Timers {
    /// The timers of a plan, not started. Ticks are left out if the source fires them itself.
    pub(super) fn new(plan: &Plan, settings: &Settings, source_ticks: bool) -> Timers {
        let mut timers = Vec::new();
        let mut add = |what, period| {
            if period > 0 {
                timers.push(Timer { what, period, due: u64::MAX });
            }
        };
        for (i, probe) in plan.program.probes.iter().enumerate() {
            let timer = rates::parse_timer(&probe.name);
            if let (FiredBy::Tracer, Some((TimerKind::Tick, period)), false) =
                (probe.fired_by, timer, source_ticks)
            {
                add(Due::Tick { probe: ProbeIndex(i as u32), late: 0, skipped: 0 }, period);
            }
        }
        add(Due::Status, settings.statusrate);
        add(Due::Switch, settings.switchrate);
        // Events of a file have their own time, and their programs no other room by the clock on the wall.
        if plan.cuts.any() && !source_ticks {
            add(Due::Aggregations, settings.aggrate);
        }
        Timers { timers }
    }

    /// Starts all, each due one period from now.
    pub(super) fn start(&mut self, now: u64) {
        self.timers.iter_mut().for_each(|timer| timer.due = now.saturating_add(timer.period));
    }

    /// Goes on with another plan: its `tick` probes are due when they were, new ones one period from now.
    pub(super) fn renew(
        &mut self,
        plan: &Plan,
        before: &Plan,
        settings: &Settings,
        source_ticks: bool,
        now: u64,
    ) {
        let mut next = Timers::new(plan, settings, source_ticks);
        next.start(now);
        for timer in &mut next.timers {
            let old = self.timers.iter().find(|old| match (old.what, timer.what) {
                (Due::Tick { probe: a, .. }, Due::Tick { probe: b, .. }) => {
                    before.program.probes[a.index()].id == plan.program.probes[b.index()].id
                }
                (a, b) => a == b,
            });
            timer.due = old.map_or(timer.due, |old| old.due);
        }
        *self = next;
    }

    /// Changes the period of something; nothing if it has that period already. 0: it is not due any more.
    pub(super) fn set(&mut self, what: Due, period: u64, now: u64) {
        match self.timers.iter_mut().find(|timer| timer.what == what) {
            Some(timer) if timer.period == period => {}
            Some(_) if period == 0 => self.timers.retain(|timer| timer.what != what),
            Some(timer) => (timer.period, timer.due) = (period, now.saturating_add(period)),
            None if period > 0 => {
                self.timers.push(Timer { what, period, due: now.saturating_add(period) });
            }
            None => {}
        }
    }

    /// The next moment anything is due.
    pub(super) fn next(&self) -> Option<u64> {
        self.timers.iter().map(|timer| timer.due).min()
    }

    /// Of what was due at `round`, what has been due longest, if anything; it is due again at the first multiple of its
    /// period after `now`, so a consumer that cannot keep up skips firings instead of falling behind; it is told how many.
    ///
    /// A caller that asks with one `round` until there is nothing gets each at most once, however short its period: then
    /// it is time for other work.
    pub(super) fn take(&mut self, round: u64, now: u64) -> Option<Due> {
        let timer =
            self.timers.iter_mut().filter(|timer| timer.due <= round).min_by_key(|timer| timer.due)?;
        let now = now.max(round);
        let late = now - timer.due;
        let skipped = late / timer.period;
        timer.due = timer.due.saturating_add((skipped + 1).saturating_mul(timer.period));
        Some(match timer.what {
            Due::Tick { probe, .. } => Due::Tick { probe, late, skipped },
            other => other,
        })
    }
}

#[cfg(test)]
mod tests {
    use dtrail_lang::ir::parse;

    use super::*;
    use crate::testing::user_plan;

    #[test]
    fn what_is_due_and_when_it_is_due_again() {
        let text = "p0 = probe 1 dtrace:::BEGIN tracer\np1 = probe 9 profile:::tick-1ms tracer\n\
                    p2 = probe 10 profile:::profile-1ms source\np3 = probe 11 profile:::tick-4ms tracer";
        let plan = user_plan(parse::program(text).expect("IR of this test"));
        let settings = Settings { statusrate: 3_000_000, ..Settings::default() };
        let mut timers = Timers::new(&plan, &settings, false);
        let take = |timers: &mut Timers, now| timers.take(now, now);
        assert_eq!(take(&mut timers, u64::MAX - 1), None, "not started");
        timers.start(100);
        let tick = |probe, late, skipped| Some(Due::Tick { probe: ProbeIndex(probe), late, skipped });
        assert_eq!(timers.next(), Some(1_000_100));
        assert_eq!(take(&mut timers, 1_000_099), None);
        assert_eq!(take(&mut timers, 1_000_101), tick(1, 1, 0));
        assert_eq!(take(&mut timers, 1_000_101), None);
        // 4.5 ms later: one late tick, the report, the slow tick; missed firings are skipped.
        assert_eq!(take(&mut timers, 5_500_100), tick(1, 3_500_000, 3));
        assert_eq!(take(&mut timers, 5_500_100), Some(Due::Status));
        assert_eq!(take(&mut timers, 5_500_100), tick(3, 1_500_000, 0));
        assert_eq!(take(&mut timers, 5_500_100), None);
        assert_eq!(timers.next(), Some(6_000_100));

        let mut timers = Timers::new(&plan, &Settings { statusrate: 0, ..settings }, true);
        timers.start(0);
        assert_eq!(timers.next(), None, "a source that fires ticks itself");
    }

    #[test]
    fn what_is_always_due_comes_once_a_round() {
        let plan =
            user_plan(parse::program("p0 = probe 9 profile:::tick-1ms tracer").expect("IR of this test"));
        let settings = Settings { statusrate: 1, switchrate: 2, ..Settings::default() };
        let mut timers = Timers::new(&plan, &settings, false);
        timers.start(0);
        // Time passes with every question.
        let mut now = 2_000_000;
        let mut round = || {
            let round = now;
            std::iter::from_fn(|| {
                now += 1_000_000;
                timers.take(round, now)
            })
            .collect::<Vec<_>>()
        };
        let tick = |late, skipped| Due::Tick { probe: ProbeIndex(0), late, skipped };
        assert_eq!(round(), [Due::Status, Due::Switch, tick(4_000_000, 4)]);
        assert_eq!(round(), [Due::Status, Due::Switch, tick(3_000_000, 3)]);
    }
}
