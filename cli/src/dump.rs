//! `--dump`: the intermediate forms of a program as text.

use std::fmt::Write as _;

use dtrail_kernel_bridge::ebpf::disasm;
use dtrail_kernel_bridge::source::{bpf, inject};
use dtrail_lang::Compiled;
use dtrail_lang::ast;
use dtrail_lang::env::Environment;
use dtrail_lang::ir::print::{self, Spans};
use dtrail_lang::ir::{ClauseId, Program};
use dtrail_lang::options::Options as Settings;
use dtrail_lang::plan::Plan;
use dtrail_lang::source::{SourceKind, SourceMap};

use crate::failure::Failure;

/// Every program, parsed and printed back as D.
pub(crate) fn ast(
    sources: &SourceMap,
    env: &dyn Environment,
    args: &[String],
    settings: &mut Settings,
) -> Result<String, Failure> {
    let trees = dtrail_lang::trees(sources, env, settings, args)?;
    let ours = sources.ids().zip(&trees).filter(|(id, _)| sources.get(*id).kind != SourceKind::Library);
    Ok(ours.map(|(_, tree)| ast::print::program(tree)).collect())
}

/// The program as lowered, then what the planner made of each clause.
pub(crate) fn ir(plan: &Plan) -> String {
    print::program(&plan.program, Spans::Omit) + &parts(plan)
}

/// What the planner made of each clause.
pub(crate) fn parts(plan: &Plan) -> String {
    let mut text = String::new();
    let parts = [("kernel", &plan.kernel), ("user", &plan.user)];
    for id in 0..plan.program.clauses.len() {
        let id = ClauseId(id as u32);
        for (side, clauses) in parts {
            if let Some(Some(clause)) = clauses.get(id.index()) {
                let _ = write!(
                    text,
                    "\n# {side} part\n{}",
                    print::clause(&plan.program, id, clause, Spans::Omit)
                );
            }
        }
    }
    text
}

/// What `-S` shows: the code of each clause, under a heading that says where it is enabled.
pub(crate) fn disassembly(program: &Program) -> String {
    let mut text = String::new();
    let mut enabled = vec![Vec::new(); program.clauses.len()];
    for enabling in &program.enablings {
        enabled[enabling.clause.index()].extend_from_slice(&enabling.probes);
    }
    for (i, (clause, enabled)) in program.clauses.iter().zip(&enabled).enumerate() {
        let id = ClauseId(i as u32);
        let probes = enabled.iter().filter_map(|p| program.probes.get(p.index()));
        let mut probes: Vec<String> = probes
            .take(2)
            .map(|p| format!("{}:{}:{}:{}", p.provider, p.module, p.function, p.name))
            .collect();
        if probes.len() > 1 {
            probes[1] = "…".to_owned();
        }
        let number = clause.number;
        let _ = write!(
            text,
            "\nDisassembly of clause dt_clause_{number} {}:\n{}",
            probes.join(", "),
            print::clause(program, id, clause, Spans::Omit)
        );
    }
    text
}

/// What the passes of the compiler made, a line each (`debug`).
pub(crate) fn passes(sources: &SourceMap, compiled: &Compiled, progname: &str) -> String {
    let mut text = String::new();
    let mut line = |what: String| {
        let _ = writeln!(text, "{progname} DEBUG: {what}");
    };
    for (id, matched) in sources.ids().zip(&compiled.matched) {
        let source = sources.get(id);
        let what = if source.kind == SourceKind::Library { "library" } else { "program" };
        let name = source.name.lines().next().unwrap_or_default();
        line(format!("{what} {name}: {} bytes, {matched} probes matched", source.text.len()));
    }
    let program = &compiled.program;
    for (number, clause) in program.clauses.iter().enumerate() {
        let code: usize = clause.blocks.iter().map(|block| block.insts.len()).sum();
        let (blocks, registers) = (clause.blocks.len(), clause.regs.len());
        line(format!("clause c{number}: {code} instructions in {blocks} blocks, {registers} registers"));
    }
    let (vars, aggs) = (program.vars.len(), program.aggs.len());
    let (probes, enablings) = (program.probes.len(), program.enablings.len());
    line(format!("{vars} variables, {aggs} aggregations, {enablings} enablings of {probes} probes"));
    text
}

/// The maps and programs that would be loaded, disassembled; `injected` if events are made up.
pub(crate) fn ebpf(plan: &Plan, settings: &Settings, injected: bool) -> Result<String, Failure> {
    if plan.groups.is_empty() {
        return Ok("no kernel part\n".into());
    }
    let program = match injected {
        true => inject::emit(plan, settings.into())?,
        false => bpf::emit(plan, settings.into())?,
    };
    Ok(disasm::program(&program))
}
