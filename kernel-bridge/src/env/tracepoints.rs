//! The probes of provider `rawtp`: every tracepoint that the kernel's types describe.
//!
//! In: descriptions. Out: probes, whose numbers are those of the types, so that they are the same under every source and
//! none is made before it is named. The group of a tracepoint is read from tracefs where this user may.

use std::cell::OnceCell;
use std::collections::HashMap;

use dtrail_lang::env::{
    KernelType, KernelTypeId, KernelTypes, Probe, ProbeArg, ProbeId, ProbePattern, glob_match,
};

use crate::providers::rawtp;
use crate::readers::tracefs;
use crate::readers::types::RunningTypes;

/// Added to a type's number, it is a probe's: far above those of all other probes.
const NUMBERS: u32 = 1_000_000;

/// What a description wants of a provider that has a probe for each of the kernel's events. They are many: those of a
/// name are found without a look at the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Nothing that could be there.
    None,
    /// The probes of this very name.
    Named,
    /// Whatever its components accept.
    Any,
}

impl Wanted {
    pub(super) fn of(pattern: &ProbePattern, provider: &str) -> Wanted {
        if !accepts(&pattern.provider, provider) || !accepts(&pattern.function, "") {
            Wanted::None
        } else if is_open(&pattern.name) {
            Wanted::Any
        } else {
            Wanted::Named
        }
    }
}

/// Whether a component may match several texts.
pub(super) fn is_open(component: &str) -> bool {
    component.is_empty() || component.contains(['?', '*', '[', '\\'])
}

/// Whether a component matches a text; one that is left out matches any.
pub(super) fn accepts(component: &str, text: &str) -> bool {
    component.is_empty() || glob_match(component, text)
}

/// The groups of tracepoints, by event, read once.
#[derive(Debug, Default)]
pub(super) struct Tracepoints {
    groups: OnceCell<HashMap<String, String>>,
}

/// The type of an argument. What C passes as a whole struct or union is in a register like any integer.
fn spelling(types: &RunningTypes, ty: KernelTypeId) -> String {
    let whole = matches!(types.describe(ty), KernelType::Record { .. });
    types.spell(ty).filter(|_| !whole).unwrap_or_else(|| "uint64_t".to_owned())
}

impl Tracepoints {
    fn group(&self, event: &str) -> &str {
        let groups = self
            .groups
            .get_or_init(|| tracefs::events().into_iter().map(|(group, event)| (event, group)).collect());
        groups.get(event).map_or("", String::as_str)
    }

    /// Those that a description matches.
    pub(super) fn matching(&self, types: &RunningTypes, pattern: &ProbePattern) -> Vec<Probe> {
        let numbers = match Wanted::of(pattern, rawtp::PROVIDER.name) {
            Wanted::None => Vec::new(),
            Wanted::Named => types.tracepoint_number(&pattern.name).into_iter().collect(),
            Wanted::Any => types.tracepoint_numbers(),
        };
        let probes = numbers.into_iter().filter_map(|number| self.probe(types, number));
        probes
            .filter(|probe| accepts(&pattern.name, &probe.name) && accepts(&pattern.module, &probe.module))
            .collect()
    }

    /// The probe of a number.
    pub(super) fn by_id(&self, types: &RunningTypes, id: ProbeId) -> Option<Probe> {
        self.probe(types, id.0.checked_sub(NUMBERS)?)
    }

    fn probe(&self, types: &RunningTypes, number: u32) -> Option<Probe> {
        let (name, parameters) = types.tracepoint_of(number)?;
        let args = parameters
            .into_iter()
            .map(|ty| ProbeArg { ty: spelling(types, ty).into(), userland: types.is_user_pointer(ty) })
            .collect();
        let id = ProbeId(number.checked_add(NUMBERS)?);
        Some(rawtp::probe(id, self.group(&name), &name, args))
    }
}
