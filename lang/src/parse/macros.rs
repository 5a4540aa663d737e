//! Macro arguments and macro variables (language spec §2.13): `$1`, `$$1`, `$pid`, `$$pid`.
//!
//! In: the command line's operands and the environment's facts. Out: what a macro stands for, typed by its text. Where
//! macros may stand is the scanner's business, or [`super::description`]'s.

use super::literal;
use super::words::{continues_identifier, starts_identifier};
use crate::ast::IntLit;
use crate::check::suggest;
use crate::diag::Tag;
use crate::env::{Environment, MACRO_VARIABLES};

/// What macros stand for.
#[derive(Clone, Copy)]
pub struct Macros<'a> {
    /// `$0`, the script's or the tool's name, then the operands `$1`, `$2`, …
    pub args: &'a [String],
    /// Knows `$pid`, `$target`, …
    pub env: &'a dyn Environment,
}

/// The token that a macro becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MacroToken {
    /// An integer constant, and whether a minus sign applies to it.
    Int(IntLit, bool),
    /// An identifier or type name.
    Word(String),
    /// A string constant, escapes processed.
    Str(Vec<u8>),
}

/// A macro as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MacroRef<'a> {
    /// Bytes, dollar signs included.
    pub(super) len: usize,
    /// `$$`
    pub(super) quoted: bool,
    /// Digits or a word; may be empty, which names nothing.
    pub(super) name: &'a str,
}

impl MacroRef<'_> {
    /// The argument's number, if it is one.
    pub(super) fn number(&self) -> Option<u32> {
        let digits = self.name.bytes().all(|b| b.is_ascii_digit()) && !self.name.is_empty();
        digits.then(|| self.name.parse().unwrap_or(u32::MAX))
    }
}

/// Reads the macro at the start of `text`, which starts with `$`.
pub(super) fn read(text: &str) -> MacroRef<'_> {
    let bytes = text.as_bytes();
    let quoted = bytes.get(1) == Some(&b'$');
    let start = 1 + usize::from(quoted);
    let numeric = bytes.get(start).is_some_and(u8::is_ascii_digit);
    let belongs =
        |b: &&u8| if numeric { b.is_ascii_digit() } else { b.is_ascii_alphanumeric() || **b == b'_' };
    let len = bytes[start..].iter().take_while(belongs).count();
    MacroRef { len: start + len, quoted, name: &text[start..start + len] }
}

/// The token a macro becomes; `default_args` is the option of that name.
pub(super) fn token(
    macro_ref: MacroRef<'_>,
    macros: &Macros<'_>,
    default_args: bool,
) -> Result<MacroToken, (Tag, String)> {
    let MacroRef { quoted, name, .. } = macro_ref;
    let sigil = if quoted { "$$" } else { "$" };
    let Some(number) = macro_ref.number() else {
        let Some(value) = macros.env.macro_variable(name) else {
            return Err((Tag::MacroUndef, format!("macro variable {sigil}{name} is not defined")));
        };
        return Ok(if quoted {
            MacroToken::Str(value.to_string().into_bytes())
        } else {
            let lit = IntLit { value: value.unsigned_abs(), decimal: true, unsigned: false, longs: 0 };
            MacroToken::Int(lit, value < 0)
        });
    };
    match macros.args.get(number as usize) {
        Some(text) if quoted => Ok(MacroToken::Str(literal::string(text.as_bytes()))),
        Some(text) => argument(name, text),
        None if default_args && quoted => Ok(MacroToken::Str(Vec::new())),
        None if default_args => {
            Ok(MacroToken::Int(IntLit { value: 0, decimal: true, unsigned: false, longs: 0 }, false))
        }
        None => Err((Tag::MacroUndef, format!("macro argument {sigil}{name} is not defined"))),
    }
}

/// What helps who wrote the name of no macro variable.
pub(super) fn unknown(name: &str) -> String {
    if matches!(name, "projid" | "taskid") {
        return "Linux has no projects and tasks; processes that belong together have a session, `$sid`"
            .to_owned();
    }
    match suggest::nearest(name, MACRO_VARIABLES.into_iter()) {
        Some(near) => format!("did you mean `${near}`?"),
        None => format!("`$` names macros; a variable of the clause is `this->{name}`"),
    }
}

/// Types the text of the argument of this number: a number, a word, or else a string.
fn argument(name: &str, text: &str) -> Result<MacroToken, (Tag, String)> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned.as_bytes().first().is_some_and(u8::is_ascii_digit) {
        let (len, value) = literal::integer(unsigned.as_bytes());
        // `08` is no C constant and therefore a string, like `10abc`.
        let malformed = matches!(&value, Err(error) if error.tag == Tag::IntDigit);
        if len == unsigned.len() && !malformed {
            return match value {
                Ok(lit) => Ok(MacroToken::Int(lit, text.starts_with('-'))),
                Err(_) => {
                    let why = format!("macro argument ${name} constant {text} results in integer overflow");
                    Err((Tag::MacroOflow, why))
                }
            };
        }
    }
    let bytes = text.as_bytes();
    if bytes.first().is_some_and(|&b| starts_identifier(b)) && bytes.iter().all(|&b| continues_identifier(b))
    {
        return Ok(MacroToken::Word(text.to_string()));
    }
    let inner = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(text);
    Ok(MacroToken::Str(literal::string(inner.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(value: u64, negative: bool) -> Result<MacroToken, Tag> {
        let decimal = value != 8;
        Ok(MacroToken::Int(IntLit { value, decimal, unsigned: false, longs: 0 }, negative))
    }

    fn str(text: &str) -> Result<MacroToken, Tag> {
        Ok(MacroToken::Str(text.as_bytes().to_vec()))
    }

    #[test]
    fn arguments_are_typed_by_their_text() {
        let word = |text: &str| Ok(MacroToken::Word(text.to_string()));
        for (text, expected) in [
            ("-5", int(5, true)),
            ("+5", int(5, false)),
            ("010", int(8, false)),
            ("prio", word("prio")),
            ("_a1`b", word("_a1`b")),
            ("12ab", str("12ab")),
            ("08", str("08")),
            ("1.5", str("1.5")),
            ("a b", str("a b")),
            ("", str("")),
            ("-", str("-")),
            ("\"q\"", str("q")),
            ("\"", str("\"")),
            ("\"a\\tb\"", str("a\tb")),
            ("18446744073709551616", Err(Tag::MacroOflow)),
            ("9223372036854775808", Err(Tag::MacroOflow)),
        ] {
            assert_eq!(argument("1", text).map_err(|(tag, _)| tag), expected, "{text}");
        }
    }

    #[test]
    fn references() {
        let parts = |text| {
            let r = read(text);
            (r.len, r.quoted, r.name.to_string(), r.number())
        };
        assert_eq!(parts("$12ab"), (3, false, "12".to_string(), Some(12)));
        assert_eq!(parts("$$1"), (3, true, "1".to_string(), Some(1)));
        assert_eq!(parts("$pid+1"), (4, false, "pid".to_string(), None));
        assert_eq!(parts("$"), (1, false, String::new(), None));
        assert_eq!(parts("$99999999999"), (12, false, "99999999999".to_string(), Some(u32::MAX)));
    }
}
