//! Expressions: the grammar's flat lists of prefixes, operands, suffixes and operators in, trees out, by one table of
//! precedences (language spec §3.5).
//!
//! Operators wait on an explicit stack, so a chain of any length costs no recursion; only brackets and the middle of
//! `?:` recurse, and the scanner bounds those. No tree deeper than [`MAX_DEPTH`] is ever built, since dropping one
//! recurses too.

use pest::iterators::Pair;

use super::build::{Builder, child};
use super::errors::too_deep;
use super::macros::MacroToken;
use super::{MAX_DEPTH, Rule, literal};
use crate::ast::{BinaryOp, Expr, ExprKind, IntLit, TypeName, UnaryOp};
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

impl Builder<'_> {
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
        for part in pair.into_inner() {
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
        // The grammar gives at least one assignment.
        left.ok_or_else(|| too_deep(whole))
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
        for part in pair.into_inner() {
            let span = self.span(&part);
            match part.as_rule() {
                Rule::loose_prefix | Rule::strict_prefix => {
                    let text = self.source_text(&part);
                    waiting.push(match UNARY.iter().find(|row| row.0 == text) {
                        Some(row) => Waiting::Unary(row.1, span),
                        None if text.starts_with("sizeof") => Waiting::Sizeof(span),
                        None => Waiting::Stringof(span),
                    });
                }
                Rule::cast => {
                    let ty = child(part, Rule::type_name).ok_or_else(|| too_deep(span))?;
                    waiting.push(Waiting::Cast(self.type_name(ty)?, span));
                }
                Rule::infix => {
                    if let Some((op, level)) = binary(self.source_text(&part)) {
                        self.reduce(&mut operands, &mut waiting, level)?;
                        waiting.push(Waiting::Binary(op, level));
                    }
                }
                Rule::assign_op => {
                    // The grammar lets nothing but prefixes and assignments wait here.
                    self.reduce(&mut operands, &mut waiting, 2)?;
                    let text = self.source_text(&part);
                    let op = binary(&text[..text.len() - 1]).map(|(op, _)| op);
                    waiting.push(Waiting::Assign(op));
                }
                Rule::question => self.reduce(&mut operands, &mut waiting, 3)?,
                Rule::expression => {
                    let then = self.comma(part)?;
                    waiting.push(Waiting::Cond(Box::new(then)));
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
        self.reduce(&mut operands, &mut waiting, 0)?;
        // The grammar balances operators and operands.
        operands.pop().ok_or_else(|| too_deep(whole))
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
                let inner = child(pair, Rule::expression).ok_or_else(|| too_deep(span))?;
                return self.comma(inner).map(|node| Node { outer: span, ..node });
            }
            Rule::sizeof_type => {
                let ty = child(pair, Rule::type_name).ok_or_else(|| too_deep(span))?;
                ExprKind::SizeofType(self.type_name(ty)?)
            }
            Rule::offset_of => self.offset_of(pair)?,
            Rule::translation => return self.translation(pair),
            _ => ExprKind::Name(self.word(&pair).name),
        };
        self.node(kind, span, 1)
    }

    /// `xlate<type>(operand)`
    fn translation(&mut self, pair: Pair<'_, Rule>) -> Result<Node, Diagnostic> {
        let span = self.span(&pair);
        let (mut ty, mut operand) = (None, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::type_name => ty = Some(self.type_name(part)?),
                Rule::expression => operand = Some(self.comma(part)?),
                _ => {}
            }
        }
        // The grammar demands both.
        let (Some(ty), Some(operand)) = (ty, operand) else { return Err(too_deep(span)) };
        self.node(ExprKind::Xlate { ty, operand: Box::new(operand.expr) }, span, operand.depth + 1)
    }

    fn offset_of(&mut self, pair: Pair<'_, Rule>) -> Result<ExprKind, Diagnostic> {
        let span = self.span(&pair);
        let (mut ty, mut member) = (None, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::type_name => ty = Some(self.type_name(part)?),
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
                for arg in pair.into_inner().filter(|p| p.as_rule() == Rule::assignment) {
                    let arg = self.operators(arg)?;
                    depth = depth.max(arg.depth);
                    args.push(arg.expr);
                }
                match rule {
                    Rule::index => ExprKind::Index { base, keys: args },
                    _ => ExprKind::Call { callee: base, args },
                }
            }
        };
        self.node(kind, span, depth + 1)
    }
}
