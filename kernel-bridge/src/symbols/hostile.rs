//! Objects, tables and lists as a traced program may have them: made to be long, or good ones that are damaged. None may
//! end the tracer, keep it, or take its memory.

use std::rc::Rc;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::elf::{Elf, PROGBITS};
use super::functions::Functions;
use super::image::Image;
use super::inlined::Inlined;
use super::made::MadeCode;
use super::spaces::Space;
use super::{debug, expressions, unwind};

/// A section: name, kind, address, which section it belongs to, bytes.
type Section<'s> = (&'s str, u32, u64, u32, &'s [u8]);

/// An object of these sections, whose names come last.
fn elf(sections: &[Section<'_>]) -> Vec<u8> {
    let mut names = vec![0];
    let (mut headers, mut bytes) = (vec![0; 64], vec![0; 64]);
    let mut put = |name: u32, kind: u32, addr: u64, at: usize, size: usize, link: u32| {
        let mut header = Vec::new();
        header.extend_from_slice(&name.to_le_bytes());
        header.extend_from_slice(&kind.to_le_bytes());
        for word in [0, addr, at as u64, size as u64] {
            header.extend_from_slice(&word.to_le_bytes());
        }
        header.extend_from_slice(&link.to_le_bytes());
        header.resize(64, 0);
        headers.extend_from_slice(&header);
    };
    for (name, kind, addr, link, contents) in sections {
        put(names.len() as u32, *kind, *addr, bytes.len(), contents.len(), *link);
        names.extend_from_slice(name.as_bytes());
        names.push(0);
        bytes.extend_from_slice(contents);
    }
    put(0, 3, 0, bytes.len(), names.len(), 0);
    bytes.extend_from_slice(&names);
    let count = sections.len() as u16 + 2;
    bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
    let at = bytes.len() as u64;
    bytes[40..48].copy_from_slice(&at.to_le_bytes());
    for (at, value) in [(54, 56), (58, 64), (60, count), (62, count - 1)] {
        bytes[at..at + 2].copy_from_slice(&u16::to_le_bytes(value));
    }
    bytes.extend_from_slice(&headers);
    bytes
}

fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A program whose PLT is full of jumps, all through the slot of one function with a long name.
fn full_of_jumps(size: usize, name: usize) -> Vec<u8> {
    const PLT: u64 = 0x10_0000;
    const SLOT: u64 = 0x80_0000;
    let mut plt = Vec::new();
    while plt.len() < size {
        plt.extend_from_slice(b"\xff\x25");
        let after = PLT + plt.len() as u64 + 4;
        plt.extend_from_slice(&((SLOT - after) as u32).to_le_bytes());
    }
    let strings = [b"\0".to_vec(), vec![b'n'; name], vec![0]].concat();
    // Nothing, then an undefined global function.
    let symbols = [vec![0; 24], words(&[0x12 << 32 | 1, 0, 0])].concat();
    elf(&[
        (".dynsym", 11, 0, 2, &symbols),
        (".dynstr", 3, 0, 0, &strings),
        (".rela.plt", 4, 0, 1, &words(&[SLOT, 1 << 32 | 7, 0])),
        (".plt", PROGBITS, PLT, 0, &plt),
    ])
}

#[test]
fn a_table_full_of_stubs_takes_a_stub_a_place() {
    if cfg!(not(target_arch = "x86_64")) {
        return;
    }
    let bytes = full_of_jumps(1 << 20, 1 << 20);
    let object = Elf::open(Image::Bytes(bytes.into())).expect("an object");
    // A jump each 6 bytes, a place each 16; copies of the names would take 170 GB.
    assert_eq!(object.stubs(0).len(), (1 << 20) / 16);
    let functions = Functions::read(&object, &|_| None);
    assert!(functions.bytes() < 8 << 20, "{}", functions.bytes());
}

#[test]
fn names_of_sections_have_a_bound() {
    let file = |size: u64| {
        let path = std::env::temp_dir().join(format!("dtrail-names-{}-{size}", std::process::id()));
        let mut bytes = elf(&[]);
        let file =
            std::fs::File::options().read(true).write(true).create_new(true).open(&path).expect("a file");
        std::fs::remove_file(&path).expect("it was made");
        // The size of the last section, which has the names.
        let (at, end) = (bytes.len() - 32, bytes.len() as u64);
        bytes[at..at + 8].copy_from_slice(&size.to_le_bytes());
        std::os::unix::fs::FileExt::write_all_at(&file, &bytes, 0).expect("there is room");
        file.set_len(end + size).expect("there may be holes");
        Elf::open(Image::File(file.into())).expect("an object").bytes()
    };
    assert!(file(1 << 20) >= 1 << 20);
    assert!(file(900 << 20) < 1 << 20);
}

/// Damages bytes: some are replaced, some cut off.
fn damage(bytes: &[u8]) -> impl Strategy<Value = Vec<u8>> + use<> {
    let bytes: Rc<[u8]> = bytes.into();
    let length = bytes.len();
    // Heads and tables are in the first and last bytes; a number with all bits, and one that is small, do most harm.
    let place = prop_oneof![0..length, 0..length.min(64), length.saturating_sub(1024)..length];
    let byte = prop_oneof![any::<u8>(), Just(0), Just(0xff), Just(0x7f), Just(0x80), Just(1)];
    let run = (place, byte, 1..9usize);
    let cut = prop_oneof![9 => Just(length), 1 => 0..length];
    (prop::collection::vec(run, 0..8), cut).prop_map(move |(runs, cut)| {
        let mut damaged = bytes.to_vec();
        for (at, byte, count) in runs {
            let end = (at + count).min(damaged.len());
            damaged[at..end].fill(byte);
        }
        damaged.truncate(cut);
        damaged
    })
}

/// Does all that is done with an object, and says how many bytes are kept of it.
fn use_object(bytes: &[u8]) -> usize {
    let Some(elf) = Elf::open(Image::Bytes(bytes.into())) else { return 0 };
    let functions = Functions::read(&elf, &|elf| debug::find(elf, "/nowhere/program", "/nowhere"));
    for offset in (0..bytes.len() as u64 + 16).step_by(7) {
        functions.at_offset(offset);
    }
    functions.at_offset(u64::MAX);
    super::functions::address(&elf, b"main", &|_| None);
    let inlined = Inlined::read(&[&elf]);
    if let Some(inlined) = &inlined {
        (0..0x2000).step_by(5).for_each(|addr| drop(inlined.at(addr)));
    }
    let tables = unwind::Tables::read(&elf);
    if let Some(unwind::Tables { eh_frame: Some(frames), eh_frame_hdr, .. }) = &tables {
        expressions::end(frames, eh_frame_hdr.as_ref());
    }
    elf.bytes() + functions.bytes() + inlined.map_or(0, |inlined| inlined.bytes())
}

/// Objects to damage: one that is made here, and one that a compiler made, if there is a compiler.
fn objects() -> Vec<Vec<u8>> {
    let made = full_of_jumps(256, 40);
    let built =
        super::tests::program(&["-O1", "-g", "-Wl,-z,lazy", "-Wl,--build-id"]).map(|(folder, bytes)| {
            std::fs::remove_dir_all(folder).expect("it was made");
            bytes
        });
    std::iter::once(made).chain(built).collect()
}

fn quick() -> ProptestConfig {
    ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() }
}

#[test]
fn damaged_objects_do_no_harm() {
    for good in objects() {
        assert!(use_object(&good) > 0);
        proptest!(quick(), |(bytes in damage(&good))| {
            let begun = Instant::now();
            let kept = use_object(&bytes);
            prop_assert!(kept < 4 << 20, "{kept} bytes of an object of {}", bytes.len());
            prop_assert!(begun.elapsed() < Duration::from_secs(5));
        });
    }
}

#[test]
fn damaged_lists_of_mappings_do_no_harm() {
    let good = b"00400000-00401000 r--p 00000000 08:01 12                         /bin/work\n\
        7f0000000000-7f0000001000 r-xp 00001000 08:01 13                 /lib/a b.so (deleted)\n\
        7f0000002000-7f0000003000 rwxp 00000000 00:00 0\n\
        7fff00000000-7fff00001000 r-xp 00000000 00:00 0                  [vdso]\n";
    proptest!(quick(), |(text in damage(good), more in damage(good))| {
        let mut space = Space::new(&std::rc::Rc::default());
        space.update(&text, 1);
        space.update(&more, 2);
        for addr in [0, 0x40_0000, 0x40_0fff, 0x7f00_0000_0800, u64::MAX] {
            for mapping in space.find(addr).into_iter().chain(space.find_ahead(addr)) {
                mapping.file_offset(addr);
            }
        }
        // They do not overlap, and each has an end.
        let all: Vec<_> = space.mappings().collect();
        prop_assert!(all.iter().all(|mapping| mapping.start < mapping.end));
        prop_assert!(all.windows(2).all(|two| two[0].end <= two[1].start), "{all:?}");
    });
}

#[test]
fn damaged_lists_of_made_code_do_no_harm() {
    let good = b"1000 20 first\n0x2000 10 LHello;run()V and more\n1000 10 second\nffffffffffffff00 ff last\n";
    proptest!(quick(), |(text in damage(good), cut in 0..80usize)| {
        let (whole, parts) = (MadeCode::of(&[&text]), MadeCode::of(&{
            let (first, rest) = text.split_at(cut.min(text.len()));
            [first, rest]
        }));
        for addr in [0, 0x1000, 0x1018, 0x2008, 0xffff_ffff_ffff_ff80, u64::MAX] {
            // Wherever the file was cut when it was read.
            prop_assert_eq!(whole.find(addr), parts.find(addr));
        }
        prop_assert!(whole.bytes() < 4096);
    });
}
