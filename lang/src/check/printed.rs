//! From a type to what `print` needs to know of it. In: a type of the table. Out: its [`TypeShape`], in which every type is
//! made once however often it occurs.

use std::collections::HashMap;
use std::sync::Arc;

use crate::ir::{TypeMember, TypeShape, TypeShapeKind};
use crate::types::records::Member;
use crate::types::{TagKind, Type, TypeId, TypeTable};

/// The shape of a type; `strsize` is the size of `string`.
pub(super) fn shape(types: &TypeTable, ty: TypeId, strsize: u32) -> Arc<TypeShape> {
    Maker { types, strsize, made: HashMap::new() }.make(ty)
}

struct Maker<'a> {
    types: &'a TypeTable,
    strsize: u32,
    made: HashMap<TypeId, Arc<TypeShape>>,
}

impl Maker<'_> {
    fn make(&mut self, ty: TypeId) -> Arc<TypeShape> {
        if let Some(made) = self.made.get(&ty) {
            return made.clone();
        }
        let size = self.types.size(ty, self.strsize).unwrap_or(0);
        let kind = self.kind(ty);
        let made = Arc::new(TypeShape { name: self.types.declared(ty), size, kind });
        self.made.insert(ty, made.clone());
        made
    }

    fn member(&mut self, member: &Member) -> TypeMember {
        TypeMember {
            name: member.name.as_deref().unwrap_or_default().to_owned(),
            offset: member.bit_offset,
            bits: member.width,
            shape: self.make(member.declared),
        }
    }

    fn kind(&mut self, ty: TypeId) -> TypeShapeKind {
        let named_char =
            matches!(self.types.get(self.types.unqualified(ty)), Type::Int(int) if int.name == "char");
        match self.types.resolve(ty) {
            Type::Int(int) if named_char => TypeShapeKind::Char { signed: int.signed },
            Type::Int(int) => TypeShapeKind::Int { signed: int.signed },
            Type::Float(..) => TypeShapeKind::Float,
            Type::Pointer(target) => match self.types.resolve(*target) {
                Type::Function(..) => TypeShapeKind::FunctionPointer,
                _ => TypeShapeKind::Pointer,
            },
            Type::String => TypeShapeKind::Text,
            Type::Array(element, count) => {
                let (element, count) = (*element, *count);
                TypeShapeKind::Array(self.make(element), count)
            }
            Type::Tagged(TagKind::Enum, _) => {
                let values = self.types.enumeration(ty).and_then(|of| of.values.clone());
                let values = values.iter().flat_map(|values| values.iter());
                TypeShapeKind::Enum(values.map(|(name, value)| (*value, name.to_string())).collect())
            }
            Type::Tagged(..) => match self.types.record(ty).and_then(|record| record.members.clone()) {
                Some(members) => TypeShapeKind::Members(members.iter().map(|m| self.member(m)).collect()),
                None => TypeShapeKind::Opaque,
            },
            Type::Void
            | Type::Function(..)
            | Type::Dyn(_)
            | Type::Symbolic(_)
            | Type::Typedef(..)
            | Type::Qualified(..) => TypeShapeKind::Opaque,
        }
    }
}
