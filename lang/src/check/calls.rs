//! Calls and aggregation statements: prototypes (language spec §10) and the functions of aggregations (§9).
//!
//! In: a call or `@x[keys] = f(args)`. Out: types, and aggregations given their keys and function. What a single action
//! asks of its arguments beyond their types comes later, in [`super::actions`].

use super::errors::{self, Expected, ProtoKind};
use super::expr::{Body, Checked, Deferred};
use super::info::{ExprInfo, Meaning};
use super::names::Provenance;
use super::session::Session;
use crate::ast::{Expr, ExprKind};
use crate::builtins::funcs::UNIMPLEMENTED;
use crate::builtins::symbolic::{Sample, sampled};
use crate::builtins::{Action, AggFn, Func, Proto, Symbolic};
use crate::diag::Diagnostic;
use crate::ir::AggId;
use crate::source::Span;
use crate::stability;
use crate::types::classes::Operand;
use crate::types::{Type, TypeId};

/// A prototype: fixed parameters, how many must be given, whether more may follow.
#[derive(Clone, Copy)]
struct Prototype<'a> {
    name: &'a str,
    params: &'a [Proto],
    required: usize,
    most: Option<usize>,
}

impl Prototype<'_> {
    fn expected(&self, given: usize) -> Option<Expected> {
        let fits = given >= self.required && self.most.is_none_or(|most| given <= most);
        match self.most {
            _ if fits => None,
            Some(most) if most == self.required => Some(Expected::Exactly(most)),
            Some(most) if given > most => Some(Expected::AtMost(most)),
            _ => Some(Expected::AtLeast(self.required)),
        }
    }
}

const VALUE: &[Proto] = &[Proto::Any];
const LQUANTIZE: &[Proto] = &[Proto::Any, Proto::C("int32_t"), Proto::C("int32_t")];

const LLQUANTIZE: &[Proto] =
    &[Proto::Any, Proto::C("int32_t"), Proto::C("int32_t"), Proto::C("int32_t"), Proto::C("int32_t")];

const TOPK: &[Proto] = &[Proto::C("int32_t"), Proto::Any];

fn aggregating(function: AggFn) -> Prototype<'static> {
    let row = function.row();
    let params = match function {
        AggFn::Count => &[],
        AggFn::Lquantize => LQUANTIZE,
        AggFn::Llquantize => LLQUANTIZE,
        AggFn::Topk => TOPK,
        _ => VALUE,
    };
    let (least, most) = row.args;
    Prototype { name: row.name, params, required: usize::from(least), most: Some(usize::from(most)) }
}

fn action(action: Action) -> Prototype<'static> {
    let row = action.row();
    let most = (!row.variadic).then_some(row.params.len());
    Prototype { name: row.name, params: row.params, required: usize::from(row.required), most }
}

fn subroutine(func: Func) -> Prototype<'static> {
    let row = func.row();
    let (required, most) = (usize::from(row.required), Some(row.params.len()));
    Prototype { name: row.name, params: row.params, required, most }
}

impl Session<'_> {
    /// How many arguments a function needs, and whether that is also how many it takes; `None` for other names.
    pub(super) fn function_arity(&self, name: &str) -> Option<(usize, bool)> {
        let prototype = if let Some(func) = Func::called(name, self.strict) {
            subroutine(func)
        } else if let Some(a) = Action::by_name(name) {
            action(a)
        } else {
            aggregating(AggFn::called(name, self.strict)?)
        };
        Some((prototype.required, prototype.most == Some(prototype.required)))
    }
}

impl Body<'_, '_> {
    /// A call inside an expression.
    pub(super) fn call(&mut self, callee: &Expr, args: &[Expr], span: Span) -> Result<ExprInfo, Diagnostic> {
        let ExprKind::Name(name) = &callee.kind else {
            return Err(errors::callee_not_a_name(callee.span));
        };
        let common = self.session.types.common();
        self.mention("function", name, stability::of_name(name), span)?;
        if let Some(func) = Func::called(name, self.session.strict) {
            self.arguments(subroutine(func), args, span)?;
            match (func, args) {
                (Func::Copyin, [_, size]) => self.check_size(func, "…, ", size, span),
                (Func::Alloca, [size]) => self.check_size(func, "", size, span),
                (Func::DPath | Func::MountPoint | Func::Getf, _) => self.known_places(func, span)?,
                (Func::MutexOwned | Func::MutexOwner, _) => self.known_mutex(span)?,
                (Func::Bcopy, [_, to, _]) => self.check_scratch(func, 2, to, span),
                (Func::Copyinto, [_, _, to]) => self.check_scratch(func, 3, to, span),
                (Func::InetNtoa6, [_, strict]) if self.early.constant(strict).is_none() => {
                    let error = errors::not_an_integer_constant(span, func.row().name, 2);
                    self.deferred.push(Deferred { statement: self.statement, error });
                }
                _ => {}
            }
            let ty = self.proto_type(func.row().result);
            let scratch = matches!(func, Func::Copyin | Func::Alloca);
            let provenance = if scratch { Provenance::Scratch } else { Provenance::Other };
            let info = ExprInfo { provenance, ..ExprInfo::value(ty) };
            return Ok(info.meaning(Meaning::Call(func)));
        }
        if let Some(&(name, why, params)) = UNIMPLEMENTED.iter().find(|row| row.0 == name) {
            let (required, most) = (params.len(), Some(params.len()));
            self.arguments(Prototype { name, params, required, most }, args, span)?;
            return Err(errors::unknown(callee.span, why));
        }
        let (kind, info) = if let Some(found) = Action::by_name(name) {
            if sampled(found).is_some() {
                let info = self.sample(found, args, span, false)?;
                return Ok(info);
            }
            self.arguments(action(found), args, span)?;
            let info = ExprInfo::value(common.void).meaning(Meaning::Action(found));
            ("tracing function", info)
        } else if let Some(function) = AggFn::called(name, self.session.strict) {
            self.arguments(aggregating(function), args, span)?;
            let info = ExprInfo::value(common.dynamic).meaning(Meaning::Aggregating(function));
            ("aggregating function", info)
        } else {
            return Err(errors::undefined_function(callee.span, name));
        };
        let error = errors::call_in_expression(span, kind, name);
        self.deferred.push(Deferred { statement: self.statement, error });
        Ok(info)
    }

    /// A call of an action that takes a stack or an address. `allowed`: it stands where only such a call may.
    pub(super) fn sample(&mut self, action: Action, args: &[Expr], span: Span, allowed: bool) -> Checked {
        let row = action.row();
        let Some((kind, func)) = sampled(action) else {
            return Ok(ExprInfo::value(self.session.types.common().void).meaning(Meaning::Action(action)));
        };
        self.arguments(self::action(action), args, span)?;
        let options = self.session.stacks;
        let (frames, strsize) = match action {
            Action::Stack => (options.stackframes, 0),
            Action::Ustack => (options.ustackframes, 0),
            Action::Jstack => (options.jstackframes, options.jstackstrsize),
            _ => (0, 0),
        };
        let mut sample = Sample { kind, func, frames, strsize };
        let mut error = None;
        if kind == Symbolic::Stack {
            let constant = |body: &Self, i: usize| {
                let given = args.get(i)?;
                Some(body.early.constant(given).and_then(|c| u32::try_from(c.value).ok()))
            };
            match constant(self, 0) {
                None => {}
                Some(Some(frames)) if frames > 0 => sample.frames = frames,
                Some(_) => error = Some(errors::stack_frames(span, row.name, action == Action::Stack)),
            }
            match constant(self, 1) {
                None => {}
                Some(Some(size)) => sample.strsize = size,
                Some(None) => {
                    error.get_or_insert_with(|| errors::stack_strings(span, row.name));
                }
            }
            sample.frames = sample.frames.min(options.maxframes).min(crate::options::MAX_FRAMES);
        }
        if !allowed {
            error = Some(errors::call_in_expression(span, "tracing function", row.name));
        }
        if let Some(error) = error {
            self.deferred.push(Deferred { statement: self.statement, error });
        }
        let ty = self.session.types.add(Type::Symbolic(kind));
        Ok(ExprInfo::value(ty).meaning(Meaning::Sample(sample)))
    }

    /// An expression that may be a call of an action which takes a stack or an address.
    pub(super) fn sample_or_expr(&mut self, expr: &Expr, stacks_only: bool) -> Checked {
        if let ExprKind::Call { callee, args } = &expr.kind
            && let ExprKind::Name(name) = &callee.kind
            && let Some(action) = Action::by_name(name)
            && let Some((kind, _)) = sampled(action)
        {
            let allowed = !stacks_only || kind == Symbolic::Stack;
            let info = self.sample(action, args, expr.span, allowed)?;
            self.info.set(expr, info);
            return Ok(info);
        }
        self.expr(expr)
    }

    /// A constant size of scratch memory must be available. `before`: the arguments before it, as the message shows them.
    fn check_size(&mut self, func: Func, before: &str, size: &Expr, span: Span) {
        let limit = self.session.limits.scratchsize;
        let size = self.early.constant(size).map(|c| c.value as u64);
        if let Some(size) = size.filter(|&size| size > u64::from(limit)) {
            let call = format!("{}({before}{size})", func.row().name);
            let error = errors::scratch_size(span, &call, size, limit);
            self.deferred.push(Deferred { statement: self.statement, error });
        }
    }

    /// Where a mutex says who holds it must be known.
    fn known_mutex(&mut self, span: Span) -> Result<(), Diagnostic> {
        let mutex = self.session.spelt("struct mutex");
        self.session.load_types(mutex);
        match self.session.types.member(mutex, "owner") {
            Some(_) => Ok(()),
            None => Err(self.session.incomplete_type(span, mutex)),
        }
    }

    /// A subroutine that looks into the kernel's structures needs to know where their members lie.
    fn known_places(&mut self, func: Func, span: Span) -> Result<(), Diagnostic> {
        let name = func.row().name;
        let kernel = self.session.env.kernel_types();
        let kernel = kernel.map_err(|why| errors::needs_kernel_types(span, name, &why))?;
        let found = self.session.kernel.find(kernel, func);
        found.map_err(|missing| {
            errors::needs_kernel_types(span, name, &format!("this kernel has no {missing}"))
        })
    }

    /// What is copied to must be scratch memory.
    fn check_scratch(&mut self, func: Func, number: usize, to: &Expr, span: Span) {
        let provenance = self.info.get(to).map(|info| info.provenance);
        if !matches!(provenance, Some(Provenance::Scratch | Provenance::Unknown)) {
            let error = errors::not_scratch(span, func.row().name, number);
            self.deferred.push(Deferred { statement: self.statement, error });
        }
    }

    /// A call of an action as a statement.
    pub(super) fn action_statement(
        &mut self,
        statement: &Expr,
        found: Action,
        args: &[Expr],
    ) -> Result<(), Diagnostic> {
        let name = found.row().name;
        self.mention("tracing function", name, stability::of_name(name), statement.span)?;
        if sampled(found).is_some() {
            let info = self.sample(found, args, statement.span, true)?;
            self.info.set(statement, info);
            return Ok(());
        }
        self.arguments(action(found), args, statement.span)?;
        let void = self.session.types.common().void;
        self.info.set(statement, ExprInfo::value(void).meaning(Meaning::Action(found)));
        Ok(())
    }

    fn proto_type(&mut self, proto: Proto) -> TypeId {
        match proto {
            Proto::C(spelling) | Proto::Bytes(spelling, _) => self.session.spelt(spelling),
            Proto::String | Proto::StringConstant => self.session.types.common().string,
            Proto::Any | Proto::Aggregation => self.session.types.common().dynamic,
        }
    }

    /// Checks the arguments of a call, then their number, then their types.
    fn arguments(&mut self, prototype: Prototype<'_>, args: &[Expr], span: Span) -> Result<(), Diagnostic> {
        let mut infos = Vec::with_capacity(args.len());
        for (i, arg) in args.iter().enumerate() {
            let proto = prototype.params.get(i).copied();
            let text = proto.is_some_and(Proto::is_text);
            let values = matches!(prototype.name, "trace" | "print" | "printf");
            let info = self.expr(arg);
            infos.push(info.map_err(|error| match &arg.kind {
                _ if text => self.session.unquoted(error, arg),
                // Were it known, it would not be for these.
                ExprKind::Agg(_) if values && error.help.is_none() => error.help(errors::PRINTA),
                _ => error,
            })?);
        }
        if let Some(expected) = prototype.expected(args.len()) {
            let kind = ProtoKind::Call;
            return Err(errors::prototype_length(span, prototype.name, kind, args.len(), expected));
        }
        for (i, (&proto, &info)) in prototype.params.iter().zip(&infos).enumerate() {
            // Any value is one that is no constant string, which is told of the call's site.
            let of_site = proto == Proto::StringConstant && matches!(prototype.name, "system" | "freopen");
            if matches!(proto, Proto::Any | Proto::Aggregation) || of_site {
                continue;
            }
            let ty = self.proto_type(proto);
            // A parameter takes pointers into either memory.
            let to = Operand { ty, userland: info.userland, zero: false };
            // The bytes of a string can be copied, though it has no address.
            let text = prototype.name == Func::Bcopy.row().name && i == 0 && self.is_string(info);
            if !text && !self.session.types.assignable(to, Self::operand(info)) {
                let shown = self.session.types.show(ty);
                let argument = self.show(info);
                let error = errors::argument_type(span, prototype.name, i + 1, &shown, &argument);
                let help = self.about_argument(proto, ty, args.get(i), info);
                return Err(Diagnostic { help, ..error });
            }
        }
        Ok(())
    }

    // Aggregations.

    /// `@x[keys]`: makes the aggregation known, with the keys of its first use.
    pub(super) fn aggregation_with_keys(
        &mut self,
        name: &str,
        keys: &[Expr],
        span: Span,
    ) -> Result<AggId, Diagnostic> {
        let Some(id) = self.session.names.add_agg(name) else {
            return Err(errors::too_many_variables(span, &format!("@{name}")));
        };
        self.note_triple(stability::STABLE, span, || format!("aggregation @{name}"))?;
        let infos = keys.iter().map(|key| self.sample_or_expr(key, false)).collect::<Result<Vec<_>, _>>()?;
        match self.session.names.aggs[id.index()].keys.clone() {
            Some(signature) => {
                self.check_keys(&signature, &format!("@{name}"), &infos, span)?;
                self.check_kept_keys(&signature, &infos, span)?;
            }
            None => {
                let signature = self.new_signature(keys, &infos, "aggregation")?;
                self.session.names.aggs[id.index()].keys = Some(signature);
            }
        }
        Ok(id)
    }

    /// `@x[keys] = f(args)`: the aggregation, its keys, then the function.
    pub(super) fn aggregation_statement(
        &mut self,
        lhs: &Expr,
        rhs: &Expr,
        span: Span,
    ) -> Result<AggFn, Diagnostic> {
        let (name, keys): (&str, &[Expr]) = match &lhs.kind {
            ExprKind::Agg(name) => (name, &[]),
            ExprKind::Index { base, keys } => match &base.kind {
                ExprKind::Agg(name) => (name, keys),
                _ => {
                    self.expr(lhs)?;
                    return Err(errors::not_lvalue(span, "="));
                }
            },
            _ => return Err(errors::not_lvalue(span, "=")),
        };
        let id = self.aggregation_with_keys(name, keys, lhs.span)?;
        let aggregation = self.session.types.common().aggregation;
        self.info.set(lhs, ExprInfo::value(aggregation).meaning(Meaning::Aggregation(id)));
        let function = match &rhs.kind {
            ExprKind::Call { callee, args } => match &callee.kind {
                ExprKind::Name(called) => {
                    AggFn::called(called, self.session.strict).map(|function| (function, args))
                }
                _ => None,
            },
            _ => None,
        };
        let Some((function, args)) = function else {
            self.expr(rhs)?;
            return Err(errors::not_aggregating(span, name));
        };
        self.arguments(aggregating(function), args, rhs.span)?;
        let dynamic = self.session.types.common().dynamic;
        self.info.set(rhs, ExprInfo::value(dynamic).meaning(Meaning::Aggregating(function)));
        match self.session.names.aggs[id.index()].function {
            Some((previous, at)) if previous != function => {
                let line = self.session.line_of(at);
                let (current, previous) = (function.row().name, previous.row().name);
                return Err(errors::aggregation_redefined(span, name, current, previous, line)
                    .label(at, "first given a function here"));
            }
            Some(_) => {}
            None => self.session.names.aggs[id.index()].function = Some((function, span)),
        }
        Ok(function)
    }
}
