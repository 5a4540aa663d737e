//! Values that name places in code: stacks and symbolized addresses (language spec §5.2, runtime spec §6).
//!
//! A row says which action takes the value and how it prints; what the words of a register mean is said here too. Both
//! sides of the planner know them as integers.

use super::{Action, Func};

/// A kind of value that prints as symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Symbolic {
    /// `stack()`, `ustack()`, `jstack()`: the number of a stack ([`crate::plan::stacks`]); 0 is none.
    Stack,
    /// `sym()`, `func()`: a kernel address, printed without its offset.
    Sym,
    /// `mod()`: a kernel address, of which the module is printed.
    Mod,
    /// `usym()`, `ufunc()`: the number of an address of a process.
    Usym,
    /// `umod()`: the same, of which the mapped file is printed.
    Umod,
    /// `uaddr()`: the same, printed with its offset.
    Uaddr,
}

impl Symbolic {
    /// Every kind.
    pub const ALL: [Symbolic; 6] =
        [Symbolic::Stack, Symbolic::Sym, Symbolic::Mod, Symbolic::Usym, Symbolic::Umod, Symbolic::Uaddr];

    /// The name of its type in messages. Types of equal name are compatible.
    pub fn type_name(self) -> &'static str {
        match self {
            Symbolic::Stack => "stack",
            Symbolic::Sym | Symbolic::Mod => "_symaddr",
            Symbolic::Usym | Symbolic::Umod | Symbolic::Uaddr => "_usymaddr",
        }
    }

    /// Its name in the text form of IR.
    pub fn word(self) -> &'static str {
        match self {
            Symbolic::Stack => "stack",
            Symbolic::Sym => "sym",
            Symbolic::Mod => "mod",
            Symbolic::Usym => "usym",
            Symbolic::Umod => "umod",
            Symbolic::Uaddr => "uaddr",
        }
    }

    /// Its conversion in the text form of IR; for stacks that of `%k`.
    pub fn letter(self) -> char {
        match self {
            Symbolic::Stack => 'k',
            Symbolic::Sym => 'y',
            Symbolic::Mod => 'm',
            Symbolic::Usym => 'z',
            Symbolic::Umod => 'M',
            Symbolic::Uaddr => 'Z',
        }
    }

    /// Whether the register holds a number under which a table has the rest, instead of an address.
    pub fn is_numbered(self) -> bool {
        !matches!(self, Symbolic::Sym | Symbolic::Mod)
    }
}

/// What an action takes at the event, with its constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sample {
    /// The kind of value.
    pub kind: Symbolic,
    /// The subroutine that takes it; `None`: the argument is the value.
    pub func: Option<Func>,
    /// Most frames of a stack.
    pub frames: u32,
    /// Bytes for names of code without a file (`jstack`); 0: none are looked for.
    pub strsize: u32,
}

/// The kind of value that an action takes, and by which subroutine; `None` for all other actions.
pub fn sampled(action: Action) -> Option<(Symbolic, Option<Func>)> {
    Some(match action {
        Action::Stack => (Symbolic::Stack, Some(Func::Stack)),
        Action::Ustack | Action::Jstack => (Symbolic::Stack, Some(Func::Ustack)),
        Action::Sym | Action::Func => (Symbolic::Sym, None),
        Action::Mod => (Symbolic::Mod, None),
        Action::Usym | Action::Ufunc => (Symbolic::Usym, Some(Func::Uaddr)),
        Action::Umod => (Symbolic::Umod, Some(Func::Uaddr)),
        Action::Uaddr => (Symbolic::Uaddr, Some(Func::Uaddr)),
        _ => return None,
    })
}
