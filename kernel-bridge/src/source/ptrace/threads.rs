//! The threads under trace, and what is known of each. Facts that need a file of `/proc` are read when first asked for.

use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;

use dtrail_lang::ir::ProbeIndex;
use dtrail_vm::vars::Thread as Identity;

use super::calls::Fact;
use super::sampling::Clock;
use crate::procfs;

/// A traced thread.
#[derive(Debug)]
pub(super) struct Thread {
    /// Its process.
    pub(super) pid: u32,
    /// Its number among all threads ever traced: with the thread ID its identity.
    pub(super) serial: u64,
    /// Whether its first stop has been seen.
    pub(super) born: bool,
    /// Whether its exit event has been seen.
    pub(super) exiting: bool,
    /// The call that it is in, if its return is wanted.
    pub(super) current: Option<u32>,
    /// Whether it ran before it was traced: it stops at every call, and is let go at the end.
    pub(super) attached: bool,
    /// Probes to fire when it stops after an interrupt.
    pub(super) due: Vec<ProbeIndex>,
    /// The clock by which it is sampled.
    pub(super) clock: Option<Clock>,
    /// How often it has been sampled.
    pub(super) turn: u64,
    name: Option<Vec<u8>>,
    parent: Option<u32>,
    ids: Option<(u32, u32)>,
    stat: Option<File>,
}

impl Thread {
    fn new(pid: u32, serial: u64) -> Thread {
        Thread {
            pid,
            serial,
            born: false,
            exiting: false,
            current: None,
            attached: false,
            due: Vec::new(),
            clock: None,
            turn: 0,
            name: None,
            parent: None,
            ids: None,
            stat: None,
        }
    }

    /// What `self->` variables are kept under. Any number that no other thread has had serves as the start time.
    pub(super) fn identity(&self, tid: u32) -> Identity {
        Identity { tid, start: self.serial }
    }

    /// Command name; empty if the thread is gone.
    pub(super) fn name(&mut self, tid: u32) -> &[u8] {
        let pid = self.pid;
        self.name.get_or_insert_with(|| procfs::comm(pid, tid).unwrap_or_default())
    }

    /// The parent process.
    pub(super) fn parent(&mut self, tid: u32) -> u32 {
        let pid = self.pid;
        *self.parent.get_or_insert_with(|| procfs::parent(pid, tid).unwrap_or(0))
    }

    /// Real user and group.
    pub(super) fn ids(&mut self, tid: u32) -> (u32, u32) {
        let pid = self.pid;
        *self.ids.get_or_insert_with(|| procfs::ids(pid, tid).unwrap_or((0, 0)))
    }

    /// The CPU that it last ran on, which is the one it stopped on. Read each time, from a file that stays open.
    pub(super) fn cpu(&mut self, tid: u32) -> u32 {
        procfs::stat_cpu(self.stat(tid, &mut [0; 1024])).unwrap_or(0)
    }

    /// Whether it runs, or would if there were a CPU for it.
    pub(super) fn is_running(&mut self, tid: u32) -> bool {
        procfs::stat_state(self.stat(tid, &mut [0; 1024])) == Some(b'R')
    }

    fn stat<'b>(&mut self, tid: u32, buffer: &'b mut [u8]) -> &'b [u8] {
        if self.stat.is_none() {
            self.stat = File::open(format!("/proc/{}/task/{tid}/stat", self.pid)).ok();
        }
        let read = self.stat.as_ref().and_then(|stat| stat.read_at(buffer, 0).ok()).unwrap_or(0);
        &buffer[..read]
    }

    /// Forgets a fact that is about to change.
    pub(super) fn forget(&mut self, fact: Fact) {
        match fact {
            Fact::Name => self.name = None,
            Fact::Ids => self.ids = None,
        }
    }
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Threads {
    by_tid: HashMap<u32, Thread>,
    /// By process: threads that have not begun to exit.
    live: HashMap<u32, u32>,
    /// Threads that stand at their first stop and whose maker's event has not been seen yet.
    early: Vec<u32>,
    serial: u64,
}

impl Threads {
    /// Adds a thread of a process.
    pub(super) fn add(&mut self, tid: u32, pid: u32) -> &mut Thread {
        self.serial += 1;
        *self.live.entry(pid).or_default() += 1;
        self.by_tid.entry(tid).insert_entry(Thread::new(pid, self.serial)).into_mut()
    }

    /// Adds a thread that `maker` has made, in its own or a new process. What the two share at birth is known.
    pub(super) fn add_made(&mut self, tid: u32, pid: u32, maker: u32) {
        let inherited = self.by_tid.get(&maker);
        let inherited = inherited.map(|m| (m.name.clone(), m.ids, m.current, m.attached));
        let thread = self.add(tid, pid);
        if let Some((name, ids, current, attached)) = inherited {
            (thread.name, thread.ids, thread.current, thread.attached) = (name, ids, current, attached);
        }
    }

    /// Each thread and its ID.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut Thread)> {
        self.by_tid.iter_mut().map(|(&tid, thread)| (tid, thread))
    }

    /// The thread with this ID.
    pub(super) fn get(&mut self, tid: u32) -> Option<&mut Thread> {
        self.by_tid.get_mut(&tid)
    }

    /// Whether there is none left.
    pub(super) fn is_empty(&self) -> bool {
        self.by_tid.is_empty()
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.by_tid.len()
    }

    /// Processes with a thread, each once.
    pub(super) fn processes(&self) -> Vec<u32> {
        self.live.keys().copied().collect()
    }

    /// Whether a process has threads.
    pub(super) fn has_process(&self, pid: u32) -> bool {
        self.live.contains_key(&pid)
    }

    /// Notes a thread that stands at its first stop, unannounced; `false` if it was noted before.
    pub(super) fn note_early(&mut self, tid: u32) -> bool {
        let new = !self.early.contains(&tid);
        if new {
            self.early.push(tid);
        }
        new
    }

    /// Whether a thread stands there already.
    pub(super) fn take_early(&mut self, tid: u32) -> bool {
        let found = self.early.iter().position(|&early| early == tid);
        found.map(|i| self.early.swap_remove(i)).is_some()
    }

    /// All that stand there.
    pub(super) fn early(&self) -> Vec<u32> {
        self.early.clone()
    }

    /// Notes that a thread begins to exit; whether it is the last of its process, or `None` if it was noted before.
    pub(super) fn exiting(&mut self, tid: u32) -> Option<bool> {
        let thread = self.by_tid.get_mut(&tid).filter(|thread| !thread.exiting)?;
        thread.exiting = true;
        let live = self.live.entry(thread.pid).or_default();
        *live = live.saturating_sub(1);
        Some(*live == 0)
    }

    /// Removes a thread that is gone; its clock, if it had one.
    pub(super) fn remove(&mut self, tid: u32) -> Option<Clock> {
        let thread = self.by_tid.remove(&tid)?;
        // The first thread is waited for last.
        if tid == thread.pid {
            self.live.remove(&tid);
            for other in self.by_tid.values_mut().filter(|other| other.parent == Some(tid)) {
                other.parent = None;
            }
        }
        thread.clock
    }

    /// A thread has executed a new image: it has its process's ID now, and the other threads are ending. Gives
    /// the identity that it had.
    pub(super) fn executed(&mut self, pid: u32, former: u32) -> Option<Identity> {
        let mut gone = None;
        let current = if former == pid {
            None
        } else {
            let executing = self.by_tid.remove(&former);
            gone = executing.as_ref().map(|thread| thread.identity(former));
            // The first thread counts as ended, if it had not been seen to.
            self.exiting(pid);
            executing.map(|thread| (thread.current, thread.clock, thread.due))
        };
        let Some(thread) = self.by_tid.get_mut(&pid) else { return gone };
        if let Some((current, clock, due)) = current {
            thread.current = current;
            thread.due = due;
            // It counts the thread that executed, whatever its ID.
            thread.clock = clock;
            thread.exiting = false;
        }
        (thread.name, thread.ids, thread.stat) = (None, None, None);
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_thread_is_known() {
        let mut threads = Threads::default();
        threads.add(10, 10);
        threads.add_made(11, 10, 10);
        threads.add_made(20, 20, 11);
        assert_eq!(threads.exiting(10), Some(false));
        assert_eq!(threads.exiting(10), None, "counted once");
        assert_eq!(threads.exiting(11), Some(true));
        threads.remove(11);
        threads.remove(10);
        assert_eq!(threads.processes(), [20]);
        assert_eq!(threads.exiting(20), Some(true));
        threads.remove(20);
        assert!(threads.is_empty());
    }

    #[test]
    fn exec_by_another_thread_keeps_the_first_ones_identity() {
        let mut threads = Threads::default();
        threads.add(10, 10);
        threads.add_made(11, 10, 10);
        threads.add_made(12, 10, 10);
        threads.get(11).expect("added").current = Some(59);
        assert_eq!(threads.exiting(12), Some(false));
        threads.remove(12);
        assert_eq!(threads.exiting(10), Some(false));
        assert_eq!(threads.executed(10, 11), Some(Identity { tid: 11, start: 2 }));
        assert!(threads.get(11).is_none());
        let first = threads.get(10).expect("still there");
        assert_eq!((first.serial, first.current, first.exiting), (1, Some(59), false));
        assert_eq!(threads.exiting(10), Some(true), "one thread is left");
    }

    #[test]
    fn exec_by_the_only_thread_keeps_its_call() {
        let mut threads = Threads::default();
        threads.add(10, 10).current = Some(59);
        assert_eq!(threads.executed(10, 10), None);
        assert_eq!(threads.get(10).map(|thread| thread.current), Some(Some(59)));
    }

    #[test]
    fn early_threads() {
        let mut threads = Threads::default();
        assert!(threads.note_early(5));
        assert!(threads.note_early(6));
        assert!(!threads.note_early(5));
        assert!(threads.take_early(5));
        assert!(!threads.take_early(5));
        assert_eq!(threads.early(), [6]);
    }
}
