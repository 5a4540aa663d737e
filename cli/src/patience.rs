//! Standard output whose reader may be slow. In: bytes. Out: the same bytes, as fast as the reader takes them; what is
//! traced meanwhile waits in the kernel's buffers, and what finds no room there is counted as lost.
//!
//! A reader that takes nothing at all must not hold the tracer for ever: the second request to end (Ctrl-C again) ends
//! the wait with [`GIVEN_UP`]. So a write never blocks inside the kernel; only the wait for room does, which a signal
//! interrupts. What a pipe then holds ends with a line, since whole lines are given to it at once where they are short
//! enough; the end of a long one is waited for a moment longer.

use std::fs::File;
use std::io::{self, IoSlice, Write};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use dtrail_vm::consumer::Interrupts as _;
use dtrail_vm::output::GIVEN_UP;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ReadWriteFlags, pwritev2};

use crate::Interrupts;

/// A pipe that is writable takes so many bytes at once (`PIPE_BUF`), all of them or none.
const PORTION: usize = 4096;

/// So long the rest of a line is waited for when the end was asked for twice.
const GRACE: Duration = Duration::from_millis(400);

/// How long a wait lasts before the requests to end are counted again: a signal may come just before it begins.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

/// See the module.
#[derive(Debug)]
pub struct Patience {
    file: File,
    /// Writing to it may have to wait: it is a pipe, a terminal or a socket.
    may_wait: bool,
    /// The kernel takes what fits at once: of pipes since Linux 6.4.
    takes_what_fits: bool,
    /// The last byte that was taken ended no line.
    in_line: bool,
    /// When the wait for the rest of a line ends.
    grace: Option<Instant>,
    interrupts: Option<Interrupts>,
}

impl Patience {
    /// Output to a descriptor of one's own; `interrupts` are the requests to end.
    pub fn new(file: File, interrupts: Option<Interrupts>) -> Patience {
        let may_wait = file.metadata().is_ok_and(|metadata| !metadata.is_file());
        Patience { file, may_wait, takes_what_fits: true, in_line: false, grace: None, interrupts }
    }

    /// Writes what fits without waiting; `None`: that cannot be asked for.
    fn write_what_fits(&mut self, bytes: &[u8]) -> Option<io::Result<usize>> {
        if !self.takes_what_fits {
            return None;
        }
        // The offset that means none.
        match pwritev2(&self.file, &[IoSlice::new(bytes)], u64::MAX, ReadWriteFlags::NOWAIT) {
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL | Errno::SPIPE) => {
                self.takes_what_fits = false;
                None
            }
            written => Some(written.map_err(Into::into)),
        }
    }

    /// Waits for room, or for the second request to end.
    fn wait(&mut self) -> io::Result<()> {
        loop {
            let hurried = self.interrupts.as_ref().is_some_and(|interrupts| interrupts.count() > 1);
            let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
            let timeout = if hurried && !self.in_line { at_once } else { LOOK };
            match poll(&mut [PollFd::from_borrowed_fd(self.file.as_fd(), PollFlags::OUT)], Some(&timeout)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(e) => return Err(e.into()),
            }
            let ends = || Instant::now() + GRACE;
            if hurried && (!self.in_line || Instant::now() >= *self.grace.get_or_insert_with(ends)) {
                return Err(GIVEN_UP.into());
            }
        }
    }

    /// Notes how a write went.
    fn wrote(&mut self, portion: &[u8], written: io::Result<usize>) -> io::Result<usize> {
        if let Ok(count @ 1..) = written {
            self.in_line = portion.get(count - 1) != Some(&b'\n');
        }
        written
    }
}

/// What is given to a pipe at once: whole lines, if one ends within [`PORTION`] bytes.
fn portion(bytes: &[u8]) -> &[u8] {
    let most = &bytes[..bytes.len().min(PORTION)];
    let lines = most.iter().rposition(|&byte| byte == b'\n').map_or(most.len(), |end| end + 1);
    &most[..lines]
}

impl Write for Patience {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.may_wait {
            return self.file.write(bytes);
        }
        let portion = portion(bytes);
        if let Some(written @ Ok(_)) = self.write_what_fits(portion) {
            return self.wrote(portion, written);
        }
        loop {
            self.wait()?;
            match self.write_what_fits(portion).unwrap_or_else(|| self.file.write(portion)) {
                // Another process has made the terminal it shares with this one impatient, and was faster.
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                written => return self.wrote(portion, written),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::fd::OwnedFd;

    use super::*;

    #[test]
    fn everything_arrives_however_slowly_it_is_read() {
        let (mut reader, writer) = io::pipe().expect("a pipe");
        let sent: Vec<u8> = (0..1_000_000_u32).map(|i| (i % 251) as u8).collect();
        let expected = sent.clone();
        let slow = std::thread::spawn(move || {
            let mut got = Vec::new();
            let mut portion = [0; 10_000];
            loop {
                match reader.read(&mut portion).expect("a pipe can be read") {
                    0 => return got,
                    n => got.extend_from_slice(&portion[..n]),
                }
                std::thread::sleep(std::time::Duration::from_micros(100));
            }
        });
        let mut output = Patience::new(File::from(OwnedFd::from(writer)), None);
        output.write_all(&sent).expect("it is read");
        drop(output);
        assert!(slow.join().expect("no panic") == expected);
    }

    #[test]
    fn pipes_are_given_whole_lines() {
        assert_eq!(portion(b"a\nb\nc"), b"a\nb\n");
        assert_eq!(portion(b"abc"), b"abc");
        assert_eq!(portion(b""), b"");
        let long = [&[b'x'; PORTION][..], b"\ny\n"].concat();
        assert_eq!(portion(&long), &long[..PORTION]);
        assert_eq!(portion(&long[1..]), &long[1..=PORTION]);
        let mut two = [b'x'; PORTION + 9];
        two[10] = b'\n';
        assert_eq!(portion(&two), &two[..11]);
    }

    #[test]
    fn a_reader_that_has_gone_is_told() {
        let (reader, writer) = io::pipe().expect("a pipe");
        drop(reader);
        let mut output = Patience::new(File::from(OwnedFd::from(writer)), None);
        let error = output.write_all(b"x").expect_err("nobody reads");
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
