//! Actions (language spec §10, runtime spec §9): statements without a value.

use super::{Class, Proto};

/// How an action stands to the rules on order (language spec §11.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionKind {
    /// Records data: printed when the record is consumed.
    Data,
    /// Carried out by the consumer when the record is processed.
    Consumer,
    /// `speculate`, `commit`, `discard`
    Speculation,
}

/// One action.
#[derive(Clone, Copy, Debug)]
pub struct ActionRow {
    /// Its id.
    pub id: Action,
    /// Its name in D; the row without a name is the default record of an empty body.
    pub name: &'static str,
    /// The fixed parameters.
    pub params: &'static [Proto],
    /// How many of them must be given.
    pub required: u8,
    /// Whether any arguments may follow.
    pub variadic: bool,
    /// Data, consumer or speculation.
    pub kind: ActionKind,
    /// `Control` for those that change what the kernel part does next.
    pub class: Class,
    /// Whether it needs `-w`.
    pub destructive: bool,
    /// Whether it cuts time for aggregations in the kernel (design §2): the site flips the generation.
    pub cut: bool,
}

macro_rules! actions {
    ($($(#[$doc:meta])* $id:ident = $name:literal, $params:expr, $required:literal, $variadic:literal, $kind:ident,
       $class:ident, $cut:literal $(, $destructive:ident)?;)*) => {
        /// An action.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Action { $($(#[$doc])* $id,)* }

        impl Action {
            /// Every row, in table order; `action as usize` indexes it.
            pub const ROWS: &'static [ActionRow] = &[$(ActionRow {
                id: Action::$id, name: $name, params: $params, required: $required, variadic: $variadic,
                kind: ActionKind::$kind, class: Class::$class, destructive: actions!(@ $($destructive)?), cut: $cut,
            },)*];
        }
    };
    (@) => { false };
    (@ destructive) => { true };
}

use Proto::{Aggregation, Any, C, StringConstant};

const INT: Proto = C("int");
const CHARS: Proto = C("char *");
const SIZE: Proto = C("size_t");

actions! {
    /// The row of an empty body: CPU, ID and name only.
    Default = "", &[], 0, false, Data, User, false;
    /// One value.
    Trace = "trace", &[Any], 1, false, Data, User, false;
    /// A format string and its arguments.
    Printf = "printf", &[StringConstant], 1, true, Data, User, false;
    /// Aggregations, with or without a format.
    Printa = "printa", &[Any], 1, true, Consumer, Control, true;
    /// Ends tracing with a status.
    Exit = "exit", &[C("int")], 1, false, Data, Control, false;
    /// Zeroes the values of an aggregation, keeps its keys.
    Clear = "clear", &[Aggregation], 1, false, Consumer, Control, true;
    /// Removes entries of an aggregation.
    Trunc = "trunc", &[Aggregation, C("int64_t")], 1, false, Consumer, Control, true;
    /// Divides what is printed of an aggregation.
    Normalize = "normalize", &[Aggregation, C("uint64_t")], 2, false, Consumer, User, false;
    /// Ends that.
    Denormalize = "denormalize", &[Aggregation], 1, false, Consumer, User, false;
    /// The kernel's stack.
    Stack = "stack", &[C("uint32_t")], 0, false, Data, User, false;
    /// The user stack of the thread: frames, and bytes for names that come with it.
    Ustack = "ustack", &[C("uint32_t"), C("uint32_t")], 0, false, Data, User, false;
    /// The same, with names for code that was made at run time.
    Jstack = "jstack", &[C("uint32_t"), C("uint32_t")], 0, false, Data, User, false;
    /// A kernel address as module and symbol.
    Sym = "sym", &[C("uintptr_t")], 1, false, Data, User, false;
    /// The same.
    Func = "func", &[C("uintptr_t")], 1, false, Data, User, false;
    /// The module of a kernel address.
    Mod = "mod", &[C("uintptr_t")], 1, false, Data, User, false;
    /// A user address as mapped file and symbol.
    Usym = "usym", &[C("uintptr_t")], 1, false, Data, User, false;
    /// The same.
    Ufunc = "ufunc", &[C("uintptr_t")], 1, false, Data, User, false;
    /// The mapped file of a user address.
    Umod = "umod", &[C("uintptr_t")], 1, false, Data, User, false;
    /// A user address as mapped file, symbol and offset.
    Uaddr = "uaddr", &[C("uintptr_t")], 1, false, Data, User, false;
    /// Bytes of memory as a hexadecimal dump, at most so many of them.
    Tracemem = "tracemem", &[Any, SIZE, SIZE], 2, false, Data, User, false;
    /// A value, or what a pointer points to, with its type.
    Print = "print", &[Any], 1, false, Data, User, false;
    /// Runs a command that is formatted like `printf`.
    System = "system", &[StringConstant], 1, true, Consumer, User, false, destructive;
    /// Sends the output to a file whose name is formatted like `printf`.
    Freopen = "freopen", &[StringConstant], 1, true, Consumer, User, false, destructive;
    /// Empties the file that the output goes to.
    Ftruncate = "ftruncate", &[], 0, false, Consumer, User, false;
    /// Sets an option.
    Setopt = "setopt", &[CHARS, CHARS], 1, false, Consumer, User, false;
    /// Sends a signal to the current process, at the event.
    Raise = "raise", &[INT], 1, false, Data, User, false, destructive;
    /// Stops the current process, at the event.
    Stop = "stop", &[], 0, false, Data, User, false, destructive;
    /// What follows in the clause is recorded for a speculation.
    Speculate = "speculate", &[INT], 1, false, Speculation, User, false;
    /// Prints what was recorded for a speculation and frees it.
    Commit = "commit", &[INT], 1, false, Speculation, User, false;
    /// Forgets what was recorded for a speculation and frees it.
    Discard = "discard", &[INT], 1, false, Speculation, User, false;
    /// Waits: not available.
    Chill = "chill", &[INT], 1, false, Data, User, false, destructive;
    /// Ends the machine: not available.
    Panic = "panic", &[], 0, false, Data, User, false, destructive;
    /// Calls the kernel's debugger: not available.
    Breakpoint = "breakpoint", &[], 0, false, Data, User, false, destructive;
    /// The first bytes of a network packet, decoded, dumped or appended to a capture file.
    Pcap = "pcap", &[C("void *"), INT], 2, false, Data, User, false;
}

impl Action {
    /// The row of an action.
    pub fn row(self) -> &'static ActionRow {
        &Action::ROWS[self as usize]
    }

    /// Whether it is only known by name: its arguments are checked, then it is refused.
    pub fn unavailable(self) -> bool {
        matches!(self, Action::Chill | Action::Panic | Action::Breakpoint)
    }

    /// The action of a D name.
    pub fn by_name(name: &str) -> Option<Action> {
        Action::ROWS.iter().find(|row| !row.name.is_empty() && row.name == name).map(|row| row.id)
    }
}

/// Actions of D that are not available, or not yet; the checker says `X() is not implemented (yet)`.
pub const UNIMPLEMENTED: &[&str] = &[];

#[cfg(test)]
mod tests {
    use super::Action;

    #[test]
    fn rows_are_indexed_by_id() {
        for (i, row) in Action::ROWS.iter().enumerate() {
            assert_eq!(row.id as usize, i, "{}", row.name);
        }
    }
}
