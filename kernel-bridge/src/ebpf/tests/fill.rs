//! `bufpolicy=fill`: programs count what user space will keep of their records, and stop when a buffer has no room.

use dtrail_lang::ir::parse;
use dtrail_lang::plan::{self, Capabilities, PlanOptions};

use super::*;
use crate::ebpf::testing::injected;
use crate::ebpf::{Target, control};

fn bench(text: &str, size: u64) -> Bench {
    let program = parse::program(text).unwrap_or_else(|e| panic!("{e}"));
    let plan = plan::plan(program, Capabilities::BASELINE, &PlanOptions::default())
        .unwrap_or_else(|e| panic!("{e:?}"));
    Bench::of(plan, &Target { fill_size: Some(size), ..injected() })
}

/// What is in the buffers: what programs have counted, by CPU, and whether the gate is open.
fn counted(bench: &mut Bench) -> (u64, u64, u64) {
    let word = bench.program.state.fill.expect("records are counted").word;
    (bench.control(word), bench.control(word + 2), bench.control(control::GATE))
}

/// A row takes 16 bytes, a value 8, a string its bytes too.
#[test]
fn a_record_without_room_shuts_the_gate() {
    let mut bench = bench(
        "p0 = probe 9 syscall:vmlinux:openat:entry source\nk0 = trace in c0 stmt 1 (string)\nk1 = trace in c0 stmt 2 (i64)\n\
         k2 = trace in c1 stmt 1 (i64)\nenable c0 on p0\nenable c1 on p0\n\
         clause c0 {\nb0:\n s0 = builtin execname\n record k0 (s0)\n i1 = builtin arg0\n branch i1 ? b1 : b2 merge b2\n\
         b1:\n record k1 (i1)\n goto b2\nb2:\n return\n}\n\
         clause c1 {\nb0:\n i0 = builtin arg1\n branch i0 ? b1 : b2 merge b2\nb1:\n record k2 (i0)\n goto b2\nb2:\n return\n}\n",
        150,
    );
    let mut fire = |cpu, args: &[i64]| {
        let records = bench.fire(&TestEvent { cpu, comm: "four", ..TestEvent::args(args) });
        (records.len(), counted(&mut bench))
    };
    assert_eq!(fire(0, &[0, 0]), (1, (28, 0, 1)), "a row of a string of four bytes");
    assert_eq!(fire(0, &[1, 0]), (1, (64, 0, 1)), "with an integer");
    assert_eq!(fire(1, &[1, 1]), (1, (64, 60, 1)), "another clause has a row of its own");
    assert_eq!(fire(0, &[1, 1]), (1, (124, 60, 1)));
    assert_eq!(
        fire(0, &[0, 0]),
        (1, (124, 60, 0)),
        "152 bytes do not fit: the record is sent, and the last one"
    );
    assert_eq!(fire(1, &[0, 0]), (0, (124, 60, 0)), "no CPU traces any more");
}

/// A buffer is filled to its last byte.
#[test]
fn what_just_fits_is_kept() {
    let text = "p0 = probe 9 syscall:vmlinux:openat:entry source\nk0 = trace in c0 stmt 1 (i64)\nenable c0 on p0\n\
                clause c0 {\nb0:\n i0 = builtin arg0\n record k0 (i0)\n return\n}\n";
    for (size, fit) in [(47, 1), (48, 2), (49, 2)] {
        let mut bench = bench(text, size);
        for _ in 0..fit {
            bench.fire(&TestEvent::default());
            assert_eq!(bench.control(control::GATE), 1, "{size}");
        }
        bench.fire(&TestEvent::default());
        assert_eq!(bench.control(control::GATE), 0, "{size}");
    }
}

/// A string that user space makes has a length that the kernel does not know: nothing is counted.
#[test]
fn what_user_space_decides_is_left_to_it() {
    let mut bench = bench(
        "p0 = probe 9 syscall:vmlinux:openat:entry source\nk0 = trace in c0 stmt 1 (string)\nenable c0 on p0\n\
         clause c0 {\nb0:\n s0 = builtin execname\n s1 = call toupper(s0)\n s2 = call strtok(s1, s0)\n record k0 (s2)\n return\n}\n",
        16,
    );
    for _ in 0..3 {
        assert_eq!(bench.fire(&TestEvent::default()).len(), 1);
    }
    assert_eq!(counted(&mut bench), (0, 0, 1));
}

/// The parts of a probe's name are as long as they are, where all probes of a clause agree.
#[test]
fn names_of_probes_are_known() {
    let text = |second: &str| {
        format!(
            "p0 = probe 9 syscall:vmlinux:read:entry source\np1 = probe 10 syscall:vmlinux:{second}:entry source\n\
             k0 = trace in c0 stmt 1 (string)\nenable c0 on p0, p1\n\
             clause c0 {{\nb0:\n s0 = builtin probefunc\n record k0 (s0)\n return\n}}\n"
        )
    };
    for (second, bytes) in [("open", 28), ("openat", 0)] {
        let mut bench = bench(&text(second), 1000);
        bench.fire(&TestEvent::default());
        assert_eq!(counted(&mut bench), (bytes, 0, 1), "{second}");
    }
}

/// What the tracer itself recorded is in the same buffers.
#[test]
fn rows_of_the_tracer_count() {
    let text = "p0 = probe 9 syscall:vmlinux:openat:entry source\nk0 = trace in c0 stmt 1 (i64)\nenable c0 on p0\n\
                clause c0 {\nb0:\n i0 = builtin arg0\n record k0 (i0)\n return\n}\n";
    let mut bench = bench(text, 100);
    let word = bench.program.state.fill.expect("records are counted").word;
    bench.set_control(word + 1, 77);
    bench.fire(&TestEvent::default());
    assert_eq!(counted(&mut bench), (0, 0, 0), "77 and 24 are more than 100");
}
