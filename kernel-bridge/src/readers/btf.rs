//! BTF, as far as dtrail needs it: where members lie in the kernel's structures, and which types exist.
//!
//! Comes in: the bytes of `/sys/kernel/btf/vmlinux` (5.5 MB, 127,000 types). Goes out: offsets and type numbers. The type
//! section is walked once to find each type's place; names are compared where they lie, nothing is copied out.

use std::io;

use crate::ebpf::KernelOffsets;
use crate::sys::mapping::Published;

/// Where the running kernel publishes its types.
pub const VMLINUX: &str = "/sys/kernel/btf/vmlinux";

/// The kinds of types, as BTF numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs, reason = "BTF's names")]
pub enum Kind {
    Int = 1,
    Ptr = 2,
    Array = 3,
    Struct = 4,
    Union = 5,
    Enum = 6,
    Fwd = 7,
    Typedef = 8,
    Volatile = 9,
    Const = 10,
    Restrict = 11,
    Func = 12,
    FuncProto = 13,
    Var = 14,
    Datasec = 15,
    Float = 16,
    DeclTag = 17,
    TypeTag = 18,
    Enum64 = 19,
}

impl Kind {
    const ALL: [Kind; 19] = [
        Kind::Int,
        Kind::Ptr,
        Kind::Array,
        Kind::Struct,
        Kind::Union,
        Kind::Enum,
        Kind::Fwd,
        Kind::Typedef,
        Kind::Volatile,
        Kind::Const,
        Kind::Restrict,
        Kind::Func,
        Kind::FuncProto,
        Kind::Var,
        Kind::Datasec,
        Kind::Float,
        Kind::DeclTag,
        Kind::TypeTag,
        Kind::Enum64,
    ];

    fn from_number(number: u32) -> Option<Kind> {
        Kind::ALL.get((number as usize).wrapping_sub(1)).copied()
    }

    /// Bytes that follow a type's first 12, for `vlen` parts.
    fn tail(self, vlen: usize) -> usize {
        match self {
            Kind::Int | Kind::Var | Kind::DeclTag => 4,
            Kind::Array => 12,
            Kind::Struct | Kind::Union | Kind::Datasec | Kind::Enum64 => 12 * vlen,
            Kind::Enum | Kind::FuncProto => 8 * vlen,
            _ => 0,
        }
    }
}

/// A type's number; 0 is `void`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

/// The types of one object, indexed.
#[derive(Debug)]
pub struct Btf {
    bytes: Bytes,
    strings: usize,
    strings_len: usize,
    /// By type number: where it starts in `bytes`; entry 0 stands for `void` and is never used.
    places: Vec<u32>,
}

#[derive(Debug)]
enum Bytes {
    Mapped(Published),
    Owned(Vec<u8>),
}

impl std::ops::Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(bytes) => bytes,
            Bytes::Owned(bytes) => bytes,
        }
    }
}

/// Why bytes are not BTF: what was being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

/// Deepest nesting of anonymous and embedded structures that is followed.
const DEPTH: u32 = 16;
/// Most members that are looked at for one path: anonymous ones may have many each, and lead to one another.
const MOST_MEMBERS: u32 = 1 << 20;

impl Btf {
    /// Reads the running kernel's types.
    pub fn of_kernel() -> io::Result<Btf> {
        let bytes = match Published::vmlinux_btf(VMLINUX) {
            Ok(mapped) => Bytes::Mapped(mapped),
            Err(_) => Bytes::Owned(std::fs::read(VMLINUX)?),
        };
        Btf::index(bytes).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e.0))
    }

    /// Indexes the types in `bytes`. Those of a module go on after the core kernel's, numbers and names; the first of them
    /// has number 1 here.
    pub fn parse(bytes: Vec<u8>) -> Result<Btf, Malformed> {
        Btf::index(Bytes::Owned(bytes))
    }

    /// One more than the highest type number.
    pub(super) fn count(&self) -> u32 {
        self.places.len() as u32
    }

    /// Where a type starts; `void` is nowhere.
    pub(super) fn place(&self, id: TypeId) -> Option<usize> {
        self.places.get(id.0 as usize).filter(|_| id.0 != 0).map(|&place| place as usize)
    }

    /// Bytes of names.
    pub(super) fn strings_len(&self) -> usize {
        self.strings_len
    }

    /// The name at an offset, without its NUL.
    pub(super) fn string(&self, offset: usize) -> Option<&[u8]> {
        let all = self.bytes.get(self.strings..self.strings.checked_add(self.strings_len)?)?;
        let name = all.get(offset..)?;
        let len = name.iter().position(|&b| b == 0)?;
        Some(&name[..len])
    }

    fn index(bytes: Bytes) -> Result<Btf, Malformed> {
        let word = |at| word(&bytes, at);
        if word(0).map(|w| w & 0xffff) != Some(0xeb9f) {
            return Err(Malformed("magic number"));
        }
        let field = |at| word(at).map(|w| w as usize).ok_or(Malformed("header"));
        let header = field(4)?;
        let (type_off, type_len, str_off, strings_len) = (field(8)?, field(12)?, field(16)?, field(20)?);
        let start = header.checked_add(type_off).ok_or(Malformed("header"))?;
        let end =
            start.checked_add(type_len).filter(|e| *e <= bytes.len()).ok_or(Malformed("type section"))?;
        let strings = header.checked_add(str_off).ok_or(Malformed("header"))?;
        // A type takes 25 bytes on average.
        let mut places = Vec::with_capacity(1 + type_len / 24);
        places.push(0);
        let mut at = start;
        while at + 12 <= end {
            let info = word(at + 4).ok_or(Malformed("type"))?;
            let kind = Kind::from_number(info >> 24 & 0x1f).ok_or(Malformed("kind"))?;
            places.push(at as u32);
            at += 12 + kind.tail((info & 0xffff) as usize);
        }
        if at != end {
            return Err(Malformed("type section"));
        }
        places.shrink_to_fit();
        Ok(Btf { bytes, strings, strings_len, places })
    }

    /// The first type of this kind and name.
    pub fn find(&self, kind: Kind, name: &str) -> Option<TypeId> {
        self.find_all(&[(kind, name)])[0]
    }

    /// Looks several types up in one walk; the answers are in the order of the questions.
    pub fn find_all<const N: usize>(&self, wanted: &[(Kind, &str); N]) -> [Option<TypeId>; N] {
        let mut found = [None; N];
        let mut left = N;
        for (id, &place) in self.places.iter().enumerate().skip(1) {
            let kind = self.kind_at(place as usize);
            for (slot, (want, name)) in found.iter_mut().zip(wanted) {
                if slot.is_none() && kind == Some(*want) && self.name_is(place as usize, name) {
                    *slot = Some(TypeId(id as u32));
                    left -= 1;
                }
            }
            if left == 0 {
                break;
            }
        }
        found
    }

    /// Bytes from the start of a structure to the member at the end of `path`, through embedded structures and anonymous
    /// members. `None`: no such member, or a bit-field.
    pub fn member(&self, mut id: TypeId, path: &[&str]) -> Option<u32> {
        let (mut offset, mut left) = (0u32, MOST_MEMBERS);
        for name in path {
            let (bits, ty) = self.find_member(id, name, DEPTH, &mut left)?;
            offset = offset.checked_add(bits)?;
            id = ty;
        }
        offset.is_multiple_of(8).then_some(offset / 8)
    }

    /// Bytes from the start of a section of variables to one of them.
    pub(super) fn place_in_section(&self, section: &str, variable: TypeId) -> Option<u32> {
        let place = self.places[self.find(Kind::Datasec, section)?.0 as usize] as usize;
        let count = (self.word(place + 4)? & 0xffff) as usize;
        let mut entries = (0..count).map(|i| place + 12 + 12 * i);
        let at = entries.find(|&at| self.word(at) == Some(variable.0))?;
        self.word(at + 4)
    }

    /// Offset in bits and type of one member; anonymous members are looked through. `left`: how many are looked at yet.
    fn find_member(&self, id: TypeId, name: &str, depth: u32, left: &mut u32) -> Option<(u32, TypeId)> {
        let place = self.resolve(id)?;
        if depth == 0 || !matches!(self.kind_at(place)?, Kind::Struct | Kind::Union) {
            return None;
        }
        let info = self.word(place + 4)?;
        let packed = info >> 31 == 1;
        let count = (info & 0xffff) as usize;
        for at in (0..count).map(|i| place + 12 + 12 * i) {
            *left = left.checked_sub(1)?;
            let ty = TypeId(self.word(at + 4)?);
            let raw = self.word(at + 8)?;
            // With the kind flag the low 24 bits are the offset and the top 8 a bit-field's width.
            let (offset, width) = if packed { (raw & 0xff_ffff, raw >> 24) } else { (raw, 0) };
            if self.name_is(at, name) {
                return (width == 0).then_some((offset, ty));
            }
            if self.word(at)? == 0
                && let Some((inner, found)) = self.find_member(ty, name, depth - 1, left)
            {
                return Some((offset.checked_add(inner)?, found));
            }
        }
        None
    }

    /// Where the type behind typedefs and qualifiers starts.
    fn resolve(&self, mut id: TypeId) -> Option<usize> {
        for _ in 0..DEPTH {
            let place = *self.places.get(id.0 as usize).filter(|_| id.0 != 0)? as usize;
            match self.kind_at(place)? {
                Kind::Typedef | Kind::Volatile | Kind::Const | Kind::Restrict | Kind::TypeTag => {
                    id = TypeId(self.word(place + 8)?);
                }
                _ => return Some(place),
            }
        }
        None
    }

    pub(super) fn kind_at(&self, place: usize) -> Option<Kind> {
        Kind::from_number(self.word(place + 4)? >> 24 & 0x1f)
    }

    /// Whether the name at the start of a type or member is `name`.
    fn name_is(&self, place: usize, name: &str) -> bool {
        let Some(at) = self.word(place).and_then(|off| self.strings.checked_add(off as usize)) else {
            return false;
        };
        let Some(found) = self.bytes.get(at..) else { return false };
        found.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.first() == Some(&0))
    }

    pub(super) fn word(&self, at: usize) -> Option<u32> {
        word(&self.bytes, at)
    }

    /// BTF with the same numbers in which only these typedefs are left, of nothing: what a loader needs that looks up a
    /// number by name, at a fraction of the cost. A name may be given twice. `None` if one of them is missing.
    pub fn skeleton(&self, typedefs: &[&str]) -> Option<Vec<u8>> {
        let mut named = Vec::with_capacity(typedefs.len());
        for name in typedefs {
            named.push((self.find(Kind::Typedef, name)?, *name));
        }
        named.sort_unstable_by_key(|(id, ..)| *id);
        named.dedup();
        let (mut types, mut strings) = (Vec::new(), vec![0]);
        let mut put = |words: [u32; 3]| types.extend(words.into_iter().flat_map(u32::to_le_bytes));
        let mut next = 1;
        for (id, name) in named {
            for _ in next..id.0 {
                put([0, (Kind::Fwd as u32) << 24, 0]);
            }
            put([strings.len() as u32, (Kind::Typedef as u32) << 24, 0]);
            strings.extend(name.bytes());
            strings.push(0);
            next = id.0 + 1;
        }
        let (types_len, strings_len) = (types.len() as u32, strings.len() as u32);
        let header = [0x0001_eb9f, 24, 0, types_len, types_len, strings_len];
        let header: Vec<u8> = header.into_iter().flat_map(u32::to_le_bytes).collect();
        Some([header, types, strings].concat())
    }

    /// The offsets that generated programs use. `Err` names the first member that this kernel does not have.
    pub fn kernel_offsets(&self) -> Result<KernelOffsets, String> {
        let [task, signal] = self.find_all(&[(Kind::Struct, "task_struct"), (Kind::Struct, "signal_struct")]);
        let member = |id: Option<TypeId>, of: &str, paths: &[&[&str]]| {
            paths
                .iter()
                .find_map(|path| self.member(id?, path))
                .ok_or_else(|| format!("{of}.{}", paths[0].join(".")))
        };
        let task = |paths: &[&[&str]]| member(task, "task_struct", paths);
        Ok(KernelOffsets {
            task_pid: task(&[&["pid"]])?,
            task_tgid: task(&[&["tgid"]])?,
            task_real_parent: task(&[&["real_parent"]])?,
            task_start: task(&[&["start_boottime"], &["real_start_time"]])?,
            task_exit_code: task(&[&["exit_code"]])?,
            task_signal: task(&[&["signal"]])?,
            signal_live: member(signal, "signal_struct", &[&["live"]])?,
            task_status: task(&[&["thread_info", "status"]])?,
            task_cred: task(&[&["cred"]])?,
            task_group_leader: task(&[&["group_leader"]])?,
            task_self_exec_id: task(&[&["self_exec_id"]])?,
            task_sum_exec: task(&[&["se", "sum_exec_runtime"]])?,
            task_flags: task(&[&["flags"]])?,
            thread_registers: [
                task(&[&["thread", "ds"]])?,
                task(&[&["thread", "es"]])?,
                task(&[&["thread", "fsindex"]])?,
                task(&[&["thread", "gsindex"]])?,
                task(&[&["thread", "trap_nr"]])?,
            ],
        })
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Builds BTF: each type is its three first words and its tail; names are offsets into `names`.
    fn build(types: &[&[u32]], names: &[u8]) -> Vec<u8> {
        let body: Vec<u8> = types.concat().into_iter().flat_map(u32::to_le_bytes).collect();
        let mut bytes = Vec::new();
        for w in [0x0001_eb9f, 24, 0, body.len() as u32, body.len() as u32, names.len() as u32] {
            bytes.extend(w.to_le_bytes());
        }
        bytes.extend(body);
        bytes.extend(names);
        bytes
    }

    fn sample() -> Vec<u8> {
        let names = b"\0int\0inner\0a\0b\0outer\0x\0bits\0alias\0";
        let (int, inner, a, b, outer, x, bits, alias) = (1, 5, 11, 13, 15, 21, 23, 28);
        build(
            &[
                // 1: int
                &[int, 1 << 24, 4, 32],
                // 2: struct inner { int a; int b; }
                &[inner, 4 << 24 | 2, 8, a, 1, 0, b, 1, 32],
                // 3: typedef struct inner alias
                &[alias, 8 << 24, 2],
                // 4: union { int x; struct inner … (anonymous) }
                &[0, 5 << 24 | 2, 8, x, 1, 0, 0, 2, 0],
                // 5: struct outer { alias inner; union {…}; int bits:3; } with the kind flag
                &[outer, 1 << 31 | 4 << 24 | 3, 20, inner, 3, 32, 0, 4, 96, bits, 1, 3 << 24 | 160],
            ],
            names,
        )
    }

    #[test]
    fn offsets_beyond_all_bounds_are_none() {
        // 1: struct { a at 0xfffffff8 }, 2: struct { 1, anonymous, at 8 }, 3: struct { b of type 2 at 0xfffffff0 }
        let (a, b) = (1, 3);
        let types: [&[u32]; 3] = [
            &[0, 4 << 24 | 1, 8, a, 0, 0xffff_fff8],
            &[0, 4 << 24 | 1, 8, 0, 1, 8],
            &[0, 4 << 24 | 1, 8, b, 2, 0xffff_fff0],
        ];
        let btf = Btf::parse(build(&types, b"\0a\0b\0")).expect("well-formed");
        for (id, path, expected) in [
            (1, &["a"][..], Some(0x1fff_ffff)),
            (2, &["a"], None),
            (3, &["b"], Some(0x1fff_fffe)),
            (3, &["b", "a"], None),
        ] {
            assert_eq!(btf.member(TypeId(id), path), expected, "{id} {path:?}");
        }
    }

    #[test]
    fn structures_full_of_structures_come_to_an_end() {
        // Fifteen structures of 4000 anonymous members each, all of the one before: 4000 to the fifteenth.
        let (int, members) = ([0u32, 1 << 24, 4, 32], 4000u32);
        let mut types: Vec<Vec<u32>> = vec![int.to_vec()];
        for number in 1..16 {
            let mut words = vec![0, 4 << 24 | members, 8];
            (0..members).for_each(|_| words.extend([0, number, 0]));
            types.push(words);
        }
        let types: Vec<&[u32]> = types.iter().map(Vec::as_slice).collect();
        let btf = Btf::parse(build(&types, b"\0a\0")).expect("well-formed");
        assert_eq!(btf.member(TypeId(16), &["a"]), None);
    }

    #[test]
    fn members_are_found_through_typedefs_and_anonymous_members() {
        let btf = Btf::parse(sample()).expect("well-formed");
        let outer = btf.find(Kind::Struct, "outer").expect("there");
        for (path, offset) in [
            (&["inner"][..], Some(4)),
            (&["inner", "a"], Some(4)),
            (&["inner", "b"], Some(8)),
            (&["x"], Some(12)),
            (&["b"], Some(16)),
            (&["bits"], None),
            (&["nothing"], None),
            (&["inner", "a", "b"], None),
        ] {
            assert_eq!(btf.member(outer, path), offset, "{path:?}");
        }
        assert_eq!(btf.find(Kind::Typedef, "alias"), Some(TypeId(3)));
        assert_eq!(btf.find(Kind::Typedef, "ali"), None);
        assert_eq!(btf.find(Kind::Struct, "alias"), None);
    }

    #[test]
    fn a_skeleton_keeps_numbers_and_names() {
        let btf = Btf::parse(sample()).expect("well-formed");
        let skeleton = Btf::parse(btf.skeleton(&["alias"]).expect("it is there")).expect("well-formed");
        assert_eq!(skeleton.find(Kind::Typedef, "alias"), Some(TypeId(3)));
        assert_eq!(skeleton.find(Kind::Int, "int"), None);
        assert_eq!(skeleton.places.len(), 4, "nothing behind the last of them");
        assert_eq!(btf.skeleton(&["alias", "alias"]), btf.skeleton(&["alias"]));
        assert_eq!(btf.skeleton(&["int"]), None);
    }

    #[test]
    fn damaged_bytes_are_refused() {
        for (bytes, what) in [
            (vec![], "magic number"),
            (vec![0x9f, 0xeb, 1, 0], "header"),
            (build(&[&[0, 31 << 24, 0]], b"\0"), "kind"),
            (build(&[&[0, 4 << 24 | 9, 0]], b"\0"), "type section"),
        ] {
            assert_eq!(Btf::parse(bytes).expect_err(what), Malformed(what));
        }
    }

    proptest! {
        #[test]
        fn no_damage_makes_it_panic(at in 0usize..300, value: u32) {
            let mut bytes = sample();
            let at = at % (bytes.len() - 4);
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
            if let Ok(btf) = Btf::parse(bytes) {
                for id in 0..8 {
                    btf.member(TypeId(id), &["inner", "b"]);
                    btf.member(TypeId(id), &["b"]);
                }
                btf.find(Kind::Struct, "outer");
            }
        }
    }

    #[test]
    fn this_kernel() {
        let started = std::time::Instant::now();
        let btf = match Btf::of_kernel() {
            Ok(btf) => btf,
            Err(e) => {
                println!("skipped: no {VMLINUX}: {e}");
                return;
            }
        };
        let offsets = btf.kernel_offsets().expect("every member is there");
        println!("{} types, {offsets:?}, {:?}", btf.places.len(), started.elapsed());
        assert_eq!(offsets.task_tgid, offsets.task_pid + 4, "pid and tgid are neighbours");
        // What `sys::bpf` assumes of a structure that the kernel promises not to change.
        let info = btf.find(Kind::Struct, "bpf_prog_info").expect("there");
        assert_eq!(btf.member(info, &["recursion_misses"]), Some(208));
        assert!(btf.find(Kind::Typedef, "btf_trace_sys_enter").is_some());
    }
}
