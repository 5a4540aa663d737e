//! Why something is in U, in words: causes that [`classify`](super::classify) found in, sentences and places out.

use super::Side;
use super::classify::{Blocker, Cause, Decisions, Sides, kernel_knows};
use super::flow::{At, Flow};
use crate::builtins::funcs::BLOCK_MOST;
use crate::builtins::{Class, Func, Kernel};
use crate::ir::facts::{CONST_STRING, SEARCHED_MOST, searches_too_far};
use crate::ir::print::{self, scope_prefix};
use crate::ir::{BlockId, Inst, Op, Program, Reg, VarId};
use crate::source::Span;

/// A clause with what is known about it.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub program: &'a Program,
    pub flow: &'a Flow<'a>,
    pub sides: &'a Sides,
    pub decisions: &'a Decisions,
}

/// Why nothing of a speculation is decided in K.
pub(super) const SPECULATIONS_IN_USER: &str = "which speculations are in use is kept in user space";

/// A sentence and the text it speaks of.
pub(super) type Because = (String, Span);

/// A variable as D spells it.
pub(super) fn var_name(program: &Program, var: VarId) -> String {
    let variable = &program.vars[var.index()];
    let keys = if variable.keys.is_some() { "[]" } else { "" };
    format!("`{}{}{keys}`", scope_prefix(variable.scope), variable.name)
}

/// An op as a message names it.
pub(super) fn described(op: &Op) -> String {
    match op {
        Op::Builtin { var, index, .. } => format!("`{}`", print::builtin(*var, *index)),
        Op::Call { func, .. } => func.described(),
        Op::Store { .. } => "a store to scratch memory".to_owned(),
        _ => "a read of memory".to_owned(),
    }
}

impl Known<'_> {
    fn span(&self, at: At) -> Span {
        self.flow.inst(at).map_or(self.flow.clause.span, |inst| inst.span)
    }

    /// Where the condition of a branch is computed.
    fn condition_span(&self, head: BlockId) -> Span {
        let cond = self.flow.condition(head);
        let at = cond.and_then(|cond| self.flow.definitions(cond).last());
        at.map_or(self.flow.clause.span, |&at| self.span(at))
    }

    /// Why an effect is not in K: `it` is followed by the answer.
    pub(super) fn blocked(&self, blocker: Blocker) -> Because {
        match blocker {
            Blocker::Under(head) => {
                ("it stands under a condition that user space decides".to_owned(), self.condition_span(head))
            }
            Blocker::Return(head) => {
                ("it stands behind a condition that user space decides".to_owned(), self.condition_span(head))
            }
            Blocker::After(at) => {
                let what = match self.flow.inst(at).map(|inst| &inst.op) {
                    Some(Op::SetVar { .. } | Op::SetElem { .. }) => {
                        "a store in user space that may find no room"
                    }
                    Some(Op::Call { func: Func::SpecTurn, .. }) => "a `speculate` that user space decides",
                    _ if self.sides.inst(at) == Side::Kernel => {
                        "an operation under such a condition that may fault"
                    }
                    _ => "an operation in user space that may fault",
                };
                (format!("it stands after {what}"), self.span(at))
            }
        }
    }

    /// The first operand of an instruction that K does not have.
    pub(super) fn user_operand(&self, inst: &Inst) -> Option<Reg> {
        let mut found = None;
        inst.op.for_each_src(|reg| {
            if found.is_none() && self.sides.reg(reg) == Side::User {
                found = Some(reg);
            }
        });
        found
    }

    /// What put a register in U, from the nearest step to the last.
    pub(super) fn chain(&self, reg: Reg) -> Vec<Because> {
        let mut out: Vec<Because> = Vec::new();
        let mut next = Some(reg);
        let mut seen = vec![false; self.flow.clause.regs.len()];
        while let Some(reg) = next.take() {
            if std::mem::replace(&mut seen[reg.index()], true) {
                break;
            }
            match self.sides.cause(reg) {
                None => {}
                Some(Cause::Branch(head)) => {
                    out.push((
                        "this condition, which user space decides, selects the value".to_owned(),
                        self.condition_span(head),
                    ));
                    next = self.flow.condition(head);
                }
                Some(Cause::Inst(at)) => {
                    let Some(inst) = self.flow.inst(at) else { break };
                    match self.unknown(inst) {
                        Some(text) => out.push((text, inst.span)),
                        None => next = self.user_operand(inst),
                    }
                }
            }
        }
        out
    }

    /// The variable that a chain ends at.
    pub(super) fn chain_variable(&self, reg: Reg) -> Option<VarId> {
        let mut next = Some(reg);
        let mut seen = vec![false; self.flow.clause.regs.len()];
        while let Some(reg) = next.take().filter(|reg| !std::mem::replace(&mut seen[reg.index()], true)) {
            next = match self.sides.cause(reg)? {
                Cause::Branch(head) => self.flow.condition(head),
                Cause::Inst(at) => match self.flow.inst(at) {
                    Some(Inst { op: Op::GetVar { var, .. } | Op::GetElem { var, .. }, .. })
                        if self.decisions.vars[var.index()] == Side::User =>
                    {
                        return Some(*var);
                    }
                    inst => self.user_operand(inst?),
                },
            };
        }
        None
    }

    /// Why K cannot carry out an instruction, whatever its operands.
    pub(super) fn unknown(&self, inst: &Inst) -> Option<String> {
        if kernel_knows(self.program, self.flow, self.decisions, inst) {
            return None;
        }
        Some(match &inst.op {
            Op::GetVar { var, .. } | Op::GetElem { var, .. } => {
                format!("{} lives in user space", var_name(self.program, *var))
            }
            Op::Call { func, .. } => {
                let row = func.row();
                let name = func.described();
                match (row.class, row.kernel) {
                    _ if func.speculates() => SPECULATIONS_IN_USER.to_owned(),
                    _ if searches_too_far(self.program, *func) => {
                        format!("{name} runs in the kernel only if strsize is at most {SEARCHED_MOST}")
                    }
                    (Class::Pinned | Class::Free, Kernel::ConstString(n)) => format!(
                        "{name} runs in the kernel only if argument {} is a constant of at most {CONST_STRING} bytes",
                        n + 1
                    ),
                    (Class::Pinned | Class::Free, Kernel::ConstSize(_)) => {
                        format!(
                            "the kernel reads memory only in pieces of a constant size, of at most {BLOCK_MOST} bytes"
                        )
                    }
                    (_, Kernel::Writing(Some(_)))
                        if self.decisions.writes_user && self.flow.writes_process =>
                    {
                        format!(
                            "{name} runs in the kernel only if its size is a constant of at most {BLOCK_MOST}"
                        )
                    }
                    _ => format!("{name} runs in user space only"),
                }
            }
            _ => "this runs in user space only".to_owned(),
        })
    }

    /// Why an instruction is on side U: what it needs that K does not have, or that K does not know it.
    pub(super) fn why_user(&self, at: At, inst: &Inst) -> Because {
        let unknown = || (self.unknown(inst).unwrap_or("this runs in user space only".to_owned()), inst.span);
        self.effect(at, inst).unwrap_or_else(unknown)
    }

    /// Why an effect at a place is not in K.
    pub(super) fn effect(&self, at: At, inst: &Inst) -> Option<Because> {
        if let Some(reg) = self.user_operand(inst) {
            let root = self.chain(reg).pop();
            let (why, span) = root.unwrap_or(("it is computed there".to_owned(), inst.span));
            return Some((format!("a value it uses is computed in user space: {why}"), span));
        }
        self.sides.blocker(at).map(|blocker| self.blocked(blocker))
    }
}
