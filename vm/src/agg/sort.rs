//! The order in which entries print (runtime spec §7.7). In: tables and options. Out: rows in order, one for each key
//! that any of the named aggregations has.

use std::cmp::Ordering;

use dtrail_lang::builtins::AggFn;
use dtrail_lang::builtins::aggs::Shape;
use dtrail_lang::ir::ValueType;
use indexmap::IndexMap;

use super::{AggState, AggTable};
use crate::format::float::Number;
use crate::stacks::{StackTable, is_numbered};
use crate::value::{self, ValueRef};

/// The options `aggsort…`. The default: by value, then by key, ascending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SortOptions {
    /// `aggsortkey`: keys first, values only for ties.
    pub by_key: bool,
    /// `aggsortrev`: everything the other way round, the variables at the end of the run too.
    pub reverse: bool,
    /// `aggsortkeypos`: the key element that is compared first; ignored if there is none.
    pub key_position: usize,
    /// `aggsortpos`: the aggregation of a joined print whose value is compared first; likewise.
    pub position: usize,
}

/// One line of a print: a key and, for each named aggregation, its state.
#[derive(Clone, Debug)]
pub struct Row<'t> {
    /// The canonical key.
    pub key: &'t [u8],
    /// Its types, those of the first aggregation that has it.
    pub types: &'t [ValueType],
    states: States<'t>,
}

/// The states of a row; a million rows of one aggregation need no allocation each.
#[derive(Clone, Debug)]
enum States<'t> {
    One(&'t AggState),
    Joined(Box<[Option<&'t AggState>]>),
}

impl<'t> Row<'t> {
    /// The state of a named aggregation, by its place in the print; `None` where it lacks the key.
    pub fn state(&self, place: usize) -> Option<&'t AggState> {
        match &self.states {
            States::One(state) => Some(*state).filter(|_| place == 0),
            States::Joined(states) => states.get(place).copied().flatten(),
        }
    }
}

/// The rows of a print, in order. Those of one aggregation are made when they are asked for: a million of them then take
/// 4 bytes each.
#[derive(Clone, Debug)]
pub struct Rows<'t> {
    all: All<'t>,
    order: Vec<u32>,
}

/// Rows in the order of their first update.
#[derive(Clone, Debug)]
enum All<'t> {
    One(&'t AggTable),
    Joined(Vec<Row<'t>>),
}

impl<'t> All<'t> {
    fn len(&self) -> usize {
        match self {
            All::One(table) => table.entries().len(),
            All::Joined(rows) => rows.len(),
        }
    }

    fn get(&self, place: u32) -> Option<Row<'t>> {
        match self {
            All::One(table) => {
                let (key, state) = table.entry(place as usize)?;
                Some(Row { key, types: table.types(), states: States::One(state) })
            }
            All::Joined(rows) => rows.get(place as usize).cloned(),
        }
    }

    /// What is compared of a key.
    fn key(&self, place: u32) -> Key<'t> {
        match self {
            All::One(table) => {
                table.entry(place as usize).map_or((&[], &[]), |(key, _)| (key, table.types()))
            }
            All::Joined(rows) => rows.get(place as usize).map_or((&[], &[]), |row| (row.key, row.types)),
        }
    }
}

impl<'t> Rows<'t> {
    /// The rows.
    pub fn iter(&self) -> impl Iterator<Item = Row<'t>> + '_ {
        self.order.iter().filter_map(|&place| self.all.get(place))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }
}

/// The rows of a print of some aggregations.
pub fn rows<'t>(tables: &[&'t AggTable], options: SortOptions, stacks: &StackTable) -> Rows<'t> {
    if let [table] = tables {
        return Rows { all: All::One(table), order: order_of_one(table, options, stacks) };
    }
    let rows = join(tables);
    let first = if options.position < tables.len() { options.position } else { 0 };
    // A key that an aggregation lacks counts as 0 there, as it prints: also for `min` and `max`.
    let rank_at =
        |row: &Row<'_>, i: usize| row.state(i).map_or(Rank::from(0), |state| rank(state, tables[i].shape()));
    let places: Vec<_> = (0..tables.len()).map(|i| (first + i) % tables.len()).collect();
    let ranks = |row: &Row<'_>| places.iter().map(|&i| rank_at(row, i)).collect::<Box<[Rank]>>();
    let items = rows.iter().zip(0..).map(|(row, place)| (ranks(row), Front::default(), place)).collect();
    let all = All::Joined(rows);
    let order = order(items, &all, options, stacks);
    Rows { all, order }
}

/// The places of a table's entries, in order.
fn order_of_one(table: &AggTable, options: SortOptions, stacks: &StackTable) -> Vec<u32> {
    let from = if options.key_position < table.types().len() { options.key_position } else { 0 };
    let front = |key| front(key, table.types(), from);
    let all = All::One(table);
    let entries = || table.entries().zip(0..);
    match table.func() {
        AggFn::Quantize | AggFn::Lquantize | AggFn::Llquantize | AggFn::Stddev => {
            let rank = |state| rank(state, table.shape());
            let items = entries().map(|((key, state), place)| (rank(state), front(key), place)).collect();
            order(items, &all, options, stacks)
        }
        _ => {
            let number = |state| rank(state, table.shape()).high as i64;
            let items = entries().map(|((key, state), place)| (number(state), front(key), place)).collect();
            order(items, &all, options, stacks)
        }
    }
}

/// Sorts rows, of each what its value is compared by, the front of its key, and its place.
fn order<R: Ord>(
    mut items: Vec<(R, Front, u32)>,
    all: &All<'_>,
    options: SortOptions,
    stacks: &StackTable,
) -> Vec<u32> {
    debug_assert_eq!(items.len(), all.len());
    items.sort_unstable_by(|a, b| {
        let rest = || compare_keys(all.key(a.2), all.key(b.2), options.key_position, stacks);
        let keys = || a.1.cmp(&b.1).then_with(rest);
        let values = || a.0.cmp(&b.0);
        let order = if options.by_key { keys().then_with(values) } else { values().then_with(keys) };
        let order = if options.reverse { order.reverse() } else { order };
        order.then_with(|| a.2.cmp(&b.2))
    });
    items.iter().map(|item| item.2).collect()
}

/// Bytes that are ordered as the keys of one table are, as far as they go: long enough for a command name and a number.
type Front = [u64; 3];

/// The front of a key, from the element that is compared first. Equal fronts say nothing.
fn front(key: &[u8], types: &[ValueType], from: usize) -> Front {
    let mut bytes = [0; size_of::<Front>()];
    let mut rest = &mut bytes[..];
    let mut put = |part: &[u8]| {
        let taken = part.len().min(rest.len());
        let (here, behind) = std::mem::take(&mut rest).split_at_mut(taken);
        here.copy_from_slice(&part[..taken]);
        rest = behind;
    };
    for (element, &ty) in value::decode(key, types).zip(types).skip(from) {
        match (element, ty) {
            // What they compare by is not in the key.
            (_, ValueType::Float(_)) => break,
            _ if is_numbered(ty) => break,
            (ValueRef::Int(value), _) => put(&low_bits(value, size(ty)).to_be_bytes()),
            // A string has no NUL, so its end comes before all that may follow; NULL before the empty one.
            (ValueRef::Str(text), ValueType::Str) => {
                put(text.unwrap_or_default());
                put(&[0, u8::from(text.is_some())]);
            }
            (ValueRef::Str(block), _) => {
                put(block.unwrap_or_default());
                break;
            }
        }
    }
    let (words, _) = bytes.as_chunks::<8>();
    std::array::from_fn(|i| u64::from_be_bytes(words[i]))
}

/// One row for each key of any table. Keys whose elements differ in size are different keys.
fn join<'t>(tables: &[&'t AggTable]) -> Vec<Row<'t>> {
    let sizes = |types: &[ValueType]| types.iter().map(|&ty| size(ty)).collect::<Vec<_>>();
    let signatures: Vec<_> = tables.iter().map(|table| sizes(table.types())).collect();
    let mut rows: IndexMap<(usize, &[u8]), Row<'t>> = IndexMap::new();
    for (i, table) in tables.iter().enumerate() {
        let signature = signatures.iter().position(|s| *s == signatures[i]).unwrap_or(i);
        for (key, state) in table.entries() {
            let row = rows.entry((signature, key)).or_insert_with(|| Row {
                key,
                types: table.types(),
                states: States::Joined(vec![None; tables.len()].into()),
            });
            if let States::Joined(states) = &mut row.states {
                states[i] = Some(state);
            }
        }
    }
    rows.into_values().collect()
}

/// Indices of a table's entries by value, then key, ascending.
pub(super) fn default_order(table: &AggTable, stacks: &StackTable) -> Vec<u32> {
    order_of_one(table, SortOptions::default(), stacks)
}

/// What a value is compared by: a sum of up to 2^145, high part first, and what decides ties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    high: i128,
    low: u64,
    tie: i64,
}

impl From<i64> for Rank {
    fn from(value: i64) -> Rank {
        Rank { high: i128::from(value), low: 0, tie: 0 }
    }
}

fn rank(state: &AggState, shape: Shape) -> Rank {
    match state {
        AggState::Min(None) => Rank::from(i64::MAX),
        AggState::Max(None) => Rank::from(i64::MIN),
        AggState::Buckets(buckets) => {
            let tie = shape.tie().map_or(0, |bucket| buckets.get(bucket));
            weighted(buckets.iter().map(|(i, count)| (shape.stands_for(i), count)), tie)
        }
        AggState::Sketch(sketch) => match shape {
            Shape::Percentiles(asked) => Rank::from(sketch.percentiles(asked).next().unwrap_or(0)),
            _ => Rank::from(0),
        },
        _ => Rank { high: state.printed(1), low: 0, tie: 0 },
    }
}

/// Σ value · count, exactly: each product fits 128 bits, their sum does not.
fn weighted(buckets: impl Iterator<Item = (i128, i64)>, tie: i64) -> Rank {
    let (mut high, mut low) = (0_i128, 0_u128);
    for (value, count) in buckets {
        let product = value * i128::from(count);
        high += product >> 64;
        low += product as u128 & u128::from(u64::MAX);
    }
    Rank { high: high + (low >> 64) as i128, low: low as u64, tie }
}

/// Canonical bytes and the types that read them.
type Key<'k> = (&'k [u8], &'k [ValueType]);

/// Element by element, from element `from` on and around. Integers compare as unsigned of their size, a smaller size
/// before a larger one; strings bytewise.
fn compare_keys(a: Key<'_>, b: Key<'_>, from: usize, stacks: &StackTable) -> Ordering {
    fn elements<'k>((key, types): Key<'k>) -> impl Iterator<Item = (ValueRef<'k>, ValueType)> {
        value::decode(key, types).zip(types.iter().copied())
    }
    let mut pairs = elements(a).zip(elements(b)).map(|(a, b)| compare_element(a, b, stacks));
    if from == 0 || from >= a.1.len() {
        return pairs.find(|order| order.is_ne()).unwrap_or(Ordering::Equal);
    }
    let orders: Vec<_> = pairs.collect();
    let (before, after) = orders.split_at(from.min(orders.len()));
    after.iter().chain(before).copied().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

fn compare_element(
    (a, a_type): (ValueRef<'_>, ValueType),
    (b, b_type): (ValueRef<'_>, ValueType),
    stacks: &StackTable,
) -> Ordering {
    match (a, b) {
        (ValueRef::Int(a), ValueRef::Int(b)) if is_numbered(a_type) && is_numbered(b_type) => {
            stacks.compare(a as u64, b as u64)
        }
        (ValueRef::Int(a), ValueRef::Int(b)) => {
            let (a_bits, b_bits) = (size(a_type), size(b_type));
            a_bits.cmp(&b_bits).then_with(|| low_bits(a, a_bits).cmp(&low_bits(b, b_bits)))
        }
        _ if matches!((a_type, b_type), (ValueType::Float(_), ValueType::Float(_))) => {
            let number = |of: ValueRef<'_>| Number::read(of.bytes()).unwrap_or(Number::ZERO);
            number(a).order(number(b))
        }
        // NULL is not the empty string: there is an order between them, too.
        _ => {
            a.bytes().cmp(b.bytes()).then_with(|| (a != ValueRef::Str(None)).cmp(&(b != ValueRef::Str(None))))
        }
    }
}

fn size(ty: ValueType) -> u8 {
    match ty {
        ValueType::Int { bits, .. } => bits,
        ValueType::Pointer | ValueType::Symbolic(_) => 64,
        ValueType::Str | ValueType::Bytes(_) | ValueType::Float(_) => 0,
    }
}

fn low_bits(value: i64, bits: u8) -> u64 {
    match bits {
        1..=63 => value as u64 & ((1 << bits) - 1),
        _ => value as u64,
    }
}

#[cfg(test)]
mod tests {
    use dtrail_lang::ir;
    use dtrail_lang::plan::Rooms;

    use super::*;
    use crate::agg::AggTables;

    const INT: ValueType = ValueType::Int { bits: 32, signed: true };

    fn tables(program: &[(AggFn, Shape, &[ValueType])]) -> AggTables {
        let aggs = program
            .iter()
            .map(|&(func, shape, keys)| ir::Aggregation {
                name: "a".into(),
                func,
                shape,
                keys: keys.to_vec(),
            })
            .collect();
        AggTables::new(&ir::Program { aggs, ..ir::Program::default() }, &Rooms::default(), 1 << 20)
    }

    fn key(parts: &[ValueRef<'_>]) -> Vec<u8> {
        let mut bytes = Vec::new();
        parts.iter().for_each(|part| part.encode(&mut bytes));
        bytes
    }

    /// Rows of sums keyed by integers, in the order they print: their keys.
    fn order(entries: &[(&[i64], i64)], options: SortOptions) -> Vec<Vec<i64>> {
        let types = vec![INT; entries[0].0.len()];
        let mut all = tables(&[(AggFn::Sum, Shape::default(), &types)]);
        let table = all.get_mut(ir::AggId(0)).expect("one aggregation");
        for (parts, sum) in entries {
            let parts: Vec<_> = parts.iter().map(|&part| ValueRef::Int(part)).collect();
            assert!(table.update(&key(&parts), *sum, 1));
        }
        let rows = rows(&[&*table], options, &StackTable::new());
        rows.iter().map(|row| value::decode(row.key, row.types).map(ValueRef::int).collect()).collect()
    }

    #[test]
    fn options() {
        let by_key = SortOptions { by_key: true, ..SortOptions::default() };
        let entries: &[(&[i64], i64)] = &[(&[3, 1], 5), (&[1, 3], 5), (&[2, 2], 1)];
        for (options, expected) in [
            (SortOptions::default(), [[2, 2], [1, 3], [3, 1]]),
            (by_key, [[1, 3], [2, 2], [3, 1]]),
            (SortOptions { key_position: 1, ..by_key }, [[3, 1], [2, 2], [1, 3]]),
            (SortOptions { key_position: 1, ..SortOptions::default() }, [[2, 2], [3, 1], [1, 3]]),
            (SortOptions { key_position: 7, ..by_key }, [[1, 3], [2, 2], [3, 1]]),
            (SortOptions { reverse: true, ..SortOptions::default() }, [[3, 1], [1, 3], [2, 2]]),
            (SortOptions { reverse: true, ..by_key }, [[3, 1], [2, 2], [1, 3]]),
        ] {
            assert_eq!(order(entries, options), expected, "{options:?}");
        }
    }

    #[test]
    fn keys_compare_as_unsigned_of_their_size_and_values_as_signed() {
        assert_eq!(order(&[(&[3], 1), (&[-1], 1), (&[2], 1)], SortOptions::default()), [[2], [3], [-1]]);
        assert_eq!(order(&[(&[1], -5), (&[2], 3), (&[3], -9)], SortOptions::default()), [[3], [1], [2]]);
        assert_eq!(low_bits(-1, 8), 255);
        assert_eq!(low_bits(-1, 64), u64::MAX);
    }

    #[test]
    fn strings_compare_bytewise() {
        let mut all = tables(&[(AggFn::Count, Shape::default(), &[ValueType::Str])]);
        let table = all.get_mut(ir::AggId(0)).expect("one aggregation");
        for text in ["b", "B", "ab", "a", ""] {
            assert!(table.update(&key(&[ValueRef::Str(Some(text.as_bytes()))]), 0, 1));
        }
        let rows = rows(&[&*table], SortOptions::default(), &StackTable::new());
        let texts: Vec<_> = rows.iter().map(|row| row.key[4..].to_vec()).collect();
        assert_eq!(texts, [b"".to_vec(), b"B".to_vec(), b"a".to_vec(), b"ab".to_vec(), b"b".to_vec()]);
    }

    /// What decides is in the front of a key, crosses its end, or lies behind it; NULL comes first, a longer string later.
    #[test]
    fn keys_of_several_elements_compare_element_by_element() {
        let types = [ValueType::Str, INT, ValueType::Str];
        let long: &'static [u8] = b"a name of more bytes than a front";
        let longer: &'static [u8] = b"a name of more bytes than a front has";
        type Text = Option<&'static [u8]>;
        let sorted: Vec<(Text, i64, Text)> = vec![
            (None, -1, Some(b"z")),
            (Some(b""), 1, None),
            (Some(b""), 1, Some(b"")),
            (Some(b"\x01"), 0, Some(b"")),
            (Some(b"a"), 2, Some(b"x")),
            (Some(b"a"), 2, Some(b"xxxxxxxxxxxxxxxxa")),
            (Some(b"a"), 2, Some(b"xxxxxxxxxxxxxxxxb")),
            (Some(b"a"), -1, Some(b"")),
            (Some(long), 2, Some(b"")),
            (Some(long), -2, Some(b"")),
            (Some(longer), 0, Some(b"")),
            (Some(b"command-name15\xff"), 1, None),
            (Some(b"command-name15\xff"), 2, None),
            (Some(b"\xff"), 0, None),
        ];
        let mut all = tables(&[(AggFn::Count, Shape::default(), &types)]);
        let table = all.get_mut(ir::AggId(0)).expect("one aggregation");
        let keys: Vec<_> = sorted
            .iter()
            .map(|&(a, b, c)| key(&[ValueRef::Str(a), ValueRef::Int(b), ValueRef::Str(c)]))
            .collect();
        // In another order: 5 and their number have no factor in common.
        for i in 0..keys.len() {
            assert!(table.update(&keys[(i * 5 + 3) % keys.len()], 0, 1));
        }
        let rows =
            rows(&[&*table], SortOptions { by_key: true, ..SortOptions::default() }, &StackTable::new());
        let got: Vec<_> = rows.iter().map(|row| row.key.to_vec()).collect();
        assert_eq!(got, keys);
    }

    #[test]
    fn histograms_compare_by_what_they_sum_to() {
        let quantize = |updates: &[(i64, i64)]| {
            let mut state = AggState::new(AggFn::Quantize);
            updates.iter().for_each(|&(v, w)| state.update(Shape::default(), v, w));
            rank(&state, Shape::default())
        };
        assert!(quantize(&[(-4, 1)]) < quantize(&[(1, 2)]));
        assert!(quantize(&[(1, 2)]) < quantize(&[(64, 1)]));
        assert!(quantize(&[(64, 1)]) < quantize(&[(64, 1), (0, 1)]), "ties go by the zero bucket");
        assert!(quantize(&[(i64::MAX, i64::MAX)]) > quantize(&[(i64::MAX, i64::MAX - 1)]));
        assert!(quantize(&[(i64::MIN, i64::MAX)]) < quantize(&[]));

        let shape = Shape::linear(-10, 10, 5);
        let linear = |updates: &[i64]| {
            let mut state = AggState::new(AggFn::Lquantize);
            updates.iter().for_each(|&v| state.update(shape, v, 1));
            rank(&state, shape)
        };
        assert_eq!(linear(&[-11]).high, -1, "the floor of -11 / 2^64");
        assert!(linear(&[-11]) < linear(&[-10]));
        assert!(linear(&[99, 99]) > linear(&[99, 9]));
        assert!(linear(&[5]) < linear(&[5, 0]), "ties go by the bucket of 0");
    }

    #[test]
    fn joined_rows_go_by_the_aggregation_asked_for() {
        let mut all = tables(&[
            (AggFn::Sum, Shape::default(), &[INT]),
            (AggFn::Sum, Shape::default(), &[INT]),
            (AggFn::Min, Shape::default(), &[ValueType::Int { bits: 64, signed: true }]),
        ]);
        for (agg, part, sum) in [(0, 1, 1), (0, 2, 2), (1, 1, 20), (1, 2, 10), (1, 3, 4), (2, 1, 0)] {
            let table = all.get_mut(ir::AggId(agg)).expect("in the program");
            assert!(table.update(&key(&[ValueRef::Int(part)]), sum, 1));
        }
        let get = |agg| all.get(ir::AggId(agg)).expect("in the program");
        let keys = |aggs: &[u32], position| {
            let named: Vec<_> = aggs.iter().map(|&agg| get(agg)).collect();
            let rows = rows(&named, SortOptions { position, ..SortOptions::default() }, &StackTable::new());
            rows.iter()
                .map(|row| (row.key[0], (0..3).filter_map(|i| row.state(i)).count()))
                .collect::<Vec<_>>()
        };
        assert_eq!(keys(&[0, 1], 0), [(3, 1), (1, 2), (2, 2)]);
        assert_eq!(keys(&[0, 1], 1), [(3, 1), (2, 2), (1, 2)]);
        assert_eq!(keys(&[0, 1], 2), [(3, 1), (1, 2), (2, 2)], "no third aggregation: ignored");
        assert_eq!(keys(&[0, 2], 0), [(1, 1), (1, 1), (2, 1)], "an int and a long are two keys");
    }
}
