//! The traced programs: one whose system calls are known one by one (`workloads/steps.c`), one whose frames are known
//! (`workloads/spin.c`, `shapes.c`, `jit.c`); and who can trace them here.

use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// Builds the program of known calls, if that has not been done, and gives its path, which every user can reach. `None`,
/// with a word why, if gcc is missing.
pub fn steps() -> Option<&'static str> {
    static PATH: OnceLock<Option<String>> = OnceLock::new();
    let flags = ["-O1", "-static", "-nostdlib", "-ffreestanding", "-fno-stack-protector"];
    PATH.get_or_init(|| build("steps", "steps.c", &flags)).as_deref()
}

/// The same for the program of known frames: `main` calls `caller` calls `leaf`. Without frame pointers its name is
/// `bare`, else `spin`.
pub fn spin(frame_pointers: bool) -> Option<&'static str> {
    static SPIN: OnceLock<Option<String>> = OnceLock::new();
    static BARE: OnceLock<Option<String>> = OnceLock::new();
    let flags = ["-O0", "-fno-omit-frame-pointer"];
    match frame_pointers {
        true => SPIN.get_or_init(|| build("spin", "spin.c", &flags)).as_deref(),
        false => BARE.get_or_init(|| build("bare", "spin.c", &["-O1", "-fomit-frame-pointer"])).as_deref(),
    }
}

/// Builds a program of `workloads/` under a name with flags of gcc, like the two above.
pub fn built(name: &str, source: &str, flags: &[&str]) -> Option<String> {
    build(name, source, flags)
}

fn build(name: &str, source: &str, flags: &[&str]) -> Option<String> {
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("workloads").join(source);
    let text = std::fs::read(&source).ok()?;
    // The build folder may be closed to others, so the program lies where everybody may look; the folder's name says what
    // it was built from and by whom.
    let mut hasher = std::hash::DefaultHasher::new();
    (text, flags, crate::engine::user()).hash(&mut hasher);
    let folder = std::env::temp_dir().join(format!("dtrail-workload-{:016x}", hasher.finish()));
    std::fs::create_dir_all(&folder).ok()?;
    let target = folder.join(name);
    if !target.exists() {
        // Tests run side by side: each builds under a name of its own, and the last one to finish wins.
        let own = target.with_extension(std::process::id().to_string());
        match Command::new("gcc").args(flags).arg("-o").arg(&own).arg(&source).status() {
            Ok(status) if status.success() => std::fs::rename(own, &target).ok()?,
            _ => {
                skipped("gcc cannot build the traced program");
                return None;
            }
        }
    }
    target.into_os_string().into_string().ok()
}

/// The sources of a live machine that can run here, as `--source` names them; says why eBPF is not among them.
pub fn sources() -> Vec<&'static str> {
    match dtrail_kernel_bridge::caps::can_bpf() {
        Ok(()) => vec!["ptrace", "bpf"],
        Err(e) => {
            skipped(&e.message);
            vec!["ptrace"]
        }
    }
}

/// Says that a test did not run, and why.
#[allow(clippy::print_stdout, reason = "the test runner shows it")]
pub fn skipped(why: &str) {
    println!("skipped: {why}");
}
