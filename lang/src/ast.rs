//! The untyped tree of a D program: what was written, with spans, and nothing else.
//!
//! No fact found by a later pass is stored here. A clause that is bound to several probe descriptions is checked
//! once per argument signature; the results live in side tables indexed by [`ExprId`].
//!
mod definition;
mod erase;
pub mod operands;
pub mod print;

pub use definition::{Inline, ProbeInterface, Provider, Translator};

use crate::source::Span;
use crate::types::TagKind;

/// One source text, parsed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// Declarations, clauses and pragmas, in order.
    pub items: Vec<Item>,
    /// One more than the highest [`ExprId`] in use.
    pub expr_count: u32,
    /// The highest `$N` the text names and whether the last argument was referenced; for `D_MACRO_UNUSED`.
    pub macro_args_used: Vec<u32>,
    /// The types that headers of the system define and D cannot say.
    pub left_out: Vec<LeftOut>,
    /// What is complete of the item that the first error stands in. It runs never, but what is checked while parsing is
    /// checked in it, too.
    pub beginning: Option<Box<Item>>,
}

/// A name with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Ident {
    /// The text, without sigils.
    pub name: String,
    /// Where it stands.
    pub span: Span,
}

/// What can stand at the top level.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A clause.
    Clause(Clause),
    /// A declaration of variables, types or external symbols: `int x;`, `self string s;`, `typedef struct s { int a; }
    /// s_t;`, `uint64_t last[dev_t, int];`, `extern int jiffies;`.
    Declaration(Declaration),
    /// `inline …;`
    Inline(Inline),
    /// `translator … { … };`
    Translator(Translator),
    /// `provider … { … };`
    Provider(Provider),
    /// A `#pragma D` line that is not an option (options are given to the session while parsing).
    Pragma(Pragma),
}

/// A control line kept for the checker.
#[derive(Clone, Debug, PartialEq)]
pub struct Pragma {
    /// `option`, `attributes`, `binding`, `depends_on`.
    pub word: Ident,
    /// The words that follow.
    pub args: Vec<Ident>,
    /// The line.
    pub span: Span,
}

/// Probe descriptions + optional predicate + optional body (language spec §3.2).
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// At least one.
    pub probes: Vec<ProbeDesc>,
    /// The expression between the slashes.
    pub predicate: Option<Expr>,
    /// `None` for a clause of a string option without braces.
    pub body: Option<Vec<Stmt>>,
    /// From the first description to the closing brace.
    pub span: Span,
}

/// A probe description as written, macros not yet expanded (language spec §4).
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeDesc {
    /// The text, e.g. `syscall::read:entry`, or a decimal probe ID.
    pub text: String,
    /// Whether the text is a numeric ID.
    pub numeric: bool,
    /// Where it stands.
    pub span: Span,
}

/// A declaration: of variables, of types, of external symbols.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// `self`, `this`, or none for a global; other storage classes stay for their diagnostic.
    pub storage: Option<Storage>,
    /// The specifiers.
    pub specs: TypeSpecs,
    /// What is declared, with pointers, arrays and signatures; none in `struct s { int a; };`.
    pub declarators: Vec<Declarator>,
    /// It stands in an included file, by the line marks of `cpp`: what it declares is C's (language spec §5.6).
    pub included: bool,
    /// The whole declaration.
    pub span: Span,
}

/// Storage classes (language spec §3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// `auto`
    Auto,
    /// `register`
    Register,
    /// `static`
    Static,
    /// `extern`
    Extern,
    /// `typedef`
    Typedef,
    /// `self`
    SelfLocal,
    /// `this`
    ThisLocal,
}

/// Declaration specifiers without the storage class, in the order written.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeSpecs {
    /// `unsigned`, `long`, `string`, `uint64_t`, …; tags keep their `struct ` prefix. A definition is the word
    /// [`DEFINITION`], for the next of `definitions`.
    pub words: Vec<Ident>,
    /// `struct s { … }` and the like, in order. A valid list has one at most.
    pub definitions: Vec<Definition>,
    /// `const`, `volatile`, `restrict`, `userland` seen.
    pub qualifiers: Vec<Ident>,
    /// The specifiers' place.
    pub span: Span,
}

/// The word that stands for a definition in [`TypeSpecs::words`]; no type can have this name.
pub const DEFINITION: &str = "{}";

/// A struct, union or enum with its body.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// `struct`, `union` or `enum`.
    pub kind: TagKind,
    /// Its tag, if it has one.
    pub tag: Option<Ident>,
    /// What is between the braces.
    pub body: DefinitionBody,
    /// What is said of its layout.
    pub layout: Layout,
    /// From the keyword to the closing brace.
    pub span: Span,
}

/// What C's attributes and `#pragma pack` say of where something lies; only headers of the system can say so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Members have no alignment.
    pub packed: bool,
    /// The most alignment of a member, in bytes; 0 if nothing is said.
    pub pack: u8,
    /// The least alignment, in bytes; 0 if nothing is said.
    pub align: u64,
}

impl Layout {
    /// Both together.
    pub fn and(self, other: Layout) -> Layout {
        Layout {
            packed: self.packed || other.packed,
            pack: self.pack.max(other.pack),
            align: self.align.max(other.align),
        }
    }
}

/// A type of a system's header whose definition D cannot read.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// `struct`, `union` or `enum`; none for a typedef.
    pub kind: Option<TagKind>,
    /// The tag, or the name.
    pub name: String,
    /// What D has not.
    pub why: String,
    /// Where the header says so.
    pub span: Span,
}

/// What is between the braces of a definition.
#[derive(Clone, Debug, PartialEq)]
pub enum DefinitionBody {
    /// Of a struct or union.
    Members(Vec<MemberDeclaration>),
    /// Of an enum.
    Enumerators(Vec<Enumerator>),
}

/// `unsigned a : 3, b;`
#[derive(Clone, Debug, PartialEq)]
pub struct MemberDeclaration {
    /// The type.
    pub specs: TypeSpecs,
    /// At least one; in an included file none, for `union { int a; };`, whose members are those of what it is in.
    pub members: Vec<MemberDeclarator>,
}

/// One member. The grammar sees to it that it has a name or a width.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberDeclarator {
    /// Nameless and underived for `: 3`.
    pub declarator: Declarator,
    /// The width of a bit-field.
    pub width: Option<Box<Expr>>,
}

/// `RED = 1`
#[derive(Clone, Debug, PartialEq)]
pub struct Enumerator {
    /// Its name.
    pub name: Ident,
    /// Its value, if it is written.
    pub value: Option<Box<Expr>>,
}

/// A declarator: the name and what is derived from the specifiers, innermost first.
#[derive(Clone, Debug, PartialEq)]
pub struct Declarator {
    /// Absent in abstract declarators.
    pub name: Option<Ident>,
    /// Applied to the base type from first to last.
    pub derived: Vec<Derived>,
    /// What is said of its layout; for a type and a member.
    pub layout: Layout,
    /// The declarator's place.
    pub span: Span,
}

/// One step of a declarator.
#[derive(Clone, Debug, PartialEq)]
pub enum Derived {
    /// `*`
    Pointer,
    /// `[N]` or `[]`
    Array(Option<Box<Expr>>),
    /// `[int, string]`: an associative array signature.
    Assoc(Vec<TypeName>),
    /// `(int, char *)`; the flag says whether `...` ends the list.
    Function(Vec<TypeName>, bool),
}

/// A type name: specifiers and an abstract declarator.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeName {
    /// The base.
    pub specs: TypeSpecs,
    /// Pointers, arrays, functions; `name` is kept for parameters.
    pub declarator: Declarator,
    /// The whole name.
    pub span: Span,
}

/// A statement (language spec §3.4).
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// `;`
    Empty(Span),
    /// An expression, an action call or an aggregation assignment.
    Expr(Expr),
    /// `if (cond) then else otherwise`
    If {
        /// The condition.
        cond: Expr,
        /// Run when it is non-zero.
        then: Vec<Stmt>,
        /// Run when it is zero.
        otherwise: Vec<Stmt>,
        /// The whole statement.
        span: Span,
    },
}

/// Index of an expression in its program's side tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Unique within the program.
    pub id: ExprId,
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: ExprKind,
}

/// The shapes of expressions (language spec §3.5).
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// An integer or character constant, or a macro that stands for one (language spec §2.8, §2.9, §2.13).
    Int(IntLit),
    /// A string constant, escapes processed, cut at the first NUL.
    Str(Vec<u8>),
    /// A plain or backquoted name.
    Name(String),
    /// `self->x`
    SelfVar(String),
    /// `this->x`
    ThisVar(String),
    /// `@x` or `@`, whose name is `_`.
    Agg(String),
    /// `f(args)`; any callee parses, only a name passes the checker (`D_FUNC_IDENT`).
    Call {
        /// The callee.
        callee: Box<Expr>,
        /// The arguments.
        args: Vec<Expr>,
    },
    /// `base[keys]`
    Index {
        /// Array, associative array, aggregation or pointer.
        base: Box<Expr>,
        /// One or more keys.
        keys: Vec<Expr>,
    },
    /// `base.member` or `base->member`
    Member {
        /// The struct, or the pointer to it.
        base: Box<Expr>,
        /// Whether it was `->`.
        arrow: bool,
        /// The member's name.
        member: Ident,
    },
    /// A prefix operator.
    Unary {
        /// Which.
        op: UnaryOp,
        /// Its operand.
        operand: Box<Expr>,
    },
    /// `x++` or `x--`
    Postfix {
        /// Whether it adds.
        increment: bool,
        /// The lvalue.
        operand: Box<Expr>,
    },
    /// A binary operator, the logical ones included.
    Binary {
        /// Which.
        op: BinaryOp,
        /// Evaluated first.
        lhs: Box<Expr>,
        /// Evaluated second, by `&&` and `||` only when needed.
        rhs: Box<Expr>,
    },
    /// `cond ? then : otherwise`
    Cond {
        /// The condition.
        cond: Box<Expr>,
        /// Its value when non-zero.
        then: Box<Expr>,
        /// Its value when zero.
        otherwise: Box<Expr>,
    },
    /// `lhs = rhs` (`op` is `None`) or `lhs op= rhs`
    Assign {
        /// The operator of a compound assignment.
        op: Option<BinaryOp>,
        /// A unary expression.
        lhs: Box<Expr>,
        /// The value.
        rhs: Box<Expr>,
    },
    /// `lhs, rhs`
    Comma(Box<Expr>, Box<Expr>),
    /// `(type)operand`
    Cast {
        /// The target.
        ty: TypeName,
        /// The value.
        operand: Box<Expr>,
    },
    /// `xlate<type>(operand)`
    Xlate {
        /// The output type, or a pointer to it.
        ty: TypeName,
        /// What is translated.
        operand: Box<Expr>,
    },
    /// `sizeof (type)`
    SizeofType(TypeName),
    /// `offsetof(type, member)`
    Offsetof {
        /// A struct or union.
        ty: TypeName,
        /// Its member.
        member: Ident,
    },
    /// `sizeof expr`
    SizeofExpr(Box<Expr>),
    /// `stringof expr`
    Stringof(Box<Expr>),
}

/// An integer constant with what decides its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntLit {
    /// The bits.
    pub value: u64,
    /// Not octal or hexadecimal.
    pub decimal: bool,
    /// A `u` suffix.
    pub unsigned: bool,
    /// The number of `l` suffixes.
    pub longs: u8,
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `~`
    BitNot,
    /// `!`
    Not,
    /// `&`
    AddressOf,
    /// `*`
    Deref,
    /// `++`
    Increment,
    /// `--`
    Decrement,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are C's")]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    BitAnd,
    BitXor,
    BitOr,
    LogAnd,
    LogXor,
    LogOr,
}
