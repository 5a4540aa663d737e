//! Files that users name and that are read whole. In: a path or an open stream, and what it is to hold. Out: its bytes, or a
//! reason that names the kind. Never: more memory than the kind may take, or a wait for a writer where only a plain file will
//! do. (Files of `/proc` and `/sys` are the kernel's, which bounds them itself.)

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// What a file is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Content {
    /// In messages, with its article.
    what: &'static str,
    /// Most MiB that it takes: beyond, it is a device or a mistake.
    most: u64,
    /// Whether it may come from a pipe, a terminal or another device.
    streams: bool,
}

impl Content {
    /// A script.
    pub const SCRIPT: Content = Content { what: "a D program", most: 64, streams: true };
    /// A file `*.d` of a library directory.
    pub const LIBRARY: Content = Content { what: "a D library", most: 64, streams: false };
    /// Made-up events.
    pub const EVENTS: Content = Content { what: "an event file", most: 256, streams: true };
    /// Types of a kernel or of a module.
    pub const TYPES: Content = Content { what: "BTF", most: 256, streams: false };
    /// An object of a program.
    pub const OBJECT: Content = Content { what: "an object", most: 1024, streams: false };

    /// The bytes of the file at a path.
    pub fn read(self, path: &Path) -> io::Result<Vec<u8>> {
        // Asked before it is opened, as opening a FIFO waits for its writer and opening a device may do anything.
        if !self.streams {
            let kind = std::fs::metadata(path)?.file_type();
            // A directory is refused by the system, in its own words.
            if !kind.is_file() && !kind.is_dir() {
                return Err(io::Error::other(format!("it is no plain file, as {} has to be", self.what)));
            }
        }
        self.read_from(File::open(path)?)
    }

    /// The bytes of a stream, up to its end.
    pub fn read_from(self, stream: impl Read) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let most = self.most << 20;
        match stream.take(most + 1).read_to_end(&mut bytes)? as u64 > most {
            true => Err(self.excess()),
            false => Ok(bytes),
        }
    }

    fn excess(self) -> io::Error {
        let no = self.what.strip_prefix("a ").or(self.what.strip_prefix("an ")).unwrap_or(self.what);
        let why = format!("it has more than {} MiB, which is no {no}", self.most);
        io::Error::new(io::ErrorKind::FileTooLarge, why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is wrong with a stream of so many bytes.
    fn refused(content: Content, bytes: u64) -> Option<String> {
        content.read_from(io::repeat(b' ').take(bytes)).err().map(|why| why.to_string())
    }

    #[test]
    fn the_bound_is_the_last_size_that_is_read() {
        let small = Content { most: 1, ..Content::EVENTS };
        assert_eq!(refused(small, 1 << 20), None);
        let why = refused(small, (1 << 20) + 1);
        assert_eq!(why.as_deref(), Some("it has more than 1 MiB, which is no event file"));
    }

    #[test]
    fn each_kind_is_named() {
        let said = |content: Content| content.excess().to_string();
        assert_eq!(said(Content::SCRIPT), "it has more than 64 MiB, which is no D program");
        assert_eq!(said(Content::LIBRARY), "it has more than 64 MiB, which is no D library");
        assert_eq!(said(Content::EVENTS), "it has more than 256 MiB, which is no event file");
        assert_eq!(said(Content::TYPES), "it has more than 256 MiB, which is no BTF");
        assert_eq!(said(Content::OBJECT), "it has more than 1024 MiB, which is no object");
    }

    #[test]
    fn what_is_no_plain_file() {
        let said = |content: Content, path: &str| content.read(Path::new(path)).err().map(|e| e.to_string());
        let zero = "/dev/zero";
        assert_eq!(
            said(Content::LIBRARY, zero).as_deref(),
            Some("it is no plain file, as a D library has to be")
        );
        assert_eq!(said(Content::TYPES, zero).as_deref(), Some("it is no plain file, as BTF has to be"));
        assert_eq!(
            said(Content::OBJECT, zero).as_deref(),
            Some("it is no plain file, as an object has to be")
        );
        assert_eq!(said(Content::SCRIPT, "/dev/null"), None);
    }
}
