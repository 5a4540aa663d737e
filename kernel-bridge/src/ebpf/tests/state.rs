//! Variables, associative arrays, aggregations, cuts.

use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::builtins::aggs::{LogLinear, Shape};
use dtrail_lang::plan::{Cuts, KeyPart};

use super::*;
use crate::ebpf::testing::{injected, plan_of};
use crate::ebpf::{MapKind, Target, control, counter, emit};

const AT: u64 = 0x2000_0000;

fn ran(value: i64) -> Sent {
    Sent::Ran(vec![Value::Int(value)])
}

#[test]
fn globals_keep_their_values() {
    let mut bench = Bench::new(&one_block(
        "var x: i64\nvar y: string",
        "i0 = builtin arg0\ni1 = get x\ni2 = add i1, i0\nset x = i2\nsend $0 = i2\ns0 = get y\nsend $1 = s0\n\
         s1 = builtin execname\nset y = s1\nwork",
    ));
    let mut fire = |arg, comm| bench.sent(&TestEvent { comm, ..TestEvent::args(&[arg]) });
    assert_eq!(fire(5, "one"), Sent::Ran(vec![Value::Int(5), Value::Str(String::new())]));
    assert_eq!(fire(6, "second one"), Sent::Ran(vec![Value::Int(11), Value::Str("one".into())]));
    assert_eq!(fire(-11, "x"), Sent::Ran(vec![Value::Int(0), Value::Str("second one".into())]));
}

#[test]
fn clause_locals_begin_anew_with_each_firing() {
    let mut bench = Bench::new(
        "p0 = probe 1 a:b:c:d\nvar this->n: i64\nvar this->s: string\nenable c0 on p0\nenable c1 on p0\n\
         clause c0 {\nb0:\ni0 = builtin arg0\nbranch i0 ? b1 : b2 merge b2\nb1:\nset this->n = i0\n\
         s0 = builtin execname\nset this->s = s0\ngoto b2\nb2:\nreturn\n}\n\
         clause c1 {\nb0:\ni0 = get this->n\ns0 = get this->s\nsend $0 = i0\nsend $1 = s0\nwork\nreturn\n}\n",
    );
    let mut second = |arg| {
        let record = bench.fire(&TestEvent::args(&[arg])).remove(0);
        Sent::of(&bench.plan, &record, 1)
    };
    assert_eq!(second(7), Sent::Ran(vec![Value::Int(7), Value::Str("bash".into())]));
    assert_eq!(second(0), Sent::Ran(vec![Value::Int(0), Value::Str(String::new())]));
}

#[test]
fn thread_variables_belong_to_their_thread() {
    let mut bench = Bench::new(
        "p0 = probe 1 a:b:c:entry\np1 = probe 2 a:b:c:return\nvar self->t: i64\nvar self->s: string\n\
         enable c0 on p0\nenable c1 on p1\n\
         clause c0 {\nb0:\ni0 = builtin arg0\nset self->t = i0\ns0 = builtin execname\nset self->s = s0\nreturn\n}\n\
         clause c1 {\nb0:\ni0 = get self->t\ns0 = get self->s\nsend $0 = i0\nsend $1 = s0\ni1 = 0\nset self->t = i1\n\
         s1 = null\nset self->s = s1\ni2 = get self->t\nsend $2 = i2\nwork\nreturn\n}\n",
    );
    let mut enter = |tid, arg| drop(bench.fire(&TestEvent { tid, ..TestEvent::args(&[arg]) }));
    enter(100, 5);
    enter(200, 6);
    enter(300, 0);
    let mut leave = |tid| bench.sent(&TestEvent { probe: 1, tid, ..TestEvent::default() });
    let s = || Value::Str("bash".into());
    assert_eq!(leave(200), Sent::Ran(vec![Value::Int(6), s(), Value::Int(0)]));
    assert_eq!(leave(200), Sent::Ran(vec![Value::Int(0), Value::Null, Value::Int(0)]));
    assert_eq!(leave(100), Sent::Ran(vec![Value::Int(5), s(), Value::Int(0)]));
    assert_eq!(leave(300), Sent::Ran(vec![Value::Int(0), s(), Value::Int(0)]));
    assert_eq!(leave(400), Sent::Ran(vec![Value::Int(0), Value::Null, Value::Int(0)]));
}

#[test]
fn elements_come_with_a_store_and_go_with_zero() {
    let mut bench = Bench::new(
        "p0 = probe 1 a:b:c:d\nvar n[i64, string]: i64\nvar s[i64]: string\nenable c0 on p0\nclause c0 {\nb0:\n\
         i0 = builtin arg0\ni1 = builtin arg1\ns0 = builtin execname\n\
         i2 = get n[i0, s0]\nsend $0 = i2\nset n[i0, s0] = i1\n\
         s1 = get s[i0]\nsend $1 = s1\nset s[i0] = s0\nwork\nreturn\n}\n",
    );
    let mut fire = |key, value, comm| bench.sent(&TestEvent { comm, ..TestEvent::args(&[key, value]) });
    let values = |n, s: Option<&str>| {
        Sent::Ran(vec![Value::Int(n), s.map_or(Value::Null, |s| Value::Str(s.to_owned()))])
    };
    assert_eq!(fire(1, 10, "a"), values(0, None));
    assert_eq!(fire(1, 20, "b"), values(0, Some("a")), "another key");
    assert_eq!(fire(1, 0, "a"), values(10, Some("b")));
    assert_eq!(fire(1, 30, "a"), values(0, Some("a")), "it was removed");
    assert_eq!(fire(1, 40, "b"), values(20, Some("a")));
    assert_eq!(fire(2, 0, "b"), values(0, None));
    let Some(crate::ebpf::VarPlace::Array { map }) = bench.program.state.vars[0] else { panic!("an array") };
    assert_eq!(bench.keys(map).len(), 2, "(1, a) and (1, b)");
}

#[test]
fn string_keys_carry_no_rest_of_longer_ones() {
    let mut bench = Bench::new(&one_block(
        "var n[string]: i64",
        "i0 = builtin arg0\ns0 = loadstr user [i0] limit 256\ni1 = get n[s0]\ni2 = 1\ni3 = add i1, i2\nset n[s0] = i3\nsend $0 = i3\nwork",
    ));
    let long = "x".repeat(256);
    for (text, expected) in
        [(long.as_str(), 1), ("x", 1), ("", 1), ("x", 2), (&long, 2), ("xxxxxxxx", 1), ("x", 3)]
    {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        bench.memory(&[(AT, &bytes)], &[]);
        assert_eq!(bench.sent(&TestEvent::args(&[AT as i64])), ran(expected), "{text}");
    }
}

#[test]
fn a_full_store_drops_and_ends_the_clause() {
    let text = |work_first: bool| {
        let (first, last) = if work_first { ("work", "") } else { ("", "work") };
        one_block(
            "var n[i64]: i64",
            &format!("i0 = builtin arg0\n{first}\nset n[i0] = i0 #50\nsend $0 = i0\n{last}"),
        )
    };
    // Room for two elements of 16 + 8 + 8 bytes.
    let mut target = injected();
    target.dynvar_size = 64;
    for work_first in [false, true] {
        let mut bench = Bench::of(plan_of(&text(work_first)), &target);
        assert_eq!(bench.sent(&TestEvent::args(&[1])), ran(1));
        assert_eq!(bench.sent(&TestEvent::args(&[2])), ran(2));
        if work_first {
            assert_eq!(bench.sent(&TestEvent::args(&[3])), Sent::Dropped(50));
        } else {
            assert_eq!(bench.fire(&TestEvent::args(&[3])), Vec::<Vec<u8>>::new());
        }
        assert_eq!(bench.counter(counter::DYNAMIC), 1);
        assert_eq!(bench.sent(&TestEvent::args(&[2])), ran(2), "what is there can be stored to");
    }
}

/// The words of an aggregation without keys.
fn unkeyed(bench: &mut Bench, index: u32) -> Vec<u64> {
    let map = bench.program.state.aggs[0].map;
    bench.words(map, &index.to_le_bytes()).expect("an array has its entries")
}

#[test]
fn sums_counts_and_averages_add_up() {
    for (func, value, expected) in [
        ("count", "", vec![5]),
        ("sum", "(i0)", vec![1, (-6i64) as u64]),
        ("avg", "(i0)", vec![5, (-6i64) as u64]),
    ] {
        let text = one_block(
            &format!("agg @a[]: {func}\ng0 = @a in c0"),
            &format!("i0 = builtin arg0\naggregate g0 [] {value}"),
        );
        let mut bench = Bench::new(&text);
        for arg in [1, 2, -10, 1, 0] {
            assert_eq!(bench.fire(&TestEvent::args(&[arg])), Vec::<Vec<u8>>::new());
        }
        let map = bench.program.state.aggs[0].map;
        let key = 0u32.to_le_bytes();
        let words = if func == "sum" { bench.flagged(map, &key) } else { bench.words(map, &key) };
        assert_eq!(words, Some(expected), "{func}");
    }
}

#[test]
fn least_and_greatest() {
    for (func, values) in [("min", [3, -7, 5]), ("max", [3, 7, -5])] {
        let text =
            one_block(&format!("agg @a[]: {func}\ng0 = @a in c0"), "i0 = builtin arg0\naggregate g0 [] (i0)");
        let mut bench = Bench::rbpf(&text);
        for value in values {
            bench.fire(&TestEvent::args(&[value]));
        }
        assert_eq!(unkeyed(&mut bench, 0), [1, values[1] as u64], "{func}");
    }
}

const EDGES: [i64; 17] = [
    0,
    1,
    -1,
    2,
    -2,
    3,
    4,
    255,
    256,
    -256,
    65535,
    65536,
    1 << 32,
    i64::MAX,
    i64::MIN,
    i64::MIN + 1,
    -(1 << 33),
];

#[test]
fn power_of_two_buckets() {
    let mut bench = Bench::new(&one_block(
        "agg @a[]: quantize\ng0 = @a in c0",
        "i0 = builtin arg0\naggregate g0 [] (i0)",
    ));
    let mut expected = vec![0u64; 128];
    for value in
        EDGES.into_iter().chain((0..63).map(|bit| 1 << bit)).chain((0..63).map(|bit| -(1 << bit) - 1))
    {
        bench.fire(&TestEvent::args(&[value]));
        expected[1 + Shape::Plain.bucket(value)] += 1;
    }
    expected[0] = 1;
    let map = bench.program.state.aggs[0].map;
    assert_eq!(bench.flagged(map, &0u32.to_le_bytes()), Some(expected));
}

#[test]
fn linear_buckets_and_weights() {
    for (base, limit, step) in [(0, 100, 10), (-50, 50, 7), (i32::MIN, i32::MAX, 65535), (5, 6, 1)] {
        let text = one_block(
            &format!("agg @a[]: lquantize({base}, {limit}, {step})\ng0 = @a in c0"),
            "i0 = builtin arg0\ni1 = builtin arg1\naggregate g0 [] (i0) weight i1",
        );
        if (i64::from(limit) - i64::from(base)) / i64::from(step) > 4000 {
            continue;
        }
        let mut bench = Bench::new(&text);
        let shape = bench.plan.program.aggs[0].shape;
        let mut expected = vec![0u64; shape.buckets() as usize + 1];
        let around = [base, limit].into_iter().flat_map(|end| (-12..12).map(move |d| i64::from(end) + d));
        for (i, value) in EDGES.into_iter().chain(around).enumerate() {
            let weight = i as i64 - 5;
            bench.fire(&TestEvent::args(&[value, weight]));
            let bucket = &mut expected[1 + shape.bucket(value)];
            *bucket = bucket.wrapping_add(weight as u64);
        }
        expected[0] = 1;
        let map = bench.program.state.aggs[0].map;
        assert_eq!(bench.flagged(map, &0u32.to_le_bytes()), Some(expected), "{base}, {limit}, {step}");
    }
}

#[test]
fn log_linear_buckets_and_weights() {
    for (factor, low, high, steps) in [
        (10, 0, 5, 10),
        (10, 0, 2, 20),
        (10, 1, 2, 5),
        (2, 0, 62, 2),
        (2, 3, 10, 4),
        (6, 0, 2, 12),
        (65535, 0, 2, 1),
        (7, 1, 1, 49),
    ] {
        let text = one_block(
            &format!("agg @a[]: llquantize({factor}, {low}, {high}, {steps})\ng0 = @a in c0"),
            "i0 = builtin arg0\ni1 = builtin arg1\naggregate g0 [] (i0) weight i1",
        );
        let mut bench = Bench::new(&text);
        let constants = LogLinear { factor, low, high, steps };
        assert_eq!(constants.check(), Ok(()));
        let shape = Shape::LogLinear(constants);
        let mut expected = vec![0u64; shape.buckets() as usize + 1];
        let powers = (0..=u32::from(high) + 1).map(|exponent| constants.power(exponent) as i64);
        let around = powers.flat_map(|end| {
            (-2..=2).flat_map(move |d| [end.wrapping_add(d), end.wrapping_add(d).wrapping_neg()])
        });
        for (i, value) in EDGES.into_iter().chain(around).chain(-130..130).enumerate() {
            let weight = i as i64 - 5;
            bench.fire(&TestEvent::args(&[value, weight]));
            let bucket = &mut expected[1 + shape.bucket(value)];
            *bucket = bucket.wrapping_add(weight as u64);
        }
        expected[0] = 1;
        let map = bench.program.state.aggs[0].map;
        assert_eq!(bench.flagged(map, &0u32.to_le_bytes()), Some(expected), "{constants:?}");
    }
}

#[test]
fn squares_have_128_bits() {
    let text = one_block("agg @a[]: stddev\ng0 = @a in c0", "i0 = builtin arg0\naggregate g0 [] (i0)");
    let mut bench = Bench::new(&text);
    let (mut count, mut sum, mut squares) = (0_u64, 0_u64, 0_u128);
    for value in EDGES.into_iter().chain([0x1234_5678_9abc_def0, -0x7fff_ffff_ffff_ff01]) {
        bench.fire(&TestEvent::args(&[value]));
        count += 1;
        sum = sum.wrapping_add(value as u64);
        squares = squares.wrapping_add(u128::from(value.unsigned_abs()).pow(2));
    }
    let map = bench.program.state.aggs[0].map;
    let expected = vec![count, sum, squares as u64, (squares >> 64) as u64];
    assert_eq!(bench.words(map, &0u32.to_le_bytes()), Some(expected));
}

#[test]
fn keys_of_every_part() {
    let text = "p0 = probe 1 a:b:c:d\np1 = probe 2 a:b:e:d\nagg @a[i64, string, string, string]: count\n\
                g0 = @a in c0\nenable c0 on p0, p1\nclause c0 {\nb0:\ni0 = builtin arg0\ns0 = builtin execname\n\
                s1 = builtin probefunc\ns2 = \"const\"\naggregate g0 [i0, s0, s1, s2]\nreturn\n}\n";
    let mut plan = plan_of(text);
    plan.agg_sites[0].key =
        vec![KeyPart::Int, KeyPart::Execname, KeyPart::Probe(BuiltinVar::Probefunc), KeyPart::Str];
    let mut bench = Bench::of(plan, &injected());
    for (probe, arg, comm) in [(0, 1, "bash"), (1, 1, "bash"), (0, 1, "bash"), (0, -1, "a")] {
        bench.fire(&TestEvent { probe, comm, ..TestEvent::args(&[arg]) });
    }
    let map = bench.program.state.aggs[0].map;
    let key = |arg: i64, comm: &str, probe: u64| {
        let mut key = arg.to_le_bytes().to_vec();
        let mut name = comm.as_bytes().to_vec();
        name.resize(16, 0);
        key.extend(name);
        key.extend(probe.to_le_bytes());
        key.extend(6u64.to_le_bytes());
        key.extend(b"const");
        key.resize(8 + 16 + 8 + 8 + 256, 0);
        key
    };
    let mut expected = vec![key(1, "bash", 0), key(1, "bash", 1), key(-1, "a", 0)];
    expected.sort();
    assert_eq!(bench.keys(map), expected);
    assert_eq!(bench.words(map, &key(1, "bash", 0)), Some(vec![2]));
    assert_eq!(bench.words(map, &key(1, "bash", 1)), Some(vec![1]));
}

#[test]
fn the_command_name_alone_is_a_key_where_it_lies() {
    let text = one_block("agg @a[string]: count\ng0 = @a in c0", "s0 = builtin execname\naggregate g0 [s0]");
    let mut plan = plan_of(&text);
    plan.agg_sites[0].key = vec![KeyPart::Execname];
    let mut bench = Bench::of(plan, &injected());
    for comm in ["bash", "ls", "bash"] {
        bench.fire(&TestEvent { comm, ..TestEvent::default() });
    }
    let map = bench.program.state.aggs[0].map;
    assert_eq!(bench.words(map, b"bash\0\0\0\0\0\0\0\0\0\0\0\0"), Some(vec![2]));
    assert_eq!(bench.words(map, b"ls\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), Some(vec![1]));
}

#[test]
fn a_full_table_drops_new_keys_only() {
    let text = one_block(
        "agg @a[i64]: count\ng0 = @a in c0",
        "i0 = builtin arg0\naggregate g0 [i0]\nsend $0 = i0\nwork",
    );
    let mut target = injected();
    target.agg_size = 64;
    let mut bench = Bench::of(plan_of(&text), &target);
    for arg in [1, 2, 3, 2, 4] {
        assert_eq!(bench.sent(&TestEvent::args(&[arg])), ran(arg), "the clause goes on");
    }
    let map = bench.program.state.aggs[0].map;
    assert_eq!(bench.words(map, &2u64.to_le_bytes()), Some(vec![2]));
    assert_eq!(bench.words(map, &3u64.to_le_bytes()), None);
    assert_eq!(bench.counter(counter::AGGREGATION), 2);
    assert_eq!(bench.counter(counter::AGGREGATION_MEMORY), 0);
}

/// In a kernel that has no memory at hand, of two aggregations whose spare maps hold two keys.
#[test]
fn keys_that_the_kernel_has_no_memory_for_go_to_a_spare_map() {
    let text = one_block(
        "agg @a[i64]: count\nagg @b[i64]: max\ng0 = @a in c0\ng1 = @b in c0",
        "i0 = builtin arg0\ni1 = builtin arg1\naggregate g0 [i0]\naggregate g1 [i0] (i1)\nsend $0 = i0\nwork",
    );
    let mut bench = Bench::rbpf_of(plan_of(&text), &Target { agg_size: 4 << 20, ..injected() });
    let [a, b] = [0, 1].map(|i| bench.program.state.aggs[i].clone());
    let (spare_a, spare_b) = (a.spare.expect("it has one"), b.spare.expect("it has one"));
    for spare in [spare_a, spare_b] {
        let spec = &bench.program.maps[spare as usize];
        assert_eq!((spec.kind, spec.max_entries), (MapKind::PerCpuHash { full: true }, 128));
    }
    let fire = |bench: &mut Bench, key: i64, value: i64| {
        assert_eq!(bench.sent(&TestEvent::args(&[key, value])), ran(key), "the clause goes on");
    };
    fire(&mut bench, 1, 10);
    bench.rbpf.starve(true);
    for (key, value) in [(1, 20), (2, 30), (2, 25)] {
        fire(&mut bench, key, value);
    }
    let key = |key: u64| key.to_le_bytes();
    assert_eq!((bench.words(a.map, &key(1)), bench.words(spare_a, &key(1))), (Some(vec![2]), None));
    assert_eq!((bench.words(a.map, &key(2)), bench.words(spare_a, &key(2))), (None, Some(vec![2])));
    assert_eq!(bench.words(spare_b, &key(2)), Some(vec![1, 30]));
    // Once there is memory the key has a value in both.
    bench.rbpf.starve(false);
    fire(&mut bench, 2, 40);
    assert_eq!((bench.words(a.map, &key(2)), bench.words(spare_a, &key(2))), (Some(vec![1]), Some(vec![2])));
    assert_eq!(bench.words(b.map, &key(2)), Some(vec![1, 40]));
    assert_eq!(bench.counter(counter::AGGREGATION_MEMORY), 0);
    // When the spare maps are full too, what is lost is counted.
    bench.rbpf.starve(true);
    for new in 100..228 {
        fire(&mut bench, new, 0);
    }
    assert_eq!(bench.counter(counter::AGGREGATION_MEMORY), 2, "127 keys had room in each");
    assert_eq!(bench.counter(counter::AGGREGATION), 0);
}

/// The plan leaves a program 48 tables: 30 aggregations and an array leave 17 spare ones.
#[test]
fn spare_maps_take_no_more_than_the_plan_left() {
    let lines = |line: fn(usize) -> String| (0..30).map(line).collect::<Vec<_>>().join("\n");
    let declared = lines(|i| format!("agg @a{i}[i64]: count\ng{i} = @a{i} in c0"));
    let updates = lines(|i| format!("aggregate g{i} [i0]"));
    let text = one_block(
        &format!("{declared}\nvar g[i64]: i64"),
        &format!("i0 = builtin arg0\nset g[i0] = i0\n{updates}"),
    );
    let program =
        emit(&plan_of(&text), &Target { agg_size: 4 << 20, ..injected() }).expect("it can be emitted");
    let spares: Vec<bool> = program.state.aggs.iter().map(|place| place.spare.is_some()).collect();
    assert_eq!(spares, [vec![true; 17], vec![false; 13]].concat());
    assert!(program.maps.len() <= 64, "{} maps", program.maps.len());
}

#[test]
fn memory_for_keys_is_taken_beforehand_while_it_is_quick_or_asked_for() {
    let text = one_block(
        "agg @a[i64]: count\nagg @b[string]: count\ng0 = @a in c0\ng1 = @b in c0",
        "i0 = 1\ns1 = builtin execname\naggregate g0 [i0]\naggregate g1 [s1]",
    );
    for (size, cpus, expected) in [
        // An entry of @a counts 32 bytes, one of @b 288.
        (32 * 4096, 2, [(4096, true), (455, false)]),
        (32 * 3600, 2, [(3600, true), (400, true)]),
        (4 << 20, 2, [(131_072, false), (14_563, false)]),
        (32 << 20, 2, [(1 << 20, true), (116_508, true)]),
        // 3 million entries of 80 bytes are below 256 MiB; with the other map's it is more.
        (96 << 20, 2, [(3 << 20, true), (349_525, false)]),
        (32 << 20, 64, [(1 << 20, false), (116_508, false)]),
    ] {
        let target = Target { agg_size: size, cpus, ..injected() };
        let program = emit(&plan_of(&text), &target).expect("it can be emitted");
        let maps = program.maps.iter().filter_map(|spec| match spec.kind {
            MapKind::PerCpuHash { full } if !spec.name.starts_with("spare") => Some((spec.max_entries, full)),
            _ => None,
        });
        assert_eq!(maps.collect::<Vec<_>>(), expected, "{size} bytes, {cpus} CPUs");
    }
}

#[test]
fn a_cut_comes_after_the_last_clause() {
    let text = "p0 = probe 1 a:b:c:d\nagg @a[]: count\nagg @b[i64]: count\ng0 = @a in c0\ng1 = @b in c1\n\
                enable c0 on p0\nenable c1 on p0\n\
                clause c0 {\nb0:\naggregate g0 []\ni0 = builtin arg0\nbranch i0 ? b1 : b2 merge b2\nb1:\n\
                control cut\nwork\ngoto b2\nb2:\nreturn\n}\n\
                clause c1 {\nb0:\ni0 = 5\naggregate g1 [i0]\nreturn\n}\n";
    let mut plan = plan_of(text);
    plan.cuts = Cuts { tracer: false, kernel: true };
    let mut bench = Bench::of(plan, &injected());
    let generation = |record: &[u8]| u32::from_le_bytes(record[28..32].try_into().unwrap());
    bench.fire(&TestEvent::args(&[0]));
    let records = bench.fire(&TestEvent::args(&[1]));
    assert_eq!(generation(&records[0]), 1);
    bench.fire(&TestEvent::args(&[0]));
    assert_eq!(unkeyed(&mut bench, 0), [2]);
    assert_eq!(unkeyed(&mut bench, 1), [1]);
    let map = bench.program.state.aggs[1].map;
    let key = |generation: u64| [generation.to_le_bytes(), 5u64.to_le_bytes()].concat();
    assert_eq!(
        bench.words(map, &key(0)),
        Some(vec![2]),
        "the second clause still counts in the old generation"
    );
    assert_eq!(bench.words(map, &key(1)), Some(vec![1]));
    for expected in [2, 3, 4, 5, 6, 7, 7, 7] {
        let records = bench.fire(&TestEvent::args(&[1]));
        assert_eq!(generation(&records[0]), expected);
    }
    assert_eq!(bench.counter(counter::COALESCED), 2);
    bench.set_control(control::ACKED, 4);
    assert_eq!(generation(&bench.fire(&TestEvent::args(&[1]))[0]), 8);
}
