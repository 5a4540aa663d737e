/* Two threads in functions of their own, which use CPU: `large` three times as much as `little`, which uses as many
 * milliseconds as the argument says. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

volatile unsigned long sinks[2];
static long millis = 100;

static void burn(long until, volatile unsigned long *sink)
{
	struct timespec t;
	do {
		for (int i = 0; i < 20000; i++)
			*sink += i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < until);
}

__attribute__((noinline)) void *little(void *sink)
{
	burn(millis, sink);
	return 0;
}

__attribute__((noinline)) void *large(void *sink)
{
	burn(3 * millis, sink);
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	if (argc > 1)
		millis = atoi(argv[1]);
	pthread_create(&threads[0], 0, little, (void *)&sinks[0]);
	pthread_create(&threads[1], 0, large, (void *)&sinks[1]);
	pthread_join(threads[0], 0);
	pthread_join(threads[1], 0);
	return 0;
}
