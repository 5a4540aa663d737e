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
pub mod diag;
pub mod env;
pub mod format;
pub mod ir;
pub mod options;
pub mod parse;
pub mod plan;
pub mod source;

/// A compiled session.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Everything, lowered and verified.
    pub program: ir::Program,
    /// By source: how many probes its clauses matched (for the notice `matched N probes`).
    pub matched: Vec<usize>,
}
