//! What an index keeps of the hashes of some neighbouring slots, in one word, so that all are compared at once: whether a
//! key is in the first or the second is nothing that a processor could foresee. In: hashes. Out: slots. What is in the
//! slots is the index's affair.
#![allow(
    unsafe_code,
    reason = "the instructions of a processor are unsafe to use, those that every processor of its kind has, too"
)]

/// Slots of a word.
pub(super) const SLOTS: usize = 4;
/// Bits of a tag.
const BITS: usize = 64 / SLOTS;
/// Bits from the hit of a slot to that of the next.
const APART: u32 = 2;

/// A tag for each slot, filled from the first: some low bits of a hash, never 0; 0 where a slot is free.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tags(u64);

/// The slots that have a tag, the first one first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hits(u32);

/// What a slot keeps of a hash; other bits of it say where the slot is.
#[inline(always)]
fn tag(hash: u64) -> u64 {
    hash & ((1 << BITS) - 1) | 1
}

impl Tags {
    /// The slots that may be those of a hash.
    #[inline(always)]
    pub(super) fn hits(self, hash: u64) -> Hits {
        Hits(equal(self.0, tag(hash)))
    }

    /// Whether no slot is free.
    #[inline(always)]
    pub(super) fn is_full(self) -> bool {
        self.0 >> (64 - BITS) != 0
    }

    /// Takes the first free slot for a hash: which. There must be one.
    pub(super) fn take(&mut self, hash: u64) -> usize {
        let slot = (64 - self.0.leading_zeros() as usize).div_ceil(BITS);
        debug_assert!(slot < SLOTS, "no slot is free");
        self.0 |= tag(hash) << (slot % SLOTS * BITS);
        slot % SLOTS
    }
}

impl Hits {
    /// The first, or some other slot if there are none.
    #[inline(always)]
    pub(super) fn first(self) -> usize {
        let marked = self.0 | 1 << (APART * SLOTS as u32);
        (marked.trailing_zeros() / APART) as usize % SLOTS
    }
}

impl Iterator for Hits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let first = (self.0 != 0).then(|| self.first());
        self.0 &= self.0.wrapping_sub(1);
        first
    }
}

/// A bit of each slot whose tag in a word is that one.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn equal_by_slot(tags: u64, tag: u64) -> u32 {
    (0..SLOTS)
        .filter(|slot| (tags >> (slot * BITS)) as u16 == tag as u16)
        .map(|slot| 1 << (slot as u32 * APART))
        .sum()
}

#[cfg(not(target_arch = "x86_64"))]
use equal_by_slot as equal;

/// The same by the processor's means.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn equal(tags: u64, tag: u64) -> u32 {
    use std::arch::x86_64::{_mm_cmpeq_epi16, _mm_cvtsi64_si128, _mm_movemask_epi8, _mm_shufflelo_epi16};
    // SAFETY: these are of SSE2, which every x86-64 has, and touch registers only.
    let equal = unsafe {
        let wanted = _mm_shufflelo_epi16::<0>(_mm_cvtsi64_si128(tag as i64));
        _mm_movemask_epi8(_mm_cmpeq_epi16(wanted, _mm_cvtsi64_si128(tags as i64)))
    };
    // It has two bits of each slot, and the unused half of the register is equal, too.
    equal as u32 & 0b0101_0101
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn slots_are_taken_from_the_first_and_found_by_their_hashes() {
        let mut tags = Tags::default();
        let hashes = [0x1_0000, 0x7_fffe, 0x8001, 0x1_0001];
        for (slot, hash) in hashes.into_iter().enumerate() {
            assert!(!tags.is_full());
            assert_eq!(tags.take(hash), slot);
        }
        assert!(tags.is_full());
        // The lowest bit of a tag is always 1, so that the first and the last have the same.
        let found = |hash| tags.hits(hash).collect::<Vec<_>>();
        assert_eq!(hashes.map(found), [vec![0, 3], vec![1], vec![2], vec![0, 3]]);
        assert_eq!(found(0x5554), []);
        assert_eq!((tags.hits(0x7_fffe).first(), tags.hits(0x5554).first()), (1, 0));
        assert_eq!(Tags::default().hits(0).count(), 0, "a free slot is nobody's");
    }

    proptest! {
        #[test]
        fn the_processor_compares_as_slot_by_slot(tags: [u16; 4], pick in 0..5_usize, other: u16) {
            let tag = tags.get(pick).copied().unwrap_or(other);
            let word = tags.iter().rev().fold(0, |word, &tag| word << 16 | u64::from(tag));
            prop_assert_eq!(equal(word, u64::from(tag)), equal_by_slot(word, u64::from(tag)));
        }
    }
}
