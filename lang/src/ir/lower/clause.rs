//! One clause: predicate, statements, sites.

use super::Tables;
use super::build::{Builder, Fits, Val};
use super::formula::Frame;
use super::place::MemoryAt;
use super::whole::Wanted;
use crate::ast::{self, Expr, ExprKind, Stmt};
use crate::builtins::{Action, BuiltinVar, Func};
use crate::check::clause::copies_out;
use crate::check::fold::Early;
use crate::check::info::{Packet, Printed};
use crate::check::session::value_type;
use crate::check::{Checked, CheckedClause, ExprInfo, Meaning, Site, SiteDetail};
use crate::diag::Diagnostic;
use crate::ir::{
    ActionSite, AddrSpace, BinOp, BlockId, Clause, ClauseId, CmpOp, Detail, MemSize, Op, Reg, RegKind,
    Terminator, ValueType,
};
use crate::source::Span;
use crate::types::TypeId;

/// A clause being lowered.
pub(super) struct Lower<'a> {
    pub(super) checked: &'a Checked,
    pub(super) frame: Frame<'a>,
    pub(super) tables: &'a mut Tables,
    pub(super) clause: ClauseId,
    pub(super) build: Builder,
    /// Whether scratch memory is user space's: the clause changes it besides filling it by `copyin`, or reads whole
    /// blocks of it, which the kernel part cannot.
    pub(super) changes_scratch: bool,
    /// Whether a whole block of scratch memory has been read so far.
    pub(super) reads_scratch_block: bool,
    /// Statements seen so far.
    stmts: u32,
}

/// Lowers a clause.
pub(super) fn lower<'a>(
    checked: &'a Checked,
    early: &'a Early,
    clause: &'a CheckedClause,
    tree: &ast::Clause,
    id: ClauseId,
    tables: &mut Tables,
) -> Result<Clause, Diagnostic> {
    let marks = (tables.sites.len(), tables.agg_sites.len());
    let mut attempt = |changes_scratch| {
        let frame = Frame { early, info: &clause.info, bindings: Vec::new() };
        let build = Builder::new();
        let mut lower = Lower {
            checked,
            frame,
            tables: &mut *tables,
            clause: id,
            build,
            changes_scratch,
            reads_scratch_block: false,
            stmts: 0,
        };
        lower.whole(tree)?;
        let again = lower.reads_scratch_block && !changes_scratch;
        let done = lower.build.finish();
        if again {
            // The sites are numbered once more; strings and places stay the same.
            tables.sites.truncate(marks.0);
            tables.agg_sites.truncate(marks.1);
        }
        Ok::<_, Diagnostic>((again, done))
    };
    let (again, mut done) = attempt(super::calls::changes_scratch(tree, &clause.info))?;
    if again {
        (_, done) = attempt(true)?;
    }
    let (regs, blocks) = done;
    Ok(Clause { number: clause.number, regs, blocks, span: tree.span })
}

impl Lower<'_> {
    fn whole(&mut self, tree: &ast::Clause) -> Result<(), Diagnostic> {
        let Some(predicate) = &tree.predicate else { return self.body(tree) };
        match self.frame.early.constant(predicate).map(|c| c.value) {
            Some(0) => return Ok(()),
            Some(_) => return self.body(tree),
            None => {}
        }
        let cond = self.condition(predicate)?;
        let entry = self.build.current();
        let then = self.build.begin();
        self.body(tree)?;
        let last = self.build.current();
        let end = self.build.begin();
        self.build.end(last, Terminator::Goto(end));
        self.build.end(entry, Terminator::Branch { cond, then, otherwise: end, merge: end });
        Ok(())
    }

    fn body(&mut self, tree: &ast::Clause) -> Result<(), Diagnostic> {
        let stmts = tree.body.as_deref().unwrap_or(&[]);
        if stmts.iter().all(|stmt| matches!(stmt, Stmt::Empty(_))) {
            self.next_stmt();
            self.record(Action::Default, Vec::new(), Detail::None, Vec::new(), tree.span);
            return Ok(());
        }
        self.stmts(stmts)
    }

    fn next_stmt(&mut self) {
        self.stmts += 1;
        self.build.stmt = self.stmts;
    }

    fn stmts(&mut self, stmts: &[Stmt]) -> Result<(), Diagnostic> {
        for stmt in stmts {
            match stmt {
                Stmt::Empty(_) => {}
                Stmt::Expr(expr) => {
                    self.next_stmt();
                    self.stmt(expr)?;
                }
                Stmt::If { cond, then, otherwise, .. } => {
                    self.next_stmt();
                    self.conditional(cond, then, otherwise)?;
                }
            }
        }
        Ok(())
    }

    fn conditional(&mut self, cond: &Expr, then: &[Stmt], otherwise: &[Stmt]) -> Result<(), Diagnostic> {
        if let Some(c) = self.frame.early.constant(cond) {
            if c.value != 0 {
                self.stmts(then)?;
                self.stmts += count(otherwise);
                return Ok(());
            }
            self.stmts += count(then);
            return self.stmts(otherwise);
        }
        let cond = self.condition(cond)?;
        let before = self.build.current();
        let then_block = self.build.begin();
        self.stmts(then)?;
        let then_end = self.build.current();
        let otherwise_arm = match otherwise.is_empty() {
            true => None,
            false => {
                let block = self.build.begin();
                self.stmts(otherwise)?;
                Some((block, self.build.current()))
            }
        };
        self.merge(before, cond, (then_block, then_end), otherwise_arm);
        Ok(())
    }

    /// Ends a block with a branch to arms given by their first and last blocks, and begins the block where they meet.
    pub(super) fn merge(
        &mut self,
        before: BlockId,
        cond: Reg,
        then: (BlockId, BlockId),
        otherwise: Option<(BlockId, BlockId)>,
    ) {
        let merge = self.build.begin();
        self.build.end(then.1, Terminator::Goto(merge));
        if let Some((_, last)) = otherwise {
            self.build.end(last, Terminator::Goto(merge));
        }
        let otherwise = otherwise.map_or(merge, |(first, _)| first);
        self.build.end(before, Terminator::Branch { cond, then: then.0, otherwise, merge });
    }

    /// The same for a branch whose `then` arm is empty.
    pub(super) fn merge_otherwise(&mut self, before: BlockId, cond: Reg, otherwise: (BlockId, BlockId)) {
        let merge = self.build.begin();
        self.build.end(otherwise.1, Terminator::Goto(merge));
        self.build.end(before, Terminator::Branch { cond, then: merge, otherwise: otherwise.0, merge });
    }

    fn stmt(&mut self, expr: &Expr) -> Result<(), Diagnostic> {
        match self.frame.info.site(expr) {
            Some(Site::Action { action, recorded, detail }) => {
                let ExprKind::Call { args, .. } = &expr.kind else { return Ok(()) };
                if let Meaning::Sample(sample) = self.info_of(expr).meaning {
                    let value = self.value(expr)?.reg;
                    let types = vec![ValueType::Symbolic(sample.kind)];
                    self.record(*action, types, Detail::None, vec![value], expr.span);
                    return Ok(());
                }
                let mut values = Vec::with_capacity(recorded.len());
                let mut types = Vec::with_capacity(recorded.len());
                let mut limited = None;
                if let (Some(bytes), Some(pointer)) = (bytes_behind(detail), args.first()) {
                    // What is behind the first argument is read before the others are looked at.
                    let limit = recorded.first().filter(|_| *action == Action::Tracemem);
                    let limit = limit.map(|(i, ty)| (&args[*i], *ty));
                    let (address, block, limit) = self.behind_argument(pointer, bytes, limit)?;
                    limited = limit;
                    if *action == Action::Print {
                        values.push(address);
                        types.push(ValueType::Pointer);
                    }
                    values.push(block);
                    types.push(ValueType::Bytes(bytes));
                }
                for (i, ty) in recorded {
                    values.push(match limited.take() {
                        Some(limit) => limit,
                        None => self.stored_value(&args[*i], *ty)?,
                    });
                    types.push(*ty);
                }
                if let (SiteDetail::Packet(packet), Some(buffer)) = (detail, args.first()) {
                    let (parts, of_parts) = self.packet(*packet, buffer)?;
                    values.splice(..0, parts);
                    types.splice(..0, of_parts);
                }
                if let Some((number, turn)) = self.turn(*action, &values, expr.span) {
                    values = vec![number, turn];
                }
                if let Some(signal) = self.signal(*action, &values, expr.span) {
                    let dst = self.build.reg(RegKind::Int);
                    self.build.emit(expr.span, Op::Call { dst, func: Func::Signal, args: vec![signal] });
                    (values, types) = (Vec::new(), Vec::new());
                }
                let detail = match detail {
                    SiteDetail::None | SiteDetail::Memory(_) | SiteDetail::Packet(_) => Detail::None,
                    SiteDetail::Option(name, value) => {
                        Detail::Option { name: name.clone(), value: value.clone() }
                    }
                    SiteDetail::Shape(shape, _) => Detail::Shape(shape.clone()),
                    SiteDetail::Format(format) => Detail::Format(format.clone()),
                    SiteDetail::Printa(format, aggs) => {
                        Detail::Printa { format: format.clone(), aggs: aggs.clone() }
                    }
                    SiteDetail::Agg(agg) => Detail::Agg(*agg),
                };
                self.record(*action, types, detail, values, expr.span);
                Ok(())
            }
            Some(Site::Aggregation { agg, value, weight }) => {
                let ExprKind::Assign { lhs, rhs, .. } = &expr.kind else { return Ok(()) };
                let ExprKind::Call { args, .. } = &rhs.kind else { return Ok(()) };
                // Right before left, as in every assignment.
                let shape = self.checked.aggs[agg.index()].shape;
                let value = match value {
                    Some(i) if shape.is_some_and(crate::builtins::aggs::Shape::strings) => {
                        Some(self.stored_value(&args[*i], ValueType::Str)?)
                    }
                    Some(i) => Some(self.own_width(&args[*i])?),
                    None => None,
                };
                let weight = match weight {
                    Some(i) => Some(self.own_width(&args[*i])?),
                    None => None,
                };
                let keys: &[Expr] = match &lhs.kind {
                    ExprKind::Index { keys, .. } => keys,
                    _ => &[],
                };
                let signature = self.checked.aggs[agg.index()].keys.clone().unwrap_or_default();
                let mut regs = Vec::with_capacity(keys.len());
                for (key, slot) in keys.iter().zip(signature) {
                    regs.push(self.key(key, slot)?);
                }
                let site = self.tables.agg_site(*agg, self.clause, expr.span);
                self.build.emit(expr.span, Op::Aggregate { site, keys: regs, value, weight });
                Ok(())
            }
            None => {
                self.effect(expr)?;
                if copies_out(self.frame.info, expr) {
                    // A row without text.
                    self.record(Action::Default, Vec::new(), Detail::None, Vec::new(), expr.span);
                }
                Ok(())
            }
        }
    }

    /// The value of a pointer, and so many bytes of what it points to.
    /// Of scratch memory no more is read than `limit` allows, whose value comes third: `copyin(p, n)` has just the n bytes
    /// that are to be shown.
    fn behind_argument(
        &mut self,
        pointer: &Expr,
        bytes: u32,
        limit: Option<(&Expr, ValueType)>,
    ) -> Result<(Reg, Reg, Option<Reg>), Diagnostic> {
        if self.leads_to_variable(pointer) {
            let address = self.address_of_part(pointer)?.reg;
            return Ok((address, self.whole_behind(pointer, bytes)?, None));
        }
        let space = self.address_space(pointer)?;
        let address = self.value(pointer)?.reg;
        let mut size = self.build.constant(pointer.span, i64::from(bytes)).reg;
        let mut limited = None;
        if let (AddrSpace::Scratch, Some((limit, ty))) = (space, limit) {
            let span = limit.span;
            let limit = self.stored_value(limit, ty)?;
            // The smaller of both; a negative limit is none.
            let fewer = self.compare(CmpOp::LtU, limit, size, span).reg;
            let less = self.arithmetic(BinOp::Sub, limit, size, span).reg;
            let less = self.arithmetic(BinOp::Mul, less, fewer, span).reg;
            size = self.arithmetic(BinOp::Add, size, less, span).reg;
            limited = Some(limit);
        }
        let known = limited.is_none().then_some(i64::from(bytes));
        Ok((address, self.load_block(address, (size, known), space, pointer.span), limited))
    }

    /// What `pcap` records of a packet: its first bytes, how many it has, how many of these are elsewhere, and the time.
    fn packet(&mut self, packet: Packet, buffer: &Expr) -> Result<(Vec<Reg>, Vec<ValueType>), Diagnostic> {
        let span = buffer.span;
        let space = self.address_space(buffer)?;
        let base = self.value(buffer)?.reg;
        let mut load = |offset, size| {
            let addr = self.address(MemoryAt { base: Some(base), offset, space }, span).reg;
            let dst = self.build.reg(RegKind::Int);
            self.build.emit(span, Op::Load { dst, addr, size, signed: false, space });
            dst
        };
        let len = load(packet.len, MemSize::B4);
        let elsewhere = load(packet.data_len, MemSize::B4);
        let data = load(packet.data, MemSize::B8);
        let size = self.build.constant(span, i64::from(packet.size)).reg;
        let bytes = self.block(data, size, space, span);
        let time = self.build.reg(RegKind::Int);
        self.build.emit(span, Op::Builtin { dst: time, var: BuiltinVar::Walltimestamp, index: 0 });
        let count = ValueType::Int { bits: 32, signed: false };
        let types =
            vec![ValueType::Bytes(packet.size), count, count, ValueType::Int { bits: 64, signed: true }];
        Ok((vec![bytes, len, elsewhere, time], types))
    }

    /// The signal that an action sends at the event.
    fn signal(&mut self, action: Action, values: &[Reg], span: Span) -> Option<Reg> {
        match action {
            Action::Raise => values.first().copied(),
            Action::Stop => Some(self.build.constant(span, SIGSTOP).reg),
            _ => None,
        }
    }

    /// The number that an action on a speculation names, and the turn that it is or was in. They are operations apart from
    /// what is done with the records, so that the kernel can have them, and knows whether the clause goes on.
    fn turn(&mut self, action: Action, values: &[Reg], span: Span) -> Option<(Reg, Reg)> {
        let func = match action {
            Action::Speculate => Func::SpecTurn,
            Action::Commit => Func::SpecCommit,
            Action::Discard => Func::SpecDiscard,
            _ => return None,
        };
        let mut number = *values.first()?;
        if func != Func::SpecTurn {
            number = self.emit_call(Func::SpecNumber, vec![number], RegKind::Int, span);
        }
        Some((number, self.emit_call(func, vec![number], RegKind::Int, span)))
    }

    fn record(&mut self, action: Action, args: Vec<ValueType>, detail: Detail, values: Vec<Reg>, span: Span) {
        let (clause, stmt) = (self.clause, self.build.stmt);
        let site = self.tables.site(ActionSite { action, clause, stmt, args, detail, span });
        self.build.emit(span, Op::Record { site, args: values });
    }

    /// An aggregated value, extended from its own type (runtime spec §7.1).
    fn own_width(&mut self, expr: &Expr) -> Result<Reg, Diagnostic> {
        let info = self.info_of(expr);
        let val = self.value(expr)?;
        let (bits, signed) = self.checked.types.width(info.ty);
        Ok(self.build.narrow(expr.span, val, bits, signed).reg)
    }

    /// A value as it is stored in a variable, recorded, or used as a key.
    pub(super) fn stored_value(&mut self, expr: &Expr, ty: ValueType) -> Result<Reg, Diagnostic> {
        self.stored_val(expr, ty).map(|val| val.reg)
    }

    /// A value converted to a type as an assignment does.
    pub(super) fn assigned_val(&mut self, expr: &Expr, ty: TypeId) -> Result<Val, Diagnostic> {
        if self.checked.types.is_bool(ty) {
            let val = self.value(expr)?;
            return Ok(self.truth(val, expr.span));
        }
        self.stored_val(expr, value_type(&self.checked.types, ty).unwrap_or(super::INDEX))
    }

    pub(super) fn stored_val(&mut self, expr: &Expr, ty: ValueType) -> Result<Val, Diagnostic> {
        match ty {
            ValueType::Bytes(bytes) => {
                let block = self.whole_value(expr, Wanted::Bytes(bytes))?;
                Ok(Val::new(block, Fits::ANY))
            }
            ValueType::Float(bytes) => {
                let block = self.whole_value(expr, Wanted::Bytes(u32::from(bytes)))?;
                Ok(Val::new(block, Fits::ANY))
            }
            ValueType::Str => self.string(expr).map(|reg| Val::new(reg, Fits::ANY)),
            ValueType::Pointer | ValueType::Symbolic(_) => self.value(expr),
            ValueType::Int { bits, signed } => {
                let val = self.value(expr)?;
                Ok(self.build.narrow(expr.span, val, bits, signed))
            }
        }
    }

    /// What the checker found out about an expression that is lowered. It has checked all of them, so the default
    /// stands for nothing.
    pub(super) fn info_of(&self, expr: &Expr) -> ExprInfo {
        let default = || ExprInfo::value(self.checked.types.common().int).meaning(Meaning::Operator);
        self.frame.info.get(expr).unwrap_or_else(default)
    }
}

/// `SIGSTOP`, which is 19 on x86-64 and aarch64.
const SIGSTOP: i64 = 19;

/// How many bytes behind its first argument an action records.
fn bytes_behind(detail: &SiteDetail) -> Option<u32> {
    match detail {
        SiteDetail::Memory(bytes) | SiteDetail::Shape(_, Printed::Target(bytes)) => Some(*bytes),
        _ => None,
    }
}

/// How many numbers the statements of an arm take.
fn count(stmts: &[Stmt]) -> u32 {
    stmts
        .iter()
        .map(|stmt| match stmt {
            Stmt::Empty(_) => 0,
            Stmt::Expr(_) => 1,
            Stmt::If { then, otherwise, .. } => 1 + count(then) + count(otherwise),
        })
        .sum()
}
