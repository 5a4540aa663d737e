/*
 * Processes and threads as Solaris's /proc has them: of any `struct task_struct`, and the current one's, whose members come
 * from variables of the language where there are such, so that they need no look into the kernel. Of the numbers of a
 * process, 2 is that of its process group and 3 that of its session.
 */
typedef struct timestruc {
	long tv_sec;
	long tv_nsec;
} timestruc_t;

/* So many nanoseconds, as a pointer to nothing. */
struct dtrail_nanos;

translator timestruc_t < struct dtrail_nanos *N > {
	tv_sec = (uint64_t)N / 1000000000;
	tv_nsec = (uint64_t)N % 1000000000;
};

typedef struct lwpsinfo {
	int pr_flag;
	int pr_lwpid;
	uintptr_t pr_addr;
	uintptr_t pr_wchan;
	char pr_stype;
	char pr_state;
	char pr_sname;
	char pr_nice;
	short pr_syscall;
	char pr_oldpri;
	char pr_cpu;
	int pr_pri;
	ushort_t pr_pctcpu;
	timestruc_t pr_start;
	timestruc_t pr_time;
	string pr_clname;
	string pr_name;
	processorid_t pr_onpro;
	processorid_t pr_bindpro;
	psetid_t pr_bindpset;
	lgrp_id_t pr_lgrp;
} lwpsinfo_t;

typedef struct psinfo {
	int pr_flag;
	int pr_nlwp;
	pid_t pr_pid;
	pid_t pr_ppid;
	pid_t pr_pgid;
	pid_t pr_sid;
	uid_t pr_uid;
	uid_t pr_euid;
	gid_t pr_gid;
	gid_t pr_egid;
	uintptr_t pr_addr;
	size_t pr_size;
	size_t pr_rssize;
	struct tty_struct *pr_ttydev;
	ushort_t pr_pctcpu;
	ushort_t pr_pctmem;
	timestruc_t pr_start;
	timestruc_t pr_time;
	timestruc_t pr_ctime;
	string pr_fname;
	string pr_psargs;
	int pr_wstat;
	int pr_argc;
	uintptr_t pr_argv;
	uintptr_t pr_envp;
	char pr_dmodel;
	int pr_taskid;
	int pr_projid;
	int pr_poolid;
	int pr_zoneid;
	int pr_contract;
	int pr_nzomb;
	lwpsinfo_t pr_lwp;
} psinfo_t;

/* KiB of a page, pages as a counter has them (below 0 for a moment), and the time of day of a moment of the monotonic clock. */
inline int dtrail_page = 4;
inline uint64_t dtrail_pages[long count] = count < 0 ? 0 : count;
inline uint64_t dtrail_moment[uint64_t nanos] = walltimestamp - timestamp + nanos;

/* From the bits of a task's state, and from its scheduling policy (include/linux/sched.h). */
inline char dtrail_state[int state] = state & 0x3 ? SSLEEP : state & 0xc ? SSTOP :
    state & 0xb0 ? SZOMB : state & 0x300 ? SWAIT : SRUN;
inline char dtrail_sname[int state] = state & 0x3 ? 'S' : state & 0xc ? 'T' :
    state & 0xb0 ? 'Z' : state & 0x300 ? 'W' : 'R';
inline string dtrail_class[int policy] = policy == 1 ? "FIFO" : policy == 2 ? "RR" :
    policy == 5 ? "IDLE" : policy == 6 ? "DL" : "TS";

#pragma D attributes Stable/Stable/Common translator
translator lwpsinfo_t < struct task_struct *T > {
	pr_flag = T->__state & 0x4 ? PR_STOPPED : T->pid == 0 ? PR_IDLE : 0;
	pr_lwpid = T->pid;
	pr_addr = (uintptr_t)T;
	pr_wchan = 0;
	pr_stype = 0;
	pr_state = dtrail_state[T->__state | T->exit_state];
	pr_sname = dtrail_sname[T->__state | T->exit_state];
	pr_nice = T->static_prio - 120;
	pr_syscall = 0;
	pr_oldpri = 0;
	pr_cpu = 0;
	pr_pri = T->prio;
	pr_pctcpu = 0;
	pr_start = xlate <timestruc_t> ((struct dtrail_nanos *)dtrail_moment[T->start_time]);
	pr_time = xlate <timestruc_t> ((struct dtrail_nanos *)T->se.sum_exec_runtime);
	pr_clname = dtrail_class[T->policy];
	pr_name = stringof(T->comm);
	pr_onpro = T->thread_info.cpu;
	pr_bindpro = -1;
	pr_bindpset = 0;
	pr_lgrp = 0;
};

#pragma D attributes Stable/Stable/Common translator
translator psinfo_t < struct task_struct *T > {
	pr_flag = 0;
	pr_nlwp = T->signal->nr_threads;
	pr_pid = T->tgid;
	pr_ppid = T->real_parent->tgid;
	pr_pgid = T->signal->pids[2]->numbers[0].nr;
	pr_sid = T->signal->pids[3]->numbers[0].nr;
	pr_uid = T->cred->uid.val;
	pr_euid = T->cred->euid.val;
	pr_gid = T->cred->gid.val;
	pr_egid = T->cred->egid.val;
	pr_addr = (uintptr_t)T;
	pr_size = T->mm == NULL ? 0 : T->mm->total_vm * dtrail_page;
	pr_rssize = T->mm == NULL ? 0 : dtrail_page * (dtrail_pages[T->mm->rss_stat[0].count] +
	    dtrail_pages[T->mm->rss_stat[1].count] + dtrail_pages[T->mm->rss_stat[3].count]);
	pr_ttydev = (struct tty_struct *)(T->signal->tty == NULL ? -1 : (uintptr_t)T->signal->tty);
	pr_pctcpu = 0;
	pr_pctmem = 0;
	pr_start = xlate <timestruc_t> ((struct dtrail_nanos *)dtrail_moment[T->group_leader->start_time]);
	pr_time = xlate <timestruc_t> ((struct dtrail_nanos *)(
	    T->signal->utime + T->signal->stime + T->utime + T->stime));
	pr_ctime = xlate <timestruc_t> ((struct dtrail_nanos *)(T->signal->cutime + T->signal->cstime));
	pr_fname = stringof(T->comm);
	pr_psargs = T->mm != NULL && T->mm == curthread->mm ?
	    dtrail_arguments(T->mm->arg_start, T->mm->arg_end) : stringof(T->comm);
	pr_wstat = 0;
	pr_argc = T->mm != NULL && T->mm == curthread->mm ? *(int *)copyin(T->mm->start_stack, sizeof (int)) : 0;
	pr_argv = T->mm == NULL ? 0 : T->mm->start_stack + 8;
	pr_envp = T->mm != NULL && T->mm == curthread->mm ?
	    T->mm->start_stack + 8 * (2 + *(int *)copyin(T->mm->start_stack, sizeof (int))) : 0;
	pr_dmodel = T->mm != NULL && T->mm->task_size <= 0xffffffff ? PR_MODEL_ILP32 : PR_MODEL_LP64;
	pr_taskid = 0;
	pr_projid = 0;
	pr_poolid = 0;
	pr_zoneid = 0;
	pr_contract = 0;
	pr_nzomb = 0;
	pr_lwp = xlate <lwpsinfo_t> (T);
};

/* What `curpsinfo` and `curlwpsinfo` are made of: variables of the language, and `curthread` for the rest. */
struct dtrail_thread;

#pragma D attributes Stable/Stable/Common translator
translator lwpsinfo_t < struct dtrail_thread *C > {
	pr_flag = curthread->__state & 0x4 ? PR_STOPPED : curthread->pid == 0 ? PR_IDLE : 0;
	pr_lwpid = tid;
	pr_addr = (uintptr_t)curthread;
	pr_wchan = 0;
	pr_stype = 0;
	pr_state = dtrail_state[curthread->__state | curthread->exit_state];
	pr_sname = dtrail_sname[curthread->__state | curthread->exit_state];
	pr_nice = curthread->static_prio - 120;
	pr_syscall = 0;
	pr_oldpri = 0;
	pr_cpu = 0;
	pr_pri = curthread->prio;
	pr_pctcpu = 0;
	pr_start = xlate <timestruc_t> ((struct dtrail_nanos *)dtrail_moment[curthread->start_time]);
	pr_time = xlate <timestruc_t> ((struct dtrail_nanos *)vtimestamp);
	pr_clname = dtrail_class[curthread->policy];
	pr_name = execname;
	pr_onpro = cpu;
	pr_bindpro = -1;
	pr_bindpset = 0;
	pr_lgrp = 0;
};

#pragma D attributes Stable/Stable/Common translator
translator psinfo_t < struct dtrail_thread *C > {
	pr_flag = 0;
	pr_nlwp = curthread->signal->nr_threads;
	pr_pid = pid;
	pr_ppid = ppid;
	pr_pgid = curthread->signal->pids[2]->numbers[0].nr;
	pr_sid = curthread->signal->pids[3]->numbers[0].nr;
	pr_uid = uid;
	pr_euid = curthread->cred->euid.val;
	pr_gid = gid;
	pr_egid = curthread->cred->egid.val;
	pr_addr = (uintptr_t)curthread;
	pr_size = curthread->mm == NULL ? 0 : curthread->mm->total_vm * dtrail_page;
	pr_rssize = curthread->mm == NULL ? 0 : dtrail_page * (dtrail_pages[curthread->mm->rss_stat[0].count] +
	    dtrail_pages[curthread->mm->rss_stat[1].count] + dtrail_pages[curthread->mm->rss_stat[3].count]);
	pr_ttydev = (struct tty_struct *)(curthread->signal->tty == NULL ? -1 : (uintptr_t)curthread->signal->tty);
	pr_pctcpu = 0;
	pr_pctmem = 0;
	pr_start = xlate <timestruc_t> ((struct dtrail_nanos *)dtrail_moment[curthread->group_leader->start_time]);
	pr_time = xlate <timestruc_t> ((struct dtrail_nanos *)(
	    curthread->signal->utime + curthread->signal->stime + curthread->utime + curthread->stime));
	pr_ctime = xlate <timestruc_t> ((struct dtrail_nanos *)(curthread->signal->cutime + curthread->signal->cstime));
	pr_fname = execname;
	pr_psargs = curthread->mm != NULL ?
	    dtrail_arguments(curthread->mm->arg_start, curthread->mm->arg_end) : execname;
	pr_wstat = 0;
	pr_argc = curthread->mm != NULL ? *(int *)copyin(curthread->mm->start_stack, sizeof (int)) : 0;
	pr_argv = curthread->mm == NULL ? 0 : curthread->mm->start_stack + 8;
	pr_envp = curthread->mm != NULL ?
	    curthread->mm->start_stack + 8 * (2 + *(int *)copyin(curthread->mm->start_stack, sizeof (int))) : 0;
	pr_dmodel = curthread->mm != NULL && curthread->mm->task_size <= 0xffffffff ? PR_MODEL_ILP32 : PR_MODEL_LP64;
	pr_taskid = 0;
	pr_projid = 0;
	pr_poolid = 0;
	pr_zoneid = 0;
	pr_contract = 0;
	pr_nzomb = 0;
	pr_lwp = xlate <lwpsinfo_t> (C);
};

inline psinfo_t *curpsinfo = xlate <psinfo_t *> ((struct dtrail_thread *)NULL);
inline lwpsinfo_t *curlwpsinfo = xlate <lwpsinfo_t *> ((struct dtrail_thread *)NULL);

/* What a signal comes with. Of its members that share their place those count that belong to its number and code. */
typedef struct dtrail_siginfo {
	int si_signo;
	int si_errno;
	int si_code;
	pid_t si_pid;
	uid_t si_uid;
	int si_status;
	uintptr_t si_addr;
	int si_int;
	uintptr_t si_ptr;
	long si_band;
	int si_fd;
} siginfo_t;

#pragma D attributes Stable/Stable/Common translator
translator siginfo_t < struct kernel_siginfo *I > {
	si_signo = I->si_signo;
	si_errno = I->si_errno;
	si_code = I->si_code;
	si_pid = I->_sifields._kill._pid;
	si_uid = I->_sifields._kill._uid;
	si_status = I->_sifields._sigchld._status;
	si_addr = (uintptr_t)I->_sifields._sigfault._addr;
	si_int = I->_sifields._rt._sigval.sival_int;
	si_ptr = (uintptr_t)I->_sifields._rt._sigval.sival_ptr;
	si_band = I->_sifields._sigpoll._band;
	si_fd = I->_sifields._sigpoll._fd;
};

provider proc {
	probe create(struct task_struct *p) : (psinfo_t *p);
	probe lwp__create(struct task_struct *t, struct task_struct *p) : (lwpsinfo_t *t, psinfo_t *p);
	probe signal__send(struct task_struct *t, struct task_struct *p, int s) : (lwpsinfo_t *t, psinfo_t *p, int s);
	probe signal__discard(struct task_struct *t, struct task_struct *p, int s) : (lwpsinfo_t *t, psinfo_t *p, int s);
	probe signal__handle(int s, struct kernel_siginfo *i, void *h) : (int s, siginfo_t *i, void *h);
	probe fault(int s, struct kernel_siginfo *i) : (int s, siginfo_t *i);
};
