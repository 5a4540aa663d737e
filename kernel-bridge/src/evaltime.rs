//! Where the command of `-c` stands when tracing begins (`evaltime`): a process that stands after `execve` in, an address
//! to run to out.

use std::fs;
use std::io;

use dtrail_lang::options::EvalTime;

use crate::symbols::function_address;

/// An address in a process that begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Where it is to stand.
    pub(crate) addr: u64,
    /// Why this is not the place that was asked for.
    pub(crate) notice: Option<String>,
}

/// `AT_ENTRY` of the auxiliary vector: where the program itself begins, behind the dynamic linker.
const AT_ENTRY: u64 = 9;

/// Finds the place in a process that stands right after `execve`; `None` if it stands there already.
pub(crate) fn place(pid: u32, when: EvalTime) -> io::Result<Option<Place>> {
    if when == EvalTime::Exec {
        return Ok(None);
    }
    let vector = fs::read(format!("/proc/{pid}/auxv"))?;
    let entry = entry_of(&vector).ok_or_else(|| io::Error::other("its entry is not known"))?;
    if when == EvalTime::Entry {
        return Ok(Some(Place { addr: entry, notice: None }));
    }
    Ok(Some(match function_address(pid, b"main") {
        // The difference to the file's own entry is where it was loaded.
        Some((main, own_entry)) => {
            Place { addr: entry.wrapping_sub(own_entry).wrapping_add(main), notice: None }
        }
        None => {
            let notice = format!("process {pid} has no symbol main: evaltime is preinit");
            Place { addr: entry, notice: Some(notice) }
        }
    }))
}

fn entry_of(vector: &[u8]) -> Option<u64> {
    let word = |bytes: &[u8]| bytes.first_chunk().map(|bytes| u64::from_ne_bytes(*bytes));
    vector.chunks_exact(16).find(|pair| word(pair) == Some(AT_ENTRY)).and_then(|pair| word(&pair[8..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entry_is_found_in_the_vector() {
        let words = [6u64, 4096, 9, 0x1234, 0, 0];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        assert_eq!(entry_of(&bytes), Some(0x1234));
        assert_eq!(entry_of(&bytes[..24]), None, "cut");
        assert_eq!(entry_of(&[]), None);
    }

    #[test]
    fn this_process_has_a_main() {
        let main =
            place(std::process::id(), EvalTime::Main).expect("its files can be read").expect("a place");
        let entry =
            place(std::process::id(), EvalTime::Entry).expect("its files can be read").expect("a place");
        assert_eq!((main.notice, entry.notice), (None, None));
        assert_ne!(main.addr, entry.addr);
        assert_eq!(place(std::process::id(), EvalTime::Exec).expect("nothing is read"), None);
    }
}
