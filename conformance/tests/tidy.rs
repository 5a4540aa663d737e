//! What a reader of the sources may count on and no compiler checks: the sources in, a list of places out.

use std::fs;
use std::path::{Path, PathBuf};

/// Every source file of the workspace, with its path from there.
fn sources() -> Vec<(String, String)> {
    const CRATES: [&str; 7] = ["lang", "vm", "kernel-bridge", "cli", "stdlib", "conformance", "fuzz"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders: Vec<PathBuf> = CRATES.map(|name| root.join(name)).into();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = fs::read_to_string(&path).unwrap_or_default();
                let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
                files.push((name, text));
            }
        }
    }
    files.sort();
    assert!(files.len() > 300, "the workspace has been found");
    files
}

/// A file without the tests at its end.
fn product(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text)
}

#[test]
fn messages_show_the_words_of_a_systems_error_and_not_its_number() {
    // Where errors that are not the system's are shown under the same names.
    const OTHERS: [(&str, &str); 6] = [
        ("cli/src/failure.rs", "a source's"),
        ("cli/src/link.rs", "of the crate that writes ELF"),
        ("cli/src/machine.rs", "of the reader of made-up events"),
        ("cli/src/session.rs", "of options"),
        ("kernel-bridge/src/ebpf/", "of the emitter, and of rbpf"),
        ("kernel-bridge/src/source/inject/rbpf.rs", "of the harness"),
    ];
    let shown = ["{e}", "{error}", "{e:?}", " e.to_string()", "(e.to_string()", "error.to_string()"];
    let mut found = Vec::new();
    for (name, text) in sources() {
        // The one place that knows how Rust writes it.
        if name != "vm/src/event.rs" && name != file!() && text.contains("(os error") {
            found.push(format!("{name} takes a system's error apart: `dtrail_vm::event::reason` does"));
        }
        let bridge = name.starts_with("kernel-bridge/src/") || name.starts_with("cli/src/");
        let bridge = bridge && !name.contains("/tests");
        if !bridge || OTHERS.iter().any(|(other, _)| name.starts_with(other)) {
            continue;
        }
        for (number, line) in product(&text).lines().enumerate() {
            let told = line.contains("panic!") || line.contains("skipped: ") || line.contains("plain(");
            if !told && shown.iter().any(|how| line.contains(how)) {
                found.push(format!("{name}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    assert_eq!(found, Vec::<String>::new(), "`reason(&e)`, or `Error::from(e).context(…)`");
}

#[test]
fn every_file_says_what_it_is() {
    let silent: Vec<String> =
        sources().into_iter().filter(|(_, text)| !text.starts_with("//! ")).map(|(name, _)| name).collect();
    assert_eq!(silent, Vec::<String>::new(), "a file begins with `//!` and what comes in and goes out");
}
