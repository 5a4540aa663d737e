//! `profile` probes without privilege: when they are due, and which threads are on their way then. Each running thread is
//! interrupted and fires the probes when it stands still. A thread that sleeps is left alone: an interrupt would end
//! calls that do not start anew.

use dtrail_lang::ir::ProbeIndex;

/// The `profile` probes of a plan, by period.
#[derive(Debug, Default)]
pub(super) struct Sampler {
    timers: Vec<Timer>,
}

#[derive(Debug)]
struct Timer {
    period: u64,
    /// Monotonic nanoseconds.
    due: u64,
    probes: Vec<ProbeIndex>,
}

impl Sampler {
    /// Probes with their periods in nanoseconds, the first of which are over one period after `now`.
    pub(super) fn new(probes: &[(u64, ProbeIndex)], now: u64) -> Sampler {
        let mut timers: Vec<Timer> = Vec::new();
        for &(period, probe) in probes {
            match timers.iter_mut().find(|timer| timer.period == period) {
                Some(timer) => timer.probes.push(probe),
                None => {
                    let due = now.saturating_add(period);
                    timers.push(Timer { period: period.max(1), due, probes: vec![probe] });
                }
            }
        }
        Sampler { timers }
    }

    /// When something is due next.
    pub(super) fn next(&self) -> Option<u64> {
        self.timers.iter().map(|timer| timer.due).min()
    }

    /// The probes that are due. Each fires once, however late it is; what was missed is missed.
    pub(super) fn take(&mut self, now: u64) -> Vec<ProbeIndex> {
        let mut probes = Vec::new();
        for timer in self.timers.iter_mut().filter(|timer| timer.due <= now) {
            let behind = (now - timer.due) / timer.period + 1;
            timer.due = timer.due.saturating_add(behind.saturating_mul(timer.period));
            probes.extend_from_slice(&timer.probes);
        }
        probes.sort_unstable();
        probes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_due_by_its_period() {
        let (fast, slow) = (ProbeIndex(2), ProbeIndex(1));
        let mut sampler = Sampler::new(&[(10, fast), (25, slow), (10, ProbeIndex(3))], 100);
        assert_eq!(sampler.next(), Some(110));
        assert_eq!(sampler.take(109), []);
        assert_eq!(sampler.take(110), [fast, ProbeIndex(3)]);
        assert_eq!(sampler.take(157), [slow, fast, ProbeIndex(3)], "late, and once");
        assert_eq!(sampler.next(), Some(160));
        assert_eq!(Sampler::new(&[], 5).next(), None);
    }
}
