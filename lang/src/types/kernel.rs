//! Types of the kernel, taken over one at a time as a program touches them (language spec §5.6).
//!
//! In: [`KernelTypes`], which an event source implements over its type data. Out: types of the table. Members of a struct
//! and values of an enum are taken over only when somebody asks for them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::records::{Enumeration, Member, Record, enum_int};
use super::{
    BOOL, CHAR, INT, LONG, Parameters, SHORT, SIGNED_CHAR, TagKind, Type, TypeId, TypeTable, UNSIGNED,
    UNSIGNED_CHAR, UNSIGNED_LONG, UNSIGNED_SHORT,
};
use crate::env::{KernelType, KernelTypeId, KernelTypes};

/// Longest chain of typedefs, qualifiers, pointers and arrays that is followed.
const CHAIN: u32 = 32;

/// What has been taken over.
#[derive(Clone, Debug, Default)]
pub(super) struct Kernel {
    types: HashMap<KernelTypeId, Imported>,
    /// Where the members of a tag come from.
    origins: HashMap<TypeId, KernelTypeId>,
}

/// A type of the kernel in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The type.
    pub ty: TypeId,
    /// The same with the qualifiers it was declared with, see [`Type::Qualified`].
    pub declared: TypeId,
    /// Whether it is a pointer to memory of a process.
    pub userland: bool,
}

impl TypeTable {
    /// Takes a type of the kernel over.
    pub fn import(&mut self, kernel: &dyn KernelTypes, id: KernelTypeId) -> Imported {
        self.import_chain(kernel, id, CHAIN)
    }

    fn import_chain(&mut self, kernel: &dyn KernelTypes, id: KernelTypeId, chain: u32) -> Imported {
        if let Some(&known) = self.kernel.types.get(&id) {
            return known;
        }
        let plain = |ty| Imported { ty, declared: ty, userland: false };
        let void = plain(self.common().void);
        let Some(chain) = chain.checked_sub(1) else { return void };
        let imported = match kernel.describe(id) {
            KernelType::Void => void,
            KernelType::Int { bytes, signed, boolean, ref name } => {
                plain(self.import_int(bytes, signed, boolean, name))
            }
            KernelType::Float { bytes } => {
                let name = match bytes {
                    0..=4 => "float",
                    5..=8 => "double",
                    _ => "long double",
                };
                plain(self.named(name).unwrap_or(void.ty))
            }
            KernelType::Pointer(target) => {
                let target = self.import_chain(kernel, target, chain);
                let userland = target.userland && !matches!(self.resolve(target.ty), Type::Pointer(_));
                let declared = self.pointer_to(target.declared);
                Imported { ty: self.pointer_to(target.ty), declared, userland }
            }
            KernelType::Array { element, length } => {
                let element = self.import_chain(kernel, element, chain);
                let declared = self.add(Type::Array(element.declared, length));
                Imported { ty: self.add(Type::Array(element.ty, length)), declared, userland: false }
            }
            KernelType::Record { kind, tag, bytes } => {
                let ty = self.kernel_tag(kernel, id, kind, tag.as_deref());
                if self.record(ty).is_none() {
                    self.set_record(ty, Record::new(bytes, 1, None, false));
                }
                plain(ty)
            }
            KernelType::Enum { tag, bytes, signed } => {
                let ty = self.kernel_tag(kernel, id, TagKind::Enum, tag.as_deref());
                let int = enum_int(bytes, signed);
                self.set_enumeration(ty, Enumeration { int, values: None, by_program: false });
                plain(ty)
            }
            // A forward declaration is completed by name: by the kernel's own definition, else by a program's.
            KernelType::Forward { kind, tag } => match kernel.find(None, Some(kind), &tag) {
                Some(found) if found != id => self.import_chain(kernel, found, chain),
                _ => plain(self.add(Type::Tagged(kind, tag))),
            },
            KernelType::Typedef { name, target } => {
                let target = self.import_chain(kernel, target, chain);
                let ty = self.add(Type::Typedef(name, target.ty));
                Imported { ty, declared: ty, ..target }
            }
            KernelType::Qualified(qualifier, target) => {
                let target = self.import_chain(kernel, target, chain);
                let declared = match qualifier {
                    Some(qualifier) => self.add(Type::Qualified(qualifier, target.declared)),
                    None => target.declared,
                };
                Imported { declared, ..target }
            }
            KernelType::User(target) => {
                Imported { userland: true, ..self.import_chain(kernel, target, chain) }
            }
            KernelType::Function { result, parameters, more } => {
                let result = self.import_chain(kernel, result, chain);
                let all: Vec<_> = parameters.iter().map(|&id| self.import_chain(kernel, id, chain)).collect();
                let types = all.iter().map(|parameter| parameter.ty).collect();
                let ty = self.add(Type::Function(result.ty, Parameters { types, more }));
                let types = all.iter().map(|parameter| parameter.declared).collect();
                let declared = self.add(Type::Function(result.declared, Parameters { types, more }));
                Imported { ty, declared, userland: false }
            }
        };
        self.kernel.types.insert(id, imported);
        imported
    }

    fn import_int(&mut self, bytes: u64, signed: bool, boolean: bool, name: &str) -> TypeId {
        // `long` and `long long` are of one size; the name tells them apart.
        if let Some(ty) = self.named(name).filter(|&ty| matches!(self.get(ty), Type::Int(_))) {
            return ty;
        }
        let int = match (bytes, signed) {
            (_, _) if boolean => BOOL,
            (0 | 1, true) if name == "char" => CHAR,
            (0 | 1, true) => SIGNED_CHAR,
            (0 | 1, false) => UNSIGNED_CHAR,
            (2, true) => SHORT,
            (2, false) => UNSIGNED_SHORT,
            (3 | 4, true) => INT,
            (3 | 4, false) => UNSIGNED,
            (5..=8, true) => LONG,
            (5..=8, false) => UNSIGNED_LONG,
            // 128 bits fit no register: memory that can be pointed to and measured.
            (_, _) => {
                let byte = self.int(UNSIGNED_CHAR);
                return self.add(Type::Array(byte, bytes));
            }
        };
        self.int(int)
    }

    /// The tag of a struct, union or enum of the kernel. Two of one name are told apart by their numbers.
    fn kernel_tag(
        &mut self,
        kernel: &dyn KernelTypes,
        id: KernelTypeId,
        kind: TagKind,
        tag: Option<&str>,
    ) -> TypeId {
        let scope = kernel.module_name(id);
        let plain = tag.map(|tag| Type::Tagged(kind, format!("{scope}`{tag}").into()));
        let taken = |ty: &Type| self.ids.get(ty).is_some_and(|id| self.kernel.origins.contains_key(id));
        let ty = match plain {
            Some(ty) if !taken(&ty) => ty,
            _ => Type::Tagged(kind, format!("{scope}`{}#{}", tag.unwrap_or(""), id.id).into()),
        };
        let ty = self.add(ty);
        self.kernel.origins.insert(ty, id);
        ty
    }

    /// Whether a type is one that the kernel has and D has not: a tag with the kernel's members, a typedef that nobody else
    /// makes, pointers to these and arrays of them.
    pub fn is_of_kernel(&self, mut ty: TypeId) -> bool {
        loop {
            match self.get(ty) {
                Type::Pointer(target) | Type::Array(target, _) => ty = *target,
                Type::Typedef(name, _) => return self.named(name).is_none(),
                Type::Tagged(..) => return self.kernel.origins.contains_key(&ty),
                _ => return false,
            }
        }
    }

    /// Says that an undefined tag is this type of the kernel.
    pub fn adopt(&mut self, kernel: &dyn KernelTypes, ty: TypeId, id: KernelTypeId) {
        match kernel.describe(id) {
            KernelType::Record { bytes, .. } => {
                self.set_record(ty, Record::new(bytes, 1, None, false));
                self.kernel.origins.insert(ty, id);
            }
            KernelType::Enum { bytes, signed, .. } => {
                let int = enum_int(bytes, signed);
                self.set_enumeration(ty, Enumeration { int, values: None, by_program: false });
                self.kernel.origins.insert(ty, id);
            }
            _ => {}
        }
    }

    /// Takes the members of a struct or union of the kernel over, with those of its anonymous members and the sizes of
    /// what it embeds.
    pub fn load_members(&mut self, kernel: &dyn KernelTypes, ty: TypeId) {
        self.load_to(kernel, self.base(ty), CHAIN);
    }

    fn load_to(&mut self, kernel: &dyn KernelTypes, ty: TypeId, chain: u32) {
        let Some(chain) = chain.checked_sub(1) else { return };
        let Some(&origin) = self.kernel.origins.get(&ty) else { return };
        let Some(size) = self.record(ty).filter(|r| r.members.is_none()).map(|record| record.size) else {
            return;
        };
        let mut members = Vec::new();
        for member in kernel.members(origin) {
            let imported = self.import(kernel, member.ty);
            let Imported { ty, declared, userland } = imported;
            members.push(Member {
                name: member.name,
                ty,
                declared,
                bit_offset: member.bit_offset,
                width: member.width,
                userland,
            });
        }
        // Set first: a damaged kernel type that holds itself ends here.
        let record = Record::new(size, 1, Some(members.clone().into()), false);
        self.set_record(ty, record);
        let mut align = 1;
        for member in &members {
            if member.name.is_none() {
                self.load_to(kernel, self.base(member.ty), chain);
            }
            align = align.max(self.align(member.ty));
        }
        // Packed structs are no multiple of their members' alignment.
        while size % align != 0 {
            align /= 2;
        }
        self.set_record(ty, Record::new(size, align, Some(members.into()), false));
    }

    /// Takes the values of an enum of the kernel over.
    pub fn load_values(&mut self, kernel: &dyn KernelTypes, ty: TypeId) {
        let ty = self.base(ty);
        let Some(&origin) = self.kernel.origins.get(&ty) else { return };
        if let Some(enumeration) = self.enums.get_mut(&ty).filter(|e| e.values.is_none()) {
            let values: Vec<(Arc<str>, i64)> = kernel.enumerators(origin);
            enumeration.values = Some(values.into());
        }
    }

    /// Takes over everything that a type holds by value: members and the values of enums. What is known of a part already
    /// says nothing of the parts of that.
    pub fn load_deeply(&mut self, kernel: &dyn KernelTypes, ty: TypeId) {
        let (mut waiting, mut seen) = (vec![ty], HashSet::new());
        while let Some(ty) = waiting.pop() {
            let ty = self.base(ty);
            if !seen.insert(ty) {
                continue;
            }
            if let Type::Array(element, _) = *self.get(ty) {
                waiting.push(element);
                continue;
            }
            self.load_members(kernel, ty);
            self.load_values(kernel, ty);
            if let Some(members) = self.record(ty).and_then(|record| record.members.clone()) {
                waiting.extend(members.iter().map(|member| member.ty));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::{KernelMember, Qualifier};

    /// Types by their place in a list.
    struct Listed(Vec<KernelType>);

    impl KernelTypes for Listed {
        fn find(&self, _: Option<&str>, _: Option<TagKind>, _: &str) -> Option<KernelTypeId> {
            None
        }

        fn describe(&self, id: KernelTypeId) -> KernelType {
            self.0[id.id as usize].clone()
        }

        fn members(&self, _: KernelTypeId) -> Vec<KernelMember> {
            Vec::new()
        }

        fn enumerators(&self, _: KernelTypeId) -> Vec<(Arc<str>, i64)> {
            Vec::new()
        }

        fn parameters(&self, _: KernelTypeId) -> Vec<KernelTypeId> {
            Vec::new()
        }

        fn module_name(&self, _: KernelTypeId) -> Arc<str> {
            "vmlinux".into()
        }
    }

    #[test]
    fn enums_are_as_small_as_they_say() {
        let sizes = [(1, false), (1, true), (2, false), (2, true), (4, false), (8, true)];
        let listed = sizes.map(|(bytes, signed)| KernelType::Enum { tag: None, bytes, signed });
        let kernel = Listed(listed.to_vec());
        let mut types = TypeTable::new();
        let expected = ["unsigned char", "signed char", "unsigned short", "short", "int", "long"];
        for (i, ((bytes, _), expected)) in sizes.into_iter().zip(expected).enumerate() {
            let ty = types.import(&kernel, KernelTypeId { object: 0, id: i as u32 }).ty;
            assert_eq!(types.size(ty, 0), Some(bytes), "{expected}");
            assert_eq!(types.int_type(ty).map(|int| int.name), Some(expected));
        }
    }

    #[test]
    fn qualifiers_are_shown_where_a_type_was_declared_and_nowhere_else() {
        let id = |id| KernelTypeId { object: 0, id };
        let qualified = |qualifier, target| KernelType::Qualified(Some(qualifier), id(target));
        let char_ = KernelType::Int { bytes: 1, signed: true, boolean: false, name: "char".into() };
        let kernel = Listed(vec![
            KernelType::Void,
            char_,
            qualified(Qualifier::Const, 1),
            KernelType::Pointer(id(2)),
            qualified(Qualifier::Const, 3),
            KernelType::Array { element: id(4), length: 5 },
            KernelType::Pointer(id(4)),
            qualified(Qualifier::Volatile, 1),
            qualified(Qualifier::Const, 7),
            KernelType::Array { element: id(8), length: 2 },
            KernelType::Function { result: id(0), parameters: vec![id(3), id(12)], more: false },
            KernelType::Pointer(id(10)),
            qualified(Qualifier::Restrict, 3),
            qualified(Qualifier::Const, 11),
            KernelType::Typedef { name: "name_t".into(), target: id(3) },
            qualified(Qualifier::Const, 14),
            KernelType::Qualified(None, id(2)),
        ]);
        let mut types = TypeTable::new();
        for (number, declared, plain) in [
            (2, "const char", "char"),
            (3, "const char *", "char *"),
            (4, "const char *const", "char *"),
            (5, "const char *const [5]", "char *[5]"),
            (6, "const char *const *", "char **"),
            (8, "const volatile char", "char"),
            (9, "const volatile char [2]", "char [2]"),
            (11, "void (*)(const char *, const char *restrict)", "void (*)(char *, char *)"),
            (13, "void (*const)(const char *, const char *restrict)", "void (*)(char *, char *)"),
            (15, "const name_t", "name_t"),
            (16, "const char", "char"),
        ] {
            let imported = types.import(&kernel, id(number));
            assert_eq!(types.declared(imported.declared), declared, "{number}");
            assert_eq!(types.declared(imported.ty), plain, "{number}");
        }
    }
}
