//! The text of `print` (runtime spec §4): bytes and the shape of their type in, lines out. The pointer form shows what a
//! pointer points to, as Oracle's does; the value form shows a value, as illumos's does.

use std::io::Write as _;

use dtrail_lang::ir::{TypeMember, TypeShape, TypeShapeKind};

use super::float::{Look, Number};
use super::{Style, show, shown};
use crate::value::ValueRef;

/// Blanks before the outermost type.
const INDENT: usize = 44;
/// What a pointer points to is shown to this depth.
const DEPTH: usize = 10;
/// A value is shown whole: types nest no deeper, unless the kernel's are damaged.
const VALUE_DEPTH: usize = 2 * dtrail_lang::types::MAX_DEPTH as usize;
/// So many values and parts of values are shown of one: more than any struct of the kernel has. Unions of unions may have
/// any number in few bytes.
const PARTS: u32 = 1 << 16;

/// Appends `0xADDRESS = *` and what stands there: `bytes` are what was captured of it. `escape`: the output is a terminal.
pub fn target(out: &mut Vec<u8>, address: u64, shape: &TypeShape, bytes: &[u8], escape: bool) {
    // Writing to a vector cannot fail.
    let _ = writeln!(out, "{address:#x} = *");
    Visit { out, bytes, escape, parts: PARTS }.value(shape, Place { bit: 0, bits: None, name: "" }, 0);
}

/// Where a value lies.
#[derive(Clone, Copy)]
struct Place<'a> {
    /// From the start of the bytes.
    bit: u64,
    /// Of a bit-field.
    bits: Option<u8>,
    /// The member's name; empty for none.
    name: &'a str,
}

/// How a visit goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    On,
    /// Beyond the captured bytes, too deep or too many: what is open is closed.
    Stop,
}

struct Visit<'a> {
    out: &'a mut Vec<u8>,
    bytes: &'a [u8],
    escape: bool,
    /// How many more parts are shown.
    parts: u32,
}

impl Visit<'_> {
    fn line(&mut self, depth: usize, text: std::fmt::Arguments<'_>) {
        self.out.resize(self.out.len() + INDENT + depth, b' ');
        let _ = self.out.write_fmt(text);
        self.out.push(b'\n');
    }

    /// The bits of a value, up to 64 of them.
    fn word(&self, bit: u64, bits: u64) -> Option<u64> {
        let mut value = 0_u128;
        let first = usize::try_from(bit / 8).ok()?;
        let end = usize::try_from((bit + bits).div_ceil(8)).ok()?;
        for (i, byte) in self.bytes.get(first..end)?.iter().take(9).enumerate() {
            value |= u128::from(*byte) << (8 * i);
        }
        let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        Some((value >> (bit % 8)) as u64 & mask)
    }

    fn is_zero(&self, shape: &TypeShape, place: Place<'_>) -> bool {
        match place.bits {
            Some(bits) => self.word(place.bit, u64::from(bits)) == Some(0),
            None => {
                let start = usize::try_from(place.bit / 8).unwrap_or(usize::MAX);
                let end = start.saturating_add(usize::try_from(shape.size).unwrap_or(usize::MAX));
                let bytes = self.bytes.get(start..end.min(self.bytes.len())).unwrap_or(&[]);
                bytes.iter().all(|&byte| byte == 0)
            }
        }
    }

    /// One value at its place, with all that is in it.
    fn value(&mut self, shape: &TypeShape, place: Place<'_>, depth: usize) -> Flow {
        if place.bit / 8 >= self.bytes.len() as u64 || depth >= DEPTH || self.parts == 0 {
            self.line(depth, format_args!("..."));
            return Flow::Stop;
        }
        self.parts -= 1;
        if depth > 0 && self.is_zero(shape, place) {
            return Flow::On;
        }
        let name = match place.name {
            "" => String::new(),
            name => format!(".{name} = "),
        };
        match &shape.kind {
            TypeShapeKind::Members(members) => self.members(shape, &name, members, place.bit, depth),
            TypeShapeKind::Array(element, count) => {
                self.array(&name, shape, (element, *count), place.bit, depth)
            }
            TypeShapeKind::Opaque => Flow::On,
            _ => {
                let Some(text) = self.scalar(shape, place) else {
                    self.line(depth, format_args!("..."));
                    return Flow::Stop;
                };
                self.out.resize(self.out.len() + INDENT + depth, b' ');
                let _ = write!(self.out, "{name}({})", shape.name);
                self.out.extend_from_slice(&text);
                self.out.extend_from_slice(b",\n");
                Flow::On
            }
        }
    }

    fn members(
        &mut self,
        shape: &TypeShape,
        name: &str,
        members: &[TypeMember],
        at: u64,
        depth: usize,
    ) -> Flow {
        self.line(depth, format_args!("{name}({}) {{", shape.name));
        let mut flow = Flow::On;
        for member in members {
            let place = Place { bit: at + member.offset, bits: member.bits, name: &member.name };
            flow = self.value(&member.shape, place, depth + 1);
            if flow == Flow::Stop {
                break;
            }
        }
        self.line(depth, format_args!("}}{}", if depth > 0 { "," } else { "" }));
        flow
    }

    fn array(
        &mut self,
        name: &str,
        shape: &TypeShape,
        (element, count): (&TypeShape, u64),
        at: u64,
        depth: usize,
    ) -> Flow {
        if count == 0 {
            self.line(depth, format_args!("{name}({}) [],", shape.name));
            return Flow::On;
        }
        self.line(depth, format_args!("{name}({}) [", shape.name));
        let text = matches!(element.kind, TypeShapeKind::Char { .. });
        let mut flow = Flow::On;
        for i in 0..count {
            let bit = at.saturating_add(i.saturating_mul(element.size).saturating_mul(8));
            if text && self.word(bit, 8) == Some(0) {
                break;
            }
            flow = self.value(element, Place { bit, bits: None, name: "" }, depth + 1);
            if flow == Flow::Stop {
                break;
            }
        }
        self.line(depth, format_args!("],"));
        flow
    }

    /// The text of a value without parts; `None` if it was not captured whole.
    fn scalar(&self, shape: &TypeShape, place: Place<'_>) -> Option<Vec<u8>> {
        let bits = place.bits.map_or(shape.size.saturating_mul(8), u64::from);
        if matches!(shape.kind, TypeShapeKind::Int { .. }) && bits > 64 {
            return Some(format!("?({bits} bit value)").into_bytes());
        }
        if let TypeShapeKind::Float = shape.kind {
            let at = usize::try_from(place.bit / 8).ok()?;
            let bytes = self.bytes.get(at..at.checked_add(usize::try_from(shape.size).ok()?)?)?;
            return Some(Number::read(bytes).map_or_else(Vec::new, |value| short_float(value).into_bytes()));
        }
        if let TypeShapeKind::Text = shape.kind {
            let at = usize::try_from(place.bit / 8).ok()?;
            let bytes = self.bytes.get(at..)?;
            let text = bytes.split(|&byte| byte == 0).next().unwrap_or(&[]);
            return Some([b"\"", &*shown(text, self.escape), b"\""].concat());
        }
        let value = self.word(place.bit, bits)?;
        let extended = crate::runtime::extend(value, bits as u8, true) as i64;
        Some(match &shape.kind {
            TypeShapeKind::Int { signed: false } => value.to_string().into_bytes(),
            TypeShapeKind::Char { .. } => [b"'", &*shown(&[value as u8], self.escape), b"'"].concat(),
            TypeShapeKind::Enum(names) => match name_of(names, value, bits as u8) {
                Some(name) => name.as_bytes().to_vec(),
                None => extended.to_string().into_bytes(),
            },
            TypeShapeKind::Pointer | TypeShapeKind::FunctionPointer => format!("{value:#x}").into_bytes(),
            _ => extended.to_string().into_bytes(),
        })
    }
}

/// Appends `TYPE VALUE` for a value that is no pointer: a number, a text, or the bytes of a larger one.
pub fn value(out: &mut Vec<u8>, shape: &TypeShape, value: ValueRef<'_>, style: Style<'_>) {
    let _ = write!(out, "{} ", shape.name);
    match (&shape.kind, value) {
        (TypeShapeKind::Text, ValueRef::Str(text)) => {
            out.push(b'"');
            show(out, text.unwrap_or(&[]), style.escape);
            out.push(b'"');
        }
        (_, ValueRef::Int(number)) => {
            let bytes = number.to_le_bytes();
            Inline { out, bytes: &bytes, escape: style.escape, parts: PARTS }.value(shape, 0, None, 0, true);
        }
        (_, ValueRef::Str(bytes)) => {
            let bytes = bytes.unwrap_or(&[]);
            Inline { out, bytes, escape: style.escape, parts: PARTS }.value(shape, 0, None, 0, true);
        }
    }
}

/// The value form.
struct Inline<'a> {
    out: &'a mut Vec<u8>,
    bytes: &'a [u8],
    escape: bool,
    /// How many more parts are shown.
    parts: u32,
}

impl Inline<'_> {
    fn value(&mut self, shape: &TypeShape, bit: u64, bits: Option<u8>, depth: usize, outermost: bool) {
        if depth >= VALUE_DEPTH || self.parts == 0 {
            self.out.extend_from_slice(b"...");
            return;
        }
        self.parts -= 1;
        let visit = Visit { out: &mut Vec::new(), bytes: self.bytes, escape: self.escape, parts: PARTS };
        match &shape.kind {
            TypeShapeKind::Members(members) => {
                self.out.extend_from_slice(b"{\n");
                for member in members.iter() {
                    self.out.resize(self.out.len() + 4 * (depth + 1), b' ');
                    if self.parts == 0 {
                        self.out.extend_from_slice(b"...\n");
                        break;
                    }
                    let width = member.bits.map_or(String::new(), |bits| format!(" :{bits}"));
                    let _ = write!(self.out, "{}{width} ", member.shape.name);
                    if !member.name.is_empty() {
                        let _ = write!(self.out, "{} = ", member.name);
                    }
                    self.value(&member.shape, bit + member.offset, member.bits, depth + 1, false);
                    self.out.push(b'\n');
                }
                self.out.resize(self.out.len() + 4 * depth, b' ');
                self.out.push(b'}');
            }
            TypeShapeKind::Array(element, count) => {
                let at = usize::try_from(bit / 8).unwrap_or(usize::MAX);
                let end = at.saturating_add(usize::try_from(shape.size).unwrap_or(usize::MAX));
                let bytes = self.bytes.get(at..end.min(self.bytes.len())).unwrap_or(&[]);
                if let (TypeShapeKind::Char { .. }, Some(text)) = (&element.kind, printable(bytes)) {
                    let (open, close) = if outermost { ("\"", "\"") } else { ("[ \"", "\" ]") };
                    self.out.extend_from_slice(open.as_bytes());
                    self.out.extend_from_slice(text);
                    self.out.extend_from_slice(close.as_bytes());
                    return;
                }
                self.out.extend_from_slice(b"[ ");
                for i in 0..*count {
                    if i > 0 {
                        self.out.extend_from_slice(b", ");
                    }
                    let at = bit.saturating_add(i.saturating_mul(element.size).saturating_mul(8));
                    if at / 8 >= self.bytes.len() as u64 || self.parts == 0 {
                        self.out.extend_from_slice(b"...");
                        break;
                    }
                    self.value(element, at, None, depth + 1, false);
                }
                self.out.extend_from_slice(b" ]");
            }
            TypeShapeKind::Float => {
                let at = usize::try_from(bit / 8).unwrap_or(usize::MAX);
                let end = at.saturating_add(usize::try_from(shape.size).unwrap_or(usize::MAX));
                let number = self.bytes.get(at..end).and_then(Number::read);
                let _ = write!(self.out, "{}", number.map_or(String::new(), scientific));
            }
            TypeShapeKind::Text => {
                let text = visit.scalar(shape, Place { bit, bits, name: "" }).unwrap_or_default();
                self.out.extend_from_slice(&text);
            }
            TypeShapeKind::Opaque => self.out.push(b'?'),
            _ => {
                let width = bits.map_or(shape.size.saturating_mul(8).min(64), u64::from);
                let value = visit.word(bit, width).unwrap_or(0);
                self.scalar(shape, value, width as u8);
            }
        }
    }

    fn scalar(&mut self, shape: &TypeShape, value: u64, bits: u8) {
        let _ = match &shape.kind {
            TypeShapeKind::Char { .. } => match value as u8 {
                0 => write!(self.out, "'\\0'"),
                byte @ b' '..=b'~' => write!(self.out, "'{}'", char::from(byte)),
                byte => write!(self.out, "'\\{byte:03o}'"),
            },
            TypeShapeKind::Enum(names) => {
                let number = crate::runtime::extend(value, bits, true) as i64;
                match name_of(names, value, bits) {
                    Some(name) => write!(self.out, "{name}"),
                    None => write!(self.out, "{number}"),
                }
            }
            TypeShapeKind::Pointer | TypeShapeKind::FunctionPointer => write!(self.out, "{value:#x}"),
            _ if value == 0 => write!(self.out, "0"),
            _ => write!(self.out, "{value:#x}"),
        };
    }
}

/// The name of an enum's value, of which `value` has the low bits.
fn name_of(names: &[(i64, String)], value: u64, bits: u8) -> Option<&str> {
    let number = crate::runtime::extend(value, bits, true);
    let same = |known: i64| crate::runtime::extend(known as u64, bits, true) == number;
    names.iter().find(|(known, _)| same(*known)).map(|(_, name)| name.as_str())
}

/// The text of a character array that holds nothing but printable characters before its NUL.
fn printable(bytes: &[u8]) -> Option<&[u8]> {
    let end = bytes.iter().position(|&byte| byte == 0)?;
    let text = &bytes[..end];
    text.iter().all(|byte| matches!(byte, b' '..=b'~')).then_some(text)
}

/// C's `%g`.
fn short_float(value: Number) -> String {
    let (sign, digits) = value.text(Look::plain('g'));
    format!("{sign}{digits}")
}

/// C's `%+.7e`.
fn scientific(value: Number) -> String {
    let (sign, digits) = value.text(Look { precision: Some(7), plus: true, ..Look::plain('e') });
    format!("{sign}{digits}")
}

#[cfg(test)]
mod tests;
