//! Which CPUs there are. Per-CPU map values have a copy for each *possible* CPU; perf events go to each *online* one.

use std::io;

/// Numbers of the CPUs that may ever be online; per-CPU values have `max + 1` copies.
pub fn possible() -> io::Result<u32> {
    let list = std::fs::read_to_string("/sys/devices/system/cpu/possible")?;
    let cpus = parse(&list).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?;
    Ok(cpus.last().map_or(1, |last| last + 1))
}

/// The CPUs that are online now, ascending.
pub fn online() -> io::Result<Vec<u32>> {
    let list = std::fs::read_to_string("/sys/devices/system/cpu/online")?;
    parse(&list).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))
}

/// A list such as `0-3,5`.
fn parse(list: &str) -> Option<Vec<u32>> {
    let mut cpus = Vec::new();
    for range in list.trim().split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        if last < first || last > 1 << 16 {
            return None;
        }
        cpus.extend(first..=last);
    }
    Some(cpus)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn lists() {
        assert_eq!(parse("0-1\n"), Some(vec![0, 1]));
        assert_eq!(parse("0"), Some(vec![0]));
        assert_eq!(parse("0-2,5,7-8"), Some(vec![0, 1, 2, 5, 7, 8]));
        assert_eq!(parse(""), None);
        assert_eq!(parse("3-1"), None);
        assert_eq!(parse("0-4294967295"), None);
    }
}
