//! The seccomp filter of a traced command: stops it at the system calls of interest and costs the others nothing that
//! can be felt. A pure function from numbers to a classic BPF program.

use libc::{BPF_ABS, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W, sock_filter};

/// `AUDIT_ARCH_…` of the architecture this program is built for: calls made through another one's entry (32-bit
/// compat) have other numbers and are never reported.
const ARCH: u32 = if cfg!(target_arch = "aarch64") { 0xc000_00b7 } else { 0xc000_003e };

/// Offsets in `struct seccomp_data`.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;

/// What the filter adds to a stop, so that one that a traced program's own filter asks for is told from it.
pub(super) const MARK: u16 = 0xd7a1;

/// A program that stops the thread for its tracer at each of these calls and lets every other one pass.
pub(super) fn filter(mut numbers: Vec<u32>) -> Vec<sock_filter> {
    numbers.sort_unstable();
    numbers.dedup();
    let mut program =
        vec![load(ARCHITECTURE), jump(BPF_JEQ, ARCH, 1, 0), ret(libc::SECCOMP_RET_ALLOW), load(NUMBER)];
    for (first, last) in ranges(&numbers) {
        if first == last {
            program.push(jump(BPF_JEQ, first, 0, 1));
        } else {
            program.push(jump(BPF_JGE, first, 0, 2));
            program.push(jump(BPF_JGE, last + 1, 1, 0));
        }
        program.push(ret(libc::SECCOMP_RET_TRACE | u32::from(MARK)));
    }
    program.push(ret(libc::SECCOMP_RET_ALLOW));
    program
}

/// Runs of consecutive numbers, as first and last.
fn ranges(numbers: &[u32]) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    ranges
}

fn load(offset: u32) -> sock_filter {
    sock_filter { code: (BPF_LD | BPF_W | BPF_ABS) as u16, jt: 0, jf: 0, k: offset }
}

/// Skips `jt` instructions if the comparison holds, else `jf`.
fn jump(comparison: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code: (BPF_JMP | comparison | BPF_K) as u16, jt, jf, k }
}

fn ret(k: u32) -> sock_filter {
    sock_filter { code: (BPF_RET | BPF_K) as u16, jt: 0, jf: 0, k }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the kernel's interpreter would answer.
    fn run(program: &[sock_filter], number: u32, arch: u32) -> u32 {
        let (mut pc, mut a) = (0, 0);
        loop {
            let insn = program[pc];
            pc += 1;
            let code = u32::from(insn.code);
            match code & 7 {
                BPF_LD => a = if insn.k == NUMBER { number } else { arch },
                BPF_RET => return insn.k,
                BPF_JMP => {
                    let holds = if code & 0xf0 == BPF_JEQ { a == insn.k } else { a >= insn.k };
                    pc += usize::from(if holds { insn.jt } else { insn.jf });
                }
                other => panic!("instruction class {other}"),
            }
        }
    }

    fn check(numbers: &[u32]) {
        let program = filter(numbers.to_vec());
        assert!(program.len() <= libc::BPF_MAXINSNS as usize);
        for number in (0..600).chain([u32::MAX, 0x4000_0000, 0x4000_0000 + numbers.first().unwrap_or(&0)]) {
            let expected = if numbers.contains(&number) {
                libc::SECCOMP_RET_TRACE | 0xd7a1
            } else {
                libc::SECCOMP_RET_ALLOW
            };
            assert_eq!(run(&program, number, ARCH), expected, "{number} of {numbers:?}");
            assert_eq!(run(&program, number, 0x4000_0003), libc::SECCOMP_RET_ALLOW, "compat {number}");
        }
    }

    #[test]
    fn exactly_the_chosen_calls_stop() {
        check(&[]);
        check(&[0]);
        check(&[1, 0, 2, 2]);
        check(&[5, 7, 8, 9, 300]);
        check(&(0..500).collect::<Vec<_>>());
        check(&(0..500).step_by(2).collect::<Vec<_>>());
    }

    #[test]
    fn runs_of_numbers_are_one_test() {
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), [(0, 2), (5, 5), (7, 8)]);
    }
}
