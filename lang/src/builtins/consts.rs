//! Constants every program may name: `NULL`, error numbers, signals, open flags, the kinds of fault (language spec §8.4)
//! and those of the network and process libraries (runtime spec §17). All have type `int`, as the library inlines they
//! stand for have once folded (language spec §6.2).
//!
//! The values are Linux's on x86-64 and aarch64; where the two differ the table says so.

/// Error numbers of system calls.
#[rustfmt::skip]
const ERRNO: &[(&str, i64)] = &[
    ("EPERM", 1), ("ENOENT", 2), ("ESRCH", 3), ("EINTR", 4), ("EIO", 5), ("ENXIO", 6), ("E2BIG", 7),
    ("ENOEXEC", 8), ("EBADF", 9), ("ECHILD", 10), ("EAGAIN", 11), ("EWOULDBLOCK", 11), ("ENOMEM", 12),
    ("EACCES", 13), ("EFAULT", 14), ("ENOTBLK", 15), ("EBUSY", 16), ("EEXIST", 17), ("EXDEV", 18),
    ("ENODEV", 19), ("ENOTDIR", 20), ("EISDIR", 21), ("EINVAL", 22), ("ENFILE", 23), ("EMFILE", 24),
    ("ENOTTY", 25), ("ETXTBSY", 26), ("EFBIG", 27), ("ENOSPC", 28), ("ESPIPE", 29), ("EROFS", 30),
    ("EMLINK", 31), ("EPIPE", 32), ("EDOM", 33), ("ERANGE", 34), ("EDEADLK", 35), ("EDEADLOCK", 35),
    ("ENAMETOOLONG", 36), ("ENOLCK", 37), ("ENOSYS", 38), ("ENOTEMPTY", 39), ("ELOOP", 40), ("ENOMSG", 42),
    ("EIDRM", 43), ("ECHRNG", 44), ("EL2NSYNC", 45), ("EL3HLT", 46), ("EL3RST", 47), ("ELNRNG", 48),
    ("EUNATCH", 49), ("ENOCSI", 50), ("EL2HLT", 51), ("EBADE", 52), ("EBADR", 53), ("EXFULL", 54),
    ("ENOANO", 55), ("EBADRQC", 56), ("EBADSLT", 57), ("EBFONT", 59), ("ENOSTR", 60), ("ENODATA", 61),
    ("ETIME", 62), ("ENOSR", 63), ("ENONET", 64), ("ENOPKG", 65), ("EREMOTE", 66), ("ENOLINK", 67),
    ("EADV", 68), ("ESRMNT", 69), ("ECOMM", 70), ("EPROTO", 71), ("EMULTIHOP", 72), ("EDOTDOT", 73),
    ("EBADMSG", 74), ("EOVERFLOW", 75), ("ENOTUNIQ", 76), ("EBADFD", 77), ("EREMCHG", 78), ("ELIBACC", 79),
    ("ELIBBAD", 80), ("ELIBSCN", 81), ("ELIBMAX", 82), ("ELIBEXEC", 83), ("EILSEQ", 84), ("ERESTART", 85),
    ("ESTRPIPE", 86), ("EUSERS", 87), ("ENOTSOCK", 88), ("EDESTADDRREQ", 89), ("EMSGSIZE", 90),
    ("EPROTOTYPE", 91), ("ENOPROTOOPT", 92), ("EPROTONOSUPPORT", 93), ("ESOCKTNOSUPPORT", 94),
    ("ENOTSUP", 95), ("EOPNOTSUPP", 95), ("EPFNOSUPPORT", 96), ("EAFNOSUPPORT", 97), ("EADDRINUSE", 98),
    ("EADDRNOTAVAIL", 99), ("ENETDOWN", 100), ("ENETUNREACH", 101), ("ENETRESET", 102),
    ("ECONNABORTED", 103), ("ECONNRESET", 104), ("ENOBUFS", 105), ("EISCONN", 106), ("ENOTCONN", 107),
    ("ESHUTDOWN", 108), ("ETOOMANYREFS", 109), ("ETIMEDOUT", 110), ("ECONNREFUSED", 111),
    ("EHOSTDOWN", 112), ("EHOSTUNREACH", 113), ("EALREADY", 114), ("EINPROGRESS", 115), ("ESTALE", 116),
    ("EUCLEAN", 117), ("ENOTNAM", 118), ("ENAVAIL", 119), ("EISNAM", 120), ("EREMOTEIO", 121),
    ("EDQUOT", 122), ("ENOMEDIUM", 123), ("EMEDIUMTYPE", 124), ("ECANCELED", 125), ("ENOKEY", 126),
    ("EKEYEXPIRED", 127), ("EKEYREVOKED", 128), ("EKEYREJECTED", 129), ("EOWNERDEAD", 130),
    ("ENOTRECOVERABLE", 131), ("ERFKILL", 132), ("EHWPOISON", 133),
];

/// Signals.
#[rustfmt::skip]
const SIGNALS: &[(&str, i64)] = &[
    ("SIGHUP", 1), ("SIGINT", 2), ("SIGQUIT", 3), ("SIGILL", 4), ("SIGTRAP", 5), ("SIGABRT", 6),
    ("SIGIOT", 6), ("SIGBUS", 7), ("SIGFPE", 8), ("SIGKILL", 9), ("SIGUSR1", 10), ("SIGSEGV", 11),
    ("SIGUSR2", 12), ("SIGPIPE", 13), ("SIGALRM", 14), ("SIGTERM", 15), ("SIGSTKFLT", 16), ("SIGCHLD", 17),
    ("SIGCLD", 17), ("SIGCONT", 18), ("SIGSTOP", 19), ("SIGTSTP", 20), ("SIGTTIN", 21), ("SIGTTOU", 22),
    ("SIGURG", 23), ("SIGXCPU", 24), ("SIGXFSZ", 25), ("SIGVTALRM", 26), ("SIGPROF", 27), ("SIGWINCH", 28),
    ("SIGIO", 29), ("SIGPOLL", 29), ("SIGPWR", 30), ("SIGSYS", 31),
];

/// Open flags. The four that differ on aarch64 are corrected in [`constant`].
#[rustfmt::skip]
const OPEN_FLAGS: &[(&str, i64)] = &[
    ("O_RDONLY", 0o0), ("O_WRONLY", 0o1), ("O_RDWR", 0o2), ("O_ACCMODE", 0o3), ("O_CREAT", 0o100),
    ("O_EXCL", 0o200), ("O_NOCTTY", 0o400), ("O_TRUNC", 0o1000), ("O_APPEND", 0o2000),
    ("O_FSYNC", 0o4010000), ("O_ASYNC", 0o20000), ("O_NONBLOCK", 0o4000), ("O_NDELAY", 0o4000), ("O_DSYNC", 0o10000), ("O_SYNC", 0o4010000),
    ("O_RSYNC", 0o4010000), ("O_DIRECT", 0o40000), ("O_LARGEFILE", 0o100000), ("O_DIRECTORY", 0o200000),
    ("O_NOFOLLOW", 0o400000), ("O_NOATIME", 0o1000000), ("O_CLOEXEC", 0o2000000), ("O_PATH", 0o10000000),
    ("O_TMPFILE", 0o20200000),
];

/// Kinds of fault (language spec §12.1).
#[rustfmt::skip]
const FAULTS: &[(&str, i64)] = &[
    ("DTRACEFLT_UNKNOWN", 0), ("DTRACEFLT_BADADDR", 1), ("DTRACEFLT_BADALIGN", 2), ("DTRACEFLT_ILLOP", 3),
    ("DTRACEFLT_DIVZERO", 4), ("DTRACEFLT_NOSCRATCH", 5), ("DTRACEFLT_KPRIV", 6), ("DTRACEFLT_UPRIV", 7),
    ("DTRACEFLT_TUPOFLOW", 8), ("DTRACEFLT_BADSTACK", 9), ("DTRACEFLT_BADSIZE", 10),
    ("DTRACEFLT_BADINDEX", 11), ("DTRACEFLT_LIBRARY", 1000),
];

/// Constants of the other libraries: networks, processes and packets (runtime spec §17).
#[rustfmt::skip]
const LIBRARY: &[(&str, i64)] = &[
    ("B_BUSY", 1), ("B_DONE", 2), ("B_ERROR", 4), ("B_PAGEIO", 0x10), ("B_PHYS", 0x20), ("B_READ", 0x40),
    ("B_WRITE", 0x100), ("B_ASYNC", 0x400), ("PR_MODEL_UNKNOWN", 0), ("PR_MODEL_ILP32", 1), ("PR_MODEL_LP64", 2),
    ("REQ_WRITE", 1), ("REQ_SYNC", 0x800), ("BIO_USER_MAPPED", 6), ("IPPROTO_IP", 0), ("IPPROTO_HOPOPTS", 0),
    ("IPPROTO_ICMP", 1), ("IPPROTO_IGMP", 2), ("IPPROTO_IPIP", 4), ("IPPROTO_TCP", 6), ("IPPROTO_EGP", 8),
    ("IPPROTO_PUP", 12), ("IPPROTO_UDP", 17), ("IPPROTO_IDP", 22), ("IPPROTO_TP", 29), ("IPPROTO_DCCP", 33),
    ("IPPROTO_IPV6", 41), ("IPPROTO_ROUTING", 43), ("IPPROTO_FRAGMENT", 44), ("IPPROTO_RSVP", 46),
    ("IPPROTO_GRE", 47), ("IPPROTO_ESP", 50), ("IPPROTO_AH", 51), ("IPPROTO_ICMPV6", 58), ("IPPROTO_NONE", 59),
    ("IPPROTO_DSTOPTS", 60), ("IPPROTO_OSPF", 89), ("IPPROTO_MTP", 92), ("IPPROTO_BEETPH", 94),
    ("IPPROTO_ENCAP", 98), ("IPPROTO_PIM", 103), ("IPPROTO_COMP", 108), ("IPPROTO_SCTP", 132),
    ("IPPROTO_MH", 135), ("IPPROTO_UDPLITE", 136), ("IPPROTO_RAW", 255), ("IPPROTO_MAX", 256),
    ("TCP_MIN_HEADER_LENGTH", 20), ("RW_WRITER", 0), ("RW_READER", 1), ("AF_INET", 2), ("AF_INET6", 10),
    ("ARPHRD_ETHER", 1), ("ARPHRD_INFINIBAND", 32), ("NET_PROBE_OUTBOUND", 0), ("NET_PROBE_INBOUND", 1),
    ("PCAP_NULL", 0), ("PCAP_ETHER", 1), ("PCAP_WIFI", 105), ("PCAP_PPP", 9), ("PCAP_IP", 12),
    ("PCAP_IPOIB", 242), ("PR_STOPPED", 1), ("PR_ISTOP", 2), ("PR_DSTOP", 4), ("PR_IDLE", 0x1000_0000),
    ("SSLEEP", 1), ("SRUN", 2), ("SZOMB", 3), ("SSTOP", 4), ("SIDL", 5), ("SONPROC", 6), ("SWAIT", 7),
    ("CLD_EXITED", 1), ("CLD_KILLED", 2), ("CLD_DUMPED", 3), ("CLD_TRAPPED", 4), ("CLD_STOPPED", 5),
    ("CLD_CONTINUED", 6), ("TH_FIN", 1), ("TH_SYN", 2), ("TH_RST", 4), ("TH_PSH", 8), ("TH_ACK", 0x10),
    ("TH_URG", 0x20), ("TH_ECE", 0x40), ("TH_CWR", 0x80), ("TCP_STATE_IDLE", 0), ("TCP_STATE_ESTABLISHED", 1),
    ("TCP_STATE_SYN_SENT", 2), ("TCP_STATE_SYN_RECEIVED", 3), ("TCP_STATE_FIN_WAIT_1", 4),
    ("TCP_STATE_FIN_WAIT_2", 5), ("TCP_STATE_TIME_WAIT", 6), ("TCP_STATE_CLOSED", 7),
    ("TCP_STATE_CLOSE_WAIT", 8), ("TCP_STATE_LAST_ACK", 9), ("TCP_STATE_LISTEN", 10), ("TCP_STATE_CLOSING", 11),
];

/// Indices of `uregs[]`: the names that the specification gives x86-64. The first 21 are words of the kernel's `pt_regs` in
/// their order. Sources read registers on x86-64 alone; the names of other processors are those of their `regs.d`, and
/// whoever uses them there is told so.
#[cfg(not(target_arch = "aarch64"))]
#[rustfmt::skip]
const REGISTERS: &[(&str, i64)] = &[
    ("R_R15", 0), ("R_R14", 1), ("R_R13", 2), ("R_R12", 3), ("R_RBP", 4), ("R_RBX", 5), ("R_R11", 6), ("R_R10", 7),
    ("R_R9", 8), ("R_R8", 9), ("R_RAX", 10), ("R_RCX", 11), ("R_RDX", 12), ("R_RSI", 13), ("R_RDI", 14), ("R_ERR", 15),
    ("R_RIP", 16), ("R_CS", 17), ("R_RFL", 18), ("R_RSP", 19), ("R_SS", 20), ("R_DS", 21), ("R_ES", 22), ("R_FS", 23),
    ("R_GS", 24), ("R_TRAPNO", 25), ("R_EBP", 4), ("R_EBX", 5), ("R_EAX", 10), ("R_ECX", 11), ("R_EDX", 12),
    ("R_ESI", 13), ("R_EDI", 14), ("R_EIP", 16), ("R_EFL", 18), ("R_ESP", 19), ("R_PC", 16), ("R_FP", 4), ("R_SP", 19),
    ("R_PS", 18), ("R_R0", 10), ("R_R1", 5),
];

/// Indices of `uregs[]`.
#[cfg(target_arch = "aarch64")]
#[rustfmt::skip]
const REGISTERS: &[(&str, i64)] = &[
    ("R_X0", 0), ("R_X1", 1), ("R_X2", 2), ("R_X3", 3), ("R_X4", 4), ("R_X5", 5), ("R_X6", 6), ("R_X7", 7), ("R_X8", 8),
    ("R_X9", 9), ("R_X10", 10), ("R_X11", 11), ("R_X12", 12), ("R_X13", 13), ("R_X14", 14), ("R_X15", 15),
    ("R_X16", 16), ("R_X17", 17), ("R_X18", 18), ("R_X19", 19), ("R_X20", 20), ("R_X21", 21), ("R_X22", 22),
    ("R_X23", 23), ("R_X24", 24), ("R_X25", 25), ("R_X26", 26), ("R_X27", 27), ("R_X28", 28), ("R_X29", 29),
    ("R_X30", 30), ("R_FP", 29), ("R_SP", 31), ("R_PC", 32), ("R_PSTATE", 33),
];

/// The name of a signal; of two for one number the older.
pub fn signal_name(number: i64) -> Option<&'static str> {
    SIGNALS.iter().find(|(_, value)| *value == number).map(|(name, _)| *name)
}

/// The index in `uregs[]` of a register, by its name in D.
pub fn register(name: &str) -> Option<u32> {
    let index = REGISTERS.iter().find(|(own, _)| *own == name)?.1;
    u32::try_from(index).ok().filter(|&index| index < super::vars::REGISTERS)
}

/// The names of all constants, for suggestions.
pub fn names() -> impl Iterator<Item = &'static str> {
    let tables = [ERRNO, SIGNALS, OPEN_FLAGS, FAULTS, REGISTERS, LIBRARY];
    tables.into_iter().flatten().map(|(name, _)| *name).chain(["NULL"])
}

/// The value of a constant by its name.
pub fn constant(name: &str) -> Option<i64> {
    if name == "NULL" {
        return Some(0);
    }
    if cfg!(target_arch = "aarch64") {
        match name {
            "O_DIRECTORY" => return Some(0o40000),
            "O_NOFOLLOW" => return Some(0o100000),
            "O_DIRECT" => return Some(0o200000),
            "O_LARGEFILE" => return Some(0o400000),
            _ => {}
        }
    }
    let tables: &[_] = match name.as_bytes().first()? {
        b'E' => &[ERRNO],
        b'S' => &[SIGNALS, LIBRARY],
        b'O' => &[OPEN_FLAGS],
        b'D' => &[FAULTS],
        b'R' => &[REGISTERS, LIBRARY],
        _ => &[LIBRARY],
    };
    tables.iter().copied().flatten().find(|(n, _)| *n == name).map(|(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use super::constant;

    #[test]
    fn values() {
        for (name, value) in [
            ("NULL", Some(0)),
            ("EPERM", Some(1)),
            ("EAGAIN", Some(11)),
            ("SIGKILL", Some(9)),
            ("O_RDWR", Some(2)),
            ("DTRACEFLT_BADADDR", Some(1)),
            ("DTRACEFLT_LIBRARY", Some(1000)),
            ("EHWPOISON", Some(133)),
            ("SRUN", Some(2)),
            ("IPPROTO_IP", Some(0)),
            ("IPPROTO_HOPOPTS", Some(0)),
            ("IPPROTO_UDP", Some(17)),
            ("IPPROTO_MAX", Some(256)),
            ("AF_INET6", Some(10)),
            ("PR_IDLE", Some(0x1000_0000)),
            ("CLD_CONTINUED", Some(6)),
            ("TH_CWR", Some(128)),
            ("TCP_STATE_CLOSING", Some(11)),
            ("PCAP_WIFI", Some(105)),
            ("BIO_USER_MAPPED", Some(6)),
            ("B_READ", Some(0x40)),
            ("RW_READER", Some(1)),
            ("EGHOST", None),
            ("SGHOST", None),
            ("", None),
        ] {
            assert_eq!(constant(name), value, "{name}");
        }
    }
}
