//! The D language: text in, [`plan::Plan`] out.
//!
//! The passes, in order; each is a free function whose arguments are the outputs of the ones before it:
//!
//! | pass | from | to |
//! |---|---|---|
//! | [`parse`] | source text | [`ast::Program`] |
//! | [`check`] | tree + [`env::Environment`] | side tables of types and resolved names |
//! | [`ir::lower`] | tree + side tables | [`ir::Program`] |
//! | [`ir::verify`] | IR | the same IR, or a bug report |
//! | [`plan`] | IR + [`plan::Capabilities`] | [`plan::Plan`]: kernel part, user part, record layouts |
//!
//! This crate does no I/O, reads no clock and no environment variable, and has no `unsafe`. What it must know of
//! the machine it asks through [`env::Environment`].
#![forbid(unsafe_code)]

pub mod ast;
pub mod builtins;
pub mod bytes;
pub mod check;
pub mod diag;
pub mod env;
pub mod format;
pub mod ir;
pub mod options;
pub mod parse;
pub mod plan;
pub mod source;
pub mod stability;
pub mod types;

use diag::Diagnostic;
use env::Environment;
use options::Options;
use parse::{Macros, ParseContext, parse_prefix};
use source::SourceMap;

/// Compiles every text of a session, in order: parse, check, lower, verify.
///
/// `args` are the script arguments, the name of the script or the tool first. `#pragma D option` lines change
/// `options`. The first error ends the compilation.
pub fn compile(
    sources: &SourceMap,
    env: &dyn Environment,
    options: &mut Options,
    args: &[String],
) -> Result<Compiled, Diagnostic> {
    let mut session = check::Session::new(sources, env, args);
    let mut matched = Vec::new();
    for id in sources.ids() {
        let (program, early) = declarations(&mut session, sources, id, options, Macros { args, env })?;
        matched.push(session.clauses(id, program, early)?);
    }
    let tool = &options.tool;
    let declared = (tool.ctypes.is_some() || tool.dtypes.is_some()).then(|| session.declared_types());
    let waits = session.waits();
    let checked = session.finish();
    let type_data = declared.map(|(included, own)| {
        let write =
            |declared: &[types::TypeId]| types::btf::write(&checked.types, declared, checked.limits.strsize);
        TypeFiles { included: write(&included), own: write(&own) }
    });
    let attributes = checked.attributes.clone();
    let program = ir::lower::lower(&checked)?;
    if let Err(report) = ir::verify::program(&program) {
        return Err(Diagnostic::new(
            diag::Tag::Unknown,
            first_span(sources),
            format!("internal error: {report}"),
        ));
    }
    Ok(Compiled { program, matched, attributes, type_data, waits })
}

/// The trees of every text of a session, in order, without a look at their clauses: for listings of what descriptions
/// match and for printing trees. Declarations are checked, since how a text reads depends on them.
pub fn trees(
    sources: &SourceMap,
    env: &dyn Environment,
    options: &mut Options,
    args: &[String],
) -> Result<Vec<ast::Program>, Diagnostic> {
    let mut session = check::Session::new(sources, env, args);
    for id in sources.ids() {
        let (program, early) = declarations(&mut session, sources, id, options, Macros { args, env })?;
        session.without_clauses(program, early);
    }
    Ok(session.finish().programs.into_iter().map(|(program, _)| program).collect())
}

/// Parses a text and checks its declarations. An error in one of these comes before a syntax error behind it.
fn declarations(
    session: &mut check::Session<'_>,
    sources: &SourceMap,
    id: source::SourceId,
    options: &mut Options,
    macros: Macros<'_>,
) -> Result<(ast::Program, check::fold::Early), Diagnostic> {
    let (mut program, error) =
        parse_prefix(sources, id, &mut ParseContext { macros, options, names: session });
    let early = session.early(&mut program, options, sources.get(id).kind)?;
    match error {
        Some(error) => Err(error),
        None => Ok((program, early)),
    }
}

/// Where a message without a place of its own points.
fn first_span(sources: &SourceMap) -> source::Span {
    let source = sources.ids().next().unwrap_or(source::SourceId(0));
    source::Span { source, start: 0, end: 0 }
}

/// A compiled session.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Everything, lowered and verified.
    pub program: ir::Program,
    /// By source: how many probes its clauses matched (for the notice `matched N probes`).
    pub matched: Vec<usize>,
    /// By source: how stable it is (for `-v`).
    pub attributes: Vec<check::Attributes>,
    /// Whether a description matches nothing and waits for a probe to appear (`-Z`).
    pub waits: bool,
    /// The types that programs declare, if `ctypes` or `dtypes` asks for them.
    pub type_data: Option<TypeFiles>,
}

/// Declared types as the bytes of BTF files.
#[derive(Clone, Debug)]
pub struct TypeFiles {
    /// Those of included files.
    pub included: Vec<u8>,
    /// All others.
    pub own: Vec<u8>,
}
