//! What helps against a fault, said behind its message, each kind once a run. In: a fault with its probe. Out: lines
//! without the program's name.

use dtrail_lang::env::Probe;
use dtrail_lang::ir::inst::USER_END;
use dtrail_lang::options::LARGEST_SCRATCH;

use crate::fault::{FaultKind, Raised};

/// A fault, with what its advice depends on.
#[derive(Clone, Copy)]
pub(super) struct Faulted<'a> {
    pub(super) probe: &'a Probe,
    pub(super) raised: Raised,
    /// The event comes from a kernel that reads only memory that is resident.
    pub(super) only_resident: bool,
    /// Bytes of scratch memory that a clause has.
    pub(super) scratch: u32,
}

/// The kinds of advice, in the order in which they are said.
const KINDS: [fn(Faulted<'_>) -> Option<String>; 5] =
    [absent_page, larger_scratch, more_scratch, path_of_a_folder, privilege];

/// What has not been said yet.
#[derive(Debug, Default)]
pub(super) struct Advice {
    said: [bool; KINDS.len()],
}

impl Advice {
    /// Calls with what is to be said of a fault.
    pub(super) fn of(&mut self, fault: Faulted<'_>, mut say: impl FnMut(String)) {
        for (kind, said) in KINDS.iter().zip(&mut self.said).filter(|(_, said)| !**said) {
            if let Some(help) = kind(fault) {
                *said = true;
                say(help);
            }
        }
    }
}

/// Addresses below are no process's: a fault there is a mistake of the program. Linux maps nothing lower by default
/// (`vm.mmap_min_addr`).
const LOWEST: u64 = 65_536;

/// The first of the addresses that small negative numbers have when they are cut to 32 bits. No process has memory there:
/// stacks of 32-bit processes end below.
const NEGATIVE: u64 = 0xffff_e000;

/// `AT_FDCWD` of `<fcntl.h>`, as it is cut to 32 bits.
const AT_FDCWD: u32 = 0xffff_ff9c;

/// A page may be the process's and not in memory: at the entry of a system call nobody may have touched it yet (a constant
/// string of a new program), at its return the kernel has.
fn absent_page(Faulted { probe, raised, only_resident, .. }: Faulted<'_>) -> Option<String> {
    let helps = only_resident
        && raised.kind == FaultKind::BadAddr
        && (LOWEST..USER_END).contains(&raised.value)
        && !(NEGATIVE..=0xffff_ffff).contains(&raised.value)
        && &*probe.provider == "syscall"
        && &*probe.name == "entry";
    helps.then(|| "the page was not in memory; save the address at entry and read it at return".to_owned())
}

/// A size that scratch memory has no room for; nothing where no `scratchsize` has.
fn larger_scratch(Faulted { raised, .. }: Faulted<'_>) -> Option<String> {
    let helps = raised.kind == FaultKind::BadSize && raised.value <= u64::from(LARGEST_SCRATCH);
    helps.then(|| format!("`-x scratchsize={}` has room for that many bytes", raised.value))
}

/// A clause has taken all scratch memory.
fn more_scratch(Faulted { raised, scratch, .. }: Faulted<'_>) -> Option<String> {
    let helps = raised.kind == FaultKind::NoScratch && scratch < LARGEST_SCRATCH;
    let more = scratch.saturating_mul(2).clamp(256, LARGEST_SCRATCH);
    helps.then(|| format!("a clause has {scratch} bytes of it; `-x scratchsize={more}` has room for more"))
}

/// The folder of `openat` and its kin was taken for its path, which is the first argument of `open`.
fn path_of_a_folder(Faulted { probe, raised, .. }: Faulted<'_>) -> Option<String> {
    let high = raised.value >> 32;
    let folder = raised.value as u32 == AT_FDCWD && (high == 0 || high == u64::from(u32::MAX));
    let name = &probe.function;
    let helps = raised.kind == FaultKind::BadAddr
        && folder
        && &*probe.provider == "syscall"
        && name.trim_end_matches('2').ends_with("at");
    let value = raised.value;
    helps.then(|| format!("{value:#x} is AT_FDCWD, the folder of `{name}`: its path is the next argument"))
}

/// The kernel's memory was read without the privilege for it.
fn privilege(Faulted { raised, .. }: Faulted<'_>) -> Option<String> {
    let text = "only source bpf reads the kernel's memory: run as root, or with CAP_BPF and CAP_PERFMON";
    (raised.kind == FaultKind::KPriv).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use dtrail_lang::ir::parse;

    use super::*;

    #[test]
    fn each_kind_is_said_once_of_the_faults_it_helps_against() {
        let text = "p0 = probe 5 syscall:vmlinux:openat:entry\np1 = probe 6 syscall:vmlinux:openat:return\n\
                    p2 = probe 7 syscall:vmlinux:open:entry\np3 = probe 1 dtrace:::BEGIN tracer";
        let program = parse::program(text).expect("IR of this test");
        let [entry, back, open, begin] = &program.probes[..] else { panic!("four probes") };
        let bad = |value| Raised::new(FaultKind::BadAddr, value);
        let absent = "the page was not in memory; save the address at entry and read it at return";
        let folder = |value: &str| {
            format!("{value} is AT_FDCWD, the folder of `openat`: its path is the next argument")
        };
        let (cut, whole) = (folder("0xffffff9c"), folder("0xffffffffffffff9c"));
        for (probe, raised, expected) in [
            (entry, bad(0x5555_0000_1234), Some(absent)),
            (entry, bad(65_536), Some(absent)),
            (entry, bad(65_535), None),
            (entry, bad(0xffff_dfff), Some(absent)),
            (entry, bad(0xffff_ff9c), Some(&*cut)),
            (entry, bad(-100i64 as u64), Some(&*whole)),
            (entry, bad(0x1234_ffff_ff9c), Some(absent)),
            (entry, bad(0xffff_ff9d), None),
            (open, bad(0xffff_ff9c), None),
            (begin, bad(0xffff_ff9c), None),
            (entry, bad(0x1_0000_0000), Some(absent)),
            (entry, bad(0), None),
            (entry, bad(USER_END), None),
            (entry, bad(u64::MAX), None),
            (
                entry,
                Raised::new(FaultKind::BadSize, 5000),
                Some("`-x scratchsize=5000` has room for that many bytes"),
            ),
            (entry, Raised::new(FaultKind::BadSize, 1 << 40), None),
            (
                back,
                Raised::plain(FaultKind::NoScratch),
                Some("a clause has 256 bytes of it; `-x scratchsize=512` has room for more"),
            ),
            (
                back,
                Raised::plain(FaultKind::KPriv),
                Some(
                    "only source bpf reads the kernel's memory: run as root, or with CAP_BPF and CAP_PERFMON",
                ),
            ),
            (back, bad(0x5555_0000_1234), None),
            (begin, bad(0x5555_0000_1234), None),
        ] {
            let fault = Faulted { probe, raised, only_resident: true, scratch: 256 };
            let (mut advice, mut said) = (Advice::default(), Vec::new());
            for _ in 0..2 {
                advice.of(fault, |help| said.push(help));
            }
            let expected: Vec<&str> = expected.into_iter().collect();
            assert_eq!(said, expected, "{} {raised:?}", probe.name);
            let elsewhere = Faulted { only_resident: false, ..fault };
            let mut said = Vec::new();
            Advice::default().of(elsewhere, |help| said.push(help));
            assert_eq!(
                said,
                if expected == [absent] { Vec::new() } else { expected },
                "all of memory is there"
            );
        }
    }
}
