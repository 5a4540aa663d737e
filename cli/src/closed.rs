//! Whether standard output was closed when this process began (`dtrail … >&-`). The runtime library opens `/dev/null` in
//! the place of a closed descriptor before `main`, after which nobody can tell it from `>/dev/null`, and output would be
//! lost without a word. So it is looked at earlier, by one of the functions that the loader calls. Nothing is changed.

#![allow(unsafe_code, reason = "a function that the loader calls before `main`")]

use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};

static CLOSED: AtomicBool = AtomicBool::new(false);

// SAFETY: the section holds pointers to functions that the loader calls in turn with arguments that may be ignored; the
// type of this one is such a pointer.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

/// A system call and a store, which need nothing that the runtime library prepares.
extern "C" fn look() {
    // SAFETY: it asks for the flags of a descriptor, which may be none.
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    CLOSED.store(flags < 0, Ordering::Relaxed);
}

/// What stands for a closed standard output: every write to it fails as one to a closed descriptor does (`Bad file
/// descriptor`). `None` if it was open.
pub fn closed_output() -> Option<File> {
    // A descriptor that can only be read from.
    CLOSED.load(Ordering::Relaxed).then(|| File::open("/dev/null").ok()).flatten()
}
