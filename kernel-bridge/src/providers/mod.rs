//! The providers: which probes exist, with which arguments, and what each hangs on. Facts about probes only; nothing
//! here opens a file, makes a system call or knows who may trace what (that is [`crate::env`]'s).

pub mod dtrace;
pub mod proc;
pub mod profile;
pub mod rawtp;
pub mod sdt;
pub mod syscall;
pub mod syscall_table;

use std::sync::Arc;

use dtrail_lang::env::{FiredBy, Probe, ProbeArg, ProbeId, ProviderStability, Stability, glob_match};

use crate::ebpf::HookSite;

/// A provider: a row of [`PROVIDERS`].
#[derive(Debug)]
pub struct Provider {
    /// `syscall`
    pub name: &'static str,
    /// The module component of its probes.
    pub module: &'static str,
    /// What `-v` prints.
    pub stability: ProviderStability,
    /// Adds the probes that exist without being asked for.
    list: fn(&mut Listing<'_>),
    /// The probe of this name, if it can be made on demand.
    on_demand: fn(&str) -> Option<NewProbe>,
    /// Whether a function or alias component names this probe by another name than its own.
    alias: fn(&Probe, &str) -> bool,
    /// What a probe hangs on; `None` for those that the traced system does not fire.
    hook_site: fn(&Probe) -> Option<HookSite>,
    /// Names of probes that DTrace has here and this version does not.
    pub missing: &'static [&'static str],
}

/// Every provider, in the order of their probes' numbers: those with few probes first, so that the numbers which
/// people see most stay short and do not move when a system call is added.
pub const PROVIDERS: &[&Provider] = &[
    &dtrace::PROVIDER,
    &profile::PROVIDER,
    &proc::PROVIDER,
    &syscall::PROVIDER,
    &rawtp::PROVIDER,
    &sdt::PROVIDER,
];

/// Providers that DTrace has on Linux and this version does not.
pub const MISSING_PROVIDERS: &[&str] = &[
    "cpc", "fbt", "fpuinfo", "io", "ip", "lockstat", "mib", "pid", "sched", "sysinfo", "tcp", "udp", "vminfo",
];

/// The provider with this name.
pub fn by_name(name: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().copied().find(|provider| provider.name == name)
}

/// What a probe hangs on in the kernel; `None` for probes that dtrail itself fires, and for probes of providers that
/// are not in the table (made-up ones).
pub fn hook_site(probe: &Probe) -> Option<HookSite> {
    (by_name(&probe.provider)?.hook_site)(probe)
}

/// Whether `pattern` (a component of a description) names this probe's function, directly or by an alias.
pub fn function_matches(pattern: &str, probe: &Probe) -> bool {
    pattern.is_empty()
        || glob_match(pattern, &probe.function)
        || by_name(&probe.provider).is_some_and(|provider| (provider.alias)(probe, pattern))
}

/// The listed probes of every provider, numbered from 1 without gaps.
pub fn listed() -> Vec<Probe> {
    let mut probes = Vec::with_capacity(800);
    for provider in PROVIDERS {
        let mut listing = Listing::new(provider, &mut probes);
        (provider.list)(&mut listing);
    }
    probes
}

/// Makes the probe of this provider and name, if the provider makes probes on demand, with the number given.
pub fn on_demand(provider: &'static Provider, name: &str, id: ProbeId) -> Option<Probe> {
    let new = (provider.on_demand)(name)?;
    Some(Probe {
        id,
        provider: provider.name.into(),
        module: provider.module.into(),
        function: "".into(),
        name: name.into(),
        fired_by: new.fired_by,
        args: Arc::new([]),
        stability: provider.stability,
    })
}

/// A probe that a provider makes when it is named.
struct NewProbe {
    fired_by: FiredBy,
}

/// Where a provider adds its probes; strings that many probes share exist once.
struct Listing<'a> {
    provider: &'static Provider,
    provider_name: Arc<str>,
    module: Arc<str>,
    probes: &'a mut Vec<Probe>,
}

impl<'a> Listing<'a> {
    fn new(provider: &'static Provider, probes: &'a mut Vec<Probe>) -> Listing<'a> {
        Listing { provider, provider_name: provider.name.into(), module: provider.module.into(), probes }
    }

    fn add(&mut self, function: &Arc<str>, name: &Arc<str>, fired_by: FiredBy, args: &Arc<[ProbeArg]>) {
        self.probes.push(Probe {
            id: ProbeId(self.probes.len() as u32 + 1),
            provider: self.provider_name.clone(),
            module: self.module.clone(),
            function: function.clone(),
            name: name.clone(),
            fired_by,
            args: args.clone(),
            stability: self.provider.stability,
        });
    }
}

/// Argument types from their spellings.
fn args(types: &[&str]) -> Arc<[ProbeArg]> {
    types.iter().map(|&ty| ProbeArg { ty: ty.into(), userland: false }).collect()
}

const fn stability(name: &'static str, data: &'static str, class: &'static str) -> Stability {
    Stability { name, data, class }
}

fn no_aliases(_: &Probe, _: &str) -> bool {
    false
}

fn none_on_demand(_: &str) -> Option<NewProbe> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_positions_and_names_are_unique() {
        let probes = listed();
        let mut names: Vec<String> = Vec::new();
        for (i, probe) in probes.iter().enumerate() {
            assert_eq!(probe.id.0 as usize, i + 1);
            names.push(format!("{}:{}:{}:{}", probe.provider, probe.module, probe.function, probe.name));
        }
        assert_eq!(names[0], "dtrace:::BEGIN");
        assert_eq!(names[1], "dtrace:::END");
        assert_eq!(names[2], "dtrace:::ERROR");
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn exactly_the_source_fired_probes_have_a_site() {
        for probe in listed() {
            assert_eq!(
                hook_site(&probe).is_some(),
                probe.fired_by == FiredBy::Source,
                "{}:{}:{}",
                probe.provider,
                probe.function,
                probe.name
            );
        }
    }
}
