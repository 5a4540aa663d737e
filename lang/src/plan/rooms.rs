//! Which room of a bounded store counts what: a program and its homes in, [`Rooms`] out.
//!
//! What is in K and what is in U is counted apart, since neither side knows what the other holds. An engine without a
//! kernel part counts alike: where things would be by the plan that all engines have in common ([`Capabilities::BASELINE`],
//! no options but `relaxedexit`). So a store is full after the same updates everywhere, and a value that another plan
//! moves to U (`placement=user`, [`super::Overflow`]) keeps its room.

use super::homes::{Analysed, Settled, named};
use super::roles::{Role, Roles};
use super::{Capabilities, PlanOptions, Side};
use crate::ir::{AggId, AggSiteId, Program, Scope, SiteId, VarId};

/// See the module. What is not listed is in the room of U, and any cut begins all rooms anew: so it is where nothing can be
/// counted apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rooms {
    vars: Vec<Side>,
    aggs: Vec<Side>,
    agg_sites: Vec<SiteRoom>,
    cuts: Vec<bool>,
}

/// In which room of its aggregation a site counts its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteRoom {
    /// In that of [`Rooms::agg`].
    First,
    /// In that of U, of an aggregation whose first room is K's.
    Second,
    /// In the first if the traced system fired the probe, in the second if the tracer or a fault did.
    ByFiring,
}

impl Rooms {
    /// The room of a `self->` scalar.
    pub fn var(&self, var: VarId) -> Side {
        self.vars.get(var.index()).copied().unwrap_or(Side::User)
    }

    /// The first room of an aggregation: K's if any site counts there.
    pub fn agg(&self, agg: AggId) -> Side {
        self.aggs.get(agg.index()).copied().unwrap_or(Side::User)
    }

    /// The room of an aggregation site.
    pub fn agg_site(&self, site: AggSiteId) -> SiteRoom {
        self.agg_sites.get(site.index()).copied().unwrap_or(SiteRoom::First)
    }

    /// Whether an action begins the rooms of aggregations in K anew: it cuts one of them. Those in U begin anew with any
    /// cut.
    pub fn cuts(&self, site: SiteId) -> bool {
        self.cuts.get(site.index()).copied().unwrap_or(true)
    }
}

/// The capabilities and options of which rooms are told. Of `options` only `relaxedexit` plays a part, which is the same
/// for every engine.
pub(super) fn reference(options: &PlanOptions) -> (Capabilities, PlanOptions) {
    let common = PlanOptions { relaxed_exit: options.relaxed_exit, ..PlanOptions::default() };
    (Capabilities::BASELINE, common)
}

/// Whether there is more than one thing that can be counted apart from others.
pub(super) fn matter(program: &Program, roles: &Roles) -> bool {
    let scalars = program.vars.iter().filter(|var| var.scope == Scope::ThreadLocal && var.keys.is_none());
    let keyed = program.agg_sites.iter().filter(|site| !program.aggs[site.agg.index()].keys.is_empty());
    let mut roles = keyed.map(|site| roles.clause(site.clause)).peekable();
    scalars.count() > 1
        || roles.peek().is_some() && program.agg_sites.len() > 1
        || roles.any(|role| role.source && unlike_source(role))
}

fn unlike_source(role: Role) -> bool {
    role.tracer || role.fault
}

/// The rooms by the homes that the reference gives.
pub(super) fn rooms(cx: &Analysed<'_>, reference: &Settled) -> Rooms {
    let program = cx.program;
    let decisions = &reference.decisions;
    let mut aggs = vec![Side::User; program.aggs.len()];
    for (site, &side) in program.agg_sites.iter().zip(&decisions.agg_sites) {
        if side == Side::Kernel {
            aggs[site.agg.index()] = Side::Kernel;
        }
    }
    let agg_sites = program.agg_sites.iter().zip(&decisions.agg_sites).map(|(site, &side)| {
        match (aggs[site.agg.index()], side) {
            (Side::User, _) => SiteRoom::First,
            (Side::Kernel, Side::User) => SiteRoom::Second,
            (Side::Kernel, Side::Kernel) if unlike_source(cx.roles.clause(site.clause)) => SiteRoom::ByFiring,
            (Side::Kernel, Side::Kernel) => SiteRoom::First,
        }
    });
    let agg_sites = agg_sites.collect();
    let cuts = program.sites.iter().map(|site| {
        let mut named = named(&site.detail).iter();
        site.action.row().cut && named.any(|agg| aggs[agg.index()] == Side::Kernel)
    });
    let cuts = cuts.collect();
    Rooms { vars: decisions.vars.clone(), aggs, agg_sites, cuts }
}
