//! The text of a [`TypeShape`], as [`super::super::print`] writes it: name, size, kind.

use std::sync::Arc;

use super::cursor::Cursor;
use crate::ir::{TypeMember, TypeShape, TypeShapeKind};

/// Reads a shape. `depth` bounds what a text can nest.
pub(super) fn type_shape(cx: &mut Cursor<'_>, depth: u32) -> Result<Arc<TypeShape>, String> {
    let Some(depth) = depth.checked_sub(1) else { return Err("a shape that nests too deep".to_owned()) };
    let name = cx.quoted_string()?;
    let size = cx.number("a size")?;
    let kind = match cx.word("a kind of type")? {
        "signed" => TypeShapeKind::Int { signed: true },
        "unsigned" => TypeShapeKind::Int { signed: false },
        "schar" => TypeShapeKind::Char { signed: true },
        "uchar" => TypeShapeKind::Char { signed: false },
        "float" => TypeShapeKind::Float,
        "ptr" => TypeShapeKind::Pointer,
        "function" => TypeShapeKind::FunctionPointer,
        "text" => TypeShapeKind::Text,
        "opaque" => TypeShapeKind::Opaque,
        "enum" => {
            cx.need("{")?;
            let values = cx.list("}", |cx| Ok((cx.number("a value")?, cx.quoted_string()?)))?;
            TypeShapeKind::Enum(values.into())
        }
        "array" => {
            let count = cx.number("a number of elements")?;
            cx.need("{")?;
            let element = type_shape(cx, depth)?;
            cx.need("}")?;
            TypeShapeKind::Array(element, count)
        }
        "members" => {
            cx.need("{")?;
            let members = cx.list("}", |cx| {
                let name = cx.quoted_string()?;
                let offset = cx.number("an offset")?;
                let bits = if cx.eat(":") { Some(cx.number("a width")?) } else { None };
                Ok(TypeMember { name, offset, bits, shape: type_shape(cx, depth)? })
            })?;
            TypeShapeKind::Members(members.into())
        }
        word => return Err(format!("unknown kind of type `{word}`")),
    };
    Ok(Arc::new(TypeShape { name, size, kind }))
}
