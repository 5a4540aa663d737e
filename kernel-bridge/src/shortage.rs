//! What helps where something has run out: descriptors or memory. An error of the machine in, advice out; none for errors of
//! other kinds, whose advice the place knows where they come up.

use std::io;

use dtrail_vm::event::Error;

/// What to do about an error that says that something has run out.
pub fn advice(error: &io::Error) -> Option<&'static str> {
    match error.raw_os_error() {
        Some(libc::EMFILE) => Some("raise `ulimit -n`: each map, program and probe takes a descriptor"),
        Some(libc::ENFILE) => {
            Some("the whole machine has too many open files: raise fs.file-max (/proc/sys/fs/file-max)")
        }
        Some(libc::ENOMEM) => Some(MEMORY),
        None if error.kind() == io::ErrorKind::OutOfMemory => Some(MEMORY),
        _ => None,
    }
}

/// An error with that advice, if there is any.
pub(crate) fn help(told: Error, why: &io::Error) -> Error {
    match advice(why) {
        Some(advice) => told.help(advice),
        None => told,
    }
}

/// Limits of memory that a user can raise.
pub(crate) const MEMORY: &str =
    "raise the limit of memory (`ulimit -v`, a container's or a cgroup's memory.max)";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_has_its_own_advice() {
        let of = |number| advice(&io::Error::from_raw_os_error(number)).map(|text| &text[..15]);
        for (number, expected) in [
            (libc::EMFILE, Some("raise `ulimit -")),
            (libc::ENFILE, Some("the whole machi")),
            (libc::ENOMEM, Some("raise the limit")),
            (libc::EPERM, None),
            (libc::ENOENT, None),
        ] {
            assert_eq!(of(number), expected, "{number}");
        }
        assert_eq!(advice(&io::ErrorKind::OutOfMemory.into()), Some(MEMORY));
        assert_eq!(advice(&io::ErrorKind::NotFound.into()), None);
    }
}
