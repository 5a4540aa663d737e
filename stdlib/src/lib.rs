//! The D library, embedded: text only, handed to `lang` as source. What needs no declaration (`NULL`, errno and signal
//! names, …) is not here but in `lang`'s tables.
//!
//! A file is compiled only for programs that use a word it defines: [`used_by`] says which those are.

/// One library file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LibraryFile {
    /// What messages and `#pragma D depends_on library` call it.
    pub name: &'static str,
    /// Its D text.
    pub text: &'static str,
    /// The words that make a program need it: the types, inlines, members' translators and providers it defines.
    pub defines: &'static [&'static str],
    /// The files it depends on, directly.
    pub needs: &'static [&'static str],
}

/// Every file, in dependency order: each uses only those before it.
pub const FILES: &[LibraryFile] = &[
    LibraryFile {
        name: "platform.d",
        text: include_str!("../lib/platform.d"),
        defines: &["zonename", "pset"],
        needs: &[],
    },
    LibraryFile {
        name: "cpu.d",
        text: include_str!("../lib/cpu.d"),
        defines: &["cpuinfo_t", "curcpu"],
        needs: &[],
    },
    LibraryFile {
        name: "procfs.d",
        text: include_str!("../lib/procfs.d"),
        defines: &["psinfo_t", "lwpsinfo_t", "curpsinfo", "curlwpsinfo"],
        needs: &[],
    },
    LibraryFile {
        name: "files.d",
        text: include_str!("../lib/files.d"),
        defines: &["fileinfo_t", "fds"],
        needs: &[],
    },
];

/// The files that a program needs which uses the words for which `uses` answers true, in dependency order.
pub fn used_by(uses: &dyn Fn(&str) -> bool) -> Vec<&'static LibraryFile> {
    let mut needed = vec![false; FILES.len()];
    for (i, file) in FILES.iter().enumerate().rev() {
        needed[i] |= file.defines.iter().any(|word| uses(word));
        if needed[i] {
            let earlier = FILES[..i].iter().enumerate().filter(|(_, other)| file.needs.contains(&other.name));
            earlier.for_each(|(j, _)| needed[j] = true);
        }
    }
    FILES.iter().zip(needed).filter(|(_, needed)| *needed).map(|(file, _)| file).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_what_they_define() {
        let names =
            |word: &str| used_by(&|other| other == word).iter().map(|file| file.name).collect::<Vec<_>>();
        assert_eq!(names("zonename"), ["platform.d"]);
        assert_eq!(names("curlwpsinfo"), ["procfs.d"]);
        assert_eq!(names("nothing"), Vec::<&str>::new());
    }

    #[test]
    fn what_is_listed_is_defined() {
        for (i, file) in FILES.iter().enumerate() {
            for word in file.defines {
                assert!(file.text.contains(word), "{}: {word}", file.name);
            }
            for needed in file.needs {
                assert!(FILES[..i].iter().any(|other| other.name == *needed), "{}: {needed}", file.name);
            }
        }
    }
}
