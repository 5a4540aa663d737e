//! The kernel's trace events as tracefs has them: which there are, and the fields of each one's record.
//!
//! In: files that only root may read, as a rule. Out: names, numbers and fields; nothing where they cannot be read.

use std::path::PathBuf;

use crate::ebpf::{FieldHolds, RecordField};

/// Where tracefs may be mounted.
const ROOTS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// Groups whose events are made by tracers, or known by another provider.
const LEFT_OUT: [&str; 6] = ["ftrace", "kprobes", "pid", "synthetic", "syscalls", "uprobes"];

/// One trace event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceEvent {
    /// The kernel's number of it.
    pub number: u32,
    /// Its fields, without those that all events have, in order.
    pub fields: Vec<Field>,
}

/// A field of an event's record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its C type without qualifiers: of an array, its elements' with a `*`.
    pub ty: String,
    /// Its name.
    pub name: String,
    /// Where it lies.
    pub place: RecordField,
}

/// Group and name of all events, in the kernel's order; none if tracefs cannot be read.
pub fn events() -> Vec<(String, String)> {
    let text = ROOTS.iter().find_map(|root| std::fs::read_to_string(format!("{root}/available_events")).ok());
    let text = text.unwrap_or_default();
    let pairs = text.lines().filter_map(|line| line.split_once(':'));
    pairs
        .filter(|(group, _)| !LEFT_OUT.contains(group))
        .map(|(group, event)| (group.to_owned(), event.to_owned()))
        .collect()
}

/// Why this process cannot read tracefs, if it cannot.
pub fn unreadable() -> Option<std::io::Error> {
    let mut why = None;
    for root in ROOTS {
        why = Some(std::fs::File::open(format!("{root}/available_events")).err()?);
    }
    why
}

/// An event by its group and name.
pub fn event(group: &str, name: &str) -> Option<TraceEvent> {
    // A name with a slash is no event.
    let plain = |text: &str| !text.is_empty() && !text.contains('/') && !text.starts_with('.');
    if !plain(group) || !plain(name) || LEFT_OUT.contains(&group) {
        return None;
    }
    let path = |root: &&str| PathBuf::from(format!("{root}/events/{group}/{name}/format"));
    parse(&ROOTS.iter().find_map(|root| std::fs::read_to_string(path(root)).ok())?)
}

/// A `format` file.
fn parse(text: &str) -> Option<TraceEvent> {
    let number = text.lines().find_map(|line| line.strip_prefix("ID: "))?.trim().parse().ok()?;
    let lines = text.lines().filter_map(|line| line.trim_start().strip_prefix("field:"));
    let fields = lines.filter_map(field).filter(|field| !field.name.starts_with("common_")).collect();
    Some(TraceEvent { number, fields })
}

/// `TYPE NAME; offset:N; size:N; signed:N;`
fn field(line: &str) -> Option<Field> {
    let mut parts = line.split(';').map(str::trim);
    let declaration = parts.next()?;
    let mut number = |name: &str| parts.next()?.strip_prefix(name)?.trim().parse::<u32>().ok();
    let (offset, size, signed) = (number("offset:")?, number("size:")?, number("signed:").unwrap_or(0) != 0);
    // No record is larger than a page or two.
    if offset > 1 << 16 {
        return None;
    }
    let (declaration, located) = match declaration {
        text if text.starts_with("__data_loc ") => (&text[11..], Some(FieldHolds::Location)),
        text if text.starts_with("__rel_loc ") => (&text[10..], Some(FieldHolds::RelativeLocation)),
        text => (text, None),
    };
    let (declaration, array) = match declaration.strip_suffix(']').and_then(|text| text.split_once('[')) {
        Some((before, _)) => (before.to_owned(), true),
        None => (declaration.replace("[]", ""), located.is_some()),
    };
    let declaration = declaration.trim_end();
    let start = declaration.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
    let (ty, name) = declaration.split_at(start);
    let words = ty.replace('*', " * ");
    let words = words.split_whitespace().filter(|word| !["const", "volatile", "__user"].contains(word));
    let mut ty = words.collect::<Vec<_>>().join(" ").replace("* *", "**");
    let value = matches!(size, 1 | 2 | 4 | 8) && !array;
    if !value {
        ty.push_str(if ty.ends_with('*') { "*" } else { " *" });
    }
    let holds = match located {
        Some(located) => located,
        None if value => FieldHolds::Value { size: size as u8, signed },
        None => FieldHolds::Memory,
    };
    Some(Field { ty, name: name.to_owned(), place: RecordField { offset, holds } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_a_format() {
        let text = "name: made_up\nID: 365\nformat:\n\
            \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
            \tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:0;\n\
            \tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n\
            \tfield:char comm[16];\toffset:16;\tsize:16;\tsigned:0;\n\
            \tfield:const struct sock * sk;\toffset:32;\tsize:8;\tsigned:0;\n\
            \tfield:unsigned long long **to;\toffset:40;\tsize:8;\tsigned:0;\n\
            \tfield:__rel_loc u8[] bytes;\toffset:48;\tsize:4;\tsigned:0;\n\
            \tfield:struct pair both;\toffset:52;\tsize:12;\tsigned:0;\n\
            \tfield:broken\n\n\
            print fmt: \"%d\", REC->pid\n";
        let event = parse(text).expect("it has a number");
        assert_eq!(event.number, 365);
        let value = |size, signed| FieldHolds::Value { size, signed };
        let found: Vec<_> = event
            .fields
            .iter()
            .map(|field| (&*field.ty, &*field.name, field.place.offset, field.place.holds))
            .collect();
        assert_eq!(
            found,
            [
                ("char *", "filename", 8, FieldHolds::Location),
                ("pid_t", "pid", 12, value(4, true)),
                ("char *", "comm", 16, FieldHolds::Memory),
                ("struct sock *", "sk", 32, value(8, false)),
                ("unsigned long long **", "to", 40, value(8, false)),
                ("u8 *", "bytes", 48, FieldHolds::RelativeLocation),
                ("struct pair *", "both", 52, FieldHolds::Memory),
            ]
        );
        assert_eq!(parse("name: x\nformat:\n"), None);
        assert_eq!(event_of_no_file(), None);
    }

    fn event_of_no_file() -> Option<TraceEvent> {
        event("../events", "sched")
    }
}
