//! `bufpolicy=fill` in the kernel: a program counts what its record will take in the buffer of its CPU, and a record that
//! finds no room there is the end of tracing, on all CPUs and at once.
//!
//! Comes in: the record, built. Goes out: the CPU's count, or the gate shut. What a record takes is what user space keeps
//! of it ([`dtrail_vm::consumer::kept`]): this follows the user part of each clause over the record as far as sizes go.
//! Where that is not all there is to know (a string made in user space, a branch decided there, a speculation) nothing is
//! counted: then user space finds the buffer full first, and shuts the gate itself. Never: a count above that of user space.

use dtrail_lang::builtins::{Action, BuiltinVar};
use dtrail_lang::ir::definitions::Definitions;
use dtrail_lang::ir::{Block, BlockId, Clause, ClauseId, Op, Program, RegKind, Scope, SlotId, Terminator};
use dtrail_lang::plan::layout::{header, outcome};
use dtrail_lang::plan::{ClauseLayout, Group};
use dtrail_vm::consumer::kept;

use super::asm::{Alu, Asm, Jmp, Label, R0, R1, R2, R3, R4, R7, Size};
use super::control;
use super::emit::Env;

/// Where in the control map the CPUs' counts are: two words a CPU, what programs have counted and what the tracer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    /// The first word.
    pub word: u32,
    /// CPUs that have some.
    pub cpus: u32,
    /// Bytes of a CPU's buffer that `END` does not need.
    pub room: u64,
}

/// What a block of a user part records.
#[derive(Default)]
struct Recorded {
    /// Whether it records anything.
    any: bool,
    /// Bytes besides strings of varying length.
    fixed: u64,
    /// Slots whose strings are recorded.
    strings: Vec<SlotId>,
}

/// What the user part of a clause records, by block, and by block that branches the bit that decides.
struct Sizes(Vec<(Recorded, Option<u32>)>);

impl Sizes {
    /// Of a clause that has come to its end in the kernel; `None` if the record does not say it all.
    fn of(program: &Program, id: ClauseId, code: &Clause) -> Option<Sizes> {
        let definitions = Definitions::new(code);
        let block = |block: &Block| {
            let mut recorded = Recorded::default();
            for inst in &block.insts {
                recorded.add(program, (id, &definitions), &inst.op)?;
            }
            let bit = match block.end {
                Terminator::Branch { cond, .. } => match definitions.only(cond)?.op {
                    Op::Bit { bit, .. } => Some(bit),
                    _ => return None,
                },
                Terminator::Goto(_) | Terminator::Return => None,
                Terminator::Attempt { .. } => return None,
            };
            Some((recorded, bit))
        };
        code.blocks.iter().map(block).collect::<Option<Vec<_>>>().map(Sizes)
    }
}

impl Recorded {
    /// Adds what an operation records; `None` if that is not known, or if it may end its clause, which then keeps nothing.
    fn add(
        &mut self,
        program: &Program,
        (id, definitions): (ClauseId, &Definitions<'_>),
        op: &Op,
    ) -> Option<()> {
        match op {
            Op::FaultPoint { attempt: None } => {}
            op if op.may_fault() => return None,
            Op::SetVar { var, .. } if program.vars.get(var.index())?.scope == Scope::ThreadLocal => {
                return None;
            }
            Op::Record { site, args } => {
                let site = program.sites.get(site.index())?;
                if matches!(site.action, Action::Speculate | Action::Commit | Action::Discard) {
                    return None;
                }
                self.any = true;
                for (ty, &arg) in site.args.iter().zip(args) {
                    self.fixed += kept::VALUE;
                    if ty.reg_kind() == RegKind::Str {
                        match &definitions.only(arg)?.op {
                            Op::Recv { slot, .. } => self.strings.push(*slot),
                            Op::Null { .. } => {}
                            Op::Str { value, .. } => {
                                self.fixed += cut(program, program.strings.get(value.index())?.len());
                            }
                            Op::Builtin { var, .. } => self.fixed += cut(program, name(program, id, *var)?),
                            _ => return None,
                        }
                    }
                }
            }
            _ => {}
        }
        Some(())
    }
}

/// Bytes of a string of so many bytes.
fn cut(program: &Program, bytes: usize) -> u64 {
    bytes.min(program.limits.strsize as usize) as u64
}

/// Bytes of a part of the probe's name, if it is as long for all probes of a clause.
fn name(program: &Program, clause: ClauseId, var: BuiltinVar) -> Option<usize> {
    let enablings = program.enablings.iter().filter(|enabling| enabling.clause == clause);
    let mut lengths = enablings.flat_map(|enabling| &enabling.probes).map(|probe| {
        let probe = program.probes.get(probe.index())?;
        Some(match var {
            BuiltinVar::Probeprov => probe.provider.len(),
            BuiltinVar::Probemod => probe.module.len(),
            BuiltinVar::Probefunc => probe.function.len(),
            BuiltinVar::Probename => probe.name.len(),
            _ => return None,
        })
    });
    let first = lengths.next()??;
    lengths.all(|length| length == Some(first)).then_some(first)
}

/// Where the words lie that the counting needs: the sum, whether the clause at hand has a row, whether the buffer is full.
struct Words {
    sum: i32,
    row: i32,
    full: i32,
}

fn words(env: &Env<'_>) -> Words {
    let at = env.scratch.temps as i32;
    Words { sum: at, row: at + 8, full: at + 16 }
}

/// Counts the record of a group that lies in the scratch memory at `R7`, its header filled. Shuts the gate if it finds no
/// room. Clobbers `R0` to `R5`.
pub(super) fn count(asm: &mut Asm, env: &Env<'_>, group: &Group) {
    let Some(fill) = env.state.fill else { return };
    let Words { sum, full, .. } = words(env);
    asm.st_imm(Size::D, R7, sum, 0);
    asm.st_imm(Size::D, R7, full, 0);
    let mut counted = false;
    for (&clause, &area) in group.clauses.iter().zip(&group.layout.areas) {
        let user = env.plan.user.get(clause.index()).and_then(Option::as_ref);
        let layout = env.plan.clause_layouts.get(clause.index());
        let (Some(code), Some(layout)) = (user.filter(|_| env.facts[clause.index()].sends), layout) else {
            continue;
        };
        if let Some(sizes) = Sizes::of(&env.plan.program, clause, code) {
            let skip = asm.label();
            asm.ldx(Size::W, R2, R7, env.scratch.in_record(area) as i32);
            asm.jmp_imm(Jmp::Ne, R2, outcome::RAN as i32, skip);
            clause_bytes(asm, env, code, &sizes, (layout, area));
            asm.bind(skip);
            counted = true;
        }
    }
    if !counted {
        return;
    }
    let (exceeded, done) = (asm.label(), asm.label());
    asm.ldx(Size::W, R1, R7, env.scratch.in_record(header::CPU) as i32);
    asm.jmp_imm(Jmp::Ge, R1, fill.cpus as i32, done);
    asm.alu_imm(Alu::Lsh, R1, 4);
    asm.map_value(R3, env.state.control, fill.word * 8);
    asm.alu(Alu::Add, R3, R1);
    asm.ldx(Size::D, R2, R7, sum);
    asm.ldx(Size::D, R0, R3, 0);
    asm.ldx(Size::D, R4, R3, 8);
    asm.alu(Alu::Add, R0, R4);
    asm.alu(Alu::Add, R0, R2);
    asm.jmp_value(Jmp::Gt, R0, fill.room.min(i64::MAX as u64) as i64, R4, exceeded);
    asm.atomic_add(R3, 0, R2);
    asm.ja(done);
    asm.bind(exceeded);
    stop(asm, env);
    asm.st_imm(Size::D, R7, full, 1);
    asm.bind(done);
}

/// Adds to the sum what the user part of a clause keeps. Sums are in memory, where the verifier does not follow them.
fn clause_bytes(
    asm: &mut Asm,
    env: &Env<'_>,
    code: &Clause,
    sizes: &Sizes,
    (layout, area): (&ClauseLayout, u32),
) {
    let Words { sum, row, .. } = words(env);
    let labels: Vec<_> = code.blocks.iter().map(|_| asm.label()).collect();
    let label = |block: BlockId| labels[block.index()];
    let end = asm.label();
    asm.st_imm(Size::D, R7, row, 0);
    for (i, (block, (recorded, bit))) in code.blocks.iter().zip(&sizes.0).enumerate() {
        asm.bind(labels[i]);
        if recorded.any {
            asm.st_imm(Size::D, R7, row, kept::HEADER as i32);
            asm.ldx(Size::D, R0, R7, sum);
            asm.alu_imm(Alu::Add, R0, recorded.fixed as i32);
            for slot in recorded.strings.iter().filter_map(|slot| layout.slots.get(slot.0 as usize)) {
                asm.ldx(Size::W, R1, R7, env.scratch.in_record(area + slot.offset + 4) as i32);
                asm.alu(Alu::Add, R0, R1);
            }
            asm.stx(Size::D, R7, sum, R0);
        }
        match block.end {
            Terminator::Branch { then, otherwise, .. } => {
                let (bits, bit) = (layout.bits.unwrap_or(0), bit.unwrap_or(0));
                asm.ldx(Size::W, R0, R7, env.scratch.in_record(area + bits + bit / 32 * 4) as i32);
                asm.alu_imm(Alu::Rsh, R0, (bit % 32) as i32);
                asm.alu_imm(Alu::And, R0, 1);
                asm.jmp_imm(Jmp::Ne, R0, 0, label(then));
                asm.ja(label(otherwise));
            }
            Terminator::Goto(next) => asm.ja(label(next)),
            Terminator::Return | Terminator::Attempt { .. } => asm.ja(end),
        }
    }
    asm.bind(end);
    asm.ldx(Size::D, R0, R7, sum);
    asm.ldx(Size::D, R1, R7, row);
    asm.alu(Alu::Add, R0, R1);
    asm.stx(Size::D, R7, sum, R0);
}

/// Goes to `other` unless the record that was counted last found no room. Clobbers `R0`.
pub(super) fn unless_full(asm: &mut Asm, env: &Env<'_>, other: Label) {
    asm.ldx(Size::D, R0, R7, words(env).full);
    asm.jmp_imm(Jmp::Eq, R0, 0, other);
}

/// Ends tracing: no program does anything from now on. Clobbers `R1`.
pub(super) fn stop(asm: &mut Asm, env: &Env<'_>) {
    if env.state.fill.is_some() {
        asm.map_value(R1, env.state.control, control::GATE * 8);
        asm.st_imm(Size::D, R1, 0, 0);
    }
}
