//! `profile:::profile-N` on every CPU and `profile:::tick-N` on one, at a rate that the name gives.

use std::sync::Arc;

use dtrail_lang::builtins::rates::{TimerKind, parse_timer};
use dtrail_lang::env::{FiredBy, Probe, ProviderStability};

use super::{Listing, NewProbe, Provider, no_aliases, stability};
use crate::ebpf::{Hook, HookSite, Select};

/// Its row.
pub static PROVIDER: Provider = Provider {
    name: "profile",
    module: "",
    stability: ProviderStability {
        description: stability("Evolving", "Evolving", "Common"),
        args: stability("Evolving", "Evolving", "Common"),
    },
    list,
    on_demand,
    alias: no_aliases,
    hook_site,
    missing: &[],
};

/// The rates that are listed although nobody asked for them.
const LISTED: &[&str] = &[
    "profile-97",
    "profile-199",
    "profile-499",
    "profile-997",
    "profile-1999",
    "profile-4001",
    "profile-4999",
    "tick-1",
    "tick-10",
    "tick-100",
    "tick-500",
    "tick-1000",
    "tick-5000",
];

fn list(listing: &mut Listing<'_>) {
    let (function, no_args) = (Arc::from(""), Arc::new([]) as Arc<[_]>);
    for &name in LISTED {
        if let Some(new) = on_demand(name) {
            listing.add(&function, &name.into(), new.fired_by, &no_args);
        }
    }
}

fn on_demand(name: &str) -> Option<NewProbe> {
    let fired_by = match parse_timer(name)?.0 {
        TimerKind::Profile => FiredBy::Source,
        TimerKind::Tick => FiredBy::Tracer,
    };
    Some(NewProbe { fired_by })
}

fn hook_site(probe: &Probe) -> Option<HookSite> {
    let (kind, period) = parse_timer(&probe.name)?;
    (kind == TimerKind::Profile)
        .then_some(HookSite { hook: Hook::Profile { period }, select: Select::Always })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_listed_rates_exist() {
        assert!(LISTED.iter().all(|name| on_demand(name).is_some()));
    }
}
