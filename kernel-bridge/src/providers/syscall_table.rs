//! The system calls: names, numbers and argument types, so that the common path needs no tracefs.
//!
//! Names are the event suffixes of tracefs (`newstat`, `pread64`), not those of the C library; [`ALIASES`] has the
//! familiar ones. Types are those of the kernel's prototypes in D's spelling, `const` dropped.
//!
//! Made on Linux 6.18 (x86-64) from `events/syscalls/sys_enter_*/format` for names and types, `asm/unistd_64.h` for
//! x86-64 numbers and `asm-generic/unistd.h` for arm64 numbers; the prototypes of the calls which that kernel was built
//! without (modules, kexec, `lookup_dcookie`, `map_shadow_stack`, `sysfs`, `uselib`) come from their manual pages. New
//! kernels only ever add rows.

use std::sync::LazyLock;

/// One system call.
#[derive(Clone, Copy, Debug)]
pub struct Syscall {
    /// The suffix of its tracefs events.
    pub name: &'static str,
    x86_64: i16,
    aarch64: i16,
    /// The C types of its arguments, at most six. Pointers are to the caller's memory.
    pub args: &'static [&'static str],
}

impl Syscall {
    /// Its number on the architecture that this program is built for; `None` if there is no such call there.
    pub fn number(&self) -> Option<u32> {
        u32::try_from(if cfg!(target_arch = "aarch64") { self.aarch64 } else { self.x86_64 }).ok()
    }

    /// Whether it comes back to its caller with a result. `execve` counts: its failures return, and so does the new
    /// image, and `rt_sigreturn`, whose result is the register that it restored.
    pub fn returns(&self) -> bool {
        !matches!(self.name, "exit" | "exit_group")
    }
}

/// Familiar names of calls whose tracefs name differs: (familiar, primary). They name the same probe.
pub const ALIASES: &[(&str, &str)] = &[
    ("fstat", "newfstat"),
    ("fstatat", "newfstatat"),
    ("lstat", "newlstat"),
    ("pread", "pread64"),
    ("pwrite", "pwrite64"),
    ("sendfile", "sendfile64"),
    ("stat", "newstat"),
    ("umount2", "umount"),
    ("uname", "newuname"),
];

/// The call with this primary name.
pub fn by_name(name: &str) -> Option<&'static Syscall> {
    SYSCALLS.binary_search_by_key(&name, |call| call.name).ok().map(|i| &SYSCALLS[i])
}

/// The call with this number on this architecture.
pub fn by_number(number: u32) -> Option<&'static Syscall> {
    static NUMBERS: LazyLock<Vec<(u32, usize)>> = LazyLock::new(|| {
        let calls = SYSCALLS.iter().enumerate();
        let mut numbers: Vec<_> = calls.filter_map(|(i, call)| Some((call.number()?, i))).collect();
        numbers.sort_unstable();
        numbers
    });
    let at = NUMBERS.binary_search_by_key(&number, |&(number, _)| number).ok()?;
    SYSCALLS.get(NUMBERS.get(at)?.1)
}

const fn row(name: &'static str, x86_64: i16, aarch64: i16, args: &'static [&'static str]) -> Syscall {
    Syscall { name, x86_64, aarch64, args }
}

/// Every call, sorted by name.
pub const SYSCALLS: &[Syscall] = &[
    row("accept", 43, 202, &["int", "struct sockaddr *", "int *"]),
    row("accept4", 288, 242, &["int", "struct sockaddr *", "int *", "int"]),
    row("access", 21, -1, &["char *", "int"]),
    row("acct", 163, 89, &["char *"]),
    row("add_key", 248, 217, &["char *", "char *", "void *", "size_t", "key_serial_t"]),
    row("adjtimex", 159, 171, &["struct __kernel_timex *"]),
    row("alarm", 37, -1, &["unsigned int"]),
    row("arch_prctl", 158, -1, &["int", "unsigned long"]),
    row("bind", 49, 200, &["int", "struct sockaddr *", "int"]),
    row("bpf", 321, 280, &["int", "union bpf_attr *", "unsigned int"]),
    row("brk", 12, 214, &["unsigned long"]),
    row(
        "cachestat",
        451,
        451,
        &["unsigned int", "struct cachestat_range *", "struct cachestat *", "unsigned int"],
    ),
    row("capget", 125, 90, &["cap_user_header_t", "cap_user_data_t"]),
    row("capset", 126, 91, &["cap_user_header_t", "cap_user_data_t"]),
    row("chdir", 80, 49, &["char *"]),
    row("chmod", 90, -1, &["char *", "umode_t"]),
    row("chown", 92, -1, &["char *", "uid_t", "gid_t"]),
    row("chroot", 161, 51, &["char *"]),
    row("clock_adjtime", 305, 266, &["clockid_t", "struct __kernel_timex *"]),
    row("clock_getres", 229, 114, &["clockid_t", "struct __kernel_timespec *"]),
    row("clock_gettime", 228, 113, &["clockid_t", "struct __kernel_timespec *"]),
    row(
        "clock_nanosleep",
        230,
        115,
        &["clockid_t", "int", "struct __kernel_timespec *", "struct __kernel_timespec *"],
    ),
    row("clock_settime", 227, 112, &["clockid_t", "struct __kernel_timespec *"]),
    row("clone", 56, 220, &["unsigned long", "unsigned long", "int *", "int *", "unsigned long"]),
    row("clone3", 435, 435, &["struct clone_args *", "size_t"]),
    row("close", 3, 57, &["unsigned int"]),
    row("close_range", 436, 436, &["unsigned int", "unsigned int", "unsigned int"]),
    row("connect", 42, 203, &["int", "struct sockaddr *", "int"]),
    row("copy_file_range", 326, 285, &["int", "loff_t *", "int", "loff_t *", "size_t", "unsigned int"]),
    row("creat", 85, -1, &["char *", "umode_t"]),
    row("delete_module", 176, 106, &["char *", "unsigned int"]),
    row("dup", 32, 23, &["unsigned int"]),
    row("dup2", 33, -1, &["unsigned int", "unsigned int"]),
    row("dup3", 292, 24, &["unsigned int", "unsigned int", "int"]),
    row("epoll_create", 213, -1, &["int"]),
    row("epoll_create1", 291, 20, &["int"]),
    row("epoll_ctl", 233, 21, &["int", "int", "int", "struct epoll_event *"]),
    row("epoll_pwait", 281, 22, &["int", "struct epoll_event *", "int", "int", "sigset_t *", "size_t"]),
    row(
        "epoll_pwait2",
        441,
        441,
        &["int", "struct epoll_event *", "int", "struct __kernel_timespec *", "sigset_t *", "size_t"],
    ),
    row("epoll_wait", 232, -1, &["int", "struct epoll_event *", "int", "int"]),
    row("eventfd", 284, -1, &["unsigned int"]),
    row("eventfd2", 290, 19, &["unsigned int", "int"]),
    row("execve", 59, 221, &["char *", "char **", "char **"]),
    row("execveat", 322, 281, &["int", "char *", "char **", "char **", "int"]),
    row("exit", 60, 93, &["int"]),
    row("exit_group", 231, 94, &["int"]),
    row("faccessat", 269, 48, &["int", "char *", "int"]),
    row("faccessat2", 439, 439, &["int", "char *", "int", "int"]),
    row("fadvise64", 221, 223, &["int", "loff_t", "size_t", "int"]),
    row("fallocate", 285, 47, &["int", "int", "loff_t", "loff_t"]),
    row("fanotify_init", 300, 262, &["unsigned int", "unsigned int"]),
    row("fanotify_mark", 301, 263, &["int", "unsigned int", "__u64", "int", "char *"]),
    row("fchdir", 81, 50, &["unsigned int"]),
    row("fchmod", 91, 52, &["unsigned int", "umode_t"]),
    row("fchmodat", 268, 53, &["int", "char *", "umode_t"]),
    row("fchmodat2", 452, 452, &["int", "char *", "umode_t", "unsigned int"]),
    row("fchown", 93, 55, &["unsigned int", "uid_t", "gid_t"]),
    row("fchownat", 260, 54, &["int", "char *", "uid_t", "gid_t", "int"]),
    row("fcntl", 72, 25, &["unsigned int", "unsigned int", "unsigned long"]),
    row("fdatasync", 75, 83, &["unsigned int"]),
    row("fgetxattr", 193, 10, &["int", "char *", "void *", "size_t"]),
    row("file_getattr", 468, 468, &["int", "char *", "struct file_attr *", "size_t", "unsigned int"]),
    row("file_setattr", 469, 469, &["int", "char *", "struct file_attr *", "size_t", "unsigned int"]),
    row("finit_module", 313, 273, &["int", "char *", "int"]),
    row("flistxattr", 196, 13, &["int", "char *", "size_t"]),
    row("flock", 73, 32, &["unsigned int", "unsigned int"]),
    row("fork", 57, -1, &[]),
    row("fremovexattr", 199, 16, &["int", "char *"]),
    row("fsconfig", 431, 431, &["int", "unsigned int", "char *", "void *", "int"]),
    row("fsetxattr", 190, 7, &["int", "char *", "void *", "size_t", "int"]),
    row("fsmount", 432, 432, &["int", "unsigned int", "unsigned int"]),
    row("fsopen", 430, 430, &["char *", "unsigned int"]),
    row("fspick", 433, 433, &["int", "char *", "unsigned int"]),
    row("fstatfs", 138, 44, &["unsigned int", "struct statfs *"]),
    row("fsync", 74, 82, &["unsigned int"]),
    row("ftruncate", 77, 46, &["unsigned int", "off_t"]),
    row("futex", 202, 98, &["u32 *", "int", "u32", "struct __kernel_timespec *", "u32 *", "u32"]),
    row("futex_requeue", 456, 456, &["struct futex_waitv *", "unsigned int", "int", "int"]),
    row(
        "futex_wait",
        455,
        455,
        &[
            "void *",
            "unsigned long",
            "unsigned long",
            "unsigned int",
            "struct __kernel_timespec *",
            "clockid_t",
        ],
    ),
    row(
        "futex_waitv",
        449,
        449,
        &["struct futex_waitv *", "unsigned int", "unsigned int", "struct __kernel_timespec *", "clockid_t"],
    ),
    row("futex_wake", 454, 454, &["void *", "unsigned long", "int", "unsigned int"]),
    row("futimesat", 261, -1, &["int", "char *", "struct __kernel_old_timeval *"]),
    row(
        "get_mempolicy",
        239,
        236,
        &["int *", "unsigned long *", "unsigned long", "unsigned long", "unsigned long"],
    ),
    row("get_robust_list", 274, 100, &["int", "struct robust_list_head **", "size_t *"]),
    row("getcpu", 309, 168, &["unsigned int *", "unsigned int *", "struct getcpu_cache *"]),
    row("getcwd", 79, 17, &["char *", "unsigned long"]),
    row("getdents", 78, -1, &["unsigned int", "struct linux_dirent *", "unsigned int"]),
    row("getdents64", 217, 61, &["unsigned int", "struct linux_dirent64 *", "unsigned int"]),
    row("getegid", 108, 177, &[]),
    row("geteuid", 107, 175, &[]),
    row("getgid", 104, 176, &[]),
    row("getgroups", 115, 158, &["int", "gid_t *"]),
    row("getitimer", 36, 102, &["int", "struct __kernel_old_itimerval *"]),
    row("getpeername", 52, 205, &["int", "struct sockaddr *", "int *"]),
    row("getpgid", 121, 155, &["pid_t"]),
    row("getpgrp", 111, -1, &[]),
    row("getpid", 39, 172, &[]),
    row("getppid", 110, 173, &[]),
    row("getpriority", 140, 141, &["int", "int"]),
    row("getrandom", 318, 278, &["char *", "size_t", "unsigned int"]),
    row("getresgid", 120, 150, &["gid_t *", "gid_t *", "gid_t *"]),
    row("getresuid", 118, 148, &["uid_t *", "uid_t *", "uid_t *"]),
    row("getrlimit", 97, 163, &["unsigned int", "struct rlimit *"]),
    row("getrusage", 98, 165, &["int", "struct rusage *"]),
    row("getsid", 124, 156, &["pid_t"]),
    row("getsockname", 51, 204, &["int", "struct sockaddr *", "int *"]),
    row("getsockopt", 55, 209, &["int", "int", "int", "char *", "int *"]),
    row("gettid", 186, 178, &[]),
    row("gettimeofday", 96, 169, &["struct __kernel_old_timeval *", "struct timezone *"]),
    row("getuid", 102, 174, &[]),
    row("getxattr", 191, 8, &["char *", "char *", "void *", "size_t"]),
    row(
        "getxattrat",
        464,
        464,
        &["int", "char *", "unsigned int", "char *", "struct xattr_args *", "size_t"],
    ),
    row("init_module", 175, 105, &["void *", "unsigned long", "char *"]),
    row("inotify_add_watch", 254, 27, &["int", "char *", "u32"]),
    row("inotify_init", 253, -1, &[]),
    row("inotify_init1", 294, 26, &["int"]),
    row("inotify_rm_watch", 255, 28, &["int", "__s32"]),
    row("io_cancel", 210, 3, &["aio_context_t", "struct iocb *", "struct io_event *"]),
    row("io_destroy", 207, 1, &["aio_context_t"]),
    row(
        "io_getevents",
        208,
        4,
        &["aio_context_t", "long", "long", "struct io_event *", "struct __kernel_timespec *"],
    ),
    row(
        "io_pgetevents",
        333,
        292,
        &[
            "aio_context_t",
            "long",
            "long",
            "struct io_event *",
            "struct __kernel_timespec *",
            "struct __aio_sigset *",
        ],
    ),
    row("io_setup", 206, 0, &["unsigned int", "aio_context_t *"]),
    row("io_submit", 209, 2, &["aio_context_t", "long", "struct iocb **"]),
    row("io_uring_enter", 426, 426, &["unsigned int", "u32", "u32", "u32", "void *", "size_t"]),
    row("io_uring_register", 427, 427, &["unsigned int", "unsigned int", "void *", "unsigned int"]),
    row("io_uring_setup", 425, 425, &["u32", "struct io_uring_params *"]),
    row("ioctl", 16, 29, &["unsigned int", "unsigned int", "unsigned long"]),
    row("ioperm", 173, -1, &["unsigned long", "unsigned long", "int"]),
    row("iopl", 172, -1, &["unsigned int"]),
    row("ioprio_get", 252, 31, &["int", "int"]),
    row("ioprio_set", 251, 30, &["int", "int", "int"]),
    row("kcmp", 312, 272, &["pid_t", "pid_t", "int", "unsigned long", "unsigned long"]),
    row("kexec_file_load", 320, 294, &["int", "int", "unsigned long", "char *", "unsigned long"]),
    row(
        "kexec_load",
        246,
        104,
        &["unsigned long", "unsigned long", "struct kexec_segment *", "unsigned long"],
    ),
    row("keyctl", 250, 219, &["int", "unsigned long", "unsigned long", "unsigned long", "unsigned long"]),
    row("kill", 62, 129, &["pid_t", "int"]),
    row("landlock_add_rule", 445, 445, &["int", "enum landlock_rule_type", "void *", "__u32"]),
    row("landlock_create_ruleset", 444, 444, &["struct landlock_ruleset_attr *", "size_t", "__u32"]),
    row("landlock_restrict_self", 446, 446, &["int", "__u32"]),
    row("lchown", 94, -1, &["char *", "uid_t", "gid_t"]),
    row("lgetxattr", 192, 9, &["char *", "char *", "void *", "size_t"]),
    row("link", 86, -1, &["char *", "char *"]),
    row("linkat", 265, 37, &["int", "char *", "int", "char *", "int"]),
    row("listen", 50, 201, &["int", "int"]),
    row("listmount", 458, 458, &["struct mnt_id_req *", "u64 *", "size_t", "unsigned int"]),
    row("listxattr", 194, 11, &["char *", "char *", "size_t"]),
    row("listxattrat", 465, 465, &["int", "char *", "unsigned int", "char *", "size_t"]),
    row("llistxattr", 195, 12, &["char *", "char *", "size_t"]),
    row("lookup_dcookie", 212, 18, &["u64", "char *", "size_t"]),
    row("lremovexattr", 198, 15, &["char *", "char *"]),
    row("lseek", 8, 62, &["unsigned int", "off_t", "unsigned int"]),
    row("lsetxattr", 189, 6, &["char *", "char *", "void *", "size_t", "int"]),
    row("lsm_get_self_attr", 459, 459, &["unsigned int", "struct lsm_ctx *", "u32 *", "u32"]),
    row("lsm_list_modules", 461, 461, &["u64 *", "u32 *", "u32"]),
    row("lsm_set_self_attr", 460, 460, &["unsigned int", "struct lsm_ctx *", "u32", "u32"]),
    row("madvise", 28, 233, &["unsigned long", "size_t", "int"]),
    row("map_shadow_stack", 453, -1, &["unsigned long", "unsigned long", "unsigned int"]),
    row(
        "mbind",
        237,
        235,
        &[
            "unsigned long",
            "unsigned long",
            "unsigned long",
            "unsigned long *",
            "unsigned long",
            "unsigned int",
        ],
    ),
    row("membarrier", 324, 283, &["int", "unsigned int", "int"]),
    row("memfd_create", 319, 279, &["char *", "unsigned int"]),
    row("memfd_secret", 447, 447, &["unsigned int"]),
    row("migrate_pages", 256, 238, &["pid_t", "unsigned long", "unsigned long *", "unsigned long *"]),
    row("mincore", 27, 232, &["unsigned long", "size_t", "unsigned char *"]),
    row("mkdir", 83, -1, &["char *", "umode_t"]),
    row("mkdirat", 258, 34, &["int", "char *", "umode_t"]),
    row("mknod", 133, -1, &["char *", "umode_t", "unsigned int"]),
    row("mknodat", 259, 33, &["int", "char *", "umode_t", "unsigned int"]),
    row("mlock", 149, 228, &["unsigned long", "size_t"]),
    row("mlock2", 325, 284, &["unsigned long", "size_t", "int"]),
    row("mlockall", 151, 230, &["int"]),
    row(
        "mmap",
        9,
        222,
        &[
            "unsigned long",
            "unsigned long",
            "unsigned long",
            "unsigned long",
            "unsigned long",
            "unsigned long",
        ],
    ),
    row("modify_ldt", 154, -1, &["int", "void *", "unsigned long"]),
    row("mount", 165, 40, &["char *", "char *", "char *", "unsigned long", "void *"]),
    row("mount_setattr", 442, 442, &["int", "char *", "unsigned int", "struct mount_attr *", "size_t"]),
    row("move_mount", 429, 429, &["int", "char *", "int", "char *", "unsigned int"]),
    row("move_pages", 279, 239, &["pid_t", "unsigned long", "void **", "int *", "int *", "int"]),
    row("mprotect", 10, 226, &["unsigned long", "size_t", "unsigned long"]),
    row("mq_getsetattr", 245, 185, &["mqd_t", "struct mq_attr *", "struct mq_attr *"]),
    row("mq_notify", 244, 184, &["mqd_t", "struct sigevent *"]),
    row("mq_open", 240, 180, &["char *", "int", "umode_t", "struct mq_attr *"]),
    row(
        "mq_timedreceive",
        243,
        183,
        &["mqd_t", "char *", "size_t", "unsigned int *", "struct __kernel_timespec *"],
    ),
    row(
        "mq_timedsend",
        242,
        182,
        &["mqd_t", "char *", "size_t", "unsigned int", "struct __kernel_timespec *"],
    ),
    row("mq_unlink", 241, 181, &["char *"]),
    row(
        "mremap",
        25,
        216,
        &["unsigned long", "unsigned long", "unsigned long", "unsigned long", "unsigned long"],
    ),
    row("mseal", 462, 462, &["unsigned long", "size_t", "unsigned long"]),
    row("msgctl", 71, 187, &["int", "int", "struct msqid_ds *"]),
    row("msgget", 68, 186, &["key_t", "int"]),
    row("msgrcv", 70, 188, &["int", "struct msgbuf *", "size_t", "long", "int"]),
    row("msgsnd", 69, 189, &["int", "struct msgbuf *", "size_t", "int"]),
    row("msync", 26, 227, &["unsigned long", "size_t", "int"]),
    row("munlock", 150, 229, &["unsigned long", "size_t"]),
    row("munlockall", 152, 231, &[]),
    row("munmap", 11, 215, &["unsigned long", "size_t"]),
    row("name_to_handle_at", 303, 264, &["int", "char *", "struct file_handle *", "void *", "int"]),
    row("nanosleep", 35, 101, &["struct __kernel_timespec *", "struct __kernel_timespec *"]),
    row("newfstat", 5, 80, &["unsigned int", "struct stat *"]),
    row("newfstatat", 262, 79, &["int", "char *", "struct stat *", "int"]),
    row("newlstat", 6, -1, &["char *", "struct stat *"]),
    row("newstat", 4, -1, &["char *", "struct stat *"]),
    row("newuname", 63, 160, &["struct new_utsname *"]),
    row("open", 2, -1, &["char *", "int", "umode_t"]),
    row("open_by_handle_at", 304, 265, &["int", "struct file_handle *", "int"]),
    row("open_tree", 428, 428, &["int", "char *", "unsigned int"]),
    row("open_tree_attr", 467, 467, &["int", "char *", "unsigned int", "struct mount_attr *", "size_t"]),
    row("openat", 257, 56, &["int", "char *", "int", "umode_t"]),
    row("openat2", 437, 437, &["int", "char *", "struct open_how *", "size_t"]),
    row("pause", 34, -1, &[]),
    row("perf_event_open", 298, 241, &["struct perf_event_attr *", "pid_t", "int", "int", "unsigned long"]),
    row("personality", 135, 92, &["unsigned int"]),
    row("pidfd_getfd", 438, 438, &["int", "int", "unsigned int"]),
    row("pidfd_open", 434, 434, &["pid_t", "unsigned int"]),
    row("pidfd_send_signal", 424, 424, &["int", "int", "siginfo_t *", "unsigned int"]),
    row("pipe", 22, -1, &["int *"]),
    row("pipe2", 293, 59, &["int *", "int"]),
    row("pivot_root", 155, 41, &["char *", "char *"]),
    row("pkey_alloc", 330, 289, &["unsigned long", "unsigned long"]),
    row("pkey_free", 331, 290, &["int"]),
    row("pkey_mprotect", 329, 288, &["unsigned long", "size_t", "unsigned long", "int"]),
    row("poll", 7, -1, &["struct pollfd *", "unsigned int", "int"]),
    row(
        "ppoll",
        271,
        73,
        &["struct pollfd *", "unsigned int", "struct __kernel_timespec *", "sigset_t *", "size_t"],
    ),
    row("prctl", 157, 167, &["int", "unsigned long", "unsigned long", "unsigned long", "unsigned long"]),
    row("pread64", 17, 67, &["unsigned int", "char *", "size_t", "loff_t"]),
    row(
        "preadv",
        295,
        69,
        &["unsigned long", "struct iovec *", "unsigned long", "unsigned long", "unsigned long"],
    ),
    row(
        "preadv2",
        327,
        286,
        &["unsigned long", "struct iovec *", "unsigned long", "unsigned long", "unsigned long", "rwf_t"],
    ),
    row("prlimit64", 302, 261, &["pid_t", "unsigned int", "struct rlimit64 *", "struct rlimit64 *"]),
    row("process_madvise", 440, 440, &["int", "struct iovec *", "size_t", "int", "unsigned int"]),
    row("process_mrelease", 448, 448, &["int", "unsigned int"]),
    row(
        "process_vm_readv",
        310,
        270,
        &["pid_t", "struct iovec *", "unsigned long", "struct iovec *", "unsigned long", "unsigned long"],
    ),
    row(
        "process_vm_writev",
        311,
        271,
        &["pid_t", "struct iovec *", "unsigned long", "struct iovec *", "unsigned long", "unsigned long"],
    ),
    row(
        "pselect6",
        270,
        72,
        &["int", "fd_set *", "fd_set *", "fd_set *", "struct __kernel_timespec *", "void *"],
    ),
    row("ptrace", 101, 117, &["long", "long", "unsigned long", "unsigned long"]),
    row("pwrite64", 18, 68, &["unsigned int", "char *", "size_t", "loff_t"]),
    row(
        "pwritev",
        296,
        70,
        &["unsigned long", "struct iovec *", "unsigned long", "unsigned long", "unsigned long"],
    ),
    row(
        "pwritev2",
        328,
        287,
        &["unsigned long", "struct iovec *", "unsigned long", "unsigned long", "unsigned long", "rwf_t"],
    ),
    row("quotactl", 179, 60, &["unsigned int", "char *", "qid_t", "void *"]),
    row("quotactl_fd", 443, 443, &["unsigned int", "unsigned int", "qid_t", "void *"]),
    row("read", 0, 63, &["unsigned int", "char *", "size_t"]),
    row("readahead", 187, 213, &["int", "loff_t", "size_t"]),
    row("readlink", 89, -1, &["char *", "char *", "int"]),
    row("readlinkat", 267, 78, &["int", "char *", "char *", "int"]),
    row("readv", 19, 65, &["unsigned long", "struct iovec *", "unsigned long"]),
    row("reboot", 169, 142, &["int", "int", "unsigned int", "void *"]),
    row("recvfrom", 45, 207, &["int", "void *", "size_t", "unsigned int", "struct sockaddr *", "int *"]),
    row(
        "recvmmsg",
        299,
        243,
        &["int", "struct mmsghdr *", "unsigned int", "unsigned int", "struct __kernel_timespec *"],
    ),
    row("recvmsg", 47, 212, &["int", "struct user_msghdr *", "unsigned int"]),
    row(
        "remap_file_pages",
        216,
        234,
        &["unsigned long", "unsigned long", "unsigned long", "unsigned long", "unsigned long"],
    ),
    row("removexattr", 197, 14, &["char *", "char *"]),
    row("removexattrat", 466, 466, &["int", "char *", "unsigned int", "char *"]),
    row("rename", 82, -1, &["char *", "char *"]),
    row("renameat", 264, 38, &["int", "char *", "int", "char *"]),
    row("renameat2", 316, 276, &["int", "char *", "int", "char *", "unsigned int"]),
    row("request_key", 249, 218, &["char *", "char *", "char *", "key_serial_t"]),
    row("restart_syscall", 219, 128, &[]),
    row("rmdir", 84, -1, &["char *"]),
    row("rseq", 334, 293, &["struct rseq *", "u32", "int", "u32"]),
    row("rt_sigaction", 13, 134, &["int", "struct sigaction *", "struct sigaction *", "size_t"]),
    row("rt_sigpending", 127, 136, &["sigset_t *", "size_t"]),
    row("rt_sigprocmask", 14, 135, &["int", "sigset_t *", "sigset_t *", "size_t"]),
    row("rt_sigqueueinfo", 129, 138, &["pid_t", "int", "siginfo_t *"]),
    row("rt_sigreturn", 15, 139, &[]),
    row("rt_sigsuspend", 130, 133, &["sigset_t *", "size_t"]),
    row("rt_sigtimedwait", 128, 137, &["sigset_t *", "siginfo_t *", "struct __kernel_timespec *", "size_t"]),
    row("rt_tgsigqueueinfo", 297, 240, &["pid_t", "pid_t", "int", "siginfo_t *"]),
    row("sched_get_priority_max", 146, 125, &["int"]),
    row("sched_get_priority_min", 147, 126, &["int"]),
    row("sched_getaffinity", 204, 123, &["pid_t", "unsigned int", "unsigned long *"]),
    row("sched_getattr", 315, 275, &["pid_t", "struct sched_attr *", "unsigned int", "unsigned int"]),
    row("sched_getparam", 143, 121, &["pid_t", "struct sched_param *"]),
    row("sched_getscheduler", 145, 120, &["pid_t"]),
    row("sched_rr_get_interval", 148, 127, &["pid_t", "struct __kernel_timespec *"]),
    row("sched_setaffinity", 203, 122, &["pid_t", "unsigned int", "unsigned long *"]),
    row("sched_setattr", 314, 274, &["pid_t", "struct sched_attr *", "unsigned int"]),
    row("sched_setparam", 142, 118, &["pid_t", "struct sched_param *"]),
    row("sched_setscheduler", 144, 119, &["pid_t", "int", "struct sched_param *"]),
    row("sched_yield", 24, 124, &[]),
    row("seccomp", 317, 277, &["unsigned int", "unsigned int", "void *"]),
    row("select", 23, -1, &["int", "fd_set *", "fd_set *", "fd_set *", "struct __kernel_old_timeval *"]),
    row("semctl", 66, 191, &["int", "int", "int", "unsigned long"]),
    row("semget", 64, 190, &["key_t", "int", "int"]),
    row("semop", 65, 193, &["int", "struct sembuf *", "unsigned int"]),
    row("semtimedop", 220, 192, &["int", "struct sembuf *", "unsigned int", "struct __kernel_timespec *"]),
    row("sendfile64", 40, 71, &["int", "int", "loff_t *", "size_t"]),
    row("sendmmsg", 307, 269, &["int", "struct mmsghdr *", "unsigned int", "unsigned int"]),
    row("sendmsg", 46, 211, &["int", "struct user_msghdr *", "unsigned int"]),
    row("sendto", 44, 206, &["int", "void *", "size_t", "unsigned int", "struct sockaddr *", "int"]),
    row("set_mempolicy", 238, 237, &["int", "unsigned long *", "unsigned long"]),
    row(
        "set_mempolicy_home_node",
        450,
        450,
        &["unsigned long", "unsigned long", "unsigned long", "unsigned long"],
    ),
    row("set_robust_list", 273, 99, &["struct robust_list_head *", "size_t"]),
    row("set_tid_address", 218, 96, &["int *"]),
    row("setdomainname", 171, 162, &["char *", "int"]),
    row("setfsgid", 123, 152, &["gid_t"]),
    row("setfsuid", 122, 151, &["uid_t"]),
    row("setgid", 106, 144, &["gid_t"]),
    row("setgroups", 116, 159, &["int", "gid_t *"]),
    row("sethostname", 170, 161, &["char *", "int"]),
    row("setitimer", 38, 103, &["int", "struct __kernel_old_itimerval *", "struct __kernel_old_itimerval *"]),
    row("setns", 308, 268, &["int", "int"]),
    row("setpgid", 109, 154, &["pid_t", "pid_t"]),
    row("setpriority", 141, 140, &["int", "int", "int"]),
    row("setregid", 114, 143, &["gid_t", "gid_t"]),
    row("setresgid", 119, 149, &["gid_t", "gid_t", "gid_t"]),
    row("setresuid", 117, 147, &["uid_t", "uid_t", "uid_t"]),
    row("setreuid", 113, 145, &["uid_t", "uid_t"]),
    row("setrlimit", 160, 164, &["unsigned int", "struct rlimit *"]),
    row("setsid", 112, 157, &[]),
    row("setsockopt", 54, 208, &["int", "int", "int", "char *", "int"]),
    row("settimeofday", 164, 170, &["struct __kernel_old_timeval *", "struct timezone *"]),
    row("setuid", 105, 146, &["uid_t"]),
    row("setxattr", 188, 5, &["char *", "char *", "void *", "size_t", "int"]),
    row(
        "setxattrat",
        463,
        463,
        &["int", "char *", "unsigned int", "char *", "struct xattr_args *", "size_t"],
    ),
    row("shmat", 30, 196, &["int", "char *", "int"]),
    row("shmctl", 31, 195, &["int", "int", "struct shmid_ds *"]),
    row("shmdt", 67, 197, &["char *"]),
    row("shmget", 29, 194, &["key_t", "size_t", "int"]),
    row("shutdown", 48, 210, &["int", "int"]),
    row("sigaltstack", 131, 132, &["stack_t *", "stack_t *"]),
    row("signalfd", 282, -1, &["int", "sigset_t *", "size_t"]),
    row("signalfd4", 289, 74, &["int", "sigset_t *", "size_t", "int"]),
    row("socket", 41, 198, &["int", "int", "int"]),
    row("socketpair", 53, 199, &["int", "int", "int", "int *"]),
    row("splice", 275, 76, &["int", "loff_t *", "int", "loff_t *", "size_t", "unsigned int"]),
    row("statfs", 137, 43, &["char *", "struct statfs *"]),
    row("statmount", 457, 457, &["struct mnt_id_req *", "struct statmount *", "size_t", "unsigned int"]),
    row("statx", 332, 291, &["int", "char *", "unsigned int", "unsigned int", "struct statx *"]),
    row("swapoff", 168, 225, &["char *"]),
    row("swapon", 167, 224, &["char *", "int"]),
    row("symlink", 88, -1, &["char *", "char *"]),
    row("symlinkat", 266, 36, &["char *", "int", "char *"]),
    row("sync", 162, 81, &[]),
    row("sync_file_range", 277, 84, &["int", "loff_t", "loff_t", "unsigned int"]),
    row("syncfs", 306, 267, &["int"]),
    row("sysfs", 139, -1, &["int", "unsigned long", "unsigned long"]),
    row("sysinfo", 99, 179, &["struct sysinfo *"]),
    row("syslog", 103, 116, &["int", "char *", "int"]),
    row("tee", 276, 77, &["int", "int", "size_t", "unsigned int"]),
    row("tgkill", 234, 131, &["pid_t", "pid_t", "int"]),
    row("time", 201, -1, &["__kernel_old_time_t *"]),
    row("timer_create", 222, 107, &["clockid_t", "struct sigevent *", "timer_t *"]),
    row("timer_delete", 226, 111, &["timer_t"]),
    row("timer_getoverrun", 225, 109, &["timer_t"]),
    row("timer_gettime", 224, 108, &["timer_t", "struct __kernel_itimerspec *"]),
    row(
        "timer_settime",
        223,
        110,
        &["timer_t", "int", "struct __kernel_itimerspec *", "struct __kernel_itimerspec *"],
    ),
    row("timerfd_create", 283, 85, &["int", "int"]),
    row("timerfd_gettime", 287, 87, &["int", "struct __kernel_itimerspec *"]),
    row(
        "timerfd_settime",
        286,
        86,
        &["int", "int", "struct __kernel_itimerspec *", "struct __kernel_itimerspec *"],
    ),
    row("times", 100, 153, &["struct tms *"]),
    row("tkill", 200, 130, &["pid_t", "int"]),
    row("truncate", 76, 45, &["char *", "long"]),
    row("umask", 95, 166, &["int"]),
    row("umount", 166, 39, &["char *", "int"]),
    row("unlink", 87, -1, &["char *"]),
    row("unlinkat", 263, 35, &["int", "char *", "int"]),
    row("unshare", 272, 97, &["unsigned long"]),
    row("uprobe", 336, -1, &[]),
    row("uretprobe", 335, -1, &[]),
    row("uselib", 134, -1, &["char *"]),
    row("userfaultfd", 323, 282, &["int"]),
    row("ustat", 136, -1, &["unsigned int", "struct ustat *"]),
    row("utime", 132, -1, &["char *", "struct utimbuf *"]),
    row("utimensat", 280, 88, &["int", "char *", "struct __kernel_timespec *", "int"]),
    row("utimes", 235, -1, &["char *", "struct __kernel_old_timeval *"]),
    row("vfork", 58, -1, &[]),
    row("vhangup", 153, 58, &[]),
    row("vmsplice", 278, 75, &["int", "struct iovec *", "unsigned long", "unsigned int"]),
    row("wait4", 61, 260, &["pid_t", "int *", "int", "struct rusage *"]),
    row("waitid", 247, 95, &["int", "pid_t", "struct siginfo *", "int", "struct rusage *"]),
    row("write", 1, 64, &["unsigned int", "char *", "size_t"]),
    row("writev", 20, 66, &["unsigned long", "struct iovec *", "unsigned long"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorted_and_unique() {
        assert!(SYSCALLS.windows(2).all(|pair| pair[0].name < pair[1].name));
        for call in SYSCALLS {
            let found = call.number().and_then(by_number).map(|found| found.name);
            assert_eq!(found, call.number().map(|_| call.name));
        }
        assert!(by_number(u32::MAX).is_none());
        let mut numbers: Vec<i16> = SYSCALLS.iter().map(|call| call.x86_64).collect();
        numbers.sort_unstable();
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "two calls with one x86-64 number");
        let mut numbers: Vec<i16> = SYSCALLS.iter().map(|call| call.aarch64).filter(|&n| n >= 0).collect();
        numbers.sort_unstable();
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "two calls with one arm64 number");
    }

    #[test]
    fn numbers_are_the_c_librarys() {
        for (name, number) in [
            ("read", libc::SYS_read),
            ("openat", libc::SYS_openat),
            ("execve", libc::SYS_execve),
            ("newuname", libc::SYS_uname),
            ("newfstat", libc::SYS_fstat),
            ("umount", libc::SYS_umount2),
            ("exit_group", libc::SYS_exit_group),
            ("clone3", libc::SYS_clone3),
            ("epoll_pwait2", libc::SYS_epoll_pwait2),
            ("rt_sigreturn", libc::SYS_rt_sigreturn),
        ] {
            assert_eq!(by_name(name).and_then(Syscall::number).map(i64::from), Some(number), "{name}");
        }
        assert!(by_name("stat").is_none());
    }

    #[test]
    fn aliases_lead_to_calls_and_hide_none() {
        for (familiar, primary) in ALIASES {
            assert!(by_name(primary).is_some(), "{primary}");
            assert!(by_name(familiar).is_none(), "{familiar}");
        }
    }

    #[test]
    fn types() {
        assert_eq!(by_name("write").map(|call| call.args), Some(&["unsigned int", "char *", "size_t"][..]));
        assert_eq!(by_name("execve").map(|call| call.args), Some(&["char *", "char **", "char **"][..]));
        assert!(SYSCALLS.iter().all(|call| call.args.len() <= 6));
    }
}
