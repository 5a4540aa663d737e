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
    /// The files that `freopen` made, with what went there.
    pub files: Vec<(Vec<u8>, Vec<u8>)>,
    /// The file that output goes to; `None` for `out`.
    pub open: Option<usize>,
    /// What [`Output::flush`] answers, if not success.
    pub failure: Option<WriteError>,
}

impl CaptureOutput {
    fn stream(&mut self) -> &mut Vec<u8> {
        match self.open.and_then(|open| self.files.get_mut(open)) {
            Some((_, bytes)) => bytes,
            None => &mut self.out,
        }
    }
}

impl Output for CaptureOutput {
    fn write(&mut self, bytes: &[u8]) {
        self.stream().extend_from_slice(bytes);
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

    fn reopen(&mut self, path: &[u8]) -> Result<(), String> {
        self.open = match path {
            b"" => None,
            _ if path.starts_with(b"/nowhere") => return Err("No such file or directory".to_owned()),
            _ => Some(self.files.iter().position(|(known, _)| known == path).unwrap_or_else(|| {
                self.files.push((path.to_vec(), Vec::new()));
                self.files.len() - 1
            })),
        };
        Ok(())
    }

    fn redirected(&self) -> Option<bool> {
        let (_, bytes) = self.files.get(self.open?)?;
        Some(bytes.is_empty())
    }

    fn truncate(&mut self) {
        self.stream().clear();
    }
}
