//! The parts that a variable of a struct, union or array type is kept as.
//!
//! In: a type. Out: its scalars and strings, each with the way that leads to it. The members of a struct are parts of
//! their own; the elements of an array are one part that is indexed; where members may share bytes, in a union and in a
//! struct with an open-ended array ahead of other members, the part is the 8-byte words that all of it covers. So the
//! engines know scalars and strings only, whatever C makes of them.

use super::{TagKind, Type, TypeId, TypeTable};

/// Most parts of a variable.
pub const MAX_PARTS: usize = 512;

/// Most scalars of a clause-local variable, whose elements are variables too.
pub const MAX_LOCAL: u64 = 128;

/// Most structs that are looked into on the way to the parts: there are structs without members.
const MAX_VISITS: usize = 4 * MAX_PARTS;

/// A part of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The numbers of the members that lead to it; steps into arrays are not in it.
    pub path: Vec<u32>,
    /// Its type: an integer, enum, pointer, `string` or floating-point type; of words what they hold.
    pub ty: TypeId,
    /// Whether it is the words of something that is kept so ([`kept_as_words`]), whose number is the last of
    /// `dimensions`.
    pub words: bool,
    /// The lengths of the arrays on the way, outermost first.
    pub dimensions: Vec<u64>,
}

impl Part {
    /// How many scalars it stands for, of an array without a known length one.
    pub fn count(&self) -> u64 {
        self.dimensions.iter().fold(1u64, |n, &length| n.saturating_mul(length.max(1)))
    }
}

/// The parts of a type, in the order of the members; `None` if there are more than [`MAX_PARTS`].
pub fn parts(types: &TypeTable, ty: TypeId) -> Option<Vec<Part>> {
    let mut walk = Walk { types, found: Vec::new(), visits: 0 };
    walk.visit(ty, &mut Vec::new(), &mut Vec::new())?;
    Some(walk.found)
}

/// Whether a type is kept as parts.
pub fn has_parts(types: &TypeTable, ty: TypeId) -> bool {
    matches!(types.resolve(ty), Type::Array(..) | Type::Tagged(TagKind::Struct | TagKind::Union, _))
}

/// The words that so many bytes take.
pub fn words(bytes: u64) -> u64 {
    bytes.div_ceil(8).max(1)
}

/// Whether a type is kept as the words it covers, because its members may share bytes: a union, or a struct or an array of
/// structs in which something lies behind an array whose length is not checked (language spec §6.3: 0 or 1).
pub fn kept_as_words(types: &TypeTable, ty: TypeId) -> bool {
    match *types.resolve(ty) {
        Type::Tagged(TagKind::Union, _) => true,
        Type::Array(mut element, length) => {
            let mut several = length > 1;
            while let Type::Array(inner, length) = *types.resolve(element) {
                (element, several) = (inner, several || length > 1);
            }
            several && has_parts(types, element) && ends_open(types, element)
        }
        Type::Tagged(TagKind::Struct, _) => {
            let members = types.record(ty).and_then(|record| record.members.as_deref());
            let Some((_, ahead)) = members.and_then(<[_]>::split_last) else { return false };
            ahead.iter().any(|member| ends_open(types, member.ty))
        }
        _ => false,
    }
}

/// Whether a type is an open-ended array or ends with one.
fn ends_open(types: &TypeTable, mut ty: TypeId) -> bool {
    for _ in 0..MAX_VISITS {
        ty = match *types.resolve(ty) {
            Type::Array(_, 0 | 1) => return true,
            Type::Array(element, _) => element,
            Type::Tagged(TagKind::Struct, _) => {
                let members = types.record(ty).and_then(|record| record.members.as_deref());
                let Some(last) = members.and_then(<[_]>::last) else { return false };
                last.ty
            }
            _ => return false,
        };
    }
    false
}

struct Walk<'a> {
    types: &'a TypeTable,
    found: Vec<Part>,
    visits: usize,
}

impl Walk<'_> {
    fn visit(&mut self, ty: TypeId, path: &mut Vec<u32>, dimensions: &mut Vec<u64>) -> Option<()> {
        self.visits += 1;
        if self.visits > MAX_VISITS || self.found.len() >= MAX_PARTS {
            return None;
        }
        match *self.types.resolve(ty) {
            Type::Array(element, length) if !kept_as_words(self.types, ty) => {
                dimensions.push(length);
                self.visit(element, path, dimensions)?;
                dimensions.pop();
            }
            Type::Tagged(TagKind::Struct, _) if !kept_as_words(self.types, ty) => {
                let members = self.types.record(ty)?.members.clone()?;
                for (i, member) in members.iter().enumerate() {
                    path.push(i as u32);
                    self.visit(member.ty, path, dimensions)?;
                    path.pop();
                }
            }
            Type::Array(..) | Type::Tagged(TagKind::Struct | TagKind::Union, _) => {
                let mut dimensions = dimensions.clone();
                // Strings in structs have their size there.
                dimensions.push(words(self.types.size(ty, 0)?));
                self.found.push(Part { path: path.clone(), ty, words: true, dimensions });
            }
            Type::Float(_, bytes) if bytes > 8 => {
                let mut dimensions = dimensions.clone();
                dimensions.push(words(u64::from(bytes)));
                self.found.push(Part { path: path.clone(), ty, words: true, dimensions });
            }
            _ => {
                let part = Part { path: path.clone(), ty, words: false, dimensions: dimensions.clone() };
                self.found.push(part);
            }
        }
        Some(())
    }
}
