//! What was mapped where in each process, and when: snapshots of `/proc/PID/maps` and events in, the mapping of an address
//! at a time out. It is kept when the process is gone, as far as there is room for all ([`Mappings`]).

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::mappings::{Mappings, Room};

use super::kallsyms::hex;

/// A range of a process's addresses that a file lies in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mapping {
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Where in the file it begins.
    pub(crate) offset: u64,
    /// The file's number in its file system; 0 if it is not known.
    pub(crate) inode: u64,
    /// The path in the process's own view, or a name in brackets.
    pub(crate) path: Rc<str>,
}

impl Mapping {
    /// Where in the file an address is, which may lie ahead of the mapping ([`Space::find_ahead`]).
    pub(super) fn file_offset(&self, addr: u64) -> u64 {
        addr.wrapping_sub(self.start).wrapping_add(self.offset)
    }
}

/// What a process runs from one `exec` to the next.
#[derive(Clone, Debug)]
pub(super) struct Space {
    /// When it began, monotonic nanoseconds.
    since: u64,
    /// What was unmapped stays, until something else is mapped there. Shared with copies until one changes.
    mappings: Rc<Mappings>,
    /// How often something was mapped.
    changes: u64,
    /// When `/proc` was read last.
    pub(super) read: u64,
    /// Nothing can be read of it any more.
    pub(super) ended: bool,
}

/// All processes that were seen.
#[derive(Debug, Default)]
pub(super) struct Spaces {
    by_pid: HashMap<u32, Vec<Space>>,
    /// The IDs of those that have ended, in the order in which they did, and where each is in it.
    ended: BTreeMap<u64, u32>,
    ends: HashMap<u32, u64>,
    /// How many have ever ended.
    count: u64,
    /// What the mappings of all take together.
    room: Rc<Room>,
}

/// Most address spaces that are remembered of one process ID: beyond that the oldest go.
const MOST_SPACES: usize = 64;
/// Most processes. When there are more, those that ended first go first.
const MOST_PROCESSES: usize = 1 << 15;

impl Spaces {
    /// The space of a process at a time; the first one if all are later.
    pub(super) fn at(&mut self, pid: u32, time: u64) -> Option<&mut Space> {
        let spaces = self.by_pid.get_mut(&pid)?;
        let after = spaces.partition_point(|space| space.since <= time);
        spaces.get_mut(after.saturating_sub(1))
    }

    /// A process begins anew: it has executed an image, or its ID was not in use.
    pub(super) fn begin(&mut self, pid: u32, since: u64) -> &mut Space {
        if self.by_pid.len() >= MOST_PROCESSES && !self.by_pid.contains_key(&pid) {
            self.forget_first(None);
        }
        self.make_room(pid);
        if self.room.is_scarce() {
            self.forget_former();
        }
        // If one with this ID has ended, the ID means another process again.
        if let Some(number) = self.ends.remove(&pid) {
            self.ended.remove(&number);
        }
        let spaces = self.by_pid.entry(pid).or_default();
        if spaces.len() >= MOST_SPACES {
            self.room.leave_out(spaces.remove(0).mappings.len());
        }
        let at = spaces.partition_point(|space| space.since <= since);
        spaces.insert(at, Space { since, ..Space::new(&self.room) });
        &mut spaces[at]
    }

    /// Forgets the process that ended first, unless it is this one; whether there was one.
    fn forget_first(&mut self, but: Option<u32>) -> bool {
        let Some((&number, &first)) = self.ended.iter().find(|(_, pid)| Some(**pid) != but) else {
            return false;
        };
        self.ended.remove(&number);
        self.ends.remove(&first);
        let spaces = self.by_pid.remove(&first).unwrap_or_default();
        self.room.leave_out(spaces.iter().map(|space| space.mappings.len()).sum());
        true
    }

    /// Makes room for mappings of a process: others that have ended go, in the order in which they did.
    pub(super) fn make_room(&mut self, pid: u32) {
        while self.room.is_scarce() && self.forget_first(Some(pid)) {}
    }

    /// Forgets what processes ran before they executed the image that they run.
    fn forget_former(&mut self) {
        for spaces in self.by_pid.values_mut() {
            let current = spaces.len().saturating_sub(1);
            self.room.leave_out(spaces.drain(..current).map(|space| space.mappings.len()).sum());
        }
    }

    /// How many mappings were forgotten since the last call, or were not kept.
    pub(super) fn take_left_out(&self) -> u64 {
        self.room.take_left_out()
    }

    /// A process is the copy of another: of one that is not known it has something that is not known, either.
    pub(super) fn copy(&mut self, pid: u32, from: u32, time: u64) {
        let original = self.at(from, time).cloned();
        if original.is_some() || self.is_known(pid) {
            let copy = original.unwrap_or_else(|| Space::new(&self.room));
            *self.begin(pid, time) = Space { since: time, ended: false, ..copy };
        }
    }

    /// A process is gone.
    pub(super) fn end(&mut self, pid: u32) {
        self.current(pid).ended = true;
        if !self.ends.contains_key(&pid) {
            self.ends.insert(pid, self.count);
            self.ended.insert(self.count, pid);
            self.count += 1;
        }
    }

    /// Whether anything is known of a process.
    pub(super) fn is_known(&self, pid: u32) -> bool {
        self.by_pid.contains_key(&pid)
    }

    /// The current space of a process, or a new one.
    pub(super) fn current(&mut self, pid: u32) -> &mut Space {
        self.make_room(pid);
        if !self.by_pid.contains_key(&pid) {
            self.begin(pid, 0);
        }
        let spaces = self.by_pid.entry(pid).or_default();
        if spaces.is_empty() {
            spaces.push(Space::new(&self.room));
        }
        let last = spaces.len() - 1;
        &mut spaces[last]
    }
}

impl Space {
    /// One that nothing is known of, whose mappings take of a room.
    pub(super) fn new(room: &Rc<Room>) -> Space {
        let mappings = Rc::new(Mappings::new(room));
        Space { since: 0, mappings, changes: 0, read: 0, ended: false }
    }

    /// The mapping of an address.
    pub(super) fn find(&self, addr: u64) -> Option<&Mapping> {
        let (_, mapping) = self.mappings.by_start().range(..=addr).next_back()?;
        (addr < mapping.end).then_some(mapping)
    }

    /// What an address is part of that lies ahead of what is known of its file: the kernel tells of code alone, and the
    /// start of an object, which stands for all of it, is no code.
    pub(super) fn find_ahead(&self, addr: u64) -> Option<&Mapping> {
        let (_, mapping) = self.mappings.by_start().range(addr..).next()?;
        mapping.start.checked_sub(mapping.offset).is_some_and(|base| base <= addr).then_some(mapping)
    }

    /// When it began.
    pub(super) fn since(&self) -> u64 {
        self.since
    }

    /// How often something was mapped.
    pub(super) fn changes(&self) -> u64 {
        self.changes
    }

    /// All that is or was mapped.
    pub(super) fn mappings(&self) -> impl Iterator<Item = &Mapping> {
        self.mappings.by_start().values()
    }

    /// Something was mapped, in the place of what was there.
    pub(super) fn add(&mut self, mapping: Mapping) {
        let Mapping { start, end, .. } = mapping;
        if start >= end {
            return;
        }
        let mappings = Rc::make_mut(&mut self.mappings);
        let before = mappings.by_start().range(..start).next_back();
        let within = mappings.by_start().range(start..end);
        let over: Vec<Mapping> = before
            .into_iter()
            .chain(within)
            .map(|(_, old)| old.clone())
            .filter(|old| old.end > start)
            .collect();
        for old in over {
            mappings.remove(old.start);
            if old.end > end {
                let offset = old.offset.saturating_add(end - old.start);
                mappings.insert(Mapping { start: end, offset, ..old.clone() });
            }
            if old.start < start {
                mappings.insert(Mapping { end: start, ..old });
            }
        }
        mappings.insert(mapping);
        self.changes += 1;
    }

    /// Takes over what `/proc` says now.
    pub(super) fn update(&mut self, text: &[u8], now: u64) {
        self.read = now;
        for mapping in parse(text) {
            let known = self.mappings.by_start().get(&mapping.start).is_some_and(|known| {
                // A mapping that was only told of has no other end than one that was read.
                *known == Mapping { inode: known.inode, ..mapping.clone() }
                    && (known.inode == mapping.inode || mapping.inode == 0)
            });
            if !known {
                self.add(mapping);
            }
        }
    }
}

/// The mappings of a `maps` file that have a name.
fn parse(text: &[u8]) -> impl Iterator<Item = Mapping> {
    text.split(|&byte| byte == b'\n').filter_map(|line| {
        let mut words = line.splitn(6, |&byte| byte == b' ');
        let (range, _, offset) = (words.next()?, words.next()?, words.next()?);
        let (_, inode) = (words.next()?, words.next()?);
        let path = words.next().map_or(&[][..], <[u8]>::trim_ascii_start);
        let dash = range.iter().position(|&byte| byte == b'-')?;
        (!path.is_empty()).then_some(())?;
        Some(Mapping {
            start: hex(&range[..dash])?,
            end: hex(&range[dash + 1..])?,
            offset: hex(offset)?,
            inode: str::from_utf8(inode).ok()?.parse().ok()?,
            path: String::from_utf8_lossy(path).into(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::mappings::MOST_MAPPINGS;
    use super::*;

    const MAPS: &[u8] = b"00400000-00401000 r--p 00000000 08:01 12                         /bin/work\n\
        00401000-00402000 r-xp 00001000 08:01 12                         /bin/work\n\
        7f0000000000-7f0000001000 r-xp 00000000 08:01 13                 /lib/a b.so (deleted)\n\
        7f0000002000-7f0000003000 rwxp 00000000 00:00 0\n\
        7fff00000000-7fff00001000 r-xp 00000000 00:00 0                  [vdso]\njunk\n";

    fn path(space: &Space, addr: u64) -> String {
        space.find(addr).map_or_else(|| "?".to_owned(), |mapping| mapping.path.to_string())
    }

    #[test]
    fn maps() {
        let mut space = Space::new(&Rc::default());
        space.update(MAPS, 5);
        for (addr, expected) in [
            (0x40_1010, "/bin/work"),
            (0x40_0010, "/bin/work"),
            (0x7f00_0000_0fff, "/lib/a b.so (deleted)"),
            (0x7f00_0000_2010, "?"),
            (0x7fff_0000_0000, "[vdso]"),
        ] {
            assert_eq!(path(&space, addr), expected, "{addr:#x}");
        }
        let ahead = |addr| space.find_ahead(addr).map(|mapping| (&*mapping.path, mapping.file_offset(addr)));
        for (addr, expected) in [
            (0x7eff_ffff_ffff, None),
            (0x40_0800, Some(("/bin/work", 0x800))),
            (0x40_0000, Some(("/bin/work", 0))),
            (0x3f_ffff, None),
        ] {
            assert_eq!(ahead(addr), expected, "{addr:#x}");
        }
        let mapping =
            |path: &str| Mapping { start: 0x40_1000, end: 0x40_2000, offset: 0, inode: 9, path: path.into() };
        space.add(mapping("/bin/new"));
        assert_eq!(path(&space, 0x40_1010), "/bin/new");
    }

    #[test]
    fn what_is_mapped_takes_the_place_of_what_was_there() {
        let mut space = Space::new(&Rc::default());
        let mapping =
            |start, end, path: &str| Mapping { start, end, offset: start, inode: 1, path: path.into() };
        space.add(mapping(0x1000, 0x9000, "/whole"));
        space.add(mapping(0x3000, 0x4000, "/middle"));
        space.add(mapping(0x8000, 0xa000, "/end"));
        space.add(mapping(0, 0x2000, "/begin"));
        space.add(mapping(0x5000, 0x5000, "/nothing"));
        let offset = |addr| space.find(addr).map(|mapping| mapping.offset + addr - mapping.start);
        for (addr, expected) in [
            (0x1800, "/begin"),
            (0x2000, "/whole"),
            (0x3800, "/middle"),
            (0x4000, "/whole"),
            (0x5000, "/whole"),
            (0x8fff, "/end"),
            (0x9fff, "/end"),
            (0xa000, "?"),
        ] {
            assert_eq!(path(&space, addr), expected, "{addr:#x}");
            assert_eq!(offset(addr).unwrap_or(addr), addr, "{addr:#x}: the same place of the file");
        }
        space.add(mapping(0, 0x10000, "/all"));
        assert_eq!(space.mappings().count(), 1);
    }

    #[test]
    fn thousands_of_mappings_are_bounded() {
        let mut spaces = Spaces::default();
        let space = spaces.begin(1, 0);
        for i in 0..50_000 {
            let start = i % 20_000 * 0x1000;
            space.add(Mapping { start, end: start + 0x1000, offset: 0, inode: i, path: "/file".into() });
        }
        assert_eq!(space.mappings().count(), MOST_MAPPINGS);
        assert_eq!(space.find(9_999 * 0x1000).map(|mapping| mapping.inode), Some(49_999));
        assert!(spaces.take_left_out() >= 20_000 - MOST_MAPPINGS as u64);
        assert_eq!(spaces.take_left_out(), 0);
    }

    #[test]
    fn those_that_ended_first_go_first() {
        let mut spaces = Spaces::default();
        for pid in 0..MOST_PROCESSES as u32 {
            spaces.begin(pid, 0);
        }
        // One has ended twice: its ID was used again.
        for pid in [9, 5, 7] {
            spaces.end(pid);
        }
        spaces.begin(9, 50);
        spaces.end(9);
        let known = |spaces: &Spaces| [5, 7, 9].map(|pid| spaces.is_known(pid));
        for (pid, expected) in [
            (100_000, [false, true, true]),
            (100_001, [false, false, true]),
            (100_002, [false, false, false]),
            (100_003, [false, false, false]),
        ] {
            spaces.begin(pid, 60);
            assert_eq!(known(&spaces), expected, "{pid}");
        }
        assert_eq!(spaces.by_pid.len(), MOST_PROCESSES + 1, "none that lives has gone");
        assert!(spaces.ended.is_empty() && spaces.ends.is_empty());
    }

    #[test]
    fn a_process_has_its_space_of_the_time() {
        let mut spaces = Spaces::default();
        let mapping = |path: &str| Mapping { start: 0, end: 10, offset: 0, inode: 9, path: path.into() };
        spaces.begin(7, 100).add(mapping("/first"));
        spaces.begin(7, 200).add(mapping("/second"));
        spaces.copy(8, 7, 250);
        spaces.begin(7, 300).add(mapping("/third"));
        // The copy of one that is not known is not what had its number before.
        spaces.begin(10, 100).add(mapping("/dead"));
        spaces.end(10);
        spaces.copy(10, 11, 200);
        let mut at = |pid, time| spaces.at(pid, time).map(|space| path(space, 5));
        for (pid, time, expected) in [
            (7, 50, Some("/first")),
            (7, 150, Some("/first")),
            (7, 200, Some("/second")),
            (7, 999, Some("/third")),
            (8, 999, Some("/second")),
            (9, 1, None),
            (10, 150, Some("/dead")),
            (10, 250, Some("?")),
        ] {
            assert_eq!(at(pid, time).as_deref(), expected, "{pid} at {time}");
        }
    }

    /// A process of so many mappings.
    fn with(spaces: &mut Spaces, pid: u32, time: u64, count: u64) {
        let space = spaces.begin(pid, time);
        for i in 0..count {
            let start = i * 0x1000;
            space.add(Mapping { start, end: start + 0x1000, offset: 0, inode: i, path: "/file".into() });
        }
    }

    #[test]
    fn all_processes_together_are_bounded() {
        let mut spaces = Spaces { room: Rc::new(Room::of(120)), ..Spaces::default() };
        let counts = |spaces: &mut Spaces, pids: &[u32]| -> Vec<usize> {
            let count = |&pid| spaces.at(pid, u64::MAX).map_or(0, |space| space.mappings().count());
            pids.iter().map(count).collect()
        };
        // One that ended, one that executed another image, and one that lives; its copy shares what it has until it changes.
        with(&mut spaces, 1, 0, 20);
        spaces.end(1);
        with(&mut spaces, 2, 0, 20);
        with(&mut spaces, 2, 5, 10);
        with(&mut spaces, 3, 0, 20);
        spaces.copy(4, 3, 6);
        assert_eq!((spaces.room.used(), spaces.take_left_out()), (70, 0));
        let new = Mapping { start: 0, end: 0x1000, offset: 9, inode: 99, path: "/new".into() };
        spaces.current(4).add(new);
        let first = |spaces: &mut Spaces, pid| spaces.current(pid).find(0).map(|mapping| mapping.inode);
        assert_eq!((first(&mut spaces, 3), first(&mut spaces, 4)), (Some(0), Some(99)));
        assert_eq!((spaces.room.used(), spaces.take_left_out()), (90, 0));
        with(&mut spaces, 5, 7, 25);
        assert_eq!(counts(&mut spaces, &[1, 2, 3, 4, 5]), [20, 10, 20, 20, 25]);
        // The one that ended goes first.
        with(&mut spaces, 6, 8, 20);
        assert_eq!(counts(&mut spaces, &[1, 2, 3, 4, 5, 6]), [0, 10, 20, 20, 25, 20]);
        assert_eq!((spaces.room.used(), spaces.take_left_out()), (115, 20));
        assert_eq!(spaces.at(2, 0).map(|space| space.since()), Some(0));
        // Then what one ran before.
        with(&mut spaces, 7, 9, 5);
        assert_eq!(counts(&mut spaces, &[2, 3, 4, 5, 6, 7]), [10, 20, 20, 25, 20, 5]);
        assert_eq!(spaces.at(2, 0).map(|space| space.since()), Some(5));
        assert_eq!((spaces.room.used(), spaces.take_left_out()), (100, 20));
        // What lives stays: whoever maps more has less of its own, and one mapping whatever there is.
        with(&mut spaces, 8, 10, 15);
        with(&mut spaces, 9, 11, 10);
        assert_eq!(counts(&mut spaces, &[2, 3, 4, 5, 6, 7, 8, 9]), [10, 20, 20, 25, 20, 5, 15, 5]);
        assert_eq!((spaces.room.used(), spaces.take_left_out()), (120, 5));
        with(&mut spaces, 10, 12, 3);
        assert_eq!(counts(&mut spaces, &[9, 10]), [5, 1]);
        assert_eq!(spaces.current(10).find(0x2000).map(|mapping| mapping.inode), Some(2));
        assert_eq!((spaces.room.used(), spaces.take_left_out()), (121, 2));
        spaces.end(6);
        spaces.begin(11, 13);
        assert_eq!((spaces.room.used(), spaces.take_left_out()), (101, 20));
    }
}
