//! What a file says, and what is wrong with bad ones.

use super::*;
use proptest::prelude::*;

fn file(text: &str) -> EventFile {
    EventFile::parse(text).unwrap_or_else(|e| panic!("{e}"))
}

fn events(text: &str) -> Vec<SyntheticEvent> {
    file(text)
        .steps
        .into_iter()
        .filter_map(|step| match step {
            Step::Fire(event) => Some(*event),
            Step::Pass(_) | Step::Appear(..) => None,
        })
        .collect()
}

/// One line of the facts of an event, for comparison by eye.
fn show(event: &SyntheticEvent) -> String {
    let SyntheticEvent {
        probe, time, wall, task, cpu, errno, args, memory, kernel_stack, user_stack, ..
    } = event;
    let last = args.iter().rposition(|&arg| arg != 0).map_or(0, |i| i + 1);
    let stacks = match (kernel_stack.len(), user_stack.len()) {
        (0, 0) => String::new(),
        (kernel, user) => format!(" s{kernel}/{user}"),
    };
    format!(
        "{time} {wall} {}:{}:{}:{} {}/{} {} {}:{} {} {} cpu{cpu} {:?} e{errno} m{}{stacks}",
        probe.provider,
        probe.module,
        probe.function,
        probe.name,
        task.pid,
        task.tid,
        task.ppid,
        task.uid,
        task.gid,
        String::from_utf8_lossy(&task.execname),
        task.start,
        &args[..last],
        memory.len(),
    )
}

fn check(text: &str, expected: &[&str]) {
    let got: Vec<String> = events(text).iter().map(show).collect();
    assert_eq!(got, expected, "{text}");
}

#[test]
fn a_whole_file() {
    let text = r#"
# Two reads, the second fails.
start 1s
wall 1700000000s
target 100
cpus 4
tracer pid=7 tid=7 execname=dtrail uid=3 cpu=1
memory 0x7f00 "path\0" ff zero=2
thread 100 ppid=50 uid=1000 gid=100 execname="a cat" start=5ms cpu=2
at 1000001us syscall::read:entry args=3,0x7f00,64
at +1us      syscall::read:return ret=64
at +1us      read:entry args=3,0,64 cpu=0     # another CPU
at +1us      syscall:vmlinux:read:return ret=-14
at 2s
"#;
    check(
        text,
        &[
            "1000001000 1700000000000001000 syscall:vmlinux:read:entry 100/100 50 1000:100 a cat 5000000 cpu2 [3, 32512, 64] e0 m1",
            "1000002000 1700000000000002000 syscall:vmlinux:read:return 100/100 50 1000:100 a cat 5000000 cpu2 [64, 64] e0 m1",
            "1000003000 1700000000000003000 syscall:vmlinux:read:entry 100/100 50 1000:100 a cat 5000000 cpu0 [3, 0, 64] e0 m1",
            "1000004000 1700000000000004000 syscall:vmlinux:read:return 100/100 50 1000:100 a cat 5000000 cpu2 [-14, -14] e14 m1",
        ],
    );
    let file = file(text);
    assert_eq!(
        (file.start, file.wall, file.cpus, file.tracer_cpu),
        (1_000_000_000, 1_700_000_000_000_000_000, 4, 1)
    );
    assert_eq!(
        file.tracer,
        TaskInfo { pid: 7, tid: 7, uid: 3, execname: b"dtrail".to_vec(), ..TaskInfo::default() }
    );
    assert_eq!(file.environment.macro_variable("target"), Some(100));
    assert_eq!(file.environment.macro_variable("pid"), Some(7));
    assert_eq!(file.steps.last(), Some(&Step::Pass(2_000_000_000)));
    let Step::Fire(first) = &file.steps[0] else { panic!("an event") };
    let page = &first.memory[0];
    assert_eq!((page.addr, &page.bytes[0xf00..0xf08]), (0x7000, &b"path\0\xff\0\0"[..]));
}

#[test]
fn the_example_of_the_documentation() {
    let page = include_str!("../../../../docs/synthetic.md");
    let example = page.split("```").nth(1).expect("an example");
    check(
        example,
        &[
            "1001000000 1700000000001000000 syscall:vmlinux:openat:entry 100/100 50 1000:1000 cat 5000000 cpu0 \
             [-100, 139637976731648] e0 m1",
            "1001003000 1700000000001003000 syscall:vmlinux:openat:return 100/100 50 1000:1000 cat 5000000 cpu0 \
             [3, 3] e0 m1",
            "1001013000 1700000000001013000 syscall:vmlinux:read:entry 100/100 50 1000:1000 cat 5000000 cpu1 \
             [3, 139637976735744, 4096] e0 m1",
            "1001015000 1700000000001015000 syscall:vmlinux:read:return 100/100 50 1000:1000 cat 5000000 cpu1 \
             [-4, -4] e4 m1",
        ],
    );
}

#[test]
fn threads_and_attributes() {
    check(
        "at 1 syscall::getpid:entry tid=9\n\
         thread 9 pid=8 execname=x\n\
         thread 5\n\
         at 2 syscall::getpid:entry\n\
         at 3 syscall::getpid:entry tid=9 uid=4\n\
         at 4 syscall::getpid:entry tid=9\n\
         thread 9 execname=y\n\
         at 5 syscall::getpid:entry arg9=-1 errno=2\n",
        &[
            "1 1 syscall:vmlinux:getpid:entry 9/9 1 0:0  0 cpu0 [] e0 m0",
            "2 2 syscall:vmlinux:getpid:entry 5/5 1 0:0  0 cpu0 [] e0 m0",
            "3 3 syscall:vmlinux:getpid:entry 8/9 1 4:0 x 0 cpu0 [] e0 m0",
            "4 4 syscall:vmlinux:getpid:entry 8/9 1 0:0 x 0 cpu0 [] e0 m0",
            "5 5 syscall:vmlinux:getpid:entry 8/9 1 0:0 y 0 cpu0 [0, 0, 0, 0, 0, 0, 0, 0, 0, -1] e2 m0",
        ],
    );
}

#[test]
fn declared_and_on_demand_probes() {
    let text = "probe sdt:sched::wakeup int \"char * user\"\nat 1 wakeup tid=1 args=5\nat 2 profile-333 tid=1 cpu=3\n";
    check(
        text,
        &[
            "1 1 sdt:sched::wakeup 1/1 1 0:0  0 cpu0 [5] e0 m0",
            "2 2 profile:::profile-333 1/1 1 0:0  0 cpu3 [] e0 m0",
        ],
    );
    let file = file(text);
    assert_eq!(file.cpus, 4);
    let found = file.environment.match_probes(&description(&["sdt", "", "", "wakeup"])).expect("declared");
    let args: Vec<(&str, bool)> = found[0].args.iter().map(|arg| (&*arg.ty, arg.userland)).collect();
    assert_eq!(args, [("int", false), ("char *", true)]);
}

#[test]
fn memory_changes_between_events() {
    let events = events(
        "memory 16 \"ab\"\nat 1 getpid:entry tid=1\nat 2 getpid:entry tid=1\nmemory 17 63\nat 3 getpid:entry tid=1\n\
         unmap 16 2\nat 4 getpid:entry tid=1\n",
    );
    let bytes: Vec<Option<&[u8]>> =
        events.iter().map(|e| e.memory.first().map(|page| &page.bytes[16..18])).collect();
    assert_eq!(bytes, [Some(&b"ab"[..]), Some(b"ab"), Some(b"ac"), None]);
    assert!(std::sync::Arc::ptr_eq(&events[0].memory, &events[1].memory));
}

#[test]
fn integers() {
    for (text, expected) in [
        ("0", Some(0)),
        ("-1", Some(-1)),
        ("0xffffffffffffffff", Some(-1)),
        ("18446744073709551615", Some(-1)),
        ("-9223372036854775808", Some(i64::MIN)),
        ("-9223372036854775809", None),
        ("-0x10", Some(-16)),
        ("18446744073709551616", None),
        ("+1", None),
        ("--1", None),
        ("", None),
        ("0x", None),
        ("1e3", None),
    ] {
        assert_eq!(parse_int(text), expected, "{text}");
    }
}

#[test]
fn errors() {
    for (text, expected) in [
        ("bogus 1", "line 1, column 1: unknown keyword `bogus`"),
        ("start", "line 1, column 6: expected a time, found the end of the line"),
        ("start 1hz", "line 1, column 7: expected a time, found `1hz`"),
        ("start 1s 2s", "line 1, column 10: expected the end of the line, found `2s`"),
        ("at 1\nstart 2", "line 2, column 7: `start` must stand before the first `at`"),
        ("at 1\nprobe a:b:c:d", "line 2, column 7: `probe` must stand before the first `at`"),
        ("start 5\nat 4", "line 2, column 4: time goes back: 4 ns after 5 ns"),
        ("at +x", "line 1, column 4: expected a time, found `+x`"),
        ("at 9223372036854775807\nat +1", "line 2, column 4: expected a time, found `+1`"),
        (
            "at 1 syscall::reed:entry tid=1",
            "line 1, column 6: no probe `syscall::reed:entry`; did you mean read?",
        ),
        ("at 1 syscall::read: tid=1", "line 1, column 6: `syscall::read:` names 2 probes, expected one"),
        ("at 1 a:b:c:d:e", "line 1, column 6: `a:b:c:d:e` has more than four components"),
        ("at 1 BEGIN tid=1", "line 1, column 6: `BEGIN` cannot be made up: dtrail fires it itself"),
        ("at 1 tick-1s tid=1", "line 1, column 6: `tick-1s` cannot be made up: dtrail fires it itself"),
        ("at 1 fbt::x:entry tid=1", "line 1, column 6: provider `fbt` is not supported yet"),
        ("at 1 read:entry", "line 1, column 6: whose event? give tid=N, or a `thread` line before"),
        ("at 1 read:entry tid=1 x", "line 1, column 23: expected key=value, found `x`"),
        ("at 1 read:entry tid=1 x=1", "line 1, column 23: unknown attribute `x`"),
        ("thread 1 uregs=R_RDI", "line 1, column 16: expected R_NAME:INTEGER, found `R_RDI`"),
        ("thread 1 uregs=R_RDI:1,RSI:2", "line 1, column 16: expected R_NAME:INTEGER, found `RSI:2`"),
        ("at 1 read:entry tid=1 tid=2", "line 1, column 23: `tid` given twice"),
        ("at 1 read:entry tid=-1", "line 1, column 21: expected a number from 0 to 2147483647, found `-1`"),
        ("at 1 read:entry tid=1 args=1,,2", "line 1, column 28: expected an integer, found ``"),
        ("at 1 read:entry tid=1 args=1,2,3,4,5,6,7,8,9,10,11", "line 1, column 28: at most 10 arguments"),
        ("at 1 read:entry tid=1 cpu=1024", "line 1, column 27: expected a CPU from 0 to 1023"),
        (
            "thread 1 execname=0123456789abcdef",
            "line 1, column 19: a command name has at most 15 bytes and no NUL",
        ),
        ("cpus 0", "line 1, column 6: expected a number of CPUs from 1 to 1024"),
        ("memory 1", "line 1, column 8: no bytes after the address"),
        (
            "memory 1 xyz",
            "line 1, column 10: expected two hexadecimal digits, a string or zero=N, found `xyz`",
        ),
        ("memory 1 zero=99999999999", "line 1, column 10: expected zero=N with at most 16777216 bytes"),
        (
            "memory 0x800000000000 00",
            "line 1, column 8: no machine has memory between 0x800000000000 and 0xffff800000000000",
        ),
        ("memory 1 \"abc", "line 1, column 10: a string without its closing quote"),
        (
            "probe a:b:c",
            "line 1, column 7: a declared probe needs all four components, provider:module:function:name",
        ),
        ("probe :b:c:d", "line 1, column 7: a declared probe needs a provider and a name, without wildcards"),
        (
            "probe syscall:vmlinux:read:entry",
            "line 1, column 7: probe `syscall:vmlinux:read:entry` exists already",
        ),
        ("probe a:::b\nprobe a:::b", "line 2, column 7: probe `a:::b` exists already"),
        ("probe a:m:f:b\nprobe a:m:f:b", "line 2, column 7: probe `a:m:f:b` exists already"),
        // An empty component stands for any.
        ("probe a:m:f:b\nprobe a::f:b", "line 2, column 7: probe `a::f:b` exists already"),
        ("probe a:m:f:b\nprobe a:::b", "line 2, column 7: probe `a:::b` exists already"),
    ] {
        let got = EventFile::parse(text).map(|_| ()).map_err(|e| e.to_string());
        assert_eq!(got, Err(expected.to_owned()), "{text}");
    }
}

/// Twenty thousand declarations, each compared with all before it, would take minutes; they take a fraction of a second.
#[test]
fn many_probes_are_declared_in_linear_time() {
    let text: String = (0..20_000).map(|n| format!("probe sdt:many:f{n}:hit \"int\"\n")).collect();
    let began = std::time::Instant::now();
    let file = file(&text);
    let took = began.elapsed();
    let last = description(&["sdt", "many", "f19999", "hit"]);
    let found = file.environment.match_probes(&last).expect("the last one");
    assert_eq!(found.iter().map(|probe| &*probe.function).collect::<Vec<_>>(), ["f19999"]);
    assert!(took.as_secs() < 20, "{took:?}");
}

/// Ten thousand events of as many probes: each is found without a look at all the others.
#[test]
fn events_of_many_probes_are_read_in_linear_time() {
    let declared = (0..10_000).map(|n| format!("probe sdt:many:f{n}:hit\n"));
    let events = (0..10_000).map(|n| format!("at +1 sdt:many:f{n}:hit\n"));
    let text: String = declared.chain(["thread 1\n".to_owned()]).chain(events).collect();
    let began = std::time::Instant::now();
    let file = file(&text);
    assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
    let Some(Step::Fire(last)) = file.steps.last() else { panic!("an event") };
    assert_eq!((last.time, &*last.probe.function), (10_000, "f9999"));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*") {
        let _ = EventFile::parse(&text);
    }

    #[test]
    fn any_words_are_read_or_refused(lines in prop::collection::vec(
        prop::collection::vec(
            prop::sample::select(vec![
                "start", "wall", "target", "cpus", "tracer", "thread", "probe", "memory", "unmap", "at", "+1", "1s", "0",
                "18446744073709551615", "0xffffffffffffffff", "-1", "tid=1", "cpu=5", "args=1,2", "ret=-9223372036854775808",
                "syscall::read:entry", "read:return", "tick-1s", "profile-97", "a:b:c:d", "\"x\\0\"", "ff", "zero=16", "#",
                "execname=\"a b\"", "start=9223372036854775807ns",
            ]), 0..6), 0..8))
    {
        let text: Vec<String> = lines.iter().map(|words| words.join(" ")).collect();
        let _ = EventFile::parse(&text.join("\n"));
    }
}

#[test]
fn registers_stay_until_they_change() {
    let text = "
thread 1 uregs=R_R15:-1,R_RDI:2
at 1 read:entry uregs=R_RDI:0x10,R_GS:5
at 2 read:entry
thread 1 uregs=R_PC:7
at 3 read:entry
at 3 read:entry tid=2
";
    let registers: Vec<Vec<(usize, u64)>> = events(text)
        .iter()
        .map(|event| event.registers.iter().copied().enumerate().filter(|&(_, value)| value != 0).collect())
        .collect();
    let first = (0, u64::MAX);
    let expected =
        [vec![first, (14, 16), (24, 5)], vec![first, (14, 2)], vec![first, (14, 2), (16, 7)], vec![]];
    assert_eq!(registers, expected);
}
