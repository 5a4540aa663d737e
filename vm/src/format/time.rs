//! `%Y` and `%T`: moments as text, from broken-down local time.

use std::io::Write as _;

use crate::host::LocalTime;

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

fn month(time: &LocalTime) -> &'static str {
    MONTHS.get(usize::from(time.month).wrapping_sub(1)).copied().unwrap_or("?")
}

/// `%Y`: `2004 Jan 25 13:00:00`, the day padded with a blank.
pub(super) fn date(out: &mut Vec<u8>, time: &LocalTime) {
    let LocalTime { year, day, hour, minute, second, .. } = time;
    // Writing to a vector cannot fail.
    let _ = write!(out, "{year} {} {day:2} {hour:02}:{minute:02}:{second:02}", month(time));
}

/// `%T`: `Sun, 25 Jan 2004 13:00:00 PST`. The year is that of the ISO week.
pub(super) fn stamp(out: &mut Vec<u8>, time: &LocalTime) {
    let LocalTime { day, hour, minute, second, zone, .. } = time;
    let weekday = DAYS.get(usize::from(time.weekday)).copied().unwrap_or("?");
    let year = week_year(time);
    let month = month(time);
    // As above.
    let _ = write!(out, "{weekday}, {day:02} {month} {year} {hour:02}:{minute:02}:{second:02} {zone}");
}

/// `strftime`: `%Y %m %d %e %H %M %S %b %a %y %j %F %T %s %Z %n %t %%` as C has them; fractions of a second as `%N` (nine
/// digits), `%3N` (as many as the number says, 1 to 9) and `%f` (six). Other conversions stay as they are.
pub(crate) fn formatted(out: &mut Vec<u8>, format: &[u8], time: &LocalTime, seconds: i64, nanos: u32) {
    let LocalTime { year, day, hour, minute, second, zone, .. } = time;
    let mut rest = format;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        let Some((&kind, tail)) = rest.split_first().filter(|_| byte == b'%') else {
            out.push(byte);
            continue;
        };
        rest = tail;
        let weekday = || DAYS.get(usize::from(time.weekday)).copied().unwrap_or("?");
        // Writing to a vector cannot fail.
        let _ = match (kind, rest.first()) {
            (b'Y', _) => write!(out, "{year}"),
            (b'y', _) => write!(out, "{:02}", year.rem_euclid(100)),
            (b'm', _) => write!(out, "{:02}", time.month),
            (b'd', _) => write!(out, "{day:02}"),
            (b'e', _) => write!(out, "{day:2}"),
            (b'H', _) => write!(out, "{hour:02}"),
            (b'M', _) => write!(out, "{minute:02}"),
            (b'S', _) => write!(out, "{second:02}"),
            (b'b', _) => write!(out, "{}", month(time)),
            (b'a', _) => write!(out, "{}", weekday()),
            (b'j', _) => write!(out, "{:03}", day_of_year(time)),
            (b'F', _) => write!(out, "{year}-{:02}-{day:02}", time.month),
            (b'T', _) => write!(out, "{hour:02}:{minute:02}:{second:02}"),
            (b's', _) => write!(out, "{seconds}"),
            (b'Z', _) => write!(out, "{zone}"),
            (b'n', _) => writeln!(out),
            (b't', _) => write!(out, "\t"),
            (b'%', _) => write!(out, "%"),
            (b'N', _) => write!(out, "{nanos:09}"),
            (b'f', _) => write!(out, "{:06}", nanos / 1000),
            (digits @ b'1'..=b'9', Some(b'N')) => {
                rest = rest.get(1..).unwrap_or_default();
                let digits = usize::from(digits - b'0');
                write!(out, "{:0digits$}", nanos / 10_u32.pow(9 - digits as u32))
            }
            (other, _) => {
                out.extend_from_slice(&[b'%', other]);
                Ok(())
            }
        };
    }
}

/// 1 for the first of January.
fn day_of_year(time: &LocalTime) -> i64 {
    const BEFORE: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let before = BEFORE.get(usize::from(time.month).wrapping_sub(1)).copied().unwrap_or(0);
    before + i64::from(is_leap(time.year) && time.month > 2) + i64::from(time.day)
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// The year that the ISO week of a day belongs to: that of its Thursday.
fn week_year(time: &LocalTime) -> i64 {
    let day_of_year = day_of_year(time);
    let since_monday = (i64::from(time.weekday) + 6) % 7;
    let thursday = day_of_year - since_monday + 3;
    match thursday {
        ..=0 => time.year - 1,
        day if day > 365 + i64::from(is_leap(time.year)) => time.year + 1,
        _ => time.year,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(make: fn(&mut Vec<u8>, &LocalTime), time: &LocalTime) -> String {
        let mut out = Vec::new();
        make(&mut out, time);
        String::from_utf8_lossy(&out).into_owned()
    }

    fn at(year: i64, month: u8, day: u8, weekday: u8) -> LocalTime {
        LocalTime { year, month, day, weekday, hour: 21, minute: 0, second: 7, zone: "UTC".into() }
    }

    #[test]
    fn moments() {
        assert_eq!(text(date, &at(1970, 1, 1, 4)), "1970 Jan  1 21:00:07");
        assert_eq!(text(date, &at(2004, 1, 25, 0)), "2004 Jan 25 21:00:07");
        assert_eq!(text(stamp, &at(2004, 1, 25, 0)), "Sun, 25 Jan 2004 21:00:07 UTC");
        assert_eq!(text(stamp, &at(1970, 1, 1, 4)), "Thu, 01 Jan 1970 21:00:07 UTC");
    }

    #[test]
    fn the_year_of_a_week_is_that_of_its_thursday() {
        for (time, year) in [
            (at(2005, 1, 1, 6), 2004),
            (at(2005, 1, 2, 0), 2004),
            (at(2005, 1, 3, 1), 2005),
            (at(2008, 12, 29, 1), 2009),
            (at(2008, 12, 28, 0), 2008),
            (at(2010, 1, 3, 0), 2009),
            (at(2020, 12, 31, 4), 2020),
            (at(2021, 1, 1, 5), 2020),
        ] {
            assert_eq!(week_year(&time), year, "{time:?}");
        }
    }
}
