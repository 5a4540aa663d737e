//! Wording about types: definitions, declarators, members, sizes, symbols of the kernel.

use super::error;
use crate::diag::{Diagnostic, Tag};
use crate::source::Span;

/// `what` is `tag`, `member name` or `enumerator name`.
pub(crate) fn scoped_declaration(span: Span, what: &str, name: &str) -> Diagnostic {
    let article = if what.starts_with('e') { "an" } else { "a" };
    error(Tag::DeclScope, span, format!("D scoping operator may not be used in {article} {what} ({name})"))
}

pub(crate) fn improper_scope(span: Span, name: &str) -> Diagnostic {
    error(
        Tag::Unknown,
        span,
        format!("failed to resolve type {name}: Improper use of scoping operator in type name"),
    )
}

/// `tag` has its keyword.
pub(crate) fn tag_redefined(span: Span, tag: &str) -> Diagnostic {
    error(Tag::DeclTypered, span, format!("type redeclared: {tag}"))
}

pub(crate) fn void_member(span: Span, name: &str) -> Diagnostic {
    error(Tag::DeclVoidobj, span, format!("cannot have void member: {name}"))
}

/// Advice about a type that a header defines in words that D has not.
pub(crate) fn left_out(file: Option<&str>, line: u32, name: &str, why: &str) -> String {
    let file = file.map_or(String::new(), |file| format!("\"{file}\", "));
    format!("{file}line {line}: the definition of `{name}` is left out: {why}")
}

pub(crate) fn incomplete_member(span: Span, ty: &str, name: &str) -> Diagnostic {
    error(Tag::DeclIncomplete, span, format!("incomplete struct/union/enum {ty}: {name}"))
}

pub(crate) fn incomplete_element(span: Span, ty: &str) -> Diagnostic {
    error(Tag::DeclIncomplete, span, format!("cannot declare array of incomplete type {ty}"))
}

pub(crate) fn function_object(span: Span, name: &str) -> Diagnostic {
    error(Tag::DeclIncomplete, span, format!("cannot have an object or element of function type: {name}"))
}

pub(crate) fn member_repeated(span: Span, name: &str) -> Diagnostic {
    error(Tag::Unknown, span, format!("failed to define member '{name}': Member name is not unique"))
}

pub(crate) fn member_not_an_object(span: Span, name: &str) -> Diagnostic {
    error(Tag::DeclDynobj, span, format!("cannot have dynamic member: {name}"))
}

pub(crate) fn bit_field_width(span: Span) -> Diagnostic {
    error(Tag::DeclBfconst, span, "positive integral constant expression expected as bit-field size")
}

pub(crate) fn bit_field_type(span: Span, name: &str) -> Diagnostic {
    error(Tag::DeclBftype, span, format!("invalid type for bit-field: {name}"))
}

pub(crate) fn bit_field_size(span: Span, name: &str, bits: u64) -> Diagnostic {
    error(Tag::DeclBfsize, span, format!("bit-field too big for type ({bits} bits): {name}"))
}

pub(crate) fn enumerator_not_constant(span: Span, name: &str) -> Diagnostic {
    error(
        Tag::DeclEnconst,
        span,
        format!("enumerator '{name}' must be assigned to an integral constant expression"),
    )
}

pub(crate) fn enumerator_overflow(span: Span, name: &str, value: i64) -> Diagnostic {
    error(Tag::DeclEnoflow, span, format!("enumerator '{name}' value overflows INT_MAX or INT_MIN ({value})"))
}

pub(crate) fn enumerator_repeated(span: Span, name: &str) -> Diagnostic {
    error(Tag::Unknown, span, format!("failed to define enumerator '{name}': Enumerator name is not unique"))
}

pub(crate) fn type_too_deep(span: Span) -> Diagnostic {
    error(Tag::Unknown, span, "type is nested too deeply").help(format!(
        "at most {} levels of pointers, arrays, functions, typedefs and structs in structs are accepted",
        crate::types::MAX_DEPTH
    ))
}

pub(crate) fn type_too_large(span: Span) -> Diagnostic {
    error(Tag::DeclArrbig, span, "type is larger than any memory")
}

/// A variable with more parts than a program may keep.
pub(crate) fn variable_too_large(span: Span, name: &str, most: usize) -> Diagnostic {
    error(Tag::Unknown, span, format!("{name} is too large for a variable")).help(format!(
        "a variable has at most {most} members; keep a pointer, or the members that are needed"
    ))
}

// Parameters of functions.

pub(crate) fn function_parameter_void(span: Span) -> Diagnostic {
    error(Tag::DeclProtoVoid, span, "void must be sole parameter in a function declaration")
}

pub(crate) fn function_parameter_void_named(span: Span, name: &str) -> Diagnostic {
    error(Tag::DeclProtoName, span, format!("void parameter may not have a name: {name}"))
}

pub(crate) fn function_parameter_type(span: Span, number: usize) -> Diagnostic {
    error(
        Tag::DeclProtoType,
        span,
        format!("parameter #{number} of function prototype may not be of a dynamic type"),
    )
}

pub(crate) fn function_parameter_repeated(span: Span, name: &str, number: usize) -> Diagnostic {
    error(
        Tag::DeclProtoForm,
        span,
        format!("parameter is already declared in function prototype: {name}, parameter #{number}"),
    )
}

// Expressions over members.

/// `ty` has its keyword.
/// What stands behind `.` or `->` is a constant's name.
pub(crate) fn member_no_name(span: Span, op: &str) -> Diagnostic {
    error(Tag::OpIdent, span, format!("operator {op} must be followed by an identifier"))
}

pub(crate) fn no_member(span: Span, name: &str, ty: &str) -> Diagnostic {
    error(Tag::TypeMember, span, format!("{name} is not a member of {ty}"))
}

pub(crate) fn offsetof_type(span: Span) -> Diagnostic {
    error(Tag::OffsetofType, span, "offsetof operand must be a struct or union type")
}

pub(crate) fn offsetof_bit_field(span: Span, name: &str) -> Diagnostic {
    error(Tag::OffsetofBitfield, span, format!("cannot take offset of a bit-field: {name}"))
}

pub(crate) fn offsetof_member(span: Span, name: &str, ty: &str) -> Diagnostic {
    error(Tag::Unknown, span, format!("failed to determine offset of {name}: {name} is not a member of {ty}"))
}

pub(crate) fn sizeof_bit_field(span: Span) -> Diagnostic {
    error(Tag::SizeofBitfield, span, "cannot apply sizeof to a bit-field")
}

pub(crate) fn address_of_bit_field(span: Span) -> Diagnostic {
    error(Tag::AddrofBitfield, span, "cannot take address of a bit-field")
}

/// `kind` is `enum e`.
pub(crate) fn ambiguous_enumerator(span: Span, op: &str, name: &str, kind: &str) -> Diagnostic {
    error(
        Tag::IdentAmbig,
        span,
        format!("ambiguous use of operator {op}: {name} is both a {kind} enum tag and a global scalar"),
    )
}

// Symbols of the kernel and of processes.

/// Why no variable of the kernel is known.
pub(crate) const NO_DATA_SYMBOLS: &str =
    "/proc/kallsyms lists functions only: this kernel is built without CONFIG_KALLSYMS_ALL";

/// Why what stands behind two backquotes is not known.
pub(crate) const NO_PROCESS_SYMBOLS: &str =
    "two backquotes mean a symbol of a process; these are not supported yet";

pub(crate) fn unknown_symbol(span: Span, name: &str) -> Diagnostic {
    error(Tag::IdentUndef, span, format!("failed to resolve {name}: Unknown symbol name"))
}

pub(crate) fn symbols_unreadable(span: Span, name: &str, why: &str) -> Diagnostic {
    error(Tag::IdentUndef, span, format!("failed to resolve {name}: {why}"))
}

pub(crate) fn symbol_without_type(span: Span, name: &str) -> Diagnostic {
    let bare = name.rsplit('`').next().unwrap_or(name);
    error(Tag::SymNotypes, span, format!("no symbolic type information is available for {name}"))
        .help(format!("say what it is with a declaration: extern T {bare};"))
}
