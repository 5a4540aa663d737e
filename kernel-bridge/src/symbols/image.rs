//! The bytes of an object: of a file, or of memory that has the form of one. An offset and a length in, bytes out; what is
//! not there is nothing, and no size that a file claims is allocated before it is known to have so much.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::rc::Rc;

/// Where bytes are read from.
#[derive(Clone, Debug)]
pub(super) enum Image {
    File(Rc<File>),
    Bytes(Rc<[u8]>),
}

/// Most bytes that are read at once: what is larger is damaged, or nothing that names are in.
const MOST: u64 = 1 << 30;

impl Image {
    pub(super) fn len(&self) -> u64 {
        match self {
            Image::File(file) => file.metadata().map_or(0, |metadata| metadata.len()),
            Image::Bytes(bytes) => bytes.len() as u64,
        }
    }

    /// Fills `out` with the bytes at an offset.
    pub(super) fn fill(&self, offset: u64, out: &mut [u8]) -> Option<()> {
        match self {
            Image::File(file) => file.read_exact_at(out, offset).ok(),
            Image::Bytes(bytes) => {
                let rest = bytes.get(usize::try_from(offset).ok()?..)?;
                out.copy_from_slice(rest.get(..out.len())?);
                Some(())
            }
        }
    }

    /// The bytes at an offset.
    pub(super) fn read(&self, offset: u64, size: u64) -> Option<Vec<u8>> {
        if size > MOST || offset.checked_add(size)? > self.len() {
            return None;
        }
        let mut bytes = vec![0; size as usize];
        self.fill(offset, &mut bytes)?;
        Some(bytes)
    }
}

/// The code that the kernel gives each process, as this process has it: on one machine it is the same for all of its kind.
pub(super) fn vdso() -> Option<Image> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let line = maps.lines().find(|line| line.ends_with("[vdso]"))?;
    let (start, end) = line.split_once(' ')?.0.split_once('-')?;
    let address = |digits| u64::from_str_radix(digits, 16).ok();
    let (start, end) = (address(start)?, address(end)?);
    let mut bytes = vec![0; usize::try_from(end.checked_sub(start)?).ok()?];
    // Through the kernel: nothing here depends on what is mapped meanwhile.
    File::open("/proc/self/mem").ok()?.read_exact_at(&mut bytes, start).ok()?;
    Some(Image::Bytes(bytes.into()))
}
