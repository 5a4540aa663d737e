//! Integers as text (`lltostr`, `strtoll`) and integers by chance (`rand`), after runtime spec §8. In: a value, or bytes
//! without a NUL, and a base from 2 to 36. Out: digits, or a value. Never reads a clock.

use std::hash::{BuildHasher, Hasher, RandomState};

/// `lltostr(value, base)`: signed in base 10, else the unsigned pattern, marked in bases 8 and 16.
pub(super) fn digits(value: i64, base: u32) -> Vec<u8> {
    let negative = base == 10 && value < 0;
    let mut rest = if negative { value.unsigned_abs() } else { value as u64 };
    let mut text = Vec::with_capacity(66);
    while rest != 0 || text.is_empty() {
        let digit = char::from_digit((rest % u64::from(base)) as u32, base).unwrap_or('0');
        text.push(digit as u8);
        rest /= u64::from(base);
    }
    match base {
        16 => text.extend(b"x0"),
        8 if value != 0 => text.push(b'0'),
        _ if negative => text.push(b'-'),
        _ => {}
    }
    text.reverse();
    text
}

/// `strtoll(text, base)`: blanks and tabs, a sign, a `0x` of base 16, digits up to the first other byte; overflow wraps.
pub(super) fn parse(text: &[u8], base: u32) -> i64 {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let mut rest = &text[blanks..];
    let negative = rest.first() == Some(&b'-');
    if let [b'-' | b'+', unsigned @ ..] = rest {
        rest = unsigned;
    }
    // Only before a digit: else the `0` is the number.
    if let (16, [b'0', b'x' | b'X', hex @ ..]) = (base, rest)
        && hex.first().is_some_and(u8::is_ascii_hexdigit)
    {
        rest = hex;
    }
    let digits = rest.iter().map_while(|&byte| char::from(byte).to_digit(base));
    let value =
        digits.fold(0_i64, |value, digit| value.wrapping_mul(i64::from(base)).wrapping_add(i64::from(digit)));
    if negative { value.wrapping_neg() } else { value }
}

/// The source of `rand`: xorshift, seeded from the system's entropy once a session.
#[derive(Debug)]
pub(super) struct Random(u64);

impl Default for Random {
    fn default() -> Random {
        // Zero is the one state that xorshift never leaves.
        Random(RandomState::new().build_hasher().finish() | 1)
    }
}

impl Random {
    /// The next 32 bits.
    pub(super) fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_to_digits() {
        for (value, base, expected) in [
            (-12, 10, "-12"),
            (0, 10, "0"),
            (i64::MIN, 10, "-9223372036854775808"),
            (255, 16, "0xff"),
            (0, 16, "0x0"),
            (-1, 16, "0xffffffffffffffff"),
            (8, 8, "010"),
            (0, 8, "0"),
            (5, 2, "101"),
            (35, 36, "z"),
            (-1, 2, "1111111111111111111111111111111111111111111111111111111111111111"),
        ] {
            assert_eq!(String::from_utf8_lossy(&digits(value, base)), expected, "lltostr({value}, {base})");
        }
    }

    #[test]
    fn digits_to_integers() {
        for (text, base, expected) in [
            ("-12ab", 10, -12),
            ("+7", 10, 7),
            (" \t 42", 10, 42),
            ("- 1", 10, 0),
            ("ff", 16, 255),
            ("FF", 16, 255),
            ("777", 8, 511),
            ("778", 8, 63),
            ("0x", 10, 0),
            ("0x1f", 16, 31),
            ("-0X1fg", 16, -31),
            ("0xg", 16, 0),
            ("0x1f", 17, 0),
            ("\n7", 10, 0),
            ("", 10, 0),
            ("z", 36, 35),
            ("18446744073709551617", 10, 1),
            ("-9223372036854775808", 10, i64::MIN),
        ] {
            assert_eq!(parse(text.as_bytes(), base), expected, "strtoll({text:?}, {base})");
        }
    }

    #[test]
    fn random_numbers_follow_the_recurrence() {
        // 1 -> 0x2001 -> 0x2001 ^ 0x40 -> ^ << 17: 0x2041 ^ 0x40820000.
        let mut random = Random(1);
        assert_eq!((random.next(), random.0), (0, 0x4082_2041));
    }
}
