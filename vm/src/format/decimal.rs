//! Integers in columns: a value and a width in, digits and blanks out. It is what most of a long print consists of, so it
//! goes without the standard formatting machinery.

/// Room for any integer of 64 bits and the blanks of the widest column.
const ROOM: usize = 24;

/// The two digits of each number below 100.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut n = 0;
    while n < 100 {
        pairs[n] = [b'0' + n as u8 / 10, b'0' + n as u8 % 10];
        n += 1;
    }
    pairs
};

/// A value at the end of some blanks, and where it begins there.
fn digits(value: i64) -> ([u8; ROOM], usize) {
    let mut text = [b' '; ROOM];
    let (mut rest, mut at) = (value.unsigned_abs(), ROOM);
    while rest >= 10 {
        at -= 2;
        text[at..at + 2].copy_from_slice(&PAIRS[(rest % 100) as usize]);
        rest /= 100;
    }
    // The first digit, unless the last pair had it. (It is no 0 there, since a rest of 10 at least was left.)
    if rest > 0 || at == ROOM {
        at -= 1;
        text[at] = b'0' + rest as u8;
    }
    if value < 0 {
        at -= 1;
        text[at] = b'-';
    }
    (text, at)
}

/// Appends a value at the right end of a column of at most 24 characters; a longer value takes what it needs.
#[inline]
pub(super) fn right(out: &mut Vec<u8>, value: i64, width: usize) {
    let (text, at) = digits(value);
    out.extend_from_slice(&text[at.min(ROOM.saturating_sub(width))..]);
}

/// Appends a value at the left end of a column; a longer value takes what it needs.
#[inline]
pub(super) fn left(out: &mut Vec<u8>, value: i64, width: usize) {
    let (text, at) = digits(value);
    out.extend_from_slice(&text[at..]);
    out.resize(out.len() + width.saturating_sub(ROOM - at), b' ');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn columns_are_those_of_the_standard_library(
            value in prop_oneof![
                any::<i64>(), -120_i64..120, (0_u32..19).prop_map(|k| 10_i64.pow(k)),
                (0_u32..19).prop_map(|k| 1 - 10_i64.pow(k)), Just(i64::MIN), Just(i64::MAX),
            ],
            width in 0_usize..=ROOM,
        ) {
            let (mut at_right, mut at_left) = (b"|".to_vec(), b"|".to_vec());
            right(&mut at_right, value, width);
            left(&mut at_left, value, width);
            prop_assert_eq!(String::from_utf8_lossy(&at_right), format!("|{value:width$}"));
            prop_assert_eq!(String::from_utf8_lossy(&at_left), format!("|{value:<width$}"));
        }
    }
}
