//! Floating-point numbers as C prints them (`e f g`, in capitals too). In: the bytes of a `float`, `double` or `long
//! double` as they lie in memory. Out: text. A `long double` is shown with the precision of a `double`.

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
    /// `#`: `g` keeps zeros at the end.
    pub(super) alternate: bool,
}

impl Look {
    /// One letter without flags.
    pub(super) fn plain(letter: char) -> Look {
        Look { letter, precision: None, plus: false, space: false, alternate: false }
    }
}

/// The number in so many bytes. The 80-bit format has an explicit first bit.
pub(crate) fn number(bytes: &[u8]) -> Option<f64> {
    match bytes.len() {
        4 => Some(f64::from(f32::from_le_bytes(bytes.try_into().ok()?))),
        8 => Some(f64::from_le_bytes(bytes.try_into().ok()?)),
        16 => {
            let fraction = u64::from_le_bytes(bytes[..8].try_into().ok()?);
            let head = u16::from_le_bytes(bytes[8..10].try_into().ok()?);
            let sign = if head & 0x8000 != 0 { -1.0 } else { 1.0 };
            Some(match head & 0x7fff {
                0x7fff if fraction << 1 == 0 => sign * f64::INFINITY,
                0x7fff => f64::NAN,
                exponent => {
                    // In two steps, as neither factor alone need fit.
                    let exponent = i32::from(exponent) - 16383 - 63;
                    sign * fraction as f64 * 2_f64.powi(exponent / 2) * 2_f64.powi(exponent - exponent / 2)
                }
            })
        }
        _ => None,
    }
}

/// The sign and the digits of a number; nothing is padded.
pub(super) fn text(value: f64, look: Look) -> (&'static str, String) {
    let sign = match () {
        () if value.is_sign_negative() && !value.is_nan() => "-",
        () if look.plus => "+",
        () if look.space => " ",
        () => "",
    };
    let magnitude = value.abs();
    let digits = match (magnitude.is_finite(), look.letter.to_ascii_lowercase()) {
        (false, _) if magnitude.is_nan() => "nan".to_owned(),
        (false, _) => "inf".to_owned(),
        (true, 'e') => scientific(magnitude, look.precision.unwrap_or(6)),
        (true, 'g') => shortest(magnitude, look.precision.unwrap_or(6).max(1), look.alternate),
        (true, _) => format!("{magnitude:.*}", look.precision.unwrap_or(6)),
    };
    (sign, if look.letter.is_ascii_uppercase() { digits.to_ascii_uppercase() } else { digits })
}

/// `d.ddde±dd`
fn scientific(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

fn shortest(value: f64, precision: usize, zeros: bool) -> String {
    let trimmed = |text: &str| match text.contains('.') && !zeros {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    let text = scientific(value, precision - 1);
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let number: i64 = exponent.parse().unwrap_or(0);
    match usize::try_from(precision as i64 - 1 - number) {
        Ok(behind) if number >= -4 => trimmed(&format!("{value:.behind$}")),
        _ => format!("{}e{exponent}", trimmed(digits)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against what C's printf gives.
    #[test]
    fn texts() {
        for (value, letter, precision, expected) in [
            (1.5, 'f', None, "1.500000"),
            (-0.0, 'f', Some(2), "-0.00"),
            (2.5, 'f', Some(3), "2.500"),
            (1e21, 'f', None, "1000000000000000000000.000000"),
            (1.5, 'e', None, "1.500000e+00"),
            (-12345.678, 'E', Some(2), "-1.23E+04"),
            (1e-7, 'e', Some(1), "1.0e-07"),
            (0.0, 'e', None, "0.000000e+00"),
            (1e100, 'e', None, "1.000000e+100"),
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
            (f64::NAN, 'e', None, "nan"),
        ] {
            let (sign, digits) = text(value, Look { precision, ..Look::plain(letter) });
            assert_eq!(format!("{sign}{digits}"), expected, "{value} {letter} {precision:?}");
        }
    }

    #[test]
    fn numbers_by_size() {
        assert_eq!(number(&0.25_f32.to_le_bytes()), Some(0.25));
        assert_eq!(number(&(-3.0_f64).to_le_bytes()), Some(-3.0));
        // 1.0: the explicit first bit, exponent 16383.
        let one = [0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f, 0, 0, 0, 0, 0, 0];
        assert_eq!(number(&one), Some(1.0));
        assert_eq!(number(&[0; 16]), Some(0.0));
        assert_eq!(number(&[0; 3]), None);
    }
}
