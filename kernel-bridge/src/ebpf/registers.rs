//! `uregs[n]`: the registers of user space that the current thread was in, or will return to.
//!
//! The kernel keeps them at the top of the thread's stack (`struct pt_regs`) while the thread is in it; the data segments
//! and the last trap it keeps in the task. Threads of the kernel have none: all read 0. Made-up events bring theirs along.

use super::abi::ABI;
use super::asm::{Alu, Asm, Jmp, R0, R1, R2, Size};
use super::emit::Env;
use super::{helper, inject};

/// `PF_KTHREAD` of `task_struct.flags`.
const KERNEL_THREAD: i32 = 0x0020_0000;

/// `R0` = a register by its index in `uregs[]`; clobbers `R1` to `R5`.
pub(super) fn register(asm: &mut Asm, env: &Env<'_>, index: u32) {
    if env.target.inject {
        let Some(map) = env.state.inject else { return asm.mov_imm(R0, 0) };
        asm.map_value(R1, map, inject::REGISTERS + 8 * index);
        return asm.ldx(Size::D, R0, R1, 0);
    }
    let offsets = env.target.offsets;
    let (user, done) = (asm.label(), asm.label());
    asm.call(helper::GET_CURRENT_TASK_BTF);
    asm.ldx(Size::W, R2, R0, offsets.task_flags as i32);
    asm.alu_imm(Alu::And, R2, KERNEL_THREAD);
    asm.jmp_imm(Jmp::Eq, R2, 0, user);
    asm.mov_imm(R0, 0);
    asm.ja(done);
    asm.bind(user);
    let of_task = index.checked_sub(ABI.registers).map(|of_task| of_task as usize);
    match of_task.and_then(|at| Some((at, *offsets.thread_registers.get(at)?))) {
        Some((at, offset)) => {
            let size = if at + 1 < offsets.thread_registers.len() { Size::H } else { Size::D };
            asm.ldx(size, R0, R0, offset as i32);
        }
        None => {
            asm.mov(R1, R0);
            asm.call(helper::TASK_PT_REGS);
            // Above a selector newer kernels keep what the processor says of the entry.
            let size = if ABI.selectors.contains(&index) { Size::H } else { Size::D };
            asm.ldx(size, R0, R0, 8 * index as i32);
        }
    }
    asm.bind(done);
}
