//! Rule 11: what can only be had at the event must not depend on what user space computes. Settled decisions in,
//! diagnostics out, each with the chain of dependence.

use super::classify::Blocker;
use super::homes::{Analysed, Settled};
use super::why::{Known, SPECULATIONS_IN_USER, described, var_name};
use super::{Capabilities, PlanError, Side, Subject, refusal};
use crate::diag::Diagnostic;
use crate::ir::facts::{acts, is_pinned, touches_scratch};
use crate::ir::{Inst, Op, Reg};
use crate::source::Span;

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
                        Some(undecided(cx, settled, &known, inst, blocker))
                    }
                    // A store is undone by nothing, so K must know whether it happens. That the clause may have ended
                    // before does not matter: scratch memory ends with it.
                    (Side::Kernel, Some(blocker @ Blocker::Under(_)), Op::Store { .. }) => {
                        Some(undecided(cx, settled, &known, inst, blocker))
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
        return refusal(
            Some(inst.span),
            format!("{} cannot be carried out by eBPF: {why}", described(&inst.op)),
        );
    };
    let text =
        format!("{} needs the event itself, but uses a value computed in user space", described(&inst.op));
    let mut error = explained(cx, settled, known, refusal(Some(inst.span), text), (reg, inst.span));
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

/// The error for an effect of which K would not know whether it happens.
fn undecided(
    cx: &Analysed<'_>,
    settled: &Settled,
    known: &Known<'_>,
    inst: &Inst,
    blocker: Blocker,
) -> Diagnostic {
    let (why, span) = known.blocked(blocker);
    let text = format!("{} must be decided in the kernel", described(&inst.op));
    let error = refusal(Some(inst.span), text).label(span, why);
    match blocker {
        Blocker::Under(head) | Blocker::Return(head) => match known.flow.condition(head) {
            Some(cond) => explained(cx, settled, known, error, (cond, span)),
            None => error,
        },
        Blocker::After(_) => error,
    }
}

/// Adds what put a register in U, step by step, and why what the steps lead to is there.
fn explained(
    cx: &Analysed<'_>,
    settled: &Settled,
    known: &Known<'_>,
    mut error: Diagnostic,
    (reg, span): (Reg, Span),
) -> Diagnostic {
    let chain = known.chain(reg);
    let mut last = chain.last().map_or(String::new(), |(why, _)| why.clone());
    for (why, span) in chain {
        error = error.label(span, why);
    }
    let reason = |subject| settled.reasons.iter().find(|reason| reason.subject == subject);
    // A variable at the end of the chain.
    if let Some(var) = known.chain_variable(reg)
        && let Some(reason) = reason(Subject::Var(var))
    {
        let text = format!("{} is there because {}", var_name(cx.program, var), reason.text);
        error = error.label(reason.span.unwrap_or(span), text);
        last.clone_from(&reason.text);
    }
    if last.ends_with(SPECULATIONS_IN_USER)
        && let Some(reason) = reason(Subject::Speculations)
    {
        error = error.label(reason.span.unwrap_or(span), format!("that is so because {}", reason.text));
    }
    error
}

/// What helps where the memory of a process that makes system calls is asked for too late.
const WITHOUT_EBPF: &str = "it works where commands are traced without eBPF: `--source=ptrace -c COMMAND`";
