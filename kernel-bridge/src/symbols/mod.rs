//! Names of code addresses on this machine: of the kernel from `/proc/kallsyms`, of processes from the symbol tables of what
//! they have mapped, of code without a file from `/tmp/perf-PID.map`.
//!
//! Comes in: what event sources say about processes as they begin, map, copy themselves and end; questions when
//! something is printed. Goes out: [`Names`]. What a process had mapped is kept when it is gone, so that addresses taken
//! before have their names. Files are read when the first name of theirs is asked for; those of another mount
//! namespace, which may not be reachable later, at once, and those that a process maps meanwhile are kept open.

mod debug;
mod elf;
mod expressions;
mod functions;
mod image;
mod inlined;
mod kallsyms;
mod kept;
mod made;
mod mappings;
mod objects;
mod spaces;
mod unwind;

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::rc::Rc;

use dtrail_vm::names::{Names, Place, Process, Symbol};

use self::elf::Elf;
use self::image::Image;
use self::kallsyms::Kallsyms;
use self::kept::Kept;
use self::made::{MadeCode, Maker};
use self::objects::{Held, Key, Object};
pub(crate) use self::spaces::Mapping;
use self::spaces::Spaces;
pub(crate) use self::unwind::Start;
use self::unwind::Unwinders;
use crate::host;
use crate::sys::process_events::{ProcessEvent, ProcessEvents};

/// Names of this machine's addresses.
#[derive(Debug, Default)]
pub struct Symbols {
    /// Names of C++ and Rust are shown as their source has them.
    demangle: Cell<bool>,
    /// Inlined functions are shown.
    inlined: Cell<bool>,
    /// Names of run-time code may be asked for.
    made: Cell<bool>,
    inner: RefCell<Inner>,
}

#[derive(Debug)]
struct Inner {
    spaces: Spaces,
    kernel: Option<Kallsyms>,
    /// `None` for what cannot be read.
    objects: Kept<Key, Option<Rc<Object>>>,
    held: Held,
    /// The namespace of each process that has another one than this.
    namespaces: HashMap<u32, Option<u64>>,
    makers: HashMap<u32, Maker>,
    made: Kept<u32, MadeCode>,
    /// Answers, which mostly repeat: by process, space and address.
    answers: HashMap<(u32, u64, u64), Option<Place>>,
    target: Option<u32>,
    unwinders: Unwinders,
}

impl Default for Inner {
    fn default() -> Inner {
        Inner {
            spaces: Spaces::default(),
            kernel: None,
            objects: Kept::new(MOST_BYTES, MOST_OBJECTS),
            held: Held::default(),
            namespaces: HashMap::new(),
            makers: HashMap::new(),
            made: Kept::new(MOST_BYTES, MOST_PROCESSES),
            answers: HashMap::new(),
            target: None,
            unwinders: Unwinders::default(),
        }
    }
}

/// Most bytes that the names of objects take together, and as many those of run-time code.
const MOST_BYTES: usize = 512 << 20;
/// Answers that are remembered.
const MOST_ANSWERS: usize = 1 << 18;
/// Objects whose symbols are remembered.
const MOST_OBJECTS: usize = 1 << 12;
/// How soon a file of run-time code is looked at again for a name that it does not have, in nanoseconds.
const LATE: u64 = 100_000_000;
/// Processes of which it is remembered in which namespace they are, and whose code they make.
const MOST_PROCESSES: usize = 1 << 16;

impl Symbols {
    /// Sets whether names of C++ and Rust are shown as their source has them.
    pub fn set_demangle(&self, demangle: bool) {
        self.demangle.set(demangle);
    }

    /// Sets whether the functions that a compiler put into others are shown in stacks.
    pub fn set_inlined(&self, inlined: bool) {
        self.inlined.set(inlined);
    }

    /// Sets whether names of run-time code are read when processes end, since they may be asked for later.
    pub(crate) fn set_made(&self, made: bool) {
        self.made.set(made);
    }

    /// Says which process `%A` speaks of.
    pub fn set_target(&self, pid: Option<u32>) {
        self.inner.borrow_mut().target = pid;
    }

    /// Reads what all processes have mapped now, or these.
    pub(crate) fn snapshot(&self, pids: Option<&[u32]>) {
        let now = host::monotonic();
        let inlined = self.inlined.get();
        let mut inner = self.inner.borrow_mut();
        match pids {
            Some(pids) => pids.iter().for_each(|&pid| inner.read_maps(pid, now, inlined)),
            None => {
                let Ok(entries) = std::fs::read_dir("/proc") else { return };
                let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
                pids.for_each(|pid| inner.read_maps(pid, now, inlined));
            }
        }
    }

    /// A process has executed an image.
    pub(crate) fn executed(&self, pid: u32, time: u64) {
        let mut inner = self.inner.borrow_mut();
        inner.spaces.begin(pid, time);
        inner.namespaces.remove(&pid);
        inner.made.remove(&pid);
        inner.makers.remove(&pid);
        inner.maker(pid);
    }

    /// A process has mapped a file.
    pub(crate) fn mapped(&self, pid: u32, time: u64, mapping: Mapping) {
        let mut inner = self.inner.borrow_mut();
        inner.keep(pid, &mapping, self.inlined.get());
        inner.spaces.make_room(pid);
        if inner.spaces.at(pid, time).is_none() {
            inner.spaces.begin(pid, 0);
        }
        if let Some(space) = inner.spaces.at(pid, time) {
            space.add(mapping);
        }
    }

    /// A process has become two.
    pub(crate) fn forked(&self, pid: u32, parent: u32, time: u64) {
        let mut inner = self.inner.borrow_mut();
        inner.spaces.copy(pid, parent, time);
        // What is known by its ID alone is of another process, which had it before.
        inner.namespaces.remove(&pid);
        if inner.namespaces.len() < MOST_PROCESSES
            && let Some(&of_parent) = inner.namespaces.get(&parent)
        {
            // What it has mapped is of this one, even if it may not be asked any more.
            inner.namespaces.insert(pid, of_parent);
        }
        inner.makers.remove(&pid);
        inner.made.remove(&pid);
        if self.made.get() {
            inner.maker(pid);
        }
    }

    /// A process is gone: its ID may come to mean another.
    pub(crate) fn ended(&self, pid: u32) {
        let mut inner = self.inner.borrow_mut();
        if inner.spaces.is_known(pid) {
            if self.made.get() {
                inner.read_made(pid, u64::MAX);
            }
            inner.spaces.end(pid);
        }
    }

    /// Makes sure that what these addresses of a process that stands still lie in is known. Gives the number of its address
    /// space, which no other of the process has.
    pub(crate) fn stopped_at(&self, pid: u32, addresses: &[u64]) -> u64 {
        let mut inner = self.inner.borrow_mut();
        let inner = &mut *inner;
        let space = inner.spaces.current(pid);
        let since = space.since();
        if space.read == 0 || addresses.iter().any(|&addr| space.find(addr).is_none()) {
            inner.read_maps(pid, host::monotonic(), self.inlined.get());
            let Inner { spaces, held, namespaces, .. } = inner;
            let namespace = namespaces.get(&pid).copied().flatten();
            spaces.current(pid).mappings().for_each(|mapping| objects::hold(held, pid, mapping, namespace));
        }
        since
    }

    /// Appends the addresses of a stack by unwind tables, at most so many; `read` reads a word of the stack.
    pub(crate) fn unwind_from(
        &self,
        process: &Process,
        start: Start,
        read: &mut dyn FnMut(u64) -> Option<u64>,
        most: usize,
        out: &mut Vec<u64>,
    ) {
        let mut inner = self.inner.borrow_mut();
        let inner = &mut *inner;
        // Looks at the process if it has not been looked at.
        inner.mapping(process, start.pc, self.inlined.get());
        let namespace = inner.namespace(process.pid);
        let Some(space) = inner.spaces.at(process.pid, process.seen) else {
            out.extend((most > 0).then_some(start.pc));
            return;
        };
        let (pid, held) = (process.pid, &inner.held);
        let open = |mapping: &Mapping| {
            let (key, mapping) = (Key::of(mapping, namespace), mapping.clone());
            let open = move || objects::open(held, pid, &mapping, namespace);
            (key, Box::new(open) as Box<dyn FnOnce() -> Option<Image>>)
        };
        inner.unwinders.unwind(pid, space, start, read, &open, (most, out));
    }

    /// How many mappings of processes are no longer known, since the last call: there are too many of them.
    pub(crate) fn take_forgotten(&self) -> u64 {
        self.inner.borrow().spaces.take_left_out()
    }

    /// Takes what the kernel tells of processes. If it lost something, all is looked at anew.
    pub(crate) fn follow(&self, events: &mut ProcessEvents) {
        let lost = events.take(&mut |time, event| match event {
            ProcessEvent::Exec { pid } => self.executed(pid, time),
            ProcessEvent::Map { pid, start, size, offset, inode, path } => {
                // What is no file and has no name in brackets has no symbols.
                if path.starts_with('/') && !path.starts_with("//anon") || path.starts_with('[') {
                    let mapping = Mapping {
                        start,
                        end: start.saturating_add(size),
                        offset,
                        inode,
                        path: path.as_str().into(),
                    };
                    self.mapped(pid, time, mapping);
                }
            }
            ProcessEvent::Fork { pid, parent } => self.forked(pid, parent, time),
            ProcessEvent::Exit { pid } => self.ended(pid),
        });
        if lost {
            self.snapshot(None);
        }
    }

    fn symbol(&self, (name, offset): (Rc<str>, u64)) -> Symbol {
        Symbol { name: if self.demangle.get() { demangled(name) } else { name }, offset }
    }
}

/// A name as its source has it, if it is one of C++ or Rust.
fn demangled(name: Rc<str>) -> Rc<str> {
    let mut text = Short(String::new());
    if let Ok(rust) = rustc_demangle::try_demangle(&name) {
        return if write!(text, "{rust:#}").is_ok() { text.0.into() } else { name };
    }
    if name.starts_with("_Z")
        && let Ok(symbol) = cpp_demangle::Symbol::new(&*name)
        && symbol.structured_demangle(&mut text, &cpp_demangle::DemangleOptions::default()).is_ok()
    {
        return text.0.into();
    }
    name
}

/// A text that takes no more than [`LONGEST_NAME`]: a name may speak of parts of itself, those of others, and so on, and so
/// a short one may stand for more than any machine has room for.
struct Short(String);

/// Most bytes of a name as its source has it.
const LONGEST_NAME: usize = 1 << 16;

impl std::fmt::Write for Short {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        if text.len() > LONGEST_NAME - self.0.len() {
            return Err(std::fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

impl Inner {
    /// Reads what a process has mapped now.
    fn read_maps(&mut self, pid: u32, now: u64, inlined: bool) {
        let Ok(text) = std::fs::read(format!("/proc/{pid}/maps")) else { return };
        self.spaces.current(pid).update(&text, now);
        self.maker(pid);
        let foreign = self.namespace(pid).is_some();
        let kept = |mapping: &&Mapping| foreign || mapping.path.ends_with(objects::DELETED);
        let mappings: Vec<Mapping> = self.spaces.current(pid).mappings().filter(kept).cloned().collect();
        mappings.iter().for_each(|mapping| self.keep(pid, mapping, inlined));
    }

    /// Whose code a process makes, as it is or was when it was looked at.
    fn maker(&mut self, pid: u32) -> Option<Maker> {
        if let Some(maker) = self.makers.get(&pid) {
            return Some(*maker);
        }
        let maker = Maker::look(pid)?;
        if self.makers.len() >= MOST_PROCESSES {
            self.makers.clear();
        }
        self.makers.insert(pid, maker);
        Some(maker)
    }

    /// The mount namespace of a process, if it is another than the tracer's.
    fn namespace(&mut self, pid: u32) -> Option<u64> {
        if self.namespaces.len() >= MOST_PROCESSES {
            self.namespaces.clear();
        }
        *self.namespaces.entry(pid).or_insert_with(|| {
            let of = |pid: &str| std::fs::read_link(format!("/proc/{pid}/ns/mnt")).ok();
            let (own, its) = (of("self")?, of(&pid.to_string())?);
            let number = its.to_str()?.trim_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
            (own != its).then_some(number)
        })
    }

    /// Sees to it that what a mapping is of can be read when its process is gone.
    fn keep(&mut self, pid: u32, mapping: &Mapping, inlined: bool) {
        if !mapping.path.starts_with('/') {
            return;
        }
        let namespace = self.namespace(pid);
        // For unwind tables, too, which are read when a stack is taken.
        objects::hold(&mut self.held, pid, mapping, namespace);
        if namespace.is_some() {
            // Its debug file can be reached only through the process.
            drop(self.object(pid, mapping, inlined));
        }
    }

    /// What a mapping is of.
    fn object(&mut self, pid: u32, mapping: &Mapping, inlined: bool) -> Option<Rc<Object>> {
        if !Key::names_object(&mapping.path) {
            return None;
        }
        let namespace = self.namespace(pid);
        let key = Key::of(mapping, namespace);
        if let Some(known) = self.objects.get(&key) {
            return known.clone();
        }
        let root = if namespace.is_some() { format!("/proc/{pid}/root") } else { String::new() };
        let object = objects::open(&self.held, pid, mapping, namespace)
            .and_then(|image| Object::read(image, &mapping.path, &root, inlined))
            .map(Rc::new);
        let bytes = object.as_ref().map_or(0, |object| object.bytes());
        self.objects.insert(key, object.clone(), bytes);
        object
    }

    /// What is known of a process's own code: with what its file has by now, if it was not looked at since `seen`.
    fn read_made(&mut self, pid: u32, seen: u64) -> Option<&MadeCode> {
        if self.made.get(&pid).is_none_or(|made| made.looked <= seen) {
            let maker = self.maker(pid)?;
            let mut made = self.made.remove(&pid).unwrap_or_default();
            made.looked = host::monotonic();
            made.read(&maker);
            if made.is_empty() {
                return None;
            }
            let bytes = made.bytes();
            self.made.insert(pid, made, bytes);
        }
        self.made.get(&pid)
    }

    /// Where an address of a process lies, and since when that is so.
    fn mapping(&mut self, process: &Process, addr: u64, inlined: bool) -> Option<(Mapping, u64)> {
        let Process { pid, seen, .. } = *process;
        let now = host::monotonic();
        let known = self.spaces.at(pid, seen).is_some();
        if !known {
            self.read_maps(pid, now, inlined);
        }
        let space = self.spaces.at(pid, seen)?;
        if let Some(mapping) = space.find(addr) {
            return Some((mapping.clone(), space.since()));
        }
        // It may have been mapped after the process was looked at.
        let since = space.since();
        if !space.ended && space.read < seen.max(1) && known {
            space.read = now;
            self.read_maps(pid, now, inlined);
        }
        let space = self.spaces.at(pid, seen)?;
        let mapping = space.find(addr).or_else(|| space.find_ahead(addr))?;
        Some((mapping.clone(), since))
    }
}

/// The address of a global function of a process's program and the program's entry, both in its file's own layout.
pub(crate) fn function_address(pid: u32, name: &[u8]) -> Option<(u64, u64)> {
    let path = std::fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    let elf = Elf::open(Image::File(debug::regular(&format!("/proc/{pid}/exe"))?.into()))?;
    let separate = |elf: &Elf| debug::find(elf, path.to_str()?, &format!("/proc/{pid}/root"));
    functions::address(&elf, name, &separate)
}

impl Names for Symbols {
    fn kernel(&self, addr: u64) -> Option<Place> {
        let mut inner = self.inner.borrow_mut();
        inner.kernel.get_or_insert_with(Kallsyms::read).place(addr)
    }

    fn user(&self, process: &Process, addr: u64) -> Option<Place> {
        let mut inner = self.inner.borrow_mut();
        let inner = &mut *inner;
        let since = inner.spaces.at(process.pid, process.seen).map_or(u64::MAX, |space| space.since());
        if let Some(answer) = inner.answers.get(&(process.pid, since, addr)) {
            return answer.clone();
        }
        let inlined = self.inlined.get();
        let found = inner.mapping(process, addr, inlined);
        let answer = found.as_ref().map(|(mapping, _)| {
            let offset = mapping.file_offset(addr);
            let symbol = inner
                .object(process.pid, mapping, inlined)
                .and_then(|object| object.functions.at_offset(offset))
                .map(|symbol| self.symbol(symbol));
            let base = mapping.start.wrapping_sub(mapping.offset);
            Place { module: objects::name(&mapping.path), base, start: mapping.start, symbol }
        });
        if inner.answers.len() >= MOST_ANSWERS {
            inner.answers.clear();
        }
        let since = found.as_ref().map_or(since, |(_, since)| *since);
        if since != u64::MAX && answer.is_some() {
            inner.answers.insert((process.pid, since, addr), answer.clone());
        }
        answer
    }

    fn made(&self, process: &Process, addr: u64) -> Option<Rc<str>> {
        let mut inner = self.inner.borrow_mut();
        let (pid, seen) = (process.pid, process.seen);
        let name = match inner.read_made(pid, seen)?.find(addr) {
            Some(name) => name,
            // Its maker may have told of it late.
            None => {
                let again = host::monotonic().saturating_sub(LATE);
                inner.read_made(pid, again)?.find(addr)?
            }
        };
        Some(if self.demangle.get() { demangled(name) } else { name })
    }

    fn inlined(&self, process: &Process, addr: u64, out: &mut Vec<Rc<str>>) {
        if !self.inlined.get() {
            return;
        }
        let mut inner = self.inner.borrow_mut();
        let Some((mapping, _)) = inner.mapping(process, addr, true) else { return };
        let offset = mapping.file_offset(addr);
        let object = inner.object(process.pid, &mapping, true);
        let names = object.as_ref().and_then(|object| object.inlined_at(offset));
        // Its tables are read when they are first asked for.
        if let Some(object) = object {
            let key = Key::of(&mapping, inner.namespace(process.pid));
            inner.objects.weigh(&key, object.bytes());
        }
        let shown = |name: &Rc<str>| if self.demangle.get() { demangled(name.clone()) } else { name.clone() };
        out.extend(names.iter().flat_map(|names| names.iter()).map(shown));
    }

    fn unwind(&self, process: &Process, registers: [u64; 3], stack: &[u64], most: usize, out: &mut Vec<u64>) {
        let [pc, sp, fp] = registers;
        let mut read = |addr: u64| {
            let at = addr.checked_sub(sp).filter(|at| at.is_multiple_of(8))?;
            stack.get(usize::try_from(at / 8).ok()?).copied()
        };
        self.unwind_from(process, Start { pc, sp, fp }, &mut read, most, out);
    }

    fn target(&self) -> Option<Process> {
        let pid = self.inner.borrow().target?;
        Some(Process { pid, seen: host::monotonic(), ..Process::default() })
    }
}
