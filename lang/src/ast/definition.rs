//! Nodes of the definitions that D adds to C: inlines, translators and provider interfaces (language spec §7.3–§7.5).

use super::{Declarator, Expr, Ident, Storage, TypeName, TypeSpecs};
use crate::source::Span;

/// `inline int limit = 5;` or `inline int above[int a, int b] = a > b;`
#[derive(Clone, Debug, PartialEq)]
pub struct Inline {
    /// Any is wrong; it stays for its diagnostic.
    pub storage: Option<Storage>,
    /// The specifiers.
    pub specs: TypeSpecs,
    /// The name; parameters stand in an associative signature.
    pub declarator: Declarator,
    /// What the name stands for.
    pub value: Expr,
    /// The whole definition.
    pub span: Span,
}

/// `translator struct brief < struct task_struct *T > { id = T->pid; };`
#[derive(Clone, Debug, PartialEq)]
pub struct Translator {
    /// The type it makes.
    pub output: TypeName,
    /// The type it makes it from.
    pub input: TypeName,
    /// What the members' expressions call the input.
    pub param: Ident,
    /// Members and their expressions, in the order written.
    pub members: Vec<(Ident, Expr)>,
    /// The whole definition.
    pub span: Span,
}

/// `provider shop { probe order(int id); };`
#[derive(Clone, Debug, PartialEq)]
pub struct Provider {
    /// Its name, without the digits of a process.
    pub name: Ident,
    /// Its probes, in the order written.
    pub probes: Vec<ProbeInterface>,
    /// The whole definition.
    pub span: Span,
}

/// One probe of a provider definition.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeInterface {
    /// The name as written; `__` stands for `-`.
    pub name: Ident,
    /// The arguments that the probe gives.
    pub native: Vec<TypeName>,
    /// The arguments that `args[]` shows, if they differ.
    pub seen: Option<Vec<TypeName>>,
    /// The whole line.
    pub span: Span,
}
