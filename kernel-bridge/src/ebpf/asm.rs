//! An assembler for the baseline instruction set: typed instructions and labels in, [`Code`] out.
//!
//! Baseline means what every promised kernel and rbpf agree on: 64-bit arithmetic, 32-bit moves, 64-bit jumps, loads and
//! stores, helper and subprogram calls, `be64`, and as the exceptions the non-fetching atomic add and the atomic compare
//! and exchange, which the harness expands. It never emits signed division, sign-extending moves or loads, `bswap`, other
//! atomics or long jumps, and no conditional jump whose unsigned immediate is negative: rbpf zero-extends those where the
//! kernel sign-extends.
//!
//! [`Asm::finish`] drops code that no path reaches, since the kernel's verifier refuses it, and jumps to the next
//! instruction.

use super::{Code, Reloc, RelocTarget};

/// A machine register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mreg(pub u8);

/// Result, and first temporary.
pub const R0: Mreg = Mreg(0);
/// First argument; clobbered by calls, like `R2` to `R5`.
pub const R1: Mreg = Mreg(1);
/// Second argument.
pub const R2: Mreg = Mreg(2);
/// Third argument.
pub const R3: Mreg = Mreg(3);
/// Fourth argument.
pub const R4: Mreg = Mreg(4);
/// Fifth argument.
pub const R5: Mreg = Mreg(5);
/// Callee-saved, like `R7` to `R9`.
pub const R6: Mreg = Mreg(6);
/// Callee-saved.
pub const R7: Mreg = Mreg(7);
/// Callee-saved.
pub const R8: Mreg = Mreg(8);
/// Callee-saved.
pub const R9: Mreg = Mreg(9);
/// The frame pointer, read-only: the frame lies below it.
pub const FP: Mreg = Mreg(10);

/// A place in the code, bound once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(u32);

/// Two-operand arithmetic, by its operation bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are the instruction set's")]
pub enum Alu {
    Add = 0x00,
    Sub = 0x10,
    Mul = 0x20,
    Div = 0x30,
    Or = 0x40,
    And = 0x50,
    Lsh = 0x60,
    Rsh = 0x70,
    Mod = 0x90,
    Xor = 0xa0,
    Arsh = 0xc0,
}

/// Conditional jumps on 64 bits, by their operation bits; unsigned unless the name begins with `S`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are the instruction set's")]
pub enum Jmp {
    Eq = 0x10,
    Gt = 0x20,
    Ge = 0x30,
    Set = 0x40,
    Ne = 0x50,
    Sgt = 0x60,
    Sge = 0x70,
    Lt = 0xa0,
    Le = 0xb0,
    Slt = 0xc0,
    Sle = 0xd0,
}

impl Jmp {
    /// The jump for the opposite; [`Jmp::Set`] has none and stays.
    pub fn negated(self) -> Jmp {
        match self {
            Jmp::Eq => Jmp::Ne,
            Jmp::Ne => Jmp::Eq,
            Jmp::Gt => Jmp::Le,
            Jmp::Le => Jmp::Gt,
            Jmp::Ge => Jmp::Lt,
            Jmp::Lt => Jmp::Ge,
            Jmp::Sgt => Jmp::Sle,
            Jmp::Sle => Jmp::Sgt,
            Jmp::Sge => Jmp::Slt,
            Jmp::Slt => Jmp::Sge,
            Jmp::Set => Jmp::Set,
        }
    }

    /// Whether `imm` may be its immediate operand here and in rbpf.
    pub fn takes(self, imm: i64) -> bool {
        match self {
            Jmp::Sgt | Jmp::Sge | Jmp::Slt | Jmp::Sle => i32::try_from(imm).is_ok(),
            _ => (0..=i64::from(i32::MAX)).contains(&imm),
        }
    }
}

/// Width of a load or store, by its size bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs, reason = "bytes: 1, 2, 4, 8")]
pub enum Size {
    B = 0x10,
    H = 0x08,
    W = 0x00,
    D = 0x18,
}

/// Opcode bytes that the other files of this module test for.
pub mod opcode {
    /// `lddw`, two slots long.
    pub const LDDW: u8 = 0x18;
    /// `call`
    pub const CALL: u8 = 0x85;
    /// `exit`
    pub const EXIT: u8 = 0x95;
    /// `ja`
    pub const JA: u8 = 0x05;
    /// An atomic operation on `*(u64 *)(dst + off)`; the immediate says which.
    pub const ATOMIC64: u8 = 0xdb;
    /// Of [`ATOMIC64`]: adds `src`.
    pub const ATOMIC_ADD: i32 = 0;
    /// Of [`ATOMIC64`]: stores `src` if `r0` is there, and leaves in `r0` what was.
    pub const CMPXCHG: i32 = 0xf1;
    /// `mov dst, imm` on 64 bits.
    pub const MOV_IMM: u8 = 0xb7;
    /// `mov dst, src` on 64 bits.
    pub const MOV_REG: u8 = 0xbf;
    /// Source register of a call of a subprogram.
    pub const PSEUDO_CALL: u8 = 1;
    /// Source register of an `lddw` of a map.
    pub const PSEUDO_MAP_FD: u8 = 1;
    /// Source register of an `lddw` of an address in a map's value.
    pub const PSEUDO_MAP_VALUE: u8 = 2;
}

/// Packs one instruction as `struct bpf_insn` lies in memory, little endian.
pub fn pack(opcode: u8, dst: u8, src: u8, off: i16, imm: i32) -> u64 {
    u64::from(opcode)
        | u64::from(dst & 15) << 8
        | u64::from(src & 15) << 12
        | u64::from(off as u16) << 16
        | u64::from(imm as u32) << 32
}

/// The parts of a packed instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the instruction set's")]
pub struct Unpacked {
    pub opcode: u8,
    pub dst: u8,
    pub src: u8,
    pub off: i16,
    pub imm: i32,
}

/// Undoes [`pack`].
pub fn unpack(insn: u64) -> Unpacked {
    Unpacked {
        opcode: insn as u8,
        dst: (insn >> 8) as u8 & 15,
        src: (insn >> 12) as u8 & 15,
        off: (insn >> 16) as i16,
        imm: (insn >> 32) as i32,
    }
}

impl Unpacked {
    /// Whether it is a jump with a target, conditional or not.
    pub fn is_jump(self) -> bool {
        matches!(self.opcode & 7, 0x05 | 0x06) && !matches!(self.opcode, opcode::CALL | opcode::EXIT)
    }

    /// Whether control never goes on to the next instruction.
    pub fn ends_path(self) -> bool {
        matches!(self.opcode, opcode::JA | opcode::EXIT)
    }
}

/// A jump too long for its 16 bits: the code is too big.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooFar {
    /// Instructions of the code.
    pub insns: usize,
}

/// Code under construction.
#[derive(Clone, Debug, Default)]
pub struct Asm {
    insns: Vec<u64>,
    relocs: Vec<Reloc>,
    labels: Vec<Option<u32>>,
    jumps: Vec<(u32, Label)>,
    clamps: Vec<Clamp>,
}

/// A bound that was exceeded: sets the register and goes back.
#[derive(Clone, Copy, Debug)]
struct Clamp {
    exceeded: Label,
    reg: Mreg,
    most: u32,
    back: Label,
}

impl Asm {
    /// Empty code.
    pub fn new() -> Asm {
        Asm::default()
    }

    /// Instructions so far.
    pub fn len(&self) -> usize {
        self.insns.len()
    }

    /// Whether there is no instruction yet.
    pub fn is_empty(&self) -> bool {
        self.insns.is_empty()
    }

    /// A new label, to be bound by [`Asm::bind`].
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() as u32 - 1)
    }

    /// Puts a label here.
    pub fn bind(&mut self, label: Label) {
        debug_assert!(self.labels[label.0 as usize].is_none(), "a label is bound once");
        self.labels[label.0 as usize] = Some(self.insns.len() as u32);
    }

    fn put(&mut self, opcode: u8, dst: Mreg, src: Mreg, off: i16, imm: i32) {
        self.insns.push(pack(opcode, dst.0, src.0, off, imm));
    }

    /// `dst = src`; nothing if they are one.
    pub fn mov(&mut self, dst: Mreg, src: Mreg) {
        if dst != src {
            self.put(opcode::MOV_REG, dst, src, 0, 0);
        }
    }

    /// `dst` = the low 32 bits of `src`.
    pub fn mov32(&mut self, dst: Mreg, src: Mreg) {
        self.put(0xbc, dst, src, 0, 0);
    }

    /// `dst` = a constant, in the shortest form.
    pub fn mov_imm(&mut self, dst: Mreg, value: i64) {
        if let Ok(imm) = i32::try_from(value) {
            self.put(opcode::MOV_IMM, dst, R0, 0, imm);
        } else if u32::try_from(value).is_ok() {
            self.put(0xb4, dst, R0, 0, value as i32);
        } else {
            self.put(opcode::LDDW, dst, R0, 0, value as i32);
            self.insns.push(pack(0, 0, 0, 0, (value >> 32) as i32));
        }
    }

    /// `dst = dst op src`
    pub fn alu(&mut self, op: Alu, dst: Mreg, src: Mreg) {
        self.put(op as u8 | 0x0f, dst, src, 0, 0);
    }

    /// `dst = dst op imm`, sign-extended; nothing where that changes nothing.
    pub fn alu_imm(&mut self, op: Alu, dst: Mreg, imm: i32) {
        let nothing = match op {
            Alu::Add | Alu::Sub | Alu::Or | Alu::Xor | Alu::Lsh | Alu::Rsh | Alu::Arsh => imm == 0,
            Alu::And => imm == -1,
            Alu::Mul | Alu::Div | Alu::Mod => false,
        };
        if !nothing {
            self.put(op as u8 | 0x07, dst, R0, 0, imm);
        }
    }

    /// `dst = -dst`. Not the `neg` instruction: rbpf's overflows on the least integer.
    pub fn neg(&mut self, dst: Mreg) {
        self.alu_imm(Alu::Xor, dst, -1);
        self.alu_imm(Alu::Add, dst, 1);
    }

    /// `dst` = the bytes of `dst` in big-endian order: a byte swap on little-endian machines.
    pub fn be64(&mut self, dst: Mreg) {
        self.big_endian(dst, 64);
    }

    /// `dst` = its low 16, 32 or 64 bits in big-endian order, zero-extended.
    pub fn big_endian(&mut self, dst: Mreg, bits: u8) {
        self.put(0xdc, dst, R0, 0, i32::from(bits));
    }

    /// Puts an access to memory at `base + off`. What is out of a displacement's reach is gone to and come back from, so that
    /// no other register is needed.
    fn reach(&mut self, base: Mreg, off: i32, put: impl FnOnce(&mut Asm, i16)) {
        match i16::try_from(off) {
            Ok(off) => put(self, off),
            Err(_) => {
                debug_assert!(base != FP, "a frame is small");
                self.alu_imm(Alu::Add, base, off);
                put(self, 0);
                self.alu_imm(Alu::Sub, base, off);
            }
        }
    }

    /// `dst = *(size *)(base + off)`, zero-extended.
    pub fn ldx(&mut self, size: Size, dst: Mreg, base: Mreg, off: i32) {
        match i16::try_from(off) {
            Ok(off) => self.put(0x61 | size as u8, dst, base, off, 0),
            Err(_) => {
                self.mov(dst, base);
                self.alu_imm(Alu::Add, dst, off);
                self.put(0x61 | size as u8, dst, dst, 0, 0);
            }
        }
    }

    /// `*(size *)(base + off) = src`, which is not `base`.
    pub fn stx(&mut self, size: Size, base: Mreg, off: i32, src: Mreg) {
        self.reach(base, off, |asm, off| asm.put(0x63 | size as u8, base, src, off, 0));
    }

    /// `*(size *)(base + off) = imm`, sign-extended.
    pub fn st_imm(&mut self, size: Size, base: Mreg, off: i32, imm: i32) {
        self.reach(base, off, |asm, off| asm.put(0x62 | size as u8, base, R0, off, imm));
    }

    /// `dst` = `base` + `offset`, which is below 2^31.
    pub fn address_of(&mut self, dst: Mreg, base: Mreg, offset: u32) {
        self.mov(dst, base);
        self.alu_imm(Alu::Add, dst, offset as i32);
    }

    /// `lock *(u64 *)(base + off) += src`. `R5` must hold nothing of worth: where there are no atomics (rbpf) the plain
    /// sequence needs it.
    pub fn atomic_add(&mut self, base: Mreg, off: i32, src: Mreg) {
        debug_assert!(base != R5 && src != R5);
        self.reach(base, off, |asm, off| asm.put(opcode::ATOMIC64, base, src, off, opcode::ATOMIC_ADD));
    }

    /// Stores `src` at `base + off` if the word there is `R0`; `R0` = what was there, in one atomic step. `R5` must hold
    /// nothing of worth.
    pub fn compare_exchange(&mut self, base: Mreg, off: i32, src: Mreg) {
        debug_assert!(![R0, R5].contains(&base) && ![R0, R5].contains(&src));
        self.reach(base, off, |asm, off| asm.put(opcode::ATOMIC64, base, src, off, opcode::CMPXCHG));
    }

    /// Calls a helper by its number.
    pub fn call(&mut self, helper: i32) {
        self.put(opcode::CALL, R0, R0, 0, helper);
    }

    /// Calls a subprogram by its index.
    pub fn call_subprogram(&mut self, index: u32) {
        self.reloc(RelocTarget::Subprogram(index));
        self.put(opcode::CALL, R0, Mreg(opcode::PSEUDO_CALL), 0, -1);
    }

    /// `dst` = a map, as helpers take it.
    pub fn map(&mut self, dst: Mreg, map: u32) {
        self.reloc(RelocTarget::Map(map));
        self.put(opcode::LDDW, dst, Mreg(opcode::PSEUDO_MAP_FD), 0, 0);
        self.insns.push(0);
    }

    /// `dst` = the address of a byte of the value of an array map's entry 0.
    pub fn map_value(&mut self, dst: Mreg, map: u32, offset: u32) {
        self.reloc(RelocTarget::MapValue { map, offset });
        self.put(opcode::LDDW, dst, Mreg(opcode::PSEUDO_MAP_VALUE), 0, 0);
        self.insns.push(pack(0, 0, 0, 0, offset as i32));
    }

    fn reloc(&mut self, target: RelocTarget) {
        self.relocs.push(Reloc { insn: self.insns.len() as u32, target });
    }

    /// Goes to a label.
    pub fn ja(&mut self, to: Label) {
        self.jumps.push((self.insns.len() as u32, to));
        self.put(opcode::JA, R0, R0, 0, 0);
    }

    /// Goes to a label if `lhs op rhs`.
    pub fn jmp(&mut self, op: Jmp, lhs: Mreg, rhs: Mreg, to: Label) {
        self.jumps.push((self.insns.len() as u32, to));
        self.put(op as u8 | 0x0d, lhs, rhs, 0, 0);
    }

    /// Goes to a label if `lhs op imm`; the immediate must satisfy [`Jmp::takes`].
    pub fn jmp_imm(&mut self, op: Jmp, lhs: Mreg, imm: i32, to: Label) {
        debug_assert!(op.takes(i64::from(imm)), "rbpf reads this immediate differently");
        self.jumps.push((self.insns.len() as u32, to));
        self.put(op as u8 | 0x05, lhs, R0, 0, imm);
    }

    /// Goes to a label if `lhs op value` for any value; `temp` is clobbered if the value is no immediate.
    pub fn jmp_value(&mut self, op: Jmp, lhs: Mreg, value: i64, temp: Mreg, to: Label) {
        if op.takes(value) {
            self.jmp_imm(op, lhs, value as i32, to);
        } else {
            self.mov_imm(temp, value);
            self.jmp(op, lhs, temp, to);
        }
    }

    /// `dst` = at most `most` (below 2^31), unsigned. The bound is set out of line, after everything else: the kernel's
    /// verifier then goes on with the range first, and knows the rest of the way already when it comes to the bound.
    pub fn clamp(&mut self, reg: Mreg, most: u32) {
        let (exceeded, back) = (self.label(), self.label());
        self.jmp_imm(Jmp::Gt, reg, most as i32, exceeded);
        self.bind(back);
        self.clamps.push(Clamp { exceeded, reg, most, back });
    }

    /// Ends the function.
    pub fn exit(&mut self) {
        self.put(opcode::EXIT, R0, R0, 0, 0);
    }

    /// The finished code: every label bound, jumps resolved, unreachable code gone.
    pub fn finish(mut self) -> Result<Code, TooFar> {
        for Clamp { exceeded, reg, most, back } in std::mem::take(&mut self.clamps) {
            self.bind(exceeded);
            self.mov_imm(reg, i64::from(most));
            self.ja(back);
        }
        // By instruction: where it jumps to.
        let mut targets: Vec<Option<u32>> = vec![None; self.insns.len()];
        for &(at, label) in &self.jumps {
            targets[at as usize] = Some(self.labels[label.0 as usize].unwrap_or(self.insns.len() as u32));
        }
        let target_of = |at: usize| targets[at].map(|target| target as usize);
        let mut kept = self.reachable(target_of);
        self.drop_empty_jumps(&mut kept, target_of);

        // Where each old instruction's successor in the kept code lies.
        let mut new_index = Vec::with_capacity(self.insns.len() + 1);
        let mut count = 0u32;
        for &keep in &kept {
            new_index.push(count);
            count += u32::from(keep);
        }
        new_index.push(count);

        let mut insns = Vec::with_capacity(count as usize);
        for (at, &insn) in self.insns.iter().enumerate() {
            if !kept[at] {
                continue;
            }
            let mut insn = insn;
            if let Some(target) = target_of(at) {
                let distance = i64::from(new_index[target]) - i64::from(new_index[at]) - 1;
                let Ok(off) = i16::try_from(distance) else {
                    return Err(TooFar { insns: count as usize });
                };
                insn = insn & !(0xffff << 16) | u64::from(off as u16) << 16;
            }
            insns.push(insn);
        }
        let relocs = self
            .relocs
            .into_iter()
            .filter(|reloc| kept[reloc.insn as usize])
            .map(|reloc| Reloc { insn: new_index[reloc.insn as usize], ..reloc })
            .collect();
        Ok(Code { insns, relocs })
    }

    /// Which instructions some path from the first one reaches.
    fn reachable(&self, target_of: impl Fn(usize) -> Option<usize>) -> Vec<bool> {
        let mut kept = vec![false; self.insns.len()];
        let mut todo = vec![0];
        while let Some(mut at) = todo.pop() {
            while at < self.insns.len() && !kept[at] {
                kept[at] = true;
                let insn = unpack(self.insns[at]);
                if insn.opcode == opcode::LDDW {
                    at += 1;
                    kept[at] = true;
                }
                if let Some(target) = target_of(at) {
                    todo.push(target);
                }
                if insn.ends_path() {
                    break;
                }
                at += 1;
            }
        }
        kept
    }

    /// Drops every jump whose target is what follows it anyway.
    fn drop_empty_jumps(&self, kept: &mut [bool], target_of: impl Fn(usize) -> Option<usize>) {
        for at in (0..kept.len()).rev() {
            let Some(target) = target_of(at).filter(|&t| kept[at] && t > at) else { continue };
            if kept[at + 1..target].iter().all(|&k| !k) {
                kept[at] = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(build: impl FnOnce(&mut Asm)) -> Code {
        let mut asm = Asm::new();
        build(&mut asm);
        asm.finish().unwrap()
    }

    #[test]
    fn constants_take_the_shortest_form() {
        let code = code(|a| {
            a.mov_imm(R1, -1);
            a.mov_imm(R2, 0xffff_ffff);
            a.mov_imm(R3, 1 << 32);
            a.exit();
        });
        assert_eq!(
            code.insns,
            [
                pack(0xb7, 1, 0, 0, -1),
                pack(0xb4, 2, 0, 0, -1),
                pack(0x18, 3, 0, 0, 0),
                pack(0, 0, 0, 0, 1),
                pack(0x95, 0, 0, 0, 0)
            ]
        );
    }

    #[test]
    fn unreachable_code_and_empty_jumps_go() {
        let code = code(|a| {
            let (end, next) = (a.label(), a.label());
            a.jmp_imm(Jmp::Eq, R1, 0, end);
            a.ja(next);
            a.mov_imm(R9, 7);
            a.map(R9, 3);
            a.bind(next);
            a.map(R1, 5);
            a.bind(end);
            a.exit();
        });
        assert_eq!(code.insns, [pack(0x15, 1, 0, 2, 0), pack(0x18, 1, 1, 0, 0), 0, pack(0x95, 0, 0, 0, 0)]);
        assert_eq!(code.relocs, [Reloc { insn: 1, target: RelocTarget::Map(5) }]);
    }

    #[test]
    fn jumps_that_do_not_fit_are_refused() {
        let mut asm = Asm::new();
        let end = asm.label();
        asm.jmp_imm(Jmp::Eq, R1, 0, end);
        for _ in 0..32768 {
            asm.alu_imm(Alu::Add, R1, 1);
        }
        asm.bind(end);
        asm.exit();
        assert_eq!(asm.finish().unwrap_err(), TooFar { insns: 32770 });
    }

    #[test]
    fn unpack_undoes_pack() {
        let insn = pack(0x7b, 10, 3, -8, -2);
        assert_eq!(unpack(insn), Unpacked { opcode: 0x7b, dst: 10, src: 3, off: -8, imm: -2 });
    }
}
