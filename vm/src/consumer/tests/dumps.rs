//! Stacks that have a number of their own each (`unwind=dwarf`) as keys in the kernel: more than are kept track of at a time.

use dtrail_lang::ir::{AggId, VarId};
use dtrail_lang::plan::Side;

use super::*;
use crate::agg::AggState;
use crate::event::KernelState;
use crate::names::Process;
use crate::stacks::{self, Origin};
use crate::value::Value;

/// How many events there are between two sweeps, and how many sweeps.
const EVENTS: u64 = 1500;
const SWEEPS: u64 = 9;

/// A kernel part whose events all have the same stack, under a number each.
#[derive(Default)]
struct Dumps {
    swept: u64,
    /// Numbers of stacks that wait to be taken.
    waiting: std::ops::Range<u64>,
}

impl KernelState for Dumps {
    fn get(&mut self, _: VarId, _: &[Value]) -> Value {
        Value::Int(0)
    }

    fn set(&mut self, _: VarId, _: &[Value], _: &Value) -> bool {
        true
    }

    fn cut(&mut self) {}

    fn sweep(&mut self, _: Option<u32>, take: &mut dyn FnMut(AggId, u32, Box<[Value]>, AggState)) {
        if self.swept == SWEEPS {
            return;
        }
        self.swept += 1;
        self.waiting = self.swept * EVENTS..(self.swept + 1) * EVENTS;
        for number in self.waiting.clone() {
            take(AggId(0), 0, [Value::Int(number as i64)].into(), AggState::Count(1));
        }
    }

    fn stacks(&mut self, take: &mut dyn FnMut(u64, &[u64], u64)) {
        let mut words = Vec::new();
        stacks::head(&mut words, Origin::User { strsize: 0 }, Process { pid: 7, ..Process::default() });
        words.push(0x1000);
        std::mem::take(&mut self.waiting).for_each(|number| take(number, &words, 5));
    }

    fn exit_status(&mut self) -> Option<i64> {
        None
    }
}

#[test]
fn no_stack_is_lost_however_many_numbers_there_are() {
    let program = format!(
        "{PROBES}p5 = probe 43 syscall:vmlinux:write:entry source\np6 = probe 10 profile:::tick-1h tracer\nagg @_[stack]: count\ng0 = @_ in c0\n\
         k0 = printa in c1 stmt 1 () aggs @_\nenable c0 on p5\nenable c1 on p6\nclause c0 {{\nb0:\n    i0 = 0\n    i1 = call <ustack>(i0, i0)\n    aggregate g0 [i1]\n    return\n}}\n\
         clause c1 {{\nb0:\n    record k0 ()\n    return\n}}\n"
    );
    let mut plan = user_plan(parse::program(&program).expect("IR of this test"));
    plan.agg_sites[0].side = Side::Kernel;
    plan.cuts.tracer = true;
    let mut source = ListSource::new(vec![Script::Until(12_000_000_000)]);
    source.kernel = Some(Box::new(Dumps::default()));
    let (host, interrupts) = (source.host.clone(), source.interrupts.clone());
    let settings = Settings { aggrate: 1_000_000_000, ..quiet() };
    let mut output = CaptureOutput::default();
    let ran =
        run(&plan, &mut source, &mut Interp::default(), &host, &mut output, &settings, &*interrupts, None);
    assert_eq!(ran, Ok(Outcome { status: 0 }));
    assert_eq!(String::from_utf8_lossy(&output.err), "", "nothing is lost");
    let total = EVENTS * SWEEPS;
    assert_eq!(String::from_utf8_lossy(&output.out), format!("\n\n              0x1000\n{total:>17}\n"));
}
