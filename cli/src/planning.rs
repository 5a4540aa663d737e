//! Plans for a source of events: what the kernel is asked beforehand, and a second plan where it would not take the first.

use dtrail_kernel_bridge::ebpf::least;
use dtrail_lang::builtins::Func;
use dtrail_lang::ir;
use dtrail_lang::options::Options as Settings;
use dtrail_lang::plan::{self, Capabilities, Overflow, Placement, Plan, PlanOptions};

use crate::failure::Failure;

/// A plan that the kernel takes. `overflow` says what of a plan the kernel would not take.
pub(crate) fn fitting(
    settings: &Settings,
    program: ir::Program,
    capabilities: Capabilities,
    overflow: &mut dyn FnMut(&Plan) -> Option<Overflow>,
) -> Result<Plan, Failure> {
    let capabilities = asked(capabilities, &program);
    if capabilities.kernel && settings.placement == Placement::Auto {
        let beforehand = least::overflow(&program);
        if beforehand.is_some() {
            return within(settings, program, capabilities, beforehand);
        }
    }
    let planned = within(settings, program, capabilities, None)?;
    // Only where the planner decides does it matter beforehand.
    if !capabilities.kernel || planned.groups.is_empty() || settings.placement != Placement::Auto {
        return Ok(planned);
    }
    match overflow(&planned) {
        None => Ok(planned),
        more => within(settings, planned.program, capabilities, more),
    }
}

/// Asks the kernel what only a program that writes to processes needs to know: it may log the question.
fn asked(capabilities: Capabilities, program: &ir::Program) -> Capabilities {
    let ops = program.clauses.iter().flat_map(|clause| &clause.blocks).flat_map(|block| &block.insts);
    let mut calls =
        ops.filter_map(|inst| if let ir::Op::Call { func, .. } = inst.op { Some(func) } else { None });
    let writes = capabilities.kernel && calls.any(Func::writes_process);
    Capabilities {
        writes_user: match capabilities.writes_user {
            None if writes => dtrail_kernel_bridge::caps::writes_user(),
            known => known,
        },
        ..capabilities
    }
}

/// A plan. `overflow`: what a plan before had more of than the kernel takes.
pub(crate) fn within(
    settings: &Settings,
    program: ir::Program,
    capabilities: Capabilities,
    overflow: Option<Overflow>,
) -> Result<Plan, Failure> {
    let options = PlanOptions { placement: settings.placement, relaxed_exit: settings.relaxedexit, overflow };
    plan::plan(program, capabilities, &options).map_err(|mut errors| match errors.is_empty() {
        true => Failure::fatal("the program cannot be placed"),
        false => errors.swap_remove(0).into(),
    })
}
