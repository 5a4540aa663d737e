//! The order of rows in flow mode, where the look of a return may depend on the next record of its CPU (runtime spec §1.3)
//! but its place does not. In: text in the order of its records; returns in both looks. Out: the same text in that order, on
//! the output, as soon as the looks of all before it are known.
//!
//! Nothing is kept back for long: the consumer settles what waits when nothing more is there to be looked at, and so does
//! whoever needs all of it written (`system`, `freopen`) or more text than [`MOST`].

use std::collections::{HashMap, VecDeque};

use dtrail_lang::ir::{ClauseId, ProbeIndex};

use crate::format::flow::Stream;
use crate::output::{Output, WriteError};

/// Bytes that wait at most for a record of another CPU.
const MOST: usize = 1 << 20;

/// What a record is of, as far as its neighbours care.
pub(super) type By = (ProbeIndex, Option<ClauseId>);

/// One look of a return, and the state of its CPU's stream behind it.
pub(super) struct Look {
    pub(super) stream: Stream,
    pub(super) text: Vec<u8>,
}

/// A piece of the output.
enum Piece {
    Text(Vec<u8>),
    Return {
        cpu: u32,
        by: By,
        /// If the next record of its CPU is of the same probe and another clause.
        followed: Look,
        /// If not.
        last: Look,
    },
}

/// An output that keeps text back behind returns.
pub(super) struct Ordered<'a> {
    output: &'a mut dyn Output,
    /// By CPU: the indentation of flow mode.
    streams: HashMap<u32, Stream>,
    /// Begins with a return; none of a CPU has another of the same CPU behind it.
    waiting: VecDeque<Piece>,
    /// Bytes of text in it.
    bytes: usize,
}

impl<'a> Ordered<'a> {
    pub(super) fn new(output: &'a mut dyn Output) -> Ordered<'a> {
        Ordered { output, streams: HashMap::new(), waiting: VecDeque::new(), bytes: 0 }
    }

    /// The stream of a CPU, whose next record is known: [`Ordered::follow`] comes first.
    pub(super) fn stream(&mut self, cpu: u32) -> &mut Stream {
        self.streams.entry(cpu).or_default()
    }

    /// Takes note of the next record of a CPU: the return of that CPU that waits, if one does, gets its look.
    pub(super) fn follow(&mut self, cpu: u32, next: By) {
        let waits = |piece: &Piece| matches!(piece, Piece::Return { cpu: own, .. } if *own == cpu);
        if let Some(place) = self.waiting.iter().position(waits) {
            self.decide(place, Some(next));
            self.pass();
        }
    }

    /// Appends a return whose look the next record of its CPU decides.
    pub(super) fn wait(&mut self, cpu: u32, by: By, followed: Look, last: Look) {
        self.bytes += last.text.len();
        self.waiting.push_back(Piece::Return { cpu, by, followed, last });
        self.bound();
    }

    /// Passes on everything: for now nothing follows the returns that wait.
    pub(super) fn settle(&mut self) {
        for place in 0..self.waiting.len() {
            self.decide(place, None);
        }
        self.pass();
    }

    fn bound(&mut self) {
        if self.bytes > MOST {
            self.settle();
        }
    }

    /// Decides the look of a piece, if it is a return.
    fn decide(&mut self, place: usize, next: Option<By>) {
        let Some(piece) = self.waiting.get_mut(place) else { return };
        let Piece::Return { cpu, by, followed, last } = piece else { return };
        let same = next.is_some_and(|(probe, clause)| probe == by.0 && clause != by.1);
        let look = std::mem::replace(
            if same { followed } else { last },
            Look { stream: Stream::default(), text: Vec::new() },
        );
        self.streams.insert(*cpu, look.stream);
        *piece = Piece::Text(look.text);
    }

    /// Passes on what no longer waits.
    fn pass(&mut self) {
        while let Some(Piece::Text(text)) = self.waiting.front() {
            self.bytes = self.bytes.saturating_sub(text.len());
            self.output.write(text);
            self.waiting.pop_front();
        }
        if self.waiting.is_empty() {
            self.bytes = 0;
        }
    }
}

impl Output for Ordered<'_> {
    fn write(&mut self, bytes: &[u8]) {
        match self.waiting.back_mut() {
            None => return self.output.write(bytes),
            Some(Piece::Text(text)) => text.extend_from_slice(bytes),
            Some(Piece::Return { .. }) => self.waiting.push_back(Piece::Text(bytes.to_vec())),
        }
        self.bytes += bytes.len();
        self.bound();
    }

    /// What still waits is not written.
    fn flush(&mut self) -> Result<(), WriteError> {
        self.output.flush()
    }

    fn diagnostic(&mut self, message: &[u8]) {
        self.output.diagnostic(message);
    }

    fn is_terminal(&self) -> bool {
        self.output.is_terminal()
    }

    fn reopen(&mut self, path: &[u8]) -> Result<(), String> {
        self.settle();
        self.output.reopen(path)
    }

    fn truncate(&mut self) {
        self.settle();
        self.output.truncate();
    }

    fn redirected(&self) -> Option<bool> {
        self.output.redirected().map(|empty| empty && self.waiting.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::CaptureOutput;

    fn look(text: &str) -> Look {
        Look { stream: Stream::default(), text: text.as_bytes().to_vec() }
    }

    fn by(probe: u32, clause: u32) -> By {
        (ProbeIndex(probe), Some(ClauseId(clause)))
    }

    /// What has been written by now.
    fn written(ordered: &Ordered<'_>) -> usize {
        ordered.waiting.iter().map(|piece| if let Piece::Text(text) = piece { text.len() } else { 0 }).sum()
    }

    #[test]
    fn text_comes_in_order_whatever_is_decided_first() {
        let mut capture = CaptureOutput::default();
        let mut out = Ordered::new(&mut capture);
        out.write(b"a");
        out.wait(0, by(1, 1), look("B"), look("b"));
        out.write(b"c");
        out.wait(1, by(1, 1), look("D"), look("d"));
        out.write(b"e");
        assert_eq!(written(&out), 2);
        out.follow(1, by(1, 2));
        out.follow(2, by(1, 2));
        assert_eq!(written(&out), 3, "CPU 0 still waits, and all behind it");
        // The same clause of the same probe, or another probe.
        out.follow(0, by(1, 1));
        out.wait(0, by(1, 1), look("F"), look("f"));
        out.follow(0, by(2, 2));
        out.wait(3, by(1, 1), look("G"), look("g"));
        out.settle();
        assert!(out.waiting.is_empty() && out.bytes == 0);
        assert_eq!(String::from_utf8_lossy(&capture.out), "abcDefg");
    }

    #[test]
    fn little_waits() {
        let mut capture = CaptureOutput::default();
        let mut out = Ordered::new(&mut capture);
        out.wait(0, by(1, 1), look("B"), look("b"));
        for _ in 0..=MOST / 1024 {
            out.write(&[b'x'; 1024]);
        }
        assert!(out.waiting.is_empty());
        out.wait(0, by(1, 1), look("B"), look("b"));
        assert_eq!(out.reopen(b"file"), Ok(()));
        out.write(b"y");
        assert_eq!(capture.out.len(), 1 + (MOST / 1024 + 1) * 1024 + 1);
        assert_eq!(capture.files, [(b"file".to_vec(), b"y".to_vec())]);
    }
}
