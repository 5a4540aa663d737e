//! The one intermediate form: a function of structured, acyclic control flow for each clause, and the tables of the
//! program they belong to.
//!
//! Back ends (interpreter, JIT, eBPF emitter) and the planner see this and never the tree. It distinguishes integers
//! from strings and nothing else: C types are gone, widths and signs are in the ops. Every op has one written meaning,
//! in [`inst`].
//!
//! **Structure.** Control flow is acyclic and structured as in SPIR-V: a [`Terminator::Branch`] names the block where
//! its two arms meet. Block 0 is the entry. Blocks are stored in topological order: every edge goes from a lower to a
//! higher index. An arm is either the merge block itself or a block that nothing else leads to; a merge block belongs to
//! one branch, and only the ends of that branch's arms lead to it. An arm of a branch that stands in no other (the
//! predicate) may return instead. A register may be assigned in several places; it must be assigned on every path to a
//! use.
//!
//! **Faults.** An op that may fault has an implicit edge to the end of the clause: the record is discarded, what was
//! already stored stays, `ERROR` fires, and later clauses of the firing run. [`Inst::may_fault`] tells which.

pub mod definitions;
pub mod facts;
pub mod inst;
pub mod lower;
pub mod parse;
pub mod print;
pub mod shape;
pub mod slots;
pub mod structure;
pub mod verify;

pub use shape::{TypeMember, TypeShape, TypeShapeKind};

pub use inst::{
    AddrSpace, BinOp, BlockId, BlockPiece, CmpOp, Inst, MemSize, Op, Reg, SlotId, Terminator, UnOp,
};

use crate::builtins::{Action, AggFn, Symbolic, aggs::Shape};
use crate::env::Probe;
use crate::format::Format;
use crate::source::Span;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $name {
            /// As an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        })*
    };
}

ids! {
    /// Index in [`Program::clauses`].
    ClauseId;
    /// Index in [`Program::vars`].
    VarId;
    /// Index in [`Program::aggs`]; the variable ID of the runtime spec is one more.
    AggId;
    /// Index in [`Program::agg_sites`].
    AggSiteId;
    /// Index in [`Program::sites`].
    SiteId;
    /// Index in [`Program::strings`].
    StrId;
    /// Index in [`Program::probes`].
    ProbeIndex;
}

/// A checked and lowered program: the union of all texts of one session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// One function per clause, or per clause and argument signature where those differ.
    pub clauses: Vec<Clause>,
    /// Which clause runs on which probes, in program order (language spec §1.6): the ECBs.
    pub enablings: Vec<Enabling>,
    /// Every probe that some enabling names, each once.
    pub probes: Vec<Probe>,
    /// D variables, aggregations excluded.
    pub vars: Vec<Variable>,
    /// Aggregations, in order of first appearance.
    pub aggs: Vec<Aggregation>,
    /// Every statement that updates an aggregation.
    pub agg_sites: Vec<AggSite>,
    /// Every action statement.
    pub sites: Vec<ActionSite>,
    /// String constants, without a final NUL and without NULs inside.
    pub strings: Vec<Box<[u8]>>,
    /// The limits that shape the code.
    pub limits: Limits,
}

impl Program {
    /// Whether some clause does what needs `-w`.
    pub fn is_destructive(&self) -> bool {
        let sites = self.sites.iter().any(|site| site.action.row().destructive);
        let insts = self.clauses.iter().flat_map(|clause| &clause.blocks).flat_map(|block| &block.insts);
        let destructive = |op: &Op| matches!(op, Op::Call { func, .. } if func.row().id.destructive());
        sites || insts.map(|inst| &inst.op).any(destructive)
    }
}

/// Compile-time limits from options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// `strsize`: the longest string, in bytes without the NUL.
    pub strsize: u32,
    /// `scratchsize`: bytes of `copyin` and `alloca` memory a clause may use.
    pub scratchsize: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { strsize: 256, scratchsize: 256 }
    }
}

/// One clause bound to the probes of one of its descriptions.
#[derive(Clone, Debug, PartialEq)]
pub struct Enabling {
    /// What runs.
    pub clause: ClauseId,
    /// Where, in ID order.
    pub probes: Vec<ProbeIndex>,
}

/// The code of a clause.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// The `N` of `dt_clause_N`: its number over all programs, from 0 (runtime spec §11.1).
    pub number: u32,
    /// The kind of each register.
    pub regs: Vec<RegKind>,
    /// The code; block 0 is the entry.
    pub blocks: Vec<Block>,
    /// The text of the clause.
    pub span: Span,
}

/// What a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegKind {
    /// 64 bits. Loads and [`Op::Extend`] leave narrower values sign- or zero-extended.
    Int,
    /// At most `strsize` bytes without a NUL, or NULL, which is distinct from the empty string. A block
    /// ([`crate::builtins::Func::Block`]) is of this kind too; it has as many bytes as was asked for, NULs among them, and
    /// goes nowhere but into records, keys and the subroutines that take blocks.
    Str,
}

/// A basic block.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Straight-line code.
    pub insts: Vec<Inst>,
    /// How it ends.
    pub end: Terminator,
}

/// Where a variable lives in D (language spec §8.1). Where it lives in the machine is the planner's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// One, shared by all CPUs.
    Global,
    /// One per thread, keyed by thread ID and start time; exists while non-zero.
    ThreadLocal,
    /// One per firing, zero at its start.
    ClauseLocal,
}

/// A D variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name, without `self->` or `this->`.
    pub name: String,
    /// Global, thread-local or clause-local.
    pub scope: Scope,
    /// What it holds; for an associative array, what an element holds.
    pub ty: ValueType,
    /// The key types of an associative array, `None` for a scalar.
    pub keys: Option<Vec<ValueType>>,
    /// A store that finds no room for it loses its value and nothing else, where it would end its clause otherwise
    /// (language spec §8.5). Set by the planner, for all engines alike (rule 14 of [`crate::plan`]).
    pub lossy: bool,
}

impl Variable {
    /// Whether storing zero removes it and a missing one reads as zero or NULL (language spec §8.1): associative
    /// elements and `self->` variables.
    pub fn is_dynamic(&self) -> bool {
        self.keys.is_some() || self.scope == Scope::ThreadLocal
    }
}

/// An aggregation.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregation {
    /// Its name without `@`; the unnamed one is `_`.
    pub name: String,
    /// Its function, `None` if it is only ever mentioned by an action that accepts that.
    pub func: AggFn,
    /// The constants of its function.
    pub shape: Shape,
    /// Its key types.
    pub keys: Vec<ValueType>,
}

/// A statement `@a[keys] = f(value)`.
#[derive(Clone, Debug, PartialEq)]
pub struct AggSite {
    /// Which aggregation.
    pub agg: AggId,
    /// The clause it stands in.
    pub clause: ClauseId,
    /// The statement.
    pub span: Span,
}

/// A value's type as far as printing, storing and comparing need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// An integer, enum or bit-field of 8, 16, 32 or 64 bits. The register holds it extended.
    Int {
        /// Its size.
        bits: u8,
        /// Its sign.
        signed: bool,
    },
    /// Any pointer.
    Pointer,
    /// `string`
    Str,
    /// A stack or an address that prints as a symbol.
    Symbolic(Symbolic),
    /// So many bytes of memory, whatever they are: an array, a struct, a dump. The register is of kind [`RegKind::Str`]
    /// and may hold NULs.
    Bytes(u32),
    /// A floating-point number of so many bytes (4, 8, 16), as they lie in memory: like [`ValueType::Bytes`], but shown
    /// as a number.
    Float(u8),
}

impl ValueType {
    /// The register kind that holds it.
    pub fn reg_kind(self) -> RegKind {
        match self {
            ValueType::Int { .. } | ValueType::Pointer | ValueType::Symbolic(_) => RegKind::Int,
            ValueType::Str | ValueType::Bytes(_) | ValueType::Float(_) => RegKind::Str,
        }
    }
}

/// An action statement.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionSite {
    /// Which action.
    pub action: Action,
    /// The clause it stands in.
    pub clause: ClauseId,
    /// Statement number within the clause, from 1; 0 is the predicate.
    pub stmt: u32,
    /// The types of the values that [`Op::Record`] gives for it, in order; of a speculation's turn it has none.
    pub args: Vec<ValueType>,
    /// The formats and aggregations it names.
    pub detail: Detail,
    /// The statement.
    pub span: Span,
}

/// What an action names besides values.
#[derive(Clone, Debug, PartialEq)]
pub enum Detail {
    /// Nothing: `trace`, `exit`, the default action.
    None,
    /// `printf`
    Format(Format),
    /// `printa`
    Printa {
        /// Its format, if it has one.
        format: Option<Format>,
        /// One or more.
        aggs: Vec<AggId>,
    },
    /// `clear`, `trunc`
    Agg(AggId),
    /// `setopt`
    Option {
        /// The option.
        name: String,
        /// What it is set to.
        value: String,
    },
    /// `print`, and `trace` of what no register holds as a number or text: the type of the value, or of what the first
    /// value points to.
    Shape(std::sync::Arc<TypeShape>),
}
