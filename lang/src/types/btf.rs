//! Types as BTF, the form in which Linux keeps type data: what `-x ctypes` and `-x dtypes` write.
//!
//! In: a table and the types that somebody declared. Out: the bytes of a file that `bpftool btf dump file` reads: those
//! types, all that they hold by value, and what they point to by its tag alone. Nothing is read, nothing fails.

use std::collections::HashMap;

use super::records::Member;
use super::{TagKind, Type, TypeId, TypeTable};

const MAGIC: u16 = 0xeb9f;
const VERSION: u8 = 1;
const HEADER: u32 = 24;

/// The kinds of BTF, as the kernel numbers them.
#[derive(Clone, Copy)]
enum Kind {
    Int = 1,
    Pointer = 2,
    Array = 3,
    Struct = 4,
    Union = 5,
    Enum = 6,
    Forward = 7,
    Typedef = 8,
    Prototype = 13,
    Float = 16,
    Enum64 = 19,
}

/// The encoding bits of an integer.
const SIGNED: u32 = 1;
const CHARACTER: u32 = 2;
const BOOLEAN: u32 = 4;

/// The bit of the second word that says that members carry widths, and that a forward is a union's.
const KIND_FLAG: u32 = 1 << 31;

/// The most members and enumerators that an entry counts.
const MOST: usize = 0xffff;

/// Declared types as BTF; `strsize` is the size of `string`.
pub fn write(types: &TypeTable, declared: &[TypeId], strsize: u32) -> Vec<u8> {
    let mut writer = Writer {
        types,
        strsize,
        numbers: HashMap::new(),
        order: Vec::new(),
        strings: vec![0],
        entries: Vec::new(),
    };
    for &ty in declared {
        writer.number(ty);
    }
    let mut done = 0;
    // An entry may ask for others, which come after it.
    while let Some(&ty) = writer.order.get(done) {
        writer.entry(ty);
        done += 1;
    }
    writer.finish()
}

struct Writer<'a> {
    types: &'a TypeTable,
    strsize: u32,
    numbers: HashMap<TypeId, u32>,
    order: Vec<TypeId>,
    strings: Vec<u8>,
    entries: Vec<u8>,
}

impl Writer<'_> {
    /// The number of a type; 0 is `void`.
    fn number(&mut self, ty: TypeId) -> u32 {
        if matches!(self.types.get(ty), Type::Void) {
            return 0;
        }
        if let Some(&known) = self.numbers.get(&ty) {
            return known;
        }
        self.order.push(ty);
        let number = self.order.len() as u32;
        self.numbers.insert(ty, number);
        number
    }

    fn name(&mut self, name: &str) -> u32 {
        if name.is_empty() {
            return 0;
        }
        let at = self.strings.len() as u32;
        self.strings.extend(name.bytes().filter(|&byte| byte != 0));
        self.strings.push(0);
        at
    }

    fn words(&mut self, words: &[u32]) {
        self.entries.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }

    fn head(&mut self, name: &str, kind: Kind, flag: bool, count: usize, size_or_type: u32) {
        let name = self.name(name);
        let flag = if flag { KIND_FLAG } else { 0 };
        self.words(&[name, flag | (kind as u32) << 24 | count as u32, size_or_type]);
    }

    fn size(&self, ty: TypeId) -> u32 {
        self.types.size(ty, self.strsize).and_then(|size| u32::try_from(size).ok()).unwrap_or(0)
    }

    fn entry(&mut self, ty: TypeId) {
        match self.types.get(ty).clone() {
            Type::Int(int) => {
                let encoding = match int.name {
                    "_Bool" => BOOLEAN,
                    "char" => CHARACTER | u32::from(int.signed),
                    _ if int.signed => SIGNED,
                    _ => 0,
                };
                self.head(int.name, Kind::Int, false, 0, u32::from(int.bits) / 8);
                self.words(&[encoding << 24 | u32::from(int.bits)]);
            }
            Type::Float(name, bytes) => self.head(name, Kind::Float, false, 0, u32::from(bytes)),
            Type::Pointer(target) => {
                let target = self.number(target);
                self.head("", Kind::Pointer, false, 0, target);
            }
            Type::Array(element, length) => self.array(element, length),
            // A bounded array of characters under its name in D.
            Type::String => {
                let element = self.types.common().char;
                self.array(element, u64::from(self.strsize));
            }
            Type::Function(result, _) => {
                let result = self.number(result);
                self.head("", Kind::Prototype, false, 0, result);
            }
            Type::Typedef(name, target) => {
                let target = self.number(target);
                self.head(&name, Kind::Typedef, false, 0, target);
            }
            Type::Tagged(TagKind::Enum, tag) => self.enumeration(ty, &tag),
            Type::Tagged(kind, tag) => self.record(ty, kind, &tag),
            Type::Void | Type::Dyn(_) | Type::Symbolic(_) | Type::Qualified(..) => {
                self.head("", Kind::Typedef, false, 0, 0);
            }
        }
    }

    fn array(&mut self, element: TypeId, length: u64) {
        let (element, index) = (self.number(element), self.number(self.types.common().int));
        self.head("", Kind::Array, false, 0, 0);
        self.words(&[element, index, u32::try_from(length).unwrap_or(u32::MAX)]);
    }

    fn record(&mut self, ty: TypeId, kind: TagKind, tag: &str) {
        let tag = super::bare_tag(tag).unwrap_or("").to_owned();
        let union = kind == TagKind::Union;
        let members = self.types.record(ty).and_then(|record| record.members.clone());
        let Some(members) = members.filter(|members| members.len() <= MOST) else {
            self.head(&tag, Kind::Forward, union, 0, 0);
            return;
        };
        let flag = members.iter().any(|member| member.width.is_some());
        let kind = if union { Kind::Union } else { Kind::Struct };
        self.head(&tag, kind, flag, members.len(), self.size(ty));
        for member in members.iter() {
            let words = self.member(member, flag);
            self.words(&words);
        }
    }

    fn member(&mut self, member: &Member, flag: bool) -> [u32; 3] {
        let name = self.name(member.name.as_deref().unwrap_or_default());
        let ty = self.number(member.ty);
        let offset = member.bit_offset as u32;
        let width = member.width.filter(|_| flag).map_or(0, u32::from);
        [name, ty, if flag { width << 24 | (offset & 0xff_ffff) } else { offset }]
    }

    fn enumeration(&mut self, ty: TypeId, tag: &str) {
        let tag = super::bare_tag(tag).unwrap_or("").to_owned();
        let values = self.types.enumeration(ty).and_then(|of| of.values.clone());
        let values: Vec<_> = values.iter().flat_map(|values| values.iter()).take(MOST).cloned().collect();
        let size = self.size(ty);
        let wide = size == 8;
        let kind = if wide { Kind::Enum64 } else { Kind::Enum };
        let signed = values.iter().any(|(_, value)| *value < 0);
        self.head(&tag, kind, signed, values.len(), if size == 0 { 4 } else { size });
        for (name, value) in values {
            let name = self.name(&name);
            self.words(&[name, value as u32]);
            if wide {
                self.words(&[(value >> 32) as u32]);
            }
        }
    }

    fn finish(self) -> Vec<u8> {
        let (types, strings) = (self.entries.len() as u32, self.strings.len() as u32);
        let mut out = Vec::with_capacity((HEADER + types + strings) as usize);
        out.extend(MAGIC.to_le_bytes());
        out.extend([VERSION, 0]);
        for word in [HEADER, 0, types, types, strings] {
            out.extend(word.to_le_bytes());
        }
        out.extend(self.entries);
        out.extend(self.strings);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::records::NewMember;

    #[test]
    fn a_struct_with_a_bit_field() {
        let mut types = TypeTable::new();
        let int = types.common().int;
        let pointer = types.pointer_to(types.common().void);
        let member = |name: &str, ty, width| NewMember {
            name: Some(name.into()),
            ty,
            width,
            userland: false,
            layout: crate::ast::Layout::default(),
        };
        let members = [member("low", int, Some(3)), member("next", pointer, None)];
        let record = types.place(false, &members, 256, crate::ast::Layout::default()).expect("it fits");
        let ty = types.add(Type::Tagged(TagKind::Struct, "pair".into()));
        types.set_record(ty, record);
        let bytes = write(&types, &[ty], 256);

        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        assert_eq!(&bytes[..4], [0x9f, 0xeb, 1, 0]);
        let (length, strings) = (word(12) as usize, 24 + word(16) as usize);
        assert_eq!([word(4), word(8), word(16), word(20)], [24, 0, length as u32, 19]);
        assert_eq!(&bytes[strings..], b"\0pair\0low\0next\0int\0");
        // struct pair, 2 members with widths, 16 bytes; `low` is 3 bits of type 2 at bit 0, `next` is type 3 at bit 64.
        let first: Vec<u32> = (0..9).map(|i| word(24 + 4 * i)).collect();
        assert_eq!(first, [1, 1 << 31 | 4 << 24 | 2, 16, 6, 2, 3 << 24, 10, 3, 64]);
        // int: 4 bytes, signed, 32 bits. Then the pointer to nothing.
        let rest: Vec<u32> = (9..16).map(|i| word(24 + 4 * i)).collect();
        assert_eq!(rest, [15, 1 << 24, 4, 1 << 24 | 32, 0, 2 << 24, 0]);
        assert_eq!(length, 64);
    }
}
