//! Generated code as text, for `--dump=ebpf` and messages: a program in, lines out.

use std::fmt::Write;

use super::asm::{opcode, unpack};
use super::{Code, EbpfProgram, RelocTarget, helper};

/// The whole program: maps, programs, subprograms.
pub fn program(program: &EbpfProgram) -> String {
    let mut out = String::new();
    for (i, map) in program.maps.iter().enumerate() {
        let _ = writeln!(
            out,
            "map {i} {}: {:?}, key {}, value {}, entries {}",
            map.name, map.kind, map.key_size, map.value_size, map.max_entries
        );
    }
    for spec in &program.programs {
        let typed = if spec.typed { ", typed" } else { "" };
        let _ = writeln!(out, "program {} on {:?}{typed}:", spec.name, spec.hook);
        code(&mut out, program, &spec.code);
    }
    for subprogram in &program.subprograms {
        let _ = writeln!(out, "subprogram {}:", subprogram.name);
        code(&mut out, program, &subprogram.code);
    }
    out
}

fn code(out: &mut String, program: &EbpfProgram, code: &Code) {
    let mut relocs = code.relocs.iter().peekable();
    let mut i = 0;
    while i < code.insns.len() {
        let target = relocs.next_if(|r| r.insn as usize == i).map(|r| r.target);
        let _ = write!(out, "{i:5}: ");
        let _ = match target {
            Some(target) => write!(out, "{}", reference(program, code.insns[i], target)),
            None => write!(out, "{}", insn(code.insns[i], code.insns.get(i + 1).copied(), i)),
        };
        out.push('\n');
        i += if unpack(code.insns[i]).opcode == opcode::LDDW { 2 } else { 1 };
    }
}

fn reference(program: &EbpfProgram, insn: u64, target: RelocTarget) -> String {
    let dst = unpack(insn).dst;
    let map = |i: u32| program.maps.get(i as usize).map_or("?", |m| &m.name);
    match target {
        RelocTarget::Map(i) => format!("r{dst} = map {}", map(i)),
        RelocTarget::MapValue { map: i, offset } => format!("r{dst} = &{}[{offset}]", map(i)),
        RelocTarget::Subprogram(i) => {
            format!("call {}", program.subprograms.get(i as usize).map_or("?", |s| &s.name))
        }
    }
}

/// One instruction; `next` is the second half of a long constant, `at` its own index, for the targets of jumps.
fn insn(insn: u64, next: Option<u64>, at: usize) -> String {
    let i = unpack(insn);
    let (dst, src, off, imm) = (i.dst, i.src, i.off, i.imm);
    let by_register = i.opcode & 8 != 0;
    let operand = if by_register { format!("r{src}") } else { imm.to_string() };
    let size = match i.opcode & 0x18 {
        0x10 => "u8",
        0x08 => "u16",
        0x00 => "u32",
        _ => "u64",
    };
    match i.opcode & 7 {
        0 => {
            let high = next.map_or(0, |n| n >> 32 << 32);
            format!("r{dst} = {:#x}", insn >> 32 | high)
        }
        1 => format!("r{dst} = *({size} *)(r{src} {off:+})"),
        2 => format!("*({size} *)(r{dst} {off:+}) = {imm}"),
        3 if i.opcode == opcode::ATOMIC64 && imm == opcode::CMPXCHG => {
            format!("r0 = cmpxchg_64(r{dst} {off:+}, r0, r{src})")
        }
        3 if i.opcode == opcode::ATOMIC64 => format!("lock *(u64 *)(r{dst} {off:+}) += r{src}"),
        3 => format!("*({size} *)(r{dst} {off:+}) = r{src}"),
        4 | 7 => {
            let reg = if i.opcode & 7 == 4 { format!("w{dst}") } else { format!("r{dst}") };
            match i.opcode & 0xf0 {
                0xb0 => format!("{reg} = {operand}"),
                0xd0 => format!("r{dst} = be{imm} r{dst}"),
                op => format!("{reg} {} {operand}", alu(op)),
            }
        }
        _ => match i.opcode {
            opcode::CALL => format!("call {}", helper_name(imm)),
            opcode::EXIT => "exit".to_owned(),
            opcode::JA => format!("goto {}", at as i64 + 1 + i64::from(off)),
            _ => format!(
                "if r{dst} {} {operand} goto {}",
                comparison(i.opcode & 0xf0),
                at as i64 + 1 + i64::from(off)
            ),
        },
    }
}

fn alu(op: u8) -> &'static str {
    match op {
        0x00 => "+=",
        0x10 => "-=",
        0x20 => "*=",
        0x30 => "/=",
        0x40 => "|=",
        0x50 => "&=",
        0x60 => "<<=",
        0x70 => ">>=",
        0x90 => "%=",
        0xa0 => "^=",
        0xc0 => "s>>=",
        _ => "?=",
    }
}

fn comparison(op: u8) -> &'static str {
    match op {
        0x10 => "==",
        0x20 => ">",
        0x30 => ">=",
        0x40 => "&",
        0x50 => "!=",
        0x60 => "s>",
        0x70 => "s>=",
        0xa0 => "<",
        0xb0 => "<=",
        0xc0 => "s<",
        0xd0 => "s<=",
        _ => "?",
    }
}

fn helper_name(id: i32) -> String {
    let name = match id {
        helper::MAP_LOOKUP_ELEM => "map_lookup_elem",
        helper::MAP_UPDATE_ELEM => "map_update_elem",
        helper::MAP_DELETE_ELEM => "map_delete_elem",
        helper::KTIME_GET_NS => "ktime_get_ns",
        helper::GET_SMP_PROCESSOR_ID => "get_smp_processor_id",
        helper::GET_CURRENT_PID_TGID => "get_current_pid_tgid",
        helper::GET_CURRENT_UID_GID => "get_current_uid_gid",
        helper::GET_CURRENT_COMM => "get_current_comm",
        helper::PROBE_READ_USER => "probe_read_user",
        helper::PROBE_READ_KERNEL => "probe_read_kernel",
        helper::PROBE_READ_USER_STR => "probe_read_user_str",
        helper::PROBE_READ_KERNEL_STR => "probe_read_kernel_str",
        helper::RINGBUF_OUTPUT => "ringbuf_output",
        helper::RINGBUF_QUERY => "ringbuf_query",
        helper::TASK_STORAGE_GET => "task_storage_get",
        helper::GET_CURRENT_TASK => "get_current_task",
        helper::GET_CURRENT_TASK_BTF => "get_current_task_btf",
        _ => return format!("helper {id}"),
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ebpf::asm::{Alu, Asm, FP, Jmp, R0, R1, Size};

    #[test]
    fn instructions_read_as_c() {
        let mut asm = Asm::new();
        let end = asm.label();
        asm.mov_imm(R0, 0);
        asm.jmp_imm(Jmp::Slt, R1, -5, end);
        asm.ldx(Size::W, R0, R1, 4);
        asm.stx(Size::D, FP, -8, R0);
        asm.alu_imm(Alu::Arsh, R0, 3);
        asm.be64(R0);
        asm.mov_imm(R1, 0x1_0000_0000);
        asm.atomic_add(R1, 16, R0);
        asm.call(helper::KTIME_GET_NS);
        asm.bind(end);
        asm.exit();
        let text = {
            let program = EbpfProgram {
                maps: Vec::new(),
                programs: Vec::new(),
                subprograms: Vec::new(),
                state: Default::default(),
            };
            let mut out = String::new();
            code(&mut out, &program, &asm.finish().unwrap());
            out
        };
        let lines: Vec<&str> = text.lines().map(|l| l[7..].trim_end()).collect();
        assert_eq!(
            lines,
            [
                "r0 = 0",
                "if r1 s< -5 goto 10",
                "r0 = *(u32 *)(r1 +4)",
                "*(u64 *)(r10 -8) = r0",
                "r0 s>>= 3",
                "r0 = be64 r0",
                "r1 = 0x100000000",
                "lock *(u64 *)(r1 +16) += r0",
                "call ktime_get_ns",
                "exit"
            ]
        );
    }
}
