//! One kernel clause to one subprogram: control flow, integer arithmetic, faults. The other files of this module add the
//! ops of their concern to [`Gen`].
//!
//! Calling convention: `R1` is the address of the firing's context, `R2` that of the program's scratch memory (or
//! anything if the clause uses none). What the path taken has for user space, the outcome in the record's area tells.
//! Within a clause `R6` holds the context and `R7` the scratch memory where they are used; `R0` and `R1` are temporaries
//! of every op, the rest is [`super::alloc`]'s.

use std::collections::BTreeSet;

use dtrail_lang::ir::{
    Block, BlockId, Clause, ClauseId, CmpOp, Inst, Op, Reg, RegKind, SlotId, Terminator, UnOp,
};
use dtrail_lang::plan::layout::outcome;
use dtrail_lang::plan::{ClauseLayout, Slot, SlotKind};

use super::alloc::{self, Allocation, Home, OpFacts, STACK_SLOTS, StrHome};
use super::asm::{Alu, Asm, FP, Jmp, Label, Mreg, R0, R1, R2, R3, R4, R6, R7, R8, R9, Size};
use super::context::{ContextBase, Field, Fields};
use super::emit::{EmitError, Env};
use super::survey::ClauseFacts;
use super::{Code, counter};

/// Bytes of stack a clause may take: what remains of 512 when the program's own frame is gone, both rounded up to 32.
const FRAME_LIMIT: u32 = 512;
/// Up to how many blocks of a clause it does not matter what the verifier knows in each.
const FEW_BLOCKS: usize = 32;

/// A subprogram under construction.
pub(super) struct Gen<'a> {
    pub(super) env: &'a Env<'a>,
    pub(super) id: ClauseId,
    pub(super) clause: &'a Clause,
    pub(super) layout: &'a ClauseLayout,
    pub(super) facts: &'a ClauseFacts,
    /// Which of a min/max state's copies this instance updates.
    pub(super) agg_slot: u32,
    pub(super) asm: Asm,
    /// How the context is reached.
    pub(super) base: ContextBase,
    pub(super) alloc: Allocation,
    /// Bytes of the frame in use.
    frame: u32,
    /// Bytes that the frame of the calling program takes; 0 where the clause stands in the program itself.
    outer: u32,
    /// Where spilled registers begin.
    slots_at: u32,
    /// What of the context is known to be filled here.
    pub(super) known: Fields,
    /// Code that runs seldom, put after the rest.
    cold: Vec<Cold>,
    /// Where a fault goes in the block at hand.
    handler: Handler,
    /// The instruction at hand.
    point: u32,
    /// 8 bytes of stack for small map keys, once some op needs them.
    key_word: Option<i32>,
    /// Stack for keys of several words, and its bytes.
    key_stack: Option<(i32, u32)>,
    pub(super) memory: super::memory::Memory,
}

/// What becomes of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Handler {
    /// It ends the clause.
    Clause,
    /// It becomes the slot's value, and control goes on at the label.
    Slot(SlotId, Label),
}

enum Cold {
    /// A fault; its value is in `R1` if `value` is `None`.
    Fault { at: Label, code: u64, value: Option<i64>, point: u32, handler: Handler },
    /// The clause ends without a fault; a counter may say why.
    End { at: Label, point: u32, counter: Option<u32> },
    /// Adds one to a counter and goes on.
    Count { at: Label, counter: u32, resume: Label },
}

/// Emits clauses as one subprogram. If they are several, `R3` tells which one is called, by its place among them.
pub(super) fn emit(env: &Env<'_>, clauses: &[ClauseId], agg_slot: u32) -> Result<Code, EmitError> {
    let outer = env.program_frame().next_multiple_of(32);
    let mut asm = Asm::new();
    for (number, &id) in clauses.iter().enumerate() {
        let next = asm.label();
        if number + 1 < clauses.len() {
            asm.jmp_imm(Jmp::Ne, R3, number as i32, next);
        }
        asm = append(env, id, agg_slot, asm, 0, outer)?;
        asm.bind(next);
    }
    asm.finish().map_err(|e| EmitError::TooBig { clause: clauses.first().copied(), insns: e.insns })
}

/// Emits one clause in place of its call, as the last thing that a program does: every way through it ends the program.
pub(super) fn emit_last(env: &Env<'_>, id: ClauseId, agg_slot: u32, asm: Asm) -> Result<Asm, EmitError> {
    append(env, id, agg_slot, asm, env.program_frame(), 0)
}

/// Appends the code of a clause; `frame` is what is taken of the frame it stands in.
fn append(
    env: &Env<'_>,
    id: ClauseId,
    agg_slot: u32,
    asm: Asm,
    frame: u32,
    outer: u32,
) -> Result<Asm, EmitError> {
    let Some(clause) = env.plan.kernel[id.index()].as_ref() else {
        return Err(EmitError::inconsistent(Some(id), "a clause without a kernel part is called"));
    };
    let facts = &env.facts[id.index()];
    let offered = offered(facts);
    let alloc = alloc::allocate(clause, &Baseline, &offered);
    let mut emitter = Gen {
        env,
        id,
        clause,
        layout: &env.plan.clause_layouts[id.index()],
        facts,
        agg_slot,
        asm,
        base: ContextBase::clause(&env.context, env.context_at),
        alloc,
        frame,
        outer,
        slots_at: 0,
        known: Fields::default(),
        cold: Vec::new(),
        handler: Handler::Clause,
        point: 0,
        key_word: None,
        key_stack: None,
        memory: super::memory::Memory::default(),
    };
    emitter.run()?;
    Ok(emitter.asm)
}

/// The callee-saved registers that are left for values.
pub(super) fn offered(facts: &ClauseFacts) -> Vec<Mreg> {
    let mut offered = vec![R8, R9];
    if !facts.scratch {
        offered.push(R7);
    }
    if !facts.context {
        offered.push(R6);
    }
    offered
}

/// What the code of each op here does to registers.
pub(super) struct Baseline;

impl OpFacts for Baseline {
    fn clobbers(&self, op: &Op) -> bool {
        match op {
            Op::Const { .. }
            | Op::Str { .. }
            | Op::Null { .. }
            | Op::Unary { .. }
            | Op::Compare { .. }
            | Op::Extend { .. }
            | Op::Work
            | Op::SetBit { .. } => false,
            Op::Binary { op, .. } => op.may_fault(),
            Op::Move { dst: _, src: _ } => false,
            _ => true,
        }
    }
}

impl<'a> Gen<'a> {
    fn run(&mut self) -> Result<(), EmitError> {
        if self.facts.context {
            self.asm.mov(R6, R1);
        }
        if self.facts.scratch {
            self.asm.mov(R7, R2);
        }
        self.slots_at = self.take_frame(8 * self.alloc.slots.min(STACK_SLOTS))?;
        if self.facts.context {
            self.start_area();
        }
        self.start_memory()?;

        let labels: Vec<Label> = self.clause.blocks.iter().map(|_| self.asm.label()).collect();
        let mut known_at: Vec<Option<Fields>> = vec![None; labels.len()];
        let mut handlers = vec![Handler::Clause; labels.len()];
        known_at[0] = Some(self.env.filled_at_start());
        for (b, block) in self.clause.blocks.iter().enumerate() {
            self.asm.bind(labels[b]);
            self.restore_memory(BlockId(b as u32));
            // A block that nothing leads to has no facts, and the assembler drops its code.
            self.known = known_at[b].unwrap_or_default();
            self.handler = handlers[b];
            self.block(b, block)?;
            let known = self.known;
            let mut reaches = |to: BlockId| {
                let at = &mut known_at[to.index()];
                *at = Some(at.map_or(known, |k| k.and(known)));
                labels[to.index()]
            };
            match block.end {
                Terminator::Goto(to) => {
                    let to = reaches(to);
                    self.asm.ja(to);
                }
                Terminator::Branch { cond, then, otherwise, .. } => {
                    let (then, otherwise) = (reaches(then), reaches(otherwise));
                    self.branch(b, block, cond, then, otherwise)?;
                }
                Terminator::Return => self.leave(),
                Terminator::Attempt { body, slot, merge } => {
                    let merge_label = reaches(merge);
                    let body_label = reaches(body);
                    if self.slot(slot)?.kind != SlotKind::Fault {
                        return Err(self.inconsistent("an attempt has no slot for its fault"));
                    }
                    self.keep_memory(merge)?;
                    for inside in attempt_region(self.clause, body, merge) {
                        handlers[inside.index()] = Handler::Slot(slot, merge_label);
                    }
                    self.asm.ja(body_label);
                }
            }
        }
        self.emit_cold()?;
        Ok(())
    }

    fn block(&mut self, b: usize, block: &Block) -> Result<(), EmitError> {
        for (i, inst) in block.insts.iter().enumerate() {
            if self.alloc.fused[b] != Some(i) {
                self.inst(inst)?;
            }
        }
        Ok(())
    }

    fn inst(&mut self, inst: &Inst) -> Result<(), EmitError> {
        self.point = inst.point;
        match &inst.op {
            Op::Const { dst, value } => {
                if !matches!(self.home(*dst), Home::Const(_)) {
                    let target = self.target(*dst);
                    self.asm.mov_imm(target, *value);
                    self.define(*dst, target);
                }
            }
            Op::Move { dst, src } => match self.kind(*dst) {
                RegKind::Int => self.move_int(*dst, *src),
                RegKind::Str => self.move_string(*dst, *src)?,
            },
            Op::Binary { op, dst, lhs, rhs } => self.binary(*op, *dst, *lhs, *rhs)?,
            Op::Unary { op, dst, src } => {
                let target = self.target(*dst);
                self.load(*src, target);
                match op {
                    UnOp::Neg => self.asm.neg(target),
                    UnOp::Not => self.asm.alu_imm(Alu::Xor, target, -1),
                }
                self.define(*dst, target);
            }
            Op::Compare { op, dst, lhs, rhs } => {
                let (yes, done) = (self.asm.label(), self.asm.label());
                self.compare(*op, *lhs, *rhs, true, yes);
                self.set_bool(*dst, yes, done);
            }
            Op::StrCompare { op, dst, lhs, rhs } => {
                let (yes, no, done) = (self.asm.label(), self.asm.label(), self.asm.label());
                self.compare_strings(*op, *lhs, *rhs, yes, no)?;
                self.asm.bind(no);
                self.set_bool(*dst, yes, done);
            }
            Op::Extend { dst, src, bits, signed } => self.extend(*dst, *src, *bits, *signed),
            Op::Str { dst, .. } | Op::Null { dst } => self.constant_string(*dst, &inst.op)?,
            Op::Builtin { dst, var, index } => self.builtin(*dst, *var, *index)?,
            Op::Load { dst, addr, size, signed, space } => {
                self.load_memory(*dst, *addr, *size, *signed, *space)?;
            }
            Op::LoadStr { dst, addr, limit, space } => self.load_string(*dst, *addr, *limit, *space)?,
            Op::Store { addr, src, size } => self.store_memory(*addr, *src, *size)?,
            Op::GetVar { dst, var } => self.get_var(*dst, *var)?,
            Op::SetVar { var, src } => self.set_var(*var, *src)?,
            Op::GetElem { dst, var, keys } => self.get_elem(*dst, *var, keys)?,
            Op::SetElem { var, keys, src } => self.set_elem(*var, keys, *src)?,
            Op::Aggregate { site, keys, value, weight } => self.aggregate(*site, keys, *value, *weight)?,
            Op::Call { dst, func, args } => self.call(*dst, *func, args)?,
            Op::Send { slot, src } => self.send(*slot, *src)?,
            Op::Work => self.work(),
            Op::SetBit { bit } => self.set_bit(*bit)?,
            Op::Control { status } => self.control(*status),
            Op::Record { .. }
            | Op::Assemble { .. }
            | Op::Recv { .. }
            | Op::Bit { .. }
            | Op::FaultPoint { .. } => {
                return Err(self.inconsistent("an op of the user part stands in the kernel part"));
            }
        }
        Ok(())
    }

    pub(super) fn kind(&self, r: Reg) -> RegKind {
        self.clause.regs[r.index()]
    }

    pub(super) fn home(&self, r: Reg) -> Home {
        self.alloc.homes[r.index()]
    }

    pub(super) fn str_home(&self, r: Reg) -> StrHome {
        self.alloc.strings[r.index()]
    }

    /// The constant that a register is everywhere.
    pub(super) fn constant(&self, r: Reg) -> Option<i64> {
        match self.home(r) {
            Home::Const(value) => Some(value),
            _ => None,
        }
    }

    /// Base register and displacement of a slot.
    fn slot_place(&self, slot: u32) -> (Mreg, i32) {
        match slot.checked_sub(STACK_SLOTS) {
            None => (FP, -((self.slots_at + 8 * (slot + 1)) as i32)),
            Some(word) => (R7, (self.env.scratch.spilled + 8 * word) as i32),
        }
    }

    /// Copies a register's value to a machine register.
    pub(super) fn load(&mut self, r: Reg, into: Mreg) {
        match self.home(r) {
            // Never written, so no path comes here.
            Home::None => self.asm.mov_imm(into, 0),
            Home::Const(value) => self.asm.mov_imm(into, value),
            Home::Reg(m) => self.asm.mov(into, m),
            Home::Slot(slot) => {
                let (base, off) = self.slot_place(slot);
                self.asm.ldx(Size::D, into, base, off);
            }
        }
    }

    /// The machine register that holds a value: its own, or `temp` after loading it there.
    pub(super) fn operand(&mut self, r: Reg, temp: Mreg) -> Mreg {
        match self.home(r) {
            Home::Reg(m) => m,
            _ => {
                self.load(r, temp);
                temp
            }
        }
    }

    /// Where to compute a register's new value: its own machine register or `R0`. [`Gen::define`] must follow.
    pub(super) fn target(&self, dst: Reg) -> Mreg {
        match self.home(dst) {
            Home::Reg(m) => m,
            _ => R0,
        }
    }

    /// Makes `from` the new value of a register.
    pub(super) fn define(&mut self, dst: Reg, from: Mreg) {
        match self.home(dst) {
            Home::Reg(m) => self.asm.mov(m, from),
            Home::Slot(slot) => {
                let (base, off) = self.slot_place(slot);
                self.asm.stx(Size::D, base, off, from);
            }
            Home::None | Home::Const(_) => {}
        }
    }

    /// `dst` = 1 if control comes from `yes`, 0 if it comes from here.
    fn set_bool(&mut self, dst: Reg, yes: Label, done: Label) {
        let target = self.target(dst);
        self.asm.mov_imm(target, 0);
        self.asm.ja(done);
        self.asm.bind(yes);
        self.asm.mov_imm(target, 1);
        self.asm.bind(done);
        self.define(dst, target);
    }

    /// Takes bytes (a multiple of 8) of the frame; the result is where they begin, counted down from the frame pointer.
    fn take_frame(&mut self, bytes: u32) -> Result<u32, EmitError> {
        let at = self.frame;
        self.frame += bytes;
        if self.outer + self.frame.next_multiple_of(32) > FRAME_LIMIT {
            return Err(EmitError::Stack { clause: self.id });
        }
        Ok(at)
    }

    /// Bytes of stack of an op's own; the result is the displacement of the lowest from the frame pointer.
    pub(super) fn stack(&mut self, bytes: u32) -> Result<i32, EmitError> {
        let at = self.take_frame(bytes)?;
        Ok(-((at + bytes) as i32))
    }

    /// Eight bytes of stack that any op may use for a key or a number.
    pub(super) fn key_word(&mut self) -> Result<i32, EmitError> {
        match self.key_word {
            Some(off) => Ok(off),
            None => {
                let off = self.stack(8)?;
                self.key_word = Some(off);
                Ok(off)
            }
        }
    }

    /// Stack for a key of several words, which every op uses anew.
    pub(super) fn key_stack(&mut self, bytes: u32) -> Result<i32, EmitError> {
        match self.key_stack {
            Some((off, room)) if room >= bytes => Ok(off),
            _ => {
                let off = self.stack(bytes)?;
                self.key_stack = Some((off, bytes));
                Ok(off)
            }
        }
    }

    pub(super) fn inconsistent(&self, what: &str) -> EmitError {
        EmitError::inconsistent(Some(self.id), what)
    }

    fn branch(
        &mut self,
        b: usize,
        block: &Block,
        cond: Reg,
        then: Label,
        otherwise: Label,
    ) -> Result<(), EmitError> {
        match self.alloc.fused[b].map(|i| &block.insts[i]) {
            Some(inst) => {
                self.point = inst.point;
                match inst.op {
                    // Of the value itself the verifier would learn which number it is or is not, and follow the rest of the
                    // clause once for each.
                    Op::Compare { op: op @ (CmpOp::Eq | CmpOp::Ne), lhs, rhs, .. }
                        if self.clause.blocks.len() > FEW_BLOCKS =>
                    {
                        let differs = if op == CmpOp::Eq { Jmp::Ne } else { Jmp::Eq };
                        self.load(lhs, R0);
                        let other = self.operand(rhs, R1);
                        self.asm.alu(Alu::Xor, R0, other);
                        self.asm.jmp_imm(differs, R0, 0, otherwise);
                    }
                    // The taken arm mostly comes next.
                    Op::Compare { op, lhs, rhs, .. } => self.compare(op, lhs, rhs, false, otherwise),
                    Op::StrCompare { op, lhs, rhs, .. } => {
                        self.compare_strings(op, lhs, rhs, then, otherwise)?;
                        self.asm.ja(otherwise);
                    }
                    _ => return Err(self.inconsistent("a branch is fused with no comparison")),
                }
            }
            None => {
                let value = self.operand(cond, R0);
                self.asm.jmp_imm(Jmp::Eq, value, 0, otherwise);
            }
        }
        self.asm.ja(then);
        Ok(())
    }

    /// The end of the clause.
    fn leave(&mut self) {
        self.asm.mov_imm(R0, 0);
        self.asm.exit();
    }

    /// A place to go to for a fault. Its value is a constant, or what `R1` holds on arrival.
    pub(super) fn fault(&mut self, code: u64, value: Option<i64>) -> Result<Label, EmitError> {
        if self.handler == Handler::Clause && self.layout.fault.is_none() {
            return Err(self.inconsistent("an op may fault where the plan has no room for a fault"));
        }
        let at = self.asm.label();
        self.cold.push(Cold::Fault { at, code, value, point: self.point, handler: self.handler });
        Ok(at)
    }

    /// A place to go to when a dynamic variable finds no room: it ends the clause.
    pub(super) fn dropped(&mut self) -> Label {
        self.ends(Some(counter::DYNAMIC))
    }

    /// A place to go to that ends the clause, since it has nothing more to do.
    pub(super) fn ended(&mut self) -> Label {
        self.ends(None)
    }

    fn ends(&mut self, counter: Option<u32>) -> Label {
        let at = self.asm.label();
        self.cold.push(Cold::End { at, point: self.point, counter });
        at
    }

    /// A place to go to that adds one to a counter and comes back to `resume`.
    pub(super) fn counted(&mut self, counter: u32, resume: Label) -> Label {
        let at = self.asm.label();
        self.cold.push(Cold::Count { at, counter, resume });
        at
    }

    fn emit_cold(&mut self) -> Result<(), EmitError> {
        for cold in std::mem::take(&mut self.cold) {
            match cold {
                Cold::Fault { at, code, value, point, handler } => {
                    self.asm.bind(at);
                    if let Some(value) = value {
                        self.asm.mov_imm(R1, value);
                    }
                    match handler {
                        Handler::Clause => self.fault_ends_clause(code, point),
                        Handler::Slot(slot, merge) => {
                            let off = self.slot(slot)?.offset as i32;
                            self.base.load(&mut self.asm, R4, self.env.context.area);
                            self.asm.mov_imm(R2, (code as i64 + 1) | i64::from(point) << 32);
                            self.asm.stx(Size::D, R4, off, R2);
                            self.asm.stx(Size::D, R4, off + 8, R1);
                            self.asm.ja(merge);
                        }
                    }
                }
                Cold::End { at, point, counter } => {
                    self.asm.bind(at);
                    if let Some(counter) = counter {
                        self.count(counter)?;
                    }
                    if self.facts.works {
                        // User space has a part in it only if the path came by a mark of work.
                        let unmarked = self.asm.label();
                        self.base.load(&mut self.asm, R4, self.env.context.area);
                        self.asm.ldx(Size::W, R0, R4, 0);
                        self.asm.jmp_imm(Jmp::Eq, R0, 0, unmarked);
                        self.asm.mov_imm(R3, outcome_word(outcome::DROPPED, point));
                        self.asm.stx(Size::D, R4, 0, R3);
                        self.asm.bind(unmarked);
                    }
                    self.leave();
                }
                Cold::Count { at, counter, resume } => {
                    self.asm.bind(at);
                    self.count(counter)?;
                    self.asm.ja(resume);
                }
            }
        }
        Ok(())
    }

    fn fault_ends_clause(&mut self, code: u64, point: u32) {
        self.base.load(&mut self.asm, R4, self.env.context.area);
        self.asm.mov_imm(R3, outcome_word(outcome::FAULTED, point));
        self.asm.stx(Size::D, R4, 0, R3);
        if let Some(off) = self.layout.fault {
            self.asm.mov_imm(R2, code as i64);
            self.asm.stx(Size::D, R4, off as i32, R2);
            self.asm.stx(Size::D, R4, off as i32 + 8, R1);
        }
        self.leave();
    }

    /// Adds one to a counter of this CPU.
    pub(super) fn count(&mut self, counter: u32) -> Result<(), EmitError> {
        let key = self.key_word()?;
        super::record::count(&mut self.asm, self.env, key, counter);
        Ok(())
    }

    pub(super) fn slot(&self, slot: SlotId) -> Result<&'a Slot, EmitError> {
        let found = self.layout.slots.get(slot.0 as usize);
        found.ok_or_else(|| self.inconsistent("a slot is not in the layout"))
    }

    /// Makes sure a field of the context is filled and leaves it in `R0`.
    pub(super) fn field(&mut self, field: Field) {
        self.env.filler().read(&mut self.asm, self.base, field, &mut self.known);
    }
}

/// The first word of a clause's area.
fn outcome_word(outcome: u32, point: u32) -> i64 {
    i64::from(outcome) | i64::from(point) << 32
}

/// The blocks of an attempt: what its body reaches before the merge.
fn attempt_region(clause: &Clause, body: BlockId, merge: BlockId) -> BTreeSet<BlockId> {
    let mut region = BTreeSet::new();
    let mut todo = vec![body];
    while let Some(b) = todo.pop() {
        if b == merge || !region.insert(b) {
            continue;
        }
        match clause.blocks[b.index()].end {
            Terminator::Goto(to) => todo.push(to),
            Terminator::Branch { then, otherwise, .. } => todo.extend([then, otherwise]),
            Terminator::Return => {}
            Terminator::Attempt { body, merge, .. } => todo.extend([body, merge]),
        }
    }
    region
}
