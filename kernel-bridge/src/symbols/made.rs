//! Names of code that a run-time compiler made, from the file that it keeps of them (`/tmp/perf-PID.map`: start, size and
//! name a line, hexadecimal). The last line that covers an address counts, since code is made anew in old places.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::rc::Rc;

use super::kallsyms::hex;

/// What one process has made.
#[derive(Debug, Default)]
pub(super) struct MadeCode {
    /// Start, end, name; sorted by start when asked.
    code: Vec<(u64, u64, Rc<str>)>,
    /// Bytes of the file that were read.
    read: u64,
    /// The end of what was read, if it was no whole line.
    rest: Vec<u8>,
}

/// Most names of one process.
const MOST: usize = 1 << 20;

impl MadeCode {
    /// Reads what the file has more since the last time: in the process's own root if it can be reached.
    pub(super) fn read(&mut self, pid: u32) {
        let name = own_pid(pid);
        let paths = [format!("/proc/{pid}/root/tmp/perf-{name}.map"), format!("/tmp/perf-{pid}.map")];
        let Some(mut file) = paths.iter().find_map(|path| File::open(path).ok()) else { return };
        if file.seek(SeekFrom::Start(self.read)).is_err() {
            return;
        }
        let mut text = std::mem::take(&mut self.rest);
        let Ok(count) = file.read_to_end(&mut text) else { return };
        self.read += count as u64;
        self.add(&text);
    }

    fn add(&mut self, text: &[u8]) {
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        self.rest = text[whole..].to_vec();
        for line in text[..whole].split(|&byte| byte == b'\n') {
            let mut words = line.splitn(3, |&byte| byte == b' ');
            let (Some(start), Some(size), Some(name)) = (words.next(), words.next(), words.next()) else {
                continue;
            };
            let number = |digits: &[u8]| hex(digits.strip_prefix(b"0x").unwrap_or(digits));
            let (Some(start), Some(size)) = (number(start), number(size)) else { continue };
            if self.code.len() < MOST {
                self.code.push((start, start.saturating_add(size), String::from_utf8_lossy(name).into()));
            }
        }
    }

    /// The name of an address.
    pub(super) fn find(&self, addr: u64) -> Option<Rc<str>> {
        let covers = |code: &&(u64, u64, Rc<str>)| (code.0..code.1).contains(&addr);
        self.code.iter().rev().find(covers).map(|code| code.2.clone())
    }
}

/// The ID that a process knows itself by, in the innermost namespace.
fn own_pid(pid: u32) -> u32 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
    line.and_then(|pids| pids.split_whitespace().next_back()?.parse().ok()).unwrap_or(pid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_counts() {
        let mut made = MadeCode::default();
        made.add(b"1000 20 first\n0x2000 10 LHello;run()V and more\n1000 10 second\nbad\n30");
        let rest = std::mem::take(&mut made.rest);
        made.add(&[&*rest, b"00 8 third\n"].concat());
        for (addr, expected) in [
            (0x1000, Some("second")),
            (0x1018, Some("first")),
            (0x200f, Some("LHello;run()V and more")),
            (0x2010, None),
            (0x3004, Some("third")),
        ] {
            assert_eq!(made.find(addr).as_deref(), expected, "{addr:#x}");
        }
    }
}
