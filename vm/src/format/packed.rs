//! Aggregations in little room (runtime spec §7.11): `aggpack`, a histogram a line, and `agghist`, one distribution whose
//! rows are the entries. In: tables in their order. Out: bytes.

use std::io::Write as _;
use std::ops::RangeInclusive;

use dtrail_lang::builtins::aggs::{QUANTIZE_ZERO, Shape};
use dtrail_lang::builtins::{AggFn, Symbolic};
use dtrail_lang::ir::ValueType;

use super::histogram::{BarStyle, Scale, heading};
use super::{Style, show_padded, symbols};
use crate::agg::sort::Row;
use crate::agg::{AggState, AggTable, Buckets};
use crate::runtime::extend;
use crate::value::{self, ValueRef};

/// Characters of a packed histogram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackStyle {
    /// See [`BarStyle`]; it also says what a character is drawn against.
    pub zoom: bool,
    /// `_`, `x` and `X` instead of blocks.
    pub ascii: bool,
}

/// What a table prints in little room, if it has a form for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A histogram a line.
    Packed,
    /// A row of a distribution an entry.
    Distribution,
}

impl Form {
    /// The form of a function under the options `aggpack` and `agghist`.
    pub fn of(func: AggFn, pack: bool, hist: bool) -> Option<Form> {
        match func {
            AggFn::Quantize | AggFn::Lquantize if pack => Some(Form::Packed),
            AggFn::Count | AggFn::Sum if hist => Some(Form::Distribution),
            _ => None,
        }
    }
}

/// Appends the heading of a packed print and gives what its rows need.
pub fn pack_heading(out: &mut Vec<u8>, table: &AggTable) -> Pack {
    let shape = table.shape();
    let last = (shape.buckets() as usize).saturating_sub(1);
    let mut range = 0..=last;
    // Widths of the labels of the first and the last bucket, and of the words above them.
    let (mut low, mut high) = ((8, 7), (8, 8));
    if shape == Shape::Plain {
        let set = || table.entries().filter_map(|(_, state)| buckets(state));
        let first = set().filter_map(|buckets| buckets.iter().next()).map(|(i, _)| i).min();
        let end = set().filter_map(|buckets| buckets.iter().next_back()).map(|(i, _)| i).max();
        let (first, end) = (first.unwrap_or(QUANTIZE_ZERO), end.unwrap_or(QUANTIZE_ZERO));
        let below = usize::from(first != 0 && first != QUANTIZE_ZERO);
        range = first - below..=(end + 1).min(last);
        let width = |bucket: usize| shape.stands_for(bucket).to_string().len();
        let (l, h) = (width(*range.start()), width(*range.end()));
        (low, high) = ((l, l), (h, h));
    }
    let keys = keys_width(table.types());
    let title = if keys > 0 { "key" } else { "" };
    let dashes = "-".repeat(range.clone().count());
    // Writing to a vector cannot fail.
    let _ = writeln!(
        out,
        "\n{title:>keys$} {:>minimum$} .{dashes}. {:<maximum$} | count",
        "min",
        "max",
        minimum = low.1,
        maximum = high.1
    );
    Pack { range, low: low.0, high: high.0 }
}

/// What the rows of a packed print share.
#[derive(Debug)]
pub struct Pack {
    range: RangeInclusive<usize>,
    low: usize,
    high: usize,
}

/// Appends one packed histogram.
pub fn pack_row(
    out: &mut Vec<u8>,
    table: &AggTable,
    row: &Row<'_>,
    pack: &Pack,
    packing: PackStyle,
    style: Style<'_>,
) {
    let none = Buckets::default();
    let buckets = row.state(0).and_then(buckets).unwrap_or(&none);
    keys(out, row, style);
    let (shape, low, high) = (table.shape(), pack.low, pack.high);
    let _ = match shape {
        Shape::Linear(linear) => write!(out, "{:>low$} :", format!("< {}", linear.base)),
        _ => write!(out, " {:>low$} :", shape.stands_for(*pack.range.start())),
    };
    let scale =
        Scale::of(buckets.iter().map(|(_, count)| count), BarStyle { zoom: packing.zoom, utf8: false });
    for bucket in pack.range.clone() {
        character(out, scale, buckets.get(bucket), packing.ascii);
    }
    // What stands there is not normalized, as illumos has it.
    let sum = buckets.iter().fold(0_i64, |sum, (_, count)| sum.wrapping_add(count));
    let _ = match shape {
        Shape::Linear(linear) => {
            let limit = i64::from(linear.base) + i64::from(linear.levels()) * i64::from(linear.step);
            writeln!(out, ": {:<high$} | {sum}", format!(">= {limit}"))
        }
        _ => writeln!(out, ": {:<high$} | {sum}", shape.stands_for(*pack.range.end())),
    };
}

fn buckets(state: &AggState) -> Option<&Buckets> {
    match state {
        AggState::Buckets(buckets) => Some(buckets),
        _ => None,
    }
}

fn character(out: &mut Vec<u8>, scale: Scale, count: i64, ascii: bool) {
    match count {
        0 => out.push(b' '),
        1.. if ascii => out.push(b"__xxxxXX"[scale.rounded(count, 7)]),
        1.. => {
            let block = char::from_u32(0x2581 + scale.rounded(count, 7) as u32).unwrap_or(' ');
            out.extend_from_slice(block.encode_utf8(&mut [0; 4]).as_bytes());
        }
        _ => out.push(b"vvvvVV"[scale.rounded(count, 5)]),
    }
}

/// Appends the heading of a distribution over entries and gives the scale of its bars.
pub fn distribution_heading(out: &mut Vec<u8>, table: &AggTable, bars: BarStyle) -> Scale {
    match keys_width(table.types()) {
        0 => heading(out, "value", 16),
        width => heading(out, "key", width),
    }
    Scale::of(table.entries().map(|(_, state)| state.number()), bars)
}

/// Appends one entry of a distribution.
pub fn distribution_row(out: &mut Vec<u8>, table: &AggTable, row: &Row<'_>, scale: Scale, style: Style<'_>) {
    keys(out, row, style);
    out.push(b' ');
    if let Some(state) = row.state(0) {
        scale.row(out, state.number(), state.normalized(table.normal()));
    }
}

/// Columns of the keys in packed form.
fn keys_width(types: &[ValueType]) -> usize {
    types.iter().map(|&ty| 1 + width(ty)).sum()
}

fn width(ty: ValueType) -> usize {
    match ty {
        ValueType::Int { bits: 8, .. } => 3,
        ValueType::Int { bits: 16, .. } => 5,
        ValueType::Int { bits: 32, .. } => 8,
        _ => 16,
    }
}

fn keys(out: &mut Vec<u8>, row: &Row<'_>, style: Style<'_>) {
    for (element, &ty) in value::decode(row.key, row.types).zip(row.types) {
        if ty == ValueType::Symbolic(Symbolic::Stack) {
            // Its frames have lines of their own here, too.
            symbols::stack(out, element.int() as u64, style);
            continue;
        }
        out.push(b' ');
        if let ValueType::Symbolic(kind) = ty {
            let start = out.len();
            symbols::address(out, element.int() as u64, kind, style);
            let blanks = width(ty).saturating_sub(out.len() - start);
            out.resize(out.len() + blanks, b' ');
            out[start..].rotate_right(blanks);
            continue;
        }
        match element {
            ValueRef::Int(value) => {
                let bits = if let ValueType::Int { bits, .. } = ty { bits } else { 64 };
                let value = extend(value as u64, bits, bits > 16) as i64;
                let _ = write!(out, "{value:>0$}", width(ty));
            }
            ValueRef::Str(_) => {
                // The bytes of a struct end, like text, where there is a NUL.
                let text = element.bytes().split(|&byte| byte == 0).next().unwrap_or_default();
                show_padded(out, text, style.escape, 16, false);
            }
        }
    }
}

#[cfg(test)]
mod tests;
