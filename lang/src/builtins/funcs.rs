//! Subroutines (language spec §10, runtime spec §8): functions with a value, usable in expressions.

use super::{Class, Kernel, Proto};
use Proto::{Bytes, C, String as Str};

/// One subroutine.
#[derive(Clone, Copy, Debug)]
pub struct FuncRow {
    /// Its id.
    pub id: Func,
    /// Its name in D; internal rows have names that no identifier can have.
    pub name: &'static str,
    /// The result.
    pub result: Proto,
    /// The parameters.
    pub params: &'static [Proto],
    /// How many of them must be given.
    pub required: u8,
    /// Where it may run.
    pub class: Class,
    /// Whether the emitter knows it.
    pub kernel: Kernel,
    /// Whether it can raise a fault by itself (a NULL argument, a bad address, a bad size).
    pub may_fault: bool,
}

macro_rules! funcs {
    ($($(#[$doc:meta])* $id:ident = $name:literal, $result:expr, $params:expr, $required:literal, $class:ident,
       $kernel:expr, $fault:literal;)*) => {
        /// A subroutine.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Func { $($(#[$doc])* $id,)* }

        impl Func {
            /// Every row, in table order; `func as usize` indexes it.
            pub const ROWS: &'static [FuncRow] = &[$(FuncRow {
                id: Func::$id, name: $name, result: $result, params: $params, required: $required,
                class: Class::$class, kernel: $kernel, may_fault: $fault,
            },)*];
        }
    };
}

/// Most bytes of a block that the kernel part reads: as many as `scratchsize` can be, and no more than what is meant for a
/// few large values has in all ([`KERNEL_MEMORY`](crate::plan::layout::KERNEL_MEMORY)).
pub const BLOCK_MOST: i64 = crate::options::LARGEST_SCRATCH as i64;

/// The family of IPv4 addresses, for `inet_ntop`.
pub const AF_INET: i64 = 2;
/// The family of IPv6 addresses.
pub const AF_INET6: i64 = 10;
/// Families that `inet_ntop` knows, and the bytes of an address of each.
pub const FAMILIES: &[(i64, i64)] = &[(AF_INET, 4), (AF_INET6, 16)];
/// Hardware types that `link_ntop` knows, `ARPHRD_ETHER` and `ARPHRD_INFINIBAND`, and the bytes of an address of each.
pub const HARDWARE: &[(i64, i64)] = &[(1, 6), (32, 20)];

/// Bytes up to a NUL.
pub const CHARS: Proto = C("char *");
/// A character.
pub const CHAR: Proto = C("char");
const INT: Proto = C("int");
const SIZE: Proto = C("size_t");
/// An address in the traced process's memory.
pub const UADDR: Proto = C("uintptr_t");
const VOID: Proto = C("void");
const POINTER: Proto = C("void *");
const U16: Proto = C("uint16_t");
const U32: Proto = C("uint32_t");
const U64: Proto = C("uint64_t");

funcs! {
    /// Scratch block filled from the current process's memory.
    Copyin = "copyin", C("void *"), &[UADDR, SIZE], 2, Pinned, Kernel::Yes, true;
    /// String from the current process's memory.
    Copyinstr = "copyinstr", Str, &[UADDR, SIZE], 1, Pinned, Kernel::Yes, true;
    /// Length, at most `strsize`.
    Strlen = "strlen", SIZE, &[CHARS], 1, Free, Kernel::Yes, true;
    /// Concatenation, cut at `strsize`.
    Strjoin = "strjoin", Str, &[CHARS, CHARS], 2, Free, Kernel::Yes, true;
    /// Suffix at the first match, NULL if none.
    Strstr = "strstr", Str, &[CHARS, CHARS], 2, Free, Kernel::ConstString(1), true;
    /// Offset of the first occurrence at or after a start, -1 if none.
    Index = "index", INT, &[CHARS, CHARS, INT], 2, Free, Kernel::ConstString(1), true;
    /// Part of a string (runtime spec §8.1).
    Substr = "substr", Str, &[CHARS, INT, INT], 2, Free, Kernel::Yes, true;
    /// Last path component.
    Basename = "basename", Str, &[CHARS], 1, Free, Kernel::Yes, true;
    /// Path up to the last component.
    Dirname = "dirname", Str, &[CHARS], 1, Free, Kernel::Yes, true;
    /// Offset of the last occurrence that begins at or before a start (without one: the end), -1 if none.
    Rindex = "rindex", INT, &[CHARS, CHARS, INT], 2, Free, Kernel::No, true;
    /// Suffix at the first such byte, NULL if none and for 0.
    Strchr = "strchr", Str, &[CHARS, CHAR], 2, Free, Kernel::No, true;
    /// Suffix at the last such byte, NULL if none and for 0.
    Strrchr = "strrchr", Str, &[CHARS, CHAR], 2, Free, Kernel::No, true;
    /// The next token of a string, or of the one before if the string is NULL; NULL when there is none. Keeps its place
    /// for each CPU, in user space.
    Strtok = "strtok", Str, &[CHARS, CHARS], 2, Free, Kernel::No, true;
    /// Lexical canonical form of a path (runtime spec §8.1).
    Cleanpath = "cleanpath", Str, &[CHARS], 1, Free, Kernel::No, true;
    /// ASCII letters made small.
    Tolower = "tolower", Str, &[CHARS], 1, Free, Kernel::No, true;
    /// ASCII letters made capital.
    Toupper = "toupper", Str, &[CHARS], 1, Free, Kernel::No, true;
    /// An integer in digits: signed decimal, or unsigned in base 2 to 36.
    Lltostr = "lltostr", Str, &[C("int64_t"), INT], 1, Free, Kernel::No, true;
    /// The integer that a string begins with, in base 2 to 36, without one 10.
    Strtoll = "strtoll", C("int64_t"), &[CHARS, INT], 1, Free, Kernel::No, true;
    /// 16 bits to network order.
    Htons = "htons", U16, &[U16], 1, Free, Kernel::Yes, false;
    /// 32 bits to network order.
    Htonl = "htonl", U32, &[U32], 1, Free, Kernel::Yes, false;
    /// 64 bits to network order.
    Htonll = "htonll", U64, &[U64], 1, Free, Kernel::Yes, false;
    /// 16 bits from network order.
    Ntohs = "ntohs", U16, &[U16], 1, Free, Kernel::Yes, false;
    /// 32 bits from network order.
    Ntohl = "ntohl", U32, &[U32], 1, Free, Kernel::Yes, false;
    /// 64 bits from network order.
    Ntohll = "ntohll", U64, &[U64], 1, Free, Kernel::Yes, false;
    /// Major number of a device number in the kernel's encoding.
    Getmajor = "getmajor", C("dev_t"), &[C("dev_t")], 1, Free, Kernel::Yes, false;
    /// Minor number of a device number.
    Getminor = "getminor", C("dev_t"), &[C("dev_t")], 1, Free, Kernel::Yes, false;
    /// A pseudo-random pattern of 32 bits.
    Rand = "rand", INT, &[], 0, Free, Kernel::No, false;
    /// A new, zeroed block of scratch memory.
    Alloca = "alloca", POINTER, &[SIZE], 1, Free, Kernel::Writing(Some(0)), true;
    /// Copies bytes to scratch memory. The lowering makes it [`Func::Block`] and [`Func::Fill`].
    Bcopy = "bcopy", VOID, &[POINTER, POINTER, SIZE], 3, Free, Kernel::No, true;
    /// Copies bytes of the current process's memory to scratch memory; expanded like [`Func::Bcopy`].
    Copyinto = "copyinto", VOID, &[UADDR, SIZE, POINTER], 3, Free, Kernel::No, true;
    /// Writes a block to the current process's memory.
    Copyout = "copyout", VOID, &[Bytes("void *", 0), UADDR, SIZE], 3, Pinned, Kernel::Writing(Some(2)), true;
    /// Writes a string with its NUL to the current process's memory, at most so many bytes.
    Copyoutstr = "copyoutstr", VOID, &[CHARS, UADDR, SIZE], 3, Pinned, Kernel::Writing(None), true;
    /// An IPv4 address in network order as text.
    InetNtoa = "inet_ntoa", Str, &[Bytes("unsigned int *", 4)], 1, Free, Kernel::No, false;
    /// An IPv6 address as text; IPv4 within IPv6 keeps its prefix if the second argument is not 0.
    InetNtoa6 = "inet_ntoa6", Str, &[Bytes("struct in6_addr *", 16), INT], 1, Free, Kernel::No, false;
    /// An address of a family as text.
    InetNtop = "inet_ntop", Str, &[INT, Bytes("void *", 0)], 2, Free, Kernel::No, true;
    /// A hardware address of a type as text.
    LinkNtop = "link_ntop", Str, &[INT, Bytes("void *", 0)], 2, Free, Kernel::No, true;
    /// What stands at a path of a JSON text, NULL if nothing does (runtime spec §8.1).
    Json = "json", Str, &[CHARS, CHARS], 2, Free, Kernel::No, true;
    /// Whether the current process is one or descends from it.
    Progenyof = "progenyof", INT, &[C("pid_t")], 1, Pinned, Kernel::Yes, false;
    /// Takes a free speculation: its number, or 0.
    Speculation = "speculation", INT, &[], 0, Control, Kernel::Yes, false;
    /// The path that a `struct path` of the kernel stands for. The lowering makes it [`Func::Path`].
    DPath = "d_path", Str, &[C("struct path *")], 1, Pinned, Kernel::No, true;
    /// The open file of a descriptor of the current process, NULL if it is not open. The lowering makes it loads.
    Getf = "getf", C("struct file *"), &[INT], 1, Pinned, Kernel::No, true;
    /// The path of the place that a mount is seen at. Of the library; the lowering makes it [`Func::Path`].
    MountPoint = "dtrail_mount_point", Str, &[C("struct vfsmount *")], 1, Pinned, Kernel::No, true;
    /// The words of a process's command line, which lie between two addresses of the current process. Of the library; the
    /// lowering makes it [`Func::Block`] and [`Func::Words`].
    Arguments = "dtrail_arguments", Str, &[UADDR, UADDR], 2, Pinned, Kernel::No, true;
    /// Whether the current thread holds a mutex. The lowering makes this and the next ones loads.
    MutexOwned = "mutex_owned", INT, &[C("struct mutex *")], 1, Pinned, Kernel::No, true;
    /// The thread that holds a mutex, NULL if none does.
    MutexOwner = "mutex_owner", C("struct task_struct *"), &[C("struct mutex *")], 1, Pinned, Kernel::No, true;
    /// 1: every mutex is.
    MutexTypeAdaptive = "mutex_type_adaptive", INT, &[C("struct mutex *")], 1, Free, Kernel::No, false;
    /// 0: no mutex is.
    MutexTypeSpin = "mutex_type_spin", INT, &[C("struct mutex *")], 1, Free, Kernel::No, false;
    /// Whether someone reads under a lock.
    RwReadHeld = "rw_read_held", INT, &[C("rwlock_t *")], 1, Pinned, Kernel::No, true;
    /// Whether someone writes under a lock.
    RwWriteHeld = "rw_write_held", INT, &[C("rwlock_t *")], 1, Pinned, Kernel::No, true;
    /// Whether someone writes under a lock or waits to.
    RwIswriter = "rw_iswriter", INT, &[C("rwlock_t *")], 1, Pinned, Kernel::No, true;
    /// Sends a signal to the current process; a failure is nobody's business. Internal: what `raise` and `stop` do.
    Signal = "<signal>", INT, &[INT], 1, Pinned, Kernel::Yes, false;
    /// Internal: so many bytes at an address, whatever they are; the third argument says of which
    /// memory: 0 by the address, 1 the process's. Unreadable: `BADADDR` with the address.
    Block = "<block>", Str, &[UADDR, SIZE, INT], 3, Pinned, Kernel::ConstSize(1), true;
    /// Internal: the path of the `struct path` at an address, for a process that keeps where its root is (`task_struct.fs`) at another,
    /// by the places of [`super::paths`], or the place that the mount at the address is seen at; no path: `BADADDR` with the address.
    Path = "<path>", Str, &[POINTER, POINTER, U64], 3, Pinned, Kernel::Yes, true;
    /// Internal: of the bytes of a block from one on so many, at most 79, with blanks for NULs and none at the end.
    Words = "<words>", Str, &[CHARS, C("int64_t"), C("int64_t")], 3, Free, Kernel::No, false;
    /// Internal: so many bytes of scratch memory at an address, else `BADADDR` with it.
    Scratch = "<scratch>", Str, &[UADDR, SIZE], 2, Free, Kernel::Writing(Some(1)), true;
    /// Internal: a size of scratch memory; above `scratchsize` it raises `BADSIZE`.
    Size = "<size>", SIZE, &[SIZE], 1, Free, Kernel::Yes, true;
    /// Internal: the bytes of a block or string, zeros after its end, to so many bytes of scratch memory; outside of what
    /// is allocated: `BADADDR` with the address.
    Fill = "<fill>", INT, &[CHARS, UADDR, SIZE], 3, Free, Kernel::Writing(Some(2)), true;
    /// Internal: what stands for the bytes of an address of a kind that is not known; raises `ILLOP`.
    NoAddress = "<no-address>", Str, &[INT], 1, Free, Kernel::No, true;
    /// Internal: `s + n`, the suffix of a string from byte n, unchecked (language spec §5.4): beyond the end it is
    /// empty.
    StrSuffix = "<suffix>", Str, &[CHARS, C("int64_t")], 2, Free, Kernel::Yes, true;
    /// Internal: `s[n]`, one byte of a string, sign-extended; 0 beyond the end. A computed index at or above
    /// `strsize` raises `BADINDEX`; a constant one is not checked (the third argument says which: 1 is computed).
    StrByte = "<byte>", C("char"), &[CHARS, C("int64_t"), INT], 3, Free, Kernel::Yes, true;
    /// Internal: eight bytes of a string from byte n on, the first one lowest, zeros behind its end; NULL has no bytes.
    StrWord = "<word>", U64, &[CHARS, C("int64_t")], 2, Free, Kernel::ConstSize(1), false;
    /// Internal: a computed index into an ordinary array and the array's length; gives the index, or raises `BADINDEX`
    /// with it if it is not below the length, both taken as unsigned.
    ArrayIndex = "<index>", C("int64_t"), &[C("int64_t"), C("int64_t")], 2, Free, Kernel::Yes, true;
    /// Internal: the number that `commit` and `discard` take; `ILLOP` if there is none such (`nspec`).
    SpecNumber = "<speculation>", INT, &[INT], 1, Free, Kernel::Yes, true;
    /// Internal: the turn that a speculation is in ([`crate::plan::speculations`]), from 1. None: the clause ends, as after a
    /// store that finds no room, and nothing is counted.
    SpecTurn = "<turn>", U64, &[INT], 1, Control, Kernel::Yes, false;
    /// Internal: ends the turn of a speculation, whose records will be printed: which turn, 0 if it was in none.
    SpecCommit = "<commit>", U64, &[INT], 1, Control, Kernel::Yes, false;
    /// Internal: the same, and its records will be forgotten.
    SpecDiscard = "<discard>", U64, &[INT], 1, Control, Kernel::Yes, false;
    /// Internal: the number of the kernel stack of at most so many frames (a constant); 0 if it could not be kept.
    Stack = "<stack>", U64, &[U32], 1, Pinned, Kernel::Yes, false;
    /// Internal: the number of the user stack of at most so many frames, with so many bytes of names (constants).
    Ustack = "<ustack>", U64, &[U32, U32], 2, Pinned, Kernel::Yes, false;
    /// Internal: the number of an address of the current process.
    Uaddr = "<uaddr>", U64, &[UADDR], 1, Pinned, Kernel::Yes, false;
    /// The text of an error number. Not of D, like the rest: see [`Func::called`].
    Strerror = "strerror", Str, &[INT], 1, User, Kernel::No, false;
    /// The name of a signal, NULL if it has none.
    SignalName = "signal_name", Str, &[INT], 1, User, Kernel::No, false;
    /// The name of a system call by its number, NULL if it has none.
    SyscallName = "syscall_name", Str, &[C("int64_t")], 1, User, Kernel::No, false;
    /// A moment in nanoseconds since 1970 as local time.
    Strftime = "strftime", Str, &[CHARS, C("int64_t")], 2, User, Kernel::No, true;
}

impl Func {
    /// The row of a subroutine.
    pub fn row(self) -> &'static FuncRow {
        &Func::ROWS[self as usize]
    }

    /// As messages name it: by its name in D, an internal one by what it does.
    pub fn described(self) -> String {
        let what = match self {
            Func::Signal => "a signal to the process",
            Func::Block => "a read of memory",
            Func::Path => "a path of the kernel",
            Func::Words => "a command line",
            Func::Scratch => "a read of scratch memory",
            Func::Size => "a size",
            Func::Fill => "a store to scratch memory",
            Func::NoAddress => "an address of no known kind",
            Func::StrSuffix => "the rest of a string",
            Func::StrByte => "a byte of a string",
            Func::StrWord => "bytes of a string",
            Func::ArrayIndex => "an index",
            Func::SpecNumber => "the number of a speculation",
            Func::SpecTurn => "`speculate`",
            Func::SpecCommit => "`commit`",
            Func::SpecDiscard => "`discard`",
            Func::Stack | Func::Ustack => "a stack",
            Func::Uaddr => "an address of the process",
            _ => return format!("`{}`", self.row().name),
        };
        what.to_owned()
    }

    /// Whether its result can be NULL.
    pub fn may_be_null(self) -> bool {
        matches!(
            self,
            Func::Strstr
                | Func::Strchr
                | Func::Strrchr
                | Func::Strtok
                | Func::Json
                | Func::SignalName
                | Func::SyscallName
        )
    }

    /// Whether it needs `-w`.
    pub fn destructive(self) -> bool {
        matches!(self, Func::Copyout | Func::Copyoutstr | Func::Signal)
    }

    /// Whether it reads the process's memory.
    pub fn reads_process(self) -> bool {
        matches!(self, Func::Copyin | Func::Copyinstr | Func::Copyinto)
    }

    /// Whether it writes to the process's memory.
    pub fn writes_process(self) -> bool {
        matches!(self, Func::Copyout | Func::Copyoutstr)
    }

    /// Whether it changes scratch memory: what is allocated, or its bytes.
    pub fn changes_scratch(self) -> bool {
        matches!(self, Func::Alloca | Func::Bcopy | Func::Copyinto | Func::Fill)
    }

    /// Whether it is there for what it does to the world, and not for its value.
    pub fn acts(self) -> bool {
        self.destructive() || (self.speculates() && self != Func::SpecTurn)
    }

    /// Whether it reads or changes which speculations are in use.
    pub fn speculates(self) -> bool {
        self.row().class == Class::Control
    }

    /// The subroutine of a name that D itself has.
    pub fn by_name(name: &str) -> Option<Func> {
        Func::called(name, true)
    }

    /// The subroutine that a call names: see [`super::AggFn::called`].
    pub fn called(name: &str, strict: bool) -> Option<Func> {
        let row = Func::ROWS.iter().find(|row| row.name == name)?;
        (!strict || !row.id.is_extension()).then_some(row.id)
    }

    /// Whether D does not have it.
    pub fn is_extension(self) -> bool {
        matches!(self, Func::Strerror | Func::SignalName | Func::SyscallName | Func::Strftime)
    }
}

/// Subroutines of D that exist elsewhere or come later, with the reason the checker gives and what they take.
pub const UNIMPLEMENTED: &[(&str, &str, &[Proto])] = &[
    ("ddi_pathname", "unimplemented subroutine: ddi_pathname", &[POINTER, C("int64_t")]),
    ("msgdsize", "unimplemented subroutine: msgdsize", &[C("mblk_t *")]),
    ("msgsize", "unimplemented subroutine: msgsize", &[C("mblk_t *")]),
];

#[cfg(test)]
mod tests {
    use super::Func;

    #[test]
    fn no_message_has_an_internal_name() {
        for row in Func::ROWS {
            assert!(!row.id.described().contains('<'), "{}", row.name);
        }
    }

    #[test]
    fn rows_are_indexed_by_id() {
        for (i, row) in Func::ROWS.iter().enumerate() {
            assert_eq!(row.id as usize, i, "{}", row.name);
            assert!(usize::from(row.required) <= row.params.len());
        }
    }
}
