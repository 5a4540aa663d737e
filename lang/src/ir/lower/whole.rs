//! Structs, unions and arrays as wholes: their bytes in one register, for what records, keys on or reads all of them.
//!
//! In: an expression of such a type. Out: a block. What lies in memory is read at once; what lies in variables is put
//! together of its parts ([`super::storage`]), at the places that C gives them, with zeros between.

use super::build::Fits;
use super::clause::Lower;
use super::expr::not_yet;
use super::place::MemoryAt;
use super::storage::{MAX_COPIED, VarAt};
use super::values::RecordAt;
use crate::ast::{Expr, ExprKind, UnaryOp};
use crate::check::{Marked, Meaning};
use crate::diag::Diagnostic;
use crate::ir::{BlockPiece, Op, Reg, RegKind, ValueType};
use crate::source::Span;
use crate::types::parts::{has_parts, parts};
use crate::types::{TagKind, Type};

/// What of a block is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// So many bytes.
    Bytes(u32),
    /// The text that an array of characters begins with.
    Text,
}

impl Lower<'_> {
    /// The bytes of a struct, union or array.
    pub(super) fn whole_value(&mut self, expr: &Expr, wanted: Wanted) -> Result<Reg, Diagnostic> {
        let span = expr.span;
        match (self.info_of(expr).meaning, &expr.kind) {
            (Meaning::Variable(_) | Meaning::Element(_) | Meaning::Part(_), _) => {
                let at = self.var_at(expr)?;
                self.assemble(&at, wanted, span)
            }
            (Meaning::Operator, ExprKind::Cond { cond, then, otherwise }) => {
                let cond = self.condition(cond)?;
                let dst = self.build.reg(RegKind::Str);
                let before = self.build.current();
                let mut arms = Vec::with_capacity(2);
                for arm in [then, otherwise] {
                    let first = self.build.begin();
                    let mark = self.build.mark();
                    let block = self.whole_value(arm, wanted)?;
                    self.build.put(span, dst, block, mark);
                    arms.push((first, self.build.current()));
                }
                self.merge(before, cond, arms[0], Some(arms[1]));
                Ok(dst)
            }
            (Meaning::Operator, ExprKind::Comma(first, second)) => {
                self.effect(first)?;
                self.whole_value(second, wanted)
            }
            (Meaning::Memory | Meaning::Symbol(..), _) => {
                let at = self.memory_at(expr)?;
                self.whole_in_memory(at, wanted, self.text_length(expr), span)
            }
            _ => self.whole_of_value(expr, wanted),
        }
    }

    /// The bytes at a place in memory, or the text of an array of so many characters there.
    pub(super) fn whole_in_memory(
        &mut self,
        at: MemoryAt,
        wanted: Wanted,
        length: Option<u64>,
        span: Span,
    ) -> Result<Reg, Diagnostic> {
        let address = self.address(at, span).reg;
        match wanted {
            Wanted::Bytes(bytes) => {
                let size = self.build.constant(span, i64::from(bytes)).reg;
                Ok(self.load_block(address, (size, Some(i64::from(bytes))), at.space, span))
            }
            Wanted::Text => Ok(self.load_text(address, self.text_limit(length), at.space, span)),
        }
    }

    /// How long the text of an array is at most: it ends with the array. `None` for what is no array, and for one of open
    /// length, as which old headers write the last member of a struct with a length of 1.
    pub(super) fn text_length(&self, expr: &Expr) -> Option<u64> {
        let types = &self.checked.types;
        let Type::Array(_, length) = *types.resolve(self.info_of(expr).ty) else { return None };
        let ends_a_struct = || {
            let ExprKind::Member { base, member, .. } = &expr.kind else { return false };
            let info = self.info_of(base);
            let record = self.points_to(info).unwrap_or(info.ty);
            let members = types.record(record).and_then(|record| record.members.as_deref());
            let last = members.and_then(|members| members.last()).and_then(|last| last.name.as_deref());
            let is_struct = matches!(types.resolve(record), Type::Tagged(TagKind::Struct, _));
            is_struct && last == Some(&*member.name)
        };
        match length {
            0 => None,
            1 if ends_a_struct() => None,
            _ => Some(length),
        }
    }

    /// The bytes of a text that are read at most: `strsize`, or those of an array.
    pub(super) fn text_limit(&self, length: Option<u64>) -> u32 {
        let strsize = self.checked.limits.strsize;
        length.and_then(|length| u32::try_from(length).ok()).map_or(strsize, |length| length.min(strsize))
    }

    /// A key. The bytes of a struct, array or floating-point number are put together in user space, since the kernel's keys are numbers and
    /// strings.
    pub(super) fn key(&mut self, expr: &Expr, slot: Marked) -> Result<Reg, Diagnostic> {
        if self.checked.types.is_bool(slot.ty) {
            return self.assigned_val(expr, slot.ty).map(|val| val.reg);
        }
        let ty = super::key(self.checked, slot);
        let src = self.stored_value(expr, ty)?;
        let size = match ty {
            ValueType::Bytes(size) => size,
            ValueType::Float(size) => u32::from(size),
            _ => return Ok(src),
        };
        let dst = self.build.reg(RegKind::Str);
        let pieces = vec![BlockPiece { src, string: true, bit: 0, bits: size * 8 }];
        self.build.emit(expr.span, Op::Assemble { dst, size, pieces, text: false });
        Ok(dst)
    }

    /// Whether an expression is the address of a part of a variable, of which only its own bytes can be read.
    pub(super) fn leads_to_variable(&self, pointer: &Expr) -> bool {
        match self.info_of(pointer).meaning {
            Meaning::PartAddress(_) => true,
            Meaning::Variable(_) | Meaning::Element(_) | Meaning::Part(_) => self.is_array(pointer),
            _ => false,
        }
    }

    /// The first bytes of what the address of a part of a variable leads to: of the array that an array's own address
    /// stands for, of what `&` stands before, of one element of an array.
    pub(super) fn whole_behind(&mut self, pointer: &Expr, bytes: u32) -> Result<Reg, Diagnostic> {
        let span = pointer.span;
        let at = match &pointer.kind {
            ExprKind::Unary { op: UnaryOp::AddressOf, operand } => self.var_at(operand)?,
            _ if self.is_array(pointer) => self.var_at(pointer)?,
            _ => self.pointed(pointer)?,
        };
        let size = self.checked.types.size(at.ty, self.checked.limits.strsize).unwrap_or(0);
        if u64::from(bytes) > size {
            return Err(not_yet(span, "bytes beyond the part of a variable that a pointer points to"));
        }
        self.assemble(&at, Wanted::Bytes(bytes), span)
    }

    /// The parts at a place of variables, put together.
    pub(super) fn assemble(&mut self, at: &VarAt, wanted: Wanted, span: Span) -> Result<Reg, Diagnostic> {
        let strsize = self.checked.limits.strsize;
        let whole = self.checked.types.size(at.ty, strsize).and_then(|size| u32::try_from(size).ok());
        let whole = whole.filter(|&size| size <= u32::MAX / 8).ok_or_else(|| too_large(span))?;
        let (size, text) = match wanted {
            Wanted::Bytes(bytes) => (bytes.min(whole), false),
            // Nothing behind the longest string is looked at.
            Wanted::Text => (whole.min(strsize), true),
        };
        let wide = matches!(self.checked.types.resolve(at.ty), Type::Float(_, 9..));
        let pieces = match at.union {
            // A variable of such a type alone is 0: nothing can be assigned to it.
            None if wide && at.path.is_empty() && at.index.is_none() => Vec::new(),
            _ if !wide && !has_parts(&self.checked.types, at.ty) => self.piece_of_scalar(at, size, span)?,
            Some(union) => {
                let stretches = self.stretches(at, union, u64::from(size) * 8, span)?;
                self.block_pieces(&stretches, span)
            }
            None => self.pieces_of_parts(at, size, span)?,
        };
        let dst = self.build.reg(RegKind::Str);
        self.build.emit(span, Op::Assemble { dst, size, pieces, text });
        Ok(dst)
    }

    fn piece_of_scalar(&mut self, at: &VarAt, size: u32, span: Span) -> Result<Vec<BlockPiece>, Diagnostic> {
        let Some(place) = self.scalar_place(at, span)? else { return Ok(Vec::new()) };
        let string = self.is_string(at.ty);
        let kind = if string { RegKind::Str } else { RegKind::Int };
        let src = self.read_kind(&place, kind, Fits::ANY, span).reg;
        let bits = if string { size * 8 } else { (size * 8).min(64) };
        Ok(vec![BlockPiece { src, string, bit: 0, bits }])
    }

    fn pieces_of_parts(&mut self, at: &VarAt, size: u32, span: Span) -> Result<Vec<BlockPiece>, Diagnostic> {
        let ty = at.ty;
        let parts = parts(&self.checked.types, ty).ok_or_else(|| too_large(span))?;
        let record = RecordAt::Variable(at.clone());
        let mut pieces = Vec::new();
        for part in &parts {
            // A flexible array has no bytes of its own.
            if part.dimensions.contains(&0) {
                continue;
            }
            for number in 0..part.count() {
                let (bit, bits) = self.bits_of(ty, part, number);
                let end = u64::from(size) * 8;
                if bit >= end {
                    // Elements come in the order of their places.
                    break;
                }
                if pieces.len() as u64 >= MAX_COPIED {
                    return Err(too_large(span));
                }
                let string = self.is_string(part.ty) && !part.words;
                let places = self.part_of(&record, ty, part, number, span)?;
                let src = self.read_part(&places, part, span)?.reg;
                let bits = bits.min(end - bit) as u32;
                pieces.push(BlockPiece { src, string, bit: bit as u32, bits });
            }
        }
        Ok(pieces)
    }
}

fn too_large(span: Span) -> Diagnostic {
    not_yet(span, &format!("values of more than {MAX_COPIED} parts"))
}
