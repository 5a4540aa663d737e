//! What takes the kernel long to close: a process that keeps it open until this one is gone, and then ends slowly in its
//! stead. Nothing comes in and nothing goes out.

/// Leaves all descriptors that are open now to a process of its own, so that the end of this one need not wait for them:
/// it must come next. Without such a process the kernel closes them then, as ever.
pub(crate) fn leave_descriptors() {
    let parent = std::process::id() as libc::pid_t;
    // SAFETY: the child, which has one thread and a copy of this one's memory, calls nothing but `keep`.
    if unsafe { libc::fork() } == 0 {
        keep(parent);
    }
}

/// Waits for the end of the parent and ends. Of the parent's streams it keeps none: who reads them sees their end.
fn keep(parent: libc::pid_t) -> ! {
    // SAFETY: all of these may be called after a fork, and none takes memory.
    unsafe {
        // Out of the terminal's reach, and of who waits for a whole process group.
        libc::setsid();
        for stream in 0..3 {
            libc::close(stream);
        }
        // The signal comes when the parent has closed its descriptors: from then on they are this process's alone.
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        while libc::getppid() == parent {
            libc::pause();
        }
        libc::_exit(0)
    }
}
