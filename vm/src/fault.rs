//! Run-time faults (language spec §12) and counted losses (runtime spec §11.2).

use dtrail_lang::ir::inst::is_made_up;
use dtrail_lang::source::Span;

/// The kinds of fault, by their `DTRACEFLT_` code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum FaultKind {
    /// Unknown.
    Unknown = 0,
    /// Load of an unmapped or forbidden address, store outside scratch, use of a NULL string where bytes are needed.
    BadAddr = 1,
    /// Unaligned access where the machine demands alignment.
    BadAlign = 2,
    /// Operation not available.
    IllOp = 3,
    /// Division by zero.
    DivZero = 4,
    /// Scratch memory used up.
    NoScratch = 5,
    /// No privilege to read the kernel.
    KPriv = 6,
    /// No privilege to read the process.
    UPriv = 7,
    /// Too many or too large keys.
    TupOflow = 8,
    /// A user stack that cannot be walked.
    BadStack = 9,
    /// A size given to a subroutine.
    BadSize = 10,
    /// A computed array index.
    BadIndex = 11,
    /// Raised by library code or the consumer.
    Library = 1000,
}

impl FaultKind {
    /// All kinds.
    pub const ALL: [FaultKind; 13] = [
        FaultKind::Unknown,
        FaultKind::BadAddr,
        FaultKind::BadAlign,
        FaultKind::IllOp,
        FaultKind::DivZero,
        FaultKind::NoScratch,
        FaultKind::KPriv,
        FaultKind::UPriv,
        FaultKind::TupOflow,
        FaultKind::BadStack,
        FaultKind::BadSize,
        FaultKind::BadIndex,
        FaultKind::Library,
    ];

    /// The kind of a code; unknown codes are [`FaultKind::Unknown`].
    pub fn from_code(code: u64) -> FaultKind {
        FaultKind::ALL.into_iter().find(|k| *k as u64 == code).unwrap_or(FaultKind::Unknown)
    }

    /// The text of messages.
    pub fn text(self) -> &'static str {
        match self {
            FaultKind::Unknown => "unknown fault",
            FaultKind::BadAddr => "invalid address",
            FaultKind::BadAlign => "invalid alignment",
            FaultKind::IllOp => "illegal operation",
            FaultKind::DivZero => "divide-by-zero",
            FaultKind::NoScratch => "out of scratch space",
            FaultKind::KPriv => "invalid kernel access",
            FaultKind::UPriv => "invalid user access",
            FaultKind::TupOflow => "tuple stack overflow",
            FaultKind::BadStack => "bad stack",
            FaultKind::BadSize => "invalid size",
            FaultKind::BadIndex => "index out of bounds",
            FaultKind::Library => "library-level fault",
        }
    }
}

/// What an operation raises: a kind and the address, size or index it speaks of (-1 as `u64` if none).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raised {
    /// The kind.
    pub kind: FaultKind,
    /// The offending address or value; `u64::MAX` if there is none.
    pub value: u64,
}

impl Raised {
    /// A fault about an address or value.
    pub fn new(kind: FaultKind, value: u64) -> Raised {
        Raised { kind, value }
    }

    /// A fault without a value.
    pub fn plain(kind: FaultKind) -> Raised {
        Raised { kind, value: u64::MAX }
    }

    /// The same as it is told: without an address where that only stands for scratch memory or a variable.
    #[must_use]
    pub fn told(self) -> Raised {
        let of_address = matches!(
            self.kind,
            FaultKind::BadAddr
                | FaultKind::BadAlign
                | FaultKind::BadStack
                | FaultKind::KPriv
                | FaultKind::UPriv
        );
        if of_address && is_made_up(self.value) { Raised::plain(self.kind) } else { self }
    }
}

/// A fault of a clause, as `ERROR` and the message see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What happened.
    pub raised: Raised,
    /// The `N` of `dt_clause_N`.
    pub clause: u32,
    /// Where in the program.
    pub span: Span,
}

/// Losses since the last report, each with a message of its own (runtime spec §11.2).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drops {
    /// Records lost, per CPU: (CPU, count).
    pub principal: Vec<(u32, u64)>,
    /// Aggregation updates lost, per CPU.
    pub aggregation: Vec<(u32, u64)>,
    /// How many of them were lost although their map had room: the kernel had no memory at hand.
    pub aggregation_memory: u64,
    /// Stores to dynamic variables lost.
    pub dynamic: u64,
    /// Records that found no room in the buffer of their speculation.
    pub speculative: u64,
    /// Speculations that could not begin: a buffer was there, but still being emptied.
    pub speculations_busy: u64,
    /// Speculations that could not begin: all buffers were in use.
    pub speculations_unavailable: u64,
    /// Faults in `ERROR` clauses.
    pub double_error: u64,
    /// Probe firings that the kernel did not run because one was already running on that CPU.
    pub missed: u64,
    /// Cuts that fell together because the consumer had not caught up (design §2).
    pub coalesced_cuts: u64,
    /// Firings of `tick` probes that were left out because the consumer was late by a period or more.
    pub ticks: u64,
    /// Stacks that found no room: they print without frames.
    pub stacks: u64,
    /// Names of made code that did not fit into what `jstack()` or `ustack()` has for them.
    pub stack_strings: u64,
    /// Mappings of processes for which there was no room: addresses in them have no names.
    pub mappings: u64,
}

impl Drops {
    /// Whether nothing was lost.
    pub fn is_empty(&self) -> bool {
        *self == Drops::default()
    }

    /// Counts lost aggregation updates of a CPU.
    pub fn add_aggregation(&mut self, cpu: u32, count: u64) {
        merge_per_cpu(&mut self.aggregation, &[(cpu, count)]);
    }

    /// Adds another report's counts.
    pub fn add(&mut self, other: &Drops) {
        merge_per_cpu(&mut self.principal, &other.principal);
        merge_per_cpu(&mut self.aggregation, &other.aggregation);
        self.aggregation_memory += other.aggregation_memory;
        self.dynamic += other.dynamic;
        self.speculative += other.speculative;
        self.speculations_busy += other.speculations_busy;
        self.speculations_unavailable += other.speculations_unavailable;
        self.double_error += other.double_error;
        self.missed += other.missed;
        self.coalesced_cuts += other.coalesced_cuts;
        self.ticks += other.ticks;
        self.stacks += other.stacks;
        self.stack_strings += other.stack_strings;
        self.mappings += other.mappings;
    }
}

fn merge_per_cpu(into: &mut Vec<(u32, u64)>, from: &[(u32, u64)]) {
    for &(cpu, count) in from {
        match into.iter_mut().find(|(c, _)| *c == cpu) {
            Some((_, n)) => *n += count,
            None => into.push((cpu, count)),
        }
    }
    into.sort_unstable();
}
