//! The D library, embedded: text only, handed to `lang` as source. What needs no declaration (`NULL`, errno and signal
//! names, …) is not here but in `lang`'s tables.
//!
//! A file is compiled only for programs that use a word it defines: [`used_by`] says which those are.

/// One library file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LibraryFile {
    /// What messages and `#pragma D depends_on library` call it.
    pub name: &'static str,
    /// Its D text.
    pub text: &'static str,
    /// The words that make a program need it: the types, inlines, members' translators and providers it defines.
    pub defines: &'static [&'static str],
    /// The provider whose `args[]` have its types without naming them.
    pub provider: Option<&'static str>,
    /// The files it depends on, directly.
    pub needs: &'static [&'static str],
}

/// Every file, in dependency order: each uses only those before it.
pub const FILES: &[LibraryFile] = &[
    LibraryFile {
        name: "platform.d",
        text: include_str!("../lib/platform.d"),
        defines: &["zonename", "pset"],
        provider: None,
        needs: &[],
    },
    LibraryFile {
        name: "cpu.d",
        text: include_str!("../lib/cpu.d"),
        defines: &["cpuinfo_t", "curcpu"],
        provider: None,
        needs: &[],
    },
    LibraryFile {
        name: "procfs.d",
        text: include_str!("../lib/procfs.d"),
        defines: PROCFS,
        provider: Some("proc"),
        needs: &[],
    },
    LibraryFile {
        name: "directories.d",
        text: include_str!("../lib/directories.d"),
        defines: &["cwd", "root"],
        provider: None,
        needs: &[],
    },
    LibraryFile {
        name: "files.d",
        text: include_str!("../lib/files.d"),
        defines: &["fileinfo_t", "fds"],
        provider: None,
        needs: &[],
    },
    LibraryFile {
        name: "io.d",
        text: include_str!("../lib/io.d"),
        defines: &["bufinfo_t", "devinfo_t"],
        provider: None,
        needs: &[],
    },
    LibraryFile {
        name: "net.d",
        text: include_str!("../lib/net.d"),
        defines: NET,
        provider: None,
        needs: &[],
    },
];

/// What net.d defines.
const NET: &[&str] = &[
    "conninfo_t",
    "netstackid_t",
    "in6_addr_t",
    "pktinfo_t",
    "csinfo_t",
    "ipinfo_t",
    "ifinfo_t",
    "ipv4info_t",
    "ipv6info_t",
    "tcpinfo_t",
    "tcpsinfo_t",
    "tcplsinfo_t",
    "udpinfo_t",
    "udpsinfo_t",
    "tcp_state_string",
];

/// What procfs.d defines. Members are among it: a probe description can have provider `proc` without naming it.
const PROCFS: &[&str] = &[
    "psinfo_t",
    "lwpsinfo_t",
    "siginfo_t",
    "timestruc_t",
    "curpsinfo",
    "curlwpsinfo",
    "pr_addr",
    "pr_argc",
    "pr_argv",
    "pr_bindpro",
    "pr_bindpset",
    "pr_clname",
    "pr_contract",
    "pr_cpu",
    "pr_ctime",
    "pr_dmodel",
    "pr_egid",
    "pr_envp",
    "pr_euid",
    "pr_flag",
    "pr_fname",
    "pr_gid",
    "pr_lgrp",
    "pr_lwp",
    "pr_lwpid",
    "pr_name",
    "pr_nice",
    "pr_nlwp",
    "pr_nzomb",
    "pr_oldpri",
    "pr_onpro",
    "pr_pctcpu",
    "pr_pctmem",
    "pr_pgid",
    "pr_pid",
    "pr_poolid",
    "pr_ppid",
    "pr_pri",
    "pr_projid",
    "pr_psargs",
    "pr_rssize",
    "pr_sid",
    "pr_size",
    "pr_sname",
    "pr_start",
    "pr_state",
    "pr_stype",
    "pr_syscall",
    "pr_taskid",
    "pr_time",
    "pr_ttydev",
    "pr_uid",
    "pr_wchan",
    "pr_wstat",
    "pr_zoneid",
    "si_addr",
    "si_band",
    "si_code",
    "si_errno",
    "si_fd",
    "si_int",
    "si_pid",
    "si_ptr",
    "si_signo",
    "si_status",
    "si_uid",
];

/// DTrace's library files whose definitions `lang` has in its tables, or that a file of another name has here: who depends on
/// one has what it defines.
const BY_OTHER_NAMES: &[&str] = &[
    "errno.d",
    "ip.d",
    "lockstat.d",
    "pcap.d",
    "regs.d",
    "sched.d",
    "signal.d",
    "tcp.d",
    "udp.d",
    "unistd.d",
];

/// Whether a file to depend on is the library's, needed by the program or not.
pub fn has(name: &str) -> bool {
    BY_OTHER_NAMES.contains(&name) || FILES.iter().any(|file| file.name == name)
}

/// The files that a program needs which uses the words for which `uses` answers true, in dependency order.
pub fn used_by(uses: &dyn Fn(&str) -> bool) -> Vec<&'static LibraryFile> {
    let mut needed = vec![false; FILES.len()];
    for (i, file) in FILES.iter().enumerate().rev() {
        needed[i] |=
            file.defines.iter().any(|word| uses(word)) || uses("args") && file.provider.is_some_and(uses);
        if needed[i] {
            let earlier = FILES[..i].iter().enumerate().filter(|(_, other)| file.needs.contains(&other.name));
            earlier.for_each(|(j, _)| needed[j] = true);
        }
    }
    FILES.iter().zip(needed).filter(|(_, needed)| *needed).map(|(file, _)| file).collect()
}

/// The types, variables and arrays that the library defines, for who leaves it out.
pub fn names() -> impl Iterator<Item = &'static str> {
    // Members are nothing without their structs, and all begin alike.
    let is_member = |word: &str| word.starts_with("pr_") || word.starts_with("si_");
    FILES.iter().flat_map(|file| file.defines.iter().copied()).filter(move |word| !is_member(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_what_they_define() {
        let names =
            |word: &str| used_by(&|other| other == word).iter().map(|file| file.name).collect::<Vec<_>>();
        assert_eq!(names("zonename"), ["platform.d"]);
        assert_eq!(names("curlwpsinfo"), ["procfs.d"]);
        assert_eq!(names("pr_psargs"), ["procfs.d"]);
        // Whatever member is asked for: a mistake gets its own message.
        let proc = used_by(&|word| ["proc", "args"].contains(&word));
        assert_eq!(proc.iter().map(|file| file.name).collect::<Vec<_>>(), ["procfs.d"]);
        assert_eq!(names("proc"), Vec::<&str>::new());
        assert_eq!(names("nothing"), Vec::<&str>::new());
        assert_eq!(names("tcp_state_string"), ["net.d"]);
        assert_eq!(names("devinfo_t"), ["io.d"]);
    }

    #[test]
    fn names_are_no_members() {
        let names: Vec<&str> = names().take(11).collect();
        let expected = [
            "zonename",
            "pset",
            "cpuinfo_t",
            "curcpu",
            "psinfo_t",
            "lwpsinfo_t",
            "siginfo_t",
            "timestruc_t",
            "curpsinfo",
            "curlwpsinfo",
            "cwd",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn what_is_listed_is_defined() {
        for (i, file) in FILES.iter().enumerate() {
            for word in file.defines {
                assert!(file.text.contains(word), "{}: {word}", file.name);
            }
            for needed in file.needs {
                assert!(FILES[..i].iter().any(|other| other.name == *needed), "{}: {needed}", file.name);
            }
        }
    }
}
