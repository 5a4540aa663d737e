//! `--explain`: a plan as text, like a database's EXPLAIN. What runs where, what an event costs in bytes, where each
//! variable and aggregation lives, and which expression forced what. Reads a finished plan; decides nothing.

use std::fmt::Write as _;

use dtrail_lang::env::FiredBy;
use dtrail_lang::ir::print::{agg_name, builtin, scope_prefix};
use dtrail_lang::ir::{self, ClauseId, Op};
use dtrail_lang::plan::{Group, KeyPart, Plan, Side, SlotKind, Subject};
use dtrail_lang::source::{SourceMap, Span};

/// The whole text. `source` is the name of the event source that the plan is for.
pub(crate) fn explain(plan: &Plan, source: &str, sources: &SourceMap) -> String {
    let mut cx = Text { plan, sources, out: String::new() };
    let kernel = match plan.groups.is_empty() {
        true => "no kernel part: whole clauses run in user space at the event",
        false => "what must be at the event runs in the kernel, the rest in user space",
    };
    cx.line(0, format_args!("source {source}: {kernel}"));
    cx.reasons(Subject::Program);
    for id in 0..plan.program.clauses.len() {
        cx.clause(ClauseId(id as u32));
    }
    cx.records();
    cx.variables();
    cx.aggregations();
    cx.cuts();
    cx.out
}

struct Text<'a> {
    plan: &'a Plan,
    sources: &'a SourceMap,
    out: String,
}

impl Text<'_> {
    fn line(&mut self, indent: usize, text: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.out, "{:indent$}{text}", "");
    }

    /// `line 3` for a place in a script, nothing more.
    fn place(&self, span: Span) -> String {
        format!("line {}", self.sources.line_column(span.source, span.start).0)
    }

    fn reasons(&mut self, subject: Subject) {
        let plan = self.plan;
        for reason in plan.reasons.iter().filter(|reason| reason.subject == subject) {
            match reason.span {
                Some(span) => {
                    let (text, place) = (one_line(self.sources.text(span)), self.place(span));
                    self.line(4, format_args!("because {}: `{text}`, {place}", reason.text));
                }
                None => self.line(4, format_args!("because {}", reason.text)),
            }
        }
    }

    fn clause(&mut self, id: ClauseId) {
        let plan = self.plan;
        let code = &plan.program.clauses[id.index()];
        let (text, place) = (one_line(self.sources.text(code.span)), self.place(code.span));
        self.line(0, format_args!("\nclause {}, {place}: {text}", code.number));
        let probes = plan.probe_clauses.iter().enumerate().filter(|(_, clauses)| clauses.contains(&id));
        let fired: Vec<FiredBy> = probes.map(|(probe, _)| plan.program.probes[probe].fired_by).collect();
        let has = |by: FiredBy| fired.contains(&by);
        if has(FiredBy::Tracer) {
            self.line(
                2,
                format_args!("user    the whole clause, in the tracer, when its timer or BEGIN or END fires"),
            );
        }
        if has(FiredBy::Fault) {
            self.line(2, format_args!("user    the whole clause, after the faulting one"));
        }
        if has(FiredBy::Source) {
            self.source_fired(id);
        }
        if fired.is_empty() {
            self.line(2, format_args!("matches no probe"));
        }
        self.reasons(Subject::Clause(id));
    }

    fn source_fired(&mut self, id: ClauseId) {
        let plan = self.plan;
        if plan.groups.is_empty() {
            self.line(2, format_args!("user    the whole clause, at the event"));
            return;
        }
        let kernel = plan.kernel[id.index()].as_ref();
        let user = plan.user[id.index()].as_ref();
        match (kernel, user) {
            (Some(kernel), None) if !sends(kernel) => self.line(2, format_args!("kernel  the whole clause")),
            (Some(_), None) => self.line(2, format_args!("kernel  the whole clause; a fault is reported")),
            (kernel, user) => {
                let ops = |clause: Option<&ir::Clause>| {
                    clause.map_or(0, |c| c.blocks.iter().map(|block| block.insts.len()).sum::<usize>())
                };
                self.line(2, format_args!("kernel  {} operations", ops(kernel)));
                self.line(2, format_args!("user    {} operations", ops(user)));
            }
        }
        let layout = &plan.clause_layouts[id.index()];
        if !layout.slots.is_empty() {
            let slots: Vec<String> = layout
                .slots
                .iter()
                .map(|slot| match slot.kind {
                    SlotKind::Int => format!("{} (8 bytes)", slot.what),
                    SlotKind::Str => format!("{} (string)", slot.what),
                    SlotKind::Fault => format!("{} (fault or not, 16 bytes)", slot.what),
                })
                .collect();
            self.line(2, format_args!("sends   {}", slots.join(", ")));
        }
    }

    fn records(&mut self) {
        let plan = self.plan;
        if plan.groups.is_empty() {
            return;
        }
        self.line(0, format_args!("\nrecords"));
        for (number, group) in plan.groups.iter().enumerate() {
            let probes: Vec<_> = plan
                .probe_groups
                .iter()
                .zip(&plan.program.probes)
                .filter(|(of, _)| of.is_some_and(|of| usize::from(of.0) == number))
                .map(|(_, probe)| probe)
                .collect();
            let Some(first) = probes.first() else { continue };
            let name = format!("{}:{}:{}:{}", first.provider, first.module, first.function, first.name);
            let more = match probes.len() {
                1 => String::new(),
                n => format!(" and {} more probes", n - 1),
            };
            let size = self.record_size(group);
            self.line(2, format_args!("{name}{more}: {size}"));
        }
    }

    fn record_size(&self, group: &Group) -> String {
        let sending = |id: &&ClauseId| self.plan.kernel[id.index()].as_ref().is_some_and(sends);
        let senders: Vec<_> = group.clauses.iter().filter(sending).collect();
        if senders.is_empty() {
            return "none".into();
        }
        let string = |id: &&ClauseId| {
            self.plan.clause_layouts[id.index()].slots.iter().any(|s| s.kind == SlotKind::Str)
        };
        let tail = if senders.iter().any(string) { " and the strings" } else { "" };
        let clauses: Vec<String> =
            senders.iter().map(|id| self.plan.program.clauses[id.index()].number.to_string()).collect();
        let mut text = format!("{} bytes{tail}, for clause {}", group.layout.fixed_size, clauses.join(", "));
        let shared: Vec<String> = group.layout.shared_slots.iter().map(|slot| builtin(slot.var, 0)).collect();
        if !shared.is_empty() {
            let _ = write!(text, "; with {} of every firing", shared.join(", "));
        }
        text
    }

    fn variables(&mut self) {
        let plan = self.plan;
        if plan.program.vars.is_empty() {
            return;
        }
        self.line(0, format_args!("\nvariables"));
        for (i, (var, home)) in plan.program.vars.iter().zip(&plan.homes).enumerate() {
            let name = format!("{}{}", scope_prefix(var.scope), var.name);
            let keys = if var.keys.is_some() { "[]" } else { "" };
            let key = key_text(&home.key);
            self.line(2, format_args!("{name}{keys}: {}{key}", side(home.side)));
            self.reasons(Subject::Var(ir::VarId(i as u32)));
        }
    }

    fn aggregations(&mut self) {
        let plan = self.plan;
        if plan.program.agg_sites.is_empty() {
            return;
        }
        self.line(0, format_args!("\naggregations"));
        for (i, (site, placed)) in plan.program.agg_sites.iter().zip(&plan.agg_sites).enumerate() {
            let agg = &plan.program.aggs[site.agg.index()];
            let (name, place) = (agg_name(&agg.name), self.place(site.span));
            let (function, key) = (agg.func.row().name, key_text(&placed.key));
            let clause = plan.program.clauses[site.clause.index()].number;
            self.line(
                2,
                format_args!("{name} = {function}() in clause {clause}, {place}: {}{key}", side(placed.side)),
            );
            self.reasons(Subject::AggSite(ir::AggSiteId(i as u32)));
        }
    }

    fn cuts(&mut self) {
        let by = match (self.plan.cuts.tracer, self.plan.cuts.kernel) {
            (false, false) => return,
            (true, false) => "by the tracer's clauses",
            (false, true) => "in the kernel",
            (true, true) => "by the tracer's clauses and in the kernel",
        };
        let generations = self.plan.cuts.generations();
        self.line(
            0,
            format_args!("\ncuts {by}: {generations} generations of each aggregation in the kernel"),
        );
    }
}

/// Whether a kernel clause may leave work for user space.
fn sends(clause: &ir::Clause) -> bool {
    clause.blocks.iter().flat_map(|block| &block.insts).any(|inst| matches!(inst.op, Op::Work))
}

fn side(side: Side) -> &'static str {
    match side {
        Side::Kernel => "kernel",
        Side::User => "user",
    }
}

/// `, key integer, execname`
fn key_text(key: &[KeyPart]) -> String {
    if key.is_empty() {
        return String::new();
    }
    let parts: Vec<String> = key
        .iter()
        .map(|part| match part {
            KeyPart::Int => "integer".to_string(),
            KeyPart::Str => "string".to_string(),
            KeyPart::Execname => "execname".to_string(),
            KeyPart::Probe(var) => builtin(*var, 0),
        })
        .collect();
    format!(", key {}", parts.join(", "))
}

/// A stretch of program text on one line, cut after 100 characters.
fn one_line(text: &str) -> String {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match joined.char_indices().nth(100) {
        Some((at, _)) => format!("{}…", &joined[..at]),
        None => joined,
    }
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn texts_fit_a_line() {
        assert_eq!(one_line("BEGIN\n{\n\texit(0);\n}"), "BEGIN { exit(0); }");
        assert_eq!(one_line(&"é".repeat(101)).chars().count(), 101);
    }
}
