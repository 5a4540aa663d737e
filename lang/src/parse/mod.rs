//! Source text in, [`Program`] out (language spec §2, §3, §4.1).
//!
//! Four steps for each external declaration: `scan` tells tokens apart and prepares the text, `d.pest` parses it into a
//! neutral tree, in which a word is a word, `resolve.rs` says which words are types, and with its answers `build.rs` and
//! `expr.rs` make the tree of the program. Only this module and its children know of pest. It resolves no other names and
//! checks no types; of the outside it asks which words are types and globals ([`Names`]), what the macro arguments are,
//! and it sets options where a `#pragma D option` stands.
//!
//! Any text gives a tree or a diagnostic, in time linear in its length: depth is bounded by [`MAX_NESTING`] and
//! [`MAX_DEPTH`], for this module and for every pass that walks the tree.

mod build;
mod characters;
mod control;
pub mod description;
mod errors;
mod expr;
mod headers;
mod hints;
mod lines;
mod literal;
mod macros;
mod pragma;
pub mod prescan;
mod resolve;
mod scan;
mod unfinished;
mod words;

use pest::Parser;

pub use lines::{Place, place};
pub use macros::Macros;
pub use words::{Names, PREDEFINED_TYPES, Predefined};

#[cfg(test)]
pub(crate) use expr::BINARY as BINARY_OPERATORS;

use resolve::{Answers, Declared, Scope};
use unfinished::Refusal;

use crate::ast::{Item, Program};
use crate::diag::{Diagnostic, Tag};
use crate::options::Options;
use crate::source::{SourceId, SourceKind, SourceMap, Span};

/// Deepest nesting of brackets, open `?:` and `if`s. The parser's stack grows with it.
pub const MAX_NESTING: usize = 200;

/// Deepest tree, statements and expressions together: `a + b + c` has depth 3. Every pass may recurse this far.
pub const MAX_DEPTH: usize = 500;

/// Nesting up to which an item is parsed on the caller's stack: 32 levels take less than 1 MiB without optimisation.
const SHALLOW: usize = 32;

/// Stack for anything deeper. Only what is touched takes memory.
const DEEP_STACK: usize = MAX_NESTING * (128 << 10);

mod grammar {
    #![allow(
        missing_docs,
        unreachable_pub,
        reason = "pest derives `Rule`, which never leaves the parent module"
    )]

    #[derive(pest_derive::Parser)]
    #[grammar = "parse/d.pest"]
    pub(super) struct Grammar;
}

use grammar::{Grammar, Rule};

/// What parsing depends on besides the text.
pub struct ParseContext<'a> {
    /// What `$1` and `$pid` stand for.
    pub macros: Macros<'a>,
    /// `pspec`, `defaultargs`, `argref` and `empty` are read, and pragmas set any.
    pub options: &'a mut Options,
    /// Types and globals known before this program.
    pub names: &'a dyn Names,
}

/// Parses one program. The first error ends it.
pub fn parse(sources: &SourceMap, id: SourceId, cx: &mut ParseContext<'_>) -> Result<Program, Diagnostic> {
    match parse_prefix(sources, id, cx) {
        (program, None) => Ok(program),
        (_, Some(error)) => Err(error),
    }
}

/// Parses one program up to its first error: the declarations before it are checked while parsing (language spec
/// §1.5), so a mistake in one of them comes first.
pub fn parse_prefix(
    sources: &SourceMap,
    id: SourceId,
    cx: &mut ParseContext<'_>,
) -> (Program, Option<Diagnostic>) {
    let source = sources.get(id);
    let readable = headers::readable(id, &source.text, cx.options.preprocessor.run);
    let unfinished = readable.unfinished;
    let text = unfinished.map_or(readable.text.as_ref(), |(start, _)| &readable.text[..start]);
    let rule = if source.kind.is_string() { Rule::string_item } else { Rule::script_item };
    let names = cx.names;
    let mut declared = Declared::of_headers(&readable.left_out, &cx.options.libraries);
    let mut scanner = scan::Scanner::new(sources, id, text, cx);
    let mut program = Program::default();
    let mut error = None;
    loop {
        let mut scope = Scope { names, declared: &mut declared };
        let item = match scanner.next_item(&scope) {
            Ok(Some(item)) => {
                let layouts = readable.layouts_in(item.start, item.start + item.text.len());
                scan::Item { layouts, ..item }
            }
            Ok(None) => break,
            Err(diagnostic) => {
                error = Some(diagnostic);
                break;
            }
        };
        program.items.extend(scanner.pragmas.drain(..).map(Item::Pragma));
        match item_tree(rule, (id, text), item, &mut scope, &mut program.expr_count) {
            Ok(node) => {
                scope.declares(&node);
                program.items.push(node);
            }
            Err(refusal) => {
                error = Some(refusal.diagnostic);
                program.beginning = refusal.beginning;
                break;
            }
        }
    }
    program.items.extend(scanner.pragmas.drain(..).map(Item::Pragma));
    program.macro_args_used = scanner.args_used.iter().copied().collect();
    program.left_out = readable.left_out;
    let error = error.or_else(|| unfinished.map(|(_, at)| errors::unfinished_header((id, &source.text), at)));
    let error = error.or_else(|| whole_program(&program, scanner.context(), id, (source.kind, text)));
    (program, error)
}

/// Makes the tree of one prepared item.
fn item_tree(
    rule: Rule,
    source: (SourceId, &str),
    item: scan::Item,
    scope: &mut Scope<'_>,
    next_id: &mut u32,
) -> Result<Item, Refusal> {
    scope.begins();
    if item.depth <= SHALLOW {
        return shallow_tree(rule, source, item, scope, next_id);
    }
    // Recursion over deep brackets gets a stack that is large enough whatever the caller's is. Whoever answers for the
    // names stays here.
    let answers = Answers::of(&item, source.1, scope.names);
    let declared = &mut *scope.declared;
    let start = item.start as u32;
    let no_thread = |why| errors::no_thread(Span { source: source.0, start, end: start + 1 }, &why);
    std::thread::scope(|threads| {
        let work = move || {
            let scope = &mut Scope { names: &answers, declared };
            shallow_tree(rule, source, item, scope, next_id)
        };
        let thread = std::thread::Builder::new().stack_size(DEEP_STACK).spawn_scoped(threads, work);
        thread.map_err(no_thread)?.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// The same on a stack that is deep enough.
fn shallow_tree(
    rule: Rule,
    source: (SourceId, &str),
    mut item: scan::Item,
    scope: &mut Scope<'_>,
    next_id: &mut u32,
) -> Result<Item, Refusal> {
    let (diagnostic, at) = match Grammar::parse(rule, &item.text) {
        Ok(pairs) => match build::item(pairs, source, (&item, false), scope, next_id) {
            Ok(tree) => return Ok(tree),
            Err(diagnostic) => {
                let at = (diagnostic.span.start as usize).saturating_sub(item.start);
                (diagnostic, unfinished::cut(&item, at))
            }
        },
        Err(refusal) => {
            // What is wrong with a word before the place comes first.
            let stop = errors::stop(&refusal).min(item.text.len());
            let whole = errors::complete_statements(&item.text[..stop]);
            let pairs = whole.as_ref().and_then(|(clause, _)| Grammar::parse(rule, clause).ok());
            let earlier =
                pairs.and_then(|pairs| build::item(pairs, source, (&item, false), scope, next_id).err());
            let rest = whole.as_ref().map_or(0, |(_, end)| *end)..stop;
            match earlier.or_else(|| errors::unknown_cast(source, &item, scope, rest)) {
                Some(earlier) => {
                    let at = (earlier.span.start as usize).saturating_sub(item.start);
                    (earlier, at.min(stop))
                }
                None => {
                    let at = unfinished::cut(&item, stop);
                    (errors::refused(source, &mut item, scope, &refusal), at)
                }
            }
        }
    };
    Err(unfinished::beginning(rule, source, (&item, at), diagnostic, scope, next_id))
}

/// What can be said only at the end of the text.
fn whole_program(
    program: &Program,
    cx: &ParseContext<'_>,
    id: SourceId,
    (kind, text): (SourceKind, &str),
) -> Option<Diagnostic> {
    let end = Span { source: id, start: text.len() as u32, end: text.len() as u32 };
    if let Some(unused) = pragma::unused(&program.items, cx.names, cx.macros.env) {
        return Some(unused);
    }
    if kind == SourceKind::Library {
        return program.items.iter().find_map(|item| match item {
            Item::Clause(clause) => Some(errors::clause_of_a_library(clause.span)),
            _ => None,
        });
    }
    if let Some(last) = cx.macros.args.len().checked_sub(1).filter(|&last| last > 0)
        && !cx.options.argref
        && !program.macro_args_used.contains(&(last as u32))
    {
        let argument = &cx.macros.args[last];
        let message = format!("extraneous argument '{argument}' (${last} is not referenced)");
        let help = "`-x argref` allows arguments that the program does not use";
        return Some(Diagnostic::new(Tag::MacroUnused, end, message).help(help));
    }
    let is_content = |item: &Item| !matches!(item, Item::Pragma(_));
    if !cx.options.empty && !program.items.iter().any(is_content) {
        let empty = Diagnostic::new(Tag::Empty, end, "empty D program translation unit");
        return Some(empty.help("`-x empty` allows a program without clauses"));
    }
    None
}

#[cfg(test)]
mod tests;
