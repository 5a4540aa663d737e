/* Burns CPU in known frames: main calls caller calls leaf, and leaf spins. Its argument is how much CPU, in milliseconds
 * (1000 without one): on a busy machine it takes longer, and is sampled as often. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

volatile unsigned long sink;

__attribute__((noinline)) unsigned long leaf(unsigned long n)
{
	for (unsigned long i = 0; i < 20000; i++)
		sink += i * n;
	return sink;
}

__attribute__((noinline)) unsigned long caller(unsigned long n)
{
	unsigned long sum = 0;
	for (int i = 0; i < 50; i++)
		sum += leaf(n + i) + 1;
	return sum;
}

static long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	long end = now() + (argc > 1 ? atoi(argv[1]) : 1000);
	unsigned long sum = 0;
	while (now() < end)
		sum += caller(sum) + 1;
	/* A call whose stack a probe can take. */
	return write(1, "", 0) == 0 && sum == 0;
}
