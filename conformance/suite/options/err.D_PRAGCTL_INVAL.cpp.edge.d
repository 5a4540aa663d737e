/* @@ args: -q */
/* The program's own option is for programs after it. */
#define N 7
#pragma D option cpp
BEGIN { printf("%d", N); exit(0); }
