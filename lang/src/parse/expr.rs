//! Expressions: the grammar's flat lists of prefixes, operands, suffixes and operators in, trees out, by one table of
//! precedences (language spec §3.5).
//!
//! A `word_group` is neutral: if the word in it is a type it is a cast, or the operand of `sizeof`, and what the grammar
//! took for its suffixes and for infix operators behind it begins the operand of the cast.
//!
//! Operators wait on an explicit stack, so a chain of any length costs no recursion; only brackets and the middle of
//! `?:` recurse, and the scanner bounds those. No tree deeper than [`MAX_DEPTH`] is ever built, since dropping one
//! recurses too.

use pest::iterators::Pair;

use super::build::{Builder, child, declarator};
use super::errors::too_deep;
use super::macros::MacroToken;
use super::resolve::Meaning;
use super::{MAX_DEPTH, Rule, literal};
use crate::ast::{BinaryOp, Expr, ExprKind, Ident, IntLit, TypeName, TypeSpecs, UnaryOp};
use crate::diag::Diagnostic;
use crate::source::Span;

/// Binary operators with their levels, as the specification numbers them. All are left-associative.
pub(crate) const BINARY: [(&str, BinaryOp, u8); 19] = [
    ("*", BinaryOp::Mul, 13),
    ("/", BinaryOp::Div, 13),
    ("%", BinaryOp::Rem, 13),
    ("+", BinaryOp::Add, 12),
    ("-", BinaryOp::Sub, 12),
    ("<<", BinaryOp::Shl, 11),
    (">>", BinaryOp::Shr, 11),
    ("<", BinaryOp::Lt, 10),
    ("<=", BinaryOp::Le, 10),
    (">", BinaryOp::Gt, 10),
    (">=", BinaryOp::Ge, 10),
    ("==", BinaryOp::Eq, 9),
    ("!=", BinaryOp::Ne, 9),
    ("&", BinaryOp::BitAnd, 8),
    ("^", BinaryOp::BitXor, 7),
    ("|", BinaryOp::BitOr, 6),
    ("&&", BinaryOp::LogAnd, 5),
    ("^^", BinaryOp::LogXor, 4),
    ("||", BinaryOp::LogOr, 3),
];

/// Prefix operators that are no words.
const UNARY: [(&str, UnaryOp); 8] = [
    ("+", UnaryOp::Plus),
    ("-", UnaryOp::Minus),
    ("~", UnaryOp::BitNot),
    ("!", UnaryOp::Not),
    ("&", UnaryOp::AddressOf),
    ("*", UnaryOp::Deref),
    ("++", UnaryOp::Increment),
    ("--", UnaryOp::Decrement),
];

fn binary(text: &str) -> Option<(BinaryOp, u8)> {
    BINARY.iter().find(|row| row.0 == text).map(|row| (row.1, row.2))
}

/// A finished expression.
struct Node {
    expr: Expr,
    /// Its place with the parentheses around it.
    outer: Span,
    depth: usize,
}

/// What stands before a part of the flat list, as far as it matters to a `word_group`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    /// Nothing that matters.
    Nothing,
    /// `++`, `--`, `sizeof` or `stringof`.
    StrictPrefix,
    /// A cast that was a `word_group`: its operand follows.
    Cast,
    /// `sizeof (w)`, which has no suffixes.
    SizeofType,
}

/// Whether a part of the flat list begins an operand.
fn begins_operand(rule: Rule) -> bool {
    !matches!(
        rule,
        Rule::infix
            | Rule::assign_op
            | Rule::question
            | Rule::colon
            | Rule::expression
            | Rule::index
            | Rule::call
            | Rule::member
            | Rule::step
    )
}

/// The type name of one word.
fn plain_type(word: Ident) -> TypeName {
    let span = word.span;
    let specs = TypeSpecs { words: vec![word], definitions: Vec::new(), qualifiers: Vec::new(), span };
    let end = Span { start: span.end, ..span };
    TypeName { specs, declarator: declarator(end), span }
}

/// The word in the parentheses of a call, if there is nothing else.
fn only_word<'i>(call: &Pair<'i, Rule>) -> Option<Pair<'i, Rule>> {
    let mut arguments = call.clone().into_inner().filter(|part| part.as_rule() == Rule::assignment);
    let argument = arguments.next().filter(|_| arguments.next().is_none())?;
    let mut parts = argument.clone().into_inner();
    let word = parts.next()?;
    (word.as_rule() == Rule::name && parts.next().is_none()).then_some(argument)
}

/// An operator that waits for its right operand.
enum Waiting {
    Unary(UnaryOp, Span),
    Sizeof(Span),
    Stringof(Span),
    Cast(TypeName, Span),
    Binary(BinaryOp, u8),
    Assign(Option<BinaryOp>),
    /// `cond ? then :`
    Cond(Box<Node>),
}

impl Waiting {
    /// The level that a following operator must not exceed for this one to take its operand.
    fn level(&self) -> u8 {
        match self {
            Waiting::Binary(_, level) => *level,
            Waiting::Assign(_) => 1,
            Waiting::Cond(_) => 2,
            _ => 14,
        }
    }
}

impl Builder<'_, '_> {
    /// An `expression`: assignments joined by commas.
    pub(super) fn expression(&mut self, pair: Pair<'_, Rule>) -> Result<Expr, Diagnostic> {
        self.comma(pair).map(|node| node.expr)
    }

    /// A `constant`: an expression without assignment.
    pub(super) fn constant(&mut self, pair: Pair<'_, Rule>) -> Result<Expr, Diagnostic> {
        self.operators(pair).map(|node| node.expr)
    }

    /// An `assignment`: an expression without a comma outside of brackets.
    pub(super) fn assignment(&mut self, pair: Pair<'_, Rule>) -> Result<Expr, Diagnostic> {
        self.operators(pair).map(|node| node.expr)
    }

    fn comma(&mut self, pair: Pair<'_, Rule>) -> Result<Node, Diagnostic> {
        let whole = self.span(&pair);
        let mut left: Option<Node> = None;
        for part in pair.into_inner().filter(|part| part.as_rule() == Rule::assignment) {
            let right = self.operators(part)?;
            left = Some(match left {
                None => right,
                Some(left) => {
                    let (span, depth) = (left.outer.to(right.outer), left.depth.max(right.depth));
                    let kind = ExprKind::Comma(Box::new(left.expr), Box::new(right.expr));
                    self.node(kind, span, depth + 1)?
                }
            });
        }
        // Only the call `()` has none.
        left.ok_or_else(|| self.near(whole.end - 1))
    }

    /// The operand that is missing where the text is cut: the name of nothing.
    fn missing(&mut self, span: Span) -> Result<Node, Diagnostic> {
        self.unfinished = true;
        self.node(ExprKind::Name(String::new()), Span { start: span.end, ..span }, 1)
    }

    /// What is complete of something that the cut leaves open: its operands, of which nothing is made.
    fn unfinished(&mut self, base: Node, keys: Vec<Expr>) -> Result<Node, Diagnostic> {
        self.unfinished = true;
        self.node(ExprKind::Index { base: Box::new(base.expr), keys }, base.outer, base.depth + 1)
    }

    /// Makes a node, unless it would be too deep.
    fn node(&mut self, kind: ExprKind, span: Span, depth: usize) -> Result<Node, Diagnostic> {
        if depth + self.level > MAX_DEPTH {
            return Err(too_deep(span));
        }
        Ok(Node { expr: Expr { id: self.id(), span, kind }, outer: span, depth })
    }

    /// An `assignment` or `constant`.
    fn operators(&mut self, pair: Pair<'_, Rule>) -> Result<Node, Diagnostic> {
        let whole = self.span(&pair);
        let mut operands: Vec<Node> = Vec::new();
        let mut waiting: Vec<Waiting> = Vec::new();
        let mut left = Left::Nothing;
        let mut parts = pair.into_inner().peekable();
        while let Some(part) = parts.next() {
            let span = self.span(&part);
            let rule = part.as_rule();
            if left == Left::Cast && !begins_operand(rule) {
                left = self.after_cast(&mut operands, &mut waiting, part)?;
                continue;
            }
            let before = std::mem::replace(&mut left, Left::Nothing);
            match rule {
                Rule::loose_prefix | Rule::strict_prefix => {
                    let text = self.source_text(&part);
                    if rule == Rule::strict_prefix {
                        left = Left::StrictPrefix;
                    }
                    waiting.push(match UNARY.iter().find(|row| row.0 == text) {
                        Some(row) => Waiting::Unary(row.1, span),
                        None if text.starts_with("sizeof") => Waiting::Sizeof(span),
                        None => Waiting::Stringof(span),
                    });
                }
                // What follows is missing.
                Rule::cast if self.open(&part) => {}
                Rule::cast => {
                    let ty = child(part, Rule::type_name).ok_or_else(|| too_deep(span))?;
                    waiting.push(Waiting::Cast(self.in_parens(|builder| builder.type_name(ty))?, span));
                }
                Rule::word_group => {
                    let operand_follows = parts.peek().is_some_and(|next| begins_operand(next.as_rule()));
                    left =
                        self.word_group(&mut operands, &mut waiting, (&part, span), before, operand_follows)?;
                }
                Rule::infix => {
                    if let Some((op, level)) = binary(self.source_text(&part)) {
                        self.reduce(&mut operands, &mut waiting, level)?;
                        waiting.push(Waiting::Binary(op, level));
                    }
                }
                Rule::assign_op => {
                    // A cast is no left side.
                    let since =
                        waiting.iter().rposition(|op| matches!(op, Waiting::Assign(_))).map_or(0, |i| i + 1);
                    if matches!(waiting.get(since), Some(Waiting::Cast(..))) {
                        return Err(self.near(span.start));
                    }
                    // The grammar lets nothing else but prefixes and assignments wait here.
                    self.reduce(&mut operands, &mut waiting, 2)?;
                    let text = self.source_text(&part);
                    let op = binary(&text[..text.len() - 1]).map(|(op, _)| op);
                    waiting.push(Waiting::Assign(op));
                }
                Rule::question => self.reduce(&mut operands, &mut waiting, 3)?,
                Rule::expression => {
                    let then = self.comma(part)?;
                    waiting.push(Waiting::Cond(Box::new(then)));
                    if self.cut && parts.peek().is_none() {
                        operands.push(self.missing(span)?);
                    }
                }
                Rule::index | Rule::call | Rule::member | Rule::step if before == Left::SizeofType => {
                    return Err(self.near(span.start));
                }
                Rule::index | Rule::call | Rule::member | Rule::step => {
                    if let Some(base) = operands.pop() {
                        operands.push(self.suffix(base, part)?);
                    }
                }
                Rule::colon => {}
                _ => operands.push(self.primary(part)?),
            }
        }
        if left == Left::Cast {
            return Err(self.near(whole.end));
        }
        self.reduce(&mut operands, &mut waiting, 0)?;
        // The grammar balances operators and operands.
        operands.pop().ok_or_else(|| too_deep(whole))
    }

    /// `(w)`: a cast or the operand of `sizeof` if `w` is a type, else a variable in parentheses.
    fn word_group(
        &mut self,
        operands: &mut Vec<Node>,
        waiting: &mut Vec<Waiting>,
        (pair, span): (&Pair<'_, Rule>, Span),
        before: Left,
        operand_follows: bool,
    ) -> Result<Left, Diagnostic> {
        let Some(word) = pair.clone().into_inner().next() else { return Err(too_deep(span)) };
        let word = self.word(&word);
        let meaning = self.in_parens(|builder| builder.meaning(&word));
        if meaning != Meaning::Type {
            if operand_follows {
                return Err(self.no_type(&word, meaning));
            }
            let node = self.node(ExprKind::Name(word.name), word.span, 1)?;
            operands.push(Node { outer: span, ..node });
            return Ok(Left::Nothing);
        }
        match (before, waiting.last()) {
            (Left::StrictPrefix, Some(&Waiting::Sizeof(at))) => {
                waiting.pop();
                operands.push(self.node(ExprKind::SizeofType(plain_type(word)), at.to(span), 1)?);
                Ok(Left::SizeofType)
            }
            // The other prefixes of this kind take no cast.
            (Left::StrictPrefix, _) => Err(self.near(word.span.start)),
            _ => {
                waiting.push(Waiting::Cast(plain_type(word), span));
                Ok(Left::Cast)
            }
        }
    }

    /// What follows `(w)` where `w` is a type, as the beginning of the cast's operand: a call is parentheses, an infix
    /// operator and a step are prefixes.
    fn after_cast(
        &mut self,
        operands: &mut Vec<Node>,
        waiting: &mut Vec<Waiting>,
        part: Pair<'_, Rule>,
    ) -> Result<Left, Diagnostic> {
        let span = self.span(&part);
        let text = self.source_text(&part);
        let prefix = UNARY.iter().find(|row| row.0 == text).map(|row| Waiting::Unary(row.1, span));
        match (part.as_rule(), prefix) {
            (Rule::infix, Some(prefix)) => {
                waiting.push(prefix);
                Ok(Left::Nothing)
            }
            (Rule::step, Some(prefix)) => {
                waiting.push(prefix);
                Ok(Left::Cast)
            }
            (Rule::call, _) => {
                if let Some(word) = only_word(&part) {
                    return self.word_group(operands, waiting, (&word, span), Left::Nothing, false);
                }
                let node = self.in_parens(|builder| builder.comma(part))?;
                operands.push(Node { outer: span, ..node });
                Ok(Left::Nothing)
            }
            _ => Err(self.near(span.start)),
        }
    }

    /// Gives their operands to the waiting operators of at least the given level.
    fn reduce(
        &mut self,
        operands: &mut Vec<Node>,
        waiting: &mut Vec<Waiting>,
        level: u8,
    ) -> Result<(), Diagnostic> {
        while waiting.last().is_some_and(|op| op.level() >= level) {
            let (Some(op), Some(right)) = (waiting.pop(), operands.pop()) else { break };
            let node = match op {
                Waiting::Unary(op, at) => {
                    self.prefix(right, at, |operand| ExprKind::Unary { op, operand })?
                }
                Waiting::Sizeof(at) => self.prefix(right, at, ExprKind::SizeofExpr)?,
                Waiting::Stringof(at) => self.prefix(right, at, ExprKind::Stringof)?,
                Waiting::Cast(ty, at) => self.prefix(right, at, |operand| ExprKind::Cast { ty, operand })?,
                Waiting::Binary(op, _) => {
                    self.infix(operands, right, |lhs, rhs| ExprKind::Binary { op, lhs, rhs })?
                }
                Waiting::Assign(op) => {
                    self.infix(operands, right, |lhs, rhs| ExprKind::Assign { op, lhs, rhs })?
                }
                // What stands behind its colon is missing.
                Waiting::Cond(then) if self.unfinished => {
                    let depth = then.depth.max(right.depth);
                    let right = Node { depth, ..right };
                    self.infix(operands, right, |cond, otherwise| ExprKind::Index {
                        base: cond,
                        keys: vec![then.expr, *otherwise],
                    })?
                }
                Waiting::Cond(then) => {
                    let depth = then.depth.max(right.depth);
                    let right = Node { depth, ..right };
                    self.infix(operands, right, |cond, otherwise| ExprKind::Cond {
                        cond,
                        then: Box::new(then.expr),
                        otherwise,
                    })?
                }
            };
            operands.push(node);
        }
        Ok(())
    }

    fn prefix(
        &mut self,
        operand: Node,
        at: Span,
        kind: impl FnOnce(Box<Expr>) -> ExprKind,
    ) -> Result<Node, Diagnostic> {
        self.node(kind(Box::new(operand.expr)), at.to(operand.outer), operand.depth + 1)
    }

    fn infix(
        &mut self,
        operands: &mut Vec<Node>,
        right: Node,
        kind: impl FnOnce(Box<Expr>, Box<Expr>) -> ExprKind,
    ) -> Result<Node, Diagnostic> {
        // The grammar balances operators and operands.
        let Some(left) = operands.pop() else { return Ok(right) };
        let depth = left.depth.max(right.depth) + 1;
        let span = left.outer.to(right.outer);
        self.node(kind(Box::new(left.expr), Box::new(right.expr)), span, depth)
    }

    fn primary(&mut self, pair: Pair<'_, Rule>) -> Result<Node, Diagnostic> {
        let span = self.span(&pair);
        let kind = match pair.as_rule() {
            Rule::integer => return self.integer(&pair),
            Rule::string => ExprKind::Str(self.string(&pair)),
            Rule::aggregation => match self.source_text(&pair) {
                "@" => ExprKind::Agg("_".to_string()),
                text => ExprKind::Agg(text[1..].to_string()),
            },
            Rule::parenthesised => {
                let open = self.open(&pair);
                let inner = child(pair, Rule::expression).ok_or_else(|| too_deep(span))?;
                let node = self.in_parens(|builder| builder.comma(inner))?;
                let node = if open { self.unfinished(node, Vec::new())? } else { node };
                return Ok(Node { outer: span, ..node });
            }
            Rule::missing => return self.missing(span),
            Rule::sizeof_type | Rule::offset_of if self.open(&pair) => return self.missing(span),
            Rule::sizeof_type => {
                let ty = child(pair, Rule::type_name).ok_or_else(|| too_deep(span))?;
                ExprKind::SizeofType(self.in_parens(|builder| builder.type_name(ty))?)
            }
            Rule::offset_of => self.offset_of(pair)?,
            Rule::translation => return self.translation(pair),
            Rule::scope => ExprKind::Name(self.word(&pair).name),
            _ => ExprKind::Name(self.variable(&pair)?.name),
        };
        self.node(kind, span, 1)
    }

    /// `xlate<type>(operand)`
    fn translation(&mut self, pair: Pair<'_, Rule>) -> Result<Node, Diagnostic> {
        let (span, open) = (self.span(&pair), self.open(&pair));
        let (mut ty, mut operand) = (None, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::type_name => {
                    self.any_type = true;
                    ty = Some(self.type_name(part)?);
                }
                Rule::expression => operand = Some(self.in_parens(|builder| builder.comma(part))?),
                _ => {}
            }
        }
        // The grammar demands both.
        let (Some(ty), Some(operand)) = (ty, operand) else { return Err(too_deep(span)) };
        if open {
            return self.unfinished(operand, Vec::new());
        }
        self.node(ExprKind::Xlate { ty, operand: Box::new(operand.expr) }, span, operand.depth + 1)
    }

    fn offset_of(&mut self, pair: Pair<'_, Rule>) -> Result<ExprKind, Diagnostic> {
        let span = self.span(&pair);
        let (mut ty, mut member) = (None, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::type_name => {
                    self.any_type = true;
                    ty = Some(self.in_parens(|builder| builder.type_name(part))?);
                }
                Rule::name => member = Some(self.word(&part)),
                _ => {}
            }
        }
        // The grammar gives both.
        let (Some(ty), Some(member)) = (ty, member) else { return Err(too_deep(span)) };
        Ok(ExprKind::Offsetof { ty, member })
    }

    fn integer(&mut self, pair: &Pair<'_, Rule>) -> Result<Node, Diagnostic> {
        let span = self.span(pair);
        let (lit, negative) = match self.macro_at(pair) {
            Some(MacroToken::Int(lit, negative)) => (*lit, *negative),
            _ => {
                let bytes = self.source_text(pair).as_bytes();
                let value = match bytes {
                    [b'\'', inner @ .., b'\''] => literal::character(inner),
                    _ => literal::integer(bytes).1,
                };
                // The scanner has refused what has no value.
                (value.unwrap_or(IntLit { value: 0, decimal: true, unsigned: false, longs: 0 }), false)
            }
        };
        let node = self.node(ExprKind::Int(lit), span, 1)?;
        if !negative {
            return Ok(node);
        }
        self.prefix(node, span, |operand| ExprKind::Unary { op: UnaryOp::Minus, operand })
    }

    fn string(&self, pair: &Pair<'_, Rule>) -> Vec<u8> {
        match self.macro_at(pair) {
            Some(MacroToken::Str(bytes)) => bytes.clone(),
            _ => match self.source_text(pair).as_bytes() {
                [b'"', inner @ .., b'"'] => literal::string(inner),
                _ => Vec::new(),
            },
        }
    }

    fn suffix(&mut self, base: Node, pair: Pair<'_, Rule>) -> Result<Node, Diagnostic> {
        let span = base.outer.to(self.span(&pair));
        if pair.as_rule() == Rule::member && self.cut && pair.clone().into_inner().next().is_none() {
            return self.unfinished(base, Vec::new());
        }
        let open = pair.as_rule() != Rule::step && self.open(&pair);
        let mut depth = base.depth;
        let base = Box::new(base.expr);
        let kind = match pair.as_rule() {
            Rule::step => {
                let increment = self.source_text(&pair) == "++";
                ExprKind::Postfix { increment, operand: base }
            }
            Rule::member => {
                let arrow = self.source_text(&pair).starts_with('-');
                let member = child(pair, Rule::name).ok_or_else(|| too_deep(span))?;
                let member = self.word(&member);
                match base.kind {
                    ExprKind::Name(scope) if arrow && scope == "self" => ExprKind::SelfVar(member.name),
                    ExprKind::Name(scope) if arrow && scope == "this" => ExprKind::ThisVar(member.name),
                    kind => ExprKind::Member { base: Box::new(Expr { kind, ..*base }), arrow, member },
                }
            }
            rule => {
                let mut args = Vec::new();
                let call = usize::from(rule == Rule::call);
                for arg in pair.into_inner().filter(|p| p.as_rule() == Rule::assignment) {
                    self.parens += call;
                    let arg = self.operators(arg);
                    self.parens -= call;
                    let arg = arg?;
                    depth = depth.max(arg.depth);
                    args.push(arg.expr);
                }
                match rule {
                    _ if open => {
                        self.unfinished = true;
                        ExprKind::Index { base, keys: args }
                    }
                    Rule::index => ExprKind::Index { base, keys: args },
                    _ => ExprKind::Call { callee: base, args },
                }
            }
        };
        self.node(kind, span, depth + 1)
    }
}
