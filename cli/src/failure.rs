//! What ends a run before its time: a text for standard error and an exit status.

use dtrail_lang::diag::Diagnostic;
use dtrail_vm::event::Error;

/// A run that cannot go on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Failure {
    /// The program is wrong; status 1.
    Program(Box<Diagnostic>),
    /// Anything else.
    Message {
        /// What is wrong, without the program's name.
        text: String,
        /// What helps, if that is known.
        help: Option<String>,
        /// The status.
        status: u8,
    },
}

impl Failure {
    /// A message with status 1.
    pub(crate) fn fatal(message: impl Into<String>) -> Failure {
        Failure::Message { text: message.into(), help: None, status: 1 }
    }

    /// A message with status 2: the command line cannot be carried out.
    pub(crate) fn usage(message: impl Into<String>) -> Failure {
        Failure::Message { text: message.into(), help: None, status: 2 }
    }

    /// Adds what helps, if that is known. A program's mistake has its own.
    #[must_use]
    pub(crate) fn help(mut self, advice: Option<impl Into<String>>) -> Failure {
        if let Failure::Message { help, .. } = &mut self {
            *help = advice.map(Into::into);
        }
        self
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::fatal(error.message).help(error.help)
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Failure {
        Failure::Program(Box::new(diagnostic))
    }
}
