//! What the tests of this module share: kernel clauses as IR text in, what a firing sends and leaves behind out, from
//! rbpf and, where the tests may load programs, from the kernel, which must agree.

use std::sync::Arc;

use dtrail_lang::ir::{self, ClauseId, Op, ProbeIndex, RegKind, Terminator, facts};
use dtrail_lang::plan::{
    AggPlacement, ClauseLayout, Cuts, Group, GroupId, GroupLayout, Home, KeyPart, Plan, Rooms, Side, Slot,
    SlotKind, layout::outcome,
};

use super::harness::{Harness, NoMemory, SyntheticMemory};
use super::{EbpfProgram, KernelOffsets, MapAccess, Target, control, emit, inject};
use crate::load;
use crate::providers;
use crate::readers::btf::Btf;
use crate::source::inject::{Cpus, KernelMachine, Machine};
use crate::source::synthetic_event::MemoryRegion;
use crate::sys::bpf::verified_instructions;
use crate::testing::privileged;

/// A plan whose kernel part is the program's clauses as they are written, planner's ops and all. Everything lives in the
/// kernel; keys have the layout of their types; a clause's slots are of the kinds that are sent to them.
pub(super) fn plan_of(text: &str) -> Plan {
    let text = renumber(text);
    let program = ir::parse::program(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let clause_layouts: Vec<ClauseLayout> = program.clauses.iter().map(clause_layout).collect();
    for (i, (clause, layout)) in program.clauses.iter().zip(&clause_layouts).enumerate() {
        ir::verify::clause(&program, ClauseId(i as u32), clause, ir::verify::Part::Kernel(layout))
            .unwrap_or_else(|e| panic!("{e}\n{text}"));
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut probe_groups = Vec::new();
    let mut probe_clauses = Vec::new();
    for probe in 0..program.probes.len() as u32 {
        let clauses: Vec<ClauseId> = program
            .enablings
            .iter()
            .filter(|e| e.probes.contains(&ProbeIndex(probe)))
            .map(|e| e.clause)
            .collect();
        probe_clauses.push(clauses.clone());
        if clauses.is_empty() {
            probe_groups.push(None);
            continue;
        }
        let index = groups.iter().position(|g| g.clauses == clauses).unwrap_or_else(|| {
            let areas = clauses.iter().map(|c| &clause_layouts[c.index()]);
            groups.push(Group { clauses: clauses.clone(), layout: GroupLayout::new(areas, &[]) });
            groups.len() - 1
        });
        probe_groups.push(Some(GroupId(index as u16)));
    }
    let homes = program.vars.iter().map(|var| Home {
        side: Side::Kernel,
        key: var.keys.iter().flatten().map(|&ty| KeyPart::of(ty)).collect(),
    });
    let agg_sites = program.agg_sites.iter().map(|site| AggPlacement {
        side: Side::Kernel,
        key: program.aggs[site.agg.index()].keys.iter().map(|&ty| KeyPart::of(ty)).collect(),
    });
    let mut insts = program.clauses.iter().flat_map(|clause| &clause.blocks).flat_map(|block| &block.insts);
    let speculates = insts.any(|inst| facts::speculates(&inst.op));
    Plan {
        epoch: 1,
        kernel: program.clauses.iter().cloned().map(Some).collect(),
        user: vec![None; program.clauses.len()],
        homes: homes.collect(),
        agg_sites: agg_sites.collect(),
        clause_layouts,
        groups,
        probe_groups,
        probe_clauses,
        speculations: if speculates { Side::Kernel } else { Side::User },
        rooms: Rooms::default(),
        cuts: Cuts::default(),
        reasons: Vec::new(),
        program,
    }
}

/// Lets tests number integers and strings apart from each other, and leave numbers out: within each clause, registers get
/// new numbers in order of appearance.
fn renumber(text: &str) -> String {
    let mut names: Vec<String> = Vec::new();
    let mut out = String::new();
    for line in text.lines() {
        if line.starts_with("clause ") {
            names.clear();
        }
        let mut quoted = false;
        let mut word = String::new();
        for c in line.chars().chain(['\n']) {
            if !quoted && (c.is_ascii_alphanumeric() || "_>:@.$%".contains(c)) {
                word.push(c);
                continue;
            }
            let digits = word.strip_prefix(['i', 's']).unwrap_or("");
            // A size, as in `load i8`, is no register.
            let size = matches!(&*word, "i8" | "i16" | "i32" | "i64") && out.ends_with("load ");
            if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) && !size {
                let number = names.iter().position(|n| *n == word).unwrap_or_else(|| {
                    names.push(word.clone());
                    names.len() - 1
                });
                word = format!("{}{number}", &word[..1]);
            }
            out.push_str(&word);
            word.clear();
            quoted ^= c == '"';
            out.push(c);
        }
    }
    out
}

fn clause_layout(clause: &ir::Clause) -> ClauseLayout {
    let mut kinds: Vec<SlotKind> = Vec::new();
    let mut set = |slot: ir::SlotId, kind| {
        kinds.resize(kinds.len().max(slot.0 as usize + 1), SlotKind::Int);
        kinds[slot.0 as usize] = kind;
    };
    let (mut faults, mut bits) = (false, false);
    for block in &clause.blocks {
        if let Terminator::Attempt { slot, .. } = block.end {
            set(slot, SlotKind::Fault);
        }
        for inst in &block.insts {
            faults |= inst.may_fault() && !matches!(inst.op, Op::SetElem { .. });
            bits |= matches!(inst.op, Op::SetBit { .. });
            if let Op::Send { slot, src } = inst.op {
                let string = clause.regs[src.index()] == RegKind::Str;
                set(slot, if string { SlotKind::Str } else { SlotKind::Int });
            }
        }
    }
    let slot = |kind| Slot { kind, offset: 0, what: String::new() };
    ClauseLayout::new(faults, bits, kinds.into_iter().map(slot).collect())
}

/// A target for injected events on two CPUs.
pub(super) fn injected() -> Target {
    Target {
        sites: Vec::new(),
        inject: true,
        stands_in: false,
        offsets: KernelOffsets::default(),
        namespace: None,
        cpus: 2,
        only_cpu: None,
        places: Vec::new(),
        typed: false,
        machinery: Vec::new(),
        syscall_frame: false,
        ring_size: 1 << 16,
        fill_size: None,
        agg_size: 1 << 16,
        dynvar_size: 1 << 16,
        speculations: 4,
        cleanrate: 0,
        dwarf: false,
    }
}

/// A target for this machine's own hooks, and the types it was made from.
pub(super) fn live_target(plan: &Plan, typed: bool) -> (Target, Btf) {
    let types = Btf::of_kernel().unwrap_or_else(|e| panic!("{e}"));
    let offsets = types.kernel_offsets().unwrap_or_else(|e| panic!("{e}"));
    let sites = plan.program.probes.iter().map(providers::hook_site).collect();
    (Target { sites, inject: false, offsets, typed, ..injected() }, types)
}

/// How many instructions the kernel's verifier went over for the program of injected events, if it may be asked.
pub(super) fn verified(plan: &Plan, program: &EbpfProgram) -> Option<u32> {
    if !privileged() {
        return None;
    }
    let (loaded, _maps) = load::load(plan, program, None).unwrap_or_else(|e| panic!("{e}"));
    let injector = loaded.injector().expect("there is a program for injected events");
    Some(verified_instructions(injector).expect("the kernel tells"))
}

/// An event that is easy to recognize: every word differs.
#[derive(Clone, Debug)]
pub(super) struct TestEvent {
    pub(super) probe: u64,
    pub(super) cpu: u64,
    pub(super) time: u64,
    pub(super) tid: u32,
    pub(super) errno: u64,
    pub(super) comm: &'static str,
    pub(super) args: [i64; 10],
}

impl Default for TestEvent {
    fn default() -> TestEvent {
        TestEvent { probe: 0, cpu: 0, time: 1_000_000, tid: 43, errno: 0, comm: "bash", args: [0; 10] }
    }
}

impl TestEvent {
    pub(super) fn args(args: &[i64]) -> TestEvent {
        let mut event = TestEvent::default();
        event.args[..args.len()].copy_from_slice(args);
        event
    }

    /// In the layout of [`inject`].
    pub(super) fn bytes(&self) -> [u8; inject::SIZE as usize] {
        let mut bytes = [0; inject::SIZE as usize];
        let mut put = |at: u32, value: u64| {
            bytes[at as usize..at as usize + 8].copy_from_slice(&value.to_le_bytes());
        };
        put(inject::PROBE, self.probe);
        put(inject::TIME, self.time);
        put(inject::PID_TGID, 42 << 32 | u64::from(self.tid));
        put(inject::UID_GID, 1001 << 32 | 1000);
        put(inject::CPU, self.cpu);
        put(inject::PPID, 7);
        put(inject::START, 900_000);
        put(inject::WALL, 1_700_000_000_000_000_000);
        put(inject::ERRNO, self.errno);
        for (i, &arg) in self.args.iter().enumerate() {
            put(inject::ARGS + 8 * i as u32, arg as u64);
        }
        let comm = inject::COMM as usize;
        bytes[comm..comm + self.comm.len()].copy_from_slice(self.comm.as_bytes());
        bytes
    }
}

/// A program on all machines there are.
pub(super) struct Bench {
    pub(super) plan: Plan,
    pub(super) program: EbpfProgram,
    pub(super) rbpf: Harness,
    /// The kernel, if these tests may load programs.
    pub(super) kernel: Option<KernelMachine>,
}

impl Bench {
    /// On rbpf and in the kernel.
    pub(super) fn new(text: &str) -> Bench {
        Bench::of(plan_of(text), &injected())
    }

    /// On rbpf and in the kernel.
    pub(super) fn of(plan: Plan, target: &Target) -> Bench {
        let mut bench = Bench::rbpf_of(plan, target);
        if privileged() {
            let mut kernel = KernelMachine::load(&bench.plan, &bench.program, Cpus::default())
                .unwrap_or_else(|e| panic!("{e}\n{}", super::disasm::program(&bench.program)));
            kernel.set_control(control::GATE, 1);
            bench.kernel = Some(kernel);
        }
        bench
    }

    /// On rbpf only, for tests that make many programs.
    pub(super) fn rbpf(text: &str) -> Bench {
        Bench::rbpf_of(plan_of(text), &injected())
    }

    /// On rbpf only.
    pub(super) fn rbpf_of(plan: Plan, target: &Target) -> Bench {
        let program = emit(&plan, target).unwrap_or_else(|e| panic!("{e}"));
        let mut rbpf = Harness::new(&program, target.cpus, Box::new(NoMemory))
            .unwrap_or_else(|e| panic!("{e}\n{}", super::disasm::program(&program)));
        rbpf.set_control(control::GATE, 1);
        Bench { plan, program, rbpf, kernel: None }
    }

    /// Makes memory readable: of the process, then of the kernel (which only rbpf has).
    pub(super) fn memory(&mut self, user: &[(u64, &[u8])], kernel: &[(u64, &[u8])]) {
        let own = |regions: &[(u64, &[u8])]| regions.iter().map(|r| (r.0, r.1.to_vec())).collect();
        self.rbpf.set_memory(Box::new(Regions { user: own(user), kernel: own(kernel) }));
        if let Some(machine) = &mut self.kernel {
            let regions: Arc<[MemoryRegion]> =
                user.iter().map(|r| MemoryRegion { addr: r.0, bytes: r.1.into() }).collect();
            machine.place(&regions).unwrap_or_else(|e| panic!("{e}"));
        }
    }

    /// Fires a probe; gives the records, which all machines agree on.
    pub(super) fn fire(&mut self, event: &TestEvent) -> Vec<Vec<u8>> {
        let ran = self.rbpf.inject(&event.bytes());
        ran.unwrap_or_else(|e| panic!("{e}\n{}", super::disasm::program(&self.program)));
        let records = self.rbpf.records();
        if let (Some(kernel), Some(map)) = (&mut self.kernel, self.program.state.inject) {
            assert!(kernel.update(map, &0u32.to_le_bytes(), &event.bytes()));
            kernel.run(event.cpu as u32).unwrap_or_else(|e| panic!("{e}"));
            let theirs = kernel.records();
            assert_eq!(records.len(), theirs.len(), "records from rbpf and from the kernel");
            for (ours, theirs) in records.iter().zip(&theirs) {
                assert_eq!(ours[..32], theirs[..32], "headers from rbpf and from the kernel");
                let clauses =
                    self.plan.groups[usize::from(u16::from_le_bytes([ours[2], ours[3]]))].clauses.len();
                for i in 0..clauses {
                    assert_eq!(
                        Sent::of(&self.plan, ours, i),
                        Sent::of(&self.plan, theirs, i),
                        "rbpf, kernel"
                    );
                }
            }
        }
        records
    }

    /// Fires a probe whose record has one clause's area to look at.
    pub(super) fn sent(&mut self, event: &TestEvent) -> Sent {
        let records = self.fire(event);
        assert_eq!(records.len(), 1, "one record a firing");
        Sent::of(&self.plan, &records[0], 0)
    }

    /// The words of an entry of a map, summed over the CPUs, which all machines agree on; `None` if it is not there.
    pub(super) fn words(&mut self, map: u32, key: &[u8]) -> Option<Vec<u64>> {
        self.state(map, key, false)
    }

    /// Likewise, of an aggregation whose first word is a flag, which each CPU sets for itself.
    pub(super) fn flagged(&mut self, map: u32, key: &[u8]) -> Option<Vec<u64>> {
        self.state(map, key, true)
    }

    fn state(&mut self, map: u32, key: &[u8], flagged: bool) -> Option<Vec<u64>> {
        let size = self.program.maps[map as usize].value_size as usize;
        let sum = |value: Vec<u8>| {
            let mut words = vec![0u64; size / 8];
            for (i, word) in value.chunks_exact(8).enumerate() {
                let at = i % words.len();
                let word = u64::from_le_bytes(word.try_into().expect("8 bytes"));
                words[at] = words[at].wrapping_add(word);
            }
            if flagged {
                words[0] = words[0].min(1);
            }
            words
        };
        let ours = self.rbpf.lookup(map, key).map(sum);
        if let Some(kernel) = &mut self.kernel {
            let theirs = kernel.lookup(map, key).map(sum);
            assert_eq!(ours, theirs, "map {map}, rbpf and kernel");
        }
        ours
    }

    /// The keys of a hash, sorted, which all machines agree on.
    pub(super) fn keys(&mut self, map: u32) -> Vec<Vec<u8>> {
        let mut ours = self.rbpf.keys(map);
        ours.sort();
        if let Some(kernel) = &mut self.kernel {
            let mut theirs = kernel.keys(map);
            theirs.sort();
            assert_eq!(ours, theirs, "keys of map {map}, rbpf and kernel");
        }
        ours
    }

    /// A word of the control map, which all machines agree on.
    pub(super) fn control(&mut self, word: u32) -> u64 {
        let ours = self.rbpf.control(word);
        if let Some(kernel) = &mut self.kernel {
            assert_eq!(ours, kernel.control(word), "control word {word}, rbpf and kernel");
        }
        ours
    }

    /// Sets a word of the control map.
    pub(super) fn set_control(&mut self, word: u32, value: u64) {
        self.rbpf.set_control(word, value);
        if let Some(kernel) = &mut self.kernel {
            kernel.set_control(word, value);
        }
    }

    /// A counter, summed over the CPUs.
    pub(super) fn counter(&mut self, word: u32) -> u64 {
        let map = self.program.state.counters;
        self.words(map, &0u32.to_le_bytes()).map_or(0, |words| words[word as usize])
    }
}

/// Memory that consists of a few stretches.
#[derive(Debug)]
struct Regions {
    user: Vec<(u64, Vec<u8>)>,
    kernel: Vec<(u64, Vec<u8>)>,
}

impl SyntheticMemory for Regions {
    fn read(&mut self, user: bool, addr: u64, buf: &mut [u8]) -> usize {
        let regions = if user { &self.user } else { &self.kernel };
        let mut count = 0;
        while count < buf.len() {
            let at = addr.wrapping_add(count as u64);
            let byte = regions
                .iter()
                .find_map(|(start, bytes)| bytes.get(usize::try_from(at.checked_sub(*start)?).ok()?));
            let Some(&byte) = byte else { break };
            buf[count] = byte;
            count += 1;
        }
        count
    }
}

/// What one clause sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    /// It ran; its slots.
    Ran(Vec<Value>),
    /// It faulted: code, value, point.
    Fault(u64, u64, u32),
    /// A dynamic store was dropped at this point.
    Dropped(u32),
    /// Nothing.
    Nothing,
}

/// What a slot holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Int(i64),
    Str(String),
    Null,
    /// Code, point, value of an attempt's fault.
    Fault(u32, u32, u64),
    /// An attempt without a fault.
    NoFault,
}

impl Sent {
    /// Reads the area of the group's clause number `index`.
    pub(super) fn of(plan: &Plan, record: &[u8], index: usize) -> Sent {
        let group = usize::from(u16::from_le_bytes([record[2], record[3]]));
        let group = &plan.groups[group];
        let at = group.layout.areas[index];
        let layout = &plan.clause_layouts[group.clauses[index].index()];
        let word =
            |at: u32| u64::from_le_bytes(record[at as usize..at as usize + 8].try_into().expect("8 bytes"));
        let (what, point) = (word(at) as u32, (word(at) >> 32) as u32);
        match what {
            outcome::NONE => Sent::Nothing,
            outcome::DROPPED => Sent::Dropped(point),
            outcome::FAULTED => {
                let fault = at + layout.fault.expect("room for a fault");
                Sent::Fault(word(fault), word(fault + 8), point)
            }
            _ => Sent::Ran(
                layout
                    .slots
                    .iter()
                    .map(|slot| {
                        let first = word(at + slot.offset);
                        let (low, high) = (first as u32, (first >> 32) as u32);
                        match slot.kind {
                            SlotKind::Int => Value::Int(first as i64),
                            SlotKind::Str if low == 0 => Value::Null,
                            SlotKind::Str | SlotKind::Bytes => {
                                let bytes = &record[low as usize..(low + high) as usize];
                                Value::Str(String::from_utf8_lossy(bytes).into_owned())
                            }
                            SlotKind::Fault if low == 0 => Value::NoFault,
                            SlotKind::Fault => Value::Fault(low - 1, high, word(at + slot.offset + 8)),
                        }
                    })
                    .collect(),
            ),
        }
    }
}

/// A clause with `body` in its only block, enabled on probe 0, with the tables before it.
pub(super) fn one_block(tables: &str, body: &str) -> String {
    format!(
        "p0 = probe 42 syscall:vmlinux:read:entry\n{tables}\nenable c0 on p0\nclause c0 {{\nb0:\n{body}\nreturn\n}}\n"
    )
}

/// Runs one block and gives what it sent.
pub(super) fn run(body: &str, event: &TestEvent) -> Sent {
    Bench::new(&one_block("", body)).sent(event)
}

/// Runs one block that sends one integer.
pub(super) fn int(body: &str, args: &[i64]) -> i64 {
    match run(body, &TestEvent::args(args)) {
        Sent::Ran(values) => match values[..] {
            [Value::Int(value)] => value,
            ref other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}
