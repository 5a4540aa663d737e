//! Names of code that a run-time compiler made, from the file that it keeps of them (`/tmp/perf-PID.map`: start, size and
//! name a line, hexadecimal). The last line that covers an address counts, since code is made anew in old places.
//!
//! Anybody can make a file in `/tmp`. So it is believed only if it is a plain file, reached by no symbolic link, and
//! belongs to the user of the process or to root.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::rc::Rc;

use super::kallsyms::hex;
use crate::procfs;

/// Whose code it is, as it was when the process was looked at: it can be asked for when the process is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Maker {
    /// The process.
    pid: u32,
    /// The ID that it knows itself by, in the innermost namespace.
    own_pid: u32,
    /// The user that it runs as.
    uid: u32,
}

impl Maker {
    /// Looks at a process.
    pub(super) fn look(pid: u32) -> Option<Maker> {
        let uid = procfs::ids(pid, pid)?.0;
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
        let own_pid = line.and_then(|pids| pids.split_whitespace().next_back()?.parse().ok());
        Some(Maker { pid, own_pid: own_pid.unwrap_or(pid), uid })
    }

    /// Opens the file: in the process's own root if it can be reached.
    fn open(&self) -> Option<File> {
        let Maker { pid, own_pid, .. } = self;
        let paths = [format!("/proc/{pid}/root/tmp/perf-{own_pid}.map"), format!("/tmp/perf-{own_pid}.map")];
        paths.iter().find_map(|path| open(path, self.uid))
    }
}

/// Opens a file of a user.
fn open(path: &str, uid: u32) -> Option<File> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY;
    std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let file = File::options().read(true).custom_flags(flags).open(path).ok()?;
    let metadata = file.metadata().ok()?;
    (metadata.is_file() && [0, uid].contains(&metadata.uid())).then_some(file)
}

/// What one process has made.
#[derive(Debug, Default)]
pub(super) struct MadeCode {
    /// By start: end and name. They do not overlap.
    code: BTreeMap<u64, (u64, Rc<str>)>,
    /// When the file was looked at last, monotonic nanoseconds.
    pub(super) looked: u64,
    /// Bytes of the file that were read.
    read: u64,
    /// The end of what was read, if it was no whole line.
    rest: Vec<u8>,
    /// The rest of a line is to be left out, since it is too long.
    skipping: bool,
    /// Bytes of the names that were read.
    named: usize,
}

/// Most names of one process.
const MOST: usize = 1 << 20;
/// Most bytes that are read of a file.
const MOST_BYTES: u64 = 256 << 20;
/// The longest line that is one.
const LONGEST: usize = 1 << 14;

impl MadeCode {
    /// Reads what the file has more since the last time.
    pub(super) fn read(&mut self, maker: &Maker) {
        let Some(mut file) = maker.open() else { return };
        if file.metadata().is_ok_and(|metadata| metadata.len() < self.read) {
            // It was written anew.
            *self = MadeCode { looked: self.looked, ..MadeCode::default() };
        }
        if file.seek(SeekFrom::Start(self.read)).is_err() {
            return;
        }
        let mut part = vec![0; 1 << 16];
        while self.read < MOST_BYTES {
            match file.read(&mut part) {
                Ok(count) if count > 0 => {
                    self.read += count as u64;
                    self.add(&part[..count]);
                }
                _ => break,
            }
        }
    }

    /// What a file has that was read in these parts.
    #[cfg(test)]
    pub(super) fn of(parts: &[&[u8]]) -> MadeCode {
        let mut made = MadeCode::default();
        parts.iter().for_each(|part| made.add(part));
        made
    }

    /// Takes the next part of the file.
    fn add(&mut self, part: &[u8]) {
        let mut lines = part.split(|&byte| byte == b'\n').peekable();
        while let Some(line) = lines.next() {
            let ends = lines.peek().is_some();
            if self.rest.len() + line.len() > LONGEST {
                self.skipping = true;
                self.rest.clear();
            }
            if !self.skipping {
                self.rest.extend_from_slice(line);
            }
            if ends {
                let whole = std::mem::take(&mut self.rest);
                if !std::mem::take(&mut self.skipping) {
                    self.line(&whole);
                }
            }
        }
    }

    fn line(&mut self, line: &[u8]) {
        let mut words = line.splitn(3, |&byte| byte == b' ');
        let (Some(start), Some(size), Some(name)) = (words.next(), words.next(), words.next()) else {
            return;
        };
        let number = |digits: &[u8]| hex(digits.strip_prefix(b"0x").unwrap_or(digits));
        let (Some(start), Some(size)) = (number(start), number(size)) else { return };
        if size > 0 && !name.is_empty() && self.code.len() < MOST {
            // What is no UTF-8 takes three bytes instead of one.
            let name: Rc<str> = String::from_utf8_lossy(name).into();
            self.named += name.len();
            self.put(start, start.saturating_add(size), name);
        }
    }

    /// Code takes the place of what was there.
    fn put(&mut self, start: u64, end: u64, name: Rc<str>) {
        let before = self.code.range(..start).next_back().map(|(&at, (end, name))| (at, *end, name.clone()));
        let within = self.code.range(start..end).map(|(&at, (end, name))| (at, *end, name.clone()));
        let over: Vec<_> = before.into_iter().chain(within).filter(|old| old.1 > start).collect();
        for (old_start, old_end, old_name) in over {
            self.code.remove(&old_start);
            if old_start < start {
                self.code.insert(old_start, (start, old_name.clone()));
            }
            if old_end > end {
                self.code.insert(end, (old_end, old_name));
            }
        }
        self.code.insert(start, (end, name));
    }

    /// Bytes that it takes in memory, about: names are no longer than what was read, and each has some words with it.
    pub(super) fn bytes(&self) -> usize {
        const ENTRY: usize = 96;
        self.code.len() * ENTRY + self.named
    }

    /// Whether nothing has been read.
    pub(super) fn is_empty(&self) -> bool {
        self.read == 0
    }

    /// The name of an address.
    pub(super) fn find(&self, addr: u64) -> Option<Rc<str>> {
        let (_, (end, name)) = self.code.range(..=addr).next_back()?;
        (addr < *end).then(|| name.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_counts() {
        let mut made = MadeCode::default();
        made.add(b"1000 20 first\n0x2000 10 LHello;run()V and more\n1000 10 second\nbad\n30");
        made.add(b"00 8 third\n5000 100 whole\n5040 10 within\n6000 10 unfinished");
        for (addr, expected) in [
            (0x1000, Some("second")),
            (0x1018, Some("first")),
            (0x200f, Some("LHello;run()V and more")),
            (0x2010, None),
            (0x3004, Some("third")),
            (0x503f, Some("whole")),
            (0x5040, Some("within")),
            (0x5050, Some("whole")),
            (0x5100, None),
            (0x6000, None),
        ] {
            assert_eq!(made.find(addr).as_deref(), expected, "{addr:#x}");
        }
    }

    #[test]
    fn garbage_is_left_out() {
        let mut made = MadeCode::default();
        let long = "x".repeat(LONGEST + 1);
        for part in ["1000 10 ", &long, &long, "\n2000 10 good\n", "\u{0}\u{1}\n", "zz 10 no\n3000 0 empty\n"]
        {
            made.add(part.as_bytes());
        }
        made.add(b"ffffffffffffff00 ffffffffffffffff end\n\xff\xfe 1 1\n4000 10 \xff\n");
        assert!(made.rest.is_empty());
        for (addr, expected) in [
            (0x1000, None),
            (0x2000, Some("good")),
            (0x3000, None),
            (0xffff_ffff_ffff_ff80, Some("end")),
            (0x4000, Some("\u{fffd}")),
        ] {
            assert_eq!(made.find(addr).as_deref(), expected, "{addr:#x}");
        }
    }

    #[test]
    fn only_a_file_of_the_processs_user_is_believed() {
        let own = Maker::look(std::process::id()).expect("this process");
        assert_eq!(own.own_pid, std::process::id());
        let folder = std::env::temp_dir().join(format!("dtrail-made-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = |name: &str| folder.join(name).to_str().expect("plain").to_owned();
        std::fs::write(path("file"), "1000 10 name\n").expect("there is room");
        std::os::unix::fs::symlink(path("file"), path("link")).expect("a link");
        assert!(open(&path("file"), own.uid).is_some());
        assert!(open(&path("link"), own.uid).is_none(), "a link may lead anywhere");
        assert!(open(&path("missing"), own.uid).is_none());
        assert!(open(folder.to_str().expect("plain"), own.uid).is_none());
        if own.uid == 0 {
            assert!(open(&path("file"), 65_534).is_some(), "root's is believed");
            std::os::unix::fs::chown(path("file"), Some(65_534), None).expect("root may");
            assert!(open(&path("file"), 65_534).is_some());
            assert!(open(&path("file"), 65_533).is_none(), "another user's is not");
        } else {
            assert!(open(&path("file"), own.uid + 1).is_none(), "another user's is not");
        }
        std::fs::remove_dir_all(&folder).expect("it was made");
    }
}
