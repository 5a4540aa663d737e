//! Aggregations as text: `printa` with and without a format, and the print at the end of the run (runtime spec §7.6,
//! §7.8). In: tables and sort options. Out: bytes, and whether any entry was printed.

use std::io::Write as _;
use std::ops::ControlFlow;

use dtrail_lang::builtins::Symbolic;
use dtrail_lang::builtins::aggs::Shape;
use dtrail_lang::format::{ConversionKind, Format, Piece};
use dtrail_lang::ir::ValueType;

use super::float::{Look, Number};
use super::histogram::BarStyle;
use super::packed::{Form, PackStyle};
use super::printf::{Field, convert};
use super::{Style, decimal, histogram, packed, show_padded, symbols, trace};
use crate::agg::sort::{self, Row, SortOptions};
use crate::agg::{AggState, AggTable, Top, divided};
use crate::runtime::extend;
use crate::value::{self, ValueRef};

/// Takes away text that has grown long, so that a million entries need not be in memory as text; and says whether
/// anyone still wants the rest.
pub type Spill<'s> = &'s mut dyn FnMut(&mut Vec<u8>) -> ControlFlow<()>;

/// Text is offered to be taken away at this size.
const LONG: usize = 1 << 16;

/// How aggregations are printed (runtime spec §7.6, §7.7, §7.11): options that a program may change between prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AggStyle {
    /// `aggsort…`
    pub sort: SortOptions,
    /// `aggpack`: histograms take a line each.
    pub pack: bool,
    /// `agghist`: counts and sums are rows of a distribution.
    pub hist: bool,
    /// `aggzoom`
    pub zoom: bool,
    /// `encoding`, if set: whether it is `utf8`.
    pub utf8: Option<bool>,
    /// Packed histograms are ASCII unless `encoding` says otherwise: the terminal knows nothing else.
    pub dumb: bool,
    /// `aggpercpu`: what each CPU counted follows each value.
    pub per_cpu: bool,
    /// How many CPUs there are to name.
    pub cpus: u32,
}

impl AggStyle {
    fn bars(self) -> BarStyle {
        BarStyle { zoom: self.zoom, utf8: self.utf8 == Some(true) }
    }

    fn packing(self) -> PackStyle {
        PackStyle { zoom: self.zoom, ascii: !self.utf8.unwrap_or(!self.dumb) }
    }
}

/// Appends `printa(@a, …)`: a newline, then an entry a line. Whether there was an entry.
pub fn default(
    out: &mut Vec<u8>,
    tables: &[&AggTable],
    options: AggStyle,
    style: Style<'_>,
    spill: Spill<'_>,
) -> bool {
    out.push(b'\n');
    entries(out, tables, options, style, spill)
}

/// Appends the entries alone, as the end of the run does.
pub fn entries(
    out: &mut Vec<u8>,
    tables: &[&AggTable],
    options: AggStyle,
    style: Style<'_>,
    spill: Spill<'_>,
) -> bool {
    let rows = sort::rows(tables, options.sort, style.symbols.stacks);
    let form = match tables {
        [table] => Form::of(table.func(), options.pack, options.hist).map(|form| (form, *table)),
        _ => None,
    };
    let mut each = |out: &mut Vec<u8>, write: &dyn Fn(&mut Vec<u8>, &Row<'_>)| {
        for row in rows.iter() {
            write(out, &row);
            if out.len() >= LONG && spill(out).is_break() {
                break;
            }
        }
    };
    match form {
        _ if rows.is_empty() => {}
        Some((Form::Packed, table)) => {
            let pack = packed::pack_heading(out, table);
            let packing = options.packing();
            each(out, &|out, row| packed::pack_row(out, table, row, &pack, packing, style));
        }
        Some((Form::Distribution, table)) => {
            let scale = packed::distribution_heading(out, table, options.bars());
            each(out, &|out, row| packed::distribution_row(out, table, row, scale, style));
        }
        None => {
            let empty: Vec<_> = tables.iter().map(|table| AggState::new(table.func())).collect();
            each(out, &|out, row| entry(out, tables, &empty, row, options, style));
        }
    }
    !rows.is_empty()
}

/// Appends one entry: its key, its values, and a newline.
fn entry(
    out: &mut Vec<u8>,
    tables: &[&AggTable],
    empty: &[AggState],
    row: &Row<'_>,
    options: AggStyle,
    style: Style<'_>,
) {
    for (element, ty) in value::decode(row.key, row.types).zip(row.types) {
        key_element(out, element, *ty, style);
    }
    for (i, table) in tables.iter().enumerate() {
        let Some(state) = row.state(i).or(empty.get(i)) else { continue };
        result(out, table, state, options, style);
        if options.per_cpu {
            let seen = table.cpus();
            for cpu in 0..options.cpus.max(seen) {
                let _ = write!(out, "\n    [CPU {cpu}]");
                let Some(state) = table.on_cpu(row.key, cpu).or(empty.get(i)) else { continue };
                result(out, table, state, options, style);
            }
        }
    }
    out.push(b'\n');
}

/// Appends the value of an entry.
fn result(out: &mut Vec<u8>, table: &AggTable, state: &AggState, options: AggStyle, style: Style<'_>) {
    if block(out, table, state, options, style) {
        return;
    }
    match (state, table.shape()) {
        (AggState::Sketch(sketch), Shape::Percentiles(asked)) => {
            for value in sketch.percentiles(asked) {
                number(out, divided(value, table.normal()));
            }
        }
        (state, _) => match i64::try_from(state.printed(table.normal())) {
            Ok(value) => number(out, value),
            // Writing to a vector cannot fail.
            Err(_) => drop(write!(out, " {:16}", state.printed(table.normal()))),
        },
    }
}

/// Appends a number in the column of values.
fn number(out: &mut Vec<u8>, value: i64) {
    out.push(b' ');
    decimal::right(out, value, 16);
}

/// Appends a value that is more than numbers: a histogram, or the most frequent values. `false`: it is none.
fn block(out: &mut Vec<u8>, table: &AggTable, state: &AggState, options: AggStyle, style: Style<'_>) -> bool {
    match (state, table.shape()) {
        (AggState::Buckets(buckets), shape) => {
            histogram::histogram(out, shape, buckets, table.normal(), options.bars());
        }
        (AggState::Top(top), shape) => {
            out.push(b'\n');
            for (item, count) in frequent(top, shape) {
                let ty = if shape.strings() { ValueType::Str } else { INTEGER };
                key_element(out, item, ty, style);
                number(out, divided(count, table.normal()));
                out.push(b'\n');
            }
        }
        _ => return false,
    }
    true
}

/// The type of the integers that `topk` counts.
pub(super) const INTEGER: ValueType = ValueType::Int { bits: 64, signed: true };

/// The most frequent values with their counts.
pub(super) fn frequent(top: &Top, shape: Shape) -> impl Iterator<Item = (ValueRef<'_>, i64)> {
    let (wanted, strings) = match shape {
        Shape::Top { wanted, strings } => (wanted, strings),
        _ => (0, false),
    };
    let integer = |item: &[u8]| item.try_into().map_or(0, i64::from_le_bytes);
    let counts = top.counts(wanted, |a, b| if strings { a.cmp(b) } else { integer(a).cmp(&integer(b)) });
    counts.into_iter().map(move |(item, count)| {
        let item = if strings { ValueRef::Str(Some(item)) } else { ValueRef::Int(integer(item)) };
        (item, count as i64)
    })
}

/// Integers of 8 and 16 bits print as unsigned, wider ones as signed.
fn key_element(out: &mut Vec<u8>, element: ValueRef<'_>, ty: ValueType, style: Style<'_>) {
    let (bits, width) = match ty {
        ValueType::Str => {
            out.extend_from_slice(b"  ");
            return show_padded(out, element.bytes(), style.escape, 50, true);
        }
        ValueType::Symbolic(Symbolic::Stack) => return symbols::stack(out, element.int() as u64, style),
        ValueType::Symbolic(kind) => return trace::address(out, element.int() as u64, kind, style),
        ValueType::Bytes(_) => return super::dump::dump(out, element.bytes()),
        ValueType::Float(_) => {
            let number = Number::read(element.bytes()).unwrap_or(Number::ZERO);
            let (sign, digits) = number.text(Look::plain('g'));
            out.push(b' ');
            return super::pad(out, format!("{sign}{digits}").as_bytes(), 16, false);
        }
        ValueType::Int { bits: 8, .. } => (8, 3),
        ValueType::Int { bits: 16, .. } => (16, 5),
        ValueType::Int { bits: 32, .. } => (32, 8),
        ValueType::Int { .. } | ValueType::Pointer => (64, 16),
    };
    out.push(b' ');
    decimal::right(out, extend(element.int() as u64, bits, bits > 16) as i64, width);
}

/// Appends `printa("…", @a, …)`: the format once an entry. Whether there was an entry.
pub fn formatted(
    out: &mut Vec<u8>,
    format: &Format,
    tables: &[&AggTable],
    options: AggStyle,
    style: Style<'_>,
    spill: Spill<'_>,
) -> bool {
    let rows = sort::rows(tables, options.sort, style.symbols.stacks);
    let empty: Vec<_> = tables.iter().map(|table| AggState::new(table.func())).collect();
    for row in rows.iter() {
        format_row(out, format, tables, &empty, &row, (options, style));
        if out.len() >= LONG && spill(out).is_break() {
            break;
        }
    }
    !rows.is_empty()
}

fn format_row(
    out: &mut Vec<u8>,
    format: &Format,
    tables: &[&AggTable],
    empty: &[AggState],
    row: &Row<'_>,
    (options, style): (AggStyle, Style<'_>),
) {
    let mut keys = value::decode(row.key, row.types);
    // Percentiles are as many values.
    let mut results =
        tables.iter().enumerate().flat_map(|(i, table)| (0..table.shape().results()).map(move |n| (i, n)));
    let mut last = None;
    for piece in &format.pieces {
        let conversion = match piece {
            Piece::Text(text) => {
                out.extend_from_slice(text);
                continue;
            }
            Piece::Conversion(conversion) => conversion,
        };
        let field = Field::of(conversion, &mut keys);
        if !conversion.aggregation {
            let element = keys.next().unwrap_or(ValueRef::Int(0));
            convert(out, conversion.kind, &field, element, style);
            continue;
        }
        // When all values are used up, the last one repeats.
        last = results.next().or(last);
        let Some((i, n)) = last else { continue };
        let (Some(table), Some(state)) = (tables.get(i), row.state(i).or(empty.get(i))) else {
            continue;
        };
        if block(out, table, state, options, style) {
            continue;
        }
        let value = match (state, table.shape()) {
            (AggState::Sketch(sketch), Shape::Percentiles(asked)) => {
                divided(sketch.percentiles(asked).nth(n).unwrap_or(0), table.normal())
            }
            _ => state.normalized(table.normal()),
        };
        convert(out, whole(conversion.kind), &field, ValueRef::Int(value), style);
    }
}

/// Aggregation values have 64 bits whatever the format was checked against.
fn whole(kind: ConversionKind) -> ConversionKind {
    match kind {
        ConversionKind::Integer { base, upper, signed, .. } => {
            ConversionKind::Integer { base, upper, signed, bits: 64 }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use dtrail_lang::ir::{AggId, Detail, Program, parse};
    use dtrail_lang::plan::Rooms;

    use super::*;
    use crate::agg::AggTables;
    use crate::stacks::StackTable;
    use crate::testing::{FixedHost, no_symbols};

    const LETTERS: &str = "agg @a[string]: count\nagg @b[string]: sum\nagg @q[string]: quantize\n";

    /// Tables of a program in the text form of IR, with updates (aggregation, key, value).
    fn tables(text: &str, updates: &[(u32, &[ValueRef<'_>], i64)]) -> (Program, AggTables) {
        let program = parse::program(text).expect("IR of this test");
        let mut tables = AggTables::new(&program, &Rooms::default(), 1 << 20);
        for &(agg, key, value) in updates {
            let mut bytes = Vec::new();
            key.iter().for_each(|part| part.encode(&mut bytes));
            assert!(tables.get_mut(AggId(agg)).expect("in the program").update(&bytes, value, 1));
        }
        (program, tables)
    }

    fn text(text: &str) -> ValueRef<'_> {
        ValueRef::Str(Some(text.as_bytes()))
    }

    /// Prints the aggregations that the program's first site names.
    fn check(program: &str, updates: &[(u32, &[ValueRef<'_>], i64)], expected: &str) {
        let (program, tables) = tables(program, updates);
        let Detail::Printa { format, aggs } = &program.sites[0].detail else { panic!("no printa") };
        let named: Vec<_> = aggs.iter().map(|&agg| tables.get(agg).expect("in the program")).collect();
        let host = FixedHost::default();
        let stacks = StackTable::new();
        let style = Style { host: &host, escape: false, symbols: no_symbols(&stacks) };
        let mut out = Vec::new();
        let any = match format {
            Some(format) => formatted(&mut out, format, &named, AggStyle::default(), style, &mut |_| {
                ControlFlow::Continue(())
            }),
            None => default(&mut out, &named, AggStyle::default(), style, &mut |_| ControlFlow::Continue(())),
        };
        assert_eq!(String::from_utf8_lossy(&out), expected);
        assert_eq!(any, named.iter().any(|table| table.entries().len() > 0));
    }

    #[test]
    fn keys_by_type() {
        check(
            "agg @_[i64, i16, u8, i32, string, ptr]: sum\nk0 = printa in c0 stmt 1 () aggs @_",
            &[(
                0,
                &[-5, -6, -7, -8]
                    .map(ValueRef::Int)
                    .into_iter()
                    .chain([text("k"), ValueRef::Int(-1)])
                    .collect::<Vec<_>>(),
                7,
            )],
            &format!("\n               -5 65530 249       -8  {:50}{:17}{:17}\n", "k", -1, 7),
        );
        check(
            "agg @_[string]: sum\nk0 = printa in c0 stmt 1 () aggs @_",
            &[(0, &[text("")], 1)],
            &format!("\n{:52}{:17}\n", "", 1),
        );
    }

    #[test]
    fn one_aggregation_with_a_format() {
        let two = "agg @a[i32, i32]: count\n";
        let key: &[ValueRef<'_>] = &[ValueRef::Int(1), ValueRef::Int(2)];
        check(
            &format!("{two}k0 = printa in c0 stmt 1 () aggs @a format %@u64 \": \" %d32 \"\\n\""),
            &[(0, key, 0)],
            "1: 1\n",
        );
        check(&format!("{two}k0 = printa in c0 stmt 1 () aggs @a format %*d32 %@x64"), &[(0, key, 0)], "21");
        check(&format!("{two}k0 = printa in c0 stmt 1 () aggs @a format \"never\""), &[], "");
        check(
            "agg @a[]: sum\nk0 = printa in c0 stmt 1 () aggs @a format %@d64 \" \" %@x64 \" \" %@8d64 \"|\" %-@5d64 \"|\"",
            &[(0, &[], 90)],
            "90 5a       90|90   |",
        );
    }

    #[test]
    fn joined_prints_fill_in_zero() {
        check(
            &format!(
                "{LETTERS}k0 = printa in c0 stmt 1 () aggs @a, @b format %s \" \" %@d64 \" \" %@d64 \"\\n\""
            ),
            &[(0, &[text("x")], 0), (1, &[text("x")], 4), (1, &[text("y")], 9)],
            "y 0 9\nx 1 4\n",
        );
        check(
            &format!("{LETTERS}k0 = printa in c0 stmt 1 () aggs @a, @b"),
            &[(0, &[text("x")], 0), (1, &[text("y")], 3)],
            "\n  y                                                                 0                3\n  x                                                                 1                0\n",
        );
        check(
            &format!("{LETTERS}k0 = printa in c0 stmt 1 () aggs @a, @q format %s \" \" %@d64 %@d64 \"\\n\""),
            &[(0, &[text("x")], 0)],
            "x 1\n           value  ------------- Distribution ------------- count    \n              -1 |                                         0        \n               0 |                                         0        \n               1 |                                         0        \n\n",
        );
    }

    #[test]
    fn the_last_value_repeats() {
        check(
            "agg @a[]: sum\nagg @b[]: sum\nk0 = printa in c0 stmt 1 () aggs @a, @b format %@d64 \" \" %@d64 \" \" %@d64",
            &[(0, &[], 3), (1, &[], 4)],
            "3 4 4",
        );
    }

    #[test]
    fn histograms_ignore_the_width() {
        check(
            "agg @a[string]: quantize\nk0 = printa in c0 stmt 1 () aggs @a format \"<\" %s %@5d64 \">\"",
            &[(0, &[text("k")], 4)],
            "<k\n           value  ------------- Distribution ------------- count    \n               2 |                                         0        \n               4 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1        \n               8 |                                         0        \n>",
        );
    }

    #[test]
    fn long_prints_are_taken_away_piece_by_piece() {
        let keys: Vec<_> = (0..5000).map(|i| [ValueRef::Int(i)]).collect();
        let updates: Vec<_> = keys.iter().map(|key| (0, &key[..], 1)).collect();
        let (_, tables) = tables("agg @a[i64]: count", &updates);
        let table = tables.get(AggId(0)).expect("in the program");
        let host = FixedHost::default();
        let stacks = StackTable::new();
        let style = Style { host: &host, escape: false, symbols: no_symbols(&stacks) };
        let (mut out, mut pieces) = (Vec::new(), Vec::new());
        entries(&mut out, &[table], AggStyle::default(), style, &mut |text| {
            pieces.push(std::mem::take(text));
            ControlFlow::Continue(())
        });
        assert!(pieces.len() > 1 && pieces.iter().all(|piece| piece.len() < LONG + 64));
        let whole = [pieces.concat(), out].concat();
        assert_eq!(whole.len(), 5000 * 35);
        assert!(whole.ends_with(format!(" {:16} {:16}\n", 4999, 1).as_bytes()));
        // Whoever wants no more gets no more.
        let (mut out, mut pieces) = (Vec::new(), 0);
        let mut enough = |text: &mut Vec<u8>| {
            pieces += text.len();
            text.clear();
            ControlFlow::Break(())
        };
        entries(&mut out, &[table], AggStyle::default(), style, &mut enough);
        assert!((LONG..LONG + 64).contains(&pieces) && out.is_empty(), "{pieces}");
    }
}
