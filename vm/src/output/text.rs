//! Output to two writers: a file, a pipe or a terminal, and standard error.

use std::io::{self, Write};

use super::{Files, GIVEN_UP, NoFiles, Output, Stream, WriteError};
use crate::event::reason;

/// Buffered bytes are passed on at this size, flushed or not.
const BUFFER: usize = 1 << 16;

/// See the module.
pub struct TextOutput<W, E> {
    out: W,
    err: E,
    files: Box<dyn Files>,
    /// Where `freopen` sent the output.
    redirected: Option<Box<dyn Stream>>,
    /// Something went there.
    written: bool,
    buffer: Vec<u8>,
    failed: Option<WriteError>,
    terminal: bool,
}

impl<W: Write, E: Write> TextOutput<W, E> {
    /// Output to `out` and `err`; `terminal` says what `out` is.
    pub fn new(out: W, err: E, terminal: bool) -> TextOutput<W, E> {
        TextOutput::with_files(out, err, terminal, Box::new(NoFiles))
    }

    /// The same where `freopen` and `ftruncate` work.
    pub fn with_files(out: W, err: E, terminal: bool, files: Box<dyn Files>) -> TextOutput<W, E> {
        TextOutput {
            out,
            err,
            files,
            redirected: None,
            written: false,
            buffer: Vec::new(),
            failed: None,
            terminal,
        }
    }

    /// Passes on what is buffered.
    fn pass_on(&mut self) {
        let mut buffer = std::mem::take(&mut self.buffer);
        self.send(&buffer);
        buffer.clear();
        self.buffer = buffer;
    }

    fn send(&mut self, bytes: &[u8]) {
        self.written = true;
        if self.failed.is_none() {
            let out: &mut dyn Write = match &mut self.redirected {
                Some(stream) => stream,
                None => &mut self.out,
            };
            let written = out.write_all(bytes).and_then(|()| out.flush());
            self.failed = written.err().map(|error| match error.kind() {
                io::ErrorKind::BrokenPipe => WriteError::Closed,
                GIVEN_UP => WriteError::GivenUp,
                _ => WriteError::Failed(reason(&error)),
            });
        }
    }
}

impl<W: Write, E: Write> Output for TextOutput<W, E> {
    fn write(&mut self, bytes: &[u8]) {
        if self.buffer.is_empty() && bytes.len() >= BUFFER {
            // A long print comes in pieces of this size: nothing is gained by copying them.
            return self.send(bytes);
        }
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER {
            self.pass_on();
        }
    }

    fn flush(&mut self) -> Result<(), WriteError> {
        if !self.buffer.is_empty() {
            self.pass_on();
        }
        self.failed.clone().map_or(Ok(()), Err)
    }

    fn diagnostic(&mut self, message: &[u8]) {
        // One write a message keeps lines of several processes apart.
        let line = [message, b"\n"].concat();
        let _ = self.err.write_all(&line).and_then(|()| self.err.flush());
    }

    fn is_terminal(&self) -> bool {
        self.redirected.as_ref().map_or(self.terminal, |stream| stream.is_terminal())
    }

    fn reopen(&mut self, path: &[u8]) -> Result<(), String> {
        let stream = match path {
            b"" => None,
            path => Some(self.files.append(path)?),
        };
        if !self.buffer.is_empty() {
            self.pass_on();
        }
        self.redirected = stream;
        self.written = false;
        Ok(())
    }

    fn redirected(&self) -> Option<bool> {
        let stream = self.redirected.as_ref()?;
        Some(!self.written && self.buffer.is_empty() && stream.is_empty())
    }

    fn truncate(&mut self) {
        if !self.buffer.is_empty() {
            self.pass_on();
        }
        self.written = false;
        match &mut self.redirected {
            Some(stream) => stream.truncate(),
            None => self.files.truncate_first(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Pipe {
        taken: Vec<u8>,
        writes: usize,
        room: Option<usize>,
    }

    impl Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.writes += 1;
            if self.room.is_some_and(|room| self.taken.len() >= room) {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            self.taken.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn rows_are_passed_on_at_each_flush() {
        let mut output = TextOutput::new(Pipe::default(), Vec::new(), false);
        output.write(b"a\n");
        output.write(b"b\n");
        assert!(output.out.taken.is_empty());
        assert_eq!(output.flush(), Ok(()));
        assert_eq!(output.flush(), Ok(()));
        assert_eq!((output.out.taken.as_slice(), output.out.writes), (&b"a\nb\n"[..], 1));
        output.diagnostic(b"dtrace: oops");
        assert_eq!(output.err, b"dtrace: oops\n");
    }

    #[test]
    fn failures_are_told_in_the_systems_words() {
        assert_eq!(reason(&io::Error::from_raw_os_error(28)), "No space left on device");
        assert_eq!(reason(&io::Error::other("torn")), "torn");
    }

    #[test]
    fn a_closed_pipe_is_told_from_other_failures_and_stays_closed() {
        let mut output = TextOutput::new(Pipe { room: Some(1), ..Pipe::default() }, Vec::new(), false);
        output.write(b"a");
        assert_eq!(output.flush(), Ok(()));
        output.write(b"b");
        assert_eq!(output.flush(), Err(WriteError::Closed));
        output.write(&[b'c'; BUFFER]);
        assert_eq!(output.flush(), Err(WriteError::Closed));
        assert_eq!((output.out.taken.as_slice(), output.out.writes), (&b"a"[..], 2));
    }
}
