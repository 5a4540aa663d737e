//! The side tables of a checked clause: what each expression means for one argument signature.
//!
//! In: facts from [`super::expr`] and [`super::actions`]. Out: lookups by [`ExprId`] for [`crate::ir::lower`]. Ids of a
//! clause lie close together, so the table covers the clause's own range only.

use std::collections::HashMap;

use super::formula::FormulaId;
use super::names::Provenance;
use super::translator::Translation;
use crate::ast::operands::operands;
use crate::ast::{Clause, Expr, ExprId, Stmt};
use crate::builtins::symbolic::Sample;
use crate::builtins::{Action, AggFn, BuiltinVar, Func};
use crate::env::PerCpu;
use crate::format::Format;
use crate::ir::{AggId, ValueType, VarId};
use crate::types::TypeId;

/// What a node stands for, where its kind alone does not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Its kind tells: an operator over its operands, a string constant.
    Operator,
    /// A parameter of the formula that the expression is part of.
    Param(u32),
    /// A use of a formula: an inline, whose arguments are the node's keys, or a member of a translation.
    Formula(FormulaId),
    /// A translation: a struct, or a pointer to one, of which only members have values.
    Translation(Translation),
    /// A scalar variable, or an ordinary array as a whole.
    Variable(VarId),
    /// An element of an associative array, indexed by all keys of the node.
    Element(VarId),
    /// A part of a variable's storage: a member of a struct, an element of an ordinary array, `*` of a [`Meaning::PartAddress`].
    Part(VarId),
    /// The address of a part: a sum of an array variable and an integer, `&` of a part.
    PartAddress(VarId),
    /// A member or element of a struct, union or array that is no storage: what an operator, a definition or a parameter
    /// gives.
    PartOfValue,
    /// A built-in variable and the index of `argN`.
    Builtin(BuiltinVar, u32),
    /// `args[n]`: the number of the probe's argument, and the type that this has.
    Argument(u32, TypeId),
    /// One byte of a string: `s[n]`, `*s`.
    StringByte,
    /// Memory behind an address: `*p`, `p[n]`, `p->m`, and members and elements of such.
    Memory,
    /// A symbol of the kernel: where it is, or how code comes to that of its CPU.
    Symbol(u64, Option<PerCpu>),
    /// A call of a subroutine.
    Call(Func),
    /// A call of an action; stands as a statement only.
    Action(Action),
    /// A call of an action that takes a stack or an address: a statement, a key of an aggregation or, for stacks, what
    /// is assigned to a variable.
    Sample(Sample),
    /// A call of an aggregating function; stands right of an aggregation only.
    Aggregating(AggFn),
    /// A mention of an aggregation.
    Aggregation(AggId),
    /// Known, though no constant expression: `sizeof expr`, an enumerator by its comparison.
    Known(i64),
}

/// What is known of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExprInfo {
    /// Its type.
    pub ty: TypeId,
    /// Whether it carries the userland mark.
    pub userland: bool,
    /// Its value, if it is an integer constant.
    pub constant: Option<i64>,
    /// Whether it names storage.
    pub lvalue: bool,
    /// Whether D may change that storage.
    pub writable: bool,
    /// Whether it is a bit-field.
    pub bit_field: bool,
    /// What it points into, if it is a pointer.
    pub provenance: Provenance,
    /// What it stands for.
    pub meaning: Meaning,
}

impl ExprInfo {
    /// A value of a type: no lvalue, nothing known.
    pub fn value(ty: TypeId) -> ExprInfo {
        ExprInfo {
            ty,
            userland: false,
            constant: None,
            lvalue: false,
            writable: false,
            bit_field: false,
            provenance: Provenance::Other,
            meaning: Meaning::Operator,
        }
    }

    /// The same, standing for something.
    #[must_use]
    pub fn meaning(self, meaning: Meaning) -> ExprInfo {
        ExprInfo { meaning, ..self }
    }
}

/// A statement that records, controls or aggregates.
#[derive(Clone, Debug, PartialEq)]
pub enum Site {
    /// An action.
    Action {
        /// Which.
        action: Action,
        /// The argument numbers whose values it records, and their types.
        recorded: Vec<(usize, ValueType)>,
        /// What else it names.
        detail: SiteDetail,
    },
    /// An update of an aggregation.
    Aggregation {
        /// Which.
        agg: AggId,
        /// The argument number of the value, absent for `count`.
        value: Option<usize>,
        /// The argument number of the increment.
        weight: Option<usize>,
    },
}

/// What an action names besides values.
#[derive(Clone, Debug, PartialEq)]
pub enum SiteDetail {
    /// Nothing.
    None,
    /// `printf`
    Format(Format),
    /// `printa`
    Printa(Option<Format>, Vec<AggId>),
    /// `clear`, `trunc`
    Agg(AggId),
    /// `setopt`: the option and its value.
    Option(String, String),
    /// `tracemem`: this many bytes.
    Memory(u32),
    /// `pcap`: what is read of a packet.
    Packet(Packet),
    /// `print`: the value's type, or that of what it points to.
    Shape(std::sync::Arc<crate::ir::TypeShape>, Printed),
}

/// What `pcap` reads of a packet, whose members `len`, `data_len` and `data` lie at these offsets in `struct sk_buff`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Bytes of the whole packet.
    pub len: i64,
    /// How many of them are elsewhere.
    pub data_len: i64,
    /// The address of the others.
    pub data: i64,
    /// The most bytes that are read there.
    pub size: u32,
}

/// What `print` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Printed {
    /// The argument itself.
    Value,
    /// So many bytes of what the argument points to.
    Target(u32),
}

/// The side tables of a clause under one argument signature.
#[derive(Clone, Debug, Default)]
pub struct TypeInfo {
    base: u32,
    exprs: Vec<Option<ExprInfo>>,
    sites: HashMap<ExprId, Site>,
}

impl TypeInfo {
    /// Empty tables that cover the ids of a clause.
    pub fn new(clause: &Clause) -> TypeInfo {
        let (mut low, mut high) = (u32::MAX, 0);
        for_each_expr(clause, &mut |expr| {
            low = low.min(expr.id.0);
            high = high.max(expr.id.0 + 1);
        });
        if low >= high {
            return TypeInfo::default();
        }
        TypeInfo { base: low, exprs: vec![None; (high - low) as usize], sites: HashMap::new() }
    }

    /// Empty tables that cover the ids of an expression.
    pub fn of_expr(expr: &Expr) -> TypeInfo {
        let (mut low, mut high) = (expr.id.0, expr.id.0 + 1);
        walk(expr, &mut |expr| {
            low = low.min(expr.id.0);
            high = high.max(expr.id.0 + 1);
        });
        TypeInfo { base: low, exprs: vec![None; (high - low) as usize], sites: HashMap::new() }
    }

    /// What is known of an expression; `None` for one that was not checked, since a constant took its place.
    pub fn get(&self, expr: &Expr) -> Option<ExprInfo> {
        let index = expr.id.0.checked_sub(self.base)?;
        self.exprs.get(index as usize).copied().flatten()
    }

    pub(super) fn set(&mut self, expr: &Expr, info: ExprInfo) {
        let slot = expr.id.0.checked_sub(self.base).and_then(|i| self.exprs.get_mut(i as usize));
        if let Some(slot) = slot {
            *slot = Some(info);
        }
    }

    /// The site of a statement, if it is one.
    pub fn site(&self, statement: &Expr) -> Option<&Site> {
        self.sites.get(&statement.id)
    }

    pub(super) fn set_site(&mut self, statement: &Expr, site: Site) {
        self.sites.insert(statement.id, site);
    }
}

/// Calls `f` with every expression of a clause, parents first.
pub fn for_each_expr<'a>(clause: &'a Clause, f: &mut impl FnMut(&'a Expr)) {
    clause.predicate.iter().for_each(|predicate| walk(predicate, f));
    clause.body.iter().flatten().for_each(|stmt| walk_stmt(stmt, f));
}

fn walk_stmt<'a>(stmt: &'a Stmt, f: &mut impl FnMut(&'a Expr)) {
    match stmt {
        Stmt::Empty(_) => {}
        Stmt::Expr(expr) => walk(expr, f),
        Stmt::If { cond, then, otherwise, .. } => {
            walk(cond, f);
            then.iter().chain(otherwise).for_each(|stmt| walk_stmt(stmt, f));
        }
    }
}

fn walk<'a>(expr: &'a Expr, f: &mut impl FnMut(&'a Expr)) {
    f(expr);
    operands(expr, &mut |child| walk(child, f));
}
