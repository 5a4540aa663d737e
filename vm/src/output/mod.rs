//! Where text goes: the only module that prints. Rows go to the output stream, buffered and flushed at each drain;
//! diagnostics go to standard error at once. Nothing here knows what the bytes mean.

pub mod capture;
pub mod text;

pub use capture::CaptureOutput;
pub use text::TextOutput;

/// Two streams.
pub trait Output {
    /// Appends to the output stream. A failure is kept and comes out of the next [`Output::flush`].
    fn write(&mut self, bytes: &[u8]);
    /// Makes everything written so far visible.
    fn flush(&mut self) -> Result<(), WriteError>;
    /// Writes a message, without its newline, to standard error. Failures are nobody's business any more.
    fn diagnostic(&mut self, message: &[u8]);
    /// Whether the output stream is a terminal: control characters in traced data are then escaped.
    fn is_terminal(&self) -> bool;
}

/// Why the output stream takes nothing any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteError {
    /// The reader of a pipe is gone: the run ends quietly.
    Closed,
    /// Anything else, in the system's words.
    Failed(String),
}
