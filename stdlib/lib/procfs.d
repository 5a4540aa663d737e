/*
 * Processes and threads as Solaris's /proc has them: of any `struct task_struct`, and the current one's, whose members come
 * from variables of the language where there are such, so that they need no look into the kernel. Of the numbers of a
 * process, 2 is that of its process group and 3 that of its session.
 */
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
	ushort_t pr_pctcpu;
	ushort_t pr_pctmem;
	string pr_fname;
	int pr_wstat;
	int pr_taskid;
	int pr_projid;
	int pr_poolid;
	int pr_zoneid;
	int pr_contract;
	int pr_nzomb;
} psinfo_t;

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
	string pr_clname;
	string pr_name;
	processorid_t pr_onpro;
	processorid_t pr_bindpro;
	psetid_t pr_bindpset;
	lgrp_id_t pr_lgrp;
} lwpsinfo_t;

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
	pr_pctcpu = 0;
	pr_pctmem = 0;
	pr_fname = stringof(T->comm);
	pr_wstat = 0;
	pr_taskid = 0;
	pr_projid = 0;
	pr_poolid = 0;
	pr_zoneid = 0;
	pr_contract = 0;
	pr_nzomb = 0;
};

/* From the bits of a task's state, and from its scheduling policy (include/linux/sched.h). */
inline char dtrail_state[int state] = state & 0x3 ? SSLEEP : state & 0xc ? SSTOP :
    state & 0xb0 ? SZOMB : state & 0x300 ? SWAIT : SRUN;
inline char dtrail_sname[int state] = state & 0x3 ? 'S' : state & 0xc ? 'T' :
    state & 0xb0 ? 'Z' : state & 0x300 ? 'W' : 'R';
inline string dtrail_class[int policy] = policy == 1 ? "FIFO" : policy == 2 ? "RR" :
    policy == 5 ? "IDLE" : policy == 6 ? "DL" : "TS";

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
	pr_clname = dtrail_class[T->policy];
	pr_name = stringof(T->comm);
	pr_bindpro = -1;
	pr_bindpset = 0;
	pr_lgrp = 0;
};

/* What `curpsinfo` and `curlwpsinfo` are made of: variables of the language, and `curthread` for the rest. */
struct dtrail_thread;

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
	pr_pctcpu = 0;
	pr_pctmem = 0;
	pr_fname = execname;
	pr_wstat = 0;
	pr_taskid = 0;
	pr_projid = 0;
	pr_poolid = 0;
	pr_zoneid = 0;
	pr_contract = 0;
	pr_nzomb = 0;
};

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
	pr_clname = dtrail_class[curthread->policy];
	pr_name = execname;
	pr_onpro = cpu;
	pr_bindpro = -1;
	pr_bindpset = 0;
	pr_lgrp = 0;
};

inline psinfo_t *curpsinfo = xlate <psinfo_t *> ((struct dtrail_thread *)NULL);
inline lwpsinfo_t *curlwpsinfo = xlate <lwpsinfo_t *> ((struct dtrail_thread *)NULL);
