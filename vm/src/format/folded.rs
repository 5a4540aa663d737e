//! `--format folded`: an entry of an aggregation as a line of a flame graph's input, `a;b;c 12`. In: keys and states. Out:
//! lines.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::io::Write as _;

use dtrail_lang::builtins::Symbolic;
use dtrail_lang::ir::ValueType;

use super::{Style, show, symbols, trace};
use crate::agg::{AggState, AggTable};
use crate::value::{self, ValueRef};

/// Entries of an aggregation by their frames. Stacks of other addresses in the same functions are one line, so that keys
/// that look alike are merged as if they had been one key.
///
/// A line is known by the first key that it was made of, and its text is made again when it is needed: a merged line takes
/// no more memory than the entry it came from, however long its text is.
pub struct Lines<'t> {
    table: &'t AggTable,
    /// In the order of their first entry.
    lines: Vec<Line<'t>>,
    /// By the hash of its text: the last line with it.
    last: HashMap<u64, u32>,
    text: Vec<u8>,
    other: Vec<u8>,
}

struct Line<'t> {
    key: &'t [u8],
    state: AggState,
    /// The line before it whose text has the same hash.
    before: Option<u32>,
}

impl<'t> Lines<'t> {
    /// No lines yet.
    pub fn new(table: &'t AggTable) -> Lines<'t> {
        Lines { table, lines: Vec::new(), last: HashMap::new(), text: Vec::new(), other: Vec::new() }
    }

    /// Adds an entry: the elements of its key from left to right, separated by semicolons, stacks from the outermost frame
    /// to the innermost. What is empty is no frame; an entry without any has the name of the aggregation.
    pub fn add(&mut self, key: &'t [u8], state: &AggState, style: Style<'_>) {
        self.text.clear();
        text(&mut self.text, self.table, key, style);
        let hash = self.last.hasher().hash_one(&self.text);
        let before = self.last.get(&hash).copied();
        let mut at = before;
        while let Some(line) = at.and_then(|at| self.lines.get_mut(at as usize)) {
            self.other.clear();
            text(&mut self.other, self.table, line.key, style);
            if self.other == self.text {
                return line.state.merge(state);
            }
            at = line.before;
        }
        self.last.insert(hash, self.lines.len() as u32);
        self.lines.push(Line { key, state: state.clone(), before });
    }

    /// Appends the lines in the order of their first entry, each with its number (histograms count their values), until
    /// `full` says that nobody wants more; it is asked after each.
    pub fn finish(self, out: &mut Vec<u8>, style: Style<'_>, mut full: impl FnMut(&mut Vec<u8>) -> bool) {
        let normal = self.table.normal();
        for line in &self.lines {
            text(out, self.table, line.key, style);
            let number = match &line.state {
                AggState::Buckets(buckets) => {
                    i128::from(buckets.iter().fold(0_i64, |sum, (_, count)| sum.wrapping_add(count)))
                }
                AggState::Sketch(sketch) => i128::from(sketch.count() as i64),
                state => state.printed(normal),
            };
            // Writing to a vector cannot fail.
            let _ = writeln!(out, " {number}");
            if full(out) {
                return;
            }
        }
    }
}

/// Appends the frames of an entry.
fn text(line: &mut Vec<u8>, table: &AggTable, key: &[u8], style: Style<'_>) {
    let first = line.len();
    for (element, &ty) in value::decode(key, table.types()).zip(table.types()) {
        let before = line.len();
        if before > first {
            line.push(b';');
        }
        let start = line.len();
        frame(line, element, ty, style);
        if line.len() == start {
            line.truncate(before);
        }
    }
    if line.len() == first {
        line.extend_from_slice(table.name().as_bytes());
    }
}

/// Appends a recorded stack that was seen once; an empty one is no line.
pub fn once(out: &mut Vec<u8>, number: u64, style: Style<'_>) {
    let start = out.len();
    symbols::folded(out, number, style);
    if out.len() > start {
        out.extend_from_slice(b" 1\n");
    }
}

/// Appends an element; what separates frames and lines cannot be part of one.
fn frame(out: &mut Vec<u8>, element: ValueRef<'_>, ty: ValueType, style: Style<'_>) {
    let start = out.len();
    match (element, ty) {
        (ValueRef::Int(number), ValueType::Symbolic(Symbolic::Stack)) => {
            return symbols::folded(out, number as u64, style);
        }
        (ValueRef::Int(address), ValueType::Symbolic(kind)) => {
            let mut text = Vec::new();
            trace::address(&mut text, address as u64, kind, style);
            out.extend_from_slice(text.trim_ascii());
        }
        (ValueRef::Int(number), _) => drop(write!(out, "{number}")),
        (ValueRef::Str(text), _) => out.extend_from_slice(text.unwrap_or_default()),
    }
    let mut word = out.split_off(start);
    symbols::one_word(&mut word);
    show(out, &word, style.escape);
}
