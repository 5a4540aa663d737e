//! `--format folded`: an entry of an aggregation as a line of a flame graph's input, `a;b;c 12`. In: keys and states. Out:
//! lines.

use std::io::Write as _;

use dtrail_lang::builtins::Symbolic;
use dtrail_lang::ir::ValueType;

use super::{Style, symbols, trace};
use crate::agg::{AggState, AggTable};
use crate::value::{self, ValueRef};

/// Appends an entry: the elements of its key from left to right, separated by semicolons, stacks from the outermost frame
/// to the innermost, then its number. Entries of histograms count their values.
pub fn entry(out: &mut Vec<u8>, table: &AggTable, key: &[u8], state: &AggState, style: Style<'_>) {
    for (i, (element, &ty)) in value::decode(key, table.types()).zip(table.types()).enumerate() {
        if i > 0 {
            out.push(b';');
        }
        frame(out, element, ty, style);
    }
    if table.types().is_empty() {
        out.extend_from_slice(table.name().as_bytes());
    }
    let number = match state {
        AggState::Buckets(buckets) => buckets.iter().fold(0_i64, |sum, (_, count)| sum.wrapping_add(count)),
        state => state.normalized(table.normal()),
    };
    // Writing to a vector cannot fail.
    let _ = writeln!(out, " {number}");
}

/// Appends a recorded stack that was seen once.
pub fn once(out: &mut Vec<u8>, number: u64, style: Style<'_>) {
    symbols::folded(out, number, style.symbols);
    out.extend_from_slice(b" 1\n");
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
