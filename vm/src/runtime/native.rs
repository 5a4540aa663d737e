//! What compiled code reaches without a call: cells of scalars at fixed places, aggregations, and the record. In: how far it reaches.
//! Out: pointers to as much, or nothing. It makes pointers and never follows one.

use dtrail_lang::plan::Plan;

use super::Run;
use crate::agg::AggTable;
use crate::engine::Input;
use crate::vars::{Cell, Vars};

/// What compiled code relies on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reach {
    /// Registers of the interpreter.
    pub(crate) registers: usize,
    /// Cells of globals.
    pub(crate) globals: usize,
    /// Cells of `this->` variables.
    pub(crate) locals: usize,
    /// Whether any `this->` variable is written.
    pub(crate) writes_locals: bool,
    /// Aggregations.
    pub(crate) tables: usize,
    /// Bytes of the clause's area of the record, 0 if none are read.
    pub(crate) area: usize,
}

/// Pointers that are good while the run goes on: none of what they point to moves meanwhile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Native {
    /// Cells of globals.
    pub(crate) globals: *mut Cell,
    /// Cells of `this->` variables.
    pub(crate) locals: *mut Cell,
    /// Aggregations.
    pub(crate) tables: *mut AggTable,
    /// The record; null for live events.
    pub(crate) record: *const u8,
    /// The clause's area in it.
    pub(crate) area: *const u8,
}

impl Run<'_> {
    /// The plan that is run.
    pub(crate) fn plan(&self) -> &Plan {
        self.plan
    }

    /// The variables, for the places they have.
    pub(crate) fn vars(&self) -> &Vars {
        &self.world.vars
    }

    /// Whether the input is a record.
    #[inline]
    pub(crate) fn is_record(&self) -> bool {
        matches!(self.input, Input::Record { .. })
    }

    /// Pointers to as much as compiled code reaches; `None` if there is less.
    #[inline(always)]
    pub(crate) fn native(&mut self, reach: &Reach) -> Option<Native> {
        let Reach { globals, locals, writes_locals, tables, area, .. } = *reach;
        let (record, start) = match self.input {
            Input::Record { record, area: start } => {
                let within = record.get(start as usize..)?;
                if within.len() < area {
                    return None;
                }
                (record.as_ptr(), within.as_ptr())
            }
            Input::Live(_) if area == 0 => (std::ptr::null(), std::ptr::null()),
            Input::Live(_) => return None,
        };
        let (global_cells, local_cells) = self.world.vars.cells(writes_locals);
        let all_tables = self.world.aggs.tables();
        if global_cells.len() < globals || local_cells.len() < locals || all_tables.len() < tables {
            return None;
        }
        Some(Native {
            globals: global_cells.as_mut_ptr(),
            locals: local_cells.as_mut_ptr(),
            tables: all_tables.as_mut_ptr(),
            record,
            area: start,
        })
    }
}
