//! A stopped thread, as the clauses of its event see it. Facts are read when a clause asks for them, and only then.

use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::builtins::vars::REGISTERS;
use dtrail_lang::env::Environment;
use dtrail_lang::ir::AddrSpace;
use dtrail_lang::ir::inst::USER_END;
use dtrail_lang::options::MAX_FRAMES;
use dtrail_vm::event::{EventContext, StackSide};
use dtrail_vm::fault::{FaultKind, Raised};
use dtrail_vm::names::Process;

use super::tasks::Tasks;
use super::threads::Thread;
use super::{sys, tasks, unwind};
use crate::env::SourceEnvironment;
use crate::symbols::Symbols;
use crate::sys::{cpus, process_memory};
use crate::{host, procfs};

/// One firing in a stopped thread.
pub(super) struct StopContext<'a> {
    pub(super) tid: u32,
    pub(super) thread: &'a mut Thread,
    /// What has the names of addresses, which must know what is mapped while the thread stands still.
    pub(super) symbols: &'a Symbols,
    /// `unwind=dwarf`
    pub(super) dwarf: bool,
    /// Monotonic nanoseconds at which the stop was seen.
    pub(super) time: u64,
    /// The wall clock, once asked for.
    pub(super) wall: Option<i64>,
    /// `arg0`…; those beyond are 0.
    pub(super) args: [u64; 6],
    pub(super) errno: i32,
    /// Its registers by their index in `uregs[]`, once asked for.
    pub(super) registers: Option<[u64; REGISTERS as usize]>,
    /// What stands for the kernel's structures of tasks, and their types.
    pub(super) tasks: &'a Tasks,
    pub(super) environment: &'a SourceEnvironment,
    /// Signals for its process, which wait until all clauses have run: one that kills takes effect though it is stopped.
    pub(super) signals: Vec<i32>,
}

impl EventContext for StopContext<'_> {
    fn int(&mut self, var: BuiltinVar, index: u32) -> Result<i64, Raised> {
        let tid = self.tid;
        Ok(match var {
            BuiltinVar::Arg => self.args.get(index as usize).copied().unwrap_or(0) as i64,
            BuiltinVar::Pid => i64::from(self.thread.pid),
            BuiltinVar::Tid => i64::from(tid),
            BuiltinVar::Ppid => i64::from(self.thread.parent(tid)),
            BuiltinVar::Uid => i64::from(self.thread.ids(tid).0),
            BuiltinVar::Gid => i64::from(self.thread.ids(tid).1),
            BuiltinVar::Cpu => i64::from(self.thread.cpu(tid)),
            BuiltinVar::Chip => i64::from(cpus::place(self.thread.cpu(tid)).chip),
            BuiltinVar::Lgrp => i64::from(cpus::place(self.thread.cpu(tid)).lgrp),
            BuiltinVar::Timestamp => self.time as i64,
            BuiltinVar::Walltimestamp => *self.wall.get_or_insert_with(host::wall_clock),
            BuiltinVar::Errno => i64::from(self.errno),
            BuiltinVar::TaskStart => self.thread.identity(tid).start as i64,
            // The kernel hides its addresses from those who only trace processes: another one stands for it.
            BuiltinVar::Curthread => tasks::task(tid) as i64,
            // It stands, and so its account is up to date and stays as it is.
            BuiltinVar::Vtimestamp => {
                let nanos = procfs::on_cpu(self.thread.pid, tid);
                nanos.ok_or(Raised::plain(FaultKind::IllOp))? as i64
            }
            BuiltinVar::Uregs => self.register(index)? as i64,
            BuiltinVar::Ucaller => self.user_stack(2).get(1).map_or(0, |&addr| addr as i64),
            BuiltinVar::Ustackdepth => self.user_stack(MAX_FRAMES as usize).len() as i64,
            // The kernel shows its own stack to nobody who only traces processes.
            BuiltinVar::Caller | BuiltinVar::Stackdepth => 0,
            // Of the probe, not of the event, or a string: never asked for here.
            BuiltinVar::Execname
            | BuiltinVar::Probeprov
            | BuiltinVar::Probemod
            | BuiltinVar::Probefunc
            | BuiltinVar::Probename
            | BuiltinVar::Id
            | BuiltinVar::Epid
            | BuiltinVar::Ipl => 0,
        })
    }

    fn string(&mut self, var: BuiltinVar, out: &mut Vec<u8>) -> Result<(), Raised> {
        if var == BuiltinVar::Execname {
            out.extend_from_slice(self.thread.name(self.tid));
        }
        Ok(())
    }

    fn read(&mut self, space: AddrSpace, addr: u64, buf: &mut [u8]) -> Result<(), Raised> {
        if let Some(bytes) = self.of_task(space, addr) {
            let bytes = bytes.get(..buf.len()).ok_or(Raised::new(FaultKind::KPriv, addr))?;
            buf.copy_from_slice(bytes);
            return Ok(());
        }
        check_space(space, addr)?;
        if buf.is_empty() {
            return Ok(());
        }
        match process_memory::read(self.tid, addr, buf) {
            Ok(read) if read == buf.len() => Ok(()),
            Ok(_) => Err(Raised::new(FaultKind::BadAddr, addr)),
            Err(error) => Err(raised(&error, addr)),
        }
    }

    fn read_string(
        &mut self,
        space: AddrSpace,
        addr: u64,
        limit: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), Raised> {
        if let Some(bytes) = self.of_task(space, addr) {
            out.extend(bytes.iter().take(limit).take_while(|&&byte| byte != 0));
            return Ok(());
        }
        check_space(space, addr)?;
        let start = out.len();
        // Most strings are short; a long one takes a few more calls.
        let mut chunk = [0u8; 256];
        loop {
            let done = out.len() - start;
            let wanted = (limit - done).min(chunk.len());
            if wanted == 0 {
                return Ok(());
            }
            let read = process_memory::read(self.tid, addr.wrapping_add(done as u64), &mut chunk[..wanted]);
            let read = match read {
                Ok(read) if read > 0 => read,
                Err(error) if done == 0 => return Err(raised(&error, addr)),
                Ok(_) if done == 0 => return Err(Raised::new(FaultKind::BadAddr, addr)),
                // What could be read is the string.
                Ok(_) | Err(_) => return Ok(()),
            };
            match chunk[..read].iter().position(|&b| b == 0) {
                Some(end) => {
                    out.extend_from_slice(&chunk[..end]);
                    return Ok(());
                }
                None => out.extend_from_slice(&chunk[..read]),
            }
        }
    }

    fn process(&mut self, addresses: &[u64]) -> Process {
        let pid = self.thread.pid;
        let execs = self.symbols.stopped_at(pid, addresses);
        Process { pid, start: 0, execs, seen: self.time }
    }

    fn stack(&mut self, side: StackSide, frames: usize, out: &mut Vec<u64>) {
        if side == StackSide::User {
            match self.dwarf {
                true => unwind::tables(self.tid, self.thread.pid, self.symbols, frames, out),
                false => unwind::frame_pointers(self.tid, frames, out),
            }
        }
    }

    fn write(&mut self, addr: u64, bytes: &[u8]) -> Result<(), Raised> {
        check_space(AddrSpace::User, addr)?;
        match process_memory::write(self.tid, addr, bytes) {
            Ok(written) if written == bytes.len() => Ok(()),
            Ok(_) => Err(Raised::new(FaultKind::BadAddr, addr)),
            Err(error) => Err(raised(&error, addr)),
        }
    }

    fn signal(&mut self, signal: i32) {
        self.signals.push(signal);
    }

    /// Sends the signals that clauses asked for: a command of `system` may take one back (`stop(); system("kill -CONT …")`).
    fn settle(&mut self) {
        let pid = self.thread.pid;
        self.signals.drain(..).for_each(|signal| sys::send_signal(pid, signal));
    }

    fn parent(&mut self, pid: u32) -> Option<u32> {
        procfs::parent(pid, pid)
    }
}

impl StopContext<'_> {
    /// What stands at an address that stands for a task's.
    fn of_task(&self, space: AddrSpace, addr: u64) -> Option<Vec<u8>> {
        let kernel = space == AddrSpace::ByAddress && addr >= USER_END;
        kernel.then(|| self.tasks.read(self.environment.kernel_types(), self.tid, addr)).flatten()
    }

    fn register(&mut self, index: u32) -> Result<u64, Raised> {
        // That of the last trap the kernel keeps to itself.
        if index + 1 == REGISTERS {
            return Err(Raised::plain(FaultKind::KPriv));
        }
        let registers = match self.registers {
            Some(registers) => registers,
            None => {
                let read = sys::user_registers(self.tid).map_err(|_| Raised::plain(FaultKind::IllOp))?;
                *self.registers.insert(read)
            }
        };
        registers.get(index as usize).copied().ok_or(Raised::plain(FaultKind::IllOp))
    }

    fn user_stack(&mut self, frames: usize) -> Vec<u64> {
        let mut out = Vec::new();
        self.stack(StackSide::User, frames, &mut out);
        out
    }
}

/// Refuses what no tracer of processes can read: the kernel's memory; and addresses that are not user memory where user
/// memory is meant.
fn check_space(space: AddrSpace, addr: u64) -> Result<(), Raised> {
    match space {
        _ if addr < USER_END => Ok(()),
        AddrSpace::ByAddress => Err(Raised::new(FaultKind::KPriv, addr)),
        AddrSpace::User | AddrSpace::Scratch => Err(Raised::new(FaultKind::BadAddr, addr)),
    }
}

fn raised(error: &std::io::Error, addr: u64) -> Raised {
    let kind = if error.raw_os_error() == Some(libc::EPERM) { FaultKind::UPriv } else { FaultKind::BadAddr };
    Raised::new(kind, addr)
}
