//! What this process may do with eBPF, and if it may not, why.
//!
//! Comes in: `/proc/self/status` and sysctls. Goes out: yes, or an error that says what is missing. It loads nothing.

use std::fs;

use dtrail_vm::event::Error;

/// A capability's bit in `CapEff`.
const SYS_ADMIN: u32 = 21;
const PERFMON: u32 = 38;
const BPF: u32 = 39;

/// Whether the `bpf` source can be used: effective root, or CAP_BPF and CAP_PERFMON. The error names what is missing.
pub fn can_bpf() -> Result<(), Error> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = effective_capabilities(&status).unwrap_or(0);
    match missing(effective) {
        None => Ok(()),
        Some(missing) => Err(Error::new(format!("tracing the kernel needs {missing}"))
            .help("run as root; or use `--source ptrace` with -c, which needs no privilege")),
    }
}

/// What a set of effective capabilities lacks.
fn missing(effective: u64) -> Option<&'static str> {
    let has = |bit: u32| effective >> bit & 1 == 1;
    match (has(SYS_ADMIN) || has(BPF), has(SYS_ADMIN) || has(PERFMON)) {
        (true, true) => None,
        (false, true) => Some("CAP_BPF"),
        (true, false) => Some("CAP_PERFMON"),
        (false, false) => Some("root, or CAP_BPF and CAP_PERFMON"),
    }
}

fn effective_capabilities(status: &str) -> Option<u64> {
    let hex = status.lines().find_map(|line| line.strip_prefix("CapEff:"))?;
    u64::from_str_radix(hex.trim(), 16).ok()
}

/// Whether kernel lockdown forbids programs to read kernel memory (`confidentiality`).
pub fn locked_down() -> bool {
    fs::read_to_string("/sys/kernel/security/lockdown").is_ok_and(|s| s.contains("[confidentiality]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_capabilities_are_needed_unless_root() {
        for (effective, expected) in [
            (0x1ff_ffff_ffff, None),
            (1 << SYS_ADMIN, None),
            (1 << BPF | 1 << PERFMON, None),
            (1 << BPF, Some("CAP_PERFMON")),
            (1 << PERFMON, Some("CAP_BPF")),
            (0, Some("root, or CAP_BPF and CAP_PERFMON")),
        ] {
            assert_eq!(missing(effective), expected, "{effective:#x}");
        }
    }

    #[test]
    fn the_effective_set_is_read() {
        let status = "Name:\tx\nCapPrm:\t0000000000000000\nCapEff:\t000001ffffffffff\n";
        assert_eq!(effective_capabilities(status), Some(0x1ff_ffff_ffff));
        assert_eq!(effective_capabilities("Name:\tx\n"), None);
    }
}
