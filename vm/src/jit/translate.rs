//! One clause to one function of cranelift's IR. In: a plan, the clause's code, whether it runs over a record. Out: the
//! function, and how far it reaches into what it is given, so that the caller can check that once. It knows offsets, no
//! addresses.
//!
//! The function takes [`Places`] and gives [`DONE`], or the point of the instruction that ended the clause. Registers
//! are SSA values; an instruction that the interpreter carries out finds its operands in the interpreter's registers, where
//! they are stored before the call, and leaves its result there.

use std::collections::HashSet;
use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    self as clif, Block, FuncRef, Function, InstBuilder, MemFlagsData, StackSlot, StackSlotData,
    StackSlotKind, Value, types,
};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::ir::{self, BinOp, CmpOp, Inst, Op, Reg, RegKind, SlotId, Terminator, UnOp, VarId};
use dtrail_lang::plan::layout::{HEADER_SIZE, header, outcome};
use dtrail_lang::plan::{Plan, Side, SiteRoom, SlotKind};

use super::frame::{Entry, Frame, Places};
use crate::agg::AggTable;
use crate::runtime::{NULL, Reach};
use crate::vars::{CELL_SIZE, CELL_WORD, Fixed, Vars};

/// What a function gives when the clause came to its end. No point is so large.
pub(super) const DONE: u64 = u64::MAX;

/// Registers of the largest clause that is compiled: this bounds the stack it takes and the time to compile it.
const MOST_REGISTERS: usize = 4096;
/// Instructions of the largest. The memory that compiling takes grows with their square: 4096 take up to 80 MB.
const MOST_INSTRUCTIONS: usize = 4096;

/// The clause cannot be compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refused;

/// Fills `function`, whose signature is set. `area` is the clause whose area of a record is the input; `link` makes a
/// routine callable.
#[allow(clippy::too_many_arguments, reason = "half of them are what cranelift wants for every function")]
pub(super) fn translate(
    plan: &Plan,
    vars: &Vars,
    clause: &ir::Clause,
    area: Option<ir::ClauseId>,
    function: &mut Function,
    buffers: &mut FunctionBuilderContext,
    config: TargetFrontendConfig,
    link: &mut dyn FnMut(&mut Function, Entry) -> FuncRef,
) -> Result<Reach, Refused> {
    let instructions: usize = clause.blocks.iter().map(|block| block.insts.len()).sum();
    let little = cfg!(target_endian = "little");
    if clause.regs.len() > MOST_REGISTERS || instructions > MOST_INSTRUCTIONS || !little {
        return Err(Refused);
    }
    let mut builder = FunctionBuilder::new(function, buffers);
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    let blocks = clause.blocks.iter().map(|_| builder.create_block()).collect();
    let registers = clause.regs.iter().map(|_| builder.declare_var(types::I64)).collect();
    builder.switch_to_block(entry);
    let places = Places::of(builder.block_params(entry)).ok_or(Refused)?;
    let mut translation = Translation {
        plan,
        vars,
        area,
        places,
        blocks,
        registers,
        stored: HashSet::new(),
        words: None,
        reach: Reach { registers: clause.regs.len(), ..Reach::default() },
        builder,
        link,
    };
    let first = translation.block(ir::BlockId(0))?;
    translation.builder.ins().jump(first, &[]);
    for (index, block) in clause.blocks.iter().enumerate() {
        translation.clif_block(index, block)?;
    }
    let Translation { mut builder, reach, .. } = translation;
    builder.seal_all_blocks();
    builder.finalize(config);
    Ok(reach)
}

struct Translation<'a> {
    plan: &'a Plan,
    vars: &'a Vars,
    /// The clause whose area of the record is read; `None` for live events.
    area: Option<ir::ClauseId>,
    builder: FunctionBuilder<'a>,
    link: &'a mut dyn FnMut(&mut Function, Entry) -> FuncRef,
    places: Places<Value>,
    /// By [`ir::BlockId`].
    blocks: Vec<Block>,
    /// By [`Reg`].
    registers: Vec<Variable>,
    /// Registers whose value the interpreter's registers have too, at this place of the block.
    stored: HashSet<Reg>,
    /// Where operands of a call are laid out, or its results.
    words: Option<(StackSlot, usize)>,
    reach: Reach,
}

/// What every load and store here may assume. Records need not be aligned.
fn plain() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

impl Translation<'_> {
    fn block(&self, id: ir::BlockId) -> Result<Block, Refused> {
        self.blocks.get(id.index()).copied().ok_or(Refused)
    }

    fn get(&mut self, reg: Reg) -> Result<Value, Refused> {
        let register = self.registers.get(reg.index()).ok_or(Refused)?;
        Ok(self.builder.use_var(*register))
    }

    fn set(&mut self, reg: Reg, value: Value) -> Result<(), Refused> {
        let register = self.registers.get(reg.index()).ok_or(Refused)?;
        self.builder.def_var(*register, value);
        self.stored.remove(&reg);
        Ok(())
    }

    fn int(&mut self, value: i64) -> Value {
        self.builder.ins().iconst(types::I64, value)
    }

    /// A pointer of the frame.
    fn pointer(&mut self, offset: usize) -> Value {
        self.builder.ins().load(types::I64, MemFlagsData::trusted(), self.places.frame, offset as i32)
    }

    fn clif_block(&mut self, index: usize, block: &ir::Block) -> Result<(), Refused> {
        let id = ir::BlockId(index as u32);
        let here = self.block(id)?;
        self.builder.switch_to_block(here);
        self.stored.clear();
        let mut at = 0;
        while let Some(inst) = block.insts.get(at) {
            let args = self.args(&block.insts[at..])?;
            if args == 0 {
                self.inst(inst, id, at as u32)?;
            }
            at += args.max(1);
        }
        match block.end {
            Terminator::Goto(to) => {
                let to = self.block(to)?;
                self.builder.ins().jump(to, &[]);
            }
            Terminator::Branch { cond, then, otherwise, .. } => {
                let cond = self.get(cond)?;
                let (then, otherwise) = (self.block(then)?, self.block(otherwise)?);
                self.builder.ins().brif(cond, then, &[], otherwise, &[]);
            }
            Terminator::Return => {
                let done = self.int(DONE as i64);
                self.builder.ins().return_(&[done]);
            }
            Terminator::Attempt { .. } => return Err(Refused),
        }
        Ok(())
    }

    fn inst(&mut self, inst: &Inst, block: ir::BlockId, at: u32) -> Result<(), Refused> {
        match &inst.op {
            Op::Const { dst, value } => {
                let value = self.int(*value);
                self.set(*dst, value)
            }
            Op::Null { dst } => {
                let value = self.int(NULL as i64);
                self.set(*dst, value)
            }
            Op::Move { dst, src } => {
                let value = self.get(*src)?;
                self.set(*dst, value)
            }
            Op::Binary { op, dst, lhs, rhs } => {
                let (a, b) = (self.get(*lhs)?, self.get(*rhs)?);
                if op.may_fault() {
                    let zero = self.builder.ins().icmp_imm_s(IntCC::Equal, b, 0);
                    self.aside_if(zero, inst, block, at, Aside::Ends)?;
                }
                let value = self.binary(*op, a, b);
                self.set(*dst, value)
            }
            Op::Unary { op, dst, src } => {
                let value = self.get(*src)?;
                let value = match op {
                    UnOp::Neg => self.builder.ins().ineg(value),
                    UnOp::Not => self.builder.ins().bnot(value),
                };
                self.set(*dst, value)
            }
            Op::Compare { op, dst, lhs, rhs } => {
                let (a, b) = (self.get(*lhs)?, self.get(*rhs)?);
                let holds = self.builder.ins().icmp(condition(*op), a, b);
                let value = self.builder.ins().uextend(types::I64, holds);
                self.set(*dst, value)
            }
            Op::Extend { dst, src, bits, signed } => {
                let value = self.get(*src)?;
                let unused = i64::from(64 - (*bits).clamp(1, 64));
                let high = self.builder.ins().ishl_imm_u(value, unused);
                let value = match signed {
                    true => self.builder.ins().sshr_imm_u(high, unused),
                    false => self.builder.ins().ushr_imm_u(high, unused),
                };
                self.set(*dst, value)
            }
            Op::GetVar { dst, var } => match self.cell(*var) {
                Some(cell) => {
                    let at = self.cell_address(cell);
                    let value = self.builder.ins().load(types::I64, MemFlagsData::trusted(), at.0, at.1);
                    self.set(*dst, value)
                }
                None => self.step(inst, block, at),
            },
            Op::SetVar { var, src } => match self.cell(*var) {
                Some(cell) => {
                    let at = self.cell_address(cell);
                    let value = self.get(*src)?;
                    self.builder.ins().store(MemFlagsData::trusted(), value, at.0, at.1);
                    self.reach.writes_locals |= matches!(cell, Fixed::Local(_));
                    Ok(())
                }
                None => self.step(inst, block, at),
            },
            Op::Recv { dst, slot } => match self.slot(*slot) {
                Some((offset, SlotKind::Int)) => {
                    let value = self.captured(types::I64, offset);
                    self.set(*dst, value)
                }
                _ => self.step(inst, block, at),
            },
            Op::Bit { dst, bit } => match self.branch_word().filter(|_| *bit < 64) {
                Some(offset) => {
                    let word = self.captured(types::I64, offset);
                    let shifted = self.builder.ins().ushr_imm_u(word, i64::from(*bit));
                    let value = self.builder.ins().band_imm_s(shifted, 1);
                    self.set(*dst, value)
                }
                None => self.step(inst, block, at),
            },
            Op::FaultPoint { attempt } => {
                let ended = match attempt {
                    None if self.area.is_some() => {
                        let outcome = self.captured(types::I32, 0);
                        self.builder.ins().icmp_imm_u(
                            IntCC::UnsignedGreaterThan,
                            outcome,
                            i64::from(outcome::RAN),
                        )
                    }
                    Some(slot) => match self.slot(*slot) {
                        Some((offset, SlotKind::Fault)) => self.captured(types::I32, offset),
                        _ => return self.step(inst, block, at),
                    },
                    None => return self.step(inst, block, at),
                };
                self.aside_if(ended, inst, block, at, Aside::MayEnd)
            }
            Op::Builtin { dst, var, index } => self.builtin(inst, *dst, *var, *index),
            Op::Call { dst, func, args } => {
                let mut operands = vec![self.pointer(offset_of!(Frame, run))];
                for at in 0..3 {
                    let operand = match args.get(at) {
                        Some(&reg) => self.get(reg)?,
                        None => self.int(0),
                    };
                    operands.push(operand);
                }
                operands.push(self.builder.ins().iconst(types::I32, args.len() as i64));
                let value = self.call(Entry::Routine(*func), &operands);
                self.end_if_stopped(inst);
                self.set(*dst, value)
            }
            Op::Aggregate { site, keys, value, weight } => {
                let value = match value {
                    Some(reg) => self.get(*reg)?,
                    None => self.int(0),
                };
                let weight = match weight {
                    Some(reg) => self.get(*reg)?,
                    None => self.int(1),
                };
                let agg = self.plan.program.agg_sites.get(site.index()).ok_or(Refused)?.agg;
                // Up to two keys go over in registers, to the table itself; if it does not take them so, because they are
                // new to it, they are laid out. So are strings, and what another room may count.
                let types = self.plan.program.aggs.get(agg.index()).map_or(&[][..], |agg| &agg.keys);
                let fast = match types {
                    _ if self.plan.rooms.agg_site(*site) != SiteRoom::First => None,
                    _ if types.iter().any(|ty| ty.reg_kind() == RegKind::Str) => None,
                    [] => Some(Entry::UpdateOnly),
                    [_] => Some(Entry::UpdateOne),
                    [_, _] => Some(Entry::UpdateTwo),
                    _ => None,
                };
                let done = match fast {
                    Some(entry) => {
                        let mut operands = vec![self.table(agg)];
                        for &key in keys {
                            operands.push(self.get(key)?);
                        }
                        operands.extend([value, weight]);
                        let taken = self.call(entry, &operands);
                        let (slow, done) = (self.builder.create_block(), self.builder.create_block());
                        self.builder.set_cold_block(slow);
                        self.builder.ins().brif(taken, done, &[], slow, &[]);
                        self.builder.switch_to_block(slow);
                        Some(done)
                    }
                    None => None,
                };
                let site = self.builder.ins().iconst(types::I32, i64::from(site.0));
                let words = self.lay_out(keys)?;
                let count = self.builder.ins().iconst(types::I64, keys.len() as i64);
                let stopped =
                    self.call(Entry::Aggregate, &[self.places.frame, site, words, count, value, weight]);
                self.end_if(stopped, inst);
                if let Some(done) = done {
                    self.builder.ins().jump(done, &[]);
                    self.builder.switch_to_block(done);
                }
                Ok(())
            }
            Op::Record { site, args } => {
                let words = self.lay_out(args)?;
                let count = self.builder.ins().iconst(types::I64, args.len() as i64);
                let site = self.builder.ins().iconst(types::I32, i64::from(site.0));
                let stopped = self.call(Entry::Record, &[self.places.frame, site, words, count]);
                self.end_if(stopped, inst);
                Ok(())
            }
            _ => self.step(inst, block, at),
        }
    }

    fn binary(&mut self, op: BinOp, a: Value, b: Value) -> Value {
        match op {
            BinOp::Add => self.builder.ins().iadd(a, b),
            BinOp::Sub => self.builder.ins().isub(a, b),
            BinOp::Mul => self.builder.ins().imul(a, b),
            BinOp::And => self.builder.ins().band(a, b),
            BinOp::Or => self.builder.ins().bor(a, b),
            BinOp::Xor => self.builder.ins().bxor(a, b),
            // Counts are taken modulo 64 here as there.
            BinOp::Shl => self.builder.ins().ishl(a, b),
            BinOp::ShrS => self.builder.ins().sshr(a, b),
            BinOp::ShrU => self.builder.ins().ushr(a, b),
            BinOp::DivU => self.builder.ins().udiv(a, b),
            BinOp::RemU => self.builder.ins().urem(a, b),
            // The quotient of the least number and -1 does not exist in hardware: by -1 is done as by 1, then negated.
            BinOp::DivS | BinOp::RemS => {
                let minus = self.builder.ins().icmp_imm_s(IntCC::Equal, b, -1);
                let one = self.int(1);
                let divisor = self.builder.ins().select(minus, one, b);
                if op == BinOp::RemS {
                    return self.builder.ins().srem(a, divisor);
                }
                let quotient = self.builder.ins().sdiv(a, divisor);
                let negated = self.builder.ins().ineg(quotient);
                self.builder.ins().select(minus, negated, quotient)
            }
        }
    }

    /// The cell of a scalar integer that lives in user space at a fixed place.
    fn cell(&self, var: VarId) -> Option<Fixed> {
        let variable = self.plan.program.vars.get(var.index())?;
        let home = self.plan.homes.get(var.index())?;
        if variable.ty.reg_kind() != RegKind::Int || home.side != Side::User {
            return None;
        }
        self.vars.fixed(var)
    }

    /// Where a cell's word is: pointer and offset.
    fn cell_address(&mut self, cell: Fixed) -> (Value, i32) {
        let (pointer, index) = match cell {
            Fixed::Global(index) => {
                self.reach.globals = self.reach.globals.max(index as usize + 1);
                (self.places.globals, index)
            }
            Fixed::Local(index) => {
                self.reach.locals = self.reach.locals.max(index as usize + 1);
                (self.places.locals, index)
            }
        };
        (pointer, (index as usize * CELL_SIZE + CELL_WORD) as i32)
    }

    /// Where an aggregation is.
    fn table(&mut self, agg: ir::AggId) -> Value {
        self.reach.tables = self.reach.tables.max(agg.index() + 1);
        self.builder.ins().iadd_imm_u(self.places.tables, (agg.index() * size_of::<AggTable>()) as i64)
    }

    /// Where a capture slot is in the area, and what it holds.
    fn slot(&self, slot: SlotId) -> Option<(u32, SlotKind)> {
        let layout = self.plan.clause_layouts.get(self.area?.index())?;
        layout.slots.get(slot.0 as usize).map(|slot| (slot.offset, slot.kind))
    }

    fn branch_word(&self) -> Option<u32> {
        self.plan.clause_layouts.get(self.area?.index())?.bits
    }

    /// A value of the area.
    fn captured(&mut self, ty: clif::Type, offset: u32) -> Value {
        self.reach.area = self.reach.area.max(offset as usize + ty.bytes() as usize);
        self.builder.ins().load(ty, plain(), self.places.area, offset as i32)
    }

    fn builtin(&mut self, inst: &Inst, dst: Reg, var: BuiltinVar, index: u32) -> Result<(), Refused> {
        let shift = |offset: u32| (offset & !7, i64::from(offset % 8 * 8));
        let field = match var {
            _ if self.area.is_none() => None,
            BuiltinVar::Pid => Some((shift(header::PID_TGID + 4), 32)),
            BuiltinVar::Tid => Some((shift(header::PID_TGID), 32)),
            BuiltinVar::Cpu => Some((shift(header::CPU), 32)),
            BuiltinVar::Timestamp => Some((shift(header::TIME), 64)),
            _ => None,
        };
        if let Some(((word, shift), bits)) = field {
            // Every area lies behind the header, so a record that has one has the other.
            self.reach.area = self.reach.area.max(1);
            debug_assert!(word + 8 <= HEADER_SIZE);
            let word = self.builder.ins().load(types::I64, plain(), self.places.record, word as i32);
            let shifted = self.builder.ins().ushr_imm_u(word, shift);
            let value = match bits {
                64 => shifted,
                _ => self.builder.ins().band_imm_u(shifted, 0xffff_ffff),
            };
            return self.set(dst, value);
        }
        let run = self.pointer(offset_of!(Frame, run));
        let index = self.builder.ins().iconst(types::I32, i64::from(index));
        let value = match Entry::of_event(var) {
            Some(entry) => {
                let [value, stopped] = self.call_for(entry, &[run, index])?;
                self.end_if(stopped, inst);
                value
            }
            None => {
                let var = self.builder.ins().iconst(types::I32, var as i64);
                let value = self.call(Entry::Builtin, &[run, var, index]);
                self.end_if_stopped(inst);
                value
            }
        };
        self.set(dst, value)
    }

    /// Arguments of a live event that are asked for one after the other, in their order, by the first instructions: they are
    /// got at once. How many instructions that does; 0 if it is not worth it.
    fn args(&mut self, insts: &[Inst]) -> Result<usize, Refused> {
        let arg = |inst: &Inst| match inst.op {
            Op::Builtin { dst, var: BuiltinVar::Arg, index } if self.area.is_none() => Some((dst, index)),
            _ => None,
        };
        let Some((_, first)) = insts.first().and_then(arg) else { return Ok(0) };
        let wanted = insts.iter().zip(first..).map_while(|(inst, index)| {
            let (dst, own) = arg(inst)?;
            (own == index).then_some(dst)
        });
        let wanted: Vec<Reg> = wanted.collect();
        if wanted.len() < 2 {
            return Ok(0);
        }
        let words = self.words(wanted.len())?;
        let run = self.pointer(offset_of!(Frame, run));
        let index = self.builder.ins().iconst(types::I32, i64::from(first));
        let address = self.builder.ins().stack_addr(types::I64, words, 0);
        let count = self.builder.ins().iconst(types::I64, wanted.len() as i64);
        let all = self.call(Entry::EventArgs, &[run, index, address, count]);
        let [there, slow, on] = [(); 3].map(|()| self.builder.create_block());
        self.builder.set_cold_block(slow);
        self.builder.ins().brif(all, there, &[], slow, &[]);
        self.builder.switch_to_block(there);
        for (at, &dst) in wanted.iter().enumerate() {
            let value = self.builder.ins().stack_load(types::I64, types::I64, words, (at * 8) as i32);
            self.set(dst, value)?;
        }
        self.builder.ins().jump(on, &[]);
        // One of them raises: which, and so where the clause ends, is found out one by one.
        self.builder.switch_to_block(slow);
        for ((inst, &dst), index) in insts.iter().zip(&wanted).zip(first..) {
            self.builtin(inst, dst, BuiltinVar::Arg, index)?;
        }
        self.builder.ins().jump(on, &[]);
        self.builder.switch_to_block(on);
        Ok(wanted.len())
    }

    fn call(&mut self, entry: Entry, operands: &[Value]) -> Value {
        let callee = (self.link)(self.builder.func, entry);
        let call = self.builder.ins().call(callee, operands);
        self.builder.inst_results(call)[0]
    }

    /// A call of what gives so many words.
    fn call_for<const N: usize>(&mut self, entry: Entry, operands: &[Value]) -> Result<[Value; N], Refused> {
        let callee = (self.link)(self.builder.func, entry);
        let call = self.builder.ins().call(callee, operands);
        self.builder.inst_results(call).try_into().map_err(|_| Refused)
    }

    /// Room on the stack for so many words, until it is asked for again.
    fn words(&mut self, count: usize) -> Result<StackSlot, Refused> {
        if let Some((slot, _)) = self.words.filter(|&(_, room)| room >= count) {
            return Ok(slot);
        }
        let room = count.max(4);
        let bytes = u32::try_from(room * 8).map_err(|_| Refused)?;
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, bytes, 3);
        let slot = self.builder.create_sized_stack_slot(data);
        self.words = Some((slot, room));
        Ok(slot)
    }

    /// Stores registers one after the other; where.
    fn lay_out(&mut self, regs: &[Reg]) -> Result<Value, Refused> {
        let slot = self.words(regs.len())?;
        for (at, &reg) in regs.iter().enumerate() {
            let value = self.get(reg)?;
            self.builder.ins().stack_store(types::I64, value, slot, (at * 8) as i32);
        }
        Ok(self.builder.ins().stack_addr(types::I64, slot, 0))
    }

    /// Lets the interpreter carry out an instruction.
    fn step(&mut self, inst: &Inst, block: ir::BlockId, at: u32) -> Result<(), Refused> {
        for reg in sources(inst) {
            if self.stored.insert(reg) {
                self.store(reg)?;
            }
        }
        let stopped = self.call_step(block, at);
        self.end_if(stopped, inst);
        if let Some(dst) = inst.op.dst() {
            let register = *self.registers.get(dst.index()).ok_or(Refused)?;
            let registers = self.pointer(offset_of!(Frame, registers));
            let flags = MemFlagsData::trusted();
            let value = self.builder.ins().load(types::I64, flags, registers, register_offset(dst));
            self.builder.def_var(register, value);
            self.stored.insert(dst);
        }
        Ok(())
    }

    /// Stores a register where the interpreter has it.
    fn store(&mut self, reg: Reg) -> Result<(), Refused> {
        let value = self.get(reg)?;
        let registers = self.pointer(offset_of!(Frame, registers));
        self.builder.ins().store(MemFlagsData::trusted(), value, registers, register_offset(reg));
        Ok(())
    }

    /// Under a condition that seldom holds, lets the interpreter carry out an instruction, which leaves no result then.
    fn aside_if(
        &mut self,
        cond: Value,
        inst: &Inst,
        block: ir::BlockId,
        at: u32,
        aside: Aside,
    ) -> Result<(), Refused> {
        let (slow, on) = (self.builder.create_block(), self.builder.create_block());
        self.builder.set_cold_block(slow);
        self.builder.ins().brif(cond, slow, &[], on, &[]);
        self.builder.switch_to_block(slow);
        // What is stored here is not stored on the other way: the set stays as it is.
        for reg in sources(inst) {
            self.store(reg)?;
        }
        let stopped = self.call_step(block, at);
        match aside {
            Aside::Ends => self.end(inst),
            Aside::MayEnd => {
                self.end_if(stopped, inst);
                self.builder.ins().jump(on, &[]);
            }
        }
        self.builder.switch_to_block(on);
        Ok(())
    }

    fn call_step(&mut self, block: ir::BlockId, at: u32) -> Value {
        let block = self.builder.ins().iconst(types::I32, i64::from(block.0));
        let at = self.builder.ins().iconst(types::I32, i64::from(at));
        self.call(Entry::Step, &[self.places.frame, block, at])
    }

    /// Ends the clause at an instruction if the run has stopped.
    fn end_if_stopped(&mut self, inst: &Inst) {
        let run = self.pointer(offset_of!(Frame, run));
        let status = self.builder.ins().load(types::I32, MemFlagsData::trusted(), run, 0);
        self.end_if(status, inst);
    }

    fn end_if(&mut self, cond: Value, inst: &Inst) {
        let (end, on) = (self.builder.create_block(), self.builder.create_block());
        self.builder.set_cold_block(end);
        self.builder.ins().brif(cond, end, &[], on, &[]);
        self.builder.switch_to_block(end);
        self.end(inst);
        self.builder.switch_to_block(on);
    }

    fn end(&mut self, inst: &Inst) {
        let point = self.int(i64::from(inst.point));
        self.builder.ins().return_(&[point]);
    }
}

/// What an instruction does that is carried out aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aside {
    /// It ends the clause.
    Ends,
    /// It may end it.
    MayEnd,
}

fn sources(inst: &Inst) -> Vec<Reg> {
    let mut sources = Vec::new();
    inst.op.for_each_src(|reg| sources.push(reg));
    sources
}

fn register_offset(reg: Reg) -> i32 {
    // At most MOST_REGISTERS.
    (reg.index() * 8) as i32
}

fn condition(op: CmpOp) -> IntCC {
    match op {
        CmpOp::Eq => IntCC::Equal,
        CmpOp::Ne => IntCC::NotEqual,
        CmpOp::LtS => IntCC::SignedLessThan,
        CmpOp::LeS => IntCC::SignedLessThanOrEqual,
        CmpOp::LtU => IntCC::UnsignedLessThan,
        CmpOp::LeU => IntCC::UnsignedLessThanOrEqual,
    }
}
