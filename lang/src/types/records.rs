//! What is behind a tag: the members of structs and unions with their places, the values of enums.
//!
//! In: members in order, each with its type and perhaps a width. Out: offsets, sizes and alignments as the host's C ABI
//! has them (language spec §5.12), and the look-up of a member through anonymous ones. Nothing here is recursive beyond
//! [`super::MAX_DEPTH`]: a struct whose members nest deeper is refused when it is defined.

use std::collections::HashMap;
use std::sync::Arc;

use super::{
    INT, IntType, LONG, MAX_DEPTH, SHORT, SIGNED_CHAR, TagKind, Type, TypeId, TypeTable, UNSIGNED_CHAR,
    UNSIGNED_SHORT,
};
use crate::ast::Layout;

/// A struct or union whose size is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// In bytes, padding included.
    pub size: u64,
    /// In bytes, a power of two.
    pub align: u64,
    /// `None` while nobody has asked for those of a struct of the kernel.
    pub members: Option<Arc<[Member]>>,
    /// By name, for those that have one; kept for structs with many members.
    index: HashMap<Arc<str>, u32>,
    /// Whether a D program defined it, rather than the kernel.
    pub by_program: bool,
}

/// A member.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Absent for an anonymous struct or union.
    pub name: Option<Arc<str>>,
    /// Its type; for a bit-field the type it was declared with.
    pub ty: TypeId,
    /// The same with the qualifiers it was declared with, see [`Type::Qualified`].
    pub declared: TypeId,
    /// Where it starts, in bits from the start of the struct.
    pub bit_offset: u64,
    /// The width of a bit-field.
    pub width: Option<u8>,
    /// Whether a pointer of it carries the userland mark (language spec §5.5).
    pub userland: bool,
}

/// An enumerator and its value.
pub type EnumValue = (Arc<str>, i64);

/// An enum.
#[derive(Clone, Debug, PartialEq)]
pub struct Enumeration {
    /// How its values behave in arithmetic: `int`, or `long` for one of 64 bits.
    pub int: IntType,
    /// `None` while nobody has asked for those of an enum of the kernel.
    pub values: Option<Arc<[EnumValue]>>,
    /// Whether a D program defined it.
    pub by_program: bool,
}

/// A member as the look-up finds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The member itself.
    pub member: Member,
    /// Its place counted from the struct that was asked, anonymous members included.
    pub bit_offset: u64,
    /// The numbers of the members that lead to it, outermost first.
    pub path: Vec<u32>,
}

/// A member that a D program declares, not yet placed.
#[derive(Clone, Debug, PartialEq)]
pub struct NewMember {
    /// Absent for `: 3`.
    pub name: Option<Arc<str>>,
    /// Its type, complete.
    pub ty: TypeId,
    /// The width of a bit-field; 0 ends the unit that holds the last one.
    pub width: Option<u8>,
    /// See [`Member::userland`].
    pub userland: bool,
    /// What headers say of its place.
    pub layout: Layout,
}

/// Why members make no struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadRecord {
    /// Larger than any memory.
    TooLarge,
    /// Structs in structs beyond [`MAX_DEPTH`].
    TooDeep,
}

/// Largest struct or array, in bytes: the user half of the address space.
pub const MAX_SIZE: u64 = 1 << 47;

impl Record {
    /// Of known places.
    pub fn new(size: u64, align: u64, members: Option<Arc<[Member]>>, by_program: bool) -> Record {
        let index = match &members {
            Some(members) => index(members),
            None => HashMap::new(),
        };
        Record { size, align, members, index, by_program }
    }
}

fn index(members: &[Member]) -> HashMap<Arc<str>, u32> {
    let mut index = HashMap::with_capacity(members.len());
    for (i, member) in members.iter().enumerate() {
        if let Some(name) = &member.name {
            index.entry(name.clone()).or_insert(i as u32);
        }
    }
    index
}

impl TypeTable {
    /// What is behind the tag of a struct or union; typedefs are looked through.
    pub fn record(&self, id: TypeId) -> Option<&Record> {
        self.records.get(&self.base(id))
    }

    /// What is behind the tag of an enum; typedefs are looked through.
    pub fn enumeration(&self, id: TypeId) -> Option<&Enumeration> {
        self.enums.get(&self.base(id))
    }

    /// Whether a type is a struct or union, defined or not.
    pub fn is_record(&self, id: TypeId) -> bool {
        matches!(self.resolve(id), Type::Tagged(TagKind::Struct | TagKind::Union, _))
    }

    /// Gives a tag its members.
    pub fn set_record(&mut self, id: TypeId, record: Record) {
        let members = record.members.iter().flat_map(|members| members.iter());
        let depth = members.map(|member| self.depth(member.ty)).max().unwrap_or(0);
        self.depths[id.0 as usize] = depth + 1;
        self.records.insert(id, record);
    }

    /// Makes a tag incomplete again, for a program that is about to say what it has.
    pub fn forget_record(&mut self, id: TypeId) {
        self.records.remove(&id);
    }

    /// Gives a tag its enumerators.
    pub fn set_enumeration(&mut self, id: TypeId, enumeration: Enumeration) {
        self.enums.insert(id, enumeration);
    }

    /// A new tag for what has none in the text.
    pub fn anonymous(&mut self, kind: TagKind) -> TypeId {
        let tag = format!("#{}", self.types.len());
        self.add(Type::Tagged(kind, tag.into()))
    }

    /// Bytes that a value of a type is aligned to.
    pub fn align(&self, id: TypeId) -> u64 {
        let mut named = id;
        while let Type::Typedef(_, target) = self.get(named) {
            if let Some(&align) = self.aligned.get(&named) {
                return align;
            }
            named = *target;
        }
        match self.get(named) {
            Type::Array(element, _) => self.align(*element),
            Type::Tagged(TagKind::Struct | TagKind::Union, _) => {
                self.record(id).map_or(1, |record| record.align)
            }
            Type::String => 1,
            _ => self.size(id, 1).unwrap_or(1).max(1),
        }
    }

    /// Says how a typedef is aligned, in bytes.
    pub fn set_align(&mut self, id: TypeId, align: u64) {
        self.aligned.insert(id, align);
    }

    /// Places members as C does; `layout` is what headers say of all of them and of the whole.
    pub fn place(
        &self,
        union: bool,
        new: &[NewMember],
        strsize: u32,
        layout: Layout,
    ) -> Result<Record, BadRecord> {
        let (mut bits, mut align, mut largest) = (0u64, 1u64, 0u64);
        let mut members = Vec::with_capacity(new.len());
        for member in new {
            if self.depth(member.ty) >= MAX_DEPTH {
                return Err(BadRecord::TooDeep);
            }
            let packed = layout.packed || member.layout.packed;
            let natural = if packed { 1 } else { self.align(member.ty) };
            let most = if layout.pack > 0 { u64::from(layout.pack) } else { u64::MAX };
            let own = natural.max(member.layout.align).min(most);
            // A flexible array has no size of its own.
            let size = self.size(member.ty, strsize).unwrap_or(0);
            let size_bits = size.checked_mul(8).filter(|_| size <= MAX_SIZE).ok_or(BadRecord::TooLarge)?;
            if union {
                bits = 0;
            }
            let (at, used) = match member.width {
                Some(0) => {
                    bits = bits.next_multiple_of(own * 8);
                    // It pads the struct too, if nothing follows.
                    largest = largest.max(bits);
                    continue;
                }
                Some(width) => {
                    let (width, unit) = (u64::from(width), own * 8);
                    // A bit-field does not straddle units of its type, unless it is packed.
                    let straddles = (bits % unit + width).div_ceil(unit) > size_bits / unit;
                    if member.layout.align > 0 || (straddles && !packed) {
                        bits = bits.next_multiple_of(unit);
                    }
                    (bits, width)
                }
                None => (bits.next_multiple_of(own * 8), size_bits),
            };
            bits = at + used;
            largest = largest.max(bits);
            if largest / 8 > MAX_SIZE {
                return Err(BadRecord::TooLarge);
            }
            // A nameless bit-field takes room and aligns nothing.
            if member.name.is_some() || member.width.is_none() {
                align = align.max(own);
                let NewMember { name, ty, width, userland, layout: _ } = member.clone();
                members.push(Member { name, ty, declared: ty, bit_offset: at, width, userland });
            }
        }
        let align = align.max(layout.align);
        let size = largest.div_ceil(8).next_multiple_of(align);
        Ok(Record::new(size, align, Some(members.into()), true))
    }

    /// A member by name, anonymous members looked through. The record's members must have been asked for, those of
    /// anonymous members too.
    pub fn member(&self, id: TypeId, name: &str) -> Option<Found> {
        self.find_member(self.base(id), name, MAX_DEPTH)
    }

    fn find_member(&self, id: TypeId, name: &str, depth: u32) -> Option<Found> {
        let record = self.record(id)?;
        let members = record.members.as_deref()?;
        if let Some(&i) = record.index.get(name) {
            let member = members[i as usize].clone();
            return Some(Found { bit_offset: member.bit_offset, member, path: vec![i] });
        }
        let depth = depth.checked_sub(1)?;
        members.iter().enumerate().filter(|(_, member)| member.name.is_none()).find_map(|(i, outer)| {
            let mut found = self.find_member(outer.ty, name, depth)?;
            found.bit_offset += outer.bit_offset;
            found.path.insert(0, i as u32);
            Some(found)
        })
    }

    /// The names of all members, anonymous ones looked through, for suggestions.
    pub fn member_names(&self, id: TypeId) -> Vec<Arc<str>> {
        let mut names = Vec::new();
        let mut waiting = vec![id];
        while let Some(id) = waiting.pop() {
            let members = self.record(id).and_then(|record| record.members.clone());
            for member in members.iter().flat_map(|members| members.iter()) {
                match &member.name {
                    Some(name) => names.push(name.clone()),
                    None if waiting.len() < MAX_DEPTH as usize => waiting.push(member.ty),
                    None => {}
                }
            }
        }
        names
    }
}

/// The integer that an enum of a size behaves as. C makes one that is told to be small (`packed`) as small as its values
/// allow.
pub fn enum_int(bytes: u64, signed: bool) -> IntType {
    match (bytes, signed) {
        (1, true) => SIGNED_CHAR,
        (1, false) => UNSIGNED_CHAR,
        (2, true) => SHORT,
        (2, false) => UNSIGNED_SHORT,
        (8, _) => LONG,
        _ => INT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `type:width` or `type` → offsets in bits, size, alignment.
    fn check(union: bool, members: &[&str], offsets: &[u64], size: u64, align: u64) {
        let mut table = TypeTable::new();
        let new: Vec<NewMember> = members
            .iter()
            .enumerate()
            .map(|(i, text)| {
                let (spelling, width) = text.split_once(':').unwrap_or((text, ""));
                let name = (!spelling.starts_with('-')).then(|| format!("m{i}").into());
                let spelling = spelling.trim_start_matches('-');
                let (spelling, length) = spelling.split_once('[').unwrap_or((spelling, ""));
                let mut ty = table.spelt(spelling).expect("a known spelling");
                if !length.is_empty() {
                    ty = table.add(Type::Array(ty, length.trim_end_matches(']').parse().expect("a length")));
                }
                NewMember { name, ty, width: width.parse().ok(), userland: false, layout: Layout::default() }
            })
            .collect();
        let record = table.place(union, &new, 256, Layout::default()).expect("it fits");
        let placed: Vec<u64> =
            record.members.iter().flat_map(|m| m.iter()).map(|member| member.bit_offset).collect();
        assert_eq!((placed.as_slice(), record.size, record.align), (offsets, size, align), "{members:?}");
    }

    #[test]
    fn places_are_those_of_c() {
        check(false, &["int", "char", "short"], &[0, 32, 48], 8, 4);
        check(false, &["char", "long"], &[0, 64], 16, 8);
        check(false, &["int:3"], &[0], 4, 4);
        check(false, &["int:3", "int:5", "int:24"], &[0, 3, 8], 4, 4);
        check(false, &["int:30", "int:3"], &[0, 32], 8, 4);
        check(false, &["char", "int:24", "int:1"], &[0, 8, 32], 8, 4);
        check(false, &["int:3", "-int:0", "int:3"], &[0, 32], 8, 4);
        check(false, &["int:3", "-int:5", "char"], &[0, 8], 4, 4);
        check(false, &["char", "-int:9"], &[0], 3, 1);
        check(false, &["char[3]", "long:40", "char"], &[0, 24, 64], 16, 8);
        check(true, &["int", "char[5]", "int:3"], &[0, 0, 0], 8, 4);
        check(false, &["int", "char[0]"], &[0, 32], 4, 4);
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let mut table = TypeTable::new();
        let char = table.common().char;
        let huge = table.add(Type::Array(char, MAX_SIZE));
        let member = |ty| NewMember {
            name: Some("a".into()),
            ty,
            width: None,
            userland: false,
            layout: Layout::default(),
        };
        let members = vec![member(huge); 2];
        assert_eq!(table.place(false, &members, 256, Layout::default()), Err(BadRecord::TooLarge));
        let union = table.place(true, &members, 256, Layout::default());
        assert_eq!(union.map(|record| record.size), Ok(MAX_SIZE));
    }
}
