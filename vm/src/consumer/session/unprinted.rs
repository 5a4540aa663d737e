//! The end of a run: the aggregations that no `printa` printed (runtime spec §1.5). Out: their text, and the names of those
//! that it did not come to.

use std::collections::VecDeque;

use super::{Session, pass_on, symbols};
use crate::agg::{AggTable, AggTables};
use crate::consumer::{OutputFormat, Settings, lines};
use crate::format::{Style, printa};
use crate::output::Output as _;

impl Session<'_> {
    /// Prints the aggregations that no `printa` printed, one after the other. Gives the names of those that it did not come
    /// to the end of.
    pub(in crate::consumer) fn print_unprinted(&mut self) -> Vec<String> {
        self.rekey();
        let symbols = symbols(self.host, &self.world.stacks, &self.settings);
        let style = Style { host: self.host, escape: self.escapes(), symbols };
        let mut left = unprinted(&self.world.aggs, &self.settings);
        while let Some(&table) = left.front() {
            let mut whole = true;
            let mut spill = |text: &mut Vec<u8>| {
                let flow = pass_on(&mut self.output, self.interrupts, text);
                whole &= flow.is_continue();
                flow
            };
            self.text.clear();
            if self.settings.format != OutputFormat::Text {
                lines::entries(table, &self.settings, style, &mut spill);
            } else {
                printa::entries(&mut self.text, &[table], self.settings.aggs, style, &mut spill);
            }
            let flow = pass_on(&mut self.output, self.interrupts, &mut self.text);
            if whole && self.output.flush().is_ok() {
                left.pop_front();
            }
            if flow.is_break() {
                break;
            }
        }
        names(left)
    }

    /// The aggregations that nobody has printed.
    pub(in crate::consumer) fn unprinted(&self) -> Vec<String> {
        names(unprinted(&self.world.aggs, &self.settings))
    }
}

/// The aggregations that the end prints, in its order.
fn unprinted<'t>(tables: &'t AggTables, settings: &Settings) -> VecDeque<&'t AggTable> {
    let tables = tables.iter().filter(|table| !table.printed() && table.entries().len() > 0);
    if settings.aggs.sort.reverse { tables.rev().collect() } else { tables.collect() }
}

fn names(tables: VecDeque<&AggTable>) -> Vec<String> {
    tables.into_iter().map(|table| table.name().to_owned()).collect()
}
