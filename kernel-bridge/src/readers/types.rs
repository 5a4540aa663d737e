//! The kernel's types as the compiler asks for them: by name, one level at a time, nothing decoded in advance.
//!
//! In: BTF of the core kernel and of modules, where the kernel publishes it for every user to read. Out: the answers of
//! [`KernelTypes`]. The core kernel's bytes are mapped, not read, where the kernel allows it; an index of names (256 KiB)
//! is made at the first look-up, a module's BTF is read when its name is first mentioned.

use std::cell::{OnceCell, RefCell};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use dtrail_lang::bytes;
use dtrail_lang::env::{KernelMember, KernelType, KernelTypeId, KernelTypes, PerCpu, Qualifier};
use dtrail_lang::options::TypeData;
use dtrail_lang::types::TagKind;
use dtrail_vm::event::reason;

use super::btf::{Btf, Kind, TypeId, VMLINUX};
use super::whole::Content;
use crate::shortage;

/// Where the kernel publishes the types of its modules, a file each.
const MODULES: &str = "/sys/kernel/btf";

/// The section of variables that each CPU has its own of.
const PER_CPU: &str = ".data..percpu";

/// What the names of types that describe tracepoints begin with.
const TRACEPOINT: &str = "btf_trace_";

/// The types of the running kernel.
#[derive(Debug)]
pub struct RunningTypes {
    core: Btf,
    names: OnceCell<NameIndex>,
    modules: RefCell<Modules>,
    /// The directory of the modules' types.
    directory: PathBuf,
}

#[derive(Debug, Default)]
struct Modules {
    /// Those that were asked for, by their number less one; `None` if there is no such module.
    loaded: Vec<(Arc<str>, Option<Rc<Btf>>)>,
}

/// The path that an option names.
fn path(text: &str) -> PathBuf {
    OsString::from_vec(bytes::of_text(text).into_owned()).into()
}

impl RunningTypes {
    /// Of this machine, or of the files that options name. `Err` says what is missing.
    pub fn open(data: &TypeData) -> Result<RunningTypes, String> {
        let core = match &data.kernel {
            None => Btf::of_kernel().map_err(|e| {
                let advice = match e.kind() {
                    std::io::ErrorKind::NotFound => {
                        "; they need a kernel built with CONFIG_DEBUG_INFO_BTF".to_owned()
                    }
                    _ => shortage::advice(&e).map_or(String::new(), |advice| format!("; {advice}")),
                };
                format!("the kernel's types cannot be read from {VMLINUX}: {}{advice}", reason(&e))
            })?,
            Some(file) => {
                let read = Content::TYPES.read(&path(file)).and_then(|bytes| {
                    Btf::parse(bytes).map_err(|e| std::io::Error::new(std::io::ErrorKind::InvalidData, e.0))
                });
                read.map_err(|e| {
                    format!("the kernel's types cannot be read from {file} (ctfpath): {}", reason(&e))
                })?
            }
        };
        let types = RunningTypes::new(core);
        Ok(match &data.modules {
            None => types,
            Some(directory) => RunningTypes { directory: path(directory), ..types },
        })
    }

    fn new(core: Btf) -> RunningTypes {
        let directory = MODULES.into();
        RunningTypes { core, names: OnceCell::new(), modules: RefCell::default(), directory }
    }

    fn names(&self) -> &NameIndex {
        self.names.get_or_init(|| NameIndex::new(&self.core))
    }

    /// The number and types of a module, read at its first mention.
    fn module(&self, name: &str) -> Option<(u32, Rc<Btf>)> {
        let known = self.modules.borrow().loaded.iter().position(|(known, _)| **known == *name);
        let index = match known {
            Some(index) => index,
            None => {
                // A name with a slash is no module.
                let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
                let bytes = plain.then(|| Content::TYPES.read(&self.directory.join(name)).ok()).flatten();
                let btf = bytes.and_then(|bytes| Btf::parse(bytes).ok()).map(Rc::new);
                let mut modules = self.modules.borrow_mut();
                modules.loaded.push((name.into(), btf));
                modules.loaded.len() - 1
            }
        };
        let btf = self.modules.borrow().loaded[index].1.clone()?;
        Some((index as u32 + 1, btf))
    }

    /// The object that a type lies in, with the number it has there.
    fn place(&self, id: KernelTypeId) -> Option<(Option<Rc<Btf>>, u32)> {
        if id.object == 0 || id.id < self.core.count() {
            return Some((None, id.id));
        }
        let modules = self.modules.borrow();
        let btf = modules.loaded.get(id.object as usize - 1)?.1.clone()?;
        Some((Some(btf), id.id - self.core.count() + 1))
    }

    /// Looks at a type where it lies.
    fn with<R>(&self, id: KernelTypeId, look: impl FnOnce(&View<'_>) -> Option<R>) -> Option<R> {
        let (module, number) = self.place(id)?;
        let btf = module.as_deref().unwrap_or(&self.core);
        let place = btf.place(TypeId(number))?;
        look(&View { core: &self.core, btf, split: module.is_some(), object: id.object, place })
    }

    fn find_in_module(&self, name: &str, kinds: &[Kind], wanted: &str) -> Option<KernelTypeId> {
        let (object, btf) = self.module(name)?;
        let mut forward = None;
        for number in 1..btf.count() {
            let Some(place) = btf.place(TypeId(number)) else { continue };
            let Some(kind) = btf.kind_at(place) else { continue };
            if !kinds.contains(&kind) {
                continue;
            }
            let view = View { core: &self.core, btf: &btf, split: true, object, place };
            if view.name_at(place) != Some(wanted.as_bytes()) {
                continue;
            }
            let id = KernelTypeId { object, id: self.core.count() + number - 1 };
            if kind != Kind::Fwd {
                return Some(id);
            }
            forward = Some(id);
        }
        forward
    }

    /// The number of the type that describes a tracepoint.
    pub fn tracepoint_number(&self, name: &str) -> Option<u32> {
        self.names().find(&self.core, &[Kind::Typedef], &format!("{TRACEPOINT}{name}"))
    }

    /// The numbers of all tracepoints of the core kernel, in order.
    pub fn tracepoint_numbers(&self) -> Vec<u32> {
        let is_one = |id: &u32| {
            let name = self.core.place(TypeId(*id)).and_then(|place| {
                let typedef = self.core.kind_at(place)? == Kind::Typedef;
                self.core.string(self.core.word(place)? as usize).filter(|_| typedef)
            });
            name.is_some_and(|name| name.starts_with(TRACEPOINT.as_bytes()))
        };
        (1..self.core.count()).filter(is_one).collect()
    }

    /// The name of a tracepoint and the types of its arguments, without the parameter that every program on a tracepoint
    /// is given first.
    pub fn tracepoint_of(&self, number: u32) -> Option<(String, Vec<KernelTypeId>)> {
        let KernelType::Typedef { name, target } = self.describe(KernelTypeId { object: 0, id: number })
        else {
            return None;
        };
        let name = name.strip_prefix(TRACEPOINT)?.to_owned();
        let KernelType::Pointer(function) = self.describe(target) else { return None };
        let mut parameters = self.parameters(function);
        if !parameters.is_empty() {
            parameters.remove(0);
        }
        Some((name, parameters))
    }

    /// The type of a variable that each CPU has its own of, and its place in the section of such.
    pub fn per_cpu_variable(&self, name: &str) -> Option<(KernelTypeId, u32)> {
        let id = self.names().find(&self.core, &[Kind::Var], name)?;
        let offset = self.core.place_in_section(PER_CPU, TypeId(id))?;
        Some((self.variable(name)?, offset))
    }

    /// How code comes to the variables of its CPU, from the task to their section: through the run queue that the task's
    /// scheduling entity is in. That has needed no symbol's address in any kernel so far; `None` if this one keeps no such
    /// pointer.
    pub fn way_to_own_cpu(&self) -> Option<PerCpu> {
        let tag = |name| self.names().find(&self.core, &[Kind::Struct], name).map(TypeId);
        let hops = [
            self.core.member(tag("task_struct")?, &["se", "cfs_rq"])?,
            self.core.member(tag("cfs_rq")?, &["rq"])?,
        ];
        let (_, run_queue) = self.per_cpu_variable("runqueues")?;
        Some(PerCpu { hops, offset: -i64::from(run_queue) })
    }

    /// The type of a variable.
    pub fn variable(&self, name: &str) -> Option<KernelTypeId> {
        let id = self.names().find(&self.core, &[Kind::Var], name)?;
        self.with(KernelTypeId { object: 0, id }, |view| Some(view.id(view.word(8)?)))
    }

    /// The C spelling of a type, as far as a spelling without parentheses can say it.
    pub fn spell(&self, id: KernelTypeId) -> Option<String> {
        let mut id = id;
        let mut stars = String::new();
        for _ in 0..16 {
            match self.describe(id) {
                KernelType::Pointer(target) => {
                    stars.push('*');
                    id = target;
                }
                KernelType::Qualified(_, target) | KernelType::User(target) => id = target,
                KernelType::Void => return Some(spelt("void", &stars)),
                KernelType::Int { name, .. } => return Some(spelt(&name, &stars)),
                KernelType::Typedef { name, .. } => return Some(spelt(&name, &stars)),
                KernelType::Record { kind, tag, .. } => return Some(spelt(&tagged(kind, tag)?, &stars)),
                KernelType::Forward { kind, tag } => return Some(spelt(&tagged(kind, Some(tag))?, &stars)),
                KernelType::Enum { tag: Some(tag), .. } => {
                    return Some(spelt(&tagged(TagKind::Enum, Some(tag))?, &stars));
                }
                // An enum without a name is an integer; a function is known by its address.
                KernelType::Enum { .. } => return Some(spelt("int", &stars)),
                KernelType::Function { .. } => return Some(spelt("void", &stars)),
                KernelType::Array { element, .. } => {
                    stars.push('*');
                    id = element;
                }
                KernelType::Float { .. } => return None,
            }
        }
        None
    }

    /// Whether a type is a pointer to memory of a process.
    pub fn is_user_pointer(&self, id: KernelTypeId) -> bool {
        let mut id = id;
        for _ in 0..8 {
            match self.describe(id) {
                KernelType::Qualified(_, target) | KernelType::Pointer(target) => id = target,
                KernelType::User(_) => return true,
                _ => return false,
            }
        }
        false
    }
}

fn tagged(kind: TagKind, tag: Option<Arc<str>>) -> Option<String> {
    tag.map(|tag| format!("{} {tag}", kind.word()))
}

fn spelt(base: &str, stars: &str) -> String {
    if stars.is_empty() { base.to_owned() } else { format!("{base} {stars}") }
}

/// A type where it lies.
struct View<'a> {
    core: &'a Btf,
    btf: &'a Btf,
    /// The types of a module: numbers and names go on after those of the core kernel.
    split: bool,
    object: u32,
    place: usize,
}

impl<'a> View<'a> {
    fn word(&self, at: usize) -> Option<u32> {
        self.btf.word(self.place + at)
    }

    /// A type that is named by its number.
    fn id(&self, id: u32) -> KernelTypeId {
        let object = if self.split && id >= self.core.count() { self.object } else { 0 };
        KernelTypeId { object, id }
    }

    /// The name whose offset is the word at a place; `None` for none.
    fn name_at(&self, at: usize) -> Option<&'a [u8]> {
        let offset = self.btf.word(at)? as usize;
        let name = match self.split {
            true if offset < self.core.strings_len() => self.core.string(offset),
            true => self.btf.string(offset - self.core.strings_len()),
            false => self.btf.string(offset),
        };
        name.filter(|name| !name.is_empty())
    }

    fn text_at(&self, at: usize) -> Option<Arc<str>> {
        self.name_at(at).and_then(|name| std::str::from_utf8(name).ok()).map(Arc::from)
    }

    fn parts(&self) -> Option<usize> {
        Some((self.word(4)? & 0xffff) as usize)
    }

    fn flag(&self) -> Option<bool> {
        Some(self.word(4)? >> 31 == 1)
    }

    fn describe(&self) -> Option<KernelType> {
        let name = || self.text_at(self.place);
        let target = || Some(self.id(self.word(8)?));
        let bytes = || Some(u64::from(self.word(8)?));
        Some(match self.btf.kind_at(self.place)? {
            Kind::Int => {
                let encoding = self.word(12)? >> 24;
                let name = name().unwrap_or_else(|| "int".into());
                KernelType::Int {
                    bytes: bytes()?,
                    signed: encoding & 1 != 0,
                    boolean: encoding & 4 != 0,
                    name,
                }
            }
            Kind::Float => KernelType::Float { bytes: bytes()? },
            Kind::Ptr => KernelType::Pointer(target()?),
            Kind::Array => {
                KernelType::Array { element: self.id(self.word(12)?), length: u64::from(self.word(20)?) }
            }
            Kind::Struct => KernelType::Record { kind: TagKind::Struct, tag: name(), bytes: bytes()? },
            Kind::Union => KernelType::Record { kind: TagKind::Union, tag: name(), bytes: bytes()? },
            Kind::Enum | Kind::Enum64 => {
                let bytes = bytes()?;
                // Older kernels do not say whether one is signed, which matters where it is smaller than an `int`.
                let negative = |values: Vec<(Arc<str>, i64)>| values.iter().any(|(_, value)| *value < 0);
                let signed = self.flag()? || bytes < 4 && self.enumerators().is_some_and(negative);
                KernelType::Enum { tag: name(), bytes, signed }
            }
            Kind::Fwd => {
                let kind = if self.flag()? { TagKind::Union } else { TagKind::Struct };
                KernelType::Forward { kind, tag: name()? }
            }
            Kind::Typedef => KernelType::Typedef { name: name()?, target: target()? },
            Kind::TypeTag if self.name_at(self.place) == Some(b"user") => KernelType::User(target()?),
            Kind::Const => KernelType::Qualified(Some(Qualifier::Const), target()?),
            Kind::Volatile => KernelType::Qualified(Some(Qualifier::Volatile), target()?),
            Kind::Restrict => KernelType::Qualified(Some(Qualifier::Restrict), target()?),
            Kind::TypeTag | Kind::Func | Kind::Var => KernelType::Qualified(None, target()?),
            Kind::FuncProto => {
                let mut parameters = Vec::with_capacity(self.parts()?);
                for i in 0..self.parts()? {
                    parameters.push(self.id(self.word(12 + 8 * i + 4)?));
                }
                // What may follow is a parameter without a type.
                let void = self.id(0);
                let more = parameters.len() > 1 && parameters.pop_if(|last| *last == void).is_some();
                if parameters.is_empty() {
                    parameters.push(void);
                }
                KernelType::Function { result: target()?, parameters, more }
            }
            Kind::Datasec | Kind::DeclTag => KernelType::Void,
        })
    }

    fn members(&self) -> Option<Vec<KernelMember>> {
        if !matches!(self.btf.kind_at(self.place)?, Kind::Struct | Kind::Union) {
            return None;
        }
        let packed = self.flag()?;
        let mut members = Vec::with_capacity(self.parts()?);
        for i in 0..self.parts()? {
            let at = 12 + 12 * i;
            let raw = self.word(at + 8)?;
            let (offset, width) = if packed { (raw & 0xff_ffff, (raw >> 24) as u8) } else { (raw, 0) };
            members.push(KernelMember {
                name: self.text_at(self.place + at),
                ty: self.id(self.word(at + 4)?),
                bit_offset: u64::from(offset),
                width: (width != 0).then_some(width),
            });
        }
        Some(members)
    }

    fn enumerators(&self) -> Option<Vec<(Arc<str>, i64)>> {
        let wide = match self.btf.kind_at(self.place)? {
            Kind::Enum => false,
            Kind::Enum64 => true,
            _ => return None,
        };
        let mut values = Vec::with_capacity(self.parts()?);
        for i in 0..self.parts()? {
            let at = 12 + if wide { 12 } else { 8 } * i;
            let low = self.word(at + 4)?;
            let value = match wide {
                true => (u64::from(self.word(at + 8)?) << 32 | u64::from(low)) as i64,
                false => i64::from(low as i32),
            };
            if let Some(name) = self.text_at(self.place + at) {
                values.push((name, value));
            }
        }
        Some(values)
    }

    fn parameters(&self) -> Option<Vec<KernelTypeId>> {
        if self.btf.kind_at(self.place)? != Kind::FuncProto {
            return None;
        }
        (0..self.parts()?).map(|i| Some(self.id(self.word(12 + 8 * i + 4)?))).collect()
    }
}

#[allow(
    clippy::redundant_closure_for_method_calls,
    reason = "a method is not general over both lifetimes of a view"
)]
impl KernelTypes for RunningTypes {
    fn find(&self, module: Option<&str>, tag: Option<TagKind>, name: &str) -> Option<KernelTypeId> {
        let kinds = kinds(tag);
        let core = || {
            let id = self.names().find(&self.core, kinds, name)?;
            Some(KernelTypeId { object: 0, id })
        };
        match module {
            None | Some("vmlinux") => core(),
            Some(module) => self.find_in_module(module, kinds, name),
        }
    }

    fn names(&self, tag: Option<TagKind>) -> Vec<String> {
        self.names().of_kinds(&self.core, kinds(tag))
    }

    fn describe(&self, id: KernelTypeId) -> KernelType {
        self.with(id, |view| view.describe()).unwrap_or(KernelType::Void)
    }

    fn members(&self, id: KernelTypeId) -> Vec<KernelMember> {
        self.with(id, |view| view.members()).unwrap_or_default()
    }

    fn enumerators(&self, id: KernelTypeId) -> Vec<(Arc<str>, i64)> {
        self.with(id, |view| view.enumerators()).unwrap_or_default()
    }

    fn parameters(&self, id: KernelTypeId) -> Vec<KernelTypeId> {
        self.with(id, |view| view.parameters()).unwrap_or_default()
    }

    fn module_name(&self, id: KernelTypeId) -> Arc<str> {
        if id.object == 0 {
            return "vmlinux".into();
        }
        let modules = self.modules.borrow();
        modules.loaded.get(id.object as usize - 1).map_or_else(|| "vmlinux".into(), |(name, _)| name.clone())
    }
}

/// The named types of the core kernel, hashed by name.
#[derive(Debug)]
struct NameIndex {
    /// Type numbers, 0 where a slot is free; a power of two, at most half full.
    slots: Vec<u32>,
}

impl NameIndex {
    fn new(btf: &Btf) -> NameIndex {
        let named = |place: usize| {
            let kind = btf.kind_at(place)?;
            let wanted = matches!(
                kind,
                Kind::Int
                    | Kind::Float
                    | Kind::Struct
                    | Kind::Union
                    | Kind::Enum
                    | Kind::Enum64
                    | Kind::Typedef
                    | Kind::Var
            );
            let name = btf.string(btf.word(place)? as usize).filter(|name| wanted && !name.is_empty())?;
            Some(hash(name))
        };
        let places = || (1..btf.count()).filter_map(|id| Some((id, btf.place(TypeId(id))?)));
        let count = places().filter(|(_, place)| named(*place).is_some()).count();
        let mut slots = vec![0; (2 * count.max(8)).next_power_of_two()];
        let mask = slots.len() - 1;
        for (id, place) in places() {
            let Some(hash) = named(place) else { continue };
            let mut at = hash as usize & mask;
            while slots[at] != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = id;
        }
        NameIndex { slots }
    }

    /// All names of types of some kinds.
    fn of_kinds(&self, btf: &Btf, kinds: &[Kind]) -> Vec<String> {
        let name = |id: &u32| {
            let place = btf.place(TypeId(*id))?;
            let name = btf.string(btf.word(place)? as usize)?;
            kinds.contains(&btf.kind_at(place)?).then(|| String::from_utf8_lossy(name).into_owned())
        };
        self.slots.iter().filter(|id| **id != 0).filter_map(name).collect()
    }

    /// The first type of the name and one of the kinds.
    fn find(&self, btf: &Btf, kinds: &[Kind], name: &str) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut at = hash(name.as_bytes()) as usize & mask;
        // Half of the slots are free, so this ends.
        while self.slots[at] != 0 {
            let id = self.slots[at];
            let place = btf.place(TypeId(id))?;
            if kinds.contains(&btf.kind_at(place)?)
                && btf.string(btf.word(place)? as usize) == Some(name.as_bytes())
            {
                return Some(id);
            }
            at = (at + 1) & mask;
        }
        None
    }
}

/// What names a type without a tag, or one with a tag of a kind.
fn kinds(tag: Option<TagKind>) -> &'static [Kind] {
    match tag {
        None => &[Kind::Typedef, Kind::Int, Kind::Float],
        Some(TagKind::Struct) => &[Kind::Struct],
        Some(TagKind::Union) => &[Kind::Union],
        Some(TagKind::Enum) => &[Kind::Enum, Kind::Enum64],
    }
}

/// FNV-1a.
fn hash(name: &[u8]) -> u32 {
    name.iter().fold(0x811c_9dc5, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_kernel() {
        let types = match RunningTypes::open(&TypeData::default()) {
            Ok(types) => types,
            Err(why) => {
                println!("skipped: {why}");
                return;
            }
        };
        let started = std::time::Instant::now();
        let task = types.find(None, Some(TagKind::Struct), "task_struct").expect("every kernel has it");
        println!("index and look-up: {:?}", started.elapsed());
        let members = types.members(task);
        let named = |name: &str| members.iter().find(|member| member.name.as_deref() == Some(name));
        let comm = named("comm").expect("a member");
        assert!(matches!(types.describe(comm.ty), KernelType::Array { length: 16, .. }), "{comm:?}");
        let bit_field = named("sched_reset_on_fork").expect("a bit-field");
        assert_eq!(bit_field.width, Some(1));
        let names = |tag| KernelTypes::names(&types, tag);
        assert!(names(Some(TagKind::Struct)).iter().any(|name| name == "task_struct"));
        assert!(!names(Some(TagKind::Union)).iter().any(|name| name == "task_struct"));
        assert!(names(None).iter().any(|name| name == "pid_t"));
        assert_eq!(types.find(None, None, "no_such_type_t"), None);
        assert_eq!(types.find(Some("no_such_module"), None, "pid_t"), None);
        assert_eq!(types.find(Some("../vmlinux"), None, "pid_t"), None);
        let pid = types.find(Some("vmlinux"), None, "pid_t").expect("every kernel has it");
        assert!(matches!(types.describe(pid), KernelType::Typedef { .. }));
        assert_eq!(types.spell(pid).as_deref(), Some("pid_t"));
        let kind = types.find(None, Some(TagKind::Enum), "pid_type").expect("every kernel has it");
        let values = types.enumerators(kind);
        assert_eq!(values.first().map(|(name, value)| (&**name, *value)), Some(("PIDTYPE_PID", 0)));
        let switch = types.tracepoint_number("sched_switch").expect("every kernel has it");
        assert!(types.tracepoint_numbers().contains(&switch));
        let (name, switch) = types.tracepoint_of(switch).expect("it has a prototype");
        assert_eq!(name, "sched_switch");
        let spelt: Vec<_> = switch.iter().map(|&id| types.spell(id)).collect();
        assert_eq!(spelt[1].as_deref(), Some("struct task_struct *"), "{spelt:?}");
    }

    /// Every type of this kernel can be described, and its members with it.
    #[test]
    fn all_of_this_kernel() {
        let Ok(types) = RunningTypes::open(&TypeData::default()) else {
            println!("skipped: no {VMLINUX}");
            return;
        };
        let mut records = 0;
        for id in (1..types.core.count()).step_by(7) {
            let id = KernelTypeId { object: 0, id };
            if let KernelType::Record { .. } = types.describe(id) {
                records += 1;
                types.members(id);
            }
            types.spell(id);
        }
        assert!(records > 100, "{records}");
    }
}
