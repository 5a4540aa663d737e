//! The checker: names, types and the rules of single actions.
//!
//! In: parsed programs and the [`crate::env::Environment`]. Out: [`Checked`], the trees with side tables for the
//! lowering. Nothing is stored in the tree: a clause is checked once for each argument signature of its probe
//! descriptions, and each check has tables of its own.
//!
//! | file | what it settles |
//! |---|---|
//! | [`session`] | the order of checks, what programs share |
//! | [`inline`], [`formula`] | definitions that are checked once and used by name |
//! | [`decl`], [`typenames`] | declarations; type names and definitions |
//! | [`fold`] | constants, casts' types, names of functions: all before any clause |
//! | [`probes`] | descriptions to probes and argument signatures |
//! | [`clause`] | statements, predicate |
//! | [`expr`], [`pointers`], [`index`], [`assign`] | types of expressions; what pointers lead to; brackets; assignments |
//! | [`flows`] | what pointers point into, across assignments |
//! | [`translator`], [`provider`] | translators, `xlate`, interfaces of providers |
//! | [`left_out`] | types of headers that D cannot say |
//! | [`kernel_places`] | where members lie that subroutines look at by themselves |
//! | [`attributes`] | stability and versions of names |
//! | [`calls`] | prototypes and aggregations |
//! | [`actions`], [`mod@format`], [`printed`], [`order`] | what single actions ask, and in which order they may stand |
//! | [`errors`], [`suggest`], [`misfits`], [`undefined_types`] | all wording; near misses; what helps where types do not fit or are not there |
//!
//! The first error ends the compilation (language spec §1.5).

mod actions;
mod assign;
mod attributes;
mod calls;
pub mod clause;
mod decl;
mod errors;
mod expr;
pub mod flows;
pub mod fold;
pub mod format;
pub mod formula;
mod index;
pub mod info;
mod inline;
mod kernel_places;
mod left_out;
mod misfits;
pub mod names;
mod order;
mod pointers;
mod printed;
mod probes;
mod provider;
pub mod session;
mod shapes;
pub(crate) mod suggest;
#[cfg(test)]
pub(crate) mod tests;
pub mod translator;
mod translator_index;
mod typenames;
mod undefined_types;

pub use attributes::Attributes;
pub use info::{ExprInfo, Meaning, Site, SiteDetail, TypeInfo};
pub use kernel_places::KernelPlaces;
pub use names::{Marked, Provenance, VarInfo, VarShape};
pub use probes::no_match_advice;
pub use session::{Checked, CheckedClause, Session};

/// Built-in variables that are only ever indexed.
const BUILTIN_ARRAYS: &[&str] = &["args", "uregs"];

/// A variable's shape as messages name it.
fn kind_of_shape(shape: &VarShape) -> &'static str {
    match shape {
        VarShape::Scalar => "scalar",
        VarShape::Associative(_) => "associative array",
    }
}
