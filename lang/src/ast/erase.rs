//! Forgets where a tree came from, so that trees of different texts can be compared: spans become empty and ids 0.

use super::operands::operands_mut;
use super::{
    Clause, Declarator, Definition, DefinitionBody, Derived, Expr, ExprId, ExprKind, Ident, Item, Program,
    Stmt, TypeName, TypeSpecs,
};
use crate::source::{SourceId, Span};

const NOWHERE: Span = Span { source: SourceId(0), start: 0, end: 0 };

impl Program {
    /// The same program without places, ids and the list of macro arguments.
    #[must_use]
    pub fn without_places(mut self) -> Program {
        self.expr_count = 0;
        self.macro_args_used.clear();
        // What headers define and D cannot say is not printed.
        self.left_out.clear();
        for item in &mut self.items {
            match item {
                Item::Clause(clause) => erase_clause(clause),
                Item::Declaration(declaration) => {
                    declaration.span = NOWHERE;
                    erase_specs(&mut declaration.specs);
                    declaration.declarators.iter_mut().for_each(erase_declarator);
                }
                Item::Inline(inline) => {
                    inline.span = NOWHERE;
                    erase_specs(&mut inline.specs);
                    erase_declarator(&mut inline.declarator);
                    erase_expr(&mut inline.value);
                }
                Item::Translator(translator) => {
                    translator.span = NOWHERE;
                    erase_type(&mut translator.output);
                    erase_type(&mut translator.input);
                    erase_ident(&mut translator.param);
                    for (member, value) in &mut translator.members {
                        erase_ident(member);
                        erase_expr(value);
                    }
                }
                Item::Provider(provider) => {
                    provider.span = NOWHERE;
                    erase_ident(&mut provider.name);
                    for probe in &mut provider.probes {
                        probe.span = NOWHERE;
                        erase_ident(&mut probe.name);
                        probe.native.iter_mut().chain(probe.seen.iter_mut().flatten()).for_each(erase_type);
                    }
                }
                Item::Pragma(pragma) => {
                    pragma.span = NOWHERE;
                    erase_ident(&mut pragma.word);
                    pragma.args.iter_mut().for_each(erase_ident);
                }
            }
        }
        self
    }
}

fn erase_clause(clause: &mut Clause) {
    clause.span = NOWHERE;
    clause.probes.iter_mut().for_each(|probe| probe.span = NOWHERE);
    clause.predicate.iter_mut().for_each(erase_expr);
    clause.body.iter_mut().flatten().for_each(erase_stmt);
}

fn erase_stmt(stmt: &mut Stmt) {
    match stmt {
        Stmt::Empty(span) => *span = NOWHERE,
        Stmt::Expr(expr) => erase_expr(expr),
        Stmt::If { cond, then, otherwise, span } => {
            *span = NOWHERE;
            erase_expr(cond);
            then.iter_mut().chain(otherwise).for_each(erase_stmt);
        }
    }
}

fn erase_ident(ident: &mut Ident) {
    ident.span = NOWHERE;
}

fn erase_specs(specs: &mut TypeSpecs) {
    specs.span = NOWHERE;
    specs.words.iter_mut().chain(&mut specs.qualifiers).for_each(erase_ident);
    specs.definitions.iter_mut().for_each(erase_definition);
}

fn erase_definition(definition: &mut Definition) {
    definition.span = NOWHERE;
    definition.tag.iter_mut().for_each(erase_ident);
    match &mut definition.body {
        DefinitionBody::Members(declarations) => {
            for declaration in declarations {
                erase_specs(&mut declaration.specs);
                for member in &mut declaration.members {
                    erase_declarator(&mut member.declarator);
                    member.width.iter_mut().for_each(|width| erase_expr(width));
                }
            }
        }
        DefinitionBody::Enumerators(enumerators) => {
            for enumerator in enumerators {
                erase_ident(&mut enumerator.name);
                enumerator.value.iter_mut().for_each(|value| erase_expr(value));
            }
        }
    }
}

fn erase_type(name: &mut TypeName) {
    name.span = NOWHERE;
    erase_specs(&mut name.specs);
    erase_declarator(&mut name.declarator);
}

fn erase_declarator(declarator: &mut Declarator) {
    declarator.span = NOWHERE;
    declarator.name.iter_mut().for_each(erase_ident);
    for derived in &mut declarator.derived {
        match derived {
            Derived::Pointer => {}
            Derived::Array(bound) => bound.iter_mut().for_each(|bound| erase_expr(bound)),
            Derived::Assoc(types) | Derived::Function(types, _) => types.iter_mut().for_each(erase_type),
        }
    }
}

fn erase_expr(expr: &mut Expr) {
    expr.id = ExprId(0);
    expr.span = NOWHERE;
    match &mut expr.kind {
        ExprKind::Member { member, .. } => erase_ident(member),
        ExprKind::Cast { ty, .. } | ExprKind::Xlate { ty, .. } | ExprKind::SizeofType(ty) => erase_type(ty),
        ExprKind::Offsetof { ty, member } => {
            erase_type(ty);
            erase_ident(member);
        }
        _ => {}
    }
    operands_mut(expr, &mut erase_expr);
}
