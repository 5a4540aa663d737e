//! The pieces of `--format json` (docs/json.md): values, probes, aggregations in; JSON text without newlines out. Numbers
//! keep all their 64 bits; a string that is not UTF-8 becomes `{"bytes": "…"}` in hexadecimal, so that nothing is lost.

use std::io::Write as _;

use dtrail_lang::builtins::Symbolic;
use dtrail_lang::builtins::aggs::Shape;
use dtrail_lang::builtins::shapes::Bucket;
use dtrail_lang::env::Probe;
use dtrail_lang::ir::ValueType;

use super::float::{Look, Number};
use super::printa::{INTEGER, frequent};
use super::{Style, symbols, trace};
use crate::agg::{AggState, AggTable, Buckets, divided};
use crate::value::{self, ValueRef};

/// Appends a string.
pub fn string(out: &mut Vec<u8>, bytes: &[u8]) {
    // Writing to a vector cannot fail, here and below.
    let Ok(text) = std::str::from_utf8(bytes) else {
        out.extend_from_slice(b"{\"bytes\":\"");
        bytes.iter().for_each(|byte| drop(write!(out, "{byte:02x}")));
        return out.extend_from_slice(b"\"}");
    };
    out.push(b'"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend_from_slice(&[b'\\', c as u8]),
            '\n' => out.extend_from_slice(b"\\n"),
            '\t' => out.extend_from_slice(b"\\t"),
            '\r' => out.extend_from_slice(b"\\r"),
            // Beyond what JSON asks for, so that a terminal cannot be told anything.
            c if c.is_control() => drop(write!(out, "\\u{:04x}", c as u32)),
            c => drop(write!(out, "{c}")),
        }
    }
    out.push(b'"');
}

/// A finite number with as many digits as tell it from its neighbours.
fn all_digits(bytes: &[u8], number: Number) -> String {
    match (<[u8; 4]>::try_from(bytes), <[u8; 8]>::try_from(bytes)) {
        (Ok(float), _) => format!("{:?}", f64::from(f32::from_le_bytes(float))),
        (_, Ok(double)) => format!("{:?}", f64::from_le_bytes(double)),
        _ => {
            let (sign, digits) = number.text(Look { precision: Some(20), ..Look::plain('e') });
            format!("{sign}{digits}")
        }
    }
}

/// Appends a recorded value or a key element: a number by the sign of its type, a string, the text of a symbol, or the
/// frames of a stack.
pub fn value(out: &mut Vec<u8>, value: ValueRef<'_>, ty: ValueType, style: Style<'_>) {
    match (value, ty) {
        (ValueRef::Str(None), _) => out.extend_from_slice(b"null"),
        // JSON has no number for what is none.
        (ValueRef::Str(Some(bytes)), ValueType::Float(_)) => match Number::read(bytes) {
            Some(number) if number.is_finite() => out.extend_from_slice(all_digits(bytes, number).as_bytes()),
            _ => out.extend_from_slice(b"null"),
        },
        (ValueRef::Str(Some(bytes)), _) => string(out, bytes),
        (ValueRef::Int(number), ValueType::Symbolic(Symbolic::Stack)) => {
            let mut text = Vec::new();
            symbols::stack(&mut text, number as u64, style);
            out.push(b'[');
            let frames = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
            for (i, frame) in frames.filter(|frame| !frame.is_empty()).enumerate() {
                separate(out, i);
                string(out, frame);
            }
            out.push(b']');
        }
        (ValueRef::Int(number), ValueType::Symbolic(kind)) => {
            let mut text = Vec::new();
            trace::address(&mut text, number as u64, kind, style);
            string(out, text.trim_ascii());
        }
        (ValueRef::Int(number), ValueType::Int { signed: true, .. }) => drop(write!(out, "{number}")),
        (ValueRef::Int(number), ValueType::Int { bits, .. }) => {
            drop(write!(out, "{}", number as u64 & u64::MAX >> (64 - u32::from(bits.clamp(1, 64)))));
        }
        (ValueRef::Int(number), _) => drop(write!(out, "{}", number as u64)),
    }
}

fn separate(out: &mut Vec<u8>, place: usize) {
    if place > 0 {
        out.push(b',');
    }
}

/// Appends `"probe":{…}`.
pub fn probe(out: &mut Vec<u8>, probe: &Probe) {
    let _ = write!(out, "\"probe\":{{\"id\":{}", probe.id.0);
    for (name, text) in [
        ("provider", &probe.provider),
        ("module", &probe.module),
        ("function", &probe.function),
        ("name", &probe.name),
    ] {
        let _ = write!(out, ",\"{name}\":");
        string(out, text.as_bytes());
    }
    out.push(b'}');
}

/// Appends an entry as an object: the aggregation's name and function, its key as an array, its value.
pub fn entry(out: &mut Vec<u8>, table: &AggTable, key: &[u8], state: &AggState, style: Style<'_>) {
    out.extend_from_slice(b"{\"type\":\"aggregation\",\"name\":");
    string(out, table.name().as_bytes());
    let _ = write!(out, ",\"function\":\"{}\",\"key\":[", table.func().row().name);
    for (i, (element, &ty)) in value::decode(key, table.types()).zip(table.types()).enumerate() {
        separate(out, i);
        value(out, element, ty, style);
    }
    out.extend_from_slice(b"],\"value\":");
    result(out, table, state, style);
    out.push(b'}');
}

/// Appends the value of an entry, normalized: a number, the buckets that are not 0, percentiles by their percentage, or
/// the most frequent values.
fn result(out: &mut Vec<u8>, table: &AggTable, state: &AggState, style: Style<'_>) {
    match (state, table.shape()) {
        (AggState::Sketch(sketch), Shape::Percentiles(asked)) => {
            out.push(b'{');
            for (i, (percent, value)) in asked.hundredths().iter().zip(sketch.percentiles(asked)).enumerate()
            {
                separate(out, i);
                let _ = write!(out, "\"{}\":{}", f64::from(*percent) / 100.0, divided(value, table.normal()));
            }
            out.push(b'}');
        }
        (AggState::Buckets(buckets), shape) => histogram(out, shape, buckets, table.normal()),
        (AggState::Top(top), shape) => {
            let ty = if shape.strings() { ValueType::Str } else { INTEGER };
            out.push(b'[');
            for (i, (item, count)) in frequent(top, shape).enumerate() {
                separate(out, i);
                out.extend_from_slice(b"{\"value\":");
                value(out, item, ty, style);
                let _ = write!(out, ",\"count\":{}}}", divided(count, table.normal()));
            }
            out.push(b']');
        }
        (state, _) => drop(write!(out, "{}", state.printed(table.normal()))),
    }
}

/// Appends `[{"low":…,"high":…,"count":…},…]`: the ends belong to the bucket; an open end is null.
fn histogram(out: &mut Vec<u8>, shape: Shape, buckets: &Buckets, normal: i64) {
    out.push(b'[');
    for (i, (bucket, count)) in buckets.iter().enumerate() {
        separate(out, i);
        let (low, high) = ends(shape, bucket);
        for (name, end) in [("{\"low\":", low), (",\"high\":", high)] {
            out.extend_from_slice(name.as_bytes());
            match end {
                Some(end) => drop(write!(out, "{end}")),
                None => out.extend_from_slice(b"null"),
            }
        }
        let _ = write!(out, ",\"count\":{}}}", divided(count, normal));
    }
    out.push(b']');
}

/// The least and the greatest value of a bucket.
fn ends(shape: Shape, bucket: usize) -> (Option<i128>, Option<i128>) {
    // The label of the next bucket away from 0 is where this one ends.
    let next = |mut at: usize, step: isize| loop {
        at = at.checked_add_signed(step)?;
        match shape.holds(at) {
            Bucket::Ghost => {}
            _ if at >= shape.buckets() as usize => return None,
            Bucket::From(value) | Bucket::AtLeast(value) | Bucket::AtMost(value) => return Some(value),
            _ => return None,
        }
    };
    match shape.holds(bucket) {
        Bucket::Below(base) => (None, Some(i128::from(base) - 1)),
        Bucket::AtLeast(value) => (Some(value), None),
        Bucket::AtMost(value) => (None, Some(value)),
        Bucket::Within(value) => (Some(1 - value), Some(value - 1)),
        Bucket::Ghost => (None, None),
        Bucket::From(value) => match shape {
            Shape::Linear(linear) => (Some(value), Some(value + i128::from(linear.step) - 1)),
            _ if value == 0 => (Some(0), Some(0)),
            _ if value > 0 => (Some(value), next(bucket, 1).map(|next| next - 1)),
            _ => (next(bucket, -1).map(|next| next + 1), Some(value)),
        },
    }
}

#[cfg(test)]
mod tests {
    use dtrail_lang::builtins::aggs::LogLinear;

    use super::*;

    #[test]
    fn strings_lose_nothing() {
        for (bytes, expected) in [
            (&b"plain"[..], "\"plain\""),
            (b"a\"b\\c\n\t\r", r#""a\"b\\c\n\t\r""#),
            (b"\x1b[2J\0", "\"\\u001b[2J\\u0000\""),
            ("naïve\u{9b}".as_bytes(), "\"naïve\\u009b\""),
            (b"a\xff", "{\"bytes\":\"61ff\"}"),
            (b"", "\"\""),
        ] {
            let mut out = Vec::new();
            string(&mut out, bytes);
            assert_eq!(String::from_utf8_lossy(&out), expected);
        }
    }

    #[test]
    fn buckets_have_both_ends() {
        let log = |factor, low, high, steps| Shape::LogLinear(LogLinear { factor, low, high, steps });
        for (shape, value, low, high) in [
            (Shape::Plain, 0, Some(0), Some(0)),
            (Shape::Plain, 5, Some(4), Some(7)),
            (Shape::Plain, -5, Some(-7), Some(-4)),
            (Shape::Plain, i64::MAX, Some(1 << 62), None),
            (Shape::Plain, i64::MIN, None, Some(-(1 << 62))),
            (Shape::linear(0, 10, 5), 7, Some(5), Some(9)),
            (Shape::linear(0, 10, 5), -1, None, Some(-1)),
            (Shape::linear(0, 10, 5), 10, Some(10), None),
            (log(10, 1, 2, 10), 35, Some(30), Some(39)),
            (log(10, 1, 2, 10), -35, Some(-39), Some(-30)),
            (log(10, 1, 2, 10), 3, Some(-9), Some(9)),
            (log(10, 1, 2, 10), 990, Some(900), Some(999)),
            (log(10, 1, 2, 10), 1000, Some(1000), None),
            (log(10, 1, 2, 10), -1000, None, Some(-1000)),
            (log(10, 0, 2, 20), 1, Some(1), Some(1)),
            (log(10, 0, 2, 20), 14, Some(10), Some(14)),
        ] {
            assert_eq!(ends(shape, shape.bucket(value)), (low, high), "{value} of {shape:?}");
        }
    }
}
