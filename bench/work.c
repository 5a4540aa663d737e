// Workloads that time themselves, for bench.py. Build: cc -O1 -o work work.c
// work MODE N [OUT]: appends "mode events cpu_ns_per_event" to OUT, or prints it.
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static double cpu_ns(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1e9 + (r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e3;
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: work sys|open N [OUT]\n");
		return 2;
	}
	uint64_t n = strtoull(argv[2], 0, 0);
	cpu_set_t last;

	// The last CPU: the tracer has the others.
	CPU_ZERO(&last);
	CPU_SET(sysconf(_SC_NPROCESSORS_ONLN) - 1, &last);
	sched_setaffinity(0, sizeof last, &last);

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
