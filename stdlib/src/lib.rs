//! The D library, embedded: text only, handed to `lang` as source. It is still empty: translators, inlines and the tool
//! scripts come when the language has them. What programs need of it today (`NULL`, errno and signal names, …) are rows
//! in `lang`'s tables.

/// One library file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LibraryFile {
    /// What messages call it.
    pub name: &'static str,
    /// Its D text.
    pub text: &'static str,
}

/// Every file, in dependency order: each uses only those before it.
pub const FILES: &[LibraryFile] = &[];
