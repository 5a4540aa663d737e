//! Built-in variables (language spec §8.4).

use super::Class;

macro_rules! vars {
    ($($(#[$doc:meta])* $id:ident = $name:literal, $ty:literal, $reg:ident, $class:ident, $header:literal, $attr:literal;)*) => {
        /// A built-in variable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Var { $($(#[$doc])* $id,)* }

        impl Var {
            /// Every row, in table order; `var as usize` indexes it.
            pub const ROWS: &'static [VarRow] = &[$(VarRow {
                id: Var::$id, name: $name, ty: $ty, string: matches!(RegKind::$reg, RegKind::Str),
                class: Class::$class, in_header: $header, stability: $attr,
            },)*];
        }
    };
}

enum RegKind {
    Int,
    Str,
}

/// One built-in variable.
#[derive(Clone, Copy, Debug)]
pub struct VarRow {
    /// Its id.
    pub id: Var,
    /// Its name in D. `arg0`…`arg9` are one row, named `arg`, with an index; internal rows have names that no
    /// identifier can have.
    pub name: &'static str,
    /// Its type, in D's spelling.
    pub ty: &'static str,
    /// Whether its value is a string register.
    pub string: bool,
    /// Where it can be read.
    pub class: Class,
    /// Whether every event record's header carries it, so that user space needs no capture.
    pub in_header: bool,
    /// Stability triple `name/data/class`.
    pub stability: &'static str,
}

vars! {
    /// `arg0` … `arg9`, by index.
    Arg = "arg", "int64_t", Int, Pinned, false, "Stable/Stable/Common";
    /// Command name, at most 15 bytes.
    Execname = "execname", "string", Str, Pinned, false, "Stable/Stable/Common";
    /// Thread-group ID.
    Pid = "pid", "pid_t", Int, Pinned, true, "Stable/Stable/Common";
    /// Kernel thread ID.
    Tid = "tid", "id_t", Int, Pinned, true, "Stable/Stable/Common";
    /// Real parent's thread-group ID.
    Ppid = "ppid", "pid_t", Int, Pinned, false, "Stable/Stable/Common";
    /// Real user ID.
    Uid = "uid", "uid_t", Int, Pinned, false, "Stable/Stable/Common";
    /// Real group ID.
    Gid = "gid", "gid_t", Int, Pinned, false, "Stable/Stable/Common";
    /// CPU number.
    Cpu = "cpu", "processorid_t", Int, Pinned, true, "Stable/Stable/Common";
    /// Monotonic nanoseconds; one value for all clauses of a firing.
    Timestamp = "timestamp", "uint64_t", Int, Pinned, true, "Stable/Stable/Common";
    /// Nanoseconds since 1970 UTC; one value for all clauses of a firing.
    Walltimestamp = "walltimestamp", "int64_t", Int, Pinned, false, "Stable/Stable/Common";
    /// Error of the firing system call return, 0 elsewhere.
    Errno = "errno", "int", Int, Pinned, false, "Stable/Stable/Common";
    /// Provider component of the firing probe.
    Probeprov = "probeprov", "string", Str, Free, true, "Stable/Stable/Common";
    /// Module component.
    Probemod = "probemod", "string", Str, Free, true, "Stable/Stable/Common";
    /// Function component.
    Probefunc = "probefunc", "string", Str, Free, true, "Stable/Stable/Common";
    /// Name component.
    Probename = "probename", "string", Str, Free, true, "Stable/Stable/Common";
    /// Probe ID.
    Id = "id", "uint_t", Int, Free, true, "Stable/Stable/Common";
    /// Probe ID in the high 32 bits, clause number in the low.
    Epid = "epid", "uint64_t", Int, Free, true, "Stable/Stable/Common";
    /// Interrupt priority level: always 0.
    Ipl = "ipl", "uint_t", Int, Free, true, "Stable/Stable/Common";
    /// Where the kernel function that was probed returns to: the second address of the kernel stack, 0 if there is none.
    Caller = "caller", "uintptr_t", Int, Pinned, false, "Stable/Stable/Common";
    /// The second address of the user stack, 0 if there is none.
    Ucaller = "ucaller", "uint64_t", Int, Pinned, false, "Stable/Stable/Common";
    /// Frames of the kernel stack.
    Stackdepth = "stackdepth", "uint32_t", Int, Pinned, false, "Stable/Stable/Common";
    /// Frames of the user stack.
    Ustackdepth = "ustackdepth", "uint32_t", Int, Pinned, false, "Stable/Stable/Common";
    /// Address of the thread's `struct task_struct`.
    Curthread = "curthread", "struct task_struct *", Int, Pinned, false, "Stable/Private/Common";
    /// `uregs[n]`, by index: a register of user space, as the current thread has it or will return to. 0 if it has none.
    Uregs = "<uregs>", "uint64_t", Int, Pinned, false, "Stable/Stable/Common";
    /// Physical package of the CPU.
    Chip = "chip", "chipid_t", Int, Pinned, false, "Stable/Stable/Common";
    /// NUMA node of the CPU.
    Lgrp = "lgrp", "lgrp_id_t", Int, Pinned, false, "Stable/Stable/Common";
    /// Nanoseconds that the thread has been on a CPU; one value for all clauses of a firing.
    Vtimestamp = "vtimestamp", "uint64_t", Int, Pinned, false, "Stable/Stable/Common";
    /// Internal: start time of the thread, nanoseconds since boot; with `tid` it is the identity that `self->` is
    /// keyed by.
    TaskStart = "<task start>", "uint64_t", Int, Pinned, false, "Internal/Internal/Unknown";
}

/// Most arguments of a probe: `arg0` to `arg9` by name, and as many more as a tracepoint can have by `args[]`.
pub const ARGS: u32 = 12;

/// Registers that `uregs[n]` can name (language spec §8.4): `R_R15` to `R_TRAPNO`. Sources read those of x86-64 alone.
pub const REGISTERS: u32 = 26;

/// Built-in variables of D that come later; the checker says `X is not supported yet`.
pub const UNIMPLEMENTED: &[&str] = &[];

impl Var {
    /// The row of a variable.
    pub fn row(self) -> &'static VarRow {
        &Var::ROWS[self as usize]
    }

    /// The variable and index behind a D name; `arg3` gives `(Arg, 3)`.
    pub fn by_name(name: &str) -> Option<(Var, u32)> {
        if let Some(digit) = name.strip_prefix("arg") {
            let [d @ b'0'..=b'9'] = digit.as_bytes() else { return None };
            return Some((Var::Arg, u32::from(d - b'0')));
        }
        Var::ROWS.iter().find(|row| row.name == name && row.id != Var::Arg).map(|row| (row.id, 0))
    }

    /// How many it is one of, by index.
    pub fn indices(self) -> u32 {
        match self {
            Var::Arg => ARGS,
            Var::Uregs => REGISTERS,
            _ => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Var;

    #[test]
    fn rows_are_indexed_by_id() {
        for (i, row) in Var::ROWS.iter().enumerate() {
            assert_eq!(row.id as usize, i, "{}", row.name);
        }
    }

    #[test]
    fn names() {
        assert_eq!(Var::by_name("arg9"), Some((Var::Arg, 9)));
        assert_eq!(Var::by_name("arg10"), None);
        assert_eq!(Var::by_name("arg"), None);
        assert_eq!(Var::by_name("probefunc"), Some((Var::Probefunc, 0)));
    }
}
