// Workloads that time themselves, for bench.py. Build: cc -O1 -o work work.c
// work MODE N [OUT]: appends "mode events cpu_ns_per_event" to OUT, or prints it.
// work paced N RATE: waits for a byte on standard input, then makes N calls, RATE a second; prints how long it took, in ns.
// work keys|stacks N OUT: makes a call with N different arguments, or from N different stacks; writes to OUT when the last
// one was over, by the monotonic clock, in ns.
// work run OUT COMMAND ARG...: runs a command and writes "wall_ns peak_rss_kib status" to OUT. A script cannot measure
// this itself: the peak of a process includes its parent's size at the moment of the fork.
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double cpu_ns(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1e9 + (r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e3;
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

// N calls, in portions of a ten-thousandth of a second's worth.
static int paced(uint64_t n, double rate)
{
	char gate;

	if (read(0, &gate, 1) != 1)
		return 1;
	double start = now_ns();
	for (uint64_t done = 0; done < n; done++) {
		if (done % (uint64_t)(rate / 10000) == 0)
			while ((now_ns() - start) * rate < done * 1e9)
				;
		syscall(SYS_getppid);
	}
	printf("%.0f\n", now_ns() - start);
	return 0;
}

static int write_now(const char *out)
{
	FILE *f = fopen(out, "w");

	if (!f)
		return 1;
	fprintf(f, "%.0f\n", now_ns());
	return fclose(f) != 0;
}

static int keys(uint64_t n, const char *out)
{
	for (uint64_t i = 0; i < n; i++) {
		syscall(SYS_lseek, -1, i, 0);
		// The kernel gets memory for new entries between interrupts: a burst would be lost, and counted.
		if (i % 256 == 255)
			usleep(50);
	}
	return write_now(out);
}

// Each bit of a number chooses which function calls the next: so many numbers, so many stacks.
static void left(uint64_t path, int depth);
static void right(uint64_t path, int depth);

#define CALLS_ON(name) \
	static __attribute__((noinline, noclone)) void name(uint64_t path, int depth) \
	{ \
		if (depth == 0) \
			syscall(SYS_getppid); \
		else if (path & 1) \
			left(path >> 1, depth - 1); \
		else \
			right(path >> 1, depth - 1); \
		__asm__ volatile(""); /* no call is the last thing that is done */ \
	}

CALLS_ON(left)
CALLS_ON(right)

static int stacks(uint64_t n, const char *out)
{
	for (uint64_t i = 0; i < n; i++)
		right(i, 15);
	return write_now(out);
}

static int run(const char *out, char **command)
{
	double start = now_ns();
	pid_t pid = fork();

	if (pid == 0) {
		execv(command[0], command);
		_exit(127);
	}
	struct rusage usage;
	int status;
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0)
		return 1;
	double wall = now_ns() - start;
	FILE *f = fopen(out, "w");
	if (!f)
		return 1;
	fprintf(f, "%.0f %ld %d\n", wall, usage.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : 128);
	return fclose(f) != 0;
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: work sys|open N [OUT] | keys|stacks N OUT | paced N RATE | run OUT COMMAND ARG...\n");
		return 2;
	}
	if (!strcmp(argv[1], "run") && argc > 3)
		return run(argv[2], argv + 3);
	uint64_t n = strtoull(argv[2], 0, 0);
	cpu_set_t last;

	if (!strcmp(argv[1], "keys") && argc > 3)
		return keys(n, argv[3]);
	if (!strcmp(argv[1], "stacks") && argc > 3)
		return stacks(n, argv[3]);

	// The last CPU: the tracer has the others.
	CPU_ZERO(&last);
	CPU_SET(sysconf(_SC_NPROCESSORS_ONLN) - 1, &last);
	sched_setaffinity(0, sizeof last, &last);

	if (!strcmp(argv[1], "paced") && argc > 3)
		return paced(n, strtod(argv[3], 0));
	double start = cpu_ns();
	if (!strcmp(argv[1], "sys")) {
		for (uint64_t i = 0; i < n; i++)
			syscall(SYS_getpid);
	} else if (!strcmp(argv[1], "open")) {
		for (uint64_t i = 0; i < n; i++)
			syscall(SYS_openat, AT_FDCWD, "/nonexistent/path/to/some/file.txt", O_RDONLY, 0);
	} else {
		return 2;
	}
	double each = (cpu_ns() - start) / (n ? n : 1);

	FILE *out = argc > 3 ? fopen(argv[3], "a") : stdout;
	if (!out)
		return 1;
	fprintf(out, "%s %llu %.2f\n", argv[1], (unsigned long long)n, each);
	return 0;
}
