//! Packed keys of aggregations and associative arrays ([`KeyPart`]): built on the stack if small, else in scratch.

use std::collections::HashMap;

use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::ir::{Reg, RegKind};
use dtrail_lang::plan::KeyPart;

use super::alloc::StrHome;
use super::asm::{Alu, FP, Mreg, R0, R1, R7, Size};
use super::clause::Gen;
use super::context::Field;
use super::control;
use super::emit::EmitError;
use super::strings::component;

/// Whether a key is small enough to be built on the stack.
pub(super) fn fits_stack(parts: &[KeyPart], strsize: u32) -> bool {
    parts.iter().all(|p| !matches!(p, KeyPart::Str))
        && parts.iter().map(|p| p.size(strsize)).sum::<u32>() <= 56
}

/// Where a key was built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyAddress {
    /// A displacement from the frame pointer.
    Stack(i32),
    /// An offset in scratch.
    Scratch(u32),
    /// The command name in the context, which is a key as it lies there.
    Comm,
}

impl Gen<'_> {
    /// Builds a key, headed by the generation if asked. Clobbers `R0` to `R5`.
    pub(super) fn build_key(
        &mut self,
        parts: &[KeyPart],
        regs: &[Reg],
        generation: bool,
    ) -> Result<KeyAddress, EmitError> {
        let strsize = self.env.plan.program.limits.strsize;
        if !generation && parts == [KeyPart::Execname] {
            self.field(Field::Comm);
            return Ok(KeyAddress::Comm);
        }
        let head = if generation { 8 } else { 0 };
        let size = head + parts.iter().map(|p| p.size(strsize)).sum::<u32>();
        let (base, start, address) = if fits_stack(parts, strsize) {
            let off = self.key_stack(size)?;
            (FP, off, KeyAddress::Stack(off))
        } else {
            let at = self.env.scratch.key;
            (R7, at as i32, KeyAddress::Scratch(at))
        };
        if generation {
            self.asm.map_value(R1, self.env.state.control, control::GENERATION * 8);
            self.asm.ldx(Size::D, R0, R1, 0);
            self.asm.stx(Size::D, base, start, R0);
        }
        let mut at = head;
        for (part, reg) in parts.iter().zip(regs) {
            let off = start + at as i32;
            match part {
                KeyPart::Int => {
                    if self.kind(*reg) != RegKind::Int {
                        return Err(self.inconsistent("a string stands where a key has an integer"));
                    }
                    match self.constant(*reg).map(i32::try_from) {
                        Some(Ok(value)) => self.asm.st_imm(Size::D, base, off, value),
                        _ => {
                            let value = self.operand(*reg, R0);
                            self.asm.stx(Size::D, base, off, value);
                        }
                    }
                }
                KeyPart::Execname => {
                    self.field(Field::Comm);
                    let comm = self.env.context.field(Field::Comm);
                    for word in [0, 8] {
                        self.base.load(&mut self.asm, R0, comm + word);
                        self.asm.stx(Size::D, base, off + word as i32, R0);
                    }
                }
                KeyPart::Probe(var) => {
                    self.base.load(&mut self.asm, R0, self.env.context.probe);
                    self.first_of_component(*var);
                    self.asm.stx(Size::D, base, off, R0);
                }
                KeyPart::Str => {
                    let home = self.str_home(*reg);
                    if self.kind(*reg) != RegKind::Str || home == StrHome::None {
                        return Err(self.inconsistent("an integer stands where a key has a string"));
                    }
                    self.string_to_key(self.env.scratch.key + at, home)?;
                }
            }
            at += part.size(strsize);
        }
        Ok(address)
    }

    /// `R0` = the first probe that has the component of probe `R0`, so that a component is one key. Clobbers `R1`.
    fn first_of_component(&mut self, var: BuiltinVar) {
        let probes = &self.env.plan.program.probes;
        if var == BuiltinVar::Id {
            return;
        }
        let mut firsts: HashMap<&[u8], u32> = HashMap::new();
        let numbered = probes.iter().zip(0..);
        let table: Vec<u32> =
            numbered.map(|(probe, i)| *firsts.entry(component(probe, var)).or_insert(i)).collect();
        if firsts.len() == table.len() {
            return;
        }
        let bytes: Vec<u8> = table.iter().flat_map(|first| first.to_le_bytes()).collect();
        let at = self.env.rodata.borrow_mut().intern(&bytes);
        // For the verifier: the context has no other numbers.
        self.asm.clamp(R0, table.len() as u32 - 1);
        self.asm.alu_imm(Alu::Lsh, R0, 2);
        self.asm.map_value(R1, self.env.rodata_map, at);
        self.asm.alu(Alu::Add, R1, R0);
        self.asm.ldx(Size::W, R0, R1, 0);
    }

    /// `into` = the address of a key.
    pub(super) fn key_to(&mut self, into: Mreg, key: &KeyAddress) {
        match *key {
            KeyAddress::Stack(off) => {
                self.asm.mov(into, FP);
                self.asm.alu_imm(Alu::Add, into, off);
            }
            KeyAddress::Scratch(at) => {
                self.asm.mov(into, R7);
                self.asm.alu_imm(Alu::Add, into, at as i32);
            }
            KeyAddress::Comm => {
                self.base.address(&mut self.asm, into, self.env.context.field(Field::Comm));
            }
        }
    }
}
