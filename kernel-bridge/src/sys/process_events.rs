//! What processes map, execute, copy and end, as the kernel tells it through a perf event on each CPU. Opened descriptors
//! in, events in order of time out; nothing is decided here.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::Ordering;

use super::mapping::Mapping;
use super::perf::{self, Attributes, EXCLUDE_KERNEL, SOFTWARE};
use super::{cpus, page_size};

/// One thing that a process did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ProcessEvent {
    /// It executed an image.
    Exec {
        /// Its ID.
        pid: u32,
    },
    /// It mapped a file so that it can be executed.
    Map {
        /// Its ID.
        pid: u32,
        /// First address.
        start: u64,
        /// Bytes.
        size: u64,
        /// Where in the file it begins.
        offset: u64,
        /// The file's number in its file system.
        inode: u64,
        /// The file's path in the process's view, or a name in brackets.
        path: String,
    },
    /// It became two.
    Fork {
        /// The new one.
        pid: u32,
        /// The old one.
        parent: u32,
    },
    /// Its last thread that is told of here ended.
    Exit {
        /// Its ID.
        pid: u32,
    },
}

/// The buffers of all CPUs.
#[derive(Debug)]
pub(crate) struct ProcessEvents {
    buffers: Vec<Buffer>,
    /// Events that found no room, ever.
    lost: u64,
}

#[derive(Debug)]
struct Buffer {
    mapping: Mapping,
    _fd: OwnedFd,
}

/// Pages of a buffer: a power of two, and one in front. Some thousand events.
const PAGES: usize = 64;

const DUMMY: u64 = 9;
const SAMPLE_TID: u64 = 1 << 1;
const SAMPLE_TIME: u64 = 1 << 2;
const MMAP: u64 = 1 << 8;
const COMM: u64 = 1 << 9;
const TASK: u64 = 1 << 13;
const SAMPLE_ID_ALL: u64 = 1 << 18;
const MMAP2: u64 = 1 << 23;
const COMM_EXEC: u64 = 1 << 24;
const USE_CLOCK: u64 = 1 << 25;

/// Where the page in front has the producer's position, and the consumer's.
const HEAD: usize = 1024;
const TAIL: usize = 1032;

impl ProcessEvents {
    /// Opens an event on each CPU that is online. Needs privilege.
    pub(crate) fn open() -> io::Result<ProcessEvents> {
        let attributes = || Attributes {
            kind: SOFTWARE,
            config: DUMMY,
            sample_type: SAMPLE_TID | SAMPLE_TIME,
            flags: EXCLUDE_KERNEL | MMAP | COMM | TASK | SAMPLE_ID_ALL | MMAP2 | COMM_EXEC | USE_CLOCK,
            clock: libc::CLOCK_MONOTONIC,
            ..Attributes::default()
        };
        let mut buffers = Vec::new();
        for cpu in cpus::online()? {
            let fd = perf::open(attributes(), -1, cpu as i32)?;
            let mapping = Mapping::new(&fd, 0, (1 + PAGES) * page_size(), true)?;
            buffers.push(Buffer { mapping, _fd: fd });
        }
        Ok(ProcessEvents { buffers, lost: 0 })
    }

    /// Takes what happened since the last call, in order of time; and whether events were lost meanwhile.
    pub(crate) fn take(&mut self, each: &mut dyn FnMut(u64, ProcessEvent)) -> bool {
        let mut events = Vec::new();
        let lost = self.lost;
        for buffer in &self.buffers {
            buffer.drain(&mut |record| match parse(record) {
                Some(Parsed::Event(time, event)) => events.push((time, event)),
                Some(Parsed::Lost(count)) => self.lost += count,
                None => {}
            });
        }
        events.sort_by_key(|event| event.0);
        events.into_iter().for_each(|(time, event)| each(time, event));
        self.lost != lost
    }
}

impl Buffer {
    fn drain(&self, take: &mut dyn FnMut(&[u8])) {
        let size = (PAGES * page_size()) as u64;
        let head = self.mapping.load(HEAD, Ordering::Acquire);
        let mut tail = self.mapping.load(TAIL, Ordering::Relaxed);
        let mut record = Vec::new();
        while tail < head {
            let word =
                |at: u64| self.mapping.load(page_size() + ((tail + at) % size) as usize, Ordering::Relaxed);
            // Type (4), misc (2), size (2); records are multiples of 8.
            let length = word(0) >> 48;
            if length < 8 || length % 8 != 0 || tail + length > head {
                tail = head;
                break;
            }
            record.clear();
            (0..length).step_by(8).for_each(|at| record.extend_from_slice(&word(at).to_ne_bytes()));
            take(&record);
            tail += length;
        }
        self.mapping.store(TAIL, tail, Ordering::Release);
    }
}

enum Parsed {
    Event(u64, ProcessEvent),
    Lost(u64),
}

/// Reads one record. What is not of interest or too short gives nothing.
fn parse(record: &[u8]) -> Option<Parsed> {
    const LOST: u32 = 2;
    const COMM: u32 = 3;
    const EXIT: u32 = 4;
    const FORK: u32 = 7;
    const MMAP2: u32 = 10;
    const MISC_EXEC: u16 = 1 << 13;
    let u32_at = |at: usize| Some(u32::from_ne_bytes(*record.get(at..)?.first_chunk()?));
    let u64_at = |at: usize| Some(u64::from_ne_bytes(*record.get(at..)?.first_chunk()?));
    let misc = u16::from_ne_bytes(*record.get(4..)?.first_chunk()?);
    // Each ends with the IDs of its thread (8) and the time (8).
    let time = u64_at(record.len().checked_sub(8)?)?;
    let (pid, tid) = (u32_at(8)?, u32_at(12)?);
    let event = match u32_at(0)? {
        LOST => return Some(Parsed::Lost(u64_at(16)?)),
        COMM if misc & MISC_EXEC != 0 => ProcessEvent::Exec { pid },
        // IDs: process, parent, thread, parent's thread. Threads of one process share what is mapped.
        FORK if pid != tid => ProcessEvent::Fork { pid, parent: tid },
        EXIT if u32_at(16)? == pid => ProcessEvent::Exit { pid },
        MMAP2 => {
            let text = record.get(72..record.len().checked_sub(16)?)?;
            let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
            ProcessEvent::Map {
                pid,
                start: u64_at(16)?,
                size: u64_at(24)?,
                offset: u64_at(32)?,
                // Behind the numbers of its device.
                inode: u64_at(48)?,
                path: String::from_utf8_lossy(&text[..end]).into_owned(),
            }
        }
        _ => return None,
    };
    Some(Parsed::Event(time, event))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::privileged;

    #[test]
    fn records() {
        let mut record = Vec::new();
        record.extend_from_slice(&10u32.to_ne_bytes());
        record.extend_from_slice(&[0; 4]);
        record.extend_from_slice(&7u32.to_ne_bytes());
        record.extend_from_slice(&8u32.to_ne_bytes());
        for word in [0x1000u64, 0x2000, 0x3000, 0, 44, 0, 0] {
            record.extend_from_slice(&word.to_ne_bytes());
        }
        record.extend_from_slice(b"/bin/x\0\0");
        record.extend_from_slice(&[0; 8]);
        record.extend_from_slice(&55u64.to_ne_bytes());
        let Some(Parsed::Event(time, event)) = parse(&record) else { panic!("a mapping") };
        let expected = ProcessEvent::Map {
            pid: 7,
            start: 0x1000,
            size: 0x2000,
            offset: 0x3000,
            inode: 44,
            path: "/bin/x".into(),
        };
        assert_eq!((time, event), (55, expected));
        assert!(parse(&record[..20]).is_none() && parse(&[]).is_none());
    }

    #[test]
    fn a_command_is_seen_from_its_exec_to_its_end() {
        if !privileged() {
            return;
        }
        let mut events = match ProcessEvents::open() {
            Ok(events) => events,
            Err(error) => return println!("skipped: {error}"),
        };
        let mut child = std::process::Command::new("/bin/true").spawn().expect("it is there");
        let pid = child.id();
        child.wait().expect("it ends");
        let mut seen = Vec::new();
        events.take(&mut |_, event| match event {
            ProcessEvent::Exec { pid: of } if of == pid => seen.push("exec"),
            ProcessEvent::Map { pid: of, path, .. } if of == pid && path.ends_with("/true") => {
                seen.push("map");
            }
            ProcessEvent::Exit { pid: of } if of == pid => seen.push("exit"),
            _ => {}
        });
        assert_eq!(seen, ["exec", "map", "exit"]);
    }
}
