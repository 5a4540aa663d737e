//! Stacks and addresses taken at an event: the event's context in, their numbers out.

use dtrail_lang::plan::AskedStack;

use super::Run;
use crate::engine::Input;
use crate::event::StackSide;
use crate::names::Process;
use crate::stacks::{self, Origin};

impl Run<'_> {
    /// The number of the stack of the firing thread, of at most so many frames.
    pub fn stack(&mut self, origin: Origin, frames: u64) -> u64 {
        let Input::Live(context) = &mut self.input else { return self.bug("a stack taken from a record") };
        let side = match origin {
            Origin::Kernel => StackSide::Kernel,
            _ => StackSide::User,
        };
        let strsize = match origin {
            Origin::User { strsize } => strsize,
            _ => 0,
        };
        let most = u32::try_from(frames).unwrap_or(u32::MAX);
        let asked = AskedStack { user: side == StackSide::User, frames: most, strsize };
        if let Some(number) = context.stack_number(asked) {
            return number;
        }
        let words = &mut self.world.words;
        stacks::head(words, origin, Process::default());
        let first = words.len();
        let frames = usize::try_from(frames).unwrap_or(usize::MAX);
        context.stack(side, frames, words);
        words.truncate(first.saturating_add(frames));
        let process = match side {
            StackSide::Kernel => Process::default(),
            StackSide::User => context.process(words.get(first..).unwrap_or_default()),
        };
        stacks::set_process(words, process);
        self.world.stacks.intern(words, process.seen)
    }

    /// The number of an address of the current process.
    pub fn process_address(&mut self, addr: u64) -> u64 {
        let Input::Live(context) = &mut self.input else { return self.bug("an address taken from a record") };
        let process = context.process(&[addr]);
        let words = &mut self.world.words;
        stacks::head(words, Origin::Address, process);
        words.push(addr);
        self.world.stacks.intern(words, process.seen)
    }
}
