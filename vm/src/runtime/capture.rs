//! Records of the kernel part read back: captures, branch words, faults, and what the whole firing carries. Any bytes may
//! come; what does not fit the layout is a defect, never a panic.

use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::ir::SlotId;
use dtrail_lang::plan::Plan;
use dtrail_lang::plan::layout::{header, outcome};
use dtrail_lang::plan::{AskedStack, ClauseLayout, Shared, SlotKind};

use super::{Run, Status};
use crate::engine::{Ending, Input};
use crate::fault::{FaultKind, Raised};
use crate::value::ValueRef;

impl<'a> Run<'a> {
    /// What the kernel part captured in a slot.
    pub fn receive(&mut self, slot: SlotId) -> u64 {
        let Some((record, at, kind)) = self.slot(slot) else { return self.bug("an unknown capture slot") };
        let Some(word) = word_at(record, at) else { return self.bug("a record shorter than its layout") };
        match kind {
            SlotKind::Int => word,
            SlotKind::Str => match record_string(record, word) {
                Some(value) => self.word(ValueRef::Str(value)),
                None => self.bug("a captured string outside its record"),
            },
            SlotKind::Bytes => match record_string(record, word) {
                Some(value) => {
                    let word = self.world.arena.push_block(value.unwrap_or(&[]));
                    self.filed(word)
                }
                None => self.bug("captured bytes outside their record"),
            },
            SlotKind::Fault => self.bug("a fault taken for a value"),
        }
    }

    fn slot(&self, slot: SlotId) -> Option<(&'a [u8], u32, SlotKind)> {
        let (record, area, layout) = self.area()?;
        let slot = layout.slots.get(slot.0 as usize)?;
        Some((record, area + slot.offset, slot.kind))
    }

    /// A bit of the clause's branch word.
    pub fn branch_bit(&mut self, bit: u32) -> u64 {
        let word = self.area().and_then(|(record, area, layout)| word_at(record, area + layout.bits?));
        match word {
            Some(word) => word.checked_shr(bit).unwrap_or(0) & 1,
            None => self.bug("a branch bit without a branch word"),
        }
    }

    /// Ends the clause if the kernel part ended it at this point, or the attempt whose slot is given.
    pub fn fault_point(&mut self, point: u32, attempt: Option<SlotId>) {
        let ended = match attempt {
            Some(slot) => {
                let Some((record, at, SlotKind::Fault)) = self.slot(slot) else {
                    self.bug("an unknown fault slot");
                    return;
                };
                attempt_fault(record, at)
            }
            None => self.area().and_then(|(record, area, layout)| kernel_ending(record, area, layout)),
        };
        match ended {
            Some((at, Ending::Fault { raised, .. })) if at == point => {
                self.raise(raised);
            }
            Some((at, Ending::Dropped)) if at == point => self.status = Status::Dropped,
            _ => {}
        }
    }

    fn area(&self) -> Option<(&'a [u8], u32, &'a ClauseLayout)> {
        match self.input {
            Input::Record { record, area } => {
                Some((record, area, self.plan.clause_layouts.get(self.clause.index())?))
            }
            Input::Live(_) => None,
        }
    }
}

/// Where and how the kernel part ended a clause before its end, if it did.
pub(crate) fn kernel_ending(record: &[u8], area: u32, layout: &ClauseLayout) -> Option<(u32, Ending)> {
    let first = word_at(record, area)?;
    let point = (first >> 32) as u32;
    match first as u32 {
        outcome::FAULTED => {
            let at = area + layout.fault?;
            let kind = FaultKind::from_code(word_at(record, at)?);
            let raised = Raised::new(kind, word_at(record, at + 8)?);
            Some((point, Ending::Fault { raised, point }))
        }
        outcome::DROPPED => Some((point, Ending::Dropped)),
        _ => None,
    }
}

/// Where and how an attempt of the kernel part went wrong, if it did.
fn attempt_fault(record: &[u8], at: u32) -> Option<(u32, Ending)> {
    let first = word_at(record, at)?;
    let code = (first & 0xffff_ffff).checked_sub(1)?;
    let raised = Raised::new(FaultKind::from_code(code), word_at(record, at + 8)?);
    let point = (first >> 32) as u32;
    Some((point, Ending::Fault { raised, point }))
}

/// The word at an offset of a record.
pub(crate) fn word_at(record: &[u8], offset: u32) -> Option<u64> {
    let bytes = record.get(offset as usize..)?.first_chunk()?;
    Some(u64::from_le_bytes(*bytes))
}

/// The string that a string slot's word points to: `None` if it lies outside, `Some(None)` for NULL.
pub(crate) fn record_string(record: &[u8], word: u64) -> Option<Option<&[u8]>> {
    match word as u32 as usize {
        0 => Some(None),
        offset => record.get(offset..)?.get(..(word >> 32) as usize).map(Some),
    }
}

/// A built-in that every record's header carries.
pub(crate) fn record_builtin(record: &[u8], var: BuiltinVar) -> Option<u64> {
    let pid_tgid = || word_at(record, header::PID_TGID);
    match var {
        BuiltinVar::Pid => pid_tgid().map(|word| word >> 32),
        BuiltinVar::Tid => pid_tgid().map(|word| word & 0xffff_ffff),
        BuiltinVar::Cpu => word_at(record, header::CPU).map(|word| word & 0xffff_ffff),
        BuiltinVar::Timestamp => word_at(record, header::TIME),
        _ => None,
    }
}

/// A built-in that the records of this record's group carry for all clauses; `index` is the number of a register.
pub(crate) fn group_slot(plan: &Plan, record: &[u8], var: BuiltinVar, index: u32) -> Option<u64> {
    let holds = match var {
        BuiltinVar::Uregs => Shared::Register(index),
        _ => Shared::Builtin(var),
    };
    shared(plan, record, holds)
}

/// The number of a stack that they carry.
pub(crate) fn group_stack(plan: &Plan, record: &[u8], asked: AskedStack) -> Option<u64> {
    shared(plan, record, Shared::Stack(asked))
}

fn shared(plan: &Plan, record: &[u8], holds: Shared) -> Option<u64> {
    let first = word_at(record, header::EPOCH)?;
    let group = plan.groups.get((first >> 16 & 0xffff) as usize)?;
    let slot = group.layout.shared_slots.iter().find(|slot| slot.holds == holds)?;
    word_at(record, slot.offset)
}
