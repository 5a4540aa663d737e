/*
 * A program whose system calls are known one by one: no C library, nothing before main and nothing after. Each argument
 * is a step; the steps run in order and the program exits with 0 unless a step says otherwise.
 *
 *   gcc -O1 -static -nostdlib -ffreestanding -fno-stack-protector -o steps steps.c       (x86-64)
 *
 *   getpid=N      N times getpid
 *   read=N        N times read(-1, 0, 0), which fails with EBADF
 *   write=N       N times write(1, "", 0)
 *   print=TEXT    write(1, TEXT, length)
 *   open=PATH     openat(AT_FDCWD, PATH, O_RDONLY); the descriptor stays open
 *   badopen       openat(AT_FDCWD, (char *)16, O_RDONLY), which fails with EFAULT
 *   name=TEXT     prctl(PR_SET_NAME, TEXT)
 *   fork vfork clone clone3
 *                 makes a process by that call; it calls getppid three times and exits with 3; wait4
 *   thread=N      makes N threads, one after the other; each calls gettid five times and exits; one futex until it is gone
 *   exec=STEP     execve(argv[0], {argv[0], STEP})
 *   badexec       execve("/nonexistent/steps"), which fails with ENOENT
 *   threadexec=STEP
 *                 a thread does what exec=STEP does
 *   signal=N      rt_sigaction, then N times kill(getpid(), SIGUSR1) (two calls each), caught by a handler that returns
 *   stop          kill(getpid(), SIGSTOP): goes on when somebody sends SIGCONT; then getuid
 *   die=N         kill(getpid(), N)
 *   storm=N       N times: fork a process that forks others without end, wait4 for each; sched_yield 20 times, kill it
 *                 with SIGKILL, wait4
 *   trap          installs a seccomp filter that wants a tracer for getppid; getppid, which fails with ENOSYS, or the
 *                 program exits with 9; getuid
 *   wait          pause, for ever
 *   exit=N        exit_group(N)
 *
 * Each run ends with exit_group; numbers are decimal.
 */
#include <stddef.h>
#include <asm/unistd.h>

#define CLONE_VM 0x100
#define CLONE_FS 0x200
#define CLONE_FILES 0x400
#define CLONE_SIGHAND 0x800
#define CLONE_THREAD 0x10000
#define CLONE_SYSVSEM 0x40000
#define CLONE_PARENT_SETTID 0x100000
#define CLONE_CHILD_CLEARTID 0x200000
#define SIGCHLD 17
#define SIGUSR1 10
#define SIGSTOP 19

static long call(long nr, long a, long b, long c, long d, long e)
{
	long ret;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = 0;
	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

static long call0(long nr) { return call(nr, 0, 0, 0, 0, 0); }
static long call1(long nr, long a) { return call(nr, a, 0, 0, 0, 0); }
static long call3(long nr, long a, long b, long c) { return call(nr, a, b, c, 0, 0); }

static void leave(long status)
{
	for (;;)
		call1(__NR_exit_group, status);
}

static int starts(const char *text, const char *word)
{
	while (*word)
		if (*text++ != *word++)
			return 0;
	return 1;
}

static long number(const char *text)
{
	long n = 0;
	while (*text >= '0' && *text <= '9')
		n = n * 10 + (*text++ - '0');
	return n;
}

static long length(const char *text)
{
	long n = 0;
	while (text[n])
		n++;
	return n;
}

static void child(void)
{
	for (int i = 0; i < 3; i++)
		call0(__NR_getppid);
	leave(3);
}

static void parent(long pid)
{
	call(__NR_wait4, pid, 0, 0, 0, 0);
}

/* vfork and clone by the bare instruction: the child shares this frame, and comes back here first. */
static void make_process(long nr, long a, long b)
{
	long pid = call(nr, a, b, 0, 0, 0);
	if (pid == 0)
		child();
	parent(pid);
}

static char *self, **environment;
static const char *volatile thread_step;
static char stack[65536] __attribute__((aligned(16)));
static volatile int thread_id;

static void execute(const char *step)
{
	char *args[3];
	args[0] = self;
	args[1] = (char *)step;
	args[2] = NULL;
	call3(__NR_execve, (long)self, (long)args, (long)environment);
	leave(126);
}

static void trap(void)
{
	struct {
		unsigned short code;
		unsigned char jt, jf;
		unsigned int k;
	} code[] = {
		{ 0x20, 0, 0, 0 },			/* the number of the call */
		{ 0x15, 0, 1, __NR_getppid },
		{ 0x06, 0, 0, 0x7ff00007 },		/* SECCOMP_RET_TRACE */
		{ 0x06, 0, 0, 0x7fff0000 },		/* SECCOMP_RET_ALLOW */
	};
	struct {
		unsigned short length;
		void *code;
	} filter = { 4, code };
	call(__NR_prctl, 38, 1, 0, 0, 0);	/* PR_SET_NO_NEW_PRIVS */
	call3(__NR_seccomp, 1, 0, (long)&filter);
	if (call0(__NR_getppid) != -38)
		leave(9);
	call0(__NR_getuid);
}

__attribute__((used)) static void thread_body(void)
{
	if (thread_step)
		execute(thread_step);
	for (int i = 0; i < 5; i++)
		call0(__NR_gettid);
	for (;;)
		call1(__NR_exit, 0);
}

static void make_thread(void)
{
	long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
		     CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
	long ret;
	thread_id = 1;
	register long r10 __asm__("r10") = (long)&thread_id;
	register long r8 __asm__("r8") = 0;
	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xor %%ebp, %%ebp\n\t"
			 "call thread_body\n\t"
			 "hlt\n"
			 "1:"
			 : "=a"(ret)
			 : "a"((long)__NR_clone), "D"(flags), "S"(stack + sizeof stack), "d"(&thread_id), "r"(r10), "r"(r8)
			 : "rcx", "r11", "memory");
	/* FUTEX_WAIT until the kernel has put 0 there: one call, whoever is faster. */
	do
		call(__NR_futex, (long)&thread_id, 0, ret, 0, 0);
	while (thread_id != 0);
}

__attribute__((used, naked)) static void restore(void)
{
	__asm__ volatile("mov $15, %eax\n\tsyscall");
}

static void handler(int signal) { (void)signal; }

static void catch_signals(long count)
{
	struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		unsigned long mask;
	} action;
	action.handler = handler;
	action.flags = 0x04000000; /* SA_RESTORER */
	action.restorer = restore;
	action.mask = 0;
	call(__NR_rt_sigaction, SIGUSR1, (long)&action, 0, 8, 0);
	for (long i = 0; i < count; i++)
		call3(__NR_kill, call0(__NR_getpid), SIGUSR1, 0);
}

static void storm(long count)
{
	while (count-- > 0) {
		long pid = call0(__NR_fork);
		if (pid == 0)
			for (;;) {
				long other = call0(__NR_fork);
				if (other == 0)
					leave(0);
				parent(other);
			}
		for (int i = 0; i < 20; i++)
			call0(__NR_sched_yield);
		call3(__NR_kill, pid, 9, 0);
		parent(pid);
	}
}

static void run(const char *step)
{
	static const struct {
		unsigned long flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
	} clone3_args = { .exit_signal = SIGCHLD };
	const char *value = step;
	while (*value && *value++ != '=')
		;
	long n = number(value);
	if (starts(step, "getpid="))
		while (n-- > 0)
			call0(__NR_getpid);
	else if (starts(step, "read="))
		while (n-- > 0)
			call3(__NR_read, -1, 0, 0);
	else if (starts(step, "write="))
		while (n-- > 0)
			call3(__NR_write, 1, (long)"", 0);
	else if (starts(step, "print="))
		call3(__NR_write, 1, (long)value, length(value));
	else if (starts(step, "open="))
		call(__NR_openat, -100, (long)value, 0, 0, 0);
	else if (starts(step, "badopen"))
		call(__NR_openat, -100, 16, 0, 0, 0);
	else if (starts(step, "name="))
		call(__NR_prctl, 15, (long)value, 0, 0, 0);
	else if (starts(step, "fork"))
		make_process(__NR_fork, 0, 0);
	else if (starts(step, "vfork"))
		make_process(__NR_vfork, 0, 0);
	else if (starts(step, "clone3"))
		make_process(__NR_clone3, (long)&clone3_args, sizeof clone3_args);
	else if (starts(step, "clone"))
		make_process(__NR_clone, SIGCHLD, 0);
	else if (starts(step, "thread="))
		while (n-- > 0)
			make_thread();
	else if (starts(step, "exec="))
		execute(value);
	else if (starts(step, "badexec"))
		call3(__NR_execve, (long)"/nonexistent/steps", 0, 0);
	else if (starts(step, "threadexec=")) {
		thread_step = value;
		make_thread();
		for (;;)
			call0(__NR_pause);
	} else if (starts(step, "signal="))
		catch_signals(n);
	else if (starts(step, "stop")) {
		call3(__NR_kill, call0(__NR_getpid), SIGSTOP, 0);
		call0(__NR_getuid);
	} else if (starts(step, "die="))
		call3(__NR_kill, call0(__NR_getpid), n, 0);
	else if (starts(step, "storm="))
		storm(n);
	else if (starts(step, "trap"))
		trap();
	else if (starts(step, "wait"))
		for (;;)
			call0(__NR_pause);
	else if (starts(step, "exit="))
		leave(n);
	else
		leave(125);
}

__attribute__((used)) static void start(long *sp)
{
	long argc = sp[0];
	char **argv = (char **)(sp + 1);
	self = argv[0];
	environment = argv + argc + 1;
	for (long i = 1; i < argc; i++)
		run(argv[i]);
	leave(0);
}

__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\tcall start\n\thlt\n");
