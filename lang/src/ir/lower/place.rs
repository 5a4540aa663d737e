//! Places: what a variable, an element, a member or a dereference names, how it is read and how it is assigned to
//! (language spec §6.1, §6.7). Parts of variables are [`super::storage`].

use super::build::{Fits, Val};
use super::clause::Lower;
use super::expr::not_yet;
use crate::ast::{BinaryOp, Expr, ExprKind};
use crate::builtins::{BuiltinVar, Func};
use crate::check::fold::is_signed;
use crate::check::{ExprInfo, Meaning, session::value_type};
use crate::diag::Diagnostic;
use crate::env::PerCpu;
use crate::ir::{AddrSpace, BinOp, BlockPiece, CmpOp, MemSize, Op, Reg, RegKind, VarId};
use crate::source::Span;
use crate::types::parts::has_parts;
use crate::types::{Type, TypeId};

/// A place with its keys or address evaluated: it can be read and written without evaluating them again.
#[derive(Clone)]
pub(super) enum Place {
    Variable(VarId),
    Element(VarId, Vec<Reg>),
    /// The one of several variables that a computed number names; none if the number is beyond them.
    Select(Vec<VarId>, Reg),
    Memory {
        at: MemoryAt,
        size: MemSize,
        signed: bool,
    },
    /// A string in a global array, which is kept as an associative one: it is empty where nothing was stored.
    Filled(Box<Place>),
    /// A `string` behind a pointer, of at most so many bytes.
    Text {
        at: MemoryAt,
        limit: u32,
    },
    /// A bit-field that is kept alone: all of a place, cut to its width.
    Cut {
        whole: Box<Place>,
        bits: u8,
        signed: bool,
    },
    /// Bits within a larger integer.
    Field {
        unit: Box<Place>,
        shift: Shift,
        bits: u8,
        signed: bool,
    },
    /// An integer in a union, of which each stretch lies in another word.
    Spread {
        stretches: Vec<Stretch>,
        bits: u8,
        signed: bool,
    },
    /// A string in a union, and all its room of so many bytes.
    Room {
        stretches: Vec<Stretch>,
        size: u32,
    },
}

/// Some bits of what lies in a union.
#[derive(Clone)]
pub(super) struct Stretch {
    pub(super) place: Place,
    /// How many bits of the whole are before them.
    pub(super) from: u32,
    pub(super) bits: u8,
}

/// How many bits below a field are not its own.
#[derive(Clone, Copy)]
pub(super) enum Shift {
    By(u8),
    Computed(Reg),
}

/// A place in memory: an address and a constant distance from it.
#[derive(Clone, Copy)]
pub(super) struct MemoryAt {
    /// `None`: `offset` is the whole address.
    pub(super) base: Option<Reg>,
    pub(super) offset: i64,
    pub(super) space: AddrSpace,
}

/// A bit-field in memory that starts so many bits behind a place: the unit of its type if it lies in one, else the bytes
/// that it touches.
pub(super) fn field(at: &MemoryAt, bit_offset: u64, width: u8, signed: bool) -> Place {
    let within = |unit: u64| bit_offset % unit + u64::from(width) <= unit;
    let (start, size) = match () {
        () if within(8) => (bit_offset / 8, MemSize::B1),
        () if within(16) => (bit_offset / 16 * 2, MemSize::B2),
        () if within(32) => (bit_offset / 32 * 4, MemSize::B4),
        () if within(64) => (bit_offset / 64 * 8, MemSize::B8),
        () => (bit_offset / 8, MemSize::B8),
    };
    let unit = MemoryAt { offset: at.offset.wrapping_add(start as i64), ..*at };
    Place::Field {
        unit: Box::new(Place::Memory { at: unit, size, signed: false }),
        shift: Shift::By((bit_offset - start * 8) as u8),
        bits: width,
        signed,
    }
}

/// The number whose low bits are set, as many as a field has; all of them from 64 on.
fn low_bits(bits: u8) -> i64 {
    if bits >= 64 { -1 } else { (1u64 << bits).wrapping_sub(1) as i64 }
}

impl Lower<'_> {
    /// Evaluates what a place depends on.
    pub(super) fn place(&mut self, expr: &Expr) -> Result<Place, Diagnostic> {
        let info = self.info_of(expr);
        match info.meaning {
            Meaning::Variable(_) | Meaning::Element(_) | Meaning::Part(_) => {
                let at = self.var_at(expr)?;
                let place = self.scalar_place(&at, expr.span)?;
                place.ok_or_else(|| self.no_scalar(info.ty, expr.span))
            }
            Meaning::PartOfValue => self.place_of_value(expr),
            _ => self.memory_place(expr, info),
        }
    }

    pub(super) fn no_scalar(&self, ty: TypeId, span: Span) -> Diagnostic {
        not_yet(span, &format!("values of type {}", self.checked.types.show(ty)))
    }

    /// What lies in memory.
    fn memory_place(&mut self, expr: &Expr, info: ExprInfo) -> Result<Place, Diagnostic> {
        let (at, bit_field) = self.memory_field(expr)?;
        if let Some((bit_offset, width)) = bit_field {
            let signed = self.checked.types.width(info.ty).1;
            return Ok(field(&at, bit_offset, width, signed));
        }
        self.scalar_in_memory(at, info.ty, expr.span)
    }

    /// A scalar or string at a place in memory.
    pub(super) fn scalar_in_memory(&self, at: MemoryAt, ty: TypeId, span: Span) -> Result<Place, Diagnostic> {
        if self.checked.types.is_string(ty) {
            return Ok(Place::Text { at, limit: self.checked.limits.strsize });
        }
        let (size, signed) = self.memory(ty).ok_or_else(|| self.no_scalar(ty, span))?;
        Ok(Place::Memory { at, size, signed })
    }

    /// Where something lies in memory.
    pub(super) fn memory_at(&mut self, expr: &Expr) -> Result<MemoryAt, Diagnostic> {
        self.memory_field(expr).map(|(at, _)| at)
    }

    /// Where something lies in memory. For a bit-field that is its struct, with the bits to it and its width.
    #[allow(clippy::type_complexity, reason = "a place and perhaps a field in it")]
    fn memory_field(&mut self, expr: &Expr) -> Result<(MemoryAt, Option<(u64, u8)>), Diagnostic> {
        let plain = |at| Ok((at, None));
        if let Meaning::Symbol(address, per_cpu) = self.info_of(expr).meaning {
            if let Some(way) = per_cpu {
                return plain(self.of_this_cpu(way, expr.span));
            }
            return plain(MemoryAt { base: None, offset: address as i64, space: AddrSpace::ByAddress });
        }
        match &expr.kind {
            ExprKind::Member { base, arrow, member } => {
                let info = self.info_of(base);
                let (at, record) = match arrow {
                    true => (self.behind(base)?, self.points_to(info).unwrap_or(info.ty)),
                    false => (self.memory_at(base)?, info.ty),
                };
                let found = self.checked.types.member(record, &member.name);
                let found = found.ok_or_else(|| not_yet(expr.span, "such members"))?;
                match found.member.width {
                    Some(width) => Ok((at, Some((found.bit_offset, width)))),
                    None => plain(at.plus((found.bit_offset / 8) as i64)),
                }
            }
            ExprKind::Index { base, keys } => {
                let Some(key) = keys.first() else { return Err(not_yet(expr.span, "such elements")) };
                // `n[p]` is `p[n]`.
                let swapped = self.points_to(self.info_of(base)).is_none();
                let (pointer, count) = if swapped { (key, &**base) } else { (&**base, key) };
                self.element_in_memory(pointer, count, swapped).and_then(plain)
            }
            ExprKind::Unary { operand, .. } => {
                // `*(a + n)` is `a[n]`.
                if let ExprKind::Binary { op: BinaryOp::Add, lhs, rhs } = &operand.kind {
                    if self.lies_in_memory(self.info_of(lhs)) {
                        return self.element_in_memory(lhs, rhs, false).and_then(plain);
                    }
                    if self.lies_in_memory(self.info_of(rhs)) {
                        return self.element_in_memory(rhs, lhs, true).and_then(plain);
                    }
                }
                self.behind(operand).and_then(plain)
            }
            ExprKind::Cast { operand, .. } => self.memory_at(operand).and_then(plain),
            ExprKind::Name(_) if let Meaning::Param(index) = self.info_of(expr).meaning => {
                plain(self.param_at(index, expr))
            }
            _ => Err(not_yet(expr.span, "such places in memory")),
        }
    }

    /// Where the current CPU's own variable is.
    fn of_this_cpu(&mut self, way: PerCpu, span: Span) -> MemoryAt {
        let space = AddrSpace::ByAddress;
        let mut base = self.build.reg(RegKind::Int);
        self.build.emit(span, Op::Builtin { dst: base, var: BuiltinVar::Curthread, index: 0 });
        for hop in way.hops {
            let addr = self.address(MemoryAt { base: Some(base), offset: i64::from(hop), space }, span).reg;
            base = self.build.reg(RegKind::Int);
            self.build.emit(span, Op::Load { dst: base, addr, size: MemSize::B8, signed: false, space });
        }
        MemoryAt { base: Some(base), offset: way.offset, space }
    }

    /// What a pointer points to, or where an array starts.
    fn behind(&mut self, pointer: &Expr) -> Result<MemoryAt, Diagnostic> {
        let info = self.info_of(pointer);
        if self.lies_in_memory(info) {
            return self.memory_at(pointer);
        }
        let space = self.space(pointer, info)?;
        let base = self.value(pointer)?.reg;
        Ok(MemoryAt { base: Some(base), offset: 0, space })
    }

    /// Whether an expression is an array in memory, whose value is where it lies.
    pub(super) fn lies_in_memory(&self, info: ExprInfo) -> bool {
        matches!(info.meaning, Meaning::Memory | Meaning::Symbol(..))
            && matches!(self.checked.types.resolve(info.ty), Type::Array(..))
    }

    fn element_in_memory(
        &mut self,
        pointer: &Expr,
        count: &Expr,
        swapped: bool,
    ) -> Result<MemoryAt, Diagnostic> {
        let info = self.info_of(pointer);
        let size = self.element_size(info);
        let is_array = matches!(self.checked.types.resolve(info.ty), Type::Array(..));
        if let Some(c) = self.frame.early.constant(count) {
            return Ok(self.behind(pointer)?.plus(c.value.wrapping_mul(size)));
        }
        let steps = |lower: &mut Self| match is_array {
            true => lower.checked_index(pointer, count),
            false => lower.value(count),
        };
        let (at, index) = if swapped {
            let index = steps(self)?;
            (self.behind(pointer)?, index)
        } else {
            let at = self.behind(pointer)?;
            (at, steps(self)?)
        };
        Ok(self.steps_behind(at, index, size, count.span))
    }

    /// So many steps of a size behind a place.
    pub(super) fn steps_behind(&mut self, at: MemoryAt, steps: Val, size: i64, span: Span) -> MemoryAt {
        if let Some(steps) = steps.constant {
            return at.plus(steps.wrapping_mul(size));
        }
        let bytes = match size {
            1 => steps,
            _ => {
                let size = self.build.constant(span, size);
                self.arithmetic(BinOp::Mul, steps.reg, size.reg, span)
            }
        };
        let base = match at.base {
            Some(base) => self.arithmetic(BinOp::Add, base, bytes.reg, span).reg,
            None => bytes.reg,
        };
        MemoryAt { base: Some(base), ..at }
    }

    /// `&` of what lies in memory.
    pub(super) fn address_of(&mut self, operand: &Expr) -> Result<Val, Diagnostic> {
        let at = self.memory_at(operand)?;
        Ok(self.address(at, operand.span))
    }

    /// A place's address in a register.
    pub(super) fn address(&mut self, at: MemoryAt, span: Span) -> Val {
        match at.base {
            None => self.build.constant(span, at.offset),
            Some(base) if at.offset == 0 => Val::new(base, Fits::ANY),
            Some(base) => {
                let offset = self.build.constant(span, at.offset);
                self.arithmetic(BinOp::Add, base, offset.reg, span)
            }
        }
    }

    /// Reads a place.
    pub(super) fn read(&mut self, place: &Place, info: ExprInfo, span: Span) -> Result<Val, Diagnostic> {
        let info = self.place_type(place, info);
        let kind = match value_type(&self.checked.types, info.ty) {
            Some(ty) => ty.reg_kind(),
            None => {
                let what = format!("values of type {}", self.checked.types.show(info.ty));
                return Err(not_yet(span, &what));
            }
        };
        Ok(self.read_kind(place, kind, self.fits(info.ty), span))
    }

    /// The type of what a place holds: an inline may give a variable another.
    fn place_type(&self, place: &Place, info: ExprInfo) -> ExprInfo {
        let Place::Variable(id) = place else { return info };
        let ty = self.checked.vars.get(id.index()).and_then(|var| var.ty).map(|ty| ty.ty);
        match ty.filter(|&ty| !has_parts(&self.checked.types, ty)) {
            Some(ty) => ExprInfo { ty, ..info },
            None => info,
        }
    }

    /// Reads a place into a register of a kind.
    pub(super) fn read_kind(&mut self, place: &Place, kind: RegKind, fits: Fits, span: Span) -> Val {
        let op = match place {
            Place::Cut { whole, bits, signed } => {
                let val = self.read_kind(whole, kind, fits, span);
                return Val::new(val.reg, Fits { bits: *bits, signed: *signed });
            }
            Place::Field { unit, shift, bits, signed } => {
                let unit = self.read_kind(unit, RegKind::Int, Fits::ANY, span);
                return self.take_field(unit, *shift, *bits, *signed, span);
            }
            Place::Spread { stretches, bits, signed } => {
                return self.read_spread(stretches, *bits, *signed, span);
            }
            Place::Room { stretches, size } => {
                let pieces = self.block_pieces(stretches, span);
                let dst = self.build.reg(kind);
                Op::Assemble { dst, size: *size, pieces, text: true }
            }
            Place::Memory { at, size, signed } => {
                return Val::new(self.load(*at, *size, *signed, span), fits);
            }
            Place::Text { at, limit } => {
                let addr = self.address(*at, span).reg;
                return Val::new(self.load_text(addr, *limit, at.space, span), fits);
            }
            Place::Select(vars, index) => return self.read_selected(vars, *index, kind, fits, span),
            Place::Filled(element) => return self.read_filled(element, span),
            Place::Variable(var) => Op::GetVar { dst: self.build.reg(kind), var: *var },
            Place::Element(var, keys) => {
                Op::GetElem { dst: self.build.reg(kind), var: *var, keys: keys.clone() }
            }
        };
        // Each of these ops writes a register.
        let dst = op.dst().unwrap_or(Reg(0));
        self.build.emit(span, op);
        Val::new(dst, fits)
    }

    fn read_filled(&mut self, element: &Place, span: Span) -> Val {
        let stored = self.read_kind(element, RegKind::Str, Fits::ANY, span).reg;
        self.filled(stored, span)
    }

    /// A string that may be NULL, which is empty then.
    fn filled(&mut self, stored: Reg, span: Span) -> Val {
        let null = self.build.reg(RegKind::Str);
        self.build.emit(span, Op::Null { dst: null });
        let cond = self.build.reg(RegKind::Int);
        self.build.emit(span, Op::StrCompare { op: CmpOp::Eq, dst: cond, lhs: stored, rhs: null });
        let dst = self.build.reg(RegKind::Str);
        self.build.emit(span, Op::Move { dst, src: stored });
        let before = self.build.current();
        let first = self.build.begin();
        let value = self.tables.string(b"");
        self.build.emit(span, Op::Str { dst, value });
        let last = self.build.current();
        self.merge(before, cond, (first, last), None);
        Val::new(dst, Fits::ANY)
    }

    fn read_spread(&mut self, stretches: &[Stretch], bits: u8, signed: bool, span: Span) -> Val {
        let mut whole: Option<Val> = None;
        for stretch in stretches {
            let mut val = self.read_kind(&stretch.place, RegKind::Int, Fits::ANY, span);
            if stretch.from > 0 {
                let by = self.build.constant(span, i64::from(stretch.from));
                val = self.arithmetic(BinOp::Shl, val.reg, by.reg, span);
            }
            whole = Some(match whole {
                None => val,
                Some(whole) => self.arithmetic(BinOp::Or, whole.reg, val.reg, span),
            });
        }
        let whole = whole.map_or(Val::new(Reg(0), Fits::ANY), |whole| Val::new(whole.reg, Fits::ANY));
        self.cut(whole, bits, signed, span)
    }

    /// The values of stretches, to be put together.
    pub(super) fn block_pieces(&mut self, stretches: &[Stretch], span: Span) -> Vec<BlockPiece> {
        let piece = |stretch: &Stretch| {
            let src = self.read_kind(&stretch.place, RegKind::Int, Fits::ANY, span).reg;
            BlockPiece { src, string: false, bit: stretch.from, bits: u32::from(stretch.bits) }
        };
        stretches.iter().map(piece).collect()
    }

    /// Puts a string and zeros behind it into its room in a union.
    fn put_text(&mut self, stretches: &[Stretch], text: Reg, span: Span) {
        for stretch in stretches {
            let index = self.build.constant(span, i64::from(stretch.from / 8)).reg;
            let word = self.emit_call(Func::StrWord, vec![text, index], RegKind::Int, span);
            self.write(&stretch.place, Val::new(word, Fits::ANY), span);
        }
    }

    fn read_selected(&mut self, vars: &[VarId], index: Reg, kind: RegKind, fits: Fits, span: Span) -> Val {
        let dst = self.build.reg(kind);
        self.build.emit(
            span,
            match kind {
                RegKind::Int => Op::Const { dst, value: 0 },
                RegKind::Str => Op::Null { dst },
            },
        );
        for (number, &var) in vars.iter().enumerate() {
            self.if_equal(index, number as i64, span, |lower| {
                lower.build.emit(span, Op::GetVar { dst, var });
            });
        }
        Val::new(dst, fits)
    }

    fn write_selected(&mut self, vars: &[VarId], index: Reg, val: Val, span: Span) {
        for (number, &var) in vars.iter().enumerate() {
            let op = Op::SetVar { var, src: val.reg };
            self.if_equal(index, number as i64, span, |lower| {
                lower.build.emit(span, op);
            });
        }
    }

    fn if_equal(&mut self, index: Reg, number: i64, span: Span, arm: impl FnOnce(&mut Self)) {
        let number = self.build.constant(span, number);
        let cond = self.build.reg(RegKind::Int);
        self.build.emit(span, Op::Compare { op: CmpOp::Eq, dst: cond, lhs: index, rhs: number.reg });
        let before = self.build.current();
        let first = self.build.begin();
        arm(self);
        let last = self.build.current();
        self.merge(before, cond, (first, last), None);
    }

    /// The bits of a field, extended.
    fn take_field(&mut self, unit: Val, shift: Shift, bits: u8, signed: bool, span: Span) -> Val {
        let fits = Fits { bits, signed };
        let low = match shift {
            Shift::By(0) => unit,
            Shift::By(by) => {
                let by = self.build.constant(span, i64::from(by));
                self.arithmetic(BinOp::ShrU, unit.reg, by.reg, span)
            }
            Shift::Computed(by) => self.arithmetic(BinOp::ShrU, unit.reg, by, span),
        };
        let val = self.cut(Val::new(low.reg, Fits::ANY), bits, signed, span);
        Val::new(val.reg, fits)
    }

    /// Cuts a value to any width.
    pub(super) fn cut(&mut self, val: Val, bits: u8, signed: bool, span: Span) -> Val {
        if matches!(bits, 8 | 16 | 32) || bits >= 64 {
            return self.build.narrow(span, val, bits, signed);
        }
        if val.fits.within(bits, signed) {
            return val;
        }
        let fits = Fits { bits, signed };
        if !signed {
            let mask = self.build.constant(span, low_bits(bits));
            return Val::new(self.arithmetic(BinOp::And, val.reg, mask.reg, span).reg, fits);
        }
        let by = self.build.constant(span, i64::from(64 - bits));
        let high = self.arithmetic(BinOp::Shl, val.reg, by.reg, span);
        Val::new(self.arithmetic(BinOp::ShrS, high.reg, by.reg, span).reg, fits)
    }

    /// Stores a value, which fits the place.
    pub(super) fn write(&mut self, place: &Place, val: Val, span: Span) {
        let src = val.reg;
        let op = match place {
            Place::Variable(var) => Op::SetVar { var: *var, src },
            Place::Element(var, keys) => Op::SetElem { var: *var, keys: keys.clone(), src },
            Place::Memory { at, size, .. } => {
                let addr = self.address(*at, span).reg;
                Op::Store { addr, src, size: *size }
            }
            Place::Cut { whole, .. } => return self.write(whole, val, span),
            Place::Filled(element) => return self.write(element, val, span),
            Place::Select(vars, index) => return self.write_selected(vars, *index, val, span),
            Place::Field { unit, shift, bits, .. } => return self.put_field(unit, *shift, *bits, val, span),
            Place::Spread { stretches, .. } => {
                for stretch in stretches {
                    let by = self.build.constant(span, i64::from(stretch.from));
                    let bits = self.arithmetic(BinOp::ShrU, src, by.reg, span);
                    self.write(&stretch.place, bits, span);
                }
                return;
            }
            Place::Room { stretches, .. } => return self.put_text(stretches, src, span),
            // All the room of the string is written, as it lies in memory.
            Place::Text { at, limit } => {
                let text = self.filled(src, span).reg;
                let addr = self.address(*at, span).reg;
                let size = self.build.constant(span, i64::from(*limit)).reg;
                self.emit_call(Func::Fill, vec![text, addr, size], RegKind::Int, span);
                return;
            }
        };
        self.build.emit(span, op);
    }

    fn put_field(&mut self, unit: &Place, shift: Shift, bits: u8, val: Val, span: Span) {
        let old = self.read_kind(unit, RegKind::Int, Fits::ANY, span);
        let mask = self.build.constant(span, low_bits(bits));
        let new = self.arithmetic(BinOp::And, val.reg, mask.reg, span);
        let by = match shift {
            Shift::By(by) => self.build.constant(span, i64::from(by)).reg,
            Shift::Computed(by) => by,
        };
        let mask = self.arithmetic(BinOp::Shl, mask.reg, by, span);
        let new = self.arithmetic(BinOp::Shl, new.reg, by, span);
        let all = self.build.constant(span, -1);
        let rest = self.arithmetic(BinOp::Xor, mask.reg, all.reg, span);
        let rest = self.arithmetic(BinOp::And, old.reg, rest.reg, span);
        let whole = self.arithmetic(BinOp::Or, rest.reg, new.reg, span);
        self.write(unit, whole, span);
    }

    /// `lhs = rhs`: right side, then the place, then the store. The value is what was stored.
    pub(super) fn assign(&mut self, lhs: &Expr, rhs: &Expr, span: Span) -> Result<Val, Diagnostic> {
        let info = self.info_of(lhs);
        if has_parts(&self.checked.types, info.ty) {
            self.copy(lhs, rhs, span)?;
            return Ok(self.build.constant(span, 0));
        }
        let val = self.assigned_val(rhs, info.ty)?;
        let place = self.place(lhs)?;
        if self.is_string(info.ty) {
            self.write(&place, val, span);
            return Ok(val);
        }
        Ok(self.store_back(&place, info, val, span))
    }

    /// A value as a bit-field takes it.
    fn fitted(&mut self, place: &Place, val: Val, span: Span) -> Val {
        match *place {
            Place::Cut { bits, signed, .. }
            | Place::Field { bits, signed, .. }
            | Place::Spread { bits, signed, .. } => self.cut(val, bits, signed, span),
            _ => val,
        }
    }

    /// `lhs op= rhs`: the place, its value, then the right side.
    pub(super) fn compound_assign(
        &mut self,
        op: BinaryOp,
        lhs: &Expr,
        rhs: &Expr,
        span: Span,
    ) -> Result<Val, Diagnostic> {
        let (left, right) = (self.info_of(lhs), self.info_of(rhs));
        let place = self.place(lhs)?;
        let old = self.read(&place, left, span)?;
        let new = if self.points_to(left).is_some() {
            let bytes = self.scaled(rhs, self.element_size(left))?;
            let op = if op == BinaryOp::Sub { BinOp::Sub } else { BinOp::Add };
            self.arithmetic(op, old.reg, bytes.reg, span)
        } else {
            let value = self.value(rhs)?;
            let types = &self.checked.types;
            let (signed, left_signed) = (is_signed(types, left.ty, right.ty), types.width(left.ty).1);
            self.integer_op(op, old, value, signed, left_signed, span)
        };
        Ok(self.store_back(&place, left, new, span))
    }

    /// `x++` and its kin.
    pub(super) fn step(
        &mut self,
        operand: &Expr,
        increment: bool,
        postfix: bool,
        span: Span,
    ) -> Result<Val, Diagnostic> {
        let info = self.info_of(operand);
        let place = self.place(operand)?;
        let old = self.read(&place, info, span)?;
        let size = if self.points_to(info).is_some() { self.element_size(info) } else { 1 };
        let size = self.build.constant(span, size);
        let op = if increment { BinOp::Add } else { BinOp::Sub };
        let new = self.arithmetic(op, old.reg, size.reg, span);
        let new = self.store_back(&place, info, new, span);
        Ok(if postfix { old } else { new })
    }

    /// An integer or pointer as a type holds it.
    pub(super) fn converted(&mut self, val: Val, ty: TypeId, span: Span) -> Val {
        if self.checked.types.is_bool(ty) {
            return self.truth(val, span);
        }
        let (bits, signed) = self.checked.types.width(ty);
        self.build.narrow(span, val, bits, signed)
    }

    pub(super) fn store_back(&mut self, place: &Place, info: ExprInfo, new: Val, span: Span) -> Val {
        let ty = self.place_type(place, info).ty;
        let new = self.converted(new, ty, span);
        let new = self.fitted(place, new, span);
        self.write(place, new, span);
        new
    }
}

impl MemoryAt {
    /// So many bytes behind this.
    pub(super) fn plus(self, bytes: i64) -> MemoryAt {
        MemoryAt { offset: self.offset.wrapping_add(bytes), ..self }
    }
}
