//! The PID namespace that this process is in: the kernel's types in, a [`PidNamespace`] out, or `None` in the initial one.
//! Kernel programs see the numbers of the initial namespace; whoever starts and names processes sees the others.
//!
//! It loads one program, which looks at the task that runs it, runs it once and forgets it.

use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::MetadataExt;

use dtrail_vm::event::{Error, reason};

use crate::ebpf::asm::{Alu, Asm, R0, R1, R2, R3, R6, R7, Size, opcode, pack};
use crate::ebpf::{PidNamespace, helper};
use crate::readers::btf::{Btf, Kind, TypeId};
use crate::shortage;
use crate::sys::bpf::{self, Map, MapType, NewMap};

/// The inode number of the initial PID namespace (`PROC_PID_INIT_INO`).
const INITIAL: u64 = 0xefff_fffc;

/// Finds it out.
pub(super) fn own(types: &Btf) -> Result<Option<PidNamespace>, Error> {
    if std::fs::metadata("/proc/self/ns/pid").is_ok_and(|ns| ns.ino() == INITIAL) {
        return Ok(None);
    }
    let refuse = |why: String| {
        Error::new(format!("cannot find out the PID namespace of this process: {why}"))
            .help("run in the initial PID namespace, or use `--source ptrace` with -c")
    };
    let shape = shape(types).map_err(|member| refuse(format!("this kernel has no {member}")))?;
    let (level, address) = ask(&shape).map_err(|e| {
        let refused = refuse(reason(&e));
        shortage::help(refused, &e)
    })?;
    Ok((level > 0).then_some(PidNamespace { level, address, ..shape }))
}

/// Where the kernel keeps the numbers of a task. `Err` names what it does not have.
fn shape(types: &Btf) -> Result<PidNamespace, &'static str> {
    let [task, pid, upid] =
        types.find_all(&[(Kind::Struct, "task_struct"), (Kind::Struct, "pid"), (Kind::Struct, "upid")]);
    let member =
        |of: Option<TypeId>, path: &str, name| of.and_then(|of| types.member(of, &[path])).ok_or(name);
    let places = (member(upid, "nr", "upid.nr")?, member(upid, "ns", "upid.ns")?);
    if places != (0, PidNamespace::UPID_NS) {
        return Err("upid as it is known");
    }
    Ok(PidNamespace {
        address: 0,
        level: 0,
        task_group_leader: member(task, "group_leader", "task_struct.group_leader")?,
        task_thread_pid: member(task, "thread_pid", "task_struct.thread_pid")?,
        pid_level: member(pid, "level", "pid.level")?,
        pid_numbers: member(pid, "numbers", "pid.numbers")?,
    })
}

/// Level and address of the namespace of this process, from a program that runs in its context.
fn ask(shape: &PidNamespace) -> io::Result<(u32, u64)> {
    let answer = Map::new(bpf::create_map(&NewMap {
        name: "namespace",
        kind: MapType::Array,
        key_size: 4,
        value_size: 16,
        max_entries: 1,
        flags: 0,
        inner: None,
    })?)?;
    let program = bpf::load_raw_tracepoint(&code(shape, answer.as_fd().as_raw_fd())?)?;
    bpf::test_run(program.as_fd())?;
    let mut words = [0; 16];
    answer.lookup(&[0; 4], &mut words)?;
    let [level, address] = [0, 8].map(|at| {
        let mut word = [0; 8];
        word.copy_from_slice(&words[at..at + 8]);
        u64::from_ne_bytes(word)
    });
    Ok((level as u32, address))
}

/// Writes the level of the current task's number and the address of its namespace to the value of a map.
fn code(shape: &PidNamespace, map: i32) -> io::Result<Vec<u64>> {
    let mut asm = Asm::new();
    asm.call(helper::GET_CURRENT_TASK_BTF);
    asm.mov(R6, R0);
    let value = asm.len();
    asm.map_value(R7, 0, 0);
    asm.ldx(Size::D, R1, R6, shape.task_thread_pid as i32);
    asm.ldx(Size::W, R2, R1, shape.pid_level as i32);
    asm.stx(Size::D, R7, 0, R2);
    // Through memory, so that it is a number to the verifier: it adds nothing unknown to a pointer.
    asm.stx(Size::D, R7, 8, R1);
    asm.ldx(Size::D, R3, R7, 8);
    asm.alu_imm(Alu::Lsh, R2, 4);
    asm.alu(Alu::Add, R3, R2);
    asm.alu_imm(Alu::Add, R3, (shape.pid_numbers + PidNamespace::UPID_NS) as i32);
    asm.mov(R1, R7);
    asm.alu_imm(Alu::Add, R1, 8);
    asm.mov_imm(R2, 8);
    asm.call(helper::PROBE_READ_KERNEL);
    asm.mov_imm(R0, 0);
    asm.exit();
    let mut code = asm.finish().map_err(|_| io::ErrorKind::InvalidData)?;
    code.insns[value] = pack(opcode::LDDW, R7.0, opcode::PSEUDO_MAP_VALUE, 0, map);
    Ok(code.insns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::privileged;

    #[test]
    fn the_program_agrees_with_proc() {
        if !privileged() {
            return;
        }
        let types = Btf::of_kernel().expect("a kernel with types");
        let (level, address) = ask(&shape(&types).expect("known structures")).expect("it loads and runs");
        let initial = std::fs::metadata("/proc/self/ns/pid").expect("proc is mounted").ino() == INITIAL;
        assert_eq!(level == 0, initial);
        assert!(address >> 63 == 1, "an address of the kernel: {address:#x}");
    }
}
