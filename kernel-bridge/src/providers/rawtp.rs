//! `rawtp:sched::sched_switch` and its kin: the kernel's tracepoints with the arguments of their C prototypes. Which there
//! are says the kernel's type data; [`crate::env`] lists them.

use dtrail_lang::env::{FiredBy, Probe, ProbeArg, ProbeId, ProviderStability};

use super::{Provider, no_aliases, none_on_demand, stability};
use crate::ebpf::{Hook, HookSite, Select};

/// Its row.
pub static PROVIDER: Provider = Provider {
    name: "rawtp",
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

/// The probe of a tracepoint; `group` is the folder of tracefs it lies in, empty if that is not known.
pub fn probe(id: ProbeId, group: &str, name: &str, args: Vec<ProbeArg>) -> Probe {
    Probe {
        id,
        provider: PROVIDER.name.into(),
        module: group.into(),
        function: "".into(),
        name: name.into(),
        fired_by: FiredBy::Source,
        args: args.into(),
        stability: PROVIDER.stability,
    }
}

fn hook_site(probe: &Probe) -> Option<HookSite> {
    let count = u8::try_from(probe.args.len()).unwrap_or(u8::MAX);
    Some(HookSite { hook: Hook::RawTracepoint(probe.name.to_string()), select: Select::Arguments(count) })
}
