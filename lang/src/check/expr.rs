//! Types of expressions (language spec §5, §6): one rule for each kind of node.
//!
//! In: an expression of a clause, the session's names, the argument types of the clause's probe. Out: an
//! [`ExprInfo`] for every node, and variables created by first assignment. Statements and what actions ask of their
//! arguments are in [`super::clause`] and [`super::actions`].

use super::errors::{self, Wanted};
use super::fold::Early;
use super::formula::Expansion;
use super::info::{ExprInfo, Meaning, TypeInfo};
use super::inline::Value;
use super::names::{Marked, Provenance, VarShape, shown};
use super::session::{Session, Signature};
use super::suggest;
use super::translator::{From, Translation};
use crate::ast::{BinaryOp, Expr, ExprId, ExprKind, Ident, UnaryOp};
use crate::builtins::{BuiltinVar, Symbolic, elsewhere};
use crate::diag::{Diagnostic, Tag};
use crate::env::Stability;
use crate::ir::{Scope, VarId};
use crate::source::Span;
use crate::stability::{self, STABLE};
use crate::types::classes::Operand;
use crate::types::{TagKind, Type, TypeId};

/// A mistake found inside an expression that is reported once all types are known to be right: a call that only a
/// statement may be (`D_CG_EXPR`), a constant size.
#[derive(Clone, Debug)]
pub(super) struct Deferred {
    /// The statement it is in.
    pub statement: ExprId,
    /// What to say.
    pub error: Diagnostic,
}

/// The check of one clause under one argument signature.
pub(super) struct Body<'s, 'a> {
    pub session: &'s mut Session<'a>,
    pub early: &'s Early,
    pub signature: &'s Signature,
    pub info: TypeInfo,
    pub deferred: Vec<Deferred>,
    /// The statement being checked.
    pub statement: ExprId,
    /// What the formulas used so far come to.
    pub expansion: Expansion,
    /// The least stability of what was named so far.
    pub attributes: Stability,
}

pub(super) type Checked = Result<ExprInfo, Diagnostic>;

impl Body<'_, '_> {
    pub(super) fn operand(info: ExprInfo) -> Operand {
        Operand { ty: info.ty, userland: info.userland, zero: info.constant == Some(0) }
    }

    /// The type that a variable or key takes from a value. A string is a copy, wherever its bytes came from.
    pub(super) fn marked(&self, info: ExprInfo) -> Marked {
        let userland = info.userland && !self.session.types.is_string(info.ty);
        Marked { ty: info.ty, userland }
    }

    pub(super) fn show(&self, info: ExprInfo) -> String {
        Marked { ty: info.ty, userland: info.userland }.show(&self.session.types)
    }

    /// What is read through an argument of a probe that is not there yet.
    pub(super) fn unknown(&self) -> ExprInfo {
        ExprInfo { lvalue: true, ..ExprInfo::value(self.session.types.common().unknown) }
    }

    fn is_scalar(&self, info: ExprInfo) -> bool {
        self.session.types.is_scalar(info.ty)
    }

    /// Whether it can be asked whether a value is there: a scalar, or a variable that keeps a stack.
    pub(super) fn is_condition(&self, info: ExprInfo) -> bool {
        let kept = matches!(info.meaning, Meaning::Variable(_) | Meaning::Element(_));
        self.is_scalar(info) || kept && self.session.types.symbolic(info.ty) == Some(Symbolic::Stack)
    }

    pub(super) fn is_integer(&self, info: ExprInfo) -> bool {
        self.session.types.is_integer(info.ty)
    }

    pub(super) fn is_string(&self, info: ExprInfo) -> bool {
        self.session.types.is_string(info.ty)
    }

    fn int(&self) -> ExprInfo {
        ExprInfo::value(self.session.types.common().int)
    }

    /// Checks an expression whose value is used.
    pub(super) fn expr(&mut self, expr: &Expr) -> Checked {
        let info = match self.early.constant(expr) {
            Some(c) => {
                // The cast of a constant may be the first that names an enum of the kernel.
                self.session.complete(c.ty);
                self.mention_in_constant(expr)?;
                ExprInfo {
                    constant: Some(c.value),
                    provenance: if c.value == 0 { Provenance::Null } else { Provenance::Other },
                    ..ExprInfo::value(c.ty)
                }
            }
            None => match self.node(expr)? {
                info if info.meaning == Meaning::Memory && info.provenance == Provenance::Unknown => {
                    self.held(expr, info)
                }
                info => info,
            },
        };
        self.info.set(expr, info);
        Ok(info)
    }

    /// Trees are deep: each arm is one call, so that a level takes little of the stack.
    fn node(&mut self, expr: &Expr) -> Checked {
        let span = expr.span;
        match &expr.kind {
            // A literal, a `sizeof (type)` or an `offsetof` is a constant and was met above.
            ExprKind::Int(_) | ExprKind::SizeofType(_) | ExprKind::Offsetof { .. } => Ok(self.int()),
            ExprKind::Str(_) => Ok(ExprInfo::value(self.session.types.common().string)),
            ExprKind::Name(name) => self.name(name, span),
            ExprKind::SelfVar(name) => self.local(Scope::ThreadLocal, name, span),
            ExprKind::ThisVar(name) => self.local(Scope::ClauseLocal, name, span),
            ExprKind::Agg(name) => self.aggregation(name, span),
            ExprKind::Call { callee, args } => self.call(callee, args, span),
            ExprKind::Index { base, keys } => self.index(base, keys, span),
            ExprKind::Member { base, arrow, member } => self.member(base, *arrow, member, span),
            ExprKind::Unary { op, operand } => self.unary(*op, operand, span),
            ExprKind::Postfix { increment, operand } => self.step(*increment, operand, span),
            ExprKind::Binary { op, lhs, rhs } => self.binary(*op, lhs, rhs, span),
            ExprKind::Cond { cond, then, otherwise } => self.conditional(cond, then, otherwise, span),
            ExprKind::Assign { op: None, lhs, rhs } if is_aggregation(lhs) => {
                self.nested_aggregation(lhs, rhs, span)
            }
            ExprKind::Assign { op: None, lhs, rhs } => self.assign(lhs, rhs, span),
            ExprKind::Assign { op: Some(op), lhs, rhs } => self.compound_assign(*op, lhs, rhs, span),
            ExprKind::Comma(lhs, rhs) => self.comma(lhs, rhs, span),
            ExprKind::Cast { operand, .. } => self.cast(expr, operand),
            ExprKind::Xlate { operand, .. } => self.xlate(expr, operand),
            ExprKind::SizeofExpr(operand) => self.sizeof(operand, span),
            ExprKind::Stringof(operand) => self.stringof(operand, span),
        }
    }

    /// `@x = f()` where a value is wanted.
    fn nested_aggregation(&mut self, lhs: &Expr, rhs: &Expr, span: Span) -> Checked {
        let function = self.aggregation_statement(lhs, rhs, span)?;
        let error = errors::call_in_expression(rhs.span, "aggregating function", function.row().name);
        self.deferred.push(Deferred { statement: self.statement, error });
        Ok(ExprInfo::value(self.session.types.common().dynamic))
    }

    fn comma(&mut self, lhs: &Expr, rhs: &Expr, span: Span) -> Checked {
        let (a, b) = (self.expr(lhs)?, self.expr(rhs)?);
        let types = &self.session.types;
        if types.is_dynamic(a.ty) || types.is_dynamic(b.ty) {
            return Err(errors::dynamic_operands(span, ","));
        }
        if is_action(a) || is_action(b) {
            return Err(errors::action_operands(span, ","));
        }
        Ok(ExprInfo { userland: b.userland, provenance: b.provenance, ..ExprInfo::value(b.ty) })
    }

    fn sizeof(&mut self, operand: &Expr, span: Span) -> Checked {
        let info = self.expr(operand)?;
        if info.bit_field {
            return Err(errors::sizeof_bit_field(span));
        }
        let ty = match info.meaning {
            // An inline and a translator's member have a type of their own.
            Meaning::Translation(Translation { from: From::Formula(id), pointer, .. }) => {
                let declared = self.session.formulas[id.index()].ty.ty;
                self.session.types.target(declared).filter(|_| !pointer).unwrap_or(declared)
            }
            _ => info.ty,
        };
        self.session.complete(ty);
        let size = match info.meaning {
            Meaning::Symbol(..) if matches!(self.session.types.resolve(info.ty), Type::Function(..)) => {
                self.session.function_size(operand)
            }
            _ => self.session.types.size(ty, self.session.limits.strsize),
        };
        let size = size.ok_or_else(|| self.session.unsized_operand(span, ty))?;
        Ok(ExprInfo::value(self.session.types.common().size).meaning(Meaning::Known(size as i64)))
    }

    fn stringof(&mut self, operand: &Expr, span: Span) -> Checked {
        let info = self.expr(operand)?;
        let types = &self.session.types;
        if !types.is_scalar(info.ty) && types.target(info.ty).is_none() && !types.is_string_like(info.ty) {
            return Err(errors::stringof_type(span, &types.show(info.ty)));
        }
        Ok(ExprInfo::value(types.common().string))
    }

    // Names.

    /// What reading a variable gives.
    pub(super) fn read(&self, id: VarId) -> Option<ExprInfo> {
        let var = &self.session.names.vars[id.index()];
        let ty = var.ty?;
        Some(ExprInfo {
            userland: ty.userland,
            lvalue: true,
            writable: true,
            provenance: var.provenance,
            ..ExprInfo::value(ty.ty)
        })
    }

    /// A variable without brackets.
    fn variable(&mut self, id: VarId, span: Span) -> Checked {
        let var = &self.session.names.vars[id.index()];
        let read = self.read(id).ok_or_else(|| errors::undefined_variable(span, &var.shown()))?;
        let read = read.meaning(Meaning::Variable(id));
        match &var.shape {
            VarShape::Scalar => Ok(read),
            VarShape::Associative(_) => {
                Err(errors::bad_reference(span, "associative array", &var.shown(), "scalar"))
            }
        }
    }

    fn name(&mut self, name: &str, span: Span) -> Checked {
        if let Some(param) = self.param(name) {
            return Ok(param);
        }
        if super::decl::is_scope(name) {
            return Ok(ExprInfo { lvalue: true, ..ExprInfo::value(self.session.types.common().void) });
        }
        if let Some(id) = self.session.names.var(Scope::Global, name) {
            self.mention_variable(id, span)?;
            return self.variable(id, span);
        }
        if let Some(inline) = self.session.inline(name)
            && self.session.hidden(name).is_none()
        {
            let ty = inline.ty;
            return match inline.value {
                _ if inline.params.is_some() => {
                    Err(errors::bad_reference(span, "associative array", name, "scalar"))
                }
                // A constant was met before.
                Value::Constant(c) => Ok(ExprInfo { constant: Some(c.value), ..ExprInfo::value(c.ty) }),
                Value::Alias(id) => {
                    self.mention("inline", name, STABLE, span)?;
                    Ok(ExprInfo { ty: ty.ty, ..self.variable(id, span)? })
                }
                Value::Formula(id) => self.use_inline(id, name, span),
            };
        }
        if let Some((var, index)) = BuiltinVar::by_name(name)
            && self.session.hidden(name).is_none()
        {
            let [provider, module, function, probe] = self.signature.components;
            let triple = match var {
                BuiltinVar::Probeprov => provider,
                BuiltinVar::Probemod => module,
                BuiltinVar::Probefunc => function,
                BuiltinVar::Probename => probe,
                _ => stability::parse(var.row().stability).unwrap_or(STABLE),
            };
            self.mention("scalar", name, triple, span)?;
            let ty = self.session.spelt(var.row().ty);
            let info = ExprInfo { lvalue: true, ..ExprInfo::value(ty) };
            return Ok(info.meaning(Meaning::Builtin(var, index)));
        }
        if name.contains('`') {
            return self.symbol(name, span, true);
        }
        Err(self.session.unknown_name(name, span))
    }

    /// A symbol of the kernel (language spec §5.7, §8.5). `typed`: its type must be known.
    pub(super) fn symbol(&mut self, name: &str, span: Span, typed: bool) -> Checked {
        let symbol = self.session.symbol(name, span)?;
        let info = ExprInfo {
            lvalue: true,
            userland: symbol.ty.is_some_and(|ty| ty.userland),
            ..ExprInfo::value(symbol.ty.map_or(self.session.types.common().void, |ty| ty.ty))
        };
        if typed && symbol.ty.is_none() {
            return Err(errors::symbol_without_type(span, name));
        }
        self.note_triple(stability::KERNEL, span, || format!("symbol {name}"))?;
        Ok(info.meaning(Meaning::Symbol(symbol.address, symbol.per_cpu)))
    }

    fn local(&mut self, scope: Scope, name: &str, span: Span) -> Checked {
        match self.session.names.var(scope, name) {
            Some(id) => {
                self.mention_variable(id, span)?;
                self.variable(id, span)
            }
            None => {
                let error = errors::undefined_variable(span, &shown(scope, name));
                Err(self.session.suggest_variable(error, scope, name))
            }
        }
    }

    fn aggregation(&mut self, name: &str, span: Span) -> Checked {
        let id = self.session.names.agg(name).ok_or_else(|| {
            // The one without a name has one only inside.
            let shown = format!("@{name}");
            self.session.suggest_aggregation(errors::undefined_name(span, &shown), name)
        })?;
        let info = ExprInfo::value(self.session.types.common().aggregation);
        Ok(info.meaning(Meaning::Aggregation(id)))
    }

    // Operators.

    pub(super) fn incompatible(&self, span: Span, a: ExprInfo, op: &str, b: ExprInfo) -> Diagnostic {
        let error = errors::incompatible(span, &self.show(a), op, &self.show(b));
        let text = self.session.sources.text(span).trim();
        let strings = self.is_string(a) != self.is_string(b) && (is_quoted(text) || text.ends_with('\''));
        if strings { error.help(errors::DOUBLE_QUOTES) } else { error }
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr, span: Span) -> Checked {
        match op {
            UnaryOp::Increment | UnaryOp::Decrement => {
                return self.step(op == UnaryOp::Increment, operand, span);
            }
            UnaryOp::AddressOf => return self.address_of(operand, span),
            _ => {}
        }
        let info = self.expr(operand)?;
        let value = ExprInfo::value(info.ty);
        match op {
            UnaryOp::Plus | UnaryOp::Minus => {
                let word = if op == UnaryOp::Plus { "+" } else { "-" };
                if !self.is_integer(info) {
                    return Err(errors::operand_class(span, word, Wanted::Arithmetic));
                }
                Ok(value)
            }
            UnaryOp::BitNot => {
                if !self.is_integer(info) {
                    return Err(errors::operand_class(span, "~", Wanted::Integral));
                }
                Ok(value)
            }
            UnaryOp::Not => {
                if !self.is_condition(info) {
                    return Err(errors::operand_class(span, "!", Wanted::Scalar));
                }
                Ok(self.int())
            }
            _ => match info.meaning {
                Meaning::Translation(made) if made.pointer => {
                    Ok(self.translation(Translation { pointer: false, ..made }))
                }
                _ => {
                    self.sum_within(operand, span)?;
                    self.dereference(info, span)
                }
            },
        }
    }

    fn binary(&mut self, op: BinaryOp, lhs: &Expr, rhs: &Expr, span: Span) -> Checked {
        let a = match self.expr(lhs) {
            Ok(a) => a,
            Err(error) => return Err(self.compared_word(error, op, lhs, rhs)),
        };
        let b = match self.enumerator(op, a, rhs, span)? {
            Some(value) => value,
            None => self.expr(rhs).map_err(|error| match self.is_string(a) {
                true => self.session.unquoted(error, rhs),
                false => error,
            })?,
        };
        self.binary_type(op, a, b, span)
    }

    /// The error of the left side of a comparison, which may be a word that wants quotes.
    fn compared_word(&mut self, error: Diagnostic, op: BinaryOp, lhs: &Expr, rhs: &Expr) -> Diagnostic {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        let word = matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
            && suggest::is_word(lhs)
            && error.tag == Tag::IdentUndef;
        // What the right side has wrong, too, is not told.
        match word && self.expr(rhs).is_ok_and(|b| self.is_string(b)) {
            true => self.session.unquoted(error, lhs),
            false => error,
        }
    }

    /// The bare name of an enumerator right of a comparison with a value of its enum (language spec §6.4).
    fn enumerator(
        &mut self,
        op: BinaryOp,
        a: ExprInfo,
        rhs: &Expr,
        span: Span,
    ) -> Result<Option<ExprInfo>, Diagnostic> {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        let is_enum = matches!(self.session.types.resolve(a.ty), Type::Tagged(TagKind::Enum, _));
        let ExprKind::Name(name) = &rhs.kind else { return Ok(None) };
        if !is_enum || !matches!(op, Eq | Ne | Lt | Le | Gt | Ge) || self.early.constant(rhs).is_some() {
            return Ok(None);
        }
        let Some(value) = self.session.enumerator_value(a.ty, name) else { return Ok(None) };
        if self.session.names.var(Scope::Global, name).is_some() || self.session.inline(name).is_some() {
            let kind = self.session.types.show(self.session.types.base(a.ty));
            return Err(errors::ambiguous_enumerator(span, binary_word(op), name, &kind));
        }
        let info = ExprInfo::value(a.ty).meaning(Meaning::Known(value));
        self.info.set(rhs, info);
        Ok(Some(info))
    }

    fn binary_type(&mut self, op: BinaryOp, a: ExprInfo, b: ExprInfo, span: Span) -> Checked {
        use BinaryOp::{Add, BitAnd, BitOr, BitXor, Div, LogAnd, LogOr, LogXor, Mul, Rem, Shl, Shr, Sub};
        let word = binary_word(op);
        let integers = self.is_integer(a) && self.is_integer(b);
        let unknown = [a, b].iter().any(|info| self.session.types.is_unknown(info.ty));
        match op {
            Mul | Div | Rem | BitAnd | BitXor | BitOr | Shl | Shr | Add | Sub if unknown => {
                Ok(self.unknown())
            }
            Mul | Div if !integers => Err(errors::operands_class(span, word, Wanted::Arithmetic)),
            Rem | BitAnd | BitXor | BitOr | Shl | Shr if !integers => {
                Err(errors::operands_class(span, word, Wanted::Integral))
            }
            Shl | Shr => Ok(ExprInfo::value(a.ty)),
            Mul | Div | Rem | BitAnd | BitXor | BitOr => Ok(self.converted(a, b)),
            Add | Sub => self.add(a, b, op, span),
            LogAnd | LogXor | LogOr => {
                if !self.is_condition(a) || !self.is_condition(b) {
                    return Err(errors::operands_class(span, word, Wanted::Scalar));
                }
                Ok(self.int())
            }
            _ => {
                if self.common_type(a, b).is_none() {
                    return Err(self.incompatible(span, a, word, b));
                }
                Ok(self.int())
            }
        }
    }

    fn converted(&self, a: ExprInfo, b: ExprInfo) -> ExprInfo {
        ExprInfo::value(self.session.types.arithmetic(a.ty, b.ty).unwrap_or(a.ty))
    }

    /// What comparisons and `?:` ask of their operands; gives the common type and its userland mark.
    fn common_type(&self, a: ExprInfo, b: ExprInfo) -> Option<(TypeId, bool)> {
        let types = &self.session.types;
        if types.is_unknown(a.ty) || types.is_unknown(b.ty) {
            let known = if types.is_unknown(a.ty) { b } else { a };
            return Some((known.ty, known.userland));
        }
        if let Some(ty) = types.arithmetic(a.ty, b.ty) {
            return Some((ty, false));
        }
        if types.is_string_like(a.ty)
            && types.is_string_like(b.ty)
            && (types.is_string(a.ty) || types.is_string(b.ty))
        {
            return Some((types.common().string, false));
        }
        if types.is_function(a.ty) && types.is_function(b.ty) {
            return Some((a.ty, false));
        }
        // A stack that is kept may be compared with 0, which is what drops it; an action gives no value yet.
        let taken = [a, b].iter().any(|info| matches!(info.meaning, Meaning::Sample(_)));
        if taken && (types.is_integer(a.ty) || types.is_integer(b.ty)) {
            return None;
        }
        let ty = types.pointer_compatible(Self::operand(a), Self::operand(b))?;
        Some((ty, a.userland || b.userland))
    }

    /// `+` and `-` (language spec §6.3).
    pub(super) fn add(&mut self, a: ExprInfo, b: ExprInfo, op: BinaryOp, span: Span) -> Checked {
        let word = binary_word(op);
        let types = &self.session.types;
        if types.is_integer(a.ty) && types.is_integer(b.ty) {
            return Ok(self.converted(a, b));
        }
        let steps = |info: ExprInfo| {
            types.is_string(info.ty)
                || (types.target(info.ty).is_some() && !types.is_void_or_function_pointer(info.ty))
        };
        let pointer = if steps(a) && types.is_integer(b.ty) {
            a
        } else if op == BinaryOp::Add && types.is_integer(a.ty) && steps(b) {
            b
        } else if op == BinaryOp::Sub
            && steps(a)
            && steps(b)
            && types.pointer_compatible(Self::operand(a), Self::operand(b)).is_some()
        {
            self.known_size(a, span)?;
            return Ok(ExprInfo::value(self.session.types.common().ptrdiff));
        } else {
            return Err(self.incompatible(span, a, word, b));
        };
        if types.is_string(pointer.ty) {
            return Ok(ExprInfo::value(pointer.ty));
        }
        self.known_size(pointer, span)?;
        let ty = match *self.session.types.resolve(pointer.ty) {
            Type::Array(element, _) => self.session.types.pointer_to(element),
            _ => pointer.ty,
        };
        let provenance = match self.in_variable(pointer) {
            true => Provenance::Variable,
            false => pointer.provenance,
        };
        let is_array = matches!(self.session.types.resolve(pointer.ty), Type::Array(..));
        let meaning = match pointer.meaning {
            Meaning::Variable(id) | Meaning::Element(id) | Meaning::Part(id) if is_array => {
                Meaning::PartAddress(id)
            }
            Meaning::PartAddress(id) => Meaning::PartAddress(id),
            _ => Meaning::Operator,
        };
        Ok(ExprInfo { userland: pointer.userland, provenance, ..ExprInfo::value(ty) }.meaning(meaning))
    }

    fn conditional(&mut self, cond: &Expr, then: &Expr, otherwise: &Expr, span: Span) -> Checked {
        let cond = self.expr(cond)?;
        let (a, b) = (self.expr(then)?, self.expr(otherwise)?);
        if !self.is_condition(cond) {
            return Err(errors::conditional_not_scalar(span));
        }
        let types = &self.session.types;
        if types.is_dynamic(a.ty) || types.is_dynamic(b.ty) {
            return Err(errors::dynamic_operands(span, "?:"));
        }
        let common = match types.same(a.ty, b.ty) && !types.is_integer(a.ty) && a.userland == b.userland {
            true => Some((a.ty, a.userland)),
            false => self.common_type(a, b),
        };
        let (ty, userland) = common.ok_or_else(|| errors::conditional_incompatible(span))?;
        if is_action(a) || is_action(b) {
            return Err(errors::action_operands(span, "?:"));
        }
        Ok(ExprInfo { userland, provenance: a.provenance.join(b.provenance), ..ExprInfo::value(ty) })
    }

    fn cast(&mut self, expr: &Expr, operand: &Expr) -> Checked {
        let span = expr.span;
        let to = self.early.cast(expr).unwrap_or_else(|| {
            let ty = self.session.types.common().int;
            Marked { ty, userland: false }
        });
        let info = self.expr(operand)?;
        self.session.complete(to.ty);
        self.mention_type(to.ty, span)?;
        let types = &self.session.types;
        if !types.castable(to.ty, info.ty) {
            return Err(errors::invalid_cast(span, &self.show(info), &to.show(types)));
        }
        // An integer made from a pointer is that pointer when it is made one again.
        let provenance = match types.target(to.ty).or_else(|| types.target(info.ty)) {
            Some(_) if self.in_variable(info) => Provenance::Variable,
            Some(_) => info.provenance,
            None => Provenance::Other,
        };
        // The type that is written says all, the mark included.
        let userland = to.userland;
        // A struct cast to its own type is the struct.
        if types.is_record(to.ty) {
            return Ok(ExprInfo { ty: to.ty, lvalue: false, writable: false, ..info });
        }
        Ok(ExprInfo { userland, provenance, ..ExprInfo::value(to.ty) })
    }

    fn member(&mut self, base: &Expr, arrow: bool, member: &Ident, span: Span) -> Checked {
        let info = self.expr(base)?;
        if let Meaning::Translation(made) = info.meaning {
            return self.translated_member(made, arrow, member, span);
        }
        if self.session.types.is_unknown(info.ty) {
            return Ok(self.unknown());
        }
        let op = if arrow { "->" } else { "." };
        let target = match (arrow, self.session.types.resolve(info.ty)) {
            (false, _) => info.ty,
            (true, Type::Pointer(target)) => *target,
            (true, Type::Tagged(TagKind::Struct | TagKind::Union, _)) => {
                return Err(errors::member_of_non_pointer(span).help("did you mean `.`?"));
            }
            (true, _) => return Err(errors::member_of_non_pointer(span)),
        };
        if !self.session.types.is_record(target) {
            let error = errors::member_of_non_struct(span, op, &self.show(info));
            if let (ExprKind::Name(scope), false) = (&base.kind, arrow)
                && super::decl::is_scope(scope)
            {
                return Err(error.help(format!("variables are `{scope}->{}`", member.name)));
            }
            let pointed = self.session.types.target(info.ty).filter(|_| !arrow);
            return Err(match pointed.is_some_and(|target| self.session.types.is_record(target)) {
                true => error.help("did you mean `->`?"),
                false => error,
            });
        }
        self.session.with_members(target);
        let types = &self.session.types;
        if types.record(target).is_none() {
            return Err(self.session.incomplete_type(span, target));
        }
        let Some(found) = types.member(target, &member.name) else {
            if self.session.is_constant_name(&member.name) {
                return Err(errors::member_no_name(member.span, op));
            }
            let error = errors::no_member(member.span, &member.name, &types.show(target));
            let names = types.member_names(target);
            let task = types.show(target) == "struct task_struct";
            if task && let Some(advice) = elsewhere::of_task_member(&member.name) {
                return Err(error.help(advice));
            }
            return Err(match suggest::nearest(&member.name, names.iter().map(|name| &**name)) {
                Some(near) => error.help(format!("did you mean {near}?")),
                None => error,
            });
        };
        self.session.complete(found.member.ty);
        let ty = found.member.ty;
        let userland = info.userland || found.member.userland;
        let bit_field = found.member.width.is_some();
        let value = ExprInfo { userland, bit_field, lvalue: true, ..ExprInfo::value(ty) };
        let part = match info.meaning {
            Meaning::Variable(id) | Meaning::Element(id) | Meaning::Part(id) if !arrow => Some(id),
            Meaning::PartAddress(id) if arrow => Some(id),
            _ => None,
        };
        if let Some(id) = part {
            let provenance = self.session.names.vars[id.index()].provenance;
            return Ok(ExprInfo { writable: true, provenance, ..value }.meaning(Meaning::Part(id)));
        }
        if !arrow && is_value(info) {
            let part = ExprInfo { userland, bit_field, ..self.part_of_value(info, ty) };
            return Ok(part);
        }
        let provenance = self.behind(info, ty);
        let writable = match arrow {
            true => matches!(info.provenance, Provenance::Scratch | Provenance::Unknown),
            false => info.writable,
        };
        Ok(ExprInfo { writable, provenance, ..value }.meaning(Meaning::Memory))
    }
}

/// Whether a node is an aggregation, with or without keys.
pub(super) fn is_aggregation(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Agg(_) => true,
        ExprKind::Index { base, .. } => is_aggregation(base),
        _ => false,
    }
}

/// Whether a struct or array is neither a variable nor in memory as far as its expression tells.
pub(super) fn is_value(info: ExprInfo) -> bool {
    matches!(info.meaning, Meaning::Operator | Meaning::Param(_) | Meaning::Formula(_) | Meaning::PartOfValue)
}

fn is_action(info: ExprInfo) -> bool {
    matches!(info.meaning, Meaning::Action(_) | Meaning::Sample(_))
}

/// A name that may be a variable, with its scope.
pub(super) fn as_variable(expr: &Expr) -> Option<(Scope, &str)> {
    match &expr.kind {
        ExprKind::Name(name) => Some((Scope::Global, name)),
        ExprKind::SelfVar(name) => Some((Scope::ThreadLocal, name)),
        ExprKind::ThisVar(name) => Some((Scope::ClauseLocal, name)),
        _ => None,
    }
}

/// Whether an expression as written begins with a character constant.
pub(super) fn is_quoted(text: &str) -> bool {
    text.starts_with('\'')
}

/// An operator as messages write it.
pub(super) fn binary_word(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitXor => "^",
        BinaryOp::BitOr => "|",
        BinaryOp::LogAnd => "&&",
        BinaryOp::LogXor => "^^",
        BinaryOp::LogOr => "||",
    }
}
