//! The bytes of an event record, as the emitter writes and the consumer reads them.
//!
//! ```text
//! header (HEADER_SIZE)   one area a clause, in group order      shared slots     tail
//! epoch group probe …    outcome [fault] [branch word] slots…                    string bytes, each 8-aligned
//! ```
//!
//! All integers are little endian and naturally aligned. A string slot points into the tail, which starts at
//! [`GroupLayout::fixed_size`]; the record ends where the tail ends.

use crate::builtins::{BuiltinVar, aggs::Shape};
use crate::ir::slots::ClauseLayout;

/// Most bytes that a program in the kernel has for strings, blocks, keys and its record, all at once. The kernel would give
/// more, but each program gets as many on each CPU before tracing begins.
pub const KERNEL_MEMORY: u32 = 16 << 20;

/// Most bytes of `self->` variables that the kernel keeps with a thread: the storage of a task ends at 64 KiB, its own words
/// included.
pub const KERNEL_THREAD: u32 = (64 << 10) - 512;

/// Offsets within the header.
pub mod header {
    /// `u16` [`crate::plan::Plan::epoch`].
    pub const EPOCH: u32 = 0;
    /// `u16` [`crate::plan::GroupId`].
    pub const GROUP: u32 = 2;
    /// `u32` [`crate::ir::ProbeIndex`].
    pub const PROBE: u32 = 4;
    /// `u64` monotonic nanoseconds.
    pub const TIME: u32 = 8;
    /// `u64` thread-group ID << 32 | thread ID.
    pub const PID_TGID: u32 = 16;
    /// `u32` CPU.
    pub const CPU: u32 = 24;
    /// `u32` generation after the cuts of this firing; 0 without cuts.
    pub const GENERATION: u32 = 28;
}

/// Bytes of the header.
pub const HEADER_SIZE: u32 = 32;

/// The record that says that a thread is gone: a header, whose thread is the one, and when it started. No event of the
/// thread comes after it. It is sent where `self->` variables live in user space.
pub mod thread_end {
    /// What stands in place of a group.
    pub const GROUP: u16 = u16::MAX;
    /// `u64` start time of the thread, as [`BuiltinVar::TaskStart`](crate::builtins::BuiltinVar::TaskStart) has it.
    pub const START: u32 = super::HEADER_SIZE;
    /// Bytes of the record.
    pub const SIZE: u32 = START + 8;
}

/// Outcome of a clause, the `u32` at the start of its area.
pub mod outcome {
    /// Its predicate was false, or an earlier `exit` skipped it, or the path it took has nothing for the user part.
    /// A record in which every outcome is this is not sent.
    pub const NONE: u32 = 0;
    /// It ran to its end in K and has work for U.
    pub const RAN: u32 = 1;
    /// It faulted in K: the fault fields are set. U runs and raises the fault at its
    /// [`FaultPoint`](crate::ir::Op::FaultPoint), or, without user code, at once. It may also end before, by a fault or
    /// on a path of its own that does not come there: then nothing more is reported.
    pub const FAULTED: u32 = 2;
    /// A dynamic variable store in K was full, after [`Work`](crate::ir::Op::Work) was marked (without a mark the
    /// outcome is [`NONE`]; the drop is counted either way): U replays up to the point and ends there without a report.
    pub const DROPPED: u32 = 3;
}

/// The record of a group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupLayout {
    /// Start of each clause's area, in group order.
    pub areas: Vec<u32>,
    /// What `ERROR` clauses read of the event, and [`BuiltinVar::TaskStart`] if a user clause of the group touches a
    /// `self->` variable that lives in U; set in every record of the group. Offsets from the record's start.
    pub shared_slots: Vec<SharedSlot>,
    /// Where the tail starts.
    pub fixed_size: u32,
}

/// Something of the event captured for the whole firing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedSlot {
    /// What.
    pub holds: Shared,
    /// Where, from the record's start; 8 bytes, as [`SlotKind::Int`](super::SlotKind::Int) or [`SlotKind::Str`](super::SlotKind::Str) says.
    pub offset: u32,
}

/// What `ERROR` clauses can ask of an event that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shared {
    /// A built-in variable.
    Builtin(BuiltinVar),
    /// `uregs[n]`
    Register(u32),
    /// A stack: its number ([`crate::plan::stacks`]), in records that carry a fault or lead to one; else 0.
    Stack(AskedStack),
}

/// Which stack, as [`Func::Stack`](crate::builtins::Func::Stack) and [`Func::Ustack`](crate::builtins::Func::Ustack) ask for
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AskedStack {
    /// That of user space.
    pub user: bool,
    /// Most addresses.
    pub frames: u32,
    /// Room for names of run-time code; 0 for a kernel stack.
    pub strsize: u32,
}

impl SharedSlot {
    /// The variable that it holds, if it holds one.
    pub fn builtin(&self) -> Option<BuiltinVar> {
        match self.holds {
            Shared::Builtin(var) => Some(var),
            Shared::Register(_) => Some(BuiltinVar::Uregs),
            Shared::Stack(_) => None,
        }
    }

    /// Which of the variables of that name.
    pub fn index(&self) -> u32 {
        match self.holds {
            Shared::Register(index) => index,
            Shared::Builtin(_) | Shared::Stack(_) => 0,
        }
    }

    /// The stack that it holds, if it holds one.
    pub fn stack(&self) -> Option<AskedStack> {
        match self.holds {
            Shared::Builtin(_) | Shared::Register(_) => None,
            Shared::Stack(asked) => Some(asked),
        }
    }
}

impl GroupLayout {
    /// Lays out a record from its clauses' areas and the built-ins it shares.
    pub fn new<'a>(areas: impl Iterator<Item = &'a ClauseLayout>, shared: &[Shared]) -> GroupLayout {
        let mut at = HEADER_SIZE;
        let areas = areas
            .map(|area| {
                let start = at;
                at += area.size;
                start
            })
            .collect();
        let shared_slots = shared
            .iter()
            .map(|&holds| {
                let offset = at;
                at += 8;
                SharedSlot { holds, offset }
            })
            .collect();
        GroupLayout { areas, shared_slots, fixed_size: at }
    }
}

/// How one element of a key lies in a map's key. All parts are multiples of 8 bytes; padding is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyPart {
    /// 8 bytes: the register.
    Int,
    /// 8 bytes length + 1 (0: NULL), then the bytes padded to `strsize` rounded up to a multiple of 8.
    Str,
    /// 16 bytes: the command name, zero-padded. For a key that is `execname` itself.
    Execname,
    /// 8 bytes: the [`crate::ir::ProbeIndex`]; decoded to that probe's component. For a key that is `probefunc` or its
    /// kin itself.
    Probe(BuiltinVar),
}

impl KeyPart {
    /// The part that holds any key of a type.
    pub fn of(ty: crate::ir::ValueType) -> KeyPart {
        match ty.reg_kind() {
            crate::ir::RegKind::Int => KeyPart::Int,
            crate::ir::RegKind::Str => KeyPart::Str,
        }
    }

    /// Its bytes in the key.
    pub fn size(self, strsize: u32) -> u32 {
        match self {
            KeyPart::Int | KeyPart::Probe(_) => 8,
            KeyPart::Str => 8 + strsize.next_multiple_of(8),
            KeyPart::Execname => 16,
        }
    }
}

/// How many entries a keyed store of `budget` bytes holds: at least one. All engines bound a store by this number, so
/// that drops are the same everywhere: an associative array at any time, an aggregation the keys that are updated
/// between two cuts. An entry counts 16 bytes of bookkeeping, its
/// key in the packed form of its types, and `value` bytes.
pub fn entries(budget: u64, key: impl IntoIterator<Item = KeyPart>, strsize: u32, value: u64) -> u32 {
    let key: u64 = key.into_iter().map(|part| u64::from(part.size(strsize))).sum();
    let entries = budget / (16 + key + value);
    u32::try_from(entries).unwrap_or(u32::MAX).max(1)
}

/// So many threads more than those that keep their room for good can have `self->` variables at once; see [`threads`].
pub const THREADS_AT_ONCE: u64 = 4096;

/// How many threads can have scalar `self->` variables at a time in `budget` bytes: at least one. All engines bound them
/// by this number.
///
/// A thread takes its room with its first value that is not zero. It gives it back when it ends, and when its last value
/// turns zero while more than [`threads_that_keep`] threads have room: a thread that had a value will likely have one
/// again, and where there is plenty of room, counting it each time would cost more than all else.
pub fn threads(program: &crate::ir::Program, budget: u64) -> u32 {
    let strsize = program.limits.strsize;
    let block =
        program.vars.iter().filter(|var| var.scope == crate::ir::Scope::ThreadLocal && var.keys.is_none());
    let block = block.map(|var| u64::from(cell_bytes(var.ty, strsize))).sum();
    entries(budget, [KeyPart::Int, KeyPart::Int], strsize, block)
}

/// Up to how many threads, of so many that have room at most, keep it when their last value turns zero.
pub fn threads_that_keep(threads: u64) -> u64 {
    threads.saturating_sub(THREADS_AT_ONCE)
}

/// Bytes of a cell: what holds the value of a variable.
pub fn cell_bytes(ty: crate::ir::ValueType, strsize: u32) -> u32 {
    match ty.reg_kind() {
        crate::ir::RegKind::Int => 8,
        crate::ir::RegKind::Str => 8 + strsize.next_multiple_of(8),
    }
}

/// Words of 8 bytes that one aggregation value takes in a kernel map, per slot (`kernel_bridge::ebpf` says where slots
/// and generations come in). The first word tells that the value was updated at all: for `count`, `avg` and `stddev`
/// it is the count itself, for the others a flag that is set to 1; then the value, the sum of `avg` and `stddev`, or the
/// buckets. The sum of squares of `stddev` has 128 bits, the low word first.
pub fn agg_words(func: crate::builtins::AggFn, shape: Shape) -> u32 {
    use crate::builtins::AggFn;
    match func {
        AggFn::Count => 1,
        AggFn::Sum | AggFn::Min | AggFn::Max | AggFn::Avg => 2,
        AggFn::Stddev => 4,
        AggFn::Quantize | AggFn::Lquantize | AggFn::Llquantize => 1 + shape.buckets(),
        // In user space only: about what an entry takes.
        AggFn::Percentile => 64,
        AggFn::Distinct => 256,
        AggFn::Topk => 512,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_bounded_by_its_budget() {
        assert_eq!(entries(64, [KeyPart::Int], 256, 8), 2, "one integer key of a count");
        assert_eq!(entries(1 << 20, [KeyPart::Str], 256, 8), 3640);
        assert_eq!(entries(0, [], 256, 8), 1);
        assert_eq!(entries(u64::MAX, [], 256, 0), u32::MAX);
    }
}
