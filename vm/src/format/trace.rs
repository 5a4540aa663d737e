//! The text of `trace()` (runtime spec §2): one value in its own type's width, bare in quiet mode.

use std::io::Write as _;

use dtrail_lang::builtins::Symbolic;
use dtrail_lang::ir::ValueType;

use super::float::{Look, Number};
use super::{Style, dump, pad, show_padded, symbols};
use crate::runtime::extend;
use crate::value::ValueRef;

/// Appends the bytes of a value as a dump (`rawbytes`): as they lie in a record, a string with room for the longest.
pub fn raw(out: &mut Vec<u8>, value: ValueRef<'_>, ty: ValueType, strsize: u32) {
    match (ty, value) {
        (ValueType::Int { bits, .. }, value) => {
            dump::dump(out, &value.int().to_le_bytes()[..usize::from(bits / 8).min(8)]);
        }
        (ValueType::Pointer | ValueType::Symbolic(_), value) => dump::dump(out, &value.int().to_le_bytes()),
        (ValueType::Bytes(_) | ValueType::Float(_), value) => dump::dump(out, value.bytes()),
        (ValueType::Str, value) => {
            let mut bytes = value.bytes().to_vec();
            bytes.resize(strsize as usize + 1, 0);
            dump::dump(out, &bytes);
        }
    }
}

/// Appends the text of one value.
pub fn trace(out: &mut Vec<u8>, value: ValueRef<'_>, ty: ValueType, quiet: bool, style: Style<'_>) {
    let (bits, signed) = match ty {
        ValueType::Int { bits, signed } => (bits, signed),
        ValueType::Pointer => (64, false),
        ValueType::Symbolic(Symbolic::Stack) => return symbols::stack(out, value.int() as u64, style),
        ValueType::Symbolic(kind) => return address(out, value.int() as u64, kind, style),
        ValueType::Bytes(_) => return dump::dump(out, value.bytes()),
        ValueType::Float(_) => {
            let number = Number::read(value.bytes()).unwrap_or(Number::ZERO);
            let (sign, digits) = number.text(Look::plain('g'));
            // Right-justified in the room of any other value of 64 bits.
            let width = if quiet { 0 } else { 21 };
            return pad(out, format!("{sign}{digits}").as_bytes(), width, false);
        }
        ValueType::Str => {
            if !quiet {
                out.extend_from_slice(b"  ");
            }
            return show_padded(out, value.bytes(), style.escape, if quiet { 0 } else { 33 }, true);
        }
    };
    let width = match (quiet, bits, signed) {
        (true, ..) => 0,
        (_, 8, _) => 3,
        (_, 16, _) => 5,
        (_, 32, _) => 10,
        (_, _, true) => 19,
        (_, _, false) => 20,
    };
    if !quiet {
        out.push(b' ');
    }
    let value = extend(value.int() as u64, bits, signed);
    // Writing to a vector cannot fail.
    let _ = match signed {
        true => write!(out, "{:width$}", value as i64),
        false => write!(out, "{value:width$}"),
    };
}

/// Appends an address that prints as a symbol, in its column of 50.
pub(super) fn address(out: &mut Vec<u8>, value: u64, kind: Symbolic, style: Style<'_>) {
    out.extend_from_slice(b"  ");
    let start = out.len();
    symbols::address(out, value, kind, style);
    let end = out.len().max(start + 50);
    out.resize(end, b' ');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stacks::StackTable;
    use crate::testing::{FixedHost, no_symbols};

    fn check(value: ValueRef<'_>, ty: ValueType, quiet: &str, wide: &str) {
        let host = FixedHost::default();
        for (is_quiet, expected) in [(true, quiet), (false, wide)] {
            let mut out = Vec::new();
            trace(
                &mut out,
                value,
                ty,
                is_quiet,
                Style { host: &host, escape: false, symbols: no_symbols(&StackTable::new()) },
            );
            assert_eq!(String::from_utf8_lossy(&out), expected, "{value:?} as {ty:?}");
        }
    }

    #[test]
    fn widths_by_type() {
        let int = |bits, signed| ValueType::Int { bits, signed };
        check(ValueRef::Int(-1), int(8, true), "-1", "  -1");
        check(ValueRef::Int(255), int(8, false), "255", " 255");
        check(ValueRef::Int(-300), int(16, true), "-300", "  -300");
        check(ValueRef::Int(65535), int(16, false), "65535", " 65535");
        check(ValueRef::Int(42), int(32, true), "42", "         42");
        check(ValueRef::Int(-1), int(32, false), "4294967295", " 4294967295");
        check(ValueRef::Int(-1), int(64, true), "-1", "                  -1");
        check(ValueRef::Int(7), int(64, false), "7", "                    7");
        check(ValueRef::Int(-1), ValueType::Pointer, "18446744073709551615", " 18446744073709551615");
        check(ValueRef::Str(Some(b"ab")), ValueType::Str, "ab", "  ab                               ");
        check(ValueRef::Str(None), ValueType::Str, "", "                                   ");
    }
}
