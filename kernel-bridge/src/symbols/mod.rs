//! Names of code addresses on this machine: of the kernel from `/proc/kallsyms`, of processes from the symbol tables of what
//! they have mapped, of code without a file from `/tmp/perf-PID.map`.
//!
//! Comes in: what event sources say about processes as they begin, map, copy themselves and end; questions when
//! something is printed. Goes out: [`Names`]. What a process had mapped is kept when it is gone, so that addresses taken
//! before have their names. Files are opened when the first name of theirs is asked for; those of another mount
//! namespace, which may not be reachable later, at once.

mod elf;
mod kallsyms;
mod made;
mod spaces;
mod unwind;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fs::File;
use std::path::PathBuf;
use std::rc::Rc;

use dtrail_vm::names::{Names, Place, Process, Symbol};

use self::elf::{Functions, Separate};
use self::kallsyms::Kallsyms;
use self::made::MadeCode;
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
    inner: RefCell<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    spaces: Spaces,
    kernel: Option<Kallsyms>,
    /// By path; `None` for what cannot be read or has no symbols.
    files: HashMap<Rc<str>, Option<Rc<Functions>>>,
    /// Files of other mount namespaces, by namespace and path.
    foreign: HashMap<(u64, Rc<str>), Rc<str>>,
    /// The namespace of each process that has another one than this.
    namespaces: HashMap<u32, Option<u64>>,
    made: HashMap<u32, MadeCode>,
    /// Answers, which mostly repeat: by process, space and address.
    answers: HashMap<(u32, u64, u64), Option<Place>>,
    target: Option<u32>,
    unwinders: Unwinders,
}

/// Answers that are remembered.
const MOST_ANSWERS: usize = 1 << 18;
/// Files whose symbols are remembered.
const MOST_FILES: usize = 1 << 12;

impl Symbols {
    /// Sets whether names of C++ and Rust are shown as their source has them.
    pub fn set_demangle(&self, demangle: bool) {
        self.demangle.set(demangle);
    }

    /// Says which process `%A` speaks of.
    pub fn set_target(&self, pid: Option<u32>) {
        self.inner.borrow_mut().target = pid;
    }

    /// Reads what all processes have mapped now, or these.
    pub(crate) fn snapshot(&self, pids: Option<&[u32]>) {
        let now = host::monotonic();
        let mut inner = self.inner.borrow_mut();
        match pids {
            Some(pids) => pids.iter().for_each(|&pid| inner.read_maps(pid, now)),
            None => {
                let Ok(entries) = std::fs::read_dir("/proc") else { return };
                let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
                pids.for_each(|pid| inner.read_maps(pid, now));
            }
        }
    }

    /// A process has executed an image.
    pub(crate) fn executed(&self, pid: u32, time: u64) {
        let mut inner = self.inner.borrow_mut();
        inner.spaces.begin(pid, time);
        inner.namespaces.remove(&pid);
        inner.made.remove(&pid);
    }

    /// A process has mapped a file.
    pub(crate) fn mapped(&self, pid: u32, time: u64, mapping: Mapping) {
        let mut inner = self.inner.borrow_mut();
        inner.keep_foreign(pid, &mapping.path);
        if inner.spaces.at(pid, time).is_none() {
            inner.spaces.begin(pid, 0);
        }
        if let Some(space) = inner.spaces.at(pid, time) {
            space.add(mapping);
        }
    }

    /// A process has become two.
    pub(crate) fn forked(&self, pid: u32, parent: u32, time: u64) {
        self.inner.borrow_mut().spaces.copy(pid, parent, time);
    }

    /// A process is gone: its ID may come to mean another.
    pub(crate) fn ended(&self, pid: u32) {
        let mut inner = self.inner.borrow_mut();
        inner.read_made(pid);
        inner.spaces.current(pid).ended = true;
    }

    /// Makes sure that what these addresses of a process that stands still lie in is known. Gives the number of its address
    /// space, which no other of the process has.
    pub(crate) fn stopped_at(&self, pid: u32, addresses: &[u64]) -> u64 {
        let mut inner = self.inner.borrow_mut();
        let space = inner.spaces.current(pid);
        let since = space.since();
        if space.read == 0 || addresses.iter().any(|&addr| space.find(addr).is_none()) {
            inner.read_maps(pid, host::monotonic());
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
        inner.mapping(process, start.pc);
        let foreign = inner.namespace(process.pid).is_some();
        let Some(space) = inner.spaces.at(process.pid, process.seen) else {
            out.extend((most > 0).then_some(start.pc));
            return;
        };
        let pid = process.pid;
        let open = |path: &str| match foreign {
            true => File::open(format!("/proc/{pid}/root{path}")).ok(),
            false => File::open(path).ok(),
        };
        inner.unwinders.unwind(pid, space, start, read, &open, (most, out));
    }

    /// Takes what the kernel tells of processes. If it lost something, all is looked at anew.
    pub(crate) fn follow(&self, events: &mut ProcessEvents) {
        let lost = events.take(&mut |time, event| match event {
            ProcessEvent::Exec { pid } => self.executed(pid, time),
            ProcessEvent::Map { pid, start, size, offset, path } => {
                // What is no file and has no name in brackets has no symbols.
                if path.starts_with('/') && !path.starts_with("//anon") || path.starts_with('[') {
                    let mapping = Mapping {
                        start,
                        end: start.saturating_add(size),
                        offset,
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
    if let Ok(rust) = rustc_demangle::try_demangle(&name) {
        return format!("{rust:#}").into();
    }
    if name.starts_with("_Z")
        && let Ok(symbol) = cpp_demangle::Symbol::new(&*name)
        && let Ok(text) = symbol.demangle(&cpp_demangle::DemangleOptions::default())
    {
        return text.into();
    }
    name
}

impl Inner {
    /// Reads what a process has mapped now.
    fn read_maps(&mut self, pid: u32, now: u64) {
        let Ok(text) = std::fs::read(format!("/proc/{pid}/maps")) else { return };
        self.spaces.current(pid).update(&text, now);
        if self.namespace(pid).is_some() {
            let paths: Vec<Rc<str>> =
                self.spaces.current(pid).mappings().map(|mapping| mapping.path.clone()).collect();
            paths.iter().for_each(|path| self.keep_foreign(pid, path));
        }
    }

    /// The mount namespace of a process, if it is another than the tracer's.
    fn namespace(&mut self, pid: u32) -> Option<u64> {
        *self.namespaces.entry(pid).or_insert_with(|| {
            let of = |pid: &str| std::fs::read_link(format!("/proc/{pid}/ns/mnt")).ok();
            let (own, its) = (of("self")?, of(&pid.to_string())?);
            let number = its.to_str()?.trim_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
            (own != its).then_some(number)
        })
    }

    /// Reads the symbols of a file of another mount namespace while it can be reached through its process.
    fn keep_foreign(&mut self, pid: u32, path: &Rc<str>) {
        if !path.starts_with('/') {
            return;
        }
        let Some(namespace) = self.namespace(pid) else { return };
        let key = (namespace, path.clone());
        if self.foreign.contains_key(&key) || self.foreign.len() >= MOST_FILES {
            return;
        }
        let reached: Rc<str> = format!("/proc/{pid}/root{path}").into();
        self.foreign.insert(key, reached.clone());
        self.functions(&reached, &format!("/proc/{pid}/root"));
    }

    /// The functions of a file. Paths in `root` are those of the namespace that it is of.
    fn functions(&mut self, path: &Rc<str>, root: &str) -> Option<Rc<Functions>> {
        if let Some(known) = self.files.get(path) {
            return known.clone();
        }
        let functions = read_functions(path, root).map(Rc::new);
        if self.files.len() < MOST_FILES {
            self.files.insert(path.clone(), functions.clone());
        }
        functions
    }

    fn read_made(&mut self, pid: u32) -> &MadeCode {
        let made = self.made.entry(pid).or_default();
        made.read(pid);
        made
    }

    /// Where an address of a process lies: mapping and path to its file.
    fn mapping(&mut self, process: &Process, addr: u64) -> Option<(Mapping, u64)> {
        let Process { pid, seen, .. } = *process;
        let now = host::monotonic();
        let known = self.spaces.at(pid, seen).is_some();
        if !known {
            self.read_maps(pid, now);
        }
        let space = self.spaces.at(pid, seen)?;
        if let Some(mapping) = space.find(addr) {
            return Some((mapping.clone(), space.since()));
        }
        // It may have been mapped after the process was looked at.
        if space.ended || space.read >= seen.max(1) || !known {
            return None;
        }
        space.read = now;
        let since = space.since();
        self.read_maps(pid, now);
        Some((self.spaces.at(pid, seen)?.find(addr)?.clone(), since))
    }
}

/// Opens a file and, if it has one, its debug file, and reads their functions.
fn read_functions(path: &str, root: &str) -> Option<Functions> {
    with_debug_file(path, root, |file, separate| Functions::read(file, separate))
}

/// The address of a global function of a process's program and the program's entry, both in its file's own layout.
pub(crate) fn function_address(pid: u32, name: &[u8]) -> Option<(u64, u64)> {
    let path = std::fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    let root = format!("/proc/{pid}/root");
    with_debug_file(&format!("{root}{}", path.to_str()?), &root, |file, separate| {
        elf::address(file, name, separate)
    })
}

/// Opens a file, and gives it with the way to its debug file.
fn with_debug_file<T>(
    path: &str,
    root: &str,
    read: impl FnOnce(&File, &dyn Fn(Separate<'_>) -> Option<File>) -> Option<T>,
) -> Option<T> {
    let file = File::open(path.strip_suffix(" (deleted)").unwrap_or(path)).ok()?;
    let folder = path.strip_prefix(root).unwrap_or(path).rsplit_once('/').map_or("", |(folder, _)| folder);
    let open = |path: String| File::open(PathBuf::from(format!("{root}{path}"))).ok();
    read(&file, &|separate| match separate {
        Separate::BuildId(id) => {
            let (first, rest) = id.split_at_checked(2)?;
            open(format!("/usr/lib/debug/.build-id/{first}/{rest}.debug"))
        }
        Separate::Link(name) => open(format!("{folder}/{name}"))
            .or_else(|| open(format!("{folder}/.debug/{name}")))
            .or_else(|| open(format!("/usr/lib/debug{folder}/{name}"))),
    })
}

/// The last component of a path, or a name without its brackets.
fn object(path: &str) -> Rc<str> {
    let path = path.strip_suffix(" (deleted)").unwrap_or(path);
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name).into()
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
        let found = inner.mapping(process, addr);
        let answer = found.as_ref().map(|(mapping, _)| {
            let (path, root) = match inner.namespace(process.pid) {
                Some(namespace) => {
                    let reached = inner.foreign.get(&(namespace, mapping.path.clone())).cloned();
                    (reached, format!("/proc/{}/root", process.pid))
                }
                None => (Some(mapping.path.clone()), String::new()),
            };
            let offset = (addr - mapping.start).saturating_add(mapping.offset);
            let symbol = path
                .filter(|path| path.starts_with('/'))
                .and_then(|path| inner.functions(&path, &root)?.at_offset(offset))
                .map(|symbol| self.symbol(symbol));
            let base = mapping.start.wrapping_sub(mapping.offset);
            Place { module: object(&mapping.path), base, symbol }
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
        let name = inner.read_made(process.pid).find(addr)?;
        Some(if self.demangle.get() { demangled(name) } else { name })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_names() {
        let symbols = Symbols::default();
        symbols.set_demangle(true);
        let process = Process { pid: std::process::id(), seen: host::monotonic(), ..Process::default() };
        let addr = this_process_has_names as *const () as u64;
        let place = symbols.user(&process, addr).expect("it is mapped");
        let symbol = place.symbol.expect("tests have symbols");
        assert!(symbol.name.ends_with("symbols::tests::this_process_has_names"), "{}", symbol.name);
        assert_eq!(symbol.offset, 0);
        assert!(symbols.user(&process, 16).is_none());
        assert!(symbols.user(&Process { pid: u32::MAX, ..process }, addr).is_none());
    }

    #[test]
    fn objects_and_names() {
        for (path, expected) in [
            ("/usr/lib/libc.so.6", "libc.so.6"),
            ("/tmp/x (deleted)", "x"),
            ("[vdso]", "vdso"),
            ("anon", "anon"),
        ] {
            assert_eq!(&*object(path), expected);
        }
        for (name, expected) in [
            ("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt"),
            ("_Z3addii", "add(int, int)"),
            ("main", "main"),
        ] {
            assert_eq!(&*demangled(name.into()), expected);
        }
    }
}
