//! Names and arguments as the system has them: bytes. In: texts of the command line and of programs, which hold any bytes
//! ([`dtrail_lang::bytes`]). Out: paths and words, and texts of what the system gives.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use dtrail_lang::bytes;

/// The text of a word of the system.
pub(crate) fn text(word: &OsStr) -> String {
    bytes::to_text(word.as_bytes())
}

/// The word of a text.
pub(crate) fn word(text: &str) -> OsString {
    OsString::from_vec(bytes::of_text(text).into_owned())
}

/// The path of a text.
pub(crate) fn path(text: &str) -> PathBuf {
    word(text).into()
}
