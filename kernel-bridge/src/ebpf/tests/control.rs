//! Random structured code over variables that are assigned in many places: the register allocation under pressure.

use std::fmt::Write;

use proptest::prelude::*;

use super::ints::{OPS, model};
use super::*;

/// How many variables a program has: more than there are registers.
const VARS: usize = 12;
/// Where a byte can be read; reading it clobbers every register that is not saved.
const AT: i64 = 0x2000_0000;

#[derive(Clone, Debug)]
enum Stmt {
    /// A variable = an operation on two others.
    Set(usize, usize, usize, usize),
    /// A variable = a constant.
    Const(usize, i64),
    /// A variable = another.
    Copy(usize, usize),
    /// A variable = a byte of memory: a call.
    Read(usize),
    /// A branch on whether a comparison holds.
    If(usize, usize, usize, Vec<Stmt>, Vec<Stmt>),
    /// A branch on a variable.
    IfVar(usize, Vec<Stmt>, Vec<Stmt>),
}

/// The comparisons of [`OPS`].
const COMPARISONS: std::ops::Range<usize> = 13..19;

/// `None`: a division by zero ended the clause.
fn run(stmts: &[Stmt], vars: &mut [i64; VARS]) -> Option<()> {
    for stmt in stmts {
        match stmt {
            Stmt::Set(to, op, a, b) => vars[*to] = model(OPS[*op], vars[*a], vars[*b])?,
            Stmt::Const(to, value) => vars[*to] = *value,
            Stmt::Copy(to, from) => vars[*to] = vars[*from],
            Stmt::Read(to) => vars[*to] = 7,
            Stmt::If(op, a, b, then, otherwise) => {
                let holds = model(OPS[*op], vars[*a], vars[*b]) == Some(1);
                run(if holds { then } else { otherwise }, vars)?;
            }
            Stmt::IfVar(a, then, otherwise) => {
                run(if vars[*a] != 0 { then } else { otherwise }, vars)?;
            }
        }
    }
    Some(())
}

/// Code under construction: the text of finished blocks, and numbers for blocks and temporaries.
struct Code {
    text: String,
    blocks: usize,
    temps: usize,
}

impl Code {
    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Set(to, op, a, b) => {
                    let _ = writeln!(self.text, "i{to} = {} i{a}, i{b}", OPS[*op]);
                }
                Stmt::Const(to, value) => {
                    let _ = writeln!(self.text, "i{to} = {value}");
                }
                Stmt::Copy(to, from) => {
                    let _ = writeln!(self.text, "i{to} = i{from}");
                }
                Stmt::Read(to) => {
                    let _ = writeln!(self.text, "i99 = {AT}\ni{to} = load u8 user [i99]");
                }
                Stmt::If(op, a, b, then, otherwise) => {
                    self.temps += 1;
                    let cond = 100 + self.temps;
                    let _ = writeln!(self.text, "i{cond} = {} i{a}, i{b}", OPS[*op]);
                    self.arms(&format!("i{cond}"), then, otherwise);
                }
                Stmt::IfVar(a, then, otherwise) => self.arms(&format!("i{a}"), then, otherwise),
            }
        }
    }

    /// Blocks are numbered as they appear; where a later number is needed, its place is filled in afterwards.
    fn arms(&mut self, cond: &str, then: &[Stmt], otherwise: &[Stmt]) {
        let first = self.blocks;
        let _ = writeln!(self.text, "branch {cond} ? b{first} : <else {first}> merge <merge {first}>");
        for (arm, name) in [(then, "then"), (otherwise, "else")] {
            let number = self.blocks;
            self.blocks += 1;
            self.text = self.text.replace(&format!("<{name} {first}>"), &format!("b{number}"));
            let _ = writeln!(self.text, "b{number}:");
            self.stmts(arm);
            let _ = writeln!(self.text, "goto <merge {first}>");
        }
        let merge = self.blocks;
        self.blocks += 1;
        self.text = self.text.replace(&format!("<merge {first}>"), &format!("b{merge}"));
        let _ = writeln!(self.text, "b{merge}:");
    }
}

fn program(stmts: &[Stmt]) -> String {
    let mut code = Code { text: String::new(), blocks: 1, temps: 0 };
    code.text.push_str("b0:\n");
    for var in 0..VARS {
        let _ = writeln!(code.text, "i{var} = builtin arg{}", var % 10);
    }
    code.stmts(stmts);
    for var in 0..VARS {
        let _ = writeln!(code.text, "send ${var} = i{var}");
    }
    format!("p0 = probe 1 a:b:c:d\nenable c0 on p0\nclause c0 {{\n{}work\nreturn\n}}\n", code.text)
}

fn stmt() -> impl Strategy<Value = Stmt> {
    let var = 0..VARS;
    let leaf = prop_oneof![
        4 => (var.clone(), 0..OPS.len(), var.clone(), var.clone()).prop_map(|(to, op, a, b)| Stmt::Set(to, op, a, b)),
        1 => (var.clone(), any::<i64>()).prop_map(|(to, value)| Stmt::Const(to, value)),
        1 => (var.clone(), var.clone()).prop_map(|(to, from)| Stmt::Copy(to, from)),
        1 => var.clone().prop_map(Stmt::Read),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        let body = prop::collection::vec(inner, 0..6);
        prop_oneof![
            (COMPARISONS, 0..VARS, 0..VARS, body.clone(), body.clone())
                .prop_map(|(op, a, b, then, otherwise)| Stmt::If(op, a, b, then, otherwise)),
            (0..VARS, body.clone(), body).prop_map(|(a, then, otherwise)| Stmt::IfVar(a, then, otherwise)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn structured_code_computes_what_it_says(
        stmts in prop::collection::vec(stmt(), 1..12),
        args in prop::array::uniform10(prop_oneof![Just(0i64), Just(1), Just(-1), any::<i64>()]),
    ) {
        let mut vars = [0; VARS];
        for (i, var) in vars.iter_mut().enumerate() {
            *var = args[i % 10];
        }
        let ended = run(&stmts, &mut vars).is_none();
        let mut bench = Bench::rbpf(&program(&stmts));
        bench.memory(&[(AT as u64, &[7])], &[]);
        let sent = bench.sent(&TestEvent::args(&args));
        if ended {
            prop_assert!(matches!(sent, Sent::Fault(4, u64::MAX, _)), "{:?}", sent);
        } else {
            prop_assert_eq!(sent, Sent::Ran(vars.map(Value::Int).to_vec()));
        }
    }
}
