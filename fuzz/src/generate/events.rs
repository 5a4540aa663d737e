//! Files of made-up events: two threads of one process, a bit of memory, arguments that may point there.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// The probes that the events fire, and those that the tracer does.
pub const PROBES: &[&str] = &[
    "BEGIN",
    "END",
    "ERROR",
    "tick-1ms",
    "syscall::read:entry",
    "syscall::read:entry",
    "syscall::read:return",
    "syscall::write:entry",
];

const MACHINE: &str = "start 1s\nwall 1700000000s\nmemory 0x1000 \"/etc/passwd\\0cat\\0\"\n\
                       thread 101 pid=100 execname=cat start=5ms\nthread 102 pid=100 execname=worker start=6ms cpu=1\n";

fn event() -> impl Strategy<Value = String> {
    let probe = select(vec!["syscall::read:entry", "syscall::read:return", "syscall::write:entry"]);
    let argument = prop_oneof![
        4 => -3_i64..9,
        3 => 0x0ff0_i64..0x1014,
        1 => any::<i64>(),
    ];
    (select(vec![101, 102]), 1_u32..900_000, probe, vec(argument, 0..4)).prop_map(
        |(tid, later, probe, args)| {
            let args: Vec<String> = args.iter().map(i64::to_string).collect();
            let args = if args.is_empty() { String::new() } else { format!(" args={}", args.join(",")) };
            format!("at +{later}ns {probe} tid={tid}{args}\n")
        },
    )
}

/// A file.
pub fn file() -> impl Strategy<Value = String> {
    vec(event(), 0..8).prop_map(|events| format!("{MACHINE}{}", events.concat()))
}
