//! Output that is not DTrace's text: a JSON object a line (docs/json.md), or folded stacks. In: rows, entries, faults and
//! losses as the session has them. Out: whole lines on the output stream.

use std::io::Write as _;

use dtrail_lang::builtins::{Action, Symbolic};
use dtrail_lang::bytes;
use dtrail_lang::env::Probe;
use dtrail_lang::ir::{ProbeIndex, RegKind, ValueType};

use super::messages::{self, Loss};
use super::session::{Fault, Session, symbols};
use super::{OutputFormat, Settings};
use crate::agg::AggTable;
use crate::agg::sort;
use crate::fault::FaultKind;
use crate::format::printa::Spill;
use crate::format::{Style, dump, folded, json};
use crate::output::Output as _;
use crate::record::{Records, Row};

/// Text is passed on at this size.
const LONG: usize = 1 << 16;

/// Writes the entries of a table, a line each, in their order, until nobody wants more.
pub(super) fn entries(table: &AggTable, settings: &Settings, style: Style<'_>, spill: Spill<'_>) {
    let mut out = Vec::new();
    let mut folded = folded::Lines::new(table);
    for row in sort::rows(&[table], settings.aggs.sort, style.symbols.stacks).iter() {
        let Some(state) = row.state(0) else { continue };
        if settings.format == OutputFormat::Folded {
            folded.add(row.key, state, style);
            continue;
        }
        json::entry(&mut out, table, row.key, state, style);
        out.push(b'\n');
        if out.len() >= LONG && spill(&mut out).is_break() {
            return;
        }
    }
    folded.finish(&mut out, style, |out| out.len() >= LONG && spill(out).is_break());
    let _ = spill(&mut out);
}

impl Session<'_> {
    /// `{"type":"row","cpu":…,"probe":{…},"data":[…]}`: an element for each action.
    pub(super) fn json_row(&mut self, records: &Records, row: Row, probe: ProbeIndex, cpu: u32) {
        let Some(fired) = self.plan.program.probes.get(probe.index()) else { return };
        let mut out = std::mem::take(&mut self.line);
        out.clear();
        // Writing to a vector cannot fail.
        let _ = write!(out, "{{\"type\":\"row\",\"cpu\":{cpu},");
        json::probe(&mut out, fired);
        out.extend_from_slice(b",\"data\":[");
        let mut elements = 0;
        for index in row.indices() {
            let Some((site, first)) = records.get(index) else { continue };
            let Some(found) = self.plan.program.sites.get(site.index()) else { continue };
            // Before what the action says is said: a `clear` must not come before it is printed.
            self.text.clear();
            self.action(records, site, first, probe);
            if found.action == Action::Default {
                continue;
            }
            if elements > 0 {
                out.push(b',');
            }
            elements += 1;
            let _ = write!(out, "{{\"action\":\"{}\"", found.action.row().name);
            match (&found.action, &found.args[..]) {
                (Action::Printf, _) => self.json_text(&mut out),
                (_, [ty]) => {
                    let name = if found.action == Action::Exit { "status" } else { "value" };
                    let _ = write!(out, ",\"{name}\":");
                    let style = self.style();
                    json::value(&mut out, records.value(first, ty.reg_kind()), *ty, style);
                }
                // The value is what is shown: a limit is no part of it.
                (Action::Tracemem, [ty, _]) => {
                    let bytes = records.value(first, ty.reg_kind()).bytes();
                    let shown = dump::limited(bytes, records.value(first + 1, RegKind::Int).int());
                    out.extend_from_slice(b",\"value\":");
                    json::string(&mut out, shown);
                }
                _ if !self.text.is_empty() => self.json_text(&mut out),
                _ => {}
            }
            out.push(b'}');
        }
        out.extend_from_slice(b"]}\n");
        self.output.write(&out);
        self.line = out;
    }

    fn json_text(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b",\"text\":");
        json::string(out, &self.text);
    }

    /// Carries out the actions of a row; of what they print, stacks alone are lines.
    pub(super) fn folded_row(&mut self, records: &Records, row: Row, probe: ProbeIndex) {
        let mut out = std::mem::take(&mut self.line);
        out.clear();
        for index in row.indices() {
            let Some((site, first)) = records.get(index) else { continue };
            self.text.clear();
            self.action(records, site, first, probe);
            let args = self.plan.program.sites.get(site.index()).map_or(&[][..], |site| &site.args);
            if let [ty @ ValueType::Symbolic(Symbolic::Stack)] = args {
                let number = records.value(first, ty.reg_kind()).int() as u64;
                folded::once(&mut out, number, self.style());
            }
        }
        self.output.write(&out);
        self.line = out;
    }

    fn style(&self) -> Style<'_> {
        let symbols = symbols(self.host, &self.world.stacks, &self.settings);
        Style { host: self.host, escape: self.escapes(), symbols }
    }

    /// A newline that only DTrace's text has.
    pub(super) fn blank_line(&mut self) {
        if self.settings.format == OutputFormat::Text {
            self.output.write(b"\n");
        }
    }

    /// Tells a fault: `{"type":"error","clause":…,"probe":{…},"fault":…,"code":…,"value":…,"insn":…,"message":…}`.
    pub(super) fn tell_fault(&mut self, fault: &Fault) {
        let plan = self.plan;
        let Some(probe) = plan.program.probes.get(fault.probe.index()) else { return };
        let message = messages::fault(fault.clause, probe, fault.raised, fault.point);
        if self.settings.format != OutputFormat::Json {
            return self.say(&message);
        }
        let kind = fault.raised.kind;
        let value = Some(fault.raised.value).filter(|&value| value != u64::MAX);
        self.json_fault((fault.clause, probe), kind, value, Some(fault.point), &message);
    }

    /// Tells what the consumer could not do, a fault of the library (runtime spec §11.1), which has neither value nor
    /// instruction.
    pub(super) fn tell_not_done(&mut self, clause: u32, probe: &Probe, why: &str) {
        let message = messages::not_done(clause, probe, why);
        match self.settings.format {
            OutputFormat::Json => {
                self.json_fault((clause, probe), FaultKind::Library, None, None, message.trim_end());
            }
            _ => self.say(&message),
        }
    }

    fn json_fault(
        &mut self,
        (clause, probe): (u32, &Probe),
        kind: FaultKind,
        value: Option<u64>,
        insn: Option<u32>,
        message: &str,
    ) {
        let mut out = Vec::new();
        let _ = write!(out, "{{\"type\":\"error\",\"clause\":{clause},");
        json::probe(&mut out, probe);
        let _ = write!(out, ",\"fault\":\"{}\",\"code\":{},\"value\":", kind.text(), kind as u32);
        let _ = match value {
            None => write!(out, "null"),
            Some(value) => write!(out, "{value}"),
        };
        let _ = match insn {
            None => write!(out, ",\"insn\":null"),
            Some(insn) => write!(out, ",\"insn\":{insn}"),
        };
        out.extend_from_slice(b",\"message\":");
        json::string(&mut out, &bytes::of_text(message));
        out.extend_from_slice(b"}\n");
        self.output.write(&out);
    }

    /// Tells a loss: `{"type":"drop","tag":…,"cpu":…,"count":…,"message":…}`; `cpu` is null where none is known.
    pub(super) fn tell_loss(&mut self, loss: &Loss) {
        if self.settings.format != OutputFormat::Json {
            return self.say(&loss.line(self.settings.droptags));
        }
        let mut out = Vec::new();
        let _ = write!(out, "{{\"type\":\"drop\",\"tag\":\"{}\",\"cpu\":", loss.tag);
        let _ = match loss.cpu {
            Some(cpu) => write!(out, "{cpu}"),
            None => write!(out, "null"),
        };
        let _ = write!(out, ",\"count\":{},\"message\":", loss.count);
        json::string(&mut out, &bytes::of_text(&loss.line(false)));
        out.extend_from_slice(b"}\n");
        self.output.write(&out);
    }
}
