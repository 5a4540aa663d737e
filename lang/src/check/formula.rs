//! Formulas: expressions with parameters that are checked once, where they are defined, and lowered wherever they are
//! used: the values of inlines, and the members of translators (language spec §7.3, §7.4).
//!
//! In: a definition, while its program is read. Out: a [`Formula`] with side tables of its own, which hold for every
//! use: a formula sees no probe and no variable that is not known where it stands. A use names it by its
//! [`FormulaId`]; nothing is copied, and no tree is touched. What the uses come to when they are written out is counted,
//! and limited, since formulas that use formulas grow without bound.

use std::sync::Arc;

use super::errors;
use super::expr::{Body, Checked};
use super::flows::Holder;
use super::fold::{Early, Folded};
use super::info::{ExprInfo, Meaning, TypeInfo};
use super::names::{Marked, Provenance};
use super::session::{Session, Signature};
use super::translator::{From, Translation};
use crate::ast::operands::operands;
use crate::ast::{Expr, ExprId, Item, Program};
use crate::diag::Diagnostic;
use crate::env::Stability;
use crate::ir::VarId;
use crate::parse::MAX_DEPTH;
use crate::source::Span;
use crate::stability;

/// So many operations of a use are not counted: what they come to all together grows with the text, and ends with it.
const UNCOUNTED: usize = 64;

/// Most operations that the formulas of one clause may come to, as they are counted.
const MAX_CLAUSE: usize = 1 << 14;

/// Most operations that the formulas of a session may come to, as they are counted.
const MAX_SESSION: usize = 1 << 21;

/// Index of a [`Formula`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FormulaId(pub u32);

impl FormulaId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A parameter of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// What the expression calls it.
    pub name: String,
    /// Its type.
    pub ty: Marked,
}

/// Where the tree of a formula is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Index in [`super::Checked::programs`].
    pub program: usize,
    /// Index in the program's items.
    pub item: usize,
    /// The number of the member, for a translator.
    pub member: usize,
}

/// An expression that is checked once and used by name.
#[derive(Clone, Debug)]
pub struct Formula {
    /// Where its tree is.
    pub origin: Origin,
    /// The type that its uses have.
    pub ty: Marked,
    /// Its parameters, in order.
    pub params: Arc<[Param]>,
    /// What its expressions mean.
    pub info: TypeInfo,
    /// The translation that it stands for; it has no value then.
    pub translation: Option<Translation>,
    /// What a pointer that it gives points into.
    pub provenance: Provenance,
    /// Where a pointer that it gives is kept, as far as that decides what it points into.
    pub sources: Vec<Holder>,
    /// How stable what it names is.
    pub attributes: Stability,
    /// Operations, those of the formulas it uses included.
    size: usize,
    /// Levels of the tree, likewise.
    depth: usize,
}

impl Formula {
    /// The tree, and the tables of the program it is in.
    pub fn tree<'a>(&self, programs: &'a [(Program, Early)]) -> (&'a Expr, &'a Early) {
        let (program, early) = &programs[self.origin.program];
        match &program.items[self.origin.item] {
            Item::Inline(inline) => (&inline.value, early),
            Item::Translator(translator) => (&translator.members[self.origin.member].1, early),
            // Nothing else is given to `define`.
            _ => unreachable!("a formula is an inline or a member of a translator"),
        }
    }
}

/// What the formulas of a clause or of another formula come to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Expansion {
    size: usize,
    /// Of the size, what limits are about.
    counted: usize,
    depth: usize,
}

/// What comes to too many operations when definitions are written out.
#[derive(Clone, Copy, Debug)]
pub(super) enum Expanded {
    /// One use.
    Use,
    /// The uses of a clause or of a definition.
    Clause,
    /// The uses of all programs.
    Session,
}

/// What checking a definition's expression gives.
pub(super) struct Defined {
    /// Its tables, ready to be used.
    pub formula: Formula,
    /// What is known of the whole expression.
    pub value: ExprInfo,
    /// Its value, if it is an integer constant.
    pub constant: Option<Folded>,
    /// The variable that it is a mere mention of.
    pub alias: Option<VarId>,
    /// A mistake that counts if its type is right.
    pub deferred: Option<Diagnostic>,
}

impl Session<'_> {
    /// Checks the expression of a definition; the caller compares its type with the declared one.
    pub(super) fn define(
        &mut self,
        early: &mut Early,
        origin: Origin,
        ty: Marked,
        params: Arc<[Param]>,
        expr: &mut Expr,
    ) -> Result<Defined, Diagnostic> {
        early.params = params.clone();
        let defined = self.define_with(early, origin, ty, params, expr);
        early.params = Arc::from([]);
        defined
    }

    fn define_with(
        &mut self,
        early: &mut Early,
        origin: Origin,
        ty: Marked,
        params: Arc<[Param]>,
        expr: &mut Expr,
    ) -> Result<Defined, Diagnostic> {
        self.fold(early, expr)?;
        early.take_arms(expr);
        let expr = &*expr;
        let signature = Signature::outside();
        let mut body = Body {
            session: self,
            early,
            signature: &signature,
            info: TypeInfo::of_expr(expr),
            deferred: Vec::new(),
            statement: ExprId(expr.id.0),
            expansion: Expansion::default(),
            attributes: stability::STABLE,
        };
        let value = body.expr(expr)?;
        let deferred = body.no_deferred(expr).err();
        let sources = match value.provenance {
            Provenance::Unknown => body.sources(expr),
            _ => Vec::new(),
        };
        let Body { info, expansion, attributes, .. } = body;
        let alias = match value.meaning {
            Meaning::Variable(id) if params.is_empty() => Some(id),
            _ => None,
        };
        let (size, depth) = measure(expr);
        let (size, depth) = (size + expansion.size, depth + expansion.depth);
        let provenance = value.provenance;
        let translation = match value.meaning {
            Meaning::Translation(made) => Some(made),
            _ => None,
        };
        let formula =
            Formula { origin, ty, params, info, translation, provenance, sources, attributes, size, depth };
        Ok(Defined { formula, value, constant: early.constant(expr), alias, deferred })
    }

    pub(super) fn add_formula(&mut self, formula: Formula) -> FormulaId {
        self.formulas.push(formula);
        FormulaId(self.formulas.len() as u32 - 1)
    }
}

impl Body<'_, '_> {
    /// A parameter of the formula being checked.
    pub(super) fn param(&self, name: &str) -> Option<ExprInfo> {
        let index = self.early.params.iter().position(|param| param.name == name)?;
        let ty = self.early.params[index].ty;
        let info = ExprInfo { userland: ty.userland, lvalue: true, ..ExprInfo::value(ty.ty) };
        Some(ExprInfo { provenance: Provenance::Unknown, ..info }.meaning(Meaning::Param(index as u32)))
    }

    /// A use of an inline, whose arguments have been checked.
    pub(super) fn use_inline(&mut self, id: FormulaId, name: &str, span: Span) -> Checked {
        let triple = self.session.triple(name, self.session.formulas[id.index()].attributes);
        self.note_triple(triple, span, || format!("inline {name}"))?;
        self.use_formula(id, name, span)
    }

    /// A use of a formula.
    pub(super) fn use_formula(&mut self, id: FormulaId, name: &str, span: Span) -> Checked {
        let formula = &self.session.formulas[id.index()];
        let (ty, provenance) = (formula.ty, formula.provenance);
        let translation = formula.translation;
        let counted = formula.size.saturating_sub(UNCOUNTED);
        self.expansion.size = self.expansion.size.saturating_add(formula.size);
        self.expansion.counted = self.expansion.counted.saturating_add(counted);
        self.expansion.depth = self.expansion.depth.max(formula.depth);
        self.session.expanded = self.session.expanded.saturating_add(counted);
        if self.expansion.depth > MAX_DEPTH {
            return Err(errors::expansion_too_deep(span, name));
        }
        for (whose, size, most) in [
            (Expanded::Use, counted, MAX_CLAUSE),
            (Expanded::Clause, self.expansion.counted, MAX_CLAUSE),
            (Expanded::Session, self.session.expanded, MAX_SESSION),
        ] {
            if size > most {
                return Err(errors::expansion_too_large(span, name, whose, most));
            }
        }
        if let Some(made) = translation {
            return Ok(self.translation(Translation { from: From::Formula(id), ..made }));
        }
        let info = ExprInfo { userland: ty.userland, lvalue: true, provenance, ..ExprInfo::value(ty.ty) };
        Ok(info.meaning(Meaning::Formula(id)))
    }
}

/// The number of an expression's nodes and levels.
fn measure(expr: &Expr) -> (usize, usize) {
    let (mut size, mut depth) = (1, 0);
    operands(expr, &mut |child| {
        let inner = measure(child);
        size += inner.0;
        depth = depth.max(inner.1);
    });
    (size, depth + 1)
}
