//! Sizes and rates that cannot be had as they were asked for (runtime spec §12.2): settings in, settings that can be had and
//! what to say about the difference out. Asks the machine for its memory and nothing else.

use dtrail_lang::options::{MAX_FRAMES, Options as Settings};

/// The largest ring buffer: half of the largest power of two that the kernel takes for one.
const BUFFER_MAX: u64 = 512 << 20;

/// The size of a ring buffer is a power of two of pages.
const PAGE: u64 = 4096;

/// A line about a size or a rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Notice {
    /// Without the program's name.
    pub(crate) text: String,
    /// Whether that comes before it.
    pub(crate) prefixed: bool,
}

/// A size with the name that notices give it, the place of its value, and whether it sizes the ring buffer.
type Row = (&'static str, fn(&mut Settings) -> &mut u64, bool);

const SIZES: [Row; 4] = [
    ("buffer size", |s| &mut s.bufsize, true),
    ("aggregation size", |s| &mut s.aggsize, false),
    ("speculation size", |s| &mut s.specsize, false),
    ("dynamic variable size", |s| &mut s.dynvarsize, false),
];

/// A rate with the name that notices give it, the place of its period, and the shortest and longest one in nanoseconds.
type Rate = (&'static str, fn(&mut Settings) -> &mut u64, u64, u64);

const SECOND: u64 = 1_000_000_000;

/// The bounds are the kernel's of other systems, but for the shortest period of looks at counters, which has none there.
const RATES: [Rate; 2] = [
    ("cleaning rate", |s| &mut s.cleanrate, SECOND / 5000, 60 * SECOND),
    ("status rate", |s| &mut s.statusrate, SECOND / 10_000, 10 * SECOND),
];

/// Every size as it is set.
pub(crate) fn all(settings: &mut Settings) -> [u64; SIZES.len()] {
    SIZES.map(|(_, size, _)| *size(settings))
}

/// Makes every size one that a machine with `memory` bytes can give: none takes more than a sixteenth of it. Stacks have at
/// most `frames` frames.
pub(crate) fn fit(settings: &mut Settings, memory: u64, frames: u32) -> Vec<Notice> {
    let mut notices = Vec::new();
    if settings.stacks.maxframes > frames {
        settings.stacks.maxframes = frames;
        let text = format!("maxframes lowered to {frames} (kernel.perf_event_max_stack)");
        notices.push(Notice { text, prefixed: true });
    }
    let most = (memory / 16).max(PAGE);
    for (name, size, is_ring) in SIZES {
        let size = size(settings);
        let rounded = (*size).max(PAGE).checked_next_power_of_two().unwrap_or(1 << 63);
        let limit = if is_ring { most.min(BUFFER_MAX) } else { most };
        if is_ring && rounded != *size {
            // DTrace says so whatever else it keeps to itself. What is lowered again was never increased.
            if rounded <= limit {
                notices.push(Notice { text: format!("bufsize increased to {rounded}"), prefixed: false });
            }
            *size = rounded;
        }
        let wanted = *size;
        while *size > limit {
            *size /= 2;
        }
        // Sizes below a word are reported although nothing changes: DTrace compares without a sign.
        if *size > 0 && *size < wanted.wrapping_sub(8) {
            notices.push(Notice { text: format!("{name} lowered to {}", shown(*size)), prefixed: true });
        }
    }
    for (name, period, shortest, longest) in RATES {
        let period = period(settings);
        let wanted = *period;
        // 0 is never.
        if wanted == 0 || (shortest..=longest).contains(&wanted) {
            continue;
        }
        *period = wanted.clamp(shortest, longest);
        let direction = if *period > wanted { "reduced" } else { "increased" };
        notices.push(Notice { text: format!("{name} {direction} to {}", rate(*period)), prefixed: true });
    }
    if settings.quietresize {
        notices.retain(|notice| !notice.prefixed);
    }
    notices
}

/// A size in the largest unit that divides it; bytes have a blank for a unit.
fn shown(size: u64) -> String {
    const UNITS: [char; 7] = [' ', 'k', 'm', 'g', 't', 'p', 'e'];
    let unit = (size.trailing_zeros() as usize / 10).min(UNITS.len() - 1);
    format!("{}{}", size >> (10 * unit), UNITS[unit])
}

/// A period as a rate of at least one a second, or else as a period.
fn rate(period: u64) -> String {
    match period {
        1..=SECOND if SECOND.is_multiple_of(period) => format!("{} hz", SECOND / period),
        _ if period.is_multiple_of(SECOND) => format!("once every {} seconds", period / SECOND),
        _ => format!("once every {period} nanoseconds"),
    }
}

/// The most frames of a stack: what the kernel gives, up to what dtrail takes.
pub(crate) fn frames() -> u32 {
    let limit = std::fs::read_to_string("/proc/sys/kernel/perf_event_max_stack");
    limit
        .ok()
        .and_then(|text| text.trim().parse().ok())
        .map_or(MAX_FRAMES, |limit: u32| limit.clamp(1, MAX_FRAMES))
}

/// Bytes of this machine's memory.
pub(crate) fn memory() -> u64 {
    let info = rustix::system::sysinfo();
    (info.totalram as u64).saturating_mul(u64::from(info.mem_unit.max(1)))
}

#[cfg(test)]
mod tests {
    use dtrail_lang::options::SetBy;

    use super::*;

    const GIB: u64 = 1 << 30;

    /// Sets options on a machine of 16 GiB, and compares what is said.
    fn check(options: &[(&str, &str)], expected: &[&str]) -> Settings {
        let mut settings = Settings::default();
        for (name, value) in options {
            let value = Some(*value).filter(|value| !value.is_empty());
            settings.set(name, value, SetBy::CommandLine).expect("an option");
        }
        let said: Vec<String> = fit(&mut settings, 16 * GIB, MAX_FRAMES)
            .into_iter()
            .map(|notice| format!("{}{}", if notice.prefixed { "dtrail: " } else { "" }, notice.text))
            .collect();
        assert_eq!(said, expected, "{options:?}");
        settings
    }

    #[test]
    fn what_fits_stays() {
        assert_eq!(check(&[], &[]), Settings::default());
        let sizes = [("bufsize", "64k"), ("aggsize", "64"), ("dynvarsize", "8"), ("specsize", "12345")];
        let settings = check(&sizes, &[]);
        assert_eq!((settings.bufsize, settings.aggsize, settings.dynvarsize), (65536, 64, 8));
    }

    #[test]
    fn stacks_have_as_many_frames_as_the_kernel_gives() {
        let told = "dtrail: maxframes lowered to 127 (kernel.perf_event_max_stack)";
        for (asked, kept, said) in [("5", 5, &[][..]), ("127", 127, &[]), ("128", 127, &[told])] {
            assert_eq!(check(&[("maxframes", asked)], said).stacks.maxframes, kept, "{asked}");
        }
        assert!((1..=MAX_FRAMES).contains(&frames()));
    }

    #[test]
    fn what_is_too_large_is_halved_until_it_fits() {
        let lowered = check(
            &[("bufsize", "1t"), ("aggsize", "1t"), ("dynvarsize", "1537m"), ("specsize", "1t")],
            &[
                "dtrail: buffer size lowered to 512m",
                "dtrail: aggregation size lowered to 1g",
                "dtrail: speculation size lowered to 1g",
                "dtrail: dynamic variable size lowered to 786944k",
            ],
        );
        assert_eq!((lowered.bufsize, lowered.aggsize, lowered.dynvarsize), (512 << 20, GIB, 1537 << 19));
        check(&[("aggsize", "1t"), ("quietresize", "")], &[]);
    }

    #[test]
    fn a_buffer_is_a_power_of_two_of_pages() {
        assert_eq!(check(&[("bufsize", "1")], &["bufsize increased to 4096"]).bufsize, 4096);
        assert_eq!(check(&[("bufsize", "0")], &["bufsize increased to 4096"]).bufsize, 4096);
        check(&[("bufsize", "5000"), ("quietresize", "")], &["bufsize increased to 8192"]);
        let most = u64::MAX.to_string();
        for asked in [&most, "100g"] {
            let said = ["dtrail: buffer size lowered to 512m"];
            assert_eq!(check(&[("bufsize", asked)], &said).bufsize, 512 << 20);
        }
    }

    #[test]
    fn sizes_below_a_word_are_reported() {
        let said = [
            "dtrail: aggregation size lowered to 1 ",
            "dtrail: speculation size lowered to 7 ",
            "dtrail: dynamic variable size lowered to 3 ",
        ];
        check(&[("aggsize", "1"), ("specsize", "7"), ("dynvarsize", "3")], &said);
        check(&[("aggsize", "0")], &[]);
    }

    #[test]
    fn rates_have_bounds() {
        let within = [("cleanrate", "200us"), ("statusrate", "10s")];
        check(&within, &[]);
        check(&[("cleanrate", "0hz"), ("statusrate", "0hz")], &[]);
        let settings = check(
            &[("cleanrate", "1"), ("statusrate", "99us")],
            &["dtrail: cleaning rate reduced to 5000 hz", "dtrail: status rate reduced to 10000 hz"],
        );
        assert_eq!((settings.cleanrate, settings.statusrate), (200_000, 100_000));
        let said = [
            "dtrail: cleaning rate increased to once every 60 seconds",
            "dtrail: status rate increased to once every 10 seconds",
        ];
        check(&[("cleanrate", "1h"), ("statusrate", "11s")], &said);
        check(&[("cleanrate", "1h"), ("statusrate", "11s"), ("quietresize", "")], &[]);
        assert_eq!(rate(1_500_000_000), "once every 1500000000 nanoseconds");
        assert_eq!(rate(SECOND), "1 hz");
    }

    #[test]
    fn this_machine_has_memory() {
        assert!(memory() > 16 << 20);
    }
}
