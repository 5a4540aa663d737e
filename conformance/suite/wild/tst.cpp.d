/* Any use of the preprocessor. */
/* @@ args: -q -C */
#define N 3
#if N > 2
BEGIN { printf("%d", N); exit(0); }
#endif
