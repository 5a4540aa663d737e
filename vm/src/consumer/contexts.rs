//! Event contexts that the consumer itself makes: the tracer at the moment of `BEGIN`, `END` and `tick`, the event behind
//! a kernel record, and either with the arguments of `ERROR` over it.

use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::builtins::vars::REGISTERS;
use dtrail_lang::ir::AddrSpace;
use dtrail_lang::ir::inst::USER_END;
use dtrail_lang::plan::{AskedStack, Plan};

use crate::event::{EventContext, StackSide};
use crate::fault::{FaultKind, Raised};
use crate::host::{Host, TaskInfo};
use crate::names::Process;
use crate::runtime::{group_slot, group_stack, record_builtin, record_string};

/// The tracer, now. It reads the kernel's memory through the host, where that can, and of processes' its own, since it is
/// the current one; it writes none, and gets no signals, since only traced processes do.
pub(super) struct TracerContext<'h> {
    host: &'h dyn Host,
    task: TaskInfo,
    cpu: u32,
    time: u64,
    wall: i64,
    /// Time on the CPU, once asked for.
    on_cpu: Option<u64>,
    /// Its registers, once asked for: all of one moment.
    registers: Option<[u64; REGISTERS as usize]>,
    /// `arg2` of a tick: nanoseconds beyond the nominal moment.
    late: u64,
}

impl<'h> TracerContext<'h> {
    pub(super) fn new(host: &'h dyn Host, late: u64) -> TracerContext<'h> {
        TracerContext {
            host,
            task: host.own_task(),
            cpu: host.cpu(),
            time: host.monotonic(),
            wall: host.wall_clock(),
            on_cpu: None,
            registers: None,
            late,
        }
    }
}

impl EventContext for TracerContext<'_> {
    fn int(&mut self, var: BuiltinVar, index: u32) -> Result<i64, Raised> {
        Ok(match var {
            BuiltinVar::Arg if index == 2 => self.late as i64,
            BuiltinVar::Pid => i64::from(self.task.pid),
            BuiltinVar::Tid => i64::from(self.task.tid),
            BuiltinVar::Ppid => i64::from(self.task.ppid),
            BuiltinVar::Uid => i64::from(self.task.uid),
            BuiltinVar::Gid => i64::from(self.task.gid),
            BuiltinVar::Cpu => i64::from(self.cpu),
            BuiltinVar::Timestamp => self.time as i64,
            BuiltinVar::Walltimestamp => self.wall,
            BuiltinVar::Chip => i64::from(self.host.place(self.cpu).chip),
            BuiltinVar::Lgrp => i64::from(self.host.place(self.cpu).lgrp),
            BuiltinVar::Vtimestamp => *self.on_cpu.get_or_insert_with(|| self.host.on_cpu()) as i64,
            BuiltinVar::Uregs => {
                let registers = self.registers.get_or_insert_with(|| self.host.registers());
                registers.get(index as usize).map_or(0, |&value| value as i64)
            }
            BuiltinVar::TaskStart => self.task.start as i64,
            BuiltinVar::Curthread => self.host.curthread()? as i64,
            _ => 0,
        })
    }

    fn string(&mut self, _: BuiltinVar, out: &mut Vec<u8>) -> Result<(), Raised> {
        out.extend_from_slice(&self.task.execname);
        Ok(())
    }

    fn read(&mut self, space: AddrSpace, addr: u64, buf: &mut [u8]) -> Result<(), Raised> {
        match space {
            AddrSpace::ByAddress if addr >= USER_END => self.host.read_kernel(addr, buf),
            AddrSpace::ByAddress | AddrSpace::User => self.host.read_own(addr, buf),
            AddrSpace::Scratch => Err(Raised::new(FaultKind::BadAddr, addr)),
        }
    }

    fn parent(&mut self, pid: u32) -> Option<u32> {
        self.host.parent(pid)
    }
}

/// The event behind a kernel record. It is over: its values are the record's, and memory and stacks what the source can
/// still reach.
pub(super) struct RecordContext<'a, 'l> {
    pub(super) plan: &'a Plan,
    pub(super) record: &'a [u8],
    /// What the source can still reach.
    pub(super) left: Option<&'l mut dyn EventContext>,
}

impl EventContext for RecordContext<'_, '_> {
    fn int(&mut self, var: BuiltinVar, index: u32) -> Result<i64, Raised> {
        let value =
            record_builtin(self.record, var).or_else(|| group_slot(self.plan, self.record, var, index));
        Ok(value.unwrap_or(0) as i64)
    }

    fn string(&mut self, var: BuiltinVar, out: &mut Vec<u8>) -> Result<(), Raised> {
        let word = group_slot(self.plan, self.record, var, 0);
        if let Some(bytes) = word.and_then(|word| record_string(self.record, word)?) {
            out.extend_from_slice(bytes);
        }
        Ok(())
    }

    fn read(&mut self, space: AddrSpace, addr: u64, buf: &mut [u8]) -> Result<(), Raised> {
        match &mut self.left {
            Some(left) => left.read(space, addr, buf),
            None => Err(Raised::new(FaultKind::BadAddr, addr)),
        }
    }

    fn read_string(
        &mut self,
        space: AddrSpace,
        addr: u64,
        limit: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), Raised> {
        match &mut self.left {
            Some(left) => left.read_string(space, addr, limit, out),
            None => Err(Raised::new(FaultKind::BadAddr, addr)),
        }
    }

    fn stack(&mut self, side: StackSide, frames: usize, out: &mut Vec<u64>) {
        if let Some(left) = &mut self.left {
            left.stack(side, frames, out);
        }
    }

    fn stack_number(&mut self, asked: AskedStack) -> Option<u64> {
        group_stack(self.plan, self.record, asked)
    }

    fn write(&mut self, addr: u64, bytes: &[u8]) -> Result<(), Raised> {
        match &mut self.left {
            Some(left) => left.write(addr, bytes),
            None => Err(Raised::new(FaultKind::BadAddr, addr)),
        }
    }

    fn signal(&mut self, signal: i32) {
        if let Some(left) = &mut self.left {
            left.signal(signal);
        }
    }

    fn parent(&mut self, pid: u32) -> Option<u32> {
        self.left.as_mut()?.parent(pid)
    }
}

/// The faulting event with the arguments of `ERROR` (language spec §12.3).
pub(super) struct ErrorContext<'a> {
    pub(super) event: &'a mut dyn EventContext,
    /// `arg0` to `arg5`.
    pub(super) args: [i64; 6],
}

impl EventContext for ErrorContext<'_> {
    fn int(&mut self, var: BuiltinVar, index: u32) -> Result<i64, Raised> {
        match var {
            BuiltinVar::Arg => Ok(self.args.get(index as usize).copied().unwrap_or(0)),
            _ => self.event.int(var, index),
        }
    }

    fn string(&mut self, var: BuiltinVar, out: &mut Vec<u8>) -> Result<(), Raised> {
        self.event.string(var, out)
    }

    fn read(&mut self, space: AddrSpace, addr: u64, buf: &mut [u8]) -> Result<(), Raised> {
        self.event.read(space, addr, buf)
    }

    fn read_string(
        &mut self,
        space: AddrSpace,
        addr: u64,
        limit: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), Raised> {
        self.event.read_string(space, addr, limit, out)
    }

    fn stack(&mut self, side: StackSide, frames: usize, out: &mut Vec<u64>) {
        self.event.stack(side, frames, out);
    }

    fn stack_number(&mut self, asked: AskedStack) -> Option<u64> {
        self.event.stack_number(asked)
    }

    fn process(&mut self, addresses: &[u64]) -> Process {
        self.event.process(addresses)
    }

    fn write(&mut self, addr: u64, bytes: &[u8]) -> Result<(), Raised> {
        self.event.write(addr, bytes)
    }

    fn signal(&mut self, signal: i32) {
        self.event.signal(signal);
    }

    fn parent(&mut self, pid: u32) -> Option<u32> {
        self.event.parent(pid)
    }
}
