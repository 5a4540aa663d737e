//! What the two parts of a clause hand over: the slots that [`Op::Send`](super::Op::Send) fills in the kernel and
//! [`Op::Recv`](super::Op::Recv) reads in user space, and where each lies in the clause's area of a record.

/// What the area of one clause holds; offsets are from the area's start. The outcome, the branch word and slots of kind
/// [`SlotKind::Fault`] are zero until written; the others are undefined on paths that do not send them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClauseLayout {
    /// `u64` fault code, `u64` address or value. `None` if K cannot fault here. The `u32` point
    /// ([`super::Inst::point`]) of a fault or a drop shares the first word with the outcome, at 4.
    pub fault: Option<u32>,
    /// `u64` branch word.
    pub bits: Option<u32>,
    /// The capture slots.
    pub slots: Vec<Slot>,
    /// Bytes of the area, a multiple of 8.
    pub size: u32,
}

/// One captured value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// What it holds.
    pub kind: SlotKind,
    /// From the area's start; a multiple of 8.
    pub offset: u32,
    /// What it is, for `--explain`.
    pub what: String,
}

/// The value of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SlotKind {
    /// `u64`
    Int,
    /// `u32` offset from the record's start, `u32` length in bytes. NULL has offset 0.
    Str,
    /// As [`SlotKind::Str`]; the bytes of a block, NULs among them.
    Bytes,
    /// How an [`Attempt`](super::Terminator::Attempt) went: `u32` fault code + 1 (0: no fault), `u32` point, `u64`
    /// address or value.
    Fault,
}

impl Slot {
    /// Bytes it takes.
    pub fn size(&self) -> u32 {
        match self.kind {
            SlotKind::Int | SlotKind::Str | SlotKind::Bytes => 8,
            SlotKind::Fault => 16,
        }
    }
}

impl ClauseLayout {
    /// Lays out an area; the slots' offsets are filled in.
    pub fn new(can_fault: bool, has_bits: bool, mut slots: Vec<Slot>) -> ClauseLayout {
        let mut size = 8;
        let mut take = |bytes: u32| {
            let at = size;
            size += bytes;
            at
        };
        let fault = can_fault.then(|| take(16));
        let bits = has_bits.then(|| take(8));
        for slot in &mut slots {
            slot.offset = take(slot.size());
        }
        ClauseLayout { fault, bits, slots, size }
    }
}
