//! Trees to IR: a checked session in, an [`ir::Program`](super::Program) out.
//!
//! One function a clause: the predicate is its first branch, whose other arm is the end. `&&`, `||`, `?:` and `if` are
//! branches with a merge block. Constants are folded, values that are known to fit are not cut again. What runs where
//! is not asked here.
//!
//! | file | lowers |
//! |---|---|
//! | [`clause`] | predicate, statements, sites |
//! | [`expr`] | values |
//! | [`place`] | assignments and what they assign to |
//! | [`provenance`] | what pointers point into |
//! | [`translation`] | inputs of translations, and translations assigned whole |
//! | [`formula`] | uses of inlines and members of translators |
//! | [`storage`] | members and elements of variables, structs as wholes |
//! | [`addressed`] | pointers to parts of variables |
//! | [`values`] | structs as values: where they lie, and parts of them |
//! | [`layout`] | the variables that structs and arrays are kept as |
//! | [`build`] | blocks, registers, instruction numbers |

mod addressed;
mod build;
mod calls;
mod clause;
mod copying;
mod expr;
mod formula;
mod layout;
mod place;
mod provenance;
mod storage;
#[cfg(test)]
mod tests;
mod translation;
mod values;
mod whole;

use std::collections::{BTreeSet, HashMap};

use layout::Layout;

use super::{
    ActionSite, AggId, AggSite, AggSiteId, Aggregation, Block, Clause, ClauseId, Program, SiteId, StrId,
    Terminator, ValueType, VarId,
};
use crate::ast::Item;
use crate::builtins::AggFn;
use crate::check::session::{key_type, value_type};
use crate::check::{Checked, Marked};
use crate::diag::Diagnostic;
use crate::source::Span;
use crate::types::TypeTable;

/// The tables that clauses fill while they are lowered.
#[derive(Default)]
struct Tables {
    agg_sites: Vec<AggSite>,
    sites: Vec<ActionSite>,
    strings: Vec<Box<[u8]>>,
    string_ids: HashMap<Box<[u8]>, StrId>,
    layout: Layout,
    /// The variables of which an address has been kept so far.
    kept: BTreeSet<VarId>,
}

impl Tables {
    fn string(&mut self, bytes: &[u8]) -> StrId {
        if let Some(&id) = self.string_ids.get(bytes) {
            return id;
        }
        let id = StrId(self.strings.len() as u32);
        self.strings.push(bytes.into());
        self.string_ids.insert(bytes.into(), id);
        id
    }

    fn site(&mut self, site: ActionSite) -> SiteId {
        self.sites.push(site);
        SiteId(self.sites.len() as u32 - 1)
    }

    fn agg_site(&mut self, agg: AggId, clause: ClauseId, span: Span) -> AggSiteId {
        self.agg_sites.push(AggSite { agg, clause, span });
        AggSiteId(self.agg_sites.len() as u32 - 1)
    }
}

/// Lowers a session. Fails on what the language has and dtrail has not yet.
pub fn lower(checked: &Checked) -> Result<Program, Diagnostic> {
    let mut addressed = BTreeSet::new();
    loop {
        // Of which variables addresses are kept is known when all is lowered; most programs have none.
        let (program, kept) = lower_with(checked, addressed.clone())?;
        if kept.is_subset(&addressed) {
            return Ok(program);
        }
        addressed.extend(kept);
    }
}

/// Lowers a session with such variables laid out to be pointed to. Gives those that have to be, too.
fn lower_with(
    checked: &Checked,
    addressed: BTreeSet<VarId>,
) -> Result<(Program, BTreeSet<VarId>), Diagnostic> {
    let (vars, layout) = layout::variables(checked, addressed);
    let mut tables = Tables { layout, ..Tables::default() };
    let mut clauses: Vec<Clause> = Vec::with_capacity(checked.clauses.len());
    for (i, clause) in checked.clauses.iter().enumerate() {
        let (program, early) = &checked.programs[clause.program];
        if let Some(Item::Clause(tree)) = program.items.get(clause.item) {
            if clause.idle {
                let entry = Block { insts: Vec::new(), end: Terminator::Return };
                let (number, span) = (clause.number, tree.span);
                clauses.push(Clause { number, regs: Vec::new(), blocks: vec![entry], span });
                continue;
            }
            clauses.push(clause::lower(checked, early, clause, tree, ClauseId(i as u32), &mut tables)?);
        }
    }
    let program = Program {
        clauses,
        enablings: checked.enablings.clone(),
        probes: checked.probes.clone(),
        vars,
        aggs: aggregations(checked),
        agg_sites: tables.agg_sites,
        sites: tables.sites,
        strings: tables.strings,
        limits: checked.limits,
    };
    Ok((program, tables.kept))
}

/// The type of an index into an ordinary array, which is kept as an associative one: its elements are zero until they
/// are stored to, as an array's are.
const INDEX: ValueType = ValueType::Int { bits: 64, signed: true };

/// How a marked type is stored. The checker lets no variable and no key have a type without one.
fn stored(types: &TypeTable, ty: Marked) -> ValueType {
    value_type(types, ty.ty).unwrap_or(INDEX)
}

/// How a key is kept.
fn key(checked: &Checked, ty: Marked) -> ValueType {
    key_type(&checked.types, ty.ty, checked.limits.strsize).unwrap_or(INDEX)
}

fn aggregations(checked: &Checked) -> Vec<Aggregation> {
    let aggregation = |agg: &crate::check::names::AggInfo| Aggregation {
        name: agg.name.clone(),
        func: agg.function.map_or(AggFn::Count, |(function, _)| function),
        shape: agg.shape.unwrap_or_default(),
        keys: agg.keys.iter().flatten().map(|&of| key(checked, of)).collect(),
    };
    checked.aggs.iter().map(aggregation).collect()
}
