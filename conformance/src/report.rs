//! Runs all cases on all engines and makes the table, the list of misses and the verdict.

use std::fmt::Write as _;

use dtrail_kernel_bridge::caps;

use crate::case::{Case, Kind};
use crate::engine::Engine;
use crate::judge::{disagreement, judge};
use crate::run::{Ran, run};

/// The suite must have at least so many cases: what there are, rounded down, so that none goes missing in numbers.
pub const LEAST_CASES: usize = 1500;
/// And so many that pass with a kernel part on every engine.
pub const LEAST_KERNEL_CASES: usize = 350;

/// How a case went on an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As expected.
    Passed,
    /// In these ways not.
    Missed(Vec<String>),
    /// Not run.
    Skipped,
}

/// The result of a whole run.
#[derive(Debug)]
pub struct Report {
    /// By case, by engine in the order of [`Engine::ALL`].
    pub rows: Vec<(Case, [Verdict; Engine::COUNT])>,
    /// Engines that could not be used, and why.
    pub unavailable: Vec<(Engine, String)>,
    /// Cases that were not run, and the command that this machine has not.
    pub lacking: Vec<(String, String)>,
}

/// Runs the cases, one thread an engine: `bpf` maps memory at fixed addresses, so two of its cases cannot run at once.
pub fn run_all(cases: &[Case]) -> Report {
    let unavailable: Vec<_> =
        Engine::ALL.into_iter().filter_map(|engine| Some((engine, engine.unavailable()?))).collect();
    let usable = |engine: Engine| unavailable.iter().all(|(e, _)| *e != engine);
    let lacking: Vec<_> =
        cases.iter().filter_map(|case| Some((case.name.clone(), case.lacks()?.to_owned()))).collect();
    let lacks = |case: &Case| lacking.iter().find(|(name, _)| *name == case.name);
    let runs = |case: &Case, engine: Engine| {
        usable(engine)
            && lacks(case).is_none()
            && (case.engines.is_empty() || case.engines.contains(&engine))
            && (engine != Engine::Bpf || case.writes.is_none() || case.writes == caps::writes_user())
    };
    let column = |engine: Engine| -> Vec<Option<Ran>> {
        cases.iter().map(|case| runs(case, engine).then(|| run(case, engine))).collect()
    };
    let columns = std::thread::scope(|scope| {
        let column = &column;
        Engine::ALL
            .map(|engine| scope.spawn(move || column(engine)))
            .map(|thread| thread.join().unwrap_or_default())
    });
    let verdict = |case: &Case, row: usize, engine: Engine| {
        if !runs(case, engine) {
            return Verdict::Skipped;
        }
        let ran = |engine: Engine| columns[engine as usize].get(row).and_then(Option::as_ref);
        let Some(this) = ran(engine) else {
            return Verdict::Missed(vec![format!("engine {} crashed on some case", engine.name())]);
        };
        let mut misses = judge(case, engine, this);
        if let Some(other) = Engine::ALL.into_iter().filter(|&e| e != engine).find_map(ran) {
            misses.extend(disagreement(case, this, other));
        }
        if misses.is_empty() { Verdict::Passed } else { Verdict::Missed(misses) }
    };
    let rows = cases
        .iter()
        .enumerate()
        .map(|(row, case)| (case.clone(), Engine::ALL.map(|engine| verdict(case, row, engine))));
    let rows = rows.collect();
    Report { rows, unavailable, lacking }
}

impl Report {
    /// Cases that passed wherever they ran, have a kernel part and ran on every usable engine.
    pub fn kernel_cases(&self) -> usize {
        let usable = |engine: Engine| self.unavailable.iter().all(|(e, _)| *e != engine);
        let everywhere = |verdicts: &[Verdict; Engine::COUNT]| {
            Engine::ALL.into_iter().filter(|&e| usable(e)).all(|e| verdicts[e as usize] == Verdict::Passed)
        };
        self.rows.iter().filter(|(case, verdicts)| case.kernel && everywhere(verdicts)).count()
    }

    /// Why the run as a whole fails; empty if it passes. `ci`: nothing may be skipped on a privileged machine, neither an
    /// engine nor a case.
    pub fn faults(&self, ci: bool, privileged: bool) -> Vec<String> {
        let mut faults = Vec::new();
        let missed =
            self.rows.iter().filter(|(_, v)| v.iter().any(|v| matches!(v, Verdict::Missed(_)))).count();
        if missed > 0 {
            faults.push(format!("{missed} of {} cases miss", self.rows.len()));
        }
        if self.rows.len() < LEAST_CASES {
            faults.push(format!("{} cases, {LEAST_CASES} are the least", self.rows.len()));
        }
        if self.kernel_cases() < LEAST_KERNEL_CASES {
            faults.push(format!(
                "{} cases with a kernel part pass on every engine, {LEAST_KERNEL_CASES} are the least",
                self.kernel_cases()
            ));
        }
        if ci && privileged {
            faults.extend(
                self.unavailable.iter().map(|(e, why)| format!("engine {} was skipped: {why}", e.name())),
            );
            faults.extend(
                self.lacking.iter().map(|(case, command)| format!("{case} was skipped: no {command}")),
            );
        }
        faults
    }

    /// The table engine × cases: one row a topic, passed/run in each cell.
    pub fn table(&self) -> String {
        let mut topics: Vec<&str> = self.rows.iter().map(|(case, _)| topic(case)).collect();
        topics.dedup();
        let mut table = format!("{:<14} {:>6} {:>6}", "topic", "cases", "kernel");
        for engine in Engine::ALL {
            let _ = write!(table, " {:>9}", engine.name());
        }
        table.push('\n');
        for name in topics.iter().copied().chain(["all"]) {
            let rows: Vec<_> = self.rows.iter().filter(|(c, _)| name == "all" || topic(c) == name).collect();
            let kernel = rows.iter().filter(|(case, _)| case.kernel).count();
            let _ = write!(table, "{name:<14} {:>6} {kernel:>6}", rows.len());
            for engine in Engine::ALL {
                let count = |f: &dyn Fn(&Verdict) -> bool| {
                    rows.iter().filter(|(_, v)| f(&v[engine as usize])).count()
                };
                let (ran, passed) = (count(&|v| *v != Verdict::Skipped), count(&|v| *v == Verdict::Passed));
                let _ = write!(table, " {:>9}", format!("{passed}/{ran}"));
            }
            table.push('\n');
        }
        for (engine, why) in &self.unavailable {
            let _ = writeln!(table, "skipped: engine {}: {why}", engine.name());
        }
        for (case, command) in &self.lacking {
            let _ = writeln!(table, "skipped: {case}: no {command}");
        }
        let refused = self.rows.iter().filter(|(case, _)| matches!(case.kind, Kind::Refused(_))).count();
        let _ = writeln!(
            table,
            "{} cases ({refused} of refused programs), {} with a kernel part equal on every engine",
            self.rows.len(),
            self.kernel_cases()
        );
        table
    }

    /// Every miss, one paragraph each.
    pub fn misses(&self) -> String {
        let mut text = String::new();
        for (case, verdicts) in &self.rows {
            for engine in Engine::ALL {
                if let Verdict::Missed(misses) = &verdicts[engine as usize] {
                    let _ = writeln!(text, "MISS {} on {}", case.name, engine.name());
                    for miss in misses {
                        let _ = writeln!(text, "  {miss}");
                    }
                }
            }
        }
        text
    }
}

fn topic(case: &Case) -> &str {
    case.name.split('/').next().unwrap_or("")
}
