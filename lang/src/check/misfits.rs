//! What helps where a value does not fit the parameter of a subroutine or the conversion of a format. In: what is asked for
//! and what was given. Out: advice, if any is known.

use super::errors;
use super::expr::{Body, is_quoted};
use super::info::{ExprInfo, Meaning};
use crate::ast::{Expr, ExprKind};
use crate::builtins::funcs::{CHAR, UADDR};
use crate::builtins::{Proto, consts};
use crate::types::{Type, TypeId};

impl Body<'_, '_> {
    /// What helps where an argument does not fit a parameter of this type.
    pub(super) fn about_argument(
        &self,
        proto: Proto,
        ty: TypeId,
        arg: Option<&Expr>,
        info: ExprInfo,
    ) -> Option<String> {
        let types = &self.session.types;
        let quoted = arg.is_some_and(|arg| is_quoted(self.session.sources.text(arg.span)))
            && (types.is_string(ty) || types.target(ty).is_some());
        if quoted {
            return Some(errors::DOUBLE_QUOTES.to_owned());
        }
        if proto == UADDR && types.target(info.ty).is_some() {
            return Some(match info.meaning {
                Meaning::Argument(number, _) => format!("use `arg{number}`, or a cast to `uintptr_t`"),
                _ => "use a cast to `uintptr_t`".to_owned(),
            });
        }
        if self.is_text(info) {
            return Some(match proto {
                CHAR => match arg.map(|arg| &arg.kind) {
                    Some(ExprKind::Str(text)) if matches!(**text, [b' '..=b'~']) && **text != *b"'" => {
                        format!("a character stands in single quotes: '{}'", String::from_utf8_lossy(text))
                    }
                    _ => errors::ONE_CHARACTER.to_owned(),
                },
                UADDR => errors::ADDRESS_OF_PROCESS.to_owned(),
                _ if types.is_integer(ty) => match signal(arg) {
                    Some(name) => format!("signals have names without quotes: `{name}`"),
                    None => "strtoll() gives the number that a string begins with".to_owned(),
                },
                _ => return None,
            });
        }
        let int = types.int_type(info.ty).filter(|_| proto.is_text())?;
        Some(match int.bits {
            64 => errors::STRING_AT_ADDRESS.to_owned(),
            _ => "lltostr() makes a string of a number".to_owned(),
        })
    }

    /// Whether a value is a string, or characters.
    fn is_text(&self, info: ExprInfo) -> bool {
        let types = &self.session.types;
        types.is_string(info.ty)
            || matches!(types.resolve(info.ty), Type::Array(element, _) if types.is_char(*element))
    }
}

/// The signal that a string names, with or without the first three letters.
fn signal(arg: Option<&Expr>) -> Option<String> {
    let Some(ExprKind::Str(text)) = arg.map(|arg| &arg.kind) else { return None };
    let text = std::str::from_utf8(text).ok()?;
    let name = format!("SIG{}", text.strip_prefix("SIG").unwrap_or(text));
    consts::constant(&name).map(|_| name)
}
