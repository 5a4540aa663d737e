//! Placement changes speed, never output: random programs over random events print the same whether everything runs in
//! user space or the planner's kernel parts run in [`kernel`], a plain reading of their ops, and whichever engine has the
//! user parts.

mod kernel;
mod programs;

use dtrail_lang::ir::{self, print, verify};
use dtrail_lang::plan::{self, Capabilities, Placement, Plan, PlanOptions, Side};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;

use crate::consumer::{self, Settings};
use crate::engine::Engine;
use crate::interp::Interp;
use crate::jit::{self, Jit};
use crate::output::CaptureOutput;
use crate::runtime::Space;
use crate::speculation::SpeculationSpace;
use crate::testing::{ListSource, Script};
use kernel::KernelSource;
use programs::Step;

/// What a user sees of a run.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    out: String,
    err: String,
    result: Result<consumer::Outcome, crate::event::Error>,
}

impl Seen {
    /// Without what differs by design from how it is where nothing runs in the kernel: behind an exit that user space
    /// decides, threads go on finding no room for variables that nobody else uses.
    fn beside(&self, plan: &Plan) -> Seen {
        let in_user = |text: &str| text.starts_with("`exit` is decided in user space");
        let differs = plan.reasons.iter().any(|reason| in_user(&reason.text));
        let of_drop =
            |line: &&str| differs && (line.contains("dynamic variable drop") || line.contains("dynvarsize"));
        let lines = self.err.lines().filter(|line| !of_drop(line));
        Seen { err: lines.map(|line| format!("{line}\n")).collect(), ..self.clone() }
    }
}

fn seen(plan: &Plan, steps: &[Step], batch: Option<usize>, space: Space, engine: &mut dyn Engine) -> Seen {
    let mut output = CaptureOutput::default();
    let settings = Settings { quiet: true, space, ..Settings::default() };
    let result = match batch {
        Some(batch) => {
            let mut source = KernelSource::new(plan, steps, batch, space);
            let (host, none) = (source.host.clone(), std::sync::atomic::AtomicU32::new(0));
            consumer::run(plan, &mut source, engine, &host, &mut output, &settings, &none, None)
        }
        None => {
            let mut source = ListSource::new(steps.iter().map(Step::script).collect::<Vec<Script>>());
            let (host, none) = (source.host.clone(), std::sync::atomic::AtomicU32::new(0));
            consumer::run(plan, &mut source, engine, &host, &mut output, &settings, &none, None)
        }
    };
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Seen { out: text(output.out), err: text(output.err), result }
}

/// Runs a program in user space and with kernel parts under both placements, what user space has interpreted and compiled.
fn check(program: &ir::Program, steps: &[Step], batch: usize, space: Space) -> Result<(), TestCaseError> {
    let text = || print::program(program, print::Spans::Omit);
    prop_assert_eq!(verify::program(program), Ok(()), "{}", text());
    let none = plan::plan(program.clone(), Capabilities::NONE, &PlanOptions::default());
    let none = none.map_err(|errors| TestCaseError::fail(format!("{errors:?} in {}", text())))?;
    let expected = seen(&none, steps, None, space, &mut Interp::default());
    let compiled = seen(&none, steps, None, space, &mut Jit::after(0));
    prop_assert_eq!(&compiled, &expected, "compiled\n{}\n{}", text(), jit::dump(&none));
    for placement in [Placement::Auto, Placement::User] {
        let options = PlanOptions { placement, ..PlanOptions::default() };
        // A pinned op over a user value has no place (rule 11): such a program is refused.
        let Ok(plan) = plan::plan(program.clone(), Capabilities::BASELINE, &options) else { continue };
        let expected = expected.beside(&plan);
        let got = seen(&plan, steps, Some(batch), space, &mut Interp::default()).beside(&plan);
        prop_assert_eq!(&got, &expected, "{:?}, batches of {}\n{}", placement, batch, explain(&plan));
        // The second run of a clause is the first compiled one.
        let got = seen(&plan, steps, Some(batch), space, &mut Jit::after(1)).beside(&plan);
        prop_assert_eq!(
            &got,
            &expected,
            "compiled, {:?}, batches of {}\n{}\n{}",
            placement,
            batch,
            explain(&plan),
            jit::dump(&plan)
        );
    }
    Ok(())
}

/// The program and both parts of its clauses.
fn explain(plan: &Plan) -> String {
    let mut text = print::program(&plan.program, print::Spans::Omit);
    for (what, parts) in [("kernel", &plan.kernel), ("user", &plan.user)] {
        for (i, part) in parts.iter().enumerate() {
            if let Some(part) = part {
                text += &format!("; {what} part\n");
                text += &print::clause(&plan.program, ir::ClauseId(i as u32), part, print::Spans::Omit);
            }
        }
    }
    text + &format!("; homes {:?}\n; sites {:?}\n", plan.homes, plan.agg_sites)
}

/// Two numbers, so that they run out.
const TWO: SpeculationSpace = SpeculationSpace { count: 2, bytes: 200, cleanrate: 0 };

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 4096, ..ProptestConfig::default() })]

    #[test]
    fn placement_never_changes_output(
        program in programs::program(),
        steps in programs::steps(),
        batch in 1_usize..4,
    ) {
        check(&program, &steps, batch, Space { speculations: TWO, ..Space::default() })?;
    }

    /// Each side has room for few keys and threads: which are lost is the same, and how many.
    #[test]
    fn placement_never_changes_what_full_stores_lose(
        program in programs::program(),
        steps in programs::steps(),
        batch in 1_usize..4,
        aggsize in 50_u64..300,
        dynvarsize in 50_u64..300,
    ) {
        check(&program, &steps, batch, Space { aggsize, dynvarsize, speculations: TWO })?;
    }
}

/// The test above would show nothing if all programs were refused or stayed in user space.
#[test]
fn many_programs_have_a_kernel_part() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let placed = |program: ir::Program| {
        let options = PlanOptions::default();
        let plan = plan::plan(program, Capabilities::BASELINE, &options).ok()?;
        let with_code = |clause: &ir::Clause| clause.blocks.iter().any(|block| !block.insts.is_empty());
        let speculates = plan.speculations == Side::Kernel;
        plan.kernel.iter().flatten().any(with_code).then_some(speculates)
    };
    let generated = (0..200).filter_map(|_| programs::program().new_tree(&mut runner).ok());
    let kernel_parts: Vec<bool> = generated.filter_map(|tree| placed(tree.current())).collect();
    assert!(kernel_parts.len() >= 80, "only {} of 200", kernel_parts.len());
    let speculating = kernel_parts.iter().filter(|speculates| **speculates).count();
    assert!(speculating >= 20, "only {speculating} of 200 speculate in the kernel");
}
