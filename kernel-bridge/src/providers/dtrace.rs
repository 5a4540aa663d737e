//! `dtrace:::BEGIN`, `END` and `ERROR`.

use std::sync::Arc;

use dtrail_lang::env::{FiredBy, ProviderStability};

use super::{Listing, Provider, no_aliases, none_on_demand, stability};

/// Its row.
pub static PROVIDER: Provider = Provider {
    name: "dtrace",
    module: "",
    stability: ProviderStability {
        description: stability("Stable", "Stable", "Common"),
        args: stability("Stable", "Stable", "Common"),
    },
    list,
    on_demand: none_on_demand,
    alias: no_aliases,
    hook_site: |_| None,
    missing: &[],
};

fn list(listing: &mut Listing<'_>) {
    let (function, no_args) = (Arc::from(""), Arc::new([]) as Arc<[_]>);
    for (name, fired_by) in [("BEGIN", FiredBy::Tracer), ("END", FiredBy::Tracer), ("ERROR", FiredBy::Fault)]
    {
        listing.add(&function, &name.into(), fired_by, &no_args);
    }
}
