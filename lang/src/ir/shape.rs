//! The shape of a C value as far as `print` shows it: names, sizes and places of everything in it. Made by the checker
//! from the types of a program, read by the consumer; nothing else is left of C's types after lowering.

use std::sync::Arc;

/// A type as it is printed.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeShape {
    /// Its name as declared: `uint32_t`, `struct point`, `char`; `struct` and its kin without a tag.
    pub name: String,
    /// In bytes.
    pub size: u64,
    /// What it is.
    pub kind: TypeShapeKind,
}

/// What a [`TypeShape`] is.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeShapeKind {
    /// An integer of up to 8 bytes, or a wider one, which is only named.
    Int {
        /// Its sign.
        signed: bool,
    },
    /// `char` itself, under that very name: shown as a character.
    Char {
        /// Its sign.
        signed: bool,
    },
    /// An enum and its enumerators.
    Enum(Arc<[(i64, String)]>),
    /// `float`, `double`, `long double`.
    Float,
    /// A pointer to data.
    Pointer,
    /// A pointer to a function.
    FunctionPointer,
    /// `string`: a NUL-terminated text.
    Text,
    /// So many elements.
    Array(Arc<TypeShape>, u64),
    /// A struct or union.
    Members(Arc<[TypeMember]>),
    /// Nothing is known of it.
    Opaque,
}

/// A member of a struct or union.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeMember {
    /// Its name; empty for an unnamed one.
    pub name: String,
    /// Where it begins, in bits.
    pub offset: u64,
    /// Its bits, if it is a bit-field.
    pub bits: Option<u8>,
    /// Its type.
    pub shape: Arc<TypeShape>,
}
