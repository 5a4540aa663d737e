//! The command as any user may run it, for tests that trace as root and as an ordinary user.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// The command that was built with the test.
pub(crate) const DTRAIL: &str = env!("CARGO_BIN_EXE_dtrail");

/// A copy of the command that any user may run, since the build folder may be root's own; gone with the value.
pub(crate) struct ForEverybody(PathBuf);

impl ForEverybody {
    pub(crate) fn new() -> ForEverybody {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("dtrail-test-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::copy(DTRAIL, folder.join("dtrail")).expect("there is room for a copy");
        ForEverybody(folder)
    }

    /// A command that runs it as nobody; only root can.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(self.0.join("dtrail"));
        command
    }
}

impl Drop for ForEverybody {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
