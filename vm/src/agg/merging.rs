//! A property of every aggregating function: however updates are spread over CPUs, and over the kernel and the user part,
//! and in whatever order what they counted is merged, the table is the one that a single CPU would have made.

use dtrail_lang::builtins::AggFn;
use dtrail_lang::builtins::aggs::{LogLinear, Percentiles, Shape};
use dtrail_lang::ir::{self, AggId, ValueType};
use dtrail_lang::plan::Rooms;
use proptest::prelude::*;

use super::{AggState, AggTable, AggTables, Top};
use crate::stacks::StackTable;
use crate::value::{self, Value, ValueRef};

const LONG: ValueType = ValueType::Int { bits: 64, signed: true };

/// Every function with constants that it takes.
fn functions() -> Vec<(AggFn, Shape)> {
    let log_linear = LogLinear { factor: 10, low: 0, high: 6, steps: 20 };
    let mut functions: Vec<_> = AggFn::ROWS
        .iter()
        .map(|row| {
            let shape = match row.id {
                AggFn::Lquantize => Shape::linear(-10, 20, 7),
                AggFn::Llquantize => Shape::LogLinear(log_linear),
                AggFn::Percentile => {
                    let some = Percentiles::NONE.and(50).and_then(|some| some.and(999));
                    Shape::Percentiles(some.expect("two percentages"))
                }
                AggFn::Distinct => Shape::Distinct { strings: false },
                AggFn::Topk => Shape::Top { wanted: 60, strings: false },
                _ => Shape::Plain,
            };
            (row.id, shape)
        })
        .collect();
    functions.extend([
        (AggFn::Distinct, Shape::Distinct { strings: true }),
        (AggFn::Topk, Shape::Top { wanted: 60, strings: true }),
    ]);
    functions
}

/// Tables of all of them, by number, with one integer as key.
fn tables() -> AggTables {
    let aggs = functions().into_iter().map(|(func, shape)| ir::Aggregation {
        name: "a".into(),
        func,
        shape,
        keys: vec![LONG],
    });
    let mut tables = AggTables::new(
        &ir::Program { aggs: aggs.collect(), ..ir::Program::default() },
        &Rooms::default(),
        1 << 20,
    );
    tables.keep_cpus();
    tables
}

#[derive(Clone, Copy, Debug)]
struct Update {
    key: i64,
    value: i64,
    weight: i64,
    cpu: u32,
    in_kernel: bool,
    /// What the kernel part has counted is taken out after this update, and the tables are cut.
    sweep: bool,
}

fn update() -> impl Strategy<Value = Update> {
    // Few values often, many once.
    let value = prop_oneof![3 => -30_i64..30, 1 => -1_000_000_i64..1_000_000, 2 => any::<i64>()];
    (0_i64..3, value, -3_i64..9, 0_u32..4, any::<bool>(), 0_u32..50).prop_map(
        |(key, value, weight, cpu, in_kernel, sweep)| Update {
            key,
            value,
            weight,
            cpu,
            in_kernel,
            sweep: sweep == 0,
        },
    )
}

fn apply(table: &mut AggTable, on: u32, of: Update) {
    let (key, item) = (of.key.to_le_bytes(), of.value.to_le_bytes());
    match table.shape() {
        Shape::Distinct { .. } | Shape::Top { .. } => {
            assert!(table.update_item(&key, &item));
            table.update_item_on(on, &key, &item);
        }
        _ => {
            assert!(table.update(&key, of.value, of.weight));
            table.update_on(on, &key, of.value, of.weight);
        }
    }
}

fn each(tables: &mut AggTables, mut of: impl FnMut(AggId, &mut AggTable)) {
    for agg in (0..functions().len() as u32).map(AggId) {
        of(agg, tables.get_mut(agg).expect("there is one for each function"));
    }
}

/// Takes what CPUs counted into the table of user space, in this order, as a sweep does.
fn sweep(user: &mut AggTables, kernel: &mut [AggTables], order: &[usize]) {
    for &cpu in order {
        each(&mut kernel[cpu], |agg, table| {
            for (key, state) in table.entries() {
                let key: Vec<_> = value::decode(key, &[LONG]).map(ValueRef::to_value).collect();
                user.merge(agg, cpu as u32, &key, state.clone());
            }
            table.trunc(0, &StackTable::new());
        });
    }
    user.cut(true);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn however_updates_are_split_the_table_is_the_same(
        updates in prop::collection::vec(update(), 0..700),
        order in Just([0_usize, 1, 2, 3]).prop_shuffle(),
    ) {
        let mut one = tables();
        let mut user = tables();
        let mut kernel = [tables(), tables(), tables(), tables()];
        for &of in &updates {
            each(&mut one, |_, table| apply(table, of.cpu, of));
            let part = if of.in_kernel { &mut kernel[of.cpu as usize] } else { &mut user };
            each(part, |_, table| apply(table, of.cpu, of));
            if of.sweep {
                sweep(&mut user, &mut kernel, &order);
            }
        }
        sweep(&mut user, &mut kernel, &order);
        for (agg, (func, _)) in (0..).map(AggId).zip(functions()) {
            let (one, split) = (one.get(agg).expect("as above"), user.get(agg).expect("as above"));
            prop_assert_eq!(split.entries().len(), one.entries().len());
            for (key, state) in one.entries() {
                prop_assert_eq!(split.get(key), Some(state), "{:?} under {:?}", func, key);
                for cpu in 0..4 {
                    prop_assert_eq!(split.on_cpu(key, cpu), one.on_cpu(key, cpu), "{:?} on {}", func, cpu);
                }
            }
        }
    }

    /// Three parts of the updates of one key, merged in any order and in any grouping.
    #[test]
    fn merging_is_commutative_and_associative(
        updates in prop::collection::vec((update(), 0_usize..3), 0..900),
        order in Just([0_usize, 1, 2]).prop_shuffle(),
    ) {
        for (func, shape) in functions() {
            let of = |part: Option<usize>| {
                let mut state = AggState::new(func);
                for (of, _) in updates.iter().filter(|(_, own)| part.is_none_or(|part| part == *own)) {
                    match shape {
                        Shape::Distinct { .. } | Shape::Top { .. } => {
                            state.update_item(shape, &of.value.to_le_bytes());
                        }
                        _ => state.update(shape, of.value, of.weight),
                    }
                }
                state
            };
            let [a, b, c] = order.map(|part| of(Some(part)));
            let merged = |a: &AggState, b: &AggState| {
                let mut a = a.clone();
                a.merge(b);
                a
            };
            let left = merged(&merged(&a, &b), &c);
            prop_assert_eq!(&left, &merged(&a, &merged(&b, &c)), "{:?}", func);
            prop_assert_eq!(&left, &merged(&c, &merged(&b, &a)), "{:?}", func);
            prop_assert_eq!(left, of(None), "{:?}", func);
        }
    }

    /// `topk` of more values than there is room for is no function of the values alone, but its bounds hold however they
    /// are split: no count is too small, and none too large by more than twice the updates by the room.
    #[test]
    fn frequent_values_are_bounded_however_they_are_split(
        values in prop::collection::vec((prop_oneof![2 => 0_u64..20, 3 => 0_u64..4000], 0_usize..3), 0..3000),
    ) {
        const WANTED: u16 = 5;
        const ROOM: u64 = 256;
        let mut parts = [Top::default(), Top::default(), Top::default()];
        let mut times = std::collections::HashMap::<u64, u64>::new();
        for &(value, part) in &values {
            parts[part].add(WANTED, &value.to_le_bytes());
            *times.entry(value).or_default() += 1;
        }
        let [mut all, b, c] = parts;
        all.merge(&b);
        all.merge(&c);
        let most = values.len() as u64 * 2 / ROOM;
        for (item, count) in all.counts(WANTED, <[u8]>::cmp) {
            let value = u64::from_le_bytes(item.try_into().expect("8 bytes went in"));
            let exact = times.get(&value).copied().unwrap_or(0);
            prop_assert!((exact..=exact + most).contains(&count), "{} for {}, exactly {}", count, value, exact);
        }
    }
}

#[test]
fn a_merged_entry_is_found_by_the_value_of_its_key() {
    let mut tables = tables();
    tables.merge(AggId(0), 2, &[Value::Int(-1)], AggState::Count(7));
    let table = tables.get(AggId(0)).expect("the first function");
    assert_eq!(table.get(&(-1_i64).to_le_bytes()), Some(&AggState::Count(7)));
    assert_eq!((table.on_cpu(&[0xff; 8], 2), table.cpus()), (Some(&AggState::Count(7)), 3));
}
