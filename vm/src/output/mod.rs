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
    /// Sends everything that follows to a file, at its end; an empty name goes back to the first stream (`freopen`). On
    /// an error, in the system's words, nothing changes.
    fn reopen(&mut self, path: &[u8]) -> Result<(), String>;
    /// Empties the file that the stream goes to; nothing if it is no file (`ftruncate`).
    fn truncate(&mut self);
    /// Whether the stream goes where [`Output::reopen`] sent it, and then whether nothing is there yet.
    fn redirected(&self) -> Option<bool>;
}

/// What a writer fails with that no longer waits for its reader: see [`WriteError::GivenUp`].
pub const GIVEN_UP: std::io::ErrorKind = std::io::ErrorKind::TimedOut;

/// The files behind an output stream, which only its owner can open.
pub trait Files {
    /// Opens a file for appending, made if it is not there.
    fn append(&mut self, path: &[u8]) -> Result<Box<dyn Stream>, String>;
    /// Empties the file that the first stream goes to, if it is one.
    fn truncate_first(&mut self);
}

/// A stream to a file.
pub trait Stream: std::io::Write {
    /// Empties the file and goes back to its start; nothing if it is no file.
    fn truncate(&mut self);
    /// Whether it is a terminal.
    fn is_terminal(&self) -> bool;
    /// Whether nothing is there; what is no file has nothing.
    fn is_empty(&self) -> bool;
}

/// No files: there is one stream, and it cannot be emptied.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn append(&mut self, _: &[u8]) -> Result<Box<dyn Stream>, String> {
        Err("Operation not supported".to_owned())
    }

    fn truncate_first(&mut self) {}
}

/// Why the output stream takes nothing any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteError {
    /// The reader of a pipe is gone: the run ends quietly.
    Closed,
    /// It takes nothing, and the end was asked for twice: the rest is left out, and told.
    GivenUp,
    /// Anything else, in the system's words.
    Failed(String),
}
