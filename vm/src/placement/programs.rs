//! Random programs, built as trees and lowered to structured IR, and random events for them.

use dtrail_lang::builtins::{Action, AggFn, BuiltinVar, Func};
use dtrail_lang::ir::{
    ActionSite, AddrSpace, AggId, AggSite, AggSiteId, BinOp, Block, BlockId, Clause, ClauseId, CmpOp, Detail,
    Enabling, Inst, MemSize, Op, ProbeIndex, Program, Reg, RegKind, SiteId, StrId, Terminator, ValueType,
    VarId, parse,
};
use dtrail_lang::source::{SourceId, Span};
use proptest::prelude::*;

use crate::testing::{FakeEvent, Script};

/// The tables of every program here. Sites and clauses are added.
const TABLES: &str = "\
limits strsize 24 scratchsize 64
p0 = probe 1 dtrace:::BEGIN tracer
p1 = probe 2 dtrace:::END tracer
p2 = probe 3 dtrace:::ERROR fault
p3 = probe 9 profile:::tick-1s tracer
p4 = probe 42 syscall:vmlinux:read:entry source
p5 = probe 43 syscall:vmlinux:write:entry source
var g: i64
var h: i64
var gs: string
var self->t: i64
var self->s: string
var this->l: i64
var this->m: string
var a[i64]: i64
var b[string]: string
agg @c[string]: count
agg @s[]: sum
agg @m[i64]: min
agg @q[string, i64]: quantize
agg @v[i64]: avg
agg @d[i64]: stddev
string \"\"
string \"read\"
string \"a/b\"
string \"cat\"
";

const G: [VarId; 2] = [VarId(0), VarId(1)];
const GS: VarId = VarId(2);
const T: VarId = VarId(3);
const S: VarId = VarId(4);
const L: VarId = VarId(5);
const M: VarId = VarId(6);
const A: VarId = VarId(7);
const B: VarId = VarId(8);
/// By [`AggId`]: function and kinds of keys.
const AGGS: [AggFn; 6] = [AggFn::Count, AggFn::Sum, AggFn::Min, AggFn::Quantize, AggFn::Avg, AggFn::Stddev];

const LONG: ValueType = ValueType::Int { bits: 64, signed: true };

/// An integer expression.
#[derive(Clone, Debug)]
enum Int {
    Const(i64),
    Builtin(BuiltinVar, u32),
    Var(VarId),
    Elem(Box<Int>),
    Binary(BinOp, Box<(Int, Int)>),
    Compare(CmpOp, Box<(Int, Int)>),
    StrCompare(CmpOp, Box<(Str, Str)>),
    Strlen(Box<Str>),
    Index(Box<(Str, Str)>),
    Load(Box<Int>),
    Cond(Box<(Int, Int, Int)>),
}

/// A string expression.
#[derive(Clone, Debug)]
enum Str {
    Const(u32),
    Null,
    Builtin(BuiltinVar),
    Var(VarId),
    Elem(Box<Str>),
    Copyinstr(Box<Int>),
    Join(Box<(Str, Str)>),
    Strstr(Box<(Str, Str)>),
    Substr(Box<(Str, Int)>),
    Basename(Box<Str>),
    Cond(Box<(Int, Str, Str)>),
}

#[derive(Clone, Debug)]
enum Stmt {
    SetInt(VarId, Int),
    SetStr(VarId, Str),
    SetA(Int, Int),
    SetB(Str, Str),
    Aggregate(u32, Str, Int, Int),
    Printf(Int, Str),
    Printa(u32),
    Clear(u32),
    Trunc(u32, Int),
    Exit(Int),
    /// A variable = the number of a speculation.
    Take(VarId),
    /// `speculate`, `commit` or `discard` of a number.
    Speculation(Action, Int),
    If(Int, Vec<Stmt>, Vec<Stmt>),
}

#[derive(Clone, Debug)]
struct Source {
    probes: Vec<u32>,
    predicate: Option<Int>,
    body: Vec<Stmt>,
}

fn ints() -> impl Strategy<Value = Int> {
    exprs(3).0
}

fn strs() -> impl Strategy<Value = Str> {
    exprs(3).1
}

/// Expressions of bounded depth; the two kinds need each other.
fn exprs(depth: u32) -> (BoxedStrategy<Int>, BoxedStrategy<Str>) {
    let int_leaf = prop_oneof![
        3 => prop_oneof![-2_i64..4, Just(4096), Just(4100), any::<i64>()].prop_map(Int::Const),
        3 => (0_u32..3).prop_map(|i| Int::Builtin(BuiltinVar::Arg, i)),
        1 => prop_oneof![Just(BuiltinVar::Pid), Just(BuiltinVar::Tid), Just(BuiltinVar::Uid), Just(BuiltinVar::Id)]
            .prop_map(|var| Int::Builtin(var, 0)),
        3 => prop_oneof![Just(G[0]), Just(G[1]), Just(T), Just(L)].prop_map(Int::Var),
    ];
    let str_leaf = prop_oneof![
        3 => (0_u32..5).prop_map(|i| if i < 4 { Str::Const(i) } else { Str::Null }),
        2 => prop_oneof![Just(BuiltinVar::Execname), Just(BuiltinVar::Probefunc)].prop_map(Str::Builtin),
        3 => prop_oneof![Just(GS), Just(S), Just(M)].prop_map(Str::Var),
    ];
    if depth == 0 {
        return (int_leaf.boxed(), str_leaf.boxed());
    }
    let (int, string) = exprs(depth - 1);
    let two = || (int.clone(), int.clone());
    let two_strs = || (string.clone(), string.clone());
    let bin = prop_oneof![
        Just(BinOp::Add),
        Just(BinOp::Sub),
        Just(BinOp::Mul),
        Just(BinOp::And),
        Just(BinOp::Or),
        Just(BinOp::Shl),
        Just(BinOp::ShrS),
        Just(BinOp::DivS),
        Just(BinOp::RemU),
    ];
    let cmp = || prop_oneof![Just(CmpOp::Eq), Just(CmpOp::Ne), Just(CmpOp::LtS), Just(CmpOp::LeU)];
    let str_cmp = prop_oneof![Just(CmpOp::Eq), Just(CmpOp::Ne), Just(CmpOp::LtU)];
    let ints = prop_oneof![
        6 => int_leaf,
        3 => (bin, two()).prop_map(|(op, pair)| Int::Binary(op, Box::new(pair))),
        2 => (cmp(), two()).prop_map(|(op, pair)| Int::Compare(op, Box::new(pair))),
        2 => (str_cmp, two_strs()).prop_map(|(op, pair)| Int::StrCompare(op, Box::new(pair))),
        1 => string.clone().prop_map(|s| Int::Strlen(Box::new(s))),
        1 => two_strs().prop_map(|pair| Int::Index(Box::new(pair))),
        1 => int.clone().prop_map(|i| Int::Elem(Box::new(i))),
        1 => address(&int).prop_map(|i| Int::Load(Box::new(i))),
        1 => (int.clone(), int.clone(), int.clone()).prop_map(|three| Int::Cond(Box::new(three))),
    ];
    let strings = prop_oneof![
        6 => str_leaf,
        1 => string.clone().prop_map(|s| Str::Elem(Box::new(s))),
        2 => address(&int).prop_map(|i| Str::Copyinstr(Box::new(i))),
        1 => two_strs().prop_map(|pair| Str::Join(Box::new(pair))),
        1 => two_strs().prop_map(|pair| Str::Strstr(Box::new(pair))),
        1 => (string.clone(), int.clone()).prop_map(|pair| Str::Substr(Box::new(pair))),
        1 => string.clone().prop_map(|s| Str::Basename(Box::new(s))),
        1 => (int.clone(), string.clone(), string.clone()).prop_map(|three| Str::Cond(Box::new(three))),
    ];
    (ints.boxed(), strings.boxed())
}

/// Addresses, most of them readable at an event, since a pinned read of a computed one has no place.
fn address(int: &BoxedStrategy<Int>) -> BoxedStrategy<Int> {
    let simple = prop_oneof![4 => Just(Int::Builtin(BuiltinVar::Arg, 1)), 2 => Just(Int::Const(4096)), 1 => Just(Int::Const(0))];
    prop_oneof![8 => simple, 1 => int.clone()].boxed()
}

fn speculations() -> impl Strategy<Value = Action> {
    prop_oneof![2 => Just(Action::Speculate), 1 => Just(Action::Commit), 1 => Just(Action::Discard)]
}

/// Numbers of speculations, or not.
fn numbers() -> impl Strategy<Value = Int> {
    let var = prop_oneof![Just(G[0]), Just(T)].prop_map(Int::Var);
    prop_oneof![6 => (0_i64..4).prop_map(Int::Const), 6 => var, 1 => ints()]
}

fn stmts(depth: u32) -> BoxedStrategy<Vec<Stmt>> {
    let flat = || {
        let int_var = prop_oneof![Just(G[0]), Just(G[1]), Just(T), Just(L)];
        let str_var = prop_oneof![Just(GS), Just(S), Just(M)];
        prop_oneof![
            4 => (int_var, ints()).prop_map(|(var, value)| Stmt::SetInt(var, value)),
            2 => (str_var, strs()).prop_map(|(var, value)| Stmt::SetStr(var, value)),
            2 => (ints(), ints()).prop_map(|(key, value)| Stmt::SetA(key, value)),
            1 => (strs(), strs()).prop_map(|(key, value)| Stmt::SetB(key, value)),
            4 => (0_u32..6, strs(), ints(), ints()).prop_map(|(agg, s, i, v)| Stmt::Aggregate(agg, s, i, v)),
            4 => (ints(), strs()).prop_map(|(i, s)| Stmt::Printf(i, s)),
            1 => (0_u32..6).prop_map(Stmt::Printa),
            1 => (0_u32..6).prop_map(Stmt::Clear),
            1 => (0_u32..6, ints()).prop_map(|(agg, keep)| Stmt::Trunc(agg, keep)),
            1 => prop_oneof![Just(G[0]), Just(T)].prop_map(Stmt::Take),
            2 => (speculations(), numbers()).prop_map(|(action, number)| Stmt::Speculation(action, number)),
        ]
    };
    let one = match depth {
        0 => flat().boxed(),
        _ => {
            let inner = stmts(depth - 1);
            let branch = (ints(), inner.clone(), inner).prop_map(|(c, a, b)| Stmt::If(c, a, b));
            let exit = ints().prop_map(Stmt::Exit);
            prop_oneof![12 => flat(), 3 => branch, 1 => exit].boxed()
        }
    };
    prop::collection::vec(one, 1..5).boxed()
}

/// Programs of one to four clauses.
pub(super) fn program() -> impl Strategy<Value = Program> {
    let probes = prop_oneof![
        4 => Just(vec![4]),
        2 => Just(vec![4, 5]),
        2 => Just(vec![5]),
        1 => Just(vec![0]),
        1 => Just(vec![1]),
        1 => Just(vec![2]),
        1 => Just(vec![3]),
        1 => Just(vec![0, 4]),
    ];
    let clause = (probes, prop::option::of(ints()), stmts(2));
    let clause = clause.prop_map(|(probes, predicate, body)| Source { probes, predicate, body });
    prop::collection::vec(clause, 1..5).prop_map(|mut clauses| {
        clauses.push(last_words());
        lower(&clauses)
    })
}

/// `END` prints the state that is left.
fn last_words() -> Source {
    let elem = |key| Int::Elem(Box::new(Int::Const(key)));
    let body = vec![
        Stmt::Printf(Int::Var(G[0]), Str::Var(GS)),
        Stmt::Printf(Int::Var(G[1]), Str::Elem(Box::new(Str::Const(3)))),
        Stmt::Printf(elem(0), Str::Elem(Box::new(Str::Const(0)))),
        Stmt::Printf(elem(1), Str::Elem(Box::new(Str::Const(1)))),
    ];
    Source { probes: vec![1], predicate: None, body }
}

fn lower(clauses: &[Source]) -> Program {
    let mut program = parse::program(TABLES).expect("IR of this test");
    for (i, source) in clauses.iter().enumerate() {
        let id = ClauseId(i as u32);
        let mut lowering = Lowering {
            program: &mut program,
            id,
            regs: Vec::new(),
            blocks: vec![Block { insts: Vec::new(), end: Terminator::Return }],
            point: 0,
            stmt: 0,
        };
        match &source.predicate {
            Some(predicate) => {
                let cond = lowering.int(predicate);
                lowering.branch(cond, |cx| cx.body(&source.body), |_| {});
            }
            None => lowering.body(&source.body),
        }
        let Lowering { regs, blocks, .. } = lowering;
        program.clauses.push(Clause { number: id.0, regs, blocks, span: SPAN });
        let probes = source.probes.iter().map(|&probe| ProbeIndex(probe)).collect();
        program.enablings.push(Enabling { clause: id, probes });
    }
    program
}

const SPAN: Span = Span { source: SourceId(0), start: 0, end: 0 };

struct Lowering<'p> {
    program: &'p mut Program,
    id: ClauseId,
    regs: Vec<RegKind>,
    blocks: Vec<Block>,
    point: u32,
    stmt: u32,
}

impl Lowering<'_> {
    fn reg(&mut self, kind: RegKind) -> Reg {
        self.regs.push(kind);
        Reg(self.regs.len() as u32 - 1)
    }

    fn emit(&mut self, op: Op) {
        let inst = Inst { op, point: self.point, stmt: self.stmt, span: SPAN };
        self.point += 1;
        self.blocks.last_mut().expect("never empty").insts.push(inst);
    }

    fn result(&mut self, kind: RegKind, op: impl FnOnce(Reg) -> Op) -> Reg {
        let dst = self.reg(kind);
        self.emit(op(dst));
        dst
    }

    fn block(&mut self) -> BlockId {
        self.blocks.push(Block { insts: Vec::new(), end: Terminator::Return });
        BlockId(self.blocks.len() as u32 - 1)
    }

    fn branch(&mut self, cond: Reg, then: impl FnOnce(&mut Self), otherwise: impl FnOnce(&mut Self)) {
        let from = self.blocks.len() - 1;
        let first = self.block();
        then(self);
        let first_end = self.blocks.len() - 1;
        let second = self.block();
        otherwise(self);
        let second_end = self.blocks.len() - 1;
        let merge = self.block();
        self.blocks[from].end = Terminator::Branch { cond, then: first, otherwise: second, merge };
        self.blocks[first_end].end = Terminator::Goto(merge);
        self.blocks[second_end].end = Terminator::Goto(merge);
    }

    fn call(&mut self, kind: RegKind, func: Func, args: Vec<Reg>) -> Reg {
        self.result(kind, |dst| Op::Call { dst, func, args })
    }

    fn int(&mut self, expr: &Int) -> Reg {
        use RegKind::Int as K;
        match expr {
            Int::Const(value) => self.result(K, |dst| Op::Const { dst, value: *value }),
            Int::Builtin(var, index) => self.result(K, |dst| Op::Builtin { dst, var: *var, index: *index }),
            Int::Var(var) => self.result(K, |dst| Op::GetVar { dst, var: *var }),
            Int::Elem(key) => {
                let keys = vec![self.int(key)];
                self.result(K, |dst| Op::GetElem { dst, var: A, keys })
            }
            Int::Binary(op, pair) => {
                let (lhs, rhs) = (self.int(&pair.0), self.int(&pair.1));
                self.result(K, |dst| Op::Binary { op: *op, dst, lhs, rhs })
            }
            Int::Compare(op, pair) => {
                let (lhs, rhs) = (self.int(&pair.0), self.int(&pair.1));
                self.result(K, |dst| Op::Compare { op: *op, dst, lhs, rhs })
            }
            Int::StrCompare(op, pair) => {
                let (lhs, rhs) = (self.str(&pair.0), self.str(&pair.1));
                self.result(K, |dst| Op::StrCompare { op: *op, dst, lhs, rhs })
            }
            Int::Strlen(text) => {
                let args = vec![self.str(text)];
                self.call(K, Func::Strlen, args)
            }
            Int::Index(pair) => {
                let args = vec![self.str(&pair.0), self.str(&pair.1)];
                self.call(K, Func::Index, args)
            }
            Int::Load(addr) => {
                let addr = self.int(addr);
                let (size, space) = (MemSize::B2, AddrSpace::ByAddress);
                self.result(K, |dst| Op::Load { dst, addr, size, signed: true, space })
            }
            Int::Cond(three) => {
                let dst = self.reg(K);
                let cond = self.int(&three.0);
                let arm = |value: &Int, cx: &mut Self| {
                    let src = cx.int(value);
                    cx.emit(Op::Move { dst, src });
                };
                self.branch(cond, |cx| arm(&three.1, cx), |cx| arm(&three.2, cx));
                dst
            }
        }
    }

    fn str(&mut self, expr: &Str) -> Reg {
        use RegKind::Str as K;
        match expr {
            Str::Const(id) => self.result(K, |dst| Op::Str { dst, value: StrId(*id) }),
            Str::Null => self.result(K, |dst| Op::Null { dst }),
            Str::Builtin(var) => self.result(K, |dst| Op::Builtin { dst, var: *var, index: 0 }),
            Str::Var(var) => self.result(K, |dst| Op::GetVar { dst, var: *var }),
            Str::Elem(key) => {
                let keys = vec![self.str(key)];
                self.result(K, |dst| Op::GetElem { dst, var: B, keys })
            }
            Str::Copyinstr(addr) => {
                let args = vec![self.int(addr)];
                self.call(K, Func::Copyinstr, args)
            }
            Str::Join(pair) => {
                let args = vec![self.str(&pair.0), self.str(&pair.1)];
                self.call(K, Func::Strjoin, args)
            }
            Str::Strstr(pair) => {
                let args = vec![self.str(&pair.0), self.str(&pair.1)];
                self.call(K, Func::Strstr, args)
            }
            Str::Substr(pair) => {
                let args = vec![self.str(&pair.0), self.int(&pair.1)];
                self.call(K, Func::Substr, args)
            }
            Str::Basename(path) => {
                let args = vec![self.str(path)];
                self.call(K, Func::Basename, args)
            }
            Str::Cond(three) => {
                let dst = self.reg(K);
                let cond = self.int(&three.0);
                let arm = |value: &Str, cx: &mut Self| {
                    let src = cx.str(value);
                    cx.emit(Op::Move { dst, src });
                };
                self.branch(cond, |cx| arm(&three.1, cx), |cx| arm(&three.2, cx));
                dst
            }
        }
    }

    fn body(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt += 1;
            self.statement(stmt);
        }
    }

    fn site(&mut self, action: Action, args: Vec<ValueType>, detail: Detail) -> SiteId {
        self.program.sites.push(ActionSite {
            action,
            clause: self.id,
            stmt: self.stmt,
            args,
            detail,
            span: SPAN,
        });
        SiteId(self.program.sites.len() as u32 - 1)
    }

    fn statement(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::SetInt(var, value) => {
                let src = self.int(value);
                self.emit(Op::SetVar { var: *var, src });
            }
            Stmt::SetStr(var, value) => {
                let src = self.str(value);
                self.emit(Op::SetVar { var: *var, src });
            }
            Stmt::SetA(key, value) => {
                let src = self.int(value);
                let keys = vec![self.int(key)];
                self.emit(Op::SetElem { var: A, keys, src });
            }
            Stmt::SetB(key, value) => {
                let src = self.str(value);
                let keys = vec![self.str(key)];
                self.emit(Op::SetElem { var: B, keys, src });
            }
            Stmt::Aggregate(agg, text, key, value) => {
                let keys = match agg {
                    0 => vec![self.str(text)],
                    1 => vec![],
                    3 => vec![self.str(text), self.int(key)],
                    _ => vec![self.int(key)],
                };
                let value = (AGGS[*agg as usize] != AggFn::Count).then(|| self.int(value));
                self.program.agg_sites.push(AggSite { agg: AggId(*agg), clause: self.id, span: SPAN });
                let site = AggSiteId(self.program.agg_sites.len() as u32 - 1);
                self.emit(Op::Aggregate { site, keys, value, weight: None });
            }
            Stmt::Printf(int, text) => {
                let args = vec![self.int(int), self.str(text)];
                let format = "k0 = printf in c0 () format \"<\" %d64 \" \" %s \">\"";
                let detail = parse::program(format).expect("IR of this test").sites.swap_remove(0).detail;
                let site = self.site(Action::Printf, vec![LONG, ValueType::Str], detail);
                self.emit(Op::Record { site, args });
            }
            Stmt::Printa(agg) => {
                let aggs = vec![AggId(*agg)];
                let site = self.site(Action::Printa, vec![], Detail::Printa { format: None, aggs });
                self.emit(Op::Record { site, args: vec![] });
            }
            Stmt::Clear(agg) => {
                let site = self.site(Action::Clear, vec![], Detail::Agg(AggId(*agg)));
                self.emit(Op::Record { site, args: vec![] });
            }
            Stmt::Trunc(agg, keep) => {
                let args = vec![self.int(keep)];
                let site = self.site(Action::Trunc, vec![LONG], Detail::Agg(AggId(*agg)));
                self.emit(Op::Record { site, args });
            }
            Stmt::Exit(status) => {
                let args = vec![self.int(status)];
                let site =
                    self.site(Action::Exit, vec![ValueType::Int { bits: 32, signed: true }], Detail::None);
                self.emit(Op::Record { site, args });
            }
            Stmt::Take(var) => {
                let src = self.call(RegKind::Int, Func::Speculation, vec![]);
                self.emit(Op::SetVar { var: *var, src });
            }
            Stmt::Speculation(action, number) => {
                let mut number = self.int(number);
                let func = match action {
                    Action::Speculate => Func::SpecTurn,
                    Action::Commit => Func::SpecCommit,
                    _ => Func::SpecDiscard,
                };
                if *action != Action::Speculate {
                    number = self.call(RegKind::Int, Func::SpecNumber, vec![number]);
                }
                let turn = self.call(RegKind::Int, func, vec![number]);
                let site = self.site(*action, vec![ValueType::Int { bits: 32, signed: true }], Detail::None);
                self.emit(Op::Record { site, args: vec![number, turn] });
            }
            Stmt::If(cond, then, otherwise) => {
                let cond = self.int(cond);
                self.branch(cond, |cx| cx.body(then), |cx| cx.body(otherwise));
            }
        }
    }
}

/// What happens in a run.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Event(FakeEvent),
    Until(u64),
}

impl Step {
    pub(super) fn time(&self) -> u64 {
        match self {
            Step::Event(event) => event.at,
            Step::Until(time) => *time,
        }
    }

    pub(super) fn script(&self) -> Script {
        match self {
            Step::Event(event) => Script::Event(event.clone()),
            Step::Until(time) => Script::Until(*time),
        }
    }
}

/// Up to nine events of two threads, ticks between them.
pub(super) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let args = (-1_i64..4, prop_oneof![5 => Just(4096_i64), 1 => Just(0)], any::<i64>());
    let event = (prop_oneof![Just(4_u32), Just(5)], 1_i64..3, args, prop_oneof![Just("cat"), Just("ls")]);
    let event = event.prop_map(|(probe, tid, (a, b, c), execname)| {
        let ints = vec![
            (BuiltinVar::Pid, 0, 7),
            (BuiltinVar::Tid, 0, tid),
            (BuiltinVar::TaskStart, 0, tid * 100),
            (BuiltinVar::Uid, 0, 1000),
            (BuiltinVar::Cpu, 0, 3),
            (BuiltinVar::Arg, 0, a),
            (BuiltinVar::Arg, 1, b),
            (BuiltinVar::Arg, 2, c),
        ];
        let memory = vec![(4096, &b"a/passwd\0\x01\xff"[..])];
        Step::Event(FakeEvent { probe, at: 0, ints, execname, memory })
    });
    let step = prop_oneof![6 => event, 1 => Just(Step::Until(0))];
    prop::collection::vec(step, 1..10).prop_map(|mut steps| {
        let mut now = 0;
        for step in &mut steps {
            match step {
                Step::Event(event) => {
                    now += 1000;
                    event.at = now;
                    event.ints.push((BuiltinVar::Timestamp, 0, now as i64));
                }
                Step::Until(time) => {
                    now += 1_100_000_000;
                    *time = now;
                }
            }
        }
        steps
    })
}
