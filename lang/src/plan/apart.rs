//! Rule 16: `this->` variables of the clauses that the tracer itself fires (`BEGIN`, `END`, `tick`), told from those of the
//! same name in other clauses. A program in, the same with variables of their own out.
//!
//! Such a variable lives as long as a firing, and no firing runs clauses of both kinds: that they share one says nothing, and
//! would keep both in user space (rule 2). An `ERROR` clause runs in the firings of either kind, so what it uses stays one.

use super::roles::{Role, Roles};
use crate::ir::{ClauseId, Program, Scope, VarId};

/// Which clauses use a variable.
#[derive(Clone, Copy, Default)]
struct Used {
    by_tracer: bool,
    by_source: bool,
    /// By a clause that is fired in several ways, or by faults.
    by_both: bool,
}

/// Gives the clauses of the tracer variables of their own.
pub(super) fn tell_apart(program: &mut Program, roles: &Roles) {
    if program.vars.iter().all(|var| var.scope != Scope::ClauseLocal) {
        return;
    }
    let mut used = vec![Used::default(); program.vars.len()];
    for (id, var) in mentions(program) {
        let used = &mut used[var.index()];
        match roles.clause(id) {
            role if of_tracer(role) => used.by_tracer = true,
            Role { source: true, tracer: false, fault: false, .. } => used.by_source = true,
            Role { source: false, tracer: false, fault: false, .. } => {}
            _ => used.by_both = true,
        }
    }
    let mut own = vec![None; program.vars.len()];
    for (i, used) in used.iter().enumerate() {
        let shared = used.by_tracer && used.by_source && !used.by_both;
        if shared && program.vars[i].scope == Scope::ClauseLocal {
            own[i] = Some(VarId(program.vars.len() as u32));
            let mut var = program.vars[i].clone();
            var.name.push_str(" (tracer)");
            program.vars.push(var);
        }
    }
    if own.iter().all(Option::is_none) {
        return;
    }
    for (i, clause) in program.clauses.iter_mut().enumerate() {
        if of_tracer(roles.clause(ClauseId(i as u32))) {
            for inst in clause.blocks.iter_mut().flat_map(|block| &mut block.insts) {
                if let Some(var) = inst.op.var_mut() {
                    *var = own[var.index()].unwrap_or(*var);
                }
            }
        }
    }
}

/// Whether the tracer alone fires a clause.
fn of_tracer(role: Role) -> bool {
    role.tracer && !role.source && !role.fault
}

/// Where variables are used.
fn mentions(program: &Program) -> impl Iterator<Item = (ClauseId, VarId)> + '_ {
    program.clauses.iter().enumerate().flat_map(|(i, clause)| {
        let insts = clause.blocks.iter().flat_map(|block| &block.insts);
        insts.filter_map(move |inst| Some((ClauseId(i as u32), inst.op.var()?)))
    })
}
