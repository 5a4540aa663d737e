//! What pointers point into, across assignments: scratch memory, or anything else (language spec §5.5).
//!
//! In: an assignment's two sides, checked. Out: the provenance of variables, and of the pointers that are kept in scratch
//! memory by the member that holds them. A pointer whose source is not known yet takes its provenance over when that becomes
//! known, whichever clause says so; one that would hold both kinds is refused.

use std::collections::{HashMap, HashSet};

use super::errors;
use super::expr::Body;
use super::info::{ExprInfo, Meaning};
use super::names::Provenance;
use crate::ast::{Expr, ExprKind, UnaryOp};
use crate::diag::Diagnostic;
use crate::ir::VarId;
use crate::source::Span;
use crate::types::records::Member;
use crate::types::{Type, TypeId, TypeTable};

/// Where a pointer is kept.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Holder {
    /// A variable, an element or a part of one.
    Variable(VarId),
    /// Scratch memory: the member, as [`held_as`] names it.
    Scratch(String),
    /// In a definition: what its use gives a parameter.
    Param(u32),
    /// Nowhere: the address itself of a part of a variable, or of the copy of a string.
    Nowhere(Provenance),
}

/// What is known of the pointers that scratch memory holds, and what flows where.
#[derive(Clone, Debug, Default)]
pub struct Flows {
    scratch: HashMap<String, Provenance>,
    /// From where, to where: each way once.
    edges: HashMap<Holder, Vec<Holder>>,
    known: HashSet<(Holder, Holder)>,
}

impl Flows {
    /// What a pointer that scratch memory holds points into.
    pub fn held(&self, member: &str) -> Provenance {
        self.scratch.get(member).copied().unwrap_or(Provenance::Unknown)
    }
}

/// How scratch memory holds what an expression reads there: a member by its struct, what a pointer leads to by its type;
/// an element as its array. `known` gives what the checker found out of an expression.
pub fn held_as(types: &TypeTable, expr: &Expr, known: &dyn Fn(&Expr) -> Option<ExprInfo>) -> String {
    let mut at = expr;
    loop {
        let in_array = |base: &Expr| {
            let info =
                known(base).filter(|info| matches!(info.meaning, Meaning::Memory | Meaning::PartOfValue));
            info.is_some_and(|info| matches!(types.resolve(info.ty), Type::Array(..)))
        };
        at = match &at.kind {
            ExprKind::Member { base, arrow, member } => {
                let ty = known(base).map_or(types.common().int, |info| info.ty);
                let record = if *arrow { types.target(ty).unwrap_or(ty) } else { ty };
                return member_of(types, record, &member.name);
            }
            ExprKind::Index { base, .. } if in_array(base) => base,
            ExprKind::Index { keys, .. } if keys.first().is_some_and(in_array) => &keys[0],
            ExprKind::Unary { op: UnaryOp::Deref, operand } if in_array(operand) => operand,
            _ => {
                let ty = known(at).map_or(types.common().int, |info| info.ty);
                return pointer_of(types, ty);
            }
        };
    }
}

fn member_of(types: &TypeTable, record: TypeId, member: &str) -> String {
    format!("{}.{member}", types.show(types.base(record)))
}

fn pointer_of(types: &TypeTable, ty: TypeId) -> String {
    format!("{} *", types.show(types.base(types.target(ty).unwrap_or(ty))))
}

impl Body<'_, '_> {
    /// A pointer read from what may be scratch memory points where what was put there does.
    #[inline(never)]
    pub(super) fn held(&self, expr: &Expr, info: ExprInfo) -> ExprInfo {
        if !matches!(self.session.types.resolve(info.ty), Type::Pointer(_)) {
            return info;
        }
        let known = |other: &Expr| if other.id == expr.id { Some(info) } else { self.info.get(other) };
        let provenance = self.session.flows.held(&held_as(&self.session.types, expr, &known));
        ExprInfo { provenance, ..info }
    }

    /// An assignment of a pointer, or of a struct with pointers in it (language spec §5.5).
    pub(super) fn note_flow(
        &mut self,
        (lhs, left): (&Expr, ExprInfo),
        (rhs, right): (&Expr, ExprInfo),
        span: Span,
    ) -> Result<(), Diagnostic> {
        if self.session.types.is_record(left.ty) {
            return self.note_record(lhs, rhs, span);
        }
        if self.session.types.target(left.ty).is_none() {
            return Ok(());
        }
        let Some(to) = self.holder(lhs, left) else { return Ok(()) };
        let provenance = match self.in_variable(right) {
            true => Provenance::Variable,
            false => right.provenance,
        };
        match provenance {
            Provenance::Null => Ok(()),
            Provenance::Unknown => {
                self.sources(rhs).into_iter().try_for_each(|from| self.flow(from, to.clone(), span))
            }
            known => self.settle(to, known, span),
        }
    }

    /// Whether a pointer is the address of a part of a variable, which no pointer in it says anything of.
    pub(super) fn in_variable(&self, info: ExprInfo) -> bool {
        match info.meaning {
            Meaning::PartAddress(_) => true,
            Meaning::Variable(_) | Meaning::Element(_) | Meaning::Part(_) => {
                matches!(self.session.types.resolve(info.ty), Type::Array(..))
            }
            _ => false,
        }
    }

    /// Where a pointer is kept that is assigned to a place; `None` for what is no scratch memory for sure.
    fn holder(&self, place: &Expr, info: ExprInfo) -> Option<Holder> {
        match info.meaning {
            Meaning::Variable(id) | Meaning::Element(id) | Meaning::Part(id) => Some(Holder::Variable(id)),
            Meaning::Memory => {
                Some(Holder::Scratch(held_as(&self.session.types, place, &|expr| self.info.get(expr))))
            }
            _ => None,
        }
    }

    /// The pointers in a struct that is copied.
    fn note_record(&mut self, lhs: &Expr, rhs: &Expr, span: Span) -> Result<(), Diagnostic> {
        let Some(info) = self.info.get(lhs) else { return Ok(()) };
        let mut members = Vec::new();
        pointers_in(&self.session.types, info.ty, &mut members);
        if members.is_empty() {
            return Ok(());
        }
        let mut sources = Vec::new();
        self.record_sources(rhs, &mut sources);
        for (at, from) in sources {
            for member in &members {
                let from = match from {
                    Some(id) => Holder::Variable(id),
                    None if at => Holder::Scratch(member.clone()),
                    None => continue,
                };
                let to = match info.meaning {
                    Meaning::Variable(id) | Meaning::Element(id) | Meaning::Part(id) => Holder::Variable(id),
                    Meaning::Memory => Holder::Scratch(member.clone()),
                    _ => continue,
                };
                self.flow(from, to, span)?;
            }
        }
        Ok(())
    }

    /// The variables that a struct comes from, or `None` for memory, with whether that may be scratch memory.
    fn record_sources(&self, expr: &Expr, out: &mut Vec<(bool, Option<VarId>)>) {
        let Some(info) = self.info.get(expr) else { return };
        match (info.meaning, &expr.kind) {
            (Meaning::Variable(id) | Meaning::Element(id) | Meaning::Part(id), _) => {
                out.push((false, Some(id)));
            }
            (Meaning::Memory, _) => {
                let scratch = matches!(info.provenance, Provenance::Scratch | Provenance::Unknown);
                out.push((scratch, None));
            }
            (_, ExprKind::Cond { then, otherwise, .. }) => {
                self.record_sources(then, out);
                self.record_sources(otherwise, out);
            }
            (_, ExprKind::Comma(_, value) | ExprKind::Assign { op: None, rhs: value, .. }) => {
                self.record_sources(value, out);
            }
            (_, ExprKind::Cast { operand, .. } | ExprKind::Member { base: operand, .. }) => {
                self.record_sources(operand, out);
            }
            (_, ExprKind::Index { base, keys }) => {
                self.record_sources(base, out);
                keys.iter().for_each(|key| self.record_sources(key, out));
            }
            _ => {}
        }
    }

    /// Where the pointer that an expression gives is kept.
    pub(super) fn sources(&self, expr: &Expr) -> Vec<Holder> {
        let mut out = Vec::new();
        self.add_sources(expr, &mut out);
        out
    }

    fn add_sources(&self, expr: &Expr, out: &mut Vec<Holder>) {
        let Some(info) = self.info.get(expr).filter(|info| info.constant.is_none()) else { return };
        match info.meaning {
            _ if self.in_variable(info) => return out.push(Holder::Nowhere(Provenance::Variable)),
            Meaning::Variable(id) | Meaning::Element(id) | Meaning::Part(id) => {
                return out.push(Holder::Variable(id));
            }
            Meaning::Memory if !matches!(self.session.types.resolve(info.ty), Type::Array(..)) => {
                return out
                    .push(Holder::Scratch(held_as(&self.session.types, expr, &|expr| self.info.get(expr))));
            }
            Meaning::PartOfValue => {
                let mut records = Vec::new();
                self.record_sources(expr, &mut records);
                let member = held_as(&self.session.types, expr, &|expr| self.info.get(expr));
                out.extend(records.into_iter().filter_map(|(scratch, var)| match var {
                    Some(id) => Some(Holder::Variable(id)),
                    None => scratch.then(|| Holder::Scratch(member.clone())),
                }));
                return;
            }
            Meaning::Param(index) => return out.push(Holder::Param(index)),
            Meaning::Formula(id) => {
                let arguments: &[Expr] = match &expr.kind {
                    ExprKind::Index { keys, .. } => keys,
                    _ => &[],
                };
                for source in &self.session.formulas[id.index()].sources {
                    match source {
                        Holder::Param(index) => {
                            let Some(argument) = arguments.get(*index as usize) else { continue };
                            let types = &self.session.types;
                            match self.info.get(argument).is_some_and(|info| types.is_string(info.ty)) {
                                true => out.push(Holder::Nowhere(Provenance::Scratch)),
                                false => self.add_sources(argument, out),
                            }
                        }
                        holder => out.push(holder.clone()),
                    }
                }
                return;
            }
            _ => {}
        }
        match &expr.kind {
            ExprKind::Cast { operand, .. }
            | ExprKind::Postfix { operand, .. }
            | ExprKind::Unary { op: UnaryOp::Increment | UnaryOp::Decrement, operand } => {
                self.add_sources(operand, out);
            }
            ExprKind::Binary { lhs, rhs, .. } => {
                let is_pointer = |expr: &Expr| {
                    self.info.get(expr).is_some_and(|info| self.session.types.target(info.ty).is_some())
                };
                [lhs, rhs]
                    .into_iter()
                    .filter(|side| is_pointer(side))
                    .for_each(|side| self.add_sources(side, out));
            }
            ExprKind::Cond { then, otherwise, .. } => {
                self.add_sources(then, out);
                self.add_sources(otherwise, out);
            }
            ExprKind::Comma(_, value) | ExprKind::Assign { rhs: value, .. } => self.add_sources(value, out),
            // That is an address in a copy of the string, wherever the string came from.
            ExprKind::Unary { op: UnaryOp::AddressOf, operand }
                if self.info.get(operand).is_some_and(|info| info.meaning == Meaning::StringByte) => {}
            _ => {
                let place = match &expr.kind {
                    ExprKind::Unary { op: UnaryOp::AddressOf, operand } => operand,
                    _ => expr,
                };
                if let Some(pointer) = self.read_through(place) {
                    self.add_sources(pointer, out);
                }
            }
        }
    }

    /// Notes that what one place holds comes to another.
    fn flow(&mut self, from: Holder, to: Holder, span: Span) -> Result<(), Diagnostic> {
        if from == to {
            return Ok(());
        }
        let known = self.provenance_of(&from);
        let flows = &mut self.session.flows;
        if flows.known.insert((from.clone(), to.clone())) {
            flows.edges.entry(from).or_default().push(to.clone());
        }
        match known {
            Provenance::Unknown => Ok(()),
            known => self.settle(to, known, span),
        }
    }

    fn provenance_of(&self, holder: &Holder) -> Provenance {
        match holder {
            Holder::Variable(id) => self.session.names.vars[id.index()].provenance,
            Holder::Scratch(member) => self.session.flows.held(member),
            Holder::Param(_) => Provenance::Unknown,
            Holder::Nowhere(known) => *known,
        }
    }

    /// Says what the pointers at a place point into, and at all places they come to.
    fn settle(&mut self, holder: Holder, now: Provenance, span: Span) -> Result<(), Diagnostic> {
        let mut left = vec![holder];
        while let Some(holder) = left.pop() {
            match (self.provenance_of(&holder), now) {
                (before, now) if before == now => continue,
                (Provenance::Other, Provenance::Variable) => continue,
                (Provenance::Unknown, Provenance::Scratch | Provenance::Variable | Provenance::Other)
                | (Provenance::Variable, Provenance::Other) => {}
                _ => {
                    let name = match &holder {
                        Holder::Variable(id) => self.session.names.vars[id.index()].shown(),
                        Holder::Scratch(member) => format!("{member} in scratch memory"),
                        Holder::Param(_) | Holder::Nowhere(_) => continue,
                    };
                    return Err(errors::alloca_mix(span, &name));
                }
            }
            match &holder {
                Holder::Variable(id) => self.session.names.vars[id.index()].provenance = now,
                Holder::Scratch(member) => {
                    self.session.flows.scratch.insert(member.clone(), now);
                }
                Holder::Param(_) | Holder::Nowhere(_) => {}
            }
            left.extend(self.session.flows.edges.get(&holder).into_iter().flatten().cloned());
        }
        Ok(())
    }
}

/// The members of a struct that are pointers, as [`held_as`] names them: those of a member without a name by the struct
/// that it is in.
fn pointers_in(types: &TypeTable, ty: TypeId, out: &mut Vec<String>) {
    let mut seen = vec![(types.base(ty), types.base(ty))];
    let mut next = 0;
    while let Some(&(record, owner)) = seen.get(next) {
        next += 1;
        let members: Vec<Member> = types
            .record(record)
            .and_then(|record| record.members.as_deref())
            .map_or_else(Vec::new, <[_]>::to_vec);
        for member in members {
            let mut inner = types.base(member.ty);
            while let Type::Array(element, _) = *types.get(inner) {
                inner = types.base(element);
            }
            if matches!(types.get(inner), Type::Pointer(_)) {
                out.push(member_of(types, owner, member.name.as_deref().unwrap_or_default()));
            } else if types.is_record(inner) {
                let owner = if member.name.is_some() { inner } else { owner };
                if !seen.contains(&(inner, owner)) {
                    seen.push((inner, owner));
                }
            }
        }
    }
}
