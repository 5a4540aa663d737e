//! What compiled code is given, and the routines it calls with it. In: a frame that lives as long as the call of the
//! compiled function. Out: words. No routine keeps a pointer, and none unwinds.
#![allow(
    unsafe_code,
    reason = "compiled code hands its frame over as a pointer; nothing else is possible across C's ABI"
)]

use std::mem::offset_of;

use cranelift_codegen::ir::{AbiParam, Signature, Type, types};
use cranelift_codegen::isa::CallConv;
use dtrail_lang::builtins::{BuiltinVar, Func};
use dtrail_lang::ir::{self, AggId, AggSiteId, BlockId, SiteId};

use crate::interp::Interp;
use crate::runtime::{Run, table};
use crate::vars::Cell;

/// All that compiled code can reach. It reads the pointers and what they point to; only the routines below use `run`,
/// `interp` and `clause`, one at a time and not beyond their return.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Frame {
    /// The run; the lifetime inside is that of the call.
    pub(super) run: *mut Run<'static>,
    /// Of which the registers are.
    pub(super) interp: *mut Interp,
    /// What was compiled.
    pub(super) clause: *const ir::Clause,
    /// The interpreter's registers.
    pub(super) registers: *mut u64,
    /// Cells of globals.
    pub(super) globals: *mut Cell,
    /// Cells of `this->` variables.
    pub(super) locals: *mut Cell,
    /// The record, and the clause's area in it; null for live events.
    pub(super) record: *const u8,
    pub(super) area: *const u8,
}

/// A routine that compiled code calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// [`step`]
    Step,
    /// [`aggregate`]
    Aggregate,
    /// [`aggregate_one`]
    AggregateOne,
    /// [`aggregate_two`]
    AggregateTwo,
    /// [`record`]
    Record,
    /// [`builtin`]
    Builtin,
    /// [`event_int`]
    EventInt,
    /// A subroutine of [`table::TABLE`].
    Routine(Func),
}

impl Entry {
    /// Every one.
    pub(super) fn all() -> impl Iterator<Item = Entry> {
        let own = [
            Entry::Step,
            Entry::Aggregate,
            Entry::AggregateOne,
            Entry::AggregateTwo,
            Entry::Record,
            Entry::Builtin,
            Entry::EventInt,
        ];
        own.into_iter().chain(table::TABLE.iter().map(|(func, _)| Entry::Routine(*func)))
    }

    /// Its place in [`Entry::all`].
    pub(super) fn index(self) -> usize {
        match self {
            Entry::Step => 0,
            Entry::Aggregate => 1,
            Entry::AggregateOne => 2,
            Entry::AggregateTwo => 3,
            Entry::Record => 4,
            Entry::Builtin => 5,
            Entry::EventInt => 6,
            Entry::Routine(func) => 7 + func as usize,
        }
    }

    /// As `--dump=clif` and the linker of compiled code call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Entry::Step => "step",
            Entry::Aggregate => "aggregate",
            Entry::AggregateOne => "aggregate_one",
            Entry::AggregateTwo => "aggregate_two",
            Entry::Record => "record",
            Entry::Builtin => "builtin",
            Entry::EventInt => "event_int",
            Entry::Routine(func) => func.row().name,
        }
    }

    /// Where it is.
    pub(super) fn address(self) -> *const u8 {
        match self {
            Entry::Step => step as *const u8,
            Entry::Aggregate => aggregate as *const u8,
            Entry::AggregateOne => aggregate_one as *const u8,
            Entry::AggregateTwo => aggregate_two as *const u8,
            Entry::Record => record as *const u8,
            Entry::Builtin => builtin as *const u8,
            Entry::EventInt => event_int as *const u8,
            Entry::Routine(func) => {
                // The type is written out: a routine of another signature must not compile here, see `signature`.
                type Routine = for<'r, 'a> extern "C" fn(&'r mut Run<'a>, u64, u64, u64, u32) -> u64;
                let routine: Option<Routine> = table::TABLE.get(func as usize).map(|&(_, routine)| routine);
                routine.map_or(std::ptr::null(), |routine| routine as *const u8)
            }
        }
    }

    /// What it takes and gives.
    pub(super) fn signature(self, convention: CallConv) -> Signature {
        const WORD: Type = types::I64;
        const HALF: Type = types::I32;
        let (takes, gives): (&[Type], Type) = match self {
            Entry::Step => (&[WORD, HALF, HALF], HALF),
            Entry::Aggregate => (&[WORD, HALF, WORD, WORD, WORD, WORD], HALF),
            Entry::AggregateOne => (&[WORD, WORD, WORD, WORD, WORD], HALF),
            Entry::AggregateTwo => (&[WORD, WORD, WORD, WORD, WORD, WORD], HALF),
            Entry::Record => (&[WORD, HALF, WORD, WORD], HALF),
            Entry::Builtin | Entry::EventInt => (&[WORD, HALF, HALF], WORD),
            Entry::Routine(_) => (&[WORD, WORD, WORD, WORD, HALF], WORD),
        };
        let mut signature = Signature::new(convention);
        signature.params.extend(takes.iter().map(|&ty| AbiParam::new(ty)));
        signature.returns.push(AbiParam::new(gives));
        signature
    }
}

/// The parties of a frame.
///
/// # Safety
///
/// The frame is that of a call of compiled code that is under way, and nothing that this gives is used when the routine
/// that asked for it returns.
unsafe fn parties<'f>(frame: *mut Frame) -> (&'f mut Run<'f>, &'f mut Interp, &'f ir::Clause) {
    // SAFETY: the frame lives in `Code::run`, which made its pointers from references that it holds for the whole call
    // and does not use meanwhile; compiled code itself touches none of the three.
    unsafe {
        let frame = &*frame;
        (&mut *frame.run.cast::<Run<'f>>(), &mut *frame.interp, &*frame.clause)
    }
}

/// Carries out one instruction by the interpreter's code. Gives whether the run has stopped.
unsafe extern "C" fn step(frame: *mut Frame, block: u32, at: u32) -> u32 {
    // SAFETY: compiled code passes its own frame; see `parties`.
    let (run, interp, clause) = unsafe { parties(frame) };
    let block = clause.blocks.get(BlockId(block).index());
    match block.and_then(|block| block.insts.get(at as usize)) {
        Some(inst) => interp.step(inst, run),
        None => {
            run.bug("compiled code for an instruction that is not there");
        }
    }
    u32::from(run.stopped())
}

/// [`Run::aggregate`]. Gives whether the run has stopped.
unsafe extern "C" fn aggregate(
    frame: *mut Frame,
    site: u32,
    keys: *const u64,
    count: usize,
    value: u64,
    weight: u64,
) -> u32 {
    // SAFETY: as in `step`; the keys are `count` words in the stack frame of the compiled function, which waits.
    let (run, keys) = unsafe { (parties(frame).0, std::slice::from_raw_parts(keys, count)) };
    run.aggregate(AggSiteId(site), keys, value, weight);
    u32::from(run.stopped())
}

/// A site and its aggregation in one word.
pub(super) fn site_word(site: AggSiteId, agg: AggId) -> u64 {
    u64::from(site.0) << 32 | u64::from(agg.0)
}

fn site_of(word: u64) -> (AggSiteId, AggId) {
    (AggSiteId((word >> 32) as u32), AggId(word as u32))
}

/// [`Run::aggregate`] for a key of one word; `site` is a [`site_word`]. Gives whether the run has stopped.
unsafe extern "C" fn aggregate_one(frame: *mut Frame, site: u64, one: u64, value: u64, weight: u64) -> u32 {
    // SAFETY: as in `step`.
    let run = unsafe { parties(frame).0 };
    run.aggregate_one(site_of(site), one, value, weight);
    u32::from(run.stopped())
}

/// The same for a key of two words.
unsafe extern "C" fn aggregate_two(
    frame: *mut Frame,
    site: u64,
    one: u64,
    two: u64,
    value: u64,
    weight: u64,
) -> u32 {
    // SAFETY: as in `step`.
    let run = unsafe { parties(frame).0 };
    run.aggregate_two(site_of(site), one, two, value, weight);
    u32::from(run.stopped())
}

/// [`Run::record`]. Gives whether the run has stopped.
unsafe extern "C" fn record(frame: *mut Frame, site: u32, args: *const u64, count: usize) -> u32 {
    // SAFETY: as in `aggregate`.
    let (run, args) = unsafe { (parties(frame).0, std::slice::from_raw_parts(args, count)) };
    run.record(SiteId(site), args);
    u32::from(run.stopped())
}

/// [`Run::builtin`]: `var` indexes the rows. Gives the value.
extern "C" fn builtin(run: &mut Run<'_>, var: u32, index: u32) -> u64 {
    match BuiltinVar::ROWS.get(var as usize) {
        Some(row) => run.builtin(row.id, index),
        None => run.bug("compiled code for a built-in that is not there"),
    }
}

/// [`Run::event_int`]: `var` indexes the rows. Gives the value.
extern "C" fn event_int(run: &mut Run<'_>, var: u32, index: u32) -> u64 {
    match BuiltinVar::ROWS.get(var as usize) {
        Some(row) => run.event_int(row.id, index),
        None => run.bug("compiled code for a built-in that is not there"),
    }
}

// Compiled code looks at the status of a run there.
const _: () = assert!(offset_of!(Frame, run) == 0 && Run::STATUS_OFFSET == 0);
