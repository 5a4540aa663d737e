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
use dtrail_lang::ir::{self, AggSiteId, BlockId, SiteId};

use crate::agg::AggTable;
use crate::interp::Interp;
use crate::runtime::{Run, table};
use crate::vars::Cell;

/// What compiled code hands to the routines below, which alone use it, one at a time and not beyond their return; it
/// reads the pointers itself, and the registers.
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
}

/// What a compiled function takes, in order. They are as many as come in machine registers: none is stored and loaded
/// again for a firing that needs no other routine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places<T> {
    /// The [`Frame`].
    pub(super) frame: T,
    /// The record, and the clause's area in it; null for live events.
    pub(super) record: T,
    pub(super) area: T,
    /// Cells of globals.
    pub(super) globals: T,
    /// Cells of `this->` variables.
    pub(super) locals: T,
    /// Aggregations.
    pub(super) tables: T,
}

/// A compiled function: takes [`Places`].
pub(super) type Function0 =
    unsafe extern "C" fn(*mut Frame, *const u8, *const u8, *mut Cell, *mut Cell, *mut AggTable) -> u64;

impl<T: Copy> Places<T> {
    /// The parameters of a function of [`signature`](Places::signature).
    pub(super) fn of(params: &[T]) -> Option<Places<T>> {
        let &[frame, record, area, globals, locals, tables] = params else { return None };
        Some(Places { frame, record, area, globals, locals, tables })
    }
}

impl Places<Type> {
    /// [`Function0`], as cranelift says it.
    pub(super) fn signature(mut signature: Signature) -> Signature {
        signature.params.extend([AbiParam::new(types::I64); 6]);
        signature.returns.push(AbiParam::new(types::I64));
        signature
    }
}

/// A routine that compiled code calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// [`step`]
    Step,
    /// [`aggregate`]
    Aggregate,
    /// [`update_only`]
    UpdateOnly,
    /// [`update_one`]
    UpdateOne,
    /// [`update_two`]
    UpdateTwo,
    /// [`record`]
    Record,
    /// [`builtin`]
    Builtin,
    /// [`event_args`]
    EventArgs,
    /// One of [`EVENT_INTS`].
    EventInt(usize),
    /// A subroutine of [`table::TABLE`].
    Routine(Func),
}

impl Entry {
    /// Every one.
    pub(super) fn all() -> impl Iterator<Item = Entry> {
        let own = [
            Entry::Step,
            Entry::Aggregate,
            Entry::UpdateOnly,
            Entry::UpdateOne,
            Entry::UpdateTwo,
            Entry::Record,
            Entry::Builtin,
            Entry::EventArgs,
        ];
        let events = (0..EVENT_INTS.len()).map(Entry::EventInt);
        own.into_iter().chain(events).chain(table::TABLE.iter().map(|(func, _)| Entry::Routine(*func)))
    }

    /// Its place in [`Entry::all`].
    pub(super) fn index(self) -> usize {
        match self {
            Entry::Step => 0,
            Entry::Aggregate => 1,
            Entry::UpdateOnly => 2,
            Entry::UpdateOne => 3,
            Entry::UpdateTwo => 4,
            Entry::Record => 5,
            Entry::Builtin => 6,
            Entry::EventArgs => 7,
            Entry::EventInt(which) => 8 + which,
            Entry::Routine(func) => 8 + EVENT_INTS.len() + func as usize,
        }
    }

    /// As `--dump=clif` and the linker of compiled code call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Entry::Step => "step",
            Entry::Aggregate => "aggregate",
            Entry::UpdateOnly => "update_only",
            Entry::UpdateOne => "update_one",
            Entry::UpdateTwo => "update_two",
            Entry::Record => "record",
            Entry::Builtin => "builtin",
            Entry::EventArgs => "event_args",
            Entry::EventInt(which) => EVENT_INTS.get(which).map_or("", |&(_, name, _)| name),
            Entry::Routine(func) => func.row().name,
        }
    }

    /// Where it is.
    pub(super) fn address(self) -> *const u8 {
        match self {
            Entry::Step => step as *const u8,
            Entry::Aggregate => aggregate as *const u8,
            Entry::UpdateOnly => update_only as *const u8,
            Entry::UpdateOne => update_one as *const u8,
            Entry::UpdateTwo => update_two as *const u8,
            Entry::Record => record as *const u8,
            Entry::Builtin => builtin as *const u8,
            Entry::EventArgs => event_args as *const u8,
            Entry::EventInt(which) => {
                // As below.
                let routine: Option<EventInt> = EVENT_INTS.get(which).map(|&(_, _, routine)| routine);
                routine.map_or(std::ptr::null(), |routine| routine as *const u8)
            }
            Entry::Routine(func) => {
                // The type is written out: a routine of another signature must not compile here, see `signature`.
                type Routine = for<'r, 'a> extern "C" fn(&'r mut Run<'a>, u64, u64, u64, u32) -> u64;
                let routine: Option<Routine> = table::TABLE.get(func as usize).map(|&(_, routine)| routine);
                routine.map_or(std::ptr::null(), |routine| routine as *const u8)
            }
        }
    }

    /// What asks the event for an integer; `None` if that is no variable that [`asks_event`](crate::runtime::asks_event).
    pub(super) fn of_event(var: BuiltinVar) -> Option<Entry> {
        EVENT_INTS.iter().position(|&(own, ..)| own == var).map(Entry::EventInt)
    }

    /// What it takes and gives.
    pub(super) fn signature(self, convention: CallConv) -> Signature {
        const WORD: Type = types::I64;
        const HALF: Type = types::I32;
        const TRUTH: Type = types::I8;
        let (takes, gives): (&[Type], Type) = match self {
            Entry::Step => (&[WORD, HALF, HALF], HALF),
            Entry::Aggregate => (&[WORD, HALF, WORD, WORD, WORD, WORD], HALF),
            Entry::UpdateOnly => (&[WORD, WORD, WORD], TRUTH),
            Entry::UpdateOne => (&[WORD, WORD, WORD, WORD], TRUTH),
            Entry::UpdateTwo => (&[WORD, WORD, WORD, WORD, WORD], TRUTH),
            Entry::Record => (&[WORD, HALF, WORD, WORD], HALF),
            Entry::Builtin => (&[WORD, HALF, HALF], WORD),
            Entry::EventArgs => (&[WORD, HALF, WORD, WORD], TRUTH),
            Entry::EventInt(_) => (&[WORD, HALF], WORD),
            Entry::Routine(_) => (&[WORD, WORD, WORD, WORD, HALF], WORD),
        };
        let mut signature = Signature::new(convention);
        signature.params.extend(takes.iter().map(|&ty| AbiParam::new(ty)));
        signature.returns.push(AbiParam::new(gives));
        if let Entry::EventInt(_) = self {
            // See `Given`.
            signature.returns.push(AbiParam::new(WORD));
        }
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
    // and does not use meanwhile. Compiled code itself looks at the status word of the run and at the registers, which are
    // the interpreter's, but never while a routine that it called, and so a reference made here, is alive.
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

/// [`AggTable::update_only`].
extern "C" fn update_only(table: &mut AggTable, value: u64, weight: u64) -> bool {
    table.update_only(value as i64, weight as i64)
}

/// [`AggTable::update_one`].
extern "C" fn update_one(table: &mut AggTable, one: u64, value: u64, weight: u64) -> bool {
    table.update_one(one, value as i64, weight as i64)
}

/// [`AggTable::update_two`].
extern "C" fn update_two(table: &mut AggTable, one: u64, two: u64, value: u64, weight: u64) -> bool {
    table.update_two(one, two, value as i64, weight as i64)
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

/// [`Run::event_args`]. Gives whether all `values` are there.
unsafe extern "C" fn event_args(run: &mut Run<'_>, first: u32, values: *mut i64, count: usize) -> bool {
    // SAFETY: the values are `count` words in the stack frame of the compiled function, which waits.
    let values = unsafe { std::slice::from_raw_parts_mut(values, count) };
    run.event_args(first, values)
}

/// Asks the event for an integer: the run, and the index of an argument.
type EventInt = for<'r, 'a> extern "C" fn(&'r mut Run<'a>, u32) -> Given;

/// What comes back in two machine registers.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Given {
    value: u64,
    /// Whether the run has stopped.
    stopped: u64,
}

/// What a stopped run gives. Apart, so that what goes well is one straight line.
#[cold]
#[inline(never)]
fn stopped() -> Given {
    Given { value: 0, stopped: 1 }
}

/// A routine for each of these variables: one that looked up which is meant would take as long again.
macro_rules! event_ints {
    ($($name:ident $var:ident),*) => {
        $(extern "C" fn $name(run: &mut Run<'_>, index: u32) -> Given {
            run.event_int(BuiltinVar::$var, index).map_or_else(stopped, |value| Given { value, stopped: 0 })
        })*
        const EVENT_INTS: &[(BuiltinVar, &str, EventInt)] =
            &[$((BuiltinVar::$var, stringify!($name), $name)),*];
    };
}

event_ints! {
    event_arg Arg, event_pid Pid, event_tid Tid, event_ppid Ppid, event_uid Uid, event_gid Gid, event_cpu Cpu,
    event_timestamp Timestamp, event_walltimestamp Walltimestamp, event_errno Errno
}

// Compiled code looks at the status of a run there.
const _: () = assert!(offset_of!(Frame, run) == 0 && Run::STATUS_OFFSET == 0);
