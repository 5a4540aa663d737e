//! The registers of the calling thread, for `uregs[]` where the tracer itself is the current thread.

use dtrail_lang::builtins::vars::REGISTERS;

/// The registers that the caller has here, by their index in `uregs[]`. It is in no system call, so that `R_ERR` is -1, as the
/// kernel has it then; the number of its last trap only the kernel knows: 0.
#[cfg(target_arch = "x86_64")]
pub(crate) fn own() -> [u64; REGISTERS as usize] {
    let mut words = [0u64; REGISTERS as usize];
    words[15] = u64::MAX;
    // SAFETY: writes words 0 to 24 of an array that has 26, at the offsets named; the stack is used below what the compiler
    // keeps there, as it is told by the absence of `nostack`.
    unsafe {
        std::arch::asm!(
            "mov [{p}], r15",
            "mov [{p} + 8], r14",
            "mov [{p} + 16], r13",
            "mov [{p} + 24], r12",
            "mov [{p} + 32], rbp",
            "mov [{p} + 40], rbx",
            "mov [{p} + 48], r11",
            "mov [{p} + 56], r10",
            "mov [{p} + 64], r9",
            "mov [{p} + 72], r8",
            "mov [{p} + 80], rax",
            "mov [{p} + 88], rcx",
            "mov [{p} + 96], rdx",
            "mov [{p} + 104], rsi",
            "mov [{p} + 112], rdi",
            "lea {t}, [rip]",
            "mov [{p} + 128], {t}",
            "mov {t:e}, cs",
            "mov [{p} + 136], {t}",
            "mov [{p} + 152], rsp",
            "pushfq",
            "pop {t}",
            "mov [{p} + 144], {t}",
            "mov {t:e}, ss",
            "mov [{p} + 160], {t}",
            "mov {t:e}, ds",
            "mov [{p} + 168], {t}",
            "mov {t:e}, es",
            "mov [{p} + 176], {t}",
            "mov {t:e}, fs",
            "mov [{p} + 184], {t}",
            "mov {t:e}, gs",
            "mov [{p} + 192], {t}",
            p = in(reg) words.as_mut_ptr(),
            t = out(reg) _,
            options(preserves_flags),
        );
    }
    words
}

/// Other processors have no `uregs[]`.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn own() -> [u64; REGISTERS as usize] {
    [0; REGISTERS as usize]
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn pointers_and_segments_are_those_of_this_thread() {
        let here = 0u8;
        let registers = own();
        let at = |name| registers[dtrail_lang::builtins::consts::register(name).expect(name) as usize];
        let stack = &raw const here as u64;
        assert!(stack.abs_diff(at("R_RSP")) < 1 << 16, "{registers:x?} {stack:x}");
        let code = own as fn() -> [u64; REGISTERS as usize] as usize as u64;
        assert!((code.wrapping_sub(4096)..code + 4096).contains(&at("R_RIP")), "{registers:x?} {code:x}");
        // The selectors of 64-bit user code and of its data, which Linux has fixed.
        assert_eq!([at("R_CS"), at("R_SS")], [0x33, 0x2b]);
        assert_eq!([at("R_ERR"), at("R_TRAPNO")], [u64::MAX, 0]);
        // Interrupts are on in user space, and bit 1 is always set.
        assert_eq!(at("R_RFL") & 0x202, 0x202);
    }
}
