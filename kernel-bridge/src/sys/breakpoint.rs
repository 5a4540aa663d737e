//! A breakpoint of the processor in one stopped thread that this thread traces. Its memory is left alone, and what it
//! forks has no breakpoint. Comes in: a thread and an address. Goes out: a stop with `SIGTRAP` before the instruction.

use std::io;

/// Sets it, in the place of one that was set before.
pub(crate) fn set(tid: u32, addr: u64) -> io::Result<()> {
    change(tid, Some(addr))
}

/// Takes it away.
pub(crate) fn clear(tid: u32) -> io::Result<()> {
    change(tid, None)
}

#[cfg(target_arch = "x86_64")]
fn change(tid: u32, addr: Option<u64>) -> io::Result<()> {
    /// The debug registers in `struct user`: an address in the first, which to watch in the eighth.
    const REGISTERS: usize = std::mem::offset_of!(libc::user, u_debugreg);
    let poke = |register: usize, value: u64| {
        let at = REGISTERS + register * size_of::<u64>();
        // SAFETY: the request takes numbers, and touches the traced thread's registers alone.
        let result = unsafe { libc::ptrace(libc::PTRACE_POKEUSER, tid as libc::pid_t, at, value) };
        if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    };
    poke(7, 0)?;
    poke(0, addr.unwrap_or(0))?;
    poke(7, u64::from(addr.is_some()))
}

#[cfg(target_arch = "aarch64")]
fn change(tid: u32, addr: Option<u64>) -> io::Result<()> {
    /// `NT_ARM_HW_BREAK`
    const BREAKPOINTS: usize = 0x402;
    /// Four bytes of user code, executed, watched.
    const ENABLED: u64 = 0xf << 5 | 2 << 1 | 1;
    // `struct user_hwdebug_state`, up to the first breakpoint.
    let mut state = [0u64, addr.unwrap_or(0), if addr.is_some() { ENABLED } else { 0 }];
    let mut place = libc::iovec { iov_base: state.as_mut_ptr().cast(), iov_len: size_of_val(&state) };
    // SAFETY: the kernel reads `state`, which is alive, through `place`.
    let result =
        unsafe { libc::ptrace(libc::PTRACE_SETREGSET, tid as libc::pid_t, BREAKPOINTS, &raw mut place) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Where a stopped thread goes on.
pub(crate) fn program_counter(tid: u32) -> io::Result<u64> {
    /// `NT_PRSTATUS`
    const GENERAL: usize = 1;
    /// Among the general registers.
    const COUNTER: usize = if cfg!(target_arch = "aarch64") { 32 } else { 16 };
    let mut words = [0u64; 34];
    let mut place = libc::iovec { iov_base: words.as_mut_ptr().cast(), iov_len: size_of_val(&words) };
    // SAFETY: the kernel writes no more than fits in `words`, as `place` says.
    let result = unsafe { libc::ptrace(libc::PTRACE_GETREGSET, tid as libc::pid_t, GENERAL, &raw mut place) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(words[COUNTER]) }
}
