//! One recorded action carried out, when its row is printed: its text, or what it does to aggregations, options and the
//! output. In: an action's site and its values. Out: text, changes, and a message for what could not be done.

use dtrail_lang::builtins::Action;
use dtrail_lang::builtins::symbolic::sampled;
use dtrail_lang::bytes;
use dtrail_lang::format::Format;
use dtrail_lang::ir::{AggId, ClauseId, Detail, ProbeIndex, SiteId};

use super::session::{Session, pass_on, symbols};
use super::{OutputFormat, lines, messages};
use crate::agg::{AggTable, AggTables};
use crate::format::{Style, dump, packet, print, printa, printf, trace};
use crate::output::Output as _;
use crate::record::Records;
use crate::runtime::World;
use crate::value::ValueRef;

/// What the consumer did not do for an action.
enum NotDone {
    Divisor,
    Option {
        name: String,
        value: String,
        why: String,
    },
    Reopen {
        path: String,
        why: String,
    },
    /// A defect: nobody carries the action out, or its site does not hold what it needs.
    Unknown(Action),
}

impl Session<'_> {
    /// Appends the text of one action, or does what it says; `first` finds its values.
    pub(super) fn action(&mut self, records: &Records, id: SiteId, first: usize, probe: ProbeIndex) {
        let Some(site) = self.plan.program.sites.get(id.index()) else { return };
        let escape = self.escapes();
        if site.action == Action::Printa || site.action == Action::Trunc {
            self.rekey();
        }
        if site.action == Action::System {
            // The command writes to the same place: what came before must be there before.
            self.output.settle();
        }
        let Session { world, text, settings, output, interrupts, host, cut, .. } = self;
        let mut spill = |text: &mut Vec<u8>| {
            let flow = pass_on(output, *interrupts, text);
            *cut |= flow.is_break() && interrupts.count() > 1;
            flow
        };
        let World { aggs, stacks, .. } = world;
        let style = Style { host: *host, escape, symbols: symbols(*host, stacks, settings) };
        let mut values = site.args.iter().zip(first..).map(|(ty, i)| records.value(i, ty.reg_kind()));
        let mut number = || values.next().map_or(0, ValueRef::int);
        let mut not_done = None;
        match (site.action, &site.detail) {
            (action, _) if action == Action::Trace || sampled(action).is_some() => {
                let strsize = self.plan.program.limits.strsize;
                for (value, &ty) in values.zip(&site.args) {
                    match settings.rawbytes && action == Action::Trace {
                        true => trace::raw(text, value, ty, strsize),
                        false => trace::trace(text, value, ty, settings.quiet, style),
                    }
                }
            }
            (Action::Printf, Detail::Format(format)) => printf::printf(text, format, &mut values, style),
            (Action::Tracemem, _) => {
                let bytes = values.next().map_or(&[][..], ValueRef::bytes);
                let limit = values.next().map_or(-1, ValueRef::int);
                dump::dump(text, dump::limited(bytes, limit));
            }
            (Action::Pcap, _) => {
                let bytes = values.next().map_or(&[][..], ValueRef::bytes);
                let numbers: Vec<i64> = values.map(ValueRef::int).collect();
                if let &[length, elsewhere, time, kind] = &numbers[..] {
                    let packet = packet::Packet::new(bytes, length, elsewhere, time, kind);
                    // What this row has written before stands in the file first, its header perhaps.
                    let redirected = output.redirected().map(|empty| empty && text.is_empty());
                    packet.show(text, redirected, &|capture| host.decode(capture));
                }
            }
            (Action::Print, Detail::Shape(shape)) => match (values.next(), values.next()) {
                (Some(address), Some(bytes)) => {
                    let most = settings.printsize as usize;
                    let bytes = bytes.bytes();
                    print::target(text, address.int() as u64, shape, &bytes[..bytes.len().min(most)], escape);
                }
                (Some(value), None) => print::value(text, shape, value, style),
                _ => {}
            },
            (Action::Printa, Detail::Printa { format, aggs: named }) => {
                let tables: Vec<&AggTable> = named.iter().filter_map(|&agg| aggs.get(agg)).collect();
                let any = match format {
                    _ if settings.format != OutputFormat::Text => {
                        tables.iter().for_each(|table| lines::entries(table, settings, style, &mut spill));
                        tables.iter().any(|table| table.entries().len() > 0)
                    }
                    Some(format) => {
                        printa::formatted(text, format, &tables, settings.aggs, style, &mut spill)
                    }
                    None => printa::default(text, &tables, settings.aggs, style, &mut spill),
                };
                if any {
                    named.iter().for_each(|&agg| with(aggs, agg, AggTable::set_printed));
                }
            }
            (Action::Clear, Detail::Agg(agg)) => with(aggs, *agg, AggTable::clear),
            (Action::Trunc, Detail::Agg(agg)) => {
                let keep = number();
                with(aggs, *agg, |table| table.trunc(keep, stacks));
            }
            (Action::Normalize, Detail::Agg(agg)) => match number() {
                0 => not_done = Some(NotDone::Divisor),
                normal => with(aggs, *agg, |table| table.normalize(normal)),
            },
            (Action::Denormalize, Detail::Agg(agg)) => with(aggs, *agg, |table| table.normalize(1)),
            (Action::System, Detail::Format(format)) => {
                let command = formatted(format, &mut values, style);
                let _ = spill(text);
                // Thousands may wait in the buffers, and the end was asked for twice.
                let given_up = || interrupts.count() > 1;
                if !given_up()
                    && let Some(pid) = host.system(&command, &given_up)
                {
                    let left = messages::left_running(pid, &bytes::to_text(&command));
                    output.diagnostic(format!("{}: {left}", settings.program).as_bytes());
                }
            }
            (Action::Freopen, Detail::Format(format)) => {
                let path = formatted(format, &mut values, style);
                let _ = spill(text);
                if let Err(why) = output.reopen(&path) {
                    let path = bytes::to_text(&path);
                    not_done = Some(NotDone::Reopen { path, why });
                }
            }
            (Action::Ftruncate, _) => {
                let _ = spill(text);
                output.truncate();
            }
            (Action::Setopt, Detail::Option { name, value }) => {
                if let Err(error) = settings.set(name, value) {
                    let (name, value, why) = (name.clone(), value.clone(), error.to_string());
                    not_done = Some(NotDone::Option { name, value, why });
                }
            }
            // Done at the event, or by whoever commits the record; or the compiler refuses it.
            (
                Action::Default
                | Action::Exit
                | Action::Raise
                | Action::Stop
                | Action::Speculate
                | Action::Commit
                | Action::Discard
                | Action::Chill
                | Action::Panic
                | Action::Breakpoint,
                _,
            ) => {}
            (action, _) => not_done = Some(NotDone::Unknown(action)),
        }
        if let Some(what) = not_done {
            self.say_not_done(site.clause, probe, &what);
        }
    }

    /// Reports what was not done as a fault of the library, which fires nothing (runtime spec §11.1).
    fn say_not_done(&mut self, clause: ClauseId, probe: ProbeIndex, what: &NotDone) {
        let program = &{ self.plan }.program;
        let number = program.clauses.get(clause.index()).map_or(0, |clause| clause.number);
        let Some(probe) = program.probes.get(probe.index()) else { return };
        let why = match what {
            NotDone::Divisor => "invalid normalization value".to_owned(),
            // The message carries a newline of its own.
            NotDone::Option { name, value, why } => {
                format!("couldn't set option \"{name}\" to \"{value}\": {why}\n")
            }
            NotDone::Reopen { path, why } => format!("couldn't freopen() \"{path}\": {why}"),
            NotDone::Unknown(action) => {
                format!("internal error: {}() is carried out by nobody", action.row().name)
            }
        };
        self.tell_not_done(number, probe, &why);
    }
}

/// The text of a format as an argument of an action, with nothing escaped.
fn formatted<'v>(
    format: &Format,
    values: &mut dyn Iterator<Item = ValueRef<'v>>,
    style: Style<'_>,
) -> Vec<u8> {
    let mut text = Vec::new();
    printf::printf(&mut text, format, values, Style { escape: false, ..style });
    text
}

fn with(aggs: &mut AggTables, agg: AggId, change: impl FnOnce(&mut AggTable)) {
    if let Some(table) = aggs.get_mut(agg) {
        change(table);
    }
}
