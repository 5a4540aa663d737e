//! The tables: one row per built-in variable, subroutine, action and aggregating function.
//!
//! A row says what a name means to the checker (signature), to the planner (class, effects, faults, which side may run
//! it) and to the documentation. The interpreter, the JIT runtime and the eBPF emitter register their implementation by
//! row id; a test in each fails on a row that has none. To add one: a row here, an arm in `vm::runtime`, and an
//! arm in `kernel_bridge::ebpf` if [`Kernel`] says so.

pub mod actions;
pub mod aggs;
pub mod consts;
pub mod elsewhere;
pub mod foreign;
pub mod funcs;
pub mod paths;
pub mod rates;
pub mod shapes;
pub mod symbolic;
pub mod vars;

pub use actions::{Action, ActionKind, ActionRow};
pub use aggs::{AggFn, AggRow};
pub use funcs::{Func, FuncRow};
pub use symbolic::Symbolic;
pub use vars::{Var as BuiltinVar, VarRow};

/// Where an operation may run (design §2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Only at the event: the kernel on `bpf` and `rbpf`, the source itself elsewhere.
    Pinned,
    /// Either side.
    Free,
    /// User space only.
    User,
    /// Changes the control state (exit, cuts, which speculations are in use); in the kernel when decidable there.
    Control,
}

/// Whether the eBPF emitter knows an operation, and under which condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Never: the planner puts it in user space.
    No,
    /// Always.
    Yes,
    /// Only if argument `n` (from 0) is a string constant of at most 64 bytes, since the emitter compiles it into an
    /// automaton.
    ConstString(u8),
    /// Only if argument `n` (from 0) is an integer constant of at most [`funcs::BLOCK_MOST`]: so much room is kept for it.
    ConstSize(u8),
    /// Only where programs may write to a process, in clauses that do so, whose scratch memory is then in the kernel; and
    /// only if argument `n`, if one is named, is such a constant.
    Writing(Option<u8>),
}

/// The type of a parameter or a result, as prototypes in messages spell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proto {
    /// A C type the type table knows by this spelling, such as `size_t`, `int`, `uintptr_t`, `void *`, `char *`.
    /// `char *` accepts what is string-like, `string` too ([`Proto::is_text`]).
    C(&'static str),
    /// `string`
    String,
    /// A string constant.
    StringConstant,
    /// Any type.
    Any,
    /// An aggregation.
    Aggregation,
    /// A pointer of this C type (spelt as for [`Proto::C`]) to bytes that the subroutine reads: it gets the bytes, a block
    /// of this size, 0 where
    /// another argument decides it.
    Bytes(&'static str, u32),
}

impl Proto {
    /// Whether what is given is text: the subroutine gets it as a string, not as an address.
    pub fn is_text(self) -> bool {
        matches!(self, Proto::String | Proto::StringConstant | Proto::C("char *"))
    }
}

/// Why a name is unknown that a library would define; `kind` is a noun.
pub(crate) fn of_a_library(name: &str, kind: &str) -> String {
    format!("{name} is a {kind} of the libraries, which `nolibs` and `syslibdir` leave out")
}
