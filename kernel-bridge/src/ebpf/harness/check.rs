//! What rbpf does not check and the kernel does, on code before it runs: no register is read that was not written on
//! every path, calls leave `r1` to `r5` unreadable, frames fit the stack.

use super::world::HELPERS;
use crate::ebpf::asm::{Unpacked, opcode, unpack};
use crate::ebpf::{EbpfProgram, Reloc, RelocTarget};

/// A set of registers.
type Regs = u16;

const FRAME: Regs = 1 << 10;
const ARGUMENTS: Regs = 0b11_1110;
const ALL: Regs = 0x7ff;

/// Bytes of stack of a program and all it calls.
const STACK: u32 = 512;

/// Checks every program and subprogram; the error names the function and the instruction.
pub(super) fn check(program: &EbpfProgram) -> Result<(), String> {
    // What every caller has written when it calls a subprogram.
    let mut passed = vec![ALL; program.subprograms.len()];
    for spec in &program.programs {
        let calls = check_code(&spec.name, &spec.code.insns, &spec.code.relocs, 1 << 1 | FRAME)?;
        let frame = frame(&spec.code.insns);
        for (index, regs) in calls {
            let Some(subprogram) = program.subprograms.get(index as usize) else {
                return Err(format!("{}: a call of subprogram {index}, which is not there", spec.name));
            };
            passed[index as usize] &= regs;
            let total = frame.next_multiple_of(32) + self::frame(&subprogram.code.insns).next_multiple_of(32);
            if total > STACK {
                return Err(format!("{} and {} take {total} bytes of stack", spec.name, subprogram.name));
            }
        }
    }
    for (subprogram, passed) in program.subprograms.iter().zip(passed) {
        let code = &subprogram.code;
        let calls = check_code(&subprogram.name, &code.insns, &code.relocs, passed & ARGUMENTS | FRAME)?;
        if !calls.is_empty() {
            return Err(format!("{}: a subprogram calls another", subprogram.name));
        }
    }
    Ok(())
}

/// Goes over the instructions until nothing changes; gives each call of a subprogram with what is written there.
fn check_code(name: &str, insns: &[u64], relocs: &[Reloc], entry: Regs) -> Result<Vec<(u32, Regs)>, String> {
    let mut written: Vec<Option<Regs>> = vec![None; insns.len()];
    let mut calls = Vec::new();
    let mut todo = vec![(0usize, entry)];
    while let Some((at, regs)) = todo.pop() {
        let place = written.get_mut(at).ok_or_else(|| format!("{name}: control leaves the code at {at}"))?;
        let now = place.map_or(regs, |old| old & regs);
        if *place == Some(now) {
            continue;
        }
        *place = Some(now);
        let insn = unpack(insns[at]);
        let missing = reads(insn) & !now;
        if missing != 0 {
            return Err(format!("{name}: instruction {at} reads r{}, not written", missing.trailing_zeros()));
        }
        let after = writes(insn, now);
        let next = at + if insn.opcode == opcode::LDDW { 2 } else { 1 };
        if insn.is_jump() {
            todo.push(((at as i64 + 1 + i64::from(insn.off)) as usize, after));
        }
        if !insn.ends_path() {
            todo.push((next, after));
        }
    }
    for reloc in relocs {
        if let RelocTarget::Subprogram(index) = reloc.target
            && let Some(Some(regs)) = written.get(reloc.insn as usize)
        {
            calls.push((index, *regs));
        }
    }
    Ok(calls)
}

/// The registers an instruction reads.
fn reads(insn: Unpacked) -> Regs {
    let (dst, src) = (1 << insn.dst, 1 << insn.src);
    let by_register = insn.opcode & 0x08 != 0;
    match insn.opcode & 7 {
        1 => src,
        2 => dst,
        3 if insn.opcode == opcode::ATOMIC64 && insn.imm == opcode::CMPXCHG => dst | src | 1,
        3 => dst | src,
        4 | 7 => match insn.opcode & 0xf0 {
            0xb0 if by_register => src,
            0xb0 => 0,
            0xd0 => dst,
            _ if by_register => dst | src,
            _ => dst,
        },
        5 | 6 => match insn.opcode {
            opcode::JA => 0,
            opcode::EXIT => 1,
            opcode::CALL if insn.src == 0 => (1 << (arguments(insn.imm) + 1)) - 2,
            opcode::CALL => 0,
            _ if by_register => dst | src,
            _ => dst,
        },
        _ => 0,
    }
}

/// What is written after an instruction.
fn writes(insn: Unpacked, before: Regs) -> Regs {
    match insn.opcode & 7 {
        0 | 1 | 4 | 7 => before | 1 << insn.dst,
        5 if insn.opcode == opcode::CALL => before & !ARGUMENTS | 1,
        _ => before,
    }
}

/// How many arguments a helper reads; of one that is not known all that there can be.
fn arguments(id: i32) -> u32 {
    HELPERS.iter().find(|(number, ..)| *number == id).map_or(5, |&(_, arguments, _)| arguments)
}

/// Bytes of a function's frame: the farthest below the frame pointer that an instruction names.
pub(super) fn frame(insns: &[u64]) -> u32 {
    let mut lowest = 0i32;
    let mut copy_of_frame = None;
    for &insn in insns {
        let insn = unpack(insn);
        let base = match insn.opcode & 7 {
            1 => Some(insn.src),
            2 | 3 => Some(insn.dst),
            _ => None,
        };
        if base == Some(10) {
            lowest = lowest.min(i32::from(insn.off));
        }
        // An address is made by a move and an addition, one after the other.
        if copy_of_frame == Some(insn.dst) && insn.opcode == 0x07 {
            lowest = lowest.min(insn.imm);
        }
        copy_of_frame = (insn.opcode == opcode::MOV_REG && insn.src == 10).then_some(insn.dst);
    }
    lowest.unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ebpf::Code;
    use crate::ebpf::asm::{Asm, FP, Jmp, R0, R1, R2, R3, R4, R5, R6, Size};
    use crate::ebpf::helper;

    fn check_asm(build: impl FnOnce(&mut Asm)) -> Result<(), String> {
        let mut asm = Asm::new();
        build(&mut asm);
        let Code { insns, relocs } = asm.finish().unwrap();
        check_code("f", &insns, &relocs, 1 << 1 | FRAME).map(drop)
    }

    #[test]
    fn a_register_must_be_written_on_every_path() {
        let error = check_asm(|a| {
            let skip = a.label();
            a.jmp_imm(Jmp::Eq, R1, 0, skip);
            a.mov_imm(R6, 1);
            a.bind(skip);
            a.mov(R0, R6);
            a.exit();
        });
        assert_eq!(error, Err("f: instruction 2 reads r6, not written".to_owned()));
    }

    #[test]
    fn calls_clobber_their_arguments() {
        let error = check_asm(|a| {
            a.mov(R6, R1);
            a.call(helper::KTIME_GET_NS);
            a.mov(R0, R1);
            a.exit();
        });
        assert_eq!(error, Err("f: instruction 2 reads r1, not written".to_owned()));
    }

    #[test]
    fn helpers_read_their_arguments() {
        let error = check_asm(|a| {
            a.mov_imm(R2, 1);
            a.call(helper::PROBE_READ_USER);
            a.exit();
        });
        assert_eq!(error, Err("f: instruction 1 reads r3, not written".to_owned()));
    }

    #[test]
    fn every_helpers_last_argument_must_be_written() {
        for &(number, arguments, _) in HELPERS {
            // `r1` is written when a program begins.
            for written in [arguments.saturating_sub(1), arguments] {
                let checked = check_asm(|a| {
                    let registers = [R2, R3, R4, R5];
                    registers.iter().take(written.saturating_sub(1) as usize).for_each(|&r| a.mov_imm(r, 1));
                    a.call(number);
                    a.exit();
                });
                let expected = match written < arguments && arguments > 1 {
                    true => Err(format!("f: instruction {} reads r{arguments}, not written", written - 1)),
                    false => Ok(()),
                };
                assert_eq!(checked, expected, "helper {number} with {written} of {arguments}");
            }
        }
        // One that is not in the table is taken to read all.
        let error = check_asm(|a| {
            a.call(999);
            a.exit();
        });
        assert_eq!(error, Err("f: instruction 0 reads r2, not written".to_owned()));
    }

    #[test]
    fn frames_reach_to_the_lowest_address() {
        let mut asm = Asm::new();
        asm.st_imm(Size::D, FP, -16, 0);
        asm.mov(R3, FP);
        asm.alu_imm(crate::ebpf::asm::Alu::Add, R3, -40);
        asm.mov_imm(R0, 0);
        asm.exit();
        assert_eq!(frame(&asm.finish().unwrap().insns), 40);
    }
}
