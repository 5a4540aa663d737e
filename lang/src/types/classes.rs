//! The classes of types and the conversions between them (language spec §5.3, §5.8 to §5.11, §6.5).

use crate::builtins::Symbolic;

use super::{CHAR, INT, IntType, TagKind, Type, TypeId, TypeTable, bare_tag};

/// What the compatibility rules must know of an operand besides its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Its type.
    pub ty: TypeId,
    /// Whether it carries the userland mark (language spec §5.5).
    pub userland: bool,
    /// Whether it is an integer constant equal to 0.
    pub zero: bool,
}

/// See [`TypeTable::kin`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Kin {
    /// Pointers, and the lengths of arrays.
    steps: Vec<Option<u64>>,
    leaf: KinLeaf,
}

/// What is neither pointer nor array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum KinLeaf {
    Function,
    Symbolic(&'static str),
    Tagged(TagKind, String),
    Other(TypeId),
}

impl TypeTable {
    /// The integer type behind an integer or enum type.
    pub fn int_type(&self, id: TypeId) -> Option<IntType> {
        match self.resolve(id) {
            Type::Int(int) => Some(*int),
            Type::Tagged(TagKind::Enum, _) => Some(self.enumeration(id).map_or(INT, |e| e.int)),
            _ => None,
        }
    }

    /// Integers and enums.
    pub fn is_integer(&self, id: TypeId) -> bool {
        self.int_type(id).is_some()
    }

    /// Integers, enums, pointers.
    pub fn is_scalar(&self, id: TypeId) -> bool {
        self.is_integer(id) || matches!(self.resolve(id), Type::Pointer(_))
    }

    /// `string`
    pub fn is_string(&self, id: TypeId) -> bool {
        matches!(self.resolve(id), Type::String)
    }

    /// `<DYN>`
    pub fn is_dynamic(&self, id: TypeId) -> bool {
        matches!(self.resolve(id), Type::Dyn(_))
    }

    /// What kind of stack or symbolized address it is.
    pub fn symbolic(&self, id: TypeId) -> Option<Symbolic> {
        match self.resolve(id) {
            Type::Symbolic(kind) => Some(*kind),
            _ => None,
        }
    }

    /// `void`
    pub fn is_void(&self, id: TypeId) -> bool {
        matches!(self.resolve(id), Type::Void)
    }

    /// What a pointer or array refers to; `None` for all else, `string` included.
    pub fn target(&self, id: TypeId) -> Option<TypeId> {
        match self.resolve(id) {
            Type::Pointer(target) | Type::Array(target, _) => Some(*target),
            _ => None,
        }
    }

    /// Pointer to, or array of, characters; `string` itself.
    pub fn is_string_like(&self, id: TypeId) -> bool {
        self.is_unknown(id)
            || self.is_string(id)
            || self.target(id).is_some_and(|target| self.is_character(target))
    }

    /// The type of what a probe that is not there yet gives: goes with everything.
    pub fn is_unknown(&self, id: TypeId) -> bool {
        id == self.common().unknown
    }

    /// `_Bool`, which holds whether what is assigned to it is not 0.
    pub fn is_bool(&self, id: TypeId) -> bool {
        matches!(self.resolve(id), Type::Int(int) if *int == super::BOOL)
    }

    /// `char` or `signed char`: what texts are made of. Arrays of bytes that are unsigned are no texts to `%s`.
    pub fn is_char(&self, id: TypeId) -> bool {
        matches!(self.resolve(id), Type::Int(int) if [CHAR, super::SIGNED_CHAR].contains(int))
    }

    /// Any integer of 8 bits.
    pub fn is_character(&self, id: TypeId) -> bool {
        matches!(self.resolve(id), Type::Int(int) if int.bits == 8 && *int != super::BOOL)
    }

    /// `void *` and pointers to functions.
    pub fn is_void_or_function_pointer(&self, id: TypeId) -> bool {
        match self.resolve(id) {
            Type::Pointer(target) => matches!(self.resolve(*target), Type::Void | Type::Function(..)),
            _ => false,
        }
    }

    /// A function, or a pointer to one, which is its value.
    pub fn is_function(&self, id: TypeId) -> bool {
        match self.resolve(id) {
            Type::Function(..) => true,
            Type::Pointer(target) => matches!(self.resolve(*target), Type::Function(..)),
            _ => false,
        }
    }

    /// Same type (language spec §5.8): equal after removing typedefs at every level.
    pub fn same(&self, a: TypeId, b: TypeId) -> bool {
        if a == b {
            return true;
        }
        let (a, b) = (self.base(a), self.base(b));
        match (self.get(a), self.get(b)) {
            (Type::Pointer(a), Type::Pointer(b)) => self.same(*a, *b),
            (Type::Array(a, n), Type::Array(b, m)) => n == m && self.same(*a, *b),
            (Type::Function(..), Type::Function(..)) => true,
            (Type::Symbolic(a), Type::Symbolic(b)) => a.type_name() == b.type_name(),
            (Type::Tagged(kind, one), Type::Tagged(other_kind, other)) => {
                kind == other_kind
                    && bare_tag(one).is_some_and(|one| bare_tag(other) == Some(one))
                    && match (self.size(a, 1), self.size(b, 1)) {
                        (Some(one), Some(other)) => one == other,
                        // A forward declaration of what is defined elsewhere.
                        _ => true,
                    }
            }
            (a, b) => a == b,
        }
    }

    /// What types that are the same have in common; others may share it that differ in size alone.
    pub fn kin(&self, ty: TypeId) -> Kin {
        let (mut steps, mut ty) = (Vec::new(), self.base(ty));
        loop {
            let target = match self.get(ty) {
                Type::Pointer(target) => {
                    steps.push(None);
                    target
                }
                Type::Array(element, length) => {
                    steps.push(Some(*length));
                    element
                }
                _ => break,
            };
            ty = self.base(*target);
        }
        let leaf = match self.get(ty) {
            Type::Function(..) => KinLeaf::Function,
            Type::Symbolic(kind) => KinLeaf::Symbolic(kind.type_name()),
            Type::Tagged(kind, tag) if let Some(tag) = bare_tag(tag) => {
                KinLeaf::Tagged(*kind, tag.to_owned())
            }
            _ => KinLeaf::Other(ty),
        };
        Kin { steps, leaf }
    }

    /// Pointer-compatible (language spec §5.9); gives the common type. A `string` goes with a zero constant here, which
    /// makes it NULL.
    pub fn pointer_compatible(&self, a: Operand, b: Operand) -> Option<TypeId> {
        match (self.is_integer(a.ty), self.is_integer(b.ty)) {
            (true, true) => return None,
            (true, false) => return (a.zero && self.takes_null(b.ty)).then_some(b.ty),
            (false, true) => return (b.zero && self.takes_null(a.ty)).then_some(a.ty),
            (false, false) => {}
        }
        let (ta, tb) = (self.target(a.ty)?, self.target(b.ty)?);
        if a.userland != b.userland {
            return None;
        }
        if self.same(ta, tb) || self.is_void(tb) {
            return Some(a.ty);
        }
        self.is_void(ta).then_some(b.ty)
    }

    fn takes_null(&self, id: TypeId) -> bool {
        let kept = matches!(self.resolve(id), Type::Symbolic(Symbolic::Stack));
        self.target(id).is_some() || self.is_string(id) || kept
    }

    /// Whether `from` may be assigned to `to`, given as an argument or used as a key of that type (language spec §5.9).
    pub fn assignable(&self, to: Operand, from: Operand) -> bool {
        if self.is_dynamic(to.ty) || self.is_dynamic(from.ty) {
            return false;
        }
        if self.is_unknown(to.ty) || self.is_unknown(from.ty) {
            return true;
        }
        if self.is_integer(to.ty) && self.is_integer(from.ty) {
            return true;
        }
        if self.is_string_like(to.ty) && self.is_string_like(from.ty) {
            return true;
        }
        if self.is_function(to.ty) && matches!(self.resolve(from.ty), Type::Function(..)) {
            return true;
        }
        if matches!(self.resolve(to.ty), Type::Function(..) | Type::Tagged(..)) {
            return self.same(to.ty, from.ty);
        }
        if let (Type::Symbolic(_), Type::Symbolic(_)) = (self.resolve(to.ty), self.resolve(from.ty)) {
            return self.same(to.ty, from.ty);
        }
        self.pointer_compatible(Operand { zero: false, ..to }, from).is_some()
    }

    /// The type of an arithmetic operator's result (language spec §5.10): no promotion of small types.
    pub fn arithmetic(&self, a: TypeId, b: TypeId) -> Option<TypeId> {
        let (ia, ib) = (self.int_type(a)?, self.int_type(b)?);
        let pick = if ib.rank() > ia.rank() { b } else { a };
        Some(match self.resolve(pick) {
            Type::Tagged(..) => match self.int_type(pick)?.bits {
                64 => self.common().int64,
                _ => self.common().int,
            },
            _ => pick,
        })
    }

    /// Whether a cast is allowed (language spec §6.5).
    pub fn castable(&self, to: TypeId, from: TypeId) -> bool {
        if self.is_void(to) || (self.same(to, from) && !self.is_dynamic(from)) {
            return true;
        }
        let from_function = matches!(self.resolve(from), Type::Function(..));
        if self.is_scalar(to) && (self.is_scalar(from) || from_function) {
            return true;
        }
        if matches!(self.resolve(to), Type::Pointer(_)) && self.target(from).is_some() {
            return true;
        }
        self.is_string(to)
            && (self.is_scalar(from) || self.target(from).is_some() || self.is_string_like(from))
    }

    /// Bits and sign of a scalar as it lies in a register; pointers are 64 bits, unsigned.
    pub fn width(&self, id: TypeId) -> (u8, bool) {
        match self.int_type(id) {
            Some(int) => (int.bits, int.signed),
            None => (64, false),
        }
    }

    /// Whether a cast changes the register, and to what width it cuts (language spec §6.5).
    pub fn cast_cut(&self, to: TypeId, from: TypeId) -> Option<(u8, bool)> {
        if !self.is_scalar(to) {
            return None;
        }
        let (to_bits, to_signed) = self.width(to);
        let (from_bits, from_signed) = self.width(from);
        let cuts = to_bits < from_bits
            || (to_bits == from_bits && to_signed != from_signed)
            || (from_signed && !to_signed);
        (cuts && to_bits < 64).then_some((to_bits, to_signed))
    }
}

/// A constant cut to a width and extended again.
pub fn truncate(value: i64, bits: u8, signed: bool) -> i64 {
    match (bits, signed) {
        (8, true) => i64::from(value as i8),
        (8, false) => i64::from(value as u8),
        (16, true) => i64::from(value as i16),
        (16, false) => i64::from(value as u16),
        (32, true) => i64::from(value as i32),
        (32, false) => i64::from(value as u32),
        _ => value,
    }
}

/// The type of a character of a string.
pub fn char_width() -> (u8, bool) {
    (CHAR.bits, CHAR.signed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(spellings: &[&str]) -> (TypeTable, Vec<TypeId>) {
        let mut table = TypeTable::new();
        let ids = spellings.iter().map(|s| table.spelt(s).expect("a known spelling")).collect();
        (table, ids)
    }

    #[test]
    fn arithmetic_conversion() {
        for (a, b, result) in [
            ("char", "char", "char"),
            ("int", "unsigned", "unsigned int"),
            ("unsigned", "long", "long"),
            ("long", "unsigned long", "unsigned long"),
            ("short", "unsigned char", "short"),
            ("long", "long long", "long long"),
            ("long long", "long", "long long"),
            ("unsigned long", "long long", "unsigned long"),
            ("enum e", "char", "int"),
            ("pid_t", "int", "pid_t"),
        ] {
            let (table, ids) = table(&[a, b]);
            assert_eq!(
                table.arithmetic(ids[0], ids[1]).map(|t| table.show(t)).as_deref(),
                Some(result),
                "{a} {b}"
            );
        }
    }

    #[test]
    fn assignments() {
        for (to, from, zero, ok) in [
            ("int", "uint64_t", false, true),
            ("string", "char *", false, true),
            ("char *", "string", false, true),
            ("string", "int", false, false),
            ("string", "int", true, true),
            ("int *", "int", true, true),
            ("int *", "int", false, false),
            ("int", "int *", false, false),
            ("int *", "void *", false, true),
            ("void *", "int *", false, true),
            ("int *", "long *", false, false),
            ("char *", "unsigned char *", false, true),
            ("pid_t *", "int *", false, true),
            ("string", "void *", false, false),
        ] {
            let (table, ids) = table(&[to, from]);
            let operand = |ty, zero| Operand { ty, userland: false, zero };
            assert_eq!(
                table.assignable(operand(ids[0], false), operand(ids[1], zero)),
                ok,
                "{to} = {from} (zero: {zero})"
            );
        }
    }

    #[test]
    fn casts() {
        for (to, from, allowed, cut) in [
            ("int", "long", true, Some((32, true))),
            ("uint8_t", "int", true, Some((8, false))),
            ("unsigned", "int", true, Some((32, false))),
            ("unsigned", "char", true, Some((32, false))),
            ("long", "int", true, None),
            ("unsigned long", "char", true, None),
            ("int", "int", true, None),
            ("int *", "int", true, None),
            ("char", "int *", true, Some((8, CHAR.signed))),
            ("int", "string", false, None),
            ("char *", "string", false, None),
            ("string", "char *", true, None),
            ("string", "int", true, None),
            ("void", "string", true, None),
        ] {
            let (table, ids) = table(&[to, from]);
            assert_eq!(table.castable(ids[0], ids[1]), allowed, "({to}){from}");
            if allowed && table.is_scalar(ids[0]) {
                assert_eq!(table.cast_cut(ids[0], ids[1]), cut, "({to}){from}");
            }
        }
    }
}
