//! Objects that processes have mapped: which one a mapping is of, how it is opened, and what is known of it once it was read.
//! A mapping in, an object out. What the path names now need not be what was mapped: it is the same file or another way is
//! taken to the one that was.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::rc::Rc;

use super::debug;
use super::elf::Elf;
use super::functions::Functions;
use super::image::{self, Image};
use super::inlined::Inlined;
use super::spaces::Mapping;

/// What an object is known by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// The mount namespace that the path is of; 0 for the tracer's own.
    namespace: u64,
    /// 0 if it is not known.
    inode: u64,
    path: Rc<str>,
}

impl Key {
    /// Of a mapping of a process in a mount namespace.
    pub(super) fn of(mapping: &Mapping, namespace: Option<u64>) -> Key {
        Key { namespace: namespace.unwrap_or(0), inode: mapping.inode, path: mapping.path.clone() }
    }

    /// Whether what is mapped under a name has the form of an object.
    pub(super) fn names_object(path: &str) -> bool {
        path.starts_with('/') || path == VDSO
    }
}

/// What the kernel calls its code in processes.
const VDSO: &str = "[vdso]";

/// What is known of an object.
#[derive(Debug)]
pub(super) struct Object {
    pub(super) functions: Functions,
    /// Itself and its debug file, if inlined functions may be asked for.
    source: Option<(Elf, Option<Elf>)>,
    inlined: OnceCell<Option<Inlined>>,
}

impl Object {
    /// Reads an object that lies at a path in a root.
    pub(super) fn read(image: Image, path: &str, root: &str, inlined: bool) -> Option<Object> {
        let elf = Elf::open(image)?;
        let path = path.strip_suffix(DELETED).unwrap_or(path);
        let find = |elf: &Elf| debug::find(elf, path, root);
        let functions = Functions::read(&elf, &find);
        let source = inlined.then(|| {
            let separate = if elf.section(b".debug_info").is_some() { None } else { find(&elf) };
            (elf, separate)
        });
        Some(Object { functions, source, inlined: OnceCell::new() })
    }

    /// Bytes that it takes in memory, about, as far as it was read.
    pub(super) fn bytes(&self) -> usize {
        let elves = self.source.iter().flat_map(|(elf, separate)| std::iter::once(elf).chain(separate));
        let inlined = self.inlined.get().and_then(Option::as_ref).map_or(0, Inlined::bytes);
        self.functions.bytes() + elves.map(Elf::bytes).sum::<usize>() + inlined
    }

    /// The functions that the compiler put where an offset of the object is, innermost first.
    pub(super) fn inlined_at(&self, offset: u64) -> Option<Rc<[Rc<str>]>> {
        let (elf, separate) = self.source.as_ref()?;
        let objects: Vec<&Elf> = std::iter::once(elf).chain(separate).collect();
        let inlined = self.inlined.get_or_init(|| Inlined::read(&objects)).as_ref()?;
        Some(inlined.at(self.functions.address_at(offset)?))
    }
}

/// What `/proc` says behind the path of a file that has none any more.
pub(super) const DELETED: &str = " (deleted)";

/// Files that are kept open, since they may be gone when names are asked for.
pub(super) type Held = HashMap<Key, Rc<File>>;

/// Most files that are kept open.
const MOST_HELD: usize = 256;

/// Keeps what a mapping is of open.
pub(super) fn hold(held: &mut Held, pid: u32, mapping: &Mapping, namespace: Option<u64>) {
    let key = Key::of(mapping, namespace);
    if held.len() < MOST_HELD
        && mapping.path.starts_with('/')
        && !held.contains_key(&key)
        && let Some(file) = open_file(pid, mapping, namespace)
    {
        held.insert(key, file.into());
    }
}

/// Opens what a mapping of a process is of.
pub(super) fn open(held: &Held, pid: u32, mapping: &Mapping, namespace: Option<u64>) -> Option<Image> {
    if &*mapping.path == VDSO {
        return image::vdso();
    }
    if let Some(file) = held.get(&Key::of(mapping, namespace)) {
        return Some(Image::File(file.clone()));
    }
    Some(Image::File(open_file(pid, mapping, namespace)?.into()))
}

fn open_file(pid: u32, mapping: &Mapping, namespace: Option<u64>) -> Option<File> {
    let Mapping { start, end, inode, path, .. } = mapping;
    let is_it = |file: &File| *inode == 0 || file.metadata().is_ok_and(|metadata| metadata.ino() == *inode);
    let root = if namespace.is_some() { format!("/proc/{pid}/root") } else { String::new() };
    let named = match path.ends_with(DELETED) {
        true => None,
        false => debug::regular(&format!("{root}{path}")),
    };
    if named.as_ref().is_some_and(is_it) {
        return named;
    }
    // Both lead to the file itself, whatever its path means now.
    let ways = [format!("/proc/{pid}/map_files/{start:x}-{end:x}"), format!("/proc/{pid}/exe")];
    let other = ways.iter().filter(|_| *inode != 0).find_map(|way| debug::regular(way).filter(is_it));
    // File systems that lie over others may number files in two ways; their devices have no number of a driver.
    other.or_else(|| named.filter(|file| file.metadata().is_ok_and(|m| libc::major(m.dev()) == 0)))
}

/// The last component of a path, or a name without its brackets.
pub(super) fn name(path: &str) -> Rc<str> {
    let path = path.strip_suffix(DELETED).unwrap_or(path);
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_objects() {
        for (path, expected) in [
            ("/usr/lib/libc.so.6", "libc.so.6"),
            ("/tmp/x (deleted)", "x"),
            ("[vdso]", "vdso"),
            ("anon", "anon"),
        ] {
            assert_eq!(&*name(path), expected);
        }
    }

    #[test]
    fn what_took_the_place_of_a_file_is_not_it() {
        let path = std::env::temp_dir().join(format!("dtrail-object-{}", std::process::id()));
        let text: Rc<str> = path.to_str().expect("plain").into();
        std::fs::write(&path, "first").expect("there is room");
        let inode = std::fs::metadata(&path).expect("it is there").ino();
        let mapping = |path: Rc<str>| Mapping { start: 0x1000, end: 0x2000, offset: 0, inode, path };
        let own = std::process::id();
        let mut held = Held::default();
        let open = |held: &Held, path: &str| open(held, own, &mapping(path.into()), None).is_some();
        assert!(open(&held, &text));
        hold(&mut held, own, &mapping(text.clone()), None);
        // The first one is there still when the second is made, so that their numbers differ.
        let other = path.with_extension("new");
        std::fs::write(&other, "second").expect("there is room");
        std::fs::rename(&other, &path).expect("it can be replaced");
        let device = std::fs::metadata(&path).expect("it is there").dev();
        if libc::major(device) != 0 {
            assert!(!open(&Held::default(), &text), "another file");
        }
        assert!(open(&held, &text), "it was kept");
        assert!(!open(&Held::default(), &format!("{text}{DELETED}")));
        std::fs::remove_file(&path).expect("it was made");
    }
}
