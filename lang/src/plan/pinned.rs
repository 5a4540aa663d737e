//! Rule 11: what can only be had at the event must not depend on what user space computes. Settled decisions in,
//! diagnostics out, each with the chain of dependence.

use super::classify::Blocker;
use super::homes::{Analysed, Settled};
use super::why::{Known, var_name};
use super::{Capabilities, PlanError, Side, Subject, refusal};
use crate::diag::Diagnostic;
use crate::ir::facts::{acts, is_pinned, touches_scratch};
use crate::ir::{Inst, Op, print};

/// Finds every pinned op that cannot be carried out at the event.
pub(super) fn check(cx: &Analysed<'_>, settled: &Settled, caps: Capabilities) -> PlanError {
    let mut errors = Vec::new();
    for i in 0..cx.program.clauses.len() {
        if let (Some(flow), Some(sides)) = (&cx.flows[i], &settled.sides[i]) {
            let known = Known { program: cx.program, flow, sides, decisions: &settled.decisions };
            let scratch = settled.decisions.scratch[i] == Side::Kernel;
            let at_event = |inst: &Inst| is_pinned(&inst.op) || (scratch && touches_scratch(&inst.op));
            errors.extend(flow.insts().filter(|(_, inst)| at_event(inst)).filter_map(|(at, inst)| {
                match (sides.inst(at), sides.blocker(at), &inst.op) {
                    (Side::User, _, _) => Some(dependence(cx, settled, &known, caps, inst)),
                    // What is done to the world is undone by nothing, and must not be done for a clause that has ended.
                    (Side::Kernel, Some(blocker), op) if acts(op) => {
                        let (why, span) = known.blocked(blocker);
                        let text = format!("{} must be decided in the kernel", described(inst));
                        Some(refusal(Some(inst.span), text).label(span, why))
                    }
                    // A store is undone by nothing, so K must know whether it happens. That the clause may have ended
                    // before does not matter: scratch memory ends with it.
                    (Side::Kernel, Some(blocker @ Blocker::Under(_)), Op::Store { .. }) => {
                        let (why, span) = known.blocked(blocker);
                        let text = format!("{} must be decided in the kernel", described(inst));
                        Some(refusal(Some(inst.span), text).label(span, why))
                    }
                    _ => None,
                }
            }));
        }
    }
    errors
}

/// The error for one op, with a label for each step from it to what runs in user space.
fn dependence(
    cx: &Analysed<'_>,
    settled: &Settled,
    known: &Known<'_>,
    caps: Capabilities,
    inst: &Inst,
) -> Diagnostic {
    if let Op::Call { func, .. } = inst.op
        && func.writes_process()
        && caps.writes_user != Some(true)
    {
        let text = format!("`{}` cannot be carried out by eBPF", func.row().name);
        let why = match caps.writes_user {
            Some(_) => {
                "the running kernel does not offer bpf_probe_write_user, with which a program writes to a process"
            }
            None => "this process may not ask the kernel whether it offers bpf_probe_write_user",
        };
        return refusal(Some(inst.span), text).label(inst.span, why.to_owned()).help(WITHOUT_EBPF);
    }
    let Some(reg) = known.user_operand(inst) else {
        let why = known.unknown(inst).unwrap_or("it runs in user space only".to_owned());
        return refusal(Some(inst.span), format!("{} cannot be carried out by eBPF: {why}", described(inst)));
    };
    let text = format!("{} needs the event itself, but uses a value computed in user space", described(inst));
    let mut error = refusal(Some(inst.span), text);
    for (why, span) in known.chain(reg) {
        error = error.label(span, why);
    }
    // A variable at the end of the chain: say why it is where it is.
    if let Some(var) = known.chain_variable(reg)
        && let Some(reason) = settled.reasons.iter().find(|reason| reason.subject == Subject::Var(var))
    {
        let text = format!("{} is there because {}", var_name(cx.program, var), reason.text);
        error = error.label(reason.span.unwrap_or(inst.span), text);
    }
    if known.chain_speculates(reg)
        && let Some(reason) = settled.reasons.iter().find(|reason| reason.subject == Subject::Speculations)
    {
        let text = format!("it is kept there because {}", reason.text);
        error = error.label(reason.span.unwrap_or(inst.span), text);
    }
    if let Op::Call { func, .. } = inst.op
        && func.reads_process()
    {
        error = error.help(WITHOUT_EBPF);
    }
    if settled.decisions.exit_in_user {
        error =
            error.help("-x relaxedexit leaves state in the kernel although `exit` is decided in user space");
    }
    error
}

/// What helps where the memory of a process that makes system calls is asked for too late.
const WITHOUT_EBPF: &str = "it works where commands are traced without eBPF: `--source=ptrace -c COMMAND`";

/// An op as a message names it.
fn described(inst: &Inst) -> String {
    match &inst.op {
        Op::Builtin { var, index, .. } => format!("`{}`", print::builtin(*var, *index)),
        Op::Call { func, .. } => func.described(),
        Op::Store { .. } => "a store to scratch memory".to_owned(),
        _ => "a read of memory".to_owned(),
    }
}
