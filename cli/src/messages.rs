//! Standard error as the command sees it. In: messages, which name files, probes and symbols of others, as texts that hold any
//! bytes ([`dtrail_lang::bytes`]), in pieces of whole characters. Out: those bytes, or, on a terminal, with control characters escaped. What was rendered for a terminal passes as it is.

use std::io::{self, Write};

use dtrail_lang::bytes;
use dtrail_vm::format::shown;

/// See the module.
pub(crate) struct Messages<'a> {
    out: &'a mut dyn Write,
    terminal: bool,
    terse: bool,
}

/// Whether a command of this name says no more than dtrace(1) does: no lines of help, no places of mistakes.
pub(crate) fn is_terse(progname: &str) -> bool {
    progname == "dtrace"
}

impl<'a> Messages<'a> {
    /// Messages of a command to a stream; `terminal` says whether it is one.
    pub(crate) fn new(progname: &str, out: &'a mut dyn Write, terminal: bool) -> Messages<'a> {
        Messages { out, terminal, terse: is_terse(progname) }
    }

    /// Says something behind the command's name, and what helps, if that is known and said. A failure is nobody's business.
    pub(crate) fn say(&mut self, progname: &str, text: &str, help: Option<&str>) {
        let help = help.filter(|_| !self.terse).map_or(String::new(), |help| format!("  help: {help}\n"));
        let _ = self.write_all(format!("{progname}: {text}\n{help}").as_bytes());
    }

    /// Whether a person reads it.
    pub(crate) fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Writes a text that has colours and nothing else that a terminal obeys. A failure is nobody's business.
    pub(crate) fn rendered(&mut self, text: &str) {
        let _ = self.out.write_all(&bytes::of_text(text));
    }
}

impl Write for Messages<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write_all(&shown(&bytes::of_utf8(bytes), self.terminal))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_is_not_for_dtrace() {
        for (progname, expect) in [("dtrail", "dtrail: no\n  help: do\n"), ("dtrace", "dtrace: no\n")] {
            let mut out = Vec::new();
            Messages::new(progname, &mut out, false).say(progname, "no", Some("do"));
            assert_eq!(String::from_utf8_lossy(&out), expect);
        }
    }

    #[test]
    fn terminals_get_no_control_characters() {
        for (terminal, expect) in [(true, "x\\033[2J\n"), (false, "x\u{1b}[2J\n")] {
            let mut out = Vec::new();
            let mut messages = Messages::new("dtrail", &mut out, terminal);
            messages.write_all(b"x\x1b[2J\n").expect("a vector takes all");
            assert_eq!(String::from_utf8_lossy(&out), expect);
        }
        let mut out = Vec::new();
        Messages::new("dtrail", &mut out, true).rendered("\u{1b}[1m");
        assert_eq!(out, b"\x1b[1m");
    }
}
