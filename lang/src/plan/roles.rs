//! Who fires what: which kinds of probes enable a clause, and which clauses a probe runs. Facts of the program only.

use crate::env::{FiredBy, ProbeId};
use crate::ir::facts::is_pinned;
use crate::ir::{ClauseId, Op, ProbeIndex, Program};

/// Which kinds of probes enable a clause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Role {
    /// The traced system.
    pub source: bool,
    /// The tracer.
    pub tracer: bool,
    /// The tracer, while the gate is open: neither `BEGIN` nor `END`.
    pub timer: bool,
    /// A fault.
    pub fault: bool,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Roles {
    clauses: Vec<Role>,
    /// By probe, in program order; a clause with two descriptions of one probe runs twice.
    pub probe_clauses: Vec<Vec<ClauseId>>,
}

impl Roles {
    pub(super) fn new(program: &Program) -> Roles {
        let mut clauses = vec![Role::default(); program.clauses.len()];
        let mut probe_clauses = vec![Vec::new(); program.probes.len()];
        for enabling in &program.enablings {
            let role = &mut clauses[enabling.clause.index()];
            for &probe in &enabling.probes {
                probe_clauses[probe.index()].push(enabling.clause);
                let probe = &program.probes[probe.index()];
                match probe.fired_by {
                    FiredBy::Source => role.source = true,
                    FiredBy::Fault => role.fault = true,
                    FiredBy::Tracer => {
                        role.tracer = true;
                        role.timer |= probe.id != ProbeId::BEGIN && probe.id != ProbeId::END;
                    }
                }
            }
        }
        Roles { clauses, probe_clauses }
    }

    pub(super) fn clause(&self, clause: ClauseId) -> Role {
        self.clauses[clause.index()]
    }

    /// Whether an `ERROR` clause and another clause of a firing may touch the same memory of the process, one of them to
    /// write it.
    pub(super) fn errors_share_memory(&self, program: &Program) -> bool {
        let any = |error: bool, test: &dyn Fn(&Op) -> bool| {
            let roles = program.clauses.iter().zip(&self.clauses);
            let clauses = roles.filter(|(_, role)| if error { role.fault } else { true });
            clauses.flat_map(|(clause, _)| &clause.blocks).flat_map(|block| &block.insts).any(|i| test(&i.op))
        };
        let writes = |op: &Op| matches!(op, Op::Call { func, .. } if func.writes_process());
        // What is pinned and no built-in reads memory, or is a stack.
        let reads = |op: &Op| is_pinned(op) && !matches!(op, Op::Builtin { .. });
        any(true, &writes) || any(true, &reads) && any(false, &writes)
    }

    /// Probes that the traced system fires, with their clauses.
    pub(super) fn source_probes<'a>(
        &'a self,
        program: &'a Program,
    ) -> impl Iterator<Item = (ProbeIndex, &'a [ClauseId])> + 'a {
        let fired = program.probes.iter().zip(&self.probe_clauses).enumerate();
        fired
            .filter(|(_, (probe, _))| probe.fired_by == FiredBy::Source)
            .map(|(i, (_, clauses))| (ProbeIndex(i as u32), clauses.as_slice()))
    }
}
