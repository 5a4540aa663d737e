//! Hand-made programs through the whole way into the kernel.

use dtrail_lang::ir::{ProbeIndex, Program as Tables};
use dtrail_vm::event::ExitedHow;

use super::*;
use crate::child;
use crate::ebpf::{Code, MapAccess, MapKind, MapSpec, Reloc, RelocTarget, StateLayout, Subprogram, control};
use crate::readers::btf::Btf as KernelTypes;
use crate::sys::ring::Ring;
use crate::testing::{bare_plan, privileged};

const CONTROL: u32 = 0;
const COUNTS: u32 = 1;
const RING: u32 = 2;

fn insn(op: u8, dst: u8, src: u8, off: i16, imm: i32) -> u64 {
    let [o0, o1] = off.to_le_bytes();
    let [i0, i1, i2, i3] = imm.to_le_bytes();
    u64::from_le_bytes([op, dst | src << 4, o0, o1, i0, i1, i2, i3])
}

/// Code in the making.
#[derive(Default)]
struct Asm(Code);

impl Asm {
    fn put(mut self, op: u8, dst: u8, src: u8, off: i16, imm: i32) -> Asm {
        self.0.insns.push(insn(op, dst, src, off, imm));
        self
    }
    fn name(mut self, op: u8, dst: u8, target: RelocTarget) -> Asm {
        self.0.relocs.push(Reloc { insn: self.0.insns.len() as u32, target });
        let (source, imm) = if op == 0x85 { (1, -1) } else { (0, 0) };
        self = self.put(op, dst, source, 0, imm);
        if op == 0x18 { self.put(0, 0, 0, 0, 0) } else { self }
    }
    /// `dst` = a word of the control map.
    fn control(self, dst: u8, word: u32) -> Asm {
        self.name(0x18, dst, RelocTarget::MapValue { map: CONTROL, offset: 8 * word })
            .put(0x79, dst, dst, 0, 0)
    }
    /// Ends the program with 0 here, `out` instructions from its end being a jump's aim.
    fn end(self) -> Code {
        self.put(0xb7, 0, 0, 0, 0).put(0x95, 0, 0, 0, 0).0
    }
}

/// A word of the control map that nothing else uses: whose events count.
const WHOSE: u32 = control::WORDS - 1;

/// Counts what the thread group in [`WHOSE`] does while the gate is open, and sends its number.
fn count_and_send(subprogram: u32) -> Code {
    Asm::default()
        .control(1, control::GATE)
        .put(0x15, 1, 0, 9, 0) // if shut, to the end
        .put(0x85, 0, 0, 0, 14) // get_current_pid_tgid
        .put(0x77, 0, 0, 0, 32)
        .control(1, WHOSE)
        .put(0x5d, 0, 1, 3, 0) // if another, to the end
        .put(0xbf, 1, 0, 0, 0)
        .name(0x85, 0, RelocTarget::Subprogram(subprogram))
        .put(0x05, 0, 0, 0, 0)
        .end()
}

fn subprogram() -> Code {
    Asm::default()
        .put(0x7b, 10, 1, -8, 0) // what is sent
        .put(0x62, 10, 0, -16, 0) // key 0
        .name(0x18, 1, RelocTarget::Map(COUNTS))
        .put(0xbf, 2, 10, 0, 0)
        .put(0x07, 2, 0, 0, -16)
        .put(0x85, 0, 0, 0, 1) // map_lookup_elem
        .put(0x15, 0, 0, 9, 0)
        .put(0xb7, 1, 0, 0, 1)
        .put(0xdb, 0, 1, 0, 0) // lock add
        .name(0x18, 1, RelocTarget::Map(RING))
        .put(0xbf, 2, 10, 0, 0)
        .put(0x07, 2, 0, 0, -8)
        .put(0xb7, 3, 0, 0, 8)
        .put(0xb7, 4, 0, 0, 1) // no wake-up
        .put(0x85, 0, 0, 0, 130) // ringbuf_output
        .end()
}

fn map(name: &str, kind: MapKind, value_size: u32, max_entries: u32) -> MapSpec {
    let key_size = if kind == MapKind::Ring { 0 } else { 4 };
    MapSpec { name: name.into(), kind, key_size, value_size, max_entries, init: None }
}

fn program(hook: Hook, typed: bool, code: Code) -> EbpfProgram {
    EbpfProgram {
        maps: vec![
            map("control", MapKind::Array { mmap: true }, 8 * control::WORDS, 1),
            map("counts", MapKind::PerCpuArray, 8, 1),
            map("ring", MapKind::Ring, 0, 1 << 20),
        ],
        programs: vec![ProgramSpec {
            name: "test".into(),
            hook,
            typed,
            code,
            groups: Vec::new(),
            probes: vec![ProbeIndex(0)],
        }],
        subprograms: vec![Subprogram { name: "clause_0".into(), code: subprogram() }],
        state: StateLayout { control: CONTROL, ..StateLayout::default() },
    }
}

fn load_it(program: &EbpfProgram) -> Result<(Loaded, KernelMaps), Error> {
    load(&getpid(), program, types(program)?.as_ref())
}

/// A plan whose first probe is an entry of getpid.
fn getpid() -> Plan {
    let probes = crate::providers::listed().into_iter().filter(|p| *p.function == *"getpid").collect();
    bare_plan(Tables { probes, ..Tables::default() })
}

fn types(program: &EbpfProgram) -> Result<Option<Btf>, Error> {
    types_for(program, &KernelTypes::of_kernel().expect("this kernel has types"))
}

fn logged(program: &EbpfProgram, size: u64) -> Vec<String> {
    let mut lines = Vec::new();
    let types = types(program).expect("this kernel has them");
    verifier_log(&getpid(), program, types.as_ref(), size, &mut |line| lines.push(line.to_owned()))
        .expect("maps can be made");
    lines
}

/// Sum of the counts, and the records.
fn results(maps: &mut KernelMaps) -> (u64, Vec<u64>) {
    let counts = maps.lookup(COUNTS, &[0; 4]).expect("an array's entry");
    let sum = counts.chunks_exact(8).map(|c| u64::from_ne_bytes(c.try_into().expect("8 bytes"))).sum();
    let fd = maps.fd(RING).expect("it is there");
    let mut ring = Ring::new(fd, 1 << 20).expect("a ring can be mapped");
    let mut sent = Vec::new();
    ring.drain(&mut |record| {
        sent.push(u64::from_ne_bytes(record.try_into().expect("8 bytes")));
        true
    });
    (sum, sent)
}

#[test]
fn programs_run_at_their_hooks() {
    if !privileged() {
        return;
    }
    for (hook, typed) in [
        (Hook::SysEnter, false),
        (Hook::SysEnter, true),
        (Hook::SysExit, false),
        (Hook::SysExit, true),
        (Hook::RawTracepoint("sched_process_exit".into()), true),
    ] {
        let mut child = child::start(b"true").expect("true exists");
        let what = format!("{hook:?} {typed}");
        let (mut loaded, mut maps) = load_it(&program(hook.clone(), typed, count_and_send(0)))
            .unwrap_or_else(|e| panic!("{what}: {e}"));
        maps.set_control(WHOSE, u64::from(child.pid()));
        loaded.attach(None, &|| false).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert_eq!(results(&mut maps), (0, vec![]), "{what}: the gate is shut");
        maps.set_control(control::GATE, 1);
        child.release().expect("it stands");
        let how = std::iter::repeat_with(|| child.ended()).find_map(|how| how);
        assert_eq!(how, Some(ExitedHow::Status(0)));
        let (count, sent) = results(&mut maps);
        let least = if hook == Hook::SysEnter || hook == Hook::SysExit { 10 } else { 1 };
        assert!(count >= least, "{what}: {count}");
        assert_eq!(sent, vec![u64::from(child.pid()); count as usize], "{what}");
        assert_eq!(loaded.misses(), 0);
    }
}

#[test]
fn the_cpu_clock_ticks_on_every_cpu() {
    if !privileged() {
        return;
    }
    let hook = Hook::Profile { period: 1_000_000 };
    let (mut loaded, mut maps) = load_it(&program(hook, false, count_and_send(0))).expect("it loads");
    maps.set_control(WHOSE, u64::from(std::process::id()));
    loaded.attach(None, &|| false).expect("it can be attached");
    maps.set_control(control::GATE, 1);
    let until = std::time::Instant::now() + std::time::Duration::from_millis(50);
    while std::time::Instant::now() < until {}
    let (count, _) = results(&mut maps);
    assert!((2..=60).contains(&count), "about 50 in 50 ms, {count}");
}

#[test]
fn an_interrupt_ends_loading_and_attaching() {
    if !privileged() {
        return;
    }
    let hook = Hook::Tracepoint { group: "sched".into(), event: "sched_process_exit".into() };
    let program = program(hook, false, count_and_send(0));
    let plan = bare_plan(Tables::default());
    let why = load_until(&plan, &program, None, &|| true).expect_err("it is interrupted");
    assert_eq!(why.message, "interrupted");
    let (mut loaded, mut maps) = load_it(&program).expect("it loads");
    let why = loaded.attach(None, &|| true).expect_err("it is interrupted");
    assert_eq!((&*why.message, loaded.slow_to_detach()), ("interrupted", 0));
    loaded.attach(None, &|| false).expect("it can be attached");
    assert_eq!(loaded.slow_to_detach(), 1);
    loaded.detach(&|| false);
    // Whose process ends now is not counted any more.
    let mut child = child::start(b"true").expect("true exists");
    maps.set_control(WHOSE, u64::from(child.pid()));
    maps.set_control(control::GATE, 1);
    child.release().expect("it stands");
    let how = std::iter::repeat_with(|| child.ended()).find_map(|how| how);
    assert_eq!((how, results(&mut maps).0), (Some(ExitedHow::Status(0)), 0));
}

#[test]
fn nothing_stays_attached() {
    if !privileged() {
        return;
    }
    let (mut loaded, mut maps) =
        load_it(&program(Hook::SysEnter, true, count_and_send(0))).expect("it loads");
    maps.set_control(WHOSE, u64::from(std::process::id()));
    maps.set_control(control::GATE, 1);
    let started = std::time::Instant::now();
    loaded.attach(None, &|| false).expect("it can be attached");
    let attached = started.elapsed();
    drop(loaded);
    println!("attach {attached:?}, detach {:?}", started.elapsed() - attached);
    maps.quiesce();
    let before = results(&mut maps).0;
    let _ = std::fs::metadata("/");
    assert_eq!(results(&mut maps).0, before);
}

#[test]
fn a_refusal_names_the_probe_and_the_reason() {
    if !privileged() {
        return;
    }
    let bad = Asm::default().put(0x79, 0, 1, 8000, 0).end();
    let error = load_it(&program(Hook::SysEnter, false, bad)).map(drop).expect_err("it is refused");
    assert_eq!(
        error.message.lines().next(),
        Some("BPF program load for 'syscall:vmlinux:getpid:entry' failed: Permission denied")
    );
    assert!(error.message.contains("BPF: "), "{}", error.message);
    assert!(error.help.expect("advice").contains("placement=user"));
}

#[test]
fn the_log_is_that_of_the_programs_which_are_loaded() {
    if !privileged() {
        return;
    }
    for (hook, typed) in [
        (Hook::SysEnter, false),
        (Hook::SysExit, true),
        (Hook::Tracepoint { group: "sched".into(), event: "sched_switch".into() }, false),
        (Hook::Profile { period: 1_000_000 }, false),
        (Hook::Inject, false),
    ] {
        let what = format!("{hook:?} {typed}");
        let program = program(hook, typed, count_and_send(0));
        let (loaded, _maps) = load_it(&program).unwrap_or_else(|e| panic!("{what}: {e}"));
        let fd = loaded.descriptors().next().expect("one program");
        let verified = syscall::verified_instructions(fd).expect("the kernel counts them");
        let lines = logged(&program, 1 << 20);
        assert_eq!(lines[0], "program 'test' for 'syscall:vmlinux:getpid:entry':", "{what}");
        let processed = format!("processed {verified} insns ");
        assert!(lines.iter().any(|line| line.starts_with(&processed)), "{what}: {processed}{lines:#?}");
        assert!(lines.iter().any(|line| line.contains("call bpf_ringbuf_output#130")), "{what}: {lines:#?}");
    }
}

#[test]
fn the_log_of_a_refused_program_is_whole() {
    if !privileged() {
        return;
    }
    let bad = Asm::default().put(0x79, 0, 1, 8000, 0).end();
    let lines = logged(&program(Hook::SysEnter, false, bad), 1 << 20);
    assert!(lines.iter().any(|line| line.contains("0: (79) r0 = *(u64 *)(r1 +8000)")), "{lines:#?}");
    assert!(lines.iter().any(|line| line.starts_with("processed 1 insns ")), "{lines:#?}");
    assert_eq!(lines.last().map(String::as_str), Some("refused: Permission denied"));
}
