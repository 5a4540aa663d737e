//! The traced program whose system calls are known one by one (`workloads/steps.c`), and who can trace it here.

use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// Builds the program, if that has not been done, and gives its path, which every user can reach. `None`, with a word
/// why, if gcc is missing.
pub fn steps() -> Option<&'static str> {
    static PATH: OnceLock<Option<String>> = OnceLock::new();
    PATH.get_or_init(build).as_deref()
}

fn build() -> Option<String> {
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("workloads/steps.c");
    let text = std::fs::read(&source).ok()?;
    // The build folder may be closed to others, so the program lies where everybody may look; the folder's name says what
    // it was built from and by whom.
    let mut hasher = std::hash::DefaultHasher::new();
    (text, crate::engine::user()).hash(&mut hasher);
    let folder = std::env::temp_dir().join(format!("dtrail-workload-{:016x}", hasher.finish()));
    std::fs::create_dir_all(&folder).ok()?;
    let target = folder.join("steps");
    if !target.exists() {
        // Tests run side by side: each builds under a name of its own, and the last one to finish wins.
        let own = target.with_extension(std::process::id().to_string());
        let flags = ["-O1", "-static", "-nostdlib", "-ffreestanding", "-fno-stack-protector", "-o"];
        match Command::new("gcc").args(flags).arg(&own).arg(&source).status() {
            Ok(status) if status.success() => std::fs::rename(own, &target).ok()?,
            _ => {
                skipped("gcc cannot build the traced program");
                return None;
            }
        }
    }
    target.into_os_string().into_string().ok()
}

/// Says that a test did not run, and why.
#[allow(clippy::print_stdout, reason = "the test runner shows it")]
pub fn skipped(why: &str) {
    println!("skipped: {why}");
}
