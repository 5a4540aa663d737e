//! Which speculations are in use (runtime spec §10): the steps that a number's word goes through, on whatever holds the
//! words. [`dtrail_lang::plan::speculations`] has their form; the emitter takes the same steps in the kernel.

use dtrail_lang::plan::speculations::{
    self, ACTIVE, COMMITTED, DISCARDED, FREE, STATE, UNTOLD, state, turn, word,
};

/// Why there is no free number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unavailable {
    /// One will be free soon.
    Busy,
    /// All are in use.
    InUse,
}

/// How a turn ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Its records are printed.
    Committed,
    /// Its records are forgotten.
    Discarded,
}

impl Verdict {
    /// The state of a word while its number is busy.
    pub fn state(self) -> u64 {
        match self {
            Verdict::Committed => COMMITTED,
            Verdict::Discarded => DISCARDED,
        }
    }

    /// How the turn of a busy number ended; `None`: it is not busy.
    pub fn of(word: u64) -> Option<Verdict> {
        let state = state(word) & !UNTOLD;
        [Verdict::Committed, Verdict::Discarded].into_iter().find(|verdict| verdict.state() == state)
    }
}

/// What holds the words, numbered from 1: memory of ours, or of a kernel part whose programs change them meanwhile.
pub trait Words {
    /// How many numbers there are (`nspec`).
    fn count(&self) -> u32;
    /// A word.
    fn word(&mut self, number: u32) -> u64;
    /// Replaces a word in one atomic step if it is `old`. Whether it was.
    fn replace_word(&mut self, number: u32, old: u64, new: u64) -> bool;
    /// When a number may be taken again (`cleanrate`), by the clock of the events.
    fn until(&mut self, number: u32) -> u64;
    /// Sets that; only for who has just ended its turn.
    fn set_until(&mut self, number: u32, time: u64);
}

/// Takes a free number; `now` is the moment of the event.
pub fn reserve(words: &mut dyn Words, now: u64) -> Result<u32, Unavailable> {
    let mut busy = false;
    for number in 1..=words.count() {
        let old = words.word(number);
        match state(old) {
            FREE if now < words.until(number) => busy = true,
            FREE if words.replace_word(number, old, word(turn(old) + 1, ACTIVE)) => return Ok(number),
            // Somebody else took it in this instant.
            FREE | ACTIVE => {}
            _ => busy = true,
        }
    }
    Err(if busy { Unavailable::Busy } else { Unavailable::InUse })
}

/// The turn in which records can be kept under a number; 0: none.
pub fn active(words: &mut dyn Words, id: i64) -> u64 {
    let Some(number) = number(words, id) else { return 0 };
    let found = words.word(number);
    if state(found) == ACTIVE { turn(found) } else { 0 }
}

/// Ends the turn of a number: which turn it was, 0 if it was in none. It is busy until `until`, and until it is freed.
pub fn settle(words: &mut dyn Words, id: i64, verdict: Verdict, until: u64) -> u64 {
    let Some(number) = number(words, id) else { return 0 };
    let old = words.word(number);
    if state(old) != ACTIVE || !words.replace_word(number, old, old & !STATE | verdict.state()) {
        return 0;
    }
    if until > 0 {
        words.set_until(number, until);
    }
    turn(old)
}

/// Frees a number whose records of a turn have been seen to.
pub fn free(words: &mut dyn Words, number: u32, turn: u64) {
    let old = words.word(number);
    if speculations::turn(old) == turn && Verdict::of(old).is_some() {
        // Nobody else changes the word of a busy number whose turn is not the kernel part's to free.
        words.replace_word(number, old, word(turn, FREE));
    }
}

fn number(words: &dyn Words, id: i64) -> Option<u32> {
    u32::try_from(id).ok().filter(|number| (1..=words.count()).contains(number))
}

/// Words in memory of ours.
#[derive(Clone, Debug, Default)]
pub struct OwnWords {
    words: Vec<u64>,
    until: Vec<u64>,
}

impl OwnWords {
    /// So many numbers, all free.
    pub fn new(count: u32) -> OwnWords {
        OwnWords { words: vec![0; count as usize], until: vec![0; count as usize] }
    }
}

impl Words for OwnWords {
    fn count(&self) -> u32 {
        self.words.len() as u32
    }

    fn word(&mut self, number: u32) -> u64 {
        self.words[number as usize - 1]
    }

    fn replace_word(&mut self, number: u32, old: u64, new: u64) -> bool {
        let word = &mut self.words[number as usize - 1];
        let same = *word == old;
        if same {
            *word = new;
        }
        same
    }

    fn until(&mut self, number: u32) -> u64 {
        self.until[number as usize - 1]
    }

    fn set_until(&mut self, number: u32, time: u64) {
        self.until[number as usize - 1] = time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_busy_until_it_is_freed() {
        let mut words = OwnWords::new(2);
        assert_eq!((reserve(&mut words, 0), reserve(&mut words, 0)), (Ok(1), Ok(2)));
        assert_eq!(reserve(&mut words, 0), Err(Unavailable::InUse));
        assert_eq!(settle(&mut words, 1, Verdict::Discarded, 0), 1);
        assert_eq!(settle(&mut words, 1, Verdict::Committed, 0), 0);
        assert_eq!((active(&mut words, 1), active(&mut words, 2)), (0, 1));
        assert_eq!(reserve(&mut words, 0), Err(Unavailable::Busy));
        // Of another turn: it stays busy.
        free(&mut words, 1, 2);
        assert_eq!(reserve(&mut words, 0), Err(Unavailable::Busy));
        free(&mut words, 1, 1);
        assert_eq!(reserve(&mut words, 0), Ok(1));
        assert_eq!(active(&mut words, 1), 2);
        // It is in use: there is nothing to free.
        free(&mut words, 1, 2);
        assert_eq!(active(&mut words, 1), 2);
    }

    #[test]
    fn a_number_is_busy_for_the_cleaning_period() {
        let mut words = OwnWords::new(1);
        assert_eq!(reserve(&mut words, 5), Ok(1));
        assert_eq!(settle(&mut words, 1, Verdict::Discarded, 110), 1);
        free(&mut words, 1, 1);
        assert_eq!(reserve(&mut words, 109), Err(Unavailable::Busy));
        assert_eq!(reserve(&mut words, 110), Ok(1));
    }

    #[test]
    fn numbers_that_there_are_not_are_in_no_turn() {
        let mut words = OwnWords::new(1);
        assert_eq!(reserve(&mut words, 0), Ok(1));
        for id in [0, 2, -1, i64::MIN, i64::MAX, 1 << 32 | 1] {
            assert_eq!(active(&mut words, id), 0, "{id}");
            assert_eq!(settle(&mut words, id, Verdict::Committed, 0), 0, "{id}");
        }
        assert_eq!(reserve(&mut OwnWords::new(0), 0), Err(Unavailable::InUse));
    }
}
