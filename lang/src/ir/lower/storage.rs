//! Parts of variables: which of the scalars that a struct, union or array variable is kept as an expression names, and
//! how they are copied whole.
//!
//! In: an expression whose meaning is a variable, an element of an associative array, or a part of one. Out: a
//! [`Place`]. A member is a variable of its own; elements of an array are one variable that is indexed, row by row; a
//! union, and what else is kept as words, is an array of them, in which its members are fields. Here and below *union*
//! means all that. Addresses of parts are [`super::addressed`].

use super::build::{Fits, Val};
use super::clause::Lower;
use super::expr::not_yet;
use super::place::{MemoryAt, Place, Shift, Stretch};
use super::values::RecordAt;
use crate::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::builtins::Func;
use crate::check::{Meaning, VarShape};
use crate::diag::Diagnostic;
use crate::ir::{BinOp, MemSize, Op, Reg, RegKind, Scope, VarId};
use crate::source::Span;
use crate::types::parts::{Part, has_parts, kept_as_words, words};
use crate::types::records::Found;
use crate::types::{Type, TypeId};

/// Most scalars that one assignment of a struct copies.
pub(super) const MAX_COPIED: u64 = 1024;

/// A place in a variable's storage.
#[derive(Clone)]
pub(super) struct VarAt {
    pub(super) var: VarId,
    keys: Vec<Reg>,
    /// The type of what is there.
    pub(super) ty: TypeId,
    /// The members on the way.
    pub(super) path: Vec<u32>,
    /// The number of the element, of all arrays on the way together, row by row.
    pub(super) index: Option<Val>,
    /// The width and sign of a bit-field.
    cut: Option<(u8, bool)>,
    /// The place in the union on the way.
    pub(super) union: Option<InUnion>,
}

/// A place in a union.
#[derive(Clone, Copy)]
pub(super) struct InUnion {
    /// The bytes of the whole union, and the words that they are kept as.
    bytes: u64,
    pub(super) words: u64,
    pub(super) bit_offset: u64,
    /// Bytes beyond that, computed.
    pub(super) dynamic: Option<Reg>,
    /// A power of two, at most 8, that those bytes are a multiple of.
    step: u64,
}

/// Bytes of a word.
const WORD: u64 = 8;

impl VarAt {
    /// Whether it is in an element of an associative array.
    pub(super) fn has_keys(&self) -> bool {
        !self.keys.is_empty()
    }

    /// The registers that the place depends on.
    pub(super) fn regs(&self, out: &mut Vec<Reg>) {
        out.extend(&self.keys);
        out.extend(self.index.map(|index| index.reg));
        out.extend(self.union.and_then(|union| union.dynamic));
    }
}

impl Lower<'_> {
    /// The place that a variable or a part of one names.
    pub(super) fn var_at(&mut self, expr: &Expr) -> Result<VarAt, Diagnostic> {
        let info = self.info_of(expr);
        match (info.meaning, &expr.kind) {
            (Meaning::Variable(var), _) => Ok(self.whole_variable(var, Vec::new())),
            (Meaning::Element(var), ExprKind::Index { keys, .. }) => {
                let signature = match &self.checked.vars[var.index()].shape {
                    VarShape::Associative(signature) => signature.clone(),
                    VarShape::Scalar => Vec::new(),
                };
                let mut regs = Vec::with_capacity(keys.len());
                for (key, slot) in keys.iter().zip(signature) {
                    regs.push(self.key(key, slot)?);
                }
                Ok(self.whole_variable(var, regs))
            }
            (_, ExprKind::Cast { operand, .. }) => self.var_at(operand),
            (_, ExprKind::Member { base, arrow, member }) => {
                let mut at = if *arrow { self.behind_part(base)? } else { self.var_at(base)? };
                let found = self.checked.types.member(at.ty, &member.name);
                let found = found.ok_or_else(|| not_yet(expr.span, "such members"))?;
                self.step_to_member(&mut at, &found);
                Ok(at)
            }
            (_, ExprKind::Index { base, keys }) => {
                let Some(key) = keys.first() else { return Err(not_yet(expr.span, "such elements")) };
                // `3[a]` is `a[3]`.
                let swapped = self.points_to(self.info_of(base)).is_none();
                let (array, key) = if swapped { (key, &**base) } else { (&**base, key) };
                self.element_at(array, key, expr.span)
            }
            (_, ExprKind::Unary { op: UnaryOp::Deref, operand }) => self.behind_part(operand),
            _ => Err(not_yet(expr.span, "such parts of variables")),
        }
    }

    pub(super) fn whole_variable(&self, var: VarId, keys: Vec<Reg>) -> VarAt {
        let ty = self.checked.vars[var.index()].ty.map_or(self.checked.types.common().int64, |ty| ty.ty);
        let union = match self.tables.layout.is_addressed(var) {
            true => Some(self.in_words(ty)),
            false => self.enters_union(ty),
        };
        VarAt { var, keys, ty, path: Vec::new(), index: None, cut: None, union }
    }

    fn enters_union(&self, ty: TypeId) -> Option<InUnion> {
        kept_as_words(&self.checked.types, ty).then(|| self.in_words(ty))
    }

    /// Whether a place in a union is all of it. A smaller member is not, even if it takes as many words.
    fn is_whole(&self, at: &VarAt, union: InUnion) -> bool {
        let bytes = self.checked.types.size(at.ty, self.checked.limits.strsize);
        union.bit_offset == 0 && union.dynamic.is_none() && bytes == Some(union.bytes)
    }

    fn in_words(&self, ty: TypeId) -> InUnion {
        let bytes = self.checked.types.size(ty, self.checked.limits.strsize).unwrap_or(0);
        InUnion { bytes, words: words(bytes), bit_offset: 0, dynamic: None, step: WORD }
    }

    /// What is read behind the address of a part: `*(a + n)` is `a[n]`, held to the array's length.
    pub(super) fn behind_part(&mut self, expr: &Expr) -> Result<VarAt, Diagnostic> {
        if let ExprKind::Binary { op, lhs, rhs } = &expr.kind
            && let Some((array, count)) =
                [(lhs, rhs), (rhs, lhs)].into_iter().find(|(array, _)| self.is_array(array))
        {
            let mut at = self.var_at(array)?;
            let index = match op {
                BinaryOp::Sub => {
                    let count = self.value(count)?;
                    let zero = self.build.constant(expr.span, 0);
                    let index = self.sum(BinOp::Sub, zero, count, expr.span);
                    self.held_to_length(array, index, expr.span)
                }
                _ => self.checked_index(array, count)?,
            };
            self.step_to_element(&mut at, index, expr.span);
            return Ok(at);
        }
        self.pointed(expr)
    }

    /// What an array variable, or the address of a part, points to.
    pub(super) fn pointed(&mut self, expr: &Expr) -> Result<VarAt, Diagnostic> {
        if self.is_array(expr) {
            let zero = self.build.constant(expr.span, 0);
            let mut at = self.var_at(expr)?;
            self.step_to_element(&mut at, zero, expr.span);
            return Ok(at);
        }
        match &expr.kind {
            ExprKind::Unary { op: UnaryOp::AddressOf, operand } => self.var_at(operand),
            ExprKind::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), lhs, rhs } => {
                let swapped = self.points_to(self.info_of(lhs)).is_none();
                let (base, count) = if swapped { (rhs, lhs) } else { (lhs, rhs) };
                let mut at = self.pointed(base)?;
                let mut count = self.value(count)?;
                if *op == BinaryOp::Sub {
                    let zero = self.build.constant(expr.span, 0);
                    count = self.sum(BinOp::Sub, zero, count, expr.span);
                }
                self.move_by(&mut at, count, expr.span)?;
                Ok(at)
            }
            _ => Err(not_yet(expr.span, "such addresses of parts of variables")),
        }
    }

    pub(super) fn is_array(&self, expr: &Expr) -> bool {
        matches!(self.checked.types.resolve(self.info_of(expr).ty), Type::Array(..))
    }

    fn element_at(&mut self, array: &Expr, key: &Expr, span: Span) -> Result<VarAt, Diagnostic> {
        if !self.is_array(array) {
            let mut at = self.pointed(array)?;
            let count = self.value(key)?;
            self.move_by(&mut at, count, span)?;
            return Ok(at);
        }
        let mut at = self.var_at(array)?;
        let index = self.checked_index(array, key)?;
        self.step_to_element(&mut at, index, span);
        Ok(at)
    }

    /// An index into an array; a computed one is held to the array's length.
    pub(super) fn checked_index(&mut self, array: &Expr, key: &Expr) -> Result<Val, Diagnostic> {
        if let Some(c) = self.frame.early.constant(key) {
            return Ok(self.build.constant(key.span, c.value));
        }
        let index = self.value(key)?;
        Ok(self.held_to_length(array, index, key.span))
    }

    fn held_to_length(&mut self, array: &Expr, index: Val, span: Span) -> Val {
        let length = match *self.checked.types.resolve(self.info_of(array).ty) {
            Type::Array(_, length) => length as i64,
            _ => 0,
        };
        if length <= 1 || index.constant.is_some_and(|index| (0..length).contains(&index)) {
            return index;
        }
        let length = self.build.constant(span, length);
        let dst = self.build.reg(RegKind::Int);
        let args = vec![index.reg, length.reg];
        self.build.emit(span, Op::Call { dst, func: Func::ArrayIndex, args });
        Val::new(dst, Fits::ANY)
    }

    /// From an array to one of its elements.
    pub(super) fn step_to_element(&mut self, at: &mut VarAt, index: Val, span: Span) {
        let Type::Array(element, length) = *self.checked.types.resolve(at.ty) else { return };
        at.ty = element;
        if at.union.is_some() {
            self.move_in_union(at, index, span);
            return;
        }
        at.index = Some(match at.index {
            None => index,
            Some(row) => {
                let length = self.build.constant(span, length.max(1) as i64);
                let start = self.sum(BinOp::Mul, row, length, span);
                self.sum(BinOp::Add, start, index, span)
            }
        });
        at.union = self.enters_union(element);
    }

    /// From an element to another of the same array.
    fn move_by(&mut self, at: &mut VarAt, count: Val, span: Span) -> Result<(), Diagnostic> {
        if count.constant == Some(0) {
            return Ok(());
        }
        let whole_union = at.union.is_some_and(|union| self.is_whole(at, union));
        match (at.union, at.index) {
            (Some(_), index) if !whole_union || index.is_none() => self.move_in_union(at, count, span),
            (_, Some(index)) => at.index = Some(self.sum(BinOp::Add, index, count, span)),
            (_, None) => return Err(not_yet(span, "addresses beyond a variable")),
        }
        Ok(())
    }

    fn move_in_union(&mut self, at: &mut VarAt, count: Val, span: Span) {
        let size = self.checked.types.size(at.ty, self.checked.limits.strsize).unwrap_or(1);
        let Some(union) = &mut at.union else { return };
        if let Some(count) = count.constant {
            union.bit_offset = union.bit_offset.wrapping_add((count as u64).wrapping_mul(size * 8));
            return;
        }
        let before = union.dynamic;
        union.step = union.step.min(1 << size.trailing_zeros().min(3));
        let size = self.build.constant(span, size as i64);
        let mut bytes = self.arithmetic(BinOp::Mul, count.reg, size.reg, span);
        if let Some(before) = before {
            bytes = self.arithmetic(BinOp::Add, before, bytes.reg, span);
        }
        if let Some(union) = &mut at.union {
            union.dynamic = Some(bytes.reg);
        }
    }

    /// Two values, constants folded.
    pub(super) fn sum(&mut self, op: BinOp, a: Val, b: Val, span: Span) -> Val {
        if let (Some(x), Some(y)) = (a.constant, b.constant) {
            let value = match op {
                BinOp::Mul => x.wrapping_mul(y),
                BinOp::Sub => x.wrapping_sub(y),
                _ => x.wrapping_add(y),
            };
            return self.build.constant(span, value);
        }
        self.arithmetic(op, a.reg, b.reg, span)
    }

    /// From a struct or union to a member, anonymous ones looked through.
    pub(super) fn step_to_member(&self, at: &mut VarAt, found: &Found) {
        let types = &self.checked.types;
        for &number in &found.path {
            let member = types
                .record(at.ty)
                .and_then(|record| record.members.as_deref()?.get(number as usize).cloned());
            let Some(member) = member else { return };
            at.ty = member.ty;
            at.cut = member.width.map(|width| (width, types.width(member.ty).1));
            match &mut at.union {
                Some(union) => union.bit_offset += member.bit_offset,
                None => {
                    at.path.push(number);
                    at.union = self.enters_union(member.ty);
                }
            }
        }
    }

    /// The scalar or string at a place; `None` if a struct, union or array is there.
    pub(super) fn scalar_place(&mut self, at: &VarAt, span: Span) -> Result<Option<Place>, Diagnostic> {
        if has_parts(&self.checked.types, at.ty) {
            return Ok(None);
        }
        if let Some(union) = at.union {
            return self.field_in_union(at, union, span).map(Some);
        }
        let place = self.part_place(at, &at.path, at.index);
        Ok(Some(match at.cut {
            Some((bits, signed)) => Place::Cut { whole: Box::new(place), bits, signed },
            None => place,
        }))
    }

    /// The place of a part, or of one element of it.
    fn part_place(&self, at: &VarAt, path: &[u32], index: Option<Val>) -> Place {
        let stored = self.tables.layout.parts(at.var).iter().find(|stored| stored.part.path == path);
        let mut keys = at.keys.clone();
        let mut var = at.var;
        if let Some(stored) = stored {
            match (index, stored.vars.as_slice()) {
                (Some(index), [only]) if self.checked.vars[at.var.index()].scope != Scope::ClauseLocal => {
                    var = *only;
                    keys.push(index.reg);
                }
                (Some(index), vars) => match index.constant {
                    None => return Place::Select(vars.to_vec(), index.reg),
                    Some(c) => match usize::try_from(c).ok().and_then(|c| vars.get(c)) {
                        Some(&element) => var = element,
                        None => return Place::Select(Vec::new(), index.reg),
                    },
                },
                (None, vars) => var = vars.first().copied().unwrap_or(var),
            }
        }
        let global = self.checked.vars[at.var.index()].scope == Scope::Global;
        let text = stored.is_some_and(|stored| self.checked.types.is_string(stored.part.ty));
        match keys.is_empty() {
            true => Place::Variable(var),
            false if global && text && at.keys.is_empty() => {
                Place::Filled(Box::new(Place::Element(var, keys)))
            }
            false => Place::Element(var, keys),
        }
    }

    /// Whether a part is indexed.
    fn is_indexed(&self, var: VarId, path: &[u32]) -> bool {
        let parts = self.tables.layout.parts(var);
        parts.iter().any(|stored| stored.part.path == path && !stored.part.dimensions.is_empty())
    }

    fn field_in_union(&mut self, at: &VarAt, union: InUnion, span: Span) -> Result<Place, Diagnostic> {
        let types = &self.checked.types;
        let size = types.size(at.ty, self.checked.limits.strsize).unwrap_or(8);
        match at.cut {
            None if types.is_string(at.ty) => self.text_in_union(at, union, span),
            None if size > WORD => Err(self.no_scalar(at.ty, span)),
            None => {
                let signed = types.width(at.ty).1;
                self.number_in_union(at, union, (size * 8) as u8, signed, span)
            }
            Some((bits, signed)) => self.number_in_union(at, union, bits, signed, span),
        }
    }

    fn text_in_union(&mut self, at: &VarAt, union: InUnion, span: Span) -> Result<Place, Diagnostic> {
        let size = self.checked.limits.strsize;
        let stretches = self.stretches(at, union, u64::from(size) * 8, span)?;
        Ok(Place::Room { stretches, size })
    }

    /// A number of at most 64 bits in a union.
    fn number_in_union(
        &mut self,
        at: &VarAt,
        union: InUnion,
        bits: u8,
        signed: bool,
        span: Span,
    ) -> Result<Place, Diagnostic> {
        let stretches = self.stretches(at, union, u64::from(bits), span)?;
        Ok(match <[Stretch; 1]>::try_from(stretches) {
            Ok([Stretch { place: Place::Field { unit, shift, bits, .. }, .. }]) => {
                Place::Field { unit, shift, bits, signed }
            }
            Ok([only]) => only.place,
            Err(stretches) => Place::Spread { stretches, bits, signed },
        })
    }

    /// Where so many bits of a union lie, from a place in it on: each stretch in one word, the first bits first.
    pub(super) fn stretches(
        &mut self,
        at: &VarAt,
        union: InUnion,
        bits: u64,
        span: Span,
    ) -> Result<Vec<Stretch>, Diagnostic> {
        // What is known of a computed place is that it does not cross the units that all its steps are multiples of.
        let unit = match union.dynamic {
            None => WORD * 8,
            Some(_) => union.step * 8,
        };
        let mut stretches = Vec::new();
        let mut from = 0;
        while from < bits {
            if stretches.len() as u64 >= MAX_COPIED {
                return Err(not_yet(span, &format!("values of more than {MAX_COPIED} parts")));
            }
            let start = union.bit_offset.wrapping_add(from);
            let taken = (unit - start % unit).min(bits - from) as u8;
            let place = self.bits_in_union(at, InUnion { bit_offset: start, ..union }, taken, span);
            stretches.push(Stretch { place, from: from as u32, bits: taken });
            from += u64::from(taken);
        }
        Ok(stretches)
    }

    /// Bits in a union, from its place on, which lie in one word.
    fn bits_in_union(&mut self, at: &VarAt, union: InUnion, bits: u8, span: Span) -> Place {
        let start = union.bit_offset as i64;
        let (within, bytes) = (start.rem_euclid(64), start.div_euclid(64) * WORD as i64);
        let (word, shift) = match union.dynamic {
            None => (self.build.constant(span, bytes / WORD as i64), Shift::By(within as u8)),
            Some(dynamic) => {
                let known = union.step == WORD;
                // Bytes that may carry into the next word are added before the word is told.
                let (add, rest) = if known { (bytes, within) } else { (start.div_euclid(8), within % 8) };
                let add = self.build.constant(span, add);
                let place = self.arithmetic(BinOp::Add, dynamic, add.reg, span);
                let three = self.build.constant(span, 3);
                let word = self.arithmetic(BinOp::ShrU, place.reg, three.reg, span);
                let shift = match known {
                    true => Shift::By(rest as u8),
                    false => {
                        let seven = self.build.constant(span, 7);
                        let byte = self.arithmetic(BinOp::And, place.reg, seven.reg, span);
                        let mut shift = self.arithmetic(BinOp::Shl, byte.reg, three.reg, span);
                        if rest > 0 {
                            let rest = self.build.constant(span, rest);
                            shift = self.arithmetic(BinOp::Add, shift.reg, rest.reg, span);
                        }
                        Shift::Computed(shift.reg)
                    }
                };
                (word, shift)
            }
        };
        let unit = self.word_of_union(at, union, word, span);
        match bits {
            64.. => unit,
            _ => Place::Field { unit: Box::new(unit), shift, bits, signed: false },
        }
    }

    /// The place of one scalar of a part of what lies in a union.
    fn part_in_union(
        &mut self,
        at: &VarAt,
        union: InUnion,
        part: &Part,
        number: u64,
        span: Span,
    ) -> Result<Place, Diagnostic> {
        let (bit, bits) = self.bits_of(at.ty, part, number);
        let union = InUnion { bit_offset: union.bit_offset.wrapping_add(bit), ..union };
        match part.words || !self.checked.types.is_string(part.ty) {
            true => {
                let signed = !part.words && self.checked.types.width(part.ty).1;
                self.number_in_union(at, union, bits.min(64) as u8, signed, span)
            }
            false => self.text_in_union(at, union, span),
        }
    }

    /// One of the words that a union is kept as.
    pub(super) fn word_of_union(&mut self, at: &VarAt, union: InUnion, word: Val, span: Span) -> Place {
        let index = self.word_index(at.index, union.words, word, span);
        self.part_place(at, &at.path, Some(index))
    }

    fn word_index(&mut self, index: Option<Val>, words: u64, word: Val, span: Span) -> Val {
        match index {
            None => word,
            Some(index) => {
                let words = self.build.constant(span, words as i64);
                let start = self.sum(BinOp::Mul, index, words, span);
                self.sum(BinOp::Add, start, word, span)
            }
        }
    }

    /// Bytes from the start of a type to the member at the end of a path, in the first element of each array.
    pub(super) fn offset_in(&self, ty: TypeId, path: &[u32]) -> u64 {
        self.place_in(ty, path).0 / 8
    }

    /// Where a path leads in memory: bits from the start, the strides of the arrays on the way, the width of a bit-field,
    /// and the type there, behind all arrays.
    fn place_in(&self, ty: TypeId, path: &[u32]) -> (u64, Vec<u64>, Option<u8>, TypeId) {
        let types = &self.checked.types;
        let (mut ty, mut bits, mut strides, mut width) = (ty, 0, Vec::new(), None);
        let strsize = self.checked.limits.strsize;
        let mut through_arrays = |ty: &mut TypeId| {
            while let Type::Array(element, _) = *types.resolve(*ty)
                && !kept_as_words(types, *ty)
            {
                strides.push(types.size(element, strsize).unwrap_or(0));
                *ty = element;
            }
        };
        through_arrays(&mut ty);
        for &number in path {
            let members = types.record(ty).and_then(|record| record.members.as_deref());
            let Some(member) = members.and_then(|members| members.get(number as usize)) else { break };
            bits += member.bit_offset;
            width = member.width;
            ty = member.ty;
            through_arrays(&mut ty);
        }
        (bits, strides, width, ty)
    }

    /// Where one scalar of a part lies: bits from the start of the type, the width of a bit-field, and the type there.
    fn place_of(&self, ty: TypeId, part: &Part, number: u64) -> (u64, Option<u8>, TypeId) {
        let (mut bits, mut strides, width, inner) = self.place_in(ty, &part.path);
        if part.words {
            strides.push(8);
        }
        let mut rest = number;
        for (stride, length) in strides.iter().zip(&part.dimensions).rev() {
            bits += rest % (*length).max(1) * stride * 8;
            rest /= (*length).max(1);
        }
        (bits, width, inner)
    }

    /// Which bits of a type one scalar of a part has: where they begin, and how many they are.
    pub(super) fn bits_of(&self, ty: TypeId, part: &Part, number: u64) -> (u64, u64) {
        let (bit, width, inner) = self.place_of(ty, part, number);
        let size = self.checked.types.size(inner, self.checked.limits.strsize).unwrap_or(8);
        let bits = match (part.words, width) {
            (true, _) => (size - (number % words(size) * 8).min(size)).min(8) * 8,
            (false, Some(width)) => u64::from(width),
            (false, None) => size * 8,
        };
        (bit, bits)
    }

    // Whole structs.

    /// Copies one scalar of a part, or clears it.
    pub(super) fn copy_part(
        &mut self,
        ty: TypeId,
        part: &Part,
        number: u64,
        source: Option<&RecordAt>,
        target: &RecordAt,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let val = match source {
            None if self.checked.types.is_string(part.ty) && !part.words => {
                let dst = self.build.reg(RegKind::Str);
                self.build.emit(span, Op::Null { dst });
                Val::new(dst, Fits::ANY)
            }
            None => self.build.constant(span, 0),
            Some(source) => self.part_from(source, ty, part, number, span)?,
        };
        self.put_part(target, ty, part, number, val, span)
    }

    /// Stores one scalar of a part.
    pub(super) fn put_part(
        &mut self,
        target: &RecordAt,
        ty: TypeId,
        part: &Part,
        number: u64,
        val: Val,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let places = self.part_of(target, ty, part, number, span)?;
        match places.as_slice() {
            [(place, _)] => self.write(place, val, span),
            _ => {
                for (place, shift) in &places {
                    let by = self.build.constant(span, i64::from(*shift));
                    let piece = self.arithmetic(BinOp::ShrU, val.reg, by.reg, span);
                    self.write(place, piece, span);
                }
            }
        }
        Ok(())
    }

    /// One scalar of a part of what lies somewhere.
    pub(super) fn part_from(
        &mut self,
        record: &RecordAt,
        ty: TypeId,
        part: &Part,
        number: u64,
        span: Span,
    ) -> Result<Val, Diagnostic> {
        let is_string = !part.words && self.checked.types.is_string(part.ty);
        let kind = if is_string { RegKind::Str } else { RegKind::Int };
        self.read_at_each(record, kind, span, &mut |lower, leaf| {
            let places = lower.part_of(leaf, ty, part, number, span)?;
            lower.read_part(&places, part, span)
        })
    }

    pub(super) fn read_part(
        &mut self,
        places: &[(Place, u8)],
        part: &Part,
        span: Span,
    ) -> Result<Val, Diagnostic> {
        let is_string = !part.words && self.checked.types.is_string(part.ty);
        let kind = if is_string { RegKind::Str } else { RegKind::Int };
        let mut whole: Option<Val> = None;
        for (place, shift) in places {
            let mut val = self.read_kind(place, kind, Fits::ANY, span);
            if *shift > 0 {
                let by = self.build.constant(span, i64::from(*shift));
                val = self.arithmetic(BinOp::Shl, val.reg, by.reg, span);
            }
            whole = Some(match whole {
                None => val,
                Some(whole) => self.arithmetic(BinOp::Or, whole.reg, val.reg, span),
            });
        }
        let whole = whole.ok_or_else(|| not_yet(span, "empty parts"))?;
        if places.len() == 1 || part.words || is_string {
            return Ok(whole);
        }
        let (bits, signed) = self.checked.types.width(part.ty);
        Ok(self.cut(whole, bits, signed, span))
    }

    /// The places of one scalar of a part, with the bits that each is shifted by: the last word of a union in memory is
    /// read in pieces, so that nothing behind the union is touched.
    pub(super) fn part_of(
        &mut self,
        record: &RecordAt,
        ty: TypeId,
        part: &Part,
        number: u64,
        span: Span,
    ) -> Result<Vec<(Place, u8)>, Diagnostic> {
        match record {
            RecordAt::Variable(at) => {
                // All of a union that is kept as its own words is those words.
                let is_all = |union: InUnion| part.words && part.path.is_empty() && self.is_whole(at, union);
                if let Some(union) = at.union.filter(|&union| !is_all(union)) {
                    return Ok(vec![(self.part_in_union(at, union, part, number, span)?, 0)]);
                }
                let mut path = at.path.clone();
                path.extend(&part.path);
                let within = self.build.constant(span, number as i64);
                let index = match self.is_indexed(at.var, &path) {
                    true => Some(self.word_index(at.index, part.count(), within, span)),
                    false => None,
                };
                Ok(vec![(self.part_place(at, &path, index), 0)])
            }
            RecordAt::Memory(memory) => Ok(self.part_in_memory(memory, ty, part, number)),
            RecordAt::Choice { .. } => Err(not_yet(span, "assignments to what `?:` chooses")),
        }
    }

    fn part_in_memory(
        &mut self,
        memory: &MemoryAt,
        ty: TypeId,
        part: &Part,
        number: u64,
    ) -> Vec<(Place, u8)> {
        let (bits, width, inner) = self.place_of(ty, part, number);
        let at = MemoryAt { offset: memory.offset.wrapping_add((bits / 8) as i64), ..*memory };
        if part.words {
            let bytes = self.checked.types.size(inner, 0).unwrap_or(8);
            let word = number % words(bytes);
            return pieces(bytes - (word * 8).min(bytes))
                .into_iter()
                .map(|(from, size)| {
                    let place = MemoryAt { offset: at.offset + i64::from(from), ..at };
                    (Place::Memory { at: place, size, signed: false }, (from * 8) as u8)
                })
                .collect();
        }
        if let Some(width) = width {
            let signed = self.checked.types.width(part.ty).1;
            return vec![(super::place::field(memory, bits, width, signed), 0)];
        }
        let place = match self.memory(part.ty) {
            _ if self.checked.types.is_string(part.ty) => {
                Place::Text { at, limit: self.checked.limits.strsize }
            }
            Some((size, signed)) => Place::Memory { at, size, signed },
            // A floating-point number is its bits.
            None if self.checked.types.size(part.ty, 0) == Some(4) => {
                Place::Memory { at, size: MemSize::B4, signed: false }
            }
            None => Place::Memory { at, size: MemSize::B8, signed: false },
        };
        vec![(place, 0)]
    }
}

/// The loads that read so many bytes of a word, at most 8, and nothing behind them.
fn pieces(bytes: u64) -> Vec<(u32, MemSize)> {
    let mut out = Vec::new();
    let mut from = 0;
    for (size, step) in [(MemSize::B8, 8), (MemSize::B4, 4), (MemSize::B2, 2), (MemSize::B1, 1)] {
        if u64::from(from) + step <= bytes && from < 8 {
            out.push((from, size));
            from += step as u32;
        }
    }
    out
}
