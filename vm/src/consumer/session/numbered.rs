//! The stacks that numbers in rows and keys stand for: taken out of the kernel part before something asks for them, and
//! forgotten when nothing has their numbers any more. Never: what a stack looks like.

use dtrail_lang::ir::{AggId, ValueType};
use dtrail_lang::plan::Side;

use super::{Firing, Session, reborrow};
use crate::consumer::canonical;
use crate::event::KernelState;
use crate::record::{Records, Row};
use crate::runtime::World;
use crate::stacks::{self, is_numbered};

impl Session<'_> {
    /// Brings the keys of aggregations that print as symbols to the form that stands for all of their meaning: of an
    /// address the start of its symbol or module, so that each function or module has one entry.
    pub(in crate::consumer) fn rekey(&mut self) {
        if !self.symbolic {
            return;
        }
        let names = self.host.names();
        let World { aggs, stacks, .. } = &mut self.world;
        for agg in 0..self.plan.program.aggs.len() as u32 {
            let Some(table) = aggs.get_mut(AggId(agg)) else { continue };
            let types: Box<[ValueType]> = table.types().into();
            if types.iter().any(|ty| matches!(ty, ValueType::Symbolic(_))) {
                table.rekey(|key| canonical::key(key, &types, stacks, names));
            }
        }
    }

    /// Takes the stacks out of the kernel part that numbers in rows and keys stand for.
    pub(super) fn take_stacks(&mut self, kernel: &mut dyn KernelState) {
        if self.stacks_used {
            let stacks = &mut self.world.stacks;
            let names = self.host.names();
            let mut unwound = Vec::new();
            kernel.stacks(&mut |number, words, seen| {
                let words = if stacks::unwind(words, seen, names, &mut unwound) { &unwound } else { words };
                stacks.learn(number, words, seen);
            });
            if !self.keys_in_kernel() {
                // Rows alone have them.
                self.forget_stacks();
            }
        }
    }

    /// Takes stacks out of the kernel part because many wait. If keys of aggregations are numbers of them, the keys, too:
    /// the numbers cannot be forgotten before.
    pub(in crate::consumer) fn make_room_for_stacks(&mut self, kernel: &mut dyn KernelState) {
        if self.keys_in_kernel() && self.plan.cuts.any() && self.world.stacks.crowded() {
            kernel.cut();
            self.sweep(kernel, None);
        } else {
            self.take_stacks(kernel);
        }
    }

    /// Whether the kernel part may have keys that are numbers of stacks.
    fn keys_in_kernel(&self) -> bool {
        self.symbolic && self.plan.agg_sites.iter().any(|site| site.side == Side::Kernel)
    }

    /// Under `unwind=dwarf` each stack that was taken has a number of its own, and so there come to be as many as there are
    /// events. They are forgotten when nothing has them any more: the stacks of all rows that are yet to come, and of all
    /// keys that the kernel has, were learned since the last time.
    pub(super) fn forget_stacks(&mut self) {
        if self.world.stacks.crowded() && !self.stacks_kept && self.held.is_none() {
            self.rekey();
            self.world.stacks.forget();
        }
    }

    /// The same if a row has a stack that is not known yet.
    pub(super) fn know_stacks(&mut self, records: &Records, row: Row, firing: &mut Firing<'_>) {
        if !self.stacks_used {
            return;
        }
        let unknown = records.actions(row).any(|(site, first)| {
            let types = self.plan.program.sites.get(site.index()).map_or(&[][..], |site| &site.args);
            types.iter().zip(first..).any(|(&ty, index)| {
                let number = records.value(index, ty.reg_kind()).int() as u64;
                is_numbered(ty) && number != 0 && self.world.stacks.get(number).is_none()
            })
        });
        if unknown && let Some(kernel) = reborrow(&mut firing.kernel) {
            self.take_stacks(kernel);
        }
    }
}
