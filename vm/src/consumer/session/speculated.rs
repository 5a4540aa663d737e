//! Numbers of speculations whose turns are over: freed when their firing is over, and settled here if the record that says so
//! was lost. In: the kernel part's words, or our own. Out: rows, as a commit has them.

use dtrail_lang::ir::ProbeIndex;
use dtrail_lang::plan::Side;

use super::{Firing, Session};
use crate::event::KernelState;
use crate::runtime::World;
use crate::speculation::words;

impl Session<'_> {
    /// Frees what this firing has committed or discarded.
    pub(super) fn free_speculations(&mut self, kernel: Option<&mut (dyn KernelState + '_)>) {
        let in_kernel = self.plan.speculations == Side::Kernel;
        let words = kernel.filter(|_| in_kernel).and_then(|kernel| kernel.speculations());
        self.world.speculations.end_firing(words);
    }

    /// Does what commits and discards of the kernel part ask for whose records were lost: what it has decided stands.
    pub(in crate::consumer) fn settle_untold(&mut self, kernel: &mut dyn KernelState) {
        if self.plan.speculations != Side::Kernel {
            return;
        }
        // What the kernel part did behind an `exit` that was decided here is not looked at.
        if self.exit.is_some() && kernel.exit_status().is_none() || self.bug.is_some() || self.full() {
            return;
        }
        if !kernel.speculations().is_some_and(words::untold) {
            return;
        }
        self.begin();
        let world = &mut self.world;
        world.committed.clear();
        if let Some(words) = kernel.speculations() {
            let World { speculations, records, committed, .. } = world;
            speculations.settle_untold(self.plan, words, records, committed);
        }
        let first = self.world.committed.first().copied();
        let (probe, cpu) = first.map_or((ProbeIndex(0), 0), |row| (row.probe, row.cpu));
        self.take_committed();
        // Of when they were committed nothing is known but that it is over.
        let time = u64::MAX;
        let kernel = Some(kernel);
        self.finish(&mut Firing { probe, cpu: Some(cpu), kernel, recorded: true, exit: None, time }, None);
    }
}
