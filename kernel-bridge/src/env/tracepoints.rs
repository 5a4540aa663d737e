//! The probes of provider `rawtp`: every tracepoint that the kernel's types describe.
//!
//! In: descriptions. Out: probes, whose numbers are those of the types, so that they are the same under every source and
//! none is made before it is named. The group of a tracepoint is read from tracefs where this user may.

use std::cell::OnceCell;
use std::collections::HashMap;

use dtrail_lang::env::{Probe, ProbeArg, ProbeId, ProbePattern, glob_match};

use crate::providers::rawtp;
use crate::readers::tracefs;
use crate::readers::types::RunningTypes;

/// Added to a type's number, it is a probe's: far above those of all other probes.
const NUMBERS: u32 = 1_000_000;

/// The groups of tracepoints, by event, read once.
#[derive(Debug, Default)]
pub(super) struct Tracepoints {
    groups: OnceCell<HashMap<String, String>>,
}

impl Tracepoints {
    fn group(&self, event: &str) -> &str {
        let groups = self
            .groups
            .get_or_init(|| tracefs::events().into_iter().map(|(group, event)| (event, group)).collect());
        groups.get(event).map_or("", String::as_str)
    }

    /// Those that a description matches. Tracepoints are many: where the description leaves the provider open, only one
    /// that is named in full is looked for, unless everything is asked for.
    pub(super) fn matching(&self, types: &RunningTypes, pattern: &ProbePattern) -> Vec<Probe> {
        let is_open = |text: &str| text.is_empty() || text.contains(['?', '*', '[', '\\']);
        let accepts = |component: &str, text: &str| component.is_empty() || glob_match(component, text);
        let everything = pattern.provider.is_empty()
            && pattern.module.is_empty()
            && pattern.function.is_empty()
            && pattern.name.is_empty();
        if !accepts(&pattern.provider, rawtp::PROVIDER.name) || !accepts(&pattern.function, "") {
            return Vec::new();
        }
        if !is_open(&pattern.name) {
            let number = types.tracepoint_number(&pattern.name);
            let probe = number.and_then(|number| self.probe(types, number));
            return probe.filter(|probe| accepts(&pattern.module, &probe.module)).into_iter().collect();
        }
        if is_open(&pattern.provider) && !everything {
            return Vec::new();
        }
        let all = types.tracepoint_numbers();
        let probes = all.into_iter().filter_map(|number| self.probe(types, number));
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
            .map(|ty| ProbeArg {
                ty: types.spell(ty).unwrap_or_else(|| "uint64_t".to_owned()).into(),
                userland: types.is_user_pointer(ty),
            })
            .collect();
        let id = ProbeId(number.checked_add(NUMBERS)?);
        Some(rawtp::probe(id, self.group(&name), &name, args))
    }
}
