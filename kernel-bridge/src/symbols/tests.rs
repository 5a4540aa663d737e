//! Names of what this process has mapped, and of objects that are made for the test.

use super::*;

#[test]
fn this_process_has_names() {
    let symbols = Symbols::default();
    symbols.set_demangle(true);
    let process = Process { pid: std::process::id(), seen: host::monotonic(), ..Process::default() };
    let addr = this_process_has_names as *const () as u64;
    let place = symbols.user(&process, addr).expect("it is mapped");
    let symbol = place.symbol.expect("tests have symbols");
    assert!(symbol.name.ends_with("symbols::tests::this_process_has_names"), "{}", symbol.name);
    assert_eq!(symbol.offset, 0);
    assert!(symbols.user(&process, 16).is_none());
    assert!(symbols.user(&Process { pid: u32::MAX, ..process }, addr).is_none());
}

#[test]
fn names_as_their_source_has_them() {
    for (name, expected) in [
        ("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt"),
        ("_Z3addii", "add(int, int)"),
        ("main", "main"),
    ] {
        assert_eq!(&*demangled(name.into()), expected);
    }
}

#[test]
fn a_name_that_stands_for_too_much_stays_as_it_is() {
    // Each parameter is a function of twice the parameter before it.
    let mut name = "_Z1fPFvllE".to_owned();
    for i in 0..24 {
        let digits = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        let before = |n: usize| match n {
            0 => "S_".to_owned(),
            n if n <= 36 => format!("S{}_", digits[n - 1] as char),
            n => format!("S{}{}_", digits[(n - 1) / 36] as char, digits[(n - 1) % 36] as char),
        };
        // A pointer to a function is two substitutions: the function and the pointer.
        let last = before(2 * i + 1);
        name += &format!("PFv{last}{last}E");
    }
    assert!(name.len() < 1000);
    assert_eq!(&*demangled(name.as_str().into()), name);
    // It is one: 100 MB of it would come.
    let symbol = cpp_demangle::Symbol::new(&*name).expect("a name");
    let mut text = Short(String::new());
    assert!(symbol.structured_demangle(&mut text, &cpp_demangle::DemangleOptions::default()).is_err());
    assert!(text.0.len() > LONGEST_NAME / 2, "{}", text.0.len());
    assert_eq!(
        &*demangled("_Z1fPFvllEPFvS0_S0_E".into()),
        "f(void (*)(long, long), void (*)(void (*)(long, long), void (*)(long, long)))"
    );
    // A name of Rust: each type is twice the one before it, which it names by its place.
    let digits = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let place = |at: usize| match at - 1 {
        n if n < 62 => format!("B{}_", digits[n] as char),
        n => format!("B{}{}_", digits[n / 62] as char, digits[n % 62] as char),
    };
    let twice = |times: usize| {
        let mut name = "INvC1a1f".to_owned();
        let mut before = "m".to_owned();
        for _ in 0..times {
            let at = name.len();
            name += &format!("T{before}{before}E");
            before = place(at);
        }
        format!("_R{name}E")
    };
    assert_eq!(&*demangled(twice(2).into()), "a::f::<(u32, u32), ((u32, u32), (u32, u32))>");
    assert!(twice(24).len() < 400);
    assert_eq!(&*demangled(twice(24).into()), twice(24));
}

#[test]
fn a_copied_process_has_nothing_of_what_had_its_number() {
    let symbols = Symbols::default();
    let (dead, own) = (u32::MAX - 1, std::process::id());
    let known = |symbols: &Symbols| {
        let inner = symbols.inner.borrow();
        (
            inner.namespaces.get(&dead).copied(),
            inner.makers.contains_key(&dead),
            inner.made.get(&dead).is_some(),
        )
    };
    let die = || {
        let mut inner = symbols.inner.borrow_mut();
        inner.namespaces.insert(dead, Some(77));
        let maker = Maker::look(own).expect("this process");
        inner.makers.insert(dead, maker);
        inner.made.insert(dead, MadeCode::default(), 0);
    };
    die();
    assert_eq!(known(&symbols), (Some(Some(77)), true, true));
    symbols.forked(dead, own, 50);
    assert_eq!(known(&symbols), (None, false, false));
    // It has the files of its parent, wherever those are.
    symbols.inner.borrow_mut().namespaces.insert(own, Some(5));
    die();
    symbols.forked(dead, own, 60);
    assert_eq!(known(&symbols), (Some(Some(5)), false, false));
}

/// A program with debug information, built for the test; `None`, with a word why, if that cannot be.
pub(super) fn program(flags: &[&str]) -> Option<(std::path::PathBuf, Vec<u8>)> {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("dtrail-symbols-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (source, path) = (folder.join("program.c"), folder.join("program"));
    let text = "#include <stdio.h>\nstatic inline __attribute__((always_inline)) int leaf(int n) { return puts(\"\") + n; }\n\
                __attribute__((noinline)) int caller(int n) { return leaf(n) * 2; }\nint main(int n, char **a) { \
                return caller(n); }\nextern __typeof(caller) other __attribute__((alias(\"caller\")));\n";
    std::fs::write(&source, text).expect("there is room");
    let built = std::process::Command::new("gcc").args(flags).arg("-o").args([&path, &source]).status();
    if !built.is_ok_and(|status| status.success()) {
        println!("skipped: gcc cannot build the program");
        let _ = std::fs::remove_dir_all(&folder);
        return None;
    }
    let bytes = std::fs::read(&path).expect("it was built");
    Some((folder, bytes))
}

fn object(bytes: &[u8], path: &str, root: &str) -> Option<Object> {
    Object::read(Image::Bytes(bytes.into()), path, root, true)
}

/// The offset of a function in the bytes of an object, by a search.
fn offset_of(object: &Object, length: usize, name: &str) -> Option<u64> {
    (0..length as u64)
        .find(|&offset| object.functions.at_offset(offset).is_some_and(|(found, _)| &*found == name))
}

#[test]
fn stubs_and_inlined_functions_of_a_program() {
    let Some((folder, bytes)) = program(&["-O1", "-g", "-Wl,-z,lazy"]) else { return };
    let object = object(&bytes, "/program", "").expect("it is an object");
    if cfg!(target_arch = "x86_64") {
        assert!(offset_of(&object, bytes.len(), "puts@plt").is_some());
    }
    // Of two names for one place the shorter one counts: `other`, not `caller`.
    let start = offset_of(&object, bytes.len(), "other").expect("it is a function");
    assert_eq!(offset_of(&object, bytes.len(), "caller"), None);
    let inlined = |offset| object.inlined_at(offset).expect("it has tables");
    let inner: Vec<u64> = (start..start + 40).filter(|&offset| !inlined(offset).is_empty()).collect();
    assert!(inner.iter().all(|&offset| *inlined(offset) == ["leaf".into()]), "{inner:x?}");
    assert!(!inner.is_empty() && inlined(start).is_empty());
    std::fs::remove_dir_all(folder).expect("it was made");
}

#[test]
fn debug_files_are_found_by_link_and_by_build_id() {
    let Some((folder, _)) = program(&["-O1", "-g", "-Wl,--build-id"]) else { return };
    let path = |name: &str| folder.join(name).to_str().expect("plain").to_owned();
    let objcopy = |args: &[&str]| {
        let done = std::process::Command::new("objcopy").current_dir(&folder).args(args).status();
        done.is_ok_and(|status| status.success())
    };
    if !objcopy(&["--only-keep-debug", "program", "program.debug"])
        || !objcopy(&["--strip-all", "--add-gnu-debuglink=program.debug", "program", "stripped"])
        || !objcopy(&["--remove-section=.note.gnu.build-id", "stripped", "nameless"])
    {
        return println!("skipped: no objcopy");
    }
    let bytes = |name: &str| std::fs::read(path(name)).expect("it was made");
    let has = |name: &str, root: &str| {
        let (bytes, inside) = (bytes(name), path(name));
        let object =
            object(&bytes, inside.strip_prefix(root).unwrap_or(&inside), root).expect("it is an object");
        let found = offset_of(&object, bytes.len(), "main").is_some();
        assert_eq!(found, object.inlined_at(0x1000).is_some(), "names and tables come together");
        found
    };
    // By its link: the build ID is that of the program, or the check sum is that of the file.
    assert!(has("stripped", "") && has("nameless", ""));
    // A debug file of another build is not taken.
    let other = bytes("program.debug");
    let mut changed = other.clone();
    *changed.last_mut().expect("it has bytes") ^= 1;
    std::fs::write(path("program.debug"), &changed).expect("there is room");
    assert!(has("stripped", ""), "the build ID is the same");
    assert!(!has("nameless", ""), "the check sum is not");
    std::fs::remove_file(path("program.debug")).expect("it was made");
    assert!(!has("stripped", ""));
    // By its build ID, in another root.
    let image = Image::Bytes(bytes("stripped").into());
    let id = Elf::open(image).and_then(|elf| elf.build_id()).expect("it has one");
    let root = path("root");
    let place = format!("{root}/usr/lib/debug/.build-id/{}", &id[..2]);
    std::fs::create_dir_all(&place).expect("a folder");
    std::fs::write(format!("{place}/{}.debug", &id[2..]), &other).expect("there is room");
    assert!(has("stripped", &root));
    assert!(!has("nameless", &root));
    std::fs::remove_dir_all(folder).expect("it was made");
}

/// Asks an object for everything.
fn exercise(bytes: &[u8]) {
    let image: Image = Image::Bytes(bytes.into());
    let Some(object) = object(bytes, "/nowhere/program", "/nowhere") else { return };
    for offset in (0..bytes.len() as u64 + 64).step_by(37).chain([u64::MAX]) {
        object.functions.at_offset(offset);
        object.inlined_at(offset);
    }
    let mut space = spaces::Spaces::default();
    let space = space.begin(1, 0);
    let end = 0x10_0000 + bytes.len().next_multiple_of(4096) as u64;
    space.add(Mapping { start: 0x10_0000, end, offset: 0, inode: 1, path: "/program".into() });
    let open = |mapping: &Mapping| {
        let image = image.clone();
        (Key::of(mapping, None), Box::new(move || Some(image)) as Box<dyn FnOnce() -> Option<Image>>)
    };
    for pc in (0x10_0000..end).step_by(97) {
        // A stack that leads on within it, and into itself.
        let mut unwinders = Unwinders::default();
        let mut read = |addr: u64| {
            Some(if addr.is_multiple_of(16) { addr } else { 0x10_0000 + addr % (end - 0x10_0000) })
        };
        let mut out = Vec::new();
        unwinders.unwind(1, space, Start { pc, sp: 0x7000, fp: 0x7000 }, &mut read, &open, (50, &mut out));
        assert!(out.len() <= 50);
        if pc > 0x10_4000 {
            break;
        }
    }
}

#[test]
fn damaged_objects_give_fewer_names_and_nothing_worse() {
    let mut samples: Vec<Vec<u8>> = Vec::new();
    if let Some(Image::Bytes(bytes)) = image::vdso() {
        samples.push(bytes.to_vec());
    }
    for flags in [&["-O1", "-g"][..], &["-O1", "-g", "-gz=zlib", "-Wl,-z,lazy"]] {
        if let Some((folder, bytes)) = program(flags) {
            samples.push(bytes);
            std::fs::remove_dir_all(folder).expect("it was made");
        }
    }
    // Numbers that are the same each time.
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    };
    for sample in &samples {
        exercise(sample);
        for round in 0..60 {
            let mut bytes = sample.clone();
            // In the first rounds the headers, then anywhere.
            let reach = if round < 20 { 0x400.min(bytes.len()) } else { bytes.len() };
            for _ in 0..=random(20) {
                let at = random(reach);
                bytes[at] = if round % 3 == 0 { 0xff } else { random(256) as u8 };
            }
            if round % 4 == 0 {
                // The section headers are at the end.
                let at = bytes.len() - 1 - random(bytes.len().min(0x900));
                bytes[at] ^= 1 << random(8);
            }
            if round % 5 == 0 {
                bytes.truncate(random(bytes.len()));
            }
            exercise(&bytes);
        }
    }
}

#[test]
fn texts_of_any_bytes_are_read() {
    let words = [
        "7f0000001000-7f0000002000",
        "ffffffffffffffff",
        "0",
        "-",
        "r-xp",
        "\n",
        " ",
        "[",
        "]",
        "\u{0}",
        "/x",
        "t",
        "99999999999999999999",
    ];
    let mut state = 7u64;
    for _ in 0..300 {
        let mut text = Vec::new();
        for _ in 0..60 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = (state >> 33) as usize;
            match words.get(at % 20) {
                Some(word) => text.extend_from_slice(word.as_bytes()),
                None => text.push(at as u8),
            }
        }
        let mut spaces = spaces::Spaces::default();
        let space = spaces.begin(1, 0);
        space.update(&text, 1);
        let mappings: Vec<&Mapping> = space.mappings().collect();
        assert!(mappings.windows(2).all(|pair| pair[0].end <= pair[1].start), "they do not overlap");
        assert!(mappings.iter().all(|mapping| mapping.start < mapping.end));
        for addr in [0, 0x7f00_0000_1000, u64::MAX] {
            Kallsyms::parse(&text, &text).place(addr);
        }
    }
}
