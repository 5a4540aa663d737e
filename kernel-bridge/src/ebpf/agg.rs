//! Aggregation updates: find the value by key and generation, then add, or keep the least or greatest.
//!
//! Sums are non-fetching atomic adds, since a timer program can interrupt another on the same CPU; a minimum or maximum
//! has a copy for each program. A value's first word tells that it was updated
//! ([`dtrail_lang::plan::layout::agg_words`]).

use dtrail_lang::builtins::AggFn;
use dtrail_lang::builtins::aggs::{QUANTIZE_BUCKETS, QUANTIZE_ZERO, Shape};
use dtrail_lang::ir::{AggSiteId, Reg};

use super::asm::{Alu, FP, Jmp, R0, R1, R2, R3, R4, Size};
use super::clause::Gen;
use super::emit::EmitError;
use super::keys::KeyAddress;
use super::{agg_place, control, counter, helper};

/// `BPF_NOEXIST`
const NOEXIST: i64 = 1;

impl Gen<'_> {
    pub(super) fn aggregate(
        &mut self,
        site: AggSiteId,
        keys: &[Reg],
        value: Option<Reg>,
        weight: Option<Reg>,
    ) -> Result<(), EmitError> {
        let env = self.env;
        let Some(place) = agg_place(&env.state, site) else {
            return Err(self.inconsistent("a kernel clause updates an aggregation that lives in user space"));
        };
        let declared = &env.plan.program.aggs[place.agg.index()];
        let done = self.asm.label();
        let lost = self.counted(counter::AGGREGATION, done);
        if place.key.is_empty() {
            self.find_unkeyed(place.map)?;
            self.asm.jmp_imm(Jmp::Eq, R0, 0, lost);
        } else {
            if keys.len() != place.key.len() {
                return Err(self.inconsistent("an aggregation key has another length than its layout"));
            }
            let parts = place.key.clone();
            let generation = env.plan.cuts.any();
            let at = self.build_key(&parts, keys, generation)?;
            self.find_keyed(place.map, &at, lost)?;
        }
        let copy = if place.slots > 1 { self.agg_slot.min(place.slots - 1) * place.words * 8 } else { 0 };
        self.update(declared.func, declared.shape, copy as i32, value, weight)?;
        self.asm.bind(done);
        Ok(())
    }

    /// `R0` = the value of an aggregation without keys.
    fn find_unkeyed(&mut self, map: u32) -> Result<(), EmitError> {
        let key = self.key_word()?;
        let generations = self.env.plan.cuts.generations();
        if generations > 1 {
            self.asm.map_value(R1, self.env.state.control, control::GENERATION * 8);
            self.asm.ldx(Size::D, R1, R1, 0);
            self.asm.alu_imm(Alu::And, R1, generations as i32 - 1);
            self.asm.stx(Size::W, FP, key, R1);
        } else {
            self.asm.st_imm(Size::W, FP, key, 0);
        }
        self.asm.map(R1, map);
        self.asm.mov(R2, FP);
        self.asm.alu_imm(Alu::Add, R2, i32::from(key));
        self.asm.call(helper::MAP_LOOKUP_ELEM);
        Ok(())
    }

    /// `R0` = the value of a key, entered as zeros if it is new.
    fn find_keyed(&mut self, map: u32, key: &KeyAddress, lost: super::asm::Label) -> Result<(), EmitError> {
        let found = self.asm.label();
        self.lookup(map, key);
        self.asm.jmp_imm(Jmp::Ne, R0, 0, found);
        let size = self.env.maps[map as usize].value_size as usize;
        let zeros = self.env.rodata.borrow_mut().intern(&vec![0; size]);
        self.asm.map(R1, map);
        self.key_to(R2, key);
        self.asm.map_value(R3, self.env.rodata_map, zeros);
        self.asm.mov_imm(R4, NOEXIST);
        self.asm.call(helper::MAP_UPDATE_ELEM);
        self.lookup(map, key);
        self.asm.jmp_imm(Jmp::Eq, R0, 0, lost);
        self.asm.bind(found);
        Ok(())
    }

    /// `R0` = the value of a key in a map, or 0.
    pub(super) fn lookup(&mut self, map: u32, key: &KeyAddress) {
        self.asm.map(R1, map);
        self.key_to(R2, key);
        self.asm.call(helper::MAP_LOOKUP_ELEM);
    }

    /// Updates the state at `R0 + at`.
    fn update(
        &mut self,
        func: AggFn,
        shape: Shape,
        at: i32,
        value: Option<Reg>,
        weight: Option<Reg>,
    ) -> Result<(), EmitError> {
        let value = match (func, value) {
            (AggFn::Count, _) => {
                self.asm.mov_imm(R1, 1);
                self.asm.atomic_add(R0, 0, R1);
                return Ok(());
            }
            (_, Some(value)) => value,
            (_, None) => return Err(self.inconsistent("an aggregation is updated without a value")),
        };
        match func {
            AggFn::Count => {}
            AggFn::Sum => {
                let value = self.operand(value, R1);
                self.asm.st_imm(Size::D, R0, 0, 1);
                self.asm.atomic_add(R0, 8, value);
            }
            AggFn::Avg => {
                self.asm.mov_imm(R2, 1);
                self.asm.atomic_add(R0, 0, R2);
                let value = self.operand(value, R1);
                self.asm.atomic_add(R0, 8, value);
            }
            AggFn::Min | AggFn::Max => {
                let (set, keep) = (self.asm.label(), self.asm.label());
                self.asm.alu_imm(Alu::Add, R0, at);
                let value = self.operand(value, R1);
                self.asm.ldx(Size::D, R2, R0, 0);
                self.asm.jmp_imm(Jmp::Eq, R2, 0, set);
                self.asm.ldx(Size::D, R2, R0, 8);
                self.asm.jmp(if func == AggFn::Min { Jmp::Sle } else { Jmp::Sge }, R2, value, keep);
                self.asm.bind(set);
                self.asm.stx(Size::D, R0, 8, value);
                self.asm.st_imm(Size::D, R0, 0, 1);
                self.asm.bind(keep);
            }
            AggFn::Quantize => {
                self.load(value, R1);
                self.quantize_bucket();
                self.add_to_bucket(weight);
            }
            AggFn::Lquantize => {
                self.load(value, R1);
                self.lquantize_bucket(shape);
                self.add_to_bucket(weight);
            }
        }
        Ok(())
    }

    /// Adds the weight to bucket `R1` of the histogram at `R0`.
    fn add_to_bucket(&mut self, weight: Option<Reg>) {
        self.asm.st_imm(Size::D, R0, 0, 1);
        self.asm.alu_imm(Alu::Lsh, R1, 3);
        self.asm.alu(Alu::Add, R0, R1);
        let weight = match weight {
            Some(weight) => self.operand(weight, R2),
            None => {
                self.asm.mov_imm(R2, 1);
                R2
            }
        };
        self.asm.atomic_add(R0, 8, weight);
    }

    /// `R1` = the power-of-two bucket of `R1`: the zero bucket plus the length in bits of the absolute value, or minus it
    /// for a negative one. Clobbers `R2` to `R4`.
    ///
    /// The length is found by two halvings and a table of bytes: the branches go the same way for values of one
    /// magnitude, and the verifier has few paths to follow.
    fn quantize_bucket(&mut self) {
        let (sign, length, temp) = (R2, R3, R4);
        let lengths: Vec<u8> = (0..=255u8).map(|b| 8 - b.leading_zeros() as u8).collect();
        let at = self.env.rodata.borrow_mut().intern(&lengths);
        self.asm.mov(sign, R1);
        self.asm.alu_imm(Alu::Arsh, sign, 63);
        self.asm.alu(Alu::Xor, R1, sign);
        self.asm.alu(Alu::Sub, R1, sign);
        self.asm.mov_imm(length, 0);
        for bits in [32, 16, 8] {
            let small = self.asm.label();
            self.asm.mov(temp, R1);
            self.asm.alu_imm(Alu::Rsh, temp, bits);
            self.asm.jmp_imm(Jmp::Eq, temp, 0, small);
            self.asm.mov(R1, temp);
            self.asm.alu_imm(Alu::Add, length, bits);
            self.asm.bind(small);
        }
        // What is left is below 256; the mask says so to the verifier.
        self.asm.alu_imm(Alu::And, R1, 255);
        self.asm.map_value(temp, self.env.rodata_map, at);
        self.asm.alu(Alu::Add, temp, R1);
        self.asm.ldx(Size::B, R1, temp, 0);
        self.asm.alu(Alu::Add, R1, length);
        self.asm.clamp(R1, QUANTIZE_ZERO as u32);
        self.asm.alu(Alu::Xor, R1, sign);
        self.asm.alu(Alu::Sub, R1, sign);
        self.asm.alu_imm(Alu::Add, R1, QUANTIZE_ZERO as i32);
        self.asm.clamp(R1, QUANTIZE_BUCKETS as u32 - 1);
    }

    /// `R1` = the linear bucket of `R1`. Clobbers `R2`.
    fn lquantize_bucket(&mut self, shape: Shape) {
        let (under, inside, done) = (self.asm.label(), self.asm.label(), self.asm.label());
        let levels = i64::from(shape.levels());
        let base = i64::from(shape.base);
        let limit = base + levels * i64::from(shape.step);
        self.asm.jmp_value(Jmp::Slt, R1, base, R2, under);
        self.asm.jmp_value(Jmp::Slt, R1, limit, R2, inside);
        self.asm.mov_imm(R1, levels + 1);
        self.asm.ja(done);
        self.asm.bind(under);
        self.asm.mov_imm(R1, 0);
        self.asm.ja(done);
        self.asm.bind(inside);
        self.asm.alu_imm(Alu::Sub, R1, shape.base);
        self.asm.alu_imm(Alu::Div, R1, i32::from(shape.step.max(1)));
        self.asm.alu_imm(Alu::Add, R1, 1);
        self.asm.clamp(R1, levels as u32);
        self.asm.bind(done);
    }
}
