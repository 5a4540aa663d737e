//! The wording of what a run says on standard error: faults (runtime spec §11.1), losses (§11.2), ends of processes
//! (§13.1). Values in, lines out, without the program's name.

use std::fmt::Write as _;

use dtrail_lang::builtins::consts;
use dtrail_lang::env::Probe;
use dtrail_lang::ir::{Op, Scope, print};
use dtrail_lang::plan::Plan;

use crate::event::{Exited, ExitedHow};
use crate::fault::{Drops, FaultKind, Raised};

/// `error in dt_clause_0 for probe ID 1 (dtrace:::BEGIN): invalid address (0x0) at insn 2`. The number is that of the
/// IR instruction ([`dtrail_lang::ir::Inst::point`]): `--dump=ir` shows it, and it is the same on every engine.
pub(super) fn fault(clause: u32, probe: &Probe, raised: Raised, point: u32) -> String {
    let mut text = error(clause, probe, raised.kind.text());
    // Writing to a string cannot fail.
    let _ = match raised.kind {
        FaultKind::BadAddr if raised.value == u64::MAX => Ok(()),
        FaultKind::BadAddr | FaultKind::BadAlign | FaultKind::BadStack | FaultKind::BadSize => {
            write!(text, " ({:#x})", raised.value)
        }
        FaultKind::BadIndex => write!(text, " ({})", raised.value as i64),
        _ => Ok(()),
    };
    let _ = write!(text, " at insn {point}");
    text
}

/// What the consumer could not do for an action (runtime spec §11.1): `invalid normalization value` and the like.
pub(super) fn not_done(clause: u32, probe: &Probe, why: &str) -> String {
    error(clause, probe, why)
}

fn error(clause: u32, probe: &Probe, what: &str) -> String {
    let Probe { id, provider, module, function, name, .. } = probe;
    format!(
        "error in dt_clause_{clause} for probe ID {} ({provider}:{module}:{function}:{name}): {what}",
        id.0
    )
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// One kind of loss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loss {
    /// `DTRACEDROP_…`
    pub(super) tag: &'static str,
    pub(super) cpu: Option<u32>,
    pub(super) count: u64,
    /// What was lost: the message without the count.
    text: String,
}

impl Loss {
    /// The line that tells it, behind its tag if `tags`.
    pub(super) fn line(&self, tags: bool) -> String {
        let tag = if tags { format!("[{}] ", self.tag) } else { String::new() };
        format!("{tag}{} {}", self.count, self.text)
    }
}

/// Each kind of loss that there was.
pub(super) fn losses(drops: &Drops) -> Vec<Loss> {
    let Drops {
        principal,
        aggregation,
        // Told with them.
        aggregation_memory: _,
        dynamic,
        speculative,
        speculations_busy,
        speculations_unavailable,
        double_error,
        missed,
        coalesced_cuts,
        ticks,
        stacks,
        stack_strings,
        mappings,
    } = drops;
    let mut losses = Vec::new();
    let mut line = |tag, cpu, count, text| {
        if count > 0 {
            losses.push(Loss { tag, cpu, count, text });
        }
    };
    for &(cpu, n) in principal {
        line("DTRACEDROP_PRINCIPAL", Some(cpu), n, format!("drop{} on CPU {cpu}", plural(n)));
    }
    for &(cpu, n) in aggregation {
        line("DTRACEDROP_AGGREGATION", Some(cpu), n, format!("aggregation drop{} on CPU {cpu}", plural(n)));
    }
    let n = *dynamic;
    line("DTRACEDROP_DYNAMIC", None, n, format!("dynamic variable drop{}", plural(n)));
    let n = *speculative;
    line("DTRACEDROP_SPEC", None, n, format!("speculative drop{}", plural(n)));
    let n = *speculations_busy;
    let text = "(available buffer(s) still busy)";
    line("DTRACEDROP_SPECBUSY", None, n, format!("failed speculation{} {text}", plural(n)));
    let n = *speculations_unavailable;
    let text = "(no speculative buffer available)";
    line("DTRACEDROP_SPECUNAVAIL", None, n, format!("failed speculation{} {text}", plural(n)));
    let n = *double_error;
    line("DTRACEDROP_DBLERROR", None, n, format!("error{} in ERROR probe enabling", plural(n)));
    let n = *stack_strings;
    line(
        "DTRACEDROP_STKSTROVERFLOW",
        None,
        n,
        format!("jstack()/ustack() string table overflow{}", plural(n)),
    );
    // The rest are this implementation's own.
    let n = *missed;
    line("DTRACEDROP_MISSED", None, n, format!("probe firing{} missed inside other probes", plural(n)));
    let n = *coalesced_cuts;
    line(
        "DTRACEDROP_CUT",
        None,
        n,
        format!("aggregation snapshot{} taken together with the next", plural(n)),
    );
    let n = *ticks;
    line("DTRACEDROP_TICK", None, n, format!("tick firing{} missed", plural(n)));
    let n = *stacks;
    line("DTRACEDROP_STACK", None, n, format!("stack{} lost", plural(n)));
    let n = *mappings;
    line("DTRACEDROP_MAPPING", None, n, format!("mapping{} of processes forgotten", plural(n)));
    losses
}

/// What helps against each kind of loss, one line a kind. `suspects` are the names of what lost records leave wrong.
pub(super) fn advice(drops: &Drops, suspects: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = |lost: bool, text: &str| {
        if lost {
            lines.push(text.to_owned());
        }
    };
    line(!drops.principal.is_empty(), "a larger `-x bufsize` holds more records");
    line(
        !drops.principal.is_empty() && !suspects.is_empty(),
        &format!("lost records may have left wrong values in {}", suspects.join(", ")),
    );
    let updates: u64 = drops.aggregation.iter().map(|(_, n)| n).sum();
    line(updates > drops.aggregation_memory, "a larger `-x aggsize` holds more keys");
    line(
        drops.aggregation_memory > 0,
        "the kernel had no memory at hand for keys that there was room for; aggregations of up to 256 MiB under an \
         `-x aggsize` above the default have theirs before tracing begins, and all of up to 64 KiB",
    );
    line(drops.speculative > 0, "a larger `-x specsize` holds more records of a speculation");
    line(drops.speculations_unavailable > 0, "a larger `-x nspec` allows more speculations at a time");
    line(drops.speculations_busy > 0, "a larger `-x nspec`, or a shorter `-x cleanrate`, leaves fewer busy");
    line(
        drops.stacks > 0,
        "stacks came faster than they were fetched: a predicate, or fewer frames, makes fewer different ones",
    );
    line(
        drops.ticks > 0,
        "they were due while earlier ones or the output kept the tracer busy: a longer period, or less to do in each \
         (`system` above all), leaves time for all",
    );
    line(
        drops.coalesced_cuts > 0,
        "cuts (`printa`, `clear`, `trunc`) came faster than they were taken: fewer of them, as in a `tick`, stay apart",
    );
    line(
        drops.mappings > 0,
        "more is mapped than is remembered, of processes that have ended above all: frames in what is forgotten print without \
         names; `printa` in a `tick` prints them earlier",
    );
    line(drops.stack_strings > 0, "a larger `-x jstackstrsize` holds more names");
    line(drops.dynamic > 0, "set variables to 0 when they are done with, or raise `-x dynvarsize`");
    lines
}

/// What a run that was asked twice to end has not printed, or not to its end: rows, aggregations by name.
pub(super) fn left_out(rows: bool, aggregations: &[String]) -> Option<String> {
    let shown = aggregations.iter().take(LEFT_OUT).map(|name| format!("@{name}"));
    let mut what: Vec<String> = rows.then(|| "rows".to_owned()).into_iter().chain(shown).collect();
    let more = aggregations.len().saturating_sub(LEFT_OUT);
    if more > 0 {
        what.push(format!("{more} more"));
    }
    let list = what.join(", ");
    (!what.is_empty())
        .then(|| format!("output is incomplete, because the end was asked for twice: the rest of {list}"))
}

/// A command of `system` that still runs when a run ends which was asked twice to.
pub(super) fn left_running(pid: u32, command: &str) -> String {
    format!("process {pid} of system() is left running, because the end was asked for twice: {command}")
}

/// So many aggregations are named at most.
const LEFT_OUT: usize = 8;

/// What user code changes by records alone: variables and aggregations that live in user space although there is a
/// kernel part.
pub(super) fn suspects(plan: &Plan) -> Vec<String> {
    let program = &plan.program;
    let mut names = Vec::new();
    let ops = plan.user.iter().flatten().flat_map(|clause| &clause.blocks).flat_map(|block| &block.insts);
    for inst in ops {
        let name = match inst.op {
            Op::SetVar { var, .. } | Op::SetElem { var, .. } => {
                let var = program.vars.get(var.index()).filter(|var| var.scope != Scope::ClauseLocal);
                var.map(|var| format!("{}{}", print::scope_prefix(var.scope), var.name))
            }
            Op::Aggregate { site, .. } => {
                let agg =
                    program.agg_sites.get(site.index()).and_then(|site| program.aggs.get(site.agg.index()));
                agg.map(|agg| print::agg_name(&agg.name))
            }
            _ => None,
        };
        names.extend(name.filter(|name| !names.contains(name)));
    }
    names
}

/// `pid N exited with status S`, `pid N terminated by SIGxxx`; nothing for success and for the unknown.
pub(super) fn exited(process: Exited) -> Option<String> {
    let pid = process.pid;
    match process.how {
        None | Some(ExitedHow::Status(0)) => None,
        Some(ExitedHow::Status(status)) => Some(format!("pid {pid} exited with status {status}")),
        Some(ExitedHow::Signal(signal)) => Some(match consts::signal_name(i64::from(signal)) {
            Some(name) => format!("pid {pid} terminated by {name}"),
            None => format!("pid {pid} terminated by signal {signal}"),
        }),
    }
}

#[cfg(test)]
mod tests {
    use dtrail_lang::ir::parse;

    use super::*;

    fn drops(lost: &Drops, tags: bool) -> Vec<String> {
        super::losses(lost).iter().map(|loss| loss.line(tags)).collect()
    }

    #[test]
    fn faults() {
        let text = "p0 = probe 1 dtrace:::BEGIN tracer\np1 = probe 5 syscall:vmlinux:openat:entry";
        let program = parse::program(text).expect("IR of this test");
        let [begin, openat] = &program.probes[..] else { panic!("two probes") };
        for (clause, probe, raised, expected) in [
            (
                0,
                begin,
                Raised::new(FaultKind::BadAddr, 0),
                "0 for probe ID 1 (dtrace:::BEGIN): invalid address (0x0)",
            ),
            (
                0,
                begin,
                Raised::plain(FaultKind::BadAddr),
                "0 for probe ID 1 (dtrace:::BEGIN): invalid address",
            ),
            (
                1,
                openat,
                Raised::plain(FaultKind::DivZero),
                "1 for probe ID 5 (syscall:vmlinux:openat:entry): divide-by-zero",
            ),
            (
                0,
                begin,
                Raised::new(FaultKind::BadSize, 100_000),
                "0 for probe ID 1 (dtrace:::BEGIN): invalid size (0x186a0)",
            ),
            (
                0,
                begin,
                Raised::new(FaultKind::BadIndex, u64::MAX),
                "0 for probe ID 1 (dtrace:::BEGIN): index out of bounds (-1)",
            ),
            (
                0,
                begin,
                Raised::plain(FaultKind::NoScratch),
                "0 for probe ID 1 (dtrace:::BEGIN): out of scratch space",
            ),
        ] {
            assert_eq!(fault(clause, probe, raised, 7), format!("error in dt_clause_{expected} at insn 7"));
        }
    }

    #[test]
    fn losses() {
        let lost = Drops {
            principal: vec![(0, 1), (3, 20)],
            aggregation: vec![(1, 2)],
            dynamic: 1,
            double_error: 1,
            ticks: 4,
            mappings: 1,
            ..Drops::default()
        };
        assert_eq!(
            drops(&lost, false),
            [
                "1 drop on CPU 0",
                "20 drops on CPU 3",
                "2 aggregation drops on CPU 1",
                "1 dynamic variable drop",
                "1 error in ERROR probe enabling",
                "4 tick firings missed",
                "1 mapping of processes forgotten",
            ]
        );
        assert_eq!(drops(&lost, true)[4], "[DTRACEDROP_DBLERROR] 1 error in ERROR probe enabling");
        assert!(drops(&Drops::default(), true).is_empty());
    }

    /// Every kind of the specification's table, once and several times. Variables that are gone leave no list behind
    /// that would have to be rinsed or cleaned: of dynamic drops there is one kind.
    #[test]
    fn every_kind_of_loss_has_its_words() {
        type Set = fn(&mut Drops, u64);
        let kinds: [(&str, Set, &str, &str); 8] = [
            ("PRINCIPAL", |d, n| d.principal.push((2, n)), "1 drop on CPU 2", "7 drops on CPU 2"),
            (
                "AGGREGATION",
                |d, n| d.aggregation.push((0, n)),
                "1 aggregation drop on CPU 0",
                "7 aggregation drops on CPU 0",
            ),
            ("DYNAMIC", |d, n| d.dynamic = n, "1 dynamic variable drop", "7 dynamic variable drops"),
            ("SPEC", |d, n| d.speculative = n, "1 speculative drop", "7 speculative drops"),
            (
                "SPECBUSY",
                |d, n| d.speculations_busy = n,
                "1 failed speculation (available buffer(s) still busy)",
                "7 failed speculations (available buffer(s) still busy)",
            ),
            (
                "SPECUNAVAIL",
                |d, n| d.speculations_unavailable = n,
                "1 failed speculation (no speculative buffer available)",
                "7 failed speculations (no speculative buffer available)",
            ),
            (
                "STKSTROVERFLOW",
                |d, n| d.stack_strings = n,
                "1 jstack()/ustack() string table overflow",
                "7 jstack()/ustack() string table overflows",
            ),
            (
                "DBLERROR",
                |d, n| d.double_error = n,
                "1 error in ERROR probe enabling",
                "7 errors in ERROR probe enabling",
            ),
        ];
        for (tag, set, one, several) in kinds {
            for (count, text) in [(1, one), (7, several)] {
                let mut lost = Drops::default();
                set(&mut lost, count);
                assert_eq!(drops(&lost, false), [text]);
                assert_eq!(drops(&lost, true), [format!("[DTRACEDROP_{tag}] {text}")]);
                // A mistake in a program has no tunable.
                assert_eq!(advice(&lost, &[]).len(), usize::from(tag != "DBLERROR"), "{tag}");
            }
        }
    }

    #[test]
    fn what_helps() {
        let lost = Drops { principal: vec![(0, 1)], dynamic: 1, ..Drops::default() };
        assert_eq!(
            advice(&lost, &["x".to_owned(), "self->y".to_owned()]),
            [
                "a larger `-x bufsize` holds more records",
                "lost records may have left wrong values in x, self->y",
                "set variables to 0 when they are done with, or raise `-x dynvarsize`",
            ]
        );
        assert_eq!(advice(&lost, &[]).len(), 2);
        let keys = |lost, without_memory| {
            let aggregation = vec![(0, lost), (1, 1)];
            let lost = Drops { aggregation, aggregation_memory: without_memory, ..Drops::default() };
            let lines = advice(&lost, &[]);
            lines.iter().map(|line| line.split(' ').next().map(str::to_owned)).collect::<Option<Vec<_>>>()
        };
        assert_eq!(keys(3, 0), Some(vec!["a".to_owned()]));
        assert_eq!(keys(3, 4), Some(vec!["the".to_owned()]));
        assert_eq!(keys(3, 2), Some(vec!["a".to_owned(), "the".to_owned()]));
        assert_eq!(
            advice(&Drops { stacks: 3, ..Drops::default() }, &[]),
            [
                "stacks came faster than they were fetched: a predicate, or fewer frames, makes fewer different ones"
            ]
        );
        assert_eq!(
            advice(&Drops { ticks: 1, coalesced_cuts: 2, ..Drops::default() }, &[]),
            [
                "they were due while earlier ones or the output kept the tracer busy: a longer period, or less to do in \
                 each (`system` above all), leaves time for all",
                "cuts (`printa`, `clear`, `trunc`) came faster than they were taken: fewer of them, as in a `tick`, stay \
                 apart",
            ]
        );
        assert!(advice(&Drops::default(), &["x".to_owned()]).is_empty());
    }

    #[test]
    fn ends_of_processes() {
        let message = |how| exited(Exited { pid: 7, how });
        assert_eq!(message(Some(ExitedHow::Status(0))), None);
        assert_eq!(message(None), None);
        assert_eq!(message(Some(ExitedHow::Status(3))).as_deref(), Some("pid 7 exited with status 3"));
        assert_eq!(message(Some(ExitedHow::Signal(15))).as_deref(), Some("pid 7 terminated by SIGTERM"));
        assert_eq!(message(Some(ExitedHow::Signal(40))).as_deref(), Some("pid 7 terminated by signal 40"));
    }
}
