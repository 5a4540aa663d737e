//! What a probe adds to a system call, beside hand-written code on the same hook. Ignored: run it by hand, as root, with
//! `cargo nextest run -p dtrail-kernel-bridge speed --run-ignored all --no-capture`.

#![allow(unsafe_code, reason = "the clock of a thread, and a system call that std does not make")]

use std::time::Duration;

use dtrail_lang::plan::KeyPart;

use crate::ebpf::asm::{Alu, Asm, FP, Jmp, R0, R1, R2, R3, R4, R6, R7, R8, R9, Size};
use crate::ebpf::testing::{live_target, plan_of};
use crate::ebpf::{
    Code, EbpfProgram, Hook, MapAccess, MapKind, MapSpec, ProgramSpec, StateLayout, control, emit, helper,
};
use crate::load::{self, Loaded};
use crate::maps::KernelMaps;
use crate::testing::{bare_plan, privileged};

const CALLS: u32 = 300_000;
const REPETITIONS: usize = 9;

/// CPU time of this thread.
fn cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes the structure it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Nanoseconds of one cheap call, at best.
fn per_call() -> f64 {
    let once = || {
        let start = cpu_time();
        for _ in 0..CALLS {
            // SAFETY: the call has no arguments and no effect.
            unsafe { libc::syscall(libc::SYS_getppid) };
        }
        (cpu_time() - start).as_nanos() as f64 / f64::from(CALLS)
    };
    (0..REPETITIONS).map(|_| once()).fold(f64::INFINITY, f64::min)
}

fn array(name: &str, kind: MapKind, value_size: u32) -> MapSpec {
    MapSpec { name: name.to_owned(), kind, key_size: 4, value_size, max_entries: 1, init: None }
}

/// Hand-written programs; map 1 is a per-CPU array of one word, map 2 task storage of one word.
fn by_hand(programs: Vec<(Hook, Asm)>) -> (Loaded, KernelMaps) {
    let mut task = array("task", MapKind::TaskStorage, 8);
    task.max_entries = 0;
    let specs = programs.into_iter().enumerate().map(|(i, (hook, asm))| ProgramSpec {
        name: format!("hand{i}"),
        hook,
        typed: false,
        code: asm.finish().unwrap_or_else(|_| Code::default()),
        groups: Vec::new(),
        probes: Vec::new(),
    });
    let program = EbpfProgram {
        maps: vec![
            array("control", MapKind::Array { mmap: true }, 64),
            array("arr", MapKind::PerCpuArray, 1024),
            task,
            MapSpec {
                name: "comm".to_owned(),
                kind: MapKind::PerCpuHash { full: false },
                key_size: 16,
                value_size: 8,
                max_entries: 4096,
                init: None,
            },
        ],
        programs: specs.collect(),
        subprograms: Vec::new(),
        state: StateLayout::default(),
    };
    let plan = bare_plan(Default::default());
    let (mut loaded, maps) = load::load(&plan, &program, None).unwrap_or_else(|e| panic!("{e}"));
    loaded.attach(None, &|| false).unwrap_or_else(|e| panic!("{e}"));
    (loaded, maps)
}

fn only_me(asm: &mut Asm, out: crate::ebpf::asm::Label) {
    asm.mov(R6, R1);
    asm.call(helper::GET_CURRENT_PID_TGID);
    asm.alu_imm(Alu::Rsh, R0, 32);
    asm.mov_imm(R1, i64::from(std::process::id()));
    asm.jmp(Jmp::Ne, R0, R1, out);
}

fn bump(asm: &mut Asm, out: crate::ebpf::asm::Label) {
    asm.map(R1, 1);
    asm.st_imm(Size::D, FP, -8, 0);
    asm.mov(R2, FP);
    asm.alu_imm(Alu::Add, R2, -8);
    asm.call(helper::MAP_LOOKUP_ELEM);
    asm.jmp_imm(Jmp::Eq, R0, 0, out);
    asm.ldx(Size::D, R1, R0, 0);
    asm.alu_imm(Alu::Add, R1, 1);
    asm.stx(Size::D, R0, 0, R1);
}

fn finish(mut asm: Asm, out: crate::ebpf::asm::Label) -> Asm {
    asm.bind(out);
    asm.mov_imm(R0, 0);
    asm.exit();
    asm
}

fn hand_count() -> Asm {
    let mut asm = Asm::new();
    let out = asm.label();
    only_me(&mut asm, out);
    bump(&mut asm, out);
    finish(asm, out)
}

fn hand_comm() -> Asm {
    let mut asm = Asm::new();
    let (out, found) = (asm.label(), asm.label());
    only_me(&mut asm, out);
    asm.st_imm(Size::D, FP, -16, 0);
    asm.st_imm(Size::D, FP, -8, 0);
    asm.mov(R1, FP);
    asm.alu_imm(Alu::Add, R1, -16);
    asm.mov_imm(R2, 16);
    asm.call(helper::GET_CURRENT_COMM);
    asm.map(R1, 3);
    asm.mov(R2, FP);
    asm.alu_imm(Alu::Add, R2, -16);
    asm.call(helper::MAP_LOOKUP_ELEM);
    asm.jmp_imm(Jmp::Ne, R0, 0, found);
    asm.st_imm(Size::D, FP, -24, 1);
    asm.map(R1, 3);
    asm.mov(R2, FP);
    asm.alu_imm(Alu::Add, R2, -16);
    asm.mov(R3, FP);
    asm.alu_imm(Alu::Add, R3, -24);
    asm.mov_imm(R4, 0);
    asm.call(helper::MAP_UPDATE_ELEM);
    asm.ja(out);
    asm.bind(found);
    asm.ldx(Size::D, R1, R0, 0);
    asm.alu_imm(Alu::Add, R1, 1);
    asm.stx(Size::D, R0, 0, R1);
    finish(asm, out)
}

fn hand_storage(asm: &mut Asm, flags: i64, out: crate::ebpf::asm::Label) {
    asm.call(helper::GET_CURRENT_TASK_BTF);
    asm.mov(R2, R0);
    asm.map(R1, 2);
    asm.mov_imm(R3, 0);
    asm.mov_imm(R4, flags);
    asm.call(helper::TASK_STORAGE_GET);
    asm.jmp_imm(Jmp::Eq, R0, 0, out);
    asm.mov(R9, R0);
}

fn hand_enter() -> Asm {
    let mut asm = Asm::new();
    let out = asm.label();
    only_me(&mut asm, out);
    hand_storage(&mut asm, 1, out);
    asm.call(helper::KTIME_GET_NS);
    asm.stx(Size::D, R9, 0, R0);
    finish(asm, out)
}

fn hand_leave() -> Asm {
    let mut asm = Asm::new();
    let out = asm.label();
    hand_storage(&mut asm, 0, out);
    asm.ldx(Size::D, R8, R9, 0);
    asm.jmp_imm(Jmp::Eq, R8, 0, out);
    asm.st_imm(Size::D, R9, 0, 0);
    asm.call(helper::KTIME_GET_NS);
    asm.mov(R7, R0);
    asm.alu(Alu::Sub, R7, R8);
    asm.mov_imm(R8, 0);
    for bits in [32, 16, 8, 4, 2, 1] {
        let small = asm.label();
        asm.mov(R3, R7);
        asm.alu_imm(Alu::Rsh, R3, bits);
        asm.jmp_imm(Jmp::Eq, R3, 0, small);
        asm.mov(R7, R3);
        asm.alu_imm(Alu::Add, R8, bits);
        asm.bind(small);
    }
    asm.map(R1, 1);
    asm.st_imm(Size::D, FP, -8, 0);
    asm.mov(R2, FP);
    asm.alu_imm(Alu::Add, R2, -8);
    asm.call(helper::MAP_LOOKUP_ELEM);
    asm.jmp_imm(Jmp::Eq, R0, 0, out);
    asm.alu_imm(Alu::And, R8, 63);
    asm.alu_imm(Alu::Lsh, R8, 3);
    asm.alu(Alu::Add, R0, R8);
    asm.ldx(Size::D, R1, R0, 0);
    asm.alu_imm(Alu::Add, R1, 1);
    asm.stx(Size::D, R0, 0, R1);
    finish(asm, out)
}

fn ours(text: &str, typed: bool) -> (Loaded, KernelMaps) {
    let mut plan = plan_of(&text.replace("PID", &std::process::id().to_string()));
    for placement in plan.agg_sites.iter_mut().filter(|p| p.key == [KeyPart::Str]) {
        // As the planner does for a key that is `execname` itself.
        placement.key = vec![KeyPart::Execname];
    }
    let (target, types) = live_target(&plan, typed);
    let program = emit(&plan, &target).unwrap_or_else(|e| panic!("{e}"));
    let types = load::types_for(&program, &types).unwrap_or_else(|e| panic!("{e}"));
    let (mut loaded, mut maps) =
        load::load(&plan, &program, types.as_ref()).unwrap_or_else(|e| panic!("{e}"));
    loaded.attach(None, &|| false).unwrap_or_else(|e| panic!("{e}"));
    maps.set_control(control::GATE, 1);
    (loaded, maps)
}

/// Every system call there may be, as the table of probes.
fn every(name: &str) -> String {
    let names = ["getppid", "read", "write", "openat", "close"];
    (0..names.len())
        .map(|i| format!("p{i} = probe {} syscall:vmlinux:{}:{name}\n", i + 1, names[i]))
        .collect()
}

const ENABLE: &str = "enable c0 on p0, p1, p2, p3, p4\n";

#[test]
#[ignore = "a measurement, not a check"]
fn speed() {
    if !privileged() {
        return;
    }
    let only = "b0:\ni0 = builtin pid\ni1 = PID\ni2 = eq i0, i1\nbranch i2 ? b1 : b2 merge b2\nb1:\n";
    let end = "\ngoto b2\nb2:\nreturn\n}\n";
    let count = format!(
        "{}agg @a[]: count\ng0 = @a in c0\n{ENABLE}clause c0 {{\n{only}aggregate g0 []{end}",
        every("entry")
    );
    let never = count.replace("PID", "1");
    let bare = format!(
        "{}agg @a[]: count\ng0 = @a in c0\n{ENABLE}clause c0 {{\nb0:\naggregate g0 []\nreturn\n}}\n",
        every("entry")
    );
    let by_name = format!(
        "{}agg @a[string]: count\ng0 = @a in c0\n{ENABLE}clause c0 {{\n{only}s0 = builtin execname\naggregate g0 [s0]{end}",
        every("entry")
    );
    let record = format!(
        "{}{ENABLE}clause c0 {{\n{only}s0 = builtin execname\ni3 = builtin arg0\nsend $0 = s0\nsend $1 = i3\nwork{end}",
        every("entry")
    );
    let pair = format!(
        "p0 = probe 1 syscall:vmlinux:getppid:entry\np1 = probe 2 syscall:vmlinux:getppid:return\nvar self->s: i64\n\
         agg @a[]: quantize\ng0 = @a in c1\nenable c0 on p0\nenable c1 on p1\n\
         clause c0 {{\n{only}i3 = builtin timestamp\nset self->s = i3{end}\
         clause c1 {{\nb0:\ni0 = get self->s\nbranch i0 ? b1 : b2 merge b2\nb1:\ni1 = builtin timestamp\n\
         i2 = get self->s\ni3 = sub i1, i2\naggregate g0 [] (i3)\ni4 = 0\nset self->s = i4{end}"
    );
    let base = per_call();
    println!("no probe          {base:7.1} ns");
    let report = |name: &str, probe: (Loaded, KernelMaps)| {
        let cost = per_call() - base;
        println!("{name:28} +{cost:6.1} ns");
        drop(probe);
    };
    let empty = || {
        let mut asm = Asm::new();
        asm.mov_imm(R0, 0);
        asm.exit();
        asm
    };
    for _ in 0..2 {
        report("empty", by_hand(vec![(Hook::SysEnter, empty())]));
        report("count by hand", by_hand(vec![(Hook::SysEnter, hand_count())]));
        report("count", ours(&count, true));
        report("count, untyped", ours(&count, false));
        report("count without predicate", ours(&bare, true));
        report("predicate false", ours(&never, true));
        report("by execname, by hand", by_hand(vec![(Hook::SysEnter, hand_comm())]));
        report("by execname", ours(&by_name, true));
        report("record, ring full", ours(&record, true));
        report("pair by hand", by_hand(vec![(Hook::SysEnter, hand_enter()), (Hook::SysExit, hand_leave())]));
        report("pair", ours(&pair, true));
    }
}
