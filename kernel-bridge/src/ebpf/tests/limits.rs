//! Where the emitter meets what the kernel gives: stack, scratch memory, the verifier's patience.

use std::fmt::Write;

use super::*;
use crate::ebpf::testing::{injected, live_target, plan_of, verified};
use crate::ebpf::{EmitError, emit};
use crate::load;
use crate::testing::privileged;

const AT: u64 = 0x2000_0000;

/// The verifier gives up at a million instructions; a program must stay far below.
fn patience(bench: &Bench, most: u32) {
    if let Some(count) = verified(&bench.plan, &bench.program) {
        println!("verified {count} instructions");
        assert!(count <= most, "the verifier went over {count} instructions");
    }
}

#[test]
fn more_values_than_a_frame_holds() {
    let count = 60;
    let mut body = "i0 = builtin arg0\n".to_owned();
    for i in 1..=count {
        let _ = writeln!(body, "i{i} = builtin arg{}", i % 10);
    }
    // A load clobbers what is not saved; then every value is sent.
    body.push_str("i99 = load u8 user [i0]\n");
    for i in 1..=count {
        let _ = writeln!(body, "send ${} = i{i}", i - 1);
    }
    let mut bench = Bench::new(&one_block("", &format!("{body}work")));
    bench.memory(&[(AT, &[1; 8])], &[]);
    let args = [AT as i64, 11, 12, 13, 14, 15, 16, 17, 18, 19];
    let expected = (1..=count).map(|i| Value::Int(args[i % 10])).collect();
    assert_eq!(bench.sent(&TestEvent::args(&args)), Sent::Ran(expected));
}

#[test]
fn long_strings() {
    let body = "i0 = builtin arg0\ns0 = loadstr user [i0] limit 4096\ns1 = call basename(s0)\ns2 = call dirname(s0)\n\
                s3 = \"needle\"\ni1 = call index(s0, s3)\ni2 = streq s0, s2\nsend $0 = s1\nsend $1 = i1\nsend $2 = i2\nwork";
    let mut bench = Bench::new(&one_block("limits strsize 4096 scratchsize 256", body));
    patience(&bench, 300_000);
    let path = format!("{}/needle", "d".repeat(4000));
    let mut bytes = path.clone().into_bytes();
    bytes.resize(8192, 0);
    bench.memory(&[(AT, &bytes)], &[]);
    let expected = vec![Value::Str("needle".into()), Value::Int(4001), Value::Int(0)];
    assert_eq!(bench.sent(&TestEvent::args(&[AT as i64])), Sent::Ran(expected));
}

#[test]
fn strings_that_do_not_fit_are_refused() {
    for strsize in [8 << 20, 1 << 24, u32::MAX] {
        let text = one_block(
            &format!("limits strsize {strsize} scratchsize 256"),
            "i0 = builtin arg0\ns0 = loadstr user [i0] limit 256\ns1 = call strjoin(s0, s0)\nsend $0 = s1\nwork",
        );
        let result = emit(&plan_of(&text), &injected());
        assert!(
            matches!(result, Err(EmitError::Scratch { bytes }) if bytes > 16 << 20),
            "{strsize}: {result:?}"
        );
    }
}

/// What lies beyond the reach of a displacement is read, moved and sent all the same.
#[test]
fn the_longest_strings() {
    let body = "i0 = builtin arg0\ns0 = loadstr user [i0] limit 65536\ns1 = call strjoin(s0, s0)\ni1 = call strlen(s1)\n\
                s2 = call substr(s1, i1)\ni2 = streq s0, s1\ni3 = streq s0, s0\ni4 = strltu s0, s1\n\
                send $0 = s0\nsend $1 = i1\nsend $2 = s2\nsend $3 = i2\nsend $4 = i3\nsend $5 = i4\nwork";
    let mut bench = Bench::new(&one_block("limits strsize 65536 scratchsize 256", body));
    patience(&bench, 500_000);
    let text = "x".repeat(40_000);
    bench.memory(&[(AT, format!("{text}\0").as_bytes())], &[]);
    let expected = vec![
        Value::Str(text),
        Value::Int(65_536),
        Value::Str(String::new()),
        Value::Int(0),
        Value::Int(1),
        Value::Int(1),
    ];
    assert_eq!(bench.sent(&TestEvent::args(&[AT as i64])), Sent::Ran(expected));
}

/// The kernel keeps 64 KiB with a thread.
#[test]
fn variables_of_a_thread_end_where_its_storage_does() {
    let text = |strsize: u32| {
        let body = "i0 = builtin arg0\ns0 = loadstr user [i0] limit 256\nset self->a = s0\nset self->b = s0";
        one_block(
            &format!("limits strsize {strsize} scratchsize 256\nvar self->a: string\nvar self->b: string"),
            body,
        )
    };
    assert!(
        emit(&plan_of(&text(32 << 10)), &injected())
            .is_err_and(|error| error == EmitError::Thread { bytes: 65_560 })
    );
    assert!(emit(&plan_of(&text(31 << 10)), &injected()).is_ok());
}

#[test]
fn many_string_operations_in_one_clause() {
    let mut body = "i0 = builtin arg0\ns0 = loadstr user [i0] limit 256\n".to_owned();
    let mut slot = 0;
    for i in 0..6 {
        let _ = writeln!(
            body,
            "s{0} = call basename(s0)\ns{1} = call dirname(s0)\ns{2} = call strjoin(s{0}, s{1})\ns{3} = \"o/x{i}\"\n\
             i{4} = call index(s{2}, s{3})\ni{5} = strltu s{0}, s{2}\nsend ${6} = s{2}\nsend ${7} = i{4}\nsend ${8} = i{5}",
            10 * i + 101,
            10 * i + 102,
            10 * i + 103,
            10 * i + 104,
            10 * i + 105,
            10 * i + 106,
            slot,
            slot + 1,
            slot + 2
        );
        slot += 3;
    }
    let mut bench = Bench::new(&one_block("", &format!("{body}work")));
    patience(&bench, 150_000);
    bench.memory(&[(AT, b"/usr/lib/x3\0")], &[]);
    let Sent::Ran(values) = bench.sent(&TestEvent::args(&[AT as i64])) else { panic!("it runs") };
    assert_eq!(values[0], Value::Str("x3/usr/lib".into()));
    assert_eq!(values.len(), 18);
}

/// A record may be longer than what the kernel gives a CPU at once, and areas lie far from where it begins.
#[test]
fn a_long_record_of_many_clauses() {
    let (clauses, slots) = (30, 170);
    let mut text = "p0 = probe 1 a:b:c:d\n".to_owned();
    for i in 0..clauses {
        let _ = write!(
            text,
            "enable c{i} on p0\nclause c{i} {{\nb0:\ni0 = builtin arg0\ni1 = {i}\ni2 = add i0, i1\ns3 = builtin execname\n"
        );
        (1..slots).for_each(|slot| {
            let _ = writeln!(text, "send ${slot} = i2");
        });
        text += "send $0 = s3\nwork\nreturn\n}\n";
    }
    let mut bench = Bench::new(&text);
    let records = bench.fire(&TestEvent::args(&[1000]));
    let fixed = 32 + (8 + 8 * slots) * clauses;
    assert_eq!((records.len(), records[0].len()), (1, fixed + 8), "the name is sent once");
    for i in 0..clauses {
        let mut expected = vec![Value::Int(1000 + i as i64); slots];
        expected[0] = Value::Str("bash".into());
        assert_eq!(Sent::of(&bench.plan, &records[0], i), Sent::Ran(expected), "{i}");
    }
}

#[test]
fn many_clauses_with_branches_on_one_probe() {
    let mut text = "p0 = probe 1 a:b:c:d\nagg @a[i64]: quantize\nvar self->t: i64\n".to_owned();
    let clauses = 24;
    for i in 0..clauses {
        let _ = write!(
            text,
            "g{i} = @a in c{i}\nenable c{i} on p0\nclause c{i} {{\nb0:\ni0 = builtin pid\ni1 = {i}\ni2 = ltu i1, i0\n\
             branch i2 ? b1 : b6 merge b6\nb1:\ni3 = builtin timestamp\ni4 = builtin arg0\ni5 = divs i3, i4\n\
             branch i5 ? b2 : b3 merge b4\nb2:\ni6 = get self->t\naggregate g{i} [i1] (i6)\ngoto b4\nb3:\nset self->t = i3\n\
             goto b4\nb4:\ns0 = builtin execname\ns1 = \"bash\"\ni7 = streq s0, s1\nbranch i7 ? b5 : b6 merge b6\n\
             b5:\nsend $0 = s0\nwork\ngoto b6\nb6:\nreturn\n}}\n"
        )
        .map(|()| ());
    }
    // The branch of the predicate and the inner one end in one block each.
    let text = text.replace(
        "branch i7 ? b5 : b6 merge b6\nb5:\nsend $0 = s0\nwork\ngoto b6\n",
        "branch i7 ? b5 : b5 merge b5\nb5:\nsend $0 = s0\nwork\ngoto b6\n",
    );
    let mut bench = Bench::new(&text);
    patience(&bench, 100_000);
    let record = bench.fire(&TestEvent::args(&[7])).remove(0);
    for i in 0..clauses {
        assert_eq!(Sent::of(&bench.plan, &record, i), Sent::Ran(vec![Value::Str("bash".into())]));
    }
    let record = bench.fire(&TestEvent::args(&[0])).remove(0);
    assert_eq!(Sent::of(&bench.plan, &record, 5), Sent::Fault(4, u64::MAX, 5));
}

/// Every hook there is, typed and not, with clauses that share the context.
const HOOKS: &str = "p0 = probe 1 syscall:vmlinux:openat:entry\np1 = probe 2 syscall:vmlinux:openat:return\n\
    p2 = probe 3 syscall:vmlinux:rt_sigreturn:return\np3 = probe 4 proc:vmlinux::exec\n\
    p4 = probe 5 proc:vmlinux::exec-failure\np5 = probe 6 proc:vmlinux::start\np6 = probe 7 proc:vmlinux::create\n\
    p7 = probe 8 proc:vmlinux::exit\np8 = probe 9 profile:::profile-97\np9 = probe 10 proc:vmlinux::exec-success\n\
    p10 = probe 11 syscall:vmlinux:execve:return\n\
    var self->t: i64\nvar self->s: string\nvar x: i64\nagg @a[]: max\ng0 = @a in c0\n\
    enable c0 on p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10\nenable c1 on p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10\n\
    clause c0 {\nb0:\ni0 = builtin arg0\ni1 = builtin arg1\ni2 = builtin ppid\ni3 = builtin errno\ni4 = builtin uid\n\
    i5 = builtin walltimestamp\ni6 = builtin cpu\ni7 = builtin <task start>\ni8 = add i0, i1\naggregate g0 [] (i8)\n\
    set self->t = i5\ns0 = builtin execname\nset self->s = s0\nsend $0 = i2\nsend $1 = i3\nsend $2 = i4\nsend $3 = i6\n\
    send $4 = i7\nwork\nreturn\n}\n\
    clause c1 {\nb0:\ni0 = get self->t\ns0 = get self->s\nset x = i0\nsend $0 = i0\nsend $1 = s0\nwork\nreturn\n}\n";

#[test]
fn every_hook_passes_the_verifier() {
    if !privileged() {
        return;
    }
    for typed in [true, false] {
        let plan = plan_of(HOOKS);
        let (target, types) = live_target(&plan, typed);
        let program = emit(&plan, &target).unwrap_or_else(|e| panic!("{e}"));
        let hooks: Vec<String> =
            program.programs.iter().map(|p| format!("{:?} {}", p.hook, p.typed)).collect();
        assert_eq!(hooks.len(), 6, "{hooks:?}");
        let types = load::types_for(&program, &types).unwrap_or_else(|e| panic!("{e}"));
        load::load(&plan, &program, types.as_ref())
            .unwrap_or_else(|e| panic!("{e}\n{}", crate::ebpf::disasm::program(&program)));
    }
}

#[test]
fn fields_filled_on_some_paths_only() {
    if !privileged() {
        return;
    }
    let fields = ["timestamp", "uid", "cpu", "ppid", "<task start>", "walltimestamp", "gid", "pid"];
    let mut text =
        "p0 = probe 1 syscall:vmlinux:openat:entry\nagg @a[i64, string]: sum\nvar self->t: i64\n".to_owned();
    for i in 0..40 {
        let field = fields[i % fields.len()];
        let _ = write!(
            text,
            "g{i} = @a in c{i}\nenable c{i} on p0\nclause c{i} {{\nb0:\ni0 = builtin arg{}\nbranch i0 ? b1 : b4 merge b4\n\
             b1:\ni1 = builtin {field}\ns0 = builtin execname\naggregate g{i} [i1, s0] (i0)\n\
             branch i1 ? b2 : b3 merge b3\nb2:\nset self->t = i1\ngoto b3\nb3:\nsend $0 = i1\nwork\ngoto b4\nb4:\n\
             return\n}}\n",
            i % 6
        );
    }
    let plan = plan_of(&text);
    for typed in [true, false] {
        let (target, types) = live_target(&plan, typed);
        let program = emit(&plan, &target).unwrap_or_else(|e| panic!("{e}"));
        let types = load::types_for(&program, &types).unwrap_or_else(|e| panic!("{e}"));
        load::load(&plan, &program, types.as_ref()).unwrap_or_else(|e| panic!("{e}"));
    }
}

/// Each walks two stacks and works out their numbers in loops whose ends the verifier must not put off.
#[test]
fn many_clauses_that_take_stacks() {
    if !privileged() {
        return;
    }
    let mut text = "p0 = probe 1 syscall:vmlinux:openat:entry\nagg @a[u64, u64, u64]: count\n".to_owned();
    for i in 0..200 {
        let _ = write!(
            text,
            "g{i} = @a in c{i}\nenable c{i} on p0\nclause c{i} {{\nb0:\ni0 = 20\ni1 = call <stack>(i0)\ni2 = 0\n\
             i3 = call <ustack>(i0, i2)\ni4 = {i}\naggregate g{i} [i1, i3, i4]\nreturn\n}}\n"
        );
    }
    let plan = plan_of(&text);
    let (target, types) = live_target(&plan, true);
    let program = emit(&plan, &target).unwrap_or_else(|e| panic!("{e}"));
    let types = load::types_for(&program, &types).unwrap_or_else(|e| panic!("{e}"));
    load::load(&plan, &program, types.as_ref()).unwrap_or_else(|e| panic!("{e}"));
}

/// Each makes the argument a number that the verifier knows, in one of its arms.
#[test]
fn many_tests_of_one_value_in_one_clause() {
    let (tests, mut body) = (1000, String::new());
    for i in 0..tests {
        let (arm, next) = (2 * i + 1, 2 * i + 2);
        let _ = write!(
            body,
            "i{0} = builtin arg1\ni{1} = {i}\ni{2} = eq i{0}, i{1}\nbranch i{2} ? b{arm} : b{next} merge b{next}\n\
             b{arm}:\nset x = i{1}\ngoto b{next}\nb{next}:\n",
            3 * i,
            3 * i + 1,
            3 * i + 2
        );
    }
    let last = 3 * tests;
    let mut bench =
        Bench::new(&one_block("var x: i64", &format!("{body}i{last} = get x\nsend $0 = i{last}\nwork")));
    patience(&bench, 100_000);
    for arg in [0, 517, 999] {
        assert_eq!(bench.sent(&TestEvent::args(&[0, arg])), Sent::Ran(vec![Value::Int(arg)]));
    }
}
