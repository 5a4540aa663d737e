//! The names a session knows: D variables and aggregations, created by declarations and by first assignment (language
//! spec §8.2), shared by all programs.
//!
//! In: declarations and assignments as the checker meets them. Out: indices that become [`crate::ir::VarId`] and
//! [`crate::ir::AggId`]. The four name spaces (globals, `self->`, `this->`, `@`) are separate. Decides nothing about
//! types.

use std::collections::HashMap;

use crate::builtins::AggFn;
use crate::builtins::aggs::Shape;
use crate::ir::{AggId, Scope, VarId};
use crate::source::Span;
use crate::types::{TypeId, TypeTable};

/// A type with its userland mark (language spec §5.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Marked {
    /// The type.
    pub ty: TypeId,
    /// Whether a pointer of it points to the traced process's memory.
    pub userland: bool,
}

/// What a pointer points into, as far as the checker can tell (language spec §5.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Provenance {
    /// Nothing: a literal 0, which goes with both kinds.
    Null,
    /// `copyin` and `alloca` memory.
    Scratch,
    /// Parts of variables, of which an address is a number that loads are told by.
    Variable,
    /// Anything but scratch memory.
    Other,
    /// One or the other: a `?:` of both.
    Mixed,
    /// A variable that nothing has been assigned to yet.
    Unknown,
}

impl Provenance {
    /// Of a value that is one or the other.
    #[must_use]
    pub fn join(self, other: Provenance) -> Provenance {
        match (self, other) {
            (Provenance::Null, known) | (known, Provenance::Null) => known,
            (a, b) if a == b => a,
            (Provenance::Unknown, _) | (_, Provenance::Unknown) => Provenance::Unknown,
            (Provenance::Variable, Provenance::Other) | (Provenance::Other, Provenance::Variable) => {
                Provenance::Other
            }
            _ => Provenance::Mixed,
        }
    }
}

/// How a variable is indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VarShape {
    /// Not at all, or as its type says: an ordinary array is a variable of an array type.
    Scalar,
    /// By keys of these types.
    Associative(Vec<Marked>),
}

/// A D variable.
#[derive(Clone, Debug, PartialEq)]
pub struct VarInfo {
    /// Without `self->` or `this->`.
    pub name: String,
    /// Which name space.
    pub scope: Scope,
    /// How it is indexed.
    pub shape: VarShape,
    /// Its type, or that of its elements; `None` between its first mention and the end of the assignment that gives it.
    pub ty: Option<Marked>,
    /// What the pointers it holds point into; never `Null` or `Mixed`.
    pub provenance: Provenance,
    /// The declaration or first assignment.
    pub span: Span,
}

impl VarInfo {
    /// The name as written: `self->x`, `this->x` or `x`.
    pub fn shown(&self) -> String {
        shown(self.scope, &self.name)
    }
}

/// A variable's name as written.
pub fn shown(scope: Scope, name: &str) -> String {
    match scope {
        Scope::Global => name.to_owned(),
        Scope::ThreadLocal => format!("self->{name}"),
        Scope::ClauseLocal => format!("this->{name}"),
    }
}

/// An aggregation.
#[derive(Clone, Debug, PartialEq)]
pub struct AggInfo {
    /// Without `@`; the unnamed one is `_`.
    pub name: String,
    /// The types of its keys, from its first use.
    pub keys: Option<Vec<Marked>>,
    /// Its function and the first statement that gave it.
    pub function: Option<(AggFn, Span)>,
    /// The constants of its function, once a statement has been checked whole.
    pub shape: Option<Shape>,
}

/// Every variable and aggregation of a session.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// By [`VarId`].
    pub vars: Vec<VarInfo>,
    /// By [`AggId`].
    pub aggs: Vec<AggInfo>,
    var_ids: [HashMap<String, VarId>; 3],
    agg_ids: HashMap<String, AggId>,
}

/// Most variables of each kind (language spec §8.2).
pub const MAX_VARIABLES: usize = 65535;

impl Names {
    /// The variable of a name.
    pub fn var(&self, scope: Scope, name: &str) -> Option<VarId> {
        self.var_ids[scope as usize].get(name).copied()
    }

    /// Adds a variable; `None` if there are too many. The name must be new in its scope.
    pub fn add_var(&mut self, info: VarInfo) -> Option<VarId> {
        let ids = &mut self.var_ids[info.scope as usize];
        if ids.len() >= MAX_VARIABLES {
            return None;
        }
        let id = VarId(self.vars.len() as u32);
        ids.insert(info.name.clone(), id);
        self.vars.push(info);
        Some(id)
    }

    /// The names of a scope, in no order.
    pub fn var_names(&self, scope: Scope) -> impl Iterator<Item = &str> {
        self.var_ids[scope as usize].keys().map(String::as_str)
    }

    /// The aggregation of a name.
    pub fn agg(&self, name: &str) -> Option<AggId> {
        self.agg_ids.get(name).copied()
    }

    /// The aggregation of a name, made if it is new; `None` if there are too many.
    pub fn add_agg(&mut self, name: &str) -> Option<AggId> {
        if let Some(id) = self.agg(name) {
            return Some(id);
        }
        if self.aggs.len() >= MAX_VARIABLES {
            return None;
        }
        let id = AggId(self.aggs.len() as u32);
        self.agg_ids.insert(name.to_owned(), id);
        self.aggs.push(AggInfo { name: name.to_owned(), keys: None, function: None, shape: None });
        Some(id)
    }

    /// The names of all aggregations, in no order.
    pub fn agg_names(&self) -> impl Iterator<Item = &str> {
        self.agg_ids.keys().map(String::as_str)
    }
}

impl Marked {
    /// As messages show it, with the userland prefix.
    pub fn show(self, types: &TypeTable) -> String {
        let name = types.show(self.ty);
        if self.userland { format!("userland {name}") } else { name }
    }
}
