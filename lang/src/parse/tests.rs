//! What the parser accepts, and the exact tag, place and wording of what it refuses. One file a topic; this one has the
//! helpers they share.

mod controls;
mod descriptions;
mod hostile;
mod lexical;
mod macro_args;
mod round_trip;
mod syntax;

use super::description::Target;
use super::*;
use crate::ast::*;
use crate::env::{Environment, FiredBy, NoMatch, Probe, ProbeId, ProbePattern, ProviderStability, Stability};
use crate::source::{Source, SourceKind};

/// A machine with one probe and two macro variables.
struct Machine;

impl Environment for Machine {
    fn match_probes(&self, pattern: &ProbePattern) -> Result<Vec<Probe>, NoMatch> {
        match pattern.provider.as_str() {
            "dtrace" => Ok(self.probe_by_id(ProbeId::BEGIN).into_iter().collect()),
            _ => Err(NoMatch::Zero),
        }
    }

    fn probe_by_id(&self, id: ProbeId) -> Option<Probe> {
        let stable = Stability { name: "Stable", data: "Stable", class: "Common" };
        (id == ProbeId::BEGIN).then(|| Probe {
            id,
            provider: "dtrace".into(),
            module: "".into(),
            function: "".into(),
            name: "BEGIN".into(),
            fired_by: FiredBy::Tracer,
            args: [].into(),
            stability: ProviderStability { description: stable, args: stable },
        })
    }

    fn macro_variable(&self, name: &str) -> Option<i64> {
        match name {
            "pid" => Some(123),
            "target" => Some(0),
            _ => None,
        }
    }

    fn suggest(&self, _: &ProbePattern) -> Vec<String> {
        Vec::new()
    }
}

/// One text with what its meaning depends on.
struct Case {
    kind: SourceKind,
    args: Vec<String>,
    options: Options,
}

fn script() -> Case {
    Case { kind: SourceKind::Script, args: vec!["a.d".to_string()], options: Options::default() }
}

fn string() -> Case {
    Case { kind: SourceKind::Name, ..script() }
}

impl Case {
    fn args(mut self, args: &[&str]) -> Case {
        self.args.extend(args.iter().map(ToString::to_string));
        self
    }

    fn option(mut self, name: &str) -> Case {
        self.options.set(name, None, crate::options::SetBy::CommandLine).expect("a flag");
        self
    }

    fn parse(&mut self, text: &str) -> Result<Program, Diagnostic> {
        let mut sources = SourceMap::default();
        let source = Source { name: "a.d".to_string(), kind: self.kind, text: text.to_string() };
        let id = sources.add(source);
        let macros = Macros { args: &self.args, env: &Machine };
        let mut cx = ParseContext { macros, options: &mut self.options, names: &Predefined };
        parse(&sources, id, &mut cx)
    }

    fn accepts(mut self, text: &str) -> Program {
        self.parse(text).unwrap_or_else(|error| panic!("{text:?}: {error:?}"))
    }

    /// Expects a tag at `line:column`, and a message.
    fn refuses(mut self, text: &str, tag: Tag, at: &str, message: &str) -> Diagnostic {
        let error = self.parse(text).expect_err(text);
        let place = place(text, error.span.start);
        let found = (error.tag, format!("{}:{}", place.line, place.column), error.message.as_str());
        assert_eq!(found, (tag, at.to_string(), message), "{text:?}");
        error
    }
}

/// The only expression of a program `BEGIN { TEXT }`, with every operation in parentheses, operator first.
#[track_caller]
fn tree_in(case: Case, text: &str) -> String {
    let program = case.accepts(&format!("BEGIN {{ {text} }}"));
    let [Item::Clause(Clause { body: Some(body), .. })] = program.items.as_slice() else {
        panic!("{text}: not one clause");
    };
    let statements: Vec<String> = body.iter().map(show_statement).collect();
    statements.join("; ")
}

#[track_caller]
fn tree(text: &str) -> String {
    tree_in(script(), text)
}

fn show_statement(statement: &Stmt) -> String {
    let list = |list: &[Stmt]| list.iter().map(show_statement).collect::<Vec<_>>().join("; ");
    match statement {
        Stmt::Empty(_) => "empty".to_string(),
        Stmt::Expr(expr) => show(expr),
        Stmt::If { cond, then, otherwise, .. } => {
            format!("if {} {{{}}} {{{}}}", show(cond), list(then), list(otherwise))
        }
    }
}

fn show(expr: &Expr) -> String {
    let all = |list: &[Expr]| list.iter().map(|e| format!(" {}", show(e))).collect::<String>();
    match &expr.kind {
        ExprKind::Int(lit) => {
            let suffix = if lit.unsigned { "u" } else { "" };
            let base = if lit.decimal { "" } else { "#" };
            format!("{base}{}{suffix}{}", lit.value, "l".repeat(lit.longs.into()))
        }
        ExprKind::Str(bytes) => format!("\"{}\"", bytes.escape_ascii()),
        ExprKind::Name(name) => name.clone(),
        ExprKind::SelfVar(name) => format!("self.{name}"),
        ExprKind::ThisVar(name) => format!("this.{name}"),
        ExprKind::Agg(name) => format!("@{name}"),
        ExprKind::Call { callee, args } => format!("(call {}{})", show(callee), all(args)),
        ExprKind::Index { base, keys } => format!("([] {}{})", show(base), all(keys)),
        ExprKind::Member { base, arrow, member } => {
            format!("({} {} {})", if *arrow { "->" } else { "." }, show(base), member.name)
        }
        ExprKind::Unary { op, operand } => format!("({} {})", print::unary_op(*op), show(operand)),
        ExprKind::Postfix { increment, operand } => {
            format!("(post{} {})", if *increment { "++" } else { "--" }, show(operand))
        }
        ExprKind::Binary { op, lhs, rhs } => {
            format!("({} {} {})", print::binary_op(*op), show(lhs), show(rhs))
        }
        ExprKind::Cond { cond, then, otherwise } => {
            format!("(? {} {} {})", show(cond), show(then), show(otherwise))
        }
        ExprKind::Assign { op, lhs, rhs } => {
            format!("({}= {} {})", op.map_or("", print::binary_op), show(lhs), show(rhs))
        }
        ExprKind::Comma(lhs, rhs) => format!("(, {} {})", show(lhs), show(rhs)),
        ExprKind::Cast { ty, operand } => format!("(cast {} {})", print::type_name(ty), show(operand)),
        ExprKind::Xlate { ty, operand } => format!("(xlate {} {})", print::type_name(ty), show(operand)),
        ExprKind::Offsetof { ty, member } => format!("offsetof({}, {})", print::type_name(ty), member.name),
        ExprKind::SizeofType(ty) => format!("(sizeof-type {})", print::type_name(ty)),
        ExprKind::SizeofExpr(operand) => format!("(sizeof {})", show(operand)),
        ExprKind::Stringof(operand) => format!("(stringof {})", show(operand)),
    }
}
