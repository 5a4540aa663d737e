//! Types of D: C's types, `string`, and the internal `<DYN>`, by id.
//!
//! In: specifiers and spellings (`unsigned long`, `char *`, `pid_t`), definitions of structs, unions and enums
//! ([`records`]), types of the kernel ([`kernel`]). Out: a [`TypeId`] of a [`TypeTable`], in which equal types have equal
//! ids. Typedefs keep their name for messages; every rule looks through them. A struct, union or enum is its tag,
//! [`Type::Tagged`]; what is behind the tag is looked up when it is needed, and until it is defined it can be pointed
//! to and nothing else.
//!
//! The table never asks the machine anything by itself. The data model is LP64 (language spec §5.1).

pub mod btf;
pub mod classes;
pub mod kernel;
pub mod parts;
pub mod records;

use std::collections::HashMap;
use std::sync::Arc;

use crate::builtins::Symbolic;
use crate::env::Qualifier;
use kernel::Kernel;
use records::{Enumeration, Record};

/// Index in a [`TypeTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(u32);

/// Whether plain `char` is signed (language spec §5.1): yes on x86-64, no on aarch64.
pub const CHAR_SIGNED: bool = !cfg!(target_arch = "aarch64");

/// An integer type of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntType {
    /// The name messages use.
    pub name: &'static str,
    /// 8, 16, 32 or 64.
    pub bits: u8,
    /// Whether it is signed.
    pub signed: bool,
    /// Place in the order of language spec §5.1, which decides between types of equal rank.
    order: u8,
}

impl IntType {
    /// Rank of the arithmetic conversions (language spec §5.10): the size, plus one if unsigned.
    pub fn rank(self) -> (u8, u8) {
        (self.bits + u8::from(!self.signed), self.order)
    }
}

macro_rules! ints {
    ($($id:ident = $name:literal, $bits:literal, $signed:expr, $order:literal;)*) => {
        $(#[doc = concat!("`", $name, "`")]
        pub const $id: IntType = IntType { name: $name, bits: $bits, signed: $signed, order: $order };)*
        const INTS: &[IntType] = &[$($id,)*];
    };
}

ints! {
    BOOL = "_Bool", 8, false, 0;
    CHAR = "char", 8, CHAR_SIGNED, 1;
    SIGNED_CHAR = "signed char", 8, true, 2;
    UNSIGNED_CHAR = "unsigned char", 8, false, 3;
    SHORT = "short", 16, true, 4;
    UNSIGNED_SHORT = "unsigned short", 16, false, 5;
    INT = "int", 32, true, 6;
    UNSIGNED = "unsigned int", 32, false, 7;
    LONG = "long", 64, true, 8;
    UNSIGNED_LONG = "unsigned long", 64, false, 9;
    LONG_LONG = "long long", 64, true, 10;
    UNSIGNED_LONG_LONG = "unsigned long long", 64, false, 11;
}

/// Which space a tag lives in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are C's")]
pub enum TagKind {
    Struct,
    Union,
    Enum,
}

impl TagKind {
    /// The keyword.
    pub fn word(self) -> &'static str {
        match self {
            TagKind::Struct => "struct",
            TagKind::Union => "union",
            TagKind::Enum => "enum",
        }
    }

    /// The kind of a keyword.
    pub fn of_word(word: &str) -> Option<TagKind> {
        [TagKind::Struct, TagKind::Union, TagKind::Enum].into_iter().find(|kind| kind.word() == word)
    }
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `void`
    Void,
    /// An integer.
    Int(IntType),
    /// `float`, `double` or `long double`, by name, with its size in bytes.
    Float(&'static str, u8),
    /// A pointer.
    Pointer(TypeId),
    /// An array of so many elements.
    Array(TypeId, u64),
    /// A function, its result and its parameters. Only names show the parameters: all function types are the same
    /// (language spec §5.8).
    Function(TypeId, Parameters),
    /// `string`
    String,
    /// `<DYN>`: an aggregation, or a call of an aggregating function. Holds the word messages use.
    Dyn(&'static str),
    /// A stack or an address that prints as a symbol.
    Symbolic(Symbolic),
    /// A struct, union or enum by its tag. Those of the kernel have a scope before the tag, `vmlinux`task_struct`, those
    /// without a tag a number that no tag can be.
    Tagged(TagKind, Arc<str>),
    /// Another name of a type.
    Typedef(Arc<str>, TypeId),
    /// A type as the kernel declares it, `const` and its like kept. Only what is shown of a member has such a type: no
    /// expression has, and so none is compared with another.
    Qualified(Qualifier, TypeId),
}

/// The parameters of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Parameters {
    /// Their types; `void` alone for none, nothing if they are not known.
    pub types: Arc<[TypeId]>,
    /// `...`
    pub more: bool,
}

/// The predefined typedefs (language spec §5.1), and those the built-in variables need.
const TYPEDEFS: &[(&str, &str)] = &[
    ("int8_t", "signed char"),
    ("int16_t", "short"),
    ("int32_t", "int"),
    ("int64_t", "long"),
    ("intptr_t", "long"),
    ("ssize_t", "long"),
    ("ptrdiff_t", "long"),
    ("uint8_t", "unsigned char"),
    ("uchar_t", "unsigned char"),
    ("uint16_t", "unsigned short"),
    ("ushort_t", "unsigned short"),
    ("uint32_t", "unsigned int"),
    ("uint_t", "unsigned int"),
    ("uint64_t", "unsigned long"),
    ("uintptr_t", "unsigned long"),
    ("size_t", "unsigned long"),
    ("ulong_t", "unsigned long"),
    ("u_longlong_t", "unsigned long long"),
    ("id_t", "int"),
    ("pid_t", "int"),
    ("uid_t", "unsigned int"),
    ("gid_t", "unsigned int"),
    ("dev_t", "unsigned int"),
    ("processorid_t", "int"),
    // Of the other systems with D, so that their scripts find them (language spec §5.1 and its neighbours).
    ("boolean_t", "int"),
    ("caddr_t", "char *"),
    ("chipid_t", "int"),
    ("ctid_t", "int"),
    ("hrtime_t", "long long"),
    ("in_addr_t", "unsigned int"),
    ("in_port_t", "unsigned short"),
    ("intmax_t", "long"),
    ("ipaddr_t", "unsigned int"),
    ("k_sigset_t", "unsigned long"),
    ("kthread_t", "struct task_struct"),
    ("lgrp_id_t", "int"),
    ("longlong_t", "long long"),
    ("offset_t", "long long"),
    ("pgcnt_t", "unsigned long"),
    ("poolid_t", "int"),
    ("projid_t", "int"),
    ("psetid_t", "int"),
    ("taskid_t", "int"),
    ("u_char", "unsigned char"),
    ("u_int", "unsigned int"),
    ("u_long", "unsigned long"),
    ("u_short", "unsigned short"),
    ("uintmax_t", "unsigned long"),
    ("u_offset_t", "unsigned long long"),
    ("zoneid_t", "int"),
];

/// Typedefs of the kernel that the arguments of system calls are spelt with. They serve [`TypeTable::spelt`] only, for
/// as long as the kernel's own type data is not read.
const KERNEL_TYPEDEFS: &[(&str, &str)] = &[
    ("aio_context_t", "unsigned long"),
    ("cap_user_data_t", "void *"),
    ("cap_user_header_t", "void *"),
    ("clock_t", "long"),
    ("clockid_t", "int"),
    ("key_serial_t", "int"),
    ("key_t", "int"),
    ("loff_t", "long long"),
    ("mode_t", "unsigned short"),
    ("mqd_t", "int"),
    ("off_t", "long"),
    ("old_gid_t", "unsigned short"),
    ("old_uid_t", "unsigned short"),
    ("qid_t", "int"),
    ("rwf_t", "int"),
    ("s32", "int"),
    ("s64", "long long"),
    ("time_t", "long"),
    ("timer_t", "int"),
    ("u16", "unsigned short"),
    ("u32", "unsigned int"),
    ("u64", "unsigned long long"),
    ("u8", "unsigned char"),
    ("umode_t", "unsigned short"),
    ("__s32", "int"),
    ("__s64", "long long"),
    ("__u16", "unsigned short"),
    ("__u32", "unsigned int"),
    ("__u64", "unsigned long long"),
    ("__u8", "unsigned char"),
];

/// Types by id and by name.
#[derive(Clone, Debug)]
pub struct TypeTable {
    types: Vec<Type>,
    ids: HashMap<Type, TypeId>,
    /// By type: how deep it nests by value or by derivation, which bounds every walk over it.
    depths: Vec<u32>,
    names: HashMap<Arc<str>, TypeId>,
    /// Those of `names` that no program has made.
    predefined: HashMap<Arc<str>, TypeId>,
    records: HashMap<TypeId, Record>,
    enums: HashMap<TypeId, Enumeration>,
    /// Typedefs of headers that are aligned otherwise than what they name, in bytes.
    aligned: HashMap<TypeId, u64>,
    kernel: Kernel,
    common: Common,
}

/// Deepest nesting of a type. Walks over types recurse this far at most.
pub const MAX_DEPTH: u32 = 100;

/// The types that rules name.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names are the types'")]
pub struct Common {
    pub void: TypeId,
    pub char: TypeId,
    pub int: TypeId,
    pub int64: TypeId,
    pub uint64: TypeId,
    pub size: TypeId,
    pub ptrdiff: TypeId,
    pub string: TypeId,
    pub unknown: TypeId,
    pub aggregation: TypeId,
    pub dynamic: TypeId,
}

impl Default for TypeTable {
    fn default() -> TypeTable {
        TypeTable::new()
    }
}

impl TypeTable {
    /// The table every session starts from.
    pub fn new() -> TypeTable {
        let zero = TypeId(0);
        let mut table = TypeTable {
            types: Vec::new(),
            ids: HashMap::new(),
            depths: Vec::new(),
            names: HashMap::new(),
            predefined: HashMap::new(),
            records: HashMap::new(),
            enums: HashMap::new(),
            aligned: HashMap::new(),
            kernel: Kernel::default(),
            common: Common {
                void: zero,
                char: zero,
                int: zero,
                int64: zero,
                uint64: zero,
                size: zero,
                ptrdiff: zero,
                string: zero,
                unknown: zero,
                aggregation: zero,
                dynamic: zero,
            },
        };
        let void = table.name("void", Type::Void);
        let string = table.name("string", Type::String);
        for &int in INTS {
            table.name(int.name, Type::Int(int));
        }
        for (name, size) in [("float", 4), ("double", 8), ("long double", 16)] {
            table.name(name, Type::Float(name, size));
        }
        for &(name, target) in TYPEDEFS {
            let target = table.spelt(target).unwrap_or(void);
            table.name(name, Type::Typedef(name.into(), target));
        }
        let named = |name: &str| table.names.get(name).copied().unwrap_or(void);
        let common = Common {
            void,
            char: named("char"),
            int: named("int"),
            int64: named("int64_t"),
            uint64: named("uint64_t"),
            size: named("size_t"),
            ptrdiff: named("ptrdiff_t"),
            string,
            unknown: zero,
            aggregation: zero,
            dynamic: zero,
        };
        let named_long = named("long");
        table.common = common;
        // No program can write its name; as far as it has a value, it is a number.
        table.common.unknown = table.add(Type::Typedef("<unknown>".into(), named_long));
        table.common.aggregation = table.add(Type::Dyn("aggregation"));
        table.common.dynamic = table.add(Type::Dyn("<DYN>"));
        table.predefined.clone_from(&table.names);
        table
    }

    fn name(&mut self, name: &str, ty: Type) -> TypeId {
        let id = self.add(ty);
        self.names.insert(name.into(), id);
        id
    }

    /// The types that rules name.
    pub fn common(&self) -> Common {
        self.common
    }

    /// The id of a type; the same for equal types.
    pub fn add(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        let id = TypeId(self.types.len() as u32);
        self.depths.push(self.depth_of(&ty));
        self.types.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    fn depth_of(&self, ty: &Type) -> u32 {
        let below = |id: &TypeId| self.depths.get(id.0 as usize).copied().unwrap_or(0);
        match ty {
            // What is behind a pointer to a struct is another walk.
            Type::Pointer(target) if matches!(self.types.get(target.0 as usize), Some(Type::Tagged(..))) => 1,
            Type::Pointer(inner)
            | Type::Array(inner, _)
            | Type::Typedef(_, inner)
            | Type::Qualified(_, inner) => below(inner) + 1,
            Type::Function(result, parameters) => {
                parameters.types.iter().map(below).fold(below(result), u32::max) + 1
            }
            _ => 1,
        }
    }

    /// How deep a type nests; see [`MAX_DEPTH`].
    pub fn depth(&self, id: TypeId) -> u32 {
        self.depths[id.0 as usize]
    }

    /// Takes a tag's name away from the type that has it, for another to have it; what has the type keeps it.
    pub fn rename_tag(&mut self, id: TypeId) {
        if let Type::Tagged(kind, tag) = self.get(id) {
            // The number is not part of the name that is shown, see `bare_tag`.
            let renamed = Type::Tagged(*kind, format!("{tag}#{}", id.0).into());
            let old = std::mem::replace(&mut self.types[id.0 as usize], renamed.clone());
            self.ids.remove(&old);
            self.ids.insert(renamed, id);
        }
    }

    /// Adds another name of a type.
    pub fn define_name(&mut self, name: &str, target: TypeId) -> TypeId {
        self.name(name, Type::Typedef(name.into(), target))
    }

    /// The id of an integer type.
    pub fn int(&mut self, int: IntType) -> TypeId {
        self.add(Type::Int(int))
    }

    /// The type `pointer to ty`.
    pub fn pointer_to(&mut self, ty: TypeId) -> TypeId {
        self.add(Type::Pointer(ty))
    }

    /// The type behind a name: a base type such as `unsigned long`, or a typedef.
    pub fn named(&self, name: &str) -> Option<TypeId> {
        self.names.get(name).copied()
    }

    /// The names of all types that have one.
    pub fn type_names(&self) -> impl Iterator<Item = &str> {
        // The type of what is unknown has a name that nobody can write.
        self.names.keys().map(|name| &**name).filter(|name| !name.starts_with('<'))
    }

    /// The tags of structs, unions or enums that are defined.
    pub fn defined_tags(&self, kind: TagKind) -> impl Iterator<Item = &str> {
        let defined = self.records.keys().chain(self.enums.keys());
        defined.filter_map(move |ty| match self.get(*ty) {
            Type::Tagged(of, tag) if *of == kind => bare_tag(tag),
            _ => None,
        })
    }

    /// The tag that a type is the predefined name of, as `kthread_t` is.
    pub fn predefined_tag(&self, ty: TypeId) -> Option<(TagKind, &str)> {
        let Type::Typedef(name, target) = self.get(ty) else { return None };
        match self.get(*target) {
            Type::Tagged(kind, tag) if self.predefined.get(name) == Some(&ty) => Some((*kind, tag)),
            _ => None,
        }
    }

    /// The type as it was written, typedefs kept.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }

    /// The id with typedefs removed, and qualifiers.
    pub fn base(&self, mut id: TypeId) -> TypeId {
        while let Type::Typedef(_, target) | Type::Qualified(_, target) = self.get(id) {
            id = *target;
        }
        id
    }

    /// The type with typedefs removed, and qualifiers.
    pub fn resolve(&self, id: TypeId) -> &Type {
        self.get(self.base(id))
    }

    /// A type given by its C spelling: qualifiers, a base type, a typedef or a tag, then stars. Used for the tables of
    /// built-ins and for the arguments of probes. `None` if the base is unknown.
    pub fn spelt(&mut self, spelling: &str) -> Option<TypeId> {
        let base_end = spelling.find('*').unwrap_or(spelling.len());
        let mut words: Vec<&str> = spelling[..base_end]
            .split_whitespace()
            .filter(|w| !matches!(*w, "const" | "volatile" | "restrict" | "__user"))
            .collect();
        let stars = spelling[base_end..].chars().filter(|&c| c == '*').count();
        let mut ty = match words[..] {
            [kind @ ("struct" | "union" | "enum"), tag] => {
                self.add(Type::Tagged(TagKind::of_word(kind)?, tag.into()))
            }
            // The language means its own, whatever programs give that name.
            [word] if self.predefined.contains_key(word) => *self.predefined.get(word)?,
            [word] if self.names.contains_key(word) => self.named(word)?,
            [word] if KERNEL_TYPEDEFS.iter().any(|(name, _)| *name == word) => {
                let (name, target) = KERNEL_TYPEDEFS.iter().find(|(name, _)| *name == word)?;
                let target = self.spelt(target)?;
                self.add(Type::Typedef((*name).into(), target))
            }
            _ => {
                let combined = combine(&mut words)?;
                self.named(combined)?
            }
        };
        for _ in 0..stars {
            ty = self.pointer_to(ty);
        }
        Some(ty)
    }

    /// The name that messages use.
    pub fn show(&self, id: TypeId) -> String {
        match self.get(id) {
            Type::Void => "void".into(),
            Type::Int(int) => int.name.into(),
            Type::Float(name, _) => (*name).into(),
            Type::String => "string".into(),
            Type::Dyn(word) => (*word).into(),
            Type::Symbolic(kind) => kind.type_name().into(),
            Type::Tagged(kind, tag) => match bare_tag(tag) {
                Some(tag) => format!("{} {tag}", kind.word()),
                None => format!("{} (anonymous)", kind.word()),
            },
            Type::Typedef(name, _) => name.to_string(),
            Type::Qualified(qualifier, target) => format!("{} {}", qualifier.word(), self.show(*target)),
            Type::Function(..) => "function".into(),
            Type::Array(element, len) => {
                let mut dimensions = format!("[{len}]");
                let mut element = *element;
                while let Type::Array(inner, len) = self.get(element) {
                    dimensions += &format!("[{len}]");
                    element = *inner;
                }
                format!("{} {dimensions}", self.show(element))
            }
            Type::Pointer(target) => match self.get(*target) {
                Type::Function(..) => "function pointer".into(),
                Type::Array(element, len) => format!("{} (*)[{len}]", self.show(*element)),
                Type::Pointer(_) => format!("{}*", self.show(*target)),
                _ => format!("{} *", self.show(*target)),
            },
        }
    }

    /// The name as C declares it, which `print` shows: `int *(*)(void)`, `char *[3]`, `const char *const [2]`.
    pub fn declared(&self, id: TypeId) -> String {
        self.declaration(id, "")
    }

    /// The declaration of what `declarator` says of a type.
    fn declaration(&self, id: TypeId, declarator: &str) -> String {
        match self.get(id) {
            Type::Pointer(target) => {
                let inner = match self.get(*target) {
                    Type::Function(..) | Type::Array(..) => format!("(*{declarator})"),
                    _ => format!("*{declarator}"),
                };
                self.declaration(*target, &inner)
            }
            Type::Array(element, length) => self.declaration(*element, &format!("{declarator}[{length}]")),
            Type::Function(result, Parameters { types, more }) => {
                let mut all: Vec<String> = types.iter().map(|&ty| self.declared(ty)).collect();
                if *more {
                    all.push("...".into());
                }
                self.declaration(*result, &format!("{declarator}({})", all.join(", ")))
            }
            // Behind the star of a pointer, in front of anything else.
            Type::Qualified(qualifier, target) => match self.get(self.unqualified(*target)) {
                Type::Pointer(_) => {
                    let space = if declarator.is_empty() || declarator.starts_with(')') { "" } else { " " };
                    self.declaration(*target, &format!("{}{space}{declarator}", qualifier.word()))
                }
                _ => format!("{} {}", qualifier.word(), self.declaration(*target, declarator)),
            },
            _ => {
                let base = self.show(id).replace(" (anonymous)", "");
                if declarator.is_empty() { base } else { format!("{base} {declarator}") }
            }
        }
    }

    /// The id with qualifiers removed, typedefs kept.
    pub fn unqualified(&self, mut id: TypeId) -> TypeId {
        while let Type::Qualified(_, target) = self.get(id) {
            id = *target;
        }
        id
    }

    /// Size in bytes; `None` for `void`, functions, `<DYN>` and what is known by tag only. `string` has the size of the
    /// `strsize` limit.
    pub fn size(&self, id: TypeId, strsize: u32) -> Option<u64> {
        match self.resolve(id) {
            Type::Int(int) => Some(u64::from(int.bits / 8)),
            Type::Float(_, size) => Some(u64::from(*size)),
            Type::Pointer(_) => Some(8),
            Type::Tagged(TagKind::Enum, _) => {
                self.enumeration(self.base(id)).map(|e| u64::from(e.int.bits / 8))
            }
            Type::Tagged(..) => self.record(self.base(id)).map(|record| record.size),
            Type::Array(element, len) => self.size(*element, strsize)?.checked_mul(*len),
            Type::String => Some(u64::from(strsize)),
            _ => None,
        }
    }
}

/// A tag without its scope and number; `None` for what has no tag.
pub fn bare_tag(tag: &str) -> Option<&str> {
    let tag = tag.rsplit('`').next().unwrap_or(tag);
    let tag = tag.split('#').next().unwrap_or(tag);
    (!tag.is_empty()).then_some(tag)
}

/// The one name of a combination of base-type words in any order (`long unsigned int` is `unsigned long`); `None` if
/// there is no such type.
pub fn combine(words: &mut [&str]) -> Option<&'static str> {
    let count = |word: &str| words.iter().filter(|w| **w == word).count();
    let (long, short, int) = (count("long"), count("short"), count("int"));
    let (signed, unsigned, char, double) =
        (count("signed"), count("unsigned"), count("char"), count("double"));
    if long + short + int + signed + unsigned + char + double != words.len() || int > 1 || char > 1 {
        return None;
    }
    let sign = match (signed, unsigned) {
        (0, 0) => None,
        (_, 0) => Some(true),
        (0, _) => Some(false),
        _ => return None,
    };
    match (char, double, short, long) {
        (1, 0, 0, 0) if int == 0 => Some(match sign {
            None => "char",
            Some(true) => "signed char",
            Some(false) => "unsigned char",
        }),
        (0, 1, 0, 0) if sign.is_none() && int == 0 => Some("double"),
        (0, 1, 0, 1) if sign.is_none() && int == 0 => Some("long double"),
        (0, 0, 1, 0) => Some(if sign == Some(false) { "unsigned short" } else { "short" }),
        (0, 0, 0, 0) => Some(if sign == Some(false) { "unsigned int" } else { "int" }),
        (0, 0, 0, 1) => Some(if sign == Some(false) { "unsigned long" } else { "long" }),
        (0, 0, 0, 2) => Some(if sign == Some(false) { "unsigned long long" } else { "long long" }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        let mut table = TypeTable::new();
        for (spelling, shown) in [
            ("int", "int"),
            ("long unsigned int", "unsigned long"),
            ("const char *", "char *"),
            ("char **", "char **"),
            ("const char *const *", "char **"),
            ("struct stat *", "struct stat *"),
            ("uint64_t", "uint64_t"),
            ("umode_t", "umode_t"),
            ("unsigned", "unsigned int"),
            ("void *", "void *"),
        ] {
            let id = table.spelt(spelling);
            assert_eq!(id.map(|id| table.show(id)).as_deref(), Some(shown), "{spelling}");
        }
        assert_eq!(table.spelt("ghost_t"), None);
        assert_eq!(table.spelt("short long"), None);
    }

    #[test]
    fn the_parser_knows_the_same_names() {
        let table = TypeTable::new();
        for name in crate::parse::PREDEFINED_TYPES {
            assert!(table.named(name).is_some(), "{name}");
        }
        for (name, _) in TYPEDEFS {
            assert!(crate::parse::PREDEFINED_TYPES.contains(name), "{name}");
        }
    }

    #[test]
    fn equal_types_have_equal_ids() {
        let mut table = TypeTable::new();
        let a = table.spelt("char *");
        assert_eq!(a, table.spelt("char *"));
        assert_ne!(table.spelt("pid_t"), table.spelt("int"));
        let (pid, int) = (table.spelt("pid_t").map(|t| table.base(t)), table.spelt("int"));
        assert_eq!(pid, int);
    }
}
