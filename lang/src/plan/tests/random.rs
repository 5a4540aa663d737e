//! Random structured programs, planned every way: both parts verify, and what a user sees is what the whole program
//! shows. The generator reads a tape of bytes, so that a failing case shrinks to a small program.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};

use super::oracle::{Event, execute};
use super::*;
use crate::builtins::{Action, BuiltinVar, Func};
use crate::ir::{
    ActionSite, AddrSpace, AggId, AggSite, BinOp, Clause, CmpOp, Detail, Enabling, Inst, MemSize, Op, Reg,
    RegKind, SiteId, StrId, UnOp, ValueType,
};
use crate::plan::pieces::{Piece, assemble};

const NO_SPAN: Span = Span { source: SourceId(0), start: 0, end: 0 };
const I64: ValueType = ValueType::Int { bits: 64, signed: true };

const TABLES: &str = "
    var x: i64
    var this->l: i64
    var self->t: i64
    var a[i64]: i64
    var y: string
    var self->n: string
    var this->s: string
    var b[string, i64]: string
    var u: i64
    agg @c[string]: count
    agg @s[i64]: sum
    agg @q[]: quantize
    string \"comm1\"
    string \"path\"
    string \"\"
";
/// Indices in the tables above.
const INT_VARS: [u32; 4] = [0, 1, 2, 8];
const STR_VARS: [u32; 3] = [4, 5, 6];

struct Tape<'a> {
    bytes: std::slice::Iter<'a, u8>,
}

impl Tape<'_> {
    fn below(&mut self, n: u8) -> u8 {
        self.bytes.next().copied().unwrap_or(0) % n
    }

    /// True `n` times of 16.
    fn chance(&mut self, n: u8) -> bool {
        self.below(16) >= 16 - n
    }
}

struct Generator<'a> {
    tape: Tape<'a>,
    program: ir::Program,
    clause: ClauseId,
    stmt: u32,
    regs: Vec<RegKind>,
    /// Registers that are assigned on every path to here.
    scope: Vec<Reg>,
    /// An `ERROR` clause: no memory.
    after: bool,
    fuel: u32,
}

impl Generator<'_> {
    fn reg(&mut self, kind: RegKind) -> Reg {
        self.regs.push(kind);
        Reg(self.regs.len() as u32 - 1)
    }

    fn emit(&mut self, out: &mut Vec<Piece>, op: Op) {
        out.push(Piece::Inst(Inst { op, point: 0, stmt: self.stmt, span: NO_SPAN }));
    }

    /// A register that holds a value already, now and then.
    fn known(&mut self, kind: RegKind) -> Option<Reg> {
        let known: Vec<Reg> = self.scope.iter().copied().filter(|r| self.regs[r.index()] == kind).collect();
        if known.is_empty() || !self.tape.chance(3) {
            return None;
        }
        Some(known[usize::from(self.tape.below(known.len().min(250) as u8))])
    }

    /// Code of an arm: what it assigns is not known after it.
    fn arm(&mut self, fill: impl FnOnce(&mut Self, &mut Vec<Piece>)) -> Vec<Piece> {
        let mut out = Vec::new();
        let known = self.scope.len();
        fill(self, &mut out);
        self.scope.truncate(known);
        out
    }

    /// An expression; its value is left in `into`, or in a new register.
    fn int(&mut self, out: &mut Vec<Piece>, depth: u8, into: Option<Reg>) -> Reg {
        self.fuel = self.fuel.saturating_sub(1);
        if let Some(known) = self.known(RegKind::Int).filter(|_| into.is_none()) {
            return known;
        }
        let choices = if depth == 0 || self.fuel == 0 { 4 } else { 15 };
        let choice = self.tape.below(choices);
        let operand = |g: &mut Self, out: &mut Vec<Piece>| g.int(out, depth.saturating_sub(1), None);
        let op = match choice {
            0 => {
                let value = i64::from(self.tape.below(7)) - 1;
                let dst = into.unwrap_or_else(|| self.reg(RegKind::Int));
                Op::Const { dst, value }
            }
            1 | 2 => {
                let vars = [
                    (BuiltinVar::Arg, 0),
                    (BuiltinVar::Arg, 3),
                    (BuiltinVar::Pid, 0),
                    (BuiltinVar::Timestamp, 0),
                    (BuiltinVar::Uid, 0),
                ];
                let (var, index) = vars[usize::from(self.tape.below(vars.len() as u8))];
                let dst = into.unwrap_or_else(|| self.reg(RegKind::Int));
                Op::Builtin { dst, var, index }
            }
            3 => {
                let var = VarId(INT_VARS[usize::from(self.tape.below(4))]);
                let dst = into.unwrap_or_else(|| self.reg(RegKind::Int));
                Op::GetVar { dst, var }
            }
            4 | 5 if !self.after => {
                let addr = operand(self, out);
                let dst = into.unwrap_or_else(|| self.reg(RegKind::Int));
                Op::Load { dst, addr, size: MemSize::B4, signed: true, space: AddrSpace::ByAddress }
            }
            6 | 7 => {
                let (lhs, rhs) = (operand(self, out), operand(self, out));
                let ops = [BinOp::Add, BinOp::Sub, BinOp::And, BinOp::DivS];
                let op = ops[usize::from(self.tape.below(4))];
                let dst = into.unwrap_or_else(|| self.reg(RegKind::Int));
                Op::Binary { op, dst, lhs, rhs }
            }
            8 => {
                let (lhs, rhs) = (operand(self, out), operand(self, out));
                let op = [CmpOp::Eq, CmpOp::Ne, CmpOp::LtS][usize::from(self.tape.below(3))];
                let dst = into.unwrap_or_else(|| self.reg(RegKind::Int));
                Op::Compare { op, dst, lhs, rhs }
            }
            9 => {
                let src = operand(self, out);
                let dst = into.unwrap_or_else(|| self.reg(RegKind::Int));
                Op::Unary { op: UnOp::Neg, dst, src }
            }
            10 => {
                let key = operand(self, out);
                let dst = into.unwrap_or_else(|| self.reg(RegKind::Int));
                Op::GetElem { dst, var: VarId(3), keys: vec![key] }
            }
            11 => {
                let arg = self.str(out, depth - 1, None);
                let dst = into.unwrap_or_else(|| self.reg(RegKind::Int));
                Op::Call { dst, func: Func::Strlen, args: vec![arg] }
            }
            12 => {
                // In U unless the second argument is a constant.
                let args = vec![self.str(out, depth - 1, None), self.str(out, 0, None)];
                let dst = into.unwrap_or_else(|| self.reg(RegKind::Int));
                Op::Call { dst, func: Func::Index, args }
            }
            13 => {
                let (lhs, rhs) = (self.str(out, depth - 1, None), self.str(out, depth - 1, None));
                let dst = into.unwrap_or_else(|| self.reg(RegKind::Int));
                Op::StrCompare { op: CmpOp::Eq, dst, lhs, rhs }
            }
            _ => {
                let cond = operand(self, out);
                let dst = into.unwrap_or_else(|| self.reg(RegKind::Int));
                let arm = |g: &mut Self, out: &mut Vec<Piece>| {
                    g.int(out, depth.saturating_sub(1), Some(dst));
                };
                let (then, otherwise) = (self.arm(arm), self.arm(arm));
                out.push(Piece::Branch { cond, then, otherwise });
                self.scope.push(dst);
                return dst;
            }
        };
        let dst = op.dst().unwrap();
        self.emit(out, op);
        self.scope.push(dst);
        dst
    }

    fn str(&mut self, out: &mut Vec<Piece>, depth: u8, into: Option<Reg>) -> Reg {
        self.fuel = self.fuel.saturating_sub(1);
        if let Some(known) = self.known(RegKind::Str).filter(|_| into.is_none()) {
            return known;
        }
        let choices = if depth == 0 || self.fuel == 0 { 5 } else { 9 };
        let choice = self.tape.below(choices);
        let op = match choice {
            0 => {
                let value = StrId(u32::from(self.tape.below(3)));
                Op::Str { dst: into.unwrap_or_else(|| self.reg(RegKind::Str)), value }
            }
            1 | 2 => {
                let var = [BuiltinVar::Execname, BuiltinVar::Probefunc][usize::from(self.tape.below(2))];
                Op::Builtin { dst: into.unwrap_or_else(|| self.reg(RegKind::Str)), var, index: 0 }
            }
            3 => {
                let var = VarId(STR_VARS[usize::from(self.tape.below(3))]);
                Op::GetVar { dst: into.unwrap_or_else(|| self.reg(RegKind::Str)), var }
            }
            4 => Op::Null { dst: into.unwrap_or_else(|| self.reg(RegKind::Str)) },
            5 if !self.after => {
                let addr = self.int(out, depth - 1, None);
                let dst = into.unwrap_or_else(|| self.reg(RegKind::Str));
                Op::Call { dst, func: Func::Copyinstr, args: vec![addr] }
            }
            6 => {
                let args = vec![self.str(out, depth - 1, None), self.str(out, depth - 1, None)];
                let dst = into.unwrap_or_else(|| self.reg(RegKind::Str));
                Op::Call { dst, func: Func::Strjoin, args }
            }
            7 => {
                let keys = vec![self.str(out, depth - 1, None), self.int(out, depth - 1, None)];
                Op::GetElem { dst: into.unwrap_or_else(|| self.reg(RegKind::Str)), var: VarId(7), keys }
            }
            _ => {
                let cond = self.int(out, depth.saturating_sub(1), None);
                let dst = into.unwrap_or_else(|| self.reg(RegKind::Str));
                let arm = |g: &mut Self, out: &mut Vec<Piece>| {
                    g.str(out, depth.saturating_sub(1), Some(dst));
                };
                let (then, otherwise) = (self.arm(arm), self.arm(arm));
                out.push(Piece::Branch { cond, then, otherwise });
                self.scope.push(dst);
                return dst;
            }
        };
        let dst = op.dst().unwrap();
        self.emit(out, op);
        self.scope.push(dst);
        dst
    }

    fn statement(&mut self, out: &mut Vec<Piece>, depth: u8) {
        self.stmt += 1;
        match self.tape.below(if depth == 0 { 11 } else { 14 }) {
            0 | 1 => {
                let src = self.int(out, 2, None);
                let var = VarId(INT_VARS[usize::from(self.tape.below(4))]);
                self.emit(out, Op::SetVar { var, src });
            }
            2 => {
                let src = self.str(out, 2, None);
                let var = VarId(STR_VARS[usize::from(self.tape.below(3))]);
                self.emit(out, Op::SetVar { var, src });
            }
            3 => {
                let keys = vec![self.int(out, 1, None)];
                let src = self.int(out, 2, None);
                self.emit(out, Op::SetElem { var: VarId(3), keys, src });
            }
            4 => {
                let keys = vec![self.str(out, 1, None), self.int(out, 0, None)];
                let src = self.str(out, 1, None);
                self.emit(out, Op::SetElem { var: VarId(7), keys, src });
            }
            5 => {
                let keys = vec![self.str(out, 2, None)];
                self.aggregate(out, 0, keys, None);
            }
            6 => {
                let keys = vec![self.int(out, 1, None)];
                let value = self.int(out, 2, None);
                self.aggregate(out, 1, keys, Some(value));
            }
            7 => {
                let value = self.int(out, 2, None);
                self.aggregate(out, 2, Vec::new(), Some(value));
            }
            8 | 9 => {
                let args: Vec<(Reg, ValueType)> = (0..self.tape.below(3))
                    .map(|_| match self.tape.below(2) {
                        0 => (self.int(out, 2, None), I64),
                        _ => (self.str(out, 2, None), ValueType::Str),
                    })
                    .collect();
                let (args, types) = args.into_iter().unzip();
                self.action(
                    out,
                    Action::Printf,
                    args,
                    types,
                    Detail::Format(crate::format::Format::default()),
                );
            }
            10 => self.control(out),
            _ => {
                let cond = self.int(out, 2, None);
                let then = self.arm(|g, out| g.statements(out, depth - 1));
                let otherwise = self.arm(|g, out| {
                    if g.tape.chance(6) {
                        g.statements(out, depth - 1);
                    }
                });
                out.push(Piece::Branch { cond, then, otherwise });
            }
        }
    }

    fn control(&mut self, out: &mut Vec<Piece>) {
        let agg = AggId(u32::from(self.tape.below(3)));
        match self.tape.below(9) {
            0 => {
                let status = self.int(out, 1, None);
                self.action(out, Action::Exit, vec![status], vec![I64], Detail::None);
            }
            1..=4 => {
                let aggs = vec![agg];
                self.action(out, Action::Printa, vec![], vec![], Detail::Printa { format: None, aggs });
            }
            5 | 6 => self.action(out, Action::Clear, vec![], vec![], Detail::Agg(agg)),
            _ => self.action(out, Action::Trunc, vec![], vec![], Detail::Agg(agg)),
        }
    }

    fn aggregate(&mut self, out: &mut Vec<Piece>, agg: u32, keys: Vec<Reg>, value: Option<Reg>) {
        let site = AggSiteId(self.program.agg_sites.len() as u32);
        self.program.agg_sites.push(AggSite { agg: AggId(agg), clause: self.clause, span: NO_SPAN });
        self.emit(out, Op::Aggregate { site, keys, value, weight: None });
    }

    fn action(
        &mut self,
        out: &mut Vec<Piece>,
        action: Action,
        regs: Vec<Reg>,
        args: Vec<ValueType>,
        detail: Detail,
    ) {
        let site = SiteId(self.program.sites.len() as u32);
        let row = ActionSite { action, clause: self.clause, stmt: self.stmt, args, detail, span: NO_SPAN };
        self.program.sites.push(row);
        self.emit(out, Op::Record { site, args: regs });
    }

    fn statements(&mut self, out: &mut Vec<Piece>, depth: u8) {
        for _ in 0..=self.tape.below(3) {
            self.statement(out, depth);
        }
    }

    fn clause(&mut self) {
        self.clause = ClauseId(self.program.clauses.len() as u32);
        // Mostly traced probes.
        let choices = [&[0][..], &[0, 1], &[1], &[0, 2], &[5], &[4], &[5, 1]];
        let probes = choices[usize::from(self.tape.below(choices.len() as u8))];
        self.after = probes.contains(&4);
        self.program
            .enablings
            .push(Enabling { clause: self.clause, probes: probes.iter().map(|&p| ProbeIndex(p)).collect() });
        (self.regs, self.scope, self.stmt, self.fuel) = (Vec::new(), Vec::new(), 0, 60);
        let mut code = Vec::new();
        if self.tape.chance(10) {
            let cond = self.int(&mut code, 2, None);
            let arms = match self.tape.below(4) {
                0 => (vec![], vec![Piece::Return]),
                1 => (vec![Piece::Return], vec![]),
                which => {
                    let mut then = self.arm(|g, out| g.statements(out, 2));
                    let mut otherwise = vec![];
                    if which == 2 { &mut then } else { &mut otherwise }.push(Piece::Return);
                    (then, otherwise)
                }
            };
            let (then, otherwise) = arms;
            code.push(Piece::Branch { cond, then, otherwise });
        }
        self.statements(&mut code, 2);
        let blank = Clause {
            number: self.clause.0,
            regs: Vec::new(),
            blocks: Vec::new(),
            span: Span { source: SourceId(0), start: 0, end: 0 },
        };
        let mut clause = assemble(code, &self.regs, &blank);
        let insts = clause.blocks.iter_mut().flat_map(|b| &mut b.insts);
        insts.enumerate().for_each(|(i, inst)| inst.point = i as u32);
        self.program.clauses.push(clause);
    }
}

impl Generator<'_> {
    /// An `ERROR` clause that writes `u`, so that reads of it are decided in U without any other reason.
    fn keep_in_user(&mut self) {
        self.clause = ClauseId(self.program.clauses.len() as u32);
        self.program.enablings.push(Enabling { clause: self.clause, probes: vec![ProbeIndex(4)] });
        let text = format!(
            "clause c{} {{\nb0:\n  i0 = get u\n  i1 = 3\n  i0 = add i0, i1\n  set u = i0\n  return\n}}",
            self.clause.0
        );
        let clause = parse::clause(&text, &mut self.program).unwrap();
        self.program.clauses.push(clause);
    }
}

fn generate(bytes: &[u8]) -> ir::Program {
    let program = program(TABLES);
    let mut generator = Generator {
        tape: Tape { bytes: bytes.iter() },
        program,
        clause: ClauseId(0),
        stmt: 0,
        regs: Vec::new(),
        scope: Vec::new(),
        after: false,
        fuel: 0,
    };
    for _ in 0..=generator.tape.below(4) {
        generator.clause();
    }
    if generator.tape.chance(12) {
        generator.keep_in_user();
    }
    generator.program
}

fn events(seeds: &[u8]) -> Vec<Event> {
    let mut out = Vec::new();
    for (i, &seed) in seeds.iter().enumerate() {
        let probe = [0, 0, 1, 1, 2, 0, 1, 5][usize::from(seed % 8)];
        out.push(Event { probe, tid: i64::from(seed / 8 % 3) + 1, seed: i64::from(seed) + 31 * i as i64 });
    }
    out
}

/// Plans a program and compares; the error says what differs.
fn check(program: &ir::Program, events: &[Event], placement: Placement) -> Result<(), String> {
    let options = PlanOptions { placement, ..PlanOptions::default() };
    // A plan verifies its own parts and reports a bug as an error; anything else must be rule 11.
    let plan = match plan(program.clone(), Capabilities::BASELINE, &options) {
        Ok(plan) => plan,
        Err(errors) => {
            let bug = errors.into_iter().find(|error| !error.message.contains("needs the event itself"));
            return bug.map_or(Ok(()), |bug| Err(format!("{placement:?}: {}", bug.message)));
        }
    };
    let expected = execute(&plan.program, None, events, false);
    for lag in [false, true] {
        let found = execute(&plan.program, Some(&plan), events, lag);
        if found != expected {
            return Err(format!(
                "{placement:?}, lag {lag}\n{}\n{}\nfound    {found:?}\nexpected {expected:?}",
                parts(&plan),
                homes(&plan)
            ));
        }
    }
    Ok(())
}

fn check_all(tape: &[u8], seeds: &[u8]) -> Result<(), String> {
    let program = generate(tape);
    verify::program(&program)?;
    let text = print::program(&program, Spans::Keep);
    if parse::program(&text).as_ref() != Ok(&program) {
        return Err("printed and read back, it differs".to_owned());
    }
    let events = events(seeds);
    check(&program, &events, Placement::Auto)?;
    check(&program, &events, Placement::User)
}

#[test]
fn plans_show_what_the_program_shows() {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(300);
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
    let tape = proptest::collection::vec(any::<u8>(), 20..250);
    let seeds = proptest::collection::vec(any::<u8>(), 0..14);
    let result = TestRunner::new(config).run(&(tape, seeds), |(tape, seeds)| {
        let checked = std::panic::catch_unwind(|| check_all(&tape, &seeds));
        checked.unwrap_or(Err("panicked".to_owned())).map_err(TestCaseError::fail)
    });
    if let Err(TestError::Fail(why, (tape, seeds))) = result {
        let program = print::program(&generate(&tape), Spans::Omit);
        panic!("{program}\nevents {:?}\n{why}", events(&seeds));
    }
}
