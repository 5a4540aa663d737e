//! The probes of provider `sdt`: every trace event that tracefs has.
//!
//! In: descriptions. Out: probes, whose numbers are those of the events and whose arguments are the fields of their
//! records, typed as the kernel's types have them.

use std::cell::OnceCell;

use dtrail_lang::env::{KernelTypes, Probe, ProbeArg, ProbeId, ProbePattern};
use dtrail_lang::types::TagKind;

use super::tracepoints::{Wanted, accepts, is_open};
use crate::ebpf::FieldHolds;
use crate::providers::sdt;
use crate::readers::tracefs::{self, Field};
use crate::readers::types::RunningTypes;

/// Added to an event's number, it is a probe's: above those of `rawtp`.
const NUMBERS: u32 = 2_000_000;

/// As many fields as there are `arg0`… to hold them.
const ARGS: usize = 10;

/// C's own names of integers, as the kernel's formats write them.
const INTEGERS: &[&str] = &[
    "char",
    "int",
    "long",
    "long long",
    "short",
    "signed char",
    "unsigned",
    "unsigned char",
    "unsigned int",
    "unsigned long",
    "unsigned long long",
    "unsigned short",
];

/// The events there are, read once.
#[derive(Debug, Default)]
pub(super) struct TraceEvents {
    names: OnceCell<Vec<(String, String)>>,
}

impl TraceEvents {
    fn names(&self) -> &[(String, String)] {
        self.names.get_or_init(tracefs::events)
    }

    /// Those that a description matches.
    pub(super) fn matching(&self, types: Option<&RunningTypes>, pattern: &ProbePattern) -> Vec<Probe> {
        match Wanted::of(pattern, sdt::PROVIDER.name) {
            Wanted::None => return Vec::new(),
            Wanted::Named if !is_open(&pattern.module) => {
                return probe(types, &pattern.module, &pattern.name).into_iter().collect();
            }
            Wanted::Named | Wanted::Any => (),
        }
        let named = self.names().iter();
        let mut probes: Vec<Probe> = named
            .filter(|(group, event)| accepts(&pattern.module, group) && accepts(&pattern.name, event))
            .filter_map(|(group, event)| probe(types, group, event))
            .collect();
        probes.sort_by_key(|probe| probe.id.0);
        probes
    }

    /// The probe of a number.
    pub(super) fn by_id(&self, types: Option<&RunningTypes>, id: ProbeId) -> Option<Probe> {
        let number = id.0.checked_sub(NUMBERS)?;
        let is_it =
            |group: &str, event: &str| tracefs::event(group, event).is_some_and(|e| e.number == number);
        let (group, event) = self.names().iter().find(|(group, event)| is_it(group, event))?;
        probe(types, group, event)
    }
}

fn probe(types: Option<&RunningTypes>, group: &str, event: &str) -> Option<Probe> {
    let found = tracefs::event(group, event)?;
    let args = found.fields.iter().take(ARGS);
    let args = args.map(|field| ProbeArg { ty: spelling(types, field).into(), userland: false }).collect();
    Some(sdt::probe(ProbeId(found.number.checked_add(NUMBERS)?), group, event, args))
}

/// The type of a field if the kernel's types know it, else the integer or pointer that it is at least.
fn spelling(types: Option<&RunningTypes>, field: &Field) -> String {
    let base = field.ty.trim_end_matches('*').trim_end();
    let tagged = base.split_once(' ').and_then(|(word, tag)| {
        let kinds = [TagKind::Struct, TagKind::Union, TagKind::Enum];
        Some((kinds.into_iter().find(|kind| kind.word() == word)?, tag))
    });
    let find = |tag, name: &str| types.is_some_and(|types| types.find(None, tag, name).is_some());
    let known = match tagged {
        _ if base == "void" || INTEGERS.contains(&base) => true,
        Some((kind, tag)) => find(Some(kind), tag),
        None => find(None, base),
    };
    match field.place.holds {
        _ if known => field.ty.clone(),
        FieldHolds::Value { size, signed } if !field.ty.ends_with('*') => {
            format!("{}int{}_t", if signed { "" } else { "u" }, 8 * u32::from(size))
        }
        _ => "void *".to_owned(),
    }
}
