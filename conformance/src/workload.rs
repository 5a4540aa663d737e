//! The traced programs: one whose system calls are known one by one (`workloads/steps.c`), one whose frames are known
//! (`workloads/spin.c`, `shapes.c`, `jit.c`); and who can trace them here.

use std::fs::Permissions;
use std::hash::{Hash, Hasher};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

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
    if let Err(why) = own_folder(&folder) {
        skipped(&format!("no place for the traced program: {}: {why}", folder.display()));
        return None;
    }
    let target = folder.join(name);
    if !target.exists() {
        // Tests run side by side, in processes and in threads: each builds under a name of its own, and the last one to
        // finish wins.
        static BUILDS: AtomicU32 = AtomicU32::new(0);
        let number = BUILDS.fetch_add(1, Ordering::Relaxed);
        let own = target.with_extension(format!("{}-{number}", std::process::id()));
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

/// Makes a folder that all may look into and nobody else may write to, or finds that it is one. Anyone can foresee its name
/// and make one first, and what lies in it is executed.
fn own_folder(folder: &Path) -> Result<(), String> {
    let told = |e: std::io::Error| dtrail_vm::event::reason(&e);
    match std::fs::DirBuilder::new().mode(0o711).create(folder) {
        // Whatever the umask says: the programs are executed by other users, too.
        Ok(()) => std::fs::set_permissions(folder, Permissions::from_mode(0o711)).map_err(told),
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {
            let found = folder.symlink_metadata().map_err(told)?;
            match found.is_dir() && Some(found.uid()) == crate::engine::user() && found.mode() & 0o022 == 0 {
                true => Ok(()),
                false => Err("it is not this user's alone".to_owned()),
            }
        }
        Err(e) => Err(told(e)),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Threads that build one program at a time each get one that is whole.
    #[test]
    fn threads_build_the_same_program() {
        // A flag of this run's alone: nothing is built yet.
        let flag = format!("-DBUILT_BY={}", std::process::id());
        let flags = ["-O1", "-static", "-nostdlib", "-ffreestanding", "-fno-stack-protector", &flag];
        let build = || built("together", "steps.c", &flags);
        let paths = std::thread::scope(|threads| {
            let builds: Vec<_> = (0..4).map(|_| threads.spawn(build)).collect();
            builds.into_iter().map(|build| build.join().expect("no panic")).collect::<Vec<_>>()
        });
        let Some(Some(path)) = paths.first() else { return };
        assert!(paths.iter().all(|other| other.as_ref() == Some(path)), "{paths:?}");
        let folder = Path::new(path).parent().expect("it is in one");
        let left: Vec<_> =
            std::fs::read_dir(folder).expect("ours").flatten().map(|it| it.file_name()).collect();
        let ran = Command::new(path).status();
        let _ = std::fs::remove_dir_all(folder);
        assert_eq!(left, ["together"], "nothing else is left");
        assert_eq!(ran.map_err(|e| e.kind()).map(|status| status.code()), Ok(Some(0)));
    }

    #[test]
    fn a_folder_of_anybody_elses_is_not_taken() {
        let folder = std::env::temp_dir().join(format!("dtrail-own-{}", std::process::id()));
        let _ = std::fs::remove_dir(&folder);
        let refused = Err("it is not this user's alone".to_owned());
        let with_mode = |mode: u32| {
            std::fs::set_permissions(&folder, Permissions::from_mode(mode)).map_err(|e| e.to_string())?;
            own_folder(&folder)
        };
        assert_eq!(own_folder(&folder), Ok(()), "made");
        let mode = folder.symlink_metadata().map(|found| found.mode() & 0o777);
        assert_eq!(mode.ok(), Some(0o711));
        assert_eq!(own_folder(&folder), Ok(()), "found again");
        assert_eq!(with_mode(0o777), refused, "anybody may write to it");
        assert_eq!(with_mode(0o731), refused, "a group may");
        let _ = std::fs::remove_dir(&folder);
        let link = std::os::unix::fs::symlink(std::env::temp_dir(), &folder);
        assert_eq!((link.is_ok(), own_folder(&folder)), (true, refused), "it leads elsewhere");
        let _ = std::fs::remove_file(&folder);
        // Root's own, for whoever is not root; for root it is the test above.
        let of_root = own_folder(Path::new("/usr"));
        assert_eq!(of_root.is_ok(), crate::engine::user() == Some(0), "{of_root:?}");
    }
}
