//! Which library files are compiled before the programs, and in what order (`-L`, `libdir`, `syslibdir`, `nolibs`; language
//! spec §1.2, runtime spec §17).
//!
//! In: the embedded library, the files of library directories, the words of the programs. Out: texts, each after those it
//! depends on. The embedded files are left out unless a program uses a word that one of them defines, so that a program
//! pays for what it names and no more; files of directories are all taken. A file whose dependency is missing is left out
//! silently, as is whatever depends on it.

use std::collections::{HashMap, HashSet};
use std::fs;

use dtrail_kernel_bridge::readers::whole::Content;
use dtrail_lang::bytes;
use dtrail_lang::env::{Environment, ProbePattern, is_glob};
use dtrail_lang::options::Libraries;
use dtrail_lang::parse::prescan;
use dtrail_lang::source::{Source, SourceKind};
use dtrail_vm::event::reason;

use crate::failure::Failure;
use crate::native;

/// A library file that may be compiled.
struct File {
    /// What messages call it.
    shown: String,
    /// What `depends_on library` calls it.
    name: String,
    text: String,
}

/// The libraries for programs with these texts and operands, in the order in which they are compiled.
pub(crate) fn choose(
    options: &Libraries,
    programs: &[Source],
    operands: &[String],
    env: &dyn Environment,
) -> Result<Vec<Source>, Failure> {
    if options.none {
        return Ok(Vec::new());
    }
    let mut files = match &options.system {
        Some(dir) => directory(dir)?,
        None => Vec::new(),
    };
    for dir in &options.directories {
        files.extend(directory(dir)?);
    }
    if options.system.is_none() {
        // A macro may stand for an operand that is a word.
        let mut words: HashSet<&str> = operands.iter().map(String::as_str).collect();
        let texts = programs.iter().map(|program| &program.text).chain(files.iter().map(|file| &file.text));
        for text in texts {
            prescan::words(text, &mut |word| {
                words.insert(word);
            });
            // What a line says of a name of the library is refused for where the name is defined.
            words.extend(prescan::described(text));
        }
        let embedded = dtrail_stdlib::used_by(&|word| words.contains(word));
        let embedded: Vec<File> = embedded
            .into_iter()
            .map(|file| File { shown: file.name.into(), name: file.name.into(), text: file.text.into() })
            .collect();
        files.splice(0..0, embedded);
    }
    let own = options.system.is_none();
    Ok(ordered(files, &|class, name| match class {
        "library" => own && dtrail_stdlib::has(name),
        _ => exists(env, class, name),
    }))
}

/// Takes note of what the library that is built in offers programs, or would if it were compiled.
pub(crate) fn note_names(options: &mut Libraries) {
    let names = dtrail_stdlib::names().collect();
    match options.none || options.system.is_some() {
        true => options.left_out = names,
        false => options.offered = names,
    }
}

/// The files `*.d` of a directory, by name.
fn directory(dir: &str) -> Result<Vec<File>, Failure> {
    let failed =
        |what: &str, e: &std::io::Error| Failure::fatal(format!("failed to open {what}: {}", reason(e)));
    let mut names: Vec<String> = fs::read_dir(native::path(dir))
        .map_err(|e| failed(dir, &e))?
        .filter_map(|entry| Some(native::text(&entry.ok()?.file_name())))
        .filter(|name| name.ends_with(".d"))
        .collect();
    names.sort_unstable();
    let read = |name: String| {
        let shown = format!("{}/{name}", dir.trim_end_matches('/'));
        let bytes = Content::LIBRARY.read(&native::path(&shown)).map_err(|e| failed(&shown, &e))?;
        Ok(File { shown, name, text: bytes::to_text(bytes::without_mark(&bytes)) })
    };
    names.into_iter().map(read).collect()
}

/// Whether a module or a provider is there.
fn exists(env: &dyn Environment, class: &str, name: &str) -> bool {
    if is_glob(name) {
        return false;
    }
    let pattern = match class {
        "provider" => ProbePattern { provider: name.into(), ..ProbePattern::default() },
        _ => ProbePattern { module: name.into(), ..ProbePattern::default() },
    };
    env.match_probes(&pattern).is_ok_and(|probes| !probes.is_empty())
}

/// Sorts files so that each stands behind those it depends on, and leaves out what cannot be compiled. `exists` says what of a
/// class there is besides the files.
fn ordered(files: Vec<File>, exists: &dyn Fn(&str, &str) -> bool) -> Vec<Source> {
    let by_name: HashMap<&str, usize> = files.iter().enumerate().map(|(i, f)| (f.name.as_str(), i)).collect();
    let mut state = vec![State::Unseen; files.len()];
    let mut order = Vec::with_capacity(files.len());
    for i in 0..files.len() {
        visit(i, &files, &by_name, exists, &mut state, &mut order);
    }
    let mut files: Vec<Option<File>> = files.into_iter().map(Some).collect();
    let taken = order.into_iter().filter_map(|i| files[i].take());
    taken.map(|file| Source { name: file.shown, kind: SourceKind::Library, text: file.text }).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Unseen,
    Open,
    Taken,
    Left,
}

/// Takes a file after its dependencies, if it can be compiled. Files that depend on each other cannot. What is under way is
/// on a list and not on this program's stack: a folder may have a chain of any length.
fn visit(
    first: usize,
    files: &[File],
    by_name: &HashMap<&str, usize>,
    exists: &dyn Fn(&str, &str) -> bool,
    state: &mut [State],
    order: &mut Vec<usize>,
) {
    let begin = |i: usize| (i, prescan::dependencies(&files[i].text).into_iter().peekable());
    if state[first] != State::Unseen {
        return;
    }
    state[first] = State::Open;
    let mut under_way = vec![begin(first)];
    while let Some((i, rest)) = under_way.last_mut() {
        let i = *i;
        let Some(dependency) = rest.peek() else {
            state[i] = State::Taken;
            order.push(i);
            under_way.pop();
            continue;
        };
        let met = match dependency.class {
            "library" => match by_name.get(dependency.name) {
                Some(&other) if state[other] == State::Unseen => {
                    // Asked about again when it is known what becomes of that one.
                    state[other] = State::Open;
                    under_way.push(begin(other));
                    continue;
                }
                Some(&other) => state[other] == State::Taken,
                // One that the tool has and no program needs.
                None => exists(dependency.class, dependency.name),
            },
            "module" | "provider" => exists(dependency.class, dependency.name),
            // The parser refuses any other.
            _ => true,
        };
        if met {
            rest.next();
        } else {
            state[i] = State::Left;
            under_way.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(files: &[(&str, &str)]) -> Vec<String> {
        let files = files.iter().map(|(name, depends)| File {
            shown: format!("/lib/{name}"),
            name: (*name).to_string(),
            text: depends.split(';').map(|d| format!("#pragma D depends_on {d}\n")).collect(),
        });
        let exists =
            |class: &str, name: &str| [("provider", "io"), ("library", "procfs.d")].contains(&(class, name));
        ordered(files.collect(), &exists).into_iter().map(|source| source.name).collect()
    }

    #[test]
    fn each_after_those_it_depends_on() {
        let files = [("a.d", "library c.d"), ("b.d", "provider io"), ("c.d", "library b.d")];
        assert_eq!(order(&files), ["/lib/b.d", "/lib/c.d", "/lib/a.d"]);
        assert_eq!(order(&[("a.d", "library procfs.d"), ("b.d", "library ghost.d")]), ["/lib/a.d"]);
    }

    #[test]
    fn a_chain_may_be_as_long_as_a_folder() {
        const FILES: usize = 50_000;
        let depends = |i: usize| match i + 1 {
            FILES => String::new(),
            next => format!("#pragma D depends_on library {next}\n"),
        };
        let file = move |i: usize| File { shown: i.to_string(), name: i.to_string(), text: depends(i) };
        let names: Vec<String> = std::thread::Builder::new()
            .stack_size(64 << 10)
            .spawn(move || {
                let taken = ordered((0..FILES).map(file).collect(), &|_, _| false);
                taken.into_iter().map(|source| source.name).collect()
            })
            .and_then(|thread| thread.join().map_err(|_| std::io::ErrorKind::Other.into()))
            .expect("a small stack is enough");
        assert!(names.iter().eq((0..FILES).rev().map(|i| i.to_string()).collect::<Vec<_>>().iter()));
    }

    #[test]
    fn what_lacks_something_is_left_out() {
        let files =
            [("a.d", "provider tcp"), ("b.d", "library a.d"), ("c.d", "library gone.d"), ("d.d", "x y")];
        assert_eq!(order(&files), ["/lib/d.d"]);
        let circle = [("a.d", "library b.d"), ("b.d", "library a.d")];
        assert_eq!(order(&circle), Vec::<String>::new());
    }
}
