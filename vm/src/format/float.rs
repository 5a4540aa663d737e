//! Floating-point numbers as C prints them (`e f g`, in capitals too). In: the bytes of a `float`, `double` or `long
//! double` as they lie in memory. Out: text, rounded once from the exact value of the number, ties to even.

use std::cmp::Ordering;

/// How a number is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    /// `e`, `E`, `f`, `g` or `G`.
    pub(super) letter: char,
    /// Digits behind the point, or of all for `g`; `None` for six.
    pub(super) precision: Option<usize>,
    /// `+`
    pub(super) plus: bool,
    /// blank
    pub(super) space: bool,
    /// `#`: there is always a point, and `g` keeps zeros at the end.
    pub(super) alternate: bool,
}

impl Look {
    /// One letter without flags.
    pub(super) fn plain(letter: char) -> Look {
        Look { letter, precision: None, plus: false, space: false, alternate: false }
    }
}

/// A number of any of the formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    negative: bool,
    magnitude: Magnitude,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Magnitude {
    /// `mantissa` · 2^`exponent`
    Finite {
        mantissa: u128,
        exponent: i32,
    },
    Infinite,
    NotANumber,
}

impl Magnitude {
    /// What is compared: the kind, the place of the first bit, the bits from that on.
    fn rank(self) -> (u8, i32, u128) {
        match self {
            Magnitude::Finite { mantissa: 0, .. } => (0, 0, 0),
            Magnitude::Finite { mantissa, exponent } => {
                let zeros = mantissa.leading_zeros();
                (1, exponent - zeros as i32, mantissa << zeros)
            }
            Magnitude::Infinite => (2, 0, 0),
            Magnitude::NotANumber => (3, 0, 0),
        }
    }
}

/// What `long double` is: on x86-64 64 bits of mantissa, none of them implied; elsewhere 113, the first implied.
const EXTENDED: bool = cfg!(target_arch = "x86_64");

impl Number {
    /// The number in so many bytes; `None` if no format has that size.
    pub(crate) fn read(bytes: &[u8]) -> Option<Number> {
        let bits = |size: usize| {
            let mut all = [0; 16];
            all[..size].copy_from_slice(&bytes[..size]);
            u128::from_le_bytes(all)
        };
        match bytes.len() {
            4 => Some(implied(bits(4), 8, 23)),
            8 => Some(implied(bits(8), 11, 52)),
            16 if EXTENDED => {
                let (mantissa, head) = (bits(8), bits(16) >> 64);
                let magnitude = match (head & 0x7fff) as i32 {
                    0x7fff if mantissa << 65 == 0 => Magnitude::Infinite,
                    0x7fff => Magnitude::NotANumber,
                    exponent => Magnitude::Finite { mantissa, exponent: exponent.max(1) - 16383 - 63 },
                };
                Some(Number { negative: head & 0x8000 != 0, magnitude })
            }
            16 => Some(implied(bits(16), 15, 112)),
            _ => None,
        }
    }

    /// 0.
    pub(crate) const ZERO: Number =
        Number { negative: false, magnitude: Magnitude::Finite { mantissa: 0, exponent: 0 } };

    /// The order of numbers; -0 comes before 0, and what is no number at the end of its sign.
    pub(crate) fn order(self, other: Number) -> Ordering {
        let magnitudes = || self.magnitude.rank().cmp(&other.magnitude.rank());
        match (self.negative, other.negative) {
            (false, false) => magnitudes(),
            (true, true) => magnitudes().reverse(),
            (negative, _) => {
                if negative {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
        }
    }

    /// Whether it is neither infinite nor no number at all.
    pub(super) fn is_finite(self) -> bool {
        matches!(self.magnitude, Magnitude::Finite { .. })
    }

    /// The sign and the digits; nothing is padded.
    pub(super) fn text(self, look: Look) -> (&'static str, String) {
        let sign = match () {
            () if self.negative => "-",
            () if look.plus => "+",
            () if look.space => " ",
            () => "",
        };
        let precision = look.precision.unwrap_or(6);
        let digits = match (self.magnitude, look.letter.to_ascii_lowercase()) {
            (Magnitude::NotANumber, _) => "nan".to_owned(),
            (Magnitude::Infinite, _) => "inf".to_owned(),
            (Magnitude::Finite { mantissa, exponent }, letter) => {
                let exact = Decimal::of(mantissa, exponent);
                match letter {
                    'e' => exact.scientific(precision, look.alternate),
                    'g' => exact.general(precision.max(1), look.alternate),
                    _ => exact.fixed(precision, look.alternate),
                }
            }
        };
        (sign, if look.letter.is_ascii_uppercase() { digits.to_ascii_uppercase() } else { digits })
    }
}

/// A number of a format of IEEE 754 with so many bits of exponent and fraction; the first bit of the mantissa is implied.
fn implied(bits: u128, exponent_bits: u32, fraction_bits: u32) -> Number {
    let fraction = bits & ((1 << fraction_bits) - 1);
    let most = (1 << exponent_bits) - 1;
    let exponent = (bits >> fraction_bits) as i32 & most;
    let bias = most / 2 + fraction_bits as i32;
    let magnitude = match exponent {
        0 => Magnitude::Finite { mantissa: fraction, exponent: 1 - bias },
        _ if exponent == most && fraction == 0 => Magnitude::Infinite,
        _ if exponent == most => Magnitude::NotANumber,
        _ => Magnitude::Finite { mantissa: fraction | 1 << fraction_bits, exponent: exponent - bias },
    };
    Number { negative: bits >> (exponent_bits + fraction_bits) & 1 != 0, magnitude }
}

/// 0.DIGITS · 10^`point`. The first digit is not 0; the number 0 has no digits.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Decimal {
    /// From 0 to 9.
    digits: Vec<u8>,
    point: i64,
}

impl Decimal {
    /// The exact value of `mantissa` · 2^`exponent`. At most some 11600 digits, of the least `long double`.
    fn of(mantissa: u128, exponent: i32) -> Decimal {
        if mantissa == 0 {
            return Decimal { digits: Vec::new(), point: 0 };
        }
        let zeros = mantissa.trailing_zeros();
        let (mut rest, exponent) = (mantissa >> zeros, exponent + zeros as i32);
        // The number as an integer, the lowest 32 bits first: m · 2^e, or m · 5^-e as m · 2^e is that by 10^-e.
        let mut limbs = Vec::new();
        while rest > 0 {
            limbs.push(rest as u32);
            rest >>= 32;
        }
        let (factor, most) = if exponent < 0 { (5_u32, 13) } else { (2, 31) };
        let mut times = exponent.unsigned_abs();
        while times > 0 {
            let now = times.min(most);
            multiply(&mut limbs, factor.pow(now));
            times -= now;
        }
        let mut digits = Vec::new();
        while !limbs.is_empty() {
            let mut nine = divide(&mut limbs, 1_000_000_000);
            for _ in 0..9 {
                digits.push((nine % 10) as u8);
                nine /= 10;
            }
        }
        while digits.last() == Some(&0) {
            digits.pop();
        }
        digits.reverse();
        let point = digits.len() as i64 + i64::from(exponent.min(0));
        Decimal { digits, point }
    }

    /// The number with its first so many digits only.
    fn rounded(&self, keep: i64) -> Decimal {
        let Ok(keep) = usize::try_from(keep) else { return Decimal { digits: Vec::new(), point: 0 } };
        let Some((&next, rest)) = self.digits.get(keep..).and_then(<[u8]>::split_first) else {
            return self.clone();
        };
        let (mut digits, mut point) = (self.digits[..keep].to_vec(), self.point);
        let odd = digits.last().is_some_and(|digit| digit % 2 == 1);
        if next > 5 || next == 5 && (odd || rest.iter().any(|&digit| digit > 0)) {
            match digits.iter().rposition(|&digit| digit < 9) {
                Some(last) => {
                    digits[last] += 1;
                    digits[last + 1..].fill(0);
                }
                None => {
                    digits.fill(0);
                    digits.insert(0, 1);
                    point += 1;
                }
            }
        }
        match digits.iter().any(|&digit| digit > 0) {
            true => Decimal { digits, point },
            false => Decimal { digits: Vec::new(), point: 0 },
        }
    }

    /// So many digits from a place on, places counted from the point.
    fn push(&self, out: &mut String, from: i64, count: usize) {
        let digits = (from..).take(count).map(|place| {
            let index = usize::try_from(place + self.point);
            index.ok().and_then(|index| self.digits.get(index)).map_or('0', |digit| char::from(b'0' + digit))
        });
        out.extend(digits);
    }

    /// `ddd.ddd`
    fn fixed(&self, precision: usize, point: bool) -> String {
        let number = self.rounded(self.point.saturating_add(precision as i64));
        let mut out = String::new();
        match usize::try_from(number.point) {
            Ok(count) if count > 0 => number.push(&mut out, -number.point, count),
            _ => out.push('0'),
        }
        if precision > 0 || point {
            out.push('.');
        }
        number.push(&mut out, 0, precision);
        out
    }

    /// `d.ddde±dd`
    fn scientific(&self, precision: usize, point: bool) -> String {
        let number = self.rounded(precision as i64 + 1);
        let mut out = number.mantissa(precision, point);
        out += &number.exponent();
        out
    }

    /// `d.ddd`
    fn mantissa(&self, precision: usize, point: bool) -> String {
        let mut out = String::new();
        self.push(&mut out, -self.point, 1);
        if precision > 0 || point {
            out.push('.');
        }
        self.push(&mut out, 1 - self.point, precision);
        out
    }

    /// `e±dd`
    fn exponent(&self) -> String {
        let exponent = if self.digits.is_empty() { 0 } else { self.point - 1 };
        format!("e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
    }

    /// The shorter of both, with so many digits; zeros at the end, and then the point, only if `zeros`.
    fn general(&self, precision: usize, zeros: bool) -> String {
        let trimmed = |text: String| match text.contains('.') && !zeros {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        };
        let number = self.rounded(precision as i64);
        let exponent = if number.digits.is_empty() { 0 } else { number.point - 1 };
        match usize::try_from(precision as i64 - 1 - exponent) {
            Ok(behind) if exponent >= -4 => trimmed(number.fixed(behind, zeros)),
            _ => trimmed(number.mantissa(precision - 1, zeros)) + &number.exponent(),
        }
    }
}

/// Multiplies an integer, the lowest 32 bits first.
fn multiply(limbs: &mut Vec<u32>, factor: u32) {
    let mut carry = 0;
    for limb in limbs.iter_mut() {
        let product = u64::from(*limb) * u64::from(factor) + carry;
        *limb = product as u32;
        carry = product >> 32;
    }
    if carry > 0 {
        limbs.push(carry as u32);
    }
}

/// Divides an integer without zeros at its end, and gives the remainder.
fn divide(limbs: &mut Vec<u32>, divisor: u32) -> u32 {
    let mut rest = 0;
    for limb in limbs.iter_mut().rev() {
        let value = rest << 32 | u64::from(*limb);
        *limb = (value / u64::from(divisor)) as u32;
        rest = value % u64::from(divisor);
    }
    while limbs.last() == Some(&0) {
        limbs.pop();
    }
    rest as u32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn double(value: f64) -> Number {
        Number::read(&value.to_le_bytes()).expect("8 bytes")
    }

    /// An 80-bit number: mantissa, sign and exponent.
    fn extended(mantissa: u64, head: u16) -> Number {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&mantissa.to_le_bytes());
        bytes[8..10].copy_from_slice(&head.to_le_bytes());
        Number::read(&bytes).expect("16 bytes")
    }

    fn shown(number: Number, look: Look) -> String {
        let (sign, digits) = number.text(look);
        format!("{sign}{digits}")
    }

    /// Against what C's printf gives.
    #[test]
    fn texts() {
        for (value, letter, precision, expected) in [
            (1.5, 'f', None, "1.500000"),
            (-0.0, 'f', Some(2), "-0.00"),
            (2.5, 'f', Some(3), "2.500"),
            (0.125, 'f', Some(2), "0.12"),
            (0.375, 'f', Some(2), "0.38"),
            (0.96, 'f', Some(1), "1.0"),
            (0.05, 'f', Some(1), "0.1"),
            (0.04, 'f', Some(1), "0.0"),
            (1e21, 'f', None, "1000000000000000000000.000000"),
            (1.5, 'e', None, "1.500000e+00"),
            (-12345.678, 'E', Some(2), "-1.23E+04"),
            (1e-7, 'e', Some(1), "1.0e-07"),
            (9.96, 'e', Some(1), "1.0e+01"),
            (0.0, 'e', None, "0.000000e+00"),
            (1e100, 'e', None, "1.000000e+100"),
            (5e-324, 'e', Some(3), "4.941e-324"),
            (100000.0, 'g', None, "100000"),
            (1000000.0, 'g', None, "1e+06"),
            (0.0001, 'g', None, "0.0001"),
            (0.00001, 'g', None, "1e-05"),
            (123456789.0, 'g', Some(3), "1.23e+08"),
            (0.1, 'g', Some(20), "0.10000000000000000555"),
            (0.0, 'g', None, "0"),
            (9.9999999, 'g', Some(2), "10"),
            (f64::INFINITY, 'f', None, "inf"),
            (f64::NEG_INFINITY, 'G', None, "-INF"),
            (f64::NAN.copysign(1.0), 'e', None, "nan"),
            (f64::NAN.copysign(-1.0), 'e', None, "-nan"),
        ] {
            let look = Look { precision, ..Look::plain(letter) };
            assert_eq!(shown(double(value), look), expected, "{value} {letter} {precision:?}");
        }
    }

    #[test]
    fn the_alternate_form_always_has_a_point() {
        for (value, letter, precision, expected) in [
            (100000.0, 'g', None, "100000."),
            (100000.0, 'G', Some(1), "1.E+05"),
            (123.0, 'g', Some(3), "123."),
            (0.0, 'g', None, "0.00000"),
            (1.5, 'g', None, "1.50000"),
            (1e-5, 'g', Some(1), "1.e-05"),
            (2.0, 'e', Some(1), "2.0e+00"),
            (2.0, 'f', Some(1), "2.0"),
        ] {
            let look = Look { precision, alternate: true, ..Look::plain(letter) };
            assert_eq!(shown(double(value), look), expected, "{value} {letter} {precision:?}");
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn long_doubles_have_all_their_digits() {
        let pi = extended(0xc90f_daa2_2168_c235, 0xc000);
        for (number, letter, precision, expected) in [
            (pi, 'f', Some(25), "-3.1415926535897932385128090"),
            (pi, 'g', Some(21), "-3.14159265358979323851"),
            (pi, 'g', None, "-3.14159"),
            (extended(1 << 63, 0x5fff), 'e', None, "1.090748e+2466"),
            // The largest, and the least.
            (extended(u64::MAX, 0x7ffe), 'E', Some(5), "1.18973E+4932"),
            (extended(1, 0), 'e', Some(9), "3.645199532e-4951"),
            (extended(0, 0x8000), 'f', None, "-0.000000"),
            (extended(1 << 63, 0x7fff), 'f', None, "inf"),
            (extended(3 << 62, 0xffff), 'f', None, "-nan"),
        ] {
            let look = Look { precision, ..Look::plain(letter) };
            assert_eq!(shown(number, look), expected, "{number:?} {letter} {precision:?}");
        }
    }

    #[test]
    fn numbers_by_size() {
        let quarter = Number::read(&0.25_f32.to_le_bytes()).expect("4 bytes");
        assert_eq!(shown(quarter, Look::plain('g')), "0.25");
        assert_eq!(shown(double(-3.0), Look::plain('g')), "-3");
        assert_eq!(Number::read(&[0; 16]).expect("16 bytes").text(Look::plain('g')), ("", "0".to_owned()));
        assert_eq!(Number::read(&[0; 3]), None);
    }

    proptest! {
        #[test]
        fn doubles_are_ordered(a: u64, b: u64) {
            for (a, b) in [(a, b), (a, a ^ 1), (a, a ^ 1 << 63)].map(|(a, b)| (f64::from_bits(a), f64::from_bits(b))) {
                prop_assume!(!a.is_nan() && !b.is_nan());
                prop_assert_eq!(double(a).order(double(b)), a.total_cmp(&b), "{} {}", a, b);
            }
        }

        /// Rust formats doubles exactly, too, and rounds alike.
        #[test]
        fn doubles_are_exact(bits: u64, precision in 1_usize..40) {
            let value = f64::from_bits(bits & !(1 << 63));
            prop_assume!(value.is_finite());
            let look = |letter| Look { precision: Some(precision), ..Look::plain(letter) };
            prop_assert_eq!(shown(double(value), look('f')), format!("{value:.precision$}"));
            let text = format!("{value:.precision$e}");
            let (digits, exponent) = text.split_once('e').expect("an exponent");
            let exponent: i32 = exponent.parse().expect("a number");
            let sign = if exponent < 0 { '-' } else { '+' };
            prop_assert_eq!(shown(double(value), look('e')), format!("{digits}e{sign}{:02}", exponent.abs()));
        }
    }
}
