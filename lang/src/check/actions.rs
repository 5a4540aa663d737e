//! What single actions and aggregating functions ask of their arguments beyond types (runtime spec §2, §5.2, §7.3,
//! §7.8 to §7.10), once the whole clause has passed the checks of [`super::expr`].
//!
//! In: a statement whose arguments are typed. Out: its [`Site`]. Messages from here carry no part of the clause.

use super::errors;
use super::expr::{Body, is_quoted};
use super::format::{self, Values};
use super::info::{ExprInfo, Meaning, Packet, Printed, Site, SiteDetail};
use super::names::Marked;
use super::printed::shape;
use super::session::kept_as_bytes;
use super::shapes;
use crate::ast::{Expr, ExprKind, UnaryOp};
use crate::builtins::aggs::Shape;
use crate::builtins::{Action, AggFn};
use crate::bytes;
use crate::diag::{Diagnostic, Tag};
use crate::format::{ConversionKind, Format, Piece, Width};
use crate::ir::{AggId, ValueType};
use crate::source::Span;
use crate::types::classes::Operand;
use crate::types::{TagKind, Type, TypeId};

/// Of each value that a format takes, whether it is the bytes of an array.
fn whole_arrays(format: &Format) -> Vec<bool> {
    let mut whole = Vec::new();
    for piece in &format.pieces {
        let Piece::Conversion(conversion) = piece else { continue };
        let stars =
            [conversion.width, conversion.precision].iter().filter(|width| **width == Width::Arg).count();
        whole.extend(std::iter::repeat_n(false, stars));
        whole.push(matches!(conversion.kind, ConversionKind::EscapedArray | ConversionKind::WideStr));
    }
    whole
}

/// The tags of an action that takes aggregations: argument of another kind, and unknown aggregation.
fn aggregation_tags(action: Action) -> (Tag, Tag) {
    match action {
        Action::Clear => (Tag::ClearAggarg, Tag::ClearAggbad),
        Action::Trunc => (Tag::TruncAggarg, Tag::TruncAggbad),
        Action::Normalize | Action::Denormalize => (Tag::NormalizeAggarg, Tag::NormalizeAggbad),
        _ => (Tag::PrintaAggarg, Tag::PrintaAggbad),
    }
}

impl Body<'_, '_> {
    /// Checks the arguments of an action statement and makes its site.
    pub(super) fn action_site(
        &mut self,
        statement: &Expr,
        action: Action,
        args: &[Expr],
    ) -> Result<(), Diagnostic> {
        let span = statement.span;
        let infos: Vec<ExprInfo> = args.iter().filter_map(|arg| self.info.get(arg)).collect();
        let (recorded, detail) = match action {
            Action::Default => (Vec::new(), SiteDetail::None),
            Action::Trace => {
                let Some(&info) = infos.first() else { return Ok(()) };
                let types = &self.session.types;
                if types.is_void(info.ty) {
                    return Err(errors::trace_void(span));
                }
                if types.is_dynamic(info.ty) {
                    return Err(assigned_first(errors::trace_dynamic(span), info));
                }
                (vec![(0, self.recorded_whole(info, args[0].span)?)], SiteDetail::None)
            }
            Action::Exit => {
                // A pointer constant 0 aside, the prototype has made sure of an integer.
                (vec![(0, ValueType::Int { bits: 32, signed: true })], SiteDetail::None)
            }
            // The call itself is what is recorded.
            Action::Stack
            | Action::Ustack
            | Action::Jstack
            | Action::Sym
            | Action::Func
            | Action::Mod
            | Action::Usym
            | Action::Ufunc
            | Action::Umod
            | Action::Uaddr => (Vec::new(), SiteDetail::None),
            Action::Printf => self.formatted("printf", args, &infos, span)?,
            Action::System => self.formatted("system", args, &infos, span)?,
            Action::Freopen => self.freopen(args, &infos, span)?,
            Action::Tracemem => self.tracemem(args, &infos, span)?,
            Action::Print => self.print(args, &infos, span)?,
            Action::Setopt => self.setopt(args, &infos, span)?,
            Action::Ftruncate | Action::Stop => (Vec::new(), SiteDetail::None),
            Action::Raise | Action::Speculate | Action::Commit | Action::Discard => {
                (vec![(0, ValueType::Int { bits: 32, signed: true })], SiteDetail::None)
            }
            Action::Pcap => {
                let packet = self.packet().ok_or_else(|| errors::no_packets(span))?;
                (vec![(1, ValueType::Int { bits: 32, signed: true })], SiteDetail::Packet(packet))
            }
            Action::Chill | Action::Panic | Action::Breakpoint => {
                return Err(errors::not_implemented(span, action.row().name));
            }
            Action::Printa => self.printa(args, &infos, span)?,
            Action::Clear | Action::Trunc | Action::Normalize | Action::Denormalize => {
                let Some(&info) = infos.first() else { return Ok(()) };
                let agg = self.aggregation_argument(action, 1, info, span)?;
                let recorded = match infos.len() {
                    2.. => vec![(1, ValueType::Int { bits: 64, signed: action != Action::Normalize })],
                    _ => Vec::new(),
                };
                (recorded, SiteDetail::Agg(agg))
            }
        };
        self.info.set_site(statement, Site::Action { action, recorded, detail });
        Ok(())
    }

    /// The type that `trace` and `print` record a value with: what is no scalar is its bytes, even if it is an array of
    /// characters. A definition gives the copy of such an array, which is a string.
    fn recorded_whole(&self, info: ExprInfo, span: Span) -> Result<ValueType, Diagnostic> {
        let types = &self.session.types;
        let whole = types.is_record(info.ty) || matches!(types.resolve(info.ty), Type::Array(..));
        let copied = matches!(info.meaning, Meaning::Formula(_) | Meaning::Param(_))
            && self.session.value_type(info.ty).is_some();
        match types.size(info.ty, self.session.limits.strsize) {
            Some(size) if whole && !copied => Ok(ValueType::Bytes(u32::try_from(size).unwrap_or(u32::MAX))),
            _ => self.recorded(info, span),
        }
    }

    /// The type a value is recorded with.
    fn recorded(&self, info: ExprInfo, span: Span) -> Result<ValueType, Diagnostic> {
        if let Type::Float(_, bytes) = *self.session.types.resolve(info.ty) {
            return Ok(ValueType::Float(bytes));
        }
        self.session.value_type(info.ty).ok_or_else(|| {
            if self.session.is_incomplete(info.ty) {
                return self.session.incomplete_type(span, info.ty);
            }
            let what = format!("recording a value of type {}", self.show(info));
            errors::not_supported_yet(span, &what)
        })
    }

    /// An argument that must be an aggregation which has a function by now.
    fn aggregation_argument(
        &self,
        action: Action,
        number: usize,
        info: ExprInfo,
        span: Span,
    ) -> Result<AggId, Diagnostic> {
        let (not_one, unknown) = aggregation_tags(action);
        let Meaning::Aggregation(id) = info.meaning else {
            let name = action.row().name;
            return Err(errors::not_an_aggregation(not_one, span, name, number, &self.show(info)));
        };
        let agg = &self.session.names.aggs[id.index()];
        match agg.function {
            Some(_) => Ok(id),
            None => Err(errors::undefined_aggregation(unknown, span, &agg.name)),
        }
    }

    /// `tracemem(address, size [, limit])`
    fn tracemem(
        &mut self,
        args: &[Expr],
        infos: &[ExprInfo],
        span: Span,
    ) -> Result<(Vec<(usize, ValueType)>, SiteDetail), Diagnostic> {
        let [address, size, ..] = infos else { return Ok((Vec::new(), SiteDetail::None)) };
        let types = &self.session.types;
        if !types.is_integer(address.ty) && types.target(address.ty).is_none() {
            return Err(errors::tracemem_address(span, &self.show(*address)));
        }
        let size = size.constant.filter(|_| self.early.constant(&args[1]).is_some());
        let Some(size) = size.and_then(|size| u32::try_from(size).ok()).filter(|&size| size > 0) else {
            return Err(errors::tracemem_size(span));
        };
        let limit = infos.get(2).map(|limit| Ok((2, self.recorded(*limit, args[2].span)?))).transpose()?;
        Ok((limit.into_iter().collect(), SiteDetail::Memory(size)))
    }

    /// Where the parts of a packet are that `pcap` reads: the members of `struct sk_buff`, the program's own or the
    /// kernel's.
    fn packet(&mut self) -> Option<Packet> {
        let buffer = self.session.types.add(Type::Tagged(TagKind::Struct, "sk_buff".into()));
        self.session.with_members(buffer);
        let types = &self.session.types;
        let member = |name, bytes| {
            let found = types.member(buffer, name)?;
            let whole = found.bit_offset.is_multiple_of(8) && types.size(found.member.ty, 0) == Some(bytes);
            whole.then_some((found.bit_offset / 8) as i64)
        };
        Some(Packet {
            len: member("len", 4)?,
            data_len: member("data_len", 4)?,
            data: member("data", 8)?,
            size: self.session.pcapsize,
        })
    }

    /// `print(pointer)` and `print(value)`
    fn print(
        &mut self,
        args: &[Expr],
        infos: &[ExprInfo],
        span: Span,
    ) -> Result<(Vec<(usize, ValueType)>, SiteDetail), Diagnostic> {
        let (Some(&info), Some(arg)) = (infos.first(), args.first()) else {
            return Ok((Vec::new(), SiteDetail::None));
        };
        let types = &self.session.types;
        if types.is_void(info.ty) {
            return Err(errors::print_void(span));
        }
        if types.is_dynamic(info.ty) {
            return Err(assigned_first(errors::print_dynamic(span), info));
        }
        let strsize = self.session.limits.strsize;
        let Type::Pointer(target) = *types.resolve(info.ty) else {
            self.session.load_types(info.ty);
            let shape = shape(&self.session.types, self.declared(arg).unwrap_or(info.ty), strsize);
            let recorded = self.recorded_whole(info, arg.span)?;
            return Ok((vec![(0, recorded)], SiteDetail::Shape(shape, Printed::Value)));
        };
        self.session.load_types(target);
        let types = &self.session.types;
        let declared = self.declared(arg).and_then(|ty| types.target(ty));
        let shape = shape(types, declared.unwrap_or(target), strsize);
        let bytes = u32::try_from(shape.size).unwrap_or(u32::MAX).min(self.session.printsize);
        if bytes == 0 {
            return Err(errors::print_size(span, &types.declared(target)));
        }
        Ok((Vec::new(), SiteDetail::Shape(shape, Printed::Target(bytes))))
    }

    /// The type that a member of a kernel's struct was declared with, or what it points to, qualifiers kept.
    fn declared(&self, expr: &Expr) -> Option<TypeId> {
        let types = &self.session.types;
        match &expr.kind {
            ExprKind::Member { base, arrow, member } => {
                let base = self.info.get(base)?.ty;
                let record = if *arrow { types.target(base)? } else { base };
                Some(types.member(record, &member.name)?.member.declared)
            }
            ExprKind::Unary { op: UnaryOp::Deref, operand } => types.target(self.declared(operand)?),
            _ => None,
        }
    }

    /// `setopt(name [, value])`
    fn setopt(
        &self,
        args: &[Expr],
        infos: &[ExprInfo],
        span: Span,
    ) -> Result<(Vec<(usize, ValueType)>, SiteDetail), Diagnostic> {
        let mut words = Vec::with_capacity(2);
        for (i, (arg, info)) in args.iter().zip(infos).enumerate() {
            let ExprKind::Str(bytes) = &arg.kind else {
                return Err(errors::not_a_string_constant(span, "setopt", i + 1, &self.show(*info)));
            };
            words.push(bytes::to_text(bytes));
        }
        let mut words = words.into_iter();
        let name = words.next().unwrap_or_default();
        let value = words.next().unwrap_or_else(|| "1".to_owned());
        Ok((Vec::new(), SiteDetail::Option(name, value)))
    }

    /// `freopen(format, …)`; an empty format means the first output stream.
    fn freopen(
        &mut self,
        args: &[Expr],
        infos: &[ExprInfo],
        span: Span,
    ) -> Result<(Vec<(usize, ValueType)>, SiteDetail), Diagnostic> {
        match args {
            [Expr { kind: ExprKind::Str(text), .. }] if text.is_empty() => {
                Ok((Vec::new(), SiteDetail::Format(Format { pieces: Vec::new() })))
            }
            [Expr { kind: ExprKind::Str(text), .. }, ..] if **text == *b"." => Err(errors::freopen_dot(span)),
            _ => self.formatted("freopen", args, infos, span),
        }
    }

    /// `printf` and those that format like it.
    fn formatted(
        &mut self,
        function: &'static str,
        args: &[Expr],
        infos: &[ExprInfo],
        span: Span,
    ) -> Result<(Vec<(usize, ValueType)>, SiteDetail), Diagnostic> {
        let (Some(format), Some(&info)) = (args.first(), infos.first()) else {
            return Ok((Vec::new(), SiteDetail::None));
        };
        let ExprKind::Str(text) = &format.kind else {
            let error = errors::format_not_constant(span, function, &self.show(info));
            let quoted = is_quoted(self.session.sources.text(format.span));
            return Err(if quoted { error.help(errors::DOUBLE_QUOTES) } else { error });
        };
        let parsed = format::parse(text, function, span)?;
        let shown: Vec<_> = infos[1..].iter().map(|info| (info.ty, self.show(*info))).collect();
        // The line that a message names is that of the call.
        let source = &self.session.sources.get(span.source).text;
        let between = |arg: &Expr| source.get(span.start as usize..arg.span.start as usize);
        let same_line = |arg: &Expr| between(arg).is_some_and(|text| !text.contains('\n'));
        let place = |arg: &Expr| if same_line(arg) { arg.span } else { span };
        let spans: Vec<Span> = args[1..].iter().map(place).collect();
        let values = Values {
            function,
            values: &shown,
            spans: &spans,
            first: 2,
            results: &[],
            exact: true,
            target: self.session.has_target(),
        };
        let format = format::resolve(&parsed, &self.session.types, values, span)?;
        let whole = whole_arrays(&format);
        let mut recorded = Vec::with_capacity(shown.len());
        for (i, info) in infos.iter().enumerate().skip(1) {
            let ty = match whole.get(i - 1) {
                Some(true) => self.recorded_whole(*info, args[i].span)?,
                _ => self.recorded(*info, args[i].span)?,
            };
            recorded.push((i, ty));
        }
        Ok((recorded, SiteDetail::Format(format)))
    }

    fn printa(
        &mut self,
        args: &[Expr],
        infos: &[ExprInfo],
        span: Span,
    ) -> Result<(Vec<(usize, ValueType)>, SiteDetail), Diagnostic> {
        let has_format = infos.first().is_some_and(|info| self.session.types.is_string(info.ty));
        let mut text = None;
        if has_format {
            let ExprKind::Str(bytes) = &args[0].kind else {
                return Err(errors::format_not_constant(span, "printa", &self.show(infos[0])));
            };
            text = Some(bytes);
        }
        if infos.len() == usize::from(has_format) {
            return Err(errors::printa_without_aggregation(span));
        }
        let mut aggs: Vec<AggId> = Vec::with_capacity(infos.len());
        for (i, &info) in infos.iter().enumerate().skip(usize::from(has_format)) {
            let agg = self.aggregation_argument(Action::Printa, i + 1, info, span)?;
            if let Some(&first) = aggs.first() {
                self.same_keys(first, agg, span)?;
            }
            aggs.push(agg);
        }
        let format = match text {
            Some(text) => Some(self.printa_format(text, &aggs, span)?),
            None => None,
        };
        Ok((Vec::new(), SiteDetail::Printa(format, aggs)))
    }

    /// Aggregations that are printed together have keys of which each can stand for the other.
    fn same_keys(&self, first: AggId, other: AggId, span: Span) -> Result<(), Diagnostic> {
        let (a, b) = (&self.session.names.aggs[first.index()], &self.session.names.aggs[other.index()]);
        let (keys, others) = (a.keys.as_deref().unwrap_or(&[]), b.keys.as_deref().unwrap_or(&[]));
        if keys.len() != others.len() {
            return Err(errors::printa_key_counts(span, &a.name, keys.len(), &b.name, others.len()));
        }
        let types = &self.session.types;
        for (i, (key, other)) in keys.iter().zip(others).enumerate() {
            let value = |key: &Marked| {
                let whole = types.symbolic(key.ty).is_some() || kept_as_bytes(types, key.ty);
                (!whole).then(|| self.session.value_type(key.ty))
            };
            let to = Operand { ty: key.ty, userland: key.userland, zero: false };
            let from = Operand { ty: other.ty, userland: other.userland, zero: false };
            let alike = matches!((value(key), value(other)), (Some(Some(a)), Some(Some(b))) if a.reg_kind() == b.reg_kind());
            let same = types.same(key.ty, other.ty) || alike && types.assignable(to, from);
            if !same {
                let (key, other) = (key.show(types), other.show(types));
                return Err(errors::printa_key_types(span, (&a.name, &key), (&b.name, &other), i + 1));
            }
        }
        Ok(())
    }

    fn printa_format(&self, text: &[u8], aggs: &[AggId], span: Span) -> Result<Format, Diagnostic> {
        let parsed = format::parse(text, "printa", span)?;
        let types = &self.session.types;
        let names = &self.session.names;
        let keys = aggs.first().and_then(|agg| names.aggs[agg.index()].keys.as_deref()).unwrap_or(&[]);
        let values: Vec<_> = keys.iter().map(|key| (key.ty, key.show(types))).collect();
        let results: Vec<_> = aggs
            .iter()
            .map(|agg| match names.aggs[agg.index()].function {
                Some((AggFn::Count, _)) => types.common().uint64,
                _ => types.common().int64,
            })
            .collect();
        let values = Values {
            function: "printa",
            values: &values,
            spans: &[],
            first: 1,
            results: &results,
            exact: false,
            target: self.session.has_target(),
        };
        format::resolve(&parsed, types, values, span)
    }

    /// Checks the values and constants of `@x[keys] = f(args)` and makes its site.
    pub(super) fn aggregation_site(
        &mut self,
        statement: &Expr,
        agg: AggId,
        function: AggFn,
        args: &[Expr],
    ) -> Result<(), Diagnostic> {
        let span = statement.span;
        let infos: Vec<ExprInfo> = args.iter().filter_map(|arg| self.info.get(arg)).collect();
        let name = function.row().name;
        let is_scalar = |i: usize| infos.get(i).is_none_or(|info| self.session.types.is_scalar(info.ty));
        let value = function.value_argument();
        let strings = matches!(function, AggFn::Distinct | AggFn::Topk)
            && infos.get(value).is_some_and(|info| self.session.types.is_string(info.ty));
        if !strings && !is_scalar(value) {
            let error = errors::aggregated_value_not_scalar(span, name, value + 1);
            let characters = matches!(function, AggFn::Distinct | AggFn::Topk)
                && infos.get(value).is_some_and(|info| self.session.types.is_string_like(info.ty));
            return Err(if characters { error.help("`stringof(…)` makes a string of it") } else { error });
        }
        let shape = match function {
            AggFn::Lquantize => self.lquantize(args, &infos, span)?,
            AggFn::Llquantize => self.llquantize(&infos, span)?,
            AggFn::Percentile => self.percentile(&infos, span)?,
            AggFn::Distinct => Shape::Distinct { strings },
            AggFn::Topk => self.topk(&infos, strings, span)?,
            _ => Shape::Plain,
        };
        let weight = function.row().increment.map(usize::from).filter(|&i| i < infos.len());
        if let Some(i) = weight.filter(|&i| !is_scalar(i)) {
            return Err(errors::increment_not_scalar(span, name, i + 1));
        }
        let known = &mut self.session.names.aggs[agg.index()].shape;
        match known {
            Some(before) => shapes::same(*before, shape, span)?,
            None => *known = Some(shape),
        }
        let value = (!infos.is_empty()).then_some(value);
        self.info.set_site(statement, Site::Aggregation { agg, value, weight });
        Ok(())
    }
}

/// Says that a translation is to be assigned before it is taken whole.
fn assigned_first(error: Diagnostic, info: ExprInfo) -> Diagnostic {
    match info.meaning {
        Meaning::Aggregation(_) => error.help(errors::PRINTA),
        Meaning::Translation(made) if !made.pointer => error.help(errors::ASSIGN_TRANSLATION),
        _ => error,
    }
}
