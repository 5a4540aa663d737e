//! The D library, embedded: text only, handed to `lang` as source.
