//! The variables of the program: scalars and associative arrays as they are, structs and ordinary arrays as their parts
//! ([`crate::types::parts`]).
//!
//! In: the checked session. Out: the IR's variables. A variable keeps its number; a struct's first part has that of the
//! struct, the others come after all variables. Clause-local variables are never indexed: each element of an array of
//! them is a variable of its own.

use std::collections::{BTreeSet, HashMap};

use super::{INDEX, key, stored};
use crate::check::session::value_type;
use crate::check::{Checked, VarInfo, VarShape};
use crate::ir::{Scope, ValueType, VarId, Variable};
use crate::types::TypeId;
use crate::types::parts::{Part, has_parts, parts, words};

/// Which variables a struct or array is kept as.
#[derive(Default)]
pub(super) struct Layout {
    parts: HashMap<VarId, Vec<Stored>>,
    addressed: BTreeSet<VarId>,
}

/// A part with what keeps it.
pub(super) struct Stored {
    pub(super) part: Part,
    /// One variable, indexed if the part has dimensions; of a clause-local part one for each element.
    pub(super) vars: Vec<VarId>,
}

impl Layout {
    /// The parts of a variable with their variables; none of one that has no parts.
    pub(super) fn parts(&self, var: VarId) -> &[Stored] {
        self.parts.get(&var).map_or(&[], Vec::as_slice)
    }

    /// The variables of which an address is kept: their only part is their words.
    pub(super) fn addressed(&self) -> &BTreeSet<VarId> {
        &self.addressed
    }

    /// Whether an address of a variable is kept.
    pub(super) fn is_addressed(&self, var: VarId) -> bool {
        self.addressed.contains(&var)
    }
}

/// All variables, and the parts of those that have some.
pub(super) fn variables(checked: &Checked, addressed: BTreeSet<VarId>) -> (Vec<Variable>, Layout) {
    let mut layout = Layout { addressed, ..Layout::default() };
    let mut first: Vec<Variable> = Vec::with_capacity(checked.vars.len());
    let mut others: Vec<Variable> = Vec::new();
    for (i, var) in checked.vars.iter().enumerate() {
        let keys = match &var.shape {
            VarShape::Scalar => None,
            VarShape::Associative(keys) => Some(keys.iter().map(|&of| key(checked, of)).collect::<Vec<_>>()),
        };
        let ty = var.ty.map(|ty| ty.ty).filter(|&ty| has_parts(&checked.types, ty));
        // The checker has made sure that there are not too many.
        let list = match layout.is_addressed(VarId(i as u32)) {
            true => ty.map(|ty| whole(checked, ty)).into_iter().collect(),
            false => ty.and_then(|ty| parts(&checked.types, ty)).unwrap_or_default(),
        };
        let mut numbered = Vec::with_capacity(list.len());
        for (n, part) in list.into_iter().enumerate() {
            let made = part_variable(checked, var, &part, keys.as_deref());
            let elements = if var.scope == Scope::ClauseLocal { part.count() } else { 1 };
            let mut vars = Vec::new();
            for element in 0..elements {
                let mut made = made.clone();
                if elements > 1 {
                    made.name = format!("{}[{element}]", made.name);
                }
                vars.push(VarId(match n {
                    0 if element == 0 => {
                        first.push(made);
                        i as u32
                    }
                    _ => {
                        others.push(made);
                        (checked.vars.len() + others.len() - 1) as u32
                    }
                }));
            }
            numbered.push(Stored { part, vars });
        }
        if numbered.is_empty() {
            let ty = var.ty.map_or(INDEX, |ty| stored(&checked.types, ty));
            first.push(Variable { name: var.name.clone(), scope: var.scope, ty, keys, lossy: false });
        } else {
            layout.parts.insert(VarId(i as u32), numbered);
        }
    }
    first.append(&mut others);
    (first, layout)
}

/// A variable's words as its only part.
fn whole(checked: &Checked, ty: TypeId) -> Part {
    let size = checked.types.size(ty, checked.limits.strsize).unwrap_or(0);
    Part { path: Vec::new(), ty, words: true, dimensions: vec![words(size)] }
}

fn part_variable(checked: &Checked, var: &VarInfo, part: &Part, keys: Option<&[ValueType]>) -> Variable {
    let types = &checked.types;
    let word = ValueType::Int { bits: 64, signed: false };
    let ty = match part.words {
        true => word,
        false => value_type(types, part.ty).unwrap_or(match types.size(part.ty, 0) {
            Some(4) => ValueType::Int { bits: 32, signed: false },
            _ => word,
        }),
    };
    let mut name = var.name.clone();
    let mut at = var.ty.map(|ty| ty.ty);
    for &number in &part.path {
        while let Some(element) = at.and_then(|ty| match *types.resolve(ty) {
            crate::types::Type::Array(element, _) => Some(element),
            _ => None,
        }) {
            at = Some(element);
        }
        let member = at
            .and_then(|ty| types.record(ty))
            .and_then(|record| record.members.as_deref()?.get(number as usize));
        let Some(member) = member else { break };
        at = Some(member.ty);
        name.push('.');
        match &member.name {
            Some(member) => name.push_str(member),
            None => name.push_str(&number.to_string()),
        }
    }
    let mut keys = keys.map(<[ValueType]>::to_vec);
    if !part.dimensions.is_empty() && var.scope != Scope::ClauseLocal {
        keys.get_or_insert_default().push(INDEX);
    }
    Variable { name, scope: var.scope, ty, keys, lossy: false }
}
