//! From programs with references to one image of bytes that rbpf runs: subprograms follow the program, maps become
//! handles and addresses, and atomic operations become plain sequences, which are the same where nothing nests.

use crate::ebpf::asm::{Alu, Jmp, Mreg, R0, R5, Unpacked, opcode, pack, unpack};
use crate::ebpf::{Code, EbpfProgram, ProgramSpec, RelocTarget};

use super::check;

/// The number of the helper that tells the harness where the stack is.
pub(super) const STACK_HELPER: i32 = 0x7fff;

/// What a map is as helpers see it: this plus its index.
pub(super) const HANDLE: u64 = 0x6d61_7000_0000_0000;

/// Linked code.
pub(super) struct Image {
    /// The instructions' bytes.
    pub(super) bytes: Vec<u8>,
    /// Where each function begins and how much stack it takes, in order.
    pub(super) functions: Vec<(usize, u16)>,
}

/// Links a program with the subprograms it may call. `address` gives where entry 0 of an array lies.
pub(super) fn link(
    program: &EbpfProgram,
    spec: &ProgramSpec,
    address: impl Fn(u32) -> Option<u64>,
) -> Result<Image, String> {
    let mut insns = Vec::new();
    let mut functions = Vec::new();
    let mut calls = Vec::new();
    // The first instructions say where the stack is; they leave everything as the program expects it.
    insns.extend([
        pack(opcode::MOV_REG, 6, 1, 0, 0),
        pack(opcode::MOV_REG, 1, 10, 0, 0),
        pack(opcode::CALL, 0, 0, 0, STACK_HELPER),
        pack(opcode::MOV_REG, 1, 6, 0, 0),
    ]);
    let codes = std::iter::once(&spec.code).chain(program.subprograms.iter().map(|s| &s.code));
    for (i, code) in codes.enumerate() {
        let start = if i == 0 { 0 } else { insns.len() };
        functions.push((start, check::frame(&code.insns).next_multiple_of(8) as u16));
        append(&mut insns, code, &mut calls, &address)?;
    }
    for (at, subprogram) in calls {
        let Some(&(target, _)) = functions.get(subprogram as usize + 1) else {
            return Err(format!("a call of subprogram {subprogram}, which is not there"));
        };
        let distance = target as i64 - at as i64 - 1;
        insns[at] = pack(opcode::CALL, 0, opcode::PSEUDO_CALL, 0, distance as i32);
    }
    if insns.len() > i16::MAX as usize {
        return Err(format!("{}: {} instructions", super::TOO_LONG, insns.len()));
    }
    Ok(Image { bytes: insns.iter().flat_map(|insn| insn.to_le_bytes()).collect(), functions })
}

/// Appends one function; calls of subprograms are left for later.
fn append(
    out: &mut Vec<u64>,
    code: &Code,
    calls: &mut Vec<(usize, u32)>,
    address: &impl Fn(u32) -> Option<u64>,
) -> Result<(), String> {
    // Where each instruction begins once atomic operations are expanded.
    let mut places = Vec::with_capacity(code.insns.len() + 1);
    let mut at = out.len();
    let mut second_half = false;
    for &insn in &code.insns {
        places.push(at);
        let insn = unpack(insn);
        at += match insn.opcode {
            opcode::ATOMIC64 if !second_half => plain(insn).len(),
            _ => 1,
        };
        second_half = !second_half && insn.opcode == opcode::LDDW;
    }
    places.push(at);

    let mut relocs = code.relocs.iter().peekable();
    let mut i = 0;
    while i < code.insns.len() {
        let insn = unpack(code.insns[i]);
        let reloc = relocs.next_if(|r| r.insn as usize == i).map(|r| r.target);
        match (insn.opcode, reloc) {
            (opcode::LDDW, target) => {
                let value = match target {
                    Some(RelocTarget::Map(map)) => HANDLE + u64::from(map),
                    Some(RelocTarget::MapValue { map, offset }) => {
                        let base = address(map).ok_or_else(|| format!("map {map} has no address"))?;
                        base + u64::from(offset)
                    }
                    _ => code.insns[i] >> 32 | code.insns.get(i + 1).map_or(0, |n| n >> 32 << 32),
                };
                out.push(pack(opcode::LDDW, insn.dst, 0, 0, value as i32));
                out.push(pack(0, 0, 0, 0, (value >> 32) as i32));
                i += 1;
            }
            (opcode::CALL, Some(RelocTarget::Subprogram(index))) => {
                calls.push((out.len(), index));
                out.push(code.insns[i]);
            }
            (opcode::ATOMIC64, _) => out.extend(plain(insn)),
            _ if insn.is_jump() => {
                let target = usize::try_from(i as i64 + 1 + i64::from(insn.off)).ok();
                let Some(&target) = target.and_then(|t| places.get(t)) else {
                    return Err(format!("instruction {i} jumps out of its function"));
                };
                let off = i16::try_from(target as i64 - places[i] as i64 - 1)
                    .map_err(|_| format!("the jump at {i} is too long"))?;
                out.push(pack(insn.opcode, insn.dst, insn.src, off, insn.imm));
            }
            _ => out.push(code.insns[i]),
        }
        i += 1;
    }
    Ok(())
}

/// An atomic operation without atomics; `R5` is free for it ([`crate::ebpf::asm::Asm::atomic_add`]).
fn plain(insn: Unpacked) -> Vec<u64> {
    let (Mreg(temp), Mreg(result)) = (R5, R0);
    let load = pack(0x79, temp, insn.dst, insn.off, 0);
    match insn.imm {
        opcode::CMPXCHG => vec![
            load,
            pack(Jmp::Ne as u8 | 0x0d, temp, result, 1, 0),
            pack(0x7b, insn.dst, insn.src, insn.off, 0),
            pack(opcode::MOV_REG, result, temp, 0, 0),
        ],
        _ => vec![
            load,
            pack(Alu::Add as u8 | 0x0f, temp, insn.src, 0, 0),
            pack(0x7b, insn.dst, temp, insn.off, 0),
        ],
    }
}
