//! What the language must know of the machine, as plain facts and one trait. Event sources implement it.

use std::sync::Arc;

use crate::types::TagKind;

/// A probe's number, as `-l` shows it and `id` reads it. 1, 2 and 3 are `BEGIN`, `END` and `ERROR` everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProbeId(pub u32);

impl ProbeId {
    /// `dtrace:::BEGIN`
    pub const BEGIN: ProbeId = ProbeId(1);
    /// `dtrace:::END`
    pub const END: ProbeId = ProbeId(2);
    /// `dtrace:::ERROR`
    pub const ERROR: ProbeId = ProbeId(3);
}

/// Who makes a probe fire, which decides how its clauses may be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FiredBy {
    /// The traced system: the event source reports it, and what it knows exists only at that moment.
    Source,
    /// dtrail itself (`BEGIN`, `END`, `tick-…`): its clauses always run in user space, in the tracer's own context,
    /// at the very moment of the event, and see kernel-homed variables directly.
    Tracer,
    /// A fault (`ERROR`): runs in user space after the faulting clause.
    Fault,
}

/// One probe that exists on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Its number.
    pub id: ProbeId,
    /// `syscall`
    pub provider: Arc<str>,
    /// `vmlinux`, or empty
    pub module: Arc<str>,
    /// `read`, or empty
    pub function: Arc<str>,
    /// `entry`
    pub name: Arc<str>,
    /// Who fires it.
    pub fired_by: FiredBy,
    /// C types of `args[]`, in order, e.g. `char *`; empty where there are no typed arguments.
    pub args: Arc<[ProbeArg]>,
    /// The attributes that `-v` prints.
    pub stability: ProviderStability,
}

/// One typed argument of a probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeArg {
    /// The C type, in D's spelling.
    pub ty: Arc<str>,
    /// Whether a pointer points to the traced process's memory.
    pub userland: bool,
}

/// Stability triples of a provider (language spec §15, runtime spec §13.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProviderStability {
    /// Of the probe description.
    pub description: Stability,
    /// Of the arguments.
    pub args: Stability,
}

/// Name, data and class levels by their words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stability {
    /// Identifier names.
    pub name: &'static str,
    /// Data semantics.
    pub data: &'static str,
    /// Dependency class.
    pub class: &'static str,
}

/// A probe description, macros expanded and filled from the right. Empty components match everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProbePattern {
    /// Provider component.
    pub provider: String,
    /// Module component.
    pub module: String,
    /// Function component.
    pub function: String,
    /// Name component.
    pub name: String,
}

/// Why a pattern yields nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoMatch {
    /// No such probe here (`D_PDESC_ZERO`).
    Zero,
    /// Another source has it; the text names that source and why this one cannot give it.
    OtherSource(String),
    /// The provider refuses the description with a tag of its own (`D_PROC_…`) and a text.
    Refused {
        /// The tag, without brackets.
        tag: &'static str,
        /// The message.
        text: String,
    },
}

/// A type of the kernel: the object that holds it and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KernelTypeId {
    /// 0 is the core kernel; modules are numbered as they are first asked for. Types that a module shares with the core
    /// kernel belong to that.
    pub object: u32,
    /// 0 is `void`.
    pub id: u32,
}

/// One level of a type of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are C's")]
pub enum KernelType {
    Void,
    Int {
        bytes: u64,
        signed: bool,
        boolean: bool,
        name: Arc<str>,
    },
    Float {
        bytes: u64,
    },
    Pointer(KernelTypeId),
    Array {
        element: KernelTypeId,
        length: u64,
    },
    Record {
        kind: TagKind,
        tag: Option<Arc<str>>,
        bytes: u64,
    },
    Enum {
        tag: Option<Arc<str>>,
        bytes: u64,
        /// It has negative values.
        signed: bool,
    },
    Forward {
        kind: TagKind,
        tag: Arc<str>,
    },
    Typedef {
        name: Arc<str>,
        target: KernelTypeId,
    },
    /// A type with a qualifier before it; `None`: a tag without meaning here.
    Qualified(Option<Qualifier>, KernelTypeId),
    /// What is behind a pointer to memory of a process.
    User(KernelTypeId),
    Function {
        result: KernelTypeId,
        /// Their types; `void` alone for none.
        parameters: Vec<KernelTypeId>,
        /// `...`
        more: bool,
    },
}

/// What C says of how a value may be used. D obeys none of them: they are shown where a type is shown as it was declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Qualifier {
    /// `const`
    Const,
    /// `volatile`
    Volatile,
    /// `restrict`
    Restrict,
}

impl Qualifier {
    /// As C writes it.
    pub fn word(self) -> &'static str {
        match self {
            Qualifier::Const => "const",
            Qualifier::Volatile => "volatile",
            Qualifier::Restrict => "restrict",
        }
    }
}

/// A member of a struct or union of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelMember {
    /// Absent for an anonymous struct or union.
    pub name: Option<Arc<str>>,
    /// Its type.
    pub ty: KernelTypeId,
    /// Bits from the start of the struct.
    pub bit_offset: u64,
    /// The width of a bit-field.
    pub width: Option<u8>,
}

/// A symbol of the kernel (language spec §5.7, §8.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelSymbol {
    /// Its type; `None` if no type data has it.
    pub ty: Option<KernelTypeId>,
    /// Where it is; `None` if this user may not know.
    pub address: Option<u64>,
    /// How code comes to the one of its CPU, if each CPU has its own; `address` is then of no use.
    pub per_cpu: Option<PerCpu>,
    /// Whether it is a function.
    pub function: bool,
    /// Its size in bytes, 0 if unknown.
    pub size: u64,
}

/// The way from the current task to the variables of the CPU it runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerCpu {
    /// Where two pointers lie that are followed one after the other: bytes from the task, then from what the first points
    /// to.
    pub hops: [u32; 2],
    /// Bytes from what the second points to.
    pub offset: i64,
}

/// The kernel's own description of its types, looked into piece by piece.
pub trait KernelTypes {
    /// A typedef or base type (`tag` absent), or a struct, union or enum by its tag, complete if there is a complete one.
    /// `module` is `vmlinux`, a module, or absent for any.
    fn find(&self, module: Option<&str>, tag: Option<TagKind>, name: &str) -> Option<KernelTypeId>;
    /// One level of a type.
    fn describe(&self, id: KernelTypeId) -> KernelType;
    /// The tags of a kind, or the names of types that are no tags, of the core kernel: for who misspells one.
    fn names(&self, _tag: Option<TagKind>) -> Vec<String> {
        Vec::new()
    }

    /// The members of a struct or union, in order.
    fn members(&self, id: KernelTypeId) -> Vec<KernelMember>;
    /// The enumerators of an enum, in order.
    fn enumerators(&self, id: KernelTypeId) -> Vec<(Arc<str>, i64)>;
    /// The parameter types of a function, in order.
    fn parameters(&self, id: KernelTypeId) -> Vec<KernelTypeId>;
    /// The name of the module whose type data holds a type: `vmlinux` for the core kernel.
    fn module_name(&self, id: KernelTypeId) -> Arc<str>;
}

/// The macro variables that sources know (language spec §2.13), without the `$`.
pub const MACRO_VARIABLES: [&str; 9] = ["egid", "euid", "gid", "pgid", "pid", "ppid", "sid", "target", "uid"];

/// The machine, as far as a D program can name it. One implementation per event source.
pub trait Environment {
    /// Every probe that the pattern matches, in ID order; on-demand probes (`tick-7ms`) are made by the call.
    fn match_probes(&self, pattern: &ProbePattern) -> Result<Vec<Probe>, NoMatch>;
    /// The probe with this number.
    fn probe_by_id(&self, id: ProbeId) -> Option<Probe>;
    /// The value of `$pid`, `$target`, …; `None` for an unknown name (language spec §2.13).
    fn macro_variable(&self, name: &str) -> Option<i64>;
    /// Names close to a misspelt provider or function, best first; may be empty.
    fn suggest(&self, pattern: &ProbePattern) -> Vec<String>;
    /// The kernel's types; `Err` says why there are none.
    fn kernel_types(&self) -> Result<&dyn KernelTypes, String> {
        Err("this source has no type data of the kernel".to_owned())
    }
    /// A symbol of the kernel, of a module (`vmlinux` for the core kernel) or of any. `Err` says why symbols cannot be
    /// read at all.
    fn kernel_symbol(&self, _module: Option<&str>, _name: &str) -> Result<Option<KernelSymbol>, String> {
        Err("this source has no symbols of the kernel".to_owned())
    }
}

/// Whether a component of a description is a pattern, not the name of one thing.
pub fn is_glob(component: &str) -> bool {
    component.contains(['*', '?', '[', '\\'])
}

/// Whether `text` matches one component of a description (language spec §4.2): globs `* ? [] \`, anchored at both ends.
///
/// Runs in time proportional to the product of the lengths, without recursion.
pub fn glob_match(pattern: &str, text: &str) -> bool {
    let (p, t) = (pattern.as_bytes(), text.as_bytes());
    let (mut pi, mut ti) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    loop {
        if pi < p.len() && p[pi] == b'*' {
            star = Some((pi + 1, ti));
            pi += 1;
            continue;
        }
        if ti == t.len() {
            return pi == p.len();
        }
        match match_one(p, pi, t[ti]) {
            Some(next) => {
                pi = next;
                ti += 1;
            }
            None => match star {
                Some((after, from)) => {
                    pi = after;
                    ti = from + 1;
                    star = Some((after, ti));
                }
                None => return false,
            },
        }
    }
}

/// Matches one byte against the single-byte item at `pi`; returns the index after the item.
fn match_one(p: &[u8], pi: usize, byte: u8) -> Option<usize> {
    match *p.get(pi)? {
        b'?' => Some(pi + 1),
        b'\\' if pi + 1 < p.len() => (p[pi + 1] == byte).then_some(pi + 2),
        b'[' => {
            let (matched, next) = match_set(p, pi + 1, byte)?;
            matched.then_some(next)
        }
        c => (c == byte).then_some(pi + 1),
    }
}

/// Matches a `[…]` set whose content starts at `i`; `None` if it is not closed.
fn match_set(p: &[u8], mut i: usize, byte: u8) -> Option<(bool, usize)> {
    let negated = p.get(i) == Some(&b'!');
    i += usize::from(negated);
    let mut matched = false;
    let first = i;
    loop {
        let mut low = *p.get(i)?;
        if low == b']' && i > first {
            return Some((matched != negated, i + 1));
        }
        if low == b'\\' {
            i += 1;
            low = *p.get(i)?;
        }
        i += 1;
        let mut high = low;
        if p.get(i) == Some(&b'-') && p.get(i + 1).is_some_and(|&c| c != b']') {
            high = p[i + 1];
            i += 2;
        }
        matched |= (low..=high).contains(&byte);
    }
}

#[cfg(test)]
mod tests {
    use super::glob_match;

    #[test]
    fn globs() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("re*d", "read", true),
            ("re*d", "readv", false),
            ("*a*b*", "xxaxxbxx", true),
            ("?ead", "read", true),
            ("[a-q]ead", "read", false),
            ("[!a-q]ead", "read", true),
            ("\\*", "*", true),
            ("\\*", "x", false),
            ("[BE]*", "ERROR", true),
            ("!BEGIN", "BEGIN", false),
            ("[abc", "a", false),
            ("[]]", "]", true),
            ("", "", true),
            ("a**", "a", true),
        ] {
            assert_eq!(glob_match(pattern, text), expected, "{pattern} against {text}");
        }
    }
}
