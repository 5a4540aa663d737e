//! `--format folded`: an entry of an aggregation as a line of a flame graph's input, `a;b;c 12`. In: keys and states. Out:
//! lines.

use std::io::Write as _;

use dtrail_lang::builtins::Symbolic;
use dtrail_lang::ir::ValueType;
use indexmap::IndexMap;
use indexmap::map::Entry;

use super::{Style, symbols, trace};
use crate::agg::{AggState, AggTable};
use crate::value::{self, ValueRef};

/// Entries of an aggregation by their frames. Stacks of other addresses in the same functions are one line, so that keys
/// that look alike are merged as if they had been one key.
#[derive(Default)]
pub struct Lines {
    lines: IndexMap<Vec<u8>, AggState>,
}

impl Lines {
    /// Adds an entry: the elements of its key from left to right, separated by semicolons, stacks from the outermost frame
    /// to the innermost. What is empty is no frame; an entry without any has the name of the aggregation.
    pub fn add(&mut self, table: &AggTable, key: &[u8], state: &AggState, style: Style<'_>) {
        let mut line = Vec::new();
        for (element, &ty) in value::decode(key, table.types()).zip(table.types()) {
            let before = line.len();
            if before > 0 {
                line.push(b';');
            }
            let start = line.len();
            frame(&mut line, element, ty, style);
            if line.len() == start {
                line.truncate(before);
            }
        }
        if line.is_empty() {
            line.extend_from_slice(table.name().as_bytes());
        }
        match self.lines.entry(line) {
            Entry::Occupied(mut known) => known.get_mut().merge(state),
            Entry::Vacant(new) => drop(new.insert(state.clone())),
        }
    }

    /// The lines of an aggregation's entries in the order of their first, each with its number: histograms count their
    /// values.
    pub fn finish(self, table: &AggTable) -> impl Iterator<Item = Vec<u8>> {
        let normal = table.normal();
        self.lines.into_iter().map(move |(mut line, state)| {
            let number = match &state {
                AggState::Buckets(buckets) => {
                    buckets.iter().fold(0_i64, |sum, (_, count)| sum.wrapping_add(count))
                }
                state => state.normalized(normal),
            };
            // Writing to a vector cannot fail.
            let _ = writeln!(line, " {number}");
            line
        })
    }
}

/// Appends a recorded stack that was seen once; an empty one is no line.
pub fn once(out: &mut Vec<u8>, number: u64, style: Style<'_>) {
    let start = out.len();
    symbols::folded(out, number, style.symbols);
    if out.len() > start {
        out.extend_from_slice(b" 1\n");
    }
}

/// Appends an element; what separates frames and lines cannot be part of one.
fn frame(out: &mut Vec<u8>, element: ValueRef<'_>, ty: ValueType, style: Style<'_>) {
    let start = out.len();
    match (element, ty) {
        (ValueRef::Int(number), ValueType::Symbolic(Symbolic::Stack)) => {
            return symbols::folded(out, number as u64, style.symbols);
        }
        (ValueRef::Int(address), ValueType::Symbolic(kind)) => {
            let mut text = Vec::new();
            trace::address(&mut text, address as u64, kind, style);
            out.extend_from_slice(text.trim_ascii());
        }
        (ValueRef::Int(number), _) => drop(write!(out, "{number}")),
        (ValueRef::Str(text), _) => out.extend_from_slice(text.unwrap_or_default()),
    }
    symbols::one_word(&mut out[start..]);
}
