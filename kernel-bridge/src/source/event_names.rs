//! The names that a file of made-up events gives to addresses: lines in, lookups out. Reads no machine.

use std::collections::BTreeMap;
use std::rc::Rc;

use dtrail_vm::names::{Names, Place, Process, Symbol};

/// Names by whose addresses they are: `None` for the kernel.
#[derive(Clone, Debug, Default)]
pub struct EventNames {
    spaces: BTreeMap<Option<u32>, Space>,
    /// `target`: the process whose addresses `%A` prints.
    pub(super) target: u32,
}

#[derive(Clone, Debug, Default)]
struct Space {
    /// By start: end, module or file.
    mappings: BTreeMap<u64, (u64, Rc<str>)>,
    /// By start: end, name.
    symbols: BTreeMap<u64, (u64, Rc<str>)>,
    /// Of code without a file.
    made: BTreeMap<u64, (u64, Rc<str>)>,
}

/// The entry that covers an address: its start and its name.
fn covering(entries: &BTreeMap<u64, (u64, Rc<str>)>, addr: u64) -> Option<(u64, &Rc<str>)> {
    let (&start, (end, name)) = entries.range(..=addr).next_back()?;
    (addr < *end).then_some((start, name))
}

impl EventNames {
    /// Maps a file or module to addresses of a process or, with `None`, of the kernel.
    pub(super) fn map(&mut self, pid: Option<u32>, start: u64, size: u64, name: &str) {
        let end = start.saturating_add(size);
        self.spaces.entry(pid).or_default().mappings.insert(start, (end, name.into()));
    }

    /// Gives a symbol.
    pub(super) fn symbol(&mut self, pid: Option<u32>, start: u64, size: u64, name: &str) {
        let end = start.saturating_add(size);
        self.spaces.entry(pid).or_default().symbols.insert(start, (end, name.into()));
    }

    /// Names code that lies in no file.
    pub(super) fn made(&mut self, pid: Option<u32>, start: u64, size: u64, name: &str) {
        let end = start.saturating_add(size);
        self.spaces.entry(pid).or_default().made.insert(start, (end, name.into()));
    }

    fn place(&self, pid: Option<u32>, addr: u64) -> Option<Place> {
        let space = self.spaces.get(&pid)?;
        let (base, module) = covering(&space.mappings, addr)?;
        let symbol = covering(&space.symbols, addr)
            .map(|(start, name)| Symbol { name: name.clone(), offset: addr - start });
        Some(Place { module: module.clone(), base, start: base, symbol })
    }
}

impl Names for EventNames {
    fn kernel(&self, addr: u64) -> Option<Place> {
        self.place(None, addr)
    }

    fn user(&self, process: &Process, addr: u64) -> Option<Place> {
        self.place(Some(process.pid), addr)
    }

    fn made(&self, process: &Process, addr: u64) -> Option<Rc<str>> {
        covering(&self.spaces.get(&Some(process.pid))?.made, addr).map(|(_, name)| name.clone())
    }

    fn target(&self) -> Option<Process> {
        (self.target != 0).then_some(Process { pid: self.target, ..Process::default() })
    }
}
