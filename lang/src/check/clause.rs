//! One clause under one argument signature: statements in order, then the predicate, then what single actions ask
//! (language spec §8.2, §3.7).
//!
//! In: the clause and the argument types of its probe. Out: its [`TypeInfo`]. Which probes it runs on is settled
//! before, in [`super::probes`].

use super::errors;
use super::expr::{Body, is_aggregation};
use super::fold::Early;
use super::formula::Expansion;
use super::info::{Meaning, TypeInfo};
use super::order::{Order, Step};
use super::session::{Session, Signature};
use crate::ast::operands::operands;
use crate::ast::{Clause, Expr, ExprId, ExprKind, Stmt};
use crate::builtins::actions::ActionKind;
use crate::builtins::{Action, AggFn};
use crate::diag::{Diagnostic, Part, Tag};
use crate::env::Stability;
use crate::stability::STABLE;

/// What a statement is.
enum Kind<'a> {
    Action(Action, &'a [Expr]),
    Aggregation(&'a Expr, &'a Expr),
    Expression,
}

fn kind(expr: &Expr) -> Kind<'_> {
    match &expr.kind {
        ExprKind::Call { callee, args } => match &callee.kind {
            ExprKind::Name(name) => match Action::by_name(name) {
                Some(action) => Kind::Action(action, args),
                None => Kind::Expression,
            },
            _ => Kind::Expression,
        },
        ExprKind::Assign { op: None, lhs, rhs } if is_aggregation(lhs) => Kind::Aggregation(lhs, rhs),
        _ => Kind::Expression,
    }
}

/// Whether an expression writes to the traced process: that counts as an action.
pub fn copies_out(info: &TypeInfo, expr: &Expr) -> bool {
    let mut found = match info.get(expr).map(|info| info.meaning) {
        Some(Meaning::Call(func)) => func.destructive(),
        _ => false,
    };
    operands(expr, &mut |child| found |= copies_out(info, child));
    found
}

impl Session<'_> {
    /// Checks a clause. The second value is the least stability of what it names.
    pub(super) fn clause(
        &mut self,
        early: &Early,
        signature: &Signature,
        clause: &Clause,
    ) -> Result<(TypeInfo, Stability), Diagnostic> {
        let mut body = Body {
            session: self,
            early,
            signature,
            info: TypeInfo::new(clause),
            deferred: Vec::new(),
            statement: ExprId(0),
            expansion: Expansion::default(),
            attributes: STABLE,
        };
        let stmts = clause.body.as_deref().unwrap_or(&[]);
        let first = body.stmts(stmts).map_err(|error| error.in_part(Part::ActionList));
        if let Err(error) = first {
            let undefined = matches!(error.tag, Tag::IdentUndef | Tag::VarUndef);
            let Some(predicate) = clause.predicate.as_ref().filter(|_| undefined) else {
                return Err(error);
            };
            // The predicate may create what the body misses.
            body.predicate(predicate)?;
            body.deferred.clear();
            body.stmts(stmts).map_err(|error| error.in_part(Part::ActionList))?;
        }
        if let Some(predicate) = &clause.predicate {
            body.predicate(predicate)?;
            body.no_deferred(predicate)?;
        }
        body.sites(stmts, &mut Order::default())?;
        Ok((body.info, body.attributes))
    }
}

/// Whether an expression has an assignment in it.
fn assigns(expr: &Expr) -> bool {
    let mut found = matches!(expr.kind, ExprKind::Assign { op: None, .. });
    operands(expr, &mut |child| found |= assigns(child));
    found
}

impl Body<'_, '_> {
    fn predicate(&mut self, predicate: &Expr) -> Result<(), Diagnostic> {
        self.statement = predicate.id;
        let info = self.expr(predicate).map_err(|error| {
            let error = error.in_part(Part::Predicate);
            if assigns(predicate) && error.help.is_none() { error.help("did you mean `==`?") } else { error }
        })?;
        match self.is_condition(info) {
            true => Ok(()),
            false => Err(errors::predicate_not_scalar(predicate.span).in_part(Part::Predicate)),
        }
    }

    /// Types of all statements, in source order.
    fn stmts(&mut self, stmts: &[Stmt]) -> Result<(), Diagnostic> {
        for stmt in stmts {
            match stmt {
                Stmt::Empty(_) => {}
                Stmt::Expr(expr) => self.stmt(expr)?,
                Stmt::If { cond, then, otherwise, .. } => {
                    self.statement = cond.id;
                    let info = self.expr(cond)?;
                    if !self.is_condition(info) {
                        return Err(errors::condition_not_scalar(cond.span));
                    }
                    self.stmts(then)?;
                    self.stmts(otherwise)?;
                }
            }
        }
        Ok(())
    }

    fn stmt(&mut self, expr: &Expr) -> Result<(), Diagnostic> {
        self.statement = expr.id;
        match kind(expr) {
            Kind::Action(action, args) => self.action_statement(expr, action, args),
            Kind::Aggregation(lhs, rhs) => self.aggregation_statement(lhs, rhs, expr.span).map(|_| ()),
            Kind::Expression => self.expr(expr).map(|_| ()),
        }
    }

    /// What actions ask of their arguments, in source order.
    fn sites(&mut self, stmts: &[Stmt], order: &mut Order) -> Result<(), Diagnostic> {
        for stmt in stmts {
            match stmt {
                Stmt::Empty(_) => {}
                Stmt::Expr(expr) => self.site(expr, order)?,
                Stmt::If { cond, then, otherwise, .. } => {
                    self.no_deferred(cond)?;
                    let mut other = *order;
                    self.sites(then, order)?;
                    self.sites(otherwise, &mut other)?;
                    *order = order.or(other);
                }
            }
        }
        Ok(())
    }

    fn site(&mut self, expr: &Expr, order: &mut Order) -> Result<(), Diagnostic> {
        order.take(self.order_step(expr), expr.span)?;
        match kind(expr) {
            Kind::Action(action, args) => self.action_site(expr, action, args)?,
            Kind::Aggregation(lhs, rhs) => {
                let agg = self.info.get(lhs).map(|info| info.meaning);
                let function = self.info.get(rhs).map(|info| info.meaning);
                if let (
                    Some(Meaning::Aggregation(agg)),
                    Some(Meaning::Aggregating(function)),
                    ExprKind::Call { args, .. },
                ) = (agg, function, &rhs.kind)
                {
                    let function: AggFn = function;
                    self.aggregation_site(expr, agg, function, args)?;
                }
            }
            Kind::Expression => {
                let info = self.info.get(expr);
                if let Some(Meaning::Aggregation(id)) = info.map(|info| info.meaning) {
                    let name = &self.session.names.aggs[id.index()].name;
                    return Err(errors::null_effect(expr.span, name));
                }
                self.no_deferred(expr)?;
                if info.is_some_and(|info| self.session.types.is_dynamic(info.ty)) {
                    return Err(errors::dynamic_statement(expr.span));
                }
            }
        }
        self.no_deferred(expr)
    }

    /// What a statement is to the rules of order.
    fn order_step(&self, expr: &Expr) -> Step {
        match kind(expr) {
            Kind::Action(Action::Speculate, _) => Step::Speculate,
            Kind::Action(Action::Commit, _) => Step::Commit,
            Kind::Action(action, _) => match action.row().kind {
                ActionKind::Speculation => Step::Free,
                ActionKind::Data | ActionKind::Consumer => {
                    Step::Data { exit: action == Action::Exit, destructive: action.row().destructive }
                }
            },
            Kind::Aggregation(..) => Step::Aggregation,
            Kind::Expression if copies_out(&self.info, expr) => Step::Data { exit: false, destructive: true },
            Kind::Expression => Step::Free,
        }
    }

    /// Reports what was found inside the expressions of a statement.
    pub(super) fn no_deferred(&self, statement: &Expr) -> Result<(), Diagnostic> {
        match self.deferred.iter().find(|deferred| deferred.statement == statement.id) {
            Some(deferred) => Err(deferred.error.clone()),
            None => Ok(()),
        }
    }
}
