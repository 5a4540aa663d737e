//! Output kept in memory, for tests and for what is compared before it is shown.

use super::{Output, WriteError};

/// Both streams as bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaptureOutput {
    /// The output stream.
    pub out: Vec<u8>,
    /// Messages, each with its newline.
    pub err: Vec<u8>,
    /// How often the output stream was flushed with something new in it.
    pub flushes: usize,
    /// How much of the output stream was flushed.
    pub flushed: usize,
    /// Answers [`Output::is_terminal`].
    pub terminal: bool,
    /// What [`Output::flush`] answers, if not success.
    pub failure: Option<WriteError>,
}

impl Output for CaptureOutput {
    fn write(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    fn flush(&mut self) -> Result<(), WriteError> {
        if self.flushed < self.out.len() {
            self.flushed = self.out.len();
            self.flushes += 1;
        }
        self.failure.clone().map_or(Ok(()), Err)
    }

    fn diagnostic(&mut self, message: &[u8]) {
        self.err.extend_from_slice(message);
        self.err.push(b'\n');
    }

    fn is_terminal(&self) -> bool {
        self.terminal
    }
}
