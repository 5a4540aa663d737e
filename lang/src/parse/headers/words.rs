//! The words of C and of its compilers that D has not, or has otherwise: a word in, what becomes of it out. What D reads as
//! it stands has no row.

/// What becomes of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Treatment {
    /// It is blanked out.
    Drop,
    /// It is blanked out with the parentheses behind it.
    DropCall,
    /// It is blanked out with everything up to its semicolon.
    DropStatement,
    /// It is spelt otherwise.
    Spell(&'static str),
    /// The declaration that it stands in is left out.
    LeaveOut,
}

/// The words of C and of its compilers that D has not, or has otherwise.
const WORDS: &[(&str, Treatment)] = &[
    ("_Alignas", Treatment::DropCall),
    ("_Alignof", Treatment::LeaveOut),
    ("_Atomic", Treatment::LeaveOut),
    ("_BitInt", Treatment::LeaveOut),
    ("_Complex", Treatment::LeaveOut),
    ("_Decimal128", Treatment::LeaveOut),
    ("_Decimal32", Treatment::LeaveOut),
    ("_Decimal64", Treatment::LeaveOut),
    ("_Float128", Treatment::LeaveOut),
    ("_Float16", Treatment::LeaveOut),
    ("_Float32", Treatment::LeaveOut),
    ("_Float32x", Treatment::LeaveOut),
    ("_Float64", Treatment::LeaveOut),
    ("_Float64x", Treatment::LeaveOut),
    ("_Generic", Treatment::LeaveOut),
    ("_Imaginary", Treatment::LeaveOut),
    ("_Noreturn", Treatment::Drop),
    ("_Static_assert", Treatment::DropStatement),
    ("_Thread_local", Treatment::Drop),
    ("__alignof__", Treatment::LeaveOut),
    ("__asm", Treatment::DropCall),
    ("__asm__", Treatment::DropCall),
    ("__attribute", Treatment::DropCall),
    ("__attribute__", Treatment::DropCall),
    ("__auto_type", Treatment::LeaveOut),
    ("__bf16", Treatment::LeaveOut),
    ("__builtin_va_list", Treatment::LeaveOut),
    ("__complex__", Treatment::LeaveOut),
    ("__const", Treatment::Spell("const")),
    ("__const__", Treatment::Spell("const")),
    ("__extension__", Treatment::Drop),
    ("__float128", Treatment::LeaveOut),
    ("__inline", Treatment::Drop),
    ("__inline__", Treatment::Drop),
    ("__int128", Treatment::LeaveOut),
    ("__int128_t", Treatment::LeaveOut),
    ("__restrict", Treatment::Drop),
    ("__restrict__", Treatment::Drop),
    ("__signed", Treatment::Spell("signed")),
    ("__signed__", Treatment::Spell("signed")),
    ("__thread", Treatment::Drop),
    ("__typeof", Treatment::LeaveOut),
    ("__typeof__", Treatment::LeaveOut),
    ("__uint128_t", Treatment::LeaveOut),
    ("__volatile", Treatment::Spell("volatile")),
    ("__volatile__", Treatment::Spell("volatile")),
    ("asm", Treatment::DropCall),
    ("inline", Treatment::Drop),
    ("restrict", Treatment::Drop),
    ("static", Treatment::Drop),
    ("static_assert", Treatment::DropStatement),
    ("typeof", Treatment::LeaveOut),
];

pub(super) fn treatment(word: &str) -> Option<Treatment> {
    WORDS.binary_search_by_key(&word, |row| row.0).ok().map(|i| WORDS[i].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_and_no_spelling_is_longer() {
        assert!(WORDS.is_sorted_by_key(|row| row.0));
        for (word, treatment) in WORDS {
            if let Treatment::Spell(other) = treatment {
                assert!(other.len() <= word.len(), "{word}");
            }
        }
    }
}
