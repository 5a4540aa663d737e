/* Makes code at run time, tells of it in /tmp/perf-PID.map as run-time compilers do, and burns CPU in it: main calls `made`,
 * which has no file. Its argument is how much CPU, in milliseconds. With a second one the file is a link to that. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
#if defined(__x86_64__)
	/* push rbp; mov rbp, rsp; mov ecx, 1000000; 1: dec ecx; jnz 1b; pop rbp; ret */
	static const unsigned char code[] = {
		0x55, 0x48, 0x89, 0xe5, 0xb9, 0x40, 0x42, 0x0f, 0x00, 0xff, 0xc9, 0x75, 0xfc, 0x5d, 0xc3,
	};
	char path[64];
	void *page = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long end = now() + (argc > 1 ? atoi(argv[1]) : 1000);
	if (page == MAP_FAILED)
		return 3;
	memcpy(page, code, sizeof code);
	snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
	if (argc > 2) {
		if (symlink(argv[2], path))
			return 4;
	} else {
		FILE *map = fopen(path, "w");
		if (!map)
			return 4;
		fprintf(map, "garbage\n%lx %zx LWork;made()V\n", (unsigned long)page, sizeof code);
		fclose(map);
	}
	while (now() < end)
		((void (*)(void))page)();
	return 0;
#else
	return 5;
#endif
}
