//! For tests only: plans that consist of tables, and the words in which a test says that it could not run.

use dtrail_lang::ir::Program;
use dtrail_lang::plan::{Cuts, Plan, Rooms};

use crate::caps;

/// A plan with these tables and nothing to run.
pub(crate) fn bare_plan(program: Program) -> Plan {
    Plan {
        epoch: 0,
        kernel: Vec::new(),
        user: Vec::new(),
        clause_layouts: Vec::new(),
        groups: Vec::new(),
        probe_groups: Vec::new(),
        probe_clauses: Vec::new(),
        homes: Vec::new(),
        agg_sites: Vec::new(),
        speculations: dtrail_lang::plan::Side::User,
        rooms: Rooms::default(),
        cuts: Cuts::default(),
        reasons: Vec::new(),
        program,
    }
}

/// Whether programs can be loaded here; if not, says so.
pub(crate) fn privileged() -> bool {
    match caps::can_bpf() {
        Ok(()) => true,
        Err(e) => {
            println!("skipped: {}", e.message);
            false
        }
    }
}
