//! Runs of the command, and files for them.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// The command.
pub(crate) const DTRAIL: &str = env!("CARGO_BIN_EXE_dtrail");

/// Runs it with nothing to read.
pub(crate) fn run(args: &[&str]) -> Output {
    Command::new(DTRAIL).args(args).stdin(Stdio::null()).output().expect("it starts")
}

/// Runs and compares standard output, standard error and status.
pub(crate) fn check(args: &[&str], out: &str, err: &str, status: i32) {
    let output = run(args);
    let got = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
        output.status.code(),
    );
    assert_eq!(got, (out.into(), err.into(), Some(status)), "{args:?}");
}

/// A file of its own for a test, gone with the value.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str, text: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("dtrail-{}-{name}", std::process::id()));
        std::fs::write(&path, text).expect("a temporary file");
        Scratch(path)
    }

    pub(crate) fn path(&self) -> &str {
        self.0.to_str().expect("a plain path")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
