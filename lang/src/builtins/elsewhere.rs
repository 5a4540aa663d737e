//! Names that other systems' scripts use and Linux does not have: types, variables and functions of their kernels, modules
//! and system calls. In: a name nobody knows. Out: a sentence that says whose it is and what Linux has instead, or nothing.
//!
//! Nothing is accepted here: what these names stood for is not what their counterparts are.

use crate::env::ProbePattern;

/// Types of other kernels, and the counterpart here; an empty one has none.
#[rustfmt::skip]
const TYPES: &[(&str, &str)] = &[
    ("vnode_t", "`struct inode`, or `struct dentry` for its name"),
    ("znode_t", "`struct inode`"),
    ("proc_t", "`struct task_struct`"),
    ("kthread_t", "`struct task_struct`"),
    ("klwp_t", "`struct task_struct`"),
    ("cred_t", "`struct cred`"),
    ("file_t", "`struct file`"),
    ("uf_entry_t", "`struct fdtable`"),
    ("uio_t", "`struct iov_iter`"),
    ("buf_t", "`struct bio`, or `bufinfo_t` of provider io"),
    ("mblk_t", "`struct sk_buff`"),
    ("queue_t", "`struct Qdisc`"),
    ("conn_t", "`struct sock`"),
    ("tcp_t", "`struct tcp_sock`"),
    ("ill_t", "`struct net_device`"),
    ("sonode_t", "`struct socket`"),
    ("cpu_t", "`struct rq`, or `curcpu`"),
    ("disp_t", "`struct rq`"),
    ("kmutex_t", "`struct mutex`"),
    ("krwlock_t", "`struct rw_semaphore`"),
    ("kcondvar_t", "`struct wait_queue_head`"),
    ("page_t", "`struct page`"),
    ("vfs_t", "`struct super_block`"),
    ("dev_info_t", "`struct device`"),
    ("kmem_cache_t", "`struct kmem_cache`"),
    ("arc_buf_t", ""),
    ("zio_t", ""),
    ("pri_t", "`int`"),
    ("zone_t", ""),
    ("task_t", "`struct task_struct`"),
    ("thread_t", "`struct task_struct`"),
    ("uthread_t", "`struct task_struct`"),
];

/// Tags of structs of other kernels, and the counterpart here.
#[rustfmt::skip]
const TAGS: &[(&str, &str)] = &[
    ("proc", "`struct task_struct`"),
    ("thread", "`struct task_struct`"),
    ("_kthread", "`struct task_struct`"),
    ("_klwp", "`struct task_struct`"),
    ("vnode", "`struct inode`, or `struct dentry` for its name"),
    ("znode", "`struct inode`"),
    ("mbuf", "`struct sk_buff`"),
    ("ucred", "`struct cred`"),
    ("buf", "`struct bio`, or `bufinfo_t` of provider io"),
    ("msgb", "`struct sk_buff`"),
    ("inpcb", "`struct sock`"),
    ("tcpcb", "`struct tcp_sock`"),
    ("ifnet", "`struct net_device`"),
    ("nameidata", "`struct path`"),
];

/// Members of other kernels' threads and processes, and what tells the same of the current thread.
#[rustfmt::skip]
const MEMBERS: &[(&str, &str)] = &[
    ("t_procp", "a thread and its process are one `struct task_struct`"),
    ("td_proc", "a thread and its process are one `struct task_struct`"),
    ("t_name", "its name is `comm`"),
    ("td_name", "its name is `comm`"),
    ("p_comm", "its name is `comm`"),
    ("p_exec", "its file is `mm->exe_file`"),
    ("t_pri", "its priority is `prio`"),
    ("td_priority", "its priority is `prio`"),
    ("t_did", "its number is `pid`"),
    ("t_tid", "its number is `pid`"),
    ("td_tid", "its number is `pid`"),
    ("p_pid", "the number of the process is `tgid`"),
    ("p_pidp", "the number of the process is `tgid`"),
    ("p_parent", "its parent is `real_parent`"),
    ("p_pptr", "its parent is `real_parent`"),
    ("t_cred", "its credentials are `cred`"),
    ("td_ucred", "its credentials are `cred`"),
    ("p_cred", "its credentials are `cred`"),
    ("t_cpu", "the number of the CPU is the variable `cpu`"),
    ("t_lockp", "it waits in `blocked_on`"),
    ("t_start", "it began at `start_time`"),
    ("p_start", "it began at `start_time`"),
];

/// Variables of other DTraces, and what to write instead.
#[rustfmt::skip]
const VARIABLES: &[(&str, &str)] = &[
    ("threadname", "`execname` is the name of the thread"),
    ("jid", "there are no jails on Linux"),
    ("jailname", "there are no jails on Linux"),
    ("execargs", "`curpsinfo->pr_psargs` has the arguments"),
    ("vmregs", "there are no such registers on Linux"),
    ("regs", "`uregs[]` has the registers of user space"),
    ("curproc", "`curthread` is the current task, and `pid` and `execname` tell of it"),
    ("curlwp", "`curthread` is the current task, and `tid` its number"),
    ("projid", "there are no projects on Linux"),
    ("taskid", "there are no tasks of projects on Linux"),
    ("poolid", "there are no pools on Linux"),
    ("pgrp", "`curpsinfo->pr_pgid` is the process group"),
    ("machtimestamp", "`timestamp` is a clock in nanoseconds"),
    ("dispatch_qlabel", "there are no dispatch queues on Linux"),
];

/// System calls of other systems, and those that programs make on Linux in their place: what its C library calls, not what
/// has the nearest name (`open64()` is `openat`, and `open` is called by nobody).
#[rustfmt::skip]
const CALLS: &[(&str, &str)] = &[
    ("open64", "openat"), ("openat64", "openat"), ("creat64", "creat"), ("stat64", "newfstatat"), ("lstat64", "newfstatat"),
    ("fstat64", "newfstat"), ("fstatat", "newfstatat"), ("fstatat64", "newfstatat"), ("exece", "execve"),
    ("exec", "execve"), ("rexit", "exit_group"), ("fork1", "clone"), ("forkall", "clone"), ("forksys", "clone"),
    ("lwp_create", "clone3"), ("lwp_exit", "exit"), ("lwp_park", "futex"), ("lwp_cond_wait", "futex"),
    ("xstat", "newfstatat"), ("lxstat", "newfstatat"), ("fxstat", "newfstat"), ("pollsys", "poll"), ("llseek", "lseek"),
    ("mmap64", "mmap"), ("so_socket", "socket"), ("connectx", "connect"), ("sigtimedwait", "rt_sigtimedwait"),
    ("sigaction", "rt_sigaction"), ("sigprocmask", "rt_sigprocmask"), ("waitsys", "wait4"), ("waitid", "wait4"),
    ("unlink64", "unlink"), ("getdents64_nocancel", "getdents64"), ("read_nocancel", "read"),
    ("write_nocancel", "write"), ("open_nocancel", "openat"), ("sendfilev", "sendfile64"),
    ("sysconfig", "sysinfo"), ("systeminfo", "sysinfo"), ("memcntl", "madvise"), ("brand", ""), ("zone", ""),
];

/// Providers of other systems, and what tells of the same here; an empty one has none.
#[rustfmt::skip]
const PROVIDERS: &[(&str, &str)] = &[
    ("fsinfo", "`syscall` tells of calls on files"),
    ("vfs", "`syscall` tells of calls on files"),
    ("mach_trap", "`syscall` tells of calls of the kernel"),
    ("nfsv3", ""),
    ("nfsv4", ""),
    ("smb", ""),
    ("smb2", ""),
    ("iscsi", "trace events of SCSI are probes of `sdt:scsi`"),
    ("fc", "trace events of SCSI are probes of `sdt:scsi`"),
    ("dtmalloc", "trace events of memory are probes of `sdt:kmem`"),
];

/// Beginnings of function names of other kernels, with those of Linux.
#[rustfmt::skip]
const FUNCTIONS: &[(&str, &str)] = &[
    ("ufs_", "the file system's functions begin with its name, as in `fbt::ext4_*:entry`"),
    ("zpl_", "the file system's functions begin with its name, as in `fbt::ext4_*:entry`"),
    ("fop_", "file systems are called through `fbt::vfs_*:entry`"),
    ("bdev_strategy", "requests to disks start in `fbt::submit_bio:entry`, and provider `io` tells of them"),
    ("biodone", "requests to disks end in `fbt::bio_endio:entry`, and provider `io` tells of them"),
    ("sd_", "SCSI disks are in module `sd_mod`"),
    ("kmem_alloc", "memory is had from `fbt::__kmalloc*:entry`"),
    ("kmem_zalloc", "memory is had from `fbt::__kmalloc*:entry`"),
    ("cv_wait", "threads wait in `fbt::schedule:entry`, and provider `sched` tells of it"),
    ("ip_tcp_input", "segments arrive in `fbt::tcp_v4_rcv:entry`, and provider `tcp` tells of them"),
    ("tcp_rput", "segments arrive in `fbt::tcp_v4_rcv:entry`, and provider `tcp` tells of them"),
];

/// Advice for a name that should be a type's.
pub fn of_type(name: &str) -> Option<String> {
    let (_, ours) = TYPES.iter().find(|row| row.0 == name)?;
    Some(match ours.is_empty() {
        true => format!("`{name}` is a type of another system's kernel; Linux has no counterpart"),
        false => format!("`{name}` is a type of another system's kernel; on Linux it is {ours}"),
    })
}

/// Advice for a tag of which there is no struct.
pub fn of_tag(tag: &str) -> Option<String> {
    let (_, ours) = TAGS.iter().find(|row| row.0 == tag)?;
    Some(format!("`struct {tag}` is of another system's kernel; on Linux it is {ours}"))
}

/// Advice for a member that a task does not have.
pub fn of_task_member(name: &str) -> Option<String> {
    let (_, ours) = MEMBERS.iter().find(|row| row.0 == name)?;
    Some(format!("`{name}` is of another system's kernel; on Linux {ours}"))
}

/// Advice for a name that should be a variable's.
pub fn of_variable(name: &str) -> Option<&'static str> {
    VARIABLES.iter().find(|row| row.0 == name).map(|row| row.1)
}

/// Advice for a provider of another system.
pub fn of_provider(name: &str) -> Option<String> {
    let (_, ours) = PROVIDERS.iter().find(|row| row.0 == name)?;
    Some(match ours.is_empty() {
        true => format!("`{name}` is a provider of another system; Linux has no counterpart"),
        false => format!("`{name}` is a provider of another system: {ours}"),
    })
}

/// Advice for a description that matches nothing since it names what another kernel has.
pub fn of_probe(pattern: &ProbePattern) -> Option<String> {
    let ProbePattern { provider, module, function, .. } = pattern;
    if matches!(provider.as_str(), "sysinfo" | "vminfo" | "mib" | "fpuinfo" | "kstat") {
        return Some(format!(
            "provider `{provider}` counts for another system's kernel; Linux has no counterpart"
        ));
    }
    if let Some(advice) = of_provider(provider) {
        return Some(advice);
    }
    if let Some((_, ours)) = CALLS.iter().find(|row| provider == "syscall" && row.0 == function) {
        return Some(match ours.is_empty() {
            true => format!("`{function}` is a system call of another system; Linux has no counterpart"),
            false => {
                format!(
                    "`{function}` is a system call of another system; programs on Linux call `syscall::{ours}:`"
                )
            }
        });
    }
    if let Some((_, ours)) = FUNCTIONS.iter().find(|row| function.starts_with(row.0)) {
        return Some(format!("`{function}` is a function of another system's kernel: {ours}"));
    }
    if matches!(
        module.as_str(),
        "genunix" | "unix" | "kernel" | "mach_kernel" | "ufs" | "specfs" | "freebsd" | "freebsd32"
    ) {
        return Some(format!("`{module}` is a module of another system's kernel; Linux's own is `vmlinux`"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(text: [&str; 4]) -> Option<String> {
        let [provider, module, function, name] = text.map(String::from);
        of_probe(&ProbePattern { provider, module, function, name })
    }

    #[test]
    fn advice_names_the_counterpart() {
        assert_eq!(
            of_type("vnode_t").as_deref(),
            Some(
                "`vnode_t` is a type of another system's kernel; on Linux it is `struct inode`, or `struct dentry` for its \
                 name"
            )
        );
        assert_eq!(
            of_type("zone_t").as_deref(),
            Some("`zone_t` is a type of another system's kernel; Linux has no counterpart")
        );
        assert_eq!(
            of_tag("mbuf").as_deref(),
            Some("`struct mbuf` is of another system's kernel; on Linux it is `struct sk_buff`")
        );
        assert_eq!(
            of_task_member("t_procp").as_deref(),
            Some(
                "`t_procp` is of another system's kernel; on Linux a thread and its process are one `struct task_struct`"
            )
        );
        assert_eq!(of_type("uint64_t"), None);
        for (call, ours) in [
            ("open64", "openat"),
            ("stat64", "newfstatat"),
            ("fork1", "clone"),
            ("lwp_create", "clone3"),
            ("open_nocancel", "openat"),
        ] {
            let advice = format!(
                "`{call}` is a system call of another system; programs on Linux call `syscall::{ours}:`"
            );
            assert_eq!(probe(["syscall", "", call, "entry"]), Some(advice));
        }
        assert_eq!(
            probe(["fbt", "", "ufs_read", "entry"]).as_deref(),
            Some(
                "`ufs_read` is a function of another system's kernel: the file system's functions begin with its name, as in \
                 `fbt::ext4_*:entry`"
            )
        );
        assert_eq!(
            probe(["fbt", "genunix", "", "entry"]).as_deref(),
            Some("`genunix` is a module of another system's kernel; Linux's own is `vmlinux`")
        );
        assert_eq!(probe(["syscall", "", "read", "entry"]), None);
    }

    #[test]
    fn names_are_listed_once() {
        for table in [TYPES, TAGS, MEMBERS, VARIABLES, CALLS, PROVIDERS, FUNCTIONS] {
            for (i, row) in table.iter().enumerate() {
                assert!(table[..i].iter().all(|other| other.0 != row.0), "{}", row.0);
            }
        }
    }
}
