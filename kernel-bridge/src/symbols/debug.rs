//! Separate debug files: a stripped object in, the object that has its symbols out. It is found by the build ID under
//! `/usr/lib/debug`, or by the name that the object gives (`.gnu_debuglink`); one of another build is not taken.

use std::fs::File;
use std::os::unix::fs::OpenOptionsExt;

use super::elf::Elf;
use super::image::Image;

/// Finds the debug file of an object.
pub(super) type Separate<'s> = &'s dyn Fn(&Elf) -> Option<Elf>;

/// The debug file of an object at a path. Paths in `root` are those of the namespace that it is of.
pub(super) fn find(elf: &Elf, path: &str, root: &str) -> Option<Elf> {
    let open = |path: String| {
        let debug = Elf::open(Image::File(regular(&format!("{root}{path}"))?.into()))?;
        debug.has_symbols().then_some(debug)
    };
    let own = elf.build_id();
    if let Some((first, rest)) = own.as_deref().and_then(|id| id.split_at_checked(2))
        && let Some(debug) = open(format!("/usr/lib/debug/.build-id/{first}/{rest}.debug"))
        && debug.build_id() == own
    {
        return Some(debug);
    }
    let (name, sum) = elf.debug_link()?;
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let belongs = |debug: &Elf| match (&own, debug.build_id()) {
        (Some(own), Some(its)) => *own == its,
        _ => check_sum(&debug.image) == Some(sum),
    };
    [format!("{folder}/{name}"), format!("{folder}/.debug/{name}"), format!("/usr/lib/debug{folder}/{name}")]
        .into_iter()
        .find_map(|path| open(path).filter(belongs))
}

/// Opens a file that is nothing but a file: what a traced process has at a path may be anything, and to open a pipe would
/// wait for its writer.
pub(super) fn regular(path: &str) -> Option<File> {
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let file = File::options().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path).ok()?;
    file.metadata().is_ok_and(|metadata| metadata.is_file()).then_some(file)
}

/// Most bytes of a file whose check sum is looked at: the traced program names the file, which may be as long as it likes.
const MOST_SUMMED: u64 = 512 << 20;

/// The check sum that `.gnu_debuglink` has of a file: CRC-32 as in Ethernet; `None` of what is too long.
fn check_sum(image: &Image) -> Option<u32> {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            let mut sum = byte as u32;
            let mut bit = 0;
            while bit < 8 {
                sum = if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
                bit += 1;
            }
            table[byte] = sum;
            byte += 1;
        }
        table
    };
    let mut sum = u32::MAX;
    let size = Some(image.len()).filter(|&size| size <= MOST_SUMMED)?;
    for at in (0..size).step_by(1 << 16) {
        for byte in image.read(at, (size - at).min(1 << 16))? {
            sum = sum >> 8 ^ TABLE[usize::from(sum as u8 ^ byte)];
        }
    }
    Some(!sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_sum_is_the_usual_one() {
        assert_eq!(check_sum(&Image::Bytes(b"123456789"[..].into())), Some(0xcbf4_3926));
        assert_eq!(check_sum(&Image::Bytes(b""[..].into())), Some(0));
    }

    #[test]
    fn what_is_too_long_is_not_summed() {
        let path = std::env::temp_dir().join(format!("dtrail-long-{}", std::process::id()));
        let file = File::options().read(true).write(true).create_new(true).open(&path).expect("a file");
        std::fs::remove_file(&path).expect("it was made");
        // A hole: it takes no room, but to read it takes an hour.
        file.set_len(1 << 42).or_else(|_| file.set_len(1 << 33)).expect("there may be holes");
        let begun = std::time::Instant::now();
        assert_eq!(check_sum(&Image::File(file.into())), None);
        assert!(begun.elapsed().as_secs() < 5, "it is not read");
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let path = std::env::temp_dir().join(format!("dtrail-pipe-{}", std::process::id()));
        let path = path.to_str().expect("a plain name");
        let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR);
        rustix::fs::mknodat(rustix::fs::CWD, path, kind, mode, 0).expect("a pipe");
        assert!(regular(path).is_none());
        std::fs::remove_file(path).expect("it was made");
        assert!(regular("/proc/self/exe").is_some());
        assert!(regular("/dev/null").is_none());
    }
}
