//! Loads, stores, `copyin`.

use dtrail_lang::builtins::paths::PathPlaces;

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

/// A made-up file system: `/mnt` is a mount, whose file `sub/file` is asked for. An entry has its parent at 8 and its name's
/// address at 16; a mount its parent at 0, what it is mounted on at 8, and what paths point to at 16.
mod tree {
    pub(super) const PLACES: PathPlaces = PathPlaces {
        parent: 8,
        name: 16,
        mount: 16,
        mount_parent: 0,
        mountpoint: 8,
        fs_root: 8,
        of_mount: false,
    };
    pub(super) const KERNEL: u64 = 0xffff_8880_0000_0000;
    pub(super) const ENTRIES: u64 = KERNEL + 0x1000;
    pub(super) const MOUNTS: u64 = KERNEL + 0x2000;
    pub(super) const PATHS: u64 = KERNEL + 0x3000;

    use dtrail_lang::builtins::paths::PathPlaces;

    /// The entries by number: parent, name.
    pub(super) const FILES: [(u64, &str); 6] =
        [(0, "/"), (0, "mnt"), (2, "/"), (2, "sub"), (3, "file"), (5, "[pipe]")];

    pub(super) fn entry(number: u64) -> u64 {
        ENTRIES + 64 * number
    }

    /// What a path points to of a mount.
    pub(super) fn mount(number: u64) -> u64 {
        MOUNTS + 64 * number + 16
    }

    pub(super) fn words(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

#[test]
fn paths_cross_mounts_and_end_at_the_root() {
    use tree::{ENTRIES, FILES, MOUNTS, PATHS, PLACES, entry, mount, words};
    let mut memory: Vec<(u64, Vec<u8>)> = Vec::new();
    for (number, (parent, name)) in (0u64..).zip(FILES) {
        let at = entry(number);
        memory.push((at, words(&[0, entry(parent), at + 24])));
        memory.push((at + 24, [name.as_bytes(), b"\0"].concat()));
    }
    // The mount of the root is its own parent, on whatever; the other is on entry 1, with entry 2 as its root.
    for (number, parent, on, root) in [(0, 0, 0, 0), (1, 0, 1, 2)] {
        memory.push((MOUNTS + 64 * number, words(&[mount(parent) - 16, entry(on), entry(root)])));
    }
    let paths = [(1, 4), (1, 2), (0, 0), (0, 1), (1, 3), (0, 5), (0, 99)];
    for (number, (of, at)) in (0u64..).zip(paths) {
        memory.push((PATHS + 16 * number, words(&[mount(of), entry(at)])));
    }
    // What a task keeps: where the root lies behind, and the path of it there.
    for number in 0..5u64 {
        memory.push((PATHS + 0x800 + 8 * number, words(&[PATHS + 16 * number - 8])));
    }
    // What is at 99 can be read, and its parent cannot.
    memory.push((entry(99), words(&[0, 16, 16])));
    let kernel: Vec<(u64, &[u8])> = memory.iter().map(|(at, bytes)| (*at, &bytes[..])).collect();
    let path = |number: u64| PATHS + 16 * number;
    let of_task = |number: u64| PATHS + 0x800 + 8 * number;
    let packed = PLACES.packed().expect("all are small");
    let of_mount = PathPlaces { of_mount: true, ..PLACES }.packed().expect("all are small");
    let text = |text: &str| Sent::Ran(vec![Value::Str(text.to_owned())]);
    for (places, addr, root, expected) in [
        (packed, path(0), of_task(2), text("/mnt/sub/file")),
        (packed, path(1), of_task(2), text("/mnt")),
        (packed, path(2), of_task(2), text("/")),
        (packed, path(3), of_task(2), text("/mnt")),
        // Seen from a root further down, and from none.
        (packed, path(0), of_task(4), text("/file")),
        (packed, path(0), 0, text("/mnt/sub/file")),
        (packed, path(5), of_task(2), text("[pipe]")),
        (of_mount, mount(1), of_task(2), text("/mnt")),
        (of_mount, mount(0), of_task(2), text("/")),
        (packed, path(6), of_task(2), Sent::Fault(1, path(6), 3)),
        (packed, 16, of_task(2), Sent::Fault(1, 16, 3)),
        (packed, ENTRIES + 0x900, of_task(2), Sent::Fault(1, ENTRIES + 0x900, 3)),
    ] {
        let mut bench = Bench::rbpf(&one_block(
            "",
            &format!(
                "i0 = builtin arg0\ni1 = builtin arg1\ni2 = {places}\ns0 = call <path>(i0, i1, i2)\nsend $0 = s0\nwork"
            ),
        ));
        bench.memory(&[], &kernel);
        let sent = bench.sent(&TestEvent::args(&[addr as i64, root as i64]));
        assert_eq!(sent, expected, "{addr:#x} from {root:#x}");
    }
}

#[test]
fn paths_that_are_too_long_lose_their_beginning() {
    use tree::{KERNEL, PATHS, PLACES, words};
    let at = |number: u64| KERNEL + 64 * number;
    // Forty names, one in the other, under an entry that is the root of the only mount.
    let mut memory: Vec<(u64, Vec<u8>)> = vec![(KERNEL + 0x2800, words(&[KERNEL + 0x2800, 0, at(0)]))];
    for number in 0..=40u64 {
        memory.push((at(number), words(&[0, at(number.saturating_sub(1)), at(number) + 24])));
        memory.push((at(number) + 24, format!("{number:03}\0").into_bytes()));
    }
    memory.push((PATHS, words(&[KERNEL + 0x2810, at(40)])));
    let kernel: Vec<(u64, &[u8])> = memory.iter().map(|(at, bytes)| (*at, &bytes[..])).collect();
    let mut bench = Bench::rbpf(&one_block(
        "",
        &format!(
            "i0 = builtin arg0\ni1 = 0\ni2 = {}\ns0 = call <path>(i0, i1, i2)\nsend $0 = s0\nwork",
            PLACES.packed().expect("all are small")
        ),
    ));
    bench.memory(&[], &kernel);
    let expected: String = (9..=40).map(|number| format!("/{number:03}")).collect();
    let sent = bench.sent(&TestEvent::args(&[PATHS as i64]));
    assert_eq!(sent, Sent::Ran(vec![Value::Str(format!("...{expected}"))]));
}
