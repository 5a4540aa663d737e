//! Built-in variables: from the context, the probe table or the clause itself.

use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::ir::{Reg, RegKind};
use dtrail_lang::options::MAX_FRAMES;
use dtrail_lang::plan::SharedSlot;

use dtrail_vm::host::CpuPlace;

use super::alloc::StrHome;
use super::asm::{Alu, Asm, Jmp, R0, R1, R7, Size};
use super::clause::Gen;
use super::context::{ContextBase, Field, Fields};
use super::emit::{EmitError, Env};
use super::registers;
use super::stacks::{self, Side};

/// How an integer built-in comes out of a context field.
#[derive(Clone, Copy)]
enum Part {
    Whole,
    Low,
    High,
}

/// The field behind an integer built-in, and which part of it.
fn field_of(var: BuiltinVar) -> Option<(Field, Part)> {
    Some(match var {
        BuiltinVar::Pid => (Field::PidTgid, Part::High),
        BuiltinVar::Tid => (Field::PidTgid, Part::Low),
        BuiltinVar::Ppid => (Field::Ppid, Part::Whole),
        BuiltinVar::Uid => (Field::UidGid, Part::Low),
        BuiltinVar::Gid => (Field::UidGid, Part::High),
        BuiltinVar::Cpu => (Field::Cpu, Part::Whole),
        BuiltinVar::Timestamp => (Field::Time, Part::Whole),
        BuiltinVar::Walltimestamp => (Field::Wall, Part::Whole),
        BuiltinVar::TaskStart => (Field::Start, Part::Whole),
        BuiltinVar::Curthread => (Field::Curthread, Part::Whole),
        BuiltinVar::Vtimestamp => (Field::OnCpu, Part::Whole),
        _ => return None,
    })
}

/// `R0` = an integer built-in that is no argument; clobbers `R0` to `R5`. `clause_number` is that of the running clause.
fn int_builtin(
    asm: &mut Asm,
    env: &Env<'_>,
    base: ContextBase,
    (var, index): (BuiltinVar, u32),
    clause_number: u32,
    known: &mut Fields,
) {
    if let Some((field, part)) = field_of(var) {
        env.filler().read(asm, base, field, known);
        match part {
            Part::Whole => {}
            Part::Low => asm.mov32(R0, R0),
            Part::High => asm.alu_imm(Alu::Rsh, R0, 32),
        }
        return;
    }
    match var {
        BuiltinVar::Errno => base.load(asm, R0, env.context.errno),
        BuiltinVar::Id | BuiltinVar::Epid => {
            let ids: Vec<u8> = env.plan.program.probes.iter().flat_map(|p| p.id.0.to_le_bytes()).collect();
            let count = env.plan.program.probes.len();
            let done = asm.label();
            base.load(asm, R1, env.context.probe);
            asm.mov_imm(R0, 0);
            asm.jmp_value(Jmp::Ge, R1, count as i64, R0, done);
            asm.alu_imm(Alu::Lsh, R1, 2);
            let at = env.rodata.borrow_mut().intern(&ids);
            asm.map_value(R0, env.rodata_map, at);
            asm.alu(Alu::Add, R0, R1);
            asm.ldx(Size::W, R0, R0, 0);
            if var == BuiltinVar::Epid {
                asm.alu_imm(Alu::Lsh, R0, 32);
                asm.mov_imm(R1, i64::from(clause_number));
                asm.alu(Alu::Or, R0, R1);
            }
            asm.bind(done);
        }
        BuiltinVar::Chip | BuiltinVar::Lgrp => {
            let of = |place: &CpuPlace| if var == BuiltinVar::Chip { place.chip } else { place.lgrp };
            let places: Vec<u8> =
                env.target.places.iter().flat_map(|place| of(place).to_le_bytes()).collect();
            let done = asm.label();
            env.filler().read(asm, base, Field::Cpu, known);
            asm.mov(R1, R0);
            asm.mov_imm(R0, 0);
            asm.jmp_value(Jmp::Ge, R1, env.target.places.len() as i64, R0, done);
            asm.alu_imm(Alu::Lsh, R1, 2);
            let at = env.rodata.borrow_mut().intern(&places);
            asm.map_value(R0, env.rodata_map, at);
            asm.alu(Alu::Add, R0, R1);
            asm.ldx(Size::W, R0, R0, 0);
            asm.bind(done);
        }
        BuiltinVar::Ipl => asm.mov_imm(R0, 0),
        BuiltinVar::Uregs => registers::register(asm, env, index),
        BuiltinVar::Caller => stacks::caller(asm, env, base, Side::Kernel),
        BuiltinVar::Ucaller => stacks::caller(asm, env, base, Side::User),
        BuiltinVar::Stackdepth => stacks::addresses(asm, env, base, Side::Kernel, MAX_FRAMES),
        BuiltinVar::Ustackdepth => stacks::addresses(asm, env, base, Side::User, MAX_FRAMES),
        // Fields of the context come above; arguments and strings do not come here.
        BuiltinVar::Arg
        | BuiltinVar::Execname
        | BuiltinVar::Pid
        | BuiltinVar::Tid
        | BuiltinVar::Ppid
        | BuiltinVar::Uid
        | BuiltinVar::Gid
        | BuiltinVar::Cpu
        | BuiltinVar::Timestamp
        | BuiltinVar::Walltimestamp
        | BuiltinVar::TaskStart
        | BuiltinVar::Curthread
        | BuiltinVar::Vtimestamp
        | BuiltinVar::Probeprov
        | BuiltinVar::Probemod
        | BuiltinVar::Probefunc
        | BuiltinVar::Probename => asm.mov_imm(R0, 0),
    }
}

impl Gen<'_> {
    pub(super) fn builtin(&mut self, dst: Reg, var: BuiltinVar, index: u32) -> Result<(), EmitError> {
        if self.kind(dst) == RegKind::Str {
            return self.string_builtin(dst, var);
        }
        if var == BuiltinVar::Arg {
            let target = self.target(dst);
            self.base.load(&mut self.asm, target, self.env.context.arg(index));
            self.define(dst, target);
            return Ok(());
        }
        let mut known = self.known;
        int_builtin(&mut self.asm, self.env, self.base, (var, index), self.clause.number, &mut known);
        self.known = known;
        self.define(dst, R0);
        Ok(())
    }

    fn string_builtin(&mut self, dst: Reg, var: BuiltinVar) -> Result<(), EmitError> {
        if var == BuiltinVar::Execname {
            self.field(Field::Comm);
        }
        match self.str_home(dst) {
            StrHome::Buffer(buffer) => {
                let from = if var == BuiltinVar::Execname { StrHome::Comm } else { StrHome::Probe(var) };
                self.copy_to_buffer(buffer, from)
            }
            _ => Ok(()),
        }
    }
}

/// Stores what `ERROR` clauses read of the event into a record, but for stacks; `R7` is the scratch memory.
pub(super) fn shared_slot(
    asm: &mut Asm,
    env: &Env<'_>,
    base: ContextBase,
    slot: &SharedSlot,
    known: &mut Fields,
) -> Result<(), EmitError> {
    let Some(var) = slot.builtin() else { return Ok(()) };
    if var.row().string {
        return super::strings::shared_string(asm, env, base, slot, known);
    }
    if var == BuiltinVar::Arg {
        return Err(EmitError::inconsistent(None, "ERROR has arguments of its own"));
    }
    int_builtin(asm, env, base, (var, slot.index()), 0, known);
    asm.stx(Size::D, R7, env.scratch.in_record(slot.offset) as i32, R0);
    Ok(())
}
