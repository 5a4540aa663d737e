//! Numbers of speculations whose turns are over: freed when their firing is over, and settled here if the record that says so
//! was lost. In: the kernel part's words, or our own. Out: rows, as a commit has them.

use dtrail_lang::ir::ProbeIndex;
use dtrail_lang::plan::Side;

use super::{Firing, Session, reborrow};
use crate::event::KernelState;
use crate::speculation::words::Verdict;
use crate::speculation::{Turn, untold};

impl Session<'_> {
    /// Frees what this firing has committed or discarded, unless the kernel part does.
    pub(super) fn free_speculations(&mut self, firing: &mut Firing<'_>) {
        let speculations = &mut self.world.speculations;
        match self.plan.speculations {
            Side::User => speculations.end_own_firing(),
            // Its programs free what they have ended, and may have given it to others since.
            Side::Kernel if firing.recorded => speculations.end_firing(None),
            Side::Kernel => {
                let kernel = reborrow(&mut firing.kernel);
                speculations.end_firing(kernel.and_then(|kernel| kernel.speculations()));
            }
        }
    }

    /// The commits and discards of the kernel part whose records were lost.
    pub(in crate::consumer) fn untold(&self, kernel: &mut dyn KernelState) -> Vec<(Turn, Verdict)> {
        let in_kernel = self.plan.speculations == Side::Kernel;
        kernel.speculations().filter(|_| in_kernel).map_or(Vec::new(), untold)
    }

    /// Does what they ask for, when all has been looked at that was recorded before they were asked for: what the kernel
    /// part has decided stands.
    pub(in crate::consumer) fn settle_untold(
        &mut self,
        kernel: &mut dyn KernelState,
        untold: Vec<(Turn, Verdict)>,
    ) {
        // What the kernel part did behind an `exit` that was decided here is not looked at.
        let behind = self.exit.is_some() && !self.drains && kernel.exit_status().is_none();
        if untold.is_empty() || behind || self.bug.is_some() || self.full() {
            return;
        }
        self.begin();
        let world = &mut self.world;
        world.committed.clear();
        for (turn, verdict) in untold {
            world.speculations.settle(self.plan, turn, verdict, &mut world.records, &mut world.committed);
        }
        let first = world.committed.first().copied();
        let (probe, cpu) = first.map_or((ProbeIndex(0), 0), |row| (row.probe, row.cpu));
        self.take_committed();
        // Of when they were committed nothing is known but that it is over.
        let time = u64::MAX;
        let kernel = Some(kernel);
        self.finish(&mut Firing { probe, cpu: Some(cpu), kernel, recorded: false, exit: None, time }, None);
    }
}
