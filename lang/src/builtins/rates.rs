//! Rates and intervals (runtime spec §12.3, §15.2): the text behind `tick-`, `profile-` and options such as
//! `statusrate`. In: text. Out: a period in nanoseconds. Never touches a clock.

/// Shortest period of a timer probe, 200 µs: a description with a shorter one matches nothing.
pub const MIN_TIMER_PERIOD: u64 = 200_000;

/// What a number without a unit means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bare {
    /// Times a second: `tick-100`.
    Hertz,
    /// A period: `-x switchrate=1000000`.
    Nanoseconds,
}

/// The two kinds of timer probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerKind {
    /// `tick-…`: one CPU per interval.
    Tick,
    /// `profile-…`: every CPU.
    Profile,
}

/// Nanoseconds in each unit of a period.
pub(super) const UNITS: &[(&str, u64)] = &[
    ("ns", 1),
    ("nsec", 1),
    ("us", 1_000),
    ("usec", 1_000),
    ("ms", 1_000_000),
    ("msec", 1_000_000),
    ("s", 1_000_000_000),
    ("sec", 1_000_000_000),
    ("m", 60_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("hour", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
    ("day", 86_400_000_000_000),
];

/// The period of a number with an optional unit, in nanoseconds; `None` if the text is no rate or overflows. 0 has no
/// period but as a bare or counted interval, where it means "at once".
pub fn parse_rate(text: &str, bare: Bare) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().ok()?;
    // Faster than a nanosecond is none: a period of 0 means something else.
    let hertz = |n: u64| 1_000_000_000_u64.checked_div(n).map(|period| period.max(1));
    match unit {
        "" if bare == Bare::Nanoseconds => Some(number),
        "" => hertz(number),
        _ if unit.eq_ignore_ascii_case("hz") => hertz(number),
        _ => {
            let &(_, scale) = UNITS.iter().find(|(name, _)| unit.eq_ignore_ascii_case(name))?;
            number.checked_mul(scale)
        }
    }
}

/// The kind and period of a timer probe's name (`tick-10ms`, `profile-97`), if it is one and its period is allowed.
pub fn parse_timer(name: &str) -> Option<(TimerKind, u64)> {
    let (kind, rate) = match name.split_once('-')? {
        ("tick", rate) => (TimerKind::Tick, rate),
        ("profile", rate) => (TimerKind::Profile, rate),
        _ => return None,
    };
    let period = parse_rate(rate, Bare::Hertz)?;
    (period >= MIN_TIMER_PERIOD).then_some((kind, period))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates() {
        for (text, bare, period) in [
            ("1s", Bare::Hertz, Some(1_000_000_000)),
            ("97", Bare::Hertz, Some(10_309_278)),
            ("97", Bare::Nanoseconds, Some(97)),
            ("0", Bare::Nanoseconds, Some(0)),
            ("0", Bare::Hertz, None),
            ("5hz", Bare::Nanoseconds, Some(200_000_000)),
            ("2000000000hz", Bare::Nanoseconds, Some(1)),
            ("10MSEC", Bare::Nanoseconds, Some(10_000_000)),
            ("2day", Bare::Hertz, Some(172_800_000_000_000)),
            ("18446744073709551616ns", Bare::Hertz, None),
            ("300000000000h", Bare::Hertz, None),
            ("", Bare::Hertz, None),
            ("s", Bare::Hertz, None),
            ("1 s", Bare::Hertz, None),
            ("-1s", Bare::Hertz, None),
            ("1fortnight", Bare::Hertz, None),
        ] {
            assert_eq!(parse_rate(text, bare), period, "{text}");
        }
    }

    #[test]
    fn timers() {
        for (name, timer) in [
            ("tick-1s", Some((TimerKind::Tick, 1_000_000_000))),
            ("tick-200us", Some((TimerKind::Tick, 200_000))),
            ("tick-199us", None),
            ("tick-5000", Some((TimerKind::Tick, 200_000))),
            ("tick-5001", None),
            ("profile-0", None),
            ("profile-499", Some((TimerKind::Profile, 2_004_008))),
            ("tick", None),
            ("tock-1s", None),
            ("tick-1s-", None),
        ] {
            assert_eq!(parse_timer(name), timer, "{name}");
        }
    }
}
