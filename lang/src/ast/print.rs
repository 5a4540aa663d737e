//! The tree back to D text: `--dump=ast`, and half of the promise that parsing what is printed gives the same tree.
//!
//! In: any tree the parser makes. Out: text with the fewest parentheses, one statement a line. Comments, spelling of
//! constants and the order of qualifiers are not in the tree and do not come back.

mod definition;

use std::fmt::Write;

use super::{
    BinaryOp, Clause, DEFINITION, Declaration, Declarator, Definition, DefinitionBody, Derived, Expr,
    ExprKind, IntLit, Item, Layout, Pragma, Program, Stmt, Storage, TypeName, TypeSpecs, UnaryOp,
};

/// A whole program; ends in a newline unless it is empty.
pub fn program(program: &Program) -> String {
    let mut out = String::new();
    for item in &program.items {
        match item {
            Item::Clause(clause) => print_clause(&mut out, clause),
            Item::Declaration(declaration) if declaration.included => {
                out.push_str("# 1 \"included\" 1 3\n");
                // Headers set it for whole declarations.
                let pack = declaration.specs.definitions.first().map_or(0, |body| body.layout.pack);
                if pack > 0 {
                    push(&mut out, &["#pragma pack(", &pack.to_string(), ")\n"]);
                }
                print_declaration(&mut out, declaration);
                out.push_str(if pack > 0 { "#pragma pack()\n" } else { "" });
                out.push_str("# 1 \"\" 2\n");
            }
            Item::Declaration(declaration) => print_declaration(&mut out, declaration),
            Item::Inline(inline) => definition::print_inline(&mut out, inline),
            Item::Translator(translator) => definition::print_translator(&mut out, translator),
            Item::Provider(provider) => definition::print_provider(&mut out, provider),
            Item::Pragma(pragma) => print_pragma(&mut out, pragma),
        }
    }
    out
}

/// One expression.
pub fn expr(expr: &Expr) -> String {
    let mut out = String::new();
    print_expr(&mut out, expr, COMMA);
    out
}

/// A type name, as in a cast.
pub fn type_name(name: &TypeName) -> String {
    let mut out = String::new();
    print_type_name(&mut out, name);
    out
}

/// The spelling of a binary operator.
pub fn binary_op(op: BinaryOp) -> &'static str {
    OPERATORS[op as usize].0
}

/// The spelling of a prefix operator.
pub fn unary_op(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Plus => "+",
        UnaryOp::Minus => "-",
        UnaryOp::BitNot => "~",
        UnaryOp::Not => "!",
        UnaryOp::AddressOf => "&",
        UnaryOp::Deref => "*",
        UnaryOp::Increment => "++",
        UnaryOp::Decrement => "--",
    }
}

/// Spelling and precedence by [`BinaryOp`], in the order of its variants.
const OPERATORS: [(&str, u8); 19] = [
    ("*", 13),
    ("/", 13),
    ("%", 13),
    ("+", 12),
    ("-", 12),
    ("<<", 11),
    (">>", 11),
    ("<", 10),
    ("<=", 10),
    (">", 10),
    (">=", 10),
    ("==", 9),
    ("!=", 9),
    ("&", 8),
    ("^", 7),
    ("|", 6),
    ("&&", 5),
    ("^^", 4),
    ("||", 3),
];

const COMMA: u8 = 0;
const ASSIGN: u8 = 1;
const COND: u8 = 2;
const LOWEST_BINARY: u8 = 3;
const CAST: u8 = 14;
/// A unary expression in the grammar's sense: what `sizeof`, `++` and the left of `=` take.
const UNARY: u8 = 15;
const POSTFIX: u8 = 16;
const PRIMARY: u8 = 17;

fn level(kind: &ExprKind) -> u8 {
    match kind {
        ExprKind::Comma(..) => COMMA,
        ExprKind::Assign { .. } => ASSIGN,
        ExprKind::Cond { .. } => COND,
        ExprKind::Binary { op, .. } => OPERATORS[*op as usize].1,
        ExprKind::Cast { .. } => CAST,
        ExprKind::Unary { .. }
        | ExprKind::SizeofType(_)
        | ExprKind::SizeofExpr(_)
        | ExprKind::Stringof(_) => UNARY,
        ExprKind::Call { .. }
        | ExprKind::Index { .. }
        | ExprKind::Member { .. }
        | ExprKind::Postfix { .. }
        | ExprKind::Xlate { .. }
        | ExprKind::Offsetof { .. }
        | ExprKind::SelfVar(_)
        | ExprKind::ThisVar(_) => POSTFIX,
        ExprKind::Int(_) | ExprKind::Str(_) | ExprKind::Name(_) | ExprKind::Agg(_) => PRIMARY,
    }
}

/// Prints an expression where the grammar wants one of at least the given level.
fn print_expr(out: &mut String, expr: &Expr, least: u8) {
    let parenthesised = level(&expr.kind) < least;
    if parenthesised {
        out.push('(');
    }
    match &expr.kind {
        ExprKind::Int(lit) => print_int(out, lit),
        ExprKind::Str(bytes) => print_string(out, bytes),
        ExprKind::Name(name) => out.push_str(name),
        ExprKind::SelfVar(name) => push(out, &["self->", name]),
        ExprKind::ThisVar(name) => push(out, &["this->", name]),
        ExprKind::Agg(name) if name == "_" => out.push('@'),
        ExprKind::Agg(name) => push(out, &["@", name]),
        ExprKind::Call { callee, args } => {
            print_expr(out, callee, POSTFIX);
            print_list(out, '(', args, ')');
        }
        ExprKind::Index { base, keys } => {
            print_expr(out, base, POSTFIX);
            print_list(out, '[', keys, ']');
        }
        ExprKind::Member { base, arrow, member } => {
            // `1.x` would be a floating-point constant.
            let number = matches!(base.kind, ExprKind::Int(_));
            print_expr(out, base, if number { PRIMARY + 1 } else { POSTFIX });
            push(out, &[if *arrow { "->" } else { "." }, &member.name]);
        }
        ExprKind::Postfix { increment, operand } => {
            print_expr(out, operand, POSTFIX);
            out.push_str(if *increment { "++" } else { "--" });
        }
        ExprKind::Unary { op, operand } => {
            let strict = matches!(op, UnaryOp::Increment | UnaryOp::Decrement);
            let sign = unary_op(*op);
            out.push_str(sign);
            let at = out.len();
            print_expr(out, operand, if strict { UNARY } else { CAST });
            // `- -x`, `& &x`: two signs must not become one.
            if out[at..].starts_with(['+', '-', '&']) && out[at..].starts_with(&sign[..1]) {
                out.insert(at, ' ');
            }
        }
        ExprKind::Binary { op, lhs, rhs } => {
            let (sign, level) = OPERATORS[*op as usize];
            print_expr(out, lhs, level);
            push(out, &[" ", sign, " "]);
            print_expr(out, rhs, level + 1);
        }
        ExprKind::Cond { cond, then, otherwise } => {
            print_expr(out, cond, LOWEST_BINARY);
            out.push_str(" ? ");
            print_expr(out, then, COMMA);
            out.push_str(" : ");
            print_expr(out, otherwise, COND);
        }
        ExprKind::Assign { op, lhs, rhs } => {
            print_expr(out, lhs, UNARY);
            push(out, &[" ", op.map_or("", binary_op), "= "]);
            print_expr(out, rhs, ASSIGN);
        }
        ExprKind::Comma(lhs, rhs) => {
            print_expr(out, lhs, COMMA);
            out.push_str(", ");
            print_expr(out, rhs, ASSIGN);
        }
        ExprKind::Cast { ty, operand } => {
            out.push('(');
            print_type_name(out, ty);
            out.push(')');
            print_expr(out, operand, CAST);
        }
        ExprKind::Xlate { ty, operand } => {
            out.push_str("xlate<");
            print_type_name(out, ty);
            out.push_str(">(");
            print_expr(out, operand, COMMA);
            out.push(')');
        }
        ExprKind::SizeofType(ty) => {
            out.push_str("sizeof (");
            print_type_name(out, ty);
            out.push(')');
        }
        ExprKind::Offsetof { ty, member } => {
            out.push_str("offsetof(");
            print_type_name(out, ty);
            push(out, &[", ", &member.name, ")"]);
        }
        ExprKind::SizeofExpr(operand) => {
            out.push_str("sizeof (");
            print_expr(out, operand, COMMA);
            out.push(')');
        }
        ExprKind::Stringof(operand) => {
            out.push_str("stringof (");
            print_expr(out, operand, COMMA);
            out.push(')');
        }
    }
    if parenthesised {
        out.push(')');
    }
}

fn push(out: &mut String, parts: &[&str]) {
    for part in parts {
        out.push_str(part);
    }
}

fn print_list(out: &mut String, open: char, list: &[Expr], close: char) {
    out.push(open);
    for (i, expr) in list.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        print_expr(out, expr, ASSIGN);
    }
    out.push(close);
}

fn print_int(out: &mut String, lit: &IntLit) {
    let IntLit { value, decimal, unsigned, longs } = *lit;
    // Writing to a string cannot fail.
    let _ = if decimal { write!(out, "{value}") } else { write!(out, "{value:#x}") };
    out.push_str(if unsigned { "u" } else { "" });
    out.push_str(["", "l", "ll"][usize::from(longs.min(2))]);
}

fn print_string(out: &mut String, bytes: &[u8]) {
    out.push('"');
    for &b in bytes {
        match b {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b' '..=b'~' => out.push(b as char),
            // Three octal digits end an escape whatever follows.
            _ => {
                let _ = write!(out, "\\{b:03o}");
            }
        }
    }
    out.push('"');
}

fn print_pragma(out: &mut String, pragma: &Pragma) {
    push(out, &["#pragma D ", &pragma.word.name]);
    for (i, arg) in pragma.args.iter().enumerate() {
        let quote = if pragma.word.name == "binding" && i == 0 { "\"" } else { "" };
        push(out, &[" ", quote, &arg.name, quote]);
    }
    out.push('\n');
}

fn print_clause(out: &mut String, clause: &Clause) {
    for (i, probe) in clause.probes.iter().enumerate() {
        push(out, &[if i > 0 { ",\n" } else { "" }, &probe.text]);
    }
    out.push('\n');
    if let Some(predicate) = &clause.predicate {
        // A blank, since `/*` starts a comment.
        out.push_str("/ ");
        print_expr(out, predicate, COMMA);
        out.push_str(" /\n");
    }
    if let Some(body) = &clause.body {
        out.push_str("{\n");
        print_statements(out, body, 1);
        out.push_str("}\n");
    }
}

fn print_statements(out: &mut String, statements: &[Stmt], depth: usize) {
    for statement in statements {
        indent(out, depth);
        print_statement(out, statement, depth);
    }
}

fn indent(out: &mut String, depth: usize) {
    out.extend(std::iter::repeat_n('\t', depth));
}

fn print_statement(out: &mut String, statement: &Stmt, depth: usize) {
    match statement {
        Stmt::Empty(_) => out.push_str(";\n"),
        Stmt::Expr(expr) => {
            print_expr(out, expr, COMMA);
            out.push_str(";\n");
        }
        Stmt::If { cond, then, otherwise, .. } => {
            out.push_str("if (");
            print_expr(out, cond, COMMA);
            out.push_str(") {\n");
            print_statements(out, then, depth + 1);
            indent(out, depth);
            match otherwise.as_slice() {
                [] => out.push_str("}\n"),
                [chained @ Stmt::If { .. }] => {
                    out.push_str("} else ");
                    print_statement(out, chained, depth);
                }
                _ => {
                    out.push_str("} else {\n");
                    print_statements(out, otherwise, depth + 1);
                    indent(out, depth);
                    out.push_str("}\n");
                }
            }
        }
    }
}

fn print_declaration(out: &mut String, declaration: &Declaration) {
    let bare = declaration.specs.words.is_empty() && declaration.specs.qualifiers.is_empty();
    print_storage(out, declaration.storage);
    if bare && out.ends_with(' ') {
        out.pop();
    }
    print_specs(out, &declaration.specs);
    for (i, declarator) in declaration.declarators.iter().enumerate() {
        push(out, &[if i > 0 { ", " } else { " " }, &declarator_text(declarator)]);
    }
    out.push_str(";\n");
}

/// A storage class and a blank, or nothing.
fn print_storage(out: &mut String, storage: Option<Storage>) {
    let storage = storage.map(|storage| match storage {
        Storage::Auto => "auto",
        Storage::Register => "register",
        Storage::Static => "static",
        Storage::Extern => "extern",
        Storage::Typedef => "typedef",
        Storage::SelfLocal => "self",
        Storage::ThisLocal => "this",
    });
    if let Some(storage) = storage {
        push(out, &[storage, " "]);
    }
}

fn print_specs(out: &mut String, specs: &TypeSpecs) {
    let mut definitions = specs.definitions.iter();
    for (i, word) in specs.qualifiers.iter().chain(&specs.words).enumerate() {
        out.push_str(if i > 0 { " " } else { "" });
        match definitions.as_slice() {
            [first, ..] if word.name == DEFINITION => {
                print_definition(out, first);
                definitions.next();
            }
            _ => out.push_str(&word.name),
        }
    }
}

fn print_definition(out: &mut String, definition: &Definition) {
    out.push_str(definition.kind.word());
    if let Some(tag) = &definition.tag {
        push(out, &[" ", &tag.name]);
    }
    out.push_str(" { ");
    match &definition.body {
        DefinitionBody::Members(declarations) => {
            for declaration in declarations {
                print_specs(out, &declaration.specs);
                for (i, member) in declaration.members.iter().enumerate() {
                    push(out, &[if i > 0 { ", " } else { " " }, &declarator_text(&member.declarator)]);
                    if let Some(width) = &member.width {
                        out.push_str(" : ");
                        print_expr(out, width, COND);
                    }
                }
                out.push_str("; ");
            }
        }
        DefinitionBody::Enumerators(enumerators) => {
            for (i, enumerator) in enumerators.iter().enumerate() {
                push(out, &[if i > 0 { ", " } else { "" }, &enumerator.name.name]);
                if let Some(value) = &enumerator.value {
                    out.push_str(" = ");
                    print_expr(out, value, COND);
                }
            }
            out.push(' ');
        }
    }
    out.push('}');
    out.push_str(&layout_text(definition.layout));
}

/// What was said of a layout, as headers say it. `pack` is for whoever prints the whole declaration.
fn layout_text(layout: Layout) -> String {
    let packed = if layout.packed { " __attribute__((packed))" } else { "" };
    match layout.align {
        0 => packed.to_string(),
        align => format!("{packed} __attribute__((aligned({align})))"),
    }
}

fn print_type_name(out: &mut String, name: &TypeName) {
    print_specs(out, &name.specs);
    let declarator = declarator_text(&name.declarator);
    if !declarator.is_empty() {
        push(out, &[" ", &declarator]);
    }
}

/// A type name with a name in the middle: the input of a translator.
fn print_type_name_as(out: &mut String, name: &TypeName, param: &str) {
    print_specs(out, &name.specs);
    push(out, &[" ", &declarator_around(&name.declarator, param)]);
}

/// A declarator reads inside out: what is applied last stands next to the name.
fn declarator_text(declarator: &Declarator) -> String {
    declarator_around(declarator, declarator.name.as_ref().map_or("", |ident| &ident.name))
}

fn declarator_around(declarator: &Declarator, name: &str) -> String {
    let mut text = name.to_string();
    let mut pointer = false;
    for derived in declarator.derived.iter().rev() {
        if matches!(derived, Derived::Pointer) {
            text.insert(0, '*');
            pointer = true;
            continue;
        }
        if std::mem::take(&mut pointer) {
            text = format!("({text})");
        }
        match derived {
            Derived::Pointer => {}
            Derived::Array(None) => text.push_str("[]"),
            Derived::Array(Some(bound)) => {
                text.push('[');
                print_expr(&mut text, bound, COND);
                text.push(']');
            }
            Derived::Assoc(keys) => print_parameters(&mut text, '[', keys, false, ']'),
            Derived::Function(parameters, more) => print_parameters(&mut text, '(', parameters, *more, ')'),
        }
    }
    text + &layout_text(declarator.layout)
}

fn print_parameters(out: &mut String, open: char, parameters: &[TypeName], more: bool, close: char) {
    out.push(open);
    for (i, parameter) in parameters.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        print_type_name(out, parameter);
    }
    if more {
        out.push_str(if parameters.is_empty() { "..." } else { ", ..." });
    }
    out.push(close);
}

#[cfg(test)]
mod tests {
    use super::OPERATORS;

    #[test]
    fn precedences_are_the_parsers() {
        for (sign, op, level) in crate::parse::BINARY_OPERATORS {
            assert_eq!(OPERATORS[op as usize], (sign, level));
        }
    }
}
