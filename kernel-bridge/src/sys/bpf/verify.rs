//! Programs put before the verifier for what it says. aya keeps that of programs which are refused only.
//!
//! Comes in: code as the kernel takes it. Goes out: the verifier's words. Never: a program that stays in the kernel.

use std::ffi::CStr;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

use super::{Attr, LoadAttr, address_mut, bpf, cmd};

/// Each instruction with the state before it, and what the work took. The first of these levels alone keeps nothing but the
/// last line of a program that is taken.
const LEVEL: u32 = 1 | 2 | 4;
/// What kernels before 5.18 demand at least of a buffer.
const LEAST: u64 = 128;
/// What the kernel takes at most for a buffer's size.
const MOST: u64 = (u32::MAX >> 2) as u64;

/// [`LoadAttr`] with the members behind it, to the last that is used here.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct CheckAttr {
    load: LoadAttr,
    prog_ifindex: u32,
    expected_attach_type: u32,
    prog_btf_fd: u32,
    func_info_rec_size: u32,
    func_info: u64,
    func_info_cnt: u32,
    line_info_rec_size: u32,
    line_info: u64,
    line_info_cnt: u32,
    attach_btf_id: u32,
    attach_fd: u32,
    core_relo_cnt: u32,
    fd_array: u64,
    core_relos: u64,
    core_relo_rec_size: u32,
    log_true_size: u32,
}

/// A program for the verifier.
#[derive(Clone, Copy, Debug)]
pub struct Check<'a> {
    /// Shown by tools; its first 15 bytes.
    pub name: &'a str,
    /// `BPF_PROG_TYPE_…`
    pub kind: u32,
    /// `BPF_…`, of the kinds that have one; else 0.
    pub attach_type: u32,
    /// The type in the kernel's BTF that a typed program is attached by; else 0.
    pub attach_btf_id: u32,
    /// Its instructions; maps are named by descriptors.
    pub code: &'a [u64],
    /// Its license.
    pub license: &'a CStr,
}

/// What the verifier said.
#[derive(Debug)]
pub struct Verdict {
    /// Its words, or as much of them as there was room for: the end of them, before Linux 6.4 the start.
    pub log: Vec<u8>,
    /// Why the program was not taken. That its words did not fit is no such reason.
    pub refused: Option<io::Error>,
    /// Bytes that there was room for, if they were too few.
    pub cut_to: Option<u64>,
    /// Bytes of everything that it said, where the kernel tells (Linux 6.4).
    pub whole: Option<u64>,
}

/// Has a program checked, keeping about `size` bytes of what is said. The program is freed again.
pub fn check(program: &Check<'_>, size: u64) -> Verdict {
    let size = size.clamp(LEAST, MOST);
    // Pages that nothing is written to are never there.
    let mut log = vec![0; size as usize];
    let mut name = [0; 16];
    for (place, byte) in name.iter_mut().zip(program.name.bytes().take(15)) {
        *place = byte;
    }
    let mut attr = Attr::zero();
    attr.check = CheckAttr {
        load: LoadAttr {
            prog_type: program.kind,
            insn_cnt: program.code.len() as u32,
            insns: program.code.as_ptr() as u64,
            license: program.license.as_ptr() as u64,
            log_level: LEVEL,
            log_size: size as u32,
            log_buf: address_mut(&mut log),
            kern_version: 0,
            prog_flags: 0,
            name,
        },
        prog_ifindex: 0,
        expected_attach_type: program.attach_type,
        prog_btf_fd: 0,
        func_info_rec_size: 0,
        func_info: 0,
        func_info_cnt: 0,
        line_info_rec_size: 0,
        line_info: 0,
        line_info_cnt: 0,
        attach_btf_id: program.attach_btf_id,
        attach_fd: 0,
        core_relo_cnt: 0,
        fd_array: 0,
        core_relos: 0,
        core_relo_rec_size: 0,
        log_true_size: 0,
    };
    // SAFETY: the code is as long as it says, the license is a string, the log has room for `log_size` bytes; there are no
    // types, lines or relocations.
    let loaded = unsafe { bpf(cmd::PROG_LOAD, &mut attr) };
    let refused = match loaded {
        Ok(fd) => {
            // SAFETY: a new descriptor that nobody else owns; it is closed here.
            drop(unsafe { OwnedFd::from_raw_fd(fd as i32) });
            None
        }
        Err(error) => Some(error),
    };
    // SAFETY: the kernel wrote a number into this member, or left the 0.
    let whole = Some(u64::from(unsafe { attr.check.log_true_size })).filter(|&whole| whole > 0);
    let full = refused.as_ref().and_then(io::Error::raw_os_error) == Some(libc::ENOSPC);
    log.truncate(log.iter().position(|&byte| byte == 0).unwrap_or(log.len()));
    Verdict { log, refused: refused.filter(|_| !full), cut_to: full.then_some(size), whole }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::privileged;

    /// r0 = 0, exit.
    const NOTHING: [u64; 2] = [0xb7, 0x95];

    fn checked(code: &[u64], size: u64) -> Verdict {
        const RAW_TRACEPOINT: u32 = 17;
        let license = c"GPL";
        let (attach_type, attach_btf_id) = (0, 0);
        check(&Check { name: "test", kind: RAW_TRACEPOINT, attach_type, attach_btf_id, code, license }, size)
    }

    #[test]
    fn what_is_said_of_good_and_bad_programs_is_kept() {
        if !privileged() {
            return;
        }
        let good = checked(&NOTHING, 1 << 16);
        let log = String::from_utf8(good.log).expect("words");
        assert!(log.contains("0: (b7) r0 = 0 ") && log.contains("processed 2 insns"), "{log}");
        assert!(good.refused.is_none() && good.cut_to.is_none());
        let bad = checked(&NOTHING[1..], 1 << 16);
        let log = String::from_utf8(bad.log).expect("words");
        assert!(log.contains("R0 !read_ok"), "{log}");
        assert_eq!(bad.refused.and_then(|e| e.raw_os_error()), Some(libc::EACCES));
        assert_eq!(bad.cut_to, None);
    }

    #[test]
    fn what_does_not_fit_is_no_refusal() {
        if !privileged() {
            return;
        }
        let code: Vec<u64> = std::iter::repeat_n(0xb7, 500).chain([0x95]).collect();
        let cut = checked(&code, 0);
        assert!(cut.refused.is_none(), "{:?}", cut.refused);
        assert_eq!(cut.cut_to, Some(LEAST));
        assert_eq!(cut.log.len() as u64, LEAST - 1, "and the NUL");
        if let Some(whole) = cut.whole {
            // It says how long it took, in more digits the one time than the other.
            const DIGITS: u64 = 10;
            let all = checked(&code, whole + DIGITS);
            assert_eq!(all.cut_to, None, "that much is enough");
            let said = all.log.len() as u64 + 1;
            assert!(said.abs_diff(whole) < DIGITS, "{said} bytes, not {whole}");
        }
    }
}
