//! The files behind the output: what `freopen` opens and `ftruncate` empties. In: names. Out: streams to them.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Seek, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use dtrail_vm::consumer;
use dtrail_vm::event::reason;
use dtrail_vm::output::{Files, Stream};
use rustix::io::ioctl_fionbio;

use crate::{Interrupts, Patience};

/// How long before a pipe is looked at again that nobody reads.
const AGAIN: Duration = Duration::from_millis(20);

/// What the first stream goes to.
pub(crate) struct OutputFiles {
    first: Option<File>,
    interrupts: Option<Interrupts>,
}

impl OutputFiles {
    /// The file of `-o`.
    pub(crate) fn first(file: &File, interrupts: Option<Interrupts>) -> OutputFiles {
        OutputFiles { first: file.try_clone().ok(), interrupts }
    }

    /// Standard output, if it is this process's.
    pub(crate) fn standard(is_process: bool, interrupts: Option<Interrupts>) -> OutputFiles {
        let stdout = is_process.then(|| io::stdout().as_fd().try_clone_to_owned().ok()).flatten();
        OutputFiles { first: stdout.map(File::from), interrupts }
    }
}

impl Files for OutputFiles {
    fn append(&mut self, path: &[u8]) -> Result<Box<dyn Stream>, String> {
        let file =
            open(Path::new(OsStr::from_bytes(path)), self.interrupts.as_ref()).map_err(|e| reason(&e))?;
        let own = file.try_clone().map_err(|e| reason(&e))?;
        Ok(Box::new(Redirected { out: Patience::new(file, self.interrupts.clone()), file: own }))
    }

    fn truncate_first(&mut self) {
        if let Some(file) = &mut self.first {
            truncate(file);
        }
    }
}

/// Opens a file to append to. A pipe that nobody reads yet is waited for until a signal asks to end.
fn open(path: &Path, interrupts: Option<&Interrupts>) -> io::Result<File> {
    let count = || interrupts.map_or(0, consumer::Interrupts::count);
    let before = count();
    let mut options = OpenOptions::new();
    options.append(true).create(true).custom_flags(libc::O_NONBLOCK);
    loop {
        match options.open(path) {
            Err(e) if e.raw_os_error() == Some(libc::ENXIO) && is_pipe(path) => {}
            Err(e) => return Err(e),
            Ok(file) => {
                ioctl_fionbio(&file, false)?;
                return Ok(file);
            }
        }
        if count() > before {
            return Err(io::Error::from_raw_os_error(libc::EINTR));
        }
        std::thread::sleep(AGAIN);
    }
}

fn is_pipe(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_fifo())
}

/// A file that `freopen` opened.
struct Redirected {
    out: Patience,
    file: File,
}

impl Write for Redirected {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Stream for Redirected {
    fn truncate(&mut self) {
        truncate(&mut self.file);
    }

    fn is_terminal(&self) -> bool {
        self.file.is_terminal()
    }

    fn is_empty(&self) -> bool {
        self.file.metadata().map_or(true, |metadata| metadata.len() == 0)
    }
}

/// Empties a file and goes back to its start; what is no file stays as it is.
fn truncate(file: &mut File) {
    if file.metadata().is_ok_and(|metadata| metadata.is_file()) && file.set_len(0).is_ok() {
        let _ = file.rewind();
    }
}
