//! Which CPUs there are, and where. Per-CPU map values have a copy for each *possible* CPU; perf events go to each *online* one.

use std::io;
use std::sync::OnceLock;

use dtrail_vm::host::CpuPlace;

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

/// Where each possible CPU is, by number, as it was when first asked.
pub fn places() -> &'static [CpuPlace] {
    static PLACES: OnceLock<Vec<CpuPlace>> = OnceLock::new();
    PLACES.get_or_init(|| (0..possible().unwrap_or(1)).map(look).collect())
}

/// Where a CPU is; package and node 0 if nothing is known of it.
pub fn place(cpu: u32) -> CpuPlace {
    places().get(cpu as usize).copied().unwrap_or_default()
}

/// What sysfs says of a CPU. A virtual machine's package may be -1, which is 0 here.
fn look(cpu: u32) -> CpuPlace {
    let directory = format!("/sys/devices/system/cpu/cpu{cpu}");
    let chip = std::fs::read_to_string(format!("{directory}/topology/physical_package_id"));
    let chip = chip.ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let node = |entry: std::fs::DirEntry| entry.file_name().to_str()?.strip_prefix("node")?.parse().ok();
    CpuPlace { chip, lgrp: entries.filter_map(node).next().unwrap_or(0) }
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
