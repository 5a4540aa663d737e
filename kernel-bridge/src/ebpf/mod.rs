//! From the kernel part of a plan to eBPF programs and maps: pure functions, no system call.
//!
//! ```text
//! Plan ──emit──> EbpfProgram ──object──> ELF bytes ──aya──> kernel        (load, source/bpf)
//!                     └──────harness──> rbpf, emulated maps and helpers   (tests, engine rbpf)
//! ```
//!
//! The emitter by file: `emit` the pass list; `survey` what a clause needs, `maps` where state lies, `context` the firing's
//! cache, `alloc` where registers live; `clause` control flow and faults, with the ops in `ints`, `builtins`, `strings`,
//! `compare`, `funcs`, `scan`, `memory`, `vars`, `keys`, `agg`, `writing`, `record` and `fill`; `prologue` the programs; `least` what they come to
//! at least; `asm`, `rodata` and `abi`
//! the machine.
//!
//! [`StateLayout`] says where every K-homed variable and aggregation lies in the maps; user space reads and writes them
//! through [`MapAccess`], which both the kernel's maps and the harness's implement, so the code that sweeps
//! aggregations is one.

mod abi;
mod agg;
mod alloc;
pub mod asm;
mod builtins;
mod clause;
mod compare;
mod context;
pub mod disasm;
mod emit;
mod fill;
mod funcs;
pub mod harness;
mod hook;
mod ints;
mod keys;
pub mod least;
mod maps;
mod memory;
pub mod object;
mod paths;
mod process;
mod prologue;
mod record;
mod registers;
mod rodata;
mod scan;
mod speculation;
mod stacks;
mod strings;
mod survey;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod vars;
mod writing;

#[cfg(test)]
pub(crate) use emit::EMITTED;
pub use emit::{EmitError, emit};
pub use fill::Fill;
pub use hook::Hook;

use dtrail_lang::builtins::{BuiltinVar, Func};
use dtrail_lang::ir::{AggId, AggSiteId, Op, ProbeIndex, VarId};
use dtrail_lang::plan::{GroupId, KeyPart, Plan, Shared};
use dtrail_vm::host::CpuPlace;

/// Where functions lie that stand between a tracepoint and a program: address and length (below 2^24), 0 if that is not
/// known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Machinery {
    /// `__bpf_trace_NAME`, which calls `bpf_trace_runN` or jumps there.
    pub bridge: (u64, u32),
    /// `__traceiter_NAME`, which is there only if there are several subscribers.
    pub iterator: (u64, u32),
}

/// Whether the kernel part of a plan walks the kernel's stack.
pub fn walks_kernel(plan: &Plan) -> bool {
    let walks = |var: BuiltinVar| matches!(var, BuiltinVar::Caller | BuiltinVar::Stackdepth);
    let code = plan.kernel.iter().flatten().flat_map(|clause| &clause.blocks).flat_map(|block| &block.insts);
    let shared = plan.groups.iter().flat_map(|group| &group.layout.shared_slots);
    shared.into_iter().any(|slot| match slot.holds {
        Shared::Builtin(var) => walks(var),
        Shared::Register(_) => false,
        Shared::Stack(asked) => !asked.user,
    }) || code.into_iter().any(|inst| match inst.op {
        Op::Builtin { var, .. } => walks(var),
        Op::Call { func, .. } => func == Func::Stack,
        _ => false,
    })
}

/// Whether the kernel part of a plan writes to processes.
pub fn writes_process(plan: &Plan) -> bool {
    let code = plan.kernel.iter().flatten().flat_map(|clause| &clause.blocks).flat_map(|block| &block.insts);
    code.into_iter().any(|inst| matches!(inst.op, Op::Call { func, .. } if func.writes_process()))
}

/// All that is loaded for one plan.
#[derive(Clone, Debug)]
pub struct EbpfProgram {
    /// The maps, by index: `lddw` of a map names its index.
    pub maps: Vec<MapSpec>,
    /// The programs, one a hook.
    pub programs: Vec<ProgramSpec>,
    /// Subprograms, one a clause, called by the programs.
    pub subprograms: Vec<Subprogram>,
    /// Where state lies.
    pub state: StateLayout,
}

/// A map to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapSpec {
    /// At most 15 bytes, unique.
    pub name: String,
    /// Its kind.
    pub kind: MapKind,
    /// Bytes of a key.
    pub key_size: u32,
    /// Bytes of a value, a multiple of 8.
    pub value_size: u32,
    /// Entries; for the ring its bytes, a power of two.
    pub max_entries: u32,
    /// Contents of entry 0 of an array at load time.
    pub init: Option<Vec<u8>>,
}

/// The kinds of maps in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MapKind {
    /// `BPF_MAP_TYPE_ARRAY`; with `mmap`, `BPF_F_MMAPABLE`.
    Array {
        /// User space maps it.
        mmap: bool,
    },
    /// `BPF_MAP_TYPE_PERCPU_ARRAY`
    PerCpuArray,
    /// `BPF_MAP_TYPE_HASH`, `BPF_F_NO_PREALLOC`
    Hash,
    /// `BPF_MAP_TYPE_HASH` with memory for all entries beforehand: large entries that come in bursts always find it.
    FullHash,
    /// `BPF_MAP_TYPE_PERCPU_HASH`
    PerCpuHash {
        /// It has memory for all entries beforehand; else `BPF_F_NO_PREALLOC`, and a new entry may find none.
        full: bool,
    },
    /// `BPF_MAP_TYPE_TASK_STORAGE`
    TaskStorage,
    /// `BPF_MAP_TYPE_RINGBUF`
    Ring,
}

/// How a probe is told apart from the others on its hook.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Select {
    /// Every firing of the hook.
    Always,
    /// The same, with so many arguments of the hook as they are (`rawtp`).
    Arguments(u8),
    /// The same, with the fields of the event's record as `arg0`… (`sdt`).
    Fields(Vec<RecordField>),
    /// System call number. 32-bit compat calls are another table and never match.
    Syscall(u32),
    /// The return of one of these calls with a result below 0; `arg0` is the positive error number
    /// (`proc:::exec-failure`).
    SyscallFailed(Vec<u32>),
    /// The entry of one of these calls; the number beside each says which argument becomes `arg0`
    /// (`proc:::exec`: the path of `execve` and `execveat`).
    SyscallArg(Vec<(u32, u8)>),
    /// The return of one of these calls with 0, in the child (`proc:::start`).
    SyscallChild(Vec<u32>),
    /// The same, in a new thread of any process too (`proc:::lwp-start`).
    SyscallBorn(Vec<u32>),
    /// The return of one of these calls with a result above 0, which is `arg0` (`proc:::signal-clear`).
    SyscallGave(Vec<u32>),
    /// `sched_process_fork` of a process or thread; `arg0` and `arg1` are its task (`proc:::lwp-create`).
    ForkedThread,
    /// `signal_generate` or `signal_deliver`, as a probe of `proc` looks at it.
    Signal(SignalEvent),
    /// `sched_process_fork` of a new process, not a thread; `arg0` is the child's task (`proc:::create`).
    ForkedProcess,
    /// `sched_process_exit` of the last thread; `arg0` is the CLD reason (`proc:::exit`).
    LastThread,
}

/// What happened to a signal. With [`Select::Signal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignalEvent {
    /// It was sent; `arg0` and `arg1` are the task it is for, `arg2` its number.
    Sent,
    /// It was sent and is ignored; the same arguments.
    Discarded,
    /// It is about to be handled; `arg0` its number, `arg1` the address of its information, `arg2` the handler.
    Handled,
    /// It stands for a fault of the machine; `arg0` its number, `arg1` the address of its information.
    Fault,
}

/// Where one argument lies in the record of a trace event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RecordField {
    /// Bytes from the start of the record.
    pub offset: u32,
    /// How to get from there to the argument.
    pub holds: FieldHolds,
}

/// What stands at a field's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldHolds {
    /// An integer or address of 1, 2, 4 or 8 bytes.
    Value {
        /// Bytes.
        size: u8,
        /// Whether it is extended by its sign.
        signed: bool,
    },
    /// An array or struct, whose address is the argument.
    Memory,
    /// Four bytes, the lower half of which is where something of varying length begins, counted from the record
    /// (`__data_loc`).
    Location,
    /// The same, counted from the end of these four bytes (`__rel_loc`).
    RelativeLocation,
}

/// Where a source-fired probe comes from. `providers` gives one for each probe.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HookSite {
    /// The hook.
    pub hook: Hook,
    /// Which of its firings.
    pub select: Select,
}

/// What the emitter must know besides the plan.
#[derive(Clone, Debug)]
pub struct Target {
    /// By [`ProbeIndex`]; `None` for tracer- and fault-fired probes. Ignored under injection.
    pub sites: Vec<Option<HookSite>>,
    /// Emit one [`Hook::Inject`] program that dispatches every group, in place of the live hooks; `self->` then lives in
    /// a hash. For the conformance engines `rbpf` and `bpf` on synthetic events.
    pub inject: bool,
    /// Kernel memory of injected events lies in the process that injects them ([`inject::stand_in`]): the kernel has its own.
    pub stands_in: bool,
    /// Offsets in kernel structures, from BTF. Zero under injection.
    pub offsets: KernelOffsets,
    /// The tracer's PID namespace, whose numbers processes and threads have in the program; `None` in the initial one.
    pub namespace: Option<PidNamespace>,
    /// Possible CPUs.
    pub cpus: u32,
    /// The only CPU whose events count (`cpu`). Ignored under injection, where the source chooses.
    pub only_cpu: Option<u32>,
    /// Where each CPU is, by number; package and node 0 beyond.
    pub places: Vec<CpuPlace>,
    /// Whether raw tracepoints may be loaded as `tp_btf`.
    pub typed: bool,
    /// By hook: the functions between a tracepoint and programs that may have a frame. Empty where nothing walks the
    /// kernel's stack, and where this user may not know.
    pub machinery: Vec<(Hook, Machinery)>,
    /// Whether `__bpf_trace_sys_enter` and `…_exit` have a frame (Linux 6.13), where those of other tracepoints jump.
    pub syscall_frame: bool,
    /// Bytes of the ring buffer (`bufsize`, rounded up to a power of two).
    pub ring_size: u32,
    /// Bytes of a CPU's buffer whose filling ends tracing (`bufpolicy=fill`).
    pub fill_size: Option<u64>,
    /// Bytes of an aggregation map (`aggsize`): bounds its entries.
    pub agg_size: u64,
    /// User stacks are kept whole, to be unwound in user space (`unwind=dwarf`). Ignored under injection.
    pub dwarf: bool,
    /// Bytes of dynamic variables (`dynvarsize`): bounds the entries of associative arrays, and the threads that have
    /// `self->` variables.
    pub dynvar_size: u64,
    /// How many speculations there are (`nspec`).
    pub speculations: u32,
    /// Nanoseconds for which one is busy that was committed or discarded (`cleanrate`).
    pub cleanrate: u64,
}

/// A PID namespace, and where a task keeps its number in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PidNamespace {
    /// Address of the kernel's `struct pid_namespace`.
    pub address: u64,
    /// Its depth below the initial one, at least 1.
    pub level: u32,
    /// `task_struct.group_leader`
    pub task_group_leader: u32,
    /// `task_struct.thread_pid`
    pub task_thread_pid: u32,
    /// `pid.level`
    pub pid_level: u32,
    /// `pid.numbers`: a `struct upid` (number, then address of the namespace) by level.
    pub pid_numbers: u32,
}

impl PidNamespace {
    /// Bytes of a `struct upid`.
    pub const UPID: u32 = 16;
    /// `upid.ns`
    pub const UPID_NS: u32 = 8;

    /// Offset in `struct pid` of the number in this namespace.
    pub fn number(&self) -> u32 {
        self.pid_numbers + self.level * PidNamespace::UPID
    }
}

/// Byte offsets in kernel structures on this kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelOffsets {
    /// `task_struct.pid`
    pub task_pid: u32,
    /// `task_struct.tgid`
    pub task_tgid: u32,
    /// `task_struct.real_parent`
    pub task_real_parent: u32,
    /// `task_struct.start_boottime` (`real_start_time` on old kernels)
    pub task_start: u32,
    /// `task_struct.exit_code`
    pub task_exit_code: u32,
    /// `task_struct.signal`
    pub task_signal: u32,
    /// `signal_struct.live`
    pub signal_live: u32,
    /// `task_struct.thread_info.status` (x86: TS_COMPAT)
    pub task_status: u32,
    /// `task_struct.cred`
    pub task_cred: u32,
    /// `task_struct.group_leader`
    pub task_group_leader: u32,
    /// `task_struct.self_exec_id`
    pub task_self_exec_id: u32,
    /// `task_struct.se.sum_exec_runtime`
    pub task_sum_exec: u32,
    /// `task_struct.flags`
    pub task_flags: u32,
    /// `task_struct.thread`: `ds`, `es`, `fsindex`, `gsindex` (16 bits each) and `trap_nr`
    pub thread_registers: [u32; 5],
}

/// One program.
#[derive(Clone, Debug)]
pub struct ProgramSpec {
    /// At most 15 bytes, unique.
    pub name: String,
    /// What it hangs on.
    pub hook: Hook,
    /// For raw tracepoints: load as `tp_btf`, so that arguments are typed pointers which the code loads from directly.
    pub typed: bool,
    /// The code; calls and map loads are in `relocs`.
    pub code: Code,
    /// Its groups, for messages.
    pub groups: Vec<GroupId>,
    /// Its probes, for messages about a failed load.
    pub probes: Vec<ProbeIndex>,
}

/// One subprogram.
#[derive(Clone, Debug)]
pub struct Subprogram {
    /// Unique.
    pub name: String,
    /// The code.
    pub code: Code,
}

/// Instructions and what they refer to.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// `struct bpf_insn`, 8 bytes each.
    pub insns: Vec<u64>,
    /// Instructions that name something.
    pub relocs: Vec<Reloc>,
}

/// A reference from an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reloc {
    /// Index of the instruction.
    pub insn: u32,
    /// What it names.
    pub target: RelocTarget,
}

/// What a relocation names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelocTarget {
    /// `lddw` of a map (index in [`EbpfProgram::maps`]), as a handle for helpers.
    Map(u32),
    /// `lddw` of the value of entry 0 of an array map, plus an offset.
    MapValue {
        /// Index in [`EbpfProgram::maps`].
        map: u32,
        /// Bytes from the value's start.
        offset: u32,
    },
    /// `call` of a subprogram (index in [`EbpfProgram::subprograms`]).
    Subprogram(u32),
}

/// Where the kernel part's state lies.
#[derive(Clone, Debug, Default)]
pub struct StateLayout {
    /// The control map: one `u64` word a [`control`] index. An mmapped array.
    pub control: u32,
    /// Counters per CPU of losses, [`counter`] indices. A per-CPU array with one value.
    pub counters: u32,
    /// The ring buffer, if any program sends records.
    pub ring: Option<u32>,
    /// By [`VarId`]; `None` for a U home.
    pub vars: Vec<Option<VarPlace>>,
    /// The map of [`VarPlace::Task`], if any variable has one.
    pub task: Option<u32>,
    /// How many threads may have a value in it that is not zero.
    pub threads: u32,
    /// Every map that holds aggregation values.
    pub aggs: Vec<AggPlace>,
    /// By [`AggSiteId`]: index in `aggs`; `None` for a U site.
    pub agg_sites: Vec<Option<u32>>,
    /// The map of the times that threads have been on a CPU, if a clause reads them: a task's own storage of 16 bytes.
    pub on_cpu: Option<u32>,
    /// The map of stacks by number, if the plan takes any. A value is a `u64` time, a `u64` count and so many words of
    /// [`dtrail_lang::plan::stacks`].
    pub stacks: Option<u32>,
    /// Its entries.
    pub stack_entries: u32,
    /// Where it is kept which speculations are in use, if the kernel part keeps that.
    pub speculations: Option<SpeculationWords>,
    /// Where programs count what is in each CPU's buffer, under `bufpolicy=fill` if any sends records.
    pub fill: Option<Fill>,
    /// The map that injected events are written to (value: [`inject`]), if there is an [`Hook::Inject`] program.
    pub inject: Option<u32>,
}

/// Numbers of the helpers in use, `enum bpf_func_id`.
pub mod helper {
    #![allow(missing_docs, reason = "the kernel's names")]
    pub const MAP_LOOKUP_ELEM: i32 = 1;
    pub const MAP_UPDATE_ELEM: i32 = 2;
    pub const MAP_DELETE_ELEM: i32 = 3;
    pub const KTIME_GET_NS: i32 = 5;
    pub const GET_SMP_PROCESSOR_ID: i32 = 8;
    pub const GET_CURRENT_PID_TGID: i32 = 14;
    pub const GET_CURRENT_UID_GID: i32 = 15;
    pub const GET_CURRENT_COMM: i32 = 16;
    pub const PROBE_WRITE_USER: i32 = 36;
    pub const GET_STACK: i32 = 67;
    pub const SEND_SIGNAL: i32 = 109;
    pub const PROBE_READ_USER: i32 = 112;
    pub const PROBE_READ_KERNEL: i32 = 113;
    pub const PROBE_READ_USER_STR: i32 = 114;
    pub const PROBE_READ_KERNEL_STR: i32 = 115;
    pub const RINGBUF_OUTPUT: i32 = 130;
    pub const RINGBUF_QUERY: i32 = 134;
    pub const TASK_STORAGE_GET: i32 = 156;
    pub const GET_CURRENT_TASK: i32 = 35;
    pub const GET_CURRENT_TASK_BTF: i32 = 158;
    pub const TASK_PT_REGS: i32 = 175;
}

/// Codes of the faults that kernel code raises; [`dtrail_vm::fault::FaultKind`] gives their meaning.
mod fault {
    pub(super) const BADADDR: u64 = 1;
    pub(super) const ILLOP: u64 = 3;
    pub(super) const DIVZERO: u64 = 4;
    pub(super) const NOSCRATCH: u64 = 5;
    pub(super) const BADSIZE: u64 = 10;
    pub(super) const BADINDEX: u64 = 11;
}

/// Words of the control map.
pub mod control {
    /// 1 while the gate is open; K programs do nothing otherwise.
    pub const GATE: u32 = 0;
    /// Generation: incremented by each cut.
    pub const GENERATION: u32 = 1;
    /// Generation up to which user space has swept.
    pub const ACKED: u32 = 2;
    /// Set to 1 by an `exit` in K.
    pub const EXITED: u32 = 3;
    /// Its status.
    pub const STATUS: u32 = 4;
    /// Nanoseconds to add to `timestamp` for `walltimestamp`.
    pub const WALL_OFFSET: u32 = 5;
    /// Stacks put into their map, ever.
    pub const STACKS: u32 = 6;
    /// Threads that have room for `self->` variables ([`dtrail_lang::plan::layout::threads`]).
    pub const THREADS: u32 = 7;
    /// Number of words, but for those of [`Fill`](super::Fill), [`AggPlace::room`](super::AggPlace::room) and
    /// [`SpeculationWords`](super::SpeculationWords).
    pub const WORDS: u32 = 8;
}

/// The value of a thread, ahead of its variables' cells.
mod thread {
    /// `u32`: cells that are not zero.
    pub(super) const CELLS: u32 = 0;
    /// `u32`: 1 if the thread is counted in [`THREADS`](super::control::THREADS).
    pub(super) const ROOM: u32 = 4;
    /// Where the cells begin.
    pub(super) const HEADER: u32 = 8;
    /// What [`CELLS`] of a thread becomes that is counted no more and never again.
    pub(super) const ENDED: u32 = 1 << 30;
}

/// How long a thread has been on a CPU: an account that begins when a clause first asks, and that a program at
/// `sched_switch` keeps.
mod on_cpu {
    /// `u64`: off the CPU the nanoseconds; on it, what the monotonic clock must be added to.
    pub(super) const NANOS: u32 = 0;
    /// `u64`: one of the following, 0 before the first question.
    pub(super) const STATE: u32 = 8;
    /// It is on a CPU.
    pub(super) const ON: i32 = 1;
    /// It is on none.
    pub(super) const OFF: i32 = 2;
    /// Bytes.
    pub(super) const SIZE: u32 = 16;
}

/// Words of the counters map.
pub mod counter {
    /// Records that the ring had no room for.
    pub const PRINCIPAL: u32 = 0;
    /// Aggregation updates lost.
    pub const AGGREGATION: u32 = 1;
    /// Dynamic variable stores lost.
    pub const DYNAMIC: u32 = 2;
    /// Cuts that fell together.
    pub const COALESCED: u32 = 3;
    /// Stacks that found no room.
    pub const STACKS: u32 = 4;
    /// Aggregation updates lost although their map had room: the kernel had no memory at hand.
    pub const AGGREGATION_MEMORY: u32 = 5;
    /// Speculations that could not begin: a number was there, but busy.
    pub const SPECULATIONS_BUSY: u32 = 6;
    /// Speculations that could not begin: all numbers were in use.
    pub const SPECULATIONS_UNAVAILABLE: u32 = 7;
    /// Number of words.
    pub const WORDS: u32 = 8;
}

/// Where a K-homed variable lies. A cell is 8 bytes for an integer; for a string 8 bytes of length + 1 (0: NULL) and
/// `strsize` bytes rounded up to a multiple of 8, zero-padded to a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VarPlace {
    /// A cell of the mmapped `globals` array.
    Global {
        /// Map index.
        map: u32,
        /// Byte offset.
        offset: u32,
    },
    /// A cell of the per-thread value.
    Task {
        /// Map index: task storage, or under injection and in rbpf a hash keyed by (`u64` tid, `u64` start time).
        map: u32,
        /// Byte offset.
        offset: u32,
    },
    /// A cell of the firing's context: lives for one firing, user space never sees it.
    Firing {
        /// Byte offset in the context.
        offset: u32,
    },
    /// A hash of its own: packed key ([`dtrail_lang::plan::Home::key`]) to cell.
    Array {
        /// Map index.
        map: u32,
    },
}

/// A map of aggregation values: one entry holds `words × slots` `u64`s per CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AggPlace {
    /// The aggregation.
    pub agg: AggId,
    /// The packed key, without the generation.
    pub key: Vec<KeyPart>,
    /// Map index. Without keys a per-CPU array with one entry a generation, from `first` on (entry: generation modulo
    /// their number), which aggregations with values of one size share; with keys a per-CPU hash whose key is preceded by 8 bytes of generation if the plan has cuts.
    pub map: u32,
    /// Without keys, its first entry; else 0.
    pub first: u32,
    /// With keys, where an entry of `map` is asked of the kernel when its key is new, and may be refused: a small map of
    /// the same shape that has its memory beforehand, for keys that are refused. A key may have a value in both, which
    /// are merged when swept.
    pub spare: Option<u32>,
    /// With keys, if the plan has cuts: a word of the control map for each generation (modulo their number), which
    /// counts the keys of that generation, and how many there may be. A map without generations is full by itself.
    pub room: Option<Room>,
    /// Words of one state: [`dtrail_lang::plan::layout::agg_words`].
    pub words: u32,
    /// Copies of the state in a value, merged when swept: one for each program that updates it if the function is not
    /// a sum of atomic adds (`min`, `max`), since a perf event or an interrupt can nest two programs on a CPU.
    pub slots: u32,
}

impl AggPlace {
    /// The maps that hold its values.
    pub fn maps(&self) -> impl Iterator<Item = u32> {
        [Some(self.map), self.spare].into_iter().flatten()
    }
}

/// Words of the control map for speculations: [`dtrail_lang::plan::speculations`]' by number from 1 on, then for each when it
/// may be taken again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpeculationWords {
    /// The first.
    pub first: u32,
    /// How many numbers there are.
    pub count: u32,
}

/// Where the keys of a generation are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// The first word of the control map.
    pub word: u32,
    /// Keys a generation may have.
    pub most: u32,
}

/// An injected event: what the `inject` map's value holds.
pub mod inject {
    /// `u64` [`dtrail_lang::ir::ProbeIndex`].
    pub const PROBE: u32 = 0;
    /// `u64` time.
    pub const TIME: u32 = 8;
    /// `u64` thread-group ID << 32 | thread ID.
    pub const PID_TGID: u32 = 16;
    /// `u64` group ID << 32 | user ID.
    pub const UID_GID: u32 = 24;
    /// `u64` CPU.
    pub const CPU: u32 = 32;
    /// `u64` parent's thread-group ID.
    pub const PPID: u32 = 40;
    /// `u64` thread start time.
    pub const START: u32 = 48;
    /// `u64` wall-clock nanoseconds.
    pub const WALL: u32 = 56;
    /// `u64` errno.
    pub const ERRNO: u32 = 64;
    /// 16 bytes command name, zero-padded.
    pub const COMM: u32 = 72;
    /// 10 × `u64` arguments.
    pub const ARGS: u32 = 88;
    /// The kernel stack: `u64` number of addresses, and room for the most there can be.
    pub const KERNEL_STACK: u32 = 168;
    /// The user stack, likewise.
    pub const USER_STACK: u32 = KERNEL_STACK + 8 + 8 * dtrail_lang::options::MAX_FRAMES;
    /// `u64` address of the task.
    pub const CURTHREAD: u32 = USER_STACK + 8 + 8 * dtrail_lang::options::MAX_FRAMES;
    /// `u64` nanoseconds that the thread has been on a CPU.
    pub const ON_CPU: u32 = CURTHREAD + 8;
    /// The thread's registers: a `u64` for each index of `uregs[]`.
    pub const REGISTERS: u32 = ON_CPU + 8;
    /// Bytes.
    pub const SIZE: u32 = REGISTERS + 8 * dtrail_lang::builtins::vars::REGISTERS;

    /// Bits of a kernel address that are left of it there.
    pub const STAND_IN_BITS: u32 = 45;
    pub(super) const LOW: u64 = STAND_IN - 1;
    /// Where user memory is that stands in for the kernel's: below all that the kernel gives a process by itself.
    pub(super) const STAND_IN: u64 = 1 << STAND_IN_BITS;

    /// The user address that stands in for a kernel address.
    pub fn stand_in(addr: u64) -> u64 {
        addr & LOW | STAND_IN
    }
}

/// What user space does with maps: the kernel's through bpf(2), the harness's in memory.
pub trait MapAccess {
    /// Number of CPUs a per-CPU value has copies for.
    fn cpus(&self) -> u32;
    /// Reads an entry; for per-CPU maps all copies, one after another. `None`: no such key.
    fn lookup(&mut self, map: u32, key: &[u8]) -> Option<Vec<u8>>;
    /// Writes an entry (all copies for per-CPU maps). `false`: full.
    fn update(&mut self, map: u32, key: &[u8], value: &[u8]) -> bool;
    /// Removes an entry.
    fn delete(&mut self, map: u32, key: &[u8]);
    /// Reads part of entry 0 of an array, from a byte offset; both are multiples of 8. Kernel maps that are mmapped
    /// override it, to touch nothing but these bytes.
    fn read(&mut self, map: u32, offset: u32, buf: &mut [u8]) {
        let value = self.lookup(map, &0u32.to_le_bytes()).unwrap_or_default();
        match value.get(offset as usize..offset as usize + buf.len()) {
            Some(bytes) => buf.copy_from_slice(bytes),
            None => buf.fill(0),
        }
    }
    /// Writes part of entry 0 of an array; likewise.
    fn write(&mut self, map: u32, offset: u32, bytes: &[u8]) {
        let mut value = self.lookup(map, &0u32.to_le_bytes()).unwrap_or_default();
        if let Some(place) = value.get_mut(offset as usize..offset as usize + bytes.len()) {
            place.copy_from_slice(bytes);
            self.update(map, &0u32.to_le_bytes(), &value);
        }
    }
    /// All keys of a hash, in any order; entries that come and go meanwhile may be missing or repeated.
    fn keys(&mut self, map: u32) -> Vec<Vec<u8>>;
    /// Reads and removes all entries of a hash whose key satisfies `which`.
    fn take(&mut self, map: u32, which: &mut dyn FnMut(&[u8]) -> bool, out: &mut dyn FnMut(&[u8], &[u8]));
    /// Reads all entries of a hash that nobody changes meanwhile.
    fn show(&mut self, map: u32, out: &mut dyn FnMut(&[u8], &[u8])) {
        for key in self.keys(map) {
            if let Some(value) = self.lookup(map, &key) {
                out(&key, &value);
            }
        }
    }
    /// A word of the control map.
    fn control(&mut self, word: u32) -> u64;
    /// Sets a word of the control map.
    fn set_control(&mut self, word: u32, value: u64);
    /// Sets a word of the control map to `new` if it is `old`, in one atomic step; whether it was.
    fn replace_control(&mut self, word: u32, old: u64, new: u64) -> bool;
    /// Waits until every program run that began before this call has ended.
    fn quiesce(&mut self);
}

/// The site's map; a convenience for emitter and sweeper.
pub fn agg_place(state: &StateLayout, site: AggSiteId) -> Option<&AggPlace> {
    state.agg_sites.get(site.index()).copied().flatten().map(|i| &state.aggs[i as usize])
}

/// The variable's place; `None` for a U home.
pub fn var_place(state: &StateLayout, var: VarId) -> Option<VarPlace> {
    state.vars.get(var.index()).copied().flatten()
}
