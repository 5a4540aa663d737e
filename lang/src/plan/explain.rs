//! A plan in words, like a database's EXPLAIN: a [`Plan`] and the source texts in, lines out. The text is stable, so
//! that tests can hold it against a file; it decides nothing.

use std::collections::HashMap;
use std::fmt::Write;

use super::homes::named;
use super::{AggPlacement, AskedStack, KeyPart, Plan, Reason, Shared, Side, SlotKind, Subject, layout};
use crate::builtins::{BuiltinVar, Func};
use crate::env::FiredBy;
use crate::ir::facts::speculates;
use crate::ir::print::{action_name, agg_name, builtin, scope_prefix, value_type};
use crate::ir::{AggId, AggSiteId, Clause, ClauseId, Op, ProbeIndex, Scope, SlotId, Terminator, VarId};
use crate::source::{SourceMap, Span};

/// Longest excerpt of a source text, in characters.
const EXCERPT: usize = 60;

/// Explains a plan.
pub fn explain(plan: &Plan, sources: &SourceMap) -> String {
    let mut reasons = HashMap::new();
    for reason in &plan.reasons {
        reasons.entry(reason.subject).or_insert(reason);
    }
    let mut probes = vec![Vec::new(); plan.program.clauses.len()];
    for enabling in &plan.program.enablings {
        probes[enabling.clause.index()].extend_from_slice(&enabling.probes);
    }
    let mut out = Explainer { plan, sources, reasons, probes, text: String::new() };
    out.program();
    for i in 0..plan.program.clauses.len() {
        out.clause(ClauseId(i as u32));
    }
    out.variables();
    out.aggregations();
    out.speculations();
    out.records();
    out.text
}

struct Explainer<'a> {
    plan: &'a Plan,
    sources: &'a SourceMap,
    /// The first of each subject.
    reasons: HashMap<Subject, &'a Reason>,
    /// By clause: the probes that it is enabled on.
    probes: Vec<Vec<ProbeIndex>>,
    text: String,
}

impl Explainer<'_> {
    fn line(&mut self, args: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.text.write_fmt(args);
        self.text.push('\n');
    }

    /// What a span holds, on one line, between backquotes; `None` if it holds nothing.
    fn excerpt(&self, span: Span) -> Option<String> {
        let known = self.sources.ids().any(|id| id == span.source);
        let text = known.then(|| self.sources.text(span)).filter(|text| !text.is_empty())?;
        let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.chars().count() > EXCERPT {
            line = line.chars().take(EXCERPT - 1).chain(['…']).collect();
        }
        Some(format!("`{line}`"))
    }

    /// ` (line 3)`, with the name of the text where there are several.
    fn place(&self, span: Span) -> String {
        if !self.sources.ids().any(|id| id == span.source) {
            return String::new();
        }
        let (line, _) = self.sources.line_column(span.source, span.start);
        match self.sources.ids().count() {
            1 => format!(" (line {line})"),
            _ => format!(" ({} line {line})", self.sources.get(span.source).name),
        }
    }

    fn because(&self, reason: &Reason) -> String {
        let shown = reason.span.and_then(|span| Some((self.excerpt(span)?, self.place(span))));
        match shown {
            Some((excerpt, place)) => format!("{}: {excerpt}{place}", reason.text),
            None => reason.text.clone(),
        }
    }

    fn reason(&self, subject: Subject) -> Option<String> {
        self.reasons.get(&subject).map(|reason| self.because(reason))
    }

    fn program(&mut self) {
        let plan = self.plan;
        if !self.has_kernel_part() {
            self.line(format_args!("no part of this program runs in the kernel: the source of events has none, or no probe of the traced system is enabled"));
        }
        for reason in plan.reasons.iter().filter(|reason| reason.subject == Subject::Program) {
            let text = self.because(reason);
            self.line(format_args!("{text}"));
        }
        let generations = plan.cuts.generations();
        match (plan.cuts.kernel, plan.cuts.tracer) {
            (false, false) => {}
            (true, _) => self.line(format_args!(
                "cuts are made in the kernel: its aggregations are kept in {generations} generations"
            )),
            (false, true) => self.line(format_args!(
                "cuts are made by the tracer: the kernel's aggregations are kept in {generations} generations"
            )),
        }
    }

    fn has_kernel_part(&self) -> bool {
        self.plan.probe_groups.iter().any(Option::is_some)
    }

    fn probe_name(&self, probe: ProbeIndex) -> String {
        let probe = &self.plan.program.probes[probe.index()];
        format!("{}:{}:{}:{}", probe.provider, probe.module, probe.function, probe.name)
    }

    /// The first of some probes, and how many there are.
    fn probes(&self, probes: &[ProbeIndex]) -> String {
        match probes {
            [] => "no probe".to_owned(),
            [one] => self.probe_name(*one),
            [first, rest @ ..] => format!("{} and {} more", self.probe_name(*first), rest.len()),
        }
    }

    fn clause(&mut self, id: ClauseId) {
        let plan = self.plan;
        let whole = &plan.program.clauses[id.index()];
        let probes = std::mem::take(&mut self.probes[id.index()]);
        let (names, place) = (self.probes(&probes), self.place(whole.span));
        self.line(format_args!("clause {}{place}: {names}", whole.number));
        for (fired_by, why) in [(FiredBy::Tracer, "the tracer"), (FiredBy::Fault, "a fault")] {
            if probes.iter().any(|p| plan.program.probes[p.index()].fired_by == fired_by) {
                let what = self.does(id, whole, Side::User);
                self.line(format_args!("  fired by {why}: all in user space: {what}"));
            }
        }
        if !probes.iter().any(|probe| plan.probe_groups[probe.index()].is_some()) {
            if probes.iter().any(|p| plan.program.probes[p.index()].fired_by == FiredBy::Source) {
                let what = self.does(id, whole, Side::User);
                self.line(format_args!("  user:   {what}"));
            }
            return;
        }
        let parts = [
            ("kernel", &plan.kernel[id.index()], Side::Kernel),
            ("user", &plan.user[id.index()], Side::User),
        ];
        for (name, part, side) in parts {
            if let Some(code) = part {
                let what = self.does(id, code, side);
                self.line(format_args!("  {:7} {what}", format!("{name}:")));
            }
        }
        if let Some(why) = self.reason(Subject::Clause(id)) {
            self.line(format_args!("  {why}"));
        }
        let slots = &plan.clause_layouts[id.index()];
        let sends = match (&plan.user[id.index()], slots.fault) {
            (None, None) => "nothing".to_owned(),
            (None, Some(_)) => format!("{} bytes, only if it faults", slots.size),
            (Some(_), _) => format!("{} bytes", slots.size),
        };
        self.line(format_args!("  sends:  {sends}"));
        for (i, slot) in slots.slots.iter().enumerate() {
            let source = self.sent(id, SlotId(i as u32)).and_then(|span| self.excerpt(span));
            let what = source.unwrap_or_else(|| slot.what.clone());
            let (kind, bytes) = match slot.kind {
                SlotKind::Int => ("integer", ""),
                SlotKind::Str => ("string", " and its bytes"),
                SlotKind::Bytes => ("memory", " and its bytes"),
                SlotKind::Fault => ("fault", ""),
            };
            self.line(format_args!("    ${i} {kind}: {what}, {} bytes{bytes}", slot.size()));
        }
        if slots.bits.is_some() {
            self.line(format_args!("    which branches were taken, 8 bytes"));
        }
    }

    /// The expression that a slot holds.
    fn sent(&self, id: ClauseId, wanted: SlotId) -> Option<Span> {
        let code = self.plan.kernel[id.index()].as_ref()?;
        let mut insts = code.blocks.iter().flat_map(|block| &block.insts);
        insts.find(|inst| matches!(inst.op, Op::Send { slot, .. } if slot == wanted)).map(|inst| inst.span)
    }

    /// What a part does, in order, each thing once.
    fn does(&self, id: ClauseId, code: &Clause, side: Side) -> String {
        let mut out: Vec<String> = Vec::new();
        let mut say = |what: String| {
            if !out.contains(&what) {
                out.push(what);
            }
        };
        let mut decides = 0;
        for block in &code.blocks {
            for inst in &block.insts {
                match &inst.op {
                    Op::SetVar { var, .. } | Op::SetElem { var, .. } => {
                        say(format!("sets {}", self.var(*var)));
                    }
                    Op::Aggregate { site, .. } => say(format!("updates {}", self.agg_of(*site))),
                    Op::Record { site, .. } => {
                        let site = &self.plan.program.sites[site.index()];
                        let aggs: Vec<_> = named(&site.detail).iter().map(|agg| self.agg(*agg)).collect();
                        let aggs =
                            if aggs.is_empty() { String::new() } else { format!("({})", aggs.join(", ")) };
                        say(format!("{}{aggs}", action_name(site.action)));
                    }
                    Op::Control { status: Some(_) } => say("shuts the gate (exit)".to_owned()),
                    Op::Control { status: None } => say("cuts".to_owned()),
                    Op::Call { func, .. } if func.writes_process() => say("writes to the process".to_owned()),
                    Op::Call { func: Func::Speculation, .. } => say("takes a speculation".to_owned()),
                    Op::Call { func: Func::SpecCommit, .. } if side == Side::Kernel => {
                        say("commits a speculation".to_owned());
                    }
                    Op::Call { func: Func::SpecDiscard, .. } if side == Side::Kernel => {
                        say("discards a speculation".to_owned());
                    }
                    _ => {}
                }
            }
            decides += u32::from(matches!(block.end, Terminator::Branch { .. }));
        }
        if side == Side::Kernel {
            let slots = self.plan.clause_layouts[id.index()].slots.iter();
            let captured = slots.filter(|slot| slot.kind != SlotKind::Fault).count();
            if decides > 0 {
                out.insert(0, format!("decides {}", counted(decides as usize, "branch", "branches")));
            }
            if captured > 0 {
                out.push(format!("captures {}", counted(captured, "value", "values")));
            }
            if out.is_empty() && self.plan.user[id.index()].is_some() {
                out.push("tells that it fired".to_owned());
            }
        }
        match out.is_empty() {
            true => "nothing that lasts".to_owned(),
            false => out.join(", "),
        }
    }

    fn var(&self, var: VarId) -> String {
        let var = &self.plan.program.vars[var.index()];
        let keys = var.keys.as_ref().map_or(String::new(), |keys| {
            let keys: Vec<_> = keys.iter().map(|&ty| value_type(ty)).collect();
            format!("[{}]", keys.join(", "))
        });
        format!("{}{}{keys}", scope_prefix(var.scope), var.name)
    }

    /// As D has it: the unnamed one is `@`.
    fn agg(&self, agg: AggId) -> String {
        match self.plan.program.aggs[agg.index()].name.as_str() {
            "_" => "@".to_owned(),
            name => agg_name(name),
        }
    }

    fn agg_of(&self, site: AggSiteId) -> String {
        self.agg(self.plan.program.agg_sites[site.index()].agg)
    }

    fn variables(&mut self) {
        let plan = self.plan;
        if plan.program.vars.is_empty() || !self.has_kernel_part() {
            return;
        }
        self.line(format_args!("variables"));
        let strsize = plan.program.limits.strsize;
        for (i, (var, home)) in plan.program.vars.iter().zip(&plan.homes).enumerate() {
            let id = VarId(i as u32);
            let name = self.var(id);
            let bytes = layout::cell_bytes(var.ty, strsize);
            let home = match (home.side, var.scope, &var.keys) {
                (Side::User, ..) => match self.reason(Subject::Var(id)) {
                    Some(why) => format!("user space, because {why}"),
                    None => "user space".to_owned(),
                },
                (Side::Kernel, _, Some(_)) => {
                    let key: u32 = home.key.iter().map(|part| part.size(strsize)).sum();
                    format!("kernel, {bytes} bytes and a key of {key} an element")
                }
                (Side::Kernel, Scope::Global, None) => format!("kernel, {bytes} bytes"),
                (Side::Kernel, Scope::ThreadLocal, None) => format!("kernel, {bytes} bytes a thread"),
                (Side::Kernel, Scope::ClauseLocal, None) => format!("kernel, {bytes} bytes a firing"),
            };
            self.line(format_args!("  {name}: {home}"));
        }
    }

    fn aggregations(&mut self) {
        let plan = self.plan;
        if plan.agg_sites.is_empty() || !self.has_kernel_part() {
            return;
        }
        self.line(format_args!("aggregations"));
        for (i, (site, placement)) in plan.program.agg_sites.iter().zip(&plan.agg_sites).enumerate() {
            let agg = &plan.program.aggs[site.agg.index()];
            let (name, func, place) = (self.agg(site.agg), agg.func.row().name, self.place(site.span));
            let home = match placement.side {
                Side::Kernel => self.kernel_site(placement, layout::agg_words(agg.func, agg.shape)),
                Side::User => match self.reason(Subject::AggSite(AggSiteId(i as u32))) {
                    Some(why) => format!("user space, because {why}"),
                    None => "user space, with its clause".to_owned(),
                },
            };
            self.line(format_args!("  {name} {func}(){place}: {home}"));
        }
    }

    fn speculations(&mut self) {
        let plan = self.plan;
        let clauses = plan.program.clauses.iter();
        let mut insts = clauses.flat_map(|clause| &clause.blocks).flat_map(|block| &block.insts);
        if !self.has_kernel_part() || !insts.any(|inst| speculates(&inst.op)) {
            return;
        }
        let home = match (plan.speculations, self.reason(Subject::Speculations)) {
            (Side::Kernel, _) => "in use: kernel; their records: user space".to_owned(),
            (Side::User, Some(why)) => format!("user space, because {why}"),
            (Side::User, None) => "user space".to_owned(),
        };
        self.line(format_args!("speculations"));
        self.line(format_args!("  {home}"));
    }

    fn kernel_site(&self, placement: &AggPlacement, words: u32) -> String {
        let strsize = self.plan.program.limits.strsize;
        let value = format!("{} bytes a CPU", 8 * words);
        if placement.key.is_empty() {
            return format!("kernel, {value}");
        }
        let parts = placement.key.iter().map(|part| match part {
            KeyPart::Int => "integer".to_owned(),
            KeyPart::Str => "string".to_owned(),
            KeyPart::Execname => "execname".to_owned(),
            KeyPart::Probe(var) => builtin(*var, 0),
        });
        let parts: Vec<String> = parts.collect();
        let bytes: u32 = placement.key.iter().map(|part| part.size(strsize)).sum();
        format!("kernel, key ({}) of {bytes} bytes, {value}", parts.join(", "))
    }

    fn records(&mut self) {
        let plan = self.plan;
        if !self.has_kernel_part() {
            return;
        }
        self.line(format_args!("records"));
        for (i, group) in plan.groups.iter().enumerate() {
            let of_group = |probe: &ProbeIndex| {
                plan.probe_groups[probe.index()].is_some_and(|id| usize::from(id.0) == i)
            };
            let all = (0..plan.program.probes.len() as u32).map(ProbeIndex);
            let probes: Vec<ProbeIndex> = all.filter(of_group).collect();
            let names = self.probes(&probes);
            let numbers = group.clauses.iter().map(|c| plan.program.clauses[c.index()].number.to_string());
            let numbers: Vec<String> = numbers.collect();
            let one = if numbers.len() == 1 { "clause" } else { "clauses" };
            let has_user = group.clauses.iter().any(|c| plan.user[c.index()].is_some());
            let faults = group.clauses.iter().any(|c| plan.clause_layouts[c.index()].fault.is_some());
            let size = group.layout.fixed_size;
            let sent = match (has_user, faults) {
                (true, _) => format!("{size} bytes an event{}", self.strings(group)),
                (false, true) => format!("none unless it faults, then {size} bytes"),
                (false, false) => "none".to_owned(),
            };
            self.line(format_args!("  {names}: {one} {}: {sent}", numbers.join(", ")));
            let shared = group.layout.shared_slots.iter().map(|slot| match slot.holds {
                Shared::Builtin(var) => builtin(var, 0),
                Shared::Register(index) => builtin(BuiltinVar::Uregs, index),
                Shared::Stack(AskedStack { user: false, frames, .. }) => format!("`stack({frames})`"),
                Shared::Stack(AskedStack { user: true, frames, strsize: 0 }) => format!("`ustack({frames})`"),
                Shared::Stack(AskedStack { user: true, frames, strsize }) => {
                    format!("`ustack({frames}, {strsize})`")
                }
            });
            let shared: Vec<String> = shared.collect();
            if !shared.is_empty() {
                self.line(format_args!("    with {} for all clauses", shared.join(", ")));
            }
        }
    }

    /// How many strings an event may carry besides its fixed part.
    fn strings(&self, group: &super::Group) -> String {
        let slots = group.clauses.iter().flat_map(|c| &self.plan.clause_layouts[c.index()].slots);
        match slots.filter(|slot| slot.kind == SlotKind::Str).count() {
            0 => String::new(),
            n => format!(" and up to {}", counted(n, "string", "strings")),
        }
    }
}

fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
