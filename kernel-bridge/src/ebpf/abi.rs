//! Where this architecture keeps a system call's number and arguments, as numbers.

/// Offsets in `struct pt_regs` and the like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Abi {
    /// The first six arguments of a system call.
    pub(super) args: [u32; 6],
    /// The system call number at exit.
    pub(super) number: u32,
    /// Program counter.
    pub(super) pc: u32,
    /// Stack pointer.
    pub(super) sp: u32,
    /// Frame pointer.
    pub(super) fp: u32,
    /// The register that tells user mode, and which of its bits are set there.
    pub(super) mode: (u32, i32),
    /// How many of the first indices of `uregs[]` are words of it, in their order.
    pub(super) registers: u32,
    /// Which of them are selectors, of 16 bits.
    pub(super) selectors: [u32; 2],
    /// The number of `rt_sigreturn`.
    pub(super) rt_sigreturn: u32,
    /// Bit of `thread_info.status` that marks a 32-bit compat call.
    pub(super) compat: i32,
}

/// x86-64.
pub(super) const X86_64: Abi = Abi {
    args: [112, 104, 96, 56, 72, 64],
    number: 120,
    pc: 128,
    sp: 152,
    fp: 32,
    mode: (136, 3),
    registers: 21,
    selectors: [17, 20],
    rt_sigreturn: 15,
    compat: 2,
};

/// The architecture that programs are made for.
pub(super) const ABI: Abi = X86_64;
