//! The heading and the prefix of rows in flow mode (`-F`, runtime spec §1.3): entries and returns indent. In: probes in the
//! order in which a CPU's records are consumed. Out: prefixes; the state is one a CPU and lasts for the whole run.

use std::io::Write as _;

use dtrail_lang::env::Probe;
use dtrail_lang::ir::{ClauseId, ProbeIndex};

use super::show;

/// What a row does to the indentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It is one step further in than what called it.
    Entry,
    /// It takes that back.
    Return,
    /// Neither.
    None,
}

/// What the name of a probe says: the first `entry` or `return` in it must be its end, and a whole word.
pub fn kind(name: &str) -> Kind {
    let ends_in = |word: &str| {
        name.find(word)
            .is_some_and(|at| at + word.len() == name.len() && (at == 0 || name[..at].ends_with('-')))
    };
    match () {
        () if ends_in("entry") => Kind::Entry,
        () if ends_in("return") => Kind::Return,
        () => Kind::None,
    }
}

/// One CPU's stream.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stream {
    indent: usize,
    last: Option<(ProbeIndex, ClauseId)>,
}

/// Appends the heading.
pub fn heading(out: &mut Vec<u8>) {
    // Writing to a vector cannot fail.
    let _ = writeln!(out, "{:>3} {:<41}", "CPU", "FUNCTION");
}

impl Stream {
    /// Appends what stands before a row. `followed`: the next record of the stream is of the same probe and another
    /// clause. `escape`: the output is a terminal.
    pub fn prefix(
        &mut self,
        out: &mut Vec<u8>,
        cpu: u32,
        probe: &Probe,
        (index, clause): (ProbeIndex, ClauseId),
        followed: bool,
        escape: bool,
    ) {
        let again = self.last.is_some_and(|(last, by)| last == index && by != clause);
        let kind = match kind(&probe.name) {
            Kind::Entry if again => Kind::None,
            Kind::Return if followed => Kind::None,
            kind => kind,
        };
        if kind == Kind::Return {
            self.indent = self.indent.saturating_sub(2);
        }
        let call = &*probe.provider == "syscall";
        let arrow = match (kind, call) {
            (Kind::Entry, true) => " => ",
            (Kind::Entry, false) => " -> ",
            (Kind::Return, true) => " <= ",
            (Kind::Return, false) => " <- ",
            (Kind::None, _) => "| ",
        };
        let _ = write!(out, "{cpu:3} ");
        let start = out.len();
        let _ = write!(out, "{:indent$}{arrow}", "", indent = self.indent);
        show(out, probe.function.as_bytes(), escape);
        if kind == Kind::None {
            out.push(b':');
            show(out, probe.name.as_bytes(), escape);
        }
        // A column is a character: bytes within one do not count.
        let width = out[start..].iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        out.resize(out.len() + 41_usize.saturating_sub(width) + 1, b' ');
        if kind == Kind::Entry {
            self.indent += 2;
        }
        self.last = Some((index, clause));
    }
}

#[cfg(test)]
mod tests {
    use dtrail_lang::ir::parse;

    use super::*;

    #[test]
    fn names() {
        for (name, expect) in [
            ("entry", Kind::Entry),
            ("return", Kind::Return),
            ("io-entry", Kind::Entry),
            ("x-return", Kind::Return),
            ("reentry", Kind::None),
            ("entry-x", Kind::None),
            ("entry-entry", Kind::None),
            ("BEGIN", Kind::None),
            ("", Kind::None),
        ] {
            assert_eq!(kind(name), expect, "{name}");
        }
    }

    #[test]
    fn the_example_of_the_specification() {
        let program = parse::program(
            "p0 = probe 1 syscall:vmlinux:openat:entry\np1 = probe 2 fbt:vmlinux:do_sys_open:entry\n\
             p2 = probe 3 x:vmlinux:do_sys_open:x\np3 = probe 4 fbt:vmlinux:do_sys_open:return\n\
             p4 = probe 5 syscall:vmlinux:openat:return",
        )
        .expect("IR of this test");
        let mut stream = Stream::default();
        let mut out = Vec::new();
        heading(&mut out);
        let mut row = |probe: u32, clause: u32, followed: bool| {
            let probe_of = &program.probes[probe as usize];
            stream.prefix(&mut out, 0, probe_of, (ProbeIndex(probe), ClauseId(clause)), followed, false);
            out.push(b'\n');
        };
        for probe in 0..5 {
            row(probe, probe, false);
        }
        // Two clauses of one entry indent once, of one return un-indent once.
        row(0, 0, false);
        row(0, 9, false);
        row(4, 4, true);
        row(4, 9, false);
        row(4, 4, false);
        let expect = "\
CPU FUNCTION                                 $
  0  => openat                                $
  0    -> do_sys_open                         $
  0     | do_sys_open:x                       $
  0    <- do_sys_open                         $
  0  <= openat                                $
  0  => openat                                $
  0   | openat:entry                          $
  0   | openat:return                         $
  0  <= openat                                $
  0  <= openat                                $
";
        let out = String::from_utf8_lossy(&out).replace('\n', "$\n");
        assert_eq!(out, expect);
    }
}
