//! What records take in a buffer that is printed when tracing has ended: sizes that user space and the kernel part count
//! alike. In: a program. Out: bytes.

use dtrail_lang::builtins::Action;
use dtrail_lang::env::ProbeId;
use dtrail_lang::ir::{Program, RegKind, ValueType};

use crate::record::{Records, Row};

/// Bytes of a record, the row of one clause, besides its values.
pub const HEADER: u64 = 16;

/// Bytes of a value; a string has those of its text besides.
pub const VALUE: u64 = 8;

/// Bytes that a row takes.
pub(super) fn row(records: &Records, program: &Program, row: Row) -> u64 {
    let mut bytes = HEADER;
    for (site, first) in records.actions(row) {
        let args = program.sites.get(site.index()).map_or(&[][..], |site| &site.args);
        for (ty, index) in args.iter().zip(first..) {
            bytes += VALUE;
            if ty.reg_kind() == RegKind::Str {
                bytes += records.value(index, RegKind::Str).bytes().len() as u64;
            }
        }
    }
    bytes
}

/// By clause: the most bytes that it can record.
pub(super) fn clauses(program: &Program) -> Vec<u64> {
    let strsize = u64::from(program.limits.strsize);
    let value = |ty: &ValueType| match *ty {
        ValueType::Str => VALUE + strsize,
        ValueType::Bytes(bytes) => VALUE + u64::from(bytes),
        ValueType::Float(bytes) => VALUE + u64::from(bytes),
        ValueType::Int { .. } | ValueType::Pointer | ValueType::Symbolic(_) => VALUE,
    };
    let mut most = vec![HEADER; program.clauses.len()];
    for site in program.sites.iter().filter(|site| site.action != Action::Default) {
        most[site.clause.index()] += site.args.iter().map(value).sum::<u64>();
    }
    most
}

/// The most bytes that `END` can record.
pub(super) fn end(program: &Program) -> u64 {
    let most = clauses(program);
    let end = program.probes.iter().position(|probe| probe.id == ProbeId::END);
    let enabled = |enabling: &&dtrail_lang::ir::Enabling| {
        enabling.probes.iter().any(|probe| Some(probe.index()) == end)
    };
    let enablings = program.enablings.iter().filter(enabled);
    enablings.map(|enabling| most[enabling.clause.index()]).sum()
}

/// Bytes of a buffer of `size` that other probes than `END` may take under `bufpolicy=fill`.
pub fn room_to_fill(program: &Program, size: u64) -> u64 {
    size.saturating_sub(end(program))
}
