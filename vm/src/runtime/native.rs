//! What compiled code reaches without a call: cells of scalars at fixed places, and the record. In: how far it reaches.
//! Out: pointers to as much, or nothing. It makes pointers and never follows one.

use dtrail_lang::plan::Plan;

use super::Run;
use crate::engine::Input;
use crate::vars::{Cell, Vars};

/// Pointers that are good while the run goes on: neither the cells nor the record move meanwhile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Native {
    /// Cells of globals.
    pub(crate) globals: *mut Cell,
    /// Cells of `this->` variables.
    pub(crate) locals: *mut Cell,
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

    /// Pointers to so many cells of each kind and so many bytes of the clause's area (0: no record is needed); `None` if
    /// there are fewer.
    #[inline]
    pub(crate) fn native(
        &mut self,
        globals: usize,
        locals: usize,
        writes_locals: bool,
        area: usize,
    ) -> Option<Native> {
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
        if global_cells.len() < globals || local_cells.len() < locals {
            return None;
        }
        Some(Native {
            globals: global_cells.as_mut_ptr(),
            locals: local_cells.as_mut_ptr(),
            record,
            area: start,
        })
    }
}
