//! A thread that sees no files: for library code that reads a file which nobody wants.

use std::io;

/// Takes the file system away from the calling thread, for good and from no other thread: absolute paths name nothing
/// from here on. Needs CAP_SYS_CHROOT; without it the thread sees what it saw before.
pub fn hide_from_this_thread() -> io::Result<()> {
    // SAFETY: only the thread's own root and working directory become its own; no memory is involved.
    if unsafe { libc::unshare(libc::CLONE_FS) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // A folder of plain files: no absolute path that anyone opens leads anywhere from there.
    // SAFETY: the path is a C string.
    if unsafe { libc::chroot(c"/proc/self/fdinfo".as_ptr()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn other_threads_see_their_files() {
        let hidden =
            std::thread::spawn(|| hide_from_this_thread().map(|()| File::open("/proc/self/stat").is_err()));
        match hidden.join().expect("it does not panic") {
            Ok(hidden) => assert!(hidden),
            Err(e) => println!("skipped: {e}"),
        }
        File::open("/proc/self/stat").expect("this thread has lost nothing");
    }
}
