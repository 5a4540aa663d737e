//! The traced program whose system calls are known one by one (`workloads/steps.c`), and who can trace it here.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// Builds the program once and gives its path, readable by every user. `None`, with a word why, if gcc is missing.
pub fn steps() -> Option<&'static str> {
    static PATH: OnceLock<Option<String>> = OnceLock::new();
    PATH.get_or_init(build).as_deref()
}

fn build() -> Option<String> {
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("workloads/steps.c");
    // Every process builds its own: tests of several programs run side by side, and other users must reach it.
    let target = std::env::temp_dir().join(format!("dtrail-steps-{}", std::process::id()));
    let flags = ["-O1", "-static", "-nostdlib", "-ffreestanding", "-fno-stack-protector", "-o"];
    match Command::new("gcc").args(flags).arg(&target).arg(&source).status() {
        Ok(status) if status.success() => target.into_os_string().into_string().ok(),
        _ => {
            skipped("gcc cannot build the traced program");
            None
        }
    }
}

/// Removes what [`steps`] built; for the end of a test program.
pub fn remove(path: &str) {
    let _ = std::fs::remove_file(path);
}

/// Says that a test did not run, and why.
#[allow(clippy::print_stdout, reason = "the test runner shows it")]
pub fn skipped(why: &str) {
    println!("skipped: {why}");
}
