//! All wording of the checker, one constructor for each mistake.
//!
//! In: the names and types a message quotes, already as text. Out: a [`Diagnostic`] with its tag. The texts are
//! DTrace's own where it has one (runtime spec §2, §5.2, §7.3, §7.8 to §7.10, §9.2, §13.1); what only dtrail says is
//! worded alike. Nothing here decides anything. The caller sets the part of the clause.

use super::formula::Expanded;
use crate::diag::{Diagnostic, Tag};
use crate::env::Stability;
use crate::options::LARGEST_SCRATCH;
use crate::source::Span;

mod actions;
mod aggregations;
mod definitions;
mod types;

pub(crate) use actions::*;
pub(crate) use aggregations::*;
pub(crate) use definitions::*;
pub(crate) use types::*;

fn error(tag: Tag, span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(tag, span, message)
}

/// `1 key`, `2 keys`.
fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// What to write instead of an argument by its name.
pub(crate) const ARGUMENTS: &str = "arguments have numbers: `args[1]` is the second, and `copyinstr(arg1)` the string that it \
                                    points to; `dtrail -lvn PROBE` lists a probe's";

/// What to write instead of a word that should be a string.
pub(crate) fn unquoted(word: &str) -> String {
    format!(
        "strings stand in double quotes, `\"{word}\"`, and a program on the command line in single ones, as in `-n 'BEGIN'`"
    )
}

/// What to write instead of an operator on an aggregation.
pub(crate) fn aggregate_instead(written: &str) -> String {
    format!("`{written} = count()` counts, and `{written} = sum(n)` adds")
}

// Programs and probe descriptions.

pub(crate) fn no_probe(span: Span, description: &str) -> Diagnostic {
    error(Tag::PdescZero, span, format!("probe description {description} does not match any probes"))
}

/// What helps where nothing is known of a description that matches nothing: it may be meant for another machine.
pub(crate) const PERMITTED: &str = "`-Z` permits descriptions that match nothing";

pub(crate) fn probe_of_other_source(span: Span, description: &str, why: &str) -> Diagnostic {
    error(
        Tag::PdescZero,
        span,
        format!("probe description {description} does not match any probes of this event source: {why}"),
    )
}

pub(crate) fn unknown_probe_id(span: Span, id: &str) -> Diagnostic {
    error(Tag::PdescInval, span, format!("invalid probe identifier {id}: Unknown probe identifier"))
}

pub(crate) fn predicate_not_scalar(span: Span) -> Diagnostic {
    error(Tag::PredScalar, span, "predicate result must be of scalar type")
}

pub(crate) fn condition_not_scalar(span: Span) -> Diagnostic {
    error(Tag::OpScalar, span, "condition of if must be of scalar type")
}

// Things that other DTraces have.

/// `what` is a noun with its article or name, e.g. `curthread`.
pub(crate) fn not_supported_yet(span: Span, what: &str) -> Diagnostic {
    error(Tag::Unknown, span, format!("{what} is not supported yet"))
}

/// The plural of [`not_supported_yet`].
pub(crate) fn are_not_supported_yet(span: Span, what: &str) -> Diagnostic {
    error(Tag::Unknown, span, format!("{what} are not supported yet"))
}

pub(crate) fn no_packets(span: Span) -> Diagnostic {
    error(Tag::DeclIncomplete, span, "pcap( ) reads a struct sk_buff, and no such type is known").help(
        "the kernel's types are in /sys/kernel/btf/vmlinux; a program may define the struct with its members len, \
         data_len and data",
    )
}

/// A subroutine or variable that looks into the kernel's structures, where `why` nothing is known of them.
pub(super) fn needs_kernel_types(span: Span, what: &str, why: &str) -> Diagnostic {
    error(Tag::Unknown, span, format!("{what} cannot be had here: {why}"))
}

pub(crate) fn not_implemented(span: Span, function: &str) -> Diagnostic {
    let error = error(Tag::Unknown, span, format!("{function}() is not implemented (yet)"));
    match function {
        "chill" => error.help("programs in the kernel (eBPF) cannot wait"),
        "breakpoint" => error.help("programs in the kernel (eBPF) cannot enter the kernel's debugger"),
        "panic" => error.help("programs in the kernel (eBPF) cannot stop the kernel"),
        _ => error,
    }
}

pub(crate) fn unknown(span: Span, message: &str) -> Diagnostic {
    error(Tag::Unknown, span, message)
}

// Names.

pub(crate) fn undefined_name(span: Span, name: &str) -> Diagnostic {
    error(Tag::IdentUndef, span, format!("failed to resolve {name}: Unknown variable name"))
}

pub(crate) fn undefined_variable(span: Span, name: &str) -> Diagnostic {
    error(Tag::VarUndef, span, format!("{name} has not yet been declared or assigned"))
}

pub(crate) fn bad_reference(span: Span, kind: &str, name: &str, as_what: &str) -> Diagnostic {
    error(Tag::IdentBadref, span, format!("{kind} '{name}' may not be referenced as {as_what}"))
}

pub(crate) fn too_many_variables(span: Span, name: &str) -> Diagnostic {
    error(Tag::IdOflow, span, format!("cannot create {name}: limit on number of variables exceeded"))
}

pub(crate) fn alloca_mix(span: Span, name: &str) -> Diagnostic {
    error(
        Tag::AllocaIncompat,
        span,
        format!("{name} may not hold both pointers to scratch memory and other pointers"),
    )
    .help("copyin() gives scratch memory; use another variable for it")
}

// Functions.

pub(crate) fn callee_not_a_name(span: Span) -> Diagnostic {
    error(Tag::FuncIdent, span, "function designator is not of function type")
}

pub(crate) fn undefined_function(span: Span, name: &str) -> Diagnostic {
    error(Tag::FuncUndef, span, format!("undefined function name: {name}"))
}

/// What helps whoever uses an extension where there are none.
pub(crate) fn extension_is_strict(name: &str) -> String {
    format!("{name}() is no part of D, and `-x strict` leaves it out")
}

pub(crate) fn not_a_function(span: Span, kind: &str, name: &str) -> Diagnostic {
    error(Tag::FuncIdkind, span, format!("{kind} '{name}' may not be referenced as a function"))
}

/// Brackets and noun of a prototype error: `trace( )` has args, `q[ ]` has keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProtoKind {
    /// `f( )`, args.
    Call,
    /// `q[ ]`, keys.
    Keys,
    /// `args[ ]`, args.
    Args,
}

/// How many were expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// So many.
    Exactly(usize),
    /// So many or more.
    AtLeast(usize),
    /// So many or fewer.
    AtMost(usize),
}

pub(crate) fn prototype_length(
    span: Span,
    name: &str,
    kind: ProtoKind,
    given: usize,
    expected: Expected,
) -> Diagnostic {
    let (brackets, noun) = match kind {
        ProtoKind::Call => ("( )", "arg"),
        ProtoKind::Keys => ("[ ]", "key"),
        ProtoKind::Args => ("[ ]", "arg"),
    };
    let expected = match expected {
        Expected::Exactly(n) => n.to_string(),
        Expected::AtLeast(n) => format!("at least {n}"),
        Expected::AtMost(n) => format!("at most {n}"),
    };
    error(
        Tag::ProtoLen,
        span,
        format!("{name}{brackets} prototype mismatch: {} passed, {expected} expected", count(given, noun)),
    )
}

fn prototype_text(name: &str, number: usize, prototype: &str, argument: &str) -> String {
    format!(
        "{name}( ) argument #{number} is incompatible with prototype:\n\tprototype: {prototype}\n\t argument: {argument}"
    )
}

pub(crate) fn argument_type(
    span: Span,
    name: &str,
    number: usize,
    prototype: &str,
    argument: &str,
) -> Diagnostic {
    error(Tag::ProtoArg, span, prototype_text(name, number, prototype, argument))
}

pub(crate) fn key_type_mismatch(
    span: Span,
    name: &str,
    number: usize,
    prototype: &str,
    key: &str,
) -> Diagnostic {
    error(
        Tag::ProtoArg,
        span,
        format!(
            "{name}[ ] key #{number} is incompatible with prototype:\n\tprototype: {prototype}\n\t      key: {key}"
        ),
    )
}

pub(crate) fn bad_key(span: Span, what: &str, index_of: &str, number: usize) -> Diagnostic {
    error(Tag::KeyType, span, format!("{what} expression may not be used as {index_of} index: key #{number}"))
}

/// `kind` is `tracing function` or `aggregating function`.
pub(crate) fn call_in_expression(span: Span, kind: &str, name: &str) -> Diagnostic {
    error(
        Tag::CgExpr,
        span,
        format!("{kind} {name}( ) may not be called from a D expression (D program context required)"),
    )
}

/// A number of frames that is no positive constant.
pub(crate) fn stack_frames(span: Span, name: &str, kernel: bool) -> Diagnostic {
    let (tag, non_zero) =
        if kernel { (Tag::StackSize, "non-zero ") } else { (Tag::UstackFrames, "non-zero ") };
    error(tag, span, format!("{name}( ) argument #1 must be a {non_zero}positive integer constant"))
}

/// A size for names that is no constant, or negative.
pub(crate) fn stack_strings(span: Span, name: &str) -> Diagnostic {
    error(Tag::UstackStrsize, span, format!("{name}( ) argument #2 must be a positive integer constant"))
}

pub(crate) fn dynamic_statement(span: Span) -> Diagnostic {
    error(Tag::CgDyn, span, "statement evaluates to a value of dynamic type")
}

/// `call` is the call with its constant size: `alloca(1000)`, `copyin(…, 1000)`.
pub(crate) fn scratch_size(span: Span, call: &str, size: u64, limit: u32) -> Diagnostic {
    let error = error(Tag::AllocaSize, span, format!("{call} size larger than scratchsize {limit}"));
    match size <= u64::from(LARGEST_SCRATCH) {
        true => error.help(format!("`-x scratchsize={size}` has room for it")),
        false => error,
    }
}

// args[] and uregs[].

pub(crate) fn register_out_of_range(span: Span, index: i64) -> Diagnostic {
    error(Tag::RegsIdx, span, format!("index {index} is out of range for uregs[ ]"))
}

/// Of `args[]` or `uregs[]`, named by `array`.
pub(crate) fn index_not_constant(span: Span, array: &str, argument: &str) -> Diagnostic {
    error(
        Tag::ProtoArg,
        span,
        format!(
            "{array}[ ] argument #1 is incompatible with prototype:\n\tprototype: integer constant\n\t argument: {argument}"
        ),
    )
}

pub(crate) fn args_unstable(span: Span, description: &str) -> Diagnostic {
    error(
        Tag::ArgsMulti,
        span,
        format!(
            "args[ ] may not be referenced because probe description {description} matches an unstable set of probes"
        ),
    )
}

pub(crate) fn args_differ(span: Span, description: &str, index: i64, ty: &str, other: &str) -> Diagnostic {
    args_unstable(span, description)
        .help(format!("args[{index}] is of type `{ty}` there, but not in {other}: name probes that share it"))
}

pub(crate) fn args_out_of_range(span: Span, index: i64, description: &str) -> Diagnostic {
    error(Tag::ArgsIdx, span, format!("index {index} is out of range for {description} args[ ]"))
}

/// Why the type of an argument is unknown.
pub(crate) fn type_to_come(ty: &str) -> String {
    format!("the type `{ty}` is not supported yet")
}

pub(crate) fn args_type_unknown(span: Span, index: i64, ty: &str) -> Diagnostic {
    error(Tag::ArgsType, span, format!("failed to resolve native type for args[{index}]: {ty}"))
}

// Operators.

/// What helps where a character constant stands for a string.
pub(crate) const DOUBLE_QUOTES: &str =
    "strings stand in double quotes; single ones make a number of a character";

/// What helps where an address of the traced process stands for the string there.
pub(crate) const STRING_AT_ADDRESS: &str = "copyinstr() reads the string at an address of the traced process";

/// What helps where a pointer to characters stands for the string there, and nobody says in which memory.
pub(crate) const STRING_AT_POINTER: &str = "stringof() reads a string of the kernel, and copyinstr() one of the traced process, as the arguments of system calls are";

/// What helps where a string stands for an address of the traced process.
pub(crate) const ADDRESS_OF_PROCESS: &str =
    "it takes an address of the traced process, such as `arg1`; a string has none";

/// What helps where a string stands for a character.
pub(crate) const ONE_CHARACTER: &str =
    "it takes one character, which stands in single quotes; strstr() looks for a string";

/// What helps who asks for an argument that has no number of its own.
pub(crate) const ARGUMENT_NUMBERS: &str =
    "arguments are `arg0` to `arg9`, and those that have types `args[0]`, `args[1]` and on";

/// What helps against a translation in the translator that would make it.
pub(crate) fn translates_itself(output: &str) -> String {
    format!("a translator cannot use itself: this one to {output} is not there before its members are")
}

/// `name` is what was assigned the result of `function`.
pub(crate) fn aggregation_sigil(name: &str, function: &str) -> String {
    format!("the name of an aggregation begins with `@`: `@{name} = {function}(…)`")
}

pub(crate) fn incompatible(span: Span, left: &str, op: &str, right: &str) -> Diagnostic {
    error(Tag::OpIncompat, span, format!("operands have incompatible types: \"{left}\" {op} \"{right}\""))
}

pub(crate) fn conditional_incompatible(span: Span) -> Diagnostic {
    error(Tag::OpIncompat, span, "operator ?: operands must have compatible types")
}

pub(crate) fn conditional_not_scalar(span: Span) -> Diagnostic {
    error(Tag::OpScalar, span, "operator ?: expression must be of scalar type")
}

pub(crate) fn dynamic_operands(span: Span, op: &str) -> Diagnostic {
    error(Tag::OpDyn, span, format!("operator {op} operands cannot be of dynamic type"))
}

pub(crate) fn action_operands(span: Span, op: &str) -> Diagnostic {
    error(Tag::OpAct, span, format!("operator {op} operands cannot be actions"))
        .help("use if (…) … else … to choose between actions")
}

/// A class of types that an operator asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// `arithmetic`
    Arithmetic,
    /// `integral`
    Integral,
    /// `scalar`
    Scalar,
}

impl Wanted {
    fn parts(self) -> (Tag, &'static str) {
        match self {
            Wanted::Arithmetic => (Tag::OpArith, "arithmetic"),
            Wanted::Integral => (Tag::OpInt, "integral"),
            Wanted::Scalar => (Tag::OpScalar, "scalar"),
        }
    }
}

pub(crate) fn operand_class(span: Span, op: &str, wanted: Wanted) -> Diagnostic {
    let (tag, class) = wanted.parts();
    error(tag, span, format!("operator {op} requires an operand of {class} type"))
}

pub(crate) fn operands_class(span: Span, op: &str, wanted: Wanted) -> Diagnostic {
    let (tag, class) = wanted.parts();
    error(tag, span, format!("operator {op} requires operands of {class} type"))
}

pub(crate) fn step_not_scalar(span: Span, op: &str) -> Diagnostic {
    error(Tag::OpScalar, span, format!("operator {op} requires operand of scalar type"))
}

pub(crate) fn step_unknown_size(span: Span, op: &str) -> Diagnostic {
    error(Tag::OpVfptr, span, format!("operator {op} requires an operand of known size"))
}

pub(crate) fn add_assign_unknown_size(span: Span, op: &str) -> Diagnostic {
    error(Tag::OpVfptr, span, format!("operator {op} requires left-hand scalar operand of known size"))
}

pub(crate) fn not_lvalue(span: Span, op: &str) -> Diagnostic {
    error(Tag::OpLval, span, format!("operator {op} requires modifiable lvalue as an operand"))
}

pub(crate) fn not_writable(span: Span, op: &str) -> Diagnostic {
    error(Tag::OpWrite, span, format!("operator {op} can only be applied to a writable variable"))
}

pub(crate) fn assign_to_array(span: Span, op: &str, ty: &str) -> Diagnostic {
    error(Tag::OpArrfun, span, format!("operator {op} may not be applied to operand of type \"{ty}\""))
}

pub(crate) fn constant_too_large(span: Span, value: u64) -> Diagnostic {
    error(
        Tag::IntOflow,
        span,
        format!("integer constant {value:#x} cannot be represented in any built-in integral type"),
    )
}

pub(crate) fn division_by_zero(span: Span) -> Diagnostic {
    error(Tag::DivZero, span, "expression contains division by zero")
}

pub(crate) fn deref_non_pointer(span: Span) -> Diagnostic {
    error(Tag::DerefNonptr, span, "cannot dereference non-pointer type")
}

pub(crate) fn deref_void(span: Span) -> Diagnostic {
    error(Tag::DerefVoid, span, "cannot dereference pointer to void")
}

pub(crate) fn deref_function(span: Span) -> Diagnostic {
    error(Tag::DerefFunc, span, "cannot dereference pointer to function")
}

pub(crate) fn incomplete(span: Span, ty: &str) -> Diagnostic {
    error(Tag::OpIncomplete, span, format!("operator cannot be applied to incomplete type \"{ty}\""))
}

pub(crate) fn member_of_non_pointer(span: Span) -> Diagnostic {
    error(Tag::OpPtr, span, "operator -> must be applied to a pointer")
}

pub(crate) fn member_of_non_struct(span: Span, op: &str, ty: &str) -> Diagnostic {
    error(
        Tag::OpSou,
        span,
        format!("operator {op} cannot be applied to type \"{ty}\"; must be applied to a struct or union"),
    )
}

pub(crate) fn address_of_variable(span: Span) -> Diagnostic {
    error(Tag::AddrofVar, span, "cannot take address of dynamic variable")
}

pub(crate) fn address_of_value(span: Span) -> Diagnostic {
    error(Tag::AddrofLval, span, "unacceptable operand for unary & operator")
}

pub(crate) fn invalid_cast(span: Span, from: &str, to: &str) -> Diagnostic {
    error(Tag::CastInval, span, format!("invalid cast expression: \"{from}\" to \"{to}\""))
}

pub(crate) fn stringof_type(span: Span, ty: &str) -> Diagnostic {
    error(Tag::StringofType, span, format!("cannot apply stringof to a value of type {ty}"))
}

/// What helps where only the name of a type is known; `other` is one of the kernel that stands for the same.
pub(super) fn no_such_type(ty: &str, other: Option<&str>) -> String {
    match other {
        Some(other) => format!(
            "nothing is known of {ty}: the kernel's is `{other}`, and a script run with `-C` may include the header"
        ),
        None => {
            format!("nothing is known of {ty}: a script run with `-C` may include the header that defines it")
        }
    }
}

pub(crate) fn sizeof_type(span: Span) -> Diagnostic {
    error(Tag::SizeofType, span, "cannot apply sizeof to an operand of unknown size")
}

// Arrays.

pub(crate) fn not_associative(span: Span, what: &str) -> Diagnostic {
    error(Tag::ArrBadref, span, format!("cannot access {what} as an associative array"))
}

pub(crate) fn local_associative(span: Span, name: &str) -> Diagnostic {
    error(Tag::ArrLocal, span, format!("local variables may not be used as local associative arrays: {name}"))
}

pub(crate) fn array_bounds(span: Span, index: i64, length: u64) -> Diagnostic {
    error(Tag::ArrBounds, span, format!("index outside array bounds: {index}, max is {length}"))
}

// Declarations.

pub(crate) fn unknown_type(span: Span, name: &str) -> Diagnostic {
    error(Tag::Unknown, span, format!("failed to resolve type {name}: Unknown type name"))
}

/// Qualifiers where a type is due.
pub(crate) fn qualifiers_alone(span: Span, words: &str) -> Diagnostic {
    unknown_type(span, words).help("write a type beside it, such as `int`")
}

pub(crate) fn char_attribute(span: Span) -> Diagnostic {
    error(Tag::DeclCharattr, span, "invalid type declaration: short and long may not be used with char type")
}

pub(crate) fn void_attribute(span: Span) -> Diagnostic {
    error(Tag::DeclVoidattr, span, "invalid type declaration: attributes may not be used with void type")
}

pub(crate) fn sign_attribute(span: Span) -> Diagnostic {
    error(
        Tag::DeclSignint,
        span,
        "invalid type declaration: signed and unsigned may only be used with integer type",
    )
}

pub(crate) fn long_attribute(span: Span) -> Diagnostic {
    error(
        Tag::DeclLongint,
        span,
        "invalid type declaration: long and long long may only be used with integer or floating-point type",
    )
}

pub(crate) fn type_combination(span: Span) -> Diagnostic {
    error(Tag::DeclCombo, span, "invalid type combination")
}

pub(crate) fn storage_class(span: Span) -> Diagnostic {
    error(Tag::DeclBadclass, span, "specified storage class not appropriate in D")
}

pub(crate) fn useless_declaration(span: Span) -> Diagnostic {
    error(Tag::DeclUseless, span, "useless declaration")
}

pub(crate) fn scoped_name(span: Span, name: &str) -> Diagnostic {
    error(Tag::DeclScope, span, format!("D scoping operator may not be used in a variable name ({name})"))
}

pub(crate) fn array_bound(span: Span) -> Diagnostic {
    error(
        Tag::DeclArrsub,
        span,
        "positive integral constant expression or tuple signature expected as array declaration subscript",
    )
}

pub(crate) fn array_bound_missing(span: Span, name: &str) -> Diagnostic {
    error(
        Tag::DeclArrnull,
        span,
        format!("array declaration requires array dimension or tuple signature: {name}"),
    )
}

pub(crate) fn array_too_big(span: Span) -> Diagnostic {
    error(Tag::DeclArrbig, span, "array dimension too big")
}

pub(crate) fn void_object(span: Span, name: &str) -> Diagnostic {
    error(Tag::DeclVoidobj, span, format!("cannot have void object: {name}"))
}

pub(crate) fn void_array(span: Span) -> Diagnostic {
    error(Tag::DeclVoidobj, span, "cannot declare array of void")
}

pub(crate) fn incomplete_object(span: Span, ty: &str, name: &str) -> Diagnostic {
    error(Tag::DeclIncomplete, span, format!("incomplete struct/union/enum {ty}: {name}"))
}

pub(crate) fn dynamic_element(span: Span, name: &str) -> Diagnostic {
    error(Tag::DeclDynobj, span, format!("cannot have array of associative arrays: {name}"))
}

pub(crate) fn local_associative_declaration(span: Span, name: &str) -> Diagnostic {
    error(
        Tag::DeclLocassc,
        span,
        format!("associative arrays may not be declared as local variables: {name}"),
    )
}

pub(crate) fn parameter_void(span: Span, number: usize) -> Diagnostic {
    error(Tag::DeclProtoType, span, format!("parameter #{number} of array prototype may not be of type void"))
}

pub(crate) fn parameter_repeated(span: Span, name: &str, number: usize) -> Diagnostic {
    error(
        Tag::DeclProtoForm,
        span,
        format!("parameter is already declared in array prototype: {name}, parameter #{number}"),
    )
}

pub(crate) fn redeclared(span: Span, name: &str, current: &str, previous: &str) -> Diagnostic {
    error(
        Tag::DeclIdred,
        span,
        format!("identifier redeclared: {name}\n\t current: {current}\n\tprevious: {previous}"),
    )
}

pub(crate) fn built_in_redeclared(span: Span, name: &str) -> Diagnostic {
    error(Tag::DeclIdred, span, format!("built-in identifier redeclared: {name}"))
}

// Stability.

pub(crate) fn too_unstable(span: Span, what: &str, triple: Stability) -> Diagnostic {
    let Stability { name, data, class } = triple;
    let message = format!("attributes for {what} ({name}/{data}/{class}) are less than predefined minimum");
    error(Tag::AttrMin, span, message)
}

// Inlines.

pub(crate) fn inline_storage_class(span: Span) -> Diagnostic {
    error(Tag::DeclBadclass, span, "specified storage class not appropriate for an inline definition")
}

pub(crate) fn inline_array(span: Span, name: &str) -> Diagnostic {
    let message = format!("inline declaration cannot be of scalar array type: {name}");
    error(Tag::DeclArrnull, span, message)
        .help("parameters have a type and a name: `inline int f[int n] = …;`")
}

pub(crate) fn inline_type(span: Span, name: &str, left: &str, right: &str) -> Diagnostic {
    let message = format!("inline {name} definition uses incompatible types: \"{left}\" = \"{right}\"");
    error(Tag::OpIncompat, span, message)
}

pub(crate) fn parameter_without_name(span: Span, number: usize) -> Diagnostic {
    error(Tag::DeclProtoName, span, format!("parameter #{number} of the definition has no name"))
}

pub(super) fn expansion_too_large(span: Span, name: &str, whose: Expanded, most: usize) -> Diagnostic {
    let what = match whose {
        Expanded::Use => format!("{name} and what it is defined by come to"),
        Expanded::Clause => format!("with {name} the definitions used here come to"),
        Expanded::Session => format!("with {name} the definitions used in all clauses come to"),
    };
    let advice = match whose {
        Expanded::Use | Expanded::Session => {
            "assign what is used more than once to a variable such as `this->x`"
        }
        Expanded::Clause => {
            "assign what is used more than once to a variable such as `this->x`, or make two clauses of this one"
        }
    };
    error(Tag::Unknown, span, format!("{what} more than {most} operations")).help(advice)
}

pub(crate) fn expansion_too_deep(span: Span, name: &str) -> Diagnostic {
    error(Tag::Unknown, span, format!("{name} is defined by too many others, one by the next"))
}

pub(crate) fn args_outside(span: Span) -> Diagnostic {
    error(Tag::ArgsNone, span, "args[ ] may not be referenced outside of probe context")
}
