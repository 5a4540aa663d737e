//! `sdt:sched::sched_switch` and its kin: the kernel's trace events with the fields of their records. Which there are says
//! tracefs; [`crate::env`] lists them, and whoever attaches one looks up where its fields lie.

use dtrail_lang::env::{FiredBy, Probe, ProbeArg, ProbeId, ProviderStability};

use super::{Provider, no_aliases, none_on_demand, stability};
use crate::ebpf::{Hook, HookSite, Select};

/// Its row.
pub static PROVIDER: Provider = Provider {
    name: "sdt",
    module: "",
    stability: ProviderStability {
        description: stability("Private", "Private", "Unknown"),
        args: stability("Private", "Private", "ISA"),
    },
    list: |_| {},
    on_demand: none_on_demand,
    alias: no_aliases,
    hook_site,
    missing: &[],
};

/// The probe of an event of a group.
pub fn probe(id: ProbeId, group: &str, event: &str, args: Vec<ProbeArg>) -> Probe {
    Probe {
        id,
        provider: PROVIDER.name.into(),
        module: group.into(),
        function: "".into(),
        name: event.into(),
        fired_by: FiredBy::Source,
        args: args.into(),
        stability: PROVIDER.stability,
    }
}

/// Without the places of fields, which are the machine's to say.
fn hook_site(probe: &Probe) -> Option<HookSite> {
    let hook = Hook::Tracepoint { group: probe.module.to_string(), event: probe.name.to_string() };
    Some(HookSite { hook, select: Select::Fields(Vec::new()) })
}
