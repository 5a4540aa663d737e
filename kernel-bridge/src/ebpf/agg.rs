//! Aggregation updates: find the value by key and generation, then add, or keep the least or greatest.
//!
//! A new key that the kernel has no memory for in this instant goes to a spare map ([`AggPlace::spare`]).
//!
//! Sums are non-fetching atomic adds, since a timer program can interrupt another on the same CPU; a minimum or maximum,
//! and the deviation with its carry, has a copy for each program. A value's first word tells that it was updated
//! ([`dtrail_lang::plan::layout::agg_words`]).

use dtrail_lang::builtins::AggFn;
use dtrail_lang::builtins::aggs::{Linear, LogLinear, QUANTIZE_BUCKETS, QUANTIZE_ZERO, Shape};
use dtrail_lang::ir::{AggSiteId, Reg};

use super::asm::{Alu, FP, Jmp, Label, Mreg, R0, R1, R2, R3, R4, R5, Size};
use super::clause::Gen;
use super::emit::EmitError;
use super::keys::KeyAddress;
use super::{AggPlace, Room, agg_place, control, counter, helper};

/// `BPF_NOEXIST`
const NOEXIST: i64 = 1;

/// What `bpf_map_update_elem` returns for a new key of a full map.
const E2BIG: i64 = -7;

/// Bytes of a row of [`magnitudes`].
const MAGNITUDE_ROW: usize = 32;

/// Two tables about the magnitudes of `llquantize`: by length in bits (0 to 64), how many thresholds lie at or below the
/// smallest value of that length; and by that number a row of the next threshold, a multiplier, a divisor and a summand,
/// which make a value its distance from the middle.
fn magnitudes(shape: LogLinear) -> (Vec<u8>, Vec<u8>) {
    let (low, high) = (u32::from(shape.low), u32::from(shape.high));
    let thresholds: Vec<u64> = (low..=high + 1).map(|magnitude| shape.power(magnitude)).collect();
    let least = |bits: u32| if bits == 0 { 0 } else { 1_u64 << (bits - 1) };
    let below = |value: u64| thresholds.iter().filter(|threshold| **threshold <= value).count() as u8;
    let guesses = (0..=64).map(|bits| below(least(bits))).collect();
    let width = u64::from(shape.width());
    let mut rows = Vec::new();
    let mut row = |threshold: u64, scale: (u64, u64), summand: u64| {
        for word in [threshold, scale.0, scale.1, summand] {
            rows.extend_from_slice(&word.to_le_bytes());
        }
    };
    let next = |i: usize| thresholds.get(i).copied().unwrap_or(u64::MAX);
    row(next(0), (0, 1), 0);
    for (i, magnitude) in (low..=high).enumerate() {
        let before = (i as u64 * width + 1).wrapping_sub(u64::from(shape.skipped()));
        row(next(i + 1), shape.scale(magnitude), before);
    }
    // Above all magnitudes; once more for the verifier, which does not know that no value reaches the last threshold.
    let end = u64::from(shape.magnitudes()) * width + 1;
    row(u64::MAX, (0, 1), end);
    row(u64::MAX, (0, 1), end);
    (guesses, rows)
}

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
            self.find_unkeyed(place.map, place.first)?;
            self.asm.jmp_imm(Jmp::Eq, R0, 0, lost);
        } else {
            if keys.len() != place.key.len() {
                return Err(self.inconsistent("an aggregation key has another length than its layout"));
            }
            let parts = place.key.clone();
            let generation = env.plan.cuts.any();
            let at = self.build_key(&parts, keys, generation)?;
            let no_memory = self.counted(counter::AGGREGATION_MEMORY, done);
            self.find_keyed(place, &at, lost, no_memory);
        }
        let copy = if place.slots > 1 { self.agg_slot.min(place.slots - 1) * place.words * 8 } else { 0 };
        self.update(declared.func, declared.shape, copy as i32, value, weight)?;
        self.asm.bind(done);
        Ok(())
    }

    /// `R0` = the value of an aggregation without keys, whose entries begin at `first`.
    fn find_unkeyed(&mut self, map: u32, first: u32) -> Result<(), EmitError> {
        let key = self.key_word()?;
        let generations = self.env.plan.cuts.generations();
        if generations > 1 {
            self.asm.map_value(R1, self.env.state.control, control::GENERATION * 8);
            self.asm.ldx(Size::D, R1, R1, 0);
            self.asm.alu_imm(Alu::And, R1, generations as i32 - 1);
            if first > 0 {
                self.asm.alu_imm(Alu::Add, R1, first as i32);
            }
            self.asm.stx(Size::W, FP, key, R1);
        } else {
            self.asm.st_imm(Size::W, FP, key, first as i32);
        }
        self.asm.map(R1, map);
        self.asm.mov(R2, FP);
        self.asm.alu_imm(Alu::Add, R2, key);
        self.asm.call(helper::MAP_LOOKUP_ELEM);
        Ok(())
    }

    /// `R0` = the value of a key, entered as zeros if it is new; goes to `lost` if there is no room for it, to `no_memory`
    /// if the map has room and neither the kernel in this instant nor the spare map has an entry for it. Where two CPUs
    /// make the last keys of a generation at one instant, there may be one too many.
    fn find_keyed(&mut self, place: &AggPlace, key: &KeyAddress, lost: Label, no_memory: Label) {
        let found = self.asm.label();
        self.lookup(place.map, key);
        self.asm.jmp_imm(Jmp::Ne, R0, 0, found);
        if let Some(room) = place.room {
            self.keys_of_generation(room, key);
            self.asm.ldx(Size::D, R0, R1, 0);
            self.asm.jmp_value(Jmp::Ge, R0, i64::from(room.most), R2, lost);
        }
        self.enter(place.map, key);
        self.asm.jmp_value(Jmp::Eq, R0, E2BIG, R2, lost);
        if let Some(room) = place.room {
            // Who entered it counts it.
            let other = self.asm.label();
            self.asm.jmp_imm(Jmp::Ne, R0, 0, other);
            self.keys_of_generation(room, key);
            self.asm.mov_imm(R0, 1);
            self.asm.atomic_add(R1, 0, R0);
            self.asm.bind(other);
        }
        // Another CPU may have entered it meanwhile.
        self.lookup(place.map, key);
        if let Some(spare) = place.spare {
            self.asm.jmp_imm(Jmp::Ne, R0, 0, found);
            self.enter(spare, key);
            self.lookup(spare, key);
        }
        self.asm.jmp_imm(Jmp::Eq, R0, 0, no_memory);
        self.asm.bind(found);
    }

    /// Enters a key with zeros if it is new; `R0` = 0 or the kernel's error.
    fn enter(&mut self, map: u32, key: &KeyAddress) {
        let size = self.env.maps[map as usize].value_size as usize;
        let zeros = self.env.rodata.borrow_mut().intern(&vec![0; size]);
        self.asm.map(R1, map);
        self.key_to(R2, key);
        self.asm.map_value(R3, self.env.rodata_map, zeros);
        self.asm.mov_imm(R4, NOEXIST);
        self.asm.call(helper::MAP_UPDATE_ELEM);
    }

    /// `R1` = the address of the word that counts the keys of the generation that heads a key. Clobbers `R2`.
    fn keys_of_generation(&mut self, room: Room, key: &KeyAddress) {
        self.key_to(R1, key);
        self.asm.ldx(Size::D, R2, R1, 0);
        self.asm.alu_imm(Alu::And, R2, self.env.plan.cuts.generations() as i32 - 1);
        self.asm.alu_imm(Alu::Lsh, R2, 3);
        self.asm.map_value(R1, self.env.state.control, room.word * 8);
        self.asm.alu(Alu::Add, R1, R2);
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
            AggFn::Percentile | AggFn::Distinct | AggFn::Topk => {
                return Err(self.inconsistent("a kernel clause updates a sketch"));
            }
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
            AggFn::Stddev => {
                self.asm.alu_imm(Alu::Add, R0, at);
                self.load(value, R1);
                self.add_square();
            }
            AggFn::Quantize | AggFn::Lquantize | AggFn::Llquantize => {
                self.load(value, R1);
                match shape {
                    Shape::Plain => self.quantize_bucket(),
                    Shape::Linear(linear) => self.lquantize_bucket(linear),
                    Shape::LogLinear(shape) => self.llquantize_bucket(shape),
                    _ => return Err(self.inconsistent("a histogram with the constants of a sketch")),
                }
                self.add_to_bucket(weight);
            }
        }
        Ok(())
    }

    /// Counts `R1` in the deviation at `R0`: one more value, its sum, and its square in 128 bits. Clobbers `R1` to `R4`.
    fn add_square(&mut self) {
        let (value, high, cross, low) = (R1, R2, R3, R4);
        self.asm.ldx(Size::D, high, R0, 0);
        self.asm.alu_imm(Alu::Add, high, 1);
        self.asm.stx(Size::D, R0, 0, high);
        self.asm.ldx(Size::D, high, R0, 8);
        self.asm.alu(Alu::Add, high, value);
        self.asm.stx(Size::D, R0, 8, high);
        // |value| = h · 2^32 + l, and its square h² · 2^64 + hl · 2^33 + l².
        self.asm.mov(high, value);
        self.asm.alu_imm(Alu::Arsh, high, 63);
        self.asm.alu(Alu::Xor, value, high);
        self.asm.alu(Alu::Sub, value, high);
        self.asm.mov(high, value);
        self.asm.alu_imm(Alu::Rsh, high, 32);
        self.asm.alu_imm(Alu::Lsh, value, 32);
        self.asm.alu_imm(Alu::Rsh, value, 32);
        self.asm.mov(cross, value);
        self.asm.alu(Alu::Mul, cross, high);
        self.asm.alu(Alu::Mul, high, high);
        self.asm.alu(Alu::Mul, value, value);
        self.asm.mov(low, cross);
        self.asm.alu_imm(Alu::Lsh, low, 33);
        self.asm.alu_imm(Alu::Rsh, cross, 31);
        self.asm.alu(Alu::Add, high, cross);
        self.add_with_carry(low, value, high);
        self.asm.ldx(Size::D, value, R0, 16);
        self.add_with_carry(low, value, high);
        self.asm.stx(Size::D, R0, 16, low);
        self.asm.ldx(Size::D, value, R0, 24);
        self.asm.alu(Alu::Add, high, value);
        self.asm.stx(Size::D, R0, 24, high);
    }

    /// `low += add`, and 1 to `high` if that exceeds 64 bits.
    fn add_with_carry(&mut self, low: Mreg, add: Mreg, high: Mreg) {
        let none = self.asm.label();
        self.asm.alu(Alu::Add, low, add);
        self.asm.jmp(Jmp::Ge, low, add, none);
        self.asm.alu_imm(Alu::Add, high, 1);
        self.asm.bind(none);
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
    fn quantize_bucket(&mut self) {
        let sign = R2;
        self.split_sign(sign);
        self.bit_length();
        self.asm.clamp(R1, QUANTIZE_ZERO as u32);
        self.away_from(sign, QUANTIZE_ZERO as u32, QUANTIZE_BUCKETS as u32 - 1);
    }

    /// `R1` = its absolute value; `sign` = -1 if it was negative, else 0.
    fn split_sign(&mut self, sign: Mreg) {
        self.asm.mov(sign, R1);
        self.asm.alu_imm(Alu::Arsh, sign, 63);
        self.asm.alu(Alu::Xor, R1, sign);
        self.asm.alu(Alu::Sub, R1, sign);
    }

    /// `R1` = `middle` + `R1`, or `middle` - `R1` for a negative sign: at most `last`.
    fn away_from(&mut self, sign: Mreg, middle: u32, last: u32) {
        self.asm.alu(Alu::Xor, R1, sign);
        self.asm.alu(Alu::Sub, R1, sign);
        self.asm.alu_imm(Alu::Add, R1, middle as i32);
        self.asm.clamp(R1, last);
    }

    /// `R1` = how many bits `R1` has without leading zeros. Clobbers `R3` and `R4`.
    ///
    /// Found by halvings and a table of bytes: the branches go the same way for values of one magnitude, and the verifier
    /// has few paths to follow.
    fn bit_length(&mut self) {
        let (length, temp) = (R3, R4);
        let lengths: Vec<u8> = (0..=255u8).map(|b| 8 - b.leading_zeros() as u8).collect();
        let at = self.env.rodata.borrow_mut().intern(&lengths);
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
    }

    /// `R1` = the log-linear bucket of `R1`. Clobbers `R2` to `R5`.
    ///
    /// The length in bits leads to one of two neighbouring magnitudes, since none is shorter than a bit; a comparison
    /// tells which. A row of a table then has what makes a value of that magnitude a distance from the middle.
    fn llquantize_bucket(&mut self, shape: LogLinear) {
        let (sign, temp, row, value) = (R2, R3, R4, R5);
        let (guesses, rows) = magnitudes(shape);
        let (guesses, rows) = {
            let mut rodata = self.env.rodata.borrow_mut();
            (rodata.intern(&guesses), rodata.intern(&rows))
        };
        let most = shape.magnitudes() * shape.width() + 1;
        self.split_sign(sign);
        self.asm.mov(value, R1);
        self.bit_length();
        self.asm.clamp(R1, 64);
        self.asm.map_value(row, self.env.rodata_map, guesses);
        self.asm.alu(Alu::Add, row, R1);
        self.asm.ldx(Size::B, R1, row, 0);
        self.asm.clamp(R1, shape.magnitudes() + 1);
        self.asm.alu_imm(Alu::Lsh, R1, 5);
        self.asm.map_value(row, self.env.rodata_map, rows);
        self.asm.alu(Alu::Add, row, R1);
        let found = self.asm.label();
        self.asm.ldx(Size::D, temp, row, 0);
        self.asm.jmp(Jmp::Lt, value, temp, found);
        self.asm.alu_imm(Alu::Add, row, MAGNITUDE_ROW as i32);
        self.asm.bind(found);
        self.asm.ldx(Size::D, temp, row, 8);
        self.asm.alu(Alu::Mul, value, temp);
        self.asm.ldx(Size::D, temp, row, 16);
        self.asm.alu(Alu::Div, value, temp);
        self.asm.ldx(Size::D, temp, row, 24);
        self.asm.alu(Alu::Add, value, temp);
        self.asm.mov(R1, value);
        self.asm.clamp(R1, most);
        self.away_from(sign, shape.middle(), 2 * shape.middle());
    }

    /// `R1` = the linear bucket of `R1`. Clobbers `R2`.
    fn lquantize_bucket(&mut self, shape: Linear) {
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
