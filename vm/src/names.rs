//! Names of code addresses, as a trait: an address of the kernel or of a process in, module and symbol out. The machine
//! (or a file of made-up events) knows them; nothing here reads anything.

use std::rc::Rc;

/// A process at the time when an address of it was taken: what the address meant then is what it is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Process {
    /// Its ID.
    pub pid: u32,
    /// Start time of its first thread, nanoseconds since boot; 0 if it is not known.
    pub start: u64,
    /// How often it had run `exec`, as far as whoever took the address can tell. Together with the rest it names one
    /// address space.
    pub execs: u64,
    /// Monotonic nanoseconds when the address was first seen.
    pub seen: u64,
}

/// Where an address lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The kernel module (`vmlinux` for the kernel itself) or the last component of the mapped file.
    pub module: Rc<str>,
    /// The first address of the module, or where the first byte of the mapped file would be: one for all of its mappings.
    pub base: u64,
    /// The first address of the module or mapping.
    pub start: u64,
    /// The symbol that covers it.
    pub symbol: Option<Symbol>,
}

/// A symbol that covers an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name, demangled if that is asked for.
    pub name: Rc<str>,
    /// How far behind its start the address is.
    pub offset: u64,
}

/// Knows the names of addresses. Asked when something is printed, which may be long after the process is gone.
pub trait Names {
    /// A kernel address.
    fn kernel(&self, addr: u64) -> Option<Place>;
    /// An address of a process.
    fn user(&self, process: &Process, addr: u64) -> Option<Place>;
    /// The name of code that was made at run time, which lies in no file.
    fn made(&self, process: &Process, addr: u64) -> Option<Rc<str>>;
    /// Appends the names of the functions that a compiler put into the one whose code is at an address of a process,
    /// innermost first: none, unless they are asked for.
    fn inlined(&self, process: &Process, addr: u64, out: &mut Vec<Rc<str>>) {
        let _ = (process, addr, out);
    }
    /// Appends the addresses of a stack of which the words from the stack pointer on were kept, at most so many: `registers`
    /// are program counter, stack pointer and frame pointer.
    fn unwind(&self, process: &Process, registers: [u64; 3], stack: &[u64], most: usize, out: &mut Vec<u64>) {
        let _ = (process, stack);
        out.extend(registers.first().filter(|_| most > 0));
    }
    /// The process of `-p` or `-c`, whose addresses `%A` prints.
    fn target(&self) -> Option<Process>;
}

/// Knows no names.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoNames;

impl Names for NoNames {
    fn kernel(&self, _: u64) -> Option<Place> {
        None
    }

    fn user(&self, _: &Process, _: u64) -> Option<Place> {
        None
    }

    fn made(&self, _: &Process, _: u64) -> Option<Rc<str>> {
        None
    }

    fn target(&self) -> Option<Process> {
        None
    }
}
