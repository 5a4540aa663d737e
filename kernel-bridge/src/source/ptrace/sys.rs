//! The system calls of a tracer, as safe functions. Nothing here decides anything.

#![allow(unsafe_code, reason = "ptrace(2) and waitpid(2)")]

use crate::sys::signals;
use std::io;

/// What a thread was doing when it stopped (`struct ptrace_syscall_info`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallInfo {
    /// Stopped before a call.
    Entry {
        /// The call's number.
        number: u32,
        /// Its arguments.
        args: [u64; 6],
    },
    /// Stopped after a call, with its result.
    Return(i64),
    /// At neither.
    Other,
}

/// `PTRACE_GET_SYSCALL_INFO`, Linux 5.3.
const GET_SYSCALL_INFO: libc::c_uint = 0x420e;
const INFO_ENTRY: u8 = 1;
const INFO_EXIT: u8 = 2;
const INFO_SECCOMP: u8 = 3;
/// Bytes of `struct ptrace_syscall_info`, in words.
const INFO_WORDS: usize = 11;

/// A request that says something to the kernel and passes no memory.
#[derive(Clone, Copy, Debug)]
#[repr(u32)]
enum Order {
    Seize = libc::PTRACE_SEIZE,
    SetOptions = libc::PTRACE_SETOPTIONS,
    Interrupt = libc::PTRACE_INTERRUPT,
    Detach = libc::PTRACE_DETACH,
    Continue = libc::PTRACE_CONT,
    ToSyscall = libc::PTRACE_SYSCALL,
    Listen = libc::PTRACE_LISTEN,
}

/// Makes a request that passes numbers alone.
fn order(order: Order, tid: u32, data: libc::c_int) -> io::Result<()> {
    // SAFETY: none of these touches memory of this process, whatever the number is.
    unsafe { request(order as libc::c_uint, tid, 0, data as usize) }
}

/// Makes any request.
///
/// # Safety
///
/// Where the request has the kernel read or write memory of this process, `data` (and of `PTRACE_GETREGSET` and
/// `PTRACE_SETREGSET` the vector that lies there) says where memory is that is alive, nobody else's meanwhile, and as long
/// as the request or `addr` says.
unsafe fn request(request: libc::c_uint, tid: u32, addr: usize, data: usize) -> io::Result<()> {
    // SAFETY: the caller's.
    let result = unsafe { libc::ptrace(request, tid as libc::pid_t, addr, data) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Becomes the tracer of a process without stopping it.
pub(super) fn seize(tid: u32, options: libc::c_int) -> io::Result<()> {
    order(Order::Seize, tid, options)
}

/// Changes the options of a stopped thread.
pub(super) fn set_options(tid: u32, options: libc::c_int) -> io::Result<()> {
    order(Order::SetOptions, tid, options)
}

/// Stops a running thread: an event stop follows.
pub(super) fn interrupt(tid: u32) {
    // It fails only if the thread is gone; the wait that follows says so.
    let _ = order(Order::Interrupt, tid, 0);
}

/// Lets a stopped thread go for good, delivering a signal (0: none).
pub(super) fn detach(tid: u32, signal: libc::c_int) {
    let _ = order(Order::Detach, tid, signal);
}

/// How a stopped thread goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resume {
    /// Until the next event.
    Run,
    /// Until the call it is in returns, or the next event.
    ToReturn,
    /// Not at all: it stays in its group-stop, but a `SIGCONT` is noticed.
    Listen,
}

/// Lets a stopped thread go on, delivering a signal (0: none). That it is gone meanwhile is no error.
pub(super) fn resume(tid: u32, how: Resume, signal: libc::c_int) {
    let kind = match how {
        Resume::Run => Order::Continue,
        Resume::ToReturn => Order::ToSyscall,
        Resume::Listen => Order::Listen,
    };
    // It fails only if the thread was killed out of its stop; the wait that follows says so.
    let _ = order(kind, tid, signal);
}

/// The message of an event stop: a new thread's ID, an exit code.
pub(super) fn event_message(tid: u32) -> io::Result<u64> {
    let mut message: libc::c_ulong = 0;
    // SAFETY: one word is written, and this is one.
    unsafe { request(libc::PTRACE_GETEVENTMSG, tid, 0, &raw mut message as usize) }?;
    Ok(message)
}

/// What a stopped thread is doing.
pub(super) fn call_info(tid: u32) -> io::Result<CallInfo> {
    let mut info = [0u64; INFO_WORDS];
    // SAFETY: no more is written than the size that is passed, which is that of `info`.
    unsafe { request(GET_SYSCALL_INFO, tid, size_of_val(&info), info.as_mut_ptr() as usize) }?;
    // The first byte is the kind; a result, or number and arguments, starts at byte 24.
    Ok(match info[0].to_ne_bytes()[0] {
        INFO_ENTRY | INFO_SECCOMP => CallInfo::Entry {
            number: info[3] as u32,
            args: [info[4], info[5], info[6], info[7], info[8], info[9]],
        },
        INFO_EXIT => CallInfo::Return(info[3] as i64),
        _ => CallInfo::Other,
    })
}

/// `NT_PRSTATUS`
const GENERAL: usize = 1;

/// Where the result of a call is among the general registers.
const RESULT: usize = if cfg!(target_arch = "aarch64") { 0 } else { 10 };

/// Words that the general registers take, at most.
const REGISTERS: usize = 34;

/// The general registers of a stopped thread, and how many bytes of them there are.
fn general(tid: u32) -> io::Result<([u64; REGISTERS], usize)> {
    let mut words = [0u64; REGISTERS];
    let mut place = libc::iovec { iov_base: words.as_mut_ptr().cast(), iov_len: size_of_val(&words) };
    // SAFETY: the vector is alive, and so are the words that it tells the place and the size of.
    unsafe { request(libc::PTRACE_GETREGSET, tid, GENERAL, &raw mut place as usize) }?;
    Ok((words, place.iov_len))
}

/// The registers of a stopped thread by their index in `uregs[]`, but for the number of its last trap, which the kernel
/// tells nobody: 0. A 32-bit process has them as if it were a 64-bit one.
#[cfg(target_arch = "x86_64")]
pub(super) fn user_registers(tid: u32) -> io::Result<[u64; dtrail_lang::builtins::vars::REGISTERS as usize]> {
    // `struct user_regs_struct`: the first 21 words are `pt_regs`, then come two bases, `ds`, `es`, `fs` and `gs`.
    const SEGMENTS: std::ops::Range<usize> = 23..27;
    let mut words = [0u64; SEGMENTS.end];
    // SAFETY: `struct user_regs_struct` is written, which has as many words.
    unsafe { request(libc::PTRACE_GETREGS, tid, 0, words.as_mut_ptr() as usize) }?;
    let mut registers = [0; dtrail_lang::builtins::vars::REGISTERS as usize];
    registers[..21].copy_from_slice(&words[..21]);
    registers[21..25].copy_from_slice(&words[SEGMENTS]);
    Ok(registers)
}

/// Other processors have no `uregs[]`.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn user_registers(_: u32) -> io::Result<[u64; dtrail_lang::builtins::vars::REGISTERS as usize]> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The register that a call's result is in, of a stopped thread: for one that is killed in a call and never stops at its
/// return.
pub(super) fn result_register(tid: u32) -> io::Result<i64> {
    Ok(general(tid)?.0[RESULT] as i64)
}

/// Makes the call that a thread stands before fail with `ENOSYS`, unmade. That the thread is gone meanwhile is no error.
pub(super) fn refuse_call(tid: u32) {
    let Ok((mut registers, size)) = general(tid) else { return };
    registers[RESULT] = -i64::from(libc::ENOSYS) as u64;
    if cfg!(target_arch = "aarch64") {
        /// `NT_ARM_SYSTEM_CALL`
        const NUMBER: usize = 0x404;
        let mut number: libc::c_int = -1;
        let mut place = libc::iovec { iov_base: (&raw mut number).cast(), iov_len: size_of::<libc::c_int>() };
        // SAFETY: the vector is alive, and so is the number that it tells the place and the size of.
        let _ = unsafe { request(libc::PTRACE_SETREGSET, tid, NUMBER, &raw mut place as usize) };
    } else {
        /// `orig_rax`: no call.
        const NUMBER: usize = 15;
        registers[NUMBER] = u64::MAX;
    }
    let mut place = libc::iovec { iov_base: registers.as_mut_ptr().cast(), iov_len: size };
    // SAFETY: as above; the size is no larger than what was written there.
    let _ = unsafe { request(libc::PTRACE_SETREGSET, tid, GENERAL, &raw mut place as usize) };
}

/// The registers of a stopped thread that walking its stack begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Registers {
    /// The program counter.
    pub(super) pc: u64,
    /// The stack pointer.
    pub(super) sp: u64,
    /// The frame pointer, if the code keeps one.
    pub(super) fp: u64,
    /// Where a function that calls no other returns to; 0 where the stack has it.
    pub(super) lr: u64,
}

/// The registers of a stopped thread.
pub(super) fn registers(tid: u32) -> io::Result<Registers> {
    let (words, _) = general(tid)?;
    Ok(if cfg!(target_arch = "aarch64") {
        Registers { pc: words[32], sp: words[31], fp: words[29], lr: words[30] }
    } else {
        Registers { pc: words[16], sp: words[19], fp: words[4], lr: 0 }
    })
}

/// What `waitpid` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waited {
    /// This thread changed state.
    Changed(u32, libc::c_int),
    /// Nothing has happened (only without blocking).
    Nothing,
    /// A signal came first.
    Interrupted,
    /// There is no child and no traced thread left.
    NoChildren,
}

/// Waits for any child or traced thread of the calling thread. Other threads of this process wait for their own.
pub(super) fn wait_any(block: bool) -> io::Result<Waited> {
    wait(-1, if block { 0 } else { libc::WNOHANG })
}

/// Waits until one thread changes state.
pub(super) fn wait_one(tid: u32) -> io::Result<Waited> {
    wait(tid as libc::pid_t, 0)
}

fn wait(id: libc::pid_t, flags: libc::c_int) -> io::Result<Waited> {
    let mut status = 0;
    // SAFETY: `status` is a valid place for the result.
    let result = unsafe { libc::waitpid(id, &raw mut status, libc::__WALL | libc::__WNOTHREAD | flags) };
    match result {
        0 => Ok(Waited::Nothing),
        tid if tid > 0 => Ok(Waited::Changed(tid as u32, status)),
        _ => match io::Error::last_os_error() {
            error if error.raw_os_error() == Some(libc::EINTR) => Ok(Waited::Interrupted),
            error if error.raw_os_error() == Some(libc::ECHILD) => Ok(Waited::NoChildren),
            error => Err(error),
        },
    }
}

/// Makes the ends of children known to this process again, if whoever started it had that turned off: the kernel would
/// reap them itself, and nobody would learn how they ended.
pub(super) fn notice_children() {
    // A handler that somebody has set is left alone.
    if signals::disposition(libc::SIGCHLD) == Some(libc::SIG_IGN) {
        // SAFETY: no preconditions.
        unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
    }
}

/// Kills a process. That it is gone already is no error.
pub(super) fn kill(pid: u32) {
    // SAFETY: no preconditions.
    unsafe { libc::kill(pid as libc::pid_t, libc::SIGKILL) };
}

/// Sends a signal to a process that is traced: it cannot be another one meanwhile. A failure is ignored.
pub(super) fn send_signal(pid: u32, signal: libc::c_int) {
    // SAFETY: no memory is passed.
    unsafe { libc::kill(pid as libc::pid_t, signal) };
}

/// Whether a descriptor becomes readable within a time (`None`: any time); without a descriptor, sleeps that long. A
/// signal ends it early.
pub(super) fn readable(fd: Option<libc::c_int>, timeout: Option<std::time::Duration>) -> bool {
    let mut poll = libc::pollfd { fd: fd.unwrap_or(-1), events: libc::POLLIN, revents: 0 };
    let timeout = timeout.map(|timeout| libc::timespec {
        tv_sec: timeout.as_secs().min(i64::MAX as u64) as libc::time_t,
        tv_nsec: timeout.subsec_nanos().into(),
    });
    let timeout = timeout.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: both structures are alive; a negative descriptor is ignored.
    let ready = unsafe { libc::ppoll(&raw mut poll, 1, timeout, std::ptr::null()) };
    ready > 0
}
