/* Burns CPU in known frames of another shape, by what it is built with: INLINED has `leaf` put into `caller`; MANGLED names
 * them as C++ does; CLOCK asks for the time all the while; NEXT executes its second argument at the end. Its first argument
 * is how much CPU, in milliseconds. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

volatile unsigned long sink;

#ifdef MANGLED
unsigned long leaf(unsigned long n) __asm__("_ZN4work4leafEm");
unsigned long caller(unsigned long n) __asm__("_ZN4work6callerEm");
#endif
#ifdef INLINED
#define PLACE static inline __attribute__((always_inline))
#else
#define PLACE __attribute__((noinline))
#endif

PLACE unsigned long leaf(unsigned long n)
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

static long now(int clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	long end = now(CLOCK_PROCESS_CPUTIME_ID) + (argc > 1 ? atoi(argv[1]) : 1000);
	unsigned long sum = 0;
	while (now(CLOCK_PROCESS_CPUTIME_ID) < end) {
#ifdef CLOCK
		for (int i = 0; i < 10000; i++)
			sum += now(CLOCK_MONOTONIC);
#else
		sum += caller(sum) + 1;
#endif
	}
#ifdef NEXT
	execl(argv[2], argv[2], argv[1], (char *)0);
#endif
	return sum == 0;
}
