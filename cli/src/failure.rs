//! What ends a run before its time: a text for standard error and an exit status.

use dtrail_lang::diag::Diagnostic;
use dtrail_vm::event::Error;

/// A run that cannot go on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Failure {
    /// The program is wrong; status 1.
    Program(Box<Diagnostic>),
    /// Anything else: lines without the program's name, and the status.
    Message(String, u8),
}

impl Failure {
    /// A message with status 1.
    pub(crate) fn fatal(message: impl Into<String>) -> Failure {
        Failure::Message(message.into(), 1)
    }

    /// A message with status 2: the command line cannot be carried out.
    pub(crate) fn usage(message: impl Into<String>) -> Failure {
        Failure::Message(message.into(), 2)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::fatal(error.to_string())
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Failure {
        Failure::Program(Box::new(diagnostic))
    }
}
