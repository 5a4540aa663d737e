//! Where the program of a command may be, by `PATH`, and why it cannot be executed: a name in, paths or an error number out.
//! It executes nothing.

use std::ffi::{CStr, CString, OsStr};
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{Access, AtFlags, CWD, accessat};

/// The files that a program's name may mean, in the order of `PATH`; a name with a slash means itself.
pub(crate) fn candidates(program: &[u8]) -> Result<Vec<CString>, String> {
    let c_string = |bytes: &[u8]| CString::new(bytes).map_err(|_| "a NUL in the command".to_owned());
    if program.contains(&b'/') {
        return Ok(vec![c_string(program)?]);
    }
    let path = std::env::var_os("PATH").unwrap_or_else(|| OsStr::from_bytes(b"/bin:/usr/bin").into());
    let folders = path.as_bytes().split(|&b| b == b':');
    let files = folders.map(|folder| match folder {
        b"" => c_string(program),
        _ => c_string(&[folder, b"/", program].concat()),
    });
    files.collect()
}

/// Why none of these files can be executed: `EACCES` if one is there but not executable, else `ENOENT`; a folder that
/// may not be searched has nothing in it, unless it was named. `None` if one can be, or `execve` must say.
pub(crate) fn missing(paths: &[CString]) -> Option<i32> {
    let mut worst = libc::ENOENT;
    for path in paths {
        match accessible(path, Access::EXEC_OK) {
            Err(libc::ENOENT | libc::ENOTDIR) => {}
            Err(libc::EACCES) => {
                if paths.len() == 1 || accessible(path, Access::EXISTS).is_ok() {
                    worst = libc::EACCES;
                }
            }
            _ => return None,
        }
    }
    Some(worst)
}

/// Whether the effective user has this access to a file, else the error number. One system call, no allocation.
pub(crate) fn accessible(path: &CStr, access: Access) -> Result<(), i32> {
    accessat(CWD, path, access, AtFlags::EACCESS).map_err(rustix::io::Errno::raw_os_error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_executed_is_known_before() {
        for (paths, expected) in [
            (&[c"/no/such"][..], Some(libc::ENOENT)),
            (&[c"/no/such", c"/etc/passwd/x"], Some(libc::ENOENT)),
            (&[c"/etc/passwd"], Some(libc::EACCES)),
            (&[c"/etc/passwd", c"/no/such"], Some(libc::EACCES)),
            (&[c"/no/such", c"/bin/sh"], None),
        ] {
            let paths: Vec<CString> = paths.iter().map(|&path| path.to_owned()).collect();
            assert_eq!(missing(&paths), expected, "{paths:?}");
        }
    }
}
