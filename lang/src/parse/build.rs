//! pest's pairs in, items, statements and declarations of the tree out, with the type environment's answers for what the
//! pairs leave open. Expressions are `expr.rs`.

mod definition;
mod layout;

use pest::iterators::{Pair, Pairs};

use super::errors::{self, too_deep};
use super::macros::MacroToken;
use super::resolve::{Meaning, Scope, used_as_identifier};
use super::scan::Item as Prepared;
use super::{MAX_DEPTH, Rule};
use crate::ast::{
    BinaryOp, Clause, DEFINITION, Declaration, Declarator, Definition, DefinitionBody, Derived, Enumerator,
    Expr, ExprId, ExprKind, Ident, Item, Layout, MemberDeclaration, MemberDeclarator, ProbeDesc, Stmt,
    Storage, TypeName, TypeSpecs, UnaryOp,
};
use crate::diag::{Diagnostic, Tag};
use crate::source::{SourceId, Span};
use crate::types::TagKind;

/// Most pointers, arrays and functions in one declarator.
const MAX_DERIVED: usize = 64;

/// Where a text is cut: what the grammar calls `cut`.
pub(super) const CUT: char = '\x0e';

/// Makes the tree of one item.
pub(super) struct Builder<'a, 's> {
    pub(super) source: SourceId,
    /// The whole source.
    pub(super) text: &'a str,
    pub(super) item: &'a Prepared,
    pub(super) next_id: &'a mut u32,
    /// What words mean.
    pub(super) scope: &'a mut Scope<'s>,
    /// Not a clause, which makes variables by using them.
    pub(super) definition: bool,
    /// The value of an inline outside of brackets: its declaration has a type, so that no word is one any more.
    pub(super) typed: bool,
    /// The type name that comes next is one even if a variable has its name: `xlate<w>`, `offsetof(w, …)`.
    pub(super) any_type: bool,
    /// How many parentheses are open.
    pub(super) parens: usize,
    /// How many statements enclose the present one.
    pub(super) level: usize,
    /// The text is cut: it is the beginning of an item.
    pub(super) cut: bool,
    /// What is being read has come to where the text is cut, and is not complete.
    pub(super) unfinished: bool,
}

/// Builds the item that `script_item` or `string_item` matched, or the beginning of one if the text is `cut`: that has
/// what is complete, and operands that are missing are names of nothing.
pub(super) fn item(
    pairs: Pairs<'_, Rule>,
    (source, text): (SourceId, &str),
    (item, cut): (&Prepared, bool),
    scope: &mut Scope<'_>,
    next_id: &mut u32,
) -> Result<Item, Diagnostic> {
    let mut builder = Builder {
        source,
        text,
        item,
        next_id,
        scope,
        definition: true,
        typed: false,
        any_type: false,
        parens: 0,
        level: 0,
        cut,
        unfinished: false,
    };
    for pair in pairs.flat_map(Pair::into_inner) {
        builder.definition = !matches!(pair.as_rule(), Rule::clause | Rule::bare_clause);
        return match pair.as_rule() {
            Rule::clause | Rule::bare_clause => builder.clause(pair).map(Item::Clause),
            Rule::declaration => builder.declaration(pair).map(Item::Declaration),
            Rule::inline_definition => builder.inline(pair).map(Item::Inline),
            Rule::translator_definition => builder.translator(pair).map(Item::Translator),
            Rule::provider_definition => builder.provider(pair).map(Item::Provider),
            _ => continue,
        };
    }
    // The grammar's entry rules always hold an item.
    Err(Diagnostic::new(Tag::Syntax, builder.span_of(item.start, item.start), "syntax error"))
}

impl Builder<'_, '_> {
    pub(super) fn span_of(&self, start: usize, end: usize) -> Span {
        Span { source: self.source, start: start as u32, end: end as u32 }
    }

    /// Whether what a pair is stands open where the text is cut. Its last part would close it.
    pub(super) fn open(&self, pair: &Pair<'_, Rule>) -> bool {
        let last = || pair.clone().into_inner().last();
        self.cut && last().is_some_and(|part| part.as_str().is_empty())
    }

    /// The place of a pair in the source, without the blanks that a rule may take along at its end.
    pub(super) fn span(&self, pair: &Pair<'_, Rule>) -> Span {
        let span = pair.as_span();
        let len = pair.as_str().trim_end_matches([' ', CUT]).len();
        self.span_of(self.item.start + span.start(), self.item.start + span.start() + len)
    }

    /// The source behind a pair.
    pub(super) fn source_text(&self, pair: &Pair<'_, Rule>) -> &str {
        let span = self.span(pair);
        &self.text[span.start as usize..span.end as usize]
    }

    /// The macro that stands where the pair does.
    pub(super) fn macro_at(&self, pair: &Pair<'_, Rule>) -> Option<&MacroToken> {
        let macros = &self.item.macros;
        let start = self.item.start + pair.as_span().start();
        macros.binary_search_by_key(&start, |(at, _)| *at).ok().map(|i| &macros[i].1)
    }

    /// The text of a `name` or `type_word`.
    pub(super) fn word(&self, pair: &Pair<'_, Rule>) -> Ident {
        let name = match self.macro_at(pair) {
            Some(MacroToken::Word(word)) => word.clone(),
            _ => self.source_text(pair).to_string(),
        };
        Ident { name, span: self.span(pair) }
    }

    /// A `name` where an expression stands: an identifier, unless it can only be a type (§2.7, rules 5 to 8).
    pub(super) fn variable(&mut self, pair: &Pair<'_, Rule>) -> Result<Ident, Diagnostic> {
        let word = self.word(pair);
        if self.meaning(&word) == Meaning::Type {
            return Err(errors::near(self.source_text(pair), word.span));
        }
        Ok(word)
    }

    /// What a word means where both a type and an expression can stand.
    pub(super) fn meaning(&mut self, word: &Ident) -> Meaning {
        if self.typed && self.parens == 0 {
            return Meaning::Other;
        }
        let after = &self.text[word.span.end as usize..];
        if !used_as_identifier(after, self.parens == 0) {
            return self.scope.meaning(&word.name);
        }
        if !self.definition {
            self.scope.uses(&word.name);
        }
        Meaning::Known
    }

    /// A `name` where a type must stand. `anyway` if even a variable of that name does not hide the type.
    fn type_word(&mut self, pair: &Pair<'_, Rule>, anyway: bool) -> Result<Ident, Diagnostic> {
        let word = self.word(pair);
        let meaning = match anyway {
            true if self.scope.is_type(&word.name) => Meaning::Type,
            _ => self.scope.meaning(&word.name),
        };
        match meaning {
            Meaning::Type => Ok(word),
            meaning => Err(self.no_type(&word, meaning)),
        }
    }

    /// The error for a word that is no type where one must stand.
    pub(super) fn no_type(&self, word: &Ident, meaning: Meaning) -> Diagnostic {
        match meaning == Meaning::Known && self.scope.is_type(&word.name) {
            true => errors::hidden_type(&word.name, word.span),
            false => errors::unknown_type(self.text, self.scope, &word.name, word.span),
        }
    }

    /// The syntax error at the first token from a byte of the source on.
    pub(super) fn near(&self, at: u32) -> Diagnostic {
        errors::near_token((self.source, self.text), self.item, at as usize)
    }

    /// Reads something that stands in parentheses.
    pub(super) fn in_parens<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        self.parens += 1;
        let read = read(self);
        self.parens -= 1;
        read
    }

    pub(super) fn id(&mut self) -> ExprId {
        let id = ExprId(*self.next_id);
        *self.next_id += 1;
        id
    }

    // ---- Clauses and statements

    fn clause(&mut self, pair: Pair<'_, Rule>) -> Result<Clause, Diagnostic> {
        let span = self.span(&pair);
        let mut clause = Clause { probes: Vec::new(), predicate: None, body: None, span };
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::probes => {
                    for probe in part.into_inner() {
                        clause.probes.push(ProbeDesc {
                            text: self.source_text(&probe).to_string(),
                            numeric: probe.as_rule() == Rule::integer,
                            span: self.span(&probe),
                        });
                    }
                }
                Rule::predicate => {
                    let expression = child(part, Rule::expression);
                    clause.predicate = expression.map(|e| self.expression(e)).transpose()?;
                }
                _ => clause.body = Some(self.statements(part.into_inner())?),
            }
        }
        Ok(clause)
    }

    fn statements(&mut self, pairs: Pairs<'_, Rule>) -> Result<Vec<Stmt>, Diagnostic> {
        let mut statements = Vec::new();
        for pair in pairs {
            match pair.as_rule() {
                Rule::expression_statement | Rule::branch_expression => {
                    if let Some(expression) = child(pair, Rule::expression) {
                        statements.push(Stmt::Expr(self.expression(expression)?));
                    }
                }
                Rule::empty => statements.push(Stmt::Empty(self.span(&pair))),
                Rule::conditional => statements.push(self.conditional(pair)?),
                _ => {}
            }
        }
        Ok(statements)
    }

    fn conditional(&mut self, pair: Pair<'_, Rule>) -> Result<Stmt, Diagnostic> {
        let whole = self.span(&pair);
        // `else if` is flat in the grammar and nested in the tree.
        let mut arms: Vec<(Span, Expr, Vec<Stmt>)> = Vec::new();
        let mut otherwise = Vec::new();
        let mut start = whole;
        let mut cond = None;
        let outer = self.level;
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::if_word => {
                    start = self.span(&part);
                    self.level += 1;
                    if self.level > MAX_DEPTH {
                        return Err(too_deep(start));
                    }
                }
                Rule::expression => cond = Some(self.in_parens(|builder| builder.expression(part))?),
                Rule::branch => {
                    let statements = self.statements(part.into_inner())?;
                    match cond.take() {
                        Some(cond) => arms.push((start, cond, statements)),
                        None => otherwise = statements,
                    }
                }
                _ => {}
            }
        }
        self.level = outer;
        for (start, cond, then) in arms.into_iter().rev() {
            let span = Span { start: start.start, ..whole };
            otherwise = vec![Stmt::If { cond, then, otherwise, span }];
        }
        // The grammar gives at least one arm.
        otherwise.pop().ok_or_else(|| too_deep(whole))
    }

    // ---- Declarations

    fn declaration(&mut self, pair: Pair<'_, Rule>) -> Result<Declaration, Diagnostic> {
        let span = self.span(&pair);
        let mut storage = None;
        let mut specs = empty_specs(span);
        let mut declarators = Vec::new();
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::specifiers => (storage, specs) = self.specifiers(part)?,
                Rule::declarator => {
                    let declarator = self.declarator(part)?;
                    declarators.extend(Some(declarator).filter(|_| !self.unfinished));
                }
                _ => {}
            }
        }
        let storage = storage.map(|(class, _)| class);
        self.layouts(span, &specs, declarators.iter_mut().collect());
        Ok(Declaration { storage, specs, declarators, included: self.item.included, span })
    }

    /// Reads any of the three kinds of specifier lists.
    #[allow(clippy::type_complexity, reason = "a storage class with its place, and the rest")]
    fn specifiers(
        &mut self,
        pair: Pair<'_, Rule>,
    ) -> Result<(Option<(Storage, Span)>, TypeSpecs), Diagnostic> {
        let parameter = pair.as_rule() == Rule::parameter_specifiers;
        let anyway = std::mem::take(&mut self.any_type);
        let mut specs = empty_specs(self.span(&pair));
        let mut storage: Option<(Storage, Span)> = None;
        for part in pair.into_inner() {
            let span = self.span(&part);
            match part.as_rule() {
                Rule::storage => {
                    let class = storage_class(self.source_text(&part));
                    if parameter && class != Storage::Register {
                        return Err(Diagnostic::new(
                            Tag::DeclParmclass,
                            span,
                            "inappropriate storage class for function or associative array parameter",
                        ));
                    }
                    if let Some((_, first)) = storage {
                        return Err(Diagnostic::new(
                            Tag::DeclClass,
                            span,
                            "only one storage class allowed in a declaration",
                        )
                        .label(first, "the first is here"));
                    }
                    storage = Some((class, span));
                }
                Rule::qualifier => specs.qualifiers.push(self.word(&part)),
                Rule::type_keyword | Rule::type_word => specs.words.push(self.word(&part)),
                Rule::name => specs.words.push(self.type_word(&part, anyway)?),
                Rule::tag => {
                    let kind = keyword_of(self.source_text(&part)).to_string();
                    if let Some(name) = child(part, Rule::name) {
                        let tag = self.word(&name).name;
                        specs.words.push(Ident { name: format!("{kind} {tag}"), span });
                    }
                }
                Rule::struct_definition | Rule::enum_definition => {
                    specs.words.push(Ident { name: DEFINITION.to_string(), span });
                    let definition = self.definition(part)?;
                    specs.definitions.push(definition);
                }
                _ => {}
            }
        }
        Ok((storage, specs))
    }

    /// Reads a struct, union or enum with its body.
    fn definition(&mut self, pair: Pair<'_, Rule>) -> Result<Definition, Diagnostic> {
        let span = self.span(&pair);
        // The grammar has three keywords here.
        let kind = TagKind::of_word(keyword_of(self.source_text(&pair))).unwrap_or(TagKind::Struct);
        let (mut tag, mut members, mut enumerators) = (None, Vec::new(), Vec::new());
        self.level += 1;
        if self.level > MAX_DEPTH {
            return Err(too_deep(span));
        }
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::name => tag = Some(self.word(&part)),
                Rule::struct_member => {
                    let member = self.member_declaration(part)?;
                    // A cut may leave words that are no type yet.
                    let nothing = member.members.is_empty() && member.specs.definitions.is_empty();
                    members.extend(Some(member).filter(|_| !(self.unfinished && nothing)));
                }
                Rule::enumerator => {
                    let enumerator = self.enumerator(part)?;
                    enumerators.extend(Some(enumerator).filter(|_| !self.unfinished));
                }
                _ => {}
            }
        }
        self.level -= 1;
        let body = match kind {
            TagKind::Enum => DefinitionBody::Enumerators(enumerators),
            TagKind::Struct | TagKind::Union => DefinitionBody::Members(members),
        };
        Ok(Definition { kind, tag, body, layout: self.layout_of(span), span })
    }

    fn member_declaration(&mut self, pair: Pair<'_, Rule>) -> Result<MemberDeclaration, Diagnostic> {
        let span = self.span(&pair);
        let mut specs = empty_specs(span);
        let mut members: Vec<MemberDeclarator> = Vec::new();
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::type_specifiers => specs = self.specifiers(part)?.1,
                Rule::member_declarator => {
                    let member = self.member_declarator(part)?;
                    members.extend(Some(member).filter(|_| !self.unfinished));
                }
                _ => {}
            }
        }
        self.layouts(span, &specs, members.iter_mut().map(|member| &mut member.declarator).collect());
        Ok(MemberDeclaration { specs, members })
    }

    fn member_declarator(&mut self, pair: Pair<'_, Rule>) -> Result<MemberDeclarator, Diagnostic> {
        let mut declarator = declarator(self.span(&pair));
        let mut width = None;
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::declarator => declarator = self.declarator(part)?,
                Rule::constant => width = Some(Box::new(self.constant(part)?)),
                _ => {}
            }
        }
        Ok(MemberDeclarator { declarator, width })
    }

    fn enumerator(&mut self, pair: Pair<'_, Rule>) -> Result<Enumerator, Diagnostic> {
        let mut name = Ident { name: String::new(), span: self.span(&pair) };
        let mut value = None;
        self.unfinished |= pair.as_str().is_empty();
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::name => name = self.word(&part),
                Rule::constant => value = Some(Box::new(self.constant(part)?)),
                _ => {}
            }
        }
        Ok(Enumerator { name, value })
    }

    /// Reads a declarator, nested or not, named or abstract.
    fn declarator(&mut self, pair: Pair<'_, Rule>) -> Result<Declarator, Diagnostic> {
        let span = self.span(&pair);
        let mut out = declarator(span);
        let mut suffixes = Vec::new();
        let mut inner = None;
        let named = pair.as_rule() == Rule::declarator;
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::pointer => out.derived.push(Derived::Pointer),
                Rule::name => out.name = Some(self.word(&part)),
                Rule::nested_declarator | Rule::nested_abstract => {
                    self.unfinished |= self.open(&part);
                    for nested in part.into_inner() {
                        if matches!(nested.as_rule(), Rule::declarator | Rule::abstract_declarator) {
                            inner = Some(self.declarator(nested)?);
                        }
                    }
                }
                Rule::array => suffixes.push(self.array(part)?),
                Rule::function => suffixes.push(self.function(part)?),
                _ => {}
            }
        }
        // Suffixes bind tighter than the pointers before the name, and the innermost is applied last.
        out.derived.extend(suffixes.into_iter().rev());
        if let Some(inner) = inner {
            out.name = inner.name;
            out.derived.extend(inner.derived);
        }
        if out.derived.len() > MAX_DERIVED {
            return Err(too_deep(span));
        }
        // The grammar demands a name where the text goes on.
        self.unfinished |= named && out.name.is_none();
        Ok(out)
    }

    fn array(&mut self, pair: Pair<'_, Rule>) -> Result<Derived, Diagnostic> {
        let mut bound = None;
        self.unfinished |= self.open(&pair);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::parameters => {
                    let ellipsis = part.clone().into_inner().find(|p| p.as_rule() == Rule::ellipsis);
                    if let Some(ellipsis) = ellipsis {
                        return Err(Diagnostic::new(
                            Tag::DeclProtoVarargs,
                            self.span(&ellipsis),
                            "associative array signature may not be of variable length",
                        ));
                    }
                    return Ok(Derived::Assoc(self.parameter_list(part)?));
                }
                Rule::word_bound => return self.word_bound(part),
                Rule::constant => bound = Some(Box::new(self.constant(part)?)),
                _ => {}
            }
        }
        Ok(Derived::Array(bound))
    }

    /// `[w]` or `[w * x]`: the key of an associative array if `w` is a type, else the bound of an array.
    fn word_bound(&mut self, pair: Pair<'_, Rule>) -> Result<Derived, Diagnostic> {
        let whole = self.span(&pair);
        let (mut words, mut pointers) = (Vec::new(), Vec::new());
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::pointer => pointers.push(self.source_text(&part) == "*"),
                _ => words.push(self.word(&part)),
            }
        }
        let mut words = words.into_iter();
        if pointers.len() > MAX_DERIVED {
            return Err(too_deep(whole));
        }
        // The grammar demands a word.
        let Some(first) = words.next() else { return Ok(Derived::Array(None)) };
        let second = words.next();
        let meaning = self.scope.meaning(&first.name);
        if meaning == Meaning::Type {
            let specs = TypeSpecs { words: vec![first.clone()], ..empty_specs(first.span) };
            let end = Span { start: whole.end, ..whole };
            let rest = second.as_ref().map_or(end, |_| Span { start: first.span.end, ..whole });
            let derived = pointers.iter().map(|_| Derived::Pointer).collect();
            let declarator = Declarator { name: second, derived, ..declarator(rest) };
            return Ok(Derived::Assoc(vec![TypeName { specs, declarator, span: whole }]));
        }
        if pointers.contains(&false) {
            // `w * const x`
            return Err(self.near(whole.start));
        }
        let mut node = |span, kind| Expr { id: self.id(), span, kind };
        let first = node(first.span, ExprKind::Name(first.name));
        let Some(second) = second else { return Ok(Derived::Array(Some(Box::new(first)))) };
        // The first star multiplies, any other belongs to what follows: `w * *x`.
        let mut second = node(second.span, ExprKind::Name(second.name));
        for _ in 1..pointers.len() {
            let kind = ExprKind::Unary { op: UnaryOp::Deref, operand: Box::new(second) };
            second = node(whole, kind);
        }
        let kind = ExprKind::Binary { op: BinaryOp::Mul, lhs: Box::new(first), rhs: Box::new(second) };
        Ok(Derived::Array(Some(Box::new(node(whole, kind)))))
    }

    fn function(&mut self, pair: Pair<'_, Rule>) -> Result<Derived, Diagnostic> {
        self.unfinished |= self.open(&pair);
        let Some(list) = child(pair, Rule::parameters) else {
            return Ok(Derived::Function(Vec::new(), false));
        };
        let more = list.clone().into_inner().any(|part| part.as_rule() == Rule::ellipsis);
        Ok(Derived::Function(self.parameter_list(list)?, more))
    }

    fn parameter_list(&mut self, parameters: Pair<'_, Rule>) -> Result<Vec<TypeName>, Diagnostic> {
        parameters
            .into_inner()
            .filter(|p| p.as_rule() == Rule::parameter)
            .map(|parameter| self.type_name(parameter))
            .collect()
    }

    /// Reads a `type_name` or a `parameter`.
    pub(super) fn type_name(&mut self, pair: Pair<'_, Rule>) -> Result<TypeName, Diagnostic> {
        let span = self.span(&pair);
        let end = Span { start: span.end, ..span };
        let mut specs = empty_specs(span);
        let mut declarator = declarator(end);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::name_specifiers | Rule::parameter_specifiers => specs = self.specifiers(part)?.1,
                Rule::declarator | Rule::abstract_declarator => declarator = self.declarator(part)?,
                _ => {}
            }
        }
        Ok(TypeName { specs, declarator, span })
    }
}

/// The first child of a kind. Where the grammar demands one, there is one.
pub(super) fn child<'i>(pair: Pair<'i, Rule>, rule: Rule) -> Option<Pair<'i, Rule>> {
    pair.into_inner().find(|part| part.as_rule() == rule)
}

/// A declarator of nothing.
pub(super) fn declarator(span: Span) -> Declarator {
    Declarator { name: None, derived: Vec::new(), layout: Layout::default(), span }
}

fn empty_specs(span: Span) -> TypeSpecs {
    TypeSpecs { words: Vec::new(), definitions: Vec::new(), qualifiers: Vec::new(), span }
}

/// `struct`, `union` or `enum` at the start of a tag or a definition.
fn keyword_of(text: &str) -> &str {
    let len = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    &text[..len]
}

fn storage_class(word: &str) -> Storage {
    match word {
        "auto" => Storage::Auto,
        "register" => Storage::Register,
        "static" => Storage::Static,
        "extern" => Storage::Extern,
        "typedef" => Storage::Typedef,
        "self" => Storage::SelfLocal,
        // The grammar has no other.
        _ => Storage::ThisLocal,
    }
}
