//! `syscall:vmlinux:NAME:entry` and `return`, from the built-in table.

use std::sync::Arc;

use dtrail_lang::env::{FiredBy, Probe, ProviderStability, glob_match};

use super::syscall_table::{ALIASES, SYSCALLS, by_name};
use super::{Listing, Provider, args, none_on_demand, stability};
use crate::ebpf::{Hook, HookSite, Select};

/// Its row.
pub static PROVIDER: Provider = Provider {
    name: "syscall",
    module: "vmlinux",
    stability: ProviderStability {
        description: stability("Private", "Private", "Unknown"),
        args: stability("Private", "Private", "ISA"),
    },
    list,
    on_demand: none_on_demand,
    alias,
    hook_site,
    missing: &[],
};

fn list(listing: &mut Listing<'_>) {
    let (entry, ret) = (Arc::from("entry"), Arc::from("return"));
    let return_args = args(&["long"]);
    for call in SYSCALLS.iter().filter(|call| call.number().is_some()) {
        let function = call.name.into();
        listing.add(&function, &entry, FiredBy::Source, &args(call.args));
        if call.returns() {
            listing.add(&function, &ret, FiredBy::Source, &return_args);
        }
    }
}

fn alias(probe: &Probe, pattern: &str) -> bool {
    ALIASES.iter().any(|(familiar, primary)| **primary == *probe.function && glob_match(pattern, familiar))
}

fn hook_site(probe: &Probe) -> Option<HookSite> {
    let number = by_name(&probe.function)?.number()?;
    let hook = match &*probe.name {
        "entry" => Hook::SysEnter,
        "return" => Hook::SysExit,
        _ => return None,
    };
    Some(HookSite { hook, select: Select::Syscall(number) })
}

/// The numbers, on this architecture, of those of the named calls that exist here.
pub(super) fn numbers(names: &[&str]) -> Vec<u32> {
    names.iter().filter_map(|name| by_name(name)?.number()).collect()
}
