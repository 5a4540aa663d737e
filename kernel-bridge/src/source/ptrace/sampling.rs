//! `profile` probes without privilege: which threads have used so much CPU that a sample of them is due. Clocks of threads
//! and processes in, probes out. A thread of which a sample is due is interrupted, by the caller, and fires when it
//! stands still. Never a thread that sleeps: an interrupt would end calls that do not start anew.
//!
//! Each thread has a clock of its own CPU time, which rings when a sample is due. Clocks are also looked at once a
//! period, for what a ring does not tell: that a thread was asleep again before it could be interrupted, or in the
//! kernel, where the clock of who has no privilege is silent. Where perf events are refused, the samples due of a process
//! are counted by its own clock, and go to those of its threads that run, in turn.

use std::collections::HashMap;
use std::io;

use dtrail_lang::ir::ProbeIndex;
use dtrail_vm::event::reason;

use crate::shortage;
use crate::sys::cpu_clock::{ThreadClock, process_time};

/// The `profile` probes of a plan, by period.
#[derive(Debug, Default)]
pub(super) struct Sampler {
    timers: Vec<Timer>,
    /// When all clocks are looked at next, monotonic nanoseconds.
    look: u64,
    /// For each timer, CPU time of threads that have ended and no sample stands for. A thread that begins is ahead by that
    /// much, so that threads which live for less than a period count like one that lives as long as they together.
    left_over: Vec<u64>,
    /// Processes whose threads have no clock.
    processes: HashMap<u32, Progress>,
}

#[derive(Debug)]
struct Timer {
    period: u64,
    probes: Vec<ProbeIndex>,
}

/// For each timer, at which count of a clock its next sample is due.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Progress(Vec<u64>);

/// The clock of a thread that is sampled.
#[derive(Debug)]
pub(super) struct Clock {
    clock: ThreadClock,
    progress: Progress,
}

/// Samples of a probe that one stop may stand for, when the thread had that much CPU before it could be interrupted.
const MOST_BEHIND: u64 = 64;

impl Progress {
    /// Whether a sample is due.
    fn is_due(&self, count: u64) -> bool {
        self.0.iter().any(|&due| due <= count)
    }

    /// The probes that are due, each as often as it is.
    fn take(&mut self, timers: &[Timer], count: u64) -> Vec<ProbeIndex> {
        let mut fired: Vec<(u64, ProbeIndex)> = Vec::new();
        for (due, timer) in self.0.iter_mut().zip(timers).filter(|(due, _)| **due <= count) {
            let times = (count - *due) / timer.period + 1;
            *due = due.saturating_add(times.saturating_mul(timer.period));
            for time in 0..times.min(MOST_BEHIND) {
                fired.extend(timer.probes.iter().map(|&probe| (time, probe)));
            }
        }
        fired.sort_unstable();
        fired.into_iter().map(|(_, probe)| probe).collect()
    }
}

impl Sampler {
    /// Probes with their periods in nanoseconds.
    pub(super) fn new(probes: &[(u64, ProbeIndex)], now: u64) -> Sampler {
        let mut timers: Vec<Timer> = Vec::new();
        for &(period, probe) in probes {
            match timers.iter_mut().find(|timer| timer.period == period) {
                Some(timer) => timer.probes.push(probe),
                None => timers.push(Timer { period: period.max(1), probes: vec![probe] }),
            }
        }
        let mut sampler = Sampler { left_over: vec![0; timers.len()], timers, ..Sampler::default() };
        sampler.look = now.saturating_add(sampler.shortest().unwrap_or(0));
        sampler
    }

    /// The shortest period; none without probes.
    fn shortest(&self) -> Option<u64> {
        self.timers.iter().map(|timer| timer.period).min()
    }

    /// When all clocks are to be looked at next.
    pub(super) fn next(&self) -> Option<u64> {
        self.shortest().map(|_| self.look)
    }

    /// Whether all clocks are to be looked at now. Looks that were missed are missed: the clocks know.
    pub(super) fn looks(&mut self, now: u64) -> bool {
        let Some(period) = self.shortest().filter(|_| self.look <= now) else { return false };
        let behind = (now - self.look) / period + 1;
        self.look = self.look.saturating_add(behind.saturating_mul(period));
        true
    }

    /// Begins to sample a thread: its clock, if it can have one.
    pub(super) fn begin(&mut self, tid: u32) -> Option<Clock> {
        let clock = ThreadClock::new(tid, self.shortest()?).ok()?;
        Some(Clock { clock, progress: self.progress(0) })
    }

    /// A thread has ended.
    pub(super) fn end(&mut self, clock: &Clock) {
        self.leave(clock.clock.read(), &clock.progress);
    }

    /// A process has ended.
    pub(super) fn end_process(&mut self, pid: u32) {
        self.processes.remove(&pid);
    }

    /// Whether a sample is due of a thread, or of some thread of its process. `all`: not only if its clock has rung.
    pub(super) fn is_due(&mut self, pid: u32, clock: Option<&Clock>, all: bool) -> bool {
        match clock {
            Some(Clock { clock, progress }) => (clock.take_rung() || all) && progress.is_due(clock.read()),
            None if all => {
                let Some(time) = process_time(pid) else { return false };
                if let Some(progress) = self.processes.get(&pid) {
                    return progress.is_due(time);
                }
                let progress = self.progress(time);
                self.processes.insert(pid, progress);
                false
            }
            None => false,
        }
    }

    /// The probes that a thread is to fire.
    pub(super) fn take(&mut self, pid: u32, clock: &mut Option<Clock>) -> Vec<ProbeIndex> {
        match clock {
            Some(Clock { clock, progress }) => progress.take(&self.timers, clock.read()),
            None => match (self.processes.get_mut(&pid), process_time(pid)) {
                (Some(progress), Some(time)) => progress.take(&self.timers, time),
                _ => Vec::new(),
            },
        }
    }

    /// What is due when of a clock that shows so much.
    fn progress(&mut self, count: u64) -> Progress {
        let due = |(timer, left): (&Timer, &mut u64)| {
            count.saturating_add(timer.period).saturating_sub(std::mem::take(left))
        };
        Progress(self.timers.iter().zip(&mut self.left_over).map(due).collect())
    }

    fn leave(&mut self, count: u64, progress: &Progress) {
        for ((left, timer), due) in self.left_over.iter_mut().zip(&self.timers).zip(&progress.0) {
            let unsampled = count.saturating_add(timer.period).saturating_sub(*due);
            *left = (*left + unsampled % timer.period) % timer.period;
        }
    }
}

/// What is to be told if threads like this one can have no clocks.
pub(super) fn refusal(tid: u32) -> Option<String> {
    let error = ThreadClock::new(tid, 1_000_000_000).err()?;
    let paranoid = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid");
    Some(notice(&error, &paranoid.unwrap_or_default()))
}

/// The words for a refusal; `paranoid` is the text of the setting that decides.
fn notice(error: &io::Error, paranoid: &str) -> String {
    let reason = reason(error);
    let setting = match (error.raw_os_error(), paranoid.trim().parse::<i32>()) {
        (Some(libc::EACCES | libc::EPERM), Ok(level)) if level > 2 => format!(
            "kernel.perf_event_paranoid (/proc/sys/kernel/perf_event_paranoid) is {level}; 2 or less allows them"
        ),
        (Some(libc::EMFILE | libc::ENFILE), _) => "one descriptor a thread: raise ulimit -n".to_owned(),
        (Some(libc::ENOENT | libc::ENOSYS), _) => "the kernel has none".to_owned(),
        (Some(libc::EACCES | libc::EPERM), _) => {
            "a container's seccomp profile or a security module may forbid perf_event_open".to_owned()
        }
        _ => shortage::advice(error).unwrap_or_default().to_owned(),
    };
    let setting = if setting.is_empty() { setting } else { format!(" ({setting})") };
    format!(
        "profile samples are shared out among the threads of a process, without perf events: {reason}{setting}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAST: ProbeIndex = ProbeIndex(2);
    const SLOW: ProbeIndex = ProbeIndex(1);

    #[test]
    fn each_is_due_by_its_period_of_cpu_time() {
        let mut sampler = Sampler::new(&[(10, FAST), (25, SLOW), (10, ProbeIndex(3))], 100);
        let mut progress = sampler.progress(0);
        let mut at = |count| (progress.is_due(count), progress.take(&sampler.timers, count));
        assert_eq!(at(9), (false, vec![]));
        assert_eq!(at(10), (true, vec![FAST, ProbeIndex(3)]));
        assert_eq!(at(19), (false, vec![]));
        assert_eq!(
            at(30),
            (true, vec![SLOW, FAST, ProbeIndex(3), FAST, ProbeIndex(3)]),
            "two of one are due"
        );
        assert_eq!(at(30), (false, vec![]));
        let late = at(1030).1;
        let times = |probe| late.iter().filter(|&&fired| fired == probe).count() as u64;
        assert_eq!((times(SLOW), times(FAST)), (40, MOST_BEHIND), "not all 100");
        assert_eq!(at(1039).1, []);
    }

    #[test]
    fn short_lives_add_up() {
        let mut sampler = Sampler::new(&[(10, FAST)], 0);
        let mut samples = 0;
        for _ in 0..100 {
            let mut progress = sampler.progress(0);
            samples += progress.take(&sampler.timers, 3).len();
            sampler.leave(3, &progress);
        }
        assert_eq!(samples, 30, "300 of CPU, a sample each 10");
    }

    #[test]
    fn clocks_are_looked_at_once_a_period() {
        let mut sampler = Sampler::new(&[(10, FAST), (25, SLOW)], 100);
        assert_eq!(sampler.next(), Some(110));
        assert!(!sampler.looks(109));
        assert!(sampler.looks(110));
        assert!(!sampler.looks(119));
        assert!(sampler.looks(157));
        assert_eq!(sampler.next(), Some(160));
        assert_eq!(Sampler::new(&[], 5).next(), None);
        assert!(!Sampler::new(&[], 5).looks(7));
    }

    #[test]
    fn a_process_whose_threads_have_no_clock() {
        let mut sampler = Sampler::new(&[(1_000_000, FAST)], 0);
        let pid = std::process::id();
        assert!(!sampler.is_due(pid, None, true), "it has only just begun");
        let begun = std::time::Instant::now();
        while !sampler.is_due(pid, None, true) && begun.elapsed().as_secs() < 60 {
            std::hint::black_box((0..10_000).sum::<u64>());
        }
        assert!(!sampler.is_due(pid, None, false), "only when it is time");
        assert_eq!(sampler.take(pid, &mut None), [FAST]);
    }

    #[test]
    fn a_refusal_names_what_decides() {
        let of = |number, paranoid| {
            let text = notice(&io::Error::from_raw_os_error(number), paranoid);
            text.rsplit_once(": ").map(|(_, why)| why.to_owned()).expect("it has a reason")
        };
        for (number, paranoid, expected) in [
            (
                libc::EACCES,
                "3\n",
                "Permission denied (kernel.perf_event_paranoid (/proc/sys/kernel/perf_event_paranoid) is 3; 2 or less \
                 allows them)",
            ),
            (
                libc::EACCES,
                "2\n",
                "Permission denied (a container's seccomp profile or a security module may forbid perf_event_open)",
            ),
            // The part behind the last colon.
            (libc::EMFILE, "2\n", "raise ulimit -n)"),
            (libc::E2BIG, "2\n", "Argument list too long"),
            (libc::ENOSYS, "", "Function not implemented (the kernel has none)"),
        ] {
            assert_eq!(of(number, paranoid), expected);
        }
    }
}
