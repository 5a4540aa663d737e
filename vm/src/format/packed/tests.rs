//! Packed prints and distributions of random entries against the rules of runtime spec §7.5 and §7.11, stated here from
//! what they say and not from the code: exact fractions, labels by their powers.

use dtrail_lang::ir::{AggId, parse};
use dtrail_lang::plan::Rooms;
use proptest::prelude::*;

use super::super::Style;
use super::super::printa::{self, AggStyle};
use crate::agg::AggTables;
use crate::stacks::StackTable;
use crate::testing::{FixedHost, no_symbols};
use crate::value::ValueRef;

/// What an aggregation with one `int` key prints after updates (key, value, weight).
fn printed(program: &str, updates: &[(i64, i64, i64)], options: AggStyle) -> String {
    let program = parse::program(program).expect("IR of this test");
    let mut tables = AggTables::new(&program, &Rooms::default(), 1 << 20);
    for &(key, value, weight) in updates {
        let mut bytes = Vec::new();
        ValueRef::Int(key).encode(&mut bytes);
        assert!(tables.get_mut(AggId(0)).expect("in the program").update(&bytes, value, weight));
    }
    let host = FixedHost::default();
    let stacks = StackTable::new();
    let style = Style { host: &host, escape: false, symbols: no_symbols(&stacks) };
    let mut out = Vec::new();
    let table = tables.get(AggId(0)).expect("in the program");
    printa::default(&mut out, &[table], options, style, &mut |_| std::ops::ControlFlow::Continue(()));
    String::from_utf8(out).expect("UTF-8")
}

/// The whole number n with n ≤ |value| · cells / whole + 1/2 < n + 1, found by trying; `zoom` makes the largest 95 % of the
/// room.
fn rounded(value: i64, cells: i128, all: &[i64], zoom: bool) -> usize {
    let size = |value: i64| i128::from(value.unsigned_abs());
    let total: i128 = all.iter().map(|&v| size(v)).sum();
    let most = all.iter().map(|&v| size(v)).max().unwrap_or(0);
    let (above, below) = if zoom { (most * 100, 95) } else { (total, 1) };
    if above == 0 {
        return 0;
    }
    let exact = size(value) * cells * below;
    (0..=cells).rev().find(|n| 2 * exact >= (2 * n - 1) * above).unwrap_or(0) as usize
}

fn bar(value: i64, all: &[i64], zoom: bool) -> String {
    let (above, below) = (all.iter().any(|&v| v > 0), all.iter().any(|&v| v < 0));
    let marks = |cells: i128| "@".repeat(rounded(value, cells, all, zoom));
    match (above, below) {
        (true, true) if value <= 0 => format!("{:>20}|{:20}", marks(20), ""),
        (true, true) => format!("{:20}|{:<20}", "", marks(20)),
        (false, true) => format!("{:>40}|", marks(40)),
        _ => format!("|{:<40}", marks(40)),
    }
}

/// The entries by key, each with the sum of its counts, in the order of printing: by value, then by key as unsigned.
fn entries(updates: &[(i64, i64, i64)], value_of: impl Fn(i64, i64) -> i128) -> Vec<(i64, i128)> {
    let mut keys: Vec<i64> = updates.iter().map(|&(key, ..)| key).collect();
    keys.sort_by_key(|&key| key as i32 as u32);
    keys.dedup();
    let value = |key: i64| updates.iter().filter(|u| u.0 == key).map(|&(_, v, w)| value_of(v, w)).sum();
    let mut entries: Vec<(i64, i128)> = keys.into_iter().map(|key| (key, value(key))).collect();
    entries.sort_by_key(|&(_, value)| value);
    entries
}

proptest! {
    /// `agghist`: a row an entry, drawn against all entries.
    #[test]
    fn distributions(
        updates in prop::collection::vec((-3_i64..4, prop_oneof![-9_i64..30, -1_000_000_000_000_i64..1_000_000_000_000]), 1..9),
        zoom in any::<bool>(),
    ) {
        let updates: Vec<_> = updates.into_iter().map(|(key, value)| (key, value, 1)).collect();
        let options = AggStyle { hist: true, zoom, ..AggStyle::default() };
        let text = printed("agg @_[i32]: sum\nk0 = printa in c0 stmt 1 () aggs @_", &updates, options);
        let entries = entries(&updates, |value, _| i128::from(value));
        let all: Vec<i64> = entries.iter().map(|&(_, value)| value as i64).collect();
        let title = "------------- Distribution -------------";
        let mut expect = format!("\n\n{:>9} {title:>41} {:<9}\n", "key", "count");
        for (key, value) in entries {
            let value = value as i64;
            expect += &format!(" {key:>8} {} {value:<9}\n", bar(value, &all, zoom));
        }
        prop_assert_eq!(text, expect);
    }

    /// `aggpack`: a character a bucket, drawn against the entry alone; the columns are those of all entries.
    #[test]
    fn packed_histograms(
        updates in prop::collection::vec((-2_i64..3, prop_oneof![-40_i64..40, Just(0_i64), any::<i64>()], prop_oneof![Just(1_i64), -3_i64..20]), 1..9),
        zoom in any::<bool>(),
        ascii in any::<bool>(),
    ) {
        let options = AggStyle { pack: true, zoom, utf8: Some(!ascii), ..AggStyle::default() };
        let text = printed("agg @_[i32]: quantize\nk0 = printa in c0 stmt 1 () aggs @_", &updates, options);
        // Buckets by the value they stand for: 0 and powers of two of both signs, the largest clamped.
        let mut labels: Vec<i64> = vec![0];
        for power in 0..63 {
            labels.push(1 << power);
            labels.push(-(1_i64 << power));
        }
        labels.sort_unstable();
        let label = |value: i64| match value {
            0 => 0,
            value if value > 0 => 1_i64 << value.ilog2(),
            value => -(1_i64 << value.unsigned_abs().ilog2().min(62)),
        };
        let count = |key: i64, bucket: i64| -> i64 {
            updates.iter().filter(|u| u.0 == key && label(u.1) == bucket).map(|u| u.2).sum()
        };
        let entries = entries(&updates, |value, weight| i128::from(label(value)) * i128::from(weight));
        let set: Vec<usize> =
            (0..labels.len()).filter(|&i| entries.iter().any(|&(key, _)| count(key, labels[i]) != 0)).collect();
        let zero = labels.iter().position(|&l| l == 0).expect("0 is a label");
        let (first, end) = (set.first().copied().unwrap_or(zero), set.last().copied().unwrap_or(zero));
        let low = if first == 0 || first == zero { first } else { first - 1 };
        let high = (end + 1).min(labels.len() - 1);
        let (l, h) = (labels[low].to_string(), labels[high].to_string());
        let (lw, hw) = (l.len(), h.len());
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let heading = format!("{:>9} {:>lw$} .{}. {:<hw$} | count", "key", "min", "-".repeat(high - low + 1), "max");
        prop_assert_eq!(lines.drain(..3).collect::<Vec<_>>(), ["".to_owned(), "".to_owned(), heading]);
        prop_assert_eq!(lines.len(), entries.len());
        // Ties of the sum are ordered by the bucket of zero, which this test does not repeat: lines are found by key.
        for (key, _) in entries {
            let all: Vec<i64> = labels.iter().map(|&label| count(key, label)).collect();
            let drawn: String = (low..=high)
                .map(|i| match all[i] {
                    0 => ' ',
                    n if n > 0 => {
                        let at = rounded(n, 7, &all, zoom);
                        if ascii { b"__xxxxXX"[at] as char } else { ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'][at] }
                    }
                    n => b"vvvvVV"[rounded(n, 5, &all, zoom)] as char,
                })
                .collect();
            let sum: i64 = all.iter().sum();
            let line = format!(" {key:>8} {l:>lw$} :{drawn}: {h:<hw$} | {sum}");
            prop_assert!(lines.contains(&line), "{line:?} in {lines:?}");
        }
    }
}
