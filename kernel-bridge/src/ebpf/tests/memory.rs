//! Loads, stores, `copyin`.

use super::*;

const AT: u64 = 0x2000_0000;
const SCRATCH: u64 = 0x00d0_0000_0000_0000;

#[test]
fn loads_extend_as_asked() {
    for (how, expected) in [
        ("u8", 0x88),
        ("i8", -0x78),
        ("u16", 0x9988),
        ("i16", -0x6678),
        ("u32", 0xbbaa_9988),
        ("i32", i64::from(0xbbaa_9988u32 as i32)),
        ("u64", 0xffee_ddcc_bbaa_9988u64 as i64),
        ("i64", 0xffee_ddcc_bbaa_9988u64 as i64),
    ] {
        let mut bench = Bench::new(&one_block(
            "",
            &format!("i0 = builtin arg0\ni1 = load {how} user [i0]\nsend $0 = i1\nwork"),
        ));
        bench.memory(&[(AT, &[0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff])], &[]);
        let sent = bench.sent(&TestEvent::args(&[AT as i64]));
        assert_eq!(sent, Sent::Ran(vec![Value::Int(expected)]), "{how}");
    }
}

#[test]
fn unreadable_addresses_fault_with_the_address() {
    for space in ["user", "any"] {
        let text =
            one_block("", &format!("i0 = builtin arg0\ni1 = load u64 {space} [i0]\nsend $0 = i1\nwork"));
        let mut bench = Bench::new(&text);
        for addr in [0u64, 16, u64::MAX, u64::MAX - 7, 1 << 47, SCRATCH] {
            let sent = bench.sent(&TestEvent::args(&[addr as i64]));
            assert_eq!(sent, Sent::Fault(1, addr, 1), "{space} {addr:#x}");
        }
    }
}

#[test]
fn copyin_memory_is_read_and_written() {
    let mut bench = Bench::new(&one_block(
        "",
        "i0 = builtin arg0\ni1 = 12\ni2 = call copyin(i0, i1)\ni3 = 4\ni4 = add i2, i3\n\
         i5 = load u32 scratch [i4]\ni6 = 119\nstore u8 [i4] = i6\ns0 = loadstr scratch [i2] limit 256\n\
         i7 = call copyin(i0, i3)\ni8 = sub i7, i2\ns1 = loadstr scratch [i7] limit 3\n\
         send $0 = i2\nsend $1 = i5\nsend $2 = s0\nsend $3 = i8\nsend $4 = s1\nwork",
    ));
    bench.memory(&[(AT, b"abcdefghijkl")], &[]);
    let sent = bench.sent(&TestEvent::args(&[AT as i64]));
    let expected = vec![
        Value::Int(SCRATCH as i64),
        Value::Int(i64::from(u32::from_le_bytes(*b"efgh"))),
        Value::Str("abcdwfghijkl".to_owned()),
        Value::Int(16),
        Value::Str("abc".to_owned()),
    ];
    assert_eq!(sent, Sent::Ran(expected));
}

#[test]
fn copyin_sizes_are_checked() {
    let mut bench = Bench::new(&one_block(
        "",
        "i0 = builtin arg0\ni1 = builtin arg1\ni2 = builtin arg2\ni3 = call copyin(i0, i1) #10\n\
         i4 = call copyin(i0, i2) #11\nsend $0 = i4\nwork",
    ));
    bench.memory(&[(AT, &[7; 512])], &[]);
    let mut sent = |first: i64, second: i64| bench.sent(&TestEvent::args(&[AT as i64, first, second]));
    assert_eq!(sent(1, 1), Sent::Ran(vec![Value::Int(SCRATCH as i64 + 8)]));
    assert_eq!(sent(0, 256), Sent::Ran(vec![Value::Int(SCRATCH as i64)]));
    assert_eq!(sent(257, 0), Sent::Fault(10, 257, 10));
    assert_eq!(sent(-1, 0), Sent::Fault(10, u64::MAX, 10));
    assert_eq!(sent(256, 1), Sent::Fault(5, u64::MAX, 11));
    assert_eq!(sent(249, 0), Sent::Ran(vec![Value::Int(SCRATCH as i64 + 256)]), "nothing fits anywhere");
    assert_eq!(sent(8, 249), Sent::Fault(5, u64::MAX, 11), "a block takes whole words");
    assert_eq!(bench.sent(&TestEvent::args(&[16, 8, 0])), Sent::Fault(1, 16, 10));
}

#[test]
fn accesses_stay_within_what_is_allocated() {
    let mut bench = Bench::new(&one_block(
        "",
        "i0 = builtin arg0\ni1 = 16\ni2 = call copyin(i0, i1)\ni3 = builtin arg1\ni4 = add i2, i3\n\
         i5 = load u32 scratch [i4] #20\nstore u32 [i4] = i5\nsend $0 = i5\nwork",
    ));
    bench.memory(&[(AT, &[1; 16])], &[]);
    for at in [0, 1, 12] {
        let sent = bench.sent(&TestEvent::args(&[AT as i64, at]));
        assert_eq!(sent, Sent::Ran(vec![Value::Int(0x0101_0101)]), "{at}");
    }
    for at in [13, 16, 252, 256, -1, i64::MIN, i64::MAX] {
        let addr = SCRATCH.wrapping_add(at as u64);
        assert_eq!(bench.sent(&TestEvent::args(&[AT as i64, at])), Sent::Fault(1, addr, 20), "{at}");
    }
}

#[test]
fn an_attempt_gives_its_memory_back() {
    let mut bench = Bench::new(
        "p0 = probe 1 a:b:c:d\nenable c0 on p0\nclause c0 {\nb0:\ni0 = builtin arg0\ni1 = 200\n\
         attempt b1 -> $0 merge b2\nb1:\ni2 = call copyin(i0, i1)\ni3 = builtin arg1\ni4 = load u8 user [i3] #30\n\
         goto b2\nb2:\ni5 = call copyin(i0, i1) #31\nsend $1 = i5\nwork\nreturn\n}\n",
    );
    bench.memory(&[(AT, &[1; 256])], &[]);
    let block = Value::Int(SCRATCH as i64);
    assert_eq!(
        bench.sent(&TestEvent::args(&[AT as i64, AT as i64])),
        Sent::Ran(vec![Value::NoFault, block.clone()])
    );
    assert_eq!(bench.sent(&TestEvent::args(&[AT as i64, 5])), Sent::Ran(vec![Value::Fault(1, 30, 5), block]));
}
