//! Stability and versions of what a program names (language spec §2.12, §15): the triples of clauses for `-v`, the option
//! `amin`, the option `version`.
//!
//! In: names as the checker meets them, `#pragma D attributes` and `binding`. Out: the least triple of each clause and of
//! each program, and errors where something is less stable than wanted, or newer.

use std::collections::HashMap;

use super::errors;
use super::expr::Body;
use super::session::Session;
use crate::ast::operands::operands;
use crate::ast::{Expr, ExprKind, Pragma};
use crate::diag::Diagnostic;
use crate::env::{Probe, ProbePattern, Stability};
use crate::ir::{Scope, VarId};
use crate::source::{SourceKind, Span};
use crate::stability::{self, Version, is_below, least};
use crate::types::{Type, TypeId};

/// What pragmas say about names.
#[derive(Clone, Debug, Default)]
pub(super) struct Declared {
    triples: HashMap<String, Stability>,
    /// By provider and part.
    providers: HashMap<(String, String), Stability>,
    versions: HashMap<String, Version>,
}

/// The least triples of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// Of its probe descriptions.
    pub probes: Stability,
    /// Of its predicates and statements.
    pub statements: Stability,
}

impl Default for Attributes {
    fn default() -> Attributes {
        Attributes { probes: stability::STABLE, statements: stability::STABLE }
    }
}

impl Session<'_> {
    /// Keeps what a pragma says. The parser has checked its form.
    pub(super) fn note_pragma(&mut self, pragma: &Pragma) {
        let arg = |i: usize| pragma.args.get(i).map_or("", |word| word.name.as_str());
        match (pragma.word.name.as_str(), pragma.args.len()) {
            ("attributes", 4) => {
                if let Some(triple) = stability::parse(arg(0)) {
                    self.declared.providers.insert((arg(2).to_owned(), arg(3).to_owned()), triple);
                }
            }
            ("attributes", _) => {
                if let Some(triple) = stability::parse(arg(0)) {
                    self.declared.triples.insert(arg(1).to_owned(), triple);
                }
            }
            ("binding", _) => {
                if let Some(version) = Version::parse(arg(0)) {
                    self.declared.versions.insert(arg(1).to_owned(), version);
                }
            }
            _ => {}
        }
    }

    /// The version that brings a name, if it is later than the one the program asks for.
    pub(super) fn hidden(&self, name: &str) -> Option<Version> {
        let since = match self.declared.versions.get(name) {
            Some(&version) => version,
            None if self.version == Version::NEWEST => return None,
            None => stability::since(name),
        };
        (since > self.version).then_some(since)
    }

    /// An error about an unknown name, with the version that knows it.
    pub(super) fn hidden_help(&self, error: Diagnostic, name: &str) -> Diagnostic {
        match self.hidden(name) {
            Some(since) => error.help(format!(
                "{name} exists from version {since} on; the program asks for version {}",
                self.version
            )),
            None => error,
        }
    }

    /// The triple of a name, unless a pragma gives it another.
    pub(super) fn triple(&self, name: &str, own: Stability) -> Stability {
        self.declared.triples.get(name).copied().unwrap_or(own)
    }

    /// The triple of a description, from the first probe it matches.
    pub(super) fn description_triple(
        &self,
        first: Option<&Probe>,
        pattern: Option<&ProbePattern>,
    ) -> Stability {
        let usual = stability::of_description(first, pattern).description;
        let (Some(first), Some(pattern)) = (first, pattern) else { return usual };
        if self.declared.providers.is_empty() || pattern.provider.is_empty() {
            return usual;
        }
        let given =
            [true, !pattern.module.is_empty(), !pattern.function.is_empty(), !pattern.name.is_empty()];
        let parts = stability::components(first).into_iter().zip(stability::PARTS).zip(given);
        let triple = |part: &str, own| {
            let key = (first.provider.to_string(), part.to_owned());
            self.declared.providers.get(&key).copied().unwrap_or(own)
        };
        parts
            .filter(|(_, given)| *given)
            .map(|((own, part), _)| triple(part, own))
            .fold(stability::STABLE, least)
    }

    /// The triple that a pragma gives the translator that is being defined.
    pub(super) fn translator_triple(&mut self) -> Option<Stability> {
        self.declared.triples.remove("translator")
    }

    /// Refuses what is less stable than `amin` wants. Descriptions are exempt, as in DTrace: they are only reported. So are
    /// the library's definitions, of which the use counts.
    fn check_amin(&self, what: &str, triple: Stability, span: Span) -> Result<(), Diagnostic> {
        match self.amin {
            Some(wanted)
                if is_below(triple, wanted) && self.sources.get(span.source).kind != SourceKind::Library =>
            {
                Err(errors::too_unstable(span, what, triple))
            }
            _ => Ok(()),
        }
    }
}

impl Body<'_, '_> {
    /// Notes that a name of the given kind is used.
    pub(super) fn mention(
        &mut self,
        kind: &str,
        name: &str,
        own: Stability,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let triple = self.session.triple(name, own);
        self.note_triple(triple, span, || format!("{kind} {name}"))
    }

    /// Notes that something of a triple is used.
    pub(super) fn note_triple(
        &mut self,
        triple: Stability,
        span: Span,
        what: impl FnOnce() -> String,
    ) -> Result<(), Diagnostic> {
        self.attributes = least(self.attributes, triple);
        match self.session.amin {
            Some(_) => self.session.check_amin(&what(), triple, span),
            None => Ok(()),
        }
    }

    /// Notes that a variable is used. Pragmas name those of the global space.
    pub(super) fn mention_variable(&mut self, id: VarId, span: Span) -> Result<(), Diagnostic> {
        let var = &self.session.names.vars[id.index()];
        let triple = match var.scope {
            Scope::Global => self.session.triple(&var.name, stability::STABLE),
            _ => stability::STABLE,
        };
        let (shape, shown) = (super::kind_of_shape(&var.shape), var.shown());
        self.note_triple(triple, span, || format!("{shape} {shown}"))
    }

    /// Notes that a type is named.
    pub(super) fn mention_type(&mut self, ty: TypeId, span: Span) -> Result<(), Diagnostic> {
        let mut named = ty;
        while let Type::Pointer(target) | Type::Array(target, _) = *self.session.types.get(named) {
            named = target;
        }
        self.session.complete(named);
        if !self.session.types.is_of_kernel(named) {
            return Ok(());
        }
        let shown = self.session.types.show(ty);
        self.note_triple(stability::KERNEL, span, || format!("type {shown}"))
    }

    /// Notes what a constant is made of: inlines and types, which are folded before anything else is looked at.
    pub(super) fn mention_in_constant(&mut self, expr: &Expr) -> Result<(), Diagnostic> {
        match &expr.kind {
            ExprKind::Int(_) => return Ok(()),
            ExprKind::Name(name) if self.session.inline(name).is_some() => {
                self.mention("inline", name, stability::STABLE, expr.span)?;
            }
            ExprKind::Cast { .. } => {
                if let Some(to) = self.early.cast(expr) {
                    self.mention_type(to.ty, expr.span)?;
                }
            }
            _ => {}
        }
        let mut inner = Ok(());
        operands(expr, &mut |child| {
            if inner.is_ok() {
                inner = self.mention_in_constant(child);
            }
        });
        inner
    }
}
