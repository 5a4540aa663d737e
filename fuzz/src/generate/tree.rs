//! Trees of syntactically right programs: every shape the parser makes, without regard to names and types.

use dtrail_lang::ast::{
    BinaryOp, Clause, DEFINITION, Declaration, Declarator, Definition, DefinitionBody, Derived, Enumerator,
    Expr, ExprId, ExprKind, Ident, Inline, IntLit, Item, Layout, MemberDeclaration, MemberDeclarator,
    ProbeDesc, ProbeInterface, Program, Provider, Stmt, Storage, Translator, TypeName, TypeSpecs, UnaryOp,
};
use dtrail_lang::source::{SourceId, Span};
use dtrail_lang::types::TagKind;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

const NOWHERE: Span = Span { source: SourceId(0), start: 0, end: 0 };

const BINARY: [BinaryOp; 19] = [
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Shl,
    BinaryOp::Shr,
    BinaryOp::Lt,
    BinaryOp::Le,
    BinaryOp::Gt,
    BinaryOp::Ge,
    BinaryOp::Eq,
    BinaryOp::Ne,
    BinaryOp::BitAnd,
    BinaryOp::BitXor,
    BinaryOp::BitOr,
    BinaryOp::LogAnd,
    BinaryOp::LogXor,
    BinaryOp::LogOr,
];

/// The operators that have a compound assignment: the first five, shifts and bits.
const COMPOUND: [BinaryOp; 10] = [
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Shl,
    BinaryOp::Shr,
    BinaryOp::BitAnd,
    BinaryOp::BitXor,
    BinaryOp::BitOr,
];

const UNARY: [UnaryOp; 8] = [
    UnaryOp::Plus,
    UnaryOp::Minus,
    UnaryOp::BitNot,
    UnaryOp::Not,
    UnaryOp::AddressOf,
    UnaryOp::Deref,
    UnaryOp::Increment,
    UnaryOp::Decrement,
];

/// A program of up to six items.
pub fn program() -> impl Strategy<Value = Program> {
    let item = prop_oneof![
        3 => clause().prop_map(Item::Clause),
        1 => declaration().prop_map(Item::Declaration),
        1 => inline().prop_map(Item::Inline),
        1 => translator().prop_map(Item::Translator),
        1 => provider().prop_map(Item::Provider),
    ];
    vec(item, 1..6).prop_map(|items| Program {
        items,
        expr_count: 0,
        macro_args_used: Vec::new(),
        left_out: Vec::new(),
        beginning: None,
    })
}

/// An expression of moderate size.
pub fn expr() -> impl Strategy<Value = Expr> {
    leaf().prop_recursive(6, 40, 4, |inner| {
        let sub = || inner.clone().prop_map(Box::new);
        prop_oneof![
            3 => (select(&BINARY[..]), sub(), sub()).prop_map(|(op, lhs, rhs)| ExprKind::Binary { op, lhs, rhs }),
            2 => (select(&UNARY[..]), sub()).prop_map(|(op, operand)| ExprKind::Unary { op, operand }),
            2 => (option::of(select(&COMPOUND[..])), sub(), sub())
                .prop_map(|(op, lhs, rhs)| ExprKind::Assign { op, lhs, rhs }),
            1 => (any::<bool>(), sub()).prop_map(|(increment, operand)| ExprKind::Postfix { increment, operand }),
            1 => (sub(), sub(), sub())
                .prop_map(|(cond, then, otherwise)| ExprKind::Cond { cond, then, otherwise }),
            1 => (sub(), sub()).prop_map(|(lhs, rhs)| ExprKind::Comma(lhs, rhs)),
            1 => (type_name(inner.clone().boxed()), sub()).prop_map(|(ty, operand)| ExprKind::Cast { ty, operand }),
            1 => type_name(inner.clone().boxed()).prop_map(ExprKind::SizeofType),
            1 => (plain_type(), member()).prop_map(|(ty, member)| ExprKind::Offsetof { ty, member }),
            1 => (plain_type(), sub()).prop_map(|(ty, operand)| ExprKind::Xlate { ty, operand }),
            1 => sub().prop_map(ExprKind::SizeofExpr),
            1 => sub().prop_map(ExprKind::Stringof),
            2 => (sub(), vec(inner.clone(), 0..3)).prop_map(|(callee, args)| ExprKind::Call { callee, args }),
            2 => (sub(), vec(inner.clone(), 1..3)).prop_map(|(base, keys)| ExprKind::Index { base, keys }),
            1 => (sub(), any::<bool>(), member())
                .prop_map(|(base, arrow, member)| ExprKind::Member { base, arrow, member }),
        ]
        .prop_map(node)
    })
}

fn node(kind: ExprKind) -> Expr {
    Expr { id: ExprId(0), span: NOWHERE, kind }
}

fn leaf() -> impl Strategy<Value = Expr> {
    prop_oneof![
        3 => name().prop_map(ExprKind::Name),
        2 => int().prop_map(ExprKind::Int),
        1 => vec(1u8..=255, 0..6).prop_map(ExprKind::Str),
        1 => name().prop_map(|name| ExprKind::SelfVar(name.replace('`', "q"))),
        1 => name().prop_map(|name| ExprKind::ThisVar(name.replace('`', "q"))),
        1 => select(vec!["_", "a", "_b1"]).prop_map(|name| ExprKind::Agg(name.to_string())),
    ]
    .prop_map(node)
}

/// No type and no keyword.
fn name() -> impl Strategy<Value = String> {
    let names = ["x", "y", "pid", "execname", "arg0", "foo_Bar9", "_", "mod`sym", "`k", "``u", "e1", "f"];
    select(names.to_vec()).prop_map(str::to_string)
}

fn ident(name: impl Into<String>) -> Ident {
    Ident { name: name.into(), span: NOWHERE }
}

fn member() -> impl Strategy<Value = Ident> {
    select(vec!["m", "while", "int", "self", "x1", "string", "size_t"]).prop_map(ident)
}

fn int() -> impl Strategy<Value = IntLit> {
    let value = prop_oneof![0..10u64, any::<u64>(), Just(u64::MAX), Just(i64::MAX as u64)];
    (value, any::<bool>(), any::<bool>(), 0..=2u8).prop_map(|(value, decimal, unsigned, longs)| {
        // A decimal constant without `u` must fit a signed type.
        let value = if decimal && !unsigned { value & i64::MAX as u64 } else { value };
        // A lone zero is neither octal nor hexadecimal unless written so.
        IntLit { value, decimal, unsigned, longs }
    })
}

fn specs() -> impl Strategy<Value = TypeSpecs> {
    let words = select(vec![
        vec!["int"],
        vec!["unsigned", "long", "int"],
        vec!["char", "int"],
        vec!["string"],
        vec!["void"],
        vec!["struct s"],
        vec!["union while1"],
        vec!["enum e"],
        vec!["size_t"],
        vec!["uint64_t"],
    ]);
    let qualifiers = select(vec![vec![], vec![], vec!["const"], vec!["volatile", "restrict"]]);
    (words, qualifiers, option::weighted(0.15, definition())).prop_map(|(words, qualifiers, definition)| {
        TypeSpecs {
            words: match &definition {
                Some(_) => vec![ident(DEFINITION)],
                None => words.into_iter().map(ident).collect(),
            },
            definitions: definition.into_iter().collect(),
            qualifiers: qualifiers.into_iter().map(ident).collect(),
            span: NOWHERE,
        }
    })
}

/// A struct, union or enum with its body, of members that are plain.
fn definition() -> impl Strategy<Value = Definition> {
    let tag = || option::of(select(vec!["s", "while1", "size_t"]).prop_map(ident));
    let specs = select(vec![vec!["int"], vec!["struct s"], vec!["unsigned", "char"], vec!["long"]]).prop_map(
        |words| TypeSpecs {
            words: words.into_iter().map(ident).collect(),
            definitions: Vec::new(),
            qualifiers: Vec::new(),
            span: NOWHERE,
        },
    );
    let width = || option::of((0..20u64).prop_map(|value| Box::new(node(ExprKind::Int(number(value))))));
    let steps = vec(prop_oneof![Just(Derived::Pointer), Just(Derived::Array(None))], 0..3);
    let named = (select(vec!["a", "b9", "c"]), steps, width()).prop_map(|(name, derived, width)| {
        let declarator =
            Declarator { name: Some(ident(name)), derived, layout: Layout::default(), span: NOWHERE };
        MemberDeclarator { declarator, width }
    });
    let padding = (0..20u64).prop_map(|value| MemberDeclarator {
        declarator: Declarator { name: None, derived: Vec::new(), layout: Layout::default(), span: NOWHERE },
        width: Some(Box::new(node(ExprKind::Int(number(value))))),
    });
    let members = vec(prop_oneof![3 => named, 1 => padding], 1..3);
    let member = (specs, members).prop_map(|(specs, members)| MemberDeclaration { specs, members });
    let enumerator = (select(vec!["A", "b", "C9"]), width())
        .prop_map(|(name, value)| Enumerator { name: ident(name), value });
    prop_oneof![
        2 => (select(vec![TagKind::Struct, TagKind::Union]), tag(), vec(member, 1..3)).prop_map(
            |(kind, tag, members)| Definition {
                kind,
                tag,
                body: DefinitionBody::Members(members),
                layout: Layout::default(),
                span: NOWHERE,
            }
        ),
        1 => (tag(), vec(enumerator, 1..3)).prop_map(|(tag, enumerators)| Definition {
            kind: TagKind::Enum,
            tag,
            body: DefinitionBody::Enumerators(enumerators),
            layout: Layout::default(),
            span: NOWHERE,
        }),
    ]
}

fn number(value: u64) -> IntLit {
    IntLit { value, decimal: true, unsigned: false, longs: 0 }
}

fn is_typedef(specs: &TypeSpecs) -> bool {
    specs.words.iter().any(|word| word.name.ends_with("_t"))
}

/// A type name whose array bounds are of the given kind.
fn type_name(bound: BoxedStrategy<Expr>) -> BoxedStrategy<TypeName> {
    (specs(), vec(derived(bound, 1), 0..4))
        .prop_map(|(specs, mut derived)| {
            // `size_t [3]` is a variable's element (language spec §2.7, rule 6), `size_t (*)[3]` is a type.
            // `size_t *(int)` begins like a product.
            let last = derived.last();
            let element = matches!(last, Some(Derived::Array(_) | Derived::Assoc(_) | Derived::Function(..)));
            if is_typedef(&specs) && element {
                derived.push(Derived::Pointer);
            }
            TypeName {
                specs,
                declarator: Declarator { name: None, derived, layout: Layout::default(), span: NOWHERE },
                span: NOWHERE,
            }
        })
        .boxed()
}

fn derived(bound: BoxedStrategy<Expr>, depth: u32) -> BoxedStrategy<Derived> {
    let plain = prop_oneof![
        3 => Just(Derived::Pointer),
        1 => Just(Derived::Array(None)),
        1 => bound.clone().prop_map(|bound| Derived::Array(Some(Box::new(bound)))),
    ];
    if depth == 0 {
        return plain.boxed();
    }
    let parameter = (specs(), vec(derived(bound, depth - 1), 0..2), option::of(select(vec!["p", "q"])))
        .prop_map(|(specs, mut derived, name)| {
            // The first key of an associative array that is no plain pointer looks like a bound.
            if is_typedef(&specs) {
                derived.retain(|step| *step == Derived::Pointer);
            }
            let declarator =
                Declarator { name: name.map(ident), derived, layout: Layout::default(), span: NOWHERE };
            TypeName { specs, declarator, span: NOWHERE }
        })
        .boxed();
    prop_oneof![
        4 => plain,
        1 => vec(parameter.clone(), 1..3).prop_map(Derived::Assoc),
        1 => (vec(parameter, 0..3), any::<bool>()).prop_map(|(list, more)| Derived::Function(list, more)),
    ]
    .boxed()
}

fn declaration() -> impl Strategy<Value = Declaration> {
    let storage = select(vec![
        None,
        None,
        Some(Storage::SelfLocal),
        Some(Storage::ThisLocal),
        Some(Storage::Static),
        Some(Storage::Extern),
        Some(Storage::Auto),
        Some(Storage::Register),
    ]);
    let name = select(vec!["x", "y", "last", "_z9"]).prop_map(ident);
    let declarator = (name, vec(derived(expr().boxed(), 1), 0..3)).prop_map(|(name, derived)| Declarator {
        name: Some(name),
        derived,
        layout: Layout::default(),
        span: NOWHERE,
    });
    let here = (storage, specs(), vec(declarator, 1..3), any::<bool>()).prop_map(
        |(storage, mut specs, declarators, bare)| {
            if bare && storage.is_some() {
                specs.words.clear();
                specs.definitions.clear();
            }
            Declaration { storage, specs, declarators, included: false, span: NOWHERE }
        },
    );
    prop_oneof![4 => here, 1 => included()]
}

/// What a header says of a layout, but for `#pragma pack`, which is of a whole declaration.
fn layout() -> impl Strategy<Value = Layout> {
    (any::<bool>(), select(vec![0, 1, 16])).prop_map(|(packed, align)| Layout { packed, pack: 0, align })
}

/// A declaration of a header: of what C and D both have, of members without a name, and with layouts.
fn included() -> impl Strategy<Value = Declaration> {
    let storage = select(vec![None, Some(Storage::Extern), Some(Storage::Typedef)]);
    let pointers = vec(Just(Derived::Pointer), 0..3);
    let layouts = (layout(), layout(), layout(), select(vec![0, 0, 2]));
    let parts = (storage, definition(), definition(), pointers, layouts);
    parts.prop_map(|(storage, mut outer, mut inner, derived, layouts)| {
        let (of_outer, of_inner, layout, pack) = layouts;
        for (definition, layout) in [(&mut outer, of_outer), (&mut inner, of_inner)] {
            if definition.kind != TagKind::Enum {
                definition.layout = Layout { pack, ..layout };
            }
        }
        let specs = |definition| TypeSpecs {
            words: vec![ident(DEFINITION)],
            definitions: vec![definition],
            qualifiers: Vec::new(),
            span: NOWHERE,
        };
        inner.tag = None;
        if let DefinitionBody::Members(members) = &mut outer.body {
            members.push(MemberDeclaration { specs: specs(inner), members: Vec::new() });
        }
        let declarator = Declarator { name: Some(ident("included_x")), derived, layout, span: NOWHERE };
        let declarators = vec![declarator];
        Declaration { storage, specs: specs(outer), declarators, included: true, span: NOWHERE }
    })
}

fn inline() -> impl Strategy<Value = Inline> {
    let name = select(vec!["x", "y", "last", "_z9"]).prop_map(ident);
    let storage = select(vec![None, None, Some(Storage::SelfLocal), Some(Storage::Static)]);
    let derived = vec(derived(expr().boxed(), 1), 0..2);
    // A comma ends the definition's value.
    let value = expr().prop_filter("no comma", |value| !matches!(value.kind, ExprKind::Comma(..)));
    (storage, specs(), name, derived, value).prop_map(|(storage, specs, name, derived, value)| {
        let declarator = Declarator { name: Some(name), derived, layout: Layout::default(), span: NOWHERE };
        Inline { storage, specs, declarator, value, span: NOWHERE }
    })
}

/// A plain type, perhaps pointed to.
fn plain_type() -> impl Strategy<Value = TypeName> {
    let specs = specs().prop_filter("no definition", |specs| specs.definitions.is_empty());
    (specs, vec(Just(Derived::Pointer), 0..2)).prop_map(|(specs, derived)| TypeName {
        specs,
        declarator: Declarator { name: None, derived, layout: Layout::default(), span: NOWHERE },
        span: NOWHERE,
    })
}

fn translator() -> impl Strategy<Value = Translator> {
    let member = (select(vec!["m", "x1", "pr_pid"]).prop_map(ident), expr())
        .prop_filter("no comma", |(_, value)| !matches!(value.kind, ExprKind::Comma(..)));
    let param = select(vec!["T", "i"]).prop_map(ident);
    (plain_type(), plain_type(), param, vec(member, 0..3)).prop_map(|(output, input, param, members)| {
        Translator { output, input, param, members, span: NOWHERE }
    })
}

fn provider() -> impl Strategy<Value = Provider> {
    let list = || {
        vec((plain_type(), option::of(select(vec!["p", "q"]))), 0..3).prop_map(|list| {
            let named = list.into_iter().map(|(mut ty, name)| {
                ty.declarator.name = name.map(ident);
                ty
            });
            named.collect::<Vec<_>>()
        })
    };
    let probe = (select(vec!["a", "order__done"]).prop_map(ident), list(), option::of(list()))
        .prop_map(|(name, native, seen)| ProbeInterface { name, native, seen, span: NOWHERE });
    (select(vec!["shop", "p9"]).prop_map(ident), vec(probe, 0..3)).prop_map(|(name, probes)| Provider {
        name,
        probes,
        span: NOWHERE,
    })
}

fn clause() -> impl Strategy<Value = Clause> {
    let texts = [
        "BEGIN",
        "END",
        "tick-1s",
        "syscall::read:entry",
        "*:::",
        ":::[!a-z]*",
        "pid$target:::entry",
        "if",
        "x\\*",
        "1",
        "0x2",
    ];
    let probe = select(texts.to_vec()).prop_map(|text| ProbeDesc {
        text: text.to_string(),
        numeric: text.starts_with(|c: char| c.is_ascii_digit()),
        span: NOWHERE,
    });
    let body = vec(stmt(), 0..5).prop_map(Some);
    (vec(probe, 1..4), option::of(expr()), body).prop_map(|(probes, predicate, body)| Clause {
        probes,
        predicate,
        body,
        span: NOWHERE,
    })
}

fn stmt() -> impl Strategy<Value = Stmt> {
    let plain = prop_oneof![1 => Just(Stmt::Empty(NOWHERE)), 6 => expr().prop_map(Stmt::Expr)];
    plain.prop_recursive(3, 12, 3, |inner| {
        let list = || vec(inner.clone(), 0..3);
        (expr(), list(), list()).prop_map(|(cond, then, otherwise)| Stmt::If {
            cond,
            then,
            otherwise,
            span: NOWHERE,
        })
    })
}
