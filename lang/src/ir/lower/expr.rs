//! Values: expressions to registers (language spec §5.11, §6.4).

use super::build::{Fits, Val};
use super::clause::Lower;
use super::place::MemoryAt;
use super::whole::Wanted;
use crate::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::builtins::symbolic::Sample;
use crate::builtins::{BuiltinVar, Func, Symbolic};
use crate::check::fold::is_signed;
use crate::check::session::value_type;
use crate::check::{ExprInfo, Meaning};
use crate::diag::{Diagnostic, Tag};
use crate::ir::{AddrSpace, BinOp, CmpOp, MemSize, Op, Reg, RegKind, UnOp, ValueType};
use crate::source::Span;
use crate::types::classes::char_width;
use crate::types::{Type, TypeId};

type Lowered = Result<Val, Diagnostic>;

pub(super) fn not_yet(span: Span, what: &str) -> Diagnostic {
    Diagnostic::new(Tag::Unknown, span, format!("{what} are not supported yet"))
}

impl Lower<'_> {
    pub(super) fn is_string(&self, ty: TypeId) -> bool {
        self.checked.types.is_string(ty)
    }

    /// The kind of register that a value of a type takes.
    pub(super) fn kind_of(&self, ty: TypeId) -> RegKind {
        if self.is_string(ty) { RegKind::Str } else { RegKind::Int }
    }

    /// What a register of a type can hold once it has been loaded or stored.
    pub(super) fn fits(&self, ty: TypeId) -> Fits {
        let (bits, signed) = self.checked.types.width(ty);
        Fits { bits, signed }
    }

    /// Evaluates an expression whose value nobody uses.
    pub(super) fn effect(&mut self, expr: &Expr) -> Result<(), Diagnostic> {
        if self.checked.types.is_void(self.info_of(expr).ty)
            && let ExprKind::Cast { operand, .. } = &expr.kind
        {
            return self.effect(operand);
        }
        if self.checked.types.is_record(self.info_of(expr).ty) {
            return self.record_at(expr).map(|_| ());
        }
        // A floating-point number is no operand: it is its bytes, which are read for their faults.
        if let Type::Float(_, bytes) = *self.checked.types.resolve(self.info_of(expr).ty) {
            return self.stored_value(expr, ValueType::Float(bytes)).map(|_| ());
        }
        self.value(expr).map(|_| ())
    }

    /// A register that is zero exactly if the expression is. It need not be 0 or 1.
    pub(super) fn condition(&mut self, expr: &Expr) -> Result<Reg, Diagnostic> {
        if self.frame.early.constant(expr).is_none()
            && let ExprKind::Binary { op: op @ (BinaryOp::LogAnd | BinaryOp::LogOr), lhs, rhs } = &expr.kind
        {
            return self.short_circuit(*op, lhs, rhs, expr.span, false).map(|val| val.reg);
        }
        self.value(expr).map(|val| val.reg)
    }

    /// The value of an expression: a string register if its type is `string`, else an integer register with its 64
    /// bits as they are.
    pub(super) fn value(&mut self, expr: &Expr) -> Lowered {
        let span = expr.span;
        if let Some(c) = self.frame.early.constant(expr) {
            return Ok(self.build.constant(span, c.value));
        }
        let info = self.info_of(expr);
        match (info.meaning, &expr.kind) {
            (Meaning::Operator, _) => self.operator(expr, info),
            (Meaning::Call(func), ExprKind::Call { args, .. }) => self.call(func, args, info, span),
            _ => self.named(expr, info),
        }
    }

    /// The value of what is no operator. Trees are deep: what their levels do not share is kept out of [`Lower::value`],
    /// so that a level takes little of the stack.
    fn named(&mut self, expr: &Expr, info: ExprInfo) -> Lowered {
        let span = expr.span;
        match (info.meaning, &expr.kind) {
            (Meaning::Known(value), _) => Ok(self.build.constant(span, value)),
            (Meaning::Builtin(var, index), _) => Ok(self.builtin(var, index, info, span)),
            (Meaning::Param(index), _) => Ok(self.param(index, expr)),
            (Meaning::Formula(id), _) => self.formula(expr, id),
            (Meaning::Argument(index, from), _) => Ok(self.argument((index, from), info, span)),
            (Meaning::PartAddress(_), _) => self.address_of_part(expr),
            (
                Meaning::Variable(_)
                | Meaning::Element(_)
                | Meaning::Part(_)
                | Meaning::Memory
                | Meaning::Symbol(..),
                _,
            ) => self.read_place(expr, info),
            (Meaning::PartOfValue, _) => self.part_of_value(expr, info),
            (Meaning::StringByte, _) => self.string_byte(expr),
            (Meaning::Sample(sample), ExprKind::Call { args, .. }) => self.sample(sample, args, span),
            _ => self.operator(expr, info),
        }
    }

    /// Trees are deep: each arm is one call, so that a level takes little of the stack.
    fn operator(&mut self, expr: &Expr, info: ExprInfo) -> Lowered {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Str(bytes) => Ok(self.text(bytes, span)),
            ExprKind::Unary { op: UnaryOp::Plus, operand } => self.value(operand),
            ExprKind::Unary { op: UnaryOp::Minus, operand } => self.unary(UnOp::Neg, operand, span),
            ExprKind::Unary { op: UnaryOp::BitNot, operand } => self.unary(UnOp::Not, operand, span),
            ExprKind::Unary { op: UnaryOp::Not, operand } => self.not(operand, span),
            ExprKind::Unary { op: UnaryOp::Increment, operand } => self.step(operand, true, false, span),
            ExprKind::Unary { op: UnaryOp::Decrement, operand } => self.step(operand, false, false, span),
            ExprKind::Unary { op: UnaryOp::AddressOf, operand }
                if self.info_of(operand).meaning == Meaning::StringByte =>
            {
                self.address_of_byte(operand)
            }
            ExprKind::Unary { op: UnaryOp::AddressOf, operand } => self.address_of(operand),
            ExprKind::Postfix { increment, operand } => self.step(operand, *increment, true, span),
            ExprKind::Binary { op, lhs, rhs } => self.binary(*op, lhs, rhs, info, span),
            ExprKind::Cond { cond, then, otherwise } => self.choose(cond, then, otherwise, info, span),
            ExprKind::Assign { op: None, lhs, rhs } => self.assign(lhs, rhs, span),
            ExprKind::Assign { op: Some(op), lhs, rhs } => self.compound_assign(*op, lhs, rhs, span),
            ExprKind::Comma(lhs, rhs) => self.comma(lhs, rhs),
            ExprKind::Cast { operand, .. } => self.cast(operand, info, span),
            ExprKind::Stringof(operand) => self.string_val(operand, span),
            // Everything else has a meaning of its own or is refused by the checker.
            _ => Ok(self.build.constant(span, 0)),
        }
    }

    fn text(&mut self, bytes: &[u8], span: Span) -> Val {
        let value = self.tables.string(bytes);
        let dst = self.build.reg(RegKind::Str);
        self.build.emit(span, Op::Str { dst, value });
        Val::new(dst, Fits::ANY)
    }

    fn unary(&mut self, op: UnOp, operand: &Expr, span: Span) -> Lowered {
        let src = self.value(operand)?;
        let dst = self.build.reg(RegKind::Int);
        self.build.emit(span, Op::Unary { op, dst, src: src.reg });
        Ok(Val::new(dst, Fits::ANY))
    }

    fn not(&mut self, operand: &Expr, span: Span) -> Lowered {
        let src = self.value(operand)?;
        let zero = self.build.constant(span, 0);
        Ok(self.compare(CmpOp::Eq, src.reg, zero.reg, span))
    }

    fn comma(&mut self, lhs: &Expr, rhs: &Expr) -> Lowered {
        self.effect(lhs)?;
        self.value(rhs)
    }

    fn read_place(&mut self, expr: &Expr, info: ExprInfo) -> Lowered {
        let in_memory = matches!(info.meaning, Meaning::Memory | Meaning::Symbol(..));
        match self.checked.types.resolve(info.ty) {
            // The value of an array or function is where it is.
            Type::Array(..) | Type::Function(..) if in_memory => return self.address_of(expr),
            Type::Array(..) => return self.address_of_part(expr),
            _ => {}
        }
        let place = self.place(expr)?;
        self.read(&place, info, expr.span)
    }

    /// An argument of the probe, which has a type `from` there.
    pub(super) fn argument(&mut self, (index, from): (u32, TypeId), info: ExprInfo, span: Span) -> Val {
        let addr = self.build.reg(RegKind::Int);
        self.build.emit(span, Op::Builtin { dst: addr, var: BuiltinVar::Arg, index });
        if self.is_string(info.ty) {
            // The raw argument is where the bytes are.
            let dst = self.build.reg(RegKind::Str);
            let space = if info.userland { AddrSpace::User } else { AddrSpace::ByAddress };
            let limit = self.checked.limits.strsize;
            self.build.emit(span, Op::LoadStr { dst, addr, limit, space });
            return Val::new(dst, Fits::ANY);
        }
        // What lies above the bits of the argument is none of it.
        let (bits, signed) = self.checked.types.width(from);
        let native = self.build.narrow(span, Val::new(addr, Fits::ANY), bits, signed);
        let (bits, signed) = self.checked.types.width(info.ty);
        self.build.narrow(span, native, bits, signed)
    }

    fn string_val(&mut self, operand: &Expr, span: Span) -> Lowered {
        self.string_of(operand, span).map(|reg| Val::new(reg, Fits::ANY))
    }

    fn builtin(&mut self, var: BuiltinVar, index: u32, info: ExprInfo, span: Span) -> Val {
        let dst = self.build.reg(self.kind_of(info.ty));
        self.build.emit(span, Op::Builtin { dst, var, index });
        Val::new(dst, self.fits(info.ty))
    }

    pub(super) fn compare(&mut self, op: CmpOp, lhs: Reg, rhs: Reg, span: Span) -> Val {
        let dst = self.build.reg(RegKind::Int);
        self.build.emit(span, Op::Compare { op, dst, lhs, rhs });
        Val::new(dst, Fits::TRUTH)
    }

    pub(super) fn arithmetic(&mut self, op: BinOp, lhs: Reg, rhs: Reg, span: Span) -> Val {
        let dst = self.build.reg(RegKind::Int);
        self.build.emit(span, Op::Binary { op, dst, lhs, rhs });
        Val::new(dst, Fits::ANY)
    }

    /// A stack, or an address that prints as a symbol.
    fn sample(&mut self, sample: Sample, args: &[Expr], span: Span) -> Lowered {
        let args = match (sample.kind, args.first()) {
            (Symbolic::Stack, _) => {
                let constants = match sample.func {
                    Some(Func::Stack) => &[sample.frames][..],
                    _ => &[sample.frames, sample.strsize],
                };
                constants.iter().map(|&value| self.build.constant(span, i64::from(value)).reg).collect()
            }
            (_, Some(address)) => vec![self.value(address)?.reg],
            (_, None) => vec![self.build.constant(span, 0).reg],
        };
        match sample.func {
            Some(func) => {
                let dst = self.build.reg(RegKind::Int);
                self.build.emit(span, Op::Call { dst, func, args });
                Ok(Val::new(dst, Fits::ANY))
            }
            None => Ok(Val::new(args[0], Fits::ANY)),
        }
    }

    // Strings.

    /// An expression as a string: a `string`, the bytes at a character pointer, or NULL for a constant 0.
    pub(super) fn string(&mut self, expr: &Expr) -> Result<Reg, Diagnostic> {
        if self.frame.early.constant(expr).is_some() {
            let dst = self.build.reg(RegKind::Str);
            self.build.emit(expr.span, Op::Null { dst });
            return Ok(dst);
        }
        self.string_of(expr, expr.span)
    }

    /// `stringof e`: any scalar is an address.
    fn string_of(&mut self, expr: &Expr, span: Span) -> Result<Reg, Diagnostic> {
        let info = self.info_of(expr);
        // What a definition gives for an array of characters is their copy.
        if self.is_text(info) {
            return self.value(expr).map(|val| val.reg);
        }
        let is_array = matches!(self.checked.types.resolve(info.ty), Type::Array(..));
        if is_array
            && !self.lies_in_memory(info)
            && !matches!(info.meaning, Meaning::Formula(_) | Meaning::Param(_))
        {
            return self.whole_value(expr, Wanted::Text);
        }
        let limit = self.text_limit(self.text_length(expr));
        let at = match self.lies_in_memory(info) {
            true => self.memory_at(expr)?,
            false => {
                let space = self.space(expr, info)?;
                MemoryAt { base: Some(self.value(expr)?.reg), offset: 0, space }
            }
        };
        let addr = self.address(at, span).reg;
        Ok(self.load_text(addr, limit, at.space, span))
    }

    /// Whether the value of an expression is a string: of an array of characters that a definition gives, too.
    fn is_text(&self, info: ExprInfo) -> bool {
        let defined = matches!(info.meaning, Meaning::Formula(_) | Meaning::Param(_));
        self.is_string(info.ty) || defined && value_type(&self.checked.types, info.ty) == Some(ValueType::Str)
    }

    /// `s[n]`, `*s` and `*(s + n)`.
    fn string_byte(&mut self, expr: &Expr) -> Lowered {
        let (base, key) = match &expr.kind {
            ExprKind::Index { base, keys } if keys.len() == 1 => (&**base, Some(&keys[0])),
            ExprKind::Unary { operand, .. } => (&**operand, None),
            _ => (expr, None),
        };
        let number = |lower: &Self, key: &Expr| lower.frame.early.constant(key).map(|c| c.value);
        let place = match key {
            None => self.long_text(base).map(|text| (text, 0)),
            Some(key) => [(base, key), (key, base)]
                .into_iter()
                .find_map(|(text, key)| Some((self.long_text(text)?, number(self, key)?))),
        };
        if let Some((text, at)) = place {
            let byte = usize::try_from(at).ok().and_then(|at| text.get(at));
            return Ok(self.build.constant(expr.span, byte.map_or(0, |&byte| i64::from(byte as i8))));
        }
        let (string, index, computed) = self.byte_place(expr)?;
        let computed = self.build.constant(expr.span, i64::from(computed)).reg;
        let dst = self.emit_call(Func::StrByte, vec![string, index, computed], RegKind::Int, expr.span);
        let (bits, signed) = char_width();
        Ok(self.build.narrow(expr.span, Val::new(dst, Fits { bits: 8, signed: true }), bits, signed))
    }

    /// The bytes of a constant that is longer than the strings of the program, or of its rest from a known byte on: it is
    /// cut when it is copied, not before (language spec §2.10).
    fn long_text<'e>(&self, expr: &'e Expr) -> Option<&'e [u8]> {
        let mut at = expr;
        let mut ahead = 0i64;
        loop {
            at = match &at.kind {
                ExprKind::Str(bytes) if bytes.len() > self.checked.limits.strsize as usize => {
                    let start = usize::try_from(ahead).unwrap_or(bytes.len()).min(bytes.len());
                    return Some(&bytes[start..]);
                }
                ExprKind::Binary { op: BinaryOp::Add, lhs, rhs } => {
                    let constant = |side: &Expr| self.frame.early.constant(side).map(|c| c.value);
                    let (text, count) = match constant(rhs) {
                        Some(count) => (lhs, count),
                        None => (rhs, constant(lhs)?),
                    };
                    ahead = ahead.checked_add(count).filter(|&ahead| ahead >= 0)?;
                    text
                }
                _ => return None,
            };
        }
    }

    /// The string and the index of a byte of it, and whether the index is computed.
    fn byte_place(&mut self, expr: &Expr) -> Result<(Reg, Reg, bool), Diagnostic> {
        match &expr.kind {
            ExprKind::Index { base, keys } if let Some(key) = keys.first() => {
                let (x, y) = (self.value(base)?.reg, self.value(key)?.reg);
                // `n[s]` is `s[n]`.
                Ok(match self.is_text(self.info_of(base)) {
                    true => (x, y, self.frame.early.constant(key).is_none()),
                    false => (y, x, self.frame.early.constant(base).is_none()),
                })
            }
            ExprKind::Unary { operand, .. } => {
                Ok((self.value(operand)?.reg, self.build.constant(expr.span, 0).reg, false))
            }
            _ => Err(not_yet(expr.span, "such places in strings")),
        }
    }

    /// `&s[n]`: the place of the byte in a copy in scratch memory, which has the string's bytes and NULs behind them as far
    /// as the byte.
    pub(super) fn address_of_byte(&mut self, byte: &Expr) -> Lowered {
        let span = byte.span;
        let (string, index, computed) = self.byte_place(byte)?;
        // Faults where reading the byte would.
        let computed = self.build.constant(span, i64::from(computed)).reg;
        self.emit_call(Func::StrByte, vec![string, index, computed], RegKind::Int, span);
        // The larger of length and index, and one for the last NUL.
        let length = self.emit_call(Func::Strlen, vec![string], RegKind::Int, span);
        let within = self.compare(CmpOp::LtU, index, length, span).reg;
        let more = self.arithmetic(BinOp::Sub, length, index, span).reg;
        let more = self.arithmetic(BinOp::Mul, more, within, span).reg;
        let size = self.arithmetic(BinOp::Add, index, more, span).reg;
        let one = self.build.constant(span, 1).reg;
        let size = self.arithmetic(BinOp::Add, size, one, span).reg;
        let size = self.emit_call(Func::Size, vec![size], RegKind::Int, span);
        let copy = self.emit_call(Func::Alloca, vec![size], RegKind::Int, span);
        self.emit_call(Func::Fill, vec![string, copy, size], RegKind::Int, span);
        Ok(self.arithmetic(BinOp::Add, copy, index, span))
    }

    /// A string where an address is wanted: that of a copy in scratch memory, of NULL 0.
    pub(super) fn address_of_text(&mut self, text: &Expr) -> Lowered {
        let span = text.span;
        // The memory is user space's, as where a program fills it.
        self.reads_scratch_block = true;
        let text = self.string(text)?;
        let null = self.build.reg(RegKind::Str);
        self.build.emit(span, Op::Null { dst: null });
        let cond = self.build.reg(RegKind::Int);
        self.build.emit(span, Op::StrCompare { op: CmpOp::Ne, dst: cond, lhs: text, rhs: null });
        let dst = self.build.constant(span, 0).reg;
        let before = self.build.current();
        let first = self.build.begin();
        let length = self.emit_call(Func::Strlen, vec![text], RegKind::Int, span);
        let one = self.build.constant(span, 1).reg;
        let size = self.arithmetic(BinOp::Add, length, one, span).reg;
        let size = self.emit_call(Func::Size, vec![size], RegKind::Int, span);
        let copy = self.emit_call(Func::Alloca, vec![size], RegKind::Int, span);
        self.emit_call(Func::Fill, vec![text, copy, size], RegKind::Int, span);
        self.build.emit(span, Op::Move { dst, src: copy });
        let last = self.build.current();
        self.merge(before, cond, (first, last), None);
        Ok(Val::new(dst, Fits::ANY))
    }

    /// Whether a string is given where a character pointer is wanted.
    pub(super) fn needs_address(&self, from: &Expr, to: TypeId) -> bool {
        let types = &self.checked.types;
        self.is_string(self.info_of(from).ty) && matches!(types.resolve(to), Type::Pointer(_))
    }

    // Operators.

    fn binary(&mut self, op: BinaryOp, lhs: &Expr, rhs: &Expr, info: ExprInfo, span: Span) -> Lowered {
        let (a, b) = (self.info_of(lhs), self.info_of(rhs));
        match (op, comparison(op)) {
            (BinaryOp::LogAnd | BinaryOp::LogOr, _) => self.short_circuit(op, lhs, rhs, span, true),
            (BinaryOp::LogXor, _) => self.exclusive_or(lhs, rhs, span),
            (_, Some((op, swap))) => self.comparison(op, swap, (lhs, a), (rhs, b), span),
            _ if self.is_string(info.ty) => self.suffix(op, (lhs, a), rhs, span),
            (BinaryOp::Add | BinaryOp::Sub, _)
                if self.points_to(a).is_some() || self.points_to(b).is_some() =>
            {
                self.pointer_arithmetic(op, (lhs, a), (rhs, b), span)
            }
            _ => self.integers(op, (lhs, a), (rhs, b), span),
        }
    }

    fn integers(
        &mut self,
        op: BinaryOp,
        (lhs, a): (&Expr, ExprInfo),
        (rhs, b): (&Expr, ExprInfo),
        span: Span,
    ) -> Lowered {
        let (x, y) = (self.value(lhs)?, self.value(rhs)?);
        let signed = is_signed(&self.checked.types, a.ty, b.ty);
        let left_signed = self.checked.types.width(a.ty).1;
        Ok(self.integer_op(op, x, y, signed, left_signed, span))
    }

    fn exclusive_or(&mut self, lhs: &Expr, rhs: &Expr, span: Span) -> Lowered {
        let a = self.value(lhs)?;
        let a = self.truth(a, span);
        let b = self.value(rhs)?;
        let b = self.truth(b, span);
        Ok(self.compare(CmpOp::Ne, a.reg, b.reg, span))
    }

    /// `s + n`, `n + s` and `s - n`.
    fn suffix(&mut self, op: BinaryOp, (lhs, a): (&Expr, ExprInfo), rhs: &Expr, span: Span) -> Lowered {
        let sides = if self.is_string(a.ty) { (lhs, rhs) } else { (rhs, lhs) };
        if let (BinaryOp::Add, Some(text), Some(count)) =
            (op, self.long_text(sides.0), self.frame.early.constant(sides.1).map(|c| c.value))
        {
            let start = usize::try_from(count).unwrap_or(text.len()).min(text.len());
            return Ok(self.text(&text[start..], span));
        }
        let (string, offset) = if self.is_string(a.ty) {
            let string = self.value(lhs)?.reg;
            (string, self.offset(op, rhs)?)
        } else {
            let offset = self.value(lhs)?.reg;
            (self.value(rhs)?.reg, offset)
        };
        let dst = self.build.reg(RegKind::Str);
        self.build.emit(span, Op::Call { dst, func: Func::StrSuffix, args: vec![string, offset] });
        Ok(Val::new(dst, Fits::ANY))
    }

    /// An integer operator on registers; `signed` is that of the converted type, `left_signed` decides `>>`.
    pub(super) fn integer_op(
        &mut self,
        op: BinaryOp,
        x: Val,
        y: Val,
        signed: bool,
        left_signed: bool,
        span: Span,
    ) -> Val {
        let op = match op {
            BinaryOp::Mul => BinOp::Mul,
            BinaryOp::Div if signed => BinOp::DivS,
            BinaryOp::Div => BinOp::DivU,
            BinaryOp::Rem if signed => BinOp::RemS,
            BinaryOp::Rem => BinOp::RemU,
            BinaryOp::Sub => BinOp::Sub,
            BinaryOp::Shl => BinOp::Shl,
            BinaryOp::Shr if left_signed => BinOp::ShrS,
            BinaryOp::Shr => BinOp::ShrU,
            BinaryOp::BitAnd => BinOp::And,
            BinaryOp::BitXor => BinOp::Xor,
            BinaryOp::BitOr => BinOp::Or,
            _ => BinOp::Add,
        };
        let mut val = self.arithmetic(op, x.reg, y.reg, span);
        val.fits = match op {
            BinOp::And if !x.fits.signed || !y.fits.signed => {
                let unsigned = [x.fits, y.fits].into_iter().filter(|fits| !fits.signed);
                Fits { bits: unsigned.map(|fits| fits.bits).min().unwrap_or(64), signed: false }
            }
            BinOp::And | BinOp::Or | BinOp::Xor => x.fits.join(y.fits),
            BinOp::ShrS if x.fits.signed || x.fits.bits < 64 => x.fits,
            BinOp::ShrU if !x.fits.signed => x.fits,
            BinOp::DivU | BinOp::RemU if !x.fits.signed => x.fits,
            BinOp::RemS => x.fits,
            _ => Fits::ANY,
        };
        val
    }

    /// `s - n` is `s + -n`.
    fn offset(&mut self, op: BinaryOp, rhs: &Expr) -> Result<Reg, Diagnostic> {
        if op == BinaryOp::Sub
            && let Some(c) = self.frame.early.constant(rhs)
        {
            return Ok(self.build.constant(rhs.span, c.value.wrapping_neg()).reg);
        }
        let src = self.value(rhs)?.reg;
        if op != BinaryOp::Sub {
            return Ok(src);
        }
        let dst = self.build.reg(RegKind::Int);
        self.build.emit(rhs.span, Op::Unary { op: UnOp::Neg, dst, src });
        Ok(dst)
    }

    fn comparison(
        &mut self,
        op: Comparison,
        swap: bool,
        (lhs, a): (&Expr, ExprInfo),
        (rhs, b): (&Expr, ExprInfo),
        span: Span,
    ) -> Lowered {
        if self.is_string(a.ty) || self.is_string(b.ty) {
            let (x, y) = (self.string(lhs)?, self.string(rhs)?);
            let (lhs, rhs) = if swap { (y, x) } else { (x, y) };
            let dst = self.build.reg(RegKind::Int);
            self.build.emit(span, Op::StrCompare { op: op.unsigned(), dst, lhs, rhs });
            return Ok(Val::new(dst, Fits::TRUTH));
        }
        let (x, y) = (self.value(lhs)?.reg, self.value(rhs)?.reg);
        let (x, y) = if swap { (y, x) } else { (x, y) };
        let op = if is_signed(&self.checked.types, a.ty, b.ty) { op.signed() } else { op.unsigned() };
        Ok(self.compare(op, x, y, span))
    }

    /// 0 or 1.
    pub(super) fn truth(&mut self, val: Val, span: Span) -> Val {
        if val.fits == Fits::TRUTH {
            return val;
        }
        if let Some(value) = val.constant {
            return self.build.constant(span, i64::from(value != 0));
        }
        let zero = self.build.constant(span, 0);
        self.compare(CmpOp::Ne, val.reg, zero.reg, span)
    }

    /// `&&` and `||`: the right side is evaluated only if it decides.
    fn short_circuit(
        &mut self,
        op: BinaryOp,
        lhs: &Expr,
        rhs: &Expr,
        span: Span,
        normalize: bool,
    ) -> Lowered {
        let cond = self.condition(lhs)?;
        let dst = self.build.reg(RegKind::Int);
        self.build.emit(span, Op::Const { dst, value: i64::from(op == BinaryOp::LogOr) });
        let before = self.build.current();
        let arm = self.build.begin();
        let mark = self.build.mark();
        let fits = match normalize {
            true => {
                let val = self.value(rhs)?;
                let val = self.truth(val, span);
                self.build.put(span, dst, val.reg, mark);
                Fits::TRUTH
            }
            false => {
                let reg = self.condition(rhs)?;
                self.build.put(span, dst, reg, mark);
                Fits::ANY
            }
        };
        let last = self.build.current();
        match op {
            BinaryOp::LogAnd => self.merge(before, cond, (arm, last), None),
            _ => self.merge_otherwise(before, cond, (arm, last)),
        }
        Ok(Val::new(dst, fits))
    }

    fn choose(&mut self, cond: &Expr, then: &Expr, otherwise: &Expr, info: ExprInfo, span: Span) -> Lowered {
        let cond = self.condition(cond)?;
        let before = self.build.current();
        let is_void = self.checked.types.is_void(info.ty);
        let is_string = self.is_string(info.ty);
        let dst = (!is_void).then(|| self.build.reg(self.kind_of(info.ty)));
        let mut arms = Vec::with_capacity(2);
        let mut fits: Option<Fits> = None;
        for arm in [then, otherwise] {
            let first = self.build.begin();
            let mark = self.build.mark();
            match dst {
                None => self.effect(arm)?,
                Some(dst) => {
                    let val = match is_string {
                        true => Val::new(self.string(arm)?, Fits::ANY),
                        false => self.value(arm)?,
                    };
                    self.build.put(span, dst, val.reg, mark);
                    fits = Some(fits.map_or(val.fits, |fits| fits.join(val.fits)));
                }
            }
            arms.push((first, self.build.current()));
        }
        self.merge(before, cond, arms[0], Some(arms[1]));
        match dst {
            Some(dst) => Ok(Val::new(dst, fits.unwrap_or(Fits::ANY))),
            None => Ok(self.build.constant(span, 0)),
        }
    }

    fn cast(&mut self, operand: &Expr, info: ExprInfo, span: Span) -> Lowered {
        let types = &self.checked.types;
        if types.is_void(info.ty) {
            self.effect(operand)?;
            return Ok(self.build.constant(span, 0));
        }
        if types.is_string(info.ty) {
            return self.string_val(operand, span);
        }
        let from = self.info_of(operand);
        let val = self.value(operand)?;
        if self.checked.types.is_bool(info.ty) {
            return Ok(self.truth(val, span));
        }
        match self.checked.types.cast_cut(info.ty, from.ty) {
            Some((bits, signed)) => Ok(self.build.narrow(span, val, bits, signed)),
            None => Ok(val),
        }
    }

    // Pointers.

    /// The type that a pointer or array refers to.
    pub(super) fn points_to(&self, info: ExprInfo) -> Option<TypeId> {
        self.checked.types.target(info.ty)
    }

    /// The size of one step of a pointer; the checker has made sure that it is known.
    pub(super) fn element_size(&self, pointer: ExprInfo) -> i64 {
        let target = self.points_to(pointer);
        let size = target.and_then(|ty| self.checked.types.size(ty, self.checked.limits.strsize));
        size.unwrap_or(1) as i64
    }

    /// A number of steps in bytes.
    pub(super) fn scaled(&mut self, count: &Expr, size: i64) -> Result<Val, Diagnostic> {
        if let Some(c) = self.frame.early.constant(count) {
            return Ok(self.build.constant(count.span, c.value.wrapping_mul(size)));
        }
        let val = self.value(count)?;
        if size == 1 {
            return Ok(val);
        }
        let factor = self.build.constant(count.span, size);
        Ok(self.arithmetic(BinOp::Mul, val.reg, factor.reg, count.span))
    }

    fn pointer_arithmetic(
        &mut self,
        op: BinaryOp,
        (lhs, a): (&Expr, ExprInfo),
        (rhs, b): (&Expr, ExprInfo),
        span: Span,
    ) -> Lowered {
        match (self.points_to(a), self.points_to(b)) {
            (Some(_), Some(_)) => {
                let (x, y) = (self.value(lhs)?, self.value(rhs)?);
                let bytes = self.arithmetic(BinOp::Sub, x.reg, y.reg, span);
                let size = self.element_size(a);
                if size == 1 {
                    return Ok(bytes);
                }
                let size = self.build.constant(span, size);
                Ok(self.arithmetic(BinOp::DivS, bytes.reg, size.reg, span))
            }
            (Some(_), None) => {
                let pointer = self.value(lhs)?;
                let bytes = self.scaled(rhs, self.element_size(a))?;
                let op = if op == BinaryOp::Sub { BinOp::Sub } else { BinOp::Add };
                Ok(self.arithmetic(op, pointer.reg, bytes.reg, span))
            }
            _ => {
                let bytes = self.scaled(lhs, self.element_size(b))?;
                let pointer = self.value(rhs)?;
                Ok(self.arithmetic(BinOp::Add, bytes.reg, pointer.reg, span))
            }
        }
    }

    /// Size and sign of a load or store of a type; `None` for what no register holds.
    pub(super) fn memory(&self, ty: TypeId) -> Option<(MemSize, bool)> {
        match self.checked.types.resolve(ty) {
            Type::Pointer(_) => Some((MemSize::B8, false)),
            _ => {
                let int = self.checked.types.int_type(ty)?;
                let size = match int.bits {
                    8 => MemSize::B1,
                    16 => MemSize::B2,
                    32 => MemSize::B4,
                    _ => MemSize::B8,
                };
                Some((size, int.signed))
            }
        }
    }
}

/// A comparison whose greater-than forms have their operands swapped.
#[derive(Clone, Copy)]
enum Comparison {
    Eq,
    Ne,
    Less,
    LessEqual,
}

impl Comparison {
    fn signed(self) -> CmpOp {
        match self {
            Comparison::Eq => CmpOp::Eq,
            Comparison::Ne => CmpOp::Ne,
            Comparison::Less => CmpOp::LtS,
            Comparison::LessEqual => CmpOp::LeS,
        }
    }

    fn unsigned(self) -> CmpOp {
        match self {
            Comparison::Eq => CmpOp::Eq,
            Comparison::Ne => CmpOp::Ne,
            Comparison::Less => CmpOp::LtU,
            Comparison::LessEqual => CmpOp::LeU,
        }
    }
}

/// The comparison of an operator and whether its operands change places.
fn comparison(op: BinaryOp) -> Option<(Comparison, bool)> {
    Some(match op {
        BinaryOp::Eq => (Comparison::Eq, false),
        BinaryOp::Ne => (Comparison::Ne, false),
        BinaryOp::Lt => (Comparison::Less, false),
        BinaryOp::Le => (Comparison::LessEqual, false),
        BinaryOp::Gt => (Comparison::Less, true),
        BinaryOp::Ge => (Comparison::LessEqual, true),
        _ => return None,
    })
}
