//! The event record: what clause bodies put into their area, and how a program heads and sends the whole.
//!
//! A thread that ends is told by a record of its own, if `self->` variables live in user space: the ring keeps order, so
//! it comes after all that the thread has caused.
//!
//! The record is built at the end of the program's scratch memory ([`dtrail_lang::plan::layout`] gives its bytes) and
//! copied into the ring by one helper call. A full ring counts a drop; it never waits.

use dtrail_lang::builtins::{Action, Func};
use dtrail_lang::env::FiredBy;
use dtrail_lang::ir::facts::{acts, is_pinned};
use dtrail_lang::ir::{ClauseId, Op, ProbeIndex, Reg, RegKind, SiteId, SlotId};
use dtrail_lang::plan::layout::{header, outcome, thread_end};
use dtrail_lang::plan::{Group, GroupId, Plan, Side, SlotKind};

use super::asm::{Alu, Asm, FP, Jmp, Mreg, R0, R1, R2, R3, R4, R5, R7, Size};
use super::clause::Gen;
use super::context::{ContextBase, Field, Fields};
use super::emit::{EmitError, Env};
use super::{control, counter, helper};

/// Bytes that the ring puts before each record.
const RING_HEADER: i32 = 8;
/// `BPF_RB_NO_WAKEUP`
const NO_WAKEUP: i64 = 1;
/// `BPF_RB_FORCE_WAKEUP`
const FORCE_WAKEUP: i64 = 2;
/// `BPF_RB_AVAIL_DATA`
const AVAIL_DATA: i64 = 0;

impl Gen<'_> {
    /// Clears what later ops of the clause add to.
    pub(super) fn start_area(&mut self) {
        let faults =
            self.layout.slots.iter().filter(|slot| slot.kind == SlotKind::Fault).map(|slot| slot.offset);
        let words: Vec<u32> = self.layout.bits.into_iter().chain(faults).collect();
        if words.is_empty() {
            return;
        }
        self.base.load(&mut self.asm, R1, self.env.context.area);
        for at in words {
            self.asm.st_imm(Size::D, R1, at as i32, 0);
        }
    }

    pub(super) fn work(&mut self) {
        self.base.load(&mut self.asm, R1, self.env.context.area);
        self.asm.st_imm(Size::D, R1, 0, outcome::RAN as i32);
    }

    pub(super) fn set_bit(&mut self, bit: u32) -> Result<(), EmitError> {
        let Some(bits) = self.layout.bits.filter(|_| bit < 64) else {
            return Err(self.inconsistent("a branch bit is not in the layout"));
        };
        self.base.load(&mut self.asm, R1, self.env.context.area);
        // By halves, since an immediate has 32 bits with a sign.
        let off = (bits + bit / 32 * 4) as i32;
        self.asm.ldx(Size::W, R0, R1, off);
        self.asm.alu_imm(Alu::Or, R0, (1u32 << (bit % 32)) as i32);
        self.asm.stx(Size::W, R1, off, R0);
        Ok(())
    }

    pub(super) fn send(&mut self, slot: SlotId, src: Reg) -> Result<(), EmitError> {
        let slot = self.slot(slot)?;
        let off = slot.offset as i32;
        match (slot.kind, self.kind(src)) {
            (SlotKind::Int, RegKind::Int) => {
                let value = self.operand(src, R0);
                self.base.load(&mut self.asm, R1, self.env.context.area);
                self.asm.stx(Size::D, R1, off, value);
            }
            (SlotKind::Str, RegKind::Str) => self.send_string(off, src)?,
            (SlotKind::Bytes, RegKind::Str) => self.send_block(off, src)?,
            _ => return Err(self.inconsistent("a slot holds another kind than what is sent")),
        }
        Ok(())
    }

    pub(super) fn control(&mut self, status: Option<Reg>) {
        match status {
            Some(status) => {
                let value = self.operand(status, R0);
                self.asm.map_value(R1, self.env.state.control, 0);
                self.asm.stx(Size::D, R1, word(control::STATUS), value);
                self.asm.st_imm(Size::D, R1, word(control::EXITED), 1);
                self.asm.st_imm(Size::D, R1, word(control::GATE), 0);
                self.base.store_imm(&mut self.asm, self.env.context.exit, 1);
            }
            None => self.base.store_imm(&mut self.asm, self.env.context.cut, 1),
        }
    }
}

/// After the last clause: flips the generation if a clause asked for a cut, unless too many are unswept; then the cut
/// falls together with the one before. `key` is 8 bytes of stack. Clobbers `R0` to `R5`.
pub(super) fn cut(asm: &mut Asm, env: &Env<'_>, base: ContextBase, key: i32) {
    let (together, done) = (asm.label(), asm.label());
    base.load(asm, R0, env.context.cut);
    asm.jmp_imm(Jmp::Eq, R0, 0, done);
    asm.map_value(R1, env.state.control, 0);
    asm.ldx(Size::D, R0, R1, word(control::GENERATION));
    asm.ldx(Size::D, R3, R1, word(control::ACKED));
    asm.mov(R2, R0);
    asm.alu(Alu::Sub, R2, R3);
    asm.jmp_imm(Jmp::Ge, R2, env.plan.cuts.generations() as i32 - 1, together);
    asm.mov(R2, R0);
    asm.mov(R3, R0);
    asm.alu_imm(Alu::Add, R2, 1);
    asm.compare_exchange(R1, word(control::GENERATION), R2);
    // Another program cut in this instant: what this one would have cut off is older than that, too.
    asm.jmp(Jmp::Eq, R0, R3, done);
    asm.bind(together);
    count(asm, env, key, counter::COALESCED);
    asm.bind(done);
}

/// Displacement of a word of the control map.
fn word(word: u32) -> i32 {
    word as i32 * 8
}

/// Adds one to a counter of this CPU; `key` is 8 bytes of stack. Clobbers `R0` to `R5`.
pub(super) fn count(asm: &mut Asm, env: &Env<'_>, key: i32, counter: u32) {
    count_by(asm, env, key, counter, |asm| asm.mov_imm(R1, 1));
}

/// Adds what `amount` leaves in `R1` to a counter of this CPU; `amount` may clobber `R2` to `R5`.
fn count_by(asm: &mut Asm, env: &Env<'_>, key: i32, counter: u32, amount: impl FnOnce(&mut Asm)) {
    let gone = asm.label();
    asm.st_imm(Size::D, FP, key, 0);
    asm.map(R1, env.state.counters);
    asm.mov(R2, FP);
    asm.alu_imm(Alu::Add, R2, key);
    asm.call(helper::MAP_LOOKUP_ELEM);
    asm.jmp_imm(Jmp::Eq, R0, 0, gone);
    amount(asm);
    asm.atomic_add(R0, word(counter), R1);
    asm.bind(gone);
}

/// `R1` = how many clauses of the group have something in its record that is lost with it: each is a firing whose record or
/// fault nobody sees (runtime spec §11.2). Clobbers `R2`.
fn lost_firings(asm: &mut Asm, env: &Env<'_>, group: &Group) {
    asm.mov_imm(R1, 0);
    let areas = group.clauses.iter().zip(&group.layout.areas);
    for (clause, &area) in areas.filter(|(clause, _)| env.facts[clause.index()].sends) {
        let (lost, next) = (asm.label(), asm.label());
        asm.ldx(Size::W, R2, R7, env.scratch.in_record(area) as i32);
        if !only_ends_turns(env.plan, *clause) {
            asm.jmp_imm(Jmp::Eq, R2, outcome::RAN as i32, lost);
        }
        asm.jmp_imm(Jmp::Ne, R2, outcome::FAULTED as i32, next);
        asm.bind(lost);
        asm.alu_imm(Alu::Add, R1, 1);
        asm.bind(next);
    }
}

/// Whether all that user space does for a clause is to commit and discard, which it does by the words of the numbers if no
/// record says so.
fn only_ends_turns(plan: &Plan, clause: ClauseId) -> bool {
    let Some(Some(code)) = plan.user.get(clause.index()) else { return false };
    let ends = |site: &SiteId| {
        let site = plan.program.sites.get(site.index());
        site.is_some_and(|site| matches!(site.action, Action::Commit | Action::Discard))
    };
    plan.speculations == Side::Kernel
        && code.blocks.iter().flat_map(|block| &block.insts).all(|inst| match &inst.op {
            Op::Record { site, .. } => ends(site),
            Op::SetVar { .. } | Op::SetElem { .. } | Op::Aggregate { .. } | Op::Store { .. } => false,
            op => !acts(op),
        })
}

/// Heads the record of a group and sends it; `R7` is the scratch memory, `key` 8 bytes of stack. Clobbers `R0` to `R5`.
pub(super) fn output(
    asm: &mut Asm,
    env: &Env<'_>,
    base: ContextBase,
    id: GroupId,
    group: &Group,
    key: i32,
) -> Result<(), EmitError> {
    let Some(ring) = env.state.ring else {
        return Err(EmitError::inconsistent(None, "a group sends but there is no ring"));
    };
    let mut known = Fields::default();
    // The header is near.
    let at = |offset: u32| env.scratch.in_record(offset) as i32;
    base.load(asm, R0, env.context.probe);
    asm.stx(Size::W, R7, at(header::PROBE), R0);
    head(asm, env, base, id.0, &mut known);
    if env.plan.cuts.any() {
        asm.map_value(R1, env.state.control, control::GENERATION * 8);
        asm.ldx(Size::D, R0, R1, 0);
        asm.stx(Size::W, R7, at(header::GENERATION), R0);
    } else {
        asm.st_imm(Size::W, R7, at(header::GENERATION), 0);
    }
    for slot in &group.layout.shared_slots {
        super::builtins::shared_slot(asm, env, base, slot, &mut known)?;
    }
    stacks_of_fault(asm, env, base, group, key, known)?;

    super::fill::count(asm, env, group);

    let tail = env.group_has_tail(group);
    let size = |asm: &mut Asm, into| match tail {
        true => asm.ldx(Size::D, into, R7, env.scratch.tail as i32),
        false => asm.mov_imm(into, i64::from(group.layout.fixed_size)),
    };
    wake_if_it_fills(asm, env, ring, size);
    wake_if_it_matters(asm, env, group);
    size(asm, R3);
    if tail {
        // For the verifier, which does not know how far the tail got.
        asm.clamp(R3, env.scratch.record);
    }
    let sent = asm.label();
    asm.map(R1, ring);
    asm.mov(R2, R7);
    asm.alu_imm(Alu::Add, R2, env.scratch.record_at as i32);
    asm.call(helper::RINGBUF_OUTPUT);
    asm.jmp_imm(Jmp::Eq, R0, 0, sent);
    super::fill::stop(asm, env);
    count_by(asm, env, key, counter::PRINCIPAL, |asm| lost_firings(asm, env, group));
    if env.group_needs(group).turns {
        let done = asm.label();
        super::speculation::end_firing(asm, env, base, false);
        asm.ja(done);
        asm.bind(sent);
        super::speculation::end_firing(asm, env, base, true);
        asm.bind(done);
    } else {
        asm.bind(sent);
    }
    Ok(())
}

/// `R4` = the flags that wake the reader, if what is in the record is not to wait until somebody looks: the end of tracing, or
/// a fault whose `ERROR` clauses look for its process. Clobbers `R0` and `R2`.
fn wake_if_it_matters(asm: &mut Asm, env: &Env<'_>, group: &Group) {
    let (wake, goes_on) = (asm.label(), asm.label());
    let faults = errors_want_the_process(env.plan) && !env.target.inject;
    if !faults && env.state.fill.is_none() {
        return;
    }
    if faults {
        for &area in &group.layout.areas {
            asm.ldx(Size::W, R2, R7, env.scratch.in_record(area) as i32);
            asm.jmp_imm(Jmp::Eq, R2, outcome::FAULTED as i32, wake);
        }
    }
    match env.state.fill {
        Some(_) => super::fill::unless_full(asm, env, goes_on),
        None => asm.ja(goes_on),
    }
    asm.bind(wake);
    asm.mov_imm(R4, FORCE_WAKEUP);
    asm.bind(goes_on);
}

/// Whether an `ERROR` clause reads memory, writes to the process of the fault or sends it a signal.
fn errors_want_the_process(plan: &Plan) -> bool {
    let of_fault = |probe: &ProbeIndex| {
        plan.program.probes.get(probe.index()).is_some_and(|probe| probe.fired_by == FiredBy::Fault)
    };
    let enablings = plan.program.enablings.iter().filter(|enabling| enabling.probes.iter().any(of_fault));
    let clauses = enablings.filter_map(|enabling| plan.program.clauses.get(enabling.clause.index()));
    let wants = |op: &Op| match op {
        Op::Builtin { .. } | Op::Call { func: Func::Stack | Func::Ustack, .. } => false,
        op => is_pinned(op),
    };
    clauses.flat_map(|clause| &clause.blocks).flat_map(|block| &block.insts).any(|inst| wants(&inst.op))
}

/// Takes the stacks that `ERROR` clauses ask for, if the record carries a fault, or user space may raise one over it.
fn stacks_of_fault(
    asm: &mut Asm,
    env: &Env<'_>,
    base: ContextBase,
    group: &Group,
    key: i32,
    mut known: Fields,
) -> Result<(), EmitError> {
    let slots: Vec<_> =
        group.layout.shared_slots.iter().filter_map(|slot| Some((slot.stack()?, slot.offset))).collect();
    if slots.is_empty() {
        return Ok(());
    }
    let (take, done) = (asm.label(), asm.label());
    let users = group.clauses.iter().filter_map(|clause| env.plan.user.get(clause.index())?.as_ref());
    let mut ops = users.flat_map(|code| &code.blocks).flat_map(|block| &block.insts).map(|inst| &inst.op);
    if !ops.any(|op| op.may_fault() && !matches!(op, Op::FaultPoint { attempt: None })) {
        for &(_, offset) in &slots {
            asm.st_imm(Size::D, R7, env.scratch.in_record(offset) as i32, 0);
        }
        for &area in &group.layout.areas {
            asm.ldx(Size::W, R2, R7, env.scratch.in_record(area) as i32);
            asm.jmp_imm(Jmp::Eq, R2, outcome::FAULTED as i32, take);
        }
        asm.ja(done);
    }
    asm.bind(take);
    for (asked, offset) in slots {
        super::stacks::Taking { asm, env, base, known: &mut known, key }.shared(asked)?;
        asm.stx(Size::D, R7, env.scratch.in_record(offset) as i32, R0);
    }
    asm.bind(done);
    Ok(())
}

/// Says that the current thread is gone ([`thread_end`]); `R7` is the scratch memory. A full ring forgets it: what the
/// thread leaves behind then stays until tracing ends. Clobbers `R0` to `R5`.
pub(super) fn thread_ended(asm: &mut Asm, env: &Env<'_>, base: ContextBase) -> Result<(), EmitError> {
    let Some(ring) = env.state.ring else {
        return Err(EmitError::inconsistent(None, "the ends of threads are told but there is no ring"));
    };
    let mut known = Fields::default();
    // The header is near.
    let at = |offset: u32| env.scratch.in_record(offset) as i32;
    asm.st_imm(Size::W, R7, at(header::PROBE), 0);
    head(asm, env, base, thread_end::GROUP, &mut known);
    asm.st_imm(Size::W, R7, at(header::GENERATION), 0);
    env.filler().read(asm, base, Field::Start, &mut known);
    asm.stx(Size::D, R7, at(thread_end::START), R0);
    let size = |asm: &mut Asm, into| asm.mov_imm(into, i64::from(thread_end::SIZE));
    wake_if_it_fills(asm, env, ring, size);
    size(asm, R3);
    asm.map(R1, ring);
    asm.mov(R2, R7);
    asm.alu_imm(Alu::Add, R2, env.scratch.record_at as i32);
    asm.call(helper::RINGBUF_OUTPUT);
    Ok(())
}

/// Fills the header of the record in the scratch memory at `R7` but for probe and generation; clobbers `R0` to `R5`.
fn head(asm: &mut Asm, env: &Env<'_>, base: ContextBase, group: u16, known: &mut Fields) {
    let filler = env.filler();
    // The header is near.
    let at = |offset: u32| env.scratch.in_record(offset) as i32;
    let ids = u32::from(env.plan.epoch) | u32::from(group) << 16;
    asm.mov_imm(R0, i64::from(ids));
    asm.stx(Size::W, R7, at(header::EPOCH), R0);
    filler.read(asm, base, Field::Time, known);
    asm.stx(Size::D, R7, at(header::TIME), R0);
    filler.read(asm, base, Field::PidTgid, known);
    asm.stx(Size::D, R7, at(header::PID_TGID), R0);
    filler.read(asm, base, Field::Cpu, known);
    asm.stx(Size::W, R7, at(header::CPU), R0);
}

/// `R4` = the flags for a record of `size` bytes: wake nobody, but once for each 64th of the ring from a quarter on. The
/// reader drains on a timer, and this is for bursts that would overrun it. Clobbers `R0` to `R5`.
fn wake_if_it_fills(asm: &mut Asm, env: &Env<'_>, ring: u32, size: impl Fn(&mut Asm, Mreg)) {
    let quiet = asm.label();
    asm.map(R1, ring);
    asm.mov_imm(R2, AVAIL_DATA);
    asm.call(helper::RINGBUF_QUERY);
    asm.mov_imm(R4, NO_WAKEUP);
    asm.jmp_imm(Jmp::Lt, R0, (env.target.ring_size / 4) as i32, quiet);
    size(asm, R5);
    asm.alu(Alu::Add, R5, R0);
    asm.alu_imm(Alu::Add, R5, RING_HEADER);
    asm.alu(Alu::Xor, R5, R0);
    asm.jmp_imm(Jmp::Lt, R5, (env.target.ring_size / 64).max(1) as i32, quiet);
    asm.mov_imm(R4, FORCE_WAKEUP);
    asm.bind(quiet);
}
