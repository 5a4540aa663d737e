//! Integers, faults, control flow.

use proptest::prelude::*;

use super::*;

const EDGES: [i64; 12] = [0, 1, -1, 2, -2, 7, -7, 255, i32::MAX as i64, i32::MIN as i64, i64::MAX, i64::MIN];

pub(super) fn model(op: &str, a: i64, b: i64) -> Option<i64> {
    Some(match op {
        "add" => a.wrapping_add(b),
        "sub" => a.wrapping_sub(b),
        "mul" => a.wrapping_mul(b),
        "divs" if b == 0 => return None,
        "divs" => a.wrapping_div(b),
        "rems" if b == 0 => return None,
        "rems" => a.wrapping_rem(b),
        "divu" => (a as u64).checked_div(b as u64)? as i64,
        "remu" => (a as u64).checked_rem(b as u64)? as i64,
        "and" => a & b,
        "or" => a | b,
        "xor" => a ^ b,
        "shl" => a << (b & 63),
        "shrs" => a >> (b & 63),
        "shru" => (a as u64 >> (b & 63)) as i64,
        "eq" => i64::from(a == b),
        "ne" => i64::from(a != b),
        "lts" => i64::from(a < b),
        "les" => i64::from(a <= b),
        "ltu" => i64::from((a as u64) < b as u64),
        "leu" => i64::from(a as u64 <= b as u64),
        _ => panic!("{op}"),
    })
}

pub(super) const OPS: [&str; 21] = [
    "add", "sub", "mul", "divs", "rems", "divu", "remu", "and", "or", "xor", "shl", "shrs", "shru", "eq",
    "ne", "lts", "les", "ltu", "leu", "eq", "add",
];

#[test]
fn binary_ops_on_edge_values() {
    for op in OPS {
        let mut bench = Bench::new(&one_block(
            "",
            &format!("i0 = builtin arg0\ni1 = builtin arg1\ni2 = {op} i0, i1\nsend $0 = i2\nwork"),
        ));
        for a in EDGES {
            for b in EDGES {
                let expected = match model(op, a, b) {
                    Some(value) => Sent::Ran(vec![Value::Int(value)]),
                    None => Sent::Fault(4, u64::MAX, 2),
                };
                assert_eq!(bench.sent(&TestEvent::args(&[a, b])), expected, "{a} {op} {b}");
            }
        }
    }
}

#[test]
fn binary_ops_with_a_constant_on_either_side() {
    for op in OPS {
        for constant in EDGES {
            let mut right = Bench::rbpf(&one_block(
                "",
                &format!("i0 = builtin arg0\ni1 = {constant}\ni2 = {op} i0, i1\nsend $0 = i2\nwork"),
            ));
            let mut left = Bench::rbpf(&one_block(
                "",
                &format!("i0 = builtin arg0\ni1 = {constant}\ni2 = {op} i1, i0\nsend $0 = i2\nwork"),
            ));
            for value in EDGES {
                for (bench, (a, b)) in [(&mut right, (value, constant)), (&mut left, (constant, value))] {
                    let expected = match model(op, a, b) {
                        Some(value) => Sent::Ran(vec![Value::Int(value)]),
                        None => Sent::Fault(4, u64::MAX, 2),
                    };
                    assert_eq!(bench.sent(&TestEvent::args(&[value])), expected, "{a} {op} {b}");
                }
            }
        }
    }
}

#[test]
fn one_operand_and_extensions() {
    for value in EDGES {
        let of = |op: &str| int(&format!("i0 = builtin arg0\ni1 = {op} i0\nsend $0 = i1\nwork"), &[value]);
        assert_eq!(of("neg"), value.wrapping_neg());
        assert_eq!(of("not"), !value);
        assert_eq!(of("sext8"), i64::from(value as i8));
        assert_eq!(of("zext8"), i64::from(value as u8));
        assert_eq!(of("sext16"), i64::from(value as i16));
        assert_eq!(of("zext16"), i64::from(value as u16));
        assert_eq!(of("sext32"), i64::from(value as i32));
        assert_eq!(of("zext32"), i64::from(value as u32));
    }
}

#[test]
fn branches_follow_their_conditions_fused_or_not() {
    let text = |cond: &str| {
        format!(
            "p0 = probe 1 a:b:c:d\nenable c0 on p0\nclause c0 {{\nb0:\ni0 = builtin arg0\ni1 = 5\n{cond}\n\
             branch i2 ? b1 : b2 merge b3\nb1:\ni3 = 10\ngoto b3\nb2:\ni3 = 20\ngoto b3\n\
             b3:\nsend $0 = i3\nwork\nreturn\n}}\n"
        )
    };
    let mut fused = Bench::new(&text("i2 = lts i0, i1"));
    let mut twice = Bench::new(&text("i2 = lts i0, i1\nsend $1 = i2"));
    for (arg, expected) in [(4, 10), (5, 20), (-1, 10)] {
        let event = TestEvent::args(&[arg]);
        assert_eq!(fused.sent(&event), Sent::Ran(vec![Value::Int(expected)]));
        assert_eq!(twice.sent(&event), Sent::Ran(vec![Value::Int(expected), Value::Int(i64::from(arg < 5))]));
    }
}

#[test]
fn a_clause_without_work_sends_nothing() {
    let mut bench = Bench::new(
        "p0 = probe 1 a:b:c:d\nenable c0 on p0\nclause c0 {\nb0:\ni0 = builtin arg0\n\
         branch i0 ? b1 : b2 merge b2\nb1:\nwork\ngoto b2\nb2:\nreturn\n}\n",
    );
    assert_eq!(bench.fire(&TestEvent::args(&[0])), Vec::<Vec<u8>>::new());
    assert_eq!(bench.sent(&TestEvent::args(&[1])), Sent::Ran(vec![]));
}

#[test]
fn a_shut_gate_stops_everything() {
    use crate::ebpf::control;
    let mut bench = Bench::new(&one_block("", "work"));
    bench.set_control(control::GATE, 0);
    assert_eq!(bench.fire(&TestEvent::default()), Vec::<Vec<u8>>::new());
}

#[test]
fn the_header_tells_the_event() {
    let mut bench = Bench::new(&one_block("", "work"));
    let event = TestEvent { cpu: 1, time: 123_456_789_012, tid: 77, ..TestEvent::default() };
    let record = bench.fire(&event).remove(0);
    let mut expected = Vec::new();
    expected.extend(1u16.to_le_bytes());
    expected.extend(0u16.to_le_bytes());
    expected.extend(0u32.to_le_bytes());
    expected.extend(123_456_789_012u64.to_le_bytes());
    expected.extend((42u64 << 32 | 77).to_le_bytes());
    expected.extend(1u32.to_le_bytes());
    expected.extend(0u32.to_le_bytes());
    expected.extend(1u64.to_le_bytes());
    assert_eq!(record, expected);
}

#[test]
fn integer_builtins() {
    for (name, expected) in [
        ("pid", 42),
        ("tid", 43),
        ("ppid", 7),
        ("uid", 1000),
        ("gid", 1001),
        ("cpu", 1),
        ("timestamp", 1_000_000),
        ("walltimestamp", 1_700_000_000_000_000_000),
        ("errno", 9),
        ("id", 42),
        ("epid", 42 << 32),
        ("ipl", 0),
        ("<task start>", 900_000),
        ("arg0", -3),
        ("arg9", 99),
    ] {
        let mut event = TestEvent { cpu: 1, errno: 9, ..TestEvent::default() };
        event.args[0] = -3;
        event.args[9] = 99;
        let sent = run(&format!("i0 = builtin {name}\nsend $0 = i0\nwork"), &event);
        assert_eq!(sent, Sent::Ran(vec![Value::Int(expected)]), "{name}");
    }
}

#[test]
fn bits_gather_in_the_branch_word() {
    let mut bench = Bench::new(&one_block("", "setbit 0\nsetbit 31\nsetbit 32\nsetbit 63\nwork"));
    let record = bench.fire(&TestEvent::default()).remove(0);
    let at = 32 + bench.plan.clause_layouts[0].bits.unwrap() as usize;
    let word = u64::from_le_bytes(record[at..at + 8].try_into().unwrap());
    assert_eq!(word, 1 | 1 << 31 | 1 << 32 | 1 << 63);
}

#[test]
fn an_attempt_catches_its_faults() {
    let mut bench = Bench::new(
        "p0 = probe 1 a:b:c:d\nenable c0 on p0\nclause c0 {\nb0:\ni0 = builtin arg0\ni3 = 7\n\
         attempt b1 -> $0 merge b2\n\
         b1:\ni1 = 100\ni2 = divs i1, i0 #9\nsend $1 = i2\ngoto b2\n\
         b2:\nsend $2 = i3\nwork\nreturn\n}\n",
    );
    assert_eq!(
        bench.sent(&TestEvent::args(&[7])),
        Sent::Ran(vec![Value::NoFault, Value::Int(14), Value::Int(7)])
    );
    let Sent::Ran(values) = bench.sent(&TestEvent::args(&[0])) else { panic!("it runs on") };
    assert_eq!((&values[0], &values[2]), (&Value::Fault(4, 9, u64::MAX), &Value::Int(7)));
}

#[test]
fn exit_shuts_the_gate_and_skips_later_clauses() {
    use crate::ebpf::control;
    let mut bench = Bench::new(
        "p0 = probe 1 a:b:c:d\nenable c0 on p0\nenable c1 on p0\n\
         clause c0 {\nb0:\ni0 = builtin arg0\nbranch i0 ? b1 : b2 merge b2\nb1:\ncontrol exit i0\nwork\ngoto b2\nb2:\nreturn\n}\n\
         clause c1 {\nb0:\nwork\nreturn\n}\n",
    );
    let record = bench.fire(&TestEvent::args(&[0])).remove(0);
    assert_eq!(Sent::of(&bench.plan, &record, 0), Sent::Nothing);
    assert_eq!(Sent::of(&bench.plan, &record, 1), Sent::Ran(vec![]));
    let record = bench.fire(&TestEvent::args(&[3])).remove(0);
    assert_eq!(Sent::of(&bench.plan, &record, 0), Sent::Ran(vec![]));
    assert_eq!(Sent::of(&bench.plan, &record, 1), Sent::Nothing);
    let words = [control::GATE, control::EXITED, control::STATUS].map(|w| bench.control(w));
    assert_eq!(words, [0, 1, 3]);
    assert_eq!(bench.fire(&TestEvent::args(&[0])), Vec::<Vec<u8>>::new());
}

#[test]
fn a_full_ring_counts_drops() {
    use crate::ebpf::{MapAccess, counter};
    let mut bench = Bench::rbpf(&one_block("", "i0 = builtin arg0\nsend $0 = i0\nwork"));
    let event = TestEvent { cpu: 1, ..TestEvent::args(&[5]) };
    // A record takes 8 bytes of the ring's own and 48 of its own.
    let room = 65536 / 56;
    for _ in 0..room + 3 {
        bench.rbpf.inject(&event.bytes()).unwrap();
    }
    assert_eq!(bench.rbpf.records().len(), room);
    let counters = bench.rbpf.lookup(bench.program.state.counters, &0u32.to_le_bytes()).unwrap();
    let of = |cpu: usize, word: u32| {
        let at = (cpu * counter::WORDS as usize + word as usize) * 8;
        u64::from_le_bytes(counters[at..at + 8].try_into().unwrap())
    };
    assert_eq!([of(0, counter::PRINCIPAL), of(1, counter::PRINCIPAL)], [0, 3]);
}

/// A record that is lost is a drop for each clause that has something in it, faults included (runtime spec §11.2).
#[test]
fn every_clause_of_a_lost_record_is_a_drop() {
    use crate::ebpf::{MapAccess, counter};
    let program = "p0 = probe 42 syscall:vmlinux:read:entry
enable c0 on p0
enable c1 on p0
enable c2 on p0
clause c0 {
b0:
i0 = builtin arg0
send $0 = i0
work
return
}
clause c1 {
b0:
i0 = builtin arg1
i1 = 1
i1 = divu i1, i0
return
}
clause c2 {
b0:
i0 = builtin arg0
return
}
";
    let mut bench = Bench::rbpf(program);
    let mut inject = |args: &[i64], times: usize| {
        for _ in 0..times {
            bench.rbpf.inject(&TestEvent::args(args).bytes()).unwrap();
        }
    };
    // More than the ring holds, of records of one clause; then three with a fault beside it.
    inject(&[5, 1], 2000);
    inject(&[5, 0], 3);
    let sent = bench.rbpf.records().len() as u64;
    let counters = bench.rbpf.lookup(bench.program.state.counters, &0u32.to_le_bytes()).unwrap();
    let at = counter::PRINCIPAL as usize * 8;
    let lost = u64::from_le_bytes(counters[at..at + 8].try_into().unwrap());
    assert!(sent < 2000, "the ring is full before the faults come: {sent}");
    assert_eq!(sent + lost, 2000 + 3 * 2);
}

/// An expression over two arguments, as IR and as its value.
#[derive(Clone, Debug)]
enum Expr {
    Arg(usize),
    Const(i64),
    Binary(usize, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// `None`: a division by zero somewhere.
    fn value(&self, args: &[i64; 2]) -> Option<i64> {
        match self {
            Expr::Arg(i) => Some(args[*i]),
            Expr::Const(value) => Some(*value),
            Expr::Binary(op, a, b) => {
                let (a, b) = (a.value(args)?, b.value(args)?);
                model(OPS[*op], a, b)
            }
        }
    }

    /// Appends its code; gives the register.
    fn code(&self, out: &mut String, next: &mut u32) -> u32 {
        use std::fmt::Write;
        let operands = match self {
            Expr::Binary(_, a, b) => Some((a.code(out, next), b.code(out, next))),
            _ => None,
        };
        let reg = *next;
        *next += 1;
        let _ = match (self, operands) {
            (Expr::Arg(i), _) => writeln!(out, "i{reg} = builtin arg{i}"),
            (Expr::Const(value), _) => writeln!(out, "i{reg} = {value}"),
            (Expr::Binary(op, ..), Some((a, b))) => writeln!(out, "i{reg} = {} i{a}, i{b}", OPS[*op]),
            (Expr::Binary(..), None) => Ok(()),
        };
        reg
    }
}

fn expr() -> impl Strategy<Value = Expr> {
    let edge = prop::sample::select(EDGES.to_vec());
    let leaf = prop_oneof![
        (0..2usize).prop_map(Expr::Arg),
        edge.prop_map(Expr::Const),
        any::<i64>().prop_map(Expr::Const)
    ];
    leaf.prop_recursive(6, 48, 2, |inner| {
        (0..OPS.len(), inner.clone(), inner).prop_map(|(op, a, b)| Expr::Binary(op, Box::new(a), Box::new(b)))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn expressions_have_their_values(expr in expr(), a in any::<i64>(), b in prop::sample::select(EDGES.to_vec())) {
        let (mut body, mut next) = (String::new(), 0);
        let result = expr.code(&mut body, &mut next);
        body.push_str(&format!("send $0 = i{result}\nwork"));
        let mut bench = Bench::rbpf(&one_block("", &body));
        let sent = bench.sent(&TestEvent::args(&[a, b]));
        match expr.value(&[a, b]) {
            Some(value) => prop_assert_eq!(sent, Sent::Ran(vec![Value::Int(value)])),
            None => prop_assert!(matches!(sent, Sent::Fault(4, u64::MAX, _)), "{:?}", sent),
        }
    }
}
