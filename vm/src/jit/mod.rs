//! The compiling engine: a clause starts in the interpreter and is compiled for this machine when it is hot. In: code, a
//! run. Out: how it ended, the same as the interpreter says.
//!
//! | file | what |
//! |---|---|
//! | `translate` | a clause's IR to cranelift's: no `unsafe`, no addresses |
//! | `frame` | what compiled code is given, and the routines it calls; `unsafe` |
//! | `code` | memory with compiled code, and the jump into it; `unsafe` |
//!
//! Native are: integers, comparisons, branches, scalars of fixed places, captured integers. Everything else is a call: a
//! routine of [`crate::runtime::table`], or the interpreter's own code for the one instruction. So an operation that
//! somebody adds runs here at once, and the two engines cannot disagree about what it means.

mod code;
mod frame;
#[cfg(test)]
mod tests;
mod translate;

use std::fmt::Write as _;

use dtrail_lang::ir::{self, ClauseId};
use dtrail_lang::plan::Plan;

use crate::engine::Engine;
use crate::interp::Interp;
use crate::runtime::Run;
use crate::vars::Vars;
use code::{Code, Compiled};

/// Runs of a clause before it is compiled. To compile one costs what some thousand interpreted runs cost.
pub const HOT: u32 = 4096;

/// See the module. One serves one plan: what it compiled is freed with it.
#[derive(Debug)]
pub struct Jit {
    interp: Interp,
    code: Code,
    /// By [`ClauseId`] and whether the input is a record.
    clauses: Vec<[Tier; 2]>,
    threshold: u32,
}

/// What a clause has come to.
#[derive(Debug)]
enum Tier {
    /// It was interpreted so often.
    Cold(u32),
    /// It is compiled.
    Hot(Compiled),
    /// It cannot be compiled and stays with the interpreter: it is too large, or this machine gives no executable memory.
    Refused,
}

impl Default for Jit {
    /// Compiles what is hot.
    fn default() -> Jit {
        Jit::after(HOT)
    }
}

impl Jit {
    /// Compiles a clause when it has run so often: 0 compiles it before its first run.
    pub fn after(threshold: u32) -> Jit {
        Jit { interp: Interp::default(), code: Code::default(), clauses: Vec::new(), threshold }
    }

    /// Runs a clause that is not compiled, or is now. A call of its own, so that those that are compiled need less of a frame.
    #[inline(never)]
    fn run_cold(&mut self, id: ClauseId, clause: &ir::Clause, run: &mut Run<'_>) -> Option<u32> {
        match self.tier(id, clause, run) {
            Some(compiled) => self.code.run(&compiled, clause, &mut self.interp, run),
            None => self.interp.run(id, clause, run),
        }
    }

    /// Counts a run of a clause that is not compiled; the compiled clause if it is time.
    fn tier(&mut self, id: ClauseId, clause: &ir::Clause, run: &Run<'_>) -> Option<Compiled> {
        let recorded = usize::from(run.is_record());
        match self.clauses.get_mut(id.index()) {
            Some(tiers) => match &mut tiers[recorded] {
                Tier::Cold(count) if *count < self.threshold => {
                    *count += 1;
                    None
                }
                Tier::Refused => None,
                Tier::Hot(_) | Tier::Cold(_) => self.compile(id, clause, run),
            },
            None => {
                self.clauses
                    .resize_with(run.plan().program.clauses.len().max(id.index() + 1), Default::default);
                self.tier(id, clause, run)
            }
        }
    }

    #[cold]
    fn compile(&mut self, id: ClauseId, clause: &ir::Clause, run: &Run<'_>) -> Option<Compiled> {
        let recorded = run.is_record();
        let compiled = self.code.compile((run.plan(), run.vars()), id, clause, recorded);
        let tier = &mut self.clauses[id.index()][usize::from(recorded)];
        *tier = compiled.map_or(Tier::Refused, Tier::Hot);
        compiled
    }

    /// How many clauses run compiled, a clause over events and over records counted apart.
    #[cfg(test)]
    fn compiled(&self) -> usize {
        self.clauses.iter().flatten().filter(|tier| matches!(tier, Tier::Hot(_))).count()
    }
}

impl Default for Tier {
    fn default() -> Tier {
        Tier::Cold(0)
    }
}

impl Engine for Jit {
    fn run(&mut self, id: ClauseId, clause: &ir::Clause, run: &mut Run<'_>) -> Option<u32> {
        if let Some(tiers) = self.clauses.get(id.index())
            && let Tier::Hot(compiled) = &tiers[usize::from(run.is_record())]
            && compiled.is_of(clause)
        {
            return self.code.run(compiled, clause, &mut self.interp, run);
        }
        self.run_cold(id, clause, run)
    }

    fn renew(&mut self) {
        *self = Jit::after(self.threshold);
    }
}

/// The code of every clause that runs in user space, as cranelift has it; for `--dump=clif`.
pub fn dump(plan: &Plan) -> String {
    let mut text = String::new();
    let mut code = Code::default();
    if !code.can_be_made() {
        return "this machine cannot run compiled code\n".into();
    }
    let vars = Vars::new(&plan.program, &plan.rooms, 0);
    let live = |id: ClauseId| {
        let probes = plan.probe_clauses.iter().zip(&plan.probe_groups);
        probes.into_iter().any(|(clauses, group)| group.is_none() && clauses.contains(&id))
    };
    for (index, whole) in plan.program.clauses.iter().enumerate() {
        let id = ClauseId(index as u32);
        let part = plan.user.get(index).and_then(Option::as_ref);
        let parts =
            [("clause", Some(whole).filter(|_| live(id)), false), ("user part of clause", part, true)];
        for (what, clause, recorded) in parts {
            if let Some(clause) = clause {
                let shown = code.show((plan, &vars), id, clause, recorded);
                let _ = writeln!(text, "# {what} c{index}\n{shown}");
            }
        }
    }
    if text.is_empty() {
        text.push_str("no code in user space\n");
    }
    text
}
