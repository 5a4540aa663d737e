//! Stacks as both halves of the machine know them: words in, the number of the stack out.
//!
//! A stack is a number to every operation; a table has its addresses. The number is made from what the stack is (where
//! it was taken, whose it is, its addresses), so that the kernel and user space give one stack one number without asking
//! each other, and an entry that was taken out of the kernel's table can come again. The process belongs to the number,
//! by its start and by how often it has run `exec`: the same addresses in another image are another stack.
//!
//! ```text
//! word 0           word 1   word 2         word 3          word 4 …
//! kind | size<<32  process  start of its   executions      addresses, innermost first
//!                  ID       first thread   so far
//! ```
//!
//! Kernel stacks have zeros for the process. `size` is that of `ustack(n, size)` and `jstack`.

/// Word 0, low half: a kernel stack.
pub const KERNEL: u32 = 0;
/// A user stack.
pub const USER: u32 = 1;
/// A single address of a process, as `usym()` takes it.
pub const ADDRESS: u32 = 2;

/// A user stack that is yet to be unwound: program counter, stack pointer, frame pointer, time, the most frames; then the
/// words of the stack from the stack pointer on. Its number is made from the words before those, and is like no other.
pub const DUMP: u32 = 3;
/// Words of a [`DUMP`] between the head and the stack's.
pub const DUMP_HEAD: usize = 5;

/// Words before the addresses.
pub const HEAD: usize = 4;

/// The multiplier of [`mix`].
pub const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Bits by which [`mix`] folds.
pub const FOLD: u32 = 29;

/// One step of the number: `hash` so far, and the next word.
#[inline]
pub fn mix(hash: u64, word: u64) -> u64 {
    let product = (hash ^ word).wrapping_mul(FACTOR);
    product ^ product >> FOLD
}

/// The number of a stack: never 0.
pub fn number(words: &[u64]) -> u64 {
    words.iter().fold(0, |hash, &word| mix(hash, word)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_tell_stacks_apart() {
        let mut seen = std::collections::HashSet::new();
        for pid in 0..100 {
            for address in 0..100 {
                assert!(seen.insert(number(&[u64::from(USER), pid, 0, 0, 0x40_1000 + address])));
            }
        }
        assert_ne!(number(&[0, 1]), number(&[1, 0]));
        assert_eq!(number(&[0]), 1, "0 means none");
    }
}
