//! Near misses: what a misspelt or foreign name was probably meant to be.

use super::errors;
use super::expr::as_variable;
use super::info::for_each_expr;
use super::names::shown;
use super::session::Session;
use crate::ast::{BinaryOp, Expr, ExprKind, Item, Program};
use crate::builtins::{Action, AggFn, BuiltinVar, Func, consts, elsewhere};
use crate::diag::{Diagnostic, Tag};
use crate::ir::print::agg_name;
use crate::ir::{Scope, VarId};
use crate::source::Span;

/// Names of other tracing languages and other DTraces, with what dtrail says instead.
const FOREIGN: &[(&str, &str)] = &[
    ("comm", "execname"),
    ("hist", "quantize()"),
    ("lhist", "lquantize()"),
    ("nsecs", "timestamp (and walltimestamp for the time of day)"),
    ("elapsed", "timestamp"),
    ("str", "copyinstr() or stringof()"),
    ("kstr", "stringof()"),
    ("ustr", "copyinstr()"),
    ("kptr", "a cast"),
    ("uptr", "copyin()"),
    ("buf", "copyin()"),
    ("print", "trace() or printf()"),
    ("probe", "probename"),
    ("func", "probefunc"),
    ("username", "uid"),
    ("retval", "arg1 in a return probe"),
    ("zero", "clear()"),
    ("stats", "avg(), min() and max()"),
    ("strncmp", "=="),
    ("strcmp", "=="),
    ("strcontains", "strstr()"),
    ("psargs", "execname"),
    ("errno_name", "errno"),
    ("interval", "tick-…"),
    ("kstack", "stack()"),
    ("kretprobe", "the probe `fbt::FUNCTION:return`"),
    ("kprobe", "the probe `fbt::FUNCTION:entry`"),
    ("uprobe", "the probe `pid$target::FUNCTION:entry`"),
    ("tracepoint", "the provider `sdt`"),
    ("ntop", "inet_ntop()"),
    ("ksym", "sym()"),
    ("kaddr", "a symbol behind a backquote: `` `name ``"),
    ("reg", "uregs[]"),
    ("cat", "system()"),
    ("time", "printf(\"%Y\", walltimestamp)"),
    ("strftime", "printf(\"%Y\", walltimestamp)"),
    ("sarg0", "args[0]"),
    ("ctime", "walltimestamp"),
    ("jiffies", "the symbol `` `jiffies ``"),
    ("numaid", "curcpu"),
];

/// The same where it takes a sentence.
const SENTENCES: &[(&str, &str)] = &[
    ("cgroup", "D has no variable for the control group: compare `pid` or `execname`"),
    ("delete", "a variable or element is deleted by storing 0 to it, an aggregation by `trunc(@name)`"),
    (
        "join",
        "`curpsinfo->pr_psargs` is a process with its arguments; `printf(\"%s %s\", …)` prints strings side by side",
    ),
];

/// What to say of a foreign name.
pub(crate) fn foreign(name: &str) -> Option<String> {
    let find = |table: &'static [(&str, &str)]| table.iter().find(|row| row.0 == name).map(|row| row.1);
    let sentence = find(SENTENCES).map(str::to_owned);
    sentence.or_else(|| Some(format!("D has {} for that", find(FOREIGN)?)))
}

/// Whether a foreign name is that of a string.
pub(crate) fn foreign_string(name: &str) -> bool {
    let ours = FOREIGN.iter().find(|row| row.0 == name).map(|row| row.1);
    ours.is_some_and(|ours| BuiltinVar::ROWS.iter().any(|row| row.string && row.name == ours))
}

/// Whether an expression is what a word becomes that has lost its quotes: `cat`, `gnome-shell`, `script.d`.
pub(crate) fn is_word(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Name(name) => !name.contains('`'),
        ExprKind::Member { base, arrow: false, .. } => is_word(base),
        ExprKind::Binary { op: BinaryOp::Sub | BinaryOp::Div, lhs, rhs } => {
            is_word(lhs) && (is_word(rhs) || matches!(rhs.kind, ExprKind::Int(_)))
        }
        _ => false,
    }
}

/// The candidate nearest to a name, if one is near enough to be meant: at most a third of its letters differ. Of equally near
/// ones that of the same length is.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).clamp(1, 3);
    candidates
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= limit && *candidate != name)
        .map(|candidate| {
            let distance = distance(name.as_bytes(), candidate.as_bytes());
            (distance, candidate.len().abs_diff(name.len()), candidate)
        })
        .filter(|(distance, _, candidate)| *distance <= limit && *distance < candidate.len())
        .min()
        .map(|(_, _, candidate)| candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours that lead from `a` to `b`.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let width = b.len() + 1;
    let mut before = vec![0; width];
    let mut above: Vec<usize> = (0..width).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut row = vec![i + 1; width];
        for (j, &y) in b.iter().enumerate() {
            let mut best = (above[j] + usize::from(x != y)).min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                best = best.min(before[j - 1] + 1);
            }
            row[j + 1] = best;
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

impl Session<'_> {
    /// Adds what a variable's name was probably meant to be.
    pub(super) fn suggest_variable(&self, error: Diagnostic, scope: Scope, name: &str) -> Diagnostic {
        let global = scope == Scope::Global;
        if global && let Some(why) = self.of_library_left_out(name) {
            return error.help(why);
        }
        if global && let Some(advice) = elsewhere::of_variable(name) {
            return error.help(advice);
        }
        if global && let Some(advice) = elsewhere::of_type(name) {
            return error.help(advice);
        }
        if global && let Some(ours) = foreign(name) {
            return error.help(ours);
        }
        let digits = name.trim_start_matches("args").trim_start_matches("arg");
        if global
            && digits.len() < name.len()
            && !digits.is_empty()
            && digits.bytes().all(|b| b.is_ascii_digit())
        {
            return error.help(errors::ARGUMENT_NUMBERS);
        }
        let built_in = BuiltinVar::ROWS.iter().map(|row| row.name).filter(|name| global && *name != "arg");
        // The arguments have one row.
        const ARGS: &[&str] =
            &["arg0", "arg1", "arg2", "arg3", "arg4", "arg5", "arg6", "arg7", "arg8", "arg9", "args"];
        let built_in = built_in.chain(ARGS.iter().copied().filter(|_| global));
        let definitions = self.inlines.keys().chain(self.enumerators.keys()).map(String::as_str);
        let constants: Vec<&str> =
            consts::names().filter(|name| self.library_constant(name).is_some()).collect();
        let offered = self.offered.iter().copied();
        let others = definitions.chain(constants).chain(["self", "this"]).chain(offered);
        let candidates = self.names.var_names(scope).chain(built_in).chain(others.filter(|_| global));
        let near = nearest(name, candidates).map(|near| shown(scope, near));
        // `sizeof (psinf_t)`
        let is_type = global && name.ends_with("_t");
        match near.or_else(|| self.named_nearly(name).filter(|_| is_type)) {
            Some(near) => error.help(format!("did you mean {near}?")),
            None => error,
        }
    }

    /// The error of a word that is no variable, where a string is meant: a shell takes quotes away.
    pub(super) fn unquoted(&self, error: Diagnostic, expr: &Expr) -> Diagnostic {
        let word = self.sources.text(expr.span);
        // `$1` has advice of its own.
        if error.tag != Tag::IdentUndef || !is_word(expr) || word.contains('$') {
            return error;
        }
        if let ExprKind::Name(name) = &expr.kind {
            let types = &self.types;
            let is_text = |id: VarId| self.names.vars[id.index()].ty.is_some_and(|ty| types.is_string(ty.ty));
            let variables = self.names.var_names(Scope::Global);
            let variables = variables.filter(|name| self.names.var(Scope::Global, name).is_some_and(is_text));
            let built_in = BuiltinVar::ROWS.iter().filter(|row| row.string).map(|row| row.name);
            // A string under another name is what was meant.
            if foreign_string(name)
                || elsewhere::of_variable(name).is_some()
                || self.of_library_left_out(name).is_some()
                || nearest(name, variables.chain(built_in)).is_some()
            {
                return error;
            }
        }
        error.help(errors::unquoted(word))
    }

    pub(super) fn suggest_aggregation(&self, error: Diagnostic, name: &str) -> Diagnostic {
        match nearest(name, self.names.agg_names()) {
            Some(near) => error.help(format!("did you mean @{near}?")),
            None => error,
        }
    }

    pub(super) fn suggest_function(&self, error: Diagnostic, name: &str) -> Diagnostic {
        if let Some(ours) = foreign(name) {
            return error.help(ours);
        }
        if self.strict && (Func::called(name, false).is_some() || AggFn::called(name, false).is_some()) {
            return error.help(errors::extension_is_strict(name));
        }
        let names =
            Func::ROWS.iter().filter(|row| !(self.strict && row.id.is_extension())).map(|row| row.name);
        let names = names.chain(Action::ROWS.iter().map(|row| row.name));
        let names = names.chain(
            AggFn::ROWS.iter().filter(|row| !(self.strict && row.id.is_extension())).map(|row| row.name),
        );
        match nearest(name, names) {
            Some(near) => error.help(format!("did you mean {near}()?")),
            None => error,
        }
    }
}

/// Adds to the error about an unknown variable that the text assigns to it further down.
pub(crate) fn assigned_later(error: Diagnostic, program: &Program) -> Diagnostic {
    if !matches!(error.tag, Tag::IdentUndef | Tag::VarUndef) {
        return error;
    }
    let named = |expr| -> Option<(Option<Scope>, &str)> {
        match &base(expr).kind {
            ExprKind::Agg(name) => Some((None, name)),
            _ => as_variable(base(expr)).map(|(scope, name)| (Some(scope), name)),
        }
    };
    let mut read: Option<(Option<Scope>, &str)> = None;
    let mut assigned: Vec<(Option<Scope>, &str, Span)> = Vec::new();
    for item in &program.items {
        let Item::Clause(clause) = item else { continue };
        for_each_expr(clause, &mut |expr| {
            if let Some(named) = named(expr).filter(|_| expr.span == error.span) {
                read.get_or_insert(named);
            }
            if let ExprKind::Assign { op: None, lhs, .. } = &expr.kind
                && let Some((scope, name)) = named(lhs)
            {
                assigned.push((scope, name, lhs.span));
            }
        });
    }
    let later = |(scope, name)| {
        let found = |(of, named, span): &&(Option<Scope>, &str, Span)| {
            (*of, *named) == (scope, name) && span.start > error.span.end
        };
        let span = assigned.iter().find(found)?.2;
        Some((span, scope, name))
    };
    let order = "clauses are checked in the order of the text";
    match read.and_then(later) {
        Some((span, Some(scope), name)) => {
            let name = shown(scope, name);
            let help = format!("{order}: declare {name}, or move its assignment up");
            error.label(span, "first assigned here").help(help)
        }
        Some((span, None, name)) => {
            let name = if name == "_" { "@".to_owned() } else { agg_name(name) };
            error.label(span, "made here").help(format!("{order}: move what makes {name} up"))
        }
        None => error,
    }
}

/// The array of an element.
fn base(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Index { base, .. } => base,
        _ => expr,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_names() {
        let names = ["timestamp", "execname", "print", "printf", "pid", "tid", "copyinstr"];
        for (name, expected) in [
            ("timstamp", Some("timestamp")),
            ("exename", Some("execname")),
            ("pirntf", Some("printf")),
            ("prinft", Some("printf")),
            ("pritn", Some("print")),
            ("copyinstring", Some("copyinstr")),
            ("ped", Some("pid")),
            ("x", None),
            ("zzz", None),
            ("entirely_different", None),
        ] {
            assert_eq!(nearest(name, names.into_iter()), expected, "{name}");
        }
    }

    #[test]
    fn foreign_names() {
        assert_eq!(foreign("comm").as_deref(), Some("D has execname for that"));
        let group = "D has no variable for the control group: compare `pid` or `execname`";
        assert_eq!(foreign("cgroup").as_deref(), Some(group));
        assert_eq!(foreign("pid"), None);
    }
}
